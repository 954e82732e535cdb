/* program.c: kernels that run one after another or beside each other, and what runs n times. */
#include "program.h"

#include <math.h>
#include <string.h>

#include "demand.h"
#include "kernels.h"
#include "object.h"
#include "reads.h"
#include "resize.h"

enum { DEEPEST = 64 };          /* programs within programs */
static const double most_kernels = 1e6;

void kci_program_destroy(kc_object *object)
{
    kc_program *program = (kc_program *)(void *)object;
    for (size_t i = 0; i < program->part_count; i++)
        kc_release(program->parts[i].object);
    kci_free(object->context, program->parts, program->part_count * sizeof *program->parts);
    kci_free_text(object->context, program->name);
    kci_free(object->context, program, sizeof *program);
}

static kc_program *program_make(kc_context *context, const char *name, size_t count)
{
    kc_program *program = kci_new(context, KC_PROGRAM, sizeof *program);
    if (!program)
        return NULL;
    program->name = kci_copy_text(context, name);
    program->parts = kci_alloc(context, count * sizeof *program->parts);
    if (program->parts)
        program->part_count = count;
    if (program->name && program->parts)
        return program;
    kc_release(program);
    return NULL;
}

kc_program *kci_program_like(const kc_program *program)
{
    kc_program *made = program_make(program->base.context, program->name, program->part_count);
    for (size_t i = 0; made && i < program->part_count; i++)
        made->parts[i].times = program->parts[i].times;
    if (made) {
        made->beside = program->beside;
        made->kernels = program->kernels;
        made->depth = program->depth;
    }
    return made;
}

/* How many kernels and how deep, of the parts that are there: whoever walks a program recurses. */
static kc_status measure(kc_program *program, const char *call)
{
    kc_context *context = program->base.context;
    for (size_t i = 0; i < program->part_count; i++) {
        const kc_object *part = program->parts[i].object;
        const kc_program *inner = part->kind == KC_PROGRAM ? (const kc_program *)(const void *)part : NULL;
        program->kernels += inner ? inner->kernels : 1;
        program->depth = inner && inner->depth >= program->depth ? inner->depth + 1 : program->depth;
    }
    if (program->kernels > most_kernels)
        return kci_fail(context, KC_EARGUMENT, "%s: '%.80s' has more than 10^6 kernels; kc.times repeats one", call, program->name);
    if (program->depth > DEEPEST)
        return kci_fail(context, KC_EARGUMENT, "%s: '%.80s' holds programs more than %d deep", call, program->name, DEEPEST);
    return KC_OK;
}

static kc_status visit(const kc_program *program, double times, kci_visit_kernel call, void *data)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < program->part_count && !status; i++) {
        const kci_part *part = &program->parts[i];
        if (part->object->kind == KC_KERNEL)
            status = call(data, (kc_kernel *)(void *)part->object, times * part->times);
        else
            status = visit((const kc_program *)(const void *)part->object, times * part->times, call, data);
    }
    return status;
}

kc_status kci_program_visit(const kc_program *program, kci_visit_kernel call, void *data)
{
    return visit(program, 1, call, data);
}

/* ---- what nothing writes any more ---------------------------------------------------- */

typedef struct order {
    kc_context *context;
    const char *name;
    kci_seen written, fused;
    const kc_kernel *kernel;
} order;

static kc_status check_read(void *data, const kc_value *read)
{
    order *o = data;
    const kc_tensor *tensor = read->tensor;
    if (kci_spend(o->context, "program", o->kernel->fused_count) != KC_OK)
        return KC_ELIMIT;
    for (size_t i = 0; i < o->kernel->fused_count; i++)
        if (o->kernel->fused[i] == tensor)
            return KC_OK; /* on chip here as well */
    if (!kci_has_seen(&o->fused, tensor) || kci_has_seen(&o->written, tensor))
        return KC_OK;
    return kci_fail(o->context, KC_EARGUMENT,
                    "program: '%.80s' reads %.80s, but a fuse before it kept that on chip and nothing writes it; add "
                    "save = { \"%.80s\" } to the fuse (%s > %s)",
                    o->kernel->name, tensor->name, tensor->name, o->name, o->kernel->name);
}

