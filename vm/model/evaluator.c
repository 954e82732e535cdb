/* evaluator.c: one kernel on one device, at many points. */
#include "evaluator.h"

#include <string.h>

#include "hardware.h"
#include "kernels.h"

/* A copy in the evaluator's context.  Its texts stay the device's. */
static kc_device *copy_device(kc_context *context, const kc_device *device)
{
    kc_device *copy = kci_alloc(context, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *device;
    copy->base.context = context;
    return copy;
}

static bool fill(kci_evaluator *e, const kc_kernel *kernel, const kc_device *device, const kc_options *options)
{
    const kci_graph *graph = &kernel->graph;
    if (!kci_graph_share(&e->graph, graph, e->context))
        return false;
    for (size_t i = 0; i < graph->loop_count; i++)
        e->sizes[i] = graph->loops[i].size;
    if (kernel->tiling && !(e->tiling = kci_tiling_copy(e->context, kernel->tiling, graph->tensor_count)))
        return false;
    if (device && !(e->device = copy_device(e->context, device)))
        return false;
    e->plan = kci_plan_new(&e->graph, e->tiling);
    e->rows = e->plan ? kci_alloc(e->context, graph->tensor_count * sizeof *e->rows) : NULL;
    if (!e->rows || kci_time_options_of(options, &e->graph, &e->options, &e->warm) != KC_OK)
        return false;
    e->options.waves = &e->waves;
    return true;
}

kci_evaluator *kci_evaluator_new(const kc_kernel *kernel, const kc_device *device, const kc_options *options)
{
    kc_context *parent = kernel->base.context, *context = kci_context_worker(parent);
    kci_evaluator *e = context ? kci_alloc(context, sizeof *e) : NULL;
    if (e) {
        e->context = context;
        e->kernel = kc_retain((void *)(uintptr_t)kernel); /* counting references is no change */
        e->owner = kc_retain((void *)(uintptr_t)device);
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
