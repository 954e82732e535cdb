/* test_limits.c: what a run may take: memory, time, instructions; interrupts; what is left of a VM that hit a limit. */
#define _POSIX_C_SOURCE 200809L

#include "kcost.h"
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#define KERNEL                                                                                                         \
    "local kc = require 'kcost'\n"                                                                                     \
    "local s = { i = 2048, j = 2048, k = 2048 }\n"                                                                     \
    "local A, B = kc.tensor('A', 'i k', 'f16', s), kc.tensor('B', 'k j', 'f16', s)\n"                                  \
    "local C = kc.write('C', kc.matmul(kc.read(A), kc.read(B)))\n"

static kc_vm *new_vm(size_t memory, double seconds, uint64_t instructions)
{
    kc_vm_options options = { .memory_limit = memory, .time_limit = seconds, .instruction_limit = instructions };
    kc_vm *vm = NULL;
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    return vm;
}

static kc_status run_text(kc_vm *vm, const char *text)
{
    return kc_vm_run(vm, text, strlen(text), "test.lua");
}

/* The run hits this limit, says so, leaves no answers, and the VM goes on. */
static void hits(kc_vm *vm, const char *text, kc_limit limit, const char *says)
{
    assert_int_equal(run_text(vm, text), KC_ELIMIT);
    assert_int_equal(kc_vm_limit(vm), limit);
    assert_contains(kc_vm_message(vm), says);
    assert_int_equal(kc_vm_answers(vm), 0);
    assert_int_equal(run_text(vm, "return 1"), KC_OK);
    assert_int_equal(kc_vm_limit(vm), KC_NO_LIMIT);
    assert_text(kc_vm_message(vm), "");
    assert_text(kc_vm_json(vm), "1");
}

TEST(a_time_limit_names_the_scripts_line)
{
    kc_vm *vm = new_vm(0, 0.02, 0);
    hits(vm, "local x = 0\nwhile true do x = x + 1 end", KC_LIMIT_TIME, "test.lua:2: the time limit of 0.02 s was hit");
    kc_vm_free(vm);
}

TEST(a_memory_limit_counts_lua)
{
    kc_vm *vm = new_vm(1 << 20, 0, 0);
    hits(vm, "local t = {} while true do t[#t + 1] = { #t } end", KC_LIMIT_MEMORY, "test.lua: the memory limit of 1048576 bytes was hit");
    hits(vm, "local s = 'x' while true do s = s .. s end", KC_LIMIT_MEMORY, "memory");
    kc_vm_free(vm);
}

TEST(a_memory_limit_counts_the_model)
{
    kc_vm *vm = new_vm(2 << 20, 0, 0);
    hits(vm, KERNEL "local v = kc.read(A)\nfor n = 1, 1e5 do v = kc.map('scale', v) end", KC_LIMIT_MEMORY, "the memory limit");
    kc_vm_free(vm);
}

TEST(what_nobody_holds_is_collected_before_the_limit_is_hit)
{
    kc_vm *vm = new_vm(1 << 20, 0, 0);
    assert_int_equal(run_text(vm, KERNEL "for n = 1, 40 do local s = kc.sweep { kernel = C, device = 'l4', size = { i = kc.range(1, 300) }, threads = 1 } end"),
                     KC_OK);
    assert_int_equal(run_text(vm, "local n = 0 for i = 1, 300 do n = n + #(('x'):rep(20000) .. i) end return n"), KC_OK);
    kc_vm_free(vm);
}

TEST(a_memory_error_may_be_caught_but_not_for_ever)
{
    kc_vm *vm = new_vm(1 << 20, 0, 0);
    assert_int_equal(run_text(vm, "local ok = pcall(string.rep, 'x', 1e8) assert(not ok) return 7"), KC_OK);
    assert_text(kc_vm_json(vm), "7");
    hits(vm, "while true do pcall(string.rep, 'x', 1e8) end", KC_LIMIT_MEMORY, "memory");
    hits(vm, KERNEL "local function fill() local t = {} for i = 1, 1e9 do t[i] = { i } end end\n"
                    "while true do pcall(kc.sweep, { kernel = C, device = 'l4', size = { i = { 1 } }, where = fill }) end",
         KC_LIMIT_MEMORY, "memory");
    kc_vm_free(vm);
}

TEST(an_instruction_limit_ends_at_the_same_place_each_time)
{
    static const char text[] = "local kc = require 'kcost' for i = 1, 1e9 do n = i if i % 100 == 0 then print(i) end end";
    kc_vm *vm = new_vm(0, 0, 50000);
    hits(vm, text, KC_LIMIT_INSTRUCTIONS, "test.lua:1: the limit of 50000 instructions was hit");
    hits(vm, "while true do end", KC_LIMIT_INSTRUCTIONS, "instructions");
    kc_vm_free(vm);
}

