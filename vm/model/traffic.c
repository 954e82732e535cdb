/* traffic.c: bytes between HBM and the chip, tensor by tensor, each with its cause; design, section 3. */
#include <math.h>
#include <string.h>

#include "arith.h"
#include "plan.h"

enum { MOST_MEMBERS = 64 };

/* ---- reads -------------------------------------------------------------------------- */

/* Does a position of two reads depend on the same walked loops?  Then they move together. */
static bool walk_together(const kci_plan *plan, uint32_t a, uint32_t b)
{
    const kci_axis *x = &plan->graph->axes[a], *y = &plan->graph->axes[b];
    if (x->gather || y->gather)
        return a == b;
    return ((x->loops ^ y->loops) & (plan->looped | plan->grid)) == 0;
}

static bool same_box(const kci_plan *plan, const kci_node *a, const kci_node *b)
{
    const kci_graph *graph = plan->graph;
    if (a->tensor != b->tensor || a->axes != b->axes || a->scale != b->scale)
        return false;
    for (uint32_t i = 0; i < a->axes; i++)
        if (!walk_together(plan, graph->axis_ids[a->axis + i], graph->axis_ids[b->axis + i]))
            return false;
    return true;
}

/* Adds the alternatives of a member to those of its box, none of them part of another;
 * where they are more than a sum takes, all is needed. */
static void join(kci_plan *plan, kci_box *box, kci_need need)
{
    kci_region *regions = plan->joined ? plan->joined + box->region : NULL;
    box->everywhere = box->everywhere || !need.alternatives;
    for (uint32_t a = 0; need.alternatives >> a && !box->everywhere; a++) {
        const kci_region *region = &plan->graph->regions[need.region + a];
        bool more = need.alternatives >> a & 1;
        for (uint32_t i = 0; i < box->regions && more; i++)
            more = !kci_region_within(plan->graph, region, &regions[i]);
        if (!more)
            continue;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < box->regions; i++)
            if (!kci_region_within(plan->graph, &regions[i], region))
                regions[kept++] = regions[i];
        box->everywhere = kept == KCI_MOST_REGIONS;
        if (!box->everywhere)
            regions[kept++] = *region;
        box->regions = kept;
    }
}

/* Bytes that lie together in HBM along the last positions of a tile. */
static double contiguous_run(const kci_plan *plan, const kci_node *node, double bytes)
{
    const kci_graph *graph = plan->graph;
    double run = bytes;
    for (uint32_t i = node->axes; i-- > 0;) {
        uint32_t id = graph->axis_ids[node->axis + i];
        const kci_axis *axis = &graph->axes[id];
        int loop = axis->terms ? graph->terms[axis->term].loop : 0;
        bool whole = plan->whole_axis[id];
        double size = whole ? plan->size[loop] : kci_size_of(plan, axis);
        double extent = whole ? plan->tile[loop] : kci_min(kci_tile_extent(plan, id), size);
        if (axis->gather)
            break;
        run *= extent;
        if (extent < size)
            break;
    }
    return run;
}

/* ---- boxes: what follows from the nest ------------------------------------------------ */

/* Loads, elements, tile and distinct elements as products, where nothing is masked and each
 * position is a whole dim of its own. */
static void multiply_out(kci_plan *plan, kci_box *box)
{
    const kci_graph *graph = plan->graph;
    kci_products *products = &plan->products;
    const kci_node *node = &graph->nodes[box->node];
    kci_set walked = plan->grid | box->around, weighed = 0;
    bool plain = box->members == 1 && box->everywhere;
    for (uint32_t i = 0; i < node->axes && plain; i++) {
        uint32_t id = plan->box_ids[box->ids + i];
        plain = plan->whole_axis[id] && !(graph->axes[id].loops & weighed);
        weighed |= graph->axes[id].loops;
    }
    if (!plain)
        return;
    kci_set split = plan->split & ~box->around;
    kci_product trips = kci_product_over(products, KCI_ONE, plan->trips, walked);
    box->loads = kci_product_over(products, trips, plan->shares, split);
    trips = kci_product_over(products, KCI_ONE, plan->size, weighed);
    trips = kci_product_over(products, trips, plan->trips, walked & ~weighed);
    box->elements = kci_product_over(products, trips, plan->shares, split & ~weighed);
    box->tile = kci_product_over(products, KCI_ONE, plan->tile, weighed);
    trips = kci_product_over(products, KCI_ONE, plan->tile, weighed & plan->grid);
    box->distinct = kci_product_over(products, trips, plan->size, weighed & ~plan->grid);
}

