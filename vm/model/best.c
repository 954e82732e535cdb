/* best.c: the fastest of the schedules that a tuned library would try; design, section 2.3. */
#include <math.h>
#include <string.h>

#include "ask.h"
#include "best.h"
#include "candidates.h"
#include "evaluator.h"
#include "kernels.h"
#include "occupancy.h"
#include "sorted.h"

/* ---- the search ------------------------------------------------------------------------ */

enum { WATCHED = 64 };          /* schedules of a small kernel between two looks of the context's watch */
static const double small = 64; /* nodes */

typedef struct search {
    kc_context *context;
    kci_evaluator *evaluator;
    kci_tiling found;           /* its tensor_stages are the evaluator's */
    double time;                /* of the fastest so far */
    bool improved;              /* by one of the candidates */
    double points, rejected;
    double before;              /* points of other kernels of a program */
    double unwatched;           /* points since the watch was asked, as if of a small kernel */
} search;

static void keep(search *s, const kci_tiling *tiling)
{
    bool *held = s->found.held, *in_registers = s->found.in_registers;
    size_t tensors = s->evaluator->graph.tensor_count;
    s->time = s->evaluator->times.time;
    s->improved = true;
    s->found = *tiling;
    s->found.held = memcpy(held, tiling->held, tensors * sizeof *held);
    s->found.in_registers = memcpy(in_registers, tiling->in_registers, tensors * sizeof *in_registers);
}

/* Counts a point, if the context's watch lets it go on. */
static kc_status next_point(search *s)
{
    s->unwatched += fmax(1, (double)s->evaluator->graph.node_count / small);
    if (s->points == 0 || s->unwatched > WATCHED) {
        s->unwatched = 0;
        if (kci_watched(s->context, "best", s->before + s->points, 0) != KC_OK)
            return kci_fail(s->evaluator->context, KC_ELIMIT, "%s", kc_context_message(s->context));
    }
    s->points++;
    return KC_OK;
}

/* A point that cannot run is counted, not an error. */
static kc_status try_one(void *data, kci_tiling *tiling)
{
    search *s = data;
    if (next_point(s) != KC_OK)
        return KC_ELIMIT;
    kc_status status = kci_evaluate(s->evaluator);
    if (status == KC_OK && s->evaluator->times.time < s->time) /* ties go to the first point */
        keep(s, tiling);
    if (kci_evaluator_ended(s->evaluator))
        return status;
    s->rejected += status != KC_OK;
    return status == KC_ENOMEM || status == KC_EARGUMENT ? status : KC_OK;
}

/* The schedule that the kernel came with is the first point: what is only as fast replaces nothing. */
static kc_status try_own(search *s, const kc_kernel *kernel, const kc_device *device, const kc_options *options)
{
    if (!kernel->tiling)
        return KC_OK;
    if (next_point(s) != KC_OK)
        return KC_ELIMIT;
    kci_evaluator *e = kci_evaluator_new(kernel, device, options);
    kc_status status = e ? KC_OK : kc_context_status(s->context);
    if (e) {
        e->options.quiet = e->options.no_serial = true;
        status = kci_evaluate(e);
    }
    bool ended = e && kci_evaluator_ended(e);
    if (ended)
        kci_fail(s->context, status, "%s", kc_context_message(e->context));
    else if (status == KC_OK)
        s->time = e->times.time;
    else
        s->rejected++;
    kci_evaluator_free(e);
    return status == KC_ENOMEM || ended ? kci_fail(s->evaluator->context, status, "%s", kc_context_message(s->context)) : KC_OK;
}

/* ---- the schedule that was found ----------------------------------------------------------- */

static const char *loop_name(const kci_graph *graph, int loop)
{
    return kci_name(graph->context, graph->loops[loop].name);
}

static kc_status set_loops(kc_schedule *schedule, const kci_graph *graph, const kci_tiling *tiling, const double *sizes)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < graph->loop_count && status == KC_OK; i++) {
        const char *name = loop_name(graph, (int)i);
        status = kc_schedule_tile(schedule, name, fmin(tiling->tile[i], sizes[i]));
        if (status == KC_OK && tiling->stream && tiling->stream_loop == (int)i)
            status = kc_schedule_split(schedule, name, 0);
        else if (status == KC_OK && tiling->split[i] > 1)
            status = kc_schedule_split(schedule, name, tiling->split[i]);
        if (status == KC_OK && tiling->cluster[i] > 1)
            status = kc_schedule_cluster(schedule, name, tiling->cluster[i]);
    }
    return status;
}

