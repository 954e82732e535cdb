/* chart_marks.c: what stands between the axes of a chart: ceilings, dots, bars, cells, and what names them. */
#include "chart_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

/* Ink and its paler kinds are the same in light and dark pictures, but for the ink itself: svg.c. */
const char chart_ink[] = "#24292f", chart_muted[] = "#7d8590", chart_grid[] = "#c0888888";

/* Okabe and Ito's colours, which the colour-blind tell apart. */
static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9" };
enum { COLOURS = sizeof colours / sizeof *colours };

const char *chart_colour(int group)
{
    return group > 0 ? colours[(group - 1) % COLOURS] : chart_ink;
}

/* ---- texts -------------------------------------------------------------------------------- */

void chart_quote(const chart *c, const char *text)
{
    fputc('\'', c->out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', c->out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, c->out);
    }
    fputc('\'', c->out);
}

size_t chart_letters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

void chart_cut(char *out, size_t size, const char *text, size_t most)
{
    static const char dots[] = "\xe2\x80\xa6";
    size_t count = 0, all = 0, kept = 0; /* letters; their bytes; bytes of those before which there is room for dots */
    while (text[all] && count++ < most) {
        size_t end = all + 1;
        while (((unsigned char)text[end] & 0xC0) == 0x80)
            end++;
        if (end >= size)
            break;
        all = end;
        if (count < most && end + sizeof dots <= size)
            kept = end;
    }
    bool whole = text[all] == '\0';
    snprintf(out, size, "%.*s%s", (int)(whole ? all : kept), text, whole ? "" : dots);
}

void chart_label(const chart *c, double x, double y, const char *anchor, double size, const char *ink, double degrees,
                 const char *text)
{
    fputs("set label ", c->out);
    chart_quote(c, text);
    fprintf(c->out, " at screen %.6f, screen %.6f %s front", x / c->width, chart_up(c, y), anchor);
    if (c->kind != CHART_TEXT) {
        /* gnuplot's points: a pixel of SVG, 3/4 of one of PNG */
        fprintf(c->out, " font 'sans-serif%s,%g' tc rgb '%s'", size > 15 ? ":Bold" : "",
                c->kind == CHART_PNG ? size * 0.75 : size, ink);
        if (degrees != 0)
            fprintf(c->out, " rotate by %.1f", degrees);
    }
    fputs("\n", c->out);
}

/* ---- shapes, in pixels ---------------------------------------------------------------------- */

static void at(const chart *c, double x, double y)
{
    fprintf(c->out, "screen %.6f, screen %.6f", x / c->width, chart_up(c, y));
}

static void fill(const chart *c, const char *ink, const char *border)
{
    fprintf(c->out, " front fc rgb '%s' fs solid 1.0 border rgb '%s' lw 1\n", ink, border);
}

void chart_rectangle(const chart *c, double x, double y, double x2, double y2, const char *ink)
{
    fputs("set object rectangle from ", c->out);
    at(c, x, y);
    fputs(" to ", c->out);
    at(c, x2, y2);
    fprintf(c->out, " front fc rgb '%s' fs solid 1.0 noborder\n", ink);
}

/* A dot, a ring, a square or a triangle of the same area. */
void chart_shape(const chart *c, mark_kind mark, double x, double y, double r, const char *ink)
{
    static const double corners[2][4][2] = { { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } },
                                             { { 0, -1.4 }, { 1.35, 1 }, { -1.35, 1 }, { 0, -1.4 } } };
    if (mark == DOT || mark == RING) {
        fputs("set object circle at ", c->out);
        at(c, x, y);
        fprintf(c->out, " size screen %.6f", r / c->width);
        if (mark == DOT)
            fill(c, ink, "#ffffff");
        else
            fprintf(c->out, " front fs empty border rgb '%s' lw 2\n", ink);
        return;
    }
    const double(*corner)[2] = corners[mark == TRIANGLE];
    double by = 0.88 * r;
    fputs("set object polygon from ", c->out);
    for (int i = 0; i <= 4; i++) {
        fputs(i ? " to " : "", c->out);
        at(c, x + by * corner[i % 4][0], y + by * corner[i % 4][1]);
    }
    fill(c, ink, "#ffffff");
}

