/* reads.h: walking a value's expression back to its reads, however deep it is. */
#ifndef KCI_READS_H
#define KCI_READS_H

#include "build.h"

/* Values that a walk has passed; zeroed to begin with. */
typedef struct kci_seen {
    kci_table table;
    const void **items;
    size_t count, capacity;
} kci_seen;

/* Adds `item`; *fresh tells whether it is new. */
kc_status kci_see(kc_context *context, kci_seen *seen, const void *item, bool *fresh);
bool kci_has_seen(const kci_seen *seen, const void *item);
uint32_t kci_find_seen(const kci_seen *seen, const void *item); /* its place in items; UINT32_MAX: not seen */
void kci_seen_free(kc_context *context, kci_seen *seen);

/* Calls visit for every read behind `value`, up to the tensors it reads; each
 * value once for all walks that share `seen`.  Without recursion. */
typedef kc_status (*kci_visit_read)(void *data, const kc_value *read);
kc_status kci_visit_reads(kc_context *context, const kc_value *value, kci_seen *seen, kci_visit_read visit,
                          void *data);

#endif
