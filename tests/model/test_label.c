/* test_label.c: results of one name are told apart by what their schedules have of their own. */
#include "unit.h"

#include "result.h"

static kc_context *context;
static kc_result *list[600];
static size_t count;

static kc_result *add(const char *name, const char *device, const char *m, const char *stages)
{
    kc_result *r = list[count++] = kci_result_new(context, name, device);
    if (m) {
        kci_result_schedule_add(r, "tile.m", m);
        kci_result_schedule_add(r, "tile.n", "128");
        kci_result_schedule_add(r, "stages", stages);
    }
    return r;
}

static const char *label(kc_result *r)
{
    return kc_result_label(r, list, count);
}

static void forget(void)
{
    while (count > 0)
        kc_release(list[--count]);
}

TEST(a_name_that_is_alone_stays_as_it_is)
{
    assert_text(label(add("C", "h100-sxm5", "64", "2")), "C");
    assert_text(label(add("D", "h100-sxm5", "64", "2")), "D");
    forget();
}

TEST(tiles_that_differ_stand_behind_the_name)
{
    kc_result *one = add("C", "h100-sxm5", "64", "2"), *other = add("C", "h100-sxm5", "128", "3");
    assert_text(label(one), "C m=64");
    assert_text(label(other), "C m=128");
    forget();
}

TEST(where_tiles_agree_another_figure_tells)
{
    kc_result *one = add("C", NULL, "64", "2"), *two = add("C", NULL, "64", "3"), *three = add("C", NULL, "32", "3");
    assert_text(label(one), "C m=64 stages=2");
    assert_text(label(two), "C m=64 stages=3");
    assert_text(label(three), "C m=32");
    forget();
}

TEST(an_untiled_one_says_so)
{
    kc_result *plain = add("C", NULL, NULL, NULL), *tiled = add("C", NULL, "64", "2");
    assert_text(label(plain), "C untiled");
    assert_text(label(tiled), "C m=64 n=128");
    forget();
}

TEST(other_devices_and_equal_results_change_nothing)
{
    kc_result *here = add("C", "h100-sxm5", "64", "2");
    add("C", "b200", "128", "2");
    list[count++] = NULL; /* what did not run */
    assert_text(label(here), "C");
    add("C", "h100-sxm5", "64", "2");
    assert_text(label(here), "C");
    assert_null(kc_result_label(NULL, list, count));
    forget();
}

TEST(of_very_many_each_has_its_name)
{
    for (int i = 0; i < 600; i++)
        add("C", NULL, i % 2 ? "64" : "128", "2");
    assert_text(label(list[0]), "C");
    forget();
}

TEST(a_schedule_is_a_line_of_words)
{
    kc_result *r = add("C", NULL, "64", "3");
    kci_result_schedule_add(r, "raster.order", "\"n m\"");
    kci_result_schedule_add(r, "raster.group", "8");
    kci_result_schedule_add(r, "persistent", "true");
    assert_text(kc_result_schedule_line(r), "tile m=64 n=128, stages 3, raster n m group=8, persistent yes");
    assert_null(kc_result_schedule_line(add("D", NULL, NULL, NULL)));
    forget();
}

int main(void)
{
    context = kc_context_new(NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_that_is_alone_stays_as_it_is),
        cmocka_unit_test(tiles_that_differ_stand_behind_the_name),
        cmocka_unit_test(where_tiles_agree_another_figure_tells),
        cmocka_unit_test(an_untiled_one_says_so),
        cmocka_unit_test(other_devices_and_equal_results_change_nothing),
        cmocka_unit_test(of_very_many_each_has_its_name),
        cmocka_unit_test(a_schedule_is_a_line_of_words),
    };
    int failed = run(tests);
    kc_context_free(context);
    return failed;
}
