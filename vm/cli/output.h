/* output.h: where results go: standard output or a file, and whether they got there. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* To be called first: a closed standard stream must not become a result's file. */
void output_guard(void);
/* The stream for results: of the file, or standard output.  NULL: said on stderr. */
FILE *output_open(const char *path);
/* Writes what is left.  False: something was not written; said on stderr, but for a
 * reader that has gone away. */
bool output_close(FILE *out, const char *path);
/* A part of a result found no memory: said on stderr, and output_close gives false. */
void output_lacks_memory(void);
/* Prints the lines of a text without the blanks at their ends. */
void output_trimmed(const char *text, FILE *out);
/* All that is left in a stream, a zero byte behind it; to be freed.  NULL: no memory. */
char *output_read(FILE *in, size_t *length);

#endif
