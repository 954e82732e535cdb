/* test_line.c: lines of a prompt: kc_vm_line, and what ends them. */
#include "kcost.h"
#include "unit.h"

static kc_vm *vm;

static void start(void)
{
    assert_int_equal(kc_vm_new(NULL, &vm), KC_OK);
}

static int more;

static kc_status line(const char *text)
{
    return kc_vm_line(vm, text, strlen(text), "line", &more);
}

/* What the line gives, as JSON. */
static const char *given(const char *text)
{
    assert_int_equal(line(text), KC_OK);
    assert_int_equal(more, 0);
    return kc_vm_json(vm);
}

static const char *failure(const char *text)
{
    assert_int_equal(line(text), KC_ESCRIPT);
    assert_int_equal(more, 0);
    return kc_vm_message(vm);
}

TEST(an_expression_is_answered_and_statements_are_run)
{
    start();
    assert_text(given("1 + 1\n"), "2");
    assert_text(given("1, 'a'\n"), "[1,\"a\"]");
    assert_text(given("return 3\n"), "3");
    assert_text(given("for i = 1, 3 do end\n"), "[]");
    assert_text(given("nil\n"), "[]");
    assert_text(given("\n"), "[]");
    assert_text(given("-- a comment\n"), "[]");
    kc_vm_free(vm);
}

TEST(a_global_lasts_and_a_local_does_not)
{
    start();
    assert_text(given("x = 5; local y = 6\n"), "[]");
    assert_text(given("x\n"), "5");
    assert_contains(failure("y\n"), "line:1: there is no 'y'");
    kc_vm_free(vm);
}

TEST(a_run_between_lines_has_an_environment_of_its_own)
{
    static const char text[] = "x = 1; return kc == nil and tile == nil";
    start();
    assert_text(given("x = 5\n"), "[]");
    assert_int_equal(kc_vm_run(vm, text, strlen(text), "test.lua"), KC_OK);
    assert_text(kc_vm_json(vm), "true");
    assert_text(given("x\n"), "5");
    kc_vm_free(vm);
}

TEST(the_names_of_the_module_are_at_hand)
{
    start();
    assert_text(given("kc == require 'kcost' and tile == kc.tile and lib == kc.lib\n"), "true");
    kc_vm_free(vm);
}

TEST(the_beginning_of_a_chunk_wants_more_and_runs_nothing)
{
    static const char *const begun[] = { "x = 1; for i = 1, 3 do\n", "f(\n", "x = {\n 1,\n", "{ 1,\n", "function f()\n",
                                         "s = [[a\n", "--[[ a\n", "x =\n", "1 +\n", "if x then\n", "kc.tile(x,\n" };
    start();
    for (size_t i = 0; i < sizeof begun / sizeof *begun; i++) {
        assert_int_equal(line(begun[i]), KC_ESCRIPT);
        assert_int_equal(more, 1);
    }
    assert_contains(failure("x\n"), "there is no 'x'");
    kc_vm_free(vm);
}

TEST(a_name_that_there_is_not_is_an_error_with_the_nearest)
{
    start();
    assert_text(given("gemm = 5\n"), "[]");
    assert_contains(failure("tesnor('A')\n"), "line:1: there is no 'tesnor'; did you mean 'tensor'?");
    assert_contains(failure("1 + gem\n"), "there is no 'gem'; did you mean 'gemm'?");
    assert_text(given("rawget(_G, 'gem')\n"), "[]");
    assert_text(given("plot == kc.plot, plot.roofline ~= nil\n"), "[true,true]");
    kc_vm_free(vm);
}

TEST(a_wrong_line_wants_no_more)
{
    start();
    assert_contains(failure("x = = 1\n"), "line:1: ");
    assert_contains(failure("'abc\n"), "unfinished string");
    assert_contains(failure("end\n"), "line:1: ");
    assert_contains(failure("error('near <eof>')\n"), "near <eof>");
    kc_vm_free(vm);
}

TEST(an_error_has_its_line_and_ends_nothing)
{
    start();
    assert_text(given("n = 0; function f() n = n + 1; error('boom') end\n"), "[]");
    assert_contains(failure("1,\nf()\n"), "line:1: boom");
    assert_contains(failure("\n\nkc.tile(3)\n"), "line:3: kc.tile: ");
    assert_text(given("n\n"), "1");
    kc_vm_free(vm);
}

