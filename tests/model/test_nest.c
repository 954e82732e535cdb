/* test_nest.c: passes, the loops that they share, and what is around each op; design, section 3 "Reductions need
 * their end". */
#include "workbench.h"

static kc_value *of(const char *name, const char *dims, const char *dtype)
{
    return read_of(tensor(name, dims, dtype));
}

/* ---- softmax: the design's example 4 -------------------------------------------------------- */

static void softmax_passes(int online, const char *tiles, double passes, double reads)
{
    kc_tensor *p = write_of("P", softmax(of("X", "m=64 n=32768", "f32"), "n", online));
    kc_kernel *k = tiled(p, tiles, "m", "n");
    const kci_counts *c = count_of(k);
    const double bytes = 64.0 * 32768 * 4;
    assert_number(c->passes, passes);
    assert_number(row_of(k, c, "X")->read, reads * bytes);
    assert_number(row_of(k, c, "X")->compulsory, bytes);
    assert_number(row_of(k, c, "X")->pass, (reads - 1) * bytes);
    assert_number(row_of(k, c, "P")->written, bytes);
}

TEST(a_safe_softmax_takes_three_passes)
{
    softmax_passes(0, "m=1 n=4096", 3, 3);
}

TEST(an_online_softmax_takes_two_passes)
{
    softmax_passes(1, "m=1 n=4096", 2, 2);
}

TEST(a_softmax_whose_row_is_one_tile_takes_one_pass)
{
    softmax_passes(0, "m=1 n=32768", 1, 1);
    drop_kept();
    softmax_passes(1, "m=1 n=32768", 1, 1);
}

TEST(passes_share_the_loops_outside_the_reduced_one)
{
    kc_value *x = map2("add", of("X", "m=8 n=64", "f16"), of("bias", "m=8", "f16"));
    kc_kernel *k = tiled(write_of("P", softmax(x, "n", 0)), "m=2 n=16", "", "m n");
    kci_plan *plan = plan_of(k);
    const kci_counts *c = counted(k, plan);
    kci_set both = KCI_BIT(loop_named(k, "m")) | KCI_BIT(loop_named(k, "n"));
    assert_int_equal(plan->passes, 3);
    for (int p = 1; p <= 3; p++)
        assert_true(plan->pass_loops[p] == both);
    assert_int_equal(plan->shared[2], 1); /* m, not n */
    assert_int_equal(plan->shared[3], 1);
    assert_number(row_of(k, c, "X")->loads, 3 * 4 * 4);
    assert_number(row_of(k, c, "bias")->loads, 4); /* outside the loop over n: once, for all passes */
}

TEST(with_the_reduced_loop_outermost_passes_share_nothing)
{
    kc_value *x = map2("add", of("X", "m=8 n=64", "f16"), of("bias", "m=8", "f16"));
    kc_kernel *k = tiled(write_of("P", softmax(x, "n", 0)), "m=2 n=16", "", "n m");
    kci_plan *plan = plan_of(k);
    const kci_counts *c = counted(k, plan);
    assert_int_equal(plan->shared[2], 0);
    assert_number(row_of(k, c, "X")->loads, 3 * 16);
    assert_number(row_of(k, c, "bias")->loads, 3 * 16); /* inside n: at each iteration, in each pass */
}

/* ---- norms -------------------------------------------------------------------------------- */

/* x / rms(x) along `over`; its squares cost 1 an element. */
static kc_value *rms_norm(kc_value *x, const char *over)
{
    return map2("mul", x, map1("rsqrt", reduce("mean", map2("mul", x, x), over)));
}

TEST(an_rms_norm_takes_two_passes)
{
    kc_kernel *k = tiled(write_of("Y", rms_norm(of("X", "m=64 n=1024", "f16"), "n")), "m=1 n=256", "m", "n");
    const kci_counts *c = count_of(k);
    assert_number(c->passes, 2);
    assert_number(row_of(k, c, "X")->read, 2 * 64 * 1024 * 2);
    /* squares, sum, product once each: nothing is done twice */
    assert_number(executed_vector(c), 3 * 64 * 1024);
    assert_number(c->executed_special, 64);
}

