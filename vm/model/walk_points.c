/* walk_points.c: the walk's points: useful ones, distinct elements, by enumeration.
 *
 * Nothing here multiplies where it could count.  One shortcut keeps large kernels
 * walkable: where there are many points, a loop that takes part in nothing but
 * one plain axis is not enumerated but multiplies the count. */
#include <stdint.h>
#include <string.h>

#include "walker.h"

#define FEW_POINTS 262144.0     /* up to here every loop is enumerated */

/* All combinations of the values of some dims: loops, or virtual dims, whose
 * values are listed (numbers from KCI_MAX_LOOPS - 1 down; kernel.h). */
typedef struct odometer {
    int count;
    int dim[KCI_MAX_LOOPS];
    int64_t lo[KCI_MAX_LOOPS], hi[KCI_MAX_LOOPS], now[KCI_MAX_LOOPS];
    const int64_t *list[KCI_MAX_LOOPS];
    bool none;                      /* a virtual dim without values: no combination */
} odometer;

static void put(const odometer *o, int i, int64_t *value)
{
    value[o->dim[i]] = o->list[i] != NULL ? o->list[i][o->now[i]] : o->now[i];
}

static bool start(odometer *o, int64_t *value)
{
    for (int i = 0; i < o->count && !o->none; i++) {
        o->now[i] = o->lo[i];
        put(o, i, value);
    }
    return !o->none;
}

static bool next(odometer *o, int64_t *value)
{
    for (int i = o->count - 1; i >= 0; i--) {
        bool more = o->now[i] < o->hi[i];
        o->now[i] = more ? o->now[i] + 1 : o->lo[i];
        put(o, i, value);
        if (more)
            return true;
    }
    return false;
}

static int virtual_of(const kci_walker *w, int dim)
{
    return dim < (int)w->graph->loop_count ? -1 : KCI_MAX_LOOPS - 1 - dim;
}

static void whole_dims(const kci_walker *w, kci_set dims, odometer *o)
{
    o->count = 0;
    o->none = false;
    for (int l = 0; l < KCI_MAX_LOOPS; l++) {
        if (!(dims & KCI_BIT(l)))
            continue;
        int v = virtual_of(w, l);
        o->dim[o->count] = l;
        o->list[o->count] = v < 0 ? NULL : w->values[v];
        o->lo[o->count] = 0;
        o->hi[o->count] = (v < 0 ? w->size[l] : w->value_count[v]) - 1;
        o->none = o->none || o->hi[o->count] < 0;
        o->count++;
    }
}

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

static double points_of(const kci_walker *w, kci_set dims)
{
    double points = 1;
    for (int l = 0; l < KCI_MAX_LOOPS; l++)
        if (dims & KCI_BIT(l))
            points *= (double)(virtual_of(w, l) < 0 ? w->size[l] : w->value_count[virtual_of(w, l)]);
    return points;
}

/* ---- limits ------------------------------------------------------------ */

/* Limits on one axis hold together, at one point: the first of them stands for all. */
static bool seen_before(const kci_walker *w, const kci_region *region, uint32_t i)
{
    const kci_limit *limit = kci_walk_limit(w, region, i);
    for (uint32_t k = 0; k < i; k++)
        if (kci_walk_limit(w, region, k)->axis == limit->axis && kci_walk_limit(w, region, k)->bound == limit->bound)
            return true;
    return false;
}

/* All limits on the axis of limit i hold at this point, or for some value of the
 * dims that the node lacks. */
static bool holds(kci_walker *w, const kci_region *region, uint32_t i, kci_set own, bool masks_only,
                  const int64_t *point)
{
    const kci_limit *limit = kci_walk_limit(w, region, i);
    const kci_axis *axis = scope_of(w, &w->graph->axes[limit->axis]);
    int64_t value[KCI_MAX_LOOPS];
    odometer lacking;
    memcpy(value, point, sizeof value);
    whole_dims(w, axis->loops & (~own | limit->bound), &lacking);
    if (!start(&lacking, value))
        return false;
    do {
        bool all = true;
        w->steps += 1;
        for (uint32_t k = i; k < region->limits && all; k++) {
            const kci_limit *other = kci_walk_limit(w, region, k);
            if (other->axis == limit->axis && other->bound == limit->bound && !(masks_only && other->kind != KCI_MASK))
                all = kci_walk_inside(w, other, axis, value);
        }
        if (all)
            return true;
    } while (next(&lacking, value));
    return false;
}

