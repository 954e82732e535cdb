/* test_json.c: JSON and CSV of results that are put together by hand. */
#include "unit.h"

#include "csv.h"
#include "json.h"
#include "result.h"

static kc_context *context;

static int open_context(void **state)
{
    (void)state;
    context = kc_context_new(NULL, NULL);
    return context == NULL;
}

static int close_context(void **state)
{
    (void)state;
    kc_context_free(context);
    return 0;
}

#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, open_context, close_context)

/* ---- strings --------------------------------------------------------------- */

static void assert_string_n(const char *bytes, size_t length, const char *want)
{
    kci_text text = { .context = context };
    kci_json_string(&text, bytes, length);
    assert_text(text.bytes, want);
    kci_text_free(&text);
}

static void assert_string(const char *bytes, const char *want)
{
    assert_string_n(bytes, strlen(bytes), want);
}

TEST(a_plain_string_is_itself_in_quotes)
{
    assert_string("b h i d", "\"b h i d\"");
    assert_string("", "\"\"");
}

TEST(quotes_backslashes_and_control_characters_are_escaped)
{
    assert_string("a\"b\\c", "\"a\\\"b\\\\c\"");
    assert_string("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"");
    assert_string("\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"");
    assert_string_n("a\0b", 3, "\"a\\u0000b\"");
}

TEST(utf8_stays_as_it_is)
{
    assert_string("µs", "\"µs\"");
    assert_string("\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

#define BAD "\xef\xbf\xbd" /* U+FFFD */

TEST(bytes_that_are_no_utf8_become_replacement_characters)
{
    assert_string("a\x80z", "\"a" BAD "z\"");
    assert_string("\xff", "\"" BAD "\"");
    assert_string("\xc3", "\"" BAD "\"");               /* cut short */
    assert_string("\xc0\xaf", "\"" BAD BAD "\"");       /* overlong */
    assert_string("\xe0\x80\xaf", "\"" BAD BAD BAD "\"");
    assert_string("\xed\xa0\x80", "\"" BAD BAD BAD "\""); /* a surrogate */
    assert_string("\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\"");
    assert_string("\xc3\"", "\"" BAD "\\\"\"");
}

TEST(dotted_paths_nest)
{
    static const char *const paths[] = { "a", "b.c.d", "b.c.e", "b.f", "g.h", "i" };
    kci_text text = { .context = context };
    kci_json_paths object;
    kci_json_begin(&object, &text);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        kci_json_key(&object, paths[i]);
        kci_text_number(&text, (double)i);
    }
    kci_json_end(&object);
    assert_text(text.bytes, "{\"a\":0,\"b\":{\"c\":{\"d\":1,\"e\":2},\"f\":3},\"g\":{\"h\":4},\"i\":5}");
    kci_text_free(&text);
}

TEST(an_object_without_members_is_empty)
{
    kci_text text = { .context = context };
    kci_json_paths object;
    kci_json_begin(&object, &text);
    kci_json_end(&object);
    assert_text(text.bytes, "{}");
    kci_text_free(&text);
}

/* ---- results ------------------------------------------------------------------ */

/* 300 FLOP and 100 byte in 2 s, of which A is 60 and B 40. */
static kc_result *kernel(const char *name, const char *device)
{
    kc_result *r = kci_result_new(context, name, device);
    kci_result_set(r, KC_FLOPS, 300);
    kci_result_set(r, KC_MATRIX_FLOPS, 300);
    kci_result_set(r, KC_EXECUTED_FLOPS, 400);
    kci_result_set(r, KC_BYTES, 100);
    kci_result_set(r, KC_BYTES_READ, 60);
    kci_result_set(r, KC_BYTES_WRITTEN, 40);
    kci_result_set(r, KC_LAUNCHES, 1);
    kci_result_row *a = kci_result_row_of(r, "A");
    a->column[KC_TENSOR_READ] = a->column[KC_COMPULSORY] = 60;
    kci_result_row *b = kci_result_row_of(r, "B");
    b->column[KC_TENSOR_WRITTEN] = b->column[KC_COMPULSORY] = 40;
    if (device) {
        kci_result_set(r, KC_TIME, 2);
        kci_result_set(r, KC_TIME_HBM, 1.5);
        kci_result_set(r, KC_TIME_LAUNCH, 0.5);
        r->bound = "hbm";
        r->class_name = "memory-bound";
    }
    return r;
}

static kc_object *finished(kc_result *r)
{
    kci_result_finish(r);
    return &r->base;
}

#define TENSORS                                                                                    \
    "\"tensors\":[{\"name\":\"A\",\"bytes_read\":60,\"bytes_written\":0,\"l2_bytes\":0,\"loads\":0," \
    "\"compulsory\":60,\"reload\":0,\"pass\":0,\"spill\":0,\"split\":0},"                          \
    "{\"name\":\"B\",\"bytes_read\":0,\"bytes_written\":40,\"l2_bytes\":0,\"loads\":0,"            \
    "\"compulsory\":40,\"reload\":0,\"pass\":0,\"spill\":0,\"split\":0}],"

TEST(a_counted_result_has_only_what_applies)
{
    kc_object *r = finished(kernel("k", NULL));
    assert_text(kc_json(r), "{\"kind\":\"result\",\"name\":\"k\",\"flops\":300,\"matrix_flops\":300,"
                            "\"executed_flops\":400,\"bytes\":100,\"bytes_read\":60,\"bytes_written\":40,"
                            TENSORS "\"intensity\":3,\"tile_efficiency\":0.75,\"launches\":1,\"notes\":[]}");
    kc_release(r);
}

TEST(an_evaluated_result_keeps_the_order_of_the_design)
{
    kc_result *k = kernel("k", "h100-sxm5");
    kci_result_schedule_add(k, "tile.i", "128");
    kci_result_schedule_add(k, "tile.j", "64");
    kci_result_schedule_add(k, "grid", "\"b h i\"");
    kci_note(&k->notes, "assumed \"x\"");
    kc_object *r = finished(k);
    assert_text(kc_json(r),
                "{\"kind\":\"result\",\"name\":\"k\",\"device\":\"h100-sxm5\",\"flops\":300,"
                "\"matrix_flops\":300,\"executed_flops\":400,\"bytes\":100,\"bytes_read\":60,"
                "\"bytes_written\":40," TENSORS
                "\"intensity\":3,\"time\":2,\"times\":{\"hbm\":1.5,\"launch\":0.5},\"bound\":\"hbm\","
                "\"class\":\"memory-bound\",\"throughput\":150,\"bandwidth\":50,\"tile_efficiency\":0.75,"
                "\"launches\":1,\"schedule\":{\"tile\":{\"i\":128,\"j\":64},\"grid\":\"b h i\"},"
                "\"notes\":[\"assumed \\\"x\\\"\"]}");
    assert_text(kc_result_schedule(k), "{\"tile\":{\"i\":128,\"j\":64},\"grid\":\"b h i\"}");
    kc_release(r);
}

static kc_object *program(const char *device)
{
    kc_result *p = kci_result_new(context, "p", device);
    kc_result *one = kernel("one", device), *two = kernel("two", device);
    kci_result_times(two, 3);
    finished(one);
    finished(two);
    kci_result_add_kernel(p, one);
    kci_result_add_kernel(p, two);
    kc_release(one);
    kc_release(two);
    return finished(p);
}

TEST(a_program_has_its_kernels_and_their_sums)
{
    kc_object *p = program(NULL);
    const char *json = kc_json(p);
    assert_contains(json, "{\"kind\":\"result\",\"name\":\"p\",\"flops\":1200,");
    assert_contains(json, "\"bytes\":400,\"bytes_read\":240,\"bytes_written\":160,\"tensors\":[{\"name\":\"A\","
                          "\"bytes_read\":240,");
    assert_contains(json, "\"launches\":4,\"kernels\":[{\"name\":\"one\",\"flops\":300,");
    assert_contains(json, ",{\"name\":\"two\",\"flops\":900,");
    assert_contains(json, "\"launches\":3,\"notes\":[]}],\"notes\":[]}");
    kc_release(p);
}

TEST(a_convention_of_its_own_is_named_in_the_document)
{
    kc_result *r = kernel("k", NULL);
    r->convention = kci_copy_text(context, "as pytorch");
    r->own_convention = true;
    kc_object *object = finished(r);
    assert_contains(kc_json(object), "\"name\":\"k\",\"convention\":\"as pytorch\",\"flops\"");
    assert_contains(kc_csv(object, 0), "name,convention,flops");
    kc_release(object);
}

TEST(a_value_has_no_json_and_says_so)
{
    kc_schedule *schedule = kc_schedule_new(context);
    assert_null(kc_json((kc_object *)(void *)schedule));
    assert_contains(kc_context_message(context), "json");
    assert_null(kc_csv((kc_object *)(void *)schedule, 0));
    assert_null(kc_json(NULL));
    kc_release(schedule);
}

/* ---- comparisons ----------------------------------------------------------------- */

static kc_object *comparison(void)
{
    kc_comparison *c = kci_new(context, KC_COMPARISON, sizeof *c);
    c->device_count = c->columns = 2;
    c->devices = kci_alloc(context, 2 * sizeof *c->devices);
    c->devices[0] = kci_copy_text(context, "a100");
    c->devices[1] = kci_copy_text(context, "h100");
    c->row_count = 4;
    c->rows = kci_alloc(context, 4 * sizeof *c->rows);
    for (size_t i = 0; i < 4; i++) {
        const char *name = i < 2 ? "x" : "y";
        c->rows[i].name = kci_copy_text(context, name);
        if (i == 1) {
            c->rows[i].error = kci_copy_text(context, "too large, by 1 byte");
            continue;
        }
        kc_result *r = kernel(name, c->devices[i % 2]);
        if (i >= 2)
            kci_result_set(r, KC_TIME, 1);
        finished(r);
        c->rows[i].result = r;
    }
    return &c->base;
}

TEST(a_comparison_lists_each_x_on_each_device_with_ratios_to_the_first)
{
    kc_object *c = comparison();
    const char *json = kc_json(c);
    assert_contains(json, "{\"kind\":\"comparison\",\"devices\":[\"a100\",\"h100\"],\"results\":[{\"name\":\"x\","
                          "\"device\":\"a100\",\"flops\":300,");
    assert_contains(json, "\"notes\":[],\"ratio\":{\"time\":1,\"bytes\":1,\"flops\":1}},{\"name\":\"x\","
                          "\"device\":\"h100\",\"error\":\"too large, by 1 byte\"},{\"name\":\"y\"");
    assert_contains(json, "\"ratio\":{\"time\":0.5,\"bytes\":1,\"flops\":1}},{\"name\":\"y\",\"device\":\"h100\"");
    kc_release(c);
}

TEST(where_the_first_x_does_not_run_there_is_no_ratio)
{
    kc_object *c = comparison();
    double ratio;
    const kc_comparison *it = (const kc_comparison *)(const void *)c;
    assert_int_equal(kc_comparison_ratio(it, 3, KC_TIME, &ratio), KC_EARGUMENT);
    assert_int_equal(kc_comparison_ratio(it, 2, KC_TIME, &ratio), KC_OK);
    assert_number(ratio, 0.5);
    assert_int_equal(kc_comparison_ratio(it, 2, KC_WAVES, &ratio), KC_EARGUMENT);
    assert_text(kc_comparison_device(it, 3), "h100");
    assert_text(kc_comparison_error(it, 1), "too large, by 1 byte");
    assert_null(kc_comparison_result(it, 1));
    kc_release(c);
}

/* ---- CSV ---------------------------------------------------------------------------- */

TEST(csv_is_a_header_and_a_row)
{
    kc_result *k = kernel("k", "h100-sxm5");
    kci_result_schedule_add(k, "tile.i", "128");
    kci_result_schedule_add(k, "grid", "\"b h i\"");
    kc_object *r = finished(k);
    assert_text(kc_csv(r, 0),
                "name,device,flops,matrix_flops,executed_flops,bytes,bytes_read,bytes_written,intensity,time,"
                "times.hbm,times.launch,bound,class,throughput,bandwidth,tile_efficiency,launches,"
                "schedule.tile.i,schedule.grid\n"
                "k,h100-sxm5,300,300,400,100,60,40,3,2,1.5,0.5,hbm,memory-bound,150,50,0.75,1,128,b h i\n");
    kc_release(r);
}

TEST(csv_of_a_program_is_a_row_a_kernel_and_a_total)
{
    kc_object *p = program(NULL);
    assert_text(kc_csv(p, 0),
                "program,name,flops,matrix_flops,executed_flops,bytes,bytes_read,bytes_written,intensity,"
                "tile_efficiency,launches\n"
                "p,one,300,300,400,100,60,40,3,0.75,1\n"
                "p,two,900,900,1200,300,180,120,3,0.75,3\n"
                "p,total,1200,1200,1600,400,240,160,3,0.75,4\n");
    kc_release(p);
}

TEST(csv_of_the_ledger_is_a_row_a_tensor)
{
    kc_object *r = finished(kernel("k", NULL));
    assert_text(kc_csv(r, 1),
                "name,tensor,bytes_read,bytes_written,l2_bytes,loads,compulsory,reload,pass,spill,split\n"
                "k,A,60,0,0,0,60,0,0,0,0\n"
                "k,B,0,40,0,0,40,0,0,0,0\n");
    kc_release(r);
}

TEST(csv_quotes_what_needs_it)
{
    kc_object *r = finished(kernel("a,\"b\"\nc", NULL));
    assert_contains(kc_csv(r, 0), "\n\"a,\"\"b\"\"\nc\",300");
    kc_release(r);
}

TEST(csv_of_a_comparison_leaves_the_cells_of_an_error_empty)
{
    kc_object *c = comparison();
    const char *csv = kc_csv(c, 0);
    assert_contains(csv, ",launches,ratio.time,ratio.bytes,ratio.flops,error\n");
    assert_contains(csv, "\nx,h100,,,,,,,,,,,,,,,,,,,,\"too large, by 1 byte\"\n");
    kc_release(c);
}

TEST(csv_of_several_things_is_one_table)
{
    kc_object *list[] = { finished(kernel("k", NULL)), program(NULL), finished(kernel("m", "h100")) };
    kci_text text = { .context = context };
    assert_int_equal(kci_csv_objects(&text, list, 3, false), KC_OK);
    assert_contains(text.bytes, "program,name,device,flops,");
    assert_contains(text.bytes, "\n,k,,300,");
    assert_contains(text.bytes, "\np,total,,1200,");
    assert_contains(text.bytes, "\n,m,h100,300,");
    kci_text_free(&text);
    for (size_t i = 0; i < 3; i++)
        kc_release(list[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(a_plain_string_is_itself_in_quotes),
        IN_CONTEXT(quotes_backslashes_and_control_characters_are_escaped),
        IN_CONTEXT(utf8_stays_as_it_is),
        IN_CONTEXT(bytes_that_are_no_utf8_become_replacement_characters),
        IN_CONTEXT(dotted_paths_nest),
        IN_CONTEXT(an_object_without_members_is_empty),
        IN_CONTEXT(a_counted_result_has_only_what_applies),
        IN_CONTEXT(an_evaluated_result_keeps_the_order_of_the_design),
        IN_CONTEXT(a_program_has_its_kernels_and_their_sums),
        IN_CONTEXT(a_convention_of_its_own_is_named_in_the_document),
        IN_CONTEXT(a_value_has_no_json_and_says_so),
        IN_CONTEXT(a_comparison_lists_each_x_on_each_device_with_ratios_to_the_first),
        IN_CONTEXT(where_the_first_x_does_not_run_there_is_no_ratio),
        IN_CONTEXT(csv_is_a_header_and_a_row),
        IN_CONTEXT(csv_of_a_program_is_a_row_a_kernel_and_a_total),
        IN_CONTEXT(csv_of_the_ledger_is_a_row_a_tensor),
        IN_CONTEXT(csv_quotes_what_needs_it),
        IN_CONTEXT(csv_of_a_comparison_leaves_the_cells_of_an_error_empty),
        IN_CONTEXT(csv_of_several_things_is_one_table),
    };
    return run(tests);
}
