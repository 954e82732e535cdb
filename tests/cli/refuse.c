/* refuse.c: for LD_PRELOAD: the C heap refuses the $REFUSE-th request (and with $REFUSE_ON all after it), counted from the first
 * one; with $REFUSE_TELL the number of requests goes to that file in the end. */
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
    return refuse > 0 && (n == refuse || (on && n > refuse));
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
