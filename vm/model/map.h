/* map.h: what one element of a named elementwise op costs; the names of reductions. */
#ifndef KCI_MAP_H
#define KCI_MAP_H

#include "base.h"

typedef struct kci_map_cost {
    const char *name;
    double flops, special;
    bool linear;        /* scales its first operand: a deferred division passes through it */
} kci_map_cost;

const kci_map_cost *kci_map_named(const char *name);    /* NULL: no such name */
const char *kci_map_nth(const void *unused, size_t i);  /* names, for "did you mean" */

/* Names of reductions, and of scans, which may have those of reductions too: each is one vector FLOP
 * an input element.  NULL behind the last one. */
const char *kci_reduction_nth(const void *unused, size_t i);
const char *kci_scan_nth(const void *unused, size_t i);

#endif
