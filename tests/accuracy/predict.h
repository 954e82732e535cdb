/* predict.h: the time that kcost gives a measured row. */
#ifndef ACCURACY_PREDICT_H
#define ACCURACY_PREDICT_H

#include "kernels.h"

typedef enum outcome { PREDICTED, NO_TIME, NO_DEVICE, NOT_EXPRESSED, DOES_NOT_RUN, OUTCOMES } outcome;

typedef struct prediction {
    outcome what;
    double us[2];               /* [1]: with fitted constants, 0: there are none; [0]: with defaults only */
    double naive_us;            /* plain roofline, cold, no launch */
    double hbm_read, hbm_written;   /* bytes, with defaults */
} prediction;

/* Figures set on every device, to see what they do: "l2.latency=300". */
typedef struct change {
    char path[48];
    double value;
} change;

/* A device by the name that a source gives it, with its two sets of constants. */
typedef struct machine {
    const char *name;
    kc_device *device[2];       /* [1]: NULL: no fitted constants */
    chip chip;
    double launch_us[2][4];     /* of an empty kernel, by regime */
} machine;

typedef struct machines {
    kc_context *context;
    machine items[128];
    size_t count;
    const change *changes;
    size_t change_count;
} machines;

prediction predict(machines *all, const row *r);
/* Prints what became of the kernels of a row. */
void predict_verbosely(machines *all, const row *r);

#endif
