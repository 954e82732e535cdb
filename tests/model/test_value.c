/* test_value.c: what each op gives: its dims, its dtype, its cost. */
#include "workbench.h"

static void dims_are(const kc_value *value, const char *want)
{
    kci_text text = { .context = context };
    kci_dims_print(&text, context, value->dims, value->rank);
    assert_text(text.bytes ? text.bytes : "", want);
    kci_text_free(&text);
}

/* Useful work of a kernel of that value alone. */
static const kci_counts *work_of(kc_value *value)
{
    return count_of(kernel_of(write_as("Y", value, "f32")));
}

static kc_value *of(const char *name, const char *dims)
{
    return read_of(tensor(name, dims, "f16"));
}

static const char *dtype_name(const kc_value *value)
{
    return kc_object_name(keep(kc_value_dtype(value)));
}

/* ---- maps --------------------------------------------------------------------------------- */

TEST(each_named_map_costs_what_the_design_says)
{
    static const struct {
        const char *name;
        double flops, special;
    } costs[] = {
        { "add", 1, 0 },   { "sub", 1, 0 },  { "mul", 1, 0 },     { "max", 1, 0 },   { "min", 1, 0 },
        { "scale", 1, 0 }, { "relu", 1, 0 }, { "fma", 2, 0 },     { "exp", 0, 1 },   { "log", 0, 1 },
        { "rsqrt", 0, 1 }, { "rcp", 0, 1 },  { "tanh", 0, 1 },    { "div", 1, 1 },   { "sigmoid", 1, 2 },
        { "silu", 2, 2 },  { "gelu", 8, 1 }, { "rope", 3, 0 },    { "cast", 0, 0 },
    };
    kc_value *a = of("A", "m=5 k=3");
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        const kci_counts *c = work_of(map1(costs[i].name, a));
        assert_number(useful_vector(c), 15 * costs[i].flops);
        assert_number(c->useful_special, 15 * costs[i].special);
        assert_number(sum_of(c->useful_matrix), 0);
    }
}

TEST(a_map_may_have_a_cost_of_its_own)
{
    kc_value *a = of("A", "m=5");
    const kci_counts *c = work_of(keep(kc_map("mish", &a, 1, &(kc_cost){ 3, 0.5 })));
    assert_number(useful_vector(c), 15);
    assert_number(c->useful_special, 2.5);
    c = work_of(keep(kc_map("add", &a, 1, &(kc_cost){ 7, 0 }))); /* the name is a label then */
    assert_number(useful_vector(c), 35);
    c = work_of(keep(kc_map(NULL, &a, 1, &(kc_cost){ 1, 0 })));
    assert_number(useful_vector(c), 5);
}

TEST(a_map_runs_over_the_union_of_the_dims)
{
    kc_value *v = map2("add", of("A", "m=5 k=3"), of("B", "k=3 n=2"));
    dims_are(v, "m k n");
    assert_number(useful_vector(work_of(v)), 30);
    dims_are(map2("add", of("b", "k=3"), of("C", "m=5 k=3")), "k m"); /* the first operand's come first */
    kc_value *three[3] = { of("D", "m=5"), of("E", "k=3"), of("F", "n=2") };
    dims_are(keep(kc_map("fma", three, 3, NULL)), "m k n");
}

TEST(a_map_that_cannot_be_is_refused)
{
    kc_value *a = of("A", "m=5"), *other = of("B", "m=6");
    refuses(kc_map("rely", &a, 1, NULL),
            "map: no cost is known for 'rely'; give one as { flops = 3, special = 1 }; did you mean 'relu'");
    refuses(kc_map(NULL, &a, 1, NULL), "map: no cost is known for ''");
    refuses(kc_map("x", &a, 1, &(kc_cost){ -1, 0 }), "map: a cost's flops and special must be finite and not negative");
    refuses(kc_map("x", &a, 1, &(kc_cost){ 0, NAN }), "map: a cost's flops and special");
    refuses(kc_map("x", &a, 1, &(kc_cost){ HUGE_VAL, 0 }), "map: a cost's flops and special");
    kc_value *two[2] = { a, other };
    refuses(kc_map("add", two, 2, NULL),
            "map: dim 'm' is 5 in one operand and 6 in another; a dim has one size in a kernel");
    assert_null(kc_map("add", NULL, 0, NULL));
    two[1] = NULL;
    assert_null(kc_map("add", two, 2, NULL));
}

