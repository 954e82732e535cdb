/* kernels.c: builds the kernels of a measured row. */
#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ladder.h"
#include "stencil.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct size_list {
    kc_size items[12];
    size_t count;
} size_list;

static void *keep(pieces *p, void *object)
{
    if (object && p->kept_count < COUNT(p->kept))
        p->kept[p->kept_count++] = object;
    return object;
}

void pieces_free(pieces *p)
{
    while (p->kept_count > 0)
        kc_release(p->kept[--p->kept_count]);
}

/* ---- small words for building ----------------------------------------------------------- */

static kc_dtype *dtype(pieces *p, const char *name)
{
    return keep(p, kc_dtype_named(p->context, name));
}

static kc_value *input(pieces *p, const char *name, const char *dims, const char *type, const size_list *sizes)
{
    kc_tensor *t = keep(p, kc_tensor_new(p->context, name, dims, dtype(p, type), sizes->items, sizes->count));
    return keep(p, kc_read(t, NULL, NULL, 0, 1, 0));
}

static kc_value *map(pieces *p, kc_value *const *inputs, size_t count, double flops, double special)
{
    const kc_cost cost = { flops, special };
    return keep(p, kc_map("map", inputs, count, &cost));
}

static kc_value *map1(pieces *p, kc_value *a, double flops, double special)
{
    return map(p, &a, 1, flops, special);
}

static kc_value *map2(pieces *p, kc_value *a, kc_value *b, double flops, double special)
{
    kc_value *const inputs[] = { a, b };
    return map(p, inputs, 2, flops, special);
}

static kc_value *reduce(pieces *p, kc_value *a, const char *over, double flops)
{
    const kc_cost cost = { flops, 0 };
    return keep(p, kc_reduce("reduce", a, over, NULL, 0, &cost));
}

static kc_tensor *write(pieces *p, const char *name, kc_value *value, const char *type, const char *dims)
{
    return keep(p, kc_write(name, value, dtype(p, type), dims, NULL, NULL, 0, 1));
}

static bool add(pieces *p, void *kernel, bool tiled, double times, bool is_main)
{
    if (!kernel || p->count == COUNT(p->list))
        return false;
    p->list[p->count++] = (struct piece){ kernel, tiled, times, is_main, NULL };
    return true;
}

static void warm(pieces *p, const char *tensor)
{
    if (p->warm_count < COUNT(p->warm))
        snprintf(p->warm[p->warm_count++], sizeof p->warm[0], "%s", tensor);
}

static kc_schedule *schedule(pieces *p, double threads, double access, double stages)
{
    kc_schedule *s = keep(p, kc_schedule_new(p->context));
    kc_schedule_threads(s, threads);
    kc_schedule_vector(s, access);
    kc_schedule_stages(s, NULL, stages);
    return s;
}

/* ---- dtypes ---------------------------------------------------------------------------------- */

/* Values that share a scale which the activation's quantiser has to find. */
typedef enum scales { WIDE, A_TENSOR, A_ROW, A_BLOCK } scales;

/* How a label of the format is stored and multiplied. */
static const struct format {
    const char *label, *a, *b, *c, *math;
    scales scale;               /* narrow ones: the activation comes in 16 bits and is quantised */
} formats[] = {
    { "fp16", "f16", "f16", "f16", NULL, WIDE },
    { "bf16", "bf16", "bf16", "bf16", NULL, WIDE },
    { "fp32", "f32", "f32", "f32", NULL, WIDE },
    { "tf32", "f32", "f32", "f32", "tf32", WIDE },
    { "fp64", "f64", "f64", "f64", NULL, WIDE },
    { "fp8", "f8", "f8", "bf16", NULL, A_TENSOR },
    { "fp8_block", "f8", "f8", "bf16", NULL, A_BLOCK },
    { "fp8_rowwise", "f8", "f8", "bf16", NULL, A_ROW },
    { "fp8_dynquant", "f8", "f8", "bf16", NULL, A_TENSOR },
    { "int8", "i8", "i8", "bf16", NULL, A_ROW },
    { "nvfp4", "nvf4", "nvf4", "bf16", NULL, A_BLOCK },
    { "mxfp4", "mxf4", "mxf4", "bf16", NULL, A_BLOCK },
    { "w8a16", "bf16", "i8", "bf16", NULL, WIDE },
    { "w4a16", "bf16", "i4", "bf16", NULL, WIDE },
    { "fp16in_fp32", "f16", "f16", "f16", "f32", WIDE },
    { "bf16_kvfp8", "bf16", "f8", "bf16", "bf16", WIDE },
};

