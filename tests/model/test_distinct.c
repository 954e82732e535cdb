/* test_distinct.c: elements that some live point touches, once each, and boxes of tiles, against marking them
 * one by one; design, section 3: "Compulsory traffic", "Tiled kernel". */
#include "workbench.h"

enum { MOST = 64, SIDE = 24 };

/* One position: constant + a*p + b*r + c*s. */
typedef struct form {
    double constant, a, b, c;
} form;

static double at(const form *f, double p, double r, double s)
{
    return f->constant + f->a * p + f->b * r + f->c * s;
}

static void add_term(char *out, double coefficient, const char *dim)
{
    if (coefficient != 0)
        sprintf(out + strlen(out), "%s%.0f*%s", coefficient < 0 ? "-" : *out ? "+" : "", fabs(coefficient), dim);
}

static void form_text(const form *f, char *out)
{
    *out = '\0';
    add_term(out, f->a, "p");
    add_term(out, f->b, "r");
    add_term(out, f->c, "s");
    if (f->constant != 0 || !*out)
        sprintf(out + strlen(out), "%+.0f", f->constant);
}

/* Bytes of an f16 tensor X over 2, by an untiled kernel of `value`. */
static double touched(kc_value *value)
{
    kc_tensor *y = keep(kc_write("Y", value, NULL, NULL, NULL, NULL, 0, 1));
    kc_kernel *k = kernel_of(y);
    return row_of(k, count_of(k), "X")->compulsory / 2;
}

static kc_tensor *line(double size)
{
    char dims[32];
    snprintf(dims, sizeof dims, "x=%.0f", size);
    return tensor("X", dims, "f16");
}

/* NULL where every point lies outside, which the language refuses. */
static kc_value *read_form(kc_tensor *t, const form *f, double n_p, double n_r, double n_s)
{
    char index[64];
    form_text(f, index);
    const kc_size sizes[] = { { "p", n_p }, { "r", n_r }, { "s", n_s } };
    kc_value *v = kc_read(t, index, sizes, 3, 1, 0);
    return v ? keep(v) : NULL;
}

static double distinct_of(const form *forms, int count, double size, double n_p, double n_r, double n_s)
{
    bool seen[4096] = { false };
    double sum = 0;
    for (int i = 0; i < count; i++)
        for (double p = 0; p < n_p; p++)
            for (double r = 0; r < n_r; r++)
                for (double s = 0; s < n_s; s++) {
                    double x = at(&forms[i], p, forms[i].b != 0 ? r : 0, forms[i].c != 0 ? s : 0);
                    if (x < 0 || x >= size || seen[(int)x])
                        continue;
                    seen[(int)x] = true;
                    sum++;
                }
    return sum;
}

/* ---- one read ----------------------------------------------------------------------------- */

static void check_one(const form *f, double size, double n_p, double n_r, double n_s)
{
    double want = distinct_of(f, 1, size, n_p, n_r, n_s);
    kc_value *v = read_form(line(size), f, n_p, n_r, n_s);
    if (!v)
        return;
    double got = touched(v);
    if (got != want) {
        char index[64];
        form_text(f, index);
        print_error("X[%g] at %s, p %g, r %g, s %g: %g elements, not %g\n", size, index, n_p, n_r, n_s, got, want);
    }
    assert_number(got, want);
}

TEST(one_strided_dim_touches_what_it_steps_on)
{
    for (int round = 0; round < cases(3000); round++, drop_kept()) {
        form f = { chance(-10, 10), chance(1, 6) * (one_in(2) ? 1 : -1), 0, 0 };
        if (f.a < 0)
            f.constant = chance(0, 30);
        check_one(&f, chance(1, 30), chance(1, 12), 1, 1);
    }
}

TEST(a_stride_with_taps_touches_each_element_once)
{
    for (int round = 0; round < cases(3000); round++, drop_kept()) {
        form f = { chance(-6, 3), chance(1, 5), 1, 0 };
        check_one(&f, chance(1, 40), chance(1, 9), chance(1, 6), 1);
    }
}

