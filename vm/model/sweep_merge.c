/* sweep_merge.c: the parts of a sweep as one: what sweeping it whole gives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "sweep.h"

typedef struct merging {
    kc_context *context;
    kc_sweep *whole;
    kc_sweep *const *parts;
    size_t count;
    size_t *per;                    /* BEST_PER: columns whose values make a group */
    size_t per_count;
    kci_table groups;
    double *values;                 /* of the groups, per_count each */
    size_t group_count, group_capacity;
    double *row;                    /* the row at hand, in the whole's numbers of texts */
} merging;

/* ---- is it all there, once, and of one sweep? -------------------------------------------- */

static kc_status check_part(const merging *m, size_t i)
{
    const kc_sweep *first = m->parts[0], *part = m->parts[i];
    kc_context *context = m->context;
    if (!part)
        return KC_EARGUMENT;
    if (part->parts == 1)
        return kci_fail(context, KC_EARGUMENT, "merge: file %zu is a whole sweep, no part of one; parts are made by --shard", i + 1);
    if (part->hash != first->hash || part->parts != first->parts || part->points != first->points ||
        part->column_count != first->column_count || part->axes != first->axes || strcmp(part->keep, first->keep) != 0)
        return kci_fail(context, KC_EARGUMENT, "merge: file %zu is a part of another sweep than file 1 (%s of %u parts, %s of %u)",
                        i + 1, first->name, first->parts, part->name, part->parts);
    for (size_t c = 0; c < part->column_count; c++)
        if (strcmp(part->columns[c].name, first->columns[c].name) != 0)
            return kci_fail(context, KC_EARGUMENT, "merge: file %zu has the column %.80s where file 1 has %.80s", i + 1,
                            part->columns[c].name, first->columns[c].name);
    if (part->interrupted)
        return kci_fail(context, KC_EARGUMENT, "merge: part %u was interrupted after %.0f points; run it again", part->part, part->done);
    for (size_t before = 0; before < i; before++)
        if (m->parts[before]->part == part->part)
            return kci_fail(context, KC_EARGUMENT, "merge: part %u of %u is there twice: files %zu and %zu", part->part, part->parts,
                            before + 1, i + 1);
    return KC_OK;
}

static kc_status check_parts(const merging *m)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < m->count && status == KC_OK; i++)
        status = check_part(m, i);
    if (status != KC_OK)
        return status;
    for (unsigned part = 1; part <= m->parts[0]->parts; part++) {
        size_t i = 0;
        while (i < m->count && m->parts[i]->part != part)
            i++;
        if (i == m->count)
            return kci_fail(m->context, KC_EARGUMENT, "merge: part %u of %u is missing (%zu files are given)", part,
                            m->parts[0]->parts, m->count);
    }
    return KC_OK;
}

/* ---- the keeper, from its text --------------------------------------------------------------- */

/* The next word of "best per size.i by time"; false at the end. */
static bool next_word(const char **at, const char **word, size_t *length)
{
    *at += strspn(*at, " ");
    *word = *at;
    *length = strcspn(*at, " ");
    *at += *length;
    return *length > 0;
}

static bool is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && strncmp(word, text, length) == 0;
}

static size_t column_named(const kc_sweep *s, const char *word, size_t length)
{
    size_t c = 0;
    while (c < s->column_count && !is(word, length, s->columns[c].name))
        c++;
    return c;
}

static bool add_key(kc_sweep *s, const char *word, size_t length)
{
    kci_keeper *k = &s->keeper;
    size_t column = column_named(s, word, length);
    if (column == s->column_count || k->key_count == KCI_MOST_KEYS)
        return false;
    size_t field = kci_point_field_named(s->columns[column].name);
    if (field >= KC_FIELD_COUNT)
        return false;
    k->larger[k->key_count] = kci_larger_is_better((kc_field)field);
    k->at[k->key_count++] = 1 + column;
    return true;
}

/* "all", "top 20 by time", "pareto time smem", "best per size.i size.j by time" */
static bool parse_keep(merging *m)
{
    kc_sweep *s = m->whole;
    kci_keeper *k = &s->keeper;
    const char *at = s->keep, *word;
    size_t length;
    bool by = false, good = next_word(&at, &word, &length);
    k->kind = !good ? KCI_KEEP_ALL : is(word, length, "top") ? KCI_KEEP_TOP : is(word, length, "pareto") ? KCI_KEEP_PARETO
              : is(word, length, "best") ? KCI_KEEP_BEST_PER : KCI_KEEP_ALL;
    good = good && (k->kind != KCI_KEEP_ALL || is(word, length, "all"));
    while (good && next_word(&at, &word, &length)) {
        if (is(word, length, "by") || is(word, length, "per")) {
            by = by || is(word, length, "by");
        } else if (k->kind == KCI_KEEP_TOP && !by) {
            k->most = kci_parse_number(word, NULL);
        } else if (k->kind == KCI_KEEP_BEST_PER && !by) {
            size_t column = column_named(s, word, length);
            good = column < s->axes;
            m->per[m->per_count] = 1 + column;
            m->per_count += good && m->per_count < s->axes;
        } else {
            good = add_key(s, word, length);
        }
    }
    return good && (k->kind == KCI_KEEP_ALL) == (k->key_count == 0) && (k->kind != KCI_KEEP_TOP || k->most >= 1);
}

/* ---- rows --------------------------------------------------------------------------------------- */

typedef struct sought {
    const merging *m;
    const double *values;
} sought;

static bool same_group(const void *data, uint32_t id)
{
    const sought *s = data;
    return memcmp(s->values, s->m->values + id * s->m->per_count, s->m->per_count * sizeof(double)) == 0;
}

