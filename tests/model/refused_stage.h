/* refused_stage.h: what test_refused_calls.c makes its calls on: attention, its schedule, its results; a matmul and what is
 * swept of it; a profile.  Each function sets a stage; a later one builds on those before it. */
#ifndef REFUSED_STAGE_H
#define REFUSED_STAGE_H

#include "workbench.h"

static struct {
    attention a; /* 2 heads of 64 x 48, 16 and 8 wide */
    kc_dtype *bf16;
    kc_value *q, *k, *scores, *probabilities;
    kc_schedule *schedule;
    kc_kernel *tiled, *resized, *unfit;
    kc_program *net;
    kc_device *device, *own;
    kc_options *options;
    kc_result *result, *count, *sum, *best, *fused;
    kc_comparison *compared;
    kc_tensor *c; /* of 64 x 64 x 64 */
    kc_space *space;
    kc_sweep *sweep, *parts[2];
    char part[8192];
    kc_evaluator *evaluator;
    kc_profile *profile;
} on;

static const kc_size sizes[] = { { "b", 2 }, { "i", 64 }, { "d", 16 }, { "r", 3 }, { "t", 5 } }, longer[] = { { "i j", 96 } },
                     cta[] = { { "threads", 128 }, { "registers", 64 }, { "smem", 1024 } };
static const char *const from[] = { "i", "d" }, *const to[] = { "row", "depth" };
static const double tiles[] = { 16, 32 };
static double times[4];

static void set_stage(void)
{
    assert_int_equal(fresh(NULL), 0);
    memset(&on, 0, sizeof on);
}

static void nothing(void)
{
}

static void attended(void)
{
    on.a = attention_of("b=2 i=64 d=16", "b=2 j=48 d=16", "b=2 j=48 e=8");
    on.bf16 = dtype_of("bf16");
    on.q = read_of(on.a.q);
    on.k = read_of(on.a.k);
    on.scores = matmul(on.q, on.k, NULL);
    on.probabilities = softmax(on.scores, "j", 1);
}

static kc_object **three(void)
{
    static kc_object *parts[3];
    parts[0] = object(on.a.s), parts[1] = object(on.a.p), parts[2] = object(on.a.o);
    return parts;
}

static void scheduled(void)
{
    attended();
    on.schedule = schedule_of("i=16 j=8", "b i", "j");
    on.tiled = keep(kc_tile(object(on.a.flash), on.schedule));
    on.resized = keep(kc_resized(object(on.tiled), longer, 1));
    on.net = keep(kc_program_new(context, "net", three(), 3));
}

static void on_device(void)
{
    scheduled();
    on.device = keep(kc_device_named(context, "h100-sxm5"));
    on.options = keep(kc_options_new(context));
}

static kc_object **one_that_fits(void)
{
    static kc_object *pair[2];
    pair[0] = object(on.unfit), pair[1] = object(on.tiled);
    return pair;
}

/* What needs more shared memory than there is. */
static void unfit(void)
{
    on_device();
    kc_tensor *a = tensor("A", "m=512 k=512", "f16"), *b = tensor("B", "k=512 n=512", "f16");
    kc_schedule *s = schedule_of("m=256 n=128 k=64", NULL, NULL);
    assert_int_equal(kc_schedule_stages(s, NULL, 8), KC_OK);
    on.unfit = keep(kc_tile(object(write_of("C", matmul(read_of(a), read_of(b), NULL))), s));
}

static void changed(void)
{
    on_device();
    on.own = keep(kc_device_new(context, on.device));
    assert_int_equal(kc_device_set(on.own, "clock", 1.5e9), KC_OK);
}

static void answered(void)
{
    on_device();
    on.result = keep(kc_evaluate(object(on.tiled), on.device, NULL));
    on.count = keep(kc_count(object(on.tiled), NULL));
    on.sum = keep(kc_evaluate(object(on.net), on.device, NULL));
}

static void chosen(void)
{
    on_device();
    on.best = keep(kc_best(object(on.a.s), on.device, NULL));
}

static kc_object **two(void)
{
    static kc_object *parts[2];
    parts[0] = object(on.net), parts[1] = object(on.tiled);
    return parts;
}

static void compared(void)
{
    on_device();
    on.compared = keep(kc_compare(context, two(), 2, &on.device, 1, NULL));
}

static void spaced(void)
{
    kc_tensor *a = tensor("A", "m=64 k=64", "f16"), *b = tensor("B", "k=64 n=64", "f16");
    on.bf16 = dtype_of("bf16");
    on.c = write_of("C", matmul(read_of(a), read_of(b), NULL));
    on.device = keep(kc_device_named(context, "h100-sxm5"));
    on.options = keep(kc_options_new(context));
    on.space = keep(kc_space_new(object(on.c)));
    assert_int_equal(kc_space_device(on.space, on.device) | kc_space_numbers(on.space, "tile.m", tiles, 2), KC_OK);
    assert_int_equal(kc_space_where(on.space, "tile.m > 16 or device == 'x'"), KC_OK);
}

static void swept(void)
{
    spaced();
    on.sweep = keep(kc_space_sweep(on.space, 1, NULL, NULL));
    for (unsigned p = 0; p < 2; p++) {
        kc_space *half = keep(kc_space_new(object(on.c)));
        assert_int_equal(kc_space_numbers(half, "tile.m", tiles, 2) | kc_space_shard(half, p + 1, 2), KC_OK);
        on.parts[p] = keep(kc_space_sweep(half, 1, NULL, NULL));
    }
    int length = snprintf(on.part, sizeof on.part, "%s", kc_json(object(on.parts[0])));
    assert_true(length > 0 && length < (int)sizeof on.part);
}

static const char *const axes[] = { "tile.m", "size.n" };
static const kc_field time_field[] = { KC_TIME };

static void compiled(void)
{
    spaced();
    on.evaluator = keep(kc_evaluator_new(object(on.c), on.device, NULL, axes, 2, time_field, 1));
}

static const double *const *columns(void)
{
    static const double n[] = { 64, 128 }, *in[] = { tiles, n };
    return in;
}

static double *const *answers(void)
{
    static double *out[] = { times };
    return out;
}

static const char export_text[] = "name,time,flops,bytes\ncopy,1.25e-3,0,2e9\n\"gemm, 4096\",200 us,137438953472,100663296\n";

static void profiling(void)
{
    on.profile = keep(kc_profile_new(context, 4));
}

static void fed(void)
{
    profiling();
    assert_int_equal(kc_profile_feed(on.profile, export_text, sizeof export_text - 1), KC_OK);
}

static void profiled(void)
{
    fed();
    assert_int_equal(kc_profile_end(on.profile), KC_OK);
}

#endif
