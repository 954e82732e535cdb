/* sweep_run.c: sweeping a space: blocks out to the threads and back, rows into the keeper.
 *
 *     this thread    variants, evaluators -> issue            await -> filter, counts, rows, watch
 *     the crew                                     evaluate
 *
 * Blocks come back in the order of points, so nothing that is found depends on the threads.
 * Only this thread allocates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "crew.h"
#include "result.h"
#include "sweep.h"

enum {
    BLOCKS_A_PART = 64,
    MOST_THREADS = 64,              /* unless there are more cores */
    SPARE_NAMES = 256               /* that making kernels may intern while threads say why some do not run: suggestions */
};

typedef struct running {
    kc_space *space;
    kc_context *context;
    kc_sweep *sweep;
    kci_crew *crew;
    kci_block **blocks;             /* all; issued in turn */
    size_t block_count;
    size_t all_fields[KCI_POINT_FIELDS];    /* for a filter */
    kc_watch watch;
    void *watch_data;
    double mine;                    /* points of this part */
    /* how points are cut into blocks */
    double blocks_per_outer, total_blocks, next;
    size_t at;                      /* the block to issue next */
    /* the variant made last */
    kci_variant variant;
    double outer;                   /* below 0: none */
    char *obstacle;
    uint32_t index[KCI_MOST_AXES];
    bool stopped;
} running;

/* ---- cutting --------------------------------------------------------------------------- */

/* Of one outer point, blocks of equal size; enough of them that parts are balanced.  Part p of n
 * has the blocks b with b mod n = p - 1. */
static void cut(running *r)
{
    const kci_axes *axes = &r->space->axes;
    double most = ceil(axes->points / ((double)r->space->parts * BLOCKS_A_PART));
    most = fmin(fmax(most, 1), KCI_BLOCK_POINTS);
    r->blocks_per_outer = ceil(axes->inner_points / most);
    r->total_blocks = r->blocks_per_outer * (axes->points / axes->inner_points);
    r->next = r->space->part - 1;
}

static double start_in_outer(const running *r, double k)
{
    double inner = r->space->axes.inner_points, base = floor(inner / r->blocks_per_outer);
    return k * base + fmin(k, inner - base * r->blocks_per_outer);
}

static void range_of(const running *r, double block, double *outer, double *first, size_t *count)
{
    *outer = floor(block / r->blocks_per_outer);
    double k = block - *outer * r->blocks_per_outer, start = start_in_outer(r, k);
    *first = *outer * r->space->axes.inner_points + start;
    *count = (size_t)(start_in_outer(r, k + 1) - start);
}

/* Points of this part: of each turn of `parts` blocks one. */
static double points_of_part(const running *r)
{
    double sum = 0, parts = r->space->parts;
    if (parts == 1)
        return r->space->axes.points;
    for (double block = r->space->part - 1; block < r->total_blocks; block += parts) {
        double outer, first;
        size_t count;
        range_of(r, block, &outer, &first, &count);
        sum += (double)count;
    }
    return sum;
}

/* ---- making ------------------------------------------------------------------------------- */

/* Devices and their figures alone: the kernels are the same. */
static bool same_kernels(const running *r, const uint32_t *index)
{
    for (size_t a = 0; a < r->space->axes.inner; a++)
        if (r->space->axes.list[a].kind > KCI_AXIS_FIGURE && r->index[a] != index[a])
            return false;
    return r->outer >= 0 && !r->obstacle;
}

static kc_status other_device(running *r, const uint32_t *index)
{
    kc_status status;
    kc_device *device = kci_variant_device(r->space, index, &status);
    if (status != KC_OK)
        return status;
    kc_release(r->variant.device);
    r->variant.device = device;
    return KC_OK;
}

