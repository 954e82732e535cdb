/* walk_points.c: the walk's points: useful ones, distinct elements, by enumeration.
 *
 * Nothing here multiplies where it could count.  One shortcut keeps large kernels
 * walkable: where there are many points, a loop that takes part in nothing but
 * one plain axis is not enumerated but multiplies the count. */
#include <stdint.h>
#include <string.h>

#include "walker.h"

#define FEW_POINTS 262144.0     /* up to here every loop is enumerated */

/* The axis over virtual dims: what is useful, once. */
static const kci_axis *scope_of(const kci_walker *w, const kci_axis *axis) { return &w->graph->axes[axis->scope]; }

static const kci_axis *scope_at(const kci_walker *w, uint32_t id)
{
    return scope_of(w, &w->graph->axes[w->graph->axis_ids[id]]);
}

/* The number of a gather's point among all of its brackets' points. */
static double ordinal_of(const kci_walker *w, const kci_axis *axis, const int64_t *value)
{
    double sum = 0;
    for (uint32_t i = 0; i < axis->terms; i++) {
        int l = w->graph->terms[axis->term + i].loop;
        sum = sum * (double)w->size[l] + (double)value[l];
    }
    return sum;
}

/* ---- distinct points --------------------------------------------------- */

static kci_set limited_loops(const kci_walker *w, const kci_node *node)
{
    kci_set loops = 0;
    for (uint32_t r = 0; r < node->regions; r++) {
        const kci_region *region = &w->graph->regions[node->region + r];
        for (uint32_t i = 0; i < region->limits; i++)
            loops |= scope_of(w, &w->graph->axes[w->graph->limits[w->graph->limit_ids[region->limit + i]].axis])->loops;
    }
    return loops;
}

static bool plain(const kci_walker *w, const kci_axis *axis)
{
    if (axis->gather || axis->terms != 1 || axis->constant != 0)
        return false;
    const kci_loop_term *term = &w->graph->terms[axis->term];
    return term->coefficient == 1 && term->size_of < 0 && kci_walk_virtual(w, term->loop) < 0 &&
        kci_walk_axis_size(w, axis) == (double)w->size[term->loop];
}

static kci_set scope_dims(const kci_walker *w, const kci_node *node)
{
    kci_set dims = 0;
    for (uint32_t i = 0; i < node->axes; i++)
        dims |= scope_at(w, node->axis + i)->loops;
    return dims;
}

/* Bit i: axis i of the node is one plain loop that nothing else in it uses. */
static uint64_t free_axes(const kci_walker *w, const kci_node *node)
{
    uint64_t set = 0;
    kci_set limited = limited_loops(w, node);
    for (uint32_t i = 0; i < node->axes && i < 64; i++) {
        const kci_axis *axis = scope_at(w, node->axis + i);
        bool alone = plain(w, axis) && (axis->loops & limited) == 0;
        for (uint32_t k = 0; k < node->axes && alone; k++)
            if (k != i && (scope_at(w, node->axis + k)->loops & axis->loops))
                alone = false;
        if (alone)
            set |= (uint64_t)1 << i;
    }
    return set;
}

/* What stays to be enumerated for a node when the axes in `skip` multiply. */
static kci_set enumerated(const kci_walker *w, const kci_node *node, uint64_t skip, double *factor)
{
    kci_set loops = scope_dims(w, node);
    *factor = 1;
    for (uint32_t i = 0; i < node->axes && i < 64; i++)
        if (skip >> i & 1) {
            kci_set own = scope_at(w, node->axis + i)->loops;
            *factor *= kci_walk_points(w, own);
            loops &= ~own;
        }
    return loops;
}

/* Nodes whose points are counted together: twins, or the reads of one stream. */
static bool together(const kci_node *a, const kci_node *b)
{
    if (a->kind != b->kind || a->axes != b->axes)
        return false;
    return a->kind == KCI_READ ? a->tensor == b->tensor && a->scale == b->scale : a->twin == b->twin;
}

/* A set of nodes as one: the first of them, the axes that multiply, the extents of the others. */
typedef struct crowd {
    uint32_t first;
    bool alone;                     /* only that one */
    uint64_t skip;
    double factor, size[64];
} crowd;

