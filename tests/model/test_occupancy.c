/* test_occupancy.c: CTAs per core, which limit binds, and the sentence where none fits. */
#include "unit.h"

#include "occupancy.h"
#include "small_kernel.h"

static kc_context *context;

static kc_device *named(const char *name)
{
    kc_device *device = kc_device_named(context, name);
    assert_non_null(device);
    return device;
}

static kci_occupancy of(const char *name, double threads, double registers, double smem)
{
    kc_device *device = named(name);
    kci_cta cta = { threads, registers, smem, 0 };
    kci_occupancy o = kci_occupancy_of(&device->full, &cta);
    kc_release(device);
    return o;
}

/* ---- limits ------------------------------------------------------------------------------ */

TEST(shared_memory_counts_the_reserved_bytes)
{
    /* 164 KiB hold three CTAs of 53.67 KiB, not of 54 KiB: each takes 1 KiB more. */
    assert_number(of("a100-sxm4-80gb", 128, 32, 53 * 1024).ctas, 3);
    assert_number(of("a100-sxm4-80gb", 128, 32, 54 * 1024).ctas, 2);
    assert_number(of("v100-sxm2-16gb", 128, 32, 32 * 1024).ctas, 3); /* Volta reserves nothing */
    assert_int_equal(of("a100-sxm4-80gb", 128, 32, 54 * 1024).limit, KCI_BY_SMEM);
    assert_number(of("a100-sxm4-80gb", 128, 32, 54 * 1024).smem, 55 * 1024);
}

TEST(one_cta_may_take_no_more_than_the_limit_of_a_cta)
{
    assert_number(of("a100-sxm4-80gb", 128, 32, 163 * 1024).ctas, 1);
    assert_number(of("a100-sxm4-80gb", 128, 32, 163 * 1024 + 1).ctas, 0);
}

TEST(registers_are_allocated_in_units)
{
    assert_number(of("a100-sxm4-80gb", 128, 41, 0).registers, 48);
    assert_number(of("a100-sxm4-80gb", 128, 43, 0).registers, 48);
    assert_number(of("a100-sxm4-80gb", 128, 41, 0).ctas, of("a100-sxm4-80gb", 128, 43, 0).ctas);
}

TEST(warps_are_dealt_to_four_register_files)
{
    /* 92 registers: 21 warps fit by count, 20 by files: 2 CTAs of 7 warps, 5 of 4. */
    kci_occupancy o = of("a100-sxm4-80gb", 224, 92, 0);
    assert_number(o.ctas, 2);
    assert_int_equal(o.limit, KCI_BY_REGISTERS);
    assert_number(of("a100-sxm4-80gb", 128, 92, 0).ctas, 5);
}

TEST(a_cta_limited_to_half_the_registers_wastes_some_of_both_halves)
{
    kc_device *from = named("v100-sxm2-16gb"), *device = kc_device_new(context, from);
    kc_device_set(device, "registers.per_cta", 32768);
    assert_int_equal(kc_device_seal(device), KC_OK);
    kci_cta cta = { 128, 85, 0, 0 };
    assert_number(kci_occupancy_of(&from->full, &cta).ctas, 5);
    assert_number(kci_occupancy_of(&device->full, &cta).ctas, 4);
    kc_release(device);
    kc_release(from);
}

TEST(the_limits_of_warps_and_of_ctas_bind)
{
    kci_occupancy o = of("rtx-4090", 512, 16, 0);
    assert_number(o.ctas, 3); /* 48 warps */
    assert_int_equal(o.limit, KCI_BY_WARPS);
    o = of("rtx-4090", 32, 16, 0);
    assert_number(o.ctas, 24);
    assert_int_equal(o.limit, KCI_BY_CTAS);
}

TEST(more_threads_than_a_cta_may_have_do_not_fit)
{
    assert_number(of("h100-sxm5", 2048, 32, 0).ctas, 0);
}

TEST(tensor_memory_is_taken_in_powers_of_two)
{
    kc_device *device = named("b200");
    kci_cta cta = { 128, 64, 0, 128 * 256 * 4 }; /* half of 256 KiB */
    assert_number(kci_occupancy_of(&device->full, &cta).allowed[KCI_BY_TMEM], 2);
    cta.tmem = 128 * 160 * 4; /* 80 KiB take 128 */
    assert_number(kci_occupancy_of(&device->full, &cta).allowed[KCI_BY_TMEM], 2);
    kc_release(device);
}

