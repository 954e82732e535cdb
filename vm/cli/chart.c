/* chart.c: where things stand on a plot, and the frame around them: axes, title, notes.
 *
 * gnuplot draws at the coordinates that are worked out here, so that what is put into an SVG afterwards stands on
 * its marks.  All texts are quoted for gnuplot with '…', inside which it expands nothing. */
#define _XOPEN_SOURCE 700

#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart_marks.h"

enum { TEXT_BYTES = 1024 };         /* of a title, a name or a note: more letters than a picture has room for */

/* ---- places ----------------------------------------------------------------------------- */

static double share(const axis *a, double value)
{
    if (a->scale == LOG)
        return log(value / a->from) / log(a->to / a->from);
    return (value - a->from) / (a->to - a->from);
}

double chart_x(const chart *c, double x)
{
    return c->left + share(&c->plot->x, x) * (c->right - c->left);
}

double chart_y(const chart *c, double y)
{
    double up = share(&c->plot->y, y) * (c->bottom - c->top);
    return c->downwards ? c->top + up : c->bottom - up;
}

double chart_up(const chart *c, double y)
{
    return 1 - y / (c->kind == CHART_TEXT ? c->height - 1 : c->height);
}

double chart_radius(const chart *c, const point *p)
{
    if (p->number == 0)
        return 0.22 * c->em;
    return c->em * sqrt(0.3 + 0.9 * p->size); /* an area that grows with the size, and holds the number */
}

double chart_bar_from(const figure *plot, size_t s, const point *p)
{
    double from = 0;
    for (size_t i = 0; i < s; i++)
        for (size_t k = 0; plot->series[i].mark == BAR && k < plot->series[i].count; k++)
            if (plot->series[i].points[k].y == p->y)
                from += plot->series[i].points[k].x;
    return from;
}

static bool has_mark(const figure *plot, mark_kind mark)
{
    for (size_t i = 0; i < plot->count; i++)
        if (plot->series[i].mark == mark)
            return true;
    return false;
}

static double longest_name(const axis *a)
{
    size_t most = 0;
    for (size_t i = 0; i < a->name_count; i++)
        if (chart_letters(a->names[i]) > most)
            most = chart_letters(a->names[i]);
    return (double)most;
}

bool chart_has_list(const figure *plot)
{
    for (size_t i = 0; i < plot->count; i++)
        if (plot_mark_is_dot(plot->series[i].mark) && plot->series[i].count && plot->series[i].points[0].number)
            return true;
    return false;
}

/* What the names of flat roofs take, right of the axes. */
static double roof_names(const figure *plot)
{
    size_t most = 0;
    for (size_t i = 0; i < plot->count; i++) {
        const series *s = &plot->series[i];
        if (s->mark == LINE && s->count == 2 && s->points[0].y == s->points[1].y && chart_letters(s->name) > most)
            most = chart_letters(s->name);
    }
    return most ? 86 + 6.4 * (double)most : 0;
}

chart chart_of(const figure *plot, chart_kind kind, size_t width)
{
    chart c = { .plot = plot, .kind = kind, .downwards = has_mark(plot, BAR) };
    bool bars = c.downwards;
    if (kind == CHART_TEXT) {
        c.width = width > 40 ? (double)width : 40;
        c.height = plot->y.scale == NAMES ? (double)plot->y.name_count * 2 + 6 : 24;
        c.em = 1;
        c.left = bars || plot->y.scale == NAMES ? fmin(longest_name(&plot->y) + 2, floor(c.width / 2)) : 14;
        c.right = c.width - 4;
        c.top = 3;
        c.bottom = c.height - 3;
        return c;
    }
    double rows = (double)plot->y.name_count;
    c.em = 14;
    c.width = chart_has_list(plot) ? 1080 : 960;
    c.top = 74;
    c.bottom = bars ? c.top + fmax(rows * 27, 80) : 500;
    c.height = c.bottom + 60 + 15 * (double)plot->note_count;
    c.left = plot->y.scale == NAMES ? fmin(24 + 7.4 * longest_name(&plot->y), 300) + (bars ? 0 : 36) : 132;
    c.beside = c.width - 264;
    c.right = c.width - (chart_has_list(plot) ? 264 + roof_names(plot) : plot->has_z ? 130 : bars ? 60 : 36);
    return c;
}

