/* work.c: useful and executed work of every op; design, section 3 "Tiled kernel". */
#include <string.h>

#include "plan.h"

typedef struct totals {
    double *matrix, *vector, *special, *vector_fma, *vector_apart;
    kci_set free[2];            /* of all matmuls */
} totals;

/* An op on one operand of the matmuls lacks the free dims of the other. */
static bool is_apart(const kci_node *node, const kci_set free[2])
{
    return (free[0] && !(node->loops & free[0])) || (free[1] && !(node->loops & free[1]));
}

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
        if (to->vector_apart && is_apart(node, to->free))
            *to->vector_apart += flops;
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

/* Do two needs hold at the same points? */
static bool same_need(const kci_graph *graph, kci_need a, kci_need b)
{
    if (a.alternatives != b.alternatives)
        return false;
    for (uint32_t i = 0; a.alternatives >> i; i++) {
        const kci_region *x = &graph->regions[a.region + i], *y = &graph->regions[b.region + i];
        if (x->limits != y->limits ||
            memcmp(&graph->limit_ids[x->limit], &graph->limit_ids[y->limit], x->limits * sizeof *graph->limit_ids) != 0)
            return false;
    }
    return true;
}

/* Ops behind one mask are executed equally often. */
double kci_executions(kci_plan *plan, uint32_t n, int pass, kci_set around)
{
    kci_need need = kci_need_of(plan, n, pass);
    for (size_t i = 0; i < plan->lives_known; i++)
        if (plan->lives_kept[i].around == around && same_need(plan->graph, plan->lives_kept[i].need, need))
            return plan->lives_kept[i].iterations;
    kci_sum sum = kci_sum_needed(plan, need, around);
    double iterations = kci_live_sum_shared(&sum);
    if (iterations >= 0 && plan->lives_known < KCI_KEPT_SUMS)
        plan->lives_kept[plan->lives_known++] = (kci_live_answer){ need, around, iterations };
    return iterations;
}

/* Executions of a node in a pass, times the volume of a full tile. */
static double tiled_points(kci_plan *plan, uint32_t n, int pass, bool out)
{
    const kci_node *node = &plan->graph->nodes[n];
    const kci_visit *visit = kci_visit_of(plan, n, pass);
    kci_product product = out ? visit->out : visit->in;
    if (product)
        return kci_value(plan, product);
    double volume = 1, executions = kci_executions(plan, n, pass, visit->around);
    uint32_t first = out ? node->out : node->axis, count = out ? node->outs : node->axes;
    for (uint32_t i = 0; i < count; i++)
        volume *= kci_tile_extent(plan, plan->graph->axis_ids[first + i]);
    return executions * volume;
}

static double useful_points(kci_plan *plan, uint32_t n, bool out)
{
    kci_product product = out ? plan->useful[n].out : plan->useful[n].in;
    if (product)
        return kci_value(plan, product);
    if (out)
        return kci_points(plan, &plan->graph->nodes[n], true, false, true);
    if (plan->useful_known[n] < 0)
        plan->useful_known[n] = kci_useful_points(plan, n);
    return plan->useful_known[n];
}

/* ---- what follows from the nest ------------------------------------------------------------- */

/* `before` times the tiles of axes, each one loop. */
static kci_product tile_volume(kci_plan *plan, kci_product before, uint32_t first, uint32_t count)
{
    const kci_graph *graph = plan->graph;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = graph->axis_ids[first + i];
        bool plain = plan->plain_axis[id];
        before = plain ? kci_product_by(&plan->products, before, plan->tile, graph->terms[graph->axes[id].term].loop)
                       : KCI_NO_PRODUCT;
    }
    return before;
}

/* Unmasked: every trip of the loops around it, in every CTA. */
static kci_product executions(kci_plan *plan, uint32_t n, int pass, kci_set around)
{
    if (kci_need_of(plan, n, pass).alternatives)
        return KCI_NO_PRODUCT;
    kci_product trips = kci_product_over(&plan->products, KCI_ONE, plan->trips, plan->grid | around);
    return kci_product_over(&plan->products, trips, plan->shares, plan->split & ~around);
}

static void plan_op(kci_plan *plan, uint32_t n)
{
    const kci_graph *graph = plan->graph;
    const kci_node *node = &graph->nodes[n];
    bool once = node->twin == n && !plan->next_twin[n];
    kci_product none = node->regions || !once ? KCI_NO_PRODUCT : KCI_ONE;
    plan->useful[n].in = kci_product_over(&plan->products, none, plan->size, kci_scope_loops(graph, node->axis, node->axes));
    plan->useful[n].out = kci_product_over(&plan->products, none, plan->size, kci_scope_loops(graph, node->out, node->outs));
    for (int p = 1; p <= plan->passes; p++) {
        kci_visit *visit = kci_visit_of(plan, n, p);
        if (!visit)
            continue;
        visit->executions = executions(plan, n, p, visit->around);
        visit->in = tile_volume(plan, visit->executions, node->axis, node->axes);
        visit->out = tile_volume(plan, visit->executions, node->out, node->outs);
    }
}

/* Loops of a read's last position, along which it is contiguous. */
static kci_set last_loops(const kci_graph *graph, const kci_node *read)
{
    return read->axes > 0 ? graph->axes[graph->axis_ids[read->axis + read->axes - 1]].loops : 0;
}

