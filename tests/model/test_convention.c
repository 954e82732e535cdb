/* test_convention.c: how others count: bundles and switches, against what they publish. */
#include "unit.h"

#include "convention.h"

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

/* ---- building ------------------------------------------------------------------ */

static kc_tensor *tensor(const char *name, const char *dims, const char *dtype, const kc_size *sizes, size_t count)
{
    kc_dtype *type = kc_dtype_named(context, dtype);
    kc_tensor *t = kc_tensor_new(context, name, dims, type, sizes, count);
    kc_release(type);
    return t;
}

static kc_value *input(const char *name, const char *dims, const char *dtype, const kc_size *sizes, size_t count)
{
    kc_tensor *t = tensor(name, dims, dtype, sizes, count);
    kc_value *v = kc_read(t, NULL, NULL, 0, 1, 0);
    kc_release(t);
    return v;
}

/* The written tensor, which holds all that lies behind it. */
static kc_object *output(kc_value *value, const char *dtype)
{
    kc_dtype *type = kc_dtype_named(context, dtype);
    kc_tensor *t = kc_write("Y", value, type, NULL, NULL, NULL, 0, 1);
    kc_release(type);
    kc_release(value);
    return (kc_object *)(void *)t;
}

static kc_value *two(const char *what, kc_value *a, kc_value *b)
{
    kc_value *inputs[] = { a, b };
    kc_value *v = kc_map(what, inputs, 2, NULL);
    kc_release(a);
    kc_release(b);
    return v;
}

static kc_value *one(const char *what, kc_value *a, double flops, double special)
{
    const kc_cost cost = { flops, special };
    kc_value *v = kc_map(what, &a, 1, &cost);
    kc_release(a);
    return v;
}

/* Attention over n keys and queries, d = 64, 16 heads. */
enum { N = 1024, D = 64, H = 16 };

static kc_object *attention(bool causal, bool online)
{
    const kc_size sizes[] = { { "h", H }, { "i", N }, { "j", N }, { "d", D }, { "e", D } };
    kc_value *q = input("Q", "h i d", "f16", sizes, 5), *k = input("K", "h j d", "f16", sizes, 5);
    kc_value *v = input("V", "h j e", "f16", sizes, 5);
    kc_value *s = kc_matmul(q, k, NULL, NULL, NULL, NULL);
    kc_value *masked = causal ? kc_causal(s, "i", "j") : kc_retain(s);
    kc_value *p = kc_softmax(masked, "j", online);
    kc_value *o = kc_matmul(p, v, "j", NULL, NULL, NULL);
    kc_release(q);
    kc_release(k);
    kc_release(v);
    kc_release(s);
    kc_release(masked);
    kc_release(p);
    return output(o, "f16");
}

static double number(const kc_result *r, kc_field field)
{
    double value = NAN;
    assert_int_equal(kc_result_number(r, field, &value), KC_OK);
    return value;
}

static kc_result *counted(kc_object *x, const char *convention)
{
    kc_options *options = kc_options_new(context);
    if (convention)
        assert_int_equal(kc_options_set_text(options, "convention", convention), KC_OK);
    kc_result *r = kc_count(x, options);
    if (!r)
        print_error("%s\n", kc_context_message(context));
    assert_non_null(r);
    kc_release(options);
    return r;
}

static double counted_as(kc_object *x, const char *convention, kc_field field)
{
    kc_result *r = counted(x, convention);
    double value = number(r, field);
    kc_release(r);
    return value;
}

static double flops_as(kc_object *x, const char *convention)
{
    return counted_as(x, convention, KC_FLOPS);
}

/* 2 matmuls of 2 FLOP a multiply-add over the full square. */
static const double SQUARE = 4.0 * H * N * N * D;
static const double SCORES = 1.0 * H * N * N;

/* ---- work ------------------------------------------------------------------------ */

TEST(pytorch_counts_matmuls_and_nothing_else)
{
    kc_object *x = attention(false, false);
    assert_number(flops_as(x, "pytorch"), SQUARE);
    assert_number(counted_as(x, "pytorch", KC_SPECIAL_OPS), 0);
    assert_number(counted_as(x, "pytorch", KC_VECTOR_FLOPS), 0);
    kc_release(x);
}

TEST(pytorch_does_not_halve_a_causal_mask)
{
    kc_object *x = attention(true, true);
    assert_number(flops_as(x, "pytorch"), SQUARE);
    assert_number(flops_as(x, "palm"), SQUARE);
    kc_release(x);
}