static const struct format *format_of(const char *label)
{
    for (size_t i = 0; i < COUNT(formats); i++)
        if (strcmp(formats[i].label, label) == 0)
            return &formats[i];
    return NULL;
}

static double bytes_of(pieces *p, const char *type)
{
    return kc_dtype_bits(dtype(p, type)) / 8;
}

/* ---- matmul ------------------------------------------------------------------------------------ */

/* The largest magnitude of a tensor, as TensorRT-LLM finds it: 1,024 CTAs of 1,024 threads, accesses of
 * 2 bytes, four unrolled, one atomic a CTA behind a zero fill; then the scale is cast, by itself. */
static bool add_maximum(pieces *p, double elements)
{
    size_list sizes = { { { "c", 1024 }, { "e", ceil(elements / 1024) }, { "one", 1 } }, 3 };
    kc_schedule *how = schedule(p, 1024, 2, 5);
    kc_schedule_tile(how, "c", 1);
    kc_schedule_tile(how, "e", 1024);
    kc_schedule_grid(how, "c");
    kc_schedule_combine(how, "atomic");
    kc_tensor *most = write(p, "M", reduce(p, input(p, "X", "c e one", "bf16", &sizes), "c e", 2), "f32", NULL);
    return add(p, keep(p, kc_tile((kc_object *)most, how)), true, 1, false) &&
           add(p, write(p, "S", map1(p, input(p, "M", "one", "f32", &sizes), 0, 0), "f32", NULL), false, 1, false);
}

/* One pass that makes the activation narrow; with one scale for all, 1,024 CTAs of 256 threads walk it
 * together, an element at a time. */
static bool add_quantisation(pieces *p, const struct format *f, double elements)
{
    bool by_tensor = f->scale == A_TENSOR;
    double threads = by_tensor ? 256 : 1, ctas = by_tensor ? fmin(1024, ceil(elements / threads)) : 1;
    size_list sizes = { { { "s", ceil(elements / (ctas * threads)) }, { "c", ctas }, { "t", threads } }, 3 };
    warm(p, "X");
    void *pass = write(p, "A", map1(p, input(p, "X", "s c t", "bf16", &sizes), 3, 0), f->a, NULL);
    if (!by_tensor)
        return add(p, pass, false, 1, false);
    kc_schedule *how = schedule(p, threads, 2, 1);
    kc_schedule_tile(how, "s", 1);
    kc_schedule_tile(how, "c", 1);
    kc_schedule_grid(how, "c");
    return add_maximum(p, elements) && add(p, keep(p, kc_tile(pass, how)), true, 1, false);
}

/* Vector work to make an element of a weight as wide as the activation: converted, scaled (CUTLASS' fpA_intB). */
static const double DEQUANTISE = 1.5;
/* A[m,k] B[k,n], k in chunks "c" of "k", one where nothing happens between them; NULL: kcost has no such product. */
static kc_value *product_of(pieces *p, const row *r, const struct format *f, const size_list *sizes, bool promotes)
{
    bool batched = shape_number(r->shape, "b", 1) > 1;
    kc_value *left = input(p, "A", batched ? "b m c k" : "m c k", f->a, sizes);
    kc_value *right = input(p, "B", batched ? "b c k n" : "c k n", f->b, sizes);
    const char *math = f->math;
    if (strncmp(r->dtype, "w", 1) == 0) {
        right = map1(p, right, DEQUANTISE, 0);
        math = f->a;
    }
    kc_value *product = keep(p, kc_matmul(left, right, promotes ? "k" : "c k", math, NULL, NULL));
    if (!product && f->math)
        product = keep(p, kc_matmul(left, right, promotes ? "k" : "c k", NULL, NULL, NULL));
    return promotes ? reduce(p, product, "c", 1) : product; /* a chunk is scaled and added: one multiply-add */
}

