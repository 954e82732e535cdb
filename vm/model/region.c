/* region.c: where each node is needed: masks and padding, forward to what they kill, backward to what only
 * dead points would use; design, section 3 "Masks".
 *
 * Forward: a value's own limits are those of its inputs and of itself.  Backward:
 * a node is needed where some use of it is, so uses give alternatives.  Where a
 * reduction stands between, the loops that it ends are not those of the other
 * side: a limit that passes binds them, and then holds for some value of theirs.
 *
 * What a node's uses ask for, each by itself, are its ways; its regions are those
 * that are not part of another.  A pass that has some of the uses needs some of the
 * ways (need.c): the leads tell which way of an input a way of its user asks for. */
#include <string.h>

#include "build.h"
#include "tensor.h"

enum { MOST_WAYS = 32, MOST_LIMITS = 16 };

typedef struct limits {
    uint32_t ids[MOST_LIMITS];
    uint32_t count;
} limits;

typedef struct alternatives {
    limits sets[MOST_WAYS];
    uint32_t count;
} alternatives;

typedef struct regions {
    kci_graph *graph;
    const char *name;           /* of the kernel, for messages */
    uint32_t *own;              /* per node: an index into sets */
    uint32_t *demand;           /* per node: an index into demands; 0: none */
    limits *sets;
    alternatives *demands;
    size_t set_count, set_cap, demand_count, demand_cap;
    bool *crossing;             /* per node */
    uint32_t *uses;             /* per node: uses that are no write */
    kci_set virtual_dims, walked;   /* dims of fused-away tensors; loops of the indices that walk them */
} regions;

static kci_set limit_loops(const kci_graph *graph, const kci_limit *limit)
{
    return graph->axes[graph->axes[limit->axis].scope].loops & ~limit->bound;
}

/* a holds wherever b does: the same limit with fewer loops fixed. */
static bool implied(const kci_graph *graph, uint32_t a, uint32_t b)
{
    const kci_limit *x = &graph->limits[a], *y = &graph->limits[b];
    return x->axis == y->axis && x->lo == y->lo && x->hi == y->hi && x->hi_follows == y->hi_follows &&
           (x->kind == y->kind || (x->kind != KCI_MASK && y->kind == KCI_MASK)) && (y->bound & ~x->bound) == 0;
}

static bool add_limit(regions *r, limits *set, uint32_t id)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (implied(r->graph, id, set->ids[i]))
            return true;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (!implied(r->graph, set->ids[i], id))
            set->ids[kept++] = set->ids[i];
    set->count = kept;
    if (set->count == MOST_LIMITS) {
        kci_fail(r->graph->context, KC_EARGUMENT, "kernel '%.80s': more than %d masks and padded reads meet in one op",
                 r->name, MOST_LIMITS);
        return false;
    }
    uint32_t at = set->count++;
    while (at > 0 && set->ids[at - 1] > id) {
        set->ids[at] = set->ids[at - 1];
        at--;
    }
    set->ids[at] = id;
    return true;
}

/* The limit on the other side of a reduction over `ended`; UINT32_MAX: it says
 * nothing there. */
static uint32_t bind(regions *r, uint32_t id, kci_set ended)
{
    kci_limit limit = r->graph->limits[id];
    kci_set fixed = limit_loops(r->graph, &limit);
    if ((fixed & ~ended) == 0)
        return UINT32_MAX;
    if ((fixed & ended) == 0)
        return id;
    limit.bound |= fixed & ended;
    return kci_add_limit(r->graph, limit);
}

/* Adds the limits of `from` to `to`, but for those that speak of `lost` loops. */
static bool pass_on(regions *r, limits *to, const limits *from, kci_set ended, kci_set lost)
{
    for (uint32_t i = 0; i < from->count; i++) {
        if (limit_loops(r->graph, &r->graph->limits[from->ids[i]]) & lost)
            continue;
        uint32_t id = bind(r, from->ids[i], ended);
        if (id != UINT32_MAX && !add_limit(r, to, id))
            return false;
    }
    return true;
}

/* ---- forward -------------------------------------------------------------------- */

