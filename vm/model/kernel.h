/* kernel.h: a kernel as flat arrays: loops, positions, nodes. What every count starts from.
 *
 * A kernel's loops are its dim names.  Everything in it is a node: a read, an op,
 * or a write, in an order where inputs come first.  Nodes that came from a
 * softmax are its parts (maximum, exponential, sum, division), so that one set
 * of rules serves every op.
 *
 *     loops   [ i j d e ]               name and size
 *     axes    [ i | d | 2*p+r-1 … ]     affine forms over loops, used by nodes
 *     nodes   [ read Q | read K | matmul | … | write O ]
 *     edges   [ inputs of nodes, one after another ]
 *
 * Sizes are parameters of every count (a plan is given its own), so the numbers
 * here are the sizes the kernel was built with. */
#ifndef KCI_KERNEL_H
#define KCI_KERNEL_H

#include "base.h"
#include "comm.h"
#include "dtype.h"

enum { KCI_MAX_LOOPS = 64 };

/* A set of loops, bit i for loop i. */
typedef uint64_t kci_set;
#define KCI_BIT(loop) ((kci_set)1 << (loop))
/* for (KCI_EACH(i, set)): i is each loop of the set, ascending. */
#define KCI_EACH(i, set) kci_set rest_##i = (set), i = rest_##i ? kci_first(rest_##i) : 0; rest_##i; \
    rest_##i &= rest_##i - 1, i = rest_##i ? kci_first(rest_##i) : 0
static inline unsigned kci_first(kci_set set)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(set);
#else
    unsigned i = 0;
    while (!(set >> i & 1))
        i++;
    return i;
#endif
}

typedef struct kci_loop {
    kci_symbol name;
    double size;
} kci_loop;

/* coefficient * loop; where size_of >= 0, times the size of that loop as well. */
typedef struct kci_loop_term {
    double coefficient;
    int16_t loop, size_of;
} kci_loop_term;

/* constant + sum of terms, each loop running from 0 to its size - 1.
 * An axis of an op that is one plain loop has constant 0 and one term of 1.
 * `size` bounds the values of interest: 0 <= value < size (a tensor's position,
 * or the dim of a fused-away tensor).  At other loop sizes it becomes
 * size + sum coefficient * (new - old loop size): derived dims follow.
 * A data-dependent position (gather) has the loops of its brackets as terms of 1:
 * a tile of it is product of the loops' tiles in rows, at most `size` in all.
 *
 * Behind a tensor that was fused away and is read at an affine index, say y at
 * 2*p+r-1, axes exist twice: over loops (2*p+r-1: what a tile covers) and over
 * virtual dims (y: what is useful, once).  `scope` is the axis of the second
 * kind; where nothing is virtual it is the axis itself. */
typedef struct kci_axis {
    double constant, size;
    uint32_t term, terms;           /* graph->terms[term .. term + terms) */
    uint32_t scope;
    kci_set loops;
    bool gather;
    bool fixed;                     /* size does not follow the loops */
} kci_axis;

/* A dim of a fused-away tensor that its reader walks by an affine index: it is
 * not a loop.  Virtual dim v has number KCI_MAX_LOOPS - 1 - v among the loops. */
typedef struct kci_virtual {
    uint32_t axis;                  /* its values, over the reader's dims */
    const char *name;
} kci_virtual;

/* A range on an affine form, lo <= axis <= hi, outside of which points are dead.
 * KCI_MASK: whole tiles are skipped.  KCI_FAR: a mask that came through a tensor
 * in HBM: it limits useful work only.  KCI_PADDING: what a read finds outside its
 * tensor: it limits useful work only.
 * `hi_follows`: hi grows with size(k) - size(q) (causal).
 * `bound`: loops of the axis that the limit does not fix, even where a node has a
 * loop of that name: it holds for some value of them (the mask of a reduced row). */
typedef enum kci_limit_kind { KCI_MASK, KCI_FAR, KCI_PADDING } kci_limit_kind;
typedef struct kci_limit {
    kci_limit_kind kind;
    uint32_t axis;                  /* masks: k - q, q first: terms are {-1,q}, {1,k} */
    double lo, hi;
    bool hi_follows;
    kci_set bound;
} kci_limit;

