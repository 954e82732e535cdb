/* flow.c: a program as sequences of items: which of them reads what another wrote, and in what order they may stand. */
#include "flow.h"

#include <string.h>

#include "kernels.h"
#include "object.h"
#include "rebuild.h"
#include "resize.h"
#include "rules.h"

/* ---- names ---------------------------------------------------------------------------- */

static bool same_symbol(const void *data, uint32_t id)
{
    const void *const *pair = data;
    return ((const kci_flow *)pair[0])->names[id].symbol == *(const kci_symbol *)pair[1];
}

static uint32_t find_name(const kci_flow *flow, kci_symbol symbol)
{
    const void *pair[2] = { flow, &symbol };
    return kci_table_find(&flow->name_table, kci_hash(5, &symbol, sizeof symbol), same_symbol, pair);
}

/* UINT32_MAX: no memory. */
static uint32_t name_of(kci_flow *flow, const char *text, size_t length)
{
    kci_symbol symbol = kci_intern(flow->context, text, length);
    uint32_t id = symbol ? find_name(flow, symbol) : UINT32_MAX;
    if (!symbol || id != UINT32_MAX)
        return id;
    const char *part = memchr(text, ':', length);
    uint32_t base = UINT32_MAX;
    if (part && part > text && part[1] == ' ') {
        base = name_of(flow, text, (size_t)(part - text));
        if (base == UINT32_MAX)
            return base;
    }
    id = (uint32_t)flow->name_count;
    if (!kci_reserve(flow->context, &flow->names, &flow->name_capacity, flow->name_count + 1, sizeof *flow->names) ||
        !kci_table_add(flow->context, &flow->name_table, kci_hash(5, &symbol, sizeof symbol), id))
        return UINT32_MAX;
    flow->names[flow->name_count++] = (kci_flow_name){ .symbol = symbol, .base = base == UINT32_MAX ? id : base };
    return id;
}

uint32_t kci_flow_name_of(const kci_flow *flow, const char *name)
{
    kci_symbol symbol = kci_intern(flow->context, name, strlen(name));
    return symbol ? find_name(flow, symbol) : UINT32_MAX;
}

/* Notes at their names where accesses stand, or takes that back. */
static void mark(kci_flow *flow, const kci_accesses *list, bool on)
{
    for (size_t i = list->count; i-- > 0;) {
        kci_flow_name *name = &flow->names[list->list[i].name];
        name->access = on ? i + 1 : 0;
        if (name->base != list->list[i].name)
            flow->names[name->base].part_access = on ? i + 1 : 0;
    }
}

const kci_access *kci_flow_shared(kci_flow *flow, const kci_accesses *writes, const kci_accesses *reads, bool apart,
                                  const kci_access **read)
{
    size_t first = writes->count;
    mark(flow, writes, true);
    for (size_t r = 0; r < reads->count; r++) {
        const kci_access *access = &reads->list[r];
        const kci_flow_name *name = &flow->names[access->name];
        const size_t at[] = { name->access, name->part_access, name->base != access->name ? flow->names[name->base].access : 0 };
        for (size_t i = 0; i < sizeof at / sizeof *at; i++)
            if (at[i] && at[i] - 1 < first && !(apart && writes->list[at[i] - 1].tensor == access->tensor)) {
                first = at[i] - 1;
                *read = access;
            }
    }
    mark(flow, writes, false);
    return first < writes->count ? &writes->list[first] : NULL;
}

/* ---- what an item reads and writes ----------------------------------------------------- */

/* The accesses of an item while they are gathered, each tensor once. */
typedef struct gathering {
    kci_flow *flow;
    kci_item *item;
    kci_seen reads, writes;
} gathering;

static void gathering_free(gathering *g)
{
    kci_seen_free(g->flow->context, &g->reads);
    kci_seen_free(g->flow->context, &g->writes);
}

