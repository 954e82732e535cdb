/* link.h: what a collective takes on a device's link. Design, section 5. */
#ifndef KCI_LINK_H
#define KCI_LINK_H

#include "count.h"
#include "device.h"

/* What a comm's kernel sends: the message is what it reads, of a gather what it writes. */
kci_comm_load kci_link_load(const kci_graph *graph, const kci_counts *counts);

/* byte/s of one rank in one direction: all its links, but no more than its links to the other ranks. */
double kci_link_rate(const kci_figures *figures, const kci_comm *comm);

typedef struct kci_link_seconds {
    double time;                    /* steps * latency + bytes / (rate * sustained share) */
    double roof;                    /* the least bytes of any algorithm / rate; no latency */
} kci_link_seconds;

/* Of a graph that is no comm: 0.  KC_EDEVICE: the device states no link. */
kc_status kci_link_seconds_of(const kci_graph *graph, const kci_counts *counts, const kc_device *device,
                              kci_link_seconds *seconds);

#endif
