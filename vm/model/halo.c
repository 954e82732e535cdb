/* halo.c: touches of one element by neighbouring CTAs, in order of time, and which of them L2 serves. */
#include "halo.h"

#include <stdlib.h>

#include "arith.h"

/* A cache whose replacement is not quite least recently used loses some data early, and keeps some late.  Counted
 * on an MI250X under stencils along z of radius 2, 3 and 4, whose reuse is 0.62, 0.88 and 1.13 times its L2 away:
 * 13, 45 and 78 % were gone (amd-lab-notes, seismic stencils, part 1). */
static const double KEPT = 0.5, GONE = 1.3;

enum { MOST = 128 };

typedef struct touch {
    double offset, when;
} touch;

typedef struct touches {
    touch list[MOST];
    size_t count;
    double step;                /* positions from one tile to the next */
} touches;

static double tile_of(const kci_halo *h, int loop)
{
    return kci_min(h->tiling->tile[loop], h->sizes[loop]);
}

/* The offsets of one read along the axis: one, or where its box is longer than a step, one a tile that it reaches. */
static void touch_axis(const kci_halo *h, const kci_axis *axis, int loop, double first, double stay, touches *t)
{
    double low = axis->constant, extent = 1;
    for (uint32_t i = 0; i < axis->terms; i++) {
        const kci_loop_term *term = &h->graph->terms[axis->term + i];
        double coefficient = kci_term_coefficient(term, h->sizes), reach = coefficient * (tile_of(h, term->loop) - 1);
        low += kci_min(0, reach);
        extent += fabs(reach);
        if (term->loop == loop)
            t->step = fabs(coefficient) * tile_of(h, loop);
    }
    double over = kci_max(0, extent - t->step), tiles = kci_ceil(over / t->step) + 1;
    for (double i = 0; i < tiles && t->count < MOST; i++)
        t->list[t->count++] = (touch){ low + kci_min(over, i * t->step), first + (i + 0.5) / tiles * stay };
}

static int by_time(const void *a, const void *b)
{
    double x = ((const touch *)a)->when, y = ((const touch *)b)->when;
    return (x > y) - (x < y);
}

/* All touches of an element of the tensor that neighbours along digit d make, in order of time. */
static void touches_along(const kci_halo *h, int32_t tensor, size_t d, double inner, touches *t)
{
    double reads = 0, read = 0, spread = kci_min(h->resident, inner);
    int loop = h->raster->loop[d];
    t->count = 0;
    t->step = 1;
    for (size_t i = 0; i < h->graph->node_count; i++)
        reads += h->graph->nodes[i].kind == KCI_READ;
    for (size_t i = 0; i < h->graph->node_count; i++) {
        const kci_node *node = &h->graph->nodes[i];
        if (node->kind != KCI_READ)
            continue;
        for (uint32_t a = 0; a < node->axes && node->tensor == tensor; a++) {
            const kci_axis *axis = &h->graph->axes[h->graph->axis_ids[node->axis + a]];
            if (!axis->gather && (axis->loops & KCI_BIT(loop)))
                touch_axis(h, axis, loop, read / reads * spread, spread / reads, t);
        }
        read++;
    }
    for (size_t i = 0; i < t->count; i++)
        t->list[i].when -= t->list[i].offset / t->step * inner;
    qsort(t->list, t->count, sizeof t->list[0], by_time);
}

/* Share of the elements for which two offsets lie in different CTAs. */
static double crossing(const touches *t, size_t i)
{
    return kci_min(1, fabs(t->list[i].offset - t->list[i - 1].offset) / t->step);
}

/* Bytes of the other tensors that `started` CTAs touch. */
static double others(const kci_halo *h, int32_t tensor, double started)
{
    double bytes = 0, ctas = h->counts->ctas, length = kci_min(ctas, kci_max(1, started));
    for (size_t i = 0; i < h->counts->stream_count; i++) {
        const kci_stream *s = &h->counts->streams[i];
        if (s->tensor != tensor)
            bytes += kci_raster_distinct(h->raster, s->grid, 0, length) * s->cta_distinct;
    }
    for (size_t i = 0; i < h->graph->tensor_count; i++)
        bytes += h->rows[i].written * length / ctas;
    return bytes;
}

/* Bytes touched while `started` CTAs start: each touch sweeps over as much, but not into what the next has swept. */
static double touched(const kci_halo *h, const kci_stream *stream, const touches *t, double started, double each)
{
    double swept = started;
    for (size_t i = 1; i < t->count; i++) {
        double gap = t->list[i].when - t->list[i - 1].when;
        double share = t->list[i].offset == t->list[i - 1].offset ? 1 : crossing(t, i);
        swept += share * kci_min(started, gap);
    }
    return swept * each + others(h, stream->tensor, started);
}

/* How often elements are fetched again that neighbours along digit d share; whether any are shared. */
static double again_along(const kci_halo *h, const kci_stream *stream, size_t d, double inner, double each, bool *shared)
{
    touches t;
    double again = 0;
    touches_along(h, stream->tensor, d, inner, &t);
    for (size_t i = 1; i < t.count; i++) {
        double crosses = crossing(&t, i), bytes = touched(h, stream, &t, t.list[i].when - t.list[i - 1].when, each);
        again += crosses * kci_min(1, kci_max(0, (bytes / h->capacity - KEPT) / (GONE - KEPT)));
        *shared |= crosses > 0;
    }
    return again;
}

double kci_halo_box(const kci_halo *h, const kci_stream *stream, kci_set loops)
{
    double moves = 1, inner = 1, boxes = 1;
    bool shared = false;
    for (size_t d = 0; d < h->raster->count; d++)
        boxes *= loops & KCI_BIT(h->raster->loop[d]) ? h->raster->trips[d] : 1;
    double each = h->rows[stream->tensor].compulsory / boxes;
    if (stream->cta_distinct <= each * (1 + 1e-9))
        return stream->cta_distinct;
    for (size_t d = h->raster->count; d-- > 0; inner *= h->raster->trips[d])
        if (loops & KCI_BIT(h->raster->loop[d]))
            moves *= 1 + again_along(h, stream, d, inner, each, &shared);
    return shared ? kci_min(stream->cta_distinct, moves * each) : stream->cta_distinct;
}
