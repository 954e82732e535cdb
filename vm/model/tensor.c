/* tensor.c: tensors in HBM, and the two ops that move them: read and write; design, section 2.1. */
#include "tensor.h"

#include <math.h>
#include <string.h>

#include "object.h"

const kci_dim *kci_find_dim(const kci_dim *dims, size_t count, kci_symbol name)
{
    for (size_t i = 0; i < count; i++)
        if (dims[i].name == name)
            return &dims[i];
    return NULL;
}

void kci_dims_print(kci_text *text, kc_context *context, const kci_dim *dims, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kci_text_format(text, "%s%s", i ? " " : "", kci_name(context, dims[i].name));
}

bool kci_size_ok(kc_context *context, const char *call, const char *dim, double size)
{
    if (size > 0 && size < KCI_MAX_SIZE && floor(size) == size)
        return true;
    char number[32] = "nan";
    if (isfinite(size))
        kci_format_number(size, number);
    else if (size > 0)
        strcpy(number, "infinite");
    kci_fail(context, KC_EARGUMENT, "%s: size of '%.80s' is %s; sizes are whole, positive and below 2^53", call, dim,
             number);
    return false;
}

static size_t count_words(const char *text)
{
    size_t words = 0;
    for (text += strspn(text, " \t\n,"); *text; text += strspn(text, " \t\n,")) {
        text += strcspn(text, " \t\n,");
        words++;
    }
    return words;
}

kc_status kci_names_parse(kc_context *context, const char *call, const char *what, const char *text,
                          kci_symbol **names, size_t *count)
{
    kci_form *forms = NULL;
    *names = NULL;
    *count = 0;
    if (kci_index_fits(context, call, what, text) != KC_OK)
        return KC_EARGUMENT;
    if (text[strspn(text, " \t\n,")] == '\0')
        return KC_OK;
    if (count_words(text) > KCI_MAX_DIMS)
        return kci_fail(context, KC_EARGUMENT, "%s: %s has more than %d dims", call, what, KCI_MAX_DIMS);
    size_t n;
    kc_status status = kci_index_parse(context, call, text, &forms, &n);
    if (status == KC_EARGUMENT)
        kci_fail(context, status, "%s: %s '%.200s' must be names of dims, as in \"b h i d\"", call, what, text);
    if (status)
        return status;
    kci_symbol *list = kci_alloc(context, n * sizeof *list);
    if (!list)
        status = KC_ENOMEM;
    for (size_t i = 0; !status && i < n; i++) {
        if (!kci_form_is_plain(&forms[i])) {
            status = kci_fail(context, KC_EARGUMENT, "%s: %s '%.200s' must be names of dims, as in \"b h i d\"", call,
                              what, text);
            break;
        }
        list[i] = forms[i].terms[0].dim;
        for (size_t j = 0; j < i; j++)
            if (list[j] == list[i])
                status = kci_fail(context, KC_EARGUMENT, "%s: %s '%.200s' names '%s' twice", call, what, text,
                                  kci_name(context, list[i]));
    }
    kci_index_free(context, forms, n);
    if (status) {
        kci_free(context, list, n * sizeof *list);
        return status;
    }
    *names = list;
    *count = n;
    return KC_OK;
}

static double given_size(kc_context *context, const kc_size *sizes, size_t count, kci_symbol name)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i].dim && strcmp(sizes[i].dim, kci_name(context, name)) == 0)
            return sizes[i].size;
    return 0;
}

static bool size_was_given(kc_context *context, const kc_size *sizes, size_t count, kci_symbol name)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i].dim && strcmp(sizes[i].dim, kci_name(context, name)) == 0)
            return true;
    return false;
}

/* ---- tensors ------------------------------------------------------------- */

static kc_tensor *tensor_make(kc_context *context, const char *name, const kci_dim *dims, size_t rank,
                              const kc_dtype *dtype)
{
    kc_tensor *tensor = kci_new(context, KC_TENSOR, sizeof *tensor);
    if (!tensor)
        return NULL;
    tensor->scale = 1;
    tensor->by_name = true;
    tensor->sequence = kci_next_sequence(context);
    tensor->dtype = kc_retain((void *)(uintptr_t)dtype);
    tensor->name = kci_copy_text(context, name);
    tensor->dims = kci_alloc(context, rank * sizeof *tensor->dims);
    tensor->rank = rank;
    if (!tensor->name || !tensor->dims) {
        kc_release(tensor);
        return NULL;
    }
    memcpy(tensor->dims, dims, rank * sizeof *dims);
    return tensor;
}

