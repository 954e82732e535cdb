/* ask.c: count, evaluate, compare, verify and their options: design, section 2.3. */
#include "binding.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int push_options(kci_call *c)
{
    KCI_RETURN(c, kc_options_new(c->state->context));
}

/* Sets one option from the value at the top; `l2 = false` is the number 0. */
static void set_option(kci_call *c, kc_options *options, const char *key)
{
    lua_State *L = c->L;
    switch (lua_type(L, -1)) {
    case LUA_TBOOLEAN: {
        double on = lua_toboolean(L, -1) ? 1 : 0;
        KCI_DO(c, kc_options_set(options, key, on));
        break;
    }
    case LUA_TNUMBER: {
        double number = kci_number(c, -1, key);
        KCI_DO(c, kc_options_set(options, key, number));
        break;
    }
    case LUA_TSTRING: {
        const char *text = kci_string(c, -1, key);
        KCI_DO(c, kc_options_set_text(options, key, text));
        break;
    }
    default:
        kci_error(c, "opts.%s is %s, and a text, a number or true or false is wanted", key,
                  kci_push_described(L, c->state, -1));
    }
}

/* cache = { K = "warm" } is "cache.K", convention = { softmax = 5 } is "convention.softmax". */
static void set_option_table(kci_call *c, kc_options *options, const char *name, int index)
{
    lua_State *L = c->L;
    lua_pushfstring(L, "opts.%s", name);
    size_t count = kci_push_sorted_keys(c, index, lua_tostring(L, -1));
    int keys = lua_gettop(L);
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(L, keys, (int)i);
        lua_pushfstring(L, "%s.%s", name, lua_tostring(L, -1));
        lua_pushvalue(L, keys + 1);
        lua_rawget(L, index);
        set_option(c, options, lua_tostring(L, keys + 2));
        lua_settop(L, keys);
    }
}

void kci_set_option(kci_call *c, kc_options *options, const char *name, int index)
{
    bool tables = strcmp(name, "cache") == 0 || strcmp(name, "convention") == 0;
    if (tables && lua_type(c->L, index) == LUA_TTABLE)
        set_option_table(c, options, name, index);
    else
        set_option(c, options, name);
}

/* Of the names that the table may have, the first `own` are the caller's and no options of the model. */
static kc_options *read_options(kci_call *c, int index, const char *const *known, size_t count, size_t own)
{
    lua_State *L = c->L;
    if (kci_absent(c, index))
        return NULL;
    kci_options(c, index, "opts", known, count);
    push_options(c);
    kc_options *options = (kc_options *)kci_object_at(L, c->state, -1);
    for (size_t i = own; i < count; i++) {
        int at = kci_option(c, index, known[i]);
        if (kci_absent(c, at))
            continue;
        kci_set_option(c, options, known[i], at);
        lua_settop(L, at);
    }
    return options;
}

/* "save" is fuse_all's own.  compare takes all but the last: a measured time is of one x on one device. */
static const char *const options_of_all[] = {"save", "l2", "cache", "launch", "convention", "measured"};
static const char *const *const evaluate_options = options_of_all + 1;
enum { EVALUATE_OPTIONS = COUNT(options_of_all) - 1 };

kc_options *kci_read_options(kci_call *c, int index)
{
    return read_options(c, index, evaluate_options, EVALUATE_OPTIONS, 0);
}

kc_options *kci_read_options_and_save(kci_call *c, int index)
{
    return read_options(c, index, options_of_all, EVALUATE_OPTIONS, 1);
}

/* count(x [, opts]) */
static int ask_count(lua_State *L)
{
    static const char *const known[] = {"convention"};
    kci_call c = kci_begin(L, "count", 2);
    kc_object *x = kci_kernel_like(&c, 1, "x", true);
    kc_options *options = read_options(&c, 2, known, COUNT(known), 0);
    KCI_RETURN(&c, kc_count(x, options));
}

/* evaluate(x, device [, opts]) */
static int ask_evaluate(lua_State *L)
{
    kci_call c = kci_begin(L, "evaluate", 3);
    kc_object *x = kci_kernel_like(&c, 1, "x", true);
    kc_device *device = kci_device(&c, 2, "device");
    kc_options *options = kci_read_options(&c, 3);
    KCI_RETURN(&c, kc_evaluate(x, device, options));
}

static void *pick_thing(kci_call *c, int index, const char *argument)
{
    return kci_kernel_like(c, index, argument, true);
}

static void *pick_device(kci_call *c, int index, const char *argument)
{
    return kci_device(c, index, argument);
}

