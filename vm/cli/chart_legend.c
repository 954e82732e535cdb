/* chart_legend.c: what names the marks of a chart: a row of swatches above it, a list of numbered dots beside it. */
#include "chart_marks.h"

#include <stdio.h>
#include <string.h>

static bool in_legend(const figure *p, const series *s)
{
    size_t alike = 0;
    for (size_t i = 0; i < p->count; i++)
        alike += p->series[i].mark == s->mark;
    switch (s->mark) {
    case CURVE:
    case BAR:
        return alike > 1;
    case HATCH:
    case FRAME:
        return true;
    default:
        return (plot_mark_is_dot(s->mark) || s->mark == STEP) && strcmp(p->which, "pareto") == 0;
    }
}

static void swatch(const chart *c, const series *s, double x, double y)
{
    const char *ink = s->group ? chart_colour(s->group) : chart_muted;
    char more[80];
    if (plot_mark_is_dot(s->mark)) {
        chart_shape(c, s->mark, x + 7, y, 5, ink);
    } else if (s->mark == HATCH) {
        chart_hatch(c, x, y - 7, x + 16, y + 7);
    } else if (s->mark == FRAME) {
        snprintf(more, sizeof more, "nohead lw 3 lc rgb '%s'", chart_colour(2));
        chart_segment(c, x, y, x + 14, y, more);
    } else if (s->mark == BAR) {
        chart_rectangle(c, x, y - 5, x + 13, y + 5, ink);
    } else {
        snprintf(more, sizeof more, "nohead lw 2 lc rgb '%s'", ink);
        chart_segment(c, x, y, x + 14, y, more);
    }
}

/* The first ceiling of each of several devices stands for it. */
static bool names_device(const figure *p, size_t index)
{
    if (!*p->series[index].of)
        return false;
    for (size_t i = 0; i < index; i++)
        if (strcmp(p->series[i].of, p->series[index].of) == 0)
            return false;
    return true;
}

/* In a row above the axes; what does not fit is in the hover texts and the data. */
void chart_legend(const chart *c)
{
    double x = c->left, y = c->top - 1.3 * c->em;
    for (size_t i = 0; i < c->plot->count && c->kind != CHART_TEXT; i++) {
        const series *s = &c->plot->series[i];
        bool device = names_device(c->plot, i);
        const char *name = device ? s->of : s->name;
        double wide = 42 + 6.6 * (double)chart_letters(name);
        if (!device && !in_legend(c->plot, s))
            continue;
        if (x + wide > c->width) {
            chart_label(c, x, y, "left", 12, chart_muted, 0, "\xe2\x80\xa6");
            return;
        }
        swatch(c, s, x, y);
        chart_label(c, x + 20, y, "left", 12, chart_ink, 0, name);
        x += wide;
    }
}

static void entry_figures(const figure *p, const point *d, char *out, size_t size)
{
    char text[128];
    *out = '\0';
    if (!d->values) {
        plot_quantity(out, size, d->x, p->x.unit);
        plot_quantity(text, sizeof text, d->y, p->y.unit);
        plot_text(out + strlen(out), size - strlen(out), ", %s", text);
        return;
    }
    for (size_t i = 0; i < p->column_count; i++) {
        if (d->values[i].text)
            plot_text(text, sizeof text, "%s", d->values[i].text);
        else
            plot_quantity(text, sizeof text, d->values[i].number, p->columns[i].unit);
        if (*text)
            plot_text(out + strlen(out), size - strlen(out), "%s%s", *out ? ", " : "", text);
    }
}

static bool has_dots(const series *s)
{
    return plot_mark_is_dot(s->mark) && s->count > 0 && s->points[0].number > 0;
}

/* What each shape is, where there is more than one. */
static void shape_key(const chart *c, double x)
{
    const figure *p = c->plot;
    char text[256];
    double rows = 0, y = c->bottom - 4;
    for (size_t i = 0; i < p->count; i++)
        rows += has_dots(&p->series[i]);
    if (rows < 2)
        return;
    for (size_t i = 0; i < p->count; i++) {
        const series *s = &p->series[i];
        if (!has_dots(s))
            continue;
        rows--;
        chart_shape(c, s->mark, x, y - 1.5 * c->em * rows, 6, chart_muted);
        plot_text(text, sizeof text, "%s%s", s->mark == RING ? "" : "FLOP per byte of ", s->name);
        chart_label(c, x + 18, y - 1.5 * c->em * rows, "left", 12, chart_ink, 0, text);
    }
}

static void list_entry(const chart *c, const point *d, double x, double y)
{
    char text[256], figures[256];
    snprintf(text, sizeof text, "%d", d->number);
    chart_shape(c, DOT, x, y + 9, 10, chart_colour(d->group));
    chart_label(c, x, y + 9, "center", 11, chart_number_ink(d->group), 0, text);
    chart_cut(text, sizeof text, d->name, 29);
    chart_label(c, x + 18, y, "left", 13, chart_ink, 0, text);
    entry_figures(c->plot, d, figures, sizeof figures);
    chart_cut(text, sizeof text, figures, 36);
    chart_label(c, x + 18, y + 17, "left", 12, chart_muted, 0, text);
}

/* The numbered dots, with their figures, beside the chart. */
void chart_list(const chart *c)
{
    double x = c->beside + 30, y = c->top + 4, last = c->bottom - 90;
    const series *s = c->plot->series;
    char text[64];
    while (!has_dots(s))
        s++;
    for (size_t k = 0; k < s->count; k++, y += 38) {
        if (y > last) {
            snprintf(text, sizeof text, "and %zu more: see the table", s->count - k);
            chart_label(c, x + 18, y, "left", 12, chart_muted, 0, text);
            break;
        }
        list_entry(c, &s->points[k], x, y);
    }
    shape_key(c, x);
}