/* Products of words of four integers, one instruction each like a multiply-add of f32. */
static kc_value *product_in_words(pieces *p, const size_list *sizes)
{
    kc_value *left = input(p, "A", "m c k", "i32", sizes), *right = input(p, "B", "c k n", "i32", sizes);
    return keep(p, kc_matmul(left, right, "c k", NULL, "vector", NULL));
}

/* What a recorded event costs: as much as a kernel that has next to nothing to do. */
static bool add_event(pieces *p)
{
    const size_list sizes = { { { "one", 1 } }, 1 };
    return add(p, write(p, "E", map1(p, input(p, "Q", "one", "f32", &sizes), 0, 0), "f32", NULL), false, 1, false);
}

/* The product under a hand-written schedule; of a library the best one. */
static void *under(pieces *p, kc_tensor *product, const rung *how, double n)
{
    if (!how || !(how->m > 0))
        return product;
    kc_schedule *s = keep(p, kc_schedule_new(p->context));
    kc_schedule_tile(s, "m", how->m);
    kc_schedule_tile(s, "n", how->n);
    kc_schedule_tile(s, "k", how->k);
    kc_schedule_warps(s, how->warps);
    kc_schedule_vector(s, how->vector);
    kc_schedule_stages(s, NULL, how->stages);
    kc_schedule_overlap(s, how->overlap);
    if (how->straight) {
        kc_schedule_place(s, "A", "registers");
        kc_schedule_place(s, "B", "registers");
    }
    double strip = floor(n / 8 / 256) * 256;
    if (how->strips && strip > 0)
        kc_schedule_raster(s, "m n", strip / how->n);
    return keep(p, kc_tile((kc_object *)product, s));
}

static bool make_matmul(pieces *p, const row *r, const setting *s, const chip *gpu)
{
    const struct format *f = format_of(r->dtype);
    double b = shape_number(r->shape, "b", 1), m = shape_number(r->shape, "m", 0);
    double n = shape_number(r->shape, "n", 0), k = shape_number(r->shape, "k", 0);
    if (!f || m < 1 || n < 1 || k < 1)
        return false;
    bool in_words = s->matmul == IN_WORDS && strcmp(r->dtype, "int8") == 0;
    bool promotes = strcmp(r->dtype, "fp8_block") == 0 && !gpu->scales_blocks;
    if (in_words)
        k = ceil(k / 4);
    double chunk = promotes ? fmin(128, k) : k;
    size_list sizes = { { { "b", b }, { "m", m }, { "n", n }, { "c", ceil(k / chunk) }, { "k", chunk } }, 5 };
    if (s->matmul == QUANTISING && f->scale != WIDE && !add_quantisation(p, f, b * m * k))
        return false;
    kc_value *product = in_words ? product_in_words(p, &sizes) : product_of(p, r, f, &sizes, promotes);
    double weights = b * k * n * bytes_of(p, f->b), others = b * m * (k * bytes_of(p, f->a) + n * bytes_of(p, f->c));
    double copies = fmin(5, ceil(gpu->l2_bytes / weights));
    if (s->cache != COLD)
        warm(p, "A");
    if (s->cache == WARM || (s->cache == ROTATED && copies * weights + others <= gpu->l2_bytes))
        warm(p, "B");
    const rung *how = rung_of(r);
    bool by_hand = how && how->m > 0;
    kc_tensor *c = write(p, "C", product, in_words ? "i32" : f->c, NULL);
    if (!add(p, under(p, c, how, n), by_hand, 1, true))
        return false;
    p->list[p->count - 1].family = by_hand ? NULL : family_of(r);
    return s->kernels < 2 || add_event(p);
}

