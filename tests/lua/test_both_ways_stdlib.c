/* test_both_ways_stdlib.c: a kernel of each kind that the stdlib builds, built in C without Lua: the same to the last bit.
 *
 * Together they use every op and option of the language: gathers, halos, scatters, masks, accumulation onto a value,
 * scans, own costs and dtypes, groups, splits. */
#include "both_ways.h"

static kc_value *read_at(kc_tensor *t, const char *index, const kc_size *sizes, size_t count, double scale, double distinct)
{
    return keep(kc_read(t, index, sizes, count, scale, distinct));
}

/* A written tensor whose dims are in that order. */
static kc_tensor *write_dims(const char *name, kc_value *value, const char *dtype, const char *dims)
{
    return keep(kc_write(name, value, keep(kc_dtype_named(kc, dtype)), dims, NULL, NULL, 0, 1));
}

static kc_value *named_cost(const char *name, double flops, kc_value *a, kc_value *b)
{
    kc_value *inputs[] = { a, b };
    const kc_cost each = { flops, 0 };
    return keep(kc_map(name, inputs, b ? 2 : 1, &each));
}

static kc_object *program(const char *name, kc_object *const *parts, size_t count)
{
    return keep(kc_program_new(kc, name, parts, count));
}

/* ---- matmuls ---------------------------------------------------------------------------------------------- */

static kc_object *w4a16(void)
{
    const kc_size size[] = { { "m", 16 }, { "n", 14336 }, { "k", 4096 } };
    kc_value *a = rd(tensor("A", "m k", "bf16", size, 3)), *b = rd(tensor("B", "k n", "i4g128", size, 3));
    kc_value *wide = keep(kc_cast(named_cost("dequantise", 2, b, NULL), keep(kc_dtype_named(kc, "bf16"))));
    return object(kernel("gemm", wr("C", mm(a, wide, "k"), "bf16")));
}

/* ---- attention -------------------------------------------------------------------------------------------- */

/* S, P and O of heads that share K and V; `masked` says how. */
static void grouped_attention(kc_object *steps[3], const kc_size *size, const char *dtype)
{
    kc_value *q = rd(tensor("Q", "b g h i d", dtype, size, 7)), *k = rd(tensor("K", "b g j d", dtype, size, 7));
    kc_tensor *v = tensor("V", "b g j e", dtype, size, 7);
    kc_tensor *s = wr("S", keep(kc_causal(mm(q, k, "d"), "i", "j")), dtype);
    kc_tensor *p = wr("P", keep(kc_softmax(rd(s), "j", 1)), NULL);
    steps[0] = object(s), steps[1] = object(p), steps[2] = object(wr("O", mm(rd(p), rd(v), "j"), dtype));
}

static kc_object *decode(double splits)
{
    const kc_size size[] = { { "b", 1 }, { "g", 8 }, { "h", 4 }, { "i", 1 }, { "j", 16384 }, { "d", 128 }, { "e", 128 } };
    kc_object *steps[3];
    grouped_attention(steps, size, "f16");
    plan p = { .tile = { { "h", 4 }, { "i", 1 }, { "j", 64 } }, .grid = "b g", .order = "j" };
    if (splits > 1)
        p.split = (kc_size){ "j", splits };
    return object(tile(keep(kc_fuse(kc, "decode attention", steps, 3, NULL, 0)), p));
}

static kc_object *decode_split(void)
{
    kc_object *ways[] = { decode(1), decode(64) };
    return compare(ways, 2, "h100-sxm5", NULL, "graph");
}

static kc_kernel *ragged_part(const char *name, double seq, double cached)
{
    const kc_size size[] = { { "b", 1 }, { "g", 2 }, { "h", 2 }, { "i", seq }, { "j", cached + seq }, { "d", 64 }, { "e", 64 } };
    kc_object *steps[3];
    grouped_attention(steps, size, "f16");
    return tile(keep(kc_fuse(kc, name, steps, 3, NULL, 0)),
                (plan){ .tile = { { "i", 128 }, { "j", 64 } }, .grid = "b g h i", .order = "j" });
}

static kc_object *ragged(void)
{
    kc_object *parts[] = { object(ragged_part("ragged attention 1", 512, 0)), object(ragged_part("ragged attention 2", 1, 4096)) };
    return keep(kc_group(kc, "ragged attention", parts, 2));
}

