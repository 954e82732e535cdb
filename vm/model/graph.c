/* graph.c: the flat arrays of a kernel: adding to them, copying, sizes of axes. */
#include <math.h>
#include <string.h>

#include "build.h"

/* The arrays of a graph, so that copying and freeing cannot forget one: those that sizes change, and the others. */
#define FOR_EACH_SIZED_ARRAY(X)                                                                            \
    X(loops, loop_count, loop_cap)                                                                         \
    X(axes, axis_count, axis_cap)                                                                          \
    X(limits, limit_count, limit_cap)                                                                      \
    X(tensors, tensor_count, tensor_cap)
#define FOR_EACH_ARRAY(X)                                                                                  \
    FOR_EACH_SIZED_ARRAY(X)                                                                                \
    X(virtuals, virtual_count, virtual_cap)                                                                \
    X(terms, term_count, term_cap)                                                                         \
    X(axis_ids, axis_id_count, axis_id_cap)                                                                \
    X(limit_ids, limit_id_count, limit_id_cap)                                                             \
    X(regions, region_count, region_cap)                                                                   \
    X(leads, lead_count, lead_cap)                                                                         \
    X(origins, origin_count, origin_cap)                                                                   \
    X(crossings, crossing_count, crossing_cap)                                                             \
    X(nodes, node_count, node_cap)                                                                         \
    X(edge_list, edge_count, edge_cap)

bool kci_graph_copy(kci_graph *to, const kci_graph *from, kc_context *context)
{
    memset(to, 0, sizeof *to);
    to->context = context;
    to->comm = from->comm;
#define COPY(array, length, room)                                                                          \
    if (from->length) {                                                                                    \
        to->array = kci_alloc(to->context, from->length * sizeof *to->array);                              \
        if (!to->array) {                                                                                  \
            kci_graph_free(to);                                                                            \
            return false;                                                                                  \
        }                                                                                                  \
        memcpy(to->array, from->array, from->length * sizeof *to->array);                                  \
        to->length = to->room = from->length;                                                              \
    }
    FOR_EACH_ARRAY(COPY)
#undef COPY
    return true;
}

/* The sized arrays stand in one block, which begins with the loops. */
static size_t sized_bytes(const kci_graph *graph)
{
    size_t bytes = 0;
#define ADD(array, length, room) bytes += graph->length * sizeof *graph->array;
    FOR_EACH_SIZED_ARRAY(ADD)
#undef ADD
    return bytes;
}

bool kci_graph_share(kci_graph *to, const kci_graph *from, kc_context *context)
{
    char *block = kci_resize(context, NULL, 0, sized_bytes(from) + 1);
    if (!block)
        return false;
    *to = *from;
    to->context = context;
    to->shares = true;
#define PLACE(array, length, room)                                                                         \
    to->array = (void *)block;                                                                             \
    if (from->length)                                                                                      \
        memcpy(to->array, from->array, from->length * sizeof *from->array);                                \
    block += from->length * sizeof *from->array;
    FOR_EACH_SIZED_ARRAY(PLACE)
#undef PLACE
    return true;
}

void kci_graph_free(kci_graph *graph)
{
    kc_context *context = graph->context;
#define FREE(array, length, room) kci_free(context, graph->array, graph->room * sizeof *graph->array);
    if (graph->shares)
        kci_free(context, graph->loops, sized_bytes(graph) + 1);
    else {
        FOR_EACH_ARRAY(FREE)
    }
#undef FREE
    memset(graph, 0, sizeof *graph);
    graph->context = context;
}

bool kci_graph_resize(kci_graph *to, const kci_graph *from)
{
    if (to->nodes != from->nodes)
        return false;
#define SET(array, length, room)                                                                           \
    if (from->length)                                                                                      \
        memcpy(to->array, from->array, from->length * sizeof *from->array);
    FOR_EACH_SIZED_ARRAY(SET)
#undef SET
    return true;
}

bool kci_graph_own(kci_graph *graph)
{
    kci_graph own;
    if (!kci_graph_copy(&own, graph, graph->context))
        return false;
    kci_graph_free(graph);
    *graph = own;
    return true;
}

double kci_term_coefficient(const kci_loop_term *term, const double *sizes)
{
    return term->size_of < 0 ? term->coefficient : term->coefficient * sizes[term->size_of];
}

kci_set kci_reduced_here(const kci_node *node)
{
    return node->flags & KCI_SCAN ? 0 : node->reduced;
}

kci_set kci_value_loops(const kci_graph *graph, const kci_node *node)
{
    kci_set loops = 0;
    for (uint32_t i = 0; i < node->outs; i++)
        loops |= graph->axes[graph->axis_ids[node->out + i]].loops;
    return loops;
}

/* How far the form reaches up from its value at zero; a virtual dim as far as its
 * own form does. */
static double reach(const kci_graph *graph, const kci_axis *axis, const double *sizes)
{
    double sum = 0;
    for (uint32_t t = 0; t < axis->terms; t++) {
        const kci_loop_term *term = &graph->terms[axis->term + t];
        bool loop = term->loop < (int)graph->loop_count;
        double far = loop ? sizes[term->loop] - 1
                          : reach(graph, &graph->axes[graph->virtuals[KCI_MAX_LOOPS - 1 - term->loop].axis], sizes);
        sum += kci_term_coefficient(term, sizes) * far;
    }
    return sum;
}

