/* map.h: what one element of a named elementwise op costs. */
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

#endif
