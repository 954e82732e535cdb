/* test_vm.c: the VM of kcost.h: runs, answers, params, errors, what a script can reach. */
#include "kcost.h"
#include "unit.h"

#include <glob.h>

/* What the script printed. */
typedef struct heard {
    char text[4096];
    size_t length;
} heard;

static void hear(void *data, const char *text, size_t length)
{
    heard *h = data;
    if (h->length + length < sizeof h->text)
        memcpy(h->text + h->length, text, length);
    h->length += length;
}

static kc_vm *new_vm(heard *h, int trusted)
{
    kc_vm_options options = {.print = h ? hear : NULL, .print_data = h, .trusted = trusted};
    kc_vm *vm = NULL;
    if (h)
        memset(h, 0, sizeof *h);
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    return vm;
}

static kc_status run_text(kc_vm *vm, const char *text)
{
    return kc_vm_run(vm, text, strlen(text), "test.lua");
}

/* Runs it in a VM of its own; the message of its failure lives until the next call. */
static const char *failure(const char *text)
{
    static char message[1024];
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(run_text(vm, text), KC_ESCRIPT);
    snprintf(message, sizeof message, "%s", kc_vm_message(vm));
    kc_vm_free(vm);
    return message;
}

/* What a script returns, as JSON. */
static const char *json(const char *text)
{
    static char out[16384];
    kc_vm *vm = new_vm(NULL, 0);
    if (run_text(vm, text) != KC_OK)
        print_error("%s\n", kc_vm_message(vm));
    assert_text(kc_vm_message(vm), "");
    snprintf(out, sizeof out, "%s", kc_vm_json(vm));
    kc_vm_free(vm);
    return out;
}

#define KERNEL                                                                                     \
    "local kc = require 'kcost'\n"                                                                 \
    "local A = kc.tensor('A', 'i', 'f16', { i = 1000 })\n"                                         \
    "local B = kc.write('B', kc.map('relu', kc.read(A)))\n"

/* ---- answers ---------------------------------------------------------------- */

TEST(a_script_that_returns_nothing_gives_an_empty_list)
{
    assert_text(json(""), "[]");
    assert_text(json("return nil"), "[]");
}

TEST(plain_values_are_themselves)
{
    assert_text(json("return 5"), "5");
    assert_text(json("return 10 / 4"), "2.5");
    assert_text(json("return 2^53 - 1"), "9007199254740991");
    assert_text(json("return true"), "true");
    assert_text(json("return 'a\"b\\n'"), "\"a\\\"b\\n\"");
}

TEST(several_values_and_lists_are_arrays)
{
    assert_text(json("return 1, 2"), "[1,2]");
    assert_text(json("return { 1, { 2, 3 }, 'x' }"), "[1,2,3,\"x\"]");
    assert_text(json("return { 1 }"), "[1]");
    assert_text(json("return {}"), "[]");
}

TEST(text_that_is_no_utf8_is_replaced)
{
    assert_text(json("return 'a\\255b\\1'"), "\"a\xEF\xBF\xBD"
                                             "b\\u0001\"");
    /* cut, overlong, a surrogate, above U+10FFFF; the last that there is. */
#define NONE "\xEF\xBF\xBD"
    assert_text(json("return '\\xC3', '\\xC3x', '\\xC0\\x80', '\\xE2\\x82', '\\xE0\\x9F\\x80'"),
                "[\"" NONE "\",\"" NONE "x\",\"" NONE NONE "\",\"" NONE NONE "\",\"" NONE NONE NONE "\"]");
    assert_text(json("return '\\xED\\xA0\\x80', '\\xF0\\x8F\\x80\\x80', '\\xF4\\x90\\x80\\x80', '\\xF5'"),
                "[\"" NONE NONE NONE "\",\"" NONE NONE NONE NONE "\",\"" NONE NONE NONE NONE "\",\"" NONE "\"]");
    assert_text(json("return '\\xF4\\x8F\\xBF\\xBF\\xED\\x9F\\xBF\\xE0\\xA0\\x80\\xF0\\x90\\x80\\x80'"),
                "\"\xF4\x8F\xBF\xBF\xED\x9F\xBF\xE0\xA0\x80\xF0\x90\x80\x80\"");
}

TEST(a_written_tensor_is_counted_first)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(run_text(vm, KERNEL "return B"), KC_OK);
    assert_int_equal(kc_vm_answers(vm), 1);
    kc_object *answer = kc_vm_answer(vm, 0);
    assert_non_null(answer);
    assert_int_equal(kc_object_kind(answer), KC_RESULT);
    double bytes = 0;
    assert_int_equal(kc_result_number((kc_result *)answer, KC_BYTES, &bytes), KC_OK);
    assert_number(bytes, 4000);
    assert_null(kc_vm_answer_text(vm, 0));
    assert_contains(kc_vm_json(vm), "\"kind\":\"result\"");
    kc_vm_free(vm);
}

