/* rows.h: measured kernels as rows of CSV; ../shared/measured/FORMAT.md is the format. */
#ifndef ACCURACY_ROWS_H
#define ACCURACY_ROWS_H

#include <stddef.h>

typedef enum row_class { MATMUL, PREFILL, DECODE, MEMORY, STENCIL, CLASSES, NO_CLASS } row_class;
extern const char *const class_names[CLASSES];

typedef struct row {
    const char *source, *device, *op, *dtype, *shape, *notes;
    double measured_us;             /* 0: the source gives no time */
    row_class kind;
} row;

typedef struct rows {
    row *items;
    size_t count, capacity;
} rows;

/* Adds the rows of every .csv file of the folder that has the columns of the format, by file
 * name, less those of sources that were read before; how many files were read.  Memory stays until the program ends. */
size_t rows_read(rows *all, const char *folder);

/* The number after `key=` in a shape, or `absent`. */
double shape_number(const char *shape, const char *key, double absent);
/* Bytes that hardware counted at HBM, and whether writes are among them; 0: it did not count. */
double counted_bytes(const row *r, int *writes);
/* Is `word` one of the words of `list`?  "*" has all. */
int listed(const char *list, const char *word);

#endif
