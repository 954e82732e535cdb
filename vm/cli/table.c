/* table.c: results, comparisons and programs as tables for people. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "sheet.h"
#include "terminal.h"

/* ---- one row a result ------------------------------------------------------------- */

typedef enum extra { NO_EXTRA, WITH_NUMBER, WITH_RATIO } extra;

/* `device`: the rank of its column; below 0: there is none. */
static sheet *result_sheet(const page *p, extra with, int device)
{
    bool more = p->verbosity == VERBOSE;
    sheet *s = sheet_new();
    if (with == WITH_NUMBER)
        sheet_column(s, "#", true, 3);
    sheet_column(s, with == WITH_NUMBER ? "kernel" : "name", false, 0);
    if (device >= 0)
        sheet_column(s, "device", false, device);
    sheet_column(s, "launches", true, 12);
    sheet_column(s, "work", true, 4);
    sheet_column(s, "HBM", true, 2);
    sheet_column(s, "FLOP/B", true, 5);
    sheet_column(s, "time", true, 1);
    sheet_column(s, with == WITH_NUMBER ? "share" : "of roof", true, with == WITH_NUMBER ? 4 : 10);
    sheet_column(s, "bound by", false, 3);
    sheet_column(s, "measured", true, 6);
    sheet_column(s, "measured x", true, 7);
    if (with == WITH_RATIO) {
        sheet_column(s, "time x", true, 6);
        sheet_column(s, "HBM x", true, 7);
    }
    if (!more)
        return s;
    sheet_column(s, "rate", true, 11);
    sheet_column(s, "L2", true, 13);
    sheet_column(s, "smem", true, 14);
    sheet_column(s, "registers", true, 16);
    sheet_column(s, "CTAs", true, 15);
    sheet_column(s, "per core", true, 17);
    sheet_column(s, "waves", true, 18);
    sheet_column(s, "passes", true, 19);
    return s;
}

static void number_cell(sheet *s, const kc_result *r, kc_field field, const char *unit)
{
    double value;
    if (kc_result_number(r, field, &value) == KC_OK)
        sheet_quantity(s, value, unit);
    else
        sheet_cell(s, NULL);
}

static void count_cell(sheet *s, const kc_result *r, kc_field field)
{
    double value;
    if (kc_result_number(r, field, &value) == KC_OK)
        sheet_count(s, value);
    else
        sheet_cell(s, NULL);
}

static double number_of(const kc_result *r, kc_field field)
{
    double value;
    return kc_result_number(r, field, &value) == KC_OK ? value : 0;
}

static void share_cell(sheet *s, double part, double whole)
{
    if (whole > 0)
        sheet_share(s, part / whole);
    else
        sheet_cell(s, NULL);
}

/* Of the roof that binds, by its class. */
static const char *colour_of(const kc_result *r)
{
    const char *class = kc_result_class(r);
    if (!class)
        return NULL;
    return strcmp(class, "compute-bound") == 0 ? TERMINAL_COMPUTE
           : strcmp(class, "memory-bound") == 0 ? TERMINAL_MEMORY : TERMINAL_OTHER;
}

/* The cells from the launches to what was measured; `whole`: the program's time, or 0. */
static void figures(sheet *s, const kc_result *r, double whole)
{
    if (number_of(r, KC_LAUNCHES) > 1)
        count_cell(s, r, KC_LAUNCHES);
    else
        sheet_cell(s, NULL);
    number_cell(s, r, KC_FLOPS, "FLOP");
    number_cell(s, r, KC_BYTES, "B");
    number_cell(s, r, KC_INTENSITY, "");
    number_cell(s, r, KC_TIME, "s");
    if (whole > 0)
        share_cell(s, number_of(r, KC_TIME), whole);
    else
        share_cell(s, number_of(r, KC_ROOF_TIME), number_of(r, KC_TIME));
    sheet_marked(s, kc_result_bound(r), colour_of(r));
    number_cell(s, r, KC_MEASURED, "s");
    number_cell(s, r, KC_MEASURED_RATIO, "");
}

static void more_figures(const page *p, sheet *s, const kc_result *r)
{
    if (p->verbosity != VERBOSE)
        return;
    number_cell(s, r, KC_THROUGHPUT, "FLOP/s");
    number_cell(s, r, KC_L2_BYTES, "B");
    number_cell(s, r, KC_SMEM, "B");
    number_cell(s, r, KC_REGISTER_BYTES, "B");
    count_cell(s, r, KC_CTAS);
    count_cell(s, r, KC_OCCUPANCY);
    count_cell(s, r, KC_WAVES);
    count_cell(s, r, KC_PASSES);
}

/* ---- what --verbose adds ------------------------------------------------------------ */

