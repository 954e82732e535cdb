/* table.c: a hash table of ids, for finding equal axes, instances and tensors while a graph is built, and names in a profile. */
#include <string.h>

#include "table.h"

/* Eight bytes a step: a multiplication, and its high bits brought down. */
uint64_t kci_hash(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = seed ^ 0x9e3779b97f4a7c15u, word;
    for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
    }
    word = size;
    for (size_t i = 0; i < size; i++)
        word = word << 8 | at[i];
    hash = (hash ^ word) * 0xd6e8feb86659fd93u;
    return hash ^ (hash >> 32);
}

uint32_t kci_table_find(const kci_table *table, uint64_t hash, kci_equal equal, const void *data)
{
    if (table->capacity == 0)
        return UINT32_MAX;
    const kci_slot *slots = table->slots;
    uint32_t tag = (uint32_t)hash;
    for (size_t i = tag & (table->capacity - 1);; i = (i + 1) & (table->capacity - 1)) {
        if (slots[i].id == 0)
            return UINT32_MAX;
        if (slots[i].hash == tag && equal(data, slots[i].id - 1))
            return slots[i].id - 1;
    }
}

static void place(kci_slot *slots, size_t capacity, kci_slot s)
{
    size_t i = s.hash & (capacity - 1);
    while (slots[i].id != 0)
        i = (i + 1) & (capacity - 1);
    slots[i] = s;
}

bool kci_table_add(kc_context *context, kci_table *table, uint64_t hash, uint32_t id)
{
    if ((table->count + 1) * 2 > table->capacity) {
        size_t capacity = table->capacity ? table->capacity * 2 : 16;
        kci_slot *slots = kci_alloc(context, capacity * sizeof *slots);
        if (!slots)
            return false;
        const kci_slot *old = table->slots;
        for (size_t i = 0; i < table->capacity; i++)
            if (old[i].id != 0)
                place(slots, capacity, old[i]);
        kci_table_free(context, table);
        table->slots = slots;
        table->capacity = capacity;
    }
    place(table->slots, table->capacity, (kci_slot){ id + 1, (uint32_t)hash });
    table->count++;
    return true;
}

void kci_table_free(kc_context *context, kci_table *table)
{
    kci_free(context, table->slots, table->capacity * sizeof(kci_slot));
    table->slots = NULL;
    table->capacity = 0;
}