/* All reads of a kernel: behind what it writes, and behind what it keeps on chip. */
static kc_status visit_reads(kc_context *context, const kc_kernel *kernel, kci_visit_read call, void *data)
{
    kci_seen passed = { .count = 0 };
    kc_status status = kci_kernel_tensors(kernel);
    for (size_t i = 0; i < kernel->tensor_count && !status; i++)
        status = kci_visit_reads(context, kernel->tensors[i]->value, &passed, call, data);
    for (size_t i = 0; i < kernel->fused_count && !status; i++)
        status = kci_visit_reads(context, kernel->fused[i]->value, &passed, call, data);
    kci_seen_free(context, &passed);
    return status;
}

static kc_status see_all(kc_context *context, kci_seen *seen, kc_tensor *const *list, size_t count)
{
    kc_status status = KC_OK;
    bool fresh;
    for (size_t i = 0; i < count && !status; i++)
        status = kci_see(context, seen, list[i], &fresh);
    return status;
}

static kc_status check_kernel(void *data, kc_kernel *kernel, double times)
{
    order *o = data;
    kc_status status = KC_OK;
    (void)times;
    for (size_t i = 0; i < kernel->member_count && !status; i++)
        status = check_kernel(data, kernel->members[i], 1);
    o->kernel = kernel;
    if (!status)
        status = visit_reads(o->context, kernel, check_read, o);
    if (!status)
        status = see_all(o->context, &o->written, kernel->tensors, kernel->tensor_count);
    return status ? status : see_all(o->context, &o->fused, kernel->fused, kernel->fused_count);
}

/* ---- what is written only later --------------------------------------------------------- */

typedef struct early {
    kci_notes *notes;
    kci_seen all, written;          /* by any kernel; by those before */
    const kc_kernel *kernel;
} early;

static kc_status see_written(void *data, kc_kernel *kernel, double times)
{
    early *e = data;
    kc_status status = kci_kernel_tensors(kernel);
    (void)times;
    return status ? status : see_all(e->notes->context, &e->all, kernel->tensors, kernel->tensor_count);
}

static kc_status note_early(void *data, const kc_value *read)
{
    early *e = data;
    const kc_tensor *tensor = read->tensor;
    if (kci_spend(e->notes->context, "program", e->kernel->fused_count) != KC_OK)
        return KC_ELIMIT;
    for (size_t i = 0; i < e->kernel->fused_count; i++)
        if (e->kernel->fused[i] == tensor)
            return KC_OK;
    if (!kci_has_seen(&e->all, tensor) || kci_has_seen(&e->written, tensor))
        return KC_OK;
    return kci_note(e->notes, "%.80s reads %.80s, which only a later kernel of the program writes: it finds what was there before",
                    e->kernel->name, tensor->name);
}

static kc_status find_early(void *data, kc_kernel *kernel, double times)
{
    early *e = data;
    kc_status status = KC_OK;
    (void)times;
    for (size_t i = 0; i < kernel->member_count && !status; i++)
        status = find_early(data, kernel->members[i], 1);
    e->kernel = kernel;
    if (!status && kernel->member_count == 0)
        status = visit_reads(e->notes->context, kernel, note_early, e);
    return status ? status : see_all(e->notes->context, &e->written, kernel->tensors, kernel->tensor_count);
}

kc_status kci_program_notes(const kc_program *program, kci_notes *notes)
{
    early e = { .notes = notes };
    kc_status status = kci_program_visit(program, see_written, &e);
    if (!status)
        status = kci_program_visit(program, find_early, &e);
    kci_seen_free(notes->context, &e.all);
    kci_seen_free(notes->context, &e.written);
    return status;
}

