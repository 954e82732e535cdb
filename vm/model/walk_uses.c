/* walk_uses.c: what of a node its uses in one pass need: a graph in which each node stands once for each pass that
 * does it.
 *
 * Its users in that pass are its users there; a later pass that finds it done uses
 * what was done before.  What is written serves every use, whatever pass that is in. */
#include <string.h>

#include "walker.h"

static const kci_node *node_at(const kci_walker *w, uint32_t i) { return &w->graph->nodes[i]; }

static const kci_edge *edge_at(const kci_walker *w, const kci_node *node, uint32_t i)
{
    return &w->graph->edge_list[node->edge + i];
}

static bool done(const kci_walker *w, uint32_t p, uint32_t n) { return w->exec[(size_t)p * w->nodes + n]; }

/* The pass whose node v a user in pass p finds: that pass, or the last one before that does it. */
static uint32_t serves(const kci_walker *w, uint32_t v, uint32_t p)
{
    while (p > 0 && !done(w, p, v))
        p--;
    return p;
}

static kc_status add_edge(kci_walker *w, uint32_t v, uint32_t p, bool running)
{
    kci_graph *uses = &w->uses;
    if (!kci_reserve(w->context, &uses->edge_list, &uses->edge_cap, uses->edge_count + 1, sizeof *uses->edge_list))
        return KC_ENOMEM;
    uses->edge_list[uses->edge_count++] = (kci_edge){ w->stands[(size_t)p * w->nodes + v], running };
    uses->nodes[uses->node_count - 1].edges++;
    return KC_OK;
}

/* The inputs of node u as pass p finds them; and those that are written in another pass. */
static kc_status add_edges(kci_walker *w, uint32_t u, uint32_t p)
{
    const kci_node *node = node_at(w, u);
    kc_status status = KC_OK;
    for (uint32_t e = 0; e < node->edges && status == KC_OK; e++) {
        uint32_t v = edge_at(w, node, e)->node;
        status = add_edge(w, v, serves(w, v, p), edge_at(w, node, e)->running);
    }
    for (uint32_t e = 0; e < node->edges && node->kind == KCI_OP && !(node->flags & KCI_RESCALE) && status == KC_OK; e++) {
        uint32_t v = edge_at(w, node, e)->node;
        status = kci_spend(w->context, "verify", w->nodes);
        for (uint32_t t = v + 1; t < w->nodes && status == KC_OK; t++) {
            const kci_node *write = node_at(w, t);
            uint32_t in = w->pass[t] - 1;
            if (write->kind == KCI_WRITE && edge_at(w, write, 0)->node == v && in < w->passes && done(w, in, t) &&
                serves(w, v, in) != serves(w, v, p))
                status = add_edge(w, v, serves(w, v, in), false);
        }
    }
    return status;
}

static kc_status add_node(kci_walker *w, uint32_t n, uint32_t p)
{
    kci_graph *uses = &w->uses;
    if (!kci_reserve(w->context, &uses->nodes, &uses->node_cap, uses->node_count + 1, sizeof *uses->nodes))
        return KC_ENOMEM;
    kci_node *node = &uses->nodes[uses->node_count];
    *node = *node_at(w, n);
    node->edge = (uint32_t)uses->edge_count;
    node->edges = node->regions = 0;
    w->stands[(size_t)p * w->nodes + n] = (uint32_t)uses->node_count++;
    for (size_t i = 0; i < w->graph->origin_count; i++)
        if (w->graph->origins[i].node == n) {
            if (!kci_reserve(w->context, &uses->origins, &uses->origin_cap, uses->origin_count + 1, sizeof *uses->origins))
                return KC_ENOMEM;
            uses->origins[uses->origin_count++] =
                (kci_limit_origin){ (uint32_t)uses->node_count - 1, w->graph->origins[i].limit };
        }
    for (size_t i = 0; i < w->graph->crossing_count; i++)
        if (w->graph->crossings[i] == n) {
            if (!kci_reserve(w->context, &uses->crossings, &uses->crossing_cap, uses->crossing_count + 1,
                             sizeof *uses->crossings))
                return KC_ENOMEM;
            uses->crossings[uses->crossing_count++] = (uint32_t)uses->node_count - 1;
        }
    return add_edges(w, n, p);
}

kc_status kci_walk_uses(kci_walker *w)
{
    size_t rows = (size_t)w->passes + 1; /* the last one: the kernel that combines partials */
    w->stands = kci_alloc(w->context, (rows * w->nodes + 1) * sizeof *w->stands);
    if (w->stands == NULL || !kci_graph_copy(&w->uses, w->graph, w->context))
        return KC_ENOMEM;
    kci_graph *uses = &w->uses;
    uses->node_count = uses->edge_count = uses->origin_count = uses->crossing_count = 0;
    kc_status status = KC_OK;
    for (uint32_t p = 0; p < rows; p++)
        for (uint32_t n = 0; n < w->nodes && status == KC_OK; n++)
            if (done(w, p, n))
                status = add_node(w, n, p);
    if (status == KC_OK)
        status = kci_regions(uses, "verify", NULL, 0);
    if (status != KC_OK)
        return status;
    w->table = kci_alloc(w->context, (uses->limit_id_count + 1) * sizeof *w->table);
    w->table_size = kci_alloc(w->context, (uses->limit_id_count + 1) * sizeof *w->table_size);
    return w->table == NULL || w->table_size == NULL ? KC_ENOMEM : KC_OK;
}

void kci_walk_uses_free(kci_walker *w)
{
    size_t ids = w->uses.limit_id_count + 1;
    for (size_t i = 0; i + 1 < ids && w->table != NULL && w->table_size != NULL; i++)
        kci_free(w->context, w->table[i], w->table_size[i]);
    kci_free(w->context, w->table, ids * sizeof *w->table);
    kci_free(w->context, w->table_size, ids * sizeof *w->table_size);
    kci_free(w->context, w->stands, (((size_t)w->passes + 1) * w->nodes + 1) * sizeof *w->stands);
    if (w->uses.context != NULL)
        kci_graph_free(&w->uses);
}
