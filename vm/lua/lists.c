/* lists.c: the table library: raw, so that no metamethod runs, and the same order from sort on both engines. */
#include "sandbox.h"

#include <limits.h>

/* How many items the list at argument 1 has. */
static int list_length(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t length = kci_rawlen(L, 1);
    if (length >= INT_MAX)
        luaL_error(L, "the list is too long");
    return (int)length;
}

/* list[to] = list[from] */
static void move(lua_State *L, int from, int to)
{
    lua_rawgeti(L, 1, from);
    lua_rawseti(L, 1, to);
}

static int list_insert(lua_State *L)
{
    const kci_state *state = kci_state_of(L);
    int length = list_length(L), at = length + 1;
    if (lua_gettop(L) == 3) {
        double position = kci_integer(L, 2);
        luaL_argcheck(L, position >= 1 && position <= length + 1, 2, "position out of bounds");
        at = (int)position;
    } else if (lua_gettop(L) != 2) {
        return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    for (int i = length; i >= at; i--) {
        kci_step(L, state, 1);
        move(L, i, i + 1);
    }
    lua_settop(L, lua_gettop(L));
    lua_rawseti(L, 1, at);
    return 0;
}

static int list_remove(lua_State *L)
{
    const kci_state *state = kci_state_of(L);
    int length = list_length(L);
    double position = kci_integer_or(L, 2, length);
    luaL_argcheck(L, (position >= 1 && position <= (double)length + 1) || (length == 0 && position == 0), 2,
                  "position out of bounds");
    int at = (int)position;
    lua_rawgeti(L, 1, at);
    for (; at < length; at++) {
        kci_step(L, state, 1);
        move(L, at + 1, at);
    }
    lua_pushnil(L);
    lua_rawseti(L, 1, at);
    return 1;
}

static int list_unpack(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    double from = kci_integer_or(L, 2, 1);
    double to = lua_isnoneornil(L, 3) ? (double)kci_rawlen(L, 1) : kci_integer(L, 3);
    if (from > to)
        return 0;
    if (to - from >= KCI_MOST_VALUES || from < INT_MIN || to >= INT_MAX)
        return luaL_error(L, "too many results to unpack");
    int count = (int)(to - from) + 1;
    luaL_checkstack(L, count, "too many results to unpack");
    for (int i = 0; i < count; i++)
        lua_rawgeti(L, 1, (int)from + i);
    return count;
}

static int list_concat(lua_State *L)
{
    size_t between;
    luaL_checktype(L, 1, LUA_TTABLE);
    const char *separator = luaL_optlstring(L, 2, "", &between);
    double from = kci_integer_or(L, 3, 1);
    double to = lua_isnoneornil(L, 4) ? (double)kci_rawlen(L, 1) : kci_integer(L, 4);
    luaL_argcheck(L, from > INT_MIN && to < INT_MAX, 4, "out of range");
    kci_draft draft;
    kci_draft_begin(&draft, L, kci_state_of(L));
    for (double i = from; i <= to; i++) {
        lua_rawgeti(L, 1, (int)i);
        if (!lua_isstring(L, -1))
            return luaL_error(L, "invalid value (a %s) at index %d in table for 'concat'", luaL_typename(L, -1), (int)i);
        kci_draft_value(&draft, -1);
        lua_pop(L, 1);
        if (i < to)
            kci_draft_add(&draft, separator, between);
    }
    kci_draft_push(&draft);
    return 1;
}

/* ---- sort: by merging, so that any comparison function ends after n log n calls ---------------- */

typedef struct sorting {
    lua_State *L;
    const kci_state *state;
    bool by_function; /* argument 2 */
} sorting;

enum { LIST = 1, FUNCTION = 2, SCRATCH = 3 };

static size_t text_length(lua_State *L, int index)
{
    return lua_type(L, index) == LUA_TSTRING ? kci_rawlen(L, index) : 0;
}

/* Is the value at the top less than the one below it? */
static bool top_is_less(const sorting *s)
{
    lua_State *L = s->L;
    if (!s->by_function) {
        kci_step(L, s->state, 1 + text_length(L, -1) / 16);
        return kci_less_than(L, -1, -2);
    }
    kci_step(L, s->state, 1);
    lua_pushvalue(L, FUNCTION);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -4);
    lua_call(L, 2, 1);
    bool less = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return less;
}

/* The sorted halves [from, middle) and [middle, to) become one; the left one waits in the scratch table. */
static void merge(const sorting *s, int from, int middle, int to)
{
    lua_State *L = s->L;
    int left = middle - from, i = 0, j = middle;
    kci_step(L, s->state, (size_t)left);
    for (int k = 0; k < left; k++) {
        lua_rawgeti(L, LIST, from + k);
        lua_rawseti(L, SCRATCH, k + 1);
    }
    for (int k = from; i < left; k++) {
        lua_rawgeti(L, SCRATCH, i + 1);
        bool right = false;
        if (j < to) {
            lua_rawgeti(L, LIST, j);
            right = top_is_less(s);
            lua_remove(L, right ? -2 : -1);
        }
        lua_rawseti(L, LIST, k);
        if (right)
            j++;
        else
            i++;
    }
}

static void sort_range(const sorting *s, int from, int to)
{
    if (to - from < 2)
        return;
    int middle = from + (to - from) / 2;
    sort_range(s, from, middle);
    sort_range(s, middle, to);
    merge(s, from, middle, to);
}

static int list_sort(lua_State *L)
{
    sorting s = {.L = L, .state = kci_state_of(L)};
    int length = list_length(L);
    if (!lua_isnoneornil(L, 2)) {
        luaL_checktype(L, 2, LUA_TFUNCTION);
        kci_not_deep(L, s.state);
        s.by_function = true;
    }
    lua_settop(L, 2);
    lua_newtable(L);
    sort_range(&s, 1, length + 1);
    return 0;
}

const luaL_Reg kci_table_functions[] = {{"concat", list_concat}, {"insert", list_insert}, {"remove", list_remove},
                                        {"sort", list_sort},     {"unpack", list_unpack}, {NULL, NULL}};