static bool forward(regions *r)
{
    kci_graph *graph = r->graph;
    size_t origin = 0; /* origins come in the order of their nodes */
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const kci_node *node = &graph->nodes[n];
        limits own = { .count = 0 };
        for (uint32_t e = 0; e < node->edges; e++) {
            uint32_t input = graph->edge_list[node->edge + e].node;
            kci_set lost = r->crossing[n] ? r->virtual_dims : 0; /* what is said of those stays behind them */
            if (r->own[input] &&
                !pass_on(r, &own, &r->sets[r->own[input]], kci_reduced_here(&graph->nodes[input]), lost))
                return false;
        }
        for (; origin < graph->origin_count && graph->origins[origin].node == n; origin++)
            if (!add_limit(r, &own, graph->origins[origin].limit))
                return false;
        r->own[n] = 0;
        if (own.count == 0)
            continue;
        if (!kci_reserve(graph->context, &r->sets, &r->set_cap, r->set_count + 1, sizeof own))
            return false;
        r->sets[r->set_count] = own;
        r->own[n] = (uint32_t)r->set_count++;
    }
    return true;
}

/* ---- backward ------------------------------------------------------------------- */

static bool too_many(const regions *r, int most)
{
    kci_fail(r->graph->context, KC_EARGUMENT, "kernel '%.80s': a value has uses under more than %d different masks", r->name,
             most);
    return false;
}

/* The number of `set` among the alternatives, added if it is new. */
static bool add_alternative(regions *r, alternatives *list, const limits *set, uint8_t *number)
{
    uint32_t i = 0;
    while (i < list->count && (list->sets[i].count != set->count ||
                               memcmp(list->sets[i].ids, set->ids, set->count * sizeof *set->ids) != 0))
        i++;
    if (i == MOST_WAYS)
        return too_many(r, MOST_WAYS);
    if (i == list->count)
        list->sets[list->count++] = *set;
    *number = (uint8_t)i;
    return true;
}

/* The ways of node n: its own limits under each alternative of its uses. */
static bool ways_of(regions *r, uint32_t n, alternatives *ways)
{
    static const limits none = { .count = 0 };
    const limits *own = r->own[n] ? &r->sets[r->own[n]] : &none;
    if (r->demand[n] == 0) {
        ways->sets[0] = *own;
        ways->count = 1;
        return true;
    }
    const alternatives *demand = &r->demands[r->demand[n]];
    ways->count = demand->count;
    for (uint32_t a = 0; a < demand->count; a++) {
        ways->sets[a] = demand->sets[a];
        for (uint32_t i = 0; i < own->count; i++)
            if (!add_limit(r, &ways->sets[a], own->ids[i]))
                return false;
    }
    return true;
}

/* Asks `input` for what each way of `user` needs of it; leads[a]: which alternative that is. */
static bool demand(regions *r, uint32_t user, uint32_t input, const alternatives *ways, uint8_t *leads)
{
    kci_set ended = kci_reduced_here(&r->graph->nodes[input]);
    kci_set lost = r->crossing[user] ? r->walked : 0; /* the reader's dims are not those behind it */
    if (r->demand[input] == 0) {
        if (!kci_reserve(r->graph->context, &r->demands, &r->demand_cap, r->demand_count + 1, sizeof *r->demands))
            return false;
        r->demands[r->demand_count].count = 0;
        r->demand[input] = (uint32_t)r->demand_count++;
    }
    for (uint32_t a = 0; a < ways->count; a++) {
        limits seen = { .count = 0 };
        if (!pass_on(r, &seen, &ways->sets[a], ended, lost) ||
            !add_alternative(r, &r->demands[r->demand[input]], &seen, &leads[a]))
            return false;
    }
    return true;
}

/* A written tensor is moved whole: a read of one takes no notice of a mask on two
 * dims that it has. */
static void move_whole(const kci_graph *graph, const kci_node *node, alternatives *ways)
{
    if (node->kind != KCI_READ || !graph->tensors[node->tensor].tensor->value)
        return;
    for (uint32_t a = 0; a < ways->count; a++) {
        limits *set = &ways->sets[a];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < set->count; i++) {
            const kci_limit *limit = &graph->limits[set->ids[i]];
            if (limit->kind != KCI_MASK || (limit_loops(graph, limit) & ~node->loops) || limit->bound)
                set->ids[kept++] = set->ids[i];
        }
        set->count = kept;
    }
}

