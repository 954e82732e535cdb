/* resize.c: kernels and programs at other sizes that share graphs and plans with those they were resized from. */
#include "resize.h"

#include <string.h>

#include "kernels.h"

struct kci_resizing {
    size_t refs;                    /* kernels whose tensors are not made yet */
    kci_transform transform;        /* of the tensors that the first of them had */
    size_t count;
    kci_change changes[];
};

/* Those of `before` that are not changed again come behind. */
static kci_resizing *resizing_new(kc_context *context, const kci_change *changes, size_t count, const kci_resizing *before)
{
    size_t most = count + (before ? before->transform.count : 0), size = sizeof(kci_resizing) + most * sizeof *changes;
    kci_resizing *r = kci_alloc(context, size);
    if (!r)
        return NULL;
    r->refs = 1;
    r->count = most;
    r->transform = (kci_transform){ .context = context, .call = "resize", .changes = r->changes, .count = count };
    if (count)
        memcpy(r->changes, changes, count * sizeof *changes);
    for (size_t i = 0; before && i < before->transform.count; i++)
        if (!kci_is_changed(&r->transform, before->changes[i].from))
            r->changes[r->transform.count++] = before->changes[i];
    return r;
}

kci_resizing *kci_resizing_retain(kci_resizing *resizing)
{
    resizing->refs++;
    return resizing;
}

void kci_resizing_release(kci_resizing *r)
{
    if (!r || --r->refs > 0)
        return;
    kc_context *context = r->transform.context;
    kci_transform_free(&r->transform);
    kci_free(context, r, sizeof *r + r->count * sizeof *r->changes);
}

/* ---- tensors --------------------------------------------------------------------------- */

static kc_tensor **make_tensors(kci_transform *t, kc_tensor *const *old, size_t count)
{
    kc_tensor **made = kci_alloc(t->context, count * sizeof *made);
    for (size_t i = 0; made && i < count; i++) {
        if (kci_rebuild(t, &old[i]->base) != KC_OK) {
            kci_free(t->context, (void *)made, count * sizeof *made);
            return NULL;
        }
        made[i] = kci_made_for(t, old[i]);
    }
    return made;
}

kc_status kci_kernel_tensors(const kc_kernel *kernel)
{
    kc_kernel *k = (kc_kernel *)(uintptr_t)kernel; /* what it puts off is no change */
    if (!k->from)
        return KC_OK;
    kci_transform *t = &k->resizing->transform;
    kc_tensor **tensors = make_tensors(t, k->from->tensors, k->tensor_count);
    kc_tensor **fused = tensors ? make_tensors(t, k->from->fused, k->fused_count) : NULL;
    if (!fused) {
        kci_free(t->context, (void *)tensors, k->tensor_count * sizeof *tensors);
        return KC_ENOMEM; /* all else was looked at before the kernel was made */
    }
    for (size_t i = 0; i < k->tensor_count; i++)
        kc_retain(tensors[i]);
    for (size_t i = 0; i < k->fused_count; i++)
        kc_retain(fused[i]);
    for (size_t i = 0; i < k->graph.tensor_count; i++)
        if (k->graph.tensors[i].tensor)
            k->graph.tensors[i].tensor = kci_made_for(t, k->graph.tensors[i].tensor);
    k->tensors = tensors;
    k->fused = fused;
    kci_resizing_release(k->resizing);
    kc_release(k->from);
    k->resizing = NULL;
    k->from = NULL;
    return KC_OK;
}

/* ---- may it? --------------------------------------------------------------------------- */

static bool goes_by_name(const kc_kernel *kernel)
{
    bool all = !kernel->narrowed && kernel->graph.virtual_count == 0;
    for (size_t i = 0; i < kernel->tensor_count && all && !kernel->from; i++)
        all = kernel->tensors[i]->by_name;
    return all;
}

typedef struct survey {
    bool by_name;                   /* each kernel */
    bool alike;                     /* resized together, or none of them put off */
    kci_resizing *resizing;         /* of the first */
    size_t kernels;
} survey;

static kc_status look(void *data, kc_kernel *kernel, double times)
{
    survey *s = data;
    for (size_t i = 0; i < kernel->member_count; i++)
        look(data, kernel->members[i], times);
    if (kernel->member_count > 0)
        return KC_OK;
    s->by_name = s->by_name && goes_by_name(kernel);
    if (s->kernels++ == 0)
        s->resizing = kernel->resizing;
    s->alike = s->alike && kernel->resizing == s->resizing;
    return KC_OK;
}

static kc_status settle(void *data, kc_kernel *kernel, double times)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < kernel->member_count && !status; i++)
        status = settle(data, kernel->members[i], times);
    return status ? status : kci_kernel_tensors(kernel);
}

static kc_status visit(kc_object *object, kci_visit_kernel call, void *data)
{
    if (object->kind == KC_PROGRAM)
        return kci_program_visit((const kc_program *)(const void *)object, call, data);
    return call(data, (kc_kernel *)(void *)object, 1);
}

/* ---- the numbers of a graph -------------------------------------------------------------- */

/* Where data or a constant says which rows are read, there are as many as the tensor's own dim has, whose name is no
 * loop's.  False: dims of two names had one axis, since they were of one size. */
static bool resize_rows(kci_transform *t, kci_graph *graph, const kci_graph *from, const kci_node *read)
{
    bool good = true;
    for (uint32_t p = 0; p < read->axes; p++) {
        uint32_t id = graph->axis_ids[read->axis + p];
        const kci_dim *dim = &graph->tensors[read->tensor].tensor->dims[p];
        double old = from->axes[id].size, size = kci_new_size(t, dim->name, old);
        if (!from->axes[id].gather && from->axes[id].terms > 0)
            continue;
        good = good && (graph->axes[id].size == old || graph->axes[id].size == size);
        graph->axes[id].size = size;
    }
    return good;
}

