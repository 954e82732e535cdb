/* convention.c: the bundles that other tools and papers count by, and their switches by name.
 *
 * Values as published: shared conventions are what each source states or its
 * published figures recompute to; a switch on which a source is silent has the
 * design's value. */
#include "convention.h"

#include <math.h>
#include <string.h>

/* The design's own counts everything, once, exactly. */
#define OWN .softmax = -1, .norm = -1, .special = true, .vector = true, .integers = true, \
            .second_operands = true, .scales = true
/* Matmuls and convolutions only: everything beside them is free. */
#define MATMULS .softmax = 0, .norm = 0, .integers = true, .second_operands = true, .scales = true

static const kci_convention bundles[] = {
    { .name = "kcost", OWN },
    /* One switch each: what disputes are usually about. */
    { .name = "fma1", OWN, .multiply_add = KCI_FMA_1 },
    { .name = "sparse", OWN, .sparse = true },
    /* Counters of operators: matmul and convolution only, masks not seen. */
    { .name = "pytorch", MATMULS, .causal = KCI_CAUSAL_FULL, .padding = true },
    { .name = "fvcore", MATMULS, .multiply_add = KCI_FMA_1, .causal = KCI_CAUSAL_FULL, .padding = true },
    { .name = "ptflops", MATMULS, .multiply_add = KCI_FMA_1, .causal = KCI_CAUSAL_FULL, .padding = true },
    { .name = "thop", MATMULS, .multiply_add = KCI_FMA_1, .causal = KCI_CAUSAL_FULL, .padding = true },
    { .name = "solar", MATMULS, .multiply_add = KCI_FMA_1, .causal = KCI_CAUSAL_FULL },
    { .name = "tpu-v1", MATMULS, .multiply_add = KCI_FMA_1 },
    /* Transformer formulas: matmuls, attention as the full square. */
    { .name = "palm", MATMULS, .causal = KCI_CAUSAL_FULL },
    { .name = "nanogpt", MATMULS, .causal = KCI_CAUSAL_FULL },
    { .name = "megatron", MATMULS, .causal = KCI_CAUSAL_FULL },
    { .name = "maxtext", MATMULS, .causal = KCI_CAUSAL_HALF },
    { .name = "flash-attention", MATMULS, .causal = KCI_CAUSAL_HALF },
    { .name = "scaling-book", OWN, .multiply_add = KCI_FMA_2K_1 },
    /* Layer tables. */
    { .name = "llm-viewer", .softmax = 5, .norm = 7, .special = true, .vector = true, .integers = true,
      .scales = true, .causal = KCI_CAUSAL_FULL },
    { .name = "baseten", .softmax = 3, .norm = -1, .special = true, .vector = true, .integers = true,
      .second_operands = true, .scales = true, .causal = KCI_CAUSAL_FULL },
    { .name = "transformer-roofline-analyzer", .multiply_add = KCI_FMA_2K_1, .softmax = 0, .norm = 4,
      .special = true, .vector = true, .integers = true, .second_operands = true, .scales = true,
      .causal = KCI_CAUSAL_FULL },
    { .name = "nvidia-guide", OWN },
    { .name = "deepgemm", .softmax = 0, .norm = 0, .integers = true, .second_operands = true },
    /* Traffic: is a line read before it is written? */
    { .name = "kerncraft", OWN, .write_allocate = true },
    { .name = "williams", OWN, .write_allocate = true },
    { .name = "boehm", OWN, .write_allocate = true },
    { .name = "stream", OWN },
    { .name = "triton", OWN },
    { .name = "triton-2021", OWN, .broadcast = true },
    { .name = "fluidx3d", OWN },
};

enum { BUNDLES = sizeof bundles / sizeof *bundles };

kci_convention kci_convention_default(void)
{
    kci_convention own = bundles[0];
    own.name = NULL;
    return own;
}

const kci_convention *kci_convention_named(const char *name)
{
    for (size_t i = 0; i < BUNDLES; i++)
        if (strcmp(bundles[i].name, name) == 0)
            return &bundles[i];
    return NULL;
}

const char *kci_convention_nth(const void *unused, size_t i)
{
    (void)unused;
    return i < BUNDLES ? bundles[i].name : NULL;
}

/* ---- switches by name ----------------------------------------------------- */

static const char *const switch_names[] = {
    "multiply_add", "causal", "peak", "softmax", "norm", "special", "vector", "integers", "padding",
    "second_operands", "broadcast", "scales", "write_allocate", NULL
};

static const char *nth_switch(const void *unused, size_t i)
{
    (void)unused;
    return switch_names[i];
}

