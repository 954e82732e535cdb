/* test_program.c: kernels, groups and programs: what makes one, what they refuse. */
#include "workbench.h"

#include "program.h"

static kc_tensor *made(const char *name, const char *from)
{
    char source[16];
    snprintf(source, sizeof source, "%s", from);
    return write_of(name, map1("exp", read_of(tensor(source, "m=4", "f16"))));
}

static kc_program *program_of(const char *name, ...)
{
    kc_object *parts[64];
    size_t count = 0;
    va_list list;
    va_start(list, name);
    for (void *part; count < 64 && (part = va_arg(list, void *)) != NULL;)
        parts[count++] = part;
    va_end(list);
    return kc_program_new(context, name, parts, count);
}

/* ---- kernels ------------------------------------------------------------------------------ */

TEST(a_kernel_is_named_after_its_first_tensor)
{
    kc_tensor *out[2] = { made("A", "X"), made("B", "Y") };
    assert_text(kc_object_name(object(keep(kc_kernel_new(context, NULL, out, 2)))), "A");
    assert_text(kc_object_name(object(keep(kc_kernel_new(context, "", out, 2)))), "A");
    assert_text(kc_object_name(object(keep(kc_kernel_new(context, "both", out, 2)))), "both");
    assert_int_equal(kc_kernel_tensors(keep(kc_kernel_new(context, NULL, out, 2))), 2);
}

