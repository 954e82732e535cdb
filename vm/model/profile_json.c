/* profile_json.c: a profile as JSON: its launches, its kernels, what was not used. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "profile.h"

static void member_text(kci_json_paths *paths, const char *path, const char *string)
{
    kci_json_key(paths, path);
    kci_json_string(paths->text, string, strlen(string));
}

static void member_number(kci_json_paths *paths, const char *path, double number)
{
    kci_json_key(paths, path);
    kci_text_number(paths->text, number);
}

static void member_extent(kci_json_paths *paths, const char *path, const double extent[3])
{
    if (!(extent[0] * extent[1] * extent[2] > 0))
        return;
    kci_json_key(paths, path);
    for (int i = 0; i < 3; i++) {
        kci_text_add(paths->text, i ? "," : "[");
        kci_text_number(paths->text, extent[i]);
    }
    kci_text_add(paths->text, "]");
}

static void add_head(kci_json_paths *paths, const kci_p_kernel *kernel)
{
    member_text(paths, "name", kernel->name);
    member_extent(paths, "grid", kernel->grid);
    member_extent(paths, "block", kernel->block);
}

static void add_launch(kci_text *text, const kc_profile *p, const kci_p_launch *launch)
{
    kci_json_paths paths;
    kci_json_begin(&paths, text);
    add_head(&paths, &p->kernels[launch->kernel]);
    for (size_t f = 0; f < p->metrics.figure_count; f++)
        if (!isnan(launch->figures[f]) && p->metrics.figures[f][0] != '_')
            member_number(&paths, p->metrics.figures[f], launch->figures[f]);
    kci_json_end(&paths);
}

/* Values that no measurement can have are said, and left as they are. */
static void add_flags(kci_json_paths *paths, const kc_profile *p, const kci_p_kernel *kernel)
{
    bool any = false;
    for (size_t f = 0; f < p->metrics.figure_count; f++) {
        char sentence[160] = "";
        if (kernel->weight[f] == 0 || p->metrics.figures[f][0] == '_')
            continue;
        if (kernel->least[f] < 0)
            snprintf(sentence, sizeof sentence, "%s is below 0", p->metrics.figures[f]);
        else if (p->metrics.share[f] && kernel->most[f] > 1)
            snprintf(sentence, sizeof sentence, "%s is %.1f %%, above 100 %%", p->metrics.figures[f], 100 * kernel->most[f]);
        else if (f == KCI_P_TIME && kernel->least[f] == 0)
            snprintf(sentence, sizeof sentence, "%s is 0", p->metrics.figures[f]);
        if (!*sentence)
            continue;
        if (!any)
            kci_json_key(paths, "flags");
        kci_text_add(paths->text, any ? "," : "[");
        kci_json_string(paths->text, sentence, strlen(sentence));
        any = true;
    }
    if (any)
        kci_text_add(paths->text, "]");
}

static void add_kernel(kci_text *text, const kc_profile *p, const kci_p_kernel *kernel)
{
    kci_json_paths paths;
    kci_json_begin(&paths, text);
    add_head(&paths, kernel);
    member_number(&paths, "launches", kernel->launches);
    for (size_t f = 0; f < p->metrics.figure_count; f++) {
        if (kernel->weight[f] == 0 || p->metrics.figures[f][0] == '_')
            continue;
        double mean = kernel->least[f] == kernel->most[f] ? kernel->least[f] : kernel->sum[f] / kernel->weight[f];
        member_number(&paths, p->metrics.figures[f], mean);
        if (f == KCI_P_TIME) {
            member_number(&paths, "time_min_measured", kernel->least[f]);
            member_number(&paths, "time_max_measured", kernel->most[f]);
        }
    }
    add_flags(&paths, p, kernel);
    kci_json_end(&paths);
}

static void add_unused(kci_text *text, const char *what, const char *why, double rows)
{
    kci_json_paths paths;
    kci_json_begin(&paths, text);
    member_text(&paths, "what", what);
    member_text(&paths, "why", why);
    member_number(&paths, "rows", rows);
    kci_json_end(&paths);
}

static void add_all_unused(kci_text *text, const kc_profile *p)
{
    kci_text_add(text, "[");
    for (size_t i = 0; i < p->unused_count; i++) {
        kci_text_add(text, i ? "," : "");
        add_unused(text, p->unused[i].what, p->unused[i].why, p->unused[i].rows);
    }
    if (p->unused_more > 0) {
        kci_text_add(text, ",");
        add_unused(text, "other things", "more than are listed", p->unused_more);
    }
    kci_text_add(text, "]");
}

/* ---- notes ------------------------------------------------------------------------------------------ */

static void add_note(kci_text *text, bool *any, const char *sentence)
{
    kci_text_add(text, *any ? "," : "");
    kci_json_string(text, sentence, strlen(sentence));
    *any = true;
}

static void add_notes(kci_text *text, const kc_profile *p)
{
    char sentence[200];
    const char *note;
    bool any = false;
    kci_text_add(text, "[");
    if (p->cut && p->json)
        add_note(text, &any, "the trace ends inside an event: it is cut off");
    else if (p->cut)
        add_note(text, &any, "the last row ends inside a quote: it is cut off, and was not used");
    else if (p->unended && !p->json)
        add_note(text, &any, "the last row has no line end: if it is cut off, its last figure is wrong");
    for (size_t i = 0; (note = kci_metrics_note(&p->metrics, i)) != NULL; i++)
        add_note(text, &any, note);
    if (p->header.counters && kci_metrics_counts(&p->metrics) && !kci_metrics_sees_matrix(&p->metrics))
        add_note(text, &any, "no counter of the matrix unit is in the export: work of tensor cores is invisible in it; collect "
                 "sm__ops_path_tensor_src_* or sm__pipe_tensor_cycles_active (ROCm: SQ_INSTS_VALU_MFMA_MOPS_*)");
    if (p->kernel_launches_lost > 0) {
        snprintf(sentence, sizeof sentence, "%.0f launches are of kernels beyond the first %d, and were not used",
                 p->kernel_launches_lost, KCI_P_KERNELS);
        add_note(text, &any, sentence);
    }
    kci_text_add(text, "]");
}

kc_status kci_profile_json(kci_text *text, kc_profile *p)
{
    kci_json_paths paths;
    if (!p->ended || p->failed)
        return kci_fail(p->object.context, KC_EARGUMENT, "json: the profile has not been read to its end");
    kci_json_begin(&paths, text);
    member_text(&paths, "kind", "profile");
    member_text(&paths, "form", p->header.form ? p->header.form : "");
    member_number(&paths, "rows", p->rows);
    kci_json_key(&paths, "kernels");
    for (size_t i = 0; i < p->kernel_count; i++) {
        kci_text_add(text, i ? "," : "[");
        add_kernel(text, p, &p->kernels[i]);
    }
    kci_text_add(text, p->kernel_count ? "]" : "[]");
    member_number(&paths, "launch_count", p->launches);
    kci_json_key(&paths, "launches");
    for (size_t i = 0; i < p->kept_count; i++) {
        kci_text_add(text, i ? "," : "[");
        add_launch(text, p, &p->kept[i]);
    }
    kci_text_add(text, p->kept_count ? "]" : "[]");
    kci_json_key(&paths, "unused");
    add_all_unused(text, p);
    kci_json_key(&paths, "notes");
    add_notes(text, p);
    kci_json_end(&paths);
    return text->failed ? KC_ENOMEM : KC_OK;
}
