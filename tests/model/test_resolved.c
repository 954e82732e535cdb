/* test_resolved.c: the schedule of a result, as it was resolved, figure by figure. */
#include "workbench.h"

static kc_result *counted_under(void (*set)(kc_schedule *))
{
    kc_tensor *a = tensor("A", "m=256 k=512", "f16"), *b = tensor("B", "k=512 n=128", "f16");
    kc_tensor *c = write_of("C", matmul(read_of(a), read_of(b), "k"));
    kc_schedule *s = schedule_of("m=64 n=64 k=32", NULL, NULL);
    if (set)
        set(s);
    return keep(kc_count(object(keep(kc_tile(object(c), s))), NULL));
}

static void set_much(kc_schedule *s)
{
    kc_schedule_order(s, "k");
    kc_schedule_stages(s, NULL, 3);
    kc_schedule_warps(s, 8);
    kc_schedule_split(s, "k", 2);
    kc_schedule_combine(s, "atomic");
    kc_schedule_raster(s, "n m", 4);
    kc_schedule_persistent(s, 1);
}

static void set_stream(kc_schedule *s)
{
    kc_schedule_split(s, "k", 0);
}

static double figure(const kc_result *r, const char *path)
{
    double value = -1;
    return kc_result_schedule_number(r, path, &value) == KC_OK ? value : -1;
}

TEST(a_figure_is_a_number_or_a_text_by_its_path)
{
    kc_result *r = counted_under(set_much);
    assert_number(figure(r, "tile.m"), 64);
    assert_number(figure(r, "tile.k"), 32);
    assert_number(figure(r, "stages"), 3);
    assert_number(figure(r, "warps"), 8);
    assert_number(figure(r, "split.k"), 2);
    assert_number(figure(r, "persistent"), 1);
    assert_text(kc_result_schedule_text(r, "grid"), "m n");
    assert_text(kc_result_schedule_text(r, "order"), "k");
    assert_text(kc_result_schedule_text(r, "combine"), "atomic");
}

TEST(a_text_lives_until_the_next_question)
{
    kc_result *r = counted_under(set_much);
    char first[16];
    snprintf(first, sizeof first, "%s", kc_result_schedule_text(r, "grid"));
    assert_text(kc_result_schedule_text(r, "combine"), "atomic");
    assert_text(kc_result_schedule_text(r, "grid"), first);
}

TEST(stream_k_is_a_text)
{
    kc_result *r = counted_under(set_stream);
    assert_text(kc_result_schedule_text(r, "split.k"), "stream");
    assert_number(figure(r, "split.k"), -1);
}

TEST(what_it_lacks_or_is_the_other_kind_is_nothing)
{
    kc_result *r = counted_under(NULL);
    assert_number(figure(r, "tile.z"), -1);
    assert_number(figure(r, "grid"), -1);
    assert_number(figure(r, NULL), -1);
    assert_null(kc_result_schedule_text(r, "tile.m"));
    assert_null(kc_result_schedule_text(r, "persistent"));
    assert_int_equal(kc_result_schedule_number(r, "tile.m", NULL), KC_OK);
}

/* Each path is in the JSON, and there is none more. */
TEST(the_paths_are_those_of_the_JSON)
{
    kc_result *r = counted_under(set_much);
    size_t paths = 0, members = 0;
    for (const char *path; (path = kc_result_schedule_path(r, paths)) != NULL; paths++) {
        const char *last = strrchr(path, '.') ? strrchr(path, '.') + 1 : path;
        char member[64];
        snprintf(member, sizeof member, "\"%s\":", last);
        assert_contains(kc_result_schedule(r), member);
    }
    for (const char *at = kc_result_schedule(r); (at = strstr(at, "\":")) != NULL; at += 2)
        members += at[2] != '{';
    assert_int_equal(paths, members);
}

TEST(an_untiled_kernel_has_none)
{
    kc_result *r = keep(kc_count(object(write_of("C", map1("relu", read_of(tensor("A", "m=4", "f16"))))), NULL));
    assert_null(kc_result_schedule(r));
    assert_null(kc_result_schedule_path(r, 0));
    assert_number(figure(r, "tile.m"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_figure_is_a_number_or_a_text_by_its_path),
        fact(a_text_lives_until_the_next_question),
        fact(stream_k_is_a_text),
        fact(what_it_lacks_or_is_the_other_kind_is_nothing),
        fact(the_paths_are_those_of_the_JSON),
        fact(an_untiled_kernel_has_none),
    };
    return run(tests);
}
