/* transform.c: the same thing at other sizes, or with other dim names; design, section 2.1.
 *
 * What was built is immutable, so the expression is built again, inputs first,
 * each value and tensor once.  A tensor's dim that an index computes follows the
 * dims in it: by the same steps that the index takes. */
#include <math.h>
#include <string.h>

#include "kernels.h"
#include "map.h"
#include "object.h"
#include "reads.h"
#include "schedule.h"

typedef struct change {
    kci_symbol from, to;
    double size;
} change;

typedef struct transform {
    kc_context *context;
    const char *call;
    bool renames;
    const change *changes;
    size_t count;
    bool *used;                 /* per change: some dim has that name */
    kci_seen seen;              /* values and tensors of the old graph */
    void **made;                /* the new one of each, owned */
    size_t made_capacity;
    const kc_value **reads;     /* all reads behind */
    size_t read_count, read_capacity;
} transform;

static double new_size(transform *t, kci_symbol name, double size)
{
    for (size_t i = 0; !t->renames && i < t->count; i++)
        if (t->changes[i].from == name) {
            if (t->used)
                t->used[i] = true;
            return t->changes[i].size;
        }
    return size;
}

static kci_symbol new_name(transform *t, kci_symbol name)
{
    for (size_t i = 0; t->renames && i < t->count; i++)
        if (t->changes[i].from == name) {
            t->used[i] = true;
            return t->changes[i].to;
        }
    return name;
}

static bool is_changed(const transform *t, kci_symbol name)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->changes[i].from == name)
            return true;
    return false;
}

static void *made_for(const transform *t, const void *old)
{
    uint32_t at = kci_find_seen(&t->seen, old);
    return at == UINT32_MAX ? NULL : t->made[at];
}

/* Takes over `new`, the new one of `old`. */
static kc_status remember(transform *t, const void *old, void *new)
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
static double reach(transform *t, const kci_form *form, const kci_dim *dims, size_t rank, bool after)
{
    double sum = 0;
    for (size_t i = 0; i < form->count; i++) {
        const kci_form_term *term = &form->terms[i];
        const kci_dim *d = kci_find_dim(dims, rank, term->dim);
        const kci_dim *s = term->size_of ? kci_find_dim(dims, rank, term->size_of) : NULL;
        double size = after ? new_size(t, d->name, d->size) : d->size;
        double by = s ? after ? new_size(t, s->name, s->size) : s->size : 1;
        sum += term->coefficient * by * (size - 1);
    }
    return sum;
}

/* The new size of a leaf tensor's dim: by its name where it is read as it is, else
 * as far as the index that reads it moves. */
static kc_status leaf_size(transform *t, const kc_tensor *tensor, size_t p, double *size)
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
        *size = new_size(t, name, *size);
        return KC_OK;
    }
    if (is_changed(t, name) && !kci_find_dim(computed->dims, computed->rank, name))
        return kci_fail(t->context, KC_EARGUMENT,
                        "%s: '%.80s' of %.80s follows from the index that reads it; %s the dims in that index", t->call,
                        kci_name(t->context, name), tensor->name, t->call);
    const kci_form *form = &computed->index[p];
    *size += reach(t, form, computed->dims, computed->rank, true) - reach(t, form, computed->dims, computed->rank, false);
    return KC_OK;
}

/* ---- texts -------------------------------------------------------------------------- */

static const char *renamed_dims(transform *t, kci_text *text, const kci_dim *dims, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kci_text_format(text, "%s%s", i ? " " : "", kci_name(t->context, new_name(t, dims[i].name)));
    return text->failed ? NULL : text->bytes ? text->bytes : "";
}

static const char *renamed_names(transform *t, kci_text *text, const kci_symbol *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kci_text_format(text, "%s%s", i ? " " : "", kci_name(t->context, new_name(t, names[i])));
    return text->failed ? NULL : text->bytes ? text->bytes : "";
}

static const char *renamed_index(transform *t, kci_text *text, const kci_form *forms, size_t count)
{
    kci_form *copy = kci_index_copy(t->context, forms, count);
    if (!copy)
        return NULL;
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < copy[p].count; i++) {
            copy[p].terms[i].dim = new_name(t, copy[p].terms[i].dim);
            if (copy[p].terms[i].size_of)
                copy[p].terms[i].size_of = new_name(t, copy[p].terms[i].size_of);
        }
        kci_text_add(text, p ? " " : "");
        kci_form_print(text, &copy[p]);
    }
    kci_index_free(t->context, copy, count);
    return text->failed ? NULL : text->bytes;
}