/* What can't be made is a reason, not a failure. */
static kc_status make_variant(running *r, double outer)
{
    uint32_t index[KCI_MOST_AXES];
    if (r->outer == outer)
        return KC_OK;
    kci_axes_at(&r->space->axes, outer * r->space->axes.inner_points, index);
    kc_status status;
    if (same_kernels(r, index)) {
        status = other_device(r, index);
    } else {
        kci_variant_free(r->space, &r->variant);
        status = kci_variant_make(r->space, index, &r->variant);
    }
    kci_free_text(r->context, r->obstacle);
    r->obstacle = NULL;
    r->outer = -1;
    if (status == KC_ENOMEM)
        return status;
    if (status != KC_OK && !(r->obstacle = kci_copy_text(r->context, kc_context_message(r->context))))
        return KC_ENOMEM;
    r->outer = outer;
    memcpy(r->index, index, sizeof index);
    return KC_OK;
}

static kc_status issue(running *r)
{
    kci_block *b = r->blocks[r->at++ % r->block_count];
    double outer;
    range_of(r, r->next, &outer, &b->first, &b->count);
    r->next += r->space->parts;
    kc_status status = KC_OK;
    if (b->outer != outer)
        status = make_variant(r, outer);
    if (status == KC_OK && b->outer != outer)
        status = kci_block_rig(b, outer, r->obstacle ? NULL : &r->variant, r->obstacle);
    if (status == KC_OK)
        kci_crew_issue(r->crew, b);
    return status;
}

/* ---- keeping -------------------------------------------------------------------------------- */

static double value_of(const running *r, const double *values, size_t column)
{
    size_t field = r->space->fields[column];
    return values[r->space->filter ? field : column];
}

static double text_of(running *r, kci_sweep_column *column, const char *text)
{
    return kci_sweep_text_number(r->sweep, column, text);
}

static kc_status fill_row(running *r, const uint32_t *index, const double *values, double *row)
{
    kc_sweep *s = r->sweep;
    for (size_t c = 0; c < s->axes; c++) {
        const kci_sweep_axis *axis = &r->space->axes.list[r->space->axes.columns[c].axis];
        uint32_t at = index[r->space->axes.columns[c].axis];
        row[1 + c] = axis->texts ? text_of(r, &s->columns[c], axis->texts[at]) : axis->numbers[at];
        if (axis->texts && row[1 + c] < 0)
            return KC_ENOMEM;
    }
    for (size_t i = 0; i < r->space->field_count; i++) {
        size_t field = r->space->fields[i];
        double value = value_of(r, values, i);
        if (field >= KC_FIELD_COUNT && !isnan(value)) {
            kci_roof roof = (kci_roof)value;
            value = text_of(r, &s->columns[s->axes + i], field == KCI_COLUMN_BOUND ? kci_roof_name(roof) : kci_roof_class(roof));
            if (value < 0)
                return KC_ENOMEM;
        }
        row[1 + s->axes + i] = value;
    }
    return KC_OK;
}

static kc_status say_point(running *r, double point, kc_status status, const char *what)
{
    char values[KCI_PART_BYTES];
    kci_text where = kci_text_part(r->context, values, sizeof values);
    kci_axes_say(&where, &r->space->axes, point);
    return kci_fail(r->context, status, "sweep: %s at point %.0f%s%s%s", what, point, *values ? " (" : "", values,
                    *values ? ")" : "");
}

static kc_status keep_point(running *r, double point, const double *values)
{
    uint32_t index[KCI_MOST_AXES];
    kci_keeper *keeper = &r->sweep->keeper;
    double keys[KCI_MOST_KEYS] = { 0 }, *row;
    for (size_t i = 0; i < keeper->key_count; i++) {
        keys[i] = value_of(r, values, keeper->at[i] - 1 - r->sweep->axes);
        if (isnan(keys[i])) {
            char what[96];
            snprintf(what, sizeof what, "keep goes by %s, which does not apply", kci_point_field_name(r->space->keys[i]));
            return say_point(r, point, KC_EARGUMENT, what);
        }
    }
    size_t group = 0;
    if (keeper->kind == KCI_KEEP_BEST_PER) {
        kci_axes_at(&r->space->axes, point, index);
        group = (size_t)kci_space_group(r->space, index);
    }
    kc_status status = kci_keep(keeper, point, group, keys, &row);
    if (status != KC_OK || !row)
        return status;
    kci_axes_at(&r->space->axes, point, index);
    return fill_row(r, index, values, row);
}

