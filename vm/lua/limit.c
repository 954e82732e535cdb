/* limit.c: what a run of a script may take, and whether it is over. */
#define _POSIX_C_SOURCE 200809L

#include "limit.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "binding.h"

enum {
    INTERVAL = 100,         /* instructions between two calls of the hook: one may work on megabytes */
    CLOCK_WORK = 2000,      /* steps of library functions between two looks at the clock */
    GRACE = 64 * 1024,
    MOST_CAUGHT = 100,
    TEXT = 16 << 20,        /* where memory has no limit */
    TABLE = 512 << 10,
    STACK = 160 * 1024      /* of C; Lua 5.4 takes as much again for metamethods and pcall */
};

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

void kci_limits_set(kci_limits *limits, const kc_vm_options *options)
{
    limits->memory = options->memory_limit;
    limits->seconds = options->time_limit > 0 ? options->time_limit : 0;
    limits->instructions = options->instruction_limit;
    limits->any = limits->memory > 0 || limits->seconds > 0 || limits->instructions > 0;
    limits->bounded = limits->any && (limits->memory > 0 || limits->instructions > 0 || limits->seconds < INFINITY);
    limits->text = !limits->bounded ? SIZE_MAX : limits->memory > 0 ? limits->memory / 3 : TEXT;
    limits->table = !limits->bounded ? SIZE_MAX : limits->text < TABLE ? limits->text : TABLE;
}

void kci_limits_begin(kci_limits *limits, lua_State *L)
{
    limits->runner = pthread_self();
    limits->thread = L;
    limits->hit = KC_NO_LIMIT;
    limits->positioned = limits->refused = limits->lifted = false;
    limits->caught = 0;
    limits->deadline = now() + limits->seconds;
    limits->left = limits->instructions;
    limits->work = 0;
    limits->grace = GRACE;
    limits->stack = (uintptr_t)__builtin_frame_address(0);
    limits->interrupted = 0;
    limits->running = true;
}

void kci_limits_end(kci_limits *limits)
{
    limits->running = false;
}

double kci_limits_left(const kci_limits *limits)
{
    return limits->seconds > 0 ? limits->deadline - now() : INFINITY;
}

bool kci_limits_over(kci_limits *limits)
{
    limits->work = 0;
    if (limits->hit != KC_NO_LIMIT || !limits->running)
        return limits->hit != KC_NO_LIMIT;
    if (limits->interrupted)
        limits->hit = KC_LIMIT_INTERRUPT;
    else if (kci_limits_left(limits) <= 0)
        limits->hit = KC_LIMIT_TIME;
    return limits->hit != KC_NO_LIMIT;
}

bool kci_limits_expired(const kci_limits *limits)
{
    return limits->running && (limits->interrupted || kci_limits_left(limits) <= 0);
}

/* Towards the next look at the clock. */
static bool worked(kci_limits *limits, size_t work)
{
    limits->work += work;
    return limits->work >= CLOCK_WORK ? kci_limits_over(limits) : limits->hit != KC_NO_LIMIT;
}

bool kci_limits_spend(kci_limits *limits, size_t steps)
{
    if (limits->instructions > 0 && limits->hit == KC_NO_LIMIT) {
        if (limits->left < steps)
            limits->hit = KC_LIMIT_INSTRUCTIONS;
        else
            limits->left -= steps;
    }
    return worked(limits, steps);
}

bool kci_limits_allow(kci_limits *limits, size_t used, size_t more)
{
    if (limits->lifted)
        return true;
    if (limits->memory > 0 && (used > limits->memory || more > limits->memory - used)) {
        limits->refused = true;
        return false;
    }
    if (!limits->running || !worked(limits, 16 + more / 64))
        return true;
    if (more > limits->grace)
        return false;
    limits->grace -= more;
    return true;
}

/* ---- raising ---------------------------------------------------------------------- */

static void keep_sentence(lua_State *L, kci_limits *limits, kc_limit limit)
{
    limits->said[limit] = luaL_ref(L, LUA_REGISTRYINDEX);
}

