/* plot.c: a plot's points as a table for people, as CSV, in words. */
#include "plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sheet.h"

bool plot_mark_is_dot(mark_kind mark)
{
    return mark == DOT || mark == SQUARE || mark == TRIANGLE || mark == RING;
}

/* ---- texts ---------------------------------------------------------------------------- */

void plot_whole(char *text)
{
    size_t length = strlen(text), start = length;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)text[--start];
    size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (length - start < wanted)
        text[start] = '\0';
}

void plot_text(char *out, size_t size, const char *pattern, ...)
{
    va_list arguments;
    va_start(arguments, pattern);
    vsnprintf(out, size, pattern, arguments);
    va_end(arguments);
    plot_whole(out);
}

/* ---- for people ----------------------------------------------------------------------- */

static const char *short_unit(const char *unit)
{
    return strcmp(unit, "byte") == 0 ? "B" : strcmp(unit, "byte/s") == 0 ? "B/s"
           : strcmp(unit, "FLOP/byte") == 0 ? "FLOP/B" : unit;
}

void plot_quantity(char *out, size_t size, double value, const char *unit)
{
    char text[CELL_BYTES];
    if (strcmp(unit, "share") == 0) {
        snprintf(out, size, "%.2g %%", 100 * value);
        return;
    }
    if (!*unit && fabs(value) < 1e6 && value == floor(value)) {
        snprintf(out, size, "%.0f", value);
        return;
    }
    quantity(text, value, *unit ? short_unit(unit) : "");
    plot_whole(text); /* a plot may have any unit */
    plot_text(out, size, "%s", text);
}

/* A place on an axis: a name, or a quantity. */
static void place(char *out, size_t size, const axis *a, double value)
{
    size_t at = (size_t)(value < 1 ? 1 : value);
    if (a->scale == NAMES && at <= a->name_count)
        plot_text(out, size, "%s", a->names[at - 1]);
    else
        plot_quantity(out, size, value, a->unit);
}

static void add(char *out, size_t size, const char *text)
{
    size_t length = strlen(out);
    plot_text(out + length, size - length, "%s", text);
}

static void add_place(char *out, size_t size, const axis *a, double value, const char *between)
{
    char text[256];
    add(out, size, between);
    add(out, size, a->title);
    add(out, size, " ");
    place(text, sizeof text, a, value);
    add(out, size, text);
}

static void value_text(char *out, size_t size, const plot_column *column, const plot_value *value)
{
    if (value->text)
        plot_text(out, size, "%s", value->text);
    else
        plot_quantity(out, size, value->number, column->unit);
}

void plot_describe(const figure *plot, const series *s, const point *p, char *out, size_t size)
{
    char text[256];
    *out = '\0';
    if (*p->name) {
        add(out, size, p->name);
        if (plot_mark_is_dot(s->mark) && *s->name && p->number > 0) {
            add(out, size, ", ");
            add(out, size, s->name);
        }
        add(out, size, ": ");
    }
    if (s->mark == BAR && *s->name) {
        add(out, size, s->name);
        add(out, size, ", ");
    }
    add_place(out, size, &plot->x, p->x, "");
    if (plot->y.scale != NAMES || !*p->name)
        add_place(out, size, &plot->y, p->y, ", ");
    if (!isnan(p->z))
        add_place(out, size, &plot->z, p->z, ", ");
    for (size_t i = 0; p->values && i < plot->column_count; i++) {
        value_text(text, sizeof text, &plot->columns[i], &p->values[i]);
        if (!*text)
            continue;
        add(out, size, ", ");
        add(out, size, plot->columns[i].name);
        add(out, size, " ");
        add(out, size, text);
    }
}

/* Rows of the table: what a kernel, a point or a tile is, not the lines around them. */
static bool listed(const series *s)
{
    return plot_mark_is_dot(s->mark) || s->mark == BAR || s->mark == CELL || s->mark == CURVE;
}

enum { MOST_ROWS = 60 };

static void row(sheet *table, const figure *plot, const series *s, const point *p)
{
    char text[256];
    sheet_row(table);
    snprintf(text, sizeof text, "%d", p->number);
    sheet_cell(table, p->number > 0 ? text : NULL);
    sheet_cell(table, *p->name ? p->name : NULL);
    sheet_cell(table, s->name);
    place(text, sizeof text, &plot->x, p->x);
    sheet_cell(table, text);
    place(text, sizeof text, &plot->y, p->y);
    sheet_cell(table, plot->y.scale == NAMES && *p->name ? NULL : text);
    if (plot->has_z) {
        plot_quantity(text, sizeof text, p->z, plot->z.unit);
        sheet_cell(table, text);
    }
    for (size_t i = 0; p->values && i < plot->column_count; i++) {
        value_text(text, sizeof text, &plot->columns[i], &p->values[i]);
        sheet_cell(table, text);
    }
}

