/* crew.h: threads that evaluate blocks; they come back in the order in which they were issued. */
#ifndef KCI_CREW_H
#define KCI_CREW_H

#include "block.h"

typedef struct kci_crew kci_crew;

/* `threads` at least 1, at most `most` blocks out at once.  The caller's thread is one of them: it evaluates
 * in kci_crew_await, alone where the system starts no more.  NULL: no memory. */
kci_crew *kci_crew_new(kc_context *context, unsigned threads, size_t most);
/* Ends its threads; blocks that are still out are left as they are. */
void kci_crew_free(kci_crew *crew);
void kci_crew_issue(kci_crew *crew, kci_block *block);
size_t kci_crew_out(const kci_crew *crew);
/* The block that was issued first, evaluated. */
kci_block *kci_crew_await(kci_crew *crew);

/* Cores that this process may run on. */
unsigned kci_crew_cores(void);

#endif
