/* touched.c: elements of a tensor that reads touch, marked one by one: for indexes whose values no closed form of
 * distinct.c counts (several strides with gaps, positions that share a dim, masks on some of many reads). */
#include <math.h>
#include <string.h>

#include "plan.h"

static const double most_bits = 8388608.0, most_points = 16777216.0, room_to_grow = 64; /* 1 MiB of marks; 2^24 points */

typedef struct reading {
    kci_plan *plan;
    const kci_node *read;
    int dims[KCI_MAX_LOOPS];
    int dim_count;
    double at[KCI_MAX_LOOPS];       /* index of each dim */
    bool joint;                     /* masks of one alternative share a loop that the read does not fix */
    const double *shape;            /* of the tensor, as all its reads find it */
} reading;

/* The size of each position, the largest that a read finds, and their product. */
static double shape_of(const kci_plan *plan, const uint32_t *reads, int count, double *shape)
{
    const kci_graph *graph = plan->graph;
    double elements = 1;
    for (uint32_t i = 0; i < graph->nodes[reads[0]].axes; i++) {
        shape[i] = 0;
        for (int r = 0; r < count; r++)
            shape[i] = fmax(shape[i], kci_axis_size(graph, &graph->axes[graph->axis_ids[graph->nodes[reads[r]].axis + i]], plan->size));
        elements *= shape[i];
    }
    return elements;
}

static bool shares_a_dim(const kci_graph *graph, const kci_node *read)
{
    kci_set seen = 0;
    for (uint32_t i = 0; i < read->axes; i++) {
        kci_set loops = graph->axes[graph->axes[graph->axis_ids[read->axis + i]].scope].loops;
        if (seen & loops)
            return true;
        seen |= loops;
    }
    return false;
}

/* Does a mask of the read hang on a position that is not a plain dim? */
static bool masks_a_shift(const kci_graph *graph, const kci_node *read)
{
    kci_set shifted = 0;
    for (uint32_t i = 0; i < read->axes; i++) {
        const kci_axis *axis = &graph->axes[graph->axes[graph->axis_ids[read->axis + i]].scope];
        if (!kci_axis_is_plain(graph, graph->axes[graph->axis_ids[read->axis + i]].scope))
            shifted |= axis->loops;
    }
    for (uint32_t a = 0; a < read->regions; a++)
        if (kci_masks_on(graph, &graph->regions[read->region + a], shifted) > 0)
            return true;
    return false;
}

bool kci_irregular(const kci_plan *plan, int32_t tensor)
{
    const kci_graph *graph = plan->graph;
    uint32_t start = plan->read_start[tensor], count = plan->read_start[tensor + 1] - start;
    bool irregular = false;
    for (uint32_t r = 0; r < count; r++) {
        const kci_node *read = &graph->nodes[plan->read_list[start + r]];
        irregular = irregular || shares_a_dim(graph, read) || masks_a_shift(graph, read) || (count > 1 && read->regions > 0);
        for (uint32_t i = 0; i < read->axes; i++) {
            const kci_axis *axis = &graph->axes[graph->axis_ids[read->axis + i]];
            double low, high, step;
            if (axis->gather)
                return false; /* which rows is not known */
            kci_distinct_range(plan, axis->scope, &low, &high, &step);
            irregular = irregular || step == 0 || (count > 1 && step > 1);
        }
    }
    return irregular;
}

size_t kci_marks_needed(const kci_plan *plan, int32_t tensor)
{
    uint32_t start = plan->read_start[tensor], end = plan->read_start[tensor + 1];
    double shape[KCI_MAX_LOOPS];
    double elements = shape_of(plan, plan->read_list + start, (int)(end - start), shape);
    return elements <= most_bits ? (size_t)fmin(elements * room_to_grow, most_bits) / 64 + 1 : 0;
}

static double value_of(const reading *r, const kci_axis *axis)
{
    const kci_plan *plan = r->plan;
    double value = axis->constant;
    for (uint32_t t = 0; t < axis->terms; t++) {
        const kci_loop_term *term = &plan->graph->terms[axis->term + t];
        bool known = false;
        for (int d = 0; d < r->dim_count; d++)
            known = known || r->dims[d] == term->loop;
        value += kci_term_coefficient(term, plan->size) *
                 (plan->first[term->loop] + plan->step[term->loop] * (known ? r->at[term->loop] : 0));
    }
    return value;
}

/* Do two masks of one alternative share a loop that the read lacks, or that they bind?  Then
 * one value of it must suit both. */
