/* link.c: what a collective takes on a device's link: steps of a latency, and bytes at a rate (Hockney's model). */
#include "link.h"

#include <math.h>

#include "arith.h"

kci_comm_load kci_link_load(const kci_graph *graph, const kci_counts *counts)
{
    double read = 0, written = 0;
    for (size_t t = 0; t < graph->tensor_count; t++)
        *(graph->tensors[t].written ? &written : &read) += counts->rows[t].compulsory;
    return kci_comm_load_of(&graph->comm, graph->comm.kind == KCI_ALLGATHER ? written : read);
}

double kci_link_rate(const kci_figures *figures, const kci_comm *comm)
{
    double all = figures->link.bandwidth, peers = comm->kind == KCI_SENDRECV ? 1 : comm->ranks - 1;
    return isnan(figures->link.peer) ? all : kci_min(all, peers * figures->link.peer);
}

kc_status kci_link_seconds_of(const kci_graph *graph, const kci_counts *counts, const kc_device *device,
                              kci_link_seconds *seconds)
{
    *seconds = (kci_link_seconds){ 0, 0 };
    if (graph->comm.kind == KCI_NO_COMM)
        return KC_OK;
    kci_comm_load load = kci_link_load(graph, counts);
    if (!(load.bytes > 0))
        return KC_OK;
    if (isnan(device->full.link.bandwidth))
        return kci_fail(graph->context, KC_EDEVICE, "the %s of %.0f ranks needs link.bandwidth, which the device does not state; "
                        "%s:with{ link = { bandwidth = … } } gives it one",
                        kci_comm_name(&graph->comm), graph->comm.ranks, kci_device_name(device));
    double latency = isnan(device->full.link.latency) ? 0 : device->full.link.latency;
    double share = isnan(device->full.sustained.link) ? 1 : device->full.sustained.link;
    seconds->time = load.steps * latency + load.bytes / (kci_link_rate(&device->full, &graph->comm) * share);
    seconds->roof = load.least / kci_link_rate(&device->full, &graph->comm);
    return KC_OK;
}
