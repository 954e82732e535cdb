/* walk.c: the walk itself: every CTA, pass, iteration in order; what each fetches, executes and spills. */
#include "walk.h"

#include <math.h>
#include <string.h>

#include "walker.h"

static const kci_node *node_at(const kci_walker *w, uint32_t i) { return &w->graph->nodes[i]; }

static const kci_axis *axis_at(const kci_walker *w, uint32_t id) { return &w->graph->axes[w->graph->axis_ids[id]]; }

/* ---- one job ------------------------------------------------------------ */

/* The box of a merged read: per position the least interval that covers all its
 * reads' tiles, clipped to the tensor. */
static double box_elements(const kci_walker *w, const kci_job *job)
{
    const kci_node *first = node_at(w, job->node);
    double elements = 1;
    for (uint32_t i = 0; i < first->axes; i++) {
        double lo = 0, hi = 0;
        for (uint32_t m = 0; m < job->members; m++) {
            double l, h;
            const kci_node *read = node_at(w, w->members[job->member + m]);
            kci_walk_interval(w, axis_at(w, read->axis + i), job->around, &l, &h);
            if (m == 0 || l < lo)
                lo = l;
            if (m == 0 || h > hi)
                hi = h;
        }
        double size = kci_walk_axis_size(w, axis_at(w, first->axis + i));
        if (lo < 0)
            lo = 0;
        if (hi > size - 1)
            hi = size - 1;
        elements *= hi < lo ? 0 : hi - lo + 1;
    }
    return elements;
}

static void fetch(kci_walker *w, kci_job *job, uint32_t pass)
{
    const kci_node *read = node_at(w, job->node);
    if (job->held && job->on)
        return;
    bool live = w->whole; /* the kernel that combines partials knows no mask */
    for (uint32_t m = 0; m < job->members && !live; m++)
        live = kci_walk_live(w, w->members[job->member + m], pass, job->around);
    if (!live)
        return;
    /* A box that lies outside the tensor is a load that moves nothing. */
    double scaled = box_elements(w, job) * read->scale;
    job->on = true;
    kci_walk_stream *stream = &w->stream[w->stream[job->node].first];
    w->out->rows[read->tensor].loads += 1;
    if (stream->first_pass == 0 || pass + 1 < stream->first_pass) { /* a CTA may have nothing live in the first pass */
        stream->first_pass = pass + 1;
        stream->later = stream->elements;
    } else if (stream->first_pass != pass + 1) {
        stream->later += scaled;
    }
    stream->elements += scaled;
}

enum { WATCHED = 100000 };      /* steps between two looks of the context's watch */

static void look(kci_walker *w)
{
    w->next_look = w->steps + WATCHED;
    if (w->max_steps >= 0 && kci_watched(w->context, "verify", fmin(w->steps, w->ahead), w->ahead) != KC_OK)
        w->max_steps = -1;
}

kc_status kci_walk_goes_on(kci_walker *w)
{
    if (w->steps >= w->next_look)
        look(w);
    if (w->max_steps < 0)
        return KC_ELIMIT;
    return w->steps <= w->max_steps ? KC_OK : kci_fail(w->context, KC_ELIMIT, "verify: more than %.0f steps", w->max_steps);
}

static void perform(kci_walker *w, kci_job *job, uint32_t pass)
{
    w->steps += 1;
    if (w->steps >= w->next_look)
        look(w);
    if (node_at(w, job->node)->kind == KCI_READ) {
        fetch(w, job, pass);
        return;
    }
    bool live = w->whole || kci_walk_live(w, job->node, pass, job->around);
    if (!w->whole && w->accumulator[job->node] >= 0)
        kci_walk_visit(w, &w->accumulators[w->accumulator[job->node]], job->around, live);
    if (live)
        job->executions += 1;
}

/* ---- loops --------------------------------------------------------------- */

