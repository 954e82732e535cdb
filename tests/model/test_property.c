/* test_property.c: the formulas against the walk, on random kernels: every figure, to the last byte.
 *
 * KCOST_RANDOM: how many kernels; KCOST_SEED: the first seed; KCOST_FAMILY: only
 * kernels of that family; KCOST_SHOWN: how many differences to show.  A difference prints the seed, the kernel and both
 * figures. */
#include "../unit.h"

#include "random_kernel.h"
#include "walk.h"

#define MOST_STEPS 200000.0

typedef struct tally {
    double most_shown;
    size_t drawn, refused, large, cannot_run, compared, failed;
} tally;

static void show(const tally *t, uint64_t seed, kc_kernel *kernel, const double *sizes, const double *tiles,
                 const char *what, double walked, double counted)
{
    if ((double)t->failed > t->most_shown)
        return;
    print_error("seed %llu: the walk finds %.17g %s, the count %.17g\n", (unsigned long long)seed, walked, what, counted);
    for (size_t l = 0; l < kernel->graph.loop_count; l++)
        print_error("  %s = %g, tile %g\n", kci_name(kernel->base.context, kernel->graph.loops[l].name), sizes[l],
                    tiles == NULL ? 0 : tiles[l]);
    const char *text = kc_object_text((kc_object *)kernel);
    print_error("%s\n", text == NULL ? "" : text);
}

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(1, fabs(b)); }

/* What must hold whatever the kernel; the first that does not, or NULL. */
static const char *broken(const kc_kernel *kernel, const kci_counts *c, double *got, double *want)
{
    double useful = c->useful_special, executed = c->executed_special;
    for (int f = 0; f < KCI_FORMATS; f++) {
        useful += c->useful_matrix[f];
        executed += c->executed_matrix[f];
        if (c->useful_matrix[f] > c->executed_matrix[f] * (1 + 1e-12)) {
            *got = c->useful_matrix[f];
            *want = c->executed_matrix[f];
            return "useful matrix flops within the executed ones";
        }
    }
    for (int v = 0; v < 2; v++) {
        useful += c->useful_vector[v];
        executed += c->executed_vector[v];
    }
    *got = useful;
    *want = executed;
    if (useful > executed * (1 + 1e-12))
        return "useful work within the executed work";
    for (size_t t = 0; t < kernel->graph.tensor_count; t++) {
        const kci_row *r = &c->rows[t];
        *got = r->compulsory + r->reload + r->pass + r->spill + r->split;
        *want = r->read + r->written;
        if (!close_to(*got, *want))
            return "causes that add up to the bytes of a tensor";
        *got = r->compulsory;
        if (r->compulsory > *want * (1 + 1e-12))
            return "compulsory bytes within the bytes of a tensor";
        *got = fmin(fmin(r->reload, r->pass), fmin(r->spill, r->split));
        *want = 0;
        if (*got < 0)
            return "causes that are not negative";
    }
    return NULL;
}

/* The totals of a public result are the sums of its rows. */
static const char *unequal_totals(kc_kernel *kernel, double *got, double *want)
{
    kc_result *result = kc_count((kc_object *)kernel, NULL);
    const char *what = result == NULL ? "counts through the public call" : NULL;
    double sums[3] = { 0, 0, 0 };
    const kc_field totals[3] = { KC_BYTES_READ, KC_BYTES_WRITTEN, KC_BYTES_MIN };
    const kc_ledger columns[3] = { KC_TENSOR_READ, KC_TENSOR_WRITTEN, KC_COMPULSORY };
    for (size_t t = 0; what == NULL && t < kc_result_tensors(result); t++)
        for (int i = 0; i < 3; i++)
            sums[i] += kc_result_tensor_number(result, t, columns[i]);
    for (int i = 0; what == NULL && i < 3; i++) {
        *got = 0;
        *want = sums[i];
        if (kc_result_number(result, totals[i], got) != KC_OK || !close_to(*got, *want))
            what = kc_field_name(totals[i]);
    }
    kc_release(result);
    return what;
}

static void compare(tally *t, uint64_t seed, kc_kernel *kernel, kci_plan *plan, const double *sizes,
                    const double *tiles)
{
    const kci_graph *graph = &kernel->graph;
    kc_context *context = kernel->base.context;
    kci_walk_result walk;
    double walked = 0, counted = 0;
    char name[128];
    const kci_counts *counts = kci_plan_count(plan, sizes, tiles);
    kc_status counting = counts == NULL ? kc_context_status(context) : KC_OK;
    kc_status walking = kci_walk(graph, kernel->tiling, sizes, tiles, MOST_STEPS, &walk);
    const char *what = NULL;
    if (walking == KC_ELIMIT) {
        t->large++;
        return;
    }
    if (walking != counting) {
        what = "as its status (0: it runs)";
        walked = walking;
        counted = counting;
    } else if (walking != KC_OK) {
        t->cannot_run++;
        return;
    } else {
        what = kci_walk_differs(graph, &walk, counts, name, sizeof name, &walked, &counted);
        if (what == NULL)
            what = broken(kernel, counts, &walked, &counted);
    }
    t->compared++;
    if (what != NULL) {
        t->failed++;
        show(t, seed, kernel, sizes, tiles, what, walked, counted);
        if ((double)t->failed <= t->most_shown && walking != counting)
            print_error("%s\n", kc_context_message(context));
    }
    kci_walk_free(&walk);
}

