/* object.c: the one table of kinds: how each is freed, named and shown. */
#include "object.h"

#include "device.h"
#include "kernel.h"
#include "program.h"
#include "tensor.h"

static const struct {
    void (*destroy)(kc_object *object);
    void (*print)(kci_text *text, const kc_object *object);
} kinds[] = {
    [KC_TENSOR] = { kci_tensor_destroy, kci_print_tensor },
    [KC_VALUE] = { kci_value_destroy, kci_print_value },
    [KC_KERNEL] = { kci_kernel_destroy, kci_print_kernel },
    [KC_PROGRAM] = { kci_program_destroy, kci_print_program },
    [KC_DEVICE] = { kci_device_destroy, kci_print_device },
    [KC_DTYPE] = { kci_dtype_destroy, kci_print_dtype },
    [KC_SCHEDULE] = { kci_schedule_destroy, kci_print_schedule },
    [KC_OPTIONS] = { kci_options_destroy, kci_print_options },
    [KC_RESULT] = { kci_result_destroy, kci_print_result },
    [KC_COMPARISON] = { kci_comparison_destroy, kci_print_comparison },
    [KC_SPACE] = { kci_space_destroy, kci_print_space },
    [KC_SWEEP] = { kci_sweep_destroy, kci_print_sweep },
    [KC_EVALUATOR] = { kci_evaluator_destroy, kci_print_evaluator },
    [KC_PROFILE] = { kci_profile_destroy, kci_print_profile },
};

void kci_destroy(kc_object *object)
{
    kinds[object->kind].destroy(object);
}

const char *kc_object_name(const kc_object *object)
{
    switch (object ? object->kind : KC_OPTIONS) {
    case KC_TENSOR:
        return ((const kc_tensor *)(const void *)object)->name;
    case KC_KERNEL:
        return ((const kc_kernel *)(const void *)object)->name;
    case KC_PROGRAM:
        return ((const kc_program *)(const void *)object)->name;
    case KC_DTYPE:
        return ((const kc_dtype *)(const void *)object)->name;
    case KC_DEVICE:
        return kci_device_name((const kc_device *)(const void *)object);
    default:
        return "";
    }
}

const char *kc_object_text(kc_object *object)
{
    if (!object)
        return NULL;
    kci_text text = { .context = object->context };
    kinds[object->kind].print(&text, object);
    return kci_text_keep(&text, &object->text);
}
