/* test_verify.c: the public call: kernels on which the walk and the count must agree, and what it refuses. */
#include "walk_bench.h"

static kc_kernel *tiled_gemm(bench *b, double n)
{
    const kc_size sizes[] = { { "m", n }, { "n", n }, { "k", n }, { NULL, 0 } };
    kc_value *A = read(b, tensor(b, "A", "m k", "f16", sizes), NULL);
    kc_value *B = read(b, tensor(b, "B", "k n", "f16", sizes), NULL);
    kc_tensor *C = write(b, "C", matmul(b, A, B, NULL), "f16");
    kc_schedule *s = keep(b, kc_schedule_new(b->context));
    assert_int_equal(kc_schedule_tile(s, "m", 32), KC_OK);
    assert_int_equal(kc_schedule_tile(s, "n", 16), KC_OK);
    assert_int_equal(kc_schedule_tile(s, "k", 16), KC_OK);
    return keep(b, kc_tile((kc_object *)C, s));
}

TEST(verify_walks_a_kernel_and_agrees_with_its_count)
{
    bench *b = setup();
    double steps = 0;
    assert_int_equal(kc_verify((kc_object *)tiled_gemm(b, 100), &steps), KC_OK);
    assert_true(steps > 4 * 7 * 7);
    teardown(b);
}

TEST(verify_takes_an_untiled_kernel)
{
    bench *b = setup();
    double steps = 0;
    tiled_gemm(b, 60);
    assert_int_equal(kc_verify((kc_object *)b->written[0], &steps), KC_OK);
    teardown(b);
}

TEST(verify_refuses_more_steps_than_it_may_take)
{
    bench *b = setup();
    assert_int_equal(kc_verify((kc_object *)tiled_gemm(b, 1e6), NULL), KC_ELIMIT);
    assert_contains(kc_context_message(b->context), "steps");
    teardown(b);
}

TEST(verify_refuses_what_is_no_kernel)
{
    bench *b = setup();
    assert_int_equal(kc_verify(NULL, NULL), KC_EARGUMENT);
    kc_dtype *type = keep(b, kc_dtype_named(b->context, "f16"));
    assert_int_equal(kc_verify((kc_object *)type, NULL), KC_EARGUMENT);
    teardown(b);
}

TEST(a_walk_above_its_steps_is_refused_before_it_starts)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 1e12 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i", "f16", sizes), NULL);
    write(b, "Y", map(b, "relu", X, NULL), "f16");
    build(b);
    tile(b, "i", 1);
    nest(b, "i", "");
    assert_int_equal(kci_walk(&b->graph, &b->tiling, NULL, NULL, 1e8, &b->walk), KC_ELIMIT);
    teardown(b);
}

/* A sum over i that two things need: relu, which is written, and softmax over e of what
 * it is added to, in later passes over i.  It is done once, when i has ended. */
TEST(verify_agrees_on_a_completed_result_that_is_written_and_used_by_later_passes)
{
    bench *b = setup();
    const kc_size sizes[] = { { "i", 4 }, { "j", 3 }, { "e", 2 }, { NULL, 0 } };
    kc_value *X = read(b, tensor(b, "X", "i j", "f16", sizes), NULL);
    kc_value *T = read(b, tensor(b, "T", "i e", "f16", sizes), NULL);
    kc_value *r = map(b, "relu", reduce(b, X, "i"), NULL);
    write(b, "R", r, "f16");
    write(b, "W", keep(b, kc_softmax(map(b, "add", r, T), "e", 0)), "f16");
    kc_kernel *kernel = keep(b, kc_kernel_new(b->context, "two", b->written, 2));
    kc_schedule *s = keep(b, kc_schedule_new(b->context));
    assert_int_equal(kc_schedule_tile(s, "i", 2), KC_OK);
    assert_int_equal(kc_schedule_tile(s, "j", 1), KC_OK);
    assert_int_equal(kc_schedule_tile(s, "e", 1), KC_OK);
    assert_int_equal(kc_schedule_grid(s, ""), KC_OK);
    assert_int_equal(kc_schedule_order(s, "i j e"), KC_OK);
    kernel = keep(b, kc_tile((kc_object *)kernel, s));
    assert_int_equal(kc_verify((kc_object *)kernel, NULL), KC_OK);
    double executed = 0;
    kc_result *result = keep(b, kc_count((kc_object *)kernel, NULL));
    assert_int_equal(kc_result_number(result, KC_EXECUTED_VECTOR_FLOPS, &executed), KC_OK);
    /* sum, relu; three times the addition; maximum, subtraction twice, sum, division */
    assert_number(executed, 12 + 3 + 3 * 24 + 5 * 24);
    teardown(b);
}



int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verify_walks_a_kernel_and_agrees_with_its_count),
        cmocka_unit_test(verify_takes_an_untiled_kernel),
        cmocka_unit_test(verify_refuses_more_steps_than_it_may_take),
        cmocka_unit_test(verify_refuses_what_is_no_kernel),
        cmocka_unit_test(a_walk_above_its_steps_is_refused_before_it_starts),
        cmocka_unit_test(verify_agrees_on_a_completed_result_that_is_written_and_used_by_later_passes),
    };
    return run(tests);
}
