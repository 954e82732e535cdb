/* measure.h: what the benchmarks in C share: clocks, short runs, a row, the matmul of all of them.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kcost.h"

static inline double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of this process: what else the machine does counts little. */
static inline double cpu(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static inline double wall(void)
{
    return seconds(CLOCK_MONOTONIC);
}

/* KCOST_BENCH_QUICK=1: a few points and one run, to see that it works. */
static inline int is_quick(void)
{
    const char *quick = getenv("KCOST_BENCH_QUICK");
    return quick && strcmp(quick, "1") == 0;
}

/* bench.lua reads these lines, and rows.lua says what they are. */
static inline void row(const char *name, double value)
{
    printf("%s\t%.17g\n", name, value);
}

/* Ends the program where something failed, with the context's sentence. */
static inline void want(kc_context *context, int good)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", kc_context_message(context));
    exit(1);
}

static inline kc_value *read_new(kc_context *context, const char *name, const char *dims,
                                 const kc_size *sizes, size_t count)
{
    kc_dtype *f16 = kc_dtype_named(context, "f16");
    kc_tensor *tensor = kc_tensor_new(context, name, dims, f16, sizes, count);
    kc_value *value = kc_read(tensor, NULL, NULL, 0, 1, 0);
    kc_release(f16);
    kc_release(tensor);
    return value;
}

/* C[m,n] = A[m,k] B[k,n] in f16, of the sizes that baseline/gemm_sweep.c sweeps. */
static inline kc_object *matmul(kc_context *context)
{
    const kc_size sizes[] = {{"m", 2048}, {"n", 11008}, {"k", 4096}};
    kc_value *a = read_new(context, "A", "m k", sizes, 3),
             *b = read_new(context, "B", "k n", sizes, 3);
    kc_value *product = kc_matmul(a, b, "k", NULL, NULL, NULL);
    kc_tensor *c = kc_write("C", product, NULL, NULL, NULL, NULL, 0, 1);
    kc_release(a);
    kc_release(b);
    kc_release(product);
    want(context, c != NULL);
    return (kc_object *)c;
}

#endif
