/* tiling.c: a schedule resolved against a kernel: defaults of tiles, grid and order; design, section 4. */
#include "tiling.h"

#include <math.h>
#include <string.h>

#include "kernels.h"
#include "resize.h"
#include "schedule.h"

typedef struct resolving {
    const kc_kernel *kernel;
    const kci_graph *graph;
    const kc_schedule *schedule;
    kci_tiling *tiling;
    kc_context *context;
} resolving;

static const char *nth_loop(const void *data, size_t i)
{
    const kci_graph *graph = data;
    return i < graph->loop_count ? kci_name(graph->context, graph->loops[i].name) : NULL;
}

static const char *nth_tensor(const void *data, size_t i)
{
    const kci_graph *graph = data;
    return i < graph->tensor_count ? graph->tensors[i].name : NULL;
}

/* The loop an option names; -1 after the sentence. */
static int loop_named(const resolving *r, const char *option, kci_symbol name)
{
    for (size_t i = 0; i < r->graph->loop_count; i++)
        if (r->graph->loops[i].name == name)
            return (int)i;
    char list[KCI_PART_BYTES];
    kci_text dims = kci_text_part(r->context, list, sizeof list);
    for (size_t i = 0; i < r->graph->loop_count; i++)
        kci_text_format(&dims, "%s%s", i ? " " : "", nth_loop(r->graph, i));
    kci_fail(r->context, KC_EARGUMENT, "tile: %s: kernel '%.80s' has no dim '%.80s'; it has %s%s", option, r->kernel->name,
             kci_name(r->context, name), *list ? list : "none",
             kci_nearest(r->context, kci_name(r->context, name), nth_loop, r->graph));
    return -1;
}

static int tensor_named(const resolving *r, const char *option, kci_symbol symbol)
{
    const char *name = kci_name(r->context, symbol);
    if (kci_spend(r->context, "tile", r->graph->tensor_count) != KC_OK)
        return -1;
    for (size_t i = 0; i < r->graph->tensor_count; i++)
        if (strcmp(r->graph->tensors[i].name, name) == 0)
            return (int)i;
    kci_fail(r->context, KC_EARGUMENT, "tile: %s: kernel '%.80s' moves no tensor '%.80s'%s", option, r->kernel->name, name,
             kci_nearest(r->context, name, nth_tensor, r->graph));
    return -1;
}

/* ---- tiles ------------------------------------------------------------------------ */

static void set_ones(kci_tiling *tiling, kci_set loops)
{
    for (KCI_EACH(i, loops))
        if (!tiling->given[i])
            tiling->tile[i] = 1;
}

static bool any_given(const kci_tiling *tiling, kci_set loops)
{
    for (KCI_EACH(i, loops))
        if (tiling->given[i])
            return true;
    return false;
}

/* Batch dims of a matmul are 1, and so are the other free dims of an operand one
 * of whose free dims has a size; without a matmul, what every reduction keeps. */
static void default_tiles(resolving *r)
{
    const kci_graph *graph = r->graph;
    kci_set kept = ~(kci_set)0;
    bool has_matmul = false, has_reduction = false;
    for (size_t n = 0; n < graph->node_count; n++) {
        const kci_node *node = &graph->nodes[n];
        if (node->flags & KCI_MATMUL) {
            kci_set a = kci_value_loops(graph, &graph->nodes[graph->edge_list[node->edge].node]);
            kci_set b = kci_value_loops(graph, &graph->nodes[graph->edge_list[node->edge + 1].node]);
            has_matmul = true;
            set_ones(r->tiling, a & b & ~node->reduced);
            if (any_given(r->tiling, a & ~b))
                set_ones(r->tiling, a & ~b);
            if (any_given(r->tiling, b & ~a))
                set_ones(r->tiling, b & ~a);
        }
        if (node->kind == KCI_OP && node->reduced && !(node->flags & KCI_SCAN)) {
            has_reduction = true;
            kept &= node->loops & ~node->reduced;
        }
    }
    if (!has_matmul && has_reduction)
        set_ones(r->tiling, kept);
}

