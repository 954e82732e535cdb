/* schedule.h: a schedule as the user gives it: names and numbers, not yet of any kernel; design, section 4. */
#ifndef KCI_SCHEDULE_H
#define KCI_SCHEDULE_H

#include "base.h"
#include "tiling.h"

/* A list of names, each with a number; `given` tells "" from nothing. */
typedef struct kci_entry {
    kci_symbol name;
    double number;
} kci_entry;
typedef struct kci_entries {
    kci_entry *items;
    size_t count, capacity;
    bool given;
} kci_entries;

struct kc_schedule {
    kc_object base;
    kci_entries tile, grid, order, stages, split, hold, place, raster, cluster;
    double all_stages, warps, raster_group, vector, threads;    /* 0: not given */
    bool atomic, combine_given, persistent;
    kci_overlap overlap;
    bool overlap_given;
    char *path;
};

/* A copy, so that a kernel's schedule cannot change under it. */
kc_schedule *kci_schedule_copy(const kc_schedule *schedule);
/* Renames dims and tensors: from[i] becomes to[i]. */
kc_status kci_schedule_rename(kc_schedule *schedule, const kci_symbol *from, const kci_symbol *to, size_t count);

#endif
