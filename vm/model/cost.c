/* cost.c: one kernel's counts and times become a result: fields, rows, schedule, notes. */
#include <math.h>
#include <string.h>

#include "ask.h"
#include "count_notes.h"
#include "dtype.h"
#include "fields.h"
#include "hardware.h"
#include "json.h"
#include "plan.h"
#include "roof.h"

/* What is made on the way; all of it freed at the end. */
typedef struct work {
    const kc_kernel *kernel;
    const kci_graph *graph;
    const kc_device *device;
    const kc_options *options;
    double sizes[KCI_MAX_LOOPS];
    kci_plan *plan;
    const kci_counts *counts;
    kci_row *rows;                  /* a copy that time and convention change */
    bool *warm;
    double field[KC_FIELD_COUNT];
    kc_result *r;
    kci_notes *notes;               /* NULL: no words are asked for */
    struct kci_load *load;
} work;

/* ---- the fields ------------------------------------------------------------------ */

/* Counts a copy of the graph by the convention. */
static kc_status recount(const work *w, const kci_convention *convention, kci_totals *useful,
                         kci_totals *executed)
{
    kci_graph copy;
    if (!kci_graph_copy(&copy, w->graph, w->graph->context))
        return KC_ENOMEM;
    kc_context *context = w->graph->context;
    kc_status status = kci_convention_apply(convention, &copy);
    kci_plan *plan = status == KC_OK ? kci_plan_new(&copy, w->kernel->tiling) : NULL;
    const kci_counts *counts = plan ? kci_plan_count(plan, w->sizes, NULL) : NULL;
    if (counts) {
        *useful = kci_useful_work(counts);
        *executed = kci_executed_work(counts);
    } else if (status == KC_OK) {
        status = kc_context_status(context);
    }
    kci_plan_free(plan);
    kci_graph_free(&copy);
    return status;
}

/* Half a causal mask is a way to count useful work; live tiles are executed as ever. */
static kc_status set_work(work *w)
{
    kci_totals useful = kci_useful_work(w->counts), executed = kci_executed_work(w->counts);
    if (w->options && w->options->own_convention) {
        kci_convention convention = w->options->convention;
        kc_status status = recount(w, &convention, &useful, &executed);
        if (status == KC_OK && convention.causal == KCI_CAUSAL_HALF) {
            kci_totals unused;
            convention.causal = KCI_CAUSAL_EXACT;
            status = recount(w, &convention, &unused, &executed);
        }
        if (status != KC_OK)
            return status;
    }
    kci_fields_work(w->field, &useful, &executed);
    return KC_OK;
}

/* bytes are w->rows, behind L2 where there is a device; l2_bytes and bytes_min section 3's. */
static kc_status set_rows(work *w)
{
    kc_result *r = w->r;
    const kci_graph *graph = w->graph;
    kci_row *section3 = kci_alloc(graph->context, graph->tensor_count * sizeof *section3);
    if (!section3)
        return KC_ENOMEM;
    memcpy(section3, w->counts->rows, graph->tensor_count * sizeof *section3);
    kc_status status = KC_OK;
    if (w->options && w->options->own_convention) {
        const kci_convention *convention = &w->options->convention;
        status = kci_convention_rows(convention, graph, w->sizes, section3);
        if (status == KC_OK)
            status = kci_convention_rows(convention, graph, w->sizes, w->rows);
    }
    if (status == KC_OK)
        kci_fields_bytes(w->field, w->rows, section3, graph->tensor_count);
    for (size_t t = 0; status == KC_OK && t < graph->tensor_count; t++) {
        const kci_row *row = &w->rows[t];
        /* Statistics that stay on chip are no tensors. */
        if (!graph->tensors[t].tensor && section3[t].read + section3[t].written == 0)
            continue;
        kci_result_row *to = kci_result_row_of(r, graph->tensors[t].name);
        if (!to) {
            status = KC_ENOMEM;
            break;
        }
        const double column[KC_LEDGER_COUNT] = {
            [KC_TENSOR_READ] = row->read,       [KC_TENSOR_WRITTEN] = row->written,
            [KC_TENSOR_L2] = section3[t].read + section3[t].written,
            [KC_TENSOR_LOADS] = row->loads,     [KC_COMPULSORY] = row->compulsory,
            [KC_RELOAD] = row->reload,          [KC_PASS] = row->pass,
            [KC_SPILL] = row->spill,            [KC_SPLIT] = row->split,
        };
        for (int c = 0; c < KC_LEDGER_COUNT; c++)
            to->column[c] += column[c];
    }
    kci_free(graph->context, section3, graph->tensor_count * sizeof *section3);
    return status;
}

