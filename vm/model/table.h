/* table.h: hash tables of ids. */
#ifndef KCI_TABLE_H
#define KCI_TABLE_H

#include "base.h"

typedef struct kci_slot {       /* id + 1 (0: empty) and its hash */
    uint32_t id, hash;
} kci_slot;

typedef struct kci_table {      /* open addressing: hash -> id */
    kci_slot *slots;
    size_t capacity, count;
} kci_table;

/* `equal(data, id)` compares the sought thing with an id; UINT32_MAX: there is none. */
typedef bool (*kci_equal)(const void *data, uint32_t id);
uint32_t kci_table_find(const kci_table *table, uint64_t hash, kci_equal equal, const void *data);
bool kci_table_add(kc_context *context, kci_table *table, uint64_t hash, uint32_t id); /* false: no memory */
void kci_table_free(kc_context *context, kci_table *table);
uint64_t kci_hash(uint64_t seed, const void *bytes, size_t size);

#endif
