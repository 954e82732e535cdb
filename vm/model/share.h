/* share.h: HBM traffic behind the L2: what the CTAs of a wave share. Design, section 5. */
#ifndef KCI_SHARE_H
#define KCI_SHARE_H

#include "device.h"
#include "time.h"
#include "wave.h"

typedef struct kci_shared {
    /* Bytes of each level: what steps move (reads, and spills both ways), and what is
     * written at the end.  Through L2, less what clusters share. */
    double l2_read, l2_written, hbm_read, hbm_written;
    double l2_first;            /* share of the reads before a CTA's first step */
} kci_shared;

/* Turns `rows` from section 3's traffic into HBM traffic, and adds up the levels.
 * `resident` CTAs run at a time.  Per tensor and wave HBM moves the union of what
 * its CTAs touch, less what earlier waves left, if what was touched since fits
 * (`l2.capacity`, a copy in each part that uses it; or `llc`).  Never less than
 * compulsory, never more than L2 moves.  Of rows that data chooses, those read before come back
 * from L2 with the chance that it holds them.  Savings leave the ledger from reload
 * first, then pass, spill, split.  With options->no_l2 rows stay as they are.  KC_ELIMIT: the
 * context's watch ended it. */
kc_status kci_share(const kci_graph *graph, const kci_tiling *tiling, const kci_counts *counts, const double *sizes,
                    const kc_device *device, const kci_time_options *options, double resident, kci_row *rows,
                    kci_shared *shared);

/* Factor on HBM time: runs shorter than a sector of so many bytes. */
double kci_sector_factor(const kci_counts *counts, double sector);

/* Iterations of a mean CTA, at least those of its most often loaded tile. */
double kci_steps(const kci_counts *counts);

/* Adds the bytes of all rows: what steps move, and the final writes. */
void kci_add_bytes(const kci_graph *graph, const kci_row *rows, double *read, double *written);

/* What a warm cache holds needs no HBM read: all of it where the kernel's tensors fit
 * together, else a share.  A written tensor that is named warm stays there, to be overwritten.  Part of kci_share; alone for untiled kernels. */
void kci_share_warm(const kci_graph *graph, const kc_device *device, const kci_time_options *options, kci_row *rows);

#endif
