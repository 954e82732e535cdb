/* time.c: from counts to seconds: the plain roofline, the estimate, and the serial sum. Design, section 5. */
#include "time.h"

#include <math.h>
#include <string.h>

#include "arith.h"
#include "assumed.h"
#include "group.h"
#include "lanes.h"
#include "link.h"
#include "occupancy.h"
#include "roof.h"
#include "share.h"
#include "sorted.h"
#include "step.h"

/* Measured share of a core's L2 port (64 bytes a clock) that its loads reach: 0.65 to 0.75. */
static const double PORT = 0.7;
/* Instructions of a loop with one access at a time, beside the access: address, conversion, arithmetic,
 * branch; 20 to 35 in four of vLLM's kernels on an A100 and an H100.  Each waits for the one before. */
static const double INSTRUCTIONS = 22, INSTRUCTION_CYCLES = 7;
/* A ceiling of what block schedulers start: 0.5 to 0.95 a clock measured with tiny blocks (gpu-benches). */
static const double CTAS_PER_CLOCK = 1;
/* Bytes of one access of a row kernel, where its schedule does not say. */
static const double VECTOR_BYTES = 16;

static const struct { const char *name, *class_name; } roofs[KCI_ROOFS] = {
    [KCI_ROOF_MATRIX] = { "matrix", "compute-bound" },
    [KCI_ROOF_VECTOR] = { "vector", "compute-bound" },
    [KCI_ROOF_SPECIAL] = { "special", "compute-bound" },
    [KCI_ROOF_SMEM] = { "smem", "memory-bound" },
    [KCI_ROOF_L2] = { "l2", "memory-bound" },
    [KCI_ROOF_HBM] = { "hbm", "memory-bound" },
    [KCI_ROOF_LINK] = { "link", "communication-bound" },
    [KCI_ROOF_LAUNCH] = { "launch", "overhead-bound" },
    [KCI_ROOF_FILL] = { "fill", "overhead-bound" },
    [KCI_ROOF_DRAIN] = { "drain", "overhead-bound" },
    [KCI_ROOF_LATENCY] = { "latency", "memory-bound" },
};

const char *kci_roof_name(kci_roof roof)
{
    return roofs[roof].name;
}

const char *kci_roof_class(kci_roof roof)
{
    return roofs[roof].class_name;
}

typedef struct timing {
    const kci_graph *graph;
    const kci_tiling *tiling;
    const kci_counts *counts;
    const double *sizes;
    const kc_device *device;
    const kci_time_options *options;
    kci_row *rows;
    kci_times *times;
    kci_notes *notes;
} timing;

/* ---- the plain roofline ---------------------------------------------------------------- */

static double total_bytes(const kci_graph *graph, const kci_row *rows)
{
    double bytes = 0;
    for (size_t t = 0; t < graph->tensor_count; t++)
        bytes += rows[t].read + rows[t].written;
    return bytes;
}

/* Compulsory bytes, less what a warm cache holds: `rows` are those behind the cache. */
static double compulsory_bytes(const kci_graph *graph, const kci_row *rows)
{
    double bytes = 0;
    for (size_t t = 0; t < graph->tensor_count; t++)
        bytes += rows[t].compulsory;
    return bytes;
}

/* Compulsory bytes at the datasheet's bandwidth. */
static double hbm_roof(const timing *t)
{
    return compulsory_bytes(t->graph, t->rows) / t->device->known.hbm.bandwidth;
}

double kci_longest_roof(const double *roof)
{
    return kci_max(kci_max(kci_max(roof[KCI_ROOF_MATRIX], roof[KCI_ROOF_VECTOR]), kci_max(roof[KCI_ROOF_SPECIAL], roof[KCI_ROOF_HBM])),
                   roof[KCI_ROOF_LINK]);
}

