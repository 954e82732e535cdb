/* test_both_ways.c: every script's kernels built in C without Lua, and by the script in the VM: the same to the last bit. */
#include <dirent.h>

#include "both_ways.h"

/* ---- kernels of the stdlib ------------------------------------------------------------------------------ */

static kc_tensor *product(double m, double n, double k, const char *epilogue)
{
    const kc_size size[] = { { "m", m }, { "n", n }, { "k", k } };
    kc_value *c = mm(rd(tensor("A", "m k", "f16", size, 3)), rd(tensor("B", "k n", "f16", size, 3)), "k");
    return wr("C", epilogue ? map(epilogue, c, NULL) : c, "f16");
}

/* S, P and O of attention. */
typedef struct attention {
    kc_object *steps[3];
} attention;

static attention attention_of(double b, double h, double n, double d, bool causal)
{
    const kc_size size[] = { { "b", b }, { "h", h }, { "i", n }, { "j", n }, { "d", d }, { "e", d } };
    kc_tensor *q = tensor("Q", "b h i d", "f16", size, 6), *k = tensor("K", "b h j d", "f16", size, 6),
              *v = tensor("V", "b h j e", "f16", size, 6);
    kc_value *scores = mm(rd(q), rd(k), "d");
    kc_tensor *s = wr("S", causal ? keep(kc_causal(scores, "i", "j")) : scores, NULL);
    kc_tensor *p = wr("P", keep(kc_softmax(rd(s), "j", 1)), NULL);
    kc_tensor *o = wr("O", mm(rd(p), rd(v), "j"), NULL);
    return (attention){ { object(s), object(p), object(o) } };
}

static kc_kernel *fused(const char *name, const attention *a)
{
    return keep(kc_fuse(kc, name, a->steps, 3, NULL, 0));
}

static kc_kernel *rmsnorm(double m, double k)
{
    const kc_size size[] = { { "m", m }, { "k", k } };
    kc_value *x = rd(tensor("X", "m k", "f16", size, 2)), *weight = rd(tensor("weight", "k", "f16", size, 2));
    kc_value *scale = cost(2, 1, sum(map("mul", x, x), "k"));
    return kernel("rmsnorm", wr("Y", map("mul", map("mul", x, scale), weight), "f16"));
}

static kc_kernel *layernorm(double m, double k)
{
    const kc_size size[] = { { "m", m }, { "k", k } };
    kc_value *x = rd(tensor("X", "m k", "f16", size, 2)), *weight = rd(tensor("weight", "k", "f16", size, 2)),
             *bias = rd(tensor("bias", "k", "f16", size, 2));
    kc_value *centred = map("sub", x, map("scale", sum(x, "k"), NULL));
    kc_value *scale = cost(2, 1, sum(map("mul", centred, centred), "k"));
    return kernel("layernorm", wr("Y", map("add", map("mul", map("mul", centred, scale), weight), bias), "f16"));
}

static kc_kernel *gelu(double n)
{
    const kc_size size[] = { { "n", n } };
    return kernel("gelu", wr("Y", map("gelu", rd(tensor("X", "n", "f16", size, 1)), NULL), "f16"));
}

static kc_object *stdlib_gemm(void)
{
    return object(kernel("gemm", product(64, 8192, 8192, NULL)));
}

static kc_object *stdlib_epilogue(void)
{
    return resized(kernel("gemm", product(64, 1024, 512, "gelu")), "m", 256);
}

static kc_object *stdlib_norm(void)
{
    return object(layernorm(512, 4096));
}

static kc_object *stdlib_standard(void)
{
    attention a = attention_of(2, 4, 512, 64, false);
    return keep(kc_program_new(kc, "standard attention", a.steps, 3));
}

static kc_object *stdlib_fused(void)
{
    attention a = attention_of(16, 16, 2048, 128, true);
    return object(fused("fused attention", &a));
}

static kc_object *stdlib_fa1(void)
{
    attention a = attention_of(1, 4, 1024, 64, true);
    return object(tile(fused("flash attention", &a), (plan){ .tile = { { "i", 64 }, { "j", 128 } }, .grid = "b h", .order = "j i" }));
}

