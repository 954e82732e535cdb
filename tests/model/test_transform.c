/* test_transform.c: the same thing at other sizes or with other dim names; design, section 2.1. */
#include "workbench.h"

#include "program.h"
#include "random_kernel.h"
#include "schedule.h"

/* resized(x, "i=10 j=20"): one dim each */
static void *resized(void *x, const char *new_sizes)
{
    size_list s;
    parse_sizes(&s, new_sizes);
    return keep(kc_resized(x, s.list, s.count));
}

static kc_object *resize_one(void *x, const char *dims, double size)
{
    return kc_resized(x, &(kc_size){ dims, size }, 1);
}

static kc_object *rename_one(void *x, const char *from, const char *to)
{
    return kc_renamed(x, &from, &to, 1);
}

/* All figures of two kernels are equal. */
static void same_counts(const kc_kernel *a, const kc_kernel *b)
{
    const kci_counts *x = count_of(a), *y = count_of(b);
    for (int f = 0; f < KCI_FORMATS; f++) {
        assert_number(x->useful_matrix[f], y->useful_matrix[f]);
        assert_number(x->executed_matrix[f], y->executed_matrix[f]);
    }
    assert_number(useful_vector(x), useful_vector(y));
    assert_number(executed_vector(x), executed_vector(y));
    assert_number(x->useful_special, y->useful_special);
    assert_number(x->executed_special, y->executed_special);
    assert_number(x->ctas, y->ctas);
    assert_number(x->passes, y->passes);
    assert_number(x->launches, y->launches);
    assert_number(x->smem, y->smem);
    assert_number(x->register_bytes, y->register_bytes);
    assert_int_equal(a->graph.tensor_count, b->graph.tensor_count);
    for (size_t t = 0; t < a->graph.tensor_count; t++) {
        assert_text(a->graph.tensors[t].name, b->graph.tensors[t].name);
        assert_memory_equal(&x->rows[t], &y->rows[t], sizeof x->rows[t]);
    }
}

/* ---- resize ------------------------------------------------------------------------------- */

TEST(a_resized_tensor_has_the_new_sizes_and_the_old_one_its_own)
{
    kc_tensor *t = tensor("A", "m=4 k=3", "bf16"), *other = resized(t, "m=8");
    assert_number(kc_tensor_size(other, 0), 8);
    assert_number(kc_tensor_size(other, 1), 3);
    assert_number(kc_tensor_size(t, 0), 4);
    assert_text(kc_object_name(object(other)), "A");
    assert_int_equal(other->dtype->math, KCI_BF16);
}

TEST(a_resized_kernel_is_the_kernel_of_those_sizes)
{
    attention small = attention_of("b=2 i=8 d=4", "b=2 j=6 d=4", "b=2 j=6 e=3");
    attention large = attention_of("b=3 i=80 d=4", "b=3 j=60 d=4", "b=3 j=60 e=3");
    same_counts(resized(small.flash, "b=3 i=80 j=60"), large.flash);
    same_counts(resized(tiled(small.flash, "i=4 j=2", NULL, NULL), "b=3 i=80 j=60"),
                tiled(large.flash, "i=4 j=2", NULL, NULL));
    same_counts(resized(resized(small.flash, "i=80"), "i=8"), small.flash);
}

TEST(names_in_one_key_are_tied)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=3");
    kc_kernel *k = keep(resize_one(a.flash, "i j", 32));
    assert_number(k->graph.loops[loop_named(k, "i")].size, 32);
    assert_number(k->graph.loops[loop_named(k, "j")].size, 32);
    assert_number(k->graph.loops[loop_named(k, "d")].size, 4);
}

TEST(a_schedule_is_kept)
{
    attention a = attention_of("i=80 d=4", "j=60 d=4", "j=60 e=3");
    kc_schedule *s = schedule_of("i=16 j=8", "i", "j");
    assert_int_equal(kc_schedule_stages(s, "K", 3), KC_OK);
    assert_int_equal(kc_schedule_warps(s, 8), KC_OK);
    kc_kernel *k = resized(keep(kc_tile(object(a.flash), s)), "i=160");
    assert_text(kc_object_text(keep(kc_kernel_schedule(k))), kc_object_text(object(s)));
    assert_number(count_of(k)->ctas, 10);
}

