/* svg.c: what gnuplot's SVG lacks: hover texts, dark mode, a title.
 *
 * Hover texts are <title> elements of transparent shapes that lie on the marks, at the places that chart.c worked
 * out; class "dot" is a kernel or point.  Ink and background follow the reader's colour scheme. */
#include "svg.h"

#include <string.h>

enum { MOST_HOVER = 4000 };

static void describe(FILE *out, const chart *c, const series *s, const point *p)
{
    char text[1024];
    plot_describe(c->plot, s, p, text, sizeof text);
    fputs("<title>", out);
    page_escape(out, text);
    fputs("</title>", out);
}

static void over_dot(FILE *out, const chart *c, const series *s, const point *p)
{
    double r = p->number ? chart_radius(c, p) : 5;
    fprintf(out, "<circle class=\"%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#fff\" fill-opacity=\"0\">",
            s->mark == DOT ? "dot" : s->mark == CURVE ? "step" : s->mark == RING ? "ring" : "level", chart_x(c, p->x), chart_y(c, p->y), r);
    describe(out, c, s, p);
    fputs("</circle>\n", out);
}

/* `x` to `x2`, and half a name high. */
static void over_rectangle(FILE *out, const chart *c, const series *s, const point *p, const char *class, double x,
                           double x2)
{
    double y = chart_y(c, p->y - 0.5), y2 = chart_y(c, p->y + 0.5);
    fprintf(out,
            "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#fff\" "
            "fill-opacity=\"0\">",
            class, chart_x(c, x), y < y2 ? y : y2, chart_x(c, x2) - chart_x(c, x), y < y2 ? y2 - y : y - y2);
    describe(out, c, s, p);
    fputs("</rect>\n", out);
}

static void over_series(FILE *out, const chart *c, size_t index)
{
    const series *s = &c->plot->series[index];
    for (size_t k = 0; k < s->count && k < MOST_HOVER; k++) {
        const point *p = &s->points[k];
        double from = s->mark == BAR ? chart_bar_from(c->plot, index, p) : 0;
        if (plot_mark_is_dot(s->mark) || s->mark == CURVE)
            over_dot(out, c, s, p);
        else if (s->mark == BAR)
            over_rectangle(out, c, s, p, "bar", from, from + p->x);
        else if (s->mark == CELL || s->mark == HATCH)
            over_rectangle(out, c, s, p, s->mark == CELL ? "cell" : "hatch", p->x - 0.5, p->x + 0.5);
    }
}

/* The shapes of the last series would lie on those of the first: HBM's dots come last. */
static void hover(FILE *out, const chart *c)
{
    fputs("<g class=\"hover\" stroke=\"none\">\n", out);
    for (size_t i = c->plot->count; i-- > 0;)
        over_series(out, c, i);
    fputs("</g>\n", out);
}

static void head(FILE *out, const chart *c, bool inside)
{
    if (!inside)
        fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", out);
    fprintf(out,
            "<svg class=\"plot\" role=\"img\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\"\n"
            " xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n<title>",
            c->width, c->height, c->width, c->height);
    page_escape(out, c->plot->title);
    fputs("</title>\n<style>@media (prefers-color-scheme: dark) {\n"
          ".plot [fill='rgb(36,41,47)'] { fill: #e6edf3 }\n"
          ".plot [stroke='rgb( 36,  41,  47)'] { stroke: #e6edf3 }\n"
          ".plot .ground { fill: #16181c } }</style>\n",
          out);
    if (!inside)
        fprintf(out, "<rect class=\"ground\" width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", c->width, c->height);
}

static bool begins(const char *at, const char *start)
{
    return strncmp(at, start, strlen(start)) == 0;
}

/* gnuplot names its layers, which would be hover texts too; it leaves ">" as it is, but no text of XML may hold "]]>". */
static void body(FILE *out, const char *at, const char *end)
{
    while (at < end) {
        if (begins(at, "<title>gnuplot_plot_")) {
            at = strstr(at, "</title>") + strlen("</title>");
        } else if (begins(at, "]]>")) {
            fputs("]]&gt;", out);
            at += strlen("]]>");
        } else {
            fputc(*at++, out);
        }
    }
}

void svg_write(FILE *out, const chart *c, const char *svg, bool inside)
{
    const char *from = strstr(svg, "<g id=\"gnuplot_canvas\"");
    const char *to = from ? strstr(from, "</svg>") : NULL;
    head(out, c, inside);
    if (to)
        body(out, from, to);
    hover(out, c);
    fputs("</svg>\n", out);
}
