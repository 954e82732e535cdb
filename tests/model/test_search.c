/* test_search.c: the fastest point of a space is that of the exhaustive sweep, and no bound is above a point of its box.
 *
 * KCOST_RANDOM: how many spaces; KCOST_SEED: the first seed; KCOST_SHOWN: failures that are shown. */
#include "workbench.h"

#include "bounds.h"
#include "random_kernel.h"
#include "schedule.h"
#include "sweep.h"

static const char *const devices[] = { "a100-sxm4-80gb", "h100-sxm5", "mi300x", "b200", "l4" };
enum { DEVICES = sizeof devices / sizeof *devices };

/* ---- kernels that take longer than their launch ------------------------------------------------ */

static kc_tensor *matmul_of_sizes(void)
{
    char a[64], b[64];
    double m = chance(1, 3000), n = chance(1, 3000), k = chance(1, 3000);
    const char *dtype = one_in(4) ? "f32" : one_in(4) ? "f64" : one_in(3) ? "f8" : "f16";
    snprintf(a, sizeof a, "m=%.0f k=%.0f", m, k);
    snprintf(b, sizeof b, "k=%.0f n=%.0f", k, n);
    kc_value *product = matmul(read_of(tensor("A", a, dtype)), read_of(tensor("B", b, dtype)), NULL);
    return write_of("C", one_in(2) ? product : map1(one_in(2) ? "gelu" : "relu", product));
}

static kc_tensor *rows_of_sizes(void)
{
    char dims[64];
    snprintf(dims, sizeof dims, "i=%.0f j=%.0f", chance(1, 5000), chance(1, 5000));
    kc_value *x = read_of(tensor("X", dims, "f16"));
    return write_of("Y", one_in(2) ? map1("silu", x) : one_in(2) ? reduce("sum", x, "j") : softmax(x, "j", one_in(2)));
}

static kc_kernel *attention_of_sizes(void)
{
    double i = chance(1, 2000), j = chance(1, 2000), h = chance(1, 40), d = one_in(2) ? 64 : 128;
    char q[64], k[64], v[64];
    snprintf(q, sizeof q, "h=%.0f i=%.0f d=%.0f", h, i, d);
    snprintf(k, sizeof k, "h=%.0f j=%.0f d=%.0f", h, j, d);
    snprintf(v, sizeof v, "h=%.0f j=%.0f e=%.0f", h, j, d);
    return attention_of(q, k, v).flash;
}

/* The kernel under a schedule that only its axes will vary; itself where there is none such. */
static kc_kernel *scheduled(kc_kernel *kernel)
{
    const kci_graph *graph = &kernel->graph;
    kc_schedule *s = keep(kc_schedule_new(context));
    for (size_t l = 0; l < graph->loop_count; l++) {
        const char *dim = kci_name(context, graph->loops[l].name);
        kc_schedule_tile(s, dim, pow(2, chance(2, 7)));
        if (one_in(6))
            kc_schedule_cluster(s, dim, 2);
    }
    if (one_in(2))
        kc_schedule_persistent(s, 1);
    if (one_in(3))
        kc_schedule_overlap(s, one_in(2) ? "all" : "none");
    if (one_in(3))
        kc_schedule_threads(s, 128 * chance(1, 4));
    if (one_in(3))
        kc_schedule_split(s, kci_name(context, graph->loops[(size_t)chance(0, (double)graph->loop_count - 1)].name),
                          one_in(2) ? 0 : chance(2, 8)); /* 0: stream-K; refused where nothing reduces the dim */
    kc_kernel *made = kc_tile(object(kernel), s);
    return made ? made : kc_retain(kernel);
}