static kc_status resolve_tiles(resolving *r)
{
    for (size_t i = 0; i < r->graph->loop_count; i++) {
        r->tiling->tile[i] = KCI_MAX_SIZE; /* whole */
        r->tiling->split[i] = 1;
        r->tiling->cluster[i] = 1;
    }
    for (size_t i = 0; i < r->schedule->tile.count; i++) {
        int loop = loop_named(r, "sizes", r->schedule->tile.items[i].name);
        if (loop < 0)
            return KC_EARGUMENT;
        r->tiling->tile[loop] = r->schedule->tile.items[i].number;
        r->tiling->given[loop] = true;
    }
    default_tiles(r);
    return KC_OK;
}

/* ---- grid and order ------------------------------------------------------------------ */

static kci_set reduced_loops(const kci_graph *graph, bool scans)
{
    kci_set loops = 0;
    for (size_t n = 0; n < graph->node_count; n++)
        if (scans || !(graph->nodes[n].flags & KCI_SCAN))
            loops |= graph->nodes[n].reduced;
    return loops;
}

static void add_grid(kci_tiling *tiling, int loop)
{
    tiling->grid |= KCI_BIT(loop);
    tiling->grid_order[tiling->grid_count++] = (int16_t)loop;
}

static void default_grid(resolving *r, kci_set ordered)
{
    const kci_graph *graph = r->graph;
    kci_set all = ~(kci_set)0;
    const kci_node *first = NULL;
    for (size_t n = 0; n < graph->node_count; n++)
        if (graph->nodes[n].kind == KCI_WRITE) {
            all &= graph->nodes[n].loops;
            if (!first || strcmp(graph->nodes[n].label, kci_named_as(r->kernel)->tensors[0]->name) == 0)
                first = &graph->nodes[n];
        }
    all &= ~reduced_loops(graph, true) & ~ordered;
    for (uint32_t i = 0; first && i < first->axes; i++) {
        const kci_axis *axis = &graph->axes[graph->axis_ids[first->axis + i]];
        for (uint32_t t = 0; t < axis->terms; t++) {
            int loop = graph->terms[axis->term + t].loop;
            if ((all & KCI_BIT(loop)) && !(r->tiling->grid & KCI_BIT(loop)))
                add_grid(r->tiling, loop);
        }
    }
}

/* Dims not named come inside those named: first what no op reduces, by first
 * appearance; then reduced ones, those of later ops outside those of earlier. */
static void default_order(resolving *r, kci_set taken)
{
    const kci_graph *graph = r->graph;
    kci_tiling *tiling = r->tiling;
    kci_set reduced = reduced_loops(graph, true);
    for (size_t i = 0; i < graph->loop_count; i++)
        if (!((taken | reduced) & KCI_BIT(i)))
            tiling->order[tiling->order_count++] = (int16_t)i;
    for (size_t n = graph->node_count; n-- > 0;)
        for (size_t i = 0; i < graph->loop_count; i++)
            if (graph->nodes[n].reduced & ~taken & KCI_BIT(i)) {
                tiling->order[tiling->order_count++] = (int16_t)i;
                taken |= KCI_BIT(i);
            }
}

