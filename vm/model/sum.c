/* sum.c: closed forms: clipped arithmetic series, and tiles that meet a band. */
#include <math.h>

#include "plan.h"

__extension__ typedef __int128 wide;

/* Whole numbers below 2^53 go in; sums are made of integers, so what comes out is
 * exact, or the double nearest to it. */
static wide clip(wide x, wide size)
{
    return x < 0 ? 0 : x > size ? size : x;
}

/* The least whole number not below a/b, b > 0. */
static wide ceiling(wide a, wide b)
{
    return a > 0 ? (a + b - 1) / b : -(-a / b);
}

static wide clipped_sum(wide start, wide step, wide count, wide size)
{
    if (count <= 0)
        return 0;
    if (step == 0)
        return count * clip(start, size);
    if (step < 0) {
        start += step * (count - 1);
        step = -step;
    }
    wide rises = clip(ceiling(-start, step), count);      /* first i that is not clipped below */
    wide full = clip(ceiling(size - start, step), count); /* first i that reaches size */
    wide inside = full > rises ? full - rises : 0;
    return inside * (start + step * rises) + step * (inside * (inside - 1) / 2) + (count - rises - inside) * size;
}

double kci_clipped_sum(double start, double step, double count, double size)
{
    return (double)clipped_sum((wide)start, (wide)step, (wide)count, (wide)size);
}

double kci_box_sum(double least, double most, double step, double count, double size)
{
    return (double)(clipped_sum((wide)most + 1, (wide)step, (wide)count, (wide)size) -
                    clipped_sum((wide)least, (wide)step, (wide)count, (wide)size));
}

/* Sum over i in 0 .. n-1 of floor((a*i + b) / m), all at least 0 (Euclid's way). */
static wide floor_sum(wide n, wide m, wide a, wide b)
{
    wide sum = 0;
    while (n > 0) {
        sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
        a %= m;
        b %= m;
        wide top = a * n + b;
        if (top < m)
            break;
        n = top / m;
        b = top % m;
        wide swap = m;
        m = a;
        a = swap;
    }
    return sum;
}

/* Sum over i in 0 .. count-1 of clip(floor((start + step*i) / t), 0, n), weighed:
 * times t, and the full range counts `size` instead of n*t. */
static wide clipped_floor_sum(wide start, wide step, wide count, wide t, wide n, wide size, bool weighed)
{
    if (count <= 0)
        return 0;
    wide rises = clip(ceiling(-start, step), count);
    wide full = clip(ceiling(n * t - start, step), count), inside = 0;
    if (full < rises)
        full = rises;
    else if (full > rises)
        inside = floor_sum(full - rises, t, step, start + step * rises);
    return weighed ? inside * t + (count - full) * size : inside + (count - full) * n;
}

/* One row of tiles: q in [first, last]; tiles of k with a point lo <= k - q <= hi. */
static wide band_row(wide first, wide last, wide n_k, wide t_k, wide trips, wide lo, wide hi, bool weigh)
{
    if (lo + first > n_k - 1 || hi + last < 0)
        return 0;
    wide from = lo + first <= 0 ? 0 : (lo + first) / t_k;
    wide to = hi + last >= n_k - 1 ? trips - 1 : (hi + last) / t_k;
    if (to < from)
        return 0;
    wide end = (to + 1) * t_k;
    return weigh ? (end < n_k ? end : n_k) - from * t_k : to - from + 1;
}

/* Tile a of q meets tiles floor((lo + a*t_q)/t_k) .. floor((hi + (a+1)*t_q - 1)/t_k)
 * of k, clipped: sums of floors, so the time grows with the logarithm of sizes. */
double kci_band_sum(double n_q, double t_q, double n_k, double t_k, double lo, double hi, bool weigh_q, bool weigh_k)
{
    lo = fmax(lo, 1 - n_q);
    hi = fmin(hi, n_k - 1);
    if (lo > hi)
        return 0;
    wide nq = (wide)n_q, tq = (wide)t_q, nk = (wide)n_k, tk = (wide)t_k, low = (wide)lo, high = (wide)hi;
    wide rows = (nq + tq - 1) / tq, trips = (nk + tk - 1) / tk, last_first = (rows - 1) * tq;
    wide last = band_row(last_first, nq - 1, nk, tk, trips, low, high, weigh_k) * (weigh_q ? nq - last_first : 1);
    wide live = (nk - 1 - low) / tq + 1; /* rows that are not past the end */
    if (live > rows - 1)
        live = rows - 1;
    if (nk - 1 < low || live <= 0)
        return (double)last;
    wide upper = clipped_floor_sum(high + tq - 1 + tk, tq, live, tk, trips, nk, weigh_k);
    wide lower = clipped_floor_sum(low, tq, live, tk, trips, nk, weigh_k);
    return (double)((upper - lower) * (weigh_q ? tq : 1) + last);
}
