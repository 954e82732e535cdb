/* live_group.c: the sum over one group of tied loops: all but the longest are walked, along the longest closed forms. */
#include "live_group.h"

#include <math.h>

static const double most_walked = 268435456.0; /* 2^28 */

double kci_tile_of(const kci_sum *sum, int loop)
{
    return sum->points ? 1 : sum->plan->tile[loop];
}

double kci_trips_of(const kci_sum *sum, int loop)
{
    return sum->points ? sum->plan->size[loop] : sum->plan->trips[loop];
}

static bool holds(const kci_group *g, const kci_condition *c)
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

/* The box around members that walk at unlike steps, at the tile where each loop stands. */
static double crooked_extent(const kci_group *g, const kci_weight *w)
{
    const kci_sum *sum = g->sum;
    const kci_graph *graph = sum->plan->graph;
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (size_t m = 0; m < sum->members; m++) {
        const kci_axis *axis = &graph->axes[sum->axes[m * sum->axis_count + w->position]];
        double from = axis->constant, to = axis->constant;
        for (uint32_t t = 0; t < axis->terms; t++) {
            const kci_loop_term *term = &graph->terms[axis->term + t];
            bool walked = w->loops & KCI_BIT(term->loop);
            double a = kci_term_coefficient(term, sum->plan->whole);
            double low = walked ? g->low[term->loop] : sum->plan->low[term->loop];
            double high = walked ? g->high[term->loop] : sum->plan->high[term->loop];
            from += a > 0 ? a * low : a * high;
            to += a > 0 ? a * high : a * low;
        }
        least = fmin(least, from);
        most = fmax(most, to);
    }
    return fmax(0, fmin(most, w->size - 1) - fmax(least, 0) + 1);
}

/* The box of `w` where each loop stands, not clipped; the rows that a gather has there. */
static void box_at(const kci_group *g, const kci_weight *w, double *least, double *most, double *rows)
{
    const kci_graph *graph = g->sum->plan->graph;
    *least = w->least;
    *most = w->most;
    *rows = w->rows;
    for (uint32_t t = 0; t < w->axis->terms; t++) {
        const kci_loop_term *term = &graph->terms[w->axis->term + t];
        if (!(w->loops & KCI_BIT(term->loop)))
            continue;
        double a = kci_term_coefficient(term, g->sum->plan->whole);
        *least += a > 0 ? a * g->low[term->loop] : a * g->high[term->loop];
        *most += a > 0 ? a * g->high[term->loop] : a * g->low[term->loop];
        *rows *= g->high[term->loop] - g->low[term->loop] + 1;
    }
}

static double extent(const kci_group *g, const kci_weight *w)
{
    double least, most, rows;
    if (w->crooked)
        return crooked_extent(g, w);
    box_at(g, w, &least, &most, &rows);
    if (w->axis->gather)
        return fmin(rows, w->size);
    return fmax(0, fmin(most, w->size - 1) - fmax(least, 0) + 1);
}

static double here(const kci_group *g)
{
    double product = 1;
    for (size_t i = 0; i < g->condition_count; i++)
        if (!holds(g, g->conditions[i]))
            return 0;
    for (size_t i = 0; i < g->weight_count; i++)
        product *= extent(g, g->weights[i]);
    return product;
}

static void stand_at(kci_group *g, int loop, double i)
{
    double t = kci_tile_of(g->sum, loop), size = g->sum->plan->size[loop];
    g->low[loop] = i * t;
    g->high[loop] = fmin(size, (i + 1) * t) - 1;
}

/* Does the box of `w` stay within its bounds from tile `from` to tile `to` of `loop`? */
static bool unclipped(kci_group *g, const kci_weight *w, int loop, double from, double to)
{
    if (w->axis->gather)
        return true;
    const double ends[2] = { from, to };
    for (int e = 0; e < 2; e++) {
        double least, most, rows;
        stand_at(g, loop, ends[e]);
        box_at(g, w, &least, &most, &rows);
        if (least < 0 || most > w->size - 1)
            return false;
    }
    return true;
}

/* Sum of one clipped box over full tiles from .. to of `loop`. */
static double clipped_series(kci_group *g, const kci_weight *w, int loop, double from, double to)
{
    const kci_graph *graph = g->sum->plan->graph;
    double least, most, rows, slope = 0;
    stand_at(g, loop, from);
    box_at(g, w, &least, &most, &rows);
    for (uint32_t t = 0; t < w->axis->terms; t++) {
        const kci_loop_term *term = &graph->terms[w->axis->term + t];
        if (term->loop == loop && (w->loops & KCI_BIT(loop)))
            slope += kci_term_coefficient(term, g->sum->plan->whole) * kci_tile_of(g->sum, loop);
    }
    double count = to - from + 1;
    return kci_box_sum(least, most, slope, count, w->size);
}

