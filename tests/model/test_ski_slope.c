/* test_ski_slope.c: the least traffic for each capacity, against every schedule there is of small kernels.
 *
 * KCOST_RANDOM: how many kernels; KCOST_SEED: the first seed. */
#include "workbench.h"

#include "random_kernel.h"
#include "ski_slope.h"
#include "sweep.h"

static size_t column_of(const kc_sweep *slope, const char *name)
{
    size_t c = 0;
    while (c < kc_sweep_columns(slope) && strcmp(kc_sweep_column(slope, c), name) != 0)
        c++;
    assert_true(c < kc_sweep_columns(slope));
    return c;
}

static double cell(const kc_sweep *slope, size_t row, const char *name)
{
    double value = NAN;
    assert_int_equal(kc_sweep_number(slope, row, column_of(slope, name), &value), KC_OK);
    return value;
}

static kc_tensor *matmul_of(double m, double n, double k, const char *a_dtype, const char *b_dtype)
{
    char a[64], b[64];
    snprintf(a, sizeof a, "m=%.0f k=%.0f", m, k);
    snprintf(b, sizeof b, "k=%.0f n=%.0f", k, n);
    return write_of("C", matmul(read_of(tensor("A", a, a_dtype)), read_of(tensor("B", b, b_dtype)), NULL));
}

/* What can be said of every slope: more capacity, less traffic, never below the bound, the compulsory bytes at the end. */
static size_t wrong_rows(const kc_sweep *slope, double compulsory)
{
    size_t wrong = 0, rows = kc_sweep_rows(slope);
    for (size_t i = 0; i < rows; i++) {
        double bytes = cell(slope, i, "bytes"), bound = cell(slope, i, "bound");
        bool falls = i == 0 || (cell(slope, i, "capacity") > cell(slope, i - 1, "capacity") && bytes < cell(slope, i - 1, "bytes"));
        if (!falls || bytes < bound * (1 - 1e-12) || bound < compulsory) {
            print_error("%s, row %zu: %g bytes at %g, bound %g, compulsory %g\n", kc_sweep_name(slope), i, bytes,
                        cell(slope, i, "capacity"), bound, compulsory);
            wrong++;
        }
    }
    return wrong;
}

static double compulsory_of(kc_tensor *c)
{
    double bytes = 0;
    kc_result *result = keep(kc_count(object(c), NULL));
    assert_int_equal(kc_result_number(result, KC_BYTES_MIN, &bytes), KC_OK);
    return bytes;
}

TEST(of_a_matmul_falls_to_the_compulsory_bytes_and_never_below_the_bound)
{
    static const char *const dtypes[] = { "f16", "f32", "f8", "i4g128" };
    for (int i = 0; i < cases(60); i++) {
        kc_tensor *c = matmul_of(chance(1, 200), chance(1, 200), chance(1, 200), dtypes[(size_t)chance(0, 2)], dtypes[(size_t)chance(0, 3)]);
        kc_sweep *slope = keep(kc_ski_slope(object(c)));
        size_t rows = kc_sweep_rows(slope);
        assert_int_equal(wrong_rows(slope, compulsory_of(c)), 0);
        assert_close(cell(slope, rows - 1, "bytes"), compulsory_of(c), 1e-12);
    }
}

/* A tile of t x t costs 2 m n k / t elements and takes t * t + 2 t of the capacity; C is written once. */
TEST(of_a_large_matmul_is_near_the_bound_where_its_tiles_are_square)
{
    kc_sweep *slope = keep(kc_ski_slope(object(matmul_of(4096, 4096, 4096, "f32", "f32"))));
    size_t squares = 0;
    for (size_t i = 0; i < kc_sweep_rows(slope); i++) {
        double m = cell(slope, i, "tile.m"), n = cell(slope, i, "tile.n");
        if (m != n || m < 16 || m > 1024)
            continue;
        assert_true(cell(slope, i, "bytes") < 1.3 * cell(slope, i, "bound"));
        squares++;
    }
    assert_true(squares >= 5);
}

/* ---- every schedule ------------------------------------------------------------------------------------ */

