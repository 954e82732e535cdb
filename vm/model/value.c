/* value.c: ops: matmul, map, reduce, scan, softmax, mask, cast; design, section 2.1. */
#include <math.h>
#include <string.h>

#include "map.h"
#include "object.h"
#include "tensor.h"

size_t kc_value_rank(const kc_value *value)
{
    return value ? value->rank : 0;
}

const char *kc_value_dim(const kc_value *value, size_t position)
{
    return value && position < value->rank ? kci_name(value->base.context, value->dims[position].name) : NULL;
}

double kc_value_size(const kc_value *value, size_t position)
{
    return value && position < value->rank ? value->dims[position].size : 0;
}

kc_dtype *kc_value_dtype(const kc_value *value)
{
    if (!value)
        return NULL;
    if (value->op == KCI_V_READ)
        return kc_retain(value->tensor->dtype);
    return kc_dtype_named(value->base.context, kci_format_name(value->format));
}

void kci_value_destroy(kc_object *object)
{
    kc_value *value = (kc_value *)(void *)object;
    kc_context *context = object->context;
    for (size_t i = 0; i < value->input_count; i++)
        kc_release(value->inputs[i]);
    kci_free(context, value->inputs, value->input_count * sizeof *value->inputs);
    if (value->index)
        kci_index_free(context, value->index, value->tensor->rank);
    kc_release(value->tensor);
    kc_release(value->default_dtype);
    kc_release(value->cast_to);
    kci_free(context, value->dims, value->rank * sizeof *value->dims);
    kci_free(context, value->over, value->over_count * sizeof *value->over);
    kci_free(context, value->bands, value->band_count * sizeof *value->bands);
    kci_free_text(context, value->label);
    kci_free(context, value, sizeof *value);
}

void kci_print_value(kci_text *text, const kc_object *object)
{
    const kc_value *value = (const kc_value *)(const void *)object;
    kci_text_format(text, "%s %s[", value->op == KCI_V_READ ? "read" : "value", value->label);
    for (size_t i = 0; i < value->rank; i++) {
        kci_text_format(text, "%s%s=", i ? " " : "", kc_value_dim(value, i));
        kci_text_number(text, value->dims[i].size);
    }
    kci_text_format(text, "] %s", kci_format_name(value->format));
}

/* ---- building blocks ------------------------------------------------------ */

/* "b h i d", for messages. */
static const char *dims_of(const kc_value *value, char bytes[KCI_PART_BYTES])
{
    kci_text text = kci_text_part(value->base.context, bytes, KCI_PART_BYTES);
    kci_dims_print(&text, value->base.context, value->dims, value->rank);
    return value->rank == 0 ? "no dims" : bytes;
}

/* A value of kind `op` over `inputs`, holding them, its dims still open. */
static kc_value *make(kci_value_kind op, const char *label, kc_value *const *inputs, size_t count)
{
    kc_context *context = inputs[0]->base.context;
    for (size_t i = 1; i < count; i++)
        if (kci_same_context(context, inputs[i], label) != KC_OK)
            return NULL;
    kc_value *value = kci_new(context, KC_VALUE, sizeof *value);
    if (!value)
        return NULL;
    value->op = op;
    value->unit = KCI_VECTOR;
    value->math = KCI_FORMATS;
    value->scale = 1;
    value->label = kci_copy_text(context, label);
    value->inputs = kci_alloc(context, count * sizeof *value->inputs);
    value->input_count = value->inputs ? count : 0;
    for (size_t i = 0; i < value->input_count; i++) {
        kc_value *input = kc_retain(inputs[i]);
        value->inputs[i] = input;
        value->format = i ? kci_format_wider(value->format, input->format) : input->format;
        value->bf16_behind = value->bf16_behind || input->bf16_behind;
        value->by_name = (i == 0 || value->by_name) && input->by_name;
        bool wider = value->default_dtype && input->default_elements == value->default_elements &&
                     kc_dtype_bits(input->default_dtype) > kc_dtype_bits(value->default_dtype);
        if (!value->default_dtype || input->default_elements > value->default_elements || wider) {
            kc_release(value->default_dtype);
            value->default_dtype = kc_retain(input->default_dtype);
            value->default_elements = input->default_elements;
        }
    }
    if (!value->label || !value->inputs) {
        kc_release(value);
        return NULL;
    }
    return value;
}

