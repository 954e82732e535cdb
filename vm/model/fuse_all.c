/* fuse_all.c: a program's kernels fused as a compiler would: what rules propose, where it runs and pays on a device.
 *
 * Each proposal is fused, gets its best schedule and is evaluated, once; the one that saves most is taken, and the
 * rules propose again.  A program is the sum of its kernels, so what pays in a group pays in the whole. */
#include <string.h>

#include "ask.h"
#include "si.h"
#include "weigh.h"

/* A proposal among the items as they stand. */
typedef struct offer {
    size_t proposal, count;
    size_t members[KCI_MOST_MEMBERS];
} offer;

typedef struct fuser {
    kci_scales on;
    kci_proposal *proposals;
    size_t count, capacity;
    kci_table table;                /* of proposals */
    offer *offers;                  /* of this round */
    size_t offer_count, offer_capacity, round;
    kc_result *said;                /* holds what is said until there is the result */
} fuser;

/* ---- rounds ----------------------------------------------------------------------------------------- */

typedef struct sought {
    const fuser *f;
    const uint32_t *ids;
    size_t count;
} sought;

static bool same_ids(const void *data, uint32_t id)
{
    const sought *s = data;
    const kci_proposal *p = &s->f->proposals[id];
    return p->count == s->count && memcmp(p->ids, s->ids, s->count * sizeof *s->ids) == 0;
}

static kc_status new_proposal(fuser *f, const char *rule, const size_t *members, size_t count, const uint32_t *ids, uint64_t hash)
{
    if (!kci_reserve(f->on.context, &f->proposals, &f->capacity, f->count + 1, sizeof *f->proposals) ||
        !kci_table_add(f->on.context, &f->table, hash, (uint32_t)f->count))
        return KC_ENOMEM;
    kci_proposal *p = &f->proposals[f->count++];
    *p = (kci_proposal){ .count = count, .rule = rule };
    memcpy(p->ids, ids, count * sizeof *ids);
    const kci_item *items = f->on.sequence->items;
    kc_status status = kci_watched(f->on.context, "fuse_all", (double)f->count, 0);
    if (status)
        return status;
    return rule ? kci_weigh(&f->on, p, members) : kci_refuse_kinds(&f->on, p, &items[members[0]], &items[members[1]]);
}

static kc_status propose(void *data, const char *rule, const size_t *members, size_t count)
{
    fuser *f = data;
    uint32_t ids[KCI_MOST_MEMBERS];
    for (size_t m = 0; m < count; m++)
        ids[m] = f->on.sequence->items[members[m]].id;
    uint64_t hash = kci_hash(6, ids, count * sizeof *ids);
    uint32_t at = kci_table_find(&f->table, hash, same_ids, &(sought){ f, ids, count });
    kc_status status = KC_OK;
    if (at == UINT32_MAX) {
        at = (uint32_t)f->count;
        status = new_proposal(f, rule, members, count, ids, hash);
    }
    if (status || f->proposals[at].round == f->round) /* two rules, one group */
        return status;
    f->proposals[at].round = f->round;
    if (!kci_reserve(f->on.context, &f->offers, &f->offer_capacity, f->offer_count + 1, sizeof *f->offers))
        return KC_ENOMEM;
    offer *o = &f->offers[f->offer_count++];
    *o = (offer){ .proposal = at, .count = count };
    memcpy(o->members, members, count * sizeof *members);
    return KC_OK;
}

static kc_status add_names(fuser *f, const offer *o, kci_fusion *said)
{
    for (size_t m = 0; m < o->count; m++)
        if (!(said->kernels[m] = kci_copy_text(f->on.context, kci_item_name(&f->on.sequence->items[o->members[m]]))))
            return KC_ENOMEM;
    return KC_OK;
}

/* Adds the offer to what is said. */
static kci_fusion *say(fuser *f, const offer *o)
{
    const kci_proposal *p = &f->proposals[o->proposal];
    kci_fusion *said = kci_result_fusion_add(f->said, o->count);
    if (!said || add_names(f, o, said) != KC_OK)
        return NULL;
    double n = f->on.sequence->launches;
    said->rule = p->rule;
    said->timed = p->timed;
    said->time = n * p->time;
    said->bytes = n * p->bytes;
    said->time_apart = n * p->time_apart;
    said->bytes_apart = n * p->bytes_apart;
    return said;
}

/* The offer that saves most, where its members may stand together; NULL: none. */
static const offer *best_offer(fuser *f, size_t *place)
{
    const offer *best = NULL;
    double time = 0, bytes = 0;
    for (size_t i = 0; i < f->offer_count; i++) {
        const offer *o = &f->offers[i];
        const kci_proposal *p = &f->proposals[o->proposal];
        double saved = p->time_apart - p->time, kept = p->bytes_apart - p->bytes;
        size_t between, at;
        const kc_tensor *tensor;
        if (p->refused || (best && (saved < time || (saved == time && kept <= bytes))))
            continue;
        at = kci_flow_place(&f->on.flow, f->on.sequence, o->members, o->count, &between, &tensor);
        if (at == SIZE_MAX)
            continue;
        best = o;
        *place = at;
        time = saved;
        bytes = kept;
    }
    return best;
}

