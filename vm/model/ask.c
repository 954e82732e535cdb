/* ask.c: count, evaluate, compare: from any x to its kernels, and their results together. */
#include "ask.h"

#include <math.h>
#include <string.h>

#include "beside.h"
#include "device.h"
#include "fields.h"
#include "group.h"
#include "object.h"
#include "program.h"

/* ---- one kernel ------------------------------------------------------------------ */

static kc_status set_convention_line(kc_result *r, const kc_options *options, bool words)
{
    r->own_convention = options && options->own_convention;
    if (!words)
        return KC_OK;
    kci_convention own = kci_convention_default();
    kci_text line = { .context = r->base.context };
    kci_convention_line(options ? &options->convention : &own, &line);
    return kci_text_keep(&line, &r->convention) ? KC_OK : KC_ENOMEM;
}

/* ---- groups ---------------------------------------------------------------------- */

static void keep_largest(kc_result *r, const kc_result *member, kc_field field)
{
    if (member->has[field] && (!r->has[field] || member->field[field] > r->field[field]))
        kci_result_set(r, field, member->field[field]);
}

static void keep_least(kc_result *r, const kc_result *member, kc_field field)
{
    if (member->has[field] && (!r->has[field] || member->field[field] < r->field[field]))
        kci_result_set(r, field, member->field[field]);
}

static kc_status add_member(kc_result *r, const kc_result *member)
{
    if (kci_result_add_rows(r, member) != KC_OK || kci_result_add_notes(r, member) != KC_OK)
        return KC_ENOMEM;
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        if (kci_field_kind_of((kc_field)f) == KCI_FIELD_SUM && member->has[f])
            kci_result_add(r, (kc_field)f, member->field[f]);
    if (member->has[KC_CTAS])
        kci_result_add(r, KC_CTAS, member->field[KC_CTAS]);
    keep_largest(r, member, KC_SMEM);
    keep_largest(r, member, KC_REGISTER_BYTES);
    keep_largest(r, member, KC_PASSES);
    keep_least(r, member, KC_OCCUPANCY);
    if (member->bound && (!r->bound || member->field[KC_TIME] > r->longest)) {
        r->longest = member->field[KC_TIME];
        r->bound = member->bound;
        r->class_name = member->class_name;
        r->has[KC_RIDGE] = member->has[KC_RIDGE];
        r->field[KC_RIDGE] = member->field[KC_RIDGE];
    }
    return KC_OK;
}

/* One launch in place of the sum of the members' times. */
static void set_group_times(kc_result *r, const kci_load *loads, size_t count, const kc_device *device)
{
    const kci_time_options plain = { 0 };
    kci_times times = { 0 };
    double field[KC_FIELD_COUNT];
    kci_group_time(loads, count, device, &plain, &times);
    kci_fields_clear(field);
    kci_fields_times(field, &times);
    field[KC_SMEM_BYTES] = NAN; /* that stays the sum */
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        if (!isnan(field[f]))
            kci_result_set(r, (kc_field)f, field[f]);
    memcpy(r->roof, times.roof, sizeof r->roof);
    r->bound = kci_roof_name(times.bound);
    r->class_name = kci_roof_class(times.bound);
}

static kc_result *group_cost(const kc_kernel *group, const kc_device *device, const kc_options *options)
{
    kc_context *context = group->base.context;
    size_t count = group->member_count;
    kci_load *loads = kci_alloc(context, count * sizeof *loads);
    kc_result *r = !loads ? NULL : kci_result_new(context, group->name,
                                                  device ? kc_object_name((const kc_object *)(const void *)device) : NULL);
    for (size_t i = 0; r && i < count; i++) {
        kc_result *member = kci_cost(group->members[i], device, options, true, device ? &loads[i] : NULL);
        if (!member || add_member(r, member) != KC_OK) {
            kc_release(r);
            r = NULL;
        }
        for (int f = 0; r && count == 1 && f < KC_FIELD_COUNT; f++) /* alone it is what it is */
            if (member->has[f])
                kci_result_set(r, (kc_field)f, member->field[f]);
        if (r && count == 1)
            memcpy(r->roof, member->roof, sizeof r->roof);
        kc_release(member);
    }
    if (r)
        kci_result_set(r, KC_LAUNCHES, 1);
    if (r && device && count > 1)
        set_group_times(r, loads, count, device);
    kci_free(context, loads, count * sizeof *loads);
    return r;
}