static kc_status resolve_loops(resolving *r)
{
    kci_tiling *tiling = r->tiling;
    kci_set ordered = 0, scanned = 0;
    tiling->order_given = r->schedule->order.given;
    tiling->grid_given = r->schedule->grid.given;
    for (size_t i = 0; i < r->schedule->order.count; i++) {
        int loop = loop_named(r, "order", r->schedule->order.items[i].name);
        if (loop < 0)
            return KC_EARGUMENT;
        ordered |= KCI_BIT(loop);
        tiling->order[tiling->order_count++] = (int16_t)loop;
    }
    for (size_t i = 0; i < r->schedule->grid.count; i++) {
        int loop = loop_named(r, "grid", r->schedule->grid.items[i].name);
        if (loop < 0)
            return KC_EARGUMENT;
        if (ordered & KCI_BIT(loop))
            return kci_fail(r->context, KC_EARGUMENT,
                            "tile: '%.80s' stands in grid and in order; a dim runs across CTAs or in a loop", nth_loop(r->graph, (size_t)loop));
        add_grid(tiling, loop);
    }
    if (!tiling->grid_given)
        default_grid(r, ordered);
    default_order(r, ordered | tiling->grid);
    for (size_t n = 0; n < r->graph->node_count; n++)
        if (r->graph->nodes[n].flags & KCI_SCAN)
            scanned |= r->graph->nodes[n].reduced;
    for (size_t i = 0; i < r->graph->loop_count; i++)
        if (scanned & tiling->grid & KCI_BIT(i))
            return kci_fail(r->context, KC_EARGUMENT,
                            "tile: grid: a scan runs along '%.80s', so its CTAs would need each other; leave it out of the grid",
                            nth_loop(r->graph, i));
    for (size_t i = 0; i < r->schedule->split.count; i++) {
        int loop = loop_named(r, "split", r->schedule->split.items[i].name);
        if (loop < 0)
            return KC_EARGUMENT;
        const char *wrong = tiling->grid & KCI_BIT(loop)                                   ? "is in the grid already"
                            : scanned & KCI_BIT(loop)                                      ? "is scanned"
                            : !(reduced_loops(r->graph, false) & KCI_BIT(loop))            ? "is reduced by no op"
                                                                                           : NULL;
        if (wrong)
            return kci_fail(r->context, KC_EARGUMENT, "tile: split: '%.80s' %s; split a reduced dim, as in { k = 4 }",
                            nth_loop(r->graph, (size_t)loop), wrong);
        double n = r->schedule->split.items[i].number;
        if (n == 0) {
            tiling->stream = true;
            tiling->stream_loop = (int16_t)loop;
        } else {
            tiling->split[loop] = n;
        }
    }
    return KC_OK;
}

/* ---- the rest ------------------------------------------------------------------------- */

static kc_status resolve_tensors(resolving *r)
{
    kci_tiling *tiling = r->tiling;
    const kc_schedule *s = r->schedule;
    for (size_t i = 0; i < s->stages.count; i++) {
        int tensor = tensor_named(r, "stages", s->stages.items[i].name);
        if (tensor < 0)
            return KC_EARGUMENT;
        tiling->tensor_stages[tensor] = s->stages.items[i].number;
    }
    for (size_t i = 0; i < s->hold.count; i++) {
        int tensor = tensor_named(r, "hold", s->hold.items[i].name);
        if (tensor < 0)
            return KC_EARGUMENT;
        tiling->held[tensor] = true;
    }
    for (size_t i = 0; i < s->place.count; i++) {
        int tensor = tensor_named(r, "place", s->place.items[i].name);
        if (tensor < 0)
            return KC_EARGUMENT;
        if (!r->graph->tensors[tensor].read)
            return kci_fail(r->context, KC_EARGUMENT, "tile: place: kernel '%.80s' does not read %.80s", r->kernel->name,
                            r->graph->tensors[tensor].name);
        tiling->in_registers[tensor] = s->place.items[i].number != 0;
    }
    return KC_OK;
}

static kc_status resolve_grid_options(resolving *r)
{
    kci_tiling *tiling = r->tiling;
    for (size_t i = 0; i < r->schedule->raster.count; i++) {
        int loop = loop_named(r, "raster", r->schedule->raster.items[i].name);
        if (loop < 0)
            return KC_EARGUMENT;
        if (!(tiling->grid & KCI_BIT(loop)))
            return kci_fail(r->context, KC_EARGUMENT, "tile: raster: '%.80s' is not in the grid", nth_loop(r->graph, (size_t)loop));
        tiling->raster[tiling->raster_count++] = (int16_t)loop;
    }
    tiling->raster_group = r->schedule->raster_group;
    for (size_t i = 0; i < r->schedule->cluster.count; i++) {
        int loop = loop_named(r, "cluster", r->schedule->cluster.items[i].name);
        if (loop < 0)
            return KC_EARGUMENT;
        if (!(tiling->grid & KCI_BIT(loop)))
            return kci_fail(r->context, KC_EARGUMENT, "tile: cluster: '%.80s' is not in the grid", nth_loop(r->graph, (size_t)loop));
        tiling->cluster[loop] = r->schedule->cluster.items[i].number;
    }
    return KC_OK;
}

