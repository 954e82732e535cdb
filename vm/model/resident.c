/* resident.c: how many CTAs a core holds, as a question of its own: kc_occupancy. Design, section 5. */
#include <math.h>
#include <string.h>

#include "occupancy.h"

/* ---- the CTA, by name --------------------------------------------------------------------- */

typedef enum part { THREADS, REGISTERS, SMEM, TMEM, STAGE, STAGES, KEEP, PARTS } part;
static const char *const names[] = { "threads", "registers", "smem", "tmem", "stage", "stages", "keep", NULL };

typedef struct question {
    const kci_figures *f;
    double of[PARTS];
    kci_cta cta;                    /* smem with its stages */
    kci_occupancy answer;
} question;

static const char *nth(const void *unused, size_t i)
{
    (void)unused;
    return names[i];
}

static kc_status set_part(kc_context *context, question *q, const kc_size *given)
{
    int i = 0;
    while (names[i] && (!given->dim || strcmp(names[i], given->dim) != 0))
        i++;
    const char *word = given->dim ? given->dim : "";
    if (!names[i])
        return kci_fail(context, KC_EARGUMENT, "occupancy: a CTA has no '%.80s'%s (threads, registers, smem, tmem, "
                        "stage, stages, keep)", word, kci_nearest(context, word, nth, NULL));
    bool may_be_zero = i != THREADS && i != STAGES && i != KEEP;
    double value = given->size;
    if (!(value >= (may_be_zero ? 0 : 1)) || value >= KCI_MAX_SIZE || floor(value) != value)
        return kci_fail(context, KC_EARGUMENT, "occupancy: %s must be a whole number of at least %d", names[i],
                        !may_be_zero);
    q->of[i] = value;
    return KC_OK;
}

static kc_status check_device(const kc_device *device)
{
    const kci_figures *f = &device->full;
    if (!isnan(f->smem.per_core) && !isnan(f->registers.per_core))
        return KC_OK;
    return kci_fail(device->base.context, KC_EDEVICE, "occupancy: %s does not state %s", kci_device_name(device),
                    isnan(f->smem.per_core) ? "smem.per_core" : "registers.per_core");
}

static kc_status ask(const kc_device *device, const kc_size *cta, size_t count, question *q)
{
    if (!device)
        return KC_EARGUMENT;
    kc_context *context = device->base.context;
    *q = (question){ .f = &device->full, .of = { [STAGES] = 1, [KEEP] = 1 } };
    kc_status status = check_device(device);
    if (status == KC_OK && !kci_array_given(context, "occupancy", "cta", cta, count))
        status = KC_EARGUMENT;
    for (size_t i = 0; i < count && status == KC_OK; i++)
        status = set_part(context, q, &cta[i]);
    if (status == KC_OK && q->of[THREADS] == 0)
        status = kci_fail(context, KC_EARGUMENT, "occupancy: threads is missing: how many a CTA has");
    if (status != KC_OK)
        return status;
    q->cta = (kci_cta){ q->of[THREADS], q->of[REGISTERS], q->of[SMEM] + q->of[STAGES] * q->of[STAGE], q->of[TMEM] };
    q->answer = kci_occupancy_of(q->f, &q->cta);
    return KC_OK;
}

/* ---- what keeps n CTAs ---------------------------------------------------------------------- */

/* Do the limits but one leave room for as many as are to stay? */
static bool others_keep(const question *q, kci_limit_of but)
{
    for (int i = 0; i < KCI_BY_COUNT; i++)
        if (i != (int)but && q->answer.allowed[i] < q->of[KEEP])
            return false;
    return true;
}

/* The most shared memory of a CTA: per_core / n, less what is reserved, at most per_cta. */
static double most_smem(const question *q)
{
    const kci_figures *f = q->f;
    double per_cta = isnan(f->smem.per_cta) ? f->smem.per_core - f->smem.reserved : f->smem.per_cta;
    return fmax(0, fmin(per_cta, floor(f->smem.per_core / q->of[KEEP]) - f->smem.reserved));
}

/* By trying halves: units and register files make the rule uneven, but more registers never allow more CTAs. */
static double most_registers(const question *q)
{
    kci_cta cta = q->cta;
    double keeps = 0, too_many = floor(fmin(q->f->registers.per_thread, KCI_MAX_SIZE - 1)) + 1;
    while (too_many - keeps > 1) {
        cta.registers = floor(keeps + (too_many - keeps) / 2);
        if (kci_occupancy_of(q->f, &cta).allowed[KCI_BY_REGISTERS] >= q->of[KEEP])
            keeps = cta.registers;
        else
            too_many = cta.registers;
    }
    return keeps;
}

