/* expand.c: values to instances: each value once per way that its dims are walked; design, section 3 "Fusion". */
#include <string.h>

#include "build.h"

/* ---- loops and axes -------------------------------------------------------- */

/* For one more dim. */
static bool has_room(const kci_builder *builder)
{
    const kci_graph *graph = builder->graph;
    if (graph->loop_count + graph->virtual_count < KCI_MAX_LOOPS)
        return true;
    kci_fail(builder->context, KC_EARGUMENT, "kernel '%.80s': more than %d dims in one kernel", builder->name, KCI_MAX_LOOPS);
    return false;
}

/* The loop of that name; `size` 0 asks for one that is known. -1: failed. */
static int loop_of(kci_builder *builder, kci_symbol name, double size)
{
    kci_graph *graph = builder->graph;
    size_t known = 0;
    while (known < graph->loop_count && graph->loops[known].name != name)
        known++;
    if (known < graph->loop_count) {
        if (size == 0 || graph->loops[known].size == size)
            return (int)known;
        char one[32], other[32];
        kci_format_number(graph->loops[known].size, one);
        kci_format_number(size, other);
        kci_fail(builder->context, KC_EARGUMENT,
                 "kernel '%.80s': dim '%.80s' is %s in one tensor and %s in another; a dim has one size in a kernel",
                 builder->name, kci_name(builder->context, name), one, other);
        return -1;
    }
    if (!has_room(builder) ||
        !kci_reserve(builder->context, &graph->loops, &graph->loop_cap, graph->loop_count + 1, sizeof(kci_loop)))
        return -1;
    graph->loops[graph->loop_count] = (kci_loop){ name, size };
    return (int)graph->loop_count++;
}

static const kci_binding *bound_as(const kci_builder *builder, uint32_t environment, kci_symbol name)
{
    const kci_environment *e = &builder->environments[environment];
    for (uint32_t i = 0; i < e->bindings; i++)
        if (builder->bindings[e->binding + i].name == name)
            return &builder->bindings[e->binding + i];
    return NULL;
}

static uint32_t plain_axis(kci_builder *builder, int loop, double size, uint32_t scope)
{
    kci_loop_term term = { 1, (int16_t)loop, -1 };
    return kci_add_axis(builder, (kci_axis){ .size = size, .terms = 1, .scope = scope }, &term);
}

uint32_t kci_dim_axis(kci_builder *builder, uint32_t environment, kci_symbol name, double size, int16_t *dim)
{
    const kci_binding *binding = bound_as(builder, environment, name);
    if (binding) {
        *dim = binding->dim;
        return binding->axis;
    }
    int loop = loop_of(builder, name, size);
    if (loop < 0)
        return UINT32_MAX;
    if (builder->environments[environment].captured & KCI_BIT(loop)) {
        kci_fail(builder->context, KC_EARGUMENT,
                 "kernel '%.80s': '%.80s' is a dim behind a fused-away tensor and also of the index that reads it; "
                 "rename one of them with kc.rename",
                 builder->name, kci_name(builder->context, name));
        return UINT32_MAX;
    }
    *dim = (int16_t)loop;
    if (builder->plain_axes[loop] == 0)
        builder->plain_axes[loop] = 1 + plain_axis(builder, loop, builder->graph->loops[loop].size, UINT32_MAX);
    return builder->plain_axes[loop] - 1;
}

/* Adds coefficient * loop (* size) to a sum of terms. */
static bool add_term(kci_builder *builder, kci_loop_term *terms, uint32_t *count, kci_loop_term term)
{
    for (uint32_t i = 0; i < *count; i++)
        if (terms[i].loop == term.loop) {
            if (terms[i].size_of != term.size_of) {
                kci_fail(builder->context, KC_EARGUMENT,
                         "kernel '%.80s': two steps along one dim in a composed index, one of them #dim", builder->name);
                return false;
            }
            terms[i].coefficient += term.coefficient;
            if (terms[i].coefficient == 0)
                terms[i] = terms[--*count];
            return true;
        }
    terms[(*count)++] = term;
    return true;
}

