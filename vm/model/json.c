/* json.c: results, comparisons and devices as JSON, in the field order of section 6. */
#include "json.h"

#include <string.h>

#include "ask.h"
#include "profile.h"
#include "result.h"
#include "sweep.h"

/* ---- strings ------------------------------------------------------------------------ */

/* Length of the UTF-8 sequence at the start, 0 where there is none (RFC 3629: no
 * overlong forms, no surrogates, nothing above U+10FFFF). */
static size_t utf8_length(const unsigned char *at, size_t left)
{
    unsigned char lead = at[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length == 0 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((lead == 0xe0 && at[1] < 0xa0) || (lead == 0xed && at[1] > 0x9f) ||
        (lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] > 0x8f))
        return 0;
    return length;
}

static void add_escape(kci_text *text, unsigned char c)
{
    switch (c) {
    case '"': kci_text_add(text, "\\\""); break;
    case '\\': kci_text_add(text, "\\\\"); break;
    case '\b': kci_text_add(text, "\\b"); break;
    case '\f': kci_text_add(text, "\\f"); break;
    case '\n': kci_text_add(text, "\\n"); break;
    case '\r': kci_text_add(text, "\\r"); break;
    case '\t': kci_text_add(text, "\\t"); break;
    default: kci_text_format(text, "\\u%04x", (unsigned)c);
    }
}

void kci_json_string(kci_text *text, const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t plain = 0; /* start of what needs no change */
    kci_text_add(text, "\"");
    for (size_t i = 0; i < length;) {
        size_t size = utf8_length(at + i, length - i);
        if (size > 0 && at[i] >= 0x20 && at[i] != '"' && at[i] != '\\' && at[i] != 0x7f) {
            i += size;
            continue;
        }
        kci_text_add_n(text, bytes + plain, i - plain);
        if (size == 0)
            kci_text_add(text, "\xef\xbf\xbd"); /* U+FFFD */
        else
            add_escape(text, at[i]);
        plain = ++i;
    }
    kci_text_add_n(text, bytes + plain, length - plain);
    kci_text_add(text, "\"");
}

static void add_string(kci_text *text, const char *string)
{
    kci_json_string(text, string, strlen(string));
}

/* ---- nested members by dotted paths ---------------------------------------------------- */

void kci_json_begin(kci_json_paths *paths, kci_text *text)
{
    paths->text = text;
    paths->length = 0;
    paths->empty = true;
    kci_text_add(text, "{");
}

static void separate(kci_json_paths *paths)
{
    if (!paths->empty)
        kci_text_add(paths->text, ",");
    paths->empty = false;
}

/* Closes inner objects until the open one is a beginning of `path`. */
static void close_to(kci_json_paths *paths, const char *path)
{
    while (paths->length && strncmp(paths->open, path, paths->length) != 0) {
        kci_text_add(paths->text, "}");
        paths->empty = false;
        paths->length--; /* the dot at its end */
        while (paths->length && paths->open[paths->length - 1] != '.')
            paths->length--;
    }
}

void kci_json_key(kci_json_paths *paths, const char *path)
{
    close_to(paths, path);
    const char *rest = path + paths->length, *dot;
    while ((dot = strchr(rest, '.')) != NULL && (size_t)(dot + 1 - path) < sizeof paths->open) {
        separate(paths);
        kci_json_string(paths->text, rest, (size_t)(dot - rest));
        kci_text_add(paths->text, ":{");
        paths->empty = true;
        paths->length = (size_t)(dot + 1 - path);
        memcpy(paths->open, path, paths->length);
        rest = dot + 1;
    }
    separate(paths);
    add_string(paths->text, rest);
    kci_text_add(paths->text, ":");
}

void kci_json_end(kci_json_paths *paths)
{
    close_to(paths, "");
    kci_text_add(paths->text, "}");
}

static void member_text(kci_json_paths *paths, const char *path, const char *string)
{
    if (!string)
        return;
    kci_json_key(paths, path);
    add_string(paths->text, string);
}

static void member_number(kci_json_paths *paths, const char *path, double number)
{
    kci_json_key(paths, path);
    kci_text_number(paths->text, number);
}

/* ---- results ------------------------------------------------------------------------------ */

static void add_fields(kci_json_paths *paths, const kc_result *r, kc_field from, kc_field to)
{
    for (int f = (int)from; f <= (int)to; f++)
        if (r->has[f])
            member_number(paths, kc_field_name((kc_field)f), r->field[f]);
}

static void add_tensors(kci_json_paths *paths, const kc_result *r)
{
    kci_json_key(paths, "tensors");
    kci_text_add(paths->text, "[");
    for (size_t i = 0; i < r->row_count; i++) {
        kci_json_paths row;
        if (i)
            kci_text_add(paths->text, ",");
        kci_json_begin(&row, paths->text);
        member_text(&row, "name", r->rows[i].name);
        for (int c = 0; c < KC_LEDGER_COUNT; c++)
            member_number(&row, kc_ledger_name((kc_ledger)c), r->rows[i].column[c]);
        kci_json_end(&row);
    }
    kci_text_add(paths->text, "]");
}

static void add_result(kci_json_paths *paths, const kc_result *r);

static void add_kernels(kci_json_paths *paths, const kc_result *r)
{
    if (r->kernel_count == 0)
        return;
    kci_json_key(paths, "kernels");
    kci_text_add(paths->text, "[");
    for (size_t i = 0; i < r->kernel_count; i++) {
        kci_json_paths kernel;
        if (i)
            kci_text_add(paths->text, ",");
        kci_json_begin(&kernel, paths->text);
        add_result(&kernel, r->kernels[i]);
        kci_json_end(&kernel);
    }
    kci_text_add(paths->text, "]");
}

