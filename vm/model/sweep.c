/* sweep.c: what a sweep found, as an object: rows, columns, reasons; the accessors. */
#include "sweep.h"

#include <math.h>
#include <string.h>

#include "convention.h"
#include "device.h"
#include "object.h"
#include "si.h"
#include "variant.h"

/* ---- building ----------------------------------------------------------------------- */

kc_sweep *kci_sweep_new(kc_context *context, const char *name, const char *keep)
{
    kc_sweep *s = kci_new(context, KC_SWEEP, sizeof *s);
    if (!s)
        return NULL;
    s->keeper.context = context;
    s->part = s->parts = 1;
    s->name = kci_copy_text(context, name);
    s->keep = kci_copy_text(context, keep);
    kci_text line = { .context = context };
    kci_convention convention = kci_convention_default();
    kci_convention_line(&convention, &line);
    if (kci_text_keep(&line, &s->convention) && s->name && s->keep)
        return s;
    kc_release(s);
    return NULL;
}

void kci_sweep_destroy(kc_object *object)
{
    kc_sweep *s = (kc_sweep *)(void *)object;
    kc_context *context = object->context;
    kci_keeper_free(&s->keeper);
    for (size_t c = 0; c < s->column_count; c++) {
        kci_sweep_column *column = &s->columns[c];
        for (size_t i = 0; i < column->count; i++)
            kci_free_text(context, column->texts[i]);
        kci_free(context, (void *)column->texts, column->capacity * sizeof *column->texts);
        kci_free_text(context, column->name);
    }
    kci_free(context, s->columns, s->column_capacity * sizeof *s->columns);
    for (size_t i = 0; i < s->reason_count; i++) {
        kci_free_text(context, s->reasons[i].text);
        kci_free_text(context, s->reasons[i].sentence);
    }
    kci_free(context, s->reasons, s->reason_capacity * sizeof *s->reasons);
    kci_free(context, s->missing, s->missing_capacity * sizeof *s->missing);
    kci_free_text(context, s->name);
    kci_free_text(context, s->keep);
    kci_free_text(context, s->convention);
    kc_release(s->space);
    kci_free(context, s, sizeof *s);
}

kci_sweep_column *kci_sweep_add_column(kc_sweep *s, const char *name, bool text)
{
    kc_context *context = s->base.context;
    if (!kci_reserve(context, &s->columns, &s->column_capacity, s->column_count + 1, sizeof *s->columns))
        return NULL;
    kci_sweep_column column = { .name = kci_copy_text(context, name), .text = text };
    if (!column.name)
        return NULL;
    s->columns[s->column_count] = column;
    return &s->columns[s->column_count++];
}

double kci_sweep_text_number(kc_sweep *s, kci_sweep_column *column, const char *text)
{
    kc_context *context = s->base.context;
    for (size_t i = 0; i < column->count; i++)
        if (strcmp(column->texts[i], text) == 0)
            return (double)i;
    if (!kci_reserve(context, (void *)&column->texts, &column->capacity, column->count + 1, sizeof *column->texts))
        return -1;
    char *copy = kci_copy_text(context, text);
    if (!copy)
        return -1;
    column->texts[column->count] = copy;
    return (double)column->count++;
}

kc_status kci_sweep_reject(kc_sweep *s, const char *text, const char *sentence, double points, double first,
                           uint32_t *number)
{
    kc_context *context = s->base.context;
    size_t i = 0;
    while (i < s->reason_count && strcmp(s->reasons[i].text, text) != 0)
        i++;
    if (i == KCI_MOST_REASONS)
        i--;
    if (i == s->reason_count) {
        if (!kci_reserve(context, &s->reasons, &s->reason_capacity, s->reason_count + 1, sizeof *s->reasons))
            return KC_ENOMEM;
        char *copy = kci_copy_text(context, i == KCI_MOST_REASONS - 1 ? "other reasons" : text);
        if (!copy)
            return KC_ENOMEM;
        s->reasons[s->reason_count++] = (kci_reason){ .text = copy, .first = first };
    }
    kci_reason *reason = &s->reasons[i];
    if (number)
        *number = (uint32_t)i;
    reason->points += points;
    if (sentence && (!reason->sentence || first < reason->first)) {
        char *said = kci_copy_text(context, sentence);
        if (!said)
            return KC_ENOMEM;
        kci_free_text(context, reason->sentence);
        reason->sentence = said;
    }
    reason->first = fmin(reason->first, first);
    return KC_OK;
}

