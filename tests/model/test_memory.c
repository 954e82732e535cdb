/* test_memory.c: every request for memory refused once, from the first tensor of flash attention to its counts:
 * a failed call says so, changes nothing, and can be made again. */
#include "workbench.h"

/* What the steps make, in order; each step builds on those before. */
enum {
    F16, Q, K, V, READ_Q, READ_K, READ_V, READ_S, READ_P, SCORES, MASKED, SOFTMAX, PRODUCT, LSE, SUMMED, S, P, O, L,
    UNFUSED, FLASH, SAVED, SCHEDULE, TILED, RESIZED, RESIZED_WRITES, RENAMED, TIMES, PROGRAM, GROUP, COUNTED, COUNTED_ALL, DEVICE,
        TIMED, SENT, BESIDE, TIMED_BESIDE, RESIZED_BESIDE,
    STEPS
};

typedef struct scene {
    kc_context *context;
    void *made[STEPS];
} scene;

static const kc_size shape[] = { { "b", 2 }, { "i", 64 }, { "j", 48 }, { "d", 16 }, { "e", 8 } };

static kc_tensor *leaf(scene *s, const char *name, const char *dims)
{
    return kc_tensor_new(s->context, name, dims, s->made[F16], shape, 5);
}

static kc_tensor *written(scene *s, const char *name, int value)
{
    return kc_write(name, s->made[value], NULL, NULL, NULL, NULL, 0, 1);
}

static kc_value *as_read(scene *s, int from)
{
    return kc_read(s->made[from], NULL, NULL, 0, 1, 0);
}

static void *fused(scene *s, const char *name, const char *save)
{
    kc_object *parts[4] = { s->made[S], s->made[P], s->made[O], s->made[L] };
    return kc_fuse(s->context, name, parts, save ? 4 : 3, &save, save ? 1 : 0);
}

static void *resized(scene *s)
{
    const kc_size sizes[] = { { "i j", 96 }, { "b", 3 } };
    return kc_resized(s->made[TILED], sizes, 2);
}

static void *renamed(scene *s)
{
    static const char *const from[] = { "i", "j", "d" }, *const to[] = { "j", "i", "depth" };
    return kc_renamed(s->made[TILED], from, to, 3);
}

static void *program(scene *s)
{
    kc_object *parts[4] = { s->made[S], s->made[P], s->made[O], s->made[TIMES] };
    return kc_program_new(s->context, "net", parts, 4);
}

static void *group(scene *s)
{
    kc_object *parts[2] = { s->made[TILED], s->made[UNFUSED] };
    return kc_group(s->context, "ragged", parts, 2);
}

static void *beside(scene *s)
{
    kc_object *parts[2] = { s->made[TILED], s->made[SENT] };
    return kc_beside(s->context, "both", parts, 2);
}