/* ---- taking a block back ------------------------------------------------------------------------ */

static kc_status filtered(running *r, double at, const double *values, bool *wanted)
{
    uint32_t index[KCI_MOST_AXES];
    const char *bound = NULL, *class_name = NULL;
    *wanted = true;
    if (!r->space->filter)
        return KC_OK;
    kci_axes_at(&r->space->axes, at, index);
    if (!isnan(values[KCI_COLUMN_BOUND])) {
        bound = kci_roof_name((kci_roof)values[KCI_COLUMN_BOUND]);
        class_name = kci_roof_class((kci_roof)values[KCI_COLUMN_BOUND]);
    }
    kc_point point = { &r->space->axes, index, values, bound, class_name };
    int answer = r->space->filter(r->space->filter_data, &point);
    *wanted = answer > 0;
    return answer < 0 ? say_point(r, at, KC_ESCRIPT, "the function of where failed") : KC_OK;
}

static kc_status reject(running *r, const kci_block *b, uint32_t verdict, double points, double first)
{
    kci_text reason = { .context = r->context };
    kci_block_reason(&reason, b, verdict);
    uint32_t number = 0;
    kc_status status = reason.failed
                           ? KC_ENOMEM
                           : kci_sweep_reject(r->sweep, reason.bytes ? reason.bytes : "", NULL, points, first, &number);
    if (status == KC_OK && verdict != KCI_EXCLUDED)
        status = kci_sweep_miss(r->sweep, number, points, first);
    kci_text_free(&reason);
    return status;
}

/* Verdicts come in runs: equal ones that follow each other are counted at once. */
static kc_status take_block(running *r, const kci_block *b)
{
    const double *values = b->values;
    kc_status status = KC_OK;
    size_t run = 0;
    for (size_t i = 0; i < b->count && status == KC_OK; i++) {
        double point = b->first + (double)i;
        bool wanted = true;
        if (b->verdict[i] != KCI_FITS) {
            run++;
            if (i + 1 == b->count || b->verdict[i + 1] != b->verdict[i]) {
                status = reject(r, b, b->verdict[i], (double)run, point - (double)(run - 1));
                run = 0;
            }
            continue;
        }
        status = filtered(r, point, values, &wanted);
        if (status == KC_OK && wanted) {
            r->sweep->fit++;
            status = keep_point(r, point, values);
        } else if (status == KC_OK) {
            status = kci_sweep_reject(r->sweep, "where", NULL, 1, point, NULL);
        }
        values += b->field_count;
    }
    r->sweep->done += (double)b->count;
    if (status != KC_OK || b->status == KC_OK)
        return status;
    if (b->status == KC_ENOMEM)
        return kci_fail(r->context, KC_ENOMEM, "not enough memory");
    if (b->status == KC_ELIMIT) { /* the context's watch, in the middle of a point */
        r->stopped = true;
        return KC_OK;
    }
    char what[KCI_WHERE_BYTES + 16];
    snprintf(what, sizeof what, "where: %.150s", b->message[0]);
    return say_point(r, b->first + (double)b->count, b->status, what);
}

static bool watched(running *r)
{
    if (r->watch && r->watch(r->watch_data, r->sweep->done, r->mine) != 0)
        r->stopped = r->sweep->done < r->mine;
    return r->stopped;
}

