/* test_soak.c: hostile and broken scripts by the thousand in one process, on four threads, 5 ms each.
 *
 * A third are the scripts of tests/attacks, a third come out of fuzz/grammar.h, a third are scripts of ours with a few
 * bytes cut, changed or doubled; the n-th is the same in every run.  Each has a VM of its own.  Every one is answered
 * within its limits, no byte is left, and after the first 1,000 the process does not grow.
 *
 *     KCOST_SOAK=100000    how many; 2000 where it is not set, fewer where everything is slower
 *     KCOST_SCRIPT=4711    that one alone, and what it is */
#define _DEFAULT_SOURCE

#include "kcost.h"
#include "unit.h"

#include <glob.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "attacks/attack.h"
#include "fuzz/grammar.h"

enum { THREADS = 4, WARM = 1000, MOST_TEXT = 48 << 10, MEMORY = 8 << 20, OVER = 1 << 20 };
static const double time_limit = 0.005;

typedef struct soak {
    attack *attacks[MOST_ATTACKS];
    size_t attack_count;
    glob_t files;                   /* what is broken */
    size_t end;
    atomic_size_t next, faults, statuses[8];
    pthread_mutex_t lock;           /* around the worst */
    double late_ms;
    size_t late, over, most_over;
} soak;

static double clock_ms(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return 1e3 * (double)at.tv_sec + 1e-6 * (double)at.tv_nsec;
}

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* ---- the n-th script ------------------------------------------------------------------------ */

static size_t grown(uint64_t *state, char *text)
{
    uint8_t choices[512];
    size_t count = 16 + draw(state) % (sizeof choices - 16);
    for (size_t i = 0; i < count; i++)
        choices[i] = (uint8_t)draw(state);
    return grammar_script(choices, count, text, MOST_TEXT);
}

static size_t broken(const soak *s, uint64_t *state, char *text)
{
    FILE *file = fopen(s->files.gl_pathv[draw(state) % s->files.gl_pathc], "rb");
    size_t length = file ? fread(text, 1, MOST_TEXT / 2, file) : 0;
    if (file)
        fclose(file);
    for (size_t edits = 1 + draw(state) % 4; edits > 0 && length > 8; edits--) {
        size_t at = draw(state) % length, some = 1 + draw(state) % 8;
        some = at + some > length ? length - at : some;
        switch (draw(state) % 4) {
        case 0: text[at] = (char)draw(state); break;
        case 1: memmove(text + at, text + at + some, length - at - some), length -= some; break;
        case 2: memmove(text + at + some, text + at, length - at), length += some; break;
        default: length = draw(state) % 8 ? length : at;
        }
    }
    return length;
}

static size_t script(const soak *s, size_t n, char *text)
{
    uint64_t state = n;
    const attack *a = s->attacks[n / 3 % s->attack_count];
    if (n % 3 == 1)
        return grown(&state, text);
    if (n % 3 == 2)
        return broken(s, &state, text);
    memcpy(text, a->text, a->length);
    return a->length;
}

/* ---- its run ---------------------------------------------------------------------------------- */

static void fault(soak *s, size_t n, const char *what, const char *said)
{
    if (atomic_fetch_add(&s->faults, 1) < 10)
        print_error("script %zu: %s: %.300s\n", n, what, said);
}

/* Late: what it took of its thread's time, of which all may lie beyond the limit, or the wall's time beyond it, if
 * that is less.  A busy machine is not the VM's fault; on a quiet one both clocks say the same. */
static void note_limits(soak *s, size_t n, double thread_ms, double wall_ms, size_t most)
{
    double late_ms = fmin(thread_ms, wall_ms - 1e3 * time_limit);
    size_t over = most > MEMORY ? most - MEMORY : 0;
    pthread_mutex_lock(&s->lock);
    if (late_ms > s->late_ms) {
        s->late_ms = late_ms;
        s->late = n;
    }
    if (over > s->most_over) {
        s->most_over = over;
        s->over = n;
    }
    pthread_mutex_unlock(&s->lock);
}

