/* plots.c: the plots of what a script returned: its own, or those that fit it. */
#include "vm.h"

#include <string.h>

bool kci_is_plot(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TTABLE)
        return false;
    index = kci_absindex(L, index);
    lua_pushliteral(L, "kind");
    lua_rawget(L, index);
    bool plot = lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), "plot") == 0;
    lua_pop(L, 1);
    return plot;
}

/* Pushes kc.plot.of of a module made for this. */
static void push_drawer(lua_State *L)
{
    kci_state_push(L, NULL);
    kci_module_push(L, lua_gettop(L));
    lua_getfield(L, -1, "plot");
    lua_getfield(L, -1, "of");
}

static void push_objects(lua_State *L, kc_vm *vm)
{
    int count = 0;
    lua_newtable(L);
    for (size_t i = 0; i < vm->answer_count; i++) {
        if (vm->answers[i].object == NULL)
            continue;
        kci_box *box = kci_box_push(L, vm->state);
        kci_box_fill(L, vm->state, box, kc_retain(vm->answers[i].object));
        lua_rawseti(L, -2, ++count);
    }
}

/* Protected: adds to vm->output the plots that fit. */
static int draw_fitting(lua_State *L)
{
    kc_vm *vm = lua_touserdata(L, 1);
    kci_call c = {.L = L, .state = vm->state};
    luaL_checkstack(L, 24, NULL);
    push_drawer(L);
    push_objects(L, vm);
    lua_call(L, 1, 1);
    int list = lua_gettop(L);
    for (size_t i = 1, count = kci_rawlen(L, list); i <= count; i++) {
        lua_rawgeti(L, list, (int)i);
        kci_buffer_text(&vm->output, i > 1 ? "," : "");
        kci_record_json(&c, &vm->output, lua_gettop(L));
        lua_settop(L, list);
    }
    return 0;
}

/* Within the limits of one more run.  False: the message is set. */
static bool add_fitting(kc_vm *vm)
{
    vm->state->script = "plot";
    vm->running = true;
    kci_limits_begin(&vm->limits, vm->L);
    kci_limits_watch_thread(vm->L, &vm->limits);
    int error = kci_protect(vm->L, draw_fitting, vm);
    if (error != 0)
        kci_vm_failed(vm, vm->L, "plot", error);
    kci_limits_end(&vm->limits);
    kci_limits_watch_thread(vm->L, &vm->limits);
    lua_settop(vm->L, 0);
    vm->running = false;
    vm->state->script = NULL;
    return error == 0;
}

int kc_vm_answer_is_plot(const kc_vm *vm, size_t i)
{
    return i < kc_vm_answers(vm) && vm->answers[i].plot;
}

const char *kc_vm_plots(kc_vm *vm)
{
    if (vm == NULL || vm->running)
        return NULL;
    kci_buffer *out = &vm->output;
    kci_buffer_clear(out);
    kci_buffer_text(out, "[");
    size_t own = 0;
    for (size_t i = 0; i < vm->answer_count; i++) {
        const kci_answer *answer = &vm->answers[i];
        if (!answer->plot && answer->plots == NULL)
            continue;
        kci_buffer_text(out, own++ > 0 ? "," : "");
        kci_buffer_text(out, answer->plot ? answer->text : answer->plots);
    }
    if (own == 0 && vm->answer_count > 0 && !add_fitting(vm))
        return NULL;
    kci_buffer_text(out, "]");
    if (!out->failed)
        return out->bytes;
    kci_buffer_clear(&vm->message);
    kci_buffer_text(&vm->message, "not enough memory");
    return NULL;
}