static bool *on_off(kci_convention *convention, const char *name)
{
    const struct {
        const char *name;
        bool *value;
    } switches[] = {
        { "special", &convention->special },
        { "vector", &convention->vector },
        { "integers", &convention->integers },
        { "padding", &convention->padding },
        { "second_operands", &convention->second_operands },
        { "broadcast", &convention->broadcast },
        { "scales", &convention->scales },
        { "write_allocate", &convention->write_allocate },
    };
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (strcmp(switches[i].name, name) == 0)
            return switches[i].value;
    return NULL;
}

/* The place of `text` in a list that ends with NULL, or -1. */
static int place_of(const char *text, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (text && strcmp(text, names[i]) == 0)
            return i;
    return -1;
}

static kc_status refused(kc_context *context, const char *name, double value, const char *text,
                         const char *allowed)
{
    char number[32];
    if (!text)
        kci_format_number(value, number);
    return kci_fail(context, KC_EARGUMENT, "convention: %s is %s, not '%s'", name, allowed,
                    text ? text : number);
}

kc_status kci_convention_set(kci_convention *convention, kc_context *context, const char *name,
                             double value, const char *text)
{
    static const char *const fma[] = { "2", "1", "2K-1", NULL };
    static const char *const causal[] = { "exact", "half", "full", NULL };
    static const char *const peaks[] = { "dense", "sparse", NULL };
    bool *flag = on_off(convention, name);
    if (flag) {
        if (text || (value != 0 && value != 1))
            return refused(context, name, value, text, "true or false");
        *flag = value != 0;
    } else if (strcmp(name, "multiply_add") == 0) {
        int place = place_of(text, fma);
        if (!text && value == 2)
            place = KCI_FMA_2;
        else if (!text && value == 1)
            place = KCI_FMA_1;
        else if (text && strcmp(text, "2k-1") == 0)
            place = KCI_FMA_2K_1;
        if (place < 0)
            return refused(context, name, value, text, "2, 1 or '2K-1'");
        convention->multiply_add = (kci_multiply_add)place;
    } else if (strcmp(name, "causal") == 0) {
        int place = place_of(text, causal);
        if (place < 0)
            return refused(context, name, value, text, "'exact', 'half' or 'full'");
        convention->causal = (kci_causal)place;
    } else if (strcmp(name, "peak") == 0) {
        int place = place_of(text, peaks);
        if (place < 0)
            return refused(context, name, value, text, "'dense' or 'sparse'");
        convention->sparse = place == 1;
    } else if (strcmp(name, "softmax") == 0 || strcmp(name, "norm") == 0) {
        if (text || !(value >= 0 && value < KCI_MAX_SIZE))
            return refused(context, name, value, text, "a number of FLOP per element");
        *(name[0] == 's' ? &convention->softmax : &convention->norm) = value;
    } else {
        const char *near = kci_nearest(context, name, nth_switch, NULL);
        return kci_fail(context, KC_EARGUMENT, "convention: there is no switch '%.80s'%s", name,
                        *near ? near : "; there are multiply_add, causal, peak, softmax, norm, special, vector, integers, "
                                       "padding, second_operands, broadcast, scales and write_allocate");
    }
    convention->name = NULL; /* it is that bundle no more */
    return KC_OK;
}

/* ---- the line ---------------------------------------------------------------- */

void kci_convention_line(const kci_convention *convention, kci_text *line)
{
    static const char *const fma[] = { "2 FLOP", "1 FLOP", "2 FLOP, 2K-1 for K terms" };
    static const char *const causal[] = { "exact", "half", "full" };
    if (convention->name && strcmp(convention->name, "kcost") != 0)
        kci_text_format(line, "as %s: ", convention->name);
    kci_text_format(line, "multiply-add = %s; ", fma[convention->multiply_add]);
    if (!convention->vector)
        kci_text_add(line, "matmuls only; ");
    if (convention->softmax > 0 || (convention->softmax == 0 && convention->vector)) {
        kci_text_add(line, "softmax ");
        kci_text_number(line, convention->softmax);
        kci_text_add(line, " FLOP an element; ");
    }
    if (convention->norm > 0 || (convention->norm == 0 && convention->vector)) {
        kci_text_add(line, "norm ");
        kci_text_number(line, convention->norm);
        kci_text_add(line, " FLOP an element; ");
    }
    if (convention->vector && !convention->special)
        kci_text_add(line, "special ops free; ");
    if (convention->vector && !convention->integers)
        kci_text_add(line, "integer ops free; ");
    if (convention->padding)
        kci_text_add(line, "padding counted; ");
    if (!convention->second_operands)
        kci_text_add(line, "second operands not moved; ");
    if (convention->broadcast)
        kci_text_add(line, "broadcast operands at full size; ");
    if (!convention->scales)
        kci_text_add(line, "scales not moved; ");
    if (convention->write_allocate)
        kci_text_add(line, "written lines read first; ");
    kci_text_format(line, "%s peaks; causal %s; GB = 10^9", convention->sparse ? "2:4-sparse" : "dense",
                    causal[convention->causal]);
}
