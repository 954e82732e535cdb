/* live.c: sums over the iterations of some loops, only those that are live, of tile extents.
 *
 * Loops that no limit and no index ties together factorise.  Within a tied group
 * all loops but the longest are walked; along the longest, limits give a range
 * and extents a clipped series, in closed form.  A single band of two dims needs
 * no walk at all.  Alternatives (live for this use or for that) go by inclusion
 * and exclusion. */
#include <math.h>
#include <string.h>

#include "plan.h"

enum { MOST_CONDITIONS = 128, MOST_WEIGHTS = 2 * KCI_MAX_LOOPS };
static const double most_walked = 268435456.0; /* 2^28 */

/* lo <= constant + sum of coefficient * value of loop <= hi, for some point of a tile. */
typedef struct condition {
    uint32_t axis;
    double coefficient[KCI_MAX_LOOPS];
    kci_set loops;              /* walked ones */
    double least, most;         /* of the rest, constant included */
    double lo, hi;
    kci_set bound;              /* loops that it does not fix: of two limits these differ */
} condition;

typedef struct weight {
    const kci_axis *axis;
    kci_set loops;              /* walked ones */
    double least, most, size;   /* box of the rest; bound */
    double rows;                /* gather: rows of the rest */
} weight;

typedef struct group {
    const kci_sum *sum;
    const condition *conditions[MOST_CONDITIONS];
    const weight *weights[MOST_WEIGHTS];
    size_t condition_count, weight_count;
    int loops[KCI_MAX_LOOPS];
    int loop_count;
    double low[KCI_MAX_LOOPS], high[KCI_MAX_LOOPS];     /* the tile that each loop stands at */
} group;

kci_sum kci_sum_over(kci_plan *plan, const kci_node *node, kci_set around)
{
    return (kci_sum){ .plan = plan, .around = around, .region = node->region, .regions = node->regions, .mask = true,
                      .split = plan->split, .members = 1 };
}

static double tile_of(const kci_sum *sum, int loop)
{
    return sum->points ? 1 : sum->plan->tile[loop];
}

static double trips_of(const kci_sum *sum, int loop)
{
    return sum->points ? sum->plan->size[loop] : sum->plan->trips[loop];
}

/* Which loops are really walked: with more than one trip. */
static kci_set walked(const kci_sum *sum)
{
    kci_set set = 0;
    for (KCI_EACH(i, sum->around))
        if (trips_of(sum, (int)i) > 1)
            set |= KCI_BIT(i);
    return set;
}

/* The effective form of a limit: over indices of loops, those not walked as a range. */
static void make_condition(const kci_sum *sum, const kci_limit *limit, kci_set loops, condition *c)
{
    const kci_plan *plan = sum->plan;
    const kci_graph *graph = plan->graph;
    const kci_axis *axis = &graph->axes[graph->axes[limit->axis].scope];
    memset(c, 0, sizeof *c);
    c->axis = graph->axes[limit->axis].scope;
    c->least = c->most = axis->constant;
    c->lo = limit->lo;
    c->bound = limit->bound;
    c->hi = limit->kind == KCI_PADDING ? kci_axis_size(graph, &graph->axes[limit->axis], plan->size) - 1 : limit->hi;
    for (uint32_t t = 0; t < axis->terms; t++) {
        const kci_loop_term *term = &graph->terms[axis->term + t];
        int loop = term->loop;
        double a = kci_term_coefficient(term, plan->size);
        if (limit->hi_follows && loop < (int)graph->loop_count)
            c->hi += term->coefficient * (plan->size[loop] - graph->loops[loop].size);
        c->least += a * plan->first[loop];
        c->most += a * plan->first[loop];
        a *= plan->step[loop];
        bool bound = limit->bound & KCI_BIT(loop);
        if (!bound && (loops & KCI_BIT(loop))) {
            c->coefficient[loop] = a;
            c->loops |= KCI_BIT(loop);
        } else {
            double low = bound ? 0 : sum->plan->low[loop], high = bound ? plan->size[loop] - 1 : sum->plan->high[loop];
            c->least += a > 0 ? a * low : a * high;
            c->most += a > 0 ? a * high : a * low;
        }
    }
}

