/* sum.c: closed forms: clipped arithmetic series, and tiles that meet a band. */
#include <math.h>

#include "plan.h"

__extension__ typedef __int128 wide;

static double clip(double x, double size)
{
    return x < 0 ? 0 : x > size ? size : x;
}

/* Sum over i in 0 .. count-1 of clip(start + step*i, 0, size). */
double kci_clipped_sum(double start, double step, double count, double size)
{
    if (count <= 0)
        return 0;
    if (step == 0)
        return count * clip(start, size);
    if (step < 0) {
        start += step * (count - 1);
        step = -step;
    }
    double rises = start >= 0 ? 0 : ceil(-start / step); /* first i that is not clipped below */
    double full = ceil((size - start) / step);           /* first i that reaches size */
    rises = clip(rises, count);
    full = full < rises ? rises : clip(full, count);
    double inside = full - rises;
    return inside * (start + step * rises) + step * (inside * (inside - 1) / 2) + (count - full) * size;
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

/* Sum over i in 0 .. count-1 of clip(floor((start + step*i) / t) + plus, 0, n),
 * weighed: times t, and the full range counts `size` instead of n*t. */
static double clipped_floor_sum(double start, double step, double count, double t, double plus, double n, double size,
                                bool weighed)
{
    if (count <= 0)
        return 0;
    double offset = start + plus * t;                     /* floor(x/t) + plus = floor((x + plus*t)/t) */
    double rises = offset >= 0 ? 0 : ceil(-offset / step);
    double full = ceil((n * t - offset) / step);
    rises = clip(rises, count);
    full = full < rises ? rises : clip(full, count);
    double inside = 0;
    if (full > rises)
        inside = (double)floor_sum((wide)(full - rises), (wide)t, (wide)step, (wide)(offset + step * rises));
    return weighed ? inside * t + (count - full) * size : inside + (count - full) * n;
}

/* One row of tiles: q in [first, last]; tiles of k with a point lo <= k - q <= hi. */
static double band_row(double first, double last, double n_k, double t_k, double trips, double lo, double hi, bool weigh)
{
    if (lo + first > n_k - 1 || hi + last < 0)
        return 0;
    double from = lo + first <= 0 ? 0 : floor((lo + first) / t_k);
    double to = hi + last >= n_k - 1 ? trips - 1 : floor((hi + last) / t_k);
    if (to < from)
        return 0;
    return weigh ? fmin(n_k, (to + 1) * t_k) - from * t_k : to - from + 1;
}

/* Sum over pairs of tiles of q and k that hold a point lo <= k - q <= hi, of the
 * product of their extents, as far as asked to weigh.
 * Tile a of q meets tiles floor((lo + a*t_q)/t_k) .. floor((hi + (a+1)*t_q - 1)/t_k)
 * of k, clipped: sums of floors, so the time grows with the logarithm of sizes. */
double kci_band_sum(double n_q, double t_q, double n_k, double t_k, double lo, double hi, bool weigh_q, bool weigh_k)
{
    double rows = ceil(n_q / t_q), trips = ceil(n_k / t_k);
    lo = fmax(lo, 1 - n_q);
    hi = fmin(hi, n_k - 1);
    if (lo > hi)
        return 0;
    double last_first = (rows - 1) * t_q;
    double last = band_row(last_first, n_q - 1, n_k, t_k, trips, lo, hi, weigh_k) * (weigh_q ? n_q - last_first : 1);
    double live = fmin(rows - 1, floor((n_k - 1 - lo) / t_q) + 1); /* rows before the last that are not past the end */
    if (live <= 0)
        return last;
    double upper = clipped_floor_sum(hi + t_q - 1, t_q, live, t_k, 1, trips, n_k, weigh_k);
    double lower = clipped_floor_sum(lo, t_q, live, t_k, 0, trips, n_k, weigh_k);
    return (upper - lower) * (weigh_q ? t_q : 1) + last;
}
