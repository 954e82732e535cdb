/* csv.c: results as one table: axes, then scalar fields, nested ones dotted; or the ledger.
 *
 *     program,name,device,flops,…,times.hbm,…,bound,class,…,schedule.tile.i,…,ratio.time,error
 *
 * Lines end in "\n"; a cell with a comma, a quote or a line end is quoted (RFC 4180). */
#include "csv.h"

#include <string.h>

#include "ask.h"
#include "result.h"
#include "sweep.h"

typedef struct line {
    const char *program;            /* whose kernel or total this is; NULL */
    const char *name, *device, *error;
    const kc_result *result;        /* NULL: error */
    const kc_comparison *comparison;
    size_t index;                   /* in it */
} line;

typedef struct table {
    kc_context *context;
    kci_text *text;
    line *lines;
    size_t line_count, line_capacity;
    kc_result **counted;            /* made here, of kernels that were given */
    size_t counted_count, counted_capacity;
    const char **paths;             /* of schedules, in order of first use */
    size_t path_count, path_capacity;
    bool program, device, bound, error, convention;
    bool field[KC_FIELD_COUNT];
    bool ratio[KC_FIELD_COUNT];
    bool first;                     /* cell of a row */
} table;

/* ---- rows ------------------------------------------------------------------------------ */

static kc_status add_path(table *t, const char *path)
{
    for (size_t i = 0; i < t->path_count; i++)
        if (strcmp(t->paths[i], path) == 0)
            return KC_OK;
    if (!kci_reserve(t->context, &t->paths, &t->path_capacity, t->path_count + 1, sizeof *t->paths))
        return KC_ENOMEM;
    t->paths[t->path_count++] = path;
    return KC_OK;
}

static kc_status add_line(table *t, line row)
{
    if (!kci_reserve(t->context, &t->lines, &t->line_capacity, t->line_count + 1, sizeof *t->lines))
        return KC_ENOMEM;
    t->lines[t->line_count++] = row;
    t->program |= row.program != NULL;
    t->device |= row.device != NULL;
    t->error |= row.error != NULL;
    const kc_result *r = row.result;
    if (!r)
        return KC_OK;
    if (kci_result_words(r) != KC_OK)
        return KC_ENOMEM;
    t->bound |= r->bound != NULL;
    t->convention |= r->own_convention;
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        t->field[f] |= r->has[f];
    kc_field field;
    for (size_t i = 0; row.comparison && (field = kci_ratio_field(i)) != KC_FIELD_COUNT; i++)
        t->ratio[field] |= kc_comparison_ratio(row.comparison, row.index, field, NULL) == KC_OK;
    for (size_t i = 0; i < r->schedule_count; i++)
        if (add_path(t, r->schedule[i].path) != KC_OK)
            return KC_ENOMEM;
    return KC_OK;
}

/* A program: a row a kernel, and a row `total`. */
static kc_status add_result(table *t, const kc_result *r, const kc_comparison *comparison, size_t index)
{
    line row = { .name = r->name, .device = r->device, .result = r, .comparison = comparison,
                 .index = index };
    if (r->kernel_count == 0)
        return add_line(t, row);
    for (size_t i = 0; i < r->kernel_count; i++) {
        const kc_result *kernel = r->kernels[i];
        kc_status status = add_line(t, (line){ .program = r->name, .name = kernel->name,
                                               .device = kernel->device, .result = kernel });
        if (status != KC_OK)
            return status;
    }
    row.program = r->name;
    row.name = "total";
    return add_line(t, row);
}

static kc_status add_comparison(table *t, const kc_comparison *c)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < c->row_count && status == KC_OK; i++) {
        if (c->rows[i].result)
            status = add_result(t, c->rows[i].result, c, i);
        else
            status = add_line(t, (line){ .name = c->rows[i].name, .device = kc_comparison_device(c, i),
                                         .error = c->rows[i].error });
    }
    return status;
}

static kc_status add_object(table *t, kc_object *object)
{
    switch (object->kind) {
    case KC_RESULT:
        return add_result(t, (const kc_result *)(const void *)object, NULL, 0);
    case KC_COMPARISON:
        return add_comparison(t, (const kc_comparison *)(const void *)object);
    case KC_KERNEL:
    case KC_PROGRAM:
    case KC_TENSOR:
        break;
    default:
        return kci_fail(t->context, KC_EARGUMENT, "csv: only results, comparisons, and what can be counted "
                        "(kernels, programs, written tensors) are rows of a table");
    }
    if (!kci_reserve(t->context, &t->counted, &t->counted_capacity, t->counted_count + 1,
                     sizeof *t->counted))
        return KC_ENOMEM;
    kc_result *r = kc_count(object, NULL);
    if (!r)
        return kc_context_status(t->context);
    t->counted[t->counted_count++] = r;
    return add_result(t, r, NULL, 0);
}

/* ---- cells ------------------------------------------------------------------------------ */

static void next_cell(table *t)
{
    if (!t->first)
        kci_text_add(t->text, ",");
    t->first = false;
}

void kci_csv_cell(kci_text *text, const char *string)
{
    if (!string)
        return;
    size_t length = strlen(string);
    if (!strpbrk(string, ",\"\r\n") && (length == 0 || (string[0] != ' ' && string[length - 1] != ' '))) {
        kci_text_add_n(text, string, length);
        return;
    }
    kci_text_add(text, "\"");
    for (const char *c = string; *c; c++) {
        if (*c == '"')
            kci_text_add(text, "\"");
        kci_text_add_n(text, c, 1);
    }
    kci_text_add(text, "\"");
}

static void cell(table *t, const char *string)
{
    next_cell(t);
    kci_csv_cell(t->text, string);
}

