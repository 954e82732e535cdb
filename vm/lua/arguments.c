/* arguments.c: what calls are given, checked by type, one value at a time. */
#include "binding.h"

#include <math.h>
#include <string.h>

static const double size_limit = 9007199254740992.0; /* 2^53 */

kci_call kci_begin(lua_State *L, const char *name, int most)
{
    kci_call c = {.L = L, .state = kci_state_of(L), .name = name};
    int given = lua_gettop(L);
    kci_step(L, c.state, 1);
    if (given > most)
        kci_error(&c, "takes at most %d arguments, %d were given", most, given);
    luaL_checkstack(L, most + 24, NULL);
    lua_settop(L, most);
    return c;
}

bool kci_absent(const kci_call *c, int index)
{
    return lua_isnoneornil(c->L, index);
}

static int wrong(kci_call *c, int index, const char *argument, const char *wanted)
{
    return kci_error(c, "%s is %s, and %s is wanted", argument,
                     kci_push_described(c->L, c->state, index), wanted);
}

/* The model's texts end at a zero byte, so one inside would cut a name short. */
const char *kci_string(kci_call *c, int index, const char *argument)
{
    if (lua_type(c->L, index) != LUA_TSTRING)
        wrong(c, index, argument, "a string");
    size_t length;
    const char *text = lua_tolstring(c->L, index, &length);
    if (strlen(text) != length)
        kci_error(c, "%s has a zero byte in it", argument);
    return text;
}

double kci_number(kci_call *c, int index, const char *argument)
{
    if (lua_type(c->L, index) != LUA_TNUMBER)
        wrong(c, index, argument, "a number");
    double number = lua_tonumber(c->L, index);
    if (number != number)
        kci_error(c, "%s is nan, and a number is wanted", argument);
    return number;
}

double kci_whole(kci_call *c, int index, const char *argument, double least)
{
    double number = lua_type(c->L, index) == LUA_TNUMBER ? lua_tonumber(c->L, index) : -1;
    if (lua_type(c->L, index) != LUA_TNUMBER || number != floor(number) || number < least ||
        number >= size_limit) {
        char from[KCI_NUMBER_TEXT];
        kci_number_to_text(least, from);
        kci_error(c, "%s is %s, and a whole number from %s up to 2^53 is wanted", argument,
                  kci_push_described(c->L, c->state, index), from);
    }
    return number;
}

bool kci_boolean(kci_call *c, int index, const char *argument)
{
    if (lua_type(c->L, index) != LUA_TBOOLEAN)
        wrong(c, index, argument, "true or false");
    return lua_toboolean(c->L, index);
}

kc_tensor *kci_tensor(kci_call *c, int index, const char *argument)
{
    kc_object *object = kci_object_at(c->L, c->state, index);
    if (object == NULL || kc_object_kind(object) != KC_TENSOR)
        wrong(c, index, argument, "a tensor");
    return (kc_tensor *)object;
}

kc_value *kci_value(kci_call *c, int index, const char *argument)
{
    kc_object *object = kci_object_at(c->L, c->state, index);
    if (object != NULL && kc_object_kind(object) == KC_TENSOR)
        kci_error(c, "%s is the tensor '%s', and a value is wanted: kc.read makes one of it",
                  argument, kc_object_name(object));
    if (object == NULL || kc_object_kind(object) != KC_VALUE)
        wrong(c, index, argument, "a value");
    return (kc_value *)object;
}

kc_object *kci_kernel_like(kci_call *c, int index, const char *argument, bool programs)
{
    kc_object *object = kci_object_at(c->L, c->state, index);
    kc_kind kind = object != NULL ? kc_object_kind(object) : KC_VALUE;
    if (kind == KC_VALUE && object != NULL)
        kci_error(c, "%s is a value, and %s is wanted: kc.write makes a tensor of it", argument,
                  programs ? "a kernel, program or written tensor" : "a kernel or written tensor");
    if (kind != KC_KERNEL && kind != KC_TENSOR && !(programs && kind == KC_PROGRAM))
        wrong(c, index, argument,
              programs ? "a kernel, program or written tensor" : "a kernel or written tensor");
    return object;
}

/* Pushes the box of a handle that a name stands for; boxes stay on the stack. */
static int push_named_dtype(kci_call *c, const char *name)
{
    KCI_RETURN(c, kc_dtype_named(c->state->context, name));
}

kc_dtype *kci_dtype(kci_call *c, int index, const char *argument)
{
    if (kci_absent(c, index))
        return NULL;
    if (lua_type(c->L, index) == LUA_TSTRING) {
        push_named_dtype(c, kci_string(c, index, argument));
        return (kc_dtype *)kci_object_at(c->L, c->state, -1);
    }
    kc_object *object = kci_object_at(c->L, c->state, index);
    if (object == NULL || kc_object_kind(object) != KC_DTYPE)
        wrong(c, index, argument, "a dtype");
    return (kc_dtype *)object;
}

kc_device *kci_device(kci_call *c, int index, const char *argument)
{
    if (lua_type(c->L, index) == LUA_TSTRING) {
        kci_push_named_device(c, kci_string(c, index, argument));
        return (kc_device *)kci_object_at(c->L, c->state, -1);
    }
    kc_object *object = kci_object_at(c->L, c->state, index);
    if (object == NULL || kc_object_kind(object) != KC_DEVICE)
        wrong(c, index, argument, "a device or the name of one");
    return (kc_device *)object;
}

const char *kci_dims(kci_call *c, int index, const char *argument)
{
    lua_State *L = c->L;
    if (kci_absent(c, index))
        return NULL;
    if (lua_type(L, index) == LUA_TSTRING)
        return kci_string(c, index, argument);
    if (lua_type(L, index) != LUA_TTABLE)
        wrong(c, index, argument, "dims, as \"b h\" or { \"b\", \"h\" },");
    index = kci_absindex(L, index);
    enum { MOST = 1000 };
    if (kci_rawlen(L, index) > MOST)
        kci_error(c, "%s has more than %d dims", argument, MOST);
    int count = (int)kci_rawlen(L, index);
    luaL_checkstack(L, 2 * count + 8, "too many dims");
    int pushed = 0;
    for (int i = 1; i <= count; i++) {
        if (i > 1) {
            lua_pushliteral(L, " ");
            pushed++;
        }
        lua_rawgeti(L, index, i);
        kci_string(c, -1, argument);
        pushed++;
    }
    if (pushed == 0)
        lua_pushliteral(L, "");
    else if (pushed > 1)
        lua_concat(L, pushed);
    return lua_tostring(L, -1);
}