void chart_segment(const chart *c, double x, double y, double x2, double y2, const char *more)
{
    fputs("set arrow from ", c->out);
    at(c, x, y);
    fputs(" to ", c->out);
    at(c, x2, y2);
    fprintf(c->out, " %s\n", more);
}

/* ---- dots ------------------------------------------------------------------------------------- */

/* White on dark colours, black on light ones. */
const char *chart_number_ink(int group)
{
    const char *ink = chart_colour(group);
    long rgb = strtol(ink + 1, NULL, 16);
    double light = 0.3 * (double)(rgb >> 16 & 255) + 0.59 * (double)(rgb >> 8 & 255) + 0.11 * (double)(rgb & 255);
    return light > 135 ? "#000000" : "#ffffff";
}

/* The numbers of all dots of the series that stand where this one does: "1, 3".  How many; the first one's is the
 * lowest. */
static size_t numbers_there(const chart *c, const series *s, const point *p, char *out, size_t size)
{
    size_t count = 0;
    *out = '\0';
    for (size_t k = 0; k < s->count; k++) {
        const point *q = &s->points[k];
        if (hypot(chart_x(c, q->x) - chart_x(c, p->x), chart_y(c, q->y) - chart_y(c, p->y)) > 0.45 * c->em)
            continue;
        if (count == 0 && q != p)
            return 0; /* said at that one */
        size_t length = strlen(out);
        snprintf(out + length, size - length, "%s%d", count++ ? ", " : "", q->number);
    }
    return count;
}

static void dot_number(const chart *c, const series *s, const point *p, double x, double y)
{
    char text[64];
    size_t there = numbers_there(c, s, p, text, sizeof text);
    if (there == 1)
        chart_label(c, x, y, "center", 11, s->mark == RING ? chart_ink : chart_number_ink(p->group), 0, text);
    else if (there > 1)
        chart_label(c, x + chart_radius(c, p) + 3, y + 0.5 * c->em, "left", 12, chart_ink, 0, text);
}

static void dot(const chart *c, const series *s, const point *p)
{
    char text[16];
    double x = chart_x(c, p->x), y = chart_y(c, p->y);
    snprintf(text, sizeof text, "%d", p->number);
    if (c->kind == CHART_TEXT) {
        chart_label(c, x, y, "center", 0, "", 0, p->number ? text : s->mark == DOT ? "o" : ".");
        return;
    }
    const char *ink = s->group == 0 && p->group == 0 ? chart_muted : chart_colour(p->group);
    chart_shape(c, s->mark, x, y, chart_radius(c, p), ink);
    if (p->number)
        dot_number(c, s, p, x, y);
}

static int larger_first(const void *a, const void *b)
{
    const point *p = *(const point *const *)a, *q = *(const point *const *)b;
    if (p->size != q->size)
        return p->size > q->size ? -1 : 1;
    return q->number - p->number;
}

/* The smaller ones on top. */
static void dots(const chart *c, const series *s)
{
    const point **order = calloc(s->count + 1, sizeof *order);
    if (!order) {
        output_lacks_memory();
        return;
    }
    for (size_t k = 0; k < s->count; k++)
        order[k] = &s->points[k];
    if (s->count > 1)
        qsort(order, s->count, sizeof *order, larger_first);
    for (size_t k = 0; k < s->count; k++)
        dot(c, s, order[k]);
    free(order);
}

static void arrow(const chart *c, const series *s)
{
    char more[96];
    if (s->count < 2 || c->kind == CHART_TEXT)
        return;
    double x = chart_x(c, s->points[0].x), y = chart_y(c, s->points[0].y);
    double x2 = chart_x(c, s->points[1].x), y2 = chart_y(c, s->points[1].y);
    double length = hypot(x2 - x, y2 - y), short_of = 1.15 * c->em;
    if (length < 2.5 * c->em)
        return;
    snprintf(more, sizeof more, "head filled size screen 0.012,18 lw 1.6 lc rgb '%s' back", chart_colour(s->group));
    chart_segment(c, x, y, x2 - (x2 - x) / length * short_of, y2 - (y2 - y) / length * short_of, more);
}

/* ---- ceilings ----------------------------------------------------------------------------------- */

static void ceiling_text(const series *s, char *out, size_t size)
{
    char value[64];
    plot_quantity(value, sizeof value, s->value, s->unit);
    plot_text(out, size, "%s %s", s->name, value);
}

