/* library.c: kc.lib and require: the stdlib, compiled in, and a trusted script's neighbours.
 *
 * The stdlib has files for scripts, which kc.lib gives, and files of its own: what the calls that are written in Lua, the
 * command and the former are made of.  These are required as "kcost.internal.NAME". */
#include "binding.h"
#include "stdlib_files.h"

#include <string.h>

/* The files of the stdlib's own: they take what they are given as it is. */
static const char *const internal[] = {
    "calibrate", "calibrate_fit", "calibrate_rows", "command", "complete", "config", "config_families", "config_keys",
    "config_weights", "device_file", "diff", "help", "match", "match_causes", "plot", "plot_ledger", "plot_record",
    "plot_roofline", "plot_sweep", "profile", "profile_command", "reference", "transformer_backward", "transformer_layers",
    "transformer_serving", "transformer_states", "transformer_stored", "transformer_sums", "transformer_training"};

bool kci_is_internal(const char *name)
{
    for (size_t i = 0; i < sizeof internal / sizeof *internal; i++)
        if (strcmp(internal[i], name) == 0)
            return true;
    return false;
}

/* Upvalues of both functions here: the state, the kcost table, an environment. */

static const kci_stdlib_file *find_file(const char *name)
{
    for (size_t i = 0; i < kci_stdlib_file_count; i++)
        if (strcmp(kci_stdlib_files[i].name, name) == 0)
            return &kci_stdlib_files[i];
    return NULL;
}

/* Pushes "a, b, c". */
static const char *push_listed(lua_State *L, const char *const *names, size_t count)
{
    lua_pushliteral(L, "");
    for (size_t i = 0; i < count; i++) {
        lua_pushfstring(L, i > 0 ? ", %s" : "%s", names[i]);
        lua_concat(L, 2);
    }
    return lua_tostring(L, -1);
}

static int no_such_library(kci_call *c, const char *name, bool of_itself)
{
    lua_State *L = c->L;
    const char **names = lua_newuserdata(L, (kci_stdlib_file_count + 1) * sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < kci_stdlib_file_count; i++)
        if (kci_is_internal(kci_stdlib_files[i].name) == of_itself)
            names[count++] = kci_stdlib_files[i].name;
    const char *nearest = kci_is_internal(name) ? "" : kci_push_nearest(L, name, names, count);
    if (nearest[0] == '\0')
        nearest = lua_pushfstring(L, "; there are %s", push_listed(L, names, count));
    return kci_error(c, of_itself ? "the stdlib has no file '%s' of its own%s" : "there is no kernel family '%s'%s", name, nearest);
}

/* The stdlib's environment is made when something is loaded. */
static void want_environment(lua_State *L, kci_state *state)
{
    if (lua_type(L, lua_upvalueindex(3)) == LUA_TTABLE)
        return;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, lua_upvalueindex(2));
    int state_at = lua_gettop(L) - 1;
    kci_environment_push(L, state, state_at, true);
    kci_require_add(L, state, state_at, state_at + 1);
    lua_replace(L, lua_upvalueindex(3));
    lua_settop(L, state_at - 1);
}

/* Runs the function at the top in the environment of the upvalues, leaves its value. */
static void run_chunk(lua_State *L, const char *name, bool in_stdlib)
{
    int chunk = lua_gettop(L);
    lua_pushvalue(L, lua_upvalueindex(3));
    kci_set_environment(L);
    lua_pushstring(L, name);
    if (in_stdlib) {
        lua_pushvalue(L, lua_upvalueindex(1));
        kci_core_push(L, lua_gettop(L));
        lua_remove(L, -2);
    }
    lua_call(L, lua_gettop(L) - chunk, 1);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_pushboolean(L, 1);
    }
}

/* __index of kc.lib.gemm.  Upvalues: the state, the file's name. */
static int other_function(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L), .name = "lib"};
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    const char *nearest = kci_push_nearest_key(&c, lua_tostring(L, 2), 1);
    return kci_error(&c, "%s has no '%s'%s", lua_tostring(L, lua_upvalueindex(2)), lua_tostring(L, 2), nearest);
}

