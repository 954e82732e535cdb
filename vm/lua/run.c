/* run.c: one run of a script in a VM: its text, its environment, its limits, what it says when it fails. */
#include "vm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    PIECE = 4096,           /* of a script, between two looks at the clock */
    MOST_TEXT = 256 * 1024, /* under a limit: what an engine's parser does with labels is quadratic */
    MOST_SAID = 4096        /* of a message */
};

typedef struct run {
    kc_vm *vm;
    const char *text, *name; /* name: of a file, its path */
    size_t length;
    bool line; /* of a prompt: as_expression stands before the text */
    bool more; /* the line is only the beginning of a chunk */
    int first; /* where on the stack its values begin */
    kc_status status;
} run;

/* ---- what went wrong --------------------------------------------------------- */

static void say(kci_buffer *buffer, const char *text)
{
    size_t length = strlen(text), most = length;
    if (length > MOST_SAID)
        for (most = MOST_SAID; most > MOST_SAID - 4 && ((unsigned char)text[most] & 0xC0) == 0x80;) /* whole characters */
            most--;
    kci_buffer_add(buffer, text, most);
    if (length > most)
        kci_buffer_text(buffer, "...");
}

/* Message handler: notes where, and makes a text of any error object without
 * running code of the script's. */
static int handle_error(lua_State *L)
{
    kc_vm *vm = lua_touserdata(L, lua_upvalueindex(1));
    if (lua_type(L, 1) != LUA_TSTRING && lua_type(L, 1) != LUA_TNUMBER) {
        lua_pushfstring(L, "(error object is a %s)", luaL_typename(L, 1));
        lua_replace(L, 1);
    }
    lua_settop(L, 1);
    vm->limits.lifted = true; /* it is over */
    if (lua_checkstack(L, 16)) {
        luaL_traceback(L, L, NULL, 1);
        kci_buffer_clear(&vm->traceback);
        say(&vm->traceback, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    vm->limits.lifted = false;
    return 1;
}

/* The limit that ended the run, if one did. */
static kc_limit limit_of(const kci_limits *limits, bool memory)
{
    return limits->hit == KC_NO_LIMIT && memory && limits->refused ? KC_LIMIT_MEMORY : limits->hit;
}

/* Allocates nothing in the state: it need not be protected. */
kc_status kci_vm_failed(kc_vm *vm, lua_State *L, const char *name, int error)
{
    kci_limits *limits = &vm->limits;
    kc_status status = KC_ELIMIT;
    bool memory = error == LUA_ERRMEM || error == LUA_ERRERR || kci_is_memory_error(L, -1);
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "(no message)", *limit = NULL;
    limits->hit = limit_of(limits, memory);
    limits->lifted = true;
    kci_buffer_clear(&vm->message);
    if (limits->hit != KC_NO_LIMIT) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, limits->positioned ? limits->where : limits->said[limits->hit]);
        limit = lua_tostring(L, -1);
        lua_pop(L, 1);
    } else {
        status = memory && vm->memory->refused ? KC_ENOMEM : error == LUA_ERRFILE ? KC_EARGUMENT : KC_ESCRIPT;
    }
    if (limit != NULL && !limits->positioned) {
        say(&vm->message, name);
        kci_buffer_text(&vm->message, ": ");
    }
    say(&vm->message, limit != NULL ? limit : message);
    limits->lifted = false;
    return status;
}

static void fail_run(lua_State *L, run *r, int error)
{
    r->status = kci_vm_failed(r->vm, L, r->name, error);
}

/* Its text found no memory. */
static void fail_unread(run *r)
{
    lua_rawgeti(r->vm->L, LUA_REGISTRYINDEX, r->vm->limits.said[KC_LIMIT_MEMORY]);
    fail_run(r->vm->L, r, LUA_ERRMEM);
    if (r->status == KC_ENOMEM) {
        kci_buffer_clear(&r->vm->message);
        say(&r->vm->message, KCI_NO_MEMORY);
    }
    lua_settop(r->vm->L, 0);
}

