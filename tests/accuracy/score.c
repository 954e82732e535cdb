/* score.c: medians, means, ranks, and the tables of them. */
#include "score.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- statistics ------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *copy_of(const double *values, size_t n)
{
    double *copy = malloc((n ? n : 1) * sizeof *copy);
    if (!copy)
        exit(1);
    if (n)
        memcpy(copy, values, n * sizeof *copy);
    return copy;
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

typedef struct ranked {
    double value;
    size_t at;
} ranked;

static int by_ranked(const void *a, const void *b)
{
    return by_value(&((const ranked *)a)->value, &((const ranked *)b)->value);
}

/* Ranks from 0; equal values share their mean. */
static double *ranks_of(const double *values, size_t n)
{
    ranked *sorted = malloc(n * sizeof *sorted);
    double *ranks = malloc(n * sizeof *ranks);
    if (!sorted || !ranks)
        exit(1);
    for (size_t i = 0; i < n; i++)
        sorted[i] = (ranked){ values[i], i };
    qsort(sorted, n, sizeof *sorted, by_ranked);
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && sorted[end].value == sorted[i].value)
            end++;
        for (size_t k = i; k < end; k++)
            ranks[sorted[k].at] = (double)(i + end - 1) / 2;
        i = end;
    }
    free(sorted);
    return ranks;
}

static double spearman(const double *a, const double *b, size_t n)
{
    if (n < 3)
        return NAN;
    double *x = ranks_of(a, n), *y = ranks_of(b, n), mean = (double)(n - 1) / 2, xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < n; i++) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    free(x);
    free(y);
    return xy / sqrt(xx * yy);
}

score score_of(const double *predicted, const double *measured, size_t n)
{
    score s = { n, NAN, NAN, NAN, NAN };
    if (n == 0)
        return s;
    double *errors = copy_of(predicted, n), *ratios = copy_of(predicted, n);
    s.mean = 0;
    for (size_t i = 0; i < n; i++) {
        ratios[i] = predicted[i] / measured[i];
        errors[i] = 100 * fabs(ratios[i] - 1);
        s.mean += errors[i] / (double)n;
    }
    s.median = median(errors, n);
    s.bias = median(ratios, n);
    s.spearman = spearman(predicted, measured, n);
    free(errors);
    free(ratios);
    return s;
}

/* ---- rows of the tables --------------------------------------------------------------------- */

enum { NAIVE = 2 };             /* beside constants 0 (defaults) and 1 (fitted) */

typedef bool (*chooser)(const void *data, const row *r);

typedef struct bag {
    double *predicted, *measured;
    size_t count;
} bag;

static double predicted(const prediction *p, int constants)
{
    return constants == NAIVE ? p->naive_us : p->us[constants];
}

static score choose(const rows *all, const prediction *p, int constants, bool only_fitted, chooser pick, const void *data)
{
    bag b = { malloc((all->count + 1) * sizeof(double)), malloc((all->count + 1) * sizeof(double)), 0 };
    if (!b.predicted || !b.measured)
        exit(1);
    for (size_t i = 0; i < all->count; i++) {
        if (p[i].what != PREDICTED || !(predicted(&p[i], constants) > 0) || !pick(data, &all->items[i]) ||
            (only_fitted && !(p[i].us[1] > 0)))
            continue;
        b.predicted[b.count] = predicted(&p[i], constants);
        b.measured[b.count++] = all->items[i].measured_us;
    }
    score s = score_of(b.predicted, b.measured, b.count);
    free(b.predicted);
    free(b.measured);
    return s;
}

static void print_score(const score *s)
{
    if (s->rows == 0) {
        printf(" %6s %6s %6s %6s %5s |", "-", "", "", "", "");
        return;
    }
    printf(" %6zu %6.1f %6.1f ", s->rows, s->median, s->mean);
    if (isfinite(s->spearman))
        printf("%6.3f", s->spearman);
    else
        printf("%6s", "-");
    printf(" %5.2f |", s->bias);
}

static void print_line(const char *label, const rows *all, const prediction *p, chooser pick, const void *data)
{
    score naive = choose(all, p, NAIVE, false, pick, data), plain = choose(all, p, 0, false, pick, data);
    score fitted = choose(all, p, 1, false, pick, data);
    if (plain.rows == 0)
        return;
    printf("%-48s |", label);
    print_score(&fitted);
    print_score(&plain);
    printf(" %6.1f %5.2f\n", naive.median, naive.bias);
}

static void print_head(const char *what)
{
    printf("\n%-48s | %-33s| %-33s| naive\n", "", "fitted to the device", "defaults of its architecture");
    printf("%-48s |", what);
    for (int i = 0; i < 2; i++)
        printf(" %6s %6s %6s %6s %5s |", "rows", "medAPE", "MAPE", "rank", "bias");
    printf(" %6s %5s\n", "medAPE", "bias");
}

