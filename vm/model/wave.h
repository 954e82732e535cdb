/* wave.h: which tiles the CTAs of a wave touch: the raster. Design, section 5. */
#ifndef KCI_WAVE_H
#define KCI_WAVE_H

#include "kernel.h"
#include "tiling.h"

/* How CTA numbers walk the grid: digits of a mixed-radix number, outermost first. */
typedef struct kci_raster {
    size_t count;
    double trips[KCI_MAX_LOOPS + 2];
    int loop[KCI_MAX_LOOPS + 2];
} kci_raster;
void kci_raster_of(const kci_graph *graph, const kci_tiling *tiling, const double *sizes, kci_raster *raster);

/* How many different tiles of a tensor `length` CTAs touch from CTA `start` on,
 * `loops` being the loops that index it: digits of other loops make no difference. */
double kci_raster_distinct(const kci_raster *raster, kci_set loops, double start, double length);

enum { KCI_WAVE_ANSWERS = 8 };

/* The waves of one launch.  Answers are kept as long as the launch stays the same from
 * point to point. */
typedef struct kci_waves {
    double count;               /* of waves; 0: none seen yet */
    double resident, ctas;
    kci_raster raster;
    size_t answered;
    struct { kci_set loops; double left, tiles; } answers[KCI_WAVE_ANSWERS];
} kci_waves;

/* `ctas` CTAs, at most `resident` at a time. */
void kci_waves_start(kci_waves *waves, const kci_graph *graph, const kci_tiling *tiling, const double *sizes,
                     double resident, double ctas);
/* Tiles of a tensor that `loops` index: what the middle wave touches; what all waves fetch
 * where the `left` waves before have left theirs. */
double kci_waves_touch(kci_waves *waves, kci_set loops);
double kci_waves_fetch(kci_waves *waves, kci_set loops, double left);

#endif
