/* object.h: how each kind of object is taken apart and shown. */
#ifndef KCI_OBJECT_H
#define KCI_OBJECT_H

#include "base.h"

/* Frees the object's own memory and releases what it holds. */
void kci_destroy(kc_object *object);

/* One a kind; in the file of that kind. */
void kci_tensor_destroy(kc_object *object);
void kci_value_destroy(kc_object *object);
void kci_kernel_destroy(kc_object *object);
void kci_program_destroy(kc_object *object);
void kci_device_destroy(kc_object *object);
void kci_dtype_destroy(kc_object *object);
void kci_schedule_destroy(kc_object *object);
void kci_options_destroy(kc_object *object);
void kci_result_destroy(kc_object *object);
void kci_comparison_destroy(kc_object *object);
void kci_space_destroy(kc_object *object);
void kci_sweep_destroy(kc_object *object);
void kci_evaluator_destroy(kc_object *object);
void kci_profile_destroy(kc_object *object);

/* What print() shows, appended. */
void kci_print_tensor(kci_text *text, const kc_object *object);
void kci_print_value(kci_text *text, const kc_object *object);
void kci_print_kernel(kci_text *text, const kc_object *object);
void kci_print_program(kci_text *text, const kc_object *object);
void kci_print_device(kci_text *text, const kc_object *object);
void kci_print_dtype(kci_text *text, const kc_object *object);
void kci_print_schedule(kci_text *text, const kc_object *object);
void kci_print_options(kci_text *text, const kc_object *object);
void kci_print_result(kci_text *text, const kc_object *object);
void kci_print_comparison(kci_text *text, const kc_object *object);
void kci_print_space(kci_text *text, const kc_object *object);
void kci_print_sweep(kci_text *text, const kc_object *object);
void kci_print_evaluator(kci_text *text, const kc_object *object);
void kci_print_profile(kci_text *text, const kc_object *object);

#endif
