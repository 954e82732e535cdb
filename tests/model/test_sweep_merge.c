/* test_sweep_merge.c: parts of a sweep, written, read back and joined, are the whole. */
#define _POSIX_C_SOURCE 200809L      /* strdup */
#include "workbench.h"

#include "sweep.h"

typedef struct way {
    const char *name;
    kc_status (*keep)(kc_space *space);
} way;

static kc_status keep_all(kc_space *space)
{
    (void)space;
    return KC_OK;
}

static kc_status keep_top(kc_space *space)
{
    return kc_space_top(space, 7, "throughput");
}

static kc_status keep_front(kc_space *space)
{
    return kc_space_pareto(space, (const char *[]){ "time", "smem", "occupancy" }, 3);
}

static kc_status keep_best(kc_space *space)
{
    return kc_space_best_per(space, "device size", "time");
}

static const way ways[] = { { "all", keep_all }, { "top", keep_top }, { "pareto", keep_front }, { "best per", keep_best } };
enum { WAYS = sizeof ways / sizeof *ways };

static kc_space *space_to(kc_status (*keep_by)(kc_space *))
{
    kc_tensor *a = tensor("A", "m=512 k=256", "f16"), *b = tensor("B", "k=256 n=384", "f16");
    kc_tensor *c = write_of("C", matmul(read_of(a), read_of(b), NULL));
    kc_space *space = keep(kc_space_new(object(c)));
    kc_status status = kc_space_texts(space, "device", (const char *[]){ "a100-sxm4-80gb", "h100-sxm5" }, 2);
    status |= kc_space_numbers(space, "tile.m", (double[]){ 32, 64, 512 }, 3);
    status |= kc_space_numbers(space, "tile.n", (double[]){ 32, 64, 384 }, 3);
    status |= kc_space_numbers(space, "stages", (double[]){ 1, 2, 3 }, 3);
    status |= kc_space_numbers(space, "size.m n", (double[]){ 384, 512 }, 2);
    status |= kc_space_where(space, "tile.m ~= 64 or smem < 100000");
    status |= keep_by(space);
    assert_int_equal(status, KC_OK);
    return space;
}

static kc_sweep *part_of(kc_status (*keep_by)(kc_space *), unsigned part, unsigned parts)
{
    kc_space *space = space_to(keep_by);
    assert_int_equal(kc_space_shard(space, part, parts), KC_OK);
    return keep(kc_space_sweep(space, 2, NULL, NULL));
}

static const char *written(kc_sweep *sweep, bool csv)
{
    return csv ? kc_csv(object(sweep), 0) : kc_json(object(sweep));
}

static kc_sweep *read_text(const char *text)
{
    const char *rest = "";
    kc_sweep *sweep = kc_sweep_read(context, text, &rest);
    if (sweep)
        assert_null(rest);
    return sweep;
}

static kc_sweep *read_back(kc_sweep *sweep, bool csv)
{
    return keep(read_text(written(sweep, csv)));
}

TEST(the_parts_joined_are_the_whole_to_the_last_byte)
{
    for (size_t w = 0; w < WAYS; w++)
        for (unsigned parts = 2; parts <= 7; parts += 5)
            for (int csv = 0; csv < 2; csv++) {
                kc_sweep *list[7];
                for (unsigned i = 0; i < parts; i++) /* in another order */
                    list[(i + 3) % parts] = read_back(part_of(ways[w].keep, i + 1, parts), csv);
                kc_sweep *joined = keep(kc_sweep_merge(context, list, parts));
                kc_sweep *whole = keep(kc_space_sweep(space_to(ways[w].keep), 1, NULL, NULL));
                assert_text(written(joined, false), written(whole, false));
                assert_text(written(joined, true), written(whole, true));
                drop_kept();
            }
}

TEST(parts_are_balanced_and_have_every_point_once)
{
    enum { PARTS = 16 };
    static char seen[1000];
    memset(seen, 0, sizeof seen);
    double least = INFINITY, most = 0, points = 0;
    for (unsigned i = 1; i <= PARTS; i++) {
        kc_sweep *part = part_of(keep_all, i, PARTS);
        points = kc_sweep_points(part);
        least = fmin(least, kc_sweep_done(part));
        most = fmax(most, kc_sweep_done(part));
        for (size_t row = 0; row < kc_sweep_rows(part); row++)
            assert_int_equal(seen[(size_t)kc_sweep_point(part, row)]++, 0);
        for (size_t m = 0; m < kc_sweep_missing(part); m++)
            assert_int_equal(seen[(size_t)kc_sweep_missing_point(part, m, NULL)]++, 0);
    }
    assert_number(points, 108);
    assert_true(most - least <= 1);
}

