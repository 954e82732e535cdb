/* rebuild.h: tensors and values built again at other sizes, with other dim names or in other dtypes. */
#ifndef KCI_REBUILD_H
#define KCI_REBUILD_H

#include "reads.h"

typedef struct kci_change {
    kci_symbol from, to;
    double size;
} kci_change;

/* A tensor that is stored in another dtype. */
typedef struct kci_retype {
    const char *tensor;
    kc_dtype *dtype;
} kci_retype;

typedef struct kci_transform {
    kc_context *context;
    const char *call;
    bool renames;
    const kci_change *changes;
    size_t count;
    bool *used;                 /* per change: some dim has that name */
    const kci_retype *types;    /* none where it resizes or renames */
    size_t type_count;
    kci_seen seen;              /* values and tensors of the old graph */
    void **made;                /* the new one of each, owned */
    size_t made_capacity;
    const kc_value **reads;     /* all reads behind */
    size_t read_count, read_capacity;
} kci_transform;

/* transform.c: the same thing with some tensors in other dtypes; the default dtypes of
 * written tensors follow.  It keeps schedules.  NULL: the context has the reason. */
kc_object *kci_retyped(kc_object *object, const kci_retype *types, size_t count);

/* A tensor in place of another of the same sizes and dtype. */
typedef struct kci_link {
    kc_tensor *from, *to;
} kci_link;

/* transform.c: the kernel (or group) that reads `to` where it read `from`, under the same index; of
 * every tensor that it reads there is a link, maybe to itself.  It keeps schedules. */
kc_kernel *kci_relinked(kc_kernel *kernel, const kci_link *links, size_t count);

/* The size or name that a dim gets. */
double kci_new_size(kci_transform *t, kci_symbol name, double size);
kci_symbol kci_new_name(kci_transform *t, kci_symbol name);
bool kci_is_changed(const kci_transform *t, kci_symbol name);
/* How far the dims of a form reach, at old or at new sizes. */
double kci_reach(kci_transform *t, const kci_form *form, const kci_dim *dims, size_t rank, bool after);
/* Builds a tensor or value again, and all behind it that is not yet; then kci_made_for
 * gives the new one of each (not a new reference). */
kc_status kci_rebuild(kci_transform *t, const kc_object *root);
void *kci_made_for(const kci_transform *t, const void *old);
void kci_transform_free(kci_transform *t);
/* Takes over `new`, the new one of `old`: nothing behind that is built again. */
kc_status kci_remember(kci_transform *t, const void *old, void *new);

#endif