/* One thing, or a device's name, stands for a list of it. */
static void want_list(const kci_call *c, int index)
{
    lua_State *L = c->L;
    if (lua_type(L, index) != LUA_TSTRING && kci_object_at(L, c->state, index) == NULL)
        return;
    lua_createtable(L, 1, 0);
    lua_pushvalue(L, index);
    lua_rawseti(L, -2, 1);
    lua_replace(L, index);
}

/* compare({ x… }, { device… } [, opts]) */
static int ask_compare(lua_State *L)
{
    kci_call c = kci_begin(L, "compare", 3);
    want_list(&c, 1);
    want_list(&c, 2);
    kci_handles xs = kci_read_handles(&c, 1, "xs", pick_thing);
    if (kci_absent(&c, 2))
        return kci_error(&c, "devices is nothing, and a list of devices or their names is wanted");
    kci_handles devices = kci_read_handles(&c, 2, "devices", pick_device);
    if (devices.count == 0)
        return kci_error(
            &c, "devices is empty, and at least one device is wanted; kc.count needs none");
    kc_options *options = read_options(&c, 3, evaluate_options, EVALUATE_OPTIONS - 1, 0);
    KCI_RETURN(&c, kc_compare(c.state->context, (kc_object *const *)xs.items, xs.count,
                              (kc_device *const *)devices.items, devices.count, options));
}

/* Raises where it does not hold: the user's message, if there is one, before the model's sentence. */
static void expect(kci_call *c, const kc_result *result, const char *condition, const char *message)
{
    kc_status status = kc_result_expect(result, condition);
    if (status == KC_ENOMEM && kci_try_again(c))
        status = kc_result_expect(result, condition);
    if (status == KC_EARGUMENT && message != NULL)
        kci_error(c, "%s (%s)", message, kc_context_message(c->state->context) + strlen("expect: "));
    if (status != KC_OK)
        kci_model_error(c);
}

/* Pushes a kernel's result, on a device if there is one. */
static int push_asked(kci_call *c, kc_object *x, kc_device *device, kc_options *options)
{
    KCI_RETURN(c, device != NULL ? kc_evaluate(x, device, options) : kc_count(x, options));
}

/* expect(x, condition [, message or opts]): the result, if the condition holds. */
static int ask_expect(lua_State *L)
{
    static const char *const known[] = {"message", "device", "l2", "cache", "launch", "convention", "measured"};
    enum { OWN = 2 };
    kci_call c = kci_begin(L, "expect", 3);
    kc_object *object = kci_object_at(L, c.state, 1);
    bool asked = object != NULL && kc_object_kind(object) == KC_RESULT;
    const char *condition = kci_string(&c, 2, "condition");
    if (lua_type(L, 3) == LUA_TSTRING) { /* { message = … } */
        lua_createtable(L, 0, 1);
        lua_insert(L, 3);
        lua_setfield(L, 3, "message");
    }
    kci_options(&c, 3, "opts", known, asked ? 1 : COUNT(known)); /* of a result nothing is left to say */
    int at = kci_option(&c, 3, "message");
    const char *message = kci_absent(&c, at) ? NULL : kci_string(&c, at, "message");
    int result = 1;
    if (!asked) {
        object = kci_kernel_like(&c, 1, "x", true);
        at = kci_option(&c, 3, "device");
        kc_device *device = kci_absent(&c, at) ? NULL : kci_device(&c, at, "device");
        push_asked(&c, object, device, read_options(&c, 3, known, COUNT(known), OWN));
        result = lua_gettop(L);
        object = kci_object_at(L, c.state, result);
    }
    expect(&c, (kc_result *)object, condition, message);
    lua_pushvalue(L, result);
    return 1;
}

/* The host watches it as it does a sweep; it runs in this thread alone. */
static kc_status watched_verify(kci_call *c, kc_object *kernel, double *steps)
{
    kc_context *context = c->state->context;
    if (c->state->watch == NULL)
        return kc_verify(kernel, steps);
    kc_context_watch(context, kci_watch_sweep, c->state);
    kc_status status = kc_verify(kernel, steps);
    kc_context_watch(context, kci_watch_call, c->state->limits);
    return status;
}

static void verify(kci_call *c, kc_object *kernel, double *steps)
{
    KCI_DO(c, watched_verify(c, kernel, steps));
}

/* verify(kernel): how many steps the walk took; a difference is an error. */
static int ask_verify(lua_State *L)
{
    kci_call c = kci_begin(L, "verify", 1);
    kc_object *kernel = kci_kernel_like(&c, 1, "kernel", false);
    double steps = 0;
    verify(&c, kernel, &steps);
    lua_pushnumber(L, steps);
    return 1;
}

const luaL_Reg kci_ask_calls[] = {
    {"count", ask_count},
    {"evaluate", ask_evaluate},
    {"compare", ask_compare},
    {"verify", ask_verify},
    {"expect", ask_expect},
    {NULL, NULL},
};