static kc_status run_all(running *r)
{
    kc_status status = KC_OK;
    if (watched(r))
        return KC_OK;
    while (status == KC_OK && !r->stopped) {
        while (status == KC_OK && r->next < r->total_blocks && kci_crew_out(r->crew) < r->block_count)
            status = issue(r);
        if (status != KC_OK || kci_crew_out(r->crew) == 0)
            break;
        status = take_block(r, kci_crew_await(r->crew));
        if (status == KC_OK && !r->stopped)
            watched(r);
    }
    return status;
}

/* ---- the sweep -------------------------------------------------------------------------------------- */

static kc_status add_columns(running *r)
{
    kc_sweep *s = r->sweep;
    const kci_axes *axes = &r->space->axes;
    for (size_t c = 0; c < axes->column_count; c++)
        if (!kci_sweep_add_column(s, axes->columns[c].text, axes->list[axes->columns[c].axis].texts != NULL))
            return KC_ENOMEM;
    s->axes = axes->column_count;
    for (size_t i = 0; i < r->space->field_count; i++)
        if (!kci_sweep_add_column(s, kci_point_field_name(r->space->fields[i]), r->space->fields[i] >= KC_FIELD_COUNT))
            return KC_ENOMEM;
    return KC_OK;
}

static void set_keeper(running *r)
{
    kci_keeper *k = &r->sweep->keeper;
    k->kind = r->space->keep;
    k->most = r->space->top;
    k->width = 1 + r->sweep->column_count;
    k->key_count = r->space->key_count;
    for (size_t i = 0; i < k->key_count; i++) {
        k->larger[i] = kci_larger_is_better((kc_field)r->space->keys[i]);
        for (size_t c = 0; c < r->space->field_count; c++)
            if (r->space->fields[c] == r->space->keys[i])
                k->at[i] = 1 + r->sweep->axes + c;
    }
}

static kc_status make_sweep(running *r)
{
    kci_text keep = { .context = r->context };
    kci_space_say_keep(&keep, r->space);
    r->sweep = keep.failed ? NULL : kci_sweep_new(r->context, kc_object_name(r->space->x), keep.bytes);
    kci_text_free(&keep);
    if (!r->sweep)
        return KC_ENOMEM;
    r->sweep->points = r->space->axes.points;
    r->sweep->part = r->space->part;
    r->sweep->parts = r->space->parts;
    r->sweep->space = kc_retain(r->space);
    kc_status status = kci_space_hash(r->space, &r->sweep->hash);
    if (status == KC_OK)
        status = add_columns(r);
    set_keeper(r);
    return status;
}

static kc_status make_crew(running *r, unsigned threads)
{
    const size_t *fields = r->space->fields;
    size_t field_count = r->space->field_count;
    if (r->space->filter) { /* it may ask for any of them, and runs here */
        threads = 1;
        fields = r->all_fields;
        for (field_count = 0; field_count < KCI_POINT_FIELDS; field_count++)
            r->all_fields[field_count] = field_count;
    }
    r->block_count = threads > 1 ? 2 * (size_t)threads : 1;
    r->blocks = kci_alloc(r->context, r->block_count * sizeof *r->blocks);
    r->crew = r->blocks ? kci_crew_new(r->context, threads, r->block_count) : NULL;
    bool ok = r->crew != NULL;
    for (size_t i = 0; ok && i < r->block_count; i++)
        ok = (r->blocks[i] = kci_block_new(r->space, "sweep", fields, field_count)) != NULL;
    return ok ? KC_OK : KC_ENOMEM;
}

