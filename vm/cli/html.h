/* html.h: a report as one page of HTML. */
#ifndef HTML_H
#define HTML_H

#include "kcost.h"
#include "options.h"
#include "plot.h"

/* Shows on a page what the script returned; 0: good. */
typedef int page_tables(kc_vm *vm, const page *p);

/* Writes the tables, explanations and plots of what the script returned into the file of --html.
 * False: said on stderr. */
bool html_report(kc_vm *vm, const options *o, figure *const *plots, size_t count, page_tables *tables);

#endif