static bool belongs(const kci_walker *w, const crowd *c, uint32_t n)
{
    return c->alone ? n == c->first : together(&w->graph->nodes[c->first], &w->graph->nodes[n]);
}

static crowd crowd_of(const kci_walker *w, uint32_t first, bool alone)
{
    crowd c = { .first = first, .alone = alone, .skip = ~(uint64_t)0 };
    double points = 0;
    for (uint32_t n = 0; n < w->nodes; n++) {
        const kci_node *node = &w->graph->nodes[n];
        if (!belongs(w, &c, n))
            continue;
        c.skip &= free_axes(w, node);
        points += kci_walk_points(w, enumerated(w, node, 0, &c.factor));
        for (uint32_t i = 0; i < node->axes && i < 64; i++) {
            double size = kci_walk_axis_size(w, scope_at(w, node->axis + i));
            c.size[i] = size > c.size[i] ? size : c.size[i];
        }
    }
    if (points <= FEW_POINTS)
        c.skip = 0;
    enumerated(w, &w->graph->nodes[first], c.skip, &c.factor);
    return c;
}

/* One bit for each element. */
typedef struct bitmap {
    unsigned char *bytes;
    size_t size;
} bitmap;

static bool bitmap_make(kci_walker *w, bitmap *map, double entries)
{
    map->bytes = NULL;
    if (entries > 8 * w->max_steps || entries / 8 > (double)(SIZE_MAX / 4)) {
        char shown[32];
        kci_format_number(entries, shown);
        kci_fail(w->context, KC_ELIMIT, "verify: marking %s elements is more than the %.0f steps it may take", shown, w->max_steps);
        return false;
    }
    map->size = (size_t)(entries / 8) + 1;
    map->bytes = kci_alloc(w->context, map->size);
    return map->bytes != NULL;
}

static void bitmap_free(const kci_walker *w, bitmap *map)
{
    if (map->bytes != NULL)
        kci_free(w->context, map->bytes, map->size);
}

static bool bitmap_has(const bitmap *map, double index) { return map->bytes[(size_t)index >> 3] >> ((size_t)index & 7) & 1; }

/* True where the element was not marked yet. */
static bool bitmap_mark(bitmap *map, double index)
{
    size_t at = (size_t)index;
    unsigned char bit = (unsigned char)(1u << (at & 7));
    bool fresh = (map->bytes[at >> 3] & bit) == 0;
    map->bytes[at >> 3] |= bit;
    return fresh;
}

static double elements_of(const crowd *c, const kci_node *node)
{
    double entries = 1;
    for (uint32_t i = 0; i < node->axes; i++)
        if (!(c->skip >> i & 1))
            entries *= c->size[i];
    return entries;
}

/* The positions of a read that data chooses. */
typedef struct gathers {
    uint32_t count, position[KCI_WALK_GATHERS];
    double points[KCI_WALK_GATHERS];    /* of its brackets */
    double rows[KCI_WALK_GATHERS];      /* that it can find, the last perhaps in part: expected ones */
    double all;                     /* points of all brackets */
} gathers;

static gathers gathers_of(const kci_walker *w, const kci_node *node)
{
    gathers g = { .count = 0, .all = 1 };
    for (uint32_t i = 0; i < node->axes && node->kind == KCI_READ; i++) {
        const kci_axis *axis = scope_at(w, node->axis + i);
        if (!axis->gather)
            continue;
        double size = kci_walk_axis_size(w, axis);
        g.position[g.count] = i;
        g.points[g.count] = kci_walk_points(w, axis->loops);
        g.rows[g.count] = node->distinct > 0 && node->distinct < size ? node->distinct : size;
        g.all *= g.points[g.count++];
    }
    return g;
}

/* The element that a point falls on, but for what data chooses; or -1 outside. */
static double element_of(const kci_walker *w, const kci_node *node, const crowd *c, const int64_t *value)
{
    double index = 0;
    for (uint32_t i = 0; i < node->axes; i++) {
        const kci_axis *axis = scope_at(w, node->axis + i);
        if ((c->skip >> i & 1) || axis->gather)
            continue;
        double size = kci_walk_axis_size(w, axis), v = kci_walk_value(w, axis, value);
        if (v < 0 || v >= size)
            return -1;
        index = index * c->size[i] + v;
    }
    return index;
}