/* ---- the schedule ------------------------------------------------------------------ */

static kc_status add_number(kc_result *r, const char *path, double number)
{
    char text[32];
    kci_format_number(number, text);
    return kci_result_schedule_add(r, path, text);
}

static kc_status add_text(kc_result *r, const char *path, const char *bytes)
{
    kci_text text = { .context = r->base.context };
    kci_json_string(&text, bytes, strlen(bytes));
    kc_status status = text.failed ? KC_ENOMEM : kci_result_schedule_add(r, path, text.bytes);
    kci_text_free(&text);
    return status;
}

static const char *loop_name(const work *w, int loop)
{
    return kci_name(w->graph->context, w->graph->loops[loop].name);
}

/* "b h i"; of sequential loops those with more than one trip: one is no loop. */
static kc_status add_loops(const work *w, const char *path, const int16_t *loops, int count, bool all)
{
    kci_text names = { .context = w->graph->context };
    for (int i = 0; i < count; i++)
        if (all || w->kernel->tiling->tile[loops[i]] < w->sizes[loops[i]])
            kci_text_format(&names, "%s%s", names.length ? " " : "", loop_name(w, loops[i]));
    kc_status status = names.failed ? KC_ENOMEM : add_text(w->r, path, names.bytes ? names.bytes : "");
    kci_text_free(&names);
    return status;
}

/* "tile.i": 128 */
static kc_status add_of_loop(const work *w, const char *field, int loop, double number)
{
    kci_text path = { .context = w->graph->context };
    kci_text_format(&path, "%s.%s", field, loop_name(w, loop));
    kc_status status = KC_ENOMEM;
    if (!path.failed && strcmp(field, "split") == 0 && number == 0)
        status = add_text(w->r, path.bytes, "stream");
    else if (!path.failed)
        status = add_number(w->r, path.bytes, number);
    kci_text_free(&path);
    return status;
}

/* "hold": "K V", "place.Q": "registers" */
static kc_status add_tensors(const work *w)
{
    const kci_tiling *tiling = w->kernel->tiling;
    kci_text held = { .context = w->graph->context };
    kc_status status = KC_OK;
    for (size_t t = 0; t < w->graph->tensor_count && status == KC_OK; t++) {
        const char *name = w->graph->tensors[t].name;
        kci_text path = { .context = w->graph->context };
        if (tiling->held[t])
            kci_text_format(&held, "%s%s", held.length ? " " : "", name);
        if (tiling->in_registers[t]) {
            kci_text_format(&path, "place.%s", name);
            status = path.failed ? KC_ENOMEM : add_text(w->r, path.bytes, "registers");
        }
        kci_text_free(&path);
    }
    if (status == KC_OK && held.failed)
        status = KC_ENOMEM;
    else if (status == KC_OK && held.length)
        status = add_text(w->r, "hold", held.bytes);
    kci_text_free(&held);
    return status;
}

/* What was asked for beside: tensors held or placed, clusters, persistent CTAs, a path, threads and their
 * accesses, atomics. */
static kc_status add_asked(const work *w)
{
    const kci_tiling *tiling = w->kernel->tiling;
    kc_status status = add_tensors(w);
    for (size_t i = 0; i < w->graph->loop_count && status == KC_OK; i++)
        if (fmin(tiling->cluster[i], w->plan->trips[i]) > 1)
            status = add_of_loop(w, "cluster", (int)i, fmin(tiling->cluster[i], w->plan->trips[i]));
    if (status == KC_OK && tiling->persistent)
        status = kci_result_schedule_add(w->r, "persistent", "true");
    if (status == KC_OK && tiling->path)
        status = add_text(w->r, "path", tiling->path);
    if (status == KC_OK && tiling->vector > 0)
        status = add_number(w->r, "vector", tiling->vector);
    if (status == KC_OK && tiling->threads > 0)
        status = add_number(w->r, "threads", tiling->threads);
    if (status == KC_OK && tiling->atomic)
        status = add_text(w->r, "combine", "atomic");
    return status;
}

