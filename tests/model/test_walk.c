/* test_walk.c: what the walk finds fetched, executed and spilled, against figures derived by hand; each comment is
 * the derivation. */
#include "walk_bench.h"

/* ---- matmuls ----------------------------------------------------------------- */

static bench *gemm(double m, double n, double k, const char *grid, const char *order)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 100 }, { "n", 70 }, { "k", 60 }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    write(b, "C", matmul(b, A, B, NULL), "f16");
    build(b);
    tile(b, "m", m);
    tile(b, "n", n);
    tile(b, "k", k);
    nest(b, grid, order);
    walk(b);
    return b;
}

/* Example 1 of the design: 4 x 5 CTAs, 4 trips over k.  A is read by each of the 5
 * column tiles, 5*100*60*2 B; B by each of the 4 row tiles, 4*70*60*2 B. */
TEST(a_grid_of_tiles_reads_each_operand_once_per_tile_of_the_other_dim)
{
    bench *b = gemm(32, 16, 16, "m n", "k");
    assert_number(b->walk.ctas, 20);
    assert_number(row(b, "A")->read, 60000);
    assert_number(row(b, "A")->loads, 80);
    assert_number(row(b, "A")->compulsory, 12000);
    assert_number(row(b, "A")->reload, 48000);
    assert_number(row(b, "B")->read, 33600);
    assert_number(row(b, "C")->written, 14000);
    assert_number(executed_matrix(b), 2 * 655360.0);
    assert_number(useful_matrix(b), 2 * 420000.0);
    assert_number(b->walk.passes, 1);
    teardown(b);
}

/* Example 2: A at k m once; B inside n by m; C is left after each of 4 trips over k
 * but the last: 3*7000 elements of 4 bytes out and in. */
TEST(an_accumulator_that_is_left_unfinished_goes_out_and_comes_back)
{
    bench *b = gemm(32, 16, 16, "", "k m n");
    assert_number(row(b, "A")->read, 12000);
    assert_number(row(b, "B")->read, 33600);
    assert_number(row(b, "C")->written, 84000 + 14000);
    assert_number(row(b, "C")->read, 84000);
    assert_number(row(b, "C")->spill, 168000);
    teardown(b);
}

/* k inside m but outside n: the tile of C changes with n at each trip over k. */
TEST(one_enclosed_index_loop_is_enough_to_spill)
{
    bench *b = gemm(32, 16, 16, "", "m k n");
    assert_number(row(b, "C")->spill, 168000);
    assert_number(row(b, "A")->read, 12000);
    assert_number(row(b, "B")->read, 33600);
    teardown(b);
}

TEST(an_accumulator_inside_its_index_loops_stays)
{
    bench *b = gemm(32, 16, 16, "", "m n k");
    assert_number(row(b, "C")->spill, 0);
    assert_number(row(b, "A")->read, 60000);
    teardown(b);
}

/* 2 shares of the 4 trips over k: 40 CTAs, the same loads; two parts of 7000
 * elements of 4 bytes are written, and read by the kernel that adds them. */
TEST(a_split_writes_and_reads_one_part_per_share)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 100 }, { "n", 70 }, { "k", 60 }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    kc_value *bias = read(b, tensor(b, "D", "n", "f16", sizes), NULL);
    write(b, "C", map(b, "add", matmul(b, A, B, NULL), bias), "f16");
    build(b);
    tile(b, "m", 32);
    tile(b, "n", 16);
    tile(b, "k", 16);
    nest(b, "m n", "k");
    b->tiling.split[loop_named(b, "k", 1)] = 2;
    walk(b);
    assert_number(b->walk.ctas, 40);
    assert_number(b->walk.launches, 2);
    assert_number(row(b, "A")->read, 60000);
    assert_number(row(b, "C")->split, 4 * 7000 * 4.0);
    assert_number(row(b, "C")->written, 2 * 28000 + 14000);
    assert_number(row(b, "D")->read, 140);      /* once, by the kernel that combines */
    assert_number(row(b, "D")->loads, 1);
    assert_number(executed_vector(b), 7000);
    teardown(b);
}

