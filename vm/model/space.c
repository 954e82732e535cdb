/* space.c: what is swept, setter by setter; then checked as a whole. */
#include "space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "device.h"
#include "kernels.h"
#include "object.h"
#include "tensor.h"
#include "variant.h"

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

static kc_status none_given(kc_space *space, const char *axis)
{
    return kci_fail(space->base.context, KC_EARGUMENT, "sweep: %.80s has no values; leave it out, or give at least one", axis);
}

kc_status kc_space_numbers(kc_space *space, const char *name, const double *numbers, size_t count)
{
    kci_sweep_axis *axis = axis_of(space, name);
    if (!axis)
        return why(space);
    if (count == 0)
        return none_given(space, name);
    kc_status status = KC_OK;
    for (size_t i = 0; i < count && status == KC_OK; i++)
        status = kci_axis_add_number(&space->axes, axis, numbers[i]);
    return status;
}

kc_status kc_space_texts(kc_space *space, const char *name, const char *const *texts, size_t count)
{
    kci_sweep_axis *axis = axis_of(space, name);
    if (!axis)
        return why(space);
    if (count == 0)
        return none_given(space, name);
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

kc_status kc_space_device(kc_space *space, kc_device *device)
{
    kci_sweep_axis *axis = axis_of(space, "device");
    if (!axis || !device)
        return why(space);
    return kci_axis_add_text(&space->axes, axis, kci_device_name(device), device);
}

kc_status kc_space_dtype(kc_space *space, const char *tensors, kc_dtype *dtype)
{
    kc_status status = open_space(space);
    if (status != KC_OK || !dtype || !tensors)
        return KC_EARGUMENT;
    kci_text name = { .context = space->base.context };
    kci_text_format(&name, "dtype.%s", tensors);
    kci_sweep_axis *axis = name.failed ? NULL : kci_axes_named(&space->axes, name.bytes);
    kci_text_free(&name);
    return axis ? kci_axis_add_text(&space->axes, axis, kc_object_name((const kc_object *)(void *)dtype), dtype) : why(space);
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

static void add_field(kc_space *space, size_t field)
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
    add_field(space, field);
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

/* ---- checks ------------------------------------------------------------------------------- */

bool kci_space_timed(const kc_space *space)
{
    return space->axes.count > 0 && space->axes.list[0].kind == KCI_AXIS_DEVICE;
}

typedef struct kernels {        /* of x, for a look at each */
    const kc_space *space;
    const kci_sweep_axis *axis;
    kci_symbol name;
    uint32_t rank, count;
    bool applies, any_tiled;
    kci_text *known;
} kernels;

static kc_status each_kernel(const kc_space *space, kci_visit_kernel visit, kernels *k)
{
    if (space->x->kind == KC_PROGRAM)
        return kci_program_visit((const kc_program *)(const void *)space->x, visit, k);
    return visit(k, (kc_kernel *)(void *)space->x, 1);
}

/* The place of a dim or tensor among those of x, in order of first appearance. */
static kc_status find_rank(void *data, kc_kernel *kernel, double times)
{
    kernels *k = data;
    bool tensors = k->axis->kind == KCI_AXIS_DTYPE;
    size_t count = tensors ? kernel->graph.tensor_count : kernel->graph.loop_count;
    (void)times;
    for (size_t i = 0; i < count; i++) {
        const char *name = tensors ? kernel->graph.tensors[i].name : kci_name(k->space->base.context, kernel->graph.loops[i].name);
        if (k->known)
            kci_text_format(k->known, "%s%s", k->known->length ? " " : "", name);
        if (strcmp(name, kci_name(k->space->base.context, k->name)) == 0 && k->rank == UINT32_MAX)
            k->rank = k->count;
        k->count++;
    }
    return KC_OK;
}

static uint32_t rank_of(const kc_space *space, const kci_sweep_axis *axis, kci_symbol name)
{
    kernels k = { .space = space, .axis = axis, .name = name, .rank = UINT32_MAX };
    each_kernel(space, find_rank, &k);
    return k.rank;
}

/* Tensors that were fused away are in no ledger, but their dtype is still what their values have. */
static kc_status find_fused(void *data, kc_kernel *kernel, double times)
{
    kernels *k = data;
    (void)times;
    for (size_t i = 0; i < kernel->fused_count; i++)
        k->applies = k->applies || strcmp(kernel->fused[i]->name, kci_name(k->space->base.context, k->name)) == 0;
    return KC_OK;
}

static bool is_fused(const kc_space *space, kci_symbol name)
{
    kernels k = { .space = space, .name = name };
    each_kernel(space, find_fused, &k);
    return k.applies;
}

static kc_status unknown_name(const kc_space *space, const kci_sweep_axis *axis, kci_symbol name)
{
    kci_text known = { .context = space->base.context };
    kernels k = { .space = space, .axis = axis, .name = name, .rank = UINT32_MAX, .known = &known };
    each_kernel(space, find_rank, &k);
    bool tensors = axis->kind == KCI_AXIS_DTYPE;
    kc_status status = kci_fail(space->base.context, KC_EARGUMENT, "sweep: %s: '%.80s' has no %s '%.80s'; it has %.300s",
                                kci_axis_kind_name(axis->kind), kc_object_name(space->x), tensors ? "tensor" : "dim",
                                kci_name(space->base.context, name), known.bytes ? known.bytes : "none");
    kci_text_free(&known);
    return status;
}

/* Sizes may also be of dims that no loop has: resize knows them. */
static kc_status check_sizes(const kc_space *space, kci_sweep_axis *axis)
{
    kc_size sizes[64];
    kc_context *context = space->base.context;
    if (axis->name_count > sizeof sizes / sizeof *sizes)
        return kci_fail(context, KC_EARGUMENT, "sweep: size ties more than 64 dims");
    for (size_t i = 0; i < axis->name_count; i++)
        sizes[i] = (kc_size){ kci_name(context, axis->names[i]), axis->numbers[0] };
    kc_object *resized = kc_resized(space->x, sizes, axis->name_count);
    kc_release(resized);
    return resized ? KC_OK : kc_context_status(context);
}

static kc_status find_applying(void *data, kc_kernel *kernel, double times)
{
    kernels *k = data;
    (void)times;
    k->applies = k->applies || kci_axis_applies(k->space, k->axis, kernel);
    return KC_OK;
}

static kc_status nothing_applies(const kc_space *space, const kci_sweep_axis *axis)
{
    const char *kind = kci_axis_kind_name(axis->kind);
    kc_context *context = space->base.context;
    if (axis->kind == KCI_AXIS_SPLIT)
        return kci_fail(context, KC_EARGUMENT, "sweep: split: '%.80s' is reduced by no op of a kernel with a schedule; split a reduced dim",
                        kci_name(context, axis->names[0]));
    return kci_fail(context, KC_EARGUMENT,
                    "sweep: %s varies a schedule, and '%.80s' has none%s; give it one by kc.tile, or add tile = { ... }", kind,
                    kc_object_name(space->x), axis->kind == KCI_AXIS_ORDER ? " with these dims" : "");
}

static kc_status check_order(kc_space *space, kci_sweep_axis *axis)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < axis->count && status == KC_OK; i++) {
        kci_symbol *names = NULL;
        size_t count = 0;
        status = kci_names_parse(space->base.context, "sweep", "order", axis->texts[i], &names, &count);
        for (size_t n = 0; n < count && status == KC_OK; n++)
            if (rank_of(space, &(kci_sweep_axis){ .kind = KCI_AXIS_TILE }, names[n]) == UINT32_MAX)
                status = unknown_name(space, axis, names[n]);
        kci_free(space->base.context, names, count * sizeof *names);
    }
    return status;
}

