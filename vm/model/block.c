/* block.c: a run of points, evaluated by one thread. */
#include "block.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "occupancy.h"
#include "result.h"
#include "where_code.h"

/* Steps of an evaluation (kci_spend), and of each node in it. */
enum { POINT_STEPS = 50, NODE_STEPS = 15 };

/* ---- evaluators of one outer point -------------------------------------------------- */

/* All but the evaluators, which may serve the next outer point as well. */
static void forget_point(kci_block *b)
{
    kc_release(b->device);
    kci_free_text(b->space->base.context, b->obstacle);
    b->device = NULL;
    b->obstacle = NULL;
    b->poke_count = 0;
    b->outer = -1;
}

static void unrig(kci_block *b)
{
    kc_context *context = b->space->base.context;
    forget_point(b);
    for (size_t i = 0; b->evaluators && i < b->kernel_count; i++)
        kci_evaluator_free(b->evaluators[i]);
    kci_free(context, (void *)b->evaluators, b->kernel_count * sizeof *b->evaluators);
    kci_free(context, b->times, b->kernel_count * sizeof *b->times);
    b->evaluators = NULL;
    b->times = NULL;
    b->kernel_count = 0;
}

kci_block *kci_block_new(const kc_space *space, const char *call, const size_t *fields, size_t field_count)
{
    kc_context *context = space->base.context;
    kci_block *b = kci_alloc(context, sizeof *b);
    if (!b)
        return NULL;
    b->space = space;
    b->call = call;
    b->fields = fields;
    b->field_count = field_count;
    b->outer = -1;
    b->values = kci_alloc(context, KCI_BLOCK_POINTS * field_count * sizeof *b->values);
    if (b->values)
        return b;
    kci_free(context, b, sizeof *b);
    return NULL;
}

void kci_block_free(kci_block *b)
{
    if (!b)
        return;
    kc_context *context = b->space->base.context;
    unrig(b);
    kci_free(context, b->pokes, b->poke_capacity * sizeof *b->pokes);
    kci_free(context, b->values, KCI_BLOCK_POINTS * b->field_count * sizeof *b->values);
    kci_free(context, b, sizeof *b);
}

static kc_status add_poke(kci_block *b, size_t axis, double *number)
{
    if (!kci_reserve(b->space->base.context, &b->pokes, &b->poke_capacity, b->poke_count + 1, sizeof *b->pokes))
        return KC_ENOMEM;
    b->pokes[b->poke_count++] = (kci_poke){ axis, number };
    return KC_OK;
}

/* Tiles and splits go by loop. */
static kc_status poke_loops(kci_block *b, size_t a, kci_evaluator *e)
{
    const kci_sweep_axis *axis = &b->space->axes.list[a];
    kc_status status = KC_OK;
    for (size_t l = 0; l < e->graph.loop_count; l++)
        for (size_t i = 0; i < axis->name_count && status == KC_OK; i++)
            if (e->graph.loops[l].name == axis->names[i])
                status = add_poke(b, a, axis->kind == KCI_AXIS_TILE ? &e->tiling->tile[l] : &e->tiling->split[l]);
    return status;
}

static kc_status poke_kernel(kci_block *b, kci_evaluator *e, const kc_kernel *kernel)
{
    const kci_axes *axes = &b->space->axes;
    kc_status status = KC_OK;
    for (size_t a = axes->inner; a < axes->count && status == KC_OK; a++) {
        const kci_sweep_axis *axis = &axes->list[a];
        if (!kci_axis_applies(b->space, axis, kernel))
            continue;
        double *number = axis->kind == KCI_AXIS_STAGES ? &e->tiling->stages
                         : axis->kind == KCI_AXIS_WARPS ? &e->tiling->warps
                         : axis->kind == KCI_AXIS_GROUP ? &e->tiling->raster_group
                                                        : NULL;
        status = number ? add_poke(b, a, number) : poke_loops(b, a, e);
    }
    return status;
}

/* The serial sum changes no other field, and is left out where nobody asks for it. */
static bool asks_for(const kci_block *b, size_t field)
{
    for (size_t i = 0; i < b->field_count; i++)
        if (b->fields[i] == field)
            return true;
    return b->space->where && kci_where_asks(b->space->where, field);
}

/* The evaluator of kernel i: where only sizes and figures differ, the one of the outer point before. */
static kci_evaluator *evaluator_of(kci_block *b, size_t i, const kc_kernel *kernel, const kc_device *device)
{
    kci_evaluator *before = b->evaluators[i];
    if (before && kci_evaluator_move(before, kernel, device))
        return before;
    kci_evaluator_free(before);
    b->evaluators[i] = kci_evaluator_new(kernel, device, b->space->options);
    return b->evaluators[i];
}

