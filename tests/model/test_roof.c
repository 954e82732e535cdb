/* test_roof.c: which unit does which work at what rate, the plain roofline, untiled kernels. */
#include "timed_kernel.h"

#include "roof.h"

/* ---- roofs ------------------------------------------------------------------------------- */

static kci_compute_roof roof_of(const char *name, kci_format math)
{
    kc_device *device = named(name);
    kci_compute_roof roof;
    forget_notes();
    assert_int_equal(kci_matrix_roof(device, math, false, &roof, &notes), KC_OK);
    kc_release(device);
    return roof;
}

TEST(a_format_with_a_roof_uses_it_without_a_note)
{
    assert_number(roof_of("h100-sxm5", KCI_BF16).peak, 989.4e12);
    assert_int_equal(notes.count, 0);
    assert_number(roof_of("h100-sxm5", KCI_F8E5M2).peak, 1978.9e12); /* the unit of f8e4m3 */
    assert_number(roof_of("h100-sxm5", KCI_U8).peak, 1978.9e12);
    assert_int_equal(notes.count, 0);
}

TEST(without_a_roof_of_its_own_the_next_wider_of_its_kind_serves)
{
    assert_number(roof_of("a100-sxm4-80gb", KCI_F8E4M3).peak, 312e12);
    assert_true(noted("a100-sxm4-80gb has no matrix roof for f8e4m3: that of f16 serves"));
    assert_number(roof_of("h100-sxm5", KCI_I4).peak, 1978.9e12); /* never a peak of int4 that Hopper lacks */
    assert_true(noted("that of i8 serves"));
    assert_number(roof_of("mi300x", KCI_F32).peak, 163.4e12);
}

TEST(without_any_matrix_roof_the_vector_unit_serves)
{
    kci_compute_roof roof = roof_of("a100-sxm4-80gb", KCI_F32);
    assert_int_equal(roof.unit, KCI_VECTOR);
    assert_number(roof.peak, 19.5e12);
    assert_true(noted("the vector unit serves"));
    assert_int_equal(roof_of("v100-sxm2-16gb", KCI_BF16).unit, KCI_VECTOR); /* f16 cannot hold bf16 */
    assert_int_equal(roof_of("rtx-4090", KCI_F64).unit, KCI_VECTOR);
    assert_number(roof_of("rtx-4090", KCI_F64).peak, 1.29e12);
    assert_int_equal(roof_of("epyc-9654", KCI_F16).unit, KCI_VECTOR);
}

TEST(a_format_that_math_asks_for_never_falls_back)
{
    kc_device *device = named("a100-sxm4-80gb");
    kci_compute_roof roof;
    assert_int_equal(kci_matrix_roof(device, KCI_F8E4M3, true, &roof, NULL), KC_EDEVICE);
    assert_contains(kc_context_message(context), "no matrix roof for f8e4m3, which math asks for");
    assert_int_equal(kci_matrix_roof(device, KCI_U8, true, &roof, NULL), KC_OK);
    kc_release(device);
}

TEST(f64_without_f64_units_is_an_error)
{
    kc_device *device = kc_device_new(context, NULL);
    kc_device_set_text(device, "name", "mine");
    kc_device_set(device, "hbm.bandwidth", 1e12);
    kc_device_set(device, "vector.f32", 1e13);
    assert_int_equal(kc_device_seal(device), KC_OK);
    kci_compute_roof roof;
    assert_int_equal(kci_vector_roof(device, true, &roof, NULL), KC_EDEVICE);
    assert_contains(kc_context_message(context), "mine has no vector unit for f64");
    kc_release(device);
}

TEST(a_vector_flop_takes_a_slot_unless_it_comes_from_a_matmul)
{
    kc_device *device = named("h100-sxm5");
    kci_counts counts = { .useful_vector = { 1e12, 0 }, .executed_vector = { 1e12, 0 } };
    kci_work_seconds useful, executed, fused;
    assert_int_equal(kci_work_seconds_of(&counts, device, true, NULL, &useful, NULL), KC_OK);
    assert_int_equal(kci_work_seconds_of(&counts, device, false, NULL, &executed, NULL), KC_OK);
    counts.executed_vector_fma[0] = 1e12;
    assert_int_equal(kci_work_seconds_of(&counts, device, false, NULL, &fused, NULL), KC_OK);
    assert_number(useful.vector, 1e12 / 66.9e12);
    assert_close(executed.vector, 2 * 1e12 / (66.9e12 * 0.9), 1e-12);
    assert_close(fused.vector, executed.vector / 2, 1e-12);
    kc_release(device);
}

TEST(a_board_sustains_the_flops_that_its_power_pays_for)
{
    kc_device *t4 = named("t4"), *more = kc_device_new(context, t4);
    kci_compute_roof roof;
    assert_int_equal(kci_vector_roof(t4, false, &roof, NULL), KC_OK);
    assert_close(roof.sustained, 70 / (17.5e-12 * 8.1e12), 1e-12);
    kc_device_set(more, "tdp", 300);
    assert_int_equal(kc_device_seal(more), KC_OK);
    assert_int_equal(kci_vector_roof(more, false, &roof, NULL), KC_OK);
    assert_close(roof.sustained, 7.46 / 8.1, 1e-12); /* power is no limit: the measured share */
    kc_release(more);
    kc_release(t4);
}

