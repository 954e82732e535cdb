/* device_print.c: what print(device) shows: its roofs and levels, a line each. */
#include "device.h"

#include <math.h>

#include "object.h"
#include "si.h"

static void quantity(kci_text *text, double value, const char *unit)
{
    char shown[KCI_SI_BYTES];
    kci_si(shown, value, unit);
    kci_text_add(text, shown);
}

static void ridge(kci_text *text, double intensity)
{
    char shown[KCI_SI_BYTES];
    kci_significant(shown, intensity, 3);
    kci_text_format(text, " (ridge %s FLOP/B)", shown);
}

static void roofs(kci_text *text, const char *unit, const double *peaks, double bandwidth)
{
    for (int f = 0; f < KCI_FORMATS; f++) {
        if (isnan(peaks[f]))
            continue;
        kci_text_format(text, "\n  %s %-6s ", unit, f == KCI_F8E4M3 ? "f8" : kci_format_name((kci_format)f));
        quantity(text, peaks[f], "FLOP/s");
        ridge(text, peaks[f] / bandwidth);
    }
}

static void level(kci_text *text, const char *name, double capacity, double bandwidth)
{
    if (isnan(capacity) && isnan(bandwidth))
        return;
    kci_text_format(text, "\n  %s", name);
    if (!isnan(capacity)) {
        kci_text_add(text, " ");
        quantity(text, capacity, "B");
    }
    if (!isnan(bandwidth)) {
        kci_text_add(text, " at ");
        quantity(text, bandwidth, "B/s");
    }
}

void kci_print_device(kci_text *text, const kc_object *object)
{
    const kc_device *device = (const kc_device *)(const void *)object;
    const kci_figures *f = &device->known;
    const char *name = device->texts[KCI_TEXT_NAME], *arch = device->texts[KCI_TEXT_ARCH];
    kci_text_format(text, "device %s", kci_device_name(device));
    if (name)
        kci_text_format(text, ": %s", name);
    if (arch)
        kci_text_format(text, ", %s", arch);
    if (!isnan(f->cores) && !isnan(f->clock)) {
        kci_text_add(text, ", ");
        kci_text_number(text, f->cores);
        kci_text_add(text, " cores at ");
        quantity(text, f->clock, "Hz");
    }
    roofs(text, "matrix", f->matrix, f->hbm.bandwidth);
    roofs(text, "vector", f->vector, f->hbm.bandwidth);
    level(text, "hbm", f->hbm.capacity, f->hbm.bandwidth);
    level(text, "llc", f->llc.capacity, f->llc.bandwidth);
    level(text, "l2", f->l2.capacity, f->l2.bandwidth);
    level(text, "smem of a core", f->smem.per_core, NAN);
    level(text, "link", NAN, f->link.bandwidth);
}
