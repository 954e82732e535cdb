/* live.c: sums over the iterations of some loops, only those that are live, of tile extents.
 *
 * Loops that no limit and no index ties together factorise.  Within a tied group
 * all loops but the longest are walked; along the longest, limits give a range
 * and extents a clipped series, in closed form.  A single band of two dims needs
 * no walk at all.  Alternatives (live for this use or for that) go by inclusion
 * and exclusion. */
#include <math.h>
#include <string.h>

#include "live_group.h"

static kci_sum sum_over(kci_plan *plan, kci_need need, kci_set around)
{
    return (kci_sum){ .plan = plan, .around = around, .regions = plan->graph->regions, .need = need, .mask = true,
                      .split = plan->split, .members = 1 };
}

kci_sum kci_sum_over(kci_plan *plan, const kci_node *node, kci_set around)
{
    return sum_over(plan, kci_need_in_all(node), around);
}

kci_sum kci_sum_needed(kci_plan *plan, kci_need need, kci_set around)
{
    return sum_over(plan, need, plan->grid | around);
}

/* Which loops are really walked: with more than one trip. */
static kci_set walked(const kci_sum *sum)
{
    kci_set set = 0;
    for (KCI_EACH(i, sum->around))
        if (kci_trips_of(sum, (int)i) > 1)
            set |= KCI_BIT(i);
    return set;
}

/* The effective form of a limit: over indices of loops, those not walked as a range. */
static void make_condition(const kci_sum *sum, const kci_limit *limit, kci_set loops, kci_condition *c)
{
    const kci_plan *plan = sum->plan;
    const kci_graph *graph = plan->graph;
    const kci_axis *axis = &graph->axes[graph->axes[limit->axis].scope];
    for (KCI_EACH(i, loops)) /* of the others none is read */
        c->coefficient[i] = 0;
    c->loops = 0;
    c->range_count = 0;
    c->axis = graph->axes[limit->axis].scope;
    c->constant = axis->constant;
    c->lo = limit->lo;
    c->bound = limit->bound;
    c->hi = limit->kind == KCI_PADDING ? kci_axis_size(graph, &graph->axes[limit->axis], plan->whole) - 1 : limit->hi;
    double least = 0, most = 0;
    for (uint32_t t = 0; t < axis->terms; t++) {
        const kci_loop_term *term = &graph->terms[axis->term + t];
        int loop = term->loop;
        double a = kci_term_coefficient(term, plan->whole);
        if (limit->hi_follows && loop < (int)graph->loop_count)
            c->hi += term->coefficient * (plan->whole[loop] - graph->loops[loop].size);
        c->constant += a * plan->first[loop];
        a *= plan->step[loop];
        kci_range range = { a, (int16_t)loop, (limit->bound & KCI_BIT(loop)) != 0 };
        if (!range.bound && (loops & KCI_BIT(loop))) {
            c->coefficient[loop] = a;
            c->loops |= KCI_BIT(loop);
        } else {
            kci_add_range(plan, &range, &least, &most);
            if (c->range_count < MOST_RANGES)
                c->ranges[c->range_count] = range;
            c->range_count++;
        }
    }
    c->least = c->constant + least;
    c->most = c->constant + most;
}

/* Do two positions of merged reads have the same steps along the walked loops? */
static bool walk_alike(const kci_sum *sum, const kci_axis *a, const kci_axis *b, kci_set loops)
{
    const kci_graph *graph = sum->plan->graph;
    for (uint32_t t = 0; t < a->terms; t++) {
        const kci_loop_term *term = &graph->terms[a->term + t];
        double other = 0;
        for (uint32_t u = 0; u < b->terms; u++)
            if (graph->terms[b->term + u].loop == term->loop)
                other = kci_term_coefficient(&graph->terms[b->term + u], sum->plan->whole);
        if ((loops & KCI_BIT(term->loop)) && kci_term_coefficient(term, sum->plan->whole) != other)
            return false;
    }
    return true;
}

static void make_weight(const kci_sum *sum, uint32_t id, kci_set loops, kci_weight *w)
{
    const kci_graph *graph = sum->plan->graph;
    const kci_axis *axis = &graph->axes[id];
    *w = (kci_weight){ .axis = axis, .least = axis->constant, .most = axis->constant, .rows = 1,
                   .size = kci_axis_size(graph, axis, sum->plan->whole) };
    for (uint32_t t = 0; t < axis->terms; t++) {
        const kci_loop_term *term = &graph->terms[axis->term + t];
        if (loops & KCI_BIT(term->loop)) {
            w->loops |= KCI_BIT(term->loop);
            continue;
        }
        double a = kci_term_coefficient(term, sum->plan->whole);
        double low = sum->plan->low[term->loop], high = sum->plan->high[term->loop];
        w->least += a > 0 ? a * low : a * high;
        w->most += a > 0 ? a * high : a * low;
        w->rows *= high - low + 1;
    }
}

/* ---- factors ------------------------------------------------------------------------------ */

