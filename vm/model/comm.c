/* comm.c: collectives between devices: what each sends over its link, and in how many steps.
 *
 * A comm is a written tensor, and so a kernel of its own: it reads what this rank has and writes what it gets,
 * each once; what goes over the link is a product of ranks and bytes.  Additions of a reduction hide behind the
 * link and count as no work.
 *
 * Rings: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations" (2009).
 * Trees: reductions and broadcasts in two pipelined binary trees, Sanders, Speck and Träff, "Two-tree algorithms for
 * full bandwidth broadcast, reduction and scan" (2009), as NCCL has them; gathers and scatters by recursive doubling
 * and halving, Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH"
 * (2005); an all-to-all sends to all at once, or in log2 p steps as Bruck et al. (1997). */
#include "comm.h"

#include <math.h>
#include <string.h>

#include "tensor.h"

static const char *const names[KCI_COMMS] = {
    [KCI_NO_COMM] = "",
    [KCI_ALLREDUCE] = "allreduce",
    [KCI_ALLGATHER] = "allgather",
    [KCI_REDUCESCATTER] = "reducescatter",
    [KCI_ALLTOALL] = "alltoall",
    [KCI_BROADCAST] = "broadcast",
    [KCI_SENDRECV] = "sendrecv",
};

const char *kci_comm_name(const kci_comm *comm)
{
    return names[comm->kind];
}

/* ---- what goes over the link --------------------------------------------------------------- */

/* Whole for every p below 2^53, where log2 may round. */
static double log2_up(double p)
{
    double steps = 0;
    for (double reached = 1; reached < p; reached *= 2)
        steps++;
    return steps;
}

kci_comm_load kci_comm_load_of(const kci_comm *comm, double s)
{
    double p = comm->ranks, others = (p - 1) / p * s, levels = log2_up(p);
    const char *part = "(p - 1) / p x S";
    kci_comm_load load = { .message = s };
    if (!(p > 1))
        return load;
    switch (comm->kind) {
    case KCI_ALLREDUCE:
        load = comm->tree ? (kci_comm_load){ s, 2 * s, 2 * others, 2 * levels, "2 x S" }
                          : (kci_comm_load){ s, 2 * others, 2 * others, 2 * (p - 1), "2 x (p - 1) / p x S" };
        break;
    case KCI_ALLGATHER:
    case KCI_REDUCESCATTER:
        load = (kci_comm_load){ s, others, others, comm->tree ? levels : p - 1, part };
        break;
    case KCI_ALLTOALL:
        load = comm->tree ? (kci_comm_load){ s, levels * s / 2, others, levels, "log2(p) / 2 x S" }
                          : (kci_comm_load){ s, others, others, 1, part };
        break;
    case KCI_BROADCAST:
        load = (kci_comm_load){ s, s, s, comm->tree ? levels : p - 1, "S" };
        break;
    default:
        load = (kci_comm_load){ s, s, s, 1, "S" };
    }
    return load;
}

/* ---- the tensor ---------------------------------------------------------------------------- */

static const char *nth_name(const void *data, size_t i)
{
    (void)data;
    return i + 1 < KCI_COMMS ? names[i + 1] : NULL;
}

static const char *nth_algorithm(const void *data, size_t i)
{
    static const char *const algorithms[] = { "ring", "tree", NULL };
    (void)data;
    return algorithms[i];
}

static kc_status read_kind(kc_context *context, const char *what, kci_comm *comm)
{
    for (int kind = 1; what && kind < KCI_COMMS; kind++)
        if (strcmp(names[kind], what) == 0)
            comm->kind = (kci_comm_kind)kind;
    if (comm->kind != KCI_NO_COMM)
        return KC_OK;
    return kci_fail(context, KC_EARGUMENT, "comm: there is no '%.80s'; there are allreduce, allgather, reducescatter, "
                    "alltoall, broadcast and sendrecv%s", what ? what : "", kci_nearest(context, what ? what : "", nth_name, NULL));
}

static kc_status read_ranks(kc_context *context, double ranks, kci_comm *comm)
{
    char number[32] = "nan";
    comm->ranks = ranks;
    if (ranks >= 1 && ranks < KCI_MAX_SIZE && floor(ranks) == ranks)
        return KC_OK;
    if (isfinite(ranks))
        kci_format_number(ranks, number);
    return kci_fail(context, KC_EARGUMENT, "comm: ranks must be a whole number of devices, at least 1, not %s", number);
}

static kc_status read_algorithm(kc_context *context, const char *algorithm, kci_comm *comm)
{
    comm->tree = algorithm && strcmp(algorithm, "tree") == 0;
    if (!algorithm || comm->tree || strcmp(algorithm, "ring") == 0)
        return KC_OK;
    return kci_fail(context, KC_EARGUMENT, "comm: algorithm must be \"ring\" or \"tree\", not '%.80s'%s", algorithm,
                    kci_nearest(context, algorithm, nth_algorithm, NULL));
}

