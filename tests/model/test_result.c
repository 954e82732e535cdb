/* test_result.c: what count, evaluate and compare answer: fields, rows, sums, options, errors. */
#include "unit.h"

#include "result.h"

static kc_context *context;

static int open_context(void **state)
{
    (void)state;
    context = kc_context_new(NULL, NULL);
    return context == NULL;
}

static int close_context(void **state)
{
    (void)state;
    kc_context_free(context);
    return 0;
}

#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, open_context, close_context)

/* ---- building -------------------------------------------------------------------- */

static kc_object *object_of(void *handle)
{
    return handle;
}

static kc_value *input(const char *name, const char *dims, const kc_size *sizes, size_t count)
{
    kc_dtype *type = kc_dtype_named(context, "f16");
    kc_tensor *t = kc_tensor_new(context, name, dims, type, sizes, count);
    kc_value *v = kc_read(t, NULL, NULL, 0, 1, 0);
    kc_release(type);
    kc_release(t);
    return v;
}

static kc_tensor *output(const char *name, kc_value *value)
{
    kc_tensor *t = kc_write(name, value, NULL, NULL, NULL, NULL, 0, 1);
    kc_release(value);
    return t;
}

static kc_tensor *product(const char *a, const char *b, const char *c, double m, double n, double k)
{
    const kc_size sizes[] = { { "m", m }, { "n", n }, { "k", k } };
    kc_value *left = input(a, "m k", sizes, 3), *right = input(b, "k n", sizes, 3);
    kc_value *value = kc_matmul(left, right, NULL, NULL, NULL, NULL);
    kc_release(left);
    kc_release(right);
    return output(c, value);
}

/* C = A B, and D = relu(C), through HBM. */
static kc_program *chain(void)
{
    kc_tensor *c = product("A", "B", "C", 100, 70, 60);
    kc_value *read = kc_read(c, NULL, NULL, 0, 1, 0);
    kc_value *relu = kc_map("relu", &read, 1, NULL);
    kc_tensor *d = output("D", relu);
    kc_object *parts[] = { object_of(c), object_of(d) };
    kc_program *p = kc_program_new(context, "chain", parts, 2);
    kc_release(read);
    kc_release(c);
    kc_release(d);
    return p;
}

static kc_kernel *tiled(kc_object *x, double m, double n, double k, const char *grid)
{
    kc_schedule *s = kc_schedule_new(context);
    kc_schedule_tile(s, "m", m);
    kc_schedule_tile(s, "n", n);
    kc_schedule_tile(s, "k", k);
    if (grid)
        kc_schedule_grid(s, grid);
    kc_kernel *kernel = kc_tile(x, s);
    if (!kernel)
        print_error("%s\n", kc_context_message(context));
    kc_release(s);
    return kernel;
}

static double number(const kc_result *r, kc_field field)
{
    double value = NAN;
    if (kc_result_number(r, field, &value) != KC_OK)
        print_error("no %s\n", kc_field_name(field));
    return value;
}

static bool has(const kc_result *r, kc_field field)
{
    return kc_result_number(r, field, NULL) == KC_OK;
}

static kc_result *counted(kc_object *x)
{
    kc_result *r = kc_count(x, NULL);
    if (!r)
        print_error("%s\n", kc_context_message(context));
    assert_non_null(r);
    return r;
}

static kc_result *evaluated(kc_object *x, const kc_options *options)
{
    kc_device *device = kc_device_named(context, "h100-sxm5");
    kc_result *r = kc_evaluate(x, device, options);
    if (!r)
        print_error("%s\n", kc_context_message(context));
    assert_non_null(r);
    kc_release(device);
    return r;
}

/* ---- fields ----------------------------------------------------------------------- */

TEST(every_field_has_a_name_of_its_own_and_a_unit)
{
    for (int f = 0; f < KC_FIELD_COUNT; f++) {
        assert_non_null(kc_field_name((kc_field)f));
        assert_non_null(kc_field_unit((kc_field)f));
        assert_int_equal(kc_field_named(kc_field_name((kc_field)f)), f);
    }
    for (int c = 0; c < KC_LEDGER_COUNT; c++)
        assert_non_null(kc_ledger_name((kc_ledger)c));
    assert_null(kc_field_name(KC_FIELD_COUNT));
    assert_null(kc_ledger_name(KC_LEDGER_COUNT));
    assert_int_equal(kc_field_named("bandwith"), KC_FIELD_COUNT);
}

