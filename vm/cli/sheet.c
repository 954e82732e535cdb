/* sheet.c: a table of texts for people, through libsmartcols, that fits the terminal. */
#define _POSIX_C_SOURCE 200809L

#include "sheet.h"

#include "output.h"
#include "page.h"
#include "terminal.h"

#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libsmartcols.h>

#include "../model/si.h" /* knows prefixes, and nothing of the model */

typedef struct column {
    const char *title;
    bool right, used;
    bool told, dropped;             /* while it is printed: by a table above; not by this one */
    int rank;
    size_t width, word;             /* of its longest text, of its longest word */
    size_t room;                    /* that it has in this table */
} column;

enum { COLUMNS = 128 };

struct sheet {
    column columns[COLUMNS];
    size_t column_count;
    struct cell {
        char *text;                 /* NULL: empty */
        double value;               /* NAN: a text */
        const char *colour;         /* NULL: none */
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

static size_t width_of(const char *text)
{
    return terminal_columns(text, strlen(text));
}

static size_t longest_word(const char *text)
{
    size_t longest = 0;
    for (;;) {
        size_t length = strcspn(text, " "), width = terminal_columns(text, length);
        longest = width > longest ? width : longest;
        if (text[length] == '\0')
            return longest;
        text += length + 1;
    }
}

static void widen(column *c, const char *text)
{
    size_t width = width_of(text), word = longest_word(text);
    c->width = width > c->width ? width : c->width;
    c->word = word > c->word ? word : c->word;
}

void sheet_column(sheet *s, const char *title, bool right, int rank)
{
    if (!s || s->column_count >= COLUMNS)
        return;
    column *c = &s->columns[s->column_count++];
    *c = (column){ .title = title, .right = right, .rank = rank, .width = width_of(title), .word = width_of(title) };
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
        s->cells[i] = (struct cell){ NULL, NAN, NULL };
    s->cell_count = need;
    s->rows++;
    s->filled = 0;
}

static void add_cell(sheet *s, const char *text, double value, const char *colour)
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
    cell->colour = colour;
    c->used = true;
    widen(c, text);
}

void sheet_cell(sheet *s, const char *text)
{
    add_cell(s, text, NAN, NULL);
}

void sheet_marked(sheet *s, const char *text, const char *colour)
{
    add_cell(s, text, NAN, colour);
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
    add_cell(s, text, value, NULL);
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
    add_cell(s, text, value, NULL);
}

void sheet_share(sheet *s, double share)
{
    char text[CELL_BYTES];
    kci_significant(text, 100 * share, 2);
    strcat(text, " %");
    add_cell(s, text, share, NULL);
}

/* ---- in so many columns ---------------------------------------------------------------- */

enum { GAP = 2 };                   /* between two columns */

static bool shown(const column *c)
{
    return c->used && !c->dropped;
}

/* What a column makes do with.  The first ones' texts are broken, at first to half of the terminal; of a whole table all
 * texts, at first to a third. */
static size_t least_room(const column *c, sheet_style style)
{
    size_t share = style.width / (c->rank == 0 ? 2 : 3), least = c->word > share ? c->word : share;
    bool breaks = style.width > 0 && (style.whole || c->rank == 0);
    return breaks && c->width > least ? least : c->width;
}

static size_t room_taken(const sheet *s, sheet_style style)
{
    size_t total = 0;
    for (size_t i = 0; i < s->column_count; i++)
        if (shown(&s->columns[i]))
            total += least_room(&s->columns[i], style) + GAP;
    return total ? total - GAP : 0;
}

/* Columns that are left to tell, and the names of the rows; then the last by rank go until the others fit. */
static void drop_columns(sheet *s, sheet_style style)
{
    for (size_t i = 0; i < s->column_count; i++) {
        column *c = &s->columns[i];
        c->dropped = c->told && (c->rank > 0 || c->right);
    }
    while (style.width && room_taken(s, style) > style.width) {
        column *worst = NULL;
        for (size_t i = 0; i < s->column_count; i++) {
            column *c = &s->columns[i];
            if (shown(c) && c->rank > 0 && (!worst || c->rank >= worst->rank))
                worst = c;
        }
        if (!worst)
            return;
        worst->dropped = true;
    }
}

/* What is left over goes to the texts, from the left. */
static void give_room(sheet *s, sheet_style style)
{
    size_t taken = room_taken(s, style), left = style.width > taken ? style.width - taken : 0;
    for (size_t i = 0; i < s->column_count; i++) {
        column *c = &s->columns[i];
        size_t least = least_room(c, style), more = c->width - least < left ? c->width - least : left;
        c->room = least;
        if (!shown(c))
            continue;
        c->room += more;
        left -= more;
    }
}

/* Does a table below have something to tell? */
static bool more_to_tell(sheet *s)
{
    bool news = false, left = false;
    for (size_t i = 0; i < s->column_count; i++) {
        column *c = &s->columns[i];
        news = news || (shown(c) && !c->told);
        c->told = c->told || shown(c);
        left = left || (c->used && !c->told);
    }
    return news && left;
}

/* Is there anything to print? */
static bool has_rows(const sheet *s)
{
    bool whole = s && !s->failed;
    if (!whole)
        output_lacks_memory();
    return whole && s->rows > 0;
}

/* ---- as text ----------------------------------------------------------------------------- */

/* A text in lines; to be freed.  NULL: no memory. */
static char *broken(const char *text, size_t width)
{
    char *lines = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&lines, &size);
    if (!out)
        return NULL;
    terminal_line(out, text, strlen(text), width);
    if (fclose(out) != 0 || size == 0) {
        free(lines);
        return NULL;
    }
    lines[size - 1] = '\0'; /* the last line's end */
    return lines;
}

