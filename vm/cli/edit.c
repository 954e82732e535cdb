/* edit.c: lines from a terminal, by libedit; without it, on a dumb terminal or beside a pipe by the terminal itself. */
#define _POSIX_C_SOURCE 200809L

#include "edit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the terminal's own ------------------------------------------------------------------------ */

typedef struct plain {
    char *line;
    size_t capacity;
} plain;

/* Prompts are no results: they go where no pipe is. */
static edit_end plain_line(plain *p, const char *prompt, const char **line)
{
    FILE *out = isatty(STDOUT_FILENO) ? stdout : stderr;
    fputs(prompt, out);
    fflush(out);
    errno = 0;
    if (getline(&p->line, &p->capacity, stdin) >= 0) {
        *line = p->line;
        return EDIT_LINE;
    }
    bool interrupted = errno == EINTR;
    clearerr(stdin);
    fputs("\n", out);
    return interrupted ? EDIT_INTERRUPTED : EDIT_OVER;
}

#ifdef KCOST_LIBEDIT

/* ---- libedit ----------------------------------------------------------------------------------- */

#include <dlfcn.h>
#include <histedit.h>
#include <sys/stat.h>

enum { REMEMBERED = 1000, GAP = 2 };

#define FUNCTIONS(EACH)                                                                                                \
    EACH(el_init) EACH(el_end) EACH(el_set) EACH(el_wset) EACH(el_get) EACH(el_gets) EACH(el_line)                     \
    EACH(el_insertstr) EACH(el_reset) EACH(el_resize) EACH(el_source) EACH(history_init) EACH(history_end)             \
    EACH(history)
#define AS_MEMBER(name) __typeof__(name) *name;

/* The library is loaded by the prompt: linked, it would cost each start of the command a third more.  It stays, since
 * what it keeps of the terminal is the process's. */
typedef struct library {
    FUNCTIONS(AS_MEMBER)
} library;

struct edit {
    plain plain;
    library lib;
    EditLine *el;                   /* NULL: plain */
    History *history;
    char *file;                     /* of the history; NULL: none */
    const char *prompt;
    edit_words words;
    void *data;
    char *before;                   /* the cursor */
    size_t columns;
};