static void *step(scene *s, int i)
{
    kc_tensor *both[2] = { s->made[S], s->made[L] };
    switch (i) {
    case F16:
        return kc_dtype_named(s->context, "f16");
    case Q:
        return leaf(s, "Q", "b i d");
    case K:
        return leaf(s, "K", "b j d");
    case V:
        return leaf(s, "V", "b j e");
    case READ_Q:
    case READ_K:
    case READ_V:
        return as_read(s, i - READ_Q + Q);
    case SCORES:
        return kc_matmul(s->made[READ_Q], s->made[READ_K], "d", NULL, NULL, NULL);
    case MASKED:
        return kc_causal(s->made[SCORES], "i", "j");
    case S:
        return written(s, "S", MASKED);
    case READ_S:
        return as_read(s, S);
    case SOFTMAX:
        return kc_softmax(s->made[READ_S], "j", 1);
    case P:
        return written(s, "P", SOFTMAX);
    case READ_P:
        return as_read(s, P);
    case PRODUCT:
        return kc_matmul(s->made[READ_P], s->made[READ_V], "j", NULL, NULL, NULL);
    case O:
        return written(s, "O", PRODUCT);
    case LSE:
        return kc_lse(s->made[SOFTMAX]);
    case SUMMED:
        return kc_reduce("sum", s->made[LSE], "i", (kc_size[]){ { "t", 2 } }, 1, NULL);
    case L:
        return kc_write("L", s->made[SUMMED], NULL, "t b", NULL, NULL, 0, 1);
    case UNFUSED:
        return kc_kernel_new(s->context, "s", both, 1);
    case FLASH:
        return fused(s, "flash", NULL);
    case SAVED:
        return fused(s, "saved", "S");
    case SCHEDULE:
        return kc_schedule_new(s->context);
    case TILED:
        return kc_tile(s->made[FLASH], s->made[SCHEDULE]);
    case RESIZED:
        return resized(s);
    case RESIZED_WRITES:
        return kc_kernel_tensor(s->made[RESIZED], 0);
    case RENAMED:
        return renamed(s);
    case TIMES:
        return kc_times(s->made[TILED], 3);
    case PROGRAM:
        return program(s);
    case GROUP:
        return group(s);
    case COUNTED:
        return kc_count(s->made[TILED], NULL);
    case COUNTED_ALL:
        return kc_count(s->made[PROGRAM], NULL);
    case DEVICE:
        return kc_device_named(s->context, "h100-sxm5");
    case TIMED:
        return kc_evaluate(s->made[TILED], s->made[DEVICE], NULL);
    case SENT:
        return kc_comm("allgather", s->made[O], 4, "e", "tree", NULL);
    case BESIDE:
        return beside(s);
    case TIMED_BESIDE:
        return kc_evaluate(s->made[BESIDE], s->made[DEVICE], NULL);
    default:
        return kc_resized(s->made[BESIDE], (kc_size[]){ { "e", 16 } }, 1);
    }
}

/* The order in which they can be made. */
static const int order[STEPS] = { F16, Q, K, V, READ_Q, READ_K, READ_V, SCORES, MASKED, S, READ_S, SOFTMAX, P, READ_P,
                                  PRODUCT,
                                  O, LSE, SUMMED, L, UNFUSED, FLASH, SAVED, SCHEDULE, TILED, RESIZED, RESIZED_WRITES, RENAMED, TIMES,
                                      PROGRAM,
                                  GROUP, COUNTED, COUNTED_ALL, DEVICE, TIMED, SENT, BESIDE, TIMED_BESIDE, RESIZED_BESIDE };

/* A call that gave nothing was refused memory; made again, it gives something. */
static void *made_at_last(scene *s, int i)
{
    void *got = step(s, i);
    if (!got) {
        if (kc_context_status(s->context) != KC_ENOMEM)
            print_error("step %d: %s\n", i, kc_context_message(s->context));
        assert_int_equal(kc_context_status(s->context), KC_ENOMEM);
        assert_contains(kc_context_message(s->context), "not enough memory");
        got = step(s, i);
    }
    if (!got)
        print_error("step %d, again: %s\n", i, kc_context_message(s->context));
    assert_non_null(got);
    return got;
}

static kc_status set(kc_schedule *s, int i)
{
    switch (i) {
    case 0:
        return kc_schedule_tile(s, "i", 16);
    case 1:
        return kc_schedule_tile(s, "j", 8);
    case 2:
        return kc_schedule_grid(s, "b i");
    case 3:
        return kc_schedule_order(s, "j d");
    case 4:
        return kc_schedule_stages(s, "K", 3);
    case 5:
        return kc_schedule_hold(s, "Q");
    case 6:
        return kc_schedule_place(s, "V", "registers");
    case 7:
        return kc_schedule_raster(s, "i b", 4);
    case 8:
        return kc_schedule_cluster(s, "i", 2);
    default:
        return kc_schedule_path(s, "mma");
    }
}

static void set_all(kc_schedule *s)
{
    for (int i = 0; i < 10; i++) {
        kc_status status = set(s, i);
        if (status != KC_OK) {
            assert_int_equal(status, KC_ENOMEM);
            assert_int_equal(set(s, i), KC_OK);
        }
    }
}

static const char *text_at_last(kc_object *x)
{
    const char *text = kc_object_text(x);
    return text ? text : kc_object_text(x);
}

