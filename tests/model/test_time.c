/* test_time.c: instructions, waves, steps and rows, the order of the three times, notes. */
#include "timed_kernel.h"

#include "step.h"

/* ---- waves, instructions, shared memory -------------------------------------------------------------- */

static kci_times square(double n)
{
    small_kernel s;
    const double size[3] = { n, n, n };
    kc_device *device = named("a100-sxm4-80gb");
    small_matmul(&s, context, size, 256, 128, 32);
    s.tiling.warps = 8;
    kci_times times = timed(&s, device, true, (kci_time_options){ .regime = KCI_NO_LAUNCH });
    kc_release(device);
    return times;
}

TEST(one_column_more_costs_a_second_wave)
{
    kci_times before = square(1792), after = square(1793);
    assert_number(before.waves, 1);
    assert_close(before.wave_efficiency, 98 / 108., 1e-12); /* 90.7 % */
    assert_number(after.waves, 2);
    assert_close(after.wave_efficiency, 120 / 216., 1e-12); /* 55.6 % */
    assert_true(after.time > 1.7 * before.time && after.time < 2.1 * before.time);
}

TEST(the_busiest_core_bounds_a_wave)
{
    assert_number(kci_busiest_core(98, 108, 1), 1);
    assert_number(kci_busiest_core(120, 108, 1), 2);
    assert_number(kci_busiest_core(120, 108, 2), 2);
    assert_number(kci_busiest_core(217, 108, 2), 3);
}

TEST(a_tile_fills_whole_instructions_and_may_swap_its_operands)
{
    kc_device *a100 = named("a100-sxm4-80gb"), *h100 = named("h100-sxm5");
    struct kci_matmul_count mm = { .math = KCI_F16, .executions = 1, .m = 128, .n = 128, .k = 64, .a_bytes = 2, .b_bytes = 2 };
    kci_counts counts = { .matmuls = &mm, .matmul_count = 1 };
    double rounding[KCI_FORMATS];
    kci_instruction_rounding(&counts, a100, rounding);
    assert_number(rounding[KCI_F16], 1);
    mm.k = 24;
    kci_instruction_rounding(&counts, a100, rounding);
    assert_close(rounding[KCI_F16], 32 / 24., 1e-12);
    mm.k = 64;
    mm.m = 1; /* one row is a column of 8 for wgmma, not 64 rows */
    kci_instruction_rounding(&counts, h100, rounding);
    assert_number(rounding[KCI_F16], 8);
    kc_release(h100);
    kc_release(a100);
}

TEST(operands_are_fetched_once_per_block_of_what_a_group_covers)
{
    kc_device *a100 = named("a100-sxm4-80gb"), *h100 = named("h100-sxm5");
    struct kci_matmul_count mm = { .math = KCI_F16, .executions = 10, .m = 128, .n = 128, .k = 64, .a_bytes = 2, .b_bytes = 2 };
    kci_counts counts = { .matmuls = &mm, .matmul_count = 1 };
    /* Hopper: 64 x 256: A once, B twice */
    assert_number(kci_operand_bytes(&counts, h100, 4), 10 * 64 * (128 * 2 + 128 * 2 * 2));
    /* Ampere: four warps of 64 x 64: each operand twice */
    assert_number(kci_operand_bytes(&counts, a100, 4), 10 * 64 * (128 * 2 * 2 + 128 * 2 * 2));
    mm.a_bytes = 0; /* computed: it is in registers */
    assert_number(kci_operand_bytes(&counts, h100, 4), 10 * 64 * (128 * 2 * 2));
    kc_release(h100);
    kc_release(a100);
}

TEST(bytes_in_flight_bound_a_bandwidth)
{
    assert_number(kci_supplied(2e12, 100, 1e6, 1e-6), 2e12);
    assert_number(kci_supplied(2e12, 100, 1e4, 1e-6), 1e12); /* Little's law */
}

TEST(a_latency_below_one_is_seconds)
{
    kc_device *device = named("mi300x");
    assert_number(kci_latency_seconds(&device->full, 218e-9), 218e-9);
    assert_close(kci_latency_seconds(&device->full, 850), 850 / 2.1e9, 1e-12);
    kc_release(device);
}

TEST(a_matmul_waits_once_and_a_chain_of_reductions_as_often_as_it_is_long_and_for_its_store)
{
    small_kernel s;
    small_matmul(&s, context, cube, 128, 128, 32);
    assert_number(kci_latency_chain(&s.graph), 1);
    s.nodes[3] = (kci_node){ .kind = KCI_OP, .reduced = 1, .edge = 2, .edges = 1 };
    assert_number(kci_latency_chain(&s.graph), 3);
}

/* ---- steps ------------------------------------------------------------------------------------------------ */

