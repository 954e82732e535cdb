/* note.c: sentences on what was assumed, spilled, recomputed or fell back. */
#include "note.h"

#include <stdio.h>
#include <string.h>

kc_status kci_note(kci_notes *notes, const char *format, ...)
{
    va_list list;
    char sentence[512];
    va_start(list, format);
    int length = vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    if (length < 0)
        return KC_OK;
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->items[i], sentence) == 0)
            return KC_OK;
    if (!kci_reserve(notes->context, &notes->items, &notes->capacity, notes->count + 1, sizeof *notes->items))
        return KC_ENOMEM;
    char *copy = kci_copy_text(notes->context, sentence);
    if (!copy)
        return KC_ENOMEM;
    notes->items[notes->count++] = copy;
    return KC_OK;
}

void kci_notes_free(kci_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        kci_free_text(notes->context, notes->items[i]);
    kci_free(notes->context, notes->items, notes->capacity * sizeof *notes->items);
    notes->items = NULL;
    notes->count = notes->capacity = 0;
}
