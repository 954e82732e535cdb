/* combine.c: values reduced over grid or split loops: partials, and what waits until they are combined;
 * design, section 3 "Reductions over the grid". */
#include <string.h>

#include "plan.h"

static const char *some_loop(const kci_plan *plan, kci_set loops)
{
    for (size_t i = 0; i < plan->graph->loop_count; i++)
        if (loops & KCI_BIT(i))
            return kci_name(plan->context, plan->graph->loops[i].name);
    return "";
}

static kc_status needs_complete(const kci_plan *plan, const kci_node *node, const kci_node *what, kci_set over)
{
    const char *loop = some_loop(plan, over);
    bool softmax = strncmp(node->label, "softmax.", 8) == 0;
    return kci_fail(plan->context, KC_EARGUMENT,
                    "%s needs %s complete, but it is reduced over '%s', which runs across CTAs; its partials are combined "
                    "after the kernel; leave '%s' out of the grid, or write %s in a kernel of its own (%s > %s)",
                    node->label, what->label, loop, loop, softmax ? "the softmax" : what->label, node->label, what->label);
}

/* Forward: what needs a combined value.  Only ops that keep the accumulator's
 * dims can wait for the small kernel. */
static kc_status mark_behind(kci_plan *plan, kci_set across)
{
    const kci_graph *graph = plan->graph;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const kci_node *node = &graph->nodes[n];
        kci_set over = 0;
        const kci_node *what = node;
        plan->behind[n] = false;
        for (uint32_t e = 0; e < node->edges; e++) {
            const kci_edge *edge = &graph->edge_list[node->edge + e];
            kci_set ended = edge->running ? 0 : kci_reduced_here(&graph->nodes[edge->node]) & across;
            if (!ended && !plan->behind[edge->node])
                continue;
            plan->behind[n] = true;
            over |= ended;
            what = &graph->nodes[edge->node];
        }
        if (!plan->behind[n] || node->kind == KCI_WRITE)
            continue;
        bool waits = (node->flags & KCI_ELEMENTWISE) && !node->reduced && !(node->loops & plan->combined_over);
        if (!waits)
            return needs_complete(plan, node, what, over ? over : plan->combined_over);
        if (plan->tiling->atomic && (node->flops > 0 || node->special > 0))
            return kci_fail(plan->context, KC_EARGUMENT,
                            "combine = \"atomic\" adds partials where they lie, so %s cannot run behind the reduction "
                            "over '%s'; use combine = \"kernel\"",
                            node->label, some_loop(plan, plan->combined_over));
    }
    return KC_OK;
}

/* A value that is reduced across CTAs must be a written one: partials lie under the
 * tensor's name. */
static kc_status check_written(kci_plan *plan, kci_set across)
{
    const kci_graph *graph = plan->graph;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const kci_node *node = &graph->nodes[n];
        for (uint32_t e = 0; plan->behind[n] && e < node->edges; e++) {
            uint32_t input = graph->edge_list[node->edge + e].node;
            const kci_node *from = &graph->nodes[input];
            if (!(kci_reduced_here(from) & across))
                continue;
            uint32_t leader = (from->flags & KCI_STATISTIC) && from->deferred_to >= 0 ? (uint32_t)from->deferred_to : input;
            if (plan->spills_to[plan->accumulator[leader]] < 0)
                return needs_complete(plan, node, from, kci_reduced_here(from) & across);
        }
    }
    return KC_OK;
}

/* Backward: what those ops need runs with them; the rest runs in the tiled kernel. */
static kc_status divide(kci_plan *plan, kci_set across)
{
    const kci_graph *graph = plan->graph;
    memset(plan->plain, 0, graph->node_count * sizeof *plan->plain);
    memset(plan->combined, 0, graph->node_count * sizeof *plan->combined);
    for (uint32_t n = (uint32_t)graph->node_count; n-- > 0;) {
        const kci_node *node = &graph->nodes[n];
        if (plan->behind[n])
            plan->combined[n] = true;
        else if (node->kind == KCI_WRITE || (node->flags & KCI_RESCALE) || (kci_reduced_here(node) & across))
            plan->plain[n] = true;
        for (uint32_t e = 0; e < node->edges; e++) {
            uint32_t input = graph->edge_list[node->edge + e].node;
            const kci_node *from = &graph->nodes[input];
            if (plan->plain[n])
                plan->plain[input] = true;
            if (!plan->combined[n] || plan->behind[input] || (kci_reduced_here(from) & across))
                continue;
            if (from->kind == KCI_OP && (from->reduced || !(from->flags & KCI_ELEMENTWISE)))
                return kci_fail(plan->context, KC_EARGUMENT,
                                "%s runs after the partials over '%s' are combined, but needs %s, which only the tiled "
                                "kernel has",
                                node->label, some_loop(plan, plan->combined_over), from->label);
            plan->combined[input] = true;
        }
    }
    return KC_OK;
}

kc_status kci_combine(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    kci_set across = plan->grid | plan->split;
    plan->combined_over = 0;
    for (uint32_t n = 0; n < graph->node_count; n++)
        plan->combined_over |= kci_reduced_here(&graph->nodes[n]) & across;
    if (!plan->combined_over) {
        memset(plan->behind, 0, graph->node_count * sizeof *plan->behind);
        memset(plan->combined, 0, graph->node_count * sizeof *plan->combined);
        memset(plan->plain, 1, graph->node_count * sizeof *plan->plain);
        return KC_OK;
    }
    kc_status status = mark_behind(plan, across);
    if (!status)
        status = check_written(plan, across);
    return status ? status : divide(plan, across);
}