static kc_status check_names(kc_space *space, kci_sweep_axis *axis)
{
    for (size_t i = 0; i < axis->name_count; i++) {
        uint32_t rank = rank_of(space, axis, axis->names[i]);
        bool resized = axis->kind == KCI_AXIS_SIZE || (axis->kind == KCI_AXIS_DTYPE && is_fused(space, axis->names[i]));
        if (rank == UINT32_MAX && !resized)
            return unknown_name(space, axis, axis->names[i]);
        if (i == 0)
            axis->rank = rank;
    }
    return axis->kind == KCI_AXIS_SIZE ? check_sizes(space, axis) : KC_OK;
}

/* A device refuses figures that it can't have: on a copy of the first one. */
static kc_status check_figures(kc_space *space, kci_sweep_axis *axis)
{
    const kci_sweep_axis *devices = NULL;
    for (size_t a = 0; a < space->axes.count; a++)
        if (space->axes.list[a].kind == KCI_AXIS_DEVICE)
            devices = &space->axes.list[a];
    if (!devices)
        return kci_fail(space->base.context, KC_EARGUMENT, "sweep: %s is a figure of a device, and no device is given", axis->path);
    kc_device *copy = kc_device_new(space->base.context, (const kc_device *)(const void *)devices->objects[0]);
    kc_status status = copy ? KC_OK : KC_ENOMEM;
    for (size_t i = 0; i < axis->count && status == KC_OK; i++)
        status = kc_device_set(copy, axis->path, axis->numbers[i]);
    kc_release(copy);
    axis->rank = (uint32_t)(kci_figure_find(axis->path) - kci_figure_rows);
    return status;
}