TEST(an_answer_outlives_its_vm_where_it_is_retained)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(run_text(vm, KERNEL "return kc.count(B), 'and a text'"), KC_OK);
    assert_text(kc_vm_answer_text(vm, 1), "\"and a text\"");
    assert_null(kc_vm_answer(vm, 1));
    kc_result *result = kc_retain(kc_vm_answer(vm, 0));
    kc_vm_free(vm);
    assert_text(kc_result_name(result), "B");
    kc_release(result);
}

TEST(a_host_adds_answers_which_a_document_and_plots_have)
{
    kc_vm *vm = new_vm(NULL, 0), *other = new_vm(NULL, 0);
    assert_int_equal(run_text(other, KERNEL "return kc.count(B)"), KC_OK);
    kc_object *result = kc_retain(kc_vm_answer(other, 0));
    kc_vm_free(other);
    assert_int_equal(kc_vm_add_answer(vm, result), KC_OK);
    kc_release(result);
    assert_int_equal(kc_vm_answers(vm), 1);
    assert_contains(kc_vm_json(vm), "{\"kind\":\"result\"");
    assert_contains(kc_vm_plots(vm), "\"kind\":\"plot\"");
    assert_int_equal(kc_vm_add_answer(vm, kc_vm_answer(vm, 0)), KC_OK);
    assert_contains(kc_vm_json(vm), "[{\"kind\":\"result\"");
    assert_int_equal(run_text(vm, "return 1"), KC_OK);
    assert_int_equal(kc_vm_answers(vm), 1);
    kc_vm_free(vm);
}

TEST(what_is_no_answer_is_not_added)
{
    kc_vm *vm = new_vm(NULL, 0);
    kc_context *context = kc_context_new(NULL, NULL);
    kc_object *dtype = (kc_object *)kc_dtype_named(context, "f16");
    assert_int_equal(kc_vm_add_answer(vm, dtype), KC_EARGUMENT);
    assert_int_equal(kc_vm_add_answer(vm, NULL), KC_EARGUMENT);
    assert_int_equal(kc_vm_add_answer(NULL, dtype), KC_EARGUMENT);
    assert_int_equal(kc_vm_answers(vm), 0);
    kc_release(dtype);
    kc_context_free(context);
    kc_vm_free(vm);
}

TEST(what_is_no_answer_is_an_error)
{
    assert_contains(failure("return print"), "the script returned a function");
    assert_contains(failure("return { x = 1 }"), "the key 'x'");
    assert_contains(failure("return { 1, nil, 3 }, { 1, nil, 3, nil }"), "test.lua");
    assert_contains(failure("return 0/0"), "finite");
    assert_contains(failure("local t = {} t[1] = t return t"), "lists in lists");
    assert_contains(failure(KERNEL "return kc.read(A)"), "the script returned a value");
    assert_contains(failure(KERNEL "return A"), "A");
}

TEST(a_new_run_drops_the_answers_of_the_last)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(run_text(vm, KERNEL "return B, B"), KC_OK);
    assert_int_equal(kc_vm_answers(vm), 2);
    assert_int_equal(run_text(vm, "return 1"), KC_OK);
    assert_int_equal(kc_vm_answers(vm), 1);
    assert_int_equal(run_text(vm, "error('x')"), KC_ESCRIPT);
    assert_int_equal(kc_vm_answers(vm), 0);
    assert_text(kc_vm_json(vm), "[]");
    kc_vm_free(vm);
}

TEST(csv_of_several_answers_is_one_table)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(run_text(vm, KERNEL "local C = kc.write('C', kc.map('relu', kc.read(B)))\n"
                                         "return B, 'text', kc.program('p', { B, C }), B"),
                     KC_OK);
    const char *csv = kc_vm_csv(vm, 0);
    assert_non_null(csv);
    size_t lines = 0;
    for (const char *c = csv; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 1 + 3 + 1); /* header, B, two kernels and total, B */
    assert_memory_equal(csv, "program,name,", 13);
    assert_contains(csv, "\n,B,");
    assert_contains(csv, "\np,total,");
    assert_contains(kc_vm_csv(vm, 1), "compulsory");
    kc_vm_free(vm);
}

/* ---- plots ------------------------------------------------------------------- */

