/* bench_build.c: how the time to build and count a kernel grows with its number of ops.
 *
 * Growth is linear when the time per op stays the same down each table.  Four kernels:
 *     untiled, tiled   a chain over one tensor: maps with one and two operands, and a
 *                      reduction that is added back every hundredth op
 *     tensors          a sum of as many tensors as ops, tiled
 *     reductions       a sum of as many row sums as ops/3, in a loop over the rows' tiles
 * The best of three runs counts.  A benchmark: nothing is asserted.
 *
 *     make bench, or bench_build [OPS], OPS being the largest kernel (100000) */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kcost.h"

enum { RUNS = 3 };

typedef enum kernel_kind { UNTILED, TILED, TENSORS, REDUCTIONS, KINDS } kernel_kind;
static const char *const kind_names[] = {"untiled", "tiled", "tensors", "reductions"};

static const kc_size sizes[] = {{"i", 4096}, {"j", 4096}};

typedef struct timing {
    double build, count, flops; /* seconds, FLOP */
} timing;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static kc_value *read_tensor(kc_context *context, const char *name, const kc_dtype *dtype)
{
    kc_tensor *tensor = kc_tensor_new(context, name, "i j", dtype, sizes, 2);
    kc_value *value = kc_read(tensor, NULL, NULL, 0, 1, 0);
    kc_release(tensor);
    return value;
}

/* The next op of the chain; drops the one before. */
static kc_value *next_op(kc_value *chain, kc_value *x, long number)
{
    kc_value *inputs[2] = {chain, x}, *next;
    if (number % 100 == 98)
        next = kc_reduce("sum", chain, "j", NULL, 0, NULL);
    else if (number % 2 || number % 100 == 99)
        next = kc_map("add", inputs, 2, NULL);
    else
        next = kc_map("relu", inputs, 1, NULL);
    kc_release(chain);
    return next;
}

/* Adds a tensor of its own. */
static kc_value *next_tensor(kc_context *context, kc_value *chain, const kc_dtype *dtype,
                             long number)
{
    char name[32];
    snprintf(name, sizeof name, "X%ld", number);
    kc_value *x = read_tensor(context, name, dtype);
    kc_value *inputs[2] = {chain, x};
    kc_value *next = kc_map("add", inputs, 2, NULL);
    kc_release(chain);
    kc_release(x);
    return next;
}

/* Every third op a row sum, then added. */
static kc_value *next_sum(kc_value *chain, kc_value *x)
{
    kc_value *relu = kc_map("relu", &x, 1, NULL);
    kc_value *inputs[2] = {chain, kc_reduce("sum", relu, "j", NULL, 0, NULL)};
    kc_value *next = kc_map("add", inputs, 2, NULL);
    kc_release(relu);
    kc_release(inputs[1]);
    kc_release(chain);
    return next;
}

static kc_kernel *build(kc_context *context, kernel_kind kind, long ops)
{
    kc_dtype *f32 = kc_dtype_named(context, "f32");
    kc_value *x = read_tensor(context, "X", f32);
    kc_value *chain = kind == REDUCTIONS ? kc_reduce("sum", x, "j", NULL, 0, NULL) : kc_retain(x);
    for (long i = 0; i < ops; i += kind == REDUCTIONS ? 3 : 1)
        chain = kind == REDUCTIONS ? next_sum(chain, x)
                : kind == TENSORS  ? next_tensor(context, chain, f32, i)
                                   : next_op(chain, x, i);
    kc_tensor *y = kc_write("Y", chain, f32, NULL, NULL, NULL, 0, 1);
    kc_kernel *kernel = kc_kernel_new(context, NULL, &y, 1);
    if (kind != UNTILED) {
        kc_schedule *schedule = kc_schedule_new(context);
        kc_schedule_tile(schedule, "i", 1);
        kc_schedule_tile(schedule, "j", kind == REDUCTIONS ? 512 : 4096);
        kc_kernel *whole = kernel;
        kernel = kc_tile((kc_object *)whole, schedule);
        kc_release(whole);
        kc_release(schedule);
    }
    kc_release(y);
    kc_release(chain);
    kc_release(x);
    kc_release(f32);
    return kernel;
}

/* 0 and the timing, or 1 with the sentence on stderr. */
static int run(kernel_kind kind, long ops, timing *t)
{
    kc_context *context = kc_context_new(NULL, NULL);
    double start = now();
    kc_kernel *kernel = build(context, kind, ops);
    double built = now();
    kc_result *result = kc_count((kc_object *)kernel, NULL);
    *t = (timing){.build = built - start, .count = now() - built};
    int failed = kc_result_number(result, KC_FLOPS, &t->flops) != KC_OK;
    if (failed)
        fprintf(stderr, "bench_build: %s\n", kc_context_message(context));
    kc_release(result);
    kc_release(kernel);
    kc_context_free(context);
    return failed;
}

static int measure(kernel_kind kind, long ops)
{
    timing best = {0, 0, 0};
    for (int i = 0; i < RUNS; i++) {
        timing t;
        if (run(kind, ops, &t))
            return 1;
        if (i == 0 || t.build + t.count < best.build + best.count)
            best = t;
    }
    printf("%-10s %9ld %12.3f %12.3f %12.1f %14.6g\n", kind_names[kind], ops, 1e3 * best.build,
           1e3 * best.count, 1e9 * (best.build + best.count) / (double)ops, best.flops);
    return 0;
}

int main(int argc, char **argv)
{
    long most = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    int failed = 0;
    printf("%-10s %9s %12s %12s %12s %14s\n", "kernel", "ops", "build (ms)", "count (ms)",
           "ns per op", "FLOP");
    for (int kind = 0; kind < KINDS; kind++)
        for (long ops = most / 16; ops > 0 && ops <= most; ops *= 2)
            failed |= measure((kernel_kind)kind, ops);
    return failed;
}
