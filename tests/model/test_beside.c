/* test_beside.c: kernels that run at the same time: their roofs add, the time is the longest. */
#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kcost.h"

static kc_context *context;
static kc_device *device;               /* 1 TFLOP/s, 1 TB/s, a link of 100 GB/s; no latencies */
static kc_options *quiet;               /* no launches */
static kc_dtype *f32;

static double number(const kc_result *r, kc_field field)
{
    double value = NAN;
    assert_int_equal(kc_result_number(r, field, &value), KC_OK);
    return value;
}

static double of(void *x, kc_field field, const kc_options *options)
{
    kc_result *r = kc_evaluate(x, device, options);
    assert_non_null(r);
    double value = number(r, field);
    kc_release(r);
    return value;
}

/* `bytes` from HBM, reduced: 1 FLOP an element. */
static kc_tensor *stream(const char *name, double bytes)
{
    const kc_size sizes[] = { { "n", bytes / 4 } };
    kc_tensor *x = kc_tensor_new(context, "X", "n", f32, sizes, 1);
    kc_value *read = kc_read(x, NULL, NULL, 0, 1, 0), *sum = kc_reduce("sum", read, "n", NULL, 0, NULL);
    kc_tensor *y = kc_write(name, sum, f32, NULL, NULL, NULL, 0, 1);
    kc_release(x);
    kc_release(read);
    kc_release(sum);
    return y;
}

/* An allreduce of 2 ranks: `bytes` over the link. */
static kc_tensor *sent(const char *name, double bytes)
{
    const kc_size sizes[] = { { "n", bytes / 4 } };
    kc_tensor *x = kc_tensor_new(context, "S", "n", f32, sizes, 1);
    kc_tensor *y = kc_comm("allreduce", x, 2, NULL, NULL, name);
    kc_release(x);
    return y;
}

static kc_program *beside(void *a, void *b)
{
    kc_object *const parts[] = { a, b };
    kc_program *program = kc_beside(context, "both", parts, 2);
    assert_non_null(program);
    return program;
}

TEST(different_roofs_take_the_longer_part)
{
    kc_tensor *a = stream("A", 1e9), *b = sent("B", 40e6);
    kc_program *p = beside(a, b);
    double hbm = of(a, KC_TIME, quiet), link = of(b, KC_TIME, quiet);
    assert_close(link, 40e6 / 100e9, 1e-9);
    assert_close(of(p, KC_TIME_LINK, quiet), link, 1e-12);
    assert_close(of(p, KC_TIME, quiet), fmax(hbm + 80e6 / 1e12, link), 1e-6); /* the comm reads and writes HBM as well */
    assert_close(of(p, KC_SERIAL_TIME, quiet), of(a, KC_SERIAL_TIME, quiet) + of(b, KC_SERIAL_TIME, quiet), 1e-12);
    kc_release(p);
    kc_release(a);
    kc_release(b);
}

TEST(a_shared_roof_adds_up)
{
    kc_tensor *a = stream("A", 1e9), *b = stream("B", 3e9);
    kc_program *p = beside(a, b);
    assert_close(of(p, KC_TIME, quiet), of(a, KC_TIME, quiet) + of(b, KC_TIME, quiet), 1e-12);
    assert_close(of(p, KC_ROOF_TIME, quiet), of(a, KC_ROOF_TIME, quiet) + of(b, KC_ROOF_TIME, quiet), 1e-12);
    assert_close(of(p, KC_BYTES, quiet), of(a, KC_BYTES, quiet) + of(b, KC_BYTES, quiet), 1e-12);
    kc_release(p);
    kc_release(a);
    kc_release(b);
}

TEST(it_lies_between_its_longest_part_and_the_sum_and_keeps_the_order_of_times)
{
    static const double bytes[] = { 4e3, 1e5, 1e7, 1e9 };
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            for (int launches = 0; launches < 2; launches++)
                for (int link = 0; link < 2; link++) {
                    const kc_options *options = launches ? NULL : quiet;
                    kc_tensor *a = stream("A", bytes[i]), *b = link ? sent("B", bytes[j]) : stream("B", bytes[j]);
                    kc_program *p = beside(a, b);
                    double of_a = of(a, KC_TIME, options), of_b = of(b, KC_TIME, options), both = of(p, KC_TIME, options);
                    assert_true(both >= fmax(of_a, of_b) && both <= of_a + of_b);
                    assert_true(of(p, KC_ROOF_TIME, options) <= both && both <= of(p, KC_SERIAL_TIME, options));
                    kc_release(p);
                    kc_release(a);
                    kc_release(b);
                }
}