#define DRAWN                                                                                      \
    "local kc = require 'kcost' local A = kc.tensor('A', 'i', 'f16', { i = 1e6 }) "                \
    "local B = kc.write('B', kc.map('exp', kc.read(A))) "

TEST(a_result_is_drawn_as_what_fits_it)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(run_text(vm, DRAWN "return kc.evaluate(B, 'l4'), 'a text'"), KC_OK);
    assert_contains(kc_vm_plots(vm), "[{\"columns\":[");
    assert_contains(kc_vm_plots(vm), "\"kind\":\"plot\"");
    assert_int_equal(run_text(vm, DRAWN "return B"), KC_OK);
    assert_contains(kc_vm_plots(vm), "\"plot\":\"ledger\"");
    assert_int_equal(run_text(vm, "return 4"), KC_OK);
    assert_text(kc_vm_plots(vm), "[]");
    kc_vm_free(vm);
}

/* As profiles and matches are; a script may make its own. */
TEST(a_table_may_say_how_it_is_shown_and_drawn)
{
    kc_vm *vm = new_vm(NULL, 0);
    const char *shown = "local meta = { __show = function(t) return { text = 'a ' .. t.a, csv = 'a\\n' .. t.a .. '\\n', "
                        "plots = { { kind = 'plot', b = t.a } } } end } return setmetatable({ a = 7 }, meta)";
    assert_int_equal(run_text(vm, shown), KC_OK);
    assert_int_equal(kc_vm_answers(vm), 1);
    assert_text(kc_vm_answer_shown(vm, 0), "a 7");
    assert_text(kc_vm_answer_text(vm, 0), "{\"a\":7}");
    assert_text(kc_vm_json(vm), "{\"a\":7}");
    assert_text(kc_vm_csv(vm, 0), "a\n7\n");
    assert_text(kc_vm_plots(vm), "[{\"b\":7,\"kind\":\"plot\"}]");
    assert_null(kc_vm_answer_shown(vm, 1));
    assert_int_equal(run_text(vm, "return 'text', setmetatable({}, { __list = true, __show = function() return {} end })"), KC_OK);
    assert_null(kc_vm_answer_shown(vm, 1));
    assert_text(kc_vm_json(vm), "[\"text\",[]]");
    assert_text(kc_vm_plots(vm), "[]");
    assert_int_equal(run_text(vm, "return setmetatable({}, { __show = function() return 3 end })"), KC_ESCRIPT);
    assert_contains(kc_vm_message(vm), "a table whose __show gives 3, and { text =, csv =, plots = } is wanted");
    assert_int_equal(run_text(vm, "return setmetatable({}, { __show = function() error 'no' end })"), KC_ESCRIPT);
    assert_int_equal(run_text(vm, "return setmetatable({ f = print }, { __show = function() return {} end })"), KC_ESCRIPT);
    kc_vm_free(vm);
}

TEST(plots_that_a_script_returns_are_all_that_is_drawn)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(run_text(vm, DRAWN "return B, { kind = 'plot', series = { { 1, 'a' } } }"), KC_OK);
    assert_text(kc_vm_plots(vm), "[{\"kind\":\"plot\",\"series\":[[1,\"a\"]]}]");
    assert_int_equal(kc_vm_answer_is_plot(vm, 0), 0);
    assert_int_equal(kc_vm_answer_is_plot(vm, 1), 1);
    assert_int_equal(kc_vm_answer_is_plot(vm, 2), 0);
    assert_int_equal(run_text(vm, "return { kind = 'plot', f = print }"), KC_ESCRIPT);
    assert_int_equal(run_text(vm, "return { kind = 'plot', { a = 1 } }"), KC_ESCRIPT);
    assert_int_equal(run_text(vm, "local t = { kind = 'plot' } t.t = t return t"), KC_ESCRIPT);
    kc_vm_free(vm);
}

/* ---- params ------------------------------------------------------------------ */

#define ASK                                                                                        \
    "local kc = require 'kcost' return kc.param('n', 4), kc.param('name', 'x'), kc.param('on', "   \
    "false)"

TEST(a_param_has_the_type_of_its_default)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(run_text(vm, ASK), KC_OK);
    assert_text(kc_vm_json(vm), "[4,\"x\",false]");
    kc_vm_param(vm, "n", "1e3");
    kc_vm_param(vm, "name", "5");
    kc_vm_param(vm, "on", "true");
    assert_int_equal(run_text(vm, ASK), KC_OK);
    assert_text(kc_vm_json(vm), "[1000,\"5\",true]");
    kc_vm_param(vm, "n", "7");
    assert_int_equal(run_text(vm, ASK), KC_OK);
    assert_text(kc_vm_json(vm), "[7,\"5\",true]");
    kc_vm_free(vm);
}

