/* plan.h: what counting keeps: sizes and trips of a point, the nest they give, room for results.
 *
 *     geometry.c   sizes, tiles -> trips, which loops are loops, virtual dims
 *     combine.c    what runs in the tiled kernel, and what after partials are combined
 *     nest.c       passes; which loops are around each node in each pass
 *     product.c    figures that are products of sizes, tiles and trips
 *     need.c       where each node is needed in each pass
 *     live.c       sums over the live iterations of some loops
 *     distinct.c   elements touched at least once; touched.c where no closed form serves
 *     twin.c       ops that a fuse needs under several indexes
 *     work.c traffic.c footprint.c   the figures
 *     count.c      all of it in order */
#ifndef KCI_PLAN_H
#define KCI_PLAN_H

#include "count.h"
#include "product.h"

enum { KCI_MAX_PASSES = 32 };

/* A node in one pass. */
typedef struct kci_visit {
    kci_set around;             /* sequential loops that count as around it */
    kci_set closed;             /* loops that ended before it, or before all that use it */
    /* ops: executions, times what a tile of it holds, times what a tile of its value holds */
    kci_product executions, in, out;
} kci_visit;

/* Where its uses in one pass need a node: graph->regions[region + a] for each bit a of
 * alternatives; 0: everywhere. */
typedef struct kci_need {
    uint32_t region, alternatives;
} kci_need;

/* work.c: the useful points of an op, by its dims and by its value's. */
typedef struct kci_useful {
    kci_product in, out;
} kci_useful;

/* work.c: a matmul's tile. */
typedef struct kci_matmul_tile {
    uint32_t node;
    kci_set m, n, k, batch;     /* loops whose tiles make them */
    double a_bytes, b_bytes, a_direct, b_direct;
    bool a_scattered, b_scattered;
} kci_matmul_tile;

/* traffic.c: a read in one pass, and those that move with it. */
typedef struct kci_box {
    uint32_t node, members;
    int pass;
    kci_set around, grid;       /* loops walked; grid loops that index it */
    uint32_t region, regions;   /* plan->joined: alternatives of all members */
    bool everywhere;            /* or no limits at all */
    uint32_t ids;               /* plan->box_ids: positions of each member */
    kci_product loads, elements, tile, distinct;    /* distinct: of one CTA */
} kci_box;

/* live_group.c: a sum over two dims that a band ties, and what it is of; see kci_band_sum. */
typedef struct kci_band_answer {
    double n_q, t_q, n_k, t_k, lo, hi, sum;
    bool weigh_q, weigh_k;
} kci_band_answer;

/* work.c: live iterations of some loops under one need. */
typedef struct kci_live_answer {
    kci_need need;
    kci_set around;
    double iterations;
} kci_live_answer;

enum { KCI_KEPT_SUMS = 8 };     /* a mask is asked about again and again, by ops, tiles and boxes */

/* footprint.c: when a value is alive, in op visits over all passes */
typedef struct kci_life {
    int begin, open_end, end;
    int shared;                 /* depth of loops that all passes using it share */
    kci_set whole;              /* loops along which it is held whole */
    kci_product elements;
    double open_bytes, bytes;
    bool matmul;
} kci_life;

struct kci_plan {
    kc_context *context;
    size_t walked;                  /* where no closed form serves, since the count began */
    bool ended;                     /* by the context's watch: nothing that was counted is right */
    const kci_graph *graph;
    const kci_tiling *tiling;       /* NULL: untiled */

    /* the point */
    double size[KCI_MAX_LOOPS];     /* virtual dims included: how many values are useful */
    double whole[KCI_MAX_LOOPS];    /* a loop's size, also while size counts a part of it */
    double tile[KCI_MAX_LOOPS];
    double trips[KCI_MAX_LOOPS];
    double shares[KCI_MAX_LOOPS];   /* CTAs that share a split loop; 1 */
    double low[KCI_MAX_LOOPS], high[KCI_MAX_LOOPS];     /* index range where a loop is not walked: whole, but for a share */
    double first[KCI_MAX_LOOPS], step[KCI_MAX_LOOPS];   /* value of index u: first + step * u */
    bool resized;                   /* some loop has not the size that the kernel was built with */
    kci_set looped;                 /* sequential loops with more than one trip */
    kci_set grid;                   /* grid loops with more than one trip */
    kci_set split;                  /* looped ones that CTAs share */
    kci_set seen_looped, seen_grid, seen_split; /* of which the nest below was made */
    bool *seen_held, *seen_registers;           /* per tensor: and of these places; tiled kernels */
    bool nest_made;

