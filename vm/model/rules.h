/* rules.h: which kernels of a sequence a compiler would join: what a kernel does, and the groups that rules propose.
 *
 *     attention   scores (a matmul), their softmax, the matmul behind it, and what is elementwise between them
 *     epilogue    elementwise work behind any kernel, or behind all that it reads from
 *     prologue    elementwise work, or rows that are reduced (a norm), in front of a kernel
 *     norm        what stands in front of a kernel that reduces rows: the residual's sum, or a matmul
 *
 * Two kernels with matmuls are joined around a softmax only. */
#ifndef KCI_RULES_H
#define KCI_RULES_H

#include "flow.h"

enum { KCI_MOST_MEMBERS = 16 };     /* of one group */

enum {                              /* what a kernel does; 0: elementwise work */
    KCI_DOES_MATMUL = 1,
    KCI_DOES_ROWS = 2,              /* reduces or scans, beside matmuls */
    KCI_GIVES_PROBABILITIES = 4,    /* writes what a softmax made, with no matmul in between */
    KCI_SCORES_ITSELF = 8,          /* and a matmul in it made the scores */
    KCI_WHOLE_ROWS = 16             /* some softmax in it is not online */
};
kc_status kci_kernel_does(const kc_kernel *kernel, unsigned *does);

/* From which items of the sequence each one reads, of those that wrote last. */
typedef struct kci_edges {
    size_t *first, *from;           /* item i: from[first[i]] .. from[first[i + 1]), ascending */
    size_t items, count, capacity;
} kci_edges;
kc_status kci_edges_make(kci_edges *edges, const kci_flow *flow, const kci_sequence *sequence);
void kci_edges_free(kci_edges *edges, kc_context *context);

/* May the item be part of a fused kernel at all? */
bool kci_may_fuse(const kci_sequence *sequence, size_t item);

/* Calls propose for every group, members in launch order; rule NULL: one reads what the other wrote, and no rule
 * joins the two.  Stops at the first failure. */
typedef kc_status (*kci_propose)(void *data, const char *rule, const size_t *members, size_t count);
kc_status kci_rules(const kci_sequence *sequence, const kci_edges *edges, kci_propose propose, void *data);

#endif
