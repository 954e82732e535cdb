/* test_resize.c: kernels at other sizes that share a graph and a plan count what kernels built at those sizes do. */
#include "workbench.h"

#include "program.h"
#include "random_kernel.h"
#include "resize.h"

enum { MOST_NAMES = KCI_MAX_LOOPS };

static kc_object *resize_one(void *x, const char *dim, double size)
{
    return kc_resized(x, &(kc_size){ dim, size }, 1);
}

static void *resized(void *x, const char *new_sizes)
{
    size_list s;
    parse_sizes(&s, new_sizes);
    return keep(kc_resized(x, s.list, s.count));
}

/* The same, built anew: renamed, and named as before. */
static kc_object *built_anew(kc_object *x, const kc_kernel *kernel)
{
    static char names[MOST_NAMES][2 * NAME_BYTES];
    const char *from[MOST_NAMES], *to[MOST_NAMES];
    size_t loops = kernel->graph.loop_count;
    for (size_t i = 0; i < loops; i++) {
        from[i] = kci_name(context, kernel->graph.loops[i].name);
        snprintf(names[i], sizeof names[i], "new_%.20s", from[i]);
        to[i] = names[i];
    }
    return keep(kc_renamed(keep(kc_renamed(x, from, to, loops)), to, from, loops));
}

/* All that is to be said of it, or why it does not run; the caller releases *result. */
static const char *answer(kc_object *x, const kc_device *device, kc_result **result)
{
    *result = device ? kc_evaluate(x, device, NULL) : kc_count(x, NULL);
    return *result ? kc_json(object(*result)) : kc_context_message(context);
}

/* Numbers before words: for these the tensors are made. */
static void same_answers(kc_object *a, kc_object *b, const kc_device *device)
{
    kc_result *x = device ? kc_evaluate(a, device, NULL) : kc_count(a, NULL), *y;
    const char *other = answer(b, device, &y);
    assert_int_equal(x != NULL, y != NULL);
    for (int f = 0; x && f < KC_FIELD_COUNT; f++) {
        double one = -1, two = -1;
        assert_int_equal(kc_result_number(x, (kc_field)f, &one), kc_result_number(y, (kc_field)f, &two));
        assert_number(one, two);
    }
    if (x)
        assert_text(kc_json(object(x)), other);
    kc_release(x);
    kc_release(y);
}

static size_t by_name(const kc_kernel *kernel)
{
    return kernel->graph.shares && kernel->from != NULL;
}

/* Most loops of a random kernel at other sizes; NULL: it would be an error. */
static kc_kernel *at_random_sizes(kc_kernel *k)
{
    kc_size sizes[MOST_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < k->graph.loop_count; i++)
        if (!one_in(3))
            sizes[count++] = (kc_size){ kci_name(context, k->graph.loops[i].name), chance(1, 20) };
    return (kc_kernel *)(void *)kc_resized(object(k), sizes, count);
}

TEST(random_kernels_at_other_sizes_count_as_those_that_are_built_there)
{
    size_t shared = 0, compared = 0;
    for (int seed = 1; seed <= cases(1500); seed++, drop_kept()) {
        kc_device *device = keep(kc_device_named(context, "h100-sxm5"));
        kc_kernel *k = random_kernel(context, (uint64_t)seed);
        if (!k)
            continue;
        keep(k);
        kc_result *before, *after;
        const char *first = answer(object(k), device, &before);
        for (int i = 0; i < 2 && k->member_count == 0; i++) {
            kc_kernel *other = at_random_sizes(k);
            if (!other)
                continue; /* a slice that would be too large, a mask with nothing live */
            keep(other);
            shared += by_name(other);
            compared++;
            kc_object *anew = built_anew(object(other), other);
            assert_false(((kc_kernel *)(void *)anew)->graph.shares && !other->tiling);
            same_answers(object(other), anew, NULL);
            same_answers(object(other), anew, device);
        }
        if (before)
            assert_text(answer(object(k), device, &after), first);
        else
            after = kc_evaluate(object(k), device, NULL);
        assert_int_equal(before != NULL, after != NULL);
        kc_release(before);
        kc_release(after);
    }
    assert_true(compared > shared && shared > compared / 4);
}

