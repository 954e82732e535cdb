/* space.c: what is swept, setter by setter. */
#include "space.h"

#include <math.h>
#include <string.h>

#include "ask.h"
#include "device.h"
#include "kernels.h"
#include "object.h"
#include "tensor.h"

/* ---- life ------------------------------------------------------------------------- */

static kc_status refuse_group(void *data, kc_kernel *kernel, double times)
{
    (void)data;
    (void)times;
    if (kernel->member_count == 0)
        return KC_OK;
    return kci_fail(kernel->base.context, KC_EARGUMENT, "sweep: '%.80s' is a group; sweep its kernels before grouping them",
                    kernel->name);
}

static kc_object *swept(kc_object *x)
{
    if (x->kind == KC_PROGRAM && kci_program_overlaps((const kc_program *)(const void *)x)) {
        kci_fail(x->context, KC_EARGUMENT, "sweep: '%.80s' runs kernels beside each other, and a sweep adds them up; sweep its parts, "
                 "or evaluate it in a loop", kc_object_name(x));
        return NULL;
    }
    if (x->kind == KC_PROGRAM)
        return kci_program_visit((const kc_program *)(const void *)x, refuse_group, NULL) == KC_OK ? kc_retain(x) : NULL;
    kc_kernel *kernel = kci_as_kernel(x, "sweep", "kernel");
    if (kernel && refuse_group(NULL, kernel, 1) != KC_OK) {
        kc_release(kernel);
        return NULL;
    }
    return (kc_object *)(void *)kernel;
}

kc_space *kc_space_new(kc_object *x)
{
    if (!x)
        return NULL;
    kc_object *of = swept(x);
    kc_space *space = of ? kci_new(x->context, KC_SPACE, sizeof *space) : NULL;
    if (!space) {
        kc_release(of);
        return NULL;
    }
    space->x = of;
    space->axes.context = x->context;
    space->part = space->parts = 1;
    return space;
}

void kci_space_destroy(kc_object *object)
{
    kc_space *space = (kc_space *)(void *)object;
    kc_context *context = object->context;
    kci_axes_free(&space->axes);
    kci_where_free(space->where);
    kci_free_text(context, space->where_text);
    kci_free_text(context, space->per);
    kc_release(space->x);
    kc_release(space->options);
    kci_free(context, space, sizeof *space);
}

void kci_print_space(kci_text *text, const kc_object *object)
{
    const kc_space *space = (const kc_space *)(const void *)object;
    kci_text_format(text, "space of %s", kc_object_name(space->x));
    for (size_t a = 0; a < space->axes.count; a++) {
        const kci_sweep_axis *axis = &space->axes.list[a];
        kci_text_format(text, "%s%s %zu", a ? ", " : ": ", axis->path ? axis->path : kci_axis_kind_name(axis->kind), axis->count);
    }
}

/* ---- setters --------------------------------------------------------------------------- */

/* A space that may still be changed. */
static kc_status open_space(kc_space *space)
{
    if (!space)
        return KC_EARGUMENT;
    if (space->swept)
        return kci_fail(space->base.context, KC_EARGUMENT, "sweep: the space has been swept and no longer changes; make a new one");
    space->ready = false;
    return KC_OK;
}

static kci_sweep_axis *axis_of(kc_space *space, const char *axis)
{
    return open_space(space) == KC_OK ? kci_axes_named(&space->axes, axis ? axis : "") : NULL;
}

static kc_status why(const kc_space *space)
{
    return space ? kc_context_status(space->base.context) : KC_EARGUMENT;
}

static kc_status no_values(kc_space *space, const char *axis)
{
    return kci_fail(space->base.context, KC_EARGUMENT, "sweep: %.80s has no values; leave it out, or give at least one", axis);
}

static kc_status add_numbers(kc_space *space, kci_sweep_axis *axis, const char *name, const double *numbers, size_t count)
{
    if (count == 0)
        return no_values(space, name);
    if (!kci_array_given(space->base.context, name, "numbers", numbers, count))
        return KC_EARGUMENT;
    kc_status status = KC_OK;
    for (size_t i = 0; i < count && status == KC_OK; i++)
        status = kci_axis_add_number(&space->axes, axis, numbers[i]);
    return status;
}

