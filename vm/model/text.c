/* text.c: texts that grow, and the nearest names to a misspelt one. */
#include <stdio.h>
#include <string.h>

#include "base.h"

/* ---- growing text --------------------------------------------------------- */

enum { STEPS = 8 };             /* of the watch, for a word */

kci_text kci_text_part(kc_context *context, char *bytes, size_t size)
{
    bytes[0] = '\0';
    return (kci_text){ .context = context, .bytes = bytes, .capacity = size, .fixed = true };
}

/* For how many more bytes there is room. */
static size_t fitting(const kci_text *text, size_t more)
{
    size_t left = text->capacity - text->length - 1;
    return text->fixed && more > left ? left : more;
}

static bool room(kci_text *text, size_t more)
{
    if (text->failed)
        return false;
    if (kci_spend(text->context, "text", STEPS + more / 64) != KC_OK) {
        text->failed = true;
        return false;
    }
    if (text->fixed)
        return true;
    if (more >= SIZE_MAX / 2 - text->length) {
        kci_fail(text->context, KC_ENOMEM, "not enough memory");
        text->failed = true;
    } else if (!kci_reserve(text->context, &text->bytes, &text->capacity, text->length + more + 1, 1)) {
        text->failed = true;
    }
    return !text->failed;
}

void kci_text_add_n(kci_text *text, const char *bytes, size_t length)
{
    if (!room(text, length))
        return;
    length = fitting(text, length);
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

void kci_text_add(kci_text *text, const char *bytes)
{
    kci_text_add_n(text, bytes, strlen(bytes));
}

void kci_text_format(kci_text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length < 0 || !room(text, (size_t)length))
        return;
    size_t fits = fitting(text, (size_t)length);
    va_start(list, format);
    vsnprintf(text->bytes + text->length, fits + 1, format, list);
    va_end(list);
    text->length += fits;
}

void kci_text_number(kci_text *text, double number)
{
    char digits[32];
    kci_text_add_n(text, digits, kci_format_number(number, digits));
}

void kci_text_free(kci_text *text)
{
    kci_free(text->context, text->bytes, text->capacity);
    text->bytes = NULL;
    text->length = text->capacity = 0;
}

const char *kci_text_keep(kci_text *text, char **slot)
{
    if (text->failed || !room(text, 0)) {
        kci_text_free(text);
        return NULL;
    }
    text->bytes[text->length] = 0;
    /* kci_free_text takes a text's size from its length, so the block must fit. */
    size_t length = strlen(text->bytes);
    char *kept = kci_resize(text->context, text->bytes, text->capacity, length + 1);
    if (!kept) {
        kci_text_free(text);
        return NULL;
    }
    kci_free_text(text->context, *slot);
    *slot = kept;
    text->bytes = NULL;
    text->length = text->capacity = 0;
    return kept;
}

/* ---- nearest names ---------------------------------------------------------- */

enum { WORD = 48, NAMES = 3 };

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, changes and swaps of neighbours that make b of a
 * (optimal string alignment), upper and lower case alike. */
static int distance(const char *a, int length_a, const char *b, int length_b)
{
    int rows[3][WORD + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= length_b; j++)
        last[j] = j;
    for (int i = 1; i <= length_a; i++) {
        row[0] = i;
        for (int j = 1; j <= length_b; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = least(least(last[j] + 1, row[j - 1] + 1), last[j - 1] + !same);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        int *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[length_b];
}

/* How far `name` is from `word`.  The beginning of a longer name counts as well, a
 * step further away: "a100" and "a1000" are near "a100-sxm4-40gb".  A large number:
 * not near at all. */
static int farness(const char *word, int length, const char *name)
{
    const int far = 1000;
    size_t size = 0;
    while (size <= WORD && name[size])
        size++;
    if (size > WORD)
        return far;
    int name_length = (int)size;
    int allowed = length <= 3 ? 1 : length <= 8 ? 2 : 3;
    int steps = distance(word, length, name, name_length);
    if (length >= 3)
        for (int part = length - 1; part <= length + 1 && part < name_length; part++) {
            int of_part = 1 + distance(word, length, name, part);
            if (of_part <= 2 && of_part < steps)
                steps = of_part;
        }
    return steps <= allowed && steps < length ? steps : far;
}

const char *kci_nearest(kc_context *context, const char *word, kci_nth_name nth, const void *data)
{
    size_t size = strlen(word);
    if (size == 0 || size > WORD)
        return "";
    const char *near[NAMES] = { NULL };
    int count = 0, best = 999;
    const char *name;
    for (size_t i = 0; (name = nth(data, i)) != NULL; i++) {
        if (kci_spend(context, "names", size * size) != KC_OK)
            return ""; /* the caller's sentence does without */
        int steps = farness(word, (int)size, name);
        if (steps < best) {
            best = steps;
            count = 0;
        }
        if (steps == best && best < 999 && count < NAMES)
            near[count++] = name;
    }
    if (count == 0)
        return "";
    kci_text text = kci_text_part(context, kci_context_near(context), KCI_PART_BYTES);
    for (int i = 0; i < count; i++)
        kci_text_format(&text, "%s '%s'", i ? "," : "; did you mean", near[i]);
    kci_text_add(&text, "?");
    return text.bytes;
}
