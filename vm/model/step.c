/* step.c: instructions, steps, rows: how long the CTAs of the busiest core take. */
#include "step.h"

#include <math.h>

#include "arith.h"
#include "lanes.h"

/* ---- instructions ------------------------------------------------------------------------ */

typedef struct instruction {
    double m, n, k, step;
    bool of_warp;               /* one warp's, and not one of several warps together */
} instruction;

/* The instruction of the format that serves; vector units, and no figure: 1 x 1 x 1. */
static instruction instruction_of(const kc_device *device, const struct kci_matmul_count *mm)
{
    kci_compute_roof roof;
    instruction i = { 1, 1, 1, 1, true };
    if (mm->vector || kci_matrix_roof(device, mm->math, false, &roof, NULL) != KC_OK || roof.unit == KCI_VECTOR)
        return i;
    const kci_figures *f = &device->full;
    if (isnan(f->matrix_tile.m[roof.format]) || isnan(f->matrix_tile.n[roof.format]))
        return i;
    i.m = f->matrix_tile.m[roof.format];
    i.n = f->matrix_tile.n[roof.format];
    i.k = isnan(f->matrix_tile.k[roof.format]) ? 1 : f->matrix_tile.k[roof.format];
    i.step = isnan(f->matrix_tile.step[roof.format]) ? i.n : f->matrix_tile.step[roof.format];
    i.of_warp = device->of_warp[roof.format];
    return i;
}

static double filled(double size, double unit)
{
    return kci_ceil(size / unit) * unit;
}

/* Points of the instructions that cover an m x n x k tile. */
static double covered(const instruction *i, double m, double n, double k)
{
    double plain = filled(m, i->m) * filled(n, i->step), swapped = filled(n, i->m) * filled(m, i->step);
    return kci_min(plain, swapped) * filled(k, i->k);
}

void kci_instruction_rounding(const kci_counts *counts, const kc_device *device, double rounding[KCI_FORMATS])
{
    double work[KCI_FORMATS], done[KCI_FORMATS];
    for (KCI_EACH(f, kci_formats_of(counts)))
        work[f] = done[f] = 0;
    for (size_t i = 0; i < counts->matmul_count; i++) {
        const struct kci_matmul_count *mm = &counts->matmuls[i];
        if (mm->vector)
            continue;
        instruction instr = instruction_of(device, mm);
        work[mm->math] += mm->executions * mm->m * mm->n * mm->k;
        done[mm->math] += mm->executions * covered(&instr, mm->m, mm->n, mm->k);
    }
    for (KCI_EACH(f, kci_formats_of(counts)))
        rounding[f] = work[f] > 0 ? done[f] / work[f] : 1;
}

double kci_fragment_rounding(const kci_counts *counts, const kc_device *device)
{
    double most = 1;
    for (size_t i = 0; i < counts->matmul_count; i++) {
        const struct kci_matmul_count *mm = &counts->matmuls[i];
        instruction instr = instruction_of(device, mm);
        instr.k = 1;
        most = kci_max(most, covered(&instr, mm->m, mm->n, 1) / (mm->m * mm->n));
    }
    return most;
}

double kci_share_ahead(const kci_counts *counts)
{
    double all = counts->executed_vector[0] + counts->executed_vector[1];
    return all > 0 ? kci_min(1, counts->executed_vector_apart / all) : 0;
}

double kci_operand_bytes(const kci_counts *counts, const kc_device *device, double warps)
{
    double bytes = 0;
    for (size_t i = 0; i < counts->matmul_count; i++) {
        const struct kci_matmul_count *mm = &counts->matmuls[i];
        instruction instr = instruction_of(device, mm);
        double m = instr.m, n = instr.n;
        if (instr.of_warp) {
            m = mm->m;
            n = mm->n;
            kci_divide_tile(&m, &n, warps);
        }
        bytes += mm->executions * mm->k *
                 (mm->m * kci_ceil(mm->n / n) * mm->a_bytes + mm->n * kci_ceil(mm->m / m) * mm->b_bytes);
    }
    return bytes;
}