TEST(a_layer_norm_by_mean_and_variance_takes_three_passes)
{
    kc_value *x = of("X", "m=64 n=1024", "f16");
    kc_value *centred = map2("sub", x, reduce("mean", x, "n"));
    kc_kernel *k = tiled(write_of("Y", rms_norm(centred, "n")), "m=1 n=256", "m", "n");
    const kci_counts *c = count_of(k);
    assert_number(c->passes, 3);
    assert_number(row_of(k, c, "X")->read, 3 * 64 * 1024 * 2);
    /* mean; centring twice, for the squares and for the product; squares, their sum; the product */
    assert_number(executed_vector(c), (1 + 2 + 1 + 1 + 1) * 64 * 1024);
}

TEST(a_norm_fused_into_the_matmul_behind_it_walks_its_row_first)
{
    kc_value *y = matmul(rms_norm(of("X", "m=64 k=128", "f16"), "k"), of("W", "k=128 n=96", "f16"), "k");
    kc_kernel *k = tiled(write_of("Y", y), "m=16 n=32 k=32", "m", "n k");
    kci_plan *plan = plan_of(k);
    const kci_counts *c = counted(k, plan);
    const double x = 64 * 128 * 2, w = 128 * 96 * 2;
    assert_int_equal(plan->passes, 2);
    assert_true(plan->pass_loops[1] == KCI_BIT(loop_named(k, "k"))); /* only what it has */
    assert_true(plan->pass_loops[2] == (KCI_BIT(loop_named(k, "n")) | KCI_BIT(loop_named(k, "k"))));
    /* pass 1: X once; pass 2: X for each of 3 tiles of n, W once a CTA, of which there are 4 */
    assert_number(row_of(k, c, "X")->read, (1 + 3) * x);
    assert_number(row_of(k, c, "W")->read, 4 * w);
    assert_number(row_of(k, c, "X")->compulsory, x);
    assert_number(row_of(k, c, "X")->pass, 3 * x);
    assert_number(row_of(k, c, "W")->reload, 3 * w);
    /* squares and sum once, the product for each tile of n */
    assert_number(executed_vector(c), (2 + 3) * 64 * 128);
}

TEST(passes_share_loops_up_to_the_first_that_one_of_them_lacks)
{
    kc_value *y = matmul(rms_norm(of("X", "m=64 k=128", "f16"), "k"), of("W", "k=128 n=96", "f16"), "k");
    kc_tensor *t = write_of("Y", y);
    kc_kernel *k = tiled(t, "m=16 n=32 k=32", "", "m n k");
    kci_plan *plan = plan_of(k);
    counted(k, plan);
    assert_int_equal(plan->shared[2], 1); /* m; the first pass lacks n */
    k = tiled(t, "m=16 n=32 k=32", "", "n m k");
    plan = plan_of(k);
    const kci_counts *c = counted(k, plan);
    assert_int_equal(plan->shared[2], 0);
    assert_number(row_of(k, c, "X")->loads, 4 * 4 + 3 * 4 * 4);
}

TEST(a_norm_behind_a_matmul_holds_what_was_summed_in_a_loop)
{
    kc_value *y = matmul(of("A", "m=64 k=128", "f16"), of("W", "k=128 n=96", "f16"), NULL);
    kc_kernel *k = tiled(write_of("Y", rms_norm(y, "n")), "m=16 n=32 k=32", "m", "n k");
    const kci_counts *c = count_of(k);
    assert_number(c->passes, 2);
    assert_number(sum_of(c->executed_matrix), 2.0 * 64 * 96 * 128); /* once */
    assert_number(row_of(k, c, "A")->loads, 4 * 3 * 4);
    assert_number(row_of(k, c, "W")->loads, 4 * 3 * 4);
}

TEST(a_norm_behind_a_matmul_computes_again_what_was_summed_in_one_tile)
{
    kc_value *y = matmul(of("A", "m=64 k=128", "f16"), of("W", "k=128 n=96", "f16"), NULL);
    kc_kernel *k = tiled(write_of("Y", rms_norm(y, "n")), "m=16 n=32 k=128", "m", "n");
    const kci_counts *c = count_of(k);
    assert_number(c->passes, 2);
    assert_number(sum_of(c->executed_matrix), 2 * 2.0 * 64 * 96 * 128);
    assert_number(row_of(k, c, "A")->loads, 4);         /* in no loop: once for both passes */
    assert_number(row_of(k, c, "W")->loads, 2 * 4 * 3); /* in each */
}