typedef struct schedule_counted {
    double capacity, bytes;
} schedule_counted;

static schedule_counted count_at(kc_tensor *c, double m, double n, double k, const char *order)
{
    kc_schedule *s = kc_schedule_new(context);
    assert_int_equal(kc_schedule_tile(s, "m", m) | kc_schedule_tile(s, "n", n) | kc_schedule_tile(s, "k", k) |
                         kc_schedule_grid(s, "") | kc_schedule_order(s, order) | kc_schedule_stages(s, NULL, 1), KC_OK);
    kc_kernel *tiled = kc_tile(object(c), s);
    kc_result *result = kc_count(object(tiled), NULL);
    double smem = 0, registers = 0, bytes = 0;
    assert_int_equal(kc_result_number(result, KC_SMEM, &smem) | kc_result_number(result, KC_REGISTER_BYTES, &registers) |
                         kc_result_number(result, KC_BYTES, &bytes), KC_OK);
    kc_release(result);
    kc_release(tiled);
    kc_release(s);
    return (schedule_counted){ smem + registers, bytes };
}

/* The least traffic of the slope within a capacity. */
static double least_within(const kc_sweep *slope, double capacity)
{
    double least = INFINITY;
    for (size_t i = 0; i < kc_sweep_rows(slope); i++)
        if (cell(slope, i, "capacity") <= capacity)
            least = cell(slope, i, "bytes");
    return least;
}

TEST(no_schedule_of_its_tiles_moves_less_and_no_schedule_at_all_beats_the_bound)
{
    static const char *const orders[] = { "m n k", "m k n", "n m k", "n k m", "k m n", "k n m" };
    static const double sizes[][3] = { { 6, 4, 5 }, { 1, 8, 6 }, { 4, 4, 4 } };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        double size[3] = { sizes[s][0], sizes[s][1], sizes[s][2] };
        kc_tensor *c = matmul_of(size[0], size[1], size[2], "f16", "f16");
        kc_kernel *kernel = keep(kc_kernel_new(context, "C", &c, 1));
        kc_sweep *slope = keep(kc_ski_slope(object(c)));
        kci_slope of = kci_slope_of(&kernel->graph);
        size_t wrong = 0, rows_met = 0;
        for (size_t o = 0; o < 6; o++)
            for (double m = 1; m <= size[0]; m++)
                for (double n = 1; n <= size[1]; n++)
                    for (double k = 1; k <= size[2]; k++) {
                        schedule_counted at = count_at(c, m, n, k, orders[o]);
                        bool tried = (fmod(size[0], m) == 0 || m == 4) && (fmod(size[1], n) == 0 || n == 4) &&
                                     (fmod(size[2], k) == 0 || k == 2 || k == 4);
                        double least = least_within(slope, at.capacity);
                        wrong += at.bytes < kci_slope_bound(&of, 0, at.capacity) || (tried && at.bytes < least);
                        rows_met += at.bytes == least;
                    }
        assert_int_equal(wrong, 0);
        assert_true(rows_met >= kc_sweep_rows(slope));
    }
}

TEST(every_row_is_what_count_says_of_its_kernel)
{
    kc_sweep *slope = keep(kc_ski_slope(object(matmul_of(48, 100, 64, "f16", "f8"))));
    for (size_t i = 0; i < kc_sweep_rows(slope); i++) {
        kc_kernel *kernel = keep(kc_sweep_object(slope, kc_sweep_point(slope, i), NULL));
        const kci_counts *c = count_of(kernel);
        assert_number(cell(slope, i, "bytes"), total_bytes(kernel, c));
        assert_number(cell(slope, i, "capacity"), c->smem + c->register_bytes);
    }
}

/* ---- other kernels ------------------------------------------------------------------------------------- */

