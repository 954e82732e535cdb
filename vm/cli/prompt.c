/* prompt.c: the prompt: reads lines until they are a whole chunk, runs it, prints what it gives. */
#define _POSIX_C_SOURCE 200809L

#include "prompt.h"

#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "terminal.h"
#include "watch.h"

static const char chunk[] = "input";

/* ---- a chunk --------------------------------------------------------------------------------------- */

typedef struct prompt {
    kc_vm *vm;
    const options *options;
    edit *edit;
    watch seen;
    bool interrupted;               /* the last run */
    FILE *out;
    size_t width;                   /* that help is fitted to; 0 at first: as it comes */
    char *text;                     /* the lines so far */
    size_t length;
    char **words;                   /* that complete a line */
    size_t word_count;
} prompt;

static bool add_line(prompt *p, const char *line)
{
    size_t length = strlen(line), end = length && line[length - 1] == '\n' ? 0 : 1;
    char *grown = realloc(p->text, p->length + length + end + 1);
    if (!grown)
        return false;
    p->text = grown;
    memcpy(grown + p->length, line, length);
    p->length += length + end;
    grown[p->length - 1] = '\n';
    grown[p->length] = '\0';
    return true;
}

/* Which line it was is worth saying where there are several. */
static const char *without_place(const char *message, const char *text)
{
    static const char only[] = "input:1: ";
    bool one = !strchr(text, '\n') || strchr(text, '\n')[1] == '\0';
    return one && strncmp(message, only, strlen(only)) == 0 ? message + strlen(only) : message;
}

static void say_failure(const prompt *p)
{
    const char *message = kc_vm_message(p->vm), *traceback = kc_vm_traceback(p->vm);
    if (p->interrupted) {
        fputs("interrupted\n", stderr);
        return;
    }
    terminal_text(stderr, without_place(message, p->text));
    if (p->options->verbosity == VERBOSE && *traceback)
        terminal_text(stderr, traceback);
}

static kc_status run(prompt *p, const char *text, size_t length, int *more)
{
    watch_begin(&p->seen, p->vm);
    kc_status status = kc_vm_line(p->vm, text, length, chunk, more);
    p->interrupted = watch_end(&p->seen);
    return status;
}

/* ---- completion ------------------------------------------------------------------------------------- */

static void forget_words(prompt *p)
{
    for (size_t i = 0; i < p->word_count; i++)
        free(p->words[i]);
    free(p->words);
    p->words = NULL;
    p->word_count = 0;
}

/* The JSON of a name is the name in quotes. */
static char *name_of(const char *json)
{
    size_t length = strlen(json);
    return length > 2 ? strndup(json + 1, length - 2) : NULL;
}

/* Asks the stdlib, which knows the names: complete.names gives the length of what is typed of the last name,
 * then the names. */
static size_t complete(void *data, const char *before, size_t *typed, const char *const **words)
{
    prompt *p = data;
    int more;
    size_t length = strlen(before) + 64;
    char *code = malloc(length);
    forget_words(p);
    if (!code || strstr(before, "]==]")) {
        free(code);
        return 0;
    }
    int written = snprintf(code, length, "require'kcost.internal.complete'.names([==[%s]==], _G)", before);
    kc_status status = run(p, code, (size_t)written, &more);
    free(code);
    size_t count = status == KC_OK ? kc_vm_answers(p->vm) : 0;
    if (count < 2 || !(p->words = calloc(count, sizeof *p->words)))
        return 0;
    *typed = (size_t)strtoul(kc_vm_answer_text(p->vm, 0), NULL, 10);
    for (size_t i = 1; i < count; i++) {
        char *name = name_of(kc_vm_answer_text(p->vm, i));
        if (name)
            p->words[p->word_count++] = name;
    }
    *words = (const char *const *)p->words;
    return p->word_count;
}

/* ---- the window --------------------------------------------------------------------------------------- */

/* What help() says fits the window, which may have changed. */
static void fit_help(prompt *p)
{
    char code[64];
    int more;
    size_t width = terminal_width(p->out);
    if (width == p->width)
        return;
    p->width = width;
    int length = snprintf(code, sizeof code, "require'kcost.internal.help'.fit(%zu)", width);
    run(p, code, (size_t)length, &more);
}

/* ---- the loop --------------------------------------------------------------------------------------- */

/* False: there is nowhere to print to. */
static bool run_chunk(prompt *p, prompt_show show)
{
    int more = 0;
    fit_help(p);
    kc_status status = run(p, p->text, p->length, &more);
    if (status != KC_OK && more)
        return true;
    if (status != KC_OK)
        say_failure(p);
    else
        show(p->vm, p->options, p->out);
    p->length = 0;
    return fflush(p->out) == 0 && !ferror(p->out);
}

static void talk(prompt *p, prompt_show show)
{
    const char *line;
    edit_end end;
    while ((end = edit_line(p->edit, p->length ? ">> " : "> ", &line)) != EDIT_OVER) {
        if (end == EDIT_INTERRUPTED || !add_line(p, line))
            p->length = 0;
        else if (!run_chunk(p, show))
            return;
    }
}

static void greet(const prompt *p)
{
    char text[160];
    snprintf(text, sizeof text, "kcost %s.  help() lists what there is,\nhelp(tile) or help(\"time\") says more.%s", kc_version(),
             edit_completes(p->edit) ? "  Tab completes." : "");
    terminal_text(stderr, text);
}

int prompt_run(kc_vm *vm, const options *o, prompt_show show, FILE *out)
{
    prompt p = { .vm = vm, .options = o, .out = out,
                 .seen = { .shows = o->verbosity != QUIET && terminal_moves(stderr), .prompt = true } };
    p.edit = edit_new(complete, &p);
    if (!p.edit)
        return 1;
    kc_vm_watch(vm, watch_call, &p.seen);
    watch_begin(&p.seen, NULL); /* Ctrl-C is a key */
    if (o->verbosity != QUIET)
        greet(&p);
    talk(&p, show);
    edit_free(p.edit);
    forget_words(&p);
    free(p.text);
    return 0;
}