TEST(a_stride_with_dilated_taps_touches_each_element_once)
{
    for (int round = 0; round < cases(3000); round++, drop_kept()) {
        form f = { 0, chance(2, 6), chance(2, 6), 0 };
        double n_p = chance(1, 9), n_r = chance(1, 6);
        check_one(&f, f.a * (n_p - 1) + f.b * (n_r - 1) + 1, n_p, n_r, 1); /* nothing outside */
    }
}

TEST(dilated_taps_with_padding_touch_what_lies_inside)
{
    for (int round = 0; round < cases(3000); round++, drop_kept()) {
        form f = { chance(-8, 2), chance(2, 5), chance(2, 5), 0 };
        check_one(&f, chance(1, 40), chance(1, 9), chance(1, 6), 1);
    }
}

TEST(three_dims_in_one_position_touch_each_element_once)
{
    for (int round = 0; round < cases(3000); round++, drop_kept()) {
        form f = { 0, chance(1, 6), chance(1, 6), chance(1, 6) };
        double n_p = chance(1, 6), n_r = chance(1, 5), n_s = chance(1, 4);
        check_one(&f, f.a * (n_p - 1) + f.b * (n_r - 1) + f.c * (n_s - 1) + 1, n_p, n_r, n_s);
    }
}

/* ---- two positions ------------------------------------------------------------------------ */

static double distinct_pairs(const form *y, const form *x, double side, double n_p, double n_r, double n_s)
{
    static bool seen[SIDE][SIDE];
    double sum = 0;
    memset(seen, 0, sizeof seen);
    for (double p = 0; p < n_p; p++)
        for (double r = 0; r < n_r; r++)
            for (double s = 0; s < n_s; s++) {
                double i = at(y, p, r, s), j = at(x, p, r, s);
                if (i < 0 || j < 0 || i >= side || j >= side || seen[(int)i][(int)j])
                    continue;
                seen[(int)i][(int)j] = true;
                sum++;
            }
    return sum;
}

static void check_pairs(const form *y, const form *x, double side, double n_p, double n_r, double n_s)
{
    char first[64], second[64], index[160], dims[64];
    form_text(y, first);
    form_text(x, second);
    snprintf(index, sizeof index, "%s %s", first, second);
    snprintf(dims, sizeof dims, "y=%.0f x=%.0f", side, side);
    const kc_size sizes[] = { { "p", n_p }, { "r", n_r }, { "s", n_s } };
    kc_value *v = kc_read(tensor("X", dims, "f16"), index, sizes, 3, 1, 0);
    if (!v)
        return;
    double got = touched(keep(v)), want = distinct_pairs(y, x, side, n_p, n_r, n_s);
    if (got != want)
        print_error("X[%g %g] at %s, p %g, r %g, s %g: %g elements, not %g\n", side, side, index, n_p, n_r, n_s, got,
                    want);
    assert_number(got, want);
}

TEST(positions_of_different_dims_multiply)
{
    for (int round = 0; round < cases(2000); round++, drop_kept()) {
        form y = { chance(-3, 3), chance(1, 3), 1, 0 }, x = { chance(-3, 3), 0, 0, chance(1, 4) };
        check_pairs(&y, &x, chance(4, SIDE), chance(1, 6), chance(1, 3), chance(1, 6));
    }
}

TEST(a_diagonal_touches_its_own_elements_only)
{
    for (double shift = -2; shift <= 2; shift++, drop_kept()) {
        form y = { 0, 1, 0, 0 }, x = { shift, 1, 0, 0 };
        check_pairs(&y, &x, 10, 10, 1, 1);
        check_pairs(&x, &y, 10, 10, 1, 1);
    }
}

TEST(positions_that_share_a_dim_touch_each_pair_once)
{
    for (int round = 0; round < cases(2000); round++, drop_kept()) {
        form y = { 0, 1, 1, 0 }, x = { 0, 1, 0, 1 }; /* p+r, p+s */
        check_pairs(&y, &x, SIDE, chance(1, 8), chance(1, 4), chance(1, 4));
    }
}

/* ---- several reads ------------------------------------------------------------------------ */

