/* strings.c: the string library but for its patterns. */
#include "sandbox.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double kci_integer(lua_State *L, int index)
{
    double number = luaL_checknumber(L, index);
    if (floor(number) != number || fabs(number) > 9007199254740992.0)
        luaL_argerror(L, index, "number has no integer representation");
    return number;
}

double kci_integer_or(lua_State *L, int index, double absent)
{
    return lua_isnoneornil(L, index) ? absent : kci_integer(L, index);
}

/* ---- parts of strings --------------------------------------------------------- */

/* The bytes from i to j, counted from 1, or from the end where negative: [*from, *to). */
static void range(double i, double j, size_t length, size_t *from, size_t *to)
{
    double n = (double)length;
    i = i < 0 ? fmax(n + i + 1, 1) : fmax(i, 1);
    j = j < 0 ? n + j + 1 : fmin(j, n);
    *from = *to = 0;
    if (i <= j) {
        *from = (size_t)i - 1;
        *to = (size_t)j;
    }
}

static int string_sub(lua_State *L)
{
    size_t length, from, to;
    const char *text = luaL_checklstring(L, 1, &length);
    range(kci_integer(L, 2), kci_integer_or(L, 3, -1), length, &from, &to);
    lua_pushlstring(L, text + from, to - from);
    return 1;
}

static int string_byte(lua_State *L)
{
    size_t length, from, to;
    const char *text = luaL_checklstring(L, 1, &length);
    double i = kci_integer_or(L, 2, 1);
    range(i, kci_integer_or(L, 3, i), length, &from, &to);
    if (to - from > KCI_MOST_VALUES)
        return luaL_error(L, "string slice too long");
    luaL_checkstack(L, (int)(to - from), "string slice too long");
    for (size_t at = from; at < to; at++)
        lua_pushinteger(L, (unsigned char)text[at]);
    return (int)(to - from);
}

static int string_char(lua_State *L)
{
    int count = lua_gettop(L);
    kci_draft text;
    kci_draft_begin(&text, L, kci_state_of(L));
    for (int i = 1; i <= count; i++) {
        double byte = kci_integer(L, i);
        luaL_argcheck(L, byte >= 0 && byte <= 255, i, "value out of range");
        char c = (char)(unsigned char)byte;
        kci_draft_add(&text, &c, 1);
    }
    kci_draft_push(&text);
    return 1;
}

static int string_len(lua_State *L)
{
    size_t length;
    luaL_checklstring(L, 1, &length);
    lua_pushinteger(L, (lua_Integer)length);
    return 1;
}

/* ---- whole strings --------------------------------------------------------------- */

static char lowered(const char *text, size_t length, size_t i)
{
    (void)length;
    return text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
}

static char raised(const char *text, size_t length, size_t i)
{
    (void)length;
    return text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 32) : text[i];
}

static char mirrored(const char *text, size_t length, size_t i)
{
    return text[length - 1 - i];
}

static int changed(lua_State *L, char (*change)(const char *, size_t, size_t))
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    const kci_state *state = kci_state_of(L);
    kci_draft draft;
    kci_step(L, state, 1 + length / 16);
    kci_draft_begin(&draft, L, state);
    char *to = kci_draft_room(&draft, length);
    for (size_t i = 0; i < length; i++)
        to[i] = change(text, length, i);
    draft.length = length;
    kci_draft_push(&draft);
    return 1;
}

static int string_lower(lua_State *L)
{
    return changed(L, lowered);
}

static int string_upper(lua_State *L)
{
    return changed(L, raised);
}

static int string_reverse(lua_State *L)
{
    return changed(L, mirrored);
}

/* The unit of text and separator once, then what is there doubles. */
static int string_rep(lua_State *L)
{
    size_t length, between;
    const char *text = luaL_checklstring(L, 1, &length);
    double times = kci_integer(L, 2);
    const char *separator = luaL_optlstring(L, 3, "", &between);
    const kci_state *state = kci_state_of(L);
    double size = times < 1 ? 0 : times * ((double)length + (double)between) - (double)between;
    if (size >= 2147483648.0)
        return luaL_error(L, "resulting string too large");
    size_t whole = (size_t)size;
    kci_draft draft;
    kci_step(L, state, 1 + whole / 64);
    kci_draft_begin(&draft, L, state);
    char *to = kci_draft_room(&draft, whole);
    size_t done = length + between < whole ? length + between : whole;
    if (whole > 0) {
        memcpy(to, text, length < whole ? length : whole);
        memcpy(to + length, separator, done - length);
    }
    while (done < whole) {
        size_t more = done < whole - done ? done : whole - done;
        memcpy(to + done, to, more);
        done += more;
    }
    draft.length = whole;
    kci_draft_push(&draft);
    return 1;
}

/* ---- format -------------------------------------------------------------------------- */

typedef struct specification {
    char printf[16];        /* "%-5.1" */
    size_t length;
    bool left;
    int width, precision;   /* precision -1: none */
} specification;

static int digits(const char **at, const char *end)
{
    int number = 0;
    for (int i = 0; i < 2 && *at < end && **at >= '0' && **at <= '9'; i++)
        number = 10 * number + *(*at)++ - '0';
    return number;
}

