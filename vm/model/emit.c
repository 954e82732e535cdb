/* emit.c: instances to nodes: one node an op, writes where their value is ready; a softmax is in softmax.c. */
#include <string.h>

#include "emit.h"

static kc_status add_dim(kci_builder *builder, kci_space *s, uint32_t environment, const kci_dim *dim)
{
    int16_t number;
    uint32_t id = kci_dim_axis(builder, environment, dim->name, dim->size, &number);
    if (id == UINT32_MAX)
        return kc_context_status(builder->context);
    for (size_t i = 0; i < s->count; i++)
        if (s->ids[i] == id)
            return KC_OK;
    if (s->count == KCI_SPACE)
        return kci_fail(builder->context, KC_EARGUMENT, "kernel '%.80s': an op has more than %d dims", builder->name, KCI_SPACE);
    s->ids[s->count++] = id;
    s->loops |= builder->graph->axes[id].loops;
    return KC_OK;
}

kc_status kci_add_dims(kci_builder *builder, kci_space *s, uint32_t environment, const kci_dim *dims, size_t count)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = add_dim(builder, s, environment, &dims[i]);
    return status;
}

/* Loops of the dims that an op reduces: they must be walked as they are. */
kc_status kci_over_loops(kci_builder *builder, const kci_instance *instance, kci_set *loops)
{
    const kc_value *value = instance->value;
    *loops = 0;
    for (size_t o = 0; o < value->over_count; o++) {
        int16_t dim;
        uint32_t id = kci_dim_axis(builder, instance->environment, value->over[o], 0, &dim);
        if (id == UINT32_MAX)
            return kc_context_status(builder->context);
        if (!kci_axis_is_plain(builder->graph, id) || dim >= (int)builder->graph->loop_count)
            return kci_fail(builder->context, KC_EARGUMENT,
                            "kernel '%.80s': %s reduces '%.80s', which its reader walks by an affine index; "
                            "the tensor behind cannot stay on chip (%s > %s)",
                            builder->name, value->label, kci_name(builder->context, value->over[o]), builder->name,
                            value->label);
        *loops |= KCI_BIT(dim);
    }
    return KC_OK;
}

kci_node kci_blank_node(kci_node_kind kind, const char *label, kci_format format)
{
    return (kci_node){ .kind = kind, .unit = KCI_VECTOR, .math = KCI_F32, .format = format,
                       .accumulator = kci_format_accumulator(format), .share = 1, .label = label, .tensor = -1,
                       .statistics_of = -1, .deferred_to = -1, .scale = 1 };
}

/* Appends a node over `iteration` with value `out`.  UINT32_MAX: no memory. */
uint32_t kci_add_node(kci_builder *builder, kci_node node, const kci_space *iteration, const kci_space *out,
                         const kci_edge *edges, size_t edge_count)
{
    kci_graph *graph = builder->graph;
    node.axis = kci_add_axis_ids(graph, iteration->ids, iteration->count);
    node.axes = (uint32_t)iteration->count;
    node.out = out == iteration ? node.axis : kci_add_axis_ids(graph, out->ids, out->count);
    node.outs = (uint32_t)out->count;
    node.loops = iteration->loops | node.around;
    node.edge = (uint32_t)graph->edge_count;
    node.edges = (uint32_t)edge_count;
    if (node.axis == UINT32_MAX || node.out == UINT32_MAX ||
        !kci_reserve(graph->context, &graph->edge_list, &graph->edge_cap, graph->edge_count + edge_count, sizeof *edges) ||
        !kci_reserve(graph->context, &graph->nodes, &graph->node_cap, graph->node_count + 1, sizeof node))
        return UINT32_MAX;
    if (edge_count)
        memcpy(graph->edge_list + graph->edge_count, edges, edge_count * sizeof *edges);
    graph->edge_count += edge_count;
    node.twin = (uint32_t)graph->node_count;
    graph->nodes[graph->node_count] = node;
    return (uint32_t)graph->node_count++;
}

static bool same_source(const void *data, uint32_t id)
{
    const void *const *pair = data;
    const kci_builder *builder = pair[0];
    const kci_node *node = pair[2];
    return builder->sources[id] == pair[1] && strcmp(builder->graph->nodes[id].label, node->label) == 0;
}

