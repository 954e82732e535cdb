/* schedule.c: building a schedule, setter by setter; design, section 4. */
#include "schedule.h"

#include <math.h>
#include <string.h>

#include "object.h"
#include "tensor.h"

static const char *const overlaps[] = { "none", "load", "all" };
static const char *const paths[] = { "mma", "wgmma", "tcgen05", "mfma" };

#define ENTRY_LISTS(X) X(tile) X(grid) X(order) X(stages) X(split) X(hold) X(place) X(raster) X(cluster)

kc_schedule *kc_schedule_new(kc_context *context)
{
    if (!context)
        return NULL;
    kc_schedule *schedule = kci_new(context, KC_SCHEDULE, sizeof *schedule);
    if (schedule)
        schedule->overlap = KCI_OVERLAP_LOAD;
    return schedule;
}

void kci_schedule_destroy(kc_object *object)
{
    kc_schedule *s = (kc_schedule *)(void *)object;
#define FREE(list) kci_free(object->context, s->list.items, s->list.capacity * sizeof *s->list.items);
    ENTRY_LISTS(FREE)
#undef FREE
    kci_free_text(object->context, s->path);
    kci_free(object->context, s, sizeof *s);
}

static kc_status put(kc_context *context, kci_entries *entries, kci_symbol name, double number)
{
    for (size_t i = 0; i < entries->count; i++)
        if (entries->items[i].name == name) {
            entries->items[i].number = number;
            return KC_OK;
        }
    if (!kci_reserve(context, &entries->items, &entries->capacity, entries->count + 1, sizeof(kci_entry)))
        return KC_ENOMEM;
    entries->items[entries->count++] = (kci_entry){ name, number };
    entries->given = true;
    return KC_OK;
}

static bool copy_entries(kc_context *context, kci_entries *to, const kci_entries *from)
{
    to->given = from->given;
    if (from->count == 0)
        return true;
    if (!kci_reserve(context, &to->items, &to->capacity, from->count, sizeof(kci_entry)))
        return false;
    memcpy(to->items, from->items, from->count * sizeof(kci_entry));
    to->count = from->count;
    return true;
}

kc_schedule *kci_schedule_copy(const kc_schedule *from)
{
    kc_schedule *to = kc_schedule_new(from->base.context);
    if (!to)
        return NULL;
    bool ok = true;
#define COPY(list)                                                                                         \
    ok = ok && copy_entries(to->base.context, &to->list, &from->list);
    ENTRY_LISTS(COPY)
#undef COPY
    to->all_stages = from->all_stages;
    to->warps = from->warps;
    to->raster_group = from->raster_group;
    to->vector = from->vector;
    to->threads = from->threads;
    to->atomic = from->atomic;
    to->combine_given = from->combine_given;
    to->persistent = from->persistent;
    to->overlap = from->overlap;
    to->overlap_given = from->overlap_given;
    if (ok && from->path)
        ok = (to->path = kci_copy_text(to->base.context, from->path)) != NULL;
    if (ok)
        return to;
    kc_release(to);
    return NULL;
}

kc_status kci_schedule_rename(kc_schedule *s, const kci_symbol *from, const kci_symbol *to, size_t count)
{
#define RENAME(list)                                                                                       \
    for (size_t i = 0; i < s->list.count; i++)                                                             \
        for (size_t n = 0; n < count; n++)                                                                 \
            if (s->list.items[i].name == from[n]) {                                                        \
                s->list.items[i].name = to[n];                                                             \
                break;                                                                                     \
            }
    RENAME(tile) RENAME(grid) RENAME(order) RENAME(split) RENAME(raster) RENAME(cluster)
#undef RENAME
    return KC_OK;
}

/* ---- setters ------------------------------------------------------------------- */

static kci_symbol symbol(kc_schedule *s, const char *option, const char *name)
{
    if (!name || !*name) {
        kci_fail(s->base.context, KC_EARGUMENT, "tile: %s: a name is missing", option);
        return 0;
    }
    return kci_intern(s->base.context, name, strlen(name));
}

/* A whole number of at least 1; else the sentence. */
static kc_status whole(kc_schedule *s, const char *option, const char *of, double n)
{
    if (n >= 1 && n < KCI_MAX_SIZE && floor(n) == n)
        return KC_OK;
    char number[32];
    strcpy(number, isnan(n) ? "nan" : "infinite");
    if (isfinite(n))
        kci_format_number(n, number);
    return kci_fail(s->base.context, KC_EARGUMENT, "tile: %s%s%.80s%s must be a whole number of at least 1, not %s", option,
                    of ? " of '" : "", of ? of : "", of ? "'" : "", number);
}