/* ---- axes ------------------------------------------------------------------------------ */

static void quote_tick(const chart *c, const axis *a, double value)
{
    char text[96];
    if (strcmp(a->unit, "FLOP/byte") == 0 && value < 1e6)
        snprintf(text, sizeof text, "%.10g", value); /* its unit stands at the axis */
    else
        plot_quantity(text, sizeof text, value, a->unit);
    for (char *at = text; strcmp(a->unit, "FLOP/byte") != 0 && *at; at++) /* "1.00 T" is "1 T" */
        if (*at == '.') {
            char *end = at + strspn(at + 1, "0123456789") + 1, *last = end;
            while (last > at + 1 && last[-1] == '0')
                last--;
            if (last == at + 1)
                last = at;
            memmove(last, end, strlen(end) + 1);
            break;
        }
    chart_quote(c, text);
}

/* 1, 2 or 5 times a power of ten: at most `most` steps. */
static double step_of(double range, int most)
{
    double power = pow(10, floor(log10(range / most)));
    for (int i = 0; i < 4; i++) {
        static const double steps[] = { 1, 2, 5, 10 };
        if (range / (steps[i] * power) <= most)
            return steps[i] * power;
    }
    return 10 * power;
}

enum { MOST_TICKS = 64 };

static size_t even_ticks(const axis *a, int most, double values[MOST_TICKS])
{
    double step = step_of(a->to - a->from, most);
    size_t count = 0;
    for (double i = ceil(a->from / step - 1e-9); i * step <= a->to * (1 + 1e-12) && count < MOST_TICKS; i++)
        values[count++] = i * step;
    return count;
}

/* Decades; where these are few, 2 and 5 times them too. */
static size_t log_ticks(const axis *a, int most, double values[MOST_TICKS])
{
    static const double steps[] = { 1, 2, 5 };
    double first = floor(log10(a->from) + 1e-9), decades = log10(a->to / a->from);
    double every = fmax(ceil(decades / most), 1);
    int inner = decades < 3 ? 3 : 1;
    size_t count = 0;
    for (double i = 0; i <= decades + 1; i += every) {
        for (int k = 0; k < inner && count < MOST_TICKS; k++) {
            double value = steps[k] * pow(10, first + i);
            if (value >= a->from * (1 - 1e-9) && value <= a->to * (1 + 1e-9))
                values[count++] = value;
        }
    }
    return count;
}

static void ticks(const chart *c, const char *name, const axis *a, int most)
{
    const char *between = "";
    char text[TEXT_BYTES];
    size_t room = a == &c->plot->y ? (size_t)(c->kind == CHART_TEXT ? c->left - 2 : (c->left - 20) / 7) : 40;
    fprintf(c->out, "set %stics scale %s out nomirror tc rgb '%s' (", name, a->scale == NAMES ? "0" : "0.5", chart_ink);
    if (a->scale == NAMES) {
        size_t step = c->downwards || a->name_count <= (size_t)most ? 1 : a->name_count / (size_t)most + 1;
        for (size_t i = 0; i < a->name_count; i += step, between = ", ") {
            chart_cut(text, sizeof text, a->names[i], room);
            fputs(between, c->out);
            chart_quote(c, text);
            fprintf(c->out, " %zu", i + 1);
        }
    } else {
        double values[MOST_TICKS];
        size_t count = a->scale == LOG ? log_ticks(a, most, values) : 0;
        if (a->scale != LOG || (count < 3 && a->to < 20 * a->from)) /* or little more than a decade */
            count = even_ticks(a, most, values);
        for (size_t i = 0; i < count; i++, between = ", ") {
            fputs(between, c->out);
            quote_tick(c, a, values[i]);
            fprintf(c->out, " %.16e", values[i] * (i ? 1 - 1e-9 : 1 + 1e-9)); /* gnuplot loses one at the very edge */
        }
    }
    fputs(")\n", c->out);
}