/* Cycles of a tile's arrival: wait, barrier, address; and of an instruction until the next may add onto
 * its accumulator, operands fetched by the warp itself (mma) or by the unit (wgmma, tcgen05).
 * From matmuls of few rows and columns whose k is not split: 100 ns for 64 of k on H100 and B200, 380 on A100. */
static const double ARRIVAL = 60, SYNCHRONOUS = 85, ASYNCHRONOUS = 35;

double kci_step_pause(const kci_counts *counts, const kc_device *device, const char *path)
{
    double cycles = 0, steps = counts->ctas * kci_steps(counts);
    double each = kci_path_specialised(device, path) ? ASYNCHRONOUS : SYNCHRONOUS;
    for (size_t i = 0; i < counts->matmul_count; i++) {
        const struct kci_matmul_count *mm = &counts->matmuls[i];
        instruction instr = instruction_of(device, mm);
        bool matrix = instr.m > 1 || instr.n > 1;
        cycles += mm->executions / steps * (ARRIVAL + (matrix ? kci_ceil(mm->k / instr.k) * each : 0));
    }
    return cycles;
}

/* ---- latencies --------------------------------------------------------------------------- */

double kci_latency_seconds(const kci_figures *figures, double latency)
{
    return latency < 1 ? latency : latency / figures->clock;
}

enum { DEEP = 64 };             /* nodes whose depth is kept; a longer kernel is cut into runs */

double kci_latency_chain(const kci_graph *graph)
{
    unsigned char depth[DEEP] = { 0 };
    double longest = 1;
    for (size_t i = 0; i < graph->node_count; i++) {
        const kci_node *node = &graph->nodes[i];
        unsigned deepest = 0;
        for (uint32_t e = 0; e < node->edges; e++) {
            size_t input = graph->edge_list[node->edge + e].node;
            if (i - input < DEEP && depth[input % DEEP] > deepest)
                deepest = depth[input % DEEP];
        }
        bool reduces = node->kind == KCI_OP && node->reduced != 0 && deepest < 250;
        depth[i % DEEP] = (unsigned char)(deepest + reduces);
        longest = kci_max(longest, depth[i % DEEP]);
    }
    return longest > 1 ? longest + 1 : 1;
}

double kci_supplied(double bandwidth, double resident, double in_flight, double latency)
{
    if (!(in_flight > 0) || !(latency > 0))
        return bandwidth;
    return kci_min(bandwidth, resident * in_flight / latency);
}

kci_cta_cost kci_larger_cta(const kci_cta_cost *cta, double factor)
{
    kci_cta_cost c = *cta;
    double *const grows[] = { &c.matrix, &c.vector, &c.special, &c.smem, &c.ahead, &c.l2_read, &c.hbm_read, &c.steps };
    for (size_t i = 0; i < sizeof grows / sizeof *grows; i++)
        *grows[i] *= factor;
    c.first /= factor;
    return c;
}

/* ---- one row of CTAs ----------------------------------------------------------------------- */

/* The longer of two that run side by side, or in the serial sum both. */
static inline double both(bool serial, double a, double b)
{
    return serial ? a + b : kci_max(a, b);
}

/* Seconds that a byte of one CTA takes at each level where several load. */
typedef struct pace {
    double hbm, l2, port;
} pace;

/* Stores wait for nobody, but `active` CTAs share the bandwidth, and `each` of them a core's port. */
static pace pace_of_stores(const kci_supply *s, double each, double active)
{
    return (pace){ active / s->hbm, s->l2 > 0 ? active / s->l2 : 0, s->port > 0 ? each / s->port : 0 };
}

/* Tiles come in rounds: a buffer is asked for when it is free, and is full after the latency and
 * its own transfer; `tiles` of them are under way. */
static double in_rounds(double transfer, double latency, double tile, double share)
{
    return latency > 0 ? kci_max(transfer, (latency + tile * transfer) * share) : transfer;
}

static pace pace_of_loads(const kci_supply *s, const pace *stores, double in_flight, double tiles)
{
    pace p = *stores;
    if (!(in_flight > 0))
        return p;
    double depth = kci_max(1, s->depth), tile = in_flight / depth, share = 1 / (tile * tiles);
    if (s->depth > 0) {
        p.hbm = in_rounds(p.hbm, s->hbm_latency, tile, share);
        p.l2 = in_rounds(p.l2, s->l2_latency, tile, share);
    } else {
        p.hbm = kci_max(p.hbm, s->hbm_latency / in_flight);
        p.l2 = kci_max(p.l2, s->l2_latency / in_flight);
    }
    return p;
}

