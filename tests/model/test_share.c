/* test_share.c: what the CTAs of a wave share through L2, counted by hand, and the ledger behind it. */
#include "timed_kernel.h"

#include "share.h"

/* ---- the raster, against counting one by one --------------------------------------------------- */

static double counted(const kci_raster *raster, kci_set loops, double start, double length)
{
    static unsigned char seen[100000];
    memset(seen, 0, sizeof seen);
    double tiles = 0;
    for (double cta = start; cta < start + length; cta++) {
        double left = cta, place = 0, unit = 1;
        for (size_t d = raster->count; d-- > 0;) {
            double digit = fmod(left, raster->trips[d]);
            left = floor(left / raster->trips[d]);
            if (loops & KCI_BIT(raster->loop[d])) {
                place += digit * unit;
                unit *= raster->trips[d];
            }
        }
        tiles += !seen[(size_t)place];
        seen[(size_t)place] = 1;
    }
    return tiles;
}

TEST(tiles_that_a_wave_touches_are_counted_as_by_hand)
{
    for (int n = 0; n < 4000; n++) {
        kci_raster raster = { .count = (size_t)pick(1, 4) };
        double ctas = 1;
        for (size_t d = 0; d < raster.count; d++) {
            raster.loop[d] = (int)d;
            raster.trips[d] = pick(2, 7);
            ctas *= raster.trips[d];
        }
        kci_set loops = (kci_set)pick(0, 15);
        double start = pick(0, ctas - 1), length = pick(1, ctas - start);
        double got = kci_raster_distinct(&raster, loops, start, length);
        double want = counted(&raster, loops, start, length);
        /* exact, but where a range wraps round a digit whose two ends overlap: never too few */
        if (got < want || got > 1.5 * want + 1)
            print_error("%zu digits, loops %u, from %g, %g long\n", raster.count, (unsigned)loops, start, length);
        assert_true(got >= want && got <= 1.5 * want + 1);
    }
}

TEST(a_wave_of_an_ordinary_matmul_is_counted_exactly)
{
    kci_raster raster = { .trips = { 32, 32 }, .loop = { 0, 1 }, .count = 2 };
    for (double start = 0; start < 1024; start += 108) {
        double length = fmin(108, 1024 - start);
        assert_number(kci_raster_distinct(&raster, 1, start, length), counted(&raster, 1, start, length));
        assert_number(kci_raster_distinct(&raster, 2, start, length), counted(&raster, 2, start, length));
    }
}

TEST(a_grouped_raster_walks_runs_of_its_last_loop)
{
    small_kernel s;
    small_matmul(&s, context, cube, 128, 128, 32);
    s.tiling.raster[0] = 1;
    s.tiling.raster[1] = 0;
    s.tiling.raster_group = 8;
    kci_raster raster;
    kci_raster_of(&s.graph, &s.tiling, s.sizes, &raster);
    assert_int_equal(raster.count, 3);
    assert_number(raster.trips[0], 4);  /* 32 / 8 groups of m */
    assert_number(raster.trips[1], 32); /* n */
    assert_number(raster.trips[2], 8);
    assert_int_equal(raster.loop[0], 0);
    assert_int_equal(raster.loop[1], 1);
    assert_int_equal(raster.loop[2], 0);
    /* 108 CTAs: 8 rows by 13.5 columns of tiles, not 4 by 32 */
    assert_number(kci_raster_distinct(&raster, KCI_BIT(0), 0, 108), 8);
    assert_number(kci_raster_distinct(&raster, KCI_BIT(1), 0, 108), 14);
}

/* ---- sharing through L2 --------------------------------------------------------------------------- */

TEST(hbm_moves_no_less_than_compulsory_and_no_more_than_l2)
{
    small_kernel s;
    kci_times times = of_cube("a100-sxm4-80gb", &s, (kci_time_options){ 0 });
    check_ledger(&s);
    assert_true(s.hbm[1].reload < s.rows[1].reload / 5);
    assert_number(times.l2_bytes, s.rows[0].read + s.rows[1].read + s.rows[2].written);
}

