/* result.h: what count and evaluate answer: section 6 of the design, as memory.
 *
 * A result is written once, by ask.c, and read only from then on.  A field that
 * does not apply has no value; nothing in here is NaN or infinite.
 *
 *     result  fields [ flops … launches ]      has: which of them apply
 *             rows   [ Q | K | S.max | O ]     one a tensor name, in order of first use
 *             kernels[ result | result … ]     of a program; their rows and sums make its own */
#ifndef KCI_RESULT_H
#define KCI_RESULT_H

#include "base.h"
#include "note.h"
#include "time.h"

typedef struct kci_result_row {
    char *name;
    double column[KC_LEDGER_COUNT];
} kci_result_row;

/* One figure of a schedule: "tile.i" and its value as JSON. */
typedef struct kci_schedule_entry {
    char *path, *value;
} kci_schedule_entry;

/* Kernels that kc_fuse_all fused, or left apart. */
typedef struct kci_fusion {
    char **kernels;                 /* names, in launch order */
    size_t kernel_count;
    const char *rule;               /* static; NULL: none joins them */
    char *refused;                  /* why they stay apart; NULL: they are one kernel */
    bool timed;                     /* both ways ran */
    double time, bytes, time_apart, bytes_apart;    /* of all launches */
} kci_fusion;

struct kc_result {
    kc_object base;
    char *name;
    char *device;                   /* its id; NULL: counted only */
    char *convention;               /* the line that a table states */
    bool own_convention;            /* not the design's: JSON says so */
    double field[KC_FIELD_COUNT];
    bool has[KC_FIELD_COUNT];
    double roof[KCI_ROOFS];         /* of roof_time: seconds per roof at datasheet figures */
    const char *bound, *class_name; /* static texts; NULL: no time */
    kci_result_row *rows;
    size_t row_count, row_capacity;
    uint32_t *slots;                /* rows by name, until it is finished */
    size_t slot_count;
    kc_result **kernels;
    size_t kernel_count, kernel_capacity;
    double times;                   /* launches of it in a program; 1 */
    double longest;                 /* time of the kernel that bound and class are of */
    bool due;                       /* notes, schedule and convention are still to be written: kci_result_words */
    kci_notes notes;
    size_t measured_notes;          /* where those on a measured time begin: they are the last */
    kci_schedule_entry *schedule;
    size_t schedule_count, schedule_capacity;
    char *schedule_json;            /* NULL: untiled */
    kc_object *best;                /* of a search: the kernel or program it found; NULL: none */
    double points, visited, rejected;       /* to choose from; evaluated; of these, not wanted or unable to run */
    bool own_space;                 /* they are the user's, not a library's */
    bool interrupted;               /* the watch ended the search: points are those that were settled by then */
    bool is_fused;                  /* kc_fuse_all answered it … */
    kci_fusion *fusions;            /* … and made these: those fused, in that order; then those left apart */
    size_t fusion_count, fusion_capacity;
    /* What was asked, for what is asked of the result: explain, sensitivity.  NULL: it is not there. */
    kc_object *x;                   /* a kernel or a program */
    kc_device *of;
    kc_options *options;
    char *explanation, *formula, *label, *line, *word; /* as text, once asked for; word: a text of the schedule */
};

/* One x on one device. */
typedef struct kci_comparison_row {
    char *name;
    kc_result *result;              /* NULL: it does not run there */
    kc_result *counted;             /* of what does not run, for its schedule; NULL: it can't be counted either */
    char *error;
} kci_comparison_row;

struct kc_comparison {
    kc_object base;
    char **devices;                 /* ids; none: everything is counted only */
    size_t device_count, columns;   /* columns: rows per x, at least 1 */
    kci_comparison_row *rows;
    size_t row_count;
};

/* An empty result.  NULL: no memory. */
kc_result *kci_result_new(kc_context *context, const char *name, const char *device);
void kci_result_set(kc_result *result, kc_field field, double value);
/* Adds to the field, which then applies. */
void kci_result_add(kc_result *result, kc_field field, double value);
/* The row of that tensor, made at its first use.  NULL: no memory. */
kci_result_row *kci_result_row_of(kc_result *result, const char *name);
/* Adds a figure of the schedule; `value` is JSON. */
kc_status kci_result_schedule_add(kc_result *result, const char *path, const char *value);
/* Adds the rows of `part`, those of one name together; its notes. */
kc_status kci_result_add_rows(kc_result *result, const kc_result *part);
kc_status kci_result_add_notes(kc_result *result, const kc_result *part);
/* Adds a fusion with room for so many names, which the caller fills.  NULL: no memory. */
kci_fusion *kci_result_fusion_add(kc_result *result, size_t kernels);
void kci_result_fusions_free(kc_result *result);
/* Work, bytes and times of n launches: what a row of a program shows. */
void kci_result_times(kc_result *result, double n);
/* Adds `kernel` (a reference is taken) to a program's result: its work, bytes, times,
 * tensors and notes.  After the last one, kci_result_finish. */
kc_status kci_result_add_kernel(kc_result *program, kc_result *kernel);
/* Adds the result of a part that holds kernels: its kernels one by one, its sums as they are. */
kc_status kci_result_add_part(kc_result *program, const kc_result *part);
/* Fills what follows from other fields: intensity, throughput, bandwidth,
 * tile_efficiency; writes the schedule's text.  The last call of the building. */
kc_status kci_result_finish(kc_result *result);

/* The result's name and, where others of the list have it on the same device, what its schedule has of its own. */
void kci_label(kci_text *text, const kc_result *result, kc_result *const *among, size_t count);
/* Its schedule in words, as kc_result_schedule_line gives it. */
void kci_schedule_words(kci_text *text, const kc_result *result);

/* The fields that --json, --csv and a ratio know: name, unit. */
typedef enum kci_field_kind { KCI_FIELD_SUM, KCI_FIELD_DERIVED, KCI_FIELD_OWN } kci_field_kind;
/* How a program gets it: the sum of its kernels', from other fields, or not at all. */
kci_field_kind kci_field_kind_of(kc_field field);
/* Its unit as people write it: "B", "FLOP/B", "s"; "" for plain numbers. */
const char *kci_field_symbol(kc_field field);
/* The fields of a comparison's ratio: time, bytes, flops; KC_FIELD_COUNT at the end. */
kc_field kci_ratio_field(size_t i);

#endif
