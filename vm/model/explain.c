/* explain.c: a result in sentences: where its time goes, what each byte is for, what would help. Section 2.3. */
#include <math.h>
#include <string.h>

#include "advice.h"
#include "ask.h"
#include "device.h"
#include "kernel.h"
#include "occupancy.h"
#include "program.h"
#include "sensitivity.h"
#include "si.h"

enum { MOST_ROWS = 12 };            /* tensors and kernels that are named; the rest is summed up */

typedef struct page {
    const kc_result *r;
    kci_text text;
} page;

static double number(const kc_result *r, kc_field field)
{
    return r->has[field] ? r->field[field] : 0;
}

static void add(page *p, const char *words)
{
    kci_text_add(&p->text, words);
}

static void add_amount(page *p, double value, const char *unit)
{
    char amount[KCI_SI_BYTES];
    kci_si(amount, value, unit);
    add(p, amount);
}

static void add_digits(page *p, double value, int digits)
{
    char text[KCI_SI_BYTES];
    kci_significant(text, value, digits);
    add(p, text);
}

static void add_percent(page *p, double share)
{
    add_digits(p, 100 * share, 2);
    add(p, " %");
}

/* ---- the time ---------------------------------------------------------------------------------- */

static const struct { const char *name, *words; } binders[] = {
    { "matrix", "the matrix units bind" },
    { "vector", "the vector units bind" },
    { "special", "the special units (exp, rsqrt and the like) bind" },
    { "smem", "the bandwidth of shared memory binds" },
    { "l2", "the bandwidth of L2 binds" },
    { "hbm", "the bandwidth of HBM binds" },
    { "link", "the link between devices binds" },
    { "launch", "launching binds" },
    { "fill", "latency before the first step binds" },
    { "drain", "the last step and its store bind" },
    { "latency", "latency binds: too few bytes are under way to fill the memory's bandwidth" },
};

static const char *binder(const char *bound)
{
    for (size_t i = 0; i < sizeof binders / sizeof *binders; i++)
        if (strcmp(binders[i].name, bound) == 0)
            return binders[i].words;
    return bound;
}

static void say_head(page *p)
{
    const kc_result *r = p->r;
    add(p, r->name);
    if (!r->has[KC_TIME]) {
        add(p, " is counted without a device, so it has no time.\n");
        return;
    }
    kci_text_format(&p->text, " on %s takes ", r->device);
    add_amount(p, r->field[KC_TIME], "s");
    if (r->bound)
        kci_text_format(&p->text, ". It is %s: %s%s", r->class_name, binder(r->bound),
                        r->kernel_count ? ", in its longest kernel" : "");
    add(p, ".\nThe plain roofline allows ");
    add_amount(p, number(r, KC_ROOF_TIME), "s");
    add(p, ", so ");
    add_percent(p, number(r, KC_ROOF_TIME) / r->field[KC_TIME]);
    add(p, " of it is reached; with nothing overlapped or shared it would take ");
    add_amount(p, number(r, KC_SERIAL_TIME), "s");
    add(p, ".\n");
}

typedef struct piece { kc_field field; const char *words; } piece;

static void say_seconds(page *p, double seconds, const char *words)
{
    if (!(seconds > 0))
        return;
    add(p, "  ");
    add_amount(p, seconds, "s");
    add(p, " (");
    add_percent(p, seconds / p->r->field[KC_TIME]);
    kci_text_format(&p->text, ") %s\n", words);
}

/* What the roofs do not explain: their overlap is not whole, and rows of CTAs begin and end. */
static void say_beyond(page *p, double longest)
{
    static const piece ends[] = {
        { KC_TIME_LAUNCH, "to launch" },
        { KC_TIME_FILL, "before first steps, until their tile is there" },
        { KC_TIME_DRAIN, "after last loads: the last tile's work and its store" },
    };
    double time = p->r->field[KC_TIME], beyond = time - longest, rest = beyond;
    if (!(beyond > 0))
        return;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        rest -= number(p->r, ends[i].field);
    add(p, "Beyond the longest of these, ");
    add_amount(p, beyond, "s");
    add(p, " (");
    add_percent(p, beyond / time);
    add(p, rest < -0.005 * beyond ? "). These run partly beside it, so they are more together:\n" : "):\n");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        say_seconds(p, number(p->r, ends[i].field), ends[i].words);
    if (rest > 0.005 * beyond)
        say_seconds(p, rest, p->r->kernel_count ? "in kernels that another roof binds, and in waiting"
                                                : "in steps where the longest roof waits for the others");
}