/* The dim that is gathered or scattered along: the named one, else the first. */
static const kci_dim *along(const kc_tensor *tensor, const char *over)
{
    kc_context *context = tensor->base.context;
    for (size_t i = 0; i < tensor->rank; i++)
        if (!over || strcmp(kc_tensor_dim(tensor, i), over) == 0)
            return &tensor->dims[i];
    char list[KCI_PART_BYTES];
    kci_text dims = kci_text_part(context, list, sizeof list);
    kci_dims_print(&dims, context, tensor->dims, tensor->rank);
    kci_fail(context, KC_EARGUMENT, "comm: %.80s has no dim '%.80s' to go over; it has %s", tensor->name, over, list);
    return NULL;
}

/* What this rank has is one of `ranks` parts of what it gets. */
static kc_tensor *gather(const char *name, kc_tensor *tensor, const kci_comm *comm, const kci_dim *dim)
{
    kc_context *context = tensor->base.context;
    const kc_size whole = { kci_name(context, dim->name), dim->size * comm->ranks };
    kci_text dims = { .context = context };
    kc_tensor *made = NULL;
    kc_value *part = kc_read(tensor, NULL, NULL, 0, 1, 0);
    kci_dims_print(&dims, context, tensor->dims, tensor->rank);
    if (part && !dims.failed) {
        kc_size *sizes = kci_alloc(context, tensor->rank * sizeof *sizes);
        for (size_t i = 0; sizes && i < tensor->rank; i++)
            sizes[i] = &tensor->dims[i] == dim ? whole : (kc_size){ kc_tensor_dim(tensor, i), tensor->dims[i].size };
        if (sizes)
            made = kc_write(name, part, tensor->dtype, dims.bytes, dims.bytes, sizes, tensor->rank, 1);
        kci_free(context, sizes, tensor->rank * sizeof *sizes);
    }
    kci_text_free(&dims);
    kc_release(part);
    return made;
}

/* What it gets is one of `ranks` parts of what it has, and all of that is read. */
static kc_tensor *scatter(const char *name, kc_tensor *tensor, const kci_comm *comm, const kci_dim *dim)
{
    kc_context *context = tensor->base.context;
    const kc_size part = { kci_name(context, dim->name), dim->size / comm->ranks };
    if (fmod(dim->size, comm->ranks) != 0) {
        kci_fail(context, KC_EARGUMENT, "comm: '%.80s' of %.80s is %.0f, which %.0f ranks can't share evenly; name another "
                 "dim as over, or pad it", part.dim, tensor->name, dim->size, comm->ranks);
        return NULL;
    }
    kc_value *whole = kc_read(tensor, NULL, &part, 1, comm->ranks, 0);
    kc_tensor *made = kc_write(name, whole, tensor->dtype, NULL, NULL, NULL, 0, 1);
    kc_release(whole);
    return made;
}

static kc_tensor *copied(const char *name, kc_tensor *tensor)
{
    kc_value *value = kc_read(tensor, NULL, NULL, 0, 1, 0);
    kc_tensor *made = kc_write(name, value, tensor->dtype, NULL, NULL, NULL, 0, 1);
    kc_release(value);
    return made;
}

kc_tensor *kc_comm(const char *what, kc_tensor *tensor, double ranks, const char *over, const char *algorithm,
                   const char *name)
{
    if (!tensor)
        return NULL;
    kc_context *context = tensor->base.context;
    kci_comm comm = { KCI_NO_COMM, false, 0 };
    if (read_kind(context, what, &comm) || read_ranks(context, ranks, &comm) || read_algorithm(context, algorithm, &comm))
        return NULL;
    bool gathers = comm.kind == KCI_ALLGATHER, scatters = comm.kind == KCI_REDUCESCATTER;
    if (over && !gathers && !scatters) {
        kci_fail(context, KC_EARGUMENT, "comm: over is for allgather and reducescatter; %s keeps the shape of %.80s", what,
                 tensor->name);
        return NULL;
    }
    const kci_dim *dim = along(tensor, over);
    kci_text label = { .context = context };
    kci_text_format(&label, "%s.%s", tensor->name, what);
    const char *called = name && *name ? name : label.bytes;
    kc_tensor *made = !dim || label.failed ? NULL
                      : gathers            ? gather(called, tensor, &comm, dim)
                      : scatters           ? scatter(called, tensor, &comm, dim)
                                           : copied(called, tensor);
    kci_text_free(&label);
    if (made) {
        made->comm = comm;
        made->over = gathers || scatters ? dim->name : 0;
    }
    return made;
}
