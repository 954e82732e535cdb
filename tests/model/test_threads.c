/* test_threads.c: contexts in eight threads at once, one context in turns, and sweeps that another thread ends. */
#define _POSIX_C_SOURCE 200809L

#include "kcost.h"
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "account.h"

enum { THREADS = 8 };

#define object(x) ((kc_object *)(void *)(x))
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- what is asked about -------------------------------------------------------------------- */

/* Attention as three kernels, and as one that is tiled; a device that was changed and sealed. */
typedef struct subject {
    kc_context *kc;
    kc_device *device;
    kc_program *program;
    kc_kernel *flash;
} subject;

static kc_value *read_of(kc_tensor *tensor)
{
    return kc_read(tensor, NULL, NULL, 0, 1, 0);
}

static kc_tensor *write_of(const char *name, kc_value *value)
{
    return kc_write(name, value, NULL, NULL, NULL, NULL, 0, 1);
}

static void release_all(void **objects, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kc_release(objects[i]);
}

static void build_kernels(subject *s)
{
    const kc_size sizes[] = { { "i", 200 }, { "j", 200 }, { "d", 32 }, { "e", 32 } };
    kc_dtype *f16 = kc_dtype_named(s->kc, "f16");
    kc_tensor *Q = kc_tensor_new(s->kc, "Q", "i d", f16, sizes, COUNT(sizes));
    kc_tensor *K = kc_tensor_new(s->kc, "K", "j d", f16, sizes, COUNT(sizes));
    kc_tensor *V = kc_tensor_new(s->kc, "V", "j e", f16, sizes, COUNT(sizes));
    kc_value *q = read_of(Q), *k = read_of(K), *v = read_of(V), *qk = kc_matmul(q, k, "d", NULL, NULL, NULL);
    kc_value *causal = kc_causal(qk, "i", "j");
    kc_tensor *S = write_of("S", causal);
    kc_value *scores = read_of(S), *weights = kc_softmax(scores, "j", 1);
    kc_tensor *P = write_of("P", weights);
    kc_value *p = read_of(P), *pv = kc_matmul(p, v, "j", NULL, NULL, NULL);
    kc_tensor *O = write_of("O", pv);
    kc_object *parts[] = { object(S), object(P), object(O) };
    s->program = kc_program_new(s->kc, "attention", parts, COUNT(parts));
    kc_kernel *fused = kc_fuse(s->kc, "flash", parts, COUNT(parts), NULL, 0);
    kc_schedule *schedule = kc_schedule_new(s->kc);
    kc_schedule_tile(schedule, "i", 128);
    kc_schedule_tile(schedule, "j", 64);
    kc_schedule_stages(schedule, NULL, 2);
    s->flash = kc_tile(object(fused), schedule);
    void *held[] = { f16, Q, K, V, q, k, v, qk, causal, S, scores, weights, P, p, pv, O, fused, schedule };
    release_all(held, COUNT(held));
}

static subject subject_in(kc_resize resize, void *data)
{
    subject s = { .kc = kc_context_new(resize, data) };
    kc_device *shipped = kc_device_named(s.kc, "h100-sxm5");
    s.device = kc_device_new(s.kc, shipped);
    kc_release(shipped);
    kc_device_set(s.device, "hbm.bandwidth", 4e12);
    kc_device_seal(s.device);
    build_kernels(&s);
    return s;
}

static void drop(subject *s)
{
    void *held[] = { s->flash, s->program, s->device };
    release_all(held, COUNT(held));
    kc_context_free(s->kc);
}

/* ---- questions: each writes all that it is answered ------------------------------------------- */

static void say(FILE *out, const subject *s, const char *text)
{
    fprintf(out, "%s\n", text ? text : kc_context_message(s->kc));
}

static void say_result(FILE *out, const subject *s, kc_result *result)
{
    kc_object *best = kc_result_best(result);
    say(out, s, kc_json(object(result)));
    say(out, s, kc_csv(object(result), 1));
    say(out, s, kc_result_explain(result));
    say(out, s, kc_result_formula(result, "time"));
    if (best)
        say(out, s, kc_object_text(best));
    kc_release(best);
    kc_release(result);
}

static void ask_evaluate(FILE *out, const subject *s)
{
    say_result(out, s, kc_evaluate(object(s->flash), s->device, NULL));
    say_result(out, s, kc_evaluate(object(s->program), s->device, NULL));
}

static void ask_best(FILE *out, const subject *s)
{
    say_result(out, s, kc_best(object(s->flash), s->device, NULL));
}

