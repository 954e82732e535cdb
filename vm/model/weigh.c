/* weigh.c: one group of kernels: may they be fused, do they run and do they pay as one; else why not. */
#include "weigh.h"

#include <string.h>

#include "ask.h"
#include "kernels.h"
#include "si.h"

/* ---- prices --------------------------------------------------------------------------------- */

static bool has_schedule(const kc_kernel *kernel)
{
    bool has = kernel->schedule || kernel->graph.comm.kind != KCI_NO_COMM;
    for (size_t i = 0; i < kernel->member_count; i++)
        has = has || has_schedule(kernel->members[i]);
    return has;
}

/* What the last call said, without its name. */
static const char *said(const kci_scales *on)
{
    const char *message = kc_context_message(on->context);
    bool named = strncmp(message, "fuse: ", 6) == 0 || strncmp(message, "best: ", 6) == 0;
    return named ? message + 6 : message;
}

kc_status kci_schedule_item(kci_scales *on, kci_item *item)
{
    if (has_schedule(item->kernel))
        return KC_OK;
    kc_kernel *best = kci_best_kernel(item->kernel, on->device, on->options, &on->searched);
    if (!best)
        return kci_fail(on->context, kc_context_status(on->context), "fuse_all: %s", said(on));
    kc_release(item->kernel);
    item->kernel = best;
    return KC_OK;
}

static kc_status price(kci_scales *on, const kc_kernel *kernel, double *time, double *bytes)
{
    kc_result *r = kci_cost(kernel, on->device, on->options, false, NULL);
    if (!r)
        return kc_context_status(on->context);
    *time = r->field[KC_TIME];
    *bytes = r->field[KC_BYTES];
    kc_release(r);
    return KC_OK;
}

static kc_status price_item(kci_scales *on, kci_item *item)
{
    if (item->priced)
        return KC_OK;
    kc_status status = kci_schedule_item(on, item);
    if (!status)
        status = price(on, item->kernel, &item->time, &item->bytes);
    item->priced = status == KC_OK;
    return status;
}

/* ---- why not: each gives the sentence to a proposal --------------------------------------------- */

const char *kci_item_name(const kci_item *item)
{
    return item->kernel ? item->kernel->name : item->inner->program->name;
}

static kc_status refuse(kci_proposal *p, kci_text *why)
{
    return kci_text_keep(why, &p->refused) ? KC_OK : KC_ENOMEM;
}

/* What kc_fuse or the search said; KC_ENOMEM and KC_ELIMIT are no reasons. */
static kc_status refuse_as_said(kci_scales *on, kci_proposal *p)
{
    kc_status status = kc_context_status(on->context);
    if (status == KC_ENOMEM || status == KC_ELIMIT)
        return kci_fail(on->context, status, "fuse_all: %s", said(on));
    kci_text why = { .context = on->context };
    kci_text_add(&why, said(on));
    return refuse(p, &why);
}

static kc_status refuse_slower(kci_scales *on, kci_proposal *p)
{
    char fused[KCI_SI_BYTES], apart[KCI_SI_BYTES], more[KCI_SI_BYTES];
    kci_text why = { .context = on->context };
    bool slower = p->time > p->time_apart;
    const char *unit = slower ? "s" : "B", *verb = slower ? "takes" : "moves";
    double one = slower ? p->time : p->bytes, both = slower ? p->time_apart : p->bytes_apart;
    kci_si(fused, one, unit);
    kci_si(apart, both, unit);
    kci_si(more, one - both, unit);
    if (one <= both)
        kci_text_add(&why, "as one kernel it takes and moves as much");
    else if (strcmp(fused, apart) == 0)
        kci_text_format(&why, "as one kernel it %s %s more than %s", verb, more, apart);
    else
        kci_text_format(&why, "as one kernel it %s %s instead of %s", verb, fused, apart);
    return refuse(p, &why);
}

