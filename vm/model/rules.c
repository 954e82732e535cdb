/* rules.c: which kernels of a sequence a compiler would join: what a kernel does, and the groups that rules propose. */
#include "rules.h"

/* ---- what a kernel does --------------------------------------------------------------- */

/* What stands behind each node: KCI_DOES_MATMUL; KCI_GIVES_PROBABILITIES and KCI_SCORES_ITSELF as of a kernel
 * that would write the node. */
static unsigned behind(const kci_graph *graph, const kci_node *node, const unsigned *of)
{
    unsigned found = 0;
    for (uint32_t e = 0; e < node->edges; e++)
        found |= of[graph->edge_list[node->edge + e].node];
    if (node->flags & KCI_MATMUL)
        return KCI_DOES_MATMUL;
    if (node->flags & KCI_EXPONENTIAL)
        found |= KCI_GIVES_PROBABILITIES | (found & KCI_DOES_MATMUL ? KCI_SCORES_ITSELF : 0u);
    return kci_reduced_here(node) ? found & KCI_DOES_MATMUL : found;
}

/* Is it the exponential of a softmax that waits for the whole row's maximum? */
static bool waits(const kci_graph *graph, const kci_node *node)
{
    bool found = false;
    for (uint32_t e = 0; e < node->edges && node->flags & KCI_EXPONENTIAL; e++) {
        const kci_edge *edge = &graph->edge_list[node->edge + e];
        const kci_node *input = &graph->nodes[edge->node];
        found = found || (kci_reduced_here(input) && !(input->flags & KCI_MATMUL) && !edge->running);
    }
    return found;
}

kc_status kci_kernel_does(const kc_kernel *kernel, unsigned *does)
{
    const kci_graph *graph = &kernel->graph;
    unsigned *of = kci_alloc(kernel->base.context, graph->node_count * sizeof *of);
    *does = 0;
    if (!of)
        return KC_ENOMEM;
    for (size_t i = 0; i < graph->node_count; i++) {
        const kci_node *node = &graph->nodes[i];
        of[i] = behind(graph, node, of);
        if (node->flags & KCI_MATMUL)
            *does |= KCI_DOES_MATMUL;
        else if (node->reduced)
            *does |= KCI_DOES_ROWS;
        if (node->kind == KCI_WRITE)
            *does |= of[i] & (KCI_GIVES_PROBABILITIES | KCI_SCORES_ITSELF);
        if (waits(graph, node))
            *does |= KCI_WHOLE_ROWS;
    }
    kci_free(kernel->base.context, of, graph->node_count * sizeof *of);
    return KC_OK;
}

/* ---- who reads from whom ------------------------------------------------------------------ */

static kc_status add_edge(kci_edges *edges, kc_context *context, size_t item, size_t from)
{
    size_t at = edges->first[item];
    while (at < edges->count && edges->from[at] < from)
        at++;
    if (at < edges->count && edges->from[at] == from)
        return KC_OK;
    if (!kci_reserve(context, &edges->from, &edges->capacity, edges->count + 1, sizeof *edges->from))
        return KC_ENOMEM;
    for (size_t i = edges->count++; i > at; i--)
        edges->from[i] = edges->from[i - 1];
    edges->from[at] = from;
    return KC_OK;
}

/* The items, + 1, that wrote each name last: whole, and any part of it. */
typedef struct writers {
    size_t *whole, *part;
} writers;

static kc_status add_item(kci_edges *edges, const kci_flow *flow, const kci_item *item, size_t at, writers *last)
{
    kc_status status = KC_OK;
    for (size_t r = 0; r < item->reads.count; r++) {
        uint32_t name = item->reads.list[r].name, base = flow->names[name].base;
        const size_t from[] = { last->whole[name], last->whole[base], last->part[name] };
        for (size_t i = 0; i < sizeof from / sizeof *from && !status; i++)
            if (from[i])
                status = add_edge(edges, flow->context, at, from[i] - 1);
    }
    for (size_t w = 0; w < item->writes.count; w++) {
        uint32_t name = item->writes.list[w].name, base = flow->names[name].base;
        last->whole[name] = at + 1;
        if (base != name)
            last->part[base] = at + 1;
    }
    return status;
}

kc_status kci_edges_make(kci_edges *edges, const kci_flow *flow, const kci_sequence *sequence)
{
    kc_context *context = flow->context;
    writers last = { kci_alloc(context, flow->name_count * sizeof *last.whole), kci_alloc(context, flow->name_count * sizeof *last.part) };
    edges->items = sequence->count;
    edges->first = kci_alloc(context, (sequence->count + 1) * sizeof *edges->first);
    kc_status status = last.whole && last.part && edges->first ? KC_OK : KC_ENOMEM;
    for (size_t i = 0; i < sequence->count && !status; i++) {
        edges->first[i] = edges->count;
        if (!sequence->beside) /* those run at the same time: none waits for another */
            status = add_item(edges, flow, &sequence->items[i], i, &last);
    }
    if (!status)
        edges->first[sequence->count] = edges->count;
    kci_free(context, last.whole, flow->name_count * sizeof *last.whole);
    kci_free(context, last.part, flow->name_count * sizeof *last.part);
    return status;
}

void kci_edges_free(kci_edges *edges, kc_context *context)
{
    kci_free(context, edges->first, (edges->items + 1) * sizeof *edges->first);
    kci_free(context, edges->from, edges->capacity * sizeof *edges->from);
}

