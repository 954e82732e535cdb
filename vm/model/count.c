/* count.c: a plan: made once, then a plain function of sizes and tiles. */
#include "count.h"

#include <string.h>

#include "plan.h"

/* Room for products: a node in a pass has a dozen, most of them shared with others. */
enum { PRODUCTS_A_NODE = 16, MOST_PRODUCTS = 65536 };

/* The arrays of a plan and how many items each has, so that making and freeing cannot forget one.  They stand in two
 * blocks, one of which is wanted before it is known how many passes there may be. */
#define FOR_EACH_EARLY_ARRAY(X)                                                                            \
    X(pass, nodes)                                                                                         \
    X(runs, nodes)                                                                                         \
    X(last, nodes * (size_t)plan->reduced_count)                                                           \
    X(plain, nodes)
#define FOR_EACH_ARRAY(X)                                                                                  \
    X(visits, room * nodes)                                                                                \
    X(plain_axis, plan->graph->axis_count)                                                                 \
    X(whole_axis, plan->graph->axis_count)                                                                 \
    X(combined, nodes)                                                                                     \
    X(behind, nodes)                                                                                       \
    X(spills, nodes)                                                                                       \
    X(useful, nodes)                                                                                       \
    X(useful_known, nodes)                                                                                 \
    X(elements_known, tensors)                                                                             \
    X(matmuls, nodes)                                                                                      \
    X(boxes, room * plan->read_count)                                                                      \
    X(box_ids, plan->box_id_room)                                                                          \
    X(compulsory, tensors)                                                                                 \
    X(covered, nodes)                                                                                      \
    X(spills_to, nodes)                                                                                    \
    X(accumulator, nodes)                                                                                  \
    X(accumulates, nodes)                                                                                  \
    X(read_start, tensors + 2)                                                                             \
    X(read_list, nodes)                                                                                    \
    X(next_twin, nodes)                                                                                    \
    X(lives, nodes)                                                                                        \
    X(turns, room * nodes + 1)                                                                             \
    X(events, room * nodes + 2)                                                                            \
    X(matmul_events, room * nodes + 2)                                                                     \
    X(stream_head, tensors)                                                                                \
    X(stream_next, room * plan->read_count)                                                                \
    X(scratch, nodes)                                                                                      \
    X(merged, nodes)                                                                                       \
    X(first_pass, tensors)                                                                                 \
    X(seen_held, tensors)                                                                                  \
    X(seen_registers, tensors)                                                                             \
    X(counts.rows, tensors)                                                                                \
    X(counts.streams, room * plan->read_count)                                                             \
    X(counts.matmuls, nodes)
/* Only where something is masked or padded. */
#define FOR_EACH_LIMITED_ARRAY(X)                                                                          \
    X(needs, room * nodes)                                                                                 \
    X(joined, room * plan->read_count * KCI_MOST_REGIONS)

/* What an array takes, so that the next one is aligned as well. */
#define TAKEN(array, count) (((count) * sizeof *plan->array + 15) / 16 * 16)

static size_t early_bytes(const kci_plan *plan)
{
    size_t nodes = plan->graph->node_count, bytes = 0;
#define ADD(array, count) bytes += TAKEN(array, count);
    FOR_EACH_EARLY_ARRAY(ADD)
    return bytes;
}

static size_t late_bytes(const kci_plan *plan)
{
    size_t nodes = plan->graph->node_count, tensors = plan->graph->tensor_count, room = (size_t)plan->pass_room, bytes = 0;
    FOR_EACH_ARRAY(ADD)
    if (plan->graph->region_count) {
        FOR_EACH_LIMITED_ARRAY(ADD)
    }
#undef ADD
    return bytes;
}

#define PLACE(array, count)                                                                                \
    plan->array = (void *)block;                                                                           \
    block += TAKEN(array, count);

static bool make_early(kci_plan *plan)
{
    size_t nodes = plan->graph->node_count;
    char *block = kci_alloc(plan->context, early_bytes(plan));
    if (!block)
        return false;
    FOR_EACH_EARLY_ARRAY(PLACE)
    return true;
}

