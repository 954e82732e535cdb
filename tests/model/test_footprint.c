/* test_footprint.c: shared memory and registers of a CTA, worked out by hand; design, section 3 "Footprint". */
#include "workbench.h"

static kc_value *of(const char *name, const char *dims, const char *dtype)
{
    return read_of(tensor(name, dims, dtype));
}

static kc_tensor *product(void)
{
    return write_of("C", matmul(of("A", "m=256 k=64", "f16"), of("B", "k=64 n=96", "f16"), NULL));
}

static const kci_counts *under(kc_tensor *t, const kc_schedule *s)
{
    return count_of(keep(kc_tile(object(t), s)));
}

/* ---- shared memory ------------------------------------------------------------------------ */

TEST(a_read_inside_a_loop_has_its_tile_times_the_stages)
{
    /* A 64*16, B 16*32 elements of 2 B: 2048 + 1024; two buffers each */
    kc_schedule *s = schedule_of("m=64 n=32 k=16", "m n", "k");
    assert_number(under(product(), s)->smem, 2 * (2048 + 1024));
    drop_kept();
    s = schedule_of("m=64 n=32 k=16", "m n", "k");
    assert_int_equal(kc_schedule_stages(s, NULL, 4), KC_OK);
    assert_number(under(product(), s)->smem, 4 * (2048 + 1024));
}

TEST(stages_may_be_given_per_tensor)
{
    kc_schedule *s = schedule_of("m=64 n=32 k=16", "m n", "k");
    assert_int_equal(kc_schedule_stages(s, NULL, 4), KC_OK);
    assert_int_equal(kc_schedule_stages(s, "B", 3), KC_OK);
    assert_number(under(product(), s)->smem, 4 * 2048 + 3 * 1024);
}

TEST(a_read_outside_all_loops_has_one_tile)
{
    /* k whole: A 64*64, B 64*32; no loop, so one buffer each */
    assert_number(under(product(), schedule_of("m=64 n=32", "m n", NULL))->smem, 8192 + 4096);
    drop_kept();
    /* a loop over n: A [m k] stays outside it, B streams */
    assert_number(under(product(), schedule_of("m=64 n=32", "m", "n"))->smem, 8192 + 2 * 4096);
}

TEST(passes_fill_the_same_buffer)
{
    kc_tensor *p = write_of("P", softmax(of("X", "m=64 n=1024", "f32"), "n", 0));
    const kci_counts *c = under(p, schedule_of("m=1 n=256", "m", "n"));
    assert_number(c->passes, 3);
    assert_number(c->smem, 2 * 256 * 4);
}

TEST(a_halo_counts_in_the_tile)
{
    /* p tiles of 8, three taps at stride 2: 2*7 + 2 + 1 = 17 */
    kc_value *x = read_at(tensor("X", "c=4 x=129", "f16"), "c 2*p+r", "p=64 r=3");
    kc_tensor *y = write_of("Y", matmul(x, of("W", "k=16 c=4 r=3", "f16"), "c r"));
    const kci_counts *c = under(y, schedule_of("p=8", "p", ""));
    assert_number(c->smem, 2 * (4 * 17 + 16 * 4 * 3));
}

TEST(a_tile_is_no_larger_than_its_tensor)
{
    kc_value *x = read_at(tensor("X", "x=10", "f32"), "p+r-1", "p=10 r=3"); /* the box is 12, the tensor 10 */
    kc_tensor *y = write_of("Y", matmul(x, of("W", "r=3 k=4", "f32"), "r"));
    assert_number(under(y, schedule_of("k=2", "k", ""))->smem, 4 * 10 + 4 * 3 * 2);
}

TEST(a_read_may_live_in_registers)
{
    kc_schedule *s = schedule_of("m=64 n=32 k=16", "m n", "k");
    const kci_counts *plain = under(product(), s);
    assert_int_equal(kc_schedule_place(s, "A", "registers"), KC_OK);
    const kci_counts *moved = under(product(), s);
    assert_number(moved->smem, 2 * 1024);
    assert_number(moved->register_bytes, plain->register_bytes + 2 * 2048);
    assert_int_equal(kc_schedule_place(s, "A", "smem"), KC_OK);
    assert_number(under(product(), s)->smem, 2 * (2048 + 1024));
}

