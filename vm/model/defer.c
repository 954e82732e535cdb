/* defer.c: online softmax: where every use is a linear reduction, the division moves behind it; design, section 3. */
#include <string.h>

#include "build.h"

typedef struct users {
    uint32_t *start, *list;     /* users of instance i: list[start[i] .. start[i + 1]) */
} users;

static void users_free(kci_builder *builder, users *u)
{
    kci_free(builder->context, u->start, (builder->instance_count + 2) * sizeof *u->start);
    kci_free(builder->context, u->list, builder->input_count * sizeof *u->list);
}

static bool users_make(kci_builder *builder, users *u)
{
    size_t count = builder->instance_count;
    u->start = kci_alloc(builder->context, (count + 2) * sizeof *u->start);
    u->list = kci_alloc(builder->context, builder->input_count * sizeof *u->list);
    if (!u->start || !u->list) {
        users_free(builder, u);
        return false;
    }
    for (size_t i = 0; i < builder->input_count; i++)
        u->start[builder->inputs[i] + 2]++;
    for (size_t i = 1; i < count + 2; i++)
        u->start[i] += u->start[i - 1];
    for (size_t i = 0; i < count; i++) {
        const kci_instance *instance = &builder->instances[i];
        for (uint32_t e = 0; e < instance->inputs; e++)
            u->list[u->start[builder->inputs[instance->input + e] + 1]++] = (uint32_t)i;
    }
    return true;
}

/* Loops of the dims `over`; 0 where one is not a plain loop. */
static kci_set over_loops(kci_builder *builder, const kci_instance *instance, const kc_value *value)
{
    kci_set loops = 0;
    for (size_t o = 0; o < value->over_count; o++) {
        int16_t dim;
        uint32_t axis = kci_dim_axis(builder, instance->environment, value->over[o], 0, &dim);
        if (axis == UINT32_MAX || !kci_axis_is_plain(builder->graph, axis))
            return 0;
        loops |= KCI_BIT(dim);
    }
    return loops;
}

typedef struct search {
    kci_builder *builder;
    const users *users;
    uint32_t softmax;
    kci_set over;
    bool *depends;              /* on the softmax, by instance */
    bool *scaled;               /* holds probabilities up to a factor */
} search;

static bool others_independent(const search *s, const kci_instance *user, uint32_t part)
{
    bool found = false;
    for (uint32_t e = 0; e < user->inputs; e++) {
        uint32_t input = s->builder->inputs[user->input + e];
        if (input == part && !found)
            found = true;
        else if (s->depends[input])
            return false;
    }
    return true;
}

/* Is this use of `part` linear?  *ends: it is the reduction that ends the way. */
static bool linear_use(const search *s, uint32_t part, uint32_t user_id, bool *ends)
{
    const kci_instance *user = &s->builder->instances[user_id];
    const kc_value *value = user->value;
    *ends = false;
    if (user->fused)
        return true;
    switch (value->op) {
    case KCI_V_LSE:
        *ends = true; /* rows only: it takes the statistics */
        return part == s->softmax;
    case KCI_V_CAST:
    case KCI_V_MASK:
        return true;
    case KCI_V_MAP:
        return value->linear && others_independent(s, user, part) &&
               (strcmp(value->label, "div") != 0 || s->builder->inputs[user->input] == part);
    case KCI_V_MATMUL:
        *ends = true;
        return others_independent(s, user, part) && over_loops(s->builder, user, value) == s->over &&
               !(value->into && s->builder->inputs[user->input + 2] == part) &&
               (user->divides == UINT32_MAX || user->divides == s->softmax);
    case KCI_V_REDUCE:
        *ends = true;
        return value->linear && over_loops(s->builder, user, value) == s->over &&
               (user->divides == UINT32_MAX || user->divides == s->softmax);
    default:
        return false;
    }
}

/* Decides for one softmax; `commit` marks the reductions that divide. */
static bool all_linear(search *s, bool commit)
{
    kci_builder *builder = s->builder;
    size_t count = builder->instance_count;
    memset(s->depends, 0, count * sizeof *s->depends);
    memset(s->scaled, 0, count * sizeof *s->scaled);
    s->depends[s->softmax] = s->scaled[s->softmax] = true;
    for (size_t i = s->softmax + 1; i < count; i++)
        for (uint32_t e = 0; e < builder->instances[i].inputs && !s->depends[i]; e++)
            s->depends[i] = s->depends[builder->inputs[builder->instances[i].input + e]];
    bool reduced = false;
    for (uint32_t i = s->softmax; i < count; i++) {
        if (!s->scaled[i])
            continue;
        if (builder->instances[i].root)
            return false; /* the probabilities themselves are written */
        for (uint32_t u = s->users->start[i]; u < s->users->start[i + 1]; u++) {
            uint32_t user = s->users->list[u];
            bool ends;
            if (!linear_use(s, i, user, &ends))
                return false;
            if (!ends)
                s->scaled[user] = true;
            else if (builder->instances[user].value->op != KCI_V_LSE) {
                reduced = true;
                if (commit)
                    builder->instances[user].divides = s->softmax;
            }
        }
    }
    return reduced;
}

bool kci_is_online(const kci_builder *builder, const kci_instance *instance)
{
    return !instance->fused && instance->value->op == KCI_V_SOFTMAX && (builder->online || instance->value->online);
}

kc_status kci_defer(kci_builder *builder)
{
    size_t count = builder->instance_count;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const kci_instance *instance = &builder->instances[i];
        any = any || kci_is_online(builder, instance);
    }
    if (!any)
        return KC_OK;
    users u = { NULL, NULL };
    search s = { .builder = builder, .users = &u };
    s.depends = kci_alloc(builder->context, count * sizeof *s.depends);
    s.scaled = kci_alloc(builder->context, count * sizeof *s.scaled);
    bool ok = s.depends && s.scaled && users_make(builder, &u);
    for (size_t i = 0; ok && i < count; i++) {
        kci_instance *instance = &builder->instances[i];
        if (!kci_is_online(builder, instance))
            continue;
        s.softmax = (uint32_t)i;
        s.over = over_loops(builder, instance, instance->value);
        if (s.over != 0 && all_linear(&s, false)) {
            instance->deferred = true;
            all_linear(&s, true);
        }
    }
    if (ok)
        users_free(builder, &u);
    kci_free(builder->context, s.depends, count * sizeof *s.depends);
    kci_free(builder->context, s.scaled, count * sizeof *s.scaled);
    return ok ? KC_OK : KC_ENOMEM;
}
