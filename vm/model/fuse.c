/* fuse.c: one kernel of several: what one writes and another reads stays on chip; design, section 3 "Fusion". */
#include <string.h>

#include "kernels.h"
#include "object.h"
#include "reads.h"
#include "resize.h"

typedef struct fusing {
    kc_context *context;
    const char *name;
    kci_seen made;              /* every tensor that a part makes, in order */
    bool *read;                 /* per tensor: by another part */
    bool *kept;                 /* per tensor: a part that is a fuse saves it already */
    size_t room;
    bool online;
} fusing;

static kc_status note_read(void *data, const kc_value *read)
{
    fusing *f = data;
    uint32_t at = kci_find_seen(&f->made, read->tensor);
    if (at != UINT32_MAX)
        f->read[at] = true;
    return KC_OK;
}

static kc_status add_made(fusing *f, kc_tensor *tensor)
{
    bool fresh;
    if (!tensor->value)
        return kci_fail(f->context, KC_EARGUMENT, "fuse: %.80s is not written by any op; give tensors made by kc.write",
                        tensor->name);
    kc_status status = kci_see(f->context, &f->made, tensor, &fresh);
    if (!status && !fresh)
        status = kci_fail(f->context, KC_EARGUMENT, "fuse: %.80s is made by two of the parts of '%.80s'", tensor->name,
                          f->name);
    return status;
}

static bool in(kc_tensor *const *list, size_t count, const kc_tensor *tensor)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == tensor)
            return true;
    return false;
}

/* All tensors that the parts make, those that stay on chip already included. */
static kc_status gather(fusing *f, kc_object *const *parts, size_t count)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (!parts[i] || kci_same_context(f->context, parts[i], "fuse") != KC_OK)
            return KC_EARGUMENT;
        if (parts[i]->kind == KC_TENSOR) {
            status = add_made(f, (kc_tensor *)(void *)parts[i]);
        } else if (parts[i]->kind == KC_KERNEL) {
            kc_kernel *kernel = (kc_kernel *)(void *)parts[i];
            status = kci_kernel_tensors(kernel);
            if (kernel->member_count > 0)
                status = kci_fail(f->context, KC_EARGUMENT, "fuse: '%.80s' is a group; a group cannot be fused", kernel->name);
            f->online = f->online || kernel->online;
            for (size_t t = 0; t < kernel->fused_count && !status; t++)
                status = add_made(f, kernel->fused[t]);
            for (size_t t = 0; t < kernel->tensor_count && !status; t++)
                if (!in(kernel->fused, kernel->fused_count, kernel->tensors[t]))
                    status = add_made(f, kernel->tensors[t]);
        } else {
            status = kci_fail(f->context, KC_EARGUMENT, "fuse: each part must be a written tensor or a kernel");
        }
    }
    return status;
}

static const char *nth_made(const void *data, size_t i)
{
    const fusing *f = data;
    return i < f->made.count ? ((const kc_tensor *)f->made.items[i])->name : NULL;
}

static kc_status mark_saved(fusing *f, const char *const *save, size_t save_count)
{
    for (size_t s = 0; s < save_count; s++) {
        bool found = false;
        if (kci_spend_names(f->context, "fuse", save[s], f->made.count) != KC_OK)
            return KC_ELIMIT;
        for (size_t i = 0; i < f->made.count; i++)
            if (strcmp(((const kc_tensor *)f->made.items[i])->name, save[s]) == 0)
                f->kept[i] = found = true;
        if (!found)
            return kci_fail(f->context, KC_EARGUMENT, "fuse: save: no part of '%.80s' makes '%.80s'%s", f->name, save[s],
                            kci_nearest(f->context, save[s], nth_made, f));
    }
    return KC_OK;
}

static kc_kernel *make(fusing *f)
{
    kc_tensor **written = kci_alloc(f->context, f->made.count * sizeof *written);
    kc_tensor **fused = kci_alloc(f->context, f->made.count * sizeof *fused);
    kc_kernel *kernel = NULL;
    size_t written_count = 0, fused_count = 0;
    if (written && fused) {
        for (size_t i = 0; i < f->made.count; i++) {
            kc_tensor *tensor = (kc_tensor *)(uintptr_t)f->made.items[i];
            if (f->read[i])
                fused[fused_count++] = tensor;
            if (!f->read[i] || f->kept[i])
                written[written_count++] = tensor;
        }
        if (!kci_check_cycles(f->context, "fuse", f->name, (kc_tensor *const *)(void *)f->made.items, f->made.count))
            kernel = kci_kernel_make(f->context, f->name, written, written_count, fused, fused_count, f->online);
    }
    kci_free(f->context, (void *)written, f->made.count * sizeof *written);
    kci_free(f->context, (void *)fused, f->made.count * sizeof *fused);
    return kernel;
}

/* What stays written, by name or, names NULL, as the tensors. */
typedef struct saved {
    const char *const *names;
    kc_tensor *const *tensors;
    size_t count;
} saved;

static kc_kernel *fuse(kc_context *context, const char *name, kc_object *const *parts, size_t count, const saved *save, bool online)
{
    if (!name || !*name || count == 0) {
        kci_fail(context, KC_EARGUMENT, "fuse: %s", count == 0 ? "no part is given" : "the name is missing");
        return NULL;
    }
    if (!kci_handles_given(context, "fuse", "parts", parts, count) ||
        (!save->tensors && !kci_texts_given(context, "fuse", "save", save->names, save->count)))
        return NULL;
    fusing f = { .context = context, .name = name, .online = online };
    kc_kernel *kernel = NULL;
    kc_status status = gather(&f, parts, count);
    f.room = f.made.count;
    f.read = status ? NULL : kci_alloc(context, f.room * sizeof *f.read);
    f.kept = status ? NULL : kci_alloc(context, f.room * sizeof *f.kept);
    if (f.read && f.kept) {
        kci_seen passed = { .count = 0 };
        for (size_t i = 0; i < f.made.count && !status; i++)
            status = kci_visit_reads(context, ((const kc_tensor *)f.made.items[i])->value, &passed, note_read, &f);
        kci_seen_free(context, &passed);
        for (size_t i = 0; i < count && !status; i++) { /* what a fuse among the parts saves stays saved */
            const kc_kernel *part = (const kc_kernel *)(const void *)parts[i];
            for (size_t t = 0; parts[i]->kind == KC_KERNEL && t < part->tensor_count; t++)
                if (in(part->fused, part->fused_count, part->tensors[t]))
                    f.kept[kci_find_seen(&f.made, part->tensors[t])] = true;
        }
        if (!status && save->names)
            status = mark_saved(&f, save->names, save->count);
        for (size_t i = 0; !save->names && i < save->count; i++)
            f.kept[kci_find_seen(&f.made, save->tensors[i])] = true;
        if (!status)
            kernel = make(&f);
    }
    kci_free(context, f.read, f.room * sizeof *f.read);
    kci_free(context, f.kept, f.room * sizeof *f.kept);
    kci_seen_free(context, &f.made);
    return kernel;
}

kc_kernel *kc_fuse(kc_context *context, const char *name, kc_object *const *parts, size_t count,
                   const char *const *save, size_t save_count)
{
    return context ? fuse(context, name, parts, count, &(saved){ save, NULL, save_count }, false) : NULL;
}

kc_kernel *kci_fuse(kc_context *context, const char *name, kc_object *const *parts, size_t count, kc_tensor *const *save,
                    size_t save_count, bool online)
{
    return fuse(context, name, parts, count, &(saved){ NULL, save, save_count }, online);
}