TEST(a_count_has_what_needs_no_device)
{
    kc_tensor *c = product("A", "B", "C", 100, 70, 60);
    kc_result *r = counted(object_of(c));
    double bytes = (100 * 60 + 60 * 70 + 100 * 70) * 2;
    assert_text(kc_result_name(r), "C");
    assert_null(kc_result_device(r));
    assert_null(kc_result_bound(r));
    assert_null(kc_result_class(r));
    assert_number(number(r, KC_FLOPS), 2 * 100 * 70 * 60);
    assert_number(number(r, KC_MATRIX_FLOPS), 2 * 100 * 70 * 60);
    assert_number(number(r, KC_VECTOR_FLOPS), 0);
    assert_number(number(r, KC_BYTES), bytes);
    assert_number(number(r, KC_BYTES_MIN), bytes);
    assert_number(number(r, KC_L2_BYTES), bytes);
    assert_number(number(r, KC_BYTES_WRITTEN), 100 * 70 * 2);
    assert_number(number(r, KC_INTENSITY), 840000 / bytes);
    assert_number(number(r, KC_PASSES), 1);
    assert_number(number(r, KC_LAUNCHES), 1);
    for (int f = KC_RIDGE; f <= KC_BANDWIDTH; f++)
        assert_false(has(r, (kc_field)f));
    kc_release(r);
    kc_release(c);
}

TEST(an_untiled_kernel_has_no_ctas_no_waves_and_no_footprint)
{
    kc_tensor *c = product("A", "B", "C", 100, 70, 60);
    kc_result *r = evaluated(object_of(c), NULL);
    static const kc_field absent[] = { KC_SMEM_BYTES, KC_SMEM, KC_REGISTER_BYTES, KC_CTAS, KC_OCCUPANCY,
                                       KC_WAVES, KC_WAVE_EFFICIENCY };
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_false(has(r, absent[i]));
    assert_null(kc_result_schedule(r));
    kc_release(r);
    kc_release(c);
}

TEST(the_rows_are_tensors_in_order_of_first_use)
{
    kc_tensor *c = product("B", "A", "C", 100, 70, 60);
    kc_result *r = counted(object_of(c));
    assert_int_equal(kc_result_tensors(r), 3);
    assert_text(kc_result_tensor_name(r, 0), "B");
    assert_text(kc_result_tensor_name(r, 1), "A");
    assert_text(kc_result_tensor_name(r, 2), "C");
    assert_number(kc_result_tensor_number(r, 0, KC_TENSOR_READ), 100 * 60 * 2);
    assert_number(kc_result_tensor_number(r, 2, KC_TENSOR_WRITTEN), 100 * 70 * 2);
    assert_number(kc_result_tensor_number(r, 2, KC_TENSOR_READ), 0);
    assert_number(kc_result_tensor_number(r, 3, KC_TENSOR_READ), 0);
    assert_null(kc_result_tensor_name(r, 3));
    kc_release(r);
    kc_release(c);
}

/* The first worked example of the design, section 3. */
TEST(a_tiled_kernel_shows_its_reloads_its_ctas_and_its_schedule)
{
    kc_tensor *c = product("A", "B", "C", 100, 70, 60);
    kc_kernel *kernel = tiled(object_of(c), 32, 16, 16, "m n");
    kc_result *r = counted(object_of(kernel));
    assert_number(number(r, KC_FLOPS), 840000);
    assert_number(number(r, KC_EXECUTED_FLOPS), 2 * 655360);
    assert_close(number(r, KC_TILE_EFFICIENCY), 420000.0 / 655360, 1e-15);
    assert_number(number(r, KC_BYTES_READ), 60000 + 33600);
    assert_number(number(r, KC_BYTES_WRITTEN), 14000);
    assert_number(kc_result_tensor_number(r, 0, KC_RELOAD), 60000 - 12000);
    assert_number(kc_result_tensor_number(r, 1, KC_RELOAD), 33600 - 8400);
    assert_number(number(r, KC_CTAS), 4 * 5);
    assert_true(has(r, KC_SMEM));
    assert_true(has(r, KC_REGISTER_BYTES));
    assert_contains(kc_result_schedule(r), "{\"tile\":{\"m\":32,\"k\":16,\"n\":16},\"grid\":\"m n\",\"order\":\"k\","
                                           "\"stages\":2,");
    assert_contains(kc_result_schedule(r), "\"raster\":{\"order\":\"m n\",\"group\":1},\"overlap\":\"load\"}");
    kc_release(r);
    kc_release(kernel);
    kc_release(c);
}

