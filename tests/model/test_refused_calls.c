/* test_refused_calls.c: each function of kcost.h that asks for memory, with its n-th request refused: once, and from then
 * on.  It fails with KC_ENOMEM or does without, what it was called on is as it was, the same call again gives what it
 * gives an object that was never refused anything, and no byte is left.
 *
 * KCOST_REFUSALS=all (make oom) tries every n, else a few of each call. */
#include "declared.h"
#include "refused_stage.h"

enum { MOST_TEXT = 1 << 18, MOST_NAMES = 256, A_FEW = 12 };

/* ---- how a call went --------------------------------------------------------------------------------------------- */

/* What the call said, and what everything that is kept looks like. */
typedef struct look {
    char text[MOST_TEXT];
    size_t length;
} look;

static struct {
    size_t refuse; /* the n-th request; 0: none */
    int for_ever;  /* and all after it */
    bool look;     /* is wanted at what there is before the call */
    bool again;    /* the call is made once more: everything is there */
    bool once;     /* what fails can only be released */
    bool over;     /* there are no more calls */
    const char *name;
    size_t asked;  /* requests of the call */
    look said;
} call;

static look before, after, now;

static const char *named[MOST_NAMES]; /* the functions that are called here */
static size_t named_count;

static void clear(look *l)
{
    l->length = 0;
    l->text[0] = '\0';
}

static void show(look *l, const char *text)
{
    int length = snprintf(l->text + l->length, sizeof l->text - l->length, "%s\n", text ? text : "NULL");
    assert_true(length > 0 && (size_t)length < sizeof l->text - l->length);
    l->length += (size_t)length;
}

static void show_kept(look *l)
{
    for (size_t i = 0; i < kept_count; i++) {
        kc_kind kind = kc_object_kind(kept[i]);
        show(l, kc_object_text(kept[i]));
        if (kind == KC_RESULT || kind == KC_COMPARISON || kind == KC_SWEEP || kept[i] == on.own)
            show(l, kc_json(kept[i]));
    }
}

static void note_name(const char *name)
{
    for (size_t i = 0; i < named_count; i++)
        if (strcmp(named[i], name) == 0)
            return;
    assert_true(named_count < MOST_NAMES);
    named[named_count++] = name;
}

/* From here on requests are refused. */
static void begin(const char *name, void (*stage)(void), bool once)
{
    note_name(call.name = name);
    if (!call.again)
        stage();
    if (call.look) {
        clear(&before);
        show_kept(&before);
    }
    call.once = once;
    clear(&call.said);
    heap.requests = 0;
    heap.fail_at = call.refuse;
    heap.for_ever = call.for_ever;
}

static void end(void)
{
    call.asked = heap.requests;
    heap.fail_at = 0;
}

static bool gives(void *made)
{
    end();
    return made && keep(made);
}

static bool gives_text(const char *text)
{
    end();
    if (text)
        show(&call.said, text);
    return text;
}

static bool gives_number(double number)
{
    char text[32];
    end();
    snprintf(text, sizeof text, "%.17g", number);
    show(&call.said, text);
    return number != 0;
}

static bool gives_count(size_t count)
{
    return gives_number((double)count);
}

static bool succeeds(kc_status status)
{
    end();
    if (status != KC_OK && status != kc_context_status(context))
        print_error("%s returns %d, and the context's status is %d\n", call.name, (int)status, (int)kc_context_status(context));
    return status == KC_OK;
}

/* There is no such call. */
static bool over(void)
{
    call.over = true;
    return false;
}

/* ---- the calls ------------------------------------------------------------------------------------------------------ */