TEST(without_sharing_hbm_traffic_is_that_of_section_3)
{
    small_kernel s;
    kci_times shared = of_cube("a100-sxm4-80gb", &s, (kci_time_options){ 0 });
    kci_times alone = of_cube("a100-sxm4-80gb", &s, (kci_time_options){ .no_l2 = true });
    assert_memory_equal(s.hbm, s.rows, sizeof s.rows);
    assert_true(alone.time > shared.time);
    assert_int_equal(alone.bound, KCI_ROOF_HBM);
}

TEST(what_fits_in_l2_is_fetched_once)
{
    small_kernel s;
    const double small[3] = { 1024, 1024, 1024 }; /* 6 MiB in all */
    kc_device *device = named("a100-sxm4-80gb");
    small_matmul(&s, context, small, 128, 128, 32);
    timed(&s, device, true, (kci_time_options){ 0 });
    assert_number(s.hbm[0].read, 2 * 1024. * 1024);
    assert_number(s.hbm[1].read, 2 * 1024. * 1024);
    kc_release(device);
}

/* HBM bytes of A, whose 65,536 rows of 8 KiB are `distinct` different ones. */
static double gathered(const char *name, double distinct)
{
    static small_kernel s;
    const double size[3] = { 65536, 128, 4096 };
    kc_device *device = named(name);
    small_matmul(&s, context, size, 128, 128, 32);
    s.axes[0].gather = true;
    s.rows[0].compulsory = distinct * 8192;
    s.rows[0].reload = s.rows[0].read - s.rows[0].compulsory;
    timed(&s, device, true, (kci_time_options){ 0 });
    kc_release(device);
    return s.hbm[0].read;
}

TEST(rows_at_random_come_back_from_l2_as_far_as_the_distinct_ones_fit)
{
    const double all = 65536 * 8192., small = 1024 * 8192., large = 8192 * 8192.;
    assert_close(gathered("a100-sxm4-80gb", 1024), small, 1e-9); /* 8 MiB stay in half of 40 MiB */
    double moved = all + 4096 * 128 * 2. * 512 + 65536 * 128 * 2.;  /* A, B by 512 CTAs, C */
    double hit = 20 * 1024 * 1024. * all / moved / large;
    assert_close(gathered("a100-sxm4-80gb", 8192), large + (all - large) * (1 - hit), 1e-9);
    assert_number(gathered("a100-sxm4-80gb", 65536), all);
}

TEST(a_grouped_raster_saves_hbm_traffic)
{
    small_kernel s;
    const double size[3] = { 16384, 16384, 4096 };
    kc_device *device = named("a100-sxm4-80gb");
    small_matmul(&s, context, size, 128, 128, 32);
    timed(&s, device, true, (kci_time_options){ 0 });
    double plain = s.hbm[0].read + s.hbm[1].read;
    s.tiling.raster[0] = 1;
    s.tiling.raster[1] = 0;
    s.tiling.raster_group = 8;
    timed(&s, device, true, (kci_time_options){ 0 });
    assert_true(s.hbm[0].read + s.hbm[1].read < plain / 2);
    check_ledger(&s);
    kc_release(device);
}

TEST(a_warm_cache_holds_what_fits_and_the_roof_knows_it)
{
    small_kernel s;
    const double thin[3] = { 16, 2048, 2048 }; /* bound by the 8 MiB of B */
    kc_device *device = named("a100-sxm4-80gb");
    small_matmul(&s, context, thin, 16, 128, 32);
    kci_times cold = timed(&s, device, true, (kci_time_options){ 0 });
    kci_times warm = timed(&s, device, true, (kci_time_options){ .warm = true });
    assert_number(s.hbm[0].read + s.hbm[1].read, 0);
    assert_number(s.hbm[2].written, s.rows[2].written);
    assert_true(warm.time < cold.time && warm.roof_time < cold.roof_time);
    const bool only_b[3] = { false, true, false };
    timed(&s, device, true, (kci_time_options){ .warm_tensor = only_b });
    assert_number(s.hbm[0].read, s.rows[0].compulsory);
    assert_number(s.hbm[1].read, 0);
    kc_release(device);
}

