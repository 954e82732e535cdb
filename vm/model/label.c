/* label.c: what tells results of one name apart: "C m=64", "C stages=3", "C[m=512]"; what a table calls them; a schedule in
 * words. */
#include <string.h>

#include "ask.h"
#include "kernel.h"
#include "result.h"
#include "tensor.h"

static bool is_tile(const char *path)
{
    return strncmp(path, "tile.", 5) == 0;
}

static const char *value_of(const kc_result *r, const char *path)
{
    for (size_t i = 0; i < r->schedule_count; i++)
        if (strcmp(r->schedule[i].path, path) == 0)
            return r->schedule[i].value;
    return NULL;
}

/* A tile of a dim that the other has no tile of says less than their sizes do. */
static bool differs(const kc_result *other, const kci_schedule_entry *entry)
{
    const char *value = value_of(other, entry->path);
    return value ? strcmp(value, entry->value) != 0 : !is_tile(entry->path);
}

/* Would a table show both under one name? */
static bool is_namesake(const kc_result *r, const kc_result *other)
{
    bool same_device = r->device == other->device || (r->device && other->device && strcmp(r->device, other->device) == 0);
    return other != r && same_device && strcmp(other->name, r->name) == 0 && r->kernel_count + other->kernel_count == 0;
}

/* NULL: no kernel, or one that was made by hand. */
static const kci_graph *graph_of(const kc_result *r)
{
    return r->x && r->x->kind == KC_KERNEL ? &((const kc_kernel *)(const void *)r->x)->graph : NULL;
}

/* A dim of r that `other` has in another size, or not at all. */
static bool size_tells(const kc_result *r, const kc_result *other, size_t loop)
{
    const kci_graph *graph = graph_of(r), *others = graph_of(other);
    if (!graph || !others || loop >= graph->loop_count)
        return false;
    for (size_t i = 0; i < others->loop_count; i++)
        if (others->loops[i].name == graph->loops[loop].name)
            return others->loops[i].size != graph->loops[loop].size;
    return true;
}

static const char *dtype_of(const kci_graph *graph, size_t tensor)
{
    const kc_tensor *of = graph->tensors[tensor].tensor;
    return of ? kc_object_name((const kc_object *)(const void *)of->dtype) : "";
}

enum { MANY = 64 };

/* A tensor of r that `other` has in another dtype. */
static bool dtype_tells(const kc_result *r, const kc_result *other, size_t tensor)
{
    const kci_graph *graph = graph_of(r), *others = graph_of(other);
    if (!graph || !others || tensor >= graph->tensor_count)
        return false;
    bool many = others->tensor_count > MANY; /* these are looked at in order */
    for (size_t i = many ? tensor : 0; i < (many ? tensor + 1 : others->tensor_count) && i < others->tensor_count; i++)
        if (strcmp(others->tensors[i].name, graph->tensors[tensor].name) == 0)
            return strcmp(dtype_of(others, i), dtype_of(graph, tensor)) != 0;
    return false;
}

/* Are they not the same kernel at the same sizes? */
static bool told_by_graph(const kc_result *r, const kc_result *other)
{
    const kci_graph *graph = graph_of(r), *others = graph_of(other);
    for (size_t i = 0; graph && i < graph->loop_count; i++)
        if (size_tells(r, other, i))
            return true;
    for (size_t i = 0; others && i < others->loop_count; i++)
        if (size_tells(other, r, i))
            return true;
    for (size_t i = 0; graph && i < graph->tensor_count; i++)
        if (dtype_tells(r, other, i))
            return true;
    return false;
}

/* Does one of the first `count` entries tell r from `other`? */
static bool told_before(const kc_result *r, const kc_result *other, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (differs(other, &r->schedule[i]))
            return true;
    return false;
}

/* All tiles that differ; of the rest what tells r from one that nothing before it does.  What is another kernel, or at other
 * sizes, is told by that. */
static bool tells(const kc_result *r, const kc_result *other, size_t e)
{
    const kci_schedule_entry *entry = &r->schedule[e];
    return differs(other, entry) && !told_by_graph(r, other) && (is_tile(entry->path) || !told_before(r, other, e));
}

typedef struct namesakes {
    size_t tiled, untiled;
} namesakes;

static namesakes count_namesakes(const kc_result *r, kc_result *const *among, size_t count)
{
    namesakes found = { 0, 0 };
    for (size_t i = 0; i < count; i++)
        if (among[i] && is_namesake(r, among[i]) && !told_by_graph(r, among[i]))
            (*(among[i]->schedule_count ? &found.tiled : &found.untiled))++;
    return found;
}

static void add_entry(kci_text *text, const kci_schedule_entry *entry)
{
    kci_text_format(text, " %s=%s", entry->path + (is_tile(entry->path) ? 5 : 0), entry->value);
}

static bool tells_any(bool (*tells_one)(const kc_result *, const kc_result *, size_t), const kc_result *r,
                      kc_result *const *among, size_t count, size_t place)
{
    for (size_t i = 0; i < count; i++)
        if (among[i] && is_namesake(r, among[i]) && tells_one(r, among[i], place))
            return true;
    return false;
}

