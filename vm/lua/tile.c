/* tile.c: kc.tile: a schedule out of its table: design, section 4. */
#include "binding.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int push_schedule(kci_call *c)
{
    KCI_RETURN(c, kc_schedule_new(c->state->context));
}

/* Pushes "opts.stages of 'K'" for messages. */
static const char *push_label(kci_call *c, const char *option, const char *key)
{
    lua_pushfstring(c->L, "opts.%s of '%s'", option, key);
    return lua_tostring(c->L, -1);
}

/* Calls `set` for each entry of the table at `index`, by sorted name; the
 * entry's value is at the top and the label under it. */
typedef void (*set_entry)(kci_call *c, kc_schedule *s, const char *key, const char *label);
static void each_entry(kci_call *c, int index, const char *option, kc_schedule *s, set_entry set)
{
    lua_State *L = c->L;
    lua_pushfstring(L, "opts.%s", option);
    const char *argument = lua_tostring(L, -1);
    int top = lua_gettop(L);
    size_t count = kci_push_sorted_keys(c, index, argument);
    int keys = lua_gettop(L);
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(L, keys, (int)i);
        const char *key = lua_tostring(L, -1);
        const char *label = push_label(c, option, key);
        lua_pushvalue(L, -2);
        lua_rawget(L, index);
        set(c, s, key, label);
        lua_settop(L, keys);
    }
    lua_settop(L, top - 1);
}

static void set_stages(kci_call *c, kc_schedule *s, const char *key, const char *label)
{
    double n = kci_whole(c, -1, label, 1);
    KCI_DO(c, kc_schedule_stages(s, key, n));
}

/* { k = 4 }, or { k = "stream" }: stream-K, which the model knows as 0. */
static void set_split(kci_call *c, kc_schedule *s, const char *key, const char *label)
{
    double n = 0;
    if (lua_type(c->L, -1) != LUA_TSTRING)
        n = kci_whole(c, -1, label, 1);
    else if (strcmp(lua_tostring(c->L, -1), "stream") != 0)
        kci_error(c, "%s is %s, and a whole number or \"stream\" is wanted", label,
                  kci_push_described(c->L, c->state, -1));
    KCI_DO(c, kc_schedule_split(s, key, n));
}

static void set_place(kci_call *c, kc_schedule *s, const char *key, const char *label)
{
    const char *where = kci_string(c, -1, label);
    KCI_DO(c, kc_schedule_place(s, key, where));
}

static void set_cluster(kci_call *c, kc_schedule *s, const char *key, const char *label)
{
    double n = kci_whole(c, -1, label, 1);
    KCI_DO(c, kc_schedule_cluster(s, key, n));
}

/* { "n", "m", group = 8 } */
static void set_raster(kci_call *c, kc_schedule *s, int index)
{
    lua_State *L = c->L;
    double group = 1;
    if (lua_type(L, index) == LUA_TTABLE) {
        lua_pushnil(L);
        while (lua_next(L, index)) {
            lua_pop(L, 1);
            if (lua_type(L, -1) != LUA_TNUMBER &&
                !(lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), "group") == 0))
                kci_error(c, "opts.raster has the key %s, and dims and group are wanted",
                          kci_push_described(L, c->state, -1));
        }
        int at = kci_option(c, index, "group");
        if (!kci_absent(c, at))
            group = kci_whole(c, at, "opts.raster.group", 1);
    }
    const char *dims = kci_dims(c, index, "opts.raster");
    KCI_DO(c, kc_schedule_raster(s, dims, group));
}

static void set_hold(kci_call *c, kc_schedule *s, int index)
{
    kci_names names = {NULL, 0};
    if (lua_type(c->L, index) == LUA_TSTRING)
        kci_error(c, "opts.hold is %s, and a list of tensors' names is wanted",
                  kci_push_described(c->L, c->state, index));
    names = kci_read_names(c, index, "opts.hold");
    for (size_t i = 0; i < names.count; i++)
        KCI_DO(c, kc_schedule_hold(s, names.items[i]));
}

static void set_text(kci_call *c, kc_schedule *s, int options, const char *name,
                     kc_status (*set)(kc_schedule *, const char *))
{
    int at = kci_option(c, options, name);
    if (kci_absent(c, at))
        return;
    lua_pushfstring(c->L, "opts.%s", name);
    const char *text = kci_string(c, at, lua_tostring(c->L, -1));
    KCI_DO(c, set(s, text));
}

