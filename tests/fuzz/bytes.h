/* bytes.h: a fuzzer's input as a stream of choices, and what every target has in common.
 *
 * Each target is a file fuzz_NAME.c with the one function that libFuzzer calls;
 * replay.c calls it for the files of a corpus.  A finding ends the process: found(). */
#ifndef BYTES_H
#define BYTES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is left of an input; at its end every choice is 0. */
typedef struct bytes {
    const uint8_t *data;
    size_t left;
} bytes;

static inline unsigned take(bytes *b)
{
    if (b->left == 0)
        return 0;
    b->left--;
    return *b->data++;
}

/* 0 .. count - 1. */
static inline size_t choose(bytes *b, size_t count)
{
    size_t n = take(b);
    return (count > 256 ? n << 8 | take(b) : n) % count;
}

#define ONE_OF(b, list) ((list)[choose(b, sizeof(list) / sizeof *(list))])

/* Mostly small and whole, now and then what no caller should pass. */
static inline double odd_number(bytes *b)
{
    static const double odd[] = { 0, -1, 0.5, -0.0, 1e9, 1e18, 9007199254740993.0, 1e300, 5e-324, NAN, HUGE_VAL, -HUGE_VAL };
    unsigned n = take(b);
    if (n < 200)
        return 1 + n % 64;
    return n < 232 ? ldexp(1, (int)(n - 200)) : odd[n % (sizeof odd / sizeof *odd)];
}

/* A text of the input's own bytes, up to `size` - 1 of them, without zeros. */
static inline const char *raw_text(bytes *b, char *into, size_t size)
{
    size_t length = take(b) % size, n = 0;
    while (n < length && b->left > 0) {
        unsigned c = take(b);
        if (c == 0)
            break;
        into[n++] = (char)c;
    }
    into[n] = '\0';
    return into;
}

static inline void found(const char *what)
{
    fprintf(stderr, "found: %s\n", what);
    abort();
}

#endif
