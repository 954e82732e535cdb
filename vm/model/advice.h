/* advice.h: what would make a kernel or a program faster, and by how much: each change evaluated alone. */
#ifndef KCI_ADVICE_H
#define KCI_ADVICE_H

#include "ask.h"

enum { KCI_ADVICE_BYTES = 480, KCI_ADVICES = 12 };

typedef struct kci_advice {
    char what[KCI_ADVICE_BYTES];    /* "tile n = 256"; empty: nothing of this kind helps */
    double time;                    /* s, of everything, with it */
    bool schedule;                  /* it changes a schedule: no fusion, size or launch */
} kci_advice;

/* Fills `list` with at most KCI_ADVICES changes that save at least 1 % of the result's time, the
 * best first; *count of them.  Tries tiles, stages, splits, rasters, clusters, warps, persistence,
 * accesses and sizes a wave less of a tiled kernel, a graph launch of anything, fusions of a program's
 * kernels and changes of those alike that take longest together.  KC_ENOMEM alone fails; what does not fit is no advice. */
kc_status kci_advise(const kc_result *result, kci_advice *list, size_t *count);

/* Fusing runs of a program's kernels (fusion.c): the runs that save most, compared untiled with untiled. */
kc_status kci_advise_fusion(const kc_result *program, kci_advice *best);

#endif
