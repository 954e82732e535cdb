/* measured.c: a measured time beside the roof and the estimate; one that beats the roof, and why that may be. */
#include <math.h>

#include "ask.h"
#include "device.h"
#include "si.h"

/* Boost clocks lie at most this much above those that peaks stand on. */
static const double BOOST = 1.3;
/* What 2:4 sparsity gives, and the slack of a clock. */
static const double SPARSE = 2.2;

typedef struct comparison {
    kc_result *r;
    const kci_figures *figures;
    double measured, roof, time;
    const kci_convention *convention;       /* NULL: the design's own */
} comparison;

/* Are most of the plain roofline the compulsory bytes of kernels that HBM bounds in it? */
static bool by_hbm(const comparison *c)
{
    const kc_result *r = c->r;
    double bounded = 0;
    for (size_t i = 0; i < (r->kernel_count ? r->kernel_count : 1); i++) {
        const kc_result *k = r->kernel_count ? r->kernels[i] : r;
        double roof = k->field[KC_ROOF_TIME];
        if (k->field[KC_BYTES_MIN] / c->figures->hbm.bandwidth >= roof * (1 - 1e-9))
            bounded += roof;
    }
    return bounded >= c->roof / 2;
}

static bool by_link(const comparison *c)
{
    return c->r->roof[KCI_ROOF_LINK] > 0 && c->r->roof[KCI_ROOF_LINK] >= kci_longest_roof(c->r->roof);
}

/* Runs that are repeated without a flush find in the caches what fits there. */
static kc_status note_l2(const comparison *c, bool memory)
{
    kci_notes *notes = &c->r->notes;
    double l2 = fmax(0, c->figures->l2.capacity), llc = fmax(0, c->figures->llc.capacity); /* fmax drops NAN */
    double touched = c->r->field[KC_BYTES_MIN], held = fmin(touched, l2 + llc);
    char bytes[KCI_SI_BYTES], part[KCI_SI_BYTES];
    kci_si(bytes, touched, "B");
    kci_si(part, held, "B");
    if (!memory)
        return kci_note(notes, "unlikely cause: L2 residency: compute is the roof here, not HBM");
    if (c->roof * (1 - held / touched) > c->measured)
        return kci_note(notes, "unlikely cause: L2 residency: the caches hold %s of the %s that it touches", part, bytes);
    return kci_note(notes, "likely cause: L2 residency: the caches hold %s of the %s that it touches, and runs repeated "
                    "without a flush find them there; compare with cache = \"warm\"", part, bytes);
}

static kc_status note_clock(const comparison *c, bool memory, double faster)
{
    double clock = isnan(c->figures->matrix_clock) ? c->figures->clock : c->figures->matrix_clock;
    char stated[KCI_SI_BYTES], needed[KCI_SI_BYTES];
    if (memory)
        return kci_note(&c->r->notes, "unlikely cause: boost clock: HBM is the roof here, and its clock does not rise");
    if (isnan(clock))
        return KC_OK;
    kci_si(stated, clock, "Hz");
    kci_si(needed, clock * faster, "Hz");
    return kci_note(&c->r->notes, "%s cause: boost clock: the peak stands on %s, this time needs %s",
                    faster > BOOST ? "unlikely" : "likely", stated, needed);
}

static kc_status note_sparse(const comparison *c, bool memory, double faster)
{
    if (memory || !(c->r->field[KC_MATRIX_FLOPS] > 0))
        return kci_note(&c->r->notes, "unlikely cause: sparse peak: matrix work is not the roof here");
    if (faster > SPARSE)
        return kci_note(&c->r->notes, "unlikely cause: sparse peak: 2:4 sparsity gives no more than a factor of 2");
    return kci_note(&c->r->notes, "likely cause: sparse peak: 2:4 sparsity does half of the work, and peaks that are "
                    "printed with it are twice the dense ones that kcost uses; or the math ran in a narrower dtype");
}

