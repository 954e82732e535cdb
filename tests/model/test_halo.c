/* test_halo.c: planes that a stencil reads more than once, by hand: which of them L2 still has. */
#include "unit.h"

#include "kcost.h"

static kc_context *context;

enum { Z = 256, Y = 64, X = 256 };              /* a plane is 64 CTAs of 256 threads, all of them resident */
static const double PLANE = 4. * Y * X;         /* bytes */

/* HBM bytes read by a sum of points z + offset, in this order, on an MI250X whose L2 has this many bytes. */
static double read_along_z(const int *offsets, size_t count, double capacity)
{
    void *kept[32];
    size_t made = 0;
    int most = 0;
    for (size_t i = 0; i < count; i++)
        most = offsets[i] > most ? offsets[i] : most;
    const kc_size whole[] = { { "z", Z + most }, { "y", Y }, { "x", X } }, part[] = { { "z", Z }, { "y", Y }, { "x", X } };
    kc_dtype *f32 = kc_dtype_named(context, "f32");
    kc_tensor *u = kc_tensor_new(context, "u", "z y x", f32, whole, 3);
    kc_value *points[8];
    for (size_t i = 0; i < count; i++) {
        char index[32];
        snprintf(index, sizeof index, "z+%d y x", offsets[i]);
        kept[made++] = points[i] = kc_read(u, index, part, 3, 1, 0);
    }
    const kc_cost cost = { 1, 0 };
    kc_value *sum = kc_map("sum", points, count, &cost);
    kc_tensor *f = kc_write("f", sum, f32, NULL, NULL, NULL, 0, 1);
    kc_schedule *how = kc_schedule_new(context);
    kc_schedule_tile(how, "z", 1);
    kc_schedule_tile(how, "y", 1);
    kc_schedule_grid(how, "z y");
    kc_schedule_threads(how, 256);
    kc_schedule_place(how, "u", "registers");
    kc_kernel *kernel = kc_tile((kc_object *)f, how);
    kc_device *base = kc_device_named(context, "mi250x-gcd"), *device = kc_device_new(context, base);
    kc_device_set(device, "l2.capacity", capacity);
    assert_int_equal(kc_device_seal(device), KC_OK);
    kc_result *r = kc_evaluate((kc_object *)kernel, device, NULL);
    assert_non_null(r);
    double bytes = 0;
    kc_result_number(r, KC_BYTES_READ, &bytes);
    void *const others[] = { f32, u, sum, f, how, kernel, base, device, r };
    for (size_t i = 0; i < made; i++)
        kc_release(kept[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        kc_release(others[i]);
    return bytes;
}

static const int up[] = { 0, 1 }, down[] = { 1, 0 }, five[] = { 0, 1, 2, 3, 4 };

TEST(planes_that_fit_are_fetched_once)
{
    assert_number(read_along_z(up, 2, 100 * PLANE), (Z + 1) * PLANE);
    assert_number(read_along_z(five, 5, 100 * PLANE), (Z + 4) * PLANE);
}

TEST(planes_that_left_are_fetched_by_each_read)
{
    assert_close(read_along_z(five, 5, PLANE), 5 * Z * PLANE, 1e-12); /* no more than the boxes have */
}

/* z is read a quarter of a plane after its CTA's start, z+1 three quarters: between z+1 and the next plane's z lie
 * half a plane's CTAs.  They sweep half a plane of u twice, with its share of the halo, and write half of one. */
TEST(of_planes_at_the_edge_a_part_has_left)
{
    double touched = ((Z + 1.) / Z + 0.5) * PLANE;
    assert_close(read_along_z(up, 2, touched / 0.9), 1.5 * (Z + 1) * PLANE, 1e-12); /* (0.9 - 0.5) / (1.3 - 0.5) */
    assert_close(read_along_z(up, 2, touched / 0.5), (Z + 1) * PLANE, 1e-12);
    assert_close(read_along_z(up, 2, touched / 1.3), 2 * Z * PLANE, 1e-12);
}

/* z+1 first: one and a half planes lie between, three times as many. */
TEST(the_order_of_a_threads_reads_decides_how_long_a_plane_must_stay)
{
    double capacity = 4.5 * PLANE / 1.3;
    assert_close(read_along_z(down, 2, capacity), 2 * Z * PLANE, 1e-12);
    assert_close(read_along_z(up, 2, capacity), (Z + 1) * PLANE, 1e-12);
}

int main(void)
{
    context = kc_context_new(NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_that_fit_are_fetched_once),
        cmocka_unit_test(planes_that_left_are_fetched_by_each_read),
        cmocka_unit_test(of_planes_at_the_edge_a_part_has_left),
        cmocka_unit_test(the_order_of_a_threads_reads_decides_how_long_a_plane_must_stay),
    };
    int failed = run(tests);
    kc_context_free(context);
    return failed;
}
