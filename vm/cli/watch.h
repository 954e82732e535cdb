/* watch.h: what is seen of a sweep while it runs: a line on a terminal; Ctrl-C ends it. */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>

typedef struct watch {
    bool shows;                     /* standard error is a terminal */
    bool drawn;                     /* the line is there */
    bool interrupted;               /* some sweep was ended by Ctrl-C */
    double due;                     /* when the line is drawn next, in seconds of a clock */
} watch;

/* A kc_watch; `data` is a watch. */
int watch_sweep(void *data, double done, double points);

#endif
