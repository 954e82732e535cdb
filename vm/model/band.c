/* band.c: masks that a value inherits, so that useful work knows them behind tensors too; design, section 3. */
#include <string.h>

#include "tensor.h"

static bool has_band(const kc_value *value, const kci_band *band)
{
    for (size_t i = 0; i < value->band_count; i++) {
        const kci_band *b = &value->bands[i];
        if (b->q == band->q && b->k == band->k && b->lo == band->lo && b->hi == band->hi &&
            b->hi_follows == band->hi_follows)
            return true;
    }
    return false;
}

/* Adds a band whose two dims the value still has. */
static bool add_band(kc_value *value, kci_band band)
{
    if (!kci_find_dim(value->dims, value->rank, band.q) || !kci_find_dim(value->dims, value->rank, band.k) ||
        has_band(value, &band))
        return true;
    size_t size = value->band_count * sizeof band;
    kci_band *bands = kci_resize(value->base.context, value->bands, size, size + sizeof band);
    if (!bands)
        return false;
    value->bands = bands;
    value->bands[value->band_count++] = band;
    return true;
}

/* The reader's name of a tensor's dim, where the index keeps it or shifts it; the
 * tensor's dim is the reader's plus *shift. */
static kci_symbol reader_dim(const kc_value *read, kci_symbol name, double *shift)
{
    const kc_tensor *tensor = read->tensor;
    for (size_t p = 0; p < tensor->rank; p++) {
        const kci_form *form = &read->index[p];
        bool shifted = !form->gather && form->count == 1 && form->terms[0].coefficient == 1 && !form->terms[0].size_of;
        if (tensor->dims[p].name == name && shifted) {
            *shift = form->constant;
            return form->terms[0].dim;
        }
    }
    return 0;
}

bool kci_value_bands(kc_value *value)
{
    bool ok = true;
    if (value->op == KCI_V_MASK)
        ok = add_band(value, value->mask);
    for (size_t i = 0; i < value->input_count; i++)
        for (size_t b = 0; ok && b < value->inputs[i]->band_count; b++)
            ok = add_band(value, value->inputs[i]->bands[b]);
    if (value->op == KCI_V_READ && value->tensor->value) {
        const kc_tensor *tensor = value->tensor;
        for (size_t p = 0; p < tensor->rank; p++)
            if (!kci_form_is_plain(&tensor->index[p]) || tensor->index[p].terms[0].dim != tensor->dims[p].name)
                return ok; /* a scatter: its points have no band to speak of */
        for (size_t b = 0; ok && b < tensor->value->band_count; b++) {
            kci_band band = tensor->value->bands[b];
            double q_shift = 0, k_shift = 0;
            band.q = reader_dim(value, band.q, &q_shift);
            band.k = reader_dim(value, band.k, &k_shift);
            band.lo -= k_shift - q_shift;
            band.hi -= k_shift - q_shift;
            ok = !band.q || !band.k || add_band(value, band);
        }
    }
    return ok;
}
