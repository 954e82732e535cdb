/* both_ways.h: kernels built in C without Lua beside those of a script in the VM: builders, and what is the same.
 *
 * A row of a table names a script, or an expression of the stdlib, and the functions that build the same
 * comparisons, sweeps, results or kernels by the model's calls.  What is compared is all that a result has: fields
 * bit by bit, ledgers, schedules, notes, and the JSON of the whole. */
#ifndef BOTH_WAYS_H
#define BOTH_WAYS_H

#include <stdbool.h>

#include "kcost.h"
#include "unit.h"

#define object(x) ((kc_object *)(void *)(x))
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- building in C ------------------------------------------------------------------------------------ */

enum { MOST_KEPT = 512 };
static kc_context *kc;
static void *kept[MOST_KEPT];
static size_t kept_count;

static inline void *keep(void *made)
{
    if (!made)
        print_error("%s\n", kc_context_message(kc));
    assert_non_null(made);
    assert_true(kept_count < MOST_KEPT);
    return kept[kept_count++] = made;
}

static inline kc_tensor *tensor(const char *name, const char *dims, const char *dtype, const kc_size *sizes, size_t count)
{
    return keep(kc_tensor_new(kc, name, dims, keep(kc_dtype_named(kc, dtype)), sizes, count));
}

static inline kc_value *rd(kc_tensor *t)
{
    return keep(kc_read(t, NULL, NULL, 0, 1, 0));
}

static inline kc_tensor *wr(const char *name, kc_value *value, const char *dtype)
{
    return keep(kc_write(name, value, dtype ? keep(kc_dtype_named(kc, dtype)) : NULL, NULL, NULL, NULL, 0, 1));
}

static inline kc_value *mm(kc_value *a, kc_value *b, const char *over)
{
    return keep(kc_matmul(a, b, over, NULL, NULL, NULL));
}

static inline kc_value *map(const char *what, kc_value *a, kc_value *b)
{
    kc_value *inputs[] = { a, b };
    return keep(kc_map(what, inputs, b ? 2 : 1, NULL));
}

static inline kc_value *cost(double flops, double special, kc_value *a)
{
    const kc_cost each = { flops, special };
    return keep(kc_map(NULL, &a, 1, &each));
}

static inline kc_value *sum(kc_value *a, const char *over)
{
    return keep(kc_reduce("sum", a, over, NULL, 0, NULL));
}

static inline kc_kernel *kernel(const char *name, kc_tensor *t)
{
    return keep(kc_kernel_new(kc, name, &t, 1));
}

/* What of a schedule these kernels use; 0 and NULL: the default. */
typedef struct plan {
    kc_size tile[3];
    const char *grid, *order, *combine, *overlap;
    double stages, warps, threads;
    kc_size split;
} plan;

static inline kc_kernel *tile(void *x, plan p)
{
    kc_schedule *s = keep(kc_schedule_new(kc));
    for (size_t i = 0; i < COUNT(p.tile) && p.tile[i].dim; i++)
        assert_int_equal(kc_schedule_tile(s, p.tile[i].dim, p.tile[i].size), KC_OK);
    if (p.grid)
        assert_int_equal(kc_schedule_grid(s, p.grid), KC_OK);
    if (p.order)
        assert_int_equal(kc_schedule_order(s, p.order), KC_OK);
    if (p.combine)
        assert_int_equal(kc_schedule_combine(s, p.combine), KC_OK);
    if (p.overlap)
        assert_int_equal(kc_schedule_overlap(s, p.overlap), KC_OK);
    if (p.stages > 0)
        assert_int_equal(kc_schedule_stages(s, NULL, p.stages), KC_OK);
    if (p.warps > 0)
        assert_int_equal(kc_schedule_warps(s, p.warps), KC_OK);
    if (p.threads > 0)
        assert_int_equal(kc_schedule_threads(s, p.threads), KC_OK);
    if (p.split.dim)
        assert_int_equal(kc_schedule_split(s, p.split.dim, p.split.size), KC_OK);
    return keep(kc_tile(object(x), s));
}

static inline kc_object *resized(void *x, const char *dims, double size)
{
    const kc_size sizes[] = { { dims, size } };
    return keep(kc_resized(object(x), sizes, 1));
}

static inline kc_device *device(const char *name)
{
    return keep(kc_device_named(kc, name));
}

static inline kc_object *compare(kc_object *const *xs, size_t count, const char *first, const char *second, const char *launch)
{
    kc_device *devices[] = { device(first), second ? device(second) : NULL };
    kc_options *options = keep(kc_options_new(kc));
    if (launch)
        assert_int_equal(kc_options_set_text(options, "launch", launch), KC_OK);
    return keep(kc_compare(kc, xs, count, devices, second ? 2 : 1, options));
}

/* ---- both ways ------------------------------------------------------------------------------------------------ */

typedef struct both_row {
    const char *script;             /* a file of scripts/, or what the stdlib builds */
    const char *params[3];          /* "n=64" */
    kc_object *(*build[2])(void);   /* its objects, in order */
} both_row;

