/* profile.h: what the files that read a profiler's export share.
 *
 *     bytes -> UTF-8 -> rows of cells, or events -> metrics of a launch -> figures -> sums of kernels
 *
 * Each arrow is a file: profile.c, profile_rows.c or profile_trace.c, profile_forms.c (and its header's,
 * profile_header.c), profile_metrics.c (and its table, profile_table.c), profile_sums.c.  All of them see the export once, piece by piece, and keep what does not grow with it: the
 * first launches, and sums of at most so many kernels. */
#ifndef KCI_PROFILE_H
#define KCI_PROFILE_H

#include "base.h"
#include "table.h"

enum {
    KCI_P_SOURCES = 384,            /* metrics that are known, at most */
    KCI_P_FIGURES = 80,             /* figures that are made of them */
    KCI_P_LINES = 288,              /* of the table */
    KCI_P_TERMS = 8,
    KCI_P_FACTORS = 3,
    KCI_P_TEXT = 1 << 20,           /* bytes of a row or an event */
    KCI_P_HEAD = 1 << 16,           /* bytes that are looked at before anything is decided */
    KCI_P_KERNELS = 1 << 14,
    KCI_P_UNUSED = 256
};

/* ---- profile_number.c: numbers and units ---------------------------------------------------- */

typedef enum kci_p_family { KCI_U_COUNT, KCI_U_SECOND, KCI_U_BYTE, KCI_U_RATE, KCI_U_SHARE, KCI_U_HERTZ, KCI_U_ANY } kci_p_family;

typedef struct kci_p_unit {
    kci_p_family family;
    double times;                   /* to base units, beside the power of ten: of KB as 1024 byte 1024 */
    int power;
} kci_p_unit;

/* "Kbyte/block", "usecond", "Gbyte/s", "%", "inst", ""; `binary`: KB is 1024 byte.  False: no unit that is known. */
bool kci_unit_read(const char *text, size_t length, bool binary, kci_p_unit *unit);

/* How an export writes numbers: 1,234.5 or 1.234,5. */
typedef struct kci_p_style {
    char point;
    int commas, points;             /* votes for either as the decimal point */
} kci_p_style;
void kci_style_see(kci_p_style *style, const char *text);

/* A decimal number: with few digits as mantissa * 10^scale, so that a unit's power of ten rounds nothing. */
typedef struct kci_p_number {
    double value;
    uint64_t mantissa;
    int scale;
    bool is_short;
} kci_p_number;

/* No figure that was ever measured is larger, and products and sums of such stay finite. */
#define KCI_P_LARGEST 1e30

/* The number that `text` begins with, behind blanks; *rest: what follows it.  False: there is none, or it is none that
 * was measured. */
bool kci_style_number(const kci_p_style *style, const char *text, kci_p_number *number, const char **rest);
/* In base units. */
double kci_unit_apply(kci_p_unit unit, const kci_p_number *number);

/* ---- profile_rows.c: rows ------------------------------------------------------------------- */

typedef struct kci_p_rows {
    kc_context *context;
    char separator;                 /* 0: a row is a line, one cell */
    char *bytes;                    /* of the row at hand: its cells, each with a zero byte behind it */
    uint32_t *cells;                /* where they begin */
    size_t length, capacity, count, cell_capacity;
    size_t line;                    /* of the export: where the row ends, from 1 */
    size_t first;                   /* where it begins */
    enum { KCI_ROW_START, KCI_ROW_PLAIN, KCI_ROW_QUOTED, KCI_ROW_QUOTE } state;
    bool ready, failed, after_return;
} kci_p_rows;

/* Takes bytes up to the end of a row, which is `ready` then; how many.  failed: the context has the sentence. */
size_t kci_rows_take(kci_p_rows *rows, const char *bytes, size_t length);
/* The export ended: what stands there becomes a row, if anything does.  *cut: inside a quoted cell. */
void kci_rows_end(kci_p_rows *rows, bool *cut);
void kci_rows_clear(kci_p_rows *rows);
void kci_rows_free(kci_p_rows *rows);
static inline char *kci_rows_cell(const kci_p_rows *rows, size_t i)
{
    return rows->bytes + rows->cells[i];
}

/* ---- profile_metrics.c: the table of metrics, and what is made of them ---------------------- */

