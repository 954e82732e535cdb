/* occupancy.h: how many CTAs a core holds, and what to change when it holds none. Design, section 5. */
#ifndef KCI_OCCUPANCY_H
#define KCI_OCCUPANCY_H

#include "count.h"
#include "device.h"

typedef enum kci_limit_of {     /* what bounds the CTAs of a core */
    KCI_BY_SMEM, KCI_BY_REGISTERS, KCI_BY_TMEM, KCI_BY_WARPS, KCI_BY_CTAS, KCI_BY_COUNT
} kci_limit_of;
const char *kci_limit_name(kci_limit_of limit);     /* "shared memory" */

/* What one CTA takes. */
typedef struct kci_cta {
    double threads;
    double registers;           /* of a thread */
    double smem, tmem;          /* bytes, its own */
} kci_cta;

typedef struct kci_occupancy {
    double ctas;                /* of a core; 0: it does not fit */
    kci_limit_of limit;         /* which bounds them; the first of equal ones */
    double allowed[KCI_BY_COUNT];       /* CTAs that each limit alone would allow */
    double warps;               /* of a CTA */
    double registers;           /* of a thread, rounded up to what is allocated */
    double smem;                /* of a CTA, reserved bytes included */
} kci_occupancy;

/* CTAs per core = the least of
 *     smem       floor(per_core / (smem + reserved)), 0 above per_cta
 *     registers  whole warps that the register files hold, over the CTA's warps:
 *                a warp takes a multiple of `unit`, warps are dealt to `parts` files
 *     tmem       floor(per_core / tmem rounded up to unit * a power of two)
 *     warps      floor(max_warps / warps), 0 above max_threads
 *     CTAs       max_ctas
 * `figures` are a device's `full` ones. */
kci_occupancy kci_occupancy_of(const kci_figures *figures, const kci_cta *cta);

/* Registers of a thread: footprint / threads, in registers of 4 bytes, + 32. */
double kci_registers_per_thread(double register_bytes, double threads);
/* The least power of two, at least 4, with which they stay within per_thread;
 * max_threads / warp where none does. */
double kci_default_warps(const kci_figures *figures, double register_bytes);

/* The first figure that a tiled kernel needs and the device does not state; NULL: it states all. */
const char *kci_unstated_limit(const kc_device *device);

/* The occupancy of a counted kernel under its schedule.  KC_EDEVICE where no CTA
 * fits: the message says what does not fit, by how much, and the largest stages
 * or tile that would; or which on-chip limit the device does not state.
 * `quiet`: no message where none fits. */
kc_status kci_occupancy_find(const kci_graph *graph, const kci_tiling *tiling, const kci_counts *counts,
                             const double *sizes, const kc_device *device, bool quiet, kci_occupancy *out);

/* In the note of an evaluation that says how many CTAs a core holds, and why no more. */
#define KCI_OCCUPANCY_NOTE " a core: bound by "

#endif
