/* stdlib_files.h: the stdlib as it is compiled in; the table is written by embed.c. */
#ifndef KCI_STDLIB_FILES_H
#define KCI_STDLIB_FILES_H

#include <stddef.h>

typedef struct kci_stdlib_file {
    const char *name;               /* "gemm": the file's name without .lua */
    const unsigned char *bytes;     /* its text */
    size_t length;
} kci_stdlib_file;

extern const kci_stdlib_file kci_stdlib_files[];    /* in the order they were given */
extern const size_t kci_stdlib_file_count;

#endif
