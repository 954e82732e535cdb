/* test_sweep.c: sweeping a space: every row is what evaluate says of its point, however many threads ran. */
#include <pthread.h>

#include "workbench.h"

#include "random_kernel.h"
#include "sweep.h"

static kc_space *space_of(void *x)
{
    return keep(kc_space_new(object(x)));
}

static void numbers(kc_space *space, const char *axis, size_t count, ...)
{
    double values[16];
    va_list list;
    va_start(list, count);
    for (size_t i = 0; i < count; i++)
        values[i] = va_arg(list, int);
    va_end(list);
    assert_int_equal(kc_space_numbers(space, axis, values, count), KC_OK);
}

static void device(kc_space *space, const char *name)
{
    assert_int_equal(kc_space_texts(space, "device", &name, 1), KC_OK);
}

static kc_sweep *sweep_in(kc_space *space, unsigned threads)
{
    return keep(kc_space_sweep(space, threads, NULL, NULL));
}

static kc_tensor *small_matmul(void)
{
    kc_tensor *a = tensor("A", "m=512 k=256", "f16"), *b = tensor("B", "k=256 n=384", "f16");
    return write_of("C", matmul(read_of(a), read_of(b), NULL));
}

static kc_space *matmul_space(void)
{
    kc_space *space = space_of(small_matmul());
    device(space, "a100-sxm4-80gb");
    device(space, "h100-sxm5");
    numbers(space, "tile.m", 3, 32, 64, 128);
    numbers(space, "tile.n", 3, 32, 64, 128);
    numbers(space, "tile.k", 2, 32, 64);
    numbers(space, "stages", 3, 1, 2, 3);
    return space;
}

static size_t column_of(const kc_sweep *sweep, const char *name)
{
    size_t c = 0;
    while (c < kc_sweep_columns(sweep) && strcmp(kc_sweep_column(sweep, c), name) != 0)
        c++;
    assert_true(c < kc_sweep_columns(sweep));
    return c;
}

static double cell(const kc_sweep *sweep, size_t row, const char *name)
{
    double value = NAN;
    assert_int_equal(kc_sweep_number(sweep, row, column_of(sweep, name), &value), KC_OK);
    return value;
}

/* ---- rows are what evaluate says ----------------------------------------------------------------- */

static void all_fields(kc_space *space)
{
    for (size_t f = 0; f < KCI_POINT_FIELDS; f++)
        assert_int_equal(kc_space_field(space, kci_point_field_name(f)), KC_OK);
}

/* Every field of the row, to the last bit; how many differ. */
static size_t differences(const kc_sweep *sweep, size_t row, const kc_result *result)
{
    size_t count = 0;
    for (size_t f = 0; f < KCI_POINT_FIELDS; f++) {
        size_t column = column_of(sweep, kci_point_field_name(f));
        double want = NAN, got = NAN;
        bool same;
        if (f < KC_FIELD_COUNT) {
            same = kc_result_number(result, (kc_field)f, &want) == kc_sweep_number(sweep, row, column, &got) &&
                   (got == want || (isnan(got) && isnan(want)));
        } else {
            const char *text = kc_sweep_text(sweep, row, column);
            const char *said = f == KCI_COLUMN_BOUND ? kc_result_bound(result) : kc_result_class(result);
            same = (!text && !said) || (text && said && strcmp(text, said) == 0);
        }
        if (!same)
            print_error("point %.0f: %s is %.17g in the sweep, %.17g evaluated\n", kc_sweep_point(sweep, row),
                        kci_point_field_name(f), got, want);
        count += !same;
    }
    return count;
}

static kc_result *asked(const kc_sweep *sweep, double point)
{
    kc_device *on = NULL;
    kc_object *x = kc_sweep_object(sweep, point, &on);
    kc_result *result = !x ? NULL : on ? kc_evaluate(x, on, NULL) : kc_count(x, NULL);
    kc_release(x);
    kc_release(on);
    return result;
}