static kc_status set_schedule(const work *w, double device_warps)
{
    static const char *const overlaps[] = { "none", "load", "all" };
    const kci_tiling *tiling = w->kernel->tiling;
    kc_result *r = w->r;
    kc_status status = KC_OK;
    int count = (int)w->graph->loop_count;
    for (int i = 0; i < count && status == KC_OK; i++) {
        double tile = tiling->tile[i] < w->sizes[i] ? tiling->tile[i] : w->sizes[i];
        status = add_of_loop(w, "tile", i, tile);
    }
    if (status == KC_OK)
        status = add_loops(w, "grid", tiling->grid_order, tiling->grid_count, true);
    if (status == KC_OK)
        status = add_loops(w, "order", tiling->order, tiling->order_count, false);
    if (status == KC_OK)
        status = add_number(r, "stages", tiling->stages);
    double warps = tiling->warps > 0 ? tiling->warps : device_warps;
    if (status == KC_OK && warps > 0)
        status = add_number(r, "warps", warps);
    for (int i = 0; i < count && status == KC_OK; i++)
        if (fmin(tiling->split[i], w->plan->trips[i]) > 1)
            status = add_of_loop(w, "split", i, fmin(tiling->split[i], w->plan->trips[i]));
    if (status == KC_OK && tiling->stream)
        status = add_of_loop(w, "split", tiling->stream_loop, 0);
    if (status == KC_OK && tiling->raster_count)
        status = add_loops(w, "raster.order", tiling->raster, tiling->raster_count, true);
    else if (status == KC_OK)
        status = add_loops(w, "raster.order", tiling->grid_order, tiling->grid_count, true);
    if (status == KC_OK)
        status = add_number(r, "raster.group", tiling->raster_group > 1 ? tiling->raster_group : 1);
    if (status == KC_OK)
        status = add_text(r, "overlap", overlaps[tiling->overlap]);
    return status == KC_OK ? add_asked(w) : status;
}

/* ---- the whole -------------------------------------------------------------------------- */

static kc_status warm_tensors(const kc_options *options, const kci_graph *graph, bool **warm)
{
    if (options->cache_count == 0)
        return KC_OK;
    *warm = kci_alloc(graph->context, graph->tensor_count * sizeof **warm);
    if (!*warm)
        return KC_ENOMEM;
    for (size_t t = 0; t < graph->tensor_count; t++) {
        if (kci_spend_names(graph->context, "evaluate", graph->tensors[t].name, options->cache_count) != KC_OK)
            return KC_ELIMIT;
        (*warm)[t] = options->warm;
        for (size_t i = 0; i < options->cache_count; i++)
            if (strcmp(options->caches[i].tensor, graph->tensors[t].name) == 0)
                (*warm)[t] = options->caches[i].warm;
    }
    return KC_OK;
}

kc_status kci_time_options_of(const kc_options *options, const kci_graph *graph, kci_time_options *asked, bool **warm)
{
    *asked = (kci_time_options){ 0 };
    *warm = NULL;
    if (!options)
        return KC_OK;
    asked->no_l2 = options->no_l2;
    asked->warm = options->warm && !options->cache_count;
    asked->regime = options->regime;
    kc_status status = warm_tensors(options, graph, warm);
    asked->warm_tensor = *warm;
    return status;
}

