/* html.c: a report as one page of HTML that needs nothing else: tables, explanations, plots.
 *
 * Light and dark follow the reader's colour scheme; a click on a column's title sorts by it.  All texts are escaped;
 * the only script is the one below. */
#include "html.h"

#include <stdlib.h>

#include "gnuplot.h"
#include "output.h"
#include "svg.h"

static const char *const style[] = {
    ":root { color-scheme: light dark; --ink: #24292f; --ground: #ffffff; --line: #d5dae0;",
    "  --pale: #5f6770; --stripe: #f5f7f9 }",
    "@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --ground: #16181c; --line: #363c44;",
    "  --pale: #9aa4af; --stripe: #1e2126 } }",
    "body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif }",
    "main { max-width: 1100px; margin: 0 auto; padding: 1.5rem 1rem 4rem }",
    "h1 { font-size: 1.5rem; margin: 0 0 .2rem; overflow-wrap: anywhere }",
    "h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; overflow-wrap: anywhere }",
    "p { margin: .3rem 0; color: var(--pale); overflow-wrap: anywhere }",
    "pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; border-left: 3px solid var(--line);",
    "  padding-left: .8rem; margin: .8rem 0 }",
    ".wide { overflow-x: auto; margin: .5rem 0 }",
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums }",
    "th, td { padding: .25rem .7rem; text-align: left; white-space: nowrap; border-bottom: 1px solid var(--line) }",
    ".number { text-align: right }",
    "tbody tr:nth-child(even) { background: var(--stripe) }",
    ".total td { border-top: 2px solid var(--line); font-weight: 600 }",
    "th button { all: unset; cursor: pointer; font-weight: 600 }",
    "th button:focus-visible { outline: 2px solid #0072b2 }",
    "th[aria-sort=ascending] button::after { content: ' \\25b2' }",
    "th[aria-sort=descending] button::after { content: ' \\25bc' }",
    "figure { margin: 2rem 0 0 }",
    "figure svg { width: 100%; min-width: 860px; height: auto }",
    "summary { cursor: pointer; color: var(--pale) }",
    "details h2 { display: none }",
};

static const char *const script[] = {
    "document.addEventListener('click', function (event) {",
    "  var button = event.target.closest('th button');",
    "  if (!button) return;",
    "  var head = button.closest('th'), table = head.closest('table'), body = table.tBodies[0];",
    "  var column = Array.prototype.indexOf.call(head.parentNode.children, head);",
    "  var numbers = head.classList.contains('number');",
    "  var was = head.getAttribute('aria-sort');",
    "  var down = was ? was === 'ascending' : numbers;",
    "  table.querySelectorAll('th').forEach(function (th) { th.removeAttribute('aria-sort'); });",
    "  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');",
    "  function key(row) {",
    "    var cell = row.children[column], value = cell.dataset.value;",
    "    return value !== undefined ? Number(value) : cell.textContent;",
    "  }",
    "  function order(a, b) {",
    "    var x = key(a), y = key(b);",
    "    if (x === '' || y === '') return (x === '') - (y === '');",
    "    var by = typeof x === 'number' && typeof y === 'number' ? x - y",
    "      : String(x).localeCompare(String(y), 'en', { numeric: true });",
    "    return down ? -by : by;",
    "  }",
    "  var rows = Array.prototype.slice.call(body.rows);",
    "  var last = rows.filter(function (row) { return row.classList.contains('total'); });",
    "  rows = rows.filter(function (row) { return !row.classList.contains('total'); });",
    "  rows.sort(order).concat(last).forEach(function (row) { body.appendChild(row); });",
    "});",
};

static void lines(FILE *out, const char *element, const char *const *text, size_t count)
{
    fprintf(out, "<%s>\n", element);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s\n", text[i]);
    fprintf(out, "</%s>\n", element);
}

static const char *title_of(const options *o)
{
    return o->code ? "kcost -e" : o->words[0];
}

static void head(FILE *out, const options *o)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", out);
    page_escape(out, title_of(o));
    fputs("</title>\n", out);
    lines(out, "style", style, sizeof style / sizeof *style);
    fputs("</head>\n<body>\n<main>\n<h1>", out);
    page_escape(out, title_of(o));
    fprintf(out, "</h1>\n<p>kcost %s", kc_version());
    for (size_t i = 0; i < o->setting_count; i++) {
        char text[256];
        plot_text(text, sizeof text, ", %.*s=%s", (int)o->settings[i].length, o->settings[i].name, o->settings[i].value);
        page_escape(out, text);
    }
    fputs("</p>\n", out);
}

/* The picture, and its points as a table. */
static void show_plot(const page *p, const figure *plot)
{
    chart c = chart_of(plot, CHART_SVG, 0);
    const char *wrong;
    size_t length;
    char *picture = gnuplot_draw(&c, &length, &wrong);
    fputs("<figure>\n", p->out);
    if (picture) {
        fputs("<div class=\"wide\">", p->out);
        svg_write(p->out, &c, picture, true);
        fputs("</div>\n", p->out);
    } else {
        page_heading(p, "%s", plot->title);
        page_line(p, "p", wrong);
    }
    fprintf(p->out, "<details%s><summary>points of this plot</summary>\n", picture ? "" : " open");
    plot_table(p, plot);
    fputs("</details>\n</figure>\n", p->out);
    free(picture);
}

bool html_report(kc_vm *vm, const options *o, figure *const *plots, size_t count, page_tables *tables)
{
    FILE *out = output_open(o->html);
    if (!out)
        return false;
    page p = { .out = out, .verbosity = VERBOSE, .explain = true, .html = true };
    head(out, o);
    for (size_t i = 0; i < count; i++)
        show_plot(&p, plots[i]);
    bool good = tables(vm, &p) == 0;
    fputs("</main>\n", out);
    lines(out, "script", script, sizeof script / sizeof *script);
    fputs("</body>\n</html>\n", out);
    return output_close(out, o->html) && good;
}