/* Atomic: a zero fill, and one read-modify-write for each of 4 CTAs along k. */
TEST(atomic_combining_fills_and_then_adds_in_place)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 100 }, { "n", 70 }, { "k", 60 }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    write(b, "C", matmul(b, A, B, NULL), "f32");
    build(b);
    tile(b, "m", 32);
    tile(b, "n", 16);
    tile(b, "k", 16);
    nest(b, "m n k", "");
    b->tiling.atomic = true;
    walk(b);
    assert_number(row(b, "C")->written, 5 * 28000);
    assert_number(row(b, "C")->read, 4 * 28000);
    assert_number(row(b, "C")->compulsory, 28000);
    assert_number(row(b, "C")->split, 8 * 28000);
    assert_number(b->walk.launches, 1);
    teardown(b);
}

/* The primer: a 16 x 16 tile with k = 64 loads 2*16*64 elements for 16*16*64 points:
 * 8 FLOP a byte; 64 x 64 loads 4 times as many for 16 times the points: 32. */
TEST(the_primers_tiles_give_8_and_32_flop_a_byte)
{
    for (double t = 16; t <= 64; t *= 4) {
        bench *b = setup();
        const kc_size sizes[] = { { "m", 128 }, { "n", 128 }, { "k", 128 }, { NULL, 0 } };
        kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
        kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
        write(b, "C", matmul(b, A, B, NULL), "f16");
        build(b);
        tile(b, "m", t);
        tile(b, "n", t);
        tile(b, "k", 64);
        nest(b, "m n", "k");
        walk(b);
        assert_number(executed_matrix(b) / (row(b, "A")->read + row(b, "B")->read), t / 2);
        teardown(b);
    }
}

/* Order k m n: bias has only n.  It is needed when k has ended, so it is walked
 * again behind k: m does not index it, so it sits at m n, 3*2 loads of n's tiles. */
TEST(an_epilogue_behind_a_reduction_costs_no_pass)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 6 }, { "n", 4 }, { "k", 8 }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    kc_value *bias = read(b, tensor(b, "D", "n", "f16", sizes), NULL);
    write(b, "C", map(b, "add", matmul(b, A, B, NULL), bias), "f16");
    build(b);
    tile(b, "m", 2);
    tile(b, "n", 2);
    tile(b, "k", 2);
    nest(b, "", "k m n");
    walk(b);
    assert_number(b->walk.passes, 1);
    assert_number(row(b, "D")->loads, 6);
    assert_number(row(b, "D")->read, 6 * 2 * 2);
    assert_number(executed_vector(b), 24);      /* once per element of C */
    assert_number(row(b, "C")->spill, 2 * 3 * 24 * 4.0);
    teardown(b);
}

/* ---- softmax ------------------------------------------------------------------ */

static bench *softmax_rows(int online, double tile_j)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 3 }, { "j", 32 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i j", "f32", sizes), NULL);
    write(b, "Y", keep(b, kc_softmax(X, "j", online)), "f32");
    build(b);
    tile(b, "i", 1);
    tile(b, "j", tile_j);
    nest(b, "i", "j");
    walk(b);
    return b;
}

/* Example 4, with rows of 32: max; exp and sum; exp again and divide. */
TEST(a_safe_softmax_reads_its_rows_three_times)
{
    bench *b = softmax_rows(0, 4);
    assert_number(b->walk.passes, 3);
    assert_number(row(b, "X")->read, 3 * 3 * 32 * 4);
    assert_number(row(b, "X")->pass, 2 * 3 * 32 * 4);
    assert_number(row(b, "X")->reload, 0);
    assert_number(row(b, "Y")->written, 3 * 32 * 4);
    /* useful: 4 vector FLOP and 1 special an element, 1 special a row */
    assert_number(useful_vector(b), 4 * 96);
    assert_number(b->walk.useful_special, 96 + 3);
    /* executed: the exponential twice */
    assert_number(executed_vector(b), 5 * 96);
    assert_number(b->walk.executed_special, 2 * 96 + 3);
    teardown(b);
}

TEST(an_online_softmax_reads_its_rows_twice)
{
    bench *b = softmax_rows(1, 4);
    assert_number(b->walk.passes, 2);
    assert_number(row(b, "X")->read, 2 * 3 * 32 * 4);
    teardown(b);
}

TEST(a_softmax_whose_row_fits_reads_it_once)
{
    for (int online = 0; online < 2; online++) {
        bench *b = softmax_rows(online, 32);
        assert_number(b->walk.passes, 1);
        assert_number(row(b, "X")->read, 3 * 32 * 4);
        assert_number(executed_vector(b), useful_vector(b));
        teardown(b);
    }
}

