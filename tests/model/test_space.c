/* test_space.c: what can be swept: axes by name, their order, and what is refused. */
#include "workbench.h"

#include "space.h"

static kc_tensor *small_matmul(void)
{
    kc_tensor *a = tensor("A", "m=512 k=256", "f16"), *b = tensor("B", "k=256 n=384", "f16");
    return write_of("C", matmul(read_of(a), read_of(b), NULL));
}

static kc_space *space(void)
{
    return keep(kc_space_new(object(small_matmul())));
}

static kc_status one(kc_space *s, const char *axis, double number)
{
    return kc_space_numbers(s, axis, &number, 1);
}

static kc_status word(kc_space *s, const char *axis, const char *text)
{
    return kc_space_texts(s, axis, &text, 1);
}

static kc_space *tiled_space(void)
{
    kc_space *s = space();
    assert_int_equal(one(s, "tile.m", 64), KC_OK);
    return s;
}

/* The space is complete only with this wrong thing in it. */
static void incomplete(kc_space *s, const char *part)
{
    assert_true(kc_space_points(s) == 0);
    assert_int_equal(kc_context_status(context), KC_EARGUMENT);
    assert_contains(kc_context_message(context), part);
}

TEST(axes_stand_in_the_order_of_the_design)
{
    kc_space *s = space();
    assert_int_equal(one(s, "tile.n", 64) | one(s, "tile.k", 64) | one(s, "warps", 4) | one(s, "tile.m", 32), KC_OK);
    assert_int_equal(one(s, "stages", 2) | one(s, "group", 2) | one(s, "split.k", 2) | one(s, "size.k m", 128), KC_OK);
    assert_int_equal(word(s, "order", "k") | word(s, "dtype.B", "f8") | word(s, "device", "l4"), KC_OK);
    assert_int_equal(one(s, "hbm.bandwidth", 1e12) | one(s, "l2.capacity", 1e6), KC_OK);
    assert_true(kc_space_points(s) == 1);
    kci_text titles = { .context = context };
    for (size_t c = 0; c < s->axes.column_count; c++)
        kci_text_format(&titles, "%s ", s->axes.columns[c].text);
    assert_text(titles.bytes, "device hbm.bandwidth l2.capacity size.k size.m dtype.B order split.k group stages warps tile.m tile.k tile.n ");
    kci_text_free(&titles);
}

TEST(the_last_axis_varies_fastest)
{
    kc_space *s = space();
    assert_int_equal(kc_space_numbers(s, "tile.m", (double[]){ 32, 64 }, 2) | kc_space_numbers(s, "tile.n", (double[]){ 16, 32, 64 }, 3), KC_OK);
    assert_int_equal(kc_space_numbers(s, "stages", (double[]){ 2, 3 }, 2), KC_OK);
    assert_true(kc_space_points(s) == 12);
    kci_text where = { .context = context };
    kci_axes_say(&where, &s->axes, 7);
    assert_text(where.bytes, "stages = 3, tile.m = 32, tile.n = 32");
    kci_text_free(&where);
}

TEST(values_of_one_axis_may_come_in_several_calls)
{
    kc_space *s = tiled_space();
    assert_int_equal(one(s, "tile.m", 128), KC_OK);
    assert_true(kc_space_points(s) == 2);
}

TEST(a_name_that_is_none_is_told_its_neighbours)
{
    kc_space *s = space();
    refuses_status(one(s, "tiel.m", 1), "nothing to vary of the name 'tiel.m'");
    refuses_status(one(s, "stage", 1), "did you mean 'stages'");
    refuses_status(one(s, "hbm.bandwith", 1), "did you mean 'hbm.bandwidth'");
    refuses_status(one(s, "arch", 1), "arch is a text, and only numbers of a device can be varied");
    refuses_status(one(s, "tile", 1), "tile varies by name, as in tile = { i = { ... } }");
    refuses_status(one(s, "stages.K", 1), "stages is one list of values");
    refuses_status(one(s, "tile.2*m", 1), "must be names of dims");
    refuses_status(word(s, "device", "h1000"), "unknown device 'h1000'");
    refuses_status(word(s, "dtype.A", "f17"), "f17");
}

