/* sources.h: how each source measured: launch regime, cache state, what one of its ops consists of. */
#ifndef ACCURACY_SOURCES_H
#define ACCURACY_SOURCES_H

#include <stdbool.h>

#include "rows.h"

typedef enum cache_state {
    COLD,                       /* flushed, or rotated past the cache */
    WARM,                       /* the same tensors, call after call */
    ROTATED,                    /* activations warm; three copies of the weights take turns */
    PRODUCED                    /* what the kernel before it wrote is warm; weights and KV are cold */
} cache_state;

typedef struct setting {
    const char *source;
    const char *ops;            /* words, "*" for all */
    const char *device;         /* NULL: all */
    const char *note;           /* text that the notes must have; NULL: any */
    const char *launch;         /* of kc_options */
    cache_state cache;
    double kernels;             /* launches that one timed op consists of */
    bool rope;                  /* one of them passes over q, k and v: rotation, append to the KV cache */
    bool quantises;             /* narrow formats: one of them quantises the activation */
    double packs;               /* decode: heads of a group that a tile packs; a larger group runs head by head; 0: any */
    bool all_tiles;             /* masked tiles are computed too */
    double access;              /* bytes of one access of its row kernels, dependent ones; 0: a tuned library's */
    const char *why;
} setting;

extern const setting settings[];
extern const unsigned setting_count;
/* The first that matches; NULL: the source is not in the table (a warm stream). */
const setting *setting_of(const row *r);
void settings_print(void);

#endif
