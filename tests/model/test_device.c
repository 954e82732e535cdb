/* test_device.c: the shipped devices: names, figures, sources, checks, defaults. */
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

/* ---- shipped ------------------------------------------------------------------------- */

TEST(every_shipped_device_can_be_named_and_has_what_a_plain_roof_needs)
{
    assert_true(kc_device_count() >= 45);
    for (size_t i = 0; i < kc_device_count(); i++) {
        kc_device *device = named(kc_device_id(i));
        assert_text(kc_object_name((kc_object *)device), kc_device_id(i));
        assert_true(figure(device, "hbm.bandwidth") > 1e11);
        assert_non_null(kc_device_get_text(device, "name"));
        assert_non_null(kc_device_get_text(device, "arch"));
        kc_release(device);
    }
    assert_null(kc_device_id(kc_device_count()));
}

TEST(every_peak_of_every_shipped_device_follows_from_cores_rate_and_clock)
{
    for (size_t i = 0; i < kc_device_count(); i++) {
        kc_device *device = named(kc_device_id(i));
        kci_text report = { .context = context };
        size_t off = kci_device_check(device, &report);
        if (off)
            print_error("%s\n%s\n", kc_device_id(i), report.bytes);
        assert_int_equal(off, 0);
        kci_text_free(&report);
        const char *path; /* none is left unchecked without a word on why */
        for (size_t p = 0; (path = kc_device_path(device, p)) != NULL; p++) {
            char rate[64];
            snprintf(rate, sizeof rate, "rate.%s", path);
            bool peak = strncmp(path, "matrix.", 7) == 0 || strncmp(path, "vector.", 7) == 0;
            if (peak && isnan(figure(device, rate)) && !kci_device_exception(device, path)) {
                print_error("%s: %s has neither a rate nor an exception\n", kc_device_id(i), path);
                fail();
            }
        }
        kc_release(device);
    }
}

TEST(every_figure_of_every_shipped_device_has_a_source_with_its_kind_and_confidence)
{
    static const char *const kinds[] = { "vendor: ", "microbenchmark: ", "derived: ", "fitted to ", "assumed" };
    for (size_t i = 0; i < kc_device_count(); i++) {
        kc_device *device = named(kc_device_id(i));
        const char *path;
        for (size_t p = 0; (path = kc_device_path(device, p)) != NULL; p++) {
            if (kc_device_get_text(device, path))
                continue;
            const char *source = kci_device_source(device, path);
            bool good = false;
            for (size_t k = 0; source && k < sizeof kinds / sizeof kinds[0]; k++)
                good |= strncmp(source, kinds[k], strlen(kinds[k])) == 0;
            size_t length = source ? strlen(source) : 0;
            if (good && strncmp(source, "assumed", 7) != 0) /* and how sure it is */
                good = length > 3 && source[length - 3] == '[' && strchr("ABC", source[length - 2]);
            if (!good)
                print_error("%s: %s: %s\n", kc_device_id(i), path, source ? source : "no source");
            assert_true(good);
        }
        kc_release(device);
    }
}

TEST(no_alias_means_two_products)
{
    for (size_t i = 0; i < kc_device_count(); i++) {
        kc_device *device = named(kc_device_id(i));
        char words[256];
        snprintf(words, sizeof words, "%s", kc_device_get_text(device, "aliases"));
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
            kc_device *meant = named(word);
            assert_text(meant->id, device->id);
            kc_release(meant);
        }
        kc_release(device);
    }
}

TEST(a_device_is_found_by_alias_and_by_its_full_name_in_any_case)
{
    static const char *const names[] = { "h100-sxm5", "H100", "h100 sxm5", "NVIDIA H100 SXM5 80GB", "H100_SXM" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        kc_device *device = named(names[i]);
        assert_text(device->id, "h100-sxm5");
        kc_release(device);
    }
}

TEST(an_alias_is_remembered_so_that_results_can_say_what_it_means)
{
    kc_device *device = named("a100");
    assert_text(device->id, "a100-sxm4-80gb");
    assert_text(device->asked, "a100");
    kc_release(device);
    device = named("a100-sxm4-80gb");
    assert_null(device->asked);
    kc_release(device);
}

TEST(an_unknown_device_is_refused_with_the_nearest_names)
{
    assert_null(kc_device_named(context, "h10-sxm5"));
    assert_int_equal(kc_context_status(context), KC_EARGUMENT);
    assert_contains(kc_context_message(context), "unknown device 'h10-sxm5'");
    assert_contains(kc_context_message(context), "h100-sxm5");
    assert_null(kc_device_named(context, NULL));
}

TEST(a_misspelt_alias_is_answered_with_the_alias)
{
    static const struct { const char *wrong, *right; } names[] = {
        { "trillum", "'trillium'" }, { "saphire-rapids", "'sapphire-rapids'" }, { "409", "'4090'" },
        { "mi25x", "'mi250x'" }, { "h10", "'h100'" },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_null(kc_device_named(context, names[i].wrong));
        assert_contains(kc_context_message(context), names[i].right);
    }
}

TEST(every_exception_of_a_shipped_device_is_needed)
{
    for (size_t i = 0; i < kc_device_count(); i++) {
        kc_device *device = named(kc_device_id(i));
        for (size_t r = 0; r < device->remark_count; r++) {
            const char *why = device->remarks[r].text;
            kci_text report = { .context = context };
            kci_device_check(device, &report);
            if (!strstr(report.bytes, why))
                print_error("%s: '%s' excuses nothing\n", kc_device_id(i), device->remarks[r].path);
            assert_contains(report.bytes, why);
            kci_text_free(&report);
        }
        kc_release(device);
    }
}

