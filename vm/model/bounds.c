/* bounds.c: lower bounds on the time of a box of points. */
#include "bounds.h"

#include <math.h>
#include <string.h>

#include "arith.h"
#include "occupancy.h"
#include "roof.h"
#include "share.h"
#include "step.h"

/* What is the same at all points of the box. */
typedef struct box {
    kci_evaluator *e;
    const kci_tiling *most;
    bool loops;                     /* tiles and splits: the counts are those of each point */
    bool warps;                     /* and warps: so is the footprint, but for stages */
    double warps_of_cta;            /* 0: not known */
    double rows;                    /* of CTAs on a core, one after the other, at least */
    kci_counts least;               /* no point has less of anything */
    double ctas_most;
} box;

static bool same_loops(const kci_graph *graph, const kci_tiling *a, const kci_tiling *b)
{
    for (size_t l = 0; l < graph->loop_count; l++)
        if (a->tile[l] != b->tile[l] || a->split[l] != b->split[l])
            return false;
    return true;
}

/* ---- what fits ---------------------------------------------------------------------------- */

static bool keeps_in_registers(const kci_evaluator *e)
{
    for (size_t t = 0; t < e->graph.tensor_count; t++)
        if (e->tiling->in_registers[t])
            return true;
    return false;
}

/* Shared memory that no point has less of: of each tensor its largest buffer.  Tiles and stages are the
 * box's least ones, and a buffer is their product; passes that fill the same one count once, so the
 * largest alone is sure. */
static double least_smem(const box *b)
{
    const kci_tiling *tiling = b->e->tiling;
    double sum = 0;
    for (size_t t = 0; t < b->e->graph.tensor_count; t++) {
        double own = tiling->tensor_stages[t], largest = 0;
        if (kci_spend(b->e->context, "best", b->least.stream_count) != KC_OK)
            return 0; /* what is looked at next ends the search */
        for (size_t i = 0; i < b->least.stream_count; i++) {
            const kci_stream *s = &b->least.streams[i];
            if (s->tensor == (int32_t)t && !s->held && !s->in_registers)
                largest = kci_max(largest, s->tile_bytes * (s->streamed ? own > 0 ? own : tiling->stages : 1));
        }
        sum += largest;
    }
    return sum;
}

/* Not one CTA of any point fits a core.  More stages take more shared memory, and more registers only where
 * tiles lie there; all else that a CTA holds goes by tiles, splits and warps. */
static bool fits_nowhere(box *b)
{
    kci_evaluator *e = b->e;
    if (b->warps && (e->tiling->stages == b->most->stages || !keeps_in_registers(e))) {
        kci_occupancy o;
        if (kci_occupancy_find(&e->graph, e->tiling, e->counts, e->sizes, e->device, true, &o) != KC_OK)
            return true;
        b->warps_of_cta = o.warps;
        b->rows = kci_ceil(b->least.ctas / (e->device->full.cores * o.ctas)); /* more stages keep no more CTAs */
        return false;
    }
    const kci_cta cta = { .threads = e->device->full.warp, .registers = 1, .smem = least_smem(b) };
    return kci_occupancy_of(&e->device->full, &cta).allowed[KCI_BY_SMEM] < 1;
}

/* ---- work ---------------------------------------------------------------------------------- */

/* Matrix work of a format in instructions that tiles fill: where all of it is that of the matmuls counted,
 * 2 * sum of executions * covered(m, n, k), a product of what only grows with tiles and trips. */
static double in_instructions(const kci_counts *counts, const double *rounding, size_t format)
{
    double points = 0, work = counts->executed_matrix[format];
    for (size_t i = 0; i < counts->matmul_count; i++) {
        const struct kci_matmul_count *mm = &counts->matmuls[i];
        if (!mm->vector && (size_t)mm->math == format)
            points += mm->executions * mm->m * mm->n * mm->k;
    }
    return fabs(work - 2 * points) <= 1e-9 * work ? work * rounding[format] : work;
}

/* Executed work is never less than the useful, which is the same at all points; nor than the product of
 * the least trips and the least tiles. */
static void raise_to_useful(box *b)
{
    kci_counts *c = &b->least;
    double rounding[KCI_FORMATS];
    kci_instruction_rounding(c, b->e->device, rounding);
    for (KCI_EACH(f, kci_formats_of(c)))
        c->executed_matrix[f] = kci_max(c->useful_matrix[f], in_instructions(c, rounding, f));
    for (int wide = 0; wide < 2 && !b->loops; wide++) {
        c->executed_vector[wide] = kci_max(c->useful_vector[wide], c->executed_vector[wide]);
        if (c->executed_vector_fma[wide] > 0) /* how much of it is not known: an fma takes the least slots */
            c->executed_vector_fma[wide] = c->executed_vector[wide];
    }
    c->executed_special = kci_max(c->useful_special, c->executed_special);
}

/* Seconds of the busiest core at its units.  It has ceil(ctas / cores) CTAs whatever the occupancy, each of
 * 1 / ctas of the work:
 *     ceil(ctas / cores) * work / ctas >= work / cores * max(1, ceil(least ctas / cores) * cores / most ctas)
 * Rows of CTAs take their steps, and each step at least all its computes; what hides of softmax, and what
 * prepares operands, is as in compute_time of step.c.  Stream-K shares its steps evenly. */