/* ---- the rules ------------------------------------------------------------------------------ */

bool kci_may_fuse(const kci_sequence *sequence, size_t item)
{
    const kci_item *i = &sequence->items[item];
    return i->kernel && i->times == 1 && !sequence->frozen && !i->kernel->member_count && i->kernel->graph.comm.kind == KCI_NO_COMM;
}

static const char *pair_rule(unsigned writer, unsigned reader)
{
    unsigned heavy = KCI_DOES_MATMUL | KCI_DOES_ROWS;
    if ((reader & heavy) == 0)
        return "epilogue";
    if ((reader & KCI_DOES_MATMUL) == 0)
        return "norm";
    if ((writer & KCI_DOES_MATMUL) == 0)
        return "prologue";
    return writer & KCI_SCORES_ITSELF ? "attention" : NULL;
}

typedef struct members {
    size_t list[KCI_MOST_MEMBERS];
    size_t count;
} members;

static bool has(const members *m, size_t item)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i] == item)
            return true;
    return false;
}

/* Keeps launch order.  False: there are too many, or it is there already. */
static bool add(members *m, size_t item)
{
    if (m->count == KCI_MOST_MEMBERS || has(m, item))
        return false;
    size_t at = m->count++;
    for (; at > 0 && m->list[at - 1] > item; at--)
        m->list[at] = m->list[at - 1];
    m->list[at] = item;
    return true;
}

/* From the softmax back through elementwise work to the matmuls that made the scores; is there one? */
static bool add_scores(const kci_sequence *sequence, const kci_edges *edges, size_t softmax, members *group)
{
    members open = { .count = 0 }; /* whose producers are still to be looked at */
    bool scored = false;
    add(&open, softmax);
    for (size_t i = 0; i < open.count; i++) { /* what is added stands before: begin again */
        size_t item = open.list[i];
        bool more = false;
        for (size_t e = edges->first[item]; e < edges->first[item + 1]; e++) {
            size_t from = edges->from[e];
            if (!kci_may_fuse(sequence, from) || has(group, from))
                continue;
            bool matmul = sequence->items[from].does & KCI_DOES_MATMUL;
            if (sequence->items[from].does && !matmul)
                continue;
            scored = (add(group, from) && matmul) || scored;
            more = (!matmul && add(&open, from)) || more;
        }
        if (more)
            i = SIZE_MAX;
    }
    return scored;
}

/* From the softmax on through elementwise work to the matmuls that read the probabilities; is there one? */
static bool add_products(const kci_sequence *sequence, const kci_edges *edges, size_t softmax, members *group)
{
    members probabilities = { .count = 0 };
    bool multiplied = false;
    add(&probabilities, softmax);
    for (size_t i = softmax + 1; i < sequence->count; i++) {
        bool reads = false;
        for (size_t e = edges->first[i]; e < edges->first[i + 1]; e++)
            reads = reads || has(&probabilities, edges->from[e]);
        bool matmul = sequence->items[i].does & KCI_DOES_MATMUL;
        if (!reads || !kci_may_fuse(sequence, i) || (sequence->items[i].does && !matmul))
            continue;
        multiplied = (add(group, i) && matmul) || multiplied;
        if (!matmul)
            add(&probabilities, i);
    }
    return multiplied;
}

static kc_status propose_attention(const kci_sequence *sequence, const kci_edges *edges, size_t softmax, kci_propose propose,
                                   void *data)
{
    members group = { .count = 0 };
    unsigned does = sequence->items[softmax].does;
    if (!kci_may_fuse(sequence, softmax) || !(does & KCI_GIVES_PROBABILITIES))
        return KC_OK;
    add(&group, softmax);
    bool scored = does & KCI_SCORES_ITSELF || add_scores(sequence, edges, softmax, &group);
    if (!scored || !add_products(sequence, edges, softmax, &group) || group.count == 2)
        return KC_OK; /* a pair is proposed as such */
    return propose(data, "attention", group.list, group.count);
}

/* Elementwise work with all kernels that it reads from: a gate and what it multiplies. */
static kc_status propose_producers(const kci_sequence *sequence, const kci_edges *edges, size_t item, kci_propose propose,
                                   void *data)
{
    members group = { .count = 0 };
    if (!kci_may_fuse(sequence, item) || sequence->items[item].does)
        return KC_OK;
    for (size_t e = edges->first[item]; e < edges->first[item + 1]; e++)
        if (kci_may_fuse(sequence, edges->from[e]))
            add(&group, edges->from[e]);
    return group.count < 2 || !add(&group, item) ? KC_OK : propose(data, "epilogue", group.list, group.count);
}

kc_status kci_rules(const kci_sequence *sequence, const kci_edges *edges, kci_propose propose, void *data)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < sequence->count && !status; i++) {
        status = propose_attention(sequence, edges, i, propose, data);
        if (!status)
            status = propose_producers(sequence, edges, i, propose, data);
        for (size_t e = edges->first[i]; e < edges->first[i + 1] && !status; e++) {
            const size_t pair[] = { edges->from[e], i };
            bool may = kci_may_fuse(sequence, pair[0]) && kci_may_fuse(sequence, i);
            status = propose(data, may ? pair_rule(sequence->items[pair[0]].does, sequence->items[i].does) : NULL, pair, 2);
        }
    }
    return status;
}
