/* test_entries.c: what holds of every entry of kcost.h: each takes NULL for an object, and kc_ffi tells of it. */
#include "declared.h"
#include "workbench.h"

/* What was called, by name. */
enum { MOST = 256 };
static const char *called[MOST];
static size_t called_count;

static bool was_called(const char *name, size_t length)
{
    for (size_t i = 0; i < called_count; i++)
        if (strlen(called[i]) == length && strncmp(called[i], name, length) == 0)
            return true;
    return false;
}

static void note_call(const char *name)
{
    assert_true(called_count < MOST);
    called[called_count++] = name;
}

#define GIVES_NULL(call, ...) (note_call(#call), assert_null(call(__VA_ARGS__)))
#define GIVES_NOTHING(call, ...) (note_call(#call), assert_true(call(__VA_ARGS__) == 0))
#define FAILS(call, ...) (note_call(#call), assert_int_equal(call(__VA_ARGS__), KC_EARGUMENT))
#define DOES_NOTHING(call, ...) (note_call(#call), call(__VA_ARGS__))
#define NEEDS_NO_OBJECT(call) note_call(#call)

static void call_constructors(void)
{
    GIVES_NULL(kc_dtype_named, NULL, "f16");
    GIVES_NULL(kc_dtype_new, NULL, "x", 4, 0, 0, 0, NULL);
    GIVES_NULL(kc_tensor_new, NULL, "A", "m", NULL, NULL, 0);
    GIVES_NULL(kc_read, NULL, NULL, NULL, 0, 1, 0);
    GIVES_NULL(kc_write, "C", NULL, NULL, NULL, NULL, NULL, 0, 1);
    GIVES_NULL(kc_matmul, NULL, NULL, NULL, NULL, NULL, NULL);
    GIVES_NULL(kc_map, "relu", NULL, 0, NULL);
    GIVES_NULL(kc_reduce, "sum", NULL, "i", NULL, 0, NULL);
    GIVES_NULL(kc_scan, "sum", NULL, "i", NULL);
    GIVES_NULL(kc_softmax, NULL, "i", 0);
    GIVES_NULL(kc_lse, NULL);
    GIVES_NULL(kc_mask, NULL, "i", "j", 0, 1);
    GIVES_NULL(kc_causal, NULL, "i", "j");
    GIVES_NULL(kc_cast, NULL, NULL);
    GIVES_NULL(kc_kernel_new, NULL, NULL, NULL, 0);
    GIVES_NULL(kc_fuse, NULL, NULL, NULL, 0, NULL, 0);
    GIVES_NULL(kc_tile, NULL, NULL);
    GIVES_NULL(kc_group, NULL, NULL, NULL, 0);
    GIVES_NULL(kc_program_new, NULL, "p", NULL, 0);
    GIVES_NULL(kc_times, NULL, 2);
    GIVES_NULL(kc_beside, NULL, "p", NULL, 0);
    GIVES_NULL(kc_comm, "allreduce", NULL, 2, NULL, NULL, NULL);
    GIVES_NULL(kc_resized, NULL, NULL, 0);
    GIVES_NULL(kc_renamed, NULL, NULL, NULL, 0);
    GIVES_NULL(kc_schedule_new, NULL);
    GIVES_NULL(kc_device_named, NULL, "h100-sxm5");
    GIVES_NULL(kc_device_new, NULL, NULL);
    GIVES_NULL(kc_options_new, NULL);
    GIVES_NULL(kc_space_new, NULL);
    GIVES_NULL(kc_evaluator_new, NULL, NULL, NULL, NULL, 0, NULL, 0);
}

