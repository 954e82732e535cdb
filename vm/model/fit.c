/* fit.c: what does not fit a core, by how much, and the largest stages or tile that would. */
#include "fit.h"

#include <math.h>
#include <string.h>

/* ---- shared memory at other stages and tiles ------------------------------------------ */

/* Positions that a box of these tiles covers along one axis, clipped to the tensor. */
static double extent(const kci_graph *graph, const kci_axis *axis, const double *sizes, const double *tiles)
{
    double span = 1, rows = 1;
    for (uint32_t i = 0; i < axis->terms; i++) {
        const kci_loop_term *term = &graph->terms[axis->term + i];
        double tile = fmin(tiles[term->loop], sizes[term->loop]);
        double size_of = term->size_of >= 0 ? sizes[term->size_of] : 1;
        span += fabs(term->coefficient * size_of) * (tile - 1);
        rows *= tile;
    }
    return fmin(axis->gather ? rows : span, kci_axis_size(graph, axis, sizes));
}

/* The first one of the tensor of a stream; looked for from the one of the stream before: both stand in order of reads. */
static const kci_node *read_of(const kci_graph *graph, int32_t tensor, size_t *from)
{
    for (size_t n = 0; n < graph->node_count; n++) {
        size_t i = (*from + n) % graph->node_count;
        if (graph->nodes[i].kind == KCI_READ && graph->nodes[i].tensor == tensor) {
            *from = i;
            return &graph->nodes[i];
        }
    }
    return NULL;
}

static double box(const kci_graph *graph, const kci_node *read, const double *sizes, const double *tiles)
{
    double elements = 1;
    for (uint32_t i = 0; i < read->axes; i++)
        elements *= extent(graph, &graph->axes[graph->axis_ids[read->axis + i]], sizes, tiles);
    return elements;
}

enum { NEAR = 64 };             /* streams looked back at */

/* Streams of one tensor in several passes are one buffer. */
static bool is_first(const kci_counts *counts, size_t stream)
{
    for (size_t i = stream > NEAR ? stream - NEAR : 0; i < stream; i++)
        if (counts->streams[i].tensor == counts->streams[stream].tensor &&
            counts->streams[i].tile_bytes == counts->streams[stream].tile_bytes)
            return false;
    return true;
}

static double stages_of(const kci_tiling *tiling, const kci_stream *stream)
{
    if (!stream->streamed || stream->held)
        return 1;
    double own = tiling->tensor_stages ? tiling->tensor_stages[stream->tensor] : 0;
    return fmax(1, own > 0 ? own : tiling->stages);
}

double kci_fit_smem(const kci_misfit *misfit, double stages, const double *tiles)
{
    const kci_counts *counts = misfit->counts;
    double bytes = counts->smem;
    size_t from = 0;
    for (size_t i = 0; i < counts->stream_count; i++) {
        const kci_stream *s = &counts->streams[i];
        const kci_node *read = read_of(misfit->graph, s->tensor, &from);
        if (s->in_registers || !is_first(counts, i) || !read)
            continue;
        double now = stages_of(misfit->tiling, s);
        double scale = tiles ? box(misfit->graph, read, misfit->sizes, tiles) /
                                   box(misfit->graph, read, misfit->sizes, misfit->tiling->tile)
                             : 1;
        bytes += s->tile_bytes * (fmin(now, stages) * scale - now);
    }
    return bytes;
}

/* ---- sentences --------------------------------------------------------------------------- */

static double smem_limit(const kci_figures *f)
{
    double most = fmax(0, f->smem.per_core - f->smem.reserved);
    return isnan(f->smem.per_cta) ? most : fmin(most, f->smem.per_cta);
}

static double most_stages(const kci_misfit *m)
{
    double most = 1;
    for (size_t i = 0; i < m->counts->stream_count; i++)
        most = fmax(most, stages_of(m->tiling, &m->counts->streams[i]));
    return most;
}

typedef struct smaller {        /* one tile made smaller */
    int loop;                   /* -1: none would do */
    double tile, bytes;
} smaller;

/* The power of two that leaves the largest part of some loop's tile, such that
 * everything fits with this many stages. */
static smaller smaller_tile(const kci_misfit *m, double stages, double limit)
{
    smaller best = { -1, 0, 0 };
    double best_part = 0, tiles[KCI_MAX_LOOPS];
    for (size_t l = 0; l < m->graph->loop_count; l++)
        tiles[l] = fmin(m->tiling->tile[l], m->sizes[l]);
    for (size_t l = 0; l < m->graph->loop_count; l++) {
        double whole = tiles[l], tile = 1;
        while (tile * 2 < whole)
            tile *= 2;
        for (; tile >= 1 && tile < whole && tile / whole > best_part; tile = floor(tile / 2)) {
            if (kci_spend(m->graph->context, "fit", m->graph->node_count + NEAR * m->counts->stream_count) != KC_OK)
                return best;
            tiles[l] = tile;
            double bytes = kci_fit_smem(m, stages, tiles);
            if (bytes > limit)
                continue;
            best = (smaller){ (int)l, tile, bytes };
            best_part = tile / whole;
            break;
        }
        tiles[l] = whole;
    }
    return best;
}

/* The most stages below `too_many` with which it fits, for fewer take no more; 0: not even one. */
static double fitting_stages(const kci_misfit *m, double too_many, double limit)
{
    double fits = 0;
    while (too_many - fits > 1) {
        double middle = floor(fits + (too_many - fits) / 2);
        if (kci_fit_smem(m, middle, NULL) > limit)
            too_many = middle;
        else
            fits = middle;
    }
    return fits;
}

/* "; stages = 3 fits (147456 bytes)", "; i = 64 fits with stages = 1 (… bytes)", or what the
 * reads may take in all. */
