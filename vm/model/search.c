/* search.c: the fastest point of a space, by branch and bound: design, sections 2.3 and 7.
 *
 * A box is a range of each inner axis.  Halves of a box are looked at with the lower bound first;
 * one whose bound is above the best time so far is cut.  What is left in the end is evaluated as a
 * sweep does it, so the answer is the sweep's: the least time, and of equal ones the first point.
 *
 * As long as no point is found that runs and is wanted nothing could be cut, so there is a limit on the time
 * too: a little above the bound of everything, and doubled until there is a point below it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "block.h"
#include "bounds.h"
#include "program.h"
#include "result.h"

typedef struct tally {
    double visited, rejected, cut;  /* points */
    double waiting;                 /* of those cut: for the next round */
} tally;

typedef struct search {
    kc_space *space;
    kc_context *context;
    kci_block *block;
    size_t fields[KCI_POINT_FIELDS], field_count;   /* of a point: the time first, all of them for a filter */
    kci_tiling *most;               /* of each kernel: the greatest numbers of a box */
    size_t kernel_count;
    double time, point;             /* of the best so far; INFINITY */
    double limit;                   /* boxes above it wait for the next round */
    bool waiting;                   /* some do */
    bool ended;                     /* by the watch, or by the context's in the middle of a point */
    tally seen;
    double unfit;                   /* the first point that does not run; below 0: none */
    char why[KCI_MESSAGE_BYTES];
    kc_watch watch;
    void *watch_data;
    double boxes, done;             /* for the watch: boxes since it was asked, as if of a small kernel; points that are settled */
    double size;                    /* of the kernels, in small ones; at least 1 */
} search;

/* Values of each axis from `from` up to `to`, which is not in it. */
typedef struct box {
    uint32_t from[KCI_MOST_AXES], to[KCI_MOST_AXES];
} box;

enum { WATCHED = 4096 };          /* boxes of a small kernel between two looks of the watch */
static const double small = 64;   /* nodes */
enum { FEW = 3 };                 /* points for which a bound costs less than they do */
/* The first limit, over the bound of everything. */
static const double FIRST = 1.5;

/* ---- a point --------------------------------------------------------------------------------- */

static double number_of(const kci_axes *axes, const uint32_t *index)
{
    double point = 0;
    for (size_t a = 0; a < axes->count; a++)
        point = point * (double)axes->list[a].count + index[a];
    return point;
}

static kc_status failed_at(const search *s, double point, kc_status status, const char *what)
{
    char values[KCI_PART_BYTES];
    kci_text where = kci_text_part(s->context, values, sizeof values);
    kci_axes_say(&where, &s->space->axes, point);
    return kci_fail(s->context, status, "best: %s at point %.0f (%s)", what, point, values);
}

/* A round begins anew: what the last one settled is settled. */
static void settle(search *s)
{
    s->done = fmax(s->done, s->seen.visited + s->seen.cut - s->seen.waiting);
}

static kc_status end(search *s)
{
    settle(s);
    s->ended = true;
    return kci_fail(s->context, KC_ELIMIT, "best: interrupted after %.0f of %.0f points", s->done, s->space->axes.points);
}

static kc_status filtered(search *s, const uint32_t *index, const double *values, bool *wanted)
{
    double bound = values[KCI_COLUMN_BOUND];
    const kc_point point = { &s->space->axes, index, values, isnan(bound) ? NULL : kci_roof_name((kci_roof)bound),
                             isnan(bound) ? NULL : kci_roof_class((kci_roof)bound) };
    int answer = s->space->filter(s->space->filter_data, &point);
    *wanted = answer > 0;
    s->boxes = WATCHED; /* who knows how long that took */
    return answer < 0 ? failed_at(s, number_of(&s->space->axes, index), KC_ESCRIPT, "the function of where failed") : KC_OK;
}

static void keep_reason(search *s, double point)
{
    kci_text why = kci_text_part(s->context, s->why, sizeof s->why);
    kci_block_reason(&why, s->block, s->block->verdict[0]);
    s->unfit = point;
}