static void call_objects(void)
{
    GIVES_NOTHING(kc_tensor_rank, NULL);
    GIVES_NULL(kc_tensor_dim, NULL, 0);
    GIVES_NOTHING(kc_tensor_size, NULL, 0);
    GIVES_NULL(kc_tensor_dtype, NULL);
    GIVES_NOTHING(kc_value_rank, NULL);
    GIVES_NULL(kc_value_dim, NULL, 0);
    GIVES_NOTHING(kc_value_size, NULL, 0);
    GIVES_NULL(kc_value_dtype, NULL);
    GIVES_NOTHING(kc_dtype_bits, NULL);
    GIVES_NOTHING(kc_kernel_tensors, NULL);
    GIVES_NULL(kc_kernel_tensor, NULL, 0);
    GIVES_NULL(kc_kernel_schedule, NULL);
    GIVES_NULL(kc_kernel_comm, NULL);
    GIVES_NOTHING(kc_program_beside, NULL);
    GIVES_NOTHING(kc_program_parts, NULL);
    GIVES_NULL(kc_program_part, NULL, 0);
    GIVES_NOTHING(kc_program_times, NULL, 0);
    GIVES_NULL(kc_object_text, NULL);
    GIVES_NULL(kc_object_context, NULL);
    assert_text(kc_object_name(NULL), "");
    note_call("kc_object_name");
    GIVES_NULL(kc_retain, NULL);
    DOES_NOTHING(kc_release, NULL);
    DOES_NOTHING(kc_context_free, NULL);
    DOES_NOTHING(kc_context_watch, NULL, NULL, NULL);
    note_call("kc_context_status"); /* NULL is a context that there was no memory for */
    assert_int_equal(kc_context_status(NULL), KC_ENOMEM);
    note_call("kc_context_message");
    assert_text(kc_context_message(NULL), kc_status_text(KC_ENOMEM));
}

static void call_schedule(void)
{
    FAILS(kc_schedule_tile, NULL, "i", 1);
    FAILS(kc_schedule_grid, NULL, "i");
    FAILS(kc_schedule_order, NULL, "i");
    FAILS(kc_schedule_stages, NULL, NULL, 2);
    FAILS(kc_schedule_warps, NULL, 4);
    FAILS(kc_schedule_split, NULL, "k", 2);
    FAILS(kc_schedule_combine, NULL, "atomic");
    FAILS(kc_schedule_hold, NULL, "O");
    FAILS(kc_schedule_place, NULL, "Q", "registers");
    FAILS(kc_schedule_raster, NULL, "m n", 8);
    FAILS(kc_schedule_cluster, NULL, "n", 2);
    FAILS(kc_schedule_persistent, NULL, 1);
    FAILS(kc_schedule_vector, NULL, 16);
    FAILS(kc_schedule_threads, NULL, 128);
    FAILS(kc_schedule_path, NULL, "mma");
    FAILS(kc_schedule_overlap, NULL, "all");
}

static void call_devices_and_questions(void)
{
    double number;
    const char *text;
    FAILS(kc_device_set, NULL, "hbm.bandwidth", 1);
    FAILS(kc_device_set_text, NULL, "name", "x");
    FAILS(kc_device_get, NULL, "hbm.bandwidth", &number);
    GIVES_NULL(kc_device_get_text, NULL, "name");
    GIVES_NULL(kc_device_path, NULL, 0);
    FAILS(kc_device_seal, NULL);
    FAILS(kc_device_check, NULL, &text);
    FAILS(kc_occupancy, NULL, NULL, 0, KC_OCCUPANCY_CTAS, &number);
    GIVES_NULL(kc_occupancy_limit, NULL, NULL, 0);
    FAILS(kc_options_set, NULL, "l2", 0);
    FAILS(kc_options_set_text, NULL, "cache", "warm");
    GIVES_NULL(kc_count, NULL, NULL);
    GIVES_NULL(kc_evaluate, NULL, NULL, NULL);
    GIVES_NULL(kc_compare, NULL, NULL, 0, NULL, 0, NULL);
    GIVES_NULL(kc_best, NULL, NULL, NULL);
    GIVES_NULL(kc_fuse_all, NULL, NULL, NULL, 0, NULL);
    FAILS(kc_verify, NULL, &number);
    GIVES_NULL(kc_ski_slope, NULL);
    FAILS(kc_evaluator_run, NULL, 0, NULL, NULL, NULL);
    GIVES_NULL(kc_evaluator_reason, NULL);
    GIVES_NULL(kc_json, NULL);
    GIVES_NULL(kc_csv, NULL, 0);
}

