/* nest.c: passes, and which loops are around each node; design, section 3 "Reductions need their end".
 *
 * pass(u) is one more than the pass of every reduction over a loop x that u needs
 * while it has x itself.  Pass p shares with the one before the loops outside the
 * outermost such x.  Going through the passes in order, a node runs in a pass when
 * something there needs it and nothing before left it within reach. */
#include <string.h>

#include "plan.h"

static int innermost(const kci_plan *plan, kci_set loops)
{
    int deepest = 0;
    for (KCI_EACH(i, loops))
        if (plan->depth[i] > deepest)
            deepest = plan->depth[i];
    return deepest;
}

/* Loops of a pass at or outside a depth. */
static kci_set down_to(const kci_plan *plan, kci_set loops, int depth)
{
    kci_set set = 0;
    for (int d = 1; d <= depth; d++)
        set |= KCI_BIT(plan->loop_at[d]);
    return set & loops;
}

static void number_loops(kci_plan *plan)
{
    memset(plan->depth, 0, sizeof plan->depth);
    int depth = 0;
    for (int i = 0; plan->tiling && i < plan->tiling->order_count; i++) {
        int loop = plan->tiling->order[i];
        if (plan->looped & KCI_BIT(loop)) {
            plan->depth[loop] = ++depth;
            plan->loop_at[depth] = loop;
        }
    }
}

int kci_shared_depth(const kci_plan *plan, int from, int to)
{
    int depth = KCI_MAX_LOOPS;
    for (int p = from + 1; p <= to; p++)
        if (plan->shared[p] < depth)
            depth = plan->shared[p];
    return depth;
}

/* ---- passes ------------------------------------------------------------------------ */

kc_status kci_number_passes(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    int columns = plan->reduced_count;
    plan->passes = 1;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const kci_node *node = &graph->nodes[n];
        uint8_t *last = plan->last + (size_t)n * (size_t)columns;
        int pass = 1;
        memset(last, 0, (size_t)columns);
        for (uint32_t e = 0; e < node->edges; e++) {
            const kci_edge *edge = &graph->edge_list[node->edge + e];
            const kci_node *input = &graph->nodes[edge->node];
            const uint8_t *behind = plan->last + (size_t)edge->node * (size_t)columns;
            if (plan->pass[edge->node] > pass)
                pass = plan->pass[edge->node];
            for (int c = 0; c < columns; c++)
                if (behind[c] > last[c])
                    last[c] = behind[c];
            if (edge->running)
                continue;
            kci_set ended = kci_reduced_here(input) & plan->looped;
            for (KCI_EACH(i, ended))
                if (plan->pass[edge->node] > last[plan->reduced_index[i]])
                    last[plan->reduced_index[i]] = plan->pass[edge->node];
        }
        kci_set has = node->loops & plan->looped;
        for (KCI_EACH(i, has))
            if (plan->reduced_index[i] >= 0 && last[plan->reduced_index[i]] >= pass)
                pass = last[plan->reduced_index[i]] + 1;
        if (pass > KCI_MAX_PASSES)
            return kci_fail(plan->context, KC_EARGUMENT, "the tiled kernel needs more than %d passes", KCI_MAX_PASSES);
        plan->pass[n] = (uint8_t)pass;
        if (node->kind == KCI_OP && plan->plain[n] && pass > plan->passes)
            plan->passes = pass;
    }
    return KC_OK;
}

/* A completed reduction stays: it has no looped dim, or is held whole. */
static bool survives(const kci_plan *plan, const kci_node *node)
{
    kci_set reduced = kci_reduced_here(node);
    if (node->kind != KCI_OP || !reduced)
        return false;
    return (reduced & plan->looped) || !(kci_value_loops(plan->graph, node) & plan->looped);
}

/* What begins in a pass by itself; all else runs where something needs it. */
static bool is_root(const kci_plan *plan, const kci_node *node)
{
    return node->kind == KCI_WRITE || (node->flags & KCI_RESCALE) || survives(plan, node) ||
           (kci_reduced_here(node) & plan->combined_over);
}

