/* device.c: devices by name, out of tables, and as tables: design, section 5. */
#include "binding.h"

#include <string.h>

enum { DEEPEST = 8 };

static void set_figures(kci_call *c, kc_device *device, int index, int prefix, int depth);

/* One figure: its path at `path`, its value at the top. */
static void set_figure(kci_call *c, kc_device *device, int path, int depth)
{
    lua_State *L = c->L;
    int value = lua_gettop(L);
    const char *name = kci_string(c, path, "figure");
    switch (lua_type(L, value)) {
    case LUA_TNUMBER: {
        double number = lua_tonumber(L, value);
        KCI_DO(c, kc_device_set(device, name, number));
        break;
    }
    case LUA_TSTRING: {
        const char *text = kci_string(c, value, name);
        KCI_DO(c, kc_device_set_text(device, name, text));
        break;
    }
    case LUA_TTABLE:
        if (kci_rawlen(L, value) > 0) { /* aliases = { "a", "b" } */
            const char *words = kci_dims(c, value, name);
            KCI_DO(c, kc_device_set_text(device, name, words));
        } else {
            set_figures(c, device, value, path, depth + 1);
        }
        break;
    default:
        kci_error(c, "%s is %s, and a number, a text or a table is wanted", name,
                  kci_push_described(L, c->state, value));
    }
}

/* Figures of the table at `index`, by sorted name; prefix 0: it is the device.
 * The id comes last, since a name makes one. */
static void set_figures(kci_call *c, kc_device *device, int index, int prefix, int depth)
{
    lua_State *L = c->L;
    if (depth > DEEPEST)
        kci_error(c, "%s is nested too deeply", lua_tostring(L, prefix));
    luaL_checkstack(L, 16, NULL);
    size_t count =
        kci_push_sorted_keys(c, index, prefix != 0 ? lua_tostring(L, prefix) : "the device");
    int keys = lua_gettop(L);
    for (int pass = 0; pass < (prefix == 0 ? 2 : 1); pass++) {
        for (size_t i = 1; i <= count; i++) {
            lua_rawgeti(L, keys, (int)i);
            bool id = prefix == 0 && strcmp(lua_tostring(L, -1), "id") == 0;
            if (id == (pass == 1)) {
                if (prefix != 0)
                    lua_pushfstring(L, "%s.%s", lua_tostring(L, prefix), lua_tostring(L, -1));
                else
                    lua_pushvalue(L, -1);
                lua_pushvalue(L, keys + 1);
                lua_rawget(L, index);
                set_figure(c, device, keys + 2, depth);
            }
            lua_settop(L, keys);
        }
    }
}

/* `id` NULL: the table's, or its name. */
static int push_changed(kci_call *c, const kc_device *base, int index, const char *id)
{
    KCI_PUSH(c, kc_device_new(c->state->context, base));
    int at = lua_gettop(c->L);
    kc_device *device = (kc_device *)kci_object_at(c->L, c->state, at);
    set_figures(c, device, index, 0, 0);
    if (id != NULL)
        KCI_DO(c, kc_device_set_text(device, "id", id));
    kc_status sealed = kc_device_seal(device);
    if (sealed == KC_ENOMEM && kci_try_again(c))
        sealed = kc_device_seal(device);
    if (sealed != KC_OK)
        return kci_model_error(c);
    lua_settop(c->L, at);
    return 1;
}

/* A device's file is evaluated with no library in reach, as those that are compiled in.  What is wrong in it is said of it. */
static int push_device_file(kci_call *c, const char *path, const char *id)
{
    lua_State *L = c->L;
    kci_call file = {.L = L, .state = c->state, .name = path, .global = true};
    kci_load_as(c, path, lua_pushfstring(L, "@%s", path));
    lua_newtable(L);
    kci_set_environment(L);
    lua_call(L, 0, 1);
    if (lua_type(L, -1) != LUA_TTABLE)
        return kci_error(&file, "it returns %s, and a device's table is wanted", kci_push_described(L, c->state, -1));
    return push_changed(&file, NULL, lua_gettop(L), id);
}

