/* object.c: handles as userdata: one reference each, freed in any order. */
#include "binding.h"

static const char *const kind_names[KCI_KINDS] = {
    [KC_TENSOR] = "a tensor",         [KC_VALUE] = "a value",   [KC_KERNEL] = "a kernel",
    [KC_PROGRAM] = "a program",       [KC_DEVICE] = "a device", [KC_DTYPE] = "a dtype",
    [KC_SCHEDULE] = "a schedule",     [KC_OPTIONS] = "options", [KC_RESULT] = "a result",
    [KC_COMPARISON] = "a comparison", [KC_SPACE] = "a space",   [KC_SWEEP] = "a sweep",
};

const char *kci_kind_name(kc_kind kind)
{
    return (unsigned)kind < KCI_KINDS ? kind_names[kind] : "an object";
}

/* The userdata's pointer; NULL where the value is none of ours. */
static kci_box **slot_at(lua_State *L, const kci_state *state, int index)
{
    kci_box **slot = lua_touserdata(L, index);
    if (slot == NULL || lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index))
        return NULL;
    const void *metatable = lua_topointer(L, -1);
    lua_pop(L, 1);
    for (size_t kind = 0; kind < KCI_KINDS; kind++)
        if (metatable == state->metatable_at[kind])
            return slot;
    return NULL;
}

kci_box *kci_box_at(lua_State *L, const kci_state *state, int index)
{
    kci_box **slot = slot_at(L, state, index);
    return slot != NULL && *slot != NULL && (*slot)->object != NULL ? *slot : NULL;
}

kc_object *kci_object_at(lua_State *L, const kci_state *state, int index)
{
    kci_box *box = kci_box_at(L, state, index);
    return box != NULL ? box->object : NULL;
}

void kci_box_free(kci_state *state, kci_box *box)
{
    kc_object *object = box->object;
    kc_comparison *within = box->within;
    *box->link = box->next;
    if (box->next != NULL)
        box->next->link = box->link;
    kci_memory_model(state->memory, box, sizeof *box, 0);
    if (object != NULL)
        kc_release(object);
    if (within != NULL)
        kc_release(within);
}

static int collect_object(lua_State *L)
{
    kci_state *state = lua_touserdata(L, lua_upvalueindex(1));
    kci_box **slot = state->context != NULL ? slot_at(L, state, 1) : NULL;
    if (slot == NULL || *slot == NULL)
        return 0;
    kci_box *box = *slot;
    *slot = NULL;
    kci_box_free(state, box);
    return 0;
}

static int object_to_string(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L), .name = NULL};
    kc_object *object = kci_object_at(L, c.state, 1);
    if (object == NULL)
        return kci_error(&c, "an object is wanted");
    const char *text = kc_object_text(object);
    if (text == NULL && kci_try_again(&c))
        text = kc_object_text(object);
    if (text == NULL)
        return kci_model_error(&c);
    lua_pushstring(L, text);
    return 1;
}

/* The same handle may be in several userdata. */
static int equal_objects(lua_State *L)
{
    const kci_state *state = kci_state_of(L);
    const kc_object *a = kci_object_at(L, state, 1), *b = kci_object_at(L, state, 2);
    lua_pushboolean(L, a != NULL && a == b);
    return 1;
}

static int refuse_assignment(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L), .name = NULL};
    kc_object *object = kci_object_at(L, c.state, 1);
    return kci_error(&c, "%s is immutable; tile, fuse, resize and with give a new one",
                     object != NULL ? kci_kind_name(kc_object_kind(object)) : "an object");
}

static void set_function(lua_State *L, const char *name, lua_CFunction function, int state_index)
{
    lua_pushvalue(L, state_index);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, -2, name);
}

/* The state's userdata is at the top. */
void kci_object_metatables(lua_State *L, kci_state *state)
{
    int state_index = lua_gettop(L);
    for (size_t kind = 0; kind < KCI_KINDS; kind++) {
        lua_createtable(L, 0, 8);
        set_function(L, "__gc", collect_object, state_index);
        set_function(L, "__tostring", object_to_string, state_index);
        set_function(L, "__eq", equal_objects, state_index);
        set_function(L, "__newindex", refuse_assignment, state_index);
        set_function(L, "__index",
                     kind == KC_RESULT       ? kci_index_result
                     : kind == KC_COMPARISON ? kci_index_comparison
                     : kind == KC_SWEEP      ? kci_index_sweep
                                             : kci_index_object,
                     state_index);
        if (kind == KC_SWEEP)
            set_function(L, "__len", kci_sweep_length, state_index);
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
        lua_pushstring(L, kind_names[kind]);
        lua_setfield(L, -2, "__name");
        state->metatable_at[kind] = lua_topointer(L, -1);
        state->metatables[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
    }
}

/* Until it is filled a box has the metatable of options, which frees like all. */
kci_box *kci_box_push(lua_State *L, kci_state *state)
{
    luaL_checkstack(L, 4, NULL);
    kci_box **slot = lua_newuserdata(L, sizeof(kci_box *));
    *slot = NULL;
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->metatables[KC_OPTIONS]);
    lua_setmetatable(L, -2);
    kci_box *box = kci_memory_model(state->memory, NULL, 0, sizeof *box);
    if (box == NULL) {
        lua_gc(L, LUA_GCCOLLECT, 0);
        box = kci_memory_model(state->memory, NULL, 0, sizeof *box);
    }
    if (box == NULL)
        return kci_no_memory(L), NULL;
    *box = (kci_box){.next = state->boxes, .link = &state->boxes};
    if (box->next != NULL)
        box->next->link = &box->next;
    state->boxes = box;
    *slot = box;
    return box;
}

void kci_box_fill(lua_State *L, kci_state *state, kci_box *box, void *object)
{
    box->object = object;
    kc_kind kind = kc_object_kind(object);
    if ((unsigned)kind < KCI_KINDS) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, state->metatables[kind]);
        lua_setmetatable(L, -2);
    }
    kci_drive_collector(L, state);
}

/* The collector sees small userdata where the model may hold much behind them:
 * each time the model's memory has doubled, what nobody holds must go. */
void kci_drive_collector(lua_State *L, kci_state *state)
{
    if (state->memory->model < state->collect_at)
        return;
    lua_gc(L, LUA_GCCOLLECT, 0);
    size_t twice = 2 * state->memory->model;
    state->collect_at = twice > ((size_t)1 << 20) ? twice : (size_t)1 << 20;
}

bool kci_try_again(const kci_call *c)
{
    if (kc_context_status(c->state->context) != KC_ENOMEM)
        return false;
    if (c->state->limits != NULL && kci_limits_over(c->state->limits))
        kci_limit_error(c->L, c->state); /* the refusal was the budget's */
    lua_gc(c->L, LUA_GCCOLLECT, 0);
    return true;
}
