/* result.c: results and comparisons as objects: fields, rows, sums of programs, accessors. */
#include "result.h"

#include <math.h>
#include <string.h>

#include "fields.h"
#include "json.h"
#include "object.h"

/* ---- the fields ------------------------------------------------------------- */

static const struct {
    const char *name, *unit;
    kci_field_kind kind;
} fields[KC_FIELD_COUNT] = {
    [KC_FLOPS] = { "flops", "FLOP", KCI_FIELD_SUM },
    [KC_MATRIX_FLOPS] = { "matrix_flops", "FLOP", KCI_FIELD_SUM },
    [KC_VECTOR_FLOPS] = { "vector_flops", "FLOP", KCI_FIELD_SUM },
    [KC_SPECIAL_OPS] = { "special_ops", "op", KCI_FIELD_SUM },
    [KC_EXECUTED_FLOPS] = { "executed_flops", "FLOP", KCI_FIELD_SUM },
    [KC_EXECUTED_MATRIX_FLOPS] = { "executed_matrix_flops", "FLOP", KCI_FIELD_SUM },
    [KC_EXECUTED_VECTOR_FLOPS] = { "executed_vector_flops", "FLOP", KCI_FIELD_SUM },
    [KC_EXECUTED_SPECIAL_OPS] = { "executed_special_ops", "op", KCI_FIELD_SUM },
    [KC_BYTES] = { "bytes", "byte", KCI_FIELD_SUM },
    [KC_BYTES_READ] = { "bytes_read", "byte", KCI_FIELD_SUM },
    [KC_BYTES_WRITTEN] = { "bytes_written", "byte", KCI_FIELD_SUM },
    [KC_L2_BYTES] = { "l2_bytes", "byte", KCI_FIELD_SUM },
    [KC_SMEM_BYTES] = { "smem_bytes", "byte", KCI_FIELD_SUM },
    [KC_BYTES_MIN] = { "bytes_min", "byte", KCI_FIELD_SUM },
    [KC_INTENSITY] = { "intensity", "FLOP/byte", KCI_FIELD_DERIVED },
    [KC_RIDGE] = { "ridge", "FLOP/byte", KCI_FIELD_OWN },
    [KC_TIME] = { "time", "s", KCI_FIELD_SUM },
    [KC_ROOF_TIME] = { "roof_time", "s", KCI_FIELD_SUM },
    [KC_SERIAL_TIME] = { "serial_time", "s", KCI_FIELD_SUM },
    [KC_TIME_MATRIX] = { "times.matrix", "s", KCI_FIELD_SUM },
    [KC_TIME_VECTOR] = { "times.vector", "s", KCI_FIELD_SUM },
    [KC_TIME_SPECIAL] = { "times.special", "s", KCI_FIELD_SUM },
    [KC_TIME_SMEM] = { "times.smem", "s", KCI_FIELD_SUM },
    [KC_TIME_L2] = { "times.l2", "s", KCI_FIELD_SUM },
    [KC_TIME_HBM] = { "times.hbm", "s", KCI_FIELD_SUM },
    [KC_TIME_LINK] = { "times.link", "s", KCI_FIELD_SUM },
    [KC_TIME_LAUNCH] = { "times.launch", "s", KCI_FIELD_SUM },
    [KC_TIME_FILL] = { "times.fill", "s", KCI_FIELD_SUM },
    [KC_TIME_DRAIN] = { "times.drain", "s", KCI_FIELD_SUM },
    [KC_THROUGHPUT] = { "throughput", "FLOP/s", KCI_FIELD_DERIVED },
    [KC_BANDWIDTH] = { "bandwidth", "byte/s", KCI_FIELD_DERIVED },
    [KC_SMEM] = { "smem", "byte", KCI_FIELD_OWN },
    [KC_REGISTER_BYTES] = { "register_bytes", "byte", KCI_FIELD_OWN },
    [KC_CTAS] = { "ctas", "", KCI_FIELD_OWN },
    [KC_OCCUPANCY] = { "occupancy", "", KCI_FIELD_OWN },
    [KC_WAVES] = { "waves", "", KCI_FIELD_OWN },
    [KC_WAVE_EFFICIENCY] = { "wave_efficiency", "", KCI_FIELD_OWN },
    [KC_TILE_EFFICIENCY] = { "tile_efficiency", "", KCI_FIELD_DERIVED },
    [KC_PASSES] = { "passes", "", KCI_FIELD_OWN },
    [KC_LAUNCHES] = { "launches", "", KCI_FIELD_SUM },
    [KC_MEASURED] = { "measured", "s", KCI_FIELD_OWN },
    [KC_MEASURED_RATIO] = { "measured_ratio", "", KCI_FIELD_OWN },
    [KC_MEASURED_EFFICIENCY] = { "measured_efficiency", "", KCI_FIELD_OWN },
    [KC_LINK_BYTES] = { "link_bytes", "byte", KCI_FIELD_SUM },
    [KC_LINK_STEPS] = { "link_steps", "", KCI_FIELD_SUM },
};

