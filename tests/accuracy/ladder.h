/* ladder.h: hand-written schedules of one kernel, as their public source has them. */
#ifndef ACCURACY_LADDER_H
#define ACCURACY_LADDER_H

#include <stdbool.h>

#include "rows.h"

/* A matmul's schedule: tile, warps and bytes of an access, buffers, what overlaps. */
typedef struct rung {
    const char *source, *words; /* of the variant, that tell it from others: all must be there */
    double m, n, k, warps, vector, stages;
    const char *overlap;
    bool straight;              /* operands go from L1 into registers; no shared memory */
    bool strips;                /* CTAs walk strips of columns: n / 8, in steps of 256 */
    const char *why;
} rung;

/* Of a row with a variant; NULL: it has none.  m 0: a library's kernel. */
const rung *rung_of(const row *r);

#endif
