/* group.h: several kernels in one launch, their grids end to end. Design, sections 2 and 5. */
#ifndef KCI_GROUP_H
#define KCI_GROUP_H

#include "roof.h"
#include "step.h"

/* What one kernel asks of a device. */
typedef struct kci_load {
    bool tiled, matmul;
    double ctas, largest;           /* largest: work of the largest CTA, over the mean one's */
    double occupancy, warps;        /* CTAs of a core; warps of a CTA */
    double busiest;                 /* CTAs of the busiest core */
    double stages;
    kci_overlap overlap;
    kci_cta_cost cta;               /* its mean CTA */
    double smem_bytes;              /* operands that all CTAs fetch from shared memory */
    kci_supply supply;
    kci_shared shared;
    double sustained[KCI_ROOFS];    /* untiled: seconds per roof */
    kci_work_seconds useful;        /* over datasheet peaks */
    double ridge;                   /* FLOP/byte; not finite: there is none */
    double compulsory;              /* seconds of its compulsory bytes over the datasheet's bandwidth */
    double launch, serial;          /* seconds; serial: with its launch */
} kci_load;

/* All members' CTAs fill the cores together: the mean CTA of them all, and no less than any one of them
 * takes alone.  Untiled members follow, the longest of their summed roofs.  One launch. */
void kci_group_time(const kci_load *loads, size_t count, const kc_device *device, const kci_time_options *options,
                    kci_times *times);

#endif
