/* flow.h: a program as sequences of items: which of them reads what another wrote, and in what order they may stand.
 *
 *     program { a, program { b, c }, times(layer, 32), d }
 *     top    [ a | b | c | layer x 32 | d ]          nested programs are part of the sequence around them,
 *     layer  [ norm | qkv | … ]                      but for what is repeated, and for parts beside each other
 *
 * Kernels read what an earlier one wrote where they read that tensor itself, or one of its name.  A leaf tensor of
 * the name, sizes and dtype of what an earlier item of the sequence wrote last is replaced by that written tensor, so
 * that kc_fuse finds the two; under another shape, or as "X: K", a part of X, it is the same bytes and no more.
 * Leaves of one name, sizes and dtype become one. */
#ifndef KCI_FLOW_H
#define KCI_FLOW_H

#include "program.h"
#include "reads.h"

/* A tensor that an item reads or writes in HBM. */
typedef struct kci_access {
    uint32_t name;                  /* flow->names */
    const kc_tensor *tensor;
} kci_access;

typedef struct kci_accesses {
    kci_access *list;
    size_t count, capacity;
} kci_accesses;

typedef struct kci_sequence kci_sequence;

typedef struct kci_item {
    kc_kernel *kernel;              /* NULL: a sequence of its own */
    kci_sequence *inner;
    kc_kernel **parts;              /* the kernels that it was fused from, in launch order: at first itself */
    size_t part_count;
    double times;                   /* repetitions */
    kci_accesses reads, writes;
    bool gathers;                   /* it takes rows that data chooses: which data, nothing says */
    unsigned does;                  /* of a kernel: rules.h */
    uint32_t id;                    /* of items that were ever there: 1, 2 … */
    double time, bytes;             /* of one launch under its schedule */
    bool priced;
} kci_item;

struct kci_sequence {
    const kc_program *program;
    kci_item *items;
    size_t count, capacity;
    kci_sequence *outer;            /* that it is an item of; NULL */
    double launches;                /* of each kernel in all */
    bool beside;                    /* its items run at the same time */
    bool frozen;                    /* it, or a sequence around it, is beside */
};

/* The item that wrote last, of those that are there so far. */
typedef struct kci_written {
    const kci_sequence *in;         /* NULL: none */
    size_t at;
} kci_written;

typedef struct kci_flow_name {
    kci_symbol symbol;
    uint32_t base;                  /* "X" of "X: K"; itself */
    uint32_t leaf;                  /* flow->leaves, + 1: the first of that name; 0: none */
    kci_written whole, part;        /* while it is taken apart */
    size_t access, part_access;     /* + 1, while two lists are compared: the first of the one of that name, and of a part */
} kci_flow_name;

/* A tensor that no kernel makes, the first of its name and shape. */
typedef struct kci_leaf {
    const kc_tensor *tensor;
    uint32_t next;                  /* of that name, + 1; 0: none */
} kci_leaf;

typedef struct kci_flow {
    kc_context *context;
    kci_sequence *top;
    kci_flow_name *names;
    size_t name_count, name_capacity;
    kci_table name_table;
    kci_leaf *leaves;
    size_t leaf_count, leaf_capacity;
    kci_seen made;                  /* tensors that the program's kernels make … */
    kc_tensor **become;             /* … and what each became, owned */
    size_t become_capacity;
    uint32_t last_id;
} kci_flow;

/* Takes a program apart; kci_flow_free whatever it returns. */
kc_status kci_flow_make(kci_flow *flow, const kc_program *program);
void kci_flow_free(kci_flow *flow);
/* A sequence as a program again.  name NULL: its own. */
kc_program *kci_flow_program(const kci_flow *flow, const kci_sequence *sequence, const char *name);

/* The number of a tensor's name; UINT32_MAX: no kernel has it. */
uint32_t kci_flow_name_of(const kci_flow *flow, const char *name);
bool kci_flow_same_shape(const kc_tensor *a, const kc_tensor *b);     /* sizes and dtype */
/* The first access of `writes` that shares bytes with one of `reads`, `apart` only where they are not one tensor, and
 * that one; NULL: none does. */
const kci_access *kci_flow_shared(kci_flow *flow, const kci_accesses *writes, const kci_accesses *reads, bool apart,
                                  const kci_access **read);

/* Are the bytes of the tensor, which the item at `at` wrote, read before they are overwritten, but as that tensor by
 * `members` of its sequence?  What is repeated starts over. */
bool kci_flow_lives(const kci_flow *flow, const kci_sequence *sequence, size_t at, const kc_tensor *tensor,
                    const size_t *members, size_t member_count);
/* Where the members, in launch order, may stand together: the last one's place, else the first one's.  SIZE_MAX: an
 * item between keeps them apart, *between: it shares bytes with one of them, those of *tensor, or it or that one takes
 * rows that data chooses, which what stands before may have made: NULL. */
size_t kci_flow_place(kci_flow *flow, const kci_sequence *sequence, const size_t *members, size_t count,
                      size_t *between, const kc_tensor **tensor);

/* Puts `kernel` at `place` instead of the members, whose parts it takes over. */
kc_status kci_flow_replace(kci_flow *flow, kci_sequence *sequence, const size_t *members, size_t count, size_t place,
                           kc_kernel *kernel);
/* What an item that is a sequence reads and writes, once kernels in it were replaced. */
kc_status kci_flow_renew(kci_flow *flow, kci_item *item);

#endif