TEST(values_must_suit_their_axis)
{
    kc_space *s = space();
    refuses_status(one(s, "tile.m", 127.5), "tile of m must be a whole number of at least 1, not 127.5");
    refuses_status(one(s, "stages", 0), "stages must be a whole number of at least 1, not 0");
    refuses_status(one(s, "warps", NAN), "not nan or infinite");
    refuses_status(one(s, "order", 2), "order varies over names, not numbers");
    refuses_status(word(s, "stages", "many"), "stages varies over numbers, not 'many'");
    refuses_status(kc_space_numbers(s, "stages", NULL, 0), "stages has no values");
}

TEST(one_dim_is_in_one_axis_of_a_kind)
{
    kc_space *s = tiled_space();
    refuses_status(one(s, "tile.n m", 64), "'m' is in two axes of tile");
    assert_int_equal(one(s, "size.m", 64), KC_OK);
}

TEST(names_must_be_those_of_x)
{
    kc_space *s = tiled_space();
    assert_int_equal(one(s, "tile.z", 64), KC_OK);
    incomplete(s, "tile: 'C' has no dim 'z'; it has m k n");
    s = tiled_space();
    assert_int_equal(one(s, "size.z", 64), KC_OK);
    incomplete(s, "'z'");
    s = tiled_space();
    assert_int_equal(word(s, "order", "k z"), KC_OK);
    incomplete(s, "order: 'C' has no dim 'z'");
    s = tiled_space();
    assert_int_equal(word(s, "dtype.Z", "f8"), KC_OK);
    incomplete(s, "dtype: 'C' has no tensor 'Z'; it has A B C");
}

TEST(what_varies_a_schedule_needs_one)
{
    kc_space *s = space();
    assert_int_equal(one(s, "stages", 2), KC_OK);
    incomplete(s, "stages varies a schedule, and 'C' has none; give it one by kc.tile, or add tile = { ... }");
    s = tiled_space();
    assert_int_equal(one(s, "split.m", 2), KC_OK);
    incomplete(s, "split: 'm' is reduced by no op");
}

TEST(a_figure_needs_a_device_that_can_have_it)
{
    kc_space *s = space();
    assert_int_equal(one(s, "hbm.bandwidth", 1e12), KC_OK);
    incomplete(s, "hbm.bandwidth is a figure of a device, and no device is given");
    s = space();
    assert_int_equal(one(s, "cores", 1.5) | word(s, "device", "l4"), KC_OK);
    incomplete(s, "cores must be a whole number, not 1.5");
}

TEST(what_is_kept_goes_by_fields_that_are_numbers)
{
    kc_space *s = space();
    refuses_status(kc_space_top(s, 10, "tiem"), "a result has no number 'tiem'; did you mean 'time'");
    refuses_status(kc_space_top(s, 10, "bound"), "a result has no number 'bound'");
    refuses_status(kc_space_top(s, 0, "time"), "keep.top must be a whole number from 1 to 10^6");
    refuses_status(kc_space_top(s, 2e6, "time"), "keep.top must be a whole number");
    refuses_status(kc_space_pareto(s, NULL, 0), "one to three fields, not 0");
    refuses_status(kc_space_field(s, "tmie"), "a result has no field 'tmie'");
    assert_int_equal(kc_space_top(s, 10, "time"), KC_OK);
    incomplete(s, "keep goes by time, which only a device gives");
    s = tiled_space();
    assert_int_equal(kc_space_best_per(s, "tile.q", "bytes"), KC_OK);
    incomplete(s, "keep.best_per: there is no axis 'tile.q'; did you mean 'tile.m'");
    s = tiled_space();
    assert_int_equal(kc_space_best_per(s, " ", "bytes"), KC_OK);
    incomplete(s, "keep.best_per names no axis");
}

TEST(keeping_all_of_a_large_space_is_refused_with_what_to_do)
{
    static double tiles[2000];
    for (int i = 0; i < 2000; i++)
        tiles[i] = i + 1;
    kc_space *s = space();
    assert_int_equal(kc_space_numbers(s, "tile.m", tiles, 2000) | kc_space_numbers(s, "tile.n", tiles, 2000), KC_OK);
    incomplete(s, "the space has 4000000 points, and all are kept up to 10^6; keep = { top = 1000, by = \"time\" } keeps the best");
    assert_int_equal(kc_space_top(s, 10, "bytes"), KC_OK);
    assert_true(kc_space_points(s) == 4e6);
}

