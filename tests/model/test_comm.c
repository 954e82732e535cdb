/* test_comm.c: collectives between devices: bytes on the link, steps, times, and what they refuse. */
#include "unit.h"

#include <math.h>

#include "kcost.h"

static kc_context *context;
static kc_device *device;               /* a link of 100 GB/s, 1 us a step, nothing else in the way */
static kc_dtype *f16;

static const double RANKS = 8, M = 1024, N = 512;

static kc_tensor *matrix(void)
{
    const kc_size sizes[] = { { "m", M }, { "n", N } };
    return kc_tensor_new(context, "X", "m n", f16, sizes, 2);
}

static kc_tensor *made(const char *what, double ranks, const char *algorithm)
{
    kc_tensor *x = matrix(), *y = kc_comm(what, x, ranks, NULL, algorithm, NULL);
    kc_release(x);
    return y;
}

static double number(const kc_result *r, kc_field field)
{
    double value = NAN;
    assert_int_equal(kc_result_number(r, field, &value), KC_OK);
    return value;
}

static const double S = 1024 * 512 * 2;

/* Name, bytes and steps of ring and tree, elements of the result over those of X. */
static const struct { const char *what; double ring, ring_steps, tree, tree_steps, grows; } table[] = {
    { "allreduce", 2 * 7. / 8 * 1048576, 14, 2 * 1048576., 6, 1 },
    { "allgather", 7 * 1048576., 7, 7 * 1048576., 3, 8 },
    { "reducescatter", 7. / 8 * 1048576, 7, 7. / 8 * 1048576, 3, 1. / 8 },
    { "alltoall", 7. / 8 * 1048576, 1, 3 * 1048576. / 2, 3, 1 },
    { "broadcast", 1048576, 7, 1048576, 3, 1 },
    { "sendrecv", 1048576, 1, 1048576, 1, 1 },
};
enum { KINDS = sizeof table / sizeof *table };

TEST(bytes_and_steps_are_the_closed_forms)
{
    for (size_t i = 0; i < KINDS; i++)
        for (int tree = 0; tree < 2; tree++) {
            kc_tensor *y = made(table[i].what, RANKS, tree ? "tree" : "ring");
            kc_result *r = kc_count((kc_object *)y, NULL);
            assert_non_null(r);
            assert_number(number(r, KC_LINK_BYTES), tree ? table[i].tree : table[i].ring);
            assert_number(number(r, KC_LINK_STEPS), tree ? table[i].tree_steps : table[i].ring_steps);
            assert_number(number(r, KC_BYTES_READ), S);
            assert_number(number(r, KC_BYTES_WRITTEN), S * table[i].grows);
            assert_number(number(r, KC_FLOPS), 0);
            assert_number(kc_tensor_size(y, 0), M * table[i].grows);
            assert_number(kc_tensor_size(y, 1), N);
            double steps;
            assert_int_equal(kc_verify((kc_object *)y, &steps), KC_OK);
            kc_release(r);
            kc_release(y);
        }
}

TEST(the_link_takes_its_latencies_and_its_bytes)
{
    for (size_t i = 0; i < KINDS; i++) {
        kc_tensor *y = made(table[i].what, RANKS, NULL);
        kc_options *options = kc_options_new(context);
        kc_options_set_text(options, "launch", "none");
        kc_result *r = kc_evaluate((kc_object *)y, device, options);
        double seconds = table[i].ring_steps * 1e-6 + table[i].ring / 100e9;
        assert_close(number(r, KC_TIME_LINK), seconds, 1e-12);
        assert_close(number(r, KC_TIME), seconds, 1e-12);
        assert_close(number(r, KC_ROOF_TIME), table[i].ring / 100e9, 1e-12);
        assert_true(number(r, KC_ROOF_TIME) <= number(r, KC_TIME) && number(r, KC_TIME) <= number(r, KC_SERIAL_TIME));
        assert_string_equal(kc_result_bound(r), "link");
        assert_string_equal(kc_result_class(r), "communication-bound");
        kc_release(r);
        kc_release(options);
        kc_release(y);
    }
}

