/* test_watch.c: kc_context_watch: what sees, and may end, the calls that take long. */
#include "workbench.h"

typedef struct seen {
    double calls, done, of, most;   /* it ends the call at the most-th look; 0: never */
} seen;

static int look(void *data, double done, double of)
{
    seen *s = data;
    s->calls++;
    s->done = done;
    s->of = of;
    return s->most > 0 && s->calls >= s->most;
}

static kc_tensor *product(const char *sizes_a, const char *sizes_b)
{
    return write_of("C", matmul(read_of(tensor("A", sizes_a, "f16")), read_of(tensor("B", sizes_b, "f16")), "k"));
}

static kc_object *tiled_product(void)
{
    return object(tiled(product("m=640 k=640", "k=640 n=640"), "m=16 n=16 k=16", NULL, NULL));
}

/* Each call, of what takes it long enough; false: it failed. */
static bool ask_best(kc_object *c, kc_device *d)
{
    kc_result *r = kc_best(c, d, NULL);
    kc_release(r);
    return r != NULL;
}

static bool ask_fuse_all(kc_object *c, kc_device *d)
{
    kc_result *r = kc_fuse_all(c, d, NULL, 0, NULL);
    kc_release(r);
    return r != NULL;
}

static bool ask_compare(kc_object *c, kc_device *d)
{
    kc_object *xs[] = { c, c };
    kc_comparison *r = kc_compare(context, xs, 2, &d, 1, NULL);
    kc_release(r);
    return r != NULL;
}

static bool ask_verify(kc_object *c, kc_device *d)
{
    (void)d;
    return kc_verify(c, NULL) == KC_OK;
}

static bool ask_ski_slope(kc_object *c, kc_device *d)
{
    (void)d;
    kc_sweep *r = kc_ski_slope(c);
    kc_release(r);
    return r != NULL;
}

static bool ask_evaluator(kc_object *c, kc_device *d)
{
    enum { POINTS = 3000 };
    static double tiles[POINTS], time[POINTS];
    const char *axis = "tile.m";
    const kc_field field = KC_TIME;
    const double *in = tiles;
    double *out = time;
    for (size_t p = 0; p < POINTS; p++)
        tiles[p] = 1 + (double)(p % 64);
    kc_evaluator *e = keep(kc_evaluator_new(c, d, NULL, &axis, 1, &field, 1));
    return kc_evaluator_run(e, POINTS, &in, &out, NULL) == KC_OK;
}

static kc_space *space_over(kc_object *c, kc_device *d)
{
    static double tiles[512];
    for (size_t i = 0; i < 512; i++)
        tiles[i] = 1 + (double)i;
    kc_space *space = keep(kc_space_new(c));
    assert_int_equal(kc_space_device(space, d), KC_OK);
    assert_int_equal(kc_space_numbers(space, "tile.m", tiles, 512), KC_OK);
    assert_int_equal(kc_space_numbers(space, "tile.n", tiles, 4), KC_OK);
    return space;
}

static const struct {
    const char *name;
    bool (*ask)(kc_object *, kc_device *);
} calls[] = {
    { "best", ask_best },           { "compare", ask_compare },     { "verify", ask_verify },
    { "ski_slope", ask_ski_slope }, { "evaluator", ask_evaluator }, { "fuse_all", ask_fuse_all },
};

static kc_object *subject(const char *call)
{
    if (strcmp(call, "verify") == 0)
        return tiled_product();
    if (strcmp(call, "fuse_all") == 0) {
        kc_tensor *c = product("m=256 k=256", "k=256 n=256");
        kc_object *parts[] = { object(c), object(write_of("Y", map1("relu", read_of(c)))) };
        return object(keep(kc_program_new(context, "fused", parts, 2)));
    }
    return object(product("m=256 k=256", "k=256 n=256"));
}

TEST(a_long_call_looks_more_than_once_and_is_not_disturbed)
{
    kc_device *h100 = keep(kc_device_named(context, "h100-sxm5"));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        seen s = { 0 };
        kc_context_watch(context, look, &s);
        if (!calls[i].ask(subject(calls[i].name), h100))
            print_error("%s: %s\n", calls[i].name, kc_context_message(context));
        assert_true(kc_context_status(context) == KC_OK);
        assert_true(s.calls > 1);
        assert_true(s.of == 0 || s.done <= s.of);
    }
}

TEST(a_watch_ends_each_of_them_with_KC_ELIMIT_and_their_name)
{
    kc_device *h100 = keep(kc_device_named(context, "h100-sxm5"));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        seen s = { .most = 2 };
        kc_object *x = subject(calls[i].name);
        kc_context_watch(context, look, &s);
        assert_false(calls[i].ask(x, h100));
        assert_int_equal(kc_context_status(context), KC_ELIMIT);
        assert_contains(kc_context_message(context), calls[i].name);
        assert_contains(kc_context_message(context), "interrupted");
        assert_number(s.calls, 2);
    }
}