static void smem_remedy(const kci_misfit *m, kci_text *text, double limit)
{
    double now = most_stages(m), fits = fitting_stages(m, now, limit);
    if (fits > 0) {
        kci_text_add(text, "; with stages = ");
        kci_text_number(text, fits);
        kci_text_add(text, " it takes ");
        kci_text_number(text, rint(kci_fit_smem(m, fits, NULL)));
        kci_text_add(text, " and fits");
        return;
    }
    double stages = fmin(now, 2); /* fewer would not overlap loads */
    smaller s = smaller_tile(m, stages, limit);
    if (s.loop < 0)
        s = smaller_tile(m, stages = 1, limit);
    if (s.loop < 0) {
        kci_text_add(text, "; no single smaller tile fits: the tiles of its reads must shrink to ");
        kci_text_number(text, limit);
        kci_text_add(text, " bytes together");
        return;
    }
    kci_text_format(text, "; with tile %s = ", kci_name(m->graph->context, m->graph->loops[s.loop].name));
    kci_text_number(text, s.tile);
    if (stages != now) {
        kci_text_add(text, " and stages = ");
        kci_text_number(text, stages);
    }
    kci_text_add(text, " it takes ");
    kci_text_number(text, rint(s.bytes));
    kci_text_add(text, " and fits");
}

/* "shared memory: a CTA takes 196608 bytes, h100 has 232448: 100 too many" */
static void too_much(const kci_misfit *m, kci_text *text, const char *what, double takes, const char *unit, double has)
{
    kci_text_format(text, "%s: a CTA takes ", what);
    kci_text_number(text, takes);
    kci_text_format(text, " %s, %s has ", unit, kci_device_name(m->device));
    kci_text_number(text, has);
    kci_text_add(text, ": ");
    kci_text_number(text, takes - has);
    kci_text_add(text, " too many");
}

static void say_smem(const kci_misfit *m, kci_text *text)
{
    double limit = smem_limit(&m->device->full);
    too_much(m, text, "shared memory", m->cta->smem, "bytes", limit);
    smem_remedy(m, text, limit);
}

/* Registers that a CTA of this many warps may take, beside the 32 a thread. */
static double register_room(const kci_figures *f, double warps)
{
    double threads = warps * f->warp;
    double per_cta = isnan(f->registers.per_cta) ? f->registers.per_core : f->registers.per_cta;
    double each = fmin(f->registers.per_thread, floor(per_cta / threads));
    return fmax(0, each - 32) * 4 * threads;
}

static void say_registers(const kci_misfit *m, kci_text *text)
{
    const kci_figures *f = &m->device->full;
    double most = floor(f->max_threads / f->warp), best = 0, best_room = 0;
    for (double warps = 4; warps <= most; warps *= 2) {
        double room = register_room(f, warps);
        kci_cta cta = *m->cta;
        cta.threads = warps * f->warp;
        cta.registers = kci_registers_per_thread(m->register_bytes, cta.threads);
        if (best == 0 && kci_occupancy_of(f, &cta).allowed[KCI_BY_REGISTERS] >= 1)
            best = warps;
        best_room = fmax(best_room, room);
    }
    kci_text_add(text, "registers: with ");
    kci_text_number(text, m->occupancy->warps);
    kci_text_add(text, " warps a thread takes ");
    kci_text_number(text, m->cta->registers);
    kci_text_format(text, ", %s has ", kci_device_name(m->device));
    double has = fmin(f->registers.per_thread, floor(f->registers.per_core / m->cta->threads));
    kci_text_number(text, has);
    kci_text_add(text, ": ");
    kci_text_number(text, m->cta->registers - has);
    kci_text_add(text, " too many");
    if (best > 0) {
        kci_text_add(text, "; with warps = ");
        kci_text_number(text, best);
        kci_text_add(text, " it fits");
        return;
    }
    kci_text_add(text, "; the values that are alive at once take ");
    kci_text_number(text, m->register_bytes);
    kci_text_add(text, " bytes and must shrink to ");
    kci_text_number(text, best_room);
    kci_text_add(text, ", by smaller tiles");
}

static void say_tmem(const kci_misfit *m, kci_text *text)
{
    too_much(m, text, "tensor memory", m->cta->tmem, "bytes", m->device->full.tmem.per_core);
    kci_text_add(text, "; the accumulators need a smaller tile");
}

static void say_warps(const kci_misfit *m, kci_text *text)
{
    const kci_figures *f = &m->device->full;
    double most = fmin(floor(f->max_threads / f->warp), f->max_warps);
    too_much(m, text, "warps", m->occupancy->warps, "warps", most);
    kci_text_add(text, "; with warps = ");
    kci_text_number(text, exp2(floor(log2(most))));
    kci_text_add(text, " they fit");
}

kc_status kci_fit_message(const kci_misfit *m)
{
    static void (*const say[])(const kci_misfit *, kci_text *) = {
        [KCI_BY_SMEM] = say_smem, [KCI_BY_REGISTERS] = say_registers,
        [KCI_BY_TMEM] = say_tmem, [KCI_BY_WARPS] = say_warps,
    };
    kci_text text = { .context = m->graph->context };
    for (int limit = 0; limit < KCI_BY_CTAS; limit++) /* all of them, so that one change mends it */
        if (m->occupancy->allowed[limit] < 1) {
            kci_text_add(&text, text.length ? "; " : "");
            say[limit](m, &text);
        }
    kc_status status = text.failed ? KC_ENOMEM
                                   : kci_fail(m->graph->context, KC_EDEVICE, "no CTA fits on %s: %s",
                                              kci_device_name(m->device), text.bytes ? text.bytes : "");
    kci_text_free(&text);
    return status;
}