/* ISO C has no way from an object's address to a function's; POSIX has this one. */
static bool find(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool load(library *lib)
{
#define FIND(name) &&find(handle, #name, &lib->name)
    void *handle = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    return handle FUNCTIONS(FIND);
}

/* Who asks, since a callback of libedit's is given no more than its handle. */
static edit *asking;

static char *prompt_of(EditLine *el)
{
    (void)el;
    return (char *)(size_t)asking->prompt; /* libedit only reads it */
}

/* Characters in UTF-8: bytes that begin one. */
static size_t width(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static size_t common_length(const char *const *words, size_t count)
{
    size_t length = strlen(words[0]);
    for (size_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < length && words[i][same] == words[0][same])
            same++;
        length = same;
    }
    return length;
}

/* Below the line, in as many columns as fit. */
static void list(const edit *e, const char *const *words, size_t count)
{
    size_t widest = 0;
    for (size_t i = 0; i < count; i++)
        widest = width(words[i]) > widest ? width(words[i]) : widest;
    size_t across = e->columns / (widest + GAP), down;
    across = across ? across : 1;
    down = (count + across - 1) / across;
    for (size_t row = 0; row < down; row++) {
        fputs("\n", stdout);
        for (size_t i = row; i < count; i += down) {
            fputs(words[i], stdout);
            if (i + down < count)
                printf("%*s", (int)(widest + GAP - width(words[i])), "");
        }
    }
    fputs("\n", stdout);
}

static unsigned char complete(EditLine *el, int key)
{
    (void)key;
    edit *e = asking;
    const LineInfo *line = e->lib.el_line(el);
    size_t length = (size_t)(line->cursor - line->buffer), typed = 0;
    const char *const *words;
    free(e->before);
    e->before = calloc(1, length + 1);
    if (!e->before)
        return CC_ERROR;
    memcpy(e->before, line->buffer, length);
    size_t count = e->words(e->data, e->before, &typed, &words);
    size_t common = count ? common_length(words, count) : 0;
    if (count == 0 || typed > length)
        return CC_ERROR;
    if (common <= typed) {
        if (count == 1)
            return CC_NORM;
        list(e, words, count);
        return CC_REDISPLAY;
    }
    char *more = calloc(1, common - typed + 1);
    if (!more)
        return CC_ERROR;
    memcpy(more, words[0] + typed, common - typed);
    int inserted = e->lib.el_insertstr(el, more);
    free(more);
    return inserted ? CC_ERROR : CC_REFRESH;
}

/* Makes the folders on the way. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int made = mkdir(path, 0700);
        *slash = '/';
        if (made != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

/* By the XDG base directory specification. */
static char *history_file(void)
{
    static const char inside[] = "/kcost/history";
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME"), *between = "";
    if (!state || *state != '/') {
        state = home;
        between = "/.local/state";
    }
    if (!state || *state != '/')
        return NULL;
    size_t size = strlen(state) + strlen(between) + sizeof inside;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", state, between, inside);
    if (path && make_folders(path))
        return path;
    free(path);
    return NULL;
}

static void begin_history(edit *e)
{
    HistEvent event;
    e->history = e->lib.history_init();
    if (!e->history)
        return;
    e->lib.history(e->history, &event, H_SETSIZE, REMEMBERED);
    e->lib.history(e->history, &event, H_SETUNIQUE, 1);
    e->file = history_file();
    if (e->file)
        e->lib.history(e->history, &event, H_LOAD, e->file);
    e->lib.el_set(e->el, EL_HIST, e->lib.history, e->history);
}

static void remember(edit *e, const char *line)
{
    HistEvent event;
    if (!e->history || line[strspn(line, " \t\n")] == '\0')
        return;
    e->lib.history(e->history, &event, H_ENTER, line);
    if (e->file)
        e->lib.history(e->history, &event, H_SAVE, e->file);
}

static void begin_editing(edit *e)
{
    const char *term = getenv("TERM");
    if (!isatty(STDOUT_FILENO) || !term || !*term || strcmp(term, "dumb") == 0 || !load(&e->lib))
        return;
    e->el = e->lib.el_init("kcost", stdin, stdout, stderr);
    if (!e->el)
        return;
    e->lib.el_set(e->el, EL_PROMPT, prompt_of);
    e->lib.el_set(e->el, EL_EDITOR, "emacs");
    /* The wide one: el_set would copy the names and lose the copies. */
    e->lib.el_wset(e->el, EL_ADDFN, L"kcost-complete", L"completes names, fields, devices and options", complete);
    e->lib.el_set(e->el, EL_BIND, "^I", "kcost-complete", NULL);
    e->lib.el_set(e->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
    begin_history(e);
    e->lib.el_source(e->el, NULL);
}

edit *edit_new(edit_words words, void *data)
{
    edit *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->words = words;
    e->data = data;
    asking = e;
    begin_editing(e);
    return e;
}

void edit_free(edit *e)
{
    if (e->el)
        e->lib.el_end(e->el);
    if (e->history)
        e->lib.history_end(e->history);
    free(e->file);
    free(e->before);
    free(e->plain.line);
    free(e);
}

bool edit_completes(const edit *e)
{
    return e->el != NULL;
}

edit_end edit_line(edit *e, const char *prompt, const char **line)
{
    if (!e->el)
        return plain_line(&e->plain, prompt, line);
    int count = 0, columns = 0;
    e->lib.el_resize(e->el); /* the window may have changed since the line before */
    e->columns = e->lib.el_get(e->el, EL_GETTC, "co", &columns, NULL) == 0 && columns > 0 ? (size_t)columns : 80;
    e->prompt = prompt;
    *line = e->lib.el_gets(e->el, &count);
    if (*line) {
        remember(e, *line);
        return EDIT_LINE;
    }
    fputs("\n", stdout);
    if (count == 0)
        return EDIT_OVER;
    e->lib.el_reset(e->el);
    return EDIT_INTERRUPTED;
}

#else

struct edit {
    plain plain;
};

edit *edit_new(edit_words words, void *data)
{
    (void)words;
    (void)data;
    return calloc(1, sizeof(edit));
}

void edit_free(edit *e)
{
    free(e->plain.line);
    free(e);
}

bool edit_completes(const edit *e)
{
    (void)e;
    return false;
}

edit_end edit_line(edit *e, const char *prompt, const char **line)
{
    return plain_line(&e->plain, prompt, line);
}

#endif
