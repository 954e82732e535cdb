/* terminal.c: the terminal behind a stream: its width, whether it shows colours; text for people that fits it. */
#define _GNU_SOURCE                 /* fopencookie: a stream that breaks the lines that go through; TIOCGWINSZ, wcwidth */

#include "terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>
#include <wchar.h>

/* One command line has one answer, for results and for errors. */
static colour_when colours = COLOUR_AUTO;

void terminal_colours(colour_when when)
{
    colours = when;
}

bool terminal_is(FILE *stream)
{
    int fd = fileno(stream);
    return fd >= 0 && isatty(fd);
}

size_t terminal_width(FILE *stream)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    long asked = columns ? strtol(columns, NULL, 10) : 0;
    if (asked > 0 && asked < 10000)
        return (size_t)asked;
    if (!terminal_is(stream))
        return 0;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool terminal_moves(FILE *stream)
{
    const char *term = getenv("TERM");
    return terminal_is(stream) && term && *term && strcmp(term, "dumb") != 0;
}

bool terminal_has_colours(FILE *stream)
{
    const char *no = getenv("NO_COLOR");
    if (colours != COLOUR_AUTO)
        return colours == COLOUR_ALWAYS;
    return terminal_moves(stream) && !(no && *no);
}

/* ---- columns ------------------------------------------------------------------------- */

enum { TAB = 8 };                   /* at most */

/* Bytes of the character at the start, and the columns that it takes: none of a sequence of colour; a byte that is none
 * of the terminal's encoding takes one. */
static size_t character(const char *text, size_t length, size_t *columns)
{
    *columns = 0;
    if (length > 1 && text[0] == '\033' && text[1] == '[') {
        size_t end = 2;
        while (end < length && (text[end] < '@' || text[end] > '~'))
            end++;
        return end < length ? end + 1 : length;
    }
    mbstate_t state = { 0 };
    wchar_t wide;
    size_t bytes = mbrtowc(&wide, text, length, &state);
    if (bytes == 0 || bytes > length) { /* (size_t)-1, -2: not of this encoding */
        *columns = 1;
        return 1;
    }
    int taken = wide == L'\t' ? TAB : wcwidth(wide);
    *columns = taken > 0 ? (size_t)taken : 0;
    return bytes;
}

size_t terminal_columns(const char *text, size_t length)
{
    size_t sum = 0, columns;
    for (size_t at = 0; at < length; sum += columns)
        at += character(text + at, length - at, &columns);
    return sum;
}

/* ---- bytes of scripts -------------------------------------------------------------------- */

static bool guarded;

void terminal_guard(void)
{
    guarded = true;
}

/* The length of a sequence that sets a colour at the start of a text; 0: there is none. */
static size_t colour_length(const char *text, size_t length)
{
    size_t end = 2;
    if (length < 3 || text[0] != '\033' || text[1] != '[')
        return 0;
    while (end < length && ((text[end] >= '0' && text[end] <= '9') || text[end] == ';'))
        end++;
    return end < length && text[end] == 'm' ? end + 1 : 0;
}

/* The length of the character at the start, which may be printed as it is; 0: it may not.  What we say ourselves is UTF-8 in
 * any locale, and so are terminals in the locale C; they obey characters from U+0080 to U+009F too. */
static size_t printable_length(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x80)
        return at[0] == '\n' || at[0] == '\t' || (at[0] >= ' ' && at[0] != 0x7F);
    size_t bytes = at[0] < 0xC2 || at[0] > 0xF4 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (bytes == 0 || bytes > length)
        return 0;
    bool control = at[0] == 0xC2 && at[1] < 0xA0;
    bool overlong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xF0 && at[1] < 0x90);
    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    return control || overlong ? 0 : bytes;
}

/* What a terminal could take for an order goes as libsmartcols writes it in tables: "\x1b". */
static void put_visible(FILE *out, const char *text, size_t length, bool coloured)
{
    size_t plain = 0, at = 0;       /* from the one to the other it goes as it is */
    while (at < length) {
        size_t bytes = printable_length(text + at, length - at);
        if (bytes == 0 && coloured)
            bytes = colour_length(text + at, length - at);
        if (bytes > 0) {
            at += bytes;
            continue;
        }
        fwrite(text + plain, 1, at - plain, out);
        fprintf(out, "\\x%02x", (unsigned)(unsigned char)text[at]);
        plain = ++at;
    }
    fwrite(text + plain, 1, at - plain, out);
}