TEST(reads_that_differ_by_a_shift_touch_their_union)
{
    for (int round = 0; round < cases(2000); round++, drop_kept()) {
        form two[2] = { { chance(-4, 4), 1, 0, 0 }, { chance(-4, 4), 1, 0, 0 } };
        double size = chance(4, 20), n_p = chance(1, 20);
        kc_tensor *t = line(size);
        kc_value *a = read_form(t, &two[0], n_p, 1, 1), *b = read_form(t, &two[1], n_p, 1, 1);
        if (a && b)
            assert_number(touched(map2("add", a, b)), distinct_of(two, 2, size, n_p, 1, 1));
    }
}

TEST(reads_with_one_stride_touch_their_union)
{
    for (int round = 0; round < cases(2000); round++, drop_kept()) {
        double stride = chance(1, 4), size = chance(4, 30), n_p = chance(1, 8);
        form two[2] = { { chance(0, 6), stride, 0, 0 }, { chance(0, 6), stride, 0, 0 } };
        kc_tensor *t = line(size);
        kc_value *a = read_form(t, &two[0], n_p, 1, 1), *b = read_form(t, &two[1], n_p, 1, 1);
        if (a && b)
            assert_number(touched(map2("add", a, b)), distinct_of(two, 2, size, n_p, 1, 1));
    }
}

TEST(a_stencil_of_five_reads_touches_its_cross)
{
    /* 6 by 6 points in the middle of 8 by 8: the square and its four neighbours: 64 less the corners */
    kc_tensor *t = tensor("X", "y=8 x=8", "f16");
    static const char *const indexes[5] = { "p+1 q+1", "p q+1", "p+2 q+1", "p+1 q", "p+1 q+2" };
    kc_value *sum = read_at(t, indexes[0], "p=6 q=6");
    for (int i = 1; i < 5; i++)
        sum = map2("add", sum, read_at(t, indexes[i], "p=6 q=6"));
    assert_number(touched(sum), 60);
}

TEST(two_slices_touch_their_union)
{
    kc_tensor *t = line(100);
    kc_value *both = map2("add", read_at(t, "p", "p=50"), read_at(t, "q+40", "q=30"));
    assert_number(touched(both), 70); /* 0 .. 49 and 40 .. 69 */
}

/* ---- masks -------------------------------------------------------------------------------- */

static double band_points(double n_q, double n_k, double lo, double hi)
{
    double sum = 0;
    for (double q = 0; q < n_q; q++)
        for (double k = 0; k < n_k; k++)
            sum += lo <= k - q && k - q <= hi;
    return sum;
}

TEST(a_masked_read_touches_its_live_points)
{
    for (int round = 0; round < cases(500); round++, drop_kept()) {
        double n_q = chance(1, 9), n_k = chance(1, 9), lo = chance(-9, 9), hi = lo + chance(0, 6);
        char dims[64];
        snprintf(dims, sizeof dims, "q=%.0f k=%.0f", n_q, n_k);
        kc_value *masked = kc_mask(read_of(tensor("X", dims, "f16")), "q", "k", lo, hi);
        if (masked)
            assert_number(touched(map1("exp", keep(masked))), band_points(n_q, n_k, lo, hi));
    }
}

TEST(two_masked_reads_touch_the_union_of_their_live_points)
{
    /* the lower triangle of 8 by 8, and the same a column to the right */
    kc_tensor *t = tensor("X", "q=8 k=9", "f16");
    kc_value *a = keep(kc_mask(read_at(t, "q k", "k=8"), "q", "k", -HUGE_VAL, 0));
    kc_value *b = keep(kc_mask(read_at(t, "q k+1", "k=8"), "q", "k", -HUGE_VAL, 0));
    bool seen[8][9] = { { false } };
    double want = 0;
    for (int q = 0; q < 8; q++)
        for (int k = 0; k <= q; k++)
            for (int shift = 0; shift < 2; shift++) {
                want += !seen[q][k + shift];
                seen[q][k + shift] = true;
            }
    kc_tensor *out[2] = { write_of("Y", map1("exp", a)), write_of("Z", map1("exp", b)) };
    kc_kernel *k = keep(kc_kernel_new(context, NULL, out, 2));
    assert_number(row_of(k, count_of(k), "X")->compulsory / 2, want);
}