/* Dims with their new names and sizes; the caller frees. */
static kc_size *new_sizes(transform *t, const kci_dim *dims, size_t count)
{
    kc_size *sizes = kci_alloc(t->context, count * sizeof *sizes);
    for (size_t i = 0; sizes && i < count; i++)
        sizes[i] = (kc_size){ kci_name(t->context, new_name(t, dims[i].name)), new_size(t, dims[i].name, dims[i].size) };
    return sizes;
}

static bool dims_change(transform *t, const kci_dim *dims, size_t count)
{
    bool changes = false;
    for (size_t i = 0; i < count; i++)
        changes = new_size(t, dims[i].name, dims[i].size) != dims[i].size || new_name(t, dims[i].name) != dims[i].name || changes;
    return changes;
}

/* ---- tensors and values ---------------------------------------------------------------- */

/* A renaming must not make one dim of two. */
static kc_status names_differ(transform *t, const char *whose, const kci_dim *dims, size_t count)
{
    for (size_t i = 0; t->renames && i < count; i++)
        for (size_t o = 0; o < count; o++)
            if (o != i && new_name(t, dims[i].name) == new_name(t, dims[o].name) && is_changed(t, dims[i].name))
                return kci_fail(t->context, KC_EARGUMENT, "rename: '%.80s' cannot become '%.80s', which %.80s has already",
                                kci_name(t->context, dims[i].name), kci_name(t->context, new_name(t, dims[i].name)), whose);
    return KC_OK;
}

/* A written tensor's dim that an index of a reader computes follows it: the loop that
 * makes it is resized as well.  Goes on until nothing follows any more. */
static kc_status follow_written(transform *t, change **changes, size_t *capacity)
{
    bool moved = true;
    for (int round = 0; moved && round < KCI_MAX_LOOPS; round++) {
        moved = false;
        for (size_t i = 0; i < t->read_count; i++) {
            const kc_value *read = t->reads[i];
            const kc_tensor *tensor = read->tensor;
            for (size_t p = 0; tensor->value && p < tensor->rank; p++) {
                const kci_form *form = &read->index[p];
                if (form->gather || !kci_form_is_plain(&tensor->index[p]))
                    continue;
                kci_symbol made = tensor->index[p].terms[0].dim;
                if (kci_find_dim(read->dims, read->rank, made))
                    continue; /* the reader walks the same dim */
                double more = reach(t, form, read->dims, read->rank, true) - reach(t, form, read->dims, read->rank, false);
                double size = tensor->dims[p].size + more;
                if (is_changed(t, made) && new_size(t, made, size) != size)
                    return kci_fail(t->context, KC_EARGUMENT,
                                    "resize: '%.80s' of %.80s follows from the index that reads it; resize the dims in that "
                                    "index",
                                    kci_name(t->context, made), tensor->name);
                if (more == 0 || is_changed(t, made))
                    continue;
                if (!kci_reserve(t->context, changes, capacity, t->count + 1, sizeof **changes))
                    return KC_ENOMEM;
                (*changes)[t->count] = (change){ made, 0, size };
                t->changes = *changes;
                t->count++;
                moved = true;
            }
        }
    }
    return KC_OK;
}

static kc_status make_leaf(transform *t, const kc_tensor *tensor)
{
    kc_status clash = names_differ(t, tensor->name, tensor->dims, tensor->rank);
    if (clash)
        return clash;
    kc_size *sizes = new_sizes(t, tensor->dims, tensor->rank);
    kci_text names = { .context = t->context };
    kc_status status = sizes ? KC_OK : KC_ENOMEM;
    bool same = !t->renames || !dims_change(t, tensor->dims, tensor->rank);
    for (size_t p = 0; p < tensor->rank && !status; p++) {
        status = leaf_size(t, tensor, p, &sizes[p].size);
        same = same && sizes[p].size == tensor->dims[p].size;
    }
    const char *dims = status ? NULL : renamed_dims(t, &names, tensor->dims, tensor->rank);
    if (!status)
        status = remember(t, tensor, same   ? kc_retain((void *)(uintptr_t)tensor)
                                     : dims ? kc_tensor_new(t->context, tensor->name, dims, tensor->dtype, sizes, tensor->rank)
                                            : NULL);
    kci_text_free(&names);
    kci_free(t->context, sizes, tensor->rank * sizeof *sizes);
    return status;
}

