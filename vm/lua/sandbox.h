/* sandbox.h: the libraries that a script finds, and what their files share.
 *
 * They are the same on both engines, and bounded: text is ASCII whatever the locale, tables are read raw, numbers
 * are written as kc.str does, and whatever loops counts its steps (kci_step).  Each function has the state as its
 * first upvalue. */
#ifndef KCI_LUA_SANDBOX_H
#define KCI_LUA_SANDBOX_H

#include "binding.h"

extern const luaL_Reg kci_basic_functions[];     /* basic.c: print, pairs, tonumber … */
extern const luaL_Reg kci_string_functions[];    /* strings.c */
extern const luaL_Reg kci_pattern_functions[];   /* patterns.c: find, match, gmatch, gsub */
extern const luaL_Reg kci_table_functions[];     /* lists.c: concat, insert, remove, sort, unpack */
extern const luaL_Reg kci_coroutine_functions[]; /* coroutines.c */
extern const luaL_Reg kci_random_functions[];    /* random.c: math.random, math.randomseed */

int kci_ordered_pairs(lua_State *L); /* pairs.c */

/* Makes pcall and xpcall and keeps them; sets them in the table at the top. */
void kci_catching_open(lua_State *L, kci_state *state);
void kci_catching_add(lua_State *L, const kci_state *state);
/* The same numbers in each run. */
void kci_random_seed(kci_state *state, double seed);

/* More values than this are not given at once: LuaJIT's own bound. */
enum { KCI_MOST_VALUES = 7999 };

/* The whole number at `index`, or `absent` where there is none; raises. */
double kci_integer(lua_State *L, int index);
double kci_integer_or(lua_State *L, int index, double absent);

/* Text that grows in a userdata at one place of the stack, so that an error leaks nothing. */
typedef struct kci_draft {
    lua_State *L;
    const kci_state *state;
    int slot;
    char *bytes;
    size_t length, capacity;
    char first[256];
} kci_draft;
void kci_draft_begin(kci_draft *draft, lua_State *L, const kci_state *state); /* pushes its place */
char *kci_draft_room(kci_draft *draft, size_t more); /* where `more` bytes may be written; then add to length */
void kci_draft_add(kci_draft *draft, const char *bytes, size_t length);
void kci_draft_value(kci_draft *draft, int index); /* the text of any value */
void kci_draft_push(const kci_draft *draft);       /* pushes the string */

#endif
