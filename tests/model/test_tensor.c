/* test_tensor.c: tensors, reads at any index, writes and their default dtypes. */
#include "workbench.h"

static const kc_size given[] = { { "m", 4 }, { "k", 3 } };

static void dims_are(const kc_value *value, const char *want)
{
    kci_text text = { .context = context };
    for (size_t i = 0; i < kc_value_rank(value); i++) {
        kci_text_format(&text, "%s%s=", i ? " " : "", kc_value_dim(value, i));
        kci_text_number(&text, kc_value_size(value, i));
    }
    assert_text(text.bytes ? text.bytes : "", want);
    kci_text_free(&text);
}

/* Bytes that an untiled kernel reads of it. */
static double read_bytes(kc_value *value, const char *name)
{
    kc_kernel *k = kernel_of(write_as("Y", value, "f32"));
    return row_of(k, count_of(k), name)->read;
}

/* ---- tensors ------------------------------------------------------------------------------ */

TEST(a_tensor_keeps_its_dims_in_order)
{
    kc_tensor *t = tensor("A", "b=2 m=4 k=3", "bf16");
    assert_int_equal(kc_tensor_rank(t), 3);
    assert_text(kc_tensor_dim(t, 0), "b");
    assert_text(kc_tensor_dim(t, 2), "k");
    assert_number(kc_tensor_size(t, 1), 4);
    assert_text(kc_object_name(keep(kc_tensor_dtype(t))), "bf16");
}

TEST(more_sizes_than_needed_are_fine_and_too_few_are_not)
{
    keep(kc_tensor_new(context, "A", "k", dtype_of("f16"), given, 2));
    refuses(kc_tensor_new(context, "A", "m k n", dtype_of("f16"), given, 2),
            "tensor: 'A' has dim 'n', but no size is given for it");
}

TEST(a_size_is_whole_positive_and_below_2_to_53)
{
    static const struct {
        double size;
        const char *shown;
    } wrong[] = { { 0, "0" }, { -1, "-1" }, { 127.5, "127.5" }, { NAN, "nan" }, { HUGE_VAL, "infinite" },
                  { 9007199254740992.0, "9007199254740992" } };
    char message[128];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const kc_size size = { "m", wrong[i].size };
        snprintf(message, sizeof message, "tensor: size of 'm' is %s", wrong[i].shown);
        refuses(kc_tensor_new(context, "A", "m", dtype_of("f16"), &size, 1), message);
    }
    const kc_size whole = { "m", 128.0 }, largest = { "m", 9007199254740991.0 };
    keep(kc_tensor_new(context, "A", "m", dtype_of("f16"), &whole, 1));
    keep(kc_tensor_new(context, "A", "m", dtype_of("f16"), &largest, 1));
}

TEST(a_tensor_needs_a_name_and_dims_that_are_names)
{
    kc_dtype *f16 = dtype_of("f16");
    refuses(kc_tensor_new(context, "", "m", f16, given, 2), "tensor: the name is missing");
    refuses(kc_tensor_new(context, NULL, "m", f16, given, 2), "tensor: the name is missing");
    refuses(kc_tensor_new(context, "A", "", f16, given, 2), "tensor: 'A' has no dims");
    refuses(kc_tensor_new(context, "A", NULL, f16, given, 2), "tensor: 'A' has no dims");
    refuses(kc_tensor_new(context, "A", "m m", f16, given, 2), "tensor: dims 'm m' names 'm' twice");
    refuses(kc_tensor_new(context, "A", "m 2*k", f16, given, 2), "must be names of dims");
}

/* ---- reads -------------------------------------------------------------------------------- */

TEST(an_index_renames_by_position)
{
    kc_tensor *t = tensor("A", "m=4 k=3", "f16");
    dims_are(read_of(t), "m=4 k=3");
    dims_are(read_at(t, "x y", NULL), "x=4 y=3");
    dims_are(read_at(t, "k m", NULL), "k=4 m=3");
}

TEST(a_size_may_cover_part_of_a_tensor_and_no_more)
{
    kc_tensor *t = tensor("A", "m=100 k=3", "f16");
    kc_value *slice = read_at(t, "m k", "m=50");
    dims_are(slice, "m=50 k=3");
    assert_number(read_bytes(slice, "A"), 50 * 3 * 2);
    const kc_size more = { "m", 101 };
    refuses(kc_read(t, NULL, &more, 1, 1, 0), "read: size of 'm' is 101, but A has only 100 along 'm'");
    refuses(kc_read(t, "r k", (kc_size[]){ { "r", 101 } }, 1, 1, 0),
            "size of 'r' is 101, but A has only 100 along 'm'");
    refuses(kc_read(t, NULL, (kc_size[]){ { "m", 1.5 } }, 1, 1, 0), "read: size of 'm' is 1.5");
}