TEST(a_held_read_is_loaded_once_a_cta_and_counts_whole)
{
    kc_schedule *s = schedule_of("m=64 n=32 k=16", "m", "n k");
    kc_tensor *t = product();
    kc_kernel *k = keep(kc_tile(object(t), s));
    assert_number(row_of(k, count_of(k), "A")->loads, 4 * 3 * 4);
    assert_int_equal(kc_schedule_hold(s, "A"), KC_OK);
    k = keep(kc_tile(object(t), s));
    const kci_counts *c = count_of(k);
    assert_number(row_of(k, c, "A")->loads, 4);
    assert_number(row_of(k, c, "A")->read, 256 * 64 * 2);
    assert_number(c->smem, 64 * 64 * 2 + 2 * 16 * 32 * 2); /* all of a CTA's rows; B streams */
}

TEST(a_held_read_serves_all_passes)
{
    kc_tensor *p = write_of("P", softmax(of("X", "m=64 n=1024", "f32"), "n", 0));
    kc_schedule *s = schedule_of("m=1 n=256", "m", "n");
    assert_int_equal(kc_schedule_hold(s, "X"), KC_OK);
    kc_kernel *k = keep(kc_tile(object(p), s));
    const kci_counts *c = count_of(k);
    assert_number(row_of(k, c, "X")->read, 64 * 1024 * 4);
    assert_number(c->smem, 1024 * 4);
}

/* ---- registers ---------------------------------------------------------------------------- */

TEST(an_accumulator_is_a_tile_in_f32)
{
    const kci_counts *c = under(product(), schedule_of("m=64 n=32 k=16", "m n", "k"));
    assert_number(c->register_bytes, 64 * 32 * 4);
    assert_number(c->accumulator_bytes, 64 * 32 * 4);
}

TEST(an_accumulator_of_f64_or_of_integers_is_as_wide_as_they_accumulate)
{
    kc_tensor *c = write_of("C", matmul(of("A", "m=64 k=64", "f64"), of("B", "k=64 n=32", "f64"), NULL));
    assert_number(under(c, schedule_of("m=16 n=16 k=16", "m n", "k"))->register_bytes, 16 * 16 * 8);
    drop_kept();
    c = write_of("C", matmul(of("A", "m=64 k=64", "i8"), of("B", "k=64 n=32", "i8"), NULL));
    assert_number(under(c, schedule_of("m=16 n=16 k=16", "m n", "k"))->register_bytes, 16 * 16 * 4);
}

TEST(an_elementwise_op_takes_the_place_of_an_input_that_ends_there)
{
    /* relu and gelu of the sum: one tile of f16 throughout */
    kc_value *x = map2("add", of("A", "m=64 n=64", "f16"), of("B", "m=64 n=64", "f16"));
    const kci_counts *c = under(write_of("Y", map1("gelu", map1("relu", x))), schedule_of("m=16 n=32", "m n", NULL));
    assert_number(c->register_bytes, 16 * 32 * 2);
    assert_number(c->accumulator_bytes, 0);
}

TEST(a_value_that_is_used_again_stays)
{
    /* x and relu(x) are both alive when they are added */
    kc_value *x = map1("exp", of("A", "m=64 n=64", "f16"));
    kc_tensor *y = write_of("Y", map2("add", map1("relu", x), x));
    assert_number(under(y, schedule_of("m=16 n=32", "m n", NULL))->register_bytes, 2 * 16 * 32 * 2);
}

TEST(an_epilogue_runs_in_the_accumulators_place)
{
    kc_value *c = matmul(of("A", "m=256 k=64", "f16"), of("B", "k=64 n=96", "f16"), NULL);
    kc_tensor *y = write_of("Y", map1("gelu", map2("add", c, of("bias", "n=96", "f16"))));
    assert_number(under(y, schedule_of("m=64 n=32 k=16", "m n", "k"))->register_bytes, 64 * 32 * 4);
}