static bool make_late(kci_plan *plan)
{
    size_t nodes = plan->graph->node_count, tensors = plan->graph->tensor_count, room = (size_t)plan->pass_room;
    char *block = kci_alloc(plan->context, late_bytes(plan));
    if (!block)
        return false;
    FOR_EACH_ARRAY(PLACE)
    if (plan->graph->region_count) {
        FOR_EACH_LIMITED_ARRAY(PLACE)
    }
    return true;
}
#undef PLACE
#undef TAKEN

static void free_columns(kci_plan *plan)
{
    kc_context *context = plan->context;
    kci_free(context, plan->pass, early_bytes(plan)); /* the first of each block */
    kci_free(context, plan->visits, late_bytes(plan));
    kci_free(context, plan->marks, plan->mark_words * sizeof *plan->marks);
    kci_products_free(context, &plan->products);
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

/* Axes that are one loop; those of them that take all its values, whatever its size. */
static void find_plain_axes(kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    for (uint32_t a = 0; a < graph->axis_count; a++) {
        const kci_axis *axis = &graph->axes[a];
        int loop = axis->terms ? graph->terms[axis->term].loop : -1;
        plan->plain_axis[a] = kci_axis_is_plain(graph, a);
        plan->whole_axis[a] = plan->plain_axis[a] && loop < (int)graph->loop_count && !axis->fixed &&
                              axis->size == graph->loops[loop].size;
    }
}

/* Which formats have matrix work, and whether their roof alone may serve. */
static void find_formats(kci_plan *plan)
{
    kci_counts *c = &plan->counts;
    for (size_t n = 0; n < plan->graph->node_count; n++) {
        const kci_node *node = &plan->graph->nodes[n];
        if (node->kind != KCI_OP || node->unit != KCI_MATRIX)
            continue;
        c->formats |= KCI_BIT(node->math);
        c->matrix_asked[node->math] |= node->math_asked;
    }
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
        if (!kci_irregular(plan, (int32_t)t))
            continue;
        size_t needed = kci_marks_needed(plan, (int32_t)t);
        words = needed > words ? needed : words;
        plan->marked = true;
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
        if (graph->nodes[n].kind == KCI_READ) {
            plan->read_count++;
            plan->box_id_room += graph->nodes[n].axes;
        }
    for (size_t n = 0; n < graph->node_count; n++)
        reduced |= kci_reduced_here(&graph->nodes[n]);
    for (int i = 0; i < KCI_MAX_LOOPS; i++)
        plan->reduced_index[i] = reduced & KCI_BIT(i) ? plan->reduced_count++ : -1;
    bool ok = make_early(plan);
    if (ok)
        find_pass_room(plan);
    size_t room = (size_t)plan->pass_room;
    plan->box_id_room *= room;
    ok = ok && make_late(plan);
    size_t products = PRODUCTS_A_NODE * room * graph->node_count;
    ok = ok && kci_products_make(context, &plan->products, products < MOST_PRODUCTS ? products : MOST_PRODUCTS);
    if (!ok) {
        kci_plan_free(plan);
        return NULL;
    }
    find_plain_axes(plan);
    find_formats(plan);
    list_reads(plan);
    for (uint32_t n = (uint32_t)graph->node_count; n-- > 0;) /* chains in ascending order, from the first twin on */
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

bool kci_plan_move(kci_plan *plan, const kci_graph *graph)
{
    plan->graph = graph;
    if (!plan->marked)
        return true;
    kci_free(plan->context, plan->marks, plan->mark_words * sizeof *plan->marks);
    plan->marks = NULL;
    plan->mark_words = 0;
    plan->nest_made = false; /* reads that are marked together or apart */
    return make_marks(plan);
}

/* Are tensors held, and in registers, that were so before? */
static bool same_places(kci_plan *plan)
{
    const kci_tiling *tiling = plan->tiling;
    size_t size = plan->graph->tensor_count * sizeof *plan->seen_held;
    return !tiling || (memcmp(plan->seen_held, tiling->held, size) == 0 && memcmp(plan->seen_registers, tiling->in_registers, size) == 0);
}

static void see_places(kci_plan *plan)
{
    const kci_tiling *tiling = plan->tiling;
    size_t size = plan->graph->tensor_count * sizeof *plan->seen_held;
    if (!tiling)
        return;
    memcpy(plan->seen_held, tiling->held, size);
    memcpy(plan->seen_registers, tiling->in_registers, size);
}

/* The nest is made anew only when other loops than before have more than one trip, or tensors live elsewhere. */
static kc_status renew_nest(kci_plan *plan)
{
    if (plan->nest_made && plan->seen_looped == plan->looped && plan->seen_grid == plan->grid &&
        plan->seen_split == plan->split && same_places(plan))
        return KC_OK;
    plan->nest_made = false;
    kc_status status = kci_combine(plan);
    if (!status)
        status = kci_nest(plan);
    if (!status) {
        kci_products_clear(&plan->products);
        kci_plan_work(plan);
        kci_plan_traffic(plan);
        kci_plan_footprint(plan);
    }
    plan->nest_made = !status;
    plan->seen_looped = plan->looped;
    plan->seen_grid = plan->grid;
    plan->seen_split = plan->split;
    see_places(plan);
    return status;
}

/* What goes by sizes alone is kept from point to point, where the watch did not end the last one. */
static void forget_sizes(kci_plan *plan)
{
    bool same = plan->nest_made && !plan->ended;
    plan->walked = 0;
    plan->ended = false;
    for (size_t i = 0; i < plan->graph->loop_count; i++) {
        same = same && plan->seen_size[i] == plan->size[i];
        plan->seen_size[i] = plan->size[i];
    }
    if (same)
        return;
    for (size_t n = 0; n < plan->graph->node_count; n++)
        plan->useful_known[n] = -1;
    for (size_t t = 0; t < plan->graph->tensor_count; t++)
        plan->elements_known[t] = -1;
}

bool kci_plan_goes_on(kci_plan *plan)
{
    enum { WATCHED = 2048 };
    if (++plan->walked % WATCHED == 0 && !plan->ended)
        plan->ended = kci_watched(plan->context, "count", (double)plan->walked, 0) != KC_OK;
    return !plan->ended;
}

const kci_counts *kci_plan_count(kci_plan *plan, const double *sizes, const double *tiles)
{
    kc_status status = kci_geometry(plan, sizes, tiles);
    forget_sizes(plan);
    if (!status)
        status = renew_nest(plan);
    kci_products_evaluate(&plan->products);
    if (!status)
        status = kci_count_work(plan);
    if (!status)
        status = kci_count_traffic(plan);
    if (!status)
        status = kci_count_largest(plan);
    if (status || plan->ended)
        return NULL;
    kci_count_footprint(plan);
    return &plan->counts;
}

/* Is every figure that goes by trips and tiles a product of them? */
static bool is_multiplied_out(const kci_plan *plan)
{
    const kci_graph *graph = plan->graph;
    if (graph->region_count > 0 || graph->virtual_count > 0)
        return false;
    for (size_t i = 0; i < plan->box_count; i++)
        if (!plan->boxes[i].loads)
            return false;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        if (plan->spills[n])
            return false;
        for (int p = 1; p <= plan->passes && graph->nodes[n].kind == KCI_OP; p++) {
            const kci_visit *visit = kci_visit_of(plan, n, p);
            if (visit && (!visit->in || !visit->out))
                return false;
        }
    }
    return true;
}

const kci_counts *kci_plan_count_least(kci_plan *plan, const double *sizes, const kci_tiling *most, double *ctas)
{
    if (!kci_geometry_least(plan, sizes, most, ctas))
        return NULL;
    forget_sizes(plan);
    if (renew_nest(plan) != KC_OK || !is_multiplied_out(plan))
        return NULL;
    kci_products_evaluate(&plan->products);
    bool good = kci_count_work(plan) == KC_OK && kci_count_traffic(plan) == KC_OK && !plan->ended;
    return good ? &plan->counts : NULL;
}