/* Rows and rejected points against evaluate; how many rows were compared. */
static size_t compare(const kc_sweep *sweep)
{
    size_t row = 0, wrong = 0;
    for (double point = 0; point < kc_sweep_points(sweep); point++) {
        kc_result *result = asked(sweep, point);
        bool here = row < kc_sweep_rows(sweep) && kc_sweep_point(sweep, row) == point;
        if (here != (result != NULL)) {
            print_error("point %.0f %s in the sweep, and %s: %s\n", point, here ? "is" : "is not", result ? "evaluates" : "does not",
                        result ? "" : kc_context_message(context));
            wrong++;
        } else if (here) {
            wrong += differences(sweep, row, result);
        }
        row += here;
        kc_release(result);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(row, kc_sweep_rows(sweep));
    return row;
}

/* Axes by chance, on dims that the kernel has; false: what was drawn is refused. */
static bool random_axes(kc_space *space, const kc_kernel *kernel, bool sizes)
{
    const kci_graph *graph = &kernel->graph;
    bool ok = true;
    for (size_t l = 0; l < graph->loop_count && ok; l++) {
        char axis[64];
        double values[3], size = graph->loops[l].size;
        for (int i = 0; i < 3; i++)
            values[i] = chance(1, size + 1);
        snprintf(axis, sizeof axis, "tile.%s", kci_name(context, graph->loops[l].name));
        if (one_in(2))
            ok = kc_space_numbers(space, axis, values, 2) == KC_OK;
        snprintf(axis, sizeof axis, "split.%s", kci_name(context, graph->loops[l].name));
        if (ok && one_in(4)) /* refused where nothing reduces the dim: then it is left out */
            kc_space_numbers(space, axis, (double[]){ 1, 2 }, 2);
        values[0] = size;
        values[1] = size + chance(1, 3);
        snprintf(axis, sizeof axis, "size.%s", kci_name(context, graph->loops[l].name));
        if (ok && sizes && one_in(3))
            ok = kc_space_numbers(space, axis, values, 2) == KC_OK;
    }
    if (one_in(2))
        ok = ok && kc_space_numbers(space, "stages", (double[]){ 1, 2, 3 }, 3) == KC_OK;
    if (one_in(3))
        ok = ok && kc_space_numbers(space, "warps", (double[]){ 4, 8 }, 2) == KC_OK;
    if (one_in(3))
        ok = ok && kc_space_numbers(space, "group", (double[]){ 1, 2 }, 2) == KC_OK;
    if (one_in(3))
        ok = ok && kc_space_numbers(space, "hbm.bandwidth", (double[]){ 1e12, 3e12 }, 2) == KC_OK;
    return ok;
}

static size_t random_case(uint64_t seed)
{
    chance_state = 2 * seed + 1;
    kc_kernel *kernel = random_kernel(context, seed);
    if (!kernel)
        return 0;
    kc_object *x = one_in(4) ? (kc_object *)(void *)kc_times(object(kernel), 3) : kc_retain(kernel);
    kc_space *space = kc_space_new(x);
    size_t rows = 0;
    if (space && kc_space_texts(space, "device", (const char *[]){ "a100-sxm4-80gb", "mi300x" }, 1 + one_in(2)) == KC_OK &&
        random_axes(space, kernel, one_in(2)) && kc_space_points(space) > 0 && kc_space_points(space) <= 1500) {
        all_fields(space);
        kc_sweep *sweep = kc_space_sweep(space, seed % 2 ? 1 : 3, NULL, NULL);
        if (!sweep)
            print_error("seed %llu: %s\n", (unsigned long long)seed, kc_context_message(context));
        assert_non_null(sweep);
        rows = compare(sweep);
        kc_release(sweep);
    }
    kc_release(space);
    kc_release(x);
    kc_release(kernel);
    return rows;
}

TEST(every_row_of_a_random_sweep_is_what_evaluate_says)
{
    size_t rows = 0;
    for (int i = 0; i < (int)environment_number("KCOST_RANDOM", 150); i++)
        rows += random_case((uint64_t)environment_number("KCOST_SEED", 1) + (uint64_t)i);
    print_message("%zu rows\n", rows);
    assert_true(rows > 0);
}

TEST(threads_change_nothing)
{
    kc_space *one = matmul_space(), *many = matmul_space();
    assert_text(kc_json(object(sweep_in(many, 7))), kc_json(object(sweep_in(one, 1))));
}

/* The serial sum is left out where nobody asks for it. */
TEST(fields_are_the_same_whichever_are_asked_for)
{
    kc_space *few = matmul_space(), *all = matmul_space(), *asking = matmul_space();
    all_fields(all);
    assert_int_equal(kc_space_where(asking, "serial_time > 2 * time"), KC_OK);
    kc_sweep *a = sweep_in(few, 1), *b = sweep_in(all, 1), *c = sweep_in(asking, 1);
    size_t slow = 0;
    for (size_t row = 0; row < kc_sweep_rows(a); row++) {
        for (size_t column = kc_sweep_axes(a); column < kc_sweep_columns(a); column++)
            if (kc_sweep_text(a, row, column) == NULL)
                assert_number(cell(a, row, kc_sweep_column(a, column)), cell(b, row, kc_sweep_column(a, column)));
        slow += cell(b, row, "serial_time") > 2 * cell(b, row, "time");
    }
    assert_true(slow > 0 && slow < kc_sweep_rows(b));
    assert_int_equal(kc_sweep_rows(c), slow);
}

/* ---- what a point is ------------------------------------------------------------------------------ */

static double time_of(void *x, const char *on)
{
    kc_device *d = keep(kc_device_named(context, on));
    kc_result *result = keep(kc_evaluate(object(x), d, NULL));
    double time = 0;
    assert_int_equal(kc_result_number(result, KC_TIME, &time), KC_OK);
    return time;
}

TEST(a_tile_axis_gives_a_schedule_as_kc_tile_would)
{
    kc_space *space = space_of(small_matmul());
    device(space, "l4");
    numbers(space, "tile.m", 2, 64, 1024); /* larger than the dim: the whole */
    numbers(space, "tile.n", 1, 32);
    numbers(space, "tile.k", 1, 16);
    kc_sweep *sweep = sweep_in(space, 1);
    assert_int_equal(kc_sweep_rows(sweep), 2);
    assert_number(cell(sweep, 0, "time"), time_of(tiled(small_matmul(), "m=64 n=32 k=16", NULL, NULL), "l4"));
    assert_number(cell(sweep, 1, "time"), time_of(tiled(small_matmul(), "m=1024 n=32 k=16", NULL, NULL), "l4"));
}

TEST(a_schedule_that_is_there_keeps_what_is_not_varied)
{
    kc_space *space = space_of(tiled(small_matmul(), "m=64 n=64 k=32", "n m", "k"));
    device(space, "l4");
    numbers(space, "tile.k", 2, 64, 128);
    kc_sweep *sweep = sweep_in(space, 1);
    assert_number(cell(sweep, 1, "time"), time_of(tiled(small_matmul(), "m=64 n=64 k=128", "n m", "k"), "l4"));
}

TEST(orders_and_rasters_are_those_of_kc_tile)
{
    kc_space *space = space_of(small_matmul());
    device(space, "l4");
    numbers(space, "tile.m", 1, 64);
    numbers(space, "tile.n", 1, 64);
    numbers(space, "tile.k", 1, 64);
    numbers(space, "group", 2, 1, 4);
    assert_int_equal(kc_space_texts(space, "order", (const char *[]){ "k", "k n" }, 2), KC_OK);
    kc_sweep *sweep = sweep_in(space, 1);
    assert_int_equal(kc_sweep_rows(sweep), 4);
    assert_text(kc_sweep_text(sweep, 3, column_of(sweep, "order")), "k n");
    assert_number(cell(sweep, 0, "time"), time_of(tiled(small_matmul(), "m=64 n=64 k=64", NULL, "k"), "l4"));
    kc_schedule *grouped = schedule_of("m=64 n=64 k=64", NULL, "k");
    assert_int_equal(kc_schedule_raster(grouped, "m n", 4), KC_OK);
    assert_number(cell(sweep, 1, "time"), time_of(keep(kc_tile(object(small_matmul()), grouped)), "l4"));
    assert_number(cell(sweep, 2, "time"), time_of(tiled(small_matmul(), "m=64 n=64 k=64", NULL, "k n"), "l4"));
}

/* Built with those dtypes; the default of C follows. */
static kc_tensor *matmul_of(const char *a_dtype, const char *b_dtype)
{
    kc_tensor *a = tensor("A", "m=512 k=256", a_dtype), *b = tensor("B", "k=256 n=384", b_dtype);
    return write_of("C", matmul(read_of(a), read_of(b), NULL));
}

TEST(another_dtype_is_what_building_with_it_gives)
{
    static const char *const dtypes[] = { "f16", "f32", "f8", "i8" };
    kc_space *space = space_of(matmul_of("f16", "f16"));
    device(space, "h100-sxm5");
    assert_int_equal(kc_space_texts(space, "dtype.A B", dtypes, 4), KC_OK);
    all_fields(space);
    numbers(space, "tile.m", 1, 64);
    numbers(space, "tile.n", 1, 64);
    kc_sweep *sweep = sweep_in(space, 1);
    assert_int_equal(kc_sweep_rows(sweep), 4);
    for (size_t i = 0; i < 4; i++) {
        kc_kernel *built = tiled(matmul_of(dtypes[i], dtypes[i]), "m=64 n=64", NULL, NULL);
        assert_text(kc_sweep_text(sweep, i, column_of(sweep, "dtype.B")), dtypes[i]);
        assert_number(cell(sweep, i, "time"), time_of(built, "h100-sxm5"));
        kc_result *counted = keep(kc_count(object(built), NULL));
        double bytes = 0;
        assert_int_equal(kc_result_number(counted, KC_BYTES_MIN, &bytes), KC_OK);
        assert_number(cell(sweep, i, "bytes_min"), bytes);
    }
}

TEST(a_dtype_that_was_given_to_a_write_stays)
{
    kc_tensor *a = tensor("A", "m=64 k=64", "f16"), *b = tensor("B", "k=64 n=64", "f16");
    kc_tensor *c = write_as("C", matmul(read_of(a), read_of(b), NULL), "f16");
    kc_space *space = space_of(c);
    assert_int_equal(kc_space_texts(space, "dtype.A B", (const char *[]){ "f32" }, 1), KC_OK);
    kc_sweep *sweep = sweep_in(space, 1);
    assert_number(cell(sweep, 0, "bytes"), 64 * 64 * (4 + 4 + 2));
}

TEST(sizes_and_figures_are_those_of_resize_and_with)
{
    kc_space *space = space_of(small_matmul());
    device(space, "l4");
    numbers(space, "size.m n", 2, 1024, 2048);
    const double figures[] = { 1e11, 1e12 };
    assert_int_equal(kc_space_numbers(space, "hbm.bandwidth", figures, 2), KC_OK);
    kc_sweep *sweep = sweep_in(space, 2);
    assert_int_equal(kc_sweep_rows(sweep), 4);
    kc_device *faster = keep(kc_device_new(context, keep(kc_device_named(context, "l4"))));
    assert_int_equal(kc_device_set(faster, "hbm.bandwidth", 1e12), KC_OK);
    assert_int_equal(kc_device_seal(faster), KC_OK);
    kc_object *larger = keep(kc_resized(object(small_matmul()), (kc_size[]){ { "m n", 2048 } }, 1));
    kc_result *result = keep(kc_evaluate(larger, faster, NULL));
    double time = 0;
    assert_int_equal(kc_result_number(result, KC_TIME, &time), KC_OK);
    assert_number(cell(sweep, 3, "time"), time);
    assert_number(cell(sweep, 3, "hbm.bandwidth"), 1e12);
    assert_number(cell(sweep, 3, "size.n"), 2048);
}

TEST(a_program_is_the_sum_of_its_kernels_and_axes_are_nothing_to_those_without_the_dim)
{
    kc_tensor *c = small_matmul();
    kc_tensor *x = tensor("X", "i=4096", "f16");
    kc_tensor *y = write_of("Y", map1("relu", read_of(x)));
    kc_object *parts[] = { object(c), object(y) };
    kc_program *program = keep(kc_program_new(context, "two", parts, 2));
    kc_space *space = space_of(program);
    device(space, "l4");
    numbers(space, "tile.m", 2, 32, 64);
    numbers(space, "tile.n", 1, 64);
    kc_sweep *sweep = sweep_in(space, 1);
    double alone = time_of(y, "l4");
    assert_number(cell(sweep, 1, "time"), time_of(tiled(small_matmul(), "m=64 n=64", NULL, NULL), "l4") + alone);
    kc_object *second = keep(kc_sweep_object(sweep, 1, NULL));
    assert_number(cell(sweep, 1, "time"), time_of(second, "l4"));
}

TEST(without_a_device_points_are_counted)
{
    kc_space *space = space_of(small_matmul());
    numbers(space, "tile.m", 2, 32, 64);
    kc_sweep *sweep = sweep_in(space, 2);
    kc_result *result = keep(kc_count(object(tiled(small_matmul(), "m=64", NULL, NULL)), NULL));
    double bytes = 0;
    assert_int_equal(kc_result_number(result, KC_BYTES, &bytes), KC_OK);
    assert_number(cell(sweep, 1, "bytes"), bytes);
}

/* ---- points that are missing ------------------------------------------------------------------------ */

TEST(what_does_not_fit_is_counted_with_its_reason_and_listed)
{
    kc_space *space = space_of(small_matmul());
    device(space, "a100-sxm4-80gb");
    numbers(space, "tile.m", 2, 64, 512);
    numbers(space, "tile.n", 2, 64, 384);
    numbers(space, "tile.k", 1, 256);
    kc_sweep *sweep = sweep_in(space, 2);
    assert_number(kc_sweep_fit(sweep), 1);
    double left = 0, first = -1;
    for (size_t i = 0; i < kc_sweep_reasons(sweep); i++)
        left += kc_sweep_rejected(sweep, i, NULL);
    assert_number(left, 3);
    assert_int_equal(kc_sweep_missing(sweep), 3);
    size_t reason = 99;
    assert_number(kc_sweep_missing_point(sweep, 0, &reason), 1);
    assert_true(kc_sweep_rejected(sweep, reason, &first) >= 1);
    assert_number(first, 1);
    assert_contains(kc_sweep_reason(sweep, reason), "shared memory");
    assert_contains(kc_sweep_sentence(sweep, reason), "too many");
    kc_result *result = asked(sweep, 1);
    assert_null(result);
    assert_text(kc_context_message(context), kc_sweep_sentence(sweep, reason));
}

TEST(a_schedule_that_is_none_is_a_reason)
{
    kc_space *space = space_of(tiled(small_matmul(), "m=64 n=64 k=64", "m n", NULL));
    device(space, "l4");
    assert_int_equal(kc_space_texts(space, "order", (const char *[]){ "k", "m k" }, 2), KC_OK);
    kc_sweep *sweep = sweep_in(space, 2);
    assert_number(kc_sweep_fit(sweep), 1);
    assert_contains(kc_sweep_reason(sweep, 0), "'m' stands in grid and in order");
}

TEST(where_leaves_points_out_and_is_counted_too)
{
    kc_space *space = matmul_space();
    assert_int_equal(kc_space_where(space, "tile.m >= tile.n and smem < 20000"), KC_OK);
    kc_sweep *sweep = sweep_in(space, 3);
    assert_true(kc_sweep_rows(sweep) > 0);
    for (size_t row = 0; row < kc_sweep_rows(sweep); row++)
        assert_true(cell(sweep, row, "tile.m") >= cell(sweep, row, "tile.n") && cell(sweep, row, "smem") < 20000);
    double all = kc_sweep_fit(sweep);
    for (size_t i = 0; i < kc_sweep_reasons(sweep); i++)
        all += kc_sweep_rejected(sweep, i, NULL);
    assert_number(all, kc_sweep_points(sweep));
}

TEST(an_error_of_where_names_the_first_such_point)
{
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        kc_space *space = matmul_space();
        assert_int_equal(kc_space_where(space, "1 / (stages - 2) > 0"), KC_OK);
        assert_null(kc_space_sweep(space, threads, NULL, NULL));
        assert_text(kc_context_message(context),
                    "sweep: where: it divides by zero at point 18 (device = a100-sxm4-80gb, stages = 2, tile.m = 32, tile.k = 32, "
                    "tile.n = 32)");
    }
}

