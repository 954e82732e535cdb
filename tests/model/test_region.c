/* test_region.c: masks and padding: which points are useful before, at and behind them, against a count
 * point by point. */
#include "workbench.h"

/* A band on q and k, and the points in it. */
typedef struct band {
    double n_q, n_k, lo, hi;
} band;

static bool in_band(const band *b, double q, double k)
{
    return b->lo <= k - q && k - q <= b->hi;
}

/* Live pairs, rows with one, columns with one, of up to two bands together. */
typedef struct live {
    double pairs, rows, columns;
} live;

static live live_of(const band *a, const band *b)
{
    live l = { 0, 0, 0 };
    for (double q = 0; q < a->n_q; q++) {
        bool any = false;
        for (double k = 0; k < a->n_k; k++)
            if (in_band(a, q, k) && (!b || in_band(b, q, k))) {
                l.pairs++;
                any = true;
            }
        l.rows += any;
    }
    for (double k = 0; k < a->n_k; k++) {
        bool any = false;
        for (double q = 0; q < a->n_q; q++)
            any = any || (in_band(a, q, k) && (!b || in_band(b, q, k)));
        l.columns += any;
    }
    return l;
}

/* A random band that holds at least one point. */
static band random_band(double n_q, double n_k)
{
    band b = { n_q, n_k, -HUGE_VAL, HUGE_VAL };
    double at = chance(1 - n_q, n_k - 1); /* of some pair */
    if (!one_in(4))
        b.hi = at + chance(0, 4);
    if (!one_in(4))
        b.lo = at - chance(0, 4);
    return b;
}

static kc_value *mask(kc_value *a, const band *b)
{
    return keep(kc_mask(a, "q", "k", b->lo, b->hi));
}

static kc_tensor *sized(const char *name, const char *x, double n_x, const char *y, double n_y)
{
    char dims[64];
    snprintf(dims, sizeof dims, "%s=%.0f %s=%.0f", x, n_x, y, n_y);
    return tensor(name, dims, "f16");
}

/* Begins anew within a fact: many small kernels. */
static void again(void)
{
    drop_kept();
}

/* ---- in one kernel ------------------------------------------------------------------------ */

/* relu(Q) relu(K)' -> mask -> exp -> its row sums, and its product with relu(V). */
TEST(useful_work_before_and_behind_a_mask_is_that_of_its_live_points)
{
    for (int round = 0; round < cases(400); round++, again()) {
        double n_q = chance(1, 9), n_k = chance(1, 9), d = chance(1, 3), e = chance(1, 3);
        band a = random_band(n_q, n_k), b = random_band(n_q, n_k);
        kc_value *q = map1("relu", read_of(sized("Q", "q", n_q, "d", d)));
        kc_value *k = map1("relu", read_of(sized("K", "k", n_k, "d", d)));
        kc_value *v = map1("relu", read_of(sized("V", "k", n_k, "e", e)));
        kc_value *s = mask(matmul(q, k, NULL), &a), *both = one_in(2) ? kc_mask(s, "q", "k", b.lo, b.hi) : NULL;
        live l = live_of(&a, both ? &b : NULL);
        kc_value *x = map1("exp", both ? keep(both) : s);
        kc_tensor *out[2] = { write_of("R", map1("rsqrt", reduce("sum", x, "k"))),
                              write_of("O", map1("relu", matmul(x, v, "k"))) };
        kc_kernel *kernel = keep(kc_kernel_new(context, NULL, out, 2));
        const kci_counts *c = count_of(kernel);
        assert_number(sum_of(c->useful_matrix), 2 * d * l.pairs + 2 * e * l.pairs);
        assert_number(useful_vector(c), d * l.rows + d * l.columns + e * l.columns + l.pairs + e * l.rows);
        assert_number(c->useful_special, l.pairs + l.rows);
    }
}

TEST(a_softmax_under_a_mask_counts_its_live_points_and_rows)
{
    for (int round = 0; round < cases(200); round++, again()) {
        band a = random_band(chance(1, 9), chance(1, 9));
        live l = live_of(&a, NULL);
        kc_value *p = softmax(mask(read_of(sized("S", "q", a.n_q, "k", a.n_k)), &a), "k", round & 1);
        const kci_counts *c = count_of(kernel_of(write_of("P", p)));
        assert_number(useful_vector(c), 4 * l.pairs);
        assert_number(c->useful_special, l.pairs + l.rows);
    }
}

