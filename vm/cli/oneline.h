/* oneline.h: `kcost NAME k=v …` and `kcost diff A B`: what the stdlib answers without a script. */
#ifndef ONELINE_H
#define ONELINE_H

#include "options.h"

/* The script that evaluates what the options name; to be freed.  NULL: no memory. */
char *oneline_code(const options *o);

#endif
