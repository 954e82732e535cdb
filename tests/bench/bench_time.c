/* bench_time.c: what counting and evaluating one tiled matmul costs, and what a point of a space and of a search does.
 *
 *     make bench, or bench_time.  The best of five runs; nothing is asserted. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <time.h>

#include "evaluator.h"

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

static double evaluations(kci_evaluator *e, int times)
{
    double best = 1;
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        for (int i = 0; i < times; i++)
            kci_evaluate(e);
        double each = (now() - start) / times;
        best = each < best ? each : best;
    }
    return best;
}

/* Every result of every point of tiles m, n and k, stages and raster groups: 98,304 of them. */
static double space(kci_evaluator *e, double *fit)
{
    static const double groups[] = {1, 2, 4, 8, 16, 32, 64, 132};
    double field[KC_FIELD_COUNT], points = 0, start = now();
    double *tile = e->tiling->tile; /* m, k, n */
    *fit = 0;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (int stages = 2; stages < 8; stages++)
            for (tile[0] = 16; tile[0] <= 256; tile[0] += 16)
                for (tile[2] = 16; tile[2] <= 256; tile[2] += 16)
                    for (tile[1] = 16; tile[1] <= 128; tile[1] += 16, points++) {
                        e->tiling->raster_group = groups[g];
                        e->tiling->stages = stages;
                        if (kci_evaluate(e) != KC_OK)
                            continue;
                        kci_evaluator_fields(e, field);
                        ++*fit;
                    }
    return (now() - start) / points;
}

static void evaluate(const kc_kernel *kernel, const kc_device *device)
{
    kci_evaluator *counts = kci_evaluator_new(kernel, NULL, NULL), *all = kci_evaluator_new(kernel, device, NULL);
    all->options.quiet = true;
    double fit, each = 1;
    printf("a tiled matmul: count %.0f ns, evaluate %.0f ns\n", evaluations(counts, TIMES) * 1e9,
           evaluations(all, TIMES) * 1e9);
    for (int run = 0; run < RUNS; run++) {
        double here = space(all, &fit);
        each = here < each ? here : each;
    }
    printf("98304 points of a space, all fields: %.0f ns a point, %.0f fit\n", each * 1e9, fit);
    kci_evaluator_free(counts);
    kci_evaluator_free(all);
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
    kc_schedule_raster(schedule, "m n", 8);
    kc_kernel *tiled = kc_tile((kc_object *)c, schedule);
    evaluate(tiled, device);
    search(c, device);
    void *const made[] = {schedule, tiled, c, device};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        kc_release(made[i]);
    kc_context_free(context);
    return 0;
}
