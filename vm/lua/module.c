/* module.c: the kcost table, and luaopen_kcost for states that a host owns. */
#include "binding.h"
#include "stdlib_files.h"

#include <stdlib.h>
#include <string.h>

static const luaL_Reg *const calls[] = {kci_language_calls, kci_kernel_calls, kci_tile_calls,
                                        kci_device_calls,   kci_ask_calls,    kci_occupancy_calls,
                                        kci_sweep_calls,    kci_search_calls, kci_json_calls,
                                        kci_script_calls};
enum { TABLES = sizeof calls / sizeof *calls, MOST_NAMES = 64 };

bool kci_is_call(const char *word, size_t length)
{
    for (size_t i = 0; i < TABLES; i++)
        for (const luaL_Reg *call = calls[i]; call->name != NULL; call++)
            if (strlen(call->name) == length && strncmp(call->name, word, length) == 0)
                return true;
    return false;
}

/* What is written in Lua: kc.NAME is what stdlib/FILE.lua gives, or a function of it. */
static const struct {
    const char *name, *file, *function;
} in_stdlib[] = {
    {"plot", "plot", NULL}, {"load_profile", "profile", "load"}, {"match", "match", "match"},
    {"calibrate", "calibrate", "device"},
};
enum { IN_STDLIB = sizeof in_stdlib / sizeof *in_stdlib };

/* kc.plot is that of stdlib/plot.lua; kc.matmull: the nearest name, where `nil` would only say that it can't be called. */
static int other_field(lua_State *L)
{
    static const char *const others[] = {"version", "lib", "help"};
    kci_call c = {.L = L, .state = kci_state_of(L)};
    const char *names[MOST_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        names[count++] = others[i];
    for (size_t i = 0; i < TABLES; i++)
        for (const luaL_Reg *call = calls[i]; call->name != NULL && count < MOST_NAMES; call++)
            names[count++] = call->name;
    for (size_t i = 0; i < IN_STDLIB && count < MOST_NAMES; i++)
        names[count++] = in_stdlib[i].name;
    lua_settop(L, 2);
    for (size_t i = 0; i < IN_STDLIB && lua_type(L, 2) == LUA_TSTRING; i++) {
        if (strcmp(lua_tostring(L, 2), in_stdlib[i].name) != 0)
            continue;
        kci_internal_push(L, 1, in_stdlib[i].file);
        if (in_stdlib[i].function != NULL)
            lua_getfield(L, -1, in_stdlib[i].function);
        return 1;
    }
    return kci_no_field(&c, "kcost", names, count);
}

void kci_module_push(lua_State *L, int state_at)
{
    lua_createtable(L, 0, 40);
    int module = lua_gettop(L);
    for (size_t i = 0; i < TABLES; i++) {
        lua_pushvalue(L, state_at);
        luaL_setfuncs(L, calls[i], 1);
    }
    lua_pushstring(L, kc_version());
    lua_setfield(L, -2, "version");
    kci_help_add(L, state_at);

    lua_createtable(L, 0, 3);
    kci_library_add(L, state_at, module);
    lua_setfield(L, -2, "internal");
    lua_pushvalue(L, state_at);
    lua_pushcclosure(L, other_field, 1);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
}

/* `require "kcost.gemm"` in a stock interpreter: kc.lib.gemm. Upvalues: the kcost table, the file's name. */
static int preloaded(lua_State *L)
{
    const char *name = lua_tostring(L, lua_upvalueindex(2));
    if (kci_is_internal(name)) {
        kci_internal_push(L, lua_upvalueindex(1), name);
        return 1;
    }
    lua_getfield(L, lua_upvalueindex(1), "lib");
    lua_getfield(L, -1, name);
    return 1;
}

static void add_preloaded(lua_State *L, int module)
{
    lua_getfield(L, LUA_REGISTRYINDEX, "_PRELOAD");
    if (lua_type(L, -1) == LUA_TTABLE) {
        for (size_t i = 0; i < kci_stdlib_file_count; i++) {
            const char *name = kci_stdlib_files[i].name;
            lua_pushfstring(L, kci_is_internal(name) ? "kcost.internal.%s" : "kcost.%s", name);
            lua_pushvalue(L, module);
            lua_pushstring(L, name);
            lua_pushcclosure(L, preloaded, 2);
            lua_rawset(L, -3);
        }
    }
    lua_pop(L, 1);
}

/* The text stays in the registry: the environment's may change. */
static void take_path(lua_State *L, kci_state *state)
{
    const char *path = getenv("KCOST_PATH");
    if (path == NULL || state->vm || state->path != NULL)
        return;
    lua_pushstring(L, path);
    state->path = lua_tostring(L, -1);
    luaL_ref(L, LUA_REGISTRYINDEX);
}

int luaopen_kcost(lua_State *L)
{
    lua_settop(L, 0);
    kci_state *state = kci_state_push(L, NULL);
    take_path(L, state);
    kci_module_push(L, 1);
    add_preloaded(L, 2);
    return 1;
}
