/* test_sum.c: the closed forms: clipped series, and tiles that meet a band; by brute force, and at 10^12 by
 * exact integers. */
#include "workbench.h"

__extension__ typedef __int128 wide;

static double clip(double x, double size)
{
    return x < 0 ? 0 : x > size ? size : x;
}

/* ---- clipped series ----------------------------------------------------------------------- */

static double series(double start, double step, double count, double size)
{
    double sum = 0;
    for (double i = 0; i < count; i++)
        sum += clip(start + step * i, size);
    return sum;
}

TEST(a_clipped_series_is_the_sum_of_its_terms)
{
    for (int round = 0; round < cases(20000); round++) {
        double start = chance(-40, 40), step = chance(-7, 7), count = chance(0, 20), size = chance(1, 30);
        assert_number(kci_clipped_sum(start, step, count, size), series(start, step, count, size));
    }
}

TEST(a_clipped_series_knows_its_ends)
{
    assert_number(kci_clipped_sum(0, 1, 0, 10), 0);    /* nothing */
    assert_number(kci_clipped_sum(0, 1, -1, 10), 0);
    assert_number(kci_clipped_sum(5, 0, 7, 10), 35);   /* no step */
    assert_number(kci_clipped_sum(-5, 0, 7, 10), 0);
    assert_number(kci_clipped_sum(50, 0, 7, 10), 70);
    assert_number(kci_clipped_sum(0, 1, 5, 100), 10);  /* never clipped */
    assert_number(kci_clipped_sum(-9, 1, 5, 100), 0);  /* always */
    assert_number(kci_clipped_sum(-2, 3, 5, 6), 17);   /* 0 1 4 6 6 */
    assert_number(kci_clipped_sum(10, -3, 5, 6), 17);  /* 6 6 4 1 0 */
}

/* Exact, for large numbers: terms that are clipped below, inside, above. */
static wide wide_series(wide start, wide step, wide count, wide size)
{
    if (step < 0) {
        start += step * (count - 1);
        step = -step;
    }
    wide below = start >= 0 ? 0 : (-start + step - 1) / step;
    below = below > count ? count : below;
    wide under = size - start <= 0 ? 0 : (size - start + step - 1) / step; /* terms less than size */
    under = under > count ? count : under < below ? below : under;
    wide inside = under - below;
    return inside * (start + step * below) + step * (inside * (inside - 1) / 2) + (count - under) * size;
}

TEST(a_clipped_series_of_10_to_12_terms_is_exact_or_correctly_rounded)
{
    for (int round = 0; round < cases(20000); round++) {
        double size = chance(1, 1e12), step = chance(1, 1e6) * (one_in(2) ? 1 : -1);
        double count = floor(chance(0, 2e12) / fabs(step)) + 1, start = chance(-1e12, 1e12);
        wide exact = wide_series((wide)start, (wide)step, (wide)count, (wide)size);
        assert_number(kci_clipped_sum(start, step, count, size), (double)exact);
    }
}

/* ---- bands -------------------------------------------------------------------------------- */

/* Tile pairs with a live point, weighed by their extents. */
static double band_sum(double n_q, double t_q, double n_k, double t_k, double lo, double hi, bool weigh_q, bool weigh_k)
{
    double sum = 0;
    for (double q = 0; q < n_q; q += t_q)
        for (double k = 0; k < n_k; k += t_k) {
            double w_q = fmin(n_q, q + t_q) - q, w_k = fmin(n_k, k + t_k) - k;
            double least = k - (q + w_q - 1), most = k + w_k - 1 - q; /* of k - q in the pair */
            if (least <= hi && most >= lo)
                sum += (weigh_q ? w_q : 1) * (weigh_k ? w_k : 1);
        }
    return sum;
}

TEST(a_band_meets_the_tiles_that_it_meets)
{
    for (int round = 0; round < cases(40000); round++) {
        double n_q = chance(1, 30), n_k = chance(1, 30), t_q = chance(1, n_q), t_k = chance(1, n_k);
        double lo = chance(-35, 35), hi = lo + chance(0, 20);
        if (one_in(5))
            lo = -HUGE_VAL;
        if (one_in(5))
            hi = HUGE_VAL;
        bool q = one_in(2), k = one_in(2);
        double got = kci_band_sum(n_q, t_q, n_k, t_k, lo, hi, q, k), want = band_sum(n_q, t_q, n_k, t_k, lo, hi, q, k);
        if (got != want)
            print_error("q %g by %g, k %g by %g, %g <= k - q <= %g, weighed %d %d\n", n_q, t_q, n_k, t_k, lo, hi, q, k);
        assert_number(got, want);
    }
}

TEST(a_band_without_bounds_meets_all)
{
    assert_number(kci_band_sum(10, 3, 7, 2, -HUGE_VAL, HUGE_VAL, false, false), 4 * 4);
    assert_number(kci_band_sum(10, 3, 7, 2, -HUGE_VAL, HUGE_VAL, true, true), 70);
    assert_number(kci_band_sum(10, 3, 7, 2, 7, HUGE_VAL, true, true), 0);    /* beyond the last k */
    assert_number(kci_band_sum(10, 3, 7, 2, -HUGE_VAL, -10, true, true), 0); /* before the first q */
}

