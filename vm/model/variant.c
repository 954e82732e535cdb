/* variant.c: x at one point of a space. */
#include "variant.h"

#include <string.h>

#include "kernels.h"
#include "rebuild.h"
#include "schedule.h"

/* ---- what an axis is to a kernel ----------------------------------------------------- */

static int loop_of(const kci_graph *graph, kci_symbol name)
{
    for (size_t i = 0; i < graph->loop_count; i++)
        if (graph->loops[i].name == name)
            return (int)i;
    return -1;
}

static size_t dims_in(const kci_sweep_axis *axis, const kci_graph *graph)
{
    size_t count = 0;
    for (size_t i = 0; i < axis->name_count; i++)
        count += loop_of(graph, axis->names[i]) >= 0;
    return count;
}

static bool reduces(const kci_graph *graph, int loop)
{
    for (size_t n = 0; n < graph->node_count; n++)
        if (!(graph->nodes[n].flags & KCI_SCAN) && (graph->nodes[n].reduced & KCI_BIT(loop)))
            return true;
    return false;
}

static bool reduces_any(const kci_sweep_axis *axis, const kci_graph *graph)
{
    for (size_t i = 0; i < axis->name_count; i++) {
        int loop = loop_of(graph, axis->names[i]);
        if (loop >= 0 && reduces(graph, loop))
            return true;
    }
    return false;
}

/* Has it a schedule, or does a tile axis give it one? */
static bool is_tiled(const kc_space *space, const kc_kernel *kernel)
{
    if (kernel->graph.comm.kind != KCI_NO_COMM)
        return false;
    for (size_t a = 0; a < space->axes.count; a++)
        if (space->axes.list[a].kind == KCI_AXIS_TILE && dims_in(&space->axes.list[a], &kernel->graph) > 0)
            return true;
    return kernel->schedule != NULL;
}

bool kci_axis_applies(const kc_space *space, const kci_sweep_axis *axis, const kc_kernel *kernel)
{
    switch (axis->kind) {
    case KCI_AXIS_TILE:
        return dims_in(axis, &kernel->graph) > 0 && is_tiled(space, kernel);
    case KCI_AXIS_SPLIT:
        return is_tiled(space, kernel) && reduces_any(axis, &kernel->graph);
    case KCI_AXIS_ORDER:
        return is_tiled(space, kernel) && dims_in(axis, &kernel->graph) == axis->name_count;
    case KCI_AXIS_GROUP:
    case KCI_AXIS_STAGES:
    case KCI_AXIS_WARPS:
        return is_tiled(space, kernel);
    default:
        return true;
    }
}

/* ---- device ------------------------------------------------------------------------------ */

kc_device *kci_variant_device(const kc_space *space, const uint32_t *index, kc_status *status)
{
    const kci_axes *axes = &space->axes;
    kc_device *device = NULL;
    *status = KC_OK;
    for (size_t a = 0; a < axes->count && *status == KC_OK; a++) {
        const kci_sweep_axis *axis = &axes->list[a];
        if (axis->kind == KCI_AXIS_DEVICE)
            device = kc_retain(axis->objects[index[a]]);
        if (axis->kind != KCI_AXIS_FIGURE)
            continue;
        if (a == 0 || axes->list[a - 1].kind != KCI_AXIS_FIGURE) { /* the first of them copies */
            kc_device *copy = kc_device_new(axes->context, device);
            kc_release(device);
            device = copy;
        }
        *status = device ? kc_device_set(device, axis->path, axis->numbers[index[a]]) : KC_ENOMEM;
    }
    if (*status == KC_OK && device)
        *status = kc_device_seal(device);
    if (*status == KC_OK)
        return device;
    kc_release(device);
    return NULL;
}

/* ---- sizes and dtypes -------------------------------------------------------------------- */