/* Attention with h = 2 heads, 8 x 8 scores, d = e = 4; tiles of 2 rows, 4 columns. */
static bench *attention(const char *grid, const char *order, int causal)
{
    bench *b = setup();
    const kc_size sizes[] = { { "h", 2 }, { "i", 8 }, { "j", 8 }, { "d", 4 }, { "e", 4 }, { NULL, 0 } };
    kc_value *Q = read(b, tensor(b, "Q", "h i d", "f16", sizes), NULL);
    kc_value *K = read(b, tensor(b, "K", "h j d", "f16", sizes), NULL);
    kc_value *V = read(b, tensor(b, "V", "h j e", "f16", sizes), NULL);
    kc_value *S = through(b, "S", matmul(b, Q, K, NULL), "f16", NULL, NULL);
    if (causal)
        S = keep(b, kc_causal(S, "i", "j"));
    kc_value *P = through(b, "P", keep(b, kc_softmax(S, "j", 1)), "f16", NULL, NULL);
    write(b, "O", matmul(b, P, V, NULL), "f16");
    build(b);
    tile(b, "h", 1);
    tile(b, "i", 2);
    tile(b, "j", 4);
    nest(b, grid, order);
    walk(b);
    return b;
}

/* Example 3: per head Q and O once, K and V once for each of the 4 row tiles. */
TEST(flash_attention_2_reads_keys_once_per_row_tile)
{
    bench *b = attention("h i", "j", 0);
    assert_number(b->walk.passes, 1);
    assert_number(row(b, "Q")->read, 2 * 32 * 2);
    assert_number(row(b, "K")->read, 2 * 4 * 32 * 2);
    assert_number(row(b, "V")->read, 2 * 4 * 32 * 2);
    assert_number(row(b, "O")->written, 2 * 32 * 2);
    assert_number(row(b, "P.max")->written, 0);
    assert_number(executed_matrix(b), 2 * 2 * 2 * 64 * 4.0);
    /* 128 scores: max, subtract, sum (3 FLOP), exp; 64 outputs divided; 16 rows inverted;
     * executed only: each of the 2 trips over j rescales 64 outputs and makes 16 factors */
    assert_number(useful_vector(b), 3 * 128 + 64);
    assert_number(executed_vector(b), 3 * 128 + 64 + 2 * 64);
    assert_number(b->walk.useful_special, 128 + 16);
    assert_number(b->walk.executed_special, 128 + 16 + 2 * 16);
    teardown(b);
}

/* Order j i: K and V once, Q once per trip over j; O (64 elements) and the 16 rows of
 * each statistic are left once and come back once, in 4 bytes. */
TEST(flash_attention_1_spills_outputs_and_statistics)
{
    bench *b = attention("h", "j i", 0);
    assert_number(row(b, "Q")->read, 2 * 2 * 32 * 2);
    assert_number(row(b, "K")->read, 2 * 32 * 2);
    assert_number(row(b, "V")->read, 2 * 32 * 2);
    assert_number(row(b, "O")->spill, 2 * 64 * 4);
    assert_number(row(b, "O")->written, 64 * 4 + 64 * 2);
    assert_number(row(b, "P.max")->spill, 2 * 16 * 4);
    assert_number(row(b, "P.sum")->read, 16 * 4);
    teardown(b);
}

/* Causal: of 4 x 2 tile pairs of 2 x 4, rows 0-1 and 2-3 need only columns 0-3:
 * 6 of 8 are live; 36 of 64 points are. */
TEST(a_causal_mask_skips_dead_tiles)
{
    bench *b = attention("h i", "j", 1);
    assert_number(row(b, "K")->loads, 2 * 6);
    assert_number(row(b, "K")->read, 2 * 6 * 16 * 2);
    assert_number(row(b, "Q")->loads, 2 * 4);
    assert_number(useful_matrix(b), 2 * 2 * (36 * 4 + 36 * 4.0));
    assert_number(executed_matrix(b), 2 * 2 * (6 * 8 * 4 + 6 * 8 * 4.0));
    teardown(b);
}

/* Order j i: rows 0-3 are live for the first tile of j only, rows 4-7 for both:
 * half of O is left once. */
TEST(a_masked_accumulator_spills_in_its_live_trips_only)
{
    bench *b = attention("h", "j i", 1);
    assert_number(row(b, "Q")->loads, 2 * 6);
    assert_number(row(b, "O")->spill, 2 * 2 * 16 * 4);
    assert_number(row(b, "P.sum")->spill, 2 * 2 * 4 * 4);
    teardown(b);
}

/* ---- passes ------------------------------------------------------------------- */

