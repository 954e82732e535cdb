/* table.h: results, comparisons and programs as tables for people. */
#ifndef TABLE_H
#define TABLE_H

#include "kcost.h"
#include "page.h"

/* One table of results that belong together (none of a program), then what
 * --explain and --verbose add about each. */
void table_results(const page *p, kc_result *const *results, size_t count);
/* Numbered kernels and a total line. */
void table_program(const page *p, kc_result *program);
/* A table a device, with ratios to the first row. */
void table_comparison(const page *p, const kc_comparison *comparison);

#endif