TEST(an_evaluator_moves_from_size_to_size)
{
    enum { POINTS = 6 };
    static const kc_field fields[] = { KC_TIME, KC_BYTES, KC_BYTES_MIN, KC_SMEM };
    enum { FIELDS = sizeof fields / sizeof *fields };
    size_t ran = 0;
    for (int seed = 1; seed <= cases(500); seed++, drop_kept()) {
        kc_device *device = keep(kc_device_named(context, "h100-sxm5"));
        kc_kernel *k = random_kernel(context, (uint64_t)seed);
        if (!k)
            continue;
        keep(k);
        if (k->member_count > 0)
            continue;
        char axis[2 * NAME_BYTES];
        const char *name = kci_name(context, k->graph.loops[0].name), *axes[] = { axis };
        snprintf(axis, sizeof axis, "size.%s", name);
        kc_evaluator *e = keep(kc_evaluator_new(object(k), device, NULL, axes, 1, fields, FIELDS));
        double sizes[POINTS] = { 1, 17, 2, chance(1, 20), k->graph.loops[0].size, chance(1, 20) }, values[FIELDS][POINTS];
        const double *in[] = { sizes };
        double *out[FIELDS];
        for (size_t f = 0; f < FIELDS; f++)
            out[f] = values[f];
        kc_status statuses[POINTS];
        assert_int_equal(kc_evaluator_run(e, POINTS, in, out, statuses), KC_OK);
        for (size_t p = 0; p < POINTS; p++) {
            kc_object *there = resize_one(k, name, sizes[p]);
            kc_result *r = there ? kc_evaluate(there, device, NULL) : NULL;
            assert_int_equal(r != NULL, statuses[p] == KC_OK);
            for (size_t f = 0; f < FIELDS && r; f++) {
                double value = -1;
                if (kc_result_number(r, fields[f], &value) == KC_OK)
                    assert_number(values[f][p], value);
            }
            ran += r != NULL;
            kc_release(r);
            kc_release(there);
        }
    }
    assert_true(ran > 0);
}

TEST(a_resized_program_makes_its_tensors_once_for_all_kernels)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=3"), large = attention_of("i=80 d=4", "j=60 d=4", "j=60 e=3");
    kc_object *parts[3] = { object(a.s), object(a.p), object(a.o) }, *made[3];
    kc_program *p = resized(keep(kc_program_new(context, "net", parts, 3)), "i=80 j=60");
    for (size_t i = 0; i < 3; i++) {
        made[i] = p->parts[i].object;
        assert_true(by_name((const kc_kernel *)(const void *)made[i]));
    }
    kc_kernel *flash = keep(kc_fuse(context, "flash", made, 3, NULL, 0));
    same_answers(object(flash), object(large.flash), NULL);
    kc_tensor *o = keep(kc_kernel_tensor((kc_kernel *)(void *)made[2], 0));
    assert_ptr_equal(o, flash->tensors[0]);
    assert_number(kc_tensor_size(o, 0), 80);
}

TEST(what_an_index_or_a_window_decides_is_built_anew_and_rows_are_as_many_as_their_tensor_has)
{
    kc_tensor *x = tensor("X", "c=4 x=16", "f16"), *e = tensor("E", "e=50 n=4", "f16");
    kc_kernel *conv = kernel_of(write_of("Y", reduce("sum", read_at(x, "c 2*p+r-1", "p=8 r=3"), "r")));
    kc_value *s = read_of(tensor("S", "q=5 k=8", "f16"));
    kc_kernel *window = kernel_of(write_of("P", map1("exp", keep(kc_mask(s, "q", "k", 0, 2)))));
    kc_kernel *causal = kernel_of(write_of("P", map1("exp", keep(kc_causal(s, "q", "k")))));
    kc_kernel *gather = kernel_of(write_of("G", read_at(e, "[m] n", "m=8")));
    assert_false(by_name(resized(conv, "c=8")));
    assert_false(by_name(resized(window, "q=8")));
    assert_true(by_name(resized(causal, "q=8")));
    assert_true(by_name(resized(gather, "m=100 n=8")));
    kc_kernel *rows = resized(gather, "e=3 m=100"); /* no more than there are */
    assert_true(by_name(rows));
    assert_number(row_of(rows, count_of(rows), "E")->read, 3 * 4 * 2);
    kc_tensor *both[2] = { write_of("G", read_at(e, "[m] n", "m=8")), write_of("H", read_at(tensor("F", "f=50 n=4", "f16"), "[m] n", "m=8")) };
    kc_kernel *two = keep(kc_kernel_new(context, NULL, both, 2)), *more = resized(two, "e=3 m=100");
    assert_false(by_name(more)); /* rows of two names, of which there were as many */
    assert_true(by_name(resized(two, "e=7 f=7")));
    assert_number(row_of(more, count_of(more), "E")->read, 3 * 4 * 2);
    assert_number(row_of(more, count_of(more), "F")->read, 50 * 4 * 2);
    kc_kernel *last = kernel_of(write_of("L", map1("exp", read_at(tensor("S", "b=4 t=8 k=3", "f16"), "b 0 k", NULL))));
    assert_true(by_name(resized(last, "t=16 b=2")));
    same_answers(resized(last, "t=16 b=2"), built_anew(resized(last, "t=16 b=2"), last), NULL);
    refuses(resize_one(causal, "z", 4), "resize: nothing in it has a dim 'z'; it has q k");
    kc_tensor *y = write_of("Y", map1("exp", read_of(write_of("P", reduce("sum", s, "k")))));
    kc_kernel *behind = resized(kernel_of(y), "k=80"); /* of the tensor that it reads */
    assert_number(kc_value_size(behind->tensors[0]->value->inputs[0]->tensor->value->inputs[0], 1), 80);
}