/* Sum along `loop` over full tiles 0 .. full-1, the others standing where they are. */
static double along(kci_group *g, int loop, double full)
{
    double from = 0, to = full - 1, t = kci_tile_of(g->sum, loop);
    for (size_t i = 0; i < g->condition_count; i++) {
        const kci_condition *c = g->conditions[i];
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
    const kci_weight *clipped = NULL;
    for (size_t i = 0; i < g->weight_count; i++) {
        const kci_weight *w = g->weights[i];
        if (!(w->loops & KCI_BIT(loop)) || (!w->crooked && unclipped(g, w, loop, from, to))) {
            stand_at(g, loop, from);
            product *= extent(g, w);
        } else if (!clipped && !w->crooked) {
            clipped = w;
        } else { /* two series that are clipped, or a crooked one: walk */
            double sum = 0;
            for (double k = from; k <= to && kci_plan_goes_on(g->sum->plan); k++) {
                stand_at(g, loop, k);
                sum += here(g);
            }
            return sum;
        }
    }
    return product * (clipped ? clipped_series(g, clipped, loop, from, to) : to - from + 1);
}

static double walk_others(kci_group *g, int position, int main_loop, double full)
{
    if (position == g->loop_count) {
        double sum = along(g, main_loop, full);
        double trips = kci_trips_of(g->sum, main_loop);
        for (double i = full; i < trips; i++) { /* the ragged last tile */
            stand_at(g, main_loop, i);
            sum += here(g);
        }
        return sum;
    }
    int loop = g->loops[position];
    if (loop == main_loop)
        return walk_others(g, position + 1, main_loop, full);
    double sum = 0, trips = kci_trips_of(g->sum, loop);
    for (double i = 0; i < trips && kci_plan_goes_on(g->sum->plan); i++) {
        stand_at(g, loop, i);
        sum += walk_others(g, position + 1, main_loop, full);
    }
    return sum;
}

static bool is_plain_weight(const kci_group *g, const kci_weight *w)
{
    const kci_graph *graph = g->sum->plan->graph;
    const kci_axis *axis = w->axis;
    if (axis->gather || axis->terms != 1 || w->least != 0 || w->most != 0 || graph->terms[axis->term].coefficient != 1 ||
        graph->terms[axis->term].size_of >= 0)
        return false;
    return w->size >= g->sum->plan->size[graph->terms[axis->term].loop];
}

/* The band's sum, which depends on nothing else. */
static double band_sum(kci_plan *plan, kci_band_answer band)
{
    size_t known = plan->band_count < KCI_KEPT_SUMS ? plan->band_count : KCI_KEPT_SUMS;
    for (size_t i = 0; i < known; i++) {
        const kci_band_answer *b = &plan->bands[i];
        if (b->n_q == band.n_q && b->t_q == band.t_q && b->n_k == band.n_k && b->t_k == band.t_k && b->lo == band.lo &&
            b->hi == band.hi && b->weigh_q == band.weigh_q && b->weigh_k == band.weigh_k)
            return b->sum;
    }
    band.sum = kci_band_sum(band.n_q, band.t_q, band.n_k, band.t_k, band.lo, band.hi, band.weigh_q, band.weigh_k);
    plan->bands[plan->band_count++ % KCI_KEPT_SUMS] = band;
    return band.sum;
}

/* Two dims, one band, plain extents: no walk. */
static bool band_applies(const kci_group *g, double *result)
{
    if (g->loop_count != 2 || g->condition_count == 0 || g->weight_count > 2)
        return false;
    const kci_condition *c = g->conditions[0];
    int a = g->loops[0], b = g->loops[1];
    int q = c->coefficient[a] == -1 ? a : b, k = q == a ? b : a;
    double lo = c->lo - c->most, hi = c->hi - c->least;
    for (size_t i = 0; i < g->condition_count; i++) {
        const kci_condition *o = g->conditions[i];
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
    kci_plan *plan = g->sum->plan;
    *result = band_sum(plan, (kci_band_answer){ plan->size[q], kci_tile_of(g->sum, q), plan->size[k], kci_tile_of(g->sum, k), lo, hi, 0,
                                         weigh_q, weigh_k });
    return true;
}

double kci_sum_group(kci_group *g)
{
    double result, walks = 1;
    if (g->loop_count == 0)
        return here(g);
    if (band_applies(g, &result))
        return result;
    int main_loop = g->loops[0];
    for (int i = 1; i < g->loop_count; i++)
        if (kci_trips_of(g->sum, g->loops[i]) > kci_trips_of(g->sum, main_loop))
            main_loop = g->loops[i];
    for (int i = 0; i < g->loop_count; i++)
        if (g->loops[i] != main_loop)
            walks *= kci_trips_of(g->sum, g->loops[i]);
    if (walks > most_walked) {
        kci_fail(g->sum->plan->context, KC_ELIMIT,
                 "count: masks and indices tie dims together whose product of trips is above 2^28; use larger tiles");
        return -1;
    }
    double size = g->sum->plan->size[main_loop], t = kci_tile_of(g->sum, main_loop);
    result = walk_others(g, 0, main_loop, floor(size / t));
    return g->sum->plan->ended ? -1 : result;
}