/* Seconds to move a CTA's bytes. */
static inline double load_time(const pace *p, double hbm, double l2, bool serial)
{
    return both(serial, hbm * p->hbm, both(serial, l2 * p->l2, l2 * p->port));
}

/* Compute of one CTA alone: matrix work hides a share of the softmax (vector and special), which waits
 * for it, and all that prepares operands, which does not. */
static double compute_time(const kci_cta_cost *c, kci_overlap overlap, bool serial)
{
    if (overlap == KCI_OVERLAP_ALL || serial)
        return both(serial, both(serial, c->matrix, c->vector), both(serial, c->special, c->smem));
    double softmax = c->vector - c->ahead + c->special;
    double units = kci_max(c->matrix, softmax) + (1 - c->hide) * kci_min(c->matrix, softmax);
    return kci_max(kci_max(units, c->vector), c->smem);
}

kci_row_time kci_row_of(const kci_cta_cost *cta, const kci_supply *supply, kci_overlap overlap, double each,
                        double active, bool serial)
{
    double steps = kci_max(1, cta->steps), rest = steps > 1 ? (1 - cta->first) / (steps - 1) : 0;
    double first = steps > 1 ? cta->first : 1;
    const pace out = pace_of_stores(supply, each, active);
    const pace p = pace_of_loads(supply, &out, supply->in_flight, kci_max(1, supply->depth));
    /* The first tile is waited for, however many are asked for; what is loaded with it goes at once. */
    double at_once = cta->l2_read * first * kci_max(1, supply->depth);
    const pace one = pace_of_loads(supply, &out, kci_max(supply->in_flight, at_once), 1);
    kci_row_time r;
    r.load = load_time(&one, cta->hbm_read * first, cta->l2_read * first, serial);
    r.store = load_time(&out, cta->hbm_written, cta->l2_written, serial);
    double load = load_time(&p, cta->hbm_read * rest, cta->l2_read * rest, serial);
    double compute = compute_time(cta, overlap, serial) / steps;
    if (serial) {
        r.last = each * compute;
        r.step = load + r.last + cta->pause;
    } else {
        double alone = kci_max(compute, cta->pause);
        double own = overlap == KCI_OVERLAP_NONE ? load / each + alone : kci_max(load / each, alone);
        r.last = each * compute;
        r.step = kci_max(kci_max(load, each * compute), own);
    }
    r.steps = (steps - 1) * r.step;
    r.moves = r.load + (steps - 1) * load + r.store;
    r.total = cta->chain + r.load + r.steps + r.last + r.store;
    return r;
}

/* ---- all rows --------------------------------------------------------------------------------- */

double kci_busiest_core(double ctas, double cores, double occupancy)
{
    double rows = kci_floor(ctas / (cores * occupancy)), rest = ctas - rows * cores * occupancy;
    return rows * occupancy + kci_ceil(rest / cores);
}

static kci_body add_rows(kci_body body, const kci_row_time *r, double rows, double chain)
{
    body.total += rows * r->total;
    body.wait += rows * chain;
    body.fill += rows * (chain + r->load);
    body.drain += rows * (r->last + r->store);
    return body;
}

/* Rows whose first load and last store run beside their neighbours.  Where warps of their own load
 * and store, loads run ahead of the tile and its results leave while the next one is computed: a
 * row is its steps, or all that it moves.  Else they run beside the last compute only. */
static kci_body add_hidden_rows(kci_body body, const kci_row_time *r, double rows, const kci_cta_cost *cta)
{
    double steps = cta->specialised ? r->steps + r->last : r->last;
    double moves = cta->specialised ? kci_max(cta->chain, r->moves) : cta->chain + r->load + r->store;
    body.total += rows * (kci_max(steps, moves) + (cta->specialised ? 0 : r->steps));
    body.drain += rows * kci_max(0, moves - steps);
    return body;
}

