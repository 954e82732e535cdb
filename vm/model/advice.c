/* advice.c: what would make a kernel faster, and by how much: its schedule changed in one place, evaluated again. */
#include "advice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "schedule.h"

typedef enum change { FUSION, TILE, STAGES, SPLIT, RASTER, CLUSTER, WARPS, ACCESS, PERSISTENT, WAVE, LAUNCH, CHANGES } change;

/* One kernel's changes; the best of each kind. */
typedef struct trial {
    const kc_result *r;             /* of the kernel */
    kc_kernel *kernel;
    double base;                    /* its time now, evaluated alone */
    double whole, part;             /* time of everything, and its own part of it */
    const char *of;                 /* " in S" of a program; "" */
    kci_advice best[CHANGES];
    kc_status status;
} trial;

/* `time`: of the changed kernel alone, once. */
static void offer(trial *t, change kind, double time, const char *what)
{
    kci_advice *best = &t->best[kind];
    double whole = t->whole - t->part * (1 - time / t->base);
    if (best->what[0] && best->time <= whole)
        return;
    best->time = whole;
    best->schedule = kind != FUSION && kind != WAVE && kind != LAUNCH;
    snprintf(best->what, sizeof best->what, "%s%s", what, t->of);
}

/* Evaluates a changed kernel; what does not run there is no advice.  NULL: no result. */
static kc_result *evaluated(trial *t, kc_object *changed)
{
    kc_context *context = t->r->base.context;
    kc_result *r = changed ? kci_ask(changed, t->r->of, t->r->options, "explain") : NULL;
    if (!r && kc_context_status(context) == KC_ENOMEM)
        t->status = KC_ENOMEM;
    return r;
}

/* "tile n = 192 instead of 128 (1 wave instead of 2)" */
static void offer_schedule(trial *t, change kind, const kc_result *r, const char *what)
{
    char words[KCI_ADVICE_BYTES];
    double waves = r->field[KC_WAVES], now = t->r->field[KC_WAVES];
    if (r->field[KC_TIME] >= t->base)
        return;
    snprintf(words, sizeof words, "%.300s", what);
    if (waves < now)
        snprintf(words, sizeof words, "%.300s (%.0f wave%s instead of %.0f)", what, waves, waves == 1 ? "" : "s", now);
    offer(t, kind, r->field[KC_TIME], words);
}

/* Takes the schedule. */
static void try_schedule(trial *t, change kind, kc_schedule *schedule, kc_status made, const char *what)
{
    if (!schedule || made == KC_ENOMEM)
        t->status = KC_ENOMEM;
    kc_kernel *changed = t->status == KC_OK && made == KC_OK ? kc_tile((kc_object *)(void *)t->kernel, schedule) : NULL;
    if (t->status == KC_OK && made == KC_OK) {
        kc_result *r = evaluated(t, (kc_object *)(void *)changed);
        if (r)
            offer_schedule(t, kind, r, what);
        kc_release(r);
    }
    kc_release(changed);
    kc_release(schedule);
}

static kc_schedule *copy(const trial *t)
{
    return t->status == KC_OK ? kci_schedule_copy(t->kernel->schedule) : NULL;
}

static const char *loop_name(const trial *t, int loop)
{
    return kci_name(t->r->base.context, t->kernel->graph.loops[loop].name);
}

static double loop_size(const trial *t, int loop)
{
    return t->kernel->graph.loops[loop].size;
}

static double trips(const trial *t, int loop)
{
    return ceil(loop_size(t, loop) / t->kernel->tiling->tile[loop]);
}

/* ---- the changes ----------------------------------------------------------------------------- */