/* One box in one pass: the read `n` and those that move with it. */
static void make_box(kci_plan *plan, uint32_t n, int pass)
{
    const kci_graph *graph = plan->graph;
    const kci_node *node = &graph->nodes[n];
    kci_box *box = &plan->boxes[plan->box_count];
    *box = (kci_box){ .node = n, .members = 1, .pass = pass, .around = kci_visit_of(plan, n, pass)->around,
                      .region = (uint32_t)plan->box_count * KCI_MOST_REGIONS, .ids = (uint32_t)plan->box_id_count };
    plan->box_count++;
    join(plan, box, kci_need_of(plan, n, pass));
    uint32_t positions = node->axes, *ids = plan->box_ids + box->ids;
    memcpy(ids, graph->axis_ids + node->axis, positions * sizeof *ids);
    for (uint32_t i = 0; i < positions; i++)
        box->grid |= graph->axes[ids[i]].loops & plan->grid;
    plan->merged[n] = true;
    for (uint32_t i = plan->read_start[node->tensor]; i < plan->read_start[node->tensor + 1]; i++) {
        uint32_t other = plan->read_list[i];
        int in = pass; /* what is held comes along for a later pass */
        if (plan->tiling->held[node->tensor] && plan->runs[other])
            in = (int)kci_first(plan->runs[other]) + 1;
        const kci_visit *visit = kci_visit_of(plan, other, in);
        if (other == n || plan->merged[other] || !plan->plain[other] || !visit || box->members == MOST_MEMBERS ||
            !same_box(plan, node, &graph->nodes[other]))
            continue;
        plan->merged[other] = true;
        memcpy(ids + (size_t)box->members * positions, graph->axis_ids + graph->nodes[other].axis, positions * sizeof *ids);
        box->members++;
        box->around |= visit->around;
        join(plan, box, kci_need_of(plan, other, in));
    }
    plan->box_id_count += (size_t)box->members * positions;
    multiply_out(plan, box);
}

/* Elements of whole dims, each position another. */
static kci_product whole_elements(kci_plan *plan, const kci_node *node)
{
    const kci_graph *graph = plan->graph;
    kci_set loops = 0;
    for (uint32_t i = 0; i < node->axes; i++) {
        uint32_t id = graph->axis_ids[node->axis + i];
        if (!plan->whole_axis[id] || graph->axes[id].scope != id || (graph->axes[id].loops & loops))
            return KCI_NO_PRODUCT;
        loops |= graph->axes[id].loops;
    }
    return kci_product_over(&plan->products, KCI_ONE, plan->size, loops);
}

/* What the one read of a tensor touches. */
static kci_product touched_elements(kci_plan *plan, int32_t tensor)
{
    uint32_t start = plan->read_start[tensor];
    if (plan->read_start[tensor + 1] != start + 1 || (plan->mark_words > 0 && kci_irregular(plan, tensor)))
        return KCI_NO_PRODUCT;
    const kci_node *read = &plan->graph->nodes[plan->read_list[start]];
    return read->regions || read->scale != 1 ? KCI_NO_PRODUCT : whole_elements(plan, read);
}

void kci_plan_traffic(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    plan->box_count = plan->box_id_count = 0;
    for (uint32_t n = 0; n < graph->node_count; n++)
        plan->spills[n] = plan->tiling && graph->nodes[n].kind == KCI_OP && kci_spills(plan, n);
    for (int p = 1; plan->tiling && p <= plan->passes; p++) {
        for (uint32_t i = 0; i < plan->read_start[graph->tensor_count]; i++) { /* what is held stays for later passes */
            uint32_t n = plan->read_list[i];
            plan->merged[n] = plan->merged[n] && p > 1 && plan->tiling->held[graph->nodes[n].tensor];
        }
        for (uint32_t i = 0; i < plan->read_start[graph->tensor_count]; i++) {
            uint32_t n = plan->read_list[i];
            if (!plan->merged[n] && plan->plain[n] && kci_visit_of(plan, n, p))
                make_box(plan, n, p);
        }
    }
    for (size_t t = 0; t < graph->tensor_count; t++)
        plan->compulsory[t] = touched_elements(plan, (int32_t)t);
    for (uint32_t n = 0; n < graph->node_count; n++)
        plan->covered[n] = graph->nodes[n].kind == KCI_WRITE ? whole_elements(plan, &graph->nodes[n]) : KCI_NO_PRODUCT;
}