uint32_t kci_form_axis(kci_builder *builder, uint32_t environment, const kc_value *reader, const kci_form *form,
                       double size)
{
    kci_loop_term over_loops[KCI_MAX_LOOPS + 1], over_scope[KCI_MAX_LOOPS + 1];
    kci_axis loops = { .constant = form->constant, .size = size, .gather = form->gather },
             scope = { .constant = form->constant, .size = size, .gather = form->gather };
    bool has_virtual = false;
    for (size_t t = 0; t < form->count; t++) {
        const kci_form_term *term = &form->terms[t];
        const kci_dim *read = kci_find_dim(reader->dims, reader->rank, term->dim);
        int16_t dim, size_of = -1;
        uint32_t id = kci_dim_axis(builder, environment, term->dim, read ? read->size : 0, &dim);
        if (id == UINT32_MAX)
            return UINT32_MAX;
        if (term->size_of) {
            uint32_t sized = kci_dim_axis(builder, environment, term->size_of, 0, &size_of);
            if (sized == UINT32_MAX)
                return UINT32_MAX;
            if (!kci_axis_is_plain(builder->graph, sized) || size_of >= (int)builder->graph->loop_count) {
                kci_fail(builder->context, KC_EARGUMENT, "kernel '%.80s': #%.80s behind an affine index is not a loop's size",
                         builder->name, kci_name(builder->context, term->size_of));
                return UINT32_MAX;
            }
        }
        const kci_axis *known = &builder->graph->axes[id];
        if (kci_form_is_plain(form) && known->scope == id && known->size == size && kci_axis_is_plain(builder->graph, id))
            return id;
        bool is_virtual = dim >= (int)builder->graph->loop_count;
        if (form->gather && (is_virtual || !kci_axis_is_plain(builder->graph, id))) {
            kci_fail(builder->context, KC_EARGUMENT,
                     "kernel '%.80s': the data-dependent dim '%.80s' is walked by an affine index; read it as it is",
                     builder->name, kci_name(builder->context, term->dim));
            return UINT32_MAX;
        }
        has_virtual = has_virtual || is_virtual;
        if (loops.terms + builder->graph->axes[id].terms > KCI_MAX_LOOPS || scope.terms >= KCI_MAX_LOOPS)
            return UINT32_MAX;
        loops.constant += term->coefficient * builder->graph->axes[id].constant;
        for (uint32_t i = 0; i < builder->graph->axes[id].terms; i++) {
            kci_loop_term inner = builder->graph->terms[builder->graph->axes[id].term + i];
            if (inner.size_of >= 0 && size_of >= 0) {
                kci_fail(builder->context, KC_EARGUMENT, "kernel '%.80s': two #dims multiply in a composed index",
                         builder->name);
                return UINT32_MAX;
            }
            inner.coefficient *= term->coefficient;
            if (size_of >= 0)
                inner.size_of = size_of;
            if (!add_term(builder, over_loops, &loops.terms, inner))
                return UINT32_MAX;
        }
        if (!add_term(builder, over_scope, &scope.terms, (kci_loop_term){ term->coefficient, dim, size_of }))
            return UINT32_MAX;
    }
    loops.scope = UINT32_MAX;
    scope.scope = UINT32_MAX;
    if (has_virtual) {
        loops.scope = kci_add_axis(builder, scope, over_scope);
        if (loops.scope == UINT32_MAX)
            return UINT32_MAX;
    }
    return kci_add_axis(builder, loops, over_loops);
}

/* ---- environments ----------------------------------------------------------- */

static void sort_bindings(kci_binding *bindings, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j > 0 && bindings[j].name < bindings[j - 1].name; j--) {
            kci_binding swap = bindings[j];
            bindings[j] = bindings[j - 1];
            bindings[j - 1] = swap;
        }
}

