/* test_dtype.c: number formats: bits, scales, which is wider, what arithmetic is done in. */
#include "workbench.h"

/* ---- built-in ones ------------------------------------------------------------------------ */

static const struct {
    const char *name, *shown;
    double bits;
    kci_format math;
} built_in[] = {
    { "f64", "f64", 64, KCI_F64 },
    { "f32", "f32", 32, KCI_F32 },
    { "tf32", "tf32", 32, KCI_TF32 }, /* 19 bits count, 32 are stored */
    { "f16", "f16", 16, KCI_F16 },
    { "bf16", "bf16", 16, KCI_BF16 },
    { "f8e4m3", "f8e4m3", 8, KCI_F8E4M3 },
    { "f8e5m2", "f8e5m2", 8, KCI_F8E5M2 },
    { "f8", "f8e4m3", 8, KCI_F8E4M3 },
    { "f6", "f6", 6, KCI_F6 },
    { "f4", "f4", 4, KCI_F4 },
    { "i32", "i32", 32, KCI_I32 },
    { "i16", "i16", 16, KCI_I16 },
    { "i8", "i8", 8, KCI_I8 },
    { "i4", "i4", 4, KCI_I4 },
    { "u8", "u8", 8, KCI_U8 },
    { "bool", "bool", 8, KCI_BOOL },
    /* one 8-bit scale per 32 elements: 8/32 = 0.25 */
    { "mxf8", "mxf8", 8.25, KCI_F8E4M3 },
    { "mxf6", "mxf6", 6.25, KCI_F6 },
    { "mxf4", "mxf4", 4.25, KCI_F4 },
    { "nvf4", "nvf4", 4.5, KCI_F4 },        /* 8 bits per 16 */
    { "i4g128", "i4g128", 4.125, KCI_F16 }, /* 16 bits per 128 */
};

TEST(each_built_in_dtype_has_its_bits_and_its_arithmetic)
{
    for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++) {
        kc_dtype *dtype = dtype_of(built_in[i].name);
        assert_text(kc_object_name(object(dtype)), built_in[i].shown);
        assert_number(kc_dtype_bits(dtype), built_in[i].bits);
        assert_number(kci_dtype_bytes(dtype), built_in[i].bits / 8);
        assert_int_equal(dtype->math, built_in[i].math);
    }
}

TEST(scales_count_in_the_bytes_of_a_tensor)
{
    /* 256*64 = 16384 elements: 4 bits each and 16 bits per 128: 8192 + 256 B */
    kc_kernel *k = kernel_of(write_as("Y", read_of(tensor("X", "m=256 k=64", "i4g128")), "f32"));
    assert_number(row_of(k, count_of(k), "X")->read, 8192 + 256);
    /* nvf4: 8192 + 16384/16 = 9216 B */
    k = kernel_of(write_as("Y", read_of(tensor("X", "m=256 k=64", "nvf4")), "f32"));
    assert_number(row_of(k, count_of(k), "X")->read, 9216);
}

TEST(a_dtype_is_shown_with_its_bits)
{
    assert_text(kc_object_text(object(dtype_of("mxf4"))), "dtype mxf4: 4.25 bits, computed in f4");
}

/* ---- own ones ----------------------------------------------------------------------------- */

TEST(an_own_dtype_counts_its_scales_and_zeros)
{
    kc_dtype *own = keep(kc_dtype_new(context, "awq", 4, 64, 16, 4, "f16"));
    assert_number(kc_dtype_bits(own), 4 + 20.0 / 64);
    assert_int_equal(own->math, KCI_F16);
    own = keep(kc_dtype_new(context, "plain12", 12, 0, 0, 0, "bf16"));
    assert_number(kci_dtype_bytes(own), 1.5);
    own = keep(kc_dtype_new(context, "half8", 8, 0, 0, 0, "f8"));
    assert_int_equal(own->math, KCI_F8E4M3);
}

TEST(an_own_dtype_may_have_part_of_a_bit)
{
    assert_number(kc_dtype_bits(keep(kc_dtype_new(context, "ternary", 1.58, 0, 0, 0, "i8"))), 1.58);
}

/* ---- errors ------------------------------------------------------------------------------- */

TEST(an_unknown_dtype_is_refused_with_the_nearest_names)
{
    refuses(kc_dtype_named(context, "f61"), "unknown dtype 'f61'; did you mean");
    refuses(kc_dtype_named(context, "fp16"), "unknown dtype 'fp16'; did you mean 'f16'?");
    refuses(kc_dtype_named(context, "bfloat16"), "did you mean 'bf16'?");
    refuses(kc_dtype_named(context, "nothing-like-it"), "unknown dtype 'nothing-like-it'");
    refuses(kc_dtype_named(context, ""), "unknown dtype ''");
    refuses(kc_dtype_named(context, NULL), "unknown dtype ''");
}

