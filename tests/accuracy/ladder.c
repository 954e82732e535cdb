/* ladder.c: the one table of hand-written matmul schedules: what each variant's public source does. */
#include "ladder.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A warp without shared memory shares nothing with its block: it stands as a CTA of its own, its lanes along m or n.
 * Where one operand is loaded 16 bytes at a time and the other 4, `vector` is 8, which makes as many accesses or a
 * few less. */
static const rung rungs[] = {
    { "sgemm_cuda", "naive", 32, 1, 8, 1, 4, 1, "none", true, false, "32 x 32 threads; lanes along rows of A" },
    { "sgemm_cuda", "coalesc", 1, 32, 8, 1, 4, 1, "none", true, false, "32 x 32 threads; lanes along columns of B" },
    { "sgemm_cuda", "smem", 32, 32, 32, 32, 4, 1, "none", false, false, "a point a thread" },
    { "sgemm_cuda", "1d", 64, 64, 8, 16, 4, 1, "none", false, false, "8 points a thread" },
    { "sgemm_cuda", "2d", 128, 128, 8, 8, 4, 1, "none", false, false, "8 x 8 points a thread" },
    { "sgemm_cuda", "vector", 128, 128, 8, 8, 16, 1, "none", false, false, "the same; A transposed, float4" },
    { "sgemm_cuda", "bank linear", 128, 128, 8, 8, 8, 1, "none", false, false, "the same; B rearranged, read 4 bytes at a time" },
    { "sgemm_cuda", "bank offset", 128, 128, 8, 8, 8, 1, "none", false, false, "the same; rows of B padded, read 4 bytes at a time" },
    { "sgemm_cuda", "autotun", 128, 128, 16, 8, 16, 1, "none", false, false, "as tuned for the A6000" },
    { "sgemm_cuda", "warptil", 128, 128, 16, 4, 16, 1, "none", false, false, "as tuned for the A6000" },
    { "sgemm_cuda", "double", 128, 128, 16, 8, 16, 2, "load", false, false, "half of the threads load, half multiply" },
    { "sgemm_cuda", "cublas", .why = "a library" },
    { "leetcuda_sgemm", "t8x8sk", 128, 128, 8, 8, 8, 1, "none", false, false, "8 x 8 points a thread; A read 4 bytes at a time" },
    { "leetcuda_sgemm", "t8x8bcf", 128, 128, 8, 8, 16, 1, "none", false, false, "the same; A transposed" },
    { "leetcuda_sgemm", "t8x8dbuf", 128, 128, 8, 8, 16, 2, "load", false, false, "the same; two buffers" },
    { "leetcuda_sgemm", "stage2 swizzle", 128, 128, 8, 8, 16, 2, "load", false, true, "wmma 16 x 16 x 8, cp.async" },
    { "leetcuda_sgemm", "stage3 swizzle", 128, 128, 8, 8, 16, 3, "load", false, true, "wmma 16 x 16 x 8, cp.async" },
    { "leetcuda_sgemm", "stage2", 128, 128, 8, 8, 16, 2, "load", false, false, "wmma 16 x 16 x 8, cp.async" },
    { "leetcuda_sgemm", "stage3", 128, 128, 8, 8, 16, 3, "load", false, false, "wmma 16 x 16 x 8, cp.async" },
    { "leetcuda_sgemm", "cublas", .why = "a library" },
    { "leetcuda_sgemm", "_th", .why = "a library" },
};

/* Is every word of `words` somewhere in the text, whatever its case? */
static bool has_words(const char *text, const char *words)
{
    char lower[128], list[64];
    size_t length = 0;
    for (; text[length] && length < sizeof lower - 1; length++)
        lower[length] = (char)tolower((unsigned char)text[length]);
    lower[length] = '\0';
    snprintf(list, sizeof list, "%s", words);
    for (char *word = strtok(list, " "); word; word = strtok(NULL, " "))
        if (!strstr(lower, word))
            return false;
    return true;
}

const rung *rung_of(const row *r)
{
    const char *variant = strstr(r->shape, ";variant=");
    for (size_t i = 0; variant && i < sizeof rungs / sizeof rungs[0]; i++)
        if (strcmp(rungs[i].source, r->source) == 0 && has_words(variant + strlen(";variant="), rungs[i].words))
            return &rungs[i];
    return NULL;
}
