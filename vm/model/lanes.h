/* lanes.h: a matmul on the vector unit: how its tile is divided over threads, and what their loads cost. */
#ifndef KCI_LANES_H
#define KCI_LANES_H

#include "count.h"
#include "device.h"

/* Divides an m x n tile among `ways` so that the parts are as square as powers of two allow: of warps, of threads. */
void kci_divide_tile(double *m, double *n, double ways);

typedef struct kci_lanes {
    double port_bytes;          /* what loads take of the port of shared memory and L1, in bytes of it */
    double issue_clocks;        /* of one core: issue slots beyond those of the multiply-adds */
} kci_lanes;

/* All matmuls of all CTAs that run on the vector unit.  A thread of tile tm x tn loads, per k, tm elements of A and
 * tn of B for tm * tn multiply-adds, `vector` bytes an access.  An access of a warp takes a clock of the port, or as
 * many as its lanes' different bytes do (lanes of one address share it); read straight from L1 into registers, as
 * many as there are lines of 128 bytes that its lanes touch: lanes along a dim that is not contiguous, one each.
 *     port   = accesses * max(1, lanes' bytes / bandwidth, lines) * bandwidth
 *     issue  = max(0, (multiply-adds + accesses) / schedulers - multiply-adds / their rate)
 * CUDA C++ programming guide, shared memory of 5.x and later; S. Boehm, How to optimize a CUDA matmul kernel. */
kci_lanes kci_lanes_of(const kci_counts *counts, const kc_device *device, double warps, double vector);

#endif
