/* device.h: a device as figures by path, with where each comes from: section 5 of the design.
 *
 * One table (device_figures.c) names every figure: "hbm.bandwidth" is
 * figures.hbm.bandwidth.  Setting, reading, copying, merging, listing and
 * printing all walk it, so a new figure is one row there and one double here.
 * What a device does not say is NAN inside `known`, and absent everywhere else. */
#ifndef KCI_DEVICE_H
#define KCI_DEVICE_H

#include "base.h"
#include "dtype.h"

/* ---- what the build makes of devices/ (written by vm/lua/embed.c) ---------- */

typedef struct kci_device_figure {
    const char *path;
    double number;
    const char *text;       /* of a text figure; else NULL */
    const char *source;     /* "vendor: …", "microbenchmark: …", "derived: …", "assumed: …" */
} kci_device_figure;

typedef struct kci_device_file {
    const char *id;         /* the file's name; of a default, the architecture's */
    const kci_device_figure *figures;
    size_t count;
} kci_device_file;

extern const kci_device_file kci_device_files[];        /* sorted by id */
extern const size_t kci_device_file_count;
extern const kci_device_file kci_device_defaults[];     /* "default" and one an architecture */
extern const size_t kci_device_default_count;

/* ---- figures --------------------------------------------------------------- */

/* Only doubles, so that a figure is also a number: its place in the struct. */
typedef struct kci_figures {
    double year, cores, clock, matrix_clock;
    double matrix[KCI_FORMATS], vector[KCI_FORMATS];    /* FLOP/s, dense */
    struct { double matrix[KCI_FORMATS], vector[KCI_FORMATS]; } rate;   /* FLOP per clock per core */
    double sparse[KCI_FORMATS];                         /* the 2:4-sparse peak over the dense one */
    double special;                                     /* ops per clock per core */
    struct { double m[KCI_FORMATS], n[KCI_FORMATS], k[KCI_FORMATS], step[KCI_FORMATS]; } matrix_tile;
    struct { double capacity, bandwidth, latency, sector, bus, data_rate; } hbm;
    struct { double capacity, bandwidth, latency; } llc;
    struct { double capacity, bandwidth, latency, per_core, parts, rate; } l2;
    struct { double per_core, per_cta, reserved, bandwidth; } smem;
    struct { double per_core, per_thread, per_cta, unit, parts; } registers;
    struct { double per_core, unit; } tmem;
    double warp, max_warps, max_ctas, max_threads;
    double overlap;                 /* share of softmax that hides behind matrix work; 0 to 1 */
    struct { double graph, stream, eager, fixed, light; } launch;
    struct { double bandwidth, peer, latency, fixed, count; } link;
    struct { double matrix[KCI_FORMATS], vector, special, hbm, l2, smem, link; } sustained;
    struct { double matrix, hbm, fixed; } fitted;   /* to measured kernels; 0: not */
    double tdp;
    struct { double vector; } energy;               /* J/FLOP of a board at its power limit */
} kci_figures;

enum { KCI_FIGURES = sizeof(kci_figures) / sizeof(double) };

typedef enum kci_device_text {
    KCI_TEXT_NAME, KCI_TEXT_ALIASES, KCI_TEXT_VENDOR, KCI_TEXT_ARCH, KCI_TEXT_PATH,
    KCI_TEXT_HBM_TYPE, KCI_TEXT_LINK_TYPE,
    KCI_TEXT_SCOPE,                 /* the first of one per format */
    KCI_TEXTS = KCI_TEXT_SCOPE + KCI_FORMATS
} kci_device_text;

enum {                              /* kci_figure_row.rule */
    KCI_IS_TEXT = 1,
    KCI_WHOLE = 2,                  /* a count */
    KCI_MAY_BE_ZERO = 4,
    KCI_SHARE = 8                   /* at most 1 */
};

typedef struct kci_figure_row {
    const char *path;
    size_t length;                  /* of the path */
    size_t place;                   /* in kci_figures as an array, or in texts */
    const char *unit;
    unsigned rule;
    const char *doc;
} kci_figure_row;

extern const kci_figure_row kci_figure_rows[];
extern const size_t kci_figure_row_count;

/* The row of a path ("matrix.f8e4m3" is "matrix.f8"); NULL: none such. */
const kci_figure_row *kci_figure_find(const char *path);
const char *kci_figure_nth_path(const void *unused, size_t i);
#define KCI_FIGURE(field) (offsetof(kci_figures, field) / sizeof(double))

/* ---- the handle ------------------------------------------------------------ */

typedef enum kci_origin {           /* of a figure */
    KCI_ABSENT,
    KCI_SHIPPED,                    /* of the device's file */
    KCI_GIVEN,                      /* set by the caller on a device that this one copies */
    KCI_SET,                        /* set by the caller on this one */
    KCI_RECOMPUTED                  /* cores * rate * clock, at the seal */
} kci_origin;

typedef struct kci_remark {         /* "source.PATHS" or "exceptions.PATHS", and its text */
    char *path, *text;
} kci_remark;

struct kc_device {
    kc_object base;
    char *id;                       /* what results print */
    char *asked;                    /* the alias that named it; NULL: its id */
    kci_figures known;              /* what it says */
    kci_figures full;               /* and the defaults of its architecture; after the seal */
    unsigned char origin[KCI_FIGURES];
    char *texts[KCI_TEXTS];
    kci_remark *remarks;
    size_t remark_count, remark_capacity;
    const kci_device_file *file;    /* where shipped figures have their sources */
    const kci_device_file *defaults;    /* of its architecture; NULL: only the general ones */
    /* found out at the seal */
    int serves[KCI_FORMATS];       /* whose matrix roof serves for a format; -1: that of the vector unit */
    bool of_warp[KCI_FORMATS];          /* a matrix instruction is one warp's */
    bool has_vector;                    /* states some vector peak */
    const char *path;                   /* its best matrix instructions */
    bool specialised;                   /* they leave loads and stores to warps of their own */
    bool sealed;
};

/* KC_EARGUMENT where figures may still change; NULL, no device, is KC_OK.  `call` names the question. */
kc_status kci_sealed(const kc_device *device, const char *call);

const char *kci_device_name(const kc_device *device);      /* the id */

/* What the architecture's defaults say of a figure; NAN: nothing.  `source`
 * (may be NULL) gets "assumed" or where the default comes from. */
double kci_device_default(const kc_device *device, const char *path, const char **source);
/* Fills `full`, once `known` is complete. */
void kci_device_fill(kc_device *device);
/* Where a figure comes from: "vendor: …", or "set by the caller". NULL: it is absent. */
const char *kci_device_source(const kc_device *device, const char *path);
/* Why a figure may differ from its formula; NULL: it may not. */
const char *kci_device_exception(const kc_device *device, const char *path);
/* Is `path`, or a group it lies in, one of the words of `list`? */
bool kci_device_listed(const char *list, const char *path);

/* The clock that a matrix peak of this format stands on: f64 and f32 run at
 * `clock`, the narrow formats at `matrix_clock` where there is one. */
double kci_device_clock(const kci_figures *figures, bool matrix, kci_format format);

/* Recomputes every peak and bandwidth, checks ratios between formats and what a
 * core can hold; one line each to `out` (NULL: none).  How many are off by more
 * than 2 % and have no exception in the file. */
size_t kci_device_check(const kc_device *device, kci_text *out);

#endif