static void make_weight(const kci_sum *sum, uint32_t id, kci_set loops, weight *w)
{
    const kci_graph *graph = sum->plan->graph;
    const kci_axis *axis = &graph->axes[id];
    *w = (weight){ .axis = axis, .least = axis->constant, .most = axis->constant, .rows = 1,
                   .size = kci_axis_size(graph, axis, sum->plan->size) };
    for (uint32_t t = 0; t < axis->terms; t++) {
        const kci_loop_term *term = &graph->terms[axis->term + t];
        if (loops & KCI_BIT(term->loop)) {
            w->loops |= KCI_BIT(term->loop);
            continue;
        }
        double a = kci_term_coefficient(term, sum->plan->size);
        double low = sum->plan->low[term->loop], high = sum->plan->high[term->loop];
        w->least += a > 0 ? a * low : a * high;
        w->most += a > 0 ? a * high : a * low;
        w->rows *= high - low + 1;
    }
}

/* ---- one group ------------------------------------------------------------------------ */

static bool holds(const group *g, const condition *c)
{
    double least = c->least, most = c->most;
    for (int i = 0; i < g->loop_count; i++) {
        int loop = g->loops[i];
        double a = c->coefficient[loop];
        least += a > 0 ? a * g->low[loop] : a * g->high[loop];
        most += a > 0 ? a * g->high[loop] : a * g->low[loop];
    }
    return least <= c->hi && most >= c->lo;
}

static double extent(const group *g, const weight *w)
{
    const kci_graph *graph = g->sum->plan->graph;
    double least = w->least, most = w->most, rows = w->rows;
    for (uint32_t t = 0; t < w->axis->terms; t++) {
        const kci_loop_term *term = &graph->terms[w->axis->term + t];
        if (!(w->loops & KCI_BIT(term->loop)))
            continue;
        double a = kci_term_coefficient(term, g->sum->plan->size);
        least += a > 0 ? a * g->low[term->loop] : a * g->high[term->loop];
        most += a > 0 ? a * g->high[term->loop] : a * g->low[term->loop];
        rows *= g->high[term->loop] - g->low[term->loop] + 1;
    }
    if (w->axis->gather)
        return fmin(rows, w->size);
    return fmax(0, fmin(most, w->size - 1) - fmax(least, 0) + 1);
}

static double here(const group *g)
{
    double product = 1;
    for (size_t i = 0; i < g->condition_count; i++)
        if (!holds(g, g->conditions[i]))
            return 0;
    for (size_t i = 0; i < g->weight_count; i++)
        product *= extent(g, g->weights[i]);
    return product;
}

static void stand_at(group *g, int loop, double i)
{
    double t = tile_of(g->sum, loop), size = g->sum->plan->size[loop];
    g->low[loop] = i * t;
    g->high[loop] = fmin(size, (i + 1) * t) - 1;
}

/* Does the box of `w` stay within its bounds from tile `from` to tile `to` of `loop`? */
static bool unclipped(group *g, const weight *w, int loop, double from, double to)
{
    if (w->axis->gather)
        return true;
    const kci_graph *graph = g->sum->plan->graph;
    double ends[2] = { from, to };
    for (int e = 0; e < 2; e++) {
        stand_at(g, loop, ends[e]);
        double least = w->least, most = w->most;
        for (uint32_t t = 0; t < w->axis->terms; t++) {
            const kci_loop_term *term = &graph->terms[w->axis->term + t];
            if (!(w->loops & KCI_BIT(term->loop)))
                continue;
            double a = kci_term_coefficient(term, g->sum->plan->size);
            least += a > 0 ? a * g->low[term->loop] : a * g->high[term->loop];
            most += a > 0 ? a * g->high[term->loop] : a * g->low[term->loop];
        }
        if (least < 0 || most > w->size - 1)
            return false;
    }
    return true;
}

