/* options.c: the options of count and evaluate. */
#include <string.h>

#include "ask.h"
#include "object.h"

static const char *const keys[] = { "l2", "cache", "launch", "convention", "cache.TENSOR",
                                    "convention.SWITCH", "measured", NULL };
static const char *const caches[] = { "cold", "warm", NULL };
static const char *const regimes[] = {
    [KCI_STREAM] = "stream", [KCI_GRAPH] = "graph", [KCI_EAGER] = "eager", [KCI_NO_LAUNCH] = "none", NULL
};

static const char *nth(const void *names, size_t i)
{
    const char *const *list = names;
    return list[i];
}

kc_options *kc_options_new(kc_context *context)
{
    if (!context)
        return NULL;
    kc_options *options = kci_new(context, KC_OPTIONS, sizeof *options);
    if (options)
        options->convention = kci_convention_default();
    return options;
}

static kc_status add_tensor_cache(kc_options *options, const char *tensor, bool warm)
{
    kc_context *context = options->base.context;
    char *copy = kci_copy_text(context, tensor);
    if (!copy)
        return KC_ENOMEM;
    if (!kci_reserve(context, &options->caches, &options->cache_capacity, options->cache_count + 1,
                     sizeof *options->caches)) {
        kci_free_text(context, copy);
        return KC_ENOMEM;
    }
    options->caches[options->cache_count++] = (kci_tensor_cache){ copy, warm };
    return KC_OK;
}

static kc_status set_tensor_cache(kc_options *options, const char *tensor, bool warm)
{
    if (kci_spend_names(options->base.context, "options", tensor, options->cache_count) != KC_OK)
        return KC_ELIMIT;
    for (size_t i = 0; i < options->cache_count; i++)
        if (strcmp(options->caches[i].tensor, tensor) == 0) {
            options->caches[i].warm = warm;
            return KC_OK;
        }
    return add_tensor_cache(options, tensor, warm);
}

kc_options *kci_options_copy(const kc_options *from)
{
    kc_context *context = from->base.context;
    kc_options *to = kc_options_new(context);
    if (!to)
        return NULL;
    to->no_l2 = from->no_l2;
    to->warm = from->warm;
    to->regime = from->regime;
    to->convention = from->convention;
    to->own_convention = from->own_convention;
    to->measured = from->measured;
    for (size_t i = 0; i < from->cache_count; i++)
        if (add_tensor_cache(to, from->caches[i].tensor, from->caches[i].warm) != KC_OK) {
            kc_release(to);
            return NULL;
        }
    return to;
}

void kci_options_destroy(kc_object *object)
{
    kc_options *options = (kc_options *)(void *)object;
    for (size_t i = 0; i < options->cache_count; i++)
        kci_free_text(object->context, options->caches[i].tensor);
    kci_free(object->context, options->caches, options->cache_capacity * sizeof *options->caches);
    kci_free(object->context, options, sizeof *options);
}

static kc_status unknown(kc_options *options, const char *key)
{
    kc_context *context = options->base.context;
    return kci_fail(context, KC_EARGUMENT,
                    "there is no option '%s'%s (l2, cache, launch, convention, measured)", key,
                    kci_nearest(context, key, nth, keys));
}

