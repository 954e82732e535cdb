/* main.c: the command kcost: runs a script, prints what it returns. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "draw.h"
#include "kcost.h"
#include "merge.h"
#include "oneline.h"
#include "options.h"
#include "output.h"
#include "plot.h"
#include "prompt.h"
#include "sandbox.h"
#include "sweep.h"
#include "table.h"
#include "terminal.h"
#include "watch.h"

enum { HELP_WIDTH = 100 };          /* of --help where there is no limit */
enum { GOOD = 0, FAILED = 1, USAGE = 2, LIMIT = 3, INTERRUPTED = 130 };

static int fail(const char *sentence)
{
    complain("%s", sentence);
    return FAILED;
}

static int status_of(kc_status status)
{
    switch (status) {
    case KC_OK:
        return GOOD;
    case KC_ELIMIT:
        return LIMIT;
    case KC_EARGUMENT: /* no such file, a --set that no script asked for */
        return USAGE;
    default:
        return FAILED;
    }
}

/* ---- running --------------------------------------------------------------------------- */

/* print(): among the results, or beside them where they are for a program.  A terminal's width may change. */
typedef struct printing {
    FILE *out;
    bool fits;
    watch *seen;                    /* whose line is in the way */
} printing;

static void print(void *data, const char *text, size_t length)
{
    const printing *p = data;
    watch_erase(p->seen);
    FILE *out = p->fits ? terminal_fit(p->out, terminal_width(p->out)) : p->out;
    fwrite(text, 1, length, out);
    terminal_fitted(out, p->out);
}

static kc_status give_settings(kc_vm *vm, const options *o)
{
    for (size_t i = 0; i < o->setting_count; i++) {
        const setting *s = &o->settings[i];
        char *name = calloc(1, s->length + 1);
        if (!name)
            return KC_ENOMEM;
        memcpy(name, s->name, s->length);
        kc_status status = kc_vm_param(vm, name, s->value);
        free(name);
        if (status != KC_OK)
            return status;
    }
    return KC_OK;
}

/* How wide a page of help may be. */
static kc_status give_columns(kc_vm *vm)
{
    char text[24];
    size_t width = terminal_width(stdout);
    snprintf(text, sizeof text, "%zu", width);
    return width ? kc_vm_param(vm, "columns", text) : KC_OK;
}

static kc_status run_text(kc_vm *vm, watch *seen, char *text, size_t length, const char *name)
{
    watch_begin(seen, vm);
    kc_status status = text ? kc_vm_run(vm, text, length, name) : KC_ENOMEM;
    free(text);
    return status;
}

/* The line numbers stay; what is not asked for takes no time. */
static kc_status run_code(kc_vm *vm, watch *seen, const char *code)
{
    static const char head[] = "local kc = require 'kcost' ";
    char *text = calloc(1, sizeof head + strlen(code));
    if (text)
        strcat(strcpy(text, strstr(code, "kc") ? head : ""), code);
    return run_text(vm, seen, text, text ? strlen(text) : 0, "command line");
}

static kc_status run(kc_vm *vm, const options *o, watch *seen)
{
    if (oneline_wanted(o)) {
        char *text = oneline_code(o);
        return run_text(vm, seen, text, text ? strlen(text) : 0, o->words[0]);
    }
    kc_status status = give_settings(vm, o);
    if (status == KC_OK && o->help)
        status = give_columns(vm);
    if (status != KC_OK)
        return status;
    if (o->code)
        return run_code(vm, seen, o->code);
    if (strcmp(o->words[0], "-") == 0) {
        size_t length;
        char *text = output_read(stdin, &length);
        return run_text(vm, seen, text, length, "stdin");
    }
    watch_begin(seen, vm);
    return kc_vm_run_file(vm, o->words[0]);
}

/* How much of a message says where: "script.lua:3". */
static size_t place_of(const char *message)
{
    const char *end = strstr(message, ": the host interrupted it");
    return end ? (size_t)(end - message) : strlen(message);
}

