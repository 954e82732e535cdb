/* fields.c: counts and times as the fields of a result. */
#include "fields.h"

#include <math.h>

#include "link.h"

kci_totals kci_useful_work(const kci_counts *counts)
{
    kci_totals t = { 0, counts->useful_vector[0] + counts->useful_vector[1], counts->useful_special };
    for (int f = 0; f < KCI_FORMATS; f++)
        t.matrix += counts->useful_matrix[f];
    return t;
}

kci_totals kci_executed_work(const kci_counts *counts)
{
    kci_totals t = { 0, counts->executed_vector[0] + counts->executed_vector[1], counts->executed_special };
    for (int f = 0; f < KCI_FORMATS; f++)
        t.matrix += counts->executed_matrix[f];
    return t;
}

void kci_fields_clear(double *field)
{
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        field[f] = NAN;
}

void kci_fields_work(double *field, const kci_totals *useful, const kci_totals *executed)
{
    field[KC_MATRIX_FLOPS] = useful->matrix;
    field[KC_VECTOR_FLOPS] = useful->vector;
    field[KC_SPECIAL_OPS] = useful->special;
    field[KC_FLOPS] = useful->matrix + useful->vector + useful->special;
    field[KC_EXECUTED_MATRIX_FLOPS] = executed->matrix;
    field[KC_EXECUTED_VECTOR_FLOPS] = executed->vector;
    field[KC_EXECUTED_SPECIAL_OPS] = executed->special;
    field[KC_EXECUTED_FLOPS] = executed->matrix + executed->vector + executed->special;
}

void kci_fields_bytes(double *field, const kci_row *rows, const kci_row *section3, size_t tensor_count)
{
    double read = 0, written = 0, l2 = 0, least = 0;
    for (size_t t = 0; t < tensor_count; t++) {
        read += rows[t].read;
        written += rows[t].written;
        l2 += section3[t].read + section3[t].written;
        least += section3[t].compulsory;
    }
    field[KC_BYTES_READ] = read;
    field[KC_BYTES_WRITTEN] = written;
    field[KC_BYTES] = read + written;
    field[KC_L2_BYTES] = l2;
    field[KC_BYTES_MIN] = least;
}

void kci_fields_shape(double *field, const kci_counts *counts, bool tiled)
{
    if (tiled) {
        field[KC_CTAS] = counts->ctas;
        field[KC_SMEM] = counts->smem;
        field[KC_REGISTER_BYTES] = counts->register_bytes;
    }
    field[KC_PASSES] = counts->passes > 1 ? counts->passes : 1;
    field[KC_LAUNCHES] = counts->launches > 1 ? counts->launches : 1;
}

void kci_fields_link(double *field, const kci_graph *graph, const kci_counts *counts)
{
    if (graph->comm.kind == KCI_NO_COMM)
        return;
    kci_comm_load load = kci_link_load(graph, counts);
    field[KC_LINK_BYTES] = load.bytes;
    field[KC_LINK_STEPS] = load.steps;
}

void kci_fields_times(double *field, const kci_times *times)
{
    field[KC_TIME] = times->time;
    field[KC_ROOF_TIME] = times->roof_time;
    field[KC_SERIAL_TIME] = times->serial_time;
    field[KC_TIME_MATRIX] = times->part[KCI_ROOF_MATRIX];
    field[KC_TIME_VECTOR] = times->part[KCI_ROOF_VECTOR];
    field[KC_TIME_SPECIAL] = times->part[KCI_ROOF_SPECIAL];
    field[KC_TIME_SMEM] = times->part[KCI_ROOF_SMEM];
    field[KC_TIME_L2] = times->part[KCI_ROOF_L2];
    field[KC_TIME_HBM] = times->part[KCI_ROOF_HBM];
    field[KC_TIME_LINK] = times->part[KCI_ROOF_LINK];
    field[KC_TIME_LAUNCH] = times->part[KCI_ROOF_LAUNCH];
    field[KC_TIME_FILL] = times->part[KCI_ROOF_FILL];
    field[KC_TIME_DRAIN] = times->part[KCI_ROOF_DRAIN];
    if (times->has_ridge)
        field[KC_RIDGE] = times->ridge;
    if (times->tiled) {
        field[KC_SMEM_BYTES] = times->smem_bytes;
        field[KC_OCCUPANCY] = times->occupancy;
        field[KC_WAVES] = times->waves;
        field[KC_WAVE_EFFICIENCY] = times->wave_efficiency;
    }
}

static void quotient(double *field, kc_field to, kc_field above, kc_field below)
{
    if (field[below] > 0 && !isnan(field[above]))
        field[to] = field[above] / field[below];
}

void kci_fields_derived(double *field)
{
    quotient(field, KC_INTENSITY, KC_FLOPS, KC_BYTES);
    quotient(field, KC_THROUGHPUT, KC_FLOPS, KC_TIME);
    quotient(field, KC_BANDWIDTH, KC_BYTES, KC_TIME);
    quotient(field, KC_TILE_EFFICIENCY, KC_FLOPS, KC_EXECUTED_FLOPS);
}