/* max(useful work / peak, compulsory bytes / bandwidth), datasheet figures only. */
static void roof_time(const timing *t, const kci_load *load)
{
    const kci_work_seconds *work = &load->useful;
    double *roof = t->times->roof;
    roof[KCI_ROOF_MATRIX] = work->matrix;
    roof[KCI_ROOF_VECTOR] = work->vector;
    roof[KCI_ROOF_SPECIAL] = work->special;
    roof[KCI_ROOF_HBM] = hbm_roof(t);
    t->times->roof_time = kci_longest_roof(roof);
    t->times->ridge = load->ridge;
    t->times->has_ridge = isfinite(load->ridge);
}

/* What the datasheet alone says of the work. */
static kc_status useful_of(const timing *t, kci_load *load)
{
    load->ridge = kci_ridge(t->counts, t->device);
    return kci_work_seconds_of(t->counts, t->device, true, NULL, &load->useful, NULL);
}

double kci_launch_time(const kci_counts *counts, const kc_device *device, kci_regime regime, bool own)
{
    const kci_figures *f = &device->full;
    double gap = 0, first = counts->matmul_count > 0 ? f->launch.fixed : f->launch.light;
    switch (regime) {
    case KCI_STREAM: gap = f->launch.stream; break;
    case KCI_GRAPH: gap = f->launch.graph; break;
    case KCI_EAGER: gap = f->launch.eager; break;
    case KCI_NO_LAUNCH: break;
    }
    double more = kci_max(1, counts->launches) - 1; /* small ones, that combine partials */
    return gap + (own ? first : 0) + more * (gap + (own ? f->launch.light : 0));
}

/* The roof that takes longest of those that may bind. */
static void find_bound(kci_times *times, double wait, bool latency)
{
    static const kci_roof may_bind[] = {
        KCI_ROOF_MATRIX, KCI_ROOF_VECTOR, KCI_ROOF_SPECIAL, KCI_ROOF_SMEM,
        KCI_ROOF_L2, KCI_ROOF_HBM, KCI_ROOF_LINK, KCI_ROOF_LAUNCH,
    };
    times->bound = KCI_ROOF_HBM;
    for (size_t i = 0; i < sizeof may_bind / sizeof may_bind[0]; i++)
        if (times->part[may_bind[i]] > times->part[times->bound])
            times->bound = may_bind[i];
    if (wait > times->part[times->bound])
        times->bound = KCI_ROOF_FILL;
    else if (latency && (times->bound == KCI_ROOF_HBM || times->bound == KCI_ROOF_L2))
        times->bound = KCI_ROOF_LATENCY;
}

/* roof_time <= time <= serial_time holds term by term; the last bits of the sums may not. */
static void keep_order(kci_times *times)
{
    times->time = kci_max(times->time, times->roof_time);
    times->serial_time = kci_max(times->serial_time, times->time);
}

/* ---- untiled ------------------------------------------------------------------------------ */

static kc_status note_untiled(const timing *t)
{
    const kci_comm *comm = &t->graph->comm;
    if (!t->notes)
        return KC_OK;
    if (comm->kind == KCI_NO_COMM) {
        const char *chosen = kci_sorted_operand(t->graph, t->sizes);
        if (!chosen)
            return kci_note(t->notes, "untiled: the time is the longest sustained roof and the launch; best finds a schedule");
        return kci_note(t->notes, "untiled: the time is the longest sustained roof and the launch; data chooses the part of %.80s "
                        "for each row of a matmul, so no tile shares it and best leaves the kernel so; rows sorted by it are a "
                        "group of matmuls, as in moe.grouped", chosen);
    }
    kci_comm_load load = kci_link_load(t->graph, t->counts);
    return kci_note(t->notes, "%s of %.0f ranks%s: one rank sends %.0f bytes in %.0f step%s%s%s%s", kci_comm_name(comm), comm->ranks,
                    comm->kind == KCI_SENDRECV ? "" : comm->tree ? ", tree" : ", ring", load.bytes, load.steps, load.steps == 1 ? "" : "s",
                    load.formula ? ": " : "", load.formula ? load.formula : "", load.formula ? ", S the whole message" : "");
}