/* A job behind the end of a loop walks the loops that are left around it again. */
static void walk_on(kci_walker *w, kci_job *job, uint32_t p, uint32_t depth)
{
    const kci_walk_pass *pass = &w->pass_list[p];
    while (depth < pass->loops && !(job->around & KCI_BIT(pass->loop[depth])))
        depth++;
    if (depth == pass->loops) {
        perform(w, job, p);
        return;
    }
    int loop = pass->loop[depth];
    int64_t from, to;
    kci_walk_trips(w, loop, &from, &to);
    for (w->at[loop] = from; w->at[loop] < to && w->steps <= w->max_steps; w->at[loop]++)
        walk_on(w, job, p, depth + 1);
}

/* Passes a to b, which share their `depth` outermost loops, inside of those. */
static void walk_passes(kci_walker *w, uint32_t a, uint32_t b, uint32_t depth)
{
    while (a <= b && w->steps <= w->max_steps) {
        uint32_t end = a;
        while (end < b && w->pass_list[end + 1].shared > depth)
            end++;
        for (uint32_t p = a; p <= end; p++)
            for (uint32_t j = 0; j < w->pass_list[p].jobs; j++) {
                kci_job *job = &w->jobs[w->pass_list[p].job + j];
                if (job->depth == depth && !job->walks_on)
                    perform(w, job, p);
            }
        if (depth < w->pass_list[a].loops) {
            int loop = w->pass_list[a].loop[depth];
            int64_t from, to;
            kci_walk_trips(w, loop, &from, &to);
            for (w->at[loop] = from; w->at[loop] < to && w->steps <= w->max_steps; w->at[loop]++)
                walk_passes(w, a, end, depth + 1);
        }
        for (uint32_t p = a; p <= end; p++)
            for (uint32_t j = 0; j < w->pass_list[p].jobs; j++) {
                kci_job *job = &w->jobs[w->pass_list[p].job + j];
                if (job->depth == depth && job->walks_on)
                    walk_on(w, job, p, depth);
            }
        a = end + 1;
    }
}

static void walk_cta(kci_walker *w)
{
    for (uint32_t j = 0; j < w->job_count; j++)
        w->jobs[j].on = false;
    for (uint32_t i = 0; i < w->accumulator_count; i++) {
        kci_walk_accumulator *acc = &w->accumulators[i];
        if (acc->live == NULL)
            continue;
        memset(acc->last, 0, acc->last_size);
        memset(acc->visit, 0, acc->visit_size);
    }
    w->out->ctas += 1;
    walk_passes(w, 0, w->passes - 1, 0);
}

/* Every grid coordinate, and every share of split loops at each. */
static void walk_grid(kci_walker *w, int loop)
{
    while (loop < (int)w->graph->loop_count && !((w->grid | w->split) & KCI_BIT(loop)))
        loop++;
    if (loop == (int)w->graph->loop_count) {
        walk_cta(w);
    } else if (w->grid & KCI_BIT(loop)) {
        for (int64_t i = 0; i < w->trips[loop] && w->steps <= w->max_steps; i++) {
            w->at[loop] = i;
            walk_grid(w, loop + 1);
        }
    } else {
        for (int64_t i = 0; i < w->share[loop] && w->steps <= w->max_steps; i++) {
            w->part[loop] = i;
            walk_grid(w, loop + 1);
        }
    }
}

/* ---- setting out --------------------------------------------------------- */

/* Visits of jobs that the whole walk will make. */
static double walk_steps(const kci_walker *w)
{
    double ctas = 1, steps = 0;
    for (int l = 0; l < (int)w->graph->loop_count; l++) {
        if (w->grid & KCI_BIT(l))
            ctas *= (double)w->trips[l];
        if (w->split & KCI_BIT(l))
            ctas *= (double)w->share[l];
    }
    for (uint32_t j = 0; j < w->job_count; j++) {
        double each = 1;
        for (int l = 0; l < (int)w->graph->loop_count; l++)
            if (w->jobs[j].around & KCI_BIT(l))
                each *= (double)w->trips[l];
        steps += each * ctas;
    }
    return steps + ctas;
}