static void ledger_row(sheet *s, const char *name, const double *column)
{
    sheet_row(s);
    sheet_cell(s, name);
    for (int c = 0; c < KC_LEDGER_COUNT; c++) {
        if (column[c] == 0 && c != KC_TENSOR_READ && c != KC_TENSOR_WRITTEN)
            sheet_cell(s, NULL);
        else if (c == KC_TENSOR_LOADS)
            sheet_count(s, column[c]);
        else
            sheet_quantity(s, column[c], "B");
    }
}

static void ledger(const page *p, const kc_result *r)
{
    static const int ranks[KC_LEDGER_COUNT] = { 1, 2, 8, 7, 6, 5, 5, 4, 4 };
    sheet *s = sheet_new();
    double total[KC_LEDGER_COUNT] = { 0 };
    sheet_column(s, "tensor", false, 0);
    for (int c = 0; c < KC_LEDGER_COUNT; c++) {
        const char *name = kc_ledger_name((kc_ledger)c);
        const char *title = c == KC_TENSOR_READ ? "read" : c == KC_TENSOR_WRITTEN ? "written"
                            : c == KC_TENSOR_L2 ? "L2" : name;
        sheet_column(s, title, true, ranks[c]);
    }
    for (size_t i = 0; i < kc_result_tensors(r); i++) {
        double column[KC_LEDGER_COUNT];
        for (int c = 0; c < KC_LEDGER_COUNT; c++) {
            column[c] = kc_result_tensor_number(r, i, (kc_ledger)c);
            total[c] += column[c];
        }
        ledger_row(s, kc_result_tensor_name(r, i), column);
    }
    if (kc_result_tensors(r) > 1)
        ledger_row(s, "total", total);
    page_sheet(p, s);
}

/* A text that the model made; where it found no memory, that is said. */
static const char *made(const char *text)
{
    if (!text)
        output_lacks_memory();
    return text ? text : "";
}

static void heading(const page *p, const char *name, const char *device)
{
    page_heading(p, "%s%s%s", name, device ? " on " : "", device ? device : "");
}

static void line(const page *p, const char *label, const char *text)
{
    FILE *out = page_begin(p, "p");
    fprintf(out, "%s%s\n", label, text);
    page_end(p, "p", out);
}

static void explanation(const page *p, kc_result *r)
{
    if (!p->explain)
        return;
    const char *text = p->field ? kc_result_formula(r, p->field) : kc_result_explain(r);
    if (!text) {
        const kc_context *context = kc_object_context((kc_object *)(void *)r);
        if (kc_context_status(context) == KC_ENOMEM)
            output_lacks_memory();
        else
            complain("%s", kc_context_message(context));
        if (p->lacking)
            *p->lacking = true;
        return;
    }
    if (!p->html)
        fputs("\n", p->out);
    FILE *out = page_begin(p, "pre");
    fputs(text, out);
    page_end(p, "pre", out);
}

/* "measured 612 us is 3.19 times the estimate and 23 % of the compute roof"; of one that beats the roof the likely cause. */
static void measured(const page *p, const kc_result *r)
{
    for (size_t i = 0; i < kc_result_notes(r); i++) {
        const char *note = kc_result_note(r, i);
        if (strncmp(note, "measured ", strlen("measured ")) != 0 && strncmp(note, "likely cause: ", strlen("likely cause: ")) != 0)
            continue;
        FILE *out = page_begin(p, "p");
        fprintf(out, "%s on %s: %s\n", kc_result_name(r), kc_result_device(r), note);
        page_end(p, "p", out);
    }
}

/* An interrupted search says so wherever it is shown. */
static void partial(const page *p, const kc_result *r)
{
    for (size_t i = 0; kc_result_interrupted(r) && i < kc_result_notes(r); i++)
        if (strncmp(kc_result_note(r, i), "partial: ", strlen("partial: ")) == 0)
            line(p, "", kc_result_note(r, i));
}

static void details(const page *p, kc_result *r)
{
    if (!kc_result_convention(r)) { /* nor its schedule and notes */
        output_lacks_memory();
        return;
    }
    if (p->verbosity != VERBOSE)
        partial(p, r);
    if (p->verbosity == NORMAL && !p->explain && number_of(r, KC_MEASURED) > 0)
        measured(p, r);
    explanation(p, r);
    if (p->verbosity != VERBOSE)
        return;
    fputs("\n", p->out);
    heading(p, kc_result_name(r), kc_result_device(r));
    if (kc_result_schedule(r))
        line(p, "schedule: ", made(kc_result_schedule_line(r)));
    ledger(p, r);
    for (size_t i = 0; i < kc_result_notes(r); i++)
        line(p, "note: ", kc_result_note(r, i));
}

/* The conventions, and where more is to be had. */
static void footer(const page *p, const kc_result *r)
{
    if (p->verbosity == QUIET || !r)
        return;
    page_line(p, "p", made(kc_result_convention(r)));
}

/* ---- the tables --------------------------------------------------------------------------- */

