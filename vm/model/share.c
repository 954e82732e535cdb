/* share.c: from L2 traffic to HBM traffic: what the CTAs of a wave share, what is left between waves. */
#include "share.h"

#include <math.h>

#include "arith.h"
#include "halo.h"

/* ---- what fits --------------------------------------------------------------------------- */

typedef struct sharing {
    const kci_graph *graph;
    const kci_tiling *tiling;
    const kci_counts *counts;
    kci_set split;              /* loops whose reduction CTAs share */
    kci_waves *waves;
    const double *sizes;
    const kci_row *rows;
    double capacity, parts;     /* bytes of cache; parts that each keep a copy */
    double touched;             /* bytes that the CTAs of a wave touch, copies included */
    double between;             /* and that they touch between a pass and the next */
} sharing;

static kci_set split_loops(const kci_graph *graph, const kci_tiling *tiling)
{
    kci_set split = 0;
    for (size_t l = 0; l < graph->loop_count; l++)
        if (tiling->split[l] > 1)
            split |= KCI_BIT(l);
    return split;
}

/* Loops whose value a CTA's number decides, of those that index this tensor: grid
 * loops, and where a reduction is split, its loops. */
static kci_set loops_of(const kci_graph *graph, kci_set split, const kci_stream *stream)
{
    kci_set loops = stream->grid;
    for (size_t i = 0; split && i < graph->node_count; i++)
        if (graph->nodes[i].kind == KCI_READ && graph->nodes[i].tensor == stream->tensor)
            loops |= graph->nodes[i].loops & split;
    return loops;
}

enum { NEAR = 64 };             /* streams looked back at, so that long kernels take linear time */

/* A later pass over a tensor touches what the first one touched. */
static bool is_repeat(const kci_counts *counts, size_t stream)
{
    for (size_t i = stream > NEAR ? stream - NEAR : 0; i < stream; i++)
        if (counts->streams[i].tensor == counts->streams[stream].tensor)
            return true;
    return false;
}

static double cache_capacity(const kc_device *device)
{
    double l2 = device->known.l2.capacity, llc = device->known.llc.capacity;
    return kci_max(isnan(l2) ? 0 : l2, isnan(llc) ? 0 : llc);
}

static void start_sharing(sharing *s, const kci_graph *graph, const kci_tiling *tiling, const kci_counts *counts,
                          const double *sizes, const kc_device *device, double resident, const kci_row *rows)
{
    s->graph = graph;
    s->tiling = tiling;
    s->counts = counts;
    s->sizes = sizes;
    s->rows = rows;
    s->split = split_loops(graph, tiling);
    kci_waves_start(s->waves, graph, tiling, sizes, resident, counts->ctas);
    s->capacity = cache_capacity(device);
    bool memory_side = device->known.llc.capacity >= s->capacity;
    s->parts = memory_side ? 1 : device->full.l2.parts;
    s->touched = s->between = 0;
    for (size_t i = 0; i < counts->stream_count; i++) {
        if (is_repeat(counts, i))
            continue;
        double tiles = kci_waves_touch(s->waves, loops_of(graph, s->split, &counts->streams[i]));
        double copies = kci_max(1, kci_min(s->parts, s->waves->resident / tiles));
        s->touched += tiles * copies * counts->streams[i].cta_distinct;
        s->between += tiles * copies * counts->streams[i].pass_distinct;
    }
    for (size_t t = 0; t < graph->tensor_count; t++) {
        s->touched += rows[t].written / s->waves->count;
        s->between += rows[t].written / s->waves->count / counts->turns;
    }
}

/* Does data choose the positions that are read of this tensor? */
static bool is_gathered(const kci_graph *graph, int32_t tensor)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const kci_node *node = &graph->nodes[i];
        for (uint32_t a = 0; node->kind == KCI_READ && node->tensor == tensor && a < node->axes; a++)
            if (graph->axes[graph->axis_ids[node->axis + a]].gather)
                return true;
    }
    return false;
}

/* Rows at random, `distinct` of them in bytes: one that was read before is still there with the
 * chance that the cache holds it, the kernel's tensors sharing the cache as they share the traffic:
 *     distinct + (all - distinct) * (1 - min(1, capacity / parts * all / traffic / distinct)) */