static void add_dims(kci_scales *on, kci_text *text, const kc_tensor *tensor)
{
    kci_text_format(text, "%s [", tensor->dtype->name);
    kci_dims_print(text, on->context, tensor->dims, tensor->rank);
    kci_text_add(text, "]");
}

/* `later` reads bytes of what was written, and not as that tensor. */
static kc_status refuse_read(kci_scales *on, kci_proposal *p, const kci_item *later, const kci_access *write,
                             const kci_access *read)
{
    kci_text why = { .context = on->context };
    kci_text_format(&why, "%.80s reads %.80s", later->kernel->name, read->tensor->name);
    if (on->flow.names[read->name].base == write->name && write->name != read->name) {
        kci_text_format(&why, ", and what is written is %.80s as a whole", write->tensor->name);
    } else if (write->name != read->name) {
        kci_text_format(&why, ", and what is written is a part of it, %.80s", write->tensor->name);
    } else if (kci_flow_same_shape(write->tensor, read->tensor)) {
        kci_text_add(&why, " as another kernel leaves it in between");
    } else {
        kci_text_add(&why, " as ");
        add_dims(on, &why, read->tensor);
        kci_text_add(&why, ", and it is written as ");
        add_dims(on, &why, write->tensor);
    }
    return refuse(p, &why);
}

kc_status kci_refuse_kinds(kci_scales *on, kci_proposal *p, const kci_item *a, const kci_item *b)
{
    kci_text why = { .context = on->context };
    for (int i = 0; i < 2 && !why.length; i++) {
        const kci_item *item = i ? b : a;
        if (on->sequence->frozen || (item->inner && item->inner->beside))
            kci_text_format(&why, "parts of %.80s run beside each other",
                            on->sequence->frozen ? on->sequence->program->name : kci_item_name(item));
        else if (item->times != 1)
            kci_text_format(&why, "%.80s runs %.0f times", kci_item_name(item), item->times);
        else if (item->kernel && item->kernel->member_count)
            kci_text_format(&why, "%.80s is a group of kernels in one launch", kci_item_name(item));
        else if (item->kernel && item->kernel->graph.comm.kind != KCI_NO_COMM)
            kci_text_format(&why, "%.80s is the %s between devices", kci_item_name(item),
                            kci_comm_name(&item->kernel->graph.comm));
    }
    if (!why.length)
        kci_text_add(&why, "both have matmuls, which no rule joins but around a softmax");
    return refuse(p, &why);
}

/* ---- is it legal? -------------------------------------------------------------------------------- */

/* Bytes that two members share must be one tensor, written by the earlier one; and that one must not choose what rows
 * the later one takes.  p->refused is set where it is otherwise. */
static kc_status check_pair(kci_scales *on, kci_proposal *p, const kci_item *a, const kci_item *b)
{
    kci_text why = { .context = on->context };
    if (b->gathers) {
        kci_text_format(&why, "which rows %.80s reads may depend on what is launched before", b->kernel->name);
        return refuse(p, &why);
    }
    const kci_access *read = NULL, *write = kci_flow_shared(&on->flow, &a->writes, &b->reads, true, &read);
    if (write)
        return refuse_read(on, p, b, write, read);
    write = kci_flow_shared(&on->flow, &b->writes, &a->reads, false, &read);
    bool twice = !write && (write = kci_flow_shared(&on->flow, &b->writes, &a->writes, false, &read));
    if (!write)
        return KC_OK;
    kci_text_format(&why, "%.80s overwrites %.80s, which %.80s %s", b->kernel->name, read->tensor->name, a->kernel->name,
                    twice ? "wrote" : "reads");
    return refuse(p, &why);
}

static kc_status check_members(kci_scales *on, kci_proposal *p, const size_t *members)
{
    const kci_item *items = on->sequence->items;
    kc_status status = KC_OK;
    for (size_t a = 0; a < p->count && !p->refused && !status; a++)
        for (size_t b = a + 1; b < p->count && !p->refused && !status; b++)
            status = check_pair(on, p, &items[members[a]], &items[members[b]]);
    return status;
}

