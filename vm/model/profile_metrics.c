/* profile_metrics.c: the lines of the table, read once a profile, and figures made of a launch's metrics by them. */
#include <math.h>
#include <string.h>

#include "profile.h"

/* ---- names of sources -------------------------------------------------------------------------- */

/* Whatever the case: profilers change it from version to version. */
static uint64_t hash_name(const char *name, size_t length)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        c = c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
        hash = (hash ^ c) * 1099511628211u;
    }
    return hash ^ (hash >> 29);
}

static bool same_name(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char x = a[i] >= 'A' && a[i] <= 'Z' ? (char)(a[i] + 32) : a[i], y = b[i] >= 'A' && b[i] <= 'Z' ? (char)(b[i] + 32) : b[i];
        if (x != y)
            return false;
    }
    return true;
}

typedef struct sought {
    const kci_p_metrics *metrics;
    const char *name;
    size_t length;
} sought;

static bool is_source(const void *data, uint32_t id)
{
    const sought *s = data;
    const kci_p_source *source = &s->metrics->sources[id];
    return source->length == s->length && same_name(source->name, s->name, s->length);
}

uint16_t kci_metrics_find(const kci_p_metrics *m, const char *name, size_t length, kci_p_family family)
{
    sought s = { m, name, length };
    uint32_t id = kci_table_find(&m->table, hash_name(name, length), is_source, &s);
    if (id == UINT32_MAX)
        return UINT16_MAX;
    for (uint32_t i = id; family != KCI_U_ANY; i = m->sources[i].next) {
        if (m->sources[i].family == family)
            return (uint16_t)i;
        if (m->sources[i].next == 0)
            return UINT16_MAX;
    }
    return (uint16_t)id;
}

/* The source, added where it is new; 0 is none. */
static bool add_source(kc_context *context, kci_p_metrics *m, kci_p_source source, uint16_t *index)
{
    sought s = { m, source.name, source.length };
    uint64_t hash = hash_name(source.name, source.length);
    uint32_t id = kci_table_find(&m->table, hash, is_source, &s);
    uint16_t last = 0;
    for (uint32_t i = id; id != UINT32_MAX; i = m->sources[i].next) {
        last = (uint16_t)i;
        if (m->sources[i].family == source.family) {
            *index = last;
            return true;
        }
        if (m->sources[i].next == 0)
            break;
    }
    *index = (uint16_t)m->source_count++;
    m->sources[*index] = source;
    if (last > 0)
        m->sources[last].next = *index;
    return last > 0 || kci_table_add(context, &m->table, hash, *index);
}

/* ---- reading the table ----------------------------------------------------------------------------- */

static size_t figure_of(kci_p_metrics *m, const char *name, size_t length)
{
    size_t f = 0;
    while (f < m->figure_count && !(strlen(m->figures[f]) == length && strncmp(m->figures[f], name, length) == 0))
        f++;
    return f;
}

/* What stands before `end` up to the next " op " of one of `ops`; where it ends, and which op follows. */
static const char *piece_end(const char *at, const char *end, const char *ops, char *op)
{
    for (const char *c = at; c + 2 < end; c++)
        if (c[0] == ' ' && c[2] == ' ' && strchr(ops, c[1])) {
            *op = c[1];
            return c;
        }
    *op = '\0';
    return end;
}

static bool add_factor(kc_context *context, kci_p_metrics *m, kci_p_term *term, const char *at, const char *end, bool below)
{
    static const char mark[] = "_measured";
    const char *after;
    double number = kci_parse_number(at, &after);
    if (after == end) {
        term->over *= below ? number : 1;
        term->number *= below ? 1 : number;
        return true;
    }
    kci_p_factor *factor = &term->factors[term->count++];
    size_t length = (size_t)(end - at), f = figure_of(m, at, length);
    *factor = (kci_p_factor){ .below = below };
    if ((length > sizeof mark && strncmp(end - (sizeof mark - 1), mark, sizeof mark - 1) == 0) || f < m->figure_count) {
        factor->figure = true;
        factor->index = (uint16_t)f;
        return f < m->figure_count;
    }
    kci_p_source source = { .name = at, .length = (uint16_t)length, .unit = { KCI_U_COUNT, 1, 0 } };
    const char *colon = memchr(at, ':', length), *equals = memchr(at, '=', length), *unit_end = colon ? colon : equals;
    if (unit_end) {
        source.name = unit_end + 1;
        source.length = (uint16_t)(end - source.name);
        if (!kci_unit_read(at, (size_t)(unit_end - at), false, &source.unit))
            return false;
        source.unit.times = colon ? 0 : source.unit.times;
    }
    source.family = source.unit.family;
    return add_source(context, m, source, &factor->index);
}

static bool add_term(kc_context *context, kci_p_metrics *m, const char *at, const char *end, bool minus)
{
    kci_p_term *term = &m->terms[m->term_count++];
    *term = (kci_p_term){ .number = minus ? -1 : 1, .over = 1, .optional = end[-1] == '?' };
    if (term->optional)
        end--;
    bool below = false, good = true;
    for (char op = '*'; op && good; below = op == '/') {
        const char *stop = piece_end(at, end, "*/", &op);
        good = add_factor(context, m, term, at, stop, below);
        at = stop + 3;
    }
    return good;
}

