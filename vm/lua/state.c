/* state.c: what kcost keeps in a lua_State: the context, the account of memory, the metatables. */
#include "binding.h"

#include <string.h>

static const char state_key = 0;

static int collect_state(lua_State *L)
{
    kci_state *state = lua_touserdata(L, 1);
    if (state == NULL)
        return 0;
    /* Objects whose userdata are finalised after this have nothing left to free. */
    while (state->boxes != NULL)
        kci_box_free(state, state->boxes);
    kc_context_watch(state->context, NULL, NULL); /* objects may keep the context */
    kc_context_free(state->context);
    state->context = NULL;
    kci_state_free_given(state);
    if (state->own_memory)
        kci_memory_drop(state->memory);
    state->memory = NULL;
    return 0;
}

kci_state *kci_state_push(lua_State *L, kci_memory *memory)
{
    lua_pushlightuserdata(L, (void *)&state_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    if (lua_type(L, -1) == LUA_TUSERDATA)
        return lua_touserdata(L, -1);
    lua_pop(L, 1);

    kci_state *state = lua_newuserdata(L, sizeof *state);
    memset(state, 0, sizeof *state);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, collect_state);
    lua_setfield(L, -2, "__gc");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);

    state->own_memory = memory == NULL;
    state->memory = memory != NULL ? memory : kci_memory_of_state(L);
    if (state->memory != NULL)
        state->context = kc_context_new(kci_memory_model, state->memory);
    if (state->context == NULL)
        luaL_error(L, "not enough memory");
    state->collect_at = (size_t)1 << 20;
    kci_object_metatables(L, state);
    kci_record_metatables(L, state);
    lua_pushlightuserdata(L, (void *)&state_key);
    lua_pushvalue(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
    return state;
}

kci_state *kci_state_of(lua_State *L)
{
    kci_state *state = lua_touserdata(L, lua_upvalueindex(1));
    if (state->context == NULL) /* a finalizer of the host's, after ours */
        luaL_error(L, "kcost is closed");
    return state;
}

void kci_state_free_given(kci_state *state)
{
    while (state->given != NULL) {
        kci_given *given = state->given;
        state->given = given->next;
        size_t size = sizeof *given + strlen(given->name) + 1 + given->length + 1;
        kci_memory_model(state->memory, given, size, 0);
    }
    while (state->params != NULL) {
        kci_param *param = state->params;
        state->params = param->next;
        /* A param, its name and its value are one block. */
        size_t size = sizeof *param + strlen(param->name) + strlen(param->value) + 2;
        kci_memory_model(state->memory, param, size, 0);
    }
}
