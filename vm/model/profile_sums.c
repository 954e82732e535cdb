/* profile_sums.c: the launch at hand, what is kept of it, and what of the export was not used. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile.h"

/* ---- what was not used ------------------------------------------------------------------------- */

static bool is_unused(const void *data, uint32_t id)
{
    const kci_p_unused *const *pair = data, *sought = pair[0];
    const kci_p_unused *unused = &pair[1][id];
    return strcmp(unused->why, sought->why) == 0 && strcmp(unused->what, sought->what) == 0;
}

kc_status kci_unused_add(kc_profile *p, const char *what, const char *why, double rows)
{
    kc_context *context = p->object.context;
    uint64_t hash = kci_hash(0, what, strlen(what)) ^ kci_hash(1, why, strlen(why));
    union {
        char *text;
        const char *given;
    } words = { .given = what };
    const kci_p_unused sought = { words.text, why, 0 }, *pair[] = { &sought, p->unused };
    uint32_t id = kci_table_find(&p->unused_table, hash, is_unused, pair);
    if (id != UINT32_MAX) {
        p->unused[id].rows += rows;
        return KC_OK;
    }
    if (p->unused_count == KCI_P_UNUSED) {
        p->unused_more += rows;
        return KC_OK;
    }
    if (!kci_reserve(context, &p->unused, &p->unused_capacity, p->unused_count + 1, sizeof *p->unused))
        return KC_ENOMEM;
    char *copy = kci_copy_text(context, what);
    if (!copy || !kci_table_add(context, &p->unused_table, hash, (uint32_t)p->unused_count)) {
        kci_free_text(context, copy);
        return KC_ENOMEM;
    }
    p->unused[p->unused_count++] = (kci_p_unused){ copy, why, rows };
    return KC_OK;
}

/* ---- kernels --------------------------------------------------------------------------------------- */