/* The matrix formats of a kernel's matmuls, a bit each. */
static uint32_t matmul_formats(const kc_kernel *kernel)
{
    uint32_t formats = 0;
    for (size_t i = 0; i < kernel->graph.node_count; i++) {
        const kci_node *node = &kernel->graph.nodes[i];
        if (node->flags & KCI_MATMUL && node->unit == KCI_MATRIX)
            formats |= UINT32_C(1) << node->math;
    }
    return formats;
}

/* An operand that is computed in the kernel has no say in what its matmul is done in: that must not change. */
static kc_status check_math(kci_scales *on, kci_proposal *p, const size_t *members, const kc_kernel *fused)
{
    uint32_t apart = 0, together = matmul_formats(fused);
    for (size_t m = 0; m < p->count; m++)
        apart |= matmul_formats(on->sequence->items[members[m]].kernel);
    if (apart == together)
        return KC_OK;
    uint32_t other = together & ~apart ? together & ~apart : apart & ~together;
    int format = 0;
    while (!(other >> format & 1))
        format++;
    kci_text why = { .context = on->context };
    kci_text_format(&why, "as one kernel a matmul would %s done in %s: its other operand is not read but computed; kc.cast or "
                    "opts.math keep it", together & ~apart ? "be" : "no longer be", kci_format_name((kci_format)format));
    return refuse(p, &why);
}

/* ---- fusing one group ------------------------------------------------------------------------------ */

/* "S + P"; of many the first and the last. */
static void join_names(kci_scales *on, const size_t *members, size_t count, kci_text *name)
{
    enum { LONGEST = 100 };
    for (size_t m = 0; m < count; m++)
        kci_text_format(name, "%s%s", m ? " + " : "", on->sequence->items[members[m]].kernel->name);
    if (name->failed || name->length <= LONGEST)
        return;
    const char *first = on->sequence->items[members[0]].kernel->name;
    const char *last = on->sequence->items[members[count - 1]].kernel->name;
    const char *end = strstr(first, " + ");
    for (const char *next; (next = strstr(last, " + "));)
        last = next + 3;
    kci_text_free(name);
    *name = (kci_text){ .context = on->context };
    kci_text_add_n(name, first, end ? (size_t)(end - first) : strlen(first));
    kci_text_format(name, " + ... + %s", last);
}