static kci_set tied(const kci_condition *conditions, size_t condition_count, const kci_weight *weights, size_t weight_count,
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

static double factorised(const kci_sum *sum, kci_set loops, const kci_condition *conditions, size_t condition_count,
                         const kci_weight *weights, size_t weight_count)
{
    double product = 1;
    kci_group g;
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
                          ? kci_trips_of(sum, g.loops[0])
                          : kci_sum_group(&g);
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
            kci_condition c;
            if (!counts(sum, limit))
                continue;
            make_condition(sum, limit, 0, &c);
            const kci_axis *axis = &graph->axes[c.axis];
            for (uint32_t t = 0; t < axis->terms; t++) {
                const kci_loop_term *term = &graph->terms[axis->term + t];
                int loop = term->loop;
                double a = kci_term_coefficient(term, plan->whole) * plan->step[loop];
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

/* Is one index the other's, or its negative?  1, -1; 0: neither. */
static int turned(const kci_graph *graph, uint32_t a, uint32_t b)
{
    const kci_axis *x = &graph->axes[a], *y = &graph->axes[b];
    if (a == b)
        return 1;
    bool against = x->terms == y->terms && !x->gather && !y->gather;
    for (uint32_t t = 0; t < x->terms && against; t++) {
        const kci_loop_term *term = &graph->terms[x->term + t];
        against = false;
        for (uint32_t u = 0; u < y->terms; u++) {
            const kci_loop_term *other = &graph->terms[y->term + u];
            against = against || (other->loop == term->loop && other->coefficient == -term->coefficient && other->size_of < 0 &&
                                  term->size_of < 0);
        }
    }
    return against ? -1 : 0;
}

/* A band that two limits of one alternative leave empty. */
static bool contradicts(const kci_graph *graph, const kci_condition *conditions, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        for (size_t j = from; j < i; j++) {
            const kci_condition *a = &conditions[i], *b = &conditions[j];
            if (a->axis == UINT32_MAX || b->axis == UINT32_MAX || a->bound != b->bound)
                continue;
            int sign = turned(graph, a->axis, b->axis);
            double shift = sign < 0 ? graph->axes[a->axis].constant + graph->axes[b->axis].constant : 0;
            double lo = sign < 0 ? shift - b->hi : b->lo, hi = sign < 0 ? shift - b->lo : b->hi;
            if (sign != 0 && (a->lo > hi || lo > a->hi))
                return true;
        }
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
        if (axis->size < plan->size[loop] && kci_axis_size(plan->graph, axis, plan->whole) < plan->size[loop])
            return -1;
        weighed |= axis->loops;
        product *= sum->around & axis->loops ? plan->size[loop] : plan->high[loop] - plan->low[loop] + 1;
    }
    for (KCI_EACH(i, sum->around & ~weighed))
        product *= kci_trips_of(sum, (int)i);
    return product;
}

void kci_narrow(kci_sum *sum)
{
    if (sum->need.alternatives == 1)
        tighten(sum, &sum->regions[sum->need.region]);
}

double kci_live_sum(kci_sum *sum)
{
    const kci_graph *graph = sum->plan->graph;
    double simple = sum->need.alternatives ? -1 : simple_sum(sum);
    if (simple >= 0)
        return simple;
    kci_condition conditions[MOST_CONDITIONS];
    kci_weight weights[MOST_WEIGHTS];
    kci_set loops = walked(sum);
    for (KCI_EACH(i, sum->around))
        if (sum->plan->size[i] == 0)
            return 0; /* a virtual dim none of whose values is useful */
    size_t weight_count = sum->axis_count < MOST_WEIGHTS ? sum->axis_count : MOST_WEIGHTS;
    for (size_t i = 0; i < weight_count; i++) {
        make_weight(sum, sum->axes[i], loops, &weights[i]);
        weights[i].position = i;
        for (size_t m = 1; m < sum->members; m++) { /* one box around all: they walk alike */
            kci_weight other;
            make_weight(sum, sum->axes[m * sum->axis_count + i], loops, &other);
            weights[i].crooked = weights[i].crooked || !walk_alike(sum, weights[i].axis, other.axis, loops);
            weights[i].loops |= other.loops;
            weights[i].least = fmin(weights[i].least, other.least);
            weights[i].most = fmax(weights[i].most, other.most);
        }
    }
    double total = 0;
    uint32_t subset = 0;
    do {
        subset = (subset - sum->need.alternatives) & sum->need.alternatives; /* the next one */
        size_t count = 0;
        bool odd = !sum->need.alternatives, possible = true;
        for (uint32_t a = 0; subset >> a; a++) {
            if (!(subset >> a & 1))
                continue;
            odd = !odd;
            const kci_region *region = &sum->regions[sum->need.region + a];
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
                count = kci_eliminate(sum, conditions, from, count);
                memcpy(plan->low, low, sizeof low);
                memcpy(plan->high, high, sizeof high);
            }
            possible = possible && !contradicts(graph, conditions, from, count);
        }
        double part = possible ? factorised(sum, loops, conditions, count, weights, weight_count) : 0;
        if (part < 0)
            return part;
        total += odd ? part : -part;
    } while (subset != sum->need.alternatives);
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
    bool alike = !sum->need.alternatives && !sum->axis_count;
    for (double c = 0; c < shares && kci_plan_goes_on(plan); c++) {
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
