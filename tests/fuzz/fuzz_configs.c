/* fuzz_configs.c: a model's config.json through kc.load_json and kc.lib.transformer, audit and programs.
 *
 * The input is the file.  It is read from memory through /proc: no disk is touched. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"

#include "kcost.h"

static const char script[] =
    "local kc = require 'kcost'\n"
    "local model = kc.lib.transformer(kc.load_json(kc.param('path', '')))\n"
    "local text = model:audit_table()\n"
    "return kc.count(model:decode { batch = 2, cached = 40 }),\n"
    "    kc.evaluate(model:prefill { batch = 1, seq = 32 }, 'h100-sxm5'),\n"
    "    kc.count(model:train_step { batch = 1, seq = 32, recompute = 'full' })\n";

/* "config.lua:2: attempt to index a nil value": an error of the engine's own, which a config must not get to. */
static bool engine_said(const char *message)
{
    const char *line = strchr(message, ':'), *text = line == NULL ? NULL : strstr(line + 1, ": ");
    return text != NULL && (strncmp(text, ": attempt to", 12) == 0 || strncmp(text, ": bad argument", 14) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    account h = { 0 };
    char path[64];
    const kc_vm_options options = { .resize = account_resize, .resize_data = &h, .trusted = 1, .memory_limit = 64 << 20,
                                    .time_limit = 1, .instruction_limit = 20000000 };
    int file = memfd_create("config", 0);
    kc_vm *vm = NULL;
    if (file < 0 || write(file, data, size) != (ssize_t)size || kc_vm_new(&options, &vm) != KC_OK)
        found("no VM");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (kc_vm_param(vm, "path", path) != KC_OK)
        found("no parameter");
    kc_status status = kc_vm_run(vm, script, sizeof script - 1, "config.lua");
    if (status != KC_OK && kc_vm_message(vm)[0] == '\0')
        found("a failure without a message");
    if (status == KC_ESCRIPT && engine_said(kc_vm_message(vm)))
        found(kc_vm_message(vm));
    kc_vm_free(vm);
    close(file);
    if (h.bytes != 0 || h.blocks != 0)
        found("a leak");
    return 0;
}