TEST(causal_rows_without_a_live_point_cost_nothing)
{
    /* 6 rows of 4: hi = -2: rows 0 and 1 are dead; rows 2 .. 5 have 1 2 3 4 live points. */
    kc_value *p = softmax(keep(kc_causal(read_of(sized("S", "q", 6, "k", 4)), "q", "k")), "k", 0);
    const kci_counts *c = count_of(kernel_of(write_of("P", p)));
    assert_number(useful_vector(c), 4 * 10);
    assert_number(c->useful_special, 10 + 4);
}

TEST(an_op_with_a_masked_and_an_open_use_is_wholly_useful)
{
    for (int round = 0; round < cases(100); round++, again()) {
        band a = random_band(chance(1, 9), chance(1, 9));
        live l = live_of(&a, NULL);
        kc_value *x = map1("relu", read_of(sized("S", "q", a.n_q, "k", a.n_k)));
        kc_tensor *out[2] = { write_of("M", map1("exp", mask(x, &a))), write_of("R", reduce("sum", x, "k")) };
        const kci_counts *c = count_of(keep(kc_kernel_new(context, NULL, out, 2)));
        assert_number(c->useful_special, l.pairs);
        assert_number(useful_vector(c), 2 * a.n_q * a.n_k); /* relu and the sum */
    }
}

TEST(an_op_with_two_masked_uses_is_useful_where_either_is_live)
{
    for (int round = 0; round < cases(300); round++, again()) {
        band a = random_band(chance(1, 9), chance(1, 9)), b = random_band(a.n_q, a.n_k);
        double either = live_of(&a, NULL).pairs + live_of(&b, NULL).pairs;
        for (double q = 0; q < a.n_q; q++)
            for (double k = 0; k < a.n_k; k++)
                either -= in_band(&a, q, k) && in_band(&b, q, k);
        kc_value *x = map1("exp", read_of(sized("S", "q", a.n_q, "k", a.n_k)));
        kc_tensor *out[2] = { write_of("M", reduce("sum", mask(x, &a), "k")),
                              write_of("N", reduce("max", mask(x, &b), "k")) };
        const kci_counts *c = count_of(keep(kc_kernel_new(context, NULL, out, 2)));
        assert_number(c->useful_special, either);
    }
}

/* q-k and k-z: the live triples; behind the first mask alone, the pairs that some z needs. */
TEST(masks_that_share_a_dim_are_counted_together)
{
    for (int round = 0; round < cases(200); round++, again()) {
        double n_z = chance(1, 6);
        band a = random_band(chance(1, 7), chance(1, 7)), b = random_band(a.n_k, n_z); /* on k and z */
        double triples = 0, pairs = 0;
        for (double q = 0; q < a.n_q; q++)
            for (double k = 0; k < a.n_k; k++) {
                double some = 0;
                for (double z = 0; z < n_z; z++)
                    some += in_band(&a, q, k) && in_band(&b, k, z);
                triples += some;
                pairs += some > 0;
            }
        kc_value *x = map1("exp", mask(read_of(sized("S", "q", a.n_q, "k", a.n_k)), &a));
        kc_value *y = keep(kc_mask(read_of(sized("T", "k", a.n_k, "z", n_z)), "k", "z", b.lo, b.hi));
        const kci_counts *c = count_of(kernel_of(write_of("R", map2("mul", x, y))));
        assert_number(useful_vector(c), triples);
        assert_number(c->useful_special, pairs);
    }
}