/* Says that node `id` is (the part of its label of) `value`: nodes of one value under
 * two indexes are twins, and useful work is theirs together.  UINT32_MAX: no memory. */
uint32_t kci_with_source(kci_builder *builder, uint32_t id, const kc_value *value)
{
    if (id == UINT32_MAX)
        return id;
    kci_node *node = &builder->graph->nodes[id];
    const void *sought[3] = { builder, value, node };
    uint64_t hash = kci_hash(kci_hash(5, &value, sizeof value), node->label, strlen(node->label));
    uint32_t first = kci_table_find(&builder->twin_table, hash, same_source, sought);
    if (!kci_reserve(builder->context, (void *)&builder->sources, &builder->source_cap, (size_t)id + 1,
                     sizeof *builder->sources) ||
        (first == UINT32_MAX && !kci_table_add(builder->context, &builder->twin_table, hash, id)))
        return UINT32_MAX;
    builder->sources[id] = value;
    node->twin = first == UINT32_MAX ? id : first;
    return id;
}

static kc_status add_origin(kci_builder *builder, uint32_t node, kci_limit limit)
{
    kci_graph *graph = builder->graph;
    uint32_t id = kci_add_limit(graph, limit);
    if (id == UINT32_MAX || !kci_reserve(graph->context, &graph->origins, &graph->origin_cap, graph->origin_count + 1,
                                         sizeof(kci_limit_origin)))
        return KC_ENOMEM;
    graph->origins[graph->origin_count++] = (kci_limit_origin){ node, id };
    return KC_OK;
}

static kc_status add_band(kci_builder *builder, uint32_t node, uint32_t environment, const kci_band *band,
                          kci_limit_kind kind)
{
    int16_t q, k;
    uint32_t q_axis = kci_dim_axis(builder, environment, band->q, 0, &q);
    uint32_t k_axis = q_axis == UINT32_MAX ? q_axis : kci_dim_axis(builder, environment, band->k, 0, &k);
    if (k_axis == UINT32_MAX)
        return kc_context_status(builder->context);
    kci_graph *graph = builder->graph;
    if (!kci_axis_is_plain(graph, q_axis) || !kci_axis_is_plain(graph, k_axis) || q >= (int)graph->loop_count ||
        k >= (int)graph->loop_count || q == k) {
        if (kind == KCI_FAR)
            return KC_OK;
        return kci_fail(builder->context, KC_EARGUMENT,
                        "kernel '%.80s': mask: '%.80s' and '%.80s' are walked by an affine index; the tensor behind cannot "
                        "stay on chip (%s > mask)",
                        builder->name, kci_name(builder->context, band->q), kci_name(builder->context, band->k),
                        builder->name);
    }
    kci_loop_term terms[2] = { { -1, q, -1 }, { 1, k, -1 } };
    uint32_t axis = kci_add_axis(builder, (kci_axis){ .size = 1, .terms = 2, .scope = UINT32_MAX, .fixed = true }, terms);
    if (axis == UINT32_MAX)
        return KC_ENOMEM;
    return add_origin(builder, node, (kci_limit){ kind, axis, band->lo, band->hi, band->hi_follows, 0 });
}

/* Where an index can leave its tensor, the points outside are dead. */
static kc_status add_padding(kci_builder *builder, uint32_t node, uint32_t id)
{
    const kci_graph *graph = builder->graph;
    const kci_axis *scope = &graph->axes[graph->axes[id].scope];
    double least = scope->constant, most = scope->constant;
    bool falls = false;
    for (uint32_t t = 0; t < scope->terms; t++) {
        const kci_loop_term *term = &graph->terms[scope->term + t];
        double size = term->loop < (int)graph->loop_count
                          ? graph->loops[term->loop].size
                          : graph->axes[graph->virtuals[KCI_MAX_LOOPS - 1 - term->loop].axis].size;
        double coefficient =
            term->coefficient * (term->size_of < 0 ? 1 : graph->loops[term->size_of].size);
        *(coefficient > 0 ? &most : &least) += coefficient * (size - 1);
        falls = falls || coefficient < 0;
    }
    if (scope->gather || (!falls && least >= 0 && most < scope->size))
        return KC_OK;
    return add_origin(builder, node, (kci_limit){ KCI_PADDING, id, 0, scope->size - 1, false, 0 });
}

/* ---- tensors ------------------------------------------------------------------ */

