/* devices.c: kcost devices: lists, shows and checks devices. */
#include "devices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kcost.h"
#include "page.h"
#include "terminal.h"

enum { GOOD = 0, FAILED = 1, USAGE = 2 };

/* Where devices come from: what is compiled in, or a VM that looks on KCOST_PATH first and reads files. */
typedef struct shelf {
    kc_context *context;
    kc_vm *vm;
} shelf;

static bool begins(const char *path, const char *start)
{
    return strncmp(path, start, strlen(start)) == 0;
}

static int failed(const shelf *from, int status)
{
    const char *message = from->vm ? kc_vm_message(from->vm) : kc_context_message(from->context);
    if (begins(message, "devices:")) /* the script of `named`, which is no place */
        message = strstr(message, ": ") + strlen(": ");
    complain("%s", message);
    return status;
}

/* The device of that name or alias, a new reference; NULL after the sentence. */
static kc_device *named(const shelf *from, const char *name)
{
    static const char ask[] = "local kc = require 'kcost' return kc.device(kc.param('device', ''))";
    if (!from->vm)
        return kc_device_named(from->context, name);
    bool found = kc_vm_param(from->vm, "device", name) == KC_OK &&
                 kc_vm_run(from->vm, ask, strlen(ask), "devices") == KC_OK;
    return found ? kc_retain(kc_vm_answer(from->vm, 0)) : NULL;
}

/* ---- units --------------------------------------------------------------------------- */

static bool ends(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);
    return length >= size && strcmp(path + length - size, end) == 0;
}

/* Units of section 5's figures; NULL: a plain number. */
static const char *unit_of(const char *path, double value)
{
    if (begins(path, "matrix.") || begins(path, "vector."))
        return "FLOP/s";
    if (ends(path, "latency") || begins(path, "launch."))
        return value < 1 ? "s" : NULL; /* else cycles */
    if (ends(path, "clock"))
        return "Hz";
    if (ends(path, ".data_rate"))
        return "bit/s";
    if (ends(path, ".capacity") || begins(path, "tmem.") || (begins(path, "smem.") && !ends(path, "bandwidth")))
        return "B";
    if ((ends(path, ".bandwidth") || ends(path, ".peer")) && !begins(path, "smem."))
        return "B/s";
    return NULL;
}

static const char *dimension_of(const char *path, double value)
{
    if (begins(path, "rate."))
        return " FLOP/clock";
    if (strcmp(path, "special") == 0)
        return " op/clock";
    if (strcmp(path, "smem.bandwidth") == 0)
        return " B/clock";
    if (strcmp(path, "hbm.bus") == 0)
        return " bit";
    if (ends(path, "latency") && value >= 1)
        return " cycles";
    if (strcmp(path, "tdp") == 0)
        return " W";
    return "";
}

static void figure_text(char out[CELL_BYTES], const char *path, double value)
{
    const char *unit = unit_of(path, value);
    if (unit)
        quantity(out, value, unit);
    else if (value > 0 && value < 1)
        snprintf(out, CELL_BYTES, "%.3g", value);
    else
        snprintf(out, CELL_BYTES, "%.10g%s", value, dimension_of(path, value));
}

/* ---- the list --------------------------------------------------------------------------- */

/* What kc_device_get says, and 0 for what is absent. */
static double figure(const kc_device *device, const char *path)
{
    double value;
    return kc_device_get(device, path, &value) == KC_OK ? value : 0;
}

static void figure_cell(sheet *s, double value, const char *unit)
{
    if (value > 0)
        sheet_quantity(s, value, unit);
    else
        sheet_cell(s, NULL);
}

