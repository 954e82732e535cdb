/* page.c: where results are shown, as text or as HTML. */
#define _GNU_SOURCE                 /* fopencookie: a stream that escapes what goes through */

#include "page.h"

#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

#include "output.h"
#include "terminal.h"

page page_of(FILE *out, const options *o)
{
    bool people = o->format == FORMAT_TABLE && !o->complete; /* what is for programs stays as it is */
    size_t width = people ? terminal_width(out) : 0;
    return (page){ .out = terminal_fit(out, width), .width = width, .colours = terminal_has_colours(out),
                   .verbosity = o->verbosity, .explain = o->explain, .field = o->field };
}

static void escape(FILE *out, const char *text, size_t length)
{
    static const char letters[] = "&<>\"";
    static const char *const meant[] = { "&amp;", "&lt;", "&gt;", "&quot;" };
    for (size_t i = 0; i < length; i++) {
        const char *letter = text[i] ? strchr(letters, text[i]) : NULL;
        if (letter)
            fputs(meant[letter - letters], out);
        else
            fputc(text[i], out);
    }
}

void page_escape(FILE *out, const char *text)
{
    escape(out, text, strlen(text));
}

static ssize_t write_escaped(void *out, const char *text, size_t length)
{
    escape(out, text, length);
    return (ssize_t)length;
}

FILE *page_begin(const page *p, const char *element)
{
    if (!p->html)
        return p->out;
    cookie_io_functions_t functions = { .write = write_escaped };
    fprintf(p->out, "<%s>", element);
    FILE *text = fopencookie(p->out, "w", functions);
    if (text)
        return text;
    output_lacks_memory();
    return stderr; /* said at least, and not in a page that it could break */
}

void page_end(const page *p, const char *element, FILE *text)
{
    if (!p->html)
        return;
    if (text != stderr)
        fclose(text);
    fprintf(p->out, "</%s>\n", element);
}

void page_heading(const page *p, const char *text, ...)
{
    va_list arguments;
    FILE *out = page_begin(p, "h2");
    fputs(p->colours ? TERMINAL_BOLD : "", out);
    va_start(arguments, text);
    vfprintf(out, text, arguments);
    va_end(arguments);
    fputs(p->colours ? TERMINAL_PLAIN "\n" : "\n", out);
    page_end(p, "h2", out);
}

void page_line(const page *p, const char *element, const char *text)
{
    FILE *out = page_begin(p, element);
    fprintf(out, p->html ? "%s" : "%s\n", text);
    page_end(p, element, out);
}

void page_sheet(const page *p, sheet *s)
{
    if (p->html)
        sheet_html(s, p->out);
    else
        sheet_print(s, p->out, (sheet_style){ p->width, p->colours, p->verbosity == VERBOSE });
    sheet_free(s);
}