/* A new reference; NULL: nothing came of the seed. */
static kc_kernel *any_kernel(uint64_t seed)
{
    kc_kernel *kernel;
    switch ((int)chance(0, 5)) {
    case 0:
    case 1: kernel = kc_retain(kernel_of(matmul_of_sizes())); break;
    case 2: kernel = kc_retain(kernel_of(rows_of_sizes())); break;
    case 3: kernel = kc_retain(attention_of_sizes()); break;
    default: kernel = random_kernel(context, seed); break;
    }
    if (!kernel || (kernel->member_count == 0 && kernel->tiling) || kernel->graph.loop_count == 0)
        return kernel;
    kc_kernel *made = kernel->member_count == 0 && one_in(2) ? scheduled(kernel) : NULL;
    if (made || kernel->member_count) {
        kc_release(kernel);
        return made;
    }
    return kernel;
}

static double tile_of(double size)
{
    if (one_in(2))
        return pow(2, chance(0, 9));
    return one_in(3) ? 16 * chance(1, 16) : chance(1, size + 1);
}

/* ---- spaces -------------------------------------------------------------------------------------- */

static bool random_axes(kc_space *space, const kc_kernel *kernel)
{
    const kci_graph *graph = &kernel->graph;
    bool ok = true;
    for (size_t l = 0; l < graph->loop_count && ok; l++) {
        char axis[64];
        double values[5], size = graph->loops[l].size;
        for (int i = 0; i < 5; i++)
            values[i] = tile_of(size);
        snprintf(axis, sizeof axis, "tile.%s", kci_name(context, graph->loops[l].name));
        if (size > 128 || one_in(2)) /* a dim without a tile is whole, and seldom fits */
            ok = kc_space_numbers(space, axis, values, (size_t)chance(1, 5)) == KC_OK;
        snprintf(axis, sizeof axis, "split.%s", kci_name(context, graph->loops[l].name));
        if (ok && one_in(4)) /* refused where nothing reduces the dim: then it is left out */
            kc_space_numbers(space, axis, (double[]){ 1, 2, 8 }, 3);
        snprintf(axis, sizeof axis, "size.%s", kci_name(context, graph->loops[l].name));
        if (ok && one_in(12))
            ok = kc_space_numbers(space, axis, (double[]){ size, size + chance(1, 40) }, 2) == KC_OK;
    }
    if (one_in(2))
        ok = ok && kc_space_numbers(space, "stages", (double[]){ 3, 1, 2, 4 }, 4) == KC_OK;
    if (one_in(3))
        ok = ok && kc_space_numbers(space, "warps", (double[]){ 4, 1, 8 }, 3) == KC_OK;
    if (one_in(2))
        ok = ok && kc_space_numbers(space, "group", (double[]){ 1, 4, 16 }, 3) == KC_OK;
    if (one_in(8))
        ok = ok && kc_space_numbers(space, "hbm.bandwidth", (double[]){ 1e12, 3e12 }, 2) == KC_OK;
    if (one_in(6))
        ok = ok && kc_space_where(space, one_in(2) ? "smem <= 64*1024" : "time > 0 and ctas > 1") == KC_OK;
    return ok;
}

static kc_options *random_options(void)
{
    kc_options *options = kc_options_new(context);
    if (one_in(3))
        kc_options_set(options, "l2", 0);
    if (one_in(3))
        kc_options_set_text(options, "cache", "warm");
    if (one_in(3))
        kc_options_set_text(options, "launch", "none");
    return options;
}

/* A random space is the same one for the same seed. */
static kc_space *random_space(uint64_t seed)
{
    chance_state = (2 * seed + 1) * 0x9E3779B97F4A7C15u; /* a small state begins with small numbers */
    kc_kernel *kernel = any_kernel(seed);
    if (!kernel)
        return NULL;
    kc_object *x = one_in(6) ? (kc_object *)(void *)kc_times(object(kernel), 3) : kc_retain(kernel);
    kc_space *space = kc_space_new(x);
    kc_options *options = one_in(4) ? random_options() : NULL;
    size_t first = (size_t)chance(0, DEVICES - 2);
    bool good = space && kc_space_texts(space, "device", devices + first, one_in(6) ? 2 : 1) == KC_OK &&
                kc_space_options(space, options) == KC_OK && random_axes(space, kernel) &&
                kc_space_top(space, 1, "time") == KC_OK && kc_space_points(space) > 1 && kc_space_points(space) <= 3000;
    kc_release(options);
    kc_release(x);
    kc_release(kernel);
    if (good)
        return space;
    kc_release(space);
    return NULL;
}

