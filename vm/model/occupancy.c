/* occupancy.c: CTAs per core from shared memory, registers, tensor memory, warps and the CTA limit. */
#include "occupancy.h"

#include <math.h>

#include "arith.h"
#include "fit.h"
#include "roof.h"
#include "step.h"

const char *kci_limit_name(kci_limit_of limit)
{
    static const char *const names[KCI_BY_COUNT] = { "shared memory", "registers", "tensor memory", "warps", "CTAs" };
    return names[limit];
}

/* ---- the limits -------------------------------------------------------------------- */

static double by_smem(const kci_figures *f, double smem)
{
    if (smem <= 0)
        return INFINITY;
    double per_cta = isnan(f->smem.per_cta) ? f->smem.per_core - f->smem.reserved : f->smem.per_cta;
    return smem > per_cta ? 0 : kci_floor(f->smem.per_core / (smem + f->smem.reserved));
}

static double rounded_up(double value, double unit)
{
    return kci_ceil(value / unit) * unit;
}

/* Registers of a thread as allocated. */
static double allocated(const kci_figures *f, double registers)
{
    return rounded_up(registers * f->warp, f->registers.unit) / f->warp;
}

/* Warps are dealt to `parts` register files, so the warps that fit are a multiple
 * of `parts`; where one CTA may take only a part of the file, it is so per part.
 * Checked against NVIDIA's calculator: 92 registers and 224 threads leave 20 of 21
 * warps, that is 2 CTAs; 85 registers in a half-file limit 16 warps. */
static double by_registers(const kci_figures *f, double warps, double registers, double allocated)
{
    if (registers > f->registers.per_thread)
        return 0;
    double per_cta = isnan(f->registers.per_cta) ? f->registers.per_core : f->registers.per_cta;
    double window = kci_min(per_cta, f->registers.per_core);
    double fit = kci_floor(window / (allocated * f->warp));
    fit = kci_floor(fit / f->registers.parts) * f->registers.parts;
    double windows = window < f->registers.per_core ? kci_floor(f->registers.per_core / window) : 1;
    return warps > fit ? 0 : kci_floor(fit * windows / warps);
}

static double by_tmem(const kci_figures *f, double tmem)
{
    if (!(tmem > 0) || isnan(f->tmem.per_core))
        return INFINITY;
    double unit = isnan(f->tmem.unit) ? 1 : f->tmem.unit;
    double taken = unit;
    while (taken < tmem && taken < 1e30)
        taken *= 2;
    return kci_floor(f->tmem.per_core / taken);
}

static double by_warps(const kci_figures *f, double warps)
{
    return warps * f->warp > f->max_threads ? 0 : kci_floor(f->max_warps / warps);
}

kci_occupancy kci_occupancy_of(const kci_figures *figures, const kci_cta *cta)
{
    kci_occupancy o = { .limit = KCI_BY_SMEM };
    o.warps = kci_max(1, kci_ceil(cta->threads / figures->warp));
    o.registers = allocated(figures, cta->registers);
    o.smem = cta->smem > 0 ? cta->smem + figures->smem.reserved : 0;
    o.allowed[KCI_BY_SMEM] = by_smem(figures, cta->smem);
    o.allowed[KCI_BY_REGISTERS] = by_registers(figures, o.warps, cta->registers, o.registers);
    o.allowed[KCI_BY_TMEM] = by_tmem(figures, cta->tmem);
    o.allowed[KCI_BY_WARPS] = by_warps(figures, o.warps);
    o.allowed[KCI_BY_CTAS] = figures->max_ctas;
    for (int i = 0; i < KCI_BY_COUNT; i++)
        if (o.allowed[i] < o.allowed[o.limit])
            o.limit = (kci_limit_of)i;
    o.ctas = o.allowed[o.limit];
    return o;
}

double kci_registers_per_thread(double register_bytes, double threads)
{
    return kci_ceil(register_bytes / 4 / threads) + 32;
}

