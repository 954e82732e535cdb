/* fuzz_scripts.c: scripts in a sandbox under limits, out of grammar.h.  Whatever a script does, the VM answers, within
 * its memory, runs the next script, and leaves nothing behind.
 *
 *     KCOST_SHOW=1    prints the script */
#include "bytes.h"

#include "grammar.h"
#include "kcost.h"

enum { MOST_TEXT = 48 << 10, MEMORY = 8 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    account h = { 0 };
    char *text = malloc(MOST_TEXT);
    const kc_vm_options options = { .resize = account_resize, .resize_data = &h, .memory_limit = MEMORY, .time_limit = 1,
                                    .instruction_limit = 500000 };
    kc_vm *vm = NULL;
    if (text == NULL || kc_vm_new(&options, &vm) != KC_OK)
        found("no VM");
    size_t length = grammar_script(data, size, text, MOST_TEXT);
    if (getenv("KCOST_SHOW") != NULL)
        fprintf(stderr, "%.*s\n", (int)length, text);
    kc_status status = kc_vm_run(vm, text, length, "fuzz.lua");
    if (status != KC_OK && status != KC_ESCRIPT && status != KC_ELIMIT && status != KC_ENOMEM)
        found("an odd status");
    if (status != KC_OK && kc_vm_message(vm)[0] == '\0')
        found("a failure without a message");
    if (status == KC_OK && kc_vm_json(vm) == NULL && kc_vm_message(vm)[0] == '\0')
        found("answers without a form");
    kc_vm_csv(vm, (int)(size % 2));
    if (kc_vm_run(vm, "return 1", 8, "after.lua") != KC_OK)
        found("the next run fails");
    if (h.most > MEMORY + (1 << 20))
        found("more memory than the limit");
    kc_vm_free(vm);
    free(text);
    if (h.bytes != 0 || h.blocks != 0)
        found("a leak");
    return 0;
}
