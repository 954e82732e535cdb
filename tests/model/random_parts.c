/* random_parts.c: drawing numbers, and parts that kernels are made of. */
#include "random_maker.h"

/* ---- drawing ------------------------------------------------------------------- */

uint64_t draw(maker *m)
{
    /* Two bytes of an input, while there are any, are what a fuzzer may change one by one. */
    if (m->left > 1) {
        m->left -= 2;
        m->bytes += 2;
        return (uint64_t)m->bytes[-2] << 8 | m->bytes[-1];
    }
    uint64_t z = m->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int number(maker *m, int lo, int hi) { return lo + (int)(draw(m) % (uint64_t)(hi - lo + 1)); }
bool chance(maker *m, int percent) { return number(m, 0, 99) < percent; }
const char *one_of(maker *m, const char *const *list, int count) { return list[number(m, 0, count - 1)]; }

double size_of(const maker *m, char dim) { return m->size[dim - 'a'].size; }
void set_size(maker *m, char dim, double size) { m->size[dim - 'a'].size = size; }

void *keep(maker *m, void *handle)
{
    if (handle == NULL)
        return NULL;
    if (m->held_count == MOST_HELD) {
        kc_release(handle);
        return NULL;
    }
    return m->held[m->held_count++] = handle;
}

kc_dtype *dtype(maker *m)
{
    static const char *const names[] = { "f16", "f16", "bf16", "f32", "f8", "f64", "i8", "mxf8", "i4g128" };
    return keep(m, kc_dtype_named(m->context, one_of(m, names, chance(m, 80) ? 4 : 9)));
}

/* ---- parts of kernels ------------------------------------------------------------ */

kc_tensor *tensor(maker *m, const char *dims)
{
    char name[16];
    snprintf(name, sizeof name, "T%zu", m->tensors++);
    return keep(m, kc_tensor_new(m->context, name, dims, dtype(m), m->size, DIMS));
}

kc_value *read_at(maker *m, kc_tensor *t, const char *index)
{
    return t == NULL ? NULL : keep(m, kc_read(t, index, m->size, DIMS, 1, 0));
}

kc_value *input(maker *m, const char *dims)
{
    kc_tensor *t = tensor(m, dims);
    double scale = chance(m, 5) ? 0.5 * number(m, 1, 4) : 1;
    return t == NULL ? NULL : keep(m, kc_read(t, NULL, NULL, 0, scale, 0));
}

kc_value *matmul(maker *m, kc_value *a, kc_value *b, const char *over, kc_value *into)
{
    return a == NULL || b == NULL ? NULL
                                  : keep(m, kc_matmul(a, b, over, NULL, chance(m, 10) ? "vector" : NULL, into));
}

kc_value *map1(maker *m, kc_value *a)
{
    static const char *const names[] = { "relu", "exp", "gelu", "scale", "silu" };
    return a == NULL ? NULL : keep(m, kc_map(one_of(m, names, 5), &a, 1, NULL));
}

kc_value *map2(maker *m, kc_value *a, kc_value *b)
{
    static const char *const names[] = { "add", "mul", "sub", "div", "max" };
    kc_value *both[2] = { a, b };
    return a == NULL || b == NULL ? NULL : keep(m, kc_map(one_of(m, names, 5), both, 2, NULL));
}

kc_value *reduce(maker *m, kc_value *a, const char *over)
{
    return a == NULL ? NULL : keep(m, kc_reduce(chance(m, 70) ? "sum" : "max", a, over, NULL, 0, NULL));
}

kc_value *softmax(maker *m, kc_value *a, const char *over, bool online)
{
    return a == NULL ? NULL : keep(m, kc_softmax(a, over, online));
}

kc_value *masked(maker *m, kc_value *a, const char *q, const char *k)
{
    if (a == NULL || chance(m, 40))
        return a;
    if (chance(m, 50))
        return keep(m, kc_causal(a, q, k));
    double lo = number(m, -5, 2), hi = lo + number(m, 0, 5);
    if (chance(m, 20))
        lo = -HUGE_VAL;
    else if (chance(m, 20))
        hi = HUGE_VAL;
    return keep(m, kc_mask(a, q, k, lo, hi));
}

kc_value *cast(maker *m, kc_value *a) { return a == NULL ? NULL : keep(m, kc_cast(a, dtype(m))); }

kc_tensor *output(maker *m, kc_value *value)
{
    char name[16];
    if (value == NULL || m->part_count == MOST_PARTS)
        return NULL;
    snprintf(name, sizeof name, "O%zu", m->part_count);
    kc_tensor *t = keep(m, kc_write(name, value, chance(m, 50) ? NULL : dtype(m), NULL, NULL, NULL, 0, 1));
    if (t != NULL)
        m->parts[m->part_count++] = t;
    return t;
}

/* The value itself, or through a tensor that is fused away. */
kc_value *pass_on(maker *m, kc_value *value, const char *index)
{
    if (value == NULL || (index == NULL && chance(m, 50)))
        return value;
    kc_tensor *t = output(m, value);
    m->fuses = m->fuses || t != NULL;
    return read_at(m, t, index);
}

/* Something elementwise behind a value with dims `dims`. */
kc_value *epilogue(maker *m, kc_value *value, const char *const *dims, int count)
{
    for (int n = number(m, 0, 2); n > 0 && value != NULL; n--) {
        if (chance(m, 40))
            value = map1(m, value);
        else if (chance(m, 30))
            value = cast(m, value);
        else
            value = map2(m, value, input(m, one_of(m, dims, count)));
    }
    return value;
}

