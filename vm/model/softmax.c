/* softmax.c: a softmax as its parts: maximum, exponential, sum, inverse, quotient; design, section 3 "Online softmax". */
#include <string.h>

#include "emit.h"

/* The row of a statistic, "P.max": a name of its own that the context keeps. */
static int32_t statistic_use(kci_builder *builder, const char *tensor, const char *what)
{
    kci_text text = { .context = builder->context };
    kci_text_format(&text, "%s.%s", tensor, what);
    kci_symbol name = text.failed ? 0 : kci_intern(builder->context, text.bytes, text.length);
    kci_text_free(&text);
    return name ? kci_tensor_use_of(builder, NULL, kci_name(builder->context, name), 4) : -1;
}

/* The tensor that a softmax was first written to, which names its statistics;
 * else the kernel's first written one. */
static const char *statistics_name(const kci_builder *builder, uint32_t softmax)
{
    uint32_t at = softmax;
    for (size_t i = softmax + 1; i < builder->instance_count; i++) {
        const kci_instance *user = &builder->instances[i];
        if (user->inputs != 1 || builder->inputs[user->input] != at)
            continue;
        if (user->fused)
            return user->fused->name;
        if (user->value->op == KCI_V_CAST)
            at = (uint32_t)i;
    }
    for (size_t w = 0; w < builder->written_count; w++)
        if (builder->roots[w] == softmax || builder->roots[w] == at)
            return builder->written[w]->name;
    return builder->written[0]->name;
}

/* Does something take the probabilities themselves, and not only their log-sum-exp? */
static bool has_quotient(const kci_builder *builder, uint32_t softmax)
{
    if (builder->instances[softmax].root)
        return true;
    for (size_t i = softmax + 1; i < builder->instance_count; i++) {
        const kci_instance *user = &builder->instances[i];
        for (uint32_t n = 0; n < user->inputs; n++)
            if (builder->inputs[user->input + n] == softmax && (user->fused || user->value->op != KCI_V_LSE))
                return true;
    }
    return false;
}

kc_status kci_emit_softmax(kci_builder *builder, uint32_t index)
{
    kci_instance *instance = &builder->instances[index];
    const kc_value *value = instance->value;
    kci_graph *graph = builder->graph;
    bool online = kci_is_online(builder, instance);
    kci_space all = { .count = 0 }, rows = { .count = 0 };
    kci_set over;
    kc_status status = kci_add_dims(builder, &all, instance->environment, value->dims, value->rank);
    if (!status)
        status = kci_over_loops(builder, instance, &over);
    if (status)
        return status;
    for (size_t i = 0; i < all.count; i++)
        if (!kci_axis_is_plain(graph, all.ids[i]) || !(graph->axes[all.ids[i]].loops & over)) {
            rows.ids[rows.count++] = all.ids[i];
            rows.loops |= graph->axes[all.ids[i]].loops;
        }
    uint32_t scores = kci_input_node(builder, instance, 0);
    kci_format statistic = kci_format_accumulator(value->format);
    int32_t max_row = -1, sum_row = -1;
    if (instance->deferred) {
        const char *name = statistics_name(builder, index);
        max_row = statistic_use(builder, name, "max");
        sum_row = max_row < 0 ? -1 : statistic_use(builder, name, "sum");
        if (sum_row < 0)
            return kc_context_status(builder->context);
    }
    kci_node node = kci_blank_node(KCI_OP, "softmax.max", statistic);
    node.flops = 1;
    node.reduced = over;
    node.flags = online ? KCI_STATISTIC : 0;
    node.statistics_of = max_row;
    instance->maximum = kci_with_source(builder, kci_add_node(builder, node, &all, &rows, &(kci_edge){ scores, false }, 1), value);

    node = kci_blank_node(KCI_OP, "softmax.exp", value->format);
    node.flops = 1;
    node.special = 1;
    node.flags = KCI_ELEMENTWISE | KCI_EXPONENTIAL;
    kci_edge shifted[2] = { { scores, false }, { instance->maximum, online } };
    uint32_t exponential = kci_with_source(builder, kci_add_node(builder, node, &all, &all, shifted, 2), value);

    node = kci_blank_node(KCI_OP, "softmax.sum", statistic);
    node.flops = 1;
    node.reduced = over;
    node.flags = online ? KCI_STATISTIC : 0;
    node.statistics_of = sum_row;
    instance->sum = kci_with_source(builder, kci_add_node(builder, node, &all, &rows, &(kci_edge){ exponential, false }, 1), value);

    instance->node = exponential;
    if (instance->maximum == UINT32_MAX || exponential == UINT32_MAX || instance->sum == UINT32_MAX)
        return KC_ENOMEM;
    if (!has_quotient(builder, index))
        return KC_OK;

    node = kci_blank_node(KCI_OP, "softmax.inv", statistic);
    node.special = 1;
    node.flags = KCI_ELEMENTWISE;
    instance->inverse =
        kci_with_source(builder, kci_add_node(builder, node, &rows, &rows, &(kci_edge){ instance->sum, false }, 1), value);
    if (instance->inverse == UINT32_MAX)
        return KC_ENOMEM;
    if (instance->deferred)
        return KC_OK;
    node = kci_blank_node(KCI_OP, "softmax.div", value->format);
    node.flops = 1;
    node.flags = KCI_ELEMENTWISE;
    kci_edge quotient[2] = { { exponential, false }, { instance->inverse, false } };
    instance->node = kci_with_source(builder, kci_add_node(builder, node, &all, &all, quotient, 2), value);
    return instance->node == UINT32_MAX ? KC_ENOMEM : KC_OK;
}