kc_status kci_sweep_miss(kc_sweep *s, uint32_t reason, double points, double first)
{
    size_t most = s->keeper.kind == KCI_KEEP_ALL ? KCI_MOST_ROWS : KCI_MOST_MISSING;
    for (double i = 0; i < points && s->missing_count < most; i++) {
        if (!kci_reserve(s->base.context, &s->missing, &s->missing_capacity, s->missing_count + 1, sizeof *s->missing))
            return KC_ENOMEM;
        s->missing[s->missing_count++] = (kci_missing){ first + i, reason };
    }
    return KC_OK;
}

const double *kci_sweep_row(const kc_sweep *s, size_t row)
{
    return s->keeper.rows + row * s->keeper.width;
}

/* ---- accessors ------------------------------------------------------------------------ */

unsigned kc_sweep_part(const kc_sweep *s, unsigned *parts)
{
    if (parts)
        *parts = s ? s->parts : 1;
    return s ? s->part : 1;
}

const char *kc_sweep_name(const kc_sweep *s)
{
    return s ? s->name : NULL;
}

const char *kc_sweep_keep(const kc_sweep *s)
{
    return s ? s->keep : NULL;
}

const char *kc_sweep_convention(const kc_sweep *s)
{
    return s ? s->convention : NULL;
}

double kc_sweep_points(const kc_sweep *s)
{
    return s ? s->points : 0;
}

double kc_sweep_done(const kc_sweep *s)
{
    return s ? s->done : 0;
}

double kc_sweep_fit(const kc_sweep *s)
{
    return s ? s->fit : 0;
}

int kc_sweep_interrupted(const kc_sweep *s)
{
    return s && s->interrupted;
}

size_t kc_sweep_rows(const kc_sweep *s)
{
    return s ? s->keeper.count : 0;
}

size_t kc_sweep_columns(const kc_sweep *s)
{
    return s ? s->column_count : 0;
}

size_t kc_sweep_axes(const kc_sweep *s)
{
    return s ? s->axes : 0;
}

const char *kc_sweep_column(const kc_sweep *s, size_t column)
{
    return column < kc_sweep_columns(s) ? s->columns[column].name : NULL;
}

const char *kc_sweep_unit(const kc_sweep *s, size_t column)
{
    if (column >= kc_sweep_columns(s))
        return NULL;
    const char *name = s->columns[column].name;
    if (s->columns[column].unit)
        return s->columns[column].unit;
    if (column < s->axes) {
        const kci_figure_row *figure = kci_figure_find(name);
        return figure ? figure->unit : "";
    }
    size_t field = kci_point_field_named(name);
    return field < KC_FIELD_COUNT ? kc_field_unit((kc_field)field) : "";
}

kc_status kc_sweep_number(const kc_sweep *s, size_t row, size_t column, double *value)
{
    if (row >= kc_sweep_rows(s) || column >= kc_sweep_columns(s) || s->columns[column].text)
        return KC_EARGUMENT;
    double number = kci_sweep_row(s, row)[1 + column];
    if (isnan(number))
        return KC_EARGUMENT;
    if (value)
        *value = number;
    return KC_OK;
}

const char *kc_sweep_text(const kc_sweep *s, size_t row, size_t column)
{
    if (row >= kc_sweep_rows(s) || column >= kc_sweep_columns(s) || !s->columns[column].text)
        return NULL;
    double number = kci_sweep_row(s, row)[1 + column];
    return isnan(number) ? NULL : s->columns[column].texts[(size_t)number];
}

double kc_sweep_point(const kc_sweep *s, size_t row)
{
    return row < kc_sweep_rows(s) ? kci_sweep_row(s, row)[0] : 0;
}

static size_t best_column(const kc_sweep *s)
{
    static const char *const measures[] = { "time", "bytes" };
    if (s->keeper.key_count)
        return s->keeper.at[0];
    for (size_t m = 0; m < sizeof measures / sizeof *measures; m++)
        for (size_t c = s->axes; c < s->column_count; c++)
            if (strcmp(s->columns[c].name, measures[m]) == 0)
                return c + 1;
    return 0;
}