/* Marks what live points of the node touch (gathers: their points among all of their
 * brackets' points come last); the number of fresh marks, or -1. */
static double mark(kci_walker *w, const kci_node *node, const crowd *c, kci_walk_limits limits, bitmap *map)
{
    double factor, fresh = 0;
    kci_set own = scope_dims(w, node);
    gathers g = gathers_of(w, node);
    kci_odometer points;
    int64_t value[KCI_MAX_LOOPS] = { 0 };
    kci_walk_dims(w, enumerated(w, node, c->skip, &factor), &points);
    if (!kci_walk_start(&points, value))
        return 0;
    do {
        w->steps += 1;
        if (kci_walk_goes_on(w) != KC_OK)
            return -1;
        double at = element_of(w, node, c, value);
        if (at < 0 || (limits != KCI_WALK_NONE && !kci_walk_point_live(w, node, own, limits == KCI_WALK_MASKS, value)))
            continue;
        for (uint32_t i = 0; i < g.count; i++)
            at = at * g.points[i] + ordinal_of(w, scope_at(w, node->axis + g.position[i]), value);
        if (bitmap_mark(map, at))
            fresh += 1;
    } while (kci_walk_next(&points, value));
    return fresh;
}

/* How many different points of its brackets each gather met, of those behind `from`. */
static void count_met(const gathers *g, const bitmap *met, double from, double found[KCI_WALK_GATHERS])
{
    double inner = 1;
    for (uint32_t i = g->count; i-- > 0; inner *= g->points[i]) {
        found[i] = 0;
        for (double p = 0; p < g->points[i]; p++) {
            bool any = false;
            for (double o = 0; o < g->all / g->points[i] && !any; o++) {
                double outer = (double)(int64_t)(o / inner);
                any = bitmap_has(met, from + (outer * g->points[i] + p) * inner + (o - outer * inner));
            }
            found[i] += any;
        }
        if (found[i] > g->rows[i])
            found[i] = g->rows[i];
    }
}

/* Marks rows of position i and of those behind it. */
static double mark_found(const kci_node *node, const crowd *c, const gathers *g, const double *found, double rest,
                         double at, uint32_t i, double of_it, double part, bitmap *map)
{
    double fresh = 0, inner = 1, others = 1;
    if (of_it < part)
        return 0;
    if (i == node->axes)
        return bitmap_mark(map, at);
    if (c->skip >> i & 1)
        return mark_found(node, c, g, found, rest, at, i + 1, of_it, part, map);
    uint32_t k = 0;
    while (k < g->count && g->position[k] != i)
        k++;
    for (uint32_t j = i + 1; j < node->axes; j++) {
        bool chosen = false;
        for (uint32_t q = 0; q < g->count; q++)
            chosen = chosen || g->position[q] == j;
        inner *= c->skip >> j & 1 || chosen ? 1 : c->size[j];
    }
    if (k == g->count) {
        others = (double)(int64_t)(rest / inner);
        return mark_found(node, c, g, found, rest - others * inner, at * c->size[i] + others, i + 1, of_it, part, map);
    }
    for (double row = 0; row < found[k]; row++) {
        double left = found[k] - row, part_of_it = left < 1 ? of_it * left : of_it;
        fresh += mark_found(node, c, g, found, rest, at * c->size[i] + row, i + 1, part_of_it, part, map);
    }
    return fresh;
}

/* Which rows the data chooses is unknown: new ones as long as there are any, the
 * last perhaps in part.  Marks those of which at least `part` is read. */
static double mark_rows(kci_walker *w, const kci_node *node, const crowd *c, double part, bitmap *map)
{
    gathers g = gathers_of(w, node);
    double others = elements_of(c, node), fresh = 0, found[KCI_WALK_GATHERS];
    bitmap met;
    for (uint32_t i = 0; i < g.count; i++)
        others /= c->size[g.position[i]];
    if (!bitmap_make(w, &met, g.all * others))
        return -1;
    bool done = mark(w, node, c, KCI_WALK_MASKS, &met) >= 0;
    for (double other = 0; other < others && done; other++) {
        w->steps += g.all;
        if (kci_walk_goes_on(w) != KC_OK) {
            done = false;
            break;
        }
        count_met(&g, &met, other * g.all, found);
        fresh += mark_found(node, c, &g, found, other, 0, 0, 1, part, map);
    }
    bitmap_free(w, &met);
    return done ? fresh : -1;
}