/* ---- choosing rows ----------------------------------------------------------------------------- */

typedef struct group {
    const char *source, *device, *dtypes, *not_source;
    row_class kind;
    double least, most;         /* measured us */
} group;

static bool in_group(const void *data, const row *r)
{
    const group *g = data;
    return (!g->source || listed(g->source, r->source)) && (!g->device || strcmp(g->device, r->device) == 0) &&
           (!g->not_source || strcmp(g->not_source, r->source) != 0) && (!g->dtypes || listed(g->dtypes, r->dtype)) &&
           g->kind == r->kind && r->measured_us >= g->least && r->measured_us < g->most;
}

static void print_by_source(const rows *all, const prediction *p)
{
    print_head("source, class, device, dtype");
    for (int kind = 0; kind < CLASSES; kind++)
        for (size_t i = 0; i < all->count; i++) {
            const row *r = &all->items[i];
            bool seen = (int)r->kind != kind;
            for (size_t k = 0; k < i && !seen; k++) {
                const row *before = &all->items[k];
                seen = before->kind == r->kind && strcmp(before->source, r->source) == 0 &&
                       strcmp(before->device, r->device) == 0 && strcmp(before->dtype, r->dtype) == 0;
            }
            if (seen)
                continue;
            for (int large = 1; large >= 0; large--) {
                char label[160];
                snprintf(label, sizeof label, "%s %s %s %s%s", r->source, class_names[kind], r->device, r->dtype,
                         large ? "" : " <10us");
                const group g = { r->source, r->device, r->dtype, NULL, r->kind, large ? 10 : 0, large ? INFINITY : 10 };
                print_line(label, all, p, in_group, &g);
            }
        }
}

static void print_by_duration(const rows *all, const prediction *p)
{
    static const struct { const char *name; double least, most; } spans[] = {
        { "< 10 us", 0, 10 }, { "10 to 100 us", 10, 100 }, { "0.1 to 1 ms", 100, 1000 }, { "> 1 ms", 1000, INFINITY },
    };
    print_head("class, measured");
    for (int kind = 0; kind < CLASSES; kind++)
        for (size_t s = 0; s < sizeof spans / sizeof spans[0]; s++) {
            char label[80];
            snprintf(label, sizeof label, "%s, %s", class_names[kind], spans[s].name);
            const group g = { NULL, NULL, NULL, NULL, (row_class)kind, spans[s].least, spans[s].most };
            print_line(label, all, p, in_group, &g);
        }
}

/* The classes that the project has set itself goals for. */
static void print_goals(const rows *all, const prediction *p)
{
    static const char sixteen[] = "fp16 bf16";
    static const struct { const char *name; group g; } goals[] = {
        { "matmul f16/bf16 aiconfigurator, vidur > 10 us", { "aiconfigurator vidur", NULL, sixteen, NULL, MATMUL, 10, INFINITY } },
        { "prefill attention f16/bf16", { NULL, NULL, sixteen, NULL, PREFILL, 0, INFINITY } },
        { "prefill attention f16/bf16 > 10 us", { NULL, NULL, sixteen, NULL, PREFILL, 10, INFINITY } },
        { "decode attention f16/bf16", { NULL, NULL, sixteen, NULL, DECODE, 0, INFINITY } },
        { "decode attention f16/bf16 > 10 us", { NULL, NULL, sixteen, NULL, DECODE, 10, INFINITY } },
        { "memory > 10 us, all but vidur", { NULL, NULL, NULL, "vidur", MEMORY, 10, INFINITY } },
        { "memory > 10 us, vidur", { "vidur", NULL, NULL, NULL, MEMORY, 10, INFINITY } },
        { "matmul, all", { NULL, NULL, NULL, NULL, MATMUL, 0, INFINITY } },
        { "prefill, all", { NULL, NULL, NULL, NULL, PREFILL, 0, INFINITY } },
        { "stencil, all", { NULL, NULL, NULL, NULL, STENCIL, 0, INFINITY } },
        { "decode, all", { NULL, NULL, NULL, NULL, DECODE, 0, INFINITY } },
    };
    print_head("goals");
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++)
        print_line(goals[i].name, all, p, in_group, &goals[i].g);
}

/* ---- ladders: hand-written schedules of one shape ------------------------------------------------ */

static bool same_ladder(const row *a, const row *b)
{
    const char *x = strstr(a->shape, ";variant="), *y = strstr(b->shape, ";variant=");
    return x && y && a->kind == b->kind && x - a->shape == y - b->shape &&
           strncmp(a->shape, b->shape, (size_t)(x - a->shape)) == 0 && strcmp(a->device, b->device) == 0 &&
           strcmp(a->source, b->source) == 0;
}

/* Do they come in the right order? */
static bool in_ladder(const void *data, const row *r)
{
    return same_ladder(data, r);
}