/* Faster than any implementation can be: the likely causes, those that can explain the factor. */
static kc_status note_beaten(const comparison *c)
{
    double faster = c->roof / c->measured;
    char factor[KCI_SI_BYTES], roof[KCI_SI_BYTES], measured[KCI_SI_BYTES];
    kci_significant(factor, faster, 3);
    kci_si(roof, c->roof, "s");
    kci_si(measured, c->measured, "s");
    kc_status status = kci_note(&c->r->notes, "measured %s beats roof_time %s by a factor of %s: on these peaks no "
                                "implementation of this work can", measured, roof, factor);
    if (status == KC_OK && by_link(c))
        return kci_note(&c->r->notes, "likely cause: the link: switches that add up send each byte once, or the ranks have more links "
                        "than the device states");
    bool memory = by_hbm(c);
    if (status == KC_OK)
        status = note_l2(c, memory);
    if (status == KC_OK)
        status = note_clock(c, memory, faster);
    if (status == KC_OK)
        status = note_sparse(c, memory, faster);
    if (status == KC_OK)
        status = kci_note(&c->r->notes, "also possible: the timer did not wait for the GPU, the run skipped work, or it "
                          "ran at other sizes or dtypes or on another device");
    return status;
}

/* The rate and its share of the peak that somebody who counts by this convention prints. */
static kc_status note_convention(const comparison *c)
{
    const kc_result *r = c->r;
    double flops = r->field[KC_FLOPS], rate = flops / c->measured, peak = r->field[KC_RIDGE] * c->figures->hbm.bandwidth;
    char work[KCI_SI_BYTES], reached[KCI_SI_BYTES], most[KCI_SI_BYTES], share[KCI_SI_BYTES];
    if (!(flops > 0) || !r->has[KC_RIDGE]) /* a program has no one peak */
        return KC_OK;
    kci_si(work, flops, "FLOP");
    kci_si(reached, rate, "FLOP/s");
    kci_si(most, peak, "FLOP/s");
    kci_significant(share, 100 * rate / peak, 2);
    return kci_note(&c->r->notes, "measured by this convention: %s, %s, %s %% of the %s peak of %s", work, reached, share,
                    c->convention->sparse ? "2:4-sparse" : "dense", most);
}

static kc_status note_compared(const comparison *c)
{
    char measured[KCI_SI_BYTES], ratio[KCI_SI_BYTES], share[KCI_SI_BYTES];
    kci_si(measured, c->measured, "s");
    kci_significant(ratio, c->measured / c->time, 3);
    kci_significant(share, 100 * c->roof / c->measured, 2);
    const char *roof = by_link(c) ? "link" : by_hbm(c) ? "HBM bandwidth" : "compute";
    kc_status status = kci_note(&c->r->notes, "measured %s is %s times the estimate and %s %% of the %s roof", measured,
                                ratio, share, roof);
    if (status == KC_OK && c->measured > c->r->field[KC_SERIAL_TIME])
        status = kci_note(&c->r->notes, "the measured time is longer than with nothing overlapped: lowered clocks, gaps "
                          "between launches, or another schedule than this one");
    return status;
}

/* Are the rates and clocks of which the notes speak figures? Of 10^300 FLOP, say, they are not. */
static bool is_within_doubles(const kc_result *r, double measured)
{
    static const double FASTEST_CLOCK = 1e12;
    return isfinite(fmax(r->field[KC_FLOPS], r->field[KC_ROOF_TIME]) / measured * FASTEST_CLOCK);
}

kc_status kci_measured(kc_result *r, const kc_device *device, const kc_options *options)
{
    double measured = options->measured;
    if (!is_within_doubles(r, measured))
        return kci_fail(r->base.context, KC_EARGUMENT, "'%.80s': its rate in the measured time leaves the range of a double (1.8e308)",
                        r->name);
    const comparison c = { r, &device->known, measured, r->field[KC_ROOF_TIME], r->field[KC_TIME],
                           options->own_convention ? &options->convention : NULL };
    r->measured_notes = r->notes.count;
    kci_result_set(r, KC_MEASURED, measured);
    kci_result_set(r, KC_MEASURED_RATIO, measured / c.time);
    kci_result_set(r, KC_MEASURED_EFFICIENCY, c.roof / measured);
    kc_status status = measured < c.roof ? note_beaten(&c) : note_compared(&c);
    return status == KC_OK && c.convention ? note_convention(&c) : status;
}
