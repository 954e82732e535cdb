/* transform.c: the same thing at other sizes, with other dim names or in other dtypes; design, section 2.1. */
#include <math.h>
#include <string.h>

#include "kernels.h"
#include "object.h"
#include "rebuild.h"
#include "resize.h"
#include "schedule.h"

/* ---- what follows ------------------------------------------------------------------- */

/* Every read behind an object, through tensors too: they say which dims follow. */
typedef struct gathering {
    kci_transform *transform;
    kci_seen values, tensors;
} gathering;

static kc_status gather_tensor(gathering *g, const kc_tensor *tensor);

static kc_status gather_read(void *data, const kc_value *read)
{
    gathering *g = data;
    kci_transform *t = g->transform;
    if (!kci_reserve(t->context, (void *)&t->reads, &t->read_capacity, t->read_count + 1, sizeof *t->reads))
        return KC_ENOMEM;
    t->reads[t->read_count++] = read;
    return gather_tensor(g, read->tensor);
}

static kc_status gather_tensor(gathering *g, const kc_tensor *tensor)
{
    bool fresh;
    return kci_see(g->transform->context, &g->tensors, tensor, &fresh);
}

static kc_status gather_object(gathering *g, const kc_object *object)
{
    kc_status status = KC_OK;
    if (object->kind == KC_TENSOR)
        return gather_tensor(g, (const kc_tensor *)(const void *)object);
    if (object->kind == KC_VALUE)
        return kci_visit_reads(g->transform->context, (const kc_value *)(const void *)object, &g->values, gather_read, g);
    if (object->kind == KC_PROGRAM) {
        const kc_program *program = (const kc_program *)(const void *)object;
        for (size_t i = 0; i < program->part_count && !status; i++)
            status = gather_object(g, program->parts[i].object);
        return status;
    }
    const kc_kernel *kernel = (const kc_kernel *)(const void *)object;
    status = kci_kernel_tensors(kernel);
    for (size_t i = 0; i < kernel->member_count && !status; i++)
        status = gather_object(g, (const kc_object *)(const void *)kernel->members[i]);
    for (size_t i = 0; i < kernel->tensor_count && !status; i++)
        status = gather_tensor(g, kernel->tensors[i]);
    return status;
}

static kc_status gather_all(kci_transform *t, const kc_object *object)
{
    gathering g = { .transform = t };
    kc_status status = gather_object(&g, object);
    for (size_t i = 0; i < g.tensors.count && !status; i++) { /* grows while it runs */
        const kc_tensor *tensor = g.tensors.items[i];
        if (tensor->value)
            status = kci_visit_reads(t->context, tensor->value, &g.values, gather_read, &g);
    }
    kci_seen_free(t->context, &g.values);
    kci_seen_free(t->context, &g.tensors);
    return status;
}

/* A written tensor's dim that an index of a reader computes follows it: the loop that
 * makes it is resized as well.  Goes on until nothing follows any more. */
static kc_status follow_written(kci_transform *t, kci_change **changes, size_t *capacity)
{
    bool moved = true;
    for (int round = 0; moved && round < KCI_MAX_LOOPS; round++) {
        moved = false;
        for (size_t i = 0; i < t->read_count; i++) {
            const kc_value *read = t->reads[i];
            const kc_tensor *tensor = read->tensor;
            for (size_t p = 0; tensor->value && p < tensor->rank; p++) {
                const kci_form *form = &read->index[p];
                if (form->gather || !kci_form_is_plain(&tensor->index[p]) || tensor->over)
                    continue; /* what is gathered or scattered has a size of its own */
                kci_symbol made = tensor->index[p].terms[0].dim;
                if (kci_find_dim(read->dims, read->rank, made))
                    continue; /* the reader walks the same dim */
                double more = kci_reach(t, form, read->dims, read->rank, true) - kci_reach(t, form, read->dims, read->rank, false);
                double size = tensor->dims[p].size + more;
                if (kci_is_changed(t, made) && kci_new_size(t, made, size) != size)
                    return kci_fail(t->context, KC_EARGUMENT,
                                    "resize: '%.80s' of %.80s follows from the index that reads it; resize the dims in that "
                                    "index",
                                    kci_name(t->context, made), tensor->name);
                if (more == 0 || kci_is_changed(t, made))
                    continue;
                if (!kci_reserve(t->context, changes, capacity, t->count + 1, sizeof **changes))
                    return KC_ENOMEM;
                (*changes)[t->count] = (kci_change){ made, 0, size };
                t->changes = *changes;
                t->count++;
                moved = true;
            }
        }
    }
    return KC_OK;
}

/* ---- kernels and programs ----------------------------------------------------------------- */

static kc_object *make_object(kci_transform *t, kc_object *object);

