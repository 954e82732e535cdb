/* print.c: a kernel as pseudo-code: what is loaded where, in which pass. */
#include <string.h>

#include "kernels.h"
#include "object.h"
#include "plan.h"

typedef struct printer {
    kci_text *text;
    const kci_plan *plan;
    int pass;
    int loops[KCI_MAX_LOOPS + 1];   /* of the pass, outermost first, from 1 */
    int count;
} printer;

static void indent(printer *p, int depth)
{
    kci_text_add(p->text, "\n  ");
    for (int i = 0; i < depth; i++)
        kci_text_add(p->text, "  ");
}

static const char *loop_name(const printer *p, int loop)
{
    return kci_name(p->text->context, p->plan->graph->loops[loop].name);
}

static void print_loop(printer *p, int loop)
{
    kci_text_format(p->text, "%s: ", loop_name(p, loop));
    kci_text_number(p->text, p->plan->trips[loop]);
    kci_text_add(p->text, " x ");
    kci_text_number(p->text, p->plan->tile[loop]);
    if (p->plan->shares[loop] > 1) {
        kci_text_add(p->text, ", shared by ");
        kci_text_number(p->text, p->plan->shares[loop]);
        kci_text_add(p->text, " CTAs");
    }
    if (p->plan->tiling->stream && p->plan->tiling->stream_loop == loop)
        kci_text_add(p->text, ", all cores in equal shares");
}

static void print_axis(printer *p, uint32_t id)
{
    const kci_graph *graph = p->plan->graph;
    const kci_axis *axis = &graph->axes[id];
    kci_text_add(p->text, axis->gather ? "[" : "");
    for (uint32_t t = 0; t < axis->terms; t++) {
        const kci_loop_term *term = &graph->terms[axis->term + t];
        double a = term->coefficient;
        kci_text_add(p->text, axis->gather ? (t ? " " : "") : a < 0 ? "-" : t ? "+" : "");
        a = a < 0 ? -a : a;
        if (a != 1) {
            kci_text_number(p->text, a);
            kci_text_add(p->text, "*");
        }
        if (term->size_of >= 0)
            kci_text_format(p->text, "#%s*", loop_name(p, term->size_of));
        kci_text_add(p->text, loop_name(p, term->loop));
    }
    if (!axis->gather && (axis->constant != 0 || axis->terms == 0)) {
        kci_text_add(p->text, axis->constant >= 0 && axis->terms ? "+" : "");
        kci_text_number(p->text, axis->constant);
    }
    kci_text_add(p->text, axis->gather ? "]" : "");
}

static void print_axes(printer *p, uint32_t first, uint32_t count)
{
    kci_text_add(p->text, "[");
    for (uint32_t i = 0; i < count; i++) {
        kci_text_add(p->text, i ? " " : "");
        print_axis(p, p->plan->graph->axis_ids[first + i]);
    }
    kci_text_add(p->text, "]");
}

static void print_node(printer *p, uint32_t n)
{
    const kci_node *node = &p->plan->graph->nodes[n];
    kci_text_format(p->text, "%s%s", node->kind == KCI_READ ? "load " : node->kind == KCI_WRITE ? "store " : "", node->label);
    print_axes(p, node->axis, node->axes);
    if (node->reduced) {
        kci_text_add(p->text, node->flags & KCI_SCAN ? " along" : " over");
        for (size_t i = 0; i < p->plan->graph->loop_count; i++)
            if (node->reduced & KCI_BIT(i))
                kci_text_format(p->text, " %s", loop_name(p, (int)i));
    }
}

/* The pass loop after which a node comes; 0: it stands inside its own loops, or
 * waited for a reduction of an earlier pass. */
static int closed_at(const printer *p, uint32_t n)
{
    const kci_visit *visit = kci_visit_of(p->plan, n, p->pass);
    const uint8_t *last = p->plan->last + (size_t)n * (size_t)p->plan->reduced_count;
    for (int i = 1; i <= p->count; i++) {
        int loop = p->loops[i], column = p->plan->reduced_index[loop];
        bool earlier = column >= 0 && last[column] > 0 && last[column] < p->pass;
        if ((visit->closed & KCI_BIT(loop)) && !(visit->around & KCI_BIT(loop)) && !earlier)
            return i;
    }
    return 0;
}

static int level_of(const printer *p, uint32_t n)
{
    const kci_visit *visit = kci_visit_of(p->plan, n, p->pass);
    int level = 0;
    for (int i = 1; i <= p->count; i++)
        if (visit->around & KCI_BIT(p->loops[i]))
            level = i;
    return level;
}

static void print_level(printer *p, int level)
{
    size_t nodes = p->plan->graph->node_count;
    for (uint32_t n = 0; n < nodes; n++)
        if (kci_visit_of(p->plan, n, p->pass) && !closed_at(p, n) && level_of(p, n) == level) {
            indent(p, level + 1);
            print_node(p, n);
        }
    if (level == p->count)
        return;
    indent(p, level + 1);
    kci_text_add(p->text, "for ");
    print_loop(p, p->loops[level + 1]);
    print_level(p, level + 1);
    for (uint32_t n = 0; n < nodes; n++)
        if (kci_visit_of(p->plan, n, p->pass) && closed_at(p, n) == level + 1) {
            const kci_visit *visit = kci_visit_of(p->plan, n, p->pass);
            indent(p, level + 1);
            print_node(p, n);
            bool first = true;
            for (int i = level + 2; i <= p->count; i++)
                if (visit->around & KCI_BIT(p->loops[i])) {
                    kci_text_format(p->text, "%s %s", first ? " for each tile of" : "", loop_name(p, p->loops[i]));
                    first = false;
                }
        }
}

