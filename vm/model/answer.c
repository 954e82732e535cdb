/* answer.c: results through the public accessors, as any host reads them. */
#include <string.h>

#include "ask.h"
#include "result.h"

kc_status kc_result_number(const kc_result *r, kc_field field, double *value)
{
    if (!r || field < 0 || field >= KC_FIELD_COUNT || !r->has[field])
        return KC_EARGUMENT;
    if (value)
        *value = r->field[field];
    return KC_OK;
}

const char *kc_result_name(const kc_result *r)
{
    return r ? r->name : NULL;
}

const char *kc_result_device(const kc_result *r)
{
    return r ? r->device : NULL;
}

kc_device *kc_result_on(const kc_result *r)
{
    return r && r->of ? kc_retain(r->of) : NULL;
}

const char *kc_result_bound(const kc_result *r)
{
    return r ? r->bound : NULL;
}

const char *kc_result_class(const kc_result *r)
{
    return r ? r->class_name : NULL;
}

const char *kc_result_convention(const kc_result *r)
{
    return r && kci_result_words(r) == KC_OK ? r->convention : NULL;
}

size_t kc_result_tensors(const kc_result *r)
{
    return r ? r->row_count : 0;
}

const char *kc_result_tensor_name(const kc_result *r, size_t i)
{
    return r && i < r->row_count ? r->rows[i].name : NULL;
}

double kc_result_tensor_number(const kc_result *r, size_t i, kc_ledger column)
{
    if (!r || i >= r->row_count || column < 0 || column >= KC_LEDGER_COUNT)
        return 0;
    return r->rows[i].column[column];
}

size_t kc_result_kernels(const kc_result *r)
{
    return r ? r->kernel_count : 0;
}

kc_result *kc_result_kernel(const kc_result *r, size_t i)
{
    return r && i < r->kernel_count ? kc_retain(r->kernels[i]) : NULL;
}

size_t kc_result_notes(const kc_result *r)
{
    return r && kci_result_words(r) == KC_OK ? r->notes.count : 0;
}

const char *kc_result_note(const kc_result *r, size_t i)
{
    return i < kc_result_notes(r) ? r->notes.items[i] : NULL;
}

const char *kc_result_schedule(const kc_result *r)
{
    return r && kci_result_words(r) == KC_OK ? r->schedule_json : NULL;
}

const char *kc_result_schedule_path(const kc_result *r, size_t i)
{
    return r && kci_result_words(r) == KC_OK && i < r->schedule_count ? r->schedule[i].path : NULL;
}

/* The value of a figure of the schedule, as JSON. */
static const char *schedule_value(const kc_result *r, const char *path)
{
    const char *name;
    for (size_t i = 0; path && (name = kc_result_schedule_path(r, i)) != NULL; i++)
        if (strcmp(name, path) == 0)
            return r->schedule[i].value;
    return NULL;
}

kc_status kc_result_schedule_number(const kc_result *r, const char *path, double *value)
{
    kc_status status = r ? kci_result_words(r) : KC_EARGUMENT;
    if (status != KC_OK)
        return status;
    const char *json = schedule_value(r, path), *end;
    if (!json || *json == '"')
        return KC_EARGUMENT;
    double number = strcmp(json, "true") == 0 ? 1 : kci_parse_number(json, &end);
    if (value)
        *value = number;
    return KC_OK;
}

/* Names of dims and words of the design: nothing in them is escaped. */
const char *kc_result_schedule_text(kc_result *r, const char *path)
{
    const char *json = schedule_value(r, path);
    if (!json || *json != '"')
        return NULL;
    kci_text word = { .context = r->base.context };
    kci_text_add_n(&word, json + 1, strlen(json) - 2);
    return kci_text_keep(&word, &r->word);
}

/* ---- comparisons ------------------------------------------------------------------ */

size_t kc_comparison_rows(const kc_comparison *c)
{
    return c ? c->row_count : 0;
}

size_t kc_comparison_devices(const kc_comparison *c)
{
    return c ? c->device_count : 0;
}

kc_result *kc_comparison_result(const kc_comparison *c, size_t i)
{
    return c && i < c->row_count ? kc_retain(c->rows[i].result) : NULL;
}

const char *kc_comparison_error(const kc_comparison *c, size_t i)
{
    return c && i < c->row_count ? c->rows[i].error : NULL;
}

const char *kc_comparison_name(const kc_comparison *c, size_t i)
{
    return c && i < c->row_count ? c->rows[i].name : NULL;
}

const char *kc_comparison_device(const kc_comparison *c, size_t i)
{
    return c && i < c->row_count && c->device_count ? c->devices[i % c->columns] : NULL;
}

/* x's figure over the first x's on the same device. */
kc_status kc_comparison_ratio(const kc_comparison *c, size_t i, kc_field field, double *ratio)
{
    double own, first;
    if (!c || i >= c->row_count || kc_result_number(c->rows[i].result, field, &own) != KC_OK ||
        kc_result_number(c->rows[i % c->columns].result, field, &first) != KC_OK || first == 0)
        return KC_EARGUMENT;
    if (ratio)
        *ratio = own / first;
    return KC_OK;
}
