/* test_lanes.c: loads of threads that multiply on the vector unit, counted by hand. */
#include "timed_kernel.h"

#include "kcost.h"
#include "lanes.h"

/* One execution of an m x n x k tile in f32. */
static kci_lanes of_tile(const char *name, double m, double n, double k, double warps, double vector, bool straight)
{
    kc_device *device = named(name);
    struct kci_matmul_count mm = { .math = KCI_F32, .executions = 1, .m = m, .n = n, .k = k, .a_scattered = true };
    *(straight ? &mm.a_direct : &mm.a_bytes) = 4;
    *(straight ? &mm.b_direct : &mm.b_bytes) = 4;
    const kci_counts counts = { .matmuls = &mm, .matmul_count = 1 };
    kci_lanes lanes = kci_lanes_of(&counts, device, warps, vector);
    kc_release(device);
    return lanes;
}

TEST(a_tile_is_divided_as_square_as_powers_of_two_allow)
{
    double m = 128, n = 128;
    kci_divide_tile(&m, &n, 8);
    assert_number(m, 32);
    assert_number(n, 64);
    kci_divide_tile(&m, &n, 32);
    assert_number(m, 8);
    assert_number(n, 8);
    kci_divide_tile(&m, &n, 1024);
    assert_number(m, 1);
    assert_number(n, 1);
}

TEST(an_access_of_a_warp_takes_a_clock_of_the_port)
{
    /* 8 warps, 8 x 8 a thread: 16 accesses of 4 bytes each a k */
    assert_number(of_tile("rtx-a6000", 128, 128, 8, 8, 4, false).port_bytes, 8 * 8 * 16 * 128.);
    /* 4 accesses of 16 bytes: 4 lanes of A, 8 of B differ, at most 128 bytes */
    assert_number(of_tile("rtx-a6000", 128, 128, 8, 8, 16, false).port_bytes, 8 * 8 * 4 * 128.);
    /* a point a thread: an access of each operand a multiply-add */
    assert_number(of_tile("rtx-a6000", 32, 32, 32, 32, 4, false).port_bytes, 32 * 32 * 2 * 128.);
}

TEST(loads_take_issue_slots_that_multiply_adds_would_have)
{
    /* 64 multiply-adds and 16 loads over four schedulers, a k and warp */
    assert_number(of_tile("rtx-a6000", 128, 128, 8, 8, 4, false).issue_clocks, 8 * 8 * 16 / 4.);
    assert_number(of_tile("rtx-a6000", 128, 128, 8, 8, 16, false).issue_clocks, 8 * 8 * 4 / 4.);
    /* half as many multiply-adds a clock leave every other slot to loads */
    assert_number(of_tile("a100-sxm4-80gb", 128, 128, 8, 8, 4, false).issue_clocks, 0);
}

TEST(lanes_along_a_strided_dim_look_up_a_line_each)
{
    /* 32 rows of A, one column of B: 32 lines and one */
    assert_number(of_tile("rtx-a6000", 32, 1, 8, 1, 4, true).port_bytes, 8 * 33 * 128.);
    /* one row of A, 32 columns of B: a line each */
    assert_number(of_tile("rtx-a6000", 1, 32, 8, 1, 4, true).port_bytes, 8 * 2 * 128.);
    /* from shared memory there is nothing to look up */
    assert_number(of_tile("rtx-a6000", 32, 1, 8, 1, 4, false).port_bytes, 8 * 2 * 128.);
}

TEST(what_matrix_instructions_multiply_has_no_lanes)
{
    kc_device *device = named("a100-sxm4-80gb");
    struct kci_matmul_count mm = { .math = KCI_F16, .executions = 1, .m = 128, .n = 128, .k = 32, .a_bytes = 2, .b_bytes = 2 };
    const kci_counts counts = { .matmuls = &mm, .matmul_count = 1 };
    kci_lanes lanes = kci_lanes_of(&counts, device, 4, 16);
    assert_number(lanes.port_bytes, 0);
    assert_number(lanes.issue_clocks, 0);
    kc_release(device);
}

/* Seconds of the port for C[m,n] = A[m,k] B[k,n], operands straight into registers, a warp a CTA. */
static double port_seconds(double m, double n)
{
    const kc_size size[] = { { "m", 1024 }, { "n", 1024 }, { "k", 1024 } };
    kc_dtype *f32 = kc_dtype_named(context, "f32");
    kc_tensor *a = kc_tensor_new(context, "A", "m k", f32, size, 3), *b = kc_tensor_new(context, "B", "k n", f32, size, 3);
    kc_value *x = kc_read(a, NULL, NULL, 0, 1, 0), *y = kc_read(b, NULL, NULL, 0, 1, 0);
    kc_value *product = kc_matmul(x, y, "k", NULL, NULL, NULL);
    kc_tensor *c = kc_write("C", product, f32, NULL, NULL, NULL, 0, 1);
    kc_schedule *how = kc_schedule_new(context);
    kc_schedule_tile(how, "m", m);
    kc_schedule_tile(how, "n", n);
    kc_schedule_tile(how, "k", 8);
    kc_schedule_warps(how, 1);
    kc_schedule_vector(how, 4);
    kc_schedule_place(how, "A", "registers");
    kc_schedule_place(how, "B", "registers");
    kc_kernel *kernel = kc_tile((kc_object *)c, how);
    kc_device *device = named("rtx-a6000");
    kc_result *r = kc_evaluate((kc_object *)kernel, device, NULL);
    double seconds = 0;
    assert_non_null(r);
    kc_result_number(r, KC_TIME_SMEM, &seconds);
    void *const made[] = { f32, a, b, x, y, product, c, how, kernel, device, r };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
    return seconds;
}

TEST(a_kernel_without_shared_memory_pays_for_lanes_that_are_not_coalesced)
{
    double rows = port_seconds(32, 1), columns = port_seconds(1, 32);
    assert_close(rows / columns, 33 / 2., 0.01); /* the busiest core has as many CTAs */
}

int main(void)
{
    begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tile_is_divided_as_square_as_powers_of_two_allow),
        cmocka_unit_test(an_access_of_a_warp_takes_a_clock_of_the_port),
        cmocka_unit_test(loads_take_issue_slots_that_multiply_adds_would_have),
        cmocka_unit_test(lanes_along_a_strided_dim_look_up_a_line_each),
        cmocka_unit_test(what_matrix_instructions_multiply_has_no_lanes),
        cmocka_unit_test(a_kernel_without_shared_memory_pays_for_lanes_that_are_not_coalesced),
    };
    return finished(run(tests));
}