/* All limits of a hold wherever those of b do. */
static bool hold_with(const kci_graph *graph, const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    bool all = true;
    for (uint32_t i = 0; i < a_count && all; i++) {
        all = false;
        for (uint32_t j = 0; j < b_count && !all; j++)
            all = implied(graph, a[i], b[j]);
    }
    return all;
}

bool kci_region_within(const kci_graph *graph, const kci_region *part, const kci_region *whole)
{
    return hold_with(graph, graph->limit_ids + whole->limit, whole->limits, graph->limit_ids + part->limit, part->limits);
}

static bool within(const kci_graph *graph, const limits *part, const limits *whole)
{
    return hold_with(graph, whole->ids, whole->count, part->ids, part->count);
}

/* Is way w part of another; of equal ones, of an earlier one? */
static bool within_another(const kci_graph *graph, const alternatives *ways, uint32_t w)
{
    bool found = false;
    for (uint32_t o = 0; o < ways->count && !found; o++)
        found = o != w && within(graph, &ways->sets[w], &ways->sets[o]) &&
                (o < w || !within(graph, &ways->sets[o], &ways->sets[w]));
    return found;
}

static bool store_ways(kci_graph *graph, kci_node *node, const alternatives *ways)
{
    node->way = (uint32_t)graph->region_count;
    node->ways = ways->count;
    for (uint32_t a = 0; a < ways->count; a++) {
        const limits *set = &ways->sets[a];
        if (!kci_reserve(graph->context, &graph->regions, &graph->region_cap, graph->region_count + 1,
                         sizeof *graph->regions) ||
            !kci_reserve(graph->context, &graph->limit_ids, &graph->limit_id_cap, graph->limit_id_count + set->count,
                         sizeof *graph->limit_ids))
            return false;
        graph->regions[graph->region_count++] = (kci_region){ (uint32_t)graph->limit_id_count, set->count };
        if (set->count)
            memcpy(graph->limit_ids + graph->limit_id_count, set->ids, set->count * sizeof *set->ids);
        graph->limit_id_count += set->count;
    }
    return true;
}

/* Keeps the ways of a node, and as its regions those that are not part of another. */
static bool store(regions *r, kci_node *node, alternatives *ways)
{
    kci_graph *graph = r->graph;
    uint32_t kept = 0, last = 0;
    move_whole(graph, node, ways);
    for (uint32_t a = 0; a < ways->count; a++)
        if (!within_another(graph, ways, a)) {
            last = a;
            kept++;
        }
    if (kept > KCI_MOST_REGIONS)
        return too_many(r, KCI_MOST_REGIONS);
    if (!store_ways(graph, node, ways))
        return false;
    bool everywhere = kept == 1 && ways->sets[last].count == 0;
    node->region = kept == ways->count ? node->way : (uint32_t)graph->region_count;
    node->regions = everywhere ? 0 : kept;
    for (uint32_t a = 0; a < ways->count && kept < ways->count && !everywhere; a++) {
        if (within_another(graph, ways, a))
            continue;
        if (!kci_reserve(graph->context, &graph->regions, &graph->region_cap, graph->region_count + 1,
                         sizeof *graph->regions))
            return false;
        graph->regions[graph->region_count++] = graph->regions[node->way + a];
    }
    return true;
}

/* Asks the inputs of node n for what it needs.  A write of a value that has other
 * uses needs what all of them do. */
static bool ask_inputs(regions *r, uint32_t n, const alternatives *ways)
{
    kci_graph *graph = r->graph;
    kci_node *node = &graph->nodes[n];
    node->lead = (uint32_t)graph->lead_count;
    size_t leads = (size_t)node->edges * ways->count;
    if (!kci_reserve(graph->context, &graph->leads, &graph->lead_cap, graph->lead_count + leads, sizeof *graph->leads))
        return false;
    graph->lead_count += leads;
    for (uint32_t e = 0; e < node->edges; e++) {
        uint32_t input = graph->edge_list[node->edge + e].node;
        uint8_t *lead = graph->leads + node->lead + (size_t)e * ways->count;
        if (node->kind == KCI_WRITE && r->uses[input] > 0)
            memset(lead, KCI_EVERY_WAY, ways->count);
        else if (!demand(r, n, input, ways, lead))
            return false;
    }
    return true;
}