/* A collective is a kernel as it runs: with a start and an end of its own, where it sends something. */
static double launch_of(const timing *t, double link)
{
    double fixed = t->device->full.link.fixed, gap = kci_launch_time(t->counts, t->device, t->options->regime, false);
    return gap + (link > 0 && !isnan(fixed) ? fixed : 0);
}

/* No waves, no tiles: the longest sustained roof, and the launch. */
static kc_status untiled_time(const timing *t, kci_load *load)
{
    const kci_figures *f = &t->device->full;
    kci_times *times = t->times;
    kci_work_seconds work;
    kci_share_warm(t->graph, t->device, t->options, t->rows);
    kc_status status = kci_work_seconds_of(t->counts, t->device, false, NULL, &work, t->notes);
    kci_link_seconds link;
    if (status == KC_OK)
        status = useful_of(t, load);
    if (status == KC_OK)
        status = kci_link_seconds_of(t->graph, t->counts, t->device, &link);
    if (status != KC_OK)
        return status;
    times->roof[KCI_ROOF_LINK] = link.roof;
    roof_time(t, load);
    load->tiled = false;
    load->launch = launch_of(t, link.time);
    times->part[KCI_ROOF_MATRIX] = work.matrix;
    times->part[KCI_ROOF_VECTOR] = work.vector;
    times->part[KCI_ROOF_SPECIAL] = work.special;
    times->part[KCI_ROOF_HBM] = total_bytes(t->graph, t->rows) / (f->hbm.bandwidth * f->sustained.hbm);
    times->part[KCI_ROOF_LINK] = link.time;
    times->part[KCI_ROOF_LAUNCH] = load->launch;
    times->time = kci_longest_roof(times->part) + times->part[KCI_ROOF_LAUNCH];
    times->serial_time = work.matrix + work.vector + work.special + times->part[KCI_ROOF_HBM] + link.time +
                         times->part[KCI_ROOF_LAUNCH];
    find_bound(times, 0, false);
    keep_order(times);
    memcpy(load->sustained, times->part, sizeof times->part);
    return note_untiled(t);
}

/* ---- tiled: what the CTAs cost, what the device supplies ------------------------------------ */

static double tile_stages(const kci_tiling *tiling, const kci_stream *stream)
{
    double own = tiling->tensor_stages ? tiling->tensor_stages[stream->tensor] : 0;
    return own > 0 ? own : tiling->stages;
}

/* Bytes that one CTA has under way: (stages - 1) streamed tiles, or the whole tiles where
 * nothing is streamed.  Of a kernel without matmuls each thread has (stages - 1) accesses
 * under way of each tensor that a pass reads, or with one stage a single one at a time. */
static double in_flight(const timing *t, double threads)
{
    double streamed = 0, whole = 0, reads = 0;
    for (size_t i = 0; i < t->counts->stream_count; i++) {
        const kci_stream *s = &t->counts->streams[i];
        whole += s->tile_bytes;
        reads++;
        if (s->streamed)
            streamed += s->tile_bytes * kci_max(1, tile_stages(t->tiling, s) - 1);
    }
    double bytes = streamed > 0 ? streamed : whole;
    if (t->counts->matmul_count > 0)
        return bytes;
    double access = t->tiling->vector > 0 ? t->tiling->vector : VECTOR_BYTES;
    double independent = (t->tiling->stages - 1) * kci_ceil(reads / kci_max(1, t->counts->passes));
    return kci_min(kci_max(bytes, whole), threads * access * kci_max(1, independent));
}

double kci_core_port(const kci_figures *figures)
{
    return figures->l2.per_core * figures->clock * PORT;
}