TEST(a_common_name_means_the_product_that_it_usually_does)
{
    static const struct { const char *name, *id; } known[] = {
        { "a100", "a100-sxm4-80gb" }, { "v100", "v100-sxm2-16gb" }, { "h100", "h100-sxm5" }, { "h200", "h200-sxm" },
        { "gh200", "gh200-96gb" }, { "h20", "h20-96gb" }, { "mi250x", "mi250x-gcd" }, { "a6000", "rtx-a6000" },
        { "trillium", "tpu-v6e" }, { "m3-max", "m3-max-40core" }, { "grace", "grace-120gb" }, { "pvc", "max-1550" },
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        kc_device *device = named(known[i].name);
        assert_text(device->id, known[i].id);
        assert_text(device->asked, known[i].name);
        kc_release(device);
    }
}

TEST(peaks_are_dense)
{
    kc_device *device = named("h100-sxm5");
    /* 132 SMs * 4 tensor cores * 512 multiply-adds * 2 * 1.83 GHz */
    assert_close(figure(device, "matrix.f16"), 132 * 4 * 512 * 2 * 1.83e9, 0.001);
    kc_release(device);
}

TEST(the_same_gpu_with_other_memory_has_another_ridge)
{
    static const struct { const char *name; double ridge; } known[] = {
        { "a100-sxm4-40gb", 201 }, { "a100-sxm4-80gb", 153 }, { "h100-sxm5", 295 }, { "h200-sxm", 206 },
    };
    for (size_t i = 0; i < 4; i++) {
        kc_device *device = named(known[i].name);
        assert_close(figure(device, "matrix.f16") / figure(device, "hbm.bandwidth"), known[i].ridge, 0.003);
        kc_release(device);
    }
}

TEST(a_type_that_the_chip_does_not_have_is_absent_and_not_zero)
{
    kc_device *device = named("h100-sxm5");
    double value = 7;
    assert_int_equal(kc_device_get(device, "matrix.i4", &value), KC_EARGUMENT);
    assert_number(value, 7);
    assert_contains(kc_context_message(context), "does not say matrix.i4");
    kc_release(device);
}

/* ---- listing, sources, defaults --------------------------------------------------------------- */

TEST(figures_are_listed_in_the_order_of_the_design)
{
    kc_device *device = named("h100-sxm5");
    static const char *const order[] = { "name", "aliases", "vendor", "arch",
                                         "year", "cores", "clock", "matrix_clock" };
    for (size_t i = 0; i < 8; i++)
        assert_text(kc_device_path(device, i), order[i]);
    kc_release(device);
}

TEST(f8_and_f8e4m3_are_one_figure)
{
    kc_device *device = named("h100-sxm5");
    assert_number(figure(device, "matrix.f8e4m3"), 1978.9e12);
    assert_number(figure(device, "matrix_tile.f8e4m3.k"), 32);
    kc_release(device);
}

TEST(defaults_fill_only_what_a_device_does_not_say)
{
    kc_device *device = named("h100-sxm5");
    double value;
    assert_int_equal(kc_device_get(device, "hbm.latency", &value), KC_EARGUMENT);
    assert_number(device->full.hbm.latency, 850);
    assert_number(device->full.overlap, 0.6);           /* of hopper */
    assert_number(device->full.l2.bandwidth, 9.8e12);   /* its own */
    const char *source = NULL;
    assert_number(kci_device_default(device, "hbm.latency", &source), 850);
    assert_contains(source, "assumed");
    assert_true(isnan(kci_device_default(device, "hbm.bandwidth", NULL)));
    kc_release(device);
}

TEST(every_default_is_a_known_figure_with_a_source)
{
    for (size_t i = 0; i < kci_device_default_count; i++)
        for (size_t f = 0; f < kci_device_defaults[i].count; f++) {
            const kci_device_figure *entry = &kci_device_defaults[i].figures[f];
            const kci_figure_row *row = kci_figure_find(entry->path);
            if (!row)
                print_error("%s: %s\n", kci_device_defaults[i].id, entry->path);
            assert_non_null(row);
            if (!entry->text)
                assert_non_null(entry->source);
        }
}

int main(void)
{
    context = kc_context_new(NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_device_can_be_named_and_has_what_a_plain_roof_needs),
        cmocka_unit_test(every_peak_of_every_shipped_device_follows_from_cores_rate_and_clock),
        cmocka_unit_test(every_figure_of_every_shipped_device_has_a_source_with_its_kind_and_confidence),
        cmocka_unit_test(no_alias_means_two_products),
        cmocka_unit_test(a_device_is_found_by_alias_and_by_its_full_name_in_any_case),
        cmocka_unit_test(an_alias_is_remembered_so_that_results_can_say_what_it_means),
        cmocka_unit_test(an_unknown_device_is_refused_with_the_nearest_names),
        cmocka_unit_test(a_misspelt_alias_is_answered_with_the_alias),
        cmocka_unit_test(every_exception_of_a_shipped_device_is_needed),
        cmocka_unit_test(a_common_name_means_the_product_that_it_usually_does),
        cmocka_unit_test(peaks_are_dense),
        cmocka_unit_test(the_same_gpu_with_other_memory_has_another_ridge),
        cmocka_unit_test(a_type_that_the_chip_does_not_have_is_absent_and_not_zero),
        cmocka_unit_test(figures_are_listed_in_the_order_of_the_design),
        cmocka_unit_test(f8_and_f8e4m3_are_one_figure),
        cmocka_unit_test(defaults_fill_only_what_a_device_does_not_say),
        cmocka_unit_test(every_default_is_a_known_figure_with_a_source),
    };
    int failed = run(tests);
    kc_context_free(context);
    return failed;
}
