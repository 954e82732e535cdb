/* environment.c: what a script finds: fresh tables of an allow-listed set of functions, each run.
 *
 * The set reaches nothing outside the VM and is the same on both engines.  What the engine's own libraries give is
 * copied function by function from tables that no script sees, so nothing that a script writes outlives its run or
 * reaches the stdlib. */
#include "sandbox.h"

static const char *const base_names[] = {"assert", "error",    "getmetatable", "ipairs", "next", "pairs",
                                         "pcall",  "rawequal", "rawget",       "rawset", "select", "setmetatable",
                                         "tonumber", "tostring", "type",       "xpcall", "print", NULL};
static const char *const math_names[] = {"abs",  "acos", "asin", "atan", "ceil", "cos", "deg", "exp",  "floor", "fmod",
                                         "huge", "log",  "max",  "min",  "modf", "pi",  "rad", "sin", "sqrt", "tan", NULL};

/* Copies the named fields of the table at `from` into the one at the top. */
static void copy_fields(lua_State *L, int from, const char *const *names)
{
    for (; *names != NULL; names++) {
        lua_pushstring(L, *names);
        lua_pushvalue(L, -1);
        lua_rawget(L, from);
        lua_rawset(L, -3);
    }
}

/* The state is the first upvalue of each. */
static void add_functions(lua_State *L, int state_at, const luaL_Reg *functions)
{
    lua_pushvalue(L, state_at);
    luaL_setfuncs(L, functions, 1);
}

static void push_library(lua_State *L, int state_at, const luaL_Reg *functions)
{
    lua_createtable(L, 0, 16);
    add_functions(L, state_at, functions);
}

static void push_strings(lua_State *L, int state_at)
{
    push_library(L, state_at, kci_string_functions);
    add_functions(L, state_at, kci_pattern_functions);
}

static void push_math(lua_State *L, int globals, int state_at)
{
    push_library(L, state_at, kci_random_functions);
    lua_pushliteral(L, "math");
    lua_rawget(L, globals);
    if (lua_type(L, -1) == LUA_TTABLE) {
        lua_insert(L, -2);
        copy_fields(L, lua_gettop(L) - 1, math_names);
        lua_remove(L, -2);
    } else {
        lua_pop(L, 1);
    }
}

/* error and assert of the stdlib: at the user's line, on both engines. */
static int stdlib_error(lua_State *L)
{
    const kci_state *state = kci_state_of(L);
    lua_settop(L, 1);
    if (lua_type(L, 1) != LUA_TSTRING)
        return lua_error(L);
    return kci_raise(L, state);
}

static int stdlib_assert(lua_State *L)
{
    luaL_checkany(L, 1);
    if (lua_toboolean(L, 1))
        return lua_gettop(L);
    const kci_state *state = kci_state_of(L);
    lua_settop(L, 2);
    if (lua_isnil(L, 2)) {
        lua_pushliteral(L, "assertion failed!");
        lua_replace(L, 2);
    }
    return lua_type(L, 2) == LUA_TSTRING ? kci_raise(L, state) : lua_error(L);
}

/* pcall of the stdlib: a field that is asked for, say, is not absent because there was no memory to look. */
static int stdlib_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    if (lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0) == 0)
        return lua_gettop(L);
    if (kci_is_memory_error(L, -1))
        return lua_error(L);
    kci_caught(L, kci_state_of(L), -1);
    lua_pushboolean(L, 0);
    lua_replace(L, 1);
    return 2;
}

void kci_environment_push(lua_State *L, kci_state *state, int state_at, bool stdlib)
{
    static const luaL_Reg in_stdlib[] = {
        {"error", stdlib_error}, {"assert", stdlib_assert}, {"pcall", stdlib_pcall}, {NULL, NULL}};

    luaL_checkstack(L, 16, NULL);
    kci_push_globals(L);
    int globals = lua_gettop(L);
    lua_createtable(L, 0, 32);
    int environment = lua_gettop(L);
    copy_fields(L, globals, base_names);
    if (state->vm) {
        add_functions(L, state_at, kci_basic_functions);
        kci_catching_add(L, state);
    }
    if (stdlib)
        add_functions(L, state_at, in_stdlib);
    push_strings(L, state_at);
    lua_setfield(L, environment, "string");
    push_math(L, globals, state_at);
    lua_setfield(L, environment, "math");
    push_library(L, state_at, kci_coroutine_functions);
    lua_setfield(L, environment, "coroutine");
    push_library(L, state_at, kci_table_functions);
    lua_pushliteral(L, "unpack"); /* a global in one engine, a field of table in the other */
    lua_rawget(L, -2);
    lua_setfield(L, environment, "unpack");
    lua_setfield(L, environment, "table");
    lua_pushvalue(L, environment);
    lua_setfield(L, environment, "_G");
    lua_remove(L, globals);
}

/* ("x"):upper() finds a table of its own, which no script can reach or change. */
static void open_strings(lua_State *L, int state_at)
{
    lua_pushliteral(L, "");
    lua_createtable(L, 0, 2);
    push_strings(L, state_at);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

void kci_environment_open(lua_State *L, kci_state *state, int state_at)
{
#if KCI_LUAJIT
    kci_open_library(L, "", luaopen_base);
#else
    kci_open_library(L, "_G", luaopen_base);
#endif
    kci_open_library(L, LUA_MATHLIBNAME, luaopen_math);
    open_strings(L, state_at);
    lua_pushvalue(L, state_at);
    kci_catching_open(L, state);
    lua_settop(L, state_at);
}
