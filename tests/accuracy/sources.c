/* sources.c: the one table of how each source measured. Nothing else in here depends on the source. */
#include "sources.h"

#include <stdio.h>
#include <string.h>

#define MATMULS "matmul bmm grouped_matmul"

const setting settings[] = {
    { "aiconfigurator", "attention", NULL, "encoder", "graph", WARM, 3, false, false, 0, false, 0, false,
      "replays of one graph; layout, attention, output" },
    { "aiconfigurator", "attention", NULL, "fw=trtllm", "graph", WARM, 5, true, false, 0, false, 0, false,
      "replays of one graph; TensorRT-LLM's attention op" },
    { "aiconfigurator", "attention", NULL, "fw=vllm", "graph", WARM, 2, true, false, 0, false, 0, false,
      "replays of one graph; vLLM's attention op" },
    { "aiconfigurator", "attention_decode", NULL, "fw=trtllm", "graph", WARM, 3, true, false, 32, false, 0, false,
      "replays of one graph" },
    { "aiconfigurator", "attention_decode", NULL, NULL, "graph", WARM, 4, true, false, 0, false, 0, false, "replays of one graph" },
    { "aiconfigurator", MATMULS, NULL, "fw=trtllm-1.0", "stream", PRODUCED, 2, false, AS_STATED, 0, false, 0, false,
      "a layer of a TensorRT engine, and an event of its profiler; others before it" },
    { "aiconfigurator", MATMULS, NULL, NULL, "graph", ROTATED, 1, false, QUANTISING, 0, false, 0, false,
      "replays of one graph; copies of the weights take turns" },
    { "aiconfigurator", "*", NULL, NULL, "graph", WARM, 1, false, false, 0, false, 0, false, "replays of one graph" },
    { "vidur", "attention", "A100-SXM4-80GB", NULL, "none", PRODUCED, 6, false, false, 0, true, 0, false,
      "sum of the profiler's kernels; an old FlashAttention computes masked tiles" },
    { "vidur", "attention attention_decode", NULL, NULL, "none", PRODUCED, 4, false, false, 0, false, 0, false,
      "sum of the profiler's kernels" },
    { "vidur", "add", NULL, NULL, "none", PRODUCED, 1, false, false, 0, false, 0, false, "the profiler's kernel, within a layer" },
    { "vidur", "add3", NULL, NULL, "none", PRODUCED, 1, false, false, 0, false, 0, false, "two add kernels" },
    { "vidur", "rmsnorm silu_mul rope gelu", NULL, NULL, "none", PRODUCED, 1, false, false, 0, false, 2, false,
      "the profiler's kernel; vLLM's own, 2 bytes an access" },
    { "vidur", "layernorm", NULL, NULL, "none", PRODUCED, 1, false, false, 0, false, 0, true,
      "the profiler's kernel, within a layer" },
    { "vidur", "*", NULL, NULL, "none", PRODUCED, 1, false, false, 0, false, 0, false, "the profiler's kernel, within a layer" },
    { "neusight", "layernorm", NULL, NULL, "eager", WARM, 1, false, false, 0, false, 0, true,
      "a PyTorch call between two events" },
    { "neusight", "*", NULL, NULL, "eager", WARM, 1, false, false, 0, false, 0, false, "a PyTorch call between two events" },
    { "kernelbench", "*", NULL, NULL, "eager", WARM, 1, false, false, 0, false, 0, false, "a PyTorch call" },
    { "liger", "layernorm groupnorm", NULL, "provider=huggingface", "stream", COLD, 2, false, false, 0, false, 0, true,
      "do_bench flushes the L2, then times a queued call and its events" },
    { "liger", "*", NULL, NULL, "stream", COLD, 2, false, false, 0, false, 0, false,
      "do_bench flushes the L2, then times a queued call and its events" },
    { "aiter", "*", NULL, NULL, "none", COLD, 1, false, AS_STATED, 0, false, 0, false, "profiler; tensors rotated past the cache" },
    { "deepbench", "*", NULL, NULL, "stream", WARM, 1, false, IN_WORDS, 0, false, 0, false, "calls in a loop" },
    { "gpu_benches", "*", NULL, "mode=graph", "graph", WARM, 1, false, false, 0, false, 0, false, "back to back in one graph" },
    { "gpu_benches", "*", NULL, NULL, "stream", WARM, 1, false, false, 0, false, 0, false, "back to back" },
    { "flash_attention_threads", "*", NULL, NULL, "stream", COLD, 1, false, false, 0, false, 0, false, "as posted" },
};
const unsigned setting_count = sizeof settings / sizeof settings[0];

