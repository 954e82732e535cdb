/* json.c: a JSON text as Lua values.  jsmn finds the tokens; what it lets pass is refused here. */
#include "binding.h"

#include <string.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS       /* linear time on any text that is not nested deeply */
#include <jsmn.h>

enum { DEEPEST = 64 };

typedef struct reader {
    kci_call *c;
    const char *name;           /* of the file; NULL: a text of kcost's own */
    const char *text;
    const jsmntok_t *token, *end;
    const jsmntok_t *key;       /* the last one */
    int absent;                 /* where a list of what was read as absent is on the stack */
} reader;

static int line_of(const reader *r, int at, int *column)
{
    int line = 1, start = 0;
    for (int i = 0; i < at; i++) {
        if (r->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    *column = at - start + 1;
    return line;
}

/* Raises, with the place of byte `at`. */
static void broken(reader *r, int at, const char *what)
{
    int column, line = line_of(r, at, &column);
    kci_error(r->c, "%s, line %d, column %d: %s", r->name ? r->name : "the text", line, column, what);
}

static unsigned hex4(const char *text)
{
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        char digit = text[i];
        code = code * 16 + (unsigned)(digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10);
    }
    return code;
}

static size_t put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)(lead[length] | code);
    return length;
}

static bool is_surrogate(unsigned code)
{
    return code >= 0xD800 && code < 0xE000;
}

/* The code of an escape that ends at *at: with the escape behind it where these two are a pair, U+FFFD for half a pair. */
static unsigned whole_code(unsigned code, const char **at, const char *end)
{
    if (!is_surrogate(code))
        return code;
    if (code < 0xDC00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        unsigned low = hex4(*at + 2);
        if (low >= 0xDC00 && is_surrogate(low)) {
            *at += 6;
            return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return 0xFFFD;
}

/* A text only shrinks when its escapes go. */
static void push_string(reader *r, const jsmntok_t *token)
{
    lua_State *L = r->c->L;
    const char *at = r->text + token->start, *end = r->text + token->end;
    if (memchr(at, '\\', (size_t)(end - at)) == NULL) {
        lua_pushlstring(L, at, (size_t)(end - at));
        return;
    }
    char *out = lua_newuserdata(L, (size_t)(end - at) + 4);
    size_t length = 0;
    while (at < end) {
        if (*at != '\\') {
            out[length++] = *at++;
            continue;
        }
        at++;
        if (*at == 'u') {
            unsigned code = hex4(at + 1);
            at += 5;
            length += put_utf8(out + length, whole_code(code, &at, end));
            continue;
        }
        static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
        const char *found = strchr(from, *at);
        out[length++] = found != NULL ? to[found - from] : *at;
        at++;
    }
    lua_pushlstring(L, out, length);
    lua_remove(L, -2);
}

static size_t digits(const char *at)
{
    return strspn(at, "0123456789");
}

/* -12, 0.5, 3e-2: of JSON's grammar, which knows no 01, no .5 and no 5. */
static bool is_number(const char *at)
{
    at += *at == '-';
    size_t whole = digits(at);
    if (whole == 0 || (at[0] == '0' && whole > 1))
        return false;
    at += whole;
    if (*at == '.') {
        if (digits(at + 1) == 0)
            return false;
        at += 1 + digits(at + 1);
    }
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '+' || at[1] == '-');
        if (digits(at) == 0)
            return false;
        at += digits(at);
    }
    return *at == '\0';
}

/* The number in the text at the top, which it takes the place of. */
static void push_number(reader *r, int at)
{
    lua_State *L = r->c->L;
    const char *text = lua_tostring(L, -1);
    if (!is_number(text))
        broken(r, at, lua_pushfstring(L, "%s is no number, text, list, object, true, false or null",
                                      kci_push_described(L, r->c->state, -1)));
    double number = lua_tonumber(L, -1);
    if (number - number != 0)
        broken(r, at, lua_pushfstring(L, "the number %s is too large", kci_push_described(L, r->c->state, -1)));
    lua_pop(L, 1);
    lua_pushnumber(L, number);
}

