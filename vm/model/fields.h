/* fields.h: what counts and times are called in a result: section 6 of the design, as numbers.
 *
 * An array of KC_FIELD_COUNT doubles; NAN: the field does not apply.  The same
 * numbers stand in a result, in a row of a sweep and in a bound of a search. */
#ifndef KCI_FIELDS_H
#define KCI_FIELDS_H

#include "count.h"
#include "time.h"

/* Work by unit, in FLOP and special ops. */
typedef struct kci_totals {
    double matrix, vector, special;
} kci_totals;
kci_totals kci_useful_work(const kci_counts *counts);
kci_totals kci_executed_work(const kci_counts *counts);

/* Nothing applies. */
void kci_fields_clear(double *field);
void kci_fields_work(double *field, const kci_totals *useful, const kci_totals *executed);
/* `rows` behind L2 where there is a device; `section3` as counted. */
void kci_fields_bytes(double *field, const kci_row *rows, const kci_row *section3, size_t tensor_count);
/* CTAs, footprint, passes, launches. */
void kci_fields_shape(double *field, const kci_counts *counts, bool tiled);
/* Of a comm, what goes over the link. */
void kci_fields_link(double *field, const kci_graph *graph, const kci_counts *counts);
void kci_fields_times(double *field, const kci_times *times);
/* intensity, throughput, bandwidth, tile_efficiency: from the fields above. */
void kci_fields_derived(double *field);

#endif