static void number_cell(table *t, bool has, double number)
{
    next_cell(t);
    if (has)
        kci_text_number(t->text, number);
}

static void end_row(table *t)
{
    kci_text_add(t->text, "\n");
    t->first = true;
}

static void prefixed_cell(table *t, const char *prefix, const char *name)
{
    kci_text both = { .context = t->context };
    kci_text_format(&both, "%s%s", prefix, name);
    cell(t, both.bytes);
    t->text->failed |= both.failed;
    kci_text_free(&both);
}

/* A figure of a schedule: a number, or a JSON string without its quotes. */
static void schedule_cell(table *t, const kc_result *r, const char *path)
{
    for (size_t i = 0; r && i < r->schedule_count; i++) {
        const char *value = r->schedule[i].value;
        if (strcmp(r->schedule[i].path, path) != 0)
            continue;
        if (value[0] != '"') {
            cell(t, value);
            return;
        }
        kci_text bare = { .context = t->context };
        kci_text_add_n(&bare, value + 1, strlen(value) - 2);
        cell(t, bare.bytes);
        t->text->failed |= bare.failed;
        kci_text_free(&bare);
        return;
    }
    cell(t, NULL);
}

/* ---- the two tables ----------------------------------------------------------------------- */

static void axes_header(table *t)
{
    t->first = true;
    if (t->program)
        cell(t, "program");
    cell(t, "name");
    if (t->device)
        cell(t, "device");
}

static void axes(table *t, const line *row)
{
    if (t->program)
        cell(t, row->program);
    cell(t, row->name);
    if (t->device)
        cell(t, row->device);
}

static void field_header(table *t)
{
    axes_header(t);
    if (t->convention)
        cell(t, "convention");
    for (int f = 0; f < KC_FIELD_COUNT; f++) {
        if (f == KC_THROUGHPUT && t->bound) {
            cell(t, "bound");
            cell(t, "class");
        }
        if (t->field[f])
            cell(t, kc_field_name((kc_field)f));
    }
    for (size_t i = 0; i < t->path_count; i++)
        prefixed_cell(t, "schedule.", t->paths[i]);
    kc_field field;
    for (size_t i = 0; (field = kci_ratio_field(i)) != KC_FIELD_COUNT; i++)
        if (t->ratio[field])
            prefixed_cell(t, "ratio.", kc_field_name(field));
    if (t->error)
        cell(t, "error");
    end_row(t);
}

static void field_row(table *t, const line *row)
{
    const kc_result *r = row->result;
    axes(t, row);
    if (t->convention)
        cell(t, r ? r->convention : NULL);
    for (int f = 0; f < KC_FIELD_COUNT; f++) {
        if (f == KC_THROUGHPUT && t->bound) {
            cell(t, r ? r->bound : NULL);
            cell(t, r ? r->class_name : NULL);
        }
        if (t->field[f])
            number_cell(t, r && r->has[f], r ? r->field[f] : 0);
    }
    for (size_t i = 0; i < t->path_count; i++)
        schedule_cell(t, r, t->paths[i]);
    kc_field field;
    for (size_t i = 0; (field = kci_ratio_field(i)) != KC_FIELD_COUNT; i++) {
        double ratio = 0;
        if (!t->ratio[field])
            continue;
        bool has = row->comparison &&
                   kc_comparison_ratio(row->comparison, row->index, field, &ratio) == KC_OK;
        number_cell(t, has, ratio);
    }
    if (t->error)
        cell(t, row->error);
    end_row(t);
}

static void ledger(table *t)
{
    axes_header(t);
    cell(t, "tensor");
    for (int c = 0; c < KC_LEDGER_COUNT; c++)
        cell(t, kc_ledger_name((kc_ledger)c));
    end_row(t);
    for (size_t i = 0; i < t->line_count; i++) {
        const line *row = &t->lines[i];
        for (size_t j = 0; row->result && j < row->result->row_count; j++) {
            axes(t, row);
            cell(t, row->result->rows[j].name);
            for (int c = 0; c < KC_LEDGER_COUNT; c++)
                number_cell(t, true, row->result->rows[j].column[c]);
            end_row(t);
        }
    }
}

kc_status kci_csv_objects(kci_text *text, kc_object *const *objects, size_t count, bool tensors)
{
    table t = { .context = text->context, .text = text };
    kc_status status = KC_OK;
    for (size_t i = 0; i < count && status == KC_OK; i++)
        status = add_object(&t, objects[i]);
    if (status == KC_OK && tensors) {
        ledger(&t);
    } else if (status == KC_OK) {
        field_header(&t);
        for (size_t i = 0; i < t.line_count; i++)
            field_row(&t, &t.lines[i]);
    }
    for (size_t i = 0; i < t.counted_count; i++)
        kc_release(t.counted[i]);
    kci_free(t.context, t.counted, t.counted_capacity * sizeof *t.counted);
    kci_free(t.context, t.lines, t.line_capacity * sizeof *t.lines);
    kci_free(t.context, t.paths, t.path_capacity * sizeof *t.paths);
    return status != KC_OK ? status : text->failed ? KC_ENOMEM : KC_OK;
}

const char *kc_csv(kc_object *object, int tensors)
{
    if (!object)
        return NULL;
    kci_text text = { .context = object->context };
    kc_status status = object->kind == KC_SWEEP ? kci_sweep_csv(&text, (const kc_sweep *)(const void *)object)
                                                : kci_csv_objects(&text, &object, 1, tensors != 0);
    if (status == KC_OK)
        return kci_text_keep(&text, &object->json);
    kci_text_free(&text);
    return NULL;
}
