/* verify.c: the walk held against the count, figure by figure; kc_verify. */
#include <math.h>
#include <stdio.h>

#include "program.h"
#include "walk.h"

enum { VERIFY_STEPS = 100000000 };

/* Equal to the byte; fractional costs and scales may round in the last digits. */
static bool same(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

typedef struct figure {
    const char *name;
    double walked, counted;
} figure;

static double sum_of(const double *figures, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += figures[i];
    return sum;
}

const char *kci_walk_differs(const kci_graph *graph, const kci_walk_result *walk, const kci_counts *counts,
                             char *name, size_t size, double *walked, double *counted)
{
    const figure figures[] = {
        { "ctas", walk->ctas, counts->ctas },
        { "passes", walk->passes, counts->passes },
        { "launches", walk->launches, counts->launches },
        { "vector flops", sum_of(walk->useful_vector, 2), sum_of(counts->useful_vector, 2) },
        { "f64 vector flops", walk->useful_vector[1], counts->useful_vector[1] },
        { "executed vector flops", sum_of(walk->executed_vector, 2), sum_of(counts->executed_vector, 2) },
        { "executed f64 vector flops", walk->executed_vector[1], counts->executed_vector[1] },
        { "special ops", walk->useful_special, counts->useful_special },
        { "executed special ops", walk->executed_special, counts->executed_special },
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!same(figures[i].walked, figures[i].counted)) {
            *walked = figures[i].walked;
            *counted = figures[i].counted;
            snprintf(name, size, "%s", figures[i].name);
            return name;
        }
    for (int f = 0; f < KCI_FORMATS; f++)
        for (int executed = 0; executed < 2; executed++) {
            *walked = executed ? walk->executed_matrix[f] : walk->useful_matrix[f];
            *counted = executed ? counts->executed_matrix[f] : counts->useful_matrix[f];
            if (same(*walked, *counted))
                continue;
            snprintf(name, size, "%s%s matrix flops", executed ? "executed " : "", kci_format_name((kci_format)f));
            return name;
        }
    for (size_t t = 0; t < graph->tensor_count; t++) {
        const kci_row *w = &walk->rows[t], *c = &counts->rows[t];
        const figure columns[] = {
            { "loads", w->loads, c->loads },
            { "compulsory bytes", w->compulsory, c->compulsory },
            { "bytes read", w->read, c->read },
            { "bytes written", w->written, c->written },
            { "spill bytes", w->spill, c->spill },
            { "split bytes", w->split, c->split },
            { "pass bytes", w->pass, c->pass },
            { "reload bytes", w->reload, c->reload },
        };
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            if (!same(columns[i].walked, columns[i].counted)) {
                *walked = columns[i].walked;
                *counted = columns[i].counted;
                snprintf(name, size, "%s of %.80s", columns[i].name, graph->tensors[t].name);
                return name;
            }
    }
    return NULL;
}

static kc_status verify_one(kc_kernel *kernel, double *steps)
{
    kc_context *context = kernel->base.context;
    const kci_graph *graph = &kernel->graph;
    double sizes[KCI_MAX_LOOPS] = { 0 }, walked, counted;
    char name[128];
    for (size_t l = 0; l < graph->loop_count; l++)
        sizes[l] = graph->loops[l].size;
    kci_plan *plan = kci_plan_new(graph, kernel->tiling);
    const kci_counts *counts = plan == NULL ? NULL : kci_plan_count(plan, sizes, NULL);
    kc_status status = counts == NULL ? kc_context_status(context) : KC_OK;
    kci_walk_result walk = { .rows = NULL };
    if (status == KC_OK)
        status = kci_walk(graph, kernel->tiling, NULL, NULL, VERIFY_STEPS - *steps, &walk);
    if (status == KC_OK && counts != NULL) {
        *steps += walk.steps;
        if (kci_walk_differs(graph, &walk, counts, name, sizeof name, &walked, &counted) != NULL) {
            char found[32], said[32];
            kci_format_number(walked, found);
            kci_format_number(counted, said);
            status = kci_fail(context, KC_EARGUMENT, "verify: kernel '%.80s': the walk finds %s %s, the count %s", kernel->name,
                              found, name, said);
        }
        kci_walk_free(&walk);
    }
    if (plan != NULL)
        kci_plan_free(plan);
    return status;
}

static kc_status verify(kc_kernel *kernel, double *steps)
{
    kc_status status = KC_OK;
    if (kernel->member_count == 0)
        return verify_one(kernel, steps);
    for (size_t i = 0; i < kernel->member_count && status == KC_OK; i++)
        status = verify(kernel->members[i], steps);
    return status;
}

kc_status kc_verify(kc_object *object, double *steps)
{
    double taken = 0;
    kc_kernel *kernel = kci_as_kernel(object, "verify", "kernel");
    if (kernel == NULL)
        return object == NULL ? KC_EARGUMENT : kc_context_status(object->context);
    kc_status status = verify(kernel, &taken);
    if (status == KC_OK && steps != NULL)
        *steps = taken;
    kc_release(kernel);
    return status;
}
