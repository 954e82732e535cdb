/* unit.h: cmocka as the tests of kcost use it.
 *
 *     TEST(an_untiled_kernel_reads_each_tensor_once)
 *     {
 *         assert_number(bytes, 2 * 64 * 64);
 *     }
 *
 *     int main(void)
 *     {
 *         const struct CMUnitTest tests[] = {
 *             cmocka_unit_test(an_untiled_kernel_reads_each_tensor_once),
 *         };
 *         return run(tests);
 *     }
 *
 * A test's name is a sentence and holds one fact.  KCOST_TEST=pattern in the
 * environment runs only the tests whose names match ("*ledger*"). */
#ifndef UNIT_H
#define UNIT_H

/* cmocka wants the first four before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST(name) static void name(__attribute__((unused)) void **state)

static size_t unit_skipped;

/* Leaves the test, which then counts as skipped. */
#define skip_test(reason) (print_message("skipped: %s\n", (reason)), unit_skipped++, skip())

/* got == want, to the last bit; the message shows all digits. */
#define assert_number(got, want) unit_close((got), (want), 0.0, #got, __FILE__, __LINE__)
/* |got - want| <= tolerance * |want|. */
#define assert_close(got, want, tolerance) \
    unit_close((got), (want), (tolerance), #got, __FILE__, __LINE__)
/* Equal texts; NULL equals nothing. */
#define assert_text(got, want) unit_text((got), (want), #got, __FILE__, __LINE__)
/* `part` occurs in `got`. */
#define assert_contains(got, part) unit_contains((got), (part), #got, __FILE__, __LINE__)

static inline void unit_close(double got, double want, double tolerance, const char *what,
                              const char *file, int line)
{
    /* Written so that a NaN on either side fails. */
    if (got == want || fabs(got - want) <= tolerance * fabs(want))
        return;
    print_error("%s is %.17g, not %.17g (off by %.3g)\n", what, got, want, got - want);
    _fail(file, line);
}

static inline void unit_text(const char *got, const char *want, const char *what, const char *file,
                             int line)
{
    if (got && strcmp(got, want) == 0)
        return;
    print_error("%s is\n  %s\nnot\n  %s\n", what, got ? got : "NULL", want);
    _fail(file, line);
}

static inline void unit_contains(const char *got, const char *part, const char *what,
                                 const char *file, int line)
{
    if (got && strstr(got, part))
        return;
    print_error("%s is\n  %s\nwithout\n  %s\n", what, got ? got : "NULL", part);
    _fail(file, line);
}

/* A number from the environment: how many random kernels, which seed. */
static inline double environment_number(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtod(text, NULL) : otherwise;
}

/* How many of `count` to look at: all, or a few under valgrind, where KCOST_RANDOM is small. */
static inline size_t a_few_of(size_t count)
{
    double most = environment_number("KCOST_RANDOM", HUGE_VAL) / 200;
    return most < (double)count ? (size_t)ceil(most) : count;
}

/* The file of that name below $SHARED, opened for reading; NULL where there is none. */
static inline FILE *open_shared(const char *name)
{
    char path[1024];
    const char *shared = getenv("SHARED");
    if (!shared || !*shared)
        shared = "../shared";
    int length = snprintf(path, sizeof path, "%s/%s", shared, name);
    return length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
}

/* Runs an array of tests and prints the line that tests/run.sh adds up. */
#define run(tests) unit_run((tests), sizeof(tests) / sizeof *(tests))

static inline int unit_run(const struct CMUnitTest *tests, size_t count)
{
    const char *only = getenv("KCOST_TEST");
    size_t chosen = count;
    if (only && *only) {
        cmocka_set_test_filter(only);
        chosen = 0; /* cmocka does not say how many matched: its own lines do */
    }
    int failed = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
    if (chosen)
        printf("%zu passed, %d failed, %zu skipped\n", count - (size_t)failed - unit_skipped,
               failed, unit_skipped);
    return failed != 0;
}

#endif
