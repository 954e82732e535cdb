/* test_refused_suites.c: the specs and checks, in a state of a host's own whose allocator refuses the n-th request: once, or
 * from then on.  Whatever becomes of them, nothing crashes and nothing is lost; and where one request was refused, each
 * assertion holds but where an error says that there was no memory.
 *
 * KCOST_REFUSALS=all (make oom) tries 300 n of each, drawn from KCOST_SEED; else a few early ones, from then on. */
#include <glob.h>
#include <stdbool.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "kcost.h"
#include "unit.h"

#include "account.h"

enum { MANY = 300, A_FEW = 2, EARLY = 20000, MOST_SAID = 300 };

/* How a suite went. */
static struct {
    size_t failed;       /* that it printed */
    char odd[MOST_SAID]; /* the first, where that is not for want of memory: what follows may follow from it */
} went;

static char temporary[64];

static bool for_want_of_memory(const char *said)
{
    return strstr(said, "not enough memory") != NULL;
}

/* What suites print goes here. */
static int print_line(lua_State *L)
{
    const char *line = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "";
    if (strncmp(line, "FAILED ", 7) != 0)
        return 0;
    if (went.failed++ == 0 && !for_want_of_memory(line))
        snprintf(went.odd, sizeof went.odd, "%s", line);
    return 0;
}

static void *lua_resize(void *data, void *block, size_t old_size, size_t new_size)
{
    return account_resize(data, block, block ? old_size : 0, new_size); /* 5.4 passes the kind of a new one */
}

static int call_through_c(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* The function that is a field of the table at the top. */
static void put_behind_c(lua_State *L, const char *name)
{
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, call_through_c, 1);
    lua_setfield(L, -2, name);
}

/* LuaJIT crashes where these find no memory below a pcall; below a function of C they don't. */
static void mend_engine(lua_State *L)
{
    lua_getglobal(L, "jit");
    bool is_luajit = !lua_isnil(L, -1);
    lua_pop(L, 1);
    if (!is_luajit)
        return;
    lua_getglobal(L, "string");
    put_behind_c(L, "sub");
    put_behind_c(L, "reverse");
    lua_getglobal(L, "_G");
    put_behind_c(L, "tostring");
    lua_pop(L, 2);
}

static int run_file(lua_State *L)
{
    if (luaL_loadfile(L, lua_touserdata(L, 1)) != 0)
        return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
}

/* A stock state, with the module in reach and what suite.lua brings; what runs the suite, and its path, are at the top. */
static lua_State *state_for(account *a, const char *path)
{
    lua_State *L = lua_newstate(lua_resize, a);
    assert_non_null(L);
    luaL_openlibs(L);
    mend_engine(L);
    lua_register(L, "print", print_line);
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, luaopen_kcost);
    lua_setfield(L, -2, "kcost");
    const char *slash = strrchr(path, '/');
    lua_pushlstring(L, path, (size_t)(slash - path) + 1);
    lua_pushliteral(L, "?.lua");
    lua_concat(L, 2);
    lua_setfield(L, -3, "path");
    lua_settop(L, 0);
    lua_newtable(L);
    lua_pushstring(L, path);
    lua_rawseti(L, -2, 0);
    lua_setglobal(L, "arg");
    assert_int_equal(luaL_loadfile(L, "tests/lua/suite.lua"), 0);
    lua_pushstring(L, temporary);
    assert_int_equal(lua_pcall(L, 1, 0, 0), 0);
    lua_pushcfunction(L, run_file); /* reading the file and making these two ask for memory, outside of a protected call */
    lua_pushlightuserdata(L, (void *)path);
    return L;
}

static bool ends_well(lua_State *L)
{
    bool returned = lua_pcall(L, 1, 0, 0) == 0;
    const char *why = returned ? "" : lua_tostring(L, -1);
    return (returned || (why && strcmp(why, "ended well") == 0)) && went.failed == 0;
}

/* Runs the suite with the n-th request after its state was made refused, 0: none.  How many there were; *passed: it did. */
static size_t run_suite(const char *path, size_t n, int for_ever, bool *passed, size_t *lost)
{
    account a = { 0 };
    lua_State *L = state_for(&a, path);
    memset(&went, 0, sizeof went);
    a.asked = 0;
    a.refuse = n;
    a.for_ever = for_ever;
    *passed = ends_well(L);
    size_t asked = a.asked;
    a.refuse = 0;
    lua_close(L);
    *lost = a.bytes + a.blocks;
    return asked;
}

/* ---- which n ------------------------------------------------------------------------------------------------------- */

static uint64_t chance;

typedef struct tally {
    size_t tried, passed, faults;
} tally;

static void try_one(const char *path, size_t n, int for_ever, tally *t)
{
    bool passed;
    size_t lost, asked = run_suite(path, n, for_ever, &passed, &lost);
    t->tried++;
    t->passed += passed;
    bool odd = !for_ever && went.odd[0] != '\0';
    if ((odd || lost > 0) && t->faults++ < 10)
        print_error("%s, request %zu of %zu%s: %zu bytes and blocks left; %s\n", path, n, asked, for_ever ? " and all after it" : "",
                    lost, went.odd);
}

static void try_suite(const char *path, bool all, tally *t)
{
    bool passed;
    size_t lost, requests = all ? run_suite(path, 0, 0, &passed, &lost) : EARLY;
    if (all && !passed)
        fail_msg("%s fails with all the memory it wants: %s", path, went.odd);
    for (size_t i = 0; i < (all ? MANY : A_FEW); i++)
        try_one(path, account_draw(&chance, requests), all ? i % 2 == 0 : 1, t);
    if (all)
        print_message("%s: %d of %zu requests\n", path, MANY, requests);
}

/* Those that run the command, or take a fit of seconds each time. */
static bool is_left_out(const char *path)
{
    static const char *const folders[] = { "tests/bench/", "tests/calibrate/", "tests/help/", "tests/readme/" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

TEST(a_suite_survives_the_refusal_of_any_request)
{
    const char *wanted = getenv("KCOST_REFUSALS"), *only = getenv("KCOST_SUITE");
    bool all = wanted != NULL && strcmp(wanted, "all") == 0;
    double seed = environment_number("KCOST_SEED", 1);
    size_t step = environment_number("KCOST_RANDOM", 0) > 0 ? 6 : 1, suites = 0; /* where everything is slower, a part of them */
    glob_t files;
    tally t = { 0 };
    chance = (uint64_t)seed * 0x9E3779B97F4A7C15u + 1;
    snprintf(temporary, sizeof temporary, "/tmp/kcost_refused_%ld", (long)getpid());
    assert_int_equal(glob("tests/lua/*_spec.lua", 0, NULL, &files) | glob("tests/*/check_*.lua", GLOB_APPEND, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i += step)
        if (!is_left_out(files.gl_pathv[i]) && (!only || strstr(files.gl_pathv[i], only))) {
            suites++;
            try_suite(files.gl_pathv[i], all, &t);
        }
    globfree(&files);
    remove(temporary);
    print_message("seed %.0f: %zu requests refused in %zu suites, %zu of which did without\n", seed, t.tried, suites, t.passed);
    assert_int_equal(t.faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_suite_survives_the_refusal_of_any_request) };
    return run(tests);
}
