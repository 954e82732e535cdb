/* sweep_read.c: a part of a sweep, read back from its JSON or CSV.
 *
 * Only what sweep_text.c writes is understood; of other members the values are skipped.  Whether
 * a column holds texts follows from its name. */
#include <math.h>
#include <string.h>

#include "result.h"
#include "sweep.h"

typedef struct reader {
    kc_context *context;
    const char *text, *at, *end;
    kc_sweep *sweep;
    bool failed;
} reader;

enum { NAME_BYTES = 128, DEEPEST = 32 };

static bool broken(reader *r, const char *what)
{
    if (!r->failed)
        kci_fail(r->context, KC_EARGUMENT, "merge: this is no part of a sweep: %s at byte %zu", what, (size_t)(r->at - r->text));
    r->failed = true;
    return false;
}

static bool no_memory(reader *r)
{
    r->failed = true;
    kci_fail(r->context, KC_ENOMEM, "not enough memory");
    return false;
}

/* ---- JSON, token by token ------------------------------------------------------------------ */

static char peek(reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at))
        r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static bool take(reader *r, char c)
{
    if (r->failed || peek(r) != c)
        return false;
    r->at++;
    return true;
}

static bool want(reader *r, char c)
{
    char what[] = "'?' is missing";
    what[1] = c;
    return take(r, c) || broken(r, what);
}

/* Only control characters are escaped by number. */
static char escaped(reader *r)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = r->at < r->end ? *r->at++ : '\0';
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter)
        return meant[letter - letters];
    int code = 0;
    for (int i = 0; c == 'u' && i < 4 && r->at < r->end; i++, r->at++) {
        char d = *r->at;
        code = code * 16 + (d <= '9' ? d - '0' : (d | 32) - 'a' + 10);
    }
    if (c != 'u' || code <= 0 || code > 127)
        broken(r, "an escape that is not known");
    return (char)code;
}

/* Appends the text; an empty one still has bytes. */
static bool read_text(reader *r, kci_text *out)
{
    if (!want(r, '"'))
        return false;
    while (r->at < r->end && *r->at != '"' && !r->failed) {
        char c = *r->at++;
        if (c == '\\')
            c = escaped(r);
        kci_text_add_n(out, &c, 1);
    }
    kci_text_add_n(out, "", 0);
    if (out->failed)
        return no_memory(r);
    return want(r, '"');
}

static double read_number(reader *r)
{
    const char *after = r->at;
    peek(r);
    double number = r->at < r->end ? kci_parse_number(r->at, &after) : 0;
    if (after == r->at || !isfinite(number)) {
        broken(r, "a number is wanted");
        return 0;
    }
    r->at = after;
    return number;
}