/* n launches of one kernel, finished; with its words, or with numbers first. */
static kc_result *kernel_result(const kc_kernel *kernel, double n, const kc_device *device,
                                const kc_options *options, bool words)
{
    bool group = kernel->member_count > 0;
    kc_result *r = group ? group_cost(kernel, device, options) : kci_cost(kernel, device, options, words, NULL);
    if (!r)
        return NULL;
    r->due = !words && !group;
    if (n != 1)
        kci_result_times(r, n);
    if (set_convention_line(r, options, !r->due) != KC_OK || kci_result_finish(r) != KC_OK) {
        kc_release(r);
        return NULL;
    }
    return r;
}

/* ---- programs ---------------------------------------------------------------------- */

typedef struct walk {
    kc_result *total;
    const kc_device *device;
    const kc_options *options;
    bool words;
} walk;

static kc_status add_kernel(walk *w, kc_kernel *kernel, double times)
{
    kc_context *context = kernel->base.context;
    kc_result *r = kernel_result(kernel, times, w->device, w->options, w->words);
    if (!r)
        return kci_fail(context, kc_context_status(context), "%s (%s > %s)",
                        kc_context_message(context), w->total->name, kernel->name);
    r->x = kc_retain(kernel);
    kc_status status = kci_result_add_kernel(w->total, r);
    kc_release(r);
    return status;
}

static kc_status add_parts(walk *w, const kc_program *program, double times);

static kc_status add_part(walk *w, const kci_part *part, double times)
{
    if (part->object->kind == KC_KERNEL)
        return add_kernel(w, (kc_kernel *)(void *)part->object, times * part->times);
    return add_parts(w, (const kc_program *)(const void *)part->object, times * part->times);
}

static kc_result *empty_result(const walk *w, const kc_program *program)
{
    return kci_result_new(program->base.context, program->name,
                          w->device ? kc_object_name((const kc_object *)(const void *)w->device) : NULL);
}

/* The parts' results one by one, then what they are together. */
static kc_status add_beside(walk *w, const kc_program *program, double times)
{
    kc_context *context = program->base.context;
    size_t count = program->part_count;
    kc_result **parts = kci_alloc(context, count * sizeof *parts), *whole = parts ? empty_result(w, program) : NULL;
    kc_status status = whole ? KC_OK : KC_ENOMEM;
    for (size_t i = 0; i < count && status == KC_OK; i++) {
        walk part = { empty_result(w, program), w->device, w->options, w->words };
        parts[i] = part.total;
        status = part.total ? add_part(&part, &program->parts[i], times) : KC_ENOMEM;
        if (status == KC_OK)
            status = kci_result_add_part(whole, parts[i]);
    }
    if (status == KC_OK && w->device)
        kci_beside_time(whole, parts, count, times);
    if (status == KC_OK)
        status = kci_result_add_part(w->total, whole);
    for (size_t i = 0; parts && i < count; i++)
        kc_release(parts[i]);
    kci_free(context, (void *)parts, count * sizeof *parts);
    kc_release(whole);
    return status;
}

static kc_status add_parts(walk *w, const kc_program *program, double times)
{
    kc_status status = KC_OK;
    if (program->beside)
        return add_beside(w, program, times);
    for (size_t i = 0; i < program->part_count && status == KC_OK; i++)
        status = add_part(w, &program->parts[i], times);
    return status;
}

/* What a program says of itself, and of its kernels. */
static kc_status add_words(kc_result *r, const kc_program *program, const kc_options *options)
{
    kc_status status = kci_program_notes(program, &r->notes);
    if (status == KC_OK)
        status = kci_beside_notes(program, &r->notes);
    for (size_t i = 0; i < r->kernel_count && status == KC_OK; i++) {
        status = kci_result_words(r->kernels[i]);
        if (status == KC_OK)
            status = kci_result_add_notes(r, r->kernels[i]);
    }
    return status == KC_OK ? set_convention_line(r, options, true) : status;
}

