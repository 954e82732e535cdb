/* kernels.h: a measured row as kcost's kernels. */
#ifndef ACCURACY_KERNELS_H
#define ACCURACY_KERNELS_H

#include "kcost.h"
#include "rows.h"
#include "sources.h"

/* What a row becomes: a program whose kernels are priced one by one. */
typedef struct pieces {
    kc_context *context;
    kc_object *kept[256];           /* released at the end */
    size_t kept_count;
    struct piece {
        kc_object *kernel;
        bool tiled;                 /* under a schedule that the source states; else best finds one */
        double times;
        bool main;                  /* the op itself; others are passes before it */
        const family *family;       /* whose tiles are the only ones; NULL: best's */
    } list[6];
    size_t count;
    double launches;                /* further kernels of the op that move nothing to speak of */
    char warm[8][16];               /* tensors that are warm */
    size_t warm_count;
    double warm_bytes;              /* of weights that must fit in L2 to be warm; 0: they are not */
    char warm_weights[16];
} pieces;

/* What the kernels of a row depend on. */
typedef struct chip {
    double cores, l2_bytes;
    bool scales_blocks;             /* its matrix unit multiplies by the scales of blocks (tcgen05) */
} chip;

/* False: kcost cannot express it (the op, the dtype, or a shape of another kind). */
bool pieces_make(pieces *p, kc_context *context, const row *r, const setting *s, const chip *gpu);
void pieces_free(pieces *p);

#endif