/* ---- kernels of the scripts ------------------------------------------------------------------------------- */

static kc_object *backward(void)
{
    const kc_size size[] = { { "b", 64 }, { "h", 16 }, { "i", 1024 }, { "j", 1024 }, { "d", 64 }, { "e", 64 } };
    kc_tensor *Q = tensor("Q", "b h i d", "f16", size, 6), *K = tensor("K", "b h j d", "f16", size, 6),
              *V = tensor("V", "b h j e", "f16", size, 6), *O = tensor("O", "b h i e", "f16", size, 6),
              *dO = tensor("dO", "b h i e", "f16", size, 6), *L = tensor("L", "b h i", "f32", size, 6);
    kc_tensor *D = wr("D", sum(map("mul", rd(dO), rd(O)), "e"), "f32");

    kc_value *stored = rd(tensor("P", "b h i j", "f16", size, 6));
    kc_tensor *dP = wr("dP", mm(rd(dO), rd(V), "e"), NULL);
    kc_tensor *dS = wr("dS", map("mul", stored, map("sub", rd(dP), rd(D))), NULL);
    kc_object *standard[] = { object(D), object(wr("dV", mm(stored, rd(dO), "i"), NULL)), object(dP), object(dS),
                              object(wr("dQ", mm(rd(dS), rd(K), "j"), NULL)), object(wr("dK", mm(rd(dS), rd(Q), "i"), NULL)) };

    kc_value *q = rd(Q), *k = rd(K), *v = rd(V), *grad = rd(dO);
    kc_value *p = map("exp", map("sub", mm(q, k, "d"), rd(L)), NULL);
    kc_value *ds = map("mul", p, map("sub", mm(grad, v, "e"), rd(D)));
    kc_tensor *dV = wr("dV", mm(p, grad, "i"), NULL), *dK = wr("dK", mm(ds, q, "i"), NULL);
    kc_value *dq = mm(ds, k, "j");
    kc_tensor *owned[] = { dV, dK, wr("dQ sum", dq, "f32") };
    plan keys = { .tile = { { "i", 64 }, { "j", 128 } }, .grid = "b h j", .order = "i" }, adding = keys;
    adding.combine = "atomic";
    plan queries = { .tile = { { "i", 128 }, { "j", 64 } }, .grid = "b h i", .order = "j" };
    kc_object *two[] = { object(D), object(tile(keep(kc_kernel_new(kc, "dK dV", (kc_tensor *[]){ dK, dV }, 2)), keys)),
                         object(tile(wr("dQ", dq, NULL), queries)) };
    kc_object *one[] = { object(D), object(tile(keep(kc_kernel_new(kc, "dK dV dQ", (kc_tensor *[]){ dK, dV, owned[2] }, 3)), adding)),
                         object(wr("dQ", rd(owned[2]), "f16")) };
    kc_object *programs[] = { keep(kc_program_new(kc, "standard", standard, COUNT(standard))),
                              keep(kc_program_new(kc, "two kernels", two, COUNT(two))),
                              keep(kc_program_new(kc, "one kernel, atomics", one, COUNT(one))) };
    return compare(programs, 3, "a100-sxm4-40gb", "h100-sxm5", NULL);
}

static kc_object *flashattn(void)
{
    attention a = attention_of(64, 16, 1024, 64, false);
    kc_object *ways[] = {
        keep(kc_program_new(kc, "unfused", a.steps, 3)),
        object(fused("fused, untiled", &a)),
        object(tile(fused("FlashAttention 1", &a), (plan){ .tile = { { "i", 64 }, { "j", 256 } }, .grid = "b h", .order = "j i" })),
        object(tile(fused("FlashAttention 2", &a), (plan){ .tile = { { "i", 128 }, { "j", 64 } }, .grid = "b h i", .order = "j" })),
    };
    return compare(ways, 4, "a100-sxm4-40gb", "h100-sxm5", NULL);
}

static void axis(kc_space *space, const char *name, const double *numbers, size_t count)
{
    assert_int_equal(kc_space_numbers(space, name, numbers, count), KC_OK);
}

