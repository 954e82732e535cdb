/* vm.h: what the files of the VM share: the handle, its answers, growing text. */
#ifndef KCI_VM_H
#define KCI_VM_H

#include "sandbox.h"

/* A text on the account.  After a refused append `failed` stays set. */
typedef struct kci_buffer {
    kci_memory *memory;
    char *bytes; /* ends with a zero byte, or NULL */
    size_t length, capacity;
    bool failed;
} kci_buffer;
void kci_buffer_add(kci_buffer *buffer, const char *bytes, size_t length);
void kci_buffer_text(kci_buffer *buffer, const char *text);
void kci_buffer_clear(kci_buffer *buffer); /* keeps the memory */
void kci_buffer_free(kci_buffer *buffer);
/* The string in quotes; bytes that are no UTF-8 become U+FFFD. */
void kci_buffer_json_string(kci_buffer *buffer, const char *bytes, size_t length);

/* One returned value: an object, or the JSON of a plain value. */
typedef struct kci_answer {
    kc_object *object; /* one reference, or NULL */
    char *text;
    bool plot; /* the text is a plot */
    char *shown, *csv, *plots; /* of a table with __show: as print shows it, as CSV, a JSON list's inside; or NULL */
} kci_answer;

struct kc_vm {
    kci_memory *memory;
    lua_State *L;
    kci_state *state;
    char *path;
    kci_limits limits;
    bool running;
    int collector; /* registry reference: a function that collects all, there before memory is short */
    int session; /* registry reference: the environment of a prompt's lines; 0: none yet */
    bool line; /* the run is a prompt's: whatever it gives is shown */
    bool list; /* several values or a list: JSON is an array */
    kci_answer *answers;
    size_t answer_count, answer_capacity;
    kci_buffer message, traceback, output;
};

/* run.c: notes the error at the top of the stack, which a protected call of `name` gave: its status. */
kc_status kci_vm_failed(kc_vm *vm, lua_State *L, const char *name, int error);
/* answers.c: counts and keeps the values on the stack from `first` on; raises. */
void kci_answers_take(lua_State *L, kc_vm *vm, int first);
void kci_answers_clear(kc_vm *vm);
/* The JSON of a number, boolean or string; raises for anything else. */
void kci_plain_json(kci_call *c, kci_buffer *json, int index);
/* plots.c: is the value a table whose kind is "plot"? */
bool kci_is_plot(lua_State *L, int index);
/* record.c: the JSON of a record, by sorted name; raises. */
void kci_record_json(kci_call *c, kci_buffer *json, int index);
/* Pushes "name: value" a line, of any table with names. */
void kci_push_members(kci_call *c, int index);

#endif