static bool named(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static bool writes(const kci_item *item, const kc_tensor *tensor)
{
    for (size_t i = 0; i < item->writes.count; i++)
        if (item->writes.list[i].tensor == tensor)
            return true;
    return false;
}

/* The kernels that the members were fused from, and what they write that has to be written still; the caller frees. */
typedef struct group {
    kc_object **parts;
    kc_tensor **save;
    size_t part_count, part_room, save_count, save_capacity;
} group;

/* Must the tensor, that the member at `at` writes, still be written when the group is one kernel? */
static bool stays(const kci_scales *on, size_t at, const kc_tensor *tensor, const size_t *members, size_t count)
{
    return writes(&on->sequence->items[at], tensor) && /* else nobody needed it where it stood */
           (named(on->save, on->save_count, tensor->name) ||
            kci_flow_lives(&on->flow, on->sequence, at, tensor, members, count));
}

static kc_status gather_part(const kci_scales *on, size_t at, kc_kernel *part, const size_t *members, size_t count, group *g)
{
    g->parts[g->part_count++] = &part->base;
    for (size_t t = 0; t < part->tensor_count; t++) {
        if (kci_spend_names(on->context, "fuse_all", part->tensors[t]->name, on->flow.name_count + on->save_count) != KC_OK)
            return KC_ELIMIT;
        if (!stays(on, at, part->tensors[t], members, count))
            continue;
        if (!kci_reserve(on->context, (void *)&g->save, &g->save_capacity, g->save_count + 1, sizeof *g->save))
            return KC_ENOMEM;
        g->save[g->save_count++] = part->tensors[t];
    }
    return KC_OK;
}

static kc_status gather_group(const kci_scales *on, const size_t *members, size_t count, group *g)
{
    kc_status status = KC_OK;
    size_t parts = 0;
    for (size_t m = 0; m < count; m++)
        parts += on->sequence->items[members[m]].part_count;
    g->parts = kci_alloc(on->context, parts * sizeof *g->parts);
    g->part_room = parts;
    if (!g->parts)
        return KC_ENOMEM;
    for (size_t m = 0; m < count; m++) {
        const kci_item *item = &on->sequence->items[members[m]];
        for (size_t i = 0; i < item->part_count && !status; i++)
            status = gather_part(on, members[m], item->parts[i], members, count, g);
    }
    return status;
}

/* Takes over `fused` and gives it its best schedule; way->refused where that is no use. */
static kc_status try_way(kci_scales *on, kci_proposal *way, const size_t *members, kc_kernel *fused)
{
    if (!fused)
        return refuse_as_said(on, way);
    kc_status status = check_math(on, way, members, fused);
    if (!status && !way->refused) {
        way->kernel = kci_best_kernel(fused, on->device, on->options, &on->searched);
        status = way->kernel ? price(on, way->kernel, &way->time, &way->bytes) : refuse_as_said(on, way);
    }
    kc_release(fused);
    return status;
}

/* Takes over `fused`: of the ways to fuse the group, the first or a faster one. */
static kc_status add_way(kci_scales *on, kci_proposal *p, const size_t *members, kc_kernel *fused)
{
    kci_proposal way = { .count = p->count, .rule = p->rule };
    kc_status status = try_way(on, &way, members, fused);
    bool better = !status && way.kernel && (!p->kernel || way.time < p->time), first = !p->kernel && !p->refused;
    if (better || (!status && first)) {
        kc_release(p->kernel);
        kci_free_text(on->context, p->refused);
        p->kernel = way.kernel;
        p->refused = way.refused;
        p->timed = way.kernel != NULL;
        p->time = way.time;
        p->bytes = way.bytes;
        return KC_OK;
    }
    kc_release(way.kernel);
    kci_free_text(on->context, way.refused);
    return status;
}

static kc_status fuse_group(kci_scales *on, kci_proposal *p, const size_t *members)
{
    kci_text name = { .context = on->context };
    group g = { .parts = NULL };
    unsigned does = 0;
    kc_status status = gather_group(on, members, p->count, &g);
    for (size_t m = 0; m < p->count; m++)
        does |= on->sequence->items[members[m]].does;
    join_names(on, members, p->count, &name);
    if (name.failed)
        status = KC_ENOMEM;
    int ways = does & KCI_WHOLE_ROWS && strcmp(p->rule, "attention") == 0 ? 2 : 1;
    for (int online = 0; online < ways && !status; online++)
        status = add_way(on, p, members, kci_fuse(on->context, name.bytes, g.parts, g.part_count, g.save, g.save_count, online));
    kci_text_free(&name);
    kci_free(on->context, (void *)g.parts, g.part_room * sizeof *g.parts);
    kci_free(on->context, (void *)g.save, g.save_capacity * sizeof *g.save);
    return status;
}

kc_status kci_weigh(kci_scales *on, kci_proposal *p, const size_t *members)
{
    kc_status status = check_members(on, p, members);
    for (size_t m = 0; m < p->count && !status && !p->refused; m++) {
        kci_item *item = &on->sequence->items[members[m]];
        status = price_item(on, item);
        p->time_apart += item->time;
        p->bytes_apart += item->bytes;
    }
    if (!status && !p->refused)
        status = fuse_group(on, p, members);
    if (status || p->refused)
        return status;
    if (p->time > p->time_apart || p->bytes > p->bytes_apart || (p->time == p->time_apart && p->bytes == p->bytes_apart))
        return refuse_slower(on, p);
    return KC_OK;
}
