/* emit.h: making nodes: what emit.c and softmax.c share. */
#ifndef KCI_EMIT_H
#define KCI_EMIT_H

#include "build.h"

enum { KCI_SPACE = 2 * KCI_MAX_LOOPS };

/* An iteration space: the axes of some dims, each once. */
typedef struct kci_space {
    uint32_t ids[KCI_SPACE];
    size_t count;
    kci_set loops;
} kci_space;

kc_status kci_add_dims(kci_builder *builder, kci_space *s, uint32_t environment, const kci_dim *dims, size_t count);
/* Loops of the dims that an op reduces: they must be walked as they are. */
kc_status kci_over_loops(kci_builder *builder, const kci_instance *instance, kci_set *loops);
kci_node kci_blank_node(kci_node_kind kind, const char *label, kci_format format);
/* Appends a node over `iteration` with value `out`.  UINT32_MAX: no memory. */
uint32_t kci_add_node(kci_builder *builder, kci_node node, const kci_space *iteration, const kci_space *out,
                      const kci_edge *edges, size_t edge_count);
/* Says that node `id` is (the part of its label of) `value`: nodes of one value under
 * two indexes are twins, and useful work is theirs together.  UINT32_MAX: no memory. */
uint32_t kci_with_source(kci_builder *builder, uint32_t id, const kc_value *value);
uint32_t kci_input_node(const kci_builder *builder, const kci_instance *instance, uint32_t i);
/* The row of a tensor (NULL: of a statistic) of that name; -1: failed. */
int32_t kci_tensor_use_of(kci_builder *builder, kc_tensor *tensor, const char *name, double bytes);

/* softmax.c: a softmax as its parts, the division behind a reduction of them, lse */
kc_status kci_emit_softmax(kci_builder *builder, uint32_t instance);
uint32_t kci_emit_deferred(kci_builder *builder, const kci_instance *instance, uint32_t node, const kci_space *out);
kc_status kci_emit_lse(kci_builder *builder, kci_instance *instance);

#endif