/* Elements of which live points touch at least `part`. */
static double count_marks(kci_walker *w, const crowd *c, kci_walk_limits limits, double part)
{
    double total = 0;
    bitmap map;
    if (!bitmap_make(w, &map, elements_of(c, &w->graph->nodes[c->first])))
        return -1;
    for (uint32_t n = 0; n < w->nodes && total >= 0; n++) {
        const kci_node *node = &w->graph->nodes[n];
        if (!belongs(w, c, n))
            continue;
        double fresh = gathers_of(w, node).count == 0 ? mark(w, node, c, limits, &map) : mark_rows(w, node, c, part, &map);
        total = fresh < 0 ? -1 : total + fresh;
    }
    bitmap_free(w, &map);
    return total < 0 ? -1 : total * c->factor;
}

/* Before all nodes are looked at for one.  False: the context's watch ended the walk. */
static bool goes_on(kci_walker *w)
{
    if (w->max_steps >= 0 && kci_spend(w->context, "verify", w->nodes) != KC_OK)
        w->max_steps = -1;
    return w->max_steps >= 0;
}

static bool leads(const kci_walker *w, uint32_t id)
{
    bool first = true;
    for (uint32_t n = 0; n < id && first; n++)
        first = !together(&w->graph->nodes[n], &w->graph->nodes[id]);
    return first;
}

/* The useful points of an op are distinct values of its axes within their sizes,
 * those of all its twins together: they are its first twin's. */
double kci_walk_useful(kci_walker *w, uint32_t id)
{
    if (!goes_on(w))
        return -1;
    if (!leads(w, id))
        return 0;
    crowd c = crowd_of(w, id, false);
    return count_marks(w, &c, KCI_WALK_ALL, 1);
}

double kci_walk_values(kci_walker *w, uint32_t id, kci_walk_limits limits)
{
    if (!goes_on(w))
        return -1;
    crowd c = crowd_of(w, id, true);
    return count_marks(w, &c, limits, 1);
}

/* Where rows are expected ones, an element is touched in part: from the least part
 * upwards, each adds what it has more than the one before. */
double kci_walk_touched(kci_walker *w, uint32_t read)
{
    if (!goes_on(w))
        return -1;
    if (!leads(w, read))
        return 0;
    crowd c = crowd_of(w, read, false);
    double total = 0;
    for (double before = 0; before < 1;) {
        double part = 1;
        for (uint32_t n = 0; n < w->nodes; n++) {
            gathers g = { .count = 0 };
            if (belongs(w, &c, n))
                g = gathers_of(w, &w->graph->nodes[n]);
            for (uint32_t some = 1; some < 1u << g.count; some++) { /* those whose row is one in part */
                double of_it = 1;
                for (uint32_t i = 0; i < g.count; i++)
                    if (some >> i & 1)
                        of_it *= g.rows[i] - (double)(int64_t)g.rows[i];
                if (of_it > before && of_it < part)
                    part = of_it;
            }
        }
        double marks = count_marks(w, &c, KCI_WALK_MASKS, part);
        if (marks < 0)
            return -1;
        total += marks * (part - before);
        before = part;
    }
    return total;
}

double kci_walk_point_steps(kci_walker *w)
{
    double steps = 0, factor;
    for (uint32_t n = 0; n < w->nodes && goes_on(w); n++) {
        const kci_node *node = &w->graph->nodes[n];
        if (node->kind == KCI_WRITE)
            continue;
        uint32_t first = n;
        for (uint32_t k = 0; k < n && first == n; k++)
            if (together(&w->graph->nodes[k], node))
                first = k;
        crowd c = crowd_of(w, first, false);
        steps += kci_walk_points(w, enumerated(w, node, c.skip, &factor));
    }
    return steps;
}
