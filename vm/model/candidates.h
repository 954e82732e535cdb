/* candidates.h: the schedules that a tuned library would try for a kernel. Design, section 2.3, `best`. */
#ifndef KCI_CANDIDATES_H
#define KCI_CANDIDATES_H

#include "device.h"
#include "kernel.h"
#include "tiling.h"

/* What a kernel's loops are to a library. */
typedef enum kci_family {
    KCI_FAMILY_MATMUL,                 /* one matmul, whatever surrounds it */
    KCI_FAMILY_ATTENTION,              /* a matmul whose result another one contracts */
    KCI_FAMILY_ROWS,                   /* no matmul, something is reduced */
    KCI_FAMILY_ELEMENTWISE          /* elementwise */
} kci_family;

typedef struct kci_roles {
    kci_family family;
    kci_set batch;              /* loops with a tile of 1 */
    kci_set m, n, k;            /* of the first matmul; of attention n is the dim contracted later */
    kci_set chunks;             /* of batch, those that a reduction adds up afterwards: k is cut into them */
    double m_size, n_size, k_size;
    double element_bytes;       /* of the widest operand, or of the widest tensor */
    bool vector_unit;           /* the matmul runs there */
} kci_roles;

kci_roles kci_roles_of(const kci_graph *graph, const kc_device *device, const double *sizes);

/* Puts one candidate after another into `tiling` (whose grid and order are the
 * defaults) and calls `visit`, until it fails. */
typedef kc_status (*kci_visit_candidate)(void *data, kci_tiling *tiling);
kc_status kci_candidates(const kci_graph *graph, const kc_device *device, const double *sizes, kci_tiling *tiling,
                         kci_visit_candidate visit, void *data);

#endif
