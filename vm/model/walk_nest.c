/* walk_nest.c: the walk's plan: in which passes what is done, which loops passes share, what loops are around.
 *
 * Design page, section 3, "Reductions need their end": a node that needs a
 * finished reduction over x and has x waits for the next pass; one that lacks x
 * runs when the loop over x has ended. */
#include <string.h>

#include "walker.h"

#define NEEDS(w, user, reduction) ((w)->needs[(size_t)(user) * (w)->nodes + (reduction)])
#define EXEC(w, pass, node) ((w)->exec[(size_t)(pass) * (w)->nodes + (node)])
#define COMBINE(w) ((w)->passes)    /* the row of EXEC after the passes */

static const kci_node *node_at(const kci_walker *w, uint32_t i) { return &w->graph->nodes[i]; }

static const kci_edge *edge_at(const kci_walker *w, const kci_node *node, uint32_t i)
{
    return &w->graph->edge_list[node->edge + i];
}

/* A reduction that has an end; a scan gives its values as it goes. */
bool kci_walk_reduces(const kci_node *node)
{
    return node->kind == KCI_OP && node->reduced != 0 && (node->flags & KCI_SCAN) == 0;
}

static kci_set value_loops(const kci_walker *w, const kci_node *node)
{
    kci_set loops = 0;
    for (uint32_t i = 0; i < node->outs; i++)
        loops |= w->graph->axes[w->graph->axis_ids[node->out + i]].loops;
    return loops;
}

/* Reduced over loops that several CTAs share: each has a part of it. */
bool kci_walk_partial(const kci_walker *w, uint32_t i)
{
    return kci_walk_reduces(node_at(w, i)) && (node_at(w, i)->reduced & (w->grid | w->split)) != 0;
}

static kc_status out_of_memory(kci_walker *w)
{
    return kci_fail(w->context, KC_ENOMEM, "verify: not enough memory");
}

/* What is done for one node looks at all: the context's watch is asked now and then. */
static kc_status goes_on(kci_walker *w)
{
    return kci_spend(w->context, "verify", w->nodes);
}

/* ---- what waits for what ----------------------------------------------- */

static kc_status find_needs(kci_walker *w)
{
    for (uint32_t u = 0; u < w->nodes; u++) {
        const kci_node *node = node_at(w, u);
        for (uint32_t e = 0; e < node->edges; e++) {
            const kci_edge *edge = edge_at(w, node, e);
            if (goes_on(w) != KC_OK)
                return KC_ELIMIT;
            for (uint32_t q = 0; q < w->nodes; q++)
                if (NEEDS(w, edge->node, q))
                    NEEDS(w, u, q) = 1;
            if (!edge->running && kci_walk_reduces(node_at(w, edge->node)))
                NEEDS(w, u, edge->node) = 1;
        }
        for (uint32_t q = 0; q < u; q++)
            if (NEEDS(w, u, q) && kci_walk_partial(w, q))
                w->behind[u] = 1;
    }
    for (uint32_t u = (uint32_t)w->nodes; u-- > 0;) {
        const kci_node *node = node_at(w, u);
        if ((node->kind == KCI_WRITE || (node->flags & KCI_RESCALE)) && !w->behind[u])
            w->in_main[u] = 1;
        for (uint32_t e = 0; e < node->edges; e++) {
            uint32_t v = edge_at(w, node, e)->node;
            if ((w->in_main[u] && !w->behind[v]) || (w->behind[u] && kci_walk_partial(w, v)))
                w->in_main[v] = 1;
        }
        /* The parts of what lies behind are made by the tiled kernel. */
        if (kci_walk_partial(w, u) && w->in_main[u])
            w->behind[u] = 0;
    }
    return KC_OK;
}

static kc_status find_passes(kci_walker *w)
{
    w->passes = 1;
    for (uint32_t u = 0; u < w->nodes; u++) {
        const kci_node *node = node_at(w, u);
        uint32_t pass = 1;
        if (goes_on(w) != KC_OK)
            return KC_ELIMIT;
        for (uint32_t e = 0; e < node->edges; e++) {
            uint32_t before = w->pass[edge_at(w, node, e)->node];
            if (before > pass)
                pass = before;
        }
        for (uint32_t q = 0; q < u; q++)
            if (NEEDS(w, u, q) && (node_at(w, q)->reduced & w->looped & node->loops) != 0 && w->pass[q] >= pass)
                pass = w->pass[q] + 1;
        w->pass[u] = pass;
        if (w->in_main[u] && pass > w->passes)
            w->passes = pass;
        w->survives[u] = kci_walk_reduces(node) &&
            ((value_loops(w, node) & w->looped) == 0 || (node->reduced & w->looped) != 0);
    }
    return KC_OK;
}

