/* sources.h: how each source measured: launch regime, cache state, what one of its ops consists of. */
#ifndef ACCURACY_SOURCES_H
#define ACCURACY_SOURCES_H

#include <stdbool.h>

#include "rows.h"

typedef enum cache_state {
    COLD,                       /* flushed, or rotated past the cache */
    WARM,                       /* the same tensors, call after call */
    ROTATED,                    /* activations warm; copies of the weights take turns, enough to fill L2, at most five */
    PRODUCED                    /* what the kernel before it wrote is warm; weights and KV are cold */
} cache_state;

/* Kernels that tile k in one way and do not share it among CTAs, where a source's matmuls run on such. */
typedef struct family {
    const char *source, *dtypes;
    double above;               /* rows: up to that many run on another kernel */
    struct { double m, n; } tiles[8];
    double k;                   /* of one step */
    double stages[3];
    bool persistent;
    const char *why;
} family;

typedef enum matmul_kind {
    AS_STATED,                  /* operands as the label says */
    QUANTISING,                 /* narrow labels: passes before it make the activation narrow */
    IN_WORDS                    /* int8: words of four on the vector unit (dp4a) */
} matmul_kind;

typedef struct setting {
    const char *source;
    const char *ops;            /* words, "*" for all */
    const char *device;         /* NULL: all */
    const char *note;           /* text that the notes must have; NULL: any */
    const char *launch;         /* of kc_options */
    cache_state cache;
    double kernels;             /* launches that one timed op consists of */
    bool rope;                  /* one of them passes over q, k and v: rotation, append to the KV cache */
    matmul_kind matmul;         /* what its matmuls are */
    double packs;               /* decode: heads of a group that a tile packs; a larger group runs head by head; 0: any */
    bool all_tiles;             /* masked tiles are computed too */
    double access;              /* bytes of one access of its row kernels and quantising passes, dependent ones;
                                   0: a tuned library's */
    bool torch;                 /* its norms are PyTorch's own: four warps a row, which they read twice */
    const char *why;
} setting;

extern const setting settings[];
extern const unsigned setting_count;
/* The first that matches; NULL: the source is not in the table (a warm stream). */
const setting *setting_of(const row *r);
/* NULL: a library's, which best finds. */
const family *family_of(const row *r);
void settings_print(void);

#endif