/* __call of kc.lib.gemm.  Upvalues: the state, the file's name. */
static int called_library(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L), .name = "lib"};
    const char *name = lua_tostring(L, lua_upvalueindex(2));
    luaL_checkstack(L, 16, NULL);
    size_t count = kci_push_sorted_keys(&c, 1, name);
    int keys = lua_gettop(L);
    lua_pushliteral(L, "");
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(L, keys, (int)i);
        lua_pushfstring(L, i > 1 ? ", %s" : "%s", lua_tostring(L, -1));
        lua_replace(L, -2);
        lua_concat(L, 2);
    }
    return kci_error(&c, "%s is called by a function of it: %s", name, lua_tostring(L, -1));
}

/* A name that the library at the top lacks is an error, unless it sees to that itself. */
static void guard_library(lua_State *L, const char *name)
{
    if (lua_type(L, -1) != LUA_TTABLE)
        return;
    if (lua_getmetatable(L, -1)) {
        lua_pop(L, 1);
        return;
    }
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushstring(L, name);
    lua_pushcclosure(L, other_function, 2);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushstring(L, name);
    lua_pushcclosure(L, called_library, 2);
    lua_setfield(L, -2, "__call");
    lua_setmetatable(L, -2);
}

/* __index of kc.lib, and of the table of the files of the stdlib's own, upvalue 4: loads the file at its first use:
 * stdlib/NAME.lua of the path, else the one that is compiled in.  Its chunk is named "=kcost/…": errors are not reported at
 * its lines. */
static int load_library(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L), .name = "lib"};
    lua_settop(L, 2);
    const char *name = kci_string(&c, 2, "the name");
    luaL_checkstack(L, 32, NULL);
    bool of_itself = lua_rawequal(L, 1, lua_upvalueindex(4));
    if (kci_is_internal(name) != of_itself)
        return no_such_library(&c, name, of_itself);
    want_environment(L, c.state);
    if (kci_push_replaced(L, c.state, "stdlib", name)) {
        const char *path = lua_tostring(L, -1);
        kci_load_as(&c, path, lua_pushfstring(L, "=kcost/%s", path));
    } else {
        const kci_stdlib_file *file = find_file(name);
        if (file == NULL)
            return no_such_library(&c, name, of_itself);
        lua_pushfstring(L, "=kcost/%s.lua", name);
        if (luaL_loadbufferx(L, (const char *)file->bytes, file->length, lua_tostring(L, -1),
                             "t") != 0)
            return lua_error(L);
    }
    run_chunk(L, name, true);
    guard_library(L, name);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_rawset(L, 1);
    return 1;
}

/* One metatable for both tables, which share an environment. */
void kci_library_add(lua_State *L, int state_at, int module)
{
    int lib = lua_gettop(L) + 1, own = lib + 1;
    lua_newtable(L);
    lua_newtable(L);
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, state_at);
    lua_pushvalue(L, module);
    lua_pushnil(L);
    lua_pushvalue(L, own);
    lua_pushcclosure(L, load_library, 4);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pushvalue(L, -1);
    lua_setmetatable(L, lib);
    lua_setmetatable(L, own);
    lua_insert(L, lib);
    lua_setfield(L, module, "lib");
}

