/* kernel.c: kernels as handles: of written tensors, grouped, and where a written tensor stands for its kernel. */
#include "kernel.h"

#include <string.h>

#include "build.h"
#include "count.h"
#include "kernels.h"
#include "object.h"
#include "program.h"
#include "reads.h"
#include "resize.h"
#include "tiling.h"

void kci_kernel_destroy(kc_object *object)
{
    kc_kernel *kernel = (kc_kernel *)(void *)object;
    const kc_kernel *like = kernel->like;
    kc_context *context = object->context;
    for (size_t i = 0; kernel->tensors && i < kernel->tensor_count; i++)
        kc_release(kernel->tensors[i]);
    for (size_t i = 0; kernel->fused && i < kernel->fused_count; i++)
        kc_release(kernel->fused[i]);
    for (size_t i = 0; i < kernel->member_count; i++)
        kc_release(kernel->members[i]);
    kci_free(context, kernel->tensors, kernel->tensor_count * sizeof *kernel->tensors);
    kci_free(context, kernel->fused, kernel->fused_count * sizeof *kernel->fused);
    kci_free(context, kernel->members, kernel->member_count * sizeof *kernel->members);
    kci_plan_free(kernel->plan);
    if (kernel->tiling && !(like && kernel->tiling == like->tiling))
        kci_tiling_free(context, kernel->tiling, kernel->graph.tensor_count);
    if (kernel->graph.context)
        kci_graph_free(&kernel->graph);
    kc_release(kernel->schedule);
    if (!(like && kernel->name == like->name))
        kci_free_text(context, kernel->name);
    kci_resizing_release(kernel->resizing);
    kc_release(kernel->from);
    kc_release(kernel->like); /* the last: names, tilings and plans may be its own */
    kci_free(context, kernel, sizeof *kernel);
}

/* What goes over the link is a kernel of its own. */
static bool comm_alone(kc_context *context, const char *name, kc_tensor *const *list, size_t count, size_t all)
{
    for (size_t i = 0; i < count && all > 1; i++)
        if (list[i]->comm.kind != KCI_NO_COMM) {
            kci_fail(context, KC_EARGUMENT, "'%.80s' would hold %.80s with other work: the %s between devices is a kernel of its "
                     "own; leave it out, and run it before, after or (kc.beside) at the same time",
                     name, list[i]->name, kci_comm_name(&list[i]->comm));
            return false;
        }
    return true;
}

kc_kernel *kci_kernel_make(kc_context *context, const char *name, kc_tensor *const *written, size_t written_count,
                           kc_tensor *const *fused, size_t fused_count, bool online)
{
    size_t all = written_count + fused_count;
    if (!comm_alone(context, name ? name : "", written, written_count, all) || !comm_alone(context, name ? name : "", fused, fused_count, all))
        return NULL;
    kc_kernel *kernel = kci_new(context, KC_KERNEL, sizeof *kernel);
    if (!kernel)
        return NULL;
    kernel->online = online;
    kernel->name = kci_copy_text(context, name && *name ? name : written[0]->name);
    kernel->tensors = kci_alloc(context, written_count * sizeof *kernel->tensors);
    kernel->fused = kci_alloc(context, fused_count * sizeof *kernel->fused);
    for (size_t i = 0; kernel->tensors && i < written_count; i++)
        kernel->tensors[kernel->tensor_count++] = kc_retain(written[i]);
    for (size_t i = 0; kernel->fused && i < fused_count; i++)
        kernel->fused[kernel->fused_count++] = kc_retain(fused[i]);
    if (!kernel->name || !kernel->tensors || !kernel->fused ||
        kci_build(context, &kernel->graph, kernel->name, written, written_count, fused, fused_count, online)) {
        kc_release(kernel);
        return NULL;
    }
    kernel->graph.comm = written[0]->comm;
    return kernel;
}

/* ---- cycles: what a kernel reads must not need what it writes ------------------ */

typedef struct outside {
    kc_context *context;
    const char *call, *name;
    const kci_seen *inside;     /* the kernel's own tensors */
    kci_seen passed;            /* values */
    uint64_t least;             /* sequence of the oldest of them: older tensors cannot need one */
    const kc_tensor **queue;    /* tensors outside, still to be walked */
    size_t count, capacity;
    bool beyond;                /* walking outside already … */
    const kc_tensor *at;        /* … behind this tensor */
} outside;

static kc_status look_outside(void *data, const kc_value *read)
{
    outside *o = data;
    const kc_tensor *tensor = read->tensor;
    if (kci_has_seen(o->inside, tensor))
        return !o->beyond ? KC_OK
                          : kci_fail(o->context, KC_EARGUMENT,
                                     "%s: '%.80s' would need itself: %.80s, made outside it, reads %.80s and is needed "
                                     "inside; take that kernel in too, or leave one out",
                                     o->call, o->name, o->at->name, tensor->name);
    if (!tensor->value || tensor->sequence < o->least)
        return KC_OK;
    if (!kci_reserve(o->context, &o->queue, &o->capacity, o->count + 1, sizeof *o->queue))
        return KC_ENOMEM;
    o->queue[o->count++] = tensor;
    return KC_OK;
}

