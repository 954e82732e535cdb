/* candidates.h: the schedules that a tuned library would try for a kernel. Design, section 2.3, `best`. */
#ifndef KCI_CANDIDATES_H
#define KCI_CANDIDATES_H

#include "roles.h"
#include "tiling.h"

/* Puts one candidate after another into `tiling` (whose grid and order are the
 * defaults) and calls `visit`, until it fails.  KC_EARGUMENT is no failure: the kernel
 * has no such schedule on any device, so those like it are left out. */
typedef kc_status (*kci_visit_candidate)(void *data, kci_tiling *tiling);
kc_status kci_candidates(const kci_graph *graph, const kc_device *device, const double *sizes, kci_tiling *tiling,
                         kci_visit_candidate visit, void *data);

#endif
