/* pairs.c: pairs in an order that is the same in every run and on both engines: numbers, then strings, then booleans;
 * keys that are objects come last, in the engine's order.
 *
 * The keys are those that the table has when pairs is called; one whose value is gone when its turn comes is left out. */
#include "sandbox.h"

#include <string.h>

typedef struct key {
    enum { NUMBER, STRING, BOOLEAN, OBJECT } kind;
    int at;             /* in the list of keys, from 1 */
    size_t length;      /* of a string */
    double number;      /* a number; a boolean; an object's place */
    const char *text;
} key;

enum { TABLE = 1, LIST, KEYS };

/* The key at the top, the `at`-th that the engine gives. */
static key key_of(lua_State *L, int at)
{
    key k = {.kind = OBJECT, .at = at, .number = at};
    switch (lua_type(L, -1)) {
    case LUA_TNUMBER:
        k.kind = NUMBER;
        k.number = lua_tonumber(L, -1);
        break;
    case LUA_TSTRING:
        k.kind = STRING;
        k.text = lua_tolstring(L, -1, &k.length);
        break;
    case LUA_TBOOLEAN:
        k.kind = BOOLEAN;
        k.number = lua_toboolean(L, -1);
        break;
    }
    return k;
}

static int compare(const key *a, const key *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind != STRING)
        return (a->number > b->number) - (a->number < b->number);
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* Moves the key at `from` down to where no key below it is greater. */
static void sift(key *keys, size_t from, size_t count)
{
    key moved = keys[from];
    for (size_t below; (below = 2 * from + 1) < count; from = below) {
        if (below + 1 < count && compare(&keys[below], &keys[below + 1]) < 0)
            below++;
        if (compare(&moved, &keys[below]) >= 0)
            break;
        keys[from] = keys[below];
    }
    keys[from] = moved;
}

static size_t longest(const key *keys, size_t count)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        if (keys[i].kind == STRING && keys[i].length > length)
            length = keys[i].length;
    return length;
}

/* By a heap, in place: qsort takes memory that nobody counts.  Most lists come in order. */
static void sort(lua_State *L, key *keys, size_t count)
{
    const kci_state *state = kci_state_of(L);
    size_t sorted = 1, steps = 1 + longest(keys, count) / 16;
    for (; sorted < count && compare(&keys[sorted - 1], &keys[sorted]) < 0; sorted++)
        kci_step(L, state, steps - 1);
    if (sorted >= count)
        return;
    for (size_t i = count / 2; i-- > 0;) {
        kci_step(L, state, steps);
        sift(keys, i, count);
    }
    for (size_t last = count - 1; last > 0; last--) {
        key greatest = keys[0];
        kci_step(L, state, steps);
        keys[0] = keys[last];
        keys[last] = greatest;
        sift(keys, 0, last);
    }
}

/* Upvalues: the table, the list of its keys, the same in order, how many came. */
static int next_pair(lua_State *L)
{
    const key *keys = lua_touserdata(L, lua_upvalueindex(KEYS));
    size_t count = kci_rawlen(L, lua_upvalueindex(KEYS)) / sizeof *keys;
    for (size_t i = (size_t)lua_tonumber(L, lua_upvalueindex(KEYS + 1)); i < count; i++) {
        lua_rawgeti(L, lua_upvalueindex(LIST), keys[i].at);
        lua_pushvalue(L, -1);
        lua_rawget(L, lua_upvalueindex(TABLE));
        if (!lua_isnil(L, -1)) {
            lua_pushnumber(L, (double)(i + 1));
            lua_replace(L, lua_upvalueindex(KEYS + 1));
            return 2;
        }
        lua_pop(L, 2);
    }
    return 0;
}

int kci_ordered_pairs(lua_State *L)
{
    int count = 0, i = 0;
    luaL_checktype(L, TABLE, LUA_TTABLE);
    lua_settop(L, TABLE);
    for (lua_pushnil(L); lua_next(L, TABLE); lua_pop(L, 1))
        count++;
    kci_step(L, kci_state_of(L), 1 + (size_t)count);
    lua_newtable(L);
    key *keys = lua_newuserdata(L, (size_t)count * sizeof *keys);
    for (lua_pushnil(L); lua_next(L, TABLE) && i < count; i++) {
        lua_pop(L, 1);
        keys[i] = key_of(L, i + 1);
        lua_pushvalue(L, -1);
        lua_rawseti(L, LIST, i + 1);
    }
    lua_settop(L, KEYS);
    sort(L, keys, (size_t)count);
    lua_pushnumber(L, 0);
    lua_pushcclosure(L, next_pair, KEYS + 1);
    return 1;
}
