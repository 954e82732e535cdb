/* workbench.h: what the tests of the model share: a context that counts its bytes, and short ways to
 * build, tile and count.
 *
 * Each fact runs in a context of its own.  What `keep` was given is released at
 * the end, and then not one byte may be left, nor may a size have been misstated
 * to the allocation hook. */
#ifndef WORKBENCH_H
#define WORKBENCH_H

#include "unit.h"

#include "kernel.h"
#include "plan.h"
#include "tensor.h"

/* ---- memory ------------------------------------------------------------------------------- */

/* What the hook knows.  The `fail_at`-th request for memory is refused, 0: none, and with `for_ever` all after it. */
typedef struct memory {
    size_t live, requests, fail_at, misstated;
    int refuse_all, for_ever;
} memory;

static inline bool is_refused(memory *m)
{
    size_t n = ++m->requests;
    return m->refuse_all || (m->fail_at > 0 && (n == m->fail_at || (m->for_ever && n > m->fail_at)));
}

typedef union block_head {
    size_t size;
    max_align_t align;
} block_head;

static inline void *counted_resize(void *data, void *block, size_t old_size, size_t new_size)
{
    memory *m = data;
    block_head *head = block ? (block_head *)block - 1 : NULL;
    if ((head ? head->size : 0) != old_size)
        m->misstated++;
    if (new_size > 0 && is_refused(m))
        return NULL;
    if (new_size == 0) {
        m->live -= head ? head->size : 0;
        free(head);
        return NULL;
    }
    block_head *fresh = malloc(sizeof *fresh + new_size);
    if (!fresh)
        return NULL;
    fresh->size = new_size;
    memset(fresh + 1, 0xA5, new_size);
    if (head) {
        memcpy(fresh + 1, block, old_size < new_size ? old_size : new_size);
        m->live -= head->size;
        free(head);
    }
    m->live += new_size;
    return fresh + 1;
}

/* ---- a context a fact --------------------------------------------------------------------- */

enum { MOST_KEPT = 8192, MOST_PLANS = 4096 };

static memory heap;
static kc_context *context;
static void *kept[MOST_KEPT];
static kci_plan *plans[MOST_PLANS];
static size_t kept_count, plan_count;

static inline int fresh(void **state)
{
    (void)state;
    heap = (memory){ 0 };
    context = kc_context_new(counted_resize, &heap);
    return context ? 0 : -1;
}

static inline void drop_kept(void)
{
    while (plan_count > 0)
        kci_plan_free(plans[--plan_count]);
    while (kept_count > 0)
        kc_release(kept[--kept_count]);
}

static inline int nothing_left(void **state)
{
    (void)state;
    drop_kept();
    kc_context_free(context);
    if (heap.live)
        print_error("%zu bytes were never freed\n", heap.live);
    if (heap.misstated)
        print_error("%zu times the old size of a block was misstated\n", heap.misstated);
    return heap.live || heap.misstated ? -1 : 0;
}

#define fact(name) cmocka_unit_test_setup_teardown(name, fresh, nothing_left)

/* The object, to be released at the end; a failure shows its sentence. */
static inline void *keep(void *object)
{
    if (!object)
        print_error("%s\n", kc_context_message(context));
    assert_non_null(object);
    assert_true(kept_count < MOST_KEPT);
    return kept[kept_count++] = object;
}

/* The call gave nothing, and said so with a sentence that holds `part`. */
#define refuses(object, part) refused((object), (part), __FILE__, __LINE__)
static inline void refused(const void *object, const char *part, const char *file, int line)
{
    if (object)
        print_error("%s:%d: it was accepted\n", file, line);
    assert_null(object);
    unit_contains(kc_context_message(context), part, "the message", file, line);
    assert_int_equal(kc_context_status(context), KC_EARGUMENT);
    kci_fail(context, KC_OK, "%s", "");
}

#define refuses_status(status, part) status_refused((status), (part), __FILE__, __LINE__)
static inline void status_refused(kc_status status, const char *part, const char *file, int line)
{
    if (status != KC_EARGUMENT)
        print_error("%s:%d: the status is %d\n", file, line, (int)status);
    assert_int_equal(status, KC_EARGUMENT);
    unit_contains(kc_context_message(context), part, "the message", file, line);
    kci_fail(context, KC_OK, "%s", "");
}

/* ---- building ----------------------------------------------------------------------------- */