static bool backward(regions *r)
{
    kci_graph *graph = r->graph;
    alternatives ways;
    for (uint32_t n = 0; n < graph->node_count; n++)
        if (graph->nodes[n].kind != KCI_WRITE && !(graph->nodes[n].flags & KCI_RESCALE))
            for (uint32_t e = 0; e < graph->nodes[n].edges; e++)
                r->uses[graph->edge_list[graph->nodes[n].edge + e].node]++;
    for (uint32_t n = (uint32_t)graph->node_count; n-- > 0;) {
        kci_node *node = &graph->nodes[n];
        if (node->flags & KCI_RESCALE)
            continue;
        if (!ways_of(r, n, &ways) || !store(r, node, &ways) || !ask_inputs(r, n, &ways))
            return false;
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        kci_node *node = &graph->nodes[n];
        if (!(node->flags & KCI_RESCALE))
            continue;
        /* an accumulator is rescaled where it is added to: alpha's second input, rescale's first */
        const kci_edge *edges = graph->edge_list + node->edge;
        uint32_t accumulator = graph->nodes[edges[0].node].flags & KCI_STATISTIC ? edges[1].node : edges[0].node;
        node->region = graph->nodes[accumulator].region;
        node->regions = graph->nodes[accumulator].regions;
    }
    return true;
}

/* The readers of written tensors, as alternatives of their writes. */
static bool take_demands(regions *r, const kci_demand *demands, size_t count)
{
    for (size_t d = 0; d < count; d++) {
        if (!kci_reserve(r->graph->context, &r->demands, &r->demand_cap, r->demand_count + 1, sizeof *r->demands))
            return false;
        alternatives *list = &r->demands[r->demand_count];
        list->count = 0;
        r->demand[demands[d].write] = (uint32_t)r->demand_count++;
        for (uint32_t a = 0; a < demands[d].alternatives; a++) {
            limits set = { .count = 0 };
            for (uint32_t i = 0; i < demands[d].sets[a].count; i++)
                if (!add_limit(r, &set, demands[d].sets[a].ids[i]))
                    return false;
            uint8_t number;
            if (!add_alternative(r, list, &set, &number))
                return false;
        }
    }
    return true;
}

kc_status kci_regions(kci_graph *graph, const char *name, const kci_demand *demands, size_t count)
{
    kc_context *context = graph->context;
    if (graph->origin_count == 0 && count == 0)
        return KC_OK;
    size_t nodes = graph->node_count;
    regions r = { .graph = graph, .name = name, .set_count = 1, .demand_count = 1 };
    graph->region_count = graph->limit_id_count = graph->lead_count = 0;
    r.own = kci_alloc(context, nodes * sizeof *r.own);
    r.demand = kci_alloc(context, nodes * sizeof *r.demand);
    r.crossing = kci_alloc(context, nodes * sizeof *r.crossing);
    r.uses = kci_alloc(context, nodes * sizeof *r.uses);
    bool ok = r.own && r.demand && r.crossing && r.uses;
    for (size_t i = 0; ok && i < graph->crossing_count; i++)
        r.crossing[graph->crossings[i]] = true;
    for (size_t v = 0; v < graph->virtual_count; v++) {
        r.virtual_dims |= KCI_BIT(KCI_MAX_LOOPS - 1 - (int)v);
        r.walked |= graph->axes[graph->virtuals[v].axis].loops;
    }
    ok = ok && take_demands(&r, demands, count) && forward(&r) && backward(&r);
    kci_free(context, r.own, nodes * sizeof *r.own);
    kci_free(context, r.demand, nodes * sizeof *r.demand);
    kci_free(context, r.crossing, nodes * sizeof *r.crossing);
    kci_free(context, r.uses, nodes * sizeof *r.uses);
    kci_free(context, r.sets, r.set_cap * sizeof *r.sets);
    kci_free(context, r.demands, r.demand_cap * sizeof *r.demands);
    return ok ? KC_OK : kc_context_status(context);
}