/* ---- filters, watches ------------------------------------------------------------------------------- */

static int keep_wide(void *data, const kc_point *point)
{
    double m = 0, n = 0, time = 0;
    int *calls = data;
    ++*calls;
    if (kc_point_number(point, "tile.m", &m) || kc_point_number(point, "tile.n", &n) || kc_point_number(point, "time", &time))
        return -1;
    return m > n && time > 0 && kc_point_text(point, "device") && kc_point_text(point, "bound");
}

static int refuse_all(void *data, const kc_point *point)
{
    (void)data;
    (void)point;
    return -1;
}

TEST(a_filter_says_which_points_are_wanted)
{
    int calls = 0;
    kc_space *filtered = matmul_space(), *written = matmul_space();
    assert_int_equal(kc_space_filter(filtered, keep_wide, &calls), KC_OK);
    assert_int_equal(kc_space_where(written, "tile.m > tile.n"), KC_OK);
    kc_sweep *a = sweep_in(filtered, 4), *b = sweep_in(written, 4);
    assert_int_equal(kc_sweep_rows(a), kc_sweep_rows(b));
    for (size_t row = 0; row < kc_sweep_rows(a); row++)
        assert_number(cell(a, row, "time"), cell(b, row, "time"));
    assert_true(calls > (int)kc_sweep_rows(a));
}