TEST(dims_that_an_index_computes_follow_it)
{
    /* x = 2*p+r-1 */
    kc_tensor *x = tensor("X", "c=4 x=16", "f16");
    kc_tensor *y = write_of("Y", matmul(read_at(x, "c 2*p+r-1", "p=8 r=3"),
                                        read_of(tensor("W", "k=2 c=4 r=3", "f16")), "c r"));
    kc_tensor *more = resized(y, "p=20"); /* 12 more of 2 each */
    const kc_value *read = more->value->inputs[0];
    assert_number(read->tensor->dims[1].size, 16 + 24);
    assert_number(read->dims[1].size, 20);
    more = resized(y, "r=5");
    assert_number(more->value->inputs[0]->tensor->dims[1].size, 18);
    assert_number(more->value->inputs[1]->tensor->dims[2].size, 5);
}

TEST(dims_that_a_scatter_computes_follow_its_index)
{
    kc_value *v = read_of(tensor("A", "p=4 r=3", "f32"));
    kc_tensor *t = keep(kc_write("T", v, NULL, "y", "2*p+r", NULL, 0, 1)); /* 9 */
    assert_number(kc_tensor_size(resized(t, "p=10"), 0), 21);
    assert_number(kc_tensor_size(resized(t, "r=1"), 0), 7);
}

TEST(a_size_in_an_index_follows_too)
{
    kc_tensor *z = tensor("Z", "z=12", "f32");
    kc_tensor *y = write_of("Y", read_at(z, "#c*u+c", "u=3 c=4"));
    kc_tensor *more = resized(y, "c=5"); /* 5*2 + 4: 15 */
    assert_number(more->value->tensor->dims[0].size, 15);
    more = resized(y, "u=7 c=2");
    assert_number(more->value->tensor->dims[0].size, 14);
}

TEST(naming_a_derived_dim_is_refused)
{
    kc_tensor *x = tensor("X", "c=4 x=16", "f16");
    kc_tensor *y = write_of("Y", reduce("sum", read_at(x, "c 2*p+r-1", "p=8 r=3"), "r"));
    refuses(resize_one(y, "x", 20),
            "resize: 'x' of X follows from the index that reads it; resize the dims in that index");
}

TEST(a_causal_mask_follows_and_a_window_stays)
{
    kc_value *s = read_of(tensor("S", "q=5 k=8", "f16"));
    kc_kernel *causal = kernel_of(write_of("P", map1("exp", keep(kc_causal(s, "q", "k")))));
    kc_kernel *window = kernel_of(write_of("P", map1("exp", keep(kc_mask(s, "q", "k", 0, 2)))));
    /* 10 by 10: the triangle with its diagonal; bands of 10, 9 and 8 */
    assert_number(count_of(resized(causal, "q=10 k=10"))->useful_special, 55);
    assert_number(count_of(resized(window, "q=10 k=10"))->useful_special, 27);
}

TEST(every_kind_of_op_survives)
{
    kc_value *a = read_of(tensor("A", "m=8 k=6", "f16")), *b = read_of(tensor("B", "k=6 n=4", "f16"));
    kc_value *one = keep(kc_matmul(a, b, "k", "tf32", NULL, NULL));
    kc_value *two = keep(kc_matmul(a, b, "k", NULL, "vector", one));
    kc_value *x = keep(kc_map("odd", &two, 1, &(kc_cost){ 3, 0.5 }));
    x = keep(kc_scan("cumsum", softmax(x, "n", 1), "n", &(kc_cost){ 2, 0 }));
    x = keep(kc_cast(keep(kc_mask(x, "m", "n", -99, 99)), dtype_of("f8")));
    kc_value *top = keep(kc_reduce("top", x, "n", (kc_size[]){ { "t", 2 } }, 1, &(kc_cost){ 4, 1 }));
    kc_value *gathered = keep(kc_read(tensor("E", "e=50 n=4", "f16"), "[m] n", (kc_size[]){ { "m", 8 } }, 1, 0.5, 3));
    kc_value *rows = keep(kc_lse(softmax(gathered, "n", 0)));
    kc_tensor *out[2] = { keep(kc_write("T", top, dtype_of("f8"), "t m", NULL, NULL, 0, 2)),
                          write_of("L", map1("silu", rows)) };
    kc_kernel *k = keep(kc_kernel_new(context, "all", out, 2));
    kc_kernel *there = resized(k, "m=32 k=12"), *back = resized(there, "m=8 k=6");
    same_counts(back, k);
    assert_number(count_of(there)->useful_matrix[KCI_TF32], 2 * 32 * 12 * 4);
    assert_text(kc_object_text(object(back)), kc_object_text(object(k)));
    /* 2 elements of 1 byte times 32 rows, twice */
    assert_number(row_of(there, count_of(there), "T")->written, 2 * 32 * 2);
    assert_number(row_of(there, count_of(there), "E")->read, 0.5 * 3 * 4 * 2);
}