static void ask_fuse_all(FILE *out, const subject *s)
{
    say_result(out, s, kc_fuse_all(object(s->program), s->device, NULL, 0, NULL));
}

static void ask_resized(FILE *out, const subject *s)
{
    for (double i = 128; i <= 4096; i *= 2) {
        const kc_size size = { "i", i };
        kc_object *other = kc_resized(object(s->flash), &size, 1);
        kc_result *result = kc_evaluate(other, s->device, NULL);
        say(out, s, kc_json(object(result)));
        kc_release(result);
        kc_release(other);
    }
}

/* Of what takes long. */
static kc_object *small_one(kc_object *x)
{
    const kc_size sizes[] = { { "i", 24 }, { "j", 24 } };
    return kc_resized(x, sizes, COUNT(sizes));
}

static void ask_verify(FILE *out, const subject *s)
{
    kc_object *small = small_one(object(s->flash));
    double steps = 0;
    kc_status status = kc_verify(small, &steps);
    fprintf(out, "%d %.0f\n", (int)status, steps);
    kc_release(small);
}

static void ask_compare(FILE *out, const subject *s)
{
    kc_object *xs[] = { object(s->program), object(s->flash) };
    kc_device *l4 = kc_device_named(s->kc, "l4"), *devices[] = { s->device, l4 };
    kc_comparison *comparison = kc_compare(s->kc, xs, 2, devices, 2, NULL);
    say(out, s, kc_json(object(comparison)));
    kc_release(comparison);
    kc_release(l4);
}

/* Some fit, some do not; sizes are outer points, tiles inner ones. */
static kc_space *space_of(const subject *s)
{
    static const double sizes[] = { 500, 1000, 2000, 4000 }, tiles[] = { 16, 32, 64, 128, 256, 512 }, stages[] = { 1, 2, 3 };
    kc_space *space = kc_space_new(object(s->flash));
    kc_space_device(space, s->device);
    kc_space_numbers(space, "size.i", sizes, COUNT(sizes));
    kc_space_numbers(space, "tile.i", tiles, COUNT(tiles));
    kc_space_numbers(space, "tile.j", tiles, COUNT(tiles));
    kc_space_numbers(space, "stages", stages, COUNT(stages));
    kc_space_where(space, "tile.i >= tile.j or tile.i > 32");
    return space;
}

static void ask_sweep(FILE *out, const subject *s)
{
    kc_space *space = space_of(s);
    kc_sweep *sweep = kc_space_sweep(space, 3, NULL, NULL);
    say(out, s, kc_json(object(sweep)));
    kc_release(sweep);
    kc_release(space);
}

static void ask_search(FILE *out, const subject *s)
{
    kc_space *space = space_of(s);
    say_result(out, s, kc_space_best(space, NULL, NULL));
    kc_release(space);
}

static void ask_ski_slope(FILE *out, const subject *s)
{
    kc_object *scores = kc_program_part(s->program, 0);
    kc_object *small = small_one(scores);
    kc_sweep *slope = kc_ski_slope(small);
    say(out, s, kc_csv(object(slope), 0));
    kc_release(slope);
    kc_release(small);
    kc_release(scores);
}

static void ask_evaluator(FILE *out, const subject *s)
{
    const char *axes[] = { "size.i", "tile.i" };
    const kc_field fields[] = { KC_TIME, KC_BYTES };
    const double sizes[] = { 500, 4000, 4000 }, tiles[] = { 64, 128, 4000 }, *in[] = { sizes, tiles };
    double time[3] = { 0 }, bytes[3] = { 0 }, *answers[] = { time, bytes };
    kc_evaluator *e = kc_evaluator_new(object(s->flash), s->device, NULL, axes, 2, fields, 2);
    kc_status status = kc_evaluator_run(e, 3, in, answers, NULL);
    for (size_t p = 0; p < 3; p++)
        fprintf(out, "%d %.17g %.17g\n", (int)status, time[p], bytes[p]);
    say(out, s, kc_evaluator_reason(e));
    kc_release(e);
}

static void (*const questions[])(FILE *, const subject *) = {
    ask_evaluate, ask_best, ask_fuse_all, ask_resized, ask_verify, ask_compare,
    ask_sweep, ask_search, ask_ski_slope, ask_evaluator,
};

/* What the question is answered; to be freed. */
static char *answer(size_t question, const subject *s)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    questions[question](out, s);
    fclose(out);
    return text;
}

/* The answers of a context that is alone; made once. */
static char *alone[COUNT(questions)];

