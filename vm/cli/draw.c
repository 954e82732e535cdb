/* draw.c: the files that --plot and --plot-data ask for: one a plot. */
#include "draw.h"

#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "output.h"
#include "svg.h"
#include "terminal.h"

/* FILE.svg, FILE-2.svg, …: of several plots each has a file.  To be freed. */
static char *numbered(const char *path, size_t i)
{
    size_t size = strlen(path) + 24;
    char *name = malloc(size);
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (!dot || (slash && dot < slash))
        dot = path + strlen(path);
    if (name && i == 0)
        snprintf(name, size, "%s", path);
    else if (name)
        snprintf(name, size, "%.*s-%zu%s", (int)(dot - path), path, i + 1, dot);
    return name;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), behind = strlen(end);
    return length > behind && strcmp(text + length - behind, end) == 0;
}

static bool write_csv(const figure *plot, const char *path)
{
    FILE *out = output_open(path);
    if (!out)
        return false;
    plot_csv(plot, out);
    return output_close(out, path);
}

static bool write_picture(const figure *plot, const char *path)
{
    chart c = chart_of(plot, ends_with(path, ".png") ? CHART_PNG : CHART_SVG, 0);
    const char *wrong;
    size_t length;
    char *picture = gnuplot_draw(&c, &length, &wrong);
    if (!picture)
        return complain("%s", wrong);
    FILE *out = output_open(path);
    if (out && c.kind == CHART_SVG)
        svg_write(out, &c, picture, false);
    else if (out)
        fwrite(picture, 1, length, out);
    free(picture);
    return out && output_close(out, path);
}

/* gnuplot begins with a form feed. */
static bool show_text(const figure *plot, FILE *out)
{
    size_t width = terminal_width(out), length;
    chart c = chart_of(plot, CHART_TEXT, width ? width : 80);
    const char *wrong;
    char *picture = gnuplot_draw(&c, &length, &wrong);
    if (!picture)
        return complain("%s", wrong);
    fputs("\n", out);
    output_trimmed(picture + strspn(picture, "\f\n"), out);
    free(picture);
    return true;
}

static bool draw_one(const figure *plot, size_t i, const options *o, FILE *terminal)
{
    if (o->plot_data) {
        char *path = numbered(o->plot_data, i);
        bool good = path && write_csv(plot, path);
        free(path);
        if (!good)
            return false;
    }
    if (o->plot && strcmp(o->plot, "-") == 0)
        return show_text(plot, terminal);
    if (o->plot) {
        char *path = numbered(o->plot, i);
        bool good = path && write_picture(plot, path);
        free(path);
        return good;
    }
    return true;
}

bool draw(kc_vm *vm, const options *o, FILE *terminal, page_tables *tables)
{
    if (!o->plot && !o->plot_data && !o->html)
        return true;
    const char *json = kc_vm_plots(vm), *wrong;
    size_t count = 0;
    if (!json)
        return complain("%s", kc_vm_message(vm));
    figure **plots = plots_read(json, &count, &wrong);
    if (!plots)
        return complain("the script returned a plot that cannot be drawn: %s", *wrong ? wrong : "not enough memory");
    bool good = count > 0 || o->html || complain("nothing that the script returned can be drawn");
    for (size_t i = 0; i < count && good; i++)
        good = draw_one(plots[i], i, o, terminal);
    if (good && o->html)
        good = html_report(vm, o, plots, count, tables);
    plots_free(plots, count);
    return good;
}