static void whole_cell(sheet *s, const kc_device *device, const char *path)
{
    char text[CELL_BYTES];
    snprintf(text, sizeof text, "%.0f", figure(device, path));
    sheet_cell(s, figure(device, path) > 0 ? text : NULL);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void list_row(sheet *s, const kc_device *device)
{
    double half = larger(figure(device, "matrix.f16"), figure(device, "matrix.bf16"));
    double vector = figure(device, "vector.f32"), bandwidth = figure(device, "hbm.bandwidth");
    sheet_row(s);
    sheet_cell(s, kc_object_name((const kc_object *)(const void *)device));
    sheet_cell(s, kc_device_get_text(device, "name"));
    sheet_cell(s, kc_device_get_text(device, "arch"));
    whole_cell(s, device, "year");
    whole_cell(s, device, "cores");
    figure_cell(s, half, "FLOP/s");
    figure_cell(s, figure(device, "matrix.f8"), "FLOP/s");
    figure_cell(s, vector, "FLOP/s");
    figure_cell(s, figure(device, "hbm.capacity"), "B");
    figure_cell(s, bandwidth, "B/s");
    figure_cell(s, (half > 0 ? half : vector) / bandwidth, "");
}

static sheet *list_sheet(void)
{
    sheet *s = sheet_new();
    sheet_column(s, "device", false, 0);
    sheet_column(s, "product", false, 9);
    sheet_column(s, "arch", false, 5);
    sheet_column(s, "year", true, 7);
    sheet_column(s, "cores", true, 6);
    sheet_column(s, "f16 matrix", true, 1);
    sheet_column(s, "f8 matrix", true, 4);
    sheet_column(s, "f32 vector", true, 3);
    sheet_column(s, "capacity", true, 8);
    sheet_column(s, "bandwidth", true, 1);
    sheet_column(s, "ridge", true, 2);
    return s;
}

static int list(const shelf *from, const page *p)
{
    sheet *s = list_sheet();
    for (size_t i = 0; i < kc_device_count(); i++) {
        kc_device *device = named(from, kc_device_id(i));
        if (!device) {
            sheet_free(s);
            return failed(from, FAILED);
        }
        list_row(s, device);
        kc_release(device);
    }
    page_sheet(p, s);
    if (p->verbosity != QUIET)
        page_line(p, "p", "multiply-add = 2 FLOP; dense peaks; GB = 10^9; f16 matrix: or bf16, where that is faster; ridge: FLOP/byte, of that work, else of f32 "
                  "vectors; kcost devices NAME shows one");
    return GOOD;
}

/* ---- one device -------------------------------------------------------------------------- */

static bool is_peak(const char *path)
{
    return begins(path, "matrix.") || begins(path, "vector.");
}

/* Texts that the heading says, or a row of their own would only repeat. */
static bool in_heading(const char *path)
{
    static const char *const said[] = { "name", "aliases", "vendor", "arch", "year" };
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        if (strcmp(path, said[i]) == 0)
            return true;
    return false;
}

static void heading(const page *p, const kc_device *device)
{
    const char *aliases = kc_device_get_text(device, "aliases"), *arch = kc_device_get_text(device, "arch");
    char year[24];
    snprintf(year, sizeof year, ", %.0f", figure(device, "year"));
    page_heading(p, "%s: %s%s%s%s", kc_object_name((const kc_object *)(const void *)device),
                 kc_device_get_text(device, "name"), arch ? ", " : "", arch ? arch : "", figure(device, "year") > 0 ? year : "");
    if (aliases && *aliases)
        fprintf(p->out, "also: %s\n", aliases);
    fputs("\n", p->out);
}

static const char *source_of(const kc_device *device, const char *path)
{
    char source[256];
    snprintf(source, sizeof source, "source.%.200s", path);
    return kc_device_get_text(device, source);
}

/* Each peak with its rate, the ridge point, the share of it that was measured, and its source. */
static void show_peaks(const page *p, const kc_device *device)
{
    sheet *s = sheet_new();
    sheet_column(s, "peak", false, 0);
    sheet_column(s, "FLOP/s", true, 0);
    sheet_column(s, "FLOP/clock/core", true, 3);
    sheet_column(s, "ridge, FLOP/byte", true, 1);
    sheet_column(s, "sustained", true, 2);
    sheet_column(s, "source", false, 4);
    double bandwidth = figure(device, "hbm.bandwidth");
    const char *path;
    for (size_t i = 0; (path = kc_device_path(device, i)) != NULL; i++) {
        if (!is_peak(path))
            continue;
        char other[64], rate[CELL_BYTES];
        double peak = figure(device, path);
        sheet_row(s);
        sheet_cell(s, path);
        sheet_quantity(s, peak, "FLOP/s");
        snprintf(other, sizeof other, "rate.%.50s", path);
        snprintf(rate, sizeof rate, "%.10g", figure(device, other));
        sheet_cell(s, figure(device, other) > 0 ? rate : NULL);
        sheet_quantity(s, peak / bandwidth, "");
        snprintf(other, sizeof other, "sustained.%.50s", begins(path, "vector.") ? "vector" : path);
        if (figure(device, other) > 0)
            sheet_share(s, figure(device, other));
        else
            sheet_cell(s, NULL);
        sheet_cell(s, source_of(device, path));
    }
    page_sheet(p, s);
}

/* One instruction in one text: "64 x 256 x 16, a group" from the row of its m. */
static void tile_text(char out[CELL_BYTES], const kc_device *device, const char *m)
{
    char path[64];
    double size[3];
    int length = (int)(strlen(m) - strlen("m"));
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%.*s%c", length, m, "mnk"[i]);
        size[i] = figure(device, path);
    }
    snprintf(path, sizeof path, "%.*sscope", length, m);
    const char *scope = kc_device_get_text(device, path);
    snprintf(out, CELL_BYTES, "%.0f x %.0f x %.0f, a %s", size[0], size[1], size[2], scope ? scope : "warp");
}

