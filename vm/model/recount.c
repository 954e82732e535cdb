/* recount.c: a convention at work: on the costs of a graph, on the rows of its ledger. */
#include <math.h>
#include <string.h>

#include "convention.h"

/* ---- work --------------------------------------------------------------------- */

static bool begins(const char *text, const char *start)
{
    return text && strncmp(text, start, strlen(start)) == 0;
}

static bool is(const char *text, const char *other)
{
    return text && strcmp(text, other) == 0;
}

static void set_costs(kci_node *node, double flops)
{
    node->flops = flops;
    node->special = 0;
    node->out_flops = 0;
}

static void recost(const kci_convention *convention, kci_node *node)
{
    if (node->flags & KCI_MATMUL) {
        if (convention->multiply_add == KCI_FMA_1)
            node->flops /= 2;
        else if (convention->multiply_add == KCI_FMA_2K_1 && node->flops > 0)
            node->out_flops = -1;
        return;
    }
    if (convention->softmax >= 0 && begins(node->label, "softmax.")) {
        set_costs(node, is(node->label, "softmax.exp") ? convention->softmax : 0);
        return;
    }
    if (convention->norm >= 0 && (is(node->label, "norm") || begins(node->label, "norm."))) {
        set_costs(node, is(node->label, "norm") ? convention->norm : 0);
        return;
    }
    if (!convention->vector || (!convention->integers && kci_format_is_integer(node->format)))
        set_costs(node, 0);
    if (!convention->special)
        node->special = 0;
    if (convention->multiply_add == KCI_FMA_1 && is(node->label, "fma"))
        node->flops /= 2;
}

static bool ignored(const kci_convention *convention, const kci_limit *limit)
{
    if (limit->kind == KCI_PADDING)
        return convention->padding;
    if (convention->causal == KCI_CAUSAL_HALF)
        return limit->lo == -HUGE_VAL;
    return convention->causal == KCI_CAUSAL_FULL;
}

/* Regions may share their limit_ids, so the kept ones go to a new array. */
static kc_status drop_limits(const kci_convention *convention, kci_graph *graph)
{
    size_t ids = 0;
    for (size_t r = 0; r < graph->region_count; r++)
        ids += graph->regions[r].limits;
    uint32_t *kept = kci_alloc(graph->context, ids * sizeof *kept);
    bool *masked = kci_alloc(graph->context, graph->region_count); /* lost a mask */
    if (!kept || !masked) {
        kci_free(graph->context, kept, ids * sizeof *kept);
        kci_free(graph->context, masked, graph->region_count);
        return KC_ENOMEM;
    }
    uint32_t at = 0;
    for (size_t r = 0; r < graph->region_count; r++) {
        kci_region *region = &graph->regions[r];
        uint32_t start = at;
        for (uint32_t i = 0; i < region->limits; i++) {
            uint32_t id = graph->limit_ids[region->limit + i];
            if (!ignored(convention, &graph->limits[id]))
                kept[at++] = id;
            else if (graph->limits[id].kind != KCI_PADDING)
                masked[r] = true;
        }
        region->limit = start;
        region->limits = at - start;
    }
    for (size_t n = 0; n < graph->node_count; n++) {
        kci_node *node = &graph->nodes[n];
        bool everywhere = false, all_masked = node->regions > 0;
        for (uint32_t i = 0; i < node->regions; i++) {
            everywhere |= graph->regions[node->region + i].limits == 0;
            all_masked &= masked[node->region + i];
        }
        if (everywhere)
            node->regions = 0;
        if (all_masked && convention->causal == KCI_CAUSAL_HALF)
            node->share = 0.5;
    }
    kci_free(graph->context, masked, graph->region_count);
    kci_free(graph->context, graph->limit_ids, graph->limit_id_cap * sizeof *graph->limit_ids);
    graph->limit_ids = kept;
    graph->limit_id_count = graph->limit_id_cap = ids;
    return KC_OK;
}

kc_status kci_convention_apply(const kci_convention *convention, kci_graph *graph)
{
    for (size_t n = 0; n < graph->node_count; n++)
        if (graph->nodes[n].kind == KCI_OP)
            recost(convention, &graph->nodes[n]);
    if (graph->region_count > 0 && (convention->causal != KCI_CAUSAL_EXACT || convention->padding))
        return drop_limits(convention, graph);
    return KC_OK;
}

