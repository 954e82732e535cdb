/* environment.c: what a script finds: fresh copies of an allow-listed set of functions, each run.
 *
 * The set is what Lua 5.4 and LuaJIT share and what reaches nothing outside the
 * VM.  The library tables that C opened are never seen by a script: it gets
 * copies, so nothing that it writes outlives its run or reaches the stdlib. */
#include "binding.h"

#include <string.h>

static const char *const base_names[] = {
    "assert",   "error",    "getmetatable", "ipairs", "next",   "pairs",
    "pcall",    "rawequal", "rawget",       "rawset", "select", "setmetatable",
    "tonumber", "tostring", "type",         "xpcall", NULL};
static const char *const string_names[] = {"byte",    "char", "find",  "format", "gmatch",
                                           "gsub",    "len",  "lower", "match",  "rep",
                                           "reverse", "sub",  "upper", NULL};
static const char *const table_names[] = {"concat", "insert", "remove", "sort", NULL};
static const char *const math_names[] = {
    "abs", "acos", "asin", "atan", "ceil", "cos", "deg",    "exp", "floor", "fmod", "huge",
    "log", "max",  "min",  "modf", "pi",   "rad", "random", "sin", "sqrt",  "tan",  NULL};
static const char *const coroutine_names[] = {"create", "resume", "running", "status",
                                              "wrap",   "yield",  NULL};

static const struct {
    const char *name;
    const char *const *functions;
} libraries[] = {{"string", string_names},
                 {"table", table_names},
                 {"math", math_names},
                 {"coroutine", coroutine_names}};

enum { LIBRARIES = sizeof libraries / sizeof *libraries };

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

static void copy_library(lua_State *L, int globals, const char *name, const char *const *functions)
{
    lua_newtable(L);
    lua_pushstring(L, name);
    lua_rawget(L, globals);
    if (lua_type(L, -1) == LUA_TTABLE) {
        lua_insert(L, -2);
        copy_fields(L, lua_gettop(L) - 1, functions);
        lua_remove(L, -2);
    } else {
        lua_pop(L, 1);
    }
}

/* `unpack` is a global in one engine and a field of table in the other; a
 * script may use both names in both. */
static void add_unpack(lua_State *L, int globals, int environment)
{
    lua_pushliteral(L, "unpack");
    lua_rawget(L, globals);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_pushliteral(L, "table");
        lua_rawget(L, globals);
        if (lua_type(L, -1) == LUA_TTABLE) {
            lua_pushliteral(L, "unpack");
            lua_rawget(L, -2);
            lua_remove(L, -2);
        }
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, environment, "unpack");
    lua_pushliteral(L, "table");
    lua_rawget(L, environment);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "unpack");
    lua_pop(L, 2);
}

/* ---- functions of our own ------------------------------------------------ */

static int script_print(lua_State *L)
{
    const kci_state *state = kci_state_of(L);
    int count = lua_gettop(L);
    lua_pushliteral(L, "");
    for (int i = 1; i <= count; i++) {
        if (i > 1) {
            lua_pushliteral(L, "\t");
            lua_concat(L, 2);
        }
        kci_push_text(L, i);
        lua_concat(L, 2);
    }
    lua_pushliteral(L, "\n");
    lua_concat(L, 2);
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    if (state->print != NULL)
        state->print(state->print_data, text, length);
    return 0;
}

static int script_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    kci_push_text(L, 1);
    return 1;
}

/* Finalizers would run outside every limit, so a script can't have any. */
static int script_setmetatable(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (lua_type(L, 2) != LUA_TTABLE && lua_type(L, 2) != LUA_TNIL)
        return luaL_error(L, "setmetatable: a table or nil is wanted as second argument");
    if (lua_type(L, 2) == LUA_TTABLE) {
        lua_pushliteral(L, "__gc");
        lua_rawget(L, 2);
        if (!lua_isnil(L, -1))
            return luaL_error(L, "setmetatable: there are no finalizers here");
    }
    if (luaL_getmetafield(L, 1, "__metatable"))
        return luaL_error(L, "setmetatable: the metatable is protected");
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
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

static void add_functions(lua_State *L, int state_at, const luaL_Reg *functions)
{
    lua_pushvalue(L, state_at);
    luaL_setfuncs(L, functions, 1);
}

/* ---- environments --------------------------------------------------------- */

void kci_environment_push(lua_State *L, kci_state *state, int state_at, bool stdlib)
{
    static const luaL_Reg in_vm[] = {{"print", script_print},
                                     {"tostring", script_tostring},
                                     {"setmetatable", script_setmetatable},
                                     {NULL, NULL}};
    static const luaL_Reg in_stdlib[] = {
        {"error", stdlib_error}, {"assert", stdlib_assert}, {NULL, NULL}};
    static const char *const module_names[] = {"print", NULL};

    luaL_checkstack(L, 16, NULL);
    kci_push_globals(L);
    int globals = lua_gettop(L);
    lua_newtable(L);
    int environment = lua_gettop(L);
    copy_fields(L, globals, base_names);
    for (size_t i = 0; i < LIBRARIES; i++) {
        copy_library(L, globals, libraries[i].name, libraries[i].functions);
        lua_setfield(L, environment, libraries[i].name);
    }
    add_unpack(L, globals, environment);
    if (state->vm)
        add_functions(L, state_at, in_vm);
    else
        copy_fields(L, globals, module_names);
    if (stdlib)
        add_functions(L, state_at, in_stdlib);
    lua_pushvalue(L, environment);
    lua_setfield(L, environment, "_G");
    lua_remove(L, globals);
}

void kci_environment_open(lua_State *L)
{
#if KCI_LUAJIT
    kci_open_library(L, "", luaopen_base); /* coroutine too */
#else
    kci_open_library(L, "_G", luaopen_base);
    kci_open_library(L, "coroutine", luaopen_coroutine);
#endif
    kci_open_library(L, "string", luaopen_string);
    kci_open_library(L, "table", luaopen_table);
    kci_open_library(L, "math", luaopen_math);

    /* ("x"):upper() finds an own copy, which no script can reach or change. */
    kci_push_globals(L);
    int globals = lua_gettop(L);
    lua_pushliteral(L, "");
    if (lua_getmetatable(L, -1)) {
        copy_library(L, globals, "string", string_names);
        lua_setfield(L, -2, "__index");
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
    }
    lua_settop(L, globals - 1);
}
