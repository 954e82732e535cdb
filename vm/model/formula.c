/* formula.c: a figure of a result as its formula with values: per op, per tensor and cause, per roof. Section 2.3. */
#include <math.h>
#include <string.h>

#include "ask.h"
#include "device.h"
#include "fields.h"
#include "kernel.h"
#include "link.h"
#include "occupancy.h"
#include "plan.h"
#include "program.h"
#include "resize.h"
#include "roof.h"
#include "si.h"
#include "tensor.h"

typedef struct page {
    const kc_result *r;
    kc_field field;
    kci_text text;
    /* of a kernel that is no group: counted again, by the result's convention */
    kci_graph graph;
    kci_plan *plan;
    const kci_counts *counts;
    double sizes[KCI_MAX_LOOPS];
} page;

static double number(const page *p, kc_field field)
{
    return p->r->has[field] ? p->r->field[field] : 0;
}

/* ---- words -------------------------------------------------------------------------------- */

static void add(page *p, const char *words)
{
    kci_text_add(&p->text, words);
}

static void add_number(page *p, double value)
{
    kci_text_number(&p->text, value);
}

static void add_amount(page *p, double value, const char *unit)
{
    char amount[KCI_SI_BYTES];
    kci_si(amount, value, unit);
    add(p, amount);
}

/* " = 137438953472": the end of a line. */
static void add_equals(page *p, double value)
{
    add(p, " = ");
    add_number(p, value);
    add(p, "\n");
}

/* Of a dim of the kernel, or of a tensor that was fused away. */
static const char *loop_name(const page *p, kci_set loop)
{
    return loop < p->graph.loop_count ? kci_name(p->graph.context, p->graph.loops[loop].name)
                                      : p->graph.virtuals[KCI_MAX_LOOPS - 1 - loop].name;
}

static void add_loop(page *p, kci_set loop, double value)
{
    kci_text_format(&p->text, "%s ", loop_name(p, loop));
    add_number(p, value);
}

/* "m 4096 x n 4096"; the product. */
static double add_product(page *p, kci_set loops, const double *values)
{
    double product = 1;
    bool first = true;
    for (KCI_EACH(i, loops)) {
        add(p, first ? "" : " x ");
        add_loop(p, i, values[i]);
        product *= values[i];
        first = false;
    }
    add(p, first ? "1" : "");
    return product;
}

/* Up to rounding. */
static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* ---- work: op by op --------------------------------------------------------------------------- */

typedef struct kind_of_work {
    bool executed;
    bool unit[3];                   /* matrix, vector, special */
} kind_of_work;

static bool is_work(kc_field field, kind_of_work *kind)
{
    static const struct { kc_field field; kind_of_work kind; } kinds[] = {
        { KC_FLOPS, { false, { true, true, true } } },
        { KC_MATRIX_FLOPS, { false, { true, false, false } } },
        { KC_VECTOR_FLOPS, { false, { false, true, false } } },
        { KC_SPECIAL_OPS, { false, { false, false, true } } },
        { KC_EXECUTED_FLOPS, { true, { true, true, true } } },
        { KC_EXECUTED_MATRIX_FLOPS, { true, { true, false, false } } },
        { KC_EXECUTED_VECTOR_FLOPS, { true, { false, true, false } } },
        { KC_EXECUTED_SPECIAL_OPS, { true, { false, false, true } } },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].field == field) {
            *kind = kinds[i].kind;
            return true;
        }
    return false;
}

/* "2 x m 4096 x k 4096 x n 4096", or how many points of these there are. */
static void say_points(page *p, const kci_node *node, double each, double work)
{
    kci_set loops = kci_scope_loops(&p->graph, node->axis, node->axes);
    double points = work / each, all = 1;
    for (KCI_EACH(i, loops))
        all *= p->plan->size[i];
    add_number(p, each);
    if (same(points, all)) {
        add(p, " x ");
        add_product(p, loops, p->plan->size);
        return;
    }
    add(p, " x ");
    add_number(p, points);
    add(p, points < all ? " of the " : ", some again, of the ");
    add_product(p, loops, p->plan->size);
    add(p, " points");
}