enum { MOST_SIZES = 16, NAME_BYTES = 32 };

/* "m=100 k=60" as names and sizes; the names also as one text. */
typedef struct size_list {
    kc_size list[MOST_SIZES];
    char names[MOST_SIZES][NAME_BYTES];
    char joined[MOST_SIZES * NAME_BYTES];
    size_t count;
} size_list;

static inline void parse_sizes(size_list *s, const char *text)
{
    s->count = 0;
    s->joined[0] = '\0';
    int used = 0;
    double size;
    while (text && sscanf(text, " %31[^= ]=%lf%n", s->names[s->count], &size, &used) == 2) {
        s->list[s->count] = (kc_size){ s->names[s->count], size };
        if (s->count)
            strcat(s->joined, " ");
        strcat(s->joined, s->names[s->count]);
        s->count++;
        text += used;
    }
}

static inline kc_dtype *dtype_of(const char *name)
{
    return keep(kc_dtype_named(context, name));
}

/* tensor("A", "m=100 k=60", "f16") */
static inline kc_tensor *tensor(const char *name, const char *dims, const char *dtype)
{
    size_list s;
    parse_sizes(&s, dims);
    return keep(kc_tensor_new(context, name, s.joined, dtype_of(dtype), s.list, s.count));
}

/* read_at(x, "n 2*p+r-1", "p=5 r=3"), index NULL: as it is */
static inline kc_value *read_at(kc_tensor *t, const char *index, const char *new_sizes)
{
    size_list s;
    parse_sizes(&s, new_sizes);
    return keep(kc_read(t, index, s.list, s.count, 1, 0));
}

static inline kc_value *read_of(kc_tensor *t)
{
    return read_at(t, NULL, NULL);
}

static inline kc_tensor *write_of(const char *name, kc_value *value)
{
    return keep(kc_write(name, value, NULL, NULL, NULL, NULL, 0, 1));
}

static inline kc_tensor *write_as(const char *name, kc_value *value, const char *dtype)
{
    return keep(kc_write(name, value, dtype_of(dtype), NULL, NULL, NULL, 0, 1));
}

static inline kc_value *matmul(kc_value *a, kc_value *b, const char *over)
{
    return keep(kc_matmul(a, b, over, NULL, NULL, NULL));
}

static inline kc_value *map1(const char *what, kc_value *a)
{
    return keep(kc_map(what, &a, 1, NULL));
}

static inline kc_value *map2(const char *what, kc_value *a, kc_value *b)
{
    kc_value *inputs[2] = { a, b };
    return keep(kc_map(what, inputs, 2, NULL));
}

static inline kc_value *reduce(const char *what, kc_value *a, const char *over)
{
    return keep(kc_reduce(what, a, over, NULL, 0, NULL));
}

static inline kc_value *softmax(kc_value *a, const char *over, int online)
{
    return keep(kc_softmax(a, over, online));
}

#define object(x) ((kc_object *)(void *)(x))

static inline kc_kernel *kernel_of(kc_tensor *t)
{
    return keep(kc_kernel_new(context, NULL, &t, 1));
}

/* fuse_of("flash", NULL, S, P, O, NULL): what to save, then parts */
static inline kc_kernel *fuse_of(const char *name, const char *save, ...)
{
    kc_object *parts[64];
    size_t count = 0;
    va_list list;
    va_start(list, save);
    for (void *part; count < 64 && (part = va_arg(list, void *)) != NULL;)
        parts[count++] = part;
    va_end(list);
    return kc_fuse(context, name, parts, count, &save, save ? 1 : 0);
}

/* A schedule of tiles; NULL grid or order: the default. */
static inline kc_schedule *schedule_of(const char *tiles, const char *grid, const char *order)
{
    size_list s;
    kc_schedule *schedule = keep(kc_schedule_new(context));
    parse_sizes(&s, tiles);
    for (size_t i = 0; i < s.count; i++)
        assert_int_equal(kc_schedule_tile(schedule, s.list[i].dim, s.list[i].size), KC_OK);
    if (grid)
        assert_int_equal(kc_schedule_grid(schedule, grid), KC_OK);
    if (order)
        assert_int_equal(kc_schedule_order(schedule, order), KC_OK);
    return schedule;
}

static inline kc_kernel *tiled(void *kernel, const char *tiles, const char *grid, const char *order)
{
    return keep(kc_tile(kernel, schedule_of(tiles, grid, order)));
}

