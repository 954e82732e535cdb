/* vm.c: the VM of kcost.h: a Lua state that runs scripts (run.c) and keeps what they return.
 *
 * Everything that touches the state runs protected (kci_protect), so no error,
 * not even one of memory, leaves these functions by a jump. */
#include "vm.h"

#include <string.h>

#include "csv.h"
#include "engine.h"

static char *copy_text(kci_memory *memory, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = kci_memory_model(memory, NULL, 0, size);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

/* ---- creation ------------------------------------------------------------- */

static int collect_all(lua_State *L)
{
    lua_gc(L, LUA_GCCOLLECT, 0);
    return 0;
}

static int open_state(lua_State *L)
{
    kc_vm *vm = lua_touserdata(L, 1);
    kci_compiler_off(L);
    vm->state = kci_state_push(L, vm->memory);
    vm->state->vm = true;
    vm->state->limits = &vm->limits;
    kc_context_watch(vm->state->context, kci_watch_call, &vm->limits);
    kci_environment_open(L, vm->state, lua_gettop(L));
    kci_limits_open(L, &vm->limits);
    lua_newtable(L);
    vm->state->asked = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushcfunction(L, collect_all);
    vm->collector = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

kc_status kc_vm_new(const kc_vm_options *options, kc_vm **out)
{
    static const kc_vm_options none;
    if (out == NULL)
        return KC_EARGUMENT;
    *out = NULL;
    if (options == NULL)
        options = &none;
    if (!kci_engine_is_own())
        return KC_EENGINE;
    kci_memory *memory = kci_memory_of_host(options->resize, options->resize_data);
    kc_vm *vm = memory != NULL ? kci_memory_model(memory, NULL, 0, sizeof *vm) : NULL;
    if (vm == NULL) {
        kci_memory_drop(memory);
        return KC_ENOMEM;
    }
    memset(vm, 0, sizeof *vm);
    vm->memory = memory;
    kci_limits_set(&vm->limits, options);
    memory->limits = &vm->limits;
    vm->message.memory = vm->traceback.memory = vm->output.memory = memory;
    bool good = options->path == NULL || (vm->path = copy_text(memory, options->path)) != NULL;
    vm->L = good ? kci_memory_new_state(memory) : NULL;
    if (vm->L == NULL || kci_protect(vm->L, open_state, vm) != 0) {
        kc_vm_free(vm);
        return KC_ENOMEM;
    }
    vm->state->trusted = options->trusted != 0;
    vm->state->path = vm->path;
    vm->state->print = options->print;
    vm->state->print_data = options->print_data;
    *out = vm;
    return KC_OK;
}

void kc_vm_free(kc_vm *vm)
{
    if (vm == NULL || vm->running)
        return;
    kci_memory *memory = vm->memory;
    kci_answers_clear(vm);
    kci_memory_model(memory, vm->answers, vm->answer_capacity * sizeof *vm->answers, 0);
    kci_buffer_free(&vm->message);
    kci_buffer_free(&vm->traceback);
    kci_buffer_free(&vm->output);
    if (vm->path != NULL)
        kci_memory_model(memory, vm->path, strlen(vm->path) + 1, 0);
    if (vm->L != NULL)
        kci_memory_close_state(memory, vm->L);
    memory->limits = NULL; /* objects may outlive the VM */
    kci_memory_model(memory, vm, sizeof *vm, 0);
    kci_memory_drop(memory);
}

void kc_vm_interrupt(kc_vm *vm)
{
    if (vm != NULL)
        kci_limits_interrupt(&vm->limits);
}

kc_limit kc_vm_limit(const kc_vm *vm)
{
    return vm != NULL ? vm->limits.hit : KC_NO_LIMIT;
}

kc_status kc_vm_param(kc_vm *vm, const char *name, const char *value)
{
    if (vm == NULL || name == NULL || value == NULL || vm->running)
        return KC_EARGUMENT;
    size_t name_size = strlen(name) + 1, value_size = strlen(value) + 1;
    kci_param *param =
        kci_memory_model(vm->memory, NULL, 0, sizeof *param + name_size + value_size);
    if (param == NULL)
        return KC_ENOMEM;
    param->name = (char *)(param + 1);
    param->value = param->name + name_size;
    memcpy(param->name, name, name_size);
    memcpy(param->value, value, value_size);
    param->asked = false;
    param->next = vm->state->params; /* the last one given is found first */
    vm->state->params = param;
    return KC_OK;
}

kc_status kc_vm_module(kc_vm *vm, const char *name, const char *text, size_t length)
{
    if (vm == NULL || name == NULL || text == NULL || vm->running || strcmp(name, "kcost") == 0 ||
        strncmp(name, "kcost.", 6) == 0)
        return KC_EARGUMENT;
    size_t name_size = strlen(name) + 1;
    kci_given *given = kci_memory_model(vm->memory, NULL, 0, sizeof *given + name_size + length + 1);
    if (given == NULL)
        return KC_ENOMEM;
    given->name = (char *)(given + 1);
    given->text = given->name + name_size;
    memcpy(given->name, name, name_size);
    memcpy(given->text, text, length);
    given->text[length] = '\0';
    given->length = length;
    given->next = vm->state->given; /* the last one given is found first */
    vm->state->given = given;
    return KC_OK;
}

kc_status kc_vm_threads(kc_vm *vm, unsigned threads)
{
    if (vm == NULL || vm->running)
        return KC_EARGUMENT;
    vm->state->threads = threads;
    return KC_OK;
}

kc_status kc_vm_shard(kc_vm *vm, unsigned part, unsigned parts)
{
    if (vm == NULL || vm->running || part < 1 || part > parts)
        return KC_EARGUMENT;
    vm->state->part = part;
    vm->state->parts = parts;
    return KC_OK;
}

kc_status kc_vm_watch(kc_vm *vm, kc_watch watch, void *data)
{
    if (vm == NULL || vm->running)
        return KC_EARGUMENT;
    vm->state->watch = watch;
    vm->state->watch_data = data;
    return KC_OK;
}

/* ---- what the last run said ------------------------------------------------ */

/* Where even the message found no memory. */
static const char *text_of(const kci_buffer *buffer)
{
    if (buffer->failed)
        return KCI_NO_MEMORY;
    return buffer->bytes != NULL ? buffer->bytes : "";
}

const char *kc_vm_message(const kc_vm *vm)
{
    return vm != NULL ? text_of(&vm->message) : "";
}

const char *kc_vm_traceback(const kc_vm *vm)
{
    return vm != NULL ? text_of(&vm->traceback) : "";
}

/* ---- answers --------------------------------------------------------------- */

size_t kc_vm_answers(const kc_vm *vm)
{
    return vm != NULL ? vm->answer_count : 0;
}

kc_object *kc_vm_answer(const kc_vm *vm, size_t i)
{
    return i < kc_vm_answers(vm) ? vm->answers[i].object : NULL;
}

const char *kc_vm_answer_text(const kc_vm *vm, size_t i)
{
    return i < kc_vm_answers(vm) ? vm->answers[i].text : NULL;
}

const char *kc_vm_answer_shown(const kc_vm *vm, size_t i)
{
    return i < kc_vm_answers(vm) ? vm->answers[i].shown : NULL;
}

/* Why there is no document: the model's sentence, or memory. */
static const char *no_document(kc_vm *vm)
{
    const char *message = kc_context_message(vm->state->context);
    kci_buffer_clear(&vm->message);
    kci_buffer_text(&vm->message, vm->output.failed || message[0] == '\0' ? KCI_NO_MEMORY : message);
    return NULL;
}

/* NULL: kc_vm_message says why. */
const char *kc_vm_json(kc_vm *vm)
{
    if (vm == NULL)
        return NULL;
    kci_buffer *out = &vm->output;
    kci_buffer_clear(out);
    bool array = vm->list || vm->answer_count != 1;
    if (array)
        kci_buffer_text(out, "[");
    for (size_t i = 0; i < vm->answer_count; i++) {
        const kci_answer *answer = &vm->answers[i];
        const char *json = answer->object != NULL ? kc_json(answer->object) : answer->text;
        if (json == NULL)
            return no_document(vm);
        if (i > 0)
            kci_buffer_text(out, ",");
        kci_buffer_text(out, json);
    }
    if (array)
        kci_buffer_text(out, "]");
    return out->failed ? no_document(vm) : out->bytes;
}

/* A part begins with a line of its own, so it stands alone. */
static bool is_part(const kc_object *object)
{
    unsigned parts = 1;
    if (object != NULL && kc_object_kind(object) == KC_SWEEP)
        kc_sweep_part((const kc_sweep *)object, &parts);
    return parts > 1;
}

const char *kc_vm_csv(kc_vm *vm, int tensors)
{
    if (vm == NULL)
        return NULL;
    kci_buffer_clear(&vm->output);
    for (size_t i = 0; i < vm->answer_count; i++) {
        if (!is_part(vm->answers[i].object))
            continue;
        const char *part = vm->answer_count == 1 ? kc_csv(vm->answers[i].object, tensors) : NULL;
        if (part == NULL && vm->answer_count == 1)
            return no_document(vm);
        if (part != NULL)
            return part;
        kci_buffer_clear(&vm->message);
        kci_buffer_text(&vm->message, "the CSV of a part of a sweep stands alone, and the script returned several things; --json takes them all");
        return NULL;
    }
    return kci_csv_join(vm, tensors) ? text_of(&vm->output) : no_document(vm);
}
