/* test_attacks.c: every script of tests/attacks under three pairs of limits, judged by its first lines.
 *
 * One process runs them all, two at a time, each in a thread with the smallest stack that kcost.h promises.  A
 * script's first three lines say what a safe VM does (-- expect:), what is tried (-- threat:) and which engine it
 * needs (-- vm:).  Whatever they say: the run ends by its limit, the VM is used again and closes at once and leaves
 * no byte, nothing is written to stdout or stderr, and no error text contains ESCAPE, which a script raises that got
 * out.
 *
 *     KCOST_ATTACK=mem_    only scripts whose names begin so, and a line for each */
#define _POSIX_C_SOURCE 200809L

#include "kcost.h"
#include "unit.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "attacks/attack.h"

enum { RUNNERS = 2, TRIES = 4, SLACK_MS = 150, SLOW_MS = 500, CLOSE_MS = 200, MOST_SAID = 5000 };

static void swallow(void *data, const char *text, size_t length)
{
    (void)text;
    *(size_t *)data += length;
}

static double now_ms(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return 1e3 * (double)at.tv_sec + 1e-6 * (double)at.tv_nsec;
}

/* ---- one run ------------------------------------------------------------------------------ */

/* "budget", "memory", "script" and how a run ended. */
static const char *class_of(kc_status status, kc_limit limit)
{
    if (status == KC_OK)
        return "finishes";
    if (status == KC_ESCRIPT)
        return "script";
    return status != KC_ELIMIT ? "another status" : limit == KC_LIMIT_MEMORY ? "memory" : "budget";
}

static int slow; /* another build, or under valgrind: what should finish may hit the time limit */

/* Where a script needs more memory than a run has, that limit is the one that can be hit. */
static int expected(const attack *a, const char *class)
{
    if (strcmp(class, "finishes") == 0)
        return strncmp(a->expect, "finishes", 8) == 0 || strcmp(a->expect, "nil global") == 0;
    if (slow && strcmp(class, "budget") == 0)
        return 1;
    if (strcmp(a->expect, "error") == 0 || strcmp(a->expect, "finishes or error") == 0)
        return 1;
    if (strncmp(a->expect, "error, ", 7) != 0)
        return 0;
    return strstr(a->expect, class) != NULL || (strcmp(class, "memory") == 0 && strstr(a->expect, "budget") != NULL);
}

typedef struct verdict {
    const attack *attack;
    const attack_limits *limits;
    char fault[256];
    const char *class;
    double late_ms, close_ms;
} verdict;

static void fault(verdict *v, const char *what, const char *said)
{
    if (v->fault[0] == '\0')
        snprintf(v->fault, sizeof v->fault, "%s: %.200s", what, said);
}

/* `cpu_ms` of the `ms` were this thread's: on a busy machine what should finish may get too little of the time limit, and
 * what ends late may have waited for its turn. */
static void judge(verdict *v, kc_vm *vm, kc_status status, double ms, double cpu_ms)
{
    int starved = kc_vm_limit(vm) == KC_LIMIT_TIME && cpu_ms < 900 * v->limits->seconds;
    v->class = class_of(status, kc_vm_limit(vm));
    v->late_ms = (cpu_ms < ms ? cpu_ms : ms) - 1e3 * v->limits->seconds;
    if (!expected(v->attack, v->class) && !starved)
        fault(v, v->class, kc_vm_message(vm));
    if (strstr(kc_vm_message(vm), "ESCAPE") || strlen(kc_vm_message(vm)) > MOST_SAID)
        fault(v, "it says", kc_vm_message(vm));
    if (v->late_ms > (slow ? SLOW_MS : SLACK_MS))
        fault(v, "late", kc_vm_message(vm));
}