static int say_failure(const kc_vm *vm, const options *o, kc_status status)
{
    const char *message = kc_vm_message(vm);
    const char *traceback = kc_vm_traceback(vm);
    output_close(stdout, NULL); /* what it printed before */
    if (kc_vm_limit(vm) == KC_LIMIT_INTERRUPT) {
        complain("%.*s: interrupted", (int)place_of(message), message);
        return INTERRUPTED;
    }
    fail(message && *message ? message : "not enough memory");
    if (o->verbosity == VERBOSE && traceback && *traceback)
        terminal_text(stderr, traceback);
    return status_of(status);
}

/* ---- showing what a script returned ------------------------------------------------------ */

/* The character that stands for an escape in JSON; of \u only control characters occur. */
static char unescaped(const char **at)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    char c = *++*at;
    const char *letter = strchr(letters, c);
    if (letter && c)
        return meant[letter - letters];
    if (c != 'u')
        return c;
    char digits[3] = { (*at)[3], (*at)[4], '\0' };
    *at += 4;
    return (char)strtol(digits, NULL, 16);
}

/* Behind the quote that ends the JSON string at `at`; its characters go to `out`, if any. */
static const char *end_of_string(FILE *out, const char *at)
{
    for (at++; *at != '"'; at++) {
        char c = *at == '\\' ? unescaped(&at) : *at;
        if (out)
            fputc(c, out);
    }
    return at + 1;
}

/* A record, as the JSON of ours at `at`: a line "path: value" a member.  Returns what follows it. */
static const char *show_record(FILE *out, const char *at, const char *path)
{
    for (at++; *at != '}'; at += *at == ',') {
        char inside[512];
        const char *end = end_of_string(NULL, at);
        snprintf(inside, sizeof inside, "%s%s%.*s", path, *path ? "." : "", (int)(end - at) - 2, at + 1);
        at = end + 1;
        if (*at == '{') {
            at = show_record(out, at, inside);
            continue;
        }
        fprintf(out, "%s: ", inside);
        end = *at == '"' ? end_of_string(out, at) : at + strcspn(at, ",}");
        if (*at != '"')
            fwrite(at, 1, (size_t)(end - at), out);
        fputs("\n", out);
        at = end;
    }
    return at + 1;
}

/* A plain value is its JSON; a string is itself, without line ends at its end. */
static void show_plain(FILE *out, const char *json)
{
    const char *end = json + strlen(json);
    if (json[0] == '{') {
        show_record(out, json, "");
        return;
    }
    if (json[0] != '"') {
        fprintf(out, "%s\n", json);
        return;
    }
    end--;
    while (end - json > 2 && strncmp(end - 2, "\\n", 2) == 0 && end[-3] != '\\')
        end -= 2;
    for (const char *at = json + 1; at < end; at++)
        fputc(*at == '\\' ? unescaped(&at) : *at, out);
    fputs("\n", out);
}

static int show_plot(const page *p, const char *json)
{
    const char *wrong;
    figure *plot = plot_read(json, &wrong);
    if (!plot)
        return fail(*wrong ? wrong : "not enough memory");
    plot_table(p, plot);
    plot_free(plot);
    return GOOD;
}

/* A kernel, program or written tensor is counted; a new reference. */
static kc_result *counted(kc_object *object)
{
    switch (kc_object_kind(object)) {
    case KC_RESULT:
        return kc_retain(object);
    case KC_KERNEL:
    case KC_PROGRAM:
    case KC_TENSOR:
        return kc_count(object, NULL);
    default:
        return NULL;
    }
}

/* Results that follow each other and are no programs share a table. */
typedef struct pending {
    kc_result **results;
    size_t count;
    bool above, tall;               /* something stands above; it has several lines */
} pending;

/* A blank line between two things, unless both are one line. */
static void separate(const page *p, pending *list, bool tall)
{
    if (list->above && (tall || list->tall))
        fputs("\n", p->out);
    list->above = true;
    list->tall = tall;
}

