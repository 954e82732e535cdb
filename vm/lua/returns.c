/* returns.c: the line on which a script's own chunk returns.
 *
 * `return f(x)` is a tail call: while f runs, the chunk's frame is gone, and with it the line.  Its text still has it
 * where it returns in one place only. */
#include "binding.h"

#include <string.h>

enum { MOST_BLOCKS = 256 }; /* above the 200 that both engines allow */

typedef struct reader {
    const char *at, *end;
    int line;
} reader;

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* `count` characters on. */
static void skip(reader *r, size_t count)
{
    for (; count > 0 && r->at < r->end; count--)
        r->line += *r->at++ == '\n';
}

/* Past "[==[ … ]==]" that begins here; false: none does. */
static bool skip_long(reader *r)
{
    const char *c = r->at + 1;
    while (c < r->end && *c == '=')
        c++;
    if (*r->at != '[' || c == r->end || *c != '[')
        return false;
    size_t level = (size_t)(c - r->at) - 1;
    for (skip(r, level + 2); r->at < r->end; skip(r, 1)) {
        c = r->at + 1;
        while (*r->at == ']' && c < r->end && *c == '=')
            c++;
        if (*r->at == ']' && c < r->end && *c == ']' && (size_t)(c - r->at) - 1 == level) {
            skip(r, level + 2);
            return true;
        }
    }
    return true;
}

static void skip_comment(reader *r)
{
    skip(r, 2);
    if (r->at < r->end && skip_long(r))
        return;
    while (r->at < r->end && *r->at != '\n')
        r->at++;
}

static void skip_string(reader *r)
{
    char quote = *r->at;
    for (skip(r, 1); r->at < r->end && *r->at != quote; skip(r, 1))
        if (*r->at == '\\')
            skip(r, 1);
    skip(r, 1);
}

/* The next word, past all that is none; its length, 0: the text ends. */
static size_t next_word(reader *r, const char **word)
{
    while (r->at < r->end && !is_word(*r->at)) {
        if (r->end - r->at > 1 && r->at[0] == '-' && r->at[1] == '-')
            skip_comment(r);
        else if (*r->at == '"' || *r->at == '\'')
            skip_string(r);
        else if (!skip_long(r))
            skip(r, 1);
    }
    *word = r->at;
    while (r->at < r->end && is_word(*r->at))
        r->at++;
    return (size_t)(r->at - *word);
}

static bool is(const char *word, size_t length, const char *keyword)
{
    return strlen(keyword) == length && memcmp(word, keyword, length) == 0;
}

int kci_return_line(const char *text, size_t length)
{
    reader r = {.at = text, .end = text + length, .line = 1};
    bool function[MOST_BLOCKS]; /* of the blocks that are open */
    const char *word;
    size_t size;
    int open = 0, functions = 0, line = 0;
    if (memchr(text, '\n', length) == NULL)
        return 0;
    while ((size = next_word(&r, &word)) > 0) {
        bool begins = is(word, size, "function");
        if (begins || is(word, size, "do") || is(word, size, "if") || is(word, size, "repeat")) {
            if (open == MOST_BLOCKS)
                return 0;
            function[open++] = begins;
            functions += begins;
        } else if (open > 0 && (is(word, size, "end") || is(word, size, "until"))) {
            functions -= function[--open];
        } else if (functions == 0 && is(word, size, "return")) {
            if (line > 0)
                return 0;
            line = r.line;
        }
    }
    return line;
}