static double gathered_bytes(const sharing *s, const kci_stream *stream, double all)
{
    double read = 0, written = 0, distinct = kci_min(all, s->counts->rows[stream->tensor].compulsory);
    kci_add_bytes(s->graph, s->counts->rows, &read, &written);
    double room = s->capacity / s->parts * all / (read + written);
    return distinct + (all - distinct) * (1 - kci_min(1, room / distinct));
}

/* HBM bytes of one stream. */
static double hbm_bytes(const sharing *s, size_t index, double l2_bytes)
{
    const kci_stream *stream = &s->counts->streams[index];
    if (is_gathered(s->graph, stream->tensor))
        l2_bytes = gathered_bytes(s, stream, l2_bytes);
    double left = kci_floor(s->capacity / s->touched); /* waves whose data is still there */
    if (s->between <= s->capacity && is_repeat(s->counts, index))
        return 0;
    double again = left < 1 ? kci_max(0, stream->cta_bytes - stream->cta_distinct) : 0;
    kci_set loops = loops_of(s->graph, s->split, stream);
    const kci_halo halo = { s->graph, s->tiling, s->counts, &s->waves->raster, s->sizes, s->rows,
                            s->waves->resident, s->capacity / s->parts };
    double bytes = kci_waves_fetch(s->waves, loops, left) * (kci_halo_box(&halo, stream, loops) + again);
    return kci_min(bytes, l2_bytes);
}

/* CTAs of a cluster load once what none of its loops indexes. */
static double cluster_share(const sharing *s, const double *sizes, const kci_stream *stream)
{
    double share = 1;
    for (size_t l = 0; l < s->graph->loop_count; l++)
        if (s->tiling->cluster[l] > 1 && !(loops_of(s->graph, s->split, stream) & KCI_BIT(l)))
            share /= kci_min(s->tiling->cluster[l], kci_ceil(sizes[l] / s->tiling->tile[l]));
    return share;
}

/* ---- the ledger ----------------------------------------------------------------------------- */

/* Takes up to `bytes` out of the causes, reload first; gives what was taken. */
static double take(kci_row *row, double bytes)
{
    double *causes[] = { &row->reload, &row->pass, &row->spill, &row->split };
    double left = bytes;
    for (size_t i = 0; i < sizeof causes / sizeof causes[0] && left > 0; i++) {
        double part = kci_min(left, *causes[i]);
        *causes[i] -= part;
        left -= part;
    }
    return bytes - left;
}

/* Bytes that a row moves beside its final write. */
static double unfinished(const kci_row *row)
{
    return row->read + row->written - kci_min(row->written, row->compulsory);
}

static void keep(kci_row *row, double *cause)
{
    double all = unfinished(row), share = all > 0 ? kci_min(1, *cause / all) : 0;
    double last = kci_min(row->written, row->compulsory);
    row->read -= share * row->read;
    row->written -= share * (row->written - last);
    *cause = 0;
}

/* Spills and partials go both ways, written and read back: what stays in L2 leaves
 * both.  A spill stays if the wave's data and its accumulators fit; partials, if they
 * fit beside them. */
static void keep_spills(const sharing *s, kci_row *row, bool all)
{
    double accumulators = 2 * row->compulsory / s->waves->count;
    if (row->spill > 0 && (all || s->touched + accumulators <= s->capacity))
        keep(row, &row->spill);
    if (row->split > 0 && (all || s->touched + row->split / 2 <= s->capacity))
        keep(row, &row->split);
}

void kci_add_bytes(const kci_graph *graph, const kci_row *rows, double *read, double *written)
{
    for (size_t t = 0; t < graph->tensor_count; t++) {
        double last = graph->tensors[t].read ? 0 : kci_min(rows[t].written, rows[t].compulsory);
        *written += last;
        *read += rows[t].read + rows[t].written - last;
    }
}

/* What a cache of parts keeps for one more use: data that cores of several parts read has copies. */
static const double COPIED = 1;
/* Of a stream too long for the cache, what its end leaves to the next one: A100 and H100 add kernels. */
static const double LEFT_OF_BYTES = 0.6, LEFT_OF_CAPACITY = 0.18;

/* Used in turn, data leaves a cache soon after it no longer fits: all of it at 1.2 times what fits (L40S). */
static const double STEEP = 5;