static kc_status check_axis(kc_space *space, kci_sweep_axis *axis)
{
    kc_status status = KC_OK;
    if (axis->count == 0)
        return none_given(space, axis->path ? axis->path : kci_axis_kind_name(axis->kind));
    if (axis->kind == KCI_AXIS_FIGURE)
        return check_figures(space, axis);
    if (axis->name_count)
        status = check_names(space, axis);
    if (status == KC_OK && axis->kind == KCI_AXIS_ORDER)
        status = check_order(space, axis);
    kernels k = { .space = space, .axis = axis };
    if (status == KC_OK)
        each_kernel(space, find_applying, &k);
    return status == KC_OK && !k.applies ? nothing_applies(space, axis) : status;
}

/* ---- groups ----------------------------------------------------------------------------------- */

/* Does a word name the axis, by its kind or one of its columns? */
static bool names_axis(const kc_space *space, const char *word, size_t length, size_t a)
{
    const kci_sweep_axis *axis = &space->axes.list[a];
    const char *kind = kci_axis_kind_name(axis->kind);
    if (!axis->path && strlen(kind) == length && strncmp(kind, word, length) == 0)
        return true;
    for (size_t c = 0; c < space->axes.column_count; c++) {
        const kci_axis_column *column = &space->axes.columns[c];
        if (column->axis == a && strlen(column->text) == length && strncmp(column->text, word, length) == 0)
            return true;
    }
    return false;
}

/* The next word of a text; its length, 0 at the end. */
static size_t next_word(const char **at)
{
    *at += strspn(*at, " ");
    return strcspn(*at, " ");
}

static bool is_per(const kc_space *space, size_t a)
{
    size_t length;
    for (const char *word = space->per; (length = next_word(&word)) > 0; word += length)
        if (names_axis(space, word, length, a))
            return true;
    return false;
}

double kci_space_groups(const kc_space *space)
{
    double groups = 1;
    for (size_t a = 0; a < space->axes.count; a++)
        if (is_per(space, a))
            groups *= (double)space->axes.list[a].count;
    return groups;
}

double kci_space_group(const kc_space *space, const uint32_t *index)
{
    double group = 0;
    for (size_t a = 0; a < space->axes.count; a++)
        if (is_per(space, a))
            group = group * (double)space->axes.list[a].count + index[a];
    return group;
}

static const char *nth_column(const void *data, size_t i)
{
    const kc_space *space = data;
    return i < space->axes.column_count ? space->axes.columns[i].text : NULL;
}

