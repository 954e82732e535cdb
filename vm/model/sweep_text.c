/* sweep_text.c: a sweep as JSON and as CSV: section 6 of the design.
 *
 *     { "kind": "sweep", name, points, fit, keep, rejected: [ { reason, points, first, sentence } ],
 *       columns: { "point": [ … ], "device": [ … ], "tile.i": [ … ], "time": [ … ] } }
 *
 * A part, or what was interrupted, also says done; a part its shard, the hash of the sweep and how
 * many columns are axes.  The CSV of a part begins with the same in one line after "# ", so that parts
 * of both kinds can be joined. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "csv.h"
#include "json.h"
#include "result.h"
#include "sweep.h"

static void key(kci_text *text, const char *name)
{
    kci_json_string(text, name, strlen(name));
    kci_text_add(text, ":");
}

static void member_text(kci_text *text, const char *name, const char *value)
{
    kci_text_add(text, ",");
    key(text, name);
    kci_json_string(text, value, strlen(value));
}

static void member_number(kci_text *text, const char *name, double value)
{
    kci_text_add(text, ",");
    key(text, name);
    kci_text_number(text, value);
}

static void add_reasons(kci_text *text, const kc_sweep *s)
{
    kci_text_add(text, ",\"rejected\":[");
    for (size_t i = 0; i < s->reason_count; i++) {
        const kci_reason *reason = &s->reasons[i];
        kci_text_add(text, i ? ",{" : "{");
        key(text, "reason");
        kci_json_string(text, reason->text, strlen(reason->text));
        member_number(text, "points", reason->points);
        member_number(text, "first", reason->first);
        if (reason->sentence)
            member_text(text, "sentence", reason->sentence);
        kci_text_add(text, "}");
    }
    kci_text_add(text, "]");
}

/* All but the columns, without the closing brace. */
static void add_head(kci_text *text, const kc_sweep *s)
{
    kci_text_add(text, "{\"kind\":\"sweep\"");
    member_text(text, "name", s->name);
    member_number(text, "points", s->points);
    if (s->parts > 1 || s->interrupted)
        member_number(text, "done", s->done);
    if (s->interrupted)
        kci_text_add(text, ",\"interrupted\":true");
    if (s->parts > 1) {
        kci_text_format(text, ",\"shard\":[%u,%u],\"hash\":\"%016llx\",\"axes\":%zu", s->part, s->parts,
                        (unsigned long long)s->hash, s->axes);
    }
    member_number(text, "fit", s->fit);
    member_text(text, "keep", s->keep);
    add_reasons(text, s);
}

/* A field that does not apply in this row but does in others: there is no leaving it out. */
static void add_value(kci_text *text, const kc_sweep *s, size_t row, size_t column)
{
    double number;
    const char *word = kc_sweep_text(s, row, column);
    if (word)
        kci_json_string(text, word, strlen(word));
    else if (kc_sweep_number(s, row, column, &number) == KC_OK)
        kci_text_number(text, number);
    else
        kci_text_add(text, "null");
}

static bool applies(const kc_sweep *s, size_t column)
{
    for (size_t row = 0; row < kc_sweep_rows(s); row++)
        if (!isnan(kci_sweep_row(s, row)[1 + column]))
            return true;
    return column < s->axes;
}

kc_status kci_sweep_json(kci_text *text, const kc_sweep *s)
{
    add_head(text, s);
    kci_text_add(text, ",\"columns\":{\"point\":[");
    for (size_t row = 0; row < kc_sweep_rows(s); row++) {
        kci_text_add(text, row ? "," : "");
        kci_text_number(text, kc_sweep_point(s, row));
    }
    kci_text_add(text, "]");
    for (size_t c = 0; c < s->column_count; c++) {
        if (s->parts == 1 && !applies(s, c)) /* in a part it may be only there that it does not */
            continue;
        kci_text_add(text, ",");
        key(text, s->columns[c].name);
        kci_text_add(text, "[");
        for (size_t row = 0; row < kc_sweep_rows(s); row++) {
            kci_text_add(text, row ? "," : "");
            add_value(text, s, row, c);
        }
        kci_text_add(text, "]");
    }
    kci_text_add(text, "}}");
    return text->failed ? KC_ENOMEM : KC_OK;
}

kc_status kci_sweep_csv(kci_text *text, const kc_sweep *s)
{
    bool part = s->parts > 1;
    bool *shown = kci_alloc(text->context, s->column_count * sizeof *shown);
    if (!shown)
        return KC_ENOMEM;
    for (size_t c = 0; c < s->column_count; c++)
        shown[c] = part || applies(s, c);
    if (part) {
        kci_text_add(text, "# ");
        add_head(text, s);
        kci_text_add(text, "}\n");
    }
    for (size_t row = 0; row <= kc_sweep_rows(s) && !text->failed; row++) {
        bool first = true;
        if (part) {
            if (row == 0)
                kci_text_add(text, "point");
            else
                kci_text_number(text, kc_sweep_point(s, row - 1));
            first = false;
        }
        for (size_t c = 0; c < s->column_count; c++) {
            double number;
            if (!shown[c])
                continue;
            kci_text_add(text, first ? "" : ",");
            first = false;
            if (row == 0)
                kci_csv_cell(text, s->columns[c].name);
            else if (s->columns[c].text)
                kci_csv_cell(text, kc_sweep_text(s, row - 1, c));
            else if (kc_sweep_number(s, row - 1, c, &number) == KC_OK)
                kci_text_number(text, number);
        }
        kci_text_add(text, "\n");
    }
    kci_free(text->context, shown, s->column_count * sizeof *shown);
    return text->failed ? KC_ENOMEM : KC_OK;
}
