/* walk_spill.c: accumulators of the walk: which values are written, where their tiles stand, what spills and splits.
 *
 * Design page, section 3, "Spilled accumulators" and "Reductions over the grid".
 * A visit is a run of iterations on one tile; a tile that is visited again was
 * left unfinished: it went out and came back. */
#include <math.h>

#include "walker.h"

static const kci_node *node_at(const kci_walker *w, uint32_t i) { return &w->graph->nodes[i]; }

static const kci_axis *axis_at(const kci_walker *w, uint32_t id) { return &w->graph->axes[w->graph->axis_ids[id]]; }

static kci_set value_loops(const kci_walker *w, const kci_node *node)
{
    kci_set loops = 0;
    for (uint32_t i = 0; i < node->outs; i++)
        loops |= axis_at(w, node->out + i)->loops;
    return loops;
}

/* ---- which values are accumulators that are written ---------------------------- */

/* Follows the value of `from` through ops that keep its dims: the write it
 * reaches, or -1.  *join: the last KCI_INTO that adds onto the accumulator as it
 * is; behind another op it would be a second one. */
static int32_t reaches(const kci_walker *w, uint32_t from, kci_set dims, int32_t *join)
{
    for (uint32_t u = from + 1; u < w->nodes; u++) {
        const kci_node *node = node_at(w, u);
        for (uint32_t e = 0; e < node->edges; e++) {
            const kci_edge *edge = &w->graph->edge_list[node->edge + e];
            if (edge->node != from || edge->running)
                continue;
            if (node->kind == KCI_WRITE)
                return (int32_t)u;
            if ((node->flags & (KCI_ELEMENTWISE | KCI_INTO)) == 0 || value_loops(w, node) != dims)
                continue;
            int32_t further = -1, found = reaches(w, u, dims, &further);
            if (found < 0)
                continue;
            *join = (node->flags & KCI_INTO) == 0 ? -1 : further >= 0 ? further : (int32_t)u;
            return found;
        }
    }
    return -1;
}

static kc_status too_early(kci_walker *w, uint32_t q)
{
    return kci_fail(w->context, KC_EARGUMENT, "tile: '%s' is reduced over the grid and needed before it is combined",
                    node_at(w, q)->label);
}

static kc_status find_accumulators(kci_walker *w)
{
    size_t n = w->nodes;
    int32_t *joins = kci_alloc(w->context, (n + 1) * sizeof *joins);
    w->accumulators = kci_alloc(w->context, (n + 1) * sizeof *w->accumulators);
    if (joins == NULL || w->accumulators == NULL) {
        kci_free(w->context, joins, (n + 1) * sizeof *joins);
        return KC_ENOMEM;
    }
    for (uint32_t q = 0; q < n; q++)
        w->accumulator[q] = -1;
    for (uint32_t q = 0; q < n; q++) {
        const kci_node *node = node_at(w, q);
        if (!kci_walk_reduces(node) || (node->flags & KCI_STATISTIC) || !w->in_main[q])
            continue;
        int32_t join = -1, write = reaches(w, q, value_loops(w, node), &join);
        if (write < 0)
            continue;
        uint32_t a = w->accumulator_count;
        for (uint32_t b = 0; b < w->accumulator_count && join >= 0; b++)
            if (joins[b] == join)
                a = b;
        kci_walk_accumulator *acc = &w->accumulators[a];
        if (a == w->accumulator_count) {
            w->accumulator_count++;
            joins[a] = join;
            acc->node = q;
            acc->tensor = node_at(w, (uint32_t)write)->tensor;
            acc->held = kci_walk_held(w, (uint32_t)write);
            acc->index = value_loops(w, node) & (node->loops | w->grid);
        } else if (kci_format_wider(node_at(w, acc->node)->accumulator, node->accumulator) !=
                   node_at(w, acc->node)->accumulator) {
            acc->node = q; /* of joined ones the wider holds the sum */
        }
        acc->reduced |= node->reduced & ~acc->index;
        w->accumulator[q] = (int32_t)a;
    }
    kci_free(w->context, joins, (n + 1) * sizeof *joins);
    return KC_OK;
}

