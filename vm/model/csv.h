/* csv.h: results as one table: section 6 of the design. */
#ifndef KCI_CSV_H
#define KCI_CSV_H

#include "base.h"

/* One table of all the objects, appended: results, comparisons; others are counted
 * first.  With `tensors` the ledger, a row a tensor.  A column is there if some row
 * has it; `program` comes first where some object is a program. */
kc_status kci_csv_objects(kci_text *text, kc_object *const *objects, size_t count, bool tensors);

/* One cell, quoted where it needs it; NULL: empty. */
void kci_csv_cell(kci_text *text, const char *string);

#endif
