/* test_vm_threads.c: eight VMs in eight threads, and interrupts of them from other threads and from their own hooks. */
#define _POSIX_C_SOURCE 200809L

#include "kcost.h"
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "account.h"

enum { THREADS = 8 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What the calls of the language are asked, sweeps in several threads among it. */
#define KERNEL "local kc = require 'kcost' local C = kc.lib.gemm.plain { m = 500, n = 300, k = 200 }\n"
#define SWEEP "kc.sweep { kernel = C, device = { 'l4', 'h100-sxm5' }, size = { k = { 200, 400, 600 } }, stages = { 1, 2, 3 },\n" \
              "           tile = { m = kc.pow2(16, 512), n = kc.pow2(16, 512), k = { 16, 32 } }, threads = 3 }"
static const char *const scripts[] = {
    KERNEL "return kc.evaluate(C, 'h100-sxm5'), kc.best(C, 'l4'), kc.evaluate(C, 'l4'):explain()",
    KERNEL "return " SWEEP,
    KERNEL "return kc.best(C, 'l4', { tile = { m = kc.pow2(16, 512), n = kc.pow2(16, 512) } })",
    KERNEL "kc.verify(kc.tile(C, { m = 64, n = 64, k = 32 })) return kc.compare({ C, kc.resize(C, { m = 64 }) }, { 'l4', 'h100-sxm5' })",
    ("local kc = require 'kcost' local s = { i = 512, j = 512, d = 64 }\n"
     "local function read(name, dims) return kc.read(kc.tensor(name, dims, 'f16', s)) end\n"
     "local S = kc.write('S', kc.matmul(read('Q', 'i d'), read('K', 'j d')))\n"
     "local P = kc.write('P', kc.softmax(kc.read(S), 'j'))\n"
     "local O = kc.write('O', kc.matmul(kc.read(P), read('V', 'j d'), 'j'))\n"
     "return kc.fuse_all(kc.program('attention', { S, P, O }), 'h100-sxm5')"),
    ("local t = {} for n = 1, 200 do t[n] = ('%d'):rep(3):format(n, n, n):gsub('1', 'x') end\n"
     "return table.concat(t, ' '), math.random(1000)"),
};

static kc_vm *new_vm(account *memory, double seconds)
{
    const kc_vm_options options = { .resize = memory ? account_resize : NULL, .resize_data = memory, .time_limit = seconds };
    kc_vm *vm = NULL;
    return kc_vm_new(&options, &vm) == KC_OK ? vm : NULL;
}

static kc_status run_text(kc_vm *vm, const char *text)
{
    return kc_vm_run(vm, text, strlen(text), "threads.lua");
}

/* All that the script answers, as JSON; what it says where it fails. */
static const char *answer(kc_vm *vm, const char *text)
{
    const char *json = run_text(vm, text) == KC_OK ? kc_vm_json(vm) : NULL;
    return json ? json : kc_vm_message(vm);
}

/* The answers of a VM that is alone; made once. */
static char *alone[COUNT(scripts)];

static void ask_alone(void)
{
    kc_vm *vm = new_vm(NULL, 0);
    for (size_t i = 0; i < COUNT(scripts); i++)
        alone[i] = strdup(answer(vm, scripts[i]));
    kc_vm_free(vm);
}

static size_t other_answers(kc_vm *vm, size_t first)
{
    size_t other = 0;
    for (size_t i = 0; i < COUNT(scripts); i++) {
        size_t at = (first + i) % COUNT(scripts);
        other += strcmp(answer(vm, scripts[at]), alone[at]) != 0;
    }
    return other;
}

TEST(each_script_is_answered)
{
    static const char *const parts[] = { "\"bound\":", "\"rejected\":", "\"name\":\"gemm\"", "\"ratio\":", "attention", "x0" };
    for (size_t i = 0; i < COUNT(scripts); i++)
        assert_contains(alone[i], parts[i]);
}

/* ---- eight at once --------------------------------------------------------------------------- */

typedef struct worker {
    size_t number, other;       /* answers that are not those of one alone */
    account memory;
    pthread_mutex_t lock;       /* around the next: the VM lives while it is held */
    kc_vm *vm;                  /* while it runs what only an interrupt ends */
    atomic_bool done;
    size_t ended;               /* runs that an interrupt ended */
} worker;

static void *run_all(void *data)
{
    worker *w = data;
    kc_vm *vm = new_vm(&w->memory, w->number % 2 ? 600 : 0);
    w->other = other_answers(vm, w->number);
    kc_vm_free(vm);
    return NULL;
}

TEST(vms_in_eight_threads_answer_as_one_alone)
{
    pthread_t threads[THREADS];
    worker workers[THREADS] = { { 0 } };
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].number = i;
        assert_int_equal(pthread_create(&threads[i], NULL, run_all, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(workers[i].other, 0);
        assert_int_equal(workers[i].memory.bytes, 0);
    }
}

/* ---- interrupts ---------------------------------------------------------------------------------- */

enum { ROUNDS = 4 };

static void lend(worker *w, kc_vm *vm)
{
    pthread_mutex_lock(&w->lock);
    w->vm = vm;
    pthread_mutex_unlock(&w->lock);
}

/* Its odd rounds have no limit: then only calls and allocations look. */
static void *run_until_interrupted(void *data)
{
    static const char endless[] = KERNEL "while true do pcall(kc.sweep, { kernel = C, device = 'l4', keep = { top = 1, by = 'time' },\n"
        "    tile = { m = kc.range(16, 500), n = kc.range(16, 300) }, threads = 3 }) end";
    worker *w = data;
    for (size_t round = 0; round < ROUNDS; round++) {
        kc_vm *vm = new_vm(&w->memory, round % 2 ? 0 : 600);
        lend(w, vm);
        kc_status status = run_text(vm, endless);
        lend(w, NULL);
        w->ended += status == KC_ELIMIT && kc_vm_limit(vm) == KC_LIMIT_INTERRUPT;
        w->other += strcmp(answer(vm, scripts[0]), alone[0]) != 0;
        kc_vm_free(vm);
    }
    atomic_store(&w->done, true);
    return NULL;
}

static void wait_ns(long some)
{
    const struct timespec wait = { 0, some };
    nanosleep(&wait, NULL);
}

/* At odd moments, some before a run has begun: those are lost. */
static void interrupt_until_done(worker *workers, size_t count)
{
    static const long moments[] = { 0, 200000, 1000000, 3000000 };
    for (size_t turn = 0, done = 0; done < count; turn++) {
        wait_ns(moments[turn % COUNT(moments)]);
        done = 0;
        for (size_t i = 0; i < count; i++) {
            pthread_mutex_lock(&workers[i].lock);
            if (workers[i].vm)
                kc_vm_interrupt(workers[i].vm);
            pthread_mutex_unlock(&workers[i].lock);
            done += atomic_load(&workers[i].done);
        }
    }
}

TEST(interrupts_end_the_runs_of_their_vms_and_no_others)
{
    enum { ENDLESS = THREADS / 2 };
    pthread_t threads[THREADS];
    worker workers[THREADS] = { { 0 } };
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].number = i;
        pthread_mutex_init(&workers[i].lock, NULL);
        assert_int_equal(pthread_create(&threads[i], NULL, i < ENDLESS ? run_until_interrupted : run_all, &workers[i]), 0);
    }
    interrupt_until_done(workers, ENDLESS);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].other, 0);
        assert_int_equal(workers[i].memory.bytes, 0);
        assert_int_equal(workers[i].ended, i < ENDLESS ? ROUNDS : 0);
    }
}

