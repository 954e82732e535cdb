/* test_walk_points.c: which points and elements the walk finds, against figures derived by hand; each comment is the
 * derivation. */
#include "walk_bench.h"

/* ---- affine indices ------------------------------------------------------------ */

/* x at p-1, p and p+1, 8 points in tiles of 3: boxes [-1,3] [2,6] [5,8] clipped to
 * 0..7: 4 + 5 + 3 elements, one load each. */
TEST(a_stencil_is_one_box)
{
    bench *b = setup();
    const kc_size sizes[] = { { "p", 8 }, { NULL, 0 } };
    kc_tensor *X = tensor(b, "X", "p", "f32", sizes);
    kc_value *around = map(b, "add", read(b, X, "p-1"), read(b, X, "p+1"));
    write(b, "Y", map(b, "add", around, read(b, X, NULL)), "f32");
    build(b);
    tile(b, "p", 3);
    nest(b, "p", "");
    walk(b);
    assert_number(row(b, "X")->loads, 3);
    assert_number(row(b, "X")->read, 12 * 4);
    assert_number(row(b, "X")->compulsory, 8 * 4);
    /* the first add lives at p = 1 .. 6 only, so does the second */
    assert_number(useful_vector(b), 12);
    assert_number(executed_vector(b), 2 * 9);
    teardown(b);
}

/* A convolution of stride 2, 3 taps, padding 1, on 7 points: outputs 0..3; tiles of 2:
 * boxes [-1,3] and [3,7] clipped to 0..6: 4 + 4 elements.  2 of 12 taps are padding. */
TEST(a_convolution_loads_halos_and_no_padding)
{
    bench *b = setup();
    const kc_size sizes[] = { { "x", 7 }, { "r", 3 }, { NULL, 0 } }, out[] = { { "p", 4 }, { "r", 3 }, { NULL, 0 } };
    kc_value *X = read_sized(b, tensor(b, "X", "x", "f16", sizes), "2*p+r-1", out);
    kc_value *W = read(b, tensor(b, "W", "r", "f16", sizes), NULL);
    write(b, "Y", matmul(b, X, W, "r"), "f16");
    build(b);
    tile(b, "p", 2);
    nest(b, "p", "");
    walk(b);
    assert_number(row(b, "X")->read, 8 * 2);
    assert_number(row(b, "X")->compulsory, 7 * 2);
    assert_number(row(b, "W")->read, 2 * 3 * 2);
    assert_number(useful_matrix(b), 2 * 10);
    assert_number(executed_matrix(b), 2 * 12);
    teardown(b);
}

/* Two of them, 3 taps, no stride: 4 outputs in tiles of 2; the first one computes a
 * box of 4 for each of the 2 tiles, and 6 distinct values are useful. */
TEST(a_fused_convolution_computes_its_halo_again)
{
    bench *b = setup();
    const kc_size sizes[] = { { "x", 8 }, { "s", 3 }, { "r", 3 }, { NULL, 0 } };
    const kc_size first[] = { { "y", 6 }, { "s", 3 }, { NULL, 0 } }, second[] = { { "p", 4 }, { "r", 3 }, { NULL, 0 } };
    kc_value *X = read_sized(b, tensor(b, "X", "x", "f16", sizes), "y+s", first);
    kc_value *W1 = read(b, tensor(b, "U", "s", "f16", sizes), NULL);
    kc_value *Y = through(b, "Y", matmul(b, X, W1, "s"), "f16", "p+r", second);
    kc_value *W2 = read(b, tensor(b, "W", "r", "f16", sizes), NULL);
    write(b, "Z", matmul(b, Y, W2, "r"), "f16");
    build(b);
    tile(b, "p", 2);
    nest(b, "p", "");
    walk(b);
    assert_number(row(b, "X")->read, 2 * 6 * 2);
    assert_number(row(b, "X")->compulsory, 8 * 2);
    assert_number(useful_matrix(b), 2 * (6 * 3 + 4 * 3));
    assert_number(executed_matrix(b), 2 * (2 * 4 * 3 + 4 * 3));
    teardown(b);
}

/* 10 rows chosen by data from a table of 4, in tiles of 3: 3 + 3 + 3 + 1 rows are
 * fetched; at least, all 4 rows. */
TEST(a_gather_fetches_a_row_a_point_and_needs_no_more_than_the_table)
{
    bench *b = setup();
    const kc_size sizes[] = { { "v", 4 }, { "k", 5 }, { NULL, 0 } }, points[] = { { "m", 10 }, { NULL, 0 } };
    kc_value *T = read_sized(b, tensor(b, "T", "v k", "f16", sizes), "[m] k", points);
    write(b, "Y", map(b, "relu", T, NULL), "f16");
    build(b);
    tile(b, "m", 3);
    nest(b, "m", "");
    walk(b);
    assert_number(row(b, "T")->read, 10 * 5 * 2);
    assert_number(row(b, "T")->compulsory, 4 * 5 * 2);
    teardown(b);
}

/* ---- masks ------------------------------------------------------------------------ */

/* Two bands on one pair, 0 <= j - i <= 1 and 1 <= j - i <= 3: only j = i + 1 is in both. */
TEST(masks_on_one_pair_hold_together)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 6 }, { "j", 6 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i j", "f16", sizes), NULL);
    X = keep(b, kc_mask(X, "i", "j", 0, 1));
    X = keep(b, kc_mask(X, "i", "j", 1, 3));
    write(b, "Y", map(b, "relu", X, NULL), "f16");
    build(b);
    tile(b, "i", 1);
    tile(b, "j", 1);
    nest(b, "i j", "");
    walk(b);
    assert_number(row(b, "X")->loads, 5);       /* j = i + 1 */
    assert_number(useful_vector(b), 5);
    teardown(b);
}