/* ---- masks of later kernels --------------------------------------------------------- */

/* Kernels of a program in launch order, and where each hangs. */
typedef struct kernels {
    kc_context *context;
    kc_kernel **list;
    kc_object ***slots;
    size_t count, capacity, slot_capacity;
} kernels;

static kc_status is_masked(void *data, kc_kernel *kernel, double times)
{
    bool *masked = data;
    (void)times;
    for (size_t i = 0; i < kernel->member_count; i++)
        is_masked(data, kernel->members[i], 1);
    for (size_t i = 0; i < kernel->graph.limit_count; i++)
        *masked = *masked || kernel->graph.limits[i].kind != KCI_PADDING;
    return KC_OK;
}

static kc_status add_slot(kernels *k, kc_object **slot)
{
    if (!kci_reserve(k->context, (void *)&k->list, &k->capacity, k->count + 1, sizeof *k->list) ||
        !kci_reserve(k->context, (void *)&k->slots, &k->slot_capacity, k->count + 1, sizeof *k->slots))
        return KC_ENOMEM;
    k->slots[k->count] = slot;
    k->list[k->count++] = (kc_kernel *)(void *)*slot;
    return KC_OK;
}

/* Programs and groups within are shared: this one gets copies of its own. */
static kc_status copy_parts(kernels *k, kc_program *program)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < program->part_count && !status; i++) {
        kc_object *part = program->parts[i].object;
        const kc_program *inner = (const kc_program *)(const void *)part;
        const kc_kernel *group = (const kc_kernel *)(const void *)part;
        if (part->kind == KC_PROGRAM) {
            kc_program *own = kci_program_like(inner);
            if (!own)
                return KC_ENOMEM;
            for (size_t p = 0; p < inner->part_count; p++)
                own->parts[p].object = kc_retain(inner->parts[p].object);
            program->parts[i].object = (kc_object *)(void *)own;
            kc_release(part);
            status = copy_parts(k, own);
        } else if (group->member_count > 0) {
            kc_kernel *own = kc_group(k->context, group->name, (kc_object *const *)(void *)group->members, group->member_count);
            if (!own)
                return KC_ENOMEM;
            program->parts[i].object = (kc_object *)(void *)own;
            kc_release(part);
            for (size_t m = 0; m < own->member_count && !status; m++)
                status = add_slot(k, (kc_object **)(void *)&own->members[m]);
        } else {
            status = add_slot(k, &program->parts[i].object);
        }
    }
    return status;
}

/* Last kernels first: each one's useful work is what the others need of what it writes. */
static kc_status narrow(kc_program *program)
{
    bool masked = false;
    kci_program_visit(program, is_masked, &masked);
    if (!masked)
        return KC_OK;
    kernels all = { .context = program->base.context };
    kc_status status = copy_parts(&all, program);
    for (size_t i = all.count; i-- > 0 && !status;) {
        kc_kernel *kernel = all.list[i];
        kc_kernel *narrowed = kci_kernel_scheduled(kernel, kernel->schedule);
        bool changed = false;
        if (narrowed)
            narrowed->narrowed = true;
        status = narrowed && kci_graph_own(&narrowed->graph) ? kci_demand_from(&narrowed->graph, narrowed->name, all.list, all.count, &changed) : KC_ENOMEM;
        if (status || !changed) {
            kc_release(narrowed);
            continue;
        }
        all.list[i] = narrowed;
        *all.slots[i] = (kc_object *)(void *)narrowed;
        kc_release(kernel);
    }
    kci_free(all.context, (void *)all.list, all.capacity * sizeof *all.list);
    kci_free(all.context, (void *)all.slots, all.slot_capacity * sizeof *all.slots);
    return status;
}