static const char *ceiling_ink(const series *s)
{
    return s->group > 0 ? chart_colour(s->group) : s->strong ? chart_ink : chart_muted;
}

/* Is there a slope of another device so close above that nothing fits between? */
static bool close_below(const chart *c, const series *s)
{
    for (size_t i = 0; i < c->plot->count; i++) {
        const series *t = &c->plot->series[i];
        if (t->mark == LINE && t->count == 2 && t->points[0].x == s->points[0].x && t->points[0].y > s->points[0].y &&
            chart_y(c, s->points[0].y) - chart_y(c, t->points[0].y) < 2.5 * c->em)
            return true;
    }
    return false;
}

/* Does a dot lie on a text whose middle is there? */
static bool on_a_dot(const chart *c, double x, double y, double half)
{
    for (size_t i = 0; i < c->plot->count; i++) {
        const series *s = &c->plot->series[i];
        for (size_t k = 0; plot_mark_is_dot(s->mark) && k < s->count; k++)
            if (hypot(chart_x(c, s->points[k].x) - x, chart_y(c, s->points[k].y) - y) < half + 1.2 * c->em)
                return true;
    }
    return false;
}

/* A bandwidth's name runs along its slope: at the left edge, or further on where dots lie there. */
static void slope_label(const chart *c, const series *s, const char *text)
{
    double x = chart_x(c, s->points[0].x), y = chart_y(c, s->points[0].y);
    double x2 = chart_x(c, s->points[1].x), y2 = chart_y(c, s->points[1].y);
    double angle = atan2(y - y2, x2 - x), length = hypot(x2 - x, y2 - y), half = 0.23 * c->em * (double)chart_letters(text);
    double above = (close_below(c, s) ? -1.3 : 0.68) * c->em, along = c->em;
    if (c->kind == CHART_TEXT)
        return;
    while (along + 2 * half < 0.8 * length &&
           on_a_dot(c, x + (along + half) * cos(angle), y - (along + half) * sin(angle), half))
        along += 2 * c->em;
    chart_label(c, x + along * cos(angle) - above * sin(angle), y - along * sin(angle) - above * cos(angle), "left", 12,
                ceiling_ink(s), angle * 180 / 3.14159265358979, text);
}

/* Names of flat roofs stand right of the axes, none on another: `least` is the next free height. */
static void flat_label(const chart *c, const series *s, const char *text, double *least)
{
    bool outside = c->kind != CHART_TEXT;
    double y = chart_y(c, s->points[0].y) - (outside ? 0 : 1);
    if (y < *least)
        y = *least;
    *least = y + 1.05 * c->em;
    chart_label(c, c->right + (outside ? 7 : 0), y, outside ? "left" : "right", 12, ceiling_ink(s), 0, text);
}

/* A bandwidth across bars: its name on top, a row a device. */
static void upright_label(const chart *c, const series *s, const char *text)
{
    int row = s->group > 1 ? s->group - 1 : 0;
    bool dashed = s->mark == DASH;
    chart_label(c, chart_x(c, s->points[0].x) + (dashed ? -0.4 : 0.4) * c->em, c->top - (0.6 + 1.1 * row) * c->em,
                dashed ? "right" : "left", 12, ceiling_ink(s), 0, text);
}

static int higher_first(const void *a, const void *b)
{
    const series *s = *(const series *const *)a, *t = *(const series *const *)b;
    return (t->points[0].y > s->points[0].y) - (t->points[0].y < s->points[0].y);
}

enum { LEAST_NAMED = 70 };          /* columns of a terminal with room for the names of roofs */

static void ceiling_labels(const chart *c)
{
    const figure *p = c->plot;
    if (c->kind == CHART_TEXT && c->width < LEAST_NAMED)
        return;
    const series **flat = calloc(p->count + 1, sizeof *flat);
    if (!flat) {
        output_lacks_memory();
        return;
    }
    size_t count = 0;
    char text[256];
    for (size_t i = 0; i < p->count; i++) {
        const series *s = &p->series[i];
        if (isnan(s->value) || s->count < 2 || (s->mark != LINE && s->mark != DASH))
            continue;
        ceiling_text(s, text, sizeof text);
        if (s->points[0].x == s->points[1].x)
            upright_label(c, s, text);
        else if (s->mark == LINE && s->points[0].y == s->points[1].y)
            flat[count++] = s;
        else if (s->mark == LINE)
            slope_label(c, s, text);
    }
    if (count > 1)
        qsort(flat, count, sizeof *flat, higher_first);
    double least = c->top;
    for (size_t i = 0; i < count; i++) {
        ceiling_text(flat[i], text, sizeof text);
        flat_label(c, flat[i], text, &least);
    }
    free(flat);
}