/* Flags, up to two digits of width, up to two of precision.  Returns the conversion behind them. */
static char read_specification(lua_State *L, const char **at, const char *end, specification *s)
{
    const char *begin = *at;
    while (*at < end && **at != '\0' && strchr("-+ #0", **at) != NULL)
        ++*at;
    s->left = memchr(begin, '-', (size_t)(*at - begin)) != NULL;
    size_t flags = (size_t)(*at - begin);
    s->width = digits(at, end);
    s->precision = -1;
    if (*at < end && **at == '.') {
        ++*at;
        s->precision = digits(at, end);
    }
    s->length = (size_t)(*at - begin) + 1;
    if (*at == end || flags > 5 || (**at >= '0' && **at <= '9'))
        luaL_error(L, "invalid format (width or precision too long)");
    s->printf[0] = '%';
    memcpy(s->printf + 1, begin, s->length - 1);
    return *(*at)++;
}

static void add_padded(kci_draft *draft, const specification *s, const char *text, size_t length)
{
    if (s->precision >= 0 && length > (size_t)s->precision)
        length = (size_t)s->precision;
    size_t blanks = length < (size_t)s->width ? (size_t)s->width - length : 0;
    if (s->left)
        kci_draft_add(draft, text, length);
    memset(kci_draft_room(draft, blanks), ' ', blanks);
    draft->length += blanks;
    if (!s->left)
        kci_draft_add(draft, text, length);
}

static void add_integer(kci_draft *draft, specification *s, char conversion, int index)
{
    char *room = kci_draft_room(draft, 128);
    kci_integer(draft->L, index);
    snprintf(s->printf + s->length, 4, "ll%c", conversion == 'i' ? 'd' : conversion);
    draft->length += (size_t)snprintf(room, 128, s->printf, (long long)lua_tointeger(draft->L, index));
}

/* printf writes the decimal point of the locale; here it is a point. */
static size_t with_point(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        bool usual = strchr("0123456789+-.abcdefinpxABCDEFINPX ", *from) != NULL;
        if (usual || (to > text && to[-1] != '.'))
            *to++ = usual ? *from : '.';
    }
    return (size_t)(to - text);
}

static void add_number(kci_draft *draft, specification *s, char conversion, int index)
{
    char *room = kci_draft_room(draft, 512);
    double number = luaL_checknumber(draft->L, index);
    snprintf(s->printf + s->length, 2, "%c", conversion);
    snprintf(room, 512, s->printf, number != number ? (double)NAN : number);
    draft->length += with_point(room);
}

/* As Lua reads it back. */
static void add_quoted(kci_draft *draft, int index)
{
    size_t length;
    if (lua_type(draft->L, index) != LUA_TSTRING) {
        luaL_argcheck(draft->L, lua_type(draft->L, index) <= LUA_TNUMBER && lua_type(draft->L, index) != LUA_TLIGHTUSERDATA,
                      index, "value has no literal form");
        kci_draft_value(draft, index);
        return;
    }
    const char *text = lua_tolstring(draft->L, index, &length);
    kci_draft_add(draft, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        char escape[8];
        unsigned char c = (unsigned char)text[i];
        bool digit = i + 1 < length && text[i + 1] >= '0' && text[i + 1] <= '9';
        if (c == '"' || c == '\\' || c == '\n') {
            kci_draft_add(draft, "\\", 1);
            kci_draft_add(draft, text + i, 1);
        } else if (c < 32 || c == 127) {
            kci_draft_add(draft, escape, (size_t)snprintf(escape, sizeof escape, digit ? "\\%03d" : "\\%d", c));
        } else {
            kci_draft_add(draft, text + i, 1);
        }
    }
    kci_draft_add(draft, "\"", 1);
}

static void add_converted(kci_draft *draft, specification *s, char conversion, int index)
{
    lua_State *L = draft->L;
    size_t length;
    char c;
    luaL_checkany(L, index);
    switch (conversion) {
    case 'c':
        c = (char)(unsigned char)kci_integer(L, index);
        add_padded(draft, s, &c, 1);
        break;
    case 'd': case 'i': case 'o': case 'x': case 'X':
        add_integer(draft, s, conversion, index);
        break;
    case 'a': case 'A': case 'e': case 'E': case 'f': case 'g': case 'G':
        add_number(draft, s, conversion, index);
        break;
    case 'q':
        add_quoted(draft, index);
        break;
    case 's': {
        kci_push_text(L, draft->state, index);
        const char *text = lua_tolstring(L, -1, &length);
        add_padded(draft, s, text, length);
        lua_pop(L, 1);
        break;
    }
    default: /* %p too: an address */
        luaL_error(L, "invalid conversion '%%%c' to 'format'", conversion);
    }
}

static int string_format(lua_State *L)
{
    size_t length;
    const char *at = luaL_checklstring(L, 1, &length), *end = at + length;
    int argument = 1;
    kci_draft draft;
    kci_draft_begin(&draft, L, kci_state_of(L));
    while (at < end) {
        const char *percent = memchr(at, '%', (size_t)(end - at));
        size_t plain = (size_t)((percent != NULL ? percent : end) - at);
        kci_draft_add(&draft, at, plain);
        at += plain;
        if (percent == NULL)
            break;
        if (++at < end && *at == '%') {
            kci_draft_add(&draft, at++, 1);
            continue;
        }
        specification s;
        char conversion = read_specification(L, &at, end, &s);
        if (++argument >= draft.slot)
            return luaL_argerror(L, argument, "no value");
        add_converted(&draft, &s, conversion, argument);
    }
    kci_draft_push(&draft);
    return 1;
}

const luaL_Reg kci_string_functions[] = {
    {"byte", string_byte},   {"char", string_char},       {"format", string_format},
    {"len", string_len},     {"lower", string_lower},     {"rep", string_rep},
    {"reverse", string_reverse}, {"sub", string_sub},     {"upper", string_upper},
    {NULL, NULL}};