static int push_compiled_in(kci_call *c, const char *name)
{
    KCI_RETURN(c, kc_device_named(c->state->context, name));
}

/* "my/chip.lua": the file itself, whose id is "chip". */
static int push_given_file(kci_call *c, const char *path)
{
    if (c->state->vm && !c->state->trusted)
        return kci_error(c, "this script may not read files: %s", path);
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    lua_pushlstring(c->L, name, strlen(name) - strlen(".lua"));
    return push_device_file(c, path, lua_tostring(c->L, -1));
}

static bool is_file_of_lua(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".lua") == 0 && name[length - 5] != '/';
}

/* A file; devices/NAME.lua of the path, by the name as it is or by the id that it stands for. */
int kci_push_named_device(kci_call *c, const char *name)
{
    lua_State *L = c->L;
    if (is_file_of_lua(name))
        return push_given_file(c, name);
    if (kci_push_replaced(L, c->state, "devices", name))
        return push_device_file(c, lua_tostring(L, -1), name);
    push_compiled_in(c, name);
    const char *id = kc_object_name(kci_object_at(L, c->state, -1));
    if (kci_push_replaced(L, c->state, "devices", id))
        return push_device_file(c, lua_tostring(L, -1), id);
    return 1;
}

/* device(name or table) */
static int device_device(lua_State *L)
{
    kci_call c = kci_begin(L, "device", 1);
    if (lua_type(L, 1) == LUA_TTABLE)
        return push_changed(&c, NULL, 1, NULL);
    if (kci_absent(&c, 1))
        return kci_error(&c, "device is nothing, and the name of a device or a table is wanted");
    kci_device(&c, 1, "device");
    return 1; /* itself, or the one that the name stands for */
}

/* dev:with{ hbm = { bandwidth = 4.8e12 } } */
int kci_device_with(lua_State *L)
{
    kci_call c = kci_begin(L, "device", 2);
    kc_object *object = kci_object_at(L, c.state, 1);
    if (object == NULL || kc_object_kind(object) != KC_DEVICE || lua_type(L, 2) != LUA_TTABLE)
        return kci_error(&c, "with is called as device:with{ hbm = { bandwidth = 4.8e12 } }");
    return push_changed(&c, (kc_device *)object, 2, NULL);
}

static bool push_figure(lua_State *L, const kc_device *device, const char *path)
{
    double number;
    const char *text = kc_device_get_text(device, path);
    if (text != NULL)
        lua_pushstring(L, text);
    else if (kc_device_get(device, path, &number) == KC_OK)
        lua_pushnumber(L, number);
    else
        return false;
    return true;
}

void kci_put_nested(lua_State *L, const char *path)
{
    int value = lua_gettop(L);
    lua_pushvalue(L, value - 1);
    for (;;) {
        const char *dot = strchr(path, '.');
        if (dot == NULL)
            break;
        lua_pushlstring(L, path, (size_t)(dot - path));
        lua_pushvalue(L, -1);
        lua_rawget(L, -3);
        if (lua_type(L, -1) != LUA_TTABLE) {
            lua_pop(L, 1);
            lua_newtable(L);
            lua_pushvalue(L, -2);
            lua_pushvalue(L, -2);
            lua_rawset(L, -5);
        }
        lua_remove(L, -2);
        lua_remove(L, -2);
        path = dot + 1;
    }
    lua_pushvalue(L, value);
    lua_setfield(L, -2, path);
    lua_settop(L, value - 1);
}

/* Where each figure comes from: d.source.hbm.bandwidth. */
static bool push_source(lua_State *L, const kc_device *device, const char *path)
{
    const char *text = kc_device_get_text(device, lua_pushfstring(L, "source.%s", path));
    lua_pop(L, 1);
    if (text != NULL)
        lua_pushstring(L, text);
    return text != NULL;
}

