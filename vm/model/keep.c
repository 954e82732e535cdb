/* keep.c: which rows of a sweep stay. */
#include "keep.h"

#include <stdlib.h>
#include <string.h>

void kci_keeper_free(kci_keeper *k)
{
    kci_free(k->context, k->rows, k->capacity * k->width * sizeof *k->rows);
    kci_free(k->context, k->heap, k->heap_capacity * sizeof *k->heap);
    kci_free(k->context, k->slots, k->slot_count * sizeof *k->slots);
    k->rows = NULL;
    k->heap = k->slots = NULL;
    k->count = k->capacity = k->heap_capacity = k->slot_count = 0;
}

bool kci_larger_is_better(kc_field field)
{
    return field == KC_THROUGHPUT || field == KC_BANDWIDTH || field == KC_INTENSITY || field == KC_OCCUPANCY ||
           field == KC_WAVE_EFFICIENCY || field == KC_TILE_EFFICIENCY || field == KC_MEASURED_EFFICIENCY;
}

static double *row_at(const kci_keeper *k, size_t row)
{
    return k->rows + row * k->width;
}

/* A row more at the end; NULL after the sentence. */
static double *add_row(kci_keeper *k)
{
    if (k->count >= (k->limit ? k->limit : KCI_MOST_ROWS)) {
        kci_fail(k->context, KC_ELIMIT, "sweep: more than %d rows are to be kept; keep = { top = 1000, by = \"time\" } keeps the best",
                 KCI_MOST_ROWS);
        return NULL;
    }
    if (!kci_reserve(k->context, &k->rows, &k->capacity, k->count + 1, k->width * sizeof *k->rows))
        return NULL;
    return row_at(k, k->count++);
}

/* Is a better than b in this key? */
static bool better(const kci_keeper *k, size_t key, double a, double b)
{
    return k->larger[key] ? a > b : a < b;
}

/* Does the row (key, point) go before the kept one? */
static bool before(const kci_keeper *k, double key, double point, const double *row)
{
    double other = row[k->at[0]];
    return key != other ? better(k, 0, key, other) : point < row[0];
}

/* ---- top ------------------------------------------------------------------------ */

static bool worse(const kci_keeper *k, uint32_t a, uint32_t b)
{
    return before(k, row_at(k, b)[k->at[0]], row_at(k, b)[0], row_at(k, a));
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t held = *a;
    *a = *b;
    *b = held;
}

