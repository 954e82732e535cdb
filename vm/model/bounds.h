/* bounds.h: how fast can the points of a box be, at best?  For a search that cuts whole boxes.
 *
 * A box of an evaluator's points is two tilings whose numbers differ: its own has the least
 * tile, split, warps and stages of each loop, `most` the greatest; all points of the box lie between. */
#ifndef KCI_BOUNDS_H
#define KCI_BOUNDS_H

#include "evaluator.h"

/* Seconds that no point of the box is below:
 *     launch + chains + max(work of each unit, operand bytes / smem, section 3's bytes / L2 and a core's port,
 *                           compulsory bytes / HBM, pauses between steps)
 * each over what is sustained; 0: nothing is known of it; INFINITY: no point of it runs.  Where only the
 * raster's group is left, all of the estimate but for the HBM traffic that a raster may save.
 * The proof stands beside each part in bounds.c.  No work is spent beyond what shows that the bound is
 * above `enough`.  The evaluator's last point is another one afterwards. */
double kci_least_time(kci_evaluator *evaluator, const kci_tiling *most, double enough);

/* What to take from a bound before it is compared: its sums round otherwise than those of a time. */
#define KCI_ROUNDING 1e-9

#endif
