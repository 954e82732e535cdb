/* hardware.h: does the device have what a schedule names: matrix instructions, thread-block clusters? */
#ifndef KCI_HARDWARE_H
#define KCI_HARDWARE_H

#include "device.h"
#include "note.h"
#include "tiling.h"

/* KC_EDEVICE, and the sentence, where the device lacks the schedule's `path`, has no clusters, or none
 * as large.  A device whose architecture is not known is taken at the schedule's word, with a note; so
 * is a cluster above the portable size.  `notes` may be NULL. */
kc_status kci_hardware_check(const kci_graph *graph, const kci_tiling *tiling, const kc_device *device,
                             kci_notes *notes);

#endif
