/* share.c: from L2 traffic to HBM traffic: waves, what their CTAs share, what is left between them. */
#include "share.h"

#include <math.h>

/* ---- the raster --------------------------------------------------------------------- */

static void add_digit(kci_raster *raster, int loop, double trips)
{
    if (trips > 1 && raster->count < KCI_MAX_LOOPS + 2) {
        raster->trips[raster->count] = trips;
        raster->loop[raster->count++] = loop;
    }
}

static double trips_of(const kci_tiling *tiling, const double *sizes, int loop)
{
    return fmax(1, ceil(sizes[loop] / tiling->tile[loop]));
}

static bool in_raster(const kci_tiling *tiling, int loop)
{
    for (int i = 0; i < tiling->raster_count; i++)
        if (tiling->raster[i] == loop)
            return true;
    return false;
}

/* Parts of a split reduction are the slowest digits, then grid loops that the
 * raster does not name, then the raster's; group = g cuts its last loop in runs of g. */
void kci_raster_of(const kci_graph *graph, const kci_tiling *tiling, const double *sizes, kci_raster *raster)
{
    raster->count = 0;
    for (size_t l = 0; l < graph->loop_count; l++)
        if (tiling->split[l] > 1)
            add_digit(raster, (int)l, tiling->split[l]);
    for (int i = 0; i < tiling->grid_count; i++)
        if (!in_raster(tiling, tiling->grid_order[i]))
            add_digit(raster, tiling->grid_order[i], trips_of(tiling, sizes, tiling->grid_order[i]));
    int named = tiling->raster_count;
    double group = tiling->raster_group;
    for (int i = 0; i < named; i++) {
        int loop = tiling->raster[i], last = tiling->raster[named - 1];
        double runs = trips_of(tiling, sizes, last);
        bool cut = group >= 1 && group < runs && named > 1;
        if (cut && i == named - 2)
            add_digit(raster, last, ceil(runs / group));
        add_digit(raster, loop, cut && i == named - 1 ? group : trips_of(tiling, sizes, loop));
    }
}

/* One level: digit d, whose block is `inner` CTAs.  [start, start + length) may wrap
 * round the level's size. */
typedef struct walk {
    const kci_raster *raster;
    kci_set loops;
    double inner[KCI_MAX_LOOPS + 2];    /* CTAs below one value of digit d */
    double all[KCI_MAX_LOOPS + 3];      /* different tiles from digit d on */
} walk;

static double distinct(const walk *w, size_t d, double start, double length)
{
    for (; d < w->raster->count; d++) {
        double inner = w->inner[d];
        if (length >= inner * w->raster->trips[d])
            return w->all[d];
        if (w->loops & KCI_BIT(w->raster->loop[d])) {
            double before = inner - fmod(start, inner); /* what is left of the first block */
            start = fmod(start, inner);
            if (before >= length)
                continue;
            double whole = floor((length - before) / inner), rest = length - before - whole * inner;
            double sum = distinct(w, d + 1, start, before) + whole * w->all[d + 1];
            if (rest > 0)
                sum += distinct(w, d + 1, 0, rest);
            return fmin(sum, w->all[d]);
        }
        start = fmod(start, inner);
        if (length >= inner)
            return w->all[d + 1];
    }
    return 1;
}

static walk walk_of(const kci_raster *raster, kci_set loops)
{
    walk w = { .raster = raster, .loops = loops };
    double inner = 1, all = 1;
    w.all[raster->count] = 1;
    for (size_t d = raster->count; d-- > 0;) {
        w.inner[d] = inner;
        inner *= raster->trips[d];
        all *= loops & KCI_BIT(raster->loop[d]) ? raster->trips[d] : 1;
        w.all[d] = all;
    }
    return w;
}

double kci_raster_distinct(const kci_raster *raster, kci_set loops, double start, double length)
{
    walk w = walk_of(raster, loops);
    return distinct(&w, 0, start, length);
}

/* ---- waves ----------------------------------------------------------------------------- */

enum { SAMPLES = 16 };

/* Tiles that wave `wave` touches and the `left` waves before it did not. */
static double new_tiles(const walk *w, double wave, double resident, double ctas, double left)
{
    double start = wave * resident, length = fmin(resident, ctas - start);
    double before = fmin(left, wave) * resident;
    double tiles = distinct(w, 0, start - before, before + length);
    return before > 0 ? tiles - distinct(w, 0, start - before, before) : tiles;
}