TEST(of_a_random_kernel_falls_and_stays_above_the_compulsory_bytes)
{
    size_t slopes = 0, wrong = 0;
    uint64_t first = (uint64_t)environment_number("KCOST_SEED", 1);
    for (uint64_t seed = first; seed < first + (uint64_t)cases(60); seed++) {
        kc_kernel *kernel = random_kernel(context, seed);
        kc_sweep *slope = kernel && !kernel->member_count ? kc_ski_slope(object(kernel)) : NULL;
        if (slope && kc_sweep_points(slope) > 0) {
            wrong += wrong_rows(slope, 0);
            slopes++;
        }
        kc_release(slope);
        kc_release(kernel);
    }
    print_message("%zu slopes\n", slopes);
    assert_int_equal(wrong, 0);
    assert_true(slopes > 0);
}

TEST(batch_dims_are_outermost_and_add_no_capacity)
{
    kc_tensor *a = tensor("A", "b=5 m=16 k=16", "f16"), *b = tensor("B", "b=5 k=16 n=16", "f16");
    kc_sweep *slope = keep(kc_ski_slope(object(write_of("C", matmul(read_of(a), read_of(b), NULL)))));
    kc_sweep *one = keep(kc_ski_slope(object(matmul_of(16, 16, 16, "f16", "f16"))));
    assert_int_equal(kc_sweep_rows(slope), kc_sweep_rows(one));
    for (size_t i = 0; i < kc_sweep_rows(one); i++) {
        assert_number(cell(slope, i, "capacity"), cell(one, i, "capacity"));
        assert_number(cell(slope, i, "bytes"), 5 * cell(one, i, "bytes"));
        assert_close(cell(slope, i, "bound"), 5 * cell(one, i, "bound"), 1e-12);
    }
}

TEST(an_elementwise_kernel_needs_next_to_nothing_on_chip)
{
    kc_tensor *y = write_of("Y", map1("gelu", read_of(tensor("X", "i=1000 j=300", "f16"))));
    kc_sweep *slope = keep(kc_ski_slope(object(y)));
    assert_int_equal(kc_sweep_rows(slope), 1);
    assert_number(cell(slope, 0, "bytes"), 2 * 2 * 1000 * 300);
    assert_true(cell(slope, 0, "capacity") <= 16);
}

TEST(a_chain_of_matmuls_is_bound_by_its_compulsory_bytes_alone)
{
    attention a = attention_of("h=2 i=64 d=16", "h=2 j=64 d=16", "h=2 j=64 e=16");
    kc_sweep *slope = keep(kc_ski_slope(object(a.flash)));
    size_t rows = kc_sweep_rows(slope);
    assert_int_equal(wrong_rows(slope, 4 * 2 * 64 * 16 * 2), 0);
    assert_number(cell(slope, rows - 1, "bytes"), 4 * 2 * 64 * 16 * 2);
    assert_number(cell(slope, 0, "bound"), 4 * 2 * 64 * 16 * 2);
}

TEST(of_a_program_or_a_group_there_is_none)
{
    kc_tensor *c = matmul_of(8, 8, 8, "f16", "f16");
    kc_object *parts[] = { object(c), object(c) };
    assert_null(kc_ski_slope(object(keep(kc_times(object(c), 3)))));
    assert_contains(kc_context_message(context), "must be a kernel");
    assert_null(kc_ski_slope(object(keep(kc_group(context, "g", parts, 2)))));
    assert_contains(kc_context_message(context), "group");
}

int main(void)
{
    const struct CMUnitTest facts[] = {
        fact(of_a_matmul_falls_to_the_compulsory_bytes_and_never_below_the_bound),
        fact(of_a_large_matmul_is_near_the_bound_where_its_tiles_are_square),
        fact(no_schedule_of_its_tiles_moves_less_and_no_schedule_at_all_beats_the_bound),
        fact(every_row_is_what_count_says_of_its_kernel),
        fact(of_a_random_kernel_falls_and_stays_above_the_compulsory_bytes),
        fact(batch_dims_are_outermost_and_add_no_capacity),
        fact(an_elementwise_kernel_needs_next_to_nothing_on_chip),
        fact(a_chain_of_matmuls_is_bound_by_its_compulsory_bytes_alone),
        fact(of_a_program_or_a_group_there_is_none),
    };
    return run(facts);
}