static void column(kc_space *space, const char *const *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(kc_space_field(space, fields[i]), KC_OK);
}

static kc_space *flash_tiles(void)
{
    static const double powers[] = { 16, 32, 64, 128, 256 }, sizes[] = { 1024, 4096, 16384 }, stages[] = { 1, 2, 3 }, warps[] = { 4, 8 };
    static const char *const fields[] = { "time", "bound", "throughput", "smem", "register_bytes", "occupancy", "waves", "tile_efficiency" };
    attention a = attention_of(16, 16, 4096, 64, false);
    plan fa2 = { .tile = { { "i", 128 }, { "j", 64 } }, .grid = "b h i", .order = "j" };
    kc_space *space = keep(kc_space_new(object(tile(fused("flash attention", &a), fa2))));
    assert_int_equal(kc_space_device(space, device("h100-sxm5")), KC_OK);
    axis(space, "size.i j", sizes, 3);
    axis(space, "size.d e", powers + 2, 2);
    axis(space, "tile.i", powers + 1, 4);
    axis(space, "tile.j", powers, 5);
    axis(space, "stages", stages, 3);
    axis(space, "warps", warps, 2);
    assert_int_equal(kc_space_where(space, "tile.i >= tile.j"), KC_OK);
    column(space, fields, COUNT(fields));
    return space;
}

static kc_object *flashattn_tiles_best(void)
{
    kc_space *space = flash_tiles();
    assert_int_equal(kc_space_best_per(space, "size", "time"), KC_OK);
    return keep(kc_space_sweep(space, 2, NULL, NULL));
}

static kc_object *flashattn_tiles_top(void)
{
    kc_space *space = flash_tiles();
    assert_int_equal(kc_space_top(space, 8, "time"), KC_OK);
    return keep(kc_space_sweep(space, 2, NULL, NULL));
}

/* An eighth of the rows, and of k; each allreduce but the last is of the chunk before. */
static kc_object *allreduce_overlap(void)
{
    const kc_size size[] = { { "m", 2048 }, { "n", 8192 }, { "k", 3584 } };
    kc_value *c = mm(rd(tensor("A", "m k", "f16", size, 3)), rd(tensor("B", "k n", "f16", size, 3)), NULL);
    kc_tensor *made = wr("C", c, "f16"), *before = tensor("C", "m n", "f16", size, 3);
    kc_kernel *matmul = kernel("matmul", made);
    kc_kernel *last = kernel("allreduce", keep(kc_comm("allreduce", made, 8, NULL, "ring", "sum")));
    kc_kernel *other = kernel("allreduce", keep(kc_comm("allreduce", before, 8, NULL, "ring", "sum")));
    kc_object *const both[] = { object(matmul), object(other) };
    kc_object *overlapped = object(keep(kc_beside(kc, "overlapped", both, 2)));
    kc_object *const steps[] = { object(matmul), object(keep(kc_times(overlapped, 7))), object(last) };
    kc_program *program = keep(kc_program_new(kc, "matmul and allreduce, 8 chunks", steps, 3));
    return keep(kc_evaluate(object(program), device("h100-sxm5"), NULL));
}

static kc_object *gemm_levels(void)
{
    static const struct { const char *name; double m, n; } tiles[] = {
        { "32x32", 32, 32 }, { "64x64", 64, 64 }, { "128x64", 128, 64 }, { "128x128", 128, 128 }, { "256x128", 256, 128 }
    };
    kc_tensor *c = product(4096, 4096, 4096, NULL);
    kc_object *kernels[COUNT(tiles)];
    for (size_t i = 0; i < COUNT(tiles); i++)
        kernels[i] = object(tile(kernel(tiles[i].name, c),
                                 (plan){ .tile = { { "m", tiles[i].m }, { "n", tiles[i].n }, { "k", 64 } }, .stages = 3 }));
    return compare(kernels, COUNT(tiles), "h100-sxm5", NULL, NULL);
}

