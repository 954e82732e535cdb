/* program.h: kernels that run one after another, or beside each other. */
#ifndef KCI_PROGRAM_H
#define KCI_PROGRAM_H

#include "kernel.h"
#include "note.h"

typedef struct kci_part {
    kc_object *object;              /* a kernel or a program: a written tensor became its kernel */
    double times;                   /* repetitions of it */
} kci_part;

struct kc_program {
    kc_object base;
    char *name;
    kci_part *parts;
    size_t part_count;
    bool beside;                    /* its parts run at the same time */
    double kernels;                 /* of it and of the programs in it, repetitions left out */
    int depth;                      /* of the programs in it; 0: there are none */
};

/* Calls visit(kernel, times) for every kernel, nested programs flattened, in
 * launch order; stops at the first failure. */
typedef kc_status (*kci_visit_kernel)(void *data, kc_kernel *kernel, double times);
kc_status kci_program_visit(const kc_program *program, kci_visit_kernel visit, void *data);

/* A program of that name whose parts are as often and as many, and not there yet.  NULL: no memory. */
kc_program *kci_program_like(const kc_program *program);

/* Do parts of it, or of a program in it, run at the same time? */
bool kci_program_overlaps(const kc_program *program);

/* Adds a sentence for each read of a tensor that only a later kernel of the program writes. */
kc_status kci_program_notes(const kc_program *program, kci_notes *notes);

/* The kernel that a handle stands for: itself, or the kernel of a written tensor
 * (a new reference).  NULL: it is neither, or the tensor is not written;
 * `call` and `argument` name the place in the message. */
kc_kernel *kci_as_kernel(kc_object *object, const char *call, const char *argument);

#endif