static void set_dims(kci_call *c, kc_schedule *s, int options, const char *name,
                     kc_status (*set)(kc_schedule *, const char *))
{
    int at = kci_option(c, options, name);
    if (kci_absent(c, at))
        return;
    lua_pushfstring(c->L, "opts.%s", name);
    const char *dims = kci_dims(c, at, lua_tostring(c->L, -1));
    KCI_DO(c, set(s, dims));
}

static void set_whole(kci_call *c, kc_schedule *s, int options, const char *name,
                      kc_status (*set)(kc_schedule *, double))
{
    int at = kci_option(c, options, name);
    if (kci_absent(c, at))
        return;
    lua_pushfstring(c->L, "opts.%s", name);
    double n = kci_whole(c, at, lua_tostring(c->L, -1), 1);
    KCI_DO(c, set(s, n));
}

static kc_status set_all_stages(kc_schedule *s, double n)
{
    return kc_schedule_stages(s, NULL, n);
}

static void read_schedule(kci_call *c, kc_schedule *s, int options)
{
    static const struct {
        const char *name;
        set_entry set;
    } tables[] = {{"split", set_split},
                  {"place", set_place},
                  {"cluster", set_cluster},
                  {"stages", set_stages}};
    lua_State *L = c->L;

    set_dims(c, s, options, "grid", kc_schedule_grid);
    set_dims(c, s, options, "order", kc_schedule_order);
    for (size_t i = 0; i < COUNT(tables); i++) {
        int at = kci_option(c, options, tables[i].name);
        if (lua_type(L, at) == LUA_TTABLE)
            each_entry(c, at, tables[i].name, s, tables[i].set);
        else if (!kci_absent(c, at) && tables[i].set != set_stages)
            kci_error(c, "opts.%s is %s, and a table { name = value } is wanted", tables[i].name,
                      kci_push_described(L, c->state, at));
        else if (!kci_absent(c, at))
            set_whole(c, s, options, "stages", set_all_stages);
    }
    set_whole(c, s, options, "warps", kc_schedule_warps);
    set_text(c, s, options, "combine", kc_schedule_combine);
    int at = kci_option(c, options, "hold");
    if (!kci_absent(c, at))
        set_hold(c, s, at);
    at = kci_option(c, options, "raster");
    if (!kci_absent(c, at))
        set_raster(c, s, at);
    at = kci_option(c, options, "persistent");
    if (!kci_absent(c, at)) {
        bool on = kci_boolean(c, at, "opts.persistent");
        KCI_DO(c, kc_schedule_persistent(s, on));
    }
    set_whole(c, s, options, "vector", kc_schedule_vector);
    set_whole(c, s, options, "threads", kc_schedule_threads);
    set_text(c, s, options, "path", kc_schedule_path);
    set_text(c, s, options, "overlap", kc_schedule_overlap);
}

/* tile(kernel, sizes [, opts]) */
static int tile_tile(lua_State *L)
{
    static const char *const known[] = {"grid",       "order",  "stages",  "warps",  "split",
                                        "combine",    "hold",   "place",   "raster", "cluster",
                                        "persistent", "vector", "threads", "path",   "overlap"};
    kci_call c = kci_begin(L, "tile", 3);
    kc_object *kernel = kci_kernel_like(&c, 1, "kernel", false);
    if (kci_absent(&c, 2))
        return kci_error(&c, "sizes is nothing, and a table { dim = tile } is wanted");
    kci_sizes sizes = kci_read_sizes(&c, 2, "tile", false);
    kci_options(&c, 3, "opts", known, COUNT(known));
    push_schedule(&c);
    kc_schedule *schedule = (kc_schedule *)kci_object_at(L, c.state, -1);
    for (size_t i = 0; i < sizes.count; i++)
        KCI_DO(&c, kc_schedule_tile(schedule, sizes.items[i].dim, sizes.items[i].size));
    read_schedule(&c, schedule, 3);
    KCI_RETURN(&c, kc_tile(kernel, schedule));
}

const luaL_Reg kci_tile_calls[] = {{"tile", tile_tile}, {NULL, NULL}};