/* The lowest row above the axis in which a text that ends at `x` stands on no other. */
static int free_row(const double *ends, const int *rows, size_t count, double x, double wide)
{
    int row = 0;
    for (size_t i = 0; i < count; i++)
        if (rows[i] == row && fabs(ends[i] - x) < wide) {
            row++;
            i = (size_t)-1; /* again, with all of them */
        }
    return row;
}

static void ridge(const chart *c, const series *s, const char *text, int row)
{
    char more[96];
    double x = chart_x(c, s->points[0].x), y = chart_y(c, s->points[0].y);
    if (c->kind == CHART_TEXT) {
        chart_label(c, x, c->bottom - 1 - row, "center", 0, "", 0, text);
        return;
    }
    snprintf(more, sizeof more, "nohead lw 1 dt 3 lc rgb '%s' back", ceiling_ink(s));
    chart_segment(c, x, y, x, c->bottom, more);
    chart_shape(c, DOT, x, y, 4, ceiling_ink(s));
    chart_label(c, x - 4, c->bottom - (0.7 + 1.1 * row) * c->em, "right", 12, ceiling_ink(s), 0, text);
}

enum { MOST_RIDGES = 16 };

/* From a roof's corner down to the axis, where its value stands. */
static void ridges(const chart *c)
{
    double ends[MOST_RIDGES];
    int rows[MOST_RIDGES];
    size_t count = 0;
    char text[128], value[64];
    for (size_t i = 0; i < c->plot->count && count < MOST_RIDGES; i++) {
        const series *s = &c->plot->series[i];
        if (s->mark != RIDGE || s->count == 0)
            continue;
        plot_quantity(value, sizeof value, s->value, "");
        plot_text(text, sizeof text, "%s %s", s->name, value);
        ends[count] = chart_x(c, s->points[0].x);
        rows[count] = free_row(ends, rows, count, ends[count], (0.5 * (double)chart_letters(text) + 0.6) * c->em);
        ridge(c, s, text, rows[count++]);
    }
}

/* ---- bars ------------------------------------------------------------------------------------------ */

static void bars(const chart *c, size_t index)
{
    const figure *p = c->plot;
    const series *s = &p->series[index];
    for (size_t k = 0; k < s->count && c->kind != CHART_TEXT; k++) {
        const point *b = &s->points[k];
        double from = chart_bar_from(p, index, b);
        chart_rectangle(c, chart_x(c, from), chart_y(c, b->y - 0.36), chart_x(c, from + b->x), chart_y(c, b->y + 0.36),
                  chart_colour(b->group));
    }
}

/* The bar of a row where all bars are of one series; else NULL. */
static const point *lone_bar(const figure *p, size_t row)
{
    const series *found = NULL;
    for (size_t i = 0; i < p->count; i++) {
        if (p->series[i].mark != BAR)
            continue;
        if (found)
            return NULL;
        found = &p->series[i];
    }
    for (size_t k = 0; found && k < found->count; k++)
        if (found->points[k].y == (double)row)
            return &found->points[k];
    return NULL;
}

/* What a row adds up to: behind its last bar, or inside a lone one. */
static void bar_totals(const chart *c)
{
    const figure *p = c->plot;
    char text[64];
    for (size_t row = 1; row <= p->y.name_count; row++) {
        point place = { .y = (double)row };
        if (!*p->y.names[row - 1])
            continue; /* between groups */
        double total = chart_bar_from(p, p->count, &place);
        if (total > 0)
            plot_quantity(text, sizeof text, total, p->x.unit);
        else
            snprintf(text, sizeof text, "none");
        double end = chart_x(c, total), wide = 0.55 * c->em * (double)chart_letters(text);
        const point *lone = lone_bar(p, row);
        bool within = lone && c->kind != CHART_TEXT && end - c->left > 1.5 * wide;
        chart_label(c, end + (within ? -0.5 : 0.45) * c->em, chart_y(c, (double)row), within ? "right" : "left", 12,
                    within ? chart_number_ink(lone->group) : chart_ink, 0, text);
    }
}