/* Where a node is needed: at points for which all limits of some alternative hold.
 * A limit on loops that the node lacks holds for some value of those. */
typedef struct kci_region {
    uint32_t limit, limits;         /* kernel->limit_ids[limit .. limit + limits) */
} kci_region;

enum {
    KCI_MOST_REGIONS = 8,           /* alternatives of one node */
    KCI_EVERY_WAY = 255             /* a lead: all ways of the input */
};

/* A limit where it arises: a mask, a padded read, a tensor whose later readers need
 * only part of it. */
typedef struct kci_limit_origin {
    uint32_t node, limit;
} kci_limit_origin;

typedef enum kci_node_kind { KCI_READ, KCI_OP, KCI_WRITE } kci_node_kind;

enum {                              /* kci_node.flags */
    KCI_ELEMENTWISE = 1,            /* may take an input's registers; keeps an accumulator's way to a write */
    KCI_SCAN = 2,                   /* `reduced` stays in the value: users need no next pass */
    KCI_RESCALE = 4,                /* executed only, and only where its `around` loops have trips */
    KCI_STATISTIC = 8,              /* running maximum or sum of an online softmax */
    KCI_INTO = 16,                  /* adds one accumulator onto another: no op of its own */
    KCI_MATMUL = 32,                /* contracts two operands, on either unit */
    KCI_EXPONENTIAL = 64            /* of a softmax: its probabilities, but for a factor of each row */
};

typedef struct kci_edge {
    uint32_t node;
    bool running;                   /* uses a reduction before it is complete (online softmax) */
} kci_edge;

typedef struct kci_node {
    kci_node_kind kind;
    uint8_t flags;
    kci_unit unit;
    kci_format math;                /* of matrix work */
    kci_format format;              /* of the value, once complete */
    kci_format accumulator;         /* while a reduction is open */
    bool math_asked;                /* opts.math: no fallback to a wider roof */
    double flops, special;          /* per point of the iteration space */
    double out_flops;               /* FLOP per element of the value beside (a convention's 2K-1) */
    double share;                   /* factor on useful work (a convention's causal half); 1 */
    const char *label;              /* "matmul", "exp", a tensor's name */
    /* ops: the iteration space, and what is left of it in the value;
     * reads: the positions; writes: the positions of the tensor. */
    uint32_t axis, axes;            /* kernel->axis_ids */
    uint32_t out, outs;             /* kernel->axis_ids: the value's axes (ops) */
    kci_set loops;                  /* that the node has */
    kci_set reduced;                /* that end here */
    kci_set around;                 /* rescaling: loops it repeats with, without volume along them */
    uint32_t edge, edges;           /* inputs */
    uint32_t region, regions;       /* kernel->regions: alternatives; none: needed everywhere */
    uint32_t way, ways;             /* kernel->regions: what each of its uses asks for; a rescaling has none */
    uint32_t lead;                  /* kernel->leads[lead + e * ways + a]: the way of input e that its own way a asks for */
    int32_t tensor;                 /* of reads, writes; -1 */
    uint32_t twin;                  /* ops: the first node of the same op; another has it under another index */
    int32_t statistics_of;          /* KCI_STATISTIC: tensor whose .max or .sum this is; -1 */
    int32_t deferred_to;            /* KCI_STATISTIC: the accumulator whose pass it shares; -1 */
    double scale, distinct;         /* reads, writes */
} kci_node;

typedef struct kci_tensor_use {
    kc_tensor *tensor;              /* NULL for a row of statistics */
    const char *name;
    double bytes;                   /* of one element */
    bool read, written;
} kci_tensor_use;

typedef struct kci_graph {
    kci_loop *loops;
    kci_virtual *virtuals;
    kci_loop_term *terms;
    kci_axis *axes;
    uint32_t *axis_ids;
    kci_limit *limits;
    uint32_t *limit_ids;
    kci_region *regions;
    uint8_t *leads;
    kci_limit_origin *origins;            /* in the order of their nodes */
    uint32_t *crossings;            /* nodes of fused-away tensors that are walked by an affine index */
    kci_node *nodes;
    kci_edge *edge_list;
    kci_tensor_use *tensors;        /* in order of first use */
    size_t loop_count, virtual_count, term_count, axis_count, axis_id_count, limit_count, limit_id_count,
        region_count, lead_count, origin_count, crossing_count, node_count, edge_count, tensor_count;
    size_t loop_cap, virtual_cap, term_cap, axis_cap, axis_id_cap, limit_cap, limit_id_cap, region_cap,
        lead_cap, origin_cap, crossing_cap, node_cap, edge_cap, tensor_cap;
    kci_comm comm;                  /* what it does over the link */
    kc_context *context;
    bool shares;                    /* all but loops, axes, limits and tensors is another graph's */
} kci_graph;