TEST(more_parts_than_points_leave_some_empty)
{
    enum { PARTS = 120 };
    kc_sweep *list[PARTS];
    size_t empty = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        list[i] = read_back(part_of(keep_top, i + 1, PARTS), i % 2);
        empty += kc_sweep_done(list[i]) == 0;
    }
    assert_int_equal(empty, 12);
    kc_sweep *joined = keep(kc_sweep_merge(context, list, PARTS));
    assert_text(written(joined, false), written(keep(kc_space_sweep(space_to(keep_top), 1, NULL, NULL)), false));
}

TEST(a_whole_sweep_reads_back)
{
    kc_sweep *whole = keep(kc_space_sweep(space_to(keep_top), 1, NULL, NULL));
    kc_sweep *again = read_back(whole, false);
    assert_text(written(again, false), written(whole, false));
    assert_null(kc_sweep_object(again, 0, NULL));
    assert_contains(kc_context_message(context), "was read from a file");
}

TEST(an_array_is_read_one_after_another)
{
    kci_text array = { .context = context };
    kc_sweep *one = part_of(keep_top, 1, 2), *two = part_of(keep_front, 1, 2);
    kci_text_format(&array, " [ %s , %s ]\n", kc_json(object(one)), kc_json(object(two)));
    const char *rest = NULL;
    assert_text(kc_json(object(keep(kc_sweep_read(context, array.bytes, &rest)))), kc_json(object(one)));
    assert_non_null(rest);
    assert_text(kc_json(object(keep(kc_sweep_read(context, rest, &rest)))), kc_json(object(two)));
    assert_null(rest);
    array.bytes[array.length - 2] = ' ';
    assert_non_null(keep(kc_sweep_read(context, array.bytes, &rest)));
    refuses(kc_sweep_read(context, rest, &rest), "']' is missing");
    kci_text_free(&array);
}

/* ---- what can't be joined ---------------------------------------------------------------------------- */

TEST(a_missing_a_doubled_and_a_foreign_part_are_errors)
{
    kc_sweep *one = part_of(keep_top, 1, 3), *two = part_of(keep_top, 2, 3), *three = part_of(keep_top, 3, 3);
    kc_sweep *other = part_of(keep_front, 3, 3), *fewer = part_of(keep_top, 2, 2);
    kc_sweep *whole = keep(kc_space_sweep(space_to(keep_top), 1, NULL, NULL));
    refuses(kc_sweep_merge(context, NULL, 0), "no parts are given");
    refuses(kc_sweep_merge(context, (kc_sweep *[]){ one, three }, 2), "part 2 of 3 is missing (2 files are given)");
    refuses(kc_sweep_merge(context, (kc_sweep *[]){ one, two, two }, 3), "part 2 of 3 is there twice: files 2 and 3");
    refuses(kc_sweep_merge(context, (kc_sweep *[]){ one, two, other }, 3), "file 3 is a part of another sweep than file 1");
    refuses(kc_sweep_merge(context, (kc_sweep *[]){ one, fewer }, 2), "file 2 is a part of another sweep");
    refuses(kc_sweep_merge(context, (kc_sweep *[]){ one, two, whole }, 3), "file 3 is a whole sweep, no part of one");
    keep(kc_sweep_merge(context, (kc_sweep *[]){ three, one, two }, 3));
}

static int at_once(void *data, double done, double points)
{
    (void)data;
    (void)points;
    return done > 0;
}