TEST(spilled_accumulators_that_fit_stay_in_l2)
{
    small_kernel s;
    const double small[3] = { 1024, 1024, 1024 };
    kc_device *device = named("a100-sxm4-80gb");
    small_matmul(&s, context, small, 128, 128, 32);
    s.rows[2].spill = 8e6;
    s.rows[2].read += 4e6;
    s.rows[2].written += 4e6;
    timed(&s, device, true, (kci_time_options){ 0 });
    assert_number(s.hbm[2].spill, 0);
    assert_number(s.hbm[2].written, s.rows[2].compulsory);
    kc_release(device);
}

TEST(ctas_of_a_cluster_load_once_what_they_share)
{
    small_kernel s;
    kc_device *device = named("h100-sxm5");
    small_matmul(&s, context, cube, 128, 128, 32);
    kci_shared plain, pairs;
    kci_time_options options = { 0 };
    memcpy(s.hbm, s.rows, sizeof s.hbm);
    assert_int_equal(kci_share(&s.graph, &s.tiling, &s.counts, s.sizes, device, &options, 132, s.hbm, &plain), KC_OK);
    s.tiling.cluster[1] = 2; /* along n: loads of A, which lack n, are shared */
    memcpy(s.hbm, s.rows, sizeof s.hbm);
    assert_int_equal(kci_share(&s.graph, &s.tiling, &s.counts, s.sizes, device, &options, 132, s.hbm, &pairs), KC_OK);
    assert_number(plain.l2_read, s.rows[0].read + s.rows[1].read);
    assert_number(pairs.l2_read, s.rows[0].read / 2 + s.rows[1].read);
    s.tiling.cluster[1] = 1000; /* more than there are tiles: no more of them share */
    memcpy(s.hbm, s.rows, sizeof s.hbm);
    assert_int_equal(kci_share(&s.graph, &s.tiling, &s.counts, s.sizes, device, &options, 132, s.hbm, &pairs), KC_OK);
    assert_number(pairs.l2_read, s.rows[0].read / 32 + s.rows[1].read);
    kc_release(device);
}

TEST(runs_shorter_than_a_sector_move_whole_sectors)
{
    small_kernel s;
    kc_device *device = named("a100-sxm4-80gb");
    small_matmul(&s, context, cube, 128, 128, 8); /* A in runs of 16 bytes, B of 256 */
    assert_close(kci_sector_factor(&s.counts, device->full.hbm.sector), (2 * s.rows[0].read + s.rows[1].read) / (s.rows[0].read + s.rows[1].read), 1e-12);
    kc_release(device);
}

int main(void)
{
    begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_that_a_wave_touches_are_counted_as_by_hand),
        cmocka_unit_test(a_wave_of_an_ordinary_matmul_is_counted_exactly),
        cmocka_unit_test(a_grouped_raster_walks_runs_of_its_last_loop),
        cmocka_unit_test(hbm_moves_no_less_than_compulsory_and_no_more_than_l2),
        cmocka_unit_test(without_sharing_hbm_traffic_is_that_of_section_3),
        cmocka_unit_test(what_fits_in_l2_is_fetched_once),
        cmocka_unit_test(rows_at_random_come_back_from_l2_as_far_as_the_distinct_ones_fit),
        cmocka_unit_test(a_grouped_raster_saves_hbm_traffic),
        cmocka_unit_test(a_warm_cache_holds_what_fits_and_the_roof_knows_it),
        cmocka_unit_test(spilled_accumulators_that_fit_stay_in_l2),
        cmocka_unit_test(ctas_of_a_cluster_load_once_what_they_share),
        cmocka_unit_test(runs_shorter_than_a_sector_move_whole_sectors),
    };
    return finished(run(tests));
}
