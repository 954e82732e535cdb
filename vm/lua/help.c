/* help.c: kc.help, which asks stdlib/help.lua, and what the stdlib asks of C. */
#include "binding.h"
#include "stdlib_files.h"

#include <string.h>

/* kind(x): "kernel", "tensor", …; nil where x is no object of kcost. */
static int core_kind(lua_State *L)
{
    const kci_state *state = kci_state_of(L);
    kc_object *object = kci_object_at(L, state, 1);
    if (object == NULL)
        return 0;
    const char *words = kci_kind_name(kc_object_kind(object)), *space = strchr(words, ' ');
    lua_pushstring(L, space != NULL ? space + 1 : words);
    return 1;
}

/* source(name): the text of stdlib/NAME.lua, of the path or compiled in; nil where there is none. */
static int core_source(lua_State *L)
{
    const kci_state *state = kci_state_of(L);
    const char *name = luaL_checkstring(L, 1);
    size_t length;
    if (kci_push_replaced(L, state, "stdlib", name)) {
        if (!kci_push_bytes(L, lua_tostring(L, -1), &length))
            return 0;
        lua_pushlstring(L, lua_touserdata(L, -1), length);
        return 1;
    }
    for (size_t i = 0; i < kci_stdlib_file_count; i++)
        if (strcmp(kci_stdlib_files[i].name, name) == 0) {
            lua_pushlstring(L, (const char *)kci_stdlib_files[i].bytes, kci_stdlib_files[i].length);
            return 1;
        }
    return 0;
}

static int push_files(lua_State *L, bool internal)
{
    int count = 0;
    lua_createtable(L, (int)kci_stdlib_file_count, 0);
    for (size_t i = 0; i < kci_stdlib_file_count; i++) {
        if (kci_is_internal(kci_stdlib_files[i].name) != internal)
            continue;
        lua_pushstring(L, kci_stdlib_files[i].name);
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

/* files(): the names of what kc.lib has that is compiled in. */
static int core_files(lua_State *L) { return push_files(L, false); }

/* internals(): the names of the stdlib's own files. */
static int core_internals(lua_State *L) { return push_files(L, true); }

/* devices(): the ids of those that are shipped. */
static int core_devices(lua_State *L)
{
    lua_createtable(L, (int)kc_device_count(), 0);
    for (size_t i = 0; i < kc_device_count(); i++) {
        lua_pushstring(L, kc_device_id(i));
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* nearest(word, names): "; did you mean 'tile'?", or "". */
static int core_nearest(lua_State *L)
{
    const char *word = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    size_t count = kci_rawlen(L, 2);
    const char **names = lua_newuserdata(L, (count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 2, (int)i + 1);
        names[i] = luaL_checkstring(L, -1); /* the list keeps it */
        lua_pop(L, 1);
    }
    kci_push_nearest(L, word, names, count);
    return 1;
}

/* record(t): t itself, which print shows and a script may return. */
static int core_record(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    kci_record_mark(L, kci_state_of(L), "figures", NULL);
    return 1;
}

void kci_core_push(lua_State *L, int state_at)
{
    static const luaL_Reg functions[] = {{"kind", core_kind},       {"source", core_source},
                                         {"files", core_files},     {"internals", core_internals},
                                         {"devices", core_devices}, {"nearest", core_nearest},
                                         {"record", core_record},   {"profile", kci_core_profile},
                                         {"paths", kci_core_paths}, {"figure", kci_core_figure},
                                         {NULL, NULL}};
    lua_createtable(L, 0, sizeof functions / sizeof *functions);
    lua_pushvalue(L, state_at);
    luaL_setfuncs(L, functions, 1);
}

/* help(what): stdlib/help.lua says it. */
static int help_help(lua_State *L)
{
    kci_begin(L, "help", 1);
    luaL_checkstack(L, 8, NULL);
    kci_internal_push(L, lua_upvalueindex(2), "help");
    lua_getfield(L, -1, "text");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

void kci_help_add(lua_State *L, int state_at)
{
    lua_pushvalue(L, state_at);
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, help_help, 2);
    lua_setfield(L, -2, "help");
}
