/* random_kernel.h: small random kernels under random schedules, for the property test.
 *
 * Ownership: the caller gets one reference.  Errors: NULL where the language or
 * the schedule refuses what was drawn; the context has the sentence.  The same
 * seed gives the same kernel. */
#ifndef RANDOM_KERNEL_H
#define RANDOM_KERNEL_H

#include "kcost.h"

kc_kernel *random_kernel(kc_context *context, uint64_t seed);
/* As `size` bytes say, two a choice; what they leave open is drawn as of seed 0. */
kc_kernel *random_kernel_from(kc_context *context, const uint8_t *bytes, size_t size);
/* Of one family only (0 .. random_families() - 1), for finding faults. */
kc_kernel *random_kernel_of(kc_context *context, uint64_t seed, int family);
int random_families(void);
const char *random_family_name(int family);

#endif
