/* random_families.c: kernels of the kinds that people write, and soups of all ops. */
#include "random_maker.h"

static void matmul_chain(maker *m)
{
    static const char *const mn[] = { "m n", "n", "m" }, *const mp[] = { "m p", "p", "m" };
    bool batch = chance(m, 25);
    kc_value *value = matmul(m, input(m, batch ? "b m k" : "m k"), input(m, batch && chance(m, 50) ? "b k n" : "k n"),
                             "k", NULL);
    value = epilogue(m, value, mn, 3);
    if (chance(m, 25))
        value = matmul(m, input(m, "m d"), input(m, "d n"), "d", value);
    else if (chance(m, 15))
        value = matmul(m, input(m, "m k"), input(m, "k n"), "k", value);
    if (chance(m, 55)) {
        value = matmul(m, pass_on(m, value, NULL), input(m, "n p"), "n", NULL);
        value = epilogue(m, value, mp, 3);
        if (chance(m, 25))
            value = matmul(m, pass_on(m, value, NULL), input(m, "p q"), "p", NULL);
    }
    output(m, value);
}

static void gated(maker *m)
{
    kc_value *x = input(m, "m k");
    kc_value *up = matmul(m, x, input(m, "k n"), "k", NULL), *gate = matmul(m, x, input(m, "k n"), "k", NULL);
    kc_value *value = map2(m, up, map1(m, gate));
    if (chance(m, 50))
        value = matmul(m, pass_on(m, value, NULL), input(m, "n p"), "n", NULL);
    output(m, value);
}

static void attention(maker *m)
{
    static const char *const ij[] = { "i j", "j", "h i" };
    kc_value *S = matmul(m, input(m, "h i d"), input(m, chance(m, 50) ? "h j d" : "j d"), "d", NULL);
    S = pass_on(m, S, NULL);
    if (chance(m, 30))
        S = epilogue(m, S, ij, 3);
    S = masked(m, S, "i", "j");
    kc_value *P = softmax(m, S, "j", chance(m, 65)), *rows = P;
    bool lse = P != NULL && chance(m, 20);
    P = pass_on(m, P, NULL);
    if (chance(m, 20))
        P = chance(m, 50) ? cast(m, P) : map2(m, P, input(m, "i j"));
    kc_value *O = matmul(m, P, input(m, chance(m, 50) ? "h j e" : "j e"), "j", NULL);
    if (chance(m, 25))
        O = map2(m, O, input(m, chance(m, 50) ? "h i e" : "e"));
    if (chance(m, 20))
        O = matmul(m, pass_on(m, O, NULL), input(m, "e p"), "e", NULL);
    output(m, O);
    if (lse && rows != NULL && !m->fuses)
        output(m, keep(m, kc_lse(rows)));
}

/* Backward of attention, without what saves work: two reductions of one score. */
static void attention_gradient(maker *m)
{
    kc_value *Q = input(m, "i d"), *K = input(m, "j d"), *D = input(m, "i e");
    kc_value *S = masked(m, matmul(m, Q, K, "d", NULL), "i", "j");
    kc_value *P = map1(m, map2(m, S, input(m, "i")));
    kc_value *dP = matmul(m, D, input(m, "j e"), "e", NULL);
    kc_value *dS = map2(m, P, map2(m, dP, input(m, "i")));
    if (chance(m, 60))
        output(m, matmul(m, dS, K, "j", NULL));
    if (chance(m, 60))
        output(m, matmul(m, dS, Q, "i", NULL));
    if (m->part_count == 0 || chance(m, 50))
        output(m, matmul(m, P, D, "i", NULL));
}