static kc_status add_access(kci_flow *flow, kci_seen *seen, kci_accesses *to, const kci_access *access)
{
    bool fresh;
    kc_status status = kci_see(flow->context, seen, access->tensor, &fresh);
    if (status || !fresh)
        return status;
    if (!kci_reserve(flow->context, &to->list, &to->capacity, to->count + 1, sizeof *to->list))
        return KC_ENOMEM;
    to->list[to->count++] = *access;
    return KC_OK;
}

static kc_status add_use(gathering *g, const kci_tensor_use *use)
{
    const kci_access access = { name_of(g->flow, use->tensor->name, strlen(use->tensor->name)), use->tensor };
    kc_status status = access.name == UINT32_MAX ? KC_ENOMEM : KC_OK;
    if (use->read && !status)
        status = add_access(g->flow, &g->reads, &g->item->reads, &access);
    if (use->written && !status)
        status = add_access(g->flow, &g->writes, &g->item->writes, &access);
    return status;
}

static kc_status add_uses(gathering *g, const kc_kernel *kernel)
{
    kc_status status = kci_kernel_tensors(kernel);
    for (size_t i = 0; i < kernel->member_count && !status; i++)
        status = add_uses(g, kernel->members[i]);
    for (size_t i = 0; i < kernel->graph.axis_count; i++)
        g->item->gathers = g->item->gathers || kernel->graph.axes[i].gather;
    for (size_t t = 0; t < kernel->graph.tensor_count && !status; t++)
        if (kernel->graph.tensors[t].tensor)
            status = add_use(g, &kernel->graph.tensors[t]);
    return status;
}

static kc_status add_accesses(kci_flow *flow, kci_item *item, const kc_kernel *kernel)
{
    gathering g = { .flow = flow, .item = item };
    kc_status status = add_uses(&g, kernel);
    gathering_free(&g);
    return status;
}

kc_status kci_flow_renew(kci_flow *flow, kci_item *item)
{
    gathering g = { .flow = flow, .item = item };
    kc_status status = KC_OK;
    item->reads.count = item->writes.count = 0;
    for (size_t i = 0; i < item->inner->count && !status; i++) {
        const kci_item *inner = &item->inner->items[i];
        item->gathers = item->gathers || inner->gathers;
        for (size_t r = 0; r < inner->reads.count && !status; r++)
            status = add_access(flow, &g.reads, &item->reads, &inner->reads.list[r]);
        for (size_t w = 0; w < inner->writes.count && !status; w++)
            status = add_access(flow, &g.writes, &item->writes, &inner->writes.list[w]);
    }
    gathering_free(&g);
    return status;
}

/* The item at `at` is the last so far to write what it writes. */
static void note_writes(kci_flow *flow, const kci_sequence *sequence, size_t at)
{
    const kci_accesses *writes = &sequence->items[at].writes;
    for (size_t w = 0; w < writes->count; w++) {
        kci_flow_name *name = &flow->names[writes->list[w].name], *base = &flow->names[name->base];
        name->whole = (kci_written){ sequence, at };
        if (base != name)
            base->part = (kci_written){ sequence, at };
    }
}

/* ---- tensors of one name ---------------------------------------------------------------- */

bool kci_flow_same_shape(const kc_tensor *a, const kc_tensor *b)
{
    bool same = a->rank == b->rank && (a->dtype == b->dtype || strcmp(a->dtype->name, b->dtype->name) == 0);
    for (size_t p = 0; same && p < a->rank; p++)
        same = a->dims[p].size == b->dims[p].size;
    return same;
}

/* The first leaf of that name and shape; NULL: no memory. */
static const kc_tensor *first_leaf(kci_flow *flow, const kc_tensor *leaf, uint32_t name)
{
    for (uint32_t at = flow->names[name].leaf; at; at = flow->leaves[at - 1].next)
        if (kci_flow_same_shape(flow->leaves[at - 1].tensor, leaf))
            return flow->leaves[at - 1].tensor;
    if (!kci_reserve(flow->context, &flow->leaves, &flow->leaf_capacity, flow->leaf_count + 1, sizeof *flow->leaves))
        return NULL;
    flow->leaves[flow->leaf_count++] = (kci_leaf){ leaf, flow->names[name].leaf };
    flow->names[name].leaf = (uint32_t)flow->leaf_count;
    return leaf;
}