static void call_results(void)
{
    double number;
    FAILS(kc_result_number, NULL, KC_TIME, &number);
    GIVES_NULL(kc_result_name, NULL);
    GIVES_NULL(kc_result_label, NULL, NULL, 0);
    GIVES_NULL(kc_result_device, NULL);
    GIVES_NULL(kc_result_on, NULL);
    GIVES_NULL(kc_result_bound, NULL);
    GIVES_NULL(kc_result_class, NULL);
    GIVES_NULL(kc_result_convention, NULL);
    GIVES_NOTHING(kc_result_tensors, NULL);
    GIVES_NULL(kc_result_tensor_name, NULL, 0);
    GIVES_NOTHING(kc_result_tensor_number, NULL, 0, KC_RELOAD);
    GIVES_NOTHING(kc_result_kernels, NULL);
    GIVES_NULL(kc_result_kernel, NULL, 0);
    GIVES_NOTHING(kc_result_notes, NULL);
    GIVES_NULL(kc_result_note, NULL, 0);
    GIVES_NULL(kc_result_schedule, NULL);
    GIVES_NULL(kc_result_schedule_path, NULL, 0);
    FAILS(kc_result_schedule_number, NULL, "tile.i", &number);
    GIVES_NULL(kc_result_schedule_text, NULL, "grid");
    GIVES_NULL(kc_result_schedule_line, NULL);
    GIVES_NULL(kc_result_explain, NULL);
    GIVES_NULL(kc_result_formula, NULL, "time");
    FAILS(kc_result_expect, NULL, "time < 1");
    FAILS(kc_result_sensitivity, NULL, "hbm", &number);
    GIVES_NULL(kc_result_best, NULL);
    GIVES_NOTHING(kc_result_searched, NULL, &number);
    GIVES_NOTHING(kc_result_visited, NULL);
    GIVES_NOTHING(kc_result_interrupted, NULL);
    GIVES_NOTHING(kc_result_is_fused, NULL);
    GIVES_NOTHING(kc_result_fusions, NULL);
    GIVES_NOTHING(kc_result_fusion_kernels, NULL, 0);
    GIVES_NULL(kc_result_fusion_kernel, NULL, 0, 0);
    GIVES_NULL(kc_result_fusion_rule, NULL, 0);
    GIVES_NULL(kc_result_fusion_refused, NULL, 0);
    FAILS(kc_result_fusion_number, NULL, 0, KC_TIME, &number, NULL);
    GIVES_NOTHING(kc_comparison_rows, NULL);
    GIVES_NOTHING(kc_comparison_devices, NULL);
    GIVES_NULL(kc_comparison_result, NULL, 0);
    GIVES_NULL(kc_comparison_error, NULL, 0);
    GIVES_NULL(kc_comparison_name, NULL, 0);
    GIVES_NULL(kc_comparison_label, NULL, 0);
    GIVES_NULL(kc_comparison_device, NULL, 0);
    FAILS(kc_comparison_ratio, NULL, 0, KC_TIME, &number);
}

static void call_spaces(void)
{
    FAILS(kc_space_numbers, NULL, "tile.i", NULL, 0);
    FAILS(kc_space_texts, NULL, "order", NULL, 0);
    FAILS(kc_space_device, NULL, NULL);
    FAILS(kc_space_dtype, NULL, "Q", NULL);
    FAILS(kc_space_options, NULL, NULL);
    FAILS(kc_space_where, NULL, "time < 1");
    FAILS(kc_space_top, NULL, 1, "time");
    FAILS(kc_space_pareto, NULL, NULL, 0);
    FAILS(kc_space_best_per, NULL, "size", "time");
    FAILS(kc_space_field, NULL, "time");
    FAILS(kc_space_shard, NULL, 1, 2);
    FAILS(kc_space_filter, NULL, NULL, NULL);
    GIVES_NOTHING(kc_space_points, NULL);
    GIVES_NULL(kc_space_sweep, NULL, 1, NULL, NULL);
    GIVES_NULL(kc_space_best, NULL, NULL, NULL);
}

