/* answers.c: what a script returned, flattened, counted where it is not counted yet. */
#include "vm.h"

#include <string.h>

enum { DEEPEST = 16 };

void kci_answers_clear(kc_vm *vm)
{
    for (size_t i = 0; i < vm->answer_count; i++) {
        kci_answer *answer = &vm->answers[i];
        if (answer->object != NULL)
            kc_release(answer->object);
        char *const texts[] = {answer->text, answer->shown, answer->csv, answer->plots};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            if (texts[t] != NULL)
                kci_memory_model(vm->memory, texts[t], strlen(texts[t]) + 1, 0);
    }
    vm->answer_count = 0;
    vm->list = false;
}

/* Room for one more answer is made before what it will hold, so nothing is lost
 * where the allocator refuses. */
static bool has_room(kc_vm *vm)
{
    if (vm->answer_count < vm->answer_capacity)
        return true;
    size_t capacity = vm->answer_capacity == 0 ? 8 : 2 * vm->answer_capacity;
    kci_answer *grown = kci_memory_model(
        vm->memory, vm->answers, vm->answer_capacity * sizeof *grown, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    vm->answers = grown;
    vm->answer_capacity = capacity;
    return true;
}

static void make_room(kci_call *c, kc_vm *vm)
{
    if (!has_room(vm))
        kci_no_memory(c->L);
}

static kci_answer *add_answer(kc_vm *vm, kc_object *object, char *text)
{
    kci_answer *answer = &vm->answers[vm->answer_count++];
    *answer = (kci_answer){.object = object, .text = text};
    return answer;
}

kc_status kc_vm_add_answer(kc_vm *vm, kc_object *object)
{
    if (vm == NULL || object == NULL || vm->running)
        return KC_EARGUMENT;
    kc_kind kind = kc_object_kind(object);
    if (kind != KC_RESULT && kind != KC_COMPARISON && kind != KC_SWEEP && kind != KC_DEVICE)
        return KC_EARGUMENT;
    if (!has_room(vm))
        return KC_ENOMEM;
    vm->list = vm->list || vm->answer_count > 0;
    add_answer(vm, kc_retain(object), NULL);
    return KC_OK;
}

static int push_counted(kci_call *c, kc_object *object)
{
    KCI_RETURN(c, kc_count(object, NULL));
}

static char *copy_of(kci_call *c, kc_vm *vm, const kci_buffer *buffer)
{
    char *text = NULL;
    if (!buffer->failed)
        text = kci_memory_model(vm->memory, NULL, 0, buffer->length + 1);
    if (text != NULL)
        memcpy(text, buffer->bytes != NULL ? buffer->bytes : "", buffer->length + 1);
    else
        kci_no_memory(c->L);
    return text;
}

static kci_answer *take_text(kci_call *c, kc_vm *vm, const kci_buffer *json, bool plot)
{
    make_room(c, vm);
    kci_answer *answer = add_answer(vm, NULL, copy_of(c, vm, json));
    answer->plot = plot;
    return answer;
}

/* A table of kcost's own, or of a script's, that says how it is shown: its metatable has __show. */
static bool has_show(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TTABLE || !luaL_getmetafield(L, index, "__show"))
        return false;
    lua_pop(L, 1);
    return true;
}

/* The text that __show gave under that name, in the table at `index`; NULL: none. */
static char *shown_text(kci_call *c, kc_vm *vm, int index, const char *name)
{
    lua_State *L = c->L;
    lua_pushstring(L, name);
    lua_rawget(L, index);
    char *text = NULL;
    if (lua_type(L, -1) == LUA_TSTRING) {
        size_t length;
        const char *bytes = lua_tolstring(L, -1, &length);
        kci_buffer_clear(&vm->output);
        kci_buffer_add(&vm->output, bytes, strlen(bytes)); /* up to a zero byte */
        text = copy_of(c, vm, &vm->output);
    }
    lua_pop(L, 1);
    return text;
}

