/* rebuild.c: tensors and values built again at other sizes, with other dim names or in other dtypes.
 *
 * What was built is immutable, so the expression is built again, inputs first,
 * each value and tensor once.  A tensor's dim that an index computes follows the
 * dims in it: by the same steps that the index takes. */
#include "rebuild.h"

#include <math.h>
#include <string.h>

#include "map.h"

double kci_new_size(kci_transform *t, kci_symbol name, double size)
{
    for (size_t i = 0; !t->renames && i < t->count; i++)
        if (t->changes[i].from == name) {
            if (t->used)
                t->used[i] = true;
            return t->changes[i].size;
        }
    return size;
}

kci_symbol kci_new_name(kci_transform *t, kci_symbol name)
{
    for (size_t i = 0; t->renames && i < t->count; i++)
        if (t->changes[i].from == name) {
            t->used[i] = true;
            return t->changes[i].to;
        }
    return name;
}

bool kci_is_changed(const kci_transform *t, kci_symbol name)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->changes[i].from == name)
            return true;
    return false;
}

void *kci_made_for(const kci_transform *t, const void *old)
{
    uint32_t at = kci_find_seen(&t->seen, old);
    return at == UINT32_MAX ? NULL : t->made[at];
}

void kci_transform_free(kci_transform *t)
{
    for (size_t i = 0; i < t->seen.count; i++)
        kc_release(t->made[i]);
    kci_free(t->context, (void *)t->reads, t->read_capacity * sizeof *t->reads);
    kci_free(t->context, (void *)t->made, t->made_capacity * sizeof *t->made);
    kci_seen_free(t->context, &t->seen);
}

kc_status kci_remember(kci_transform *t, const void *old, void *new)
{
    bool fresh;
    if (!new)
        return kc_context_status(t->context) ? kc_context_status(t->context) : KC_ENOMEM;
    kc_status status = KC_ENOMEM;
    if (kci_reserve(t->context, &t->made, &t->made_capacity, t->seen.count + 1, sizeof *t->made))
        status = kci_see(t->context, &t->seen, old, &fresh);
    if (status)
        kc_release(new);
    else
        t->made[t->seen.count - 1] = new;
    return status;
}

/* ---- sizes that follow ------------------------------------------------------------- */

/* How far the dims of a form reach, at old or at new sizes. */
double kci_reach(kci_transform *t, const kci_form *form, const kci_dim *dims, size_t rank, bool after)
{
    double sum = 0;
    for (size_t i = 0; i < form->count; i++) {
        const kci_form_term *term = &form->terms[i];
        const kci_dim *d = kci_find_dim(dims, rank, term->dim);
        const kci_dim *s = term->size_of ? kci_find_dim(dims, rank, term->size_of) : NULL;
        double size = after ? kci_new_size(t, d->name, d->size) : d->size;
        double by = s ? after ? kci_new_size(t, s->name, s->size) : s->size : 1;
        sum += term->coefficient * by * (size - 1);
    }
    return sum;
}

/* The new size of a leaf tensor's dim: by its name where it is read as it is, else
 * as far as the index that reads it moves. */
static kc_status leaf_size(kci_transform *t, const kc_tensor *tensor, size_t p, double *size)
{
    kci_symbol name = tensor->dims[p].name;
    const kc_value *computed = NULL;
    bool plain = false;
    *size = tensor->dims[p].size;
    for (size_t i = 0; i < t->read_count; i++) {
        const kc_value *read = t->reads[i];
        if (read->tensor != tensor || read->index[p].gather)
            continue;
        if (kci_form_is_plain(&read->index[p]) && read->index[p].terms[0].dim == name)
            plain = true;
        else if (read->index[p].count > 0)
            computed = read;
    }
    if (plain || !computed) {
        *size = kci_new_size(t, name, *size);
        return KC_OK;
    }
    if (kci_is_changed(t, name) && !kci_find_dim(computed->dims, computed->rank, name))
        return kci_fail(t->context, KC_EARGUMENT,
                        "%s: '%.80s' of %.80s follows from the index that reads it; %s the dims in that index", t->call,
                        kci_name(t->context, name), tensor->name, t->call);
    const kci_form *form = &computed->index[p];
    *size += kci_reach(t, form, computed->dims, computed->rank, true) - kci_reach(t, form, computed->dims, computed->rank, false);
    return KC_OK;
}

