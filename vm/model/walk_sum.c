/* walk_sum.c: what the walk saw becomes figures: work, spills, partials, writes, causes. */
#include "walker.h"

static const kci_node *node_at(const kci_walker *w, uint32_t i) { return &w->graph->nodes[i]; }

static const kci_axis *axis_at(const kci_walker *w, uint32_t id) { return &w->graph->axes[w->graph->axis_ids[id]]; }

/* The tile of one execution, unclipped: padded volume. */
static double padded(const kci_walker *w, const kci_node *node)
{
    double volume = 1;
    for (uint32_t i = 0; i < node->axes; i++) {
        const kci_axis *axis = axis_at(w, node->axis + i);
        double span = 1, rows = 1;
        for (uint32_t k = 0; k < axis->terms; k++) {
            const kci_loop_term *term = &w->graph->terms[axis->term + k];
            double c = kci_walk_coefficient(w, term);
            double t = (double)w->tile[term->loop];
            span += (c < 0 ? -c : c) * (t - 1);
            rows *= t;
        }
        if (axis->gather) {
            double size = kci_walk_axis_size(w, axis);
            span = rows < size ? rows : size;
        }
        volume *= span;
    }
    return volume;
}

/* 0 for what 32-bit vector units do, 1 for f64. */
static int vector_of(const kci_node *node) { return node->format == KCI_F64 ? 1 : 0; }

static void add_work(kci_walk_result *out, const kci_node *node, double points, bool executed)
{
    if (node->unit == KCI_MATRIX)
        (executed ? out->executed_matrix : out->useful_matrix)[node->math] += node->flops * points;
    else
        (executed ? out->executed_vector : out->useful_vector)[vector_of(node)] += node->flops * points;
    if (executed)
        out->executed_special += node->special * points;
    else
        out->useful_special += node->special * points;
}

/* The kernel that combines partials has no tiles: it does each value once. */
static kc_status add_executed(kci_walker *w)
{
    for (uint32_t j = 0; j < w->job_count; j++) {
        const kci_node *node = node_at(w, w->jobs[j].node);
        if (node->kind != KCI_OP)
            continue;
        bool combines = j >= w->combine_job && j < w->combine_job + w->combine_jobs;
        double points = combines ? kci_walk_values(w, w->jobs[j].node, KCI_WALK_NONE) : padded(w, node);
        if (points < 0)
            return kc_context_status(w->context);
        add_work(w->out, node, w->jobs[j].executions * points, true);
    }
    return KC_OK;
}

/* Do atomics leave their result in this tensor? */
static bool left_by_atomics(const kci_walker *w, const kci_node *write)
{
    bool left = false;
    for (uint32_t i = 0; w->tiling != NULL && w->tiling->atomic && i < w->accumulator_count; i++)
        left = left || (w->accumulators[i].tensor == write->tensor && w->accumulators[i].partials > 1);
    return left;
}

/* Places of an axis that a write covers; of rows that data chooses, at most one a point. */
static double written_along(const kci_walker *w, const kci_axis *axis)
{
    double size = kci_walk_axis_size(w, axis);
    if (!axis->gather)
        return size;
    double points = kci_walk_points(w, w->graph->axes[axis->scope].loops);
    return points < size ? points : size;
}

double kci_walk_written(const kci_walker *w, int32_t tensor)
{
    double bytes = 0;
    for (uint32_t u = 0; u < w->nodes; u++) {
        const kci_node *node = node_at(w, u);
        if (node->kind != KCI_WRITE || node->tensor != tensor)
            continue;
        double elements = 1;
        for (uint32_t i = 0; i < node->axes; i++)
            elements *= written_along(w, axis_at(w, node->axis + i));
        bytes += elements * w->graph->tensors[tensor].bytes * node->scale;
    }
    return bytes;
}

/* Final writes: the whole tensor, or the rows that data chooses, once. */
static void add_writes(kci_walker *w)
{
    for (uint32_t u = 0; u < w->nodes; u++) {
        const kci_node *node = node_at(w, u);
        if (node->kind != KCI_WRITE)
            continue;
        kci_row *row = &w->out->rows[node->tensor];
        double bytes = kci_walk_written(w, node->tensor);
        row->compulsory += bytes;
        if (left_by_atomics(w, node))
            row->split -= bytes;    /* the last of the read-modify-writes is the write */
        else
            row->written += bytes;
    }
}

static kc_status add_points(kci_walker *w)
{
    for (uint32_t u = 0; u < w->nodes; u++) {
        const kci_node *node = node_at(w, u);
        if (node->kind != KCI_OP || (node->flags & KCI_RESCALE) || (node->flops == 0 && node->special == 0))
            continue;
        double points = kci_walk_useful(w, u);
        if (points < 0)
            return kc_context_status(w->context);
        add_work(w->out, node, points * node->share, false);
        if (w->tiling == NULL) {
            points = kci_walk_values(w, u, KCI_WALK_MASKS);
            if (points < 0)
                return kc_context_status(w->context);
            add_work(w->out, node, points, true);
        }
    }
    return KC_OK;
}

/* Causes of what the reads of one tensor moved; `least`: each element once. */
static void explain(kci_walker *w, kci_row *row, const kci_walk_stream *stream, double least, double bytes)
{
    double elements = w->tiling == NULL ? least : stream->elements;
    double more = (elements - least) * bytes, pass = stream->later * bytes;
    if (w->tiling == NULL)
        row->loads = 1;
    row->read += elements * bytes;
    row->compulsory += least * bytes;
    row->pass += pass < more ? pass : more;
    row->reload += pass < more ? more - pass : 0;
}

static kc_status add_reads(kci_walker *w)
{
    for (uint32_t u = 0; u < w->nodes; u++) {
        const kci_node *node = node_at(w, u);
        if (node->kind != KCI_READ || w->stream[u].first != u)
            continue;
        double least = 0;
        for (uint32_t v = u; v < w->nodes; v++) {
            const kci_node *read = node_at(w, v);
            if (read->kind != KCI_READ || read->tensor != node->tensor)
                continue;
            double touched = kci_walk_touched(w, v);
            if (touched < 0)
                return kc_context_status(w->context);
            least += touched * read->scale;
        }
        explain(w, &w->out->rows[node->tensor], &w->stream[u], least, w->graph->tensors[node->tensor].bytes);
    }
    return KC_OK;
}

kc_status kci_walk_sum(kci_walker *w)
{
    kc_status status = KC_OK;
    if (w->tiling != NULL) {
        status = add_executed(w);
        if (status == KC_OK)
            status = kci_walk_moves(w);
    }
    if (status == KC_OK)
        status = add_points(w);
    if (status == KC_OK)
        status = add_reads(w);
    if (status == KC_OK)
        add_writes(w);
    return status;
}