static kc_program *make(kc_context *context, const char *call, const char *name, kc_object *const *parts, size_t count)
{
    if (!context)
        return NULL;
    if (!name || !*name) {
        kci_fail(context, KC_EARGUMENT, "%s: the name is missing", call);
        return NULL;
    }
    if (count == 0) {
        kci_fail(context, KC_EARGUMENT, "%s: '%.80s' has no kernel", call, name);
        return NULL;
    }
    if (!kci_handles_given(context, call, "parts", parts, count))
        return NULL;
    kc_program *program = program_make(context, name, count);
    if (!program)
        return NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        program->parts[i].times = 1;
        bool here = kci_same_context(context, parts[i], call) == KC_OK;
        if (here && parts[i] && parts[i]->kind == KC_PROGRAM)
            program->parts[i].object = kc_retain(parts[i]);
        else if (here)
            program->parts[i].object = (kc_object *)(void *)kci_as_kernel(parts[i], call, "each part");
        ok = program->parts[i].object != NULL;
    }
    order o = { .context = context, .name = name };
    ok = ok && measure(program, call) == KC_OK && kci_program_visit(program, check_kernel, &o) == KC_OK && narrow(program) == KC_OK;
    kci_seen_free(context, &o.written);
    kci_seen_free(context, &o.fused);
    if (ok)
        return program;
    kc_release(program);
    return NULL;
}

kc_program *kc_program_new(kc_context *context, const char *name, kc_object *const *parts, size_t count)
{
    return make(context, "program", name, parts, count);
}

kc_program *kc_beside(kc_context *context, const char *name, kc_object *const *parts, size_t count)
{
    kc_program *program = make(context, "beside", name, parts, count);
    if (program)
        program->beside = count > 1;
    return program;
}

bool kci_program_overlaps(const kc_program *program)
{
    bool overlaps = program->beside;
    for (size_t i = 0; i < program->part_count && !overlaps; i++)
        overlaps = program->parts[i].object->kind == KC_PROGRAM &&
                   kci_program_overlaps((const kc_program *)(const void *)program->parts[i].object);
    return overlaps;
}

kc_program *kc_times(kc_object *part, double n)
{
    if (!part)
        return NULL;
    kc_context *context = part->context;
    if (!(n >= 1 && n < KCI_MAX_SIZE && floor(n) == n)) {
        char number[32];
        strcpy(number, isnan(n) ? "nan" : "infinite");
        if (isfinite(n))
            kci_format_number(n, number);
        kci_fail(context, KC_EARGUMENT, "times: n must be a whole number of at least 1, not %s", number);
        return NULL;
    }
    kc_object *repeated = part->kind == KC_PROGRAM ? kc_retain(part)
                                                   : (kc_object *)(void *)kci_as_kernel(part, "times", "the first argument");
    if (!repeated)
        return NULL;
    kc_program *program = program_make(context, kc_object_name(repeated), 1);
    if (!program) {
        kc_release(repeated);
        return NULL;
    }
    program->parts[0] = (kci_part){ repeated, n };
    if (measure(program, "times") == KC_OK)
        return program;
    kc_release(program);
    return NULL;
}

int kc_program_beside(const kc_program *program)
{
    return program && program->beside;
}

size_t kc_program_parts(const kc_program *program)
{
    return program ? program->part_count : 0;
}

kc_object *kc_program_part(const kc_program *program, size_t i)
{
    return program && i < program->part_count ? kc_retain(program->parts[i].object) : NULL;
}

double kc_program_times(const kc_program *program, size_t i)
{
    return program && i < program->part_count ? program->parts[i].times : 0;
}

void kci_print_program(kci_text *text, const kc_object *object)
{
    const kc_program *program = (const kc_program *)(const void *)object;
    kci_text_format(text, "%s %s", program->beside ? "beside" : "program", program->name);
    for (size_t i = 0; i < program->part_count; i++) {
        kci_text_format(text, "\n  %zu  %s", i + 1, kc_object_name(program->parts[i].object));
        if (program->parts[i].times != 1) {
            kci_text_add(text, "  x ");
            kci_text_number(text, program->parts[i].times);
        }
    }
}