void kci_limits_open(lua_State *L, kci_limits *limits)
{
    char number[KCI_NUMBER_TEXT];
    kci_number_to_text((double)limits->memory, number);
    lua_pushfstring(L, "the memory limit of %s bytes was hit", number);
    keep_sentence(L, limits, KC_LIMIT_MEMORY);
    kci_number_to_text(limits->seconds, number);
    lua_pushfstring(L, "the time limit of %s s was hit", number);
    keep_sentence(L, limits, KC_LIMIT_TIME);
    kci_number_to_text((double)limits->instructions, number);
    lua_pushfstring(L, "the limit of %s instructions was hit", number);
    keep_sentence(L, limits, KC_LIMIT_INSTRUCTIONS);
    lua_pushliteral(L, "the host interrupted it");
    keep_sentence(L, limits, KC_LIMIT_INTERRUPT);
    lua_pushliteral(L, "");
    limits->where = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* At the script's line the first time; then with no allocation.  The few bytes of it are given whatever was hit: to ask
 * where there are none takes whole collections. */
int kci_limit_error(lua_State *L, const kci_state *state)
{
    kci_limits *limits = state->limits;
    if (!limits->positioned) {
        limits->lifted = true;
        lua_rawgeti(L, LUA_REGISTRYINDEX, limits->said[limits->hit]);
        kci_push_position(L, state);
        lua_insert(L, -2);
        lua_concat(L, 2);
        lua_rawseti(L, LUA_REGISTRYINDEX, limits->where);
        limits->lifted = false;
        limits->positioned = true;
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, limits->where);
    return lua_error(L);
}

void kci_step(lua_State *L, const kci_state *state, size_t steps)
{
    if (state->limits != NULL && kci_limits_spend(state->limits, steps))
        kci_limit_error(L, state);
}

void kci_not_over(lua_State *L, const kci_state *state)
{
    if (state->limits != NULL && kci_limits_over(state->limits))
        kci_limit_error(L, state);
}

bool kci_is_memory_error(lua_State *L, int index)
{
    return lua_type(L, index) == LUA_TSTRING && strcmp(lua_tostring(L, index), KCI_NO_MEMORY) == 0;
}

void kci_caught(lua_State *L, const kci_state *state, int error)
{
    kci_limits *limits = state->limits;
    if (limits == NULL)
        return;
    if (limits->refused && kci_is_memory_error(L, error)) {
        if (++limits->caught > MOST_CAUGHT && limits->hit == KC_NO_LIMIT)
            limits->hit = KC_LIMIT_MEMORY;
        kci_recover(L);
    }
    if (kci_limits_over(limits))
        kci_limit_error(L, state);
}

void kci_not_deep(lua_State *L, const kci_state *state)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const kci_limits *limits = state->limits;
    if (limits == NULL || !limits->running)
        return;
    if ((here < limits->stack ? limits->stack - here : here - limits->stack) > STACK)
        luaL_error(L, "C stack overflow");
}

/* The account is what every thread of the state has in reach. */
static void count(lua_State *L, lua_Debug *at)
{
    void *data;
    (void)at;
    lua_getallocf(L, &data);
    kci_memory *memory = data;
    kci_limits *limits = memory->limits;
    if (limits == NULL || !limits->running)
        return;
    bool spent = kci_limits_spend(limits, INTERVAL);
    if (spent || kci_limits_over(limits)) {
        kci_limit_error(L, kci_state_push(L, NULL));
        return;
    }
    kci_memory_collect_early(L, memory);
}

void kci_limits_watch_thread(lua_State *L, const kci_limits *limits)
{
    if (limits->running && limits->any)
        lua_sethook(L, count, LUA_MASKCOUNT, INTERVAL);
    else
        lua_sethook(L, NULL, 0, 0);
}

void kci_limits_interrupt(kci_limits *limits)
{
    limits->interrupted = 1;
    /* In this order: ids of threads come again, but of two that run at once they differ. */
    if (limits->running && pthread_equal(pthread_self(), limits->runner) && !limits->any)
        lua_sethook(limits->thread, count, LUA_MASKCOUNT, 1);
}

/* ---- the model's long calls ---------------------------------------------------------- */

int kci_watch_call(void *data, double done, double points)
{
    (void)done;
    (void)points;
    return kci_limits_expired(data);
}

int kci_watch_sweep(void *data, double done, double points)
{
    const kci_state *state = data;
    if (state->limits != NULL && kci_limits_over(state->limits))
        return 1;
    return state->watch != NULL ? state->watch(state->watch_data, done, points) : 0;
}