static kc_status make_written(transform *t, const kc_tensor *tensor)
{
    kc_value *value = made_for(t, tensor->value);
    if (value == tensor->value && !dims_change(t, tensor->dims, tensor->rank))
        return remember(t, tensor, kc_retain((void *)(uintptr_t)tensor));
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
            sizes[p].size = tensor->dims[p].size + reach(t, &tensor->index[p], old->dims, old->rank, true) -
                            reach(t, &tensor->index[p], old->dims, old->rank, false);
    }
    kc_tensor *made = NULL;
    if (sizes && dims && (plain || forms))
        made = kc_write(tensor->name, value, tensor->dtype, dims, forms, sizes, plain ? 0 : tensor->rank, tensor->scale);
    kci_text_free(&names);
    kci_text_free(&index);
    kci_free(t->context, sizes, tensor->rank * sizeof *sizes);
    return remember(t, tensor, made);
}

static kc_value *make_op(transform *t, const kc_value *value, kc_value **in, const char *over, kc_size *sizes)
{
    kc_cost cost = { value->flops, value->special };
    const char *q = kci_name(t->context, new_name(t, value->mask.q)), *k = kci_name(t->context, new_name(t, value->mask.k));
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

static kc_status make_value(transform *t, const kc_value *value)
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
        in[i] = made_for(t, value->inputs[i]);
        same = same && in[i] == value->inputs[i];
    }
    if (sizes && in && value->op == KCI_V_READ) {
        kc_tensor *tensor = made_for(t, value->tensor);
        const char *index = renamed_index(t, &text, value->index, value->tensor->rank);
        made = same && tensor == value->tensor ? kc_retain((void *)(uintptr_t)value)
               : index ? kc_read(tensor, index, sizes, value->rank, value->scale, value->distinct)
                       : NULL;
    } else if (sizes && in) {
        const char *over = renamed_names(t, &text, value->over, value->over_count);
        made = same ? kc_retain((void *)(uintptr_t)value) : over ? make_op(t, value, in, over, sizes) : NULL;
    }
    kci_text_free(&text);
    kci_free(t->context, (void *)in, value->input_count * sizeof *in);
    kci_free(t->context, sizes, value->rank * sizeof *sizes);
    return remember(t, value, made);
}

/* ---- the order: inputs first ------------------------------------------------------------ */

static const void *pending(const transform *t, const kc_object *object)
{
    if (object->kind == KC_TENSOR) {
        const kc_tensor *tensor = (const kc_tensor *)(const void *)object;
        return tensor->value && !made_for(t, tensor->value) ? tensor->value : NULL;
    }
    const kc_value *value = (const kc_value *)(const void *)object;
    if (value->tensor)
        return made_for(t, value->tensor) ? NULL : value->tensor;
    for (size_t i = 0; i < value->input_count; i++)
        if (!made_for(t, value->inputs[i]))
            return value->inputs[i];
    return NULL;
}

