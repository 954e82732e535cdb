/* base.h: contexts, objects, memory, errors: what every file of the model stands on. */
#ifndef KCI_BASE_H
#define KCI_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kcost.h"

#if defined(__GNUC__)
#define KCI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define KCI_PRINTF(text, first)
#endif

#define KCI_MAX_SIZE 9007199254740992.0 /* 2^53: sizes stay below it */

/* Every handle begins with this. */
struct kc_object {
    kc_kind kind;
    uint32_t refs;
    kc_context *context;
    char *text; /* what kc_object_text last gave */
    char *json; /* what kc_json or kc_csv last gave */
    kc_object *next_dead;
};

/* A name, interned in the context: equal names have equal numbers; 0 is none. */
typedef uint32_t kci_symbol;

/* Memory, all through the context's hook.  A NULL from kci_alloc or kci_grow has
 * recorded KC_ENOMEM.  Sizes are given back at the free. */
void *kci_alloc(kc_context *context, size_t size); /* zeroed */
void *kci_resize(kc_context *context, void *block, size_t old_size, size_t new_size);
void kci_free(kc_context *context, void *block, size_t size);
char *kci_copy_text(kc_context *context, const char *text);
void kci_free_text(kc_context *context, char *text);

/* Makes room for at least `need` items of `size` bytes; doubles.  False: no memory. */
bool kci_reserve(kc_context *context, void *array, size_t *capacity, size_t need, size_t size);

/* A zeroed object with one reference, holding its context. */
void *kci_new(kc_context *context, kc_kind kind, size_t size);

/* A context for another thread: memory and errors of its own, the names of its parent,
 * which outlives it.  It interns none.  NULL: no memory. */
kc_context *kci_context_worker(const kc_context *parent);

kci_symbol kci_intern(kc_context *context, const char *name, size_t length); /* 0: no memory */
/* Makes room for `more` names, so that workers may look names up while they are interned.  False: no memory. */
bool kci_intern_ahead(kc_context *context, size_t more);
uint64_t kci_next_sequence(kc_context *context); /* 1, 2, 3 … */
const char *kci_name(const kc_context *context, kci_symbol symbol);

/* Records the sentence and returns the status: `return kci_fail(…)`. */
kc_status kci_fail(kc_context *context, kc_status status, const char *format, ...) KCI_PRINTF(3, 4);

/* Names are numbers of one context: an object of another one is refused.  NULL is not. */
kc_status kci_same_context(kc_context *context, const void *object, const char *call);

/* Is an array there that is said to have `count` items?  False: the sentence is recorded. */
bool kci_array_given(kc_context *context, const char *call, const char *argument, const void *array, size_t count);

/* And each of its handles?  Of one that is NULL nothing is recorded: what failed to make it gave the reason. */
bool kci_handles_given(kc_context *context, const char *call, const char *argument, const void *array, size_t count);
/* And each of its texts? */
bool kci_texts_given(kc_context *context, const char *call, const char *argument, const char *const *texts, size_t count);

/* Where kci_nearest writes, KCI_PART_BYTES. */
char *kci_context_near(kc_context *context);
/* What kc_context_watch was given; NULL: nothing. */
kc_watch kci_context_watch(const kc_context *context, void **data);
/* Asks it whether `call` may go on; `of` 0: not known.  KC_ELIMIT: no, and the sentence is recorded. */
kc_status kci_watched(kc_context *context, const char *call, double done, double of);
/* For a loop that may be long and allocates nothing: counts its steps, of some nanoseconds each, and asks the watch now
 * and then.  KC_ELIMIT: it ends the call. */
kc_status kci_spend(kc_context *context, const char *call, size_t steps);
/* What it takes to compare a name with so many, which may begin alike. */
kc_status kci_spend_names(kc_context *context, const char *call, const char *name, size_t count);

/* "; did you mean 'b', 'c'?" of the names nearest to `word`, or ""; until the next such question. */
typedef const char *(*kci_nth_name)(const void *data, size_t i);
const char *kci_nearest(kc_context *context, const char *word, kci_nth_name nth, const void *data);

/* A growing text.  After a failed append `failed` stays set; the end checks it once. */
typedef struct kci_text {
    kc_context *context;
    char *bytes;
    size_t length, capacity;
    bool failed, fixed;
} kci_text;
/* A part of an error message, in the `size` bytes of the caller: what has no room is cut off.  It asks for no memory, so the
 * sentence is the same where there is none; nothing is to be freed. */
kci_text kci_text_part(kc_context *context, char *bytes, size_t size);
enum { KCI_PART_BYTES = 304 };
void kci_text_add(kci_text *text, const char *bytes);
void kci_text_add_n(kci_text *text, const char *bytes, size_t length);
void kci_text_format(kci_text *text, const char *format, ...) KCI_PRINTF(2, 3);
void kci_text_number(kci_text *text, double number); /* the shortest that reads back */
void kci_text_free(kci_text *text);
/* Moves the text into `*slot` of an object, freeing what was there. NULL: no memory. */
const char *kci_text_keep(kci_text *text, char **slot);

/* The shortest decimal text that reads back as `number`, locale-free; whole
 * numbers below 2^53 without a point.  `out` holds at least 32 bytes. */
size_t kci_format_number(double number, char *out);
/* The number at the start of `text`, locale-free; *end is where it stops. */
double kci_parse_number(const char *text, const char **end);

#endif