TEST(a_filter_that_fails_ends_the_sweep_and_names_the_point)
{
    kc_space *space = matmul_space();
    assert_int_equal(kc_space_filter(space, refuse_all, NULL), KC_OK);
    assert_null(kc_space_sweep(space, 4, NULL, NULL));
    assert_int_equal(kc_context_status(context), KC_ESCRIPT);
    assert_contains(kc_context_message(context), "the function of where failed at point 0 (device = a100-sxm4-80gb");
}

/* Ends the sweep at the nth call; 0: never. */
typedef struct seen {
    int calls, end;
    double done, points;
} seen;

static int watch(void *data, double done, double points)
{
    seen *s = data;
    assert_true(done >= s->done);
    s->done = done;
    s->points = points;
    return ++s->calls == s->end;
}

TEST(a_watch_sees_all_points_done)
{
    seen s = { 0, 0, 0, 0 };
    kc_space *space = matmul_space();
    kc_sweep *sweep = keep(kc_space_sweep(space, 3, watch, &s));
    assert_number(s.done, 108);
    assert_number(s.points, 108);
    assert_false(kc_sweep_interrupted(sweep));
    assert_number(kc_sweep_done(sweep), 108);
}

TEST(a_watch_ends_a_sweep_which_keeps_what_is_done)
{
    for (unsigned threads = 1; threads <= 4; threads += 3)
        for (int end = 1; end < 12; end += 5) {
            seen s = { 0, end, 0, 0 };
            kc_space *space = matmul_space(), *whole = matmul_space();
            kc_sweep *sweep = keep(kc_space_sweep(space, threads, watch, &s)), *full = sweep_in(whole, 1);
            assert_true(kc_sweep_interrupted(sweep));
            assert_number(kc_sweep_done(sweep), s.done);
            assert_true(kc_sweep_done(sweep) < 108);
            for (size_t row = 0; row < kc_sweep_rows(sweep); row++) {
                assert_number(kc_sweep_point(sweep, row), kc_sweep_point(full, row));
                assert_true(kc_sweep_point(sweep, row) < s.done);
            }
            assert_contains(kc_json(object(sweep)), "\"interrupted\":true");
        }
}