TEST(a_param_of_another_type_is_an_error_at_its_line)
{
    kc_vm *vm = new_vm(NULL, 0);
    kc_vm_param(vm, "n", "many");
    assert_int_equal(run_text(vm, "\n" ASK), KC_ESCRIPT);
    assert_text(kc_vm_message(vm), "test.lua:2: kc.param: 'n' is set to 'many', and a number is "
                                   "wanted, as the default is one");
    kc_vm_param(vm, "n", "inf");
    assert_int_equal(run_text(vm, ASK), KC_ESCRIPT);
    kc_vm_param(vm, "n", "0x10");
    assert_int_equal(run_text(vm, ASK), KC_ESCRIPT);
    kc_vm_param(vm, "n", "1");
    kc_vm_param(vm, "on", "yes");
    assert_int_equal(run_text(vm, ASK), KC_ESCRIPT);
    assert_contains(kc_vm_message(vm), "true or false");
    kc_vm_free(vm);
}

TEST(a_param_that_no_script_asked_for_is_an_error)
{
    kc_vm *vm = new_vm(NULL, 0);
    kc_vm_param(vm, "nane", "y");
    assert_int_equal(run_text(vm, ASK), KC_EARGUMENT);
    assert_contains(kc_vm_message(vm), "'nane'");
    assert_contains(kc_vm_message(vm), "did you mean 'name'");
    assert_int_equal(kc_vm_answers(vm), 0);
    kc_vm_free(vm);
}

/* ---- errors ------------------------------------------------------------------- */

TEST(an_error_has_the_users_line)
{
    assert_text(
        failure("local kc = require 'kcost'\n\nlocal A = kc.tensor('A', 'i', 'f17', { i = 1 })\n"),
        "test.lua:3: kc.tensor: unknown dtype 'f17'; did you mean 'f16'?");
    assert_contains(failure("x = = 1"), "test.lua:1:");
    assert_contains(failure("local x = nil + 1"), "test.lua:1:");
}

/* The frame of a chunk that ends in `return f(x)` is gone; what returns where is read in its text. */
TEST(a_tail_call_has_the_line_of_the_scripts_return)
{
    static const struct {
        const char *text, *position;
    } scripts[] = {
        { "local kc = require 'kcost'\nreturn kc.lib.gemm.plain { m = 1 }", "test.lua:2: gemm" },
        { "local kc = require 'kcost'\nlocal function f()\n  return 1\nend\n\nreturn kc.lib.gemm.plain {\n m = f() }", "test.lua:6: gemm" },
        { "local kc = require 'kcost' -- return\n--[==[ return\n]] ]==]local s = [[\nreturn]] .. '\\'return' .. \"return\"\n"
          "for i = 1, 2 do\n local f = function() if i then repeat return until true end end\nend\n"
          "if s then\n while true do return kc.lib.gemm.plain { m = 1 } end\nend", "test.lua:9: gemm" },
        { "local kc, returned = require 'kcost'\nlocal function f()\n  return kc.lib.gemm.plain { m = 1 }\nend\nreturn f()", "test.lua:5: gemm" },
        { "local kc = require 'kcost'\nif not kc then return end\nreturn kc.lib.gemm.plain { m = 1 }", "test.lua: gemm" },
        { "local kc = require 'kcost'\nlocal function f() return kc.lib.gemm.plain { m = 1 } end\nreturn (coroutine.wrap(f)())", "test.lua: gemm" },
        { "local kc = require 'kcost'\nlocal function f() return kc.lib.gemm.plain { m = 1 } end\nlocal x = f()", "test.lua:3: gemm" },
        { "return require 'kcost'.lib.gemm.plain { m = 1 } -- its only line", "test.lua: gemm" },
        { "\nreturn function() end", "test.lua:2: kc: the script returned a function" },
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        const char *message = failure(scripts[i].text);
        assert_memory_equal(message, scripts[i].position, strlen(scripts[i].position));
    }
}

TEST(an_error_object_is_named_by_type_and_runs_nothing)
{
    assert_text(failure("error({})"), "(error object is a table)");
    assert_text(failure("error()"), "(error object is a nil)");
    assert_text(
        failure("error(setmetatable({}, { __tostring = function() while true do end end }))"),
        "(error object is a table)");
}

TEST(a_traceback_names_the_functions_lines)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(run_text(vm, "local function f()\n error('x')\nend\nf()\n"), KC_ESCRIPT);
    assert_text(kc_vm_message(vm), "test.lua:2: x");
    assert_contains(kc_vm_traceback(vm), "test.lua:4:");
    kc_vm_free(vm);
}