/* A row of T is needed where some i and some k behind the sum hold all three bands at once. */
TEST(masks_around_a_reduction_are_met_by_one_point_behind_it)
{
    for (int round = 0; round < cases(200); round++, again()) {
        double n_i = chance(1, 5), n_j = chance(1, 5), n_k = chance(1, 5), rows = 0;
        band ji = random_band(n_j, n_i), ik = random_band(n_i, n_k), jk = random_band(n_j, n_k);
        for (double j = 0; j < n_j; j++) {
            bool any = false;
            for (double i = 0; i < n_i; i++)
                for (double k = 0; k < n_k; k++)
                    any = any || (in_band(&ji, j, i) && in_band(&ik, i, k) && in_band(&jk, j, k));
            rows += any;
        }
        kc_value *x = map2("mul", read_of(sized("T", "j", n_j, "k", n_k)), read_of(sized("U", "i", n_i, "k", n_k)));
        x = keep(kc_mask(x, "j", "i", ji.lo, ji.hi));
        x = map2("mul", x, reduce("sum", x, "k"));
        x = keep(kc_mask(x, "i", "k", ik.lo, ik.hi));
        x = keep(kc_mask(x, "j", "k", jk.lo, jk.hi));
        kc_kernel *kernel = kernel_of(write_of("R", reduce("sum", x, "k")));
        assert_number(row_of(kernel, count_of(kernel), "T")->compulsory, rows * n_k * 2);
    }
}

TEST(executed_work_is_whole_live_tiles)
{
    for (int round = 0; round < cases(200); round++, again()) {
        double d = chance(1, 3), t_q = chance(1, 4), t_k = chance(1, 4), tiles = 0;
        band a = random_band(chance(1, 11), chance(1, 11));
        t_q = fmin(t_q, a.n_q);
        t_k = fmin(t_k, a.n_k);
        for (double q = 0; q < a.n_q; q += t_q)
            for (double k = 0; k < a.n_k; k += t_k) {
                bool any = false;
                for (double i = q; i < fmin(a.n_q, q + t_q); i++)
                    for (double j = k; j < fmin(a.n_k, k + t_k); j++)
                        any = any || in_band(&a, i, j);
                tiles += any;
            }
        kc_value *s = matmul(read_of(sized("Q", "q", a.n_q, "d", d)), read_of(sized("K", "k", a.n_k, "d", d)), NULL);
        kc_tensor *r = write_of("R", reduce("sum", map1("exp", mask(s, &a)), "k"));
        char sizes[64];
        snprintf(sizes, sizeof sizes, "q=%.0f k=%.0f", t_q, t_k);
        kc_kernel *kernel = tiled(r, sizes, "q", "k");
        const kci_counts *c = count_of(kernel);
        assert_number(sum_of(c->executed_matrix), 2 * d * t_q * t_k * tiles);
        assert_number(c->executed_special, t_q * t_k * tiles);
        double trips = ceil(a.n_k / t_k);
        if (trips > 1)
            assert_number(row_of(kernel, c, "K")->loads, tiles);
    }
}

/* ---- pass by pass: 4 rows of 4, tiles of 1, 10 of 16 live ------------------------------------ */

static kc_value *square(void)
{
    return read_of(sized("X", "q", 4, "k", 4));
}

static kc_kernel *walked(kc_tensor **written, size_t count)
{
    kc_kernel *kernel = tiled(keep(kc_kernel_new(context, NULL, written, count)), "q=1 k=1", "", "q k");
    double steps;
    if (kc_verify((kc_object *)kernel, &steps) != KC_OK)
        print_error("%s\n", kc_context_message(context));
    assert_int_equal(kc_context_status(context), KC_OK);
    return kernel;
}

/* The maximum and the sum are those of all points; the quotient is of the live ones. */
TEST(a_mask_behind_a_softmax_spares_its_last_pass_alone)
{
    kc_tensor *p = write_of("P", keep(kc_causal(softmax(square(), "k", 0), "q", "k")));
    kc_kernel *kernel = walked(&p, 1);
    const kci_counts *c = count_of(kernel);
    assert_number(c->passes, 3);
    assert_number(row_of(kernel, c, "X")->loads, 16 + 16 + 10);
    assert_number(row_of(kernel, c, "X")->pass, 2 * (16 + 10));
    assert_number(executed_vector(c), 16 + (16 + 16) + (10 + 10)); /* max; exp, sum; exp, div */
    assert_number(c->executed_special, 16 + 10 + 4);
    assert_number(useful_vector(c), 16 + 16 + 16 + 10);
}