TEST(default_warps_are_the_fewest_whose_threads_hold_the_footprint)
{
    kc_device *device = named("h100-sxm5");
    assert_number(kci_default_warps(&device->full, 0), 4);
    /* 64 x 256 in f32: 65536 B / 128 threads = 128 registers, + 32 */
    assert_number(kci_default_warps(&device->full, 64 * 256 * 4), 4);
    /* 128 x 256: 256 + 32 > 255 with 4 warps, 128 + 32 with 8 */
    assert_number(kci_default_warps(&device->full, 128 * 256 * 4), 8);
    kc_release(device);
}

/* ---- kernels -------------------------------------------------------------------------------- */

static kc_status find(const char *name, const double tile[3], double stages, double warps, kci_occupancy *o)
{
    static const double size[3] = { 4096, 4096, 4096 };
    static small_kernel s;
    kc_device *device = named(name);
    small_matmul(&s, context, size, tile[0], tile[1], tile[2]);
    s.tiling.stages = stages;
    s.tiling.warps = warps;
    small_counts(&s);
    kc_status status = kci_occupancy_find(&s.graph, &s.tiling, &s.counts, s.sizes, device, false, o);
    kc_release(device);
    return status;
}

TEST(a_tuned_matmul_tile_fits_an_a100)
{
    kci_occupancy o;
    const double tile[3] = { 128, 128, 32 };
    assert_int_equal(find("a100-sxm4-80gb", tile, 4, 0, &o), KC_OK);
    assert_true(o.ctas >= 1);
    assert_number(o.warps, 4);
}

/* Two matmuls of `rows` rows, the second one after the first. */
static kci_occupancy of_a_chain(const char *name, double rows)
{
    static const double size[3] = { 4096, 4096, 4096 };
    static small_kernel s;
    struct kci_matmul_count both[2];
    kci_occupancy o = { 0 };
    kc_device *device = named(name);
    small_matmul(&s, context, size, rows, 64, 32);
    small_counts(&s);
    s.nodes[3] = (kci_node){ .kind = KCI_OP, .reduced = 1, .edge = 2, .edges = 1 };
    both[0] = both[1] = s.matmul;
    s.counts.matmuls = both;
    s.counts.matmul_count = 2;
    assert_int_equal(kci_occupancy_find(&s.graph, &s.tiling, &s.counts, s.sizes, device, false, &o), KC_OK);
    kc_release(device);
    return o;
}

TEST(a_chain_of_matmuls_takes_every_register_it_may_have)
{
    assert_number(of_a_chain("a100-sxm4-80gb", 64).ctas, 2); /* 65,536 / (128 * 256) */
    assert_int_equal(of_a_chain("a100-sxm4-80gb", 64).limit, KCI_BY_REGISTERS);
    assert_number(of_a_chain("h100-sxm5", 64).ctas, 1); /* warps that specialise: the whole file */
    assert_number(of_a_chain("h100-sxm5", 16).ctas, 2); /* too few rows for a warp group */
}

TEST(too_many_stages_are_refused_with_the_largest_that_fit)
{
    kci_occupancy o;
    const double tile[3] = { 128, 256, 64 };
    assert_int_equal(find("a100-sxm4-80gb", tile, 4, 0, &o), KC_EDEVICE);
    const char *message = kc_context_message(context);
    assert_contains(message, "a CTA takes 196608 bytes, a100-sxm4-80gb has 166912: 29696 too many");
    assert_contains(message, "with stages = 3 it takes 147456 and fits");
}

TEST(a_tile_that_fits_with_no_stages_is_refused_with_a_smaller_tile)
{
    kci_occupancy o;
    const double tile[3] = { 256, 128, 512 };
    assert_int_equal(find("a100-sxm4-80gb", tile, 2, 8, &o), KC_EDEVICE);
    const char *message = kc_context_message(context);
    assert_contains(message, "shared memory: a CTA takes 786432 bytes");
    /* 2 * 2 * (256 + 128) * 64 = 98304 */
    assert_contains(message, "with tile k = 64 it takes 98304 and fits");
}