/* The first pass in which each node is done; the loops of each pass. */
static kc_status find_loops(kci_walker *w)
{
    uint32_t *first = kci_alloc(w->context, (w->nodes + 1) * sizeof *first);
    if (first == NULL)
        return out_of_memory(w);
    for (uint32_t u = (uint32_t)w->nodes; u-- > 0;) {
        const kci_node *node = node_at(w, u);
        if (!w->in_main[u])
            continue;
        if (w->survives[u] || first[u] == 0)
            first[u] = w->pass[u];
        if (node->kind != KCI_WRITE)
            w->pass_list[first[u] - 1].set |= node->loops & w->looped;
        for (uint32_t e = 0; e < node->edges; e++) {
            uint32_t v = edge_at(w, node, e)->node;
            if (first[v] == 0 || first[u] < first[v])
                first[v] = first[u];
        }
    }
    kci_free(w->context, first, (w->nodes + 1) * sizeof *first);
    for (uint32_t p = 0; p < w->passes; p++) {
        kci_walk_pass *pass = &w->pass_list[p];
        for (uint32_t i = 0; i < w->order_count; i++)
            if (pass->set & KCI_BIT(w->order[i]))
                pass->loop[pass->loops++] = w->order[i];
    }
    return KC_OK;
}

static uint32_t order_of(const kci_walker *w, int loop)
{
    uint32_t i = 0;
    while (i < w->order_count && w->order[i] != loop)
        i++;
    return i;
}

/* Loops in common of passes p1 < p2: what no pass between has left. */
static kci_set shared_loops(const kci_walker *w, uint32_t p1, uint32_t p2)
{
    uint32_t count = w->pass_list[p1].loops;
    for (uint32_t p = p1 + 1; p <= p2; p++)
        if (w->pass_list[p].shared < count)
            count = w->pass_list[p].shared;
    kci_set set = 0;
    for (uint32_t i = 0; i < count; i++)
        set |= KCI_BIT(w->pass_list[p1].loop[i]);
    return set;
}

static kc_status find_shared(kci_walker *w)
{
    for (uint32_t p = 1; p < w->passes; p++) {
        kci_walk_pass *pass = &w->pass_list[p];
        const kci_walk_pass *before = &w->pass_list[p - 1];
        uint32_t border = w->order_count;
        for (uint32_t u = 0; u < w->nodes; u++) {
            if (w->pass[u] != p + 1 || !w->in_main[u])
                continue;
            if (goes_on(w) != KC_OK)
                return KC_ELIMIT;
            for (uint32_t q = 0; q < u; q++) {
                if (!NEEDS(w, u, q) || w->pass[q] > p)
                    continue;
                kci_set waited = node_at(w, q)->reduced & w->looped & node_at(w, u)->loops;
                waited &= w->pass[q] == p ? ~(kci_set)0 : shared_loops(w, w->pass[q] - 1, p - 1);
                for (int l = 0; l < (int)w->graph->loop_count; l++)
                    if ((waited & KCI_BIT(l)) && order_of(w, l) < border)
                        border = order_of(w, l);
            }
        }
        pass->border = border < w->order_count ? KCI_BIT(w->order[border]) : 0;
        while (pass->shared < pass->loops && pass->shared < before->loops &&
               pass->loop[pass->shared] == before->loop[pass->shared] &&
               order_of(w, pass->loop[pass->shared]) < border)
            pass->shared++;
    }
    return KC_OK;
}

/* ---- what is around what ----------------------------------------------- */

/* Loops that have ended when the node runs in pass p: what it needs was reduced over
 * them, in this pass or before. */
static kci_set closed(const kci_walker *w, uint32_t u, uint32_t p)
{
    kci_set ended = 0;
    for (uint32_t q = 0; q < u; q++)
        if (NEEDS(w, u, q) && w->pass[q] <= p + 1)
            ended |= node_at(w, q)->reduced & w->looped;
    return ended & ~node_at(w, u)->loops & w->pass_list[p].set;
}

