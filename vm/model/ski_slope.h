/* ski_slope.h: the least traffic that a capacity on chip allows, over tiles and loop orders: a ski slope. */
#ifndef KCI_SKI_SLOPE_H
#define KCI_SKI_SLOPE_H

#include "kernel.h"

/* What is tried of a kernel.  A dim that indexes every tensor by itself, and is reduced by nothing, is walked
 * outermost in tiles of 1: nothing is shared along it.  The rest is varied. */
typedef struct kci_slope {
    kci_set batch, varied;
    bool matmul;                    /* one contraction of two tensors, each read as it lies */
    double points;                  /* 2 * points are its FLOPs */
    double element_bytes;           /* of the narrowest tensor */
} kci_slope;

kci_slope kci_slope_of(const kci_graph *graph);

/* Bytes that no schedule with `capacity` bytes on chip is below: the compulsory ones; of a matmul, S elements on
 * chip being worth at most sqrt(S) multiply-adds an element that is loaded (Hong and Kung 1981),
 *     2 * m * n * k / sqrt(S) elements,  S = capacity / element bytes.
 * The narrowest element counts, so that wider accumulators only add. */
double kci_slope_bound(const kci_slope *slope, double compulsory, double capacity);

#endif