static kc_status take(fuser *f, const offer *o, size_t place)
{
    kci_proposal *p = &f->proposals[o->proposal];
    if (!say(f, o))
        return KC_ENOMEM;
    kc_status status = kci_flow_replace(&f->on.flow, f->on.sequence, o->members, o->count, place, p->kernel);
    if (status)
        return status;
    for (size_t i = 0; i < f->on.sequence->count; i++)
        if (f->on.sequence->items[i].id == f->on.flow.last_id) {
            f->on.sequence->items[i].time = p->time;
            f->on.sequence->items[i].bytes = p->bytes;
            f->on.sequence->items[i].priced = true;
        }
    return KC_OK;
}

/* Why the members of an offer that pays may not stand together. */
static void say_between(fuser *f, const offer *o, kci_text *why)
{
    size_t between = 0;
    const kc_tensor *tensor = NULL;
    kci_flow_place(&f->on.flow, f->on.sequence, o->members, o->count, &between, &tensor);
    kci_text_format(why, "%.80s stands between them, and ", kci_item_name(&f->on.sequence->items[between]));
    if (tensor)
        kci_text_format(why, "reads or writes %.80s", tensor->name);
    else
        kci_text_add(why, "which rows are read may depend on what is launched before");
}

/* Where nothing is fused any more: what is left, and why. */
static kc_status say_left(fuser *f)
{
    for (size_t i = 0; i < f->offer_count; i++) {
        const offer *o = &f->offers[i];
        const kci_proposal *p = &f->proposals[o->proposal];
        kci_fusion *said = say(f, o);
        kci_text why = { .context = f->on.context };
        if (!said)
            return KC_ENOMEM;
        if (p->refused)
            kci_text_add(&why, p->refused);
        else
            say_between(f, o, &why);
        if (!kci_text_keep(&why, &said->refused))
            return KC_ENOMEM;
    }
    return KC_OK;
}

static kc_status round_of(fuser *f)
{
    kci_edges edges = { .items = 0 };
    f->offer_count = 0;
    f->round++;
    kc_status status = kci_watched(f->on.context, "fuse_all", (double)f->count, 0);
    if (!status)
        status = kci_edges_make(&edges, &f->on.flow, f->on.sequence);
    if (!status)
        status = kci_rules(f->on.sequence, &edges, propose, f);
    kci_edges_free(&edges, f->on.context);
    return status;
}

/* Fuses in the sequences that its items are, then in the sequence; what is left apart is said once all is fused. */
static kc_status fuse_sequence(fuser *f, kci_sequence *sequence)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < sequence->count && !status; i++) {
        kci_item *item = &sequence->items[i];
        if (item->inner)
            status = fuse_sequence(f, item->inner);
        if (item->inner && !status)
            status = kci_flow_renew(&f->on.flow, item);
    }
    for (bool more = true; more && !status;) {
        size_t place = 0;
        f->on.sequence = sequence;
        status = round_of(f);
        const offer *best = status ? NULL : best_offer(f, &place);
        more = best != NULL;
        if (best)
            status = take(f, best, place);
    }
    for (size_t i = 0; i < sequence->count && !status; i++)
        if (sequence->items[i].kernel)
            status = kci_schedule_item(&f->on, &sequence->items[i]);
    return status;
}

static kc_status leave_sequence(fuser *f, kci_sequence *sequence)
{
    f->on.sequence = sequence;
    kc_status status = round_of(f);
    if (!status)
        status = say_left(f);
    for (size_t i = 0; i < sequence->count && !status; i++)
        if (sequence->items[i].inner)
            status = leave_sequence(f, sequence->items[i].inner);
    return status;
}

/* ---- kc_fuse_all ------------------------------------------------------------------------------------- */

static void fuser_free(fuser *f)
{
    for (size_t i = 0; i < f->count; i++) {
        kc_release(f->proposals[i].kernel);
        kci_free_text(f->on.context, f->proposals[i].refused);
    }
    kci_free(f->on.context, f->proposals, f->capacity * sizeof *f->proposals);
    kci_free(f->on.context, f->offers, f->offer_capacity * sizeof *f->offers);
    kci_table_free(f->on.context, &f->table);
    kci_flow_free(&f->on.flow);
    kc_release(f->said);
}

static const char *nth_written(const void *data, size_t i)
{
    const kci_flow *flow = data;
    return i < flow->made.count ? flow->become[i]->name : NULL;
}

static kc_status check_save(const fuser *f)
{
    for (size_t s = 0; s < f->on.save_count; s++) {
        bool made = false;
        if (kci_spend_names(f->on.context, "fuse_all", f->on.save[s], f->on.flow.made.count) != KC_OK)
            return KC_ELIMIT;
        for (size_t i = 0; i < f->on.flow.made.count && !made; i++)
            made = strcmp(f->on.flow.become[i]->name, f->on.save[s]) == 0;
        if (!made)
            return kci_fail(f->on.context, KC_EARGUMENT, "fuse_all: save: no kernel of '%.80s' makes '%.80s'%s",
                            f->on.flow.top->program->name, f->on.save[s],
                            kci_nearest(f->on.context, f->on.save[s], nth_written, &f->on.flow));
    }
    return KC_OK;
}