static void call_sweeps(void)
{
    double number;
    unsigned parts;
    size_t i;
    GIVES_NULL(kc_point_name, NULL, 0);
    FAILS(kc_point_number, NULL, "time", &number);
    GIVES_NULL(kc_point_text, NULL, "bound");
    GIVES_NOTHING(kc_sweep_points, NULL);
    GIVES_NOTHING(kc_sweep_done, NULL);
    GIVES_NOTHING(kc_sweep_fit, NULL);
    GIVES_NOTHING(kc_sweep_interrupted, NULL);
    DOES_NOTHING(kc_sweep_part, NULL, &parts);
    GIVES_NULL(kc_sweep_name, NULL);
    GIVES_NULL(kc_sweep_keep, NULL);
    GIVES_NULL(kc_sweep_convention, NULL);
    GIVES_NOTHING(kc_sweep_rows, NULL);
    GIVES_NOTHING(kc_sweep_columns, NULL);
    GIVES_NOTHING(kc_sweep_axes, NULL);
    GIVES_NULL(kc_sweep_column, NULL, 0);
    GIVES_NULL(kc_sweep_unit, NULL, 0);
    FAILS(kc_sweep_number, NULL, 0, 0, &number);
    GIVES_NULL(kc_sweep_text, NULL, 0, 0);
    DOES_NOTHING(kc_sweep_point, NULL, 0);
    FAILS(kc_sweep_best, NULL, &i);
    GIVES_NOTHING(kc_sweep_reasons, NULL);
    GIVES_NULL(kc_sweep_reason, NULL, 0);
    GIVES_NOTHING(kc_sweep_rejected, NULL, 0, &number);
    GIVES_NOTHING(kc_sweep_missing, NULL);
    DOES_NOTHING(kc_sweep_missing_point, NULL, 0, &i);
    GIVES_NULL(kc_sweep_sentence, NULL, 0);
    GIVES_NULL(kc_sweep_object, NULL, 0, NULL);
    GIVES_NULL(kc_sweep_read, NULL, "{}", NULL);
    GIVES_NULL(kc_sweep_merge, NULL, NULL, 0);
    GIVES_NULL(kc_profile_new, NULL, 1);
    FAILS(kc_profile_feed, NULL, "", 0);
    FAILS(kc_profile_end, NULL);
}

TEST(each_takes_NULL_for_an_object_and_none_was_forgotten)
{
    called_count = 0;
    call_constructors();
    call_objects();
    call_schedule();
    call_devices_and_questions();
    call_results();
    call_spaces();
    call_sweeps();
    NEEDS_NO_OBJECT(kc_context_new);
    NEEDS_NO_OBJECT(kc_status_text);
    NEEDS_NO_OBJECT(kc_version);
    NEEDS_NO_OBJECT(kc_ffi);
    NEEDS_NO_OBJECT(kc_device_count);
    NEEDS_NO_OBJECT(kc_device_id);
    NEEDS_NO_OBJECT(kc_field_name);
    NEEDS_NO_OBJECT(kc_field_unit);
    NEEDS_NO_OBJECT(kc_field_named);
    NEEDS_NO_OBJECT(kc_ledger_name);
    NEEDS_NO_OBJECT(kc_occupancy_name);
    NEEDS_NO_OBJECT(kc_sensitivity_roof);
    note_call("kc_object_kind"); /* the one that says so itself */

    size_t count = 0;
    for (declared d = { 0 }; next_declared(&d); count++) {
        if (!was_called(d.name, d.length))
            print_error("%.*s is not called here\n", (int)d.length, d.name);
        assert_true(was_called(d.name, d.length));
    }
    assert_int_equal(count, called_count);
}

