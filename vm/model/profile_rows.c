/* profile_rows.c: the rows of a CSV out of pieces of any size: quotes, separators, line ends of any kind.
 *
 * A cell in quotes may hold separators, line ends and doubled quotes.  What follows a closing quote belongs to the
 * cell, as do quotes inside a plain one: kernel names that nobody quoted are read as they stand. */
#include "profile.h"

static void too_long(kci_p_rows *r)
{
    if (r->state == KCI_ROW_QUOTED)
        kci_fail(r->context, KC_EARGUMENT, "a quote that opens in line %zu is never closed", r->first);
    else
        kci_fail(r->context, KC_EARGUMENT, "line %zu is longer than any that a profiler writes", r->first);
    r->failed = true;
}

static inline void put(kci_p_rows *r, char c)
{
    if (r->length >= KCI_P_TEXT)
        too_long(r);
    else if (r->length >= r->capacity && !kci_reserve(r->context, &r->bytes, &r->capacity, r->length + 1, 1))
        r->failed = true;
    else
        r->bytes[r->length++] = c;
}

/* A cell begins where the row's text now ends. */
static void open_cell(kci_p_rows *r)
{
    if (!kci_reserve(r->context, &r->cells, &r->cell_capacity, r->count + 1, sizeof *r->cells)) {
        r->failed = true;
        return;
    }
    r->cells[r->count++] = (uint32_t)r->length;
    r->state = KCI_ROW_START;
}

static bool only_blanks(const kci_p_rows *r)
{
    for (size_t i = r->cells[r->count - 1]; i < r->length; i++)
        if (r->bytes[i] != ' ' && r->bytes[i] != '\t')
            return false;
    return true;
}

static void open_quote(kci_p_rows *r)
{
    r->length = r->cells[r->count - 1];
    r->state = KCI_ROW_QUOTED;
}

/* One character that ends neither cell nor row. */
static void take_plain(kci_p_rows *r, char c)
{
    if (c == '"' && r->separator && (r->state == KCI_ROW_START || (r->state == KCI_ROW_PLAIN && only_blanks(r)))) {
        open_quote(r);
        return;
    }
    put(r, c);
    if (r->state == KCI_ROW_START)
        r->state = KCI_ROW_PLAIN;
}

static void take_quoted(kci_p_rows *r, char c)
{
    if (c == '"')
        r->state = KCI_ROW_QUOTE;
    else
        put(r, c);
}

/* A row of one empty cell is none. */
static void end_row(kci_p_rows *r)
{
    bool empty = r->count == 1 && r->length == 0;
    put(r, '\0');
    if (empty)
        kci_rows_clear(r);
    else
        r->ready = !r->failed;
}

static void take(kci_p_rows *r, char c)
{
    if (r->count == 0) {
        r->first = r->line + 1;
        open_cell(r);
        if (r->failed)
            return;
    }
    if (r->state == KCI_ROW_QUOTED) {
        r->line += c == '\n';
        take_quoted(r, c);
        return;
    }
    if (r->state == KCI_ROW_QUOTE && c == '"') { /* a doubled one */
        put(r, c);
        r->state = KCI_ROW_QUOTED;
        return;
    }
    if (c == '\n' || c == '\r') {
        r->line++;
        end_row(r);
    } else if (c == r->separator && c != '\0') {
        put(r, '\0');
        open_cell(r);
    } else if (r->state == KCI_ROW_QUOTE) {
        put(r, c);
    } else {
        take_plain(r, c);
    }
}

/* Characters at the start of `bytes` that only add to the cell; those that there is room for. */
static size_t take_run(kci_p_rows *r, const char *bytes, size_t length)
{
    bool quoted = r->state == KCI_ROW_QUOTED;
    size_t room = r->capacity - r->length, i = 0;
    if (!quoted && r->state != KCI_ROW_PLAIN)
        return 0;
    length = length < room ? length : room;
    for (; i < length && bytes[i] != '"' && bytes[i] != '\n'; i++) {
        if (!quoted && (bytes[i] == r->separator || bytes[i] == '\r'))
            break;
        r->bytes[r->length + i] = bytes[i];
    }
    r->length += i;
    return i;
}

size_t kci_rows_take(kci_p_rows *r, const char *bytes, size_t length)
{
    size_t i = 0;
    while (i < length && !r->ready && !r->failed) {
        i += take_run(r, bytes + i, length - i);
        if (i == length)
            break;
        char c = bytes[i++];
        bool second = c == '\n' && r->after_return; /* of "\r\n" */
        r->after_return = c == '\r' && r->state != KCI_ROW_QUOTED;
        if (!second)
            take(r, c);
    }
    return i;
}

void kci_rows_end(kci_p_rows *r, bool *cut)
{
    *cut = r->count > 0 && r->state == KCI_ROW_QUOTED;
    if (r->count > 0 && !r->failed)
        end_row(r);
}

void kci_rows_clear(kci_p_rows *r)
{
    r->length = r->count = 0;
    r->state = KCI_ROW_START;
    r->ready = false;
}

void kci_rows_free(kci_p_rows *r)
{
    kci_free(r->context, r->bytes, r->capacity);
    kci_free(r->context, r->cells, r->cell_capacity * sizeof *r->cells);
}
