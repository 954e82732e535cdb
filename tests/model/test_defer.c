/* test_defer.c: the parts of a softmax, and when its division moves behind a reduction; design, section 3 "Online
 * softmax". */
#include "workbench.h"

static size_t nodes_named(const kc_kernel *kernel, const char *label)
{
    size_t count = 0;
    while (node_named(kernel, label, count))
        count++;
    return count;
}

/* ---- the parts of a softmax --------------------------------------------------------------- */

TEST(a_softmax_is_its_parts)
{
    static const char *const parts[] = { "softmax.max", "softmax.exp", "softmax.sum", "softmax.inv", "softmax.div" };
    kc_kernel *k = kernel_of(write_of("P", softmax(read_of(tensor("S", "i=8 j=6", "f16")), "j", 0)));
    for (int i = 0; i < 5; i++)
        assert_int_equal(nodes_named(k, parts[i]), 1);
    assert_int_equal(node_named(k, "softmax.max", 0)->reduced, KCI_BIT(loop_named(k, "j")));
    assert_int_equal(node_named(k, "softmax.sum", 0)->accumulator, KCI_F32);
}

/* ---- when the division moves -------------------------------------------------------------- */

enum { I = 8, J = 6, E = 2 };

/* Whether the division of an online softmax over j moved behind the reduction that
 * `use` makes of its probabilities: 1 FLOP an element of the accumulator instead of
 * one a probability.  `own` is what the rest costs. */
typedef kc_value *(*use_of)(kc_value *probabilities);

static bool moved(use_of use)
{
    kc_value *p = softmax(read_of(tensor("S", "i=8 j=6", "f16")), "j", 1);
    kc_kernel *k = kernel_of(write_of("O", use(p)));
    const kci_node *divide = node_named(k, "softmax.div", 0);
    assert_non_null(divide);
    assert_null(node_named(k, "softmax.div", 1));
    bool rescales = node_named(k, "softmax.rescale", 0) != NULL;
    bool by_probability = (divide->loops & KCI_BIT(loop_named(k, "j"))) != 0;
    assert_int_equal(rescales, !by_probability);
    kc_kernel *loop = tiled(k, "i=4 j=2", "i", "j");
    const kci_counts *c = count_of(loop);
    assert_int_equal(c->passes, rescales ? 1 : 2); /* else normalising needs a second pass */
    return rescales;
}

static kc_value *values(void)
{
    return read_of(tensor("V", "j=6 e=2", "f16"));
}

static kc_value *as_it_is(kc_value *p)
{
    return p;
}
static kc_value *times_v(kc_value *p)
{
    return matmul(p, values(), "j");
}
static kc_value *v_times(kc_value *p)
{
    return matmul(values(), p, "j");
}
static kc_value *summed(kc_value *p)
{
    return reduce("sum", p, "j");
}
static kc_value *averaged(kc_value *p)
{
    return reduce("mean", p, "j");
}
static kc_value *largest(kc_value *p)
{
    return reduce("max", p, "j");
}
static kc_value *cast_first(kc_value *p)
{
    return times_v(keep(kc_cast(p, dtype_of("f8"))));
}
static kc_value *scaled_first(kc_value *p)
{
    return times_v(map1("scale", p));
}
static kc_value *masked_first(kc_value *p)
{
    return times_v(keep(kc_causal(p, "i", "j")));
}
static kc_value *times_others(kc_value *p)
{
    return times_v(map2("mul", p, read_of(tensor("D", "i=8 j=6", "f16")))); /* dropout */
}
static kc_value *over_others(kc_value *p)
{
    return times_v(map2("div", p, read_of(tensor("D", "j=6", "f16"))));
}
static kc_value *under_others(kc_value *p)
{
    return times_v(map2("div", read_of(tensor("D", "j=6", "f16")), p));
}
static kc_value *plus_others(kc_value *p)
{
    return times_v(map2("add", p, read_of(tensor("D", "j=6", "f16"))));
}
static kc_value *rectified(kc_value *p)
{
    return times_v(map1("relu", p));
}
static kc_value *squared(kc_value *p)
{
    return times_v(map2("mul", p, p));
}
static kc_value *with_itself(kc_value *p)
{
    return matmul(p, map1("scale", p), "j");
}
static kc_value *own_cost(kc_value *p)
{
    return times_v(keep(kc_map("dropout", &p, 1, &(kc_cost){ 1, 0 })));
}
static kc_value *over_rows(kc_value *p)
{
    return reduce("sum", p, "i");
}
static kc_value *over_both(kc_value *p)
{
    return reduce("sum", p, "i j");
}
static kc_value *scanned(kc_value *p)
{
    return keep(kc_scan("cumsum", p, "j", NULL));
}

TEST(the_division_moves_behind_linear_reductions_over_the_same_dim)
{
    assert_true(moved(times_v));
    drop_kept();
    assert_true(moved(v_times));
    drop_kept();
    assert_true(moved(summed));
    drop_kept();
    assert_true(moved(averaged));
}

TEST(the_division_moves_past_casts_scalings_masks_and_products_with_others)
{
    static const use_of uses[] = { cast_first, scaled_first, masked_first, times_others, over_others };
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++, drop_kept())
        assert_true(moved(uses[i]));
}

