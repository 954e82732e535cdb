/* ski_slope.c: the Pareto front of capacity and traffic over all tiles and loop orders of a kernel.
 *
 * One CTA walks everything, one buffer a tile: what the chip as a whole holds, whatever its cores are. */
#include "ski_slope.h"

#include <math.h>
#include <string.h>

#include "block.h"
#include "kernels.h"
#include "schedule.h"
#include "sweep.h"

enum {
    ALL_ORDERS = 5,                 /* varied dims of which all orders are tried; of more, all inner two */
    MOST_TILES = 256,               /* of one dim */
    LARGEST_DIVISOR = 1024,
    COARSEST = 4
};
/* Points above which tiles are taken in larger steps. */
static const double MOST_POINTS = 300000;

/* ---- what is varied ---------------------------------------------------------------------------- */

/* Is a position of the tensor this loop and nothing else? */
static bool indexed_by(const kci_graph *graph, const kci_node *node, unsigned loop)
{
    for (uint32_t i = 0; i < node->axes; i++) {
        uint32_t id = graph->axis_ids[node->axis + i];
        if (kci_axis_is_plain(graph, id) && graph->axes[id].loops == KCI_BIT(loop))
            return true;
    }
    return false;
}

/* Each position one loop, each another. */
static bool lies_plain(const kci_graph *graph, const kci_node *read)
{
    kci_set seen = 0;
    for (uint32_t i = 0; i < read->axes; i++) {
        uint32_t id = graph->axis_ids[read->axis + i];
        if (!kci_axis_is_plain(graph, id) || (graph->axes[id].loops & seen))
            return false;
        seen |= graph->axes[id].loops;
    }
    return read->kind == KCI_READ && read->scale == 1 && read->regions == 0;
}

static bool is_batch(const kci_graph *graph, unsigned loop)
{
    for (size_t n = 0; n < graph->node_count; n++) {
        const kci_node *node = &graph->nodes[n];
        bool moves = node->kind != KCI_OP;
        if (moves ? !indexed_by(graph, node, loop) : (node->reduced & KCI_BIT(loop)) != 0)
            return false;
    }
    return true;
}

kci_slope kci_slope_of(const kci_graph *graph)
{
    kci_slope slope = { .element_bytes = INFINITY };
    size_t matmuls = 0;
    for (size_t l = 0; l < graph->loop_count; l++) {
        if (is_batch(graph, (unsigned)l))
            slope.batch |= KCI_BIT(l);
        else if (graph->loops[l].size > 1)
            slope.varied |= KCI_BIT(l);
    }
    for (size_t n = 0; n < graph->node_count; n++) {
        const kci_node *node = &graph->nodes[n];
        if (node->kind != KCI_OP)
            slope.element_bytes = fmin(slope.element_bytes, graph->tensors[node->tensor].bytes);
        if (!(node->flags & KCI_MATMUL))
            continue;
        slope.points = 1;
        for (KCI_EACH(l, node->loops))
            slope.points *= graph->loops[l].size;
        slope.matmul = ++matmuls == 1 && node->edges == 2 && node->regions == 0;
        for (uint32_t e = 0; e < node->edges; e++)
            slope.matmul = slope.matmul && lies_plain(graph, &graph->nodes[graph->edge_list[node->edge + e].node]);
    }
    return slope;
}

double kci_slope_bound(const kci_slope *slope, double compulsory, double capacity)
{
    if (!slope->matmul)
        return compulsory;
    return fmax(compulsory, 2 * slope->points / sqrt(capacity / slope->element_bytes) * slope->element_bytes);
}

/* ---- the space ----------------------------------------------------------------------------------- */

static size_t add_tile(double *tiles, size_t count, double tile)
{
    size_t at = 0;
    while (at < count && tiles[at] < tile)
        at++;
    if (count == MOST_TILES || (at < count && tiles[at] == tile))
        return count;
    memmove(tiles + at + 1, tiles + at, (count - at) * sizeof *tiles);
    tiles[at] = tile;
    return count + 1;
}