static bool name_ok(kc_context *context, const char *call, const char *name)
{
    if (name && *name)
        return true;
    kci_fail(context, KC_EARGUMENT, "%s: the name is missing", call);
    return false;
}

kc_tensor *kc_tensor_new(kc_context *context, const char *name, const char *dims, const kc_dtype *dtype,
                         const kc_size *sizes, size_t count)
{
    if (!context || !name_ok(context, "tensor", name) || !dtype || !kci_array_given(context, "tensor", "sizes", sizes, count))
        return NULL;
    kci_symbol *names;
    size_t rank;
    if (kci_names_parse(context, "tensor", "dims", dims ? dims : "", &names, &rank))
        return NULL;
    kci_dim *list = kci_alloc(context, rank * sizeof *list);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < rank; i++) {
        const char *dim = kci_name(context, names[i]);
        if (!size_was_given(context, sizes, count, names[i])) {
            kci_fail(context, KC_EARGUMENT, "tensor: '%.80s' has dim '%s', but no size is given for it", name, dim);
            ok = false;
        } else {
            list[i] = (kci_dim){ names[i], given_size(context, sizes, count, names[i]) };
            ok = kci_size_ok(context, "tensor", dim, list[i].size);
        }
    }
    if (ok && rank == 0) {
        kci_fail(context, KC_EARGUMENT, "tensor: '%.80s' has no dims; give some, as in \"m k\"", name);
        ok = false;
    }
    kc_tensor *tensor = ok ? tensor_make(context, name, list, rank, dtype) : NULL;
    kci_free(context, list, rank * sizeof *list);
    kci_free(context, names, rank * sizeof *names);
    return tensor;
}

size_t kc_tensor_rank(const kc_tensor *tensor)
{
    return tensor ? tensor->rank : 0;
}

const char *kc_tensor_dim(const kc_tensor *tensor, size_t position)
{
    return tensor && position < tensor->rank ? kci_name(tensor->base.context, tensor->dims[position].name) : NULL;
}

double kc_tensor_size(const kc_tensor *tensor, size_t position)
{
    return tensor && position < tensor->rank ? tensor->dims[position].size : 0;
}

kc_dtype *kc_tensor_dtype(const kc_tensor *tensor)
{
    return tensor ? kc_retain(tensor->dtype) : NULL;
}

void kci_tensor_destroy(kc_object *object)
{
    kc_tensor *tensor = (kc_tensor *)(void *)object;
    kc_context *context = object->context;
    kc_release(tensor->dtype);
    kc_release(tensor->value);
    kci_index_free(context, tensor->index, tensor->rank);
    kci_free(context, tensor->dims, tensor->rank * sizeof *tensor->dims);
    kci_free_text(context, tensor->name);
    kci_free(context, tensor, sizeof *tensor);
}

void kci_print_tensor(kci_text *text, const kc_object *object)
{
    const kc_tensor *tensor = (const kc_tensor *)(const void *)object;
    kci_text_format(text, "tensor %s[", tensor->name);
    for (size_t i = 0; i < tensor->rank; i++) {
        kci_text_format(text, "%s%s=", i ? " " : "", kc_tensor_dim(tensor, i));
        kci_text_number(text, tensor->dims[i].size);
    }
    kci_text_format(text, "] %s", tensor->dtype->name);
}

/* ---- reads --------------------------------------------------------------- */

/* The dims that an index runs over, in order of appearance, with their sizes:
 * given, else the position's where the dim stands there alone, else the size
 * of the tensor's dim of that name. */
