/* space_text.c: what a space keeps, in words; all of it, as a number. */
#include <string.h>

#include "device.h"
#include "object.h"
#include "program.h"
#include "space.h"

void kci_space_say_keep(kci_text *text, const kc_space *space)
{
    static const char *const kinds[] = { [KCI_KEEP_ALL] = "all", [KCI_KEEP_TOP] = "top ", [KCI_KEEP_PARETO] = "pareto",
                                         [KCI_KEEP_BEST_PER] = "best per" };
    kci_text_add(text, kinds[space->keep]);
    if (space->keep == KCI_KEEP_TOP)
        kci_text_number(text, space->top);
    for (size_t a = 0; space->keep == KCI_KEEP_BEST_PER && a < space->axes.count; a++)
        for (size_t c = 0; kci_space_is_per(space, a) && c < space->axes.column_count; c++)
            if (space->axes.columns[c].axis == a)
                kci_text_format(text, " %s", space->axes.columns[c].text);
    kci_text_add(text, space->keep == KCI_KEEP_TOP || space->keep == KCI_KEEP_BEST_PER ? " by" : "");
    for (size_t i = 0; i < space->key_count; i++)
        kci_text_format(text, " %s", kci_point_field_name(space->keys[i]));
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 1099511628211u; /* FNV-1a, 64 bits */
    return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return mix(hash, text ? text : "", strlen(text ? text : "") + 1);
}

static uint64_t mix_number(uint64_t hash, double number)
{
    return mix(hash, &number, sizeof number);
}

static uint64_t mix_device(uint64_t hash, const kc_device *device)
{
    const char *path;
    hash = mix_text(hash, kci_device_name(device));
    for (size_t i = 0; (path = kc_device_path(device, i)) != NULL; i++) {
        double number = 0;
        const char *text = kc_device_get_text(device, path);
        hash = mix_text(hash, path);
        if (text)
            hash = mix_text(hash, text);
        else if (kc_device_get(device, path, &number) == KC_OK)
            hash = mix_number(hash, number);
    }
    return hash;
}

/* What a kernel computes and moves: its loop nest as printed, its ops, its tensors. */
static kc_status mix_kernel(void *data, kc_kernel *kernel, double times)
{
    uint64_t *hash = data;
    const kci_graph *graph = &kernel->graph;
    *hash = mix_text(mix_number(*hash, times), kc_object_text(&kernel->base));
    if (kernel->schedule)
        *hash = mix_text(*hash, kc_object_text((kc_object *)(void *)kernel->schedule));
    *hash = mix_number(mix_text(*hash, kci_comm_name(&graph->comm)), graph->comm.tree ? -graph->comm.ranks : graph->comm.ranks);
    for (size_t i = 0; i < graph->loop_count; i++)
        *hash = mix_number(mix_text(*hash, kci_name(graph->context, graph->loops[i].name)), graph->loops[i].size);
    for (size_t i = 0; i < graph->tensor_count; i++)
        *hash = mix_number(mix_text(*hash, graph->tensors[i].name), graph->tensors[i].bytes);
    for (size_t i = 0; i < graph->node_count; i++) {
        const kci_node *node = &graph->nodes[i];
        *hash = mix_number(mix_number(mix_text(*hash, node->label), node->flops), node->special);
        *hash = mix_number(mix_number(*hash, node->scale), node->distinct);
        *hash = mix_number(mix_number(*hash, (double)node->math), (double)node->format);
        *hash = mix_number(mix_number(*hash, (double)node->unit), (double)node->flags);
    }
    for (size_t i = 0; i < graph->limit_count; i++)
        *hash = mix_number(mix_number(*hash, graph->limits[i].lo), graph->limits[i].hi);
    return KC_OK;
}

kc_status kci_space_hash(const kc_space *space, uint64_t *made)
{
    enum { DEVICE_STEPS = 10000 };
    uint64_t hash = mix_text(14695981039346656037u, kc_version());
    if (space->x->kind == KC_PROGRAM)
        kci_program_visit((const kc_program *)(const void *)space->x, mix_kernel, &hash);
    else
        mix_kernel(&hash, (kc_kernel *)(void *)space->x, 1);
    for (size_t a = 0; a < space->axes.count; a++) {
        const kci_sweep_axis *axis = &space->axes.list[a];
        hash = mix_text(hash, axis->path ? axis->path : kci_axis_kind_name(axis->kind));
        for (size_t i = 0; i < axis->name_count; i++)
            hash = mix_text(hash, kci_name(space->base.context, axis->names[i]));
        for (size_t i = 0; i < axis->count; i++) {
            if (axis->kind == KCI_AXIS_DEVICE && kci_spend(space->base.context, "sweep", DEVICE_STEPS) != KC_OK)
                return KC_ELIMIT;
            if (axis->kind == KCI_AXIS_DEVICE)
                hash = mix_device(hash, (const kc_device *)(const void *)axis->objects[i]);
            hash = axis->texts ? mix_text(hash, axis->texts[i]) : mix_number(hash, axis->numbers[i]);
        }
    }
    if (space->options)
        hash = mix_text(hash, kc_object_text((kc_object *)(void *)space->options));
    kci_text keep = { .context = space->base.context };
    kci_space_say_keep(&keep, space);
    hash = mix_text(mix_text(hash, keep.bytes), space->filter ? "function" : space->where_text);
    kci_text_free(&keep);
    for (size_t i = 0; i < space->field_count; i++)
        hash = mix_text(hash, kci_point_field_name(space->fields[i]));
    *made = hash;
    return KC_OK;
}