/* Whether two readers may stretch one fused-away tensor by different steps: then
 * the sizes of its dims, of which there is one each, can follow only one of them. */
static bool stretched_twice(const kci_graph *graph)
{
    bool twice = false;
    for (size_t v = 0; v < graph->virtual_count; v++)
        for (size_t o = 0; o < v; o++)
            twice = twice || strcmp(graph->virtuals[v].name, graph->virtuals[o].name) == 0;
    for (size_t n = 0; n < graph->node_count && graph->virtual_count > 0; n++)
        twice = twice || (graph->nodes[n].kind == KCI_OP && graph->nodes[n].twin != n);
    return twice;
}

/* As built; then the same plan at other tiles; then at other sizes. */
static void try_kernel(tally *t, uint64_t seed, kc_kernel *kernel)
{
    const kci_graph *graph = &kernel->graph;
    double sizes[KCI_MAX_LOOPS] = { 0 }, tiles[KCI_MAX_LOOPS] = { 0 }, got = 0, want = 0;
    uint64_t state = seed;
    kci_plan *plan = kci_plan_new(graph, kernel->tiling);
    assert_non_null(plan);
    for (size_t l = 0; l < graph->loop_count; l++)
        sizes[l] = graph->loops[l].size;
    size_t failed = t->failed;
    compare(t, seed, kernel, plan, sizes, NULL);
    if (t->failed == failed && seed % 8 == 0 && kci_plan_count(plan, sizes, NULL) != NULL) {
        const char *what = unequal_totals(kernel, &got, &want);
        if (what != NULL) {
            t->failed++;
            show(t, seed, kernel, sizes, NULL, what, got, want);
        }
    }
    for (int change = 0; change < 2 && t->failed == failed && kernel->tiling != NULL; change++) {
        if (change == 1 && stretched_twice(graph))
            break;
        for (size_t l = 0; l < graph->loop_count; l++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            if (change == 1 && (state >> 60) < 6)
                sizes[l] += (double)(state >> 40 & 3);
            tiles[l] = 1 + (double)((state >> 33) % (uint64_t)sizes[l]);
        }
        compare(t, seed, kernel, plan, sizes, tiles);
    }
    kci_plan_free(plan);
}

TEST(the_count_equals_the_walk_on_random_kernels)
{
    double count = environment_number("KCOST_RANDOM", 20000);
    uint64_t first = (uint64_t)environment_number("KCOST_SEED", 1);
    int family = (int)environment_number("KCOST_FAMILY", -1);
    tally t = { .most_shown = environment_number("KCOST_SHOWN", 3) };
    for (uint64_t seed = first; (double)(t.drawn - t.refused) < count && (double)t.drawn < 3 * count + 10; seed++) {
        kc_context *context = kc_context_new(NULL, NULL);
        kc_kernel *kernel = family < 0 ? random_kernel(context, seed) : random_kernel_of(context, seed, family);
        t.drawn++;
        if (kernel == NULL) {
            t.refused++;
            assert_int_equal(kc_context_status(context), KC_EARGUMENT);
        } else {
            try_kernel(&t, seed, kernel);
        }
        kc_release(kernel);
        kc_context_free(context);
    }
    print_message("%zu kernels drawn, %zu refused by the language; %zu comparisons, %zu too large, %zu that cannot run\n",
                  t.drawn, t.refused, t.compared, t.large, t.cannot_run);
    assert_true((double)t.compared >= count);
    assert_int_equal(t.failed, 0);
}

TEST(the_same_seed_gives_the_same_kernel)
{
    for (uint64_t seed = 1; seed < 40; seed++) {
        kc_context *one = kc_context_new(NULL, NULL), *two = kc_context_new(NULL, NULL);
        kc_kernel *a = random_kernel(one, seed), *b = random_kernel(two, seed);
        assert_true((a == NULL) == (b == NULL));
        if (a != NULL)
            assert_text(kc_object_text((kc_object *)a), kc_object_text((kc_object *)b));
        kc_release(a);
        kc_release(b);
        kc_context_free(one);
        kc_context_free(two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_count_equals_the_walk_on_random_kernels),
        cmocka_unit_test(the_same_seed_gives_the_same_kernel),
    };
    return run(tests);
}