static size_t tiling_bytes(size_t tensors)
{
    return sizeof(kci_tiling) + tensors * (sizeof(double) + 2 * sizeof(bool));
}

static void place_arrays(kci_tiling *tiling, size_t tensors)
{
    tiling->tensor_stages = (double *)(void *)(tiling + 1);
    tiling->held = (bool *)(void *)(tiling->tensor_stages + tensors);
    tiling->in_registers = tiling->held + tensors;
}

void kci_tiling_set(kci_tiling *to, const kci_tiling *from, size_t tensors)
{
    memcpy(to, from, tiling_bytes(tensors));
    place_arrays(to, tensors);
}

kci_tiling *kci_tiling_copy(kc_context *context, const kci_tiling *from, size_t tensors)
{
    kci_tiling *copy = kci_resize(context, NULL, 0, tiling_bytes(tensors));
    if (copy)
        kci_tiling_set(copy, from, tensors);
    return copy;
}

static bool same_doubles(const double *a, const double *b, size_t count)
{
    bool same = true;
    for (size_t i = 0; i < count && same; i++)
        same = a[i] == b[i];
    return same;
}

/* What it has a loop. */
static bool same_loops(const kci_tiling *a, const kci_tiling *b)
{
    return same_doubles(a->tile, b->tile, KCI_MAX_LOOPS) && same_doubles(a->split, b->split, KCI_MAX_LOOPS) &&
           same_doubles(a->cluster, b->cluster, KCI_MAX_LOOPS) && memcmp(a->given, b->given, sizeof a->given) == 0 &&
           memcmp(a->grid_order, b->grid_order, sizeof a->grid_order) == 0 &&
           memcmp(a->order, b->order, sizeof a->order) == 0 && memcmp(a->raster, b->raster, sizeof a->raster) == 0;
}

bool kci_tiling_equal(const kci_tiling *a, const kci_tiling *b, size_t tensors)
{
    if (!a || !b)
        return a == b;
    bool same = a->grid == b->grid && a->grid_count == b->grid_count && a->order_count == b->order_count &&
                a->atomic == b->atomic && a->grid_given == b->grid_given && a->order_given == b->order_given &&
                a->stream == b->stream && a->stream_loop == b->stream_loop && a->stages == b->stages &&
                a->warps == b->warps && a->raster_count == b->raster_count && a->raster_group == b->raster_group &&
                a->persistent == b->persistent && a->vector == b->vector && a->threads == b->threads &&
                a->overlap == b->overlap && (a->path == b->path || (a->path && b->path && strcmp(a->path, b->path) == 0));
    return same && same_loops(a, b) && same_doubles(a->tensor_stages, b->tensor_stages, tensors) &&
           memcmp(a->held, b->held, 2 * tensors * sizeof *a->held) == 0; /* and in_registers */
}

kci_tiling *kci_tiling_new(const kc_kernel *kernel, const kc_schedule *schedule)
{
    kc_context *context = kernel->base.context;
    kci_tiling *tiling = kci_alloc(context, tiling_bytes(kernel->graph.tensor_count));
    if (!tiling)
        return NULL;
    place_arrays(tiling, kernel->graph.tensor_count);
    resolving r = { kernel, &kernel->graph, schedule, tiling, context };
    tiling->stages = schedule->all_stages > 0 ? schedule->all_stages : 2;
    tiling->warps = schedule->warps;
    tiling->atomic = schedule->atomic;
    tiling->persistent = schedule->persistent;
    tiling->vector = schedule->vector;
    tiling->threads = schedule->threads;
    tiling->path = schedule->path;
    tiling->overlap = schedule->overlap;
    kc_status status = resolve_tiles(&r);
    if (!status)
        status = resolve_loops(&r);
    if (!status)
        status = resolve_tensors(&r);
    if (!status)
        status = resolve_grid_options(&r);
    if (!status)
        return tiling;
    kci_tiling_free(context, tiling, kernel->graph.tensor_count);
    return NULL;
}

