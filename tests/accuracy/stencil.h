/* stencil.h: stencils of which hardware counted the HBM traffic, as kernels with the schedule that was measured. */
#ifndef ACCURACY_STENCIL_H
#define ACCURACY_STENCIL_H

#include <stdbool.h>

#include "rows.h"

/* One thread block's part of the grid, and the points that a value needs, in the order in which its source loads
 * them: offsets along z, y, x. */
typedef struct stencil {
    double size[3], padded[3];  /* of what is written; of what is read */
    double tile[3];
    const char *type;
    double bytes, threads;      /* of an element; a block */
    struct { int z, y, x; } taps[32];
    int count;
} stencil;

/* False: a row of another kind, or one whose schedule nobody published. */
bool stencil_of(const row *r, stencil *s);

#endif