/* ---- texts -------------------------------------------------------------------------- */

static const char *renamed_dims(kci_transform *t, kci_text *text, const kci_dim *dims, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kci_text_format(text, "%s%s", i ? " " : "", kci_name(t->context, kci_new_name(t, dims[i].name)));
    return text->failed ? NULL : text->bytes ? text->bytes : "";
}

static const char *renamed_names(kci_transform *t, kci_text *text, const kci_symbol *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kci_text_format(text, "%s%s", i ? " " : "", kci_name(t->context, kci_new_name(t, names[i])));
    return text->failed ? NULL : text->bytes ? text->bytes : "";
}

static const char *renamed_index(kci_transform *t, kci_text *text, const kci_form *forms, size_t count)
{
    kci_form *copy = kci_index_copy(t->context, forms, count);
    if (!copy)
        return NULL;
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < copy[p].count; i++) {
            copy[p].terms[i].dim = kci_new_name(t, copy[p].terms[i].dim);
            if (copy[p].terms[i].size_of)
                copy[p].terms[i].size_of = kci_new_name(t, copy[p].terms[i].size_of);
        }
        kci_text_add(text, p ? " " : "");
        kci_form_print(text, &copy[p]);
    }
    kci_index_free(t->context, copy, count);
    return text->failed ? NULL : text->bytes;
}

/* Dims with their new names and sizes; the caller frees. */
static kc_size *new_sizes(kci_transform *t, const kci_dim *dims, size_t count)
{
    kc_size *sizes = kci_alloc(t->context, count * sizeof *sizes);
    for (size_t i = 0; sizes && i < count; i++)
        sizes[i] = (kc_size){ kci_name(t->context, kci_new_name(t, dims[i].name)), kci_new_size(t, dims[i].name, dims[i].size) };
    return sizes;
}

static bool dims_change(kci_transform *t, const kci_dim *dims, size_t count)
{
    bool changes = false;
    for (size_t i = 0; i < count; i++)
        changes = kci_new_size(t, dims[i].name, dims[i].size) != dims[i].size || kci_new_name(t, dims[i].name) != dims[i].name || changes;
    return changes;
}

/* The dtype that a tensor gets; NULL: its own. */
static kc_dtype *new_dtype(const kci_transform *t, const kc_tensor *tensor)
{
    for (size_t i = 0; i < t->type_count; i++)
        if (strcmp(t->types[i].tensor, tensor->name) == 0)
            return t->types[i].dtype;
    return NULL;
}

/* ---- tensors and values ---------------------------------------------------------------- */

/* A renaming must not make one dim of two. */
static kc_status names_differ(kci_transform *t, const char *whose, const kci_dim *dims, size_t count)
{
    for (size_t i = 0; t->renames && i < count; i++)
        for (size_t o = 0; o < count; o++)
            if (o != i && kci_new_name(t, dims[i].name) == kci_new_name(t, dims[o].name) && kci_is_changed(t, dims[i].name))
                return kci_fail(t->context, KC_EARGUMENT, "rename: '%.80s' cannot become '%.80s', which %.80s has already",
                                kci_name(t->context, dims[i].name), kci_name(t->context, kci_new_name(t, dims[i].name)), whose);
    return KC_OK;
}

static kc_status make_leaf(kci_transform *t, const kc_tensor *tensor)
{
    kc_status clash = names_differ(t, tensor->name, tensor->dims, tensor->rank);
    if (clash)
        return clash;
    kc_size *sizes = new_sizes(t, tensor->dims, tensor->rank);
    kci_text names = { .context = t->context };
    kc_status status = sizes ? KC_OK : KC_ENOMEM;
    const kc_dtype *dtype = new_dtype(t, tensor);
    bool same = !dtype && (!t->renames || !dims_change(t, tensor->dims, tensor->rank));
    for (size_t p = 0; p < tensor->rank && !status; p++) {
        status = leaf_size(t, tensor, p, &sizes[p].size);
        same = same && sizes[p].size == tensor->dims[p].size;
    }
    const char *dims = status ? NULL : renamed_dims(t, &names, tensor->dims, tensor->rank);
    if (!status)
        status = kci_remember(t, tensor, same   ? kc_retain((void *)(uintptr_t)tensor)
                                     : dims ? kc_tensor_new(t->context, tensor->name, dims, dtype ? dtype : tensor->dtype, sizes, tensor->rank)
                                            : NULL);
    kci_text_free(&names);
    kci_free(t->context, sizes, tensor->rank * sizeof *sizes);
    return status;
}

