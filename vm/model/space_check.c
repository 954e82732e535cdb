/* space_check.c: a space as a whole: do its axes name what x has, do their values fit, which columns has it? */
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "program.h"
#include "tensor.h"
#include "variant.h"

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
    bool applies;
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
    const kc_kernel *named = kci_named_as(kernel);
    (void)times;
    for (size_t i = 0; i < named->fused_count; i++)
        k->applies = k->applies || strcmp(named->fused[i]->name, kci_name(k->space->base.context, k->name)) == 0;
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
    char list[KCI_PART_BYTES];
    kci_text known = kci_text_part(space->base.context, list, sizeof list);
    kernels k = { .space = space, .axis = axis, .name = name, .rank = UINT32_MAX, .known = &known };
    each_kernel(space, find_rank, &k);
    bool tensors = axis->kind == KCI_AXIS_DTYPE;
    return kci_fail(space->base.context, KC_EARGUMENT, "sweep: %s: '%.80s' has no %s '%.80s'; it has %s",
                    kci_axis_kind_name(axis->kind), kc_object_name(space->x), tensors ? "tensor" : "dim",
                    kci_name(space->base.context, name), *list ? list : "none");
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
    enum { FIGURE_STEPS = 40 };
    const kci_sweep_axis *devices = NULL;
    for (size_t a = 0; a < space->axes.count; a++)
        if (space->axes.list[a].kind == KCI_AXIS_DEVICE)
            devices = &space->axes.list[a];
    if (!devices)
        return kci_fail(space->base.context, KC_EARGUMENT, "sweep: %s is a figure of a device, and no device is given", axis->path);
    kc_device *copy = kc_device_new(space->base.context, (const kc_device *)(const void *)devices->objects[0]);
    kc_status status = copy ? KC_OK : KC_ENOMEM;
    for (size_t i = 0; i < axis->count && status == KC_OK; i++) {
        status = kci_spend(space->base.context, "sweep", FIGURE_STEPS);
        if (status == KC_OK)
            status = kc_device_set(copy, axis->path, axis->numbers[i]);
    }
    kc_release(copy);
    axis->rank = (uint32_t)(kci_figure_find(axis->path) - kci_figure_rows);
    return status;
}

static kc_status check_axis(kc_space *space, kci_sweep_axis *axis)
{
    kc_status status = KC_OK;
    if (axis->kind == KCI_AXIS_FIGURE)
        return check_figures(space, axis);
    if (axis->kind == KCI_AXIS_ORDER)
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

bool kci_space_is_per(const kc_space *space, size_t a)
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
        if (kci_space_is_per(space, a))
            groups *= (double)space->axes.list[a].count;
    return groups;
}

double kci_space_group(const kc_space *space, const uint32_t *index)
{
    double group = 0;
    for (size_t a = 0; a < space->axes.count; a++)
        if (kci_space_is_per(space, a))
            group = group * (double)space->axes.list[a].count + index[a];
    return group;
}

static const char *nth_column(const void *data, size_t i)
{
    const kc_space *space = data;
    return i < space->axes.column_count ? space->axes.columns[i].text : NULL;
}

static kc_status no_axis(const kc_space *space, const char *name)
{
    kc_context *context = space->base.context;
    char list[KCI_PART_BYTES];
    kci_text known = kci_text_part(context, list, sizeof list);
    const char *nearest = kci_nearest(context, name, nth_column, space), *column;
    for (size_t i = 0; !*nearest && (column = nth_column(space, i)) != NULL; i++)
        kci_text_format(&known, "%s%s", i ? ", " : "; there are ", column);
    return kci_fail(context, KC_EARGUMENT, "sweep: keep.best_per: there is no axis '%s'%s%s", name, nearest, list);
}

kc_status kci_space_check_keep(const kc_space *space)
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
            return no_axis(space, name);
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
        kci_space_add_field(space, list[i]);
}

kc_status kci_space_ready(kc_space *space)
{
    kc_status status = KC_OK;
    if (space->ready)
        return KC_OK;
    for (size_t a = 0; a < space->axes.count && status == KC_OK; a++) /* before any is blamed for what another misspells */
        status = check_names(space, &space->axes.list[a]);
    for (size_t a = 0; a < space->axes.count && status == KC_OK; a++)
        status = check_axis(space, &space->axes.list[a]);
    if (status == KC_OK)
        status = kci_axes_order(&space->axes);
    kci_where_free(space->where);
    space->where = NULL;
    if (status == KC_OK && space->where_text) {
        space->where = kci_where_parse(space->base.context, &space->axes, "sweep: where", space->where_text);
        status = space->where ? KC_OK : kc_context_status(space->base.context);
    }
    if (status != KC_OK)
        return status;
    if (!space->fields_given)
        usual_fields(space);
    for (size_t i = 0; i < space->key_count; i++)
        kci_space_add_field(space, space->keys[i]);
    space->ready = true;
    return KC_OK;
}

double kc_space_points(kc_space *space)
{
    return space && kci_space_ready(space) == KC_OK && kci_space_check_keep(space) == KC_OK ? space->axes.points : 0;
}