/* The unit stands at the axis where the ticks do not have it. */
static void axis_title(const chart *c, const axis *a, char *out, size_t size)
{
    if (strcmp(a->unit, "FLOP/byte") == 0)
        plot_text(out, size, "%s (%s)", a->title, c->kind == CHART_TEXT ? "FLOP/B" : a->unit);
    else
        plot_text(out, size, "%s", a->title);
}

static void range(const chart *c, const char *name, const axis *a, bool downwards)
{
    if (a->scale == LOG)
        fprintf(c->out, "set logscale %s\n", name);
    fprintf(c->out, "set %srange [%.16e:%.16e]\n", name, downwards ? a->to : a->from, downwards ? a->from : a->to);
}

static void axes(const chart *c)
{
    char title[TEXT_BYTES];
    const figure *p = c->plot;
    range(c, "x", &p->x, false);
    range(c, "y", &p->y, c->downwards);
    int most = c->kind == CHART_TEXT ? (int)(c->width / (p->x.scale == NAMES ? 9 : 14)) : p->x.scale == NAMES ? 24 : 8;
    ticks(c, "x", &p->x, most);
    ticks(c, "y", &p->y, p->y.scale == NAMES ? 24 : 8);
    fprintf(c->out, "set border %d lc rgb '%s'\n", c->downwards ? 0 : 3, chart_muted);
    if (c->kind != CHART_TEXT) {
        fprintf(c->out, "set grid %s lt 1 lw 0.6 lc rgb '%s'\n", c->downwards ? "x" : p->has_z ? "noxtics" : "x y",
                chart_grid);
        if (p->has_z)
            fputs("unset grid\n", c->out);
    }
    axis_title(c, &p->x, title, sizeof title);
    chart_label(c, (c->left + c->right) / 2, c->bottom + (c->kind == CHART_TEXT ? 2 : 38), "center", 13, chart_ink, 0,
                title);
    if (c->downwards || (c->kind == CHART_TEXT && p->y.scale != NAMES && !p->has_z)) {
        if (!c->downwards)
            chart_label(c, 0, c->top - 1, "left", 13, chart_ink, 0, p->y.title);
        return;
    }
    axis_title(c, &p->y, title, sizeof title);
    if (c->kind == CHART_TEXT)
        chart_label(c, 0, c->top - 1, "left", 13, chart_ink, 0, title);
    else
        chart_label(c, 18, (c->top + c->bottom) / 2, "center", 13, chart_ink, 90, title);
}

static void notes(const chart *c)
{
    char line[TEXT_BYTES];
    size_t most = (size_t)((c->width - 40) / 6.3);
    for (size_t i = 0; i < c->plot->note_count && c->kind != CHART_TEXT; i++) {
        chart_cut(line, sizeof line, c->plot->notes[i], most);
        chart_label(c, 20, c->bottom + 62 + 15 * (double)i, "left", 11, chart_muted, 0, line);
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

void chart_write(chart *c, FILE *out)
{
    static const char *const terminals[] = {
        "set terminal svg size %.0f,%.0f noenhanced font 'sans-serif,13'\n",
        "set terminal pngcairo size %.0f,%.0f noenhanced font 'sans-serif,10' background rgb '#ffffff'\n",
        "set terminal dumb size %.0f,%.0f noenhanced mono\n",
    };
    c->out = out;
    fputs("set encoding utf8\n", out);
    fprintf(out, terminals[c->kind], c->width, c->height);
    fputs("set key off\nset clip two\n", out);
    fprintf(out, "set margins at screen %.6f, screen %.6f, screen %.6f, screen %.6f\n", c->left / c->width,
            c->right / c->width, chart_up(c, c->bottom), chart_up(c, c->top));
    axes(c);
    char title[TEXT_BYTES];
    chart_cut(title, sizeof title, c->plot->title, (size_t)(c->kind == CHART_TEXT ? c->width : c->width / 10));
    chart_label(c, c->kind == CHART_TEXT ? 0 : 20, c->kind == CHART_TEXT ? 0 : 24, "left", 17, chart_ink, 0, title);
    notes(c);
    chart_marks(c);
}
