/* candidates.c: tiles, stages, splits, rasters, clusters and vector widths that a tuned library would try. */
#include "candidates.h"

#include <math.h>
#include <string.h>

#include "roof.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- what the loops are --------------------------------------------------------------- */

static bool is_matmul(const kci_node *node)
{
    return node->kind == KCI_OP && (node->flags & KCI_MATMUL) && node->edges == 2;
}

static double points(kci_set loops, const double *sizes)
{
    double product = 1;
    for (KCI_EACH(i, loops))
        product *= sizes[i];
    return product;
}

static double widest_tensor(const kci_graph *graph)
{
    double bytes = 0;
    for (size_t t = 0; t < graph->tensor_count; t++)
        if (graph->tensors[t].tensor)
            bytes = fmax(bytes, graph->tensors[t].bytes);
    return bytes > 0 ? bytes : 4;
}

/* Bytes of the widest operand that is a read, else of the math format. */
static double operand_bytes(const kci_graph *graph)
{
    double bytes = 0;
    for (size_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].kind == KCI_READ)
            bytes = fmax(bytes, graph->tensors[graph->nodes[i].tensor].bytes);
    return bytes > 0 ? bytes : 2;
}

kci_roles kci_roles_of(const kci_graph *graph, const kc_device *device, const double *sizes)
{
    kci_roles r = { .family = KCI_FAMILY_ELEMENTWISE, .element_bytes = widest_tensor(graph) };
    const kci_node *first = NULL;
    kci_set all = 0, later = 0, added = 0;
    bool reduces = false;
    for (size_t i = 0; i < graph->node_count; i++) {
        const kci_node *node = &graph->nodes[i];
        all |= node->loops;
        reduces = reduces || (node->kind == KCI_OP && node->reduced);
        if (!is_matmul(node)) {
            added |= node->reduced;
            continue;
        }
        if (first)
            later |= node->reduced;
        else
            first = node;
    }
    if (!first) {
        r.family = reduces ? KCI_FAMILY_ROWS : KCI_FAMILY_ELEMENTWISE;
        for (size_t i = 0; i < graph->node_count; i++)
            r.k |= graph->nodes[i].reduced;
        r.m = all & ~r.k;
    } else {
        kci_set a = kci_value_loops(graph, &graph->nodes[graph->edge_list[first->edge].node]);
        kci_set b = kci_value_loops(graph, &graph->nodes[graph->edge_list[first->edge + 1].node]);
        r.k = first->reduced;
        r.batch = a & b & ~r.k;
        r.chunks = r.batch & added;
        r.m = a & ~b & ~r.k;
        r.n = b & ~a & ~r.k;
        r.family = later & (r.n | r.m) ? KCI_FAMILY_ATTENTION : KCI_FAMILY_MATMUL;
        if (r.family == KCI_FAMILY_ATTENTION && !(later & r.n)) { /* written the other way round */
            kci_set m = r.m;
            r.m = r.n;
            r.n = m;
        }
        r.element_bytes = operand_bytes(graph);
        kci_compute_roof roof;
        r.vector_unit = first->unit == KCI_VECTOR || kci_matrix_roof(device, first->math, false, &roof, NULL) != KC_OK ||
                        roof.unit == KCI_VECTOR;
    }
    r.m_size = points(r.m, sizes);
    r.n_size = points(r.n, sizes);
    r.k_size = points(r.k, sizes);
    return r;
}

/* ---- one candidate ---------------------------------------------------------------------- */

typedef struct trying {
    const kci_graph *graph;
    const kc_device *device;
    const double *sizes;
    const kci_roles *roles;
    kci_set scanned;            /* loops along which a scan runs, which no CTAs can share */
    kci_tiling *tiling;
    kci_visit_candidate visit;
    void *data;
} trying;

static kci_set scanned_loops(const kci_graph *graph)
{
    kci_set scanned = 0;
    for (size_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].flags & KCI_SCAN)
            scanned |= graph->nodes[i].reduced;
    return scanned;
}

/* Spreads a tile of `target` points over the loops, the last one first. */
static void spread(const trying *t, kci_set loops, double target)
{
    for (int i = (int)t->graph->loop_count - 1; i >= 0; i--) {
        if (!(loops & KCI_BIT(i)))
            continue;
        double tile = fmin(fmax(1, floor(target)), t->sizes[i]);
        t->tiling->tile[i] = tile;
        target /= tile;
    }
}

static int last_loop(kci_set loops)
{
    int last = -1;
    for (KCI_EACH(i, loops))
        last = (int)i;
    return last;
}

