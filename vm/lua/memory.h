/* memory.h: one account for all memory of a VM or of a module in a host's state.
 *
 * The account outlives whoever opened it: objects may be freed in any order,
 * also after their VM, so it frees itself with the last block. */
#ifndef KCI_LUA_MEMORY_H
#define KCI_LUA_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "compat.h"
#include "kcost.h"
#include "limit.h"

typedef struct kci_memory {
    kc_resize resize; /* the host's hook, or NULL: through `alloc` */
    void *resize_data;
    lua_Alloc alloc; /* the allocator of the Lua state that loaded the module */
    void *alloc_data;
    kci_limits *limits;   /* NULL: none */
    size_t bytes, blocks; /* that are out, of Lua and the model */
    size_t model;         /* bytes that the model holds */
    size_t collect_at;    /* LuaJIT: bytes at which the hook collects */
    double collect_took;  /* seconds, the last time */
    bool refused;         /* the source refused since this was cleared */
    bool dropped;         /* nobody will ask again: goes with the last block */
    unsigned char *arena; /* LuaJIT's first blocks, see kci_memory_lua */
    size_t arena_used;
    bool starting; /* inside lua_newstate */
} kci_memory;

/* NULL: refused. */
kci_memory *kci_memory_of_host(kc_resize resize, void *data);
kci_memory *kci_memory_of_state(lua_State *L);
void kci_memory_drop(kci_memory *memory);

/* The model's hook and Lua's allocator; both take the account as their data. */
void *kci_memory_model(void *memory, void *block, size_t old_size, size_t new_size);
void *kci_memory_lua(void *memory, void *block, size_t old_size, size_t new_size);

/* LuaJIT collects nothing when a request is refused, so the hook does before: half way from what is in use to the
 * limit, where there is time for it. */
void kci_memory_collect_early(lua_State *L, kci_memory *memory);

/* A state whose memory is counted here.  NULL: refused. */
lua_State *kci_memory_new_state(kci_memory *memory);
/* Closes it, and gives back what starting it took. */
void kci_memory_close_state(kci_memory *memory, lua_State *L);

#endif