TEST(an_evaluated_kernel_says_how_long_and_why)
{
    kc_tensor *c = product("A", "B", "C", 4096, 4096, 4096);
    kc_kernel *kernel = tiled(object_of(c), 128, 128, 64, "m n");
    kc_result *r = evaluated(object_of(kernel), NULL);
    assert_text(kc_result_device(r), "h100-sxm5");
    assert_non_null(kc_result_bound(r));
    assert_non_null(kc_result_class(r));
    assert_true(number(r, KC_ROOF_TIME) <= number(r, KC_TIME));
    assert_true(number(r, KC_TIME) <= number(r, KC_SERIAL_TIME));
    assert_number(number(r, KC_THROUGHPUT), number(r, KC_FLOPS) / number(r, KC_TIME));
    assert_number(number(r, KC_BANDWIDTH), number(r, KC_BYTES) / number(r, KC_TIME));
    assert_true(number(r, KC_BYTES) <= number(r, KC_L2_BYTES));
    assert_true(number(r, KC_BYTES_MIN) <= number(r, KC_BYTES));
    assert_true(number(r, KC_OCCUPANCY) >= 1);
    assert_true(number(r, KC_WAVES) >= 1);
    assert_true(number(r, KC_WAVE_EFFICIENCY) <= 1);
    assert_contains(kc_result_schedule(r), "\"warps\":");
    kc_release(r);
    kc_release(kernel);
    kc_release(c);
}

TEST(no_field_is_ever_nan_or_infinite)
{
    kc_program *p = chain();
    kc_result *r = evaluated(object_of(p), NULL);
    for (int f = 0; f < KC_FIELD_COUNT; f++) {
        double value;
        if (kc_result_number(r, (kc_field)f, &value) == KC_OK)
            assert_true(isfinite(value) && value >= 0);
    }
    kc_release(r);
    kc_release(p);
}

TEST(tiles_that_nobody_gave_are_noted)
{
    kc_tensor *c = product("A", "B", "C", 100, 70, 60);
    kc_schedule *s = kc_schedule_new(context);
    kc_schedule_tile(s, "m", 32);
    kc_schedule_tile(s, "n", 16);
    kc_kernel *kernel = kc_tile(object_of(c), s);
    kc_result *r = counted(object_of(kernel));
    bool found = false;
    for (size_t i = 0; i < kc_result_notes(r); i++)
        found |= strcmp(kc_result_note(r, i), "whole in one tile, since no size was given: k") == 0;
    assert_true(found);
    kc_release(r);
    kc_release(kernel);
    kc_release(s);
    kc_release(c);
}

TEST(stages_without_a_loop_are_noted)
{
    kc_tensor *c = product("A", "B", "C", 128, 128, 128);
    static const double tiles[] = { 128, 32 };
    for (size_t i = 0; i < 2; i++) {
        kc_schedule *s = kc_schedule_new(context);
        kc_schedule_tile(s, "m", 32);
        kc_schedule_tile(s, "n", 32);
        kc_schedule_tile(s, "k", tiles[i]);
        kc_schedule_stages(s, NULL, 4);
        kc_kernel *kernel = kc_tile(object_of(c), s);
        kc_result *r = counted(object_of(kernel));
        bool found = false;
        for (size_t n = 0; n < kc_result_notes(r); n++)
            found |= strstr(kc_result_note(r, n), "stages = 4 buffer nothing") != NULL;
        assert_int_equal(found, i == 0);
        kc_release(r);
        kc_release(kernel);
        kc_release(s);
    }
    kc_release(c);
}