TEST(a_tensor_of_one_element_is_read_again)
{
    kc_tensor *sum = write_of("S", reduce("sum", read_of(tensor("A", "m=8 k=6", "f16")), "m k"));
    kc_tensor *y = write_of("Y", map2("div", read_of(tensor("A", "m=8 k=6", "f16")), read_of(sum)));
    kc_tensor *more = resized(y, "m=80");
    assert_number(kc_tensor_size(more, 0), 80);
    assert_number(more->value->inputs[1]->tensor->value->inputs[0]->dims[0].size, 80);
}

TEST(groups_and_programs_are_resized_part_by_part)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=3");
    kc_object *parts[2] = { object(a.s), keep(kc_times(object(a.flash), 5)) };
    kc_program *p = keep(kc_program_new(context, "net", parts, 2)), *more = resized(p, "i=80");
    assert_text(kc_object_name(object(more)), "net");
    assert_int_equal(more->part_count, 2);
    kc_program *repeated = (kc_program *)(void *)more->parts[1].object;
    assert_number(repeated->parts[0].times, 5);
    kc_kernel *k = (kc_kernel *)(void *)repeated->parts[0].object;
    assert_number(k->graph.loops[loop_named(k, "i")].size, 80);
    parts[1] = object(a.flash);
    kc_kernel *g = resized(keep(kc_group(context, "g", parts, 2)), "i=80");
    assert_int_equal(g->member_count, 2);
    assert_number(g->members[0]->graph.loops[loop_named(g->members[0], "i")].size, 80);
}

TEST(what_two_kernels_of_a_program_share_stays_shared)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=3");
    kc_object *parts[2] = { object(a.s), object(a.p) };
    kc_program *p = resized(keep(kc_program_new(context, "net", parts, 2)), "i=80");
    kc_kernel *s = (kc_kernel *)(void *)p->parts[0].object, *q = (kc_kernel *)(void *)p->parts[1].object;
    kc_tensor *read = ((kc_tensor *)keep(kc_kernel_tensor(q, 0)))->value->inputs[0]->tensor;
    assert_ptr_equal(keep(kc_kernel_tensor(s, 0)), read);
}

TEST(what_does_not_change_is_not_made_anew)
{
    kc_tensor *a = tensor("A", "m=8 k=6", "f16"), *b = tensor("B", "k=6 n=4", "f16");
    kc_tensor *c = write_of("C", matmul(read_of(a), read_of(b), NULL)), *more = resized(c, "m=16");
    assert_ptr_equal(more->value->inputs[1]->tensor, b);
    assert_ptr_not_equal(more->value->inputs[0]->tensor, a);
    assert_ptr_equal(resized(c, "m=8"), c);
}