/* Sum over rows of tiles of q, in exact integers: `rows` must be walked, so few. */
static wide wide_floor(wide a, wide b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static wide wide_row(wide first, wide last, wide n_k, wide t_k, wide lo, wide hi, bool weigh_k)
{
    wide trips = (n_k + t_k - 1) / t_k, from = wide_floor(lo + first, t_k), to = wide_floor(hi + last, t_k);
    if (lo + first > n_k - 1 || hi + last < 0)
        return 0;
    from = from < 0 ? 0 : from;
    to = to > trips - 1 ? trips - 1 : to;
    if (to < from)
        return 0;
    wide end = (to + 1) * t_k;
    return weigh_k ? (end < n_k ? end : n_k) - from * t_k : to - from + 1;
}

TEST(a_band_over_10_to_12_is_exact_or_correctly_rounded)
{
    for (int round = 0; round < cases(3000); round++) {
        double n_q = chance(9e11, 1e12), n_k = chance(9e11, 1e12), rows = chance(1, 300), t_q = ceil(n_q / rows);
        double t_k = one_in(2) ? chance(1, 4096) : chance(1, n_k),
            width = one_in(2) ? chance(0, 4096) : chance(0, 1e12);
        double lo = chance(-n_q, n_k - 1), hi = lo + width;
        bool q = one_in(2), k = one_in(2);
        wide sum = 0;
        for (double first = 0; first < n_q; first += t_q) {
            double last = fmin(n_q, first + t_q) - 1;
            sum += wide_row((wide)first, (wide)last, (wide)n_k, (wide)t_k, (wide)lo, (wide)hi, k) *
                   (q ? (wide)(last - first + 1) : 1);
        }
        double got = kci_band_sum(n_q, t_q, n_k, t_k, lo, hi, q, k);
        if (got != (double)sum)
            print_error("q %.0f by %.0f, k %.0f by %.0f, %.0f <= k - q <= %.0f, weighed %d %d\n", n_q, t_q, n_k, t_k,
                        lo, hi, q, k);
        assert_number(got, (double)sum);
    }
}

TEST(a_narrow_band_over_10_to_12_points_does_not_drown)
{
    /* Point by point: the diagonal alone, then three of them. */
    assert_number(kci_band_sum(1e12, 1, 1e12, 1, 0, 0, false, false), 1e12);
    assert_number(kci_band_sum(1e12, 1, 1e12, 1, -1, 1, false, false), 3e12 - 2);
    /* A window of 1024 to the left of each of 10^12: 1024 * 10^12 less the corner 1023 * 1024 / 2. */
    assert_number(kci_band_sum(1e12, 1, 1e12, 1, -1023, 0, false, false), 1024e12 - 523776);
    /* Tiles of 128: each row of tiles meets its own and the 8 to the left, 7812500000 rows. */
    assert_number(kci_band_sum(1e12, 128, 1e12, 128, -1023, 0, false, false), 9 * 7812500000.0 - 36);
}

TEST(a_causal_half_of_10_to_12_squared_is_correctly_rounded)
{
    wide n = (wide)1000000000000, half = n * (n + 1) / 2;
    assert_number(kci_band_sum(1e12, 1, 1e12, 1, -HUGE_VAL, 0, false, false), (double)half);
    wide tiles = n / 64, live = tiles * (tiles + 1) / 2;
    assert_number(kci_band_sum(1e12, 64, 1e12, 64, -HUGE_VAL, 0, true, true), (double)(live * 64 * 64));
}

/* ---- through the counts ------------------------------------------------------------------- */

TEST(a_padded_read_over_10_to_12_tiles_is_counted_to_the_byte)
{
    /* x at p+r-1, three taps, a tile of 4 p: boxes of 6, but the first and the last lose one. */
    kc_tensor *x = tensor("X", "x=1000000000000", "f16");
    kc_value *v = read_at(x, "p+r-1", "p=1000000000000 r=3");
    kc_value *y = matmul(v, read_of(tensor("W", "r=3 k=2", "f16")), "r");
    kc_kernel *k = tiled(write_of("Y", y), "p=4 k=2", "p", "");
    assert_number(row_of(k, count_of(k), "X")->read, 2 * (250000000000.0 * 6 - 2));
}

TEST(a_window_over_10_to_12_tokens_is_counted_to_the_point)
{
    kc_tensor *s = tensor("S", "q=1000000000000 k=1000000000000", "f16");
    kc_kernel *k = kernel_of(write_of("R", reduce("sum", map1("exp", keep(kc_mask(read_of(s), "q", "k", -1023, 0))),
                                                  "k")));
    assert_number(count_of(k)->useful_special, 1024e12 - 523776);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_clipped_series_is_the_sum_of_its_terms),
        fact(a_clipped_series_knows_its_ends),
        fact(a_clipped_series_of_10_to_12_terms_is_exact_or_correctly_rounded),
        fact(a_band_meets_the_tiles_that_it_meets),
        fact(a_band_without_bounds_meets_all),
        fact(a_band_over_10_to_12_is_exact_or_correctly_rounded),
        fact(a_narrow_band_over_10_to_12_points_does_not_drown),
        fact(a_causal_half_of_10_to_12_squared_is_correctly_rounded),
        fact(a_padded_read_over_10_to_12_tiles_is_counted_to_the_byte),
        fact(a_window_over_10_to_12_tokens_is_counted_to_the_point),
    };
    return run(tests);
}