static kc_status say_op(page *p, uint32_t n, const kind_of_work *kind)
{
    const kci_node *node = &p->graph.nodes[n];
    double useful[3], executed[3], work = 0, each = 0;
    kc_status status = kci_work_of(p->plan, n, useful, executed);
    bool matrix = node->unit == KCI_MATRIX;
    for (int u = 0; u < 3; u++)
        if (kind->unit[u])
            work += kind->executed ? executed[u] : useful[u];
    each += kind->unit[matrix ? 0 : 1] ? node->flops : 0;
    each += kind->unit[2] ? node->special : 0;
    if (status != KC_OK || !(work > 0))
        return status;
    kci_text_format(&p->text, "  %s", node->label ? node->label : "op");
    for (KCI_EACH(i, node->reduced))
        kci_text_format(&p->text, "%s%s", i == kci_first(node->reduced) ? " over " : " ", loop_name(p, i));
    add(p, ": ");
    if (each > 0 && node->out_flops == 0 && (kind->executed || node->share == 1))
        say_points(p, node, each, work);
    else
        add(p, "by its convention");
    add_equals(p, work);
    return KC_OK;
}

static kc_status say_work(page *p, const kind_of_work *kind)
{
    kc_status status = KC_OK;
    for (uint32_t n = 0; n < p->graph.node_count && status == KC_OK; n++)
        if (p->graph.nodes[n].kind == KCI_OP)
            status = say_op(p, n, kind);
    return status;
}

/* ---- bytes: tensor by tensor ------------------------------------------------------------------- */

static const kci_tensor_use *use_of(page *p, const char *name, size_t *at)
{
    if (p->text.failed || kci_spend(p->text.context, "explain", p->graph.tensor_count) != KC_OK) {
        p->text.failed = true;
        return NULL;
    }
    for (*at = 0; *at < p->graph.tensor_count; ++*at)
        if (strcmp(p->graph.tensors[*at].name, name) == 0)
            return &p->graph.tensors[*at];
    return NULL;
}

/* "m 4096 x k 4096 elements x 2 B" where that is what it is. */
static void say_once(page *p, const char *name, double bytes)
{
    size_t at;
    const kci_tensor_use *use = use_of(p, name, &at);
    double all = use ? use->bytes : 0;
    for (size_t i = 0; use && use->tensor && i < use->tensor->rank; i++)
        all *= use->tensor->dims[i].size;
    if (!use || !use->tensor || !same(all, bytes)) {
        add_number(p, bytes);
        return;
    }
    for (size_t i = 0; i < use->tensor->rank; i++) {
        kci_text_format(&p->text, "%s%s ", i ? " x " : "", kci_name(p->graph.context, use->tensor->dims[i].name));
        add_number(p, use->tensor->dims[i].size);
    }
    add(p, use->tensor->rank ? " x " : "");
    add_number(p, use->bytes);
    add(p, " B");
}

/* "loads of 16384 B": what its tiles move through L2. */
static void say_loads(page *p, size_t tensor)
{
    if (kci_spend(p->text.context, "explain", p->counts->stream_count) != KC_OK)
        p->text.failed = true;
    for (size_t i = 0; i < p->counts->stream_count; i++) {
        const kci_stream *s = &p->counts->streams[i];
        if (s->tensor != (int32_t)tensor || !(s->loads > 0))
            continue;
        add(p, "    ");
        add_number(p, s->loads);
        add(p, " loads of a tile of ");
        add_number(p, s->tile_bytes);
        add(p, same(s->loads * s->tile_bytes, s->bytes) ? " B" : " B, clipped at the edges or by masks");
        add_equals(p, s->bytes);
    }
}

