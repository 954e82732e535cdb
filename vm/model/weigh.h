/* weigh.h: one group of kernels: may they be fused, do they run and do they pay as one; else why not. */
#ifndef KCI_WEIGH_H
#define KCI_WEIGH_H

#include "best.h"
#include "rules.h"

/* A group that was looked at, by the ids of its items. */
typedef struct kci_proposal {
    uint32_t ids[KCI_MOST_MEMBERS];
    size_t count;
    const char *rule;               /* NULL: none joins them */
    kc_kernel *kernel;              /* fused, under its best schedule; NULL: it does not run */
    char *refused;                  /* why they stay apart; NULL: it pays */
    bool timed;
    double time, bytes, time_apart, bytes_apart;    /* of one launch */
    size_t round;                   /* that it was offered in last */
} kci_proposal;

typedef struct kci_scales {
    kc_context *context;
    kci_flow flow;
    kci_sequence *sequence;         /* whose items are weighed */
    const kc_device *device;
    const kc_options *options;
    const char *const *save;        /* tensors that stay written */
    size_t save_count;
    kci_searched searched;
} kci_scales;

const char *kci_item_name(const kci_item *item);
/* Gives the item's kernel its best schedule, unless it has one. */
kc_status kci_schedule_item(kci_scales *on, kci_item *item);
/* Fuses the members of the sequence and evaluates both ways; p->refused says why that is not to be taken. */
kc_status kci_weigh(kci_scales *on, kci_proposal *p, const size_t *members);
/* Why no rule joins two items. */
kc_status kci_refuse_kinds(kci_scales *on, kci_proposal *p, const kci_item *a, const kci_item *b);

#endif