#define GONE_WELL(x) _Generic((x), const char *: gives_text, kc_status: succeeds, double: gives_number, size_t: gives_count, default: gives)(x)
/* A function, and its arguments on a stage that is set for it; ONCE: one that can't be called again. */
#define ON(stage, function, ...) \
    if (i-- == 0) return begin(#function, stage, false), GONE_WELL(function(__VA_ARGS__))
#define ONCE(stage, function, ...) \
    if (i-- == 0) return begin(#function, stage, true), GONE_WELL(function(__VA_ARGS__))

static bool build(size_t i)
{
    ON(nothing, kc_dtype_named, context, "f16");
    ON(nothing, kc_dtype_new, context, "own", 4, 32, 8, 0, "f16");
    ON(attended, kc_tensor_new, context, "T", "b i d", on.bf16, sizes, 3);
    ON(attended, kc_read, on.a.q, NULL, NULL, 0, 1, 0);
    ON(attended, kc_read, on.a.q, "b i+r-1 d", sizes, 5, 1, 0);
    ON(attended, kc_write, "W", on.probabilities, NULL, "j b i", NULL, NULL, 0, 1);
    ON(attended, kc_write, "W", on.q, NULL, "t d", "[b i] d", sizes, 5, 1);
    ON(attended, kc_matmul, on.q, on.k, "d", NULL, NULL, on.scores);
    ON(attended, kc_map, "add", (kc_value *[]){ on.q, on.k }, 2, NULL);
    ON(attended, kc_reduce, "sum", on.scores, "i j", sizes + 4, 1, NULL);
    ON(attended, kc_scan, "cumsum", on.scores, "j", NULL);
    ON(attended, kc_softmax, on.scores, "j", 0);
    ON(attended, kc_lse, on.probabilities);
    ON(attended, kc_mask, on.scores, "i", "j", -3, HUGE_VAL);
    ON(attended, kc_causal, on.scores, "i", "j");
    ON(attended, kc_cast, on.scores, on.bf16);
    ON(attended, kc_comm, "allgather", on.a.o, 4, "e", "tree", NULL);
    ON(attended, kc_kernel_new, context, "s", &on.a.s, 1);
    ON(attended, kc_fuse, context, "flash", three(), 3, (const char *const[]){ "S" }, 1);
    ON(scheduled, kc_tile, object(on.a.flash), on.schedule);
    ON(scheduled, kc_group, context, "g", two() + 1, 1);
    ON(scheduled, kc_program_new, context, "again", two(), 2);
    ON(scheduled, kc_times, object(on.net), 3);
    ON(scheduled, kc_beside, context, "both", two(), 2);
    ON(scheduled, kc_resized, object(on.net), longer, 1);
    ON(scheduled, kc_resized, object(on.tiled), longer, 1);
    ON(scheduled, kc_renamed, object(on.tiled), from, to, 2);
    ON(scheduled, kc_renamed, object(on.net), from, to, 2);
    ON(scheduled, kc_kernel_tensor, on.resized, 0);
    return over();
}

static bool arrange(size_t i)
{
    ON(nothing, kc_schedule_new, context);
    ON(scheduled, kc_schedule_tile, on.schedule, "e f g h u v w x y z", 8);
    ON(scheduled, kc_schedule_grid, on.schedule, "i b e f g h");
    ON(scheduled, kc_schedule_order, on.schedule, "d j u v w x");
    ON(scheduled, kc_schedule_stages, on.schedule, "K", 2);
    ON(scheduled, kc_schedule_split, on.schedule, "j", 2);
    ON(scheduled, kc_schedule_hold, on.schedule, "Q");
    ON(scheduled, kc_schedule_place, on.schedule, "V", "registers");
    ON(scheduled, kc_schedule_raster, on.schedule, "i b", 2);
    ON(scheduled, kc_schedule_cluster, on.schedule, "i", 2);
    ON(scheduled, kc_schedule_path, on.schedule, "wgmma");
    ON(nothing, kc_device_named, context, "h100");
    ON(on_device, kc_device_new, context, on.device);
    ON(nothing, kc_device_new, context, NULL);
    ON(changed, kc_device_set_text, on.own, "source.clock", "measured here");
    ON(nothing, kc_options_new, context);
    ON(on_device, kc_options_set_text, on.options, "cache.K", "warm");
    return over();
}

static const char *report, *rest;

static bool ask(size_t i)
{
    ON(scheduled, kc_count, object(on.tiled), NULL);
    ON(scheduled, kc_count, object(on.net), NULL);
    ON(on_device, kc_evaluate, object(on.tiled), on.device, on.options);
    ON(on_device, kc_evaluate, object(on.net), on.device, NULL);
    ON(on_device, kc_compare, context, two(), 2, &on.device, 1, NULL);
    ON(unfit, kc_compare, context, one_that_fits(), 2, &on.device, 1, NULL);
    ON(on_device, kc_best, object(on.a.p), on.device, NULL);
    ON(on_device, kc_best, object(on.net), on.device, NULL);
    ON(on_device, kc_fuse_all, object(on.net), on.device, (const char *const[]){ "O" }, 1, NULL);
    ON(scheduled, kc_verify, object(on.tiled), NULL);
    ON(on_device, kc_device_check, on.device, &report);
    ON(answered, kc_result_label, on.result, (kc_result *[]){ on.result, on.sum }, 2);
    ON(answered, kc_result_convention, on.result);
    ON(answered, kc_result_notes, on.sum);
    ON(answered, kc_result_note, on.sum, 0);
    ON(answered, kc_result_schedule, on.result);
    ON(answered, kc_result_schedule_path, on.result, 0);
    ON(answered, kc_result_schedule_number, on.result, "tile.i", times);
    ON(answered, kc_result_schedule_text, on.result, "grid");
    ON(answered, kc_result_schedule_line, on.result);
    ON(answered, kc_result_explain, on.result);
    ON(answered, kc_result_explain, on.sum);
    ON(answered, kc_result_explain, on.count);
    ON(answered, kc_result_formula, on.result, "time");
    ON(answered, kc_result_formula, on.sum, "bytes");
    ON(answered, kc_result_expect, on.result, "time < 1 and bytes > 2 * flops / 1e9");
    ON(answered, kc_result_sensitivity, on.result, "hbm", times);
    ON(attended, kc_object_text, object(on.scores));
    ON(scheduled, kc_object_text, object(on.tiled));
    ON(scheduled, kc_json, object(on.net));
    ON(scheduled, kc_csv, object(on.tiled), 0);
    ON(answered, kc_json, object(on.result));
    ON(answered, kc_csv, object(on.result), 1);
    ON(chosen, kc_json, object(on.best));
    ON(compared, kc_comparison_label, on.compared, 1);
    ON(compared, kc_json, object(on.compared));
    ON(compared, kc_csv, object(on.compared), 0);
    ON(on_device, kc_json, object(on.device));
    return over();
}

static bool search(size_t i)
{
    ON(attended, kc_space_new, object(on.a.flash));
    ON(spaced, kc_space_numbers, on.space, "tile.n", tiles, 2);
    ON(spaced, kc_space_texts, on.space, "order", (const char *const[]){ "k" }, 1);
    ON(spaced, kc_space_texts, on.space, "device", (const char *const[]){ "l4" }, 1);
    ON(spaced, kc_space_device, on.space, on.device);
    ON(spaced, kc_space_dtype, on.space, "A B", on.bf16);
    ON(spaced, kc_space_options, on.space, on.options);
    ON(spaced, kc_space_where, on.space, "smem < 1 and (device == 'a' or tile.m > min(2, 3))");
    ON(spaced, kc_space_best_per, on.space, "device", "time");
    ON(spaced, kc_space_points, on.space);
    ON(spaced, kc_space_sweep, on.space, 1, NULL, NULL);
    ON(spaced, kc_space_sweep, on.space, 2, NULL, NULL);
    ON(spaced, kc_space_best, on.space, NULL, NULL);
    ON(swept, kc_sweep_object, on.sweep, 1, NULL);
    ON(swept, kc_json, object(on.sweep));
    ON(swept, kc_csv, object(on.sweep), 0);
    ON(swept, kc_sweep_read, context, on.part, &rest);
    ON(swept, kc_sweep_merge, context, on.parts, 2);
    ON(spaced, kc_ski_slope, object(on.c));
    ON(spaced, kc_evaluator_new, object(on.c), on.device, on.options, axes, 2, time_field, 1);
    ON(compiled, kc_evaluator_run, on.evaluator, 2, columns(), answers(), NULL);
    ON(nothing, kc_profile_new, context, 4);
    ONCE(profiling, kc_profile_feed, on.profile, export_text, sizeof export_text - 1);
    ONCE(fed, kc_profile_end, on.profile);
    ON(profiled, kc_json, object(on.profile));
    return over();
}

/* ---- what asks for no memory ------------------------------------------------------------------------------------- */

static void asked_nothing(const char *name)
{
    if (heap.requests > 0)
        print_error("%s asks for memory\n", name);
    assert_int_equal(heap.requests, 0);
}

#define ASKS_NOTHING(function, ...) (note_name(#function), function(__VA_ARGS__), asked_nothing(#function))

#define GIVES_A_REFERENCE(function, ...) (note_name(#function), kc_release(function(__VA_ARGS__)), asked_nothing(#function))

static int look_at_point(void *data, const kc_point *point)
{
    size_t asked = heap.requests;
    double number;
    (void)data;
    heap.requests = 0;
    ASKS_NOTHING(kc_point_name, point, 0);
    ASKS_NOTHING(kc_point_number, point, "time", &number);
    ASKS_NOTHING(kc_point_text, point, "bound");
    heap.requests = asked;
    return 1;
}

static void ask_constants(void)
{
    note_name("kc_version"), note_name("kc_ffi"), note_name("kc_device_count");
    assert_true(kc_version() && kc_ffi() && kc_device_count() > 0);
    ASKS_NOTHING(kc_status_text, KC_ENOMEM);
    ASKS_NOTHING(kc_device_id, 0);
    ASKS_NOTHING(kc_occupancy_name, KC_MAX_SMEM);
    ASKS_NOTHING(kc_field_name, KC_TIME);
    ASKS_NOTHING(kc_field_unit, KC_TIME);
    ASKS_NOTHING(kc_field_named, "time");
    ASKS_NOTHING(kc_ledger_name, KC_RELOAD);
    ASKS_NOTHING(kc_sensitivity_roof, 0);
    ASKS_NOTHING(kc_context_status, context);
    ASKS_NOTHING(kc_context_message, context);
    ASKS_NOTHING(kc_context_watch, context, NULL, NULL);
}

static void ask_objects(void)
{
    ASKS_NOTHING(kc_object_kind, object(on.a.q));
    ASKS_NOTHING(kc_object_name, object(on.a.q));
    ASKS_NOTHING(kc_object_context, object(on.a.q));
    ASKS_NOTHING(kc_retain, on.a.q);
    ASKS_NOTHING(kc_release, on.a.q);
    ASKS_NOTHING(kc_dtype_bits, on.bf16);
    ASKS_NOTHING(kc_tensor_rank, on.a.q);
    ASKS_NOTHING(kc_tensor_dim, on.a.q, 0);
    ASKS_NOTHING(kc_tensor_size, on.a.q, 0);
    GIVES_A_REFERENCE(kc_tensor_dtype, on.a.q);
    ASKS_NOTHING(kc_value_rank, on.q);
    ASKS_NOTHING(kc_value_dim, on.q, 0);
    ASKS_NOTHING(kc_value_size, on.q, 0);
    GIVES_A_REFERENCE(kc_value_dtype, on.q);
    ASKS_NOTHING(kc_kernel_tensors, on.tiled);
    GIVES_A_REFERENCE(kc_kernel_schedule, on.tiled);
    ASKS_NOTHING(kc_kernel_comm, on.tiled);
    ASKS_NOTHING(kc_program_beside, on.net);
    ASKS_NOTHING(kc_program_parts, on.net);
    GIVES_A_REFERENCE(kc_program_part, on.net, 0);
    ASKS_NOTHING(kc_program_times, on.net, 0);
    ASKS_NOTHING(kc_schedule_warps, on.schedule, 8);
    ASKS_NOTHING(kc_schedule_combine, on.schedule, "atomic");
    ASKS_NOTHING(kc_schedule_overlap, on.schedule, "load");
    ASKS_NOTHING(kc_schedule_persistent, on.schedule, 1);
    ASKS_NOTHING(kc_schedule_vector, on.schedule, 16);
    ASKS_NOTHING(kc_schedule_threads, on.schedule, 128);
    ASKS_NOTHING(kc_device_set, on.own, "link.bandwidth", 1e9);
    ASKS_NOTHING(kc_device_seal, on.own);
    ASKS_NOTHING(kc_occupancy_limit, on.device, cta, 3);
    ASKS_NOTHING(kc_device_get, on.device, "clock", times);
    ASKS_NOTHING(kc_device_get_text, on.device, "arch");
    ASKS_NOTHING(kc_device_path, on.device, 0);
    ASKS_NOTHING(kc_options_set, on.options, "l2", 0);
    ASKS_NOTHING(kc_occupancy, on.device, cta, 3, KC_OCCUPANCY_CTAS, times);
}

static void ask_results(void)
{
    ASKS_NOTHING(kc_result_number, on.result, KC_TIME, times);
    ASKS_NOTHING(kc_result_name, on.result);
    ASKS_NOTHING(kc_result_device, on.result);
    GIVES_A_REFERENCE(kc_result_on, on.result);
    ASKS_NOTHING(kc_result_bound, on.result);
    ASKS_NOTHING(kc_result_class, on.result);
    ASKS_NOTHING(kc_result_tensors, on.result);
    ASKS_NOTHING(kc_result_tensor_name, on.result, 0);
    ASKS_NOTHING(kc_result_tensor_number, on.result, 0, KC_RELOAD);
    ASKS_NOTHING(kc_result_kernels, on.sum);
    GIVES_A_REFERENCE(kc_result_kernel, on.sum, 0);
    GIVES_A_REFERENCE(kc_result_best, on.best);
    ASKS_NOTHING(kc_result_searched, on.best, times);
    ASKS_NOTHING(kc_result_visited, on.best);
    ASKS_NOTHING(kc_result_interrupted, on.best);
    ASKS_NOTHING(kc_result_is_fused, on.fused);
    ASKS_NOTHING(kc_result_fusions, on.fused);
    ASKS_NOTHING(kc_result_fusion_kernels, on.fused, 0);
    ASKS_NOTHING(kc_result_fusion_kernel, on.fused, 0, 0);
    ASKS_NOTHING(kc_result_fusion_rule, on.fused, 0);
    ASKS_NOTHING(kc_result_fusion_refused, on.fused, 0);
    ASKS_NOTHING(kc_result_fusion_number, on.fused, 0, KC_TIME, times, times + 1);
    ASKS_NOTHING(kc_comparison_rows, on.compared);
    ASKS_NOTHING(kc_comparison_devices, on.compared);
    GIVES_A_REFERENCE(kc_comparison_result, on.compared, 0);
    ASKS_NOTHING(kc_comparison_error, on.compared, 0);
    ASKS_NOTHING(kc_comparison_name, on.compared, 0);
    ASKS_NOTHING(kc_comparison_device, on.compared, 0);
    ASKS_NOTHING(kc_comparison_ratio, on.compared, 0, KC_TIME, times);
}

static void ask_sweeps(void)
{
    unsigned parts;
    size_t row;
    ASKS_NOTHING(kc_sweep_points, on.sweep);
    ASKS_NOTHING(kc_sweep_done, on.sweep);
    ASKS_NOTHING(kc_sweep_fit, on.sweep);
    ASKS_NOTHING(kc_sweep_interrupted, on.sweep);
    ASKS_NOTHING(kc_sweep_part, on.sweep, &parts);
    ASKS_NOTHING(kc_sweep_name, on.sweep);
    ASKS_NOTHING(kc_sweep_keep, on.sweep);
    ASKS_NOTHING(kc_sweep_convention, on.sweep);
    ASKS_NOTHING(kc_sweep_rows, on.sweep);
    ASKS_NOTHING(kc_sweep_columns, on.sweep);
    ASKS_NOTHING(kc_sweep_axes, on.sweep);
    ASKS_NOTHING(kc_sweep_column, on.sweep, 0);
    ASKS_NOTHING(kc_sweep_unit, on.sweep, 0);
    ASKS_NOTHING(kc_sweep_number, on.sweep, 0, 0, times);
    ASKS_NOTHING(kc_sweep_text, on.sweep, 0, 0);
    ASKS_NOTHING(kc_sweep_point, on.sweep, 0);
    ASKS_NOTHING(kc_sweep_best, on.sweep, &row);
    ASKS_NOTHING(kc_sweep_reasons, on.sweep);
    ASKS_NOTHING(kc_sweep_reason, on.sweep, 0);
    ASKS_NOTHING(kc_sweep_rejected, on.sweep, 0, times);
    ASKS_NOTHING(kc_sweep_missing, on.sweep);
    ASKS_NOTHING(kc_sweep_missing_point, on.sweep, 0, &row);
    ASKS_NOTHING(kc_sweep_sentence, on.sweep, 0);
    ASKS_NOTHING(kc_evaluator_reason, on.evaluator);
}

static void ask_for_nothing(void)
{
    changed(), answered(), chosen(), compared();
    on.fused = keep(kc_fuse_all(object(on.net), on.device, NULL, 0, NULL));
    swept(), compiled();
    heap.requests = 0;
    ask_constants();
    ask_objects();
    ask_results();
    ask_sweeps();
    ASKS_NOTHING(kc_space_top, on.space, 3, "time");
    ASKS_NOTHING(kc_space_pareto, on.space, (const char *const[]){ "time", "bytes" }, 2);
    ASKS_NOTHING(kc_space_field, on.space, "bytes");
    ASKS_NOTHING(kc_space_shard, on.space, 1, 1);
    ASKS_NOTHING(kc_space_filter, on.space, look_at_point, NULL);
    keep(kc_space_sweep(on.space, 1, NULL, NULL));
    kc_context *none = kc_context_new(counted_resize, &(memory){ .fail_at = 1 });
    note_name("kc_context_new");
    heap.requests = 0;
    ASKS_NOTHING(kc_context_free, none);
}

TEST(the_other_functions_ask_for_no_memory)
{
    set_stage();
    ask_for_nothing();
    assert_int_equal(nothing_left(NULL), 0);
}

/* ---- the refusals ------------------------------------------------------------------------------------------------ */

typedef bool maker(size_t i);
static maker *const families[] = { build, arrange, ask, search };

static bool looks_like(const look *want, const char *when)
{
    now = call.said;
    show_kept(&now);
    size_t at = 0;
    while (now.text[at] == want->text[at] && now.text[at])
        at++;
    if (at == want->length && at == now.length)
        return true;
    at = at < 80 ? 0 : at - 80;
    print_error("%s: …%.200s…\nnot …%.200s…\n", when, now.text + at, want->text + at);
    return false;
}

/* The i-th call of a family, its n-th request refused; false: it was not as it should be. */
static bool try_call(maker *make, size_t i, size_t n, int for_ever)
{
    set_stage();
    call.refuse = n;
    call.for_ever = for_ever;
    call.again = false;
    bool good = make(i), right = true;
    if (!good) {
        right = kc_context_status(context) == KC_ENOMEM && strstr(kc_context_message(context), "not enough memory") != NULL;
        if (!right)
            print_error("it fails with status %d: %s\n", (int)kc_context_status(context), kc_context_message(context));
        clear(&call.said);
        if (right && !call.once && n % 2)
            right = looks_like(&before, "after the refusal");
        call.refuse = 0;
        call.again = true;
        if (right && !call.once)
            right = good = make(i);
    }
    if (right && good)
        right = looks_like(&after, "in the end");
    return nothing_left(NULL) == 0 && right;
}

/* The call where nothing is refused: how many requests it makes, and what things look like; 0: there is no such call. */
static size_t untouched(maker *make, size_t i, bool with_look)
{
    set_stage();
    call.refuse = 0;
    call.again = call.over = false;
    call.look = with_look;
    bool good = make(i);
    call.look = false;
    if (!good && !call.over)
        print_error("%s: %s\n", call.name, kc_context_message(context));
    assert_true(good || call.over);
    after = call.said;
    show_kept(&after);
    assert_int_equal(nothing_left(NULL), 0);
    if (!call.over && !with_look && call.asked == 0)
        fail_msg("%s asks for no memory", call.name);
    return call.over ? 0 : call.asked;
}

/* Every n, or about `count` of them, spread by a fixed rule. */
static size_t try_all(maker *make, size_t i, size_t count, size_t *faults)
{
    size_t tried = 0;
    untouched(make, i, true);
    size_t requests = untouched(make, i, false), step = count == 0 || requests <= count ? 1 : requests / count;
    for (size_t n = 1; n <= requests; n += step)
        for (int for_ever = 0; for_ever < 2; for_ever++, tried++)
            if (!try_call(make, i, n + (step > 1 ? n * 7919 % step : 0), for_ever) && (*faults)++ < 20)
                print_error("%s, its request %zu of %zu%s\n", call.name, n, requests, for_ever ? " and all after it" : "");
    return tried;
}

TEST(a_call_that_is_refused_memory_fails_and_can_be_made_again)
{
    const char *wanted = getenv("KCOST_REFUSALS");
    size_t count = wanted && strcmp(wanted, "all") == 0 ? 0 : a_few_of(A_FEW), tried = 0, calls = 0, faults = 0;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (size_t i = 0; untouched(families[f], i, false) > 0; i++, calls++)
            tried += try_all(families[f], i, count, &faults);
    print_message("%zu requests refused in %zu calls\n", tried, calls);
    assert_int_equal(faults, 0);
}

static bool is_named(const declared *d)
{
    for (size_t i = 0; i < named_count; i++)
        if (strlen(named[i]) == d->length && strncmp(named[i], d->name, d->length) == 0)
            return true;
    return false;
}

TEST(no_function_is_forgotten)
{
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (size_t i = 0; untouched(families[f], i, false) > 0; i++)
            ;
    set_stage();
    ask_for_nothing();
    assert_int_equal(nothing_left(NULL), 0);
    size_t forgotten = 0;
    for (declared d = { 0 }; next_declared(&d);)
        if (!is_named(&d)) {
            print_error("%.*s is not called here\n", (int)d.length, d.name);
            forgotten++;
        }
    assert_int_equal(forgotten, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_is_refused_memory_fails_and_can_be_made_again),
        cmocka_unit_test(the_other_functions_ask_for_no_memory),
        cmocka_unit_test(no_function_is_forgotten),
    };
    return run(tests);
}
