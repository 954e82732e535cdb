/* page.h: where results are shown, as text or as HTML. */
#ifndef PAGE_H
#define PAGE_H

#include "options.h"
#include "sheet.h"

/* Where tables go and how much they say. */
typedef struct page {
    FILE *out;                      /* its lines fit `width` */
    size_t width;                   /* columns; 0: no limit */
    bool colours;
    verbosity verbosity;
    bool explain;                   /* behind each table, kc_result_explain of its results */
    const char *field;              /* or the formula of this field; NULL */
    bool html;
    bool *lacking;                  /* set where a result lacks the field that is to be explained */
} page;

/* Where the command line wants tables on a stream; p.out is closed by terminal_fitted. */
page page_of(FILE *out, const options *o);
/* A stream for text, closed by page_end: of a page of HTML an element ("p", "h2", "pre"), in which what is
 * written is escaped. */
FILE *page_begin(const page *p, const char *element);
void page_end(const page *p, const char *element, FILE *text);
/* A line that names what follows: bold, or an h2. */
void page_heading(const page *p, const char *text, ...) __attribute__((format(printf, 2, 3)));
/* A line of text, or an element. */
void page_line(const page *p, const char *element, const char *text);
/* The table; it goes. */
void page_sheet(const page *p, sheet *s);
/* Text as XML and HTML have it. */
void page_escape(FILE *out, const char *text);

#endif
