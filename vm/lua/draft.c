/* draft.c: text that grows on the Lua stack. */
#include "sandbox.h"

#include <string.h>

void kci_draft_begin(kci_draft *draft, lua_State *L, const kci_state *state)
{
    draft->L = L;
    draft->state = state;
    draft->bytes = draft->first;
    draft->length = 0;
    draft->capacity = sizeof draft->first;
    lua_pushnil(L);
    draft->slot = lua_gettop(L);
}

char *kci_draft_room(kci_draft *draft, size_t more)
{
    if (more > draft->capacity - draft->length) {
        size_t capacity = 2 * draft->capacity;
        if (capacity - draft->length < more)
            capacity = draft->length + more;
        if (capacity < more)
            luaL_error(draft->L, "resulting string too large");
        char *grown = lua_newuserdata(draft->L, capacity);
        memcpy(grown, draft->bytes, draft->length);
        lua_replace(draft->L, draft->slot);
        draft->bytes = grown;
        draft->capacity = capacity;
    }
    return draft->bytes + draft->length;
}

void kci_draft_add(kci_draft *draft, const char *bytes, size_t length)
{
    kci_step(draft->L, draft->state, 1 + length / 64);
    char *room = kci_draft_room(draft, length);
    if (length > 0)
        memcpy(room, bytes, length);
    draft->length += length;
}

void kci_draft_value(kci_draft *draft, int index)
{
    size_t length;
    kci_push_text(draft->L, draft->state, index);
    const char *text = lua_tolstring(draft->L, -1, &length);
    kci_draft_add(draft, text, length);
    lua_pop(draft->L, 1);
}

void kci_draft_push(const kci_draft *draft)
{
    lua_pushlstring(draft->L, draft->bytes, draft->length);
}
