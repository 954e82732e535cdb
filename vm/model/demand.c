/* demand.c: what later kernels of a program need of a written tensor: useful work counts the points that some
 * live use needs, also through written tensors; design, section 3 "Masks". */
#include <string.h>

#include "build.h"
#include "demand.h"
#include "tensor.h"

enum { MOST_SETS = 4, MOST_BANDS = 4 };

/* The bands on a tensor's own dims under which one read needs it; *whole where an
 * alternative has none. */
typedef struct need {
    kci_band bands[MOST_SETS][MOST_BANDS];
    uint32_t counts[MOST_SETS], sets;
    bool whole;
} need;

/* The tensor's dim that a loop of the reader walks as it is; 0: none. */
static kci_symbol tensor_dim(const kci_graph *graph, const kci_node *read, const kc_tensor *tensor, int loop)
{
    for (uint32_t p = 0; p < read->axes; p++) {
        uint32_t id = graph->axis_ids[read->axis + p];
        if (kci_axis_is_plain(graph, id) && graph->terms[graph->axes[id].term].loop == loop &&
            graph->loops[loop].size == tensor->dims[p].size)
            return tensor->dims[p].name;
    }
    return 0;
}

static bool add_limit(need *n, const kci_graph *graph, const kci_node *read, const kc_tensor *tensor, uint32_t id)
{
    const kci_limit *limit = &graph->limits[id];
    const kci_axis *axis = &graph->axes[limit->axis];
    if (limit->kind == KCI_PADDING || limit->bound || axis->terms != 2)
        return true; /* says nothing of two dims of the tensor: dropped, so more is needed */
    kci_band band = { tensor_dim(graph, read, tensor, graph->terms[axis->term].loop),
                      tensor_dim(graph, read, tensor, graph->terms[axis->term + 1].loop), limit->lo, limit->hi,
                      limit->hi_follows };
    if (!band.q || !band.k || n->counts[n->sets] == MOST_BANDS)
        return true;
    n->bands[n->sets][n->counts[n->sets]++] = band;
    return true;
}

/* Adds what this read needs.  Its own region may have been widened, since a written
 * tensor moves whole: what its users need tells. */
static void add_read(need *n, const kci_graph *graph, uint32_t read)
{
    const kc_tensor *tensor = graph->tensors[graph->nodes[read].tensor].tensor;
    for (uint32_t u = read + 1; u < graph->node_count && !n->whole; u++) {
        const kci_node *user = &graph->nodes[u];
        bool uses = false;
        for (uint32_t e = 0; e < user->edges; e++)
            uses = uses || graph->edge_list[user->edge + e].node == read;
        if (!uses)
            continue;
        n->whole = user->regions == 0;
        for (uint32_t a = 0; a < user->regions && !n->whole; a++) {
            const kci_region *region = &graph->regions[user->region + a];
            if (n->sets == MOST_SETS) {
                n->whole = true;
                break;
            }
            n->counts[n->sets] = 0;
            for (uint32_t i = 0; i < region->limits; i++)
                add_limit(n, graph, &graph->nodes[read], tensor, graph->limit_ids[region->limit + i]);
            n->whole = n->counts[n->sets] == 0;
            n->sets++;
        }
    }
}

/* The loop of a written tensor's dim; -1: none. */
static int loop_of_dim(const kci_graph *graph, const kci_node *write, const kc_tensor *tensor, kci_symbol dim)
{
    for (uint32_t p = 0; p < write->axes; p++) {
        uint32_t id = graph->axis_ids[write->axis + p];
        if (tensor->dims[p].name == dim && kci_axis_is_plain(graph, id))
            return graph->terms[graph->axes[id].term].loop;
    }
    return -1;
}

