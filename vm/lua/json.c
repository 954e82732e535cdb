/* json.c: a JSON text as Lua values.  jsmn finds the tokens; what it lets pass is refused here. */
#include "binding.h"

#include <math.h>
#include <string.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS       /* linear time on any text */
#include <jsmn.h>

enum { DEEPEST = 64 };

typedef struct reader {
    kci_call *c;
    const char *text;
    const jsmntok_t *token, *end;
} reader;

static void broken(reader *r, const char *what)
{
    kci_error(r->c, "the JSON text is broken: %s", what);
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
            if (code >= 0xD800 && code < 0xDC00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
                code = 0x10000 + ((code - 0xD800) << 10) + ((hex4(at + 2) - 0xDC00) & 0x3FF);
                at += 6;
            }
            length += put_utf8(out + length, code);
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

static void push_primitive(reader *r, const jsmntok_t *token)
{
    lua_State *L = r->c->L;
    const char *at = r->text + token->start;
    size_t length = (size_t)(token->end - token->start);
    if (length == 4 && memcmp(at, "true", 4) == 0) {
        lua_pushboolean(L, 1);
    } else if (length == 5 && memcmp(at, "false", 5) == 0) {
        lua_pushboolean(L, 0);
    } else if (length == 4 && memcmp(at, "null", 4) == 0) {
        lua_pushnil(L);
    } else if (length == 8 && memcmp(at, "Infinity", 8) == 0) {
        lua_pushnumber(L, INFINITY);
    } else if (length == 9 && memcmp(at, "-Infinity", 9) == 0) {
        lua_pushnumber(L, -INFINITY);
    } else {
        lua_pushlstring(L, at, length);
        if (strspn(lua_tostring(L, -1), "0123456789+-.eE") != length || !lua_isnumber(L, -1))
            broken(r, "a number is misspelt");
        double number = lua_tonumber(L, -1);
        lua_pop(L, 1);
        lua_pushnumber(L, number);
    }
}

/* jsmn does not look at what stands between tokens: just `wanted`, or nothing, beside blanks and quotes. */
static void want_between(reader *r, int from, int to, char wanted)
{
    int seen = 0;
    for (int i = from; i < to; i++)
        if (strchr(" \t\r\n\"", r->text[i]) == NULL && (r->text[i] != wanted || seen++ > 0))
            broken(r, "a comma or colon is where none belongs");
    if (wanted != '\0' && seen == 0)
        broken(r, "a comma or colon is missing");
}

static void push_value(reader *r, int depth);

/* Item `i` of what begins at `open`, behind the one that ended at `from`.  Returns where it ends. */
static int push_item(reader *r, int i, int from, int depth)
{
    if (r->token == r->end)
        broken(r, "it ends too early");
    const jsmntok_t *token = r->token;
    want_between(r, from, token->start, i > 0 ? ',' : '\0');
    push_value(r, depth + 1);
    return token->end;
}

static void push_object(reader *r, const jsmntok_t *token, int depth)
{
    lua_State *L = r->c->L;
    int at = token->start + 1;
    lua_createtable(L, 0, token->size);
    for (int i = 0; i < token->size; i++) {
        const jsmntok_t *key = r->token;
        if (key == r->end || key->type != JSMN_STRING || key->size != 1)
            broken(r, "a key is missing");
        push_item(r, i, at, depth);
        if (r->token == r->end)
            broken(r, "it ends too early");
        want_between(r, key->end, r->token->start, ':');
        at = push_item(r, 0, r->token->start, depth);
        lua_rawset(L, -3);
    }
    want_between(r, at, token->end - 1, '\0');
}

static void push_array(reader *r, const jsmntok_t *token, int depth)
{
    int at = token->start + 1;
    lua_createtable(r->c->L, token->size, 0);
    for (int i = 0; i < token->size; i++) {
        at = push_item(r, i, at, depth);
        lua_rawseti(r->c->L, -2, i + 1);
    }
    want_between(r, at, token->end - 1, '\0');
}

static void push_value(reader *r, int depth)
{
    lua_State *L = r->c->L;
    if (r->token == r->end)
        broken(r, "it ends too early");
    if (depth > DEEPEST)
        broken(r, "it is nested too deeply");
    luaL_checkstack(L, 8, NULL);
    const jsmntok_t *token = r->token++;
    switch (token->type) {
    case JSMN_OBJECT:
        push_object(r, token, depth);
        break;
    case JSMN_ARRAY:
        push_array(r, token, depth);
        break;
    case JSMN_STRING:
        push_string(r, token);
        break;
    default:
        push_primitive(r, token);
    }
}

void kci_push_json(kci_call *c, const char *text)
{
    lua_State *L = c->L;
    size_t length = strlen(text);
    jsmn_parser parser;
    jsmn_init(&parser);
    int count = jsmn_parse(&parser, text, length, NULL, 0);
    reader r = {.c = c, .text = text};
    if (count <= 0)
        broken(&r, "it is no JSON");
    jsmntok_t *tokens = lua_newuserdata(L, (size_t)count * sizeof *tokens);
    jsmn_init(&parser);
    if (jsmn_parse(&parser, text, length, tokens, (unsigned)count) != count)
        broken(&r, "it is no JSON");
    r.token = tokens;
    r.end = tokens + count;
    push_value(&r, 0);
    if (r.token != r.end)
        broken(&r, "something follows its end");
    lua_remove(L, -2);
}

/* load_json(path): a file's JSON as tables.  null is absent; the infinities that Python writes are numbers. */
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
        return kci_error(&c, "the JSON text is broken: it has a zero byte in it");
    kci_push_json(&c, text);
    return 1;
}

const luaL_Reg kci_json_calls[] = {{"load_json", json_load_json}, {NULL, NULL}};