/* Not in a row of its own: the heading, the table of peaks, the row of an m have it. */
static bool is_shown(const char *path)
{
    return in_heading(path) || is_peak(path) || begins(path, "rate.") ||
           (begins(path, "matrix_tile.") && !ends(path, ".m"));
}

static void figure_row(sheet *s, const kc_device *device, const char *path, bool whole)
{
    char text[CELL_BYTES] = "";
    const char *words = kc_device_get_text(device, path);
    bool tile = !whole && begins(path, "matrix_tile.");
    if (tile)
        tile_text(text, device, path);
    else if (!words)
        figure_text(text, path, figure(device, path));
    sheet_row(s);
    char shorter[64];
    snprintf(shorter, sizeof shorter, "%.*s", (int)strlen(path) - (tile ? 2 : 0), path);
    sheet_cell(s, shorter);
    sheet_cell(s, words ? words : text);
    sheet_cell(s, words ? NULL : source_of(device, path));
}

/* Everything else, with where it comes from; with --verbose each figure in a row of its own. */
static void show_figures(const page *p, const kc_device *device)
{
    sheet *s = sheet_new();
    sheet_column(s, "figure", false, 0);
    sheet_column(s, "value", true, 0);
    sheet_column(s, "source", false, 1);
    bool whole = p->verbosity == VERBOSE;
    const char *path;
    for (size_t i = 0; (path = kc_device_path(device, i)) != NULL; i++)
        if (whole || !is_shown(path))
            figure_row(s, device, path, whole);
    page_sheet(p, s);
}

/* Of `path`, and of the ratio of its format to f16. */
static void show_exception(const kc_device *device, const char *path, FILE *out)
{
    char other[64];
    snprintf(other, sizeof other, "exceptions.%.50s", path);
    const char *why = kc_device_get_text(device, other);
    if (why)
        fprintf(out, "exception: %s: %s\n", path, why);
}

static void show_exceptions(const kc_device *device, FILE *out)
{
    const char *path;
    for (size_t i = 0; (path = kc_device_path(device, i)) != NULL; i++) {
        show_exception(device, path, out);
        if (begins(path, "matrix.")) {
            char ratio[64];
            snprintf(ratio, sizeof ratio, "ratio.%.50s", path + strlen("matrix."));
            show_exception(device, ratio, out);
        }
    }
}

static void show(const page *p, const kc_device *device)
{
    heading(p, device);
    show_peaks(p, device);
    fputs("\n", p->out);
    show_figures(p, device);
    show_exceptions(device, p->out);
    if (p->verbosity != QUIET)
        page_line(p, "p", "multiply-add = 2 FLOP; dense peaks; GB = 10^9");
}

/* ---- checks --------------------------------------------------------------------------------- */

static bool line_has(const char *line, int length, const char *words)
{
    const char *at = strstr(line, words);
    return at && at < line + length;
}

/* The lines of the report on what passes without agreeing: excused, or with nothing to be held against. */
static void excused(const char *report, FILE *out)
{
    while (*report) {
        int length = (int)strcspn(report, "\n");
        if (line_has(report, length, "  exception: ") || line_has(report, length, "  unchecked: "))
            fprintf(out, "    %.*s\n", length, report);
        report += length + (report[length] == '\n');
    }
}

static int check(kc_device *device, const options *o, FILE *out)
{
    const char *name = kc_object_name((const kc_object *)(void *)device), *report = "";
    kc_status status = kc_device_check(device, &report);
    if (status == KC_OK && o->verbosity == VERBOSE)
        fputs(report, out);
    else if (status != KC_OK)
        fprintf(out, "%s%s\n", report, kc_context_message(kc_object_context((kc_object *)(void *)device)));
    if (status == KC_OK)
        fprintf(out, "%s: good\n", name);
    if (status == KC_OK && o->verbosity == NORMAL)
        excused(report, out);
    return status == KC_OK ? GOOD : FAILED;
}

