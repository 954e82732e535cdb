/* random.c: math.random: xoshiro256** (Blackman and Vigna, 2018), seeded the same in each run. */
#include "sandbox.h"

#include <math.h>
#include <string.h>

static uint64_t rotated(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

static uint64_t next_bits(uint64_t s[4])
{
    uint64_t bits = rotated(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotated(s[3], 45);
    return bits;
}

void kci_random_seed(kci_state *state, double seed)
{
    uint64_t *s = state->random;
    memcpy(&s[0], &seed, sizeof s[0]);
    s[1] = 0xff;
    s[2] = s[3] = 0;
    for (int i = 0; i < 16; i++) /* until the seed is everywhere */
        next_bits(s);
}

/* random(): from 0 up to 1; random(n): 1 to n; random(m, n): m to n */
static int math_random(lua_State *L)
{
    kci_state *state = kci_state_of(L);
    double part = (double)(next_bits(state->random) >> 11) * 0x1p-53;
    if (lua_gettop(L) == 0)
        return lua_pushnumber(L, part), 1;
    bool both = !lua_isnoneornil(L, 2);
    double from = both ? kci_integer(L, 1) : 1, to = kci_integer(L, both ? 2 : 1);
    luaL_argcheck(L, from <= to, both ? 2 : 1, "interval is empty");
    lua_pushinteger(L, (lua_Integer)(from + floor(part * (to - from + 1))));
    return 1;
}

static int math_randomseed(lua_State *L)
{
    kci_random_seed(kci_state_of(L), luaL_checknumber(L, 1));
    return 0;
}

const luaL_Reg kci_random_functions[] = {{"random", math_random}, {"randomseed", math_randomseed}, {NULL, NULL}};