typedef struct tally {
    double spaces, points, visited, none;
} tally;

static size_t compare(uint64_t seed, tally *t)
{
    kc_space *space = random_space(seed);
    if (!space)
        return 0;
    kc_result *found = kc_space_best(space, NULL, NULL);
    kc_status status = found ? KC_OK : kc_context_status(context);
    kc_sweep *sweep = kc_space_sweep(space, 1, NULL, NULL);
    if (!sweep) { /* `where` asks for what does not apply */
        kc_release(found);
        kc_release(space);
        return 0;
    }
    double swept = NAN, time = NAN;
    size_t at, column = kc_sweep_axes(sweep);
    bool any = kc_sweep_best(sweep, &at) == KC_OK, same = any == (found != NULL);
    while (strcmp(kc_sweep_column(sweep, column), "time") != 0)
        column++;
    if (any && found) {
        kc_object *kernel = kc_result_best(found), *other = kc_sweep_object(sweep, kc_sweep_point(sweep, at), NULL);
        kc_result_number(found, KC_TIME, &time);
        kc_sweep_number(sweep, at, column, &swept);
        same = time == swept && strcmp(kc_object_text(kernel), kc_object_text(other)) == 0;
        kc_release(kernel);
        kc_release(other);
    } else if (!any && !found) {
        same = status == KC_EDEVICE || status == KC_EARGUMENT;
    }
    if (!same)
        print_error("seed %llu: %s of %.0f points: %.17g s, the sweep's %.17g s\n", (unsigned long long)seed,
                    kc_sweep_name(sweep), kc_sweep_points(sweep), time, swept);
    t->spaces++;
    t->none += !any;
    t->points += kc_sweep_points(sweep);
    t->visited += found ? kc_result_visited(found) : kc_sweep_points(sweep);
    kc_release(found);
    kc_release(sweep);
    kc_release(space);
    return !same;
}

TEST(the_fastest_point_of_a_random_space_is_that_of_the_sweep)
{
    tally t = { 0, 0, 0, 0 };
    size_t wrong = 0, shown = (size_t)environment_number("KCOST_SHOWN", 5);
    uint64_t seed = (uint64_t)environment_number("KCOST_SEED", 1);
    double spaces = environment_number("KCOST_RANDOM", 1000);
    while (t.spaces < spaces && wrong < shown) {
        wrong += compare(seed++, &t);
        drop_kept();
    }
    print_message("%.0f spaces (%.0f where nothing runs): %.0f of %.0f points visited\n", t.spaces, t.none, t.visited, t.points);
    assert_int_equal(wrong, 0);
    assert_true(t.visited < t.points);
}

/* ---- bounds ----------------------------------------------------------------------------------------- */

static double between(double a, double b)
{
    return a < b ? chance(a, b) : a;
}

/* A random point of the box. */
static void draw_point(const kci_evaluator *e, const kci_tiling *least, const kci_tiling *most)
{
    kci_tiling *to = e->tiling;
    for (size_t l = 0; l < e->graph.loop_count; l++) {
        to->tile[l] = one_in(3) ? least->tile[l] : one_in(2) ? most->tile[l] : between(least->tile[l], most->tile[l]);
        to->split[l] = between(least->split[l], most->split[l]);
    }
    to->stages = between(least->stages, most->stages);
    to->warps = between(least->warps, most->warps);
    to->raster_group = chance(0, 20);
}

/* Least and greatest numbers, some loops with one tile only. */
static void draw_box(const kci_evaluator *e, kci_tiling *least, kci_tiling *most)
{
    *least = *most = *e->tiling;
    bool narrow = one_in(3), one = one_in(3);
    for (size_t l = 0; l < e->graph.loop_count; l++) {
        double size = e->sizes[l], a = tile_of(size), b = one ? a : narrow ? a + chance(0, 3) : tile_of(size);
        least->tile[l] = fmin(a, b);
        most->tile[l] = fmax(a, b);
        if (least->split[l] > 1 && !one)
            most->split[l] = least->split[l] + chance(0, 3);
    }
    least->stages = chance(1, 4);
    most->stages = least->stages + (one_in(2) ? 0 : chance(0, 3));
    if (least->warps > 0 && one_in(2))
        most->warps = least->warps * 2;
}

