/* sweep.h: what a sweep found: rows and columns, and why points are missing. Design, sections 6 and 7.
 *
 *     columns [ device | tile.i | … | time | bound | … ]    axes first
 *     rows    [ point | a double a column ] …               of a text its number in the column's list */
#ifndef KCI_SWEEP_H
#define KCI_SWEEP_H

#include "keep.h"
#include "space.h"

typedef struct kci_sweep_column {
    char *name;
    const char *unit;               /* NULL: that of the field of its name */
    bool text;
    char **texts;
    size_t count, capacity;
} kci_sweep_column;

/* What keeps points out. */
typedef struct kci_reason {
    char *text;                     /* "shared memory", "where" */
    char *sentence;                 /* of the first point; NULL: the reason says it all */
    double points, first;
} kci_reason;

/* A point that does not run. */
typedef struct kci_missing {
    double point;
    uint32_t reason;
} kci_missing;

/* Beyond these, points are counted under the last one. */
enum { KCI_MOST_REASONS = 64, KCI_MOST_MISSING = 1000 };

struct kc_sweep {
    kc_object base;
    char *name;
    double points, done, fit;
    bool interrupted;
    char *keep;                     /* "top 20 by time" */
    char *convention;               /* the line that a table states */
    unsigned part, parts;
    uint64_t hash;
    kci_sweep_column *columns;
    size_t column_count, column_capacity, axes;
    kci_keeper keeper;
    kci_reason *reasons;
    size_t reason_count, reason_capacity;
    kci_missing *missing;           /* the first ones; of a sweep that keeps all, all of them */
    size_t missing_count, missing_capacity;
    kc_space *space;                /* NULL: read from a text */
};

kc_sweep *kci_sweep_new(kc_context *context, const char *name, const char *keep);
/* Adds a column; `text`: it holds texts.  NULL: no memory. */
kci_sweep_column *kci_sweep_add_column(kc_sweep *sweep, const char *name, bool text);
/* The number of a text in its column, added where it is new; below 0: no memory. */
double kci_sweep_text_number(kc_sweep *sweep, kci_sweep_column *column, const char *text);
/* Counts points under a reason.  `first`: the first of them.  *reason (may be NULL): its number. */
kc_status kci_sweep_reject(kc_sweep *sweep, const char *text, const char *sentence, double points, double first,
                           uint32_t *reason);
/* Lists `points` points from `first` on under a reason, as far as there is room. */
kc_status kci_sweep_miss(kc_sweep *sweep, uint32_t reason, double points, double first);
/* Of a row: its values, the point in front. */
const double *kci_sweep_row(const kc_sweep *sweep, size_t row);

/* sweep_text.c */
kc_status kci_sweep_json(kci_text *text, const kc_sweep *sweep);
kc_status kci_sweep_csv(kci_text *text, const kc_sweep *sweep);

#endif