/* Dims of all inputs, a's in order, then those only b has. */
static bool union_dims(kc_value *value, const char *call, size_t inputs)
{
    kc_context *context = value->base.context;
    size_t most = 0;
    for (size_t i = 0; i < inputs; i++)
        most += value->inputs[i]->rank;
    kci_dim *dims = kci_alloc(context, most * sizeof *dims);
    if (!dims)
        return false;
    size_t rank = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < inputs; i++)
        for (size_t d = 0; ok && d < value->inputs[i]->rank; d++) {
            const kci_dim *dim = &value->inputs[i]->dims[d];
            const kci_dim *known = kci_find_dim(dims, rank, dim->name);
            if (!known && rank == KCI_MAX_DIMS) {
                kci_fail(context, KC_EARGUMENT, "%s: the operands have more than %d dims", call, KCI_MAX_DIMS);
                ok = false;
            } else if (!known) {
                dims[rank++] = *dim;
            } else if (known->size != dim->size) {
                char one[32], other[32];
                kci_format_number(known->size, one);
                kci_format_number(dim->size, other);
                kci_fail(context, KC_EARGUMENT,
                         "%s: dim '%s' is %s in one operand and %s in another; a dim has one size in a kernel", call,
                         kci_name(context, dim->name), one, other);
                ok = false;
            }
        }
    kci_dim *exact = ok ? kci_alloc(context, rank * sizeof *exact) : NULL;
    if (exact) {
        memcpy(exact, dims, rank * sizeof *dims);
        value->dims = exact;
        value->rank = rank;
    }
    kci_free(context, dims, most * sizeof *dims);
    return exact != NULL;
}

/* Takes `over`, each of which is a dim, out of the dims. */
static bool drop_dims(kc_value *value)
{
    kc_context *context = value->base.context;
    size_t rank = value->rank, kept = 0;
    kci_dim *dims = kci_alloc(context, (rank - value->over_count) * sizeof *dims);
    if (!dims)
        return false;
    for (size_t d = 0; d < rank; d++) {
        bool gone = false;
        for (size_t o = 0; o < value->over_count; o++)
            gone = gone || value->over[o] == value->dims[d].name;
        if (!gone)
            dims[kept++] = value->dims[d];
    }
    kci_free(context, value->dims, rank * sizeof *value->dims);
    value->dims = dims;
    value->rank = kept;
    return true;
}

/* Reads `text` into value->over; each name must be a dim of `a`. */
static bool read_over(kc_value *value, const char *call, const char *text)
{
    kc_context *context = value->base.context;
    const kc_value *a = value->inputs[0];
    if (kci_names_parse(context, call, "over", text ? text : "", &value->over, &value->over_count))
        return false;
    if (value->over_count == 0) {
        kci_fail(context, KC_EARGUMENT, "%s: over is missing; name the dim to %s, as in \"j\"", call,
                 strcmp(call, "scan") == 0 ? "run along" : "reduce");
        return false;
    }
    for (size_t o = 0; o < value->over_count; o++)
        if (!kci_find_dim(a->dims, a->rank, value->over[o])) {
            char list[KCI_PART_BYTES];
            kci_fail(context, KC_EARGUMENT, "%s: no dim '%s' in the operand; it has %s", call, kci_name(context, value->over[o]),
                     dims_of(a, list));
            return false;
        }
    return true;
}

static bool cost_ok(kc_context *context, const char *call, const kc_cost *cost)
{
    if (cost->flops >= 0 && cost->flops < KCI_MAX_SIZE && cost->special >= 0 && cost->special < KCI_MAX_SIZE)
        return true;
    kci_fail(context, KC_EARGUMENT, "%s: a cost's flops and special must be finite and not negative", call);
    return false;
}

static kc_value *drop(kc_value *value);

/* The value with the masks of what is behind it; or NULL. */
static kc_value *ready(kc_value *value)
{
    return kci_value_bands(value) ? value : drop(value);
}

static kc_value *drop(kc_value *value)
{
    kc_release(value);
    return NULL;
}

/* ---- matmul ---------------------------------------------------------------- */

