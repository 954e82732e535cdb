/* script.c: what scripts ask of their host: param, and text for numbers. */
#include "binding.h"

#include <string.h>

static kci_param *find_param(const kci_state *state, const char *name)
{
    for (kci_param *param = state->params; param != NULL; param = param->next)
        if (strcmp(param->name, name) == 0)
            return param;
    return NULL;
}

/* What scripts asked for, so that a wrong --set can be told what there is. */
static void remember(kci_call *c, int name)
{
    if (!c->state->vm)
        return;
    lua_rawgeti(c->L, LUA_REGISTRYINDEX, c->state->asked);
    lua_pushvalue(c->L, name);
    lua_pushboolean(c->L, 1);
    lua_rawset(c->L, -3);
    lua_pop(c->L, 1);
}

static int param_number(kci_call *c, const kci_param *param)
{
    /* Only decimal digits: the engines differ in what else they take for a number. */
    lua_pushstring(c->L, param->value);
    if (param->value[0] == '\0' || param->value[strspn(param->value, "0123456789+-.eE")] != '\0' ||
        !lua_isnumber(c->L, -1))
        return kci_error(c, "'%s' is set to '%s', and a number is wanted, as the default is one",
                         param->name, param->value);
    lua_pushnumber(c->L, lua_tonumber(c->L, -1));
    return 1;
}

static int param_boolean(kci_call *c, const kci_param *param)
{
    bool yes = strcmp(param->value, "true") == 0;
    if (!yes && strcmp(param->value, "false") != 0)
        return kci_error(c,
                         "'%s' is set to '%s', and true or false is wanted, as the default is one",
                         param->name, param->value);
    lua_pushboolean(c->L, yes);
    return 1;
}

/* param(name, default): the host's value, of the default's type. */
static int script_param(lua_State *L)
{
    kci_call c = kci_begin(L, "param", 2);
    const char *name = kci_string(&c, 1, "name");
    int type = lua_type(L, 2);
    if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TBOOLEAN)
        return kci_error(
            &c, "the default of '%s' is %s, and a number, a string, true or false is wanted", name,
            kci_push_described(L, c.state, 2));
    remember(&c, 1);
    kci_param *param = find_param(c.state, name);
    if (param == NULL) {
        if (type == LUA_TNUMBER)
            lua_pushnumber(L, lua_tonumber(L, 2));
        else
            lua_pushvalue(L, 2);
        return 1;
    }
    param->asked = true;
    if (type == LUA_TNUMBER)
        return param_number(&c, param);
    if (type == LUA_TBOOLEAN)
        return param_boolean(&c, param);
    lua_pushstring(L, param->value);
    return 1;
}

static int script_str(lua_State *L)
{
    kci_call c = kci_begin(L, "str", 1);
    kci_push_text(L, c.state, 1);
    return 1;
}

const luaL_Reg kci_script_calls[] = {{"param", script_param}, {"str", script_str}, {NULL, NULL}};
