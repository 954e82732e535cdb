/* sweep.c: a sweep as a table for people: a row a point, and why others are missing. */
#include "sweep.h"

#include <string.h>

#include "sheet.h"

enum { MOST_ROWS = 40, MOST_HTML_ROWS = 2000 }; /* without --verbose; in a report */

/* "byte" is written "B" in tables. */
static const char *short_unit(const char *unit)
{
    return strcmp(unit, "byte") == 0 ? "B" : strcmp(unit, "byte/s") == 0 ? "B/s" : strcmp(unit, "FLOP/byte") == 0 ? "" : unit;
}

static void cell(sheet *s, const kc_sweep *sweep, size_t row, size_t column)
{
    double number;
    const char *unit = kc_sweep_unit(sweep, column);
    if (kc_sweep_number(sweep, row, column, &number) != KC_OK)
        sheet_cell(s, kc_sweep_text(sweep, row, column));
    else if (*unit == '\0')
        sheet_count(s, number);
    else
        sheet_quantity(s, number, short_unit(unit));
}

static void rows(const page *p, const kc_sweep *sweep, size_t count)
{
    size_t columns = kc_sweep_columns(sweep), axes = kc_sweep_axes(sweep);
    sheet *s = sheet_new();
    for (size_t c = 0; c < columns; c++) {
        bool text = false;
        for (size_t row = 0; row < count && !text; row++)
            text = kc_sweep_text(sweep, row, c) != NULL;
        sheet_column(s, kc_sweep_column(sweep, c), !text, c < axes ? 1 : (int)(c - axes) + 2); /* the last fields go first */
    }
    for (size_t row = 0; row < count; row++) {
        sheet_row(s);
        for (size_t c = 0; c < columns; c++)
            cell(s, sweep, row, c);
    }
    page_sheet(p, s);
}

static void summary(const page *p, const kc_sweep *sweep, size_t shown)
{
    unsigned parts, part = kc_sweep_part(sweep, &parts);
    size_t kept = kc_sweep_rows(sweep);
    FILE *out = page_begin(p, "p");
    fprintf(out, "%.0f points of %s", kc_sweep_points(sweep), kc_sweep_name(sweep));
    if (parts > 1)
        fprintf(out, ", part %u of %u: %.0f", part, parts, kc_sweep_done(sweep));
    fprintf(out, "; %.0f fit; kept: %s", kc_sweep_fit(sweep), kc_sweep_keep(sweep));
    if (shown < kept)
        fprintf(out, ", %zu rows, of which %zu are shown", kept, shown);
    fputs("\n", out);
    if (kc_sweep_interrupted(sweep))
        fprintf(out, "interrupted after %.0f points: this is what was done by then\n", kc_sweep_done(sweep));
    page_end(p, "p", out);
}

/* "the best: device=h100-sxm5 stages=3 tile.m=128, time 218 µs": where it is not among the rows that are shown. */
static void best(const page *p, const kc_sweep *sweep, size_t shown)
{
    size_t row, axes = kc_sweep_axes(sweep);
    if (shown == kc_sweep_rows(sweep) || kc_sweep_best(sweep, &row) != KC_OK || row < shown)
        return;
    FILE *out = page_begin(p, "p");
    fputs("the best: ", out);
    for (size_t c = 0; c <= axes && c < kc_sweep_columns(sweep); c++) {
        char text[CELL_BYTES] = "";
        double number;
        bool is_number = kc_sweep_number(sweep, row, c, &number) == KC_OK;
        if (is_number && c == axes)
            quantity(text, number, short_unit(kc_sweep_unit(sweep, c)));
        else if (is_number)
            snprintf(text, sizeof text, "%.10g", number);
        fprintf(out, c == axes ? "%s%s %s" : "%s%s=%s", c == 0 ? "" : c == axes ? ", " : " ", kc_sweep_column(sweep, c),
                is_number ? text : kc_sweep_text(sweep, row, c));
    }
    fputs("\n", out);
    page_end(p, "p", out);
}

/* Where nothing fits, the sentence says by how much, and what would. */
static void reasons(const page *p, const kc_sweep *sweep)
{
    for (size_t i = 0; i < kc_sweep_reasons(sweep); i++) {
        const char *sentence = kc_sweep_sentence(sweep, i);
        double first;
        FILE *out = page_begin(p, "p");
        fprintf(out, "left out, %.0f: %s\n", kc_sweep_rejected(sweep, i, &first), kc_sweep_reason(sweep, i));
        if (sentence && (p->verbosity == VERBOSE || kc_sweep_fit(sweep) == 0))
            fprintf(out, "    point %.0f: %s\n", first, sentence);
        page_end(p, "p", out);
    }
}

void table_sweep(const page *p, const kc_sweep *sweep)
{
    size_t shown = kc_sweep_rows(sweep);
    size_t most = p->html ? MOST_HTML_ROWS : p->verbosity == VERBOSE ? shown : MOST_ROWS;
    if (shown > most)
        shown = most;
    rows(p, sweep, shown);
    if (p->verbosity == QUIET)
        return;
    summary(p, sweep, shown);
    best(p, sweep, shown);
    reasons(p, sweep);
    page_line(p, "p", kc_sweep_convention(sweep));
}