/* times(beside(a, b), 3) after a: what stands beside is one step of the program. */
TEST(it_nests_in_programs_and_repeats)
{
    kc_tensor *a = stream("A", 1e8), *b = sent("B", 1e8);
    kc_program *p = beside(a, b), *three = kc_times((kc_object *)p, 3);
    kc_object *const parts[] = { (kc_object *)a, (kc_object *)three };
    kc_program *whole = kc_program_new(context, "whole", parts, 2);
    assert_close(of(whole, KC_TIME, NULL), of(a, KC_TIME, NULL) + 3 * of(p, KC_TIME, NULL), 1e-12);
    assert_close(of(whole, KC_LINK_BYTES, NULL), 3 * of(b, KC_LINK_BYTES, NULL), 1e-12);
    kc_result *r = kc_evaluate((kc_object *)whole, device, NULL);
    assert_int_equal(kc_result_kernels(r), 3);
    kc_result *last = kc_result_kernel(r, 2);
    assert_number(number(last, KC_LAUNCHES), 3);
    assert_contains(kc_result_explain(r), "Its kernels, some of them beside others:");
    assert_contains(kc_result_explain(r), "kernels that run beside others were not tried");
    assert_contains(kc_result_formula(r, "time"), "beside each other takes the longest of its parts");
    assert_int_equal(kc_program_beside(p), 1);
    assert_int_equal(kc_program_beside(whole), 0);
    assert_contains(kc_object_text((kc_object *)p), "beside both");
    void *const list[] = { a, b, p, three, whole, r, last };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        kc_release(list[i]);
}

/* A part of two kernels: these follow each other. */
TEST(a_program_beside_a_kernel_stays_in_turn)
{
    kc_tensor *a = stream("A", 1e8), *c = stream("C", 2e8), *b = sent("B", 1e8);
    kc_object *const chain[] = { (kc_object *)a, (kc_object *)c };
    kc_program *turn = kc_program_new(context, "turn", chain, 2), *p = beside(turn, b);
    double alone = of(turn, KC_TIME, quiet), link = of(b, KC_TIME, quiet);
    assert_true(link > alone);
    assert_close(of(p, KC_TIME, quiet), link, 1e-12);
    kc_device *h100 = kc_device_named(context, "h100-sxm5");
    kc_result *best = kc_best((kc_object *)p, h100, NULL);
    kc_program *found = (kc_program *)kc_result_best(best);
    assert_int_equal(kc_program_beside(found), 1);
    assert_int_equal(kc_program_parts(found), 2);
    const kc_size smaller = { "n", 1000 };
    kc_program *resized = (kc_program *)kc_resized((kc_object *)p, &smaller, 1);
    assert_int_equal(kc_program_beside(resized), 1);
    void *const list[] = { a, b, c, turn, p, h100, best, found, resized };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        kc_release(list[i]);
}

static bool noted(const kc_result *r, const char *part)
{
    for (size_t i = 0; i < kc_result_notes(r); i++)
        if (strstr(kc_result_note(r, i), part))
            return true;
    return false;
}

TEST(what_reads_its_neighbour_is_noted)
{
    kc_tensor *a = stream("A", 1e8), *b = sent("B", 1e8);
    const kc_size sizes[] = { { "n", 1000 } };
    kc_tensor *x = kc_tensor_new(context, "X", "n", f32, sizes, 1);
    kc_value *read = kc_read(x, NULL, NULL, 0, 1, 0);
    kc_tensor *w = kc_write("W", read, f32, NULL, NULL, NULL, 0, 1), *after = kc_comm("broadcast", w, 4, NULL, NULL, "C");
    kc_program *free_ones = beside(a, b), *bound = beside(w, after);
    kc_result *one = kc_evaluate((kc_object *)free_ones, device, NULL), *two = kc_evaluate((kc_object *)bound, device, NULL);
    assert_false(noted(one, "which is written beside it"));
    assert_true(noted(one, "both: A and B run beside each other"));
    assert_true(noted(two, "C reads W, which is written beside it"));
    void *const list[] = { a, b, x, read, w, after, free_ones, bound, one, two };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        kc_release(list[i]);
}

TEST(a_sweep_of_it_is_refused)
{
    kc_tensor *a = stream("A", 1e8), *b = sent("B", 1e8);
    kc_program *p = beside(a, b);
    assert_null(kc_space_new((kc_object *)p));
    assert_contains(kc_context_message(context), "sweep: 'both' runs kernels beside each other");
    assert_null(kc_beside(context, "none", NULL, 0));
    assert_contains(kc_context_message(context), "beside: 'none' has no kernel");
    kc_release(p);
    kc_release(a);
    kc_release(b);
}

int main(void)
{
    context = kc_context_new(NULL, NULL);
    f32 = kc_dtype_named(context, "f32");
    device = kc_device_new(context, NULL);
    kc_device_set_text(device, "name", "plain");
    kc_device_set(device, "hbm.bandwidth", 1e12);
    kc_device_set(device, "sustained.hbm", 1);
    kc_device_set(device, "vector.f32", 100e12);
    kc_device_set(device, "link.bandwidth", 100e9);
    kc_device_set(device, "link.latency", 0);
    kc_device_set(device, "sustained.link", 1);
    kc_device_set(device, "link.fixed", 0);
    kc_device_seal(device);
    quiet = kc_options_new(context);
    kc_options_set_text(quiet, "launch", "none");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_roofs_take_the_longer_part),
        cmocka_unit_test(a_shared_roof_adds_up),
        cmocka_unit_test(it_lies_between_its_longest_part_and_the_sum_and_keeps_the_order_of_times),
        cmocka_unit_test(it_nests_in_programs_and_repeats),
        cmocka_unit_test(a_program_beside_a_kernel_stays_in_turn),
        cmocka_unit_test(what_reads_its_neighbour_is_noted),
        cmocka_unit_test(a_sweep_of_it_is_refused),
    };
    int failed = run(tests);
    kc_release(quiet);
    kc_release(device);
    kc_release(f32);
    kc_context_free(context);
    return failed;
}