static void say_parts(page *p)
{
    static const piece roofs[] = {
        { KC_TIME_MATRIX, "of matrix work" },           { KC_TIME_VECTOR, "of vector work" },
        { KC_TIME_SPECIAL, "of special work" },         { KC_TIME_SMEM, "of shared-memory traffic" },
        { KC_TIME_L2, "of L2 traffic" },                { KC_TIME_HBM, "of HBM traffic" },
        { KC_TIME_LINK, "of traffic between devices" },
    };
    double longest = 0;
    add(p, "\nWhere the time goes. Each roof alone, at its sustained rate:\n");
    for (size_t i = 0; i < sizeof roofs / sizeof *roofs; i++) {
        say_seconds(p, number(p->r, roofs[i].field), roofs[i].words);
        longest = fmax(longest, number(p->r, roofs[i].field));
    }
    say_beyond(p, longest);
}

static bool overlaps(const kc_result *r)
{
    return r->x && r->x->kind == KC_PROGRAM && kci_program_overlaps((const kc_program *)(const void *)r->x);
}

static void say_kernels(page *p)
{
    const kc_result *r = p->r;
    size_t shown = r->kernel_count < MOST_ROWS ? r->kernel_count : MOST_ROWS;
    double rest = r->has[KC_TIME] ? r->field[KC_TIME] : 0;
    add(p, !overlaps(r) ? "\nIts kernels, one after another:\n"
           : ((const kc_program *)(const void *)r->x)->beside ? "\nIts kernels, beside each other:\n"
                                                             : "\nIts kernels, some of them beside others:\n");
    for (size_t i = 0; i < shown; i++) {
        const kc_result *k = r->kernels[i];
        kci_text_format(&p->text, "  %s: ", k->name);
        if (k->has[KC_TIME]) {
            add_amount(p, k->field[KC_TIME], "s");
            add(p, " (");
            add_percent(p, k->field[KC_TIME] / r->field[KC_TIME]);
            kci_text_format(&p->text, "), %s by %s, ", k->class_name, k->bound);
            rest -= k->field[KC_TIME];
        }
        add_amount(p, number(k, KC_FLOPS), "FLOP");
        add(p, ", ");
        add_amount(p, number(k, KC_BYTES), "B");
        add(p, "\n");
    }
    if (shown < r->kernel_count) {
        kci_text_format(&p->text, "  and %zu more", r->kernel_count - shown);
        if (r->has[KC_TIME]) {
            add(p, ": ");
            add_amount(p, rest, "s");
        }
        add(p, "\n");
    }
}

/* ---- the chip -------------------------------------------------------------------------------------- */

static void say_waves(page *p)
{
    const kc_result *r = p->r;
    double ctas = number(r, KC_CTAS), cores = r->of ? r->of->full.cores : NAN;
    if (!r->has[KC_WAVES] || isnan(cores))
        return;
    double waves = number(r, KC_WAVES);
    kci_text_format(&p->text, "\n%.0f CTA%s on %.0f cores, %.0f at a time on each: %.0f wave%s, ", ctas,
                    ctas == 1 ? "" : "s", cores, number(r, KC_OCCUPANCY), waves, waves == 1 ? "" : "s");
    add_percent(p, number(r, KC_WAVE_EFFICIENCY));
    add(p, " efficient");
    if (ctas < cores)
        kci_text_format(&p->text, ": fewer CTAs than cores, so %.0f cores are idle", cores - ctas);
    add(p, ".\n");
}

/* What of the schedule fits how often, and what keeps more from fitting: the note that says it is an evaluation's. */
static void say_schedule(page *p)
{
    const kc_result *r = p->r;
    if (!r->schedule_count)
        return;
    add(p, r->has[KC_WAVES] ? "" : "\n");
    add(p, "Its schedule: ");
    kci_schedule_words(&p->text, r);
    add(p, ".\nA CTA takes ");
    add_amount(p, number(r, KC_SMEM), "B");
    add(p, " of shared memory and ");
    add_amount(p, number(r, KC_REGISTER_BYTES), "B");
    add(p, " of registers");
    for (size_t i = 0; i < r->notes.count; i++)
        if (strstr(r->notes.items[i], KCI_OCCUPANCY_NOTE))
            kci_text_format(&p->text, "; %s", r->notes.items[i]);
    add(p, ".\n");
}

static void say_work(page *p)
{
    double useful = number(p->r, KC_FLOPS), executed = number(p->r, KC_EXECUTED_FLOPS);
    if (!(useful > 0))
        return;
    add(p, p->r->schedule_count ? "" : "\n");
    add_amount(p, useful, "FLOP");
    add(p, " of useful work");
    if (executed > 1.005 * useful) {
        add(p, "; executed are ");
        add_amount(p, executed, "FLOP");
        add(p, ", ");
        add_digits(p, executed / useful, 3);
        add(p, " times as much: recomputation, padded tiles, masked parts of live tiles");
    }
    add(p, ".\n");
}

/* ---- the bytes ---------------------------------------------------------------------------------------- */

