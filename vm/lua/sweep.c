/* sweep.c: kc.sweep, kc.range, kc.pow2: design, section 7. */
#include "binding.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- kc.range, kc.pow2 -------------------------------------------------------------- */

enum { MOST_VALUES = 1000000 };

static double finite_number(kci_call *c, int index, const char *argument)
{
    double number = kci_number(c, index, argument);
    if (!isfinite(number))
        kci_error(c, "%s is %s, and a finite number is wanted", argument, kci_push_described(c->L, c->state, index));
    return number;
}

/* range(from, to [, step]) */
static int sweep_range(lua_State *L)
{
    kci_call c = kci_begin(L, "range", 3);
    if (kci_absent(&c, 3)) {
        lua_pushinteger(L, 1);
        lua_replace(L, 3);
    }
    double from = finite_number(&c, 1, "from"), to = finite_number(&c, 2, "to"), step = finite_number(&c, 3, "step");
    if (step == 0 || (to - from) / step < 0)
        return kci_error(&c, "step is %s, and from there `to` is never reached", kci_push_described(L, c.state, 3));
    double count = floor((to - from) / step * (1 + 1e-15)) + 1;
    if (!(count <= MOST_VALUES))
        return kci_error(&c, "this gives more than 10^6 values");
    lua_newtable(L); /* grows: under a limit no table begins large */
    for (int i = 0; i < (int)count; i++) {
        lua_pushnumber(L, from + i * step);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* pow2(from, to): the powers of two between them, both included */
static int sweep_pow2(lua_State *L)
{
    kci_call c = kci_begin(L, "pow2", 2);
    double from = kci_whole(&c, 1, "from", 1), to = kci_whole(&c, 2, "to", 1), power = 1;
    while (power < from)
        power *= 2;
    if (power > to)
        return kci_error(&c, "there is no power of two from %s to %s", kci_push_described(L, c.state, 1), kci_push_described(L, c.state, 2));
    lua_newtable(L);
    for (int i = 1; power <= to; power *= 2, i++) {
        lua_pushnumber(L, power);
        lua_rawseti(L, -2, i);
    }
    return 1;
}

/* ---- axes ---------------------------------------------------------------------------------- */

/* One value of an axis, at the top: whatever the axis may not be is said by the model. */
static void add_value(kci_call *c, kc_space *space, const char *axis, const char *label)
{
    lua_State *L = c->L;
    kc_object *object = kci_object_at(L, c->state, -1);
    if (strcmp(axis, "device") == 0) { /* a name may be that of a file on KCOST_PATH */
        kc_device *device = kci_device(c, lua_gettop(L), label);
        KCI_DO(c, kc_space_device(space, device));
    } else if (object != NULL && kc_object_kind(object) == KC_DTYPE && strncmp(axis, "dtype.", 6) == 0) {
        KCI_DO(c, kc_space_dtype(space, axis + 6, (kc_dtype *)object));
    } else if (lua_type(L, -1) == LUA_TNUMBER) {
        double number = kci_number(c, -1, label);
        KCI_DO(c, kc_space_numbers(space, axis, &number, 1));
    } else if (lua_type(L, -1) == LUA_TSTRING) {
        const char *text = kci_string(c, -1, label);
        KCI_DO(c, kc_space_texts(space, axis, &text, 1));
    } else {
        kci_error(c, "%s is %s, and a number or a name is wanted", label, kci_push_described(L, c->state, -1));
    }
}

/* The values of an axis, at the top: a list, or one alone. */
static void add_values(kci_call *c, kc_space *space, const char *axis)
{
    lua_State *L = c->L;
    int values = lua_gettop(L);
    luaL_checkstack(L, 16, NULL);
    if (lua_type(L, values) != LUA_TTABLE) {
        add_value(c, space, axis, axis);
        return;
    }
    size_t count = kci_list_length(c, values, axis);
    if (count == 0)
        KCI_DO(c, kc_space_numbers(space, axis, NULL, 0));
    for (size_t i = 1; i <= count; i++) {
        lua_pushfstring(L, "%s[%d]", axis, (int)i);
        lua_rawgeti(L, values, (int)i);
        add_value(c, space, axis, lua_tostring(L, values + 1));
        lua_settop(L, values);
    }
}

/* tile = { i = { … }, ["j k"] = { … } } */
static void add_named(kci_call *c, kc_space *space, const char *kind)
{
    lua_State *L = c->L;
    int table = lua_gettop(L);
    if (lua_type(L, table) != LUA_TTABLE)
        kci_error(c, "%s is %s, and values by name are wanted, as in %s = { %s = { ... } }", kind,
                  kci_push_described(L, c->state, table), kind, strcmp(kind, "dtype") == 0 ? "Q" : "i");
    size_t count = kci_push_sorted_keys(c, table, kind);
    int keys = lua_gettop(L);
    if (count == 0)
        kci_error(c, "%s is empty; leave it out, or give values by name", kind);
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(L, keys, (int)i);
        lua_pushfstring(L, "%s.%s", kind, lua_tostring(L, -1));
        lua_pushvalue(L, keys + 1);
        lua_rawget(L, table);
        add_values(c, space, lua_tostring(L, keys + 2));
        lua_settop(L, keys);
    }
}

/* ---- options --------------------------------------------------------------------------------- */

static int push_options(kci_call *c)
{
    KCI_RETURN(c, kc_options_new(c->state->context));
}

/* What a figure of keep, or the field of a list, is called; the text stays on the stack. */
static const char *field_at(kci_call *c, int index, const char *argument)
{
    return kci_string(c, index, argument);
}

static void set_pareto(kci_call *c, kc_space *space, int index)
{
    kci_names names = kci_read_names(c, index, "keep.pareto");
    KCI_DO(c, kc_space_pareto(space, names.items, names.count));
}

/* "all", { top = 20, by = "time" }, { pareto = { … } }, { best_per = "size", by = "time" } */
static void set_keep(kci_call *c, kc_space *space, int index)
{
    static const char *const known[] = {"top", "by", "pareto", "best_per"};
    lua_State *L = c->L;
    if (lua_type(L, index) == LUA_TSTRING && strcmp(lua_tostring(L, index), "all") == 0)
        return;
    if (lua_type(L, index) != LUA_TTABLE)
        kci_error(c, "keep is %s, and \"all\", { top = 20, by = \"time\" }, { pareto = { \"time\", \"smem\" } } or "
                     "{ best_per = \"size\" } is wanted", kci_push_described(L, c->state, index));
    kci_options(c, index, "keep", known, COUNT(known));
    int top = kci_option(c, index, "top"), by = kci_option(c, index, "by");
    int pareto = kci_option(c, index, "pareto"), per = kci_option(c, index, "best_per");
    if (!kci_absent(c, top) + !kci_absent(c, pareto) + !kci_absent(c, per) != 1)
        kci_error(c, "keep needs one of top, pareto and best_per");
    const char *field = kci_absent(c, by) ? "time" : field_at(c, by, "keep.by");
    if (!kci_absent(c, top)) {
        double n = kci_whole(c, top, "keep.top", 1);
        KCI_DO(c, kc_space_top(space, n, field));
    } else if (!kci_absent(c, per)) {
        const char *axis = kci_dims(c, per, "keep.best_per");
        KCI_DO(c, kc_space_best_per(space, axis, field));
    } else if (!kci_absent(c, by)) {
        kci_error(c, "keep.by goes with top and best_per; pareto names its fields itself");
    } else {
        set_pareto(c, space, pareto);
    }
}

static void set_fields(kci_call *c, kc_space *space, int index)
{
    if (lua_type(c->L, index) == LUA_TSTRING)
        kci_error(c, "fields is %s, and a list of fields is wanted", kci_push_described(c->L, c->state, index));
    kci_names names = kci_read_names(c, index, "fields");
    if (names.count == 0)
        kci_error(c, "fields is empty; leave it out for the usual ones");
    for (size_t i = 0; i < names.count; i++)
        KCI_DO(c, kc_space_field(space, names.items[i]));
}

/* { 3, 16 } */
static void set_shard(kci_call *c, kc_space *space, int index)
{
    lua_State *L = c->L;
    if (lua_type(L, index) != LUA_TTABLE || kci_list_length(c, index, "shard") != 2)
        kci_error(c, "shard is %s, and { part, parts } is wanted, as in { 3, 16 }", kci_push_described(L, c->state, index));
    lua_rawgeti(L, index, 1);
    lua_rawgeti(L, index, 2);
    double part = kci_whole(c, -2, "shard[1]", 1), parts = kci_whole(c, -1, "shard[2]", 1);
    if (parts > 1e6)
        kci_error(c, "shard[2] is %s, and at most 10^6 parts are allowed", kci_push_described(L, c->state, -1));
    KCI_DO(c, kc_space_shard(space, (unsigned)part, (unsigned)parts));
}

/* What evaluate takes. */
static void set_options(kci_call *c, kc_space *space, int table)
{
    static const char *const names[] = {"l2", "cache", "launch"};
    lua_State *L = c->L;
    push_options(c);
    kc_options *options = (kc_options *)kci_object_at(L, c->state, -1);
    for (size_t i = 0; i < COUNT(names); i++) {
        int at = kci_option(c, table, names[i]);
        if (kci_absent(c, at))
            continue;
        kci_set_option(c, options, names[i], at);
        lua_settop(L, at);
    }
    KCI_DO(c, kc_space_options(space, options));
}

/* ---- where, as a function ---------------------------------------------------------------------- */

/* The point's table at the top gets what its columns say. */
static void fill_point(lua_State *L, const kc_point *point)
{
    const char *name;
    for (size_t i = 0; (name = kc_point_name(point, i)) != NULL; i++) {
        double number;
        const char *text = kc_point_text(point, name);
        if (text != NULL)
            lua_pushstring(L, text);
        else if (kc_point_number(point, name, &number) == KC_OK)
            lua_pushnumber(L, number);
        else
            continue;
        kci_put_column(L, name);
    }
}

/* Protected: an error must not jump over the model. */
static int call_filter(lua_State *L)
{
    const kci_filter *f = lua_touserdata(L, 2);
    lua_settop(L, 1);
    luaL_checkstack(L, 16, NULL);
    lua_createtable(L, 0, 48);
    fill_point(L, f->point);
    lua_call(L, 1, 1);
    return 1;
}

/* What is outside of the protected call asks for no memory. */
static int run_filter(void *data, const kc_point *point)
{
    kci_filter *f = data;
    lua_State *L = f->L;
    int top = lua_gettop(L);
    f->point = point;
    for (int i = 0; i < 3; i++)
        lua_pushvalue(L, f->call + i);
    bool good = lua_pcall(L, 2, 1, 0) == 0;
    int answer = good ? lua_toboolean(L, -1) : -1;
    if (!good)
        lua_replace(L, f->error);
    lua_settop(L, top);
    return answer;
}

int kci_space_failed(kci_call *c, const kci_filter *f)
{
    lua_State *L = c->L;
    if (!f->error || kc_context_status(c->state->context) != KC_ESCRIPT)
        return kci_model_error(c);
    if (kci_is_memory_error(L, f->error))
        kci_no_memory(L);
    const char *said = lua_tostring(L, f->error), *message = kc_context_message(c->state->context);
    const char *at = strchr(message, ':');
    if (said == NULL)
        said = "its error is no text";
    return kci_error(c, "%s: %s", at != NULL ? at + 2 : message, said);
}

/* ---- kc.sweep ------------------------------------------------------------------------------------ */

static int push_space(kci_call *c, kc_object *x)
{
    KCI_RETURN(c, kc_space_new(x));
}

static const char *const plain[] = {"device", "stages", "warps", "group", "order"};
static const char *const named[] = {"tile", "size", "split", "dtype"};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Names beside those of a device's figures. */
static void unknown_name(kci_call *c, const char *name, const char *const *options, size_t count)
{
    enum { MOST = 32 };
    const char *names[MOST];
    size_t known = 0;
    for (size_t i = 0; i < COUNT(plain); i++)
        names[known++] = plain[i];
    for (size_t i = 0; i < COUNT(named); i++)
        names[known++] = named[i];
    for (size_t i = 0; i < count && known < MOST; i++)
        names[known++] = options[i];
    const char *nearest = kci_push_nearest(c->L, name, names, known);
    if (nearest[0] != '\0')
        kci_error(c, "there is no axis and no option '%s'%s", name, nearest);
    lua_pop(c->L, 1);
}

void kci_read_axes(kci_call *c, kc_space *space, int table, const char *const *options, size_t count)
{
    lua_State *L = c->L;
    size_t names = kci_push_sorted_keys(c, table, "the table");
    int keys = lua_gettop(L);
    for (size_t i = 1; i <= names; i++) {
        lua_rawgeti(L, keys, (int)i);
        const char *name = lua_tostring(L, -1);
        lua_pushvalue(L, -1);
        lua_rawget(L, table);
        if (is_one_of(name, named, COUNT(named)))
            add_named(c, space, name);
        else if (!is_one_of(name, options, count)) {
            if (!is_one_of(name, plain, COUNT(plain)) && strchr(name, '.') == NULL)
                unknown_name(c, name, options, count);
            add_values(c, space, name);
        }
        lua_settop(L, keys);
    }
}

static kc_object *read_kernel(kci_call *c)
{
    if (lua_type(c->L, 1) != LUA_TTABLE)
        kci_error(c, "call it as kc.sweep{ kernel = k, tile = { i = { 64, 128 } }, device = \"h100-sxm5\" }");
    return kci_kernel_like(c, kci_option(c, 1, "kernel"), "kernel", true);
}

void kci_read_where(kci_call *c, kc_space *space, int table, kci_filter *f)
{
    lua_State *L = c->L;
    int at = kci_option(c, table, "where");
    if (lua_type(L, at) == LUA_TFUNCTION) {
        kci_not_deep(L, c->state);
        luaL_checkstack(L, 16, NULL);
        lua_pushnil(L);
        f->error = lua_gettop(L);
        f->call = f->error + 1;
        lua_pushcfunction(L, call_filter);
        lua_pushvalue(L, at);
        lua_pushlightuserdata(L, f);
        KCI_DO(c, kc_space_filter(space, run_filter, f));
    } else if (!kci_absent(c, at)) {
        if (lua_type(L, at) != LUA_TSTRING)
            kci_error(c, "where is %s, and an expression, \"smem <= 100*1024\", or a function of a row is wanted",
                      kci_push_described(L, c->state, at));
        const char *text = kci_string(c, at, "where");
        KCI_DO(c, kc_space_where(space, text));
    }
}

static void read_options(kci_call *c, kc_space *space)
{
    int at = kci_option(c, 1, "keep");
    if (!kci_absent(c, at))
        set_keep(c, space, at);
    at = kci_option(c, 1, "fields");
    if (!kci_absent(c, at))
        set_fields(c, space, at);
    at = kci_option(c, 1, "shard");
    if (!kci_absent(c, at))
        set_shard(c, space, at);
    else if (c->state->parts > 1)
        KCI_DO(c, kc_space_shard(space, c->state->part, c->state->parts));
    set_options(c, space, 1);
}

/* 0: one a core.  In a sandbox no more than the host said. */
static unsigned threads_of(kci_call *c)
{
    int at = kci_option(c, 1, "threads");
    double given = c->state->threads, asked = kci_absent(c, at) ? given : kci_whole(c, at, "threads", 1);
    if (c->state->vm && !c->state->trusted && given > 0 && asked > given)
        asked = given;
    return asked < 1e6 ? (unsigned)asked : 1000000u;
}

static kc_sweep *run_sweep(const kci_call *c, kc_space *space, unsigned threads)
{
    return kc_space_sweep(space, threads, kci_watch_sweep, c->state);
}

/* Options that are no axes. */
static const char *const options[] = {"kernel", "where", "keep", "fields", "threads", "shard", "l2", "cache", "launch"};

/* sweep{ kernel = …, axes, where, keep, fields, threads, shard, l2, cache, launch } */
static int sweep_sweep(lua_State *L)
{
    kci_call c = kci_begin(L, "sweep", 1);
    kci_filter f = {.L = L};
    push_space(&c, read_kernel(&c));
    kc_space *space = (kc_space *)kci_object_at(L, c.state, -1);
    kci_read_axes(&c, space, 1, options, COUNT(options));
    kci_read_where(&c, space, 1, &f);
    read_options(&c, space);
    unsigned threads = threads_of(&c);
    kci_box *box = kci_box_push(L, c.state);
    kc_sweep *sweep = run_sweep(&c, space, threads);
    if (sweep == NULL && kci_try_again(&c))
        sweep = run_sweep(&c, space, threads);
    if (sweep == NULL)
        return kci_space_failed(&c, &f);
    kci_box_fill(L, c.state, box, sweep);
    kci_not_over(L, c.state); /* a limit may have ended it */
    return 1;
}

const luaL_Reg kci_sweep_calls[] = {
    {"sweep", sweep_sweep}, {"range", sweep_range}, {"pow2", sweep_pow2}, {NULL, NULL}};
