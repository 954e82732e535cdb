/* test_where.c: the expressions that say which points are wanted. */
#include "workbench.h"

#include "where.h"

/* Two axes, at their second values: device = b, tile.i = 64. */
static kci_axes axes;
static uint32_t second[2] = { 1, 1 };
static double field[KC_FIELD_COUNT];

static int fresh_axes(void **state)
{
    if (fresh(state))
        return -1;
    axes = (kci_axes){ .context = context };
    kci_sweep_axis *device = kci_axes_named(&axes, "device");
    if (kci_axis_add_text(&axes, device, "a", NULL) || kci_axis_add_text(&axes, device, "b", NULL))
        return -1;
    kci_sweep_axis *tile = kci_axes_named(&axes, "tile.i");
    if (kci_axis_add_number(&axes, tile, 32) || kci_axis_add_number(&axes, tile, 64))
        return -1;
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        field[f] = NAN;
    field[KC_SMEM] = 4096;
    field[KC_TIME_HBM] = 0.5;
    field[KC_OCCUPANCY] = 0;
    return kci_axes_order(&axes) == KC_OK ? 0 : -1;
}

static int no_axes(void **state)
{
    kci_axes_free(&axes);
    return nothing_left(state);
}

static kc_status holds(const char *text, bool *wanted, char *reason)
{
    kc_point point = { &axes, second, field, "hbm", "memory-bound" };
    kci_where *where = kci_where_parse(context, &axes, "sweep: where", text);
    if (!where)
        print_error("%s: %s\n", text, kc_context_message(context));
    assert_non_null(where);
    kc_status status = kci_where_run(where, &point, wanted, reason);
    kci_where_free(where);
    return status;
}

static void gives(const char *text, bool want)
{
    bool wanted = !want;
    char reason[KCI_WHERE_BYTES];
    assert_int_equal(holds(text, &wanted, reason), KC_OK);
    if (wanted != want)
        print_error("%s\n", text);
    assert_int_equal(wanted, want);
}

static void does_not_parse(const char *text, const char *part)
{
    kci_where *where = kci_where_parse(context, &axes, "sweep: where", text);
    if (where)
        print_error("'%s' was accepted\n", text);
    assert_null(where);
    assert_contains(kc_context_message(context), part);
    assert_int_equal(kc_context_status(context), KC_EARGUMENT);
}

static void fails(const char *text, const char *part)
{
    bool wanted;
    char reason[KCI_WHERE_BYTES] = "";
    assert_int_equal(holds(text, &wanted, reason), KC_EARGUMENT);
    assert_contains(reason, part);
}

#define fact_with_axes(name) cmocka_unit_test_setup_teardown(name, fresh_axes, no_axes)

TEST(compares_numbers)
{
    gives("smem < 4097", true);
    gives("smem < 4096", false);
    gives("smem <= 4096", true);
    gives("smem > 4095.5", true);
    gives("smem >= 4097", false);
    gives("tile.i == 64", true);
    gives("tile.i ~= 64", false);
    gives("tile.i != 64", false);
    gives("times.hbm == 5e-1", true);
}

TEST(numbers_have_units_in_base_units)
{
    gives("smem == 4KiB and smem == 4.096kB", true);
    gives("times.hbm == 500ms and times.hbm == 0.5s and times.hbm < 1e6us", true);
    gives("2.5e9 == 2.5GB and 3e12 == 3TB/s and 989e12 == 0.989PFLOP/s", true);
    gives("1e6 == 1MFLOP and 2e9 == 2GHz and 1 == 1B and 1073741824 == 1GiB", true);
    gives("10s / 5s == 2", true);
    gives("1ns < 1us and 1us < 1ms and 1ms < 1s", true);
}

TEST(compares_texts)
{
    gives("device == \"b\"", true);
    gives("'a' == device", false);
    gives("device ~= 'a'", true);
    gives("bound == 'hbm' and class == 'memory-bound'", true);
    gives("device == device", true);
    gives("'x' == ''", false);
}

TEST(products_bind_closer_than_sums_and_both_go_from_the_left)
{
    gives("2 + 3 * 4 == 14", true);
    gives("(2 + 3) * 4 == 20", true);
    gives("10 - 4 - 3 == 3", true);
    gives("24 / 4 / 2 == 3", true);
    gives("2 - -3 == 5", true);
    gives("-tile.i + 65 == 1", true);
    gives("7 % 4 == 3 and -7 % 4 == 1", true);
}

TEST(not_binds_closer_than_and_and_that_closer_than_or)
{
    gives("1 == 1 or 1 == 2 and 1 == 2", true);
    gives("(1 == 1 or 1 == 2) and 1 == 2", false);
    gives("not 1 == 2 and 1 == 1", true);
    gives("not (1 == 2 or 1 == 1)", false);
    gives("not not 1 == 1", true);
    gives("1 == 2 or 1 == 3 or 1 == 1", true);
    gives("1 == 1 and 2 == 2 and 3 == 4", false);
}

TEST(knows_four_calls)
{
    gives("min(3, 2, 5) == 2", true);
    gives("max(tile.i, 100) == 100", true);
    gives("ceil(tile.i / 48) == 2 and floor(tile.i / 48) == 1", true);
    gives("max(1, 2) + min(1, 2) == 3", true);
}

TEST(the_right_side_runs_only_where_the_left_one_does_not_decide)
{
    gives("occupancy == 0 or smem / occupancy > 1", true);
    gives("occupancy > 0 and smem / occupancy > 1", false);
    gives("tile.i == 64 or time > 1", true);
}

TEST(division_by_zero_is_an_error_of_the_point)
{
    fails("smem / occupancy > 1", "it divides by zero");
    fails("smem % occupancy > 1", "it divides by zero");
}