static const char *const causes[KC_LEDGER_COUNT] = {
    [KC_COMPULSORY] = "compulsory",
    [KC_RELOAD] = "reloaded by other CTAs or trips",
    [KC_PASS] = "read again by a later pass",
    [KC_SPILL] = "spilled, unfinished, and fetched back",
    [KC_SPLIT] = "of partial results",
};

static double row_bytes(const kci_result_row *row)
{
    return row->column[KC_TENSOR_READ] + row->column[KC_TENSOR_WRITTEN];
}

static void say_row(page *p, const kci_result_row *row)
{
    bool first = true;
    kci_text_format(&p->text, "  %s: ", row->name);
    for (int c = KC_COMPULSORY; c < KC_LEDGER_COUNT; c++) {
        if (!(row->column[c] > 0))
            continue;
        add(p, first ? "" : ", ");
        add_amount(p, row->column[c], "B");
        kci_text_format(&p->text, " %s", causes[c]);
        first = false;
    }
    add(p, first ? "nothing\n" : "\n");
}

/* The rows with the most bytes, in their order. */
static void say_rows(page *p)
{
    const kc_result *r = p->r;
    double rest = 0;
    size_t left = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        size_t larger = 0;
        if (kci_spend(r->base.context, "explain", r->row_count) != KC_OK) {
            p->text.failed = true;
            return;
        }
        for (size_t j = 0; j < r->row_count && larger < MOST_ROWS; j++)
            larger += row_bytes(&r->rows[j]) > row_bytes(&r->rows[i]) ||
                      (j < i && row_bytes(&r->rows[j]) == row_bytes(&r->rows[i]));
        if (larger < MOST_ROWS) {
            say_row(p, &r->rows[i]);
        } else {
            rest += row_bytes(&r->rows[i]);
            left++;
        }
    }
    if (left) {
        kci_text_format(&p->text, "  and %zu smaller ones: ", left);
        add_amount(p, rest, "B");
        add(p, "\n");
    }
}

static void say_bytes(page *p)
{
    const kc_result *r = p->r;
    double bytes = number(r, KC_BYTES), l2 = number(r, KC_L2_BYTES);
    add(p, "\nWhat the bytes are for. HBM moves ");
    add_amount(p, bytes, "B");
    if (bytes > 0 && number(r, KC_BYTES_MIN) > 0) {
        add(p, ", ");
        add_digits(p, bytes / number(r, KC_BYTES_MIN), 3);
        add(p, " times what is compulsory");
    }
    if (l2 > bytes && r->has[KC_TIME]) {
        add(p, "; the CTAs ask for ");
        add_amount(p, l2, "B");
        add(p, ", of which L2 serves ");
        add_percent(p, 1 - bytes / l2);
    }
    add(p, ".\n");
    say_rows(p);
}

static void say_link(page *p)
{
    const kc_result *r = p->r;
    if (!r->has[KC_LINK_BYTES])
        return;
    add(p, "\nOver the link one device sends ");
    add_amount(p, r->field[KC_LINK_BYTES], "B");
    kci_text_format(&p->text, " in %.0f step%s that wait for each other.\n", number(r, KC_LINK_STEPS), number(r, KC_LINK_STEPS) == 1 ? "" : "s");
}

/* ---- what would help ------------------------------------------------------------------------------------ */

static void say_advice(page *p, const kci_advice *advice)
{
    double now = p->r->field[KC_TIME];
    add(p, "  ");
    add_amount(p, now - advice->time, "s");
    add(p, " (");
    add_percent(p, 1 - advice->time / now);
    kci_text_format(&p->text, ") less: %s\n", advice->what);
}

/* What a fusion with its maker or user takes away: spills and partials stay. */
static double fusible_bytes(const kci_result_row *row)
{
    return row_bytes(row) - row->column[KC_SPILL] - row->column[KC_SPLIT];
}

/* Where HBM binds: what a fusion over its largest tensor would save here.  Fewer bytes are as
 * good as a bandwidth that is higher by as much. */
static kc_status say_fusible(page *p)
{
    const kc_result *r = p->r;
    if (!r->bound || strcmp(r->bound, "hbm") != 0 || r->row_count < 2)
        return KC_OK;
    const kci_result_row *largest = &r->rows[0];
    for (size_t i = 1; i < r->row_count; i++)
        if (fusible_bytes(&r->rows[i]) > fusible_bytes(largest))
            largest = &r->rows[i];
    double bytes = number(r, KC_BYTES), rest = fmax(bytes - fusible_bytes(largest), 1e-6 * bytes);
    kc_device faster = *r->of; /* figures alone: never released */
    kci_roof_raise(&faster, "hbm", bytes / rest);
    kc_result *without = kci_ask(r->x, &faster, r->options, "explain");
    if (!without)
        return kc_context_status(r->base.context);
    double saved = r->field[KC_TIME] - without->field[KC_TIME];
    kc_release(without);
    if (!(saved > 0.01 * r->field[KC_TIME]))
        return KC_OK;
    add(p, "  ");
    add_amount(p, saved, "s");
    add(p, " (");
    add_percent(p, saved / r->field[KC_TIME]);
    kci_text_format(&p->text, ") less: fused with the kernel that makes or uses %s, so that it stays on chip\n",
                    largest->name);
    return KC_OK;
}

