/* small_kernel.h: a tiled matmul with its counts written out by hand, for tests of occupancy and time.
 *
 * C[m,n] = A[m,k] B[k,n] in f16, grid m n, a sequential loop over k; no plan and no
 * allocation, so that these tests stand on the design's formulas alone. */
#ifndef SMALL_KERNEL_H
#define SMALL_KERNEL_H

#include "count.h"

typedef struct small_kernel {
    kci_loop loops[3];          /* m n k */
    kci_loop_term terms[3];
    kci_axis axes[3];
    uint32_t axis_ids[8];
    kci_node nodes[4];
    kci_edge edges[3];
    kci_tensor_use tensors[3];
    kci_graph graph;
    kci_tiling tiling;
    double sizes[3];
    kci_row rows[3], hbm[3];
    kci_stream streams[2];
    struct kci_matmul_count matmul;
    kci_counts counts;
} small_kernel;

static inline double small_trips(const small_kernel *s, int loop)
{
    return ceil(s->sizes[loop] / s->tiling.tile[loop]);
}

static inline void small_graph(small_kernel *s, kc_context *context)
{
    static const char *const names[] = { "m", "n", "k" };
    for (int i = 0; i < 3; i++) {
        s->loops[i] = (kci_loop){ kci_intern(context, names[i], 1), s->sizes[i] };
        s->terms[i] = (kci_loop_term){ 1, (int16_t)i, -1 };
        s->axes[i] = (kci_axis){ .size = s->sizes[i], .term = (uint32_t)i, .terms = 1, .loops = KCI_BIT(i) };
    }
    static const uint32_t ids[8] = { 0, 2, 2, 1, 0, 1 };    /* A: m k; B: k n; C: m n */
    for (int i = 0; i < 8; i++)
        s->axis_ids[i] = ids[i];
    s->nodes[0] = (kci_node){ .kind = KCI_READ, .axis = 0, .axes = 2, .loops = KCI_BIT(0) | KCI_BIT(2), .tensor = 0 };
    s->nodes[1] = (kci_node){ .kind = KCI_READ, .axis = 2, .axes = 2, .loops = KCI_BIT(1) | KCI_BIT(2), .tensor = 1 };
    s->nodes[2] = (kci_node){ .kind = KCI_OP, .loops = 7, .reduced = KCI_BIT(2), .edge = 0, .edges = 2, .tensor = -1 };
    s->nodes[3] = (kci_node){ .kind = KCI_WRITE, .axis = 4, .axes = 2, .loops = 3, .edge = 2, .edges = 1, .tensor = 2 };
    s->edges[0].node = 0;
    s->edges[1].node = 1;
    s->edges[2].node = 2;
    s->tensors[0] = (kci_tensor_use){ NULL, "A", 2, true, false };
    s->tensors[1] = (kci_tensor_use){ NULL, "B", 2, true, false };
    s->tensors[2] = (kci_tensor_use){ NULL, "C", 2, false, true };
    s->graph = (kci_graph){ .loops = s->loops, .terms = s->terms, .axes = s->axes, .axis_ids = s->axis_ids,
                            .nodes = s->nodes, .edge_list = s->edges, .tensors = s->tensors, .loop_count = 3,
                            .term_count = 3, .axis_count = 3, .axis_id_count = 6, .node_count = 4, .edge_count = 3,
                            .tensor_count = 3, .context = context };
}

static inline void small_tiling(small_kernel *s, double m, double n, double k)
{
    s->tiling = (kci_tiling){ .grid = 3, .grid_count = 2, .order_count = 1, .stages = 2, .overlap = KCI_OVERLAP_LOAD };
    const double tile[3] = { m, n, k };
    for (int i = 0; i < 3; i++)
        s->tiling.tile[i] = fmin(tile[i], s->sizes[i]);
    for (int i = 0; i < KCI_MAX_LOOPS; i++)
        s->tiling.split[i] = s->tiling.cluster[i] = 1;
    s->tiling.grid_order[0] = s->tiling.raster[0] = 0;
    s->tiling.grid_order[1] = s->tiling.raster[1] = 1;
    s->tiling.order[0] = 2;
    s->tiling.raster_count = 2;
}

/* One operand: index i of rows, tile rows x tile k, read by `others` CTAs each. */
static inline void small_operand(small_kernel *s, int i, double others)
{
    double rows = s->sizes[i], depth = s->sizes[2], tile = s->tiling.tile[i], k = s->tiling.tile[2];
    double compulsory = 2 * rows * depth, bytes = compulsory * others;
    s->rows[i] = (kci_row){ .read = bytes, .loads = small_trips(s, i) * others * small_trips(s, 2),
                            .compulsory = compulsory, .reload = bytes - compulsory };
    s->streams[i] = (kci_stream){ .tensor = i, .bytes = bytes, .loads = s->rows[i].loads,
                                  .tile_bytes = 2 * tile * k, .cta_bytes = bytes / s->counts.ctas,
                                  .cta_distinct = 2 * tile * depth, .grid = KCI_BIT(i),
                                  .streamed = small_trips(s, 2) > 1, .run = 2 * (i == 0 ? k : tile) };
}

static inline void small_counts(small_kernel *s)
{
    const double *t = s->tiling.tile;
    double m = small_trips(s, 0), n = small_trips(s, 1), k = small_trips(s, 2);
    kci_counts *c = &s->counts;
    *c = (kci_counts){ .ctas = m * n, .passes = 1, .launches = 1, .steps = k, .rows = s->rows, .streams = s->streams,
                       .stream_count = 2, .matmuls = &s->matmul, .matmul_count = 1 };
    c->useful_matrix[KCI_F16] = 2 * s->sizes[0] * s->sizes[1] * s->sizes[2];
    c->executed_matrix[KCI_F16] = 2 * m * n * k * t[0] * t[1] * t[2];
    small_operand(s, 0, n);
    small_operand(s, 1, m);
    s->rows[2] = (kci_row){ .written = 2 * s->sizes[0] * s->sizes[1], .compulsory = 2 * s->sizes[0] * s->sizes[1] };
    double stages = k > 1 ? s->tiling.stages : 1;
    c->smem = stages * 2 * (t[0] * t[2] + t[1] * t[2]);
    c->register_bytes = c->accumulator_bytes = 4 * t[0] * t[1];
    s->matmul = (struct kci_matmul_count){ .math = KCI_F16, .executions = m * n * k, .m = t[0], .n = t[1], .k = t[2],
                                           .a_bytes = 2, .b_bytes = 2 };
}

/* C = A B of M x N x K under tile m x n x k. */
static inline void small_matmul(small_kernel *s, kc_context *context, const double size[3], double m, double n, double k)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 3; i++)
        s->sizes[i] = size[i];
    small_graph(s, context);
    small_tiling(s, m, n, k);
    small_counts(s);
}

#endif