typedef struct kci_p_source {         /* a metric of a profiler */
    const char *name;
    uint16_t length;
    kci_p_family family;
    kci_p_unit unit;                /* where the export says none; times 0: it has to say it */
    uint16_t next;                  /* of the same name and another family; 0: none */
} kci_p_source;

typedef struct kci_p_factor {
    uint16_t index;                 /* of a source, or of a figure */
    bool figure, below;             /* below: divides */
} kci_p_factor;

typedef struct kci_p_term {
    double number, over;            /* times and over a number */
    kci_p_factor factors[KCI_P_FACTORS];
    uint8_t count;
    bool optional;
} kci_p_term;

typedef struct kci_p_line {
    uint16_t figure, from, to;      /* its terms */
    double lowest, highest;         /* compute capability, where there is a note */
    const char *note;               /* what it assumes; NULL: nothing */
} kci_p_line;

typedef struct kci_p_metrics {
    kci_p_source sources[KCI_P_SOURCES];
    const char *figures[KCI_P_FIGURES];
    bool share[KCI_P_FIGURES];
    kci_p_line lines[KCI_P_LINES];
    kci_p_term terms[KCI_P_LINES * 3];
    size_t source_count, figure_count, line_count, term_count;
    kci_table table;
    bool live[KCI_P_SOURCES];       /* seen in this export */
    uint16_t live_lines[KCI_P_LINES];
    size_t live_count;
    bool used[KCI_P_LINES];         /* lines that gave a figure */
    bool stale;                     /* live_lines are to be found anew */
} kci_p_metrics;

enum { KCI_P_TIME, KCI_P_CTAS, KCI_P_THREADS }; /* the first figures of the table */

/* profile_table.c: one line after another, a figure and how it is made; NULL at the end. */
extern const struct kci_p_made {
    const char *figure, *formula;
} kci_p_table[];

bool kci_metrics_begin(kc_context *context, kci_p_metrics *metrics);
/* The source of that name, whatever the case, for a value of that family; UINT16_MAX: there is none. */
uint16_t kci_metrics_find(const kci_p_metrics *metrics, const char *name, size_t length, kci_p_family family);
/* Figures out of the metrics of one launch; what is absent is NAN.  `capability`: of the GPU, 0: not known. */
void kci_metrics_figures(kci_p_metrics *metrics, const double *raw, double capability, double *figures);
/* One figure alone. */
double kci_metrics_figure(kci_p_metrics *metrics, const double *raw, double capability, size_t figure);
/* Sentences on what the lines that were used assume; NULL at the end. */
const char *kci_metrics_note(const kci_p_metrics *metrics, size_t i);
/* Has the export hardware counters, and such of the matrix unit? */
bool kci_metrics_counts(const kci_p_metrics *metrics);
bool kci_metrics_sees_matrix(const kci_p_metrics *metrics);

/* ---- profile_sums.c: launches, kernels, what was not used ----------------------------------- */

typedef struct kci_p_kernel {
    char *name;
    double grid[3], block[3];       /* 0: not known */
    double launches;
    double *sum, *weight, *least, *most; /* of each figure */
} kci_p_kernel;

typedef struct kci_p_launch {
    uint32_t kernel;
    double *figures;
} kci_p_launch;

typedef struct kci_p_unused {
    char *what;
    const char *why;
    double rows;
} kci_p_unused;

/* The launch whose metrics are being read. */
typedef struct kci_p_open {
    bool open;
    kci_text name, key;
    double grid[3], block[3], weight, capability;
    double raw[3][KCI_P_SOURCES];   /* mean, least, most */
    bool ranged;
    uint16_t touched[KCI_P_SOURCES];
    size_t count;
} kci_p_open;

/* ---- profile_header.c: headers ---------------------------------------------------------------- */

typedef enum kci_p_role {
    KCI_C_UNKNOWN, KCI_C_IGNORED, KCI_C_SOURCE, KCI_C_NAME, KCI_C_ID, KCI_C_GRID, KCI_C_GRID_X, KCI_C_GRID_Y, KCI_C_GRID_Z, KCI_C_BLOCK,
    KCI_C_BLOCK_X, KCI_C_BLOCK_Y, KCI_C_BLOCK_Z, KCI_C_METRIC, KCI_C_UNIT, KCI_C_VALUE, KCI_C_MEAN, KCI_C_LEAST, KCI_C_MOST, KCI_C_CALLS,
    KCI_C_TYPE, KCI_C_CAPABILITY, KCI_C_ROLES
} kci_p_role;

