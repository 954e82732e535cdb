/* count_notes.h: what is to be said of how a kernel counts. */
#ifndef KCI_COUNT_NOTES_H
#define KCI_COUNT_NOTES_H

#include "count.h"
#include "note.h"

/* Adds a sentence a spill, split and pass, on executed work beyond the useful, on reads most of whose index lies
 * outside their tensor, on tiles that nobody gave and on splits and clusters of more than there is.  KC_ENOMEM. */
kc_status kci_count_notes(const kci_plan *plan, const kci_counts *counts, const double *sizes, kci_notes *notes);

#endif