TEST(a_halo_index_adds_dims_and_reads_each_element_once)
{
    /* stride 2, three taps, padding 1: rows -1 .. 2*4+2-1 = 9 of 9, so 0 .. 8: all of 81 */
    kc_tensor *x = tensor("X", "n=2 c=3 y=9 x=9", "f16");
    kc_value *v = read_at(x, "n c 2*p+r-1 2*q+s-1", "p=5 r=3 q=5 s=3");
    dims_are(v, "n=2 c=3 p=5 r=3 q=5 s=3");
    assert_number(read_bytes(v, "X"), 2 * 3 * 81 * 2);
    /* one tap at stride 2 and no padding: rows 0 2 4 6 8 of each: 5*5 */
    v = read_at(x, "n c 2*p 2*q", "p=5 q=5");
    assert_number(read_bytes(v, "X"), 2 * 3 * 25 * 2);
}

TEST(what_lies_outside_a_tensor_is_not_read)
{
    kc_tensor *x = tensor("X", "x=10", "f32");
    assert_number(read_bytes(read_at(x, "p+r-1", "p=10 r=3"), "X"), 40); /* -1 .. 10: ten of them */
    assert_number(read_bytes(read_at(x, "p-5", "p=8"), "X"), 12);        /* 0 1 2 */
    assert_number(read_bytes(read_at(x, "p+7", "p=8"), "X"), 12);        /* 7 8 9 */
    assert_number(read_bytes(read_at(x, "-p+9", "p=10"), "X"), 40);      /* backwards */
}

TEST(an_index_may_use_the_size_of_a_dim)
{
    /* chunks of c: #c*u+c with c = 4, u = 3 is 0 .. 11 */
    kc_tensor *z = tensor("Z", "z=12", "f32");
    kc_value *v = read_at(z, "#c*u+c", "u=3 c=4");
    dims_are(v, "u=3 c=4");
    assert_number(read_bytes(v, "Z"), 48);
    refuses(kc_read(z, "#b*u+c", (kc_size[]){ { "u", 3 }, { "c", 4 } }, 2, 1, 0),
            "read: #b: no dim 'b' stands in the index of Z");
}

TEST(a_fixed_position_has_no_dim)
{
    kc_value *row = read_at(tensor("A", "m=4 k=3", "f16"), "2 k", NULL);
    dims_are(row, "k=3");
    assert_number(read_bytes(row, "A"), 6);
}

TEST(a_gather_reads_a_row_for_each_point_but_no_more_than_there_are)
{
    kc_tensor *e = tensor("E", "e=100 k=8", "f16");
    kc_value *v = read_at(e, "[m] k", "m=10");
    dims_are(v, "m=10 k=8");
    assert_number(read_bytes(v, "E"), 10 * 8 * 2);
    assert_number(read_bytes(read_at(e, "[m] k", "m=1000"), "E"), 100 * 8 * 2);
    assert_number(read_bytes(read_at(e, "[m n] k", "m=4 n=5"), "E"), 20 * 8 * 2);
    const kc_size m = { "m", 1000 };
    assert_number(read_bytes(keep(kc_read(e, "[m] k", &m, 1, 1, 7)), "E"), 7 * 8 * 2); /* opts.distinct */
    refuses(kc_read(e, "[m] k", NULL, 0, 1, 0), "read: 'm' has no size in the index of E; give it as size = { m = … }");
}

TEST(scale_multiplies_the_traffic)
{
    kc_tensor *t = tensor("A", "m=100", "f32");
    assert_number(read_bytes(keep(kc_read(t, NULL, NULL, 0, 0.25, 0)), "A"), 100);
    kc_kernel *k = kernel_of(keep(kc_write("B", read_of(t), NULL, NULL, NULL, NULL, 0, 3)));
    assert_number(row_of(k, count_of(k), "B")->written, 1200);
}

TEST(an_index_that_does_not_fit_is_refused)
{
    kc_tensor *t = tensor("A", "m=4 k=3", "f16");
    refuses(kc_read(t, "m", NULL, 0, 1, 0), "read: index 'm' has 1 position, but A has 2 dims");
    refuses(kc_read(t, "m k n", NULL, 0, 1, 0), "read: index 'm k n' has 3 positions, but A has 2 dims");
    refuses(kc_read(t, "m+p k", NULL, 0, 1, 0), "'p' has no size in the index of A");
    refuses(kc_read(t, "m+4 k", NULL, 0, 1, 0), "every point of the index lies outside A along 'm'");
    refuses(kc_read(t, "m-4 k", NULL, 0, 1, 0), "every point of the index lies outside A along 'm'");
    refuses(kc_read(t, "4 k", NULL, 0, 1, 0), "every point of the index lies outside A along 'm'");
    refuses(kc_read(t, "9007199254740991*m k", NULL, 0, 1, 0), "leaves the range below 2^53");
    refuses(kc_read(t, NULL, NULL, 0, -1, 0), "read: scale must be");
    refuses(kc_read(t, NULL, NULL, 0, NAN, 0), "read: scale must be");
    refuses(kc_read(t, NULL, NULL, 0, 1, -2), "read: distinct must be");
    assert_null(kc_read(NULL, NULL, NULL, 0, 1, 0));
}

