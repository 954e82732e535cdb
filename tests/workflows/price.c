/* price.c: prices a script that nobody has read, and prints what it returned. */
#include <kcost.h>
#include <stdio.h>

int main(int count, char **words)
{
    const kc_vm_options limits = { .memory_limit = 64 << 20, .time_limit = 5, .instruction_limit = 1000000000 };
    kc_vm *vm = NULL;
    kc_status status = count == 2 ? kc_vm_new(&limits, &vm) : KC_EARGUMENT;
    if (status == KC_OK)
        status = kc_vm_run_file(vm, words[1]);
    printf("%s\n", status == KC_OK ? kc_vm_json(vm) : vm ? kc_vm_message(vm) : kc_status_text(status));
    kc_vm_free(vm);
    return (int)status;
}