/* Tiles a half, three quarters, one and a half, twice as large; of steps of 16 from there on. */
static void try_tiles(trial *t)
{
    static const double factors[] = { 0.5, 0.75, 1.5, 2 };
    for (int loop = 0; loop < (int)t->kernel->graph.loop_count; loop++) {
        double now = fmin(t->kernel->tiling->tile[loop], loop_size(t, loop));
        for (size_t f = 0; f < sizeof factors / sizeof *factors && t->status == KC_OK; f++) {
            double tile = now * factors[f];
            bool even = tile >= 16 ? fmod(tile, 16) == 0 : floor(tile) == tile;
            if (!even || tile < 1 || (tile > now && now >= loop_size(t, loop)))
                continue;
            char what[KCI_ADVICE_BYTES];
            snprintf(what, sizeof what, "tile %.80s = %.0f instead of %.0f", loop_name(t, loop), tile, now);
            kc_schedule *s = copy(t);
            try_schedule(t, TILE, s, s ? kc_schedule_tile(s, loop_name(t, loop), tile) : KC_ENOMEM, what);
        }
    }
}

/* With one buffer nothing loads beside compute, so fewer than two are no advice. */
static void try_stages(trial *t)
{
    double now = t->kernel->tiling->stages;
    for (double stages = fmax(2, now - 1); stages <= now + 3 && t->status == KC_OK; stages++) {
        char what[KCI_ADVICE_BYTES];
        if (stages == now)
            continue;
        snprintf(what, sizeof what, "stages = %.0f instead of %.0f", stages, now);
        kc_schedule *s = copy(t);
        try_schedule(t, STAGES, s, s ? kc_schedule_stages(s, NULL, stages) : KC_ENOMEM, what);
    }
}

/* Loops that are walked in the CTA: those that nothing reduces are refused by the schedule. */
static void try_splits(trial *t)
{
    static const double ways[] = { 2, 4, 8, 16, 0 };
    for (int loop = 0; loop < (int)t->kernel->graph.loop_count; loop++) {
        if ((t->kernel->tiling->grid >> loop & 1) || trips(t, loop) < 2 || t->kernel->tiling->split[loop] != 1)
            continue;
        for (size_t w = 0; w < sizeof ways / sizeof *ways && t->status == KC_OK; w++) {
            char what[KCI_ADVICE_BYTES], way[24] = "\"stream\"";
            if (ways[w] > trips(t, loop))
                continue;
            if (ways[w] > 0)
                snprintf(way, sizeof way, "%.0f", ways[w]);
            snprintf(what, sizeof what, "split %.80s = %s", loop_name(t, loop), way);
            kc_schedule *s = copy(t);
            try_schedule(t, SPLIT, s, s ? kc_schedule_split(s, loop_name(t, loop), ways[w]) : KC_ENOMEM, what);
        }
    }
}

/* The grid's last two dims with more than one trip, walked in groups either way. */
static void try_rasters(trial *t)
{
    const kci_tiling *tiling = t->kernel->tiling;
    int pair[2] = { -1, -1 };
    for (int i = tiling->grid_count - 1; i >= 0 && pair[0] < 0; i--)
        if (trips(t, tiling->grid_order[i]) > 1)
            pair[pair[1] < 0] = tiling->grid_order[i];
    if (pair[0] < 0 || pair[1] < 0 || t->status != KC_OK)
        return;
    for (int turned = 0; turned < 2; turned++)
        for (double group = 2; group <= 32 && t->status == KC_OK; group *= 2) {
            char what[KCI_ADVICE_BYTES], dims[200];
            snprintf(dims, sizeof dims, "%.90s %.90s", loop_name(t, pair[turned]), loop_name(t, pair[!turned]));
            snprintf(what, sizeof what, "raster \"%s\" in groups of %.0f", dims, group);
            kc_schedule *s = copy(t);
            try_schedule(t, RASTER, s, s ? kc_schedule_raster(s, dims, group) : KC_ENOMEM, what);
        }
}

static void try_clusters(trial *t)
{
    for (int loop = 0; loop < (int)t->kernel->graph.loop_count && t->status == KC_OK; loop++) {
        char what[KCI_ADVICE_BYTES];
        if (!(t->kernel->tiling->grid >> loop & 1) || trips(t, loop) < 2 || t->kernel->tiling->cluster[loop] > 1)
            continue;
        snprintf(what, sizeof what, "a cluster of 2 CTAs along %.80s", loop_name(t, loop));
        kc_schedule *s = copy(t);
        try_schedule(t, CLUSTER, s, s ? kc_schedule_cluster(s, loop_name(t, loop), 2) : KC_ENOMEM, what);
    }
}

