/* tables.c: options, sizes, lists and names out of Lua tables, into memory on the stack. */
#include "binding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_KEYS = 10000,
    MOST_LIKE = 500 /* keys among which the nearest is looked for: some microseconds each */
};

static void want_table(kci_call *c, int index, const char *argument, const char *wanted)
{
    if (lua_type(c->L, index) != LUA_TTABLE)
        kci_error(c, "%s is %s, and %s is wanted", argument,
                  kci_push_described(c->L, c->state, index), wanted);
}

/* A key that is a name.  It is not converted: that would change the table's key. */
static const char *key_name(kci_call *c, int index, const char *argument, const char *wanted)
{
    if (lua_type(c->L, index) != LUA_TSTRING)
        kci_error(c, "%s has the key %s, and %s is wanted", argument,
                  kci_push_described(c->L, c->state, index), wanted);
    size_t length;
    const char *name = lua_tolstring(c->L, index, &length);
    if (strlen(name) != length)
        kci_error(c, "%s has a key with a zero byte in it", argument);
    return name;
}

static int push_known(lua_State *L, const char *const *names, size_t count)
{
    lua_pushliteral(L, "");
    for (size_t i = 0; i < count; i++) {
        lua_pushfstring(L, i == 0 ? "'%s'" : ", '%s'", names[i]);
        lua_concat(L, 2);
    }
    return 1;
}

void kci_options(kci_call *c, int index, const char *argument, const char *const *names,
                 size_t count)
{
    lua_State *L = c->L;
    if (kci_absent(c, index))
        return;
    want_table(c, index, argument, "a table of options");
    index = kci_absindex(L, index);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        const char *key = key_name(c, -1, argument, "a name");
        bool known = false;
        for (size_t i = 0; i < count && !known; i++)
            known = strcmp(key, names[i]) == 0;
        if (!known) {
            const char *nearest = kci_push_nearest(L, key, names, count);
            if (nearest[0] == '\0') {
                push_known(L, names, count);
                kci_error(c, "%s has no option '%s'; there are %s", argument, key,
                          lua_tostring(L, -1));
            }
            kci_error(c, "%s has no option '%s'%s", argument, key, nearest);
        }
    }
}

int kci_option(kci_call *c, int index, const char *name)
{
    luaL_checkstack(c->L, 8, NULL);
    if (kci_absent(c, index)) {
        lua_pushnil(c->L);
    } else {
        index = kci_absindex(c->L, index);
        lua_pushstring(c->L, name);
        lua_rawget(c->L, index);
    }
    return lua_gettop(c->L);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Two tables of our own: names by number, values by name.  Strings and values
 * stay alive there, whatever a finalizer does to the script's table.  Returns
 * how many; the sorted names are in userdata at the top. */
static size_t push_sorted(kci_call *c, int index, const char *argument, const char *wanted,
                          const char ***names)
{
    lua_State *L = c->L;
    luaL_checkstack(L, 12, NULL);
    index = kci_absindex(L, index);
    lua_newtable(L);
    int values = lua_gettop(L);
    size_t count = 0;
    lua_pushnil(L);
    while (lua_next(L, index)) {
        key_name(c, -2, argument, wanted);
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, values);
        if (++count > MOST_KEYS)
            kci_error(c, "%s has more than %d names", argument, MOST_KEYS);
    }
    const char **sorted = lua_newuserdata(L, (count + 1) * sizeof *sorted);
    size_t filled = 0;
    lua_pushnil(L);
    while (lua_next(L, values)) {
        lua_pop(L, 1);
        sorted[filled++] = lua_tostring(L, -1);
    }
    qsort(sorted, filled, sizeof *sorted, compare_texts);
    *names = sorted;
    return filled;
}

size_t kci_push_sorted_keys(kci_call *c, int index, const char *argument)
{
    lua_State *L = c->L;
    const char **names;
    size_t count = push_sorted(c, index, argument, "a name", &names);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_pushstring(L, names[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_replace(L, -3); /* over the values */
    lua_pop(L, 1);
    return count;
}

const char *kci_push_nearest_key(kci_call *c, const char *name, int index)
{
    lua_State *L = c->L;
    luaL_checkstack(L, 12, NULL);
    lua_newtable(L);
    int texts = lua_gettop(L);
    size_t count = 0, filled = 0;
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            continue;
        if (count == MOST_LIKE) { /* whoever made so many does not read them */
            lua_pushliteral(L, "");
            return lua_tostring(L, -1);
        }
        lua_pushvalue(L, -1);
        lua_rawseti(L, texts, (int)++count);
    }
    kci_step(L, c->state, count);
    const char **names = lua_newuserdata(L, (count + 1) * sizeof *names);
    for (; filled < count; filled++) {
        lua_rawgeti(L, texts, (int)filled + 1);
        names[filled] = lua_tostring(L, -1);
        lua_pop(L, 1);
    }
    qsort(names, count, sizeof *names, compare_texts);
    return kci_push_nearest(L, name, names, count);
}

static int compare_dims(const void *a, const void *b)
{
    return strcmp(((const kc_size *)a)->dim, ((const kc_size *)b)->dim);
}

/* A size that is not plainly right, as the calls for single arguments see it. */
static double checked_size(kci_call *c, int index, const char *argument, const char *dim, bool any_number)
{
    lua_pushfstring(c->L, "%s of dim '%s'", argument, dim);
    lua_pushstring(c->L, dim);
    lua_rawget(c->L, index);
    const char *what = lua_tostring(c->L, -2);
    double size = any_number ? kci_number(c, -1, what) : kci_whole(c, -1, what, 1);
    lua_pop(c->L, 2);
    return size;
}

/* The dims stay alive in a list of our own, whatever a finalizer does to the script's table. */
kci_sizes kci_read_sizes(kci_call *c, int index, const char *argument, bool any_number)
{
    lua_State *L = c->L;
    kci_sizes sizes = {NULL, 0};
    if (kci_absent(c, index))
        return sizes;
    want_table(c, index, argument, "a table { dim = size }");
    luaL_checkstack(L, 12, NULL);
    index = kci_absindex(L, index);
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1), count++)
        key_name(c, -2, argument, "the name of a dim");
    sizes.items = lua_newuserdata(L, (count + 1) * sizeof *sizes.items);
    lua_createtable(L, (int)count, 0);
    int dims = lua_gettop(L);
    lua_pushnil(L);
    while (sizes.count < count && lua_next(L, index)) {
        kc_size *item = &sizes.items[sizes.count++];
        item->dim = key_name(c, -2, argument, "the name of a dim");
        item->size = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : NAN;
        lua_pop(L, 1);
        lua_pushvalue(L, -1);
        lua_rawseti(L, dims, (int)sizes.count);
    }
    lua_settop(L, dims);
    qsort(sizes.items, sizes.count, sizeof *sizes.items, compare_dims);
    for (size_t i = 0; i < sizes.count; i++) {
        kc_size *item = &sizes.items[i];
        bool right = any_number || (item->size >= 1 && item->size <= 1e15 && item->size == floor(item->size));
        if (!right || isnan(item->size))
            item->size = checked_size(c, index, argument, item->dim, any_number);
    }
    return sizes;
}

