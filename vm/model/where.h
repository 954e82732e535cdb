/* where.h: which points of a sweep are wanted, as an expression. Design, section 7.
 *
 *     where  = or;  or = and { "or" and };  and = not { "and" not };  not = "not" not | compared
 *     compared = sum [ ("<" | "<=" | ">" | ">=" | "==" | "~=" | "!=") sum ]
 *     sum    = product { ("+" | "-") product };  product = factor { ("*" | "/" | "%") factor }
 *     factor = "-" factor | number | "text" | name | call "(" or { "," or } ")" | "(" or ")"
 *     call   = "min" | "max" | "ceil" | "floor"
 *
 * A name is a field ("smem", "times.hbm", "bound") or an axis ("tile.i", "device").  Types are
 * checked when it is parsed: numbers, texts (compared by == and ~= only), and true or false.
 * It becomes a flat program; to run it needs no memory. */
#ifndef KCI_WHERE_H
#define KCI_WHERE_H

#include "axes.h"

/* Beside the fields that are numbers, two that are texts. */
enum { KCI_COLUMN_BOUND = KC_FIELD_COUNT, KCI_COLUMN_CLASS, KCI_POINT_FIELDS };
/* "bound"; NULL: no such column. */
const char *kci_point_field_name(size_t field);
/* KCI_POINT_FIELDS: none of that name. */
size_t kci_point_field_named(const char *name);

/* One point: what it is, and what it costs. */
struct kc_point {
    const kci_axes *axes;
    const uint32_t *index;          /* of each axis */
    const double *field;            /* KC_FIELD_COUNT; NAN: does not apply.  NULL: not evaluated */
    const char *bound, *class_name; /* NULL: no time */
};

typedef struct kci_where kci_where;

/* `axes` are in order, and stay; `whose` begins the sentence of an error: "sweep: where".  NULL: the context has it,
 * with the column. */
kci_where *kci_where_parse(kc_context *context, const kci_axes *axes, const char *whose, const char *text);
void kci_where_free(kci_where *where);
/* Does it need to know what the point costs? */
bool kci_where_needs_fields(const kci_where *where);

/* Does it ask for this field? */
bool kci_where_asks(const kci_where *where, size_t field);

enum { KCI_WHERE_BYTES = 160 };
/* KC_EARGUMENT: a field does not apply there, or it divides by zero; `reason` says which. */
kc_status kci_where_run(const kci_where *where, const kc_point *point, bool *wanted, char reason[KCI_WHERE_BYTES]);

#endif