TEST(a_spilling_accumulator_counts_one_tile_and_a_held_one_its_extent_inside)
{
    kc_tensor *t = product();
    kc_schedule *s = schedule_of("m=64 n=32 k=16", "", "k m n");
    assert_number(under(t, s)->register_bytes, 64 * 32 * 4);
    assert_int_equal(kc_schedule_hold(s, "C"), KC_OK);
    assert_number(under(t, s)->register_bytes, 256 * 96 * 4); /* m and n are inside k */
    s = schedule_of("m=64 n=32 k=16", "", "m k n");
    assert_int_equal(kc_schedule_hold(s, "C"), KC_OK);
    assert_number(under(t, s)->register_bytes, 64 * 96 * 4); /* n alone */
    s = schedule_of("m=64 n=32 k=16", "", "m n k");
    assert_int_equal(kc_schedule_hold(s, "C"), KC_OK);
    assert_number(under(t, s)->register_bytes, 64 * 32 * 4); /* none */
}

TEST(an_unfinished_value_that_is_not_written_is_held)
{
    /* Y = A W over k with k outside n: it is needed whole, behind a second matmul */
    kc_value *y = matmul(of("A", "m=64 k=64", "f16"), of("W", "k=64 n=96", "f16"), NULL);
    kc_tensor *z = write_of("Z", matmul(y, of("U", "n=96 e=16", "f16"), "n"));
    const kci_counts *c = under(z, schedule_of("m=16 n=32 k=16", "m", "k n"));
    /* 16*96 of Y in f32, and the accumulator of Z */
    assert_number(c->register_bytes, 16 * 96 * 4 + 16 * 16 * 4);
}

TEST(two_accumulators_of_one_loop_are_open_together)
{
    kc_value *a = of("A", "m=64 k=64", "f16");
    kc_tensor *out[2] = { write_of("C", matmul(a, of("B", "k=64 n=32", "f16"), NULL)),
                          write_of("D", matmul(a, of("E", "k=64 p=16", "f16"), NULL)) };
    kc_kernel *k = keep(kc_kernel_new(context, NULL, out, 2));
    const kci_counts *c = count_of(tiled(k, "m=16 n=32 p=16 k=16", "m", "k"));
    assert_number(c->register_bytes, 16 * 32 * 4 + 16 * 16 * 4);
    c = count_of(tiled(k, "m=16 n=32 p=16", "m", "")); /* k whole: one after the other; C in f16 is stored at once */
    assert_number(c->register_bytes, 16 * 32 * 4);
}

TEST(a_product_added_into_another_shares_its_accumulator)
{
    kc_value *first = matmul(of("A", "m=64 k=64", "f16"), of("B", "k=64 n=32", "f16"), NULL);
    kc_value *both = keep(kc_matmul(of("C", "m=64 j=64", "f16"), of("D", "j=64 n=32", "f16"), NULL, NULL, NULL, first));
    const kci_counts *c = under(write_of("Y", both), schedule_of("m=16 n=32 k=16 j=16", "m n", "k j"));
    assert_number(c->register_bytes, 16 * 32 * 4);
}

TEST(an_untiled_kernel_has_no_footprint)
{
    const kci_counts *c = count_of(kernel_of(product()));
    assert_number(c->smem + c->register_bytes + c->accumulator_bytes, 0);
}

/* ---- attention ---------------------------------------------------------------------------- */

TEST(the_footprint_of_flash_attention)
{
    attention a = attention_of("i=1024 d=64", "j=1024 d=64", "j=1024 e=64");
    const kci_counts *c = count_of(tiled(a.flash, "i=128 j=64", "i", "j"));
    /* Q 128*64 once, K and V 64*64 in two buffers, 2 B each */
    assert_number(c->smem, 16384 + 2 * 8192 + 2 * 8192);
    /* While S is summed: O 128*64 and S 128*64 in f32, maximum and sum of 128 rows in f32.
     * Behind it S has 2 B, and what is made of it takes its place. */
    assert_number(c->register_bytes, 32768 + 32768 + 512 + 512);
    assert_number(c->accumulator_bytes, 32768 + 32768); /* in tensor memory, where there is one */
}

