/* halo.h: what CTAs share through L2 where their boxes overlap: stencils, convolutions. Design, section 5. */
#ifndef KCI_HALO_H
#define KCI_HALO_H

#include "count.h"
#include "wave.h"

typedef struct kci_halo {
    const kci_graph *graph;
    const kci_tiling *tiling;
    const kci_counts *counts;
    const kci_raster *raster;
    const double *sizes;
    const kci_row *rows;        /* of section 3, by tensor */
    double resident, capacity;  /* CTAs at a time; bytes that L2 keeps */
} kci_halo;

/* Bytes of a CTA's box that HBM moves, `loops` deciding which box it is: all of it where no two boxes share an
 * element, else its part of the tensor, once for the first touch of an element and once more for each that finds it
 * gone.  An element is touched again by the box's neighbours along each digit of the raster; with inner CTAs from one
 * neighbour to the next, offset o of a read and tiles of s, the n reads of a kernel spread over a CTA's stay,
 *     when = -o / s * inner + (read + 1/2) / n * min(resident, inner)        in CTAs that start.
 * What these touch between one touch and the next decides whether it is still there:
 *     gone = (touched / capacity - 0.5) / (1.3 - 0.5), within 0 and 1.
 * Fails never: reads beyond the 128th are left out. */
double kci_halo_box(const kci_halo *h, const kci_stream *stream, kci_set loops);

#endif