static void convolution(maker *m)
{
    int stride = number(m, 1, 2), padding = number(m, 0, 1), taps = number(m, 1, 3);
    int stride2 = number(m, 1, 2), padding2 = number(m, 0, 1);
    bool two = chance(m, 40), plane = chance(m, 40);
    char index[64], index2[64];
    double p = number(m, 1, 6), y = p * stride2 + 2;
    set_size(m, 'r', taps);
    set_size(m, 's', number(m, 1, 3));
    set_size(m, 'p', p);
    set_size(m, 'y', y);
    double outer = two ? y : p;
    set_size(m, 'x', outer * stride + number(m, 0, 2));
    set_size(m, 'w', size_of(m, 'q') + 2);
    const char *other = plane ? "q+u" : "";
    set_size(m, 'u', number(m, 1, 3));
    snprintf(index, sizeof index, "c %d*%s+r%s%s%s", stride, two ? "y" : "p", padding ? "-1" : "", plane ? " " : "",
             two ? "" : other);
    snprintf(index2, sizeof index2, "k %d*p+s%s", stride2, padding2 ? "-1" : "");
    if (two && plane) {
        snprintf(index, sizeof index, "c %d*y+r%s v", stride, padding ? "-1" : "");
        snprintf(index2, sizeof index2, "k %d*p+s%s v", stride2, padding2 ? "-1" : "");
    }
    kc_tensor *X = tensor(m, !plane ? "c x" : two ? "c x v" : "c x w");
    const char *over = plane && !two ? "c r u" : "c r";
    kc_value *value = matmul(m, read_at(m, X, index), input(m, plane && !two ? "k c r u" : "k c r"), over, NULL);
    if (chance(m, 40))
        value = map1(m, value);
    if (two)
        value = matmul(m, pass_on(m, value, index2), input(m, "n k s"), "k s", NULL);
    output(m, value);
}

static void pooling(maker *m)
{
    set_size(m, 'x', 2 * size_of(m, 'p') + number(m, 0, 2));
    set_size(m, 'r', number(m, 1, 3));
    output(m, reduce(m, read_at(m, tensor(m, "c x"), "c 2*p+r"), chance(m, 80) ? "r" : "c r"));
}

static void norm(maker *m)
{
    kc_value *x = input(m, chance(m, 50) ? "m k" : "b m k");
    if (chance(m, 30))
        x = map1(m, x);
    kc_value *centred = chance(m, 40) ? map2(m, x, reduce(m, x, "k")) : x;
    kc_value *scale = map1(m, reduce(m, map1(m, centred), "k"));
    kc_value *y = map2(m, centred, scale);
    if (chance(m, 60))
        y = map2(m, y, input(m, "k"));
    if (chance(m, 30))
        y = pass_on(m, y, NULL);
    if (chance(m, 40))
        y = matmul(m, y, input(m, "k n"), "k", NULL);
    output(m, y);
    if (chance(m, 20))
        output(m, scale);
}

static void row_softmax(maker *m)
{
    kc_value *x = input(m, "m k");
    if (chance(m, 40))
        x = epilogue(m, x, (const char *const[]){ "m k", "k", "m" }, 3);
    x = masked(m, x, "m", "k");
    kc_value *y = softmax(m, x, chance(m, 80) ? "k" : "m", chance(m, 50));
    if (chance(m, 40))
        y = map2(m, y, input(m, chance(m, 50) ? "k" : "m k"));
    if (chance(m, 25))
        y = reduce(m, y, chance(m, 50) ? "m" : "k");
    output(m, y);
}

static void running(maker *m)
{
    kc_value *x = input(m, "t c");
    if (chance(m, 50))
        x = map2(m, x, input(m, chance(m, 50) ? "c" : "t"));
    kc_value *y = x == NULL ? NULL : keep(m, kc_scan("sum", x, "t", NULL));
    if (chance(m, 40))
        y = map1(m, y);
    if (chance(m, 40))
        y = matmul(m, y, input(m, "c n"), "c", NULL);
    else if (chance(m, 40))
        y = map2(m, y, reduce(m, chance(m, 50) ? y : x, "t"));
    output(m, y);
}

static void reductions(maker *m)
{
    kc_value *x = input(m, "a b c");
    if (chance(m, 40))
        x = map2(m, x, input(m, chance(m, 50) ? "a c" : "b"));
    kc_value *y = reduce(m, x, one_of(m, (const char *const[]){ "a", "b", "c", "a c", "b c", "a b" }, 6));
    if (chance(m, 30))
        y = map1(m, y);
    if (chance(m, 40))
        y = map2(m, x, y);
    else if (chance(m, 30)) {
        kc_size more = { "t", number(m, 1, 4) };
        y = x == NULL ? NULL : keep(m, kc_reduce("topk", x, "c", &more, 1, NULL));
    }
    output(m, y);
}

