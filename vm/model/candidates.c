/* candidates.c: tiles, stages, splits, rasters, clusters and vector widths that a tuned library would try. */
#include "candidates.h"

#include <math.h>
#include <string.h>

#include "roof.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

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
    bool *refused;              /* the last one is none of this kernel: what it sums over CTAs is needed in them */
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
    kc_status status = t->visit(t->data, t->tiling);
    *t->refused = status == KC_EARGUMENT;
    return *t->refused ? KC_OK : status;
}

/* The loops in their order, outermost first, shared by `ways` CTAs: false where their trips do not divide so. */
static bool share_out(const trying *t, kci_set loops, double ways)
{
    kci_tiling *tiling = t->tiling;
    for (int i = 0; i < tiling->order_count; i++) {
        int loop = tiling->order[i];
        if (!(loops & KCI_BIT(loop)))
            continue;
        double share = fmin(ways, ceil(t->sizes[loop] / tiling->tile[loop]));
        tiling->split[loop] = share;
        ways /= share;
        if (floor(ways) != ways)
            break;
    }
    return ways == 1;
}

static void share_none(const trying *t, kci_set loops)
{
    for (KCI_EACH(i, loops))
        t->tiling->split[i] = 1;
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
static const double matmul_splits[] = { 2, 3, 4, 6, 8, 12, 16, 32, 64, 128 };
/* Of one dim; sums over several, as the gradients of a convolution's weights, have far more to share. */
static const double MATMUL_SPLIT = 32;
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

/* Those of the loops that have trips. */
static kci_set looped(const trying *t, kci_set loops)
{
    kci_set found = 0;
    for (KCI_EACH(i, loops))
        if (t->tiling->tile[i] < t->sizes[i])
            found |= KCI_BIT(i);
    return found;
}

/* Few tiles: these loops shared by several CTAs, each with `least` trips of them or more. */
static kc_status try_matmul_splits(const trying *t, kci_set loops, double least)
{
    double ctas = trips(t, t->tiling->grid), shares = fmin(trips(t, loops) / least, 4 * t->device->full.cores / ctas);
    kci_set with_trips = looped(t, loops);
    bool several = with_trips & (with_trips - 1);
    kc_status status = KC_OK;
    for (size_t i = 0; i < COUNT(matmul_splits) && status == KC_OK; i++) {
        double split = matmul_splits[i];
        if (split > shares || (split > MATMUL_SPLIT && !several))
            break;
        if (share_out(t, loops, split))
            status = visit(t);
        share_none(t, loops);
        if (*t->refused)
            break;
    }
    return status;
}

/* Few tiles: their k, or columns that are reduced afterwards, shared by several CTAs.  Many: persistent CTAs,
 * or stream-K; libraries have no such kernels for vector units, where a CTA is one tile. */
static kc_status try_matmul_grids(const trying *t)
{
    double cores = t->device->full.cores, ctas = trips(t, t->tiling->grid);
    kci_set k = t->roles->chunks ? t->roles->chunks : t->roles->k;
    int streamed = last_loop(looped(t, k));
    kc_status status = try_clusters(t);
    if (status == KC_OK)
        status = try_matmul_splits(t, k, 2);
    if (status == KC_OK)
        status = try_matmul_splits(t, t->roles->columns, 1);
    if (ctas <= cores || status != KC_OK || t->roles->vector_unit)
        return status;
    t->tiling->persistent = true;
    status = try_clusters(t);
    if (status == KC_OK && streamed >= 0 && ctas <= 16 * cores) { /* of many waves the last one hardly counts */
        t->tiling->stream = true;
        t->tiling->stream_loop = (int16_t)streamed;
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
static const double key_tiles[] = { 16, 32, 64, 128, 256 };
/* Keys of a tile behind which there is a softmax, at most. */
static const double SOFTMAX_KEYS = 128;
static const double key_splits[] = { 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128 };

static kc_status try_attention_grids(const trying *t)
{
    double cores = t->device->full.cores, ctas = trips(t, t->tiling->grid);
    int j = last_loop(t->roles->n);
    double key_trips = j < 0 ? 1 : ceil(t->sizes[j] / t->tiling->tile[j]);
    kc_status status = visit(t);
    if (ctas > cores && !t->roles->columns && kci_path_specialised(t->device, NULL) && status == KC_OK) {
        t->tiling->persistent = true; /* two products and no softmax between, as in linear attention */
        status = visit(t);
        t->tiling->persistent = false;
    }
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

enum { NEAR = 64 };             /* nodes looked back at, so that long kernels take linear time */

/* Bytes of the tiles of reads that have, or that lack, one of these loops; each tensor once. */
static double tile_bytes(const trying *t, kci_set loops, bool have)
{
    double bytes = 0;
    for (size_t i = 0; i < t->graph->node_count; i++) {
        const kci_node *node = &t->graph->nodes[i];
        bool counts = node->kind == KCI_READ && ((node->loops & loops) != 0) == have;
        for (size_t j = i > NEAR ? i - NEAR : 0; j < i && counts; j++)
            counts = t->graph->nodes[j].kind != KCI_READ || t->graph->nodes[j].tensor != node->tensor;
        double elements = counts ? t->graph->tensors[node->tensor].bytes : 0;
        for (KCI_EACH(l, node->loops))
            elements *= t->tiling->tile[l];
        bytes += elements;
    }
    return bytes;
}

/* Reads that lack these loops live in registers, or none do. */
static void place_others(const trying *t, kci_set loops, bool in_registers)
{
    for (size_t i = 0; i < t->graph->node_count; i++) {
        const kci_node *node = &t->graph->nodes[i];
        if (node->kind == KCI_READ)
            t->tiling->in_registers[node->tensor] = in_registers && !(node->loops & loops);
    }
}

/* Shared memory that does not hold the queries beside two buffers of keys and values: the queries in
 * registers, and where it must be one buffer (kernels for wide heads on AMD's 64 KiB). */
static kc_status try_tight_attention(const trying *t, double buffer)
{
    double most = t->device->full.smem.per_cta;
    if (buffer > most)
        return KC_OK;
    place_others(t, t->roles->n, true);
    t->tiling->stages = 2 * buffer <= most ? 2 : 1;
    kc_status status = try_attention_grids(t);
    place_others(t, t->roles->n, false);
    return status;
}

/* The least tile of keys is for heads so wide that two buffers of the next one do not fit. */
static bool too_few_keys(const trying *t, double keys)
{
    if (keys >= key_tiles[1])
        return false;
    spread(t, t->roles->n, key_tiles[1]);
    return 2 * tile_bytes(t, t->roles->n, true) <= t->device->full.smem.per_cta;
}

static kc_status try_attention_tile(const trying *t, double queries, double keys)
{
    const kci_roles *r = t->roles;
    kc_status status = KC_OK;
    reset(t);
    spread(t, r->m, queries);
    if (too_few_keys(t, keys))
        return KC_OK;
    spread(t, r->n, keys);
    double buffer = tile_bytes(t, r->n, true), others = tile_bytes(t, r->n, false);
    if (looped(t, r->n) && 2 * buffer + others > t->device->full.smem.per_cta)
        return try_tight_attention(t, buffer);
    for (double stages = 2; stages <= most_key_stages(t) && status == KC_OK; stages++) {
        t->tiling->stages = stages;
        status = try_attention_grids(t);
    }
    return status;
}

static kc_status try_attention(const trying *t)
{
    const kci_roles *r = t->roles;
    kc_status status = KC_OK;
    double most = r->columns ? SOFTMAX_KEYS : INFINITY;
    for (size_t q = 0; q < COUNT(query_tiles); q++) {
        if (too_large(query_tiles[q], r->m_size, 16))
            continue;
        for (size_t k = 0; k < COUNT(key_tiles) && status == KC_OK; k++)
            if (key_tiles[k] <= most && !too_large(key_tiles[k], r->n_size, 32))
                status = try_attention_tile(t, query_tiles[q], key_tiles[k]);
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
        if (*t->refused)
            break;
    }
    return status;
}

static const double row_splits[] = { 8, 32, 128, 512 };

/* Sums over this loop stay on chip whole while a CTA walks it, or none do. */
static void hold_sums(const trying *t, int loop, bool held)
{
    for (size_t i = 0; i < t->graph->node_count; i++) {
        const kci_node *node = &t->graph->nodes[i];
        if (node->kind == KCI_WRITE && !(node->loops & KCI_BIT(loop)))
            t->tiling->held[node->tensor] = held;
    }
}

/* A reduction shared by CTAs; where its rows are in pieces, the sums stay on chip too. */
static kc_status try_row_split(const trying *t, int loop)
{
    kc_status status = try_threads(t);
    if (status != KC_OK || *t->refused || !looped(t, t->roles->k & ~KCI_BIT(loop)))
        return status;
    hold_sums(t, loop, true);
    status = try_threads(t);
    hold_sums(t, loop, false);
    return status;
}

/* Where rows are fewer than cores, several CTAs share a reduction: gradients of a norm's weights, a token's argmax. */
static kc_status try_row_splits(const trying *t)
{
    kc_status status = KC_OK;
    if (trips(t, t->tiling->grid) >= t->device->full.cores)
        return KC_OK;
    for (KCI_EACH(i, t->roles->k))
        for (size_t s = 0; s < COUNT(row_splits) && status == KC_OK; s++) {
            double most = ceil(t->sizes[i] / t->tiling->tile[i]);
            if (most == 1 || (s > 0 && row_splits[s - 1] >= most)) /* the one before has them all */
                break;
            t->tiling->split[i] = fmin(row_splits[s], most);
            status = try_row_split(t, (int)i);
            t->tiling->split[i] = 1;
            if (*t->refused)
                break;
        }
    return status;
}

static const double UNROLLED = 5;      /* stages: four accesses under way */

/* Where rows are fewer than cores and in pieces, a thread loads several pieces at once: nothing else hides latency. */
static kc_status try_unrolled(const trying *t)
{
    if (!looped(t, t->roles->k) || trips(t, t->tiling->grid) >= t->device->full.cores)
        return KC_OK;
    t->tiling->stages = UNROLLED;
    kc_status status = try_threads(t);
    t->tiling->stages = 2;
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
            spread(t, r->m & r->read, row_tiles[m]);
            spread(t, r->k & r->read, reduced_tiles[k]);
            t->tiling->vector = VECTOR_BYTES;
            status = try_threads(t);
            if (status == KC_OK)
                status = try_unrolled(t);
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
    bool refused = false;
    const trying t = { graph, device, sizes, &roles, scanned_loops(graph), tiling, visit_one, data, &refused };
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
