/* random_masks.c: kernels where masks, scales, expected rows and several indexes meet reductions and fusion. */
#include "random_maker.h"

static const char *const singles[] = { "i", "j", "k" };

/* A score over i and j, computed or read. */
static kc_value *score(maker *m)
{
    if (chance(m, 40))
        return input(m, chance(m, 70) ? "i j" : "j i");
    if (chance(m, 30))
        return map2(m, input(m, chance(m, 50) ? "i c" : "i"), input(m, "j"));
    return matmul(m, input(m, "i d"), input(m, "j d"), "d", NULL);
}

/* Something behind a value over i and j. */
static kc_value *use(maker *m, kc_value *x)
{
    switch (number(m, 0, 6)) {
    case 0: return matmul(m, x, input(m, "j e"), "j", NULL);
    case 1: return reduce(m, x, chance(m, 70) ? "j" : "i");
    case 2: return map2(m, x, reduce(m, x, chance(m, 50) ? "j" : "i"));
    case 3: return map1(m, x);
    case 4: return softmax(m, x, chance(m, 70) ? "j" : "i", chance(m, 50));
    case 5: return map2(m, x, input(m, chance(m, 50) ? "i" : "j"));
    default: return x;
    }
}

static void mask_behind_softmax(maker *m)
{
    kc_value *S = score(m);
    if (chance(m, 30))
        S = masked(m, S, "i", "j");
    kc_value *P = softmax(m, S, chance(m, 80) ? "j" : "i", chance(m, 50)), *M = masked(m, P, "i", "j");
    if (chance(m, 40))
        M = use(m, M);
    output(m, use(m, M));
    if (chance(m, 30))
        output(m, use(m, chance(m, 50) ? P : S));
}

static void mask_behind_reduction(maker *m)
{
    kc_value *x = chance(m, 50) ? input(m, "i j c") : map2(m, input(m, "i c"), input(m, chance(m, 50) ? "j c" : "j"));
    kc_value *y = reduce(m, x, "c");
    if (chance(m, 30))
        y = map1(m, y);
    kc_value *M = masked(m, y, chance(m, 70) ? "i" : "j", chance(m, 70) ? "j" : "i");
    if (chance(m, 30))
        M = map2(m, M, chance(m, 50) ? x : y);
    else if (chance(m, 30))
        M = masked(m, map2(m, x, reduce(m, M, chance(m, 50) ? "j" : "i")), "i", chance(m, 50) ? "j" : "c");
    output(m, chance(m, 70) ? use(m, M) : M);
    if (chance(m, 25))
        output(m, use(m, y));
}

/* Reductions one after another, each under a mask of its own or none: a pass each where they are
 * tiled; some of what a pass has is written, too. */
static void masks_in_passes(maker *m)
{
    kc_value *x = score(m);
    if (chance(m, 40))
        x = map1(m, x);
    for (int n = number(m, 2, 3); n > 0; n--) {
        kc_value *y = chance(m, 50) ? masked(m, x, "i", "j") : x;
        kc_value *row = chance(m, 25) ? softmax(m, y, chance(m, 75) ? "j" : "i", chance(m, 40))
                                      : reduce(m, y, chance(m, 75) ? "j" : "i");
        if (chance(m, 20))
            output(m, chance(m, 70) ? x : row);
        x = map2(m, chance(m, 70) ? x : y, row);
        if (chance(m, 40))
            x = masked(m, x, "i", "j");
    }
    output(m, use(m, x));
}

/* Bands on i, j and j, k: a point of one tensor is live where a common j is. */
static void chained_masks(maker *m)
{
    static const char *const shapes[] = { "i j", "j k", "i k", "i", "j", "k", "i j k" };
    kc_value *x = map2(m, input(m, one_of(m, shapes, 7)), input(m, one_of(m, shapes, 7)));
    for (int n = number(m, 0, 1); n > 0; n--)
        x = map2(m, x, input(m, one_of(m, shapes, 7)));
    for (int n = number(m, 2, 3); n > 0; n--) {
        x = masked(m, x, one_of(m, singles, 3), one_of(m, singles, 3));
        if (chance(m, 25))
            x = chance(m, 50) ? map2(m, x, reduce(m, x, one_of(m, singles, 3)))
                              : map2(m, x, input(m, one_of(m, shapes, 7)));
        else if (chance(m, 15))
            x = softmax(m, x, one_of(m, singles, 3), chance(m, 50));
    }
    if (chance(m, 50))
        x = reduce(m, x, one_of(m, singles, 3));
    output(m, x);
}

static kc_value *scaled_read(maker *m, kc_tensor *t, const char *index, double distinct)
{
    static const double scales[] = { 1, 1, 0.5, 2, 1.5 };
    return t == NULL ? NULL : keep(m, kc_read(t, index, m->size, DIMS, scales[number(m, 0, 4)], distinct));
}

