/* comm.h: collectives between devices: what each sends over its link, and in how many steps. Design, section 2.1. */
#ifndef KCI_COMM_H
#define KCI_COMM_H

#include <stdbool.h>

typedef enum kci_comm_kind {
    KCI_NO_COMM, KCI_ALLREDUCE, KCI_ALLGATHER, KCI_REDUCESCATTER, KCI_ALLTOALL, KCI_BROADCAST, KCI_SENDRECV,
    KCI_COMMS
} kci_comm_kind;

/* What a kernel does over the link; kind KCI_NO_COMM: nothing. */
typedef struct kci_comm {
    kci_comm_kind kind;
    bool tree;                      /* else a ring */
    double ranks;                   /* devices that take part */
} kci_comm;

const char *kci_comm_name(const kci_comm *comm);        /* "allreduce" */

/* With p ranks and a message of S bytes (the whole of what is reduced, gathered, scattered or sent):
 * what one rank sends, in one direction, and the steps that wait for each other. */
typedef struct kci_comm_load {
    double message;                 /* S */
    double bytes;                   /* on the link, of this algorithm */
    double least;                   /* of any: p and S alone */
    double steps;
    const char *formula;            /* of bytes, "2 (p - 1) / p S" */
} kci_comm_load;
kci_comm_load kci_comm_load_of(const kci_comm *comm, double message);

#endif
