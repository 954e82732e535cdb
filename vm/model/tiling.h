/* tiling.h: a schedule resolved against one kernel: numbers per loop instead of names. */
#ifndef KCI_TILING_H
#define KCI_TILING_H

#include "kernel.h"

typedef enum kci_overlap { KCI_OVERLAP_NONE, KCI_OVERLAP_LOAD, KCI_OVERLAP_ALL } kci_overlap;

typedef struct kci_tiling {
    double tile[KCI_MAX_LOOPS];     /* at most the loop's size when it is used */
    bool given[KCI_MAX_LOOPS];      /* by the user, not a default */
    double split[KCI_MAX_LOOPS];    /* CTAs that share the trips of a reduced loop; 1: none */
    kci_set grid;                   /* loops across CTAs */
    int16_t grid_order[KCI_MAX_LOOPS], grid_count;  /* outermost first */
    int16_t order[KCI_MAX_LOOPS], order_count;      /* sequential loops, outermost first: all not in grid */
    bool atomic;                    /* combine = "atomic" */
    bool grid_given, order_given;
    bool stream;                    /* split = "stream": all cores get equal shares of all steps */
    int16_t stream_loop;            /* the loop of which it was said */
    double stages;                  /* of streamed reads */
    double warps;                   /* 0: by registers, on a device */
    int16_t raster[KCI_MAX_LOOPS], raster_count;
    double raster_group;
    double cluster[KCI_MAX_LOOPS];  /* CTAs of a cluster along a loop; 1: none */
    bool persistent;
    double vector, threads;         /* 0: default */
    const char *path;               /* NULL: the device's best */
    kci_overlap overlap;
    /* per tensor of the kernel (graph.tensor_count entries each), in one block with the rest */
    double *tensor_stages;          /* 0: `stages` */
    bool *held, *in_registers;
} kci_tiling;

#endif