TEST(special_ops_have_a_roof_of_their_own)
{
    kc_device *device = named("h100-sxm5");
    kci_counts counts = { .useful_special = 1e9 };
    kci_work_seconds seconds;
    assert_int_equal(kci_work_seconds_of(&counts, device, true, NULL, &seconds, NULL), KC_OK);
    assert_close(seconds.special, 1e9 / (16 * 132 * 1.98e9), 1e-12);
    kc_release(device);
}

TEST(the_ridge_is_that_of_the_work)
{
    kc_device *device = named("a100-sxm4-40gb");
    kci_counts counts = { .useful_vector = { 5, 0 } };
    assert_close(kci_ridge(&counts, device), 19.5e12 / 1.555e12, 1e-12);
    counts.useful_matrix[KCI_F16] = 1;
    assert_close(kci_ridge(&counts, device), 312e12 / 1.555e12, 1e-12);
    counts.useful_matrix[KCI_TF32] = 2;
    assert_close(kci_ridge(&counts, device), 156e12 / 1.555e12, 1e-12);
    kci_counts nothing = { .ctas = 1 };
    assert_true(isnan(kci_ridge(&nothing, device)));
    kc_release(device);
}

TEST(the_plain_roofline_is_the_longer_of_work_and_compulsory_bytes)
{
    small_kernel s;
    kci_times times = of_cube("a100-sxm4-80gb", &s, (kci_time_options){ 0 });
    assert_close(times.roof_time, 2 * 4096. * 4096 * 4096 / 312e12, 1e-12);
    const double thin[3] = { 16, 4096, 4096 };
    kc_device *device = named("a100-sxm4-80gb");
    small_matmul(&s, context, thin, 16, 128, 64);
    times = timed(&s, device, true, (kci_time_options){ 0 });
    assert_close(times.roof_time, 2 * (16. * 4096 + 4096. * 4096 + 16. * 4096) / 2.039e12, 1e-12);
    assert_true(times.time > times.roof_time);
    kc_release(device);
}

/* ---- untiled --------------------------------------------------------------------------------- */

TEST(an_untiled_kernel_takes_its_longest_sustained_roof_and_the_launch)
{
    small_kernel s;
    kc_device *device = named("a100-sxm4-80gb");
    small_matmul(&s, context, cube, 4096, 4096, 4096); /* one tile: section 3's minimum */
    forget_notes();
    kci_times times = timed(&s, device, false, (kci_time_options){ 0 });
    double matrix = 2 * 4096. * 4096 * 4096 / (312e12 * device->full.fitted.matrix);
    assert_close(times.time, matrix + 1.73e-6, 1e-12);
    assert_int_equal(times.bound, KCI_ROOF_MATRIX);
    assert_text(kci_roof_class(times.bound), "compute-bound");
    assert_false(times.tiled);
    assert_true(noted("best finds a schedule"));
    assert_close(times.serial_time, times.time + 6 * 4096. * 4096 / (2.039e12 * device->full.fitted.hbm), 1e-9);
    kc_release(device);
}

TEST(launches_cost_by_their_regime)
{
    small_kernel s;
    double none = of_cube("a100-sxm4-80gb", &s, (kci_time_options){ .regime = KCI_NO_LAUNCH }).time;
    double graph = of_cube("a100-sxm4-80gb", &s, (kci_time_options){ .regime = KCI_GRAPH }).time;
    double stream = of_cube("a100-sxm4-80gb", &s, (kci_time_options){ .regime = KCI_STREAM }).time;
    double eager = of_cube("a100-sxm4-80gb", &s, (kci_time_options){ .regime = KCI_EAGER }).time;
    assert_close(graph - none, 0.45e-6, 1e-6);
    assert_close(stream - none, 1.73e-6, 1e-6);
    assert_close(eager - none, 26e-6, 1e-6);
}

int main(void)
{
    begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_format_with_a_roof_uses_it_without_a_note),
        cmocka_unit_test(without_a_roof_of_its_own_the_next_wider_of_its_kind_serves),
        cmocka_unit_test(without_any_matrix_roof_the_vector_unit_serves),
        cmocka_unit_test(a_format_that_math_asks_for_never_falls_back),
        cmocka_unit_test(f64_without_f64_units_is_an_error),
        cmocka_unit_test(a_vector_flop_takes_a_slot_unless_it_comes_from_a_matmul),
        cmocka_unit_test(a_board_sustains_the_flops_that_its_power_pays_for),
        cmocka_unit_test(special_ops_have_a_roof_of_their_own),
        cmocka_unit_test(the_ridge_is_that_of_the_work),
        cmocka_unit_test(the_plain_roofline_is_the_longer_of_work_and_compulsory_bytes),
        cmocka_unit_test(an_untiled_kernel_takes_its_longest_sustained_roof_and_the_launch),
        cmocka_unit_test(launches_cost_by_their_regime),
    };
    return finished(run(tests));
}