TEST(a_field_that_does_not_apply_is_an_error_of_the_point)
{
    fails("time > 1", "'time' does not apply");
    kc_point point = { &axes, second, field, NULL, NULL };
    bool wanted;
    char reason[KCI_WHERE_BYTES];
    kci_where *where = kci_where_parse(context, &axes, "sweep: where", "bound == 'hbm'");
    assert_non_null(where);
    assert_int_equal(kci_where_run(where, &point, &wanted, reason), KC_EARGUMENT);
    assert_contains(reason, "'bound' does not apply");
    kci_where_free(where);
}

TEST(knows_whether_it_needs_the_costs)
{
    kci_where *axes_only = kci_where_parse(context, &axes, "sweep: where", "tile.i > 1 and device == 'a'");
    kci_where *costs = kci_where_parse(context, &axes, "sweep: where", "tile.i > 1 or bound == 'l2'");
    assert_non_null(axes_only);
    assert_non_null(costs);
    assert_false(kci_where_needs_fields(axes_only));
    assert_true(kci_where_needs_fields(costs));
    kci_where_free(axes_only);
    kci_where_free(costs);
}

TEST(says_what_it_does_not_understand_and_where)
{
    does_not_parse("", "column 1: it ends where a value is wanted");
    does_not_parse("smem <", "column 7: it ends where a value is wanted");
    does_not_parse("smem <= 10 and", "column 15: it ends where a value is wanted");
    does_not_parse("(smem < 1", "column 10: a ')' is missing for the '(' of column 1");
    does_not_parse("smem < 1)", "column 9: ')' comes after the end");
    does_not_parse("smem = 1", "column 6: '=' compares nothing; equality is '=='");
    does_not_parse("smem", "column 1: it gives a number, and true or false is wanted");
    does_not_parse("'a'", "it gives a text");
    does_not_parse("smem < 1 < 2", "column 10: a second comparison; write a < b and b < c");
    does_not_parse("smem & 1", "column 6: '&' means nothing here");
    does_not_parse("smem < 12kX", "column 8: '12kX' is not a number");
    does_not_parse("device == 'a", "column 11: the text that begins here has no end");
    does_not_parse("device < 'b'", "column 1: < needs a number, and this is a text");
    does_not_parse("device == 1", "column 11: a text before == needs a text, and this is a number");
    does_not_parse("1 == device", "column 6: == needs a number, and this is a text");
    does_not_parse("smem + (1 == 1) > 2", "column 8: + needs a number, and this is true or false");
    does_not_parse("smem and 1 == 1", "column 1: and needs true or false, and this is a number");
    does_not_parse("not smem", "column 5: not needs true or false");
    does_not_parse("abs(smem) > 1", "column 1: 'abs' is no call; there are min, max, ceil and floor");
    does_not_parse("min(1) > 1", "column 1: min needs at least two numbers");
    does_not_parse("ceil(1, 2) > 1", "column 7: the ')' of ceil is missing");
    does_not_parse("and", "column 1: a value is wanted, not 'and'");
}

TEST(an_unknown_name_is_told_its_neighbours)
{
    does_not_parse("smme < 1", "column 1: there is no field and no axis 'smme'; did you mean 'smem'?");
    does_not_parse("1 < tile.j", "column 5: there is no field and no axis 'tile.j'; did you mean 'tile.i'?");
    does_not_parse("times.hmb < 1", "did you mean 'times.hbm'?");
}

TEST(depth_is_bounded)
{
    char text[600] = "";
    for (int i = 0; i < 200; i++)
        strcat(text, "(");
    does_not_parse(text, "nested deeper than 64");
    text[0] = '\0';
    for (int i = 0; i < 100; i++)
        strcat(text, "not ");
    strcat(text, "1 == 1");
    does_not_parse(text, "nested deeper than 64");
    text[0] = '\0';
    for (int i = 0; i < 80; i++)
        strcat(text, "1+(");
    does_not_parse(text, "nested deeper than 64");
    text[0] = '\0';
    for (int i = 0; i < 40; i++) /* two values wait for each bracket */
        strcat(text, "1+1*(");
    does_not_parse(text, "nested deeper than 64 values");
}

TEST(no_memory_leaves_nothing)
{
    for (size_t at = 1; at < 10; at++) {
        heap.requests = 0;
        heap.fail_at = at;
        kci_where *where = kci_where_parse(context, &axes, "sweep: where", "smem < 1 and (device == 'a' or tile.i > min(2, 3))");
        if (!where)
            assert_int_equal(kc_context_status(context), KC_ENOMEM);
        kci_where_free(where);
    }
    heap.fail_at = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact_with_axes(compares_numbers),
        fact_with_axes(numbers_have_units_in_base_units),
        fact_with_axes(compares_texts),
        fact_with_axes(products_bind_closer_than_sums_and_both_go_from_the_left),
        fact_with_axes(not_binds_closer_than_and_and_that_closer_than_or),
        fact_with_axes(knows_four_calls),
        fact_with_axes(the_right_side_runs_only_where_the_left_one_does_not_decide),
        fact_with_axes(division_by_zero_is_an_error_of_the_point),
        fact_with_axes(a_field_that_does_not_apply_is_an_error_of_the_point),
        fact_with_axes(knows_whether_it_needs_the_costs),
        fact_with_axes(says_what_it_does_not_understand_and_where),
        fact_with_axes(an_unknown_name_is_told_its_neighbours),
        fact_with_axes(depth_is_bounded),
        fact_with_axes(no_memory_leaves_nothing),
    };
    return run(tests);
}
