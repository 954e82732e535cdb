/* fuzz_kernels.c: random kernels under random schedules; the count against the walk, times within their bounds.
 *
 * The input's bytes take the place of the random numbers of random_kernel.h. */
#include "bytes.h"

#include "random_kernel.h"
#include "walk.h"

#define MOST_STEPS 20000.0

/* roof_time <= time <= serial_time, and nothing that is no number. */
static void check_times(kc_kernel *kernel, kc_device *device)
{
    kc_result *r = kc_evaluate((kc_object *)kernel, device, NULL);
    double roof = 0, time = 0, serial = 0;
    if (r == NULL) {
        if (kc_context_status(kernel->base.context) != KC_EDEVICE)
            found(kc_context_message(kernel->base.context));
        return;
    }
    if (kc_result_number(r, KC_ROOF_TIME, &roof) || kc_result_number(r, KC_TIME, &time) ||
        kc_result_number(r, KC_SERIAL_TIME, &serial))
        found("a time is missing");
    if (!(roof >= 0 && roof <= time * (1 + 1e-9) && time <= serial * (1 + 1e-9) && serial < HUGE_VAL))
        found("times out of order");
    for (int f = 0; f < KC_FIELD_COUNT; f++) {
        double value = 0;
        if (kc_result_number(r, (kc_field)f, &value) == KC_OK && !(value >= 0 && value < HUGE_VAL))
            found(kc_field_name((kc_field)f));
    }
    if (kc_result_explain(r) == NULL || kc_json((kc_object *)r) == NULL)
        found("no words for a result");
    kc_release(r);
}

/* Does it run at all? */
static bool check_count(const kc_kernel *kernel)
{
    const kci_graph *graph = &kernel->graph;
    double sizes[KCI_MAX_LOOPS] = { 0 }, walked = 0, counted = 0;
    char name[128];
    kci_walk_result walk;
    kci_plan *plan = kci_plan_new(graph, kernel->tiling);
    if (plan == NULL)
        found("no plan");
    for (size_t l = 0; l < graph->loop_count; l++)
        sizes[l] = graph->loops[l].size;
    const kci_counts *counts = kci_plan_count(plan, sizes, NULL);
    kc_status walking = kci_walk(graph, kernel->tiling, sizes, NULL, MOST_STEPS, &walk);
    if (walking != KC_ELIMIT) {
        if ((walking == KC_OK) != (counts != NULL))
            found("the walk and the count disagree on whether it runs");
        const char *what = counts == NULL ? NULL
                                          : kci_walk_differs(graph, &walk, counts, name, sizeof name, &walked, &counted);
        if (what != NULL) {
            fprintf(stderr, "the walk finds %.17g, the count %.17g\n", walked, counted);
            found(what);
        }
        kci_walk_free(&walk);
    }
    bool runs = counts != NULL;
    kci_plan_free(plan);
    return runs;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    account h = { 0 };
    kc_context *context = kc_context_new(account_resize, &h);
    bytes b = { data, size };
    static const char *const devices[] = { "h100-sxm5", "mi300x", "a6000", "v100-sxm2", "b200" };
    kc_device *device = kc_device_named(context, ONE_OF(&b, devices));
    kc_kernel *kernel = random_kernel_from(context, b.data, b.left);
    if (kernel == NULL && kc_context_status(context) != KC_EARGUMENT)
        found("a kernel was refused with an odd status");
    if (kernel != NULL && check_count(kernel))
        check_times(kernel, device);
    kc_release(kernel);
    kc_release(device);
    kc_context_free(context);
    if (h.bytes != 0 || h.blocks != 0)
        found("a leak");
    return 0;
}