TEST(dims_are_ordered_by_first_appearance_operands_left_to_right)
{
    kc_tensor *s = write_of("S", matmul(read_of(tensor("Q", "b=2 i=3 d=4", "f16")),
                                        read_of(tensor("K", "b=2 j=5 d=4", "f16")), NULL));
    kc_tensor *t = write_of("T", map2("add", read_of(tensor("Z", "z=2", "f16")),
                                      read_of(tensor("W", "j=5 y=3", "f16"))));
    kc_tensor *out[2] = { s, t };
    kc_kernel *k = keep(kc_kernel_new(context, NULL, out, 2));
    static const char *const want[] = { "b", "i", "d", "j", "z", "y" };
    assert_int_equal(k->graph.loop_count, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(loop_named(k, want[i]), i);
}

TEST(a_kernel_that_cannot_be_is_refused)
{
    kc_tensor *x = tensor("X", "m=4", "f16"), *a = write_of("A", read_of(x)), *b = write_of("B", read_of(a));
    kc_tensor *list[2] = { a, a };
    refuses(kc_kernel_new(context, NULL, list, 0), "kernel: no written tensor is given");
    refuses(kc_kernel_new(context, NULL, list, 2), "kernel: A is given twice");
    list[1] = x;
    refuses(kc_kernel_new(context, NULL, list, 2), "kernel: X is not written by any op; give tensors made by kc.write");
    list[1] = b;
    refuses(kc_kernel_new(context, "k", list, 2),
            "kernel 'k': it reads A, which it writes; use kc.fuse to keep it on chip, or two kernels");
    list[0] = b, list[1] = a;
    refuses(kc_kernel_new(context, "k", list, 2), "it reads A, which it writes");
    list[1] = NULL;
    assert_null(kc_kernel_new(context, NULL, list, 2));
    assert_null(kc_kernel_new(NULL, NULL, list, 1));
}

TEST(two_tensors_of_one_name_are_refused)
{
    kc_tensor *y = write_of("Y", map2("add", read_of(tensor("X", "m=4", "f16")), read_of(tensor("X", "m=4", "f16"))));
    refuses(kc_kernel_new(context, NULL, &y, 1),
            "kernel 'Y': two tensors are named 'X'; make one and read it twice, or give them two names");
    y = write_of("X", read_of(tensor("X", "m=4", "f16")));
    refuses(kc_kernel_new(context, NULL, &y, 1), "two tensors are named 'X'");
    kc_tensor *out[2] = { made("A", "U"), made("A", "V") };
    refuses(kc_kernel_new(context, NULL, out, 2), "two tensors are named 'A'");
}

TEST(two_sizes_of_one_dim_are_refused)
{
    kc_tensor *out[2] = { made("A", "U"), write_of("B", read_of(tensor("V", "m=5", "f16"))) };
    refuses(kc_kernel_new(context, "k", out, 2),
            "kernel 'k': dim 'm' is 4 in one tensor and 5 in another; a dim has one size in a kernel");
}

TEST(a_kernel_with_a_cycle_outside_is_refused)
{
    kc_tensor *s = made("S", "X"), *mid = write_of("M", map1("relu", read_of(s)));
    kc_tensor *out[2] = { s, write_of("E", map1("relu", read_of(mid))) };
    refuses(kc_kernel_new(context, "k", out, 2),
            "kernel: 'k' would need itself: M, made outside it, reads S and is needed inside");
}

TEST(more_dims_than_a_kernel_has_are_refused)
{
    kc_value *sum = NULL;
    char name[16], dims[32];
    for (int i = 0; i < 65; i++) {
        snprintf(name, sizeof name, "X%d", i);
        snprintf(dims, sizeof dims, "d%d=1", i);
        kc_value *x = read_of(tensor(name, dims, "f16"));
        sum = sum ? map2("add", sum, x) : x;
        if (i == 63)
            kernel_of(write_of("Y", sum));
    }
    kc_tensor *y = write_of("Y", sum);
    refuses(kc_kernel_new(context, NULL, &y, 1), "kernel 'Y': more than 64 dims in one kernel");
}

/* ---- groups ------------------------------------------------------------------------------- */

TEST(a_group_is_one_launch_of_kernels_of_any_size)
{
    kc_object *parts[2] = { object(made("A", "X")), object(write_of("B",
                                                                    map1("exp",
                                                                         read_of(tensor("X", "m=9", "f16"))))) };
    kc_kernel *g = keep(kc_group(context, "ragged", parts, 2));
    kc_result *r = keep(kc_count(object(g), NULL));
    double special, launches, bytes;
    assert_int_equal(kc_result_number(r, KC_SPECIAL_OPS, &special), KC_OK);
    assert_int_equal(kc_result_number(r, KC_LAUNCHES, &launches), KC_OK);
    assert_int_equal(kc_result_number(r, KC_BYTES, &bytes), KC_OK);
    assert_number(special, 4 + 9);
    assert_number(launches, 1);
    assert_number(bytes, 2 * 2 * (4 + 9));
    assert_text(kc_object_name(object(keep(kc_group(context, NULL, parts, 2)))), "A");
}

TEST(a_group_that_cannot_be_is_refused)
{
    kc_object *parts[2] = { object(made("A", "X")), object(made("B", "X")) };
    kc_kernel *g = keep(kc_group(context, "g", parts, 2));
    refuses(kc_group(context, "h", parts, 0), "group: no kernel is given");
    parts[1] = object(g);
    refuses(kc_group(context, "h", parts, 2), "group: 'g' is a group itself; give its kernels");
    parts[1] = object(keep(kc_times(parts[0], 2)));
    refuses(kc_group(context, "h", parts, 2), "group: each part must be a kernel or a written tensor");
    parts[1] = object(tensor("Z", "m=4", "f16"));
    refuses(kc_group(context, "h", parts, 2), "group: Z is not written by any op");
    parts[1] = NULL;
    assert_null(kc_group(context, "h", parts, 2));
    refuses(kc_tile(object(g), schedule_of("m=2", NULL, NULL)),
            "tile: 'g' is a group; tile its kernels before grouping them");
}

/* ---- programs ----------------------------------------------------------------------------- */

typedef struct seen {
    char names[256];
    double times;
} seen;

static kc_status note(void *data, kc_kernel *kernel, double times)
{
    seen *s = data;
    size_t used = strlen(s->names);
    snprintf(s->names + used, sizeof s->names - used, "%s*%.0f ", kernel->name, times);
    s->times += times;
    return KC_OK;
}

TEST(a_program_runs_its_parts_in_order_nested_ones_too)
{
    kc_program *inner = keep(program_of("layer", made("A", "X"), made("B", "X"), NULL));
    kc_program *outer = keep(program_of("net", made("C", "X"), keep(kc_times(object(inner), 3)),
                                        kernel_of(made("D", "X")), NULL));
    seen s = { "", 0 };
    assert_int_equal(kci_program_visit(keep(kc_times(object(outer), 2)), note, &s), KC_OK);
    assert_text(s.names, "C*2 A*6 B*6 D*2 ");
    assert_int_equal(kc_program_parts(outer), 3);
    assert_text(kc_object_name(keep(kc_program_part(outer, 1))), "layer");
    assert_int_equal(kc_object_kind(keep(kc_program_part(outer, 0))), KC_KERNEL); /* of the written tensor */
}

static kc_status stop(void *data, kc_kernel *kernel, double times)
{
    (void)kernel;
    (void)times;
    return ++*(int *)data == 2 ? KC_ELIMIT : KC_OK;
}

TEST(a_visit_stops_at_the_first_failure)
{
    int visited = 0;
    assert_int_equal(kci_program_visit(keep(program_of("p", made("A", "X"), made("B", "X"), made("C", "X"), NULL)),
                                       stop, &visited), KC_ELIMIT);
    assert_int_equal(visited, 2);
}

TEST(a_program_that_cannot_be_is_refused)
{
    kc_tensor *a = made("A", "X");
    refuses(program_of("", a, NULL), "program: the name is missing");
    refuses(program_of(NULL, a, NULL), "program: the name is missing");
    refuses(program_of("p", NULL), "program: 'p' has no kernel");
    refuses(program_of("p", tensor("X", "m=4", "f16"), NULL), "program: X is not written by any op");
    refuses(program_of("p", read_of(a), NULL), "program: each part must be a kernel or a written tensor");
    kc_object *none = NULL;
    assert_null(kc_program_new(context, "p", &none, 1));
}

TEST(a_repetition_is_a_whole_number_of_times)
{
    kc_tensor *a = made("A", "X");
    assert_text(kc_object_name(object(keep(kc_times(object(a), 3)))), "A");
    refuses(kc_times(object(a), 0), "times: n must be a whole number of at least 1, not 0");
    refuses(kc_times(object(a), 1.5), "not 1.5");
    refuses(kc_times(object(a), -2), "not -2");
    refuses(kc_times(object(a), NAN), "not nan");
    refuses(kc_times(object(a), HUGE_VAL), "not infinite");
    refuses(kc_times(object(read_of(a)), 2), "times: the first argument must be a kernel or a written tensor");
    assert_null(kc_times(NULL, 2));
}

TEST(programs_may_hold_programs_but_not_without_end)
{
    void *part = made("A", "X");
    for (int i = 0; i < 64; i++)
        part = keep(kc_times(part, 1));
    keep(program_of("deep", part, NULL));
    part = keep(kc_times(part, 1));
    refuses(program_of("deeper", part, NULL), "holds programs more than 64 deep");
    refuses(kc_times(part, 1), "holds programs more than 64 deep");
}

/* ---- what nothing writes any more ----------------------------------------------------------- */

TEST(a_fused_away_tensor_that_is_read_later_is_refused)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    kc_tensor *later = write_of("L", map1("exp", read_of(a.s)));
    refuses(program_of("net", a.flash, later, NULL),
            "program: 'L' reads S, but a fuse before it kept that on chip and nothing writes it; add save = { \"S\" } to the "
            "fuse (net > L)");
    keep(program_of("net", keep(fuse_of("flash", "S", a.s, a.p, a.o, NULL)), later, NULL));
    keep(program_of("net", a.s, a.flash, later, NULL)); /* S is in memory from the kernel before */
    keep(program_of("net", later, a.flash, NULL));      /* read before, not later */
}