/* ---- cells ------------------------------------------------------------------------------------------ */

/* Cividis, from its dark end to its light one: for the colour-blind it is the same. */
static void cividis(double share, char out[8])
{
    static const int stops[][3] = { { 0, 34, 78 },     { 53, 69, 108 },   { 102, 105, 112 },
                                    { 148, 142, 119 }, { 198, 184, 102 }, { 254, 232, 56 } };
    double place = fmin(fmax(share, 0), 1) * 5;
    int low = place >= 5 ? 4 : (int)place;
    double part = place - low;
    int mixed[3];
    for (int i = 0; i < 3; i++)
        mixed[i] = (int)(stops[low][i] + part * (stops[low + 1][i] - stops[low][i]) + 0.5);
    snprintf(out, 8, "#%02x%02x%02x", mixed[0] & 255, mixed[1] & 255, mixed[2] & 255);
}

/* 1 is the best, which is light. */
static double goodness(const axis *z, double value)
{
    double share = z->from > 0 ? log(value / z->from) / log(z->to / z->from) : (value - z->from) / (z->to - z->from);
    return z->high_is_best ? share : 1 - share;
}

static void cell_text(const chart *c, const point *p, const char *ink, const char *text)
{
    double wide = chart_x(c, 2) - chart_x(c, 1);
    if (0.5 * c->em * (double)chart_letters(text) < wide)
        chart_label(c, chart_x(c, p->x), chart_y(c, p->y), "center", 11, ink, 0, text);
}

static void cells(const chart *c, const series *s)
{
    char ink[8], text[64];
    for (size_t k = 0; k < s->count; k++) {
        const point *p = &s->points[k];
        double good = goodness(&c->plot->z, p->z);
        cividis(good, ink);
        if (c->kind != CHART_TEXT)
            chart_rectangle(c, chart_x(c, p->x - 0.5) + 0.5, chart_y(c, p->y - 0.5) - 0.5, chart_x(c, p->x + 0.5) - 0.5,
                      chart_y(c, p->y + 0.5) + 0.5, ink);
        plot_quantity(text, sizeof text, p->z, c->plot->z.unit);
        cell_text(c, p, good > 0.55 ? "#000000" : "#ffffff", text);
    }
}

/* Slanting lines inside a rectangle. */
void chart_hatch(const chart *c, double x, double y, double x2, double y2)
{
    const double apart = 7;
    for (double start = x - (y2 - y) + apart; start < x2; start += apart) {
        double from_x = fmax(start, x), from_y = y2 - (from_x - start);
        double to_x = fmin(start + (y2 - y), x2), to_y = y2 - (to_x - start);
        chart_segment(c, from_x, from_y, to_x, to_y, "nohead lw 0.8 lc rgb '#8c959f' back");
    }
}

static void hatches(const chart *c, const series *s)
{
    for (size_t k = 0; k < s->count; k++) {
        const point *p = &s->points[k];
        if (c->kind == CHART_TEXT)
            cell_text(c, p, "", "////");
        else
            chart_hatch(c, chart_x(c, p->x - 0.5) + 1, chart_y(c, p->y + 0.5) + 1, chart_x(c, p->x + 0.5) - 1,
                    chart_y(c, p->y - 0.5) - 1);
    }
}

static void frame(const chart *c, const series *s)
{
    if (s->count == 0 || c->kind == CHART_TEXT)
        return;
    const point *p = &s->points[0];
    double x = chart_x(c, p->x - 0.5), x2 = chart_x(c, p->x + 0.5);
    double y = chart_y(c, p->y + 0.5), y2 = chart_y(c, p->y - 0.5);
    fputs("set object rectangle from ", c->out);
    at(c, x, y);
    fputs(" to ", c->out);
    at(c, x2, y2);
    fprintf(c->out, " front fs empty border rgb '%s' lw 3\n", colours[1]);
}

