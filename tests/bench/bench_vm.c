/* bench_vm.c: what a VM costs: made, run once and freed, beside a bare state; how late limits end the attacks.
 *
 *     KCOST_ATTACK=mem_    only scripts whose names begin so */
#define _POSIX_C_SOURCE 200809L

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <math.h>

#include "attacks/attack.h"
#include "measure.h"

/* ---- made, run, freed --------------------------------------------------------------------- */

static void *lua_resize(void *data, void *block, size_t old_size, size_t new_size)
{
    return account_resize(data, block, block ? old_size : 0, new_size);
}

/* A state with the libraries that a sandbox needs, `return 1` run in it: the floor. */
static void bare(account *a)
{
    static const luaL_Reg libraries[] = { { "_G", luaopen_base },
#if LUA_VERSION_NUM >= 504
                                          { "coroutine", luaopen_coroutine },
#endif
                                          { "table", luaopen_table },
                                          { "string", luaopen_string },
                                          { "math", luaopen_math } };
    lua_State *L = lua_newstate(lua_resize, a);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        lua_pushcfunction(L, libraries[i].func);
        lua_pushstring(L, libraries[i].name);
        lua_call(L, 1, 1);
        lua_setglobal(L, libraries[i].name);
    }
    if (luaL_loadstring(L, "return 1") == 0)
        lua_call(L, 0, 1);
    lua_close(L);
}

static void sandboxed(account *a)
{
    kc_vm *vm = NULL;
    kc_vm_options options = { .resize = account_resize, .resize_data = a, .memory_limit = 16 << 20, .time_limit = 1 };
    if (kc_vm_new(&options, &vm) != KC_OK || kc_vm_run(vm, "return 1", 8, "one.lua") != KC_OK)
        exit(1);
    kc_vm_free(vm);
}

static void show_life(const char *name, const char *memory, void (*life)(account *))
{
    account a = { 0 };
    double least = HUGE_VAL;
    for (int round = is_quick() ? 10 : 2000; round > 0; round--) {
        double began = cpu();
        life(&a);
        least = fmin(least, cpu() - began);
    }
    row(name, 1e6 * least);
    row(memory, (double)a.most / 1024);
}

/* ---- how late -------------------------------------------------------------------------------- */

static double late_ms(const attack *a, const attack_limits *limits)
{
    double worst = 1e-3; /* the clock is no finer */
    kc_vm *vm = NULL;
    kc_vm_options options = { .memory_limit = limits->megabytes << 20, .time_limit = limits->seconds };
    if (kc_vm_new(&options, &vm) != KC_OK)
        exit(1);
    for (int run = 0; run <= a->twice; run++) {
        double began = wall();
        kc_vm_run(vm, a->text, a->length, a->name);
        worst = fmax(worst, 1e3 * (wall() - began - limits->seconds));
    }
    kc_vm_free(vm);
    return worst;
}

static void show_late(attack **attacks, size_t count, const attack_limits *limits)
{
    char name[64];
    double worst = 1e-3; /* the clock is no finer */
    const char *who = "";
    for (size_t i = 0; i < count; i += is_quick() ? 50 : 1) {
        double late = late_ms(attacks[i], limits);
        if (late > worst) {
            worst = late;
            who = attacks[i]->name;
        }
    }
    snprintf(name, sizeof name, "attacks, %zu MiB, %g s: the last ends late", limits->megabytes, limits->seconds);
    row(name, worst);
    fprintf(stderr, "%s: %s\n", name, who);
}

int main(int argument_count, char **arguments)
{
    attack *attacks[MOST_ATTACKS];
    const char *only = getenv("KCOST_ATTACK");
    size_t count = attacks_read(attacks, only ? only : "", argument_count > 0 ? arguments[0] : "");
    show_life("a bare state", "a bare state, at most", bare);
    show_life("a VM", "a VM, at most", sandboxed);
    for (size_t l = 0; l < PAIRS; l++)
        show_late(attacks, count, &all_limits[l]);
    for (size_t i = 0; i < count; i++)
        free(attacks[i]);
    return 0;
}
