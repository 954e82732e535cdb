/* chart_marks.h: the marks of a chart, and how texts and colours get into its script. */
#ifndef CHART_MARKS_H
#define CHART_MARKS_H

#include "chart.h"

extern const char chart_ink[], chart_muted[], chart_grid[];

/* Writes the text in gnuplot's quotes. */
void chart_quote(const chart *c, const char *text);
/* A text whose middle stands `y` below the upper edge; `size` in pixels, of a chart of text nothing. */
void chart_label(const chart *c, double x, double y, const char *anchor, double size, const char *colour, double degrees,
                 const char *text);
/* Letters of UTF-8 text; a copy of it, cut to `most` of them and to `size` bytes, with "…" at the end. */
size_t chart_letters(const char *text);
void chart_cut(char *out, size_t size, const char *text, size_t most);
/* The colour of a group; what is legible on it: white, or black. */
const char *chart_colour(int group);
const char *chart_number_ink(int group);
/* Shapes, in pixels: a dot, square or triangle of that radius; a rectangle; a line that gnuplot's words draw; a
 * rectangle of slanting lines. */
void chart_shape(const chart *c, mark_kind mark, double x, double y, double r, const char *ink);
void chart_rectangle(const chart *c, double x, double y, double x2, double y2, const char *ink);
void chart_segment(const chart *c, double x, double y, double x2, double y2, const char *more);
void chart_hatch(const chart *c, double x, double y, double x2, double y2);
/* Swatches of curves, bars and devices above the axes; the numbered dots with their figures beside them. */
void chart_legend(const chart *c);
void chart_list(const chart *c);
/* Are there numbered dots, which a list beside the chart names? */
bool chart_has_list(const figure *plot);
/* Everything between the axes, the legend, and the list of numbered dots; ends with the plot command. */
void chart_marks(const chart *c);

#endif
