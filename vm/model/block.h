/* block.h: a run of points of a sweep, evaluated by one thread.
 *
 * A block owns the evaluators of its points.  They are made (kci_block_rig) in the thread of
 * the sweep; kci_block_run then reads and writes nothing but the block, and needs no memory. */
#ifndef KCI_BLOCK_H
#define KCI_BLOCK_H

#include "variant.h"

enum { KCI_BLOCK_POINTS = 256, KCI_BLOCK_MESSAGES = 8, KCI_MESSAGE_BYTES = 240 };

/* What became of a point. */
typedef enum kci_verdict {
    KCI_FITS, KCI_EXCLUDED,         /* by `where` */
    KCI_MESSAGE,                    /* and KCI_BLOCK_MESSAGES - 1 more: it can't be evaluated, message[verdict - KCI_MESSAGE] */
    KCI_MISFIT = KCI_MESSAGE + KCI_BLOCK_MESSAGES   /* + kernel * 32 + the limits that not one CTA meets */
} kci_verdict;

typedef struct kci_poke {           /* where the number of an inner axis goes */
    size_t axis;
    double *number;
} kci_poke;

typedef struct kci_block {
    const kc_space *space;
    const char *call;               /* for the sentence where the context's watch ends it */
    const size_t *fields;           /* kept of each point that fits */
    size_t field_count;
    /* of one outer point */
    double outer;                   /* below 0: none yet */
    kci_evaluator **evaluators;
    double *times;                  /* launches of each kernel */
    size_t kernel_count;
    kc_device *device;
    kci_poke *pokes;
    size_t poke_count, poke_capacity;
    char *obstacle;                 /* there is no such kernel: why; NULL */
    /* the points, and what became of them */
    double first;
    size_t count, fit;
    uint32_t verdict[KCI_BLOCK_POINTS];
    double *values;                 /* field_count each, of those that fit */
    char message[KCI_BLOCK_MESSAGES][KCI_MESSAGE_BYTES];
    size_t message_count;
    kc_status status;               /* not KC_OK: it ended at point first + count, message[0] says why; KC_ELIMIT: the watch */
} kci_block;

kci_block *kci_block_new(const kc_space *space, const char *call, const size_t *fields, size_t field_count);
void kci_block_free(kci_block *block);
/* Makes the evaluators of an outer point, of which `variant` is one; NULL: it can't be made, for `obstacle`. */
kc_status kci_block_rig(kci_block *block, double outer, const kci_variant *variant, const char *obstacle);
/* Evaluates `count` points from `first` on, which all have its outer point. */
void kci_block_run(kci_block *block);
/* "flash: shared memory", appended; not of KCI_FITS. */
void kci_block_reason(kci_text *text, const kci_block *block, uint32_t verdict);

#endif