/* ---- figures ---------------------------------------------------------------------------------- */

/* NAN: it does not apply. */
static double maximum(const question *q, kc_occupancy_figure figure)
{
    kci_limit_of limit = figure == KC_MAX_REGISTERS ? KCI_BY_REGISTERS : KCI_BY_SMEM;
    if (!others_keep(q, limit))
        return NAN;
    double room = fmax(0, most_smem(q) - q->of[SMEM]);
    switch (figure) {
    case KC_MAX_SMEM: return most_smem(q);
    case KC_MAX_REGISTERS: return most_registers(q);
    case KC_MAX_STAGES: return q->of[STAGE] > 0 ? floor(room / q->of[STAGE]) : NAN;
    default: return floor(room / q->of[STAGES]);
    }
}

static double figure_of(const question *q, kc_occupancy_figure figure)
{
    const kci_occupancy *o = &q->answer;
    switch (figure) {
    case KC_OCCUPANCY_CTAS: return o->ctas;
    case KC_OCCUPANCY_WARPS: return o->ctas * o->warps;
    case KC_OCCUPANCY_SHARE: return o->ctas * o->warps / q->f->max_warps;
    case KC_OCCUPANCY_CTA_WARPS: return o->warps;
    case KC_OCCUPANCY_REGISTERS: return q->of[REGISTERS] > 0 ? o->registers : NAN;
    case KC_OCCUPANCY_SMEM: return o->smem;
    case KC_ALLOWED_SMEM: return o->allowed[KCI_BY_SMEM];
    case KC_ALLOWED_REGISTERS: return q->of[REGISTERS] > 0 ? o->allowed[KCI_BY_REGISTERS] : NAN;
    case KC_ALLOWED_TMEM: return o->allowed[KCI_BY_TMEM];
    case KC_ALLOWED_WARPS: return o->allowed[KCI_BY_WARPS];
    case KC_ALLOWED_CTAS: return o->allowed[KCI_BY_CTAS];
    default: return maximum(q, figure);
    }
}

static const char *const figure_names[KC_OCCUPANCY_COUNT] = {
    [KC_OCCUPANCY_CTAS] = "ctas",           [KC_OCCUPANCY_WARPS] = "warps",
    [KC_OCCUPANCY_SHARE] = "share",         [KC_OCCUPANCY_CTA_WARPS] = "cta_warps",
    [KC_OCCUPANCY_REGISTERS] = "registers", [KC_OCCUPANCY_SMEM] = "smem",
    [KC_ALLOWED_SMEM] = "allowed.smem",     [KC_ALLOWED_REGISTERS] = "allowed.registers",
    [KC_ALLOWED_TMEM] = "allowed.tmem",     [KC_ALLOWED_WARPS] = "allowed.warps",
    [KC_ALLOWED_CTAS] = "allowed.ctas",     [KC_MAX_SMEM] = "max.smem",
    [KC_MAX_REGISTERS] = "max.registers",   [KC_MAX_STAGES] = "max.stages",
    [KC_MAX_STAGE] = "max.stage",
};

const char *kc_occupancy_name(kc_occupancy_figure figure)
{
    return figure >= 0 && figure < KC_OCCUPANCY_COUNT ? figure_names[figure] : NULL;
}

kc_status kc_occupancy(const kc_device *device, const kc_size *cta, size_t count, kc_occupancy_figure figure,
                       double *value)
{
    question q;
    kc_status status = ask(device, cta, count, &q);
    if (status != KC_OK)
        return status;
    double number = figure >= 0 && figure < KC_OCCUPANCY_COUNT ? figure_of(&q, figure) : NAN;
    if (!isfinite(number))
        return kci_fail(device->base.context, KC_EARGUMENT, "occupancy: %s does not apply",
                        kc_occupancy_name(figure) ? kc_occupancy_name(figure) : "the figure");
    if (value)
        *value = number;
    return KC_OK;
}

const char *kc_occupancy_limit(const kc_device *device, const kc_size *cta, size_t count)
{
    question q;
    return ask(device, cta, count, &q) == KC_OK ? kci_limit_name(q.answer.limit) : NULL;
}