/* By how much the first point of a reason does not fit, and what would: as evaluate says it. */
static kc_status add_sentences(running *r)
{
    for (size_t i = 0; i < r->sweep->reason_count; i++) {
        kci_reason *reason = &r->sweep->reasons[i];
        if (strcmp(reason->text, "where") == 0)
            continue;
        kc_device *device = NULL;
        kc_object *x = kc_sweep_object(r->sweep, reason->first, &device);
        kc_result *result = x ? kci_ask(x, device, r->space->options, "sweep") : NULL;
        kc_status status = result ? KC_OK : kc_context_status(r->context);
        const char *sentence = status == KC_ELIMIT ? reason->text : kc_context_message(r->context); /* the watch left no time */
        if (!result && status != KC_ENOMEM && !(reason->sentence = kci_copy_text(r->context, sentence)))
            status = KC_ENOMEM;
        kc_release(result);
        kc_release(x);
        kc_release(device);
        if (status == KC_ENOMEM)
            return status;
    }
    return KC_OK;
}

static void free_running(running *r)
{
    kci_crew_free(r->crew); /* first: its threads use the blocks */
    for (size_t i = 0; r->blocks && i < r->block_count; i++)
        kci_block_free(r->blocks[i]);
    kci_free(r->context, (void *)r->blocks, r->block_count * sizeof *r->blocks);
    kci_variant_free(r->space, &r->variant);
    kci_free_text(r->context, r->obstacle);
}

kc_sweep *kc_space_sweep(kc_space *space, unsigned threads, kc_watch watch, void *data)
{
    if (!space || kci_space_ready(space) != KC_OK || kci_space_check_keep(space) != KC_OK)
        return NULL;
    if (!watch)
        watch = kci_context_watch(space->base.context, &data);
    running r = { .space = space, .context = space->base.context, .watch = watch, .watch_data = data, .outer = -1 };
    unsigned cores = kci_crew_cores(), most = cores > MOST_THREADS ? cores : MOST_THREADS;
    if (threads == 0 || threads > most)
        threads = threads == 0 ? cores : most;
    space->swept = true;
    cut(&r);
    r.mine = points_of_part(&r);
    threads = (unsigned)fmin(threads, fmax(1, ceil(r.total_blocks / space->parts)));
    kc_status status = make_sweep(&r);
    if (status == KC_OK && !kci_intern_ahead(r.context, SPARE_NAMES))
        status = KC_ENOMEM;
    if (status == KC_OK)
        status = make_crew(&r, threads);
    if (status == KC_OK)
        status = run_all(&r);
    free_running(&r);
    if (status == KC_OK) {
        r.sweep->interrupted = r.stopped;
        status = kci_keeper_finish(&r.sweep->keeper);
    }
    if (status == KC_OK)
        status = add_sentences(&r);
    if (status == KC_OK)
        return r.sweep;
    if (status == KC_ENOMEM)
        kci_fail(r.context, KC_ENOMEM, "not enough memory");
    kc_release(r.sweep);
    return NULL;
}

/* ---- what a filter sees ----------------------------------------------------------------------------- */

kc_status kc_point_number(const kc_point *point, const char *name, double *value)
{
    if (!point || !name)
        return KC_EARGUMENT;
    size_t at, field = kci_point_field_named(name);
    const kci_sweep_axis *axis = kci_axes_find(point->axes, name, &at);
    double number = axis && !axis->texts           ? axis->numbers[point->index[at]]
                    : !axis && field < KC_FIELD_COUNT ? point->field[field]
                                                      : NAN;
    if (isnan(number))
        return KC_EARGUMENT;
    if (value)
        *value = number;
    return KC_OK;
}

const char *kc_point_text(const kc_point *point, const char *name)
{
    if (!point || !name)
        return NULL;
    size_t at;
    const kci_sweep_axis *axis = kci_axes_find(point->axes, name, &at);
    if (axis)
        return axis->texts ? axis->texts[point->index[at]] : NULL;
    return strcmp(name, "bound") == 0 ? point->bound : strcmp(name, "class") == 0 ? point->class_name : NULL;
}

const char *kc_point_name(const kc_point *point, size_t i)
{
    if (!point)
        return NULL;
    if (i < point->axes->column_count)
        return point->axes->columns[i].text;
    i -= point->axes->column_count;
    return i < KCI_POINT_FIELDS ? kci_point_field_name(i) : NULL;
}