/* Threads' ids come again: one that is gone ran the VM, and one that interrupts it has got its id. */
static void *run_once(void *data)
{
    run_text(data, "return 1");
    return NULL;
}

static void *interrupt_until_done_alone(void *data)
{
    interrupt_until_done(data, 1);
    return NULL;
}

TEST(a_thread_with_the_id_of_one_that_ran_the_vm_interrupts_as_any_other)
{
    pthread_t thread;
    worker w = { .lock = PTHREAD_MUTEX_INITIALIZER };
    kc_vm *vm = new_vm(NULL, 0);
    assert_int_equal(pthread_create(&thread, NULL, run_once, vm), 0);
    pthread_join(thread, NULL);
    w.vm = vm;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_until_done_alone, &w), 0);
    wait_ns(3000000); /* it asks before there is a run, too */
    assert_int_equal(run_text(vm, "while true do local t = {} end"), KC_ELIMIT);
    assert_int_equal(kc_vm_limit(vm), KC_LIMIT_INTERRUPT);
    atomic_store(&w.done, true);
    pthread_join(thread, NULL);
    kc_vm_free(vm);
}

/* ---- from its own hook ---------------------------------------------------------------------------------- */

typedef struct hooked {
    account memory;
    kc_vm *vm;                  /* interrupted at the request after so many; NULL: none */
    size_t after;
} hooked;

