/* distinct.c: elements that some live point touches, once each: compulsory traffic; design, section 3. */
#include <math.h>
#include <string.h>

#include "plan.h"

enum { MOST_READS = 64 };

typedef struct term {
    double step, count;
} term;

/* Joins terms that make one run of a step: 3 i + 6 j is 3 times a run, where i has at least 2 values. */
static int joined(term *terms, int count)
{
    int kept = 0;
    for (int t = 0; t < count; t++) {
        int into = 0;
        while (into < kept && (fmod(terms[t].step, terms[into].step) != 0 || terms[t].step > terms[into].step * terms[into].count))
            into++;
        if (into < kept)
            terms[into].count += terms[t].step / terms[into].step * (terms[t].count - 1);
        else
            terms[kept++] = terms[t];
    }
    return kept;
}

/* The terms of a scope axis over indices, steps positive and ascending; *low is
 * the least value. */
static int ascending(const kci_plan *plan, const kci_axis *axis, term *terms, double *low)
{
    int count = 0;
    *low = axis->constant;
    for (uint32_t t = 0; t < axis->terms; t++) {
        const kci_loop_term *at = &plan->graph->terms[axis->term + t];
        double a = kci_term_coefficient(at, plan->size), n = plan->size[at->loop];
        *low += a * plan->first[at->loop];
        a *= plan->step[at->loop];
        if (a < 0) {
            *low += a * (n - 1);
            a = -a;
        }
        if (n <= 1 || a == 0)
            continue;
        int slot = count++;
        for (; slot > 0 && terms[slot - 1].step > a; slot--)
            terms[slot] = terms[slot - 1];
        terms[slot] = (term){ a, n };
    }
    return joined(terms, count);
}

/* Joins terms into one run of consecutive values while steps do not exceed it. */
static int run(const term *terms, int count, double *length)
{
    int t = 0;
    for (*length = 1; t < count && terms[t].step <= *length; t++)
        *length += terms[t].step * (terms[t].count - 1);
    return t;
}