/* What the items before wrote last under the name of a leaf, if it is of one shape; else the leaf. */
static const kc_tensor *written_before(const kci_flow *flow, const kci_sequence *sequence, const kc_tensor *leaf, uint32_t name)
{
    const kci_flow_name *own = &flow->names[name], *base = &flow->names[own->base];
    const kci_written *whole = &own->whole, *others[] = { &own->part, base == own ? &own->part : &base->whole };
    bool last = whole->in == sequence && !sequence->beside;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        last = last && !(others[i]->in == sequence && others[i]->at > whole->at);
    const kci_item *item = last ? &sequence->items[whole->at] : NULL;
    for (size_t w = 0; item && item->kernel && w < item->writes.count; w++)
        if (item->writes.list[w].name == name && kci_flow_same_shape(item->writes.list[w].tensor, leaf))
            return item->writes.list[w].tensor;
    return leaf;
}

static kc_status link_read(kci_flow *flow, const kci_sequence *sequence, const kc_tensor *read, kci_link *link)
{
    uint32_t at = kci_find_seen(&flow->made, read), name = name_of(flow, read->name, strlen(read->name));
    const kc_tensor *to = at != UINT32_MAX ? flow->become[at] : read;
    if (name == UINT32_MAX)
        return KC_ENOMEM;
    if (!read->value)
        to = first_leaf(flow, read, name);
    if (!to)
        return KC_ENOMEM;
    if (!read->value)
        to = written_before(flow, sequence, to, name);
    *link = (kci_link){ (kc_tensor *)(uintptr_t)read, (kc_tensor *)(uintptr_t)to };
    return KC_OK;
}

static kc_status remember(kci_flow *flow, const kc_kernel *old, const kc_kernel *new)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < old->member_count && !status; i++)
        status = remember(flow, old->members[i], new->members[i]);
    for (size_t t = 0; t < old->tensor_count + old->fused_count && !status; t++) {
        bool internal = t >= old->tensor_count, fresh;
        const kc_tensor *from = internal ? old->fused[t - old->tensor_count] : old->tensors[t];
        kc_tensor *to = internal ? new->fused[t - old->tensor_count] : new->tensors[t];
        if (!kci_reserve(flow->context, (void *)&flow->become, &flow->become_capacity, flow->made.count + 1, sizeof *flow->become))
            return KC_ENOMEM;
        status = kci_see(flow->context, &flow->made, from, &fresh);
        if (!status && fresh)
            flow->become[flow->made.count - 1] = kc_retain(to);
        else if (!status) { /* launched twice: the later one's is what is read from here on */
            uint32_t at = kci_find_seen(&flow->made, from);
            kc_retain(to);
            kc_release(flow->become[at]);
            flow->become[at] = to;
        }
    }
    return status;
}

/* The kernel with its reads linked to what the sequence's items wrote; a new reference. */
static kc_kernel *linked(kci_flow *flow, const kci_sequence *sequence, kc_kernel *kernel)
{
    kci_item found = { .kernel = NULL };
    bool changes = false;
    kc_status status = add_accesses(flow, &found, kernel);
    kci_link *links = status ? NULL : kci_alloc(flow->context, found.reads.count * sizeof *links);
    for (size_t i = 0; links && i < found.reads.count && !status; i++) {
        status = link_read(flow, sequence, found.reads.list[i].tensor, &links[i]);
        changes = changes || links[i].from != links[i].to;
    }
    kc_kernel *made = !links || status ? NULL : changes ? kci_relinked(kernel, links, found.reads.count) : kc_retain(kernel);
    if (made && remember(flow, kernel, made) != KC_OK) {
        kc_release(made);
        made = NULL;
    }
    kci_free(flow->context, links, found.reads.count * sizeof *links);
    kci_free(flow->context, found.reads.list, found.reads.capacity * sizeof *found.reads.list);
    kci_free(flow->context, found.writes.list, found.writes.capacity * sizeof *found.writes.list);
    return made;
}

