/* axes.c: what a sweep varies, and the numbers of its points. */
#include "axes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "tensor.h"

static const char *const kind_names[KCI_AXIS_KINDS] = {
    [KCI_AXIS_DEVICE] = "device", [KCI_AXIS_FIGURE] = "figure", [KCI_AXIS_SIZE] = "size",
    [KCI_AXIS_DTYPE] = "dtype",   [KCI_AXIS_ORDER] = "order",   [KCI_AXIS_SPLIT] = "split",
    [KCI_AXIS_GROUP] = "group",   [KCI_AXIS_STAGES] = "stages", [KCI_AXIS_WARPS] = "warps",
    [KCI_AXIS_TILE] = "tile",
};

const char *kci_axis_kind_name(kci_axis_kind kind)
{
    return kind_names[kind];
}

/* ---- axes ------------------------------------------------------------------------ */

static void free_axis(kc_context *context, kci_sweep_axis *axis)
{
    kci_free_text(context, axis->path);
    kci_free(context, axis->names, axis->name_capacity * sizeof *axis->names);
    kci_free(context, axis->numbers, axis->number_capacity * sizeof *axis->numbers);
    for (size_t i = 0; axis->texts && i < axis->count; i++)
        kci_free_text(context, axis->texts[i]);
    kci_free(context, (void *)axis->texts, axis->text_capacity * sizeof *axis->texts);
    for (size_t i = 0; axis->objects && i < axis->count; i++)
        kc_release(axis->objects[i]);
    kci_free(context, (void *)axis->objects, axis->object_capacity * sizeof *axis->objects);
}

static void free_columns(kci_axes *axes)
{
    for (size_t c = 0; c < axes->column_count; c++)
        kci_free_text(axes->context, axes->columns[c].text);
    axes->column_count = 0;
}

void kci_axes_free(kci_axes *axes)
{
    free_columns(axes);
    kci_free(axes->context, axes->columns, axes->column_capacity * sizeof *axes->columns);
    for (size_t i = 0; i < axes->count; i++)
        free_axis(axes->context, &axes->list[i]);
    kci_free(axes->context, axes->list, axes->capacity * sizeof *axes->list);
}

/* "size", "split", "tile" are of dims and "dtype" of tensors: "tile.i j". */
static bool has_names(kci_axis_kind kind)
{
    return kind == KCI_AXIS_SIZE || kind == KCI_AXIS_SPLIT || kind == KCI_AXIS_TILE || kind == KCI_AXIS_DTYPE;
}

static const char *nth_axis(const void *unused, size_t i)
{
    (void)unused;
    if (i < KCI_AXIS_KINDS)
        return kind_names[i == KCI_AXIS_FIGURE ? KCI_AXIS_DEVICE : i];
    return kci_figure_nth_path(NULL, i - KCI_AXIS_KINDS);
}

/* The kind, and what follows the dot: "" where nothing does. */
static kc_status parse_name(kci_axes *axes, const char *name, kci_axis_kind *kind, const char **rest)
{
    size_t length = strcspn(name, ".");
    *rest = name[length] ? name + length + 1 : "";
    for (int k = 0; k < KCI_AXIS_KINDS; k++) {
        if (k == KCI_AXIS_FIGURE || strlen(kind_names[k]) != length || strncmp(name, kind_names[k], length) != 0)
            continue;
        *kind = (kci_axis_kind)k;
        if (has_names(*kind) == (**rest != '\0'))
            return KC_OK;
        return kci_fail(axes->context, KC_EARGUMENT,
                        has_names(*kind) ? "sweep: %s varies by name, as in %s = { %s = { ... } }"
                                         : "sweep: %s is one list of values, not one by name",
                        kind_names[k], kind_names[k], k == KCI_AXIS_DTYPE ? "Q" : "i");
    }
    const kci_figure_row *row = kci_figure_find(name);
    if (row && !(row->rule & KCI_IS_TEXT)) {
        *kind = KCI_AXIS_FIGURE;
        return KC_OK;
    }
    if (row)
        return kci_fail(axes->context, KC_EARGUMENT, "sweep: %.80s is a text, and only numbers of a device can be varied", name);
    const char *nearest = kci_nearest(axes->context, name, nth_axis, NULL);
    return kci_fail(axes->context, KC_EARGUMENT, "sweep: there is nothing to vary of the name '%.80s'%s", name,
                    *nearest ? nearest : "; there are device, size, dtype, order, split, group, stages, warps, tile, and figures "
                                         "of the device as \"hbm.bandwidth\"");
}

static bool same_names(const kci_sweep_axis *axis, const kci_symbol *names, size_t count)
{
    return axis->name_count == count && (count == 0 || memcmp(axis->names, names, count * sizeof *names) == 0);
}