static kc_object *overlap(void)
{
    static const char *const ways[] = { "none", "load", "all" };
    kc_tensor *c = product(4096, 4096, 4096, NULL);
    kc_object *kernels[COUNT(ways)];
    for (size_t i = 0; i < COUNT(ways); i++)
        kernels[i] = object(tile(kernel(ways[i], c),
                                 (plan){ .tile = { { "m", 128 }, { "n", 256 }, { "k", 64 } }, .overlap = ways[i], .stages = 2 }));
    return compare(kernels, COUNT(ways), "h100-sxm5", NULL, NULL);
}

static kc_object *roofline101(void)
{
    kc_object *kernels[] = { object(gelu(4096.0 * 4096)), object(rmsnorm(4096, 4096)),
                             object(kernel("gemm", product(4096, 4096, 4096, NULL))) };
    return compare(kernels, 3, "a100-sxm4-40gb", "h100-sxm5", NULL);
}

static kc_object *ski_slope(void)
{
    const kc_size size[] = { { "m", 64 }, { "k", 64 }, { "n", 64 } };
    kc_value *c = mm(rd(tensor("A", "m k", "f16", size, 3)), rd(tensor("B", "k n", "f16", size, 3)), NULL);
    return keep(kc_ski_slope(object(wr("C", c, NULL))));
}

static kc_object *softmax_passes(void)
{
    static const struct { const char *name; int online; double j; } ways[] = {
        { "safe", 0, 4096 }, { "online", 1, 4096 }, { "one pass", 0, 1099511627776.0 }
    };
    const kc_size size[] = { { "i", 4096 }, { "j", 4096 } };
    kc_tensor *x = tensor("X", "i j", "f32", size, 2);
    kc_object *kernels[COUNT(ways)];
    for (size_t i = 0; i < COUNT(ways); i++) {
        kc_tensor *y = wr("Y", keep(kc_softmax(rd(x), "j", ways[i].online)), NULL);
        kernels[i] = resized(tile(kernel(ways[i].name, y), (plan){ .tile = { { "i", 1 }, { "j", ways[i].j } }, .threads = 512 }),
                             "j", 65536);
    }
    return compare(kernels, COUNT(ways), "a100-sxm4-40gb", "h100-sxm5", NULL);
}

static kc_space *gemm_tiles(const char *const *devices, size_t count, const double *sizes, size_t size_count)
{
    static const double powers[] = { 32, 64, 128, 256 }, stages[] = { 2, 3, 4 };
    static const char *const fields[] = { "time", "roof_time", "bound", "throughput", "smem", "occupancy", "waves" };
    kc_space *space = keep(kc_space_new(object(kernel("gemm", product(4096, 4096, 4096, NULL)))));
    assert_int_equal(kc_space_texts(space, "device", devices, count), KC_OK);
    axis(space, "stages", stages, 3);
    axis(space, "tile.m", powers, 4);
    axis(space, "tile.n", powers, 4);
    axis(space, "tile.k", powers, 2);
    axis(space, "size.m n", sizes, size_count);
    column(space, fields, COUNT(fields));
    return space;
}

static kc_object *tile_sweep_best(void)
{
    static const char *const devices[] = { "a100-sxm4-80gb", "h100-sxm5", "mi300x" };
    static const double sizes[] = { 1024, 4096, 16384 };
    kc_space *space = gemm_tiles(devices, 3, sizes, 3);
    assert_int_equal(kc_space_best_per(space, "device size", "time"), KC_OK);
    return keep(kc_space_sweep(space, 2, NULL, NULL));
}

static kc_object *tile_sweep_front(void)
{
    static const char *const devices[] = { "a100-sxm4-80gb" }, *const keys[] = { "time", "smem" };
    static const double size = 4096;
    kc_space *space = gemm_tiles(devices, 1, &size, 1);
    assert_int_equal(kc_space_pareto(space, keys, 2), KC_OK);
    return keep(kc_space_sweep(space, 2, NULL, NULL));
}

static kc_object *wave_quantization(void)
{
    kc_tensor *c = product(1792, 1792, 1792, NULL);
    plan whole = { .tile = { { "m", 256 }, { "n", 128 }, { "k", 32 } }, .warps = 8 }, half = whole, split = whole;
    half.tile[1].size = 64;
    split.split = (kc_size){ "k", 4 };
    kc_kernel *step = tile(kernel("tiles", c), whole);
    kc_object *ways[] = { resized(step, "m n k", 1792), resized(step, "m n k", 1793),
                          resized(tile(kernel("half as wide", c), half), "m n k", 1793),
                          resized(tile(kernel("split by 4", c), split), "m n k", 1793) };
    return compare(ways, 4, "a100-sxm4-80gb", NULL, "none");
}

