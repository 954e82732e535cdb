/* assumed.c: what an evaluation assumed about its device, in sentences. Design, section 5. */
#include "assumed.h"

#include <math.h>
#include <string.h>

#include "roof.h"

static double figure_at(const kci_figures *figures, size_t place)
{
    return *(const double *)(const void *)((const char *)figures + place * sizeof(double));
}

/* What every time stands on, and what a tiled kernel's does beside. */
static const char *const always[] = { "sustained.hbm" };
static const char *const when_tiled[] = {
    "overlap", "hbm.latency", "hbm.sector", "l2.bandwidth", "l2.latency", "l2.per_core", "l2.parts",
    "smem.reserved", "smem.bandwidth", "registers.per_thread", "registers.unit", "registers.parts", "warp",
    "max_warps", "max_ctas", "max_threads", "sustained.l2", "sustained.smem",
};

typedef struct listing {
    const kc_device *device;
    kci_text text;
} listing;

static void add(listing *l, const char *path)
{
    const kci_figure_row *row = kci_figure_find(path);
    double value = row ? figure_at(&l->device->full, row->place) : NAN;
    if (isnan(value) || !isnan(figure_at(&l->device->known, row->place)))
        return;
    kci_text_format(&l->text, "%s%s = ", l->text.length ? ", " : "", row->path);
    kci_text_number(&l->text, value);
}

/* Its share, or what power pays for. */
static void add_vector_share(listing *l)
{
    const kci_figures *f = &l->device->full;
    bool limited = f->sustained.vector * f->vector[KCI_F32] * f->energy.vector >= f->tdp * (1 - 1e-9);
    add(l, limited ? "energy.vector" : "sustained.vector");
}

static void add_share(listing *l, const kci_compute_roof *roof)
{
    char path[40] = "sustained.matrix.";
    const char *name = roof->format == KCI_F8E4M3 ? "f8" : kci_format_name(roof->format);
    memcpy(path + strlen(path), name, strlen(name) + 1);
    if (roof->unit == KCI_VECTOR)
        add_vector_share(l);
    else
        add(l, path);
}

static void add_shares(listing *l, const kci_counts *counts)
{
    for (int f = 0; f < KCI_FORMATS; f++) {
        kci_compute_roof roof;
        if (counts->executed_matrix[f] > 0 && kci_matrix_roof(l->device, (kci_format)f, false, &roof, NULL) == KC_OK)
            add_share(l, &roof);
    }
    if (counts->executed_vector[0] + counts->executed_vector[1] > 0)
        add_vector_share(l);
    if (counts->executed_special > 0) {
        add(l, "special");
        add(l, "sustained.special");
    }
}

static void add_launch(listing *l, const kci_counts *counts, bool tiled, kci_regime regime)
{
    if (regime == KCI_STREAM)
        add(l, "launch.stream");
    else if (regime == KCI_GRAPH)
        add(l, "launch.graph");
    else if (regime == KCI_EAGER)
        add(l, "launch.eager");
    if (tiled)
        add(l, counts->matmul_count > 0 ? "launch.fixed" : "launch.light");
}

static kc_status note_defaults(const kc_device *device, const kci_counts *counts, bool tiled, bool comm,
                               kci_regime regime, kci_notes *notes)
{
    listing l = { device, { .context = notes->context } };
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        add(&l, always[i]);
    for (size_t i = 0; tiled && i < sizeof when_tiled / sizeof when_tiled[0]; i++)
        add(&l, when_tiled[i]);
    if (comm) {
        add(&l, "link.latency");
        add(&l, "sustained.link");
        add(&l, "link.fixed");
    }
    add_shares(&l, counts);
    add_launch(&l, counts, tiled, regime);
    kc_status status = l.text.failed ? KC_ENOMEM : KC_OK;
    if (status == KC_OK && l.text.length)
        status = kci_note(notes, "assumed, as %s does not state them: %s (defaults of %s)", kci_device_name(device),
                          l.text.bytes, device->defaults ? device->defaults->id : "every architecture");
    kci_text_free(&l.text);
    return status;
}

/* "h100-sxm5 is changed: hbm.bandwidth, cores" */
static kc_status note_changes(const kc_device *device, kci_notes *notes)
{
    if (!device->file)
        return KC_OK;
    kci_text text = { .context = notes->context };
    for (size_t r = 0; r < kci_figure_row_count; r++) {
        const kci_figure_row *row = &kci_figure_rows[r];
        if (row->rule & KCI_IS_TEXT)
            continue;
        if (device->origin[row->place] == KCI_ABSENT || device->origin[row->place] == KCI_SHIPPED)
            continue;
        kci_text_format(&text, "%s%s = ", text.length ? ", " : "", row->path);
        kci_text_number(&text, figure_at(&device->known, row->place));
    }
    kc_status status = text.failed ? KC_ENOMEM : KC_OK;
    if (status == KC_OK && text.length)
        status = kci_note(notes, "not the shipped %s: %s", device->file->id, text.bytes);
    kci_text_free(&text);
    return status;
}

kc_status kci_note_device(const kc_device *device, const kci_counts *counts, bool tiled, bool comm, kci_regime regime,
                          kci_notes *notes)
{
    if (!notes)
        return KC_OK;
    kc_status status = KC_OK;
    if (device->asked)
        status = kci_note(notes, "device %s means %s", device->asked, device->texts[KCI_TEXT_NAME]);
    if (status == KC_OK)
        status = note_changes(device, notes);
    if (status == KC_OK)
        status = note_defaults(device, counts, tiled, comm, regime, notes);
    return status;
}