/* All names at once: two may be swapped. */
static kc_schedule *new_schedule(kci_transform *t, const kc_schedule *old)
{
    kc_schedule *schedule = kci_schedule_copy(old);
    kci_symbol *names = schedule && t->renames ? kci_alloc(t->context, 2 * t->count * sizeof *names) : NULL;
    for (size_t i = 0; names && i < t->count; i++) {
        names[i] = t->changes[i].from;
        names[t->count + i] = t->changes[i].to;
    }
    if (names)
        kci_schedule_rename(schedule, names, names + t->count, t->count);
    bool failed = schedule && t->renames && !names;
    kci_free(t->context, names, 2 * t->count * sizeof *names);
    if (!failed)
        return schedule;
    kc_release(schedule);
    return NULL;
}

static kc_kernel *make_kernel(kci_transform *t, kc_kernel *kernel)
{
    size_t count = kernel->tensor_count + kernel->fused_count;
    kc_tensor **list = kci_alloc(t->context, count * sizeof *list);
    kc_kernel *made = NULL;
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        kc_tensor *old = i < kernel->tensor_count ? kernel->tensors[i] : kernel->fused[i - kernel->tensor_count];
        ok = kci_rebuild(t, &old->base) == KC_OK;
        list[i] = ok ? kci_made_for(t, old) : NULL;
    }
    if (ok)
        made = kci_kernel_make(t->context, kernel->name, list, kernel->tensor_count, list + kernel->tensor_count,
                               kernel->fused_count, kernel->online);
    kci_free(t->context, (void *)list, count * sizeof *list);
    if (!made || !kernel->schedule)
        return made;
    kc_schedule *schedule = new_schedule(t, kernel->schedule);
    kc_kernel *tiled = schedule ? kci_kernel_scheduled(made, schedule) : NULL;
    kc_release(schedule);
    kc_release(made);
    return tiled;
}

static kc_kernel *make_group(kci_transform *t, kc_kernel *group)
{
    kc_object **parts = kci_alloc(t->context, group->member_count * sizeof *parts);
    kc_kernel *made = NULL;
    bool ok = parts != NULL;
    for (size_t i = 0; ok && i < group->member_count; i++) {
        parts[i] = (kc_object *)(void *)make_kernel(t, group->members[i]);
        ok = parts[i] != NULL;
    }
    if (ok)
        made = kc_group(t->context, group->name, parts, group->member_count);
    for (size_t i = 0; parts && i < group->member_count; i++)
        kc_release(parts[i]);
    kci_free(t->context, (void *)parts, group->member_count * sizeof *parts);
    return made;
}

static kc_program *make_program(kci_transform *t, kc_program *program)
{
    kc_object **parts = kci_alloc(t->context, program->part_count * sizeof *parts);
    kc_program *made = NULL;
    bool ok = parts != NULL;
    for (size_t i = 0; ok && i < program->part_count; i++) {
        parts[i] = make_object(t, program->parts[i].object);
        ok = parts[i] != NULL;
    }
    if (ok)
        made = (program->beside ? kc_beside : kc_program_new)(t->context, program->name, parts, program->part_count);
    for (size_t i = 0; made && i < program->part_count; i++)
        made->parts[i].times = program->parts[i].times;
    for (size_t i = 0; parts && i < program->part_count; i++)
        kc_release(parts[i]);
    kci_free(t->context, (void *)parts, program->part_count * sizeof *parts);
    return made;
}

static kc_object *make_object(kci_transform *t, kc_object *object)
{
    switch (object->kind) {
    case KC_TENSOR:
    case KC_VALUE:
        return kci_rebuild(t, object) ? NULL : kc_retain(kci_made_for(t, object));
    case KC_KERNEL: {
        kc_kernel *kernel = (kc_kernel *)(void *)object;
        return (kc_object *)(void *)(kernel->member_count ? make_group(t, kernel) : make_kernel(t, kernel));
    }
    default:
        return (kc_object *)(void *)make_program(t, (kc_program *)(void *)object);
    }
}

/* No dim has the name that a change speaks of: say which there are. */
static void name_missing(const kci_transform *t, kci_symbol name)
{
    kc_status status = KC_OK;
    kci_seen names = { .count = 0 };
    char list[KCI_PART_BYTES];
    kci_text dims = kci_text_part(t->context, list, sizeof list);
    for (size_t r = 0; r < t->read_count; r++)
        for (size_t d = 0; d < t->reads[r]->rank; d++) {
            const char *dim = kci_name(t->context, t->reads[r]->dims[d].name);
            bool fresh = false;
            status = status ? status : kci_see(t->context, &names, dim, &fresh);
            if (fresh)
                kci_text_format(&dims, "%s%s", *list ? " " : "", dim);
        }
    if (status == KC_OK)
        kci_fail(t->context, KC_EARGUMENT, "%s: nothing in it has a dim '%.80s'; it has %s", t->call, kci_name(t->context, name),
                 *list ? list : "none");
    kci_seen_free(t->context, &names);
}

typedef struct asked {
    const char *call;
    bool renames;
    const kci_retype *types;
    size_t type_count;
} asked;

