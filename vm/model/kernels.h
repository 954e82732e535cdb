/* kernels.h: making kernel handles: what kernel.c, fuse.c, tile.c and transform.c share. */
#ifndef KCI_KERNELS_H
#define KCI_KERNELS_H

#include "kernel.h"
#include "program.h"
#include "tensor.h"

/* A kernel that writes `written`, with `fused` kept on chip.  name NULL: the first written one's.
 * `online`: every softmax in it is. */
kc_kernel *kci_kernel_make(kc_context *context, const char *name, kc_tensor *const *written, size_t written_count,
                           kc_tensor *const *fused, size_t fused_count, bool online);

/* kc_fuse; `save`: tensors that the parts make.  `online`: every softmax in it is, as in a part that is so already. */
kc_kernel *kci_fuse(kc_context *context, const char *name, kc_object *const *parts, size_t count, kc_tensor *const *save,
                    size_t save_count, bool online);

/* Fails where one of the tensors is needed by a tensor outside that another of them reads. */
kc_status kci_check_cycles(kc_context *context, const char *call, const char *name, kc_tensor *const *tensors,
                           size_t count);

/* The same kernel under another schedule (NULL: none). */
kc_kernel *kci_kernel_scheduled(kc_kernel *kernel, kc_schedule *schedule);

struct kci_tiling;
struct kci_tiling *kci_tiling_new(const kc_kernel *kernel, const kc_schedule *schedule);
struct kci_tiling *kci_tiling_copy(kc_context *context, const struct kci_tiling *from, size_t tensor_count);
void kci_tiling_set(struct kci_tiling *to, const struct kci_tiling *from, size_t tensor_count);
bool kci_tiling_equal(const struct kci_tiling *a, const struct kci_tiling *b, size_t tensor_count); /* NULL: untiled */
void kci_tiling_free(kc_context *context, struct kci_tiling *tiling, size_t tensor_count);

#endif
