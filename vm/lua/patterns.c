/* patterns.c: find, match, gmatch and gsub: Lua's patterns, by a matcher that counts its steps.
 *
 * The language is Lua 5.4's on both engines.  Backtracking takes time that is exponential in the pattern and
 * quadratic in the text, and no hook runs meanwhile: every step is one of the run's instructions. */
#include "sandbox.h"

#include <string.h>

enum { CAPTURES = 32, DEEPEST = 200, STEPS = 1000 };
enum { OPEN = -1, POSITION = -2 }; /* lengths of captures that are none */

typedef struct matcher {
    lua_State *L;
    const kci_state *state;
    const char *text, *text_end, *pattern_end;
    size_t steps;
    int depth, captures;
    struct {
        const char *at;
        ptrdiff_t length;
    } capture[CAPTURES];
} matcher;

static const char *match(matcher *m, const char *s, const char *p);

static void step(matcher *m)
{
    if (++m->steps < STEPS)
        return;
    m->steps = 0;
    kci_step(m->L, m->state, STEPS);
}

/* ---- one character ----------------------------------------------------------------- */

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(int c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(int c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_graphic(int c)
{
    return c > ' ' && c < 127;
}

/* %a and its like; of a letter that names no class: itself. */
static bool in_class(int c, int class)
{
    bool in;
    switch (class | 32) {
    case 'a': in = is_lower(c) || is_upper(c); break;
    case 'c': in = c < ' ' || c == 127; break;
    case 'd': in = is_digit(c); break;
    case 'g': in = is_graphic(c); break;
    case 'l': in = is_lower(c); break;
    case 'p': in = is_graphic(c) && !is_digit(c) && !is_lower(c) && !is_upper(c); break;
    case 's': in = c == ' ' || (c >= '\t' && c <= '\r'); break;
    case 'u': in = is_upper(c); break;
    case 'w': in = is_digit(c) || is_lower(c) || is_upper(c); break;
    case 'x': in = is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); break;
    default: return class == c;
    }
    return is_upper(class) ? !in : in;
}

/* Behind the item at `p`: a character, %x, [set]. */
static const char *item_end(matcher *m, const char *p)
{
    if (*p == '%') {
        if (p + 1 >= m->pattern_end)
            luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 2;
    }
    if (*p++ != '[')
        return p;
    if (p < m->pattern_end && *p == '^')
        p++;
    do { /* a "]" that comes first is one of the set */
        step(m);
        if (p >= m->pattern_end)
            luaL_error(m->L, "malformed pattern (missing ']')");
        if (*p++ == '%')
            p++;
    } while (p >= m->pattern_end || *p != ']');
    return p + 1;
}

/* [set], which ends before `end`. */
static bool in_set(matcher *m, int c, const char *p, const char *end)
{
    bool inverted = *++p == '^';
    for (p += inverted; p < end; p++) {
        step(m);
        if (*p == '%') {
            if (in_class(c, (unsigned char)*++p))
                return !inverted;
        } else if (p[1] == '-' && p + 2 < end) {
            if ((unsigned char)p[0] <= c && c <= (unsigned char)p[2])
                return !inverted;
            p += 2;
        } else if ((unsigned char)*p == c) {
            return !inverted;
        }
    }
    return inverted;
}

static bool fits(matcher *m, const char *s, const char *p, const char *end)
{
    step(m);
    if (s >= m->text_end)
        return false;
    int c = (unsigned char)*s;
    switch (*p) {
    case '.': return true;
    case '%': return in_class(c, (unsigned char)p[1]);
    case '[': return in_set(m, c, p, end - 1);
    default: return (unsigned char)*p == c;
    }
}

/* ---- repetitions ---------------------------------------------------------------------- */

static const char *longest(matcher *m, const char *s, const char *p, const char *end)
{
    ptrdiff_t count = 0;
    while (fits(m, s + count, p, end))
        count++;
    for (; count >= 0; count--) {
        const char *found = match(m, s + count, end + 1);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static const char *shortest(matcher *m, const char *s, const char *p, const char *end)
{
    for (;; s++) {
        const char *found = match(m, s, end + 1);
        if (found != NULL)
            return found;
        if (!fits(m, s, p, end))
            return NULL;
    }
}

/* %bxy */
static const char *balanced(matcher *m, const char *s, const char *p)
{
    if (p + 1 >= m->pattern_end)
        luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
    if (s >= m->text_end || *s != *p)
        return NULL;
    for (ptrdiff_t open = 1; ++s < m->text_end;) {
        step(m);
        if (*s == p[1] && --open == 0)
            return s + 1;
        if (*s == *p && *s != p[1])
            open++;
    }
    return NULL;
}

/* ---- captures --------------------------------------------------------------------------- */

static const char *begin_capture(matcher *m, const char *s, const char *p, ptrdiff_t kind)
{
    if (m->captures >= CAPTURES)
        luaL_error(m->L, "too many captures");
    m->capture[m->captures].at = s;
    m->capture[m->captures].length = kind;
    m->captures++;
    const char *found = match(m, s, p);
    if (found == NULL)
        m->captures--;
    return found;
}

static const char *end_capture(matcher *m, const char *s, const char *p)
{
    int i = m->captures - 1;
    while (i >= 0 && m->capture[i].length != OPEN)
        i--;
    if (i < 0)
        luaL_error(m->L, "invalid pattern capture");
    m->capture[i].length = s - m->capture[i].at;
    const char *found = match(m, s, p);
    if (found == NULL)
        m->capture[i].length = OPEN;
    return found;
}

/* %1: the same text again; of a position there is none. */
static const char *captured_again(matcher *m, const char *s, int digit)
{
    int i = digit - '1';
    if (i < 0 || i >= m->captures || m->capture[i].length == OPEN)
        luaL_error(m->L, "invalid capture index %%%d", i + 1);
    ptrdiff_t length = m->capture[i].length;
    if (length == POSITION)
        return NULL;
    kci_step(m->L, m->state, (size_t)length / 16);
    if (m->text_end - s < length || memcmp(m->capture[i].at, s, (size_t)length) != 0)
        return NULL;
    return s + length;
}

/* %f[set] */
static bool at_frontier(matcher *m, const char *s, const char *p, const char *end)
{
    int before = s == m->text ? 0 : (unsigned char)s[-1];
    int after = s < m->text_end ? (unsigned char)*s : 0;
    return !in_set(m, before, p, end - 1) && in_set(m, after, p, end - 1);
}

/* ---- the match ------------------------------------------------------------------------------ */

/* One item at `p` and what follows; NULL: none.  *next set: go on with *next and *s, without recursion. */
static const char *match_item(matcher *m, const char **s, const char *p, const char **next)
{
    const char *end = item_end(m, p);
    char suffix = '\0';
    if (end < m->pattern_end)
        suffix = *end;
    switch (suffix) {
    case '?':
        if (fits(m, *s, p, end)) {
            const char *found = match(m, *s + 1, end + 1);
            if (found != NULL)
                return found;
        }
        *next = end + 1;
        return NULL;
    case '+':
        return fits(m, *s, p, end) ? longest(m, *s + 1, p, end) : NULL;
    case '*':
        return longest(m, *s, p, end);
    case '-':
        return shortest(m, *s, p, end);
    default:
        if (fits(m, *s, p, end)) {
            ++*s;
            *next = end;
        }
        return NULL;
    }
}

/* %b, %f, %1: *next set as above.  False: a class like any other. */
static bool match_special(matcher *m, const char **s, const char *p, const char **next)
{
    const char *end;
    switch (p + 1 < m->pattern_end ? p[1] : '\0') {
    case 'b':
        *s = balanced(m, *s, p + 2);
        *next = *s != NULL ? p + 4 : NULL;
        return true;
    case 'f':
        if (p + 2 >= m->pattern_end || p[2] != '[')
            luaL_error(m->L, "missing '[' after '%%f' in pattern");
        end = item_end(m, p + 2);
        *next = at_frontier(m, *s, p + 2, end) ? end : NULL;
        return true;
    case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
        *s = captured_again(m, *s, p[1]);
        *next = *s != NULL ? p + 2 : NULL;
        return true;
    default:
        return false;
    }
}

/* The end of the match of the pattern from `p` at `s`; NULL: none. */
static const char *match(matcher *m, const char *s, const char *p)
{
    const char *found = NULL;
    if (++m->depth > DEEPEST)
        luaL_error(m->L, "pattern too complex");
    while (p != NULL) {
        const char *next = NULL;
        step(m);
        if (p == m->pattern_end) {
            found = s;
        } else if (*p == '(') {
            bool position = p + 1 < m->pattern_end && p[1] == ')';
            found = begin_capture(m, s, p + 1 + position, position ? POSITION : OPEN);
        } else if (*p == ')') {
            found = end_capture(m, s, p + 1);
        } else if (*p == '$' && p + 1 == m->pattern_end) {
            found = s == m->text_end ? s : NULL;
        } else if (*p != '%' || !match_special(m, &s, p, &next)) {
            found = match_item(m, &s, p, &next);
        }
        p = found == NULL ? next : NULL;
    }
    m->depth--;
    return found;
}

static const char *match_at(matcher *m, const char *s, const char *p)
{
    m->captures = m->depth = 0;
    return match(m, s, p);
}

/* ---- what was found ---------------------------------------------------------------------------- */

/* Pushes capture i; the whole match where there is none and i is 0. */
static void push_capture(matcher *m, int i, const char *s, const char *end)
{
    if (i >= m->captures) {
        if (i != 0)
            luaL_error(m->L, "invalid capture index %%%d", i + 1);
        lua_pushlstring(m->L, s, (size_t)(end - s));
    } else if (m->capture[i].length == POSITION) {
        lua_pushinteger(m->L, m->capture[i].at - m->text + 1);
    } else {
        if (m->capture[i].length == OPEN)
            luaL_error(m->L, "unfinished capture");
        lua_pushlstring(m->L, m->capture[i].at, (size_t)m->capture[i].length);
    }
}

/* All of them, or the whole match; `s` NULL: only captures. */
static int push_captures(matcher *m, const char *s, const char *end)
{
    int count = m->captures == 0 && s != NULL ? 1 : m->captures;
    luaL_checkstack(m->L, count, "too many captures");
    for (int i = 0; i < count; i++)
        push_capture(m, i, s, end);
    return count;
}

static void begin(matcher *m, lua_State *L, const char *text, size_t length, const char *pattern_end)
{
    m->L = L;
    m->state = kci_state_of(L);
    m->text = text;
    m->text_end = text + length;
    m->pattern_end = pattern_end;
    m->steps = 0;
    kci_step(L, m->state, 1);
}

/* ---- find, match --------------------------------------------------------------------------------- */

static bool is_plain(const char *pattern, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (pattern[i] != '\0' && strchr("^$*+?.([%-", pattern[i]) != NULL)
            return false;
    return true;
}

/* Candidates by their first byte; all of the bytes that are compared count. */
static const char *find_plain(matcher *m, const char *s, const char *pattern, size_t length)
{
    while ((size_t)(m->text_end - s) >= length) {
        size_t places = (size_t)(m->text_end - s) - length + 1;
        const char *at = length > 0 ? memchr(s, pattern[0], places) : s;
        kci_step(m->L, m->state, 1 + (at != NULL ? (size_t)(at - s) : places) / 64 + length / 64);
        if (at == NULL || memcmp(at, pattern, length) == 0)
            return at;
        s = at + 1;
    }
    return NULL;
}

static int push_found(matcher *m, bool find, const char *s, const char *end)
{
    if (!find)
        return push_captures(m, s, end);
    lua_pushinteger(m->L, s - m->text + 1);
    lua_pushinteger(m->L, end - m->text);
    return 2 + push_captures(m, NULL, NULL);
}

/* Where the search begins: `init` of find, match and gmatch; behind the end: nowhere. */
static double initial(lua_State *L, size_t length)
{
    double at = kci_integer_or(L, 3, 1), n = (double)length;
    if (at < 0)
        at = n + at + 1;
    return at < 1 ? 1 : at;
}

static int search(lua_State *L, bool find)
{
    size_t length, pattern_length;
    const char *text = luaL_checklstring(L, 1, &length), *pattern = luaL_checklstring(L, 2, &pattern_length);
    double init = initial(L, length);
    matcher m;
    begin(&m, L, text, length, pattern + pattern_length);
    if (init > (double)length + 1)
        return lua_pushnil(L), 1;
    const char *s = text + (size_t)init - 1;
    m.captures = 0;
    if (find && (lua_toboolean(L, 4) || is_plain(pattern, pattern_length))) {
        s = find_plain(&m, s, pattern, pattern_length);
        if (s != NULL)
            return push_found(&m, true, s, s + pattern_length);
        return lua_pushnil(L), 1;
    }
    bool anchored = pattern_length > 0 && *pattern == '^';
    for (; s <= m.text_end; s++) {
        const char *end = match_at(&m, s, pattern + anchored);
        if (end != NULL)
            return push_found(&m, find, s, end);
        if (anchored)
            break;
    }
    return lua_pushnil(L), 1;
}

static int pattern_find(lua_State *L)
{
    return search(L, true);
}

static int pattern_match(lua_State *L)
{
    return search(L, false);
}

/* ---- gmatch ------------------------------------------------------------------------------------------ */

/* Upvalues: state, text, pattern, where to go on, where the last match ended. */
static int next_match(lua_State *L)
{
    size_t length, pattern_length;
    const char *text = lua_tolstring(L, lua_upvalueindex(2), &length);
    const char *pattern = lua_tolstring(L, lua_upvalueindex(3), &pattern_length);
    size_t from = (size_t)lua_tonumber(L, lua_upvalueindex(4));
    ptrdiff_t last = (ptrdiff_t)lua_tonumber(L, lua_upvalueindex(5));
    matcher m;
    begin(&m, L, text, length, pattern + pattern_length);
    for (const char *s = text + from; from <= length && s <= m.text_end; s++) {
        const char *end = match_at(&m, s, pattern);
        if (end == NULL || end - text == last)
            continue;
        lua_pushnumber(L, (double)(end - text));
        lua_pushvalue(L, -1);
        lua_replace(L, lua_upvalueindex(4));
        lua_replace(L, lua_upvalueindex(5));
        return push_captures(&m, s, end);
    }
    return 0;
}

static int pattern_gmatch(lua_State *L)
{
    size_t length;
    luaL_checklstring(L, 1, &length);
    luaL_checkstring(L, 2);
    double init = initial(L, length) - 1;
    lua_settop(L, 2);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_pushnumber(L, init);
    lua_pushnumber(L, -1);
    lua_pushcclosure(L, next_match, 5);
    return 1;
}

/* ---- gsub ---------------------------------------------------------------------------------------------- */

/* The replacement text with its %0, %1, %%. */
static void add_text(matcher *m, kci_draft *draft, const char *s, const char *end)
{
    size_t length, captured;
    const char *at = lua_tolstring(m->L, 3, &length), *stop = at + length;
    while (at < stop) {
        const char *percent = memchr(at, '%', (size_t)(stop - at));
        size_t plain = (size_t)((percent != NULL ? percent : stop) - at);
        kci_draft_add(draft, at, plain);
        at += plain + 2;
        if (percent == NULL)
            break;
        char c = at <= stop ? percent[1] : '\0';
        if (c == '%') {
            kci_draft_add(draft, "%", 1);
        } else if (c == '0') {
            kci_draft_add(draft, s, (size_t)(end - s));
        } else if (is_digit(c)) {
            push_capture(m, c - '1', s, end);
            const char *text = lua_tolstring(m->L, -1, &captured);
            kci_draft_add(draft, text, captured);
            lua_pop(m->L, 1);
        } else {
            luaL_error(m->L, "invalid use of '%%' in replacement string");
        }
    }
}

/* What replaces the match. */
static void add_replacement(matcher *m, kci_draft *draft, const char *s, const char *end)
{
    lua_State *L = m->L;
    size_t length;
    switch (lua_type(L, 3)) {
    case LUA_TFUNCTION:
        kci_not_deep(L, m->state);
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(m, s, end), 1);
        break;
    case LUA_TTABLE:
        kci_not_deep(L, m->state);
        push_capture(m, 0, s, end);
        lua_gettable(L, 3);
        break;
    default:
        add_text(m, draft, s, end);
        return;
    }
    if (!lua_toboolean(L, -1)) {
        kci_draft_add(draft, s, (size_t)(end - s));
    } else {
        if (!lua_isstring(L, -1))
            luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
        kci_push_text(L, m->state, -1);
        const char *text = lua_tolstring(L, -1, &length);
        kci_draft_add(draft, text, length);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static int pattern_gsub(lua_State *L)
{
    size_t length, pattern_length;
    const char *text = luaL_checklstring(L, 1, &length), *pattern = luaL_checklstring(L, 2, &pattern_length);
    int type = lua_type(L, 3);
    luaL_argcheck(L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                  "string/function/table expected");
    double most = kci_integer_or(L, 4, (double)length + 1), count = 0;
    bool anchored = pattern_length > 0 && *pattern == '^';
    const char *s = text, *last = NULL;
    matcher m;
    kci_draft draft;
    begin(&m, L, text, length, pattern + pattern_length);
    kci_draft_begin(&draft, L, m.state);
    while (count < most) {
        const char *end = match_at(&m, s, pattern + anchored);
        if (end != NULL && end != last) {
            count++;
            add_replacement(&m, &draft, s, end);
            s = last = end;
        } else if (s < m.text_end) {
            kci_draft_add(&draft, s++, 1);
        } else {
            break;
        }
        if (anchored)
            break;
    }
    kci_draft_add(&draft, s, (size_t)(m.text_end - s));
    kci_draft_push(&draft);
    lua_pushnumber(L, count);
    return 2;
}

const luaL_Reg kci_pattern_functions[] = {{"find", pattern_find},
                                          {"gmatch", pattern_gmatch},
                                          {"gsub", pattern_gsub},
                                          {"match", pattern_match},
                                          {NULL, NULL}};