TEST(flash_attention_halves_a_causal_mask)
{
    kc_object *x = attention(true, true);
    assert_number(flops_as(x, "flash-attention"), SQUARE / 2);
    assert_number(flops_as(x, "maxtext"), SQUARE / 2);
    kc_release(x);
}

TEST(without_a_mask_half_and_full_are_the_same)
{
    kc_object *x = attention(false, true);
    assert_number(flops_as(x, "flash-attention"), SQUARE);
    kc_release(x);
}

TEST(the_design_counts_the_live_points_of_a_mask)
{
    kc_object *x = attention(true, false);
    double live = H * N * (N + 1.0) / 2;
    assert_number(counted_as(x, NULL, KC_MATRIX_FLOPS), 4 * D * live);
    kc_release(x);
}

TEST(a_window_stays_exact_where_a_causal_mask_is_halved)
{
    const kc_size sizes[] = { { "i", 64 }, { "j", 64 }, { "d", 8 } };
    kc_value *q = input("Q", "i d", "f16", sizes, 3), *k = input("K", "j d", "f16", sizes, 3);
    kc_value *s = kc_matmul(q, k, NULL, NULL, NULL, NULL);
    kc_value *window = kc_mask(s, "i", "j", -3, 0);
    kc_release(q);
    kc_release(k);
    kc_release(s);
    kc_object *x = output(window, "f16");
    double live = 64 * 4 - (3 + 2 + 1);
    assert_number(flops_as(x, "flash-attention"), 2 * 8 * live);
    assert_number(flops_as(x, "pytorch"), 2 * 8 * 64 * 64);
    kc_release(x);
}

TEST(fvcore_and_thop_count_a_multiply_add_as_one)
{
    kc_object *x = attention(false, false);
    assert_number(flops_as(x, "fvcore"), SQUARE / 2);
    assert_number(flops_as(x, "thop"), SQUARE / 2);
    kc_release(x);
}

TEST(softmax_costs_5_an_element_in_llm_viewer_and_3_at_baseten)
{
    kc_object *safe = attention(false, false), *online = attention(false, true);
    assert_number(flops_as(safe, "llm-viewer"), SQUARE + 5 * SCORES);
    assert_number(flops_as(online, "llm-viewer"), SQUARE + 5 * SCORES);
    assert_number(flops_as(safe, "baseten"), SQUARE + 3 * SCORES);
    kc_release(safe);
    kc_release(online);
}

TEST(a_norm_costs_7_an_element_in_llm_viewer_and_4_in_the_roofline_analyzer)
{
    const kc_size sizes[] = { { "m", 2048 }, { "k", 4096 } };
    kc_value *v = input("X", "m k", "f16", sizes, 2);
    v = one("norm.square", v, 1, 0);
    kc_object *x = output(one("norm", v, 3, 1), "f16");
    double elements = 2048.0 * 4096;
    assert_number(flops_as(x, NULL), 5 * elements);
    assert_number(flops_as(x, "llm-viewer"), 7 * elements);
    assert_number(flops_as(x, "transformer-roofline-analyzer"), 4 * elements);
    assert_number(flops_as(x, "pytorch"), 0);
    kc_release(x);
}

TEST(the_scaling_book_counts_2n_minus_1_for_a_dot_product)
{
    const kc_size sizes[] = { { "n", 1000 } };
    kc_value *a = input("A", "n", "bf16", sizes, 1), *b = input("B", "n", "bf16", sizes, 1);
    kc_value *dot = kc_matmul(a, b, NULL, NULL, NULL, NULL);
    kc_release(a);
    kc_release(b);
    kc_object *x = output(dot, "bf16");
    assert_number(flops_as(x, NULL), 2000);
    assert_number(flops_as(x, "scaling-book"), 1999);
    kc_release(x);
}

static kc_object *product(void)
{
    const kc_size sizes[] = { { "m", 30 }, { "n", 20 }, { "k", 10 } };
    kc_value *a = input("A", "m k", "f16", sizes, 3), *b = input("B", "k n", "f16", sizes, 3);
    kc_value *c = kc_matmul(a, b, NULL, NULL, NULL, NULL);
    kc_release(a);
    kc_release(b);
    return output(c, "f16");
}

TEST(a_dot_product_of_k_terms_is_2k_minus_1_for_each_output)
{
    kc_object *x = product();
    assert_number(flops_as(x, "transformer-roofline-analyzer"), 30 * 20 * (2 * 10 - 1));
    kc_release(x);
}

/* ---- traffic ------------------------------------------------------------------------ */

