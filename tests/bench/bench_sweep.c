/* bench_sweep.c: how many points of a matmul's tiles a second, by threads, and how much memory that takes.
 *
 *     make bench, or bench_sweep.  Nothing is asserted. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "crew.h"
#include "kcost.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024 / 1e6;
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

/* Tiles from 16 by 8 up to 16 + 8 * (count - 1) in m and n, four of k, three stages. */
static kc_space *space_of(kc_tensor *c, size_t count, const char *where)
{
    static double tiles[4096];
    kc_space *space = kc_space_new((kc_object *)c);
    const char *device = "h100-sxm5";
    for (size_t i = 0; i < count; i++)
        tiles[i] = 16 + 8 * (double)i;
    kc_status status = kc_space_texts(space, "device", &device, 1);
    status |= kc_space_numbers(space, "tile.m", tiles, count);
    status |= kc_space_numbers(space, "tile.n", tiles, count);
    status |= kc_space_numbers(space, "tile.k", (const double[]){16, 32, 48, 64}, 4);
    status |= kc_space_numbers(space, "stages", (const double[]){2, 3, 4}, 3);
    status |= kc_space_top(space, 100, "time");
    if (where)
        status |= kc_space_where(space, where);
    if (status != KC_OK)
        printf("%s\n", kc_context_message(kc_object_context((kc_object *)c)));
    return space;
}

static void run(kc_tensor *c, const char *what, size_t count, const char *where, unsigned threads)
{
    kc_space *space = space_of(c, count, where);
    double start = now();
    kc_sweep *sweep = kc_space_sweep(space, threads, NULL, NULL);
    double seconds = now() - start, points = kc_sweep_points(sweep);
    printf("%-28s %9.0f points, %2u threads: %8.0f points/ms, %5.0f ns a point; %5.1f MB at most\n", what, points, threads,
           points / seconds / 1e3, 1e9 * seconds / points, peak_megabytes());
    kc_release(sweep);
    kc_release(space);
}

int main(void)
{
    kc_context *context = kc_context_new(NULL, NULL);
    kc_tensor *c = matmul(context);
    unsigned cores = kci_crew_cores();
    for (unsigned threads = 1; threads < 2 * cores; threads *= 2)
        run(c, "tiles, most of which fit", 24, NULL, threads < cores ? threads : cores);
    run(c, "tiles, few of which fit", 256, NULL, cores);
    run(c, "left out by their axes", 2048, "tile.m % 256 == 0 and tile.n % 256 == 0", cores);
    kc_release(c);
    kc_context_free(context);
    return 0;
}