/* What is reduced over the grid must be a written value, and nothing else may need it. */
static kc_status check_partials(kci_walker *w)
{
    for (uint32_t q = 0; q < w->nodes; q++) {
        const kci_node *node = node_at(w, q);
        if (!kci_walk_partial(w, q) || !w->in_main[q])
            continue;
        bool statistic = (node->flags & KCI_STATISTIC) && node->deferred_to >= 0;
        if (!statistic && w->accumulator[q] < 0)
            return too_early(w, q);
        for (uint32_t u = q + 1; u < w->nodes; u++) {
            const kci_node *user = node_at(w, u);
            if (!w->needs[(size_t)u * w->nodes + q] || user->kind == KCI_WRITE)
                continue;
            if ((user->flags & (KCI_ELEMENTWISE | KCI_INTO)) == 0 ||
                (user->loops & node->reduced & (w->grid | w->split)) != 0)
                return too_early(w, q);
            if (w->tiling->atomic && (user->flops != 0 || user->special != 0))
                return kci_fail(w->context, KC_EARGUMENT, "tile: nothing can run behind '%s', which is combined in place",
                                node->label);
        }
    }
    /* The kernel that combines has partials and reads, and no other reduction. */
    for (uint32_t u = 0; u < w->nodes; u++)
        if (w->exec[(size_t)w->passes * w->nodes + u] && kci_walk_reduces(node_at(w, u)))
            return too_early(w, u);
    return KC_OK;
}

kc_status kci_walk_accumulators(kci_walker *w)
{
    kc_status status = find_accumulators(w);
    return status == KC_OK ? check_partials(w) : status;
}

/* ---- where their tiles stand ---------------------------------------------------- */

size_t kci_walk_key(const kci_walker *w, kci_set loops, kci_set around)
{
    size_t key = 0;
    for (int l = 0; l < (int)w->graph->loop_count; l++)
        if (loops & KCI_BIT(l))
            key = key * (size_t)w->trips[l] + (size_t)((w->grid | around) & KCI_BIT(l) ? w->at[l] : 0);
    return key;
}

size_t kci_walk_keys(const kci_walker *w, kci_set loops)
{
    size_t keys = 1;
    for (int l = 0; l < (int)w->graph->loop_count; l++)
        if (loops & KCI_BIT(l))
            keys *= (size_t)w->trips[l];
    return keys;
}

kc_status kci_walk_tables(kci_walker *w)
{
    for (uint32_t i = 0; i < w->accumulator_count; i++) {
        kci_walk_accumulator *acc = &w->accumulators[i];
        acc->partials = (double)kci_walk_keys(w, w->grid & acc->reduced);
        for (int l = 0; l < (int)w->graph->loop_count; l++)
            if (w->split & acc->reduced & KCI_BIT(l))
                acc->partials *= (double)w->share[l];
        if ((w->looped & acc->reduced) == 0 || (w->looped & acc->index) == 0)
            continue;   /* one tile, or one visit: nothing is left unfinished */
        kci_set foreign = w->looped & ~acc->index & ~acc->reduced;
        acc->tiles = kci_walk_keys(w, w->looped & acc->index);
        acc->foreign = kci_walk_keys(w, foreign);
        acc->visits = kci_walk_keys(w, w->looped & acc->reduced);
        acc->parts = (size_t)acc->partials * kci_walk_keys(w, w->grid & acc->index);
        double bytes = (double)acc->parts * (double)acc->tiles * (double)acc->visits;
        if (bytes > 4 * w->max_steps)
            return kci_fail(w->context, KC_ELIMIT, "verify: more than %.0f steps", w->max_steps);
        acc->last_size = acc->foreign * sizeof *acc->last;
        acc->visit_size = acc->foreign * acc->tiles * sizeof *acc->visit;
        acc->live_size = acc->parts * acc->tiles * acc->visits;
        acc->last = kci_alloc(w->context, acc->last_size);
        acc->visit = kci_alloc(w->context, acc->visit_size);
        acc->live = kci_alloc(w->context, acc->live_size);
        if (acc->last == NULL || acc->visit == NULL || acc->live == NULL)
            return KC_ENOMEM;
    }
    return KC_OK;
}