/* ---- matmul ------------------------------------------------------------------------------- */

TEST(a_matmul_contracts_the_left_operands_last_dim)
{
    kc_value *c = matmul(of("A", "m=5 k=3"), of("B", "k=3 n=2"), NULL);
    dims_are(c, "m n");
    const kci_counts *work = work_of(c);
    assert_number(work->useful_matrix[KCI_F16], 2 * 5 * 3 * 2);
    assert_number(useful_vector(work), 0);
}

TEST(dims_that_both_have_and_that_are_not_contracted_are_batch_dims)
{
    kc_value *c = matmul(of("A", "b=7 m=5 k=3"), of("B", "b=7 k=3 n=2"), NULL);
    dims_are(c, "b m n");
    assert_number(work_of(c)->useful_matrix[KCI_F16], 2 * 7 * 5 * 3 * 2);
    c = matmul(of("C", "b=7 m=5 k=3"), of("D", "k=3 n=2"), NULL); /* broadcast over b */
    dims_are(c, "b m n");
    assert_number(work_of(c)->useful_matrix[KCI_F16], 2 * 7 * 5 * 3 * 2);
}

TEST(vectors_and_several_contracted_dims_work)
{
    kc_value *dot = matmul(of("a", "k=3"), of("b", "k=3"), NULL);
    dims_are(dot, "");
    assert_number(work_of(dot)->useful_matrix[KCI_F16], 6);
    dims_are(matmul(of("A", "m=5 k=3"), of("c", "k=3"), NULL), "m");
    kc_value *conv = matmul(of("X", "n=2 c=3 p=4 r=3 s=2"), of("W", "k=6 c=3 r=3 s=2"), "c r s");
    dims_are(conv, "n p k");
    assert_number(work_of(conv)->useful_matrix[KCI_F16], 2.0 * 2 * 3 * 4 * 3 * 2 * 6);
}

TEST(a_matmul_on_the_vector_unit_is_vector_work)
{
    kc_value *c = keep(kc_matmul(of("A", "m=5 k=3"), of("B", "k=3 n=2"), NULL, NULL, "vector", NULL));
    const kci_counts *work = work_of(c);
    assert_number(useful_vector(work), 60);
    assert_number(sum_of(work->useful_matrix), 0);
}

TEST(into_adds_a_product_onto_a_value_without_an_op)
{
    kc_value *first = matmul(of("A", "m=5 k=3"), of("B", "k=3 n=2"), NULL);
    kc_value *both = keep(kc_matmul(of("C", "m=5 j=4"), of("D", "j=4 n=2"), NULL, NULL, NULL, first));
    const kci_counts *work = work_of(both);
    assert_number(work->useful_matrix[KCI_F16], 2 * 5 * 3 * 2 + 2 * 5 * 4 * 2);
    assert_number(useful_vector(work), 0);
    kc_value *beta = keep(kc_matmul(of("E", "m=5 k=3"), of("F", "k=3 n=2"), NULL, NULL, NULL, of("G", "m=5 n=2")));
    assert_number(useful_vector(work_of(beta)), 0);
}

TEST(a_matmul_that_cannot_be_is_refused)
{
    kc_value *a = of("A", "m=5 k=3"), *b = of("B", "k=3 n=2"), *wrong = of("C", "k=4 n=2");
    refuses(kc_matmul(a, of("D", "j=3 n=2"), NULL, NULL, NULL, NULL),
            "matmul: the right operand has no dim 'k' to contract; left has m k, right has j n (over defaults to the left "
            "operand's last dim)");
    refuses(kc_matmul(a, b, "n", NULL, NULL, NULL), "matmul: the left operand has no dim 'n' to contract");
    refuses(kc_matmul(a, b, "", NULL, NULL, NULL), "matmul: over is empty");
    refuses(kc_matmul(a, b, "k k", NULL, NULL, NULL), "names 'k' twice");
    refuses(kc_matmul(a, wrong, NULL, NULL, NULL, NULL), "matmul: dim 'k' is 3 in one operand and 4 in another");
    refuses(kc_matmul(reduce("sum", a, "m k"), b, NULL, NULL, NULL, NULL), "the left operand has no dim to contract");
    refuses(kc_matmul(a, b, NULL, NULL, "scalar", NULL), "unit must be \"matrix\" or \"vector\", not 'scalar'");
    refuses(kc_matmul(a, b, NULL, "f61", NULL, NULL), "unknown dtype 'f61'");
    refuses(kc_matmul(a, b, NULL, NULL, NULL, of("G", "m=5 z=2")),
            "matmul: into has dim 'z', which the product does not have; it has m n");
    refuses(kc_matmul(a, b, NULL, NULL, NULL, of("H", "m=4")), "which the product does not have at that size");
    assert_null(kc_matmul(a, NULL, NULL, NULL, NULL, NULL));
    assert_null(kc_matmul(NULL, b, NULL, NULL, NULL, NULL));
}

