/* declared.h: the functions that kcost.h declares, as kc_ffi tells of them: a test that goes through them all forgets none. */
#ifndef DECLARED_H
#define DECLARED_H

#include <stdbool.h>
#include <string.h>

#include "kcost.h"

typedef struct declared {
    const char *rest; /* of kc_ffi(), in which it is read; NULL: from its start */
    const char *name;
    size_t length;
} declared;

static inline bool is_of_name(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* The next function of the model (none of the VM).  A line that is a declaration begins in the first column; the name
 * stands before the first "(".  False: that was the last one. */
static inline bool next_declared(declared *d)
{
    const char *line = d->rest ? d->rest : kc_ffi();
    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t end = strcspn(line, "(\n"), length = 0;
        if (line[end] != '(' || strchr(" /*}", *line) || strncmp(line, "typedef", 7) == 0)
            continue;
        while (length < end && is_of_name(line[end - length - 1]))
            length++;
        const char *name = line + end - length;
        if (strncmp(name, "kc_vm_", 6) == 0 || strncmp(name, "luaopen_", 8) == 0)
            continue;
        line += strcspn(line, "\n");
        *d = (declared){ .rest = line + (*line == '\n'), .name = name, .length = length };
        return true;
    }
    return false;
}

#endif