/* The tile of a matmul: free dims of a, of b, contracted; batch dims repeat it. */
static void plan_matmul(kci_plan *plan, uint32_t n)
{
    const kci_graph *graph = plan->graph;
    const kci_node *node = &graph->nodes[n];
    if (!plan->tiling || !(node->flags & KCI_MATMUL) || !plan->plain[n])
        return;
    const kci_node *inputs[2];
    kci_set loops[2];
    double bytes[2] = { 0, 0 }, direct[2] = { 0, 0 };
    bool scattered[2] = { false, false };
    for (int i = 0; i < 2; i++) {
        inputs[i] = &graph->nodes[graph->edge_list[node->edge + (uint32_t)i].node];
        loops[i] = kci_value_loops(graph, inputs[i]);
        if (inputs[i]->kind != KCI_READ)
            continue;
        bool registers = plan->tiling->in_registers[inputs[i]->tensor];
        (registers ? direct : bytes)[i] = graph->tensors[inputs[i]->tensor].bytes;
        scattered[i] = (last_loops(graph, inputs[i]) & node->reduced) != 0;
    }
    kci_set free = node->loops & ~node->reduced, both = free & loops[0] & loops[1];
    kci_set m = free & loops[0] & ~both;
    plan->matmuls[plan->matmul_count++] = (kci_matmul_tile){
        .node = n, .a_bytes = bytes[0], .b_bytes = bytes[1], .a_direct = direct[0], .b_direct = direct[1],
        .a_scattered = scattered[0], .b_scattered = scattered[1],
        .m = m, .n = free & ~m & ~both, .k = node->loops & node->reduced, .batch = both,
    };
    plan->free[0] |= m;
    plan->free[1] |= free & ~m & ~both;
}

void kci_plan_work(kci_plan *plan)
{
    plan->matmul_count = 0;
    plan->free[0] = plan->free[1] = 0;
    for (uint32_t n = 0; n < plan->graph->node_count; n++) {
        if (plan->graph->nodes[n].kind != KCI_OP)
            continue;
        plan_op(plan, n);
        plan_matmul(plan, n);
    }
}

/* ---- the figures ---------------------------------------------------------------------------- */

static kc_status count_node(kci_plan *plan, uint32_t n, const totals *useful, const totals *executed)
{
    const kci_node *node = &plan->graph->nodes[n];
    bool by_output = node->out_flops != 0;
    if (node->flops == 0 && node->special == 0 && !by_output)
        return KC_OK;
    if (!(node->flags & KCI_RESCALE)) {
        double in = useful_points(plan, n, false), out = by_output ? useful_points(plan, n, true) : 0;
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

kc_status kci_work_of(kci_plan *plan, uint32_t n, double useful[3], double executed[3])
{
    double matrix[2][KCI_FORMATS] = { { 0 } }, vector[2][2] = { { 0 } };
    useful[2] = executed[2] = 0;
    const totals to = { matrix[0], vector[0], &useful[2], NULL, NULL, { 0, 0 } };
    const totals done = { matrix[1], vector[1], &executed[2], NULL, NULL, { 0, 0 } };
    kc_status status = count_node(plan, n, &to, &done);
    for (int i = 0; i < 2; i++) {
        double *work = i ? executed : useful;
        work[0] = 0;
        for (int f = 0; f < KCI_FORMATS; f++)
            work[0] += matrix[i][f];
        work[1] = vector[i][0] + vector[i][1];
    }
    return status;
}

static double tile_over(const kci_plan *plan, kci_set loops)
{
    double product = 1;
    for (KCI_EACH(i, loops))
        product *= plan->tile[i];
    return product;
}

static void count_matmul(kci_plan *plan, const kci_matmul_tile *tile)
{
    const kci_node *node = &plan->graph->nodes[tile->node];
    struct kci_matmul_count *m = &plan->counts.matmuls[plan->counts.matmul_count++];
    *m = (struct kci_matmul_count){ .math = node->math, .m = tile_over(plan, tile->m), .n = tile_over(plan, tile->n),
                                    .k = tile_over(plan, tile->k), .a_bytes = tile->a_bytes, .b_bytes = tile->b_bytes,
                                    .a_direct = tile->a_direct, .b_direct = tile->b_direct,
                                    .a_scattered = tile->a_scattered, .b_scattered = tile->b_scattered,
                                    .vector = node->unit == KCI_VECTOR };
    for (int p = 1; p <= plan->passes; p++) {
        const kci_visit *visit = kci_visit_of(plan, tile->node, p);
        if (!visit)
            continue;
        double times = visit->executions ? kci_value(plan, visit->executions) : kci_executions(plan, tile->node, p, visit->around);
        m->executions += tile_over(plan, tile->batch) * times;
    }
}

kc_status kci_count_work(kci_plan *plan)
{
    kci_counts *c = &plan->counts;
    for (KCI_EACH(f, c->formats))
        c->useful_matrix[f] = c->executed_matrix[f] = 0;
    for (int wide = 0; wide < 2; wide++)
        c->useful_vector[wide] = c->executed_vector[wide] = c->executed_vector_fma[wide] = 0;
    c->useful_special = c->executed_special = c->executed_vector_apart = 0;
    c->matmul_count = 0;
    plan->lives_known = 0;
    totals useful = { c->useful_matrix, c->useful_vector, &c->useful_special, NULL, NULL, { 0, 0 } };
    totals executed = { c->executed_matrix,      c->executed_vector,        &c->executed_special,
                        c->executed_vector_fma, &c->executed_vector_apart, { plan->free[0], plan->free[1] } };
    for (uint32_t n = 0; n < plan->graph->node_count; n++) {
        const kci_node *node = &plan->graph->nodes[n];
        if (node->kind != KCI_OP)
            continue;
        kc_status status = count_node(plan, n, &useful, &executed);
        if (status)
            return status;
    }
    for (size_t i = 0; i < plan->matmul_count; i++)
        count_matmul(plan, &plan->matmuls[i]);
    return KC_OK;
}
