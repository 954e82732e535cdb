/* memory.c: one account for all memory of a VM or of a module in a host's state. */
#include "memory.h"

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
    void *moved = source(memory, block, old_size, new_size);
    if (new_size == 0) {
        if (block != NULL)
            memory->blocks--;
        return NULL;
    }
    if (moved == NULL) {
        /* Collectors take for granted that a smaller block never fails. */
        if (block != NULL && new_size <= old_size)
            return block;
        memory->refused = true;
        return NULL;
    }
    if (block == NULL)
        memory->blocks++;
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

void *kci_memory_lua(void *data, void *block, size_t old_size, size_t new_size)
{
    kci_memory *memory = data;
    if (block == NULL)
        old_size = 0; /* 5.4 passes the kind of object here */
    if (block != NULL && !in_arena(memory, block))
        return counted(memory, block, old_size, new_size);
    if (new_size == 0)
        return NULL;
    if (block != NULL && new_size <= old_size)
        return block;
    void *moved = from_arena(memory, new_size);
    if (moved == NULL)
        moved = counted(memory, NULL, 0, new_size);
    if (moved != NULL && block != NULL)
        memcpy(moved, block, old_size);
    return moved;
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
