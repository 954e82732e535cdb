/* walker.h: what the files of the walk share: the nest it walks and where it stands in it.
 *
 * walk_nest.c   passes, the loops they share, what is done where
 * walk_uses.c   what of a node its uses in one pass need
 * walk_live.c   tiles and boxes, and whether a live point is in them
 * walk_dims.c   all values of some dims in turn
 * walk_joint.c  whether a point is live
 * walk_points.c useful points and distinct elements, by enumeration
 * walk.c        the walk over CTAs and loops; what is fetched, executed, visited
 * walk_spill.c  accumulators: their tiles, spills and partials
 * walk_sum.c    figures from what the walk saw
 *
 *     pass 1   for j { load; op }        order    [ j i ]: loops with trips, not in the grid
 *     pass 2   for j { for i { … } }     around   the loops around one job
 *
 * A job is one node, or one merged read, in one pass. */
#ifndef KCI_WALKER_H
#define KCI_WALKER_H

#include "walk.h"

enum { KCI_WALK_GATHERS = 4 };    /* positions of one read that data chooses */

typedef struct kci_job {
    uint32_t node;                  /* the op; of a merged read, its first node */
    uint32_t member, members;       /* merged read: walker->members[member .. member + members) */
    kci_set around;                 /* sequential loops around it */
    uint32_t depth;                 /* it hangs in the loops of its pass outside this one */
    bool walks_on;                  /* and walks loops inside again after a loop's end */
    bool held;                      /* a read that is loaded once per CTA */
    bool on, seen;                  /* held: already there */
    double executions;
} kci_job;

typedef struct kci_walk_pass {
    int16_t loop[KCI_MAX_LOOPS];
    uint32_t loops;
    uint32_t shared;                /* outermost loops in common with the pass before */
    kci_set set;
    kci_set border;                 /* the loop whose end it waits for */
    uint32_t job, jobs;             /* walker->jobs[job .. job + jobs) */
} kci_walk_pass;

/* One accumulator that may spill: the reductions joined in it, and its tiles. */
typedef struct kci_walk_accumulator {
    uint32_t node;                  /* its first reduction, or the one in the widest format */
    int32_t tensor;                 /* that it is written to */
    kci_set index, reduced;         /* loops */
    bool held;
    double partials;                /* CTAs that hold a part of one element */
    size_t tiles, parts, foreign, visits;   /* extents of the tables */
    int64_t *last, *visit;          /* [parts][foreign], [parts][foreign][tiles]: where it stands */
    unsigned char *live;            /* [parts][tiles][visits]: that visit had a live iteration */
    size_t last_size, visit_size, live_size;
} kci_walk_accumulator;

/* What the reads of one tensor move. */
typedef struct kci_walk_stream {
    uint32_t first;                 /* of these reads */
    uint32_t first_pass;            /* that read some; 0: none yet */
    double elements;                /* times the scale */
    double later;                   /* of these, read by a pass after the first */
} kci_walk_stream;

typedef struct kci_walker {
    const kci_graph *graph;
    const kci_tiling *tiling;
    kc_context *context;
    kci_walk_result *out;
    double max_steps, steps, ahead; /* ahead: what the whole walk takes, at least about */
    double next_look;               /* of the context's watch; once it has ended the walk, max_steps is negative */
    size_t nodes;

    int64_t size[KCI_MAX_LOOPS], tile[KCI_MAX_LOOPS], trips[KCI_MAX_LOOPS], share[KCI_MAX_LOOPS];
    double real_size[KCI_MAX_LOOPS];
    kci_set grid, looped, split;    /* loops with more than one trip; split: with more than one share */
    int16_t order[KCI_MAX_LOOPS];
    uint32_t order_count;

    /* per node */
    unsigned char *needs;           /* [node][node]: reductions needed complete, also through others */
    uint32_t *pass;                 /* the earliest */
    kci_set *around;                /* reductions: loops around them in their own pass */
    unsigned char *survives, *behind, *in_main;
    int32_t *accumulator;           /* of a reduction: index, or -1 */
    unsigned char *exec;            /* [pass][node]: done in that pass; the last row: in the combine kernel */
    uint32_t passes;
    kci_walk_pass *pass_list;

    kci_job *jobs;
    uint32_t job_count, job_capacity;
    uint32_t *members;
    uint32_t member_count, member_capacity;
    uint32_t combine_job, combine_jobs;
    kci_walk_accumulator *accumulators;
    uint32_t accumulator_count;

    /* where the walk stands */
    int64_t at[KCI_MAX_LOOPS];      /* tile of a loop */
    int64_t part[KCI_MAX_LOOPS];    /* share of a split loop */
    bool whole;                     /* the combine kernel: no loop is around */

    int64_t **values;               /* per virtual dim: those within the fused-away tensor */
    int64_t *value_count;

    kci_graph uses;                 /* each node once for each pass that does it: where it is needed there */
    uint32_t *stands;               /* [pass][node]: its node in `uses`, where it is done */
    unsigned char **table;          /* per limit of a region of `uses`: liveness of tiles; 0 unknown, 1 dead, 2 live */
    size_t *table_size;
    kci_walk_stream *stream;        /* per read; that of the first of its tensor counts */
} kci_walker;