/* ---- its text -------------------------------------------------------------------- */

/* Reads a whole file; what goes wrong is said. */
static kc_status read_file(kc_vm *vm, const char *path, kci_buffer *text)
{
    char piece[PIECE];
    size_t length;
    const char *what = "open";
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        what = "read";
        while ((length = fread(piece, 1, sizeof piece, file)) > 0 && (!vm->limits.bounded || text->length <= MOST_TEXT))
            kci_buffer_add(text, piece, length);
        if (!ferror(file))
            what = NULL;
        fclose(file);
    }
    if (text->failed)
        return KC_ENOMEM;
    if (what == NULL)
        return KC_OK;
    const char *reason = strerror(errno);
    kci_buffer_text(&vm->message, "cannot ");
    kci_buffer_text(&vm->message, what);
    kci_buffer_text(&vm->message, " ");
    say(&vm->message, path);
    kci_buffer_text(&vm->message, ": ");
    kci_buffer_text(&vm->message, reason);
    return KC_EARGUMENT;
}

/* A mark of UTF-8 and a first line "#!…" are no Lua. */
static void skip_head(run *r)
{
    size_t head = 0;
    if (r->length >= 3 && memcmp(r->text, "\xEF\xBB\xBF", 3) == 0)
        head = 3;
    if (head < r->length && r->text[head] == '#')
        while (head < r->length && r->text[head] != '\n')
            head++;
    r->text += head;
    r->length -= head;
}

static const char *next_piece(lua_State *L, void *data, size_t *length)
{
    run *r = data;
    kci_step(L, r->vm->state, PIECE / 4);
    const char *piece = r->text;
    *length = r->length < PIECE ? r->length : PIECE;
    r->text += *length;
    r->length -= *length;
    return *length > 0 ? piece : NULL;
}

static int load_text(lua_State *L, const run *r, size_t skip)
{
    run rest = *r;
    rest.text += skip;
    rest.length -= skip;
    lua_pushfstring(L, "@%s", r->name);
    int error = kci_load(L, next_piece, &rest, lua_tostring(L, -1));
    lua_remove(L, -2);
    return error;
}

/* Does the syntax error at the top say that the text ended too early? */
static bool ended_early(lua_State *L)
{
    size_t length;
    const char *message = lua_tolstring(L, -1, &length);
    if (message != NULL && length > 0 && message[length - 1] == '\'')
        length--;
    return message != NULL && length >= 5 && strncmp(message + length - 5, "<eof>", 5) == 0;
}

/* With a first value of its own no call is a tail call: LuaJIT keeps the line that is to blame. */
static const char as_expression[] = "return nil, ";

/* An expression, whose value is the answer, else statements. */
static int load_line(lua_State *L, run *r)
{
    int error = load_text(L, r, 0);
    r->first++;
    if (error != LUA_ERRSYNTAX)
        return error;
    r->first--;
    r->more = ended_early(L);
    lua_pop(L, 1);
    error = load_text(L, r, strlen(as_expression));
    r->more = error == LUA_ERRSYNTAX && (r->more || ended_early(L));
    return error;
}

static int load_script(lua_State *L, run *r)
{
    if (r->vm->limits.bounded && r->length > MOST_TEXT)
        return luaL_error(L, "%s: under a limit a script has at most %d bytes", r->name, MOST_TEXT);
    return r->line ? load_line(L, r) : load_text(L, r, 0);
}

/* ---- the run ------------------------------------------------------------------------ */

/* __index of a prompt's environment, where nil would only say that nothing is there.  Upvalues: the state, the
 * module, require. */