/* ---- keeping, best ------------------------------------------------------------------------------------ */

TEST(the_top_are_the_first_of_all_rows_by_their_field)
{
    kc_space *all = matmul_space(), *some = matmul_space();
    assert_int_equal(kc_space_top(some, 5, "time"), KC_OK);
    kc_sweep *a = sweep_in(all, 2), *b = sweep_in(some, 2);
    assert_int_equal(kc_sweep_rows(b), 5);
    for (size_t i = 0; i < 5; i++) {
        size_t ahead = 0;
        double time = cell(b, i, "time"), point = kc_sweep_point(b, i);
        for (size_t row = 0; row < kc_sweep_rows(a); row++) {
            double other = cell(a, row, "time");
            ahead += other < time || (other == time && kc_sweep_point(a, row) < point);
        }
        assert_int_equal(ahead, i);
    }
    size_t best = 99, first = 99;
    assert_int_equal(kc_sweep_best(b, &first), KC_OK);
    assert_int_equal(kc_sweep_best(a, &best), KC_OK);
    assert_int_equal(first, 0);
    assert_number(kc_sweep_point(a, best), kc_sweep_point(b, 0));
}

TEST(the_best_per_device_and_stages_is_one_row_for_each)
{
    kc_space *space = matmul_space();
    assert_int_equal(kc_space_best_per(space, "device stages", "throughput"), KC_OK);
    kc_sweep *sweep = sweep_in(space, 2), *all = sweep_in(matmul_space(), 1);
    assert_int_equal(kc_sweep_rows(sweep), 6);
    for (size_t i = 0; i < 6; i++)
        for (size_t row = 0; row < kc_sweep_rows(all); row++)
            if (strcmp(kc_sweep_text(all, row, 0), kc_sweep_text(sweep, i, 0)) == 0 && cell(all, row, "stages") == cell(sweep, i, "stages"))
                assert_true(cell(all, row, "throughput") <= cell(sweep, i, "throughput"));
}