static kc_status check_options(kc_context *context, const kc_options *options)
{
    if (options && options->measured > 0)
        return kci_fail(context, KC_EARGUMENT, "fuse_all: option 'measured' is the time of one x: evaluate");
    if (options && options->cache_count > 0)
        return kci_fail(context, KC_EARGUMENT, "fuse_all: option 'cache' is \"cold\" or \"warm\" here: a tensor by itself may be "
                        "fused away");
    return KC_OK;
}

/* "S, P and O" */
static void add_list(kci_text *text, const kci_fusion *said)
{
    for (size_t k = 0; k < said->kernel_count; k++)
        kci_text_format(text, "%s%.80s", k == 0 ? "" : k + 1 < said->kernel_count ? ", " : " and ", said->kernels[k]);
}

static kc_status note(kc_result *r, const kci_fusion *said)
{
    char time[KCI_SI_BYTES], apart[KCI_SI_BYTES];
    kci_text names = { .context = r->base.context };
    add_list(&names, said);
    kc_status status = names.failed ? KC_ENOMEM : KC_OK;
    kci_si(time, said->time, "s");
    kci_si(apart, said->time_apart, "s");
    if (!status && said->refused)
        status = kci_note(&r->notes, "left apart: %s: %s", names.bytes, said->refused);
    else if (!status)
        status = kci_note(&r->notes, "fused (%s): %s, %s instead of %s", said->rule, names.bytes, time, apart);
    kci_text_free(&names);
    return status;
}

/* "x, fused", once; as it was where nothing was fused. */
static kc_program *fused_program(fuser *f)
{
    static const char suffix[] = ", fused";
    enum { LENGTH = sizeof suffix - 1 };
    const char *old = f->on.flow.top->program->name;
    size_t length = strlen(old);
    bool has = length > LENGTH && strcmp(old + length - LENGTH, suffix) == 0;
    bool any = f->said->fusion_count > 0 && !f->said->fusions[0].refused;
    kci_text name = { .context = f->on.context };
    kci_text_format(&name, "%s%s", old, any && !has ? suffix : "");
    kc_program *program = name.failed ? NULL : kci_flow_program(&f->on.flow, f->on.flow.top, name.bytes);
    kci_text_free(&name);
    return program;
}

/* The program that the sequences are now, evaluated, with what is to be said of it. */
static kc_result *answer(fuser *f)
{
    kc_program *program = fused_program(f);
    kc_result *r = program ? kc_evaluate((kc_object *)(void *)program, f->on.device, f->on.options) : NULL;
    kc_status status = r ? kci_result_words(r) : KC_OK;
    for (size_t i = 0; r && i < f->said->fusion_count && !status; i++)
        status = note(r, &f->said->fusions[i]);
    if (!r || status) {
        kc_release(program);
        kc_release(r);
        return NULL;
    }
    r->is_fused = true;
    r->fusions = f->said->fusions;
    r->fusion_count = f->said->fusion_count;
    r->fusion_capacity = f->said->fusion_capacity;
    f->said->fusions = NULL;
    f->said->fusion_count = f->said->fusion_capacity = 0;
    r->best = (kc_object *)(void *)program;
    r->points = r->visited = f->on.searched.points;
    r->rejected = f->on.searched.rejected;
    return r;
}

kc_result *kc_fuse_all(kc_object *program, const kc_device *device, const char *const *save, size_t save_count,
                       const kc_options *options)
{
    if (!program)
        return NULL;
    kc_context *context = program->context;
    if (program->kind != KC_PROGRAM) {
        kci_fail(context, KC_EARGUMENT, "fuse_all: x must be a program: kc.program makes one of kernels");
        return NULL;
    }
    if (!kci_texts_given(context, "fuse_all", "save", save, save_count) ||
        kci_best_possible(context, device, "fuse_all") != KC_OK || check_options(context, options) != KC_OK)
        return NULL;
    fuser f = { .on = { .context = context, .flow = { .context = context }, .device = device, .options = options, .save = save,
                        .save_count = save_count } };
    kc_result *found = NULL;
    f.said = kci_result_new(context, kc_object_name(program), NULL);
    kc_status status = f.said ? kci_flow_make(&f.on.flow, (const kc_program *)(void *)program) : KC_ENOMEM;
    if (!status)
        status = check_save(&f);
    if (!status)
        status = fuse_sequence(&f, f.on.flow.top);
    if (!status)
        status = leave_sequence(&f, f.on.flow.top);
    if (!status)
        found = answer(&f);
    if (found)
        kci_fail(context, KC_OK, "%s", ""); /* what was refused on the way is in the answer */
    fuser_free(&f);
    return found;
}