kci_pairs kci_read_pairs(kci_call *c, int index, const char *argument)
{
    lua_State *L = c->L;
    kci_pairs pairs = {NULL, NULL, 0};
    want_table(c, index, argument, "a table { old = \"new\" }");
    pairs.count = push_sorted(c, index, argument, "the name of a dim", &pairs.from);
    int values = lua_gettop(L) - 1;
    pairs.to = lua_newuserdata(L, (pairs.count + 1) * sizeof *pairs.to);
    for (size_t i = 0; i < pairs.count; i++) {
        lua_pushfstring(L, "%s of dim '%s'", argument, pairs.from[i]);
        lua_pushstring(L, pairs.from[i]);
        lua_rawget(L, values);
        pairs.to[i] = kci_string(c, -1, lua_tostring(L, -2));
        lua_pop(L, 2); /* `values` holds the string */
    }
    return pairs;
}

/* A list has the keys 1 to n and no other. */
size_t kci_list_length(kci_call *c, int index, const char *argument)
{
    lua_State *L = c->L;
    size_t count = kci_rawlen(L, index), keys = 0;
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TNUMBER)
            kci_error(c, "%s has the key %s, and a list { a, b } is wanted", argument,
                      kci_push_described(L, c->state, -1));
        keys++;
    }
    if (keys != count || count > 0x7fffffff)
        kci_error(c, "%s is a list with holes: nothing stands between two of its items", argument);
    return count;
}

kci_handles kci_read_handles(kci_call *c, int index, const char *argument, kci_pick pick)
{
    lua_State *L = c->L;
    kci_handles handles = {NULL, 0};
    luaL_checkstack(L, 16, NULL);
    if (kci_object_at(L, c->state, index) != NULL)
        kci_error(c, "%s is %s, and a list { a, b } is wanted", argument,
                  kci_push_described(L, c->state, index));
    want_table(c, index, argument, "a list { a, b }");
    index = kci_absindex(L, index);
    handles.count = kci_list_length(c, index, argument);
    handles.items = lua_newuserdata(L, (handles.count + 1) * sizeof *handles.items);
    lua_createtable(L, (int)handles.count, 0);
    int anchor = lua_gettop(L);
    for (size_t i = 0; i < handles.count; i++) {
        kci_step(L, c->state, 1);
        lua_pushfstring(L, "%s[%d]", argument, (int)i + 1);
        lua_rawgeti(L, index, (int)i + 1);
        handles.items[i] = pick(c, anchor + 2, lua_tostring(L, anchor + 1));
        lua_rawseti(L, anchor, (int)i + 1); /* what `pick` left at the top, or the item */
        lua_settop(L, anchor);
    }
    return handles;
}

kci_names kci_read_names(kci_call *c, int index, const char *argument)
{
    lua_State *L = c->L;
    kci_names names = {NULL, 0};
    if (kci_absent(c, index))
        return names;
    want_table(c, index, argument, "a list of names");
    index = kci_absindex(L, index);
    names.count = kci_list_length(c, index, argument);
    names.items = lua_newuserdata(L, (names.count + 1) * sizeof *names.items);
    lua_createtable(L, (int)names.count, 0);
    int anchor = lua_gettop(L);
    for (size_t i = 0; i < names.count; i++) {
        lua_pushfstring(L, "%s[%d]", argument, (int)i + 1);
        lua_rawgeti(L, index, (int)i + 1);
        kc_object *object = kci_object_at(L, c->state, -1);
        if (object != NULL && kc_object_kind(object) == KC_TENSOR)
            names.items[i] = kc_object_name(object);
        else
            names.items[i] = kci_string(c, -1, lua_tostring(L, -2));
        lua_rawseti(L, anchor, (int)i + 1);
        lua_settop(L, anchor);
    }
    return names;
}
