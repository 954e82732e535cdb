/* walk.h: the oracle: a tiled kernel's loop nest, walked tile by tile, with no formula.
 *
 * The walk visits every CTA, every pass and every iteration in order, decides at
 * each what is fetched, executed and spilled, marks every element that a live
 * point touches, and adds up.  It serves kc_verify and the property test, which
 * hold it against the counts of count.h.
 *
 * Ownership.  A result owns its rows; kci_walk_free gives them back.
 * Errors.  KC_ELIMIT above `max_steps`, before the heavy work where that can be
 * told; KC_EARGUMENT where the kernel can't run (a value reduced over the grid
 * is needed before it is combined); KC_ENOMEM.  A failed walk leaves `out` empty.
 * Threads.  As the graph's context.
 * Units.  Byte, FLOP, loads (tiles fetched). */
#ifndef KCI_WALK_H
#define KCI_WALK_H

#include "count.h"

typedef struct kci_walk_result {
    double useful_matrix[KCI_FORMATS], executed_matrix[KCI_FORMATS];    /* FLOP by math format */
    double useful_vector[2], executed_vector[2];                        /* FLOP in f32, f64 */
    double useful_special, executed_special;
    double ctas, passes, launches;
    double steps;                   /* what the walk took: node visits and enumerated points */
    kci_row *rows;                  /* graph->tensor_count entries */
    size_t row_count;
    kc_context *context;
} kci_walk_result;

/* Walks at sizes[loop] and tiles[loop]; NULL: the graph's sizes, the tiling's
 * tiles.  `tiling` NULL: untiled, one trip of everything. */
kc_status kci_walk(const kci_graph *graph, const kci_tiling *tiling, const double *sizes, const double *tiles,
                   double max_steps, kci_walk_result *out);
void kci_walk_free(kci_walk_result *result);

/* The name of the first figure in which `walk` and `counts` differ and both of its
 * values; NULL: they agree.  `name` holds at least 128 bytes. */
const char *kci_walk_differs(const kci_graph *graph, const kci_walk_result *walk, const kci_counts *counts,
                             char *name, size_t size, double *walked, double *counted);

#endif
