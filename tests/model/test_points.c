/* test_points.c: one x at points that the caller chooses, as columns: kc_evaluator. */
#include "workbench.h"

enum { POINTS = 100, FIELDS = 6 };

static const kc_field fields[FIELDS] = { KC_TIME, KC_SERIAL_TIME, KC_BYTES, KC_SMEM, KC_OCCUPANCY, KC_TIME_HBM };

static kc_tensor *product(const char *name, double m, double n, double k)
{
    char left[64], right[64];
    snprintf(left, sizeof left, "m=%.0f k=%.0f", m, k);
    snprintf(right, sizeof right, "k=%.0f n=%.0f", k, n);
    return write_of(name, matmul(read_of(tensor("A", left, "f16")), read_of(tensor("B", right, "f16")), "k"));
}

static kc_device *device_of(const char *name)
{
    return keep(kc_device_named(context, name));
}

static double of(const kc_result *r, kc_field field)
{
    double value = NAN;
    return kc_result_number(r, field, &value) == KC_OK ? value : NAN;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Columns of an evaluator, and where its answers go. */
static double in[4][POINTS], out[FIELDS][POINTS];
static kc_status statuses[POINTS];

static kc_status run_points(kc_evaluator *e, size_t points)
{
    const double *columns[] = { in[0], in[1], in[2], in[3] };
    double *answers[] = { out[0], out[1], out[2], out[3], out[4], out[5] };
    return kc_evaluator_run(e, points, columns, answers, statuses);
}

TEST(a_point_is_what_evaluate_says_to_the_last_bit)
{
    static const char *const axes[] = { "tile.n", "size.m k", "stages", "tile.m" };
    static const double tiles[] = { 16, 32, 64, 128, 256 }, sizes[] = { 512, 1000, 4096 };
    kc_tensor *c = product("C", 2048, 2048, 2048);
    kc_device *h100 = device_of("h100-sxm5");
    kc_evaluator *e = keep(kc_evaluator_new(object(c), h100, NULL, axes, 4, fields, FIELDS));
    for (size_t p = 0; p < POINTS; p++) {
        in[0][p] = tiles[(size_t)chance(0, 4)];
        in[1][p] = sizes[(size_t)chance(0, 2)];
        in[2][p] = chance(1, 4);
        in[3][p] = tiles[(size_t)chance(0, 4)];
    }
    assert_int_equal(run_points(e, POINTS), KC_OK);
    assert_text(kc_object_text(object(e)), "evaluator of C over device, size.m, size.k, stages, tile.m, tile.n");
    for (size_t p = 0; p < POINTS; p++) {
        const kc_size size[] = { { "m", in[1][p] }, { "k", in[1][p] } };
        kc_object *resized = kc_resized(object(c), size, 2);
        kc_schedule *s = kc_schedule_new(context);
        kc_schedule_tile(s, "m", in[3][p]);
        kc_schedule_tile(s, "n", in[0][p]);
        kc_schedule_stages(s, NULL, in[2][p]);
        kc_kernel *tiled = kc_tile(resized, s);
        kc_result *r = kc_evaluate(object(tiled), h100, NULL);
        assert_int_equal(statuses[p], r ? KC_OK : KC_EDEVICE);
        for (size_t f = 0; f < FIELDS; f++)
            assert_true(same(out[f][p], of(r, fields[f])));
        void *const made[] = { r, tiled, s, resized };
        for (size_t i = 0; i < sizeof made / sizeof *made; i++)
            kc_release(made[i]);
    }
}

TEST(figures_of_the_device_vary_too)
{
    static const char *const axes[] = { "hbm.bandwidth" };
    kc_tensor *c = product("C", 64, 8192, 8192);
    kc_device *h100 = device_of("h100-sxm5");
    kc_evaluator *e = keep(kc_evaluator_new(object(c), h100, NULL, axes, 1, fields, FIELDS));
    in[0][0] = 3.352e12, in[0][1] = 4.8e12;
    assert_int_equal(run_points(e, 2), KC_OK);
    kc_device *faster = keep(kc_device_new(context, h100));
    assert_int_equal(kc_device_set(faster, "hbm.bandwidth", 4.8e12), KC_OK);
    assert_int_equal(kc_device_seal(faster), KC_OK);
    assert_number(out[0][0], of(keep(kc_evaluate(object(c), h100, NULL)), KC_TIME));
    assert_number(out[0][1], of(keep(kc_evaluate(object(c), faster, NULL)), KC_TIME));
    assert_true(out[0][1] < out[0][0]);
}

TEST(a_program_adds_up_its_kernels)
{
    static const char *const axes[] = { "tile.m" };
    kc_tensor *c = product("C", 1024, 128, 64), *d = product("D", 512, 64, 64);
    kc_object *parts[] = { object(c), object(d) };
    kc_program *two = keep(kc_program_new(context, "two", parts, 2));
    kc_device *h100 = device_of("h100-sxm5");
    in[0][0] = 64;
    assert_int_equal(run_points(keep(kc_evaluator_new(object(two), h100, NULL, axes, 1, fields, FIELDS)), 1), KC_OK);
    double time = out[0][0], sum = 0;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run_points(keep(kc_evaluator_new(parts[i], h100, NULL, axes, 1, fields, FIELDS)), 1), KC_OK);
        sum += out[0][0];
    }
    assert_number(time, sum);
}