static kc_status add_texts(kc_space *space, kci_sweep_axis *axis, const char *name, const char *const *texts, size_t count)
{
    if (count == 0)
        return no_values(space, name);
    if (!kci_texts_given(space->base.context, name, "texts", texts, count))
        return KC_EARGUMENT;
    kc_status status = KC_OK;
    for (size_t i = 0; i < count && status == KC_OK; i++) {
        kc_object *object = NULL;
        if (axis->kind == KCI_AXIS_DEVICE)
            object = (kc_object *)kc_device_named(space->base.context, texts[i]);
        else if (axis->kind == KCI_AXIS_DTYPE)
            object = (kc_object *)kc_dtype_named(space->base.context, texts[i]);
        if (!object && (axis->kind == KCI_AXIS_DEVICE || axis->kind == KCI_AXIS_DTYPE))
            return kc_context_status(space->base.context);
        const char *text = axis->kind == KCI_AXIS_DEVICE ? kc_object_name(object) : texts[i];
        status = kci_axis_add_text(&space->axes, axis, text, object);
        kc_release(object);
    }
    return status;
}

/* All values of a call or, where it fails, none of them. */
static kc_status all_or_none(kc_space *space, kci_sweep_axis *axis, size_t before, kc_status status)
{
    if (status != KC_OK)
        kci_axis_cut(&space->axes, axis, before);
    return status;
}

kc_status kc_space_numbers(kc_space *space, const char *name, const double *numbers, size_t count)
{
    kci_sweep_axis *axis = axis_of(space, name);
    if (!axis)
        return why(space);
    size_t before = axis->count;
    return all_or_none(space, axis, before, add_numbers(space, axis, name, numbers, count));
}

kc_status kc_space_texts(kc_space *space, const char *name, const char *const *texts, size_t count)
{
    kci_sweep_axis *axis = axis_of(space, name);
    if (!axis)
        return why(space);
    size_t before = axis->count;
    return all_or_none(space, axis, before, add_texts(space, axis, name, texts, count));
}

static kc_status add_object(kc_space *space, const char *name, const char *text, void *object)
{
    kci_sweep_axis *axis = axis_of(space, name);
    if (!axis)
        return why(space);
    size_t before = axis->count;
    return all_or_none(space, axis, before, kci_axis_add_text(&space->axes, axis, text, object));
}

kc_status kc_space_device(kc_space *space, kc_device *device)
{
    return device ? add_object(space, "device", kci_device_name(device), device) : why(space);
}

kc_status kc_space_dtype(kc_space *space, const char *tensors, kc_dtype *dtype)
{
    if (!space || !dtype || !tensors)
        return KC_EARGUMENT;
    kci_text name = { .context = space->base.context };
    kci_text_format(&name, "dtype.%s", tensors);
    kc_status status = name.failed ? KC_ENOMEM : add_object(space, name.bytes, kc_object_name((const kc_object *)(void *)dtype), dtype);
    kci_text_free(&name);
    return status;
}

kc_status kc_space_options(kc_space *space, const kc_options *options)
{
    kc_status status = open_space(space);
    if (status != KC_OK || !options)
        return status;
    if (options->measured > 0 || options->own_convention)
        return kci_fail(space->base.context, KC_EARGUMENT, "sweep: options 'measured' and 'convention' are evaluate's and count's alone");
    kc_options *copy = kci_options_copy(options);
    if (!copy)
        return KC_ENOMEM;
    kc_release(space->options);
    space->options = copy;
    return KC_OK;
}

static kc_status keep_text(kc_space *space, char **slot, const char *text)
{
    char *copy = kci_copy_text(space->base.context, text);
    if (!copy)
        return KC_ENOMEM;
    kci_free_text(space->base.context, *slot);
    *slot = copy;
    return KC_OK;
}

kc_status kc_space_where(kc_space *space, const char *expression)
{
    kc_status status = open_space(space);
    return status == KC_OK ? keep_text(space, &space->where_text, expression ? expression : "") : status;
}