static void say_causes(page *p, const kci_result_row *row)
{
    bool first = true;
    double sum = 0;
    for (int c = KC_COMPULSORY; c < KC_LEDGER_COUNT; c++) {
        if (!(row->column[c] > 0))
            continue;
        add(p, first ? "" : " + ");
        if (c == KC_COMPULSORY)
            say_once(p, row->name, row->column[c]);
        else
            add_number(p, row->column[c]);
        kci_text_format(&p->text, " %s", kc_ledger_name((kc_ledger)c));
        sum += row->column[c];
        first = false;
    }
    add(p, first ? "0" : "");
    add_equals(p, sum);
}

static void say_row(page *p, const kci_result_row *row)
{
    size_t at;
    bool known = use_of(p, row->name, &at) != NULL;
    kci_text_format(&p->text, "  %s", row->name);
    switch (p->field) {
    case KC_BYTES:
        add(p, ": ");
        say_causes(p, row);
        break;
    case KC_L2_BYTES:
        add_equals(p, known ? p->counts->rows[at].read + p->counts->rows[at].written : 0);
        break;
    case KC_BYTES_MIN:
        add(p, ": ");
        say_once(p, row->name, known ? p->counts->rows[at].compulsory : 0);
        add_equals(p, known ? p->counts->rows[at].compulsory : 0);
        break;
    default:
        add_equals(p, row->column[p->field == KC_BYTES_READ ? KC_TENSOR_READ : KC_TENSOR_WRITTEN]);
    }
    if (known && (p->field == KC_L2_BYTES || (p->field == KC_BYTES && row->column[KC_RELOAD] + row->column[KC_PASS] > 0)))
        say_loads(p, at);
}

static void say_bytes(page *p)
{
    for (size_t i = 0; i < p->r->row_count; i++)
        say_row(p, &p->r->rows[i]);
    if (p->field == KC_BYTES && number(p, KC_L2_BYTES) > number(p, KC_BYTES)) {
        add(p, "  the CTAs ask for ");
        add_number(p, number(p, KC_L2_BYTES));
        add(p, ", and L2 has the rest\n");
    }
}

/* ---- times: roof by roof ------------------------------------------------------------------------- */

/* "  hbm: 219676672 B / (3.35 TB/s x 0.92 sustained) x 1.03, REASON = 71.3 us" */
static void say_roof(page *p, kc_field part, double amount, const char *unit, double peak, double sustained, const char *reason)
{
    double seconds = number(p, part), plain = amount / (peak * sustained);
    if (!(seconds > 0))
        return;
    kci_text_format(&p->text, "  %s: ", kc_field_name(part) + strlen("times."));
    if (amount > 0 && isfinite(plain) && plain > 0) {
        char rate[KCI_SI_BYTES];
        snprintf(rate, sizeof rate, "%s/s", unit);
        add_number(p, amount);
        kci_text_format(&p->text, " %s / (", unit);
        add_amount(p, peak, rate);
        add(p, " x ");
        add_number(p, sustained);
        add(p, " sustained)");
        if (!same(seconds, plain)) {
            char factor[KCI_SI_BYTES];
            kci_significant(factor, seconds / plain, 4);
            kci_text_format(&p->text, " x %s (%s)", factor, reason);
        }
    } else {
        add(p, reason);
    }
    add(p, " = ");
    add_amount(p, seconds, "s");
    add(p, "\n");
}

/* The one matrix roof; false: none, or several formats. */
static bool matrix_roof(const page *p, bool useful, kci_compute_roof *roof)
{
    int formats = 0;
    for (KCI_EACH(f, kci_formats_of(p->counts)))
        if ((useful ? p->counts->useful_matrix : p->counts->executed_matrix)[f] > 0) {
            formats++;
            if (kci_matrix_roof(p->r->of, (kci_format)f, false, roof, NULL) != KC_OK || roof->unit == KCI_VECTOR)
                return false;
        }
    return formats == 1;
}