double kci_axis_size(const kci_graph *graph, const kci_axis *axis, const double *sizes)
{
    if (axis->fixed || axis->gather)
        return axis->size;
    double built[KCI_MAX_LOOPS];
    bool same = true;
    for (size_t i = 0; i < graph->loop_count; i++) {
        built[i] = graph->loops[i].size;
        same = same && built[i] == sizes[i];
    }
    if (same)
        return axis->size;
    double size = axis->size + reach(graph, axis, sizes) - reach(graph, axis, built);
    return size < 1 ? 1 : size;
}

kci_set kci_scope_loops(const kci_graph *graph, uint32_t first, uint32_t count)
{
    kci_set loops = 0;
    for (uint32_t i = 0; i < count; i++)
        loops |= graph->axes[graph->axes[graph->axis_ids[first + i]].scope].loops;
    return loops;
}

int kci_masks_on(const kci_graph *graph, const kci_region *region, kci_set loops)
{
    int count = 0;
    for (uint32_t i = 0; i < region->limits; i++) {
        const kci_limit *limit = &graph->limits[graph->limit_ids[region->limit + i]];
        count += limit->kind == KCI_MASK && (graph->axes[graph->axes[limit->axis].scope].loops & loops);
    }
    return count;
}

bool kci_axis_is_plain(const kci_graph *graph, uint32_t id)
{
    const kci_axis *axis = &graph->axes[id];
    return !axis->gather && axis->terms == 1 && axis->constant == 0 && graph->terms[axis->term].coefficient == 1 &&
           graph->terms[axis->term].size_of < 0;
}

typedef struct sought_axis {
    const kci_graph *graph;
    const kci_axis *axis;
    const kci_loop_term *terms;
} sought_axis;

static bool same_term(const kci_loop_term *a, const kci_loop_term *b)
{
    return a->loop == b->loop && a->size_of == b->size_of && a->coefficient == b->coefficient;
}

static bool same_axis(const void *data, uint32_t id)
{
    const sought_axis *sought = data;
    const kci_axis *a = sought->axis, *b = &sought->graph->axes[id];
    bool own_scope = a->scope == UINT32_MAX && b->scope == id;
    if (a->constant != b->constant || a->size != b->size || a->terms != b->terms || a->gather != b->gather ||
        a->fixed != b->fixed || !(own_scope || a->scope == b->scope))
        return false;
    for (uint32_t t = 0; t < a->terms; t++)
        if (!same_term(&sought->terms[t], &sought->graph->terms[b->term + t]))
            return false;
    return true;
}

uint32_t kci_add_axis(kci_builder *builder, kci_axis axis, const kci_loop_term *terms)
{
    kci_graph *graph = builder->graph;
    uint64_t hash = kci_hash(axis.terms, &axis.constant, sizeof axis.constant);
    hash = kci_hash(hash, &axis.size, sizeof axis.size);
    axis.loops = 0;
    for (uint32_t t = 0; t < axis.terms; t++) {
        hash = kci_hash(hash, &terms[t].loop, sizeof terms[t].loop);
        hash = kci_hash(hash, &terms[t].coefficient, sizeof terms[t].coefficient);
        axis.loops |= KCI_BIT(terms[t].loop);
    }
    sought_axis sought = { graph, &axis, terms };
    uint32_t known = kci_table_find(&builder->axis_table, hash, same_axis, &sought);
    if (known != UINT32_MAX)
        return known;
    uint32_t id = (uint32_t)graph->axis_count;
    if (!kci_reserve(graph->context, &graph->axes, &graph->axis_cap, graph->axis_count + 1, sizeof axis) ||
        !kci_reserve(graph->context, &graph->terms, &graph->term_cap, graph->term_count + axis.terms,
                     sizeof *terms) ||
        !kci_table_add(graph->context, &builder->axis_table, hash, id))
        return UINT32_MAX;
    axis.term = (uint32_t)graph->term_count;
    if (axis.scope == UINT32_MAX)
        axis.scope = id;
    if (axis.terms)
        memcpy(graph->terms + graph->term_count, terms, axis.terms * sizeof *terms);
    graph->term_count += axis.terms;
    graph->axes[graph->axis_count++] = axis;
    return id;
}

uint32_t kci_add_axis_ids(kci_graph *graph, const uint32_t *ids, size_t count)
{
    uint32_t at = (uint32_t)graph->axis_id_count;
    if (!kci_reserve(graph->context, &graph->axis_ids, &graph->axis_id_cap, graph->axis_id_count + count + 1,
                     sizeof *ids))
        return UINT32_MAX;
    if (count)
        memcpy(graph->axis_ids + at, ids, count * sizeof *ids);
    graph->axis_id_count += count;
    return at;
}

uint32_t kci_add_limit(kci_graph *graph, kci_limit limit)
{
    for (size_t i = 0; i < graph->limit_count; i++) {
        const kci_limit *l = &graph->limits[i];
        if (l->kind == limit.kind && l->axis == limit.axis && l->lo == limit.lo && l->hi == limit.hi &&
            l->hi_follows == limit.hi_follows && l->bound == limit.bound)
            return (uint32_t)i;
    }
    if (!kci_reserve(graph->context, &graph->limits, &graph->limit_cap, graph->limit_count + 1, sizeof limit))
        return UINT32_MAX;
    graph->limits[graph->limit_count] = limit;
    return (uint32_t)graph->limit_count++;
}