    /* the nest: depends on looped, grid and split only */
    int depth[KCI_MAX_LOOPS];       /* 1: outermost sequential loop; 0: none */
    int loop_at[KCI_MAX_LOOPS + 1];
    int passes;
    kci_set pass_loops[KCI_MAX_PASSES + 1];
    int shared[KCI_MAX_PASSES + 1]; /* depth down to which pass p and p - 1 share their loops */
    kci_set separates[KCI_MAX_PASSES + 1];  /* the loop that parts pass p from the one before */
    uint8_t *pass;                  /* per node: its own pass */
    uint32_t *runs;                 /* per node: passes it runs in, bit p - 1 */
    uint8_t *last;                  /* per node and reduced loop: the last pass that reduced it behind the node */
    int reduced_index[KCI_MAX_LOOPS], reduced_count;    /* columns of last */
    int pass_room;                  /* passes there is room for */
    kci_visit *visits;              /* per pass and node: visits[(pass - 1) * nodes + node] */
    kci_need *needs;                /* as visits; NULL: nothing is masked or padded */
    bool *plain;                    /* per node: runs in the tiled kernel */
    bool *combined;                 /* per node: runs in the small kernel that combines partials */
    bool *behind;                   /* per node: needs a value that is combined first */
    kci_set combined_over;          /* grid and split loops that values are reduced over */
    bool *spills;                   /* per node: stands for an accumulator that is left unfinished and comes back */
    kci_useful *useful;             /* per node */
    kci_matmul_tile *matmuls;
    size_t matmul_count;
    kci_set free[2];                /* dims that only the first operands of matmuls have, and only the second */
    kci_region *joined;             /* KCI_MOST_REGIONS a box; NULL: as needs */
    kci_box *boxes;                 /* in order of passes, tensors and reads */
    uint32_t *box_ids;
    size_t box_count, box_id_count, box_id_room;

    bool *plain_axis;               /* per axis: one loop, as it is */
    bool *whole_axis;               /* per axis: one loop, from its first to its last value */
    kci_products products;
    kci_product *compulsory;        /* per tensor: elements that its reads touch */
    kci_product *covered;           /* per node: elements that a write covers */

    /* accumulators: known when the plan is made */
    int32_t *spills_to;             /* per node: the written tensor under whose name it spills; -1: always held */
    uint32_t *accumulator;          /* per node: the node that stands for its accumulator (KCI_INTO joins some) */
    kci_set *accumulates;           /* per node that stands for one: loops reduced by all of them */
    uint32_t *read_start, *read_list;   /* read nodes by tensor */
    size_t read_count;
    uint64_t *marks;                /* of elements, where no closed form serves; room for the sizes of the graph */
    size_t mark_words;
    bool marked;                    /* some tensor's are */
    uint32_t *next_twin;            /* per node: the next of the same op; 0: none */

    /* columns of the footprint */
    kci_life *lives;         /* per node */
    uint32_t *turns;                /* node of each op visit, from 1 on */
    int turn_count;
    uint32_t *stream_head, *stream_next;    /* streams by tensor; numbered from 1 */
    double *events;                 /* per op visit and one more */
    double *matmul_events;

    kci_band_answer bands[KCI_KEPT_SUMS];  /* the last ones, in a ring; true of any point */
    size_t band_count;
    kci_live_answer lives_kept[KCI_KEPT_SUMS];     /* of this point */
    size_t lives_known;
    double seen_size[KCI_MAX_LOOPS];    /* sizes for which the two below are known */
    double *useful_known;           /* per node: useful points, 0 below its own; -1: not known */
    double *elements_known;         /* per tensor: compulsory elements; -1: not known */

    uint32_t *scratch;              /* per node */
    double *first_pass;             /* per tensor: bytes of the first pass that reads it */
    bool *merged;                   /* per node: a read that is in another's box in this pass */

    kci_counts counts;
};

/* For a walk where no closed form serves: counts a step; false: the context's watch ended the count. */
bool kci_plan_goes_on(kci_plan *plan);

static inline double kci_value(const kci_plan *plan, kci_product product)
{
    return plan->products.value[product];
}

/* geometry.c */
kc_status kci_geometry(kci_plan *plan, const double *sizes, const double *tiles);
/* The least tiles, trips and shares of a box of points, whose tiles and splits go from the tiling's to those of
 * `most`.  False: the points have not all the same loops, nor then the same nest.  *ctas: no point has more. */
bool kci_geometry_least(kci_plan *plan, const double *sizes, const kci_tiling *most, double *ctas);
/* Values from the least to the most that an axis takes in a tile, loops of `whole` at full size. */
double kci_extent(const kci_plan *plan, uint32_t axis, kci_set whole);
double kci_tile_extent(const kci_plan *plan, uint32_t axis);    /* box of one full tile, not clipped */
double kci_size_of(const kci_plan *plan, const kci_axis *axis); /* kci_axis_size at the point */

/* combine.c */
kc_status kci_combine(kci_plan *plan);

/* nest.c */
kc_status kci_number_passes(kci_plan *plan);
kc_status kci_nest(kci_plan *plan);
kci_visit *kci_visit_of(const kci_plan *plan, uint32_t node, int pass); /* NULL: it does not run there */
int kci_shared_depth(const kci_plan *plan, int from, int to);   /* depth that passes from..to all share */

