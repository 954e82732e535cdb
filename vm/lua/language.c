/* language.c: the calls that build tensors and values: design, section 2.1. */
#include "binding.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int language_tensor(lua_State *L)
{
    kci_call c = kci_begin(L, "tensor", 4);
    const char *name = kci_string(&c, 1, "name");
    if (kci_absent(&c, 2))
        return kci_error(&c,
                         "dims is nothing, and dims, as \"b h\" or { \"b\", \"h\" }, are wanted");
    const char *dims = kci_dims(&c, 2, "dims");
    if (kci_absent(&c, 3))
        return kci_error(&c, "dtype is nothing, and a dtype is wanted, such as \"f16\"");
    kc_dtype *dtype = kci_dtype(&c, 3, "dtype");
    if (kci_absent(&c, 4))
        return kci_error(&c, "size is nothing, and a table { dim = size } is wanted");
    kci_sizes sizes = kci_read_sizes(&c, 4, "size", false);
    KCI_RETURN(&c, kc_tensor_new(c.state->context, name, dims, dtype, sizes.items, sizes.count));
}

/* opts.scale: a factor on the traffic. */
static double read_scale(kci_call *c, int options)
{
    int at = kci_option(c, options, "scale");
    if (kci_absent(c, at))
        return 1;
    double scale = kci_number(c, at, "opts.scale");
    char text[KCI_NUMBER_TEXT];
    if (!(scale >= 0) || isinf(scale)) {
        kci_number_to_text(scale, text);
        kci_error(c, "opts.scale is %s, and a factor of at least 0 is wanted", text);
    }
    return scale;
}

/* read(tensor [, index] [, opts]): a string is the index, a table the options. */
static int language_read(lua_State *L)
{
    static const char *const known[] = {"size", "scale", "distinct"};
    kci_call c = kci_begin(L, "read", 3);
    kc_tensor *tensor = kci_tensor(&c, 1, "tensor");
    int options = 3;
    const char *index = NULL;
    if (lua_type(L, 2) == LUA_TTABLE && kci_absent(&c, 3))
        options = 2;
    else if (!kci_absent(&c, 2))
        index = kci_string(&c, 2, "index");
    kci_options(&c, options, "opts", known, COUNT(known));
    kci_sizes sizes = kci_read_sizes(&c, kci_option(&c, options, "size"), "opts.size", false);
    double scale = read_scale(&c, options);
    int at = kci_option(&c, options, "distinct");
    double distinct = kci_absent(&c, at) ? 0 : kci_number(&c, at, "opts.distinct"); /* may be an expected value */
    if (!kci_absent(&c, at) && !(distinct > 0))
        kci_error(&c, "opts.distinct is %s, and a number of rows above 0 is wanted", kci_push_described(L, c.state, at));
    KCI_RETURN(&c, kc_read(tensor, index, sizes.items, sizes.count, scale, distinct));
}

/* write(name, value [, dtype or opts]) */
static int language_write(lua_State *L)
{
    static const char *const known[] = {"dtype", "dims", "index", "size", "scale"};
    kci_call c = kci_begin(L, "write", 3);
    const char *name = kci_string(&c, 1, "name");
    kc_value *value = kci_value(&c, 2, "value");
    if (lua_type(L, 3) != LUA_TTABLE) {
        kc_dtype *dtype = kci_dtype(&c, 3, "dtype");
        KCI_RETURN(&c, kc_write(name, value, dtype, NULL, NULL, NULL, 0, 1));
    }
    kci_options(&c, 3, "opts", known, COUNT(known));
    kc_dtype *dtype = kci_dtype(&c, kci_option(&c, 3, "dtype"), "opts.dtype");
    const char *dims = kci_dims(&c, kci_option(&c, 3, "dims"), "opts.dims");
    int at = kci_option(&c, 3, "index");
    const char *index = kci_absent(&c, at) ? NULL : kci_string(&c, at, "opts.index");
    kci_sizes sizes = kci_read_sizes(&c, kci_option(&c, 3, "size"), "opts.size", false);
    if (index == NULL && sizes.items != NULL)
        return kci_error(&c, "opts.size is for an index, and opts.index is nothing");
    double scale = read_scale(&c, 3);
    KCI_RETURN(&c, kc_write(name, value, dtype, dims, index, sizes.items, sizes.count, scale));
}

/* Where options may stand in place of dims: a table without a first item. */
static bool is_options(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TTABLE)
        return false;
    lua_rawgeti(L, index, 1);
    bool list = !lua_isnil(L, -1);
    lua_pop(L, 1);
    return !list;
}

