/* test_keep.c: which rows stay, whatever the order in which they come. */
#include "workbench.h"

#include "keep.h"

enum { COUNT = 300, KEYS = 3, WIDTH = 1 + KEYS };

static double rows[COUNT][WIDTH];
static size_t order[COUNT];

/* Whole numbers, so that many are equal. */
static void draw(double most)
{
    for (size_t i = 0; i < COUNT; i++) {
        rows[i][0] = (double)i;
        for (int k = 0; k < KEYS; k++)
            rows[i][1 + k] = chance(1, most);
        order[i] = i;
    }
}

static void shuffle(void)
{
    for (size_t i = COUNT - 1; i > 0; i--) {
        size_t other = (size_t)chance(0, (double)i), held = order[i];
        order[i] = order[other];
        order[other] = held;
    }
}

static void offer_all(kci_keeper *k)
{
    for (size_t i = 0; i < COUNT; i++) {
        const double *from = rows[order[i]];
        double keys[KEYS], *to;
        for (size_t key = 0; key < k->key_count; key++)
            keys[key] = from[k->at[key]];
        assert_int_equal(kci_keep(k, from[0], (size_t)from[0] % 7, keys, &to), KC_OK);
        if (to)
            memcpy(to, from, sizeof rows[0]);
    }
    assert_int_equal(kci_keeper_finish(k), KC_OK);
}

static kci_keeper keeper_of(kci_keep_kind kind, size_t keys)
{
    return (kci_keeper){ .context = context, .kind = kind, .most = 20, .key_count = keys, .width = WIDTH, .at = { 1, 2, 3 },
                         .larger = { false, true, false } };
}

static bool goes_before(const double *a, const double *b)
{
    return a[1] != b[1] ? a[1] < b[1] : a[0] < b[0];
}

TEST(the_top_are_those_that_fewer_than_n_go_before)
{
    draw(40);
    for (int turn = 0; turn < 5; turn++) {
        kci_keeper k = keeper_of(KCI_KEEP_TOP, 1);
        offer_all(&k);
        assert_int_equal(k.count, 20);
        for (size_t i = 0; i < k.count; i++) {
            const double *row = k.rows + i * WIDTH;
            size_t ahead = 0;
            for (size_t o = 0; o < COUNT; o++)
                ahead += goes_before(rows[o], row);
            assert_int_equal(ahead, i);
            assert_memory_equal(row, rows[(size_t)row[0]], sizeof rows[0]);
        }
        kci_keeper_free(&k);
        shuffle();
    }
}

/* b is beaten by a: nowhere worse, and better somewhere or of an earlier point; the second key is better large. */
static bool beats(const double *a, const double *b, size_t keys)
{
    bool equal = true;
    for (size_t k = 0; k < keys; k++) {
        double x = k == 1 ? -a[1 + k] : a[1 + k], y = k == 1 ? -b[1 + k] : b[1 + k];
        if (x > y)
            return false;
        equal = equal && x == y;
    }
    return !equal || a[0] < b[0];
}

TEST(the_front_are_those_that_none_beats)
{
    for (size_t keys = 1; keys <= KEYS; keys++) {
        draw(12);
        for (int turn = 0; turn < 5; turn++) {
            kci_keeper k = keeper_of(KCI_KEEP_PARETO, keys);
            offer_all(&k);
            size_t at = 0;
            for (size_t i = 0; i < COUNT; i++) {
                bool beaten = false;
                for (size_t o = 0; o < COUNT; o++)
                    beaten = beaten || (o != i && beats(rows[o], rows[i], keys));
                if (beaten)
                    continue;
                assert_true(at < k.count);
                assert_memory_equal(k.rows + at++ * WIDTH, rows[i], sizeof rows[0]);
            }
            assert_int_equal(at, k.count);
            kci_keeper_free(&k);
            shuffle();
        }
    }
}

TEST(the_best_of_each_group_stay_in_the_order_of_points)
{
    draw(10);
    for (int turn = 0; turn < 5; turn++) {
        kci_keeper k = keeper_of(KCI_KEEP_BEST_PER, 1);
        offer_all(&k);
        assert_int_equal(k.count, 7);
        for (size_t i = 0; i < k.count; i++) {
            const double *row = k.rows + i * WIDTH;
            assert_true(i == 0 || row[0] > row[-WIDTH]);
            for (size_t o = 0; o < COUNT; o++)
                assert_false((size_t)rows[o][0] % 7 == (size_t)row[0] % 7 && goes_before(rows[o], row));
        }
        kci_keeper_free(&k);
        shuffle();
    }
}

TEST(all_rows_stay_in_the_order_of_points)
{
    draw(10);
    shuffle();
    kci_keeper k = keeper_of(KCI_KEEP_ALL, 0);
    offer_all(&k);
    assert_int_equal(k.count, COUNT);
    assert_memory_equal(k.rows, rows, sizeof rows);
    kci_keeper_free(&k);
}

TEST(more_rows_than_the_limit_are_refused)
{
    double *to;
    kci_keeper k = keeper_of(KCI_KEEP_ALL, 0);
    k.limit = 3;
    for (int i = 0; i < 3; i++)
        assert_int_equal(kci_keep(&k, i, 0, NULL, &to), KC_OK);
    assert_int_equal(kci_keep(&k, 3, 0, NULL, &to), KC_ELIMIT);
    assert_contains(kc_context_message(context), "keep = { top = 1000");
    assert_int_equal(k.count, 3);
    kci_keeper_free(&k);
}

TEST(a_keeper_of_nothing_has_no_rows)
{
    kci_keeper k = keeper_of(KCI_KEEP_TOP, 1);
    assert_int_equal(kci_keeper_finish(&k), KC_OK);
    assert_int_equal(k.count, 0);
    kci_keeper_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(the_top_are_those_that_fewer_than_n_go_before),
        fact(the_front_are_those_that_none_beats),
        fact(the_best_of_each_group_stay_in_the_order_of_points),
        fact(all_rows_stay_in_the_order_of_points),
        fact(more_rows_than_the_limit_are_refused),
        fact(a_keeper_of_nothing_has_no_rows),
    };
    return run(tests);
}