static kc_status check_keep(const kc_space *space)
{
    kc_context *context = space->base.context;
    if (space->keep == KCI_KEEP_ALL && space->axes.points / space->parts > KCI_MOST_ROWS)
        return kci_fail(context, KC_EARGUMENT,
                        "sweep: the space has %.0f points, and all are kept up to 10^6; keep = { top = 1000, by = \"time\" } keeps the best",
                        space->axes.points);
    for (size_t i = 0; i < space->key_count; i++)
        if (!kci_space_timed(space) && space->keys[i] >= KC_RIDGE && space->keys[i] <= KC_TIME_DRAIN)
            return kci_fail(context, KC_EARGUMENT, "sweep: keep goes by %s, which only a device gives; add device = \"h100-sxm5\", say",
                            kci_point_field_name(space->keys[i]));
    if (space->keep != KCI_KEEP_BEST_PER)
        return KC_OK;
    size_t length, words = 0;
    for (const char *word = space->per; (length = next_word(&word)) > 0; word += length, words++) {
        bool any = false;
        for (size_t a = 0; a < space->axes.count; a++)
            any = any || names_axis(space, word, length, a);
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)length, word);
        if (!any)
            return kci_fail(context, KC_EARGUMENT, "sweep: keep.best_per: there is no axis '%s'%s", name,
                            kci_nearest(context, name, nth_column, space));
    }
    if (words == 0)
        return kci_fail(context, KC_EARGUMENT, "sweep: keep.best_per names no axis; it wants some, as in \"size\" or \"device tile.i\"");
    if (kci_space_groups(space) > KCI_MOST_ROWS)
        return kci_fail(context, KC_EARGUMENT, "sweep: keep.best_per: '%.80s' has more than 10^6 values", space->per);
    return KC_OK;
}

/* ---- columns ------------------------------------------------------------------------------------- */

static void usual_fields(kc_space *space)
{
    static const size_t timed[] = { KC_TIME, KC_ROOF_TIME, KCI_COLUMN_BOUND, KC_FLOPS, KC_BYTES, KC_INTENSITY, KC_THROUGHPUT,
                                    KC_SMEM, KC_REGISTER_BYTES, KC_CTAS, KC_OCCUPANCY, KC_WAVES };
    static const size_t counted[] = { KC_FLOPS, KC_EXECUTED_FLOPS, KC_BYTES, KC_BYTES_MIN, KC_INTENSITY, KC_SMEM, KC_REGISTER_BYTES,
                                      KC_CTAS, KC_PASSES };
    bool time = kci_space_timed(space);
    const size_t *list = time ? timed : counted;
    space->field_count = 0;
    for (size_t i = 0; i < (time ? sizeof timed : sizeof counted) / sizeof *list; i++)
        add_field(space, list[i]);
}

kc_status kci_space_ready(kc_space *space)
{
    kc_status status = KC_OK;
    if (space->ready)
        return KC_OK;
    for (size_t a = 0; a < space->axes.count && status == KC_OK; a++)
        status = check_axis(space, &space->axes.list[a]);
    if (status == KC_OK)
        status = kci_axes_order(&space->axes);
    if (status == KC_OK)
        status = check_keep(space);
    kci_where_free(space->where);
    space->where = NULL;
    if (status == KC_OK && space->where_text) {
        space->where = kci_where_parse(space->base.context, &space->axes, space->where_text);
        status = space->where ? KC_OK : kc_context_status(space->base.context);
    }
    if (status != KC_OK)
        return status;
    if (!space->fields_given)
        usual_fields(space);
    for (size_t i = 0; i < space->key_count; i++)
        add_field(space, space->keys[i]);
    space->ready = true;
    return KC_OK;
}

double kc_space_points(kc_space *space)
{
    return space && kci_space_ready(space) == KC_OK ? space->axes.points : 0;
}

/* ---- what it is, as a text and as a number ----------------------------------------------------------- */

