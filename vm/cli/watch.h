/* watch.h: what is seen of a long call while it runs: a line on a terminal; and Ctrl-C.
 *
 * The first Ctrl-C ends a sweep, a search or a verify, which keep what they have, and those that the script begins later;
 * where none runs, and at the second, it ends the script; at the third the process, where that is asked for. */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>

#include "kcost.h"

typedef struct watch {
    bool shows;                     /* standard error is a terminal */
    bool prompt;                    /* Ctrl-C ends what is typed too, and never the process */
    bool drawn;                     /* the line is there */
    bool interrupted;               /* some call was ended by Ctrl-C */
    double points, done;            /* of the call that runs, when it was last looked at */
    double began, due;              /* when it did; when the line is drawn next: seconds of a clock */
} watch;

/* Ctrl-C is for the VM from here on, until watch_end. */
void watch_begin(watch *w, kc_vm *vm);
/* Takes the line away.  Of a prompt Ctrl-C stays a key.  True: Ctrl-C was pressed. */
bool watch_end(watch *w);
/* Before something else is printed. */
void watch_erase(watch *w);

/* A kc_watch; `data` is a watch. */
int watch_call(void *data, double done, double points);

#endif