/* What takes an array, on a NULL one that is said to have items, and on one whose item is NULL. */
TEST(a_NULL_array_with_a_count_fails_and_is_named)
{
    kc_tensor *a = tensor("A", "m=4 k=8", "f16"), *c = write_of("C", map1("relu", read_of(a)));
    kc_value *x = read_of(a);
    kc_object *parts[] = { object(c) };
    kc_device *device = keep(kc_device_named(context, "h100-sxm5"));
    kc_space *space = keep(kc_space_new(object(c)));
    kc_dtype *f16 = keep(kc_dtype_named(context, "f16"));
    const kc_field time[] = { KC_TIME };
    const char *const m[] = { "m" };
    refuses(kc_tensor_new(context, "B", "m", f16, NULL, 1), "tensor: sizes is NULL");
    refuses(kc_read(a, "p", NULL, 1, 1, 0), "read: sizes is NULL");
    refuses(kc_write("D", x, NULL, "m", "m", NULL, 1, 1), "write: sizes is NULL");
    refuses(kc_reduce("sum", x, "k", NULL, 1, NULL), "reduce: sizes is NULL");
    refuses(kc_kernel_new(context, "K", NULL, 1), "kernel: tensors is NULL");
    refuses(kc_fuse(context, "F", NULL, 1, NULL, 0), "fuse: parts is NULL");
    refuses(kc_fuse(context, "F", parts, 1, NULL, 1), "fuse: save is NULL");
    kc_program *program = keep(kc_program_new(context, "P", parts, 1));
    refuses(kc_fuse_all(object(program), device, NULL, 1, NULL), "fuse_all: save is NULL");
    refuses(kc_group(context, "G", NULL, 1), "group: parts is NULL");
    refuses(kc_program_new(context, "P", NULL, 1), "program: parts is NULL");
    refuses(kc_beside(context, "P", NULL, 2), "beside: parts is NULL");
    refuses(kc_resized(object(c), NULL, 1), "resize: sizes is NULL");
    refuses(kc_renamed(object(c), NULL, m, 1), "rename: from is NULL");
    refuses(kc_renamed(object(c), m, NULL, 1), "rename: to is NULL");
    refuses(kc_compare(context, NULL, 1, NULL, 0, NULL), "nothing to compare");
    refuses(kc_compare(context, parts, 1, NULL, 1, NULL), "nothing to compare");
    refuses(kc_evaluator_new(object(c), device, NULL, NULL, 1, time, 1), "it wants the names of axes");
    refuses(kc_evaluator_new(object(c), device, NULL, m, 1, NULL, 1), "at least one field");
    refuses(kc_sweep_merge(context, NULL, 1), "merge: parts is NULL");
    refuses_status(kc_occupancy(device, NULL, 1, KC_OCCUPANCY_CTAS, NULL), "occupancy: cta is NULL");
    assert_null(kc_occupancy_limit(device, NULL, 1));
    refuses_status(kc_space_numbers(space, "tile.m", NULL, 1), "tile.m: numbers is NULL");
    refuses_status(kc_space_texts(space, "order", NULL, 1), "order: texts is NULL");
    refuses_status(kc_space_pareto(space, NULL, 1), "keep.pareto is NULL");
    assert_null(kc_map("relu", NULL, 1, NULL));
    kc_result *r = keep(kc_count(object(c), NULL));
    assert_null(kc_result_label(r, NULL, 1));
    kc_evaluator *e = keep(kc_evaluator_new(object(c), device, NULL, NULL, 0, time, 1));
    refuses_status(kc_evaluator_run(e, 1, NULL, NULL, NULL), "a column is missing");
}

TEST(a_NULL_item_of_an_array_fails)
{
    kc_tensor *a = tensor("A", "m=4 k=8", "f16"), *c = write_of("C", map1("relu", read_of(a)));
    kc_device *device = keep(kc_device_named(context, "h100-sxm5"));
    kc_space *space = keep(kc_space_new(object(c)));
    kc_dtype *f16 = keep(kc_dtype_named(context, "f16"));
    kc_object *parts[] = { object(c) }, *no_part[] = { NULL };
    kc_tensor *no_tensor[] = { NULL };
    kc_sweep *no_sweep[] = { NULL };
    const kc_field time[] = { KC_TIME };
    const char *const no_text[] = { NULL }, *const m[] = { "m" };
    const kc_size no_name[] = { { NULL, 4 } };
    assert_null(kc_tensor_new(context, "B", "m", f16, no_name, 1));
    assert_null(kc_kernel_new(context, "K", no_tensor, 1));
    assert_null(kc_fuse(context, "F", no_part, 1, NULL, 0));
    assert_null(kc_fuse(context, "F", parts, 1, no_text, 1));
    assert_null(kc_fuse_all(object(keep(kc_program_new(context, "P", parts, 1))), device, no_text, 1, NULL));
    assert_null(kc_group(context, "G", no_part, 1));
    assert_null(kc_program_new(context, "P", no_part, 1));
    assert_null(kc_beside(context, "P", no_part, 1));
    assert_null(kc_resized(object(c), no_name, 1));
    assert_null(kc_renamed(object(c), no_text, m, 1));
    assert_null(kc_renamed(object(c), m, no_text, 1));
    assert_null(kc_compare(context, no_part, 1, NULL, 0, NULL));
    assert_null(kc_evaluator_new(object(c), device, NULL, no_text, 1, time, 1));
    assert_null(kc_sweep_merge(context, no_sweep, 1));
    assert_int_equal(kc_occupancy(device, no_name, 1, KC_OCCUPANCY_CTAS, NULL), KC_EARGUMENT);
    assert_int_equal(kc_space_texts(space, "order", no_text, 1), KC_EARGUMENT);
    assert_int_equal(kc_space_pareto(space, no_text, 1), KC_EARGUMENT);
}

