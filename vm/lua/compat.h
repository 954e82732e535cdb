/* compat.h: the differences between Lua 5.4 and LuaJIT 2.1, and the only place for them. */
#ifndef KCI_COMPAT_H
#define KCI_COMPAT_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#if LUA_VERSION_NUM >= 504
#define KCI_LUAJIT 0
#define KCI_ENGINE_NAME "Lua 5.4"
/* What only this engine exports: tells whose lua_newstate the process found. */
#define KCI_ENGINE_OWN lua_newuserdatauv
#elif defined(LUAJIT_VERSION_NUM) || LUA_VERSION_NUM == 501
#include <luajit.h>
#define KCI_LUAJIT 1
#define KCI_ENGINE_NAME "LuaJIT"
#define KCI_ENGINE_OWN luaJIT_setmode
#else
#error "kcost needs Lua 5.4 or LuaJIT 2.1"
#endif

#if KCI_LUAJIT
#define kci_rawlen lua_objlen
#else
#define kci_rawlen lua_rawlen
#endif

static inline int kci_absindex(lua_State *L, int index)
{
    return index > 0 || index <= LUA_REGISTRYINDEX ? index : lua_gettop(L) + index + 1;
}

static inline void kci_push_globals(lua_State *L)
{
#if KCI_LUAJIT
    lua_pushvalue(L, LUA_GLOBALSINDEX);
#else
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
#endif
}

/* Gives the chunk under the top the table at the top as its globals; pops it. */
static inline void kci_set_environment(lua_State *L)
{
#if KCI_LUAJIT
    lua_setfenv(L, -2);
#else
    if (lua_setupvalue(L, -2, 1) == NULL)
        lua_pop(L, 1);
#endif
}

/* Opens a standard library into the globals of the state. */
static inline void kci_open_library(lua_State *L, const char *name, lua_CFunction open)
{
#if KCI_LUAJIT
    lua_pushcfunction(L, open);
    lua_pushstring(L, name);
    lua_call(L, 1, 0);
#else
    luaL_requiref(L, name, open, 1);
    lua_pop(L, 1);
#endif
}

/* Runs `function` on an empty stack with `data` as a light userdata, protected.
 * Nothing that can raise happens before the protection. */
static inline int kci_protect(lua_State *L, lua_CFunction function, void *data)
{
#if KCI_LUAJIT
    return lua_cpcall(L, function, data);
#else
    lua_pushcfunction(L, function); /* without upvalues: no allocation in 5.4 */
    lua_pushlightuserdata(L, data);
    return lua_pcall(L, 1, 0, 0);
#endif
}

/* Is the block that the allocator is asked for the hash part of a table, or a stack that doubles?  In 5.4 hash parts
 * are the only large blocks that are new and neither string nor userdata; a stack has 5 slots more than a power.
 * LuaJIT's hash does not collide at will and its stack is bounded. */
static inline int kci_is_hash_or_stack(const void *block, size_t old_size, size_t new_size)
{
#if KCI_LUAJIT
    (void)block;
    (void)old_size;
    (void)new_size;
    return 0;
#else
    enum { SPARE = 5 * 16 };
    if (block == NULL)
        return old_size != LUA_TSTRING && old_size != LUA_TUSERDATA;
    return new_size - SPARE == 2 * (old_size - SPARE);
#endif
}

/* After a memory error was caught: LuaJIT needs a collection before the state is used again. */
static inline void kci_recover(lua_State *L)
{
#if KCI_LUAJIT
    lua_gc(L, LUA_GCCOLLECT, 0);
#else
    (void)L;
#endif
}

/* Runs the coroutine on; how many values it yielded or returned are on its stack.  Returns its status. */
static inline int kci_resume(lua_State *co, lua_State *from, int arguments, int *results)
{
#if KCI_LUAJIT
    (void)from;
    int status = lua_resume(co, arguments);
    *results = lua_gettop(co);
    return status;
#else
    return lua_resume(co, from, arguments, results);
#endif
}

/* Text only. */
static inline int kci_load(lua_State *L, lua_Reader reader, void *data, const char *name)
{
#if KCI_LUAJIT
    return lua_loadx(L, reader, data, name, "t");
#else
    return lua_load(L, reader, data, name, "t");
#endif
}

static inline int kci_less_than(lua_State *L, int a, int b)
{
#if KCI_LUAJIT
    return lua_lessthan(L, a, b);
#else
    return lua_compare(L, a, b, LUA_OPLT);
#endif
}

/* Compiled code never looks at hooks and crashes under a memory limit, so it
 * stays off; LuaJIT's interpreter is fast enough for scripts. */
static inline void kci_compiler_off(lua_State *L)
{
#if KCI_LUAJIT
    luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
#else
    (void)L;
#endif
}

#endif