/* Makes the latest bindings an environment, or finds an equal one. */
static uint32_t close_environment(kci_builder *builder, uint32_t first)
{
    kci_environment e = { .binding = first, .bindings = (uint32_t)builder->binding_count - first };
    if (e.bindings > 1)
        sort_bindings(builder->bindings + first, e.bindings);
    for (uint32_t i = 0; i < e.bindings; i++) {
        const kci_binding *b = &builder->bindings[first + i];
        e.captured |= builder->graph->axes[b->axis].loops;
        e.has_virtual = e.has_virtual || b->dim >= (int)builder->graph->loop_count;
    }
    for (size_t known = 0; known < builder->environment_count; known++) {
        const kci_environment *k = &builder->environments[known];
        if (k->bindings != e.bindings)
            continue;
        bool same = true;
        for (uint32_t i = 0; same && i < e.bindings; i++) {
            const kci_binding *a = &builder->bindings[k->binding + i], *b = &builder->bindings[first + i];
            same = a->name == b->name && a->axis == b->axis && a->dim == b->dim;
        }
        if (same) {
            builder->binding_count = first;
            return (uint32_t)known;
        }
    }
    if (!kci_reserve(builder->context, &builder->environments, &builder->environment_cap,
                     builder->environment_count + 1, sizeof e))
        return UINT32_MAX;
    builder->environments[builder->environment_count] = e;
    return (uint32_t)builder->environment_count++;
}

/* The dim that a position's axis makes of a fused-away tensor's dim: the loop or
 * dim it is, or a virtual one where the index computes it. */
static bool bind(kci_builder *builder, kci_symbol name, uint32_t axis, double size)
{
    kci_graph *graph = builder->graph;
    kci_binding binding = { name, axis, -1 };
    uint32_t scope = graph->axes[axis].scope;
    if (kci_axis_is_plain(graph, scope)) {
        binding.dim = graph->terms[graph->axes[scope].term].loop;
        if (kci_axis_is_plain(graph, axis) && graph->loops[binding.dim].name == name &&
            graph->loops[binding.dim].size == size)
            return true; /* the same dim: nothing to bind */
    } else {
        for (size_t v = 0; v < graph->virtual_count; v++)
            if (graph->virtuals[v].axis == scope)
                binding.dim = (int16_t)(KCI_MAX_LOOPS - 1 - v);
        if (binding.dim < 0) {
            if (!has_room(builder) || !kci_reserve(builder->context, &graph->virtuals, &graph->virtual_cap,
                                                   graph->virtual_count + 1, sizeof(kci_virtual)))
                return false;
            binding.dim = (int16_t)(KCI_MAX_LOOPS - 1 - (int)graph->virtual_count);
            graph->virtuals[graph->virtual_count++] = (kci_virtual){ scope, kci_name(builder->context, name) };
        }
        uint32_t own = plain_axis(builder, binding.dim, size, UINT32_MAX);
        if (own == UINT32_MAX)
            return false;
        kci_axis walked = graph->axes[axis];
        kci_loop_term terms[KCI_MAX_LOOPS];
        memcpy(terms, graph->terms + walked.term, walked.terms * sizeof *terms);
        walked.scope = own;
        binding.axis = kci_add_axis(builder, walked, terms);
        if (binding.axis == UINT32_MAX)
            return false;
    }
    if (!kci_reserve(builder->context, &builder->bindings, &builder->binding_cap, builder->binding_count + 1,
                     sizeof binding))
        return false;
    builder->bindings[builder->binding_count++] = binding;
    return true;
}

/* The environment in which the value behind a fused-away tensor is walked by `read`. */
static uint32_t read_environment(kci_builder *builder, const kc_value *read, uint32_t environment)
{
    const kc_tensor *tensor = read->tensor;
    uint32_t first = (uint32_t)builder->binding_count;
    for (size_t p = 0; p < tensor->rank; p++) {
        if (read->index[p].gather || !kci_form_is_plain(&tensor->index[p])) {
            kci_fail(builder->context, KC_EARGUMENT,
                     "kernel '%.80s': %.80s cannot stay on chip: it is %s; keep it out of the fuse, or save it and read it "
                     "in a later kernel",
                     builder->name, tensor->name, read->index[p].gather ? "read where data says" : "written by a scatter");
            return UINT32_MAX;
        }
        uint32_t axis = kci_form_axis(builder, environment, read, &read->index[p], tensor->dims[p].size);
        if (axis == UINT32_MAX || !bind(builder, tensor->index[p].terms[0].dim, axis, tensor->dims[p].size))
            return UINT32_MAX;
    }
    return close_environment(builder, first);
}