static kc_object *sum_of(const char *dims_b, const char *dtype)
{
    const kc_size sizes[] = { { "m", 100 }, { "n", 200 } };
    kc_value *a = input("A", "m n", dtype, sizes, 2), *b = input("B", dims_b, dtype, sizes, 2);
    return output(two("add", a, b), dtype);
}

TEST(llm_viewer_reads_one_operand_of_an_add)
{
    kc_object *x = sum_of("m n", "f16");
    assert_number(counted_as(x, NULL, KC_BYTES), 3 * 100 * 200 * 2);
    kc_result *r = counted(x, "llm-viewer");
    assert_number(number(r, KC_BYTES), 2 * 100 * 200 * 2);
    assert_number(number(r, KC_BYTES_MIN), 2 * 100 * 200 * 2);
    assert_text(kc_result_tensor_name(r, 1), "B");
    assert_number(kc_result_tensor_number(r, 1, KC_TENSOR_READ), 0);
    kc_release(r);
    kc_release(x);
}

TEST(a_matmul_has_no_second_operand)
{
    kc_object *x = product();
    assert_number(counted_as(x, "llm-viewer", KC_BYTES), (300 + 200 + 600) * 2);
    kc_release(x);
}

TEST(triton_charged_a_broadcast_operand_at_full_size_in_2021)
{
    kc_object *x = sum_of("m", "f32");
    assert_number(counted_as(x, "triton", KC_BYTES_READ), (100 * 200 + 100) * 4);
    assert_number(counted_as(x, "triton-2021", KC_BYTES_READ), 2 * 100 * 200 * 4);
    assert_number(counted_as(x, "triton-2021", KC_BYTES_WRITTEN), 100 * 200 * 4);
    kc_release(x);
}

TEST(a_triad_moves_24_bytes_an_element_and_32_with_write_allocate)
{
    const kc_size sizes[] = { { "n", 1000 } };
    kc_value *b = input("B", "n", "f64", sizes, 1), *c = input("C", "n", "f64", sizes, 1);
    kc_object *x = output(two("fma", b, c), "f64");
    assert_number(counted_as(x, "stream", KC_BYTES), 24 * 1000);
    assert_number(flops_as(x, "stream"), 2 * 1000);
    kc_result *r = counted(x, "kerncraft");
    assert_number(number(r, KC_BYTES), 32 * 1000);
    assert_number(number(r, KC_BYTES_READ), 24 * 1000);
    assert_number(number(r, KC_BYTES_WRITTEN), 8 * 1000);
    assert_number(number(r, KC_BYTES_MIN), 32 * 1000);
    kc_release(r);
    kc_release(x);
}

TEST(deepgemm_leaves_the_scales_out)
{
    const kc_size sizes[] = { { "m", 64 }, { "n", 128 }, { "k", 256 } };
    kc_value *a = input("A", "m k", "mxf8", sizes, 3), *b = input("B", "k n", "mxf8", sizes, 3);
    kc_value *c = kc_matmul(a, b, NULL, NULL, NULL, NULL);
    kc_release(a);
    kc_release(b);
    kc_object *x = output(c, "bf16");
    double operands = 64 * 256 + 256 * 128, result = 64 * 128 * 2;
    assert_number(counted_as(x, NULL, KC_BYTES), operands * 33 / 32 + result);
    assert_number(counted_as(x, "deepgemm", KC_BYTES), operands + result);
    kc_release(x);
}

TEST(the_rows_of_a_ledger_add_up_under_every_convention)
{
    kc_object *x = attention(true, true);
    const char *name;
    for (size_t i = 0; (name = kci_convention_nth(NULL, i)) != NULL; i++) {
        kc_result *r = counted(x, name);
        double read = 0, written = 0, causes = 0;
        for (size_t t = 0; t < kc_result_tensors(r); t++) {
            read += kc_result_tensor_number(r, t, KC_TENSOR_READ);
            written += kc_result_tensor_number(r, t, KC_TENSOR_WRITTEN);
            for (int c = KC_COMPULSORY; c <= KC_SPLIT; c++)
                causes += kc_result_tensor_number(r, t, (kc_ledger)c);
        }
        assert_number(number(r, KC_BYTES_READ), read);
        assert_number(number(r, KC_BYTES_WRITTEN), written);
        assert_number(number(r, KC_BYTES), causes);
        kc_release(r);
    }
    kc_release(x);
}

/* ---- a convention counts; it does not run -------------------------------------------- */

