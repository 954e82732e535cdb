/* walk_joint.c: whether a point is live: the limits of some alternative hold together, for some value of what it lacks.
 *
 * A loop that the node lacks may take any value, one for all limits that speak of
 * it; a loop that a limit binds is another one than the node's of that name, one
 * for all limits that bind it.  Limits that share no such loop are tried apart. */
#include "walker.h"

typedef struct search {
    const kci_region *region;
    kci_set own;
    bool masks_only;
    const int64_t *point;
    int64_t lacking[KCI_MAX_LOOPS], bound[KCI_MAX_LOOPS];   /* values tried */
    kci_set lacking_set, bound_set; /* that have one */
    uint64_t done;                  /* limits whose group was found to hold */
    uint64_t group;                 /* limits that are tried together */
    kci_set group_lacking, group_bound;
} search;

static const kci_axis *axis_of(const kci_walker *w, const kci_limit *limit)
{
    return &w->graph->axes[w->graph->axes[limit->axis].scope];
}

static kci_set lacks(const kci_walker *w, const search *s, const kci_limit *limit)
{
    return axis_of(w, limit)->loops & ~s->own & ~limit->bound;
}

static kci_set binds(const kci_walker *w, const kci_limit *limit) { return axis_of(w, limit)->loops & limit->bound; }

/* The limits of the group whose loops all have values hold there. */
static bool hold_so_far(kci_walker *w, const search *s)
{
    for (uint32_t i = 0; i < s->region->limits; i++) {
        const kci_limit *limit = kci_walk_limit(w, s->region, i);
        kci_set bound = binds(w, limit), lacking = lacks(w, s, limit);
        if (!(s->group >> i & 1) || (lacking & ~s->lacking_set) || (bound & ~s->bound_set))
            continue;
        int64_t value[KCI_MAX_LOOPS];
        const kci_axis *axis = axis_of(w, limit);
        for (KCI_EACH(l, axis->loops))
            value[l] = bound & KCI_BIT(l) ? s->bound[l] : lacking & KCI_BIT(l) ? s->lacking[l] : s->point[l];
        if (!kci_walk_inside(w, limit, axis, value))
            return false;
    }
    return true;
}

static int64_t values_of(const kci_walker *w, unsigned dim)
{
    return dim < w->graph->loop_count ? w->size[dim] : w->value_count[KCI_MAX_LOOPS - 1 - dim];
}

/* Gives a value to one more loop of the group. */
static bool try_values(kci_walker *w, search *s)
{
    w->steps += 1;
    if (!hold_so_far(w, s))
        return false;
    kci_set lacking = s->group_lacking & ~s->lacking_set, bound = s->group_bound & ~s->bound_set;
    if (lacking == 0 && bound == 0)
        return true;
    unsigned l = kci_first(lacking != 0 ? lacking : bound);
    int64_t *value = lacking != 0 ? &s->lacking[l] : &s->bound[l];
    kci_set *set = lacking != 0 ? &s->lacking_set : &s->bound_set;
    bool found = false;
    *set |= KCI_BIT(l);
    for (int64_t i = 0; i < values_of(w, l) && !found && w->steps <= w->max_steps; i++) {
        *value = l < w->graph->loop_count ? i : w->values[KCI_MAX_LOOPS - 1 - l][i];
        found = try_values(w, s);
    }
    *set &= ~KCI_BIT(l);
    return found;
}

/* The limits that share loops with limit i, directly or through others. */
static void find_group(const kci_walker *w, search *s, uint32_t i)
{
    s->group = 0;
    s->group_lacking = lacks(w, s, kci_walk_limit(w, s->region, i));
    s->group_bound = binds(w, kci_walk_limit(w, s->region, i));
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 0; k < s->region->limits; k++) {
            const kci_limit *limit = kci_walk_limit(w, s->region, k);
            bool met = k == i || (lacks(w, s, limit) & s->group_lacking) || (binds(w, limit) & s->group_bound);
            if ((s->group >> k & 1) || !met || (s->masks_only && limit->kind != KCI_MASK))
                continue;
            s->group |= (uint64_t)1 << k;
            s->group_lacking |= lacks(w, s, limit);
            s->group_bound |= binds(w, limit);
            more = true;
        }
    }
}

bool kci_walk_point_live(kci_walker *w, const kci_node *node, kci_set own, bool masks_only, const int64_t *point)
{
    if (node->regions == 0)
        return true;
    for (uint32_t r = 0; r < node->regions; r++) {
        search s = { .region = &w->graph->regions[node->region + r], .own = own, .masks_only = masks_only, .point = point };
        bool all = true;
        for (uint32_t i = 0; i < s.region->limits && all; i++) {
            if ((s.done >> i & 1) || (masks_only && kci_walk_limit(w, s.region, i)->kind != KCI_MASK))
                continue;
            find_group(w, &s, i);
            all = try_values(w, &s);
            s.done |= s.group;
        }
        if (all)
            return true;
    }
    return false;
}