TEST(a_space_has_at_most_2_to_53_points_and_shows_its_axes)
{
    static double many[300000];
    for (int i = 0; i < 300000; i++)
        many[i] = i + 1;
    kc_space *s = space();
    assert_int_equal(kc_space_numbers(s, "tile.m", many, 300000) | kc_space_numbers(s, "tile.n", many, 300000) |
                         kc_space_numbers(s, "tile.k", many, 300000),
                     KC_OK);
    incomplete(s, "the space has 2.7e16 points, more than 2^53");
    assert_text(kc_object_text(object(s)), "space of C: tile 300000, tile 300000, tile 300000");
}

TEST(where_is_parsed_when_the_axes_are_known)
{
    kc_space *s = space();
    assert_int_equal(kc_space_where(s, "tile.m > 32"), KC_OK);
    incomplete(s, "there is no field and no axis 'tile.m'");
    assert_int_equal(one(s, "tile.m", 64), KC_OK);
    assert_true(kc_space_points(s) == 1);
}

TEST(a_shard_is_a_part_of_as_many)
{
    kc_space *s = space();
    refuses_status(kc_space_shard(s, 0, 3), "shard 0 of 3");
    refuses_status(kc_space_shard(s, 4, 3), "shard 4 of 3");
    assert_int_equal(kc_space_shard(s, 3, 3), KC_OK);
}

TEST(a_group_and_a_value_are_not_swept)
{
    kc_tensor *c = small_matmul();
    kc_object *parts[] = { object(c), object(c) };
    kc_kernel *group = kc_group(context, "G", parts, 1);
    if (group) {
        keep(group);
        refuses(kc_space_new(object(group)), "is a group; sweep its kernels");
    }
    refuses(kc_space_new(object(tensor("A", "i=1", "f16"))), "sweep");
    assert_null(kc_space_new(NULL));
}

TEST(options_that_are_of_one_result_are_refused)
{
    kc_space *s = space();
    kc_options *options = keep(kc_options_new(context));
    assert_int_equal(kc_options_set(options, "measured", 1e-3), KC_OK);
    refuses_status(kc_space_options(s, options), "'measured' and 'convention'");
}

TEST(a_space_that_was_swept_no_longer_changes)
{
    kc_space *s = tiled_space();
    keep(kc_space_sweep(s, 1, NULL, NULL));
    refuses_status(one(s, "tile.n", 64), "has been swept");
    refuses_status(kc_space_where(s, "1 == 1"), "has been swept");
}

TEST(the_hash_changes_with_all_that_decides_the_sweep)
{
    enum { WAYS = 6 };
    uint64_t hash[WAYS];
    for (int way = 0; way < WAYS; way++) {
        kc_space *s = tiled_space();
        kc_status status = word(s, "device", way == 1 ? "a10" : "l4");
        status |= way == 2 ? one(s, "tile.m", 32) : KC_OK;
        status |= way == 3 ? kc_space_where(s, "smem < 1") : KC_OK;
        status |= way == 4 ? kc_space_top(s, 10, "time") : KC_OK;
        status |= way == 5 ? kc_space_field(s, "time") : KC_OK;
        assert_int_equal(status, KC_OK);
        assert_true(kc_space_points(s) > 0);
        uint64_t again;
        assert_int_equal(kci_space_hash(s, &hash[way]), KC_OK);
        assert_int_equal(kci_space_hash(s, &again), KC_OK);
        assert_true(again == hash[way]);
        for (int other = 0; other < way; other++)
            assert_true(hash[other] != hash[way]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(axes_stand_in_the_order_of_the_design),
        fact(the_last_axis_varies_fastest),
        fact(values_of_one_axis_may_come_in_several_calls),
        fact(a_name_that_is_none_is_told_its_neighbours),
        fact(values_must_suit_their_axis),
        fact(one_dim_is_in_one_axis_of_a_kind),
        fact(names_must_be_those_of_x),
        fact(what_varies_a_schedule_needs_one),
        fact(a_figure_needs_a_device_that_can_have_it),
        fact(what_is_kept_goes_by_fields_that_are_numbers),
        fact(keeping_all_of_a_large_space_is_refused_with_what_to_do),
        fact(a_space_has_at_most_2_to_53_points_and_shows_its_axes),
        fact(where_is_parsed_when_the_axes_are_known),
        fact(a_shard_is_a_part_of_as_many),
        fact(a_group_and_a_value_are_not_swept),
        fact(options_that_are_of_one_result_are_refused),
        fact(a_space_that_was_swept_no_longer_changes),
        fact(the_hash_changes_with_all_that_decides_the_sweep),
    };
    return run(tests);
}