/* What kernels of the stdlib are evaluated on. */
#define STDLIB_DEVICE "h200-sxm"

/* The results of a comparison are looked at one by one; their kernels too. */
static inline void same_result(const kc_result *a, const kc_result *b)
{
    for (int f = 0; f < KC_FIELD_COUNT; f++) {
        double x = 0, y = 0;
        assert_int_equal(kc_result_number(a, (kc_field)f, &x), kc_result_number(b, (kc_field)f, &y));
        if (memcmp(&x, &y, sizeof x) != 0)
            print_error("%s: %s is %.17g in C, %.17g in Lua\n", kc_result_name(a), kc_field_name((kc_field)f), x, y);
        assert_memory_equal(&x, &y, sizeof x);
    }
    assert_int_equal(kc_result_tensors(a), kc_result_tensors(b));
    for (size_t i = 0; i < kc_result_tensors(a); i++)
        for (int c = 0; c < KC_LEDGER_COUNT; c++) {
            double x = kc_result_tensor_number(a, i, (kc_ledger)c), y = kc_result_tensor_number(b, i, (kc_ledger)c);
            assert_memory_equal(&x, &y, sizeof x);
        }
    assert_int_equal(kc_result_kernels(a), kc_result_kernels(b));
    for (size_t i = 0; i < kc_result_kernels(a); i++) {
        kc_result *x = kc_result_kernel(a, i), *y = kc_result_kernel(b, i);
        same_result(x, y);
        kc_release(x);
        kc_release(y);
    }
}

static inline void same_rows(const kc_comparison *a, const kc_comparison *b)
{
    assert_int_equal(kc_comparison_rows(a), kc_comparison_rows(b));
    for (size_t i = 0; i < kc_comparison_rows(a); i++) {
        kc_result *x = kc_comparison_result(a, i), *y = kc_comparison_result(b, i);
        assert_int_equal(x == NULL, y == NULL);
        if (x)
            same_result(x, y);
        kc_release(x);
        kc_release(y);
    }
}

static inline void same_text(const char *a, const char *b)
{
    assert_non_null(a);
    assert_non_null(b);
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    if (a[at] != b[at])
        print_error("from byte %zu on, in C\n  %.160s\nin Lua\n  %.160s\n", at, a + at, b + at);
    assert_true(a[at] == b[at]);
}

static inline kc_status run_row(kc_vm *vm, const both_row *row)
{
    char text[512];
    size_t length = strlen(row->script);
    for (size_t p = 0; p < COUNT(row->params) && row->params[p]; p++) {
        const char *equals = strchr(row->params[p], '=');
        snprintf(text, sizeof text, "%.*s", (int)(equals - row->params[p]), row->params[p]);
        assert_int_equal(kc_vm_param(vm, text, equals + 1), KC_OK);
    }
    if (strcmp(row->script + length - 4, ".lua") == 0) {
        snprintf(text, sizeof text, "scripts/%s", row->script);
        return kc_vm_run_file(vm, text);
    }
    snprintf(text, sizeof text, "local kc = require 'kcost'\nreturn kc.evaluate(kc.lib.%s, '%s')", row->script, STDLIB_DEVICE);
    return kc_vm_run(vm, text, strlen(text), "stdlib");
}

static inline kc_object *nth_object(const kc_vm *vm, size_t nth)
{
    for (size_t i = 0; i < kc_vm_answers(vm); i++) {
        kc_object *answer = kc_vm_answer(vm, i);
        if (answer && nth-- == 0)
            return answer;
    }
    return NULL;
}

static inline void same_object(kc_object *in_c, kc_object *in_lua)
{
    assert_non_null(in_lua);
    assert_int_equal(kc_object_kind(in_c), kc_object_kind(in_lua));
    if (kc_object_kind(in_c) == KC_RESULT)
        same_result((kc_result *)in_c, (kc_result *)in_lua);
    if (kc_object_kind(in_c) == KC_COMPARISON)
        same_rows((kc_comparison *)in_c, (kc_comparison *)in_lua);
    same_text(kc_json(in_c), kc_json(in_lua));
}

/* Builds the row both ways. */
static inline void check_row(const both_row *row)
{
    kc_vm *vm;
    kc = kc_context_new(NULL, NULL);
    assert_int_equal(kc_vm_new(NULL, &vm), KC_OK);
    if (run_row(vm, row) != KC_OK)
        print_error("%s: %s\n", row->script, kc_vm_message(vm));
    assert_text(kc_vm_message(vm), "");
    for (size_t i = 0; i < COUNT(row->build) && row->build[i]; i++) {
        kc_object *in_c = row->build[i]();
        if (kc_object_kind(in_c) == KC_KERNEL || kc_object_kind(in_c) == KC_PROGRAM)
            in_c = keep(kc_evaluate(in_c, device(STDLIB_DEVICE), NULL));
        same_object(in_c, nth_object(vm, i));
    }
    while (kept_count > 0)
        kc_release(kept[--kept_count]);
    kc_context_free(kc);
    kc_vm_free(vm);
}

#endif