static kc_status set_raster(kc_schedule *schedule, const kci_graph *graph, const kci_tiling *tiling)
{
    if (tiling->raster_count == 0)
        return KC_OK;
    kci_text dims = { .context = graph->context };
    for (int i = 0; i < tiling->raster_count; i++)
        kci_text_format(&dims, "%s%s", i ? " " : "", loop_name(graph, tiling->raster[i]));
    kc_status status = dims.failed ? KC_ENOMEM : kc_schedule_raster(schedule, dims.bytes, tiling->raster_group);
    kci_text_free(&dims);
    return status;
}

static kc_status set_places(kc_schedule *schedule, const kci_graph *graph, const kci_tiling *tiling)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < graph->tensor_count && status == KC_OK; i++) {
        if (tiling->in_registers[i])
            status = kc_schedule_place(schedule, graph->tensors[i].name, "registers");
        if (status == KC_OK && tiling->held[i])
            status = kc_schedule_hold(schedule, graph->tensors[i].name);
    }
    return status;
}

static kc_schedule *schedule_of(const kci_graph *graph, const kci_tiling *tiling, const double *sizes)
{
    kc_schedule *schedule = kc_schedule_new(graph->context);
    kc_status status = schedule ? set_loops(schedule, graph, tiling, sizes) : KC_ENOMEM;
    if (status == KC_OK)
        status = set_raster(schedule, graph, tiling);
    if (status == KC_OK)
        status = set_places(schedule, graph, tiling);
    if (status == KC_OK)
        status = kc_schedule_stages(schedule, NULL, tiling->stages);
    if (status == KC_OK && tiling->warps > 0)
        status = kc_schedule_warps(schedule, tiling->warps);
    if (status == KC_OK && tiling->threads > 0)
        status = kc_schedule_threads(schedule, tiling->threads);
    if (status == KC_OK && tiling->vector > 0)
        status = kc_schedule_vector(schedule, tiling->vector);
    if (status == KC_OK && tiling->persistent)
        status = kc_schedule_persistent(schedule, 1);
    if (status == KC_OK)
        return schedule;
    kc_release(schedule);
    return NULL;
}

/* ---- one kernel ------------------------------------------------------------------------------ */

static bool is_sorted(const kci_graph *graph)
{
    double sizes[KCI_MAX_LOOPS];
    for (size_t i = 0; i < graph->loop_count; i++)
        sizes[i] = graph->loops[i].size;
    return kci_sorted_operand(graph, sizes) != NULL;
}

static kc_kernel *plain_kernel(kc_kernel *kernel)
{
    kc_schedule *none = kc_schedule_new(kernel->base.context);
    kc_kernel *plain = none ? kci_kernel_scheduled(kernel, none) : NULL;
    kc_release(none);
    return plain;
}

static kc_status search_all(search *s, const kc_kernel *kernel, const kc_device *device, const kc_options *options)
{
    kci_evaluator *e = s->evaluator;
    e->options.quiet = e->options.no_serial = true;
    s->found.held = kci_alloc(e->context, e->graph.tensor_count * sizeof *s->found.held);
    s->found.in_registers = kci_alloc(e->context, e->graph.tensor_count * sizeof *s->found.in_registers);
    kc_status status = s->found.held && s->found.in_registers ? try_own(s, kernel, device, options) : KC_ENOMEM;
    if (status == KC_OK)
        status = kci_candidates(&e->graph, device, e->sizes, e->tiling, try_one, s);
    return status;
}

static void none_runs(search *s, const char *name)
{
    kci_evaluator *e = s->evaluator;
    double tried = s->points;
    e->options.quiet = false;
    kc_status status = try_one(s, e->tiling); /* the last of them again, for its sentence */
    if (status != KC_OK)
        kci_fail(s->context, status, "%s", kc_context_message(e->context));
    else
        kci_fail(s->context, KC_EDEVICE, "best: none of the %.0f schedules tried for '%.80s' runs; the last: %s", tried, name,
                 kc_context_message(e->context));
}