static kc_object *run(kc_object *object, asked ask, kci_change **changes, size_t count, size_t *capacity)
{
    kc_context *context = object->context;
    const char *call = ask.call;
    bool renames = ask.renames;
    kci_transform t = { .context = context, .call = call, .renames = renames, .changes = *changes, .count = count,
                        .types = ask.types, .type_count = ask.type_count };
    kc_object *made = NULL;
    bool known = object->kind == KC_TENSOR || object->kind == KC_VALUE || object->kind == KC_KERNEL || object->kind == KC_PROGRAM;
    if (!known)
        kci_fail(context, KC_EARGUMENT, "%s: the first argument must be a tensor, value, kernel or program", call);
    bool ok = known && gather_all(&t, object) == KC_OK && (renames || follow_written(&t, changes, capacity) == KC_OK);
    size_t total = t.count;
    t.used = ok ? kci_alloc(context, total * sizeof *t.used) : NULL;
    if (t.used)
        made = make_object(&t, object);
    for (size_t i = 0; made && i < count; i++)
        if (!t.used[i]) {
            name_missing(&t, (*changes)[i].from);
            kc_release(made);
            made = NULL;
        }
    kci_transform_free(&t);
    kci_free(context, t.used, total * sizeof *t.used);
    return made;
}

kc_object *kc_resized(kc_object *object, const kc_size *sizes, size_t count)
{
    if (!object)
        return NULL;
    kc_context *context = object->context;
    if (!kci_array_given(context, "resize", "sizes", sizes, count))
        return NULL;
    kci_change *changes = NULL;
    size_t total = 0, capacity = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) { /* "i j" ties dims */
        kci_symbol *names = NULL;
        size_t n = 0;
        ok = kci_names_parse(context, "resize", "sizes", sizes[i].dim ? sizes[i].dim : "", &names, &n) == KC_OK &&
             kci_size_ok(context, "resize", sizes[i].dim ? sizes[i].dim : "", sizes[i].size);
        if (ok && n == 0)
            ok = kci_fail(context, KC_EARGUMENT, "resize: a size has no dim") == KC_OK;
        for (size_t k = 0; ok && k < n; k++) {
            for (size_t c = 0; c < total; c++)
                if (changes[c].from == names[k])
                    ok = kci_fail(context, KC_EARGUMENT, "resize: '%.80s' is given twice", kci_name(context, names[k])) == KC_OK;
            ok = ok && kci_reserve(context, &changes, &capacity, total + 1, sizeof *changes);
            if (ok)
                changes[total++] = (kci_change){ names[k], 0, sizes[i].size };
        }
        kci_free(context, names, n * sizeof *names);
    }
    kc_object *made = NULL;
    if (ok && !kci_resize_by_name(object, changes, total, &made))
        made = run(object, (asked){ .call = "resize" }, &changes, total, &capacity);
    kci_free(context, changes, capacity * sizeof *changes);
    return made;
}

kc_object *kc_renamed(kc_object *object, const char *const *from, const char *const *to, size_t count)
{
    if (!object)
        return NULL;
    kc_context *context = object->context;
    if (!kci_texts_given(context, "rename", "from", from, count) || !kci_texts_given(context, "rename", "to", to, count))
        return NULL;
    size_t capacity = count;
    kci_change *changes = kci_alloc(context, count * sizeof *changes);
    bool ok = changes != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        const char *old = from[i] ? from[i] : "", *new = to[i] ? to[i] : "";
        kci_symbol *name = NULL;
        size_t n = 0;
        changes[i].from = kci_intern(context, old, strlen(old));
        ok = changes[i].from && kci_names_parse(context, "rename", "the new name", new, &name, &n) == KC_OK;
        if (!ok || n != 1) {
            if (kc_context_status(context) != KC_ENOMEM)
                kci_fail(context, KC_EARGUMENT, "rename: '%.80s' is not the name of a dim", new);
            ok = false;
        }
        if (ok)
            changes[i].to = name[0];
        kci_free(context, name, n * sizeof *name);
    }
    kc_object *made = ok ? run(object, (asked){ .call = "rename", .renames = true }, &changes, count, &capacity) : NULL;
    kci_free(context, changes, count * sizeof *changes);
    return made;
}

kc_kernel *kci_relinked(kc_kernel *kernel, const kci_link *links, size_t count)
{
    kci_transform t = { .context = kernel->base.context, .call = "fuse_all" };
    kc_status status = KC_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = kci_remember(&t, links[i].from, kc_retain(links[i].to));
    kc_object *made = status ? NULL : make_object(&t, &kernel->base);
    kci_transform_free(&t);
    return (kc_kernel *)(void *)made;
}

kc_object *kci_retyped(kc_object *object, const kci_retype *types, size_t count)
{
    kci_change *none = NULL;
    size_t capacity = 0;
    return run(object, (asked){ .call = "sweep", .types = types, .type_count = count }, &none, 0, &capacity);
}