/* In ascending order: powers of 2, 4, 16, 256, …, by how coarse they are to be; the whole; at the finest also what
 * divides it. */
static size_t tiles_of(double size, int coarse, double *tiles)
{
    double base = pow(2, coarse > 1 ? pow(2, coarse - 1) : 1);
    size_t count = add_tile(tiles, 0, size);
    for (double tile = 1; tile < size; tile *= base)
        count = add_tile(tiles, count, tile);
    for (double tile = 2; coarse == 0 && tile <= LARGEST_DIVISOR && tile < size; tile++)
        if (fmod(size, tile) == 0)
            count = add_tile(tiles, count, tile);
    return count;
}

static double orders_of(size_t dims)
{
    double orders = 1;
    for (size_t i = dims <= ALL_ORDERS ? 2 : dims - 1; i <= dims; i++)
        orders *= (double)i;
    return orders;
}

/* As coarse as keeps the points below the most. */
static int coarseness(const kci_graph *graph, kci_set varied, size_t dims)
{
    double tiles[MOST_TILES];
    for (int coarse = 0; coarse < COARSEST; coarse++) {
        double points = orders_of(dims);
        for (KCI_EACH(l, varied))
            points *= (double)tiles_of(graph->loops[l].size, coarse, tiles);
        if (points <= MOST_POINTS)
            return coarse;
    }
    return COARSEST;
}

static kc_status add_tiles(kc_space *space, const kci_graph *graph, kci_set varied, int coarse)
{
    kc_status status = KC_OK;
    for (KCI_EACH(l, varied)) {
        double tiles[MOST_TILES];
        size_t count = tiles_of(graph->loops[l].size, coarse, tiles);
        kci_text axis = { .context = graph->context };
        kci_text_format(&axis, "tile.%s", kci_name(graph->context, graph->loops[l].name));
        if (status == KC_OK)
            status = axis.failed ? KC_ENOMEM : kc_space_numbers(space, axis.bytes, tiles, count);
        kci_text_free(&axis);
    }
    return status;
}

static kc_status add_order(kc_space *space, const kci_graph *graph, kci_set batch, const unsigned *dims, size_t count)
{
    kci_text order = { .context = graph->context };
    for (KCI_EACH(l, batch))
        kci_text_format(&order, "%s ", kci_name(graph->context, graph->loops[l].name));
    for (size_t i = 0; i < count; i++)
        kci_text_format(&order, "%s%s", i ? " " : "", kci_name(graph->context, graph->loops[dims[i]].name));
    const char *text = order.bytes;
    kc_status status = order.failed ? KC_ENOMEM : kc_space_texts(space, "order", &text, 1);
    kci_text_free(&order);
    return status;
}

/* All orders of dims[0 .. open), `left` places from the inside out, before those that are chosen; the rest keeps its order. */
static kc_status add_orders(kc_space *space, const kci_graph *graph, kci_set batch, const unsigned *dims, size_t count, size_t open,
                            size_t left)
{
    if (left == 0)
        return add_order(space, graph, batch, dims, count);
    kc_status status = KC_OK;
    for (size_t i = open; i-- > 0 && status == KC_OK;) { /* the order of the dims comes first */
        unsigned next[KCI_MAX_LOOPS];
        memcpy(next, dims, count * sizeof *dims);
        memmove(next + i, next + i + 1, (open - i - 1) * sizeof *next);
        next[open - 1] = dims[i];
        status = add_orders(space, graph, batch, next, count, open - 1, left - 1);
    }
    return status;
}