/* Share of warm data that is still there when `bytes` are used in turn: all of it while they
 * fit, less and less a little beyond, then the leftovers of a stream. */
static double still_warm(const kc_device *device, double bytes)
{
    double capacity = cache_capacity(device), parts = device->full.l2.parts;
    double room = device->known.llc.capacity >= capacity ? capacity : capacity / (1 + COPIED * (parts - 1));
    double left = bytes > 0 ? kci_min(LEFT_OF_BYTES, LEFT_OF_CAPACITY * capacity / bytes) : 1;
    double over = room > 0 ? kci_min(1, kci_max(0, STEEP * (bytes / room - 1))) : 1;
    return 1 - over + over * left;
}

void kci_share_warm(const kci_graph *graph, const kc_device *device, const kci_time_options *options, kci_row *rows)
{
    double bytes = 0;
    if (!options->warm && !options->warm_tensor)
        return;
    for (size_t t = 0; t < graph->tensor_count; t++)
        bytes += rows[t].compulsory;
    double kept = still_warm(device, bytes);
    for (size_t t = 0; t < graph->tensor_count; t++) {
        const kci_tensor_use *use = &graph->tensors[t];
        bool warm = options->warm_tensor ? options->warm_tensor[t] : options->warm && use->read;
        if (!warm || (use->read && use->written))
            continue;
        double *causes[] = { &rows[t].compulsory, &rows[t].reload, &rows[t].pass, &rows[t].spill, &rows[t].split };
        for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
            *causes[i] *= 1 - kept;
        rows[t].read *= 1 - kept;
        rows[t].written *= 1 - kept; /* it stays in L2, to be overwritten there */
    }
}

double kci_steps(const kci_counts *counts)
{
    double loads = 0;
    for (size_t i = 0; i < counts->stream_count; i++)
        loads = kci_max(loads, counts->streams[i].loads);
    return kci_max(kci_max(1, counts->steps), loads / counts->ctas);
}

double kci_sector_factor(const kci_counts *counts, double sector)
{
    double bytes = 0, moved = 0;
    for (size_t i = 0; i < counts->stream_count; i++) {
        const kci_stream *s = &counts->streams[i];
        double run = s->run > 0 ? s->run : sector;
        bytes += s->bytes;
        moved += run < sector ? s->bytes * sector / run : s->bytes;
    }
    return bytes > 0 ? moved / bytes : 1;
}

kc_status kci_share(const kci_graph *graph, const kci_tiling *tiling, const kci_counts *counts, const double *sizes,
                    const kc_device *device, const kci_time_options *options, double resident, kci_row *rows,
                    kci_shared *shared)
{
    double streamed = 0, first = 0, listed = 0;
    shared->l2_read = shared->l2_written = shared->hbm_read = shared->hbm_written = 0;
    kci_add_bytes(graph, rows, &shared->l2_read, &shared->l2_written);
    kci_waves here;
    here.count = 0;
    sharing s = { .waves = options->waves ? options->waves : &here };
    start_sharing(&s, graph, tiling, counts, sizes, device, resident, rows);
    bool shares = !options->no_l2 && s.capacity > 0, least = options->least_hbm;
    for (size_t i = 0; i < counts->stream_count; i++) {
        const kci_stream *stream = &counts->streams[i];
        double l2 = stream->bytes * cluster_share(&s, sizes, stream);
        shared->l2_read -= stream->bytes - l2;
        listed += l2;
        streamed += stream->streamed ? l2 : 0;
        first += stream->streamed ? 0 : l2;
        kci_row *row = &rows[stream->tensor];
        if (shares && kci_spend(graph->context, "evaluate", graph->node_count) != KC_OK)
            return KC_ELIMIT;
        if (shares)
            row->read -= take(row, stream->bytes - (least ? 0 : hbm_bytes(&s, i, l2)));
    }
    for (size_t t = 0; shares && t < graph->tensor_count; t++)
        if (!graph->tensors[t].read)
            keep_spills(&s, &rows[t], least);
    kci_share_warm(graph, device, options, rows);
    kci_add_bytes(graph, rows, &shared->hbm_read, &shared->hbm_written);
    first += streamed / kci_steps(counts);
    shared->l2_first = listed > 0 ? kci_min(1, first / listed) : 1;
    return KC_OK;
}
