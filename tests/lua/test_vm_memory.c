/* test_vm_memory.c: the VM under an allocator that counts, and that refuses the n-th request. */
#include "kcost.h"
#include "unit.h"

#include "account.h"

static const char script[] =
    "local kc = require 'kcost'\n"
    "local size = { i = 128, j = 128, d = 64, e = 64 }\n"
    "local Q, K, V = kc.tensor('Q', 'i d', 'f16', size), kc.tensor('K', 'j d', 'f16', size),\n"
    "  kc.tensor('V', 'j e', 'f16', size)\n"
    "local S = kc.write('S', kc.matmul(kc.read(Q), kc.read(K)))\n"
    "local P = kc.write('P', kc.softmax(kc.read(S), 'j', { online = true }))\n"
    "local O = kc.write('O', kc.matmul(kc.read(P), kc.read(V)))\n"
    "local flash = kc.tile(kc.fuse('flash', { S, P, O }), { i = 64, j = 32 }, { order = 'j', "
    "stages = { K = 3 } })\n"
    "print(flash, kc.lib.report.si(1e9, 'B'))\n"
    "local r = kc.count(flash)\n"
    "local t = r:table()\n"
    "return kc.compare({ kc.program('unfused', { S, P, O }), flash }, { 'h100-sxm5' }), r, 'text', "
    "t.bytes\n";

/* What a sandbox has of its own, and as few requests as that takes. */
static const char small[] = "local t = { 'b', 'a', 'c' }\n"
                            "table.sort(t, function(a, b) return a < b end)\n"
                            "local s = table.concat(t):gsub('%w', string.upper):rep(100, ',')\n"
                            "local co = coroutine.wrap(function(x) return coroutine.yield(x .. ('%5.1f %q'):format(2, s)) end)\n"
                            "print(co(s), pcall(error, {}), xpcall(error, tostring, 'x'), math.random(9))\n"
                            "for k, v in ('a=1, b=2'):gmatch('(%w)=(%w)') do t[k] = tonumber(v) end\n"
                            "return t.a + t.b, s\n";

static kc_status small_life(account *a)
{
    kc_vm_options options = {.resize = account_resize, .resize_data = a, .memory_limit = 1 << 20, .time_limit = 60, .instruction_limit = 1000000};
    kc_vm *vm = NULL;
    kc_status status = kc_vm_new(&options, &vm);
    if (status == KC_OK)
        status = kc_vm_run(vm, small, sizeof small - 1, "small.lua");
    if (status == KC_OK && !kc_vm_json(vm))
        status = KC_ENOMEM;
    kc_vm_free(vm);
    return status;
}

static kc_status whole_life(account *a, size_t *answers)
{
    kc_vm_options options = {.resize = account_resize, .resize_data = a, .path = "?.lua"};
    kc_vm *vm = NULL;
    kc_status status = kc_vm_new(&options, &vm);
    if (status == KC_OK)
        status = kc_vm_module(vm, "given", "return 1", 8);
    if (status == KC_OK)
        status = kc_vm_param(vm, "unused", "1"); /* refused below, once everything else went well */
    if (status == KC_OK)
        status = kc_vm_run(vm, script, sizeof script - 1, "memory.lua");
    if (status == KC_EARGUMENT) {
        *answers = 1;
        status = KC_OK;
    }
    if (status == KC_OK && (!kc_vm_json(vm) || !kc_vm_csv(vm, 0)))
        status = KC_ENOMEM;
    kc_vm_free(vm);
    return status;
}

TEST(a_vm_gives_back_every_byte)
{
    account a = {0};
    size_t answers = 0;
    assert_int_equal(whole_life(&a, &answers), KC_OK);
    assert_true(a.asked > 100);
    assert_int_equal(a.bytes, 0);
    assert_int_equal(a.blocks, 0);
    assert_int_equal(a.misstated, 0);
}

TEST(the_models_memory_comes_from_the_hosts_hook)
{
    account a = {0};
    kc_vm_options options = {.resize = account_resize, .resize_data = &a};
    kc_vm *vm = NULL;
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    static const char big[] = "local kc = require 'kcost'\n"
                              "local v = kc.read(kc.tensor('A', 'i', 'f16', { i = 10 }))\n"
                              "for n = 1, 20000 do v = kc.map('scale', v) end\n"
                              "return kc.write('B', v)\n";
    size_t before = a.bytes;
    assert_int_equal(kc_vm_run(vm, big, sizeof big - 1, "big"), KC_OK);
    assert_true(a.bytes >= before);
    kc_vm_free(vm);
    assert_int_equal(a.blocks, 0);
}

TEST(ten_thousand_vms_one_after_another_leave_nothing)
{
    account a = {0};
    for (int i = 0; i < 10000; i++) {
        kc_vm_options options = {.resize = account_resize, .resize_data = &a};
        kc_vm *vm = NULL;
        assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
        kc_vm_free(vm);
        assert_int_equal(a.blocks, 0);
    }
    assert_int_equal(a.bytes, 0);
}