static bool point_live(kci_walker *w, const kci_node *node, kci_set own, bool masks_only,
                       const int64_t *value)
{
    if (node->regions == 0)
        return true;
    for (uint32_t r = 0; r < node->regions; r++) {
        const kci_region *region = &w->graph->regions[node->region + r];
        bool all = true;
        for (uint32_t i = 0; i < region->limits && all; i++)
            if (!seen_before(w, region, i))
                all = holds(w, region, i, own, masks_only, value);
        if (all)
            return true;
    }
    return false;
}

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

/* ---- distinct points --------------------------------------------------- */

static bool plain(const kci_walker *w, const kci_axis *axis)
{
    if (axis->gather || axis->terms != 1 || axis->constant != 0)
        return false;
    const kci_loop_term *term = &w->graph->terms[axis->term];
    return term->coefficient == 1 && term->size_of < 0 && virtual_of(w, term->loop) < 0 &&
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
            *factor *= points_of(w, own);
            loops &= ~own;
        }
    return loops;
}

static uint64_t skipped_axes(const kci_walker *w, const kci_node *node)
{
    double factor;
    uint64_t none = 0;
    return points_of(w, enumerated(w, node, none, &factor)) > FEW_POINTS ? free_axes(w, node) : none;
}

/* Marks elements by their positions along the axes that are not skipped. */
typedef struct bitmap {
    unsigned char *bytes;
    size_t size;
    double entries;
} bitmap;

static bool bitmap_make(kci_walker *w, bitmap *map, const kci_node *node, uint64_t skip)
{
    map->entries = 1;
    for (uint32_t i = 0; i < node->axes; i++)
        if (i >= 64 || !(skip >> i & 1))
            map->entries *= kci_walk_axis_size(w, scope_at(w, node->axis + i));
    if (map->entries > 8 * w->max_steps || map->entries / 8 > (double)(SIZE_MAX / 4)) {
        kci_fail(w->context, KC_ELIMIT, "verify: marking %g elements is more than the %g steps it may take",
                 map->entries, w->max_steps);
        return false;
    }
    map->size = (size_t)(map->entries / 8) + 1;
    map->bytes = kci_alloc(w->context, map->size);
    return map->bytes != NULL;
}

/* True where the element was not marked yet. */
static bool bitmap_mark(bitmap *map, double index)
{
    size_t at = (size_t)index;
    unsigned char bit = (unsigned char)(1u << (at & 7));
    bool fresh = (map->bytes[at >> 3] & bit) == 0;
    map->bytes[at >> 3] |= bit;
    return fresh;
}

/* The element that a point falls on, or -1 outside.  `cap`: rows of a gather. */
static double element_of(const kci_walker *w, const kci_node *node, uint64_t skip, double distinct,
                         const int64_t *value)
{
    double index = 0;
    for (uint32_t i = 0; i < node->axes; i++) {
        if (i < 64 && (skip >> i & 1))
            continue;
        const kci_axis *axis = scope_at(w, node->axis + i);
        double size = kci_walk_axis_size(w, axis), v;
        if (axis->gather) {
            /* Which rows the data chooses is unknown: new ones as long as there are any. */
            double rows = distinct > 0 && distinct < size ? distinct : size;
            v = ordinal_of(w, axis, value);
            v -= rows * (double)(int64_t)(v / rows);
        } else {
            v = kci_walk_value(w, axis, value);
        }
        if (v < 0 || v >= size)
            return -1;
        index = index * size + v;
    }
    return index;
}

static bool over_limit(kci_walker *w)
{
    if (w->steps <= w->max_steps)
        return false;
    kci_fail(w->context, KC_ELIMIT, "verify: more than %g steps", w->max_steps);
    return true;
}

/* Marks what live points of the node touch; the number of fresh marks, or -1. */
static double mark(kci_walker *w, const kci_node *node, uint64_t skip, bool masks_only, bitmap *map)
{
    double factor, fresh = 0;
    kci_set own = scope_dims(w, node);
    odometer points;
    int64_t value[KCI_MAX_LOOPS] = { 0 };
    whole_dims(w, enumerated(w, node, skip, &factor), &points);
    if (!start(&points, value))
        return 0;
    do {
        w->steps += 1;
        if (over_limit(w))
            return -1;
        if (!point_live(w, node, own, masks_only, value))
            continue;
        double at = element_of(w, node, skip, node->distinct, value);
        if (at >= 0 && bitmap_mark(map, at))
            fresh += 1;
    } while (next(&points, value));
    return fresh;
}