/* The loops of pass p down to the innermost one in `own`, less those ended. */
static kci_set down_to(const kci_walk_pass *pass, kci_set own, kci_set ended)
{
    kci_set set = 0, seen = 0;
    for (uint32_t i = 0; i < pass->loops; i++) {
        seen |= KCI_BIT(pass->loop[i]);
        if (own & KCI_BIT(pass->loop[i]))
            set = seen;
    }
    return set & ~ended;
}

static kci_set around_op(const kci_walker *w, uint32_t u, uint32_t p)
{
    const kci_node *node = node_at(w, u);
    kci_set own = node->loops | node->around, ended = closed(w, u, p);
    /* It repeats at least as often as what it needs completes, in loops that the two share. */
    for (uint32_t q = 0; q < u; q++) {
        uint32_t before = w->pass[q] - 1;
        if (!NEEDS(w, u, q) || before > p || before >= w->passes || (node_at(w, q)->reduced & w->looped) == 0)
            continue;
        kci_set around = w->around[q] & ~ended;
        own |= before == p ? around : around & shared_loops(w, before, p);
    }
    return down_to(&w->pass_list[p], own, ended);
}

/* What is around each reduction in its own pass. */
static kc_status find_around(kci_walker *w)
{
    for (uint32_t q = 0; q < w->nodes; q++) {
        if (!kci_walk_reduces(node_at(w, q)) || w->pass[q] > w->passes)
            continue;
        if (goes_on(w) != KC_OK)
            return KC_ELIMIT;
        w->around[q] = around_op(w, q, w->pass[q] - 1);
    }
    return KC_OK;
}

/* A node needed in several passes is done once for those that each share the loops
 * around it with the pass before, or begin where a loop ended whose end it came after. */
static bool served(const kci_walker *w, kci_set around, kci_set ended, uint32_t p1, uint32_t p2)
{
    bool all = true;
    for (uint32_t p = p1 + 1; p <= p2 && all; p++)
        all = (ended & w->pass_list[p].border) != 0 || (around & ~shared_loops(w, p - 1, p)) == 0;
    return all;
}

static kc_status find_ops(kci_walker *w)
{
    for (uint32_t u = (uint32_t)w->nodes; u-- > 0;) {
        const kci_node *node = node_at(w, u);
        if (node->kind == KCI_READ)
            continue;
        if (goes_on(w) != KC_OK)
            return KC_ELIMIT;
        if (node->kind == KCI_WRITE || (node->flags & KCI_RESCALE))
            EXEC(w, w->behind[u] ? COMBINE(w) : w->pass[u] - 1, u) = 1;
        bool parts = kci_walk_partial(w, u) && w->in_main[u];
        if (parts)
            EXEC(w, COMBINE(w), u) = 0;
        if ((parts || w->survives[u]) && w->in_main[u])
            for (uint32_t p = 0; p < w->passes; p++)
                EXEC(w, p, u) = p + 1 == w->pass[u];
        for (uint32_t p2 = 1; p2 < w->passes; p2++)
            for (uint32_t p1 = 0; p1 < p2 && EXEC(w, p2, u); p1++)
                if (EXEC(w, p1, u) && served(w, around_op(w, u, p1), closed(w, u, p1), p1, p2))
                    EXEC(w, p2, u) = 0;
        for (uint32_t e = 0; e < node->edges; e++)
            for (uint32_t p = 0; p <= w->passes; p++)
                if (EXEC(w, p, u))
                    EXEC(w, p, edge_at(w, node, e)->node) = 1;
    }
    return KC_OK;
}

/* ---- jobs -------------------------------------------------------------- */

static kci_job *add_job(kci_walker *w, uint32_t node, uint32_t p, kci_set around)
{
    if (w->job_count == w->job_capacity) {
        uint32_t more = w->job_capacity == 0 ? 64 : 2 * w->job_capacity;
        kci_job *jobs = kci_resize(w->context, w->jobs, w->job_capacity * sizeof *jobs, more * sizeof *jobs);
        if (jobs == NULL)
            return NULL;
        w->jobs = jobs;
        w->job_capacity = more;
    }
    kci_job *job = &w->jobs[w->job_count++];
    memset(job, 0, sizeof *job);
    job->node = node;
    job->around = around;
    if (p < w->passes) {
        const kci_walk_pass *pass = &w->pass_list[p];
        kci_set rest = around;
        while (job->depth < pass->loops && (around & KCI_BIT(pass->loop[job->depth])))
            rest &= ~KCI_BIT(pass->loop[job->depth++]);
        job->walks_on = rest != 0;
    }
    return job;
}