static kc_status make(transform *t, const kc_object *root)
{
    const kc_object **stack = NULL;
    size_t depth = 0, capacity = 0;
    kc_status status = KC_OK;
    if (made_for(t, root))
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

/* Every read behind an object, through tensors too: they say which dims follow. */
typedef struct gathering {
    transform *transform;
    kci_seen values, tensors;
} gathering;

static kc_status gather_tensor(gathering *g, const kc_tensor *tensor);

static kc_status gather_read(void *data, const kc_value *read)
{
    gathering *g = data;
    transform *t = g->transform;
    if (!kci_reserve(t->context, (void *)&t->reads, &t->read_capacity, t->read_count + 1, sizeof *t->reads))
        return KC_ENOMEM;
    t->reads[t->read_count++] = read;
    return gather_tensor(g, read->tensor);
}

static kc_status gather_tensor(gathering *g, const kc_tensor *tensor)
{
    bool fresh;
    return kci_see(g->transform->context, &g->tensors, tensor, &fresh);
}

static kc_status gather_object(gathering *g, const kc_object *object)
{
    kc_status status = KC_OK;
    if (object->kind == KC_TENSOR)
        return gather_tensor(g, (const kc_tensor *)(const void *)object);
    if (object->kind == KC_VALUE)
        return kci_visit_reads(g->transform->context, (const kc_value *)(const void *)object, &g->values, gather_read, g);
    if (object->kind == KC_PROGRAM) {
        const kc_program *program = (const kc_program *)(const void *)object;
        for (size_t i = 0; i < program->part_count && !status; i++)
            status = gather_object(g, program->parts[i].object);
        return status;
    }
    const kc_kernel *kernel = (const kc_kernel *)(const void *)object;
    for (size_t i = 0; i < kernel->member_count && !status; i++)
        status = gather_object(g, (const kc_object *)(const void *)kernel->members[i]);
    for (size_t i = 0; i < kernel->tensor_count && !status; i++)
        status = gather_tensor(g, kernel->tensors[i]);
    return status;
}

static kc_status gather_all(transform *t, const kc_object *object)
{
    gathering g = { .transform = t };
    kc_status status = gather_object(&g, object);
    for (size_t i = 0; i < g.tensors.count && !status; i++) { /* grows while it runs */
        const kc_tensor *tensor = g.tensors.items[i];
        if (tensor->value)
            status = kci_visit_reads(t->context, tensor->value, &g.values, gather_read, &g);
    }
    kci_seen_free(t->context, &g.values);
    kci_seen_free(t->context, &g.tensors);
    return status;
}

/* ---- kernels and programs ----------------------------------------------------------------- */

static kc_object *make_object(transform *t, kc_object *object);

/* All names at once: two may be swapped. */
static kc_schedule *new_schedule(transform *t, const kc_schedule *old)
{
    kc_schedule *schedule = kci_schedule_copy(old);
    kci_symbol *names = schedule && t->renames ? kci_alloc(t->context, 2 * t->count * sizeof *names) : NULL;
    for (size_t i = 0; names && i < t->count; i++) {
        names[i] = t->changes[i].from;
        names[t->count + i] = t->changes[i].to;
    }
    if (names)
        kci_schedule_rename(schedule, names, names + t->count, t->count);
    bool failed = schedule && t->renames && !names;
    kci_free(t->context, names, 2 * t->count * sizeof *names);
    if (!failed)
        return schedule;
    kc_release(schedule);
    return NULL;
}

static kc_kernel *make_kernel(transform *t, kc_kernel *kernel)
{
    size_t count = kernel->tensor_count + kernel->fused_count;
    kc_tensor **list = kci_alloc(t->context, count * sizeof *list);
    kc_kernel *made = NULL;
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        kc_tensor *old = i < kernel->tensor_count ? kernel->tensors[i] : kernel->fused[i - kernel->tensor_count];
        ok = make(t, &old->base) == KC_OK;
        list[i] = ok ? made_for(t, old) : NULL;
    }
    if (ok)
        made = kci_kernel_make(t->context, kernel->name, list, kernel->tensor_count, list + kernel->tensor_count,
                               kernel->fused_count);
    kci_free(t->context, (void *)list, count * sizeof *list);
    if (!made || !kernel->schedule)
        return made;
    kc_schedule *schedule = new_schedule(t, kernel->schedule);
    kc_kernel *tiled = schedule ? kci_kernel_scheduled(made, schedule) : NULL;
    kc_release(schedule);
    kc_release(made);
    return tiled;
}

static kc_kernel *make_group(transform *t, kc_kernel *group)
{
    kc_object **parts = kci_alloc(t->context, group->member_count * sizeof *parts);
    kc_kernel *made = NULL;
    bool ok = parts != NULL;
    for (size_t i = 0; ok && i < group->member_count; i++) {
        parts[i] = (kc_object *)(void *)make_kernel(t, group->members[i]);
        ok = parts[i] != NULL;
    }
    if (ok)
        made = kc_group(t->context, group->name, parts, group->member_count);
    for (size_t i = 0; parts && i < group->member_count; i++)
        kc_release(parts[i]);
    kci_free(t->context, (void *)parts, group->member_count * sizeof *parts);
    return made;
}

static kc_program *make_program(transform *t, kc_program *program)
{
    kc_object **parts = kci_alloc(t->context, program->part_count * sizeof *parts);
    kc_program *made = NULL;
    bool ok = parts != NULL;
    for (size_t i = 0; ok && i < program->part_count; i++) {
        parts[i] = make_object(t, program->parts[i].object);
        ok = parts[i] != NULL;
    }
    if (ok)
        made = kc_program_new(t->context, program->name, parts, program->part_count);
    for (size_t i = 0; made && i < program->part_count; i++)
        made->parts[i].times = program->parts[i].times;
    for (size_t i = 0; parts && i < program->part_count; i++)
        kc_release(parts[i]);
    kci_free(t->context, (void *)parts, program->part_count * sizeof *parts);
    return made;
}

static kc_object *make_object(transform *t, kc_object *object)
{
    switch (object->kind) {
    case KC_TENSOR:
    case KC_VALUE:
        return make(t, object) ? NULL : kc_retain(made_for(t, object));
    case KC_KERNEL: {
        kc_kernel *kernel = (kc_kernel *)(void *)object;
        return (kc_object *)(void *)(kernel->member_count ? make_group(t, kernel) : make_kernel(t, kernel));
    }
    default:
        return (kc_object *)(void *)make_program(t, (kc_program *)(void *)object);
    }
}