static int other_name(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L)};
    luaL_checkstack(L, 16, NULL);
    lua_settop(L, 2);
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    const char *name = lua_tostring(L, 2);
    if (strcmp(name, "require") == 0) { /* of a script that is not trusted, it stands behind */
        lua_pushvalue(L, lua_upvalueindex(3));
        return 1;
    }
    if (strcmp(name, "plot") == 0) { /* loaded when it is asked for */
        lua_getfield(L, lua_upvalueindex(2), name);
        return 1;
    }
    const char *nearest = kci_push_nearest_key(&c, name, 1);
    lua_pushfstring(L, "there is no '%s'%s", name, nearest);
    return kci_raise(L, c.state);
}

/* Of a script a fresh one; the lines of a prompt share one, which begins with the names of the module. */
static void push_environment(lua_State *L, kc_vm *vm, bool line)
{
    enum { STATE = 2, ENVIRONMENT, MODULE };
    if (line && vm->session != 0) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, vm->session);
        return;
    }
    kci_environment_push(L, vm->state, STATE, false);
    if (!line) {
        kci_require_add(L, vm->state, STATE, 0);
        return;
    }
    kci_module_push(L, STATE);
    lua_pushvalue(L, ENVIRONMENT);
    kci_require_add(L, vm->state, STATE, MODULE);
    lua_pop(L, 1);
    lua_pushnil(L);
    while (lua_next(L, MODULE) != 0) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, ENVIRONMENT);
    }
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, STATE);
    lua_pushvalue(L, MODULE);
    lua_getfield(L, ENVIRONMENT, "require");
    lua_pushcclosure(L, other_name, 3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, ENVIRONMENT);
    lua_setfield(L, ENVIRONMENT, "kc");
    lua_pushvalue(L, ENVIRONMENT);
    vm->session = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* A --set that no script asked for is an error. */
static void check_params(lua_State *L, run *r)
{
    kc_vm *vm = r->vm;
    for (const kci_param *param = vm->state->params; param != NULL; param = param->next) {
        bool older = false; /* of two of one name only the last counts */
        for (const kci_param *p = vm->state->params; p != param; p = p->next)
            older = older || strcmp(p->name, param->name) == 0;
        if (param->asked || older)
            continue;
        kci_call c = {.L = L, .state = vm->state};
        lua_rawgeti(L, LUA_REGISTRYINDEX, vm->state->asked);
        const char *nearest = kci_push_nearest_key(&c, param->name, lua_gettop(L));
        lua_pushfstring(L, "%s: '%s' was set, and the script has no such param%s", r->name,
                        param->name, nearest);
        fail_run(L, r, LUA_ERRFILE); /* the caller's mistake, not the script's */
        kci_answers_clear(vm);
        return;
    }
}

/* An environment, the script in it, its values. */
static int run_script(lua_State *L)
{
    run *r = lua_touserdata(L, 1);
    kc_vm *vm = r->vm;
    lua_settop(L, 0);
    lua_pushlightuserdata(L, vm);
    lua_pushcclosure(L, handle_error, 1);
    kci_state_push(L, NULL);
    lua_newtable(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, vm->state->asked);
    kci_random_seed(vm->state, 0);
    push_environment(L, vm, r->line);
    r->first = 4;

    int error = load_script(L, r);
    if (error != 0) {
        fail_run(L, r, error);
        return 0;
    }
    lua_pushvalue(L, 3);
    kci_set_environment(L);
    error = lua_pcall(L, 0, LUA_MULTRET, 1);
    if (error != 0) {
        fail_run(L, r, error);
        return 0;
    }
    if (lua_gettop(L) >= r->first)
        kci_answers_take(L, vm, r->first);
    kci_step(L, vm->state, 1); /* a limit that was hit is not forgotten */
    if (!r->line)
        check_params(L, r);
    return 0;
}

/* Asks for no memory. */
static void collect(kc_vm *vm)
{
    kci_limits *limits = &vm->limits;
    limits->lifted = true;
    lua_rawgeti(vm->L, LUA_REGISTRYINDEX, vm->collector);
    if (lua_pcall(vm->L, 0, 0, 0) != 0)
        lua_settop(vm->L, 0);
    limits->lifted = false;
}

