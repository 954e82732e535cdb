/* sandbox.h: a second wall around a script that is not trusted. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "options.h"

/* Does the work in a child process, whose exit status comes back; LIMIT where that process hits a limit of the system,
 * crashes, or outlives the time limit and is killed. */
int sandbox_run(const options *o, int (*work)(const options *));

#endif
