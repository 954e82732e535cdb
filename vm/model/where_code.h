/* where_code.h: what an expression becomes: instructions on a small stack. */
#ifndef KCI_WHERE_CODE_H
#define KCI_WHERE_CODE_H

#include "where.h"

typedef enum kci_operation {
    KCI_W_NUMBER, KCI_W_FIELD, KCI_W_AXIS,          /* push */
    KCI_W_ADD, KCI_W_SUBTRACT, KCI_W_MULTIPLY, KCI_W_DIVIDE, KCI_W_MODULO, KCI_W_NEGATE,
    KCI_W_LEAST, KCI_W_MOST, KCI_W_CEIL, KCI_W_FLOOR,
    KCI_W_LESS, KCI_W_AT_MOST, KCI_W_MORE, KCI_W_AT_LEAST, KCI_W_EQUAL, KCI_W_UNEQUAL, KCI_W_NOT,
    KCI_W_SAME, KCI_W_DIFFERENT,                    /* of two texts */
    KCI_W_UNLESS, KCI_W_OTHERWISE                   /* and, or: jump over the right side, or drop the left one */
} kci_operation;

/* A text: given, of a column, or of an axis. */
typedef struct kci_text_source {
    const char *given;
    size_t field;                           /* bound, class */
    size_t axis;
} kci_text_source;

typedef struct kci_instruction {
    kci_operation op;
    double number;
    uint32_t at;                            /* field, axis, or where a jump goes */
    kci_text_source left, right;
} kci_instruction;

struct kci_where {
    kc_context *context;
    kci_instruction *code;
    size_t count, capacity;
    bool needs_fields;
    char *text;                             /* a copy; texts given in it lie there, zero at their end */
    size_t text_size;
};

enum { KCI_WHERE_DEEPEST = 64 };            /* values at once, and parentheses */

#endif