/* ---- instances --------------------------------------------------------------- */

typedef struct sought_instance {
    const kci_builder *builder;
    const void *thing;
    uint32_t environment;
} sought_instance;

static bool same_instance(const void *data, uint32_t id)
{
    const sought_instance *s = data;
    const kci_instance *i = &s->builder->instances[id];
    return i->environment == s->environment && s->thing == (i->fused ? (const void *)i->fused : i->value);
}

static bool same_fused(const void *data, uint32_t id)
{
    const void *const *pair = data;
    return ((const kci_builder *)pair[0])->fused[id] == pair[1];
}

static bool is_fused(const kci_builder *builder, const kc_tensor *tensor)
{
    const void *pair[2] = { builder, tensor };
    return kci_table_find(&builder->fused_table, kci_hash(3, &tensor, sizeof tensor), same_fused, pair) != UINT32_MAX;
}

/* The instance of `value` in `environment`, new ones without inputs yet. */
static uint32_t instance_of(kci_builder *builder, const kc_value *value, uint32_t environment)
{
    kci_instance instance = { .value = value, .environment = environment, .node = UINT32_MAX,
                              .divides = UINT32_MAX };
    if (value->op == KCI_V_READ && is_fused(builder, value->tensor)) {
        instance.fused = value->tensor;
        instance.environment = read_environment(builder, value, environment);
        if (instance.environment == UINT32_MAX)
            return UINT32_MAX;
    }
    sought_instance sought = { builder, instance.fused ? (const void *)instance.fused : value, instance.environment };
    uint64_t hash = kci_hash(instance.environment, &sought.thing, sizeof sought.thing);
    uint32_t known = kci_table_find(&builder->instance_table, hash, same_instance, &sought);
    if (known != UINT32_MAX)
        return known;
    uint32_t id = (uint32_t)builder->instance_count;
    if (!kci_reserve(builder->context, &builder->instances, &builder->instance_cap, builder->instance_count + 1,
                     sizeof instance) ||
        !kci_table_add(builder->context, &builder->instance_table, hash, id))
        return UINT32_MAX;
    builder->instances[builder->instance_count++] = instance;
    return id;
}

typedef struct frame {
    uint32_t instance, next, count;
} frame;

static uint32_t input_count(const kci_instance *instance)
{
    return instance->fused ? 1 : (uint32_t)instance->value->input_count;
}

/* Walks what is behind `root`, operands left to right, without recursion, and
 * appends each instance to `done` after its inputs. */
static kc_status walk(kci_builder *builder, uint32_t root, uint32_t **done, size_t *done_count, size_t *done_cap)
{
    kc_context *context = builder->context;
    frame *stack = NULL;
    size_t depth = 0, capacity = 0;
    kc_status status = KC_OK;
    if (!kci_reserve(context, &stack, &capacity, 1, sizeof *stack))
        return KC_ENOMEM;
    stack[depth++] = (frame){ root, 0, input_count(&builder->instances[root]) };
    builder->instances[root].node = 0; /* on the way; emit gives the real one */
    while (depth > 0 && !status) {
        frame *top = &stack[depth - 1];
        kci_instance *instance = &builder->instances[top->instance];
        if (top->next == 0 && top->count > 0) {
            instance->input = (uint32_t)builder->input_count;
            instance->inputs = top->count;
            if (!kci_reserve(context, &builder->inputs, &builder->input_cap, builder->input_count + top->count,
                             sizeof *builder->inputs))
                status = KC_ENOMEM;
            builder->input_count += status ? 0 : top->count;
        }
        if (!status && top->next < top->count) {
            const kc_value *value = instance->fused ? instance->fused->value : instance->value->inputs[top->next];
            uint32_t environment = instance->environment, slot = instance->input + top->next;
            uint32_t input = instance_of(builder, value, environment);
            if (input == UINT32_MAX) {
                status = kc_context_status(context);
                break;
            }
            builder->inputs[slot] = input;
            top->next++;
            if (builder->instances[input].node == UINT32_MAX) {
                builder->instances[input].node = 0;
                if (!kci_reserve(context, &stack, &capacity, depth + 1, sizeof *stack))
                    status = KC_ENOMEM;
                else
                    stack[depth++] = (frame){ input, 0, input_count(&builder->instances[input]) };
            }
        } else if (!status) {
            if (instance->value->op == KCI_V_READ && !instance->fused) {
                const kc_value *read = instance->value; /* loops appear in the order of reads */
                for (size_t d = 0; d < read->rank && !status; d++) {
                    int16_t dim;
                    if (kci_dim_axis(builder, instance->environment, read->dims[d].name, read->dims[d].size, &dim) ==
                        UINT32_MAX)
                        status = kc_context_status(context);
                }
            }
            if (!status && kci_reserve(context, done, done_cap, *done_count + 1, sizeof **done))
                (*done)[(*done_count)++] = top->instance;
            else
                status = status ? status : KC_ENOMEM;
            depth--;
        }
    }
    kci_free(context, stack, capacity * sizeof *stack);
    return status;
}

