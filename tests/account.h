/* account.h: a host's allocation hook that keeps an account of what is out of it, and refuses: what is beyond a limit,
 * the n-th request, or all from the n-th on. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stddef.h>
#include <stdlib.h>

typedef struct account {
    size_t bytes, blocks, most;
    size_t limit;           /* bytes; 0: none */
    size_t asked, refuse;   /* requests so far; the one that is refused, 0: none */
    int for_ever;           /* and all after it */
} account;

static inline void *account_resize(void *data, void *block, size_t old_size, size_t new_size)
{
    account *a = data;
    size_t old = block ? old_size : 0;
    if (new_size == 0) {
        free(block);
        a->bytes -= old;
        a->blocks -= block != NULL;
        return NULL;
    }
    a->asked++;
    if (a->refuse > 0 && new_size > old && (a->asked == a->refuse || (a->for_ever && a->asked > a->refuse)))
        return NULL;
    if (a->limit > 0 && new_size > old && a->bytes - old + new_size > a->limit)
        return NULL;
    void *moved = realloc(block, new_size);
    if (moved) {
        a->bytes += new_size - old;
        a->blocks += block == NULL;
        a->most = a->bytes > a->most ? a->bytes : a->most;
    }
    return moved;
}

#endif