TEST(a_mask_before_a_softmax_spares_every_pass)
{
    kc_tensor *p = write_of("P", softmax(keep(kc_causal(square(), "q", "k")), "k", 0));
    kc_kernel *kernel = walked(&p, 1);
    const kci_counts *c = count_of(kernel);
    assert_number(row_of(kernel, c, "X")->loads, 3 * 10);
    assert_number(executed_vector(c), 10 + (10 + 10) + (10 + 10));
    assert_number(c->executed_special, 10 + 10 + 4);
}

/* A diagonal in front of one reduction, a causal mask behind it. */
TEST(each_pass_needs_what_its_own_uses_need)
{
    kc_value *x = map1("relu", square());
    kc_value *row = reduce("sum", keep(kc_mask(x, "q", "k", 0, 0)), "k");
    kc_tensor *y = write_of("Y", keep(kc_causal(map2("mul", x, row), "q", "k")));
    kc_kernel *kernel = walked(&y, 1);
    const kci_counts *c = count_of(kernel);
    assert_number(c->passes, 2);
    assert_number(row_of(kernel, c, "X")->loads, 4 + 10);
    assert_number(executed_vector(c), (4 + 4) + (10 + 10));
    assert_number(useful_vector(c), 10 + 4 + 10);
}

/* R is written in the pass that sums under a mask; the pass behind it needs all of R. */
TEST(what_is_written_serves_the_uses_of_every_pass)
{
    kc_value *x = map1("relu", square());
    kc_value *row = reduce("sum", keep(kc_causal(x, "q", "k")), "k");
    kc_tensor *out[2] = { write_of("R", x), write_of("Y", map2("mul", x, row)) };
    kc_kernel *kernel = walked(out, 2);
    const kci_counts *c = count_of(kernel);
    assert_number(row_of(kernel, c, "X")->loads, 16 + 16);
    assert_number(executed_vector(c), (16 + 10) + (16 + 16));
}

/* Near the diagonal and far from it: of 4 x 4 tiles of 2, 7 and 3 are live; the box is loaded for either. */
TEST(reads_of_one_box_under_two_masks_are_loaded_where_either_is_live)
{
    kc_tensor *t = tensor("T", "x=8 y=9", "f32");
    kc_value *near = keep(kc_mask(read_at(t, "i j", "i=8 j=8"), "i", "j", -1, 0));
    kc_value *far = keep(kc_mask(read_at(t, "i j+1", "i=8 j=8"), "i", "j", 4, 5));
    kc_tensor *out[2] = { write_of("A", reduce("sum", near, "j")), write_of("B", reduce("sum", far, "j")) };
    kc_kernel *kernel = tiled(keep(kc_kernel_new(context, NULL, out, 2)), "i=2 j=2", "i", "j");
    assert_number(row_of(kernel, count_of(kernel), "T")->loads, 7 + 3);
}

/* Rows and columns that meet the same k: tiles of the sum over k that CTAs share, each of which
 * leaves a tile once for each of its own live trips but the last. */
TEST(parts_of_a_split_spill_in_their_own_live_trips)
{
    for (int round = 0; round < cases(100); round++, again()) {
        double n_i = chance(2, 6), n_j = chance(2, 6), n_k = chance(6, 12), steps;
        band ik = random_band(n_i, n_k), jk = random_band(n_j, n_k);
        kc_value *x = map2("mul", read_of(sized("A", "i", n_i, "k", n_k)), read_of(sized("B", "j", n_j, "k", n_k)));
        x = keep(kc_mask(x, "i", "k", ik.lo, ik.hi));
        x = keep(kc_mask(x, "j", "k", jk.lo, jk.hi));
        kc_schedule *s = schedule_of("i=2 j=2 k=2", "", "k i j");
        assert_int_equal(kc_schedule_split(s, "k", chance(2, 3)), KC_OK);
        kc_kernel *kernel = keep(kc_tile((kc_object *)write_of("R", reduce("sum", x, "k")), s));
        if (kc_verify((kc_object *)kernel, &steps) != KC_OK)
            print_error("%s\n", kc_context_message(context));
        assert_int_equal(kc_context_status(context), KC_OK);
    }
}

/* ---- through tensors ---------------------------------------------------------------------- */