/* ---- what a matmul is computed in: design, section 2.2 -------------------------------------- */

static kci_format math_of(kc_value *product)
{
    const kci_counts *c = work_of(product);
    for (int f = 0; f < KCI_FORMATS; f++)
        if (c->useful_matrix[f] > 0)
            return (kci_format)f;
    return KCI_FORMATS;
}

static kc_value *typed(const char *name, const char *dims, const char *dtype)
{
    return read_of(tensor(name, dims, dtype));
}

TEST(a_matmul_of_reads_is_computed_in_the_wider_one)
{
    assert_int_equal(math_of(matmul(typed("A", "m=4 k=3", "f16"), typed("B", "k=3 n=2", "f8"), NULL)), KCI_F16);
    assert_int_equal(math_of(matmul(typed("C", "m=4 k=3", "f8"), typed("D", "k=3 n=2", "f32"), NULL)), KCI_F32);
    assert_int_equal(math_of(matmul(typed("E", "m=4 k=3", "mxf4"), typed("F", "k=3 n=2", "mxf4"), NULL)), KCI_F4);
    assert_int_equal(math_of(matmul(typed("G", "m=4 k=3", "bf16"), typed("H", "k=3 n=2", "i4g128"), NULL)), KCI_BF16);
}

TEST(a_computed_operand_is_rounded_to_the_one_that_was_read)
{
    kc_value *scores = map2("add", typed("S", "m=4 k=3", "f16"), typed("b", "k=3", "f32")); /* f32 */
    assert_int_equal(math_of(matmul(scores, typed("V", "k=3 n=2", "f16"), NULL)), KCI_F16);
    assert_int_equal(math_of(matmul(typed("A", "n=2 k=3", "f8"), scores, "k")), KCI_F8E4M3);
}

TEST(two_computed_operands_are_computed_in_the_wider)
{
    kc_value *a = map1("relu", typed("A", "m=4 k=3", "f16")), *b = map1("relu", typed("B", "k=3 n=2", "f32"));
    assert_int_equal(math_of(matmul(a, b, NULL)), KCI_F32);
}

TEST(a_cast_counts_as_what_it_casts_to)
{
    kc_value *a = keep(kc_cast(map1("relu", typed("A", "m=4 k=3", "f32")), dtype_of("f8")));
    assert_int_equal(math_of(matmul(a, map1("relu", typed("B", "k=3 n=2", "f16")), NULL)), KCI_F8E4M3);
}

TEST(a_dtype_that_is_asked_for_wins)
{
    kc_value *c = keep(kc_matmul(typed("A", "m=4 k=3", "f16"), typed("B", "k=3 n=2", "f16"), NULL, "tf32", NULL, NULL));
    assert_int_equal(math_of(c), KCI_TF32);
}

/* ---- reductions --------------------------------------------------------------------------- */

TEST(a_reduction_costs_one_flop_an_input_element)
{
    kc_value *a = of("A", "m=5 k=3 n=2");
    kc_value *r = reduce("sum", a, "k");
    dims_are(r, "m n");
    assert_number(useful_vector(work_of(r)), 30);
    r = reduce("max", a, "n m");
    dims_are(r, "k");
    assert_number(useful_vector(work_of(r)), 30);
    r = keep(kc_reduce("norm", a, "k", NULL, 0, &(kc_cost){ 2, 0.5 }));
    assert_number(useful_vector(work_of(r)), 60);
    assert_number(work_of(r)->useful_special, 15);
    assert_number(useful_vector(work_of(keep(kc_scan("cummax", a, "k", NULL)))), 30);
}

