/* walk_live.c: tiles: what of a loop a job sees, which box that is, whether a live point is in it. */
#include "walker.h"

#define TABLE_MOST 4194304.0    /* entries of a table of live tiles */

double kci_walk_coefficient(const kci_walker *w, const kci_loop_term *term)
{
    return term->size_of >= 0 ? term->coefficient * (double)w->size[term->size_of] : term->coefficient;
}

double kci_walk_axis_size(const kci_walker *w, const kci_axis *axis)
{
    return kci_axis_size(w->graph, axis, w->real_size);
}

double kci_walk_value(const kci_walker *w, const kci_axis *axis, const int64_t *value)
{
    double sum = axis->constant;
    for (uint32_t i = 0; i < axis->terms; i++) {
        const kci_loop_term *term = &w->graph->terms[axis->term + i];
        sum += kci_walk_coefficient(w, term) * (double)value[term->loop];
    }
    return sum;
}

void kci_walk_range(const kci_walker *w, int loop, kci_set around, int64_t *lo, int64_t *hi)
{
    kci_set bit = KCI_BIT(loop);
    if (!w->whole && ((w->grid | around) & bit) != 0) {
        *lo = w->at[loop] * w->tile[loop];
        *hi = *lo + w->tile[loop] - 1;
    } else {
        int64_t from = 0, to = w->trips[loop];
        if (!w->whole)
            kci_walk_trips(w, loop, &from, &to);
        *lo = from * w->tile[loop];
        *hi = to * w->tile[loop] - 1;
    }
    if (*hi > w->size[loop] - 1)
        *hi = w->size[loop] - 1;
}

void kci_walk_trips(const kci_walker *w, int loop, int64_t *from, int64_t *to)
{
    int64_t n = w->trips[loop], shares = w->share[loop], part = w->part[loop];
    int64_t each = n / shares, more = n % shares;
    *from = part * each + (part < more ? part : more);
    *to = *from + each + (part < more ? 1 : 0);
}

void kci_walk_interval(const kci_walker *w, const kci_axis *axis, kci_set around, double *lo, double *hi)
{
    double rows = 1;
    *lo = *hi = axis->constant;
    for (uint32_t i = 0; i < axis->terms; i++) {
        const kci_loop_term *term = &w->graph->terms[axis->term + i];
        double c = kci_walk_coefficient(w, term);
        int64_t first, last;
        kci_walk_range(w, term->loop, around, &first, &last);
        *lo += c * (double)(c < 0 ? last : first);
        *hi += c * (double)(c < 0 ? first : last);
        rows *= (double)(last - first + 1);
    }
    if (axis->gather) {
        double size = kci_walk_axis_size(w, axis);
        *lo = 0;
        *hi = (rows < size ? rows : size) - 1;
    }
}

/* A causal mask's bound is size(k) - size(q): it moves with them, as the last
 * position of a tensor does. */
static double upper(const kci_walker *w, const kci_limit *limit)
{
    double hi = limit->hi;
    const kci_axis *axis = &w->graph->axes[limit->axis];
    if (limit->kind == KCI_PADDING)
        return kci_walk_axis_size(w, &w->graph->axes[axis->scope]) - 1;
    if (limit->hi_follows) {
        for (uint32_t i = 0; i < axis->terms; i++) {
            const kci_loop_term *term = &w->graph->terms[axis->term + i];
            double grown = (double)w->size[term->loop] - w->graph->loops[term->loop].size;
            hi += term->coefficient < 0 ? -grown : grown;
        }
    }
    return hi;
}

bool kci_walk_inside(const kci_walker *w, const kci_limit *limit, const kci_axis *axis, const int64_t *value)
{
    double v = kci_walk_value(w, axis, value);
    return limit->lo <= v && v <= upper(w, limit);
}

const kci_limit *kci_walk_limit(const kci_walker *w, const kci_region *region, uint32_t i)
{
    return &w->graph->limits[w->graph->limit_ids[region->limit + i]];
}

static const kci_limit *limit_at(const kci_walker *w, const kci_region *region, uint32_t i)
{
    return &w->uses.limits[w->uses.limit_ids[region->limit + i]];
}