static void gather(maker *m)
{
    kc_tensor *table = tensor(m, "v k");
    double distinct = chance(m, 30) ? number(m, 1, 4) : 0;
    kc_value *rows = table == NULL ? NULL
                                   : keep(m, kc_read(table, chance(m, 80) ? "[m] k" : "[m b] k", m->size, DIMS, 1, distinct));
    kc_value *y = rows;
    if (chance(m, 50))
        y = matmul(m, rows, input(m, "k n"), "k", NULL);
    else if (chance(m, 50))
        y = map2(m, rows, input(m, "m"));
    if (chance(m, 30))
        y = reduce(m, y, "m");
    output(m, y);
}

static void stencil(maker *m)
{
    bool plane = chance(m, 50);
    kc_tensor *X = tensor(m, plane ? "x y" : "x");
    kc_value *sum = NULL;
    for (int n = number(m, 2, 4); n > 0; n--) {
        char index[48];
        int shift = number(m, -2, 2), other = number(m, -1, 1);
        if (plane)
            snprintf(index, sizeof index, "x%+d y%+d", shift, other);
        else
            snprintf(index, sizeof index, "x%+d", shift);
        kc_value *point = read_at(m, X, index);
        if (chance(m, 20))
            point = map1(m, point);
        sum = sum == NULL ? point : map2(m, sum, point);
    }
    if (chance(m, 30) && plane)
        sum = map2(m, sum, reduce(m, sum, "y"));
    if (chance(m, 30)) {
        char index[48];
        snprintf(index, sizeof index, plane ? "x%+d y" : "x%+d", number(m, -1, 1));
        sum = map2(m, pass_on(m, sum, index), read_at(m, X, NULL));
    }
    output(m, sum);
}

static void banded(maker *m)
{
    kc_value *score = masked(m, matmul(m, input(m, "i d"), input(m, "j d"), "d", NULL), "i", "j");
    if (chance(m, 30))
        score = masked(m, score, chance(m, 50) ? "j" : "i", chance(m, 50) ? "d" : "j");
    if (chance(m, 40))
        score = map1(m, score);
    if (chance(m, 50))
        score = matmul(m, score, input(m, "j e"), "j", NULL);
    else if (chance(m, 40))
        score = map2(m, score, reduce(m, score, chance(m, 50) ? "j" : "i"));
    output(m, score);
}

/* A kernel behind one that masked and wrote its scores: what is dead there is dead here. */
static void behind_a_mask(maker *m)
{
    kc_value *S = masked(m, matmul(m, input(m, "i d"), input(m, "j d"), "d", NULL), "i", "j");
    kc_tensor *scores = output(m, S);
    m->part_count = 0;      /* that one is another kernel's */
    kc_value *P = read_at(m, scores, NULL);
    if (chance(m, 60))
        P = softmax(m, P, "j", chance(m, 50));
    else if (chance(m, 50))
        P = map2(m, P, input(m, chance(m, 50) ? "i" : "j"));
    if (chance(m, 30))
        P = masked(m, P, "i", "j");
    if (chance(m, 60))
        P = matmul(m, P, input(m, "j e"), "j", NULL);
    m->tensors++;
    char name[16];
    snprintf(name, sizeof name, "P%zu", m->tensors);
    kc_tensor *t = P == NULL ? NULL : keep(m, kc_write(name, P, NULL, NULL, NULL, NULL, 0, 1));
    if (t != NULL)
        m->parts[m->part_count++] = t;
}

/* Norm, matmul, softmax, matmul: reductions behind reductions. */
static void layers(maker *m)
{
    kc_value *x = input(m, "m k");
    if (chance(m, 60))
        x = map2(m, x, map1(m, reduce(m, x, "k")));
    x = matmul(m, pass_on(m, x, NULL), input(m, "k n"), "k", NULL);
    if (chance(m, 50))
        x = softmax(m, x, "n", chance(m, 60));
    else
        x = map2(m, x, map1(m, reduce(m, x, "n")));
    if (chance(m, 60))
        x = matmul(m, pass_on(m, x, NULL), input(m, "n p"), "n", NULL);
    if (chance(m, 30))
        x = map2(m, x, reduce(m, x, "m"));
    output(m, x);
}

/* Two softmaxes over one score, or one that two products share. */
static void shared_scores(maker *m)
{
    kc_value *S = masked(m, matmul(m, input(m, "i d"), input(m, "j d"), "d", NULL), "i", "j");
    kc_value *P = softmax(m, S, "j", chance(m, 70));
    kc_value *one = matmul(m, P, input(m, "j e"), "j", NULL);
    kc_value *two = matmul(m, chance(m, 50) ? P : softmax(m, S, chance(m, 70) ? "j" : "i", chance(m, 70)),
                           input(m, chance(m, 50) ? "j e" : "j p"), "j", NULL);
    output(m, one);
    output(m, chance(m, 30) ? map2(m, one, two) : two);
}

