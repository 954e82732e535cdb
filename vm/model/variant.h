/* variant.h: x at one point of a space: its kernels at those sizes, dtypes and schedules, and the device.
 *
 * Made by the calls that a script would use (resize, tile, with), so a point costs what
 * a script says that it does. */
#ifndef KCI_VARIANT_H
#define KCI_VARIANT_H

#include "evaluator.h"
#include "space.h"

/* An axis is nothing to a kernel that lacks its dims, or that has no schedule. */
bool kci_axis_applies(const kc_space *space, const kci_sweep_axis *axis, const kc_kernel *kernel);

typedef struct kci_variant_kernel {
    kc_kernel *kernel;
    double times;                   /* launches of it */
} kci_variant_kernel;

typedef struct kci_variant {
    kc_object *x;                   /* at the sizes and dtypes of the point, its schedules as they were */
    kci_variant_kernel *kernels;    /* under the schedules of the point; of a program in launch order */
    size_t count, capacity;
    kc_device *device;              /* NULL: counts only */
} kci_variant;

/* `index`: the value of each axis.  KC_EARGUMENT, KC_EDEVICE: there is no such kernel or device, and the
 * context has the reason.  To be freed also then. */
kc_status kci_variant_make(const kc_space *space, const uint32_t *index, kci_variant *variant);
void kci_variant_free(const kc_space *space, kci_variant *variant);
/* One object of it: the kernel, or a program of the kernels.  A new reference. */
kc_object *kci_variant_object(const kc_space *space, const kci_variant *variant);

/* The device of a point, its figures set: a new reference.  NULL: it has none, or *status is not KC_OK. */
kc_device *kci_variant_device(const kc_space *space, const uint32_t *index, kc_status *status);

#endif