void kci_tiling_free(kc_context *context, kci_tiling *tiling, size_t tensor_count)
{
    kci_free(context, tiling, tiling_bytes(tensor_count));
}

/* ---- kc_tile --------------------------------------------------------------------------- */

static kc_kernel *graph_owner(kc_kernel *kernel)
{
    while (kernel->graph.shares)
        kernel = kernel->like;
    return kernel;
}

/* False: no memory. */
static bool share_tensors(kc_kernel *tiled, kc_kernel *kernel)
{
    kc_context *context = kernel->base.context;
    tiled->tensor_count = kernel->tensor_count;
    tiled->fused_count = kernel->fused_count;
    if (kernel->from) { /* they are made when they are asked for */
        tiled->from = kc_retain(kernel->from);
        tiled->resizing = kci_resizing_retain(kernel->resizing);
        return true;
    }
    tiled->tensors = kci_alloc(context, kernel->tensor_count * sizeof *tiled->tensors);
    tiled->fused = tiled->tensors ? kci_alloc(context, kernel->fused_count * sizeof *tiled->fused) : NULL;
    for (size_t i = 0; tiled->fused && i < kernel->tensor_count; i++)
        tiled->tensors[i] = kc_retain(kernel->tensors[i]);
    for (size_t i = 0; tiled->fused && i < kernel->fused_count; i++)
        tiled->fused[i] = kc_retain(kernel->fused[i]);
    return tiled->fused != NULL;
}

kc_kernel *kci_kernel_scheduled(kc_kernel *kernel, kc_schedule *schedule)
{
    kc_context *context = kernel->base.context;
    kc_kernel *tiled = kci_new(context, KC_KERNEL, sizeof *tiled);
    if (!tiled)
        return NULL;
    tiled->like = kc_retain(graph_owner(kernel));
    tiled->narrowed = kernel->narrowed;
    tiled->online = kernel->online;
    tiled->name = kci_copy_text(context, kernel->name);
    bool ok = tiled->name && share_tensors(tiled, kernel) && kci_graph_share(&tiled->graph, &kernel->graph, context);
    if (ok && schedule) {
        tiled->schedule = kci_schedule_copy(schedule);
        tiled->tiling = tiled->schedule ? kci_tiling_new(tiled, tiled->schedule) : NULL;
        ok = tiled->tiling != NULL;
    }
    if (ok)
        return tiled;
    kc_release(tiled);
    return NULL;
}

kc_kernel *kc_tile(kc_object *object, const kc_schedule *schedule)
{
    if (!object || !schedule || kci_same_context(object->context, schedule, "tile") != KC_OK)
        return NULL;
    kc_kernel *kernel = kci_as_kernel(object, "tile", "the first argument");
    if (!kernel)
        return NULL;
    kc_kernel *tiled = NULL;
    if (kernel->member_count > 0)
        kci_fail(kernel->base.context, KC_EARGUMENT, "tile: '%.80s' is a group; tile its kernels before grouping them", kernel->name);
    else if (kernel->graph.comm.kind != KCI_NO_COMM)
        kci_fail(kernel->base.context, KC_EARGUMENT, "tile: '%.80s' is the %s between devices: it has no tiles", kernel->name,
                 kci_comm_name(&kernel->graph.comm));
    else
        tiled = kci_kernel_scheduled(kernel, (kc_schedule *)(uintptr_t)schedule);
    kc_release(kernel);
    return tiled;
}