/* Of the tensor that it moves, at its new sizes and names. */
static kc_status make_comm(kci_transform *t, const kc_tensor *tensor)
{
    if (new_dtype(t, tensor))
        return kci_fail(t->context, KC_EARGUMENT, "%s: %.80s has the dtype of %.80s, which it moves; name that one", t->call,
                        tensor->name, tensor->value->tensor->name);
    const char *over = tensor->over ? kci_name(t->context, kci_new_name(t, tensor->over)) : NULL;
    return kci_remember(t, tensor, kc_comm(kci_comm_name(&tensor->comm), kci_made_for(t, tensor->value->tensor), tensor->comm.ranks,
                                       over, tensor->comm.tree ? "tree" : "ring", tensor->name));
}

static kc_status make_written(kci_transform *t, const kc_tensor *tensor)
{
    kc_value *value = kci_made_for(t, tensor->value);
    const kc_dtype *dtype = new_dtype(t, tensor);
    if (value == tensor->value && !dtype && !dims_change(t, tensor->dims, tensor->rank))
        return kci_remember(t, tensor, kc_retain((void *)(uintptr_t)tensor));
    if (tensor->comm.kind != KCI_NO_COMM)
        return make_comm(t, tensor);
    bool plain = true;
    for (size_t p = 0; p < tensor->rank; p++)
        plain = plain && kci_form_is_plain(&tensor->index[p]) && tensor->index[p].terms[0].dim == tensor->dims[p].name;
    kc_size *sizes = new_sizes(t, tensor->dims, tensor->rank);
    kci_text names = { .context = t->context }, index = { .context = t->context };
    const char *dims = renamed_dims(t, &names, tensor->dims, tensor->rank);
    const char *forms = plain ? NULL : renamed_index(t, &index, tensor->index, tensor->rank);
    for (size_t p = 0; sizes && p < tensor->rank; p++) { /* a scatter's dims follow its index */
        const kc_value *old = tensor->value;
        if (!plain && !tensor->index[p].gather && !kci_form_is_plain(&tensor->index[p]))
            sizes[p].size = tensor->dims[p].size + kci_reach(t, &tensor->index[p], old->dims, old->rank, true) -
                            kci_reach(t, &tensor->index[p], old->dims, old->rank, false);
    }
    if (!dtype && (tensor->dtype_given || t->type_count == 0)) /* a default follows what is read */
        dtype = tensor->dtype;
    kc_tensor *made = NULL;
    if (sizes && dims && (plain || forms))
        made = kc_write(tensor->name, value, dtype, dims, forms, sizes, plain ? 0 : tensor->rank, tensor->scale);
    if (made)
        made->dtype_given = tensor->dtype_given;
    kci_text_free(&names);
    kci_text_free(&index);
    kci_free(t->context, sizes, tensor->rank * sizeof *sizes);
    return kci_remember(t, tensor, made);
}

static kc_value *make_op(kci_transform *t, const kc_value *value, kc_value **in, const char *over, kc_size *sizes)
{
    kc_cost cost = { value->flops, value->special };
    const char *q = kci_name(t->context, kci_new_name(t, value->mask.q)), *k = kci_name(t->context, kci_new_name(t, value->mask.k));
    const kci_map_cost *named;
    switch (value->op) {
    case KCI_V_MATMUL:
        return kc_matmul(in[0], in[1], over, value->math == KCI_FORMATS ? NULL : kci_format_name(value->math),
                         value->unit == KCI_VECTOR ? "vector" : "matrix", value->into ? in[2] : NULL);
    case KCI_V_MAP:
        named = kci_map_named(value->label);
        return kc_map(value->label, in, value->input_count, named && named->linear == value->linear && named->flops == cost.flops && named->special == cost.special ? NULL : &cost);
    case KCI_V_REDUCE:
        return kc_reduce(value->label, in[0], over, sizes + value->rank - value->added, value->added, &cost);
    case KCI_V_SCAN:
        return kc_scan(value->label, in[0], over, &cost);
    case KCI_V_SOFTMAX:
        return kc_softmax(in[0], over, value->online);
    case KCI_V_LSE:
        return kc_lse(in[0]);
    case KCI_V_MASK:
        return value->mask.hi_follows ? kc_causal(in[0], q, k) : kc_mask(in[0], q, k, value->mask.lo, value->mask.hi);
    case KCI_V_CAST:
        return kc_cast(in[0], value->cast_to);
    default:
        return NULL;
    }
}

