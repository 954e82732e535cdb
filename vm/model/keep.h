/* keep.h: which rows of a sweep stay: all, the top n, a Pareto front, the best of each group. Design, section 7.
 *
 * Rows are offered one by one, in any order, and what stays does not depend on the
 * order: a row goes before another by its key, and before all equal ones by its point.
 * So parts of a sweep, kept apart, are kept together by offering each what the others kept. */
#ifndef KCI_KEEP_H
#define KCI_KEEP_H

#include "base.h"

typedef enum kci_keep_kind { KCI_KEEP_ALL, KCI_KEEP_TOP, KCI_KEEP_PARETO, KCI_KEEP_BEST_PER } kci_keep_kind;

enum { KCI_MOST_KEYS = 3, KCI_MOST_ROWS = 1000000 };

typedef struct kci_keeper {
    kc_context *context;
    kci_keep_kind kind;
    double most;                    /* TOP: how many */
    size_t limit;                   /* rows in all; 0: KCI_MOST_ROWS */
    size_t key_count;               /* 0: ALL */
    bool larger[KCI_MOST_KEYS];     /* the larger one is the better */
    size_t width;                   /* doubles of a row; the first is its point */
    size_t at[KCI_MOST_KEYS];       /* where its keys are in it */
    double *rows;
    size_t count, capacity;
    uint32_t *heap;                 /* TOP: rows, the worst one first */
    uint32_t *slots;                /* BEST_PER: of each group its row + 1 */
    size_t heap_capacity, slot_count;
} kci_keeper;

void kci_keeper_free(kci_keeper *keeper);

/* The greater one is better: of throughput, bandwidth, intensity, occupancy, efficiencies;
 * of everything else the smaller one. */
bool kci_larger_is_better(kc_field field);

/* Offers the row of `point` with these keys; `group`: its group, from 0 (BEST_PER).  *row: where to
 * write it, if it stays for now; NULL where it does not.  KC_ELIMIT: more rows than KCI_MOST_ROWS. */
kc_status kci_keep(kci_keeper *keeper, double point, size_t group, const double *keys, double **row);

/* Puts the rows into order: the top by key, all others by point. */
kc_status kci_keeper_finish(kci_keeper *keeper);

#endif