/* y = x / sum(x), rows of 12 in tiles of 4: two passes over x in HBM. */
TEST(a_norm_reads_its_rows_in_two_passes)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 2 }, { "k", 12 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i k", "f16", sizes), NULL);
    kc_value *W = read(b, tensor(b, "W", "k", "f16", sizes), NULL);
    write(b, "Y", map(b, "mul", map(b, "mul", X, reduce(b, X, "k")), W), "f16");
    build(b);
    tile(b, "i", 1);
    tile(b, "k", 4);
    nest(b, "i", "k");
    walk(b);
    assert_number(b->walk.passes, 2);
    assert_number(row(b, "X")->read, 2 * 24 * 2);
    assert_number(row(b, "X")->pass, 24 * 2);
    assert_number(row(b, "W")->loads, 2 * 3);   /* in the second pass only */
    assert_number(row(b, "W")->reload, 12 * 2);
    teardown(b);
}

/* The same with rows in the loop i outside: passes share i. */
TEST(passes_share_the_loops_outside_the_reduced_one)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 4 }, { "k", 12 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i k", "f16", sizes), NULL);
    kc_value *R = read(b, tensor(b, "R", "i", "f16", sizes), NULL);
    kc_value *scaled = map(b, "mul", X, R);
    write(b, "Y", map(b, "mul", scaled, reduce(b, scaled, "k")), "f16");
    build(b);
    tile(b, "i", 2);
    tile(b, "k", 4);
    nest(b, "", "i k");
    walk(b);
    assert_number(b->walk.passes, 2);
    assert_number(row(b, "R")->loads, 2);       /* at i, for both passes */
    assert_number(row(b, "X")->loads, 2 * 6);
    assert_number(executed_vector(b), 4 * 48);  /* scale twice, sum, multiply */
    teardown(b);
}

/* S reduces d, which is one tile: pass 2 computes it again; where d has trips it is held. */
TEST(a_score_is_computed_again_unless_it_reduces_over_a_loop)
{
    for (int looped = 0; looped < 2; looped++) {
        bench *b = setup();
        const kc_size sizes[] = { { "i", 4 }, { "j", 4 }, { "d", 2 }, { NULL, 0 } };
        kc_value *Q = read(b, tensor(b, "Q", "i d", "f16", sizes), NULL);
        kc_value *K = read(b, tensor(b, "K", "j d", "f16", sizes), NULL);
        kc_value *S = matmul(b, Q, K, NULL);
        write(b, "Y", map(b, "mul", S, reduce(b, S, "j")), "f16");
        build(b);
        tile(b, "i", 4);
        tile(b, "j", 2);
        tile(b, "d", looped ? 1 : 2);
        nest(b, "", "i j d");
        walk(b);
        assert_number(b->walk.passes, 2);
        assert_number(executed_matrix(b), looped ? 64 : 128);
        assert_number(row(b, "K")->loads, 4);
        teardown(b);
    }
}

/* ---- holding, refusing ---------------------------------------------------------- */

TEST(a_held_output_does_not_spill_and_a_held_read_is_loaded_once)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 6 }, { "n", 4 }, { "k", 8 }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    write(b, "C", matmul(b, A, B, NULL), "f16");
    build(b);
    tile(b, "m", 2);
    tile(b, "n", 2);
    tile(b, "k", 2);
    nest(b, "", "k m n");
    b->tiling.held[1] = b->tiling.held[2] = true;
    walk(b);
    assert_number(row(b, "C")->spill, 0);
    assert_number(row(b, "B")->loads, 1);
    assert_number(row(b, "B")->read, 32 * 2);
    assert_number(row(b, "A")->read, 48 * 2);
    teardown(b);
}

TEST(a_value_that_is_needed_before_the_grid_combined_it_is_refused)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 2 }, { "k", 12 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i k", "f16", sizes), NULL);
    write(b, "Y", map(b, "mul", X, reduce(b, X, "k")), "f16");
    build(b);
    tile(b, "k", 4);
    nest(b, "k", "");
    assert_int_equal(kci_walk(&b->graph, &b->tiling, NULL, NULL, 1e7, &b->walk), KC_EARGUMENT);
    assert_contains(kc_context_message(b->context), "before it is combined");
    teardown(b);
}

/* scale = f(sum over k) has only m; order k m.  It comes after the end of k, so both
 * passes are served by one computation, 3 tiles of 2; so is the read that it alone uses. */