typedef struct kci_p_column {
    kci_p_role role;
    uint16_t source;                /* of a column that is a metric, and of the mean, least and most of one */
    uint8_t which;                  /* raw[which] */
    bool has_unit;
    kci_p_unit unit;
    char *name;
    const char *metric;             /* the name of the source: its own, or that of the column of means */
} kci_p_column;

typedef struct kci_p_header {
    const char *form;               /* NULL: none yet */
    bool items;                     /* grids count work-items, not CTAs */
    bool binary;                    /* KB is 1024 byte */
    bool counters;                  /* the form has hardware counters */
    bool units_row;                 /* it may come next */
    kci_p_column *columns;
    size_t count;
    size_t at[KCI_C_ROLES];           /* the column of that role, from 1; 0: none */
    double rows_before;             /* p->rows when it was read */
} kci_p_header;

/* ---- profile_trace.c -------------------------------------------------------------------------- */

typedef struct kci_p_trace {
    kci_text event;
    int depth, inside;              /* open brackets; of those in `event` */
    int events;                     /* depth of the array of events; 0: not there */
    bool string, escaped, capturing, overlong, done;
    char key[16];                   /* the last text at depth 1 */
    size_t key_length;
    bool key_is;                    /* and it is being read */
    bool top_array;
} kci_p_trace;

/* ---- the profile ------------------------------------------------------------------------------ */

struct kc_profile {
    kc_object object;
    size_t keep;                    /* launches at most */
    bool started, ended, failed, json, wide16, big_endian;
    unsigned char carry[2];         /* of a unit of UTF-16 that a piece cut */
    size_t carried;
    unsigned high;                  /* the first of a pair, until its second one comes; 0: none */
    kci_text head;                  /* what came before anything was decided */
    kci_text decoded;
    double rows, launches, kernel_launches_lost;
    bool unended, cut;
    kci_p_rows row;
    kci_p_header header;
    kci_p_style style;
    kci_p_metrics metrics;
    kci_p_trace trace;
    kci_p_open launch;
    kci_p_kernel *kernels;
    kci_p_launch *kept;
    kci_p_unused *unused;
    size_t kernel_count, kernel_capacity, kept_count, kept_capacity, unused_count, unused_capacity;
    kci_table kernel_table, unused_table;
    double unused_more;
    char hint[160];                 /* why no line was a header */
};

/* profile_header.c.  Is the row a header?  Then it is p->header, and the table before it has ended. */
kc_status kci_header_take(kc_profile *p, const kci_p_rows *row, bool *is_one);
/* The table ends: its last launch, and the columns that are not known. */
kc_status kci_header_end(kc_profile *p);
void kci_header_free(kc_profile *p);
/* Is the text that title, given in lower case? */
bool kci_is_title(const char *text, size_t length, const char *title);
/* Without the blanks around it.  Control characters, which would be commands to a terminal or end the line of a file,
 * become blanks. */
char *kci_trim(char *text);

/* profile_forms.c: text of a CSV; its end. */
kc_status kci_profile_text(kc_profile *p, const char *bytes, size_t length);
kc_status kci_profile_text_end(kc_profile *p);
/* "(64, 18, 1)", "64x18", "4096" into three numbers; false: no such thing. */
bool kci_read_extent(const char *text, double extent[3]);

/* profile.c: appends the character of a unit of UTF-16, or of it and the next one where these are a pair; are they?  Half
 * a pair is U+FFFD. */
bool kci_profile_utf16(kci_text *out, unsigned unit, unsigned next);

/* profile_trace.c: text of a JSON trace; its end. */
kc_status kci_profile_trace(kc_profile *p, const char *bytes, size_t length);
kc_status kci_profile_trace_end(kc_profile *p);

/* profile_sums.c.  Begins a launch, ending the one before. */
kc_status kci_launch_begin(kc_profile *p, const char *name);
/* A metric of it, in base units. */
void kci_launch_set(kc_profile *p, uint16_t source, int which, double value);
kc_status kci_launch_end(kc_profile *p);
kc_status kci_unused_add(kc_profile *p, const char *what, const char *why, double rows);
void kci_sums_free(kc_profile *p);

/* profile_json.c */
kc_status kci_profile_json(kci_text *text, kc_profile *p);

#endif
