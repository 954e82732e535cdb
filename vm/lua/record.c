/* record.c: tables that kcost itself answers with (kc.occupancy, r.search, r.times, …), as text and as JSON.
 *
 * They are plain tables, with a metatable by which print shows them, a script may return them, and a field that none of
 * their kind has is an error. */
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

/* A name among words with blanks between them? */
static bool is_word(const char *words, const char *name)
{
    size_t length = strlen(name);
    while (*words != '\0') {
        size_t word = strcspn(words, " ");
        if (word == length && strncmp(words, name, length) == 0)
            return true;
        words += word + strspn(words + word, " ");
    }
    return false;
}

/* Pushes a table with the words of a text as keys. */
static void push_words(lua_State *L, const char *words)
{
    lua_newtable(L);
    while (*words != '\0') {
        size_t word = strcspn(words, " ");
        lua_pushlstring(L, words, word);
        lua_pushboolean(L, 1);
        lua_rawset(L, -3);
        words += word + strspn(words + word, " ");
    }
}

/* __index: nil for a field that this record lacks, an error for one that none has.  Upvalues: the state, what it
 * is, its names. */
static int other_member(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L)};
    const char *names = lua_tostring(L, lua_upvalueindex(3));
    if (lua_type(L, 2) != LUA_TSTRING || is_word(names, lua_tostring(L, 2)))
        return 0;
    luaL_checkstack(L, 16, NULL);
    push_words(L, names);
    const char *nearest = kci_push_nearest_key(&c, lua_tostring(L, 2), lua_gettop(L));
    return kci_error(&c, "%s has no field '%s'%s", lua_tostring(L, lua_upvalueindex(2)), lua_tostring(L, 2), nearest);
}

/* What marks a metatable as a record's: no script can make one. */
static const char record_key;

void kci_record_metatables(lua_State *L, kci_state *state)
{
    lua_newtable(L);
    state->records = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* Pushes a metatable with `index` (a function below it, which it takes; nil: none); the state's userdata is at `state_at`. */
static void push_metatable(lua_State *L, int state_at)
{
    lua_createtable(L, 1, 3);
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, state_at);
    lua_pushcclosure(L, record_to_string, 1);
    lua_setfield(L, -2, "__tostring");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pushlightuserdata(L, (void *)&record_key);
    lua_rawseti(L, -2, 1);
}

void kci_record_mark(lua_State *L, const kci_state *state, const char *what, const char *names)
{
    int record = lua_gettop(L);
    luaL_checkstack(L, 12, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->records);
    lua_getfield(L, -1, what);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        kci_state_push(L, NULL);
        lua_pushvalue(L, -1);
        lua_pushstring(L, what);
        lua_pushstring(L, names != NULL ? names : "");
        lua_pushcclosure(L, other_member, 3);
        if (names == NULL) {
            lua_pop(L, 1);
            lua_pushnil(L);
        }
        push_metatable(L, record + 2);
        lua_pushvalue(L, -1);
        lua_setfield(L, record + 1, what);
    }
    lua_setmetatable(L, record);
    lua_settop(L, record);
}

void kci_record_mark_with(lua_State *L, lua_CFunction index, int upvalues)
{
    int record = lua_gettop(L) - upvalues;
    luaL_checkstack(L, 12, NULL);
    kci_state_push(L, NULL);
    lua_insert(L, record + 1);
    lua_pushvalue(L, record + 1);
    lua_insert(L, record + 2);
    lua_pushcclosure(L, index, upvalues + 1);
    push_metatable(L, record + 1);
    lua_setmetatable(L, record);
    lua_settop(L, record);
}

bool kci_is_record(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index))
        return false;
    lua_rawgeti(L, -1, 1);
    bool record = lua_touserdata(L, -1) == &record_key;
    lua_pop(L, 2);
    return record;
}

static void add_table(kci_call *c, kci_buffer *json, int index, int depth);

/* The value at the top, which goes. */
static void add_value(kci_call *c, kci_buffer *json, int depth)
{
    lua_State *L = c->L;
    int value = lua_gettop(L);
    kci_step(L, c->state, 1);
    if (json->failed)
        kci_no_memory(L);
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

/* What has a first item is a list, and what is empty and says so. */
static bool is_list(lua_State *L, int index)
{
    if (kci_rawlen(L, index) > 0)
        return true;
    if (!luaL_getmetafield(L, index, "__list"))
        return false;
    lua_pop(L, 1);
    return true;
}

static void add_table(kci_call *c, kci_buffer *json, int index, int depth)
{
    luaL_checkstack(c->L, 16, NULL);
    if (depth > DEEPEST)
        kci_error(c, "the script returned a table that is nested too deeply");
    if (is_list(c->L, index))
        add_items(c, json, index, depth);
    else
        add_members(c, json, index, depth);
}

void kci_record_json(kci_call *c, kci_buffer *json, int index)
{
    add_table(c, json, index, 0);
}