/* Online softmax over rows, tiled so that its statistics stay on chip. */
TEST(statistics_that_stay_on_chip_are_no_rows)
{
    const kc_size sizes[] = { { "m", 64 }, { "n", 64 } };
    kc_value *a = input("A", "m n", sizes, 2);
    kc_value *p = kc_softmax(a, "n", 1);
    kc_tensor *t = output("P", p);
    kc_schedule *s = kc_schedule_new(context);
    kc_schedule_tile(s, "m", 16);
    kc_schedule_tile(s, "n", 16);
    kc_kernel *kernel = kc_tile(object_of(t), s);
    kc_result *r = counted(object_of(kernel));
    assert_int_equal(kc_result_tensors(r), 2);
    assert_text(kc_result_tensor_name(r, 0), "A");
    assert_number(kc_result_tensor_number(r, 0, KC_PASS), 64 * 64 * 2);
    assert_text(kc_result_tensor_name(r, 1), "P");
    kc_release(r);
    kc_release(kernel);
    kc_release(s);
    kc_release(t);
    kc_release(a);
}

/* ---- programs --------------------------------------------------------------------- */

TEST(a_program_is_the_sum_of_its_kernels)
{
    kc_program *p = chain();
    kc_result *r = evaluated(object_of(p), NULL);
    assert_text(kc_result_name(r), "chain");
    assert_int_equal(kc_result_kernels(r), 2);
    double time = 0, flops = 0, bytes = 0, longest = 0;
    const char *bound = NULL;
    for (size_t i = 0; i < 2; i++) {
        kc_result *k = kc_result_kernel(r, i);
        time += number(k, KC_TIME);
        flops += number(k, KC_FLOPS);
        bytes += number(k, KC_BYTES);
        if (number(k, KC_TIME) > longest) {
            longest = number(k, KC_TIME);
            bound = kc_result_bound(k);
        }
        assert_number(number(k, KC_LAUNCHES), 1);
        kc_release(k);
    }
    assert_number(number(r, KC_TIME), time);
    assert_number(number(r, KC_FLOPS), flops);
    assert_number(number(r, KC_BYTES), bytes);
    assert_number(number(r, KC_LAUNCHES), 2);
    assert_number(number(r, KC_FLOPS), 840000 + 7000);
    assert_text(kc_result_bound(r), bound);
    assert_false(has(r, KC_CTAS));
    kc_release(r);
    kc_release(p);
}

TEST(a_tensor_of_several_kernels_is_one_row)
{
    kc_program *p = chain();
    kc_result *r = counted(object_of(p));
    assert_int_equal(kc_result_tensors(r), 4);
    assert_text(kc_result_tensor_name(r, 2), "C");
    assert_number(kc_result_tensor_number(r, 2, KC_TENSOR_READ), 14000);
    assert_number(kc_result_tensor_number(r, 2, KC_TENSOR_WRITTEN), 14000);
    assert_number(kc_result_tensor_number(r, 2, KC_COMPULSORY), 28000);
    assert_text(kc_result_tensor_name(r, 3), "D");
    kc_release(r);
    kc_release(p);
}

TEST(repeated_and_nested_programs_are_flattened)
{
    kc_program *inner = chain();
    kc_program *layers = kc_times(object_of(inner), 3);
    kc_tensor *head = product("H", "W", "L", 10, 10, 10);
    kc_object *parts[] = { object_of(layers), object_of(head) };
    kc_program *model = kc_program_new(context, "model", parts, 2);
    kc_result *r = counted(object_of(model));
    assert_int_equal(kc_result_kernels(r), 3);
    kc_result *first = kc_result_kernel(r, 0), *last = kc_result_kernel(r, 2);
    assert_number(number(first, KC_LAUNCHES), 3);
    assert_number(number(first, KC_FLOPS), 3 * 840000);
    assert_number(number(last, KC_LAUNCHES), 1);
    assert_number(number(r, KC_LAUNCHES), 7);
    assert_number(number(r, KC_FLOPS), 3 * 847000 + 2000);
    assert_number(kc_result_tensor_number(r, 2, KC_TENSOR_WRITTEN), 3 * 14000);
    kc_release(first);
    kc_release(last);
    kc_release(r);
    kc_release(model);
    kc_release(head);
    kc_release(layers);
    kc_release(inner);
}

TEST(a_kernel_of_a_result_outlives_the_program)
{
    kc_program *p = chain();
    kc_result *r = counted(object_of(p));
    kc_result *k = kc_result_kernel(r, 1);
    kc_release(r);
    kc_release(p);
    assert_text(kc_result_name(k), "D");
    assert_number(number(k, KC_VECTOR_FLOPS), 7000);
    kc_release(k);
    assert_null(kc_result_kernel(NULL, 0));
}