static int ask_alone(void **state)
{
    (void)state;
    subject s = subject_in(NULL, NULL);
    for (size_t i = 0; i < COUNT(questions); i++)
        alone[i] = answer(i, &s);
    drop(&s);
    return 0;
}

static int forget_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(questions); i++)
        free(alone[i]);
    return 0;
}

/* ---- eight at once ------------------------------------------------------------------------------ */

typedef struct worker {
    size_t number;
    subject *shared;            /* NULL: a context of its own */
    pthread_mutex_t *turn;
    size_t other;               /* answers that are not those of one alone */
    account memory;
} worker;

static void ask(worker *w, size_t question, const subject *s)
{
    char *text = answer(question, s);
    w->other += !text || strcmp(text, alone[question]) != 0;
    free(text);
}

/* Each begins with another question, so that different ones meet. */
static void *ask_all(void *data)
{
    worker *w = data;
    subject own = { .kc = NULL };
    if (!w->shared)
        own = subject_in(account_resize, &w->memory);
    for (size_t i = 0; i < COUNT(questions); i++) {
        if (w->turn)
            pthread_mutex_lock(w->turn);
        ask(w, (i + w->number) % COUNT(questions), w->shared ? w->shared : &own);
        if (w->turn)
            pthread_mutex_unlock(w->turn);
    }
    if (!w->shared)
        drop(&own);
    return NULL;
}

static void in_eight_threads(subject *shared, pthread_mutex_t *turn)
{
    pthread_t threads[THREADS];
    worker workers[THREADS] = { { 0 } };
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].number = i;
        workers[i].shared = shared;
        workers[i].turn = turn;
        assert_int_equal(pthread_create(&threads[i], NULL, ask_all, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(workers[i].other, 0);
        assert_int_equal(workers[i].memory.bytes, 0);
    }
}

TEST(each_question_is_answered)
{
    static const char *const parts[] = {
        "\"bound\":", "tile i=", "\"name\":\"attention, fused\"", "\"time\":", "0 ", "\"ratio\":",
        "\"rejected\":", "tile i=", "capacity", "shared memory",
    };
    assert_int_equal(COUNT(parts), COUNT(questions));
    for (size_t i = 0; i < COUNT(questions); i++)
        assert_contains(alone[i], parts[i]);
}

TEST(contexts_in_eight_threads_answer_as_one_alone)
{
    in_eight_threads(NULL, NULL);
}

TEST(a_context_goes_from_thread_to_thread_where_each_waits_for_its_turn)
{
    pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    subject s = subject_in(NULL, NULL);
    in_eight_threads(&s, &turn);
    drop(&s);
}

/* ---- another thread ends it ------------------------------------------------------------------------ */

/* From the most-th look on, or from some moment on, it says so whenever it is asked, by whichever thread. */
typedef struct ending {
    atomic_bool over;
    atomic_uint looks;
    unsigned most;              /* 0: any number */
    long wait_ns;
} ending;

static int is_over(void *data, double done, double points)
{
    ending *e = data;
    unsigned looks = atomic_fetch_add(&e->looks, 1) + 1;
    (void)done;
    (void)points;
    return (e->most > 0 && looks >= e->most) || atomic_load(&e->over);
}

static int is_never_over(void *data, double done, double points)
{
    (void)data;
    (void)done;
    (void)points;
    return 0;
}

static void *end_later(void *data)
{
    ending *e = data;
    const struct timespec wait = { 0, e->wait_ns };
    nanosleep(&wait, NULL);
    atomic_store(&e->over, true);
    return NULL;
}

static double cell(const kc_sweep *sweep, size_t row, size_t column)
{
    double value = NAN;
    kc_sweep_number(sweep, row, column, &value);
    return value;
}

/* The rows of the whole sweep's first points, and no other; so are what does not run and what `where` left out. */
static void is_the_beginning_of(const kc_sweep *part, const kc_sweep *whole)
{
    double done = kc_sweep_done(part), left_out = 0;
    size_t rows = kc_sweep_rows(part), first = 0;
    assert_int_equal(kc_sweep_interrupted(part), done < kc_sweep_done(whole));
    for (size_t row = 0; row < kc_sweep_rows(whole); row++)
        first += kc_sweep_point(whole, row) < done;
    assert_int_equal(rows, first);
    for (size_t row = 0; row < rows; row++) {
        assert_number(kc_sweep_point(part, row), kc_sweep_point(whole, row));
        for (size_t c = 0; c < kc_sweep_columns(part); c++)
            assert_true(cell(part, row, c) == cell(whole, row, c) || isnan(cell(whole, row, c)));
    }
    for (size_t i = 0; i < kc_sweep_reasons(part); i++)
        left_out += kc_sweep_rejected(part, i, NULL);
    assert_number((double)rows + left_out, done);
}