static kc_status rig(kci_block *b, const kci_variant *variant)
{
    kc_context *context = b->space->base.context;
    if (!b->evaluators) {
        b->evaluators = kci_alloc(context, variant->count * sizeof *b->evaluators);
        b->times = kci_alloc(context, variant->count * sizeof *b->times);
        b->kernel_count = variant->count;
    }
    b->device = kc_retain(variant->device);
    if (!b->evaluators || !b->times)
        return KC_ENOMEM;
    for (size_t i = 0; i < variant->count; i++) {
        const kc_kernel *kernel = variant->kernels[i].kernel;
        kci_evaluator *e = evaluator_of(b, i, kernel, variant->device);
        if (!e)
            return kc_context_status(context);
        e->options.quiet = true;
        e->options.no_serial = !asks_for(b, KC_SERIAL_TIME);
        b->times[i] = variant->kernels[i].times;
        kc_status status = poke_kernel(b, e, kernel);
        if (status != KC_OK)
            return status;
    }
    return KC_OK;
}

kc_status kci_block_rig(kci_block *b, double outer, const kci_variant *variant, const char *obstacle)
{
    kc_status status = KC_OK;
    if (variant && b->kernel_count == variant->count)
        forget_point(b);
    else
        unrig(b);
    if (variant)
        status = rig(b, variant);
    else if (!(b->obstacle = kci_copy_text(b->space->base.context, obstacle)))
        status = KC_ENOMEM;
    if (status == KC_OK)
        b->outer = outer;
    else
        unrig(b);
    return status;
}

/* ---- one point -------------------------------------------------------------------------- */

static uint32_t message(kci_block *b, const char *text)
{
    char shorter[KCI_MESSAGE_BYTES];
    snprintf(shorter, sizeof shorter, "%s", text);
    size_t i = 0;
    while (i < b->message_count && strcmp(b->message[i], shorter) != 0)
        i++;
    if (i == KCI_BLOCK_MESSAGES)
        i--;
    if (i == b->message_count)
        memcpy(b->message[b->message_count++], shorter, sizeof shorter);
    return (uint32_t)(KCI_MESSAGE + i);
}

/* Why the kernel does not run; no memory, or the end of it all, is no such reason. */
static uint32_t why_not(kci_block *b, size_t kernel)
{
    const kci_evaluator *e = b->evaluators[kernel];
    if (e->device && e->tiling && e->times.misfit)
        return (uint32_t)(KCI_MISFIT + (kernel < 1000 ? kernel : 1000) * 32 + e->times.misfit);
    return message(b, kc_context_message(e->context));
}

/* What a program's result has of its kernels': see kci_result_add_kernel. */
static void add_fields(double *total, const double *field, double times)
{
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        if (kci_field_kind_of((kc_field)f) == KCI_FIELD_SUM && !isnan(field[f])) {
            double of_all = times != 1 ? field[f] * times : field[f];
            total[f] = isnan(total[f]) ? of_all : total[f] + of_all;
        }
}

/* The context's watch is asked now and then, whatever points and kernels the steps were of.  False: it ended the block, and
 * the first evaluator's context has the sentence. */
static bool goes_on(kci_block *b, size_t steps)
{
    if (kci_spend(b->evaluators[0]->context, b->call, steps) != KC_OK)
        b->status = KC_ELIMIT;
    return b->status == KC_OK;
}

/* The fields of the point and its bound; else the verdict. */
static uint32_t cost(kci_block *b, double *field, kci_roof *bound)
{
    bool program = b->space->x->kind == KC_PROGRAM;
    double of_kernel[KC_FIELD_COUNT], longest = -1;
    if (program)
        kci_fields_clear(field);
    for (size_t i = 0; i < b->kernel_count; i++) {
        kci_evaluator *e = b->evaluators[i];
        e->times.misfit = 0; /* of the point before */
        if (!goes_on(b, POINT_STEPS + NODE_STEPS * e->graph.node_count))
            return message(b, kc_context_message(b->evaluators[0]->context));
        kc_status status = kci_evaluate(e);
        if (status == KC_ENOMEM || kci_evaluator_ended(e))
            b->status = status;
        if (status != KC_OK)
            return why_not(b, i);
        kci_evaluator_fields(e, program ? of_kernel : field);
        double time = e->times.time * b->times[i];
        if (e->device && time > longest) {
            longest = time;
            *bound = e->times.bound;
            field[KC_RIDGE] = program ? of_kernel[KC_RIDGE] : field[KC_RIDGE];
        }
        if (program)
            add_fields(field, of_kernel, b->times[i]);
    }
    if (program)
        kci_fields_derived(field);
    bool infinite = false;
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        infinite |= fabs(field[f]) > DBL_MAX;
    return infinite ? message(b, "a figure leaves the range of a double") : KCI_FITS;
}