/* j - d >= 8 leaves d <= 7, k - d <= 0 then k <= 7: 8 of the 16 elements of B.  A: d <= 7
 * and j >= d + 8: 8 + 7 + ... + 1.  The sum lives at d = 0 .. 7, j >= d + 8, k <= d. */
TEST(masks_that_share_a_dim_hold_at_one_point)
{
    bench *b = setup();
    const kc_size sizes[] = { { "d", 16 }, { "j", 16 }, { "k", 16 }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "d j", "f32", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k", "f32", sizes), NULL);
    kc_value *product = keep(b, kc_mask(map(b, "mul", A, B), "d", "j", 8, HUGE_VAL));
    write(b, "W", keep(b, kc_mask(product, "d", "k", -HUGE_VAL, 0)), "f32");
    build(b);
    nest(b, "", "d j k");
    walk(b);
    double points = 0;
    for (int d = 0; d < 8; d++)
        points += (8 - d) * (d + 1);
    assert_number(row(b, "A")->compulsory, 36 * 4);
    assert_number(row(b, "B")->compulsory, 8 * 4);
    assert_number(useful_vector(b), points);
    teardown(b);
}

/* Only the point i = 0, j = 3 is live behind the softmax, and row 0 needs its maximum
 * over all j: V, which has neither, is loaded at each of 4 trips over j and 2 over e. */
TEST(a_mask_behind_a_softmax_leaves_the_row_before_it_whole)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 2 }, { "j", 4 }, { "e", 2 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i j e", "f16", sizes), NULL);
    kc_value *V = read(b, tensor(b, "V", "e", "f16", sizes), NULL);
    kc_value *P = keep(b, kc_softmax(matmul(b, X, V, "e"), "j", 0));
    write(b, "W", keep(b, kc_mask(P, "i", "j", 3, HUGE_VAL)), "f16");
    build(b);
    tile(b, "j", 1);
    tile(b, "e", 1);
    nest(b, "", "j e");
    walk(b);
    assert_number(b->walk.passes, 3);
    assert_number(row(b, "V")->loads, 8);
    assert_number(row(b, "X")->compulsory, 4 * 2 * 2);
    assert_number(useful_matrix(b), 2 * 4 * 2);
    teardown(b);
}

/* ---- streams, twins ----------------------------------------------------------------- */

/* 24 elements of 2 bytes, half of them and twice. */
TEST(reads_of_unlike_scale_each_touch_their_elements)
{
    bench *b = setup();
    const kc_size sizes[] = { { "m", 6 }, { "k", 4 }, { NULL, 0 } };
    kc_tensor *A = tensor(b, "A", "m k", "f16", sizes);
    kc_value *half = keep(b, kc_read(A, NULL, NULL, 0, 0.5, 0)), *twice = keep(b, kc_read(A, NULL, NULL, 0, 2, 0));
    write(b, "Y", map(b, "add", half, twice), "f16");
    build(b);
    tile(b, "m", 3);
    nest(b, "m", "");
    walk(b);
    assert_number(row(b, "A")->compulsory, 48 * 2.5);
    assert_number(row(b, "A")->read, 48 * 2.5);
    assert_number(row(b, "A")->loads, 4);
    assert_number(row(b, "A")->pass + row(b, "A")->reload, 0);
    teardown(b);
}

/* 10 rows chosen by data, of which 2.5 are expected to differ. */
TEST(expected_rows_need_not_be_whole)
{
    bench *b = setup();
    const kc_size sizes[] = { { "v", 4 }, { "k", 5 }, { NULL, 0 } }, points[] = { { "m", 10 }, { NULL, 0 } };
    kc_tensor *T = tensor(b, "T", "v k", "f16", sizes);
    write(b, "Y", map(b, "relu", keep(b, kc_read(T, "[m] k", points, 1, 1, 2.5)), NULL), "f16");
    build(b);
    tile(b, "m", 3);
    nest(b, "m", "");
    walk(b);
    assert_number(row(b, "T")->compulsory, 2.5 * 5 * 2);
    teardown(b);
}

/* y at o and o + 1, o = 0 .. 6: both need 7 values, together 8; each is executed. */
TEST(an_op_needed_under_two_indexes_is_useful_once)
{
    bench *b = setup();
    const kc_size sizes[] = { { "x", 8 }, { NULL, 0 } }, out[] = { { "o", 7 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "x", "f32", sizes), NULL);
    kc_value *here = through(b, "Y", map(b, "relu", X, NULL), "f32", "o", out);
    kc_value *next = read_sized(b, b->fused[0], "o+1", out);
    write(b, "Z", map(b, "add", here, next), "f32");
    build(b);
    nest(b, "", "o");
    walk(b);
    assert_number(useful_vector(b), 8 + 7);
    assert_number(executed_vector(b), 14 + 7);
    assert_number(row(b, "X")->compulsory, 8 * 4);
    teardown(b);
}



int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stencil_is_one_box),
        cmocka_unit_test(a_convolution_loads_halos_and_no_padding),
        cmocka_unit_test(a_fused_convolution_computes_its_halo_again),
        cmocka_unit_test(a_gather_fetches_a_row_a_point_and_needs_no_more_than_the_table),
        cmocka_unit_test(masks_on_one_pair_hold_together),
        cmocka_unit_test(masks_that_share_a_dim_hold_at_one_point),
        cmocka_unit_test(a_mask_behind_a_softmax_leaves_the_row_before_it_whole),
        cmocka_unit_test(reads_of_unlike_scale_each_touch_their_elements),
        cmocka_unit_test(expected_rows_need_not_be_whole),
        cmocka_unit_test(an_op_needed_under_two_indexes_is_useful_once),
    };
    return run(tests);
}
