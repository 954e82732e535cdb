/* count.h: what one kernel costs at given sizes and tiles, with no device: work, traffic, footprint.
 *
 * A plan is made once per kernel and schedule and owns all the memory that
 * counting needs; kci_plan_count is then a plain function of sizes and tiles.
 * Files behind it, in the order data flows: nest.c (passes, places), live.c and
 * sum.c (how many iterations and elements), work.c, traffic.c, footprint.c. */
#ifndef KCI_COUNT_H
#define KCI_COUNT_H

#include "kernel.h"
#include "tiling.h"

/* One row of the ledger, in bytes; section 3. */
typedef struct kci_row {
    double read, written;           /* section 3's HBM traffic */
    double loads;                   /* tiles fetched */
    double compulsory, reload, pass, spill, split;
} kci_row;

/* One fetched box in one pass: what a device's L2 and pipeline see.
 * bytes = section 3's traffic of it, the sum over all its loads. */
typedef struct kci_stream {
    int32_t tensor;
    double bytes, loads;
    double tile_bytes;              /* one full tile */
    double cta_bytes;               /* what one CTA fetches, with its reloads */
    double cta_distinct;            /* what one CTA fetches, each element once */
    double pass_distinct;           /* and between a pass and the next, in one turn of the loops that all passes share */
    kci_set grid;                   /* grid loops that index it */
    bool streamed;                  /* inside a sequential loop: has `stages` buffers */
    bool held, in_registers;
    double run;                     /* contiguous bytes of a tile along the tensor's last dims */
} kci_stream;

typedef struct kci_counts {
    double useful_matrix[KCI_FORMATS], executed_matrix[KCI_FORMATS];    /* FLOP by math format */
    double useful_vector[2], executed_vector[2];                        /* FLOP in f32, f64 */
    double executed_vector_fma[2];          /* part of it that comes from a matmul on the vector unit */
    double executed_vector_apart;           /* part of it on one operand of a matmul, before it meets the other */
    double useful_special, executed_special;
    kci_set formats;                        /* of which there may be matrix work, a bit each; 0: of any */
    bool matrix_asked[KCI_FORMATS];         /* opts.math: no fallback */

    double ctas, passes, launches;
    double largest;                         /* work of the largest CTA over that of the mean one; at least 1 */
    double turns;                           /* of the loops that all passes share, in one CTA */
    double steps;                           /* iterations of all sequential loops in one CTA, all passes */
    double smem;                            /* bytes of shared memory a CTA */
    double register_bytes;                  /* bytes of registers a CTA, matmul accumulators included */
    double accumulator_bytes;               /* matmul accumulators at that point: tensor memory where there is one */
    kci_row *rows;                          /* graph.tensor_count entries */
    kci_stream *streams;                    /* reads; stream_count entries */
    size_t stream_count;
    double smem_operand_bytes;              /* filled by the time model */
    /* matmuls of the kernel, for the shared-memory roof and instruction rounding */
    struct kci_matmul_count {
        kci_format math;
        double executions;                  /* over all CTAs */
        double m, n, k;                     /* tile: free dims of a, of b, contracted; batch dims multiply executions */
        double a_bytes, b_bytes;            /* of one element; 0: computed, or in registers */
        double a_direct, b_direct;          /* of one element read straight into registers; 0: it is not */
        bool a_scattered, b_scattered;      /* its free dims are not contiguous in HBM */
        bool vector;
    } *matmuls;
    size_t matmul_count;
} kci_counts;

static inline kci_set kci_formats_of(const kci_counts *counts)
{
    return counts->formats ? counts->formats : KCI_BIT(KCI_FORMATS) - 1;
}

typedef struct kci_plan kci_plan;

/* NULL: the context has the reason.  `tiling` NULL: untiled. */
kci_plan *kci_plan_new(const kci_graph *graph, const kci_tiling *tiling);
void kci_plan_free(kci_plan *plan);
/* Makes it the plan of a graph at other sizes that shares with its own (kci_graph_share).  False: no memory. */
bool kci_plan_move(kci_plan *plan, const kci_graph *graph);

/* Counts at sizes[loop] and tiles[loop] (tiles NULL: the tiling's).  No
 * allocation.  The counts belong to the plan and are overwritten by the next
 * call.  NULL: the kernel is an error at this point (a value reduced over the
 * grid is needed before it is combined, …); the context has the sentence. */
const kci_counts *kci_plan_count(kci_plan *plan, const double *sizes, const double *tiles);

/* Figures that no point of a box has less of, its tiles and splits going from the tiling's to those of `most`:
 * ctas, launches, work, the rows' bytes, streams' bytes and tiles, executions and tiles of matmuls; nothing else is one.
 * Each is a product of sizes and of the least trips, tiles and shares.  *ctas: no point has more.
 * NULL: they are no such products, or the points have not all the same loops. */
const kci_counts *kci_plan_count_least(kci_plan *plan, const double *sizes, const kci_tiling *most, double *ctas);

#endif
