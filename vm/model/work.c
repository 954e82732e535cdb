/* work.c: useful and executed work of every op; design, section 3 "Tiled kernel". */
#include "plan.h"

#include <string.h>

typedef struct totals {
    double *matrix, *vector, *special, *vector_fma;
} totals;

static void add(const kci_node *node, double points, double out_points, const totals *to)
{
    double flops = node->flops * points + node->out_flops * out_points;
    int wide = node->format == KCI_F64;
    if (node->unit == KCI_MATRIX) {
        to->matrix[node->math] += flops;
    } else {
        to->vector[wide] += flops;
        if (to->vector_fma && (node->flags & KCI_MATMUL))
            to->vector_fma[wide] += flops;
    }
    *to->special += node->special * points;
}

/* Points of an op: the useful ones; or those executed where nothing is tiled, dead
 * ones left out unless `whole` (a small kernel that combines partials knows no mask). */
double kci_points(kci_plan *plan, const kci_node *node, bool useful, bool whole, bool out)
{
    kci_set loops = out ? kci_scope_loops(plan->graph, node->out, node->outs) : kci_scope_loops(plan->graph, node->axis, node->axes);
    kci_sum sum = kci_sum_over(plan, node, loops);
    sum.points = true;
    sum.far = sum.padding = useful;
    sum.mask = !whole;
    sum.split = 0;
    return kci_live_sum(&sum);
}

/* Executions of a node in a pass, times the volume of a full tile. */
static double tiled_points(kci_plan *plan, uint32_t n, int pass, bool out)
{
    const kci_node *node = &plan->graph->nodes[n];
    kci_sum sum = kci_sum_needed(plan, kci_need_of(plan, n, pass), kci_visit_of(plan, n, pass)->around);
    double volume = 1, executions = kci_live_sum_shared(&sum);
    uint32_t first = out ? node->out : node->axis, count = out ? node->outs : node->axes;
    for (uint32_t i = 0; i < count; i++)
        volume *= kci_tile_extent(plan, plan->graph->axis_ids[first + i]);
    return executions * volume;
}

static kc_status count_node(kci_plan *plan, uint32_t n, const totals *useful, const totals *executed)
{
    const kci_node *node = &plan->graph->nodes[n];
    bool by_output = node->out_flops != 0;
    if (node->flops == 0 && node->special == 0 && !by_output)
        return KC_OK;
    if (!(node->flags & KCI_RESCALE)) {
        double in = kci_useful_points(plan, n), out = by_output ? kci_points(plan, node, true, false, true) : 0;
        if (in < 0 || out < 0)
            return kc_context_status(plan->context);
        add(node, in * node->share, out * node->share, useful);
    }
    if (!plan->tiling || plan->combined[n]) {
        if (node->flags & KCI_RESCALE)
            return KC_OK;
        bool whole = plan->combined[n];
        double in = kci_points(plan, node, false, whole, false), out = by_output ? kci_points(plan, node, false, whole, true) : 0;
        if (in < 0 || out < 0)
            return kc_context_status(plan->context);
        add(node, in, out, executed);
    }
    if (!plan->tiling || ((node->flags & KCI_RESCALE) && !(node->around & plan->looped)))
        return KC_OK;
    for (int p = 1; p <= plan->passes; p++) {
        if (!kci_visit_of(plan, n, p))
            continue;
        double in = tiled_points(plan, n, p, false), out = by_output ? tiled_points(plan, n, p, true) : 0;
        if (in < 0 || out < 0)
            return kc_context_status(plan->context);
        add(node, in, out, executed);
    }
    return KC_OK;
}

/* The tile of a matmul: free dims of a, of b, contracted; batch dims repeat it. */
static void note_matmul(kci_plan *plan, uint32_t n)
{
    const kci_graph *graph = plan->graph;
    const kci_node *node = &graph->nodes[n];
    if (!plan->tiling || !(node->flags & KCI_MATMUL) || !plan->plain[n])
        return;
    struct kci_matmul_count *m = &plan->counts.matmuls[plan->counts.matmul_count++];
    const kci_node *inputs[2];
    kci_set loops[2];
    for (int i = 0; i < 2; i++) {
        inputs[i] = &graph->nodes[graph->edge_list[node->edge + (uint32_t)i].node];
        loops[i] = kci_value_loops(graph, inputs[i]);
    }
    *m = (struct kci_matmul_count){ .math = node->math, .m = 1, .n = 1, .k = 1, .vector = node->unit == KCI_VECTOR };
    double batch = 1;
    for (KCI_EACH(i, node->loops)) {
        bool a = loops[0] & KCI_BIT(i), b = loops[1] & KCI_BIT(i);
        double *to = node->reduced & KCI_BIT(i) ? &m->k : a && b ? &batch : a ? &m->m : &m->n;
        *to *= plan->tile[i];
    }
    for (int p = 1; p <= plan->passes; p++) {
        if (!kci_visit_of(plan, n, p))
            continue;
        kci_sum sum = kci_sum_needed(plan, kci_need_of(plan, n, p), kci_visit_of(plan, n, p)->around);
        m->executions += batch * kci_live_sum_shared(&sum);
    }
    double *bytes[2] = { &m->a_bytes, &m->b_bytes };
    for (int i = 0; i < 2; i++)
        if (inputs[i]->kind == KCI_READ && !plan->tiling->in_registers[inputs[i]->tensor])
            *bytes[i] = graph->tensors[inputs[i]->tensor].bytes;
}

kc_status kci_count_work(kci_plan *plan)
{
    kci_counts *c = &plan->counts;
    memset(c->useful_matrix, 0, sizeof c->useful_matrix);
    memset(c->executed_matrix, 0, sizeof c->executed_matrix);
    memset(c->useful_vector, 0, sizeof c->useful_vector);
    memset(c->executed_vector, 0, sizeof c->executed_vector);
    memset(c->executed_vector_fma, 0, sizeof c->executed_vector_fma);
    memset(c->matrix_asked, 0, sizeof c->matrix_asked);
    c->useful_special = c->executed_special = 0;
    c->matmul_count = 0;
    totals useful = { c->useful_matrix, c->useful_vector, &c->useful_special, NULL };
    totals executed = { c->executed_matrix, c->executed_vector, &c->executed_special, c->executed_vector_fma };
    for (uint32_t n = 0; n < plan->graph->node_count; n++) {
        const kci_node *node = &plan->graph->nodes[n];
        if (node->kind != KCI_OP)
            continue;
        kc_status status = count_node(plan, n, &useful, &executed);
        if (status)
            return status;
        note_matmul(plan, n);
        if (node->unit == KCI_MATRIX && node->math_asked)
            c->matrix_asked[node->math] = true;
    }
    return KC_OK;
}
