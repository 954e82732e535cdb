/* bench_plan.c: what a plan costs to make, and to count and evaluate once it is made: of a matmul,
 * and of flash attention with a causal mask. */
#define _POSIX_C_SOURCE 200809L

#include "evaluator.h"
#include "measure.h"

static kc_kernel *tiled(kc_object *x, const kc_size *tiles, size_t count)
{
    kc_context *context = kc_object_context(x);
    kc_schedule *schedule = kc_schedule_new(context);
    for (size_t i = 0; i < count; i++)
        kc_schedule_tile(schedule, tiles[i].dim, tiles[i].size);
    kc_kernel *kernel = kc_tile(x, schedule);
    want(context, kernel != NULL);
    kc_release(schedule);
    kc_release(x);
    return kernel;
}

/* Writes a value that ends here, and reads it again. */
static kc_value *through(kc_object **tensor, const char *name, kc_value *value)
{
    kc_tensor *written = kc_write(name, value, NULL, NULL, NULL, NULL, 0, 1);
    kc_release(value);
    *tensor = (kc_object *)written;
    return kc_read(written, NULL, NULL, 0, 1, 0);
}

/* A value that ends here, times a new tensor. */
static kc_value *times_new(kc_value *a, const char *name, const char *dims, const kc_size *sizes)
{
    kc_value *b = read_new(kc_object_context((kc_object *)a), name, dims, sizes, 5);
    kc_value *product = kc_matmul(a, b, NULL, NULL, NULL, NULL);
    kc_release(a);
    kc_release(b);
    return product;
}

static kc_object *attention(kc_context *context)
{
    const kc_size sizes[] = {{"h", 16}, {"i", 4096}, {"j", 4096}, {"d", 128}, {"e", 128}};
    kc_object *parts[3];
    kc_value *scores = times_new(read_new(context, "Q", "h i d", sizes, 5), "K", "h j d", sizes);
    kc_value *s = through(&parts[0], "S", kc_causal(scores, "i", "j"));
    kc_value *p = through(&parts[1], "P", kc_softmax(s, "j", 1));
    kc_value *o = through(&parts[2], "O", times_new(p, "V", "h j e", sizes));
    kc_kernel *flash = kc_fuse(context, "flash", parts, 3, NULL, 0);
    void *const done[] = {scores, s, o, parts[0], parts[1], parts[2]};
    for (size_t i = 0; i < sizeof done / sizeof *done; i++)
        kc_release(done[i]);
    want(context, flash != NULL);
    return (kc_object *)flash;
}

/* Seconds to make a plan. */
static double made(const kc_kernel *kernel, const kc_device *device, int times)
{
    double start = cpu();
    for (int i = 0; i < times; i++) {
        kci_evaluator *e = kci_evaluator_new(kernel, device, NULL);
        want(kc_object_context((const kc_object *)kernel), e != NULL);
        kci_evaluator_free(e);
    }
    return (cpu() - start) / times;
}

/* Seconds to evaluate it; to count it, where there is no device. */
static double evaluated(const kc_kernel *kernel, const kc_device *device, int times)
{
    kci_evaluator *e = kci_evaluator_new(kernel, device, NULL);
    want(kc_object_context((const kc_object *)kernel), e != NULL);
    e->options.quiet = true;
    double start = cpu();
    for (int i = 0; i < times; i++)
        want(e->context, kci_evaluate(e) == KC_OK);
    double each = (cpu() - start) / times;
    kci_evaluator_free(e);
    return each;
}

typedef double measured(const kc_kernel *kernel, const kc_device *device, int times);

static void report(const char *name, const char *what, measured *measure, const kc_kernel *kernel,
                   const kc_device *device, int times)
{
    char label[64];
    double best = 1e300;
    for (int run = 0; run < (is_quick() ? 1 : 5); run++) {
        double each = measure(kernel, device, is_quick() ? 10 : times);
        best = each < best ? each : best;
    }
    snprintf(label, sizeof label, "%s, %s", name, what);
    row(label, 1e9 * best);
}

static void measure(const char *name, const kc_kernel *kernel, const kc_device *device)
{
    report(name, "plan made", made, kernel, device, 500);
    report(name, "counted", evaluated, kernel, NULL, 10000);
    report(name, "evaluated", evaluated, kernel, device, 10000);
}

int main(void)
{
    kc_context *context = kc_context_new(NULL, NULL);
    kc_device *device = kc_device_named(context, "h100-sxm5");
    kc_kernel *c = tiled(matmul(context), (const kc_size[]){{"m", 128}, {"n", 128}, {"k", 64}}, 3);
    kc_kernel *flash = tiled(attention(context), (const kc_size[]){{"i", 128}, {"j", 64}}, 2);
    measure("matmul", c, device);
    measure("causal flash attention", flash, device);
    kc_release(c);
    kc_release(flash);
    kc_release(device);
    kc_context_free(context);
    return 0;
}