void kci_space_say_keep(kci_text *text, const kc_space *space)
{
    static const char *const kinds[] = { [KCI_KEEP_ALL] = "all", [KCI_KEEP_TOP] = "top ", [KCI_KEEP_PARETO] = "pareto",
                                         [KCI_KEEP_BEST_PER] = "best per" };
    kci_text_add(text, kinds[space->keep]);
    if (space->keep == KCI_KEEP_TOP)
        kci_text_number(text, space->top);
    for (size_t a = 0; space->keep == KCI_KEEP_BEST_PER && a < space->axes.count; a++)
        for (size_t c = 0; is_per(space, a) && c < space->axes.column_count; c++)
            if (space->axes.columns[c].axis == a)
                kci_text_format(text, " %s", space->axes.columns[c].text);
    kci_text_add(text, space->keep == KCI_KEEP_TOP || space->keep == KCI_KEEP_BEST_PER ? " by" : "");
    for (size_t i = 0; i < space->key_count; i++)
        kci_text_format(text, " %s", kci_point_field_name(space->keys[i]));
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 1099511628211u; /* FNV-1a, 64 bits */
    return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return mix(hash, text ? text : "", strlen(text ? text : "") + 1);
}

static uint64_t mix_number(uint64_t hash, double number)
{
    return mix(hash, &number, sizeof number);
}

static uint64_t mix_device(uint64_t hash, const kc_device *device)
{
    const char *path;
    hash = mix_text(hash, kci_device_name(device));
    for (size_t i = 0; (path = kc_device_path(device, i)) != NULL; i++) {
        double number = 0;
        const char *text = kc_device_get_text(device, path);
        hash = mix_text(hash, path);
        if (text)
            hash = mix_text(hash, text);
        else if (kc_device_get(device, path, &number) == KC_OK)
            hash = mix_number(hash, number);
    }
    return hash;
}

/* What a kernel computes and moves: its loop nest as printed, its ops, its tensors. */
static kc_status mix_kernel(void *data, kc_kernel *kernel, double times)
{
    uint64_t *hash = data;
    const kci_graph *graph = &kernel->graph;
    *hash = mix_text(mix_number(*hash, times), kc_object_text(&kernel->base));
    if (kernel->schedule)
        *hash = mix_text(*hash, kc_object_text((kc_object *)(void *)kernel->schedule));
    for (size_t i = 0; i < graph->loop_count; i++)
        *hash = mix_number(mix_text(*hash, kci_name(graph->context, graph->loops[i].name)), graph->loops[i].size);
    for (size_t i = 0; i < graph->tensor_count; i++)
        *hash = mix_number(mix_text(*hash, graph->tensors[i].name), graph->tensors[i].bytes);
    for (size_t i = 0; i < graph->node_count; i++) {
        const kci_node *node = &graph->nodes[i];
        *hash = mix_number(mix_number(mix_text(*hash, node->label), node->flops), node->special);
        *hash = mix_number(mix_number(*hash, node->scale), node->math * 64.0 + node->format);
    }
    return KC_OK;
}

uint64_t kci_space_hash(const kc_space *space)
{
    uint64_t hash = mix_text(14695981039346656037u, kc_version());
    if (space->x->kind == KC_PROGRAM)
        kci_program_visit((const kc_program *)(const void *)space->x, mix_kernel, &hash);
    else
        mix_kernel(&hash, (kc_kernel *)(void *)space->x, 1);
    for (size_t a = 0; a < space->axes.count; a++) {
        const kci_sweep_axis *axis = &space->axes.list[a];
        hash = mix_text(hash, axis->path ? axis->path : kci_axis_kind_name(axis->kind));
        for (size_t i = 0; i < axis->name_count; i++)
            hash = mix_text(hash, kci_name(space->base.context, axis->names[i]));
        for (size_t i = 0; i < axis->count; i++) {
            if (axis->kind == KCI_AXIS_DEVICE)
                hash = mix_device(hash, (const kc_device *)(const void *)axis->objects[i]);
            hash = axis->texts ? mix_text(hash, axis->texts[i]) : mix_number(hash, axis->numbers[i]);
        }
    }
    if (space->options)
        hash = mix_text(hash, kc_object_text(&space->options->base));
    kci_text keep = { .context = space->base.context };
    kci_space_say_keep(&keep, space);
    hash = mix_text(mix_text(hash, keep.bytes), space->filter ? "function" : space->where_text);
    kci_text_free(&keep);
    for (size_t i = 0; i < space->field_count; i++)
        hash = mix_text(hash, kci_point_field_name(space->fields[i]));
    return hash;
}
