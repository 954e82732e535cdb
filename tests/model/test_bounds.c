/* test_bounds.c: on random kernels of every family and on every kind of device, the three times keep
 * their order and the ledger behind L2 stays within its bounds.
 *
 * KCOST_RANDOM: how many kernels; KCOST_SEED: the first seed.  The graph, the
 * schedule and the counts are the real ones; test_time.c has them by hand. */
#include "unit.h"

#include "count.h"
#include "device.h"
#include "note.h"
#include "random_kernel.h"
#include "time.h"

enum { MOST_TENSORS = 64 };

static kc_context *context;
static kc_device *devices[5];

typedef struct question {
    const kc_kernel *kernel;
    const kci_counts *counts;
    double sizes[KCI_MAX_LOOPS];
    kci_row rows[MOST_TENSORS];
    kci_times times;
} question;

static kc_status ask(question *q, const kc_device *device, kci_time_options options)
{
    const kci_graph *graph = &q->kernel->graph;
    memcpy(q->rows, q->counts->rows, graph->tensor_count * sizeof *q->rows);
    return kci_time(graph, q->kernel->tiling, q->counts, q->sizes, device, &options, q->rows, &q->times, NULL);
}

static bool times_in_order(const kci_times *t)
{
    bool good = isfinite(t->serial_time) && t->roof_time > 0 && t->roof_time <= t->time && t->time <= t->serial_time;
    for (int r = 0; r < KCI_ROOFS; r++)
        good = good && t->part[r] >= 0 && isfinite(t->part[r]);
    return good;
}

static bool ledger_within_bounds(const question *q)
{
    for (size_t t = 0; t < q->kernel->graph.tensor_count; t++) {
        const kci_row *before = &q->counts->rows[t], *after = &q->rows[t];
        double causes = after->compulsory + after->reload + after->pass + after->spill + after->split;
        double bytes = after->read + after->written, most = before->read + before->written;
        if (fabs(causes - bytes) > 1e-9 * fmax(1, most) || bytes > most * (1 + 1e-9) ||
            bytes < before->compulsory * (1 - 1e-9) - 1e-6 || after->read < -1e-6 || after->written < -1e-6)
            return false;
    }
    return true;
}

static void show(const question *q, uint64_t seed, const kc_device *device)
{
    print_error("seed %llu on %s: roof %.17g, time %.17g, serial %.17g\n", (unsigned long long)seed, device->id,
                q->times.roof_time, q->times.time, q->times.serial_time);
    for (size_t t = 0; t < q->kernel->graph.tensor_count; t++) {
        const kci_row *b = &q->counts->rows[t], *a = &q->rows[t];
        print_error("  %s: %g read %g written; behind L2 %g and %g: %g %g %g %g %g\n", q->kernel->graph.tensors[t].name,
                    b->read, b->written, a->read, a->written, a->compulsory, a->reload, a->pass, a->spill, a->split);
    }
}

/* False where it does not keep to the bounds. */
static bool check(question *q, uint64_t seed, const kc_device *device)
{
    const kci_time_options cold = { .regime = (kci_regime)(seed % 4) }, alone = { .no_l2 = true }, warm = { .warm = true };
    kc_status status = ask(q, device, cold);
    if (status == KC_EDEVICE)
        return true; /* it does not fit; the sentence is tested elsewhere */
    bool good = status == KC_OK && times_in_order(&q->times) && ledger_within_bounds(q);
    double shared = q->times.time, roof = q->times.roof_time;
    if (good) {
        good = ask(q, device, warm) == KC_OK && times_in_order(&q->times) && q->times.roof_time <= roof;
        good = good && ask(q, device, alone) == KC_OK && times_in_order(&q->times);
    }
    if (good && cold.regime == alone.regime && q->times.time < shared * (1 - 1e-9))
        good = false; /* sharing through L2 never costs time */
    if (!good)
        show(q, seed, device);
    return good;
}

TEST(the_three_times_keep_their_order_on_random_kernels)
{
    size_t timed = 0, wrong = 0;
    uint64_t first = (uint64_t)environment_number("KCOST_SEED", 1);
    uint64_t last = first + (uint64_t)environment_number("KCOST_RANDOM", 3000);
    for (uint64_t seed = first; seed < last; seed++) {
        question q = { .kernel = random_kernel(context, seed) };
        if (!q.kernel || q.kernel->member_count || q.kernel->graph.tensor_count > MOST_TENSORS) {
            kc_release((void *)(uintptr_t)q.kernel);
            continue;
        }
        for (size_t l = 0; l < q.kernel->graph.loop_count; l++)
            q.sizes[l] = q.kernel->graph.loops[l].size;
        kci_plan *plan = kci_plan_new(&q.kernel->graph, q.kernel->tiling);
        q.counts = plan ? kci_plan_count(plan, q.sizes, NULL) : NULL;
        for (size_t d = 0; q.counts && d < sizeof devices / sizeof devices[0]; d++) {
            wrong += !check(&q, seed, devices[d]);
            timed++;
        }
        kci_plan_free(plan);
        kc_release((void *)(uintptr_t)q.kernel);
        if (wrong > 3)
            break;
    }
    assert_int_equal(wrong, 0);
    assert_true(timed > 0);
}

int main(void)
{
    static const char *const names[] = { "a100-sxm4-40gb", "h100-sxm5", "b200", "mi300x", "v100-sxm2-16gb" };
    context = kc_context_new(NULL, NULL);
    for (size_t d = 0; d < sizeof names / sizeof names[0]; d++)
        devices[d] = kc_device_named(context, names[d]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_three_times_keep_their_order_on_random_kernels),
    };
    int failed = run(tests);
    for (size_t d = 0; d < sizeof names / sizeof names[0]; d++)
        kc_release(devices[d]);
    kc_context_free(context);
    return failed;
}