/* Where it tells rows apart it stays in a narrow table. */
static int device_rank(kc_result *const *results, size_t count)
{
    enum { NONE = -1, STAYS = 0, GOES = 8 };
    const char *first = NULL;
    bool differ = false;
    for (size_t i = 0; i < count; i++) {
        const char *device = kc_result_device(results[i]);
        differ = differ || (first && device && strcmp(first, device) != 0);
        first = first ? first : device;
    }
    return !first ? NONE : differ ? STAYS : GOES;
}

void table_results(const page *p, kc_result *const *results, size_t count)
{
    int device = device_rank(results, count);
    sheet *s = result_sheet(p, NO_EXTRA, device);
    for (size_t i = 0; i < count; i++) {
        sheet_row(s);
        sheet_cell(s, made(kc_result_label(results[i], results, count)));
        if (device >= 0)
            sheet_cell(s, kc_result_device(results[i]));
        figures(s, results[i], 0);
        more_figures(p, s, results[i]);
    }
    page_sheet(p, s);
    for (size_t i = 0; i < count; i++)
        details(p, results[i]);
    footer(p, results[0]);
}

static void kernel_rows(const page *p, sheet *s, const kc_result *program)
{
    double whole = number_of(program, KC_TIME);
    for (size_t i = 0; i < kc_result_kernels(program); i++) {
        kc_result *kernel = kc_result_kernel(program, i);
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        sheet_row(s);
        sheet_cell(s, number);
        sheet_cell(s, kc_result_name(kernel));
        figures(s, kernel, whole);
        more_figures(p, s, kernel);
        kc_release(kernel);
    }
    sheet_row(s);
    sheet_cell(s, NULL);
    sheet_cell(s, "total");
    figures(s, program, whole);
    more_figures(p, s, program);
}

static void program_body(const page *p, kc_result *program)
{
    if (p->verbosity != QUIET)
        heading(p, kc_result_name(program), kc_result_device(program));
    sheet *s = result_sheet(p, WITH_NUMBER, -1);
    kernel_rows(p, s, program);
    page_sheet(p, s);
    details(p, program);
}

void table_program(const page *p, kc_result *program)
{
    program_body(p, program);
    footer(p, program);
}

static void ratio_cell(sheet *s, const kc_comparison *c, size_t row, kc_field field)
{
    double ratio;
    if (kc_comparison_ratio(c, row, field, &ratio) == KC_OK)
        sheet_quantity(s, ratio, "");
    else
        sheet_cell(s, NULL);
}

/* `all`: the results of the comparison, row by row. */
static void comparison_row(const page *p, sheet *s, const kc_comparison *c, size_t row, kc_result *const *all)
{
    kc_result *r = all[row];
    sheet_row(s);
    sheet_cell(s, made(kc_comparison_label(c, row)));
    if (!r) {
        for (int i = 0; i < 6; i++)
            sheet_cell(s, NULL);
        sheet_cell(s, "does not run");
        return;
    }
    figures(s, r, 0);
    ratio_cell(s, c, row, KC_TIME);
    ratio_cell(s, c, row, KC_BYTES);
    more_figures(p, s, r);
}

static void comparison_details(const page *p, kc_result *r)
{
    if (r && p->verbosity == VERBOSE && kc_result_kernels(r)) {
        fputs("\n", p->out);
        program_body(p, r);
    } else if (r) {
        details(p, r);
    }
}

static void failure(const page *p, const char *name, const char *why)
{
    FILE *out = page_begin(p, "p");
    fprintf(out, "%s: %s\n", name, why);
    page_end(p, "p", out);
}

static void comparison_table(const page *p, const kc_comparison *c, size_t column, size_t columns, kc_result *const *all)
{
    size_t rows = kc_comparison_rows(c);
    sheet *s = result_sheet(p, WITH_RATIO, -1);
    for (size_t row = column; row < rows; row += columns)
        comparison_row(p, s, c, row, all);
    page_sheet(p, s);
    for (size_t row = column; row < rows; row += columns)
        if (kc_comparison_error(c, row))
            failure(p, made(kc_comparison_label(c, row)), kc_comparison_error(c, row));
    for (size_t row = column; row < rows; row += columns)
        comparison_details(p, all[row]);
}

void table_comparison(const page *p, const kc_comparison *c)
{
    size_t rows = kc_comparison_rows(c), devices = kc_comparison_devices(c);
    size_t columns = devices ? devices : 1;
    kc_result *any = NULL, **all = calloc(rows, sizeof *all);
    if (!all) {
        output_lacks_memory();
        return;
    }
    for (size_t row = 0; row < rows; row++) {
        all[row] = kc_comparison_result(c, row);
        any = any ? any : all[row];
    }
    for (size_t d = 0; d < columns; d++) {
        if (d)
            fputs("\n", p->out);
        if (devices && (p->verbosity != QUIET || devices > 1))
            page_heading(p, "on %s", kc_comparison_device(c, d));
        comparison_table(p, c, d, columns, all);
    }
    footer(p, any);
    for (size_t row = 0; row < rows; row++)
        kc_release(all[row]);
    free(all);
}