static void note_absent(reader *r, const char *what, int at)
{
    lua_State *L = r->c->L;
    int column;
    lua_createtable(L, 0, 3);
    if (r->key)
        lua_pushlstring(L, r->text + r->key->start, (size_t)(r->key->end - r->key->start));
    else
        lua_pushliteral(L, "");
    lua_setfield(L, -2, "key");
    lua_pushstring(L, what);
    lua_setfield(L, -2, "value");
    lua_pushnumber(L, line_of(r, at, &column));
    lua_setfield(L, -2, "line");
    lua_rawseti(L, r->absent, (int)kci_rawlen(L, r->absent) + 1);
}

static void push_primitive(reader *r, const jsmntok_t *token)
{
    static const char *const no_json[] = {"NaN", "Infinity", "-Infinity"}; /* but Python writes them */
    lua_State *L = r->c->L;
    lua_pushlstring(L, r->text + token->start, (size_t)(token->end - token->start));
    const char *text = lua_tostring(L, -1);
    bool absent = strcmp(text, "null") == 0, truth = strcmp(text, "true") == 0;
    for (size_t i = 0; i < sizeof no_json / sizeof *no_json; i++) {
        if (strcmp(text, no_json[i]) == 0) {
            note_absent(r, no_json[i], token->start);
            absent = true;
        }
    }
    if (!absent && !truth && strcmp(text, "false") != 0) {
        push_number(r, token->start);
        return;
    }
    lua_pop(L, 1);
    if (absent)
        lua_pushnil(L);
    else
        lua_pushboolean(L, truth);
}

/* jsmn does not look at what stands between tokens: just `wanted`, or nothing, beside blanks and quotes. */
static void want_between(reader *r, int from, int to, char wanted)
{
    lua_State *L = r->c->L;
    bool seen = false;
    for (int i = from; i < to; i++) {
        char c = r->text[i];
        if (strchr(" \t\r\n\"", c) != NULL)
            continue;
        if (c != wanted || seen)
            broken(r, i, lua_pushfstring(L, "'%c' does not belong here", c));
        seen = true;
    }
    if (wanted != '\0' && !seen)
        broken(r, to, wanted == ',' ? "a comma is missing before this" : "a colon is missing before this");
}

static void push_value(reader *r);

/* Item `i` of what begins at `open`, behind the one that ended at `from`.  Returns where it ends. */
static int push_item(reader *r, int i, int from)
{
    if (r->token == r->end)
        broken(r, from, "it ends too early");
    const jsmntok_t *token = r->token;
    want_between(r, from, token->start, i > 0 ? ',' : '\0');
    push_value(r);
    return token->end;
}

static void push_object(reader *r, const jsmntok_t *token)
{
    lua_State *L = r->c->L;
    int at = token->start + 1;
    lua_createtable(L, 0, token->size);
    for (int i = 0; i < token->size; i++) {
        const jsmntok_t *key = r->token;
        if (key == r->end)
            broken(r, at, "it ends too early");
        if (key->type != JSMN_STRING)
            broken(r, key->start, "a key in quotes is wanted");
        if (key->size != 1)
            broken(r, key->start, key->size == 0 ? "the key has no value" : "a comma is missing behind its value");
        push_item(r, i, at);
        if (r->token == r->end)
            broken(r, key->end, "it ends too early");
        r->key = key;
        want_between(r, key->end, r->token->start, ':');
        at = push_item(r, 0, r->token->start);
        lua_rawset(L, -3);
    }
    want_between(r, at, token->end - 1, '\0');
}

static void push_array(reader *r, const jsmntok_t *token)
{
    int at = token->start + 1;
    lua_createtable(r->c->L, token->size, 0);
    for (int i = 0; i < token->size; i++) {
        at = push_item(r, i, at);
        lua_rawseti(r->c->L, -2, i + 1);
    }
    want_between(r, at, token->end - 1, '\0');
}

