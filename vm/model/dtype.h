/* dtype.h: number formats: how many bits an element takes, what it is computed in. */
#ifndef KCI_DTYPE_H
#define KCI_DTYPE_H

#include "base.h"

/* The formats that arithmetic knows, narrow to wide within a kind. */
typedef enum kci_format {
    KCI_F4, KCI_F6, KCI_F8E4M3, KCI_F8E5M2, KCI_F16, KCI_BF16, KCI_TF32, KCI_F32, KCI_F64,
    KCI_BOOL, KCI_I4, KCI_U8, KCI_I8, KCI_I16, KCI_I32,
    KCI_FORMATS
} kci_format;

/* What executes an op; special ops (exp, rsqrt, …) come on top. */
typedef enum kci_unit { KCI_MATRIX, KCI_VECTOR } kci_unit;

struct kc_dtype {
    kc_object base;
    char *name;
    double bits;                    /* of an element, without scales */
    double block, scale_bits, zero_bits;
    kci_format math;                /* what its values are computed in */
};

const char *kci_format_name(kci_format format);     /* "f16" */
double kci_format_bits(kci_format format);
bool kci_format_is_integer(kci_format format);
/* The wider of two formats; a float is wider than an integer of its size. */
kci_format kci_format_wider(kci_format a, kci_format b);
/* What a reduction over values of this format accumulates in: f32, f64, i32. */
kci_format kci_format_accumulator(kci_format format);
/* The format of a name, f8 being f8e4m3; KCI_FORMATS: none such. */
kci_format kci_format_named(const char *name);

/* Bytes of one element, scales included. */
double kci_dtype_bytes(const kc_dtype *dtype);

#endif