static kc_status visit(search *s, const uint32_t *index)
{
    kci_block *b = s->block;
    double point = number_of(&s->space->axes, index);
    b->first = point;
    b->count = 1;
    kci_block_run(b);
    if (b->status == KC_ENOMEM)
        return kci_fail(s->context, KC_ENOMEM, "not enough memory");
    if (b->status == KC_ELIMIT)
        return end(s);
    s->seen.visited++;
    if (b->status != KC_OK) {
        char what[KCI_WHERE_BYTES + 16];
        snprintf(what, sizeof what, "where: %.150s", b->message[0]);
        return failed_at(s, point, b->status, what);
    }
    bool wanted = b->verdict[0] == KCI_FITS;
    if (!wanted && b->verdict[0] != KCI_EXCLUDED && (s->unfit < 0 || point < s->unfit))
        keep_reason(s, point);
    kc_status status = wanted && s->space->filter ? filtered(s, index, b->values, &wanted) : KC_OK;
    s->seen.rejected += !wanted;
    if (status != KC_OK || !wanted)
        return status;
    double time = b->values[s->space->filter ? KC_TIME : 0];
    if (time < s->time || (time == s->time && point < s->point)) {
        s->time = time;
        s->point = point;
    }
    return KC_OK;
}

/* ---- a box ----------------------------------------------------------------------------------- */

static double points_of(const search *s, const box *b)
{
    double points = 1;
    for (size_t a = s->space->axes.inner; a < s->space->axes.count; a++)
        points *= b->to[a] - b->from[a];
    return points;
}

static void range_of(const kci_sweep_axis *axis, const box *b, size_t a, double *least, double *most)
{
    *least = *most = axis->numbers[b->from[a]];
    for (uint32_t i = b->from[a] + 1; i < b->to[a]; i++) {
        *least = fmin(*least, axis->numbers[i]);
        *most = fmax(*most, axis->numbers[i]);
    }
}

/* Where the number of a kernel's tiling is in its `most`. */
static double *twin_of(const kci_tiling *tiling, kci_tiling *most, const double *number)
{
    return (double *)(void *)((char *)most + ((const char *)number - (const char *)tiling));
}

static bool is_in(const kci_tiling *tiling, const double *number)
{
    return tiling && (const char *)number >= (const char *)tiling && (const char *)number < (const char *)(tiling + 1);
}

static void set_box(search *s, const box *b)
{
    const kci_axes *axes = &s->space->axes;
    double least[KCI_MOST_AXES], most[KCI_MOST_AXES];
    for (size_t a = axes->inner; a < axes->count; a++)
        range_of(&axes->list[a], b, a, &least[a], &most[a]);
    for (size_t i = 0; i < s->block->poke_count; i++) {
        const kci_poke *poke = &s->block->pokes[i];
        *poke->number = least[poke->axis];
        for (size_t k = 0; k < s->kernel_count; k++)
            if (is_in(s->block->evaluators[k]->tiling, poke->number))
                *twin_of(s->block->evaluators[k]->tiling, &s->most[k], poke->number) = most[poke->axis];
    }
}

/* A box above it is not looked at, now or ever. */
static double enough(const search *s)
{
    return fmin(s->time, s->limit);
}

/* Of all kernels; a program is their sum. */
static double least_time(search *s, const box *b)
{
    double sum = 0;
    set_box(s, b);
    for (size_t k = 0; k < s->kernel_count && !(sum * (1 - KCI_ROUNDING) > enough(s)); k++) {
        double times = s->block->times[k];
        sum += times * kci_least_time(s->block->evaluators[k], &s->most[k], (enough(s) - sum) / times);
        s->ended = s->ended || kci_evaluator_ended(s->block->evaluators[k]);
    }
    return sum;
}

/* The axis to halve: what gives points other counts first, the widest of them; then stages; last the raster.
 * SIZE_MAX: the box is a point. */
static size_t widest_axis(const search *s, const box *b)
{
    const kci_axes *axes = &s->space->axes;
    size_t widest = SIZE_MAX;
    double most_spread = 0;
    for (size_t a = axes->inner; a < axes->count; a++) {
        double least, most, spread;
        if (b->to[a] - b->from[a] == 1)
            continue;
        range_of(&axes->list[a], b, a, &least, &most);
        kci_axis_kind kind = axes->list[a].kind;
        spread = kind == KCI_AXIS_GROUP ? 1 : kind == KCI_AXIS_STAGES ? 2 : 2 + most / least;
        if (spread > most_spread) {
            most_spread = spread;
            widest = a;
        }
    }
    return widest;
}

static kc_status look(search *s)
{
    settle(s);
    s->boxes = 0;
    return s->watch && s->watch(s->watch_data, s->done, s->space->axes.points) != 0 ? end(s) : KC_OK;
}