TEST(a_time_is_the_same_under_every_convention)
{
    kc_object *x = attention(true, true);
    kc_device *device = kc_device_named(context, "h100-sxm5");
    kc_result *own = kc_evaluate(x, device, NULL);
    assert_non_null(own);
    const char *name;
    for (size_t i = 0; (name = kci_convention_nth(NULL, i)) != NULL; i++) {
        kc_options *options = kc_options_new(context);
        assert_int_equal(kc_options_set_text(options, "convention", name), KC_OK);
        kc_result *r = kc_evaluate(x, device, options);
        assert_non_null(r);
        assert_number(number(r, KC_TIME), number(own, KC_TIME));
        assert_number(number(r, KC_ROOF_TIME), number(own, KC_ROOF_TIME));
        assert_number(number(r, KC_THROUGHPUT), number(r, KC_FLOPS) / number(own, KC_TIME));
        kc_release(r);
        kc_release(options);
    }
    kc_release(own);
    kc_release(device);
    kc_release(x);
}

TEST(a_convention_changes_nothing_in_the_kernel)
{
    kc_object *x = attention(true, true);
    double before = flops_as(x, NULL), bytes = counted_as(x, NULL, KC_BYTES);
    flops_as(x, "fvcore");
    flops_as(x, "flash-attention");
    assert_number(flops_as(x, NULL), before);
    assert_number(counted_as(x, NULL, KC_BYTES), bytes);
    kc_release(x);
}

TEST(the_bundle_of_the_design_changes_nothing)
{
    kc_object *x = attention(true, true);
    assert_number(flops_as(x, "kcost"), flops_as(x, NULL));
    kc_release(x);
}

/* ---- switches and lines ---------------------------------------------------------------- */

static const char *line_of(kc_object *x, kc_options *options)
{
    static char line[512];
    kc_result *r = kc_count(x, options);
    assert_non_null(r);
    snprintf(line, sizeof line, "%s", kc_result_convention(r));
    kc_release(r);
    return line;
}

TEST(a_table_states_its_convention_in_one_line)
{
    kc_object *x = product();
    kc_options *options = kc_options_new(context);
    assert_text(line_of(x, NULL), "multiply-add = 2 FLOP; dense peaks; causal exact; GB = 10^9");
    kc_options_set_text(options, "convention", "llm-viewer");
    assert_text(line_of(x, options), "as llm-viewer: multiply-add = 2 FLOP; softmax 5 FLOP an element; norm 7 FLOP "
                                     "an element; second operands not moved; dense peaks; causal full; GB = 10^9");
    kc_options_set_text(options, "convention.causal", "half");
    assert_text(line_of(x, options), "multiply-add = 2 FLOP; softmax 5 FLOP an element; norm 7 FLOP an element; second "
                                     "operands not moved; dense peaks; causal half; GB = 10^9");
    static const char *const off[] = { "special", "integers", "scales" }, *const on[] = { "broadcast", "write_allocate" };
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(kc_options_set(options, strcat(strcpy((char[64]){ 0 }, "convention."), off[i]), 0), KC_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(kc_options_set(options, strcat(strcpy((char[64]){ 0 }, "convention."), on[i]), 1), KC_OK);
    assert_int_equal(kc_options_set_text(options, "convention.peak", "sparse"), KC_OK);
    assert_text(line_of(x, options), "multiply-add = 2 FLOP; softmax 5 FLOP an element; norm 7 FLOP an element; special ops "
                                     "free; integer ops free; second operands not moved; broadcast operands at full size; "
                                     "scales not moved; written lines read first; 2:4-sparse peaks; causal half; GB = 10^9");
    kc_options_set_text(options, "convention.as", "pytorch");
    assert_text(line_of(x, options), "as pytorch: multiply-add = 2 FLOP; matmuls only; padding counted; dense "
                                     "peaks; causal full; GB = 10^9");
    kc_release(options);
    kc_release(x);
}

TEST(each_switch_can_be_set_by_its_name)
{
    kc_options *options = kc_options_new(context);
    static const char *const flags[] = { "special", "vector", "integers", "padding", "second_operands",
                                         "broadcast", "scales", "write_allocate" };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        char key[64];
        snprintf(key, sizeof key, "convention.%s", flags[i]);
        assert_int_equal(kc_options_set(options, key, 0), KC_OK);
        assert_int_equal(kc_options_set(options, key, 1), KC_OK);
        assert_int_equal(kc_options_set(options, key, 2), KC_EARGUMENT);
        assert_int_equal(kc_options_set_text(options, key, "yes"), KC_EARGUMENT);
    }
    assert_int_equal(kc_options_set(options, "convention.multiply_add", 1), KC_OK);
    assert_int_equal(kc_options_set_text(options, "convention.multiply_add", "2K-1"), KC_OK);
    assert_int_equal(kc_options_set(options, "convention.multiply_add", 3), KC_EARGUMENT);
    assert_text(kc_context_message(context), "convention: multiply_add is 2, 1 or '2K-1', not '3'");
    assert_int_equal(kc_options_set(options, "convention.softmax", 5), KC_OK);
    assert_int_equal(kc_options_set(options, "convention.softmax", -5), KC_EARGUMENT);
    assert_int_equal(kc_options_set(options, "convention.norm", 0), KC_OK);
    assert_int_equal(kc_options_set_text(options, "convention.causal", "half"), KC_OK);
    assert_int_equal(kc_options_set_text(options, "convention.causal", "third"), KC_EARGUMENT);
    assert_int_equal(kc_options_set_text(options, "convention.peak", "dense"), KC_OK);
    assert_int_equal(kc_options_set_text(options, "convention.peak", "dens"), KC_EARGUMENT);
    assert_text(kc_context_message(context), "convention: peak is 'dense' or 'sparse', not 'dens'");
    kc_release(options);
}

