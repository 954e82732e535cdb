/* own_state.c: a host with a Lua state of its own, which gives its scripts `require "kcost"`.
 *
 *     cc -std=c99 own_state.c $(pkg-config --cflags --libs kcost-lua5.4 lua5.4) -o own_state && ./own_state stock.lua
 *
 * Here scripts are the host's own: they have all that the host opens.  For scripts of others there is kc_vm_new. */
#include <kcost.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

/* arg[0] is the script, as in the stock interpreter. */
static void set_arg(lua_State *L, const char *script)
{
    lua_newtable(L);
    lua_pushstring(L, script);
    lua_rawseti(L, -2, 0);
    lua_setglobal(L, "arg");
}

/* All that may raise an error is in a protected call: outside of one, Lua ends the host. */
static int run(lua_State *L)
{
    const char *script = lua_touserdata(L, 1);
    luaL_openlibs(L);
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, luaopen_kcost);
    lua_setfield(L, -2, "kcost");
    set_arg(L, script);
    if (luaL_loadfile(L, script))
        return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
}

int main(int count, char **words)
{
    lua_State *L = count == 2 ? luaL_newstate() : NULL;
    if (!L) {
        fputs(count == 2 ? "not enough memory\n" : "usage: own_state script.lua\n", stderr);
        return 2;
    }
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, words[1]);
    int failed = lua_pcall(L, 1, 0, 0);
    if (failed)
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_close(L);
    return failed != 0;
}