/* All combinations of the values of some dims: loops, or virtual dims, whose
 * values are listed (numbers from KCI_MAX_LOOPS - 1 down; kernel.h). */
typedef struct kci_odometer {
    int count;
    int dim[KCI_MAX_LOOPS];
    int64_t lo[KCI_MAX_LOOPS], hi[KCI_MAX_LOOPS], now[KCI_MAX_LOOPS];
    const int64_t *list[KCI_MAX_LOOPS];
    bool none;                      /* a virtual dim without values: no combination */
} kci_odometer;

/* Sets an odometer to dims; their values from the first, and the next ones: false where
 * there is none. */
void kci_walk_dims(const kci_walker *walker, kci_set dims, kci_odometer *odometer);
bool kci_walk_start(kci_odometer *odometer, int64_t *value);
bool kci_walk_next(kci_odometer *odometer, int64_t *value);
/* How many combinations there are. */
double kci_walk_points(const kci_walker *walker, kci_set dims);
int kci_walk_virtual(const kci_walker *walker, int dim);    /* its number, or -1: a loop */

/* Passes, places and jobs (walk_nest.c).  Fails where the kernel can't run. */
kc_status kci_walk_nest(kci_walker *walker);

/* The coordinates in `loops` as one number, and how many such numbers there are;
 * a loop that is not around counts as its first tile. */
size_t kci_walk_key(const kci_walker *walker, kci_set loops, kci_set around);
size_t kci_walk_keys(const kci_walker *walker, kci_set loops);
/* walk_spill.c: finds the written accumulators, and refuses what is needed before the
 * grid combined it; makes room for their tiles; one iteration on a tile; what they moved. */
kc_status kci_walk_accumulators(kci_walker *walker);
kc_status kci_walk_tables(kci_walker *walker);
void kci_walk_visit(kci_walker *walker, kci_walk_accumulator *accumulator, kci_set around, bool live);
/* Bytes of the final writes of a tensor: the whole of it, once. */
double kci_walk_written(const kci_walker *walker, int32_t tensor);
kc_status kci_walk_moves(kci_walker *walker);
/* A reduction that has an end; one of which several CTAs have a part; a tensor in `hold`. */
bool kci_walk_reduces(const kci_node *node);
bool kci_walk_partial(const kci_walker *walker, uint32_t node);
bool kci_walk_held(const kci_walker *walker, uint32_t node);
/* After the walk: fills the result (walk_sum.c). */
kc_status kci_walk_sum(kci_walker *walker);

/* The tiles of a loop that this CTA walks, *from to *to - 1: all, or its share of a split loop. */
void kci_walk_trips(const kci_walker *walker, int loop, int64_t *from, int64_t *to);
/* Tiles of loop `loop` seen from a job with `around`: first and last index in *lo, *hi. */
void kci_walk_range(const kci_walker *walker, int loop, kci_set around, int64_t *lo, int64_t *hi);
/* Fills `values`. */
kc_status kci_walk_virtuals(kci_walker *walker);
/* Works out `uses`, once it is known what is done in which pass (walk_uses.c). */
kc_status kci_walk_uses(kci_walker *walker);
void kci_walk_uses_free(kci_walker *walker);
/* Whether the tile is live for the node in a pass: some alternative of what is needed there,
 * each of whose masks has a live point in the tile. */
bool kci_walk_live(kci_walker *walker, uint32_t node, uint32_t pass, kci_set around);
typedef enum kci_walk_limits { KCI_WALK_ALL, KCI_WALK_MASKS, KCI_WALK_NONE } kci_walk_limits;
/* Useful points of an op, with those of its twins (of later twins: 0); those of one
 * node that some limits leave. */
double kci_walk_useful(kci_walker *walker, uint32_t node);
double kci_walk_values(kci_walker *walker, uint32_t node, kci_walk_limits limits);
/* Distinct elements that live points touch in this read and all others of its tensor
 * and scale (of later ones: 0). */
double kci_walk_touched(kci_walker *walker, uint32_t read);
/* Whether a point of a node with dims `own` is live (walk_joint.c). */
bool kci_walk_point_live(kci_walker *walker, const kci_node *node, kci_set own, bool masks_only, const int64_t *point);
/* KC_ELIMIT: it took more steps than it may, or the context's watch ended it (walk.c). */
kc_status kci_walk_goes_on(kci_walker *walker);
/* What the first three of these will enumerate. */
double kci_walk_point_steps(kci_walker *walker);
/* The value of an axis where its dims have these values, and whether it is within a limit. */
double kci_walk_value(const kci_walker *walker, const kci_axis *axis, const int64_t *value);
bool kci_walk_inside(const kci_walker *walker, const kci_limit *limit, const kci_axis *axis, const int64_t *value);
const kci_limit *kci_walk_limit(const kci_walker *walker, const kci_region *region, uint32_t i);
double kci_walk_coefficient(const kci_walker *walker, const kci_loop_term *term);
/* The interval of an axis over the tile. */
void kci_walk_interval(const kci_walker *walker, const kci_axis *axis, kci_set around, double *lo, double *hi);
double kci_walk_axis_size(const kci_walker *walker, const kci_axis *axis);

#endif