TEST(what_no_script_may_return_is_shown)
{
    start();
    assert_text(given("A = kc.tensor('A', 'i', 'f16', { i = 5 })\n"), "[]");
    assert_text(given("A\n"), "\"tensor A[i=5] f16\"");
    assert_text(given("A.size\n"), "\"i: 5\"");
    assert_text(given("{ A.size, A }\n"), "[\"i: 5\",\"tensor A[i=5] f16\"]");
    assert_contains(given("kc.read(A)\n"), "A");
    assert_text(given("kc.tile\n"), "\"function\"");
    assert_text(given("1 / 0\n"), "\"inf\"");
    assert_contains(given("kc.write('B', kc.map('relu', kc.read(A)))\n"), "\"kind\":\"result\"");
    kc_vm_free(vm);
}

TEST(params_are_asked_for_by_any_line)
{
    start();
    assert_int_equal(kc_vm_param(vm, "n", "7"), KC_OK);
    assert_text(given("1\n"), "1");
    assert_text(given("kc.param('n', 1)\n"), "7");
    kc_vm_free(vm);
}

static void interrupt(void *data, const char *text, size_t length)
{
    (void)data;
    (void)text;
    (void)length;
    kc_vm_interrupt(vm);
}

TEST(an_interrupt_ends_a_line_whatever_it_catches)
{
    kc_vm_options options = { .print = interrupt, .time_limit = INFINITY }; /* any limit: looked for in loops too */
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    kc_vm_interrupt(vm);
    assert_text(given("1\n"), "1");
    assert_int_not_equal(line("print() while true do pcall(function() while true do end end) end\n"), KC_OK);
    assert_contains(kc_vm_message(vm), "interrupted");
    assert_text(given("2\n"), "2");
    kc_vm_free(vm);
}

TEST(a_line_that_fills_the_memory_does_not_end_the_prompt)
{
    const kc_vm_options options = { .memory_limit = 8 << 20 };
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    assert_int_equal(line("kept = 1\n"), KC_OK);
    assert_int_equal(line("local t = {} for i = 1, 1e9 do t[i] = {} end\n"), KC_ELIMIT); /* collected */
    assert_text(given("kept\n"), "1");
    assert_int_equal(line("t = {} for i = 1, 1e9 do t[i] = {} end\n"), KC_ELIMIT);
    assert_int_equal(kc_vm_limit(vm), KC_LIMIT_MEMORY);
    assert_contains(kc_vm_message(vm), "the memory limit of 8388608 bytes was hit; the names of the lines before are forgotten");
    assert_text(given("1 + 1\n"), "2");
    assert_int_equal(kc_vm_run(vm, "return 1", 8, "run"), KC_OK);
    kc_vm_free(vm);
}

TEST(a_line_that_is_larger_than_the_memory_says_so)
{
    enum { LARGE = 1 << 20 };
    const kc_vm_options options = { .memory_limit = 1 << 20 };
    char *text = malloc(LARGE);
    assert_non_null(text);
    memset(text, ' ', LARGE);
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    assert_int_equal(kc_vm_line(vm, text, LARGE, "line", &more), KC_ELIMIT);
    assert_int_equal(kc_vm_limit(vm), KC_LIMIT_MEMORY);
    assert_contains(kc_vm_message(vm), "line: the memory limit of 1048576 bytes was hit");
    assert_text(given("1\n"), "1");
    kc_vm_free(vm);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_expression_is_answered_and_statements_are_run),
        cmocka_unit_test(a_global_lasts_and_a_local_does_not),
        cmocka_unit_test(a_run_between_lines_has_an_environment_of_its_own),
        cmocka_unit_test(the_names_of_the_module_are_at_hand),
        cmocka_unit_test(the_beginning_of_a_chunk_wants_more_and_runs_nothing),
        cmocka_unit_test(a_name_that_there_is_not_is_an_error_with_the_nearest),
        cmocka_unit_test(a_wrong_line_wants_no_more),
        cmocka_unit_test(an_error_has_its_line_and_ends_nothing),
        cmocka_unit_test(what_no_script_may_return_is_shown),
        cmocka_unit_test(params_are_asked_for_by_any_line),
        cmocka_unit_test(an_interrupt_ends_a_line_whatever_it_catches),
        cmocka_unit_test(a_line_that_fills_the_memory_does_not_end_the_prompt),
        cmocka_unit_test(a_line_that_is_larger_than_the_memory_says_so),
    };
    return run(tests);
}