static kci_supply supply_of(const timing *t, double warps)
{
    const kci_figures *f = &t->device->full;
    kci_supply s = { .cores = f->cores };
    s.hbm = f->hbm.bandwidth * f->sustained.hbm / kci_sector_factor(t->counts, f->hbm.sector);
    s.hbm_latency = kci_latency_seconds(f, f->hbm.latency);
    if (!isnan(f->l2.bandwidth)) {
        s.l2 = f->l2.bandwidth * f->sustained.l2;
        s.l2_latency = kci_latency_seconds(f, f->l2.latency);
        s.port = kci_core_port(f);
    }
    s.turn = t->tiling->stages > 1 ? 0 : INSTRUCTIONS * INSTRUCTION_CYCLES / f->clock;
    s.dispatch = f->clock * CTAS_PER_CLOCK;
    s.depth = t->counts->matmul_count > 0 ? kci_max(1, t->tiling->stages - 1) : 0;
    s.in_flight = in_flight(t, warps * f->warp);
    return s;
}

/* Work of the mean CTA, alone on one core: that of all, evenly spread, times cores / ctas. */
static kc_status work_of_cta(const timing *t, kci_load *load)
{
    kci_cta_cost *cta = &load->cta;
    const kci_figures *f = &t->device->full;
    double rounding[KCI_FORMATS], each = f->cores / t->counts->ctas;
    kci_work_seconds work;
    kci_instruction_rounding(t->counts, t->device, rounding);
    kc_status status = kci_work_seconds_of(t->counts, t->device, false, rounding, &work, t->notes);
    if (status != KC_OK)
        return status;
    load->smem_bytes = kci_operand_bytes(t->counts, t->device, load->warps);
    double smem_rate = f->smem.bandwidth * f->clock * f->sustained.smem;
    cta->matrix = work.matrix * each / kci_path_share(t->device, t->tiling->path);
    double fragments = work.vector + work.special > 0 ? kci_fragment_rounding(t->counts, t->device) : 1;
    cta->ahead = work.vector * each * kci_share_ahead(t->counts);
    cta->vector = cta->ahead + (work.vector * each - cta->ahead) * fragments;
    cta->special = work.special * each * fragments;
    kci_lanes lanes = { 0, 0 };
    if (work.vector > 0)
        lanes = kci_lanes_of(t->counts, t->device, load->warps, t->tiling->vector);
    cta->vector += lanes.issue_clocks / t->counts->ctas / (f->clock * f->sustained.vector);
    cta->smem = smem_rate > 0 ? kci_max(load->smem_bytes, lanes.port_bytes) / t->counts->ctas / smem_rate : 0;
    cta->hide = kci_path_overlap(t->device, t->tiling->path);
    cta->specialised = kci_path_specialised(t->device, t->tiling->path);
    cta->steps = kci_steps(t->counts);
    cta->pause = kci_step_pause(t->counts, t->device, t->tiling->path) / f->clock;
    cta->chain = kci_latency_chain(t->graph) * kci_latency_seconds(f, f->hbm.latency);
    return KC_OK;
}

static void bytes_of_cta(kci_cta_cost *cta, const kci_shared *shared, double ctas)
{
    double each = 1 / ctas;
    cta->l2_read = shared->l2_read * each;
    cta->l2_written = shared->l2_written * each;
    cta->hbm_read = shared->hbm_read * each;
    cta->hbm_written = shared->hbm_written * each;
    cta->first = shared->l2_first;
}

/* Issue of a scalar loop: a core starts a warp's instruction in each of its parts every clock. */
static double issue_of_cta(const timing *t, const kci_cta_cost *cta)
{
    const kci_figures *f = &t->device->full;
    if (t->counts->matmul_count > 0 || t->tiling->stages > 1)
        return 0;
    double access = t->tiling->vector > 0 ? t->tiling->vector : VECTOR_BYTES;
    double accesses = (cta->l2_read + cta->l2_written) / access;
    return accesses * INSTRUCTIONS / (f->warp * f->registers.parts * f->clock);
}

/* One buffer is filled, then used. */
static kci_overlap overlap_of(const timing *t)
{
    return t->tiling->stages > 1 || t->tiling->overlap == KCI_OVERLAP_ALL ? t->tiling->overlap : KCI_OVERLAP_NONE;
}