typedef struct bounds {
    double boxes, above_zero, close, none;
} bounds;

static size_t bound_of_box(kci_evaluator *e, bounds *n, uint64_t seed)
{
    kci_tiling least, most;
    draw_box(e, &least, &most);
    double true_least = INFINITY;
    for (int i = 0; i < 24; i++) {
        draw_point(e, &least, &most);
        if (kci_evaluate(e) == KC_OK)
            true_least = fmin(true_least, e->times.time);
    }
    *e->tiling = least;
    double bound = kci_least_time(e, &most, INFINITY), early = kci_least_time(e, &most, 0);
    bool wrong = bound * (1 - KCI_ROUNDING) > true_least || early > bound;
    n->boxes++;
    n->above_zero += bound > 0;
    n->close += isfinite(bound) && bound > true_least / 2;
    n->none += isinf(bound);
    if (wrong)
        print_error("seed %llu: %s on %s: bound %.17g s, a point takes %.17g s\n", (unsigned long long)seed,
                    kci_name(context, e->graph.loops[0].name), kci_device_name(e->device), bound, true_least);
    return wrong;
}

static size_t bounds_of_kernel(uint64_t seed, bounds *n)
{
    chance_state = (2 * seed + 1) * 0x9E3779B97F4A7C15u; /* a small state begins with small numbers */
    kc_kernel *kernel = any_kernel(seed);
    kc_kernel *made = !kernel ? NULL : kernel->tiling ? kc_retain(kernel) : scheduled(kernel);
    kc_device *device = kc_device_named(context, devices[(size_t)chance(0, DEVICES - 1)]);
    kc_options *options = one_in(3) ? random_options() : NULL;
    kci_evaluator *e = made && made->tiling ? kci_evaluator_new(made, device, options) : NULL;
    size_t wrong = 0;
    if (e)
        e->options.quiet = e->options.no_serial = true;
    for (int i = 0; e && i < 6; i++)
        wrong += bound_of_box(e, n, seed);
    kci_evaluator_free(e);
    kc_release(options);
    kc_release(device);
    kc_release(made);
    kc_release(kernel);
    return wrong;
}

TEST(no_bound_is_above_a_point_of_its_box)
{
    bounds n = { 0, 0, 0, 0 };
    size_t wrong = 0, shown = (size_t)environment_number("KCOST_SHOWN", 5);
    uint64_t first = (uint64_t)environment_number("KCOST_SEED", 1);
    uint64_t last = first + (uint64_t)environment_number("KCOST_RANDOM", 4000);
    for (uint64_t seed = first; seed < last && wrong < shown; seed++) {
        wrong += bounds_of_kernel(seed, &n);
        drop_kept();
    }
    print_message("%.0f boxes: %.0f with a bound, %.0f within a factor of two, %.0f where nothing runs\n", n.boxes, n.above_zero,
                  n.close, n.none);
    assert_int_equal(wrong, 0);
    assert_true(n.close > 0 && n.none > 0);
}

/* ---- a space too large to sweep ---------------------------------------------------------------------- */

/* 64 tiles of each dim, 8 stages, 10 warps, 32 groups, 2 splits: 1.3e9 points. */
static kc_space *vast_space(void)
{
    double steps[64];
    for (int i = 0; i < 64; i++)
        steps[i] = i + 1;
    kc_value *a = read_of(tensor("A", "m=8192 k=8192", "f16")), *b = read_of(tensor("B", "k=8192 n=8192", "f16"));
    kc_space *space = keep(kc_space_new(object(write_of("C", matmul(a, b, NULL)))));
    const char *device = "h100-sxm5";
    kc_status status = kc_space_texts(space, "device", &device, 1) | kc_space_numbers(space, "stages", steps, 8) |
                       kc_space_numbers(space, "group", steps, 32) | kc_space_numbers(space, "split.k", steps, 2) |
                       kc_space_numbers(space, "warps", (const double[]){ 1, 2, 3, 4, 6, 8, 12, 16, 24, 32 }, 10);
    for (int i = 0; i < 64; i++)
        steps[i] *= 8;
    status |= kc_space_numbers(space, "tile.m", steps, 64) | kc_space_numbers(space, "tile.n", steps, 64) |
              kc_space_numbers(space, "tile.k", steps, 64);
    assert_int_equal(status, KC_OK);
    return space;
}

