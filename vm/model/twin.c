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

/* Values first, first + step, … of one axis of an op. */
typedef struct run {
    double first, step, size;
} run;

/* a * b modulo m, all below 2^53. */
static uint64_t times(uint64_t a, uint64_t b, uint64_t m)
{
    uint64_t product = 0;
    for (; b > 0; b >>= 1, a = 2 * a % m)
        product = b & 1 ? (product + a) % m : product;
    return product;
}

/* The greatest common divisor of a and m; a * *inverse is that modulo m. */
static uint64_t divisor(uint64_t a, uint64_t m, uint64_t *inverse)
{
    uint64_t r = m, next = a % m, x = 0, next_x = 1;
    while (next > 0) {
        uint64_t q = r / next, x_now = (x + m - times(q % m, next_x, m)) % m, r_now = r - q * next;
        r = next;
        next = r_now;
        x = next_x;
        next_x = x_now;
    }
    *inverse = x;
    return r;
}

/* The values that both runs take: lcm of the steps apart, the first no less than b's, by the Chinese remainder theorem. */
static run common(run a, run b)
{
    a.step = a.size > 1 ? a.step : 1;
    b.step = b.size > 1 ? b.step : 1;
    uint64_t inverse, step = (uint64_t)b.step, both = divisor((uint64_t)a.step, step, &inverse);
    double apart = fmod(b.first - a.first, b.step), together = a.step / (double)both * b.step;
    uint64_t offset = (uint64_t)(apart < 0 ? apart + b.step : apart);
    double first = a.first + a.step * (double)times(offset / both % (step / both), inverse % (step / both), step / both);
    double last = fmin(a.first + a.step * (a.size - 1), b.first + b.step * (b.size - 1));
    if (first < b.first)
        first += ceil((b.first - first) / together) * together;
    bool none = a.size < 1 || b.size < 1 || offset % both != 0 || last < first;
    return (run){ first, together, none ? 0 : floor((last - first) / together) + 1 };
}

/* What the limits of a twin leave of each of its dims by itself. */
static void runs_of(kci_plan *plan, const kci_node *node, run *runs)
{
    kci_sum sum = kci_sum_over(plan, node, 0);
    double low[KCI_MAX_LOOPS], high[KCI_MAX_LOOPS];
    memcpy(low, plan->low, sizeof low);
    memcpy(high, plan->high, sizeof high);
    sum.points = sum.far = sum.padding = true;
    kci_narrow(&sum);
    for (uint32_t i = 0; i < node->axes; i++) {
        int dim = dim_of(plan, node, i);
        runs[i].first = plan->first[dim] + plan->step[dim] * plan->low[dim];
        runs[i].step = plan->step[dim];
        runs[i].size = fmin(plan->size[dim], fmax(0, plan->high[dim] - plan->low[dim] + 1));
    }
    memcpy(plan->low, low, sizeof low);
    memcpy(plan->high, high, sizeof high);
}

/* Useful points that every twin of a subset covers, counted in the first one's dims. */
static double common_points(kci_plan *plan, const uint32_t *twins, int count, unsigned subset)
{
    const kci_graph *graph = plan->graph;
    double first[KCI_MAX_LOOPS], size[KCI_MAX_LOOPS], high[KCI_MAX_LOOPS], step[KCI_MAX_LOOPS];
    run shared[KCI_MAX_LOOPS], own[KCI_MAX_LOOPS];
    int first_twin = 0;
    while (!(subset >> first_twin & 1))
        first_twin++;
    const kci_node *leader = &graph->nodes[twins[first_twin]];
    runs_of(plan, leader, shared);
    for (int t = first_twin + 1; t < count; t++) {
        const kci_node *node = &graph->nodes[twins[t]];
        if (!(subset >> t & 1))
            continue;
        runs_of(plan, node, own);
        for (uint32_t i = 0; i < node->axes && i < leader->axes; i++)
            shared[i] = common(shared[i], own[i]);
    }
    memcpy(first, plan->first, sizeof first);
    memcpy(size, plan->size, sizeof size);
    memcpy(high, plan->high, sizeof high);
    memcpy(step, plan->step, sizeof step);
    for (uint32_t i = 0; i < leader->axes; i++) {
        int dim = dim_of(plan, leader, i);
        plan->first[dim] = shared[i].first;
        plan->step[dim] = shared[i].step;
        plan->size[dim] = shared[i].size;
        plan->high[dim] = shared[i].size - 1;
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
