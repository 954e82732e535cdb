/* walk_bench.h: a bench to build kernels and walk them on, without schedules or formulas. */
#ifndef WALK_BENCH_H
#define WALK_BENCH_H

#include "../unit.h"

#include "build.h"
#include "walk.h"

typedef struct bench {
    kc_context *context;
    kc_tensor *written[8], *fused[8];
    size_t written_count, fused_count;
    void *held[128];
    size_t held_count;
    kci_graph graph;
    kci_tiling tiling;
    kci_walk_result walk;
} bench;

static inline void *keep(bench *b, void *handle)
{
    if (!handle)
        fail_msg("%s", kc_context_message(b->context));
    b->held[b->held_count++] = handle;
    return handle;
}

/* Allocations left before one fails; below 0: none fails.  How many bytes are out. */
static int left = -1;
static size_t allocated;

static inline void *counted(void *data, void *block, size_t old_size, size_t new_size)
{
    (void)data;
    if (new_size == 0) {
        allocated -= old_size;
        free(block);
        return NULL;
    }
    if (left == 0)
        return NULL;
    left -= left > 0;
    void *resized = realloc(block, new_size);
    if (resized)
        allocated += new_size - old_size;
    return resized;
}

static inline bench *setup(void)
{
    bench *b = calloc(1, sizeof *b);
    b->context = kc_context_new(counted, NULL);
    return b;
}

static inline void teardown(bench *b)
{
    kci_walk_free(&b->walk);
    kci_free(b->context, b->tiling.held, b->graph.tensor_count);
    kci_graph_free(&b->graph);
    for (size_t i = b->held_count; i-- > 0;)
        kc_release(b->held[i]);
    kc_context_free(b->context);
    free(b);
}

static inline kc_tensor *tensor(bench *b, const char *name, const char *dims, const char *dtype, const kc_size *sizes)
{
    size_t count = 0;
    while (sizes[count].dim)
        count++;
    kc_dtype *type = keep(b, kc_dtype_named(b->context, dtype));
    return keep(b, kc_tensor_new(b->context, name, dims, type, sizes, count));
}

static inline kc_value *read(bench *b, kc_tensor *t, const char *index) { return keep(b, kc_read(t, index, NULL, 0, 1, 0)); }

static inline kc_value *read_sized(bench *b, kc_tensor *t, const char *index, const kc_size *sizes)
{
    size_t count = 0;
    while (sizes[count].dim)
        count++;
    return keep(b, kc_read(t, index, sizes, count, 1, 0));
}

static inline kc_value *matmul(bench *b, kc_value *x, kc_value *y, const char *over)
{
    return keep(b, kc_matmul(x, y, over, NULL, NULL, NULL));
}

static inline kc_value *map(bench *b, const char *what, kc_value *x, kc_value *y)
{
    kc_value *inputs[2] = { x, y };
    return keep(b, kc_map(what, inputs, y ? 2 : 1, NULL));
}

static inline kc_value *reduce(bench *b, kc_value *x, const char *over)
{
    return keep(b, kc_reduce("sum", x, over, NULL, 0, NULL));
}

static inline kc_tensor *write(bench *b, const char *name, kc_value *value, const char *dtype)
{
    kc_dtype *type = keep(b, kc_dtype_named(b->context, dtype));
    kc_tensor *t = keep(b, kc_write(name, value, type, NULL, NULL, NULL, 0, 1));
    b->written[b->written_count++] = t;
    return t;
}

/* A tensor that is fused away: its reader gets the value. */
static inline kc_value *through(bench *b, const char *name, kc_value *value, const char *dtype, const char *index,
                         const kc_size *sizes)
{
    kc_tensor *t = write(b, name, value, dtype);
    b->written_count--;
    b->fused[b->fused_count++] = t;
    return sizes ? read_sized(b, t, index, sizes) : read(b, t, index);
}

static inline int loop_named(const bench *b, const char *name, size_t length)
{
    for (size_t l = 0; l < b->graph.loop_count; l++) {
        const char *known = kci_name(b->context, b->graph.loops[l].name);
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return (int)l;
    }
    fail_msg("no loop %.*s", (int)length, name);
    return -1;
}

static inline void build(bench *b)
{
    if (kci_build(b->context, &b->graph, "test", b->written, b->written_count, b->fused, b->fused_count, false) != KC_OK)
        fail_msg("%s", kc_context_message(b->context));
    for (size_t l = 0; l < KCI_MAX_LOOPS; l++) {
        b->tiling.tile[l] = 9007199254740992.0;
        b->tiling.split[l] = b->tiling.cluster[l] = 1;
    }
    b->tiling.held = kci_alloc(b->context, b->graph.tensor_count);
}

static inline void tile(bench *b, const char *dim, double size) { b->tiling.tile[loop_named(b, dim, strlen(dim))] = size; }

/* Loops across CTAs, then loops in order; others come inside. */
static inline void nest(bench *b, const char *grid, const char *order)
{
    kci_set named = 0;
    for (const char *at = grid; *at; at += *at == ' ') {
        size_t length = strcspn(at, " ");
        int l = loop_named(b, at, length);
        named |= KCI_BIT(l);
        b->tiling.grid |= KCI_BIT(l);
        b->tiling.grid_order[b->tiling.grid_count++] = (int16_t)l;
        at += length;
    }
    for (const char *at = order; *at; at += *at == ' ') {
        size_t length = strcspn(at, " ");
        int l = loop_named(b, at, length);
        named |= KCI_BIT(l);
        b->tiling.order[b->tiling.order_count++] = (int16_t)l;
        at += length;
    }
    for (size_t l = 0; l < b->graph.loop_count; l++)
        if (!(named & KCI_BIT(l)))
            b->tiling.order[b->tiling.order_count++] = (int16_t)l;
}

static inline void walk(bench *b)
{
    if (kci_walk(&b->graph, &b->tiling, NULL, NULL, 1e7, &b->walk) != KC_OK)
        fail_msg("%s", kc_context_message(b->context));
}

static inline const kci_row *row(const bench *b, const char *name)
{
    for (size_t t = 0; t < b->graph.tensor_count; t++)
        if (strcmp(b->graph.tensors[t].name, name) == 0)
            return &b->walk.rows[t];
    fail_msg("no tensor %s", name);
    return NULL;
}

static inline double sum_of(const double *figures, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += figures[i];
    return sum;
}

static inline double executed_matrix(const bench *b) { return sum_of(b->walk.executed_matrix, KCI_FORMATS); }
static inline double useful_matrix(const bench *b) { return sum_of(b->walk.useful_matrix, KCI_FORMATS); }
static inline double executed_vector(const bench *b) { return sum_of(b->walk.executed_vector, 2); }
static inline double useful_vector(const bench *b) { return sum_of(b->walk.useful_vector, 2); }

#endif