/* ---- the dtype of a write: design, section 2.2 ---------------------------------------------- */

static const char *default_of(kc_value *value)
{
    return kc_object_name(keep(kc_tensor_dtype(write_of("Y", value))));
}

static const char *default_of_two(const char *large, const char *small)
{
    return default_of(map2("add", read_of(tensor("S", "k=3", small)), read_of(tensor("L", "m=4 k=3", large))));
}

TEST(a_write_takes_the_dtype_of_the_largest_tensor_behind)
{
    assert_text(default_of_two("f16", "f32"), "f16");
    assert_text(default_of_two("f32", "f16"), "f32");
    assert_text(default_of_two("f64", "f16"), "f64");
    assert_text(default_of_two("bf16", "f16"), "bf16");
    assert_text(default_of_two("tf32", "f16"), "tf32");
}

TEST(of_two_largest_tensors_the_wider_decides)
{
    kc_value *a = read_of(tensor("A", "m=4 k=3", "f16")), *b = read_of(tensor("B", "k=3 m=4", "f32"));
    assert_text(default_of(map2("add", a, b)), "f32");
    assert_text(default_of(map2("add", b, a)), "f32");
}

TEST(a_write_is_at_least_16_bits_wide)
{
    assert_text(default_of_two("f8", "f32"), "f16");
    assert_text(default_of_two("f4", "f16"), "f16");
    assert_text(default_of_two("f8", "bf16"), "bf16"); /* bf16 is behind */
    assert_text(default_of_two("mxf4", "f8"), "f16");
    assert_text(default_of_two("i4g128", "bf16"), "bf16");
    assert_text(default_of_two("i8", "f32"), "i32");
    assert_text(default_of_two("bool", "i8"), "i32");
    assert_text(default_of_two("i32", "f32"), "i32");
}

TEST(the_size_of_a_tensor_decides_not_that_of_its_slice)
{
    kc_value *slice = read_at(tensor("A", "m=1000", "f16"), "m", "m=2");
    assert_text(default_of(map2("add", slice, read_at(tensor("B", "m=10", "f32"), "m", "m=2"))), "f16");
}

TEST(a_dtype_that_is_given_wins)
{
    assert_text(kc_object_name(keep(kc_tensor_dtype(write_as("Y", read_of(tensor("A", "m=4", "f32")), "f8")))),
                "f8e4m3");
}

/* ---- writes ------------------------------------------------------------------------------- */

TEST(a_write_may_order_the_dims_anew)
{
    kc_value *v = read_of(tensor("A", "m=4 k=3", "f16"));
    kc_tensor *t = keep(kc_write("T", v, NULL, "k m", NULL, NULL, 0, 1));
    assert_text(kc_tensor_dim(t, 0), "k");
    assert_number(kc_tensor_size(t, 0), 3);
    refuses(kc_write("T", v, NULL, "k", NULL, NULL, 0, 1),
            "write: dims of T must be the value's dims in some order; it has m k");
    refuses(kc_write("T", v, NULL, "k n", NULL, NULL, 0, 1), "in some order; it has m k");
    refuses(kc_write("T", v, NULL, "k m m", NULL, NULL, 0, 1), "names 'm' twice");
}

TEST(a_scatter_has_the_box_that_its_points_reach)
{
    /* transposed convolution: 2*p+r for p < 4, r < 3 reaches 0 .. 8 */
    kc_value *v = read_of(tensor("A", "p=4 r=3", "f32"));
    kc_tensor *t = keep(kc_write("T", v, NULL, NULL, "2*p+r", NULL, 0, 1));
    assert_text(kc_tensor_dim(t, 0), "p_r");
    assert_number(kc_tensor_size(t, 0), 9);
    t = keep(kc_write("T", v, NULL, "y", "2*p+r", (kc_size[]){ { "y", 8 } }, 1, 1));
    assert_text(kc_tensor_dim(t, 0), "y");
    assert_number(kc_tensor_size(t, 0), 8);
    kc_kernel *k = kernel_of(t);
    assert_number(row_of(k, count_of(k), "T")->written, 32); /* the whole tensor */
}

