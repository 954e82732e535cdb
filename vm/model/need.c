/* need.c: where each node is needed in each pass: what the uses ask for that it has there; design, section 3 "Masks".
 *
 * A mask behind a softmax spares the last pass alone: the passes before find the
 * maximum and the sum of all.  From the last pass to the first, users before
 * inputs, each visit asks for some ways of its inputs: in the same pass, or in the
 * last one before that does them. */
#include <string.h>

#include "plan.h"

static uint32_t bits(uint32_t count) { return (uint32_t)(((uint64_t)1 << count) - 1); }

static kci_need *need_at(const kci_plan *plan, uint32_t n, int p)
{
    return &plan->needs[(size_t)(p - 1) * plan->graph->node_count + n];
}

/* The pass whose node n a user in pass p finds; 0: none. */
static int pass_before(const kci_plan *plan, uint32_t n, int p)
{
    uint32_t runs = plan->runs[n] & bits((uint32_t)p);
    while (runs & (runs - 1))
        runs &= runs - 1;
    return runs ? (int)kci_first(runs) + 1 : 0;
}

/* Asks the inputs of node n in pass p for what its ways need. */
static void ask_inputs(kci_plan *plan, uint32_t n, int p, uint32_t ways)
{
    const kci_graph *graph = plan->graph;
    const kci_node *node = &graph->nodes[n];
    for (uint32_t e = 0; e < node->edges; e++) {
        uint32_t input = graph->edge_list[node->edge + e].node, asked = 0;
        const uint8_t *leads = graph->leads + node->lead + (size_t)e * node->ways;
        for (uint32_t a = 0; a < node->ways; a++)
            if (ways >> a & 1)
                asked |= leads[a] == KCI_EVERY_WAY ? bits(graph->nodes[input].ways) : (uint32_t)1 << leads[a];
        int before = pass_before(plan, input, p);
        if (before)
            need_at(plan, input, before)->alternatives |= asked;
    }
}

/* The ways that node n is done in where its uses in a pass ask for some: a write, and a
 * partial that another kernel combines, in every one. */
static uint32_t ways_of(const kci_plan *plan, const kci_node *node, uint32_t asked)
{
    bool whole = node->kind == KCI_WRITE || (kci_reduced_here(node) & plan->combined_over);
    return whole ? bits(node->ways) : asked;
}

/* Of the ways that a visit is asked for, those that are not part of another. */
static uint32_t widest(const kci_graph *graph, const kci_node *node, uint32_t asked)
{
    const kci_region *regions = graph->regions + node->way;
    for (uint32_t a = 0; a < node->ways; a++)
        for (uint32_t b = 0; b < node->ways && (asked >> a & 1); b++)
            if (a != b && (asked >> b & 1) && kci_region_within(graph, &regions[a], &regions[b]))
                asked &= ~((uint32_t)1 << a);
    return asked;
}

static int count_of(uint32_t set)
{
    int count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

/* Turns the ways that a node is asked for into its alternatives in that pass; where
 * they are too many for a sum, all that it has. */
static void settle(const kci_graph *graph, const kci_node *node, uint32_t asked, kci_need *need)
{
    *need = kci_need_in_all(node);
    asked = node->ways > 1 ? widest(graph, node, asked) : 0;
    if (!asked || count_of(asked) > KCI_MOST_REGIONS)
        return;
    bool everywhere = graph->regions[node->way + kci_first(asked)].limits == 0;
    *need = (kci_need){ node->way, everywhere ? 0 : asked };
}

void kci_find_needs(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    uint32_t nodes = (uint32_t)graph->node_count;
    if (!plan->needs)
        return;
    memset(plan->needs, 0, (size_t)plan->passes * nodes * sizeof *plan->needs);
    for (int p = plan->passes; p >= 1; p--)
        for (uint32_t n = nodes; n-- > 0;) {
            const kci_node *node = &graph->nodes[n];
            if (!kci_visit_of(plan, n, p))
                continue;
            kci_need *need = need_at(plan, n, p);
            uint32_t asked = ways_of(plan, node, need->alternatives);
            if (node->ways > 0) /* what rescales asks for nothing */
                ask_inputs(plan, n, p, asked);
            settle(graph, node, asked, need);
        }
}
