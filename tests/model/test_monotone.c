/* test_monotone.c: at a fixed schedule no random kernel gets faster on a worse device, nor by being larger.
 *
 * KCOST_RANDOM: how many kernels; KCOST_SEED: the first seed. */
#include "unit.h"

#include <math.h>

#include "evaluator.h"
#include "plan.h"
#include "random_kernel.h"
#include "sensitivity.h"

static kc_context *context;
static kc_device *devices[4];

static size_t compared;

static kci_evaluator *evaluator_of(const kc_kernel *kernel, const kc_device *device)
{
    kci_evaluator *e = kci_evaluator_new(kernel, device, NULL);
    if (e)
        e->options.quiet = true;
    return e;
}

/* NAN: it does not run. */
static double time_of(kci_evaluator *e)
{
    return kci_evaluate(e) == KC_OK ? e->times.time : NAN;
}

static bool falls(double before, double after)
{
    return after < before * (1 - 1e-9);
}

static size_t faster_on_a_worse_device(const kc_kernel *kernel, const kc_device *device, uint64_t seed)
{
    static const char *const roofs[] = { "matrix", "vector", "special", "smem", "l2", "hbm", "launch", "latency" };
    size_t wrong = 0;
    kci_evaluator *e = evaluator_of(kernel, device);
    double before = e ? time_of(e) : NAN;
    kci_evaluator_free(e);
    for (size_t i = 0; !isnan(before) && i < sizeof roofs / sizeof *roofs; i++) {
        e = evaluator_of(kernel, device);
        kci_roof_raise(e->device, roofs[i], 0.6);
        double after = time_of(e);
        kci_evaluator_free(e);
        if (falls(before, after)) {
            print_error("seed %llu on %s: %g s, with less %s %g s\n", (unsigned long long)seed, kci_device_name(device),
                        before, roofs[i], after);
            wrong++;
        }
    }
    return wrong;
}

enum { MOST_TENSORS = 64 };

/* What the mean CTA waits for of each tensor: bytes from HBM and from L2. */
typedef struct share {
    double hbm[MOST_TENSORS], l2[MOST_TENSORS];
} share;

static void share_of(const kci_evaluator *e, share *s)
{
    for (size_t t = 0; t < e->graph.tensor_count; t++) {
        s->hbm[t] = (e->rows[t].read + e->rows[t].written) / e->counts->ctas;
        s->l2[t] = (e->counts->rows[t].read + e->counts->rows[t].written) / e->counts->ctas;
    }
}

static bool any_falls(const share *before, const share *after, size_t tensors)
{
    bool any = false;
    for (size_t t = 0; t < tensors; t++)
        any = any || falls(before->hbm[t], after->hbm[t]) || falls(before->l2[t], after->l2[t]);
    return any;
}

/* Exceptions, which are real:
 * - A causal mask follows the sizes: with more rows than columns it leaves less.
 * - A loop of one trip that gets a second one becomes a loop, with buffers and boxes of its own;
 *   one with more trips than its split is no grid loop any more.  The nest is another.
 * - What CTAs share is spread over more of them, so that each waits for less.
 * - CTAs that share the trips of a split loop unevenly wait for the largest of them.
 * - The steps of a CTA are taken to be alike.  Where a loop inside adds cheap ones, the last step,
 *   whose compute nothing hides, becomes cheaper by as much as it differed from the mean. */
static const double STEPS_ALIKE = 0.03;

static size_t faster_when_larger(const kc_kernel *kernel, const kc_device *device, uint64_t seed)
{
    if (kernel->graph.region_count || kernel->graph.tensor_count > MOST_TENSORS)
        return 0;
    size_t wrong = 0;
    kci_evaluator *e = evaluator_of(kernel, device);
    double before = e ? time_of(e) : NAN;
    for (size_t l = 0; !isnan(before) && l < kernel->graph.loop_count; l++) {
        double size = e->sizes[l], tile = kernel->tiling ? kernel->tiling->tile[l] : size;
        if (tile > size)
            continue; /* no whole tile yet */
        before = time_of(e);
        share had, has;
        share_of(e, &had);
        kci_set looped = e->plan->looped, grid = e->plan->grid, split = e->plan->split;
        e->sizes[l] += tile;
        double after = time_of(e);
        bool alike = !isnan(after) && looped == e->plan->looped && grid == e->plan->grid && split == e->plan->split &&
                     !(split & KCI_BIT(l));
        if (alike)
            share_of(e, &has);
        if (alike && !any_falls(&had, &has, e->graph.tensor_count) && ++compared && falls(before * (1 - STEPS_ALIKE), after)) {
            print_error("seed %llu on %s: %g s, with loop %zu of %g instead of %g %g s\n", (unsigned long long)seed,
                        kci_device_name(device), before, l, e->sizes[l], size, after);
            wrong++;
        }
        e->sizes[l] = size;
    }
    kci_evaluator_free(e);
    return wrong;
}

typedef size_t (*property)(const kc_kernel *kernel, const kc_device *device, uint64_t seed);

static void holds_on_random_kernels(property wrong_on)
{
    size_t wrong = 0, asked = 0, shown = (size_t)environment_number("KCOST_SHOWN", 5);
    uint64_t first = (uint64_t)environment_number("KCOST_SEED", 1);
    uint64_t last = first + (uint64_t)environment_number("KCOST_RANDOM", 3000);
    for (uint64_t seed = first; seed < last && wrong < shown; seed++) {
        kc_kernel *kernel = random_kernel(context, seed);
        for (size_t d = 0; kernel && !kernel->member_count && d < sizeof devices / sizeof *devices; d++, asked++)
            wrong += wrong_on(kernel, devices[d], seed);
        kc_release(kernel);
    }
    assert_int_equal(wrong, 0);
    assert_true(asked > 0);
}

TEST(no_kernel_is_faster_on_a_device_with_a_lower_roof_or_a_longer_latency)
{
    holds_on_random_kernels(faster_on_a_worse_device);
}

TEST(no_kernel_is_faster_when_a_dim_grows_by_a_whole_tile)
{
    compared = 0;
    holds_on_random_kernels(faster_when_larger);
    assert_true(compared > 1000 || environment_number("KCOST_RANDOM", 3000) < 3000);
}

int main(void)
{
    static const char *const names[] = { "a100-sxm4-40gb", "h100-sxm5", "mi300x", "t4" };
    context = kc_context_new(NULL, NULL);
    for (size_t d = 0; d < sizeof names / sizeof *names; d++)
        devices[d] = kc_device_named(context, names[d]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_kernel_is_faster_on_a_device_with_a_lower_roof_or_a_longer_latency),
        cmocka_unit_test(no_kernel_is_faster_when_a_dim_grows_by_a_whole_tile),
    };
    int failed = run(tests);
    for (size_t d = 0; d < sizeof names / sizeof *names; d++)
        kc_release(devices[d]);
    kc_context_free(context);
    return failed;
}