/* Where one write's elements are needed: at points for which all limits of some
 * alternative hold; see kci_regions. */
typedef struct kci_demand {
    uint32_t write;                 /* node */
    uint32_t alternatives;
    struct { uint32_t ids[4], count; } sets[4];
} kci_demand;

/* Works out every node's region from the graph's origins (region.c).  `demands`:
 * what is known of the readers of its written tensors; others are needed whole. */
kc_status kci_regions(kci_graph *graph, const char *name, const kci_demand *demands, size_t count);
/* Is one alternative part of another, or the same? */
bool kci_region_within(const kci_graph *graph, const kci_region *part, const kci_region *whole);

/* A deep copy in a context: for passes that change costs, for another thread.  False: no memory. */
bool kci_graph_copy(kci_graph *to, const kci_graph *from, kc_context *context);
/* A copy that may have other sizes, and shares what sizes do not change: it must not be added to, and `from` must
 * outlive it.  False: no memory. */
bool kci_graph_share(kci_graph *to, const kci_graph *from, kc_context *context);
bool kci_graph_resize(kci_graph *to, const kci_graph *from);    /* to those of `from`; false: they do not share */
bool kci_graph_own(kci_graph *graph);   /* then it may be added to.  False: no memory, and it shares as before */
void kci_graph_free(kci_graph *graph);

kci_set kci_reduced_here(const kci_node *node);     /* loops that end at it: a scan's do not */
kci_set kci_value_loops(const kci_graph *graph, const kci_node *node);

/* Value of `axis` terms at sizes N: coefficient of term t. */
double kci_term_coefficient(const kci_loop_term *term, const double *sizes);
/* Every dim of `count` axes from axis_ids[first], as useful work sees them: fused-away dims are dims again. */
kci_set kci_scope_loops(const kci_graph *graph, uint32_t first, uint32_t count);
/* Masks of an alternative that hang on one of the loops. */
int kci_masks_on(const kci_graph *graph, const kci_region *region, kci_set loops);
bool kci_axis_is_plain(const kci_graph *graph, uint32_t axis);  /* one loop, as it is */
/* Size bound of an axis at sizes N. */
double kci_axis_size(const kci_graph *graph, const kci_axis *axis, const double *sizes);

/* The handle. */
struct kc_kernel {
    kc_object base;
    char *name;
    kc_tensor **tensors;            /* the written ones, in order; NULL: not made yet, see kci_kernel_tensors */
    size_t tensor_count;
    kc_tensor **fused;              /* tensors that became values; as `tensors` */
    size_t fused_count;
    bool online;                    /* its softmaxes are, whatever their values say */
    kci_graph graph;
    kc_kernel *like;                /* whose graph this one shares, or whose names it speaks of; NULL: its own */
    bool narrowed;                  /* by what later kernels of a program need of it */
    kc_kernel *from;                /* at whose sizes its tensors are; resize.h; NULL: it has its own */
    struct kci_resizing *resizing;  /* to its own */
    kc_schedule *schedule;          /* as given; NULL: untiled */
    struct kci_tiling *tiling;      /* resolved; NULL: untiled */
    struct kci_plan *plan;          /* of the last count, for the next one; NULL: none is kept */
    kc_kernel **members;            /* of a group; graph is empty then */
    size_t member_count;
};

/* For names and dtypes of its tensors, which need not be made for that. */
static inline const kc_kernel *kci_named_as(const kc_kernel *kernel)
{
    return kernel->from ? kernel->from : kernel;
}

/* Whose plan counts it as well: sizes are all that differs. */
static inline const kc_kernel *kci_planned_as(const kc_kernel *kernel)
{
    return kernel->graph.shares && kernel->tiling == kernel->like->tiling ? kernel->like : kernel;
}

#endif