TEST(a_reduction_may_add_dims)
{
    kc_value *top = keep(kc_reduce("top", of("A", "m=5 k=30"), "k", (kc_size[]){ { "t", 8 } }, 1, NULL));
    dims_are(top, "m t");
    assert_number(useful_vector(work_of(top)), 150); /* an input element, not an output one */
    kc_kernel *k = kernel_of(write_as("T", top, "f32"));
    assert_number(row_of(k, count_of(k), "T")->written, 5 * 8 * 4);
}

TEST(a_reduction_that_cannot_be_is_refused)
{
    kc_value *a = of("A", "m=5 k=3");
    refuses(kc_reduce("sum", a, "n", NULL, 0, NULL), "reduce: no dim 'n' in the operand; it has m k");
    refuses(kc_reduce("sum", a, "", NULL, 0, NULL), "reduce: over is missing");
    refuses(kc_reduce("sum", a, NULL, NULL, 0, NULL), "reduce: over is missing");
    refuses(kc_reduce("sum", a, "k k", NULL, 0, NULL), "names 'k' twice");
    refuses(kc_reduce("sum", a, "k", NULL, 0, &(kc_cost){ -1, 0 }), "reduce: a cost's flops and special");
    refuses(kc_reduce("top", a, "k", (kc_size[]){ { "k", 2 } }, 1, NULL),
            "size adds dims to the output, but 'k' is a dim of the operand");
    refuses(kc_reduce("top", a, "k", (kc_size[]){ { "t", 2.5 } }, 1, NULL), "reduce: size of 't' is 2.5");
    refuses(kc_reduce("top", a, "k", (kc_size[]){ { "t", 2 }, { "t", 3 } }, 2, NULL), "reduce: size adds 't' twice");
    refuses(kc_reduce("mxa", a, "k", NULL, 0, NULL),
            "reduce: no cost is known for 'mxa'; give one as { flops = 2 }; did you mean 'max'?");
    refuses(kc_reduce("cumsum", a, "k", NULL, 0, NULL), "reduce: no cost is known for 'cumsum'");
    refuses(kc_reduce(NULL, a, "k", NULL, 0, NULL), "reduce: no cost is known for ''");
    refuses(kc_scan("cumsun", a, "k", NULL), "scan: no cost is known for 'cumsun'; give one as { flops = 2 }; did you mean 'cumsum'?");
    refuses(kc_scan("sum", a, "n", NULL), "scan: no dim 'n' in the operand; it has m k");
    refuses(kc_scan("sum", a, "", NULL), "scan: over is missing; name the dim to run along");
    refuses(kc_softmax(a, "n", 0), "softmax: no dim 'n' in the operand; it has m k");
}

TEST(a_scan_keeps_its_dims)
{
    kc_value *s = keep(kc_scan("cumsum", of("A", "m=5 k=3"), "k", NULL));
    dims_are(s, "m k");
    assert_number(useful_vector(work_of(s)), 15);
}

/* ---- softmax ------------------------------------------------------------------------------ */

TEST(a_softmax_costs_four_flops_and_a_special_an_element_and_one_a_row)
{
    for (int online = 0; online < 2; online++) {
        kc_value *p = softmax(of(online ? "B" : "A", "m=5 k=3"), "k", online);
        dims_are(p, "m k");
        const kci_counts *c = work_of(p);
        assert_number(useful_vector(c), 4 * 15); /* max 1, subtract 1, sum 1, normalise 1 */
        assert_number(c->useful_special, 15 + 5);
    }
}

TEST(an_lse_costs_one_special_a_row_and_needs_a_softmax)
{
    kc_value *a = of("A", "m=5 k=3"), *p = softmax(a, "k", 0), *l = keep(kc_lse(p));
    dims_are(l, "m");
    kc_tensor *both[2] = { write_as("P", p, "f16"), write_as("L", l, "f32") };
    const kci_counts *c = count_of(keep(kc_kernel_new(context, NULL, both, 2)));
    assert_number(c->useful_special, 15 + 5 + 5);
    refuses(kc_lse(a), "lse: the operand must be a softmax, not 'A'");
    assert_text(dtype_name(l), "f32");
}

/* ---- masks and casts ---------------------------------------------------------------------- */

TEST(a_mask_and_a_cast_cost_nothing)
{
    kc_value *a = of("A", "q=5 k=5");
    const kci_counts *c = work_of(keep(kc_mask(a, "q", "k", -1, 1)));
    assert_number(useful_vector(c) + c->useful_special, 0);
    c = work_of(keep(kc_cast(a, dtype_of("f8"))));
    assert_number(useful_vector(c) + c->useful_special, 0);
}