/* Sum of one clipped box over full tiles from .. to of `loop`. */
static double clipped_series(group *g, const weight *w, int loop, double from, double to)
{
    const kci_graph *graph = g->sum->plan->graph;
    double least = w->least, most = w->most, slope = 0;
    stand_at(g, loop, from);
    for (uint32_t t = 0; t < w->axis->terms; t++) {
        const kci_loop_term *term = &graph->terms[w->axis->term + t];
        if (!(w->loops & KCI_BIT(term->loop)))
            continue;
        double a = kci_term_coefficient(term, g->sum->plan->size);
        least += a > 0 ? a * g->low[term->loop] : a * g->high[term->loop];
        most += a > 0 ? a * g->high[term->loop] : a * g->low[term->loop];
        if (term->loop == loop)
            slope += a * tile_of(g->sum, loop);
    }
    double count = to - from + 1;
    return kci_box_sum(least, most, slope, count, w->size);
}

/* Sum along `loop` over full tiles 0 .. full-1, the others standing where they are. */
static double along(group *g, int loop, double full)
{
    double from = 0, to = full - 1, t = tile_of(g->sum, loop);
    for (size_t i = 0; i < g->condition_count; i++) {
        const condition *c = g->conditions[i];
        double a = c->coefficient[loop];
        g->low[loop] = g->high[loop] = 0;
        double least = c->least, most = c->most;
        for (int k = 0; k < g->loop_count; k++) {
            int other = g->loops[k];
            double b = c->coefficient[other];
            least += b > 0 ? b * g->low[other] : b * g->high[other];
            most += b > 0 ? b * g->high[other] : b * g->low[other];
        }
        if (a == 0) {
            if (least > c->hi || most < c->lo)
                return 0;
        } else if (a > 0) {
            to = fmin(to, floor((c->hi - least) / (a * t)));
            from = fmax(from, ceil((c->lo - most - a * (t - 1)) / (a * t)));
        } else {
            to = fmin(to, floor((most - c->lo) / (-a * t)));
            from = fmax(from, ceil((least + a * (t - 1) - c->hi) / (-a * t)));
        }
    }
    if (to < from)
        return 0;
    double product = 1;
    const weight *clipped = NULL;
    for (size_t i = 0; i < g->weight_count; i++) {
        const weight *w = g->weights[i];
        if (!(w->loops & KCI_BIT(loop)) || unclipped(g, w, loop, from, to)) {
            stand_at(g, loop, from);
            product *= extent(g, w);
        } else if (!clipped) {
            clipped = w;
        } else { /* two series that are clipped: walk */
            double sum = 0;
            for (double k = from; k <= to; k++) {
                stand_at(g, loop, k);
                sum += here(g);
            }
            return sum;
        }
    }
    return product * (clipped ? clipped_series(g, clipped, loop, from, to) : to - from + 1);
}

static double walk_others(group *g, int position, int main_loop, double full)
{
    if (position == g->loop_count) {
        double sum = along(g, main_loop, full);
        double trips = trips_of(g->sum, main_loop);
        for (double i = full; i < trips; i++) { /* the ragged last tile */
            stand_at(g, main_loop, i);
            sum += here(g);
        }
        return sum;
    }
    int loop = g->loops[position];
    if (loop == main_loop)
        return walk_others(g, position + 1, main_loop, full);
    double sum = 0, trips = trips_of(g->sum, loop);
    for (double i = 0; i < trips; i++) {
        stand_at(g, loop, i);
        sum += walk_others(g, position + 1, main_loop, full);
    }
    return sum;
}

static bool is_plain_weight(const group *g, const weight *w)
{
    const kci_graph *graph = g->sum->plan->graph;
    const kci_axis *axis = w->axis;
    if (axis->gather || axis->terms != 1 || axis->constant != 0 || graph->terms[axis->term].coefficient != 1 ||
        graph->terms[axis->term].size_of >= 0)
        return false;
    return w->size >= g->sum->plan->size[graph->terms[axis->term].loop];
}