void plot_table(const page *p, const figure *plot)
{
    sheet *table = sheet_new();
    size_t rows = 0;
    sheet_column(table, "#", true, 1);
    sheet_column(table, "name", false, 0);
    sheet_column(table, "series", false, 5);
    sheet_column(table, plot->x.title, true, 2);
    sheet_column(table, plot->y.title, true, 3);
    if (plot->has_z)
        sheet_column(table, plot->z.title, true, 4);
    for (size_t i = 0; i < plot->column_count; i++)
        sheet_column(table, plot->columns[i].name, plot->columns[i].unit[0] != '\0', 6 + (int)i);
    for (size_t i = 0; i < plot->count; i++)
        for (size_t k = 0; listed(&plot->series[i]) && k < plot->series[i].count; k++)
            if (rows++ < MOST_ROWS || p->verbosity == VERBOSE)
                row(table, plot, &plot->series[i], &plot->series[i].points[k]);
    if (p->verbosity != QUIET)
        page_heading(p, "%s", plot->title);
    page_sheet(p, table);
    if (p->verbosity == QUIET)
        return;
    if (rows > MOST_ROWS && p->verbosity != VERBOSE) {
        FILE *out = page_begin(p, "p");
        fprintf(out, "%zu points, of which %d are shown\n", rows, MOST_ROWS);
        page_end(p, "p", out);
    }
    for (size_t i = 0; i < plot->note_count; i++)
        page_line(p, "p", plot->notes[i]);
}

/* ---- for programs ----------------------------------------------------------------------- */

/* A cell of up to three texts. */
static void csv_texts(FILE *out, const char *first, const char *second, const char *third)
{
    const char *const texts[] = { first, second, third };
    bool quoted = false;
    for (size_t i = 0; i < 3; i++)
        quoted = quoted || strpbrk(texts[i], ",\"");
    fputs(quoted ? "\"" : "", out);
    for (size_t i = 0; i < 3; i++)
        for (const char *at = texts[i]; *at; at++) {
            if (*at == '"')
                fputc('"', out);
            fputc(*at, out);
        }
    fputs(quoted ? "\"" : "", out);
}

static void csv_text(FILE *out, const char *text)
{
    csv_texts(out, text, "", "");
}

/* The fewest digits that read back. */
static void csv_number(FILE *out, double value)
{
    char text[40];
    if (isnan(value))
        return;
    if (value == floor(value) && fabs(value) < 9007199254740992.0) {
        fprintf(out, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

static void csv_place(FILE *out, const axis *a, double value)
{
    size_t at = (size_t)(value < 1 ? 1 : value);
    if (a->scale == NAMES && value == floor(value) && at <= a->name_count)
        csv_text(out, a->names[at - 1]);
    else if (a->scale != NAMES)
        csv_number(out, value);
}

static void csv_row(FILE *out, const figure *plot, const series *s, const point *p)
{
    csv_texts(out, s->of, *s->of ? " " : "", s->name);
    fputc(',', out);
    if (p->number > 0)
        fprintf(out, "%d", p->number);
    fputc(',', out);
    csv_text(out, p->name);
    fputc(',', out);
    csv_place(out, &plot->x, p->x);
    fputc(',', out);
    csv_place(out, &plot->y, p->y);
    if (plot->has_z) {
        fputc(',', out);
        csv_number(out, p->z);
    }
    for (size_t i = 0; i < plot->column_count; i++) {
        fputc(',', out);
        if (p->values && p->values[i].text)
            csv_text(out, p->values[i].text);
        else if (p->values)
            csv_number(out, p->values[i].number);
    }
    fputc('\n', out);
}

void plot_csv(const figure *plot, FILE *out)
{
    fputs("series,number,name,", out);
    csv_text(out, plot->x.name);
    fputc(',', out);
    csv_text(out, plot->y.name);
    if (plot->has_z) {
        fputc(',', out);
        csv_text(out, plot->z.name);
    }
    for (size_t i = 0; i < plot->column_count; i++) {
        fputc(',', out);
        csv_text(out, plot->columns[i].name);
    }
    fputc('\n', out);
    for (size_t i = 0; i < plot->count; i++)
        for (size_t k = 0; k < plot->series[i].count; k++)
            csv_row(out, plot, &plot->series[i], &plot->series[i].points[k]);
}
