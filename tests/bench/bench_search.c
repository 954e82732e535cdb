/* bench_search.c: how much sooner than a sweep a search finds the fastest of 98,304 schedules of a matmul.
 *
 *     make bench, or bench_search.  Nothing is asserted. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <time.h>

#include "kcost.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static kc_value *read_new(kc_context *context, const char *name, const char *dims, const kc_size *sizes, size_t count)
{
    kc_dtype *f16 = kc_dtype_named(context, "f16");
    kc_tensor *tensor = kc_tensor_new(context, name, dims, f16, sizes, count);
    kc_value *value = kc_read(tensor, NULL, NULL, 0, 1, 0);
    kc_release(f16);
    kc_release(tensor);
    return value;
}

static kc_object *matmul(kc_context *context)
{
    const kc_size sizes[] = { { "m", 4096 }, { "n", 4096 }, { "k", 4096 } };
    kc_value *a = read_new(context, "A", "m k", sizes, 3), *b = read_new(context, "B", "k n", sizes, 3);
    kc_value *product = kc_matmul(a, b, "k", NULL, NULL, NULL);
    kc_tensor *c = kc_write("C", product, NULL, NULL, NULL, NULL, 0, 1);
    kc_release(a);
    kc_release(b);
    kc_release(product);
    return (kc_object *)c;
}

/* from, from + 16, … up to `to`. */
static kc_status tiles(kc_space *space, const char *axis, double to)
{
    double values[64];
    size_t count = 0;
    for (double tile = 16; tile <= to; tile += 16)
        values[count++] = tile;
    return kc_space_numbers(space, axis, values, count);
}

static kc_space *space_of(kc_object *x)
{
    const char *device = "h100-sxm5";
    kc_space *space = kc_space_new(x);
    kc_status status = kc_space_texts(space, "device", &device, 1);
    status |= tiles(space, "tile.m", 256);
    status |= tiles(space, "tile.n", 256);
    status |= tiles(space, "tile.k", 128);
    status |= kc_space_numbers(space, "stages", (const double[]){ 2, 3, 4, 5, 6, 7 }, 6);
    status |= kc_space_numbers(space, "group", (const double[]){ 1, 2, 4, 8, 16, 32, 64, 132 }, 8);
    status |= kc_space_top(space, 1, "time");
    status |= kc_space_field(space, "time");
    if (status != KC_OK)
        printf("%s\n", kc_context_message(kc_object_context(x)));
    return space;
}

static double time_of(const kc_result *result)
{
    double time = 0;
    kc_result_number(result, KC_TIME, &time);
    return time;
}

static double swept_in(kc_space *space, unsigned threads, double *least)
{
    double start = now();
    kc_sweep *sweep = kc_space_sweep(space, threads, NULL, NULL);
    double seconds = now() - start;
    kc_sweep_number(sweep, 0, kc_sweep_axes(sweep), least);
    kc_release(sweep);
    return seconds;
}

static void run(const char *what, kc_object *x)
{
    kc_space *searched = space_of(x), *swept = space_of(x);
    double start = now(), least = 0;
    kc_result *found = kc_space_best(searched, NULL, NULL);
    double seconds = now() - start, one = swept_in(swept, 1, &least), all = swept_in(swept, 0, &least);
    printf("%-8s %7.0f points, %5.0f visited: %7.3f ms; swept by one thread %7.1f ms, %4.1f times as long; by all %7.1f ms, %4.1f; %s\n",
           what, kc_result_searched(found, NULL), kc_result_visited(found), 1e3 * seconds, 1e3 * one, one / seconds, 1e3 * all,
           all / seconds, time_of(found) == least ? "the same time" : "ANOTHER TIME");
    kc_release(found);
    kc_release(searched);
    kc_release(swept);
}

int main(void)
{
    kc_context *context = kc_context_new(NULL, NULL);
    kc_object *c = matmul(context);
    for (int i = 0; i < 3; i++)
        run("matmul", c);
    kc_release(c);
    kc_context_free(context);
    return 0;
}