/* A pass loops over the sequential dims of what first runs in it. */
static void find_pass_loops(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    uint32_t *first = plan->scratch; /* the first pass that needs a node; 0: none yet */
    memset(plan->pass_loops, 0, sizeof plan->pass_loops);
    memset(first, 0, graph->node_count * sizeof *first);
    for (uint32_t n = (uint32_t)graph->node_count; n-- > 0;) {
        const kci_node *node = &graph->nodes[n];
        if (!plan->plain[n])
            continue;
        if (first[n] == 0 || is_root(plan, node))
            first[n] = plan->pass[n];
        if (node->kind != KCI_WRITE)
            plan->pass_loops[first[n]] |= node->loops & plan->looped;
        for (uint32_t e = 0; e < node->edges; e++) {
            uint32_t input = graph->edge_list[node->edge + e].node;
            if (first[input] == 0 || first[n] < first[input])
                first[input] = first[n];
        }
    }
}

/* The depth down to which pass p shares its loops with the one before: outside the
 * outermost loop that an op of p has and whose reduction it waits for, unless a
 * border before parts them already; and down to the first that one of them lacks. */
static void join_passes(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    for (int p = 2; p <= plan->passes; p++) {
        int limit = KCI_MAX_LOOPS + 1; /* depth of the loop that separates */
        for (uint32_t n = 0; n < graph->node_count; n++) {
            if (graph->nodes[n].kind != KCI_OP || !plan->plain[n] || plan->pass[n] != p)
                continue;
            const uint8_t *last = plan->last + (size_t)n * (size_t)plan->reduced_count;
            kci_set has = graph->nodes[n].loops & plan->looped;
            for (KCI_EACH(i, has)) {
                int ended = plan->reduced_index[i] >= 0 ? last[plan->reduced_index[i]] : 0;
                if (ended == 0 || ended >= p || plan->depth[i] >= limit)
                    continue;
                if (ended == p - 1 || kci_shared_depth(plan, ended, p - 1) >= plan->depth[i])
                    limit = plan->depth[i];
            }
        }
        int shared = 0;
        for (int d = 1; d < limit && plan->looped && d <= KCI_MAX_LOOPS; d++) {
            kci_set bit = d <= innermost(plan, plan->looped) ? KCI_BIT(plan->loop_at[d]) : 0;
            if (!bit)
                break;
            bool before = plan->pass_loops[p - 1] & bit, after = plan->pass_loops[p] & bit;
            if (before != after)
                break;
            shared = d;
        }
        plan->shared[p] = shared;
        plan->separates[p] = limit <= KCI_MAX_LOOPS ? KCI_BIT(plan->loop_at[limit]) : 0;
    }
}

/* ---- what runs in a pass ------------------------------------------------------------- */

/* Is what the node gave in an earlier pass still there in pass p?  Outside the
 * loop that separates the passes it is done once and serves both. */
static bool available(const kci_plan *plan, uint32_t n, int pass)
{
    uint32_t before = plan->runs[n] & ((1u << (pass - 1)) - 1);
    if (!before)
        return false;
    int latest = KCI_MAX_PASSES - 1;
    while (!(before >> latest & 1))
        latest--;
    const kci_visit *visit = &plan->visits[(size_t)latest * plan->graph->node_count + n];
    for (int p = latest + 2; p <= pass; p++)
        if (!(visit->closed & plan->separates[p]) && innermost(plan, visit->around) > plan->shared[p])
            return false;
    return true;
}

/* Loops of this node that ended: it lacks x and needs something reduced over x. */
static kci_set ended_loops(const kci_plan *plan, uint32_t n)
{
    const uint8_t *last = plan->last + (size_t)n * (size_t)plan->reduced_count;
    kci_set closed = 0;
    for (KCI_EACH(i, plan->looped & ~plan->graph->nodes[n].loops))
        if (plan->reduced_index[i] >= 0 && last[plan->reduced_index[i]] > 0)
            closed |= KCI_BIT(i);
    return closed;
}

/* Marks in `runs` what pass p runs, users before inputs, with the loops that are
 * closed for each: those that it waits for; for a read, those that all its users
 * wait for. */