/* "[g=8 h=4 K f8]": the sizes and dtypes that tell r from its namesakes. */
static void add_graph(kci_text *text, const kc_result *r, kc_result *const *among, size_t count)
{
    const kci_graph *graph = graph_of(r);
    const char *before = "[";
    for (size_t i = 0; graph && i < graph->loop_count; i++) {
        if (!tells_any(size_tells, r, among, count, i))
            continue;
        kci_text_format(text, "%s%s=", before, kci_name(graph->context, graph->loops[i].name));
        kci_text_number(text, graph->loops[i].size);
        before = " ";
    }
    for (size_t i = 0; graph && i < graph->tensor_count; i++) {
        if (!tells_any(dtype_tells, r, among, count, i))
            continue;
        kci_text_format(text, "%s%s %s", before, graph->tensors[i].name, dtype_of(graph, i));
        before = " ";
    }
    kci_text_add(text, *before == ' ' ? "]" : "");
}

enum { MOST = 512 };            /* of so many results a table is no longer read by their names */

/* A tile that a search chose, neither 1 nor the whole dim. */
static bool was_chosen(const kc_result *r, const kci_schedule_entry *entry)
{
    if (!r->best || r->best->kind != KC_KERNEL || !is_tile(entry->path) || strcmp(entry->value, "1") == 0)
        return false;
    const kci_graph *graph = &((const kc_kernel *)(const void *)r->best)->graph;
    for (size_t i = 0; i < graph->loop_count; i++) {
        char whole[32];
        kci_format_number(graph->loops[i].size, whole);
        if (strcmp(kci_name(graph->context, graph->loops[i].name), entry->path + strlen("tile.")) == 0)
            return strcmp(entry->value, whole) != 0;
    }
    return false;
}

/* Did the search of that result choose a tile of this dim?  Then the two are compared by it. */
static bool chose(const kc_result *other, const char *path)
{
    for (size_t e = 0; e < other->schedule_count; e++)
        if (strcmp(other->schedule[e].path, path) == 0)
            return was_chosen(other, &other->schedule[e]);
    return false;
}

void kci_label(kci_text *text, const kc_result *r, kc_result *const *among, size_t count)
{
    const kci_graph *graph = graph_of(r);
    count = count <= MOST ? count : 0;
    if (graph && kci_spend(text->context, "label", count * graph->tensor_count) != KC_OK)
        text->failed = true;
    namesakes others = count_namesakes(r, among, count);
    kci_text_add(text, r->name);
    add_graph(text, r, among, count);
    if (others.tiled && r->schedule_count == 0)
        kci_text_add(text, " untiled");
    for (size_t e = 0; e < r->schedule_count; e++) {
        bool needed = was_chosen(r, &r->schedule[e]) || (others.untiled && !others.tiled && is_tile(r->schedule[e].path));
        for (size_t i = 0; i < count && !needed; i++)
            needed = among[i] && among[i]->schedule_count && is_namesake(r, among[i]) &&
                     (tells(r, among[i], e) || chose(among[i], r->schedule[e].path));
        if (needed)
            add_entry(text, &r->schedule[e]);
    }
}

const char *kc_result_label(kc_result *r, kc_result *const *among, size_t count)
{
    if (!r || !kci_array_given(r->base.context, "label", "among", among, count))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (kci_result_words(among[i]) != KC_OK)
            return NULL;
    if (kci_result_words(r) != KC_OK)
        return NULL;
    kci_text text = { .context = r->base.context };
    kci_label(&text, r, among, count);
    return kci_text_keep(&text, &r->label);
}

const char *kc_comparison_label(const kc_comparison *c, size_t row)
{
    if (!c || row >= c->row_count)
        return NULL;
    kc_context *context = c->base.context;
    kc_result **all = kci_alloc(context, c->row_count * sizeof *all);
    if (!all)
        return NULL;
    for (size_t i = 0; i < c->row_count; i++)
        all[i] = c->rows[i].result ? c->rows[i].result : c->rows[i].counted;
    const char *label = all[row] ? kc_result_label(all[row], all, c->row_count) : c->rows[row].name;
    kci_free(context, all, c->row_count * sizeof *all);
    return label;
}

/* "tile" of "tile.m": the length of what stands before the dot. */
static size_t group_length(const char *path)
{
    return strcspn(path, ".");
}

/* Figures of a group follow each other: "tile m=128 k=64", "raster m n group=8"; a value's quotes go. */
void kci_schedule_words(kci_text *text, const kc_result *r)
{
    for (size_t e = 0; e < r->schedule_count; e++) {
        const char *path = r->schedule[e].path, *value = r->schedule[e].value;
        const char *before = e ? r->schedule[e - 1].path : "";
        size_t group = group_length(path), length = strlen(value);
        bool first = e == 0 || group_length(before) != group || strncmp(before, path, group) != 0;
        kci_text_add(text, e == 0 ? "" : first ? ", " : " ");
        if (first) {
            kci_text_add_n(text, path, group);
            kci_text_add(text, " ");
        }
        if (path[group] == '.' && strcmp(path + group, ".order") != 0)
            kci_text_format(text, "%s=", path + group + 1);
        if (value[0] == '"')
            kci_text_add_n(text, value + 1, length - 2);
        else
            kci_text_add(text, strcmp(value, "true") == 0 ? "yes" : value);
    }
}

const char *kc_result_schedule_line(kc_result *r)
{
    if (!r || kci_result_words(r) != KC_OK || r->schedule_count == 0)
        return NULL;
    kci_text text = { .context = r->base.context };
    kci_schedule_words(&text, r);
    return kci_text_keep(&text, &r->line);
}
