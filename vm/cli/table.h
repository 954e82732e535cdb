/* table.h: results, comparisons and programs as tables for people. */
#ifndef TABLE_H
#define TABLE_H

#include "kcost.h"
#include "options.h"

/* Where tables go and how much they say. */
typedef struct page {
    FILE *out;
    size_t width;                   /* columns of the terminal; 0: no limit */
    verbosity verbosity;
    bool explain;                   /* behind each table, kc_result_explain of its results */
    const char *field;              /* or the formula of this field; NULL */
} page;

/* One table of results that belong together (none of a program), then what
 * --explain and --verbose add about each. */
void table_results(const page *p, kc_result *const *results, size_t count);
/* Numbered kernels and a total line. */
void table_program(const page *p, kc_result *program);
/* A table a device, with ratios to the first row. */
void table_comparison(const page *p, const kc_comparison *comparison);

#endif