static double trips(const trying *t, kci_set loops)
{
    double product = 1;
    for (KCI_EACH(i, loops))
        product *= ceil(t->sizes[i] / t->tiling->tile[i]);
    return product;
}

static void reset(const trying *t)
{
    kci_tiling *tiling = t->tiling;
    for (size_t i = 0; i < t->graph->loop_count; i++) {
        tiling->tile[i] = t->sizes[i];
        tiling->split[i] = tiling->cluster[i] = 1;
    }
    for (KCI_EACH(i, t->roles->batch))
        tiling->tile[i] = 1;
    tiling->stages = 2;
    tiling->warps = tiling->threads = tiling->vector = 0;
    tiling->stream = tiling->persistent = false;
    tiling->raster_count = 0;
    tiling->raster_group = 0;
}

static kc_status visit(const trying *t)
{
    for (KCI_EACH(i, t->scanned))
        if (t->tiling->split[i] > 1 || (t->tiling->stream && t->tiling->stream_loop == (int)i))
            return KC_OK;
    return t->visit(t->data, t->tiling);
}

/* A tile that a smaller one of the list would hold as well is not tried. */
static bool too_large(double tile, double size, double least)
{
    return tile > least && tile / 2 >= size;
}

/* ---- matmul -------------------------------------------------------------------------------- */

/* What cuBLAS, CUTLASS and hipBLASLt ship kernels for: tile rows and columns. */
static const struct { double m, n; } matmul_tiles[] = {
    { 256, 128 }, { 128, 256 }, { 128, 128 }, { 256, 64 }, { 64, 256 }, { 128, 64 }, { 64, 128 }, { 64, 64 },
    { 128, 32 }, { 32, 128 }, { 64, 32 }, { 32, 64 }, { 32, 32 }, { 128, 16 }, { 16, 128 }, { 64, 16 }, { 16, 64 },
    { 16, 16 },
};
static const double matmul_splits[] = { 2, 3, 4, 6, 8, 12, 16, 32 };
static const double matmul_stages[] = { 3, 4, 6 };
/* Bytes of k in one step: a line of 128 where matrix instructions take them, 64 for vector units. */
static const double STEP_BYTES = 128, VECTOR_STEP_BYTES = 64;
/* Columns of a raster's run: neighbours share the rows of A in L2. */
static const double RASTER_RUN = 8;

static void set_raster(const trying *t)
{
    int m = last_loop(t->roles->m & t->tiling->grid), n = last_loop(t->roles->n & t->tiling->grid);
    if (m < 0 || n < 0)
        return;
    t->tiling->raster[0] = (int16_t)m;
    t->tiling->raster[1] = (int16_t)n;
    t->tiling->raster_count = 2;
    t->tiling->raster_group = RASTER_RUN;
}

/* Alone, and in clusters of two along the rows or the columns. */
static kc_status try_clusters(const trying *t)
{
    kc_status status = visit(t);
    if (!kci_path_specialised(t->device, NULL))
        return status;
    const kci_set along[] = { t->roles->m, t->roles->n };
    for (size_t i = 0; i < COUNT(along) && status == KC_OK; i++) {
        int loop = last_loop(along[i] & t->tiling->grid);
        if (loop < 0 || t->sizes[loop] <= t->tiling->tile[loop])
            continue;
        t->tiling->cluster[loop] = 2;
        status = visit(t);
        t->tiling->cluster[loop] = 1;
    }
    return status;
}

/* Few tiles: their k shared by several CTAs.  Many: persistent CTAs, or stream-K; libraries have
 * no such kernels for vector units, where a CTA is one tile. */
static kc_status try_matmul_grids(const trying *t)
{
    double cores = t->device->full.cores, ctas = trips(t, t->tiling->grid);
    int k = last_loop(t->roles->chunks ? t->roles->chunks : t->roles->k);
    double k_trips = k < 0 ? 1 : ceil(t->sizes[k] / t->tiling->tile[k]);
    kc_status status = try_clusters(t);
    for (size_t i = 0; i < COUNT(matmul_splits) && status == KC_OK; i++) {
        double split = matmul_splits[i];
        if (split * 2 > k_trips || ctas * split > 4 * cores)
            break;
        t->tiling->split[k] = split;
        status = visit(t);
        t->tiling->split[k] = 1;
    }
    if (ctas <= cores || status != KC_OK || t->roles->vector_unit)
        return status;
    t->tiling->persistent = true;
    status = try_clusters(t);
    if (status == KC_OK && k_trips > 1 && ctas <= 16 * cores) { /* of many waves the last one hardly counts */
        t->tiling->stream = true;
        t->tiling->stream_loop = (int16_t)k;
        status = try_clusters(t);
        t->tiling->stream = false;
    }
    t->tiling->persistent = false;
    return status;
}

