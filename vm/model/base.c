/* base.c: contexts, objects, memory, interned names, errors. */
#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

enum { MESSAGE_BYTES = 1024, WATCHED = 100000 /* steps between two looks of the watch */ };

typedef struct symbol {
    char *name;
    size_t length;
    uint32_t hash;
    kci_symbol next; /* in its bucket */
} symbol;

struct kc_context {
    kc_resize resize;
    void *data;
    uint32_t refs; /* the caller's hold, and one an object */
    const kc_context *names; /* of a worker: where its names are interned; NULL: here */
    kc_status status;
    char message[MESSAGE_BYTES], near[KCI_PART_BYTES];
    kc_watch watch; /* of calls that take long; a worker has its parent's */
    void *watch_data;
    size_t steps; /* since the watch was asked */
    symbol *symbols; /* [0] stands for no name */
    size_t symbol_count, symbol_capacity;
    kci_symbol *buckets;
    size_t bucket_count;
    uint64_t sequence;
    kc_object *dead; /* to be freed: releasing a long chain must not recurse */
    bool freeing;
};

static void *heap_resize(void *data, void *block, size_t old_size, size_t new_size)
{
    (void)data;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

const char *kc_version(void)
{
    return "0.1.0";
}

kc_context *kc_context_new(kc_resize resize, void *data)
{
    kc_resize hook = resize ? resize : heap_resize;
    kc_context *context = hook(data, NULL, 0, sizeof *context);
    if (!context)
        return NULL;
    memset(context, 0, sizeof *context);
    context->resize = hook;
    context->data = data;
    context->refs = 1;
    return context;
}

kc_context *kci_context_worker(const kc_context *parent)
{
    kc_context *context = kc_context_new(parent->resize, parent->data);
    if (context)
        context->names = parent->names ? parent->names : parent;
    return context;
}

static void context_drop(kc_context *context)
{
    if (--context->refs > 0)
        return;
    for (size_t i = 1; i < context->symbol_count; i++)
        kci_free(context, context->symbols[i].name, context->symbols[i].length + 1);
    kci_free(context, context->symbols, context->symbol_capacity * sizeof(symbol));
    kci_free(context, context->buckets, context->bucket_count * sizeof(kci_symbol));
    context->resize(context->data, context, sizeof *context, 0);
}

void kc_context_free(kc_context *context)
{
    if (context)
        context_drop(context);
}

kc_status kc_context_status(const kc_context *context)
{
    return context ? context->status : KC_ENOMEM;
}

const char *kc_context_message(const kc_context *context)
{
    return context ? context->message : "not enough memory";
}

const char *kc_status_text(kc_status status)
{
    static const char *const texts[] = {
        [KC_OK] = "it succeeded",
        [KC_EARGUMENT] = "an argument is wrong",
        [KC_ENOMEM] = "not enough memory",
        [KC_ELIMIT] = "a limit of time, memory or steps was hit, or the host ended it",
        [KC_ESCRIPT] = "the script raised an error",
        [KC_EENGINE] = "another Lua engine shadows the one that this library needs",
        [KC_EDEVICE] = "the kernel does not run on this device",
    };
    return status >= 0 && (size_t)status < sizeof texts / sizeof *texts ? texts[status] : "an unknown status";
}

/* ---- watching ---------------------------------------------------------- */

void kc_context_watch(kc_context *context, kc_watch watch, void *data)
{
    if (!context)
        return;
    context->watch = watch;
    context->watch_data = data;
}

char *kci_context_near(kc_context *context)
{
    return context->near;
}

kc_watch kci_context_watch(const kc_context *context, void **data)
{
    *data = context->watch_data;
    return context->watch;
}

kc_status kci_watched(kc_context *context, const char *call, double done, double of)
{
    const kc_context *asked = context->names ? context->names : context; /* a worker's parent */
    if (!asked->watch || asked->watch(asked->watch_data, done, of) == 0)
        return KC_OK;
    const char *what = strcmp(call, "verify") == 0 || strcmp(call, "count") == 0 ? "steps" : "points";
    if (of == 0)
        return kci_fail(context, KC_ELIMIT, "%s: interrupted after %.0f %s", call, done, what);
    return kci_fail(context, KC_ELIMIT, "%s: interrupted after %.0f of %.0f %s", call, done, of, what);
}

kc_status kci_spend(kc_context *context, const char *call, size_t steps)
{
    context->steps += steps;
    if (context->steps < WATCHED)
        return KC_OK;
    context->steps = 0;
    const kc_context *asked = context->names ? context->names : context;
    if (!asked->watch || asked->watch(asked->watch_data, 0, 0) == 0)
        return KC_OK;
    return kci_fail(context, KC_ELIMIT, "%s: interrupted", call);
}

kc_status kci_spend_names(kc_context *context, const char *call, const char *name, size_t count)
{
    return kci_spend(context, call, count * (1 + strlen(name) / 16));
}

/* ---- memory ------------------------------------------------------------ */

void *kci_resize(kc_context *context, void *block, size_t old_size, size_t new_size)
{
    if (new_size == 0) {
        if (block)
            context->resize(context->data, block, old_size, 0);
        return NULL;
    }
    void *result = context->resize(context->data, block, old_size, new_size);
    if (!result)
        kci_fail(context, KC_ENOMEM, "not enough memory");
    return result;
}

void *kci_alloc(kc_context *context, size_t size)
{
    void *block = kci_resize(context, NULL, 0, size ? size : 1);
    if (block)
        memset(block, 0, size ? size : 1);
    return block;
}

void kci_free(kc_context *context, void *block, size_t size)
{
    if (block)
        context->resize(context->data, block, size ? size : 1, 0);
}

char *kci_copy_text(kc_context *context, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = kci_resize(context, NULL, 0, size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void kci_free_text(kc_context *context, char *text)
{
    if (text)
        kci_free(context, text, strlen(text) + 1);
}

bool kci_reserve(kc_context *context, void *array, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return true;
    size_t grown = *capacity ? *capacity : 8;
    while (grown < need) {
        if (grown > SIZE_MAX / 2 / size) {
            kci_fail(context, KC_ENOMEM, "not enough memory");
            return false;
        }
        grown *= 2;
    }
    void *block;
    memcpy(&block, array, sizeof block);
    block = kci_resize(context, block, *capacity * size, grown * size);
    if (!block)
        return false;
    memcpy(array, &block, sizeof block);
    *capacity = grown;
    return true;
}

/* ---- objects ------------------------------------------------------------ */

void *kci_new(kc_context *context, kc_kind kind, size_t size)
{
    kc_object *object = context ? kci_alloc(context, size) : NULL;
    if (!object)
        return NULL;
    object->kind = kind;
    object->refs = 1;
    object->context = context;
    context->refs++;
    return object;
}

void *kc_retain(void *object)
{
    kc_object *base = object;
    if (base)
        base->refs++;
    return object;
}

/* Objects that die while another is being taken apart wait in a list, so the
 * depth of a graph never becomes depth of the C stack. */
void kc_release(void *object)
{
    kc_object *base = object;
    if (!base || --base->refs > 0)
        return;
    kc_context *context = base->context;
    base->next_dead = context->dead;
    context->dead = base;
    if (context->freeing)
        return;
    context->freeing = true;
    uint32_t freed = 0;
    while (context->dead) {
        kc_object *next = context->dead;
        context->dead = next->next_dead;
        kci_free_text(context, next->text);
        kci_free_text(context, next->json);
        kci_destroy(next);
        freed++;
    }
    context->freeing = false;
    context->refs -= freed - 1; /* the last drop may free the context */
    context_drop(context);
}

kc_kind kc_object_kind(const kc_object *object)
{
    return object->kind;
}

kc_context *kc_object_context(const kc_object *object)
{
    return object ? object->context : NULL;
}

kc_status kci_same_context(kc_context *context, const void *object, const char *call)
{
    const kc_object *other = object;
    if (!other || other->context == context)
        return KC_OK;
    return kci_fail(context, KC_EARGUMENT, "%s: %s '%.80s' was made in another context", call,
                    other->kind == KC_VALUE ? "a value" : "the object", kc_object_name(other));
}

bool kci_array_given(kc_context *context, const char *call, const char *argument, const void *array, size_t count)
{
    if (array || count == 0)
        return true;
    kci_fail(context, KC_EARGUMENT, "%s: %s is NULL, and its count %zu", call, argument, count);
    return false;
}

bool kci_handles_given(kc_context *context, const char *call, const char *argument, const void *array, size_t count)
{
    const void *const *handles = array;
    bool given = kci_array_given(context, call, argument, array, count);
    for (size_t i = 0; i < count && given; i++)
        given = handles[i] != NULL;
    return given;
}

bool kci_texts_given(kc_context *context, const char *call, const char *argument, const char *const *texts, size_t count)
{
    if (!kci_array_given(context, call, argument, texts, count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!texts[i]) {
            kci_fail(context, KC_EARGUMENT, "%s: %s: text %zu is NULL", call, argument, i + 1);
            return false;
        }
    return true;
}

uint64_t kci_next_sequence(kc_context *context)
{
    return ++context->sequence;
}

/* ---- names --------------------------------------------------------------- */

static uint32_t hash_name(const char *name, size_t length)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

static bool grow_buckets(kc_context *context)
{
    size_t count = context->bucket_count ? context->bucket_count * 2 : 64;
    kci_symbol *buckets = kci_alloc(context, count * sizeof *buckets);
    if (!buckets)
        return false;
    for (size_t i = 1; i < context->symbol_count; i++) {
        symbol *s = &context->symbols[i];
        s->next = buckets[s->hash % count];
        buckets[s->hash % count] = (kci_symbol)i;
    }
    kci_free(context, context->buckets, context->bucket_count * sizeof *buckets);
    context->buckets = buckets;
    context->bucket_count = count;
    return true;
}

kci_symbol kci_intern(kc_context *context, const char *name, size_t length)
{
    uint32_t hash = hash_name(name, length);
    if (context->bucket_count)
        for (kci_symbol i = context->buckets[hash % context->bucket_count]; i; i = context->symbols[i].next) {
            const symbol *s = &context->symbols[i];
            if (s->hash == hash && s->length == length && memcmp(s->name, name, length) == 0)
                return i;
        }
    if (context->symbol_count == 0)
        context->symbol_count = 1;
    if (!kci_reserve(context, &context->symbols, &context->symbol_capacity, context->symbol_count + 1,
                     sizeof(symbol)))
        return 0;
    if (context->symbol_count >= context->bucket_count && !grow_buckets(context))
        return 0;
    char *copy = kci_resize(context, NULL, 0, length + 1);
    if (!copy)
        return 0;
    memcpy(copy, name, length);
    copy[length] = '\0';
    kci_symbol id = (kci_symbol)context->symbol_count++;
    kci_symbol *bucket = &context->buckets[hash % context->bucket_count];
    context->symbols[id] = (symbol){ copy, length, hash, *bucket };
    *bucket = id;
    return id;
}

bool kci_intern_ahead(kc_context *context, size_t more)
{
    return kci_reserve(context, &context->symbols, &context->symbol_capacity, context->symbol_count + more, sizeof(symbol));
}

const char *kci_name(const kc_context *context, kci_symbol id)
{
    return !id ? "" : context->names ? context->names->symbols[id].name : context->symbols[id].name;
}

/* ---- errors -------------------------------------------------------------- */

kc_status kci_fail(kc_context *context, kc_status status, const char *format, ...)
{
    if (!context)
        return status;
    char message[MESSAGE_BYTES]; /* an argument may be the old message */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->status = status;
    memcpy(context->message, message, sizeof message);
    return status;
}