TEST(the_division_stays_where_a_use_is_not_linear)
{
    static const use_of uses[] = { as_it_is, largest, under_others, plus_others, rectified, squared, with_itself,
                                   own_cost, scanned };
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++, drop_kept()) {
        bool stays = !moved(uses[i]);
        if (!stays)
            print_error("use %zu\n", i);
        assert_true(stays);
    }
}

TEST(the_division_stays_where_the_reduction_is_over_another_dim)
{
    kc_value *p = softmax(read_of(tensor("S", "i=8 j=6", "f16")), "j", 1);
    assert_null(node_named(kernel_of(write_of("A", over_rows(p))), "softmax.rescale", 0));
    assert_null(node_named(kernel_of(write_of("B", over_both(p))), "softmax.rescale", 0));
}

TEST(one_use_that_is_not_linear_keeps_the_division_for_all)
{
    kc_value *p = softmax(read_of(tensor("S", "i=8 j=6", "f16")), "j", 1);
    kc_tensor *out[2] = { write_of("O", times_v(p)), write_of("M", largest(p)) };
    assert_null(node_named(keep(kc_kernel_new(context, NULL, out, 2)), "softmax.rescale", 0));
    kc_tensor *saved[2] = { write_of("O", times_v(p)), write_of("P", p) };
    assert_null(node_named(keep(kc_kernel_new(context, NULL, saved, 2)), "softmax.rescale", 0));
    kc_tensor *rows[2] = { write_of("O", times_v(p)), write_of("L", keep(kc_lse(p))) };
    assert_non_null(node_named(keep(kc_kernel_new(context, NULL, rows, 2)), "softmax.rescale", 0));
}

TEST(two_linear_reductions_both_divide)
{
    kc_value *p = softmax(read_of(tensor("S", "i=8 j=6", "f16")), "j", 1);
    kc_tensor *out[2] = { write_of("O", times_v(p)), write_of("R", summed(p)) };
    kc_kernel *k = keep(kc_kernel_new(context, NULL, out, 2));
    assert_int_equal(nodes_named(k, "softmax.div"), 2);
    /* max, sub, sum: 3*48; the sum of R 48; divisions 16 and 8 */
    assert_number(useful_vector(count_of(k)), 4 * I * J + I * E + I);
}

TEST(a_softmax_that_is_not_online_divides_where_it_stands)
{
    kc_value *p = softmax(read_of(tensor("S", "i=8 j=6", "f16")), "j", 0);
    kc_kernel *k = kernel_of(write_of("O", times_v(p)));
    assert_null(node_named(k, "softmax.rescale", 0));
    assert_number(useful_vector(count_of(k)), 4 * I * J);
}

TEST(a_log_sum_exp_alone_normalises_nothing)
{
    kc_value *p = softmax(read_of(tensor("S", "i=8 j=6", "f16")), "j", 1);
    kc_kernel *k = tiled(kernel_of(write_of("L", keep(kc_lse(p)))), "i=4 j=2", "i", "j");
    assert_int_equal(nodes_named(k, "softmax.div") + nodes_named(k, "softmax.inv"), 0);
    const kci_counts *c = count_of(k);
    assert_number(useful_vector(c), 3 * I * J); /* max, subtract, sum */
    assert_number(c->useful_special, I * J + I);
    assert_int_equal(c->passes, 1);
}

TEST(rescaling_is_executed_only_and_once_a_trip)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    kc_kernel *k = tiled(a.flash, "i=4 j=2", "i", "j");
    const kci_counts *c = count_of(k);
    /* useful: max, subtract, sum 48 each, division 16; special 48 and a row 8.
     * executed beside: 3 trips: 16 elements rescaled, 8 rows of special. */
    assert_number(useful_vector(c), 3 * 48 + 16);
    assert_number(executed_vector(c), 3 * 48 + 16 + 3 * 16);
    assert_number(c->useful_special, 48 + 8);
    assert_number(c->executed_special, 48 + 8 + 3 * 8);
    c = count_of(tiled(a.flash, "i=4 j=6", "i", "j")); /* one trip: nothing to rescale */
    assert_number(executed_vector(c), 3 * 48 + 16);
}

TEST(statistics_bear_the_name_of_the_tensor_that_the_softmax_was_written_to)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    kc_kernel *k = tiled(a.flash, "i=4 j=2", "", "j i");
    assert_true(moves(k, "P.max") && moves(k, "P.sum"));
    kc_kernel *plain = kernel_of(write_of("R", times_v(softmax(read_of(tensor("S", "i=8 j=6", "f16")), "j", 1))));
    assert_true(moves(plain, "R.max") && moves(plain, "R.sum"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_softmax_is_its_parts),
        fact(the_division_moves_behind_linear_reductions_over_the_same_dim),
        fact(the_division_moves_past_casts_scalings_masks_and_products_with_others),
        fact(the_division_stays_where_a_use_is_not_linear),
        fact(the_division_stays_where_the_reduction_is_over_another_dim),
        fact(one_use_that_is_not_linear_keeps_the_division_for_all),
        fact(two_linear_reductions_both_divide),
        fact(a_softmax_that_is_not_online_divides_where_it_stands),
        fact(a_log_sum_exp_alone_normalises_nothing),
        fact(rescaling_is_executed_only_and_once_a_trip),
        fact(statistics_bear_the_name_of_the_tensor_that_the_softmax_was_written_to),
    };
    return run(tests);
}