static kc_status watched(search *s, const box *b)
{
    const kci_axes *axes = &s->space->axes;
    enum { VALUES = 512 }; /* looked at while a box of a small kernel is bounded */
    if (s->ended) /* in the middle of a bound */
        return end(s);
    s->boxes += s->size;
    for (size_t a = axes->inner; a < axes->count; a++)
        s->boxes += (double)(b->to[a] - b->from[a]) / VALUES;
    return s->boxes >= WATCHED ? look(s) : KC_OK;
}

static kc_status search_box(search *s, const box *b, double least);

/* A bound is worth its work where it may cut several points and can be above that of the whole box: other stages and
 * rasters change nothing but what fits, until only rasters are left. */
static bool is_worth_a_bound(const search *s, const box *half, kci_axis_kind halved)
{
    const kci_axes *axes = &s->space->axes;
    bool stages = false;
    for (size_t a = axes->inner; a < axes->count; a++)
        stages = stages || (axes->list[a].kind == KCI_AXIS_STAGES && half->to[a] - half->from[a] > 1);
    return points_of(s, half) >= FEW && halved != KCI_AXIS_GROUP && (halved != KCI_AXIS_STAGES || !stages);
}

static kc_status search_halves(search *s, const box *b, size_t axis, double whole)
{
    box half[2] = { *b, *b };
    double least[2];
    half[0].to[axis] = half[1].from[axis] = b->from[axis] + (b->to[axis] - b->from[axis]) / 2;
    for (int i = 0; i < 2; i++)
        least[i] = is_worth_a_bound(s, &half[i], s->space->axes.list[axis].kind) ? least_time(s, &half[i]) : whole;
    int first = least[1] < least[0];
    kc_status status = search_box(s, &half[first], least[first]);
    return status == KC_OK ? search_box(s, &half[!first], least[!first]) : status;
}

