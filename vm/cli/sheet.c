/* sheet.c: a table of texts for people, through libsmartcols, that fits the terminal. */
#define _XOPEN_SOURCE 700

#include "sheet.h"

#include "output.h"
#include "page.h"

#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <libsmartcols.h>

#include "../model/si.h" /* knows prefixes, and nothing of the model */

typedef struct column {
    const char *title;
    bool right, used, dropped;
    int rank;
    size_t width;
} column;

enum { COLUMNS = 128 };

struct sheet {
    column columns[COLUMNS];
    size_t column_count;
    struct cell {
        char *text;                 /* NULL: empty */
        double value;               /* NAN: a text */
    } *cells;                       /* row by row */
    size_t cell_count, cell_capacity, rows, filled;
    bool failed;
};

sheet *sheet_new(void)
{
    return calloc(1, sizeof(sheet));
}

void sheet_free(sheet *s)
{
    for (size_t i = 0; s && i < s->cell_count; i++)
        free(s->cells[i].text);
    if (s)
        free(s->cells);
    free(s);
}

/* Columns that a text takes on the screen. */
static size_t width_of(const char *text)
{
    wchar_t wide[256];
    size_t count = mbstowcs(wide, text, sizeof wide / sizeof *wide);
    if (count >= sizeof wide / sizeof *wide) /* (size_t)-1: not of this encoding */
        return strlen(text);
    int width = wcswidth(wide, count);
    return width < 0 ? strlen(text) : (size_t)width;
}

void sheet_column(sheet *s, const char *title, bool right, int rank)
{
    if (s && s->column_count < COLUMNS)
        s->columns[s->column_count++] = (column){ title, right, false, false, rank, width_of(title) };
}

void sheet_row(sheet *s)
{
    if (!s || s->failed)
        return;
    size_t need = (s->rows + 1) * s->column_count;
    if (need > s->cell_capacity) {
        size_t capacity = 2 * need + 64;
        struct cell *cells = realloc(s->cells, capacity * sizeof *cells);
        if (!cells) {
            s->failed = true;
            return;
        }
        s->cells = cells;
        s->cell_capacity = capacity;
    }
    for (size_t i = s->cell_count; i < need; i++)
        s->cells[i] = (struct cell){ NULL, NAN };
    s->cell_count = need;
    s->rows++;
    s->filled = 0;
}

static void add_cell(sheet *s, const char *text, double value)
{
    if (!s || s->failed || s->filled >= s->column_count)
        return;
    column *c = &s->columns[s->filled++];
    if (!text || !*text)
        return;
    char *copy = strdup(text);
    if (!copy) {
        s->failed = true;
        return;
    }
    struct cell *cell = &s->cells[(s->rows - 1) * s->column_count + (size_t)(c - s->columns)];
    cell->text = copy;
    cell->value = value;
    c->used = true;
    size_t width = width_of(text);
    if (width > c->width)
        c->width = width;
}

void sheet_cell(sheet *s, const char *text)
{
    add_cell(s, text, NAN);
}

