/* reads.c: walking a value's expression back to its reads, however deep it is. */
#include "reads.h"

static bool same_item(const void *data, uint32_t id)
{
    const void *const *pair = data;
    return ((const kci_seen *)pair[0])->items[id] == pair[1];
}

uint32_t kci_find_seen(const kci_seen *seen, const void *item)
{
    const void *pair[2] = { seen, item };
    return kci_table_find(&seen->table, kci_hash(4, &item, sizeof item), same_item, pair);
}

bool kci_has_seen(const kci_seen *seen, const void *item)
{
    return kci_find_seen(seen, item) != UINT32_MAX;
}

kc_status kci_see(kc_context *context, kci_seen *seen, const void *item, bool *fresh)
{
    uint64_t hash = kci_hash(4, &item, sizeof item);
    *fresh = !kci_has_seen(seen, item);
    if (!*fresh)
        return KC_OK;
    if (!kci_reserve(context, &seen->items, &seen->capacity, seen->count + 1, sizeof *seen->items) ||
        !kci_table_add(context, &seen->table, hash, (uint32_t)seen->count))
        return KC_ENOMEM;
    seen->items[seen->count++] = item;
    return KC_OK;
}

void kci_seen_free(kc_context *context, kci_seen *seen)
{
    kci_table_free(context, &seen->table);
    kci_free(context, (void *)seen->items, seen->capacity * sizeof *seen->items);
}

kc_status kci_visit_reads(kc_context *context, const kc_value *value, kci_seen *seen, kci_visit_read visit,
                          void *data)
{
    const kc_value **stack = NULL;
    size_t depth = 0, capacity = 0;
    bool fresh;
    kc_status status = kci_see(context, seen, value, &fresh);
    if (!status && fresh) {
        status = kci_reserve(context, &stack, &capacity, 1, sizeof *stack) ? KC_OK : KC_ENOMEM;
        if (!status)
            stack[depth++] = value;
    }
    while (depth > 0 && !status) {
        const kc_value *top = stack[--depth];
        if (top->op == KCI_V_READ)
            status = visit(data, top);
        for (size_t i = top->input_count; i-- > 0 && !status;) { /* the leftmost comes off first */
            status = kci_see(context, seen, top->inputs[i], &fresh);
            if (status || !fresh)
                continue;
            if (!kci_reserve(context, &stack, &capacity, depth + 1, sizeof *stack))
                status = KC_ENOMEM;
            else
                stack[depth++] = top->inputs[i];
        }
    }
    kci_free(context, (void *)stack, capacity * sizeof *stack);
    return status;
}
