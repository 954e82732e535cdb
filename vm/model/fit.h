/* fit.h: the sentence for a CTA that does not fit: what, by how much, and what would. Design, section 5. */
#ifndef KCI_FIT_H
#define KCI_FIT_H

#include "occupancy.h"

typedef struct kci_misfit {
    const kci_graph *graph;
    const kci_tiling *tiling;
    const kci_counts *counts;
    const double *sizes;
    const kc_device *device;
    const kci_cta *cta;
    const kci_occupancy *occupancy;
    double register_bytes;          /* of the CTA, without what sits in tensor memory */
} kci_misfit;

/* Records the sentence and returns KC_EDEVICE. */
kc_status kci_fit_message(const kci_misfit *misfit);

/* Shared memory of a CTA at other buffers and tiles: at most `stages` of each
 * streamed read, and `tiles` (NULL: the schedule's). */
double kci_fit_smem(const kci_misfit *misfit, double stages, const double *tiles);

#endif