/* A dtype by name or as an object: its name, or NULL. */
static const char *dtype_name(kci_call *c, int index, const char *argument)
{
    if (kci_absent(c, index))
        return NULL;
    kc_object *object = kci_object_at(c->L, c->state, index);
    if (object != NULL && kc_object_kind(object) == KC_DTYPE)
        return kc_object_name(object);
    return kci_string(c, index, argument);
}

static int language_matmul(lua_State *L)
{
    static const char *const known[] = {"math", "unit", "into"};
    kci_call c = kci_begin(L, "matmul", 4);
    kc_value *a = kci_value(&c, 1, "a"), *b = kci_value(&c, 2, "b");
    int options = 4;
    const char *over = NULL;
    if (is_options(L, 3) && kci_absent(&c, 4))
        options = 3;
    else
        over = kci_dims(&c, 3, "over");
    kci_options(&c, options, "opts", known, COUNT(known));
    const char *math = dtype_name(&c, kci_option(&c, options, "math"), "opts.math");
    int at = kci_option(&c, options, "unit");
    const char *unit = kci_absent(&c, at) ? NULL : kci_string(&c, at, "opts.unit");
    at = kci_option(&c, options, "into");
    kc_value *into = kci_absent(&c, at) ? NULL : kci_value(&c, at, "opts.into");
    KCI_RETURN(&c, kc_matmul(a, b, over, math, unit, into));
}

/* `what`: a name, or a cost { flops = 3, special = 1 } per element, which may have a
 * `name` of its own (conventions know ops by name). */
static const char *read_cost(kci_call *c, int index, kc_cost *cost, bool *given)
{
    static const char *const known[] = {"flops", "special", "name"};
    double *const into[] = {&cost->flops, &cost->special};
    *given = lua_type(c->L, index) == LUA_TTABLE;
    if (!*given) {
        if (lua_type(c->L, index) != LUA_TSTRING)
            kci_error(c, "what is %s, and a name or a cost { flops = 3, special = 1 } is wanted",
                      kci_push_described(c->L, c->state, index));
        return kci_string(c, index, "what");
    }
    kci_options(c, index, "what", known, COUNT(known));
    for (size_t i = 0; i < COUNT(into); i++) {
        int at = kci_option(c, index, known[i]);
        *into[i] = kci_absent(c, at) ? 0 : kci_number(c, at, known[i]);
        if (!(*into[i] >= 0) || isinf(*into[i]))
            kci_error(c, "what.%s is %s, and a number of at least 0 is wanted", known[i],
                      kci_push_described(c->L, c->state, at));
    }
    int at = kci_option(c, index, "name");
    return kci_absent(c, at) ? NULL : kci_string(c, at, "what.name");
}

