/* spill.c: elements of an accumulator that are left unfinished and come back; design, section 3 "Spilled
 * accumulators". */
#include "arith.h"
#include "plan.h"

static const double most_tiles = 1048576; /* that are looked at one by one */

/* Do two masks of one alternative hang on the enclosing loops?  Then one trip must suit both. */
static bool masks_meet(const kci_graph *graph, const kci_node *node, kci_set enclosing)
{
    for (uint32_t a = 0; a < node->regions; a++)
        if (kci_masks_on(graph, &graph->regions[node->region + a], enclosing) > 1)
            return true;
    return false;
}

static void stand_at_tile(kci_plan *plan, unsigned loop, double i)
{
    plan->low[loop] = i * plan->tile[loop];
    plan->high[loop] = kci_min(plan->size[loop], (i + 1) * plan->tile[loop]) - 1;
}

/* The run of tiles that CTA c has, of those that share a split loop. */
static void take_share(kci_plan *plan, unsigned loop, double c)
{
    double each = kci_floor(plan->trips[loop] / plan->shares[loop]), more = plan->trips[loop] - each * plan->shares[loop];
    double start = c * each + kci_min(c, more), end = start + each + (c < more ? 1 : 0);
    plan->low[loop] = start * plan->tile[loop];
    plan->high[loop] = kci_min(plan->size[loop], end * plan->tile[loop]) - 1;
}

/* More than 0: some trip is live, of the loops around the sum and of what this CTA has of those in `shared`. */
static double some_trip(kci_plan *plan, kci_sum *trips, kci_set shared)
{
    if (!shared)
        return kci_live_sum(trips);
    unsigned loop = kci_first(shared);
    double low = plan->low[loop], high = plan->high[loop], live = 0;
    for (double i = low / plan->tile[loop]; i * plan->tile[loop] <= high && live == 0 && kci_plan_goes_on(plan); i++) {
        stand_at_tile(plan, loop, i);
        live = some_trip(plan, trips, shared & ~KCI_BIT(loop));
    }
    plan->low[loop] = low;
    plan->high[loop] = high;
    return live;
}

/* Elements of the tiles that have a live trip, one by one along `loops`; where CTAs share
 * one of these, each of their parts counts. */
static double live_tiles(kci_plan *plan, const kci_sum *sum, kci_set loops, kci_set enclosing)
{
    if (!loops) {
        kci_sum trips = *sum, tile = *sum;
        trips.around = enclosing & ~sum->split;
        trips.axis_count = 0;
        tile.around = tile.need.alternatives = 0;
        double live = some_trip(plan, &trips, enclosing & sum->split);
        return live <= 0 ? live : kci_live_sum(&tile);
    }
    unsigned loop = kci_first(loops);
    bool shared = sum->split & KCI_BIT(loop);
    double low = plan->low[loop], high = plan->high[loop], total = 0;
    for (double i = 0; i < (shared ? plan->shares : plan->trips)[loop] && total >= 0 && kci_plan_goes_on(plan); i++) {
        (shared ? take_share : stand_at_tile)(plan, loop, i);
        double part = live_tiles(plan, sum, loops & ~KCI_BIT(loop), enclosing);
        total = part < 0 ? part : total + part;
    }
    plan->low[loop] = low;
    plan->high[loop] = high;
    return total;
}

/* Elements of node n that leave unfinished: over all live trips of the enclosing
 * loops, less the last of each tile: X - 1 for X trips.  `leader` is the accumulator
 * whose trips count: n itself, or the one that a statistic goes with. */
static double left_unfinished(kci_plan *plan, uint32_t n, uint32_t leader, kci_set indexed, kci_set enclosing, int alone,
                              double tile)
{
    const kci_graph *graph = plan->graph;
    const kci_node *node = &graph->nodes[n];
    kci_set reduced = plan->accumulates[leader], grid = plan->grid & (kci_value_loops(graph, node) | reduced);
    double visits[2] = { 0, 0 };
    if (alone >= 0)
        stand_at_tile(plan, (unsigned)alone, tile);
    for (int last = 0; last < 2 && visits[0] >= 0; last++) {
        kci_sum sum = kci_sum_over(plan, &graph->nodes[leader], grid | indexed | (last ? 0 : enclosing));
        sum.split = plan->split & reduced;
        sum.axes = graph->axis_ids + node->out;
        sum.axis_count = node->outs;
        double tiles = 1;
        for (KCI_EACH(i, grid | indexed | sum.split))
            tiles *= plan->trips[i];
        bool one_by_one = last && tiles <= most_tiles && masks_meet(graph, &graph->nodes[leader], enclosing);
        visits[last] = one_by_one ? live_tiles(plan, &sum, grid | indexed | sum.split, enclosing) : kci_live_sum_shared(&sum);
    }
    if (alone >= 0) {
        plan->low[alone] = 0;
        plan->high[alone] = plan->size[alone] - 1;
    }
    return visits[0] < 0 || visits[1] < 0 ? -1 : kci_max(0, visits[0] - visits[1]);
}

/* In all, also where CTAs share a loop that indexes it: one that has a single trip of
 * that loop has no such loop, and fewer reduced ones enclose what is left. */
double kci_spilled(kci_plan *plan, uint32_t n, uint32_t leader)
{
    kci_set enclosing = kci_enclosing_loops(plan, leader, 0);
    kci_set indexed = kci_value_loops(plan->graph, &plan->graph->nodes[n]) & plan->pass_loops[plan->pass[n]];
    kci_set shared = indexed & plan->split;
    double elements = left_unfinished(plan, n, leader, indexed, enclosing, -1, 0);
    for (KCI_EACH(y, shared)) {
        if (kci_floor(plan->trips[y] / plan->shares[y]) != 1)
            continue;
        double more = plan->trips[y] - plan->shares[y]; /* CTAs with two trips come first */
        kci_set fewer = kci_enclosing_loops(plan, leader, KCI_BIT(y));
        for (double tile = 2 * more; tile < plan->trips[y] && fewer != enclosing && kci_plan_goes_on(plan); tile++) {
            double all = left_unfinished(plan, n, leader, indexed & ~KCI_BIT(y), enclosing, (int)y, tile);
            double left = fewer ? left_unfinished(plan, n, leader, indexed & ~KCI_BIT(y), fewer, (int)y, tile) : 0;
            if (all < 0 || left < 0)
                return -1;
            elements += left - all;
        }
    }
    return elements;
}
