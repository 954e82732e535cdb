/* demand.h: what later kernels of a program need of a written tensor. */
#ifndef KCI_DEMAND_H
#define KCI_DEMAND_H

#include "kernel.h"

/* Narrows the useful work of `graph` to what the reads of its written tensors in
 * `readers` need, where every one of them is under a mask.  A tensor that none of
 * them reads is needed whole.  *changed: something was narrowed. */
kc_status kci_demand_from(kci_graph *graph, const char *name, kc_kernel *const *readers, size_t count, bool *changed);

#endif