static void flush(const page *p, pending *list)
{
    if (list->count == 0)
        return;
    separate(p, list, true);
    table_results(p, list->results, list->count);
    for (size_t i = 0; i < list->count; i++)
        kc_release(list->results[i]);
    list->count = 0;
}

static int show_object(const page *p, pending *list, kc_object *object)
{
    kc_kind kind = kc_object_kind(object);
    kc_result *r = counted(object);
    if (r && kc_result_kernels(r) == 0) {
        list->results[list->count++] = r;
        return GOOD;
    }
    flush(p, list);
    separate(p, list, true);
    if (r) {
        table_program(p, r);
        kc_release(r);
    } else if (kind == KC_KERNEL || kind == KC_PROGRAM || kind == KC_TENSOR) {
        return fail(kc_context_message(kc_object_context(object)));
    } else if (kind == KC_COMPARISON) {
        table_comparison(p, (const kc_comparison *)(const void *)object);
    } else if (kind == KC_SWEEP) {
        table_sweep(p, (const kc_sweep *)(const void *)object);
    } else {
        const char *text = kc_object_text(object);
        page_line(p, "pre", text ? text : "");
    }
    return GOOD;
}

static int show_tables(kc_vm *vm, const page *p)
{
    size_t count = kc_vm_answers(vm);
    pending list = { .results = calloc(count + 1, sizeof(kc_result *)) };
    int status = list.results ? GOOD : fail("not enough memory");
    for (size_t i = 0; i < count && status == GOOD; i++) {
        kc_object *object = kc_vm_answer(vm, i);
        if (object) {
            status = show_object(p, &list, object);
            continue;
        }
        const char *text = kc_vm_answer_text(vm, i), *shown = kc_vm_answer_shown(vm, i);
        flush(p, &list);
        if (shown) {
            separate(p, &list, true);
            page_line(p, "pre", shown);
        } else if (kc_vm_answer_is_plot(vm, i)) {
            separate(p, &list, true);
            status = show_plot(p, text);
        } else if (text) {
            separate(p, &list, text[0] == '{' || strstr(text, "\\n") != NULL);
            FILE *out = page_begin(p, "pre");
            show_plain(out, text);
            page_end(p, "pre", out);
        }
    }
    if (list.results)
        flush(p, &list);
    free(list.results);
    return status;
}

static int show_document(FILE *out, const char *text, const kc_vm *vm)
{
    if (!text)
        return fail(kc_vm_message(vm));
    fputs(text, out);
    size_t length = strlen(text);
    if (length && text[length - 1] != '\n')
        fputs("\n", out);
    return GOOD;
}

