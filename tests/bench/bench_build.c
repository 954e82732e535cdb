/* bench_build.c: how the time to build and count a kernel grows with its number of ops.
 *
 * Growth is linear where an op of a kernel that is 16 times as long takes the same time.  Four
 * kernels: untiled, tiled   a chain over one tensor: maps with one and two operands, and a
 *                      reduction that is added back every hundredth op
 *     tensors          a sum of as many tensors as ops, tiled
 *     reductions       a sum of as many row sums as ops/3, in a loop over the rows' tiles */
#define _POSIX_C_SOURCE 200809L

#include <limits.h>
#include <malloc.h>

#include "measure.h"

typedef enum kernel_kind { UNTILED, TILED, TENSORS, REDUCTIONS, KINDS } kernel_kind;
static const char *const kind_names[] = {"untiled", "tiled", "tensors", "reductions"};

static const kc_size sizes[] = {{"i", 4096}, {"j", 4096}};

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
static kc_value *next_tensor(kc_context *context, kc_value *chain, long number)
{
    char name[32];
    snprintf(name, sizeof name, "X%ld", number);
    kc_value *x = read_new(context, name, "i j", sizes, 2);
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
    kc_value *x = read_new(context, "X", "i j", sizes, 2);
    kc_value *chain = kind == REDUCTIONS ? kc_reduce("sum", x, "j", NULL, 0, NULL) : kc_retain(x);
    for (long i = 0; i < ops; i += kind == REDUCTIONS ? 3 : 1)
        chain = kind == REDUCTIONS ? next_sum(chain, x)
                : kind == TENSORS  ? next_tensor(context, chain, i)
                                   : next_op(chain, x, i);
    kc_tensor *y = kc_write("Y", chain, NULL, NULL, NULL, NULL, 0, 1);
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
    return kernel;
}

/* ns an op, of a kernel built in a new context and counted. */
static double built(kernel_kind kind, long ops)
{
    kc_context *context = kc_context_new(NULL, NULL);
    double start = cpu();
    kc_kernel *kernel = build(context, kind, ops);
    kc_result *result = kc_count((kc_object *)kernel, NULL);
    double each = 1e9 * (cpu() - start) / (double)ops;
    want(context, result != NULL);
    kc_release(result);
    kc_release(kernel);
    kc_context_free(context);
    return each;
}

static void measure(kernel_kind kind, long ops, const char *how_many)
{
    char name[64];
    double best = 1e300;
    for (int run = 0; run < (is_quick() ? 1 : 2); run++) {
        double each = built(kind, ops);
        best = each < best ? each : best;
    }
    snprintf(name, sizeof name, "%s, %s ops", kind_names[kind], how_many);
    row(name, best);
}

int main(void)
{
    long ops = is_quick() ? 60 : 3000;
    /* Freed memory stays with the process: else the system clears the pages of a long kernel again
     * in each run, and takes longer than kcost does. */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_MAX, 0);
    for (int kind = 0; kind < KINDS; kind++) {
        measure((kernel_kind)kind, ops, "N");
        measure((kernel_kind)kind, 16 * ops, "16 N");
    }
    return 0;
}