/* One of the names is in an axis of that kind already; 0: none. */
static kci_symbol taken(const kci_axes *axes, kci_axis_kind kind, const kci_symbol *names, size_t count)
{
    for (size_t a = 0; a < axes->count; a++)
        for (size_t i = 0; axes->list[a].kind == kind && i < axes->list[a].name_count; i++)
            for (size_t n = 0; n < count; n++)
                if (axes->list[a].names[i] == names[n])
                    return names[n];
    return 0;
}

static kci_sweep_axis *add_axis(kci_axes *axes, kci_axis_kind kind, const char *path, const kci_symbol *names, size_t count)
{
    kc_context *context = axes->context;
    if (axes->count == KCI_MOST_AXES) {
        kci_fail(context, KC_EARGUMENT, "sweep: more than %d axes", KCI_MOST_AXES);
        return NULL;
    }
    if (!kci_reserve(context, &axes->list, &axes->capacity, axes->count + 1, sizeof *axes->list))
        return NULL;
    kci_sweep_axis axis = { .kind = kind };
    if (kind == KCI_AXIS_FIGURE && !(axis.path = kci_copy_text(context, path)))
        return NULL;
    if (!kci_reserve(context, &axis.names, &axis.name_capacity, count, sizeof *axis.names)) {
        kci_free_text(context, axis.path);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        axis.names[i] = names[i];
    axis.name_count = count;
    axes->list[axes->count] = axis;
    return &axes->list[axes->count++];
}

static kci_sweep_axis *find_or_add(kci_axes *axes, kci_axis_kind kind, const char *path, const kci_symbol *names, size_t count)
{
    for (size_t a = 0; a < axes->count; a++) {
        kci_sweep_axis *axis = &axes->list[a];
        if (axis->kind == kind && same_names(axis, names, count) && (!axis->path || strcmp(axis->path, path) == 0))
            return axis;
    }
    kci_symbol twice = taken(axes, kind, names, count);
    if (twice) {
        kci_fail(axes->context, KC_EARGUMENT, "sweep: '%.80s' is in two axes of %s", kci_name(axes->context, twice), kind_names[kind]);
        return NULL;
    }
    return add_axis(axes, kind, path, names, count);
}

kci_sweep_axis *kci_axes_named(kci_axes *axes, const char *name)
{
    kci_axis_kind kind = KCI_AXIS_KINDS;
    const char *rest;
    kci_symbol *names = NULL;
    size_t count = 0;
    if (parse_name(axes, name, &kind, &rest) != KC_OK)
        return NULL;
    if (has_names(kind) && kci_names_parse(axes->context, "sweep", kind_names[kind], rest, &names, &count) != KC_OK)
        return NULL;
    kci_sweep_axis *axis = find_or_add(axes, kind, name, names, count);
    kci_free(axes->context, names, count * sizeof *names);
    return axis;
}

/* ---- values ---------------------------------------------------------------------- */

/* Numbers of schedules and sizes are whole; a device's are checked by the device. */
kc_status kci_axis_add_number(kci_axes *axes, kci_sweep_axis *axis, double number)
{
    kc_context *context = axes->context;
    bool whole = number >= 1 && number < KCI_MAX_SIZE && floor(number) == number;
    if (axis->kind == KCI_AXIS_DEVICE || axis->kind == KCI_AXIS_DTYPE || axis->kind == KCI_AXIS_ORDER)
        return kci_fail(context, KC_EARGUMENT, "sweep: %s varies over names, not numbers", kind_names[axis->kind]);
    if (axis->kind != KCI_AXIS_FIGURE && !whole) {
        char shown[32] = "nan or infinite";
        if (isfinite(number))
            kci_format_number(number, shown);
        return kci_fail(context, KC_EARGUMENT, "sweep: %s%s%.80s must be a whole number of at least 1, not %s", kind_names[axis->kind],
                        axis->name_count ? " of " : "", axis->name_count ? kci_name(context, axis->names[0]) : "", shown);
    }
    if (!kci_reserve(context, &axis->numbers, &axis->number_capacity, axis->count + 1, sizeof *axis->numbers))
        return KC_ENOMEM;
    axis->numbers[axis->count++] = number;
    return KC_OK;
}

kc_status kci_axis_add_text(kci_axes *axes, kci_sweep_axis *axis, const char *text, void *object)
{
    kc_context *context = axes->context;
    if (axis->kind != KCI_AXIS_DEVICE && axis->kind != KCI_AXIS_DTYPE && axis->kind != KCI_AXIS_ORDER)
        return kci_fail(context, KC_EARGUMENT, "sweep: %s varies over numbers, not '%.40s'",
                        axis->path ? axis->path : kind_names[axis->kind], text);
    if (!kci_reserve(context, (void *)&axis->texts, &axis->text_capacity, axis->count + 1, sizeof *axis->texts) ||
        !kci_reserve(context, (void *)&axis->objects, &axis->object_capacity, axis->count + 1, sizeof *axis->objects))
        return KC_ENOMEM;
    char *copy = kci_copy_text(context, text);
    if (!copy)
        return KC_ENOMEM;
    axis->objects[axis->count] = kc_retain(object);
    axis->texts[axis->count++] = copy;
    return KC_OK;
}

void kci_axis_cut(kci_axes *axes, kci_sweep_axis *axis, size_t count)
{
    for (size_t i = count; axis->texts && i < axis->count; i++) {
        kci_free_text(axes->context, axis->texts[i]);
        kc_release(axis->objects[i]);
    }
    axis->count = count;
    if (count > 0)
        return;
    free_axis(axes->context, axis);
    axes->count--;
    memmove(axis, axis + 1, (size_t)(axes->list + axes->count - axis) * sizeof *axis);
}

/* ---- order and points ------------------------------------------------------------------ */

static int compare_axes(const void *left, const void *right)
{
    const kci_sweep_axis *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static kc_status add_column(kci_axes *axes, size_t a, kci_symbol name)
{
    const kci_sweep_axis *axis = &axes->list[a];
    kci_text title = { .context = axes->context };
    kci_axis_column column = { NULL, a };
    kci_text_add(&title, axis->path ? axis->path : kind_names[axis->kind]);
    if (name)
        kci_text_format(&title, ".%s", kci_name(axes->context, name));
    if (!kci_text_keep(&title, &column.text))
        return KC_ENOMEM;
    if (!kci_reserve(axes->context, &axes->columns, &axes->column_capacity, axes->column_count + 1, sizeof column)) {
        kci_free_text(axes->context, column.text);
        return KC_ENOMEM;
    }
    axes->columns[axes->column_count++] = column;
    return KC_OK;
}

static kc_status list_columns(kci_axes *axes)
{
    kc_status status = KC_OK;
    free_columns(axes);
    for (size_t a = 0; a < axes->count && status == KC_OK; a++) {
        const kci_sweep_axis *axis = &axes->list[a];
        if (axis->name_count == 0)
            status = add_column(axes, a, 0);
        for (size_t i = 0; i < axis->name_count && status == KC_OK; i++)
            status = add_column(axes, a, axis->names[i]);
    }
    return status;
}

kc_status kci_axes_order(kci_axes *axes)
{
    if (axes->count)
        qsort(axes->list, axes->count, sizeof *axes->list, compare_axes);
    axes->inner = axes->count;
    axes->points = axes->inner_points = 1;
    for (size_t a = axes->count; a-- > 0;) {
        axes->points *= (double)axes->list[a].count;
        if (axes->list[a].kind >= KCI_AXIS_INNER) {
            axes->inner = a;
            axes->inner_points = axes->points;
        }
    }
    if (axes->points < KCI_MAX_SIZE)
        return list_columns(axes);
    char shown[32] = "10^308 or more";
    if (isfinite(axes->points))
        kci_format_number(axes->points, shown);
    return kci_fail(axes->context, KC_EARGUMENT, "sweep: the space has %s points, more than 2^53", shown);
}

void kci_axes_at(const kci_axes *axes, double point, uint32_t *index)
{
    uint64_t rest = (uint64_t)point;
    for (size_t a = axes->count; a-- > 0;) {
        index[a] = (uint32_t)(rest % axes->list[a].count);
        rest /= axes->list[a].count;
    }
}

/* ---- columns ------------------------------------------------------------------------------ */

const kci_sweep_axis *kci_axes_find(const kci_axes *axes, const char *title, size_t *at)
{
    for (size_t c = 0; c < axes->column_count; c++)
        if (strcmp(axes->columns[c].text, title) == 0) {
            *at = axes->columns[c].axis;
            return &axes->list[*at];
        }
    return NULL;
}

void kci_axes_say(kci_text *text, const kci_axes *axes, double point)
{
    uint32_t index[KCI_MOST_AXES];
    kci_axes_at(axes, point, index);
    for (size_t c = 0; c < axes->column_count; c++) {
        const kci_sweep_axis *axis = &axes->list[axes->columns[c].axis];
        uint32_t value = index[axes->columns[c].axis];
        kci_text_format(text, "%s%s = ", c ? ", " : "", axes->columns[c].text);
        if (axis->texts)
            kci_text_add(text, axis->texts[value]);
        else
            kci_text_number(text, axis->numbers[value]);
    }
}