static double under(kci_overlap overlap, bool persistent)
{
    small_kernel s;
    kc_device *device = named("a100-sxm4-80gb");
    small_matmul(&s, context, cube, 128, 256, 32);
    s.tiling.overlap = overlap;
    s.tiling.persistent = persistent;
    double time = timed(&s, device, true, (kci_time_options){ 0 }).time;
    kc_release(device);
    return time;
}

TEST(more_overlap_is_never_slower)
{
    assert_true(under(KCI_OVERLAP_NONE, false) > under(KCI_OVERLAP_LOAD, false));
    assert_true(under(KCI_OVERLAP_LOAD, false) >= under(KCI_OVERLAP_ALL, false));
    assert_true(under(KCI_OVERLAP_LOAD, true) < under(KCI_OVERLAP_LOAD, false));
}

TEST(the_first_tile_takes_its_latency_however_many_are_asked_for)
{
    const kci_cta_cost cta = { .matrix = 1, .hbm_read = 400, .l2_read = 400, .first = 0.25, .steps = 4 };
    kci_supply supply = { .cores = 1, .hbm = 100, .hbm_latency = 3, .in_flight = 100, .depth = 1 };
    kci_row_time two = kci_row_of(&cta, &supply, KCI_OVERLAP_LOAD, 1, 1, false);
    assert_close(two.load, 3 + 1, 1e-12); /* 100 bytes at 100 a second */
    supply.in_flight *= 3;
    supply.depth = 3;
    kci_row_time four = kci_row_of(&cta, &supply, KCI_OVERLAP_LOAD, 1, 1, false);
    assert_close(four.load, two.load, 1e-12);
    assert_true(four.step < two.step);
}

TEST(each_byte_and_flop_of_a_row_is_in_it_once)
{
    kci_cta_cost cta = { .matrix = 8, .l2_read = 800, .hbm_read = 80, .first = 1 / 8., .steps = 8, .hide = 0.1 };
    kci_supply supply = { .cores = 1, .hbm = 100, .l2 = 100, .port = 1000 };
    kci_row_time r = kci_row_of(&cta, &supply, KCI_OVERLAP_LOAD, 1, 1, false);
    assert_close(r.load, 1, 1e-12);
    assert_close(r.step, 1, 1e-12);
    assert_close(r.total, 1 + 7 + 1, 1e-12); /* first load, seven steps, last compute */
    r = kci_row_of(&cta, &supply, KCI_OVERLAP_NONE, 1, 1, false);
    assert_close(r.total, 8 + 8, 1e-12);
    r = kci_row_of(&cta, &supply, KCI_OVERLAP_LOAD, 1, 1, true);
    assert_close(r.total, 8 + 0.8 + 0.8 + 8, 1e-12); /* hbm, l2, port, matrix, one after the other */
}

TEST(the_old_instructions_of_a_hopper_are_slower)
{
    small_kernel s;
    kc_device *device = named("h100-sxm5");
    small_matmul(&s, context, cube, 128, 128, 32);
    kci_times best = timed(&s, device, true, (kci_time_options){ 0 });
    s.tiling.path = "mma";
    kci_times old = timed(&s, device, true, (kci_time_options){ 0 });
    assert_close(old.part[KCI_ROOF_MATRIX], best.part[KCI_ROOF_MATRIX] / 0.63, 1e-12);
    kc_release(device);
}

/* ---- properties ------------------------------------------------------------------------------------------- */

static void random_matmul(small_kernel *s)
{
    const double size[3] = { pick(1, 4000), pick(1, 4000), pick(1, 4000) };
    static const double tiles[] = { 16, 32, 64, 128 };
    small_matmul(s, context, size, tiles[(int)pick(0, 3)], tiles[(int)pick(0, 3)], tiles[(int)pick(0, 2)]);
    s->tiling.stages = pick(1, 3);
    s->tiling.overlap = (kci_overlap)pick(0, 2);
    s->tiling.persistent = pick(0, 1) > 0;
    small_counts(s);
    s->counts.useful_vector[0] = pick(0, 2) * s->sizes[0] * s->sizes[1];
    s->counts.executed_vector[0] = s->counts.useful_vector[0] * pick(1, 2);
    s->counts.useful_special = s->counts.executed_special = pick(0, 2) * s->sizes[0] * s->sizes[1];
}

static const char *random_device(void)
{
    static const char *const names[] = { "v100-sxm2-16gb", "a100-sxm4-40gb", "h100-sxm5", "b200", "mi300x", "rtx-4090" };
    return names[(int)pick(0, 5)];
}