static void set_out(kci_walker *w, const double *sizes, const double *tiles)
{
    for (int l = 0; l < (int)w->graph->loop_count; l++) {
        double size = sizes != NULL ? sizes[l] : w->graph->loops[l].size;
        double tile = tiles != NULL ? tiles[l] : w->tiling != NULL ? w->tiling->tile[l] : size;
        w->real_size[l] = size;
        w->size[l] = (int64_t)size;
        w->tile[l] = w->tiling == NULL || tile > size ? (int64_t)size : (int64_t)tile;
        w->share[l] = 1;
        w->trips[l] = 0;
        for (double covered = 0; covered < size; covered += (double)w->tile[l]) {
            if (size / (double)w->tile[l] > w->max_steps) {
                w->trips[l] = (int64_t)(size / (double)w->tile[l]);
                break;
            }
            w->trips[l]++;
        }
        if (w->trips[l] < 2 || w->tiling == NULL)
            continue;
        if (w->tiling->grid & KCI_BIT(l)) {
            w->grid |= KCI_BIT(l);
            continue;
        }
        double shares = w->tiling->split[l];
        if (shares >= (double)w->trips[l]) {
            w->grid |= KCI_BIT(l);  /* one trip for each CTA: no loop */
            continue;
        }
        w->looped |= KCI_BIT(l);
        if (shares > 1) {
            w->share[l] = (int64_t)shares;
            w->split |= KCI_BIT(l);
        }
    }
    for (int i = 0; w->tiling != NULL && i < w->tiling->order_count; i++)
        if (w->looped & KCI_BIT(w->tiling->order[i]))
            w->order[w->order_count++] = w->tiling->order[i];
}

static kc_status find_streams(kci_walker *w)
{
    for (uint32_t u = 0; u < w->nodes; u++) {
        if (kci_spend(w->context, "verify", u) != KC_OK)
            return KC_ELIMIT;
        const kci_node *node = node_at(w, u);
        for (uint32_t v = 0; v <= u; v++) {
            const kci_node *other = node_at(w, v);
            w->stream[u].first = v;
            if (other->kind == node->kind && other->tensor == node->tensor)
                break;
        }
    }
    return KC_OK;
}

static kc_status walk_all(kci_walker *w)
{
    char shown[32];
    w->ahead = kci_walk_point_steps(w) + (w->tiling == NULL ? 0 : walk_steps(w));
    kci_format_number(w->ahead, shown);
    if (w->max_steps < 0)
        return KC_ELIMIT;
    if (w->ahead > w->max_steps)
        return kci_fail(w->context, KC_ELIMIT, "verify: this kernel takes %s steps, more than %.0f; smaller sizes or larger tiles take fewer",
                        shown, w->max_steps);
    w->out->launches = 1;
    w->out->passes = w->passes;
    kc_status status = KC_OK;
    if (w->tiling != NULL) {
        status = kci_walk_tables(w);
        if (status != KC_OK)
            return status;
        walk_grid(w, 0);
        status = kci_walk_goes_on(w);
        if (status != KC_OK)
            return status;
        w->whole = true;
        for (uint32_t j = 0; j < w->combine_jobs; j++) {
            w->jobs[w->combine_job + j].on = false;
            perform(w, &w->jobs[w->combine_job + j], w->passes);
        }
        w->whole = false;
    } else {
        w->out->ctas = 1;
    }
    status = kci_walk_sum(w);
    w->out->steps = w->steps;
    if (status == KC_OK)
        kci_watched(w->context, "verify", w->ahead, w->ahead); /* it is over */
    return status;
}

#define PER_NODE(w, field) ((w)->field = kci_alloc((w)->context, ((w)->nodes + 1) * sizeof *(w)->field))
#define FREE_NODE(w, field) kci_free((w)->context, (w)->field, ((w)->nodes + 1) * sizeof *(w)->field)
static bool equip(kci_walker *w)
{
    w->needs = kci_alloc(w->context, w->nodes * w->nodes + 1);
    return PER_NODE(w, pass) && PER_NODE(w, around) && PER_NODE(w, survives) && PER_NODE(w, behind) && PER_NODE(w, in_main) &&
        PER_NODE(w, accumulator) && PER_NODE(w, stream) &&
        w->needs != NULL;
}