/* Which colour is how much, at the right edge. */
static void colour_key(const chart *c)
{
    const axis *z = &c->plot->z;
    double x = c->right + 26, height = c->bottom - c->top, from = z->from, to = z->to;
    char ink[8], text[64];
    const int steps = 60;
    if (c->kind == CHART_TEXT)
        return;
    for (int i = 0; i < steps; i++) {
        double share = (i + 0.5) / steps;
        cividis(z->high_is_best ? share : 1 - share, ink);
        chart_rectangle(c, x, c->bottom - height * i / steps, x + 16, c->bottom - height * (i + 1) / steps - 0.4, ink);
    }
    plot_quantity(text, sizeof text, to, z->unit);
    chart_label(c, x + 22, c->top + 6, "left", 12, chart_ink, 0, text);
    plot_quantity(text, sizeof text, from > 0 ? sqrt(from * to) : (from + to) / 2, z->unit);
    chart_label(c, x + 22, (c->top + c->bottom) / 2, "left", 12, chart_ink, 0, text);
    plot_quantity(text, sizeof text, from, z->unit);
    chart_label(c, x + 22, c->bottom - 6, "left", 12, chart_ink, 0, text);
    chart_label(c, x, c->top - 0.9 * c->em, "left", 12, chart_ink, 0, z->title);
}

/* ---- lines, by gnuplot's plot command -------------------------------------------------------------------- */

static bool is_line(const series *s)
{
    return s->count > 0 && (s->mark == LINE || s->mark == DASH || s->mark == STEP || s->mark == CURVE);
}

static void data(const chart *c, size_t index)
{
    const series *s = &c->plot->series[index];
    fprintf(c->out, "$s%zu << E\n", index);
    for (size_t k = 0; k < s->count; k++)
        fprintf(c->out, "%.15g %.15g\n", s->points[k].x, s->points[k].y);
    fputs("E\n", c->out);
}

/* Bars of a terminal are lines of their own. */
static void bar_data(const chart *c, size_t index)
{
    const series *s = &c->plot->series[index];
    fprintf(c->out, "$s%zu << E\n", index);
    for (size_t k = 0; k < s->count; k++) {
        double from = chart_bar_from(c->plot, index, &s->points[k]);
        fprintf(c->out, "%.15g %.15g\n%.15g %.15g\n\n", from, s->points[k].y, from + s->points[k].x, s->points[k].y);
    }
    fputs("E\n", c->out);
}

static void lines(const chart *c)
{
    const figure *p = c->plot;
    bool text = c->kind == CHART_TEXT;
    for (size_t i = 0; i < p->count; i++) {
        if (is_line(&p->series[i]))
            data(c, i);
        else if (text && p->series[i].mark == BAR)
            bar_data(c, i);
    }
    fputs("plot NaN", c->out); /* so that there is a plot where there is no line */
    for (size_t i = 0; i < p->count; i++) {
        const series *s = &p->series[i];
        if (!is_line(s) && !(text && s->mark == BAR))
            continue;
        if (text && s->mark == DASH)
            continue;
        fprintf(c->out, ", $s%zu using 1:2 with %s", i, s->mark == CURVE && s->count <= 64 && !text ? "linespoints pt 7 ps 0.35" : "lines");
        if (!text) {
            double weight = s->mark == DASH ? 1.1 : s->strong ? 2.2 : s->mark == CURVE || s->mark == STEP ? 1.8 : 1.1;
            fprintf(c->out, " lw %g lc rgb '%s'%s", weight, s->mark == CURVE || s->mark == STEP ? chart_colour(s->group) : ceiling_ink(s),
                    s->mark == DASH ? " dt 2" : "");
        }
    }
    fputs("\n", c->out);
}

void chart_marks(const chart *c)
{
    const figure *p = c->plot;
    bool upright = c->downwards;
    for (size_t i = 0; i < p->count; i++) {
        const series *s = &p->series[i];
        if (s->mark == BAR)
            bars(c, i);
        else if (s->mark == CELL)
            cells(c, s);
        else if (s->mark == HATCH)
            hatches(c, s);
        else if (s->mark == FRAME)
            frame(c, s);
        else if (s->mark == ARROW)
            arrow(c, s);
    }
    ridges(c);
    ceiling_labels(c);
    if (upright)
        bar_totals(c);
    if (p->has_z)
        colour_key(c);
    /* The first one lies on top: levels under the dots of HBM. */
    for (size_t i = p->count; i-- > 0;)
        if (plot_mark_is_dot(p->series[i].mark))
            dots(c, &p->series[i]);
    chart_legend(c);
    if (c->kind != CHART_TEXT && chart_has_list(p))
        chart_list(c);
    lines(c);
}