static bool take_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    peek(r);
    if ((size_t)(r->end - r->at) < length || strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool skip_value(reader *r, int depth)
{
    kci_text unused = { .context = r->context };
    char open = peek(r), close = open == '{' ? '}' : ']';
    if (depth > DEEPEST)
        return broken(r, "it is nested too deeply");
    if (open == '"') {
        read_text(r, &unused);
        kci_text_free(&unused);
    } else if (open == '{' || open == '[') {
        r->at++;
        while (!r->failed && !take(r, close)) {
            if (open == '{' && (!skip_value(r, depth + 1) || !want(r, ':')))
                return false;
            skip_value(r, depth + 1);
            if (peek(r) != close)
                want(r, ',');
        }
    } else if (!take_word(r, "true") && !take_word(r, "false") && !take_word(r, "null")) {
        read_number(r);
    }
    return !r->failed;
}

/* Calls `member` for each member of an object, its value to be read. */
static bool read_object(reader *r, bool (*member)(reader *r, const char *name, void *data), void *data)
{
    if (!want(r, '{'))
        return false;
    while (!r->failed && !take(r, '}')) {
        kci_text name = { .context = r->context };
        if (read_text(r, &name) && want(r, ':'))
            member(r, name.bytes, data);
        kci_text_free(&name);
        if (!r->failed && peek(r) != '}')
            want(r, ',');
    }
    return !r->failed;
}

/* ---- columns --------------------------------------------------------------------------------- */

static bool is_text(const char *name)
{
    return strcmp(name, "device") == 0 || strcmp(name, "order") == 0 || strncmp(name, "dtype.", 6) == 0 ||
           strcmp(name, "bound") == 0 || strcmp(name, "class") == 0;
}

static bool add_rows(reader *r, size_t count)
{
    kci_keeper *k = &r->sweep->keeper;
    if (!kci_reserve(r->context, &k->rows, &k->capacity, count, k->width * sizeof *k->rows))
        return no_memory(r);
    k->count = count;
    return true;
}

/* The i-th value of a column; text NULL: it does not apply. */
static bool set_text(reader *r, size_t row, size_t column, const char *text)
{
    double number = text ? kci_sweep_text_number(r->sweep, &r->sweep->columns[column], text) : NAN;
    if (number < 0)
        return no_memory(r);
    r->sweep->keeper.rows[row * r->sweep->keeper.width + 1 + column] = number;
    return true;
}

/* First the names of the columns and the number of rows, then the values. */
static bool count_column(reader *r, const char *name, void *data)
{
    size_t *rows = data;
    if (strcmp(name, "point") == 0) {
        if (!want(r, '['))
            return false;
        while (!r->failed && !take(r, ']')) {
            read_number(r);
            ++*rows;
            if (peek(r) != ']')
                want(r, ',');
        }
        return !r->failed;
    }
    return kci_sweep_add_column(r->sweep, name, is_text(name)) ? skip_value(r, 0) : no_memory(r);
}

static bool read_value(reader *r, size_t row, size_t column)
{
    double *values = r->sweep->keeper.rows + row * r->sweep->keeper.width;
    if (column > 0 && take_word(r, "null")) {
        values[column] = NAN;
    } else if (column > 0 && r->sweep->columns[column - 1].text) {
        kci_text text = { .context = r->context };
        bool good = read_text(r, &text) && set_text(r, row, column - 1, text.bytes);
        kci_text_free(&text);
        return good;
    } else {
        values[column] = read_number(r);
    }
    return !r->failed;
}

static bool fill_column(reader *r, const char *name, void *data)
{
    size_t column = 0, rows = r->sweep->keeper.count, *next = data;
    if (strcmp(name, "point") != 0)
        column = ++*next;
    if (!want(r, '['))
        return false;
    for (size_t row = 0; row < rows && !r->failed; row++)
        if ((row > 0 && !want(r, ',')) || !read_value(r, row, column))
            return false;
    return want(r, ']');
}

static bool read_columns(reader *r)
{
    const char *start = r->at;
    size_t rows = 0, next = 0;
    if (!read_object(r, count_column, &rows))
        return false;
    r->sweep->keeper.width = 1 + r->sweep->column_count;
    if (!add_rows(r, rows))
        return false;
    r->at = start;
    return read_object(r, fill_column, &next);
}

/* ---- the head --------------------------------------------------------------------------------- */

static bool read_into(reader *r, char **slot)
{
    kci_text text = { .context = r->context };
    if (!read_text(r, &text)) {
        kci_text_free(&text);
        return false;
    }
    return kci_text_keep(&text, slot) ? true : no_memory(r);
}

typedef struct reason {
    char *text, *sentence;
    double points, first;
} reason;

static bool reason_member(reader *r, const char *name, void *data)
{
    reason *of = data;
    if (strcmp(name, "reason") == 0)
        return read_into(r, &of->text);
    if (strcmp(name, "sentence") == 0)
        return read_into(r, &of->sentence);
    if (strcmp(name, "points") == 0)
        of->points = read_number(r);
    else if (strcmp(name, "first") == 0)
        of->first = read_number(r);
    else
        return skip_value(r, 0);
    return !r->failed;
}

static bool read_reasons(reader *r)
{
    if (!want(r, '['))
        return false;
    while (!r->failed && !take(r, ']')) {
        reason of = { NULL, NULL, 0, 0 };
        bool good = read_object(r, reason_member, &of);
        if (good && of.text && kci_sweep_reject(r->sweep, of.text, of.sentence, of.points, of.first, NULL) != KC_OK)
            no_memory(r);
        kci_free_text(r->context, of.text);
        kci_free_text(r->context, of.sentence);
        if (!r->failed && peek(r) != ']')
            want(r, ',');
    }
    return !r->failed;
}

static bool read_hash(reader *r)
{
    char *text = NULL;
    if (!read_into(r, &text))
        return false;
    for (const char *c = text; *c; c++)
        r->sweep->hash = r->sweep->hash * 16 + (unsigned)(*c <= '9' ? *c - '0' : (*c | 32) - 'a' + 10);
    kci_free_text(r->context, text);
    return true;
}

static bool read_shard(reader *r)
{
    double part = want(r, '[') ? read_number(r) : 0, parts = want(r, ',') ? read_number(r) : 0;
    if (!want(r, ']'))
        return false;
    if (!(part >= 1 && part <= parts && parts <= 1e9))
        return broken(r, "a shard that can't be");
    r->sweep->part = (unsigned)part;
    r->sweep->parts = (unsigned)parts;
    return true;
}

static bool head_member(reader *r, const char *name, void *data)
{
    kc_sweep *s = r->sweep;
    bool *is_sweep = data;
    if (strcmp(name, "kind") == 0) {
        char *kind = NULL;
        bool good = read_into(r, &kind);
        *is_sweep = good && strcmp(kind, "sweep") == 0;
        kci_free_text(r->context, kind);
        return good;
    }
    if (strcmp(name, "name") == 0)
        return read_into(r, &s->name);
    if (strcmp(name, "keep") == 0)
        return read_into(r, &s->keep);
    if (strcmp(name, "hash") == 0)
        return read_hash(r);
    if (strcmp(name, "shard") == 0)
        return read_shard(r);
    if (strcmp(name, "rejected") == 0)
        return read_reasons(r);
    if (strcmp(name, "columns") == 0)
        return read_columns(r);
    if (strcmp(name, "points") == 0)
        s->points = read_number(r);
    else if (strcmp(name, "fit") == 0)
        s->fit = read_number(r);
    else if (strcmp(name, "done") == 0)
        s->done = read_number(r);
    else if (strcmp(name, "axes") == 0)
        s->axes = (size_t)read_number(r);
    else if (strcmp(name, "interrupted") == 0)
        s->interrupted = take_word(r, "true");
    else
        return skip_value(r, 0);
    return !r->failed;
}

static bool read_head(reader *r)
{
    bool is_sweep = false;
    if (!read_object(r, head_member, &is_sweep))
        return false;
    return is_sweep || broken(r, "it is not of the kind sweep");
}

/* ---- CSV --------------------------------------------------------------------------------------- */

/* Appends the cell at hand, and goes behind it; false at the end of the line. */
static bool read_cell(reader *r, kci_text *cell)
{
    bool quoted = r->at < r->end && *r->at == '"';
    cell->length = 0;
    for (r->at += quoted; r->at < r->end; r->at++) {
        if (quoted && *r->at == '"' && !(r->at + 1 < r->end && r->at[1] == '"')) {
            r->at++;
            quoted = false;
            break;
        }
        if (!quoted && (*r->at == ',' || *r->at == '\n' || *r->at == '\r'))
            break;
        if (quoted && *r->at == '"')
            r->at++;
        kci_text_add_n(cell, r->at, 1);
    }
    kci_text_add_n(cell, "", 0);
    if (cell->failed)
        return no_memory(r);
    if (quoted)
        return broken(r, "a quote without its end");
    while (r->at < r->end && *r->at == '\r')
        r->at++;
    return r->at < r->end && *r->at == ',' ? (r->at++, true) : false;
}

static bool csv_header(reader *r)
{
    kci_text cell = { .context = r->context };
    bool more = read_cell(r, &cell);
    if (!r->failed && strcmp(cell.bytes, "point") != 0)
        broken(r, "the first column must be 'point'");
    while (more && !r->failed) {
        more = read_cell(r, &cell);
        if (!r->failed && !kci_sweep_add_column(r->sweep, cell.bytes, is_text(cell.bytes)))
            no_memory(r);
    }
    kci_text_free(&cell);
    r->sweep->keeper.width = 1 + r->sweep->column_count;
    return !r->failed;
}

static bool csv_value(reader *r, size_t row, size_t column, const kci_text *cell)
{
    double *value = r->sweep->keeper.rows + row * r->sweep->keeper.width + column;
    const char *end;
    if (column > 0 && r->sweep->columns[column - 1].text)
        return set_text(r, row, column - 1, cell->length ? cell->bytes : NULL);
    *value = NAN;
    if (cell->length == 0 && column > 0)
        return true;
    *value = kci_parse_number(cell->bytes, &end);
    return (*end == '\0' && cell->length > 0) || broken(r, "a cell that is no number");
}

static bool csv_rows(reader *r)
{
    kci_text cell = { .context = r->context };
    for (size_t row = 0; !r->failed; row++) {
        while (r->at < r->end && (*r->at == '\n' || *r->at == '\r'))
            r->at++;
        if (r->at == r->end)
            break;
        if (!add_rows(r, row + 1))
            break;
        bool more = true;
        for (size_t column = 0; column < r->sweep->keeper.width && !r->failed; column++) {
            if (!more)
                broken(r, "a row that is too short");
            more = read_cell(r, &cell);
            if (!r->failed)
                csv_value(r, row, column, &cell);
        }
        if (more)
            broken(r, "a row that is too long");
    }
    kci_text_free(&cell);
    return !r->failed;
}

static bool read_csv(reader *r)
{
    r->at += 2;
    if (!read_head(r))
        return false;
    if (peek(r) == '\0')
        return broken(r, "the table is missing");
    return csv_header(r) && csv_rows(r);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

/* Behind a document: nothing, or the next one of an array. */
static bool read_end(reader *r, bool array, const char **rest)
{
    *rest = NULL;
    if (array && take(r, ',')) {
        *rest = r->at - 1;
        return true;
    }
    if (array && !want(r, ']'))
        return false;
    return peek(r) == '\0' || broken(r, "something follows its end");
}

kc_sweep *kc_sweep_read(kc_context *context, const char *text, const char **rest)
{
    if (!context || !text || !rest)
        return NULL;
    kc_sweep *sweep = kci_sweep_new(context, "", "all");
    if (!sweep)
        return NULL;
    /* A zero byte stands at the end, at which every number ends. */
    reader r = { .context = context, .text = text, .at = text, .end = text + strlen(text), .sweep = sweep };
    bool csv = strncmp(text, "# ", 2) == 0, array = !csv && (take(&r, '[') || take(&r, ','));
    bool good = csv ? read_csv(&r) : read_head(&r);
    good = good && read_end(&r, array, rest);
    if (good && sweep->parts == 1)
        sweep->done = sweep->points;
    if (good && sweep->axes > sweep->column_count)
        good = broken(&r, "it has fewer columns than axes");
    if (good)
        return sweep;
    kc_release(sweep);
    return NULL;
}