/* ---- taking apart ------------------------------------------------------------------------ */

static void item_free(const kci_flow *flow, kci_item *item);

static void sequence_free(const kci_flow *flow, kci_sequence *sequence)
{
    for (size_t i = 0; sequence && i < sequence->count; i++)
        item_free(flow, &sequence->items[i]);
    if (sequence)
        kci_free(flow->context, sequence->items, sequence->capacity * sizeof *sequence->items);
    kci_free(flow->context, sequence, sizeof *sequence);
}

static void item_free(const kci_flow *flow, kci_item *item)
{
    for (size_t i = 0; i < item->part_count; i++)
        kc_release(item->parts[i]);
    kci_free(flow->context, (void *)item->parts, item->part_count * sizeof *item->parts);
    kci_free(flow->context, item->reads.list, item->reads.capacity * sizeof *item->reads.list);
    kci_free(flow->context, item->writes.list, item->writes.capacity * sizeof *item->writes.list);
    kc_release(item->kernel);
    sequence_free(flow, item->inner);
}

void kci_flow_free(kci_flow *flow)
{
    sequence_free(flow, flow->top);
    for (size_t i = 0; i < flow->made.count; i++)
        kc_release(flow->become[i]);
    kci_free(flow->context, (void *)flow->become, flow->become_capacity * sizeof *flow->become);
    kci_seen_free(flow->context, &flow->made);
    kci_table_free(flow->context, &flow->name_table);
    kci_free(flow->context, flow->leaves, flow->leaf_capacity * sizeof *flow->leaves);
    kci_free(flow->context, flow->names, flow->name_capacity * sizeof *flow->names);
}

/* An item of the sequence, empty; NULL: no memory.  It is part of the sequence from its `count` on. */
static kci_item *new_item(kci_flow *flow, kci_sequence *sequence)
{
    if (!kci_reserve(flow->context, &sequence->items, &sequence->capacity, sequence->count + 1, sizeof *sequence->items))
        return NULL;
    kci_item *item = &sequence->items[sequence->count];
    *item = (kci_item){ .times = 1, .id = ++flow->last_id };
    return item;
}

static kc_status add_kernel(kci_flow *flow, kci_sequence *sequence, kc_kernel *kernel, double times)
{
    kci_item *item = new_item(flow, sequence);
    kc_kernel *made = item ? linked(flow, sequence, kernel) : NULL;
    if (!made)
        return kc_context_status(flow->context);
    item->kernel = made;
    item->times = times;
    sequence->count++;
    item->parts = kci_alloc(flow->context, sizeof *item->parts);
    if (!item->parts)
        return KC_ENOMEM;
    item->parts[item->part_count++] = kc_retain(made);
    kc_status status = add_accesses(flow, item, made);
    if (!status)
        status = kci_kernel_does(made, &item->does);
    note_writes(flow, sequence, sequence->count - 1);
    return status;
}

static kc_status add_parts(kci_flow *flow, kci_sequence *sequence, const kc_program *program);

static kc_status add_inner(kci_flow *flow, kci_sequence *sequence, const kc_program *program, double times)
{
    kci_item *item = new_item(flow, sequence);
    kci_sequence *inner = item ? kci_alloc(flow->context, sizeof *inner) : NULL;
    if (!inner)
        return KC_ENOMEM;
    *inner = (kci_sequence){ .program = program, .outer = sequence, .launches = sequence->launches * times,
                             .beside = program->beside, .frozen = sequence->frozen || program->beside };
    item->inner = inner;
    item->times = times;
    sequence->count++;
    kc_status status = add_parts(flow, inner, program);
    if (!status)
        status = kci_flow_renew(flow, item);
    note_writes(flow, sequence, sequence->count - 1);
    return status;
}