/* ---- both ways ------------------------------------------------------------------------------------------------ */

static const both_row rows[] = {
    { "allreduce_overlap.lua", { NULL }, { allreduce_overlap } },
    { "backward.lua", { NULL }, { backward } },
    { "flashattn.lua", { NULL }, { flashattn } },
    { "flashattn_tiles.lua", { NULL }, { flashattn_tiles_best, flashattn_tiles_top } },
    { "gemm_levels.lua", { NULL }, { gemm_levels } },
    { "overlap.lua", { NULL }, { overlap } },
    { "roofline101.lua", { NULL }, { roofline101 } },
    { "ski_slope.lua", { "n=64", "rows=64", "head=16" }, { ski_slope } },
    { "softmax_passes.lua", { NULL }, { softmax_passes } },
    { "tile_sweep.lua", { NULL }, { tile_sweep_best, tile_sweep_front } },
    { "wave_quantization.lua", { NULL }, { wave_quantization } },
    /* What the stdlib builds, as for device_whatif.lua, which shows words only. */
    { "gemm.plain { m = 64, n = 8192, k = 8192 }", { NULL }, { stdlib_gemm } },
    { "gemm.plain { m = 256, n = 1024, k = 512, epilogue = 'gelu' }", { NULL }, { stdlib_epilogue } },
    { "norm.layer { m = 512, k = 4096 }", { NULL }, { stdlib_norm } },
    { "attention.standard { b = 2, h = 4, i = 512, d = 64 }", { NULL }, { stdlib_standard } },
    { "attention.fused { b = 16, h = 16, i = 2048, d = 128, causal = true }", { NULL }, { stdlib_fused } },
    { "attention.flash { h = 4, i = 1024, d = 64, causal = true, loops = 'fa1', tile = { i = 64, j = 128 } }", { NULL }, { stdlib_fa1 } },
};

TEST(every_kernel_of_a_script_costs_the_same_built_in_C)
{
    for (size_t row = 0; row < a_few_of(COUNT(rows)); row++)
        check_row(&rows[row]);
}

/* These are beside the kernels of the stdlib that they are made of: test_both_ways_stdlib.c. */
static const char *const elsewhere[] = { "decode_split.lua", "fuse_all.lua", "mla.lua", "norm_fusion.lua" };

static bool is_in_table(const char *script)
{
    bool there = false;
    for (size_t i = 0; i < COUNT(elsewhere); i++)
        there = there || strcmp(script, elsewhere[i]) == 0;
    for (size_t row = 0; row < COUNT(rows); row++)
        there = there || strcmp(script, rows[row].script) == 0;
    return there;
}

/* Some return words or plots only, made of what the stdlib builds: no object is in the JSON that tests/golden keeps. */
static bool returns_words(const char *script)
{
    char path[300], line[4096];
    bool words = true;
    snprintf(path, sizeof path, "tests/golden/%.*s.json", (int)strcspn(script, "."), script);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        for (const char *at = line; (at = strstr(at, "\"kind\":")) != NULL; at++)
            words = words && strncmp(at, "\"kind\":\"plot\"", 13) == 0;
    fclose(file);
    return words;
}

TEST(each_script_that_returns_figures_is_in_the_table)
{
    DIR *folder = opendir("scripts");
    size_t scripts = 0;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".lua") != 0)
            continue;
        bool built = is_in_table(entry->d_name) || returns_words(entry->d_name);
        if (!built)
            print_error("%s is built in Lua only\n", entry->d_name);
        assert_true(built);
        scripts++;
    }
    closedir(folder);
    assert_true(scripts > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_of_a_script_costs_the_same_built_in_C),
        cmocka_unit_test(each_script_that_returns_figures_is_in_the_table),
    };
    return run(tests);
}
