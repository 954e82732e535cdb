/* tensor.h: what users build: tensors, and the values behind written ones.
 *
 *     tensor Q --read--> value --matmul--> value --write--> tensor S --read--> …
 *                  tensor K --read--^
 *
 * Dims are names here; kernels turn them into loops (kernel.h). */
#ifndef KCI_TENSOR_H
#define KCI_TENSOR_H

#include "base.h"
#include "comm.h"
#include "dtype.h"

/* Of a tensor, of a value, in an index; a kernel has fewer. What is looked up among them is searched for in turn. */
enum { KCI_MAX_DIMS = 256 };

typedef struct kci_dim {
    kci_symbol name;
    double size;
} kci_dim;

/* coefficient * dim, or coefficient * size(size_of) * dim. */
typedef struct kci_form_term {
    double coefficient;
    kci_symbol dim, size_of;
} kci_form_term;

/* One position of an index: constant + sum of terms; or rows chosen by data.  The terms of an index stand behind its
 * forms, in one block. */
typedef struct kci_form {
    double constant;
    kci_form_term *terms;
    size_t count;
    bool gather;
} kci_form;

/* KC_EARGUMENT: the text, which is the call's `what`, has more than 2^20 bytes; nothing looks at the clock while it is read. */
kc_status kci_index_fits(kc_context *context, const char *call, const char *what, const char *text);
/* One form a word of `text`.  On failure (the sentence is recorded, with `call`
 * in front) nothing is left to free. */
kc_status kci_index_parse(kc_context *context, const char *call, const char *text, kci_form **forms,
                          size_t *count);
kci_form *kci_index_identity(kc_context *context, const kci_dim *dims, size_t count);
kci_form *kci_index_copy(kc_context *context, const kci_form *forms, size_t count);
void kci_index_free(kc_context *context, kci_form *forms, size_t count);
bool kci_form_is_plain(const kci_form *form); /* one dim, as it is */
bool kci_form_equal(const kci_form *a, const kci_form *b);
void kci_form_print(kci_text *text, const kci_form *form);

struct kc_tensor {
    kc_object base;
    char *name;
    size_t rank;
    kci_dim *dims;
    kc_dtype *dtype;
    bool dtype_given;   /* written: not the default of its value */
    kc_value *value;    /* that a written tensor was made from; NULL */
    kci_form *index;    /* written: where each point of the value goes */
    double scale;
    kci_comm comm;      /* written over the link: how */
    kci_symbol over;    /* gathered or scattered along this dim; 0: neither */
    uint64_t sequence;  /* in its context: what is behind a tensor has smaller ones */
    bool by_name;       /* as a value's */
};

typedef enum kci_value_kind {
    KCI_V_READ, KCI_V_MATMUL, KCI_V_MAP, KCI_V_REDUCE, KCI_V_SCAN, KCI_V_SOFTMAX, KCI_V_LSE, KCI_V_MASK,
    KCI_V_CAST
} kci_value_kind;

/* lo <= k - q <= hi, seen by useful work wherever the value goes. */
typedef struct kci_band {
    kci_symbol q, k;
    double lo, hi;
    bool hi_follows;
} kci_band;

struct kc_value {
    kc_object base;
    kci_value_kind op;
    char *label;
    size_t rank;
    kci_dim *dims;
    kci_format format;          /* the widest of the inputs' */
    kc_value **inputs;          /* of a matmul with `into`: it is the last */
    size_t input_count;
    kci_symbol *over;           /* contracted, reduced, scanned, normalised */
    size_t over_count;
    size_t added;               /* reduce: dims of the output that opts.size added, at its end */

    kc_tensor *tensor;          /* read */
    kci_form *index;
    double scale, distinct;

    double flops, special;      /* per point, of maps, reductions and scans */
    kci_unit unit;              /* matmul */
    kci_format math;            /* matmul: as asked for; KCI_FORMATS: by the operands */
    bool into, online, linear;  /* linear: a map that only scales (deferred division passes it) */
    kci_band mask;              /* of a mask */
    kci_band *bands;            /* masks of this value and of those behind, also through tensors */
    size_t band_count;

    /* At other sizes it is the same with each dim at the size of its name, and so is all behind it: no size follows
     * from an index, and none can make it an error.  resize.c */
    bool by_name;

    kc_dtype *cast_to;          /* cast */
    kc_dtype *default_dtype;    /* of a write: that of the largest tensor behind */
    double default_elements;
    bool bf16_behind;
};

/* Gathers value->bands from the value's own mask, its inputs and its tensor. */
bool kci_value_bands(kc_value *value);

const kci_dim *kci_find_dim(const kci_dim *dims, size_t count, kci_symbol name);
/* "b h i d" */
void kci_dims_print(kci_text *text, kc_context *context, const kci_dim *dims, size_t count);
/* The names in `text`, words; a repeated one is an error.  An empty text gives none. */
kc_status kci_names_parse(kc_context *context, const char *call, const char *what, const char *text,
                          kci_symbol **names, size_t *count);
/* True where `size` is whole, positive and below 2^53; else records the sentence. */
bool kci_size_ok(kc_context *context, const char *call, const char *dim, double size);

#endif