TEST(a_mask_limits_useful_work_behind_the_tensor_that_it_was_written_to)
{
    static const char *const indexes[] = { NULL, "a b", "k q" };
    for (int round = 0; round < cases(150); round++, again()) {
        band a = random_band(chance(1, 9), chance(1, 9));
        live l = live_of(&a, NULL);
        kc_tensor *s = write_of("S", mask(read_of(sized("X", "q", a.n_q, "k", a.n_k)), &a));
        const char *index = indexes[round % 3]; /* "k q" swaps the names, not the meaning */
        kc_kernel *kernel = kernel_of(write_of("E", map1("exp", read_at(s, index, NULL))));
        const kci_counts *c = count_of(kernel);
        assert_number(c->useful_special, l.pairs);
        assert_number(row_of(kernel, c, "S")->read, 2 * a.n_q * a.n_k); /* moved whole */
        assert_number(c->executed_special, a.n_q * a.n_k);              /* dead points too */
    }
}

TEST(a_mask_shifts_with_the_index_that_reads_it)
{
    for (int round = 0; round < cases(150); round++, again()) {
        band a = random_band(chance(2, 9), chance(2, 9));
        double over_q = chance(0, a.n_q - 1), over_k = chance(0, a.n_k - 1), want = 0;
        for (double q = over_q; q < a.n_q; q++)
            for (double k = over_k; k < a.n_k; k++)
                want += in_band(&a, q, k);
        kc_tensor *s = write_of("S", mask(read_of(sized("X", "q", a.n_q, "k", a.n_k)), &a));
        char index[64], sizes[64];
        snprintf(index, sizeof index, "i+%.0f j+%.0f", over_q, over_k);
        snprintf(sizes, sizeof sizes, "i=%.0f j=%.0f", a.n_q - over_q, a.n_k - over_k);
        const kci_counts *c = count_of(kernel_of(write_of("E", map1("exp", read_at(s, index, sizes)))));
        assert_number(c->useful_special, want);
    }
}

TEST(a_mask_reaches_through_a_reduction_that_keeps_both_dims)
{
    band a = { 5, 7, -1, 2 };
    live l = live_of(&a, NULL);
    kc_value *x = mask(read_of(tensor("X", "h=3 q=5 k=7", "f16")), &a);
    kc_tensor *sum = write_of("S", reduce("sum", x, "h"));
    assert_number(useful_vector(count_of(kernel_of(sum))), 3 * l.pairs);
    assert_number(count_of(kernel_of(write_of("E", map1("exp", read_of(sum)))))->useful_special, l.pairs);
    kc_tensor *lse = write_of("L", keep(kc_lse(softmax(x, "h", 0)))); /* rows are q and k here */
    assert_number(count_of(kernel_of(write_of("F", map1("exp", read_of(lse)))))->useful_special, l.pairs);
}

TEST(three_kernels_of_masked_attention_do_the_useful_work_of_one)
{
    for (int round = 0; round < cases(60); round++, again()) {
        band a = random_band(chance(1, 9), chance(1, 9));
        double d = chance(1, 3), e = chance(1, 3);
        kc_tensor *s = write_of("S", mask(matmul(read_of(sized("Q", "q", a.n_q, "d", d)),
                                                 read_of(sized("K", "k", a.n_k, "d", d)), NULL), &a));
        kc_tensor *p = write_of("P", softmax(read_of(s), "k", 0));
        kc_tensor *o = write_of("O", matmul(read_of(p), read_of(sized("V", "k", a.n_k, "e", e)), "k"));
        const kci_counts *one = count_of(keep(fuse_of("flash", NULL, s, p, o, NULL)));
        kc_tensor *all[3] = { s, p, o };
        double matrix = 0, vector = 0, special = 0;
        for (int i = 0; i < 3; i++) {
            const kci_counts *c = count_of(kernel_of(all[i]));
            matrix += sum_of(c->useful_matrix);
            vector += useful_vector(c);
            special += c->useful_special;
        }
        assert_number(sum_of(one->useful_matrix), matrix);
        assert_number(useful_vector(one), vector);
        assert_number(one->useful_special, special);
    }
}

/* ---- padding ------------------------------------------------------------------------------ */

