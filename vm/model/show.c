/* show.c: results and comparisons in words: what print() shows. */
#include <math.h>
#include <string.h>

#include "ask.h"
#include "object.h"
#include "result.h"
#include "si.h"

static void add_si(kci_text *text, double value, const char *unit)
{
    char amount[KCI_SI_BYTES];
    kci_si(amount, value, unit);
    kci_text_add(text, amount);
}

static const char *short_unit(kc_field field)
{
    const char *unit = kc_field_unit(field);
    return strcmp(unit, "byte") == 0 ? "B" : strcmp(unit, "byte/s") == 0 ? "B/s" : unit;
}

/* "flops 280 GFLOP"; plain numbers and ratios without a prefix. */
static void add_field(kci_text *text, const kc_result *r, kc_field field, const char *before)
{
    if (!r->has[field])
        return;
    kci_text_format(text, "%s%s ", before, kc_field_name(field));
    const char *unit = short_unit(field);
    if (*unit == '\0' && r->field[field] == floor(r->field[field])) {
        kci_text_number(text, r->field[field]);
    } else if (*unit == '\0' || strcmp(unit, "FLOP/byte") == 0) {
        char digits[KCI_SI_BYTES];
        kci_significant(digits, r->field[field], 3);
        kci_text_format(text, "%s%s%s", digits, *unit ? " " : "", unit);
    } else {
        add_si(text, r->field[field], unit);
    }
}

static void add_line(kci_text *text, const kc_result *r, const kc_field *list)
{
    bool first = true;
    for (; *list != KC_FIELD_COUNT; list++) {
        if (!r->has[*list])
            continue;
        add_field(text, r, *list, first ? "\n  " : ", ");
        first = false;
    }
}

/* Behind the name: where, how long, what binds. */
static void add_times(kci_text *text, const kc_result *r)
{
    if (r->device)
        kci_text_format(text, " on %s", r->device);
    if (r->has[KC_TIME]) {
        kci_text_add(text, ": ");
        add_si(text, r->field[KC_TIME], "s");
    }
    if (r->bound)
        kci_text_format(text, ", %s (%s)", r->class_name, r->bound);
}

static void add_head(kci_text *text, const kc_result *r)
{
    kci_text_add(text, r->name);
    add_times(text, r);
}

void kci_print_result(kci_text *text, const kc_object *object)
{
    static const kc_field lines[][6] = {
        { KC_FLOPS, KC_MATRIX_FLOPS, KC_VECTOR_FLOPS, KC_SPECIAL_OPS, KC_EXECUTED_FLOPS, KC_FIELD_COUNT },
        { KC_BYTES, KC_BYTES_READ, KC_BYTES_WRITTEN, KC_L2_BYTES, KC_BYTES_MIN, KC_FIELD_COUNT },
        { KC_LINK_BYTES, KC_LINK_STEPS, KC_TIME_LINK, KC_FIELD_COUNT },
        { KC_INTENSITY, KC_RIDGE, KC_THROUGHPUT, KC_BANDWIDTH, KC_FIELD_COUNT },
        { KC_ROOF_TIME, KC_SERIAL_TIME, KC_FIELD_COUNT },
        { KC_MEASURED, KC_MEASURED_RATIO, KC_MEASURED_EFFICIENCY, KC_FIELD_COUNT },
        { KC_SMEM, KC_REGISTER_BYTES, KC_CTAS, KC_PASSES, KC_LAUNCHES, KC_FIELD_COUNT },
        { KC_OCCUPANCY, KC_WAVES, KC_WAVE_EFFICIENCY, KC_TILE_EFFICIENCY, KC_FIELD_COUNT },
    };
    const kc_result *r = (const kc_result *)(const void *)object;
    text->failed |= kci_result_words(r) != KC_OK;
    add_head(text, r);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        add_line(text, r, lines[i]);
    for (size_t i = 0; i < r->row_count; i++) {
        const kci_result_row *row = &r->rows[i];
        kci_text_format(text, "\n  %s: ", row->name);
        add_si(text, row->column[KC_TENSOR_READ] + row->column[KC_TENSOR_WRITTEN], "B");
        for (int c = KC_COMPULSORY; c < KC_LEDGER_COUNT; c++)
            if (row->column[c] > 0) {
                kci_text_format(text, ", %s ", kc_ledger_name((kc_ledger)c));
                add_si(text, row->column[c], "B");
            }
    }
    for (size_t i = 0; i < r->kernel_count; i++) {
        kci_text_format(text, "\n  %zu. ", i + 1);
        add_head(text, r->kernels[i]);
    }
    for (size_t i = 0; i < r->notes.count; i++)
        kci_text_format(text, "\n  note: %s", r->notes.items[i]);
    kci_text_format(text, "\n  (%s)", r->convention ? r->convention : "");
}

void kci_print_comparison(kci_text *text, const kc_object *object)
{
    const kc_comparison *c = (const kc_comparison *)(const void *)object;
    for (size_t i = 0; i < c->row_count; i++) {
        const kc_result *r = c->rows[i].result;
        const char *label = kc_comparison_label(c, i);
        double ratio;
        text->failed = text->failed || !label;
        if (i)
            kci_text_add(text, "\n");
        if (!r) {
            kci_text_format(text, "%s on %s: %s", label ? label : "", kc_comparison_device(c, i), c->rows[i].error);
            continue;
        }
        kci_text_add(text, label ? label : "");
        add_times(text, r);
        add_field(text, r, KC_FLOPS, "; ");
        add_field(text, r, KC_BYTES, ", ");
        kc_field shown = r->has[KC_TIME] ? KC_TIME : KC_BYTES;
        if (kc_comparison_ratio(c, i, shown, &ratio) == KC_OK) {
            char digits[KCI_SI_BYTES];
            kci_significant(digits, ratio, 3);
            kci_text_format(text, "; %s times the %s of the first", digits, kc_field_name(shown));
        }
    }
}
