/* prompt.h: `kcost` without a script on a terminal: lines typed, run one after another, their values printed. */
#ifndef PROMPT_H
#define PROMPT_H

#include <stdio.h>

#include "kcost.h"
#include "options.h"

/* Prints what the last run of the VM gave; 0: good. */
typedef int (*prompt_show)(kc_vm *vm, const options *o, FILE *out);

/* Until the end of input.  An error of a line is said and ends nothing.  Returns the exit status. */
int prompt_run(kc_vm *vm, const options *o, prompt_show show, FILE *out);

#endif