/* __show(table) gives { text =, csv =, plots = { … } }; the table itself is the JSON. */
static void take_table(kci_call *c, kc_vm *vm, int index)
{
    lua_State *L = c->L;
    luaL_getmetafield(L, index, "__show");
    lua_pushvalue(L, index);
    lua_call(L, 1, 1);
    int shown = lua_gettop(L);
    if (lua_type(L, shown) != LUA_TTABLE)
        kci_error(c, "the script returned a table whose __show gives %s, and { text =, csv =, plots = } is wanted",
                  kci_push_described(L, c->state, shown));
    kci_buffer_clear(&vm->output);
    kci_record_json(c, &vm->output, index);
    kci_answer *answer = take_text(c, vm, &vm->output, false);
    answer->shown = shown_text(c, vm, shown, "text");
    answer->csv = shown_text(c, vm, shown, "csv");
    lua_pushliteral(L, "plots");
    lua_rawget(L, shown);
    int plots = lua_gettop(L);
    kci_buffer_clear(&vm->output);
    for (size_t i = 1; lua_type(L, plots) == LUA_TTABLE && i <= kci_rawlen(L, plots); i++) {
        lua_rawgeti(L, plots, (int)i);
        kci_buffer_text(&vm->output, i > 1 ? "," : "");
        kci_record_json(c, &vm->output, lua_gettop(L));
        lua_settop(L, plots);
    }
    if (vm->output.length > 0)
        answer->plots = copy_of(c, vm, &vm->output);
    lua_settop(L, shown - 1);
}

/* As print shows it; a table by its members. */
static void take_shown(kci_call *c, kc_vm *vm, int index)
{
    lua_State *L = c->L;
    size_t length;
    if (lua_type(L, index) == LUA_TTABLE && !luaL_getmetafield(L, index, "__tostring"))
        kci_push_members(c, index);
    else
        kci_push_text(L, c->state, index);
    const char *text = lua_tolstring(L, -1, &length);
    kci_buffer_clear(&vm->output);
    kci_buffer_json_string(&vm->output, text, length);
    take_text(c, vm, &vm->output, false);
}

/* Of a prompt also what no script may return: a tensor that nothing writes, a value, a dtype. */
static void take_line_object(kci_call *c, kc_vm *vm, kc_object *object, int index)
{
    make_room(c, vm);
    kc_result *counted = kc_count(object, NULL);
    if (counted != NULL)
        add_answer(vm, (kc_object *)counted, NULL);
    else
        take_shown(c, vm, index);
}

static void take_object(kci_call *c, kc_vm *vm, kc_object *object)
{
    lua_State *L = c->L;
    int top = lua_gettop(L);
    switch (kc_object_kind(object)) {
    case KC_TENSOR:
    case KC_KERNEL:
    case KC_PROGRAM:
        push_counted(c, object);
        object = kci_object_at(L, c->state, -1);
        break;
    case KC_RESULT:
    case KC_COMPARISON:
    case KC_SWEEP:
    case KC_DEVICE:
        break;
    default:
        kci_error(c,
                  "the script returned %s; it may return results, comparisons, sweeps, plots, kernels, "
                  "programs, written tensors, devices, texts, numbers and lists of these",
                  kci_kind_name(kc_object_kind(object)));
    }
    make_room(c, vm);
    add_answer(vm, kc_retain(object), NULL);
    lua_settop(L, top);
}