/* ---- counting ----------------------------------------------------------------------------- */

static inline kci_plan *plan_of(const kc_kernel *kernel)
{
    kci_plan *plan = kci_plan_new(&kernel->graph, kernel->tiling);
    assert_non_null(plan);
    assert_true(plan_count < MOST_PLANS);
    return plans[plan_count++] = plan;
}

/* At the sizes it was built with. */
static inline const kci_counts *counted(const kc_kernel *kernel, kci_plan *plan)
{
    double built[KCI_MAX_LOOPS];
    for (size_t i = 0; i < kernel->graph.loop_count; i++)
        built[i] = kernel->graph.loops[i].size;
    return kci_plan_count(plan, built, NULL);
}

static inline const kci_counts *count_of(const kc_kernel *kernel)
{
    const kci_counts *counts = counted(kernel, plan_of(kernel));
    if (!counts)
        print_error("%s\n", kc_context_message(context));
    assert_non_null(counts);
    return counts;
}

/* The row of the ledger of that name. */
static inline const kci_row *row_of(const kc_kernel *kernel, const kci_counts *counts, const char *name)
{
    for (size_t t = 0; t < kernel->graph.tensor_count; t++)
        if (strcmp(kernel->graph.tensors[t].name, name) == 0)
            return &counts->rows[t];
    print_error("no tensor '%s'\n", name);
    assert_true(false);
    return NULL;
}

static inline bool moves(const kc_kernel *kernel, const char *name)
{
    for (size_t t = 0; t < kernel->graph.tensor_count; t++)
        if (strcmp(kernel->graph.tensors[t].name, name) == 0)
            return true;
    return false;
}

static inline double total_bytes(const kc_kernel *kernel, const kci_counts *counts)
{
    double bytes = 0;
    for (size_t t = 0; t < kernel->graph.tensor_count; t++)
        bytes += counts->rows[t].read + counts->rows[t].written;
    return bytes;
}

static inline double sum_of(const double *list)
{
    double sum = 0;
    for (int f = 0; f < KCI_FORMATS; f++)
        sum += list[f];
    return sum;
}

static inline double useful_vector(const kci_counts *c)
{
    return c->useful_vector[0] + c->useful_vector[1];
}

static inline double executed_vector(const kci_counts *c)
{
    return c->executed_vector[0] + c->executed_vector[1];
}

static inline int loop_named(const kc_kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->graph.loop_count; i++)
        if (strcmp(kci_name(context, kernel->graph.loops[i].name), name) == 0)
            return (int)i;
    return -1;
}

/* The node with that label, the nth of them from 0. */
static inline const kci_node *node_named(const kc_kernel *kernel, const char *label, size_t nth)
{
    for (size_t n = 0; n < kernel->graph.node_count; n++)
        if (strcmp(kernel->graph.nodes[n].label, label) == 0 && nth-- == 0)
            return &kernel->graph.nodes[n];
    return NULL;
}

/* ---- chance ------------------------------------------------------------------------------- */

static uint64_t chance_state = 1;

/* A whole number from least to most; the same ones everywhere. */
static inline double chance(double least, double most)
{
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return least + floor((double)(chance_state >> 11) / 9007199254740992.0 * (most - least + 1));
}

/* True once in `n` times. */
static inline bool one_in(double n)
{
    return chance(1, n) < 2;
}

/* How many random cases: KCOST_RANDOM bounds it where time is dear. */
static inline int cases(double usual)
{
    return (int)fmin(usual, environment_number("KCOST_RANDOM", usual));
}

/* ---- attention ---------------------------------------------------------------------------- */

/* O = softmax(Q K', online) V with S, P, O written apart, as in the design, section 2. */
typedef struct attention {
    kc_tensor *q, *k, *v, *s, *p, *o;
    kc_kernel *flash;           /* all three fused */
} attention;

static inline attention attention_of(const char *q, const char *k, const char *v)
{
    attention a;
    a.q = tensor("Q", q, "f16");
    a.k = tensor("K", k, "f16");
    a.v = tensor("V", v, "f16");
    a.s = write_of("S", matmul(read_of(a.q), read_of(a.k), NULL));
    a.p = write_of("P", softmax(read_of(a.s), "j", 1));
    a.o = write_of("O", matmul(read_of(a.p), read_of(a.v), "j"));
    a.flash = keep(fuse_of("flash", NULL, a.s, a.p, a.o, NULL));
    return a;
}

#endif