kc_status kci_check_cycles(kc_context *context, const char *call, const char *name, kc_tensor *const *tensors,
                           size_t count)
{
    if (count < 2)
        return KC_OK;
    kci_seen inside = { .count = 0 };
    outside o = { .context = context, .call = call, .name = name, .inside = &inside, .least = UINT64_MAX };
    kc_status status = KC_OK;
    bool fresh;
    for (size_t i = 0; i < count && !status; i++) {
        status = kci_see(context, &inside, tensors[i], &fresh);
        if (tensors[i]->sequence < o.least)
            o.least = tensors[i]->sequence;
    }
    for (size_t i = 0; i < count && !status; i++)
        status = kci_visit_reads(context, tensors[i]->value, &o.passed, look_outside, &o);
    o.beyond = true;
    for (size_t i = 0; i < o.count && !status; i++) {
        o.at = o.queue[i];
        status = kci_visit_reads(context, o.queue[i]->value, &o.passed, look_outside, &o);
    }
    kci_seen_free(context, &inside);
    kci_seen_free(context, &o.passed);
    kci_free(context, (void *)o.queue, o.capacity * sizeof *o.queue);
    return status;
}

/* ---- making them ------------------------------------------------------------------ */

static bool written_ok(kc_context *context, const char *call, kc_tensor *const *tensors, size_t count)
{
    if (count == 0)
        kci_fail(context, KC_EARGUMENT, "%s: no written tensor is given", call);
    for (size_t i = 0; i < count; i++) {
        if (!tensors[i] || kci_same_context(context, tensors[i], call) != KC_OK)
            return false;
        if (!tensors[i]->value) {
            kci_fail(context, KC_EARGUMENT, "%s: %.80s is not written by any op; give tensors made by kc.write", call,
                     tensors[i]->name);
            return false;
        }
        if (kci_spend(context, call, i) != KC_OK)
            return false;
        for (size_t j = 0; j < i; j++)
            if (tensors[j] == tensors[i]) {
                kci_fail(context, KC_EARGUMENT, "%s: %.80s is given twice", call, tensors[i]->name);
                return false;
            }
    }
    return count > 0;
}

kc_kernel *kc_kernel_new(kc_context *context, const char *name, kc_tensor *const *tensors, size_t count)
{
    if (!context || !kci_handles_given(context, "kernel", "tensors", tensors, count) || !written_ok(context, "kernel", tensors, count) ||
        kci_check_cycles(context, "kernel", name ? name : tensors[0]->name, tensors, count))
        return NULL;
    return kci_kernel_make(context, name, tensors, count, NULL, 0, false);
}

kc_kernel *kci_as_kernel(kc_object *object, const char *call, const char *argument)
{
    if (!object)
        return NULL;
    if (object->kind == KC_KERNEL)
        return kc_retain(object);
    if (object->kind == KC_TENSOR) {
        kc_tensor *tensor = (kc_tensor *)(void *)object;
        if (written_ok(object->context, call, &tensor, 1))
            return kci_kernel_make(object->context, tensor->name, &tensor, 1, NULL, 0, false);
        return NULL;
    }
    kci_fail(object->context, KC_EARGUMENT, "%s: %s must be a kernel or a written tensor", call, argument);
    return NULL;
}

kc_kernel *kc_group(kc_context *context, const char *name, kc_object *const *parts, size_t count)
{
    if (!context)
        return NULL;
    if (count == 0) {
        kci_fail(context, KC_EARGUMENT, "group: no kernel is given");
        return NULL;
    }
    if (!kci_handles_given(context, "group", "parts", parts, count))
        return NULL;
    kc_kernel *group = kci_new(context, KC_KERNEL, sizeof *group);
    if (!group)
        return NULL;
    group->members = kci_alloc(context, count * sizeof *group->members);
    bool ok = group->members != NULL;
    if (ok)
        group->member_count = count;
    for (size_t i = 0; ok && i < count; i++) {
        kc_kernel *member = kci_same_context(context, parts[i], "group") == KC_OK ? kci_as_kernel(parts[i], "group", "each part") : NULL;
        ok = member != NULL;
        if (ok && member->member_count > 0) {
            kci_fail(context, KC_EARGUMENT, "group: '%.80s' is a group itself; give its kernels", member->name);
            kc_release(member);
            ok = false;
            break;
        }
        if (ok && member->graph.comm.kind != KCI_NO_COMM) {
            kci_fail(context, KC_EARGUMENT, "group: '%.80s' is the %s between devices, which shares no launch; kc.beside runs it "
                     "at the same time", member->name, kci_comm_name(&member->graph.comm));
            kc_release(member);
            ok = false;
            break;
        }
        group->members[i] = member;
    }
    group->name = ok ? kci_copy_text(context, name && *name ? name : group->members[0]->name) : NULL;
    if (!group->name) {
        kc_release(group);
        return NULL;
    }
    return group;
}

size_t kc_kernel_tensors(const kc_kernel *kernel)
{
    return kernel ? kernel->tensor_count : 0;
}

kc_tensor *kc_kernel_tensor(const kc_kernel *kernel, size_t i)
{
    bool there = kernel && i < kernel->tensor_count && kci_kernel_tensors(kernel) == KC_OK;
    return there ? kc_retain(kernel->tensors[i]) : NULL;
}

const char *kc_kernel_comm(const kc_kernel *kernel)
{
    return !kernel || kernel->graph.comm.kind == KCI_NO_COMM ? NULL : kci_comm_name(&kernel->graph.comm);
}

kc_schedule *kc_kernel_schedule(const kc_kernel *kernel)
{
    return kernel ? kc_retain(kernel->schedule) : NULL;
}