static bool read_dims(kc_value *value, const kc_size *sizes, size_t count)
{
    kc_context *context = value->base.context;
    const kc_tensor *tensor = value->tensor;
    size_t most = 0;
    for (size_t p = 0; p < tensor->rank; p++)
        most += value->index[p].count;
    kci_dim *dims = kci_alloc(context, most * sizeof *dims);
    if (!dims)
        return false;
    size_t rank = 0;
    bool ok = true;
    for (size_t p = 0; ok && p < tensor->rank; p++) {
        const kci_form *form = &value->index[p];
        for (size_t t = 0; ok && t < form->count; t++) {
            kci_symbol name = form->terms[t].dim;
            if (kci_find_dim(dims, rank, name))
                continue;
            const kci_dim *own = kci_find_dim(tensor->dims, tensor->rank, name);
            double size = 0;
            if (size_was_given(context, sizes, count, name))
                size = given_size(context, sizes, count, name);
            else if (kci_form_is_plain(form))
                size = tensor->dims[p].size;
            else if (own && !form->gather)
                size = own->size;
            else {
                kci_fail(context, KC_EARGUMENT, "read: '%s' has no size in the index of %s; give it as size = { %s = … }",
                         kci_name(context, name), tensor->name, kci_name(context, name));
                ok = false;
                break;
            }
            ok = kci_size_ok(context, "read", kci_name(context, name), size);
            if (ok && kci_form_is_plain(form) && size > tensor->dims[p].size) {
                char number[32], bound[32];
                kci_format_number(size, number);
                kci_format_number(tensor->dims[p].size, bound);
                kci_fail(context, KC_EARGUMENT, "read: size of '%s' is %s, but %s has only %s along '%s'",
                         kci_name(context, name), number, tensor->name, bound, kc_tensor_dim(tensor, p));
                ok = false;
            }
            dims[rank++] = (kci_dim){ name, size };
        }
    }
    value->dims = ok ? kci_alloc(context, rank * sizeof *dims) : NULL;
    if (value->dims) {
        memcpy(value->dims, dims, rank * sizeof *dims);
        value->rank = rank;
    }
    kci_free(context, dims, most * sizeof *dims);
    return value->dims != NULL;
}

/* Refuses an index none of whose points lies in the tensor, or whose numbers
 * leave the range that is exact. */
static bool reaches(kc_context *context, const char *call, const kci_form *form, const kci_dim *dims, size_t rank,
                    const char *tensor, const char *dim, double size)
{
    if (form->gather)
        return true;
    double least = form->constant, most = form->constant;
    for (size_t t = 0; t < form->count; t++) {
        const kci_dim *d = kci_find_dim(dims, rank, form->terms[t].dim);
        const kci_dim *s = form->terms[t].size_of ? kci_find_dim(dims, rank, form->terms[t].size_of) : NULL;
        if (form->terms[t].size_of && !s) {
            kci_fail(context, KC_EARGUMENT, "%s: #%s: no dim '%s' stands in the index of %s", call,
                     kci_name(context, form->terms[t].size_of), kci_name(context, form->terms[t].size_of), tensor);
            return false;
        }
        double step = form->terms[t].coefficient * (s ? s->size : 1) * (d->size - 1);
        if (step > 0)
            most += step;
        else
            least += step;
    }
    if (most >= KCI_MAX_SIZE || least <= -KCI_MAX_SIZE) {
        kci_fail(context, KC_EARGUMENT, "%s: the index of %s along '%s' leaves the range below 2^53", call, tensor, dim);
        return false;
    }
    if (most < 0 || least >= size) {
        kci_fail(context, KC_EARGUMENT, "%s: every point of the index lies outside %s along '%s'", call, tensor, dim);
        return false;
    }
    return true;
}

/* Along each dim whole and under its name, where data says, or (of a tensor that nothing here writes) at the first place. */
static bool read_by_name(const kc_value *read)
{
    const kc_tensor *tensor = read->tensor;
    bool all = tensor->by_name;
    for (size_t p = 0; p < tensor->rank && all; p++) {
        const kci_form *form = &read->index[p];
        const kci_dim *own = &tensor->dims[p], *dim = kci_find_dim(read->dims, read->rank, own->name);
        bool whole = kci_form_is_plain(form) && form->terms[0].dim == own->name && dim->size == own->size;
        all = whole || form->gather || (form->count == 0 && form->constant == 0 && !tensor->value);
    }
    return all;
}

static bool counted_numbers_ok(kc_context *context, const char *call, double scale, double distinct)
{
    if (!(scale >= 0 && scale < HUGE_VAL))
        kci_fail(context, KC_EARGUMENT, "%s: scale must be a finite number that is not negative", call);
    else if (!(distinct >= 0 && distinct < KCI_MAX_SIZE))
        kci_fail(context, KC_EARGUMENT, "%s: distinct must be a number of rows, positive and below 2^53", call);
    else
        return true;
    return false;
}