static const setting any = { "any other", "*", NULL, NULL, "stream", WARM, 1, false, false, 0, false, 0, false, "calls in a loop" };

const setting *setting_of(const row *r)
{
    for (unsigned i = 0; i < setting_count; i++) {
        const setting *s = &settings[i];
        if (strcmp(s->source, r->source) == 0 && listed(s->ops, r->op) &&
            (!s->device || strcmp(s->device, r->device) == 0) && (!s->note || strstr(r->notes, s->note)))
            return s;
    }
    return &any;
}

static const family families[] = {
    { "aiconfigurator", "w8a16 w4a16", 0, { { 16, 128 }, { 32, 128 }, { 64, 128 }, { 128, 128 }, { 128, 256 } }, 64, { 2, 3, 4 }, false,
      "CUTLASS fpA_intB, weights made wide in registers" },
    { "aiconfigurator", "int8", 4, { { 64, 64 }, { 64, 128 }, { 128, 64 }, { 128, 128 }, { 128, 256 }, { 256, 128 } }, 64, { 3, 4 }, false,
      "CUTLASS, smooth quantisation" },
    { "aiconfigurator", "fp8_block", 0, { { 64, 16 }, { 64, 32 }, { 64, 64 }, { 64, 128 }, { 128, 64 }, { 128, 128 }, { 128, 256 } }, 128, { 4, 6 }, true,
      "DeepGEMM" },
    { "aiconfigurator", "nvfp4", 0, { { 128, 256 } }, 256, { 3, 4 }, true, "CUTLASS, the one that nobody tuned" },
};

const family *family_of(const row *r)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i].source, r->source) == 0 && listed(families[i].dtypes, r->dtype) &&
            shape_number(r->shape, "m", 0) > families[i].above)
            return &families[i];
    return NULL;
}

static void print_family(const family *f)
{
    printf("%-24s %-18s", f->source, f->dtypes);
    if (f->above > 0)
        printf(" m > %.0f,", f->above);
    printf(" k %.0f", f->k);
    for (size_t i = 0; i < sizeof f->tiles / sizeof f->tiles[0] && f->tiles[i].m > 0; i++)
        printf(" %.0fx%.0f", f->tiles[i].m, f->tiles[i].n);
    printf("  %s\n", f->why);
}

static void print_one(const setting *s)
{
    static const char *const caches[] = { "cold", "warm", "rotated", "produced" };
    char what[80] = "";
    size_t used = 0;
    if (s->rope)
        used += (size_t)snprintf(what + used, sizeof what - used, " +rotate,append");
    static const char *const matmuls[] = { "", " +quantise", " int8 in words of four (dp4a)" };
    used += (size_t)snprintf(what + used, sizeof what - used, "%s", matmuls[s->matmul]);
    if (s->packs > 0)
        used += (size_t)snprintf(what + used, sizeof what - used, " packs %.0f heads or none", s->packs);
    if (s->all_tiles)
        used += (size_t)snprintf(what + used, sizeof what - used, " all tiles");
    if (s->torch)
        used += (size_t)snprintf(what + used, sizeof what - used, " PyTorch's norm: 4 warps a row, read twice");
    if (s->access > 0)
        snprintf(what + used, sizeof what - used, " %.0f B accesses, one at a time", s->access);
    printf("%-24s %-27s %-10s %-7s %-9s %7.0f  %s%s%s\n", s->source, s->ops, s->note ? s->note : s->device ? s->device : "",
           s->launch, caches[s->cache], s->kernels, s->why, *what ? ";" : "", what);
}

void settings_print(void)
{
    printf("How each source measured, as predicted here:\n\n%-24s %-27s %-10s %-7s %-9s %7s  %s\n", "source", "ops",
           "where", "launch", "cache", "kernels", "what is timed");
    for (unsigned i = 0; i < setting_count; i++)
        print_one(&settings[i]);
    print_one(&any);
    puts("\ncache: cold; warm: everything, as far as it fits; rotated: activations and output warm, weights only if"
         "\ntheir copies fit, as many as fill L2, at most five; produced: activations warm, weights and keys and values cold."
         "\n\nMatmuls whose k is not split, with the tiles that there are; all others run on what best finds:\n");
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        print_family(&families[i]);
    puts("");
}