/* A sliding window beside the causal mask. */
static kc_object *window(void)
{
    const kc_size size[] = { { "b", 1 }, { "h", 4 }, { "i", 2048 }, { "j", 2048 }, { "d", 64 }, { "e", 64 } };
    kc_value *q = rd(tensor("Q", "b h i d", "f16", size, 6)), *k = rd(tensor("K", "b h j d", "f16", size, 6));
    kc_tensor *v = tensor("V", "b h j e", "f16", size, 6);
    kc_value *masked = keep(kc_mask(keep(kc_causal(mm(q, k, "d"), "i", "j")), "i", "j", -255, HUGE_VAL));
    kc_tensor *s = wr("S", masked, "f16"), *p = wr("P", keep(kc_softmax(rd(s), "j", 1)), NULL);
    kc_object *steps[] = { object(s), object(p), object(wr("O", mm(rd(p), rd(v), "j"), "f16")) };
    return object(tile(keep(kc_fuse(kc, "flash attention, window 256", steps, 3, NULL, 0)),
                       (plan){ .tile = { { "i", 128 }, { "j", 64 } }, .grid = "b h i", .order = "j" }));
}

/* ---- latent attention ----------------------------------------------------------------------------------------- */

static const kc_size latent_size[] = { { "b", 32 }, { "h", 128 }, { "i", 1 }, { "j", 4097 },
                                       { "d", 128 }, { "e", 128 }, { "c", 512 }, { "r", 64 } };

static kc_value *of_latent(const char *name, const char *dims)
{
    return rd(tensor(name, dims, "bf16", latent_size, COUNT(latent_size)));
}

/* The softmax of scores whose position is added onto the content. */
static kc_value *latent_probabilities(kc_value *content)
{
    kc_value *scores = keep(kc_matmul(of_latent("Qr", "b h i r"), of_latent("R", "b j r"), "r", NULL, NULL, content));
    return keep(kc_softmax(keep(kc_causal(scores, "i", "j")), "j", 1));
}

static kc_object *latent(void)
{
    kc_value *c = of_latent("C", "b j c");
    kc_value *p = latent_probabilities(mm(of_latent("Qc", "b h i c"), c, "c"));
    kc_kernel *in_latent = kernel("attention in the latent", wr("Oc", mm(p, c, "j"), "bf16"));
    return object(tile(in_latent, (plan){ .tile = { { "h", 64 }, { "i", 1 }, { "j", 64 } }, .grid = "b h i", .order = "j" }));
}

static kc_object *mla(void)
{
    return keep(kc_best(latent(), device("h100-sxm5"), NULL));
}

static kc_object *expanded(void)
{
    kc_tensor *k = write_dims("K", mm(of_latent("C", "b j c"), of_latent("Wk", "h d c"), "c"), "bf16", "b h j d");
    kc_tensor *v = write_dims("V", mm(of_latent("C", "b j c"), of_latent("Wv", "h e c"), "c"), "bf16", "b h j e");
    kc_value *keys = rd(k), *values = rd(v);
    kc_value *p = latent_probabilities(mm(of_latent("Q", "b h i d"), keys, "d"));
    kc_kernel *heads = kernel("attention over heads", wr("O", mm(p, values, "j"), "bf16"));
    kc_object *parts[] = { object(k), object(v),
                           object(tile(heads, (plan){ .tile = { { "i", 128 }, { "j", 64 } }, .grid = "b h i", .order = "j" })) };
    return program("MLA expanded", parts, 3);
}

/* ---- norms ------------------------------------------------------------------------------------------------------ */

/* S = X + R, Y = rmsnorm(S), C = Y W: as three kernels, the sum in the norm, the norm in the matmul. */
static kc_object *norm_fusion(void)
{
    const kc_size size[] = { { "m", 8192 }, { "k", 4096 }, { "n", 4096 } };
    kc_tensor *s = wr("S", map("add", rd(tensor("X", "m k", "f16", size, 2)), rd(tensor("R", "m k", "f16", size, 2))), NULL);
    kc_value *x = rd(s);
    kc_value *scale = cost(2, 1, sum(map("mul", x, x), "k")), *weight = rd(tensor("weight", "k", "f16", size, 2));
    kc_tensor *y = wr("Y", map("mul", map("mul", x, scale), weight), "f16");
    kc_kernel *norm = kernel("rmsnorm", y);
    kc_kernel *c = kernel("gemm", wr("C", mm(rd(y), rd(tensor("B", "k n", "f16", size, 3)), "k"), "f16"));
    const plan row = { .tile = { { "k", 4096 }, { "m", 1 } } }, block = { .tile = { { "k", 64 }, { "m", 128 }, { "n", 128 } } };
    kc_object *in_sum[] = { object(s), object(norm) }, *in_matmul[] = { object(norm), object(c) };
    const char *save = "S";
    kc_object *three[] = { object(tile(s, row)), object(tile(norm, row)), object(tile(c, block)) };
    kc_object *two[] = { object(tile(keep(kc_fuse(kc, "sum and norm", in_sum, 2, &save, 1)), row)), object(tile(c, block)) };
    kc_object *last[] = { object(tile(s, row)), object(tile(keep(kc_fuse(kc, "norm and matmul", in_matmul, 2, NULL, 0)), block)) };
    kc_object *ways[] = { program("three kernels", three, 3), program("sum in the norm", two, 2),
                          program("norm in the matmul", last, 2) };
    return compare(ways, 3, "h100-sxm5", NULL, NULL);
}