/* Instances in the order of their ids are not yet inputs first: renumber. */
static kc_status renumber(kci_builder *builder, const uint32_t *done, size_t count)
{
    kc_context *context = builder->context;
    kci_instance *sorted = kci_alloc(context, builder->instance_cap * sizeof *sorted);
    uint32_t *position = kci_alloc(context, count * sizeof *position);
    bool ok = sorted && position;
    if (ok) {
        for (size_t i = 0; i < count; i++) {
            position[done[i]] = (uint32_t)i;
            sorted[i] = builder->instances[done[i]];
            sorted[i].node = UINT32_MAX;
        }
        for (size_t i = 0; i < builder->input_count; i++)
            builder->inputs[i] = position[builder->inputs[i]];
        for (size_t i = 0; i < builder->written_count; i++)
            builder->roots[i] = position[builder->roots[i]];
        kci_free(context, builder->instances, builder->instance_cap * sizeof *sorted);
        builder->instances = sorted;
        sorted = NULL;
    }
    kci_free(context, position, count * sizeof *position);
    kci_free(context, sorted, builder->instance_cap * sizeof *sorted);
    kci_table_free(context, &builder->instance_table);
    return ok ? KC_OK : KC_ENOMEM;
}

/* The one plain renaming under which a saved tensor is read, so that what is
 * written is what was computed for its readers; else the empty environment. */
static uint32_t saved_instance(kci_builder *builder, const kc_tensor *tensor)
{
    for (size_t i = 0; i < builder->instance_count; i++)
        if (builder->instances[i].fused == tensor &&
            !builder->environments[builder->instances[i].environment].has_virtual)
            return (uint32_t)i;
    return UINT32_MAX;
}

kc_status kci_expand(kci_builder *builder)
{
    kc_context *context = builder->context;
    uint32_t *done = NULL;
    size_t count = 0, capacity = 0;
    kc_status status = close_environment(builder, 0) == UINT32_MAX ? KC_ENOMEM : KC_OK;
    builder->roots = kci_alloc(context, builder->written_count * sizeof *builder->roots);
    if (!builder->roots)
        status = KC_ENOMEM;
    for (uint32_t i = 0; i < builder->fused_count && !status; i++)
        if (!kci_table_add(context, &builder->fused_table, kci_hash(3, &builder->fused[i], sizeof(kc_tensor *)), i))
            status = KC_ENOMEM;
    for (int saved = 0; saved < 2; saved++) /* saved tensors last: their readers are known then */
        for (size_t w = 0; w < builder->written_count && !status; w++) {
            const kc_tensor *tensor = builder->written[w];
            if (is_fused(builder, tensor) != (saved == 1))
                continue;
            uint32_t root = saved ? saved_instance(builder, tensor) : UINT32_MAX;
            if (root == UINT32_MAX)
                root = instance_of(builder, tensor->value, 0);
            if (root == UINT32_MAX) {
                status = kc_context_status(context);
                break;
            }
            builder->roots[w] = root;
            builder->instances[root].root = true;
            if (builder->instances[root].node == UINT32_MAX)
                status = walk(builder, root, &done, &count, &capacity);
        }
    if (!status)
        status = renumber(builder, done, count);
    kci_free(context, done, capacity * sizeof *done);
    return status;
}