/* `part` written, one text in it replaced by another. */
static kc_sweep *changed(kc_sweep *part, const char *from, const char *to)
{
    char text[16384];
    const char *whole = written(part, false), *at = strstr(whole, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
    return keep(read_text(text));
}

TEST(parts_that_do_not_go_together_are_errors)
{
    kc_sweep *one = part_of(keep_top, 1, 2), *two = part_of(keep_top, 2, 2);
    refuses(kc_sweep_merge(context, (kc_sweep *[]){ one, changed(two, "\"roof_time\"", "\"roof\"") }, 2),
            "file 2 has the column roof where file 1 has roof_time");
    assert_null(kc_sweep_merge(context, (kc_sweep *[]){ one, NULL }, 2));
}

TEST(an_interrupted_part_is_not_joined)
{
    kc_space *space = space_to(keep_top);
    assert_int_equal(kc_space_shard(space, 1, 2), KC_OK);
    kc_sweep *part = read_back(keep(kc_space_sweep(space, 1, at_once, NULL)), true);
    assert_true(kc_sweep_interrupted(part));
    refuses(kc_sweep_merge(context, (kc_sweep *[]){ part, part_of(keep_top, 2, 2) }, 2), "part 1 was interrupted after");
}

/* ---- what can't be read ------------------------------------------------------------------------------- */

TEST(texts_that_are_no_sweep_are_refused)
{
    static const char *const texts[] = { "", "{", "[]", "{}", "null", "{\"kind\":\"result\"}", "{\"kind\":\"sweep\"} x", "{\"kind\":sweep}",
                                         "{\"kind\":\"sweep\",\"points\":}", "{\"kind\":\"sweep\",\"points\":1e999}",
                                         "{\"kind\":\"sweep\",\"columns\":{\"point\":[1,2],\"time\":[1]}}",
                                         "{\"kind\":\"sweep\",\"columns\":{\"point\":[1],\"time\":[\"a\"]}}",
                                         "{\"kind\":\"sweep\",\"shard\":[4,3]}", "{\"kind\":\"sweep\",\"axes\":7}",
                                         "{\"kind\":\"sweep\",\"name\":\"\\x\"}", "# {\"kind\":\"sweep\"}\n", "# {\"kind\":\"sweep\"}\ntime\n1\n",
                                         "# {\"kind\":\"sweep\"}\npoint,time\n1\n", "# {\"kind\":\"sweep\"}\npoint,time\n1,2,3\n",
                                         "# {\"kind\":\"sweep\"}\npoint,time\n1,x\n", "# {\"kind\":\"sweep\"}\npoint,device\n1,\"x\n" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kc_sweep *sweep = read_text(texts[i]);
        if (sweep)
            print_error("%s\n", texts[i]);
        refuses(sweep, "merge: this is no part of a sweep");
    }
    assert_null(kc_sweep_read(context, NULL, NULL));
}

/* Cut anywhere, changed anywhere: an error or a sweep, never more. */
TEST(a_broken_part_is_an_error_or_a_sweep)
{
    for (int csv = 0; csv < 2; csv++) {
        kc_sweep *part = part_of(keep_top, 1, 2);
        char *text = strdup(written(part, csv));
        size_t length = strlen(text);
        for (size_t cut = 0; cut < length; cut += 1 + cut % 3) {
            char held = text[cut];
            text[cut] = '\0';
            kc_release(read_text(text));
            text[cut] = "\",{}[]:x9\n"[cut % 10];
            kc_release(read_text(text));
            text[cut] = held;
        }
        free(text);
        kci_fail(context, KC_OK, "%s", "");
    }
}

/* JSON that another program has rewritten; what this reader does not ask for may be anything. */
TEST(escapes_and_other_members_are_read_over)
{
    kc_sweep *part = part_of(keep_top, 1, 2), *other = part_of(keep_top, 2, 2);
    kc_sweep *again = changed(part, "{\"kind\":\"sweep\"", "{\"kind\":\"swe\\u0065p\",\"more\":{\"a\":[1,{\"b\":\"\\u003d\"}],\"c\":true}");
    assert_text(kc_json(keep(kc_sweep_merge(context, (kc_sweep *[]){ again, other }, 2))),
                kc_json(keep(kc_sweep_merge(context, (kc_sweep *[]){ part, other }, 2))));
    char deep[1024] = "{\"kind\":\"sweep\",\"more\":";
    memset(deep + strlen(deep), '[', 500);
    refuses(read_text(deep), "merge: this is no part of a sweep");
    refuses(read_text("{\"kind\":\"sw\\u00e9p\"}"), "merge: this is no part of a sweep");
}

TEST(texts_with_quotes_and_commas_come_back)
{
    kc_device *odd = keep(kc_device_new(context, keep(kc_device_named(context, "l4"))));
    assert_int_equal(kc_device_set_text(odd, "id", "a \"b\", c\nd\t\\"), KC_OK);
    assert_int_equal(kc_device_seal(odd), KC_OK);
    kc_tensor *x = tensor("X", "i=4096", "f16");
    for (int csv = 0; csv < 2; csv++) {
        kc_space *space = keep(kc_space_new(object(write_of("Y", map1("relu", read_of(x))))));
        assert_int_equal(kc_space_device(space, odd) | kc_space_shard(space, 1, 2), KC_OK);
        kc_sweep *again = read_back(keep(kc_space_sweep(space, 1, NULL, NULL)), csv);
        assert_text(kc_sweep_text(again, 0, 0), "a \"b\", c\nd\t\\");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(the_parts_joined_are_the_whole_to_the_last_byte),
        fact(parts_are_balanced_and_have_every_point_once),
        fact(more_parts_than_points_leave_some_empty),
        fact(a_whole_sweep_reads_back),
        fact(an_array_is_read_one_after_another),
        fact(a_missing_a_doubled_and_a_foreign_part_are_errors),
        fact(parts_that_do_not_go_together_are_errors),
        fact(an_interrupted_part_is_not_joined),
        fact(texts_that_are_no_sweep_are_refused),
        fact(a_broken_part_is_an_error_or_a_sweep),
        fact(escapes_and_other_members_are_read_over),
        fact(texts_with_quotes_and_commas_come_back),
    };
    return run(tests);
}