TEST(no_part_of_a_vast_space_has_a_faster_point_than_the_search)
{
    enum { PARTS = 400000 };
    double least, time;
    kc_result *found = keep(kc_space_best(vast_space(), NULL, NULL));
    assert_non_null(found);
    assert_number(kc_result_searched(found, NULL), 1342177280);
    kc_result_number(found, KC_TIME, &least);
    for (int i = 0; i < 4; i++) {
        kc_space *part = vast_space();
        kc_status status = kc_space_shard(part, (unsigned)chance(1, PARTS), PARTS) | kc_space_top(part, 1, "time") |
                           kc_space_field(part, "time");
        assert_int_equal(status, KC_OK);
        kc_sweep *sweep = keep(kc_space_sweep(part, 1, NULL, NULL));
        assert_non_null(sweep);
        if (kc_sweep_rows(sweep) && kc_sweep_number(sweep, 0, kc_sweep_axes(sweep), &time) == KC_OK)
            assert_true(time >= least);
        assert_true(kc_sweep_points(sweep) > 0);
    }
}

/* ---- what a search says ------------------------------------------------------------------------------ */

static kc_space *small_space(bool timed)
{
    kc_tensor *a = tensor("A", "m=512 k=256", "f16"), *b = tensor("B", "k=256 n=384", "f16");
    kc_space *space = keep(kc_space_new(object(write_of("C", matmul(read_of(a), read_of(b), NULL)))));
    kc_status status = timed ? kc_space_texts(space, "device", devices, 2) : KC_OK;
    status |= kc_space_numbers(space, "tile.m n", (const double[]){ 32, 64, 128 }, 3);
    status |= kc_space_numbers(space, "tile.k", (const double[]){ 32, 64 }, 2);
    status |= kc_space_numbers(space, "stages", (const double[]){ 2, 3, 4 }, 3);
    assert_int_equal(status, KC_OK);
    return space;
}

TEST(all_points_are_visited_or_cut_and_the_best_kernel_is_tiled)
{
    kc_result *found = keep(kc_space_best(small_space(true), NULL, NULL));
    double rejected = -1;
    assert_number(kc_result_searched(found, &rejected), 36);
    assert_number(rejected, 0);
    assert_true(kc_result_visited(found) >= 1 && kc_result_visited(found) < 36);
    kc_kernel *kernel = keep(kc_result_best(found));
    assert_non_null(kernel->tiling);
}

TEST(a_search_leaves_what_a_sweep_of_the_space_keeps)
{
    kc_space *space = small_space(true);
    assert_non_null(keep(kc_space_best(space, NULL, NULL)));
    kc_sweep *sweep = keep(kc_space_sweep(space, 1, NULL, NULL));
    assert_int_equal(kc_sweep_rows(sweep), 36);
    kc_result *after = keep(kc_space_best(space, NULL, NULL)); /* a swept space is searched too */
    assert_non_null(after);
}

TEST(a_space_without_a_device_has_no_fastest_point)
{
    assert_null(kc_space_best(small_space(false), NULL, NULL));
    assert_text(kc_context_message(context), "best: no device");
}

static kc_result *best_where(const char *where)
{
    kc_space *space = small_space(true);
    assert_int_equal(kc_space_where(space, where), KC_OK);
    return kc_space_best(space, NULL, NULL);
}

TEST(a_space_of_which_where_leaves_nothing_is_an_error)
{
    assert_null(best_where("tile.m > 128"));
    assert_text(kc_context_message(context), "best: where leaves none of the 36 points of the space");
    assert_null(best_where("10 / (tile.m - tile.m) > 1"));
    assert_contains(kc_context_message(context), "best: where: ");
    assert_contains(kc_context_message(context), " at point ");
}