static bool check_into(kc_value *value, const kc_value *into)
{
    kc_context *context = value->base.context;
    for (size_t d = 0; d < into->rank; d++) {
        const kci_dim *dim = kci_find_dim(value->dims, value->rank, into->dims[d].name);
        if (dim && dim->size == into->dims[d].size)
            continue;
        char list[KCI_PART_BYTES];
        kci_fail(context, KC_EARGUMENT, "matmul: into has dim '%s', which the product does not have%s; it has %s",
                 kci_name(context, into->dims[d].name), dim ? " at that size" : "", dims_of(value, list));
        return false;
    }
    return true;
}

static bool read_contracted(kc_value *value, const char *over)
{
    kc_context *context = value->base.context;
    const kc_value *a = value->inputs[0], *b = value->inputs[1];
    if (!over) {
        if (a->rank == 0) {
            kci_fail(context, KC_EARGUMENT, "matmul: the left operand has no dim to contract");
            return false;
        }
        value->over = kci_alloc(context, sizeof *value->over);
        if (!value->over)
            return false;
        value->over[0] = a->dims[a->rank - 1].name;
        value->over_count = 1;
    } else if (kci_names_parse(context, "matmul", "over", over, &value->over, &value->over_count)) {
        return false;
    } else if (value->over_count == 0) {
        kci_fail(context, KC_EARGUMENT, "matmul: over is empty; name the dims to contract, as in \"k\"");
        return false;
    }
    for (size_t o = 0; o < value->over_count; o++)
        if (!kci_find_dim(a->dims, a->rank, value->over[o]) || !kci_find_dim(b->dims, b->rank, value->over[o])) {
            bool left = !kci_find_dim(a->dims, a->rank, value->over[o]);
            char a_has[KCI_PART_BYTES], b_has[KCI_PART_BYTES];
            kci_fail(context, KC_EARGUMENT,
                     "matmul: the %s operand has no dim '%s' to contract; left has %.200s, right has %.200s%s",
                     left ? "left" : "right", kci_name(context, value->over[o]), dims_of(a, a_has), dims_of(b, b_has),
                     over ? "" : " (over defaults to the left operand's last dim)");
            return false;
        }
    return true;
}

kc_value *kc_matmul(kc_value *a, kc_value *b, const char *over, const char *math, const char *unit, kc_value *into)
{
    if (!a || !b)
        return NULL;
    kc_context *context = a->base.context;
    kc_value *inputs[3] = { a, b, into };
    kc_value *value = make(KCI_V_MATMUL, "matmul", inputs, into ? 3 : 2);
    if (!value)
        return NULL;
    value->into = into != NULL;
    value->unit = KCI_MATRIX;
    value->flops = 2;
    if (unit && strcmp(unit, "vector") == 0) {
        value->unit = KCI_VECTOR;
    } else if (unit && strcmp(unit, "matrix") != 0) {
        kci_fail(context, KC_EARGUMENT, "matmul: unit must be \"matrix\" or \"vector\", not '%.80s'", unit);
        return drop(value);
    }
    if (math) {
        kc_dtype *dtype = kc_dtype_named(context, math);
        if (!dtype)
            return drop(value);
        value->math = dtype->math;
        kc_release(dtype);
    }
    if (!union_dims(value, "matmul", 2) || !read_contracted(value, over) || !drop_dims(value))
        return drop(value);
    return into && !check_into(value, into) ? drop(value) : ready(value);
}

/* ---- elementwise ------------------------------------------------------------ */

kc_value *kc_map(const char *what, kc_value *const *inputs, size_t count, const kc_cost *cost)
{
    if (!inputs || count == 0 || !inputs[0])
        return NULL;
    kc_context *context = inputs[0]->base.context;
    for (size_t i = 0; i < count; i++)
        if (!inputs[i])
            return NULL;
    const kci_map_cost *named = what ? kci_map_named(what) : NULL;
    if (!named && !cost) {
        kci_fail(context, KC_EARGUMENT, "map: no cost is known for '%.80s'; give one as { flops = 3, special = 1 }%s",
                 what ? what : "", kci_nearest(context, what ? what : "", kci_map_nth, NULL));
        return NULL;
    }
    if (cost && !cost_ok(context, "map", cost))
        return NULL;
    kc_value *value = make(KCI_V_MAP, what && *what ? what : "map", inputs, count);
    if (!value)
        return NULL;
    value->flops = cost ? cost->flops : named->flops;
    value->special = cost ? cost->special : named->special;
    value->linear = named && named->linear;
    return union_dims(value, "map", count) ? ready(value) : drop(value);
}

