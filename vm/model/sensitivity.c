/* sensitivity.c: what 1 % more of one roof does to a time: the kernel evaluated again on a changed device. */
#include "sensitivity.h"

#include <math.h>
#include <string.h>

#include "ask.h"

static const double MORE = 1.01;

typedef struct roof {
    const char *name;
    bool shorter;                   /* a time: it gets shorter */
    struct { size_t first, count; } runs[3];        /* of places in kci_figures; count 0: none */
} roof;

/* Peaks are changed, not the clock behind them, which would move other roofs too.  "special"
 * and "smem" are per clock and core; L2 into one core rises with L2. */
static const roof roofs[] = {
    { "matrix", false, { { KCI_FIGURE(matrix), KCI_FORMATS } } },
    { "vector", false, { { KCI_FIGURE(vector), KCI_FORMATS } } },
    { "special", false, { { KCI_FIGURE(special), 1 } } },
    { "smem", false, { { KCI_FIGURE(smem.bandwidth), 1 } } },
    { "l2", false, { { KCI_FIGURE(l2.bandwidth), 1 }, { KCI_FIGURE(l2.per_core), 1 } } },
    { "hbm", false, { { KCI_FIGURE(hbm.bandwidth), 1 } } },
    { "link", false, { { KCI_FIGURE(link.bandwidth), 1 }, { KCI_FIGURE(link.peer), 1 } } },
    { "launch", true, { { KCI_FIGURE(launch), 5 } } },
    { "latency", true, { { KCI_FIGURE(hbm.latency), 1 }, { KCI_FIGURE(l2.latency), 1 }, { KCI_FIGURE(link.latency), 1 } } },
};
enum { ROOFS = sizeof roofs / sizeof roofs[0] };

const char *kc_sensitivity_roof(size_t i)
{
    return i < ROOFS ? roofs[i].name : NULL;
}

static bool scale(kci_figures *figures, size_t first, size_t count, double factor)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        double *figure = (double *)(void *)figures + first + i;
        any |= !isnan(*figure);
        *figure *= factor; /* NAN, not stated, stays so */
    }
    return any;
}

bool kci_roof_raise(kc_device *device, const char *name, double factor)
{
    for (size_t i = 0; i < ROOFS; i++) {
        const roof *r = &roofs[i];
        if (strcmp(r->name, name) != 0)
            continue;
        double by = r->shorter ? 1 / factor : factor;
        bool any = false;
        for (size_t run = 0; run < sizeof r->runs / sizeof *r->runs; run++) {
            any |= scale(&device->full, r->runs[run].first, r->runs[run].count, by);
            scale(&device->known, r->runs[run].first, r->runs[run].count, by);
        }
        return any;
    }
    return false;
}

static const char *nth_roof(const void *unused, size_t i)
{
    (void)unused;
    return kc_sensitivity_roof(i);
}

static kc_status time_on(const kc_result *r, const kc_device *device, double *time)
{
    kc_result *again = kci_ask(r->x, device, r->options, "sensitivity");
    if (!again)
        return kc_context_status(r->base.context);
    *time = again->field[KC_TIME];
    kc_release(again);
    return KC_OK;
}

kc_status kc_result_sensitivity(kc_result *r, const char *name, double *change)
{
    if (!r || !name)
        return KC_EARGUMENT;
    kc_context *context = r->base.context;
    if (!r->of || !r->x)
        return kci_fail(context, KC_EARGUMENT, "sensitivity: %s has no time; evaluate it on a device", r->name);
    /* A copy of the figures alone: its texts and references are the device's, and it is never released. */
    kc_device raised = *r->of;
    if (!kci_roof_raise(&raised, name, MORE))
        return kci_fail(context, KC_EARGUMENT, "sensitivity: %s has no roof '%s'%s", r->device, name,
                        kci_nearest(context, name, nth_roof, NULL));
    double before = 0, after = 0;
    kc_status status = time_on(r, r->of, &before);
    if (status == KC_OK)
        status = time_on(r, &raised, &after);
    if (status == KC_OK && change)
        *change = before > 0 ? after / before - 1 : 0;
    return status;
}