static bool add_member(kci_walker *w, uint32_t node)
{
    if (w->member_count == w->member_capacity) {
        uint32_t more = w->member_capacity == 0 ? 64 : 2 * w->member_capacity;
        uint32_t *members =
            kci_resize(w->context, w->members, w->member_capacity * sizeof *members, more * sizeof *members);
        if (members == NULL)
            return false;
        w->members = members;
        w->member_capacity = more;
    }
    w->members[w->member_count++] = node;
    return true;
}

static bool same_terms(const kci_walker *w, const kci_axis *a, const kci_axis *b)
{
    if (a->terms != b->terms)
        return false;
    for (uint32_t i = 0; i < a->terms; i++)
        if (w->graph->terms[a->term + i].loop != w->graph->terms[b->term + i].loop)
            return false;
    return true;
}

/* Reads of one tensor whose positions depend on the same loops are one read. */
static bool merges(const kci_walker *w, uint32_t a, uint32_t b, kci_set walked)
{
    const kci_node *x = node_at(w, a), *y = node_at(w, b);
    if (x->tensor != y->tensor || x->axes != y->axes || x->scale != y->scale)
        return false;
    for (uint32_t i = 0; i < x->axes; i++) {
        const kci_axis *ax = &w->graph->axes[w->graph->axis_ids[x->axis + i]];
        const kci_axis *ay = &w->graph->axes[w->graph->axis_ids[y->axis + i]];
        if (((ax->loops ^ ay->loops) & walked) != 0 || ax->gather != ay->gather)
            return false;
        if (ax->gather && !same_terms(w, ax, ay))
            return false;
    }
    return true;
}

bool kci_walk_held(const kci_walker *w, uint32_t u)
{
    int32_t tensor = node_at(w, u)->tensor;
    return w->tiling != NULL && w->tiling->held != NULL && tensor >= 0 && w->tiling->held[tensor];
}

/* What is around a merged read in pass p: a loop that ended for all of its users is not. */
static kc_status around_read(kci_walker *w, const unsigned char *taken, uint32_t p, kci_set *around, kci_set *all_ended)
{
    kci_set own = 0, ended = ~(kci_set)0;
    for (uint32_t r = 0; r < w->nodes; r++)
        if (taken[r])
            own |= node_at(w, r)->loops;
    for (uint32_t u = 0; u < w->nodes; u++) {
        const kci_node *node = node_at(w, u);
        for (uint32_t e = 0; e < node->edges; e++) {
            if (!taken[edge_at(w, node, e)->node] || !EXEC(w, p, u))
                continue;
            if (goes_on(w) != KC_OK)
                return KC_ELIMIT;
            ended &= closed(w, u, p);
        }
    }
    *all_ended = ended;
    *around = down_to(&w->pass_list[p], own, ended);
    return KC_OK;
}

/* What find_reads remembers, [pass][node]: whether a read was loaded there, inside
 * which loops, behind the end of which; and [node]: what it puts into one read. */
typedef struct loads {
    unsigned char *loaded, *taken;
    kci_set *around, *ended;
} loads;