/* Reads of one tensor at unlike scales, in one pass and in several. */
static void scaled(maker *m)
{
    static const char *const indexes[] = { "i j", "j i", "i j+1", "i-1 j", "i k", "k j" };
    kc_tensor *T = tensor(m, "x y");
    kc_value *sum = NULL;
    set_size(m, 'x', 2 + number(m, 1, 5));
    for (int n = number(m, 2, 4); n > 0; n--) {
        kc_value *one = scaled_read(m, T, one_of(m, indexes, 6), 0);
        if (chance(m, 30) && sum != NULL)
            one = map2(m, one, reduce(m, sum, one_of(m, singles, 2)));
        sum = sum == NULL ? one : map2(m, sum, one);
        if (chance(m, 20))
            sum = masked(m, sum, "i", "j");
        if (chance(m, 20))
            output(m, reduce(m, masked(m, one, "i", "j"), one_of(m, singles, 2)));
    }
    output(m, chance(m, 50) ? use(m, sum) : sum);
}

/* Rows that data chooses, as many as are expected.  Which rows a mask leaves, and which
 * ones two gathers share, data says: of those a count is a bound, and not drawn. */
static void expected_rows(maker *m)
{
    static const char *const indexes[] = { "[i] k", "[i j] k", "[i] j" };
    kc_tensor *T = tensor(m, "v w");
    double distinct = chance(m, 70) ? number(m, 1, 40) / 8.0 : 0;
    const char *index = one_of(m, indexes, 3);
    kc_value *x = scaled_read(m, T, index, distinct);
    if (chance(m, 40))
        x = map2(m, x, input(m, one_of(m, singles, 3)));
    if (chance(m, 30))
        x = map2(m, x, scaled_read(m, T, index, distinct)); /* the same rows */
    if (chance(m, 40))
        x = reduce(m, x, one_of(m, singles, 3));
    output(m, x);
}

/* A fused-away tensor read under two or three indexes, some of which leave it. */
static void several_indexes(maker *m)
{
    static const char *const indexes[] = { "p-1 k", "p k",     "p+1 k",     "2*p k", "2*p-1 k", "p+r k",
                                           "k p",   "p-1 k+1", "2*p+1 k-1", "p 2*k" };
    bool product = chance(m, 40);
    set_size(m, 'x', number(m, 2, 9));
    kc_value *inner = product ? matmul(m, input(m, "x c"), input(m, "c y"), "c", NULL)
                      : chance(m, 50) ? read_at(m, tensor(m, "u v"), chance(m, 50) ? "x y" : "x+1 y-1")
                                      : input(m, "x y");
    if (chance(m, 50))
        inner = map1(m, inner);
    kc_tensor *Y = output(m, inner);
    m->fuses = true;
    m->saves = chance(m, 30) ? 60 : 0;
    kc_value *sum = NULL;
    for (int n = number(m, 2, 3); n > 0; n--) {
        kc_value *one = read_at(m, Y, one_of(m, indexes, chance(m, 60) ? 6 : 10));
        if (chance(m, 25))
            one = map1(m, one);
        sum = sum == NULL ? one : map2(m, sum, one);
    }
    if (chance(m, 25))
        sum = matmul(m, pass_on(m, sum, chance(m, 30) ? "p-1 k" : NULL), input(m, "k n"), "k", NULL);
    else if (chance(m, 25))
        sum = reduce(m, sum, chance(m, 50) ? "k" : "p");
    output(m, sum);
}

/* Masks on both sides of tensors that a fuse keeps on chip, or saves. */
static void masks_through_tensors(maker *m)
{
    kc_value *x = masked(m, score(m), "i", "j");
    m->saves = 50;
    for (int n = number(m, 1, 3); n > 0; n--) {
        x = pass_on(m, x, NULL);
        switch (number(m, 0, 4)) {
        case 0: x = masked(m, x, chance(m, 70) ? "i" : "j", chance(m, 70) ? "j" : "i"); break;
        case 1: x = softmax(m, x, chance(m, 70) ? "j" : "i", chance(m, 50)); break;
        case 2: x = map2(m, x, reduce(m, x, chance(m, 70) ? "j" : "i")); break;
        case 3: x = map2(m, x, score(m)); break;
        default: x = map1(m, x); break;
        }
        if (chance(m, 15))
            output(m, reduce(m, x, "j"));
    }
    output(m, use(m, pass_on(m, x, NULL)));
}

static void masked_soup(maker *m) { soup_of(m, 22); }

const family masked_families[] = {
    { "mask behind softmax", mask_behind_softmax },
    { "mask behind reduction", mask_behind_reduction },
    { "masks in passes", masks_in_passes },
    { "chained masks", chained_masks },
    { "scaled", scaled },
    { "expected rows", expected_rows },
    { "several indexes", several_indexes },
    { "masks through tensors", masks_through_tensors },
    { "masked soup", masked_soup },
    { NULL, NULL },
};