static void choose(kci_plan *plan, int p)
{
    const kci_graph *graph = plan->graph;
    uint32_t bit = 1u << (p - 1);
    kci_visit *visits = plan->visits + (size_t)(p - 1) * graph->node_count;
    for (uint32_t n = 0; n < graph->node_count; n++)
        visits[n].closed = ~(kci_set)0;
    for (uint32_t n = (uint32_t)graph->node_count; n-- > 0;) {
        const kci_node *node = &graph->nodes[n];
        bool wanted = (plan->scratch[n] & bit) != 0;
        plan->scratch[n] &= ~bit;
        if (!plan->plain[n])
            continue;
        if (is_root(plan, node) ? plan->pass[n] != p : !wanted || available(plan, n, p))
            continue;
        plan->runs[n] |= bit;
        kci_visit *visit = &visits[n];
        visit->closed = node->kind == KCI_READ ? visit->closed & plan->looped & ~node->loops : ended_loops(plan, n);
        for (uint32_t e = 0; e < node->edges; e++) {
            const kci_edge *edge = &graph->edge_list[node->edge + e];
            const kci_node *input = &graph->nodes[edge->node];
            if (!(node->flags & KCI_RESCALE))
                visits[edge->node].closed &= visit->closed;
            if (plan->plain[edge->node] && !is_root(plan, input))
                plan->scratch[edge->node] |= bit;
        }
    }
}

/* Loops around the nodes of pass p, inputs before users. */
static void settle(kci_plan *plan, int p)
{
    const kci_graph *graph = plan->graph;
    uint32_t bit = 1u << (p - 1);
    kci_set loops = plan->pass_loops[p];
    kci_visit *visits = plan->visits + (size_t)(p - 1) * graph->node_count;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        if (!(plan->runs[n] & bit))
            continue;
        const kci_node *node = &graph->nodes[n];
        kci_visit *visit = &visits[n];
        kci_set deep = node->loops & plan->looped;
        for (uint32_t e = 0; e < node->edges; e++) {
            const kci_edge *edge = &graph->edge_list[node->edge + e];
            kci_set around = 0;
            if (plan->runs[edge->node] & bit) {
                around = visits[edge->node].around;
            } else if (graph->nodes[edge->node].kind == KCI_OP && plan->pass[edge->node] < p) {
                const kci_visit *before = kci_visit_of(plan, edge->node, plan->pass[edge->node]);
                around = before ? down_to(plan, before->around, kci_shared_depth(plan, plan->pass[edge->node], p)) : 0;
            }
            /* what rescales runs where its accumulator is added to */
            bool rescales = (node->flags & KCI_RESCALE) &&
                            kci_value_loops(graph, &graph->nodes[edge->node]) == kci_value_loops(graph, node);
            if (graph->nodes[edge->node].kind == KCI_OP && (!edge->running || rescales))
                deep |= around & ~(edge->running ? 0 : kci_reduced_here(&graph->nodes[edge->node]));
        }
        deep &= ~(visit->closed & ~node->loops);
        visit->around = down_to(plan, loops, innermost(plan, deep)) & ~(visit->closed & ~node->loops);
        if (node->kind == KCI_READ && plan->tiling && plan->tiling->held[node->tensor])
            visit->around = 0;
    }
}

kci_visit *kci_visit_of(const kci_plan *plan, uint32_t node, int pass)
{
    if (!(plan->runs[node] >> (pass - 1) & 1))
        return NULL;
    return &plan->visits[(size_t)(pass - 1) * plan->graph->node_count + node];
}

kc_status kci_nest(kci_plan *plan)
{
    size_t count = plan->graph->node_count;
    number_loops(plan);
    kc_status status = kci_number_passes(plan);
    if (status)
        return status;
    find_pass_loops(plan);
    join_passes(plan);
    memset(plan->runs, 0, count * sizeof *plan->runs);
    memset(plan->scratch, 0, count * sizeof *plan->scratch);
    for (int p = 1; p <= plan->passes; p++) {
        choose(plan, p);
        settle(plan, p);
    }
    kci_find_needs(plan);
    return KC_OK;
}