void quantity(char out[CELL_BYTES], double value, const char *unit)
{
    kci_si(out, value, unit);
    char *micro = strstr(out, " u");
    if (!micro || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        return;
    memmove(micro + 3, micro + 2, strlen(micro + 2) + 1);
    memcpy(micro, " \xc2\xb5", 3);
}

void sheet_quantity(sheet *s, double value, const char *unit)
{
    char text[CELL_BYTES];
    if (*unit)
        quantity(text, value, unit);
    else
        kci_significant(text, value, 3);
    add_cell(s, text, value);
}

void sheet_count(sheet *s, double value)
{
    char text[CELL_BYTES];
    if (value >= 1e6)
        quantity(text, value, "");
    else if (value == (double)(long)value)
        snprintf(text, sizeof text, "%ld", (long)value);
    else
        kci_significant(text, value, 3);
    add_cell(s, text, value);
}

void sheet_share(sheet *s, double share)
{
    char text[CELL_BYTES];
    kci_significant(text, 100 * share, 2);
    strcat(text, " %");
    add_cell(s, text, share);
}

static size_t total_width(const sheet *s)
{
    size_t total = 0;
    for (size_t i = 0; i < s->column_count; i++)
        if (s->columns[i].used && !s->columns[i].dropped)
            total += s->columns[i].width + 2;
    return total ? total - 2 : 0;
}

static void drop_columns(sheet *s, size_t width)
{
    for (size_t i = 0; i < s->column_count; i++)
        s->columns[i].dropped = false;
    while (width && total_width(s) > width) {
        column *worst = NULL;
        for (size_t i = 0; i < s->column_count; i++) {
            column *c = &s->columns[i];
            if (c->used && !c->dropped && c->rank > 0 && (!worst || c->rank >= worst->rank))
                worst = c;
        }
        if (!worst)
            return;
        worst->dropped = true;
    }
}

static bool shown(const column *c)
{
    return c->used && !c->dropped;
}

static struct libscols_table *fill(const sheet *s, FILE *out)
{
    struct libscols_table *t = scols_new_table();
    if (!t)
        return NULL;
    scols_table_set_stream(t, out);
    scols_table_set_column_separator(t, "  ");
    for (size_t i = 0; i < s->column_count; i++)
        if (shown(&s->columns[i]))
            scols_table_new_column(t, s->columns[i].title, 0,
                                   s->columns[i].right ? SCOLS_FL_RIGHT : SCOLS_FL_TRUNC);
    for (size_t row = 0; row < s->rows; row++) {
        struct libscols_line *line = scols_table_new_line(t, NULL);
        size_t at = 0;
        for (size_t i = 0; line && i < s->column_count; i++) {
            const char *cell = s->cells[row * s->column_count + i].text;
            if (shown(&s->columns[i]) && scols_line_set_data(line, at++, cell ? cell : "") != 0)
                line = NULL;
        }
        if (!line) {
            scols_unref_table(t);
            return NULL;
        }
    }
    return t;
}

void sheet_print(sheet *s, FILE *out, size_t width)
{
    char *text = NULL;
    if (!s || s->failed || s->rows == 0)
        return;
    drop_columns(s, width);
    struct libscols_table *t = fill(s, out);
    if (!t)
        return;
    if (width) {
        scols_table_set_termforce(t, SCOLS_TERMFORCE_ALWAYS);
        scols_table_set_termwidth(t, width);
    } else {
        scols_table_set_termforce(t, SCOLS_TERMFORCE_NEVER);
    }
    if (scols_print_table_to_string(t, &text) == 0 && text)
        output_trimmed(text, out); /* the last column is filled up with blanks, which no one wants in a file */
    free(text);
    scols_unref_table(t);
}

/* ---- HTML --------------------------------------------------------------------------- */

static void html_cell(const column *c, const struct cell *cell, FILE *out)
{
    fprintf(out, "<td%s", c->right ? " class=\"number\"" : "");
    if (!isnan(cell->value))
        fprintf(out, " data-value=\"%.15g\"", cell->value);
    fputs(">", out);
    page_escape(out, cell->text ? cell->text : "");
    fputs("</td>", out);
}

/* A line of sums stays last, however the others are sorted. */
static bool is_total(const sheet *s, const struct cell *cells)
{
    for (size_t i = 0; i < s->column_count && i < 2; i++)
        if (cells[i].text && strcmp(cells[i].text, "total") == 0)
            return true;
    return false;
}

void sheet_html(const sheet *s, FILE *out)
{
    if (!s || s->failed || s->rows == 0)
        return;
    fputs("<div class=\"wide\"><table><thead><tr>", out);
    for (size_t i = 0; i < s->column_count; i++) {
        if (!s->columns[i].used)
            continue;
        fprintf(out, "<th scope=\"col\"%s><button type=\"button\">", s->columns[i].right ? " class=\"number\"" : "");
        page_escape(out, s->columns[i].title);
        fputs("</button></th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
    for (size_t row = 0; row < s->rows; row++) {
        const struct cell *cells = &s->cells[row * s->column_count];
        fputs(is_total(s, cells) ? "<tr class=\"total\">" : "<tr>", out);
        for (size_t i = 0; i < s->column_count; i++)
            if (s->columns[i].used)
                html_cell(&s->columns[i], &cells[i], out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}