TEST(a_resize_that_cannot_be_is_refused)
{
    kc_tensor *c = write_of("C", matmul(read_of(tensor("A", "m=8 k=6", "f16")),
                                        read_of(tensor("B", "k=6 n=4", "f16")), NULL));
    refuses(resize_one(c, "z", 4), "resize: nothing in it has a dim 'z'; it has m k n");
    refuses(resize_one(c, "m", 0), "resize: size of 'm' is 0");
    refuses(resize_one(c, "m", 12.5), "resize: size of 'm' is 12.5");
    refuses(resize_one(c, "2*m", 4), "must be names of dims");
    kc_size twice[2] = { { "m", 4 }, { "k m", 5 } };
    refuses(kc_resized(object(c), twice, 2), "resize: 'm' is given twice");
    refuses(resize_one(dtype_of("f16"), "m", 4),
            "resize: the first argument must be a tensor, value, kernel or program");
    assert_null(resize_one(NULL, "m", 4));
    kc_kernel *k = kernel_of(write_of("D", read_at(tensor("E", "e=10", "f16"), "e", "e=4")));
    kc_value *mask = keep(kc_mask(read_of(tensor("S", "q=5 k=8", "f16")), "q", "k", 6, 7));
    refuses(resize_one(kernel_of(write_of("P", mask)), "k", 4), "no point of 'q' and 'k' is live");
    (void)k;
}

/* ---- rename ------------------------------------------------------------------------------- */

TEST(a_renamed_kernel_counts_the_same)
{
    attention a = attention_of("b=2 i=8 d=4", "b=2 j=6 d=4", "b=2 j=6 e=3");
    kc_kernel *k = tiled(a.flash, "i=4 j=2", "b i", "j");
    static const char *const from[] = { "i", "j" }, *const to[] = { "row", "col" };
    kc_kernel *other = keep(kc_renamed(object(k), from, to, 2));
    same_counts(other, k);
    assert_int_equal(loop_named(other, "i"), -1);
    assert_text(kc_object_text(keep(kc_kernel_schedule(other))),
                "schedule row = 4, col = 2, grid \"b row\", order \"col\"");
}

TEST(two_names_may_be_swapped)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=3");
    kc_kernel *k = tiled(a.flash, "i=4 j=2", "i", "j");
    static const char *const from[] = { "i", "j" }, *const to[] = { "j", "i" };
    kc_kernel *other = keep(kc_renamed(object(k), from, to, 2));
    assert_number(other->graph.loops[loop_named(other, "j")].size, 8);
    assert_text(kc_object_text(keep(kc_kernel_schedule(other))), "schedule j = 4, i = 2, grid \"j\", order \"i\"");
    same_counts(other, k);
}

TEST(an_index_is_renamed_with_its_dims)
{
    kc_tensor *x = tensor("X", "c=4 x=16", "f16");
    kc_tensor *y = write_of("Y", reduce("sum", read_at(x, "c 2*p+r-1", "p=8 r=3"), "r"));
    kc_kernel *k = keep(rename_one(kernel_of(y), "p", "out"));
    assert_contains(kc_object_text(object(k)), "load X[c 2*out+r-1]");
    assert_text(kc_tensor_dim(keep(kc_kernel_tensor(k, 0)), 1), "out");
    refuses(rename_one(y, "x", "width"),
            "rename: 'x' of X follows from the index that reads it; rename the dims in that index");
    kc_tensor *z = write_of("Z", read_at(tensor("U", "z=12", "f32"), "#c*u+c", "u=3 c=4"));
    assert_contains(kc_object_text(keep(rename_one(kernel_of(z), "c", "chunk"))), "load U[#chunk*u+chunk]");
}

TEST(a_renaming_that_would_join_two_dims_is_refused)
{
    kc_value *q = read_of(tensor("Q", "i=8 d=4", "f16")), *k = read_of(tensor("K", "j=8 d=4", "f16"));
    kc_tensor *s = write_of("S", matmul(q, k, NULL));
    refuses(rename_one(s, "i", "d"), "rename: 'i' cannot become 'd', which Q has already");
    refuses(rename_one(s, "i", "j"), "rename: 'i' cannot become 'j', which");
    kc_tensor *r = write_of("R", reduce("sum", matmul(q, k, NULL), "j")); /* only a value has both */
    refuses(rename_one(r, "j", "i"), "rename: 'j' cannot become 'i', which");
}