static double busy(const box *b, double uneven)
{
    const kci_evaluator *e = b->e;
    const kc_device *device = e->device;
    const kci_figures *f = &device->full;
    kci_work_seconds work;
    if (kci_work_seconds_of(&b->least, device, false, NULL, &work, NULL) != KC_OK)
        return 0;
    double matrix = work.matrix / kci_path_share(device, e->tiling->path);
    double ahead = b->loops ? kci_share_ahead(&b->least) : b->least.executed_vector_apart > 0;
    double softmax = work.vector * (1 - ahead) + work.special;
    double units = kci_max(matrix, kci_max(work.vector, work.special));
    if (b->least.matmul_count > 0 && e->tiling->overlap != KCI_OVERLAP_ALL)
        units = kci_max(units, kci_max(matrix, softmax) +
                                   (1 - kci_path_overlap(device, e->tiling->path)) * kci_min(matrix, softmax));
    double rate = f->smem.bandwidth * f->clock * f->sustained.smem * f->cores;
    if (b->warps_of_cta > 0 && rate > 0)
        units = kci_max(units, kci_operand_bytes(&b->least, device, b->warps_of_cta) / rate);
    return units * uneven;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Each row of CTAs loads and stores all its bytes, at most at the sustained rate.  Through L2 go those of
 * section 3, products of sizes and trips, less what a cluster shares (at most all but one of its CTAs);
 * from HBM at least the compulsory ones, less what is warm. */
static double moved(const box *b, double uneven)
{
    kci_evaluator *e = b->e;
    const kci_figures *f = &e->device->full;
    double through = 0, compulsory = 0, time;
    memcpy(e->rows, b->least.rows, e->graph.tensor_count * sizeof *e->rows);
    for (size_t t = 0; t < e->graph.tensor_count; t++)
        through += e->rows[t].read + e->rows[t].written;
    for (size_t l = 0; l < e->graph.loop_count; l++)
        through /= e->tiling->cluster[l];
    kci_share_warm(&e->graph, e->device, &e->options, e->rows);
    for (size_t t = 0; t < e->graph.tensor_count; t++)
        compulsory += e->rows[t].compulsory;
    time = compulsory / (f->hbm.bandwidth * f->sustained.hbm);
    if (f->l2.bandwidth > 0) {
        time = kci_max(time, through / (f->l2.bandwidth * f->sustained.l2));
        time = kci_max(time, through / (kci_core_port(f) * f->cores) * uneven);
    }
    return time;
}

/* ---- latencies -------------------------------------------------------------------------------- */

/* Seconds of rows of CTAs beside what they move and compute: each waits for its chain of latencies, unless CTAs
 * that stay do so beside their neighbours, or many short ones without matmuls beside each other. */
static double chains(const box *b, double chain)
{
    const kci_tiling *tiling = b->e->tiling;
    return b->least.matmul_count > 0 && !tiling->persistent && !tiling->stream ? b->rows * chain : chain;
}

/* Seconds of rows that hide nothing: all steps of a matmul but the last pause; rows without one wait. */
static double pauses(const box *b, double chain)
{
    const kci_evaluator *e = b->e;
    if (b->least.matmul_count == 0)
        return b->rows * chain;
    if (!b->loops || e->tiling->stream)
        return 0;
    double pause = kci_step_pause(&b->least, e->device, e->tiling->path) / e->device->full.clock;
    return b->rows * (kci_steps(&b->least) - 1) * pause;
}

/* ---- the bound ------------------------------------------------------------------------------- */

/* Everything but the raster is known.  HBM traffic is compulsory at least, and no time is shorter for
 * more of it, as long as what HBM has takes no less long to come than what L2 has. */
static double whatever_raster(kci_evaluator *e)
{
    e->options.least_hbm = true;
    double time = kci_evaluate(e) == KC_OK ? e->times.time : INFINITY;
    e->options.least_hbm = false;
    return time;
}

static bool hbm_is_farther(const kci_figures *f)
{
    return !(kci_latency_seconds(f, f->hbm.latency) < kci_latency_seconds(f, f->l2.latency));
}

/* By roofs alone; 0: not known. */
static double by_roofs(box *b)
{
    kci_evaluator *e = b->e;
    const kci_figures *f = &e->device->full;
    bool stream = e->tiling->stream;
    e->counts = b->loops ? kci_plan_count(e->plan, e->sizes, NULL)
                         : kci_plan_count_least(e->plan, e->sizes, b->most, &b->ctas_most);
    if (!e->counts)
        return b->loops ? INFINITY : 0;
    b->least = *e->counts;
    if (b->loops)
        b->ctas_most = b->least.ctas;
    if (fits_nowhere(b))
        return INFINITY;
    raise_to_useful(b);
    double uneven = stream ? 1 : kci_max(1, kci_ceil(b->least.ctas / f->cores) * f->cores / b->ctas_most);
    double chain = kci_latency_chain(&e->graph) * kci_latency_seconds(f, f->hbm.latency);
    double longest = kci_max(busy(b, uneven), kci_max(stream ? 0 : moved(b, uneven), pauses(b, chain)));
    return kci_launch_time(&b->least, e->device, e->options.regime, true) + chains(b, chain) + longest;
}

double kci_least_time(kci_evaluator *e, const kci_tiling *most, double enough)
{
    if (!e->tiling) /* the same everywhere */
        return kci_evaluate(e) == KC_OK ? e->times.time : INFINITY;
    box b = { .e = e, .most = most, .rows = 1, .loops = same_loops(&e->graph, e->tiling, most) };
    b.warps = b.loops && e->tiling->warps == most->warps;
    double least = by_roofs(&b);
    bool raster = b.warps && e->tiling->stages == most->stages && e->tiling->raster_group != most->raster_group;
    if (!raster || least * (1 - KCI_ROUNDING) > enough || !hbm_is_farther(&e->device->full))
        return least;
    return kci_max(least, whatever_raster(e));
}