/* No dim has the name that a change speaks of: say which there are. */
static void name_missing(const transform *t, kci_symbol name)
{
    kci_seen names = { .count = 0 };
    kci_text list = { .context = t->context };
    for (size_t r = 0; r < t->read_count; r++)
        for (size_t d = 0; d < t->reads[r]->rank; d++) {
            const char *dim = kci_name(t->context, t->reads[r]->dims[d].name);
            bool fresh = false;
            if (kci_see(t->context, &names, dim, &fresh) == KC_OK && fresh)
                kci_text_format(&list, "%s%s", list.length ? " " : "", dim);
        }
    kci_fail(t->context, KC_EARGUMENT, "%s: nothing in it has a dim '%.80s'; it has %.300s", t->call,
             kci_name(t->context, name), list.bytes ? list.bytes : "none");
    kci_text_free(&list);
    kci_seen_free(t->context, &names);
}

static kc_object *run(kc_object *object, const char *call, bool renames, change **changes, size_t count, size_t *capacity)
{
    kc_context *context = object->context;
    transform t = { .context = context, .call = call, .renames = renames, .changes = *changes, .count = count };
    kc_object *made = NULL;
    bool known = object->kind == KC_TENSOR || object->kind == KC_VALUE || object->kind == KC_KERNEL || object->kind == KC_PROGRAM;
    if (!known)
        kci_fail(context, KC_EARGUMENT, "%s: the first argument must be a tensor, value, kernel or program", call);
    bool ok = known && gather_all(&t, object) == KC_OK && (renames || follow_written(&t, changes, capacity) == KC_OK);
    size_t total = t.count;
    t.used = ok ? kci_alloc(context, total * sizeof *t.used) : NULL;
    if (t.used)
        made = make_object(&t, object);
    for (size_t i = 0; made && i < count; i++)
        if (!t.used[i]) {
            name_missing(&t, (*changes)[i].from);
            kc_release(made);
            made = NULL;
        }
    for (size_t i = 0; i < t.seen.count; i++)
        kc_release(t.made[i]);
    kci_free(context, (void *)t.reads, t.read_capacity * sizeof *t.reads);
    kci_free(context, (void *)t.made, t.made_capacity * sizeof *t.made);
    kci_seen_free(context, &t.seen);
    kci_free(context, t.used, total * sizeof *t.used);
    return made;
}

kc_object *kc_resized(kc_object *object, const kc_size *sizes, size_t count)
{
    if (!object)
        return NULL;
    kc_context *context = object->context;
    change *changes = NULL;
    size_t total = 0, capacity = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) { /* "i j" ties dims */
        kci_symbol *names = NULL;
        size_t n = 0;
        ok = kci_names_parse(context, "resize", "sizes", sizes[i].dim ? sizes[i].dim : "", &names, &n) == KC_OK &&
             kci_size_ok(context, "resize", sizes[i].dim ? sizes[i].dim : "", sizes[i].size);
        for (size_t k = 0; ok && k < n; k++) {
            for (size_t c = 0; c < total; c++)
                if (changes[c].from == names[k])
                    ok = kci_fail(context, KC_EARGUMENT, "resize: '%.80s' is given twice", kci_name(context, names[k])) == KC_OK;
            ok = ok && kci_reserve(context, &changes, &capacity, total + 1, sizeof *changes);
            if (ok)
                changes[total++] = (change){ names[k], 0, sizes[i].size };
        }
        kci_free(context, names, n * sizeof *names);
    }
    kc_object *made = ok ? run(object, "resize", false, &changes, total, &capacity) : NULL;
    kci_free(context, changes, capacity * sizeof *changes);
    return made;
}

kc_object *kc_renamed(kc_object *object, const char *const *from, const char *const *to, size_t count)
{
    if (!object)
        return NULL;
    kc_context *context = object->context;
    size_t capacity = count;
    change *changes = kci_alloc(context, count * sizeof *changes);
    bool ok = changes != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        kci_symbol *name = NULL;
        size_t n = 0;
        changes[i].from = kci_intern(context, from[i], strlen(from[i]));
        ok = changes[i].from && kci_names_parse(context, "rename", "the new name", to[i], &name, &n) == KC_OK;
        if (!ok || n != 1) {
            if (kc_context_status(context) != KC_ENOMEM)
                kci_fail(context, KC_EARGUMENT, "rename: '%.80s' is not the name of a dim", to[i]);
            ok = false;
        }
        if (ok)
            changes[i].to = name[0];
        kci_free(context, name, n * sizeof *name);
    }
    kc_object *made = ok ? run(object, "rename", true, &changes, count, &capacity) : NULL;
    kci_free(context, changes, count * sizeof *changes);
    return made;
}
