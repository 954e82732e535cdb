/* refuse.c: for LD_PRELOAD: the C heap of this process, and of none that it runs, refuses the $REFUSE-th request (and with
 * $REFUSE_ON all after it), counted from the first one; with $REFUSE_TELL the number of requests goes to that file in the
 * end. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static unsigned long refuse, asked;
static int on, ready;

static int refused(void)
{
    if (!ready) {
        const char *n = getenv("REFUSE");
        ready = 1;
        refuse = n ? strtoul(n, NULL, 10) : 0;
        on = getenv("REFUSE_ON") != NULL;
    }
    unsigned long n = ++asked;
    int no = refuse > 0 && (n == refuse || (on && n > refuse));
    if (no)
        errno = ENOMEM;
    return no;
}

void *malloc(size_t size)
{
    return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return size > 0 && refused() ? NULL : __libc_realloc(block, size);
}

__attribute__((constructor)) static void leave_children_alone(void)
{
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("REFUSE_TELL");
    refuse = 0;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%lu\n", asked);
    fclose(file);
}
