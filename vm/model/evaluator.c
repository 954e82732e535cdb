/* evaluator.c: one kernel on one device, at many points. */
#include "evaluator.h"

#include <string.h>

#include "hardware.h"
#include "kernels.h"
#include "plan.h"

/* A copy in the evaluator's context.  Its texts stay the device's. */
static void set_device(kci_evaluator *e, const kc_device *device)
{
    *e->device = *device;
    e->device->base.context = e->context;
}

static void set_sizes(kci_evaluator *e)
{
    for (size_t i = 0; i < e->graph.loop_count; i++)
        e->sizes[i] = e->graph.loops[i].size;
}

static bool fill(kci_evaluator *e, const kc_kernel *kernel, const kc_device *device, const kc_options *options)
{
    const kci_graph *graph = &kernel->graph;
    if (!kci_graph_share(&e->graph, graph, e->context))
        return false;
    set_sizes(e);
    if (kernel->tiling && !(e->tiling = kci_tiling_copy(e->context, kernel->tiling, graph->tensor_count)))
        return false;
    if (device && !(e->device = kci_alloc(e->context, sizeof *e->device)))
        return false;
    if (device)
        set_device(e, device);
    e->plan = kci_plan_new(&e->graph, e->tiling);
    e->rows = e->plan ? kci_alloc(e->context, graph->tensor_count * sizeof *e->rows) : NULL;
    if (!e->rows || kci_time_options_of(options, &e->graph, &e->options, &e->warm) != KC_OK)
        return false;
    e->options.waves = &e->waves;
    return true;
}

static void hold(kci_evaluator *e, const kc_kernel *kernel, const kc_device *device)
{
    e->kernel = kc_retain((void *)(uintptr_t)kernel); /* counting references is no change */
    e->owner = kc_retain((void *)(uintptr_t)device);
}

kci_evaluator *kci_evaluator_new(const kc_kernel *kernel, const kc_device *device, const kc_options *options)
{
    kc_context *parent = kernel->base.context, *context = kci_context_worker(parent);
    kci_evaluator *e = context ? kci_alloc(context, sizeof *e) : NULL;
    if (e) {
        e->context = context;
        hold(e, kernel, device);
        if (fill(e, kernel, device, options))
            return e;
    }
    kci_fail(parent, kc_context_status(context), "%s", kc_context_message(context));
    if (e)
        kci_evaluator_free(e);
    else
        kc_context_free(context);
    return NULL;
}

bool kci_evaluator_move(kci_evaluator *e, const kc_kernel *kernel, const kc_device *device)
{
    kc_kernel *before = e->kernel;
    void *owner = e->owner;
    size_t tensors = e->graph.tensor_count;
    if (!e->device != !device || kernel->graph.tensor_count != tensors ||
        !kci_tiling_equal(before->tiling, kernel->tiling, tensors) || !kci_graph_resize(&e->graph, &kernel->graph) ||
        !kci_plan_move(e->plan, &e->graph))
        return false;
    set_sizes(e);
    if (e->tiling)
        kci_tiling_set(e->tiling, kernel->tiling, tensors); /* without what points before have set */
    if (device)
        set_device(e, device);
    hold(e, kernel, device);
    kc_release(before);
    kc_release(owner);
    return true;
}

void kci_evaluator_free(kci_evaluator *e)
{
    if (!e)
        return;
    kc_context *context = e->context;
    size_t tensors = e->graph.tensor_count;
    kci_free(context, e->warm, tensors * sizeof *e->warm);
    kci_free(context, e->rows, tensors * sizeof *e->rows);
    kci_plan_free(e->plan);
    kci_free(context, e->device, sizeof *e->device);
    if (e->tiling)
        kci_tiling_free(context, e->tiling, tensors);
    kci_graph_free(&e->graph);
    kc_release(e->kernel);
    kc_release(e->owner);
    kci_free(context, e, sizeof *e);
    kc_context_free(context);
}

kc_status kci_evaluate(kci_evaluator *e)
{
    e->counts = kci_plan_count(e->plan, e->sizes, NULL);
    if (!e->counts)
        return kc_context_status(e->context);
    memcpy(e->rows, e->counts->rows, e->graph.tensor_count * sizeof *e->rows);
    if (!e->device)
        return KC_OK;
    kc_status status = e->tiling ? kci_hardware_check(&e->graph, e->tiling, e->device, NULL) : KC_OK;
    if (status != KC_OK)
        return status;
    return kci_time(&e->graph, e->tiling, e->counts, e->sizes, e->device, &e->options, e->rows, &e->times, NULL);
}

bool kci_evaluator_ended(const kci_evaluator *e)
{
    return e->plan->ended;
}

void kci_evaluator_fields(const kci_evaluator *e, double *field)
{
    kci_totals useful = kci_useful_work(e->counts), executed = kci_executed_work(e->counts);
    kci_fields_clear(field);
    kci_fields_work(field, &useful, &executed);
    kci_fields_bytes(field, e->rows, e->counts->rows, e->graph.tensor_count);
    kci_fields_shape(field, e->counts, e->tiling != NULL);
    kci_fields_link(field, &e->graph, e->counts);
    if (e->device)
        kci_fields_times(field, &e->times);
    kci_fields_derived(field);
}
