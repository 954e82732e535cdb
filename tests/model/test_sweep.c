/* test_sweep.c: sweeping a space: every row is what evaluate says of its point, however many threads ran. */
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
    if (kc_space_numbers(space, axis, values, count) != KC_OK)
        print_error("%s\n", kc_context_message(context));
    assert_int_equal(kc_context_status(context), KC_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(every_row_of_a_random_sweep_is_what_evaluate_says),
        fact(threads_change_nothing),
    };
    return run(tests);
}
