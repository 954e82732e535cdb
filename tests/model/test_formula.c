/* test_formula.c: a field as its formula: the terms add up to it, and its last line is it. */
#include "workbench.h"

#include "random_kernel.h"
#include "result.h"

#include <stdlib.h>

static kc_tensor *product(double m, double n, double k)
{
    char a[64], b[64];
    snprintf(a, sizeof a, "m=%.0f k=%.0f", m, k);
    snprintf(b, sizeof b, "k=%.0f n=%.0f", k, n);
    return write_of("C", matmul(read_of(tensor("A", a, "f16")), read_of(tensor("B", b, "f16")), NULL));
}

static kc_result *on(const char *device, void *x, const kc_options *options)
{
    return keep(kc_evaluate(x, keep(kc_device_named(context, device)), options));
}

static const char *formula(kc_result *r, const char *field)
{
    const char *text = kc_result_formula(r, field);
    if (!text)
        print_error("%s\n", kc_context_message(context));
    assert_non_null(text);
    return text;
}

/* ---- sums --------------------------------------------------------------------------------------- */

/* The numbers at the ends of the lines of terms, which two spaces begin; *last: of the last line. */
static double sum_of_terms(const char *text, double *last)
{
    double sum = 0;
    *last = NAN;
    for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        const char *end = strchr(line, '\n'), *equals = end;
        while (equals > line && strncmp(equals, " = ", 3) != 0)
            equals--;
        if (equals == line || strncmp(line, "    ", 4) == 0)
            continue;
        *last = strtod(equals + 3, NULL);
        sum += *last;
    }
    return sum - *last;
}

static size_t check_sums(kc_result *r, uint64_t seed)
{
    static const kc_field added[] = {
        KC_FLOPS, KC_MATRIX_FLOPS, KC_VECTOR_FLOPS, KC_SPECIAL_OPS, KC_EXECUTED_FLOPS, KC_EXECUTED_MATRIX_FLOPS,
        KC_EXECUTED_VECTOR_FLOPS, KC_EXECUTED_SPECIAL_OPS, KC_BYTES, KC_BYTES_READ, KC_BYTES_WRITTEN, KC_BYTES_MIN,
    };
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        double last, sum = sum_of_terms(formula(r, kc_field_name(added[i])), &last), field = r->field[added[i]];
        if (last == field && fabs(sum - field) <= 1e-9 * fabs(field))
            continue;
        wrong++;
        print_error("seed %llu: %s is %.17g, its terms add up to %.17g\n%s", (unsigned long long)seed, kc_field_name(added[i]),
                    field, sum, formula(r, kc_field_name(added[i])));
    }
    return wrong;
}

TEST(the_terms_of_work_and_bytes_of_random_kernels_add_up)
{
    size_t wrong = 0, seen = 0;
    kc_device *device = kc_device_named(context, "h100-sxm5");
    for (uint64_t seed = 1; seed <= 400 && wrong < 5; seed++) {
        kc_kernel *kernel = random_kernel(context, seed);
        kc_result *r = kernel ? kc_evaluate(object(kernel), device, NULL) : NULL;
        kc_result *counted = kernel ? kc_count(object(kernel), NULL) : NULL;
        if (r) {
            wrong += check_sums(r, seed) + check_sums(counted, seed);
            seen++;
        }
        kc_release(counted);
        kc_release(r);
        kc_release(kernel);
    }
    kc_release(device);
    assert_int_equal(wrong, 0);
    assert_true(seen > 100);
}

TEST(every_field_that_a_result_has_has_a_formula_which_ends_in_it)
{
    kc_schedule *s = keep(kc_schedule_new(context));
    kc_schedule_tile(s, "m", 128);
    kc_schedule_tile(s, "n", 64);
    kc_schedule_tile(s, "k", 32);
    kc_options *options = keep(kc_options_new(context));
    kc_options_set(options, "measured", 1e-3);
    kc_tensor *c = product(1000, 1000, 1000);
    kc_result *r = on("h100-sxm5", keep(kc_tile(object(c), s)), options);
    for (int f = 0; f < KC_FIELD_COUNT; f++) {
        char start[64], number[32];
        if (!r->has[f])
            continue;
        const char *text = formula(r, kc_field_name((kc_field)f));
        kci_format_number(r->field[f], number);
        snprintf(start, sizeof start, "\n  %s = %s", kc_field_name((kc_field)f), number);
        assert_contains(text, start);
    }
}