TEST(a_position_that_is_not_there_gives_nothing)
{
    kc_tensor *a = tensor("A", "m=4 k=8", "f16");
    kc_value *x = read_of(a);
    kc_kernel *c = kernel_of(write_of("C", map1("relu", x)));
    kc_object *parts[] = { object(c) };
    kc_program *p = keep(kc_program_new(context, "p", parts, 1));
    kc_result *r = keep(kc_count(object(p), NULL));
    assert_null(kc_tensor_dim(a, 2));
    assert_number(kc_tensor_size(a, 2), 0);
    assert_null(kc_value_dim(x, 2));
    assert_number(kc_value_size(x, 2), 0);
    assert_null(kc_kernel_tensor(c, 1));
    assert_null(kc_program_part(p, 1));
    assert_number(kc_program_times(p, 1), 0);
    assert_null(kc_result_tensor_name(r, kc_result_tensors(r)));
    assert_null(kc_result_kernel(r, 1));
    assert_null(kc_result_note(r, kc_result_notes(r)));
    assert_null(kc_device_id(kc_device_count()));
    assert_null(kc_field_name(KC_FIELD_COUNT));
    assert_null(kc_ledger_name(KC_LEDGER_COUNT));
    assert_int_equal(kc_field_named(NULL), KC_FIELD_COUNT);
}

TEST(objects_of_two_contexts_do_not_mix)
{
    kc_context *here = context;
    kc_tensor *a = tensor("A", "m=4 k=8", "f16"), *c = write_of("C", map1("relu", read_of(a)));
    kc_value *x = read_of(a);
    kc_schedule *s = schedule_of("m=2", NULL, NULL);
    kc_object *parts[] = { object(c) };
    kc_value *inputs[] = { NULL, x };
    context = kc_context_new(counted_resize, &heap);
    const kc_size size[] = { { "m", 4 }, { "k", 8 } };
    kc_dtype *f16 = kc_dtype_named(context, "f16");
    kc_tensor *b = kc_tensor_new(context, "B", "m k", f16, size, 2), *d;
    inputs[0] = kc_read(b, NULL, NULL, 0, 1, 0);
    d = kc_write("D", inputs[0], NULL, NULL, NULL, NULL, 0, 1);
    refuses(kc_map("add", inputs, 2, NULL), "another context");
    refuses(kc_matmul(inputs[0], x, "k", NULL, NULL, NULL), "another context");
    refuses(kc_kernel_new(context, NULL, &c, 1), "another context");
    refuses(kc_fuse(context, "f", parts, 1, NULL, 0), "another context");
    refuses(kc_group(context, "g", parts, 1), "another context");
    refuses(kc_program_new(context, "p", parts, 1), "another context");
    refuses(kc_compare(context, parts, 1, NULL, 0, NULL), "another context");
    refuses(kc_tile(object(d), s), "another context");
    void *const made[] = { d, inputs[0], b, f16 };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        kc_release(made[i]);
    kc_context_free(context);
    context = here;
}

TEST(a_status_has_words)
{
    assert_text(kc_status_text(KC_EDEVICE), "the kernel does not run on this device");
    assert_text(kc_status_text((kc_status)99), "an unknown status");
}

TEST(a_program_tells_how_often_a_part_runs)
{
    kc_object *twice = keep(kc_times(object(kernel_of(write_of("C", map1("relu", read_of(tensor("A", "m=4", "f16")))))), 3));
    assert_number(kc_program_times((kc_program *)twice, 0), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fact(each_takes_NULL_for_an_object_and_none_was_forgotten),
        fact(a_NULL_array_with_a_count_fails_and_is_named),
        fact(a_NULL_item_of_an_array_fails),
        fact(a_position_that_is_not_there_gives_nothing),
        fact(objects_of_two_contexts_do_not_mix),
        fact(a_status_has_words),
        fact(a_program_tells_how_often_a_part_runs),
    };
    return run(tests);
}
