/* test_fuse.c: one kernel of several: renaming, affine indexes, saved tensors; design, section 3 "Fusion". */
#include "workbench.h"

static size_t nodes_named(const kc_kernel *kernel, const char *label)
{
    size_t count = 0;
    while (node_named(kernel, label, count))
        count++;
    return count;
}

/* ---- what stays on chip ------------------------------------------------------------------- */

TEST(what_one_writes_and_another_reads_stays_on_chip)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    const kci_counts *c = count_of(a.flash);
    assert_false(moves(a.flash, "S") || moves(a.flash, "P"));
    /* Q 8*4, K 6*4, V 6*2, O 8*2 elements of 2 B */
    assert_number(total_bytes(a.flash, c), 2 * (32 + 24 + 12 + 16));
    assert_int_equal(kc_kernel_tensors(a.flash), 1);
    assert_text(kc_object_name(object(keep(kc_kernel_tensor(a.flash, 0)))), "O");
}

TEST(the_order_of_the_parts_does_not_matter)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    kc_kernel *other = keep(fuse_of("flash", NULL, a.o, a.s, a.p, NULL));
    assert_number(total_bytes(other, count_of(other)), total_bytes(a.flash, count_of(a.flash)));
}

TEST(a_saved_tensor_is_still_written_and_not_read)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    kc_kernel *k = keep(fuse_of("flash", "S", a.s, a.p, a.o, NULL));
    const kci_counts *c = count_of(k);
    assert_number(row_of(k, c, "S")->written, 2 * 48);
    assert_number(row_of(k, c, "S")->read, 0);
    assert_false(moves(k, "P"));
    assert_number(sum_of(c->useful_matrix), sum_of(count_of(a.flash)->useful_matrix));
}

TEST(a_fuse_of_fuses_is_a_fuse_of_all_their_parts)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    kc_kernel *inner = keep(fuse_of("sp", NULL, a.s, a.p, NULL)), *outer = keep(fuse_of("spo", NULL, inner, a.o, NULL));
    assert_number(total_bytes(outer, count_of(outer)), total_bytes(a.flash, count_of(a.flash)));
    assert_false(moves(outer, "S") || moves(outer, "P"));
    inner = keep(fuse_of("sp", "S", a.s, a.p, NULL)); /* what it saves stays saved */
    outer = keep(fuse_of("spo", NULL, inner, a.o, NULL));
    assert_number(row_of(outer, count_of(outer), "S")->written, 2 * 48);
    outer = keep(fuse_of("again", NULL, keep(fuse_of("a", "S", a.s, a.p, NULL)), NULL));
    assert_true(moves(outer, "S") && moves(outer, "P"));
}

TEST(fusing_drops_schedules)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    kc_kernel *s = tiled(a.s, "i=4", NULL, NULL);
    assert_non_null(keep(kc_kernel_schedule(s)));
    kc_kernel *k = keep(fuse_of("flash", NULL, s, a.p, a.o, NULL));
    assert_null(kc_kernel_schedule(k));
}

/* ---- under another index ------------------------------------------------------------------ */

TEST(a_renamed_read_renames_what_is_behind_it)
{
    kc_tensor *y = write_of("Y", map1("exp", read_of(tensor("X", "m=6 k=4", "f16"))));
    kc_kernel *k = keep(fuse_of("f", NULL, y, write_of("Z", map1("relu", read_at(y, "p q", NULL))), NULL));
    assert_int_equal(k->graph.loop_count, 2);
    assert_int_equal(loop_named(k, "m"), -1);
    assert_number(count_of(k)->useful_special, 24);
    assert_number(row_of(k, count_of(k), "X")->read, 48);
}

TEST(a_read_that_is_written_as_it_is_may_have_other_names)
{
    kc_tensor *y = write_of("Y", map1("exp", read_of(tensor("X", "m=6 k=4", "f16"))));
    kc_tensor *z = write_of("Z", read_at(y, "p q", NULL)); /* no op between the read and the write */
    kc_kernel *k = keep(fuse_of("f", NULL, y, z, NULL));
    assert_number(row_of(k, count_of(k), "Z")->written, 48);
    assert_number(count_of(k)->useful_special, 24);
}