TEST(an_own_dtype_that_makes_no_sense_is_refused)
{
    refuses(kc_dtype_new(context, "", 4, 0, 0, 0, "f16"), "dtype: name is missing");
    refuses(kc_dtype_new(context, NULL, 4, 0, 0, 0, "f16"), "dtype: name is missing");
    refuses(kc_dtype_new(context, "x", 0, 0, 0, 0, "f16"), "bits must be above 0");
    refuses(kc_dtype_new(context, "x", -4, 0, 0, 0, "f16"), "bits must be above 0");
    refuses(kc_dtype_new(context, "x", NAN, 0, 0, 0, "f16"), "bits must be above 0");
    refuses(kc_dtype_new(context, "x", HUGE_VAL, 0, 0, 0, "f16"), "bits must be above 0");
    refuses(kc_dtype_new(context, "x", 4, -1, 0, 0, "f16"), "block must not be negative");
    refuses(kc_dtype_new(context, "x", 4, NAN, 8, 0, "f16"), "block must not be negative");
    refuses(kc_dtype_new(context, "x", 4, 32, -8, 0, "f16"), "scale_bits must be 0 to 4096");
    refuses(kc_dtype_new(context, "x", 4, 32, 8, NAN, "f16"), "zero_bits must be 0 to 4096");
    refuses(kc_dtype_new(context, "x", 4, 0, 8, 0, "f16"), "need a block in 'x'");
    refuses(kc_dtype_new(context, "x", 4, 0, 0, 4, "f16"), "need a block in 'x'");
    refuses(kc_dtype_new(context, "x", 4, 0, 0, 0, "f61"), "math of 'x' must be a built-in dtype, not 'f61'");
    refuses(kc_dtype_new(context, "x", 4, 0, 0, 0, "mxf4"), "math of 'x' must be a built-in dtype, not 'mxf4'");
    refuses(kc_dtype_new(context, "x", 4, 0, 0, 0, NULL), "math of 'x' must be a built-in dtype, such as \"f16\"; it is missing");
}

/* ---- wider and narrower ------------------------------------------------------------------- */

TEST(of_two_floats_the_wider_is_taken_whatever_their_order)
{
    static const kci_format rising[] = { KCI_F4, KCI_F6, KCI_F8E4M3, KCI_F16, KCI_F32, KCI_F64 };
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            assert_int_equal(kci_format_wider(rising[i], rising[j]), rising[i > j ? i : j]);
    assert_int_equal(kci_format_wider(KCI_TF32, KCI_F32), KCI_F32);
    assert_int_equal(kci_format_wider(KCI_BF16, KCI_TF32), KCI_TF32);
}

TEST(of_two_integers_the_wider_is_taken)
{
    static const kci_format rising[] = { KCI_I4, KCI_I8, KCI_I16, KCI_I32 };
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            assert_int_equal(kci_format_wider(rising[i], rising[j]), rising[i > j ? i : j]);
}

TEST(a_float_is_wider_than_an_integer_of_its_size)
{
    assert_int_equal(kci_format_wider(KCI_F32, KCI_I32), KCI_F32);
    assert_int_equal(kci_format_wider(KCI_I16, KCI_F16), KCI_F16);
    assert_int_equal(kci_format_wider(KCI_I8, KCI_F16), KCI_F16);
    assert_int_equal(kci_format_wider(KCI_BOOL, KCI_F8E4M3), KCI_F8E4M3);
    assert_int_equal(kci_format_wider(KCI_F16, KCI_I32), KCI_I32); /* 32 bits against 16 */
    assert_int_equal(kci_format_wider(KCI_I32, KCI_F16), KCI_I32);
}

TEST(of_two_equally_wide_formats_the_first_is_taken)
{
    assert_int_equal(kci_format_wider(KCI_F16, KCI_BF16), KCI_F16);
    assert_int_equal(kci_format_wider(KCI_BF16, KCI_F16), KCI_BF16);
    assert_int_equal(kci_format_wider(KCI_U8, KCI_I8), KCI_U8);
}

TEST(reductions_accumulate_in_f32_f64_or_i32)
{
    for (int f = 0; f < KCI_FORMATS; f++) {
        kci_format want = f == KCI_F64 ? KCI_F64 : kci_format_is_integer((kci_format)f) ? KCI_I32 : KCI_F32;
        assert_int_equal(kci_format_accumulator((kci_format)f), want);
    }
}

TEST(every_format_is_found_by_its_name)
{
    for (int f = 0; f < KCI_FORMATS; f++)
        assert_int_equal(kci_format_named(kci_format_name((kci_format)f)), f);
    assert_int_equal(kci_format_named("f8"), KCI_F8E4M3);
    assert_int_equal(kci_format_named("F16"), KCI_FORMATS);
    assert_int_equal(kci_format_named("mxf4"), KCI_FORMATS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(each_built_in_dtype_has_its_bits_and_its_arithmetic),
        fact(scales_count_in_the_bytes_of_a_tensor),
        fact(a_dtype_is_shown_with_its_bits),
        fact(an_own_dtype_counts_its_scales_and_zeros),
        fact(an_own_dtype_may_have_part_of_a_bit),
        fact(an_unknown_dtype_is_refused_with_the_nearest_names),
        fact(an_own_dtype_that_makes_no_sense_is_refused),
        fact(of_two_floats_the_wider_is_taken_whatever_their_order),
        fact(of_two_integers_the_wider_is_taken),
        fact(a_float_is_wider_than_an_integer_of_its_size),
        fact(of_two_equally_wide_formats_the_first_is_taken),
        fact(reductions_accumulate_in_f32_f64_or_i32),
        fact(every_format_is_found_by_its_name),
    };
    return run(tests);
}