static kc_sweep *sweep_until(kc_space *space, ending *e, long wait_ns)
{
    pthread_t thread;
    atomic_store(&e->over, false);
    e->wait_ns = wait_ns;
    assert_int_equal(pthread_create(&thread, NULL, end_later, e), 0);
    kc_sweep *sweep = kc_space_sweep(space, 4, is_over, e);
    pthread_join(thread, NULL);
    assert_non_null(sweep);
    return sweep;
}

TEST(a_sweep_that_another_thread_ends_is_the_beginning_of_the_whole)
{
    subject s = subject_in(NULL, NULL);
    kc_space *space = space_of(&s);
    ending e = { .looks = 0 };
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    kc_sweep *whole = kc_space_sweep(space, 4, NULL, NULL);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    assert_non_null(whole);
    long took = (ended.tv_sec - began.tv_sec) * 1000000000L + ended.tv_nsec - began.tv_nsec;
    for (long moment = 0; moment < 10; moment++) {
        kc_sweep *part = sweep_until(space, &e, took * moment / 8 % 1000000000L);
        is_the_beginning_of(part, whole);
        if (kc_sweep_interrupted(part))
            assert_contains(kc_json(object(part)), "\"interrupted\":true");
        kc_release(part);
    }
    kc_release(whole);
    kc_release(space);
    drop(&s);
}

/* ---- the context's watch, which a sweep's threads ask as well, in the middle of a point --------------- */

/* Two reads whose indexes tie dims together: no closed form counts them, so each point is a walk. */
static kc_tensor *walked_tensor(kc_context *kc)
{
    static const char *const dims[] = { "p", "q", "r", "c", "u" };
    kc_size sizes[COUNT(dims)];
    for (size_t i = 0; i < COUNT(dims); i++)
        sizes[i] = (kc_size){ dims[i], 400 };
    kc_dtype *f16 = kc_dtype_named(kc, "f16");
    kc_tensor *X = kc_tensor_new(kc, "X", "p q", f16, sizes, COUNT(sizes)), *Y = kc_tensor_new(kc, "Y", "p q", f16, sizes, COUNT(sizes));
    kc_value *x = kc_read(X, "p+r q", sizes, COUNT(sizes), 1, 0), *y = kc_read(Y, "2*p+c q+u", sizes, COUNT(sizes), 1, 0);
    kc_value *both[] = { x, y }, *added = kc_map("add", both, 2, NULL), *sum = kc_reduce("sum", added, "r c u", NULL, 0, NULL);
    kc_tensor *Z = write_of("Z", sum);
    void *held[] = { f16, X, Y, x, y, added, sum };
    release_all(held, COUNT(held));
    return Z;
}

static const char *const walked_axes[] = { "tile.q", "tile.p", "tile.r", "tile.c", "tile.u" };
static const double walked_tiles[] = { 7, 11, 3, 17 };
static const double widths[] = { 13, 14, 15, 17, 18, 19, 21, 22, 23, 24, 26, 27 };

static kc_space *walked_space(kc_tensor *Z, kc_device *device)
{
    kc_space *space = kc_space_new(object(Z));
    kc_space_device(space, device);
    for (size_t a = 1; a < COUNT(walked_axes); a++)
        kc_space_numbers(space, walked_axes[a], &walked_tiles[a - 1], 1);
    kc_space_numbers(space, walked_axes[0], widths, COUNT(widths));
    return space;
}

typedef struct walk {
    kc_context *kc;
    kc_device *device;
    kc_tensor *tensor;
    ending end;
} walk;

static int begin_walk(void **state)
{
    static walk w;
    w = (walk){ .kc = kc_context_new(NULL, NULL) };
    w.device = kc_device_named(w.kc, "l4");
    w.tensor = walked_tensor(w.kc);
    *state = &w;
    return w.tensor && w.device ? 0 : -1;
}

static int end_walk(void **state)
{
    walk *w = *state;
    kc_release(w->tensor);
    kc_release(w->device);
    kc_context_free(w->kc);
    return 0;
}

#define walks(test) cmocka_unit_test_setup_teardown(test, begin_walk, end_walk)

/* From now on the watch ends what is asked of the context at that look. */
static void end_at(walk *w, unsigned look)
{
    atomic_store(&w->end.looks, 0);
    w->end.most = look;
    kc_context_watch(w->kc, is_over, &w->end);
}