TEST(a_fused_away_tensor_is_missed_through_groups_and_nested_programs_too)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    kc_tensor *later = write_of("L", map1("exp", read_of(a.s)));
    kc_object *members[2] = { object(made("A", "X")), object(later) };
    refuses(program_of("net", a.flash, keep(kc_group(context, "g", members, 2)), NULL), "'L' reads S");
    refuses(program_of("net", keep(program_of("inner", a.flash, NULL)), later, NULL), "'L' reads S");
    members[1] = object(a.flash);
    refuses(program_of("net", keep(kc_group(context, "g", members, 2)), later, NULL), "'L' reads S");
}

TEST(what_a_kernel_keeps_on_chip_itself_is_not_missed)
{
    attention a = attention_of("i=8 d=4", "j=6 d=4", "j=6 e=2");
    kc_kernel *again = keep(fuse_of("again", NULL, a.s, a.p, a.o, NULL));
    keep(program_of("net", a.flash, again, NULL));
}

TEST(a_program_is_shown_with_its_parts)
{
    kc_program *p = keep(program_of("net", made("A", "X"), keep(kc_times(object(made("B", "X")), 3)), NULL));
    assert_text(kc_object_text(object(p)), "program net\n  1  A\n  2  B");
    assert_text(kc_object_text(keep(kc_program_part(p, 1))), "program B\n  1  B  x 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(a_kernel_is_named_after_its_first_tensor),
        fact(dims_are_ordered_by_first_appearance_operands_left_to_right),
        fact(a_kernel_that_cannot_be_is_refused),
        fact(two_tensors_of_one_name_are_refused),
        fact(two_sizes_of_one_dim_are_refused),
        fact(a_kernel_with_a_cycle_outside_is_refused),
        fact(more_dims_than_a_kernel_has_are_refused),
        fact(a_group_is_one_launch_of_kernels_of_any_size),
        fact(a_group_that_cannot_be_is_refused),
        fact(a_program_runs_its_parts_in_order_nested_ones_too),
        fact(a_visit_stops_at_the_first_failure),
        fact(a_program_that_cannot_be_is_refused),
        fact(a_repetition_is_a_whole_number_of_times),
        fact(programs_may_hold_programs_but_not_without_end),
        fact(a_fused_away_tensor_that_is_read_later_is_refused),
        fact(a_fused_away_tensor_is_missed_through_groups_and_nested_programs_too),
        fact(what_a_kernel_keeps_on_chip_itself_is_not_missed),
        fact(a_program_is_shown_with_its_parts),
    };
    return run(tests);
}
