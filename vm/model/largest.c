/* largest.c: how much more than the mean one the largest CTA does; design, section 5 "Work". */
#include "arith.h"
#include "plan.h"

/* Loops across CTAs that some mask depends on. */
static kci_set masked_grid(const kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    kci_set loops = 0;
    for (size_t i = 0; i < graph->limit_count; i++)
        if (graph->limits[i].kind == KCI_MASK)
            loops |= graph->axes[graph->axes[graph->limits[i].axis].scope].loops & ~graph->limits[i].bound;
    return loops & plan->grid;
}

/* The op that does most in a CTA, of those that are masked; UINT32_MAX: none is. */
static uint32_t leading_op(const kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    uint32_t leader = UINT32_MAX;
    double most = 0;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const kci_node *node = &graph->nodes[n];
        if (node->kind != KCI_OP || !kci_visit_of(plan, n, plan->pass[n]) ||
            !kci_need_of(plan, n, plan->pass[n]).alternatives)
            continue;
        double work = node->flops + node->special;
        for (uint32_t i = 0; i < node->axes; i++)
            work *= kci_tile_extent(plan, graph->axis_ids[node->axis + i]);
        if (work > most) {
            most = work;
            leader = n;
        }
    }
    return leader;
}

/* Executions of the op in the CTAs of one trip of a grid loop; negative: failed. */
static double executions_at(kci_plan *plan, const kci_sum *all, unsigned loop, double trip)
{
    kci_sum some = *all;
    double low = plan->low[loop], high = plan->high[loop];
    some.around &= ~KCI_BIT(loop);
    plan->low[loop] = trip * plan->tile[loop];
    plan->high[loop] = kci_min(plan->size[loop], (trip + 1) * plan->tile[loop]) - 1;
    double executions = kci_live_sum_shared(&some);
    plan->low[loop] = low;
    plan->high[loop] = high;
    return executions;
}

/* Along one grid loop: a band is widest at its first, its last or its middle trip. */
static double along(kci_plan *plan, const kci_sum *all, double total, unsigned loop)
{
    double trips = plan->trips[loop], most = total / trips;
    const double at[] = { 0, kci_floor(trips / 2), trips - 1 };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        most = kci_max(most, executions_at(plan, all, loop, at[i]));
    return most * trips / total;
}

kc_status kci_count_largest(kci_plan *plan)
{
    double largest = 1, shares = 1;
    for (KCI_EACH(i, plan->split))
        shares *= kci_ceil(plan->trips[i] / plan->shares[i]) * plan->shares[i] / plan->trips[i];
    kci_set loops = plan->tiling ? masked_grid(plan) : 0;
    uint32_t n = loops ? leading_op(plan) : UINT32_MAX;
    if (n != UINT32_MAX) {
        int pass = plan->pass[n];
        kci_set around = kci_visit_of(plan, n, pass)->around;
        const kci_sum all = kci_sum_needed(plan, kci_need_of(plan, n, pass), around);
        double total = kci_executions(plan, n, pass, around);
        if (total < 0)
            return kc_context_status(plan->context);
        for (KCI_EACH(i, loops))
            if (total > 0)
                largest = kci_max(largest, along(plan, &all, total, (unsigned)i));
    }
    plan->counts.largest = largest * shares;
    return KC_OK;
}