TEST(a_causal_mask_ends_at_the_difference_of_the_sizes)
{
    kc_value *v = keep(kc_causal(of("A", "q=5 k=8"), "q", "k"));
    assert_number(v->mask.hi, 3);
    assert_true(v->mask.lo == -HUGE_VAL);
    assert_true(v->mask.hi_follows);
}

TEST(a_mask_that_cannot_be_is_refused)
{
    kc_value *a = of("A", "q=5 k=8");
    refuses(kc_mask(a, "q", "z", 0, 1), "mask: no dim 'z' in the operand; it has q k");
    refuses(kc_mask(a, NULL, "k", 0, 1), "mask: no dim '' in the operand");
    refuses(kc_causal(a, "z", "k"), "causal: no dim 'z' in the operand; it has q k");
    refuses(kc_mask(a, "q", "q", 0, 1), "mask: q and k are both 'q'; a mask compares two dims");
    refuses(kc_mask(a, "q", "k", 2, 1), "mask: lo is 2 and hi is 1, and whole numbers with lo <= hi are wanted");
    refuses(kc_mask(a, "q", "k", 0.5, 1), "mask: lo is 0.5 and hi is 1, and whole numbers");
    refuses(kc_mask(a, "q", "k", NAN, 1), "whole numbers with lo <= hi are wanted");
    refuses(kc_mask(a, "q", "k", 8, 9), "mask: no point of 'q' and 'k' is live under these bounds");
    refuses(kc_mask(a, "q", "k", -9, -5), "mask: no point of 'q' and 'k' is live under these bounds");
    keep(kc_mask(a, "q", "k", 7, 9));
    keep(kc_mask(a, "q", "k", -9, -4));
    keep(kc_mask(a, "q", "k", -HUGE_VAL, HUGE_VAL));
}

TEST(a_value_has_the_widest_dtype_of_its_inputs)
{
    kc_value *a = typed("A", "m=5 k=3", "f8"), *b = typed("B", "k=3 n=2", "bf16");
    assert_text(dtype_name(a), "f8e4m3");
    assert_text(dtype_name(matmul(a, b, NULL)), "bf16");
    assert_text(dtype_name(map2("add", a, typed("C", "m=5", "f32"))), "f32");
    assert_text(dtype_name(reduce("sum", a, "k")), "f8e4m3");
    assert_text(dtype_name(keep(kc_cast(b, dtype_of("f8e5m2")))), "f8e5m2");
    assert_text(dtype_name(typed("D", "m=5", "nvf4")), "nvf4"); /* a read is as it is stored */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(each_named_map_costs_what_the_design_says),
        fact(a_map_may_have_a_cost_of_its_own),
        fact(a_map_runs_over_the_union_of_the_dims),
        fact(a_map_that_cannot_be_is_refused),
        fact(a_matmul_contracts_the_left_operands_last_dim),
        fact(dims_that_both_have_and_that_are_not_contracted_are_batch_dims),
        fact(vectors_and_several_contracted_dims_work),
        fact(a_matmul_on_the_vector_unit_is_vector_work),
        fact(into_adds_a_product_onto_a_value_without_an_op),
        fact(a_matmul_that_cannot_be_is_refused),
        fact(a_matmul_of_reads_is_computed_in_the_wider_one),
        fact(a_computed_operand_is_rounded_to_the_one_that_was_read),
        fact(two_computed_operands_are_computed_in_the_wider),
        fact(a_cast_counts_as_what_it_casts_to),
        fact(a_dtype_that_is_asked_for_wins),
        fact(a_reduction_costs_one_flop_an_input_element),
        fact(a_reduction_may_add_dims),
        fact(a_reduction_that_cannot_be_is_refused),
        fact(a_scan_keeps_its_dims),
        fact(a_softmax_costs_four_flops_and_a_special_an_element_and_one_a_row),
        fact(an_lse_costs_one_special_a_row_and_needs_a_softmax),
        fact(a_mask_and_a_cast_cost_nothing),
        fact(a_causal_mask_ends_at_the_difference_of_the_sizes),
        fact(a_mask_that_cannot_be_is_refused),
        fact(a_value_has_the_widest_dtype_of_its_inputs),
    };
    return run(tests);
}
