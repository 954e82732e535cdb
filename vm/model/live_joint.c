/* live_joint.c: what limits that share a loop say together: some one value of it must serve them all.
 *
 * Loops that a node lacks, or that a limit binds, are ranges.  They are eliminated
 * one after another (Fourier and Motzkin): of two conditions with such a loop the
 * sum or difference in which it is gone.  Exact for steps of one size. */
#include <math.h>

#include "live_group.h"

void kci_add_range(const kci_plan *plan, const kci_range *range, double *least, double *most)
{
    double low = range->bound ? 0 : plan->low[range->loop];
    double high = range->bound ? plan->size[range->loop] - 1 : plan->high[range->loop];
    *least += range->step * (range->step > 0 ? low : high);
    *most += range->step * (range->step > 0 ? high : low);
}

static bool same_loop(const kci_range *a, const kci_range *b) { return a->loop == b->loop && a->bound == b->bound; }

/* The step of a condition along a range; 0: it has none. */
static double step_along(const kci_condition *c, const kci_range *along)
{
    for (int r = 0; r < c->range_count && c->range_count <= MOST_RANGES; r++)
        if (same_loop(&c->ranges[r], along))
            return c->ranges[r].step;
    return 0;
}

/* Adds `factor` times a range to a condition's; false: there is no room. */
static bool add_range(kci_condition *c, const kci_range *range, double factor)
{
    int r = 0;
    while (r < c->range_count && !same_loop(&c->ranges[r], range))
        r++;
    if (r == MOST_RANGES)
        return false;
    if (r == c->range_count)
        c->ranges[c->range_count++] = (kci_range){ 0, range->loop, range->bound };
    c->ranges[r].step += factor * range->step;
    if (c->ranges[r].step == 0)
        c->ranges[r] = c->ranges[--c->range_count];
    return true;
}

/* a less b, or a and b where their steps are opposite; false: it says nothing. */
static bool without(const kci_plan *plan, const kci_condition *a, const kci_condition *b, double sign, kci_condition *c)
{
    *c = *a;
    c->axis = UINT32_MAX;
    c->loops |= b->loops;
    c->constant -= sign * b->constant;
    c->lo -= sign > 0 ? b->hi : -b->lo;
    c->hi -= sign > 0 ? b->lo : -b->hi;
    for (KCI_EACH(k, b->loops))
        c->coefficient[k] -= sign * b->coefficient[k];
    for (int r = 0; r < b->range_count; r++)
        if (!add_range(c, &b->ranges[r], -sign))
            return false;
    double least = 0, most = 0;
    for (int r = 0; r < c->range_count; r++)
        kci_add_range(plan, &c->ranges[r], &least, &most);
    c->least = c->constant + least;
    c->most = c->constant + most;
    return c->lo > -HUGE_VAL || c->hi < HUGE_VAL;
}

/* A range of some condition that was not eliminated yet; NULL: there is none. */
static const kci_range *next_range(const kci_condition *conditions, size_t from, size_t to, const kci_set done[2])
{
    for (size_t i = from; i < to; i++)
        for (int r = 0; r < conditions[i].range_count && conditions[i].range_count <= MOST_RANGES; r++) {
            const kci_range *range = &conditions[i].ranges[r];
            if (!(done[range->bound] & KCI_BIT(range->loop)))
                return range;
        }
    return NULL;
}

size_t kci_eliminate(const kci_sum *sum, kci_condition *conditions, size_t from, size_t to)
{
    kci_set done[2] = { 0, 0 };
    size_t count = to;
    for (const kci_range *next; (next = next_range(conditions, from, count, done)) != NULL;) {
        const kci_range range = *next;
        size_t before = count;
        for (size_t i = from; i < before; i++)
            for (size_t j = from; j < i && count < MOST_CONDITIONS; j++) {
                double a = step_along(&conditions[i], &range), b = step_along(&conditions[j], &range);
                if (a != 0 && fabs(a) == fabs(b))
                    count += without(sum->plan, &conditions[i], &conditions[j], a == b ? 1 : -1, &conditions[count]);
            }
        done[range.bound] |= KCI_BIT(range.loop);
    }
    return count;
}