static kc_status find_reads(kci_walker *w, uint32_t p, const loads *l)
{
    unsigned char *loaded = l->loaded, *taken = l->taken;
    size_t n = w->nodes;
    for (uint32_t r = 0; r < n; r++) {
        if (node_at(w, r)->kind != KCI_READ || !EXEC(w, p, r))
            continue;
        for (uint32_t p1 = 0; p1 < p && p < w->passes; p1++)
            if (loaded[p1 * n + r] && served(w, l->around[p1 * n + r], l->ended[p1 * n + r], p1, p))
                EXEC(w, p, r) = 0;
    }
    for (uint32_t r = 0; r < n; r++) {
        if (node_at(w, r)->kind != KCI_READ || !EXEC(w, p, r) || loaded[p * n + r])
            continue;
        if (goes_on(w) != KC_OK)
            return KC_ELIMIT;
        bool held = kci_walk_held(w, r) && p < w->passes;
        kci_set walked = p == COMBINE(w) ? 0 : w->grid | w->looped;
        uint32_t member = w->member_count, members = 0;
        memset(taken, 0, n);
        for (uint32_t s = 0; s < n; s++) {
            bool here = false;
            if (node_at(w, s)->kind == KCI_READ && !loaded[p * n + s] && merges(w, r, s, walked)) {
                here = EXEC(w, p, s);
                for (uint32_t p2 = p + 1; held && !here && p2 < w->passes; p2++)
                    here = EXEC(w, p2, s);  /* held across passes: it comes along now */
            }
            if (!here)
                continue;
            taken[s] = EXEC(w, p, s) = 1;
            members++;
            if (!add_member(w, s))
                return out_of_memory(w);
        }
        kci_set ended = 0, loops = 0;
        if (!held && p != COMBINE(w) && around_read(w, taken, p, &loops, &ended) != KC_OK)
            return KC_ELIMIT;
        for (uint32_t s = 0; s < n; s++)
            if (taken[s]) {
                loaded[p * n + s] = 1;
                l->around[p * n + s] = loops;
                l->ended[p * n + s] = ended;
            }
        kci_job *job = add_job(w, r, p, loops);
        if (job == NULL)
            return out_of_memory(w);
        job->member = member;
        job->members = members;
        job->held = held;
    }
    return KC_OK;
}

/* A rescaling happens only where some loop that it repeats with has trips in a CTA. */
static bool happens(const kci_walker *w, const kci_node *node)
{
    return (node->flags & KCI_RESCALE) == 0 || (node->around & w->looped) != 0;
}

static kc_status find_jobs(kci_walker *w)
{
    size_t rows = (size_t)w->passes + 1, n = w->nodes;
    loads l = { .loaded = kci_alloc(w->context, rows * n + 1), .taken = kci_alloc(w->context, n + 1),
                .around = kci_alloc(w->context, (rows * n + 1) * sizeof(kci_set)),
                .ended = kci_alloc(w->context, (rows * n + 1) * sizeof(kci_set)) };
    bool room = l.loaded != NULL && l.taken != NULL && l.around != NULL && l.ended != NULL;
    kc_status status = room ? KC_OK : out_of_memory(w);
    for (uint32_t p = 0; p <= w->passes && status == KC_OK; p++) {
        uint32_t job = w->job_count;
        status = find_reads(w, p, &l);
        for (uint32_t u = 0; u < n && status == KC_OK; u++) {
            if (node_at(w, u)->kind != KCI_OP || !EXEC(w, p, u) || !happens(w, node_at(w, u)))
                continue;
            status = goes_on(w);
            if (status == KC_OK && add_job(w, u, p, p == COMBINE(w) ? 0 : around_op(w, u, p)) == NULL)
                status = out_of_memory(w);
        }
        if (p == COMBINE(w)) {
            w->combine_job = job;
            w->combine_jobs = w->job_count - job;
        } else {
            w->pass_list[p].job = job;
            w->pass_list[p].jobs = w->job_count - job;
        }
    }
    kci_free(w->context, l.loaded, rows * n + 1);
    kci_free(w->context, l.taken, n + 1);
    kci_free(w->context, l.around, (rows * n + 1) * sizeof(kci_set));
    kci_free(w->context, l.ended, (rows * n + 1) * sizeof(kci_set));
    return status;
}

kc_status kci_walk_nest(kci_walker *w)
{
    kc_status status = find_needs(w);
    if (status == KC_OK)
        status = find_passes(w);
    if (status != KC_OK)
        return status;
    w->pass_list = kci_alloc(w->context, (w->passes + 1) * sizeof *w->pass_list);
    w->exec = kci_alloc(w->context, ((size_t)w->passes + 1) * w->nodes + 1);
    if (w->pass_list == NULL || w->exec == NULL)
        return out_of_memory(w);
    kc_status (*const steps[])(kci_walker *) = { find_loops, find_shared, find_around, find_ops, find_jobs, kci_walk_accumulators };
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == KC_OK; i++)
        status = steps[i](w);
    return status;
}