static void try_attack(verdict *v)
{
    account a = { 0 };
    size_t printed = 0;
    kc_vm *vm = NULL;
    kc_vm_options options = { .resize = account_resize, .resize_data = &a, .print = swallow, .print_data = &printed,
                              .memory_limit = v->limits->megabytes << 20, .time_limit = v->limits->seconds };
    if (kc_vm_new(&options, &vm) != KC_OK) {
        fault(v, "no VM", "");
        return;
    }
    for (int run = 0; run <= v->attack->twice; run++) {
        double began = now_ms(CLOCK_MONOTONIC), cpu = now_ms(CLOCK_THREAD_CPUTIME_ID);
        kc_status status = kc_vm_run(vm, v->attack->text, v->attack->length, v->attack->name);
        judge(v, vm, status, now_ms(CLOCK_MONOTONIC) - began, now_ms(CLOCK_THREAD_CPUTIME_ID) - cpu);
    }
    if (kc_vm_run(vm, "return 1", 8, "after") != KC_OK)
        fault(v, "the next run", kc_vm_message(vm));
    double began = now_ms(CLOCK_THREAD_CPUTIME_ID);
    kc_vm_free(vm);
    v->close_ms = now_ms(CLOCK_THREAD_CPUTIME_ID) - began;
    if (v->close_ms > CLOSE_MS)
        fault(v, "closing took too long", "");
    if (a.bytes || a.blocks)
        fault(v, "bytes are left", "");
}

/* ---- all of them ---------------------------------------------------------------------------- */

typedef struct work {
    pthread_mutex_t lock;
    verdict *verdicts;
    size_t count, next;
} work;

static void *run_attacks(void *data)
{
    work *w = data;
    for (;;) {
        pthread_mutex_lock(&w->lock);
        verdict *v = w->next < w->count ? &w->verdicts[w->next++] : NULL;
        pthread_mutex_unlock(&w->lock);
        if (!v)
            return NULL;
        try_attack(v);
        for (int again = 1; again < TRIES && v->fault[0]; again++) { /* the machine may have been busy */
            v->fault[0] = '\0';
            try_attack(v);
        }
    }
}

static void run_all(work *w, size_t stack)
{
    pthread_t threads[RUNNERS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, stack), 0);
    for (size_t i = 0; i < RUNNERS; i++)
        assert_int_equal(pthread_create(&threads[i], &attributes, run_attacks, w), 0);
    for (size_t i = 0; i < RUNNERS; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
}

/* What is written to a standard stream while they run goes to a file. */
static long written_by(work *w, size_t stack)
{
    FILE *file = tmpfile();
    int out = dup(1), err = dup(2);
    assert_non_null(file);
    fflush(stdout);
    dup2(fileno(file), 1);
    dup2(fileno(file), 2);
    run_all(w, stack);
    fflush(stdout);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

static const char *program;

/* All three pairs of limits in the plain build; where everything is slower or is built another way, one pair and a
 * part of the scripts. */
TEST(every_attack_ends_as_its_first_lines_say)
{
    const char *only = getenv("KCOST_ATTACK"), *variant = getenv("VARIANT");
    slow = environment_number("KCOST_RANDOM", 0) > 0 || (variant && *variant);
    attack *attacks[MOST_ATTACKS];
    size_t count = attacks_read(attacks, only ? only : "", program), pairs = slow ? 1 : PAIRS, faults = 0;
    work w = { .lock = PTHREAD_MUTEX_INITIALIZER, .verdicts = calloc(count * PAIRS + 1, sizeof *w.verdicts) };
    assert_true(count > 0);
    assert_non_null(w.verdicts);
    for (size_t i = 0; i < count; i += slow ? 5 : 1)
        for (size_t l = 0; l < pairs; l++)
            w.verdicts[w.count++] = (verdict){ .attack = attacks[i], .limits = &all_limits[l] };
    assert_int_equal(written_by(&w, slow ? 8 << 20 : 512 << 10), 0);
    for (size_t i = 0; i < w.count; i++) {
        const verdict *v = &w.verdicts[i];
        if (only || v->fault[0])
            print_message("%-36s %3zu MiB %3.0f ms: %-9s %6.0f ms late, closed in %4.1f ms  %s\n", v->attack->name,
                          v->limits->megabytes, 1e3 * v->limits->seconds, v->class ? v->class : "", v->late_ms,
                          v->close_ms, v->fault);
        faults += v->fault[0] != '\0';
    }
    free(w.verdicts);
    for (size_t i = 0; i < count; i++)
        free(attacks[i]);
    assert_int_equal(faults, 0);
}

int main(int count, char **arguments)
{
    program = count > 0 ? arguments[0] : "";
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_attack_ends_as_its_first_lines_say) };
    return run(tests);
}