static size_t part_key(const kci_walker *w, const kci_walk_accumulator *acc)
{
    size_t key = kci_walk_key(w, w->grid & (acc->index | acc->reduced), 0);
    for (int l = 0; l < (int)w->graph->loop_count; l++)
        if (w->split & acc->reduced & KCI_BIT(l))
            key = key * (size_t)w->share[l] + (size_t)w->part[l];
    return key;
}

/* The accumulator's tile that this iteration works on: another one than before is
 * another visit; the visit counts once it is live. */
void kci_walk_visit(kci_walker *w, kci_walk_accumulator *acc, kci_set around, bool live)
{
    if (acc->live == NULL)
        return;
    size_t tile = kci_walk_key(w, w->looped & acc->index, around);
    size_t foreign = kci_walk_key(w, w->looped & ~acc->index & ~acc->reduced, around);
    int64_t *count = &acc->visit[foreign * acc->tiles + tile];
    if (acc->last[foreign] != (int64_t)tile + 1)
        *count += 1;
    acc->last[foreign] = (int64_t)tile + 1;
    if (live)
        acc->live[(part_key(w, acc) * acc->tiles + tile) * acc->visits + (size_t)(*count - 1)] = 1;
}

/* ---- what they moved -------------------------------------------------------------- */

static double extent(const kci_walker *w, const kci_axis *axis, kci_set around)
{
    double lo, hi, size = kci_walk_axis_size(w, axis);
    kci_walk_interval(w, axis, around, &lo, &hi);
    if (lo < 0)
        lo = 0;
    if (hi > size - 1)
        hi = size - 1;
    return hi < lo ? 0 : hi - lo + 1;
}

static double value_elements(const kci_walker *w, const kci_node *node, kci_set around)
{
    double elements = 1;
    for (uint32_t i = 0; i < node->outs; i++)
        elements *= extent(w, axis_at(w, node->out + i), around);
    return elements;
}

static double format_bytes(kci_format format) { return kci_format_bits(format) / 8; }

/* Loops that tell apart the tiles and parts of an accumulator. */
static kci_set part_loops(const kci_walker *w, const kci_walk_accumulator *acc)
{
    return (w->grid & (acc->index | acc->reduced)) | (w->looped & acc->index);
}

/* Puts the walk where part and tile say. */
static void stand_at(kci_walker *w, const kci_walk_accumulator *acc, size_t part, size_t tile)
{
    for (int l = (int)w->graph->loop_count - 1; l >= 0; l--)
        if (w->split & acc->reduced & KCI_BIT(l)) {
            w->part[l] = (int64_t)(part % (size_t)w->share[l]);
            part /= (size_t)w->share[l];
        }
    for (int l = (int)w->graph->loop_count - 1; l >= 0; l--) {
        if (w->grid & (acc->index | acc->reduced) & KCI_BIT(l)) {
            w->at[l] = (int64_t)(part % (size_t)w->trips[l]);
            part /= (size_t)w->trips[l];
        }
        if (w->looped & acc->index & KCI_BIT(l)) {
            w->at[l] = (int64_t)(tile % (size_t)w->trips[l]);
            tile /= (size_t)w->trips[l];
        }
    }
}

/* How often each element of `node` (the accumulator itself, or a statistic that
 * follows it) comes back; elements that several tiles share go as often as the
 * one that goes most. */