/* ---- a line ---------------------------------------------------------------------------- */

static size_t blanks(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && text[count] == ' ')
        count++;
    return count;
}

/* Where the text behind the next gap begins, of two blanks or more, which is none between two sentences; 0: there is none. */
static size_t behind_gap(const char *line, size_t length, size_t from)
{
    for (size_t at = from + blanks(line + from, length - from); at < length; at++) {
        size_t gap = blanks(line + at, length - at);
        if (gap > 1 && line[at - 1] != '.')
            return at + gap < length ? at + gap : 0;
    }
    return 0;
}

/* Where the word at `at` ends; with it goes what belongs to a number: "101 MB", "72 %". */
static size_t word_end(const char *text, size_t length, size_t at)
{
    enum { UNIT = 7 };              /* letters of "PFLOP/s" */
    while (at < length && text[at] != ' ')
        at++;
    if (at == 0 || at + 1 >= length || text[at - 1] < '0' || text[at - 1] > '9')
        return at;
    size_t end = at + 1;
    while (end < length && text[end] != ' ')
        end++;
    char first = text[at + 1];
    bool unit = end - at - 1 <= UNIT && (first == '%' || ((first | 32) >= 'a' && (first | 32) <= 'z'));
    return unit ? end : at;
}

/* How much of the text goes on a line that has room for `room` columns: the words that fit; of a word that no line of
 * `widest` columns could hold what ends with a comma, else all of it. */
static size_t piece(const char *text, size_t length, size_t room, size_t widest)
{
    size_t fits = 0, word = 0, end = 0;
    while (end < length) {
        word = end + blanks(text + end, length - end);
        end = word_end(text, length, word);
        if (terminal_columns(text, end) > room)
            break;
        fits = end;
    }
    if (fits == length || (fits > 0 && terminal_columns(text + word, end - word) <= widest))
        return fits;
    for (size_t comma = end; comma > word; comma--)
        if (text[comma - 1] == ',' && terminal_columns(text, comma) <= room)
            return comma;
    return fits ? fits : end;
}

static void put_blanks(FILE *out, size_t count)
{
    fprintf(out, "%*s", (int)count, "");
}

static void put_line(FILE *out, const char *text, size_t length)
{
    fwrite(text, 1, length, out);
    fputc('\n', out);
}

/* The rest of a line, `column` columns of which are taken; its further lines stand at `indent`. */
static void put_rest(FILE *out, const char *text, size_t length, size_t column, size_t indent, size_t width)
{
    for (;;) {
        size_t count = piece(text, length, width > column ? width - column : 1, width - indent);
        put_line(out, text, count);
        count += blanks(text + count, length - count);
        text += count;
        length -= count;
        if (length == 0)
            return;
        put_blanks(out, column = indent);
    }
}

/* A row of a table: the cells that fit, then the others as if the table were cut between two columns. */
static void put_row(FILE *out, const char *row, size_t length, size_t width)
{
    enum { GAP = 2 };
    size_t fits = 0, next = 0, end;
    while ((next = behind_gap(row, length, next)) > 0) {
        size_t after = behind_gap(row, length, next);
        for (end = after ? after : length; end > next && row[end - 1] == ' '; end--)
            ;
        size_t start = next;
        while (row[start - 1] == ' ')
            start--;
        if (fits == 0 || terminal_columns(row, start) <= width)
            fits = start;
        if (terminal_columns(row, end) > width)
            break;
    }
    if (next == 0 || fits == 0) {
        put_rest(out, row, length, 0, 0, width);
        return;
    }
    put_line(out, row, fits);
    put_blanks(out, GAP);
    row += fits + GAP;
    length -= fits + GAP;
    if (terminal_columns(row, length) + GAP <= width)
        put_line(out, row, length);
    else
        put_row(out, row, length, width - GAP);
}