/* ---- attention ----------------------------------------------------------------------------------- */

/* One pass over q, k and v: read, rotate, write. */
static bool add_rotation(pieces *p, double q, double kv, const char *type)
{
    size_list sizes = { { { "n", q + 2 * kv } }, 1 };
    kc_value *x = input(p, "QKV", "n", type, &sizes);
    warm(p, "QKV");
    return add(p, write(p, "R", map1(p, x, 3, 0), type, NULL), false, 1, false);
}

static bool make_attention(pieces *p, const row *r, const setting *s, double cores)
{
    const struct format *f = format_of(r->dtype);
    double b = shape_number(r->shape, "b", 0), h = shape_number(r->shape, "h", 0), d = shape_number(r->shape, "d", 0);
    double groups = shape_number(r->shape, "hkv", h), sq = shape_number(r->shape, "sq", 0);
    double skv = shape_number(r->shape, "skv", sq), e = shape_number(r->shape, "dv", d);
    bool causal = shape_number(r->shape, "causal", 0) != 0 && sq > 1 && !s->all_tiles;
    if (!f || b < 1 || h < 1 || groups < 1 || sq < 1 || skv < 1 || d < 1 || fmod(h, groups) != 0)
        return false;
    const char *q = f->scale ? "f8" : f->a, *out = f->scale ? "bf16" : f->a;
    size_list sizes = { { { "b", b }, { "g", groups }, { "r", h / groups }, { "i", sq }, { "j", skv }, { "d", d },
                          { "e", e } }, 7 };
    if (s->rope && !add_rotation(p, b * h * sq * d, b * groups * sq * d, out))
        return false;
    p->launches = s->kernels - 1;
    kc_value *S = keep(p, kc_matmul(input(p, "Q", "b g r i d", q, &sizes), input(p, "K", "b g j d", f->b, &sizes), "d",
                                    f->math, NULL, NULL));
    S = map1(p, S, 1, 0); /* 1/sqrt(d) */
    if (causal)
        S = keep(p, kc_causal(S, "i", "j"));
    kc_value *P = keep(p, kc_softmax(S, "j", 1));
    if (f->scale)
        P = keep(p, kc_cast(P, dtype(p, q)));
    kc_value *V = input(p, "V", "b g j e", f->b, &sizes);
    kc_value *O = keep(p, kc_matmul(P, V, "j", f->math, NULL, NULL));
    if (s->cache != COLD)
        warm(p, "Q");
    if (s->cache == WARM || (s->cache == PRODUCED && sq == skv)) {
        warm(p, "K");
        warm(p, "V");
    }
    kc_tensor *written = write(p, "O", O, out, NULL);
    if (sq > 1 || !(s->packs > 0) || h / groups <= s->packs)
        return add(p, written, false, 1, true);
    kc_schedule *how = keep(p, kc_schedule_new(p->context)); /* a CTA a head and 1,024 keys */
    kc_schedule_tile(how, "r", 1);
    kc_schedule_tile(how, "i", 1);
    kc_schedule_tile(how, "j", 64);
    double parts = fmin(floor(skv / 1024), floor(4 * cores / (b * h)));
    if (parts >= 2)
        kc_schedule_split(how, "j", parts);
    return add(p, keep(p, kc_tile((kc_object *)written, how)), true, 1, true);
}

/* ---- elementwise, rows ------------------------------------------------------------------------------ */