static void push_value(reader *r)
{
    const jsmntok_t *token = r->token++;
    luaL_checkstack(r->c->L, 12, NULL);
    switch (token->type) {
    case JSMN_OBJECT:
        push_object(r, token);
        break;
    case JSMN_ARRAY:
        push_array(r, token);
        break;
    case JSMN_STRING:
        push_string(r, token);
        break;
    default:
        push_primitive(r, token);
    }
}

/* Before jsmn and the C stack take a text: no brackets in brackets beyond what anyone writes. */
static void want_shallow(reader *r)
{
    bool quoted = false;
    for (int i = 0, depth = 0; r->text[i] != '\0'; i++) {
        char c = r->text[i];
        if (c == '"')
            quoted = !quoted;
        else if (c == '\\' && quoted && r->text[i + 1] != '\0')
            i++;
        else if (!quoted && (c == ']' || c == '}'))
            depth--;
        else if (!quoted && (c == '[' || c == '{') && ++depth > DEEPEST)
            broken(r, i, "it is nested too deeply");
    }
}

/* What jsmn stumbled over. */
static void no_json(reader *r, int what, int at)
{
    lua_State *L = r->c->L;
    if (what == JSMN_ERROR_PART)
        broken(r, at, r->text[at] == '"' ? "the text that begins here does not end" : "it ends too early");
    if (r->text[at] == '"')
        broken(r, at, "the text that begins here has an escape that JSON does not know");
    if (r->text[at] == '\0')
        broken(r, at, "nothing is there");
    broken(r, at, lua_pushfstring(L, "'%c' does not belong here", r->text[at]));
}

/* Pushes the value, and above it the list of what was read as absent. */
static void push_text(kci_call *c, const char *name, const char *text)
{
    lua_State *L = c->L;
    size_t length = strlen(text);
    jsmn_parser parser;
    reader r = {.c = c, .name = name, .text = text};
    want_shallow(&r);
    jsmn_init(&parser);
    int count = jsmn_parse(&parser, text, length, NULL, 0);
    if (count <= 0)
        no_json(&r, count, (int)parser.pos);
    jsmntok_t *tokens = lua_newuserdata(L, (size_t)count * sizeof *tokens);
    lua_newtable(L);
    r.absent = lua_gettop(L);
    jsmn_init(&parser);
    int found = jsmn_parse(&parser, text, length, tokens, (unsigned)count);
    if (found != count)
        no_json(&r, found, (int)parser.pos);
    r.token = tokens;
    r.end = tokens + count;
    push_value(&r);
    if (r.token != r.end)
        broken(&r, r.token->start, "something follows its end");
    lua_remove(L, -3); /* the tokens */
    lua_insert(L, -2);
}

void kci_push_json(kci_call *c, const char *text)
{
    push_text(c, NULL, text);
    lua_pop(c->L, 1);
}

/* load_json(path): a file's JSON as tables.  null is absent, and so are NaN and the infinities that Python writes: a list
 * of these, { key, value, line }, is `absent` of the table's metatable. */
static int json_load_json(lua_State *L)
{
    kci_call c = kci_begin(L, "load_json", 1);
    const char *path = kci_string(&c, 1, "path");
    size_t length;
    if (c.state->vm && !c.state->trusted)
        return kci_error(&c, "this script may not read files");
    if (!kci_push_bytes(L, path, &length))
        return kci_error(&c, "cannot read %s", path);
    char *text = lua_touserdata(L, -1);
    text[length] = '\0';
    if (strlen(text) != length)
        return kci_error(&c, "%s: there is a zero byte in it", path);
    push_text(&c, path, text);
    if (kci_rawlen(L, -1) > 0 && lua_type(L, -2) == LUA_TTABLE) {
        lua_createtable(L, 0, 1);
        lua_insert(L, -2);
        lua_setfield(L, -2, "absent");
        lua_setmetatable(L, -2);
    } else {
        lua_pop(L, 1);
    }
    return 1;
}

const luaL_Reg kci_json_calls[] = {{"load_json", json_load_json}, {NULL, NULL}};
