/* sorted.c: matmuls whose rows a library sorts by data before it multiplies them. */
#include "sorted.h"

enum { DEEPEST = 8 };           /* maps between a read and the matmul: conversions, scales */

static double points(kci_set loops, const double *sizes)
{
    double product = 1;
    for (KCI_EACH(i, loops))
        product *= sizes[i];
    return product;
}

/* Do points of `batch` share rows that this read gathers? */
static bool shares_rows(const kci_graph *graph, const kci_node *read, kci_set batch, const double *sizes)
{
    for (uint32_t a = 0; a < read->axes; a++) {
        const kci_axis *axis = &graph->axes[graph->axis_ids[read->axis + a]];
        double rows = read->distinct > 0 ? read->distinct : kci_axis_size(graph, axis, sizes);
        if (axis->gather && (axis->loops & batch) && rows < points(axis->loops, sizes))
            return true;
    }
    return false;
}

static const char *gathered_behind(const kci_graph *graph, uint32_t n, kci_set batch, const double *sizes, int depth)
{
    const kci_node *node = &graph->nodes[n];
    const char *found = NULL;
    if (node->kind == KCI_READ)
        return shares_rows(graph, node, batch, sizes) ? graph->tensors[node->tensor].name : NULL;
    for (uint32_t e = 0; e < node->edges && depth > 0 && (node->flags & KCI_ELEMENTWISE) && !found; e++)
        found = gathered_behind(graph, graph->edge_list[node->edge + e].node, batch, sizes, depth - 1);
    return found;
}

const char *kci_sorted_operand(const kci_graph *graph, const double *sizes)
{
    const char *found = NULL;
    for (size_t n = 0; n < graph->node_count && !found; n++) {
        const kci_node *node = &graph->nodes[n];
        if (!(node->flags & KCI_MATMUL) || node->edges < 2)
            continue;
        const kci_edge *edges = &graph->edge_list[node->edge];
        const kci_set loops[] = { kci_value_loops(graph, &graph->nodes[edges[0].node]),
                                  kci_value_loops(graph, &graph->nodes[edges[1].node]) };
        for (int e = 0; e < 2 && !found; e++) {
            kci_set rows = loops[!e] & ~loops[e] & ~node->reduced; /* that share the matrix of one point */
            if (points(rows, sizes) == 1)
                found = gathered_behind(graph, edges[e].node, loops[0] & loops[1] & ~node->reduced, sizes, DEEPEST);
        }
    }
    return found;
}
