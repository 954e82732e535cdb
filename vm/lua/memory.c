/* memory.c: one account for all memory of a VM or of a module in a host's state. */
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The C heap, for hosts that give no hook. */
static void *heap(void *data, void *block, size_t old_size, size_t new_size)
{
    (void)data;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

static void *source(const kci_memory *memory, void *block, size_t old_size, size_t new_size)
{
    if (memory->resize != NULL)
        return memory->resize(memory->resize_data, block, old_size, new_size);
    return memory->alloc(memory->alloc_data, block, old_size, new_size);
}

static void free_if_last(kci_memory *memory)
{
    if (memory->dropped && memory->blocks == 0) {
        kci_memory copy = *memory;
        source(&copy, memory, sizeof *memory, 0);
    }
}

static kci_memory *open_account(const kci_memory *start)
{
    kci_memory *memory = source(start, NULL, 0, sizeof *memory);
    if (memory != NULL)
        *memory = *start;
    return memory;
}

kci_memory *kci_memory_of_host(kc_resize resize, void *data)
{
    kci_memory start = {.resize = resize != NULL ? resize : heap, .resize_data = data};
    return open_account(&start);
}

kci_memory *kci_memory_of_state(lua_State *L)
{
    kci_memory start = {.resize = NULL};
    start.alloc = lua_getallocf(L, &start.alloc_data);
    return open_account(&start);
}

void kci_memory_drop(kci_memory *memory)
{
    if (memory == NULL)
        return;
    memory->dropped = true;
    free_if_last(memory);
}

static void *counted(kci_memory *memory, void *block, size_t old_size, size_t new_size)
{
    if (new_size > old_size && memory->limits != NULL &&
        !kci_limits_allow(memory->limits, memory->bytes, new_size - old_size))
        return NULL;
    void *moved = source(memory, block, old_size, new_size);
    if (new_size == 0) {
        if (block != NULL)
            memory->blocks--;
        memory->bytes -= old_size;
        return NULL;
    }
    if (moved == NULL) {
        /* Collectors take for granted that a smaller block never fails; the account goes on with the size that
         * Lua will give back. */
        if (block == NULL || new_size > old_size) {
            memory->refused = true;
            return NULL;
        }
        moved = block;
    }
    if (block == NULL)
        memory->blocks++;
    memory->bytes += new_size - old_size;
    return moved;
}

void *kci_memory_model(void *data, void *block, size_t old_size, size_t new_size)
{
    kci_memory *memory = data;
    if (block == NULL)
        old_size = 0;
    void *moved = counted(memory, block, old_size, new_size);
    if (new_size == 0) {
        memory->model -= old_size;
        free_if_last(memory);
    } else if (moved != NULL) {
        memory->model += new_size - old_size;
    }
    return moved;
}

/* LuaJIT's lua_newstate crashes when one of its first allocations fails, so
 * those come from one block that was got before it is called.
 *
 *     arena  [ state | strings | … | free ]      blocks 16 bytes apart, never reused
 */
enum { ARENA = 24 * 1024 };

static bool in_arena(const kci_memory *memory, const void *block)
{
    const unsigned char *byte = block;
    return memory->arena != NULL && byte >= memory->arena && byte < memory->arena + ARENA;
}

static void *from_arena(kci_memory *memory, size_t size)
{
    size_t taken = (size + 15) / 16 * 16;
    if (!memory->starting || taken > ARENA - memory->arena_used)
        return NULL;
    void *block = memory->arena + memory->arena_used;
    memory->arena_used += taken;
    return block;
}

/* LuaJIT frees a closure whose upvalues found no memory with too small a size, so its blocks know their own:
 *     head: its size | the block that Lua has */
static void *resized(kci_memory *memory, void *block, size_t old_size, size_t new_size)
{
#if KCI_LUAJIT
    typedef union head {
        size_t size;
        max_align_t aligned;
    } head;
    head *old = block != NULL ? (head *)block - 1 : NULL;
    size_t before = old != NULL ? old->size + sizeof(head) : 0;
    (void)old_size;
    head *moved = counted(memory, old, before, new_size > 0 ? new_size + sizeof(head) : 0);
    if (moved == NULL)
        return NULL;
    moved->size = new_size;
    return moved + 1;
#else
    return counted(memory, block, old_size, new_size);
#endif
}

/* The largest block bounds what one instruction can take: a rehash of 2^16 colliding keys runs for a second, a
 * __call chain as long as it has stack. */
static bool too_large(const kci_memory *memory, const void *block, size_t old_size, size_t new_size)
{
    kci_limits *limits = memory->limits;
    if (limits == NULL || limits->lifted || new_size <= limits->table || (block != NULL && new_size <= old_size))
        return false;
    if (new_size <= limits->text && !kci_is_hash_or_stack(block, old_size, new_size))
        return false;
    limits->refused = true;
    return true;
}

void *kci_memory_lua(void *data, void *block, size_t old_size, size_t new_size)
{
    kci_memory *memory = data;
    if (too_large(memory, block, old_size, new_size))
        return NULL;
    if (block == NULL)
        old_size = 0; /* 5.4 passes the kind of object here */
    if (block != NULL && !in_arena(memory, block))
        return resized(memory, block, old_size, new_size);
    if (new_size == 0)
        return NULL;
    if (block != NULL && new_size <= old_size)
        return block;
    void *moved = from_arena(memory, new_size);
    if (moved == NULL)
        moved = resized(memory, NULL, 0, new_size);
    if (moved != NULL && block != NULL)
        memcpy(moved, block, old_size);
    return moved;
}

void kci_memory_collect_early(lua_State *L, kci_memory *memory)
{
#if KCI_LUAJIT
    size_t limit = memory->limits->memory;
    if (limit == 0 || memory->bytes < memory->collect_at)
        return;
    double left = kci_limits_left(memory->limits);
    if (left < memory->collect_took)
        return;
    if (memory->bytes >= limit / 2) {
        lua_gc(L, LUA_GCCOLLECT, 0);
        memory->collect_took = left < INFINITY ? left - kci_limits_left(memory->limits) : 0;
    }
    size_t middle = memory->bytes + (limit - memory->bytes) / 2;
    memory->collect_at = middle > limit / 2 ? middle : limit / 2;
#else
    (void)L;
    (void)memory;
#endif
}

lua_State *kci_memory_new_state(kci_memory *memory)
{
#if KCI_LUAJIT
    memory->arena = counted(memory, NULL, 0, ARENA);
    if (memory->arena == NULL)
        return NULL;
    memory->arena_used = 0;
    memory->starting = true;
#endif
    lua_State *L = lua_newstate(kci_memory_lua, memory);
    memory->starting = false;
    if (L == NULL)
        kci_memory_close_state(memory, NULL);
    return L;
}

void kci_memory_close_state(kci_memory *memory, lua_State *L)
{
    if (L != NULL)
        lua_close(L);
    if (memory->arena != NULL) {
        counted(memory, memory->arena, ARENA, 0);
        memory->arena = NULL;
    }
}