/* ---- a layer, a kernel an op -------------------------------------------------------------------------------------- */

static const kc_size layer_size[] = { { "t", 2048 }, { "j", 2048 }, { "h", 32 }, { "d", 128 }, { "e", 128 },
                                      { "k", 4096 }, { "n", 4096 }, { "f", 11008 } };
static kc_object *layer_steps[16];
static size_t layer_count;

static kc_value *of_layer(const char *name, const char *dims)
{
    return rd(tensor(name, dims, "f16", layer_size, COUNT(layer_size)));
}

static kc_tensor *step(kc_tensor *written)
{
    layer_steps[layer_count++] = object(written);
    return written;
}

static kc_value *passed(const char *name, kc_value *value)
{
    return rd(step(wr(name, value, "f16")));
}

static kc_value *rows_of_values(void)
{
    kc_value *scores = mm(of_layer("Q", "h t d"), of_layer("K", "h j d"), "d");
    scores = passed("scores", keep(kc_causal(scores, "t", "j")));
    kc_value *weights = passed("weights", keep(kc_softmax(passed("scaled", map("scale", scores, NULL)), "j", 0)));
    return rd(step(write_dims("values", mm(weights, of_layer("V", "h j e"), "j"), "f16", "t h e")));
}

static kc_object *fuse_all(void)
{
    layer_count = 0;
    kc_value *out = passed("out", mm(rows_of_values(), of_layer("W out", "h e k"), "h e"));
    kc_tensor *stream = step(wr("stream", map("add", out, of_layer("residual", "t k")), "f16"));
    kc_value *x = rd(stream), *root = cost(2, 1, sum(map("mul", x, x), "k"));
    kc_value *normed = passed("norm", map("mul", map("mul", x, root), of_layer("W norm", "k")));
    kc_value *gate = passed("gate", mm(normed, of_layer("W gate", "k f"), "k"));
    kc_value *up = passed("up", mm(normed, of_layer("W up", "k f"), "k"));
    kc_value *inner = passed("inner", map("mul", map("silu", gate, NULL), up));
    kc_value *down = passed("down", mm(inner, of_layer("W down", "f n"), "f"));
    passed("result", map("add", down, read_at(stream, "t n", layer_size, COUNT(layer_size), 1, 0)));
    kc_object *layer = program("a kernel an op", layer_steps, layer_count);
    kc_device *h100 = device("h100-sxm5");
    kc_object *ways[] = { keep(kc_result_best(keep(kc_best(layer, h100, NULL)))),
                          keep(kc_result_best(keep(kc_fuse_all(layer, h100, NULL, 0, NULL)))) };
    return compare(ways, 2, "h100-sxm5", NULL, NULL);
}

/* ---- halos, scatters, gathers, scans ----------------------------------------------------------------------------- */

static const kc_size image[] = { { "n", 8 }, { "g", 4 }, { "c", 32 }, { "f", 32 }, { "y", 28 },
                                 { "x", 28 }, { "p", 14 }, { "q", 14 }, { "r", 3 }, { "s", 3 } };
static const char places[] = "n g c 2*p+1*r-1 2*q+1*s-1";

static kc_tensor *of_image(const char *name, const char *dims, const char *dtype)
{
    return tensor(name, dims, dtype, image, COUNT(image));
}

static kc_object *convolution(void)
{
    kc_value *w = rd(of_image("W", "g f c r s", "f16"));
    kc_value *x = read_at(of_image("X", "n g c y x", "f16"), places, image, COUNT(image), 1, 0);
    return object(kernel("convolution", write_dims("Y", mm(x, w, "c r s"), "f16", "n g f p q")));
}

static kc_object *backward_data(void)
{
    kc_value *dy = rd(of_image("dY", "n g f p q", "f16")), *w = rd(of_image("W", "g f c r s", "f16"));
    kc_value *products = mm(dy, w, "f");
    kc_value *inside = read_at(of_image("inside", "y x", "bool"), places + 6, image, COUNT(image), 0, 0);
    kc_tensor *dx = keep(kc_write("dX", named_cost("inside", 0, products, inside), keep(kc_dtype_named(kc, "f16")), "n g c y x",
                                  places, image, COUNT(image), 1));
    return object(kernel("convolution backward data", dx));
}