TEST(steps_of_library_functions_are_instructions)
{
    kc_vm *vm = new_vm(0, 0, 100000);
    hits(vm, "return ('a'):rep(30):find(('a-'):rep(29) .. 'b')", KC_LIMIT_INSTRUCTIONS, "instructions");
    hits(vm, "local t = {} for i = 1, 1000 do t[i] = -i end for i = 1, 1000 do table.sort(t) end", KC_LIMIT_INSTRUCTIONS, "instructions");
    hits(vm, "for i = 1, 1000 do (('x'):rep(1000)):gsub('x', 'y') end", KC_LIMIT_INSTRUCTIONS, "instructions");
    hits(vm, "while true do coroutine.create(print) end", KC_LIMIT_INSTRUCTIONS, "instructions");
    kc_vm_free(vm);
}

TEST(no_error_handler_catches_a_limit)
{
    kc_vm *vm = new_vm(0, 0, 100000);
    hits(vm, "while true do pcall(function() while true do end end) end", KC_LIMIT_INSTRUCTIONS, "");
    hits(vm, "local function spin() while true do end end xpcall(spin, spin)", KC_LIMIT_INSTRUCTIONS, "");
    hits(vm, "while true do coroutine.wrap(function() while true do end end)() end", KC_LIMIT_INSTRUCTIONS, "");
    hits(vm, "pcall(pcall, pcall, function() while true do end end) return 1", KC_LIMIT_INSTRUCTIONS, "");
    kc_vm_free(vm);
}

TEST(long_calls_of_the_model_end_too)
{
    kc_vm *vm = new_vm(0, 0.05, 0);
    hits(vm, KERNEL "kc.verify(kc.tile(C, { i = 8, j = 8, k = 16 }))", KC_LIMIT_TIME, "time limit");
    hits(vm, KERNEL "local a = kc.range(1, 1000) kc.sweep { kernel = C, device = 'l4', tile = { i = a, j = a, k = a }, keep = { top = 1 } }",
         KC_LIMIT_TIME, "time limit");
    hits(vm, KERNEL "local a = kc.range(1, 1000) return kc.best(C, 'l4', { tile = { i = a, j = a, k = a }, where = 'time < 0' })",
         KC_LIMIT_TIME, "time limit");
    kc_vm_free(vm);
}

TEST(plots_of_what_fits_are_drawn_within_the_limits_of_a_run)
{
    kc_vm *vm = new_vm(0, 0, 5000000);
    assert_int_equal(run_text(vm, KERNEL "local r, t = kc.evaluate(C, 'l4'), {} for i = 1, 5000 do t[i] = r end return t"), KC_OK);
    assert_null(kc_vm_plots(vm));
    assert_int_equal(kc_vm_limit(vm), KC_LIMIT_INSTRUCTIONS);
    assert_contains(kc_vm_message(vm), "plot: the limit of 5000000 instructions was hit");
    assert_int_equal(kc_vm_answers(vm), 5000);
    assert_int_equal(run_text(vm, KERNEL "return kc.evaluate(C, 'l4')"), KC_OK);
    assert_contains(kc_vm_plots(vm), "roofline");
    kc_vm_free(vm);
}

/* ---- interrupts ------------------------------------------------------------------------ */

static void *interrupt(void *data)
{
    struct timespec wait = { 0, 20000000 };
    nanosleep(&wait, NULL);
    kc_vm_interrupt(data);
    return NULL;
}

static void interrupted(kc_vm *vm, const char *text)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, interrupt, vm), 0);
    hits(vm, text, KC_LIMIT_INTERRUPT, "the host interrupted it");
    pthread_join(thread, NULL);
}

TEST(another_thread_ends_a_run)
{
    kc_vm *vm = new_vm(0, INFINITY, 0);
    interrupted(vm, "while true do end");
    interrupted(vm, "while true do pcall(error) end");
    interrupted(vm, KERNEL "while true do kc.verify(kc.tile(C, { i = 8, j = 8, k = 16 })) end");
    kc_vm_free(vm);
}

TEST(without_limits_it_ends_at_the_next_allocation_or_call)
{
    kc_vm *vm = new_vm(0, 0, 0);
    interrupted(vm, "while true do local t = {} end");
    interrupted(vm, "while true do pcall(error) end");
    interrupted(vm, KERNEL "while true do kc.count(C) end");
    kc_vm_free(vm);
}

/* In this thread, as Ctrl-C comes. */
static kc_vm *signalled;

static void on_signal(int number)
{
    (void)number;
    kc_vm_interrupt(signalled);
}

static void *send_signal(void *data)
{
    struct timespec wait = { 0, 20000000 };
    nanosleep(&wait, NULL);
    pthread_kill(*(pthread_t *)data, SIGUSR1);
    return NULL;
}

