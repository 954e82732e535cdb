/* sorted.h: matmuls whose rows a library sorts by data before it multiplies them. */
#ifndef KCI_SORTED_H
#define KCI_SORTED_H

#include "kernel.h"

/* Does data choose an operand of some matmul point by point (of a mixture of experts: the weights of each
 * token), fewer different ones than points, so that several points share one?  A tile of such points has
 * a matrix for each of them.  Libraries sort the points by their matrix, and run a group of one matmul a
 * matrix: no tile of this kernel is that.  What is gathered (a tensor's name, the graph's own), or NULL. */
const char *kci_sorted_operand(const kci_graph *graph, const double *sizes);

#endif