static double gcd(double a, double b)
{
    while (b > 0) {
        double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

static double common_divisor(const term *terms, int count)
{
    double unit = 0;
    for (int t = 0; t < count; t++)
        unit = gcd(unit, terms[t].step);
    return unit > 0 ? unit : 1;
}

void kci_distinct_range(const kci_plan *plan, uint32_t id, double *low, double *high, double *step)
{
    const kci_axis *axis = &plan->graph->axes[id];
    term terms[KCI_MAX_LOOPS];
    double length;
    int count = ascending(plan, axis, terms, low);
    double unit = common_divisor(terms, count);
    *high = *low;
    for (int t = 0; t < count; t++) {
        *high += terms[t].step * (terms[t].count - 1);
        terms[t].step /= unit;
    }
    *step = run(terms, count, &length) == count ? unit : 0;
}

/* Sums of ascending terms, once each: a run whole; two strides by their overlaps; what does not reach the next block as often
 * as there are blocks.  Of several strides that overlap no more than their span, the most there can be. */
static double spread(term *terms, int count)
{
    double length, unit = common_divisor(terms, count), span = 1, points = 1;
    for (int t = 0; t < count; t++) {
        terms[t].step /= unit;
        span += terms[t].step * (terms[t].count - 1);
        points *= terms[t].count;
    }
    int used = run(terms, count, &length);
    if (used == count)
        return length;
    if (used == 0 && count == 2)
        return points - fmax(0, terms[0].count - terms[1].step) * fmax(0, terms[1].count - terms[0].step);
    int inner = used > 0 ? used : 1;
    double values = used > 0 ? length : terms[0].count, reach = used > 0 ? length - 1 : terms[0].step * (terms[0].count - 1);
    if (reach < common_divisor(terms + inner, count - inner))
        return values * spread(terms + inner, count - inner);
    for (int t = inner; t < count; t++)
        values *= terms[t].count;
    return fmin(values, span);
}

/* Distinct values of an index within its tensor.  What divides all steps is taken
 * out.  A run of consecutive values is counted whole; runs a step apart, clipped one
 * by one.  Two strides that overlap
 * (c*p + d*r): p, r and p - d/g, r + c/g are the same value, so values are points
 * less those that have such a predecessor, (P - d/g)(R - c/g). */
double kci_distinct_values(const kci_plan *plan, uint32_t id)
{
    const kci_axis *axis = &plan->graph->axes[id];
    double size = kci_axis_size(plan->graph, axis, plan->size), low, length;
    if (axis->gather) {
        double rows = 1;
        for (uint32_t t = 0; t < axis->terms; t++)
            rows *= plan->size[plan->graph->terms[axis->term + t].loop];
        return fmin(rows, size);
    }
    term terms[KCI_MAX_LOOPS];
    int count = ascending(plan, axis, terms, &low);
    double unit = common_divisor(terms, count);
    for (int t = 0; t < count; t++)
        terms[t].step /= unit;
    int used = run(terms, count, &length);
    if (used == count)
        return kci_box_sum(low, low, unit, length, size);
    for (int t = 0; t < count; t++)
        terms[t].step *= unit;
    if (unit > 1)
        length = 1, used = 0; /* runs are not of neighbours: taken as strides */
    term blocks = terms[used];
    if (used + 1 == count)
        return kci_box_sum(low, low + length - 1, blocks.step, blocks.count, size);
    return fmin(spread(terms, count), size);
}

/* ---- one read ----------------------------------------------------------------------- */

/* Distinct values of one position of a read; of rows that data chooses no more than are expected. */
static double values_at(const kci_plan *plan, const kci_node *read, uint32_t i)
{
    const kci_graph *graph = plan->graph;
    uint32_t id = graph->axis_ids[read->axis + i];
    double values = kci_distinct_values(plan, graph->axes[id].scope);
    return graph->axes[id].gather && read->distinct > 0 ? fmin(values, read->distinct) : values;
}

/* Does a dim that the read walks have no value at all?  What lies behind padding alone. */
static bool touches_nothing(const kci_plan *plan, const kci_node *read)
{
    for (KCI_EACH(i, kci_scope_loops(plan->graph, read->axis, read->axes)))
        if (plan->size[i] == 0)
            return true;
    return false;
}

/* Positions that are plain dims count live points together; each other one its
 * distinct values. */
double kci_read_elements(kci_plan *plan, const kci_node *node)
{
    const kci_graph *graph = plan->graph;
    kci_set plain = 0, seen = 0;
    double others = 1;
    bool shared = false;
    for (uint32_t i = 0; i < node->axes; i++) {
        uint32_t id = graph->axis_ids[node->axis + i], scope = graph->axes[id].scope;
        kci_set loops = graph->axes[scope].loops;
        shared = shared || (seen & loops) || (graph->axes[id].gather && node->regions > 0);
        seen |= loops;
        if (kci_axis_is_plain(graph, scope) && !(plain & loops))
            plain |= loops;
        else if (!kci_axis_is_plain(graph, scope))
            others *= values_at(plan, node, i);
    }
    kci_sum sum = kci_sum_over(plan, node, plain);
    sum.points = true;
    double points = kci_live_sum(&sum);
    if (points < 0 || !shared)
        return points < 0 ? points : points * others;
    sum.around = kci_scope_loops(graph, node->axis, node->axes); /* no more elements than points */
    double all = kci_live_sum(&sum);
    return all < 0 ? all : fmin(points * others, all);
}

/* ---- several reads: the union of their boxes -------------------------------------------- */

typedef struct box {
    double low[KCI_MAX_LOOPS], high[KCI_MAX_LOOPS]; /* high excluded */
} box;

/* Volume of the union of boxes along positions at and after `p`, by slabs between
 * the boxes' ends. */
static double volume(const box *boxes, const int *which, int count, uint32_t p, uint32_t positions)
{
    double cuts[2 * MOST_READS];
    int inside[MOST_READS], cut_count = 0;
    if (count == 0)
        return 0;
    if (p == positions)
        return 1;
    for (int i = 0; i < count; i++)
        for (int e = 0; e < 2; e++) {
            double at = e ? boxes[which[i]].high[p] : boxes[which[i]].low[p];
            int slot = cut_count++;
            for (; slot > 0 && cuts[slot - 1] > at; slot--)
                cuts[slot] = cuts[slot - 1];
            cuts[slot] = at;
        }
    double total = 0;
    for (int c = 0; c + 1 < cut_count; c++) {
        if (cuts[c + 1] <= cuts[c])
            continue;
        int members = 0;
        for (int i = 0; i < count; i++)
            if (boxes[which[i]].low[p] <= cuts[c] && boxes[which[i]].high[p] >= cuts[c + 1])
                inside[members++] = which[i];
        total += (cuts[c + 1] - cuts[c]) * volume(boxes, inside, members, p + 1, positions);
    }
    return total;
}

static bool same_position(const kci_graph *graph, uint32_t a, uint32_t b)
{
    return graph->axes[a].scope == graph->axes[b].scope;
}

/* The common step of one position of all reads, where each is one strided dim, or
 * one value, and all their values fall together; else 1. */
static double common_step(const kci_plan *plan, const uint32_t *reads, int count, uint32_t position)
{
    const kci_graph *graph = plan->graph;
    double step = 0, origin = 0, apart = 0; /* apart: what divides all distances between their origins */
    for (int r = 0; r < count; r++) {
        const kci_axis *axis = &graph->axes[graph->axes[graph->axis_ids[graph->nodes[reads[r]].axis + position]].scope];
        double low, high, own;
        kci_distinct_range(plan, graph->axes[graph->axis_ids[graph->nodes[reads[r]].axis + position]].scope, &low, &high, &own);
        if (axis->gather || own == 0 || (high > low && step > 0 && own != step))
            return 1;
        step = high > low ? own : step;
        origin = r == 0 ? low : origin;
        apart = gcd(apart, fabs(low - origin));
    }
    return step > 0 && fmod(apart, step) == 0 ? step : 1;
}

/* Positions that all reads share count as distinct values; the rest as boxes. */
double kci_union_elements(kci_plan *plan, const uint32_t *reads, int count)
{
    const kci_graph *graph = plan->graph;
    const kci_node *first = &graph->nodes[reads[0]];
    static const box empty = { { 0 }, { 0 } };
    box boxes[MOST_READS];
    int which[MOST_READS];
    double common = 1;
    uint32_t varied = 0;
    for (uint32_t i = 0; i < first->axes; i++) {
        bool same = true;
        for (int r = 1; r < count; r++)
            same = same && same_position(graph, graph->axis_ids[first->axis + i],
                                         graph->axis_ids[graph->nodes[reads[r]].axis + i]);
        if (same) {
            double values = values_at(plan, first, i);
            for (int r = 1; r < count; r++)
                values = fmax(values, values_at(plan, &graph->nodes[reads[r]], i));
            common *= values;
            continue;
        }
        double step = common_step(plan, reads, count, i);
        for (int r = 0; r < count; r++) {
            uint32_t id = graph->axis_ids[graph->nodes[reads[r]].axis + i];
            const kci_axis *axis = &graph->axes[graph->axes[id].scope];
            double low, high, stride, size = kci_axis_size(graph, axis, plan->size);
            if (i == 0 || varied == 0)
                boxes[r] = empty;
            if (axis->gather) {
                low = 0;
                high = ceil(values_at(plan, &graph->nodes[reads[r]], i)) - 1;
            } else {
                kci_distinct_range(plan, graph->axes[id].scope, &low, &high, &stride);
            }
            if (low < 0)
                low += ceil(-low / step) * step;
            if (high > size - 1)
                high -= ceil((high - size + 1) / step) * step;
            boxes[r].low[varied] = floor(low / step);
            boxes[r].high[varied] = fmax(boxes[r].low[varied], floor(high / step) + 1);
            which[r] = r;
        }
        varied++;
    }
    return common * volume(boxes, which, count, 0, varied);
}

double kci_compulsory(kci_plan *plan, int32_t tensor)
{
    uint32_t start = plan->read_start[tensor], count = plan->read_start[tensor + 1] - start;
    if (count == 0)
        return 0;
    bool irregular = plan->mark_words > 0 && kci_irregular(plan, tensor);
    if (count == 1) {
        const kci_node *read = &plan->graph->nodes[plan->read_list[start]];
        if (touches_nothing(plan, read))
            return 0;
        double elements = irregular ? kci_touched(plan, plan->read_list + start, 1) : -1;
        if (elements < 0)
            elements = kci_read_elements(plan, read);
        return elements < 0 ? elements : elements * read->scale;
    }
    double total = 0;
    uint32_t reads[MOST_READS];
    for (uint32_t i = 0; i < count; i++) { /* reads of unlike scale are streams of their own */
        double scale = plan->graph->nodes[plan->read_list[start + i]].scale;
        int alike = 0;
        bool earlier = false;
        for (uint32_t j = 0; j < count && !earlier && alike < MOST_READS; j++) {
            const kci_node *read = &plan->graph->nodes[plan->read_list[start + j]];
            if (read->scale != scale)
                continue;
            earlier = j < i;
            if (!touches_nothing(plan, read))
                reads[alike++] = plan->read_list[start + j];
        }
        if (earlier || alike == 0)
            continue;
        double elements = irregular ? kci_touched(plan, reads, alike) : -1;
        total += scale * (elements >= 0 ? elements : kci_union_elements(plan, reads, alike));
    }
    return total;
}