/* One tile at one step of k and some stages. */
static kc_status try_matmul_tile(const trying *t, double m, double n, double step, double stages)
{
    reset(t);
    spread(t, t->roles->m, m);
    spread(t, t->roles->n, n);
    spread(t, t->roles->k, step);
    set_raster(t);
    t->tiling->stages = stages;
    return try_matmul_grids(t);
}

/* Shared memory that does not hold three stages of a tile is filled twice in turn, by halves of a step
 * where it must be: the kernels of Turing, and of AMD's 64 KiB. */
static kc_status try_double_buffers(const trying *t, double m, double n, double step)
{
    double most = t->device->full.smem.per_cta, stage = (m + n) * step * t->roles->element_bytes;
    if (3 * stage <= most)
        return KC_OK;
    return try_matmul_tile(t, m, n, 2 * stage <= most ? step : step / 2, 2);
}

static kc_status try_matmul(const trying *t)
{
    const kci_roles *r = t->roles;
    double step = (r->vector_unit ? VECTOR_STEP_BYTES : STEP_BYTES) / r->element_bytes;
    kc_status status = KC_OK;
    for (size_t i = 0; i < COUNT(matmul_tiles) && status == KC_OK; i++) {
        double m = matmul_tiles[i].m, n = matmul_tiles[i].n;
        if (too_large(m, r->m_size, 16) || too_large(n, r->n_size, 16))
            continue;
        for (size_t s = 0; s < COUNT(matmul_stages) && status == KC_OK; s++)
            status = try_matmul_tile(t, m, n, step, matmul_stages[s]);
        if (status == KC_OK)
            status = try_double_buffers(t, m, n, step);
    }
    return status;
}

/* ---- attention ------------------------------------------------------------------------------- */

static const double query_tiles[] = { 16, 64, 128, 256 };
static const double key_tiles[] = { 32, 64, 128 };
static const double key_splits[] = { 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128 };

static kc_status try_attention_grids(const trying *t)
{
    double cores = t->device->full.cores, ctas = trips(t, t->tiling->grid);
    int j = last_loop(t->roles->n);
    double key_trips = j < 0 ? 1 : ceil(t->sizes[j] / t->tiling->tile[j]);
    kc_status status = visit(t);
    for (size_t i = 0; i < COUNT(key_splits) && status == KC_OK; i++) {
        double split = key_splits[i];
        if (split > key_trips || ctas * split > 4 * cores)
            break;
        t->tiling->split[j] = split;
        status = visit(t);
        t->tiling->split[j] = 1;
    }
    return status;
}

/* Two buffers of keys and values; deeper where tensor memory leaves room and loads are asynchronous. */
static double most_key_stages(const trying *t)
{
    return strcmp(kci_path_of(t->device, NULL), "tcgen05") == 0 ? 4 : 2;
}

static kc_status try_attention(const trying *t)
{
    const kci_roles *r = t->roles;
    kc_status status = KC_OK;
    for (size_t q = 0; q < COUNT(query_tiles); q++) {
        if (too_large(query_tiles[q], r->m_size, 16))
            continue;
        for (size_t k = 0; k < COUNT(key_tiles) && status == KC_OK; k++) {
            if (too_large(key_tiles[k], r->n_size, 32))
                continue;
            reset(t);
            spread(t, r->m, query_tiles[q]);
            spread(t, r->n, key_tiles[k]);
            for (double stages = 2; stages <= most_key_stages(t) && status == KC_OK; stages++) {
                t->tiling->stages = stages;
                status = try_attention_grids(t);
            }
        }
    }
    return status;
}

/* ---- rows, elementwise -------------------------------------------------------------------------- */

static const double thread_counts[] = { 128, 256, 512, 1024 };
static const double row_tiles[] = { 1, 4, 16, 64 };
/* The smallest for sums over an outer dim, whose tiles are wide and low. */
static const double reduced_tiles[] = { 64, 1024, 4096, 16384, 65536 };
static const double accesses[] = { 1, 2, 4 };      /* of a thread and tensor, one after another */
static const double VECTOR_BYTES = 16;

static kc_status try_threads(const trying *t)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < COUNT(thread_counts) && status == KC_OK; i++) {
        t->tiling->threads = thread_counts[i];
        status = visit(t);
    }
    return status;
}

static const double row_splits[] = { 8, 32, 128, 512 };

