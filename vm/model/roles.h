/* roles.h: what a kernel's loops are to a library. */
#ifndef KCI_ROLES_H
#define KCI_ROLES_H

#include "device.h"
#include "kernel.h"

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
    kci_set columns;            /* of m and n, those that something reduces afterwards: the rows' maximum */
    kci_set read;               /* loops that some read has */
    double m_size, n_size, k_size;
    double element_bytes;       /* of the widest operand, or of the widest tensor */
    bool vector_unit;           /* the matmul runs there */
} kci_roles;

kci_roles kci_roles_of(const kci_graph *graph, const kc_device *device, const double *sizes);

#endif
