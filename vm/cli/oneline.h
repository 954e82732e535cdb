/* oneline.h: `kcost NAME k=v …`, `kcost calibrate`, `diff` and `profile`: what the stdlib answers without a script. */
#ifndef ONELINE_H
#define ONELINE_H

#include "options.h"

/* Do the options name such a thing? */
bool oneline_wanted(const options *o);
/* The script that evaluates what the options name; to be freed.  NULL: no memory. */
char *oneline_code(const options *o);

#endif