/* "  link_bytes: 2 x (p - 1) / p x S, p = 8, S = 1000 B = 1750" */
static void say_sent(page *p)
{
    kci_comm_load load = kci_link_load(&p->graph, p->counts);
    kci_text_format(&p->text, "  link_bytes: %s", load.formula ? load.formula : "one rank sends nothing");
    add(p, ", p = ");
    add_number(p, p->graph.comm.ranks);
    add(p, " ranks, S = ");
    add_number(p, load.message);
    add(p, " B");
    add_equals(p, load.bytes);
}

/* "  link: 1750 B / 450 GB/s + 14 steps x 2.00 us = 28.0 us" */
static void say_link(page *p)
{
    const kci_figures *f = &p->r->of->full;
    kci_comm_load load = kci_link_load(&p->graph, p->counts);
    if (!(number(p, KC_TIME_LINK) > 0))
        return;
    say_sent(p);
    add(p, "  link: ");
    add_number(p, load.bytes);
    add(p, " B / ");
    add(p, "(");
    add_amount(p, kci_link_rate(f, &p->graph.comm), "B/s");
    add(p, " x ");
    add_number(p, f->sustained.link);
    kci_text_format(&p->text, " sustained) + %.0f step%s x ", load.steps, load.steps == 1 ? "" : "s");
    add_amount(p, isnan(f->link.latency) ? 0 : f->link.latency, "s");
    add(p, " = ");
    add_amount(p, number(p, KC_TIME_LINK), "s");
    add(p, "\n");
}

static void say_times(page *p)
{
    const kci_figures *f = &p->r->of->full;
    kci_compute_roof roof = { .peak = NAN };
    const char *cores = "idle cores in the last wave, instructions that tiles do not fill";
    bool one = matrix_roof(p, false, &roof);
    bool only = p->field != KC_TIME;
    const struct { kc_field part; double amount; const char *unit; double peak, sustained; const char *reason; } roofs[] = {
        { KC_TIME_MATRIX, number(p, KC_EXECUTED_MATRIX_FLOPS), "FLOP", one ? roof.peak : NAN, one ? roof.sustained : NAN, cores },
        { KC_TIME_VECTOR, number(p, KC_EXECUTED_VECTOR_FLOPS), "FLOP", f->vector[KCI_F32], f->sustained.vector,
          "FLOP that are no multiply-add, idle cores, lanes that are not filled" },
        { KC_TIME_SPECIAL, number(p, KC_EXECUTED_SPECIAL_OPS), "op", f->special * f->cores * f->clock, f->sustained.special, cores },
        { KC_TIME_SMEM, number(p, KC_SMEM_BYTES), "B", f->smem.bandwidth * f->cores * f->clock, f->sustained.smem, cores },
        { KC_TIME_L2, number(p, KC_L2_BYTES), "B", f->l2.bandwidth, f->sustained.l2, "bytes in flight, the port of a core" },
        { KC_TIME_HBM, number(p, KC_BYTES), "B", f->hbm.bandwidth, f->sustained.hbm, "bytes in flight, sectors that are not filled" },
        { KC_TIME_LAUNCH, 0, "", NAN, NAN, "the gap before it, its start and end" },
        { KC_TIME_FILL, 0, "", NAN, NAN, "latencies before first steps, and their tile" },
        { KC_TIME_DRAIN, 0, "", NAN, NAN, "the last tile's work and its store" },
    };
    for (size_t i = 0; i < sizeof roofs / sizeof *roofs; i++)
        if (!only || roofs[i].part == p->field)
            say_roof(p, roofs[i].part, roofs[i].amount, roofs[i].unit, roofs[i].peak, roofs[i].sustained, roofs[i].reason);
    if (!only || p->field == KC_TIME_LINK)
        say_link(p);
    if (!only)
        add(p, "  these run beside each other as far as the schedule lets them: the time is the longest, and what does not overlap it\n");
}

static void say_useful(page *p, const char *name, double amount, const char *unit, double rate, double seconds)
{
    if (!(seconds > 0))
        return;
    kci_text_format(&p->text, "  %s: ", name);
    add_number(p, amount);
    kci_text_format(&p->text, " %s", unit);
    if (rate > 0 && same(amount / rate, seconds)) {
        char per_second[KCI_SI_BYTES];
        snprintf(per_second, sizeof per_second, "%s/s", unit);
        add(p, " / ");
        add_amount(p, rate, per_second);
    }
    add(p, " = ");
    add_amount(p, seconds, "s");
    add(p, "\n");
}