TEST(a_transposed_read_of_a_square_tensor_walks_its_input_the_other_way)
{
    kc_tensor *y = write_of("Y", map1("exp", read_of(tensor("X", "m=6 k=6", "f16"))));
    kc_kernel *k = keep(fuse_of("f", NULL, y, write_of("Z", map1("relu", read_at(y, "k m", NULL))), NULL));
    const kci_node *x = node_named(k, "X", 0);
    const kci_axis *first = &k->graph.axes[k->graph.axis_ids[x->axis]];
    assert_int_equal(k->graph.terms[first->term].loop, loop_named(k, "k")); /* X[k m] now */
}

/* relu(X), then three taps of it around each p. */
static kc_kernel *taps(kc_tensor **y, const char *size_x, const char *index, const char *size_p)
{
    *y = write_of("Y", map1("relu", read_of(tensor("X", size_x, "f16"))));
    return keep(fuse_of("taps", NULL, *y, write_of("Z", reduce("sum", read_at(*y, index, size_p), "r")), NULL));
}

TEST(an_affine_index_computes_the_box_of_a_tile_and_only_its_use_is_useful)
{
    kc_tensor *y;
    kc_kernel *k = taps(&y, "y=18", "p+r", "p=16 r=3");
    const kci_counts *c = count_of(tiled(k, "p=4", "p", ""));
    /* relu: 18 elements useful; 4 tiles of 4+3-1 = 6 executed.  sum: 48 points both ways */
    assert_number(useful_vector(c), 18 + 48);
    assert_number(executed_vector(c), 4 * 6 + 48);
}

TEST(a_strided_affine_index_executes_the_box_between_its_taps)
{
    kc_tensor *y;
    kc_kernel *k = taps(&y, "y=40", "3*p+r", "p=8 r=2");
    const kci_counts *c = count_of(tiled(k, "p=4", "p", ""));
    /* touched: 3*p and 3*p+1, 16 elements.  A tile of 4: 3*3 + 1 + 1 = 11, twice. */
    assert_number(executed_vector(c), 2 * 11 + 16);
    assert_number(useful_vector(c), 16 + 16);
}

TEST(taps_in_the_padding_compute_nothing_useful)
{
    kc_tensor *y;
    kc_kernel *k = taps(&y, "y=16", "p+r-1", "p=16 r=3");
    const kci_counts *c = count_of(k);
    assert_number(useful_vector(c), 16 + 46); /* all of Y; 48 taps less one at each end */
    assert_number(row_of(k, c, "X")->read, 32);
}

/* Z[p] = sum over s of Y[p+s], Y[y] = sum over r of X[y+r] */
TEST(two_layers_of_taps_walk_the_box_of_both)
{
    kc_tensor *y = write_of("Y", reduce("sum", read_at(tensor("X", "x=20", "f16"), "y+r", "y=18 r=3"), "r"));
    kc_tensor *z = write_of("Z", reduce("sum", read_at(y, "p+s", "p=16 s=3"), "s"));
    kc_kernel *k = tiled(keep(fuse_of("two", NULL, y, z, NULL)), "p=4", "p", "");
    const kci_counts *c = count_of(k);
    /* useful: 18*3 and 16*3.  Executed: 4 tiles of 6*3 and 4*3; X 4+2+2 elements a tile */
    assert_number(useful_vector(c), 18 * 3 + 16 * 3);
    assert_number(executed_vector(c), 4 * (6 * 3 + 4 * 3));
    assert_number(row_of(k, c, "X")->read, 2 * 4 * 8);
    assert_number(row_of(k, c, "X")->compulsory, 2 * 20);
}

TEST(steps_along_one_dim_add_up_when_indexes_are_composed)
{
    kc_tensor *y = write_of("Y", map1("relu", read_at(tensor("X", "x=11", "f16"), "a+b", "a=6 b=6")));
    kc_kernel *k = tiled(keep(fuse_of("f", NULL, y, write_of("Z", map1("exp", read_at(y, "p p", NULL))), NULL)),
                         "p=3", "p", "");
    const kci_row *x = row_of(k, count_of(k), "X"); /* at 2*p: 0 2 4, 6 8 10 */
    assert_number(x->compulsory, 2 * 6);
    assert_number(x->read, 2 * (5 + 5));
    k = keep(fuse_of("g", NULL, y, write_of("Z", map1("exp", read_at(y, "p -p+5", "p=6"))), NULL));
    k = tiled(k, "p=3", "p", "");
    assert_number(row_of(k, count_of(k), "X")->read, 2 * (1 + 1)); /* p + 5 - p: the same element in both tiles */
}