static void rise(kci_keeper *k, size_t i)
{
    for (; i > 0 && worse(k, k->heap[i], k->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&k->heap[i], &k->heap[(i - 1) / 2]);
}

static void sink(kci_keeper *k)
{
    for (size_t i = 0, child; (child = 2 * i + 1) < k->count; i = child) {
        if (child + 1 < k->count && worse(k, k->heap[child + 1], k->heap[child]))
            child++;
        if (!worse(k, k->heap[child], k->heap[i]))
            return;
        swap(&k->heap[child], &k->heap[i]);
    }
}

/* The heap needs the keys of a row that its caller has yet to write. */
static void write_keys(const kci_keeper *k, double *row, double point, const double *keys)
{
    row[0] = point;
    for (size_t i = 0; i < k->key_count; i++)
        row[k->at[i]] = keys[i];
}

static kc_status keep_top(kci_keeper *k, double point, const double *keys, double **row)
{
    if ((double)k->count >= k->most) {
        double *worst = row_at(k, k->heap[0]);
        if (!before(k, keys[0], point, worst))
            return KC_OK;
        write_keys(k, worst, point, keys);
        *row = worst;
        sink(k);
        return KC_OK;
    }
    if (!kci_reserve(k->context, &k->heap, &k->heap_capacity, k->count + 1, sizeof *k->heap) || !(*row = add_row(k)))
        return kc_context_status(k->context);
    write_keys(k, *row, point, keys);
    k->heap[k->count - 1] = (uint32_t)(k->count - 1);
    rise(k, k->count - 1);
    return KC_OK;
}

/* ---- Pareto --------------------------------------------------------------------------- */

/* No key of a is worse than that of b; equal ones: the first point stays. */
static bool covers(const kci_keeper *k, const double *a, double a_point, const double *b, double b_point)
{
    bool equal = true;
    for (size_t i = 0; i < k->key_count; i++) {
        if (better(k, i, b[i], a[i]))
            return false;
        equal = equal && a[i] == b[i];
    }
    return !equal || a_point < b_point;
}

static void keys_of(const kci_keeper *k, const double *row, double *keys)
{
    for (size_t i = 0; i < k->key_count; i++)
        keys[i] = row[k->at[i]];
}

static kc_status keep_pareto(kci_keeper *k, double point, const double *keys, double **row)
{
    double kept[KCI_MOST_KEYS];
    size_t left = 0;
    for (size_t i = 0; i < k->count; i++) {
        keys_of(k, row_at(k, i), kept);
        if (covers(k, kept, row_at(k, i)[0], keys, point)) {
            /* What beats one point often beats the next: it moves to the front. */
            for (size_t d = 0; i > 0 && d < k->width; d++) {
                double held = row_at(k, i)[d];
                row_at(k, i)[d] = row_at(k, i / 2)[d];
                row_at(k, i / 2)[d] = held;
            }
            return KC_OK;
        }
    }
    for (size_t i = 0; i < k->count; i++) {
        keys_of(k, row_at(k, i), kept);
        if (covers(k, keys, point, kept, row_at(k, i)[0]))
            continue;
        if (left < i)
            memcpy(row_at(k, left), row_at(k, i), k->width * sizeof *k->rows);
        left++;
    }
    k->count = left;
    *row = add_row(k);
    if (!*row)
        return kc_context_status(k->context);
    write_keys(k, *row, point, keys);
    return KC_OK;
}

/* ---- the best of each group -------------------------------------------------------------- */

static kc_status keep_best(kci_keeper *k, double point, size_t group, const double *keys, double **row)
{
    if (group >= k->slot_count) {
        size_t before_count = k->slot_count;
        if (!kci_reserve(k->context, &k->slots, &k->slot_count, group + 1, sizeof *k->slots))
            return KC_ENOMEM;
        memset(k->slots + before_count, 0, (k->slot_count - before_count) * sizeof *k->slots);
    }
    if (k->slots[group]) {
        double *kept = row_at(k, k->slots[group] - 1);
        if (before(k, keys[0], point, kept))
            *row = kept;
    } else {
        *row = add_row(k);
        if (!*row)
            return kc_context_status(k->context);
        k->slots[group] = (uint32_t)k->count;
    }
    if (*row)
        write_keys(k, *row, point, keys);
    return KC_OK;
}

/* ---- all of them -------------------------------------------------------------------------- */

kc_status kci_keep(kci_keeper *k, double point, size_t group, const double *keys, double **row)
{
    *row = NULL;
    switch (k->kind) {
    case KCI_KEEP_TOP:
        return keep_top(k, point, keys, row);
    case KCI_KEEP_PARETO:
        return keep_pareto(k, point, keys, row);
    case KCI_KEEP_BEST_PER:
        return keep_best(k, point, group, keys, row);
    default:
        *row = add_row(k);
        if (!*row)
            return kc_context_status(k->context);
        (*row)[0] = point;
        return KC_OK;
    }
}

/* qsort knows no context: rows are sorted by two doubles put before a row's number. */
typedef struct sorted {
    double key, point;
    size_t row;
} sorted;

static int compare(const void *left, const void *right)
{
    const sorted *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->point < b->point ? -1 : a->point > b->point;
}

kc_status kci_keeper_finish(kci_keeper *k)
{
    size_t bytes = k->count * sizeof(sorted);
    sorted *order = kci_alloc(k->context, bytes);
    double *rows = order ? kci_resize(k->context, NULL, 0, (k->count ? k->count : 1) * k->width * sizeof *rows) : NULL;
    if (!rows) {
        kci_free(k->context, order, bytes);
        return KC_ENOMEM;
    }
    for (size_t i = 0; i < k->count; i++) {
        double key = k->kind == KCI_KEEP_TOP ? row_at(k, i)[k->at[0]] : 0;
        order[i] = (sorted){ k->larger[0] ? -key : key, row_at(k, i)[0], i };
    }
    qsort(order, k->count, sizeof *order, compare);
    for (size_t i = 0; i < k->count; i++)
        memcpy(rows + i * k->width, row_at(k, order[i].row), k->width * sizeof *rows);
    kci_free(k->context, order, bytes);
    kci_free(k->context, k->rows, k->capacity * k->width * sizeof *k->rows);
    k->rows = rows;
    k->capacity = k->count ? k->count : 1;
    return KC_OK;
}