/* `plain` is the kernel with the default grid and order; its tiling is what candidates are put into. */
static kc_kernel *search_kernel(kc_kernel *kernel, kc_kernel *plain, const kc_device *device, const kc_options *options,
                                kci_searched *count)
{
    search s = { .context = plain->base.context, .evaluator = kci_evaluator_new(plain, device, options), .time = INFINITY,
                 .before = count->points };
    kci_evaluator *e = s.evaluator;
    kc_kernel *tiled = NULL;
    if (!e)
        return NULL;
    kc_status status = search_all(&s, kernel, device, options);
    count->points += s.points;
    count->rejected += s.rejected;
    if (status != KC_OK) {
        kci_fail(s.context, status, "%s", kc_context_message(e->context));
    } else if (isinf(s.time)) {
        none_runs(&s, plain->name);
    } else if (!s.improved) {
        tiled = kc_retain(kernel);
    } else {
        kc_schedule *schedule = schedule_of(&plain->graph, &s.found, e->sizes);
        tiled = schedule ? kci_kernel_scheduled(plain, schedule) : NULL;
        kc_release(schedule);
    }
    kci_free(e->context, s.found.held, e->graph.tensor_count * sizeof *s.found.held);
    kci_free(e->context, s.found.in_registers, e->graph.tensor_count * sizeof *s.found.in_registers);
    kci_evaluator_free(e);
    return tiled;
}

/* ---- several kernels -------------------------------------------------------------------------- */

/* Has each kernel of x a schedule, so that x has a time to be compared with? */
static bool is_scheduled(const kc_object *x)
{
    if (x->kind == KC_PROGRAM) {
        const kc_program *program = (const kc_program *)(const void *)x;
        for (size_t i = 0; i < program->part_count; i++)
            if (!is_scheduled(program->parts[i].object))
                return false;
        return true;
    }
    const kc_kernel *kernel = (const kc_kernel *)(const void *)x;
    for (size_t i = 0; i < kernel->member_count; i++)
        if (!kernel->members[i]->tiling)
            return false;
    return kernel->member_count > 0 || kernel->tiling || kernel->graph.comm.kind != KCI_NO_COMM;
}

static double time_of(kc_object *x, const kc_device *device, const kc_options *options)
{
    kc_result *r = kc_evaluate(x, device, options);
    double time = r ? r->field[KC_TIME] : INFINITY;
    kc_release(r);
    return time;
}

/* Kernels that are fastest by themselves may be slower together than those they came as: they share a
 * grid, or find less of each other's data in L2.  Takes `found`; the answer is a reference of its own. */
static kc_object *not_slower(kc_object *found, kc_object *own, const kc_device *device, const kc_options *options)
{
    if (!found || !is_scheduled(own) || time_of(own, device, options) > time_of(found, device, options))
        return found;
    kc_release(found);
    return kc_retain(own);
}

/* Each member of a group by itself: their launches share one grid. */
static kc_kernel *best_group(kc_kernel *group, const kc_device *device, const kc_options *options, kci_searched *count)
{
    kc_context *context = group->base.context;
    kc_object **members = kci_alloc(context, group->member_count * sizeof *members);
    size_t done = 0;
    for (; members && done < group->member_count; done++) {
        kc_kernel *member = kci_best_kernel(group->members[done], device, options, count);
        if (!member)
            break;
        members[done] = &member->base;
    }
    kc_kernel *best = members && done == group->member_count ? kc_group(context, group->name, members, done) : NULL;
    for (size_t i = 0; members && i < done; i++)
        kc_release(members[i]);
    kci_free(context, members, group->member_count * sizeof *members);
    return (kc_kernel *)(void *)not_slower((kc_object *)(void *)best, &group->base, device, options);
}

kc_kernel *kci_best_kernel(kc_kernel *kernel, const kc_device *device, const kc_options *options, kci_searched *count)
{
    if (kernel->graph.comm.kind != KCI_NO_COMM || (!kernel->tiling && is_sorted(&kernel->graph)))
        return kc_retain(kernel); /* nothing to choose */
    if (kernel->member_count)
        return best_group(kernel, device, options, count);
    kc_kernel *plain = plain_kernel(kernel);
    kc_kernel *best = plain ? search_kernel(kernel, plain, device, options, count) : NULL;
    kc_release(plain);
    return best;
}

/* ---- programs ---------------------------------------------------------------------------------- */

typedef struct walk {
    kc_context *context;
    const kc_device *device;
    const kc_options *options;
    kci_searched *count;
    kc_object **parts;
    size_t part_count, capacity;
} walk;