/* max(useful work / peak, compulsory bytes / bandwidth). */
static kc_status say_roof_time(page *p)
{
    const kci_figures *f = &p->r->of->known;
    kci_work_seconds work;
    kci_compute_roof roof = { .peak = NAN };
    kc_status status = kci_work_seconds_of(p->counts, p->r->of, true, NULL, &work, NULL);
    if (status != KC_OK)
        return status;
    bool one = matrix_roof(p, true, &roof);
    say_useful(p, "matrix", number(p, KC_MATRIX_FLOPS), "FLOP", one ? roof.peak : NAN, work.matrix);
    say_useful(p, "vector", number(p, KC_VECTOR_FLOPS), "FLOP", f->vector[KCI_F32], work.vector);
    say_useful(p, "special", number(p, KC_SPECIAL_OPS), "op", f->special * f->cores * f->clock, work.special);
    say_useful(p, "hbm", number(p, KC_BYTES_MIN), "B", f->hbm.bandwidth, number(p, KC_BYTES_MIN) / f->hbm.bandwidth);
    if (p->graph.comm.kind != KCI_NO_COMM) {
        double rate = kci_link_rate(f, &p->graph.comm), least = kci_link_load(&p->graph, p->counts).least;
        say_useful(p, "link", least, "B", rate, least / rate);
    }
    add(p, "  the longest of these, at the datasheet's figures\n");
    return KC_OK;
}

/* ---- the chip ---------------------------------------------------------------------------------------- */

static void say_ctas(page *p)
{
    add(p, "  ");
    add_product(p, p->plan->grid, p->plan->trips);
    for (KCI_EACH(i, p->plan->split)) {
        add(p, " x split of ");
        add_loop(p, i, p->plan->shares[i]);
    }
    add(p, "\n");
}

static kc_status say_occupancy(page *p)
{
    const kc_kernel *kernel = (const kc_kernel *)(const void *)p->r->x;
    kci_occupancy o = { 0 };
    kc_status status = kci_occupancy_find(&p->graph, kernel->tiling, p->counts, p->sizes, p->r->of, false, &o);
    if (status != KC_OK)
        return status;
    for (int i = 0; i < KCI_BY_COUNT; i++)
        if (isfinite(o.allowed[i])) {
            kci_text_format(&p->text, "  %s allow%s ", kci_limit_name((kci_limit_of)i), i == KCI_BY_SMEM || i == KCI_BY_TMEM ? "s" : "");
            add_number(p, o.allowed[i]);
            add(p, "\n");
        }
    kci_text_format(&p->text, "  of a CTA of %.0f warps with %.0f registers a thread and %.0f B of shared memory: the least\n",
                    o.warps, o.registers, o.smem);
    return KC_OK;
}

static void say_smem(page *p)
{
    const kc_kernel *kernel = (const kc_kernel *)(const void *)p->r->x;
    const kci_tiling *tiling = kernel->tiling;
    for (size_t i = 0; tiling && i < p->counts->stream_count; i++) {
        const kci_stream *s = &p->counts->streams[i];
        double own = tiling->tensor_stages[s->tensor], stages = own > 0 ? own : tiling->stages;
        if (s->in_registers)
            continue;
        kci_text_format(&p->text, "  %s: ", p->graph.tensors[s->tensor].name);
        if (s->held) {
            add(p, "held whole, ");
            add_number(p, s->cta_distinct);
            add(p, " B\n");
            continue;
        }
        if (s->streamed) {
            add_number(p, stages);
            add(p, " stages x ");
        }
        add(p, "a tile of ");
        add_number(p, s->tile_bytes);
        add(p, " B\n");
    }
}

/* ---- quotients, and sums of kernels ------------------------------------------------------------------- */

