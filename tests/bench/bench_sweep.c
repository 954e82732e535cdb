/* bench_sweep.c: a matmul swept by one thread and by two; the memory that a long sweep takes.
 *
 *     bench_sweep threads | memory | long */
#define _POSIX_C_SOURCE 200809L

#include <sys/resource.h>

#include "measure.h"

enum { TILES = 256 };

/* How many values an axis has: tiles of m and n 8, 16, …, of k 16, 32, …, stages 2, 3, …, groups
 * 1, 2, …, warps 4, 8, … */
typedef struct extent {
    size_t mn, k, stages, groups, warps;
} extent;

static kc_status add(kc_space *space, const char *axis, double first, double step, size_t count)
{
    double values[TILES];
    for (size_t i = 0; i < count; i++)
        values[i] = first + step * (double)i;
    return kc_space_numbers(space, axis, values, count);
}

static kc_space *space_of(kc_context *context, kc_object *x, extent e)
{
    const char *device = "h100-sxm5";
    kc_space *space = kc_space_new(x);
    kc_status status = kc_space_texts(space, "device", &device, 1);
    status |= add(space, "tile.m", 8, 8, e.mn);
    status |= add(space, "tile.n", 8, 8, e.mn);
    status |= add(space, "tile.k", 16, 16, e.k);
    status |= add(space, "stages", 2, 1, e.stages);
    status |= add(space, "group", 1, 1, e.groups);
    status |= add(space, "warps", 4, 4, e.warps);
    status |= kc_space_top(space, 100, "time");
    want(context, status == KC_OK);
    return space;
}

/* ns a point, the best 100 kept. */
static double swept(kc_context *context, kc_object *x, extent e, unsigned threads)
{
    kc_space *space = space_of(context, x, e);
    double start = wall();
    kc_sweep *sweep = kc_space_sweep(space, threads, NULL, NULL);
    double seconds = wall() - start;
    want(context, sweep != NULL);
    double points = kc_sweep_points(sweep);
    kc_release(sweep);
    kc_release(space);
    return 1e9 * seconds / points;
}

/* One thread and two by turns, so that what else the machine does meets both. */
static void threads(kc_context *context, kc_object *x)
{
    const extent e = is_quick() ? (extent){16, 4, 2, 2, 1} : (extent){32, 4, 4, 4, 1};
    double best[2] = {1e300, 1e300};
    for (int run = 0; run < (is_quick() ? 1 : 8); run++)
        for (unsigned t = 1; t <= 2; t++) {
            double each = swept(context, x, e, t);
            best[t - 1] = each < best[t - 1] ? each : best[t - 1];
        }
    row("1 thread", best[0]);
    row("2 threads", best[1]);
}

/* MB at most, of the whole process. */
static double peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024 / 1e6;
}

static void memory(kc_context *context, kc_object *x, const char *points, extent e)
{
    char name[64];
    double before = peak(), each = swept(context, x, e, 0);
    row("before the first point", before);
    snprintf(name, sizeof name, "%s points", points);
    row(name, peak());
    snprintf(name, sizeof name, "%s points, all cores", points);
    row(name, each);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "threads";
    kc_context *context = kc_context_new(NULL, NULL);
    kc_object *c = matmul(context);
    if (strcmp(what, "threads") == 0)
        threads(context, c);
    else if (strcmp(what, "memory") == 0)
        memory(context, c, "10^7",
               is_quick() ? (extent){16, 4, 2, 2, 1} : (extent){TILES, 8, 5, 4, 1});
    else
        memory(context, c, "10^9", (extent){TILES, 64, 6, 8, 5});
    kc_release(c);
    kc_context_free(context);
    return 0;
}