kc_status kc_schedule_tile(kc_schedule *s, const char *dim, double size)
{
    if (!s)
        return KC_EARGUMENT;
    kci_symbol name = symbol(s, "sizes", dim);
    if (!name)
        return kc_context_status(s->base.context);
    kc_status status = whole(s, "the tile", dim, size);
    return status ? status : put(s->base.context, &s->tile, name, size);
}

static kc_status put_names(kc_schedule *s, kci_entries *entries, const char *option, const char *dims)
{
    kci_symbol *names;
    size_t count;
    char what[32];
    memcpy(what, option, strlen(option) + 1);
    kc_status status = kci_names_parse(s->base.context, "tile", what, dims ? dims : "", &names, &count);
    if (status)
        return status;
    if (kci_reserve(s->base.context, &entries->items, &entries->capacity, count, sizeof(kci_entry))) {
        for (size_t i = 0; i < count; i++)
            entries->items[i] = (kci_entry){ names[i], 0 };
        entries->count = count;
        entries->given = true;
    } else {
        status = KC_ENOMEM;
    }
    kci_free(s->base.context, names, count * sizeof *names);
    return status;
}

kc_status kc_schedule_grid(kc_schedule *s, const char *dims)
{
    return s ? put_names(s, &s->grid, "grid", dims) : KC_EARGUMENT;
}

kc_status kc_schedule_order(kc_schedule *s, const char *dims)
{
    return s ? put_names(s, &s->order, "order", dims) : KC_EARGUMENT;
}

kc_status kc_schedule_stages(kc_schedule *s, const char *tensor, double n)
{
    if (!s)
        return KC_EARGUMENT;
    kc_status status = whole(s, "stages", tensor, n);
    if (status)
        return status;
    if (!tensor) {
        s->all_stages = n;
        return KC_OK;
    }
    kci_symbol name = symbol(s, "stages", tensor);
    return name ? put(s->base.context, &s->stages, name, n) : kc_context_status(s->base.context);
}

kc_status kc_schedule_warps(kc_schedule *s, double n)
{
    if (!s)
        return KC_EARGUMENT;
    kc_status status = whole(s, "warps", NULL, n);
    if (!status)
        s->warps = n;
    return status;
}

kc_status kc_schedule_split(kc_schedule *s, const char *dim, double n)
{
    if (!s)
        return KC_EARGUMENT;
    kci_symbol name = symbol(s, "split", dim);
    if (!name)
        return kc_context_status(s->base.context);
    kc_status status = n == 0 ? KC_OK : whole(s, "split", dim, n);
    return status ? status : put(s->base.context, &s->split, name, n);
}

kc_status kc_schedule_combine(kc_schedule *s, const char *how)
{
    if (!s)
        return KC_EARGUMENT;
    bool atomic = how && strcmp(how, "atomic") == 0;
    if (!atomic && (!how || strcmp(how, "kernel") != 0))
        return kci_fail(s->base.context, KC_EARGUMENT, "tile: combine must be \"kernel\" or \"atomic\", not '%.80s'",
                        how ? how : "");
    s->atomic = atomic;
    s->combine_given = true;
    return KC_OK;
}

kc_status kc_schedule_hold(kc_schedule *s, const char *tensor)
{
    if (!s)
        return KC_EARGUMENT;
    kci_symbol name = symbol(s, "hold", tensor);
    return name ? put(s->base.context, &s->hold, name, 1) : kc_context_status(s->base.context);
}

kc_status kc_schedule_place(kc_schedule *s, const char *tensor, const char *where)
{
    if (!s)
        return KC_EARGUMENT;
    bool registers = where && strcmp(where, "registers") == 0;
    if (!registers && (!where || strcmp(where, "smem") != 0))
        return kci_fail(s->base.context, KC_EARGUMENT, "tile: place of '%.80s' must be \"registers\" or \"smem\", not '%.80s'",
                        tensor ? tensor : "", where ? where : "");
    kci_symbol name = symbol(s, "place", tensor);
    return name ? put(s->base.context, &s->place, name, registers) : kc_context_status(s->base.context);
}

kc_status kc_schedule_raster(kc_schedule *s, const char *dims, double group)
{
    if (!s)
        return KC_EARGUMENT;
    kc_status status = group == 0 ? KC_OK : whole(s, "the raster's group", NULL, group);
    if (!status)
        status = put_names(s, &s->raster, "raster", dims);
    if (!status)
        s->raster_group = group;
    return status;
}

kc_status kc_schedule_cluster(kc_schedule *s, const char *dim, double n)
{
    if (!s)
        return KC_EARGUMENT;
    kci_symbol name = symbol(s, "cluster", dim);
    if (!name)
        return kc_context_status(s->base.context);
    kc_status status = whole(s, "cluster", dim, n);
    return status ? status : put(s->base.context, &s->cluster, name, n);
}

kc_status kc_schedule_persistent(kc_schedule *s, int on)
{
    if (!s)
        return KC_EARGUMENT;
    s->persistent = on != 0;
    return KC_OK;
}

