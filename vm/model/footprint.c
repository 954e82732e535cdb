/* footprint.c: shared memory and registers of one CTA, by liveness; design, section 3 "Footprint". */
#include <string.h>

#include "arith.h"
#include "plan.h"

/* ---- shared memory: the tiles of reads --------------------------------------------------- */

static void count_smem(kci_plan *plan)
{
    kci_counts *c = &plan->counts;
    c->smem = 0;
    double registers = 0;
    memset(plan->stream_head, 0, plan->graph->tensor_count * sizeof *plan->stream_head);
    for (uint32_t i = 0; i < c->stream_count; i++) {
        const kci_stream *s = &c->streams[i];
        uint32_t *head = &plan->stream_head[s->tensor]; /* streams of this tensor so far, from 1 */
        bool again = false; /* a later pass fills the same buffer */
        for (uint32_t j = *head; j > 0 && !again; j = plan->stream_next[j - 1]) {
            const kci_stream *o = &c->streams[j - 1];
            again = o->tile_bytes == s->tile_bytes && o->grid == s->grid && o->streamed == s->streamed;
        }
        plan->stream_next[i] = *head;
        *head = i + 1;
        if (again)
            continue;
        double stages = plan->tiling->tensor_stages[s->tensor];
        double bytes = s->held ? s->cta_distinct : s->tile_bytes * (s->streamed ? stages > 0 ? stages : plan->tiling->stages : 1);
        *(s->in_registers ? &registers : &c->smem) += bytes;
    }
    c->register_bytes = registers;
}

/* ---- registers: values that are alive ------------------------------------------------------ */

/* A CTA holds a tile of a value; a held one whole along the loops inside its reduction,
 * and along those that a later pass does not share.  The loops that are whole. */
static kci_set held_whole(const kci_plan *plan, uint32_t n, int shared)
{
    const kci_node *node = &plan->graph->nodes[n];
    bool statistic = (node->flags & KCI_STATISTIC) && node->deferred_to >= 0; /* spills where its accumulator does */
    uint32_t leader = plan->accumulator[statistic ? (uint32_t)node->deferred_to : n];
    kci_set reduced = plan->accumulates[plan->accumulator[n]] & plan->looped, whole = 0;
    if (!kci_reduced_here(node) || plan->spills[leader])
        return 0;
    int outermost = KCI_MAX_LOOPS + 1;
    for (KCI_EACH(i, reduced))
        if (plan->depth[i] < outermost)
            outermost = plan->depth[i];
    for (KCI_EACH(i, plan->looped))
        if (plan->depth[i] > 0 && (plan->depth[i] > outermost || plan->depth[i] > shared))
            whole |= KCI_BIT(i);
    return whole;
}

/* Elements of a value as a product, where each of its dims is a loop. */
static kci_product plan_elements(kci_plan *plan, uint32_t n, kci_set whole)
{
    const kci_graph *graph = plan->graph;
    const kci_node *node = &graph->nodes[n];
    kci_product elements = KCI_ONE;
    for (uint32_t i = 0; i < node->outs; i++) {
        uint32_t id = graph->axis_ids[node->out + i];
        if (!plan->plain_axis[id])
            return KCI_NO_PRODUCT;
        int loop = graph->terms[graph->axes[id].term].loop;
        elements = kci_product_by(&plan->products, elements, whole & KCI_BIT(loop) ? plan->size : plan->tile, loop);
    }
    return elements;
}

static double elements_of(const kci_plan *plan, uint32_t n)
{
    const kci_graph *graph = plan->graph;
    const kci_node *node = &graph->nodes[n];
    const kci_life *life = &plan->lives[n];
    if (life->elements)
        return kci_value(plan, life->elements);
    double elements = 1;
    for (uint32_t i = 0; i < node->outs; i++)
        elements *= kci_extent(plan, graph->axis_ids[node->out + i], life->whole);
    return elements;
}

static int outermost_reduced(const kci_plan *plan, uint32_t n)
{
    kci_set reduced = plan->accumulates[plan->accumulator[n]] & plan->looped;
    int depth = 0;
    for (KCI_EACH(i, reduced))
        if ((depth == 0 || plan->depth[i] < depth))
            depth = plan->depth[i];
    return depth;
}