static void *hooked_resize(void *data, void *block, size_t old_size, size_t new_size)
{
    hooked *h = data;
    if (h->vm && new_size > 0 && h->memory.asked == h->after)
        kc_vm_interrupt(h->vm);
    return account_resize(&h->memory, block, old_size, new_size);
}

TEST(an_interrupt_from_the_allocation_hook_ends_the_run_whatever_it_is_in)
{
    for (double seconds = 0; seconds <= 600; seconds += 600) {
        hooked h = { .vm = NULL };
        const kc_vm_options options = { .resize = hooked_resize, .resize_data = &h, .time_limit = seconds };
        kc_vm *vm = NULL;
        assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
        answer(vm, scripts[1]);
        size_t before = h.memory.asked;
        assert_int_equal(run_text(vm, scripts[1]), KC_OK);
        size_t requests = h.memory.asked - before;
        assert_true(requests > 100);
        for (size_t n = 1; n < requests; n += requests / 6 + 1) {
            h.after = h.memory.asked + n;
            h.vm = vm;
            kc_status status = run_text(vm, scripts[1]);
            h.vm = NULL;
            assert_int_equal(status, KC_ELIMIT);
            assert_int_equal(kc_vm_limit(vm), KC_LIMIT_INTERRUPT);
            assert_int_equal(kc_vm_answers(vm), 0);
            assert_text(answer(vm, scripts[5]), alone[5]);
        }
        assert_text(answer(vm, scripts[1]), alone[1]);
        kc_vm_free(vm);
        assert_int_equal(h.memory.bytes, 0);
    }
}

/* ---- a watch that another thread ends ---------------------------------------------------------------------- */

static int is_set(void *data, double done, double points)
{
    (void)done;
    (void)points;
    return atomic_load((atomic_bool *)data);
}

static void *set_later(void *data)
{
    wait_ns(500000);
    atomic_store((atomic_bool *)data, true);
    return NULL;
}

TEST(a_sweep_whose_watch_another_thread_ends_is_marked_and_is_the_beginning_of_the_whole)
{
    static const char text[] = KERNEL "return " SWEEP;
    kc_vm *vm = new_vm(NULL, 0), *whole_vm = new_vm(NULL, 0);
    atomic_bool over = false;
    pthread_t thread;
    assert_int_equal(run_text(whole_vm, text), KC_OK);
    const kc_sweep *whole = (const kc_sweep *)(void *)kc_vm_answer(whole_vm, 0);
    kc_vm_watch(vm, is_set, &over);
    for (int times = 0; times < 6; times++) {
        atomic_store(&over, false);
        assert_int_equal(pthread_create(&thread, NULL, set_later, &over), 0);
        kc_status status = run_text(vm, text);
        pthread_join(thread, NULL);
        assert_int_equal(status, KC_OK);
        const kc_sweep *part = (const kc_sweep *)(void *)kc_vm_answer(vm, 0);
        assert_int_equal(kc_sweep_interrupted(part), kc_sweep_done(part) < kc_sweep_points(part));
        assert_true(kc_sweep_rows(part) <= kc_sweep_rows(whole));
        for (size_t row = 0; row < kc_sweep_rows(part); row++) {
            double time, of_whole;
            size_t column = kc_sweep_axes(part);
            assert_number(kc_sweep_point(part, row), kc_sweep_point(whole, row));
            assert_int_equal(kc_sweep_number(part, row, column, &time), kc_sweep_number(whole, row, column, &of_whole));
            assert_number(time, of_whole);
        }
    }
    kc_vm_free(whole_vm);
    kc_vm_free(vm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_script_is_answered),
        cmocka_unit_test(vms_in_eight_threads_answer_as_one_alone),
        cmocka_unit_test(interrupts_end_the_runs_of_their_vms_and_no_others),
        cmocka_unit_test(a_thread_with_the_id_of_one_that_ran_the_vm_interrupts_as_any_other),
        cmocka_unit_test(an_interrupt_from_the_allocation_hook_ends_the_run_whatever_it_is_in),
        cmocka_unit_test(a_sweep_whose_watch_another_thread_ends_is_marked_and_is_the_beginning_of_the_whole),
    };
    ask_alone();
    int failed = run(tests);
    for (size_t i = 0; i < COUNT(scripts); i++)
        free(alone[i]);
    return failed;
}
