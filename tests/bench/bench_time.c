/* bench_time.c: what counting and timing one tiled matmul costs, and what a search costs a point.
 *
 *     make bench, or bench_time.  The best of five runs; nothing is asserted. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <time.h>

#include "count.h"
#include "device.h"
#include "kernel.h"
#include "share.h" /* and time.h, which <time.h> would hide */

enum { RUNS = 5, TIMES = 200000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static kc_tensor *matmul(kc_context *context)
{
    const kc_size sizes[] = {{"m", 4096}, {"n", 4096}, {"k", 4096}};
    kc_dtype *f16 = kc_dtype_named(context, "f16");
    kc_tensor *a = kc_tensor_new(context, "A", "m k", f16, sizes, 3);
    kc_tensor *b = kc_tensor_new(context, "B", "k n", f16, sizes, 3);
    kc_value *x = kc_read(a, NULL, NULL, 0, 1, 0), *y = kc_read(b, NULL, NULL, 0, 1, 0);
    kc_value *product = kc_matmul(x, y, "k", NULL, NULL, NULL);
    kc_tensor *c = kc_write("C", product, NULL, NULL, NULL, NULL, 0, 1);
    void *const made[] = {f16, a, b, x, y, product};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        kc_release(made[i]);
    return c;
}

static void evaluations(const kc_kernel *kernel, const kc_device *device)
{
    double sizes[KCI_MAX_LOOPS], best[2] = {1, 1};
    for (size_t i = 0; i < kernel->graph.loop_count; i++)
        sizes[i] = kernel->graph.loops[i].size;
    kci_plan *plan = kci_plan_new(&kernel->graph, kernel->tiling);
    const kci_time_options options = {.quiet = true};
    kci_row rows[8];
    kci_times times = {0};
    for (int run = 0; run < RUNS; run++) {
        const kci_counts *counts = NULL;
        double start = now();
        for (int i = 0; i < TIMES; i++)
            counts = kci_plan_count(plan, sizes, NULL);
        double middle = now();
        for (int i = 0; i < TIMES; i++) {
            for (size_t t = 0; t < kernel->graph.tensor_count; t++)
                rows[t] = counts->rows[t];
            kci_time(&kernel->graph, kernel->tiling, counts, sizes, device, &options, rows, &times, NULL);
        }
        double each[2] = {(middle - start) / TIMES, (now() - middle) / TIMES};
        for (int i = 0; i < 2; i++)
            best[i] = each[i] < best[i] ? each[i] : best[i];
    }
    printf("a tiled matmul: count %.0f ns, time %.0f ns\n", best[0] * 1e9, best[1] * 1e9);
    kci_plan_free(plan);
}

static void search(kc_tensor *c, const kc_device *device)
{
    double best = 1, points = 0;
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        kc_result *r = kc_best((kc_object *)c, device, NULL);
        double each = now() - start;
        points = kc_result_searched(r, NULL);
        best = each < best ? each : best;
        kc_release(r);
    }
    printf("kc_best: %.0f us, %.0f points, %.0f ns a point\n", best * 1e6, points, best / points * 1e9);
}

int main(void)
{
    kc_context *context = kc_context_new(NULL, NULL);
    kc_device *device = kc_device_named(context, "h100-sxm5");
    kc_tensor *c = matmul(context);
    kc_schedule *schedule = kc_schedule_new(context);
    kc_schedule_tile(schedule, "m", 128);
    kc_schedule_tile(schedule, "n", 128);
    kc_schedule_tile(schedule, "k", 64);
    kc_kernel *tiled = kc_tile((kc_object *)c, schedule);
    evaluations(tiled, device);
    search(c, device);
    void *const made[] = {schedule, tiled, c, device};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        kc_release(made[i]);
    kc_context_free(context);
    return 0;
}