/* ---- attention ---------------------------------------------------------------------------- */

static const char *const q_dims = "i=64 d=32", *const k_dims = "j=96 d=32", *const v_dims = "j=96 e=32";

TEST(flash_attention_takes_one_pass)
{
    attention a = attention_of(q_dims, k_dims, v_dims);
    kc_kernel *k = tiled(a.flash, "i=16 j=32", "i", "j");
    const kci_counts *c = count_of(k);
    assert_number(c->passes, 1);
    assert_number(row_of(k, c, "Q")->loads, 4);
    assert_number(row_of(k, c, "K")->loads, 4 * 3);
    assert_number(row_of(k, c, "V")->loads, 4 * 3);
    assert_number(sum_of(c->executed_matrix), sum_of(c->useful_matrix));
}

TEST(a_cast_between_softmax_and_matmul_does_not_cost_a_pass)
{
    kc_value *s = matmul(of("Q", q_dims, "f16"), of("K", k_dims, "f16"), NULL);
    kc_value *p = keep(kc_cast(softmax(s, "j", 1), dtype_of("bf16")));
    kc_kernel *k = tiled(write_of("O", matmul(p, of("V", v_dims, "bf16"), "j")), "i=16 j=32", "i", "j");
    assert_number(count_of(k)->passes, 1);
}

/* Attention whose softmax is not online. */
static kc_kernel *safe_attention(const char *tiles, const char *order)
{
    kc_value *s = matmul(of("Q", q_dims, "f16"), of("K", k_dims, "f16"), NULL);
    kc_value *o = matmul(softmax(s, "j", 0), of("V", v_dims, "f16"), "j");
    return tiled(write_of("O", o), tiles, "i", order);
}

TEST(safe_attention_computes_its_scores_in_each_of_three_passes)
{
    kc_kernel *k = safe_attention("i=16 j=32", "j");
    const kci_counts *c = count_of(k);
    assert_number(c->passes, 3);
    assert_number(sum_of(c->executed_matrix), 3 * 2.0 * 64 * 96 * 32 + 2.0 * 64 * 96 * 32);
    assert_number(row_of(k, c, "Q")->loads, 4);
    assert_number(row_of(k, c, "K")->loads, 3 * 4 * 3);
    assert_number(row_of(k, c, "V")->loads, 4 * 3);
    assert_number(c->executed_special, 2 * 64 * 96 + 64); /* exp for the sum and for the product */
}

TEST(scores_that_were_summed_in_a_loop_are_held)
{
    kc_kernel *k = safe_attention("i=16 j=32 d=8", "j d");
    const kci_counts *c = count_of(k);
    assert_number(c->passes, 3);
    assert_number(sum_of(c->executed_matrix), 2 * 2.0 * 64 * 96 * 32);
    assert_number(row_of(k, c, "K")->loads, 4 * 3 * 4);
    assert_number(row_of(k, c, "Q")->loads, 4 * 3 * 4);
}

/* ---- what runs when a loop ends --------------------------------------------------------------- */

/* Trips of the loops at or outside the innermost of those that `has` names. */
static double loads_in(const char *order, const char *has, const double trips[128])
{
    double loads = 1;
    const char *last = order;
    for (const char *at = order; *at; at++)
        if (strchr(has, *at) && *at != ' ')
            last = at;
    for (const char *at = order; at <= last; at++)
        if (*at != ' ')
            loads *= trips[(unsigned char)*at];
    return loads;
}

TEST(an_epilogue_costs_no_pass_in_any_loop_order)
{
    static const char *const orders[] = { "m n k", "m k n", "n m k", "n k m", "k m n", "k n m" };
    double trips[128] = { ['m'] = 4, ['n'] = 3, ['k'] = 2 };
    kc_value *c = matmul(of("A", "m=64 k=32", "f16"), of("B", "k=32 n=48", "f16"), NULL);
    kc_tensor *y = write_of("Y", map2("add", map1("gelu", c), of("bias", "n=48", "f16")));
    for (int i = 0; i < 6; i++) {
        kc_kernel *k = tiled(y, "m=16 n=16 k=16", "", orders[i]);
        const kci_counts *counts = count_of(k);
        assert_number(counts->passes, 1);
        assert_number(executed_vector(counts), 9.0 * 64 * 48); /* 8 + 1, once an element */
        assert_number(counts->executed_special, 64 * 48);
        assert_number(row_of(k, counts, "A")->loads, loads_in(orders[i], "mk", trips));
        assert_number(row_of(k, counts, "B")->loads, loads_in(orders[i], "kn", trips));
    }
}