/* Two dims, one band, plain extents: no walk. */
static bool band_applies(const group *g, double *result)
{
    if (g->loop_count != 2 || g->condition_count == 0 || g->weight_count > 2)
        return false;
    const condition *c = g->conditions[0];
    int a = g->loops[0], b = g->loops[1];
    int q = c->coefficient[a] == -1 ? a : b, k = q == a ? b : a;
    double lo = c->lo - c->most, hi = c->hi - c->least;
    for (size_t i = 0; i < g->condition_count; i++) {
        const condition *o = g->conditions[i];
        if (o->coefficient[q] != -1 || o->coefficient[k] != 1)
            return false;
        lo = fmax(lo, o->lo - o->most);
        hi = fmin(hi, o->hi - o->least);
    }
    bool weigh_q = false, weigh_k = false;
    for (size_t i = 0; i < g->weight_count; i++) {
        bool on_q = g->weights[i]->loops == KCI_BIT(q);
        if (!is_plain_weight(g, g->weights[i]) || (on_q ? weigh_q : weigh_k))
            return false;
        *(on_q ? &weigh_q : &weigh_k) = true;
    }
    if (lo > hi) /* of two alternatives: tiles may still meet both; walk */
        return false;
    const kci_plan *plan = g->sum->plan;
    *result = kci_band_sum(plan->size[q], tile_of(g->sum, q), plan->size[k], tile_of(g->sum, k), lo, hi, weigh_q, weigh_k);
    return true;
}

static double sum_group(group *g)
{
    double result, walks = 1;
    if (g->loop_count == 0)
        return here(g);
    if (band_applies(g, &result))
        return result;
    int main_loop = g->loops[0];
    for (int i = 1; i < g->loop_count; i++)
        if (trips_of(g->sum, g->loops[i]) > trips_of(g->sum, main_loop))
            main_loop = g->loops[i];
    for (int i = 0; i < g->loop_count; i++)
        if (g->loops[i] != main_loop)
            walks *= trips_of(g->sum, g->loops[i]);
    if (walks > most_walked) {
        kci_fail(g->sum->plan->context, KC_ELIMIT,
                 "count: masks and indices tie dims together whose product of trips is above 2^28; use larger tiles");
        return -1;
    }
    double size = g->sum->plan->size[main_loop], t = tile_of(g->sum, main_loop);
    return walk_others(g, 0, main_loop, floor(size / t));
}

/* ---- groups ------------------------------------------------------------------------------ */

static kci_set tied(const condition *conditions, size_t condition_count, const weight *weights, size_t weight_count,
                    kci_set loops)
{
    for (bool grows = true; grows;) {
        grows = false;
        for (size_t i = 0; i < condition_count + weight_count; i++) {
            kci_set other = i < condition_count ? conditions[i].loops : weights[i - condition_count].loops;
            if ((other & loops) && (other & ~loops)) {
                loops |= other;
                grows = true;
            }
        }
    }
    return loops;
}

static double factorised(const kci_sum *sum, kci_set loops, const condition *conditions, size_t condition_count,
                         const weight *weights, size_t weight_count)
{
    double product = 1;
    group g;
    g.sum = sum;
    for (kci_set rest = loops, first = 1; rest || first; first = 0) {
        kci_set mine = 0; /* the first round takes what hangs on no loop */
        if (!first)
            mine = tied(conditions, condition_count, weights, weight_count, rest & (~rest + 1));
        g.loop_count = 0;
        g.condition_count = g.weight_count = 0;
        for (KCI_EACH(i, mine))
            g.loops[g.loop_count++] = (int)i;
        for (size_t i = 0; i < condition_count; i++)
            if (first ? conditions[i].loops == 0 : (conditions[i].loops & mine) != 0)
                g.conditions[g.condition_count++] = &conditions[i];
        for (size_t i = 0; i < weight_count; i++)
            if (first ? weights[i].loops == 0 : (weights[i].loops & mine) != 0)
                g.weights[g.weight_count++] = &weights[i];
        double part = g.loop_count == 1 && g.condition_count == 0 && g.weight_count == 0
                          ? trips_of(sum, g.loops[0])
                          : sum_group(&g);
        if (part <= 0)
            return part; /* 0, or -1: failed */
        product *= part;
        rest &= ~mine;
    }
    return product;
}

