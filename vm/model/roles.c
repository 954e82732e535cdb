/* roles.c: what a kernel's loops are to a library: batch, rows, columns, what is summed. */
#include "roles.h"

#include <math.h>

#include "roof.h"

static bool is_matmul(const kci_node *node)
{
    return node->kind == KCI_OP && (node->flags & KCI_MATMUL) && node->edges == 2;
}

static double points(kci_set loops, const double *sizes)
{
    double product = 1;
    for (KCI_EACH(i, loops))
        product *= sizes[i];
    return product;
}

static double widest_tensor(const kci_graph *graph)
{
    double bytes = 0;
    for (size_t t = 0; t < graph->tensor_count; t++)
        if (graph->tensors[t].tensor)
            bytes = fmax(bytes, graph->tensors[t].bytes);
    return bytes > 0 ? bytes : 4;
}

/* Bytes of the widest operand that is a read, else of the math format. */
static double operand_bytes(const kci_graph *graph)
{
    double bytes = 0;
    for (size_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].kind == KCI_READ)
            bytes = fmax(bytes, graph->tensors[graph->nodes[i].tensor].bytes);
    return bytes > 0 ? bytes : 2;
}

static kci_set operand_loops(const kci_graph *graph, const kci_node *matmul, uint32_t operand)
{
    return kci_value_loops(graph, &graph->nodes[graph->edge_list[matmul->edge + operand].node]);
}

/* The matmul that decides: the first whose rows or columns a later one contracts, else the first; NULL: none.
 * *later: what those after it contract. */
static const kci_node *leading_matmul(const kci_graph *graph, kci_set *later)
{
    const kci_node *leading = NULL;
    kci_set after = 0;
    bool chained = false;
    *later = 0;
    for (size_t i = graph->node_count; i-- > 0;) {
        const kci_node *node = &graph->nodes[i];
        if (!is_matmul(node))
            continue;
        kci_set free = (operand_loops(graph, node, 0) ^ operand_loops(graph, node, 1)) & ~node->reduced;
        if (!chained || (after & free)) {
            leading = node;
            *later = after;
            chained = after & free;
        }
        after |= node->reduced;
    }
    return leading;
}

kci_roles kci_roles_of(const kci_graph *graph, const kc_device *device, const double *sizes)
{
    kci_roles r = { .family = KCI_FAMILY_ELEMENTWISE, .element_bytes = widest_tensor(graph) };
    kci_set all = 0, later, added = 0;
    const kci_node *first = leading_matmul(graph, &later);
    bool reduces = false;
    for (size_t i = 0; i < graph->node_count; i++) {
        const kci_node *node = &graph->nodes[i];
        all |= node->loops;
        if (node->kind == KCI_READ)
            r.read |= node->loops;
        reduces = reduces || (node->kind == KCI_OP && node->reduced);
        if (!is_matmul(node))
            added |= kci_reduced_here(node);
    }
    if (!first) {
        r.family = reduces ? KCI_FAMILY_ROWS : KCI_FAMILY_ELEMENTWISE;
        for (size_t i = 0; i < graph->node_count; i++)
            r.k |= graph->nodes[i].reduced;
        r.m = all & ~r.k;
    } else {
        kci_set a = operand_loops(graph, first, 0), b = operand_loops(graph, first, 1);
        r.k = first->reduced;
        r.batch = a & b & ~r.k;
        r.chunks = r.batch & added;
        r.m = a & ~b & ~r.k;
        r.n = b & ~a & ~r.k;
        r.columns = (r.m | r.n) & added;
        r.family = later & (r.n | r.m) ? KCI_FAMILY_ATTENTION : KCI_FAMILY_MATMUL;
        if (r.family == KCI_FAMILY_ATTENTION && !(later & r.n)) { /* written the other way round */
            kci_set m = r.m;
            r.m = r.n;
            r.n = m;
        }
        r.element_bytes = operand_bytes(graph);
        kci_compute_roof roof;
        r.vector_unit = first->unit == KCI_VECTOR || kci_matrix_roof(device, first->math, false, &roof, NULL) != KC_OK ||
                        roof.unit == KCI_VECTOR;
    }
    r.m_size = points(r.m, sizes);
    r.n_size = points(r.n, sizes);
    r.k_size = points(r.k, sizes);
    return r;
}
