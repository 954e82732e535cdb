/* live_group.h: one group of loops that limits and indices tie together. */
#ifndef KCI_LIVE_GROUP_H
#define KCI_LIVE_GROUP_H

#include "plan.h"

enum { MOST_CONDITIONS = 128, MOST_WEIGHTS = 2 * KCI_MAX_LOOPS, MOST_RANGES = 4 };

/* step * value of a loop that is not walked; bound: of another loop than the node's of that name. */
typedef struct kci_range {
    double step;
    int16_t loop;
    bool bound;
} kci_range;

/* lo <= constant + sum of coefficient * value of loop + sum of ranges <= hi, for some point of a tile. */
typedef struct kci_condition {
    uint32_t axis;
    double coefficient[KCI_MAX_LOOPS];
    kci_set loops;              /* walked ones */
    double constant;
    kci_range ranges[MOST_RANGES];
    int range_count;            /* more than there is room for: they are in `least` and `most` alone */
    double least, most;         /* of constant and ranges */
    double lo, hi;
    kci_set bound;              /* loops that it does not fix: of two limits these differ */
} kci_condition;

typedef struct kci_weight {
    const kci_axis *axis;
    kci_set loops;              /* walked ones */
    double least, most, size;   /* box of the rest; bound */
    double rows;                /* gather: rows of the rest */
    size_t position;            /* in the sum's axes */
    bool crooked;               /* its members walk at unlike steps: no closed form along a loop */
} kci_weight;

typedef struct kci_group {
    const kci_sum *sum;
    const kci_condition *conditions[MOST_CONDITIONS];
    const kci_weight *weights[MOST_WEIGHTS];
    size_t condition_count, weight_count;
    int loops[KCI_MAX_LOOPS];
    int loop_count;
    double low[KCI_MAX_LOOPS], high[KCI_MAX_LOOPS];     /* the tile that each loop stands at */
} kci_group;

/* live_joint.c: adds what a range can be to the least and the most of a sum */
void kci_add_range(const kci_plan *plan, const kci_range *range, double *least, double *most);
/* Adds what the conditions from .. to-1, those of one alternative, say together; how many there are then. */
size_t kci_eliminate(const kci_sum *sum, kci_condition *conditions, size_t from, size_t to);

double kci_tile_of(const kci_sum *sum, int loop);
double kci_trips_of(const kci_sum *sum, int loop);
/* Sum over the live iterations of the group of the product of its extents; negative:
 * too many to walk, and the context has the sentence. */
double kci_sum_group(kci_group *group);

#endif
