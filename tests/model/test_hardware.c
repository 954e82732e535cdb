/* test_hardware.c: a schedule that names what the device lacks does not run there. */
#include "timed_kernel.h"

#include "hardware.h"

static small_kernel s;

static kc_status check(const char *device_name, const char *path, double along_m, double along_n)
{
    kc_device *device = named(device_name);
    small_matmul(&s, context, cube, 128, 128, 32);
    s.tiling.path = path;
    s.tiling.cluster[0] = along_m;
    s.tiling.cluster[1] = along_n;
    kc_status status = kci_hardware_check(&s.graph, &s.tiling, device, &notes);
    kc_release(device);
    return status;
}

#define refuses(call, part)                                                                                 \
    do {                                                                                                    \
        assert_int_equal((call), KC_EDEVICE);                                                               \
        assert_contains(kc_context_message(context), (part));                                               \
    } while (0)

TEST(a_schedule_that_names_nothing_runs_everywhere)
{
    assert_int_equal(check("tpu-v4", NULL, 1, 1), KC_OK);
    assert_int_equal(check("mi300x", NULL, 1, 1), KC_OK);
}

TEST(the_instructions_of_another_architecture_are_refused)
{
    refuses(check("a100-sxm4-80gb", "wgmma", 1, 1), "a100-sxm4-80gb has no path wgmma; its matrix instructions are mma");
    refuses(check("b200", "wgmma", 1, 1), "b200 has no path wgmma; its matrix instructions are tcgen05, and mma");
    refuses(check("h100-sxm5", "mfma", 1, 1), "its matrix instructions are wgmma, and mma");
    refuses(check("mi300x", "mma", 1, 1), "its matrix instructions are mfma");
    refuses(check("tpu-v4", "mma", 1, 1), "tpu-v4 has no path mma, nor any other");
}

TEST(a_newer_gpu_takes_the_older_instructions_too)
{
    assert_int_equal(check("h100-sxm5", "mma", 1, 1), KC_OK);
    assert_int_equal(check("b200", "mma", 1, 1), KC_OK);
    assert_int_equal(check("h100-sxm5", "wgmma", 1, 1), KC_OK);
    assert_int_equal(check("mi300x", "mfma", 1, 1), KC_OK);
}

TEST(clusters_are_of_hopper_and_blackwell)
{
    assert_int_equal(check("h100-sxm5", NULL, 2, 1), KC_OK);
    assert_int_equal(check("b200", NULL, 2, 4), KC_OK);
    refuses(check("a100-sxm4-80gb", NULL, 2, 1), "a100-sxm4-80gb has no thread-block clusters");
    refuses(check("mi300x", NULL, 2, 1), "mi300x has no thread-block clusters");
}

TEST(a_cluster_has_at_most_16_ctas_and_above_8_a_note)
{
    forget_notes();
    assert_int_equal(check("h100-sxm5", NULL, 2, 4), KC_OK);
    assert_int_equal(notes.count, 0);
    assert_int_equal(check("h100-sxm5", NULL, 4, 4), KC_OK);
    assert_true(noted("a cluster of 16 CTAs is above the portable 8"));
    refuses(check("h100-sxm5", NULL, 8, 4), "a cluster of 32 CTAs is above the 16 that hardware takes");
}

TEST(a_device_of_no_known_architecture_is_taken_at_its_word)
{
    kc_device *mine = kc_device_new(context, NULL);
    kc_device_set_text(mine, "name", "mine");
    kc_device_set(mine, "hbm.bandwidth", 1e12);
    kc_device_set(mine, "matrix.f16", 1e14);
    assert_int_equal(kc_device_seal(mine), KC_OK);
    small_matmul(&s, context, cube, 128, 128, 32);
    s.tiling.path = "wgmma";
    s.tiling.cluster[1] = 2;
    forget_notes();
    assert_int_equal(kci_hardware_check(&s.graph, &s.tiling, mine, &notes), KC_OK);
    assert_true(noted("mine does not state its matrix instructions: path wgmma is taken for its best"));
    assert_true(noted("mine does not state whether it has thread-block clusters"));
    kc_release(mine);
}

int main(void)
{
    begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schedule_that_names_nothing_runs_everywhere),
        cmocka_unit_test(the_instructions_of_another_architecture_are_refused),
        cmocka_unit_test(a_newer_gpu_takes_the_older_instructions_too),
        cmocka_unit_test(clusters_are_of_hopper_and_blackwell),
        cmocka_unit_test(a_cluster_has_at_most_16_ctas_and_above_8_a_note),
        cmocka_unit_test(a_device_of_no_known_architecture_is_taken_at_its_word),
    };
    return finished(run(tests));
}