static bool same_extent(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool is_kernel(const void *data, uint32_t id)
{
    const kc_profile *p = data;
    const kci_p_kernel *kernel = &p->kernels[id];
    return strcmp(kernel->name, p->launch.name.bytes) == 0 && same_extent(kernel->grid, p->launch.grid) &&
           same_extent(kernel->block, p->launch.block);
}

static void free_kernel(kc_profile *p, kci_p_kernel *kernel)
{
    kci_free_text(p->object.context, kernel->name);
    kci_free(p->object.context, kernel->sum, 4 * p->metrics.figure_count * sizeof *kernel->sum);
}

/* The number of the open launch's kernel; UINT32_MAX: there are too many, or *status says that there is no memory. */
static uint32_t kernel_of(kc_profile *p, kc_status *status)
{
    kc_context *context = p->object.context;
    const kci_p_open *launch = &p->launch;
    uint64_t hash = kci_hash(0, launch->name.bytes, launch->name.length);
    hash = kci_hash(hash, launch->grid, sizeof launch->grid) ^ kci_hash(hash, launch->block, sizeof launch->block);
    uint32_t id = kci_table_find(&p->kernel_table, hash, is_kernel, p);
    if (id != UINT32_MAX || p->kernel_count == KCI_P_KERNELS)
        return id;
    *status = KC_ENOMEM;
    if (!kci_reserve(context, &p->kernels, &p->kernel_capacity, p->kernel_count + 1, sizeof *p->kernels))
        return UINT32_MAX;
    size_t figures = p->metrics.figure_count;
    kci_p_kernel kernel = { .name = kci_copy_text(context, launch->name.bytes) };
    kernel.sum = kernel.name ? kci_alloc(context, 4 * figures * sizeof *kernel.sum) : NULL;
    if (!kernel.sum || !kci_table_add(context, &p->kernel_table, hash, (uint32_t)p->kernel_count)) {
        free_kernel(p, &kernel);
        return UINT32_MAX;
    }
    kernel.weight = kernel.sum + figures;
    kernel.least = kernel.weight + figures;
    kernel.most = kernel.least + figures;
    memcpy(kernel.grid, launch->grid, sizeof kernel.grid);
    memcpy(kernel.block, launch->block, sizeof kernel.block);
    *status = KC_OK;
    p->kernels[p->kernel_count] = kernel;
    return (uint32_t)p->kernel_count++;
}

static void add_figures(kci_p_kernel *kernel, const double *figures, size_t count, double weight)
{
    kernel->launches += weight;
    for (size_t f = 0; f < count; f++) {
        double value = figures[f];
        if (isnan(value))
            continue;
        bool first = kernel->weight[f] == 0;
        kernel->sum[f] += value * weight;
        kernel->weight[f] += weight;
        kernel->least[f] = first || value < kernel->least[f] ? value : kernel->least[f];
        kernel->most[f] = first || value > kernel->most[f] ? value : kernel->most[f];
    }
}

static kc_status keep(kc_profile *p, uint32_t kernel, const double *figures)
{
    kc_context *context = p->object.context;
    size_t size = p->metrics.figure_count * sizeof *figures;
    if (p->kept_count == p->keep)
        return KC_OK;
    if (!kci_reserve(context, &p->kept, &p->kept_capacity, p->kept_count + 1, sizeof *p->kept))
        return KC_ENOMEM;
    double *copy = kci_alloc(context, size);
    if (!copy)
        return KC_ENOMEM;
    memcpy(copy, figures, size);
    p->kept[p->kept_count++] = (kci_p_launch){ kernel, copy };
    return KC_OK;
}

/* ---- the launch at hand -------------------------------------------------------------------------------- */

kc_status kci_launch_begin(kc_profile *p, const char *name)
{
    kc_status status = kci_launch_end(p);
    kci_p_open *launch = &p->launch;
    launch->name.length = 0;
    kci_text_add(&launch->name, name);
    launch->open = true;
    launch->weight = 1;
    launch->ranged = false;
    memset(launch->grid, 0, sizeof launch->grid);
    memset(launch->block, 0, sizeof launch->block);
    return status != KC_OK ? status : launch->name.failed ? KC_ENOMEM : KC_OK;
}

void kci_launch_set(kc_profile *p, uint16_t source, int which, double value)
{
    kci_p_open *launch = &p->launch;
    if (!p->metrics.live[source]) {
        p->metrics.live[source] = true;
        p->metrics.stale = true;
    }
    if (isnan(launch->raw[0][source]) && isnan(launch->raw[1][source]) && isnan(launch->raw[2][source]))
        launch->touched[launch->count++] = source;
    launch->raw[which][source] = value;
    launch->ranged = launch->ranged || which > 0;
}

static double product(const double extent[3])
{
    return extent[0] * extent[1] * extent[2];
}

/* Work-items become CTAs. */
static void ctas_of_items(kc_profile *p)
{
    kci_p_open *launch = &p->launch;
    for (int i = 0; i < 3 && p->header.items; i++)
        launch->grid[i] = launch->block[i] > 0 ? ceil(launch->grid[i] / launch->block[i]) : 0;
}

/* Figures of the launch, and the least and the longest time of a summary. */
static void figures_of(kc_profile *p, double *figures, double *shortest, double *longest)
{
    kci_p_open *launch = &p->launch;
    for (size_t f = 0; f < p->metrics.figure_count; f++)
        figures[f] = NAN;
    if (product(launch->grid) > 0)
        figures[KCI_P_CTAS] = product(launch->grid);
    if (product(launch->block) > 0)
        figures[KCI_P_THREADS] = product(launch->block);
    kci_metrics_figures(&p->metrics, launch->raw[0], launch->capability, figures);
    *shortest = *longest = figures[KCI_P_TIME];
    if (!launch->ranged)
        return;
    double least = kci_metrics_figure(&p->metrics, launch->raw[1], launch->capability, KCI_P_TIME);
    double most = kci_metrics_figure(&p->metrics, launch->raw[2], launch->capability, KCI_P_TIME);
    *shortest = isnan(least) ? *shortest : least;
    *longest = isnan(most) ? *longest : most;
}

static kc_status add_launch(kc_profile *p)
{
    kci_p_open *launch = &p->launch;
    double figures[KCI_P_FIGURES], shortest, longest;
    kc_status status = KC_OK;
    ctas_of_items(p);
    figures_of(p, figures, &shortest, &longest);
    uint32_t kernel = kernel_of(p, &status);
    p->launches += launch->weight;
    if (kernel == UINT32_MAX) {
        p->kernel_launches_lost += launch->weight;
        return status;
    }
    kci_p_kernel *sums = &p->kernels[kernel];
    add_figures(sums, figures, p->metrics.figure_count, launch->weight);
    if (!isnan(shortest)) {
        sums->least[KCI_P_TIME] = fmin(sums->least[KCI_P_TIME], shortest);
        sums->most[KCI_P_TIME] = fmax(sums->most[KCI_P_TIME], longest);
    }
    bool summary = launch->ranged || p->header.at[KCI_C_CALLS] > 0; /* it has no launches */
    return summary ? KC_OK : keep(p, kernel, figures);
}

kc_status kci_launch_end(kc_profile *p)
{
    kci_p_open *launch = &p->launch;
    if (!launch->open)
        return KC_OK;
    kc_status status = launch->count > 0 ? add_launch(p)
                                         : kci_unused_add(p, launch->name.bytes, "a row without a figure that is known", 1);
    for (size_t i = 0; i < launch->count; i++)
        for (int which = 0; which < 3; which++)
            launch->raw[which][launch->touched[i]] = NAN;
    launch->count = 0;
    launch->open = false;
    return status;
}

void kci_sums_free(kc_profile *p)
{
    kc_context *context = p->object.context;
    for (size_t i = 0; i < p->kernel_count; i++)
        free_kernel(p, &p->kernels[i]);
    for (size_t i = 0; i < p->kept_count; i++)
        kci_free(context, p->kept[i].figures, p->metrics.figure_count * sizeof(double));
    for (size_t i = 0; i < p->unused_count; i++)
        kci_free_text(context, p->unused[i].what);
    kci_free(context, p->kernels, p->kernel_capacity * sizeof *p->kernels);
    kci_free(context, p->kept, p->kept_capacity * sizeof *p->kept);
    kci_free(context, p->unused, p->unused_capacity * sizeof *p->unused);
    kci_table_free(context, &p->kernel_table);
    kci_table_free(context, &p->unused_table);
    kci_text_free(&p->launch.name);
    kci_text_free(&p->launch.key);
}