/* ---- all of them --------------------------------------------------------------------------- */

static void set_axis(kci_block *b, size_t axis, uint32_t at)
{
    for (size_t i = 0; i < b->poke_count; i++)
        if (b->pokes[i].axis == axis)
            *b->pokes[i].number = b->space->axes.list[axis].numbers[at];
}

/* The next point: the last axis varies fastest. */
static void step(kci_block *b, uint32_t *index)
{
    const kci_axes *axes = &b->space->axes;
    for (size_t a = axes->count; a-- > axes->inner;) {
        index[a] = index[a] + 1 < axes->list[a].count ? index[a] + 1 : 0;
        set_axis(b, a, index[a]);
        if (index[a] > 0)
            return;
    }
}

/* Ends the block at a point. */
static void stop(kci_block *b, size_t i, kc_status status, const char *text)
{
    b->status = status;
    b->count = i;
    if (text != b->message[0])
        snprintf(b->message[0], sizeof b->message[0], "%s", text);
}

static bool is_wanted(kci_block *b, size_t i, const kc_point *point, bool *wanted)
{
    char reason[KCI_WHERE_BYTES];
    if (b->evaluators && !goes_on(b, b->space->where->count)) {
        stop(b, i, KC_ELIMIT, kc_context_message(b->evaluators[0]->context));
        return false;
    }
    kc_status status = kci_where_run(b->space->where, point, wanted, reason);
    if (status != KC_OK)
        stop(b, i, status, reason);
    return status == KC_OK;
}

static void store(kci_block *b, const double *field, kci_roof bound)
{
    double *values = b->values + b->fit++ * b->field_count;
    for (size_t i = 0; i < b->field_count; i++)
        values[i] = b->fields[i] < KC_FIELD_COUNT ? field[b->fields[i]] : b->device ? (double)bound : NAN;
}

/* False: the block ends here. */
static bool run_point(kci_block *b, size_t i, const uint32_t *index)
{
    const kci_where *where = b->space->where;
    double field[KC_FIELD_COUNT];
    kci_roof bound = KCI_ROOFS;
    kc_point point = { .axes = &b->space->axes, .index = index };
    bool wanted = true, early = where && !kci_where_needs_fields(where);
    if (early && !is_wanted(b, i, &point, &wanted))
        return false;
    b->verdict[i] = KCI_EXCLUDED;
    if (!wanted)
        return true;
    b->verdict[i] = b->obstacle ? message(b, b->obstacle) : cost(b, field, &bound);
    if (b->status != KC_OK) {
        stop(b, i, b->status, b->status == KC_ENOMEM ? "not enough memory" : b->message[b->verdict[i] - KCI_MESSAGE]);
        return false;
    }
    if (b->verdict[i] != KCI_FITS)
        return true;
    if (where && !early) {
        point.field = field;
        point.bound = b->device ? kci_roof_name(bound) : NULL;
        point.class_name = b->device ? kci_roof_class(bound) : NULL;
        if (!is_wanted(b, i, &point, &wanted))
            return false;
        if (!wanted)
            b->verdict[i] = KCI_EXCLUDED;
    }
    if (wanted)
        store(b, field, bound);
    return true;
}

void kci_block_run(kci_block *b)
{
    uint32_t index[KCI_MOST_AXES];
    const kci_axes *axes = &b->space->axes;
    kci_axes_at(axes, b->first, index);
    for (size_t a = axes->inner; a < axes->count; a++)
        set_axis(b, a, index[a]);
    b->fit = b->message_count = 0;
    b->status = KC_OK;
    size_t count = b->count;
    for (size_t i = 0; i < count && run_point(b, i, index); i++)
        step(b, index);
}

void kci_block_reason(kci_text *text, const kci_block *b, uint32_t verdict)
{
    if (verdict == KCI_EXCLUDED) {
        kci_text_add(text, "where");
        return;
    }
    if (verdict < KCI_MISFIT) {
        kci_text_add(text, b->message[verdict - KCI_MESSAGE]);
        return;
    }
    unsigned limits = (verdict - KCI_MISFIT) % 32;
    bool first = true;
    if (b->space->x->kind == KC_PROGRAM)
        kci_text_format(text, "kernel %u: ", (verdict - KCI_MISFIT) / 32 + 1);
    for (int limit = 0; limit < KCI_BY_COUNT; limit++)
        if (limits & 1u << limit) {
            kci_text_format(text, "%s%s", first ? "" : " and ", kci_limit_name((kci_limit_of)limit));
            first = false;
        }
}