/* name, reads of one shape, FLOP, special ops an element */
static const struct pointwise {
    const char *op;
    int reads;
    double flops, special;
} pointwise[] = {
    { "add", 2, 1, 0 }, { "mul_scalar", 1, 1, 0 }, { "relu", 1, 1, 0 }, { "relu_squared", 1, 2, 0 },
    { "tanh", 1, 0, 1 }, { "gelu", 1, 8, 1 }, { "sigmoid", 1, 1, 2 }, { "elu", 1, 2, 1 }, { "selu", 1, 3, 1 },
    { "leaky_relu", 1, 2, 0 }, { "hardsigmoid", 1, 3, 0 }, { "hardtanh", 1, 2, 0 }, { "softplus", 1, 2, 2 },
    { "silu_mul", 2, 3, 2 }, { "quantize_static", 1, 3, 0 }, { "scale_small", 1, 1, 0 }, { "add3", 2, 1, 0 },
};

static const char *storage(const row *r)
{
    const struct format *f = format_of(r->dtype);
    if (strncmp(r->dtype, "bf16_to", 7) == 0)
        return "bf16";
    return f ? f->a : strcmp(r->dtype, "int32") == 0 ? "i32" : NULL;
}

static double elements(const row *r)
{
    double n = shape_number(r->shape, "n", 0), m = shape_number(r->shape, "m", 1);
    return m * n;
}

static bool add_kernel(pieces *p, kc_tensor *written, kc_schedule *s, double times)
{
    void *kernel = s ? keep(p, kc_tile((kc_object *)written, s)) : (void *)written;
    return add(p, kernel, s != NULL, times, true);
}

static bool make_pointwise(pieces *p, const row *r, const setting *s, const struct pointwise *op)
{
    const char *type = storage(r), *out = strcmp(r->op, "quantize_static") == 0 ? "f8" : type;
    double n = elements(r), block = shape_number(r->shape, "block", 0);
    if (!type || n < 1)
        return false;
    bool in_rows = s->access > 0 && shape_number(r->shape, "m", 0) > 0;
    double length = in_rows ? shape_number(r->shape, "n", 0) : n, rows_of = n / length;
    const char *dims = in_rows ? "m n" : "n";
    size_list sizes = { { { "m", rows_of }, { "n", length } }, 2 };
    kc_value *x = input(p, "X", dims, type, &sizes);
    kc_value *y = op->reads == 2 ? map2(p, x, input(p, "Y", dims, type, &sizes), op->flops, op->special)
                                 : map1(p, x, op->flops, op->special);
    kc_schedule *how = NULL;
    if (block > 0) {            /* one element a thread */
        how = schedule(p, block, bytes_of(p, type), 2);
        kc_schedule_tile(how, "n", block);
    } else if (s->access > 0) { /* a CTA a row, an element a thread at a time */
        double threads = fmin(1024, 32 * ceil(length / 32));
        how = schedule(p, threads, s->access, 1);
        kc_schedule_tile(how, "n", threads);
        if (in_rows) {
            kc_schedule_tile(how, "m", 1);
            kc_schedule_grid(how, "m");
        }
    }
    warm(p, "X");
    if (s->cache == WARM || strcmp(r->op, "silu_mul") == 0)
        warm(p, "Y");
    return add_kernel(p, write(p, "Z", y, out, NULL), how, strcmp(r->op, "add3") == 0 ? 2 : 1);
}