static kc_object *at_dtypes(const kc_space *space, const uint32_t *index)
{
    const kci_axes *axes = &space->axes;
    size_t count = 0, capacity = 0;
    kci_retype *types = NULL;
    bool ok = true;
    for (size_t a = 0; a < axes->count; a++) {
        const kci_sweep_axis *axis = &axes->list[a];
        for (size_t i = 0; ok && axis->kind == KCI_AXIS_DTYPE && i < axis->name_count; i++) {
            ok = kci_reserve(axes->context, &types, &capacity, count + 1, sizeof *types);
            if (ok)
                types[count++] = (kci_retype){ kci_name(axes->context, axis->names[i]),
                                               (kc_dtype *)(void *)axis->objects[index[a]] };
        }
    }
    kc_object *x = !ok ? NULL : count ? kci_retyped(space->x, types, count) : kc_retain(space->x);
    kci_free(axes->context, types, capacity * sizeof *types);
    return x;
}

/* Takes the reference of x. */
static kc_object *at_sizes(const kc_space *space, const uint32_t *index, kc_object *x)
{
    const kci_axes *axes = &space->axes;
    kc_size *sizes = NULL;
    size_t count = 0, capacity = 0;
    bool ok = x != NULL;
    for (size_t a = 0; a < axes->count; a++) {
        const kci_sweep_axis *axis = &axes->list[a];
        for (size_t i = 0; ok && axis->kind == KCI_AXIS_SIZE && i < axis->name_count; i++) {
            ok = kci_reserve(axes->context, &sizes, &capacity, count + 1, sizeof *sizes);
            if (ok)
                sizes[count++] = (kc_size){ kci_name(axes->context, axis->names[i]), axis->numbers[index[a]] };
        }
    }
    kc_object *resized = !ok ? NULL : count ? kc_resized(x, sizes, count) : kc_retain(x);
    kci_free(axes->context, sizes, capacity * sizeof *sizes);
    kc_release(x);
    return resized;
}

/* ---- schedules -------------------------------------------------------------------------------- */

static kc_status set_dims(const kc_space *space, const kci_sweep_axis *axis, const kc_kernel *kernel, kc_schedule *s, double number)
{
    kc_context *context = space->base.context;
    kc_status status = KC_OK;
    for (size_t i = 0; i < axis->name_count && status == KC_OK; i++) {
        int loop = loop_of(&kernel->graph, axis->names[i]);
        const char *dim = kci_name(context, axis->names[i]);
        if (loop >= 0 && axis->kind == KCI_AXIS_TILE)
            status = kc_schedule_tile(s, dim, number);
        else if (loop >= 0 && reduces(&kernel->graph, loop))
            status = kc_schedule_split(s, dim, number);
    }
    return status;
}

static kc_status set_axis(const kc_space *space, const kci_sweep_axis *axis, uint32_t at, const kc_kernel *kernel, kc_schedule *s)
{
    switch (axis->kind) {
    case KCI_AXIS_ORDER:
        return kc_schedule_order(s, axis->texts[at]);
    case KCI_AXIS_STAGES:
        return kc_schedule_stages(s, NULL, axis->numbers[at]);
    case KCI_AXIS_WARPS:
        return kc_schedule_warps(s, axis->numbers[at]);
    case KCI_AXIS_TILE:
    case KCI_AXIS_SPLIT:
        return set_dims(space, axis, kernel, s, axis->numbers[at]);
    default:
        return KC_OK;
    }
}

/* CTAs are rastered in groups along the raster that the schedule names, else along its grid. */
static kc_status set_group(kc_kernel **kernel, kc_schedule *s, double group)
{
    kc_context *context = s->base.context;
    const kci_tiling *tiling = (*kernel)->tiling;
    if (s->raster.given) {
        s->raster_group = group;
    } else {
        kci_text dims = { .context = context };
        for (int i = 0; i < tiling->grid_count; i++)
            kci_text_format(&dims, "%s%s", i ? " " : "", kci_name(context, (*kernel)->graph.loops[tiling->grid_order[i]].name));
        kc_status status = dims.failed ? KC_ENOMEM : kc_schedule_raster(s, dims.bytes ? dims.bytes : "", group);
        kci_text_free(&dims);
        if (status != KC_OK)
            return status;
    }
    kc_kernel *grouped = kci_kernel_scheduled(*kernel, s);
    kc_release(*kernel);
    *kernel = grouped;
    return grouped ? KC_OK : kc_context_status(context);
}