static void refuse_every(int for_ever)
{
    size_t requests = 0, answers = 0;
    account whole = {0};
    assert_int_equal(whole_life(&whole, &answers), KC_OK);
    requests = whole.asked;
    /* All of the first, where a VM comes to be; then a sample. */
    size_t step = 1 + requests / 2000;
    for (size_t n = 1; n <= requests; n += n < 500 ? 1 : step) {
        account a = {.refuse = n, .for_ever = for_ever, .smaller = 1};
        kc_status status = whole_life(&a, &answers);
        if (status != KC_OK && status != KC_ENOMEM)
            print_error("request %zu of %zu: status %d\n", n, requests, (int)status);
        assert_true(status == KC_OK || status == KC_ENOMEM);
        if (for_ever && n < requests / 2)
            assert_int_equal(status, KC_ENOMEM);
        if (a.blocks)
            print_error("request %zu of %zu: %zu blocks left\n", n, requests, a.blocks);
        assert_int_equal(a.blocks, 0);
    }
}

/* Every one: once, and from then on. */
TEST(a_sandbox_survives_the_refusal_of_any_request)
{
    account whole = {0};
    assert_int_equal(small_life(&whole), KC_OK);
    for (size_t n = 1; n <= whole.asked; n++) {
        account once = {.refuse = n}, for_ever = {.refuse = n, .for_ever = 1};
        kc_status status = small_life(&once);
        if (status != KC_OK)
            assert_int_equal(status, KC_ENOMEM);
        assert_int_equal(small_life(&for_ever), KC_ENOMEM);
        assert_int_equal(once.blocks + once.bytes + for_ever.blocks + for_ever.bytes, 0);
    }
}

/* The call, and where it finds no memory, the call again with all that it wants. */
#define AT_LAST(call)                                                                                                  \
    do {                                                                                                               \
        kc_status status_ = (call);                                                                                    \
        if (status_ == KC_ENOMEM) {                                                                                    \
            a->refuse = 0;                                                                                             \
            status_ = (call);                                                                                          \
        }                                                                                                              \
        if (status_ != KC_OK)                                                                                          \
            fail_msg("%s", kc_vm_message(vm));                                                                         \
    } while (0)

static kc_status documents(kc_vm *vm, char *all, size_t size)
{
    const char *json = kc_vm_json(vm), *csv = json ? kc_vm_csv(vm, 0) : NULL;
    if (csv)
        snprintf(all, size, "%s", csv);
    return csv ? KC_OK : KC_ENOMEM;
}

/* Every call of a VM that asks for memory, one after another; what a document of it says goes to `all`. */
static void calls(account *a, char *all, size_t size)
{
    static const char ask[] = "local kc = require 'kcost'\n"
                              "return kc.count(kc.write('B', kc.map('exp', kc.read(kc.tensor('A', 'i', 'f16', { i = 64 })))))\n";
    const kc_vm_options options = {.resize = account_resize, .resize_data = a, .path = "?.lua", .trusted = 1};
    kc_vm *vm = NULL;
    int more = 0;
    AT_LAST(kc_vm_new(&options, &vm));
    AT_LAST(kc_vm_module(vm, "given", "return 2", 8));
    AT_LAST(kc_vm_line(vm, "x = require('given') + 1", 24, "line", &more));
    AT_LAST(kc_vm_line(vm, "x", 1, "line", &more));
    assert_text(kc_vm_answer_text(vm, 0), "3"); /* lines share their globals, also after one that found no memory */
    AT_LAST(kc_vm_run_file(vm, "tests/attacks/escape_os_library.lua"));
    AT_LAST(kc_vm_run(vm, ask, sizeof ask - 1, "ask.lua"));
    AT_LAST(kc_vm_add_answer(vm, kc_vm_answer(vm, 0)));
    AT_LAST(documents(vm, all, size));
    AT_LAST(kc_vm_plots(vm) ? KC_OK : KC_ENOMEM);
    AT_LAST(kc_vm_param(vm, "n", "1"));
    AT_LAST(kc_vm_run(vm, "return require('kcost').param('n', 2)", 37, "param.lua"));
    assert_text(kc_vm_answer_text(vm, 0), "1");
    kc_vm_free(vm);
}

TEST(a_call_that_found_no_memory_can_be_made_again)
{
    char want[4096] = "", got[4096] = "";
    account whole = {0};
    calls(&whole, want, sizeof want);
    const char *wanted = getenv("KCOST_REFUSALS");
    size_t step = wanted && strcmp(wanted, "all") == 0 ? 1 : 1 + whole.asked / a_few_of(100), tried = 0;
    for (size_t n = 1; n <= whole.asked; n += step)
        for (int for_ever = 0; for_ever < 2; for_ever++, tried++) {
            account a = {.refuse = n, .for_ever = for_ever};
            calls(&a, got, sizeof got);
            if (strcmp(got, want) != 0 || a.blocks)
                print_error("request %zu%s: %zu blocks left, %s\n", n, for_ever ? " and all after it" : "", a.blocks, got);
            assert_text(got, want);
            assert_int_equal(a.blocks, 0);
        }
    print_message("%zu requests refused\n", tried);
}

