/* walk_dims.c: all values of some dims in turn: loops, and virtual dims, whose values are listed. */
#include "walker.h"

static void put(const kci_odometer *o, int i, int64_t *value)
{
    value[o->dim[i]] = o->list[i] != NULL ? o->list[i][o->now[i]] : o->now[i];
}

bool kci_walk_start(kci_odometer *o, int64_t *value)
{
    for (int i = 0; i < o->count && !o->none; i++) {
        o->now[i] = o->lo[i];
        put(o, i, value);
    }
    return !o->none;
}

bool kci_walk_next(kci_odometer *o, int64_t *value)
{
    for (int i = o->count - 1; i >= 0; i--) {
        bool more = o->now[i] < o->hi[i];
        o->now[i] = more ? o->now[i] + 1 : o->lo[i];
        put(o, i, value);
        if (more)
            return true;
    }
    return false;
}

int kci_walk_virtual(const kci_walker *w, int dim)
{
    return dim < (int)w->graph->loop_count ? -1 : KCI_MAX_LOOPS - 1 - dim;
}

void kci_walk_dims(const kci_walker *w, kci_set dims, kci_odometer *o)
{
    o->count = 0;
    o->none = false;
    for (int l = 0; l < KCI_MAX_LOOPS; l++) {
        if (!(dims & KCI_BIT(l)))
            continue;
        int v = kci_walk_virtual(w, l);
        o->dim[o->count] = l;
        o->list[o->count] = v < 0 ? NULL : w->values[v];
        o->lo[o->count] = 0;
        o->hi[o->count] = (v < 0 ? w->size[l] : w->value_count[v]) - 1;
        o->none = o->none || o->hi[o->count] < 0;
        o->count++;
    }
}

double kci_walk_points(const kci_walker *w, kci_set dims)
{
    double points = 1;
    for (int l = 0; l < KCI_MAX_LOOPS; l++)
        if (dims & KCI_BIT(l))
            points *= (double)(kci_walk_virtual(w, l) < 0 ? w->size[l] : w->value_count[kci_walk_virtual(w, l)]);
    return points;
}

/* Lists the values of each virtual dim that lie within the fused-away tensor. */
kc_status kci_walk_virtuals(kci_walker *w)
{
    const kci_graph *graph = w->graph;
    w->values = kci_alloc(w->context, (graph->virtual_count + 1) * sizeof *w->values);
    w->value_count = kci_alloc(w->context, (graph->virtual_count + 1) * sizeof *w->value_count);
    if (w->values == NULL || w->value_count == NULL)
        return KC_ENOMEM;
    for (size_t v = 0; v < graph->virtual_count; v++) {
        const kci_axis *axis = &graph->axes[graph->virtuals[v].axis];
        double size = kci_walk_axis_size(w, axis);
        if (size > w->max_steps || kci_walk_points(w, axis->loops) > w->max_steps)
            return kci_fail(w->context, KC_ELIMIT, "verify: more than %.0f steps", w->max_steps);
        unsigned char *met = kci_alloc(w->context, (size_t)size + 1);
        w->values[v] = kci_alloc(w->context, ((size_t)size + 1) * sizeof **w->values);
        kci_odometer points;
        int64_t value[KCI_MAX_LOOPS] = { 0 };
        kci_walk_dims(w, axis->loops, &points);
        bool some = met != NULL && w->values[v] != NULL && kci_walk_start(&points, value);
        for (; some; some = kci_walk_next(&points, value)) {
            double at = kci_walk_value(w, axis, value);
            w->steps += 1;
            if (at >= 0 && at < size)
                met[(size_t)at] = 1;
        }
        for (size_t i = 0; met != NULL && w->values[v] != NULL && i < (size_t)size; i++)
            if (met[i])
                w->values[v][w->value_count[v]++] = (int64_t)i;
        if (met != NULL)
            kci_free(w->context, met, (size_t)size + 1);
        if (met == NULL || w->values[v] == NULL)
            return KC_ENOMEM;
    }
    return KC_OK;
}
