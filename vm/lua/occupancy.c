/* occupancy.c: kc.occupancy: how many CTAs a core holds, with no kernel. Design, section 5. */
#include "binding.h"

#include <string.h>

static const char *const parts[] = {"threads", "registers", "smem", "tmem", "stage", "stages", "keep"};
enum { PARTS = sizeof parts / sizeof *parts };

/* Puts the number at the top into the table at `answer`; "max.smem" into its table `max`. */
static void put(lua_State *L, int answer, const char *name)
{
    const char *dot = strchr(name, '.');
    if (dot == NULL) {
        lua_setfield(L, answer, name);
        return;
    }
    lua_pushlstring(L, name, (size_t)(dot - name));
    lua_pushvalue(L, -1);
    lua_rawget(L, answer);
    if (lua_type(L, -1) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, answer);
    }
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, dot + 1);
    lua_pop(L, 3);
}

/* The limit that binds; it fails where any figure would. */
static const char *limit_of(kci_call *c, const kc_device *device, const kc_size *cta, size_t count)
{
    const char *limit = kc_occupancy_limit(device, cta, count);
    if (limit == NULL)
        kci_model_error(c);
    return limit;
}

/* occupancy(device, { threads = 128, registers = 85, smem = 49152, keep = 2 }) */
static int occupancy_occupancy(lua_State *L)
{
    kci_call c = kci_begin(L, "occupancy", 2);
    kc_device *device = kci_device(&c, 1, "device");
    if (device == NULL)
        return kci_error(&c, "device is nothing, and the name of a device or a device is wanted");
    if (lua_type(L, 2) != LUA_TTABLE)
        return kci_error(&c, "cta is %s, and a table is wanted: { threads = 128, registers = 64, smem = 49152 }",
                         kci_push_described(L, c.state, 2));
    kci_options(&c, 2, "cta", parts, PARTS);
    kc_size cta[PARTS];
    size_t count = 0;
    for (size_t i = 0; i < PARTS; i++) {
        int at = kci_option(&c, 2, parts[i]);
        if (!kci_absent(&c, at))
            cta[count++] = (kc_size){parts[i], kci_number(&c, at, parts[i])};
    }
    const char *limit = limit_of(&c, device, cta, count);
    lua_newtable(L);
    int answer = lua_gettop(L);
    for (int f = 0; f < KC_OCCUPANCY_COUNT; f++) {
        double value;
        if (kc_occupancy(device, cta, count, (kc_occupancy_figure)f, &value) != KC_OK)
            continue; /* it does not apply */
        lua_pushnumber(L, value);
        put(L, answer, kc_occupancy_name((kc_occupancy_figure)f));
    }
    lua_pushstring(L, limit);
    lua_setfield(L, answer, "limit");
    kci_record_mark(L, c.state, "an occupancy", "ctas warps share limit cta_warps registers smem allowed max");
    return 1;
}

const luaL_Reg kci_occupancy_calls[] = {{"occupancy", occupancy_occupancy}, {NULL, NULL}};
