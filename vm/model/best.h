/* best.h: the fastest schedule of one kernel, of those that a tuned library would try. */
#ifndef KCI_BEST_H
#define KCI_BEST_H

#include "base.h"

typedef struct kci_searched {
    double points, rejected;        /* tried so far; of these, unable to run */
} kci_searched;

/* The kernel (or each of a group's) under its fastest schedule, in place of its own; a collective as it is.
 * KC_EDEVICE: none runs. */
kc_kernel *kci_best_kernel(kc_kernel *kernel, const kc_device *device, const kc_options *options, kci_searched *count);
/* Fails, for `call`, where the device does not state a limit that tiles are checked against. */
kc_status kci_best_possible(kc_context *context, const kc_device *device, const char *call);

#endif
