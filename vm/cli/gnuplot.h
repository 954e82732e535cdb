/* gnuplot.h: running gnuplot, which is found when it is needed. */
#ifndef GNUPLOT_H
#define GNUPLOT_H

#include "chart.h"

/* What gnuplot makes of a chart, to be freed.  NULL: *wrong says why; it belongs to this file. */
char *gnuplot_draw(chart *c, size_t *length, const char **wrong);

#endif