TEST(a_read_that_only_the_epilogue_uses_waits_outside_the_reduced_loop)
{
    kc_value *c = matmul(of("A", "m=64 k=32", "f16"), of("B", "k=32 n=48", "f16"), NULL);
    kc_tensor *y = write_of("Y", map2("add", c, of("R", "m=64 n=48", "f16")));
    kc_kernel *k = tiled(y, "m=16 n=16 k=16", "m n", "k");
    assert_number(row_of(k, count_of(k), "R")->loads, 4 * 3); /* not times the 2 trips of k */
    k = tiled(y, "m=16 n=16 k=16", "", "k m n");
    kci_plan *plan = plan_of(k);
    const kci_counts *counts = counted(k, plan);
    assert_number(counts->passes, 1);
    assert_number(row_of(k, counts, "R")->loads, 4 * 3); /* m and n are walked again when k has ended */
}

TEST(the_division_of_an_online_softmax_runs_once_at_the_end)
{
    attention a = attention_of(q_dims, k_dims, v_dims);
    kc_kernel *k = tiled(a.flash, "i=16 j=32", "i", "j");
    kci_plan *plan = plan_of(k);
    counted(k, plan);
    const kci_node *divide = node_named(k, "softmax.div", 0);
    const kci_visit *visit = kci_visit_of(plan, (uint32_t)(divide - k->graph.nodes), 1);
    assert_non_null(visit);
    assert_true(visit->around == 0);
}

TEST(a_running_sum_needs_no_next_pass)
{
    kc_value *s = keep(kc_scan("cumsum", of("X", "m=8 n=64", "f16"), "n", NULL));
    kc_tensor *out[2] = { write_of("Y", map1("relu", s)), write_of("R", reduce("sum", s, "n")) };
    kc_kernel *k = tiled(keep(kc_kernel_new(context, NULL, out, 2)), "m=1 n=16", "m", "n");
    const kci_counts *c = count_of(k);
    assert_number(c->passes, 1);
    assert_number(row_of(k, c, "X")->loads, 8 * 4);
}

TEST(there_is_at_least_one_pass)
{
    assert_number(count_of(tiled(write_of("Y", map1("relu", of("X", "m=8", "f16"))), "m=2", "m", NULL))->passes, 1);
    drop_kept();
    assert_number(count_of(kernel_of(write_of("Y", map1("relu", of("X", "m=8", "f16")))))->passes, 1);
}

TEST(a_chain_of_too_many_passes_is_refused)
{
    kc_value *x = of("X", "m=2 n=8", "f16");
    for (int i = 0; i < 15; i++) /* each adds two: 31 */
        x = softmax(x, "n", 0);
    assert_number(count_of(tiled(write_of("Y", x), "m=1 n=4", "m", "n"))->passes, 31);
    kc_kernel *k = tiled(write_of("Z", softmax(x, "n", 0)), "m=1 n=4", "m", "n");
    assert_null(counted(k, plan_of(k)));
    assert_contains(kc_context_message(context), "the tiled kernel needs more than 32 passes");
    assert_number(count_of(tiled(write_of("Z", softmax(x, "n", 0)), "m=1", "m", "n"))->passes, 1);
}

TEST(a_plan_counts_other_sizes_and_tiles_without_a_new_one)
{
    kc_tensor *p = write_of("P", softmax(of("X", "m=64 n=1024", "f32"), "n", 0));
    kc_kernel *k = tiled(p, "m=1 n=256", "m", "n");
    kci_plan *plan = plan_of(k);
    size_t requests = heap.requests;
    int m = loop_named(k, "m"), n = loop_named(k, "n");
    static const double points[][4] = { { 64, 1024, 256, 3 }, { 8, 256, 256, 1 }, { 16, 100, 7, 3 },
                                        { 64, 1024, 256, 3 } };
    for (size_t i = 0; i < 4; i++) {
        double sizes[KCI_MAX_LOOPS], tiles[KCI_MAX_LOOPS];
        sizes[m] = points[i][0], sizes[n] = points[i][1];
        tiles[m] = 1, tiles[n] = points[i][2];
        const kci_counts *c = kci_plan_count(plan, sizes, tiles);
        assert_non_null(c);
        assert_number(c->passes, points[i][3]);
        assert_number(row_of(k, c, "X")->read, points[i][3] * points[i][0] * points[i][1] * 4);
    }
    assert_int_equal(heap.requests, requests); /* no allocation: sweeps call it by the million */
}