/* The members of a result, in the order of section 6's table. */
static void add_result(kci_json_paths *paths, const kc_result *r)
{
    member_text(paths, "name", r->name);
    member_text(paths, "device", r->device);
    if (r->own_convention)
        member_text(paths, "convention", r->convention);
    add_fields(paths, r, KC_FLOPS, KC_BYTES_MIN);
    add_tensors(paths, r);
    add_fields(paths, r, KC_INTENSITY, KC_TIME_DRAIN);
    member_text(paths, "bound", r->bound);
    member_text(paths, "class", r->class_name);
    add_fields(paths, r, KC_THROUGHPUT, KC_LINK_STEPS);
    if (r->schedule_json) {
        kci_json_key(paths, "schedule");
        kci_text_add(paths->text, r->schedule_json);
    }
    add_kernels(paths, r);
    kci_json_key(paths, "notes");
    kci_text_add(paths->text, "[");
    for (size_t i = 0; i < r->notes.count; i++) {
        if (i)
            kci_text_add(paths->text, ",");
        add_string(paths->text, r->notes.items[i]);
    }
    kci_text_add(paths->text, "]");
}

static void result_document(kci_text *text, const kc_result *r)
{
    kci_json_paths paths;
    kci_json_begin(&paths, text);
    member_text(&paths, "kind", "result");
    add_result(&paths, r);
    kci_json_end(&paths);
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static void add_ratios(kci_json_paths *paths, const kc_comparison *c, size_t row)
{
    kc_field field;
    for (size_t i = 0; (field = kci_ratio_field(i)) != KC_FIELD_COUNT; i++) {
        char path[64] = "ratio.";
        double ratio;
        if (kc_comparison_ratio(c, row, field, &ratio) == KC_OK) {
            strcat(path, kc_field_name(field));
            member_number(paths, path, ratio);
        }
    }
}

static void comparison_document(kci_text *text, const kc_comparison *c)
{
    kci_json_paths paths;
    kci_json_begin(&paths, text);
    member_text(&paths, "kind", "comparison");
    kci_json_key(&paths, "devices");
    kci_text_add(text, "[");
    for (size_t i = 0; i < c->device_count; i++) {
        if (i)
            kci_text_add(text, ",");
        add_string(text, c->devices[i]);
    }
    kci_text_add(text, "]");
    kci_json_key(&paths, "results");
    kci_text_add(text, "[");
    for (size_t i = 0; i < c->row_count; i++) {
        kci_json_paths row;
        if (i)
            kci_text_add(text, ",");
        kci_json_begin(&row, text);
        if (c->rows[i].result) {
            add_result(&row, c->rows[i].result);
            add_ratios(&row, c, i);
        } else {
            member_text(&row, "name", c->rows[i].name);
            member_text(&row, "device", kc_comparison_device(c, i));
            member_text(&row, "error", c->rows[i].error);
        }
        kci_json_end(&row);
    }
    kci_text_add(text, "]");
    kci_json_end(&paths);
}

/* ---- devices, and all kinds --------------------------------------------------------------------- */

static void device_document(kci_text *text, const kc_device *device)
{
    kci_json_paths paths;
    kci_json_begin(&paths, text);
    member_text(&paths, "kind", "device");
    member_text(&paths, "id", kc_object_name((const kc_object *)(const void *)device));
    const char *path;
    for (size_t i = 0; (path = kc_device_path(device, i)) != NULL; i++) {
        const char *word = kc_device_get_text(device, path);
        double number;
        if (word)
            member_text(&paths, path, word);
        else if (kc_device_get(device, path, &number) == KC_OK)
            member_number(&paths, path, number);
    }
    for (size_t i = 0; (path = kc_device_path(device, i)) != NULL; i++) {
        kci_text source = { .context = text->context };
        kci_text_format(&source, "source.%s", path);
        text->failed |= source.failed;
        if (!source.failed)
            member_text(&paths, source.bytes, kc_device_get_text(device, source.bytes));
        kci_text_free(&source);
    }
    kci_json_end(&paths);
}

kc_status kci_json_object(kci_text *text, kc_object *object)
{
    switch (object->kind) {
    case KC_RESULT:
        if (kci_result_words((const kc_result *)(const void *)object) != KC_OK)
            return KC_ENOMEM;
        result_document(text, (const kc_result *)(const void *)object);
        break;
    case KC_COMPARISON:
        comparison_document(text, (const kc_comparison *)(const void *)object);
        break;
    case KC_SWEEP:
        return kci_sweep_json(text, (const kc_sweep *)(const void *)object);
    case KC_PROFILE:
        return kci_profile_json(text, (kc_profile *)(void *)object);
    case KC_DEVICE:
        device_document(text, (const kc_device *)(const void *)object);
        break;
    case KC_KERNEL:
    case KC_PROGRAM:
    case KC_TENSOR: {
        kc_result *r = kc_count(object, NULL);
        if (!r)
            return kc_context_status(object->context);
        result_document(text, r);
        kc_release(r);
        break;
    }
    default:
        return kci_fail(object->context, KC_EARGUMENT, "json: only results, comparisons, devices, profiles, and what "
                        "can be counted (kernels, programs, written tensors) have a JSON form");
    }
    return text->failed ? KC_ENOMEM : KC_OK;
}

const char *kc_json(kc_object *object)
{
    if (!object)
        return NULL;
    kci_text text = { .context = object->context };
    if (kci_json_object(&text, object) == KC_OK)
        return kci_text_keep(&text, &object->json);
    kci_text_free(&text);
    return NULL;
}