/* False: a number follows from more than one name. */
static bool resize_graph(kci_transform *t, kci_graph *graph, const kci_graph *from)
{
    bool good = true, rows = false;
    for (size_t a = 0; a < graph->axis_count && good; a++) {
        kci_axis *axis = &graph->axes[a];
        const kci_loop *loop = kci_axis_is_plain(graph, (uint32_t)a) ? &graph->loops[graph->terms[axis->term].loop] : NULL;
        bool chosen = axis->gather || axis->terms == 0;
        rows = rows || chosen;
        good = axis->fixed || chosen || (loop && axis->size == loop->size);
        if (good && loop && !axis->fixed)
            axis->size = kci_new_size(t, loop->name, loop->size);
    }
    for (size_t i = 0; i < graph->loop_count; i++)
        graph->loops[i].size = kci_new_size(t, graph->loops[i].name, graph->loops[i].size);
    for (size_t i = 0; i < graph->limit_count && good; i++) {
        kci_limit *limit = &graph->limits[i];
        const kci_loop_term *terms = graph->terms + graph->axes[limit->axis].term; /* k - q */
        good = limit->hi_follows;
        if (good)
            limit->hi = graph->loops[terms[1].loop].size - graph->loops[terms[0].loop].size;
    }
    for (int round = 0; round < 2 && rows; round++) /* in the second no size changes, if names agree */
        for (size_t n = 0; n < graph->node_count && good; n++)
            good = graph->nodes[n].kind != KCI_READ || resize_rows(t, graph, from, &graph->nodes[n]);
    return good;
}

/* ---- making it ------------------------------------------------------------------------------ */

typedef struct making {
    kci_resizing *resizing;
    bool rebuild;                   /* a number follows from more than one name */
} making;

static kc_object *make(making *m, kc_object *object);

static kc_kernel *make_kernel(making *m, kc_kernel *kernel)
{
    kc_context *context = kernel->base.context;
    kc_kernel *made = kci_new(context, KC_KERNEL, sizeof *made);
    if (!made)
        return NULL;
    made->like = kc_retain((void *)(uintptr_t)kci_planned_as(kernel));
    made->name = made->like->name;
    made->online = kernel->online;
    made->schedule = kc_retain(kernel->schedule);
    made->tiling = kernel->tiling;
    made->from = kc_retain(kernel->from ? kernel->from : kernel);
    made->tensor_count = kernel->tensor_count;
    made->fused_count = kernel->fused_count;
    made->resizing = kci_resizing_retain(m->resizing);
    bool shared = kci_graph_share(&made->graph, &kernel->graph, context);
    m->rebuild = shared && !resize_graph(&m->resizing->transform, &made->graph, &kernel->graph);
    if (shared && !m->rebuild)
        return made;
    kc_release(made);
    return NULL;
}

static kc_kernel *make_group(making *m, const kc_kernel *group)
{
    kc_context *context = group->base.context;
    kc_kernel *made = kci_new(context, KC_KERNEL, sizeof *made);
    if (!made)
        return NULL;
    made->name = kci_copy_text(context, group->name);
    made->members = kci_alloc(context, group->member_count * sizeof *made->members);
    bool good = made->name && made->members;
    made->member_count = made->members ? group->member_count : 0;
    for (size_t i = 0; i < group->member_count && good; i++) {
        made->members[i] = make_kernel(m, group->members[i]);
        good = made->members[i] != NULL;
    }
    if (good)
        return made;
    kc_release(made);
    return NULL;
}

static kc_program *make_program(making *m, const kc_program *program)
{
    kc_program *made = kci_program_like(program);
    for (size_t i = 0; made && i < program->part_count; i++) {
        made->parts[i].object = make(m, program->parts[i].object);
        if (made->parts[i].object)
            continue;
        kc_release(made);
        return NULL;
    }
    return made;
}

static kc_object *make(making *m, kc_object *object)
{
    const kc_kernel *kernel = (const kc_kernel *)(const void *)object;
    if (object->kind == KC_PROGRAM)
        return (kc_object *)(void *)make_program(m, (const kc_program *)(const void *)object);
    return (kc_object *)(void *)(kernel->member_count ? make_group(m, kernel) : make_kernel(m, (kc_kernel *)(void *)object));
}

bool kci_resize_by_name(kc_object *object, const kci_change *changes, size_t count, kc_object **made)
{
    kc_context *context = object->context;
    survey s = { .by_name = true, .alike = true };
    *made = NULL;
    if ((object->kind != KC_KERNEL && object->kind != KC_PROGRAM) || visit(object, look, &s) != KC_OK || !s.by_name)
        return false;
    if (!s.alike && visit(object, settle, NULL) != KC_OK)
        return true;
    making m = { resizing_new(context, changes, count, s.alike ? s.resizing : NULL), false };
    bool *used = m.resizing ? kci_alloc(context, m.resizing->count * sizeof *used) : NULL;
    if (used) {
        m.resizing->transform.used = used;
        *made = make(&m, object);
        m.resizing->transform.used = NULL;
    }
    for (size_t i = 0; i < count && *made; i++)
        m.rebuild = m.rebuild || !used[i]; /* is it a dim of something behind its tensors? */
    if (m.rebuild) {
        kc_release(*made);
        *made = NULL;
    }
    kci_free(context, used, m.resizing ? m.resizing->count * sizeof *used : 0);
    kci_resizing_release(m.resizing);
    return !m.rebuild;
}