kci_body kci_body_of(const kci_cta_cost *cta, const kci_supply *supply, kci_overlap overlap, double ctas,
                     double occupancy, bool persistent, bool serial)
{
    kci_body body = { 0, 0, 0, 0 };
    double wide = supply->cores * occupancy, full = kci_floor(ctas / wide), rest = ctas - full * wide;
    bool hides = persistent && !serial;
    if (full > 0) {
        kci_row_time r = kci_row_of(cta, supply, overlap, occupancy, wide, serial);
        body = add_rows(body, &r, hides ? 1 : full, cta->chain);
        if (hides)
            body = add_hidden_rows(body, &r, full - 1, cta);
    }
    if (rest > 0) {
        kci_row_time r = kci_row_of(cta, supply, overlap, kci_ceil(rest / supply->cores), rest, serial);
        body = hides && full > 0 ? add_hidden_rows(body, &r, 1, cta) : add_rows(body, &r, 1, cta->chain);
    }
    return body;
}

kci_body kci_stream_body(const kci_cta_cost *cta, const kci_supply *supply, kci_overlap overlap, double ctas,
                         double occupancy, double partial)
{
    double steps = kci_max(1, cta->steps), shares = kci_min(supply->cores * occupancy, ctas * steps);
    double each = kci_ceil(ctas * steps / shares), tiles = ctas / shares;
    kci_row_time r = kci_row_of(cta, supply, overlap, kci_ceil(shares / supply->cores), shares, false);
    double ends = cta->chain + r.load + r.store, cut = 0;
    if (kci_mod(ctas, shares) != 0)
        cut = 2 * supply->l2_latency + (supply->l2 > 0 ? 2 * shares * partial / supply->l2 : 0);
    double between = kci_max(0, tiles - 1) * kci_max(0, ends - r.step); /* beside the last step of the tile before */
    kci_body body = { 0, cta->chain, cta->chain + r.load, r.last + r.store + cut + between };
    body.total = ends + (each - 1) * r.step + r.last + cut + between;
    return body;
}

/* Seconds that reads wait for: bytes in flight come back after the latency of where they were found. */
static double waited(const kci_cta_cost *cta, const kci_supply *s, double ctas, double resident)
{
    double hbm = cta->hbm_read, found = kci_max(0, cta->l2_read - hbm);
    if (!(s->in_flight > 0))
        return 0;
    return ctas * (hbm * (s->hbm_latency + s->turn) + found * (s->l2_latency + s->turn)) / (resident * s->in_flight);
}

/* Requests queue before the memory is full: latency and bandwidth bend into each other. */
static const double BEND = 5;

static double bent(double wait, double transfer)
{
    double longer = kci_max(wait, transfer), shorter = kci_min(wait, transfer);
    return longer > 0 ? longer * pow(1 + pow(shorter / longer, BEND), 1 / BEND) : 0;
}

kci_body kci_streaming_body(const kci_cta_cost *cta, const kci_supply *supply, double ctas, double occupancy,
                            bool serial)
{
    double resident = kci_min(ctas, supply->cores * occupancy);
    double busiest = kci_busiest_core(ctas, supply->cores, occupancy);
    double l2_bytes = cta->l2_read + cta->l2_written;
    double hbm = ctas * (cta->hbm_read + cta->hbm_written) / supply->hbm; /* writes wait for nothing */
    double l2 = supply->l2 > 0 ? ctas * l2_bytes / supply->l2 : 0;
    double wait = waited(cta, supply, ctas, resident);
    double port = supply->port > 0 ? busiest * l2_bytes / supply->port : 0;
    double units = both(serial, both(serial, both(serial, cta->matrix, cta->vector), both(serial, cta->special, cta->smem)),
                        cta->issue) * busiest;
    double rows = kci_max(kci_ceil(busiest / occupancy) * cta->chain, ctas / supply->dispatch);
    kci_body body = { 0, kci_max(rows, cta->chain), cta->chain, 0 };
    double memory = serial ? hbm + l2 + wait : kci_max(l2, bent(wait, hbm));
    body.total = cta->chain + both(serial, both(serial, memory, both(serial, port, units)), rows);
    return body;
}