/* X[m,k] softmaxed over k, and summed over m: m outside k, both passes in each turn of m. */
static kc_kernel *rows_and_sums(const char *tiles)
{
    kc_value *p = softmax(of("X", "m=32 k=1024", "f32"), "k", 0);
    return tiled(write_of("S", reduce("sum", p, "m")), tiles, "", "m k");
}

TEST(a_plan_follows_what_is_held_and_where_it_lies)
{
    kc_kernel *k = rows_and_sums("m=1 k=256");
    kci_plan *plan = plan_of(k);
    int sum = 0, read = 0;
    for (size_t t = 0; t < k->graph.tensor_count; t++)
        *(k->graph.tensors[t].read ? &read : &sum) = (int)t;
    double spilled = counted(k, plan)->rows[sum].spill, smem = plan->counts.smem;
    assert_number(spilled, 2 * 31 * 1024 * 4.);
    k->tiling->held[sum] = true;
    assert_number(counted(k, plan)->rows[sum].spill, 0);
    k->tiling->in_registers[read] = true;
    assert_number(counted(k, plan)->smem, 0);
    k->tiling->held[sum] = k->tiling->in_registers[read] = false;
    assert_number(counted(k, plan)->rows[sum].spill, spilled);
    assert_number(plan->counts.smem, smem);
}

TEST(between_two_passes_lies_one_turn_of_the_loops_outside_them)
{
    kc_kernel *k = rows_and_sums("m=2 k=256");
    const kci_counts *c = count_of(k);
    assert_true(c->passes > 1);
    assert_number(c->turns, 16);
    for (size_t i = 0; i < c->stream_count; i++) {
        assert_number(c->streams[i].cta_distinct, 32 * 1024 * 4.);
        assert_number(c->streams[i].pass_distinct, 2 * 1024 * 4.);
    }
    drop_kept();
    k = rows_and_sums("m=2 k=1024"); /* one pass: all of it */
    c = count_of(k);
    assert_number(c->passes, 1);
    assert_number(c->turns, 1);
    assert_number(c->streams[0].pass_distinct, c->streams[0].cta_distinct);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_safe_softmax_takes_three_passes),
        fact(an_online_softmax_takes_two_passes),
        fact(a_softmax_whose_row_is_one_tile_takes_one_pass),
        fact(passes_share_the_loops_outside_the_reduced_one),
        fact(with_the_reduced_loop_outermost_passes_share_nothing),
        fact(an_rms_norm_takes_two_passes),
        fact(a_layer_norm_by_mean_and_variance_takes_three_passes),
        fact(a_norm_fused_into_the_matmul_behind_it_walks_its_row_first),
        fact(passes_share_loops_up_to_the_first_that_one_of_them_lacks),
        fact(a_norm_behind_a_matmul_holds_what_was_summed_in_a_loop),
        fact(a_norm_behind_a_matmul_computes_again_what_was_summed_in_one_tile),
        fact(flash_attention_takes_one_pass),
        fact(a_cast_between_softmax_and_matmul_does_not_cost_a_pass),
        fact(safe_attention_computes_its_scores_in_each_of_three_passes),
        fact(scores_that_were_summed_in_a_loop_are_held),
        fact(an_epilogue_costs_no_pass_in_any_loop_order),
        fact(a_read_that_only_the_epilogue_uses_waits_outside_the_reduced_loop),
        fact(the_division_of_an_online_softmax_runs_once_at_the_end),
        fact(a_running_sum_needs_no_next_pass),
        fact(there_is_at_least_one_pass),
        fact(a_chain_of_too_many_passes_is_refused),
        fact(a_plan_counts_other_sizes_and_tiles_without_a_new_one),
        fact(a_plan_follows_what_is_held_and_where_it_lies),
        fact(between_two_passes_lies_one_turn_of_the_loops_outside_them),
    };
    return run(tests);
}
