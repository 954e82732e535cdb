/* answer.c: results through the public accessors, as any host reads them. */
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