/* Norms read their row for the statistics and once more to scale it. */
static bool make_norm(pieces *p, const row *r, const setting *s)
{
    const char *type = storage(r);
    double m = shape_number(r->shape, "m", 0), n = shape_number(r->shape, "n", 0);
    double g = shape_number(r->shape, "g", 0);
    if (g > 0) {                /* groupnorm: a row is a group */
        n = shape_number(r->shape, "c", 0) / g * shape_number(r->shape, "hw", 0);
        m *= g;
    }
    if (!type || m < 1 || n < 1)
        return false;
    size_list sizes = { { { "m", m }, { "n", n } }, 2 };
    kc_value *x = input(p, "X", "m n", type, &sizes);
    kc_tensor *sum = NULL;
    bool adds = strcmp(r->op, "add_rmsnorm") == 0, rms = adds || strcmp(r->op, "rmsnorm") == 0;
    if (adds) {
        x = map2(p, x, input(p, "Y", "m n", type, &sizes), 1, 0);
        sum = write(p, "S", x, type, NULL);
    }
    kc_value *statistics = map1(p, reduce(p, x, "n", rms ? 2 : 4), 3, 1);
    kc_value *y = map2(p, x, statistics, rms ? 1 : 2, 0);
    if (!(g > 0))
        y = map2(p, y, input(p, "W", "n", type, &sizes), rms ? 1 : 2, 0);
    kc_tensor *out = write(p, "Z", y, type, NULL);
    warm(p, "X");
    warm(p, "Y");
    warm(p, "W");
    if (!adds) {
        kc_schedule *how = NULL;
        if (s->access > 0) {
            how = schedule(p, fmin(1024, 32 * ceil(n / 32)), s->access, 1);
            kc_schedule_tile(how, "m", 1);
            kc_schedule_tile(how, "n", 1024);
        } else if (s->torch) {  /* an access of four elements a thread at a time */
            how = schedule(p, 128, 4 * bytes_of(p, type), 1);
            kc_schedule_tile(how, "m", 1);
            kc_schedule_tile(how, "n", 512);
        }
        return add_kernel(p, out, how, 1);
    }
    kc_tensor *const both[] = { sum, out };
    return add(p, keep(p, kc_kernel_new(p->context, "add_rmsnorm", both, 2)), false, 1, true);
}

static bool make_softmax(pieces *p, const row *r)
{
    const char *type = storage(r);
    double m = shape_number(r->shape, "m", 0), n = shape_number(r->shape, "n", 0);
    if (!type || m < 1 || n < 1)
        return false;
    size_list sizes = { { { "m", m }, { "n", n } }, 2 };
    bool loss = strcmp(r->op, "cross_entropy_fwd_grad") == 0;
    kc_value *y = keep(p, kc_softmax(input(p, "X", "m n", type, &sizes), "n", loss));
    if (strcmp(r->op, "log_softmax") == 0)
        y = map1(p, y, 1, 0);
    warm(p, "X");
    return add_kernel(p, write(p, "Z", y, type, NULL), NULL, 1);
}

static bool make_reduction(pieces *p, const row *r)
{
    const char *type = storage(r);
    double m = shape_number(r->shape, "m", 0), c = shape_number(r->shape, "r", 0), n = shape_number(r->shape, "n", 0);
    if (!type || m < 1 || n < 1)
        return false;
    size_list sizes = { { { "m", m }, { "r", c }, { "n", n } }, 3 };
    kc_value *x = input(p, "X", c > 0 ? "m r n" : "m n", type, &sizes);
    kc_value *y = strcmp(r->op, "cumsum") == 0 ? keep(p, kc_scan("sum", x, c > 0 ? "r" : "n", NULL))
                                               : reduce(p, x, c > 0 ? "r" : "n", 1);
    warm(p, "X");
    return add_kernel(p, write(p, "Z", y, type, NULL), NULL, 1);
}

static bool make_rope(pieces *p, const row *r, const setting *s)
{
    const char *type = storage(r);
    double m = shape_number(r->shape, "m", 0), h = shape_number(r->shape, "h", 0), d = shape_number(r->shape, "d", 0);
    double heads = h + shape_number(r->shape, "hkv", h);
    if (!type || m < 1 || h < 1 || d < 1)
        return false;
    size_list sizes = { { { "m", m }, { "h", heads }, { "d", d } }, 3 };
    kc_value *const inputs[] = { input(p, "X", "m h d", type, &sizes), input(p, "C", "m d", type, &sizes),
                                 input(p, "S", "m d", type, &sizes) };
    kc_tensor *out = write(p, "Z", map(p, inputs, 3, 3, 0), type, "m h d");
    kc_schedule *how = NULL;
    if (s->access > 0) {
        double threads = fmin(512, 32 * ceil(heads * d / 64));
        how = schedule(p, threads, s->access, 1);
        kc_schedule_tile(how, "m", 1);
        kc_schedule_tile(how, "h", fmax(1, floor(threads / d)));
        kc_schedule_grid(how, "m");
    }
    warm(p, "X");
    return add_kernel(p, out, how, 1);
}