/* The place of `text` in the list, or -1 with the sentence. */
static int choose(kc_options *options, const char *key, const char *text, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    kc_context *context = options->base.context;
    char list[KCI_PART_BYTES];
    kci_text all = kci_text_part(context, list, sizeof list);
    for (int i = 0; names[i]; i++)
        kci_text_format(&all, "%s'%s'", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
    kci_fail(context, KC_EARGUMENT, "option '%s' is %s, not '%s'%s", key, list, text, kci_nearest(context, text, nth, names));
    return -1;
}

/* The nearest ones are named, or all where none is near. */
static kc_status no_convention(kc_context *context, const char *name)
{
    const char *known, *near = kci_nearest(context, name, kci_convention_nth, NULL);
    char list[2 * KCI_PART_BYTES];
    kci_text all = kci_text_part(context, list, sizeof list);
    for (size_t i = 0; !*near && (known = kci_convention_nth(NULL, i)) != NULL; i++)
        kci_text_format(&all, "%s'%s'", i == 0 ? "; there are " : ", ", known);
    return kci_fail(context, KC_EARGUMENT, "there is no convention '%.80s'%s%s", name, near, list);
}

static kc_status set_convention(kc_options *options, const char *name)
{
    kc_context *context = options->base.context;
    const kci_convention *bundle = kci_convention_named(name);
    if (!bundle)
        return no_convention(context, name);
    options->convention = *bundle;
    options->own_convention = strcmp(name, kci_convention_nth(NULL, 0)) != 0;
    return KC_OK;
}

/* "as" is the bundle that others then change. */
static kc_status set_switch(kc_options *options, const char *name, double value, const char *text)
{
    if (text && strcmp(name, "as") == 0)
        return set_convention(options, text);
    kc_status status =
        kci_convention_set(&options->convention, options->base.context, name, value, text);
    options->own_convention |= status == KC_OK;
    return status;
}

static bool after(const char *key, const char *prefix, const char **rest)
{
    size_t length = strlen(prefix);
    *rest = key + length;
    return strncmp(key, prefix, length) == 0 && **rest;
}

/* No kernel ends within a clock cycle, and rates and ratios of such a time stay finite; none runs for decades. */
static const double SHORTEST = 1e-12, LONGEST = 1e9;

static kc_status set_measured(kc_options *options, double seconds)
{
    char number[32];
    if (!(seconds >= SHORTEST && seconds <= LONGEST)) {
        kci_format_number(seconds, number);
        return kci_fail(options->base.context, KC_EARGUMENT,
                        "option 'measured' is %s, and a time in seconds from 1e-12 to 1e9 is wanted", number);
    }
    options->measured = seconds;
    return KC_OK;
}

kc_status kc_options_set(kc_options *options, const char *key, double value)
{
    if (!options || !key)
        return options ? kci_fail(options->base.context, KC_EARGUMENT, "options: no key") : KC_EARGUMENT;
    const char *rest;
    if (after(key, "convention.", &rest))
        return set_switch(options, rest, value, NULL);
    if (strcmp(key, "l2") == 0) {
        if (value != 0 && value != 1)
            return kci_fail(options->base.context, KC_EARGUMENT, "option 'l2' is true or false");
        options->no_l2 = value == 0;
        return KC_OK;
    }
    if (strcmp(key, "measured") == 0)
        return set_measured(options, value);
    if (strcmp(key, "cache") == 0 || strcmp(key, "launch") == 0 || strcmp(key, "convention") == 0 ||
        after(key, "cache.", &rest))
        return kci_fail(options->base.context, KC_EARGUMENT, "option '%s' is a name, not a number", key);
    return unknown(options, key);
}

kc_status kc_options_set_text(kc_options *options, const char *key, const char *text)
{
    if (!options || !key || !text)
        return options ? kci_fail(options->base.context, KC_EARGUMENT, "options: no key or value")
                       : KC_EARGUMENT;
    const char *rest;
    int place;
    if (strcmp(key, "cache") == 0) {
        if ((place = choose(options, key, text, caches)) < 0)
            return KC_EARGUMENT;
        options->warm = place == 1;
        return KC_OK;
    }
    if (after(key, "cache.", &rest)) {
        place = choose(options, key, text, caches);
        return place < 0 ? KC_EARGUMENT : set_tensor_cache(options, rest, place == 1);
    }
    if (strcmp(key, "launch") == 0) {
        if ((place = choose(options, key, text, regimes)) < 0)
            return KC_EARGUMENT;
        options->regime = (kci_regime)place;
        return KC_OK;
    }
    if (strcmp(key, "convention") == 0)
        return set_convention(options, text);
    if (after(key, "convention.", &rest))
        return set_switch(options, rest, 0, text);
    if (strcmp(key, "l2") == 0)
        return kci_fail(options->base.context, KC_EARGUMENT, "option 'l2' is true or false, not '%s'", text);
    if (strcmp(key, "measured") == 0)
        return kci_fail(options->base.context, KC_EARGUMENT, "option 'measured' is a time in seconds, not '%s'", text);
    return unknown(options, key);
}

void kci_print_options(kci_text *text, const kc_object *object)
{
    const kc_options *options = (const kc_options *)(const void *)object;
    kci_text_format(text, "l2 %s, cache %s, launch %s; ", options->no_l2 ? "off" : "on",
                    caches[options->warm], regimes[options->regime]);
    kci_convention_line(&options->convention, text);
}