static bool same_name(const void *data, uint32_t id)
{
    const void *const *pair = data;
    const kci_graph *graph = pair[0];
    return strcmp(graph->tensors[id].name, pair[1]) == 0;
}

int32_t kci_tensor_use_of(kci_builder *builder, kc_tensor *tensor, const char *name, double bytes)
{
    kci_graph *graph = builder->graph;
    const void *pair[2] = { graph, name };
    uint64_t hash = kci_hash(2, name, strlen(name));
    uint32_t known = kci_table_find(&builder->tensor_table, hash, same_name, pair);
    if (known != UINT32_MAX) {
        if (graph->tensors[known].tensor == tensor)
            return (int32_t)known;
        kci_fail(builder->context, KC_EARGUMENT,
                 "kernel '%.80s': two tensors are named '%.80s'; make one and read it twice, or give them two names",
                 builder->name, name);
        return -1;
    }
    if (!kci_reserve(builder->context, &graph->tensors, &graph->tensor_cap, graph->tensor_count + 1,
                     sizeof *graph->tensors) ||
        !kci_table_add(builder->context, &builder->tensor_table, hash, (uint32_t)graph->tensor_count))
        return -1;
    graph->tensors[graph->tensor_count] = (kci_tensor_use){ tensor, name, bytes, false, false };
    return (int32_t)graph->tensor_count++;
}

typedef struct sought_read {
    const kci_graph *graph;
    const kci_node *node;
    const uint32_t *ids;
} sought_read;

static bool same_read(const void *data, uint32_t id)
{
    const sought_read *s = data;
    const kci_node *known = &s->graph->nodes[id];
    return known->tensor == s->node->tensor && known->scale == s->node->scale &&
           known->distinct == s->node->distinct && known->axes == s->node->axes &&
           memcmp(s->graph->axis_ids + known->axis, s->ids, known->axes * sizeof *s->ids) == 0;
}

static kc_status reads_its_own(kci_builder *builder, const kc_tensor *tensor)
{
    return kci_fail(builder->context, KC_EARGUMENT,
                    "kernel '%.80s': it reads %.80s, which it writes; use kc.fuse to keep it on chip, or two kernels",
                    builder->name, tensor->name);
}

static kc_status emit_read(kci_builder *builder, kci_instance *instance)
{
    const kc_value *value = instance->value;
    kci_graph *graph = builder->graph;
    kc_tensor *tensor = value->tensor;
    kci_node node = kci_blank_node(KCI_READ, tensor->name, value->format);
    node.scale = value->scale;
    node.distinct = value->distinct;
    node.tensor = kci_tensor_use_of(builder, tensor, tensor->name, kci_dtype_bytes(tensor->dtype));
    if (node.tensor < 0)
        return kc_context_status(builder->context);
    kci_space positions = { .count = 0 }, out = { .count = 0 };
    for (size_t p = 0; p < tensor->rank; p++) {
        uint32_t id = kci_form_axis(builder, instance->environment, value, &value->index[p], tensor->dims[p].size);
        if (id == UINT32_MAX)
            return kc_context_status(builder->context);
        positions.ids[positions.count++] = id;
        positions.loops |= graph->axes[id].loops;
        if (positions.count == KCI_SPACE)
            return kci_fail(builder->context, KC_EARGUMENT, "read: %.80s has more than %d dims", tensor->name, KCI_SPACE - 1);
    }
    node.axes = (uint32_t)positions.count;
    uint64_t hash = kci_hash((uint64_t)node.tensor, positions.ids, positions.count * sizeof *positions.ids);
    sought_read sought = { graph, &node, positions.ids };
    uint32_t known = kci_table_find(&builder->read_table, hash, same_read, &sought);
    if (known != UINT32_MAX) {
        instance->node = known;
        return KC_OK;
    }
    if (graph->tensors[node.tensor].written)
        return reads_its_own(builder, tensor);
    graph->tensors[node.tensor].read = true;
    kc_status status = kci_add_dims(builder, &out, instance->environment, value->dims, value->rank);
    if (status)
        return status;
    uint32_t id = kci_add_node(builder, node, &positions, &out, NULL, 0);
    if (id == UINT32_MAX || !kci_table_add(builder->context, &builder->read_table, hash, id))
        return KC_ENOMEM;
    instance->node = id;
    for (size_t p = 0; p < positions.count && !status; p++)
        status = add_padding(builder, id, positions.ids[p]);
    for (size_t b = 0; b < value->band_count && !status; b++)
        status = add_band(builder, id, instance->environment, &value->bands[b], KCI_FAR);
    return status;
}

