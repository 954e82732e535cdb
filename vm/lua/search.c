/* search.c: kc.best: the fastest schedule, of a tuned library's or of a space; kc.fuse_all: the kernels of a program
 * fused where it pays; kc.ski_slope: the least traffic for each capacity.  Design, section 2.3. */
#include "binding.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What kc.sweep takes in its table and kc.best does not. */
static const struct { const char *name, *instead; } elsewhere[] = {
    {"kernel", "x is the first argument"},
    {"device", "the device is the second argument"},
    {"l2", "options are the fourth argument"},
    {"cache", "options are the fourth argument"},
    {"launch", "options are the fourth argument"},
    {"keep", "the fastest point is kept"},
    {"fields", "the result has all of them"},
    {"shard", "a search has no parts"},
    {"threads", "a search runs in one thread"},
};

static void refuse_options(kci_call *c, int table)
{
    for (size_t i = 0; i < COUNT(elsewhere); i++)
        if (!kci_absent(c, kci_option(c, table, elsewhere[i].name)))
            kci_error(c, "space has '%s', and %s", elsewhere[i].name, elsewhere[i].instead);
}

static int push_space(kci_call *c, kc_object *x)
{
    KCI_RETURN(c, kc_space_new(x));
}

/* `where` alone says of which points, and not which there are. */
static void want_axes(kci_call *c, int space)
{
    lua_State *L = c->L;
    bool axes = false;
    lua_pushnil(L);
    while (lua_next(L, space)) {
        lua_pop(L, 1);
        axes = axes || lua_type(L, -1) != LUA_TSTRING || strcmp(lua_tostring(L, -1), "where") != 0;
    }
    if (!axes)
        kci_error(c, "space has no axes to choose from: tile = { i = { 64, 128 } }, stages = { 2, 3 }, say; without a space "
                     "the schedules of a tuned library are tried");
}

static int best_of_space(kci_call *c, kc_object *x, kc_device *device, const kc_options *options)
{
    static const char *const known[] = {"where"};
    lua_State *L = c->L;
    if (lua_type(L, 3) != LUA_TTABLE)
        return kci_error(c, "space is %s, and a table of axes is wanted: { tile = { i = { 64, 128 } }, stages = { 2, 3 } }",
                         kci_push_described(L, c->state, 3));
    refuse_options(c, 3);
    want_axes(c, 3);
    push_space(c, x);
    kc_space *space = (kc_space *)kci_object_at(L, c->state, -1);
    kci_filter filter = {.L = L};
    KCI_DO(c, kc_space_device(space, device));
    kci_read_axes(c, space, 3, known, COUNT(known));
    kci_read_where(c, space, 3, &filter);
    KCI_DO(c, kc_space_options(space, options));
    kci_box *box = kci_box_push(L, c->state);
    kc_result *found = kc_space_best(space, kci_watch_sweep, c->state);
    if (found == NULL && kci_try_again(c))
        found = kc_space_best(space, kci_watch_sweep, c->state);
    if (found == NULL)
        return kci_space_failed(c, &filter);
    kci_box_fill(L, c->state, box, found);
    kci_not_over(L, c->state); /* a limit may have ended it */
    return 1;
}

/* best(x, device [, space [, opts]]) */
static int search_best(lua_State *L)
{
    kci_call c = kci_begin(L, "best", 4);
    kc_object *x = kci_kernel_like(&c, 1, "x", true);
    kc_device *device = kci_device(&c, 2, "device");
    kc_options *options = kci_read_options(&c, 4);
    if (!kci_absent(&c, 3))
        return best_of_space(&c, x, device, options);
    KCI_RETURN(&c, kc_best(x, device, options));
}

/* fuse_all(program, device [, opts]) */
static int search_fuse_all(lua_State *L)
{
    kci_call c = kci_begin(L, "fuse_all", 3);
    kc_object *program = kci_kernel_like(&c, 1, "program", true);
    if (kc_object_kind(program) != KC_PROGRAM)
        return kci_error(&c, "program is %s, and a program is wanted: kc.program(\"name\", { … })",
                         kci_push_described(L, c.state, 1));
    kc_device *device = kci_device(&c, 2, "device");
    kc_options *options = kci_read_options_and_save(&c, 3);
    kci_names save = kci_read_names(&c, kci_option(&c, 3, "save"), "opts.save");
    KCI_RETURN(&c, kc_fuse_all(program, device, save.items, save.count, options));
}

/* ski_slope(kernel) */
static int search_ski_slope(lua_State *L)
{
    kci_call c = kci_begin(L, "ski_slope", 1);
    kc_object *kernel = kci_kernel_like(&c, 1, "kernel", false);
    KCI_RETURN(&c, kc_ski_slope(kernel));
}

const luaL_Reg kci_search_calls[] = {{"best", search_best}, {"fuse_all", search_fuse_all},
                                     {"ski_slope", search_ski_slope}, {NULL, NULL}};
