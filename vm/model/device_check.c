/* device_check.c: what a device must have, peaks that follow its clocks, and the check of its figures. */
#include "device.h"

#include <math.h>
#include <string.h>

static const double TOLERANCE = 0.02;   /* vendors round their figures to two or three digits */

static bool on_matrix_clock(const kci_figures *figures, bool matrix, kci_format format)
{
    return matrix && format != KCI_F64 && format != KCI_F32 && !isnan(figures->matrix_clock);
}

double kci_device_clock(const kci_figures *figures, bool matrix, kci_format format)
{
    return on_matrix_clock(figures, matrix, format) ? figures->matrix_clock : figures->clock;
}

/* ---- the seal: peaks that follow -------------------------------------------------- */

/* A peak and what it follows from: peak = cores * rate * clock. */
typedef struct peak {
    double *value, rate, clock;
    size_t place, rate_place, clock_place;
    const char *group;          /* "matrix" */
    kci_format format;
} peak;

static peak peak_of(kci_figures *figures, bool matrix, kci_format format)
{
    peak p = { .format = format };
    p.value = matrix ? &figures->matrix[format] : &figures->vector[format];
    p.rate = matrix ? figures->rate.matrix[format] : figures->rate.vector[format];
    p.clock = kci_device_clock(figures, matrix, format);
    p.place = (matrix ? KCI_FIGURE(matrix) : KCI_FIGURE(vector)) + (size_t)format;
    p.rate_place = (matrix ? KCI_FIGURE(rate.matrix) : KCI_FIGURE(rate.vector)) + (size_t)format;
    p.clock_place = on_matrix_clock(figures, matrix, format) ? KCI_FIGURE(matrix_clock) : KCI_FIGURE(clock);
    p.group = matrix ? "matrix" : "vector";
    return p;
}

static bool was_changed(const kc_device *device, size_t place)
{
    return device->origin[place] == KCI_SET || device->origin[place] == KCI_RECOMPUTED;
}

static const char *format_name(kci_format format)
{
    return format == KCI_F8E4M3 ? "f8" : kci_format_name(format);
}

/* A peak that the caller set stays.  Any other follows cores, clock and rate. */
static kc_status follow(kc_device *device, peak p)
{
    if (device->origin[p.place] == KCI_SET)
        return KC_OK;
    bool known = !isnan(p.rate) && !isnan(p.clock) && !isnan(device->known.cores);
    bool absent = device->origin[p.place] == KCI_ABSENT;
    bool changed = was_changed(device, KCI_FIGURE(cores)) || was_changed(device, p.clock_place) ||
                   was_changed(device, p.rate_place);
    if (known && (absent || changed)) {
        *p.value = device->known.cores * p.rate * p.clock;
        device->origin[p.place] = KCI_RECOMPUTED;
    } else if (changed && !absent) {
        return kci_fail(device->base.context, KC_EARGUMENT,
                        "device '%s': cores or a clock changed, and %s.%s cannot follow without cores, clock and "
                        "rate.%s.%s; set the peak as well",
                        kci_device_name(device), p.group, format_name(p.format), p.group, format_name(p.format));
    }
    return KC_OK;
}

/* The narrow formats' clock is never above the core's. */
static void follow_clock(kc_device *device)
{
    kci_figures *known = &device->known;
    if (device->origin[KCI_FIGURE(clock)] != KCI_SET || device->origin[KCI_FIGURE(matrix_clock)] == KCI_SET)
        return;
    if (known->matrix_clock > known->clock) {
        known->matrix_clock = known->clock;
        device->origin[KCI_FIGURE(matrix_clock)] = KCI_RECOMPUTED;
    }
}

static bool has_peak(const kci_figures *figures)
{
    for (size_t i = 0; i < KCI_FORMATS; i++)
        if (!isnan(figures->matrix[i]) || !isnan(figures->vector[i]))
            return true;
    return false;
}

kc_status kc_device_seal(kc_device *device)
{
    if (!device)
        return KC_EARGUMENT;
    kc_context *context = device->base.context;
    if (device->sealed)
        return KC_OK;
    const char *name = device->texts[KCI_TEXT_NAME];
    if (!name || !*name)
        return kci_fail(context, KC_EARGUMENT, "device: name is missing");
    follow_clock(device);
    for (int i = 0; i < KCI_FORMATS; i++)
        for (int matrix = 0; matrix < 2; matrix++) {
            kc_status status = follow(device, peak_of(&device->known, matrix, (kci_format)i));
            if (status != KC_OK)
                return status;
        }
    if (isnan(device->known.hbm.bandwidth))
        return kci_fail(context, KC_EARGUMENT, "device '%s': hbm.bandwidth is missing (byte/s)", name);
    if (!has_peak(&device->known))
        return kci_fail(context, KC_EARGUMENT,
                        "device '%s': a peak is missing: matrix.f16 or vector.f32, say (FLOP/s, dense), or cores, "
                        "clock and rate", name);
    kci_device_fill(device);
    device->sealed = true;
    return KC_OK;
}

/* ---- the check ----------------------------------------------------------------------- */

typedef struct check {
    const kc_device *device;
    kci_text *out;
    size_t off;
} check;