static void print_pass(printer *p)
{
    p->count = 0;
    for (int d = 1; d <= KCI_MAX_LOOPS; d++) {
        int loop = p->plan->loop_at[d];
        if (p->plan->looped && p->plan->depth[loop] == d && (p->plan->pass_loops[p->pass] & KCI_BIT(loop)))
            p->loops[++p->count] = loop;
    }
    if (p->plan->passes > 1) {
        indent(p, 0);
        kci_text_format(p->text, "pass %d", p->pass);
    }
    print_level(p, 0);
}

static void print_combined(printer *p)
{
    if (!p->plan->combined_over)
        return;
    indent(p, 0);
    kci_text_add(p->text, p->plan->tiling->atomic ? "combined by atomics" : "then one small kernel combines the partials");
    for (uint32_t n = 0; n < p->plan->graph->node_count; n++)
        if (p->plan->combined[n]) {
            indent(p, 1);
            print_node(p, n);
        }
}

/* CTAs that only share loops. */
static void print_shares(printer *p)
{
    double ctas = 1;
    for (size_t i = 0; i < p->plan->graph->loop_count; i++)
        ctas *= p->plan->shares[i];
    kci_text_add(p->text, " of ");
    if (ctas == 1) {
        kci_text_add(p->text, p->plan->tiling->stream ? "one tile" : "one CTA");
        return;
    }
    kci_text_number(p->text, ctas);
    kci_text_add(p->text, " CTAs along");
    for (size_t i = 0; i < p->plan->graph->loop_count; i++)
        if (p->plan->shares[i] > 1)
            kci_text_format(p->text, " %s", loop_name(p, (int)i));
}

/* The grid's dims, then those that are split as often as they have trips. */
static void print_grid(printer *p)
{
    const kci_tiling *tiling = p->plan->tiling;
    bool any = false;
    kci_text_add(p->text, "\n  grid");
    for (int i = 0; i < tiling->grid_count; i++)
        if (p->plan->grid & KCI_BIT(tiling->grid_order[i])) {
            kci_text_add(p->text, any ? ", " : " ");
            print_loop(p, tiling->grid_order[i]);
            any = true;
        }
    for (KCI_EACH(i, p->plan->grid & ~tiling->grid)) {
        kci_text_add(p->text, any ? ", " : " ");
        print_loop(p, (int)i);
        any = true;
    }
    if (!any)
        print_shares(p);
}

/* How the CTAs run, where it was said. */
static void print_options(printer *p)
{
    const kci_tiling *tiling = p->plan->tiling;
    for (size_t i = 0; i < p->plan->graph->loop_count; i++)
        if (tiling->cluster[i] > 1) {
            kci_text_add(p->text, "; clusters of ");
            kci_text_number(p->text, tiling->cluster[i]);
            kci_text_format(p->text, " along %s", loop_name(p, (int)i));
        }
    kci_text_add(p->text, tiling->persistent ? "; persistent" : "");
    if (tiling->path)
        kci_text_format(p->text, "; path %s", tiling->path);
}

static void print_tiled(kci_text *text, const kc_kernel *kernel)
{
    kci_plan *plan = kci_plan_new(&kernel->graph, kernel->tiling);
    double sizes[KCI_MAX_LOOPS];
    for (size_t i = 0; i < kernel->graph.loop_count; i++)
        sizes[i] = kernel->graph.loops[i].size;
    if (!plan) {
        text->failed = true;
        return;
    }
    if (!kci_plan_count(plan, sizes, NULL)) {
        kci_text_format(text, "\n  %s", kc_context_message(text->context));
        kci_plan_free(plan);
        return;
    }
    printer p = { .text = text, .plan = plan };
    print_grid(&p);
    print_options(&p);
    for (p.pass = 1; p.pass <= plan->passes; p.pass++)
        print_pass(&p);
    print_combined(&p);
    kci_plan_free(plan);
}

static void print_untiled(kci_text *text, const kc_kernel *kernel)
{
    kci_plan plan = { .graph = &kernel->graph };
    printer p = { .text = text, .plan = &plan };
    for (uint32_t n = 0; n < kernel->graph.node_count; n++) {
        indent(&p, 0);
        print_node(&p, n);
    }
}

void kci_print_kernel(kci_text *text, const kc_object *object)
{
    const kc_kernel *kernel = (const kc_kernel *)(const void *)object;
    if (kernel->member_count > 0) {
        kci_text_format(text, "group %s", kernel->name);
        for (size_t i = 0; i < kernel->member_count; i++) {
            kci_text_add(text, "\n");
            kci_print_kernel(text, &kernel->members[i]->base);
        }
        return;
    }
    kci_text_format(text, "kernel %s[", kernel->name);
    for (size_t i = 0; i < kernel->graph.loop_count; i++) {
        kci_text_format(text, "%s%s=", i ? " " : "", kci_name(text->context, kernel->graph.loops[i].name));
        kci_text_number(text, kernel->graph.loops[i].size);
    }
    const kci_comm *comm = &kernel->graph.comm;
    kci_text_add(text, kernel->tiling || comm->kind != KCI_NO_COMM ? "]" : "] untiled");
    if (comm->kind != KCI_NO_COMM)
        kci_text_format(text, " %s of %.0f ranks%s", kci_comm_name(comm), comm->ranks,
                        comm->kind == KCI_SENDRECV ? "" : comm->tree ? ", tree" : ", ring");
    if (kernel->tiling)
        print_tiled(text, kernel);
    else
        print_untiled(text, kernel);
}