/* Lists the values of each virtual dim that lie within the fused-away tensor. */
kc_status kci_walk_virtuals(kci_walker *w)
{
    const kci_graph *graph = w->graph;
    w->values = kci_alloc(w->context, (graph->virtual_count + 1) * sizeof *w->values);
    w->value_count = kci_alloc(w->context, (graph->virtual_count + 1) * sizeof *w->value_count);
    if (w->values == NULL || w->value_count == NULL)
        return KC_ENOMEM;
    for (size_t v = 0; v < graph->virtual_count; v++) {
        const kci_axis *axis = &graph->axes[graph->virtuals[v].axis];
        double size = kci_walk_axis_size(w, axis);
        if (size > w->max_steps || points_of(w, axis->loops) > w->max_steps)
            return kci_fail(w->context, KC_ELIMIT, "verify: more than %g steps", w->max_steps);
        unsigned char *met = kci_alloc(w->context, (size_t)size + 1);
        w->values[v] = kci_alloc(w->context, ((size_t)size + 1) * sizeof **w->values);
        odometer points;
        int64_t value[KCI_MAX_LOOPS] = { 0 };
        whole_dims(w, axis->loops, &points);
        bool some = met != NULL && w->values[v] != NULL && start(&points, value);
        for (; some; some = next(&points, value)) {
            double at = kci_walk_value(w, axis, value);
            w->steps += 1;
            if (at >= 0 && at < size)
                met[(size_t)at] = 1;
        }
        for (size_t i = 0; met != NULL && w->values[v] != NULL && i < (size_t)size; i++)
            if (met[i])
                w->values[v][w->value_count[v]++] = (int64_t)i;
        if (met != NULL)
            kci_free(w->context, met, (size_t)size + 1);
        if (met == NULL || w->values[v] == NULL)
            return KC_ENOMEM;
    }
    return KC_OK;
}

/* The useful points of an op are distinct values of its axes within their sizes. */
double kci_walk_useful(kci_walker *w, uint32_t id, bool masks_only)
{
    const kci_node *node = &w->graph->nodes[id];
    uint64_t skip = skipped_axes(w, node);
    double factor;
    enumerated(w, node, skip, &factor);
    bitmap map;
    if (!bitmap_make(w, &map, node, skip))
        return -1;
    double fresh = mark(w, node, skip, masks_only, &map);
    kci_free(w->context, map.bytes, map.size);
    return fresh < 0 ? -1 : fresh * factor;
}

static uint64_t tensor_skip(const kci_walker *w, int32_t tensor)
{
    uint64_t skip = ~(uint64_t)0;
    double points = 0, factor;
    for (size_t n = 0; n < w->nodes; n++) {
        const kci_node *node = &w->graph->nodes[n];
        if (node->kind != KCI_READ || node->tensor != tensor)
            continue;
        skip &= free_axes(w, node);
        points += points_of(w, enumerated(w, node, 0, &factor));
    }
    return points > FEW_POINTS ? skip : 0;
}

double kci_walk_touched(kci_walker *w, int32_t tensor)
{
    uint64_t skip = tensor_skip(w, tensor);
    bitmap map = { NULL, 0, 0 };
    double total = 0, factor = 1;
    for (size_t n = 0; n < w->nodes; n++) {
        const kci_node *node = &w->graph->nodes[n];
        if (node->kind != KCI_READ || node->tensor != tensor)
            continue;
        enumerated(w, node, skip, &factor);
        if (map.bytes == NULL && !bitmap_make(w, &map, node, skip))
            return -1;
        double fresh = mark(w, node, skip, true, &map);
        if (fresh < 0) {
            total = -1;
            break;
        }
        total += fresh;
    }
    if (map.bytes != NULL)
        kci_free(w->context, map.bytes, map.size);
    return total < 0 ? -1 : total * factor;
}

double kci_walk_point_steps(kci_walker *w)
{
    double steps = 0, factor;
    for (size_t n = 0; n < w->nodes; n++) {
        const kci_node *node = &w->graph->nodes[n];
        if (node->kind == KCI_WRITE)
            continue;
        uint64_t skip = node->kind == KCI_READ ? tensor_skip(w, node->tensor) : skipped_axes(w, node);
        steps += points_of(w, enumerated(w, node, skip, &factor));
    }
    return steps;
}