TEST(a_renaming_that_cannot_be_is_refused)
{
    kc_tensor *c = write_of("C", matmul(read_of(tensor("A", "m=8 k=6", "f16")),
                                        read_of(tensor("B", "k=6 n=4", "f16")), NULL));
    refuses(rename_one(c, "z", "y"), "rename: nothing in it has a dim 'z'; it has m k n");
    refuses(rename_one(c, "m", "2*m"), "rename: '2*m' is not the name of a dim");
    refuses(rename_one(c, "m", "a b"), "rename: 'a b' is not the name of a dim");
    refuses(rename_one(c, "m", ""), "rename: '' is not the name of a dim");
    refuses(rename_one(dtype_of("f16"), "m", "a"),
            "rename: the first argument must be a tensor, value, kernel or program");
}

TEST(random_kernels_count_the_same_under_other_names)
{
    size_t compared = 0;
    for (int seed = 1; seed <= cases(1500); seed++, drop_kept()) {
        kc_kernel *k = random_kernel(context, (uint64_t)seed);
        if (!k)
            continue;
        keep(k);
        if (k->member_count > 0 || !counted(k, plan_of(k)))
            continue;
        const char *from[KCI_MAX_LOOPS], *to[KCI_MAX_LOOPS];
        char names[KCI_MAX_LOOPS][NAME_BYTES];
        size_t loops = k->graph.loop_count;
        for (size_t i = 0; i < loops; i++) {
            from[i] = kci_name(context, k->graph.loops[i].name);
            snprintf(names[i], NAME_BYTES, "new_%.20s", from[i]);
            to[i] = names[i];
        }
        kc_kernel *other = keep(kc_renamed(object(k), from, to, loops));
        same_counts(other, k);
        for (size_t i = 0; i < loops; i++) /* and back, which restores the text */
            assert_text(kci_name(context, other->graph.loops[i].name), to[i]);
        assert_text(kc_object_text(keep(kc_renamed(object(other), to, from, loops))), kc_object_text(object(k)));
        compared++;
    }
    assert_true(compared > 0);
}

TEST(random_kernels_come_back_from_other_sizes)
{
    size_t compared = 0;
    for (int seed = 1; seed <= cases(1500); seed++, drop_kept()) {
        kc_kernel *k = random_kernel(context, (uint64_t)seed);
        if (!k)
            continue;
        keep(k);
        if (k->member_count > 0 || !counted(k, plan_of(k)))
            continue;
        size_t loop = (size_t)chance(0, (double)k->graph.loop_count - 1);
        const char *name = kci_name(context, k->graph.loops[loop].name);
        kc_object *there = resize_one(k, name, k->graph.loops[loop].size + chance(1, 5));
        if (!there)
            continue; /* a slice that would be too large, a mask with nothing live */
        kc_object *back = keep(resize_one(keep(there), name, k->graph.loops[loop].size));
        same_counts((kc_kernel *)(void *)back, k);
        compared++;
    }
    assert_true(compared > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_resized_tensor_has_the_new_sizes_and_the_old_one_its_own),
        fact(a_resized_kernel_is_the_kernel_of_those_sizes),
        fact(names_in_one_key_are_tied),
        fact(a_schedule_is_kept),
        fact(dims_that_an_index_computes_follow_it),
        fact(dims_that_a_scatter_computes_follow_its_index),
        fact(a_size_in_an_index_follows_too),
        fact(naming_a_derived_dim_is_refused),
        fact(a_causal_mask_follows_and_a_window_stays),
        fact(every_kind_of_op_survives),
        fact(a_tensor_of_one_element_is_read_again),
        fact(groups_and_programs_are_resized_part_by_part),
        fact(what_two_kernels_of_a_program_share_stays_shared),
        fact(what_does_not_change_is_not_made_anew),
        fact(a_resize_that_cannot_be_is_refused),
        fact(a_renamed_kernel_counts_the_same),
        fact(two_names_may_be_swapped),
        fact(an_index_is_renamed_with_its_dims),
        fact(a_renaming_that_would_join_two_dims_is_refused),
        fact(a_renaming_that_cannot_be_is_refused),
        fact(random_kernels_count_the_same_under_other_names),
        fact(random_kernels_come_back_from_other_sizes),
    };
    return run(tests);
}