/* need.c: what the uses of each node in each pass that does it need */
void kci_find_needs(kci_plan *plan);
static inline kci_need kci_need_of(const kci_plan *plan, uint32_t node, int pass)
{
    return plan->needs ? plan->needs[(size_t)(pass - 1) * plan->graph->node_count + node] : (kci_need){ 0, 0 };
}
/* What all its uses need, in whatever pass. */
static inline kci_need kci_need_in_all(const kci_node *node)
{
    return (kci_need){ node->region, (1u << node->regions) - 1 };
}

/* live.c: sums over iterations */
typedef struct kci_sum {
    kci_plan *plan;                 /* plan->low, plan->high: the index ranges of loops not walked */
    kci_set around;                 /* loops walked tile by tile (points: index by index) */
    bool points;
    kci_set split;                  /* loops outside `around` whose shares count apart */
    const uint32_t *axes;           /* extents that are multiplied, clipped to their sizes; points: none */
    size_t axis_count;
    size_t members;                 /* reads in one box: axes holds axis_count ids for each */
    const kci_region *regions;      /* alternatives of limits: those of the need are counted from here */
    kci_need need;
    bool mask, far, padding;        /* which limits count */
} kci_sum;

/* A sum over `around` with the node's limits, ranges whole. */
kci_sum kci_sum_over(kci_plan *plan, const kci_node *node, kci_set around);
/* The same over the grid and some loops, with a need of its own. */
kci_sum kci_sum_needed(kci_plan *plan, kci_need need, kci_set around);
/* Sum over live iterations of the product of extents (1 where there are none).
 * Negative: too many iterations to walk one by one; the context has the sentence. */
double kci_live_sum(kci_sum *sum);
/* Narrows low and high of the loops to what the one alternative of a region leaves; several say nothing. */
void kci_narrow(kci_sum *sum);
/* The same, where CTAs that share split loops outside `around` each count apart. */
double kci_live_sum_shared(kci_sum *sum);

/* sum.c: closed forms */
/* Sum over i in 0 .. count-1 of clip(start + step*i, 0, size). */
double kci_clipped_sum(double start, double step, double count, double size);
/* The same of how much of [least + step*i, most + step*i] lies in [0, size). */
double kci_box_sum(double least, double most, double step, double count, double size);
/* Sum over pairs of tiles of q and k that hold a point lo <= k - q <= hi, of the
 * product of their extents, as far as asked to weigh. */
double kci_band_sum(double n_q, double t_q, double n_k, double t_k, double lo, double hi, bool weigh_q, bool weigh_k);

/* distinct.c */
double kci_distinct_values(const kci_plan *plan, uint32_t scope_axis);
/* Its least and greatest value, and the step between neighbours; 0: not one step. */
void kci_distinct_range(const kci_plan *plan, uint32_t scope_axis, double *low, double *high, double *step);
double kci_read_elements(kci_plan *plan, const kci_node *read); /* of one read; negative: failed */
double kci_union_elements(kci_plan *plan, const uint32_t *nodes, int count);    /* boxes of several, without limits */
/* touched.c: is there no closed form for this tensor's reads; words of marks for it where so (0: too many);
 * elements marked one by one (negative: too many) */
bool kci_irregular(const kci_plan *plan, int32_t tensor);
size_t kci_marks_needed(const kci_plan *plan, int32_t tensor);
double kci_touched(kci_plan *plan, const uint32_t *reads, int count);
double kci_compulsory(kci_plan *plan, int32_t tensor);          /* of all reads of a tensor, times their scales; negative: failed */

/* accumulator.c: what of an accumulator spills */
/* Reduced loops around one that indexes the accumulator; `without` counts as no loop. */
kci_set kci_enclosing_loops(const kci_plan *plan, uint32_t node, kci_set without);
bool kci_spills(const kci_plan *plan, uint32_t node);               /* `node` stands for its accumulator */
kc_status kci_find_accumulators(kci_plan *plan);
/* spill.c: elements of node n that leave unfinished, with each live trip of `leader` but the last: n itself, or the
 * accumulator that a statistic goes with; negative: failed */
double kci_spilled(kci_plan *plan, uint32_t n, uint32_t leader);

/* work.c: how often a node is executed in a pass, `around` being the loops around it; negative: failed */
double kci_executions(kci_plan *plan, uint32_t n, int pass, kci_set around);
/* work.c: points of an op: useful ones, or those executed untiled; of its value with `out` */
double kci_points(kci_plan *plan, const kci_node *node, bool useful, bool whole, bool out);
/* twin.c: useful points of node n; of twins the first has what all cover, once */
double kci_useful_points(kci_plan *plan, uint32_t n);

/* Of a counted plan: what op n adds to matrix, vector and special work. */
kc_status kci_work_of(kci_plan *plan, uint32_t n, double useful[3], double executed[3]);

/* What of the figures follows from the nest alone. */
void kci_plan_work(kci_plan *plan);
void kci_plan_traffic(kci_plan *plan);
void kci_plan_footprint(kci_plan *plan);

/* the figures */
kc_status kci_count_work(kci_plan *plan);
kc_status kci_count_traffic(kci_plan *plan);
kc_status kci_count_largest(kci_plan *plan);
void kci_count_footprint(kci_plan *plan);

#endif