TEST(the_roof_is_never_above_the_estimate_nor_that_above_the_serial_sum)
{
    for (int n = 0; n < 3000; n++) {
        small_kernel s;
        random_matmul(&s);
        kc_device *device = named(random_device());
        kci_time_options options = { .no_l2 = pick(0, 3) == 0, .warm = pick(0, 3) == 0, .regime = (kci_regime)pick(0, 3) };
        kci_times t;
        memcpy(s.hbm, s.rows, sizeof s.hbm);
        kc_status status = kci_time(&s.graph, &s.tiling, &s.counts, s.sizes, device, &options, s.hbm, &t, &notes);
        kc_release(device);
        if (status == KC_EDEVICE)
            continue; /* three stages of 128 x 128 do not fit everywhere */
        assert_int_equal(status, KC_OK);
        if (!(t.roof_time <= t.time && t.time <= t.serial_time))
            print_error("%g %g %g\n", t.roof_time, t.time, t.serial_time);
        assert_true(t.roof_time > 0 && t.roof_time <= t.time && t.time <= t.serial_time);
        assert_true(isfinite(t.serial_time));
        if (!options.warm)
            check_ledger(&s);
        for (int r = 0; r < KCI_ROOFS; r++)
            assert_true(t.part[r] >= 0 && isfinite(t.part[r]));
    }
}

TEST(a_longer_latency_or_a_lower_roof_never_makes_a_kernel_faster)
{
    static const struct { const char *path; double factor; } worse[] = {
        { "hbm.latency", 2 }, { "l2.latency", 2 }, { "hbm.bandwidth", 0.7 }, { "l2.bandwidth", 0.7 },
        { "matrix.f16", 0.7 }, { "vector.f32", 0.7 }, { "special", 0.5 }, { "smem.bandwidth", 0.5 },
        { "launch.stream", 2 }, { "launch.fixed", 2 },
    };
    kc_device *base = named("h100-sxm5");
    for (size_t w = 0; w < sizeof worse / sizeof worse[0]; w++) {
        kc_device *device = kc_device_new(context, base);
        const kci_figure_row *row = kci_figure_find(worse[w].path);
        double now = ((const double *)&base->full)[row->place];
        assert_int_equal(kc_device_set(device, worse[w].path, now * worse[w].factor), KC_OK);
        assert_int_equal(kc_device_seal(device), KC_OK);
        for (int n = 0; n < 200; n++) {
            small_kernel s;
            random_matmul(&s);
            double before = timed(&s, base, true, (kci_time_options){ 0 }).time;
            double after = timed(&s, device, true, (kci_time_options){ 0 }).time;
            if (!(after >= before * (1 - 1e-12)))
                print_error("%s: %g, then %g\n", worse[w].path, before, after);
            assert_true(after >= before * (1 - 1e-12));
        }
        kc_release(device);
    }
    kc_release(base);
}

/* ---- notes ----------------------------------------------------------------------------------------------- */

TEST(one_note_names_every_default_that_was_used)
{
    small_kernel s;
    forget_notes();
    of_cube("h100", &s, (kci_time_options){ 0 });
    assert_true(noted("device h100 means NVIDIA H100 SXM5 80GB"));
    assert_true(noted("assumed, as h100-sxm5 does not state them: overlap = 0.6, hbm.latency = 850"));
    assert_true(noted("launch.stream = "));
    assert_false(noted("launch.graph = "));
    assert_false(noted("l2.bandwidth = "));
}

TEST(a_changed_device_says_what_was_changed)
{
    small_kernel s;
    kc_device *from = named("h100-sxm5"), *device = kc_device_new(context, from);
    kc_device_set(device, "hbm.bandwidth", 4.8e12);
    assert_int_equal(kc_device_seal(device), KC_OK);
    forget_notes();
    small_matmul(&s, context, cube, 128, 128, 32);
    timed(&s, device, true, (kci_time_options){ 0 });
    assert_true(noted("not the shipped h100-sxm5: hbm.bandwidth = 4800000000000"));
    kc_release(device);
    kc_release(from);
}

int main(void)
{
    begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_column_more_costs_a_second_wave),
        cmocka_unit_test(the_busiest_core_bounds_a_wave),
        cmocka_unit_test(a_tile_fills_whole_instructions_and_may_swap_its_operands),
        cmocka_unit_test(the_first_tile_takes_its_latency_however_many_are_asked_for),
        cmocka_unit_test(operands_are_fetched_once_per_block_of_what_a_group_covers),
        cmocka_unit_test(bytes_in_flight_bound_a_bandwidth),
        cmocka_unit_test(a_latency_below_one_is_seconds),
        cmocka_unit_test(a_matmul_waits_once_and_a_chain_of_reductions_as_often_as_it_is_long_and_for_its_store),
        cmocka_unit_test(more_overlap_is_never_slower),
        cmocka_unit_test(each_byte_and_flop_of_a_row_is_in_it_once),
        cmocka_unit_test(the_old_instructions_of_a_hopper_are_slower),
        cmocka_unit_test(the_roof_is_never_above_the_estimate_nor_that_above_the_serial_sum),
        cmocka_unit_test(a_longer_latency_or_a_lower_roof_never_makes_a_kernel_faster),
        cmocka_unit_test(one_note_names_every_default_that_was_used),
        cmocka_unit_test(a_changed_device_says_what_was_changed),
    };
    return finished(run(tests));
}