/* `ctas` CTAs alike. */
static kci_body even_body(const timing *t, const kci_cta_cost *cta, const kci_supply *supply, double ctas,
                          double occupancy, bool serial)
{
    if (t->counts->matmul_count == 0)
        return kci_streaming_body(cta, supply, ctas, occupancy, serial);
    return kci_body_of(cta, supply, overlap_of(t), ctas, occupancy, t->tiling->persistent, serial);
}

/* No core is done before the largest CTA, one a core, is. */
static kci_body body_of(const timing *t, const kci_cta_cost *cta, const kci_supply *supply, double occupancy,
                        bool serial)
{
    double ctas = t->counts->ctas, largest = t->counts->largest;
    if (t->tiling->stream && t->counts->matmul_count > 0 && !serial)
        return kci_stream_body(cta, supply, overlap_of(t), ctas, occupancy, t->counts->accumulator_bytes);
    kci_body body = even_body(t, cta, supply, ctas, occupancy, serial);
    if (!(largest > 1))
        return body;
    const kci_cta_cost large = kci_larger_cta(cta, largest);
    kci_body alone = even_body(t, &large, supply, kci_min(ctas, supply->cores), 1, serial);
    return alone.total > body.total ? alone : body;
}

/* Loads wait for their latency, at `rate`; stores wait for nobody, but share the bandwidth. */
static double level_seconds(double read, double written, double rate, double bandwidth)
{
    return kci_max(read / rate, (read + written) / bandwidth);
}

/* CTAs of the busiest core; of stream-K, whose CTAs take equal shares of all steps, tiles. */
static double busiest_core(const timing *t, double steps, double occupancy)
{
    double ctas = t->counts->ctas, cores = t->device->full.cores;
    if (!t->tiling->stream)
        return kci_busiest_core(ctas, cores, occupancy);
    double shares = kci_min(ctas * steps, cores * occupancy);
    return kci_ceil(shares / cores) * kci_ceil(ctas * steps / shares) / steps;
}

/* Seconds per roof: work of the busiest core, bytes of each level.  Whether a latency slows the longer level. */
static bool fill_parts(const kci_load *load, double busiest, bool stream, double *part)
{
    const kci_cta_cost *cta = &load->cta;
    const kci_supply *supply = &load->supply;
    const kci_shared *shared = &load->shared;
    double resident = kci_min(stream ? load->ctas * cta->steps : load->ctas, supply->cores * load->occupancy);
    double hbm = kci_supplied(supply->hbm, resident, supply->in_flight, supply->hbm_latency);
    double l2 = kci_supplied(supply->l2, resident, supply->in_flight, supply->l2_latency);
    double l2_bytes = shared->l2_read + shared->l2_written;
    part[KCI_ROOF_MATRIX] = busiest * cta->matrix;
    part[KCI_ROOF_VECTOR] = busiest * cta->vector;
    part[KCI_ROOF_SPECIAL] = busiest * cta->special;
    part[KCI_ROOF_SMEM] = busiest * cta->smem;
    part[KCI_ROOF_HBM] = level_seconds(shared->hbm_read, shared->hbm_written, hbm, supply->hbm);
    if (supply->l2 > 0)
        part[KCI_ROOF_L2] = kci_max(level_seconds(shared->l2_read, shared->l2_written, l2, supply->l2),
                                    busiest * l2_bytes / load->ctas / supply->port);
    return part[KCI_ROOF_HBM] >= part[KCI_ROOF_L2] ? hbm < supply->hbm : l2 < supply->l2;
}

/* ---- tiled: the whole ------------------------------------------------------------------------- */

/* Everything one after the other, and no sharing: HBM moves what L2 moves. */
static double serial_time(const timing *t, const kci_load *load, double read, double written)
{
    kci_cta_cost alone = load->cta;
    alone.hbm_read = alone.l2_read = read / load->ctas;
    alone.hbm_written = alone.l2_written = written / load->ctas;
    return body_of(t, &alone, &load->supply, load->occupancy, true).total + load->launch;
}