TEST(a_group_is_one_launch_that_adds_its_members)
{
    kc_tensor *a = product("A1", "B1", "C1", 128, 64, 64), *b = product("A2", "B2", "C2", 256, 64, 64);
    kc_kernel *one = tiled(object_of(a), 64, 64, 64, NULL), *two = tiled(object_of(b), 64, 64, 64, NULL);
    kc_object *parts[] = { object_of(one), object_of(two) };
    kc_kernel *group = kc_group(context, "ragged", parts, 2);
    kc_result *r = evaluated(object_of(group), NULL);
    assert_text(kc_result_name(r), "ragged");
    assert_number(number(r, KC_LAUNCHES), 1);
    assert_number(number(r, KC_FLOPS), 2 * (128 + 256) * 64 * 64);
    assert_number(number(r, KC_CTAS), 2 + 4);
    assert_number(number(r, KC_WAVES), 1);
    assert_int_equal(kc_result_tensors(r), 6);
    assert_true(number(r, KC_ROOF_TIME) <= number(r, KC_TIME));
    assert_true(number(r, KC_TIME) <= number(r, KC_SERIAL_TIME));
    kc_release(r);
    kc_release(group);
    kc_release(one);
    kc_release(two);
    kc_release(a);
    kc_release(b);
}

/* ---- comparisons ------------------------------------------------------------------- */

TEST(a_comparison_is_x_by_x_and_device_by_device)
{
    kc_program *p = chain();
    kc_tensor *c = product("A", "B", "C", 100, 70, 60);
    kc_device *devices[] = { kc_device_named(context, "a100-sxm4-40gb"), kc_device_named(context, "h100-sxm5") };
    kc_object *xs[] = { object_of(p), object_of(c) };
    kc_comparison *all = kc_compare(context, xs, 2, devices, 2, NULL);
    assert_non_null(all);
    assert_int_equal(kc_comparison_rows(all), 4);
    assert_int_equal(kc_comparison_devices(all), 2);
    assert_text(kc_comparison_name(all, 1), "chain");
    assert_text(kc_comparison_device(all, 1), "h100-sxm5");
    assert_text(kc_comparison_name(all, 2), "C");
    assert_text(kc_comparison_device(all, 2), "a100-sxm4-40gb");
    double ratio;
    assert_int_equal(kc_comparison_ratio(all, 2, KC_FLOPS, &ratio), KC_OK);
    assert_number(ratio, 840000.0 / 847000);
    assert_int_equal(kc_comparison_ratio(all, 0, KC_TIME, &ratio), KC_OK);
    assert_number(ratio, 1);
    kc_release(all);
    kc_release(devices[0]);
    kc_release(devices[1]);
    kc_release(p);
    kc_release(c);
}

TEST(what_does_not_fit_is_a_row_with_the_reason)
{
    kc_tensor *c = product("A", "B", "C", 4096, 4096, 4096);
    kc_kernel *huge = tiled(object_of(c), 1024, 1024, 1024, "m n");
    kc_device *device = kc_device_named(context, "h100-sxm5");
    kc_object *xs[] = { object_of(c), object_of(huge) };
    kc_comparison *all = kc_compare(context, xs, 2, &device, 1, NULL);
    assert_non_null(all);
    assert_null(kc_comparison_error(all, 0));
    assert_null(kc_comparison_result(all, 1));
    assert_non_null(kc_comparison_error(all, 1));
    assert_int_equal(kc_comparison_ratio(all, 1, KC_TIME, NULL), KC_EARGUMENT);
    kc_release(all);
    kc_release(huge);
    kc_release(device);
    kc_release(c);
}

TEST(without_devices_a_comparison_counts)
{
    kc_program *p = chain();
    kc_object *xs[] = { object_of(p), object_of(p) };
    kc_comparison *all = kc_compare(context, xs, 2, NULL, 0, NULL);
    assert_non_null(all);
    assert_int_equal(kc_comparison_rows(all), 2);
    assert_null(kc_comparison_device(all, 0));
    double ratio;
    assert_int_equal(kc_comparison_ratio(all, 1, KC_BYTES, &ratio), KC_OK);
    assert_number(ratio, 1);
    kc_release(all);
    kc_release(p);
}

/* ---- options and errors --------------------------------------------------------------- */