static const char *const ledger[KC_LEDGER_COUNT] = {
    [KC_TENSOR_READ] = "bytes_read", [KC_TENSOR_WRITTEN] = "bytes_written", [KC_TENSOR_L2] = "l2_bytes",
    [KC_TENSOR_LOADS] = "loads",     [KC_COMPULSORY] = "compulsory",        [KC_RELOAD] = "reload",
    [KC_PASS] = "pass",              [KC_SPILL] = "spill",                  [KC_SPLIT] = "split",
};

const char *kc_field_name(kc_field field)
{
    return field >= 0 && field < KC_FIELD_COUNT ? fields[field].name : NULL;
}

const char *kc_field_unit(kc_field field)
{
    return field >= 0 && field < KC_FIELD_COUNT ? fields[field].unit : NULL;
}

const char *kci_field_symbol(kc_field field)
{
    const char *unit = fields[field].unit;
    return strcmp(unit, "byte") == 0        ? "B"
           : strcmp(unit, "byte/s") == 0    ? "B/s"
           : strcmp(unit, "FLOP/byte") == 0 ? "FLOP/B"
                                            : unit;
}

const char *kc_ledger_name(kc_ledger column)
{
    return column >= 0 && column < KC_LEDGER_COUNT ? ledger[column] : NULL;
}

kci_field_kind kci_field_kind_of(kc_field field)
{
    return fields[field].kind;
}

kc_field kc_field_named(const char *name)
{
    int field = name ? 0 : KC_FIELD_COUNT;
    while (field < KC_FIELD_COUNT && strcmp(fields[field].name, name) != 0)
        field++;
    return (kc_field)field;
}

kc_field kci_ratio_field(size_t i)
{
    static const kc_field list[] = { KC_TIME, KC_BYTES, KC_FLOPS, KC_FIELD_COUNT };
    return list[i];
}

/* ---- building ------------------------------------------------------------------ */

kc_result *kci_result_new(kc_context *context, const char *name, const char *device)
{
    kc_result *r = kci_new(context, KC_RESULT, sizeof *r);
    if (!r)
        return NULL;
    r->notes.context = context;
    r->times = 1;
    r->name = kci_copy_text(context, name);
    if (device)
        r->device = kci_copy_text(context, device);
    if (!r->name || (device && !r->device)) {
        kc_release(r);
        return NULL;
    }
    return r;
}

void kci_result_set(kc_result *r, kc_field field, double value)
{
    r->field[field] = value;
    r->has[field] = true;
}

void kci_result_add(kc_result *r, kc_field field, double value)
{
    kci_result_set(r, field, r->field[field] + value);
}