kc_status kc_sweep_best(const kc_sweep *s, size_t *row)
{
    if (kc_sweep_rows(s) == 0)
        return KC_EARGUMENT;
    size_t column = best_column(s), best = 0;
    bool larger = s->keeper.key_count && s->keeper.larger[0];
    for (size_t i = 1; column && i < s->keeper.count; i++) {
        double at = kci_sweep_row(s, i)[column], now = kci_sweep_row(s, best)[column];
        if (larger ? at > now : at < now)
            best = i;
    }
    *row = best;
    return KC_OK;
}

size_t kc_sweep_reasons(const kc_sweep *s)
{
    return s ? s->reason_count : 0;
}

const char *kc_sweep_reason(const kc_sweep *s, size_t i)
{
    return i < kc_sweep_reasons(s) ? s->reasons[i].text : NULL;
}

double kc_sweep_rejected(const kc_sweep *s, size_t i, double *first)
{
    if (i >= kc_sweep_reasons(s))
        return 0;
    if (first)
        *first = s->reasons[i].first;
    return s->reasons[i].points;
}

size_t kc_sweep_missing(const kc_sweep *s)
{
    return s ? s->missing_count : 0;
}

double kc_sweep_missing_point(const kc_sweep *s, size_t i, size_t *reason)
{
    if (i >= kc_sweep_missing(s))
        return 0;
    if (reason)
        *reason = s->missing[i].reason;
    return s->missing[i].point;
}

const char *kc_sweep_sentence(const kc_sweep *s, size_t i)
{
    return i < kc_sweep_reasons(s) ? s->reasons[i].sentence : NULL;
}

kc_object *kc_sweep_object(const kc_sweep *s, double point, kc_device **device)
{
    if (!s)
        return NULL;
    const char *wrong = !s->space ? "was read from a file, and has no kernel of"
                        : !(point >= 0 && point < s->points && floor(point) == point) ? "has no"
                                                                                     : NULL;
    if (wrong) {
        kci_fail(s->base.context, KC_EARGUMENT, "sweep: it %s point %.0f", wrong, point);
        return NULL;
    }
    uint32_t index[KCI_MOST_AXES];
    kci_variant variant = { .count = 0 };
    kci_axes_at(&s->space->axes, point, index);
    kc_status status = kci_variant_make(s->space, index, &variant);
    kc_object *object = status == KC_OK ? kci_variant_object(s->space, &variant) : NULL;
    if (device)
        *device = object ? kc_retain(variant.device) : NULL;
    kci_variant_free(s->space, &variant);
    return object;
}

/* ---- in words -------------------------------------------------------------------------- */

static void add_cell(kci_text *text, const kc_sweep *s, size_t row, size_t column)
{
    double number;
    const char *unit = kc_sweep_unit(s, column), *word = kc_sweep_text(s, row, column);
    char amount[KCI_SI_BYTES];
    if (word) {
        kci_text_add(text, word);
    } else if (kc_sweep_number(s, row, column, &number) == KC_OK) {
        bool plain = unit == NULL || *unit == '\0';
        if (plain && number == floor(number)) {
            kci_text_number(text, number);
        } else if (plain || strcmp(unit, "FLOP/byte") == 0) {
            kci_significant(amount, number, 3);
            kci_text_add(text, amount);
        } else {
            kci_si(amount, number, strcmp(unit, "byte") == 0 ? "B" : strcmp(unit, "byte/s") == 0 ? "B/s" : unit);
            kci_text_add(text, amount);
        }
    }
}

/* The counts, then a line a row, at most `most`; then what keeps points out. */
void kci_print_sweep(kci_text *text, const kc_object *object)
{
    enum { MOST = 20 };
    const kc_sweep *s = (const kc_sweep *)(const void *)object;
    size_t rows = kc_sweep_rows(s);
    kci_text_format(text, "sweep of %s: %.0f points, %.0f fit, %zu kept (%s)", s->name, s->points, s->fit, rows, s->keep);
    for (size_t row = 0; row < rows && row < MOST; row++) {
        kci_text_add(text, "\n  ");
        for (size_t c = 0; c < s->column_count; c++) {
            kci_text_format(text, "%s%s ", c ? ", " : "", s->columns[c].name);
            add_cell(text, s, row, c);
        }
    }
    if (rows > MOST)
        kci_text_format(text, "\n  and %zu more", rows - MOST);
    for (size_t i = 0; i < s->reason_count; i++)
        kci_text_format(text, "\n  %.0f left out: %s", s->reasons[i].points, s->reasons[i].text);
    if (s->interrupted)
        kci_text_format(text, "\n  interrupted after %.0f points", s->done);
}
