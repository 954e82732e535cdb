/* evaluator.h: one kernel on one device, evaluated at many points.
 *
 * Made once; then a point is numbers in, numbers out: no allocation, no text but
 * for the reason of a point that does not run.  An evaluator has copies of all it
 * changes, and a context of its own, so that each thread may run one; the thread of
 * the kernel's context makes and frees it. */
#ifndef KCI_EVALUATOR_H
#define KCI_EVALUATOR_H

#include "ask.h"
#include "device.h"
#include "fields.h"
#include "kernel.h"
#include "tiling.h"
#include "wave.h"

typedef struct kci_evaluator {
    kc_context *context;            /* its own: where the reason of a point that does not run is */
    kc_kernel *kernel;              /* held: the graph's labels are its own */
    void *owner;                    /* held: the device's texts are its own */
    kci_graph graph;
    double sizes[KCI_MAX_LOOPS];    /* of the point; the caller changes them */
    kci_tiling *tiling;             /* of the point; the caller changes its numbers; NULL: untiled */
    kc_device *device;              /* figures may be changed before the first point; NULL: counts only */
    kci_time_options options;
    kci_waves waves;
    kci_plan *plan;
    const kci_counts *counts;       /* of the last point */
    kci_row *rows;                  /* of the last point: behind L2 where there is a device */
    kci_times times;                /* of the last point */
    bool *warm;
} kci_evaluator;

/* Of a kernel that is no group; `device` NULL: counts only; `options` may be NULL.
 * NULL: the kernel's context has the reason. */
kci_evaluator *kci_evaluator_new(const kc_kernel *kernel, const kc_device *device, const kc_options *options);
/* The same at other sizes or on another device: so is its plan made once for all sizes.  False: the kernel is another
 * one, or under another schedule, or there is no memory; then the evaluator is of no use any more. */
bool kci_evaluator_move(kci_evaluator *evaluator, const kc_kernel *kernel, const kc_device *device);
void kci_evaluator_free(kci_evaluator *evaluator);

/* Counts and times the point.  Not KC_OK: it does not run there (KC_EDEVICE,
 * KC_EARGUMENT), or there is no memory. */
kc_status kci_evaluate(kci_evaluator *evaluator);
/* Did the context's watch end it in the middle?  Then nothing is known of the point. */
bool kci_evaluator_ended(const kci_evaluator *evaluator);
/* All fields of the last point. */
void kci_evaluator_fields(const kci_evaluator *evaluator, double *field);

#endif