static kc_object *experts(void)
{
    const kc_size size[] = { { "t", 64 }, { "x", 128 }, { "s", 8 }, { "k", 2048 }, { "f", 768 }, { "n", 2048 } };
    double reached = 128 * (1 - pow(1 - 8.0 / 128, 64));
    kc_value *x = rd(tensor("X", "t k", "bf16", size, 6));
    kc_value *gate = mm(x, read_at(tensor("Wg", "x k f", "bf16", size, 6), "[t s] k f", size, 6, 1, reached), "k");
    kc_value *up = mm(x, read_at(tensor("Wu", "x k f", "bf16", size, 6), "[t s] k f", size, 6, 1, reached), "k");
    kc_tensor *h = wr("H", map("mul", map("silu", gate, NULL), up), "bf16");
    kc_value *y = mm(rd(h), read_at(tensor("Wd", "x f n", "bf16", size, 6), "[t s] f n", size, 6, 1, reached), "f");
    kc_tensor *o = wr("O", sum(map("mul", y, rd(tensor("weight", "t s", "f32", size, 6))), "s"), "bf16");
    kc_object *parts[] = { object(h), object(o) };
    return program("experts", parts, 2);
}

static kc_object *router(void)
{
    const kc_size size[] = { { "t", 512 }, { "x", 64 }, { "k", 1024 } }, places_of[] = { { "s", 4 } };
    kc_value *x = rd(tensor("X", "t k", "bf16", size, 3));
    kc_value *gate = keep(kc_softmax(mm(x, rd(tensor("Wr", "k x", "bf16", size, 3)), "k"), "x", 0));
    kc_value *top = keep(kc_reduce("topk", gate, "x", places_of, 1, NULL));
    kc_value *weight = map("div", top, sum(top, "s"));
    kc_value *number = keep(kc_cast(named_cost("index", 0, top, NULL), keep(kc_dtype_named(kc, "i32"))));
    kc_tensor *written[] = { wr("weight", weight, "f32"), wr("expert", number, "i32") };
    return keep(kc_kernel_new(kc, "router", written, 2));
}

static kc_object *selective_scan(void)
{
    const kc_size size[] = { { "b", 2 }, { "t", 1024 }, { "d", 512 }, { "n", 16 } };
    const kc_cost two = { 2, 0 };
    kc_value *delta = rd(tensor("delta", "b t d", "f16", size, 4));
    kc_value *decay = map("exp", map("mul", delta, rd(tensor("A", "d n", "f32", size, 4))), NULL);
    kc_value *input = map("mul", map("mul", delta, rd(tensor("B", "b t n", "f16", size, 4))), rd(tensor("u", "b t d", "f16", size, 4)));
    kc_value *state = keep(kc_scan("recurrence", named_cost("pair", 0, decay, input), "t", &two));
    kc_value *y = sum(map("mul", state, rd(tensor("C", "b t n", "f16", size, 4))), "n");
    return object(kernel("selective scan", wr("y", y, "f16")));
}

static const both_row rows[] = {
    { "decode_split.lua", { NULL }, { decode_split } },
    { "fuse_all.lua", { NULL }, { fuse_all } },
    { "mla.lua", { NULL }, { mla } },
    { "norm_fusion.lua", { NULL }, { norm_fusion } },
    { "gemm.plain { m = 16, n = 14336, k = 4096, dtype = 'bf16', weights = 'i4g128', dequantise = 2 }", { NULL }, { w4a16 } },
    { "attention.ragged { requests = { { 512, 0 }, { 1, 4096 } }, heads = 4, kv_heads = 2, head_dim = 64 }", { NULL }, { ragged } },
    { "attention.flash { seq = 2048, heads = 4, head_dim = 64, window = 256 }", { NULL }, { window } },
    { "mla.latent { batch = 32, heads = 128, cached = 4096 }", { NULL }, { latent } },
    { "mla.expanded { batch = 32, heads = 128, cached = 4096 }", { NULL }, { expanded } },
    { "conv.forward { image = { 28, 28 }, filter = 3, stride = 2, pad = 1, channels = 128, filters = 128, groups = 4, batch = 8 }",
      { NULL }, { convolution } },
    { "conv.backward_data { image = { 28, 28 }, filter = 3, stride = 2, pad = 1, channels = 128, filters = 128, groups = 4, batch = 8 }",
      { NULL }, { backward_data } },
    { "moe.mlp { tokens = 64, experts = 128, top_k = 8, hidden = 2048, inner = 768 }", { NULL }, { experts } },
    { "moe.route { tokens = 512, experts = 64, top_k = 4, hidden = 1024 }", { NULL }, { router } },
    { "scan.selective { batch = 2, seq = 1024, channels = 512 }", { NULL }, { selective_scan } },
};

TEST(what_the_stdlib_builds_costs_the_same_built_in_C)
{
    for (size_t row = 0; row < a_few_of(COUNT(rows)); row++)
        check_row(&rows[row]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_stdlib_builds_costs_the_same_built_in_C),
    };
    return run(tests);
}