TEST(a_sweep_of_nothing_says_why)
{
    kc_space *space = matmul_space();
    assert_int_equal(kc_space_where(space, "smem < 1"), KC_OK);
    kc_sweep *sweep = sweep_in(space, 2);
    size_t row;
    assert_int_equal(kc_sweep_rows(sweep), 0);
    assert_int_equal(kc_sweep_best(sweep, &row), KC_EARGUMENT);
    assert_contains(kc_object_text(object(sweep)), "108 left out: where");
}

TEST(a_space_without_axes_is_one_point)
{
    kc_space *space = space_of(small_matmul());
    kc_sweep *sweep = sweep_in(space, 4);
    assert_int_equal(kc_sweep_rows(sweep), 1);
    assert_number(kc_sweep_points(sweep), 1);
}

/* ---- memory ------------------------------------------------------------------------------------------------ */

/* The allocation hook is the host's, and need not know of threads. */
static pthread_t home;
static size_t away;

static void *at_home(void *data, void *block, size_t old_size, size_t new_size)
{
    away += !pthread_equal(pthread_self(), home);
    return counted_resize(data, block, old_size, new_size);
}

TEST(memory_is_asked_for_by_the_calling_thread_only)
{
    memory own = { 0 };
    kc_context *mine = kc_context_new(at_home, &own), *theirs = context;
    home = pthread_self();
    away = 0;
    context = mine;
    kc_space *space = matmul_space();
    numbers(space, "size.m n", 3, 512, 600, 700);
    numbers(space, "tile.k", 1, 0x100);
    sweep_in(space, 6);
    assert_true(own.requests > 100);
    drop_kept();
    kc_context_free(mine);
    context = theirs;
    assert_int_equal(away, 0);
    assert_int_equal(own.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(every_row_of_a_random_sweep_is_what_evaluate_says),
        fact(threads_change_nothing),
        fact(fields_are_the_same_whichever_are_asked_for),
        fact(a_tile_axis_gives_a_schedule_as_kc_tile_would),
        fact(a_schedule_that_is_there_keeps_what_is_not_varied),
        fact(orders_and_rasters_are_those_of_kc_tile),
        fact(another_dtype_is_what_building_with_it_gives),
        fact(a_dtype_that_was_given_to_a_write_stays),
        fact(sizes_and_figures_are_those_of_resize_and_with),
        fact(a_program_is_the_sum_of_its_kernels_and_axes_are_nothing_to_those_without_the_dim),
        fact(without_a_device_points_are_counted),
        fact(what_does_not_fit_is_counted_with_its_reason_and_listed),
        fact(a_schedule_that_is_none_is_a_reason),
        fact(where_leaves_points_out_and_is_counted_too),
        fact(an_error_of_where_names_the_first_such_point),
        fact(a_filter_says_which_points_are_wanted),
        fact(a_filter_that_fails_ends_the_sweep_and_names_the_point),
        fact(a_watch_sees_all_points_done),
        fact(a_watch_ends_a_sweep_which_keeps_what_is_done),
        fact(the_top_are_the_first_of_all_rows_by_their_field),
        fact(the_best_per_device_and_stages_is_one_row_for_each),
        fact(a_sweep_of_nothing_says_why),
        fact(a_space_without_axes_is_one_point),
        fact(memory_is_asked_for_by_the_calling_thread_only),
    };
    return run(tests);
}