static kc_status add_parts(kci_flow *flow, kci_sequence *sequence, const kc_program *program)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < program->part_count && !status; i++) {
        const kci_part *part = &program->parts[i];
        const kc_program *inner = (const kc_program *)(const void *)part->object;
        if (part->object->kind == KC_KERNEL)
            status = add_kernel(flow, sequence, (kc_kernel *)(void *)part->object, part->times);
        else if (part->times == 1 && !inner->beside && !sequence->beside)
            status = add_parts(flow, sequence, inner);
        else
            status = add_inner(flow, sequence, inner, part->times);
    }
    return status;
}

kc_status kci_flow_make(kci_flow *flow, const kc_program *program)
{
    flow->context = program->base.context;
    flow->top = kci_alloc(flow->context, sizeof *flow->top);
    if (!flow->top)
        return KC_ENOMEM;
    *flow->top = (kci_sequence){ .program = program, .launches = 1, .beside = program->beside, .frozen = program->beside };
    return add_parts(flow, flow->top, program);
}

/* ---- together again ------------------------------------------------------------------------- */

static kc_object *as_part(const kci_flow *flow, const kci_item *item)
{
    kc_object *part = item->kernel ? kc_retain(item->kernel) : (kc_object *)(void *)kci_flow_program(flow, item->inner, NULL);
    if (!part || item->times == 1)
        return part;
    kc_object *repeated = (kc_object *)(void *)kc_times(part, item->times);
    kc_release(part);
    return repeated;
}

kc_program *kci_flow_program(const kci_flow *flow, const kci_sequence *sequence, const char *name)
{
    kc_object **parts = kci_alloc(flow->context, sequence->count * sizeof *parts);
    kc_program *made = NULL;
    bool ok = parts != NULL;
    for (size_t i = 0; ok && i < sequence->count; i++)
        ok = (parts[i] = as_part(flow, &sequence->items[i])) != NULL;
    if (ok)
        made = (sequence->beside ? kc_beside : kc_program_new)(flow->context, name ? name : sequence->program->name, parts,
                                                               sequence->count);
    for (size_t i = 0; parts && i < sequence->count; i++)
        kc_release(parts[i]);
    kci_free(flow->context, (void *)parts, sequence->count * sizeof *parts);
    return made;
}

/* ---- order ------------------------------------------------------------------------------------ */

static bool is_member(size_t at, const size_t *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (members[i] == at)
            return true;
    return false;
}

/* Does the list share bytes with that name, but as the tensor `own`? */
static bool touches(const kci_flow *flow, const kci_accesses *list, uint32_t name, const kc_tensor *own)
{
    bool found = false;
    for (size_t i = 0; i < list->count && !found; i++) {
        uint32_t other = list->list[i].name;
        found = list->list[i].tensor != own &&
                (other == name || flow->names[other].base == name || flow->names[name].base == other);
    }
    return found;
}

static bool writes_all(const kci_item *item, uint32_t name)
{
    for (size_t i = 0; i < item->writes.count; i++)
        if (item->writes.list[i].name == name)
            return true;
    return false;
}

/* A written tensor, and the items that get it from each other, on chip. */
typedef struct product {
    const kci_flow *flow;
    const kc_tensor *tensor;
    uint32_t name;
    const size_t *members;
    size_t member_count;
} product;

typedef enum fate { GOES_ON, IS_READ, IS_OVERWRITTEN } fate;

static fate scan(const product *p, const kci_sequence *sequence, size_t from, size_t end)
{
    fate found = GOES_ON;
    for (size_t i = from; i < end && found == GOES_ON; i++) {
        const kci_item *item = &sequence->items[i];
        if (item->inner) {
            const product inside = { p->flow, p->tensor, p->name, NULL, 0 };
            found = scan(&inside, item->inner, 0, item->inner->count);
        } else if (touches(p->flow, &item->reads, p->name, is_member(i, p->members, p->member_count) ? p->tensor : NULL)) {
            found = IS_READ;
        } else if (writes_all(item, p->name)) {
            found = IS_OVERWRITTEN;
        }
        if (found == IS_OVERWRITTEN && sequence->beside) /* another one may read it at the same time */
            found = GOES_ON;
    }
    return found;
}