static bool share_a_loop(const kci_graph *graph, const kci_node *read)
{
    bool share = false;
    kci_set own = kci_scope_loops(graph, read->axis, read->axes);
    for (uint32_t a = 0; a < read->regions; a++) {
        const kci_region *region = &graph->regions[read->region + a];
        kci_set lacking = 0, bound = 0;
        for (uint32_t i = 0; i < region->limits; i++) {
            const kci_limit *limit = &graph->limits[graph->limit_ids[region->limit + i]];
            if (limit->kind != KCI_MASK)
                continue;
            kci_set loops = graph->axes[limit->axis].loops, free = loops & ~limit->bound & ~own;
            share = share || (lacking & free) || (bound & limit->bound);
            lacking |= free;
            bound |= limit->bound;
        }
    }
    return share;
}

/* The same as a sum over this point alone. */
static bool is_live_jointly(const reading *r)
{
    kci_plan *plan = r->plan;
    double low[KCI_MAX_LOOPS], high[KCI_MAX_LOOPS];
    kci_sum sum = kci_sum_over(plan, r->read, 0);
    sum.points = true;
    memcpy(low, plan->low, sizeof low);
    memcpy(high, plan->high, sizeof high);
    for (int d = 0; d < r->dim_count; d++)
        plan->low[r->dims[d]] = plan->high[r->dims[d]] = r->at[r->dims[d]];
    bool live = kci_live_sum(&sum) > 0;
    memcpy(plan->low, low, sizeof low);
    memcpy(plan->high, high, sizeof high);
    return live;
}

/* Does the point hold under the masks of some alternative?  Loops that the read lacks
 * take whatever value suits. */
static bool is_live(const reading *r)
{
    const kci_graph *graph = r->plan->graph;
    for (uint32_t a = 0; a < r->read->regions; a++) {
        const kci_region *region = &graph->regions[r->read->region + a];
        bool live = true;
        for (uint32_t i = 0; i < region->limits && live; i++) {
            const kci_limit *limit = &graph->limits[graph->limit_ids[region->limit + i]];
            if (limit->kind != KCI_MASK)
                continue;
            const kci_axis *axis = &graph->axes[limit->axis];
            double least = 0, most = 0, hi = limit->hi;
            for (uint32_t t = 0; t < axis->terms; t++) {
                const kci_loop_term *term = &graph->terms[axis->term + t];
                bool known = false;
                for (int d = 0; d < r->dim_count; d++)
                    known = known || (r->dims[d] == term->loop && !(limit->bound & KCI_BIT(term->loop)));
                double low = known ? r->at[term->loop] : 0, high = known ? low : r->plan->size[term->loop] - 1;
                if (limit->hi_follows)
                    hi += term->coefficient * (r->plan->size[term->loop] - graph->loops[term->loop].size);
                least += term->coefficient > 0 ? term->coefficient * low : term->coefficient * high;
                most += term->coefficient > 0 ? term->coefficient * high : term->coefficient * low;
            }
            live = least <= hi && most >= limit->lo;
        }
        if (live)
            return !r->joint || is_live_jointly(r);
    }
    return r->read->regions == 0;
}

static double mark(kci_plan *plan, const reading *r)
{
    const kci_graph *graph = plan->graph;
    double at = 0;
    for (uint32_t i = 0; i < r->read->axes; i++) {
        const kci_axis *axis = &graph->axes[graph->axes[graph->axis_ids[r->read->axis + i]].scope];
        double size = kci_axis_size(graph, axis, plan->size), value = value_of(r, axis);
        if (value < 0 || value >= size)
            return 0;
        at = at * r->shape[i] + value;
    }
    uint64_t *word = &plan->marks[(size_t)at / 64], bit = (uint64_t)1 << ((size_t)at % 64);
    if ((*word & bit) || !is_live(r))
        return 0;
    *word |= bit;
    return 1;
}

static double mark_all(kci_plan *plan, reading *r, int d)
{
    double marked = 0;
    if (d == r->dim_count)
        return mark(plan, r);
    for (r->at[r->dims[d]] = 0; r->at[r->dims[d]] < plan->size[r->dims[d]] && kci_plan_goes_on(plan); r->at[r->dims[d]]++)
        marked += mark_all(plan, r, d + 1);
    return marked;
}

double kci_touched(kci_plan *plan, const uint32_t *reads, int count)
{
    const kci_graph *graph = plan->graph;
    double shape[KCI_MAX_LOOPS], marked = 0;
    size_t words = (size_t)fmin(shape_of(plan, reads, count, shape), most_bits + 64) / 64 + 1;
    if (words > plan->mark_words)
        return -1;
    memset(plan->marks, 0, words * sizeof *plan->marks);
    for (int i = 0; i < count; i++) {
        reading r = { .plan = plan, .read = &graph->nodes[reads[i]], .shape = shape };
        r.joint = share_a_loop(graph, r.read);
        kci_set loops = kci_scope_loops(graph, r.read->axis, r.read->axes);
        double points = 1;
        for (KCI_EACH(l, loops)) {
            r.dims[r.dim_count++] = (int)l;
            points *= plan->size[l];
        }
        if (points > most_points)
            return -1;
        marked += mark_all(plan, &r, 0);
    }
    return marked;
}