/* Where rows are fewer than cores, several CTAs share a reduction: gradients of a norm's weights, a token's argmax. */
static kc_status try_row_splits(const trying *t)
{
    kc_status status = KC_OK;
    if (trips(t, t->tiling->grid) >= t->device->full.cores)
        return KC_OK;
    for (KCI_EACH(i, t->roles->k))
        for (size_t s = 0; s < COUNT(row_splits) && status == KC_OK; s++) {
            if (row_splits[s] > ceil(t->sizes[i] / t->tiling->tile[i]))
                break;
            t->tiling->split[i] = row_splits[s];
            status = try_threads(t);
            t->tiling->split[i] = 1;
        }
    return status;
}

/* Rows as long as they fit in one tile, else in pieces. */
static kc_status try_rows(const trying *t)
{
    const kci_roles *r = t->roles;
    kc_status status = KC_OK;
    for (size_t m = 0; m < COUNT(row_tiles); m++) {
        if (m > 0 && row_tiles[m - 1] >= r->m_size) /* the one before holds all rows */
            continue;
        for (size_t k = 0; k < COUNT(reduced_tiles) && status == KC_OK; k++) {
            if (k > 0 && reduced_tiles[k - 1] >= r->k_size)
                continue;
            reset(t);
            spread(t, r->m, row_tiles[m]);
            spread(t, r->k, reduced_tiles[k]);
            t->tiling->vector = VECTOR_BYTES;
            status = try_threads(t);
            if (status == KC_OK)
                status = try_row_splits(t);
        }
    }
    return status;
}

static kc_status try_elementwise(const trying *t)
{
    const kci_roles *r = t->roles;
    kc_status status = KC_OK;
    for (size_t i = 0; i < COUNT(thread_counts) && status == KC_OK; i++)
        for (size_t a = 0; a < COUNT(accesses) && status == KC_OK; a++) {
            reset(t);
            t->tiling->threads = thread_counts[i];
            t->tiling->vector = VECTOR_BYTES;
            spread(t, r->m, thread_counts[i] * accesses[a] * VECTOR_BYTES / r->element_bytes);
            status = visit(t);
        }
    return status;
}

/* Loops along which neighbours read the same elements: positions that are no plain loop. */
static kci_set overlapping(const kci_graph *graph)
{
    kci_set loops = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        const kci_node *node = &graph->nodes[i];
        for (uint32_t a = 0; a < node->axes && node->kind == KCI_READ; a++) {
            const kci_axis *axis = &graph->axes[graph->axis_ids[node->axis + a]];
            if (!axis->gather && (axis->terms > 1 || axis->constant != 0))
                loops |= axis->loops;
        }
    }
    return loops;
}

/* Blocks of a grid whose points share neighbours: the less surface, the less is read again. */
static const double block_sides[] = { 4, 8, 16 }, block_ends[] = { 16, 32, 64 };

static kc_status try_blocks(const trying *t)
{
    const kci_set block = t->roles->m & overlapping(t->graph);
    int last = last_loop(block);
    kc_status status = KC_OK;
    if (last < 0 || !(block & ~KCI_BIT(last)))
        return KC_OK;
    for (size_t side = 0; side < COUNT(block_sides); side++)
        for (size_t end = 0; end < COUNT(block_ends) && status == KC_OK; end++) {
            reset(t);
            for (KCI_EACH(i, t->roles->m))
                t->tiling->tile[i] = 1;
            for (KCI_EACH(i, block))
                t->tiling->tile[i] = fmin((int)i == last ? block_ends[end] : block_sides[side], t->sizes[i]);
            t->tiling->vector = VECTOR_BYTES;
            status = try_threads(t);
        }
    return status;
}

kc_status kci_candidates(const kci_graph *graph, const kc_device *device, const double *sizes, kci_tiling *tiling,
                         kci_visit_candidate visit_one, void *data)
{
    kci_roles roles = kci_roles_of(graph, device, sizes);
    const trying t = { graph, device, sizes, &roles, scanned_loops(graph), tiling, visit_one, data };
    kc_status status = KC_OK;
    switch (roles.family) {
    case KCI_FAMILY_MATMUL:
        status = try_matmul(&t);
        if (!roles.vector_unit)
            return status;
        break;
    case KCI_FAMILY_ATTENTION: return try_attention(&t);
    case KCI_FAMILY_ROWS: status = try_rows(&t); break;
    case KCI_FAMILY_ELEMENTWISE: status = try_elementwise(&t); break;
    }
    return status == KC_OK ? try_blocks(&t) : status;
}