TEST(an_option_that_does_not_exist_names_the_nearest)
{
    kc_options *o = kc_options_new(context);
    assert_int_equal(kc_options_set_text(o, "lunch", "stream"), KC_EARGUMENT);
    assert_text(kc_context_message(context),
                "there is no option 'lunch'; did you mean 'launch'? (l2, cache, launch, convention, measured)");
    assert_int_equal(kc_options_set(o, "l3", 1), KC_EARGUMENT);
    assert_int_equal(kc_options_set_text(o, "cache", "hot"), KC_EARGUMENT);
    assert_contains(kc_context_message(context), "option 'cache' is 'cold' or 'warm', not 'hot'");
    assert_int_equal(kc_options_set_text(o, "launch", "graf"), KC_EARGUMENT);
    assert_contains(kc_context_message(context), "did you mean 'graph'?");
    assert_int_equal(kc_options_set(o, "cache", 1), KC_EARGUMENT);
    assert_int_equal(kc_options_set(o, "l2", 0.5), KC_EARGUMENT);
    assert_int_equal(kc_options_set_text(o, "l2", "off"), KC_EARGUMENT);
    assert_int_equal(kc_options_set(o, "l2", 0), KC_OK);
    kc_release(o);
}

TEST(without_l2_hbm_traffic_is_that_of_the_tile_loop)
{
    kc_tensor *c = product("A", "B", "C", 4096, 4096, 4096);
    kc_kernel *kernel = tiled(object_of(c), 128, 128, 64, "m n");
    kc_options *o = kc_options_new(context);
    assert_int_equal(kc_options_set(o, "l2", 0), KC_OK);
    kc_result *count = counted(object_of(kernel)), *r = evaluated(object_of(kernel), o);
    assert_number(number(r, KC_BYTES), number(count, KC_BYTES));
    assert_number(number(r, KC_L2_BYTES), number(count, KC_BYTES));
    kc_release(count);
    kc_release(r);
    kc_release(o);
    kc_release(kernel);
    kc_release(c);
}

TEST(a_cache_option_for_a_tensor_that_is_not_there_is_an_error)
{
    kc_tensor *c = product("A", "Bias", "C", 100, 70, 60);
    kc_options *o = kc_options_new(context);
    kc_device *device = kc_device_named(context, "h100-sxm5");
    assert_int_equal(kc_options_set_text(o, "cache.Bais", "warm"), KC_OK);
    assert_null(kc_evaluate(object_of(c), device, o));
    assert_contains(kc_context_message(context), "'Bais'");
    assert_contains(kc_context_message(context), "did you mean 'Bias'?");
    kc_release(device);
    kc_release(o);
    kc_release(c);
}

TEST(what_a_tensors_cache_is_said_to_be_last_counts)
{
    kc_tensor *c = product("A", "B", "C", 1000, 1000, 1000);
    kc_options *once = kc_options_new(context), *twice = kc_options_new(context);
    assert_int_equal(kc_options_set_text(once, "cache.A", "warm"), KC_OK);
    assert_int_equal(kc_options_set_text(twice, "cache.A", "warm"), KC_OK);
    assert_int_equal(kc_options_set_text(twice, "cache.A", "cold"), KC_OK);
    kc_result *cold = evaluated(object_of(c), NULL), *warm = evaluated(object_of(c), once), *last = evaluated(object_of(c), twice);
    assert_true(number(warm, KC_BYTES) < number(cold, KC_BYTES));
    assert_number(number(last, KC_BYTES), number(cold, KC_BYTES));
    kc_release(cold);
    kc_release(warm);
    kc_release(last);
    kc_release(once);
    kc_release(twice);
    kc_release(c);
}

TEST(missing_arguments_are_errors_and_not_crashes)
{
    kc_tensor *c = product("A", "B", "C", 100, 70, 60);
    assert_null(kc_count(NULL, NULL));
    assert_null(kc_evaluate(NULL, NULL, NULL));
    assert_null(kc_evaluate(object_of(c), NULL, NULL));
    assert_contains(kc_context_message(context), "device");
    assert_null(kc_compare(context, NULL, 0, NULL, 0, NULL));
    assert_null(kc_compare(NULL, NULL, 0, NULL, 0, NULL));
    kc_object *none[] = { NULL };
    assert_null(kc_compare(context, none, 1, NULL, 0, NULL));
    assert_null(kc_options_new(NULL));
    assert_int_equal(kc_options_set(NULL, "l2", 0), KC_EARGUMENT);
    assert_int_equal(kc_result_number(NULL, KC_FLOPS, NULL), KC_EARGUMENT);
    assert_null(kc_result_name(NULL));
    assert_int_equal(kc_result_tensors(NULL), 0);
    kc_release(c);
}