/* ---- traffic ------------------------------------------------------------------- */

/* What the uses of each node tell about the tensors that are read. */
typedef struct uses {
    bool used, only_second;         /* used, and only as a map's operand after the first */
    double spread;                  /* points of a map per element that it is read with */
} uses;

static double spread_of(const kci_graph *graph, const double *sizes, kci_set missing)
{
    double spread = 1;
    for (size_t i = 0; i < graph->loop_count; i++)
        if (missing & KCI_BIT(i))
            spread *= sizes[i];
    return spread;
}

/* From the last node to the first, so a node's own uses are known before its inputs'.
 * An elementwise op with one operand passes on what it is used as. */
static void find_uses(const kci_graph *graph, const double *sizes, uses *table)
{
    for (size_t n = 0; n < graph->node_count; n++)
        table[n] = (uses){ false, true, 1 };
    for (size_t n = graph->node_count; n-- > 0;) {
        const kci_node *node = &graph->nodes[n];
        bool map = node->kind == KCI_OP && (node->flags & KCI_ELEMENTWISE);
        for (uint32_t e = 0; e < node->edges; e++) {
            uint32_t from = graph->edge_list[node->edge + e].node;
            uses *input = &table[from];
            bool second = map && (e > 0 || (table[n].used && table[n].only_second));
            input->used = true;
            input->only_second &= second;
            if (map && node->edges > 1) {
                double spread = spread_of(graph, sizes, node->loops & ~graph->nodes[from].loops);
                if (spread > input->spread)
                    input->spread = spread;
            } else if (map && table[n].spread > input->spread) {
                input->spread = table[n].spread;
            }
        }
    }
}

static void scale_row(kci_row *row, double factor)
{
    row->read *= factor;
    row->written *= factor;
    row->compulsory *= factor;
    row->reload *= factor;
    row->pass *= factor;
    row->spill *= factor;
    row->split *= factor;
}

/* All reads of a tensor together: it is a second operand if each of them is. */
static void join_reads(const kci_graph *graph, const uses *nodes, uses *tensors)
{
    for (size_t t = 0; t < graph->tensor_count; t++)
        tensors[t] = (uses){ false, true, 1 };
    for (size_t n = 0; n < graph->node_count; n++) {
        const kci_node *node = &graph->nodes[n];
        if (node->kind != KCI_READ || node->tensor < 0)
            continue;
        uses *tensor = &tensors[node->tensor];
        tensor->used |= nodes[n].used;
        tensor->only_second &= nodes[n].used && nodes[n].only_second;
        if (nodes[n].spread > tensor->spread)
            tensor->spread = nodes[n].spread;
    }
}

kc_status kci_convention_rows(const kci_convention *convention, const kci_graph *graph,
                              const double *sizes, kci_row *rows)
{
    uses *nodes = NULL, *tensors = NULL;
    size_t size = (graph->node_count + graph->tensor_count) * sizeof *nodes;
    if (!convention->second_operands || convention->broadcast) {
        nodes = kci_alloc(graph->context, size);
        if (!nodes)
            return KC_ENOMEM;
        tensors = nodes + graph->node_count;
        find_uses(graph, sizes, nodes);
        join_reads(graph, nodes, tensors);
    }
    for (size_t t = 0; t < graph->tensor_count; t++) {
        const kci_tensor_use *use = &graph->tensors[t];
        kci_row *row = &rows[t];
        if (tensors && tensors[t].used && !use->written) {
            if (!convention->second_operands && tensors[t].only_second)
                scale_row(row, 0);
            else if (convention->broadcast)
                scale_row(row, tensors[t].spread);
        }
        if (!convention->scales && use->tensor) {
            kc_dtype *dtype = kc_tensor_dtype(use->tensor);
            double bytes = kci_dtype_bytes(dtype);
            if (bytes > 0)
                scale_row(row, dtype->bits / 8 / bytes);
            kc_release(dtype);
        }
        /* A written tensor's compulsory bytes are its final write. */
        if (convention->write_allocate && use->written && use->tensor) {
            row->read += row->compulsory;
            row->compulsory *= 2;
        }
    }
    kci_free(graph->context, nodes, size);
    return KC_OK;
}