static kc_status search_box(search *s, const box *b, double least)
{
    kc_status status = watched(s, b);
    if (status != KC_OK)
        return status;
    if (least * (1 - KCI_ROUNDING) > enough(s)) {
        bool waits = isfinite(least) && !(least * (1 - KCI_ROUNDING) > s->time);
        s->seen.cut += points_of(s, b);
        s->seen.waiting += waits ? points_of(s, b) : 0;
        s->waiting = s->waiting || waits;
        return KC_OK;
    }
    size_t axis = widest_axis(s, b);
    return axis == SIZE_MAX ? visit(s, b->from) : search_halves(s, b, axis, least);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void drop_most(search *s)
{
    kci_free(s->context, s->most, s->kernel_count * sizeof *s->most);
    s->most = NULL;
    s->kernel_count = 0;
}

/* The evaluators of an outer point; one that can't be made is a reason. */
static kc_status rig(search *s, double outer, const uint32_t *index)
{
    kci_variant variant = { .count = 0 };
    char obstacle[KCI_MESSAGE_BYTES];
    drop_most(s);
    kc_status status = kci_variant_make(s->space, index, &variant);
    snprintf(obstacle, sizeof obstacle, "%s", kc_context_message(s->context));
    if (status != KC_ENOMEM)
        status = kci_block_rig(s->block, outer, status == KC_OK ? &variant : NULL, obstacle);
    kci_variant_free(s->space, &variant);
    if (status != KC_OK)
        return status;
    s->most = kci_alloc(s->context, s->block->kernel_count * sizeof *s->most);
    if (!s->most)
        return KC_ENOMEM;
    s->kernel_count = s->block->kernel_count;
    for (size_t k = 0; k < s->kernel_count; k++) {
        s->block->evaluators[k]->options.no_serial = true;
        if (s->block->evaluators[k]->tiling)
            s->most[k] = *s->block->evaluators[k]->tiling;
    }
    return KC_OK;
}

static kc_status search_outer(search *s, double outer)
{
    const kci_axes *axes = &s->space->axes;
    box b;
    kci_axes_at(axes, outer * axes->inner_points, b.from);
    for (size_t a = 0; a < axes->count; a++)
        b.to[a] = a < axes->inner ? b.from[a] + 1 : (uint32_t)axes->list[a].count;
    kc_status status = rig(s, outer, b.from);
    if (status != KC_OK)
        return status;
    s->limit = INFINITY;
    double least = s->block->obstacle ? 0 : least_time(s, &b);
    const tally before = s->seen;
    for (s->limit = least > 0 ? FIRST * least : INFINITY, s->waiting = true; status == KC_OK && s->waiting; s->limit *= 2) {
        s->seen = before;
        s->waiting = false;
        status = search_box(s, &b, least);
        s->waiting = s->waiting && s->time > s->limit;
    }
    return status;
}

/* x and the device of a point: new references.  NULL: it can't be made. */
static kc_object *object_at(const search *s, double point, kc_device **device)
{
    uint32_t index[KCI_MOST_AXES];
    kci_variant variant = { .count = 0 };
    kci_axes_at(&s->space->axes, point, index);
    kc_object *x = kci_variant_make(s->space, index, &variant) == KC_OK ? kci_variant_object(s->space, &variant) : NULL;
    *device = x ? kc_retain(variant.device) : NULL;
    kci_variant_free(s->space, &variant);
    return x;
}

/* By how much the first point does not fit, and what would: as evaluate says it. */
static kc_status nothing_runs(const search *s)
{
    if (s->unfit < 0)
        return kci_fail(s->context, KC_EARGUMENT, "best: where leaves none of the %.0f points of the space", s->space->axes.points);
    kc_device *device;
    kc_object *x = object_at(s, s->unfit, &device);
    kc_result *runs = x ? kci_ask(x, device, s->space->options, "best") : NULL;
    kc_status status = kc_context_status(s->context);
    char values[KCI_PART_BYTES];
    kci_text where = kci_text_part(s->context, values, sizeof values);
    kci_axes_say(&where, &s->space->axes, s->unfit);
    if (runs || status != KC_ENOMEM)
        status = kci_fail(s->context, KC_EDEVICE, "best: none of the %.0f points of the space runs; point %.0f (%s): %s",
                          s->space->axes.points, s->unfit, values,
                          runs ? s->why : kc_context_message(s->context)); /* it runs: a figure leaves the range of a double */
    kc_release(runs);
    kc_release(x);
    kc_release(device);
    return status;
}

/* The best point, evaluated. */
static kc_result *answer(const search *s)
{
    kc_device *device;
    kc_object *found = object_at(s, s->point, &device);
    kc_result *result = found ? kc_evaluate(found, device, s->space->options) : NULL;
    kc_release(device);
    if (!result) {
        kc_release(found);
        return NULL;
    }
    result->best = found;
    result->own_space = true;
    result->points = s->ended ? s->done : s->space->axes.points;
    result->visited = s->seen.visited;
    result->rejected = s->seen.rejected;
    result->interrupted = s->ended;
    if (!s->ended || kci_result_partial(result, s->space->axes.points) == KC_OK)
        return result;
    kc_release(result);
    return NULL;
}

static bool has_device(const kc_space *space)
{
    for (size_t a = 0; a < space->axes.count; a++)
        if (space->axes.list[a].kind == KCI_AXIS_DEVICE)
            return true;
    kci_fail(space->base.context, KC_EARGUMENT, "best: no device");
    return false;
}

static kc_status add_size(void *data, kc_kernel *kernel, double times)
{
    (void)times;
    *(double *)data += fmax(1, (double)kernel->graph.node_count / small);
    return KC_OK;
}

kc_result *kc_space_best(kc_space *space, kc_watch watch, void *data)
{
    if (!space || !has_device(space) || kci_space_ready(space) != KC_OK)
        return NULL;
    if (!watch)
        watch = kci_context_watch(space->base.context, &data);
    search s = { .space = space, .context = space->base.context, .time = INFINITY, .unfit = -1, .watch = watch, .watch_data = data };
    if (space->x->kind == KC_PROGRAM)
        kci_program_visit((const kc_program *)(const void *)space->x, add_size, &s.size);
    else
        add_size(&s.size, (kc_kernel *)(void *)space->x, 1);
    s.size = fmax(1, s.size);
    s.field_count = space->filter ? KCI_POINT_FIELDS : 1;
    for (size_t f = 0; f < s.field_count; f++)
        s.fields[f] = space->filter ? f : KC_TIME;
    s.block = kci_block_new(space, "best", s.fields, s.field_count);
    kc_status status = s.block ? look(&s) : KC_ENOMEM;
    for (double outer = 0; status == KC_OK && outer < space->axes.points / space->axes.inner_points; outer++)
        status = search_outer(&s, outer);
    drop_most(&s);
    kci_block_free(s.block);
    if (status == KC_OK && isinf(s.time))
        status = nothing_runs(&s);
    if (s.ended && isfinite(s.time))
        status = KC_OK; /* with the best so far */
    else if (!s.ended && watch)
        watch(data, space->axes.points, space->axes.points);
    if (status == KC_ENOMEM)
        kci_fail(s.context, KC_ENOMEM, "not enough memory");
    return status == KC_OK ? answer(&s) : NULL;
}