TEST(what_has_no_kernel_can_not_be_counted)
{
    const kc_size sizes[] = { { "n", 10 } };
    kc_dtype *type = kc_dtype_named(context, "f16");
    kc_tensor *t = kc_tensor_new(context, "T", "n", type, sizes, 1);
    assert_null(kc_count(object_of(t), NULL));
    assert_int_equal(kc_context_status(context), KC_EARGUMENT);
    assert_null(kc_count(object_of(type), NULL));
    kc_release(t);
    kc_release(type);
}

/* Refuses the n-th block and all after it; counts what is held. */
typedef struct host {
    long left;
    size_t held;
} host;

static void *host_resize(void *data, void *block, size_t old_size, size_t new_size)
{
    host *h = data;
    if (new_size > old_size && --h->left < 0)
        return NULL;
    h->held += new_size - old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

TEST(any_refused_block_of_an_evaluation_is_an_error_without_a_leak)
{
    kc_context *own = context;
    bool whole = false;
    long n = 0;
    for (; !whole && n < 5000; n++) {
        host h = { 1000000, 0 };
        context = kc_context_new(host_resize, &h);
        kc_program *p = chain();
        kc_device *device = kc_device_named(context, "h100-sxm5");
        kc_options *o = kc_options_new(context);
        kc_options_set_text(o, "convention", "llm-viewer");
        kc_options_set_text(o, "cache.A", "warm");
        h.left = n;
        kc_result *r = kc_evaluate(object_of(p), device, o);
        whole = r != NULL;
        if (!whole)
            assert_int_equal(kc_context_status(context), KC_ENOMEM);
        kc_release(r);
        kc_release(o);
        kc_release(device);
        kc_release(p);
        kc_context_free(context);
        assert_int_equal(h.held, 0);
    }
    context = own;
    assert_true(whole);
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(every_field_has_a_name_of_its_own_and_a_unit),
        IN_CONTEXT(a_count_has_what_needs_no_device),
        IN_CONTEXT(an_untiled_kernel_has_no_ctas_no_waves_and_no_footprint),
        IN_CONTEXT(the_rows_are_tensors_in_order_of_first_use),
        IN_CONTEXT(a_tiled_kernel_shows_its_reloads_its_ctas_and_its_schedule),
        IN_CONTEXT(an_evaluated_kernel_says_how_long_and_why),
        IN_CONTEXT(no_field_is_ever_nan_or_infinite),
        IN_CONTEXT(tiles_that_nobody_gave_are_noted),
        IN_CONTEXT(stages_without_a_loop_are_noted),
        IN_CONTEXT(statistics_that_stay_on_chip_are_no_rows),
        IN_CONTEXT(a_program_is_the_sum_of_its_kernels),
        IN_CONTEXT(a_tensor_of_several_kernels_is_one_row),
        IN_CONTEXT(repeated_and_nested_programs_are_flattened),
        IN_CONTEXT(a_kernel_of_a_result_outlives_the_program),
        IN_CONTEXT(a_group_is_one_launch_that_adds_its_members),
        IN_CONTEXT(a_comparison_is_x_by_x_and_device_by_device),
        IN_CONTEXT(what_does_not_fit_is_a_row_with_the_reason),
        IN_CONTEXT(without_devices_a_comparison_counts),
        IN_CONTEXT(an_option_that_does_not_exist_names_the_nearest),
        IN_CONTEXT(without_l2_hbm_traffic_is_that_of_the_tile_loop),
        IN_CONTEXT(a_cache_option_for_a_tensor_that_is_not_there_is_an_error),
        IN_CONTEXT(what_a_tensors_cache_is_said_to_be_last_counts),
        IN_CONTEXT(missing_arguments_are_errors_and_not_crashes),
        IN_CONTEXT(what_has_no_kernel_can_not_be_counted),
        IN_CONTEXT(any_refused_block_of_an_evaluation_is_an_error_without_a_leak),
    };
    return run(tests);
}