static bool counts(const kci_sum *sum, const kci_limit *limit)
{
    return limit->kind == KCI_MASK ? sum->mask : limit->kind == KCI_FAR ? sum->far : sum->padding;
}

/* Narrows the ranges of loops to what all limits of an alternative leave: a limit on
 * q and k, and one on q and j, also say something of k and j.  Points only: tiles are
 * skipped pair by pair. */
static void tighten(kci_sum *sum, const kci_region *region)
{
    kci_plan *plan = sum->plan;
    const kci_graph *graph = plan->graph;
    bool moved = true;
    for (int round = 0; round < KCI_MAX_LOOPS && moved; round++) {
        moved = false;
        for (uint32_t i = 0; i < region->limits; i++) {
            const kci_limit *limit = &graph->limits[graph->limit_ids[region->limit + i]];
            condition c;
            if (!counts(sum, limit))
                continue;
            make_condition(sum, limit, 0, &c);
            const kci_axis *axis = &graph->axes[c.axis];
            for (uint32_t t = 0; t < axis->terms; t++) {
                const kci_loop_term *term = &graph->terms[axis->term + t];
                int loop = term->loop;
                double a = kci_term_coefficient(term, plan->size) * plan->step[loop];
                if ((limit->bound & KCI_BIT(loop)) || a == 0)
                    continue;
                double least = c.least - (a > 0 ? a * plan->low[loop] : a * plan->high[loop]);
                double most = c.most - (a > 0 ? a * plan->high[loop] : a * plan->low[loop]);
                double from = a > 0 ? ceil((c.lo - most) / a) : ceil((c.hi - least) / a);
                double to = a > 0 ? floor((c.hi - least) / a) : floor((c.lo - most) / a);
                moved = moved || from > plan->low[loop] || to < plan->high[loop];
                plan->low[loop] = fmax(plan->low[loop], from);
                plan->high[loop] = fmin(plan->high[loop], to);
                if (plan->low[loop] > plan->high[loop])
                    return; /* nothing is live; the conditions will say so */
                make_condition(sum, limit, 0, &c);
            }
        }
    }
}

/* A band that two limits of one alternative leave empty. */
static bool contradicts(const condition *conditions, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        for (size_t j = from; j < i; j++)
            if (conditions[i].axis == conditions[j].axis && conditions[i].bound == conditions[j].bound &&
                (conditions[i].lo > conditions[j].hi || conditions[j].lo > conditions[i].hi))
                return true;
    return false;
}

/* Where nothing is masked and every extent is that of a plain loop, all factorises:
 * a loop that is weighed adds up to its size, another to its trips.  Negative: it is
 * not so simple. */
static double simple_sum(const kci_sum *sum)
{
    const kci_plan *plan = sum->plan;
    kci_set weighed = 0;
    double product = 1;
    if (sum->members != 1)
        return -1;
    for (size_t i = 0; i < sum->axis_count; i++) {
        const kci_axis *axis = &plan->graph->axes[sum->axes[i]];
        if (!plan->plain_axis[sum->axes[i]] || (axis->loops & weighed))
            return -1;
        unsigned loop = kci_first(axis->loops);
        if (axis->size < plan->size[loop] && kci_axis_size(plan->graph, axis, plan->size) < plan->size[loop])
            return -1;
        weighed |= axis->loops;
        product *= sum->around & axis->loops ? plan->size[loop] : plan->high[loop] - plan->low[loop] + 1;
    }
    for (KCI_EACH(i, sum->around & ~weighed))
        product *= trips_of(sum, (int)i);
    return product;
}