static kc_status make_value(kci_transform *t, const kc_value *value)
{
    kc_status clash = names_differ(t, value->label, value->dims, value->rank);
    if (clash)
        return clash;
    kc_size *sizes = new_sizes(t, value->dims, value->rank);
    kc_value **in = kci_alloc(t->context, value->input_count * sizeof *in);
    kci_text text = { .context = t->context };
    kc_value *made = NULL;
    bool same = !dims_change(t, value->dims, value->rank);
    for (size_t i = 0; in && i < value->input_count; i++) {
        in[i] = kci_made_for(t, value->inputs[i]);
        same = same && in[i] == value->inputs[i];
    }
    if (sizes && in && value->op == KCI_V_READ) {
        kc_tensor *tensor = kci_made_for(t, value->tensor);
        const char *index = renamed_index(t, &text, value->index, value->tensor->rank);
        bool whole = value->tensor->rank == 0; /* no index names the one element */
        made = same && tensor == value->tensor ? kc_retain((void *)(uintptr_t)value)
               : index || whole ? kc_read(tensor, index, sizes, value->rank, value->scale, value->distinct)
                                : NULL;
    } else if (sizes && in) {
        const char *over = renamed_names(t, &text, value->over, value->over_count);
        made = same ? kc_retain((void *)(uintptr_t)value) : over ? make_op(t, value, in, over, sizes) : NULL;
    }
    kci_text_free(&text);
    kci_free(t->context, (void *)in, value->input_count * sizeof *in);
    kci_free(t->context, sizes, value->rank * sizeof *sizes);
    return kci_remember(t, value, made);
}

/* ---- the order: inputs first ------------------------------------------------------------ */

static const void *pending(const kci_transform *t, const kc_object *object)
{
    if (object->kind == KC_TENSOR) {
        const kc_tensor *tensor = (const kc_tensor *)(const void *)object;
        return tensor->value && !kci_made_for(t, tensor->value) ? tensor->value : NULL;
    }
    const kc_value *value = (const kc_value *)(const void *)object;
    if (value->tensor)
        return kci_made_for(t, value->tensor) ? NULL : value->tensor;
    for (size_t i = 0; i < value->input_count; i++)
        if (!kci_made_for(t, value->inputs[i]))
            return value->inputs[i];
    return NULL;
}

kc_status kci_rebuild(kci_transform *t, const kc_object *root)
{
    const kc_object **stack = NULL;
    size_t depth = 0, capacity = 0;
    kc_status status = KC_OK;
    if (kci_made_for(t, root))
        return KC_OK;
    if (!kci_reserve(t->context, &stack, &capacity, 1, sizeof *stack))
        return KC_ENOMEM;
    stack[depth++] = root;
    while (depth > 0 && !status) {
        const kc_object *top = stack[depth - 1];
        const void *first = pending(t, top);
        if (first) {
            if (!kci_reserve(t->context, &stack, &capacity, depth + 1, sizeof *stack))
                status = KC_ENOMEM;
            else
                stack[depth++] = first;
            continue;
        }
        depth--;
        const kc_tensor *tensor = (const kc_tensor *)(const void *)top;
        if (top->kind == KC_TENSOR)
            status = tensor->value ? make_written(t, tensor) : make_leaf(t, tensor);
        else
            status = make_value(t, (const kc_value *)(const void *)top);
    }
    kci_free(t->context, (void *)stack, capacity * sizeof *stack);
    return status;
}