static kc_result *program_result(const kc_program *program, const kc_device *device,
                                 const kc_options *options, bool words)
{
    walk w = { .device = device, .options = options, .words = words };
    w.total = empty_result(&w, program);
    if (!w.total)
        return NULL;
    kc_status status = add_parts(&w, program, 1);
    if (status == KC_OK)
        status = words ? add_words(w.total, program, options) : set_convention_line(w.total, options, false);
    if (status == KC_OK && kci_result_finish(w.total) == KC_OK) {
        w.total->due = !words;
        return w.total;
    }
    kc_release(w.total);
    return NULL;
}

/* A tensor that `cache` names and that nothing of x has is a slip of the pen. */
static const char *nth_row(const void *result, size_t i)
{
    return kc_result_tensor_name(result, i);
}

static kc_status check_caches(const kc_result *r, const kc_options *options, const char *call)
{
    for (size_t i = 0; options && i < options->cache_count; i++) {
        const char *tensor = options->caches[i].tensor;
        size_t row = 0;
        if (kci_spend_names(r->base.context, call, tensor, r->row_count) != KC_OK)
            return KC_ELIMIT;
        while (row < r->row_count && strcmp(r->rows[row].name, tensor) != 0)
            row++;
        if (row == r->row_count)
            return kci_fail(r->base.context, KC_EARGUMENT, "%s: option 'cache' names tensor '%s', which %s "
                            "does not have%s", call, tensor, r->name,
                            kci_nearest(r->base.context, tensor, nth_row, r));
    }
    return KC_OK;
}

static kc_result *ask_words(kc_object *x, const kc_device *device, const kc_options *options, const char *call,
                            bool words)
{
    if (!x || kci_sealed(device, call) != KC_OK)
        return NULL;
    kc_result *r = NULL;
    if (x->kind == KC_PROGRAM) {
        r = program_result((const kc_program *)(const void *)x, device, options, words);
        if (r)
            r->x = kc_retain(x);
    } else {
        kc_kernel *kernel = kci_as_kernel(x, call, "x");
        if (kernel)
            r = kernel_result(kernel, 1, device, options, words);
        if (r)
            r->x = kc_retain(kernel);
        kc_release(kernel);
    }
    if (r && check_caches(r, options, call) != KC_OK) {
        kc_release(r);
        r = NULL;
    }
    return r;
}

kc_result *kci_ask(kc_object *x, const kc_device *device, const kc_options *options, const char *call)
{
    return ask_words(x, device, options, call, true);
}

#define SWAP(type, a, b) do { type swapped = a; a = b; b = swapped; } while (0)

kc_status kci_result_words(const kc_result *result)
{
    kc_result *r = (kc_result *)(uintptr_t)result; /* what it puts off is no change */
    if (!r || !r->due)
        return KC_OK;
    if (r->x->kind == KC_PROGRAM) {
        kc_status status = add_words(r, (const kc_program *)(const void *)r->x, r->options);
        r->due = status != KC_OK;
        if (r->due)
            kci_notes_free(&r->notes); /* they are made anew when asked again */
        return status;
    }
    kc_result *full = kernel_result((const kc_kernel *)(const void *)r->x, 1, r->of, r->options, true);
    if (!full)
        return kc_context_status(r->base.context);
    r->due = false;
    SWAP(kci_notes, r->notes, full->notes);
    SWAP(kci_schedule_entry *, r->schedule, full->schedule);
    SWAP(size_t, r->schedule_count, full->schedule_count);
    SWAP(size_t, r->schedule_capacity, full->schedule_capacity);
    SWAP(char *, r->schedule_json, full->schedule_json);
    SWAP(char *, r->convention, full->convention);
    kc_release(full);
    return KC_OK;
}

/* The result and its kernels keep the device and the options, so that more can be asked of them. */
static kc_status remember(kc_result *r, const kc_device *device, const kc_options *options)
{
    kc_options *copy = options ? kci_options_copy(options) : NULL;
    if (options && !copy)
        return KC_ENOMEM;
    for (size_t i = 0; i <= r->kernel_count; i++) {
        kc_result *of = i < r->kernel_count ? r->kernels[i] : r;
        of->of = kc_retain((void *)(uintptr_t)device); /* counting references is no change */
        of->options = kc_retain(copy);
    }
    kc_release(copy);
    return KC_OK;
}

static kc_result *ask(kc_object *x, const kc_device *device, const kc_options *options, const char *call, bool words)
{
    kc_result *r = ask_words(x, device, options, call, words);
    kc_status status = r ? remember(r, device, options) : KC_OK;
    if (r && device && status == KC_OK && options && options->measured > 0)
        status = kci_measured(r, device, options);
    if (status == KC_OK)
        return r;
    kc_release(r);
    return NULL;
}