static void run_one(soak *s, size_t n, char *text)
{
    account a = { 0 };
    kc_vm *vm = NULL;
    const kc_vm_options options = { .resize = account_resize, .resize_data = &a, .memory_limit = MEMORY, .time_limit = time_limit };
    size_t length = script(s, n, text);
    if (kc_vm_new(&options, &vm) != KC_OK) {
        fault(s, n, "no VM", "");
        return;
    }
    double thread = clock_ms(CLOCK_THREAD_CPUTIME_ID), wall = clock_ms(CLOCK_MONOTONIC);
    kc_status status = kc_vm_run(vm, text, length, "soak.lua");
    note_limits(s, n, clock_ms(CLOCK_THREAD_CPUTIME_ID) - thread, clock_ms(CLOCK_MONOTONIC) - wall, a.most);
    atomic_fetch_add(&s->statuses[status], 1);
    if (status != KC_OK && status != KC_ESCRIPT && status != KC_ELIMIT)
        fault(s, n, "an odd status", kc_vm_message(vm));
    if (status != KC_OK && (kc_vm_message(vm)[0] == '\0' || strstr(kc_vm_message(vm), "ESCAPE")))
        fault(s, n, "it says", kc_vm_message(vm));
    kc_vm_free(vm);
    if (a.bytes || a.blocks)
        fault(s, n, "bytes are left", "");
}

static void *run_some(void *data)
{
    soak *s = data;
    char *text = malloc(MOST_TEXT);
    for (size_t n; text && (n = atomic_fetch_add(&s->next, 1)) < s->end;)
        run_one(s, n, text);
    free(text);
    return NULL;
}

/* Runs the scripts up to `end`; the bytes that the process then has. */
static size_t run_to(soak *s, size_t end, size_t *in_use)
{
    pthread_t threads[THREADS];
    unsigned long pages = 0, resident = 0;
    s->end = end;
    atomic_store(&s->next, atomic_load(&s->next) < end ? atomic_load(&s->next) : end);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_some, s), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&s->next, end); /* each thread drew one number beyond */
    malloc_trim(0);
    *in_use = mallinfo2().uordblks;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &pages, &resident), 2);
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static const char *program;

/* One alone, more than once: is it late each time? */
static void look_at(soak *s, size_t n)
{
    char *text = malloc(MOST_TEXT);
    assert_non_null(text);
    print_message("%.*s\n", (int)script(s, n, text), text);
    for (int times = 0; times < 5; times++) {
        s->late_ms = 0;
        run_one(s, n, text);
        print_message("%.1f ms late\n", s->late_ms);
    }
    free(text);
}

TEST(no_script_takes_more_than_it_may_or_leaves_anything)
{
    const char *variant = getenv("VARIANT");
    bool slow = environment_number("KCOST_RANDOM", 0) > 0 || (variant && *variant);
    size_t count = (size_t)environment_number("KCOST_SOAK", slow ? 200 : 2000), warm = count < 2 * WARM ? count / 2 : WARM;
    size_t used_warm, used;
    double alone = environment_number("KCOST_SCRIPT", -1);
    soak s = { .lock = PTHREAD_MUTEX_INITIALIZER };
    s.attack_count = attacks_read(s.attacks, "", program);
    assert_true(s.attack_count > 0);
    assert_int_equal(glob("scripts/*.lua", 0, NULL, &s.files), 0);
    assert_int_equal(glob("tests/wrong/*.lua", GLOB_APPEND, NULL, &s.files), 0);
    if (alone >= 0) {
        look_at(&s, (size_t)alone);
        return;
    }
    size_t resident_warm = run_to(&s, warm, &used_warm), resident = run_to(&s, count, &used);
    print_message("%zu scripts: %zu ran, %zu failed, %zu hit a limit; at most %.1f ms late (script %zu), %zu bytes over "
                  "(%zu); after the first %zu: %+ld bytes in use, %+ld resident\n",
                  count, s.statuses[KC_OK], s.statuses[KC_ESCRIPT], s.statuses[KC_ELIMIT], s.late_ms, s.late, s.most_over,
                  s.over, warm, (long)used - (long)used_warm, (long)resident - (long)resident_warm);
    globfree(&s.files);
    for (size_t i = 0; i < s.attack_count; i++)
        free(s.attacks[i]);
    assert_int_equal(s.faults, 0);
    assert_true(s.most_over <= OVER);
    assert_true(s.late_ms <= (slow ? 500 : 50));
    if (!slow) {
        assert_true(used <= used_warm + 4096);
        assert_true(resident <= resident_warm + THREADS * MEMORY); /* pages that the heap keeps in pieces */
    }
}

int main(int count, char **arguments)
{
    program = count > 0 ? arguments[0] : "";
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_script_takes_more_than_it_may_or_leaves_anything) };
    return run(tests);
}