TEST(a_file_that_is_not_there_is_the_callers_mistake)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(kc_vm_run_file(vm, "/nonexistent/x.lua"), KC_EARGUMENT);
    assert_contains(kc_vm_message(vm), "/nonexistent/x.lua");
    kc_vm_free(vm);
}

TEST(a_vm_without_options_is_a_sandbox)
{
    kc_vm *vm = NULL;
    assert_int_equal(kc_vm_new(NULL, &vm), KC_OK);
    assert_int_equal(kc_vm_run(vm, "return 1", 8, NULL), KC_OK);
    kc_vm_free(vm);
    kc_vm_free(NULL);
    assert_int_equal(kc_vm_new(NULL, NULL), KC_EARGUMENT);
}

/* ---- what a script can reach --------------------------------------------------- */

TEST(print_goes_to_the_host)
{
    heard h;
    kc_vm *vm = new_vm(&h, 0);
    assert_int_equal(run_text(vm, KERNEL "print('a', 10 / 2, nil, true) print() print(B)"), KC_OK);
    assert_memory_equal(h.text, "a\t5\tnil\ttrue\n\n", 14);
    assert_contains(h.text, "B");
    kc_vm_free(vm);
}

TEST(bytecode_is_refused)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(kc_vm_run(vm, "\x1bLua", 4, "b"), KC_ESCRIPT);
    assert_int_equal(kc_vm_run(vm, "\x1bLJ\x02", 4, "b"), KC_ESCRIPT);
    kc_vm_free(vm);
}

TEST(nothing_outside_the_vm_is_in_reach)
{
    assert_text(json("local found = {}\n"
                     "for _, name in ipairs({ 'os', 'io', 'debug', 'package', 'ffi', 'jit', "
                     "'load', 'loadstring',\n"
                     "  'loadfile', 'dofile', 'collectgarbage', 'getfenv', 'setfenv', 'newproxy', "
                     "'module',\n"
                     "  'gcinfo', 'warn', 'arg' }) do\n"
                     "  if _G[name] ~= nil then found[#found + 1] = name end\n"
                     "end\n"
                     "if string.dump or ('').dump then found[#found + 1] = 'dump' end\n"
                     "if getmetatable('') then found[#found + 1] = 'string metatable' end\n"
                     "if getmetatable(require 'kcost'.lib) then found[#found + 1] = 'lib' end\n"
                     "return found"),
                "[]");
}

TEST(a_run_leaves_nothing_for_the_next)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(run_text(vm,
                              "x = 1 string.upper = nil math.huge = 0 local kc = require 'kcost'\n"
                              "kc.tensor = nil kc.lib.gemm.x = 1 rawset(kc.lib, 'norm', 1)"),
                     KC_OK);
    assert_int_equal(
        run_text(vm, "local kc = require 'kcost'\n"
                     "return x == nil, string.upper('a'), math.huge > 1, kc.tensor ~= nil,\n"
                     "rawget(kc.lib.gemm, 'x') == nil, type(kc.lib.norm), ('b'):upper()"),
        KC_OK);
    assert_text(kc_vm_json(vm), "[true,\"A\",true,true,true,\"table\",\"B\"]");
    kc_vm_free(vm);
}

TEST(finalizers_are_refused)
{
    assert_contains(failure("setmetatable({}, { __gc = true })"), "finalizers");
}

TEST(tostring_gives_no_addresses)
{
    assert_text(json("return tostring({}), tostring(print), tostring(10 / 2)"),
                "[\"table\",\"function\",\"5\"]");
}

TEST(the_libraries_do_what_the_manual_says)
{
    kc_vm *vm = new_vm(NULL, 0);
    kc_status status = kc_vm_run_file(vm, "tests/lua/libraries.lua");
    assert_text(kc_vm_message(vm), "");
    assert_int_equal(status, KC_OK);
    kc_vm_free(vm);
}

TEST(random_numbers_are_the_same_in_every_run_and_on_both_engines)
{
    assert_text(json("return math.random(1000), math.random(1000), math.random(1000)"), "[247,235,70]");
}

TEST(pairs_comes_in_one_order)
{
    assert_text(json("local o = {} for k in pairs { 5, c = 1, a = 2, [true] = 3, b = 4, [0.5] = 6 } do o[#o + 1] = tostring(k) end return o"),
                "[\"0.5\",\"1\",\"a\",\"b\",\"c\",\"true\"]");
}