/* ---- boxes of tiles ----------------------------------------------------------------------- */

static double fetched(const form *y, const form *x, double n_y, double n_x, const double n[3], const double t[3])
{
    double sum = 0;
    for (double p = 0; p < n[0]; p += t[0])
        for (double r = 0; r < n[1]; r += t[1])
            for (double s = 0; s < n[2]; s += t[2]) {
                double ends[2][3] = { { p, r, s },
                                      { fmin(p + t[0], n[0]) - 1, fmin(r + t[1], n[1]) - 1,
                                        fmin(s + t[2], n[2]) - 1 } };
                double box = 1;
                for (int dim = 0; dim < 2; dim++) {
                    const form *f = dim ? x : y;
                    double least = HUGE_VAL, most = -HUGE_VAL, size = dim ? n_x : n_y;
                    for (int corner = 0; corner < 8; corner++) {
                        double v = at(f, ends[corner & 1][0], ends[corner >> 1 & 1][1], ends[corner >> 2][2]);
                        least = fmin(least, v);
                        most = fmax(most, v);
                    }
                    box *= fmax(0, fmin(most, size - 1) - fmax(least, 0) + 1);
                }
                sum += box;
            }
    return sum;
}

TEST(a_tile_fetches_the_box_that_it_covers_clipped_to_the_tensor)
{
    for (int round = 0; round < cases(3000); round++, drop_kept()) {
        double n[3], t[3], side = chance(2, SIDE);
        for (int i = 0; i < 3; i++) {
            n[i] = chance(2, 7);
            t[i] = chance(1, n[i] - 1); /* so that each is a loop */
        }
        form y = { chance(-4, 4), chance(1, 3), chance(-2, 2), 0 },
            x = { chance(-4, 4), 0, chance(0, 1), chance(1, 3) };
        char first[64], second[64], index[160], dims[64], tiles[64];
        form_text(&y, first);
        form_text(&x, second);
        snprintf(index, sizeof index, "%s %s", first, second);
        snprintf(dims, sizeof dims, "y=%.0f x=%.0f", side, side);
        snprintf(tiles, sizeof tiles, "p=%.0f r=%.0f s=%.0f", t[0], t[1], t[2]);
        const kc_size sizes[] = { { "p", n[0] }, { "r", n[1] }, { "s", n[2] } };
        kc_value *v = kc_read(tensor("X", dims, "f16"), index, sizes, 3, 1, 0);
        if (!v)
            continue;
        keep(v);
        bool has_r = kci_find_dim(v->dims, v->rank, kci_intern(context, "r", 1)) != NULL;
        if (!has_r) {
            n[1] = t[1] = 1;
            snprintf(tiles, sizeof tiles, "p=%.0f s=%.0f", t[0], t[2]);
        }
        static const char *const grids[] = { "", "p", "s", "s p" };
        kc_kernel *k = tiled(write_of("Y", v), tiles, grids[round % 4], NULL);
        const kci_row *row = row_of(k, count_of(k), "X");
        assert_number(row->read / 2, fetched(&y, &x, side, side, n, t));
        assert_number(row->loads, ceil(n[0] / t[0]) * ceil(n[1] / t[1]) * ceil(n[2] / t[2]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(one_strided_dim_touches_what_it_steps_on),
        fact(a_stride_with_taps_touches_each_element_once),
        fact(a_stride_with_dilated_taps_touches_each_element_once),
        fact(dilated_taps_with_padding_touch_what_lies_inside),
        fact(three_dims_in_one_position_touch_each_element_once),
        fact(positions_of_different_dims_multiply),
        fact(a_diagonal_touches_its_own_elements_only),
        fact(positions_that_share_a_dim_touch_each_pair_once),
        fact(reads_that_differ_by_a_shift_touch_their_union),
        fact(reads_with_one_stride_touch_their_union),
        fact(a_stencil_of_five_reads_touches_its_cross),
        fact(two_slices_touch_their_union),
        fact(a_masked_read_touches_its_live_points),
        fact(two_masked_reads_touch_the_union_of_their_live_points),
        fact(a_tile_fetches_the_box_that_it_covers_clipped_to_the_tensor),
    };
    return run(tests);
}