TEST(two_different_indexes_make_it_twice)
{
    kc_tensor *y = write_of("Y", map1("exp", read_of(tensor("X", "y=17", "f16"))));
    kc_value *both = map2("add", read_at(y, "p", "p=16"), read_at(y, "p+1", "p=16"));
    kc_kernel *k = keep(fuse_of("f", NULL, y, write_of("Z", both), NULL));
    assert_int_equal(nodes_named(k, "exp"), 2);
    assert_number(count_of(tiled(k, "p=4", "p", ""))->executed_special, 32);
    both = map2("add", read_at(y, "p", "p=16"), read_at(y, "p", "p=16")); /* one index: once */
    k = keep(fuse_of("f", NULL, y, write_of("Z", both), NULL));
    assert_int_equal(nodes_named(k, "exp"), 1);
}

TEST(a_value_behind_two_written_tensors_of_a_kernel_is_computed_once)
{
    kc_value *x = map1("exp", read_of(tensor("X", "m=6", "f16")));
    kc_tensor *out[2] = { write_of("A", map1("relu", x)), write_of("B", map1("scale", x)) };
    assert_number(count_of(keep(kc_kernel_new(context, NULL, out, 2)))->useful_special, 6);
    double apart = 0;
    for (int i = 0; i < 2; i++)
        apart += count_of(kernel_of(out[i]))->useful_special;
    assert_number(apart, 12); /* in two kernels it is computed in each */
}

TEST(a_fused_away_tensor_has_the_dtype_it_was_written_in)
{
    /* two computed operands: the wider; one of them was written in f8, the other in bf16 */
    kc_tensor *a = write_as("A", map1("relu", read_of(tensor("X", "m=4 k=3", "f32"))), "f8");
    kc_tensor *b = write_as("B", map1("relu", read_of(tensor("Y", "k=3 n=2", "f32"))), "bf16");
    kc_tensor *c = write_as("C", matmul(read_of(a), read_of(b), NULL), "f32");
    const kci_counts *counts = count_of(keep(fuse_of("f", NULL, a, b, c, NULL)));
    assert_number(counts->useful_matrix[KCI_BF16], 48);
}

TEST(a_value_in_f32_between_two_f16_matmuls_keeps_the_second_in_f16)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    kc_tensor *s = write_as("S32", matmul(read_of(a.q), read_of(a.k), NULL), "f32");
    kc_tensor *p = write_as("P32", softmax(read_of(s), "j", 1), "f32");
    kc_tensor *o = write_of("O2", matmul(read_of(p), read_of(a.v), "j"));
    const kci_counts *c = count_of(keep(fuse_of("f", NULL, s, p, o, NULL)));
    assert_number(c->useful_matrix[KCI_F16], 2 * 8 * 6 * 4 + 2 * 8 * 6 * 2);
}

/* ---- errors ------------------------------------------------------------------------------- */

TEST(a_fuse_that_cannot_be_is_refused)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    kc_object *parts[2] = { object(a.s), object(a.s) };
    refuses(kc_fuse(context, "f", parts, 2, NULL, 0), "fuse: S is made by two of the parts of 'f'");
    parts[1] = object(a.q);
    refuses(kc_fuse(context, "f", parts, 2, NULL, 0),
            "fuse: Q is not written by any op; give tensors made by kc.write");
    refuses(kc_fuse(context, "f", parts, 0, NULL, 0), "fuse: no part is given");
    refuses(kc_fuse(context, "", parts, 1, NULL, 0), "fuse: the name is missing");
    refuses(kc_fuse(context, NULL, parts, 1, NULL, 0), "fuse: the name is missing");
    refuses(fuse_of("f", "X", a.s, a.p, NULL), "fuse: save: no part of 'f' makes 'X'");
    refuses(fuse_of("f", NULL, a.s, keep(kc_times(object(a.p), 2)), NULL),
            "fuse: each part must be a written tensor or a kernel");
    parts[1] = object(a.p);
    refuses(fuse_of("f", NULL, keep(kc_group(context, "g", parts, 2)), a.o, NULL),
            "fuse: 'g' is a group; a group cannot be fused");
    parts[1] = NULL;
    assert_null(kc_fuse(context, "f", parts, 2, NULL, 0));
}

