/* coroutines.c: the coroutine library: an error that a resume catches is raised again once the run is over, and
 * coroutines that resume coroutines end before the C stack does.  There is no close: in Lua 5.4.4 it crashes. */
#include "sandbox.h"

#include <string.h>

enum { START = 100 }; /* instructions that the hook may not have seen when a coroutine ends */

static lua_State *coroutine_at(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argcheck(L, co != NULL, 1, "coroutine expected");
    return co;
}

static const char *status_of(lua_State *L, lua_State *co)
{
    lua_Debug frame;
    if (L == co)
        return "running";
    switch (lua_status(co)) {
    case LUA_YIELD:
        return "suspended";
    case 0:
        if (lua_getstack(co, 0, &frame))
            return "normal";
        return lua_gettop(co) > 0 ? "suspended" : "dead";
    default:
        return "dead";
    }
}

/* The limits know which coroutine runs. */
static int run(lua_State *L, const kci_state *state, lua_State *co, int arguments, int *results)
{
    kci_limits *limits = state->limits;
    if (limits == NULL)
        return kci_resume(co, L, arguments, results);
    limits->thread = co;
    int error = kci_resume(co, L, arguments, results);
    limits->thread = L;
    return error;
}

/* Moves the topmost values over and runs it; how many values came back, or -1 and the error. */
static int resume(lua_State *L, const kci_state *state, lua_State *co, int arguments)
{
    int results;
    const char *status = status_of(L, co);
    kci_step(L, state, 1);
    kci_not_deep(L, state);
    if (strcmp(status, "suspended") != 0) {
        lua_pushfstring(L, strcmp(status, "dead") == 0 ? "cannot resume dead coroutine" : "cannot resume non-suspended coroutine");
        return -1;
    }
    if (!lua_checkstack(co, arguments)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, co, arguments);
    int error = run(L, state, co, arguments, &results);
    if (error == 0 || error == LUA_YIELD) {
        if (!lua_checkstack(L, results + 1)) {
            lua_settop(co, 0);
            lua_pushliteral(L, "too many results to resume");
            return -1;
        }
        lua_xmove(co, L, results);
        return results;
    }
    lua_xmove(co, L, 1);
    kci_caught(L, state, -1);
    return -1;
}

static int coroutine_create(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    kci_step(L, kci_state_of(L), START);
    lua_State *co = lua_newthread(L); /* with the hook of L */
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    return 1;
}

static int coroutine_resume(lua_State *L)
{
    lua_State *co = coroutine_at(L);
    int results = resume(L, kci_state_of(L), co, lua_gettop(L) - 1);
    bool good = results >= 0;
    lua_pushboolean(L, good);
    lua_insert(L, good ? -(results + 1) : -2);
    return good ? results + 1 : 2;
}

/* Upvalues: state, coroutine. */
static int run_wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(2));
    int results = resume(L, kci_state_of(L), co, lua_gettop(L));
    return results >= 0 ? results : lua_error(L);
}

static int coroutine_wrap(lua_State *L)
{
    coroutine_create(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, -2);
    lua_pushcclosure(L, run_wrapped, 2);
    return 1;
}

static int coroutine_yield(lua_State *L)
{
    return lua_yield(L, lua_gettop(L));
}

static int coroutine_status(lua_State *L)
{
    lua_pushstring(L, status_of(L, coroutine_at(L)));
    return 1;
}

/* The coroutine, and whether it is the script itself. */
static int coroutine_running(lua_State *L)
{
    int main = lua_pushthread(L);
    lua_pushboolean(L, main);
    return 2;
}

static int coroutine_isyieldable(lua_State *L)
{
    lua_pushboolean(L, lua_isyieldable(L));
    return 1;
}

const luaL_Reg kci_coroutine_functions[] = {
    {"create", coroutine_create},   {"isyieldable", coroutine_isyieldable}, {"resume", coroutine_resume},
    {"running", coroutine_running}, {"status", coroutine_status},           {"wrap", coroutine_wrap},
    {"yield", coroutine_yield},     {NULL, NULL}};
