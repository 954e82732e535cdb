/* account.h: a host's allocation hook that keeps an account of what is out of it, and refuses: what is beyond a limit,
 * the n-th request, or all from the n-th on; and which n, where not all are tried. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct account {
    size_t bytes, blocks, most;
    size_t limit;         /* bytes; 0: none */
    size_t asked, refuse; /* requests so far; the one that is refused, 0: none */
    int for_ever;         /* and all after it */
    int smaller;          /* requests for less are refused too */
    size_t refused;       /* how many were */
    size_t misstated;     /* old sizes that were not what was asked for before */
} account;

/* A block begins with its size. */
typedef union account_head {
    size_t size;
    max_align_t aligned;
} account_head;

static inline int account_refuses(account *a, size_t more)
{
    a->asked++;
    int refused = (more > 0 || a->smaller) && ((a->refuse > 0 && (a->asked == a->refuse || (a->for_ever && a->asked > a->refuse))) ||
                               (a->limit > 0 && a->bytes + more > a->limit));
    a->refused += (size_t)refused;
    return refused;
}

static inline void *account_resize(void *data, void *block, size_t old_size, size_t new_size)
{
    account *a = data;
    account_head *head = block ? (account_head *)block - 1 : NULL;
    size_t old = head ? head->size : 0;
    a->misstated += head && old != old_size;
    if (new_size == 0) {
        free(head);
        a->bytes -= old;
        a->blocks -= block != NULL;
        return NULL;
    }
    if (account_refuses(a, new_size > old ? new_size - old : 0))
        return NULL;
    account_head *moved = realloc(head, sizeof *moved + new_size);
    if (!moved)
        return NULL;
    moved->size = new_size;
    a->bytes += new_size - old;
    a->blocks += block == NULL;
    a->most = a->bytes > a->most ? a->bytes : a->most;
    return moved + 1;
}

/* From 1 to `most`, by Marsaglia's xorshift; *chance is a seed, not 0, and goes on. */
static inline size_t account_draw(uint64_t *chance, size_t most)
{
    *chance ^= *chance << 13;
    *chance ^= *chance >> 7;
    *chance ^= *chance << 17;
    return 1 + (size_t)((*chance >> 11) % most);
}

#endif