TEST(a_scatter_by_data_needs_the_size_of_its_target)
{
    kc_value *v = read_of(tensor("A", "m=4 k=3", "f32"));
    refuses(kc_write("T", v, NULL, "e k", "[m] k", NULL, 0, 1), "write: give the size of 'e' of T: data decides");
    kc_tensor *t = keep(kc_write("T", v, NULL, "e k", "[m] k", (kc_size[]){ { "e", 50 } }, 1, 1));
    assert_number(kc_tensor_size(t, 0), 50);
    kc_kernel *k = kernel_of(t);
    assert_number(row_of(k, count_of(k), "T")->written, 4 * 3 * 4); /* one row a point */
}

TEST(a_scatter_that_cannot_be_is_refused)
{
    kc_value *v = read_of(tensor("A", "p=4 r=3", "f32"));
    refuses(kc_write("T", v, NULL, NULL, "2*p", NULL, 0, 1), "says nothing of the value's dim 'r'; reduce it first");
    refuses(kc_write("T", v, NULL, NULL, "p+r+z", NULL, 0, 1),
            "write: the index of T uses 'z', which the value does not have");
    refuses(kc_write("T", v, NULL, NULL, "#z*p+r", NULL, 0, 1), "uses 'z', which the value does not have");
    refuses(kc_write("T", v, NULL, "a b", "p+r", NULL, 0, 1), "index of T has 1 positions, but dims names 2");
    refuses(kc_write("T", v, NULL, NULL, "p p+r", (kc_size[]){ { "p_r", 2.5 } }, 1, 1), "write: size of 'p_r' is 2.5");
    refuses(kc_write("T", v, NULL, NULL, "p+9 r", (kc_size[]){ { "p", 4 } }, 1, 1), "lies outside T along 'p'");
    refuses(kc_write("T", v, NULL, NULL, "p-3 r-2", (kc_size[]){ { "p", 0 } }, 1, 1), "write: size of 'p' is 0");
    refuses(kc_write("T", v, NULL, NULL, "p 2*p r", NULL, 0, 1), "write: T has dim 'p' twice; name its dims with dims");
    refuses(kc_write("T", v, NULL, NULL, NULL, (kc_size[]){ { "p", 4 } }, 1, 1), "opts.size is for an index");
}

TEST(a_write_needs_a_name_and_a_value)
{
    kc_value *v = read_of(tensor("A", "m=4", "f32"));
    refuses(kc_write("", v, NULL, NULL, NULL, NULL, 0, 1), "write: the name is missing");
    refuses(kc_write("T", v, NULL, NULL, NULL, NULL, 0, -1), "write: scale must be");
    assert_null(kc_write("T", NULL, NULL, NULL, NULL, NULL, 0, 1));
}

TEST(a_tensor_is_younger_than_all_behind_it)
{
    kc_tensor *a = tensor("A", "m=4", "f32"), *b = write_of("B", read_of(a)), *c = write_of("C", read_of(b));
    assert_true(a->sequence < b->sequence && b->sequence < c->sequence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_tensor_keeps_its_dims_in_order),
        fact(more_sizes_than_needed_are_fine_and_too_few_are_not),
        fact(a_size_is_whole_positive_and_below_2_to_53),
        fact(a_tensor_needs_a_name_and_dims_that_are_names),
        fact(an_index_renames_by_position),
        fact(a_size_may_cover_part_of_a_tensor_and_no_more),
        fact(a_halo_index_adds_dims_and_reads_each_element_once),
        fact(what_lies_outside_a_tensor_is_not_read),
        fact(an_index_may_use_the_size_of_a_dim),
        fact(a_fixed_position_has_no_dim),
        fact(a_gather_reads_a_row_for_each_point_but_no_more_than_there_are),
        fact(scale_multiplies_the_traffic),
        fact(an_index_that_does_not_fit_is_refused),
        fact(a_write_takes_the_dtype_of_the_largest_tensor_behind),
        fact(of_two_largest_tensors_the_wider_decides),
        fact(a_write_is_at_least_16_bits_wide),
        fact(the_size_of_a_tensor_decides_not_that_of_its_slice),
        fact(a_dtype_that_is_given_wins),
        fact(a_write_may_order_the_dims_anew),
        fact(a_scatter_has_the_box_that_its_points_reach),
        fact(a_scatter_by_data_needs_the_size_of_its_target),
        fact(a_scatter_that_cannot_be_is_refused),
        fact(a_write_needs_a_name_and_a_value),
        fact(a_tensor_is_younger_than_all_behind_it),
    };
    return run(tests);
}