static int show(kc_vm *vm, const options *o, FILE *out)
{
    switch (o->format) {
    case FORMAT_JSON:
        return show_document(out, kc_vm_json(vm), vm);
    case FORMAT_CSV:
        return show_document(out, kc_vm_csv(vm, 0), vm);
    case FORMAT_CSV_TENSORS:
        return show_document(out, kc_vm_csv(vm, 1), vm);
    default: {
        bool lacking = false;
        page p = page_of(out, o);
        p.lacking = &lacking;
        int status = show_tables(vm, &p);
        terminal_fitted(p.out, out);
        return lacking && status == GOOD ? FAILED : status;
    }
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* A prompt prints as it goes. */
static int run_prompt(kc_vm *vm, const options *o)
{
    FILE *out = output_open(o->output);
    if (!out)
        return FAILED;
    int status = prompt_run(vm, o, show, out);
    return output_close(out, o->output) ? status : FAILED;
}

/* The file is opened only when there is something to write into it. */
static int to_output(kc_vm *vm, const options *o)
{
    FILE *out = output_open(o->output);
    if (!out)
        return FAILED;
    int status = show(vm, o, out);
    if (status == GOOD && !draw(vm, o, out, show_tables))
        status = FAILED;
    return output_close(out, o->output) || status != GOOD ? status : FAILED;
}

static int run_script(const options *o)
{
    if (o->what == RUN && !o->code && !oneline_wanted(o) && strcmp(o->words[0], "-") != 0) {
        FILE *script = fopen(o->words[0], "r");
        if (!script) {
            complain("cannot read %s: %s", o->words[0], strerror(errno));
            return USAGE;
        }
        fclose(script);
    }
    kc_vm *vm = NULL;
    if (o->sandbox)
        terminal_guard();
    watch seen = { .shows = o->verbosity != QUIET && terminal_moves(stderr) };
    printing prints = { .out = o->format == FORMAT_TABLE ? stdout : stderr, .seen = &seen };
    prints.fits = terminal_width(prints.out) > 0;
    kc_vm_options asked = { .print = print, .print_data = &prints,
                            .trusted = !o->sandbox, .path = getenv("KCOST_PATH"), .memory_limit = o->memory_limit,
                            .time_limit = o->time_limit, .instruction_limit = o->instruction_limit };
    kc_status status = kc_vm_new(&asked, &vm);
    if (status != KC_OK)
        return fail(status == KC_EENGINE ? "another Lua engine shadows the one that kcost needs"
                                             : "not enough memory");
    kc_vm_threads(vm, o->threads);
    kc_vm_watch(vm, watch_call, &seen);
    if (o->parts)
        kc_vm_shard(vm, o->part, o->parts);
    status = o->what == PROMPT ? give_settings(vm, o) : run(vm, o, &seen);
    watch_end(&seen);
    int result = status != KC_OK ? say_failure(vm, o, status) : o->what == PROMPT ? run_prompt(vm, o) : to_output(vm, o);
    kc_vm_free(vm);
    return seen.interrupted ? INTERRUPTED : result;
}

static int run_devices(const options *o)
{
    FILE *out = output_open(o->output);
    if (!out)
        return FAILED;
    int status = devices_command(o, out);
    return output_close(out, o->output) ? status : FAILED;
}

/* Plots and a report are what a script that returned the whole would get. */
static bool draw_merged(const merge *m, const options *o)
{
    kc_vm *vm = NULL;
    kc_vm_options asked = { .trusted = 1, .path = getenv("KCOST_PATH") };
    if (!o->plot && !o->plot_data && !o->html)
        return true;
    if (kc_vm_new(&asked, &vm) != KC_OK)
        return complain("not enough memory");
    bool good = merge_give(m, vm) && draw(vm, o, stdout, show_tables);
    kc_vm_free(vm);
    return good;
}

/* The parts are read before the file is opened: it may be one of them. */
static int run_merge(const options *o)
{
    merge *m = merge_parts(o);
    FILE *out = m ? output_open(o->output) : NULL;
    int status = out ? GOOD : FAILED;
    if (out) {
        bool picture = o->plot && strcmp(o->plot, "-") == 0; /* on standard output no document goes with it */
        if (!picture || o->output)
            merge_show(m, o, out);
        status = draw_merged(m, o) ? GOOD : FAILED;
        status = output_close(out, o->output) ? status : FAILED;
    }
    merge_free(m);
    return status;
}

static int act(const options *o)
{
    switch (o->what) {
    case SHOW_HELP: {
        size_t width = terminal_width(stdout);
        FILE *out = terminal_fit(stdout, width ? width : HELP_WIDTH);
        options_help(out);
        terminal_fitted(out, stdout);
        return GOOD;
    }
    case SHOW_VERSION:
        printf("kcost %s\n", kc_version());
        return GOOD;
    case RUN:
        if (!o->code && strcmp(o->words[0], "devices") == 0)
            return run_devices(o);
        if (!o->code && strcmp(o->words[0], "merge") == 0)
            return run_merge(o);
        return o->sandbox ? sandbox_run(o, run_script) : run_script(o);
    case PROMPT:
        return run_script(o);
    default:
        return USAGE;
    }
}

int main(int argc, char **argv)
{
    output_guard();
    setlocale(LC_CTYPE, ""); /* widths and "µ"; never LC_NUMERIC */
    options o = options_read(argc, argv);
    int status = act(&o);
    options_free(&o);
    if (status == GOOD && !output_close(stdout, NULL))
        status = FAILED;
    return status;
}
