/* dtype.c: number formats and the dtypes that store them; design, section 2.2. */
#include "dtype.h"

#include <math.h>
#include <string.h>

#include "object.h"

static const struct {
    const char *name;
    double bits;
    int width; /* rank within floats or integers; -1 for integers */
} formats[KCI_FORMATS] = {
    [KCI_F4] = { "f4", 4, 0 },         [KCI_F6] = { "f6", 6, 1 },
    [KCI_F8E4M3] = { "f8e4m3", 8, 2 }, [KCI_F8E5M2] = { "f8e5m2", 8, 2 },
    [KCI_F16] = { "f16", 16, 3 },      [KCI_BF16] = { "bf16", 16, 3 },
    [KCI_TF32] = { "tf32", 32, 4 },    [KCI_F32] = { "f32", 32, 5 },
    [KCI_F64] = { "f64", 64, 6 },      [KCI_BOOL] = { "bool", 8, -1 },
    [KCI_I4] = { "i4", 4, -1 },        [KCI_U8] = { "u8", 8, -1 },
    [KCI_I8] = { "i8", 8, -1 },        [KCI_I16] = { "i16", 16, -1 },
    [KCI_I32] = { "i32", 32, -1 },
};

/* Block-scaled dtypes: a scale a block of elements. */
static const struct {
    const char *name;
    double bits, block, scale_bits;
    kci_format math;
} scaled[] = {
    { "mxf8", 8, 32, 8, KCI_F8E4M3 }, { "mxf6", 6, 32, 8, KCI_F6 },      { "mxf4", 4, 32, 8, KCI_F4 },
    { "nvf4", 4, 16, 8, KCI_F4 },     { "i4g128", 4, 128, 16, KCI_F16 },
};
enum { SCALED = sizeof scaled / sizeof scaled[0] };

/* What other tools call them, for "did you mean". */
static const char *const elsewhere[][2] = {
    { "float16", "f16" }, { "half", "f16" },      { "fp16", "f16" },     { "bfloat16", "bf16" }, { "float32", "f32" },
    { "float", "f32" },   { "fp32", "f32" },      { "float64", "f64" },  { "double", "f64" },    { "fp64", "f64" },
    { "fp8", "f8" },      { "float8", "f8" },     { "fp4", "f4" },       { "int8", "i8" },       { "int4", "i4" },
    { "int16", "i16" },   { "int32", "i32" },     { "int", "i32" },      { "uint8", "u8" },
};

const char *kci_format_name(kci_format format)
{
    return formats[format].name;
}

double kci_format_bits(kci_format format)
{
    return formats[format].bits;
}

bool kci_format_is_integer(kci_format format)
{
    return formats[format].width < 0;
}

kci_format kci_format_wider(kci_format a, kci_format b)
{
    bool a_integer = kci_format_is_integer(a), b_integer = kci_format_is_integer(b);
    if (a_integer != b_integer) {
        kci_format integer = a_integer ? a : b, real = a_integer ? b : a;
        return formats[integer].bits > formats[real].bits ? integer : real;
    }
    if (a_integer)
        return formats[b].bits > formats[a].bits ? b : a;
    return formats[b].width > formats[a].width ? b : a;
}

kci_format kci_format_accumulator(kci_format format)
{
    if (format == KCI_F64)
        return KCI_F64;
    return kci_format_is_integer(format) ? KCI_I32 : KCI_F32;
}

kci_format kci_format_named(const char *name)
{
    if (strcmp(name, "f8") == 0)
        return KCI_F8E4M3;
    for (int i = 0; i < KCI_FORMATS; i++)
        if (strcmp(name, formats[i].name) == 0)
            return (kci_format)i;
    return KCI_FORMATS;
}

static const char *nth_format(const void *data, size_t i)
{
    (void)data;
    return i < KCI_FORMATS ? formats[i].name : NULL;
}

static const char *nth_dtype(const void *data, size_t i)
{
    (void)data;
    if (i < KCI_FORMATS)
        return formats[i].name;
    return i - KCI_FORMATS < SCALED ? scaled[i - KCI_FORMATS].name : NULL;
}

