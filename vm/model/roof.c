/* roof.c: which unit does which work, at what rate. Design, sections 2.2 and 5. */
#include "roof.h"

#include <math.h>
#include <string.h>

/* The formats that may serve for one that has no roof of its own: every value of
 * it is a value of theirs.  So f16 never becomes bf16. */
enum { WIDER = 6 };
static const kci_format wider[KCI_FORMATS][WIDER] = {
    [KCI_F4] = { KCI_F6, KCI_F8E4M3, KCI_F16, KCI_BF16, KCI_TF32, KCI_F32 },
    [KCI_F6] = { KCI_F8E4M3, KCI_F16, KCI_BF16, KCI_TF32, KCI_F32, KCI_FORMATS },
    [KCI_F8E4M3] = { KCI_F16, KCI_BF16, KCI_TF32, KCI_F32, KCI_FORMATS },
    [KCI_F8E5M2] = { KCI_F8E4M3, KCI_F16, KCI_BF16, KCI_TF32, KCI_F32, KCI_FORMATS },
    [KCI_F16] = { KCI_TF32, KCI_F32, KCI_FORMATS },
    [KCI_BF16] = { KCI_TF32, KCI_F32, KCI_FORMATS },
    [KCI_TF32] = { KCI_F32, KCI_FORMATS },
    [KCI_F32] = { KCI_FORMATS },
    [KCI_F64] = { KCI_FORMATS },
    [KCI_BOOL] = { KCI_U8, KCI_I8, KCI_I16, KCI_I32, KCI_FORMATS },
    [KCI_I4] = { KCI_I8, KCI_I16, KCI_I32, KCI_FORMATS },
    [KCI_U8] = { KCI_I8, KCI_I16, KCI_I32, KCI_FORMATS },
    [KCI_I8] = { KCI_I16, KCI_I32, KCI_FORMATS },
    [KCI_I16] = { KCI_I32, KCI_FORMATS },
    [KCI_I32] = { KCI_FORMATS },
};

/* A published share is the best of many shapes; a kernel of any shape reaches 0.9
 * of it (0.84 to 0.95 on four GPUs).  A default is already such a share. */
static const double TYPICAL = 0.9;
/* mma.sync on a GPU whose peak needs wgmma or tcgen05 (measured on Hopper). */
static const double OLD_PATH = 0.63;

/* f8e5m2 and u8 run on the units of f8e4m3 and i8: one figure serves both. */
static bool same_unit(kci_format a, kci_format b)
{
    return (a == KCI_F8E5M2 && b == KCI_F8E4M3) || (a == KCI_U8 && b == KCI_I8);
}

/* Of the peak, where nothing was fitted. */
static double typical_share(const kc_device *device, kci_format format)
{
    double stated = device->known.sustained.matrix[format];
    return isnan(stated) ? device->full.sustained.matrix[format] : stated * TYPICAL;
}

/* fitted.matrix is that of f16 and bf16; what power takes from them it takes from all. */
static double sustained_share(const kc_device *device, kci_format format)
{
    double fitted = device->full.fitted.matrix, typical = typical_share(device, format);
    if (!(fitted > 0))
        return typical;
    if (format == KCI_F16 || format == KCI_BF16)
        return fitted;
    return fmin(1, typical * fitted / typical_share(device, KCI_BF16));
}

static kci_compute_roof matrix_roof(const kc_device *device, kci_format format)
{
    return (kci_compute_roof){ KCI_MATRIX, format, device->known.matrix[format], sustained_share(device, format) };
}

kc_status kci_vector_roof(const kc_device *device, bool f64, kci_compute_roof *roof, kci_notes *notes)
{
    (void)notes;
    kci_format format = f64 ? KCI_F64 : KCI_F32;
    *roof = (kci_compute_roof){ KCI_VECTOR, format, device->known.vector[format], device->full.sustained.vector };
    if (isnan(roof->peak))
        return kci_fail(device->base.context, KC_EDEVICE, "%s has no vector unit for %s (vector.%s is not stated)",
                        kci_device_name(device), kci_format_name(format), kci_format_name(format));
    return KC_OK;
}

kc_status kci_matrix_roof(const kc_device *device, kci_format math, bool asked, kci_compute_roof *roof,
                          kci_notes *notes)
{
    *roof = matrix_roof(device, math);
    if (!isnan(roof->peak))
        return KC_OK;
    for (size_t i = 0; i < WIDER && wider[math][i] != KCI_FORMATS; i++) {
        kci_format serves = wider[math][i];
        if (isnan(device->known.matrix[serves]) || (asked && !same_unit(math, serves)))
            continue;
        *roof = matrix_roof(device, serves);
        if (same_unit(math, serves) || !notes)
            return KC_OK;
        return kci_note(notes, "%s has no matrix roof for %s: that of %s serves", kci_device_name(device),
                        kci_format_name(math), kci_format_name(serves));
    }
    if (asked)
        return kci_fail(device->base.context, KC_EDEVICE,
                        "%s has no matrix roof for %s, which math asks for; leave math out and a wider one serves",
                        kci_device_name(device), kci_format_name(math));
    kc_status status = kci_vector_roof(device, math == KCI_F64, roof, notes);
    if (status != KC_OK)
        return kci_fail(device->base.context, status, "%s has neither a matrix nor a vector roof for %s",
                        kci_device_name(device), kci_format_name(math));
    if (!notes)
        return KC_OK;
    return kci_note(notes, "%s has no matrix roof for %s: the vector unit serves", kci_device_name(device),
                    kci_format_name(math));
}