TEST(taps_outside_a_tensor_are_no_useful_work)
{
    for (int round = 0; round < cases(400); round++, again()) {
        double n_y = chance(1, 12), n_p = chance(1, 6), n_r = chance(1, 4), channels = chance(1, 3),
            filters = chance(1, 3);
        double stride = chance(1, 3), dilation = chance(1, 3), pad = chance(0, 3), inside = 0;
        for (double p = 0; p < n_p; p++)
            for (double r = 0; r < n_r; r++) {
                double y = stride * p + dilation * r - pad;
                inside += y >= 0 && y < n_y;
            }
        if (inside == 0)
            continue;
        char index[64], sizes[64], weights[64];
        snprintf(index, sizeof index, "c %.0f*p+%.0f*r-%.0f", stride, dilation, pad);
        snprintf(sizes, sizeof sizes, "p=%.0f r=%.0f", n_p, n_r);
        snprintf(weights, sizeof weights, "k=%.0f c=%.0f r=%.0f", filters, channels, n_r);
        kc_value *x = read_at(sized("X", "c", channels, "y", n_y), index, sizes);
        kc_value *conv = matmul(x, read_of(tensor("W", weights, "f16")), "c r");
        const kci_counts *c = count_of(kernel_of(write_of("Y", conv)));
        assert_number(sum_of(c->useful_matrix), 2 * filters * channels * inside);
        assert_number(sum_of(c->executed_matrix), 2 * filters * channels * n_p * n_r); /* padding taps in */
    }
}

/* ---- limits ------------------------------------------------------------------------------- */

TEST(too_many_masks_on_one_op_are_refused_with_the_number)
{
    kc_value *v = read_of(sized("S", "q", 40, "k", 40));
    for (int i = 1; i <= 16; i++)
        v = keep(kc_mask(v, "q", "k", -i, i));
    kernel_of(write_of("P", v));
    v = keep(kc_mask(v, "q", "k", -17, 17));
    kc_tensor *p = write_of("P", v);
    refuses(kc_kernel_new(context, NULL, &p, 1), "kernel 'P': more than 16 masks and padded reads meet in one op");
}

TEST(too_many_differently_masked_uses_are_refused_with_the_number)
{
    kc_value *v = map1("exp", read_of(sized("S", "q", 40, "k", 40)));
    kc_tensor *out[9];
    char name[16];
    for (int i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "P%d", i);
        out[i] = write_of(name, reduce("sum", keep(kc_mask(v, "q", "k", i, i)), "k"));
    }
    keep(kc_kernel_new(context, NULL, out, 8));
    refuses(kc_kernel_new(context, NULL, out, 9), "a value has uses under more than 8 different masks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(useful_work_before_and_behind_a_mask_is_that_of_its_live_points),
        fact(a_softmax_under_a_mask_counts_its_live_points_and_rows),
        fact(causal_rows_without_a_live_point_cost_nothing),
        fact(an_op_with_a_masked_and_an_open_use_is_wholly_useful),
        fact(an_op_with_two_masked_uses_is_useful_where_either_is_live),
        fact(masks_that_share_a_dim_are_counted_together),
        fact(masks_around_a_reduction_are_met_by_one_point_behind_it),
        fact(executed_work_is_whole_live_tiles),
        fact(a_mask_behind_a_softmax_spares_its_last_pass_alone),
        fact(a_mask_before_a_softmax_spares_every_pass),
        fact(each_pass_needs_what_its_own_uses_need),
        fact(what_is_written_serves_the_uses_of_every_pass),
        fact(reads_of_one_box_under_two_masks_are_loaded_where_either_is_live),
        fact(parts_of_a_split_spill_in_their_own_live_trips),
        fact(a_mask_limits_useful_work_behind_the_tensor_that_it_was_written_to),
        fact(a_mask_shifts_with_the_index_that_reads_it),
        fact(a_mask_reaches_through_a_reduction_that_keeps_both_dims),
        fact(three_kernels_of_masked_attention_do_the_useful_work_of_one),
        fact(taps_outside_a_tensor_are_no_useful_work),
        fact(too_many_masks_on_one_op_are_refused_with_the_number),
        fact(too_many_differently_masked_uses_are_refused_with_the_number),
    };
    return run(tests);
}
