/* convention.h: how others count: switches that change what a graph's work and traffic are said to be.
 *
 * A convention is a way of counting, not of running: it changes flops, bytes
 * and what follows from them (intensity, throughput, bandwidth), never a time,
 * a footprint or what a schedule does.  So `evaluate` times the kernel as it is
 * and divides the convention's FLOP by that, as the others do.
 *
 *     work      multiply_add softmax norm special vector integers causal padding
 *               kci_convention_apply changes the costs in a copy of the graph
 *     traffic   second_operands broadcast scales write_allocate
 *               kci_convention_rows changes the rows of the ledger
 *     peak      what rates are held against: the ridge, the share that a measured
 *               rate is of the peak; roof_time stays that of the dense one */
#ifndef KCI_CONVENTION_H
#define KCI_CONVENTION_H

#include "count.h"
#include "kernel.h"

typedef enum kci_multiply_add { KCI_FMA_2, KCI_FMA_1, KCI_FMA_2K_1 } kci_multiply_add;
typedef enum kci_causal { KCI_CAUSAL_EXACT, KCI_CAUSAL_HALF, KCI_CAUSAL_FULL } kci_causal;

typedef struct kci_convention {
    const char *name;               /* NULL: the design's own */
    kci_multiply_add multiply_add;
    kci_causal causal;
    double softmax;                 /* FLOP per element of a softmax; negative: the design's */
    double norm;                    /* FLOP per element of an op labelled "norm"; negative: as built */
    bool sparse;                    /* peaks are those with 2:4 sparsity */
    bool special;                   /* special ops count */
    bool vector;                    /* vector work counts at all (false: matmul and convolution only) */
    bool integers;                  /* vector work on integers counts */
    bool padding;                   /* padded taps count as useful work */
    bool second_operands;           /* reads of a map's operands after the first count as traffic */
    bool broadcast;                 /* a broadcast operand of a map is charged at the map's size */
    bool scales;                    /* scale factors of block-scaled dtypes count as traffic */
    bool write_allocate;            /* every written tensor is read first */
} kci_convention;

/* The design's own. */
kci_convention kci_convention_default(void);
/* A named bundle, or NULL.  The i-th name for listings, NULL at the end. */
const kci_convention *kci_convention_named(const char *name);
const char *kci_convention_nth(const void *unused, size_t i);

/* Sets a switch by its name; `text` is used where it is not NULL, else `value`
 * (0 and 1 for those that are on or off).  An unknown switch or value fails, with the
 * names that exist. */
kc_status kci_convention_set(kci_convention *convention, kc_context *context, const char *name,
                             double value, const char *text);

/* Changes a copy of a graph so that counting its work counts by the convention.
 *     multiply_add     2 FLOP a point of a matmul, 1, or 2K-1 for K terms; a map
 *                      labelled "fma" likewise 2 or 1
 *     softmax n        n FLOP per element on its exponential, its other parts free
 *     norm n           n FLOP per element of an op labelled "norm", those labelled
 *                      "norm.…" free
 *     special no       special ops of all ops are free
 *     vector no        ops but matmuls are free, unless softmax or norm says more
 *     causal half      a causal mask is ignored and the work of what it limits halved;
 *                      masks with a lower end stay exact
 *     causal full      masks are ignored
 *     padding yes      taps outside a tensor are useful work */
kc_status kci_convention_apply(const kci_convention *convention, kci_graph *graph);

/* Changes the rows of a graph's ledger, at sizes of its loops. */
kc_status kci_convention_rows(const kci_convention *convention, const kci_graph *graph,
                              const double *sizes, kci_row *rows);

/* The one line that a table states: "multiply-add = 2 FLOP; …". */
void kci_convention_line(const kci_convention *convention, kci_text *line);

#endif