/* Tiles fetched by all waves: exact for few waves, else the first, the last and
 * equally spaced ones between. */
static double fetched(const walk *w, double resident, double ctas, double left)
{
    double waves = ceil(ctas / resident), sum = 0;
    if (waves <= 1 || left >= waves)
        return w->all[0];
    if (waves <= SAMPLES + 2) {
        for (double i = 0; i < waves; i++)
            sum += new_tiles(w, i, resident, ctas, left);
        return sum;
    }
    for (int i = 0; i < SAMPLES; i++)
        sum += new_tiles(w, 1 + floor(i * (waves - 2) / SAMPLES), resident, ctas, left);
    return sum * (waves - 2) / SAMPLES + new_tiles(w, 0, resident, ctas, left) +
           new_tiles(w, waves - 1, resident, ctas, left);
}

/* ---- what fits --------------------------------------------------------------------------- */

typedef struct sharing {
    const kci_graph *graph;
    const kci_tiling *tiling;
    const kci_counts *counts;
    kci_raster raster;
    double resident, waves;
    double capacity, parts;     /* bytes of cache; parts that each keep a copy */
    double touched;             /* bytes that the CTAs of a wave touch, copies included */
} sharing;

/* Loops whose value a CTA's number decides, of those that index this tensor: grid
 * loops, and where a reduction is split, its loops. */
static kci_set loops_of(const kci_graph *graph, const kci_tiling *tiling, const kci_stream *stream)
{
    kci_set loops = stream->grid, split = 0;
    for (size_t l = 0; l < graph->loop_count; l++)
        if (tiling->split[l] > 1)
            split |= KCI_BIT(l);
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
    return fmax(isnan(l2) ? 0 : l2, isnan(llc) ? 0 : llc);
}

static sharing sharing_of(const kci_graph *graph, const kci_tiling *tiling, const kci_counts *counts,
                          const double *sizes, const kc_device *device, double resident, const kci_row *rows)
{
    sharing s = { .graph = graph, .tiling = tiling, .counts = counts };
    kci_raster_of(graph, tiling, sizes, &s.raster);
    s.resident = fmin(resident, counts->ctas);
    s.waves = ceil(counts->ctas / s.resident);
    s.capacity = cache_capacity(device);
    bool memory_side = device->known.llc.capacity >= s.capacity;
    s.parts = memory_side ? 1 : device->full.l2.parts;
    double middle = floor(s.waves / 2) * s.resident;
    if (middle + s.resident > counts->ctas)
        middle = counts->ctas - s.resident;
    for (size_t i = 0; i < counts->stream_count; i++) {
        if (is_repeat(counts, i))
            continue;
        double tiles = kci_raster_distinct(&s.raster, loops_of(graph, tiling, &counts->streams[i]), middle, s.resident);
        double copies = fmax(1, fmin(s.parts, s.resident / tiles));
        s.touched += tiles * copies * counts->streams[i].cta_distinct;
    }
    for (size_t t = 0; t < graph->tensor_count; t++)
        s.touched += rows[t].written / s.waves;
    return s;
}

/* HBM bytes of one stream. */
static double hbm_bytes(const sharing *s, size_t index, double l2_bytes)
{
    const kci_stream *stream = &s->counts->streams[index];
    double left = floor(s->capacity / s->touched); /* waves whose data is still there */
    if (left >= 1 && is_repeat(s->counts, index))
        return 0;
    walk w = walk_of(&s->raster, loops_of(s->graph, s->tiling, stream));
    double bytes = fetched(&w, s->resident, s->counts->ctas, left) * stream->cta_distinct;
    double again = fmax(0, stream->cta_bytes - stream->cta_distinct);
    if (left < 1 && again > 0)
        bytes += fetched(&w, s->resident, s->counts->ctas, 0) * again;
    return fmin(bytes, l2_bytes);
}

/* CTAs of a cluster load once what none of its loops indexes. */
static double cluster_share(const kci_graph *graph, const kci_tiling *tiling, const double *sizes, const kci_stream *stream)
{
    kci_set loops = loops_of(graph, tiling, stream);
    double share = 1;
    for (size_t l = 0; l < graph->loop_count; l++)
        if (tiling->cluster[l] > 1 && !(loops & KCI_BIT(l)))
            share /= fmin(tiling->cluster[l], ceil(sizes[l] / tiling->tile[l]));
    return share;
}