TEST(the_stdlib_is_required_like_a_module)
{
    assert_text(json("local kc = require 'kcost' return require 'kcost.gemm' == kc.lib.gemm, "
                     "require 'kcost' == kc"),
                "[true,true]");
}

TEST(the_stdlibs_own_files_are_not_in_lib_but_have_a_name)
{
    assert_text(json("local kc = require 'kcost' return require('kcost.internal.match').match == kc.match, "
                     "require 'kcost.internal.plot' == kc.plot"),
                "[true,true]");
    assert_contains(failure("return require('kcost').lib.match"), "kc.lib: there is no kernel family 'match'; there are attention, ");
    assert_contains(failure("return require 'kcost.match'"), "kc.lib: there is no kernel family 'match'; there are attention, ");
    assert_contains(failure("return require 'kcost.internal.gemm'"), "kc.lib: the stdlib has no file 'gemm' of its own; ");
}

TEST(a_sandbox_requires_no_neighbours)
{
    assert_contains(failure("require 'os'"), "test.lua:1: require: there is no module 'os' here");
}

static kc_status give(kc_vm *vm, const char *name, const char *text)
{
    return kc_vm_module(vm, name, text, strlen(text));
}

TEST(the_host_gives_modules_also_to_a_sandbox)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(give(vm, "shapes", "local name = ... return { n = 4, name = name }"), KC_OK);
    assert_int_equal(give(vm, "twice", "return 2 * require('shapes').n"), KC_OK);
    assert_int_equal(run_text(vm, "local s = require 'shapes' s.n = s.n + 1\n"
                                  "return require('twice'), s.name, require('shapes') == s"),
                     KC_OK);
    assert_text(kc_vm_json(vm), "[10,\"shapes\",true]");
    /* A run begins afresh, and the last one given counts. */
    assert_int_equal(run_text(vm, "return require('twice')"), KC_OK);
    assert_text(kc_vm_json(vm), "8");
    assert_int_equal(give(vm, "twice", "return 2"), KC_OK);
    assert_int_equal(run_text(vm, "return require('twice')"), KC_OK);
    assert_text(kc_vm_json(vm), "2");
    kc_vm_free(vm);
}

TEST(a_given_module_is_text_and_tells_of_its_errors)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(give(vm, "wrong", "\nlocal x = = 1"), KC_OK);
    assert_int_equal(give(vm, "bytes", "\033Lua"), KC_OK);
    assert_int_equal(give(vm, "raises", "\n\nerror('no')"), KC_OK);
    assert_int_equal(run_text(vm, "require 'wrong'"), KC_ESCRIPT);
    assert_contains(kc_vm_message(vm), "wrong:2:");
    assert_int_equal(run_text(vm, "require 'bytes'"), KC_ESCRIPT);
    assert_int_equal(run_text(vm, "require 'raises'"), KC_ESCRIPT);
    assert_text(kc_vm_message(vm), "raises:3: no");
    assert_int_equal(give(vm, "kcost", "return 1"), KC_EARGUMENT);
    assert_int_equal(give(vm, "kcost.gemm", "return 1"), KC_EARGUMENT);
    kc_vm_free(vm);
}

TEST(a_trusted_script_requires_its_neighbours)
{
    char path[256], neighbour[256];
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(path, sizeof path, "%s/kcost_test_vm_script.lua", folder);
    snprintf(neighbour, sizeof neighbour, "%s/kcost_test_vm_neighbour.lua", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#!/usr/bin/env kcost\nlocal n = require 'kcost_test_vm_neighbour'\nreturn n.value, "
          "require "
          "'kcost_test_vm_neighbour' == n",
          file);
    fclose(file);
    file = fopen(neighbour, "w");
    assert_non_null(file);
    fputs("local kc = require 'kcost' return { value = kc.str(5) }", file);
    fclose(file);

    kc_vm *vm = new_vm(NULL, 1);
    kc_status status = kc_vm_run_file(vm, path);
    assert_text(kc_vm_message(vm), "");
    assert_int_equal(status, KC_OK);
    assert_text(kc_vm_json(vm), "[\"5\",true]");
    assert_int_equal(run_text(vm, "require '../etc/passwd'"), KC_ESCRIPT);
    kc_vm_free(vm);

    vm = new_vm(NULL, 0);
    assert_int_equal(kc_vm_run_file(vm, path), KC_ESCRIPT);
    assert_contains(kc_vm_message(vm), "script.lua:2: require:");
    kc_vm_free(vm);
    remove(path);
    remove(neighbour);
}

/* ---- sweeps ------------------------------------------------------------------------- */

