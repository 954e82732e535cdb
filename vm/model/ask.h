/* ask.h: questions: count, evaluate, compare, and their options.
 *
 *     options.c   what was asked for      cost.c   one kernel: counts, times, notes
 *     ask.c       x to kernels to result  */
#ifndef KCI_ASK_H
#define KCI_ASK_H

#include "base.h"
#include "convention.h"
#include "result.h"
#include "time.h"

/* "cache" of one tensor: warm or cold whatever the rest is. */
typedef struct kci_tensor_cache {
    char *tensor;
    bool warm;
} kci_tensor_cache;

struct kc_options {
    kc_object base;
    bool no_l2, warm;
    kci_regime regime;
    kci_convention convention;
    bool own_convention;            /* some switch was set */
    kci_tensor_cache *caches;
    size_t cache_count, cache_capacity;
    double measured;                /* s; 0: not given */
};

/* What a time is asked for.  *warm: a flag a tensor of the graph, to be freed with
 * kci_free; NULL where no tensor was named. */
kc_status kci_time_options_of(const kc_options *options, const kci_graph *graph, kci_time_options *asked, bool **warm);

/* A copy, so that what a result was asked with cannot change under it. */
kc_options *kci_options_copy(const kc_options *options);

/* Counts one kernel (not a group), and times it where there is a device; `options`
 * may be NULL.  The result is finished but for kci_result_finish.  Not `words`: it has
 * no notes and no schedule yet.  `load` (NULL: not asked for) gets what a group adds up. */
kc_result *kci_cost(const kc_kernel *kernel, const kc_device *device, const kc_options *options, bool words,
                    struct kci_load *load);

/* Notes, schedule and convention line of a result that was asked for its numbers first: what
 * reads them calls this before.  It asks again, so that most evaluations write no text. */
kc_status kci_result_words(const kc_result *result);
/* Notes of an interrupted search that it is the best so far, of so many points. */
kc_status kci_result_partial(kc_result *result, double points);

/* What kc_evaluate answers, but that the result does not hold the device: it may lie
 * on the stack.  `call` names the question in messages. */
kc_result *kci_ask(kc_object *x, const kc_device *device, const kc_options *options, const char *call);

/* measured.c: compares options->measured with the result's times: fields and a note. */
kc_status kci_measured(kc_result *result, const kc_device *device, const kc_options *options);

#endif
