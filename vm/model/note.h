/* note.h: sentences on what was assumed, spilled, recomputed or fell back. */
#ifndef KCI_NOTE_H
#define KCI_NOTE_H

#include "base.h"

typedef struct kci_notes {
    kc_context *context;
    char **items;
    size_t count, capacity;
} kci_notes;

/* Adds a sentence once; a second equal one changes nothing. */
kc_status kci_note(kci_notes *notes, const char *format, ...) KCI_PRINTF(2, 3);
void kci_notes_free(kci_notes *notes);

#endif