static const char *json_at_last(kc_object *x)
{
    const char *text = kc_json(x);
    return text ? text : kc_json(x);
}

/* What is asked of the end: texts of all kernels, JSON of all results. */
enum { TEXT_BYTES = 65536 };

static void ask_all(scene *s, char *texts)
{
    static const int shown[] = { UNFUSED, FLASH, SAVED, TILED, RESIZED, RESIZED_WRITES, RENAMED, PROGRAM, GROUP, BESIDE, RESIZED_BESIDE },
        counts[] = { COUNTED, COUNTED_ALL, TIMED, TIMED_BESIDE };
    size_t used = 0;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        used += (size_t)snprintf(texts + used, TEXT_BYTES - used, "%s\n", text_at_last(s->made[shown[i]]));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        used += (size_t)snprintf(texts + used, TEXT_BYTES - used, "%s\n", json_at_last(s->made[counts[i]]));
    used += (size_t)snprintf(texts + used, TEXT_BYTES - used, "%s\n", json_at_last(s->made[GROUP]));
    assert_true(used < TEXT_BYTES);
}

/* All of it, the n-th request refused (0: none).  True where it came to that. */
static bool play(size_t n, char *texts)
{
    memory own = { .fail_at = n };
    scene s = { .context = kc_context_new(counted_resize, &own) };
    if (!s.context) {
        assert_int_equal(n, 1);
        assert_int_equal(own.live, 0);
        return true;
    }
    for (int i = 0; i < STEPS; i++) {
        s.made[order[i]] = made_at_last(&s, order[i]);
        if (order[i] == SCHEDULE)
            set_all(s.made[SCHEDULE]);
    }
    ask_all(&s, texts);
    for (int i = 0; i < STEPS; i++)
        kc_release(s.made[order[i]]);
    kc_context_free(s.context);
    if (own.live || own.misstated)
        print_error("request %zu refused: %zu bytes left, %zu sizes misstated\n", n, own.live, own.misstated);
    assert_int_equal(own.live, 0);
    assert_int_equal(own.misstated, 0);
    return own.requests >= n && n > 0;
}

static void show_difference(size_t n, const char *got, const char *want)
{
    size_t at = 0;
    while (got[at] == want[at])
        at++;
    at = at < 60 ? 0 : at - 60;
    print_error("request %zu refused: …%.200s…\nnot …%.200s…\n", n, got + at, want + at);
}

TEST(flash_attention_survives_each_request_for_memory_being_refused_once)
{
    static char want[TEXT_BYTES], got[TEXT_BYTES];
    play(0, want);
    size_t n = 1, stride = environment_number("KCOST_RANDOM", 1e6) < 1000 ? 7 : 1; /* where time is dear */
    for (bool more = true; more; n += stride) {
        *got = '\0';
        more = play(n, got);
        if (*got && strcmp(got, want) != 0)
            show_difference(n, got, want);
        assert_true(!*got || strcmp(got, want) == 0);
    }
    assert_true(n > 1000);
}

/* Once memory is refused for good, all that is left is to give back. */
TEST(nothing_is_lost_when_memory_runs_out_for_good)
{
    for (size_t first = 1; first < 4000; first += 37) {
        memory own = { 0 };
        scene s = { .context = kc_context_new(counted_resize, &own) };
        assert_non_null(s.context);
        int i = 0;
        for (; i < STEPS; i++) {
            own.refuse_all = own.requests >= first;
            s.made[order[i]] = step(&s, order[i]);
            if (!s.made[order[i]])
                break;
        }
        if (i < STEPS)
            assert_int_equal(kc_context_status(s.context), KC_ENOMEM);
        for (int done = 0; done < i; done++) {
            kc_object_text(s.made[order[done]]);
            kc_release(s.made[order[done]]);
        }
        kc_context_free(s.context);
        assert_int_equal(own.live, 0);
        assert_int_equal(own.misstated, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(flash_attention_survives_each_request_for_memory_being_refused_once),
        fact(nothing_is_lost_when_memory_runs_out_for_good),
    };
    return run(tests);
}