TEST(a_signal_ends_any_loop_without_limits)
{
#ifdef __SANITIZE_THREAD__
    skip_test("ThreadSanitizer keeps a signal back until a call of the C library, and these loops make none");
#endif
    static const char *const loops[] = {
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "local f = coroutine.wrap(function() coroutine.yield() while true do end end) f() f()",
        "local function deep(n) if n == 0 then while true do end end coroutine.wrap(deep)(n - 1) end deep(5)",
        "local f = coroutine.wrap(function() coroutine.yield() end) f() while true do end",
    };
    struct sigaction action = { .sa_handler = on_signal };
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    signalled = new_vm(0, 0, 0);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        pthread_t thread, self = pthread_self();
        assert_int_equal(pthread_create(&thread, NULL, send_signal, &self), 0);
        hits(signalled, loops[i], KC_LIMIT_INTERRUPT, "test.lua:1: the host interrupted it");
        pthread_join(thread, NULL);
    }
    kc_vm_free(signalled);
}

TEST(an_interrupt_without_a_run_does_nothing)
{
    kc_vm *vm = new_vm(0, 0, 0);
    kc_vm_interrupt(vm);
    kc_vm_interrupt(NULL);
    assert_int_equal(run_text(vm, "return 1"), KC_OK);
    kc_vm_free(vm);
}

/* ---- texts --------------------------------------------------------------------------------- */

TEST(under_a_limit_a_script_has_at_most_256_KiB)
{
    size_t length = 300 << 10;
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, ' ', length);
    kc_vm *vm = new_vm(0, 1, 0);
    assert_int_equal(kc_vm_run(vm, text, length, "long"), KC_ESCRIPT);
    assert_contains(kc_vm_message(vm), "long: under a limit a script has at most 262144 bytes");
    kc_vm_free(vm);
    vm = new_vm(0, 0, 0);
    assert_int_equal(kc_vm_run(vm, text, length, "long"), KC_OK);
    kc_vm_free(vm);
    free(text);
}

TEST(a_message_has_a_few_thousand_bytes_at_most)
{
    kc_vm *vm = new_vm(16 << 20, 0, 0);
    assert_int_equal(run_text(vm, "error(('x'):rep(1e6), 0)"), KC_ESCRIPT);
    assert_in_range(strlen(kc_vm_message(vm)), 4000, 4200);
    for (size_t more = 0; more < 3; more++) { /* it ends behind a whole character */
        char text[80];
        snprintf(text, sizeof text, "error(('x'):rep(%zu) .. ('\xE2\x82\xAC'):rep(1e4), 0)", more);
        assert_int_equal(run_text(vm, text), KC_ESCRIPT);
        assert_contains(kc_vm_message(vm), "\xE2\x82\xAC...");
    }
    kc_vm_free(vm);
}

TEST(a_limit_below_what_a_vm_takes_is_no_memory)
{
    kc_vm_options options = { .memory_limit = 1000 };
    kc_vm *vm = NULL;
    assert_int_equal(kc_vm_new(&options, &vm), KC_ENOMEM);
    assert_null(vm);
    options.memory_limit = 150 << 10;
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    assert_int_equal(run_text(vm, "return 1"), KC_OK);
    kc_vm_free(vm);
}

TEST(answers_count_as_the_scripts_memory)
{
    kc_vm *vm = new_vm(1 << 20, 0, 0);
    assert_int_equal(run_text(vm, "local s = ('x'):rep(120000) return s, s, s"), KC_OK);
    assert_null(kc_vm_json(vm)); /* 360,000 bytes more */
    assert_contains(kc_vm_message(vm), "not enough memory");
    hits(vm, "local s, t = ('x'):rep(200000), {} for i = 1, 20 do t[i] = s end return t", KC_LIMIT_MEMORY, "memory limit");
    kc_vm_free(vm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_limit_names_the_scripts_line),
        cmocka_unit_test(a_memory_limit_counts_lua),
        cmocka_unit_test(a_memory_limit_counts_the_model),
        cmocka_unit_test(what_nobody_holds_is_collected_before_the_limit_is_hit),
        cmocka_unit_test(a_memory_error_may_be_caught_but_not_for_ever),
        cmocka_unit_test(an_instruction_limit_ends_at_the_same_place_each_time),
        cmocka_unit_test(steps_of_library_functions_are_instructions),
        cmocka_unit_test(no_error_handler_catches_a_limit),
        cmocka_unit_test(long_calls_of_the_model_end_too),
        cmocka_unit_test(plots_of_what_fits_are_drawn_within_the_limits_of_a_run),
        cmocka_unit_test(another_thread_ends_a_run),
        cmocka_unit_test(without_limits_it_ends_at_the_next_allocation_or_call),
        cmocka_unit_test(a_signal_ends_any_loop_without_limits),
        cmocka_unit_test(an_interrupt_without_a_run_does_nothing),
        cmocka_unit_test(under_a_limit_a_script_has_at_most_256_KiB),
        cmocka_unit_test(a_message_has_a_few_thousand_bytes_at_most),
        cmocka_unit_test(a_limit_below_what_a_vm_takes_is_no_memory),
        cmocka_unit_test(answers_count_as_the_scripts_memory),
    };
    return run(tests);
}