TEST(a_switch_after_a_bundle_changes_the_bundle)
{
    kc_object *x = attention(false, false);
    kc_options *options = kc_options_new(context);
    kc_options_set_text(options, "convention", "pytorch");
    kc_options_set(options, "convention.multiply_add", 1);
    kc_options_set(options, "convention.softmax", 2);
    kc_result *r = kc_count(x, options);
    assert_number(number(r, KC_FLOPS), SQUARE / 2 + 2 * SCORES);
    kc_release(r);
    kc_release(options);
    kc_release(x);
}

TEST(an_unknown_bundle_or_switch_names_the_nearest)
{
    kc_options *options = kc_options_new(context);
    assert_int_equal(kc_options_set_text(options, "convention", "pytroch"), KC_EARGUMENT);
    assert_text(kc_context_message(context), "there is no convention 'pytroch'; did you mean 'pytorch'?");
    assert_int_equal(kc_options_set(options, "convention.sofmax", 3), KC_EARGUMENT);
    assert_text(kc_context_message(context),
                "convention: there is no switch 'sofmax'; did you mean 'softmax'?");
    kc_release(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(pytorch_counts_matmuls_and_nothing_else),
        IN_CONTEXT(pytorch_does_not_halve_a_causal_mask),
        IN_CONTEXT(flash_attention_halves_a_causal_mask),
        IN_CONTEXT(without_a_mask_half_and_full_are_the_same),
        IN_CONTEXT(the_design_counts_the_live_points_of_a_mask),
        IN_CONTEXT(a_window_stays_exact_where_a_causal_mask_is_halved),
        IN_CONTEXT(fvcore_and_thop_count_a_multiply_add_as_one),
        IN_CONTEXT(softmax_costs_5_an_element_in_llm_viewer_and_3_at_baseten),
        IN_CONTEXT(a_norm_costs_7_an_element_in_llm_viewer_and_4_in_the_roofline_analyzer),
        IN_CONTEXT(the_scaling_book_counts_2n_minus_1_for_a_dot_product),
        IN_CONTEXT(a_dot_product_of_k_terms_is_2k_minus_1_for_each_output),
        IN_CONTEXT(llm_viewer_reads_one_operand_of_an_add),
        IN_CONTEXT(a_matmul_has_no_second_operand),
        IN_CONTEXT(triton_charged_a_broadcast_operand_at_full_size_in_2021),
        IN_CONTEXT(a_triad_moves_24_bytes_an_element_and_32_with_write_allocate),
        IN_CONTEXT(deepgemm_leaves_the_scales_out),
        IN_CONTEXT(the_rows_of_a_ledger_add_up_under_every_convention),
        IN_CONTEXT(a_time_is_the_same_under_every_convention),
        IN_CONTEXT(a_convention_changes_nothing_in_the_kernel),
        IN_CONTEXT(the_bundle_of_the_design_changes_nothing),
        IN_CONTEXT(a_table_states_its_convention_in_one_line),
        IN_CONTEXT(each_switch_can_be_set_by_its_name),
        IN_CONTEXT(a_switch_after_a_bundle_changes_the_bundle),
        IN_CONTEXT(an_unknown_bundle_or_switch_names_the_nearest),
    };
    return run(tests);
}