/* Numbers op visits over all passes and finds when each value begins and ends. */
static void find_lives(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    int time = 0;
    memset(plan->lives, 0, graph->node_count * sizeof *plan->lives);
    for (int p = 1; p <= plan->passes; p++) {
        int first[KCI_MAX_LOOPS] = { 0 }, last[KCI_MAX_LOOPS] = { 0 }; /* op visits inside each loop */
        for (uint32_t n = 0; n < graph->node_count; n++) {
            const kci_node *node = &graph->nodes[n];
            if (node->kind == KCI_READ || !kci_visit_of(plan, n, p))
                continue;
            kci_life *life = &plan->lives[n];
            kci_set around = kci_visit_of(plan, n, p)->around;
            plan->turns[++time] = n;
            for (KCI_EACH(i, around)) {
                first[i] = first[i] ? first[i] : time;
                last[i] = time;
            }
            if (life->begin == 0) {
                life->begin = life->end = life->open_end = time;
                life->shared = KCI_MAX_LOOPS;
                life->matmul = node->unit == KCI_MATRIX && node->reduced;
            }
            life->end = time; /* done again in a later pass: simply still there */
            for (uint32_t e = 0; e < node->edges; e++) {
                uint32_t input = graph->edge_list[node->edge + e].node;
                kci_life *used = &plan->lives[input];
                if (used->begin == 0)
                    continue;
                used->end = time;
                int shared = kci_shared_depth(plan, plan->pass[input], p);
                if (shared < used->shared)
                    used->shared = shared;
            }
        }
        /* an accumulator is open from the first to the last op inside its loop */
        for (uint32_t n = 0; n < graph->node_count; n++) {
            int depth = outermost_reduced(plan, n);
            if (graph->nodes[n].kind != KCI_OP || plan->pass[n] != p || depth == 0 || !kci_visit_of(plan, n, p))
                continue;
            kci_life *life = &plan->lives[n];
            int loop = plan->loop_at[depth];
            if (first[loop] && first[loop] < life->begin)
                life->begin = first[loop];
            if (last[loop] > life->open_end)
                life->open_end = last[loop];
        }
    }
    plan->turn_count = time;
}

void kci_plan_footprint(kci_plan *plan)
{
    if (!plan->tiling)
        return;
    find_lives(plan);
    for (uint32_t n = 0; n < plan->graph->node_count; n++) {
        kci_life *life = &plan->lives[n];
        if (life->begin == 0)
            continue;
        life->whole = held_whole(plan, n, life->shared);
        life->elements = plan_elements(plan, n, life->whole);
        if (life->end < life->open_end)
            life->end = life->open_end;
    }
}

static void size_lives(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const kci_node *node = &graph->nodes[n];
        kci_life *life = &plan->lives[n];
        if (life->begin == 0)
            continue;
        double elements = elements_of(plan, n);
        bool nothing = node->kind == KCI_WRITE || (node->flags & KCI_RESCALE) || plan->accumulator[n] != n;
        life->bytes = nothing ? 0 : elements * kci_format_bits(node->format) / 8;
        life->open_bytes = nothing ? 0 : node->reduced ? elements * kci_format_bits(node->accumulator) / 8 : life->bytes;
    }
}

/* Bytes that an elementwise op saves by taking the place of an input that ends there. */
static double in_place(const kci_plan *plan, uint32_t n, int time)
{
    const kci_graph *graph = plan->graph;
    const kci_node *node = &graph->nodes[n];
    double best = 0;
    if (!(node->flags & KCI_ELEMENTWISE))
        return 0;
    for (uint32_t e = 0; e < node->edges; e++) {
        const kci_life *input = &plan->lives[graph->edge_list[node->edge + e].node];
        if (input->begin > 0 && input->end == time)
            best = kci_max(best, input->open_end >= time ? input->open_bytes : input->bytes);
    }
    return kci_min(best, plan->lives[n].open_bytes);
}

static void count_registers(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    kci_counts *c = &plan->counts;
    size_t last = (size_t)plan->turn_count;
    size_lives(plan);
    memset(plan->events, 0, (last + 2) * sizeof *plan->events);
    memset(plan->matmul_events, 0, (last + 2) * sizeof *plan->matmul_events);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const kci_life *life = &plan->lives[n];
        if (life->begin == 0)
            continue;
        plan->events[life->begin] += life->open_bytes;
        plan->events[life->open_end + 1] += life->bytes - life->open_bytes;
        plan->events[life->end + 1] -= life->bytes;
        if (life->matmul) {
            plan->matmul_events[life->begin] += life->open_bytes;
            plan->matmul_events[life->open_end + 1] -= life->open_bytes;
        }
    }
    double alive = 0, matmul = 0, most = 0;
    c->accumulator_bytes = 0;
    for (int time = 1; time <= plan->turn_count; time++) {
        alive += plan->events[time];
        matmul += plan->matmul_events[time];
        double now = alive - in_place(plan, plan->turns[time], time);
        if (now > most) {
            most = now;
            c->accumulator_bytes = matmul;
        }
    }
    c->register_bytes += most;
}

void kci_count_footprint(kci_plan *plan)
{
    plan->counts.smem = plan->counts.register_bytes = plan->counts.accumulator_bytes = 0;
    if (!plan->tiling)
        return;
    count_smem(plan);
    count_registers(plan);
}
