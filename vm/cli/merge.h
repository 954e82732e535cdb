/* merge.h: kcost merge: the parts of a sweep as one. */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stdio.h>

#include "kcost.h"
#include "options.h"

typedef struct merge merge;

/* Reads the files that follow the word "merge", and joins them.  NULL: said on stderr why not. */
merge *merge_parts(const options *o);
/* The joined sweeps become answers of the VM.  False: said on stderr. */
bool merge_give(const merge *m, kc_vm *vm);
/* In the form that was asked for, else in that of the parts. */
void merge_show(const merge *m, const options *o, FILE *out);
void merge_free(merge *m);

#endif