/* A band as a limit of the writer's graph: the axis k - q, added if it is new. */
static uint32_t far_limit(kci_graph *graph, int q, int k, const kci_band *band)
{
    for (uint32_t a = 0; a < graph->axis_count; a++) {
        const kci_axis *axis = &graph->axes[a];
        const kci_loop_term *terms = graph->terms + axis->term;
        if (axis->terms == 2 && axis->constant == 0 && !axis->gather && terms[0].loop == q && terms[0].coefficient == -1 &&
            terms[1].loop == k && terms[1].coefficient == 1 && terms[1].size_of < 0)
            return kci_add_limit(graph, (kci_limit){ KCI_FAR, a, band->lo, band->hi, band->hi_follows, 0 });
    }
    uint32_t id = (uint32_t)graph->axis_count;
    if (!kci_reserve(graph->context, &graph->axes, &graph->axis_cap, graph->axis_count + 1, sizeof(kci_axis)) ||
        !kci_reserve(graph->context, &graph->terms, &graph->term_cap, graph->term_count + 2, sizeof(kci_loop_term)))
        return UINT32_MAX;
    graph->axes[graph->axis_count++] = (kci_axis){ .size = 1, .term = (uint32_t)graph->term_count, .terms = 2, .scope = id,
                                                   .loops = KCI_BIT(q) | KCI_BIT(k), .fixed = true };
    graph->terms[graph->term_count++] = (kci_loop_term){ -1, (int16_t)q, -1 };
    graph->terms[graph->term_count++] = (kci_loop_term){ 1, (int16_t)k, -1 };
    return kci_add_limit(graph, (kci_limit){ KCI_FAR, id, band->lo, band->hi, band->hi_follows, 0 });
}

/* Turns a need into alternatives of the write; false: no memory. */
static bool make_demand(kci_graph *graph, uint32_t write, const need *n, kci_demand *demand)
{
    const kci_node *node = &graph->nodes[write];
    const kc_tensor *tensor = graph->tensors[node->tensor].tensor;
    demand->write = write;
    demand->alternatives = 0;
    for (uint32_t s = 0; s < n->sets; s++) {
        uint32_t kept = 0;
        for (uint32_t b = 0; b < n->counts[s]; b++) {
            int q = loop_of_dim(graph, node, tensor, n->bands[s][b].q), k = loop_of_dim(graph, node, tensor, n->bands[s][b].k);
            if (q < 0 || k < 0)
                continue;
            uint32_t id = far_limit(graph, q, k, &n->bands[s][b]);
            if (id == UINT32_MAX)
                return false;
            demand->sets[s].ids[kept++] = id;
        }
        demand->sets[s].count = kept;
        demand->alternatives++;
    }
    return true;
}

kc_status kci_demand_from(kci_graph *graph, const char *name, kc_kernel *const *readers, size_t count, bool *changed)
{
    kci_demand *demands = kci_alloc(graph->context, graph->node_count * sizeof *demands);
    size_t demand_count = 0;
    kc_status status = demands ? KC_OK : KC_ENOMEM;
    *changed = false;
    for (uint32_t w = 0; w < graph->node_count && !status; w++) {
        if (graph->nodes[w].kind != KCI_WRITE)
            continue;
        const kc_tensor *tensor = graph->tensors[graph->nodes[w].tensor].tensor;
        need n = { .sets = 0, .whole = false };
        bool read = false;
        for (size_t k = 0; k < count && !n.whole && !status; k++) {
            const kci_graph *other = &readers[k]->graph;
            status = kci_spend(graph->context, "program", other->node_count);
            for (uint32_t r = 0; r < other->node_count && !n.whole; r++)
                if (other->nodes[r].kind == KCI_READ && other->tensors[other->nodes[r].tensor].tensor == tensor) {
                    read = true;
                    add_read(&n, other, r);
                }
        }
        if (status || !read || n.whole || n.sets == 0)
            continue;
        if (!make_demand(graph, w, &n, &demands[demand_count]))
            status = KC_ENOMEM;
        demand_count++;
    }
    if (!status && demand_count > 0) {
        status = kci_regions(graph, name, demands, demand_count);
        *changed = true;
    }
    kci_free(graph->context, demands, graph->node_count * sizeof *demands);
    return status;
}
