/* resize.h: kernels and programs at other sizes, without building them again.
 *
 * Where sizes go by the names of dims alone (kc_value.by_name), no other size can be an error, and the graph at other
 * sizes is the same graph with other numbers.  So a resized kernel shares the graph, the schedule and the plan of the
 * one it was made of, and its tensors are made when somebody asks for them: its graph is all that a count looks at. */
#ifndef KCI_RESIZE_H
#define KCI_RESIZE_H

#include "rebuild.h"

/* True: *made is the kernel or program at these sizes, a new reference; NULL: no memory.
 * False: it has to be built again, which may be an error. */
bool kci_resize_by_name(kc_object *object, const kci_change *changes, size_t count, kc_object **made);

/* Makes the tensors of a kernel that was resized so, which nobody asked for until now.  To be called before
 * kernel->tensors, kernel->fused or kernel->graph.tensors[].tensor are looked at, but for names and dtypes. */
kc_status kci_kernel_tensors(const kc_kernel *kernel);

/* What kernels that were resized together share: their tensors are made for all of them once. */
typedef struct kci_resizing kci_resizing;
kci_resizing *kci_resizing_retain(kci_resizing *resizing);
void kci_resizing_release(kci_resizing *resizing);

#endif