/* No grid: one CTA; one buffer a tile; batch dims one by one. */
static kc_kernel *in_one_cta(kc_kernel *kernel, kci_set batch)
{
    kc_schedule *s = kc_schedule_new(kernel->base.context);
    kc_status status = s ? kc_schedule_grid(s, "") : KC_ENOMEM;
    if (status == KC_OK)
        status = kc_schedule_stages(s, NULL, 1);
    for (KCI_EACH(l, batch))
        if (status == KC_OK)
            status = kc_schedule_tile(s, kci_name(kernel->base.context, kernel->graph.loops[l].name), 1);
    kc_kernel *tiled = status == KC_OK ? kci_kernel_scheduled(kernel, s) : NULL;
    kc_release(s);
    return tiled;
}

static kc_space *space_of(kc_kernel *kernel, const kci_slope *slope)
{
    const kci_graph *graph = &kernel->graph;
    unsigned dims[KCI_MAX_LOOPS];
    size_t count = 0;
    for (KCI_EACH(l, slope->varied))
        dims[count++] = (unsigned)l;
    kc_kernel *alone = in_one_cta(kernel, slope->batch);
    kc_space *space = alone ? kc_space_new(&alone->base) : NULL;
    kc_status status = space ? KC_OK : KC_ENOMEM;
    if (status == KC_OK && count > 0)
        status = add_orders(space, graph, slope->batch, dims, count, count, count <= ALL_ORDERS ? count - 1 : 2);
    if (status == KC_OK)
        status = add_tiles(space, graph, slope->varied, coarseness(graph, slope->varied, count));
    if (status == KC_OK)
        status = kc_space_pareto(space, (const char *[]){ "bytes" }, 1);
    if (status == KC_OK)
        status = kci_space_ready(space);
    kc_release(alone);
    if (status == KC_OK)
        return space;
    kc_release(space);
    return NULL;
}

/* ---- the front ------------------------------------------------------------------------------------- */

enum { BYTES, BYTES_MIN, SMEM, REGISTERS, FIELDS };
static const size_t fields[FIELDS] = { KC_BYTES, KC_BYTES_MIN, KC_SMEM, KC_REGISTER_BYTES };

static kci_sweep_column *add_bytes(kc_sweep *sweep, const char *name)
{
    kci_sweep_column *column = kci_sweep_add_column(sweep, name, false);
    if (column)
        column->unit = "byte";
    return column;
}

/* Columns: axes, capacity, bytes, bound. */
static kc_sweep *new_front(kc_space *space)
{
    const kci_axes *axes = &space->axes;
    kc_sweep *sweep = kci_sweep_new(space->base.context, kc_object_name(space->x), "least bytes for each capacity");
    bool ok = sweep != NULL;
    for (size_t c = 0; ok && c < axes->column_count; c++)
        ok = kci_sweep_add_column(sweep, axes->columns[c].text, axes->list[axes->columns[c].axis].texts != NULL) != NULL;
    ok = ok && add_bytes(sweep, "capacity") && add_bytes(sweep, "bytes") && add_bytes(sweep, "bound");
    if (!ok) {
        kc_release(sweep);
        return NULL;
    }
    sweep->axes = axes->column_count;
    sweep->points = sweep->done = axes->points;
    sweep->space = kc_retain(space);
    kci_keeper *k = &sweep->keeper;
    k->kind = KCI_KEEP_PARETO;
    k->width = 1 + sweep->column_count;
    k->key_count = 2;
    k->at[0] = 1 + sweep->axes + 1;
    k->at[1] = 1 + sweep->axes;
    return sweep;
}

static kc_status offer(kc_sweep *sweep, const kci_slope *slope, double point, const double *values)
{
    const kci_axes *axes = &sweep->space->axes;
    double capacity = values[SMEM] + values[REGISTERS], *row;
    kc_status status = kci_keep(&sweep->keeper, point, 0, (const double[]){ values[BYTES], capacity }, &row);
    if (status != KC_OK || !row)
        return status;
    uint32_t index[KCI_MOST_AXES];
    kci_axes_at(axes, point, index);
    for (size_t c = 0; c < sweep->axes; c++) {
        const kci_sweep_axis *axis = &axes->list[axes->columns[c].axis];
        uint32_t at = index[axes->columns[c].axis];
        row[1 + c] = axis->texts ? kci_sweep_text_number(sweep, &sweep->columns[c], axis->texts[at]) : axis->numbers[at];
        if (row[1 + c] < 0)
            return KC_ENOMEM;
    }
    row[1 + sweep->axes + 2] = kci_slope_bound(slope, values[BYTES_MIN], capacity);
    return KC_OK;
}