TEST(what_the_message_advises_does_fit)
{
    kci_occupancy o;
    const double tile[3] = { 256, 128, 64 };
    assert_int_equal(find("a100-sxm4-80gb", tile, 2, 8, &o), KC_OK);
}

TEST(all_limits_that_a_tile_breaks_are_named_together)
{
    kci_occupancy o;
    const double tile[3] = { 256, 256, 512 };
    assert_int_equal(find("a100-sxm4-80gb", tile, 2, 16, &o), KC_EDEVICE);
    assert_contains(kc_context_message(context), "shared memory: a CTA takes 1048576 bytes");
    assert_contains(kc_context_message(context), "; registers: with 16 warps");
}

TEST(accumulators_beyond_the_register_file_are_refused)
{
    kci_occupancy o;
    const double tile[3] = { 512, 256, 16 };
    assert_int_equal(find("a100-sxm4-80gb", tile, 2, 0, &o), KC_EDEVICE);
    assert_contains(kc_context_message(context), "registers: with");
    assert_contains(kc_context_message(context), "must shrink to");
}

TEST(too_few_warps_for_the_registers_are_refused_with_enough)
{
    kci_occupancy o;
    const double tile[3] = { 256, 128, 16 };
    assert_int_equal(find("a100-sxm4-80gb", tile, 2, 4, &o), KC_EDEVICE);
    assert_contains(kc_context_message(context),
                    "with 4 warps a thread takes 288, a100-sxm4-80gb has 255: 33 too many");
    assert_contains(kc_context_message(context), "with warps = 8 it fits");
}

TEST(accumulators_of_a_blackwell_sit_in_tensor_memory)
{
    kci_occupancy o;
    const double tile[3] = { 256, 256, 32 };
    assert_int_equal(find("b200", tile, 2, 4, &o), KC_OK);
    assert_number(o.registers, 32);
    const double larger[3] = { 512, 256, 32 };
    assert_int_equal(find("b200", larger, 2, 4, &o), KC_EDEVICE);
    assert_contains(kc_context_message(context),
                    "tensor memory: a CTA takes 524288 bytes, b200 has 262144: 262144 too many");
}

TEST(a_device_without_on_chip_limits_runs_untiled_kernels_only)
{
    kci_occupancy o;
    const double tile[3] = { 128, 128, 32 };
    assert_int_equal(find("epyc-9654", tile, 2, 0, &o), KC_EDEVICE);
    assert_contains(kc_context_message(context), "a tiled kernel needs smem.per_core, which the device does not state");
}

int main(void)
{
    context = kc_context_new(NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory_counts_the_reserved_bytes),
        cmocka_unit_test(one_cta_may_take_no_more_than_the_limit_of_a_cta),
        cmocka_unit_test(registers_are_allocated_in_units),
        cmocka_unit_test(warps_are_dealt_to_four_register_files),
        cmocka_unit_test(a_cta_limited_to_half_the_registers_wastes_some_of_both_halves),
        cmocka_unit_test(the_limits_of_warps_and_of_ctas_bind),
        cmocka_unit_test(more_threads_than_a_cta_may_have_do_not_fit),
        cmocka_unit_test(tensor_memory_is_taken_in_powers_of_two),
        cmocka_unit_test(default_warps_are_the_fewest_whose_threads_hold_the_footprint),
        cmocka_unit_test(a_tuned_matmul_tile_fits_an_a100),
        cmocka_unit_test(a_chain_of_matmuls_takes_every_register_it_may_have),
        cmocka_unit_test(too_many_stages_are_refused_with_the_largest_that_fit),
        cmocka_unit_test(a_tile_that_fits_with_no_stages_is_refused_with_a_smaller_tile),
        cmocka_unit_test(what_the_message_advises_does_fit),
        cmocka_unit_test(all_limits_that_a_tile_breaks_are_named_together),
        cmocka_unit_test(accumulators_beyond_the_register_file_are_refused),
        cmocka_unit_test(too_few_warps_for_the_registers_are_refused_with_enough),
        cmocka_unit_test(accumulators_of_a_blackwell_sit_in_tensor_memory),
        cmocka_unit_test(a_device_without_on_chip_limits_runs_untiled_kernels_only),
    };
    int failed = run(tests);
    kc_context_free(context);
    return failed;
}
