/* score.h: how far predictions are from what was measured. */
#ifndef ACCURACY_SCORE_H
#define ACCURACY_SCORE_H

#include "predict.h"

typedef struct score {
    size_t rows;
    double median, mean;        /* of |predicted / measured - 1|, in percent */
    double spearman;            /* NAN below three rows */
    double bias;                /* median of predicted / measured */
} score;

/* Of n predictions against n measurements, both above 0. */
score score_of(const double *predicted, const double *measured, size_t n);

/* Every table: by source, class, device; by class and duration; the classes of the floors; the order of hand-written
 * schedules; HBM traffic. */
void score_print(const rows *all, const prediction *predictions);
/* What a fit makes small: the classes' median errors, weighted by their rows, f16 and bf16 rows
 * above 10 us of one device, with fitted constants. */
double score_fit(const rows *all, const prediction *predictions, int constants);

#endif