static bool make_embedding(pieces *p, const row *r)
{
    const char *type = storage(r);
    double m = shape_number(r->shape, "m", 0), n = shape_number(r->shape, "n", 0), v = shape_number(r->shape, "v", 0);
    if (!type || m < 1 || n < 1 || v < 1)
        return false;
    const kc_size table[] = { { "v", v }, { "n", n } }, taken = { "m", m };
    kc_tensor *t = keep(p, kc_tensor_new(p->context, "T", "v n", dtype(p, type), table, 2));
    kc_value *x = keep(p, kc_read(t, "[m] n", &taken, 1, 1, v * -expm1(-m / v))) /* random rows: how many differ */;
    return add_kernel(p, write(p, "Z", map1(p, x, 0, 0), type, "m n"), NULL, 1);
}

/* ---- streams: grid-stride loops of a stated number of threads ---------------------------------------- */

/* CTAs of one core's threads walk the arrays together: "c" CTAs, "s" strides, "t" elements of one stride. */
static bool make_stream(pieces *p, const row *r, double cores)
{
    const char *type = storage(r);
    double n = shape_number(r->shape, "n", 0), per_core = shape_number(r->shape, "threads_per_sm", 0);
    static const struct { const char *op; int reads; bool writes; double flops; } kinds[] = {
        { "stream_init", 0, true, 0 }, { "stream_read", 1, false, 1 }, { "stream_scale", 1, true, 1 },
        { "stream_triad", 2, true, 2 }, { "stencil1d_3pt", 1, true, 5 }, { "stencil1d_5pt", 1, true, 9 },
    };
    size_t k = 0;
    while (k < COUNT(kinds) && strcmp(kinds[k].op, r->op) != 0)
        k++;
    if (k == COUNT(kinds) || !type || n < 1 || per_core < 1 || kinds[k].reads == 0)
        return false;
    double threads = per_core, ctas = 2 * cores;
    double strides = ceil(n / (ctas * threads));
    size_list sizes = { { { "s", strides }, { "c", ctas }, { "t", threads } }, 3 };
    kc_value *x = input(p, "X", "s c t", type, &sizes);
    kc_value *y = kinds[k].reads == 2 ? map2(p, x, input(p, "Y", "s c t", type, &sizes), kinds[k].flops, 0)
                                      : map1(p, x, kinds[k].flops, 0);
    /* a CTA has one element a thread, so that the next load waits for the next CTA */
    kc_schedule *how = schedule(p, threads, bytes_of(p, type), kinds[k].reads == 2 ? 2 : 1);
    kc_schedule_tile(how, "c", 1);
    kc_schedule_tile(how, "s", 1);
    kc_schedule_grid(how, "c");
    if (!kinds[k].writes)
        y = reduce(p, y, "s t", 0);
    return add_kernel(p, write(p, "Z", y, type, NULL), how, 1);
}

/* Stated traffic and work: bytes in and out, FLOP spread over the elements: multiply-adds, one
 * issue slot each, which as a map is one FLOP. */
static bool make_stated(pieces *p, const row *r)
{
    const char *type = strstr(r->dtype, "fp32_packed") ? "f32" : storage(r);
    double bytes = shape_number(r->shape, "bytes", 0), flops = shape_number(r->shape, "flops", 0);
    if (!type || bytes < 1)
        return false;
    double each = bytes_of(p, type), n = floor(bytes / each / 2);
    bool once = strcmp(r->op, "mad_stream") == 0;    /* reads what it hardly writes */
    size_list sizes = { { { "n", once ? 2 * n : n } }, 1 };
    kc_value *x = input(p, "X", "n", type, &sizes);
    if (!once)
        return add_kernel(p, write(p, "Z", map1(p, x, flops / 2 / n, 0), type, NULL), NULL, 1);
    size_list lines = { { { "m", floor(2 * n / 4096) }, { "n", 4096 } }, 2 };
    x = input(p, "X", "m n", type, &lines);
    kc_value *y = reduce(p, map1(p, x, flops / 2 / (2 * n), 0), "n", 0);
    return add_kernel(p, write(p, "Z", y, type, NULL), NULL, 1);
}

