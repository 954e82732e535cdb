/* test_group.c: several kernels in one launch fill the cores together. */
#include "unit.h"

#include <math.h>
#include <stdio.h>

#include "kcost.h"

static kc_context *context;
static kc_device *device;

static double number(const kc_result *r, kc_field field)
{
    double value = NAN;
    assert_int_equal(kc_result_number(r, field, &value), KC_OK);
    return value;
}

static double of(void *x, kc_field field)
{
    kc_result *r = kc_evaluate(x, device, NULL);
    assert_non_null(r);
    double value = number(r, field);
    kc_release(r);
    return value;
}

/* C = A B, `batch` times (0: no such dim), in tiles of 128 x 128. */
static kc_kernel *matmul(const char *name, double batch, double m, double n, double k)
{
    const kc_size sizes[] = { { "b", batch }, { "m", m }, { "n", n }, { "k", k } };
    kc_dtype *f16 = kc_dtype_named(context, "f16");
    char a_name[32], b_name[32];
    snprintf(a_name, sizeof a_name, "A%s", name);
    snprintf(b_name, sizeof b_name, "B%s", name);
    kc_tensor *a = kc_tensor_new(context, a_name, batch > 0 ? "b m k" : "m k", f16, sizes, 4);
    kc_tensor *b = kc_tensor_new(context, b_name, batch > 0 ? "b k n" : "k n", f16, sizes, 4);
    kc_value *x = kc_read(a, NULL, NULL, 0, 1, 0), *y = kc_read(b, NULL, NULL, 0, 1, 0);
    kc_value *product = kc_matmul(x, y, "k", NULL, NULL, NULL);
    kc_tensor *c = kc_write(name, product, NULL, NULL, NULL, NULL, 0, 1);
    kc_schedule *schedule = kc_schedule_new(context);
    kc_schedule_tile(schedule, "m", 128);
    kc_schedule_tile(schedule, "n", 128);
    kc_schedule_tile(schedule, "k", 64);
    kc_kernel *kernel = kc_tile((kc_object *)c, schedule);
    void *const made[] = { f16, a, b, x, y, product, c, schedule };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        kc_release(made[i]);
    assert_non_null(kernel);
    return kernel;
}

static kc_kernel *group(kc_kernel **members, size_t count)
{
    kc_kernel *g = kc_group(context, "group", (kc_object *const *)(void *)members, count);
    assert_non_null(g);
    return g;
}

enum { MEMBERS = 132 };

TEST(as_many_equal_kernels_as_a_batch_has_take_its_time)
{
    kc_kernel *members[MEMBERS], *batch = matmul("C", MEMBERS, 128, 128, 4096);
    for (int i = 0; i < MEMBERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "C%d", i);
        members[i] = matmul(name, 0, 128, 128, 4096);
    }
    kc_kernel *g = group(members, MEMBERS);
    static const kc_field fields[] = { KC_FLOPS, KC_BYTES, KC_ROOF_TIME, KC_TIME, KC_TIME_MATRIX, KC_TIME_HBM, KC_TIME_L2, KC_CTAS,
                                       KC_OCCUPANCY, KC_WAVES, KC_WAVE_EFFICIENCY, KC_TIME_LAUNCH };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_close(of(g, fields[i]), of(batch, fields[i]), 1e-6);
    kc_release(g);
    kc_release(batch);
    for (int i = 0; i < MEMBERS; i++)
        kc_release(members[i]);
}

/* Work of the one and bytes of the other overlap in the roof; the estimate lies between it and one after the other. */
TEST(a_group_lies_between_its_roof_and_its_members_in_turn)
{
    kc_kernel *members[] = { matmul("L", 0, 8192, 4096, 4096), matmul("S", 0, 128, 128, 65536), matmul("T", 0, 16, 8192, 8192) };
    size_t count = sizeof members / sizeof *members;
    kc_kernel *g = group(members, count);
    double turns = 0, longest = 0, roof = 0;
    for (size_t i = 0; i < count; i++) {
        turns += of(members[i], KC_TIME);
        roof += of(members[i], KC_ROOF_TIME);
        longest = fmax(longest, of(members[i], KC_ROOF_TIME));
    }
    double time = of(g, KC_TIME);
    assert_true(time < turns && time >= of(g, KC_ROOF_TIME) && time <= of(g, KC_SERIAL_TIME));
    assert_true(of(g, KC_ROOF_TIME) < roof && of(g, KC_ROOF_TIME) >= longest);
    kc_release(g);
    for (size_t i = 0; i < count; i++)
        kc_release(members[i]);
}

/* One CTA with a long k beside many short ones: the launch is not over before it is. */
TEST(a_group_is_not_done_before_its_longest_cta)
{
    kc_kernel *members[] = { matmul("L", 0, 128, 128, 262144), matmul("S", 0, 2048, 2048, 256) };
    kc_kernel *g = group(members, 2);
    assert_true(of(g, KC_TIME) >= of(members[0], KC_TIME) * (1 - 1e-9));
    kc_release(g);
    kc_release(members[0]);
    kc_release(members[1]);
}

int main(void)
{
    context = kc_context_new(NULL, NULL);
    device = kc_device_named(context, "h100-sxm5");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_equal_kernels_as_a_batch_has_take_its_time),
        cmocka_unit_test(a_group_lies_between_its_roof_and_its_members_in_turn),
        cmocka_unit_test(a_group_is_not_done_before_its_longest_cta),
    };
    int failed = run(tests);
    kc_release(device);
    kc_context_free(context);
    return failed;
}