static bool set_cell(struct libscols_line *line, size_t at, const column *c, const struct cell *cell)
{
    const char *text = cell->text ? cell->text : "";
    struct libscols_cell *place = scols_line_get_cell(line, at);
    if (!place || (cell->colour && scols_cell_set_color(place, cell->colour) != 0))
        return false;
    if (c->room >= c->width)
        return scols_line_set_data(line, at, text) == 0;
    char *lines = broken(text, c->room);
    bool good = lines && scols_line_refer_data(line, at, lines) == 0;
    if (!good)
        free(lines);
    return good;
}

static bool add_column(struct libscols_table *t, const column *c)
{
    bool breaks = c->room < c->width;
    struct libscols_column *made =
        scols_table_new_column(t, c->title, 0, (c->right ? SCOLS_FL_RIGHT : 0) | (breaks ? SCOLS_FL_WRAP : 0));
    return made && (!breaks || (scols_column_set_safechars(made, "\n") == 0 &&
                                scols_column_set_wrapfunc(made, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL) == 0));
}

static bool fill(const sheet *s, struct libscols_table *t)
{
    for (size_t i = 0; i < s->column_count; i++)
        if (shown(&s->columns[i]) && !add_column(t, &s->columns[i]))
            return false;
    for (size_t row = 0; row < s->rows; row++) {
        struct libscols_line *line = scols_table_new_line(t, NULL);
        size_t at = 0;
        for (size_t i = 0; i < s->column_count; i++)
            if (shown(&s->columns[i]) && !(line && set_cell(line, at++, &s->columns[i], &s->cells[row * s->column_count + i])))
                return false;
    }
    return true;
}

static const char *first_title(const sheet *s)
{
    size_t i = 0;
    while (i < s->column_count && !shown(&s->columns[i]))
        i++;
    return i < s->column_count ? s->columns[i].title : "";
}

/* The table as text, to be freed.  NULL: no memory, which libsmartcols does not say of a stream of its own, nor where it leaves
 * out the line of titles. */
static char *table_text(const sheet *s, struct libscols_table *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    scols_table_set_stream(t, out);
    bool whole = scols_print_table(t) == 0 && fflush(out) == 0 && !ferror(out) && size > 0;
    if (fclose(out) == 0 && whole && text && strstr(text, first_title(s)))
        return text;
    free(text);
    return NULL;
}

static void print_shown(const sheet *s, FILE *out, sheet_style style)
{
    struct libscols_table *t = scols_new_table();
    if (!t) {
        output_lacks_memory();
        return;
    }
    bool gapped = scols_table_set_column_separator(t, "  ") == 0;
    scols_table_enable_colors(t, style.colours);
    scols_table_set_termforce(t, style.width ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
    scols_table_set_termwidth(t, style.width);
    char *text = gapped && fill(s, t) ? table_text(s, t) : NULL;
    if (text)
        output_trimmed(text, out); /* the last column is filled up with blanks, which no one wants in a file */
    else
        output_lacks_memory();
    free(text);
    scols_unref_table(t);
}

void sheet_print(sheet *s, FILE *out, sheet_style style)
{
    if (!has_rows(s))
        return;
    for (size_t i = 0; i < s->column_count; i++)
        s->columns[i].told = false;
    for (bool more = true; more;) {
        drop_columns(s, style);
        give_room(s, style);
        print_shown(s, out, style);
        more = more_to_tell(s) && style.whole;
        fputs(more ? "\n" : "", out);
    }
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
    if (!has_rows(s))
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