TEST(a_refused_request_is_an_error_and_leaks_nothing)
{
    refuse_every(0);
}

TEST(an_allocator_that_refuses_from_then_on_is_an_error_and_leaks_nothing)
{
    refuse_every(1);
}

/* The plots of a result, whose n-th request is refused; how many requests there were. */
static size_t plots_refused(size_t n, int for_ever)
{
    static const char ask[] = "local kc = require 'kcost'\n"
                              "local A = kc.tensor('A', 'i', 'f16', { i = 1e6 })\n"
                              "return kc.evaluate(kc.write('B', kc.map('exp', kc.read(A))), 'l4')\n";
    account a = {.for_ever = for_ever};
    kc_vm_options options = {.resize = account_resize, .resize_data = &a};
    kc_vm *vm = NULL;
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    assert_int_equal(kc_vm_run(vm, ask, sizeof ask - 1, "plot.lua"), KC_OK);
    size_t before = a.asked;
    a.refuse = n ? before + n : 0;
    const char *plots = kc_vm_plots(vm);
    if (plots)
        assert_contains(plots, "\"plot\":\"roofline\"");
    else
        assert_contains(kc_vm_message(vm), "memory");
    a.refuse = 0;
    kc_vm_free(vm);
    assert_int_equal(a.blocks, 0);
    return a.asked - before;
}

TEST(plots_that_find_no_memory_are_an_error_and_leak_nothing)
{
    size_t requests = plots_refused(0, 0);
    for (size_t n = 1; n <= requests; n += 1 + requests / 150) {
        plots_refused(n, 0);
        plots_refused(n, 1);
    }
}

/* A search that calls a function of the script's for each point, whose n-th request is refused; how many there were. */
static size_t search_refused(size_t n, int for_ever)
{
    static const char ask[] = "local kc = require 'kcost'\n"
                              "local A = kc.tensor('A', 'i j', 'f16', { i = 512, j = 512 })\n"
                              "local B = kc.write('B', kc.map('exp', kc.read(A)))\n"
                              "local size = { 8, 16, 32, 64 }\n"
                              "return kc.best(B, 'l4', { tile = { i = size, j = size }, where = function(p) return p.tile.i > 0 end })\n";
    account a = {.refuse = n, .for_ever = for_ever};
    kc_vm_options options = {.resize = account_resize, .resize_data = &a};
    kc_vm *vm = NULL;
    if (kc_vm_new(&options, &vm) == KC_OK && kc_vm_run(vm, ask, sizeof ask - 1, "search.lua") != KC_OK)
        assert_contains(kc_vm_message(vm), "not enough memory");
    kc_vm_free(vm);
    assert_int_equal(a.blocks, 0);
    return a.asked;
}

TEST(a_search_by_a_function_that_finds_no_memory_leaks_nothing)
{
    size_t requests = search_refused(0, 0);
    for (size_t n = 1; n <= requests; n += 1 + requests / a_few_of(200)) {
        search_refused(n, 0);
        search_refused(n, 1);
    }
}

/* LuaJIT needs a whole collection after a refusal, and must get there without asking for memory. */
TEST(a_vm_whose_host_has_no_more_goes_on_once_the_script_is_over)
{
    static const char fill[] = "local t = {}\n"
                               "for size = 17, 4, -1 do for n = 1, 4000 do\n"
                               "  local good, text = pcall(string.rep, ('x'):rep(16) .. n, 2 ^ size / 16)\n"
                               "  if not good then break end\n"
                               "  t[#t + 1] = text\n"
                               "end end\n"
                               "local s = '' for i = 1, 1e6 do s = s .. i end\n";
    account a = {.limit = 2000000};
    kc_vm_options options = {.resize = account_resize, .resize_data = &a};
    kc_vm *vm = NULL;
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    for (int times = 0; times < 3; times++) {
        assert_int_equal(kc_vm_run(vm, fill, sizeof fill - 1, "fill.lua"), KC_ENOMEM);
        assert_contains(kc_vm_message(vm), "not enough memory");
        assert_int_equal(kc_vm_run(vm, "return 1", 8, "after.lua"), KC_OK);
        assert_true(a.bytes < 500000);
    }
    kc_vm_free(vm);
    assert_int_equal(a.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vm_gives_back_every_byte),
        cmocka_unit_test(the_models_memory_comes_from_the_hosts_hook),
        cmocka_unit_test(ten_thousand_vms_one_after_another_leave_nothing),
        cmocka_unit_test(a_sandbox_survives_the_refusal_of_any_request),
        cmocka_unit_test(a_call_that_found_no_memory_can_be_made_again),
        cmocka_unit_test(a_refused_request_is_an_error_and_leaks_nothing),
        cmocka_unit_test(an_allocator_that_refuses_from_then_on_is_an_error_and_leaks_nothing),
        cmocka_unit_test(plots_that_find_no_memory_are_an_error_and_leak_nothing),
        cmocka_unit_test(a_search_by_a_function_that_finds_no_memory_leaks_nothing),
        cmocka_unit_test(a_vm_whose_host_has_no_more_goes_on_once_the_script_is_over),
    };
    return run(tests);
}
