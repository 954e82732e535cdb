/* points.c: x on one device at many points, given and answered as columns; kc_evaluator.
 *
 * A space whose axes have one value each, which a point writes over, and a block of one
 * point: so each point costs what a sweep, and kc_evaluate, say that it does. */
#include <math.h>
#include <string.h>

#include "block.h"
#include "kernels.h"
#include "object.h"
#include "program.h"

enum { WATCHED = 1024 };            /* points between two looks of the context's watch */

struct kc_evaluator {
    kc_object base;
    kc_space *space;
    kci_block *block;
    size_t *columns;                /* of each column that goes in: its axis */
    size_t column_count;
    size_t *fields;                 /* that come out */
    size_t field_count;
    char *reason;                   /* why the last point does not run; NULL: it runs */
};

void kci_evaluator_destroy(kc_object *object)
{
    kc_evaluator *e = (kc_evaluator *)(void *)object;
    kc_context *context = object->context;
    kci_block_free(e->block);
    kci_free(context, e->columns, e->column_count * sizeof *e->columns);
    kci_free(context, e->fields, e->field_count * sizeof *e->fields);
    kci_free_text(context, e->reason);
    kc_release(e->space);
    kci_free(context, e, sizeof *e);
}

void kci_print_evaluator(kci_text *text, const kc_object *object)
{
    const kc_evaluator *e = (const kc_evaluator *)(const void *)object;
    kci_text_format(text, "evaluator of %s", kc_object_name(e->space->x));
    for (size_t c = 0; c < e->space->axes.column_count; c++)
        kci_text_format(text, "%s%s", c ? ", " : " over ", e->space->axes.columns[c].text);
}

/* ---- axes ----------------------------------------------------------------------------- */

typedef struct dim {                /* the size that a kernel has of a dim */
    const char *name;
    double size;
} dim;

static kc_status find_size(void *data, kc_kernel *kernel, double times)
{
    dim *d = data;
    (void)times;
    for (size_t l = 0; l < kernel->graph.loop_count; l++)
        if (strcmp(kci_name(kernel->base.context, kernel->graph.loops[l].name), d->name) == 0)
            d->size = kernel->graph.loops[l].size;
    return KC_OK;
}

/* A value that the axis may have before there is a point: what x and the device have. */
static double any_value(const kc_space *space, const kci_sweep_axis *axis, const kc_device *device)
{
    double value = 1;
    if (axis->kind == KCI_AXIS_FIGURE)
        return device && kc_device_get(device, axis->path, &value) == KC_OK ? value : 1;
    if (axis->kind != KCI_AXIS_SIZE)
        return 1;
    dim d = { kci_name(space->base.context, axis->names[0]), 1 };
    if (space->x->kind == KC_PROGRAM)
        kci_program_visit((const kc_program *)(const void *)space->x, find_size, &d);
    else
        find_size(&d, (kc_kernel *)(void *)space->x, 1);
    return d.size;
}

static kc_status add_axis(kc_space *space, const char *name, const kc_device *device)
{
    kc_context *context = space->base.context;
    kci_sweep_axis *axis = name ? kci_axes_named(&space->axes, name) : NULL;
    if (!name)
        return kci_fail(context, KC_EARGUMENT, "evaluator: an axis has no name");
    if (!axis)
        return kc_context_status(context);
    if (axis->count)
        return kci_fail(context, KC_EARGUMENT, "evaluator: the axis '%.80s' is there twice", name);
    return kci_axis_add_number(&space->axes, axis, any_value(space, axis, device));
}

/* After the axes were put into order: where each one is; "tile.i j" begins with a column "tile.i". */
static kc_status find_axes(kc_evaluator *e, const char *const *names)
{
    kc_context *context = e->base.context;
    for (size_t c = 0; c < e->column_count; c++) {
        kci_text first = { .context = context };
        const char *name = names[c] + strspn(names[c], " ");
        kci_text_add_n(&first, name, strcspn(name, " "));
        if (!first.failed)
            kci_axes_find(&e->space->axes, first.bytes, &e->columns[c]);
        kci_text_free(&first);
        if (first.failed)
            return KC_ENOMEM;
    }
    return KC_OK;
}

/* ---- making one -------------------------------------------------------------------------- */

static kc_status set_fields(kc_evaluator *e, const kc_field *fields)
{
    for (size_t f = 0; f < e->field_count; f++) {
        if (fields[f] < 0 || fields[f] >= KC_FIELD_COUNT)
            return kci_fail(e->base.context, KC_EARGUMENT, "evaluator: there is no field %d", (int)fields[f]);
        e->fields[f] = fields[f];
    }
    return KC_OK;
}

static kc_status compile(kc_evaluator *e, const kc_device *device, const kc_options *options, const char *const *axes,
                         const kc_field *fields)
{
    kc_status status = device ? kc_space_device(e->space, (kc_device *)(uintptr_t)device) : KC_OK;
    if (status == KC_OK)
        status = kc_space_options(e->space, options);
    for (size_t c = 0; c < e->column_count && status == KC_OK; c++)
        status = add_axis(e->space, axes[c], device);
    if (status == KC_OK)
        status = kci_space_ready(e->space);
    if (status == KC_OK)
        status = find_axes(e, axes);
    if (status == KC_OK)
        status = set_fields(e, fields);
    if (status == KC_OK && !(e->block = kci_block_new(e->space, "evaluator", e->fields, e->field_count)))
        status = KC_ENOMEM;
    return status;
}