static void try_warps(trial *t)
{
    for (double warps = 4; warps <= 16 && t->status == KC_OK; warps *= 2) {
        char what[KCI_ADVICE_BYTES];
        snprintf(what, sizeof what, "warps = %.0f", warps);
        kc_schedule *s = copy(t);
        try_schedule(t, WARPS, s, s ? kc_schedule_warps(s, warps) : KC_ENOMEM, what);
    }
}

/* Of row and elementwise kernels: the width of an access, and the threads. */
static void try_accesses(trial *t)
{
    for (double bytes = 2 * t->kernel->tiling->vector; bytes > 0 && bytes <= 16 && t->status == KC_OK; bytes *= 2) {
        char what[KCI_ADVICE_BYTES];
        snprintf(what, sizeof what, "accesses of %.0f bytes instead of %.0f", bytes, t->kernel->tiling->vector);
        kc_schedule *s = copy(t);
        try_schedule(t, ACCESS, s, s ? kc_schedule_vector(s, bytes) : KC_ENOMEM, what);
    }
    for (double threads = 64; threads <= 1024 && t->status == KC_OK; threads *= 2) {
        char what[KCI_ADVICE_BYTES];
        snprintf(what, sizeof what, "threads = %.0f", threads);
        kc_schedule *s = copy(t);
        try_schedule(t, WARPS, s, s ? kc_schedule_threads(s, threads) : KC_ENOMEM, what);
    }
}

static void try_persistent(trial *t)
{
    if (t->kernel->tiling->persistent || t->status != KC_OK)
        return;
    kc_schedule *s = copy(t);
    try_schedule(t, PERSISTENT, s, s ? kc_schedule_persistent(s, 1) : KC_ENOMEM, "persistent CTAs");
}

/* A dim that ends in part of a tile, cut to whole ones: does a wave fall away?  Worth saying where
 * the dim shrinks by at most a tenth. */
static void try_waves(trial *t)
{
    for (int loop = 0; loop < (int)t->kernel->graph.loop_count && t->status == KC_OK; loop++) {
        double size = loop_size(t, loop), tile = t->kernel->tiling->tile[loop], cut = floor(size / tile) * tile;
        if (!(t->kernel->tiling->grid >> loop & 1) || cut == size || cut < 0.9 * size)
            continue;
        const kc_size smaller = { loop_name(t, loop), cut };
        kc_object *changed = kc_resized((kc_object *)(void *)t->kernel, &smaller, 1);
        if (!changed && kc_context_status(t->r->base.context) == KC_ENOMEM)
            t->status = KC_ENOMEM;
        kc_result *r = changed ? evaluated(t, changed) : NULL;
        double fewer = r ? t->r->field[KC_WAVES] - r->field[KC_WAVES] : 0;
        if (fewer >= 1 && r->field[KC_TIME] < t->base) {
            char what[KCI_ADVICE_BYTES];
            snprintf(what, sizeof what, "%.0f wave%s less, by %.80s = %.0f instead of %.0f, whole tiles", fewer,
                     fewer == 1 ? "" : "s", smaller.dim, cut, size);
            offer(t, WAVE, r->field[KC_TIME], what);
        }
        kc_release(r);
        kc_release(changed);
    }
}

/* ---- one kernel, and everything ----------------------------------------------------------------- */

static bool has_matmul(const kci_graph *graph)
{
    for (size_t n = 0; n < graph->node_count; n++)
        if (graph->nodes[n].kind == KCI_OP && graph->nodes[n].unit == KCI_MATRIX)
            return true;
    return false;
}

static void try_kernel(trial *t)
{
    if (t->kernel->member_count > 0 || !t->kernel->tiling)
        return;
    kc_result *alone = evaluated(t, (kc_object *)(void *)t->kernel);
    t->base = alone ? alone->field[KC_TIME] : 0;
    kc_release(alone);
    if (!(t->base > 0))
        return;
    try_tiles(t);
    try_stages(t);
    try_splits(t);
    try_waves(t);
    if (!has_matmul(&t->kernel->graph)) {
        try_accesses(t);
        return;
    }
    try_rasters(t);
    try_clusters(t);
    try_warps(t);
    try_persistent(t);
}

