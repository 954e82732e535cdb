/* assumed.h: notes on the device: which defaults were used, what was changed, which product an alias means. */
#ifndef KCI_ASSUMED_H
#define KCI_ASSUMED_H

#include "device.h"
#include "time.h"

/* One note names every default that this evaluation stands on. */
kc_status kci_note_device(const kc_device *device, const kci_counts *counts, bool tiled, bool comm, kci_regime regime,
                          kci_notes *notes);

#endif
