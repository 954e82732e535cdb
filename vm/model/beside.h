/* beside.h: programs whose parts run at the same time. */
#ifndef KCI_BESIDE_H
#define KCI_BESIDE_H

#include "program.h"
#include "result.h"

/* Sets the time, roof_time and what binds of `whole`, which is the sum of its parts' results, each `times` times:
 *     time       the longest part, or the longest roof added up over the parts and the first launch;
 *                never above the sum of the parts
 *     roof_time  the longest part's, or the longest roof at datasheet figures, added up
 * Design, section 2.1 "roofs add, time is the longest". */
void kci_beside_time(kc_result *whole, kc_result *const *parts, size_t count, double times);

/* Adds a sentence for each program whose parts run at the same time, and for each part that reads what another
 * one beside it writes. */
kc_status kci_beside_notes(const kc_program *program, kci_notes *notes);

#endif