#define SWEEP KERNEL "return kc.sweep { kernel = B, device = 'l4', size = { i = kc.range(1000, 1999) }"

static int stop_at_once(void *data, double done, double points)
{
    assert_number(points, 1000);
    ++*(int *)data;
    return done > 0;
}

typedef struct looks {
    double done, points, end_at;
} looks;

static int look(void *data, double done, double points)
{
    looks *l = data;
    if (points > 0)
        *l = (looks){ done, points, l->end_at };
    return l->end_at > 0 && done >= l->end_at;
}

TEST(the_host_watches_searches_and_verify)
{
    kc_vm *vm = new_vm(NULL, 0);
    looks seen = { 0 };
    assert_int_equal(kc_vm_watch(vm, look, &seen), KC_OK);
    assert_int_equal(run_text(vm, KERNEL "kc.verify(kc.tile(kc.write('D', kc.map('relu', kc.read(A))), { i = 1 }))"), KC_OK);
    assert_true(seen.points >= 1000 && seen.done == seen.points);
    seen = (looks){ .end_at = 1 };
    assert_int_equal(run_text(vm, "local kc = require 'kcost' kc.verify(kc.tile(kc.lib.gemm.plain { m = 640, n = 640, k = 640 }, "
                                  "{ m = 8, n = 8, k = 8 }))"), KC_ESCRIPT);
    assert_contains(kc_vm_message(vm), "kc.verify: interrupted after ");
    assert_contains(kc_vm_message(vm), " steps");
    assert_int_equal(run_text(vm, "local kc = require 'kcost' local t = kc.range(8, 1600, 8)\n"
                                  "local r = kc.best(kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }, 'h100-sxm5',\n"
                                  "                  { tile = { m = t, n = t, k = t } })\n"
                                  "return r.search.interrupted, r.search.points == r.search.visited + r.search.cut"), KC_OK);
    assert_text(kc_vm_json(vm), "[true,true]");
    seen = (looks){ 0 };
    assert_int_equal(run_text(vm, "local kc = require 'kcost'\n"
                                  "return kc.best(kc.lib.gemm.plain { m = 64, n = 64, k = 64 }, 'l4', { tile = { m = { 16, 32 } } })"), KC_OK);
    assert_number(seen.done, 2);
    assert_number(seen.points, 2);
    kc_vm_free(vm);
}

TEST(the_host_says_how_scripts_sweep)
{
    unsigned parts = 0;
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(kc_vm_threads(vm, 2), KC_OK);
    assert_int_equal(kc_vm_shard(vm, 5, 4), KC_EARGUMENT);
    assert_int_equal(kc_vm_shard(vm, 2, 4), KC_OK);
    assert_int_equal(run_text(vm, SWEEP " }"), KC_OK);
    const kc_sweep *sweep = (const kc_sweep *)kc_vm_answer(vm, 0);
    assert_int_equal(kc_sweep_part(sweep, &parts), 2);
    assert_int_equal(parts, 4);
    assert_number(kc_sweep_done(sweep), 250);
    assert_int_equal(run_text(vm, SWEEP ", shard = { 1, 1 } }"), KC_OK); /* the script's own word */
    assert_number(kc_sweep_done((const kc_sweep *)kc_vm_answer(vm, 0)), 1000);
    kc_vm_free(vm);
}

static int count_threads(void *data, double done, double points)
{
    size_t *most = data;
    glob_t tasks;
    (void)done, (void)points;
    assert_int_equal(glob("/proc/self/task/*", 0, NULL, &tasks), 0);
    *most = tasks.gl_pathc > *most ? tasks.gl_pathc : *most;
    globfree(&tasks);
    return 0;
}

/* Threads more than before, at most, while a script asks for many. */
static size_t threads_of(const kc_vm_options *options, unsigned given)
{
    size_t before = 0, most = 0;
    kc_vm *vm = NULL;
    count_threads(&before, 0, 0);
    assert_int_equal(kc_vm_new(options, &vm), KC_OK);
    assert_int_equal(kc_vm_threads(vm, given), KC_OK);
    assert_int_equal(kc_vm_watch(vm, count_threads, &most), KC_OK);
    assert_int_equal(run_text(vm, KERNEL "return kc.sweep { kernel = B, device = 'l4', tile = { i = kc.range(1, 1000) }, "
                                         "stages = kc.range(1, 30), keep = { top = 1 }, threads = 1e6 }"), KC_OK);
    kc_vm_free(vm);
    return most - before;
}

