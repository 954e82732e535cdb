/* time.h: from counts to seconds: section 5 of the design. */
#ifndef KCI_TIME_H
#define KCI_TIME_H

#include "count.h"
#include "device.h"
#include "note.h"

typedef enum kci_roof {
    KCI_ROOF_MATRIX, KCI_ROOF_VECTOR, KCI_ROOF_SPECIAL, KCI_ROOF_SMEM, KCI_ROOF_L2, KCI_ROOF_HBM,
    KCI_ROOF_LINK, KCI_ROOF_LAUNCH, KCI_ROOF_FILL, KCI_ROOF_DRAIN, KCI_ROOF_LATENCY, KCI_ROOFS
} kci_roof;
const char *kci_roof_name(kci_roof roof);       /* "hbm" */
const char *kci_roof_class(kci_roof roof);      /* "memory-bound" */
/* Of seconds per roof the longest of those that work and traffic ask for: matrix vector special hbm link. */
double kci_longest_roof(const double *roof);

typedef enum kci_regime { KCI_STREAM, KCI_GRAPH, KCI_EAGER, KCI_NO_LAUNCH } kci_regime;

typedef struct kci_time_options {
    bool no_l2;                     /* HBM traffic is section 3's */
    bool warm;                      /* everything that fits is in L2 before */
    const bool *warm_tensor;        /* per tensor of the graph; NULL: none */
    kci_regime regime;
    bool quiet;                     /* no sentence where it does not fit: a search goes on */
    bool no_serial;                 /* serial_time is not asked for: it stays at time */
    struct kci_load *load;          /* group.h: filled with what the kernel asks of the device; NULL: not asked for */
    bool least_hbm;                 /* HBM traffic is compulsory: a bound on all rasters */
    struct kci_waves *waves;        /* what is kept from point to point; NULL: nothing */
} kci_time_options;

typedef struct kci_times {
    double time, roof_time, serial_time;
    double part[KCI_ROOFS];         /* seconds per roof; LATENCY unused here */
    double roof[KCI_ROOFS];         /* of roof_time: seconds per roof at datasheet figures; matrix vector special hbm link */
    kci_roof bound;
    double ridge;                   /* FLOP/byte for the format of the matrix work, else of vector work */
    bool has_ridge;
    bool tiled;                     /* the four below apply */
    double occupancy, waves, wave_efficiency, warps;
    double l2_bytes, smem_bytes;
    unsigned misfit;                /* 1 << kci_limit_of of each limit that not one CTA meets; 0 where it runs */
} kci_times;

/* Fills `times`, and turns `rows` (a copy of counts->rows, changed in place)
 * from section 3's traffic into HBM traffic behind L2.  KC_EDEVICE with the
 * sentence (what does not fit, by how much, what would) where the kernel does
 * not run on this device. */
kc_status kci_time(const kci_graph *graph, const kci_tiling *tiling, const kci_counts *counts,
                   const double *sizes, const kc_device *device, const kci_time_options *options,
                   kci_row *rows, kci_times *times, kci_notes *notes);

/* The gap of the regime before each launch and, with `own`, each kernel's own start and end. */
double kci_launch_time(const kci_counts *counts, const kc_device *device, kci_regime regime, bool own);
/* byte/s of L2 into one core. */
double kci_core_port(const kci_figures *figures);

#endif
