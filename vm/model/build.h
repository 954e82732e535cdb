/* build.h: from written tensors to a flat graph, in three steps.
 *
 *     expand.c   values -> instances: each value once per way its dims are walked
 *     emit.c     instances -> nodes; a softmax becomes its parts
 *     region.c   masks and padding -> where each node is needed
 *
 * A value behind a fused-away tensor takes the dims of the tensor's reader.  An
 * environment says which: it maps the tensor's dims to axes over loops.  The
 * empty environment (0) maps each dim to the loop of its name. */
#ifndef KCI_BUILD_H
#define KCI_BUILD_H

#include "kernel.h"
#include "table.h"
#include "tensor.h"

typedef struct kci_binding {
    kci_symbol name;
    uint32_t axis;              /* over loops; its scope is the dim below */
    int16_t dim;                /* a loop, or a virtual dim */
} kci_binding;

typedef struct kci_environment {
    uint32_t binding, bindings; /* sorted by name */
    kci_set captured;           /* loops that the bound dims walk: no other dim may be one of them */
    bool has_virtual;
} kci_environment;

/* A value in an environment; or, with `fused`, a fused-away tensor in one. */
typedef struct kci_instance {
    const kc_value *value;
    const kc_tensor *fused;
    uint32_t environment;
    uint32_t input, inputs;     /* builder->inputs */
    uint32_t node;              /* that holds its value; UINT32_MAX: none yet */
    uint32_t maximum, sum, inverse;     /* softmax: nodes of its parts */
    uint32_t divides;           /* a reduction of deferred probabilities: the softmax; UINT32_MAX */
    bool deferred;              /* online softmax: users take the exponential, and divide later */
    bool root;                  /* a written tensor's value */
} kci_instance;

typedef struct kci_builder {
    kc_context *context;
    kci_graph *graph;
    const char *name;           /* of the kernel, for messages */
    kc_tensor *const *written;  /* roots, in order; saved ones included */
    size_t written_count;
    kc_tensor *const *fused;    /* tensors that become values */
    size_t fused_count;
    bool online;                /* every softmax is, whatever its value says */

    kci_instance *instances;
    uint32_t *inputs;
    kci_binding *bindings;
    kci_environment *environments;
    uint32_t *roots;            /* one instance per written tensor */
    const void **sources;       /* per node: the value that it is (a part of); NULL */
    size_t instance_count, instance_cap, input_count, input_cap, binding_count, binding_cap,
        environment_count, environment_cap, source_cap;
    uint32_t plain_axes[KCI_MAX_LOOPS]; /* per loop: the axis that it is, as it is, and one; 0: there is none yet */
    kci_table instance_table, axis_table, tensor_table, read_table, fused_table, twin_table;
} kci_builder;

/* Fills `graph` from the written tensors.  `online`: every softmax is, whatever its value
 * says.  On failure the context has the sentence and the graph is empty. */
kc_status kci_build(kc_context *context, kci_graph *graph, const char *name, kc_tensor *const *written,
                    size_t written_count, kc_tensor *const *fused, size_t fused_count, bool online);

kc_status kci_expand(kci_builder *builder);
kc_status kci_emit(kci_builder *builder);
kc_status kci_defer(kci_builder *builder);     /* defer.c: which softmaxes divide later */
bool kci_is_online(const kci_builder *builder, const kci_instance *instance);  /* a softmax with running statistics */

/* expand.c: the axis of a value's dim in an environment. UINT32_MAX: failed. */
uint32_t kci_dim_axis(kci_builder *builder, uint32_t environment, kci_symbol name, double size, int16_t *dim);
/* The axis of an index position in an environment, bounded by `size`. */
uint32_t kci_form_axis(kci_builder *builder, uint32_t environment, const kc_value *reader, const kci_form *form,
                       double size);
/* graph.c: an axis of these terms, shared where an equal one exists. */
uint32_t kci_add_axis(kci_builder *builder, kci_axis axis, const kci_loop_term *terms);
uint32_t kci_add_axis_ids(kci_graph *graph, const uint32_t *ids, size_t count); /* where they start */
uint32_t kci_add_limit(kci_graph *graph, kci_limit limit);

#endif