bool kci_flow_lives(const kci_flow *flow, const kci_sequence *sequence, size_t at, const kc_tensor *tensor,
                    const size_t *members, size_t member_count)
{
    product p = { flow, tensor, kci_flow_name_of(flow, tensor->name), members, member_count };
    fate found = GOES_ON;
    for (const kci_sequence *s = sequence; s && found == GOES_ON; s = s->outer) {
        bool again = s->beside || (s->outer && s->launches > s->outer->launches);
        found = scan(&p, s, at + 1, s->count);
        if (found == GOES_ON && again && scan(&p, s, 0, at + 1) == IS_READ)
            found = IS_READ; /* overwritten or not: after the last time it goes on behind */
        p.member_count = 0; /* around it there are none */
        for (size_t i = 0; s->outer && i < s->outer->count; i++)
            if (s->outer->items[i].inner == s)
                at = i;
    }
    return found == IS_READ;
}

/* Does something order two items?  *tensor: whose bytes they share; NULL: one of them goes by data. */
static bool tied(kci_flow *flow, const kci_item *a, const kci_item *b, const kc_tensor **tensor)
{
    const kci_access *other, *found = kci_flow_shared(flow, &a->writes, &b->reads, false, &other);
    if (!found)
        found = kci_flow_shared(flow, &b->writes, &a->reads, false, &other);
    if (!found)
        found = kci_flow_shared(flow, &a->writes, &b->writes, false, &other);
    *tensor = found ? found->tensor : NULL;
    return found || a->gathers || b->gathers;
}

size_t kci_flow_place(kci_flow *flow, const kci_sequence *sequence, const size_t *members, size_t count,
                      size_t *between, const kc_tensor **tensor)
{
    const kci_item *items = sequence->items;
    size_t first = members[0], last = members[count - 1];
    const kc_tensor *other;
    bool stays = false;
    for (size_t i = first + 1; i < last && !stays; i++)
        for (size_t m = 0; m < count && members[m] < i && !stays && !is_member(i, members, count); m++) {
            stays = tied(flow, &items[members[m]], &items[i], tensor);
            *between = i;
        }
    if (!stays)
        return last;
    for (size_t i = first + 1; i < last; i++)
        for (size_t m = 0; m < count && !is_member(i, members, count); m++)
            if (members[m] > i && tied(flow, &items[i], &items[members[m]], &other))
                return SIZE_MAX;
    return first;
}

kc_status kci_flow_replace(kci_flow *flow, kci_sequence *sequence, const size_t *members, size_t count, size_t place,
                           kc_kernel *kernel)
{
    kci_item made = { .kernel = kc_retain(kernel), .times = 1, .id = ++flow->last_id };
    size_t parts = 0, kept = 0;
    for (size_t m = 0; m < count; m++)
        parts += sequence->items[members[m]].part_count;
    made.parts = kci_alloc(flow->context, parts * sizeof *made.parts);
    kc_status status = made.parts ? add_accesses(flow, &made, kernel) : KC_ENOMEM;
    if (!status)
        status = kci_kernel_does(kernel, &made.does);
    if (status) {
        kci_free(flow->context, (void *)made.parts, parts * sizeof *made.parts);
        made.parts = NULL;
        made.part_count = 0;
        item_free(flow, &made);
        return status;
    }
    for (size_t m = 0; m < count; m++)
        for (size_t p = 0; p < sequence->items[members[m]].part_count; p++)
            made.parts[made.part_count++] = kc_retain(sequence->items[members[m]].parts[p]);
    for (size_t i = 0; i < sequence->count; i++) {
        bool member = is_member(i, members, count);
        if (member)
            item_free(flow, &sequence->items[i]);
        if (i == place)
            sequence->items[kept++] = made;
        else if (!member)
            sequence->items[kept++] = sequence->items[i];
    }
    sequence->count = kept;
    return KC_OK;
}
