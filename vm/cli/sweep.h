/* sweep.h: a sweep as a table for people. */
#ifndef SWEEP_H
#define SWEEP_H

#include "table.h"

/* A row a point (the first ones, all with --verbose), then how many points there are and why others
 * are missing. */
void table_sweep(const page *p, const kc_sweep *sweep);

#endif