kc_status kci_emit_lse(kci_builder *builder, kci_instance *instance)
{
    const kci_instance *softmax = &builder->instances[builder->inputs[instance->input]];
    kci_space rows = { .count = 0 };
    kc_status status = kci_add_dims(builder, &rows, instance->environment, instance->value->dims, instance->value->rank);
    if (status)
        return status;
    kci_node node = kci_blank_node(KCI_OP, "lse", instance->value->format);
    node.special = 1;
    node.flags = KCI_ELEMENTWISE;
    kci_edge edges[2] = { { softmax->sum, false }, { softmax->maximum, false } };
    instance->node = kci_add_node(builder, node, &rows, &rows, edges, 2);
    return instance->node == UINT32_MAX ? KC_ENOMEM : KC_OK;
}

/* Behind a reduction `node` of deferred probabilities: each trip rescales the
 * accumulator (1 vector FLOP an element, 1 special a row, executed only), and at
 * the end it is divided.  Returns the quotient's node. */
uint32_t kci_emit_deferred(kci_builder *builder, const kci_instance *instance, uint32_t node, const kci_space *out)
{
    const kci_instance *softmax = &builder->instances[instance->divides];
    kci_graph *graph = builder->graph;
    kci_set over = graph->nodes[softmax->maximum].reduced;
    kci_format format = graph->nodes[node].format;
    kci_node row = kci_blank_node(KCI_OP, "softmax.alpha", format);
    row.special = 1;
    row.flags = KCI_RESCALE;
    row.around = over;
    kci_space rows = { .count = 0 };
    const kci_node *maximum = &graph->nodes[softmax->maximum];
    for (uint32_t i = 0; i < maximum->outs; i++) {
        rows.ids[rows.count++] = graph->axis_ids[maximum->out + i];
        rows.loops |= graph->axes[rows.ids[i]].loops;
    }
    kci_edge statistics[2] = { { softmax->maximum, true }, { node, true } };
    uint32_t alpha = kci_add_node(builder, row, &rows, &rows, statistics, 2);
    kci_node rescale = kci_blank_node(KCI_OP, "softmax.rescale", format);
    rescale.flops = 1;
    rescale.flags = KCI_RESCALE;
    rescale.around = over;
    kci_edge scaled[2] = { { node, true }, { alpha, true } };
    if (alpha == UINT32_MAX || kci_add_node(builder, rescale, out, out, scaled, 2) == UINT32_MAX)
        return UINT32_MAX;
    for (int i = 0; i < 2; i++) {
        kci_node *statistic = &graph->nodes[i ? softmax->sum : softmax->maximum];
        if (statistic->deferred_to < 0)
            statistic->deferred_to = (int32_t)node;
    }
    kci_node divide = kci_blank_node(KCI_OP, "softmax.div", format);
    divide.flops = 1;
    divide.flags = KCI_ELEMENTWISE;
    kci_edge quotient[2] = { { node, false }, { softmax->inverse, false } };
    return kci_with_source(builder, kci_add_node(builder, divide, out, out, quotient, 2), instance->value);
}
