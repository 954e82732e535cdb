/* plot.h: a plot as the language gives it (stdlib/plot_record.lua), read from its JSON. */
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "table.h"

typedef enum scale { LINEAR, LOG, NAMES } scale;

typedef struct axis {
    const char *name, *title, *unit; /* unit "": plain numbers */
    scale scale;
    double from, to;
    const char **names;             /* of scale NAMES: position 1 is the first */
    size_t name_count;
    bool high_is_best;
} axis;

typedef enum mark_kind {
    LINE, DASH, STEP, CURVE, ARROW, RIDGE, DOT, SQUARE, TRIANGLE, RING, BAR, CELL, HATCH, FRAME
} mark_kind;

typedef struct plot_value {
    const char *text;               /* NULL: the number */
    double number;
} plot_value;

typedef struct point {
    double x, y, z;                 /* z NAN: none */
    double size;                    /* 0 to 1 */
    int number, group;              /* number 0: it is not listed */
    const char *name;               /* "": none */
    plot_value *values;             /* one for each column of the plot, or NULL */
} point;

typedef struct series {
    const char *name, *of;          /* of: a device, where there are several; "" else */
    mark_kind mark;
    int group;                      /* 0: neutral */
    bool strong;
    double value;                   /* of a ceiling; NAN: none */
    const char *unit;
    point *points;
    size_t count;
} series;

typedef struct plot_column {
    const char *name, *unit;
} plot_column;

typedef struct figure {
    const char *which, *title;
    const char **notes;
    size_t note_count;
    axis x, y, z;
    bool has_z;
    plot_column *columns;
    size_t column_count;
    series *series;
    size_t count;
    void *blocks;                   /* all memory of it */
} figure;

/* The plots of a JSON array.  NULL: *wrong says why ("" : no memory). */
figure **plots_read(const char *json, size_t *count, const char **wrong);
/* One plot, of its own JSON. */
figure *plot_read(const char *json, const char **wrong);
void plot_free(figure *plot);
void plots_free(figure **plots, size_t count);

/* Is it drawn as a mark of its own, with a name and figures? */
bool plot_mark_is_dot(mark_kind mark);
/* The title, and a row a dot, bar or cell. */
void plot_table(const page *p, const figure *plot);
/* All points in base units, one CSV table. */
void plot_csv(const figure *plot, FILE *out);
/* snprintf for names and titles, which are UTF-8: what is too long ends with a whole character. */
void plot_text(char *out, size_t size, const char *pattern, ...) __attribute__((format(printf, 3, 4)));
/* Drops what a cut has left of a character at the text's end. */
void plot_whole(char *text);
/* "3.13 ms", "41 %", "hbm": a value as people read it. */
void plot_quantity(char *out, size_t size, double value, const char *unit);
/* "unfused: intensity 30.7 FLOP/B, throughput 89.4 TFLOP/s, time 3.13 ms", cut where it is too long. */
void plot_describe(const figure *plot, const series *series, const point *point, char *out, size_t size);

#endif
