/* beside.c: programs whose parts run at the same time: how long they take together, and what they need of each other. */
#include "beside.h"

#include <math.h>

#include "reads.h"
#include "resize.h"

/* ---- the time ---------------------------------------------------------------------------------- */

/* Roofs that parts share: what one of them uses, the others wait for. */
static const struct { kc_field field; kci_roof roof; } shared[] = {
    { KC_TIME_MATRIX, KCI_ROOF_MATRIX }, { KC_TIME_VECTOR, KCI_ROOF_VECTOR }, { KC_TIME_SPECIAL, KCI_ROOF_SPECIAL },
    { KC_TIME_SMEM, KCI_ROOF_SMEM },     { KC_TIME_L2, KCI_ROOF_L2 },         { KC_TIME_HBM, KCI_ROOF_HBM },
    { KC_TIME_LINK, KCI_ROOF_LINK },
};

/* Nothing is at work before the first launch. */
static double first_launch(kc_result *const *parts, size_t count, double times)
{
    double first = INFINITY;
    for (size_t i = 0; i < count; i++)
        first = fmin(first, times * parts[i]->field[KC_TIME_LAUNCH] / fmax(times, parts[i]->field[KC_LAUNCHES]));
    return first;
}

static void set_bound(kc_result *whole, const char *bound, const char *class_name)
{
    whole->bound = bound;
    whole->class_name = class_name;
}

void kci_beside_time(kc_result *whole, kc_result *const *parts, size_t count, double times)
{
    const kc_result *longest = parts[0];
    double serial = 0, roof_time = 0, most = 0;
    kci_roof binds = KCI_ROOF_HBM;
    for (size_t i = 0; i < count; i++) {
        serial += parts[i]->field[KC_TIME];
        roof_time = fmax(roof_time, parts[i]->field[KC_ROOF_TIME]);
        if (parts[i]->field[KC_TIME] > longest->field[KC_TIME])
            longest = parts[i];
    }
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (whole->field[shared[i].field] > most) {
            most = whole->field[shared[i].field];
            binds = shared[i].roof;
        }
    double together = fmin(most + first_launch(parts, count, times), serial), alone = longest->field[KC_TIME];
    roof_time = fmax(roof_time, kci_longest_roof(whole->roof));
    kci_result_set(whole, KC_TIME, fmin(fmax(fmax(together, alone), roof_time), whole->field[KC_SERIAL_TIME]));
    kci_result_set(whole, KC_ROOF_TIME, fmin(roof_time, whole->field[KC_TIME]));
    if (together > alone)
        set_bound(whole, kci_roof_name(binds), kci_roof_class(binds));
    else
        set_bound(whole, longest->bound, longest->class_name);
}

/* ---- who they are, and what they need of each other ------------------------------------------------------------------- */

typedef struct needs {
    kci_notes *notes;
    kci_seen written;               /* by one part */
} needs;

static kc_status see_written(void *data, kc_kernel *kernel, double times)
{
    needs *n = data;
    kc_status status = kci_kernel_tensors(kernel);
    bool fresh;
    for (size_t i = 0; i < kernel->member_count && !status; i++)
        status = see_written(data, kernel->members[i], times);
    for (size_t i = 0; i < kernel->tensor_count && !status; i++)
        status = kci_see(n->notes->context, &n->written, kernel->tensors[i], &fresh);
    return status;
}

static kc_status note_read(void *data, kc_kernel *kernel, double times)
{
    needs *n = data;
    kc_status status = kci_kernel_tensors(kernel);
    for (size_t i = 0; i < kernel->member_count && !status; i++)
        status = note_read(data, kernel->members[i], times);
    for (size_t t = 0; t < kernel->graph.tensor_count && !status; t++) {
        const kci_tensor_use *use = &kernel->graph.tensors[t];
        if (use->tensor && use->read && kci_has_seen(&n->written, use->tensor))
            status = kci_note(n->notes, "%.80s reads %.80s, which is written beside it: they overlap only as far as it comes in "
                              "chunks, and the first and the last of these stand alone",
                              kernel->name, use->name);
    }
    return status;
}

static kc_status visit_part(const kci_part *part, kci_visit_kernel call, void *data)
{
    if (part->object->kind == KC_KERNEL)
        return call(data, (kc_kernel *)(void *)part->object, 1);
    return kci_program_visit((const kc_program *)(const void *)part->object, call, data);
}

/* "both: fetch and work run beside each other" */
static kc_status note_names(const kc_program *program, kci_notes *notes)
{
    kci_text names = { .context = notes->context };
    for (size_t i = 0; i < program->part_count; i++) {
        const char *before = i == 0 ? "" : i + 1 == program->part_count ? " and " : ", ";
        kci_text_format(&names, "%s%.80s", before, kc_object_name(program->parts[i].object));
    }
    kc_status status = names.failed ? KC_ENOMEM : kci_note(notes, "%s: %s run beside each other", program->name, names.bytes);
    kci_text_free(&names);
    return status;
}

kc_status kci_beside_notes(const kc_program *program, kci_notes *notes)
{
    kc_status status = program->beside ? note_names(program, notes) : KC_OK;
    for (size_t i = 0; i < program->part_count && !status; i++) {
        needs n = { .notes = notes };
        if (program->beside)
            status = visit_part(&program->parts[i], see_written, &n);
        for (size_t j = 0; program->beside && j < program->part_count && !status; j++)
            if (j != i)
                status = visit_part(&program->parts[j], note_read, &n);
        kci_seen_free(notes->context, &n.written);
        if (!status && program->parts[i].object->kind == KC_PROGRAM)
            status = kci_beside_notes((const kc_program *)(const void *)program->parts[i].object, notes);
    }
    return status;
}