void kci_internal_push(lua_State *L, int module, const char *name)
{
    lua_getmetatable(L, module);
    lua_pushliteral(L, "internal");
    lua_rawget(L, -2);
    lua_remove(L, -2);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

/* ---- require -------------------------------------------------------------- */

/* "dir/?.lua;dir/?/init.lua" of the running script's directory. */
static const char *push_beside_script(lua_State *L, const kci_state *state)
{
    const char *slash =
        state->from_file && state->script != NULL ? strrchr(state->script, '/') : NULL;
    if (slash != NULL)
        lua_pushlstring(L, state->script, (size_t)(slash - state->script) + 1);
    else
        lua_pushliteral(L, "");
    const char *directory = lua_tostring(L, -1);
    return lua_pushfstring(L, "%s?.lua;%s?/init.lua", directory, directory);
}

/* Runs the module of that name that the host gave the VM, leaves its value; false: there is none. */
static bool load_given(const kci_call *c, const char *name)
{
    lua_State *L = c->L;
    const kci_given *given = c->state->given;
    while (given != NULL && strcmp(given->name, name) != 0)
        given = given->next;
    if (given == NULL)
        return false;
    if (luaL_loadbufferx(L, given->text, given->length, lua_pushfstring(L, "@%s", name), "t") != 0)
        lua_error(L);
    run_chunk(L, name, false);
    return true;
}

static int load_neighbour(kci_call *c, const char *name)
{
    lua_State *L = c->L;
    if (!c->state->trusted)
        return kci_error(c, "there is no module '%s' here, only kcost, kcost.NAME of its stdlib, and what the host gives",
                         name);
    if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") !=
        strlen(name))
        return kci_error(c, "the name '%s' is none of a module: letters, digits, '_', '-' and '.'",
                         name);
    const char *path = luaL_gsub(L, name, ".", "/");
    if (!kci_push_found(L, push_beside_script(L, c->state), path) &&
        !kci_push_found(L, c->state->path, path))
        return kci_error(c, "there is no module '%s' beside the script, nor on the path", name);
    if (luaL_loadfilex(L, lua_tostring(L, -1), "t") != 0)
        return lua_error(L);
    run_chunk(L, name, false);
    return 1;
}

/* The kcost table is made at the first call that wants it. */
static void push_module(lua_State *L)
{
    if (lua_type(L, lua_upvalueindex(2)) != LUA_TTABLE) {
        lua_pushvalue(L, lua_upvalueindex(1));
        kci_module_push(L, lua_gettop(L));
        lua_replace(L, lua_upvalueindex(2));
        lua_pop(L, 1);
    }
    lua_pushvalue(L, lua_upvalueindex(2));
}

/* What stands for a module while it loads in this run: another run's failed to. */
static void *loading_mark(const kci_state *state)
{
    return (void *)(uintptr_t)(state->runs + 1);
}

/* Upvalue 4: what was loaded so far. */
static int require_module(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L), .name = "require", .global = true};
    luaL_checkstack(L, 24, NULL);
    lua_settop(L, 1);
    const char *name = kci_string(&c, 1, "the name");
    if (strcmp(name, "kcost") == 0) {
        push_module(L);
        return 1;
    }
    if (strncmp(name, "kcost.internal.", 15) == 0) {
        push_module(L);
        kci_internal_push(L, lua_gettop(L), name + 15);
        return 1;
    }
    if (strncmp(name, "kcost.", 6) == 0) {
        push_module(L);
        lua_pushliteral(L, "lib");
        lua_rawget(L, -2);
        lua_pushstring(L, name + 6);
        lua_gettable(L, -2);
        return 1;
    }
    lua_pushvalue(L, 1);
    lua_rawget(L, lua_upvalueindex(4));
    if (lua_islightuserdata(L, -1) && lua_touserdata(L, -1) == loading_mark(c.state))
        return kci_error(&c, "the module '%s' is being loaded already, or failed to", name);
    if (!lua_isnil(L, -1) && !lua_islightuserdata(L, -1))
        return 1;
    lua_pushvalue(L, 1);
    lua_pushlightuserdata(L, loading_mark(c.state));
    lua_rawset(L, lua_upvalueindex(4));
    if (!load_given(&c, name))
        load_neighbour(&c, name);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, -2);
    lua_rawset(L, lua_upvalueindex(4));
    return 1;
}

/* Puts the function at the top behind the environment: __index of a metatable that is out of reach. */
static void put_behind(lua_State *L, int environment)
{
    lua_createtable(L, 0, 1);
    lua_insert(L, -2);
    lua_setfield(L, -2, "require");
    lua_createtable(L, 0, 2);
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, environment);
}

void kci_require_add(lua_State *L, const kci_state *state, int state_at, int module)
{
    int environment = lua_gettop(L);
    lua_pushvalue(L, state_at);
    if (module != 0)
        lua_pushvalue(L, module);
    else
        lua_pushnil(L);
    lua_pushvalue(L, environment);
    lua_newtable(L);
    lua_pushcclosure(L, require_module, 4);
    if (state->vm && !state->trusted)
        put_behind(L, environment);
    else
        lua_setfield(L, environment, "require");
}
