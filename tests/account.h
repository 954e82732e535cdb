/* account.h: a host's allocation hook that keeps an account of what is out of it, and refuses what is beyond a limit. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stddef.h>
#include <stdlib.h>

typedef struct account {
    size_t bytes, blocks, most;
    size_t limit; /* bytes; 0: none */
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