static bool has_scan(const kci_graph *graph)
{
    for (size_t n = 0; n < graph->node_count; n++)
        if (graph->nodes[n].flags & KCI_SCAN)
            return true;
    return false;
}

static kc_status note_occupancy(const timing *t, const kci_occupancy *o)
{
    double ctas = t->counts->ctas, cores = t->device->full.cores;
    if (!t->notes)
        return KC_OK;
    kc_status status = kci_note(t->notes, "%.0f CTA%s of %.0f warps fit%s" KCI_OCCUPANCY_NOTE "%s", o->ctas,
                                o->ctas == 1 ? "" : "s", o->warps, o->ctas == 1 ? "s" : "", kci_limit_name(o->limit));
    if (status == KC_OK && ctas < cores)
        status = kci_note(t->notes, "%.0f CTA%s leave%s %.0f of %.0f cores idle%s", ctas, ctas == 1 ? "" : "s", ctas == 1 ? "s" : "",
                          cores - ctas, cores, has_scan(t->graph) ? ": no CTAs share a scan; in chunks its rows are several" : "");
    return status;
}

/* What goes by tiles, stages and warps: what a core holds, what a CTA works, what supplies it. */
static kc_status tiled_load(const timing *t, kci_load *load)
{
    load->tiled = true;
    load->matmul = t->counts->matmul_count > 0;
    load->ctas = t->counts->ctas;
    load->largest = t->counts->largest;
    load->stages = t->tiling->stages;
    load->overlap = t->tiling->overlap;
    kci_occupancy occupancy = { .allowed = { 1, 1, 1, 1, 1 } };
    kc_status status = kci_occupancy_find(t->graph, t->tiling, t->counts, t->sizes, t->device, t->options->quiet,
                                          &occupancy);
    for (int limit = 0; limit < KCI_BY_COUNT; limit++)
        t->times->misfit |= occupancy.allowed[limit] < 1 ? 1u << limit : 0;
    load->occupancy = occupancy.ctas;
    load->warps = occupancy.warps;
    if (status == KC_OK)
        status = work_of_cta(t, load);
    if (status == KC_OK)
        status = useful_of(t, load);
    if (status != KC_OK)
        return status;
    load->busiest = busiest_core(t, load->cta.steps, load->occupancy);
    load->supply = supply_of(t, load->warps);
    load->launch = kci_launch_time(t->counts, t->device, t->options->regime, true);
    return note_occupancy(t, &occupancy);
}

/* And what goes by the raster too: bytes behind L2. */
static kc_status share_load(const timing *t, kci_load *load)
{
    kc_status status = kci_share(t->graph, t->tiling, t->counts, t->sizes, t->device, t->options,
              t->device->full.cores * load->occupancy, t->rows, &load->shared);
    if (status != KC_OK)
        return status;
    bytes_of_cta(&load->cta, &load->shared, load->ctas);
    load->cta.issue = issue_of_cta(t, &load->cta);
    return KC_OK;
}

static kc_status tiled_time(const timing *t, kci_load *load)
{
    kci_times *times = t->times;
    kc_status status = tiled_load(t, load);
    if (status != KC_OK)
        return status;
    double cores = t->device->full.cores;
    double most = t->tiling->stream ? load->busiest : kci_max(load->busiest, load->largest); /* in mean CTAs */
    times->tiled = true;
    times->occupancy = load->occupancy;
    times->warps = load->warps;
    times->waves = kci_ceil(load->ctas / (cores * load->occupancy));
    times->wave_efficiency = load->ctas / (cores * load->busiest);
    times->smem_bytes = load->smem_bytes;
    times->l2_bytes = total_bytes(t->graph, t->rows); /* section 3's, before any sharing */
    double whole_read = 0, whole_written = 0;
    kci_add_bytes(t->graph, t->rows, &whole_read, &whole_written);
    status = share_load(t, load);
    if (status != KC_OK)
        return status;
    roof_time(t, load);

    kci_body body = body_of(t, &load->cta, &load->supply, load->occupancy, false);
    bool latency = fill_parts(load, most, t->tiling->stream, times->part);
    times->part[KCI_ROOF_LAUNCH] = load->launch;
    times->part[KCI_ROOF_FILL] = body.fill;
    times->part[KCI_ROOF_DRAIN] = body.drain;
    times->time = body.total + load->launch;
    if (!t->options->no_serial)
        times->serial_time = serial_time(t, load, whole_read, whole_written);
    find_bound(times, body.wait, latency);
    keep_order(times);
    return KC_OK;
}