void terminal_line(FILE *out, const char *line, size_t length, size_t width)
{
    enum { HANGING = 2, BELOW = 4 };
    if (width == 0 || terminal_columns(line, length) <= width) {
        put_line(out, line, length);
        return;
    }
    size_t lead = blanks(line, length), gap = behind_gap(line, length, 0), column = gap ? terminal_columns(line, gap) : 0;
    size_t hanging = lead + HANGING < width ? lead + HANGING : 0, below = lead + BELOW < width ? lead + BELOW : 0;
    if (gap && behind_gap(line, length, gap)) {
        put_row(out, line, length, width);
    } else if (gap == 0 || column > width) {
        put_rest(out, line, length, 0, hanging, width);
    } else if (column <= width / 2) {
        fwrite(line, 1, gap, out);
        put_rest(out, line + gap, length - gap, column, column, width);
    } else { /* the text has lines of its own */
        size_t left = gap;
        while (line[left - 1] == ' ')
            left--;
        put_line(out, line, left);
        put_blanks(out, below);
        put_rest(out, line + gap, length - gap, below, below, width);
    }
}

/* ---- a stream of lines ------------------------------------------------------------------ */

enum { LINE = 256 };                /* bytes of a line, at first */

typedef struct fitter {
    FILE *out;
    size_t width;
    bool guarded;
    char *line;                     /* what has no end yet */
    size_t length, capacity;
} fitter;

/* In no lines. */
static void put(const fitter *f, const char *text, size_t length)
{
    if (f->guarded)
        put_visible(f->out, text, length, true);
    else
        fwrite(text, 1, length, f->out);
}

/* Without memory the line goes as it is. */
static void keep(fitter *f, const char *text, size_t length)
{
    if (f->length + length > f->capacity) {
        size_t capacity = 2 * (f->length + length);
        char *grown = realloc(f->line, capacity);
        if (!grown) {
            put(f, f->line, f->length);
            put(f, text, length);
            f->length = 0;
            return;
        }
        f->line = grown;
        f->capacity = capacity;
    }
    memcpy(f->line + f->length, text, length);
    f->length += length;
}

static void put_guarded_line(const fitter *f)
{
    char *line = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&line, &length);
    if (out)
        put_visible(out, f->line, f->length, true);
    if (out && fclose(out) == 0) {
        terminal_line(f->out, line, length, f->width);
    } else { /* no memory */
        put(f, f->line, f->length);
        fputc('\n', f->out);
    }
    free(line);
}

static ssize_t fit(void *data, const char *text, size_t size)
{
    fitter *f = data;
    for (size_t left = size; left > 0;) {
        const char *end = memchr(text, '\n', left);
        size_t length = end ? (size_t)(end - text) : left;
        keep(f, text, length);
        if (end) {
            if (f->guarded)
                put_guarded_line(f);
            else
                terminal_line(f->out, f->line, f->length, f->width);
            f->length = 0;
        }
        length += end != NULL;
        text += length;
        left -= length;
    }
    return (ssize_t)size;
}

static int end_fit(void *data)
{
    fitter *f = data;
    put(f, f->line, f->length); /* a last line without an end keeps none */
    free(f->line);
    free(f);
    return 0;
}

FILE *terminal_fit(FILE *out, size_t width)
{
    cookie_io_functions_t functions = { .write = fit, .close = end_fit };
    fitter *f = width ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return out;
    *f = (fitter){ .out = out, .width = width, .guarded = guarded && terminal_is(out), .line = malloc(LINE), .capacity = LINE };
    FILE *stream = f->line ? fopencookie(f, "w", functions) : NULL;
    if (stream)
        return stream;
    free(f->line);
    free(f);
    return out;
}

void terminal_fitted(FILE *fit, FILE *out)
{
    if (fit != out)
        fclose(fit);
}

/* ---- messages ----------------------------------------------------------------------------- */

static void put_message(FILE *out, const char *lead, const char *text)
{
    FILE *fitting = terminal_fit(out, terminal_width(out));
    fputs(lead, fitting);
    put_visible(fitting, text, strlen(text), false);
    fputs("\n", fitting);
    terminal_fitted(fitting, out);
}

void terminal_text(FILE *out, const char *text)
{
    put_message(out, "", text);
}

bool complain(const char *format, ...)
{
    char brief[1024], *whole = NULL;    /* there may be no memory, which is why it complains */
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(brief, sizeof brief, format, arguments);
    if (length >= (int)sizeof brief)
        whole = malloc((size_t)length + 1);
    if (whole)
        vsnprintf(whole, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    bool coloured = terminal_has_colours(stderr);
    put_message(stderr, coloured ? TERMINAL_ERROR "kcost:" TERMINAL_PLAIN " " : "kcost: ", whole ? whole : brief);
    free(whole);
    return false;
}
