/* svg.h: what gnuplot's SVG lacks: hover texts, dark mode, a title. */
#ifndef SVG_H
#define SVG_H

#include "chart.h"

/* Writes gnuplot's `svg` of the chart, finished; `inside` a page of HTML it has no prolog and no background. */
void svg_write(FILE *out, const chart *c, const char *svg, bool inside);

#endif