static kc_dtype *make(kc_context *context, const char *name, double bits, double block,
                      double scale_bits, double zero_bits, kci_format math)
{
    kc_dtype *dtype = kci_new(context, KC_DTYPE, sizeof *dtype);
    if (!dtype)
        return NULL;
    dtype->bits = bits;
    dtype->block = block;
    dtype->scale_bits = scale_bits;
    dtype->zero_bits = zero_bits;
    dtype->math = math;
    dtype->name = kci_copy_text(context, name);
    if (!dtype->name) {
        kc_release(dtype);
        return NULL;
    }
    return dtype;
}

kc_dtype *kc_dtype_named(kc_context *context, const char *name)
{
    if (!context)
        return NULL;
    kci_format format = name ? kci_format_named(name) : KCI_FORMATS;
    if (format != KCI_FORMATS)
        return make(context, formats[format].name, formats[format].bits, 0, 0, 0, format);
    for (size_t i = 0; name && i < SCALED; i++)
        if (strcmp(name, scaled[i].name) == 0)
            return make(context, name, scaled[i].bits, scaled[i].block, scaled[i].scale_bits, 0,
                        scaled[i].math);
    for (size_t i = 0; name && i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (strcmp(name, elsewhere[i][0]) == 0) {
            kci_fail(context, KC_EARGUMENT, "unknown dtype '%.80s'; did you mean '%s'?", name, elsewhere[i][1]);
            return NULL;
        }
    kci_fail(context, KC_EARGUMENT, "unknown dtype '%.80s'%s", name ? name : "",
             kci_nearest(context, name ? name : "", nth_dtype, NULL));
    return NULL;
}

kc_dtype *kc_dtype_new(kc_context *context, const char *name, double bits, double block,
                       double scale_bits, double zero_bits, const char *math)
{
    if (!context)
        return NULL;
    if (!name || !*name) {
        kci_fail(context, KC_EARGUMENT, "dtype: name is missing");
        return NULL;
    }
    kci_format format = kci_format_named(math ? math : "");
    const char *wrong = !(bits > 0 && bits <= 4096)                ? "bits must be above 0 and at most 4096"
                        : !(block >= 0 && block < KCI_MAX_SIZE)    ? "block must not be negative"
                        : !(scale_bits >= 0 && scale_bits <= 4096) ? "scale_bits must be 0 to 4096"
                        : !(zero_bits >= 0 && zero_bits <= 4096)   ? "zero_bits must be 0 to 4096"
                        : scale_bits + zero_bits > 0 && block == 0 ? "scale_bits and zero_bits need a block"
                                                                   : NULL;
    if (wrong) {
        kci_fail(context, KC_EARGUMENT, "dtype: %s in '%.80s'", wrong, name);
        return NULL;
    }
    if (!math || !*math) {
        kci_fail(context, KC_EARGUMENT, "dtype: math of '%.80s' must be a built-in dtype, such as \"f16\"; it is missing", name);
        return NULL;
    }
    if (format == KCI_FORMATS) {
        kci_fail(context, KC_EARGUMENT, "dtype: math of '%.80s' must be a built-in dtype, not '%.80s'%s", name,
                 math, kci_nearest(context, math, nth_format, NULL));
        return NULL;
    }
    return make(context, name, bits, block, scale_bits, zero_bits, format);
}

double kc_dtype_bits(const kc_dtype *dtype)
{
    if (!dtype)
        return 0;
    double scales = dtype->block > 0 ? (dtype->scale_bits + dtype->zero_bits) / dtype->block : 0;
    return dtype->bits + scales;
}

double kci_dtype_bytes(const kc_dtype *dtype)
{
    return kc_dtype_bits(dtype) / 8;
}

void kci_dtype_destroy(kc_object *object)
{
    kc_dtype *dtype = (kc_dtype *)(void *)object;
    kci_free_text(object->context, dtype->name);
    kci_free(object->context, dtype, sizeof *dtype);
}

void kci_print_dtype(kci_text *text, const kc_object *object)
{
    const kc_dtype *dtype = (const kc_dtype *)(const void *)object;
    kci_text_format(text, "dtype %s: ", dtype->name);
    kci_text_number(text, kc_dtype_bits(dtype));
    kci_text_format(text, " bits, computed in %s", kci_format_name(dtype->math));
}