kc_value *kc_read(kc_tensor *tensor, const char *index, const kc_size *sizes, size_t count, double scale,
                  double distinct)
{
    if (!tensor)
        return NULL;
    kc_context *context = tensor->base.context;
    if (!counted_numbers_ok(context, "read", scale, distinct) || !kci_array_given(context, "read", "sizes", sizes, count))
        return NULL;
    kc_value *value = kci_new(context, KC_VALUE, sizeof *value);
    if (!value)
        return NULL;
    value->op = KCI_V_READ;
    value->tensor = kc_retain(tensor);
    value->scale = scale;
    value->distinct = distinct;
    value->format = tensor->dtype->math;
    value->math = KCI_FORMATS;
    value->label = kci_copy_text(context, tensor->name);
    if (!value->label)
        goto fail; /* before the index, which is freed as the tensor's */
    size_t positions = tensor->rank;
    if (index) {
        if (kci_index_parse(context, "read", index, &value->index, &positions))
            goto fail;
    } else {
        value->index = kci_index_identity(context, tensor->dims, tensor->rank);
    }
    if (!value->index)
        goto fail;
    if (positions != tensor->rank) {
        kci_fail(context, KC_EARGUMENT, "read: index '%.200s' has %zu position%s, but %s has %zu dim%s", index, positions,
                 positions == 1 ? "" : "s", tensor->name, tensor->rank, tensor->rank == 1 ? "" : "s");
        kci_index_free(context, value->index, positions);
        value->index = NULL;
        goto fail;
    }
    if (!read_dims(value, sizes, count))
        goto fail;
    for (size_t p = 0; p < tensor->rank; p++)
        if (!reaches(context, "read", &value->index[p], value->dims, value->rank, tensor->name,
                     kc_tensor_dim(tensor, p), tensor->dims[p].size))
            goto fail;
    value->default_elements = 1;
    for (size_t p = 0; p < tensor->rank; p++)
        value->default_elements *= tensor->dims[p].size;
    value->default_dtype = kc_retain(tensor->dtype);
    value->bf16_behind = tensor->dtype->math == KCI_BF16;
    value->by_name = read_by_name(value);
    if (kci_value_bands(value))
        return value;
fail:
    kc_release(value);
    return NULL;
}

/* ---- writes -------------------------------------------------------------- */

/* The dtype of a cast that is written as it is; else that of the largest tensor
 * behind, at least 16 bits; sections 2.1, 2.2. */
static kc_dtype *default_dtype(const kc_value *value)
{
    kc_context *context = value->base.context;
    const kc_dtype *largest = value->default_dtype;
    if (value->op == KCI_V_CAST)
        return kc_retain(value->cast_to);
    if (kci_format_is_integer(largest->math))
        return kc_dtype_named(context, "i32");
    if (kc_dtype_bits(largest) < 16)
        return kc_dtype_named(context, value->bf16_behind ? "bf16" : "f16");
    return kc_retain(value->default_dtype);
}

/* Names and sizes of a scatter's target: `names` where given, else a position's
 * own dim, or the dims in it joined; sizes given, else the box that is reached. */
static bool scatter_dims(kc_tensor *tensor, const kc_value *value, const kci_symbol *names, size_t name_count,
                         const kc_size *sizes, size_t count)
{
    kc_context *context = tensor->base.context;
    if (names && name_count != tensor->rank) {
        kci_fail(context, KC_EARGUMENT, "write: index of %s has %zu positions, but dims names %zu", tensor->name,
                 tensor->rank, name_count);
        return false;
    }
    for (size_t p = 0; p < tensor->rank; p++) {
        const kci_form *form = &tensor->index[p];
        kci_text joined = { .context = context };
        double least = form->constant, most = form->constant;
        for (size_t t = 0; t < form->count; t++) {
            const kci_form_term *term = &form->terms[t];
            const kci_dim *d = kci_find_dim(value->dims, value->rank, term->dim);
            const kci_dim *s = term->size_of ? kci_find_dim(value->dims, value->rank, term->size_of) : NULL;
            if (!d || (term->size_of && !s)) {
                kci_fail(context, KC_EARGUMENT, "write: the index of %s uses '%s', which the value does not have",
                         tensor->name, kci_name(context, d ? term->size_of : term->dim));
                kci_text_free(&joined);
                return false;
            }
            double step = term->coefficient * (s ? s->size : 1) * (d->size - 1);
            *(step > 0 ? &most : &least) += step;
            kci_text_format(&joined, "%s%s", t ? "_" : "", kci_name(context, term->dim));
        }
        if (form->count == 0)
            kci_text_add(&joined, "_");
        tensor->dims[p].name = joined.failed ? 0 : names ? names[p] : kci_intern(context, joined.bytes, joined.length);
        kci_text_free(&joined);
        if (!tensor->dims[p].name)
            return false;
        const char *dim = kc_tensor_dim(tensor, p);
        if (size_was_given(context, sizes, count, tensor->dims[p].name)) {
            tensor->dims[p].size = given_size(context, sizes, count, tensor->dims[p].name);
        } else if (form->gather) {
            kci_fail(context, KC_EARGUMENT, "write: give the size of '%s' of %s: data decides which rows are written",
                     dim, tensor->name);
            return false;
        } else {
            tensor->dims[p].size = most + 1;
        }
        if (!kci_size_ok(context, "write", dim, tensor->dims[p].size) ||
            !reaches(context, "write", form, value->dims, value->rank, tensor->name, dim, tensor->dims[p].size))
            return false;
        for (size_t o = 0; o < p; o++)
            if (tensor->dims[o].name == tensor->dims[p].name) {
                kci_fail(context, KC_EARGUMENT, "write: %s has dim '%s' twice; name its dims with dims = \"…\"",
                         tensor->name, dim);
                return false;
            }
    }
    for (size_t d = 0; d < value->rank; d++) {
        bool used = false;
        for (size_t p = 0; p < tensor->rank; p++)
            for (size_t t = 0; t < tensor->index[p].count; t++)
                used = used || tensor->index[p].terms[t].dim == value->dims[d].name;
        if (!used) {
            kci_fail(context, KC_EARGUMENT, "write: the index of %s says nothing of the value's dim '%s'; reduce it first",
                     tensor->name, kci_name(context, value->dims[d].name));
            return false;
        }
    }
    return true;
}