/* The same from a graph, where a launch costs its gap. */
static kc_status try_graph(const kc_result *r, kci_advice *best)
{
    kci_regime now = r->options ? r->options->regime : KCI_STREAM;
    if (now != KCI_STREAM && now != KCI_EAGER)
        return KC_OK;
    kc_options *options = r->options ? kci_options_copy(r->options) : kc_options_new(r->base.context);
    if (!options)
        return KC_ENOMEM;
    options->regime = KCI_GRAPH;
    options->measured = 0;
    kc_result *again = kci_ask(r->x, r->of, options, "explain");
    kc_status status = again ? KC_OK : kc_context_status(r->base.context);
    if (again) {
        best->time = again->field[KC_TIME];
        snprintf(best->what, sizeof best->what, "launched from a graph");
    }
    kc_release(again);
    kc_release(options);
    return status;
}

static bool alike(const kc_result *a, const kc_result *b)
{
    bool untiled = !a->schedule_json || !b->schedule_json;
    return a->field[KC_TIME] == b->field[KC_TIME] && a->field[KC_BYTES] == b->field[KC_BYTES] &&
           a->field[KC_FLOPS] == b->field[KC_FLOPS] &&
           (untiled ? a->schedule_json == b->schedule_json : strcmp(a->schedule_json, b->schedule_json) == 0);
}

enum { MOST_COMPARED = 512 };

/* The kernels of a program that are alike, and take longest together: the first of them; NULL: it has none. */
static const kc_result *longest(const kc_result *program, size_t *count)
{
    const kc_result *best = NULL;
    size_t compared = program->kernel_count < MOST_COMPARED ? program->kernel_count : MOST_COMPARED;
    *count = 1;
    for (size_t i = 0; i < compared; i++) {
        const kc_result *first = program->kernels[i];
        size_t same = 0;
        for (size_t j = 0; j < program->kernel_count; j++)
            same += alike(first, program->kernels[j]);
        if (best && (double)same * first->field[KC_TIME] <= (double)*count * best->field[KC_TIME])
            continue;
        best = first;
        *count = same;
    }
    return best;
}

static void insert(kci_advice *list, size_t *count, const kci_advice *advice, double now)
{
    if (!advice->what[0] || advice->time > now * 0.99 || *count == KCI_ADVICES)
        return;
    size_t at = (*count)++;
    for (; at > 0 && list[at - 1].time > advice->time; at--)
        list[at] = list[at - 1];
    list[at] = *advice;
}

kc_status kci_advise(const kc_result *r, kci_advice *list, size_t *count)
{
    char of[160] = "";
    size_t same;
    trial t = { .r = r, .of = of, .whole = r->field[KC_TIME], .status = KC_OK };
    *count = 0;
    if (!r->of || !r->x)
        return KC_OK;
    if (r->x->kind == KC_PROGRAM && kci_program_overlaps((const kc_program *)(const void *)r->x)) {
        t.status = try_graph(r, &t.best[LAUNCH]); /* what a kernel saves there is not what the program saves */
        insert(list, count, &t.best[LAUNCH], r->field[KC_TIME]);
        return t.status;
    }
    const kc_result *slowest = longest(r, &same);
    if (slowest) {
        t.r = slowest;
        snprintf(of, sizeof of, " in %.80s", t.r->name);
        if (same > 1)
            snprintf(of, sizeof of, " in %.80s and the %zu like it", t.r->name, same - 1);
        if (!r->is_fused) /* else what pays is fused, and why the rest is not is known */
            t.status = kci_advise_fusion(r, &t.best[FUSION]);
    }
    t.kernel = (kc_kernel *)(void *)t.r->x;
    t.part = (double)same * t.r->field[KC_TIME];
    if (t.status == KC_OK)
        t.status = try_graph(r, &t.best[LAUNCH]);
    try_kernel(&t);
    for (int kind = 0; kind < CHANGES; kind++)
        insert(list, count, &t.best[kind], r->field[KC_TIME]);
    return t.status;
}
