/* test_own_device.c: devices of the caller's own: what they need, peaks that follow, what is refused. */
#include "unit.h"

#include "device.h"
#include "kcost.h"

static kc_context *context;

static kc_device *named(const char *name)
{
    kc_device *device = kc_device_named(context, name);
    if (!device)
        print_error("%s\n", kc_context_message(context));
    assert_non_null(device);
    return device;
}

static double figure(const kc_device *device, const char *path)
{
    double value = NAN;
    kc_device_get(device, path, &value);
    return value;
}

/* ---- devices of one's own ------------------------------------------------------------------ */

static kc_device *own(void)
{
    kc_device *device = kc_device_new(context, NULL);
    assert_int_equal(kc_device_set_text(device, "name", "mine"), KC_OK);
    assert_int_equal(kc_device_set(device, "hbm.bandwidth", 1e12), KC_OK);
    return device;
}

TEST(a_device_needs_only_a_name_a_bandwidth_and_one_peak)
{
    kc_device *device = own();
    assert_int_equal(kc_device_set(device, "vector.f32", 1e13), KC_OK);
    assert_int_equal(kc_device_seal(device), KC_OK);
    assert_text(kc_object_name((kc_object *)device), "mine");
    kc_release(device);
}

TEST(what_is_missing_is_said)
{
    kc_device *device = kc_device_new(context, NULL);
    assert_int_equal(kc_device_seal(device), KC_EARGUMENT);
    assert_contains(kc_context_message(context), "name is missing");
    kc_device_set_text(device, "name", "mine");
    assert_int_equal(kc_device_seal(device), KC_EARGUMENT);
    assert_contains(kc_context_message(context), "hbm.bandwidth is missing");
    kc_device_set(device, "hbm.bandwidth", 1e12);
    assert_int_equal(kc_device_seal(device), KC_EARGUMENT);
    assert_contains(kc_context_message(context), "a peak is missing");
    kc_release(device);
}

TEST(a_wrong_figure_is_refused_and_changes_nothing)
{
    static const struct { const char *path; double value; const char *sentence; } wrong[] = {
        { "hbm.bandwidth", 0, "hbm.bandwidth must be above 0" },
        { "hbm.bandwidth", -1, "must be above 0" },
        { "hbm.bandwidth", NAN, "must be a finite number" },
        { "hbm.bandwidth", HUGE_VAL, "must be a finite number" },
        { "hbm.bandwidth", 1e40, "out of all bounds" },
        { "sustained.hbm", 1.2, "is a share of the peak, at most 1, not 1.2" },
        { "cores", 131.5, "must be a whole number, not 131.5" },
        { "launch.stream", -1e-6, "must not be negative" },
        { "hbm.bandwith", 1e12, "did you mean 'hbm.bandwidth'" },
        { "name", 5, "name is a text" },
    };
    kc_device *device = own();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(kc_device_set(device, wrong[i].path, wrong[i].value), KC_EARGUMENT);
        assert_contains(kc_context_message(context), wrong[i].sentence);
    }
    assert_number(figure(device, "hbm.bandwidth"), 1e12);
    assert_int_equal(kc_device_set_text(device, "cores", "many"), KC_EARGUMENT);
    assert_contains(kc_context_message(context), "cores is a number, not the text 'many'");
    assert_int_equal(kc_device_set_text(device, "matrix_tile.f16.scope", "block"), KC_EARGUMENT);
    assert_contains(kc_context_message(context), "must be warp, group or cta");
    kc_release(device);
}

TEST(a_complete_device_no_longer_changes)
{
    kc_device *device = named("h100-sxm5");
    assert_int_equal(kc_device_set(device, "cores", 100), KC_EARGUMENT);
    assert_contains(kc_context_message(context), "copy it with kc_device_new");
    assert_number(figure(device, "cores"), 132);
    kc_release(device);
}

TEST(no_device_is_an_error_and_no_crash)
{
    double value;
    assert_int_equal(kc_device_set(NULL, "cores", 1), KC_EARGUMENT);
    assert_int_equal(kc_device_set_text(NULL, "name", "x"), KC_EARGUMENT);
    assert_int_equal(kc_device_get(NULL, "cores", &value), KC_EARGUMENT);
    assert_int_equal(kc_device_seal(NULL), KC_EARGUMENT);
    assert_null(kc_device_get_text(NULL, "name"));
    assert_null(kc_device_path(NULL, 0));
}

/* ---- peaks that follow ------------------------------------------------------------------------ */

static kc_device *changed(const char *base, const char *path, double value)
{
    kc_device *from = named(base), *device = kc_device_new(context, from);
    assert_int_equal(kc_device_set(device, path, value), KC_OK);
    if (kc_device_seal(device) != KC_OK)
        print_error("%s\n", kc_context_message(context));
    kc_release(from);
    return device;
}

TEST(fewer_cores_lower_every_peak)
{
    kc_device *device = changed("h100-sxm5", "cores", 66);
    assert_number(figure(device, "matrix.f16"), 66 * 4096 * 1.83e9);
    assert_number(figure(device, "vector.f32"), 66 * 256 * 1.98e9);
    assert_number(figure(device, "matrix.f64"), 66 * 256 * 1.98e9);
    assert_text(kc_device_get_text(device, "source.matrix.f16"), "derived: cores * rate * clock");
    assert_text(kc_device_get_text(device, "source.cores"), "set by the caller");
    assert_contains(kc_device_get_text(device, "source.hbm.bandwidth"), "vendor: ");
    kc_release(device);
}

TEST(a_changed_bandwidth_leaves_the_peaks_as_printed)
{
    kc_device *device = changed("h100-sxm5", "hbm.bandwidth", 4.8e12);
    assert_number(figure(device, "matrix.f16"), 989.4e12);
    assert_number(figure(device, "hbm.bandwidth"), 4.8e12);
    kc_release(device);
}