/* A measured time is of one x on one device. */
static bool measured_refused(kc_context *context, const kc_options *options, const char *call, const char *why)
{
    if (!options || !(options->measured > 0))
        return false;
    kci_fail(context, KC_EARGUMENT, "%s: option 'measured' %s", call, why);
    return true;
}

/* ---- the calls ------------------------------------------------------------------------ */

kc_result *kc_count(kc_object *x, const kc_options *options)
{
    if (x && measured_refused(x->context, options, "count", "needs a device to compare with: evaluate"))
        return NULL;
    return ask(x, NULL, options, "count", false);
}

kc_result *kc_evaluate(kc_object *x, const kc_device *device, const kc_options *options)
{
    if (!device) {
        if (x)
            kci_fail(x->context, KC_EARGUMENT, "evaluate: no device");
        return NULL;
    }
    bool measured = options && options->measured > 0; /* which adds notes to those that are there */
    return ask(x, device, options, "evaluate", measured);
}

static bool set_devices(kc_comparison *c, kc_device *const *devices, size_t count)
{
    kc_context *context = c->base.context;
    c->columns = count ? count : 1;
    if (count == 0)
        return true;
    c->devices = kci_alloc(context, count * sizeof *c->devices);
    if (!c->devices)
        return false;
    c->device_count = count;
    for (size_t d = 0; d < count; d++) {
        if (!devices[d]) {
            kci_fail(context, KC_EARGUMENT, "compare: device %zu is missing", d + 1);
            return false;
        }
        c->devices[d] = kci_copy_text(context, kc_object_name((const kc_object *)(void *)devices[d]));
        if (!c->devices[d])
            return false;
    }
    return true;
}

/* What does not run on a device is a row of the answer; any other failure is ours. */
static bool set_row(kc_comparison *c, size_t i, kc_object *x, const kc_device *device,
                    const kc_options *options)
{
    kc_context *context = c->base.context;
    kci_comparison_row *row = &c->rows[i];
    row->name = kci_copy_text(context, kc_object_name(x));
    if (!row->name)
        return false;
    row->result = ask(x, device, options, "compare", true);
    if (row->result)
        return true;
    if (kc_context_status(context) != KC_EDEVICE)
        return false;
    row->error = kci_copy_text(context, kc_context_message(context));
    if (!row->error)
        return false;
    row->counted = ask(x, NULL, options, "compare", true);
    if (!row->counted)
        return kc_context_status(context) != KC_ENOMEM;
    row->counted->device = kci_copy_text(context, kc_object_name((const kc_object *)(const void *)device));
    return row->counted->device != NULL;
}

kc_comparison *kc_compare(kc_context *context, kc_object *const *xs, size_t count,
                          kc_device *const *devices, size_t device_count, const kc_options *options)
{
    if (!context)
        return NULL;
    if (count == 0 || !xs || (device_count && !devices)) {
        kci_fail(context, KC_EARGUMENT, "compare: nothing to compare");
        return NULL;
    }
    if (measured_refused(context, options, "compare", "is the time of one x on one device: evaluate"))
        return NULL;
    kc_comparison *c = kci_new(context, KC_COMPARISON, sizeof *c);
    if (!c)
        return NULL;
    bool good = set_devices(c, devices, device_count);
    if (good) {
        c->rows = kci_alloc(context, count * c->columns * sizeof *c->rows);
        c->row_count = c->rows ? count * c->columns : 0;
        good = c->rows != NULL;
    }
    for (size_t x = 0; good && x < count; x++) {
        if (!xs[x]) {
            kci_fail(context, KC_EARGUMENT, "compare: x %zu is missing", x + 1);
            good = false;
        }
        good = good && kci_same_context(context, xs[x], "compare") == KC_OK;
        for (size_t d = 0; good && d < c->columns; d++)
            good = kci_watched(context, "compare", (double)(x * c->columns + d), (double)c->row_count) == KC_OK &&
                   set_row(c, x * c->columns + d, xs[x], device_count ? devices[d] : NULL, options);
    }
    if (!good) {
        kc_release(c);
        c = NULL;
    }
    return c;
}