static bool add_line(kc_context *context, kci_p_metrics *m, size_t row)
{
    const char *name = kci_p_table[row].figure;
    bool share = *name == '%';
    name += share;
    size_t f = figure_of(m, name, strlen(name));
    if (f == m->figure_count) {
        m->share[f] = share;
        m->figures[m->figure_count++] = name;
    }
    kci_p_line *line = &m->lines[m->line_count++];
    *line = (kci_p_line){ .figure = (uint16_t)f, .from = (uint16_t)m->term_count };
    const char *at = kci_p_table[row].formula, *bar = strstr(at, " | "), *end = bar ? bar : at + strlen(at);
    bool good = true;
    if (bar) {
        const char *after;
        line->lowest = kci_parse_number(bar + 3, &after);
        line->highest = kci_parse_number(after + 1, &after);
        line->note = after + 3;
    }
    for (char op = '+', next; op && good; op = next) {
        const char *stop = piece_end(at, end, "+-", &next);
        good = add_term(context, m, at, stop, op == '-');
        at = stop + 3;
    }
    line->to = (uint16_t)m->term_count;
    return good;
}

bool kci_metrics_begin(kc_context *context, kci_p_metrics *m)
{
    *m = (kci_p_metrics){ .source_count = 1, .stale = true };
    for (size_t row = 0; kci_p_table[row].figure; row++)
        if (!add_line(context, m, row))
            return false;
    return true;
}

/* ---- figures ----------------------------------------------------------------------------------------- */

/* Can the line ever be computed of this export? */
static bool is_live(const kci_p_metrics *m, const kci_p_line *line)
{
    bool any = false;
    for (size_t t = line->from; t < line->to; t++) {
        const kci_p_term *term = &m->terms[t];
        bool all = true;
        for (size_t i = 0; i < term->count; i++)
            all = all && (term->factors[i].figure || m->live[term->factors[i].index]);
        if (!all && !term->optional)
            return false;
        any = any || all;
    }
    return any;
}

static void find_live(kci_p_metrics *m)
{
    m->live_count = 0;
    for (size_t i = 0; i < m->line_count; i++)
        if (is_live(m, &m->lines[i]))
            m->live_lines[m->live_count++] = (uint16_t)i;
    m->stale = false;
}

static double line_value(const kci_p_metrics *m, const kci_p_line *line, const double *raw, const double *figures)
{
    double sum = 0;
    bool any = false;
    for (size_t t = line->from; t < line->to; t++) {
        const kci_p_term *term = &m->terms[t];
        double value = term->number;
        for (size_t i = 0; i < term->count; i++) {
            const kci_p_factor *factor = &term->factors[i];
            double of = factor->figure ? figures[factor->index] : raw[factor->index];
            value = factor->below ? value / of : value * of;
        }
        if (isfinite(value)) {
            sum += value / term->over;
            any = true;
        } else if (!term->optional) {
            return NAN;
        }
    }
    return any && fabs(sum) <= KCI_P_LARGEST ? sum : NAN;
}

static bool holds_for(const kci_p_line *line, double capability)
{
    return !line->note || (capability >= line->lowest && capability <= line->highest);
}

void kci_metrics_figures(kci_p_metrics *m, const double *raw, double capability, double *figures)
{
    if (m->stale)
        find_live(m);
    for (size_t i = 0; i < m->live_count; i++) {
        const kci_p_line *line = &m->lines[m->live_lines[i]];
        if (!isnan(figures[line->figure]) || !holds_for(line, capability))
            continue;
        figures[line->figure] = line_value(m, line, raw, figures);
        m->used[m->live_lines[i]] |= !isnan(figures[line->figure]);
    }
}

double kci_metrics_figure(kci_p_metrics *m, const double *raw, double capability, size_t figure)
{
    double figures[KCI_P_FIGURES];
    for (size_t f = 0; f < m->figure_count; f++)
        figures[f] = NAN;
    kci_metrics_figures(m, raw, capability, figures);
    return figures[figure];
}

const char *kci_metrics_note(const kci_p_metrics *m, size_t i)
{
    for (size_t l = 0; l < m->line_count; l++)
        if (m->lines[l].note && m->used[l] && i-- == 0)
            return m->lines[l].note;
    return NULL;
}

/* Bytes, work and shares are counted; times, clocks and extents are not. */
bool kci_metrics_counts(const kci_p_metrics *m)
{
    for (size_t i = 0; i < m->line_count; i++) {
        const char *figure = m->figures[m->lines[i].figure];
        bool counted = strstr(figure, "bytes") || strstr(figure, "share") || strncmp(figure, "work_", 5) == 0;
        for (size_t t = m->lines[i].from; counted && t < m->lines[i].to; t++)
            for (size_t f = 0; f < m->terms[t].count; f++)
                if (!m->terms[t].factors[f].figure && m->live[m->terms[t].factors[f].index])
                    return true;
    }
    return false;
}

static bool is_matrix(const char *figure)
{
    return strncmp(figure, "work_measured.matrix.", 21) == 0 || strcmp(figure, "matrix_share_measured") == 0;
}

bool kci_metrics_sees_matrix(const kci_p_metrics *m)
{
    for (size_t i = 0; i < m->line_count; i++)
        if (is_matrix(m->figures[m->lines[i].figure]) && is_live(m, &m->lines[i]))
            return true;
    return false;
}
