/* build.c: from written tensors to a flat graph: expand, emit, regions. */
#include "build.h"

#include <string.h>

static void builder_free(kci_builder *b)
{
    kc_context *context = b->context;
    kci_free(context, b->instances, b->instance_cap * sizeof *b->instances);
    kci_free(context, b->inputs, b->input_cap * sizeof *b->inputs);
    kci_free(context, b->bindings, b->binding_cap * sizeof *b->bindings);
    kci_free(context, b->environments, b->environment_cap * sizeof *b->environments);
    kci_free(context, b->roots, b->written_count * sizeof *b->roots);
    kci_table_free(context, &b->instance_table);
    kci_table_free(context, &b->axis_table);
    kci_table_free(context, &b->tensor_table);
    kci_table_free(context, &b->read_table);
    kci_table_free(context, &b->fused_table);
    kci_table_free(context, &b->twin_table);
    kci_free(context, (void *)b->sources, b->source_cap * sizeof *b->sources);
}

kc_status kci_build(kc_context *context, kci_graph *graph, const char *name, kc_tensor *const *written,
                    size_t written_count, kc_tensor *const *fused, size_t fused_count, bool online)
{
    memset(graph, 0, sizeof *graph);
    graph->context = context;
    kci_builder builder = { .context = context, .graph = graph, .name = name, .written = written,
                            .written_count = written_count, .fused = fused, .fused_count = fused_count,
                            .online = online };
    kc_status status = kci_expand(&builder);
    if (!status)
        status = kci_emit(&builder);
    if (!status)
        status = kci_regions(graph, name, NULL, 0);
    builder_free(&builder);
    if (status)
        kci_graph_free(graph);
    return status;
}
