/* json.c: a JSON text as Lua values.  jsmn finds the tokens; what it lets pass is refused here. */
#include "binding.h"

#include <string.h>

#define JSMN_STATIC
#define JSMN_STRICT
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
    } else {
        lua_pushlstring(L, at, length);
        if (strspn(lua_tostring(L, -1), "0123456789+-.eE") != length || !lua_isnumber(L, -1))
            broken(r, "a number is misspelt");
        double number = lua_tonumber(L, -1);
        lua_pop(L, 1);
        lua_pushnumber(L, number);
    }
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
        lua_createtable(L, 0, token->size);
        for (int i = 0; i < token->size; i++) {
            if (r->token == r->end || r->token->type != JSMN_STRING || r->token->size != 1)
                broken(r, "a key is missing");
            push_string(r, r->token++);
            push_value(r, depth + 1);
            lua_rawset(L, -3);
        }
        break;
    case JSMN_ARRAY:
        lua_createtable(L, token->size, 0);
        for (int i = 1; i <= token->size; i++) {
            push_value(r, depth + 1);
            lua_rawseti(L, -2, i);
        }
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
    jsmn_parse(&parser, text, length, tokens, (unsigned)count);
    r.token = tokens;
    r.end = tokens + count;
    push_value(&r, 0);
    if (r.token != r.end)
        broken(&r, "something follows its end");
    lua_remove(L, -2);
}