static kc_status group_of(merging *m, size_t *group)
{
    size_t count = m->per_count;
    *group = 0;
    if (count == 0)
        return KC_OK;
    if (!kci_reserve(m->context, &m->values, &m->group_capacity, m->group_count + 1, count * sizeof *m->values))
        return KC_ENOMEM;
    double *values = m->values + m->group_count * count; /* a new group's, if it is one */
    for (size_t i = 0; i < count; i++)
        values[i] = m->row[m->per[i]];
    sought s = { m, values };
    uint64_t hash = kci_hash(0, values, count * sizeof *values);
    uint32_t found = kci_table_find(&m->groups, hash, same_group, &s);
    if (found == UINT32_MAX) {
        if (!kci_table_add(m->context, &m->groups, hash, (uint32_t)m->group_count))
            return KC_ENOMEM;
        found = (uint32_t)m->group_count++;
    }
    *group = found;
    return KC_OK;
}

/* A text has another number in each part. */
static kc_status translate(merging *m, const kc_sweep *part, const double *from)
{
    m->row[0] = from[0];
    for (size_t c = 0; c < part->column_count; c++) {
        m->row[1 + c] = from[1 + c];
        if (!part->columns[c].text || isnan(from[1 + c]))
            continue;
        m->row[1 + c] = kci_sweep_text_number(m->whole, &m->whole->columns[c], part->columns[c].texts[(size_t)from[1 + c]]);
        if (m->row[1 + c] < 0)
            return KC_ENOMEM;
    }
    return KC_OK;
}

static kc_status add_rows(merging *m, const kc_sweep *part)
{
    kci_keeper *k = &m->whole->keeper;
    kc_status status = KC_OK;
    for (size_t i = 0; i < kc_sweep_rows(part) && status == KC_OK; i++) {
        double keys[KCI_MOST_KEYS] = { 0 }, *to = NULL;
        size_t group = 0;
        status = translate(m, part, kci_sweep_row(part, i));
        if (status == KC_OK)
            status = group_of(m, &group);
        for (size_t key = 0; key < k->key_count; key++)
            keys[key] = m->row[k->at[key]];
        if (status == KC_OK)
            status = kci_keep(k, m->row[0], group, keys, &to);
        if (status == KC_OK && to)
            memcpy(to, m->row, k->width * sizeof *to);
    }
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static int by_first(const void *left, const void *right)
{
    const kci_reason *a = left, *b = right;
    return a->first < b->first ? -1 : a->first > b->first;
}

static kc_status add_part(merging *m, const kc_sweep *part)
{
    kc_sweep *s = m->whole;
    kc_status status = KC_OK;
    s->fit += part->fit;
    s->done += part->done;
    for (size_t i = 0; i < part->reason_count && status == KC_OK; i++) {
        const kci_reason *reason = &part->reasons[i];
        status = kci_sweep_reject(s, reason->text, reason->sentence, reason->points, reason->first, NULL);
    }
    return status == KC_OK ? add_rows(m, part) : status;
}

static kc_status merge(merging *m)
{
    kc_sweep *s = m->whole;
    const kc_sweep *first = m->parts[0];
    s->points = first->points;
    s->axes = first->axes;
    for (size_t c = 0; c < first->column_count; c++)
        if (!kci_sweep_add_column(s, first->columns[c].name, first->columns[c].text))
            return KC_ENOMEM;
    s->keeper.width = 1 + s->column_count;
    s->keeper.limit = SIZE_MAX; /* each part has its own */
    m->row = kci_alloc(m->context, s->keeper.width * sizeof *m->row);
    m->per = kci_alloc(m->context, (s->column_count + 1) * sizeof *m->per);
    if (!m->row || !m->per)
        return KC_ENOMEM;
    if (!parse_keep(m))
        return kci_fail(m->context, KC_EARGUMENT, "merge: '%.80s' does not say which rows were kept", s->keep);
    kc_status status = KC_OK;
    for (size_t i = 0; i < m->count && status == KC_OK; i++)
        status = add_part(m, m->parts[i]);
    if (status != KC_OK)
        return status;
    if (s->done != s->points)
        return kci_fail(m->context, KC_EARGUMENT, "merge: the parts have %.0f points together, and the sweep has %.0f", s->done, s->points);
    if (s->reason_count)
        qsort(s->reasons, s->reason_count, sizeof *s->reasons, by_first);
    return kci_keeper_finish(&s->keeper);
}

kc_sweep *kc_sweep_merge(kc_context *context, kc_sweep *const *parts, size_t count)
{
    merging m = { .context = context, .parts = parts, .count = count };
    if (!context)
        return NULL;
    if (count == 0) {
        kci_fail(context, KC_EARGUMENT, "merge: no parts are given");
        return NULL;
    }
    if (!kci_handles_given(context, "merge", "parts", parts, count) || check_parts(&m) != KC_OK)
        return NULL;
    m.whole = kci_sweep_new(context, parts[0]->name, parts[0]->keep);
    kc_status status = m.whole ? merge(&m) : KC_ENOMEM;
    if (m.whole) {
        kci_free(context, m.row, m.whole->keeper.width * sizeof *m.row);
        kci_free(context, m.per, (m.whole->column_count + 1) * sizeof *m.per);
    }
    kci_free(context, m.values, m.group_capacity * m.per_count * sizeof *m.values);
    kci_table_free(context, &m.groups);
    if (status == KC_OK)
        return m.whole;
    kc_release(m.whole);
    return NULL;
}