/* Field by field: a block fill costs more than all of them. */
static void clear_times(kci_times *t)
{
    for (int r = 0; r < KCI_ROOFS; r++)
        t->part[r] = 0;
    t->roof[KCI_ROOF_LINK] = 0; /* the others are set with roof_time */
    t->time = t->roof_time = t->serial_time = t->ridge = 0;
    t->occupancy = t->waves = t->wave_efficiency = t->warps = 0;
    t->l2_bytes = t->smem_bytes = 0;
    t->bound = KCI_ROOF_MATRIX;
    t->has_ridge = t->tiled = false;
    t->misfit = 0;
}

kc_status kci_time(const kci_graph *graph, const kci_tiling *tiling, const kci_counts *counts, const double *sizes,
                   const kc_device *device, const kci_time_options *options, kci_row *rows, kci_times *times,
                   kci_notes *notes)
{
    const timing t = { graph, tiling, counts, sizes, device, options, rows, times, notes };
    kci_load here, *load = options->load ? options->load : &here;
    clear_times(times);
    kc_status status = tiling ? tiled_time(&t, load) : untiled_time(&t, load);
    if (status != KC_OK)
        return status;
    load->serial = times->serial_time;
    load->compulsory = hbm_roof(&t);
    return kci_note_device(device, counts, tiling != NULL, graph->comm.kind != KCI_NO_COMM, options->regime, notes);
}

/* ---- groups ------------------------------------------------------------------------------------- */