static kc_object *best_program(kc_program *program, const kc_device *device, const kc_options *options, kci_searched *count);

static kc_status add_part(walk *w, kc_object *part, double times)
{
    if (!kci_reserve(w->context, &w->parts, &w->capacity, w->part_count + 1, sizeof *w->parts))
        return KC_ENOMEM;
    kc_object *best = part->kind == KC_PROGRAM ? best_program((kc_program *)(void *)part, w->device, w->options, w->count)
                                               : (kc_object *)kci_best_kernel((kc_kernel *)(void *)part, w->device, w->options, w->count);
    if (best && times > 1) {
        kc_object *repeated = (kc_object *)kc_times(best, times);
        kc_release(best);
        best = repeated;
    }
    if (!best)
        return kc_context_status(w->context);
    w->parts[w->part_count++] = best;
    return KC_OK;
}

/* Programs are flattened, but for parts that run beside each other. */
static kc_status add_parts(walk *w, const kc_program *program, double times)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < program->part_count && status == KC_OK; i++) {
        const kci_part *part = &program->parts[i];
        const kc_program *inner = (const kc_program *)(const void *)part->object;
        bool whole = part->object->kind == KC_KERNEL || program->beside || inner->beside;
        status = whole ? add_part(w, part->object, times * part->times) : add_parts(w, inner, times * part->times);
    }
    return status;
}

static kc_object *best_program(kc_program *program, const kc_device *device, const kc_options *options, kci_searched *count)
{
    kc_context *context = program->base.context;
    walk w = { .context = context, .device = device, .options = options, .count = count };
    kc_object *best = NULL;
    if (add_parts(&w, program, 1) == KC_OK)
        best = (kc_object *)(program->beside ? kc_beside : kc_program_new)(context, program->name, w.parts, w.part_count);
    for (size_t i = 0; i < w.part_count; i++)
        kc_release(w.parts[i]);
    kci_free(context, w.parts, w.capacity * sizeof *w.parts);
    return best;
}

/* ---- kc_best ------------------------------------------------------------------------------------- */

kc_status kci_best_possible(kc_context *context, const kc_device *device, const char *call)
{
    if (!device)
        return kci_fail(context, KC_EARGUMENT, "%s: no device", call);
    if (kci_sealed(device, call) != KC_OK)
        return kc_context_status(context);
    const char *unstated = kci_unstated_limit(device);
    return unstated ? kci_fail(context, KC_EDEVICE, "%s: %s does not state %s%s, so no tile can be checked against it; evaluate "
                               "gives the time untiled", call, kci_device_name(device), unstated,
                               strcmp(unstated, "smem.per_core") == 0 ? ", the shared memory of a core" : "")
                    : KC_OK;
}

kc_result *kc_best(kc_object *x, const kc_device *device, const kc_options *options)
{
    if (!x)
        return NULL;
    if (kci_best_possible(x->context, device, "best") != KC_OK)
        return NULL;
    kci_searched count = { 0, 0 };
    kc_object *found = NULL;
    if (x->kind == KC_PROGRAM) {
        found = not_slower(best_program((kc_program *)(void *)x, device, options, &count), x, device, options);
    } else {
        kc_kernel *kernel = kci_as_kernel(x, "best", "x");
        found = kernel ? (kc_object *)kci_best_kernel(kernel, device, options, &count) : NULL;
        kc_release(kernel);
    }
    kc_result *result = found ? kc_evaluate(found, device, options) : NULL;
    if (!result) {
        kc_release(found);
        return NULL;
    }
    result->best = found;
    result->points = result->visited = count.points;
    result->rejected = count.rejected;
    return result;
}

kc_object *kc_result_best(const kc_result *result)
{
    return result && result->best ? kc_retain(result->best) : NULL;
}

double kc_result_searched(const kc_result *result, double *rejected)
{
    if (rejected)
        *rejected = result ? result->rejected : 0;
    return result ? result->points : 0;
}

double kc_result_visited(const kc_result *result)
{
    return result ? result->visited : 0;
}

int kc_result_interrupted(const kc_result *result)
{
    return result && result->interrupted;
}

kc_status kci_result_partial(kc_result *result, double points)
{
    kc_status status = kci_result_words(result);
    return status != KC_OK ? status : kci_note(&result->notes, "partial: the search was interrupted after %.0f of %.0f points, and this is the fastest of those", result->points, points);
}