kc_evaluator *kc_evaluator_new(kc_object *x, const kc_device *device, const kc_options *options,
                               const char *const *axes, size_t axis_count, const kc_field *fields, size_t field_count)
{
    if (!x)
        return NULL;
    kc_context *context = x->context;
    if ((axis_count && !axes) || !field_count || !fields) {
        kci_fail(context, KC_EARGUMENT, "evaluator: it wants the names of axes, and at least one field");
        return NULL;
    }
    if (!kci_texts_given(context, "evaluator", "axes", axes, axis_count))
        return NULL;
    kc_evaluator *e = kci_new(context, KC_EVALUATOR, sizeof *e);
    if (!e)
        return NULL;
    e->space = kc_space_new(x);
    e->columns = kci_alloc(context, axis_count * sizeof *e->columns);
    e->fields = kci_alloc(context, field_count * sizeof *e->fields);
    e->column_count = e->columns ? axis_count : 0;
    e->field_count = e->fields ? field_count : 0;
    if (e->space && e->columns && e->fields && compile(e, device, options, axes, fields) == KC_OK)
        return e;
    kc_release(e);
    return NULL;
}

/* ---- points ------------------------------------------------------------------------------- */

/* Writes a point over the values of the axes.  *outer: another kernel or device is wanted. */
static kc_status move_to(kc_evaluator *e, const double *const *columns, size_t point, bool *outer)
{
    kci_axes *axes = &e->space->axes;
    for (size_t c = 0; c < e->column_count; c++) {
        kci_sweep_axis *axis = &axes->list[e->columns[c]];
        if (axis->numbers[0] == columns[c][point])
            continue;
        axis->count = 0; /* checked, and put in the place of the one that was there */
        kc_status status = kci_axis_add_number(axes, axis, columns[c][point]);
        axis->count = 1;
        if (status != KC_OK)
            return status;
        *outer = *outer || e->columns[c] < axes->inner;
    }
    return KC_OK;
}

static kc_status rig(kc_evaluator *e)
{
    kc_context *context = e->base.context;
    uint32_t index[KCI_MOST_AXES] = { 0 };
    kci_variant variant = { .count = 0 };
    kc_status status = kci_variant_make(e->space, index, &variant);
    if (status == KC_OK)
        status = kci_block_rig(e->block, 0, &variant, "");
    kci_variant_free(e->space, &variant);
    if (status != KC_OK)
        e->block->outer = -1; /* to be made anew for the next point */
    return status == KC_OK ? KC_OK : kci_fail(context, status, "%s", kc_context_message(context));
}

/* KC_EARGUMENT, KC_EDEVICE: the point does not run. */
static kc_status run_point(kc_evaluator *e, const double *const *columns, size_t point)
{
    kci_block *b = e->block;
    bool outer = b->outer < 0;
    kc_status status = move_to(e, columns, point, &outer);
    if (status != KC_OK)
        b->outer = outer ? -1 : b->outer;
    if (status == KC_OK && outer)
        status = rig(e);
    if (status != KC_OK)
        return status;
    b->first = 0;
    b->count = 1;
    kci_block_run(b);
    if (b->status != KC_OK)
        return kci_fail(e->base.context, b->status, "%s", b->message[0]);
    return b->verdict[0] == KCI_FITS ? KC_OK : KC_EDEVICE;
}

static kc_status keep_reason(kc_evaluator *e, kc_status status)
{
    kci_text text = { .context = e->base.context };
    kci_free_text(e->base.context, e->reason);
    e->reason = NULL;
    if (status == KC_OK)
        return KC_OK;
    if (status == KC_EDEVICE && e->block->outer >= 0)
        kci_block_reason(&text, e->block, e->block->verdict[0]);
    else
        kci_text_add(&text, kc_context_message(e->base.context));
    return kci_text_keep(&text, &e->reason) ? KC_OK : KC_ENOMEM;
}

static bool has_columns(const kc_evaluator *e, const double *const *axes, double *const *fields)
{
    bool all = fields && (axes || e->column_count == 0);
    for (size_t a = 0; all && a < e->column_count; a++)
        all = axes[a] != NULL;
    for (size_t f = 0; all && f < e->field_count; f++)
        all = fields[f] != NULL;
    return all;
}

kc_status kc_evaluator_run(kc_evaluator *e, size_t points, const double *const *axes, double *const *fields,
                           kc_status *statuses)
{
    if (!e)
        return KC_EARGUMENT;
    kc_context *context = e->base.context;
    if (!has_columns(e, axes, fields))
        return kci_fail(context, KC_EARGUMENT, "evaluator: a column is missing");
    kc_status status = KC_OK;
    for (size_t p = 0; p < points; p++) {
        if (p % WATCHED == 0 && kci_watched(context, "evaluator", (double)p, (double)points) != KC_OK)
            return KC_ELIMIT;
        status = run_point(e, axes, p);
        if (status == KC_ENOMEM || status == KC_ELIMIT)
            return status;
        for (size_t f = 0; f < e->field_count; f++)
            fields[f][p] = status == KC_OK ? e->block->values[f] : NAN;
        if (statuses)
            statuses[p] = status;
    }
    return points ? keep_reason(e, status) : KC_OK;
}

const char *kc_evaluator_reason(const kc_evaluator *e)
{
    return e ? e->reason : NULL;
}