/* ---- words -------------------------------------------------------------------------------------- */

TEST(a_matmul_is_two_flop_a_point_and_a_tensor_its_elements)
{
    kc_result *r = keep(kc_count(object(product(4096, 512, 1024)), NULL));
    assert_contains(formula(r, "flops"), "  matmul over k: 2 x m 4096 x k 1024 x n 512 = 4294967296\n");
    assert_contains(formula(r, "bytes"), "  A: m 4096 x k 1024 x 2 B compulsory = 8388608\n");
    assert_contains(formula(r, "bytes"), "  bytes = 13631488 B (13.6 MB)\n");
    assert_contains(formula(r, "intensity"), "  flops / bytes = 4294967296 / 13631488\n");
}

TEST(a_convention_is_in_the_formula)
{
    kc_options *options = keep(kc_options_new(context));
    kc_options_set_text(options, "convention", "fvcore");
    kc_result *r = keep(kc_count(object(product(4096, 512, 1024)), options));
    assert_contains(formula(r, "flops"), "  matmul over k: 1 x m 4096 x k 1024 x n 512 = 2147483648\n  flops = 2147483648");
}

TEST(a_time_is_its_roofs_with_rates_and_the_roofline_the_datasheets)
{
    kc_result *r = on("h100-sxm5", product(4096, 4096, 4096), NULL);
    assert_contains(formula(r, "roof_time"), "  matrix: 137438953472 FLOP / 989 TFLOP/s = 139 us\n");
    assert_contains(formula(r, "roof_time"), "  hbm: 100663296 B / 3.35 TB/s = 30.0 us\n");
    assert_contains(formula(r, "time"), "  matrix: 137438953472 FLOP / (989 TFLOP/s x 0.73 sustained) = 190 us\n");
    assert_contains(formula(r, "times.hbm"), "  hbm: 100663296 B / (3.35 TB/s x 0.87 sustained) = 34.5 us\n");
    assert_null(strstr(formula(r, "times.hbm"), "matrix"));
}

TEST(a_program_is_its_kernels)
{
    kc_tensor *c = product(64, 64, 64), *d = write_of("D", map1("gelu", read_of(c)));
    kc_object *both[] = { object(c), object(d) };
    kc_result *r = keep(kc_count(keep(kc_program_new(context, "both", both, 2)), NULL));
    assert_contains(formula(r, "flops"), "  C = 524288\n  D = ");
    assert_contains(formula(r, "intensity"), "  flops / bytes = ");
}

TEST(a_field_that_is_not_there_is_an_error)
{
    kc_result *r = keep(kc_count(object(product(64, 64, 64)), NULL));
    refuses(kc_result_formula(r, "byts"), "explain: a result has no field 'byts'; did you mean 'bytes'?");
    refuses(kc_result_formula(r, "time"), "explain: C has no time");
    assert_null(kc_result_formula(NULL, "bytes"));
    assert_null(kc_result_formula(r, NULL));
}

int main(void)
{
    const struct CMUnitTest facts[] = {
        fact(the_terms_of_work_and_bytes_of_random_kernels_add_up),
        fact(every_field_that_a_result_has_has_a_formula_which_ends_in_it),
        fact(a_matmul_is_two_flop_a_point_and_a_tensor_its_elements),
        fact(a_convention_is_in_the_formula),
        fact(a_time_is_its_roofs_with_rates_and_the_roofline_the_datasheets),
        fact(a_program_is_its_kernels),
        fact(a_field_that_is_not_there_is_an_error),
    };
    return run(facts);
}
