/* record.c: tables that kcost itself answers with (kc.occupancy, r.search, r.times, …), as text and as JSON.
 *
 * They are plain tables, with a metatable by which print shows them and a script may return them. */
#include "vm.h"

#include <string.h>

enum { DEEPEST = 16 };

/* Adds to the text at the top the lines "path: value" of the table at `index`, by sorted name. */
static void add_lines(kci_call *c, int index, const char *path, int depth)
{
    lua_State *L = c->L;
    int text = lua_gettop(L);
    luaL_checkstack(L, 24, NULL);
    if (depth > DEEPEST)
        kci_error(c, "the table is nested too deeply to be shown");
    size_t count = kci_push_sorted_keys(c, index, "the table");
    int keys = lua_gettop(L);
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(L, keys, (int)i);
        const char *name = lua_pushfstring(L, "%s%s", path, lua_tostring(L, -1));
        lua_pushvalue(L, -2);
        lua_rawget(L, index);
        int value = lua_gettop(L);
        const char *inside = lua_pushfstring(L, "%s.", name);
        lua_pushvalue(L, text);
        if (lua_type(L, value) == LUA_TTABLE) {
            add_lines(c, value, inside, depth + 1);
        } else {
            lua_pushfstring(L, "%s%s: ", kci_rawlen(L, text) ? "\n" : "", name);
            kci_push_text(L, c->state, value);
            lua_concat(L, 3);
        }
        lua_replace(L, text);
        lua_settop(L, keys);
    }
    lua_settop(L, text);
}

void kci_push_members(kci_call *c, int index)
{
    lua_pushliteral(c->L, "");
    add_lines(c, index, "", 0);
}

static int record_to_string(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L)};
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    kci_push_members(&c, 1);
    return 1;
}

void kci_record_metatable(lua_State *L, kci_state *state)
{
    int state_index = lua_gettop(L);
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, state_index);
    lua_pushcclosure(L, record_to_string, 1);
    lua_setfield(L, -2, "__tostring");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    state->record = luaL_ref(L, LUA_REGISTRYINDEX);
}

void kci_record_mark(lua_State *L, const kci_state *state)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->record);
    lua_setmetatable(L, -2);
}

bool kci_is_record(lua_State *L, const kci_state *state, int index)
{
    if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index))
        return false;
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->record);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same;
}

static void add_table(kci_call *c, kci_buffer *json, int index, int depth);

/* The value at the top, which goes. */
static void add_value(kci_call *c, kci_buffer *json, int depth)
{
    lua_State *L = c->L;
    int value = lua_gettop(L);
    if (lua_type(L, value) == LUA_TTABLE)
        add_table(c, json, value, depth + 1);
    else
        kci_plain_json(c, json, value);
    lua_settop(L, value - 1);
}

static void add_items(kci_call *c, kci_buffer *json, int index, int depth)
{
    size_t count = kci_list_length(c, index, "the script's list");
    kci_buffer_text(json, "[");
    for (size_t i = 1; i <= count; i++) {
        kci_buffer_text(json, i > 1 ? "," : "");
        lua_rawgeti(c->L, index, (int)i);
        add_value(c, json, depth);
    }
    kci_buffer_text(json, "]");
}

static void add_members(kci_call *c, kci_buffer *json, int index, int depth)
{
    lua_State *L = c->L;
    size_t count = kci_push_sorted_keys(c, index, "the script's table");
    int keys = lua_gettop(L);
    kci_buffer_text(json, "{");
    for (size_t i = 1; i <= count; i++) {
        size_t length;
        lua_rawgeti(L, keys, (int)i);
        const char *name = lua_tolstring(L, -1, &length);
        kci_buffer_text(json, i > 1 ? "," : "");
        kci_buffer_json_string(json, name, length);
        kci_buffer_text(json, ":");
        lua_rawget(L, index);
        add_value(c, json, depth);
        lua_settop(L, keys);
    }
    kci_buffer_text(json, "}");
    lua_pop(L, 1);
}

/* What has a first item is a list. */
static void add_table(kci_call *c, kci_buffer *json, int index, int depth)
{
    luaL_checkstack(c->L, 16, NULL);
    if (depth > DEEPEST)
        kci_error(c, "the script returned a table that is nested too deeply");
    if (kci_rawlen(c->L, index) > 0)
        add_items(c, json, index, depth);
    else
        add_members(c, json, index, depth);
}

void kci_record_json(kci_call *c, kci_buffer *json, int index)
{
    add_table(c, json, index, 0);
}