TEST(what_comes_after_a_loop_is_done_once_for_the_passes_that_follow)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 6 }, { "k", 8 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "m k", "f16", sizes), NULL);
    kc_value *R = read(b, tensor(b, "R", "m", "f16", sizes), NULL);
    kc_value *factor = map(b, "mul", reduce(b, X, "k"), R);
    write(b, "F", factor, "f16");
    write(b, "Y", map(b, "mul", X, factor), "f16");
    build(b);
    tile(b, "m", 2);
    tile(b, "k", 4);
    nest(b, "", "k m");
    walk(b);
    assert_number(b->walk.passes, 2);
    assert_number(row(b, "R")->loads, 3);
    assert_number(row(b, "R")->read, 12);
    assert_number(executed_vector(b), 48 + 6 + 48);
    teardown(b);
}

/* 3 trips over k for 2 CTAs: two for one, one for the other.  R, which lacks k, is
 * loaded by both; each writes a part of the 4 sums, and the parts are read. */
TEST(shares_of_a_split_are_walked_by_their_own_ctas)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 4 }, { "k", 6 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "m k", "f16", sizes), NULL);
    kc_value *R = read(b, tensor(b, "R", "m", "f16", sizes), NULL);
    write(b, "Y", reduce(b, map(b, "mul", X, R), "k"), "f16");
    build(b);
    tile(b, "m", 2);
    tile(b, "k", 2);
    nest(b, "", "m k");
    b->tiling.split[loop_named(b, "k", 1)] = 2;
    walk(b);
    assert_number(b->walk.ctas, 2);
    assert_number(row(b, "X")->loads, 6);
    assert_number(row(b, "R")->loads, 4);       /* by each CTA */
    assert_number(row(b, "Y")->split, 4 * 4 * 4);
    teardown(b);
}

TEST(a_walk_that_runs_out_of_memory_says_so_and_gives_everything_back)
{
    bench *b = attention("h", "j i", 1);
    kci_walk_free(&b->walk);
    size_t before = allocated;
    kc_status status = KC_ENOMEM;
    for (int n = 0; status != KC_OK && n < 1000; n++) {
        left = n;
        status = kci_walk(&b->graph, &b->tiling, NULL, NULL, 1e7, &b->walk);
        left = -1;
        if (status == KC_OK)
            break;
        assert_int_equal(status, KC_ENOMEM);
        assert_null(b->walk.rows);
        assert_true(allocated == before);
    }
    assert_int_equal(status, KC_OK);
    teardown(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_of_tiles_reads_each_operand_once_per_tile_of_the_other_dim),
        cmocka_unit_test(an_accumulator_that_is_left_unfinished_goes_out_and_comes_back),
        cmocka_unit_test(one_enclosed_index_loop_is_enough_to_spill),
        cmocka_unit_test(an_accumulator_inside_its_index_loops_stays),
        cmocka_unit_test(a_split_writes_and_reads_one_part_per_share),
        cmocka_unit_test(atomic_combining_fills_and_then_adds_in_place),
        cmocka_unit_test(the_primers_tiles_give_8_and_32_flop_a_byte),
        cmocka_unit_test(an_epilogue_behind_a_reduction_costs_no_pass),
        cmocka_unit_test(a_safe_softmax_reads_its_rows_three_times),
        cmocka_unit_test(an_online_softmax_reads_its_rows_twice),
        cmocka_unit_test(a_softmax_whose_row_fits_reads_it_once),
        cmocka_unit_test(flash_attention_2_reads_keys_once_per_row_tile),
        cmocka_unit_test(flash_attention_1_spills_outputs_and_statistics),
        cmocka_unit_test(a_causal_mask_skips_dead_tiles),
        cmocka_unit_test(a_masked_accumulator_spills_in_its_live_trips_only),
        cmocka_unit_test(a_norm_reads_its_rows_in_two_passes),
        cmocka_unit_test(passes_share_the_loops_outside_the_reduced_one),
        cmocka_unit_test(a_score_is_computed_again_unless_it_reduces_over_a_loop),
        cmocka_unit_test(a_held_output_does_not_spill_and_a_held_read_is_loaded_once),
        cmocka_unit_test(a_value_that_is_needed_before_the_grid_combined_it_is_refused),
        cmocka_unit_test(what_comes_after_a_loop_is_done_once_for_the_passes_that_follow),
        cmocka_unit_test(shares_of_a_split_are_walked_by_their_own_ctas),
        cmocka_unit_test(a_walk_that_runs_out_of_memory_says_so_and_gives_everything_back),
    };
    return run(tests);
}