static kc_status emit_write(kci_builder *builder, size_t w)
{
    kc_tensor *tensor = builder->written[w];
    const kci_instance *root = &builder->instances[builder->roots[w]];
    kci_graph *graph = builder->graph;
    /* a saved tensor is written where its readers walk it; the others where they are built */
    uint32_t environment = root->fused == tensor ? root->environment : 0;
    kci_node node = kci_blank_node(KCI_WRITE, tensor->name, tensor->dtype->math);
    node.scale = tensor->scale;
    node.tensor = kci_tensor_use_of(builder, tensor, tensor->name, kci_dtype_bytes(tensor->dtype));
    if (node.tensor < 0)
        return kc_context_status(builder->context);
    if (graph->tensors[node.tensor].read)
        return reads_its_own(builder, tensor);
    graph->tensors[node.tensor].written = true;
    kci_space positions = { .count = 0 };
    for (size_t p = 0; p < tensor->rank && p < KCI_SPACE; p++) {
        uint32_t id = kci_form_axis(builder, environment, tensor->value, &tensor->index[p], tensor->dims[p].size);
        if (id == UINT32_MAX)
            return kc_context_status(builder->context);
        positions.ids[positions.count++] = id;
        positions.loops |= graph->axes[id].loops;
    }
    kci_edge edge = { root->node, false };
    return kci_add_node(builder, node, &positions, &positions, &edge, 1) == UINT32_MAX ? KC_ENOMEM : KC_OK;
}

/* ---- ops ---------------------------------------------------------------------- */

uint32_t kci_input_node(const kci_builder *builder, const kci_instance *instance, uint32_t i)
{
    return builder->instances[builder->inputs[instance->input + i]].node;
}

/* The format of a matmul operand that is a read or a cast; KCI_FORMATS: computed. */
static kci_format operand_format(const kci_builder *builder, const kci_instance *instance, uint32_t i)
{
    const kci_instance *input = &builder->instances[builder->inputs[instance->input + i]];
    bool given = !input->fused && (input->value->op == KCI_V_READ || input->value->op == KCI_V_CAST);
    return given ? input->value->format : KCI_FORMATS;
}

static kci_format matmul_format(const kci_builder *builder, const kci_instance *instance)
{
    if (instance->value->math != KCI_FORMATS)
        return instance->value->math;
    kci_format a = operand_format(builder, instance, 0), b = operand_format(builder, instance, 1);
    if (a == KCI_FORMATS && b == KCI_FORMATS) {
        a = builder->graph->nodes[kci_input_node(builder, instance, 0)].format;
        b = builder->graph->nodes[kci_input_node(builder, instance, 1)].format;
    }
    return a == KCI_FORMATS ? b : b == KCI_FORMATS ? a : kci_format_wider(a, b);
}