TEST(what_later_kernels_left_of_one_is_no_part_of_it_alone)
{
    kc_tensor *s = write_of("S", map1("exp", read_of(tensor("A", "q=8 k=8", "f16"))));
    kc_tensor *p = write_of("P", map1("exp", keep(kc_causal(read_of(s), "q", "k"))));
    kc_object *parts[2] = { object(s), object(p) };
    kc_program *net = keep(kc_program_new(context, "net", parts, 2)), *more = resized(net, "q=16 k=16");
    kc_kernel *first = (kc_kernel *)(void *)more->parts[0].object, *alone = resized(net->parts[0].object, "q=16 k=16");
    assert_number(count_of(first)->useful_special, 136); /* the triangle, which is all that P reads */
    assert_number(count_of(alone)->useful_special, 256);
}

TEST(elements_are_marked_one_by_one_at_the_sizes_of_the_day)
{
    /* two reads of one tensor, one of them under a mask: no closed form says how many they touch together */
    kc_tensor *t = tensor("S", "q=4 k=4", "f16");
    kc_value *masked = keep(kc_causal(read_of(t), "q", "k")), *first = read_at(t, "q 0", NULL);
    kc_kernel *small = tiled(kernel_of(write_of("P", map2("add", masked, first))), "q=4 k=4", "q", "k");
    static const char *const sizes[] = { "q=4 k=4", "q=64 k=64", "q=8 k=8", "q=4096 k=4096", "q=5 k=7" };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        kc_kernel *k = resized(small, sizes[i]);
        assert_true(by_name(k));
        same_answers(object(k), built_anew(object(k), k), NULL);
    }
}

TEST(sizes_may_change_again_and_again)
{
    attention a = attention_of("b=2 i=8 d=4", "b=2 j=6 d=4", "b=2 j=6 e=3");
    attention large = attention_of("b=2 i=80 d=4", "b=2 j=60 d=4", "b=2 j=60 e=3");
    kc_kernel *want = tiled(large.flash, "i=16 j=8", NULL, NULL), *k = tiled(a.flash, "i=16 j=8", NULL, NULL);
    k = resized(resized(resized(k, "i=80"), "j=9"), "j=60");
    same_answers(object(k), object(want), NULL);
    k = tiled(resized(tiled(resized(a.flash, "i=80"), "i=1", NULL, NULL), "j=60"), "i=16 j=8", NULL, NULL);
    same_answers(object(k), object(want), NULL);
    assert_number(kc_tensor_size(keep(kc_kernel_tensor(k, 0)), 1), 80);
    same_answers(object(resized(k, "i=8 j=6")), object(tiled(a.flash, "i=16 j=8", NULL, NULL)), NULL);
}

TEST(parts_that_were_resized_apart_are_resized_together)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=3"), large = attention_of("i=80 d=4", "j=60 d=4", "j=60 e=3");
    kc_object *parts[2] = { resized(a.flash, "j=5"), resized(a.flash, "j=7") }, *same[2] = { object(large.flash), object(large.flash) };
    same_answers(resized(keep(kc_group(context, "g", parts, 2)), "i=80 j=60"), keep(kc_group(context, "g", same, 2)), NULL);
}

TEST(what_was_resized_outlives_what_it_was_made_of_and_no_more_than_that)
{
    kc_value *x = read_of(tensor("A", "m=8 k=6", "f16"));
    kc_kernel *k = kc_retain(kernel_of(write_of("Y", map1("exp", x))));
    drop_kept();
    size_t most = 0;
    for (int i = 1; i <= 20; i++) {
        kc_kernel *next = (kc_kernel *)(void *)resize_one(k, "m", 8 + i), *tile = tiled(next, "m=4", NULL, NULL);
        kc_release(kc_count(object(tile), NULL));
        kc_release(k);
        k = kc_retain(tile);
        kc_release(next);
        drop_kept();
        if (i == 2)
            most = heap.live;
        assert_true(i <= 2 || heap.live <= most);
    }
    kc_tensor *y = kc_kernel_tensor(k, 0);
    assert_number(kc_tensor_size(y, 0), 28);
    kc_release(y);
    kc_release(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(random_kernels_at_other_sizes_count_as_those_that_are_built_there),
        fact(an_evaluator_moves_from_size_to_size),
        fact(a_resized_program_makes_its_tensors_once_for_all_kernels),
        fact(what_an_index_or_a_window_decides_is_built_anew_and_rows_are_as_many_as_their_tensor_has),
        fact(what_later_kernels_left_of_one_is_no_part_of_it_alone),
        fact(elements_are_marked_one_by_one_at_the_sizes_of_the_day),
        fact(sizes_may_change_again_and_again),
        fact(parts_that_were_resized_apart_are_resized_together),
        fact(what_was_resized_outlives_what_it_was_made_of_and_no_more_than_that),
    };
    return run(tests);
}