/* A tile as the limits on one set of loops see it. */
typedef struct box {
    const kci_region *region;
    uint32_t limit;                 /* the first of them in the region */
    int dims, dim[KCI_MAX_LOOPS];
    int64_t lo[KCI_MAX_LOOPS], hi[KCI_MAX_LOOPS], value[KCI_MAX_LOOPS];
} box;

/* Masks on one pair of dims, whichever of them comes first, leave its live points together. */
static bool together(const kci_walker *w, const kci_limit *a, const kci_limit *b)
{
    return a->kind == KCI_MASK && b->kind == KCI_MASK && a->bound == b->bound &&
        w->graph->axes[a->axis].loops == w->graph->axes[b->axis].loops;
}

/* Whether some point of the box is inside all of them: one dim after another. */
static bool some_point(kci_walker *w, box *b, int from)
{
    if (from == b->dims) {
        const kci_limit *limit = limit_at(w, b->region, b->limit);
        w->steps += 1;
        for (uint32_t k = b->limit; k < b->region->limits; k++) {
            const kci_limit *other = limit_at(w, b->region, k);
            if (together(w, limit, other) && !kci_walk_inside(w, other, &w->graph->axes[other->axis], b->value))
                return false;
        }
        return true;
    }
    for (int64_t i = b->lo[from]; i <= b->hi[from]; i++) {
        b->value[b->dim[from]] = i;
        if (some_point(w, b, from + 1))
            return true;
    }
    return false;
}

/* Whether some point of the tile is inside; looked up once computed. */
static bool tile_live(kci_walker *w, const kci_region *region, uint32_t i, kci_set around)
{
    const kci_limit *limit = limit_at(w, region, i);
    kci_set loops = w->graph->axes[limit->axis].loops;
    /* A loop that the limit binds is another one than the node's of that name. */
    kci_set seen = ~limit->bound;
    uint32_t id = region->limit + i;
    size_t key = 0;
    double entries = 1;
    box b = { .region = region, .limit = i };
    for (int l = 0; l < (int)w->graph->loop_count; l++) {
        if (!(loops & KCI_BIT(l)))
            continue;
        bool here = !w->whole && ((w->grid | around) & seen & KCI_BIT(l)) != 0;
        b.dim[b.dims] = l;
        b.lo[b.dims] = 0;
        b.hi[b.dims] = w->size[l] - 1;
        if (seen & KCI_BIT(l))
            kci_walk_range(w, l, around, &b.lo[b.dims], &b.hi[b.dims]);
        b.dims++;
        /* a tile, a share, or the whole loop */
        int64_t views = w->trips[l] + w->share[l] + 1, view = views - 1;
        if (here)
            view = w->at[l];
        else if ((seen & KCI_BIT(l)) && !w->whole)
            view = w->trips[l] + w->part[l];
        entries *= (double)views;
        if (entries <= TABLE_MOST)
            key = key * (size_t)views + (size_t)view;
    }
    unsigned char *known = NULL;
    if (entries <= TABLE_MOST) {
        if (w->table[id] == NULL) {
            w->table[id] = kci_alloc(w->context, (size_t)entries);
            w->table_size[id] = w->table[id] == NULL ? 0 : (size_t)entries;
        }
        if (w->table[id] != NULL)
            known = &w->table[id][key];
    }
    if (known != NULL && *known != 0)
        return *known == 2;
    bool live = some_point(w, &b, 0);
    if (known != NULL)
        *known = live ? 2 : 1;
    return live;
}

bool kci_walk_live(kci_walker *w, uint32_t id, uint32_t pass, kci_set around)
{
    const kci_node *node = &w->uses.nodes[w->stands[(size_t)pass * w->nodes + id]];
    if (node->regions == 0)
        return true;
    for (uint32_t r = 0; r < node->regions; r++) {
        const kci_region *region = &w->uses.regions[node->region + r];
        bool all = true;
        for (uint32_t i = 0; i < region->limits && all; i++) {
            bool first = limit_at(w, region, i)->kind == KCI_MASK;
            for (uint32_t k = 0; k < i && first; k++)
                first = !together(w, limit_at(w, region, k), limit_at(w, region, i));
            if (first)
                all = tile_live(w, region, i, around);
        }
        if (all)
            return true;
    }
    return false;
}