double kci_default_warps(const kci_figures *figures, double register_bytes)
{
    double most = kci_floor(figures->max_threads / figures->warp);
    for (double warps = 4; warps <= most; warps *= 2)
        if (kci_registers_per_thread(register_bytes, warps * figures->warp) <= figures->registers.per_thread)
            return warps;
    return most;
}

/* ---- a kernel on a device ------------------------------------------------------------ */

const char *kci_unstated_limit(const kc_device *device)
{
    const kci_figures *f = &device->full;
    const struct { const char *path; double value; } needed[] = {
        { "cores", f->cores },
        { "clock", f->clock },
        { "smem.per_core", f->smem.per_core },
        { "registers.per_core", f->registers.per_core },
    };
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (isnan(needed[i].value))
            return needed[i].path;
    return NULL;
}

/* Of the 32 registers a thread beside its values: row and elementwise kernels address little and
 * keep no fragments; two CTAs of 1,024 threads fit a core. */
static const double LIGHT = 16;

static double threads_of(const kci_figures *f, const kci_tiling *tiling, double register_bytes)
{
    if (tiling->warps > 0)
        return tiling->warps * f->warp;
    if (tiling->threads > 0)
        return tiling->threads;
    return kci_default_warps(f, register_bytes) * f->warp;
}

/* Rows of a warp group's instruction: below, mma serves. */
static const double GROUP_ROWS = 64;

/* Matmuls that follow each other, as in attention, keep fragments of them all beside their accumulators. */
static bool chains_matmuls(const kci_graph *graph, const kci_counts *counts)
{
    return counts->matmul_count > 1 && kci_latency_chain(graph) > 1;
}

/* Compilers give a chain's threads all the registers that they may have (FlashAttention 2: 255), so
 * far as one CTA fits. */
static double most_registers(const kci_figures *f, double threads)
{
    double unit = kci_max(1, f->registers.unit / f->warp);
    return kci_min(f->registers.per_thread, kci_floor(f->registers.per_core / threads / unit) * unit);
}

/* Specialised warps share out the whole register file (FlashAttention 3: setmaxnreg). */
static void hold_whole_file(kci_occupancy *o)
{
    if (o->ctas <= 1)
        return;
    o->allowed[KCI_BY_REGISTERS] = o->ctas = 1;
    o->limit = KCI_BY_REGISTERS;
}

kc_status kci_occupancy_find(const kci_graph *graph, const kci_tiling *tiling, const kci_counts *counts,
                             const double *sizes, const kc_device *device, bool quiet, kci_occupancy *out)
{
    const char *unstated = kci_unstated_limit(device);
    if (unstated)
        return kci_fail(device->base.context, KC_EDEVICE,
                        "%s: a tiled kernel needs %s, which the device does not state; untiled it runs",
                        kci_device_name(device), unstated);
    const kci_figures *f = &device->full;
    bool has_tmem = !isnan(f->tmem.per_core);
    double tmem = has_tmem ? counts->accumulator_bytes : 0;
    double register_bytes = kci_max(0, counts->register_bytes - tmem);
    kci_cta cta = { .threads = threads_of(f, tiling, register_bytes), .smem = counts->smem, .tmem = tmem };
    cta.registers = kci_registers_per_thread(register_bytes, cta.threads);
    if (counts->matmul_count == 0)
        cta.registers = kci_max(1, cta.registers - LIGHT);
    bool chained = chains_matmuls(graph, counts);
    if (chained)
        cta.registers = kci_max(cta.registers, most_registers(f, cta.threads));
    *out = kci_occupancy_of(f, &cta);
    if (chained && counts->matmuls[0].m >= GROUP_ROWS && kci_path_specialised(device, tiling->path))
        hold_whole_file(out);
    if (out->ctas >= 1)
        return KC_OK;
    if (quiet)
        return KC_EDEVICE;
    kci_misfit misfit = { graph, tiling, counts, sizes, device, &cta, out, register_bytes };
    return kci_fit_message(&misfit);
}