TEST(few_ranks_reach_only_their_own_links)
{
    kc_device *mesh = kc_device_new(context, device);
    kc_device_set(mesh, "link.peer", 20e9);
    assert_int_equal(kc_device_seal(mesh), KC_OK);
    static const struct { double ranks, rate; } cases[] = { { 2, 20e9 }, { 4, 60e9 }, { 8, 100e9 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kc_tensor *y = made("allreduce", cases[i].ranks, "ring");
        kc_result *r = kc_evaluate((kc_object *)y, mesh, NULL);
        double bytes = 2 * (cases[i].ranks - 1) / cases[i].ranks * S, steps = 2 * (cases[i].ranks - 1);
        assert_close(number(r, KC_TIME_LINK), steps * 1e-6 + bytes / cases[i].rate, 1e-12);
        kc_release(r);
        kc_release(y);
    }
    kc_release(mesh);
}

TEST(one_rank_sends_nothing)
{
    for (size_t i = 0; i < KINDS; i++) {
        kc_tensor *y = made(table[i].what, 1, "tree");
        kc_result *r = kc_evaluate((kc_object *)y, device, NULL);
        assert_number(number(r, KC_LINK_BYTES), 0);
        assert_number(number(r, KC_TIME_LINK), 0);
        kc_release(r);
        kc_release(y);
    }
}

TEST(trees_of_any_number_of_ranks_round_their_levels_up)
{
    kc_tensor *y = made("broadcast", 9, "tree");
    kc_result *r = kc_count((kc_object *)y, NULL);
    assert_number(number(r, KC_LINK_STEPS), 4);
    kc_release(r);
    kc_release(y);
}

/* X is written; then gathered along n; resized as a whole. */
TEST(a_resized_gather_follows_what_it_gathers)
{
    kc_tensor *x = matrix();
    kc_value *read = kc_read(x, NULL, NULL, 0, 1, 0);
    kc_tensor *w = kc_write("W", read, NULL, NULL, NULL, NULL, 0, 1);
    kc_tensor *y = kc_comm("allgather", w, 4, "n", NULL, "Y");
    assert_string_equal(kc_object_name((kc_object *)y), "Y");
    const kc_size sizes[] = { { "n", 100 }, { "m", 50 } };
    kc_tensor *resized = (kc_tensor *)kc_resized((kc_object *)y, sizes, 2);
    assert_non_null(resized);
    assert_number(kc_tensor_size(resized, 0), 50);
    assert_number(kc_tensor_size(resized, 1), 400);
    kc_result *r = kc_count((kc_object *)resized, NULL);
    assert_number(number(r, KC_LINK_BYTES), 3. / 4 * 50 * 400 * 2);
    const char *from[] = { "n" }, *to[] = { "k" };
    kc_tensor *renamed = (kc_tensor *)kc_renamed((kc_object *)y, from, to, 1);
    assert_string_equal(kc_tensor_dim(renamed, 1), "k");
    assert_number(kc_tensor_size(renamed, 1), 4 * N);
    void *const list[] = { x, read, w, y, resized, r, renamed };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        kc_release(list[i]);
}

TEST(its_result_says_what_is_sent_and_how_long_that_takes)
{
    kc_tensor *y = made("allreduce", RANKS, NULL);
    kc_result *r = kc_evaluate((kc_object *)y, device, NULL);
    assert_contains(kc_result_formula(r, "times.link"), "1835008 B / (100 GB/s x 1 sustained) + 14 steps x 1.00 us = 32.4 us");
    assert_contains(kc_result_formula(r, "link_bytes"), "2 x (p - 1) / p x S, p = 8 ranks, S = 1048576 B = 1835008");
    assert_contains(kc_result_explain(r), "Over the link one device sends 1.84 MB in 14 steps");
    assert_contains(kc_json((kc_object *)r), "\"link_bytes\":1835008,\"link_steps\":14");
    assert_contains(kc_csv((kc_object *)r, 0), "link_bytes,link_steps");
    kc_kernel *kernel = kc_kernel_new(context, NULL, &y, 1);
    assert_string_equal(kc_kernel_comm(kernel), "allreduce");
    assert_contains(kc_object_text((kc_object *)kernel), "allreduce of 8 ranks, ring");
    kc_release(kernel);
    kc_release(r);
    kc_release(y);
}

static void refused(void *made_object, const char *why)
{
    assert_null(made_object);
    assert_contains(kc_context_message(context), why);
}

TEST(it_stands_alone_and_has_no_tiles)
{
    kc_tensor *x = matrix(), *y = made("allreduce", RANKS, NULL);
    kc_value *read = kc_read(y, NULL, NULL, 0, 1, 0);
    kc_tensor *z = kc_write("Z", read, NULL, NULL, NULL, NULL, 0, 1);
    kc_object *const both[] = { (kc_object *)y, (kc_object *)z };
    kc_tensor *const tensors[] = { y, z };
    kc_schedule *schedule = kc_schedule_new(context);
    refused(kc_fuse(context, "f", both, 2, NULL, 0), "'f' would hold X.allreduce with other work");
    refused(kc_kernel_new(context, "k", tensors, 2), "is a kernel of its own");
    refused(kc_group(context, "g", both, 2), "shares no launch");
    refused(kc_tile((kc_object *)y, schedule), "it has no tiles");
    refused(kc_comm("sum", x, 2, NULL, NULL, NULL), "there is no 'sum'");
    refused(kc_comm("allreduce", x, 0.5, NULL, NULL, NULL), "ranks must be a whole number of devices, at least 1, not 0.5");
    refused(kc_comm("allreduce", x, NAN, NULL, NULL, NULL), "not nan");
    refused(kc_comm("allreduce", x, 2, NULL, "mesh", NULL), "must be \"ring\" or \"tree\", not 'mesh'");
    refused(kc_comm("allreduce", x, 2, "m", NULL, NULL), "over is for allgather and reducescatter");
    refused(kc_comm("allgather", x, 2, "k", NULL, NULL), "X has no dim 'k' to go over; it has m n");
    refused(kc_comm("reducescatter", x, 3, NULL, NULL, NULL), "'m' of X is 1024, which 3 ranks can't share evenly");
    refused(kc_comm("allgather", x, 9e15, NULL, NULL, NULL), "below 2^53");
    assert_null(kc_comm("allreduce", NULL, 2, NULL, NULL, NULL));
    void *const list[] = { x, y, read, z, schedule };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        kc_release(list[i]);
}

TEST(a_device_without_a_link_runs_none)
{
    kc_device *lone = kc_device_named(context, "rtx-4090");
    kc_tensor *y = made("allreduce", RANKS, NULL);
    refused(kc_evaluate((kc_object *)y, lone, NULL), "needs link.bandwidth, which the device does not state");
    assert_int_equal(kc_context_status(context), KC_EDEVICE);
    kc_release(y);
    kc_release(lone);
}

TEST(best_and_sweeps_take_it_as_it_is)
{
    kc_device *h100 = kc_device_named(context, "h100-sxm5");
    kc_tensor *y = made("allreduce", RANKS, NULL);
    kc_result *plain = kc_evaluate((kc_object *)y, h100, NULL), *best = kc_best((kc_object *)y, h100, NULL);
    assert_number(number(best, KC_TIME), number(plain, KC_TIME));
    kc_space *space = kc_space_new((kc_object *)y);
    const double bandwidths[] = { 100e9, 450e9 }, sizes[] = { 2048 };
    kc_space_device(space, h100);
    kc_space_numbers(space, "link.bandwidth", bandwidths, 2);
    kc_space_numbers(space, "size.m", sizes, 1);
    kc_space_field(space, "times.link");
    kc_space_field(space, "link_bytes");
    kc_sweep *sweep = kc_space_sweep(space, 1, NULL, NULL);
    assert_non_null(sweep);
    size_t column = kc_sweep_axes(sweep);
    double time, bytes;
    for (size_t row = 0; row < 2; row++) {
        assert_int_equal(kc_sweep_number(sweep, row, column, &time), KC_OK);
        assert_int_equal(kc_sweep_number(sweep, row, column + 1, &bytes), KC_OK);
        assert_number(bytes, 2 * 2 * 7. / 8 * S);
        assert_close(time, 14 * 1e-6 + bytes / bandwidths[row] / 0.7, 1e-12);
    }
    void *const list[] = { h100, y, plain, best, space, sweep };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        kc_release(list[i]);
}

int main(void)
{
    context = kc_context_new(NULL, NULL);
    f16 = kc_dtype_named(context, "f16");
    device = kc_device_new(context, NULL);
    kc_device_set_text(device, "name", "plain");
    kc_device_set(device, "hbm.bandwidth", 100e12);
    kc_device_set(device, "matrix.f16", 1e15);
    kc_device_set(device, "link.bandwidth", 100e9);
    kc_device_set(device, "link.latency", 1e-6);
    kc_device_set(device, "sustained.link", 1);
    kc_device_set(device, "link.fixed", 0);
    kc_device_seal(device);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_steps_are_the_closed_forms),
        cmocka_unit_test(the_link_takes_its_latencies_and_its_bytes),
        cmocka_unit_test(few_ranks_reach_only_their_own_links),
        cmocka_unit_test(one_rank_sends_nothing),
        cmocka_unit_test(trees_of_any_number_of_ranks_round_their_levels_up),
        cmocka_unit_test(a_resized_gather_follows_what_it_gathers),
        cmocka_unit_test(its_result_says_what_is_sent_and_how_long_that_takes),
        cmocka_unit_test(it_stands_alone_and_has_no_tiles),
        cmocka_unit_test(a_device_without_a_link_runs_none),
        cmocka_unit_test(best_and_sweeps_take_it_as_it_is),
    };
    int failed = run(tests);
    kc_release(device);
    kc_release(f16);
    kc_context_free(context);
    return failed;
}
