/* roof.h: the compute roofs of a device, and how long work takes below them. */
#ifndef KCI_ROOF_H
#define KCI_ROOF_H

#include "device.h"
#include "time.h"

/* What executes matrix work of one format on this device. */
typedef struct kci_compute_roof {
    kci_unit unit;
    kci_format format;          /* whose roof it is: the asked one, or a wider one that serves */
    double peak;                /* FLOP/s of the whole device, datasheet */
    double sustained;           /* share of it that a good kernel reaches */
} kci_compute_roof;

/* Finds out, once the figures are complete, which roof serves for each format. */
void kci_roofs_find(kc_device *device);

/* The matrix roof of a format; where there is none, that of the next wider
 * format of its kind up to 32 bits, else the vector unit, with a note (notes may
 * be NULL).  `asked` (opts.math): no fallback, KC_EDEVICE.  Design, section 2.2. */
kc_status kci_matrix_roof(const kc_device *device, kci_format math, bool asked, kci_compute_roof *roof,
                          kci_notes *notes);
/* The vector roof of f32 (which serves all types up to 32 bits), or f64. */
kc_status kci_vector_roof(const kc_device *device, bool f64, kci_compute_roof *roof, kci_notes *notes);

/* Seconds that the work takes if all cores share it evenly.  `useful`: useful
 * work over datasheet peaks, a vector FLOP being worth the full printed peak.
 * Else executed work over what is sustained, where a vector FLOP that is no
 * multiply-add takes a slot that could do two.  `rounding` (NULL: 1 each)
 * multiplies matrix work per format: instructions that a tile does not fill. */
typedef struct kci_work_seconds {
    double matrix, vector, special;
} kci_work_seconds;
kc_status kci_work_seconds_of(const kci_counts *counts, const kc_device *device, bool useful, const double *rounding,
                              kci_work_seconds *seconds, kci_notes *notes);

/* FLOP/byte where the roof of the kernel's work meets HBM: the format with the most
 * useful matrix work, else of vector work.  NAN: it does no work. */
double kci_ridge(const kci_counts *counts, const kc_device *device);
/* What 2:4 sparsity makes of the peak behind that ridge: 1 of vector work, NAN where the device states none. */
double kci_sparsity(const kci_counts *counts, const kc_device *device);

/* How much of a matrix peak a schedule's instructions reach, and which: "mma" on a
 * Hopper stops at 0.63.  `path` NULL: the device's best. */
const char *kci_path_of(const kc_device *device, const char *path);
/* The best that the device or its architecture states; NULL: none, and mma is taken for it. */
const char *kci_path_stated(const kc_device *device);
double kci_path_share(const kc_device *device, const char *path);
/* Do these instructions leave loads and stores to warps of their own?  wgmma and tcgen05. */
bool kci_path_specialised(const kc_device *device, const char *path);
/* The share of softmax that hides behind matrix work under these instructions. */
double kci_path_overlap(const kc_device *device, const char *path);

#endif