TEST(a_sandboxed_script_has_no_more_threads_than_the_host_gives)
{
    static const kc_vm_options trusted = {.trusted = 1};
    assert_int_equal(threads_of(NULL, 2), 1); /* the caller is the other */
    assert_true(threads_of(NULL, 0) < 64);
    assert_true(threads_of(&trusted, 2) > 1);
}

TEST(the_host_may_end_a_sweep_and_the_script_goes_on)
{
    int calls = 0;
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(kc_vm_watch(vm, stop_at_once, &calls), KC_OK);
    assert_int_equal(run_text(vm, "local function f() " SWEEP " } end local s = f() return s.interrupted, s.done > 0 and s.done < 1000"),
                     KC_OK);
    assert_text(kc_vm_json(vm), "[true,true]");
    assert_true(calls >= 2);
    kc_vm_free(vm);
}

TEST(a_sweep_is_an_answer)
{
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(run_text(vm, SWEEP ", keep = { top = 2 }, fields = { 'bytes' } }"), KC_OK);
    assert_int_equal(kc_object_kind(kc_vm_answer(vm, 0)), KC_SWEEP);
    assert_contains(kc_vm_json(vm), "{\"kind\":\"sweep\",\"name\":\"B\",\"points\":1000,\"fit\":1000,");
    assert_contains(kc_vm_csv(vm, 0), "device,size.i,bytes,time\nl4,");
    kc_vm_free(vm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_that_returns_nothing_gives_an_empty_list),
        cmocka_unit_test(plain_values_are_themselves),
        cmocka_unit_test(several_values_and_lists_are_arrays),
        cmocka_unit_test(text_that_is_no_utf8_is_replaced),
        cmocka_unit_test(a_written_tensor_is_counted_first),
        cmocka_unit_test(an_answer_outlives_its_vm_where_it_is_retained),
        cmocka_unit_test(a_host_adds_answers_which_a_document_and_plots_have),
        cmocka_unit_test(what_is_no_answer_is_not_added),
        cmocka_unit_test(what_is_no_answer_is_an_error),
        cmocka_unit_test(a_new_run_drops_the_answers_of_the_last),
        cmocka_unit_test(csv_of_several_answers_is_one_table),
        cmocka_unit_test(a_result_is_drawn_as_what_fits_it),
        cmocka_unit_test(a_table_may_say_how_it_is_shown_and_drawn),
        cmocka_unit_test(plots_that_a_script_returns_are_all_that_is_drawn),
        cmocka_unit_test(a_param_has_the_type_of_its_default),
        cmocka_unit_test(a_param_of_another_type_is_an_error_at_its_line),
        cmocka_unit_test(a_param_that_no_script_asked_for_is_an_error),
        cmocka_unit_test(an_error_has_the_users_line),
        cmocka_unit_test(a_tail_call_has_the_line_of_the_scripts_return),
        cmocka_unit_test(an_error_object_is_named_by_type_and_runs_nothing),
        cmocka_unit_test(a_traceback_names_the_functions_lines),
        cmocka_unit_test(a_file_that_is_not_there_is_the_callers_mistake),
        cmocka_unit_test(a_vm_without_options_is_a_sandbox),
        cmocka_unit_test(print_goes_to_the_host),
        cmocka_unit_test(bytecode_is_refused),
        cmocka_unit_test(nothing_outside_the_vm_is_in_reach),
        cmocka_unit_test(a_run_leaves_nothing_for_the_next),
        cmocka_unit_test(finalizers_are_refused),
        cmocka_unit_test(tostring_gives_no_addresses),
        cmocka_unit_test(the_libraries_do_what_the_manual_says),
        cmocka_unit_test(random_numbers_are_the_same_in_every_run_and_on_both_engines),
        cmocka_unit_test(pairs_comes_in_one_order),
        cmocka_unit_test(the_stdlib_is_required_like_a_module),
        cmocka_unit_test(the_stdlibs_own_files_are_not_in_lib_but_have_a_name),
        cmocka_unit_test(a_sandbox_requires_no_neighbours),
        cmocka_unit_test(the_host_gives_modules_also_to_a_sandbox),
        cmocka_unit_test(a_given_module_is_text_and_tells_of_its_errors),
        cmocka_unit_test(a_trusted_script_requires_its_neighbours),
        cmocka_unit_test(the_host_watches_searches_and_verify),
        cmocka_unit_test(the_host_says_how_scripts_sweep),
        cmocka_unit_test(a_sandboxed_script_has_no_more_threads_than_the_host_gives),
        cmocka_unit_test(the_host_may_end_a_sweep_and_the_script_goes_on),
        cmocka_unit_test(a_sweep_is_an_answer),
    };
    return run(tests);
}