static kc_status spilled_elements(kci_walker *w, const kci_walk_accumulator *acc, const kci_node *node,
                                  double *elements)
{
    kci_set mine = 0;
    for (uint32_t i = 0; i < node->outs; i++)
        mine |= axis_at(w, node->out + i)->loops;
    kci_set told = part_loops(w, acc) & (mine | acc->reduced);
    size_t keys = kci_walk_keys(w, told), shares = 1;
    for (int l = 0; l < (int)w->graph->loop_count; l++)
        if (w->split & acc->reduced & KCI_BIT(l))
            shares *= (size_t)w->share[l];
    double *most = kci_alloc(w->context, keys * shares * sizeof *most);
    if (most == NULL)
        return KC_ENOMEM;
    for (size_t part = 0; part < acc->parts; part++)
        for (size_t tile = 0; tile < acc->tiles; tile++) {
            const unsigned char *live = &acc->live[(part * acc->tiles + tile) * acc->visits];
            double x = 0;
            for (size_t v = 0; v < acc->visits; v++)
                x += live[v];
            if (x < 2)
                continue;
            stand_at(w, acc, part, tile);
            size_t key = kci_walk_key(w, told, w->looped) * shares + part % shares;
            if (x - 1 > most[key]) {
                *elements += (x - 1 - most[key]) * value_elements(w, node, w->looped & acc->index);
                most[key] = x - 1;
            }
        }
    kci_free(w->context, most, keys * shares * sizeof *most);
    return KC_OK;
}

static double all_elements(kci_walker *w, const kci_node *node)
{
    w->whole = true;
    double elements = value_elements(w, node, 0);
    w->whole = false;
    return elements;
}

static void move(kci_row *row, double written, double read, bool split)
{
    row->written += written;
    row->read += read;
    *(split ? &row->split : &row->spill) += written + read;
}

/* Whether an accumulator before this one adds onto the same tensor, which was filled for it. */
static bool filled(const kci_walker *w, const kci_walk_accumulator *acc, int32_t tensor)
{
    bool before = false;
    for (const kci_walk_accumulator *a = w->accumulators; a < acc; a++)
        before = before || (a->tensor == tensor && acc->tensor == tensor && a->partials > 1);
    return before;
}

/* Spills and partials of an accumulator, or of a statistic that goes with it. */
static kc_status move_value(kci_walker *w, const kci_walk_accumulator *acc, const kci_node *node, int32_t tensor)
{
    kci_row *row = &w->out->rows[tensor];
    double bytes = node->flags & KCI_STATISTIC ? w->graph->tensors[tensor].bytes : format_bytes(node->accumulator);
    if (acc->live != NULL && !acc->held) {
        double elements = 0;
        if (spilled_elements(w, acc, node, &elements) != KC_OK)
            return KC_ENOMEM;
        move(row, elements * bytes, elements * bytes, false);
    }
    if (acc->partials > 1) {
        double one = all_elements(w, node) * bytes;
        bool atomic = w->tiling->atomic;
        double fill = atomic && !filled(w, acc, tensor) ? fmax(one, kci_walk_written(w, tensor)) : 0; /* zeros, all over */
        move(row, one * acc->partials + fill, one * acc->partials, true);
        if (!atomic)
            w->out->launches = 2;
    }
    return KC_OK;
}

kc_status kci_walk_moves(kci_walker *w)
{
    for (uint32_t i = 0; i < w->accumulator_count; i++) {
        const kci_walk_accumulator *acc = &w->accumulators[i];
        kc_status status = move_value(w, acc, node_at(w, acc->node), acc->tensor);
        for (uint32_t s = 0; s < w->nodes && status == KC_OK; s++) {
            const kci_node *node = node_at(w, s);
            if ((node->flags & KCI_STATISTIC) && node->statistics_of >= 0 && node->deferred_to >= 0 &&
                w->in_main[s] && w->accumulator[node->deferred_to] == (int32_t)i)
                status = move_value(w, acc, node, node->statistics_of);
        }
        if (status != KC_OK)
            return status;
    }
    return KC_OK;
}
