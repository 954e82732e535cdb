/* accumulator.c: which reductions are written accumulators, and which of them are left and come back;
 * design, section 3 "Spilled accumulators". */
#include "plan.h"

/* Backward: a written accumulator reaches a write through elementwise ops that
 * keep its dims.  A value that reaches two writes goes by the first. */
kc_status kci_find_accumulators(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        plan->spills_to[n] = -1;
        plan->accumulator[n] = n;
        plan->accumulates[n] = kci_reduced_here(&graph->nodes[n]);
    }
    for (uint32_t n = (uint32_t)graph->node_count; n-- > 0;) {
        const kci_node *node = &graph->nodes[n];
        int32_t tensor = node->kind == KCI_WRITE ? node->tensor : node->flags & KCI_ELEMENTWISE ? plan->spills_to[n] : -1;
        if (tensor < 0)
            continue;
        kci_set kept = node->kind == KCI_WRITE ? 0 : kci_value_loops(graph, node);
        for (uint32_t e = 0; e < node->edges; e++) {
            const kci_edge *edge = &graph->edge_list[node->edge + e];
            if (!edge->running && (node->kind == KCI_WRITE || kci_value_loops(graph, &graph->nodes[edge->node]) == kept))
                plan->spills_to[edge->node] = tensor;
        }
    }
    for (uint32_t n = 0; n < graph->node_count; n++) /* statistics have names of their own, or are held */
        if (graph->nodes[n].flags & KCI_STATISTIC)
            plan->spills_to[n] = -1;
    for (uint32_t n = 0; n < graph->node_count; n++) { /* KCI_INTO: both inputs are one accumulator */
        const kci_node *node = &graph->nodes[n];
        if (!(node->flags & KCI_INTO))
            continue;
        uint32_t a = plan->accumulator[graph->edge_list[node->edge].node];
        uint32_t b = plan->accumulator[graph->edge_list[node->edge + 1].node];
        plan->accumulator[n] = a;
        if (a == b || !plan->accumulates[a] || !plan->accumulates[b])
            continue;
        plan->accumulator[b] = a;
        plan->accumulates[a] |= plan->accumulates[b];
    }
    return KC_OK;
}

kci_set kci_enclosing_loops(const kci_plan *plan, uint32_t node, kci_set without)
{
    kci_set reduced = plan->accumulates[node] & plan->looped, enclosing = 0;
    kci_set indexed = kci_value_loops(plan->graph, &plan->graph->nodes[node]) & plan->pass_loops[plan->pass[node]] & ~without;
    int innermost = 0;
    for (KCI_EACH(i, indexed))
        if (plan->depth[i] > innermost)
            innermost = plan->depth[i];
    for (KCI_EACH(i, reduced))
        if (plan->depth[i] < innermost)
            enclosing |= KCI_BIT(i);
    return enclosing;
}

bool kci_spills(const kci_plan *plan, uint32_t node)
{
    int32_t tensor = plan->spills_to[node];
    return tensor >= 0 && plan->accumulator[node] == node && !plan->tiling->held[tensor] &&
           kci_enclosing_loops(plan, node, 0) != 0;
}