kc_value *kc_cast(kc_value *a, const kc_dtype *dtype)
{
    if (!a || !dtype)
        return NULL;
    kc_value *value = make(KCI_V_CAST, "cast", &a, 1);
    if (!value)
        return NULL;
    value->format = dtype->math;
    value->cast_to = kc_retain((void *)(uintptr_t)dtype);
    value->linear = true;
    return union_dims(value, "cast", 1) ? ready(value) : drop(value);
}

static kc_value *band(kc_value *a, const char *call, const char *q, const char *k, double lo, double hi, bool follows)
{
    if (!a)
        return NULL;
    kc_context *context = a->base.context;
    kc_value *value = make(KCI_V_MASK, "mask", &a, 1);
    if (!value || !union_dims(value, call, 1))
        return drop(value);
    const char *names[2] = { q, k };
    kci_symbol found[2] = { 0, 0 };
    for (int i = 0; i < 2; i++) {
        const char *name = names[i] ? names[i] : "";
        found[i] = kci_intern(context, name, strlen(name));
        if (!found[i])
            return drop(value);
        if (!kci_find_dim(value->dims, value->rank, found[i])) {
            char list[KCI_PART_BYTES];
            kci_fail(context, KC_EARGUMENT, "%s: no dim '%.80s' in the operand; it has %s", call, name, dims_of(value, list));
            return drop(value);
        }
    }
    if (found[0] == found[1]) {
        kci_fail(context, KC_EARGUMENT, "%s: q and k are both '%s'; a mask compares two dims", call, q);
        return drop(value);
    }
    double n_q = kci_find_dim(value->dims, value->rank, found[0])->size;
    double n_k = kci_find_dim(value->dims, value->rank, found[1])->size;
    if (follows)
        hi = n_k - n_q;
    bool whole = lo <= hi && (lo == -HUGE_VAL || floor(lo) == lo) && (hi == HUGE_VAL || floor(hi) == hi);
    if (!whole) {
        char low[32] = "not given", high[32] = "not given";
        if (isfinite(lo))
            kci_format_number(lo, low);
        if (isfinite(hi))
            kci_format_number(hi, high);
        kci_fail(context, KC_EARGUMENT, "%s: lo is %s and hi is %s, and whole numbers with lo <= hi are wanted", call, low,
                 high);
        return drop(value);
    }
    if (lo > n_k - 1 || hi < 1 - n_q) {
        kci_fail(context, KC_EARGUMENT, "%s: no point of '%s' and '%s' is live under these bounds", call, q, k);
        return drop(value);
    }
    for (size_t b = 0; b < a->band_count; b++) {
        const kci_band *before = &a->bands[b];
        bool same = before->q == found[0] && before->k == found[1];
        if (same && fmax(before->lo, lo) > fmin(before->hi, hi)) {
            kci_fail(context, KC_EARGUMENT, "%s: no point of '%s' and '%s' is live under this mask and the one behind it", call,
                     q, k);
            return drop(value);
        }
    }
    value->mask = (kci_band){ found[0], found[1], lo, hi, follows };
    value->by_name = value->by_name && follows; /* a window may have nothing live at other sizes */
    return ready(value);
}

kc_value *kc_mask(kc_value *a, const char *q, const char *k, double lo, double hi)
{
    return band(a, "mask", q, k, lo, hi, false);
}

kc_value *kc_causal(kc_value *a, const char *q, const char *k)
{
    return band(a, "causal", q, k, -HUGE_VAL, 0, true);
}

/* ---- reductions ------------------------------------------------------------- */

