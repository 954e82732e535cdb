/* kernels.c: the calls that make kernels and programs, and change their sizes and names. */
#include "binding.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void *pick_tensor(kci_call *c, int index, const char *argument)
{
    return kci_tensor(c, index, argument);
}

static void *pick_kernel(kci_call *c, int index, const char *argument)
{
    return kci_kernel_like(c, index, argument, false);
}

static void *pick_part(kci_call *c, int index, const char *argument)
{
    return kci_kernel_like(c, index, argument, true);
}

static int kernels_kernel(lua_State *L)
{
    kci_call c = kci_begin(L, "kernel", 2);
    const char *name = kci_string(&c, 1, "name");
    kci_handles tensors = kci_read_handles(&c, 2, "tensors", pick_tensor);
    KCI_RETURN(&c, kc_kernel_new(c.state->context, name, (kc_tensor *const *)tensors.items,
                                 tensors.count));
}

static int kernels_program(lua_State *L)
{
    kci_call c = kci_begin(L, "program", 2);
    const char *name = kci_string(&c, 1, "name");
    kci_handles parts = kci_read_handles(&c, 2, "parts", pick_part);
    KCI_RETURN(
        &c, kc_program_new(c.state->context, name, (kc_object *const *)parts.items, parts.count));
}

static int kernels_beside(lua_State *L)
{
    kci_call c = kci_begin(L, "beside", 2);
    const char *name = kci_string(&c, 1, "name");
    kci_handles parts = kci_read_handles(&c, 2, "parts", pick_part);
    KCI_RETURN(&c, kc_beside(c.state->context, name, (kc_object *const *)parts.items, parts.count));
}

static const char *optional_string(kci_call *c, const char *option, const char *argument)
{
    int at = kci_option(c, 3, option);
    return kci_absent(c, at) ? NULL : kci_string(c, at, argument);
}

/* comm(what, tensor, { ranks = 8 }) */
static int kernels_comm(lua_State *L)
{
    static const char *const known[] = {"ranks", "over", "algorithm", "name"};
    kci_call c = kci_begin(L, "comm", 3);
    const char *what = kci_string(&c, 1, "what");
    kc_tensor *tensor = kci_tensor(&c, 2, "tensor");
    kci_options(&c, 3, "opts", known, COUNT(known));
    int at = kci_option(&c, 3, "ranks");
    if (kci_absent(&c, at))
        return kci_error(&c, "opts.ranks is nothing, and a number of devices is wanted");
    double ranks = kci_whole(&c, at, "opts.ranks", 1);
    const char *over = optional_string(&c, "over", "opts.over");
    const char *algorithm = optional_string(&c, "algorithm", "opts.algorithm");
    const char *name = optional_string(&c, "name", "opts.name");
    KCI_RETURN(&c, kc_comm(what, tensor, ranks, over, algorithm, name));
}

static int kernels_times(lua_State *L)
{
    kci_call c = kci_begin(L, "times", 2);
    kc_object *part = kci_kernel_like(&c, 1, "x", true);
    double n = kci_whole(&c, 2, "n", 1);
    KCI_RETURN(&c, kc_times(part, n));
}

static int kernels_group(lua_State *L)
{
    kci_call c = kci_begin(L, "group", 2);
    const char *name = kci_string(&c, 1, "name");
    kci_handles parts = kci_read_handles(&c, 2, "kernels", pick_kernel);
    KCI_RETURN(&c, kc_group(c.state->context, name, (kc_object *const *)parts.items, parts.count));
}

static int kernels_fuse(lua_State *L)
{
    static const char *const known[] = {"save"};
    kci_call c = kci_begin(L, "fuse", 3);
    const char *name = kci_string(&c, 1, "name");
    kci_handles parts = kci_read_handles(&c, 2, "kernels", pick_kernel);
    kci_options(&c, 3, "opts", known, COUNT(known));
    kci_names save = kci_read_names(&c, kci_option(&c, 3, "save"), "opts.save");
    KCI_RETURN(&c, kc_fuse(c.state->context, name, (kc_object *const *)parts.items, parts.count,
                           save.items, save.count));
}

/* Tensors, kernels and programs; a value has no figures of its own to change. */
static kc_object *whole_thing(kci_call *c)
{
    return kci_kernel_like(c, 1, "x", true);
}

static int kernels_resize(lua_State *L)
{
    kci_call c = kci_begin(L, "resize", 2);
    kc_object *object = whole_thing(&c);
    if (kci_absent(&c, 2))
        return kci_error(&c, "sizes is nothing, and a table { dim = size } is wanted");
    kci_sizes sizes = kci_read_sizes(&c, 2, "sizes", false);
    KCI_RETURN(&c, kc_resized(object, sizes.items, sizes.count));
}

static int kernels_rename(lua_State *L)
{
    kci_call c = kci_begin(L, "rename", 2);
    kc_object *object = whole_thing(&c);
    kci_pairs pairs = kci_read_pairs(&c, 2, "names");
    KCI_RETURN(&c, kc_renamed(object, pairs.from, pairs.to, pairs.count));
}

const luaL_Reg kci_kernel_calls[] = {
    {"kernel", kernels_kernel}, {"program", kernels_program},
    {"times", kernels_times},   {"group", kernels_group},
    {"fuse", kernels_fuse},     {"resize", kernels_resize},
    {"rename", kernels_rename}, {"comm", kernels_comm},
    {"beside", kernels_beside}, {NULL, NULL},
};
