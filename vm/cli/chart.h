/* chart.h: a plot as a script for gnuplot. */
#ifndef CHART_H
#define CHART_H

#include "plot.h"

typedef enum chart_kind { CHART_SVG, CHART_PNG, CHART_TEXT } chart_kind;

/* Where things stand: pixels, or rows and columns of a terminal, from the upper left corner. */
typedef struct chart {
    const figure *plot;
    chart_kind kind;
    FILE *out;                      /* the script */
    double width, height;
    double em;                      /* the height of a line of text */
    double left, right, top, bottom; /* of the area between the axes */
    double beside;                  /* where the list of numbered dots begins */
    bool downwards;                 /* y grows downwards: bars, the first on top */
} chart;

/* `width` in columns, of a chart of text. */
chart chart_of(const figure *plot, chart_kind kind, size_t width);
/* Writes the script to `out`. */
void chart_write(chart *c, FILE *out);
/* Where a point stands. */
double chart_x(const chart *c, double x);
double chart_y(const chart *c, double y);
/* What stands `y` below the upper edge, as gnuplot counts it: from the lower edge, which is 0, to 1. */
double chart_up(const chart *c, double y);
/* The radius of a dot. */
double chart_radius(const chart *c, const point *p);
/* Where the bar of a point of series `s` begins on the x axis: behind the bars of the series before. */
double chart_bar_from(const figure *plot, size_t s, const point *p);

#endif