/* A point that is no schedule is not on the front. */
static kc_status take(kc_sweep *sweep, const kci_slope *slope, const kci_block *b)
{
    const double *values = b->values;
    kc_status status = b->status;
    for (size_t i = 0; i < b->count && status == KC_OK; i++) {
        if (b->verdict[i] != KCI_FITS)
            continue;
        sweep->fit++;
        status = offer(sweep, slope, b->first + (double)i, values);
        values += b->field_count;
    }
    return status;
}

static kc_status run_outer(kc_sweep *sweep, const kci_slope *slope, kci_block *b, double outer)
{
    kc_space *space = sweep->space;
    double first = outer * space->axes.inner_points, end = first + space->axes.inner_points;
    uint32_t index[KCI_MOST_AXES];
    kci_variant variant = { .count = 0 };
    kci_axes_at(&space->axes, first, index);
    kc_status status = kci_variant_make(space, index, &variant);
    if (status == KC_OK)
        status = kci_block_rig(b, outer, &variant, "");
    kci_variant_free(space, &variant);
    for (; first < end && status == KC_OK; first += (double)b->count) {
        status = kci_watched(space->base.context, "ski_slope", first, space->axes.points);
        if (status != KC_OK)
            return status;
        b->first = first;
        b->count = (size_t)fmin(KCI_BLOCK_POINTS, end - first);
        kci_block_run(b);
        if (b->status == KC_ELIMIT)
            return kci_fail(space->base.context, KC_ELIMIT, "%s", b->message[0]);
        status = take(sweep, slope, b);
    }
    return status;
}

/* From the least capacity up; of a front there are no two alike. */
static void sort_by_capacity(kc_sweep *sweep)
{
    kci_keeper *k = &sweep->keeper;
    size_t at = k->at[1];
    for (size_t i = 1; i < k->count; i++)
        for (double *row = k->rows + i * k->width; row > k->rows && row[at] < (row - k->width)[at]; row -= k->width)
            for (size_t d = 0; d < k->width; d++) {
                double held = row[d];
                row[d] = (row - k->width)[d];
                (row - k->width)[d] = held;
            }
}

kc_sweep *kc_ski_slope(kc_object *x)
{
    kc_kernel *kernel = kci_as_kernel(x, "ski_slope", "kernel");
    if (kernel && kernel->member_count) {
        kci_fail(x->context, KC_EARGUMENT, "ski_slope: '%.80s' is a group; ask of each of its kernels", kernel->name);
        kc_release(kernel);
        return NULL;
    }
    if (!kernel)
        return NULL;
    kci_slope slope = kci_slope_of(&kernel->graph);
    kc_space *space = space_of(kernel, &slope);
    kc_sweep *sweep = space ? new_front(space) : NULL;
    kci_block *b = sweep ? kci_block_new(space, "ski_slope", fields, FIELDS) : NULL;
    kc_status status = b ? KC_OK : kc_context_status(x->context);
    for (double outer = 0; status == KC_OK && outer < space->axes.points / space->axes.inner_points; outer++)
        status = run_outer(sweep, &slope, b, outer);
    if (status == KC_OK)
        status = kci_keeper_finish(&sweep->keeper);
    if (status == KC_OK)
        sort_by_capacity(sweep);
    kci_block_free(b);
    kc_release(space);
    kc_release(kernel);
    if (status == KC_OK)
        return sweep;
    if (status == KC_ENOMEM)
        kci_fail(x->context, KC_ENOMEM, "not enough memory");
    kc_release(sweep);
    return NULL;
}