static bool is_first(const rows *all, size_t i, bool (*same)(const row *a, const row *b))
{
    for (size_t k = 0; k < i; k++)
        if (same(&all->items[k], &all->items[i]))
            return false;
    return true;
}

static bool same_source(const row *a, const row *b)
{
    return a->kind == b->kind && strcmp(a->source, b->source) == 0;
}

/* The ranks of a source's ladders, and how many variants these have. */
static size_t ladder_ranks(const rows *all, const prediction *p, const char *source, double *ranks, size_t *variants)
{
    size_t count = 0;
    *variants = 0;
    for (size_t i = 0; i < all->count; i++) {
        const row *r = &all->items[i];
        if (r->kind != MATMUL || strcmp(r->source, source) != 0 || !is_first(all, i, same_ladder))
            continue;
        score s = choose(all, p, 0, false, in_ladder, r);
        if (s.rows < 4 || !isfinite(s.spearman))
            continue;
        ranks[count++] = s.spearman;
        *variants += s.rows;
    }
    return count;
}

static void print_ladders(const rows *all, const prediction *p)
{
    double *ranks = malloc((all->count + 1) * sizeof *ranks);
    bool any = false;
    if (!ranks)
        exit(1);
    for (size_t i = 0; i < all->count; i++) {
        const row *r = &all->items[i];
        size_t variants, count;
        if (!strstr(r->shape, ";variant=") || r->kind != MATMUL || !is_first(all, i, same_source) ||
            (count = ladder_ranks(all, p, r->source, ranks, &variants)) == 0)
            continue;
        if (!any)
            printf("\n%-48s | %6s %8s %6s %6s\n", "goals: rank within the schedules of one shape", "shapes", "variants",
                   "median", "least");
        any = true;
        double middle = median(ranks, count);
        char label[96];
        snprintf(label, sizeof label, "schedules of %s %s", r->source, r->device);
        printf("%-48s | %6zu %8zu %6.3f %6.3f\n", label, count, variants, middle, ranks[0]);
    }
    free(ranks);
}

/* ---- traffic, where hardware counted it ----------------------------------------------------------- */

static const double CLOSE = 0.15;

static void print_traffic(const rows *all, const prediction *p)
{
    double *errors = malloc((all->count + 1) * sizeof *errors);
    size_t count = 0, close = 0;
    if (!errors)
        exit(1);
    for (size_t i = 0; i < all->count; i++) {
        const row *r = &all->items[i];
        int writes;
        double counted = counted_bytes(r, &writes), bytes = p[i].hbm_read + (writes ? p[i].hbm_written : 0);
        if (!(counted > 0) || p[i].what != PREDICTED)
            continue;
        if (count == 0)
            printf("\n%-80s | %9s %9s %6s\n", "HBM traffic, counted by hardware", "counted", "predicted", "ratio");
        char label[160];
        snprintf(label, sizeof label, "%s %s%s", r->source, r->shape, writes ? "" : ", fetched");
        printf("%-80.80s | %6.3f GB %6.3f GB %6.2f\n", label, counted / 1e9, bytes / 1e9, bytes / counted);
        errors[count] = fabs(bytes / counted - 1);
        close += errors[count++] <= CLOSE;
    }
    if (count)
        printf("\n%-48s | %8s %6s %6s\n%-48s | %8zu %6.1f %6.1f\n", "goals: HBM traffic", "variants", "share", "medAPE",
               "stencils within 15 % of the counters", count, 100 * (double)close / (double)count,
               100 * median(errors, count));
    free(errors);
}

void score_print(const rows *all, const prediction *p)
{
    static const char *const outcomes[OUTCOMES] = {
        "predicted", "without a time, or of no class", "on a device that kcost does not ship",
        "that kcost cannot express", "that do not run on the device",
    };
    size_t counted[OUTCOMES] = { 0 };
    for (size_t i = 0; i < all->count; i++)
        counted[p[i].what]++;
    print_by_source(all, p);
    print_by_duration(all, p);
    print_goals(all, p);
    print_ladders(all, p);
    print_traffic(all, p);
    printf("\nrows:");
    for (int i = 0; i < OUTCOMES; i++)
        printf("%s %zu %s", i ? "," : "", counted[i], outcomes[i]);
    puts("\nmedAPE and MAPE in percent; rank: Spearman's; bias: median of predicted / measured;"
         "\nshare: percent of the variants.");
}

double score_fit(const rows *all, const prediction *p, int constants)
{
    double sum = 0, count = 0;
    for (int kind = 0; kind < CLASSES; kind++) {
        const group g = { NULL, NULL, kind == MEMORY ? NULL : "fp16 bf16", NULL, (row_class)kind, 10, INFINITY };
        score s = choose(all, p, constants, false, in_group, &g);
        if (s.rows < 20)
            continue;
        sum += s.median * (double)s.rows;
        count += (double)s.rows;
    }
    return count > 0 ? sum / count : NAN;
}