TEST(flash_attention_1_holds_one_tile_of_what_it_spills)
{
    attention a = attention_of("i=1024 d=64", "j=1024 d=64", "j=1024 e=64");
    const kci_counts *c = count_of(tiled(a.flash, "i=128 j=64", "", "j i"));
    assert_number(c->register_bytes, 32768 + 32768 + 512 + 512);
    assert_number(c->smem, 2 * 16384 + 2 * 8192 + 2 * 8192); /* Q streams too */
}

/* dV = P' dO, dK = dS' Q with P = exp(S - L), dS = P (dO V' - D): the half of the
 * backward pass of FlashAttention 2 that owns a tile of j. */
static kc_kernel *backward(void)
{
    kc_value *q = of("Q", "i=1024 d=128", "f16"), *k = of("K", "j=1024 d=128", "f16");
    kc_value *v = of("V", "j=1024 d=128", "f16"), *g = of("dO", "i=1024 d=128", "f16");
    kc_dtype *f16 = dtype_of("f16");
    kc_value *p = map1("exp", map2("sub", matmul(q, k, "d"), of("L", "i=1024", "f32")));
    kc_value *p16 = keep(kc_cast(p, f16));
    kc_tensor *out[2];
    out[0] = write_of("dV", matmul(p16, g, "i"));
    kc_value *ds = map2("mul", p16, map2("sub", matmul(g, v, "d"), of("D", "i=1024", "f32")));
    out[1] = write_of("dK", matmul(keep(kc_cast(ds, f16)), q, "i"));
    return keep(kc_kernel_new(context, "dkv", out, 2));
}

TEST(the_footprint_of_the_backward_pass_of_flash_attention_2)
{
    const kci_counts *c = count_of(tiled(backward(), "i=64 j=128", "j", "i"));
    assert_number(c->passes, 1);
    /* K and V 128*128 once; Q and dO 64*128 in two buffers; L and D 64 in f32 in two buffers */
    assert_number(c->smem, 2 * 32768 + 2 * 2 * 16384 + 2 * 2 * 256);
    /* dV and dK 128*128 in f32 all along.  The most beside them is at dO V' (64*128 in f32)
     * with P in f16 kept for later; dS in f32 beside P, in the place of what it comes from, is as much. */
    assert_number(c->register_bytes, 2 * 65536 + 64 * 128 * (4 + 2));
    assert_true(c->register_bytes <= 65536 * 4); /* fits an A100's and an H100's registers … */
    assert_true(c->smem <= 163 * 1024);          /* … and their shared memory */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_read_inside_a_loop_has_its_tile_times_the_stages),
        fact(stages_may_be_given_per_tensor),
        fact(a_read_outside_all_loops_has_one_tile),
        fact(passes_fill_the_same_buffer),
        fact(a_halo_counts_in_the_tile),
        fact(a_tile_is_no_larger_than_its_tensor),
        fact(a_read_may_live_in_registers),
        fact(a_held_read_is_loaded_once_a_cta_and_counts_whole),
        fact(a_held_read_serves_all_passes),
        fact(an_accumulator_is_a_tile_in_f32),
        fact(an_accumulator_of_f64_or_of_integers_is_as_wide_as_they_accumulate),
        fact(an_elementwise_op_takes_the_place_of_an_input_that_ends_there),
        fact(a_value_that_is_used_again_stays),
        fact(an_epilogue_runs_in_the_accumulators_place),
        fact(a_spilling_accumulator_counts_one_tile_and_a_held_one_its_extent_inside),
        fact(an_unfinished_value_that_is_not_written_is_held),
        fact(two_accumulators_of_one_loop_are_open_together),
        fact(a_product_added_into_another_shares_its_accumulator),
        fact(an_untiled_kernel_has_no_footprint),
        fact(the_footprint_of_flash_attention),
        fact(flash_attention_1_holds_one_tile_of_what_it_spills),
        fact(the_footprint_of_the_backward_pass_of_flash_attention_2),
    };
    return run(tests);
}
