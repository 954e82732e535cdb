/* basic.c: the functions of the base library that are not the engine's own: print, tostring, tonumber, setmetatable;
 * pcall and xpcall, which no limit can be caught with. */
#include "sandbox.h"

#include <string.h>

static int basic_print(lua_State *L)
{
    const kci_state *state = kci_state_of(L);
    int count = lua_gettop(L);
    kci_draft text;
    kci_draft_begin(&text, L, state);
    for (int i = 1; i <= count; i++) {
        if (i > 1)
            kci_draft_add(&text, "\t", 1);
        kci_draft_value(&text, i);
    }
    kci_draft_add(&text, "\n", 1);
    if (state->print != NULL)
        state->print(state->print_data, text.bytes, text.length);
    return 0;
}

static int basic_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    kci_push_text(L, kci_state_of(L), 1);
    return 1;
}

/* LuaJIT takes "inf" and "nan" for numbers. */
static int basic_tonumber(lua_State *L)
{
    const kci_state *state = kci_state_of(L);
    size_t length;
    luaL_checkany(L, 1);
    lua_settop(L, 2);
    if (lua_type(L, 1) == LUA_TSTRING) {
        const char *text = lua_tolstring(L, 1, &length);
        kci_step(L, state, 1 + length / 16);
        if (lua_isnil(L, 2) && strpbrk(text, "nN") != NULL)
            return lua_pushnil(L), 1;
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->tonumber);
    lua_insert(L, 1);
    if (lua_isnil(L, 3))
        lua_settop(L, 2);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

/* Finalizers would run outside every limit, so a script can't have any.  Nor are tables weak: what they hold would
 * tell when the collector ran, and in 5.4 a chain through weak keys costs it quadratic time. */
static int basic_setmetatable(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (lua_type(L, 2) != LUA_TTABLE && lua_type(L, 2) != LUA_TNIL)
        return luaL_error(L, "setmetatable: a table or nil is wanted as second argument");
    if (lua_type(L, 2) == LUA_TTABLE) {
        lua_pushliteral(L, "__gc");
        lua_rawget(L, 2);
        if (!lua_isnil(L, -1))
            return luaL_error(L, "setmetatable: there are no finalizers here");
        lua_pushliteral(L, "__mode");
        lua_pushnil(L);
        lua_rawset(L, 2);
    }
    if (luaL_getmetafield(L, 1, "__metatable"))
        return luaL_error(L, "setmetatable: the metatable is protected");
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

const luaL_Reg kci_basic_functions[] = {{"pairs", kci_ordered_pairs},
                                        {"print", basic_print},
                                        {"setmetatable", basic_setmetatable},
                                        {"tonumber", basic_tonumber},
                                        {"tostring", basic_tostring},
                                        {NULL, NULL}};

/* ---- pcall, xpcall ---------------------------------------------------------- */

/* What pcall gave: its own, or the error of the limit. */
static int passed(lua_State *L)
{
    if (!lua_toboolean(L, 1))
        kci_caught(L, kci_state_of(L), 2);
    return lua_gettop(L);
}

/* In Lua, since a coroutine can yield through the engine's pcall and not through C of ours.  The handler of xpcall
 * runs when the error has unwound the stack, in a pcall of its own: the engine would run it with no hook. */
static const char catching[] =
    "local pcall, select, passed = ...\n"
    "local function try(f, ...) return passed(pcall(f, ...)) end\n"
    "local function handled(handler, good, ...)\n"
    "  if good then return true, ... end\n"
    "  return false, select(2, try(handler, ...))\n"
    "end\n"
    "return try, function(f, handler, ...) return handled(handler, try(f, ...)) end\n";

/* The state's userdata is at the top. */
void kci_catching_open(lua_State *L, kci_state *state)
{
    int state_at = lua_gettop(L);
    if (luaL_loadbufferx(L, catching, sizeof catching - 1, "=kcost/pcall", "t") != 0)
        lua_error(L);
    kci_push_globals(L);
    lua_getfield(L, -1, "tonumber");
    state->tonumber = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_getfield(L, -1, "pcall");
    lua_getfield(L, -2, "select");
    lua_remove(L, -3);
    lua_pushvalue(L, state_at);
    lua_pushcclosure(L, passed, 1);
    lua_call(L, 3, 2);
    state->xpcall = luaL_ref(L, LUA_REGISTRYINDEX);
    state->pcall = luaL_ref(L, LUA_REGISTRYINDEX);
}

void kci_catching_add(lua_State *L, const kci_state *state)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->pcall);
    lua_setfield(L, -2, "pcall");
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->xpcall);
    lua_setfield(L, -2, "xpcall");
}