typedef struct making {
    const kc_space *space;
    const uint32_t *index;
    kci_variant *variant;
} making;

/* The kernel under the schedule of the point: a new reference. */
static kc_kernel *at_schedule(const making *m, kc_kernel *kernel)
{
    const kci_axes *axes = &m->space->axes;
    if (!is_tiled(m->space, kernel))
        return kc_retain(kernel);
    kc_schedule *s = kernel->schedule ? kci_schedule_copy(kernel->schedule) : kc_schedule_new(axes->context);
    kc_status status = s ? KC_OK : KC_ENOMEM;
    const kci_sweep_axis *group = NULL;
    double groups = 0;
    for (size_t a = 0; a < axes->count && status == KC_OK; a++) {
        const kci_sweep_axis *axis = &axes->list[a];
        if (!kci_axis_applies(m->space, axis, kernel))
            continue;
        status = set_axis(m->space, axis, m->index[a], kernel, s);
        if (axis->kind == KCI_AXIS_GROUP) {
            group = axis;
            groups = axis->numbers[m->index[a]];
        }
    }
    kc_kernel *tiled = status == KC_OK ? kci_kernel_scheduled(kernel, s) : NULL;
    if (tiled && group)
        set_group(&tiled, s, groups);
    kc_release(s);
    return tiled;
}

static kc_status add_kernel(void *data, kc_kernel *kernel, double times)
{
    making *m = data;
    kci_variant *v = m->variant;
    kc_context *context = m->space->base.context;
    if (!kci_reserve(context, &v->kernels, &v->capacity, v->count + 1, sizeof *v->kernels))
        return KC_ENOMEM;
    kc_kernel *tiled = at_schedule(m, kernel);
    if (!tiled)
        return kc_context_status(context);
    v->kernels[v->count++] = (kci_variant_kernel){ tiled, times };
    return KC_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

kc_status kci_variant_make(const kc_space *space, const uint32_t *index, kci_variant *variant)
{
    kc_context *context = space->base.context;
    making m = { space, index, variant };
    *variant = (kci_variant){ .count = 0 };
    kc_status status;
    variant->device = kci_variant_device(space, index, &status);
    if (status != KC_OK)
        return status;
    variant->x = at_sizes(space, index, at_dtypes(space, index));
    if (!variant->x)
        return kc_context_status(context);
    if (variant->x->kind == KC_PROGRAM)
        return kci_program_visit((const kc_program *)(const void *)variant->x, add_kernel, &m);
    return add_kernel(&m, (kc_kernel *)(void *)variant->x, 1);
}

void kci_variant_free(const kc_space *space, kci_variant *variant)
{
    for (size_t i = 0; i < variant->count; i++)
        kc_release(variant->kernels[i].kernel);
    kci_free(space->base.context, variant->kernels, variant->capacity * sizeof *variant->kernels);
    kc_release(variant->x);
    kc_release(variant->device);
    *variant = (kci_variant){ .count = 0 };
}

kc_object *kci_variant_object(const kc_space *space, const kci_variant *variant)
{
    kc_context *context = space->base.context;
    if (variant->x->kind != KC_PROGRAM)
        return kc_retain(variant->kernels[0].kernel);
    kc_object **parts = kci_alloc(context, variant->count * sizeof *parts);
    kc_program *program = NULL;
    bool ok = parts != NULL;
    for (size_t i = 0; ok && i < variant->count; i++) {
        kc_object *kernel = (kc_object *)(void *)variant->kernels[i].kernel;
        parts[i] = variant->kernels[i].times == 1 ? kc_retain(kernel)
                                                  : (kc_object *)(void *)kc_times(kernel, variant->kernels[i].times);
        ok = parts[i] != NULL;
    }
    if (ok)
        program = kc_program_new(context, kc_object_name(variant->x), parts, variant->count);
    for (size_t i = 0; parts && i < variant->count; i++)
        kc_release(parts[i]);
    kci_free(context, (void *)parts, variant->count * sizeof *parts);
    return (kc_object *)(void *)program;
}