static bool add_dims(kc_value *value, const kc_size *sizes, size_t count)
{
    kc_context *context = value->base.context;
    if (count == 0)
        return true;
    if (count > KCI_MAX_DIMS - value->rank) {
        kci_fail(context, KC_EARGUMENT, "reduce: the output has more than %d dims", KCI_MAX_DIMS);
        return false;
    }
    kci_dim *dims = kci_alloc(context, (value->rank + count) * sizeof *dims);
    if (!dims)
        return false;
    memcpy(dims, value->dims, value->rank * sizeof *dims);
    kci_free(context, value->dims, value->rank * sizeof *dims);
    value->dims = dims;
    const kc_value *a = value->inputs[0];
    size_t rank = value->rank;
    value->rank += count;
    for (size_t i = 0; i < count; i++) {
        kci_symbol name = sizes[i].dim ? kci_intern(context, sizes[i].dim, strlen(sizes[i].dim)) : 0;
        if (!name || !kci_size_ok(context, "reduce", sizes[i].dim, sizes[i].size))
            return false;
        if (kci_find_dim(a->dims, a->rank, name)) {
            kci_fail(context, KC_EARGUMENT, "reduce: size adds dims to the output, but '%s' is a dim of the operand",
                     sizes[i].dim);
            return false;
        }
        if (kci_find_dim(dims, rank, name)) {
            kci_fail(context, KC_EARGUMENT, "reduce: size adds '%s' twice", sizes[i].dim);
            return false;
        }
        dims[rank++] = (kci_dim){ name, sizes[i].size };
    }
    value->added = count;
    return true;
}

/* A name without a cost must be one whose cost is known. */
static bool is_known(kc_context *context, const char *call, const char *what, const kc_cost *cost, kci_nth_name nth)
{
    if (cost)
        return cost_ok(context, call, cost);
    const char *name;
    for (size_t i = 0; what && (name = nth(NULL, i)) != NULL; i++)
        if (strcmp(what, name) == 0)
            return true;
    kci_fail(context, KC_EARGUMENT, "%s: no cost is known for '%.80s'; give one as { flops = 2 }%s", call,
             what ? what : "", kci_nearest(context, what ? what : "", nth, NULL));
    return false;
}

kc_value *kc_reduce(const char *what, kc_value *a, const char *over, const kc_size *sizes, size_t count,
                    const kc_cost *cost)
{
    if (!a || !is_known(a->base.context, "reduce", what, cost, kci_reduction_nth) ||
        !kci_array_given(a->base.context, "reduce", "sizes", sizes, count))
        return NULL;
    kc_value *value = make(KCI_V_REDUCE, what && *what ? what : "reduce", &a, 1);
    if (!value)
        return NULL;
    value->flops = cost ? cost->flops : 1;
    value->special = cost ? cost->special : 0;
    value->linear = what && (strcmp(what, "sum") == 0 || strcmp(what, "mean") == 0);
    if (!union_dims(value, "reduce", 1) || !read_over(value, "reduce", over) || !drop_dims(value))
        return drop(value);
    return add_dims(value, sizes, count) ? ready(value) : drop(value);
}

kc_value *kc_scan(const char *what, kc_value *a, const char *over, const kc_cost *cost)
{
    if (!a || !is_known(a->base.context, "scan", what, cost, kci_scan_nth))
        return NULL;
    kc_value *value = make(KCI_V_SCAN, what && *what ? what : "scan", &a, 1);
    if (!value)
        return NULL;
    value->flops = cost ? cost->flops : 1;
    value->special = cost ? cost->special : 0;
    return union_dims(value, "scan", 1) && read_over(value, "scan", over) ? ready(value) : drop(value);
}

kc_value *kc_softmax(kc_value *a, const char *over, int online)
{
    if (!a)
        return NULL;
    kc_value *value = make(KCI_V_SOFTMAX, "softmax", &a, 1);
    if (!value)
        return NULL;
    value->online = online != 0;
    return union_dims(value, "softmax", 1) && read_over(value, "softmax", over) ? ready(value) : drop(value);
}

kc_value *kc_lse(kc_value *probabilities)
{
    if (!probabilities)
        return NULL;
    kc_value *p = probabilities;
    if (p->op != KCI_V_SOFTMAX) {
        kci_fail(p->base.context, KC_EARGUMENT, "lse: the operand must be a softmax, not '%s'", p->label);
        return NULL;
    }
    kc_value *value = make(KCI_V_LSE, "lse", &p, 1);
    if (!value)
        return NULL;
    value->over = kci_alloc(p->base.context, p->over_count * sizeof *p->over);
    if (!value->over)
        return drop(value);
    memcpy(value->over, p->over, p->over_count * sizeof *p->over);
    value->over_count = p->over_count;
    if (!union_dims(value, "lse", 1))
        return drop(value);
    value->format = kci_format_accumulator(p->format);
    return drop_dims(value) ? ready(value) : drop(value);
}
