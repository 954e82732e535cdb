/* roof.c: which unit does which work, at what rate. Design, sections 2.2 and 5. */
#include "roof.h"

#include <math.h>
#include <string.h>

#include "arith.h"

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
    return kci_min(1, typical * fitted / typical_share(device, KCI_BF16));
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

/* The format whose matrix roof serves; -1: none does. */
static int serving(const kc_device *device, kci_format math)
{
    if (!isnan(device->known.matrix[math]))
        return (int)math;
    for (size_t i = 0; i < WIDER && wider[math][i] != KCI_FORMATS; i++)
        if (!isnan(device->known.matrix[wider[math][i]]))
            return (int)wider[math][i];
    return -1;
}

kc_status kci_matrix_roof(const kc_device *device, kci_format math, bool asked, kci_compute_roof *roof,
                          kci_notes *notes)
{
    int serves = device->serves[math];
    kci_format other = serves < 0 ? math : (kci_format)serves;
    if (serves >= 0 && (other == math || !asked || same_unit(math, other))) {
        *roof = matrix_roof(device, other);
        if (!notes || other == math || same_unit(math, other))
            return KC_OK;
        return kci_note(notes, "%s has no matrix roof for %s: that of %s serves", kci_device_name(device),
                        kci_format_name(math), kci_format_name(other));
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
    for (KCI_EACH(f, kci_formats_of(counts))) {
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

static kc_status add_vector(const kci_counts *counts, const kc_device *device, bool useful, kci_work_seconds *seconds,
                            kci_notes *notes)
{
    for (int f64 = 0; f64 < 2; f64++) {
        double work = useful ? counts->useful_vector[f64] : counts->executed_vector[f64];
        if (!(work > 0))
            continue;
        if (!device->has_vector) { /* no such roof: a note, not an error */
            if (notes && kci_note(notes, "%s states no vector peak: vector work takes no time here",
                                  kci_device_name(device)) != KC_OK)
                return KC_ENOMEM;
            continue;
        }
        kci_compute_roof roof;
        kc_status status = kci_vector_roof(device, f64, &roof, notes);
        if (status != KC_OK)
            return status;
        double fused = useful ? work : kci_min(counts->executed_vector_fma[f64], work);
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

/* The format with the most useful matrix work; -1: there is none. */
static int main_format(const kci_counts *counts)
{
    int most = -1;
    for (KCI_EACH(f, kci_formats_of(counts)))
        if (counts->useful_matrix[f] > (most < 0 ? 0 : counts->useful_matrix[most]))
            most = (int)f;
    return most;
}

double kci_sparsity(const kci_counts *counts, const kc_device *device)
{
    int most = main_format(counts);
    kci_compute_roof roof;
    if (most < 0 || kci_matrix_roof(device, (kci_format)most, false, &roof, NULL) != KC_OK || roof.unit != KCI_MATRIX)
        return 1;
    return device->known.sparse[roof.format];
}

double kci_ridge(const kci_counts *counts, const kc_device *device)
{
    int most = main_format(counts);
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

static bool leaves_loads(const char *path)
{
    return strcmp(path, "wgmma") == 0 || strcmp(path, "tcgen05") == 0;
}

void kci_roofs_find(kc_device *device)
{
    device->path = best_path(device);
    device->specialised = leaves_loads(device->path);
    device->has_vector = false;
    for (int f = 0; f < KCI_FORMATS; f++) {
        const char *scope = device->texts[KCI_TEXT_SCOPE + f];
        device->serves[f] = serving(device, (kci_format)f);
        device->of_warp[f] = !scope || strcmp(scope, "warp") == 0;
        device->has_vector = device->has_vector || !isnan(device->known.vector[f]);
    }
}

const char *kci_path_of(const kc_device *device, const char *path)
{
    return path ? path : device->path;
}

static bool is_old(const kc_device *device, const char *path)
{
    return path && device->specialised && strcmp(path, "mma") == 0;
}

double kci_path_share(const kc_device *device, const char *path)
{
    return is_old(device, path) ? OLD_PATH : 1;
}

bool kci_path_specialised(const kc_device *device, const char *path)
{
    return path ? leaves_loads(path) : device->specialised;
}

double kci_path_overlap(const kc_device *device, const char *path)
{
    if (is_old(device, path)) {
        double plain = kci_device_default(device, "overlap", NULL);
        return kci_min(plain, 0.1); /* no specialised warps */
    }
    return device->full.overlap;
}
