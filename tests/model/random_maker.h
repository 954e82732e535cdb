/* random_maker.h: what the files behind random_kernel.h share: a kernel in the making, and parts to make it of.
 *
 * Every part is NULL where one of its inputs is, or where the language refuses
 * it; then nothing comes of the kernel. */
#ifndef RANDOM_MAKER_H
#define RANDOM_MAKER_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernel.h"

enum { DIMS = 26, MOST_HELD = 256, MOST_PARTS = 12 };

typedef struct maker {
    kc_context *context;
    uint64_t state;
    const uint8_t *bytes;           /* drawn before all else */
    size_t left;
    void *held[MOST_HELD];
    size_t held_count;
    kc_tensor *parts[MOST_PARTS];   /* written tensors, in order */
    size_t part_count;
    bool fuses;                     /* some part is read by another */
    int saves;                      /* percent of the parts that a fuse still writes */
    char names[DIMS][2];
    kc_size size[DIMS];             /* of dims a .. z */
    size_t tensors;
} maker;

uint64_t draw(maker *m);
int number(maker *m, int lo, int hi);
bool chance(maker *m, int percent);
const char *one_of(maker *m, const char *const *list, int count);
double size_of(const maker *m, char dim);
void set_size(maker *m, char dim, double size);
void *keep(maker *m, void *handle);
kc_dtype *dtype(maker *m);
kc_tensor *tensor(maker *m, const char *dims);
kc_value *read_at(maker *m, kc_tensor *t, const char *index);
kc_value *input(maker *m, const char *dims);
kc_value *matmul(maker *m, kc_value *a, kc_value *b, const char *over, kc_value *into);
kc_value *map1(maker *m, kc_value *a);
kc_value *map2(maker *m, kc_value *a, kc_value *b);
kc_value *reduce(maker *m, kc_value *a, const char *over);
kc_value *softmax(maker *m, kc_value *a, const char *over, bool online);
kc_value *masked(maker *m, kc_value *a, const char *q, const char *k);
kc_value *cast(maker *m, kc_value *a);
kc_tensor *output(maker *m, kc_value *value);
kc_value *pass_on(maker *m, kc_value *value, const char *index);
kc_value *epilogue(maker *m, kc_value *value, const char *const *dims, int count);

/* A soup with so many percent of masks. */
void soup_of(maker *m, int masks);

/* A family draws its kernel's parts. */
typedef struct family {
    const char *name;
    void (*make)(maker *);
} family;

extern const family plain_families[], masked_families[];    /* the last has no name */

#endif