/* map(what, a, …) */
static int language_map(lua_State *L)
{
    kci_call c = kci_begin(L, "map", 255);
    /* Absent arguments at the end are none; one in the middle is a mistake. */
    int last = 255;
    while (last > 1 && lua_isnil(L, last))
        last--;
    lua_settop(L, last);
    kc_cost cost;
    bool given;
    const char *what = read_cost(&c, 1, &cost, &given);
    if (last < 2)
        return kci_error(&c, "a value is wanted after '%s'", what ? what : "the cost");
    kc_value **inputs = lua_newuserdata(L, (size_t)last * sizeof *inputs);
    for (int i = 2; i <= last; i++) {
        lua_pushfstring(L, "input %d", i - 1);
        inputs[i - 2] = kci_value(&c, i, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    KCI_RETURN(&c, kc_map(what, inputs, (size_t)last - 1, given ? &cost : NULL));
}

static const char *required_dims(kci_call *c, int index, const char *argument)
{
    const char *dims = kci_dims(c, index, argument);
    if (dims == NULL)
        kci_error(c, "%s is nothing, and the name of a dim is wanted", argument);
    return dims;
}

static int language_reduce(lua_State *L)
{
    static const char *const known[] = {"size"};
    kci_call c = kci_begin(L, "reduce", 4);
    kc_cost cost;
    bool given;
    const char *what = read_cost(&c, 1, &cost, &given);
    kc_value *a = kci_value(&c, 2, "a");
    const char *over = required_dims(&c, 3, "over");
    kci_options(&c, 4, "opts", known, COUNT(known));
    kci_sizes sizes = kci_read_sizes(&c, kci_option(&c, 4, "size"), "opts.size", false);
    KCI_RETURN(&c, kc_reduce(what, a, over, sizes.items, sizes.count,
                             given ? &cost : NULL));
}

static int language_scan(lua_State *L)
{
    kci_call c = kci_begin(L, "scan", 3);
    kc_cost cost;
    bool given;
    const char *what = read_cost(&c, 1, &cost, &given);
    kc_value *a = kci_value(&c, 2, "a");
    const char *over = required_dims(&c, 3, "over");
    KCI_RETURN(&c, kc_scan(what, a, over, given ? &cost : NULL));
}

static int language_softmax(lua_State *L)
{
    static const char *const known[] = {"online"};
    kci_call c = kci_begin(L, "softmax", 3);
    kc_value *a = kci_value(&c, 1, "a");
    const char *over = required_dims(&c, 2, "over");
    kci_options(&c, 3, "opts", known, COUNT(known));
    int at = kci_option(&c, 3, "online");
    bool online = kci_absent(&c, at) ? false : kci_boolean(&c, at, "opts.online");
    KCI_RETURN(&c, kc_softmax(a, over, online));
}

static int language_lse(lua_State *L)
{
    kci_call c = kci_begin(L, "lse", 1);
    kc_value *probabilities = kci_value(&c, 1, "p");
    KCI_RETURN(&c, kc_lse(probabilities));
}

static int language_mask(lua_State *L)
{
    static const char *const known[] = {"lo", "hi"};
    kci_call c = kci_begin(L, "mask", 4);
    kc_value *a = kci_value(&c, 1, "a");
    const char *q = kci_string(&c, 2, "q"), *k = kci_string(&c, 3, "k");
    kci_options(&c, 4, "opts", known, COUNT(known));
    int lo_at = kci_option(&c, 4, "lo"), hi_at = kci_option(&c, 4, "hi");
    if (kci_absent(&c, lo_at) && kci_absent(&c, hi_at))
        return kci_error(&c,
                         "opts has neither lo nor hi, and at least one bound of k - q is wanted");
    double lo = kci_absent(&c, lo_at) ? -HUGE_VAL : kci_number(&c, lo_at, "opts.lo");
    double hi = kci_absent(&c, hi_at) ? HUGE_VAL : kci_number(&c, hi_at, "opts.hi");
    KCI_RETURN(&c, kc_mask(a, q, k, lo, hi));
}

static int language_causal(lua_State *L)
{
    kci_call c = kci_begin(L, "causal", 3);
    kc_value *a = kci_value(&c, 1, "a");
    const char *q = kci_string(&c, 2, "q"), *k = kci_string(&c, 3, "k");
    KCI_RETURN(&c, kc_causal(a, q, k));
}

static int language_cast(lua_State *L)
{
    kci_call c = kci_begin(L, "cast", 2);
    kc_value *a = kci_value(&c, 1, "a");
    if (kci_absent(&c, 2))
        return kci_error(&c, "dtype is nothing, and a dtype is wanted, such as \"f16\"");
    kc_dtype *dtype = kci_dtype(&c, 2, "dtype");
    KCI_RETURN(&c, kc_cast(a, dtype));
}

/* A figure of a dtype: absent is `otherwise`. */
static double dtype_figure(kci_call *c, const char *name, double otherwise)
{
    int at = kci_option(c, 1, name);
    return kci_absent(c, at) ? otherwise : kci_number(c, at, name);
}

/* dtype{ name = …, bits = 4, block = 64, scale_bits = 16, zero_bits = 4, math = "f16" } */
static int language_dtype(lua_State *L)
{
    static const char *const known[] = {"name", "bits", "block", "scale_bits", "zero_bits", "math"};
    kci_call c = kci_begin(L, "dtype", 1);
    if (lua_type(L, 1) != LUA_TTABLE) {
        if (kci_dtype(&c, 1, "dtype") == NULL)
            return kci_error(
                &c, "dtype is nothing, and a table { name = \"mine\", bits = 4 } is wanted");
        return 1; /* itself, or the one that the name stands for */
    }
    kci_options(&c, 1, "dtype", known, COUNT(known));
    const char *name = kci_string(&c, kci_option(&c, 1, "name"), "name");
    double bits = kci_number(&c, kci_option(&c, 1, "bits"), "bits");
    double block = dtype_figure(&c, "block", 0), scale_bits = dtype_figure(&c, "scale_bits", 0),
           zero_bits = dtype_figure(&c, "zero_bits", 0);
    int at = kci_option(&c, 1, "math");
    const char *math = kci_absent(&c, at) ? NULL : dtype_name(&c, at, "math");
    KCI_RETURN(&c, kc_dtype_new(c.state->context, name, bits, block, scale_bits, zero_bits, math));
}

const luaL_Reg kci_language_calls[] = {
    {"tensor", language_tensor}, {"read", language_read},
    {"write", language_write},   {"matmul", language_matmul},
    {"map", language_map},       {"reduce", language_reduce},
    {"scan", language_scan},     {"softmax", language_softmax},
    {"lse", language_lse},       {"mask", language_mask},
    {"causal", language_causal}, {"cast", language_cast},
    {"dtype", language_dtype},   {NULL, NULL},
};