TEST(a_cycle_through_a_kernel_outside_is_refused)
{
    kc_tensor *s = write_of("S", map1("exp", read_of(tensor("X", "m=4", "f16"))));
    kc_tensor *mid = write_of("M", map1("relu", read_of(s)));
    kc_tensor *end = write_of("E", map2("add", read_of(s), read_of(mid)));
    refuses(fuse_of("f", NULL, s, end, NULL),
            "fuse: 'f' would need itself: M, made outside it, reads S and is needed inside");
    keep(fuse_of("f", NULL, s, mid, end, NULL));
    kc_tensor *far = write_of("F", map2("add", read_of(s), map1("relu", read_of(write_of("M2", read_of(mid))))));
    refuses(fuse_of("f", NULL, s, far, NULL), "made outside it, reads S"); /* two steps away */
}

TEST(a_tensor_that_data_walks_cannot_stay_on_chip)
{
    kc_tensor *y = write_of("Y", map1("exp", read_of(tensor("X", "m=40 k=4", "f16"))));
    refuses(fuse_of("f", NULL, y, write_of("Z", read_at(y, "[t] k", "t=5")), NULL),
            "kernel 'f': Y cannot stay on chip: it is read where data says");
    kc_tensor *rows = write_of("R", read_at(tensor("E", "e=40 k=4", "f16"), "[m] k", "m=8"));
    refuses(fuse_of("f", NULL, rows, write_of("Z", read_at(rows, "m+1 k", "m=7")), NULL),
            "the data-dependent dim 'm' is walked by an affine index; read it as it is");
    kc_tensor *scattered = keep(kc_write("W", read_of(tensor("A", "p=4 r=3", "f16")), NULL, "y", "2*p+r", NULL, 0, 1));
    refuses(fuse_of("f", NULL, scattered, write_of("Z", read_of(scattered)), NULL),
            "W cannot stay on chip: it is written by a scatter");
}

TEST(a_reduced_dim_that_a_reader_shifts_cannot_stay_on_chip)
{
    kc_value *s = softmax(read_of(tensor("X", "m=4 k=8", "f16")), "k", 0);
    kc_tensor *y = write_of("Y", s);
    refuses(fuse_of("f", NULL, y, write_of("Z", read_at(y, "m k+1", "k=7")), NULL),
            "softmax reduces 'k', which its reader walks by an affine index; the tensor behind cannot stay on chip");
    kc_tensor *m = write_of("M", keep(kc_causal(read_of(tensor("X2", "q=4 k=8", "f16")), "q", "k")));
    refuses(fuse_of("f", NULL, m, write_of("Z", read_at(m, "q k+1", "k=7")), NULL),
            "are walked by an affine index; the tensor behind");
}

TEST(a_dim_behind_a_fused_away_tensor_may_not_be_one_of_its_reader)
{
    kc_tensor *y = write_of("Y", reduce("sum", read_of(tensor("X", "m=4 k=4", "f16")), "k"));
    refuses(fuse_of("f", NULL, y, write_of("Z", read_at(y, "k", NULL)), NULL),
            "'k' is a dim behind a fused-away tensor and also of the index that reads it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(what_one_writes_and_another_reads_stays_on_chip),
        fact(the_order_of_the_parts_does_not_matter),
        fact(a_saved_tensor_is_still_written_and_not_read),
        fact(a_fuse_of_fuses_is_a_fuse_of_all_their_parts),
        fact(fusing_drops_schedules),
        fact(a_renamed_read_renames_what_is_behind_it),
        fact(a_read_that_is_written_as_it_is_may_have_other_names),
        fact(a_transposed_read_of_a_square_tensor_walks_its_input_the_other_way),
        fact(an_affine_index_computes_the_box_of_a_tile_and_only_its_use_is_useful),
        fact(a_strided_affine_index_executes_the_box_between_its_taps),
        fact(taps_in_the_padding_compute_nothing_useful),
        fact(two_layers_of_taps_walk_the_box_of_both),
        fact(steps_along_one_dim_add_up_when_indexes_are_composed),
        fact(two_different_indexes_make_it_twice),
        fact(a_value_behind_two_written_tensors_of_a_kernel_is_computed_once),
        fact(a_fused_away_tensor_has_the_dtype_it_was_written_in),
        fact(a_value_in_f32_between_two_f16_matmuls_keeps_the_second_in_f16),
        fact(a_fuse_that_cannot_be_is_refused),
        fact(a_cycle_through_a_kernel_outside_is_refused),
        fact(a_tensor_that_data_walks_cannot_stay_on_chip),
        fact(a_reduced_dim_that_a_reader_shifts_cannot_stay_on_chip),
        fact(a_dim_behind_a_fused_away_tensor_may_not_be_one_of_its_reader),
    };
    return run(tests);
}