typedef struct quotient {
    kc_field field, above, below;
} quotient;

static const quotient *quotient_of(kc_field field)
{
    static const quotient quotients[] = {
        { KC_INTENSITY, KC_FLOPS, KC_BYTES },
        { KC_THROUGHPUT, KC_FLOPS, KC_TIME },
        { KC_BANDWIDTH, KC_BYTES, KC_TIME },
        { KC_TILE_EFFICIENCY, KC_FLOPS, KC_EXECUTED_FLOPS },
        { KC_MEASURED_RATIO, KC_MEASURED, KC_TIME },
        { KC_MEASURED_EFFICIENCY, KC_ROOF_TIME, KC_MEASURED },
    };
    for (size_t i = 0; i < sizeof quotients / sizeof *quotients; i++)
        if (quotients[i].field == field)
            return &quotients[i];
    return NULL;
}

static void say_quotient(page *p, const quotient *q)
{
    kci_text_format(&p->text, "  %s / %s = ", kc_field_name(q->above), kc_field_name(q->below));
    add_number(p, number(p, q->above));
    add(p, " / ");
    add_number(p, number(p, q->below));
    add(p, "\n");
}

static void say_kernels(page *p)
{
    for (size_t i = 0; i < p->r->kernel_count; i++) {
        const kc_result *k = p->r->kernels[i];
        kci_text_format(&p->text, "  %s", k->name);
        add_equals(p, k->has[p->field] ? k->field[p->field] : 0);
    }
    const kc_program *program = (const kc_program *)(const void *)p->r->x;
    if ((p->field == KC_TIME || p->field == KC_ROOF_TIME) && program && program->base.kind == KC_PROGRAM &&
        kci_program_overlaps(program))
        add(p, "  what runs beside each other takes the longest of its parts, or the longest of its roofs added up\n");
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

/* Counts the kernel as the result was counted.  Executed work knows no halved mask. */
static kc_status count(page *p, bool executed)
{
    const kc_kernel *kernel = (const kc_kernel *)(const void *)p->r->x;
    const kc_options *options = p->r->options;
    kc_context *context = p->r->base.context;
    if (kci_kernel_tensors(kernel) != KC_OK || !kci_graph_copy(&p->graph, &kernel->graph, context))
        return KC_ENOMEM;
    if (options && options->own_convention) {
        kci_convention convention = options->convention;
        if (executed && convention.causal == KCI_CAUSAL_HALF)
            convention.causal = KCI_CAUSAL_EXACT;
        kc_status status = kci_convention_apply(&convention, &p->graph);
        if (status != KC_OK)
            return status;
    }
    for (size_t i = 0; i < p->graph.loop_count; i++)
        p->sizes[i] = p->graph.loops[i].size;
    p->plan = kci_plan_new(&p->graph, kernel->tiling);
    p->counts = p->plan ? kci_plan_count(p->plan, p->sizes, NULL) : NULL;
    return p->counts ? KC_OK : kc_context_status(context);
}

static bool has_terms(kc_field field)
{
    kind_of_work kind;
    return is_work(field, &kind) || (field >= KC_BYTES && field <= KC_L2_BYTES) || field == KC_BYTES_MIN ||
           (field >= KC_TIME && field <= KC_ROOF_TIME) || (field >= KC_TIME_MATRIX && field <= KC_TIME_DRAIN) ||
           field == KC_LINK_BYTES || field == KC_CTAS || field == KC_OCCUPANCY || field == KC_SMEM;
}

static kc_status say_kernel(page *p)
{
    kind_of_work kind = { 0 };
    bool work = is_work(p->field, &kind);
    kc_status status = count(p, kind.executed);
    if (status != KC_OK)
        return status;
    if (work)
        return say_work(p, &kind);
    switch (p->field) {
    case KC_ROOF_TIME: return say_roof_time(p);
    case KC_OCCUPANCY: return say_occupancy(p);
    case KC_LINK_BYTES: say_sent(p); return KC_OK;
    case KC_CTAS: say_ctas(p); return KC_OK;
    case KC_SMEM: say_smem(p); return KC_OK;
    case KC_BYTES: case KC_BYTES_READ: case KC_BYTES_WRITTEN: case KC_L2_BYTES: case KC_BYTES_MIN:
        say_bytes(p);
        return KC_OK;
    default: say_times(p); return KC_OK;
    }
}

static kc_status say(page *p)
{
    const kc_result *r = p->r;
    const kc_kernel *kernel = (const kc_kernel *)(const void *)r->x;
    const quotient *q = quotient_of(p->field);
    double cores = r->of ? r->of->full.cores : NAN;
    if (q) {
        say_quotient(p, q);
    } else if (r->kernel_count > 0) {
        say_kernels(p);
    } else if (p->field == KC_RIDGE) {
        kci_text_format(&p->text, "  peak / bandwidth = ");
        add_amount(p, number(p, KC_RIDGE) * r->of->known.hbm.bandwidth, "FLOP/s");
        add(p, " / ");
        add_amount(p, r->of->known.hbm.bandwidth, "B/s");
        add(p, "\n");
    } else if (p->field == KC_WAVES || p->field == KC_WAVE_EFFICIENCY) {
        bool waves = p->field == KC_WAVES;
        kci_text_format(&p->text, waves ? "  ctas / (cores x occupancy), rounded up: %.0f / (%.0f x %.0f)\n"
                                        : "  ctas / (cores x CTAs of the busiest core): %.0f / (%.0f x %.6g)\n",
                        number(p, KC_CTAS), cores,
                        waves ? number(p, KC_OCCUPANCY) : number(p, KC_CTAS) / cores / number(p, KC_WAVE_EFFICIENCY));
    } else if (has_terms(p->field) && kernel && kernel->member_count == 0 && r->times == 1) {
        return say_kernel(p);
    }
    return KC_OK;
}

static const char *nth_field(const void *unused, size_t i)
{
    (void)unused;
    return kc_field_name((kc_field)i);
}

static kc_status check_field(const kc_result *r, const char *name, kc_field *field)
{
    kc_context *context = r->base.context;
    *field = kc_field_named(name);
    if (*field < KC_FIELD_COUNT && r->has[*field])
        return KC_OK;
    if (*field < KC_FIELD_COUNT)
        return kci_fail(context, KC_EARGUMENT, "explain: %s has no %s", r->name, name);
    const char *nearest = kci_nearest(context, name, nth_field, NULL);
    return kci_fail(context, KC_EARGUMENT, "explain: a result has no field '%s'%s", name,
                    nearest && *nearest ? nearest : "; it has bytes, flops, time, occupancy and others");
}

const char *kc_result_formula(kc_result *r, const char *field)
{
    page p = { .r = r };
    if (!r || !field || check_field(r, field, &p.field) != KC_OK)
        return NULL;
    kc_context *context = r->base.context;
    p.text.context = context;
    kci_text_format(&p.text, "%s of %s%s%s:\n", field, r->name, r->device ? " on " : "", r->device ? r->device : "");
    kc_status status = say(&p);
    kci_text_format(&p.text, "  %s = ", field);
    add_number(&p, r->field[p.field]);
    if (*kci_field_symbol(p.field)) {
        kci_text_format(&p.text, " %s (", kci_field_symbol(p.field));
        add_amount(&p, r->field[p.field], kci_field_symbol(p.field));
        add(&p, ")");
    }
    add(&p, "\n");
    kci_plan_free(p.plan);
    if (p.graph.context)
        kci_graph_free(&p.graph);
    kci_free_text(context, r->formula);
    r->formula = NULL;
    if (status == KC_OK && !p.text.failed)
        return kci_text_keep(&p.text, &r->formula);
    kci_text_free(&p.text);
    if (status == KC_OK && kc_context_status(context) != KC_ELIMIT)
        kci_fail(context, KC_ENOMEM, "not enough memory");
    return NULL;
}
