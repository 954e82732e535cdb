/* sheet.h: a table of texts for people, through libsmartcols, that fits the terminal. */
#ifndef SHEET_H
#define SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct sheet sheet;

enum { CELL_BYTES = 64 };           /* of a quantity */

sheet *sheet_new(void);
void sheet_free(sheet *s);
/* A column; numbers stand right.  Where there is little room texts are broken into lines, then columns go in the order
 * of their rank, the largest first; rank 0 stays. */
void sheet_column(sheet *s, const char *title, bool right, int rank);
void sheet_row(sheet *s);
/* The next cell of the row, copied; NULL: empty. */
void sheet_cell(sheet *s, const char *text);
/* "8.59 GB"; unit "" for plain numbers with three digits. */
void sheet_quantity(sheet *s, double value, const char *unit);
/* "1024": a count, whole where it is below a million; else as a quantity. */
void sheet_count(sheet *s, double value);
/* "41 %" */
void sheet_share(sheet *s, double share);
/* A text that stands out where there are colours: `colour` is the sequence that begins it; NULL: as any other. */
void sheet_marked(sheet *s, const char *text, const char *colour);

typedef struct sheet_style {
    size_t width;                   /* columns; 0: no limit */
    bool colours;
    bool whole;                     /* columns that find no room have tables of their own below, with the rows' names */
} sheet_style;

/* Prints it; columns without a cell are left out. */
void sheet_print(sheet *s, FILE *out, sheet_style style);
/* The same as a table of HTML, with the values that its rows may be sorted by. */
void sheet_html(const sheet *s, FILE *out);

/* "271 µs", or "271 us" where the terminal's encoding lacks the letter. */
void quantity(char out[CELL_BYTES], double value, const char *unit);

#endif
