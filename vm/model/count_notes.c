/* count_notes.c: what is to be said of how a kernel counts: causes of bytes, work beyond the useful, padding, tiles. */
#include "count_notes.h"

#include <math.h>
#include <stdio.h>

#include "fields.h"
#include "plan.h"
#include "si.h"
#include "tensor.h"

typedef struct counted {
    const kci_plan *plan;
    const kci_counts *counts;
    const double *sizes;
    kci_notes *notes;
} counted;

static const char *loop_name(const counted *w, int loop)
{
    return kci_name(w->notes->context, w->plan->graph->loops[loop].name);
}

static kc_status note_bytes(kci_notes *notes, const char *format, const char *name, double bytes)
{
    char amount[KCI_SI_BYTES];
    kci_si(amount, bytes, "B");
    char sentence[400];
    snprintf(sentence, sizeof sentence, format, name, amount);
    return kci_note(notes, "%s", sentence);
}

static kc_status note_causes(const counted *w)
{
    kci_notes *notes = w->notes;
    kc_status status = KC_OK;
    for (size_t t = 0; t < w->plan->graph->tensor_count && status == KC_OK; t++) {
        const kci_row *row = &w->counts->rows[t];
        const char *name = w->plan->graph->tensors[t].name;
        if (row->spill > 0)
            status = note_bytes(notes, "%.200s is left unfinished and comes back: %s of spills", name, row->spill);
        if (status == KC_OK && row->split > 0)
            status = note_bytes(notes, "%.200s has a partial per CTA of a reduced dim: %s to combine them", name,
                                row->split);
        if (status == KC_OK && row->pass > 0)
            status = note_bytes(notes, "%.200s is read again by a later pass: %s", name, row->pass);
    }
    return status;
}

static kc_status note_work(const counted *w)
{
    kci_totals useful = kci_useful_work(w->counts), executed = kci_executed_work(w->counts);
    double u = useful.matrix + useful.vector + useful.special;
    double e = executed.matrix + executed.vector + executed.special;
    if (!(u > 0 && e > 1.005 * u))
        return KC_OK;
    char ratio[KCI_SI_BYTES];
    kci_significant(ratio, e / u, 3);
    return kci_note(w->notes,
                    "executed work is %s times the useful work: recomputation, padded tiles or masked parts", ratio);
}

/* More CTAs than a loop has trips: each trip gets one, and the others do not start. */
static kc_status note_shares(const counted *w)
{
    const kci_tiling *tiling = w->plan->tiling;
    kc_status status = KC_OK;
    for (size_t i = 0; i < w->plan->graph->loop_count && status == KC_OK; i++) {
        double trips = w->plan->trips[i];
        if (tiling->split[i] > trips)
            status = kci_note(w->notes, "split %.80s = %.0f is more than its %.0f trip%s: taken as %.0f",
                              loop_name(w, (int)i), tiling->split[i], trips, trips == 1 ? "" : "s", trips);
        if (status == KC_OK && tiling->cluster[i] > trips)
            status = kci_note(w->notes, "a cluster of %.0f CTAs along %.80s is more than its %.0f tile%s: taken as %.0f",
                              tiling->cluster[i], loop_name(w, (int)i), trips, trips == 1 ? "" : "s", trips);
    }
    return status;
}

static kc_status note_tiles(const counted *w)
{
    const kci_tiling *tiling = w->plan->tiling;
    kci_text names = { .context = w->notes->context };
    for (size_t i = 0; i < w->plan->graph->loop_count; i++)
        if (!tiling->given[i] && w->sizes[i] > 1 && tiling->tile[i] >= w->sizes[i])
            kci_text_format(&names, "%s%s", names.length ? ", " : "", loop_name(w, (int)i));
    kc_status status = names.failed ? KC_ENOMEM : KC_OK;
    if (names.length && !names.failed)
        status = kci_note(w->notes, "whole in one tile, since no size was given: %s", names.bytes);
    kci_text_free(&names);
    return status;
}

/* Of a kernel without matmuls stages are independent accesses of a thread too. */
static kc_status note_stages(const counted *w)
{
    const double stages = w->plan->tiling->stages, usual = 2;
    for (size_t i = 0; i < w->counts->stream_count; i++)
        if (w->counts->streams[i].streamed)
            return KC_OK;
    if (stages <= usual || w->counts->matmul_count == 0)
        return KC_OK;
    return kci_note(w->notes, "stages = %.0f buffer nothing: no read is in a sequential loop; a tile of a reduced dim makes one",
                    stages);
}

/* ---- reads outside their tensor ------------------------------------------------------- */

/* A halo is a few points; where more lie outside than inside, the index may be meant otherwise. */
static kc_status note_outside(const counted *w, const kci_node *read, uint32_t position)
{
    const kci_graph *graph = w->plan->graph;
    uint32_t id = graph->axis_ids[read->axis + position];
    const kc_tensor *tensor = graph->tensors[read->tensor].tensor;
    if (graph->axes[id].gather || !tensor)
        return KC_OK;
    double low, high, step, bound = kci_axis_size(graph, &graph->axes[id], w->sizes);
    kci_distinct_range(w->plan, id, &low, &high, &step);
    step = step > 0 ? step : 1;
    double all = floor((high - low) / step) + 1, before = low < 0 ? ceil(-low / step) : 0;
    double behind = high > bound - 1 ? ceil((high - (bound - 1)) / step) : 0;
    if (before + behind <= all / 2)
        return KC_OK;
    return kci_note(w->notes, "%.80s is read far outside along %.80s: %.0f of the %.0f values of its index are padding",
                    tensor->name, kc_tensor_dim(tensor, position), before + behind, all);
}

static kc_status note_padding(const counted *w)
{
    const kci_graph *graph = w->plan->graph;
    kc_status status = KC_OK;
    for (size_t n = 0; n < graph->node_count; n++)
        for (uint32_t i = 0; graph->nodes[n].kind == KCI_READ && i < graph->nodes[n].axes && status == KC_OK; i++)
            status = note_outside(w, &graph->nodes[n], i);
    return status;
}

kc_status kci_count_notes(const kci_plan *plan, const kci_counts *counts, const double *sizes, kci_notes *notes)
{
    const counted w = { plan, counts, sizes, notes };
    kc_status status = note_causes(&w);
    if (status == KC_OK)
        status = note_work(&w);
    if (status == KC_OK)
        status = note_padding(&w);
    if (status == KC_OK && plan->tiling)
        status = note_tiles(&w);
    if (status == KC_OK && plan->tiling)
        status = note_shares(&w);
    if (status == KC_OK && plan->tiling)
        status = note_stages(&w);
    return status;
}