kc_status kc_schedule_vector(kc_schedule *s, double bytes)
{
    if (!s)
        return KC_EARGUMENT;
    kc_status status = whole(s, "vector", NULL, bytes);
    if (!status)
        s->vector = bytes;
    return status;
}

kc_status kc_schedule_threads(kc_schedule *s, double n)
{
    if (!s)
        return KC_EARGUMENT;
    kc_status status = whole(s, "threads", NULL, n);
    if (!status)
        s->threads = n;
    return status;
}

static const char *nth_path(const void *unused, size_t i)
{
    (void)unused;
    return i < sizeof paths / sizeof paths[0] ? paths[i] : NULL;
}

kc_status kc_schedule_path(kc_schedule *s, const char *path)
{
    if (!s)
        return KC_EARGUMENT;
    for (size_t i = 0; path && i < sizeof paths / sizeof paths[0]; i++)
        if (strcmp(path, paths[i]) == 0) {
            char *copy = kci_copy_text(s->base.context, path);
            if (!copy)
                return KC_ENOMEM;
            kci_free_text(s->base.context, s->path);
            s->path = copy;
            return KC_OK;
        }
    return kci_fail(s->base.context, KC_EARGUMENT,
                    "tile: path must be \"mma\", \"wgmma\", \"tcgen05\" or \"mfma\", not '%.80s'%s", path ? path : "",
                    kci_nearest(s->base.context, path ? path : "", nth_path, NULL));
}

kc_status kc_schedule_overlap(kc_schedule *s, const char *overlap)
{
    if (!s)
        return KC_EARGUMENT;
    for (int i = 0; overlap && i < 3; i++)
        if (strcmp(overlap, overlaps[i]) == 0) {
            s->overlap = (kci_overlap)i;
            s->overlap_given = true;
            return KC_OK;
        }
    return kci_fail(s->base.context, KC_EARGUMENT, "tile: overlap must be \"none\", \"load\" or \"all\", not '%.80s'",
                    overlap ? overlap : "");
}

/* ---- printing --------------------------------------------------------------------- */

static void print_names(kci_text *text, const char *label, const kci_entries *entries)
{
    if (!entries->given)
        return;
    kci_text_format(text, ", %s \"", label);
    for (size_t i = 0; i < entries->count; i++)
        kci_text_format(text, "%s%s", i ? " " : "", kci_name(text->context, entries->items[i].name));
    kci_text_add(text, "\"");
}

static void print_numbers(kci_text *text, const char *label, const kci_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        kci_text_format(text, ", %s%s = ", i ? "" : label, kci_name(text->context, entries->items[i].name));
        kci_text_number(text, entries->items[i].number);
    }
}

/* A number that was given, none being 0. */
static void print_number(kci_text *text, const char *label, double number)
{
    if (number > 0) {
        kci_text_format(text, ", %s ", label);
        kci_text_number(text, number);
    }
}

static void print_split(kci_text *text, const kci_entries *split)
{
    for (size_t i = 0; i < split->count; i++) {
        kci_text_format(text, ", split %s = ", kci_name(text->context, split->items[i].name));
        if (split->items[i].number == 0)
            kci_text_add(text, "stream");
        else
            kci_text_number(text, split->items[i].number);
    }
}

void kci_print_schedule(kci_text *text, const kc_object *object)
{
    const kc_schedule *s = (const kc_schedule *)(const void *)object;
    kci_text_add(text, "schedule");
    for (size_t i = 0; i < s->tile.count; i++) {
        kci_text_format(text, "%s%s = ", i ? ", " : " ", kci_name(text->context, s->tile.items[i].name));
        kci_text_number(text, s->tile.items[i].number);
    }
    print_names(text, "grid", &s->grid);
    print_names(text, "order", &s->order);
    print_number(text, "stages", s->all_stages);
    print_numbers(text, "stages ", &s->stages);
    print_number(text, "warps", s->warps);
    print_split(text, &s->split);
    if (s->combine_given)
        kci_text_format(text, ", combine %s", s->atomic ? "atomic" : "kernel");
    print_names(text, "hold", &s->hold);
    for (size_t i = 0; i < s->place.count; i++)
        kci_text_format(text, ", place %s = %s", kci_name(text->context, s->place.items[i].name),
                        s->place.items[i].number > 0 ? "registers" : "smem");
    print_names(text, "raster", &s->raster);
    print_number(text, "group", s->raster_group);
    print_numbers(text, "cluster ", &s->cluster);
    kci_text_add(text, s->persistent ? ", persistent" : "");
    print_number(text, "vector", s->vector);
    print_number(text, "threads", s->threads);
    if (s->path)
        kci_text_format(text, ", path %s", s->path);
    if (s->overlap_given)
        kci_text_format(text, ", overlap %s", overlaps[s->overlap]);
}