TEST(without_a_device_points_are_counted)
{
    static const char *const axes[] = { "tile.m" };
    kc_evaluator *e = keep(kc_evaluator_new(object(product("C", 1024, 1024, 512)), NULL, NULL, axes, 1, fields, FIELDS));
    in[0][0] = 64;
    assert_int_equal(run_points(e, 1), KC_OK);
    assert_true(isnan(out[0][0]));
    assert_true(out[2][0] > 0);
}

TEST(a_column_that_is_missing_is_said)
{
    static const char *const axes[] = { "tile.m", "tile.n" };
    kc_evaluator *e = keep(kc_evaluator_new(object(product("C", 512, 512, 64)), device_of("h100-sxm5"), NULL, axes, 2,
                                            fields, 1));
    const double m[] = { 64 };
    double time[1], *some[] = { time }, *none[] = { NULL };
    const double *half[] = { m, NULL }, *both[] = { m, m };
    assert_int_equal(kc_evaluator_run(e, 1, half, some, NULL), KC_EARGUMENT);
    assert_text(kc_context_message(context), "evaluator: a column is missing");
    assert_int_equal(kc_evaluator_run(e, 1, both, none, NULL), KC_EARGUMENT);
    assert_int_equal(kc_evaluator_run(e, 1, both, some, NULL), KC_OK);
}

TEST(a_point_that_does_not_run_is_told_from_one_that_there_is_not)
{
    static const char *const axes[] = { "tile.m", "tile.n" };
    kc_evaluator *e = keep(kc_evaluator_new(object(product("C", 4096, 4096, 64)), device_of("h100-sxm5"), NULL, axes, 2,
                                            fields, FIELDS));
    const double m[] = { 64, 2048, 63.5, NAN, 64 }, n[] = { 64, 2048, 64, 64, 64 };
    static const kc_status want[] = { KC_OK, KC_EDEVICE, KC_EARGUMENT, KC_EARGUMENT, KC_OK };
    memcpy(in[0], m, sizeof m);
    memcpy(in[1], n, sizeof n);
    for (size_t p = 0; p < 5; p++) {
        assert_int_equal(run_points(e, p + 1), KC_OK);
        assert_int_equal(statuses[p], want[p]);
        assert_int_equal(isnan(out[0][p]), want[p] != KC_OK);
        if (want[p] == KC_OK)
            assert_null(kc_evaluator_reason(e));
        else
            assert_contains(kc_evaluator_reason(e), p == 1 ? "shared memory" : "whole number");
    }
    assert_number(out[0][4], out[0][0]);
}

TEST(points_that_differ_in_tiles_only_take_no_memory)
{
    static const char *const axes[] = { "tile.m", "stages" };
    kc_evaluator *e = keep(kc_evaluator_new(object(product("C", 4096, 128, 64)), device_of("h100-sxm5"), NULL, axes, 2,
                                            fields, FIELDS));
    for (size_t p = 0; p < POINTS; p++)
        in[0][p] = 16 + (double)(p % 50), in[1][p] = 1 + (double)(p % 3);
    assert_int_equal(run_points(e, 1), KC_OK);
    size_t requests = heap.requests;
    assert_int_equal(run_points(e, POINTS), KC_OK);
    assert_int_equal(heap.requests, requests);
}

TEST(refuses_what_it_can_not_vary)
{
    kc_object *c = object(product("C", 64, 64, 64));
    kc_device *h100 = device_of("h100-sxm5");
    static const char *const wrong[] = { "tile.z", "tiles.m", "order", "hbm.bandwith", "tile" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuses(kc_evaluator_new(c, h100, NULL, &wrong[i], 1, fields, 1), "sweep: ");
    static const char *const twice[] = { "tile.m", "tile.m" };
    refuses(kc_evaluator_new(c, h100, NULL, twice, 2, fields, 1), "twice");
    static const kc_field none[] = { KC_FIELD_COUNT };
    refuses(kc_evaluator_new(c, h100, NULL, twice, 1, none, 1), "no field");
    refuses(kc_evaluator_new(c, h100, NULL, twice, 1, fields, 0), "at least one field");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_point_is_what_evaluate_says_to_the_last_bit),
        fact(figures_of_the_device_vary_too),
        fact(a_program_adds_up_its_kernels),
        fact(without_a_device_points_are_counted),
        fact(a_column_that_is_missing_is_said),
        fact(a_point_that_does_not_run_is_told_from_one_that_there_is_not),
        fact(points_that_differ_in_tiles_only_take_no_memory),
        fact(refuses_what_it_can_not_vary),
    };
    return run(tests);
}