static char *read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in || fseek(in, 0, SEEK_END) != 0) {
        complain("cannot read %s: %s", path, strerror(errno));
        if (in)
            fclose(in);
        return NULL;
    }
    long size = ftell(in);
    rewind(in);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    size_t got = text ? fread(text, 1, (size_t)size, in) : 0;
    if (text)
        text[got] = '\0';
    else
        complain("not enough memory");
    fclose(in);
    return text;
}

/* A device's file returns a table; `kc.device` makes a device of it.  All stands on
 * the file's first line, so that the lines in messages are its own. */
static char *device_script(const char *text)
{
    static const char before[] = "local kc = require 'kcost' return kc.device((function() ";
    static const char after[] = "\nend)())";
    char *script = malloc(sizeof before + strlen(text) + sizeof after);
    if (script)
        sprintf(script, "%s%s%s", before, text, after);
    return script;
}

static int check_file(const char *path, const options *o, FILE *out)
{
    char *text = read_file(path);
    if (!text)
        return USAGE;
    char *script = device_script(text);
    free(text);
    kc_vm *vm = NULL;
    kc_vm_options asked = { .trusted = 1 };
    int status = FAILED;
    if (!script || kc_vm_new(&asked, &vm) != KC_OK) {
        complain("not enough memory");
    } else if (kc_vm_run(vm, script, strlen(script), path) != KC_OK) {
        complain("%s", kc_vm_message(vm));
    } else {
        kc_object *answer = kc_vm_answer(vm, 0);
        if (answer && kc_object_kind(answer) == KC_DEVICE)
            status = check((kc_device *)(void *)answer, o, out);
        else
            complain("%s does not return a device's table", path);
    }
    kc_vm_free(vm);
    free(script);
    return status;
}

static bool is_file(const char *word)
{
    return strchr(word, '/') || strchr(word, '.');
}

/* ---- the command ------------------------------------------------------------------------------ */

static int one(const shelf *from, const char *word, const options *o, const page *p)
{
    if (o->check && is_file(word))
        return check_file(word, o, p->out);
    kc_device *device = named(from, word);
    if (!device)
        return failed(from, USAGE);
    int status = GOOD;
    if (o->check)
        status = check(device, o, p->out);
    else if (o->format == FORMAT_JSON)
        fprintf(p->out, "%s\n", kc_json((kc_object *)(void *)device));
    else
        show(p, device);
    kc_release(device);
    return status;
}

static int all(const shelf *from, const options *o, FILE *out)
{
    int status = GOOD;
    if (!o->check)
        fputs("[", out);
    for (size_t i = 0; i < kc_device_count(); i++) {
        kc_device *device = named(from, kc_device_id(i));
        const char *json = !o->check && device ? kc_json((kc_object *)(void *)device) : NULL;
        if (!device || (!o->check && !json)) {
            kc_release(device);
            return failed(from, FAILED);
        }
        if (o->check && check(device, o, out) != GOOD)
            status = FAILED;
        if (json)
            fprintf(out, "%s%s", i ? "," : "", json);
        kc_release(device);
    }
    if (!o->check)
        fputs("]\n", out);
    return status;
}

static int run(const shelf *from, const options *o, const page *p)
{
    int status = GOOD;
    if (o->word_count == 1)
        return o->check || o->format == FORMAT_JSON ? all(from, o, p->out) : list(from, p);
    for (size_t i = 1; i < o->word_count; i++) {
        if (i > 1 && !o->check && o->format != FORMAT_JSON)
            fputs("\n", p->out);
        int result = one(from, o->words[i], o, p);
        if (result > status)
            status = result;
    }
    return status;
}

/* kcost devices mine.lua */
static bool names_file(const options *o)
{
    for (size_t i = 1; i < o->word_count; i++)
        if (ends(o->words[i], ".lua"))
            return true;
    return false;
}

int devices_command(const options *o, FILE *out)
{
    if (o->format == FORMAT_CSV || o->format == FORMAT_CSV_TENSORS || o->code || o->setting_count) {
        complain("devices takes names, --check, --json and -o");
        return USAGE;
    }
    shelf from = { .context = kc_context_new(NULL, NULL) };
    kc_vm_options asked = { .trusted = 1, .path = getenv("KCOST_PATH") };
    if (!from.context || ((asked.path || names_file(o)) && kc_vm_new(&asked, &from.vm) != KC_OK)) {
        complain("not enough memory");
        kc_context_free(from.context);
        return FAILED;
    }
    page p = page_of(out, o);
    int status = run(&from, o, &p);
    terminal_fitted(p.out, out);
    kc_vm_free(from.vm);
    kc_context_free(from.context);
    return status;
}