static int stop(void *data, double done, double points)
{
    *(double *)data = done / points;
    return done > 0;
}

TEST(a_watch_ends_a_search)
{
    kc_space *space = keep(kc_space_new(object(matmul_of_sizes())));
    double tiles[400], share = -1;
    for (int i = 0; i < 400; i++)
        tiles[i] = i + 1;
    kc_status status = kc_space_texts(space, "device", devices, 1) | kc_space_numbers(space, "tile.m", tiles, 400) |
                       kc_space_numbers(space, "tile.n", tiles, 400) | kc_space_numbers(space, "tile.k", tiles, 400) |
                       kc_space_where(space, "tile.m < 1"); /* none is found, so no bound cuts the rest */
    assert_int_equal(status, KC_OK);
    assert_null(kc_space_best(space, stop, &share));
    assert_int_equal(kc_context_status(context), KC_ELIMIT);
    assert_contains(kc_context_message(context), "best: interrupted after ");
    assert_true(share > 0 && share < 1);
}

/* Ends at the first look after something was settled; a look never goes back. */
typedef struct looks {
    double count, done, points, end_at;
} looks;

static int look(void *data, double done, double points)
{
    looks *l = data;
    l->count++;
    assert_true(done >= l->done && done <= points);
    l->done = done;
    l->points = points;
    return l->end_at > 0 && done >= l->end_at;
}

static kc_space *large_space(void)
{
    kc_tensor *a = tensor("A", "m=1600 k=1600", "f16"), *b = tensor("B", "k=1600 n=1600", "f16");
    kc_space *space = keep(kc_space_new(object(write_of("C", matmul(read_of(a), read_of(b), NULL)))));
    double tiles[200];
    for (int i = 0; i < 200; i++)
        tiles[i] = 8 * (i + 1);
    kc_status status = kc_space_texts(space, "device", devices, 1) | kc_space_numbers(space, "tile.m", tiles, 200) |
                       kc_space_numbers(space, "tile.n", tiles, 200) | kc_space_numbers(space, "tile.k", tiles, 200);
    assert_int_equal(status, KC_OK);
    return space;
}

TEST(a_search_that_the_watch_ends_gives_the_best_so_far_and_says_so)
{
    looks all = { 0 }, some = { .end_at = 1 };
    kc_result *whole = keep(kc_space_best(large_space(), look, &all));
    assert_false(kc_result_interrupted(whole));
    assert_number(all.done, 8e6);
    assert_number(all.points, 8e6);
    assert_true(all.count > 3);
    kc_result *part = keep(kc_space_best(large_space(), look, &some));
    assert_true(kc_result_interrupted(part));
    double rejected, settled = kc_result_searched(part, &rejected), time = 0, best = 0;
    assert_number(settled, some.done);
    assert_true(settled > 0 && settled < 8e6);
    assert_int_equal(kc_result_number(part, KC_TIME, &time) | kc_result_number(whole, KC_TIME, &best), KC_OK);
    assert_true(time >= best);
    assert_contains(kc_result_note(part, kc_result_notes(part) - 1), "partial: the search was interrupted after ");
}

int main(void)
{
    const struct CMUnitTest facts[] = {
        fact(the_fastest_point_of_a_random_space_is_that_of_the_sweep),
        fact(no_bound_is_above_a_point_of_its_box),
        fact(no_part_of_a_vast_space_has_a_faster_point_than_the_search),
        fact(all_points_are_visited_or_cut_and_the_best_kernel_is_tiled),
        fact(a_search_leaves_what_a_sweep_of_the_space_keeps),
        fact(a_space_without_a_device_has_no_fastest_point),
        fact(a_space_of_which_where_leaves_nothing_is_an_error),
        fact(a_watch_ends_a_search),
        fact(a_search_that_the_watch_ends_gives_the_best_so_far_and_says_so),
    };
    return run(facts);
}