static uint32_t hash_text(const char *text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* Slots hold row numbers + 1, open addressing, at most half full. */
static bool grow_slots(kc_result *r)
{
    size_t count = r->slot_count ? r->slot_count * 2 : 16;
    uint32_t *slots = kci_alloc(r->base.context, count * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < r->row_count; i++) {
        size_t at = hash_text(r->rows[i].name) & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    kci_free(r->base.context, r->slots, r->slot_count * sizeof *slots);
    r->slots = slots;
    r->slot_count = count;
    return true;
}

kci_result_row *kci_result_row_of(kc_result *r, const char *name)
{
    if (r->slot_count < 2 * (r->row_count + 1) && !grow_slots(r))
        return NULL;
    size_t at = hash_text(name) & (r->slot_count - 1);
    for (; r->slots[at]; at = (at + 1) & (r->slot_count - 1))
        if (strcmp(r->rows[r->slots[at] - 1].name, name) == 0)
            return &r->rows[r->slots[at] - 1];
    if (!kci_reserve(r->base.context, &r->rows, &r->row_capacity, r->row_count + 1, sizeof *r->rows))
        return NULL;
    char *copy = kci_copy_text(r->base.context, name);
    if (!copy)
        return NULL;
    r->slots[at] = (uint32_t)r->row_count + 1;
    kci_result_row *row = &r->rows[r->row_count++];
    *row = (kci_result_row){ .name = copy };
    return row;
}

kc_status kci_result_schedule_add(kc_result *r, const char *path, const char *value)
{
    kc_context *context = r->base.context;
    if (!kci_reserve(context, &r->schedule, &r->schedule_capacity, r->schedule_count + 1,
                     sizeof *r->schedule))
        return KC_ENOMEM;
    kci_schedule_entry entry = { kci_copy_text(context, path), kci_copy_text(context, value) };
    if (!entry.path || !entry.value) {
        kci_free_text(context, entry.path);
        kci_free_text(context, entry.value);
        return KC_ENOMEM;
    }
    r->schedule[r->schedule_count++] = entry;
    return KC_OK;
}

kc_status kci_result_add_rows(kc_result *r, const kc_result *part)
{
    for (size_t i = 0; i < part->row_count; i++) {
        kci_result_row *row = kci_result_row_of(r, part->rows[i].name);
        if (!row)
            return KC_ENOMEM;
        for (int c = 0; c < KC_LEDGER_COUNT; c++)
            row->column[c] += part->rows[i].column[c];
    }
    return KC_OK;
}

kc_status kci_result_add_notes(kc_result *r, const kc_result *part)
{
    for (size_t i = 0; i < part->notes.count; i++)
        if (kci_note(&r->notes, "%s", part->notes.items[i]) != KC_OK)
            return KC_ENOMEM;
    return KC_OK;
}

void kci_result_times(kc_result *r, double n)
{
    r->times *= n;
    for (int roof = 0; roof < KCI_ROOFS; roof++)
        r->roof[roof] *= n;
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        if (fields[f].kind == KCI_FIELD_SUM)
            r->field[f] *= n;
    for (size_t i = 0; i < r->row_count; i++)
        for (int c = 0; c < KC_LEDGER_COUNT; c++)
            r->rows[i].column[c] *= n;
}

static kc_status add_kernel(kc_result *program, kc_result *kernel)
{
    if (!kci_reserve(program->base.context, &program->kernels, &program->kernel_capacity,
                     program->kernel_count + 1, sizeof *program->kernels))
        return KC_ENOMEM;
    program->kernels[program->kernel_count++] = kc_retain(kernel);
    return KC_OK;
}

/* Work, bytes, times, tensors and notes; what binds is that of the longest. */
static kc_status add_sums(kc_result *program, const kc_result *part)
{
    if (kci_result_add_rows(program, part) != KC_OK)
        return KC_ENOMEM;
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        if (fields[f].kind == KCI_FIELD_SUM && part->has[f])
            kci_result_add(program, (kc_field)f, part->field[f]);
    for (int roof = 0; roof < KCI_ROOFS; roof++)
        program->roof[roof] += part->roof[roof];
    if (part->bound && (!program->bound || part->field[KC_TIME] > program->longest)) {
        program->longest = part->field[KC_TIME];
        program->bound = part->bound;
        program->class_name = part->class_name;
        program->has[KC_RIDGE] = part->has[KC_RIDGE];
        program->field[KC_RIDGE] = part->field[KC_RIDGE];
    }
    return KC_OK;
}

kc_status kci_result_add_kernel(kc_result *program, kc_result *kernel)
{
    kc_status status = add_sums(program, kernel);
    return status == KC_OK ? add_kernel(program, kernel) : status;
}

kc_status kci_result_add_part(kc_result *program, const kc_result *part)
{
    kc_status status = add_sums(program, part);
    for (size_t i = 0; i < part->kernel_count && status == KC_OK; i++)
        status = add_kernel(program, part->kernels[i]);
    return status;
}

static void derive(kc_result *r)
{
    double field[KC_FIELD_COUNT];
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        field[f] = r->has[f] ? r->field[f] : NAN;
    kci_fields_derived(field);
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        if (!isnan(field[f]))
            kci_result_set(r, (kc_field)f, field[f]);
}

static kc_status write_schedule(kc_result *r)
{
    kci_text text = { .context = r->base.context };
    kci_json_paths paths;
    kci_json_begin(&paths, &text);
    for (size_t i = 0; i < r->schedule_count; i++) {
        kci_json_key(&paths, r->schedule[i].path);
        kci_text_add(&text, r->schedule[i].value);
    }
    kci_json_end(&paths);
    return kci_text_keep(&text, &r->schedule_json) ? KC_OK : KC_ENOMEM;
}

kc_status kci_result_finish(kc_result *r)
{
    kci_free(r->base.context, r->slots, r->slot_count * sizeof *r->slots);
    r->slots = NULL;
    r->slot_count = 0;
    derive(r);
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        if (r->has[f] && !isfinite(r->field[f]))
            return kci_fail(r->base.context, KC_EARGUMENT,
                            "'%.80s': its %s leave the range of a double (1.8e308); sizes, scales or repetitions are too large",
                            r->name, fields[f].name);
    return r->schedule_count ? write_schedule(r) : KC_OK;
}

/* ---- taking apart ------------------------------------------------------------- */

void kci_result_destroy(kc_object *object)
{
    kc_result *r = (kc_result *)(void *)object;
    kc_context *context = object->context;
    kci_free_text(context, r->name);
    kci_free_text(context, r->device);
    kci_free_text(context, r->convention);
    kci_free_text(context, r->schedule_json);
    kc_release(r->best);
    kci_result_fusions_free(r);
    for (size_t i = 0; i < r->row_count; i++)
        kci_free_text(context, r->rows[i].name);
    kci_free(context, r->rows, r->row_capacity * sizeof *r->rows);
    kci_free(context, r->slots, r->slot_count * sizeof *r->slots);
    for (size_t i = 0; i < r->kernel_count; i++)
        kc_release(r->kernels[i]);
    kci_free(context, r->kernels, r->kernel_capacity * sizeof *r->kernels);
    for (size_t i = 0; i < r->schedule_count; i++) {
        kci_free_text(context, r->schedule[i].path);
        kci_free_text(context, r->schedule[i].value);
    }
    kci_free(context, r->schedule, r->schedule_capacity * sizeof *r->schedule);
    kci_notes_free(&r->notes);
    kci_free_text(context, r->explanation);
    kci_free_text(context, r->formula);
    kci_free_text(context, r->label);
    kci_free_text(context, r->line);
    kci_free_text(context, r->word);
    kc_release(r->x);
    kc_release(r->of);
    kc_release(r->options);
    kci_free(context, r, sizeof *r);
}

void kci_comparison_destroy(kc_object *object)
{
    kc_comparison *c = (kc_comparison *)(void *)object;
    kc_context *context = object->context;
    if (c->devices)
        for (size_t i = 0; i < c->device_count; i++)
            kci_free_text(context, c->devices[i]);
    kci_free(context, c->devices, c->device_count * sizeof *c->devices);
    if (c->rows)
        for (size_t i = 0; i < c->row_count; i++) {
            kci_free_text(context, c->rows[i].name);
            kci_free_text(context, c->rows[i].error);
            kc_release(c->rows[i].result);
            kc_release(c->rows[i].counted);
        }
    kci_free(context, c->rows, c->row_count * sizeof *c->rows);
    kci_free(context, c, sizeof *c);
}
