/* test_best.c: the schedules that a tuned library would try, and the fastest of them. */
#include "timed_kernel.h"

#include "candidates.h"
#include "kernel.h"
#include "step.h"

static kc_tensor *matmul_of(const char *type, double m, double n, double k)
{
    const kc_size sizes[] = { { "m", m }, { "n", n }, { "k", k } };
    kc_dtype *dtype = kc_dtype_named(context, type);
    kc_tensor *a = kc_tensor_new(context, "A", "m k", dtype, sizes, 3), *b = kc_tensor_new(context, "B", "k n", dtype, sizes, 3);
    kc_value *x = kc_read(a, NULL, NULL, 0, 1, 0), *y = kc_read(b, NULL, NULL, 0, 1, 0);
    kc_value *product = kc_matmul(x, y, "k", NULL, NULL, NULL);
    kc_tensor *c = kc_write("C", product, NULL, NULL, NULL, NULL, 0, 1);
    void *const made[] = { dtype, a, b, x, y, product };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
    return c;
}

static kc_tensor *matmul(double m, double n, double k)
{
    return matmul_of("f16", m, n, k);
}

static double number(const kc_result *r, kc_field field)
{
    double value = -1;
    kc_result_number(r, field, &value);
    return value;
}

TEST(the_kernel_that_best_finds_takes_the_time_it_says)
{
    kc_device *device = named("h100-sxm5");
    kc_tensor *c = matmul(4096, 4096, 4096);
    kc_result *best = kc_best((kc_object *)c, device, NULL);
    kc_object *kernel = kc_result_best(best);
    assert_non_null(kernel);
    kc_result *again = kc_evaluate(kernel, device, NULL);
    assert_number(number(again, KC_TIME), number(best, KC_TIME));
    assert_true(kc_result_searched(best, NULL) > 100);
    void *const made[] = { c, best, kernel, again, device };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

/* 64 KiB of shared memory hold two stages of this tile, and not three. */
TEST(best_is_not_slower_than_a_tile_by_hand)
{
    static const char *const names[] = { "a100-sxm4-80gb", "mi300x", "t4" };
    for (size_t d = 0; d < sizeof names / sizeof *names; d++) {
        kc_device *device = named(names[d]);
        kc_tensor *c = matmul(8192, 8192, 2048);
        kc_schedule *schedule = kc_schedule_new(context);
        kc_schedule_tile(schedule, "m", 128);
        kc_schedule_tile(schedule, "n", 128);
        kc_schedule_tile(schedule, "k", 64);
        kc_schedule_stages(schedule, NULL, 2);
        kc_kernel *tiled = kc_tile((kc_object *)c, schedule);
        kc_result *by_hand = kc_evaluate((kc_object *)tiled, device, NULL), *best = kc_best((kc_object *)c, device, NULL);
        assert_non_null(by_hand);
        assert_true(number(best, KC_TIME) <= number(by_hand, KC_TIME));
        void *const made[] = { c, schedule, tiled, by_hand, best, device };
        for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
            kc_release(made[i]);
    }
}

/* A row whose length lies between two tiles of the list fits whole. */
TEST(a_row_is_tried_whole)
{
    const kc_size sizes[] = { { "m", 1000 }, { "n", 32768 } };
    kc_device *device = named("t4");
    kc_dtype *f16 = kc_dtype_named(context, "f16");
    kc_tensor *x = kc_tensor_new(context, "X", "m n", f16, sizes, 2);
    kc_value *read = kc_read(x, NULL, NULL, 0, 1, 0), *p = kc_softmax(read, "n", 0);
    kc_tensor *y = kc_write("Y", p, NULL, NULL, NULL, NULL, 0, 1);
    kc_schedule *schedule = kc_schedule_new(context);
    kc_schedule_tile(schedule, "m", 1);
    kc_schedule_tile(schedule, "n", 32768);
    kc_schedule_threads(schedule, 256);
    kc_kernel *tiled = kc_tile((kc_object *)y, schedule);
    kc_result *by_hand = kc_evaluate((kc_object *)tiled, device, NULL), *best = kc_best((kc_object *)y, device, NULL);
    assert_non_null(by_hand);
    assert_true(number(best, KC_TIME) <= number(by_hand, KC_TIME));
    void *const made[] = { device, f16, x, read, p, y, schedule, tiled, by_hand, best };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

TEST(few_tiles_and_a_long_k_are_split)
{
    kc_device *device = named("a100-sxm4-80gb");
    kc_tensor *c = matmul(64, 1024, 16384);
    kc_result *best = kc_best((kc_object *)c, device, NULL);
    assert_non_null(strstr(kc_result_schedule(best), "\"split\""));
    kc_release(best);
    kc_release(c);
    kc_release(device);
}

/* C = sum over c of s * (A[m c k] B[c k n] over k): blocks of k with scales of their own. */
static kc_tensor *in_blocks(double m, double n, double blocks, bool by_product)
{
    const kc_size sizes[] = { { "m", m }, { "n", n }, { "c", blocks }, { "k", 128 } };
    const kc_cost cost = { 1, 0 };
    kc_dtype *f8 = kc_dtype_named(context, "f8");
    kc_tensor *a = kc_tensor_new(context, "A", "m c k", f8, sizes, 4), *b = kc_tensor_new(context, "B", "c k n", f8, sizes, 4);
    kc_value *x = kc_read(a, NULL, NULL, 0, 1, 0), *y = kc_read(b, NULL, NULL, 0, 1, 0);
    kc_value *wide = by_product ? kc_retain(y) : kc_map("widen", &y, 1, &cost);
    kc_value *product = kc_matmul(x, wide, "k", NULL, NULL, NULL), *sum = kc_reduce("add", product, "c", NULL, 0, &cost);
    kc_tensor *c = kc_write("C", by_product ? sum : product, NULL, NULL, NULL, NULL, 0, 1);
    void *const made[] = { f8, a, b, x, y, wide, product, sum };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
    return c;
}

static kc_status count_persistent(void *data, kci_tiling *tiling)
{
    *(int *)data += tiling->persistent;
    return KC_OK;
}

/* Candidates of a large matmul on an A100 whose CTAs stay. */
static int persistent_ones(const char *type)
{
    kc_device *device = named("a100-sxm4-80gb");
    kc_tensor *c = matmul_of(type, 4096, 4096, 4096);
    kc_schedule *plain = kc_schedule_new(context);
    kc_kernel *kernel = kc_tile((kc_object *)c, plain);
    const double sizes[3] = { 4096, 4096, 4096 };
    int count = 0;
    assert_int_equal(kci_candidates(&kernel->graph, device, sizes, kernel->tiling, count_persistent, &count), KC_OK);
    void *const made[] = { device, c, plain, kernel };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
    return count;
}

TEST(a_cta_of_a_vector_unit_takes_one_tile)
{
    assert_true(persistent_ones("f16") > 10);
    assert_int_equal(persistent_ones("f32"), 0);
}

TEST(blocks_of_k_that_are_added_up_are_split_too)
{
    kc_device *device = named("a100-sxm4-80gb");
    kc_tensor *c = in_blocks(64, 256, 256, true);
    kc_result *best = kc_best((kc_object *)c, device, NULL);
    assert_non_null(strstr(kc_result_schedule(best), "\"split\":{\"c\":"));
    kc_release(best);
    kc_release(c);
    kc_release(device);
}

/* Vector FLOP that C's kernel executes in 64 x 64 tiles, and of them those on one operand. */
static void vector_work(kc_tensor *c, double *all, double *apart)
{
    kc_schedule *schedule = kc_schedule_new(context);
    kc_schedule_tile(schedule, "m", 64);
    kc_schedule_tile(schedule, "n", 64);
    kc_kernel *kernel = kc_tile((kc_object *)c, schedule);
    double sizes[KCI_MAX_LOOPS];
    for (size_t i = 0; i < kernel->graph.loop_count; i++)
        sizes[i] = kernel->graph.loops[i].size;
    kci_plan *plan = kci_plan_new(&kernel->graph, kernel->tiling);
    const kci_counts *counts = kci_plan_count(plan, sizes, NULL);
    assert_non_null(counts);
    *all = counts->executed_vector[0];
    *apart = counts->executed_vector_apart;
    kci_plan_free(plan);
    void *const made[] = { c, schedule, kernel };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

TEST(work_on_one_operand_is_told_from_work_on_the_product)
{
    double all, apart;
    vector_work(in_blocks(128, 128, 4, false), &all, &apart);
    assert_number(all, 2 * 4. * 128 * 128);     /* each element of B in both rows of tiles */
    assert_number(apart, all);
    vector_work(in_blocks(128, 128, 4, true), &all, &apart);
    assert_number(all, 4. * 128 * 128);
    assert_number(apart, 0);
}

TEST(of_a_program_each_kernel_is_searched)
{
    kc_device *device = named("b200");
    kc_tensor *c = matmul(512, 512, 512), *d = matmul(64, 64, 64);
    kc_object *parts[] = { (kc_object *)c, (kc_object *)d };
    kc_program *program = kc_program_new(context, "both", parts, 1);
    kc_program *twice = kc_times((kc_object *)program, 2);
    kc_result *one = kc_best(parts[0], device, NULL), *two = kc_best((kc_object *)twice, device, NULL);
    assert_number(number(two, KC_TIME), 2 * number(one, KC_TIME));
    kc_object *found = kc_result_best(two);
    assert_int_equal(kc_object_kind(found), KC_PROGRAM);
    void *const made[] = { c, d, program, twice, one, two, found, device };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

/* ---- the schedule that x came with --------------------------------------------------------------- */

static kc_kernel *tiled_by(kc_tensor *c, double m, double n, double k, double stages)
{
    kc_schedule *schedule = kc_schedule_new(context);
    kc_schedule_tile(schedule, "m", m);
    kc_schedule_tile(schedule, "n", n);
    kc_schedule_tile(schedule, "k", k);
    kc_schedule_stages(schedule, NULL, stages);
    kc_kernel *tiled = kc_tile((kc_object *)c, schedule);
    kc_release(schedule);
    return tiled;
}

TEST(what_best_found_is_kept_where_it_is_asked_again)
{
    kc_device *device = named("h100-sxm5");
    kc_tensor *c = matmul(512, 512, 512);
    kc_result *one = kc_best((kc_object *)c, device, NULL);
    kc_object *found = kc_result_best(one);
    kc_result *two = kc_best(found, device, NULL);
    kc_object *again = kc_result_best(two);
    assert_ptr_equal(found, again);
    assert_number(kc_result_searched(two, NULL), kc_result_searched(one, NULL) + 1);
    void *const made[] = { device, c, one, found, two, again };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

/* 192 x 128 is in no list: one wave of 108 cores, where each tile that is takes more. */
TEST(a_schedule_that_no_library_has_is_kept_where_it_is_faster)
{
    kc_device *device = named("a100-sxm4-80gb");
    kc_tensor *c = matmul(192 * 9, 128 * 12, 8192);
    kc_kernel *own = tiled_by(c, 192, 128, 64, 4);
    kc_result *plain = kc_best((kc_object *)c, device, NULL), *mine = kc_evaluate((kc_object *)own, device, NULL);
    kc_result *best = kc_best((kc_object *)own, device, NULL);
    assert_true(number(mine, KC_TIME) < number(plain, KC_TIME));
    assert_number(number(best, KC_TIME), number(mine, KC_TIME));
    void *const made[] = { device, c, own, plain, mine, best };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

TEST(a_schedule_that_does_not_run_is_replaced)
{
    kc_device *device = named("t4");
    kc_tensor *c = matmul(4096, 4096, 4096);
    kc_kernel *own = tiled_by(c, 256, 256, 256, 4);
    kc_result *best = kc_best((kc_object *)own, device, NULL), *plain = kc_best((kc_object *)c, device, NULL);
    assert_null(kc_evaluate((kc_object *)own, device, NULL));
    assert_number(number(best, KC_TIME), number(plain, KC_TIME));
    void *const made[] = { device, c, own, best, plain };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

/* Members that share a grid: the fastest tile of each by itself need not be that of all together. */
TEST(a_group_is_not_slower_than_it_came)
{
    kc_device *device = named("h100-sxm5");
    for (double m = 64; m <= 1024; m += 192) {
        kc_tensor *c = matmul(m, 4096, 4096), *d = matmul(1088 - m, 4096, 4096);
        kc_kernel *one = tiled_by(c, 128, 128, 64, 4), *two = tiled_by(d, 128, 128, 64, 4);
        kc_object *members[] = { (kc_object *)one, (kc_object *)two };
        kc_kernel *group = kc_group(context, "both", members, 2);
        kc_result *own = kc_evaluate((kc_object *)group, device, NULL), *best = kc_best((kc_object *)group, device, NULL);
        assert_true(number(best, KC_TIME) <= number(own, KC_TIME));
        void *const made[] = { c, d, one, two, group, own, best };
        for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
            kc_release(made[i]);
    }
    kc_release(device);
}

/* Y[t] = X[t,k] W[e(t),k,n]: `rows` matrices W, one of which data chooses for each t. */
static kc_tensor *chosen(double tokens, double rows)
{
    const kc_size sizes[] = { { "t", tokens }, { "e", rows }, { "k", 512 }, { "n", 1024 } };
    kc_dtype *f16 = kc_dtype_named(context, "f16");
    kc_tensor *x = kc_tensor_new(context, "X", "t k", f16, sizes, 4), *w = kc_tensor_new(context, "W", "e k n", f16, sizes, 4);
    kc_value *a = kc_read(x, NULL, NULL, 0, 1, 0), *b = kc_read(w, "[t] k n", sizes, 4, 1, 0);
    kc_value *product = kc_matmul(a, b, "k", NULL, NULL, NULL);
    kc_tensor *y = kc_write("Y", product, NULL, NULL, NULL, NULL, 0, 1);
    void *const made[] = { f16, x, w, a, b, product };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
    return y;
}

TEST(rows_that_data_gives_a_matrix_have_no_tile_of_their_own)
{
    kc_device *device = named("h100-sxm5");
    kc_tensor *few = chosen(4096, 8), *own = chosen(64, 64); /* 512 rows a matrix; one */
    kc_result *r = kc_best((kc_object *)few, device, NULL), *untiled = kc_evaluate((kc_object *)few, device, NULL);
    assert_number(number(r, KC_TIME), number(untiled, KC_TIME));
    assert_number(kc_result_searched(r, NULL), 0);
    assert_non_null(strstr(kc_result_note(r, 0), "rows sorted by it are a group of matmuls"));
    kc_result *each = kc_best((kc_object *)own, device, NULL);
    assert_true(kc_result_searched(each, NULL) > 10);
    void *const made[] = { device, few, own, r, untiled, each };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

/* ---- what is tried ---------------------------------------------------------------------------------- */

/* dW[f,c] = sum over n, p of dY[n,f,p] X[n,c,p]: few tiles, much to add up. */
TEST(a_sum_over_several_dims_is_split_over_several)
{
    const kc_size sizes[] = { { "n", 32 }, { "p", 4096 }, { "f", 64 }, { "c", 64 } };
    kc_device *device = named("h100-sxm5");
    kc_dtype *f16 = kc_dtype_named(context, "f16");
    kc_tensor *y = kc_tensor_new(context, "dY", "n f p", f16, sizes, 4), *x = kc_tensor_new(context, "X", "n c p", f16, sizes, 4);
    kc_value *a = kc_read(y, NULL, NULL, 0, 1, 0), *b = kc_read(x, NULL, NULL, 0, 1, 0);
    kc_value *product = kc_matmul(a, b, "n p", NULL, NULL, NULL);
    kc_tensor *w = kc_write("dW", product, NULL, NULL, NULL, NULL, 0, 1);
    kc_result *best = kc_best((kc_object *)w, device, NULL);
    double ways = 0;
    assert_int_equal(kc_result_schedule_number(best, "split.n", &ways), KC_OK);
    assert_true(ways > 1 && number(best, KC_CTAS) >= 64);
    assert_true(number(best, KC_TIME) < 4 * number(best, KC_ROOF_TIME));
    void *const made[] = { device, f16, y, x, a, b, product, w, best };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

/* O = softmax(Q K) K of heads 512 wide: on 64 KiB Q is in registers. */
TEST(wide_heads_run_where_shared_memory_is_small)
{
    const kc_size sizes[] = { { "h", 64 }, { "j", 4096 }, { "c", 512 } };
    kc_device *device = named("mi300x");
    kc_dtype *f16 = kc_dtype_named(context, "f16");
    kc_tensor *q = kc_tensor_new(context, "Q", "h c", f16, sizes, 3), *k = kc_tensor_new(context, "K", "j c", f16, sizes, 3);
    kc_value *a = kc_read(q, NULL, NULL, 0, 1, 0), *b = kc_read(k, NULL, NULL, 0, 1, 0);
    kc_value *scores = kc_matmul(a, b, "c", NULL, NULL, NULL), *p = kc_softmax(scores, "j", 1);
    kc_value *out = kc_matmul(p, b, "j", NULL, NULL, NULL);
    kc_tensor *o = kc_write("O", out, NULL, NULL, NULL, NULL, 0, 1);
    kc_result *best = kc_best((kc_object *)o, device, NULL);
    assert_non_null(best);
    assert_non_null(strstr(kc_result_schedule(best), "\"place\":{\"Q\":\"registers\"}"));
    void *const made[] = { device, f16, q, k, a, b, scores, p, out, o, best };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

/* The largest of each row: t is no dim of what is read, and no reason to cut the row. */
TEST(a_dim_that_is_only_made_is_whole)
{
    const kc_size sizes[] = { { "m", 4 }, { "n", 131072 }, { "t", 64 } };
    const kc_cost cost = { 1, 0 };
    kc_device *device = named("h100-sxm5");
    kc_dtype *f32 = kc_dtype_named(context, "f32");
    kc_tensor *x = kc_tensor_new(context, "X", "m n", f32, sizes, 2);
    kc_value *read = kc_read(x, NULL, NULL, 0, 1, 0), *top = kc_reduce("topk", read, "n", sizes + 2, 1, &cost);
    kc_tensor *y = kc_write("Y", top, NULL, NULL, NULL, NULL, 0, 1);
    kc_result *best = kc_best((kc_object *)y, device, NULL);
    double tile = 0;
    assert_int_equal(kc_result_schedule_number(best, "tile.t", &tile), KC_OK);
    assert_number(tile, 64);
    void *const made[] = { device, f32, x, read, top, y, best };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

TEST(a_result_without_a_search_has_no_best)
{
    kc_device *device = named("a100-sxm4-80gb");
    kc_tensor *c = matmul(64, 64, 64);
    kc_result *r = kc_evaluate((kc_object *)c, device, NULL);
    assert_null(kc_result_best(r));
    assert_number(kc_result_searched(r, NULL), 0);
    assert_null(kc_best((kc_object *)c, NULL, NULL));
    kc_release(r);
    kc_release(c);
    kc_release(device);
}

/* ---- what the search prices -------------------------------------------------------------------------- */

static const kci_supply plenty = {
    .cores = 100, .hbm = 1e12, .l2 = 5e12, .port = 1e11, .in_flight = 1e5, .depth = 3,
    .hbm_latency = 1e-6, .l2_latency = 2e-7, .dispatch = 1e9,
};

/* Each CTA reads whole sectors of every row, though it sums over them. */
TEST(a_sum_over_an_outer_dim_reads_at_the_bandwidth)
{
    const kc_size sizes[] = { { "m", 128 }, { "r", 4096 }, { "n", 4096 } };
    const kc_cost cost = { 1, 0 };
    kc_device *device = named("l40s");
    kc_dtype *f32 = kc_dtype_named(context, "f32");
    kc_tensor *x = kc_tensor_new(context, "X", "m r n", f32, sizes, 3);
    kc_value *read = kc_read(x, NULL, NULL, 0, 1, 0), *sum = kc_reduce("sum", read, "r", NULL, 0, &cost);
    kc_tensor *z = kc_write("Z", sum, f32, NULL, NULL, NULL, 0, 1);
    kc_result *best = kc_best((kc_object *)z, device, NULL);
    assert_true(number(best, KC_TIME) < 4. * 128 * 4096 * 4096 / 864e9 / 0.7);
    void *const made[] = { f32, x, read, sum, z, best, device };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
}

TEST(stream_k_shares_the_steps_of_a_last_wave)
{
    const kci_cta_cost cta = { .matrix = 1e-5, .hbm_read = 1e4, .l2_read = 1e5, .l2_written = 1e4, .first = 0.05, .steps = 20,
                               .chain = 1e-6 };
    kci_body rows = kci_body_of(&cta, &plenty, KCI_OVERLAP_LOAD, 110, 1, true, false);
    kci_body shared = kci_stream_body(&cta, &plenty, KCI_OVERLAP_LOAD, 110, 1, 65536);
    assert_true(shared.total < 0.85 * rows.total);
    /* nothing is cut when tiles divide evenly */
    assert_true(kci_stream_body(&cta, &plenty, KCI_OVERLAP_LOAD, 200, 1, 65536).total <=
                kci_stream_body(&cta, &plenty, KCI_OVERLAP_LOAD, 201, 1, 65536).total);
}

TEST(specialised_warps_hide_the_store_behind_the_next_tile)
{
    kci_cta_cost cta = { .matrix = 1e-5, .hbm_read = 1e4, .l2_read = 1e5, .l2_written = 1e6, .hbm_written = 1e5, .first = 0.5,
                         .steps = 2, .chain = 1e-6 };
    double plain = kci_body_of(&cta, &plenty, KCI_OVERLAP_LOAD, 1000, 1, false, false).total;
    double mixed = kci_body_of(&cta, &plenty, KCI_OVERLAP_LOAD, 1000, 1, true, false).total;
    cta.specialised = true;
    double hidden = kci_body_of(&cta, &plenty, KCI_OVERLAP_LOAD, 1000, 1, true, false).total;
    assert_true(hidden < mixed && mixed < plain);
}

TEST(what_prepares_an_operand_runs_beside_the_matmul)
{
    kci_cta_cost cta = { .matrix = 1e-4, .vector = 5e-5, .hide = 0.1, .steps = 10 };
    double after = kci_row_of(&cta, &plenty, KCI_OVERLAP_LOAD, 1, 100, false).total;
    assert_close(after, 1e-4 + 0.9 * 5e-5, 1e-9);
    cta.ahead = cta.vector;
    assert_close(kci_row_of(&cta, &plenty, KCI_OVERLAP_LOAD, 1, 100, false).total, 1e-4, 1e-9);
    cta.vector = cta.ahead = 2e-4; /* unless it takes longer */
    assert_close(kci_row_of(&cta, &plenty, KCI_OVERLAP_LOAD, 1, 100, false).total, 2e-4, 1e-9);
}

TEST(a_step_waits_for_its_tile_and_for_its_own_instructions)
{
    kc_device *h100 = named("h100-sxm5"), *a100 = named("a100-sxm4-80gb");
    struct kci_matmul_count mm = { .math = KCI_F16, .executions = 160, .m = 64, .n = 64, .k = 64, .a_bytes = 2, .b_bytes = 2 };
    kci_counts counts = { .matmuls = &mm, .matmul_count = 1, .ctas = 16, .steps = 10 };
    assert_number(kci_step_pause(&counts, h100, NULL), 60 + 4 * 35); /* four instructions of k = 16 */
    assert_number(kci_step_pause(&counts, a100, NULL), 60 + 4 * 85);
    mm.vector = true;
    assert_number(kci_step_pause(&counts, h100, NULL), 60);
    kci_cta_cost cta = { .matrix = 1e-6, .steps = 10, .pause = 2e-7 };
    assert_close(kci_row_of(&cta, &plenty, KCI_OVERLAP_LOAD, 1, 100, false).total, 9 * 2e-7 + 1e-7, 1e-9);
    /* four CTAs of a core fill each other's pauses */
    assert_close(kci_row_of(&cta, &plenty, KCI_OVERLAP_LOAD, 4, 400, false).total, 4e-6, 1e-9);
    kc_release(h100);
    kc_release(a100);
}

TEST(one_access_at_a_time_is_slower_than_several)
{
    kci_supply few = plenty, many = plenty;
    const kci_cta_cost cta = { .hbm_read = 1e6, .l2_read = 1e6, .l2_written = 1e6, .hbm_written = 1e6, .steps = 1, .chain = 1e-6 };
    few.hbm = many.hbm = 1e15;
    few.in_flight = 1e3;
    few.turn = 1e-7;
    double slow = kci_streaming_body(&cta, &few, 1e4, 8, false).total;
    assert_close(slow, 1e-6 + 1e4 * 1e6 * 1.1e-6 / (800 * 1e3), 1e-9); /* bytes * (latency + turn) / in flight */
    assert_true(kci_streaming_body(&cta, &many, 1e4, 8, false).total < slow);
}

TEST(where_latency_and_bandwidth_take_as_long_requests_queue)
{
    kci_supply s = plenty;
    const kci_cta_cost cta = { .hbm_read = 1e6, .l2_read = 1e6, .steps = 1, .chain = 1e-6 };
    s.in_flight = 1e3;
    double wait = 1e4 * 1e6 * 1e-6 / (800 * 1e3), both = wait * pow(2, 0.2);
    s.hbm = 1e4 * 1e6 / wait;
    assert_close(kci_streaming_body(&cta, &s, 1e4, 8, false).total, 1e-6 + both, 1e-9);
    s.hbm *= 1000;
    assert_close(kci_streaming_body(&cta, &s, 1e4, 8, false).total, 1e-6 + wait, 1e-9);
}

TEST(a_scalar_loop_takes_as_long_as_its_instructions_issue)
{
    kci_supply s = plenty;
    kci_cta_cost cta = { .hbm_read = 1, .l2_read = 1, .steps = 1, .chain = 1e-6, .issue = 1e-5 };
    assert_close(kci_streaming_body(&cta, &s, 100 * s.cores, 1, false).total, 1e-6 + 100 * 1e-5, 1e-9);
    cta.issue = 0;
    assert_true(kci_streaming_body(&cta, &s, 100 * s.cores, 1, false).total < 2e-4);
}

TEST(a_map_on_an_accumulator_runs_on_whole_fragments)
{
    kc_device *a100 = named("a100-sxm4-80gb");
    struct kci_matmul_count mm = { .math = KCI_F16, .executions = 1, .m = 1, .n = 64, .k = 128, .a_bytes = 2, .b_bytes = 2 };
    kci_counts counts = { .matmuls = &mm, .matmul_count = 1 };
    assert_number(kci_fragment_rounding(&counts, a100), 8); /* one row swapped: a column of 8 */
    mm.m = 16;
    assert_number(kci_fragment_rounding(&counts, a100), 1);
    kc_release(a100);
}

int main(void)
{
    begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_that_best_finds_takes_the_time_it_says),
        cmocka_unit_test(best_is_not_slower_than_a_tile_by_hand),
        cmocka_unit_test(a_row_is_tried_whole),
        cmocka_unit_test(few_tiles_and_a_long_k_are_split),
        cmocka_unit_test(a_cta_of_a_vector_unit_takes_one_tile),
        cmocka_unit_test(blocks_of_k_that_are_added_up_are_split_too),
        cmocka_unit_test(work_on_one_operand_is_told_from_work_on_the_product),
        cmocka_unit_test(of_a_program_each_kernel_is_searched),
        cmocka_unit_test(what_best_found_is_kept_where_it_is_asked_again),
        cmocka_unit_test(a_schedule_that_no_library_has_is_kept_where_it_is_faster),
        cmocka_unit_test(a_schedule_that_does_not_run_is_replaced),
        cmocka_unit_test(a_group_is_not_slower_than_it_came),
        cmocka_unit_test(rows_that_data_gives_a_matrix_have_no_tile_of_their_own),
        cmocka_unit_test(a_sum_over_several_dims_is_split_over_several),
        cmocka_unit_test(wide_heads_run_where_shared_memory_is_small),
        cmocka_unit_test(a_dim_that_is_only_made_is_whole),
        cmocka_unit_test(a_result_without_a_search_has_no_best),
        cmocka_unit_test(a_sum_over_an_outer_dim_reads_at_the_bandwidth),
        cmocka_unit_test(stream_k_shares_the_steps_of_a_last_wave),
        cmocka_unit_test(specialised_warps_hide_the_store_behind_the_next_tile),
        cmocka_unit_test(what_prepares_an_operand_runs_beside_the_matmul),
        cmocka_unit_test(a_step_waits_for_its_tile_and_for_its_own_instructions),
        cmocka_unit_test(one_access_at_a_time_is_slower_than_several),
        cmocka_unit_test(where_latency_and_bandwidth_take_as_long_requests_queue),
        cmocka_unit_test(a_scalar_loop_takes_as_long_as_its_instructions_issue),
        cmocka_unit_test(a_map_on_an_accumulator_runs_on_whole_fragments),
    };
    return finished(run(tests));
}