/* Fields of section 5 that a device may lack; others that it lacks are misspelt. */
static const char *const fields[] = {
    "name",      "id",           "aliases",     "vendor", "arch",      "year",      "cores",
    "clock",     "matrix_clock", "matrix",      "vector", "rate",      "special",   "matrix_tile",
    "hbm",       "llc",          "l2",          "smem",   "registers", "tmem",      "warp",
    "max_warps", "max_ctas",     "max_threads", "launch", "link",      "sustained", "source",
    "overlap",   "path",         "tdp",         "energy", "sparse",    "with"};

/* __index of a part of a device, d.hbm: nil where the device does not say, an error where no device has such a figure.
 * Upvalues: the state, the device, the part. */
static int other_figure(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L), .name = "device"};
    const kc_device *device = (const kc_device *)kci_object_at(L, c.state, lua_upvalueindex(2));
    const char *part = lua_tostring(L, lua_upvalueindex(3));
    double number;
    if (lua_type(L, 2) != LUA_TSTRING || device == NULL)
        return 0;
    const char *path = lua_pushfstring(L, "%s.%s", part, lua_tostring(L, 2));
    if (kc_device_get(device, path, &number) != KC_OK && strstr(kc_context_message(c.state->context), "unknown figure") != NULL)
        return kci_model_error(&c);
    return 0;
}

/* Marks the table at the top; those by dtype and those that hold tables in turn may have any names. */
static void mark_part(kci_call *c, const char *part)
{
    static const char *const flat[] = {"hbm", "llc", "l2", "smem", "registers", "tmem", "launch", "link"};
    for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
        if (strcmp(part, flat[i]) == 0) {
            lua_pushvalue(c->L, 1);
            lua_pushstring(c->L, part);
            kci_record_mark_with(c->L, other_figure, 2);
            return;
        }
    }
    kci_record_mark(c->L, c->state, "figures", NULL);
}

/* d.name is a figure, d.hbm a table of all figures that begin with "hbm.". */
void kci_push_device_field(kci_call *c, kc_device *device, const char *field)
{
    lua_State *L = c->L;
    size_t length = strlen(field), found = 0;
    bool source = strcmp(field, "source") == 0;
    if (strchr(field, '.') == NULL && push_figure(L, device, field))
        return;
    lua_newtable(L);
    for (size_t i = 0;; i++) {
        const char *path = kc_device_path(device, i);
        if (path == NULL)
            break;
        const char *inner = path + length + 1;
        if (source)
            inner = path;
        else if (length == 0 || strncmp(path, field, length) != 0 || path[length] != '.')
            continue;
        if (source ? push_source(L, device, path) : push_figure(L, device, path)) {
            kci_put_nested(L, inner);
            found++;
        }
    }
    if (found > 0) {
        mark_part(c, field);
        return;
    }
    lua_pop(L, 1);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i], field) == 0) {
            lua_pushnil(L);
            return;
        }
    }
    kci_no_field(c, "a device", fields, sizeof fields / sizeof *fields);
}

static kc_device *checked_device(lua_State *L)
{
    kc_object *object = kci_object_at(L, kci_state_of(L), 1);
    if (object == NULL || kc_object_kind(object) != KC_DEVICE)
        luaL_error(L, "a device is wanted");
    return (kc_device *)object;
}

/* paths(device): the paths of the figures that it states, in the order of the design. */
int kci_core_paths(lua_State *L)
{
    const kc_device *device = checked_device(L);
    const char *path;
    lua_newtable(L);
    for (size_t i = 0; (path = kc_device_path(device, i)) != NULL; i++) {
        lua_pushstring(L, path);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* figure(device, path): a number, or a text as of "source.hbm" and "exceptions.hbm"; nil: it has none. */
int kci_core_figure(lua_State *L)
{
    const kc_device *device = checked_device(L);
    return push_figure(L, device, luaL_checkstring(L, 2)) ? 1 : 0;
}

const luaL_Reg kci_device_calls[] = {{"device", device_device}, {NULL, NULL}};
