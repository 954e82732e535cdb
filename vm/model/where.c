/* where.c: an expression that says which points are wanted, run at a point. */
#include "where_code.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "result.h"

/* ---- fields of a point ---------------------------------------------------------------- */

const char *kci_point_field_name(size_t field)
{
    return field < KC_FIELD_COUNT        ? kc_field_name((kc_field)field)
           : field == KCI_COLUMN_BOUND   ? "bound"
           : field == KCI_COLUMN_CLASS   ? "class"
                                         : NULL;
}

size_t kci_point_field_named(const char *name)
{
    size_t field = 0;
    const char *known;
    while ((known = kci_point_field_name(field)) && strcmp(known, name) != 0)
        field++;
    return field;
}

static bool is_of_field(const kci_text_source *source, size_t field)
{
    return field >= KC_FIELD_COUNT && !source->given && source->field == field;
}

bool kci_where_asks(const kci_where *where, size_t field)
{
    for (size_t i = 0; i < where->count; i++) {
        const kci_instruction *code = &where->code[i];
        bool texts = code->op == KCI_W_SAME || code->op == KCI_W_DIFFERENT;
        if ((code->op == KCI_W_FIELD && code->at == field) ||
            (texts && (is_of_field(&code->left, field) || is_of_field(&code->right, field))))
            return true;
    }
    return false;
}

/* ---- running -------------------------------------------------------------------------------- */

static const char *text_of(const kci_text_source *source, const kc_point *point)
{
    if (source->given)
        return source->given;
    if (source->field == KCI_COLUMN_BOUND)
        return point->bound;
    if (source->field == KCI_COLUMN_CLASS)
        return point->class_name;
    return point->axes->list[source->axis].texts[point->index[source->axis]];
}

static double combined(kci_operation op, double a, double b)
{
    switch (op) {
    case KCI_W_ADD: return a + b;
    case KCI_W_SUBTRACT: return a - b;
    case KCI_W_MULTIPLY: return a * b;
    case KCI_W_DIVIDE: return a / b;
    case KCI_W_MODULO: return a - floor(a / b) * b;
    case KCI_W_LEAST: return fmin(a, b);
    case KCI_W_MOST: return fmax(a, b);
    case KCI_W_LESS: return a < b;
    case KCI_W_AT_MOST: return a <= b;
    case KCI_W_MORE: return a > b;
    case KCI_W_AT_LEAST: return a >= b;
    case KCI_W_EQUAL: return a == b;
    default: return a != b;
    }
}

static kc_status does_not_apply(char *reason, size_t field)
{
    snprintf(reason, KCI_WHERE_BYTES, "'%s' does not apply", kci_point_field_name(field));
    return KC_EARGUMENT;
}

static kc_status same_texts(const kci_instruction *i, const kc_point *point, double *value, char *reason)
{
    const char *left = text_of(&i->left, point), *right = text_of(&i->right, point);
    if (!left || !right)
        return does_not_apply(reason, left ? i->right.field : i->left.field);
    *value = (strcmp(left, right) == 0) == (i->op == KCI_W_SAME);
    return KC_OK;
}

kc_status kci_where_run(const kci_where *where, const kc_point *point, bool *wanted, char reason[KCI_WHERE_BYTES])
{
    double stack[KCI_WHERE_DEEPEST + 1];
    int top = -1;
    for (size_t n = 0; n < where->count; n++) {
        const kci_instruction *i = &where->code[n];
        switch (i->op) {
        case KCI_W_NUMBER:
            stack[++top] = i->number;
            break;
        case KCI_W_AXIS:
            stack[++top] = point->axes->list[i->at].numbers[point->index[i->at]];
            break;
        case KCI_W_FIELD:
            stack[++top] = point->field[i->at];
            if (isnan(stack[top]))
                return does_not_apply(reason, i->at);
            break;
        case KCI_W_SAME:
        case KCI_W_DIFFERENT:
            if (same_texts(i, point, &stack[++top], reason) != KC_OK)
                return KC_EARGUMENT;
            break;
        case KCI_W_NEGATE: stack[top] = -stack[top]; break;
        case KCI_W_CEIL: stack[top] = ceil(stack[top]); break;
        case KCI_W_FLOOR: stack[top] = floor(stack[top]); break;
        case KCI_W_NOT: stack[top] = !(stack[top] != 0); break;
        case KCI_W_UNLESS:
        case KCI_W_OTHERWISE:
            if ((stack[top] != 0) == (i->op == KCI_W_OTHERWISE))
                n = i->at - 1; /* decided: its value stays */
            else
                top--;
            break;
        default:
            if ((i->op == KCI_W_DIVIDE || i->op == KCI_W_MODULO) && stack[top] == 0) {
                snprintf(reason, KCI_WHERE_BYTES, "it divides by zero");
                return KC_EARGUMENT;
            }
            stack[top - 1] = combined(i->op, stack[top - 1], stack[top]);
            top--;
        }
    }
    *wanted = stack[0] != 0;
    return KC_OK;
}