static void number(kci_text *out, double value)
{
    kci_text_number(out, value);
}

/* One line: path, what the file says, what it should be, and the verdict. */
static void verdict(check *c, const char *path, double stated, const char *formula, double expected, bool good)
{
    const char *excuse = good ? NULL : kci_device_exception(c->device, path);
    if (!good && !excuse)
        c->off++;
    if (!c->out)
        return;
    kci_text_format(c->out, "%-18s ", path);
    number(c->out, stated);
    kci_text_format(c->out, "  %s ", formula);
    number(c->out, expected);
    kci_text_format(c->out, "  %s%s\n", good ? "ok" : excuse ? "exception: " : "OFF", excuse ? excuse : "");
}

static void check_equal(check *c, const char *path, double stated, const char *formula, double expected)
{
    if (isnan(stated) || isnan(expected))
        return;
    verdict(c, path, stated, formula, expected, fabs(stated / expected - 1) <= TOLERANCE);
}

static void check_at_most(check *c, const char *path, double stated, const char *formula, double most)
{
    if (isnan(stated) || isnan(most))
        return;
    verdict(c, path, stated, formula, most, stated <= most * (1 + 1e-12));
}

static void path_of(char *path, size_t size, const char *group, kci_format format)
{
    const char *name = format_name(format);
    size_t head = strlen(group), tail = strlen(name);
    if (head + 1 + tail >= size)
        return;
    memcpy(path, group, head);
    path[head] = '.';
    memcpy(path + head + 1, name, tail + 1);
}

/* A peak that nothing can be held against is said, not counted. */
static void unchecked(const check *c, const char *path, double stated)
{
    const char *excuse = kci_device_exception(c->device, path);
    if (!c->out)
        return;
    kci_text_format(c->out, "%-18s ", path);
    number(c->out, stated);
    kci_text_format(c->out, "  %s%s\n", excuse ? "exception: " : "unchecked: cores, clock or rate is not stated",
                    excuse ? excuse : "");
}

static void check_peaks(check *c)
{
    kci_figures figures = c->device->known;
    for (int i = 0; i < KCI_FORMATS; i++)
        for (int matrix = 1; matrix >= 0; matrix--) {
            peak p = peak_of(&figures, matrix, (kci_format)i);
            double follows = figures.cores * p.rate * p.clock;
            char path[32] = "";
            path_of(path, sizeof path, p.group, p.format);
            if (isnan(follows) && !isnan(*p.value))
                unchecked(c, path, *p.value);
            check_equal(c, path, *p.value, "cores * rate * clock", follows);
        }
}

/* What each format gains over f16 where nothing is cut. */
static void check_ratios(check *c)
{
    static const struct { kci_format format; double ratio; } usual[] = {
        { KCI_TF32, 0.5 }, { KCI_BF16, 1 }, { KCI_F8E4M3, 2 }, { KCI_I8, 2 }, { KCI_F4, 4 }, { KCI_I4, 4 },
    };
    const double *matrix = c->device->known.matrix;
    double half = !isnan(matrix[KCI_F16]) ? matrix[KCI_F16] : matrix[KCI_BF16];
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        char path[32] = "";
        path_of(path, sizeof path, "ratio", usual[i].format);
        check_equal(c, path, matrix[usual[i].format] / half, "of f16, usually", usual[i].ratio);
    }
}

static void check_sparse(check *c)
{
    const kci_figures *f = &c->device->known;
    for (int i = 0; i < KCI_FORMATS; i++) {
        char path[32] = "";
        path_of(path, sizeof path, "sparse", (kci_format)i);
        check_equal(c, path, f->sparse[i], "of the dense peak, usually", isnan(f->matrix[i]) ? 0 : 2);
    }
}

static void check_limits(check *c)
{
    const kci_figures *f = &c->device->known;
    double reserved = isnan(f->smem.reserved) ? 0 : f->smem.reserved;
    check_equal(c, "hbm.bandwidth", f->hbm.bandwidth, "bus * data rate / 8 =", f->hbm.bus * f->hbm.data_rate / 8);
    check_at_most(c, "smem.per_cta", f->smem.per_cta, "at most per_core less reserved", f->smem.per_core - reserved);
    check_at_most(c, "max_threads", f->max_threads, "at most max_warps * warp", f->max_warps * f->warp);
    check_at_most(c, "l2.bandwidth", f->l2.bandwidth, "at most cores * per_core * clock",
                  f->cores * f->l2.per_core * f->clock);
    check_at_most(c, "l2.capacity", f->l2.capacity, "below hbm.capacity", f->hbm.capacity);
    check_at_most(c, "hbm.bandwidth", f->hbm.bandwidth, "below l2.bandwidth", f->l2.bandwidth);
    check_at_most(c, "link.peer", f->link.peer, "at most link.bandwidth", f->link.bandwidth);
    check_at_most(c, "matrix_clock", f->matrix_clock, "at most clock", f->clock);
}

size_t kci_device_check(const kc_device *device, kci_text *out)
{
    check c = { device, out, 0 };
    check_peaks(&c);
    check_ratios(&c);
    check_sparse(&c);
    check_limits(&c);
    return c.off;
}