/* Of what best found: why it did not find these. */
static void say_search(page *p, const kci_advice *list, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = any || list[i].schedule;
    if (any && p->r->points > 0)
        kci_text_format(&p->text,
                        p->r->own_space
                            ? "  best searched a space of %.0f points. Those above are not in it, and their times were held against no\n"
                              "  measured kernel.\n"
                            : "  best tried %.0f schedules, its list of what tuned libraries ship. Those above are not on it, and their\n"
                              "  times were held against no measured kernel.\n",
                        p->r->points);
}

/* Neither a program nor a group, and no schedule. */
static bool is_untiled(const kc_result *r)
{
    const kc_kernel *kernel = (const kc_kernel *)(const void *)r->x;
    return r->kernel_count == 0 && kernel && kernel->member_count == 0 && !kernel->tiling && !r->has[KC_LINK_BYTES];
}

static kc_status say_help(page *p)
{
    const kc_result *r = p->r;
    kci_advice list[KCI_ADVICES];
    size_t count;
    kc_status status = kci_advise(r, list, &count);
    if (status != KC_OK)
        return status;
    add(p, "\nWhat would help, each change alone:\n");
    for (size_t i = 0; i < count; i++)
        say_advice(p, &list[i]);
    say_search(p, list, count);
    if (r->kernel_count == 0)
        status = say_fusible(p);
    if (is_untiled(r))
        add(p, "  It is untiled: each byte moves once and all roofs overlap, which a schedule approaches.\n");
    else if (overlaps(r))
        add(p, "  Fusions and schedules of kernels that run beside others were not tried.\n");
    else if (count == 0 && r->kernel_count == 0 && r->has[KC_LINK_BYTES])
        add(p, "  A collective has no schedule: a narrower dtype sends less, another algorithm waits less, and work beside it\n"
               "  (kc.beside) hides it.\n");
    else if (count == 0)
        kci_text_format(&p->text, "  None of the %sschedules nearby saves 1 %%.\n",
                        r->kernel_count ? "fusions and of the longest kernel's " : "");
    return status;
}

static kc_status say_sensitivity(page *p)
{
    kc_result *r = (kc_result *)(void *)(uintptr_t)p->r; /* asking changes nothing of it */
    const char *roof;
    bool any = false;
    for (size_t i = 0; (roof = kc_sensitivity_roof(i)) != NULL; i++) {
        double change;
        kc_status status = kc_result_sensitivity(r, roof, &change);
        if (status == KC_ENOMEM || status == KC_ELIMIT)
            return status;
        if (status != KC_OK || change > -5e-5)
            continue;
        bool shorter = strcmp(roof, "launch") == 0 || strcmp(roof, "latency") == 0;
        kci_text_format(&p->text, "%s1 %% %s %s saves ", any ? ", " : "Sensitivity: ", shorter ? "less" : "more", roof);
        add_digits(p, -100 * change, 2);
        add(p, " %");
        any = true;
    }
    add(p, any ? ".\n" : "");
    return KC_OK;
}

static void say_measured(page *p)
{
    const kc_result *r = p->r;
    if (!r->has[KC_MEASURED])
        return;
    add(p, "\nMeasured beside predicted:\n");
    for (size_t i = r->measured_notes; i < r->notes.count; i++)
        kci_text_format(&p->text, "  %s\n", r->notes.items[i]);
}

const char *kc_result_explain(kc_result *r)
{
    if (!r)
        return NULL;
    if (r->explanation)
        return r->explanation;
    page p = { r, { .context = r->base.context } };
    kc_status status = kci_result_words(r);
    bool timed = r->has[KC_TIME];
    say_head(&p);
    if (r->kernel_count)
        say_kernels(&p);
    if (timed)
        say_parts(&p);
    say_waves(&p);
    say_schedule(&p);
    say_work(&p);
    say_bytes(&p);
    say_link(&p);
    say_measured(&p);
    if (timed && status == KC_OK)
        status = say_help(&p);
    if (timed && status == KC_OK)
        status = say_sensitivity(&p);
    if (status == KC_OK && !p.text.failed)
        return kci_text_keep(&p.text, &r->explanation);
    kci_text_free(&p.text);
    if (kc_context_status(r->base.context) != KC_ELIMIT) /* what else went wrong since is no matter */
        kci_fail(r->base.context, KC_ENOMEM, "not enough memory");
    return NULL;
}