/* ---- work over roofs -------------------------------------------------------------- */

static kc_status add_matrix(const kci_counts *counts, const kc_device *device, bool useful, const double *rounding,
                            kci_work_seconds *seconds, kci_notes *notes)
{
    for (int f = 0; f < KCI_FORMATS; f++) {
        double work = useful ? counts->useful_matrix[f] : counts->executed_matrix[f];
        if (!(work > 0))
            continue;
        kci_compute_roof roof;
        kc_status status = kci_matrix_roof(device, (kci_format)f, counts->matrix_asked[f], &roof, notes);
        if (status != KC_OK)
            return status;
        double rate = useful ? roof.peak : roof.peak * roof.sustained;
        if (roof.unit == KCI_VECTOR)
            seconds->vector += work / rate;
        else
            seconds->matrix += work * (rounding && !useful ? rounding[f] : 1) / rate;
    }
    return KC_OK;
}

/* A device that states no vector peak at all has no such roof: a note, not an error. */
static bool has_vector(const kc_device *device)
{
    for (size_t i = 0; i < KCI_FORMATS; i++)
        if (!isnan(device->known.vector[i]))
            return true;
    return false;
}

static kc_status add_vector(const kci_counts *counts, const kc_device *device, bool useful, kci_work_seconds *seconds,
                            kci_notes *notes)
{
    for (int f64 = 0; f64 < 2; f64++) {
        double work = useful ? counts->useful_vector[f64] : counts->executed_vector[f64];
        if (!(work > 0))
            continue;
        if (!has_vector(device)) {
            if (notes && kci_note(notes, "%s states no vector peak: vector work takes no time here",
                                  kci_device_name(device)) != KC_OK)
                return KC_ENOMEM;
            continue;
        }
        kci_compute_roof roof;
        kc_status status = kci_vector_roof(device, f64, &roof, notes);
        if (status != KC_OK)
            return status;
        double fused = useful ? work : fmin(counts->executed_vector_fma[f64], work);
        double slots = fused + 2 * (work - fused); /* in FLOP of the printed peak */
        seconds->vector += slots / (useful ? roof.peak : roof.peak * roof.sustained);
    }
    return KC_OK;
}

/* special * cores * clock; a datasheet that does not tell it sets no roof. */
static void add_special(const kci_counts *counts, const kc_device *device, bool useful, kci_work_seconds *seconds)
{
    double work = useful ? counts->useful_special : counts->executed_special;
    const kci_figures *f = useful ? &device->known : &device->full;
    double rate = f->special * f->cores * f->clock * (useful ? 1 : f->sustained.special);
    if (work > 0 && rate > 0)
        seconds->special += work / rate;
}

kc_status kci_work_seconds_of(const kci_counts *counts, const kc_device *device, bool useful, const double *rounding,
                              kci_work_seconds *seconds, kci_notes *notes)
{
    *seconds = (kci_work_seconds){ 0, 0, 0 };
    kc_status status = add_matrix(counts, device, useful, rounding, seconds, notes);
    if (status == KC_OK)
        status = add_vector(counts, device, useful, seconds, notes);
    if (status == KC_OK)
        add_special(counts, device, useful, seconds);
    return status;
}

double kci_ridge(const kci_counts *counts, const kc_device *device)
{
    int most = -1;
    for (int f = 0; f < KCI_FORMATS; f++)
        if (counts->useful_matrix[f] > (most < 0 ? 0 : counts->useful_matrix[most]))
            most = f;
    kci_compute_roof roof = { .peak = NAN };
    if (most >= 0) {
        if (kci_matrix_roof(device, (kci_format)most, false, &roof, NULL) != KC_OK)
            return NAN;
    } else if (counts->useful_vector[0] + counts->useful_vector[1] > 0) {
        bool f64 = counts->useful_vector[1] > counts->useful_vector[0];
        roof.peak = device->known.vector[f64 ? KCI_F64 : KCI_F32];
    }
    return roof.peak / device->known.hbm.bandwidth;
}

/* ---- instructions ------------------------------------------------------------------- */

const char *kci_path_stated(const kc_device *device)
{
    if (device->texts[KCI_TEXT_PATH])
        return device->texts[KCI_TEXT_PATH];
    for (size_t i = 0; device->defaults && i < device->defaults->count; i++)
        if (strcmp(device->defaults->figures[i].path, "path") == 0)
            return device->defaults->figures[i].text;
    return NULL;
}

static const char *best_path(const kc_device *device)
{
    const char *stated = kci_path_stated(device);
    return stated ? stated : "mma";
}

const char *kci_path_of(const kc_device *device, const char *path)
{
    return path ? path : best_path(device);
}

static bool is_old(const kc_device *device, const char *path)
{
    const char *best = best_path(device);
    return path && strcmp(path, "mma") == 0 && (strcmp(best, "wgmma") == 0 || strcmp(best, "tcgen05") == 0);
}

double kci_path_share(const kc_device *device, const char *path)
{
    return is_old(device, path) ? OLD_PATH : 1;
}

bool kci_path_specialised(const kc_device *device, const char *path)
{
    const char *used = kci_path_of(device, path);
    return strcmp(used, "wgmma") == 0 || strcmp(used, "tcgen05") == 0;
}

double kci_path_overlap(const kc_device *device, const char *path)
{
    if (is_old(device, path)) {
        double plain = kci_device_default(device, "overlap", NULL);
        return fmin(plain, 0.1); /* no specialised warps */
    }
    return device->full.overlap;
}