void kci_plain_json(kci_call *c, kci_buffer *json, int index)
{
    lua_State *L = c->L;
    switch (lua_type(L, index)) {
    case LUA_TNUMBER: {
        char number[KCI_NUMBER_TEXT];
        double value = lua_tonumber(L, index);
        if (value - value != 0)
            kci_error(c, "the script returned %s, and only finite numbers can be shown",
                      kci_push_described(L, c->state, index));
        kci_buffer_add(json, number, kci_number_to_text(value, number));
        break;
    }
    case LUA_TBOOLEAN:
        kci_buffer_text(json, lua_toboolean(L, index) ? "true" : "false");
        break;
    case LUA_TSTRING: {
        size_t length;
        const char *text = lua_tolstring(L, index, &length);
        kci_buffer_json_string(json, text, length);
        break;
    }
    default:
        kci_error(c,
                  "the script returned %s; it may return results, comparisons, sweeps, plots, kernels, programs, "
                  "written tensors, devices, texts, numbers and lists of these",
                  kci_push_described(L, c->state, index));
    }
}

static void take_value(kci_call *c, kc_vm *vm, int index, int depth);

static void take_list(kci_call *c, kc_vm *vm, int index, int depth)
{
    lua_State *L = c->L;
    if (depth > DEEPEST)
        kci_error(c, "the script returned lists in lists, deeper than %d", DEEPEST);
    size_t count = kci_rawlen(L, index), keys = 0;
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TNUMBER)
            kci_error(c,
                      "the script returned a table with the key %s, and only a list of results can "
                      "be shown",
                      kci_push_described(L, c->state, -1));
        keys++;
    }
    kci_step(L, c->state, keys);
    if (keys != count)
        kci_error(c, "the script returned a list with holes");
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(L, index, (int)i);
        take_value(c, vm, lua_gettop(L), depth + 1);
        lua_pop(L, 1);
    }
}

/* May a script return it?  Of a table that is no record: is it a list? */
static bool is_returned(kci_call *c, int index)
{
    lua_State *L = c->L;
    int type = lua_type(L, index);
    if (type == LUA_TNUMBER)
        return lua_tonumber(L, index) - lua_tonumber(L, index) == 0;
    if (type != LUA_TTABLE || kci_is_record(L, index) || kci_is_plot(L, index) || has_show(L, index))
        return type == LUA_TTABLE || type == LUA_TSTRING || type == LUA_TBOOLEAN;
    size_t keys = 0;
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        keys++;
    }
    kci_step(L, c->state, keys);
    return keys == kci_rawlen(L, index);
}

static void take_value(kci_call *c, kc_vm *vm, int index, int depth)
{
    lua_State *L = c->L;
    luaL_checkstack(L, 16, NULL);
    kci_step(L, c->state, 1);
    kc_object *object = kci_object_at(L, c->state, index);
    if (object != NULL) {
        kc_kind kind = kc_object_kind(object);
        if (vm->line && (kind == KC_TENSOR || kind == KC_VALUE || kind == KC_DTYPE))
            take_line_object(c, vm, object, index);
        else
            take_object(c, vm, object);
        return;
    }
    if (vm->line && !is_returned(c, index)) {
        take_shown(c, vm, index);
        return;
    }
    if (has_show(L, index)) {
        take_table(c, vm, index);
        return;
    }
    kci_buffer *json = &vm->output; /* scratch until the run is over */
    kci_buffer_clear(json);
    bool plot = kci_is_plot(L, index);
    if (plot || kci_is_record(L, index)) {
        kci_record_json(c, json, index);
    } else if (lua_type(L, index) == LUA_TTABLE) {
        take_list(c, vm, index, depth);
        return;
    } else {
        kci_plain_json(c, json, index);
    }
    take_text(c, vm, json, plot);
}

void kci_answers_take(lua_State *L, kc_vm *vm, int first)
{
    kci_call c = {.L = L, .state = vm->state, .name = NULL};
    int last = lua_gettop(L);
    if (last == first && lua_isnil(L, first))
        return; /* `return nil`: nothing to show */
    bool one = last == first;
    vm->list = !one || (lua_type(L, first) == LUA_TTABLE && !kci_is_plot(L, first) &&
                        !kci_is_record(L, first) && !has_show(L, first) &&
                        (!vm->line || is_returned(&c, first)));
    for (int i = first; i <= last; i++)
        take_value(&c, vm, i, 0);
}