/* ---- loads --------------------------------------------------------------------------------- */

/* Elements of a tile, and of all that one CTA fetches, each once: boxes that span all members. */
static void box_extents(const kci_plan *plan, const kci_box *box, double *tile, double *distinct)
{
    const kci_graph *graph = plan->graph;
    uint32_t positions = graph->nodes[box->node].axes;
    const uint32_t *ids = plan->box_ids + box->ids;
    *tile = *distinct = 1;
    for (uint32_t i = 0; i < positions; i++) {
        const kci_axis *axis = &graph->axes[ids[i]];
        double size = kci_size_of(plan, axis), extent = kci_tile_extent(plan, ids[i]), whole = 1;
        double least = axis->constant, most = axis->constant;
        for (size_t m = 1; m < box->members; m++) {
            least = kci_min(least, graph->axes[ids[m * positions + i]].constant);
            most = kci_max(most, graph->axes[ids[m * positions + i]].constant);
        }
        for (uint32_t t = 0; t < axis->terms; t++) {
            int loop = graph->terms[axis->term + t].loop;
            double values = plan->grid & KCI_BIT(loop) ? plan->tile[loop] : plan->size[loop];
            double step = fabs(kci_term_coefficient(&graph->terms[axis->term + t], plan->size));
            whole = axis->gather ? whole * values : whole + step * (values - 1);
        }
        *tile *= kci_min(size, extent + most - least);
        *distinct *= kci_min(size, whole + most - least);
    }
}

/* Turns that one CTA takes of those of the loops that all passes share; one pass shares none. */
static double shared_turns(const kci_plan *plan, kci_set loops)
{
    double turns = 1;
    int shared = plan->passes > 1 ? kci_shared_depth(plan, 1, plan->passes) : 0;
    for (KCI_EACH(i, loops & plan->looped))
        if (plan->depth[i] > 0 && plan->depth[i] <= shared)
            turns *= kci_ceil(plan->trips[i] / plan->shares[i]);
    return turns;
}

static kci_set indexing(const kci_plan *plan, const kci_box *box)
{
    kci_set loops = 0;
    for (uint32_t i = 0; i < plan->graph->nodes[box->node].axes; i++)
        loops |= plan->graph->axes[plan->box_ids[box->ids + i]].loops;
    return loops;
}

/* Fills the next stream; negative bytes: failed. */
static const kci_stream *fetch_box(kci_plan *plan, const kci_box *box)
{
    const kci_graph *graph = plan->graph;
    const kci_node *node = &graph->nodes[box->node];
    double loads, elements, tile, distinct;
    if (box->loads) {
        loads = kci_value(plan, box->loads);
        elements = kci_value(plan, box->elements);
        tile = kci_value(plan, box->tile);
        distinct = kci_value(plan, box->distinct);
    } else {
        kci_need all = { box->region, box->everywhere ? 0 : (1u << box->regions) - 1 };
        kci_sum sum = kci_sum_needed(plan, all, box->around);
        sum.regions = plan->joined;
        loads = kci_live_sum_shared(&sum);
        sum.axes = plan->box_ids + box->ids;
        sum.axis_count = node->axes;
        sum.members = box->members;
        elements = loads < 0 ? -1 : kci_live_sum_shared(&sum);
        if (elements < 0)
            return NULL;
        box_extents(plan, box, &tile, &distinct);
    }
    double bytes = graph->tensors[node->tensor].bytes * node->scale, ctas = plan->counts.ctas;
    kci_stream *stream = &plan->counts.streams[plan->counts.stream_count++];
    stream->tensor = node->tensor;
    stream->bytes = elements * bytes;
    stream->loads = loads;
    stream->tile_bytes = tile * bytes;
    stream->cta_bytes = stream->bytes / ctas;
    stream->cta_distinct = kci_min(distinct * bytes, stream->cta_bytes);
    stream->pass_distinct = plan->passes > 1 ? stream->cta_distinct / shared_turns(plan, indexing(plan, box)) : stream->cta_distinct;
    stream->grid = box->grid;
    stream->streamed = box->around != 0;
    stream->held = plan->tiling->held[node->tensor];
    stream->in_registers = plan->tiling->in_registers[node->tensor];
    stream->run = contiguous_run(plan, node, graph->tensors[node->tensor].bytes);
    return stream;
}

