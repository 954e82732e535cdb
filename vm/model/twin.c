/* twin.c: useful work of an op that a fuse needs under several indexes: what all of them cover, once; design, section 3
 * "Fusion". */
#include <math.h>
#include <string.h>

#include "plan.h"

enum { MOST_TWINS = 10 };

/* The dim that one axis of an op walks: a loop or a virtual dim. */
static int dim_of(const kci_plan *plan, const kci_node *node, uint32_t i)
{
    const kci_graph *graph = plan->graph;
    const kci_axis *scope = &graph->axes[graph->axes[graph->axis_ids[node->axis + i]].scope];
    return graph->terms[scope->term].loop;
}

/* Narrows dim `a` to the values that dim `b` takes as well.  Both run in steps s and t:
 * common values are lcm(s, t) apart, and the first is found within t of a's steps. */
static void intersect(kci_plan *plan, int a, int b)
{
    double s = plan->step[a], t = plan->step[b], first = plan->first[a], tried = 0;
    double last = fmin(first + s * (plan->size[a] - 1), plan->first[b] + t * (plan->size[b] - 1)), together = s;
    for (; tried < t && fmod(first - plan->first[b], t) != 0; tried++)
        first += s;
    while (fmod(together, t) != 0)
        together += s;
    if (first < plan->first[b])
        first += ceil((plan->first[b] - first) / together) * together;
    bool none = plan->size[a] < 1 || plan->size[b] < 1 || tried == t || last < first;
    plan->size[a] = none ? 0 : floor((last - first) / together) + 1;
    plan->first[a] = first;
    plan->step[a] = together;
    plan->high[a] = plan->size[a] - 1;
}

/* Useful points that every twin of a subset covers, counted in the first one's dims. */
static double common_points(kci_plan *plan, const uint32_t *twins, int count, unsigned subset)
{
    const kci_graph *graph = plan->graph;
    double first[KCI_MAX_LOOPS], size[KCI_MAX_LOOPS], high[KCI_MAX_LOOPS], step[KCI_MAX_LOOPS];
    const kci_node *leader = NULL;
    memcpy(first, plan->first, sizeof first);
    memcpy(size, plan->size, sizeof size);
    memcpy(high, plan->high, sizeof high);
    memcpy(step, plan->step, sizeof step);
    for (int t = 0; t < count; t++) {
        if (!(subset >> t & 1))
            continue;
        const kci_node *node = &graph->nodes[twins[t]];
        if (!leader)
            leader = node;
        for (uint32_t i = 0; i < node->axes && i < leader->axes; i++)
            if (dim_of(plan, node, i) != dim_of(plan, leader, i))
                intersect(plan, dim_of(plan, leader, i), dim_of(plan, node, i));
    }
    double points = kci_points(plan, leader, true, false, false);
    memcpy(plan->first, first, sizeof first);
    memcpy(plan->size, size, sizeof size);
    memcpy(plan->high, high, sizeof high);
    memcpy(plan->step, step, sizeof step);
    return points;
}

/* By inclusion and exclusion; of more than MOST_TWINS indexes the widest stands for all. */
double kci_useful_points(kci_plan *plan, uint32_t n)
{
    const kci_graph *graph = plan->graph;
    if (graph->nodes[n].twin != n)
        return 0; /* the first twin has it */
    uint32_t twins[MOST_TWINS];
    int count = 0;
    double widest = 0;
    for (uint32_t t = n;; t = plan->next_twin[t]) {
        if (count < MOST_TWINS)
            twins[count] = t;
        count++;
        if (!plan->next_twin[t])
            break;
    }
    if (count == 1)
        return kci_points(plan, &graph->nodes[n], true, false, false);
    if (count > MOST_TWINS) {
        for (uint32_t t = n;; t = plan->next_twin[t]) {
            double points = kci_points(plan, &graph->nodes[t], true, false, false);
            if (points < 0)
                return points;
            widest = fmax(widest, points);
            if (!plan->next_twin[t])
                return widest;
        }
    }
    double total = 0;
    for (unsigned subset = 1; subset < 1u << count; subset++) {
        bool odd = false;
        for (int t = 0; t < count; t++)
            odd ^= subset >> t & 1;
        double points = common_points(plan, twins, count, subset);
        if (points < 0)
            return points;
        total += odd ? points : -points;
    }
    return total;
}