static kc_status evaluate(work *w)
{
    kci_time_options asked;
    kci_times times = { 0 };
    kc_status status = kci_time_options_of(w->options, w->graph, &asked, &w->warm);
    asked.load = w->load;
    if (status == KC_OK && w->kernel->tiling)
        status = kci_hardware_check(w->graph, w->kernel->tiling, w->device, w->notes);
    if (status == KC_OK)
        status = kci_time(w->graph, w->kernel->tiling, w->counts, w->sizes, w->device, &asked, w->rows, &times,
                          w->notes);
    double sparsity = 1;
    if (status == KC_OK && w->options && w->options->convention.sparse)
        sparsity = kci_sparsity(w->counts, w->device);
    if (isnan(sparsity))
        status = kci_fail(w->graph->context, KC_EDEVICE, "%s states no peak with 2:4 sparsity for this work",
                          kci_device_name(w->device));
    if (status == KC_OK) {
        kci_fields_times(w->field, &times);
        w->field[KC_RIDGE] *= sparsity;
        memcpy(w->r->roof, times.roof, sizeof times.roof);
        w->r->bound = kci_roof_name(times.bound);
        w->r->class_name = kci_roof_class(times.bound);
    }
    if (status == KC_OK && w->notes && w->kernel->tiling)
        status = set_schedule(w, times.warps);
    return status;
}

static kc_status fill(work *w)
{
    const kci_counts *counts = w->counts;
    kc_status status = KC_OK;
    kci_fields_clear(w->field);
    w->rows = kci_alloc(w->graph->context, w->graph->tensor_count * sizeof *w->rows);
    if (!w->rows)
        return KC_ENOMEM;
    memcpy(w->rows, counts->rows, w->graph->tensor_count * sizeof *w->rows);
    if (w->notes)
        status = kci_count_notes(w->plan, counts, w->sizes, w->notes);
    if (status == KC_OK && w->device)
        status = evaluate(w);
    else if (status == KC_OK && w->notes && w->kernel->tiling)
        status = set_schedule(w, 0);
    if (status == KC_OK)
        status = set_work(w);
    if (status == KC_OK)
        status = set_rows(w);
    kci_fields_shape(w->field, counts, w->kernel->tiling != NULL);
    kci_fields_link(w->field, w->graph, counts);
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        if (!isnan(w->field[f]))
            kci_result_set(w->r, (kc_field)f, w->field[f]);
    return status;
}

enum { KEPT_NODES = 1024 };     /* the plan of a longer kernel is made anew, since it is large */

/* A kernel keeps its plan for the next question, be it asked of itself or at other sizes. */
static kci_plan *take_plan(const kc_kernel *kernel)
{
    kc_kernel *owner = (kc_kernel *)(uintptr_t)kci_planned_as(kernel); /* what it keeps for itself is no change */
    kci_plan *plan = owner->plan;
    owner->plan = NULL;
    if (!plan)
        return kci_plan_new(&kernel->graph, kernel->tiling);
    if (kci_plan_move(plan, &kernel->graph))
        return plan;
    kci_plan_free(plan);
    return NULL;
}

static void give_plan(const kc_kernel *kernel, kci_plan *plan)
{
    kc_kernel *owner = (kc_kernel *)(uintptr_t)kci_planned_as(kernel);
    if (plan && kernel->graph.node_count <= KEPT_NODES) {
        plan->graph = &owner->graph;
        owner->plan = plan;
    } else {
        kci_plan_free(plan);
    }
}

kc_result *kci_cost(const kc_kernel *kernel, const kc_device *device, const kc_options *options, bool words,
                    struct kci_load *load)
{
    const kci_graph *graph = &kernel->graph;
    work w = { .kernel = kernel, .graph = graph, .device = device, .options = options, .load = load };
    for (size_t i = 0; i < graph->loop_count; i++)
        w.sizes[i] = graph->loops[i].size;
    kc_context *context = kernel->base.context;
    w.r = kci_result_new(context, kernel->name, device ? kc_object_name((const kc_object *)(const void *)device) : NULL);
    w.notes = w.r && words ? &w.r->notes : NULL;
    w.plan = take_plan(kernel);
    w.counts = w.r && w.plan ? kci_plan_count(w.plan, w.sizes, NULL) : NULL;
    if (!w.counts || fill(&w) != KC_OK) {
        kc_release(w.r);
        w.r = NULL;
    }
    kci_free(context, w.rows, graph->tensor_count * sizeof *w.rows);
    kci_free(context, w.warm, graph->tensor_count * sizeof *w.warm);
    give_plan(kernel, w.plan);
    return w.r;
}