/* All boxes of all passes; what a tensor's first pass fetches is told from the rest. */
static kc_status count_reads(kci_plan *plan, double *first)
{
    const kci_graph *graph = plan->graph;
    plan->counts.stream_count = 0;
    plan->counts.turns = shared_turns(plan, ~(kci_set)0);
    for (size_t i = 0; i < plan->box_count;) {
        const kci_box *box = &plan->boxes[i];
        int32_t tensor = graph->nodes[box->node].tensor;
        double bytes = 0, loads = 0; /* of one tensor in one pass */
        for (; i < plan->box_count && plan->boxes[i].pass == box->pass &&
               graph->nodes[plan->boxes[i].node].tensor == tensor; i++) {
            const kci_stream *stream = fetch_box(plan, &plan->boxes[i]);
            if (!stream)
                return kc_context_status(plan->context);
            bytes += stream->bytes;
            loads += stream->loads;
        }
        kci_row *row = &plan->counts.rows[tensor];
        if (row->loads == 0)
            first[tensor] = bytes;
        row->read += bytes;
        row->loads += loads;
    }
    for (uint32_t n = 0; n < graph->node_count; n++) { /* what only the combining kernel reads, it reads once */
        const kci_node *node = &graph->nodes[n];
        if (node->kind != KCI_READ || !plan->combined[n])
            continue;
        kci_node whole = *node; /* that kernel knows no mask */
        whole.regions = 0;
        double bytes = kci_read_elements(plan, &whole) * graph->tensors[node->tensor].bytes * node->scale;
        if (bytes < 0)
            return kc_context_status(plan->context);
        kci_row *row = &plan->counts.rows[node->tensor];
        if (row->loads == 0)
            first[node->tensor] = bytes;
        row->read += bytes;
        row->loads += 1;
    }
    return KC_OK;
}

/* Bytes of each tensor's reads by cause: compulsory, then reload within the first
 * pass, then what later passes read again. */
static kc_status assign_causes(kci_plan *plan, const double *first)
{
    const kci_graph *graph = plan->graph;
    for (size_t t = 0; t < graph->tensor_count; t++) {
        kci_row *row = &plan->counts.rows[t];
        if (plan->read_start[t] == plan->read_start[t + 1])
            continue;
        if (!plan->compulsory[t] && plan->elements_known[t] < 0)
            plan->elements_known[t] = kci_compulsory(plan, (int32_t)t);
        double elements = plan->compulsory[t] ? kci_value(plan, plan->compulsory[t]) : plan->elements_known[t];
        if (elements < 0)
            return kc_context_status(plan->context);
        double compulsory = elements * graph->tensors[t].bytes;
        if (!plan->tiling) {
            row->read = compulsory;
            row->loads = 1;
        } else {
            compulsory = kci_min(compulsory, row->read);
            row->reload = kci_max(0, first[t] - compulsory);
            row->pass = kci_max(0, row->read - compulsory - row->reload);
        }
        row->compulsory += compulsory;
    }
    return KC_OK;
}

/* ---- writes, spills, partials ----------------------------------------------------------- */

/* Elements that a write covers: the whole tensor; of rows that data chooses, at
 * most one a point. */
static double written_elements(const kci_plan *plan, const kci_node *node)
{
    double elements = 1;
    for (uint32_t i = 0; i < node->axes; i++) {
        uint32_t id = plan->graph->axis_ids[node->axis + i];
        const kci_axis *axis = &plan->graph->axes[id];
        elements *= axis->gather ? kci_distinct_values(plan, axis->scope) : kci_size_of(plan, axis);
    }
    return elements;
}