TEST(a_point_that_is_ended_in_the_middle_is_none_of_the_sweep)
{
    walk *w = *state;
    kc_space *space = walked_space(w->tensor, w->device);
    end_at(w, 0);
    kc_sweep *whole = kc_space_sweep(space, 1, NULL, NULL);
    unsigned looks = atomic_load(&w->end.looks);
    assert_true(looks > 2 * COUNT(widths));
    for (unsigned look = 1; look < looks; look += looks / 5)
        for (unsigned threads = 1; threads <= 4; threads += 3)
            for (int own = 0; own < 2; own++) {
                end_at(w, look);
                kc_sweep *part = kc_space_sweep(space, threads, own ? is_never_over : NULL, NULL);
                assert_non_null(part);
                if (threads == 1 && !own)
                    assert_true(kc_sweep_interrupted(part));
                is_the_beginning_of(part, whole);
                kc_release(part);
            }
    kc_release(whole);
    kc_release(space);
}

TEST(a_search_that_is_ended_in_the_middle_of_a_point_says_so)
{
    walk *w = *state;
    double best, time;
    end_at(w, 0);
    kc_space *space = walked_space(w->tensor, w->device);
    kc_result *result = kc_space_best(space, NULL, NULL);
    assert_int_equal(kc_result_number(result, KC_TIME, &best), KC_OK);
    kc_release(result);
    unsigned looks = atomic_load(&w->end.looks);
    for (unsigned look = 1; look < looks; look += looks / 5) {
        end_at(w, look);
        result = kc_space_best(space, look % 2 ? NULL : is_never_over, NULL);
        kc_context_watch(w->kc, NULL, NULL);
        if (!result) {
            assert_int_equal(kc_context_status(w->kc), KC_ELIMIT);
            continue;
        }
        assert_true(kc_result_interrupted(result));
        assert_int_equal(kc_result_number(result, KC_TIME, &time), KC_OK);
        assert_true(time >= best);
        kc_release(result);
    }
    kc_release(space);
}

/* A new one each time: it remembers what it has walked. */
static kc_status evaluate_widths(walk *w, unsigned look)
{
    const kc_field field = KC_TIME;
    double time[COUNT(widths)], other[COUNT(walked_tiles)][COUNT(widths)], *out = time;
    const double *in[COUNT(walked_axes)] = { widths };
    for (size_t a = 1; a < COUNT(walked_axes); a++) {
        for (size_t p = 0; p < COUNT(widths); p++)
            other[a - 1][p] = walked_tiles[a - 1];
        in[a] = other[a - 1];
    }
    end_at(w, look);
    kc_evaluator *e = kc_evaluator_new(object(w->tensor), w->device, NULL, walked_axes, COUNT(walked_axes), &field, 1);
    kc_status status = kc_evaluator_run(e, COUNT(widths), in, &out, NULL);
    kc_release(e);
    return status;
}

TEST(an_evaluator_that_is_ended_in_the_middle_of_a_point_says_so)
{
    walk *w = *state;
    assert_int_equal(evaluate_widths(w, 0), KC_OK);
    unsigned looks = atomic_load(&w->end.looks);
    assert_true(looks > COUNT(widths));
    for (unsigned look = 1; look < looks; look += looks / 5)
        assert_int_equal(evaluate_widths(w, look), KC_ELIMIT);
}

TEST(best_that_is_ended_in_the_middle_of_a_point_gives_nothing)
{
    walk *w = *state;
    end_at(w, 0);
    kc_result *result = kc_best(object(w->tensor), w->device, NULL);
    assert_non_null(result);
    kc_release(result);
    unsigned looks = atomic_load(&w->end.looks);
    for (unsigned look = 1; look < looks; look += 1 + looks / 5) {
        end_at(w, look);
        assert_null(kc_best(object(w->tensor), w->device, NULL));
        assert_int_equal(kc_context_status(w->kc), KC_ELIMIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_question_is_answered),
        cmocka_unit_test(contexts_in_eight_threads_answer_as_one_alone),
        cmocka_unit_test(a_context_goes_from_thread_to_thread_where_each_waits_for_its_turn),
        cmocka_unit_test(a_sweep_that_another_thread_ends_is_the_beginning_of_the_whole),
        walks(a_point_that_is_ended_in_the_middle_is_none_of_the_sweep),
        walks(a_search_that_is_ended_in_the_middle_of_a_point_says_so),
        walks(an_evaluator_that_is_ended_in_the_middle_of_a_point_says_so),
        walks(best_that_is_ended_in_the_middle_of_a_point_gives_nothing),
    };
    ask_alone(NULL);
    int failed = run(tests);
    forget_answers(NULL);
    return failed;
}
