/* count.c: a plan: made once, then a plain function of sizes and tiles. */
#include "count.h"

#include <string.h>

#include "plan.h"

static void free_columns(kci_plan *plan)
{
    kc_context *context = plan->context;
    size_t nodes = plan->graph->node_count, tensors = plan->graph->tensor_count;
    size_t room = (size_t)plan->pass_room;
    kci_free(context, plan->pass, nodes * sizeof *plan->pass);
    kci_free(context, plan->runs, nodes * sizeof *plan->runs);
    kci_free(context, plan->last, nodes * (size_t)plan->reduced_count * sizeof *plan->last);
    kci_free(context, plan->visits, room * nodes * sizeof *plan->visits);
    kci_free(context, plan->needs, room * nodes * sizeof *plan->needs);
    kci_free(context, plan->plain_axis, plan->graph->axis_count * sizeof *plan->plain_axis);
    kci_free(context, plan->plain, nodes * sizeof *plan->plain);
    kci_free(context, plan->combined, nodes * sizeof *plan->combined);
    kci_free(context, plan->behind, nodes * sizeof *plan->behind);
    kci_free(context, plan->spills_to, nodes * sizeof *plan->spills_to);
    kci_free(context, plan->accumulator, nodes * sizeof *plan->accumulator);
    kci_free(context, plan->accumulates, nodes * sizeof *plan->accumulates);
    kci_free(context, plan->read_start, (tensors + 2) * sizeof *plan->read_start);
    kci_free(context, plan->read_list, nodes * sizeof *plan->read_list);
    kci_free(context, plan->marks, plan->mark_words * sizeof *plan->marks);
    kci_free(context, plan->next_twin, nodes * sizeof *plan->next_twin);
    kci_free(context, plan->lives, nodes * sizeof *plan->lives);
    kci_free(context, plan->events, (room * nodes + 2) * sizeof *plan->events);
    kci_free(context, plan->matmul_events, (room * nodes + 2) * sizeof *plan->matmul_events);
    kci_free(context, plan->stream_head, tensors * sizeof *plan->stream_head);
    kci_free(context, plan->stream_next, room * nodes * sizeof *plan->stream_next);
    kci_free(context, plan->scratch, nodes * sizeof *plan->scratch);
    kci_free(context, plan->merged, nodes * sizeof *plan->merged);
    kci_free(context, plan->first_pass, tensors * sizeof *plan->first_pass);
    kci_free(context, plan->counts.rows, tensors * sizeof *plan->counts.rows);
    kci_free(context, plan->counts.streams, room * nodes * sizeof *plan->counts.streams);
    kci_free(context, plan->counts.matmuls, nodes * sizeof *plan->counts.matmuls);
}

void kci_plan_free(kci_plan *plan)
{
    if (!plan)
        return;
    free_columns(plan);
    kci_free(plan->context, plan, sizeof *plan);
}

/* Read nodes by tensor. */
static void list_reads(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    for (uint32_t n = 0; n < graph->node_count; n++)
        if (graph->nodes[n].kind == KCI_READ)
            plan->read_start[graph->nodes[n].tensor + 2]++;
    for (size_t t = 1; t < graph->tensor_count + 2; t++)
        plan->read_start[t] += plan->read_start[t - 1];
    for (uint32_t n = 0; n < graph->node_count; n++)
        if (graph->nodes[n].kind == KCI_READ)
            plan->read_list[plan->read_start[graph->nodes[n].tensor + 1]++] = n;
}

/* The most passes that any tiles can need: with every sequential loop looped. */
static kc_status find_pass_room(kci_plan *plan)
{
    plan->pass_room = 1;
    if (!plan->tiling)
        return KC_OK;
    for (size_t i = 0; i < plan->graph->loop_count; i++)
        if (!(plan->tiling->grid & KCI_BIT(i)))
            plan->looped |= KCI_BIT(i);
    memset(plan->plain, 1, plan->graph->node_count * sizeof *plan->plain);
    kc_status status = kci_number_passes(plan);
    plan->pass_room = status ? KCI_MAX_PASSES : plan->passes; /* real tiles may need fewer */
    plan->looped = 0;
    return KC_OK;
}

/* Room to mark the elements of irregular reads, at the sizes the kernel was built with. */
static bool make_marks(kci_plan *plan)
{
    double sizes[KCI_MAX_LOOPS];
    size_t words = 0;
    for (size_t i = 0; i < plan->graph->loop_count; i++)
        sizes[i] = plan->graph->loops[i].size;
    kci_geometry(plan, sizes, NULL);
    for (size_t t = 0; t < plan->graph->tensor_count; t++) {
        size_t needed = kci_marks_needed(plan, (int32_t)t);
        words = needed > words ? needed : words;
    }
    plan->marks = words ? kci_alloc(plan->context, words * sizeof *plan->marks) : NULL;
    plan->mark_words = plan->marks ? words : 0;
    return words == 0 || plan->marks;
}