/* The box of a value within its bounds. */
static double value_elements(const kci_plan *plan, const kci_node *node)
{
    double elements = 1;
    for (uint32_t i = 0; i < node->outs; i++) {
        uint32_t id = plan->graph->axis_ids[node->out + i];
        double low, high, step, size = kci_size_of(plan, &plan->graph->axes[id]);
        kci_distinct_range(plan, id, &low, &high, &step);
        elements *= kci_max(0, kci_min(high, size - 1) - kci_max(low, 0) + 1);
    }
    return elements;
}

static void add_spill(kci_row *row, double bytes)
{
    row->read += bytes;
    row->written += bytes;
    row->spill += 2 * bytes;
}

/* G partials, one a CTA along the reduced grid and split loops.  Atomics: a zero fill of
 * the whole tensor, one read-modify-write a CTA; the last leaves the result. */
static void add_partials(const kci_plan *plan, kci_row *row, double elements, double bytes, double partials)
{
    double moved = partials * elements * bytes;
    bool fills = plan->tiling->atomic && row->split == 0;
    double more = fills ? kci_max(0, elements * bytes - row->compulsory) : 0;
    row->read += moved;
    row->written += moved + more;
    row->split += 2 * moved + more;
}

static double partials_of(const kci_plan *plan, kci_set reduced)
{
    double partials = 1;
    for (KCI_EACH(i, reduced))
        if (KCI_BIT(i) & plan->grid)
            partials *= plan->trips[i];
        else if (KCI_BIT(i) & plan->split)
            partials *= plan->shares[i];
    return partials;
}

static kc_status count_accumulators(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    bool combined = false;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const kci_node *node = &graph->nodes[n];
        if (node->kind != KCI_OP || !kci_reduced_here(node) || plan->accumulator[n] != n)
            continue;
        /* a running statistic goes with the accumulator whose pass it shares */
        bool statistic = node->flags & KCI_STATISTIC && node->deferred_to >= 0;
        uint32_t leader = statistic ? plan->accumulator[node->deferred_to] : n;
        int32_t tensor = statistic ? node->statistics_of : plan->spills_to[n];
        kci_set reduced = plan->accumulates[leader];
        double bytes = statistic ? 4 : kci_format_bits(node->accumulator) / 8;
        if (tensor < 0 || plan->spills_to[leader] < 0)
            continue;
        kci_row *row = &plan->counts.rows[tensor];
        if (plan->spills[leader]) {
            double elements = kci_spilled(plan, n, leader);
            if (elements < 0)
                return kc_context_status(plan->context);
            add_spill(row, elements * bytes);
        }
        double partials = partials_of(plan, reduced);
        if (!(reduced & plan->combined_over) || partials <= 1)
            continue;
        double elements = value_elements(plan, node);
        add_partials(plan, row, elements, bytes, partials);
        combined = true;
    }
    plan->counts.launches = combined && !plan->tiling->atomic ? 2 : 1;
    return KC_OK;
}

kc_status kci_count_traffic(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    kci_counts *c = &plan->counts;
    memset(c->rows, 0, graph->tensor_count * sizeof *c->rows);
    c->ctas = c->launches = 1;
    c->passes = plan->passes;
    c->steps = 0;
    double *first = plan->first_pass;
    memset(first, 0, graph->tensor_count * sizeof *first);
    for (KCI_EACH(i, plan->grid))
        c->ctas *= plan->trips[i];
    for (KCI_EACH(i, plan->split))
        c->ctas *= plan->shares[i];
    for (int p = 1; plan->tiling && p <= plan->passes; p++) {
        double steps = 1;
        for (KCI_EACH(i, plan->pass_loops[p]))
            steps *= plan->trips[i] / plan->shares[i];
        c->steps += steps;
    }
    kc_status status = plan->tiling ? count_reads(plan, first) : KC_OK;
    if (!status)
        status = assign_causes(plan, first);
    for (uint32_t n = 0; n < graph->node_count && !status; n++) {
        const kci_node *node = &graph->nodes[n];
        if (node->kind != KCI_WRITE)
            continue;
        double covered = plan->covered[n] ? kci_value(plan, plan->covered[n]) : written_elements(plan, node);
        double bytes = covered * graph->tensors[node->tensor].bytes * node->scale;
        c->rows[node->tensor].written += bytes;
        c->rows[node->tensor].compulsory += bytes;
    }
    if (!status && plan->tiling)
        status = count_accumulators(plan);
    return status;
}