/* ---- stencils ------------------------------------------------------------------------------------------- */

static bool make_stencil(pieces *p, const row *r)
{
    stencil points, *s = &points;
    if (!stencil_of(r, s))
        return false;
    const kc_size read[] = { { "z", s->padded[0] }, { "y", s->padded[1] }, { "x", s->padded[2] } };
    const kc_size written[] = { { "z", s->size[0] }, { "y", s->size[1] }, { "x", s->size[2] } };
    kc_tensor *u = keep(p, kc_tensor_new(p->context, "X", "z y x", dtype(p, s->type), read, 3));
    kc_value *taps[COUNT(s->taps)];
    for (int i = 0; i < s->count; i++) {
        char index[48];
        snprintf(index, sizeof index, "z%+d y%+d x%+d", s->taps[i].z, s->taps[i].y, s->taps[i].x);
        taps[i] = keep(p, kc_read(u, index, written, 3, 1, 0));
    }
    kc_value *sum = map(p, taps, (size_t)s->count, 2 * s->count - 1, 0);
    kc_schedule *how = schedule(p, s->threads, s->bytes * fmax(1, s->tile[1] * s->tile[2] / s->threads), 2);
    kc_schedule_tile(how, "z", s->tile[0]);
    kc_schedule_tile(how, "y", s->tile[1]);
    kc_schedule_tile(how, "x", s->tile[2]);
    kc_schedule_grid(how, "z y x");
    kc_schedule_place(how, "X", "registers");
    return add_kernel(p, write(p, "Z", sum, s->type, "z y x"), how, 1);
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static bool make_memory(pieces *p, const row *r, const setting *s, double cores)
{
    for (size_t i = 0; i < COUNT(pointwise); i++)
        if (strcmp(pointwise[i].op, r->op) == 0)
            return make_pointwise(p, r, s, &pointwise[i]);
    if (listed("layernorm rmsnorm add_rmsnorm groupnorm", r->op))
        return make_norm(p, r, s);
    if (listed("softmax log_softmax cross_entropy_fwd_grad", r->op))
        return make_softmax(p, r);
    if (listed("max_reduce min_reduce mean_reduce sum_reduce cumsum", r->op))
        return make_reduction(p, r);
    if (strcmp(r->op, "rope") == 0)
        return make_rope(p, r, s);
    if (strcmp(r->op, "embedding") == 0)
        return make_embedding(p, r);
    if (listed("mad_stream fma_stream", r->op))
        return make_stated(p, r);
    return make_stream(p, r, cores);
}

bool pieces_make(pieces *p, kc_context *context, const row *r, const setting *s, const chip *gpu)
{
    *p = (pieces){ .context = context };
    bool good = false;
    switch (r->kind) {
    case MATMUL: good = make_matmul(p, r, s, gpu); break;
    case PREFILL:
    case DECODE: good = make_attention(p, r, s, gpu->cores); break;
    case MEMORY: good = make_memory(p, r, s, gpu->cores) && (s->kernels < 2 || add_event(p)); break;
    case STENCIL: good = make_stencil(p, r); break;
    case CLASSES:
    case NO_CLASS: break;
    }
    if (s->cache == COLD)
        p->warm_count = 0;
    if (s->cache == WARM || s->cache == ROTATED)
        warm(p, r->kind == MATMUL ? "C" : r->kind == MEMORY || r->kind == STENCIL ? "Z" : "O");
    return good;
}
