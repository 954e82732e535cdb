/* terminal.h: the terminal behind a stream: its width, whether it shows colours; text for people that fits it.
 *
 * COLUMNS, where it is set, says how wide everything for people is, on a terminal or not, as `column` and `ps` take it;
 * without it a terminal is asked, and a pipe or a file has no limit.  Documents (JSON, CSV) and what a script prints
 * itself are never touched. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } colour_when;

/* What --color says; AUTO: on a terminal that is not dumb, unless NO_COLOR is set (no-color.org). */
void terminal_colours(colour_when when);

bool terminal_is(FILE *stream);
/* A terminal that understands sequences which move its cursor. */
bool terminal_moves(FILE *stream);
/* Columns for text on a stream; 0: no limit. */
size_t terminal_width(FILE *stream);
bool terminal_has_colours(FILE *stream);

/* What stands out, and how: sequences that begin and end it. */
#define TERMINAL_BOLD "\033[1m"
#define TERMINAL_ERROR "\033[1;31m"
#define TERMINAL_COMPUTE "\033[35m" /* a kernel that a compute roof binds, */
#define TERMINAL_MEMORY "\033[36m"  /* a memory roof, */
#define TERMINAL_OTHER "\033[33m"   /* a link, or a launch */
#define TERMINAL_PLAIN "\033[m"

/* Columns that the first `length` bytes of a text take; sequences of colour take none. */
size_t terminal_columns(const char *text, size_t length);

/* Prints a line, of `length` bytes with no line end in it, in lines of at most `width` columns (0: no limit).  They
 * break at blanks, but not before a number's unit; a word too long for any line breaks behind a comma, else not at all.
 * What follows the first stands under the text that a gap of blanks sets off ("  --json    print one"), else a little to
 * the right of its start.  A line with several gaps is a row of a table, and breaks between its cells. */
void terminal_line(FILE *out, const char *line, size_t length, size_t width);
/* Before `out` a stream that does this to every line; without a width `out` itself.  To be closed before `out` is. */
FILE *terminal_fit(FILE *out, size_t width);
void terminal_fitted(FILE *fit, FILE *out);

/* For a script that is not trusted: from now on whatever fits a terminal is shown as a message is, but for colours. */
void terminal_guard(void);

/* A message and a line end, which fit the stream.  Bytes of a script in it that a terminal could take for an order are shown as
 * in tables, "\x1b". */
void terminal_text(FILE *out, const char *text);
/* The same of an error, on standard error, "kcost: " before it; no line end at its end.  False, for callers that fail. */
bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