static void slices(maker *m)
{
    char index[32];
    double part = number(m, 1, 4);
    set_size(m, 'x', part + number(m, 0, 4));
    set_size(m, 'm', part);
    snprintf(index, sizeof index, "m+%d k", number(m, 0, (int)(size_of(m, 'x') - part)));
    kc_value *a = read_at(m, tensor(m, "x k"), index);
    kc_value *y = chance(m, 50) ? matmul(m, a, input(m, "k n"), "k", NULL) : map2(m, a, input(m, "k"));
    output(m, y);
}

/* Points that meet in the output add up: a transposed convolution, or rows that data chooses. */
static void scatter(maker *m)
{
    int stride = number(m, 1, 2);
    char index[32];
    kc_size whole[2] = { { "x", stride * (size_of(m, 'p') - 1) + size_of(m, 'r') + number(m, 0, 1) },
                         { "n", size_of(m, 'n') } };
    kc_value *value = chance(m, 50) ? matmul(m, input(m, "p k"), input(m, "k r n"), "k", NULL)
                                    : map2(m, input(m, "p n"), input(m, "r"));
    if (chance(m, 25))
        snprintf(index, sizeof index, "[p r] n");
    else
        snprintf(index, sizeof index, "%d*p+r n", stride);
    kc_tensor *t = value == NULL ? NULL : keep(m, kc_write("O0", value, NULL, "x n", index, whole, 2, 1));
    if (t != NULL)
        m->parts[m->part_count++] = t;
}

/* Any op on any earlier values, over few dims. */
void soup_of(maker *m, int masks)
{
    static const char *const shapes[] = { "a", "b", "c", "a b", "b c", "a c", "b a", "a b c", "c d", "a d" };
    static const char *const singles[] = { "a", "b", "c", "d" };
    kc_value *values[10];
    int count = 0;
    for (int n = number(m, 1, 3); n > 0; n--)
        if ((values[count] = input(m, one_of(m, shapes, 10))) != NULL)
            count++;
    for (int n = number(m, 1, 6); n > 0 && count > 0 && count < 10; n--) {
        kc_value *x = values[number(m, 0, count - 1)], *y = NULL;
        const char *dim = one_of(m, singles, 4);
        int kind = number(m, 0, 94 + masks);
        if (kind < 15)
            y = map1(m, x);
        else if (kind < 40)
            y = map2(m, x, chance(m, 50) ? values[number(m, 0, count - 1)] : input(m, one_of(m, shapes, 10)));
        else if (kind < 60)
            y = matmul(m, x, chance(m, 40) ? values[number(m, 0, count - 1)] : input(m, one_of(m, shapes, 10)), dim, NULL);
        else if (kind < 78)
            y = reduce(m, x, dim);
        else if (kind < 86)
            y = softmax(m, x, dim, chance(m, 50));
        else if (kind < 90)
            y = x == NULL ? NULL : keep(m, kc_scan("sum", x, dim, NULL));
        else if (kind < 90 + masks)
            y = masked(m, x, dim, one_of(m, singles, 4));
        else
            y = pass_on(m, x, NULL);
        if (y != NULL)
            values[count++] = y;
    }
    if (count > 0)
        output(m, values[count - 1]);
    if (count > 1 && chance(m, 25))
        output(m, values[number(m, 0, count - 2)]);
}

static void soup(maker *m) { soup_of(m, 5); }

const family plain_families[] = {
    { "matmul chain", matmul_chain }, { "gated", gated },       { "attention", attention },
    { "attention gradient", attention_gradient },               { "convolution", convolution },
    { "pooling", pooling },           { "norm", norm },         { "row softmax", row_softmax },
    { "running", running },           { "reductions", reductions }, { "gather", gather },
    { "stencil", stencil },           { "banded", banded },     { "slices", slices },
    { "scatter", scatter },           { "behind a mask", behind_a_mask },
    { "layers", layers },             { "layers", layers },     { "shared scores", shared_scores },
    { "soup", soup },                 { "soup", soup },
    { NULL, NULL },
};