/* Where the names of a prompt's lines hold so much that no run has room, they are forgotten. */
static void forget_session(kc_vm *vm)
{
    kci_limits *limits = &vm->limits;
    if (vm->session == 0 || limits->memory == 0)
        return;
    collect(vm);
    if (vm->memory->bytes < limits->memory - limits->memory / 8)
        return;
    luaL_unref(vm->L, LUA_REGISTRYINDEX, vm->session);
    vm->session = 0;
    collect(vm);
    limits->lifted = true;
    kci_buffer_text(&vm->message, "; the names of the lines before are forgotten");
    limits->lifted = false;
}

/* What the last run left must not count against this one, and LuaJIT needs it collected after a refusal. */
static void begin(kc_vm *vm)
{
    kci_limits *limits = &vm->limits;
    kci_answers_clear(vm);
    kci_buffer_clear(&vm->message);
    kci_buffer_clear(&vm->traceback);
    for (kci_param *param = vm->state->params; param != NULL; param = param->next)
        param->asked = false;
    if (vm->memory->refused || limits->refused || (limits->memory > 0 && vm->memory->bytes > limits->memory / 2))
        collect(vm);
    vm->memory->refused = limits->refused = limits->positioned = false;
    limits->hit = KC_NO_LIMIT;
    vm->memory->collect_at = 0;
}

static void run_it(run *r, bool file)
{
    kc_vm *vm = r->vm;
    vm->state->runs++;
    vm->state->script = r->name;
    vm->state->text = r->line ? NULL : r->text;
    vm->state->text_length = r->length;
    vm->state->from_file = file;
    vm->running = true;
    vm->line = r->line;
    r->status = KC_OK;
    kci_limits_begin(&vm->limits, vm->L);
    kci_limits_watch_thread(vm->L, &vm->limits);
    int error = kci_protect(vm->L, run_script, r);
    if (error != 0) {
        fail_run(vm->L, r, error);
        kci_answers_clear(vm);
    }
    kci_limits_end(&vm->limits);
    kci_limits_watch_thread(vm->L, &vm->limits);
    lua_settop(vm->L, 0);
    vm->state->script = vm->state->text = NULL;
    vm->running = false;
}

kc_status kc_vm_run(kc_vm *vm, const char *text, size_t length, const char *name)
{
    if (vm == NULL || text == NULL || vm->running)
        return KC_EARGUMENT;
    run r = {.vm = vm, .text = text, .length = length, .name = name != NULL ? name : "script"};
    begin(vm);
    run_it(&r, false);
    return r.status;
}

kc_status kc_vm_run_file(kc_vm *vm, const char *path)
{
    if (vm == NULL || path == NULL || vm->running)
        return KC_EARGUMENT;
    kci_buffer text = {.memory = vm->memory};
    run r = {.vm = vm, .name = path};
    begin(vm);
    r.status = read_file(vm, path, &text);
    if (r.status == KC_ENOMEM) {
        fail_unread(&r);
    } else if (r.status == KC_OK) {
        r.text = text.bytes != NULL ? text.bytes : "";
        r.length = text.length;
        skip_head(&r);
        run_it(&r, true);
    }
    kci_buffer_free(&text);
    return r.status;
}

kc_status kc_vm_line(kc_vm *vm, const char *text, size_t length, const char *name, int *more)
{
    if (vm == NULL || text == NULL || more == NULL || vm->running)
        return KC_EARGUMENT;
    kci_buffer line = {.memory = vm->memory};
    run r = {.vm = vm, .name = name != NULL ? name : "line", .line = true};
    *more = 0;
    begin(vm);
    kci_buffer_text(&line, as_expression);
    kci_buffer_add(&line, text, length);
    if (line.failed) {
        fail_unread(&r);
    } else {
        r.text = line.bytes;
        r.length = line.length;
        run_it(&r, false);
        *more = r.more;
    }
    kci_buffer_free(&line);
    if (r.status == KC_ELIMIT && vm->limits.hit == KC_LIMIT_MEMORY)
        forget_session(vm);
    return r.status;
}