/* ---- the ledger ----------------------------------------------------------------------------- */

/* Takes up to `bytes` out of the causes, reload first; gives what was taken. */
static double take(kci_row *row, double bytes)
{
    double *causes[] = { &row->reload, &row->pass, &row->spill, &row->split };
    double left = bytes;
    for (size_t i = 0; i < sizeof causes / sizeof causes[0] && left > 0; i++) {
        double part = fmin(left, *causes[i]);
        *causes[i] -= part;
        left -= part;
    }
    return bytes - left;
}

/* Bytes that a row moves beside its final write. */
static double unfinished(const kci_row *row)
{
    return row->read + row->written - fmin(row->written, row->compulsory);
}

static void keep(kci_row *row, double *cause)
{
    double all = unfinished(row), share = all > 0 ? fmin(1, *cause / all) : 0;
    double last = fmin(row->written, row->compulsory);
    row->read -= share * row->read;
    row->written -= share * (row->written - last);
    *cause = 0;
}

/* Spills and partials go both ways, written and read back: what stays in L2 leaves
 * both.  A spill stays if the wave's data and its accumulators fit; partials, if they
 * fit beside them. */
static void keep_spills(const sharing *s, kci_row *row)
{
    double accumulators = 2 * row->compulsory / s->waves;
    if (row->spill > 0 && s->touched + accumulators <= s->capacity)
        keep(row, &row->spill);
    if (row->split > 0 && s->touched + row->split / 2 <= s->capacity)
        keep(row, &row->split);
}

void kci_add_bytes(const kci_graph *graph, const kci_row *rows, double *read, double *written)
{
    for (size_t t = 0; t < graph->tensor_count; t++) {
        double last = graph->tensors[t].read ? 0 : fmin(rows[t].written, rows[t].compulsory);
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
    double left = bytes > 0 ? fmin(LEFT_OF_BYTES, LEFT_OF_CAPACITY * capacity / bytes) : 1;
    double over = room > 0 ? fmin(1, fmax(0, STEEP * (bytes / room - 1))) : 1;
    return 1 - over + over * left;
}

void kci_share_warm(const kci_graph *graph, const kc_device *device, const kci_time_options *options, kci_row *rows)
{
    double bytes = 0;
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
    double steps = fmax(1, counts->steps);
    for (size_t i = 0; i < counts->stream_count; i++)
        steps = fmax(steps, counts->streams[i].loads / counts->ctas);
    return steps;
}

static double sector_factor(const kci_counts *counts, double sector)
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

void kci_share(const kci_graph *graph, const kci_tiling *tiling, const kci_counts *counts, const double *sizes,
               const kc_device *device, const kci_time_options *options, double resident, kci_row *rows,
               kci_shared *shared)
{
    *shared = (kci_shared){ .sectors = sector_factor(counts, device->full.hbm.sector) };
    double streamed = 0, first = 0, listed = 0;
    kci_add_bytes(graph, rows, &shared->l2_read, &shared->l2_written);
    sharing s = sharing_of(graph, tiling, counts, sizes, device, resident, rows);
    bool shares = !options->no_l2 && s.capacity > 0;
    for (size_t i = 0; i < counts->stream_count; i++) {
        const kci_stream *stream = &counts->streams[i];
        double l2 = stream->bytes * cluster_share(graph, tiling, sizes, stream);
        shared->l2_read -= stream->bytes - l2;
        listed += l2;
        streamed += stream->streamed ? l2 : 0;
        first += stream->streamed ? 0 : l2;
        kci_row *row = &rows[stream->tensor];
        if (shares)
            row->read -= take(row, stream->bytes - hbm_bytes(&s, i, l2));
    }
    for (size_t t = 0; shares && t < graph->tensor_count; t++)
        if (!graph->tensors[t].read)
            keep_spills(&s, &rows[t]);
    kci_share_warm(graph, device, options, rows);
    kci_add_bytes(graph, rows, &shared->hbm_read, &shared->hbm_written);
    first += streamed / kci_steps(counts);
    shared->l2_first = listed > 0 ? fmin(1, first / listed) : 1;
}
