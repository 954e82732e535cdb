/* model.c: the cost model alone, without Lua: what does fusing attention save, and how is it tiled best?
 *
 *     S = Q K'    P = softmax(S)    O = P V
 *
 *     cc -std=c99 model.c $(pkg-config --cflags --libs kcost) -o model && ./model */
#include <kcost.h>
#include <stdio.h>

/* Handles are counted references: everything that is made goes here, and is released at the end.  A call
 * that fails gives NULL, and so does a call that is given NULL, so what is made is checked once. */
static void *made[64];
static size_t made_count;

static void *keep(void *object)
{
    return made[made_count++] = object;
}

static kc_value *read_of(kc_tensor *tensor)
{
    return keep(kc_read(tensor, NULL, NULL, 0, 1, 0));
}

static kc_tensor *write_of(const char *name, kc_value *value)
{
    return keep(kc_write(name, value, NULL, NULL, NULL, NULL, 0, 1));
}

/* Three written tensors: each is a kernel of its own until something fuses it. */
static void attention(kc_context *kc, kc_object *steps[3])
{
    const kc_size size[] = { { "b", 8 }, { "h", 16 }, { "i", 4096 }, { "j", 4096 }, { "d", 128 }, { "e", 128 } };
    kc_dtype *f16 = keep(kc_dtype_named(kc, "f16"));
    kc_tensor *Q = keep(kc_tensor_new(kc, "Q", "b h i d", f16, size, 6));
    kc_tensor *K = keep(kc_tensor_new(kc, "K", "b h j d", f16, size, 6));
    kc_tensor *V = keep(kc_tensor_new(kc, "V", "b h j e", f16, size, 6));
    kc_tensor *S = write_of("S", keep(kc_matmul(read_of(Q), read_of(K), "d", NULL, NULL, NULL)));
    kc_tensor *P = write_of("P", keep(kc_softmax(read_of(S), "j", 1)));
    kc_tensor *O = write_of("O", keep(kc_matmul(read_of(P), read_of(V), "j", NULL, NULL, NULL)));
    steps[0] = (kc_object *)S, steps[1] = (kc_object *)P, steps[2] = (kc_object *)O;
}

static double number(const kc_result *result, kc_field field)
{
    double value = 0;
    kc_result_number(result, field, &value);
    return value;
}

/* Every byte between the chip and HBM has a cause. */
static void show_bytes(const kc_result *r)
{
    printf("%s: %.0f bytes\n", kc_result_name(r), number(r, KC_BYTES));
    for (size_t i = 0; i < kc_result_tensors(r); i++)
        printf("  %-2s %14.0f read %14.0f written\n", kc_result_tensor_name(r, i),
               kc_result_tensor_number(r, i, KC_TENSOR_READ), kc_result_tensor_number(r, i, KC_TENSOR_WRITTEN));
}

/* The words and the schedule of a result are written when they are asked for, which takes memory. */
static int show_best(kc_result *r)
{
    double i, j;
    if (kc_result_schedule_number(r, "tile.i", &i) != KC_OK || kc_result_schedule_number(r, "tile.j", &j) != KC_OK)
        return 0;
    printf("%s on %s: %.1f us in tiles of %.0f x %.0f, %s binds; %.0f schedules tried\n", kc_result_name(r),
           kc_result_device(r), 1e6 * number(r, KC_TIME), i, j, kc_result_bound(r), kc_result_searched(r, NULL));
    return 1;
}

int main(void)
{
    kc_context *kc = kc_context_new(NULL, NULL);
    kc_object *steps[3];
    attention(kc, steps);
    kc_program *apart = keep(kc_program_new(kc, "in three kernels", steps, 3));
    kc_kernel *flash = keep(kc_fuse(kc, "fused", steps, 3, NULL, 0));
    kc_device *h100 = keep(kc_device_named(kc, "h100-sxm5"));
    kc_result *before = keep(kc_count((kc_object *)apart, NULL)), *after = keep(kc_count((kc_object *)flash, NULL));
    kc_result *best = keep(kc_best((kc_object *)flash, h100, NULL));
    int failed = !before || !after || !best;
    if (!failed) {
        show_bytes(before);
        show_bytes(after);
        failed = !show_best(best);
    }
    if (failed)
        fprintf(stderr, "%s\n", kc_context_message(kc));
    while (made_count > 0)
        kc_release(made[--made_count]);
    kc_context_free(kc);
    return failed;
}
