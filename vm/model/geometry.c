/* geometry.c: a point of sizes and tiles: trips, which loops are loops, which values virtual dims take. */
#include <math.h>
#include <string.h>

#include "arith.h"
#include "plan.h"

double kci_extent(const kci_plan *plan, uint32_t id, kci_set whole)
{
    const kci_axis *axis = &plan->graph->axes[id];
    double box = axis->gather ? 1 : 0;
    for (uint32_t t = 0; t < axis->terms; t++) {
        const kci_loop_term *term = &plan->graph->terms[axis->term + t];
        double values = whole & KCI_BIT(term->loop) ? plan->size[term->loop] : plan->tile[term->loop];
        if (axis->gather)
            box *= values;
        else
            box += fabs(kci_term_coefficient(term, plan->size)) * (values - 1);
    }
    return axis->gather ? box : box + 1;
}

double kci_size_of(const kci_plan *plan, const kci_axis *axis)
{
    return plan->resized ? kci_axis_size(plan->graph, axis, plan->size) : axis->size;
}

double kci_tile_extent(const kci_plan *plan, uint32_t id)
{
    return kci_extent(plan, id, 0);
}

/* The useful values of a virtual dim: those of its axis within its bounds, as
 * first + step * u.  Values that no single step runs through are as many as they
 * are, and taken for neighbours. */
static void virtual_dim(kci_plan *plan, size_t v)
{
    const kci_graph *graph = plan->graph;
    int dim = KCI_MAX_LOOPS - 1 - (int)v;
    const kci_axis *axis = &graph->axes[graph->virtuals[v].axis];
    double low, high, step, bound = kci_axis_size(graph, axis, plan->size);
    kci_distinct_range(plan, graph->virtuals[v].axis, &low, &high, &step);
    bool regular = step > 0;
    if (!regular)
        step = 1;
    if (low < 0)
        low += ceil(-low / step) * step;
    if (high > bound - 1)
        high -= ceil((high - (bound - 1)) / step) * step;
    plan->first[dim] = low;
    plan->step[dim] = step;
    plan->size[dim] = !regular ? kci_distinct_values(plan, graph->virtuals[v].axis) : high >= low ? (high - low) / step + 1 : 0;
    plan->tile[dim] = plan->size[dim];
    plan->trips[dim] = 1;
}

static void set_loop(kci_plan *plan, size_t i, double size, double tile, double trips)
{
    plan->size[i] = plan->whole[i] = size;
    plan->tile[i] = tile;
    plan->trips[i] = trips;
    plan->resized = plan->resized || size != plan->graph->loops[i].size;
    plan->first[i] = 0;
    plan->step[i] = 1;
    plan->shares[i] = 1;
}

/* A loop of several trips, `split` CTAs sharing them. */
static void walk_loop(kci_plan *plan, size_t i, bool grid, double split)
{
    if (grid) {
        plan->grid |= KCI_BIT(i);
        return;
    }
    plan->looped |= KCI_BIT(i);
    if (split > 1) {
        plan->shares[i] = split;
        plan->split |= KCI_BIT(i);
    }
}

kc_status kci_geometry(kci_plan *plan, const double *sizes, const double *tiles)
{
    const kci_graph *graph = plan->graph;
    const kci_tiling *tiling = plan->tiling;
    plan->looped = plan->grid = plan->split = 0;
    plan->resized = false;
    for (size_t i = 0; i < graph->loop_count; i++) {
        double size = sizes[i], tile = tiling ? (tiles ? tiles[i] : tiling->tile[i]) : size;
        tile = tile < size ? tile : size;
        double trips = kci_ceil(size / tile);
        set_loop(plan, i, size, tile, trips);
        if (tiling && trips > 1) /* a CTA a trip: nothing is left to loop over */
            walk_loop(plan, i, (tiling->grid & KCI_BIT(i)) || tiling->split[i] >= trips, tiling->split[i]);
    }
    for (size_t v = 0; v < graph->virtual_count; v++)
        virtual_dim(plan, v);
    for (size_t i = 0; i < graph->loop_count; i++)
        plan->high[i] = plan->size[i] - 1;
    for (size_t v = 0; v < graph->virtual_count; v++)
        plan->high[KCI_MAX_LOOPS - 1 - v] = plan->size[KCI_MAX_LOOPS - 1 - v] - 1;
    return KC_OK;
}

bool kci_geometry_least(kci_plan *plan, const double *sizes, const kci_tiling *most, double *ctas)
{
    const kci_tiling *least = plan->tiling;
    plan->looped = plan->grid = plan->split = 0;
    plan->resized = false;
    *ctas = 1;
    for (size_t i = 0; i < plan->graph->loop_count; i++) {
        double size = sizes[i], small = kci_min(least->tile[i], size), large = kci_min(most->tile[i], size);
        double many = kci_ceil(size / small), few = kci_ceil(size / large);
        set_loop(plan, i, size, small, few);
        plan->high[i] = size - 1;
        if (many <= 1)
            continue;
        bool grid = (least->grid & KCI_BIT(i)) || least->split[i] >= many;
        bool looped = !grid && most->split[i] < few, split = most->split[i] > 1;
        if (few <= 1 || (!grid && !looped) || (looped && split && least->split[i] <= 1))
            return false;
        walk_loop(plan, i, grid, least->split[i]);
        *ctas *= grid ? many : split ? most->split[i] : 1;
    }
    return true;
}