TEST(the_matrix_clock_and_a_rate_move_only_what_stands_on_them)
{
    kc_device *device = changed("h100-sxm5", "matrix_clock", 1.2e9);
    assert_number(figure(device, "matrix.f16"), 132 * 4096 * 1.2e9);
    assert_number(figure(device, "vector.f32"), 66.9e12);
    kc_release(device);
    device = changed("h100-sxm5", "rate.matrix.f8", 4096);
    assert_number(figure(device, "matrix.f8"), 132 * 4096 * 1.83e9);
    assert_number(figure(device, "matrix.f16"), 989.4e12);
    kc_release(device);
}

TEST(a_core_clock_below_the_matrix_clock_lowers_both)
{
    kc_device *device = changed("h100-sxm5", "clock", 1.2e9);
    assert_number(figure(device, "matrix_clock"), 1.2e9);
    assert_number(figure(device, "matrix.f16"), 132 * 4096 * 1.2e9);
    assert_number(figure(device, "vector.f32"), 132 * 256 * 1.2e9);
    kc_release(device);
}

TEST(a_peak_that_the_caller_sets_stays)
{
    kc_device *from = named("h100-sxm5"), *device = kc_device_new(context, from);
    kc_device_set(device, "cores", 66);
    kc_device_set(device, "matrix.f16", 400e12);
    assert_int_equal(kc_device_seal(device), KC_OK);
    assert_number(figure(device, "matrix.f16"), 400e12);
    assert_true(kci_device_check(device, NULL) > 0); /* and the check says that it is off */
    kc_release(device);
    kc_release(from);
}

TEST(peaks_are_made_of_cores_rate_and_clock_where_none_is_given)
{
    kc_device *device = own();
    kc_device_set(device, "cores", 10);
    kc_device_set(device, "clock", 1e9);
    kc_device_set(device, "rate.vector.f32", 64);
    assert_int_equal(kc_device_seal(device), KC_OK);
    assert_number(figure(device, "vector.f32"), 640e9);
    kc_release(device);
}

TEST(a_peak_that_cannot_follow_is_an_error)
{
    kc_device *base = own();
    kc_device_set(base, "vector.f32", 1e13);
    kc_device_set(base, "cores", 10);
    assert_int_equal(kc_device_seal(base), KC_OK);
    kc_device *device = kc_device_new(context, base);
    kc_device_set(device, "cores", 20);
    assert_int_equal(kc_device_seal(device), KC_EARGUMENT);
    assert_contains(kc_context_message(context), "vector.f32 cannot follow");
    kc_release(device);
    kc_release(base);
}

/* ---- sources and checks ------------------------------------------------------------------------ */

TEST(a_source_of_a_group_serves_its_figures)
{
    kc_device *device = own();
    kc_device_set(device, "vector.f32", 1e13);
    kc_device_set_text(device, "source.vector cores", "vendor: a leaflet");
    assert_int_equal(kc_device_seal(device), KC_OK);
    assert_text(kc_device_get_text(device, "source.vector.f32"), "vendor: a leaflet");
    assert_text(kc_device_get_text(device, "source.hbm.bandwidth"), "set by the caller");
    assert_null(kc_device_get_text(device, "source.cores"));
    kc_release(device);
}

TEST(the_check_finds_a_sparse_peak)
{
    kc_device *from = named("h100-sxm5"), *device = kc_device_new(context, from);
    kc_device_set(device, "matrix.f16", 1978.9e12);
    assert_int_equal(kc_device_seal(device), KC_OK);
    kci_text report = { .context = context };
    assert_true(kci_device_check(device, &report) >= 1);
    assert_contains(report.bytes, "matrix.f16");
    assert_contains(report.bytes, "OFF");
    kci_text_free(&report);
    kc_release(device);
    kc_release(from);
}

TEST(an_exception_in_the_file_excuses_a_figure)
{
    kc_device *device = own();
    kc_device_set(device, "vector.f32", 2e12);
    kc_device_set(device, "rate.vector.f32", 100);
    kc_device_set(device, "cores", 10);
    kc_device_set(device, "clock", 1e9);
    kc_device_set_text(device, "exceptions.vector.f32", "the leaflet counts a multiply-add as 4");
    assert_int_equal(kc_device_seal(device), KC_OK);
    assert_int_equal(kci_device_check(device, NULL), 0);
    kc_release(device);
}

int main(void)
{
    context = kc_context_new(NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_needs_only_a_name_a_bandwidth_and_one_peak),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(a_wrong_figure_is_refused_and_changes_nothing),
        cmocka_unit_test(a_complete_device_no_longer_changes),
        cmocka_unit_test(no_device_is_an_error_and_no_crash),
        cmocka_unit_test(fewer_cores_lower_every_peak),
        cmocka_unit_test(a_changed_bandwidth_leaves_the_peaks_as_printed),
        cmocka_unit_test(the_matrix_clock_and_a_rate_move_only_what_stands_on_them),
        cmocka_unit_test(a_core_clock_below_the_matrix_clock_lowers_both),
        cmocka_unit_test(a_peak_that_the_caller_sets_stays),
        cmocka_unit_test(peaks_are_made_of_cores_rate_and_clock_where_none_is_given),
        cmocka_unit_test(a_peak_that_cannot_follow_is_an_error),
        cmocka_unit_test(a_source_of_a_group_serves_its_figures),
        cmocka_unit_test(the_check_finds_a_sparse_peak),
        cmocka_unit_test(an_exception_in_the_file_excuses_a_figure),
    };
    int failed = run(tests);
    kc_context_free(context);
    return failed;
}