TEST(without_a_watch_nothing_is_looked_at)
{
    seen s = { 0 };
    kc_context_watch(context, look, &s);
    kc_context_watch(context, NULL, NULL);
    assert_true(ask_best(subject("best"), keep(kc_device_named(context, "h100-sxm5"))));
    assert_number(s.calls, 0);
}

TEST(a_sweep_and_a_search_take_it_where_they_are_given_none)
{
    kc_device *h100 = keep(kc_device_named(context, "h100-sxm5"));
    kc_object *c = subject("sweep");
    seen s = { .most = 2 }, other = { .most = 2 };
    kc_context_watch(context, look, &s);
    kc_sweep *sweep = keep(kc_space_sweep(space_over(c, h100), 1, NULL, NULL));
    assert_true(kc_sweep_interrupted(sweep));
    assert_true(kc_sweep_rows(sweep) > 0);
    assert_number(s.calls, 2);
    s = (seen){ 0 };
    keep(kc_space_sweep(space_over(c, h100), 1, look, &other));
    assert_number(other.calls, 2);
}

TEST(a_kernel_of_very_many_tensors_is_ended_while_it_is_built)
{
    enum { MANY = 600 };
    static kc_tensor *written[MANY];
    char name[16];
    seen s = { .most = 1 };
    kc_value *x = map1("relu", read_of(tensor("A", "i=8", "f16")));
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "B%d", i);
        written[i] = kc_write(name, x, NULL, NULL, NULL, NULL, 0, 1);
    }
    kc_context_watch(context, look, &s);
    assert_null(kc_kernel_new(context, "k", written, MANY));
    assert_contains(kc_context_message(context), "kernel: interrupted");
    assert_int_equal(kc_context_status(context), KC_ELIMIT);
    assert_number(s.calls, 1);
    for (int i = 0; i < MANY; i++)
        kc_release(written[i]);
}

/* A program of so many kernels, each of one tensor. */
static kc_object *program_of(size_t count)
{
    static kc_object *parts[2000];
    char name[32];
    kc_value *x = map1("relu", read_of(tensor("A", "i=1000", "f16")));
    assert_true(count <= sizeof parts / sizeof *parts);
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "B%zu", i);
        parts[i] = object(kc_write(name, x, NULL, NULL, NULL, NULL, 0, 1));
    }
    kc_program *program = keep(kc_program_new(context, "p", parts, count));
    for (size_t i = 0; i < count; i++)
        kc_release(parts[i]);
    return object(program);
}

TEST(an_explanation_that_is_ended_is_none_and_is_made_anew)
{
    kc_object *x = program_of(400);
    kc_device *l4 = keep(kc_device_named(context, "l4"));
    const char *whole = kc_result_explain(keep(kc_evaluate(x, l4, NULL)));
    assert_non_null(whole);
    bool ended = true;
    for (size_t looks = 1; ended; looks++) {
        kc_result *r = keep(kc_evaluate(x, l4, NULL));
        seen s = { .most = (double)looks };
        kc_context_watch(context, look, &s);
        const char *said = kc_result_explain(r);
        kc_context_watch(context, NULL, NULL);
        ended = said == NULL;
        if (ended)
            assert_int_equal(kc_context_status(context), KC_ELIMIT);
        assert_text(ended ? kc_result_explain(r) : said, whole);
        assert_true(looks < 100);
    }
}

TEST(points_of_many_kernels_are_watched_among_their_kernels)
{
    const double tiles[] = { 1, 2, 4, 8 }, *in = tiles;
    const char *axis = "tile.i";
    const kc_field field = KC_TIME;
    double time[4], *out = time;
    seen s = { .most = 3 };
    kc_evaluator *e = keep(kc_evaluator_new(program_of(2000), keep(kc_device_named(context, "l4")), NULL, &axis, 1, &field, 1));
    kc_context_watch(context, look, &s);
    assert_int_equal(kc_evaluator_run(e, 4, &in, &out, NULL), KC_ELIMIT);
    assert_contains(kc_context_message(context), "evaluator: interrupted");
    assert_number(s.calls, 3);
    kc_context_watch(context, NULL, NULL);
    assert_int_equal(kc_evaluator_run(e, 4, &in, &out, NULL), KC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_long_call_looks_more_than_once_and_is_not_disturbed),
        fact(a_watch_ends_each_of_them_with_KC_ELIMIT_and_their_name),
        fact(without_a_watch_nothing_is_looked_at),
        fact(a_sweep_and_a_search_take_it_where_they_are_given_none),
        fact(a_kernel_of_very_many_tensors_is_ended_while_it_is_built),
        fact(an_explanation_that_is_ended_is_none_and_is_made_anew),
        fact(points_of_many_kernels_are_watched_among_their_kernels),
    };
    return run(tests);
}