/* Adds `share` of a figure of each member: the mean over all their CTAs. */
static void add_share(kci_load *all, const kci_load *one, double share)
{
    const struct { double *to; double from; } figures[] = {
        { &all->cta.matrix, one->cta.matrix },           { &all->cta.vector, one->cta.vector },
        { &all->cta.special, one->cta.special },         { &all->cta.smem, one->cta.smem },
        { &all->cta.issue, one->cta.issue },             { &all->cta.ahead, one->cta.ahead },
        { &all->cta.pause, one->cta.pause },             { &all->cta.steps, one->cta.steps },
        { &all->cta.l2_read, one->cta.l2_read },         { &all->cta.l2_written, one->cta.l2_written },
        { &all->cta.hbm_read, one->cta.hbm_read },       { &all->cta.hbm_written, one->cta.hbm_written },
        { &all->cta.first, one->cta.first },             { &all->cta.hide, one->cta.hide },
        { &all->supply.in_flight, one->supply.in_flight },
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        *figures[i].to += share * figures[i].from;
}

/* The mean CTA of all tiled members, and what supplies it. */
static kci_load joint_load(const kci_load *loads, size_t count)
{
    kci_load all = { .occupancy = INFINITY };
    for (size_t i = 0; i < count; i++)
        all.ctas += loads[i].ctas;
    for (size_t i = 0; i < count; i++) {
        const kci_load *one = &loads[i];
        if (!one->tiled)
            continue;
        if (!all.tiled) { /* rates are the device's */
            double in_flight = all.supply.in_flight;
            all.supply = one->supply;
            all.supply.in_flight = in_flight;
            all.overlap = one->overlap;
            all.stages = one->stages;
        }
        all.tiled = true;
        all.matmul = all.matmul || one->matmul;
        all.occupancy = kci_min(one->occupancy, all.occupancy);
        all.supply.hbm = kci_min(all.supply.hbm, one->supply.hbm);
        all.supply.depth = kci_max(all.supply.depth, one->supply.depth);
        all.cta.chain = kci_max(all.cta.chain, one->cta.chain);
        all.cta.specialised = all.cta.specialised || one->cta.specialised;
        all.shared.hbm_read += one->shared.hbm_read;
        all.shared.hbm_written += one->shared.hbm_written;
        all.shared.l2_read += one->shared.l2_read;
        all.shared.l2_written += one->shared.l2_written;
        add_share(&all, one, one->ctas / all.ctas);
    }
    return all;
}

/* How long the largest CTA of any member takes alone on the device. */
static double longest_alone(const timing *t, const kci_load *loads, size_t count)
{
    double longest = 0;
    for (size_t i = 0; i < count; i++) {
        if (!loads[i].tiled)
            continue;
        const kci_cta_cost large = kci_larger_cta(&loads[i].cta, kci_max(1, loads[i].largest));
        longest = kci_max(longest, even_body(t, &large, &loads[i].supply, 1, 1, false).total);
    }
    return longest;
}

static double group_roof(const kci_load *loads, size_t count, double *roof)
{
    memset(roof, 0, KCI_ROOFS * sizeof *roof);
    for (size_t i = 0; i < count; i++) {
        roof[KCI_ROOF_MATRIX] += loads[i].useful.matrix;
        roof[KCI_ROOF_VECTOR] += loads[i].useful.vector;
        roof[KCI_ROOF_SPECIAL] += loads[i].useful.special;
        roof[KCI_ROOF_HBM] += loads[i].compulsory;
    }
    return kci_longest_roof(roof);
}

void kci_group_time(const kci_load *loads, size_t count, const kc_device *device, const kci_time_options *options,
                    kci_times *times)
{
    const kci_load all = joint_load(loads, count);
    const kci_tiling tiling = { .stages = all.stages, .overlap = all.overlap };
    const kci_counts counts = { .ctas = all.ctas, .largest = 1, .matmul_count = all.matmul };
    const timing t = { NULL, &tiling, &counts, NULL, device, options, NULL, times, NULL };
    bool latency = false;
    double wait = 0, body = 0, sums[KCI_ROOFS] = { 0 }, longest = 0;
    clear_times(times);
    if (all.tiled) {
        double busiest = kci_busiest_core(all.ctas, device->full.cores, all.occupancy);
        times->tiled = true;
        times->occupancy = all.occupancy;
        times->waves = kci_ceil(all.ctas / (device->full.cores * all.occupancy));
        times->wave_efficiency = all.ctas / (device->full.cores * busiest);
        const kci_body even = even_body(&t, &all.cta, &all.supply, all.ctas, all.occupancy, false);
        latency = fill_parts(&all, busiest, false, times->part);
        times->part[KCI_ROOF_FILL] = even.fill;
        times->part[KCI_ROOF_DRAIN] = even.drain;
        body = kci_max(even.total, longest_alone(&t, loads, count));
        wait = even.wait;
    }
    for (size_t i = 0; i < count; i++) {
        for (int r = 0; r < KCI_ROOFS && !loads[i].tiled; r++)
            sums[r] += r == KCI_ROOF_LAUNCH ? 0 : loads[i].sustained[r];
        times->part[KCI_ROOF_LAUNCH] = kci_max(times->part[KCI_ROOF_LAUNCH], loads[i].launch);
        times->serial_time += loads[i].serial - (i ? loads[i].launch : 0);
    }
    for (int r = 0; r < KCI_ROOFS; r++) {
        times->part[r] += sums[r];
        longest = kci_max(longest, sums[r]);
    }
    times->time = body + longest + times->part[KCI_ROOF_LAUNCH];
    times->roof_time = group_roof(loads, count, times->roof);
    find_bound(times, wait, latency);
    keep_order(times);
}