kc_status kc_space_filter(kc_space *space, kc_filter filter, void *data)
{
    kc_status status = open_space(space);
    if (status != KC_OK)
        return status;
    space->filter = filter;
    space->filter_data = data;
    return KC_OK;
}

static const char *nth_field(const void *numbers, size_t i)
{
    return i < (numbers ? (size_t)KC_FIELD_COUNT : (size_t)KCI_POINT_FIELDS) ? kci_point_field_name(i) : NULL;
}

static kc_status field_named(kc_space *space, const char *what, const char *name, bool number, size_t *field)
{
    *field = kci_point_field_named(name ? name : "");
    if (*field < (number ? (size_t)KC_FIELD_COUNT : (size_t)KCI_POINT_FIELDS))
        return KC_OK;
    return kci_fail(space->base.context, KC_EARGUMENT, "sweep: %s: a result has no %s '%.80s'%s", what, number ? "number" : "field",
                    name ? name : "", kci_nearest(space->base.context, name ? name : "", nth_field, number ? name : NULL));
}

kc_status kc_space_top(kc_space *space, double n, const char *field)
{
    kc_status status = open_space(space);
    size_t by;
    if (status != KC_OK)
        return status;
    if (!(n >= 1 && n <= KCI_MOST_ROWS && floor(n) == n))
        return kci_fail(space->base.context, KC_EARGUMENT, "sweep: keep.top must be a whole number from 1 to 10^6");
    status = field_named(space, "keep.by", field, true, &by);
    if (status != KC_OK)
        return status;
    space->keep = KCI_KEEP_TOP;
    space->top = n;
    space->keys[0] = by;
    space->key_count = 1;
    return KC_OK;
}

kc_status kc_space_pareto(kc_space *space, const char *const *fields, size_t count)
{
    kc_status status = open_space(space);
    size_t keys[KCI_MOST_KEYS];
    if (status != KC_OK)
        return status;
    if (count == 0 || count > KCI_MOST_KEYS)
        return kci_fail(space->base.context, KC_EARGUMENT, "sweep: keep.pareto names one to three fields, not %zu", count);
    if (!kci_texts_given(space->base.context, "sweep", "keep.pareto", fields, count))
        return KC_EARGUMENT;
    for (size_t i = 0; i < count && status == KC_OK; i++)
        status = field_named(space, "keep.pareto", fields[i], true, &keys[i]);
    if (status != KC_OK)
        return status;
    space->keep = KCI_KEEP_PARETO;
    space->key_count = count;
    memcpy(space->keys, keys, count * sizeof *keys);
    return KC_OK;
}

kc_status kc_space_best_per(kc_space *space, const char *axis, const char *field)
{
    kc_status status = open_space(space);
    size_t by;
    if (status == KC_OK)
        status = field_named(space, "keep.by", field, true, &by);
    if (status == KC_OK)
        status = keep_text(space, &space->per, axis ? axis : "");
    if (status != KC_OK)
        return status;
    space->keep = KCI_KEEP_BEST_PER;
    space->keys[0] = by;
    space->key_count = 1;
    return KC_OK;
}

void kci_space_add_field(kc_space *space, size_t field)
{
    for (size_t i = 0; i < space->field_count; i++)
        if (space->fields[i] == field)
            return;
    space->fields[space->field_count++] = field;
}

kc_status kc_space_field(kc_space *space, const char *name)
{
    kc_status status = open_space(space);
    size_t field;
    if (status == KC_OK)
        status = field_named(space, "fields", name, false, &field);
    if (status != KC_OK)
        return status;
    if (!space->fields_given)
        space->field_count = 0;
    space->fields_given = true;
    kci_space_add_field(space, field);
    return KC_OK;
}

kc_status kc_space_shard(kc_space *space, unsigned part, unsigned parts)
{
    kc_status status = open_space(space);
    if (status != KC_OK)
        return status;
    if (part < 1 || part > parts)
        return kci_fail(space->base.context, KC_EARGUMENT, "sweep: shard %u of %u; a part is a number from 1 to the number of parts",
                        part, parts);
    space->part = part;
    space->parts = parts;
    return KC_OK;
}