double kci_live_sum(kci_sum *sum)
{
    const kci_graph *graph = sum->plan->graph;
    double simple = sum->regions ? -1 : simple_sum(sum);
    if (simple >= 0)
        return simple;
    condition conditions[MOST_CONDITIONS];
    weight weights[MOST_WEIGHTS];
    kci_set loops = walked(sum);
    for (KCI_EACH(i, sum->around))
        if (sum->plan->size[i] == 0)
            return 0; /* a virtual dim none of whose values is useful */
    size_t weight_count = sum->axis_count < MOST_WEIGHTS ? sum->axis_count : MOST_WEIGHTS;
    for (size_t i = 0; i < weight_count; i++) {
        make_weight(sum, sum->axes[i], loops, &weights[i]);
        for (size_t m = 1; m < sum->members; m++) { /* one box around all: they walk alike */
            weight other;
            make_weight(sum, sum->axes[m * sum->axis_count + i], loops, &other);
            weights[i].least = fmin(weights[i].least, other.least);
            weights[i].most = fmax(weights[i].most, other.most);
        }
    }
    double total = 0;
    uint32_t subsets = sum->regions ? (1u << sum->regions) - 1 : 1;
    for (uint32_t subset = 1; subset <= subsets; subset++) {
        size_t count = 0;
        bool odd = !sum->regions, possible = true;
        for (uint32_t a = 0; a < sum->regions; a++) {
            if (!(subset >> a & 1))
                continue;
            odd = !odd;
            const kci_region *region = &graph->regions[sum->region + a];
            size_t from = count;
            kci_plan *plan = sum->plan;
            double low[KCI_MAX_LOOPS], high[KCI_MAX_LOOPS];
            bool chained = sum->points && region->limits > 1;
            if (chained) {
                memcpy(low, plan->low, sizeof low);
                memcpy(high, plan->high, sizeof high);
                tighten(sum, region);
            }
            for (uint32_t i = 0; i < region->limits && count < MOST_CONDITIONS; i++) {
                const kci_limit *limit = &graph->limits[graph->limit_ids[region->limit + i]];
                if (counts(sum, limit))
                    make_condition(sum, limit, loops, &conditions[count++]);
            }
            if (chained) {
                memcpy(plan->low, low, sizeof low);
                memcpy(plan->high, high, sizeof high);
            }
            possible = possible && !contradicts(conditions, from, count);
        }
        double part = possible ? factorised(sum, loops, conditions, count, weights, weight_count) : 0;
        if (part < 0)
            return part;
        total += odd ? part : -part;
    }
    return total;
}

/* CTA c of s takes a run of trips; the first ones take one more where s does not
 * divide them.  Where neither masks nor extents ask, all shares are alike. */
static double each_share(kci_sum *sum, kci_set split)
{
    kci_plan *plan = sum->plan;
    if (!split)
        return kci_live_sum(sum);
    int loop = 0;
    while (!(split >> loop & 1))
        loop++;
    split &= ~KCI_BIT(loop);
    double shares = plan->shares[loop], trips = plan->trips[loop], least = floor(trips / shares);
    double more = trips - least * shares, total = 0, start = 0, low = sum->plan->low[loop], high = sum->plan->high[loop];
    bool alike = !sum->regions && !sum->axis_count;
    for (double c = 0; c < shares; c++) {
        double end = start + least + (c < more ? 1 : 0);
        if (!alike) {
            sum->plan->low[loop] = start * plan->tile[loop];
            sum->plan->high[loop] = fmin(plan->size[loop], end * plan->tile[loop]) - 1;
        }
        start = end;
        double part = each_share(sum, split);
        if (part < 0)
            return part;
        if (alike)
            return part * shares;
        total += part;
    }
    sum->plan->low[loop] = low;
    sum->plan->high[loop] = high;
    return total;
}

double kci_live_sum_shared(kci_sum *sum)
{
    return each_share(sum, sum->split & ~sum->around);
}
