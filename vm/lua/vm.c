/* vm.c: the VM of kcost.h: a Lua state that runs scripts and keeps what they return.
 *
 * Everything that touches the state runs protected (kci_protect), so no error,
 * not even one of memory, leaves these functions by a jump. */
#include "vm.h"

#include <string.h>

#include "csv.h"
#include "engine.h"

static const char no_memory[] = "not enough memory";

static char *copy_text(kci_memory *memory, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = kci_memory_model(memory, NULL, 0, size);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

/* ---- creation ------------------------------------------------------------- */

static int open_state(lua_State *L)
{
    kc_vm *vm = lua_touserdata(L, 1);
    kci_compiler_off(L);
    kci_environment_open(L);
    vm->state = kci_state_push(L, vm->memory);
    vm->state->vm = true;
    lua_newtable(L);
    vm->state->asked = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

kc_status kc_vm_new(const kc_vm_options *options, kc_vm **out)
{
    static const kc_vm_options none;
    if (out == NULL)
        return KC_EARGUMENT;
    *out = NULL;
    if (options == NULL)
        options = &none;
    if (!kci_engine_is_own())
        return KC_EENGINE;
    kci_memory *memory = kci_memory_of_host(options->resize, options->resize_data);
    kc_vm *vm = memory != NULL ? kci_memory_model(memory, NULL, 0, sizeof *vm) : NULL;
    if (vm == NULL) {
        kci_memory_drop(memory);
        return KC_ENOMEM;
    }
    memset(vm, 0, sizeof *vm);
    vm->memory = memory;
    vm->message.memory = vm->traceback.memory = vm->output.memory = memory;
    bool good = options->path == NULL || (vm->path = copy_text(memory, options->path)) != NULL;
    vm->L = good ? kci_memory_new_state(memory) : NULL;
    if (vm->L == NULL || kci_protect(vm->L, open_state, vm) != 0) {
        kc_vm_free(vm);
        return KC_ENOMEM;
    }
    vm->state->trusted = options->trusted != 0;
    vm->state->path = vm->path;
    vm->state->print = options->print;
    vm->state->print_data = options->print_data;
    *out = vm;
    return KC_OK;
}

void kc_vm_free(kc_vm *vm)
{
    if (vm == NULL || vm->running)
        return;
    kci_memory *memory = vm->memory;
    kci_answers_clear(vm);
    kci_memory_model(memory, vm->answers, vm->answer_capacity * sizeof *vm->answers, 0);
    kci_buffer_free(&vm->message);
    kci_buffer_free(&vm->traceback);
    kci_buffer_free(&vm->output);
    if (vm->path != NULL)
        kci_memory_model(memory, vm->path, strlen(vm->path) + 1, 0);
    if (vm->L != NULL)
        kci_memory_close_state(memory, vm->L);
    kci_memory_model(memory, vm, sizeof *vm, 0);
    kci_memory_drop(memory);
}

kc_status kc_vm_param(kc_vm *vm, const char *name, const char *value)
{
    if (vm == NULL || name == NULL || value == NULL || vm->running)
        return KC_EARGUMENT;
    size_t name_size = strlen(name) + 1, value_size = strlen(value) + 1;
    kci_param *param =
        kci_memory_model(vm->memory, NULL, 0, sizeof *param + name_size + value_size);
    if (param == NULL)
        return KC_ENOMEM;
    param->name = (char *)(param + 1);
    param->value = param->name + name_size;
    memcpy(param->name, name, name_size);
    memcpy(param->value, value, value_size);
    param->asked = false;
    param->next = vm->state->params; /* the last one given is found first */
    vm->state->params = param;
    return KC_OK;
}

kc_status kc_vm_module(kc_vm *vm, const char *name, const char *text, size_t length)
{
    if (vm == NULL || name == NULL || text == NULL || vm->running || strcmp(name, "kcost") == 0 ||
        strncmp(name, "kcost.", 6) == 0)
        return KC_EARGUMENT;
    size_t name_size = strlen(name) + 1;
    kci_given *given = kci_memory_model(vm->memory, NULL, 0, sizeof *given + name_size + length + 1);
    if (given == NULL)
        return KC_ENOMEM;
    given->name = (char *)(given + 1);
    given->text = given->name + name_size;
    memcpy(given->name, name, name_size);
    memcpy(given->text, text, length);
    given->text[length] = '\0';
    given->length = length;
    given->next = vm->state->given; /* the last one given is found first */
    vm->state->given = given;
    return KC_OK;
}

kc_status kc_vm_threads(kc_vm *vm, unsigned threads)
{
    if (vm == NULL || vm->running)
        return KC_EARGUMENT;
    vm->state->threads = threads;
    return KC_OK;
}

kc_status kc_vm_shard(kc_vm *vm, unsigned part, unsigned parts)
{
    if (vm == NULL || vm->running || part < 1 || part > parts)
        return KC_EARGUMENT;
    vm->state->part = part;
    vm->state->parts = parts;
    return KC_OK;
}

kc_status kc_vm_watch(kc_vm *vm, kc_watch watch, void *data)
{
    if (vm == NULL || vm->running)
        return KC_EARGUMENT;
    vm->state->watch = watch;
    vm->state->watch_data = data;
    return KC_OK;
}

/* ---- running -------------------------------------------------------------- */

typedef struct run {
    kc_vm *vm;
    const char *text, *name; /* name: of a file, its path */
    size_t length;
    bool file;
    bool line; /* of a prompt: as_expression stands before the text */
    bool more; /* the line is only the beginning of a chunk */
    int first; /* where on the stack its values begin */
    kc_status status;
} run;

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
    if (lua_checkstack(L, 16)) {
        luaL_traceback(L, L, NULL, 1);
        kci_buffer_clear(&vm->traceback);
        kci_buffer_text(&vm->traceback, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    return 1;
}

static kc_status status_of(const kc_vm *vm, int error, const char *message)
{
    if (error == LUA_ERRMEM || (error == LUA_ERRERR && vm->memory->refused) ||
        strcmp(message, no_memory) == 0)
        return KC_ENOMEM;
    return error == LUA_ERRFILE ? KC_EARGUMENT : KC_ESCRIPT;
}

/* Notes the error message at the top of the stack. */
static void fail_run(lua_State *L, run *r, int error)
{
    const char *message = lua_tostring(L, -1);
    if (message == NULL)
        message = "(no message)";
    r->status = status_of(r->vm, error, message);
    kci_buffer_clear(&r->vm->message);
    kci_buffer_text(&r->vm->message, message);
}

static int load_text(lua_State *L, const char *text, size_t length, const char *name)
{
    lua_pushfstring(L, "@%s", name);
    int error = luaL_loadbufferx(L, text, length, lua_tostring(L, -1), "t");
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
    size_t skip = strlen(as_expression);
    int error = load_text(L, r->text, r->length, r->name);
    r->first++;
    if (error != LUA_ERRSYNTAX)
        return error;
    r->first--;
    r->more = ended_early(L);
    lua_pop(L, 1);
    error = load_text(L, r->text + skip, r->length - skip, r->name);
    r->more = error == LUA_ERRSYNTAX && (r->more || ended_early(L));
    return error;
}

static int load_script(lua_State *L, run *r)
{
    if (r->line)
        return load_line(L, r);
    if (r->file)
        return luaL_loadfilex(L, r->name, "t");
    return load_text(L, r->text, r->length, r->name);
}

/* Of a script a fresh one; the lines of a prompt share one, which begins with the names of the module. */
static void push_environment(lua_State *L, kc_vm *vm, bool line)
{
    if (line && vm->session != 0) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, vm->session);
        return;
    }
    kci_module_push(L, vm->state, 2);
    kci_environment_push(L, vm->state, 2, false);
    kci_require_add(L, 2, 3);
    if (line) {
        lua_pushnil(L);
        while (lua_next(L, 3) != 0) {
            lua_pushvalue(L, -2);
            lua_insert(L, -2);
            lua_rawset(L, 4);
        }
        lua_pushvalue(L, 3);
        lua_setfield(L, 4, "kc");
        lua_pushvalue(L, 4);
        vm->session = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    lua_remove(L, 3);
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
        size_t count = kci_push_sorted_keys(&c, -1, "params");
        int keys = lua_gettop(L);
        const char **names = lua_newuserdata(L, (count + 1) * sizeof *names);
        for (size_t i = 0; i < count; i++) {
            lua_rawgeti(L, keys, (int)i + 1);
            names[i] = lua_tostring(L, -1);
            lua_pop(L, 1);
        }
        const char *nearest = kci_push_nearest(L, param->name, names, count);
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
    if (!r->line)
        check_params(L, r);
    return 0;
}

static int collect_all(lua_State *L)
{
    lua_gc(L, LUA_GCCOLLECT, 0);
    return 0;
}

static kc_status run_it(run *r)
{
    kc_vm *vm = r->vm;
    if (vm->running)
        return KC_EARGUMENT;
    kci_answers_clear(vm);
    kci_buffer_clear(&vm->message);
    kci_buffer_clear(&vm->traceback);
    for (kci_param *param = vm->state->params; param != NULL; param = param->next)
        param->asked = false;
    vm->memory->refused = false;
    vm->state->script = r->name;
    vm->state->from_file = r->file;
    vm->running = true;
    vm->line = r->line;
    r->status = KC_OK;
    int error = kci_protect(vm->L, run_script, r);
    if (error != 0) {
        fail_run(vm->L, r, error);
        kci_answers_clear(vm);
    }
    lua_sethook(vm->L, NULL, 0, 0); /* of kc_vm_interrupt */
    lua_settop(vm->L, 0);
    /* After a refusal LuaJIT needs a collection before the state is used again. */
    if (r->status == KC_ENOMEM && kci_protect(vm->L, collect_all, NULL) != 0)
        lua_settop(vm->L, 0);
    vm->state->script = NULL;
    vm->running = false;
    return r->status;
}

kc_status kc_vm_run(kc_vm *vm, const char *text, size_t length, const char *name)
{
    if (vm == NULL || text == NULL)
        return KC_EARGUMENT;
    run r = {.vm = vm, .text = text, .length = length, .name = name != NULL ? name : "script"};
    return run_it(&r);
}

kc_status kc_vm_run_file(kc_vm *vm, const char *path)
{
    if (vm == NULL || path == NULL)
        return KC_EARGUMENT;
    run r = {.vm = vm, .name = path, .file = true};
    return run_it(&r);
}

kc_status kc_vm_line(kc_vm *vm, const char *text, size_t length, const char *name, int *more)
{
    if (vm == NULL || text == NULL || more == NULL || vm->running)
        return KC_EARGUMENT;
    kci_buffer line = {.memory = vm->memory};
    kci_buffer_text(&line, as_expression);
    kci_buffer_add(&line, text, length);
    kc_status status = KC_ENOMEM;
    *more = 0;
    if (!line.failed) {
        run r = {.vm = vm, .text = line.bytes, .length = line.length, .name = name != NULL ? name : "line", .line = true};
        status = run_it(&r);
        *more = r.more;
    }
    kci_buffer_free(&line);
    return status;
}

static void stop(lua_State *L, lua_Debug *at)
{
    (void)at;
    luaL_error(L, "interrupted");
}

/* The hook stays, so that no pcall gets round it. */
void kc_vm_interrupt(kc_vm *vm)
{
    if (vm != NULL && vm->running)
        lua_sethook(vm->L, stop, LUA_MASKCOUNT, 1);
}

/* Where even the message found no memory. */
static const char *text_of(const kci_buffer *buffer)
{
    if (buffer->failed)
        return no_memory;
    return buffer->bytes != NULL ? buffer->bytes : "";
}

const char *kc_vm_message(const kc_vm *vm)
{
    return vm != NULL ? text_of(&vm->message) : "";
}

const char *kc_vm_traceback(const kc_vm *vm)
{
    return vm != NULL ? text_of(&vm->traceback) : "";
}

/* ---- answers --------------------------------------------------------------- */

size_t kc_vm_answers(const kc_vm *vm)
{
    return vm != NULL ? vm->answer_count : 0;
}

kc_object *kc_vm_answer(const kc_vm *vm, size_t i)
{
    return i < kc_vm_answers(vm) ? vm->answers[i].object : NULL;
}

const char *kc_vm_answer_text(const kc_vm *vm, size_t i)
{
    return i < kc_vm_answers(vm) ? vm->answers[i].text : NULL;
}

/* Why there is no document: the model's sentence, or memory. */
static const char *no_document(kc_vm *vm)
{
    const char *message = kc_context_message(vm->state->context);
    kci_buffer_clear(&vm->message);
    kci_buffer_text(&vm->message, vm->output.failed || message[0] == '\0' ? no_memory : message);
    return NULL;
}

/* NULL: kc_vm_message says why. */
const char *kc_vm_json(kc_vm *vm)
{
    if (vm == NULL)
        return NULL;
    kci_buffer *out = &vm->output;
    kci_buffer_clear(out);
    bool array = vm->list || vm->answer_count != 1;
    if (array)
        kci_buffer_text(out, "[");
    for (size_t i = 0; i < vm->answer_count; i++) {
        const kci_answer *answer = &vm->answers[i];
        const char *json = answer->object != NULL ? kc_json(answer->object) : answer->text;
        if (json == NULL)
            return no_document(vm);
        if (i > 0)
            kci_buffer_text(out, ",");
        kci_buffer_text(out, json);
    }
    if (array)
        kci_buffer_text(out, "]");
    return out->failed ? no_document(vm) : out->bytes;
}

/* A part begins with a line of its own, so it stands alone. */
static bool is_part(const kc_object *object)
{
    unsigned parts = 1;
    if (object != NULL && kc_object_kind(object) == KC_SWEEP)
        kc_sweep_part((const kc_sweep *)object, &parts);
    return parts > 1;
}

const char *kc_vm_csv(kc_vm *vm, int tensors)
{
    if (vm == NULL)
        return NULL;
    kci_buffer_clear(&vm->output);
    for (size_t i = 0; i < vm->answer_count; i++) {
        if (!is_part(vm->answers[i].object))
            continue;
        const char *part = vm->answer_count == 1 ? kc_csv(vm->answers[i].object, tensors) : NULL;
        if (part == NULL && vm->answer_count == 1)
            return no_document(vm);
        if (part != NULL)
            return part;
        kci_buffer_clear(&vm->message);
        kci_buffer_text(&vm->message, "the CSV of a part of a sweep stands alone, and the script returned several things; --json takes them all");
        return NULL;
    }
    return kci_csv_join(vm, tensors) ? text_of(&vm->output) : no_document(vm);
}