/* The value's dims in another order. */
static bool ordered_dims(kc_tensor *tensor, const kc_value *value, const kci_symbol *names, size_t count)
{
    kc_context *context = tensor->base.context;
    bool same = count == value->rank;
    for (size_t i = 0; same && i < count; i++) {
        const kci_dim *dim = kci_find_dim(value->dims, value->rank, names[i]);
        same = dim != NULL;
        if (dim)
            tensor->dims[i] = *dim;
    }
    if (same)
        return true;
    char list[KCI_PART_BYTES];
    kci_text has = kci_text_part(context, list, sizeof list);
    kci_dims_print(&has, context, value->dims, value->rank);
    kci_fail(context, KC_EARGUMENT, "write: dims of %s must be the value's dims in some order; it has %s", tensor->name,
             *list ? list : "none");
    return false;
}

kc_tensor *kc_write(const char *name, kc_value *value, const kc_dtype *dtype, const char *dims, const char *index,
                    const kc_size *sizes, size_t count, double scale)
{
    if (!value)
        return NULL;
    kc_context *context = value->base.context;
    if (!name_ok(context, "write", name) || !counted_numbers_ok(context, "write", scale, 0) ||
        !kci_array_given(context, "write", "sizes", sizes, count))
        return NULL;
    if (count > 0 && !index) {
        kci_fail(context, KC_EARGUMENT, "write: opts.size is for an index, and opts.index is missing");
        return NULL;
    }
    kci_symbol *names = NULL;
    kci_form *forms = NULL;
    size_t name_count = 0, positions = value->rank;
    kc_tensor *tensor = NULL;
    kc_dtype *stored = dtype ? kc_retain((void *)(uintptr_t)dtype) : default_dtype(value);
    if (!stored || (dims && kci_names_parse(context, "write", "dims", dims, &names, &name_count)) ||
        (index && kci_index_parse(context, "write", index, &forms, &positions)))
        goto done;
    kci_dim *blank = kci_alloc(context, positions * sizeof *blank);
    if (blank && !forms)
        memcpy(blank, value->dims, value->rank * sizeof *blank);
    tensor = blank ? tensor_make(context, name, blank, positions, stored) : NULL;
    kci_free(context, blank, positions * sizeof *blank);
    if (!tensor)
        goto done;
    tensor->scale = scale;
    tensor->dtype_given = dtype != NULL;
    tensor->value = kc_retain(value);
    tensor->by_name = value->by_name && !forms;
    bool ok;
    if (forms) {
        tensor->index = forms;
        forms = NULL;
        ok = scatter_dims(tensor, value, names, name_count, sizes, count);
    } else {
        ok = !names || ordered_dims(tensor, value, names, name_count);
        tensor->index = ok ? kci_index_identity(context, tensor->dims, tensor->rank) : NULL;
        ok = tensor->index != NULL;
    }
    if (!ok) {
        kc_release(tensor);
        tensor = NULL;
    }
done:
    kci_index_free(context, forms, positions);
    kci_free(context, names, name_count * sizeof *names);
    kc_release(stored);
    return tensor;
}