static kc_status emit_op(kci_builder *builder, kci_instance *instance)
{
    const kc_value *value = instance->value;
    kci_space iteration = { .count = 0 }, out = { .count = 0 };
    kc_status status = KC_OK;
    uint32_t inputs = instance->inputs - (value->into ? 1 : 0);
    for (uint32_t i = 0; i < inputs && !status; i++)
        status = kci_add_dims(builder, &iteration, instance->environment, value->inputs[i]->dims, value->inputs[i]->rank);
    if (!status)
        status = kci_add_dims(builder, &out, instance->environment, value->dims, value->rank);
    kci_node node = kci_blank_node(KCI_OP, value->label, value->format);
    node.flops = value->flops;
    node.special = value->special;
    if (!status)
        status = kci_over_loops(builder, instance, &node.reduced);
    if (status)
        return status;
    if (value->op == KCI_V_MATMUL) {
        node.unit = value->unit;
        node.math = matmul_format(builder, instance);
        node.math_asked = value->math != KCI_FORMATS;
        node.flags |= KCI_MATMUL;
    }
    if (value->op == KCI_V_SCAN)
        node.flags |= KCI_SCAN;
    if (value->op == KCI_V_MAP || value->op == KCI_V_CAST || value->op == KCI_V_MASK)
        node.flags |= KCI_ELEMENTWISE;
    kci_edge *edges = kci_alloc(builder->context, instance->inputs * sizeof *edges);
    if (!edges)
        return KC_ENOMEM;
    for (uint32_t i = 0; i < inputs; i++)
        edges[i] = (kci_edge){ kci_input_node(builder, instance, i), false };
    uint32_t id = kci_with_source(builder, kci_add_node(builder, node, &iteration, &out, edges, inputs), value);
    kci_free(builder->context, edges, instance->inputs * sizeof *edges);
    if (id == UINT32_MAX)
        return KC_ENOMEM;
    if (value->op == KCI_V_MASK)
        status = add_band(builder, id, instance->environment, &value->mask, KCI_MASK);
    if (!status && instance->divides != UINT32_MAX)
        id = kci_emit_deferred(builder, instance, id, &out);
    if (!status && id != UINT32_MAX && value->into) {
        kci_node into = kci_blank_node(KCI_OP, "into", value->format);
        into.flags = KCI_INTO | KCI_ELEMENTWISE;
        kci_edge sum[2] = { { id, false }, { kci_input_node(builder, instance, inputs), false } };
        id = kci_add_node(builder, into, &out, &out, sum, 2);
    }
    instance->node = id;
    return status ? status : id == UINT32_MAX ? KC_ENOMEM : KC_OK;
}

/* A tensor that stays on chip: no work; from here on it has the dtype it was written in. */
static kc_status emit_fused(kci_builder *builder, kci_instance *instance)
{
    const kc_tensor *tensor = instance->fused;
    const kci_environment *environment = &builder->environments[instance->environment];
    kci_space all = { .count = 0 };
    kc_status status =
        kci_add_dims(builder, &all, instance->environment, tensor->value->dims, tensor->value->rank);
    if (status)
        return status;
    kci_node node = kci_blank_node(KCI_OP, tensor->name, tensor->dtype->math);
    node.flags = KCI_ELEMENTWISE;
    uint32_t input = kci_input_node(builder, instance, 0);
    instance->node = kci_add_node(builder, node, &all, &all, &(kci_edge){ input, false }, 1);
    if (instance->node == UINT32_MAX)
        return KC_ENOMEM;
    if (!environment->has_virtual)
        return KC_OK;
    kci_graph *graph = builder->graph;
    if (!kci_reserve(graph->context, &graph->crossings, &graph->crossing_cap, graph->crossing_count + 1,
                     sizeof *graph->crossings))
        return KC_ENOMEM;
    graph->crossings[graph->crossing_count++] = instance->node;
    for (size_t i = 0; i < builder->graph->virtual_count && !status; i++)
        for (uint32_t b = 0; b < environment->bindings && !status; b++) {
            const kci_binding *binding = &builder->bindings[environment->binding + b];
            if (binding->dim != (int)(KCI_MAX_LOOPS - 1 - i))
                continue;
            /* outside its bounds the tensor has no elements: seen by the reader's scope */
            kci_axis seen = builder->graph->axes[binding->axis];
            kci_loop_term terms[KCI_MAX_LOOPS];
            memcpy(terms, builder->graph->terms + seen.term, seen.terms * sizeof *terms);
            seen.scope = builder->graph->virtuals[i].axis;
            uint32_t axis = kci_add_axis(builder, seen, terms);
            status = axis == UINT32_MAX ? KC_ENOMEM : add_padding(builder, instance->node, axis);
        }
    return status;
}

kc_status kci_emit(kci_builder *builder)
{
    kc_status status = kci_defer(builder);
    for (uint32_t i = 0; i < builder->instance_count && !status; i++) {
        kci_instance *instance = &builder->instances[i];
        if (instance->fused)
            status = emit_fused(builder, instance);
        else if (instance->value->op == KCI_V_READ)
            status = emit_read(builder, instance);
        else if (instance->value->op == KCI_V_SOFTMAX)
            status = kci_emit_softmax(builder, i);
        else if (instance->value->op == KCI_V_LSE)
            status = kci_emit_lse(builder, instance);
        else
            status = emit_op(builder, instance);
        for (size_t w = 0; instance->root && w < builder->written_count && !status; w++)
            if (builder->roots[w] == i)
                status = emit_write(builder, w);
    }
    return status;
}
