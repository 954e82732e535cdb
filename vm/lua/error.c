/* error.c: errors at the user's line, in words that name call, argument and remedy. */
#include "binding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Frames of the stdlib are kcost's own. */
static bool is_users(const lua_Debug *frame)
{
    return frame->currentline > 0 && strncmp(frame->source, "=kcost/", 7) != 0;
}

/* How far up a script's line is looked for: finding level n takes n steps, and tail calls of pcall leave thousands of
 * frames that are not the script's. */
enum { MOST_LEVELS = 200 };

/* In a coroutine the chunk that made it is not to be seen. */
static bool is_main(lua_State *L)
{
    bool is = lua_pushthread(L) == 1;
    lua_pop(L, 1);
    return is;
}

/* Pushes "script.lua:12: ": the innermost Lua frame that is not kcost's own.
 * `return f(x)` drops the frame; then the next one left, or the script and the
 * line on which it returned. */
void kci_push_position(lua_State *L, const kci_state *state)
{
    lua_Debug frame;
    int level;
    for (level = 0; level < MOST_LEVELS && lua_getstack(L, level, &frame); level++) {
        if (lua_getinfo(L, "Sl", &frame) && is_users(&frame)) {
            lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
            return;
        }
    }
    if (state->script != NULL) {
        int line = level < MOST_LEVELS && is_main(L) && state->text != NULL ? kci_return_line(state->text, state->text_length) : 0;
        lua_pushfstring(L, line > 0 ? "%s:%d: " : "%s: ", state->script, line);
        return;
    }
    /* In a stock interpreter the script's name is arg[0]. */
    kci_push_globals(L);
    lua_pushliteral(L, "arg");
    lua_rawget(L, -2);
    lua_remove(L, -2);
    if (!state->vm && lua_type(L, -1) == LUA_TTABLE) {
        lua_rawgeti(L, -1, 0);
        lua_remove(L, -2);
        if (lua_type(L, -1) == LUA_TSTRING) {
            lua_pushliteral(L, ": ");
            lua_concat(L, 2);
            return;
        }
    }
    lua_pop(L, 1);
    lua_pushliteral(L, "");
}

int kci_raise(lua_State *L, const kci_state *state)
{
    kci_push_position(L, state);
    lua_insert(L, -2);
    lua_concat(L, 2);
    return lua_error(L);
}

static void push_call(const kci_call *c)
{
    if (c->name != NULL)
        lua_pushfstring(c->L, c->global ? "%s: " : "kc.%s: ", c->name);
    else
        lua_pushliteral(c->L, "kc: ");
}

int kci_error(const kci_call *c, const char *format, ...)
{
    luaL_checkstack(c->L, 8, NULL);
    push_call(c);
    va_list arguments;
    va_start(arguments, format);
    lua_pushvfstring(c->L, format, arguments);
    va_end(arguments);
    lua_concat(c->L, 2);
    return kci_raise(c->L, c->state);
}

_Noreturn void kci_no_memory(lua_State *L)
{
    lua_pushliteral(L, KCI_NO_MEMORY);
    for (;;) /* lua_error does not say that it never returns */
        lua_error(L);
}

int kci_model_error(const kci_call *c)
{
    if (c->state->limits != NULL && kci_limits_over(c->state->limits))
        return kci_limit_error(c->L, c->state);
    if (kc_context_status(c->state->context) == KC_ENOMEM)
        kci_no_memory(c->L);
    luaL_checkstack(c->L, 8, NULL);
    /* A sentence may begin with the model's call, "matmul: …": the script's call is said in
     * its place. */
    const char *message = kc_context_message(c->state->context);
    size_t length = strspn(message, "abcdefghijklmnopqrstuvwxyz_");
    bool own = c->name != NULL && strlen(c->name) == length && strncmp(message, c->name, length) == 0;
    if (c->name != NULL && (own || kci_is_call(message, length)) && strncmp(message + length, ": ", 2) == 0)
        message += length + 2;
    push_call(c);
    lua_pushstring(c->L, message);
    lua_concat(c->L, 2);
    return kci_raise(c->L, c->state);
}

enum { LONGEST = 48 };

/* No more is looked at than makes a difference: a word may be megabytes. */
static size_t length_of(const char *word)
{
    size_t length = 0;
    while (length <= LONGEST && word[length] != '\0')
        length++;
    return length;
}

/* Letters to insert, delete, change or swap with the neighbour, counted up to
 * a bound; words longer than the row are as far as can be. */
static size_t distance(const char *a, size_t n, const char *b)
{
    size_t rows[3][LONGEST + 1], m = length_of(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3], *higher = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                higher[j - 2] + 1 < best)
                best = higher[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *kci_push_nearest(lua_State *L, const char *word, const char *const *names, size_t count)
{
    size_t length = length_of(word), nearest = count;
    size_t best = length < 4 ? 2 : length / 3 + 2; /* farther than that is no likeness */
    if (best > length)
        best = length; /* nor is a word of which no letter is left */
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(word, length, names[i]);
        if (length >= 3 && length <= LONGEST && strncmp(word, names[i], length) == 0)
            d = 1;
        if (d < best) {
            best = d;
            nearest = i;
        }
    }
    if (nearest == count)
        lua_pushliteral(L, "");
    else
        lua_pushfstring(L, "; did you mean '%s'?", names[nearest]);
    return lua_tostring(L, -1);
}

const char *kci_push_described(lua_State *L, const kci_state *state, int index)
{
    char number[KCI_NUMBER_TEXT];
    switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL:
        lua_pushliteral(L, "nothing");
        break;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
        break;
    case LUA_TNUMBER:
        kci_number_to_text(lua_tonumber(L, index), number);
        lua_pushstring(L, number);
        break;
    case LUA_TSTRING: {
        char text[48];
        size_t length;
        const char *string = lua_tolstring(L, index, &length);
        snprintf(text, sizeof text, length > 40 ? "'%.37s...'" : "'%.40s'", string);
        lua_pushstring(L, text);
        break;
    }
    case LUA_TUSERDATA: {
        kc_object *object = kci_object_at(L, state, index);
        lua_pushstring(L, object != NULL ? kci_kind_name(kc_object_kind(object)) : "a userdata");
        break;
    }
    default:
        lua_pushfstring(L, "a %s", luaL_typename(L, index));
    }
    return lua_tostring(L, -1);
}
