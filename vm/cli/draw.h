/* draw.h: the files that --plot, --plot-data and --html ask for. */
#ifndef DRAW_H
#define DRAW_H

#include "kcost.h"
#include "html.h"

/* Makes them of what the script returned; `terminal` is where --plot - goes, `tables` shows the tables of a report.
 * False: said on stderr. */
bool draw(kc_vm *vm, const options *o, FILE *terminal, page_tables *tables);

#endif