kci_plan *kci_plan_new(const kci_graph *graph, const kci_tiling *tiling)
{
    kc_context *context = graph->context;
    kci_plan *plan = kci_alloc(context, sizeof *plan);
    if (!plan)
        return NULL;
    plan->context = context;
    plan->graph = graph;
    plan->tiling = tiling;
    kci_set reduced = 0;
    for (size_t n = 0; n < graph->node_count; n++)
        reduced |= kci_reduced_here(&graph->nodes[n]);
    for (int i = 0; i < KCI_MAX_LOOPS; i++)
        plan->reduced_index[i] = reduced & KCI_BIT(i) ? plan->reduced_count++ : -1;
    size_t nodes = graph->node_count, tensors = graph->tensor_count;
    plan->pass = kci_alloc(context, nodes * sizeof *plan->pass);
    plan->runs = kci_alloc(context, nodes * sizeof *plan->runs);
    plan->last = kci_alloc(context, nodes * (size_t)plan->reduced_count * sizeof *plan->last);
    plan->plain = kci_alloc(context, nodes * sizeof *plan->plain);
    if (plan->pass && plan->runs && plan->last && plan->plain)
        find_pass_room(plan);
    size_t room = (size_t)plan->pass_room;
    plan->visits = kci_alloc(context, room * nodes * sizeof *plan->visits);
    bool limited = graph->region_count > 0;
    plan->needs = limited ? kci_alloc(context, room * nodes * sizeof *plan->needs) : NULL;
    plan->plain_axis = kci_alloc(context, graph->axis_count * sizeof *plan->plain_axis);
    plan->combined = kci_alloc(context, nodes * sizeof *plan->combined);
    plan->behind = kci_alloc(context, nodes * sizeof *plan->behind);
    plan->spills_to = kci_alloc(context, nodes * sizeof *plan->spills_to);
    plan->accumulator = kci_alloc(context, nodes * sizeof *plan->accumulator);
    plan->accumulates = kci_alloc(context, nodes * sizeof *plan->accumulates);
    plan->read_start = kci_alloc(context, (tensors + 2) * sizeof *plan->read_start);
    plan->read_list = kci_alloc(context, nodes * sizeof *plan->read_list);
    plan->next_twin = kci_alloc(context, nodes * sizeof *plan->next_twin);
    plan->lives = kci_alloc(context, nodes * sizeof *plan->lives);
    plan->events = kci_alloc(context, (room * nodes + 2) * sizeof *plan->events);
    plan->matmul_events = kci_alloc(context, (room * nodes + 2) * sizeof *plan->matmul_events);
    plan->stream_head = kci_alloc(context, tensors * sizeof *plan->stream_head);
    plan->stream_next = kci_alloc(context, room * nodes * sizeof *plan->stream_next);
    plan->scratch = kci_alloc(context, nodes * sizeof *plan->scratch);
    plan->merged = kci_alloc(context, nodes * sizeof *plan->merged);
    plan->first_pass = kci_alloc(context, tensors * sizeof *plan->first_pass);
    plan->counts.rows = kci_alloc(context, tensors * sizeof *plan->counts.rows);
    plan->counts.streams = kci_alloc(context, room * nodes * sizeof *plan->counts.streams);
    plan->counts.matmuls = kci_alloc(context, nodes * sizeof *plan->counts.matmuls);
    bool ok = plan->pass && plan->runs && plan->last && plan->plain && plan->visits && (plan->needs || !limited) &&
              plan->plain_axis && plan->combined && plan->behind && plan->spills_to && plan->accumulator && plan->accumulates && plan->read_start &&
              plan->read_list && plan->next_twin && plan->lives && plan->events && plan->matmul_events && plan->stream_head && plan->stream_next && plan->scratch && plan->merged &&
              plan->first_pass && plan->counts.rows && plan->counts.streams && plan->counts.matmuls;
    if (!ok) {
        kci_plan_free(plan);
        return NULL;
    }
    for (uint32_t a = 0; a < graph->axis_count; a++)
        plan->plain_axis[a] = kci_axis_is_plain(graph, a);
    list_reads(plan);
    for (uint32_t n = (uint32_t)nodes; n-- > 0;) /* chains in ascending order, from the first twin on */
        if (graph->nodes[n].twin != n) {
            plan->next_twin[n] = plan->next_twin[graph->nodes[n].twin];
            plan->next_twin[graph->nodes[n].twin] = n;
        }
    kci_find_accumulators(plan);
    if (make_marks(plan))
        return plan;
    kci_plan_free(plan);
    return NULL;
}

/* The nest is made anew only when other loops than before have more than one trip. */
static kc_status renew_nest(kci_plan *plan)
{
    if (plan->nest_made && plan->seen_looped == plan->looped && plan->seen_grid == plan->grid &&
        plan->seen_split == plan->split)
        return KC_OK;
    plan->nest_made = false;
    kc_status status = kci_combine(plan);
    if (!status)
        status = kci_nest(plan);
    plan->nest_made = !status;
    plan->seen_looped = plan->looped;
    plan->seen_grid = plan->grid;
    plan->seen_split = plan->split;
    return status;
}

const kci_counts *kci_plan_count(kci_plan *plan, const double *sizes, const double *tiles)
{
    kc_status status = kci_geometry(plan, sizes, tiles);
    if (!status)
        status = renew_nest(plan);
    if (!status)
        status = kci_count_work(plan);
    if (!status)
        status = kci_count_traffic(plan);
    if (status)
        return NULL;
    kci_count_footprint(plan);
    return &plan->counts;
}