static void clear_away(kci_walker *w)
{
    kc_context *context = w->context;
    kci_walk_uses_free(w);
    for (size_t v = 0; w->values != NULL && w->value_count != NULL && v < w->graph->virtual_count; v++)
        if (w->values[v] != NULL) {
            double size = kci_walk_axis_size(w, &w->graph->axes[w->graph->virtuals[v].axis]);
            kci_free(context, w->values[v], ((size_t)size + 1) * sizeof **w->values);
        }
    kci_free(context, w->values, (w->graph->virtual_count + 1) * sizeof *w->values);
    kci_free(context, w->value_count, (w->graph->virtual_count + 1) * sizeof *w->value_count);
    for (uint32_t i = 0; i < w->accumulator_count; i++) {
        kci_walk_accumulator *acc = &w->accumulators[i];
        kci_free(context, acc->last, acc->last_size);
        kci_free(context, acc->visit, acc->visit_size);
        kci_free(context, acc->live, acc->live_size);
    }
    kci_free(context, w->needs, w->nodes * w->nodes + 1);
    kci_free(context, w->pass_list, (w->passes + 1) * sizeof *w->pass_list);
    kci_free(context, w->exec, ((size_t)w->passes + 1) * w->nodes + 1);
    kci_free(context, w->jobs, w->job_capacity * sizeof *w->jobs);
    kci_free(context, w->members, w->member_capacity * sizeof *w->members);
    kci_free(context, w->accumulators, (w->nodes + 1) * sizeof *w->accumulators);
    FREE_NODE(w, pass);
    FREE_NODE(w, around);
    FREE_NODE(w, survives);
    FREE_NODE(w, behind);
    FREE_NODE(w, in_main);
    FREE_NODE(w, accumulator);
    FREE_NODE(w, stream);
}

static bool few_positions(const kci_graph *graph)
{
    bool few = true;
    for (size_t n = 0; n < graph->node_count; n++) {
        uint32_t gathers = 0;
        for (uint32_t i = 0; i < graph->nodes[n].axes; i++)
            gathers += graph->axes[graph->axis_ids[graph->nodes[n].axis + i]].gather;
        few = few && gathers <= KCI_WALK_GATHERS && graph->nodes[n].axes <= KCI_MAX_LOOPS;
    }
    return few;
}

kc_status kci_walk(const kci_graph *graph, const kci_tiling *tiling, const double *sizes, const double *tiles,
                   double max_steps, kci_walk_result *out)
{
    memset(out, 0, sizeof *out);
    out->context = graph->context;
    if (graph->node_count > 8192)
        return kci_fail(graph->context, KC_ELIMIT, "verify: %zu ops are too many to walk", graph->node_count);
    if (!few_positions(graph))
        return kci_fail(graph->context, KC_ELIMIT, "verify: a tensor of more than %d dims, or with more than %d that data "
                        "chooses, is too much to walk", KCI_MAX_LOOPS, KCI_WALK_GATHERS);
    kci_walker *w = kci_alloc(graph->context, sizeof *w);
    if (w == NULL)
        return KC_ENOMEM;
    w->graph = graph;
    w->tiling = tiling;
    w->context = graph->context;
    w->out = out;
    w->max_steps = max_steps;
    w->nodes = graph->node_count;
    out->row_count = graph->tensor_count;
    out->rows = kci_alloc(graph->context, (graph->tensor_count + 1) * sizeof *out->rows);
    kc_status status = KC_ENOMEM;
    if (out->rows != NULL && equip(w)) {
        set_out(w, sizes, tiles);
        status = find_streams(w);
        if (status == KC_OK)
            status = kci_walk_virtuals(w);
        if (status == KC_OK)
            status = kci_walk_nest(w);
        if (status == KC_OK && tiling != NULL)
            status = kci_walk_uses(w);
        if (status == KC_OK)
            status = walk_all(w);
    }
    clear_away(w);
    kci_free(graph->context, w, sizeof *w);
    if (status != KC_OK)
        kci_walk_free(out);
    return status;
}

void kci_walk_free(kci_walk_result *result)
{
    if (result->rows != NULL) /* a zeroed result has no context */
        kci_free(result->context, result->rows, (result->row_count + 1) * sizeof *result->rows);
    memset(result, 0, sizeof *result);
}
