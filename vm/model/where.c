/* where.c: an expression that says which points are wanted: parsed once, run at every point. */
#include "where.h"

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
    while (field < KCI_POINT_FIELDS && strcmp(kci_point_field_name(field), name) != 0)
        field++;
    return field;
}

/* ---- the program ------------------------------------------------------------------------- */

typedef enum operation {
    NUMBER, FIELD, AXIS,                    /* push */
    ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO, NEGATE, LEAST, MOST, CEIL, FLOOR,
    LESS, AT_MOST, MORE, AT_LEAST, EQUAL, UNEQUAL, NOT,
    SAME, DIFFERENT,                        /* of two texts */
    UNLESS, OTHERWISE                       /* and, or: jump over the right side, or drop the left one */
} operation;

/* A text: given, of a column, or of an axis. */
typedef struct text_source {
    const char *given;
    size_t field;                           /* bound, class */
    size_t axis;
} text_source;

typedef struct instruction {
    operation op;
    double number;
    uint32_t at;                            /* field, axis, or where a jump goes */
    text_source left, right;
} instruction;

struct kci_where {
    kc_context *context;
    instruction *code;
    size_t count, capacity;
    bool needs_fields;
    char *text;                             /* a copy; texts given in it lie there, zero at their end */
    size_t text_size;
};

enum { DEEPEST = 64 };                      /* values at once, and parentheses */

/* ---- parsing ------------------------------------------------------------------------------- */

typedef enum type { WRONG, A_NUMBER, A_TEXT, A_TRUTH } type;
static const char *const type_names[] = { "", "a number", "a text", "true or false" };

typedef struct parser {
    kci_where *where;
    kc_context *context;
    const kci_axes *axes;
    const char *source, *at, *start;        /* start: of the token at hand */
    enum { END, A_NAME, A_LITERAL, A_STRING, A_SIGN } token;
    size_t length;                          /* of the token */
    double number;
    char sign[3];
    int depth, values;
    text_source text;                       /* of the last text operand */
} parser;

static type fail_at(parser *p, const char *at, const char *format, ...) KCI_PRINTF(3, 4);
static type fail_at(parser *p, const char *at, const char *format, ...)
{
    char sentence[400];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    kci_fail(p->context, KC_EARGUMENT, "sweep: where, column %d: %s", (int)(at - p->source) + 1, sentence);
    return WRONG;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "tile.i", "hbm.bandwidth", "matrix.f16" */
static size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_letter(at[length]) || is_digit(at[length]) || (at[length] == '.' && is_letter(at[length + 1])))
        length++;
    return length;
}

/* The next token; false after the sentence. */
static bool advance(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
        p->at++;
    p->start = p->at;
    char c = *p->at;
    if (!c) {
        p->token = END;
        p->length = 0;
    } else if (is_letter(c)) {
        p->token = A_NAME;
        p->length = name_length(p->at);
    } else if (is_digit(c) || (c == '.' && is_digit(p->at[1]))) {
        const char *end;
        p->token = A_LITERAL;
        p->number = kci_parse_number(p->at, &end);
        p->length = (size_t)(end - p->at);
        if (is_letter(*end))
            return fail_at(p, p->at, "'%.20s' is not a number", p->at) != WRONG;
    } else if (c == '"' || c == '\'') {
        const char *end = strchr(p->at + 1, c);
        if (!end)
            return fail_at(p, p->at, "the text that begins here has no end") != WRONG;
        p->token = A_STRING;
        p->length = (size_t)(end + 1 - p->at);
    } else if (strchr("<>=~!+-*/%(),", c)) {
        p->token = A_SIGN;
        p->length = strchr("<>=~!", c) && p->at[1] == '=' ? 2 : 1;
        memcpy(p->sign, p->at, p->length);
        p->sign[p->length] = '\0';
    } else {
        return fail_at(p, p->at, "'%.1s' means nothing here", p->at) != WRONG;
    }
    p->at += p->length;
    return true;
}

static bool is_sign(const parser *p, const char *sign)
{
    return p->token == A_SIGN && strcmp(p->sign, sign) == 0;
}

static bool is_word(const parser *p, const char *word)
{
    return p->token == A_NAME && p->length == strlen(word) && strncmp(p->start, word, p->length) == 0;
}

static instruction *emit(parser *p, operation op)
{
    kci_where *w = p->where;
    if (!kci_reserve(p->context, &w->code, &w->capacity, w->count + 1, sizeof *w->code))
        return NULL;
    w->code[w->count] = (instruction){ .op = op };
    return &w->code[w->count++];
}

static type emit_push(parser *p, operation op, double number, size_t at)
{
    if (++p->values > DEEPEST)
        return fail_at(p, p->start, "this is nested deeper than %d values", DEEPEST);
    instruction *i = emit(p, op);
    if (!i)
        return WRONG;
    i->number = number;
    i->at = (uint32_t)at;
    return A_NUMBER;
}

/* An operator on two values leaves one. */
static type emit_pair(parser *p, operation op, type gives)
{
    p->values--;
    return emit(p, op) ? gives : WRONG;
}

static type parse_or(parser *p);

static const char *nth_name(const void *data, size_t i)
{
    const kci_axes *axes = data;
    if (i < KCI_POINT_FIELDS)
        return kci_point_field_name(i);
    i -= KCI_POINT_FIELDS;
    return i < axes->column_count ? axes->columns[i].text : NULL;
}

static type parse_name(parser *p)
{
    char name[96];
    size_t length = p->length < sizeof name ? p->length : sizeof name - 1;
    memcpy(name, p->start, length);
    name[length] = '\0';
    const char *start = p->start;
    if (!advance(p))
        return WRONG;
    size_t field = kci_point_field_named(name);
    size_t at;
    const kci_sweep_axis *axis = kci_axes_find(p->axes, name, &at);
    if (axis) {
        if (!axis->texts)
            return emit_push(p, AXIS, 0, at);
        p->text = (text_source){ NULL, KCI_POINT_FIELDS, at };
        return A_TEXT;
    }
    if (field < KC_FIELD_COUNT) {
        p->where->needs_fields = true;
        return emit_push(p, FIELD, 0, field);
    }
    if (field < KCI_POINT_FIELDS) {
        p->where->needs_fields = true;
        p->text = (text_source){ NULL, field, 0 };
        return A_TEXT;
    }
    return fail_at(p, start, "there is no field and no axis '%.60s'%s", name, kci_nearest(p->context, name, nth_name, p->axes));
}

/* What a text in quotes says lies in the copy of the expression. */
static type parse_string(parser *p)
{
    char *copy = p->where->text + (p->start - p->source);
    copy[p->length - 1] = '\0';
    p->text = (text_source){ copy + 1, KCI_POINT_FIELDS, 0 };
    return advance(p) ? A_TEXT : WRONG;
}

static type want(parser *p, type got, type wanted, const char *at, const char *what)
{
    if (got == WRONG || got == wanted)
        return got;
    return fail_at(p, at, "%s needs %s, and this is %s", what, type_names[wanted], type_names[got]);
}

static type parse_call(parser *p)
{
    static const struct { const char *name; operation op; bool pair; } calls[] = {
        { "min", LEAST, true }, { "max", MOST, true }, { "ceil", CEIL, false }, { "floor", FLOOR, false },
    };
    size_t c = 0;
    while (c < sizeof calls / sizeof *calls && !is_word(p, calls[c].name))
        c++;
    const char *after = p->at + strspn(p->at, " \t\n\r");
    if (*after != '(')
        return parse_name(p);
    if (c == sizeof calls / sizeof *calls)
        return fail_at(p, p->start, "'%.*s' is no call; there are min, max, ceil and floor", (int)p->length, p->start);
    const char *start = p->start;
    if (!advance(p)) /* the name */
        return WRONG;
    if (!advance(p)) /* the '(' */
        return WRONG;
    for (int count = 1;; count++) {
        const char *at = p->start;
        if (want(p, parse_or(p), A_NUMBER, at, calls[c].name) == WRONG)
            return WRONG;
        if (!calls[c].pair ? !emit(p, calls[c].op) : count > 1 && emit_pair(p, calls[c].op, A_NUMBER) == WRONG)
            return WRONG;
        if (is_sign(p, ",") && calls[c].pair) {
            if (!advance(p))
                return WRONG;
            continue;
        }
        if (calls[c].pair && count < 2)
            return fail_at(p, start, "%s needs at least two numbers", calls[c].name);
        break;
    }
    if (!is_sign(p, ")"))
        return fail_at(p, p->start, "the ')' of %s is missing", calls[c].name);
    return advance(p) ? A_NUMBER : WRONG;
}

static type parse_factor(parser *p)
{
    const char *start = p->start;
    if (++p->depth > DEEPEST)
        return fail_at(p, start, "this is nested deeper than %d", DEEPEST);
    type t = WRONG;
    if (is_sign(p, "-")) {
        if (advance(p) && want(p, parse_factor(p), A_NUMBER, start + 1, "-") != WRONG && emit(p, NEGATE))
            t = A_NUMBER;
    } else if (is_sign(p, "(")) {
        t = advance(p) ? parse_or(p) : WRONG;
        if (t != WRONG && !is_sign(p, ")"))
            t = fail_at(p, p->start, "a ')' is missing for the '(' of column %d", (int)(start - p->source) + 1);
        else if (t != WRONG && !advance(p))
            t = WRONG;
    } else if (p->token == A_LITERAL) {
        double number = p->number;
        t = advance(p) ? emit_push(p, NUMBER, number, 0) : WRONG;
    } else if (p->token == A_STRING) {
        t = parse_string(p);
    } else if (p->token == A_NAME && !is_word(p, "and") && !is_word(p, "or") && !is_word(p, "not")) {
        t = parse_call(p);
    } else if (p->token == END) {
        t = fail_at(p, start, "it ends where a value is wanted");
    } else {
        t = fail_at(p, start, "a value is wanted, not '%.*s'", (int)p->length, start);
    }
    p->depth--;
    return t;
}

/* Left to right: each operator with what stands on its right. */
typedef struct binary {
    const char *sign;
    operation op;
} binary;

static type parse_chain(parser *p, type (*operand)(parser *), const binary *list, size_t count)
{
    const char *at = p->start;
    type left = operand(p);
    for (;;) {
        size_t i = 0;
        while (i < count && !is_sign(p, list[i].sign))
            i++;
        if (left == WRONG || i == count)
            return left;
        if (want(p, left, A_NUMBER, at, list[i].sign) == WRONG || !advance(p))
            return WRONG;
        at = p->start;
        if (want(p, operand(p), A_NUMBER, at, list[i].sign) == WRONG)
            return WRONG;
        left = emit_pair(p, list[i].op, A_NUMBER);
    }
}

static type parse_product(parser *p)
{
    static const binary list[] = { { "*", MULTIPLY }, { "/", DIVIDE }, { "%", MODULO } };
    return parse_chain(p, parse_factor, list, 3);
}

static type parse_sum(parser *p)
{
    static const binary list[] = { { "+", ADD }, { "-", SUBTRACT } };
    return parse_chain(p, parse_product, list, 2);
}

static type compare_texts(parser *p, bool equal, text_source left)
{
    if (++p->values > DEEPEST)
        return fail_at(p, p->start, "this is nested deeper than %d values", DEEPEST);
    instruction *i = emit(p, equal ? SAME : DIFFERENT);
    if (!i)
        return WRONG;
    i->left = left;
    i->right = p->text;
    return A_TRUTH;
}

static type parse_compared(parser *p)
{
    static const binary list[] = { { "<", LESS },      { "<=", AT_MOST }, { ">", MORE },    { ">=", AT_LEAST },
                                   { "==", EQUAL },    { "~=", UNEQUAL }, { "!=", UNEQUAL } };
    const char *at = p->start;
    type left = parse_sum(p);
    size_t i = 0;
    while (i < sizeof list / sizeof *list && !is_sign(p, list[i].sign))
        i++;
    if (left != WRONG && is_sign(p, "="))
        return fail_at(p, p->start, "'=' compares nothing; equality is '=='");
    if (left == WRONG || i == sizeof list / sizeof *list)
        return left;
    text_source text = p->text;
    bool texts = left == A_TEXT && (list[i].op == EQUAL || list[i].op == UNEQUAL);
    if (!texts && want(p, left, A_NUMBER, at, list[i].sign) == WRONG)
        return WRONG;
    if (!advance(p))
        return WRONG;
    at = p->start;
    if (want(p, parse_sum(p), texts ? A_TEXT : A_NUMBER, at, texts ? "a text before ==" : list[i].sign) == WRONG)
        return WRONG;
    for (size_t n = 0; n < sizeof list / sizeof *list; n++)
        if (is_sign(p, list[n].sign))
            return fail_at(p, p->start, "a second comparison; write a < b and b < c");
    return texts ? compare_texts(p, list[i].op == EQUAL, text) : emit_pair(p, list[i].op, A_TRUTH);
}

static type parse_not(parser *p)
{
    if (!is_word(p, "not"))
        return parse_compared(p);
    if (++p->depth > DEEPEST)
        return fail_at(p, p->start, "this is nested deeper than %d", DEEPEST);
    if (!advance(p))
        return WRONG;
    const char *at = p->start;
    type t = want(p, parse_not(p), A_TRUTH, at, "not");
    p->depth--;
    return t != WRONG && emit(p, NOT) ? A_TRUTH : WRONG;
}

/* The right side runs only where the left one does not decide. */
static type parse_words(parser *p, type (*operand)(parser *), const char *word, operation op)
{
    const char *at = p->start;
    type left = operand(p);
    while (left != WRONG && is_word(p, word)) {
        size_t jump = p->where->count;
        if (want(p, left, A_TRUTH, at, word) == WRONG || !emit(p, op) || !advance(p))
            return WRONG;
        p->values--;
        at = p->start;
        left = want(p, operand(p), A_TRUTH, at, word);
        if (left != WRONG)
            p->where->code[jump].at = (uint32_t)p->where->count;
    }
    return left;
}

static type parse_and(parser *p)
{
    return parse_words(p, parse_not, "and", UNLESS);
}

static type parse_or(parser *p)
{
    return parse_words(p, parse_and, "or", OTHERWISE);
}

kci_where *kci_where_parse(kc_context *context, const kci_axes *axes, const char *text)
{
    kci_where *where = kci_alloc(context, sizeof *where);
    if (!where)
        return NULL;
    where->context = context;
    where->text_size = strlen(text) + 1;
    where->text = kci_copy_text(context, text);
    parser p = { .where = where, .context = context, .axes = axes, .source = text, .at = text };
    bool good = where->text && advance(&p);
    type t = good ? parse_or(&p) : WRONG;
    if (t != WRONG && p.token != END)
        t = fail_at(&p, p.start, "'%.*s' comes after the end", (int)p.length, p.start);
    if (t != WRONG && t != A_TRUTH)
        t = fail_at(&p, text, "it gives %s, and true or false is wanted", type_names[t]);
    if (t == A_TRUTH)
        return where;
    kci_where_free(where);
    return NULL;
}

void kci_where_free(kci_where *where)
{
    if (!where)
        return;
    kc_context *context = where->context;
    kci_free(context, where->code, where->capacity * sizeof *where->code);
    kci_free(context, where->text, where->text_size);
    kci_free(context, where, sizeof *where);
}

bool kci_where_needs_fields(const kci_where *where)
{
    return where->needs_fields;
}

/* ---- running -------------------------------------------------------------------------------- */

static const char *text_of(const text_source *source, const kc_point *point)
{
    if (source->given)
        return source->given;
    if (source->field == KCI_COLUMN_BOUND)
        return point->bound;
    if (source->field == KCI_COLUMN_CLASS)
        return point->class_name;
    return point->axes->list[source->axis].texts[point->index[source->axis]];
}

static double combined(operation op, double a, double b)
{
    switch (op) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return a / b;
    case MODULO: return a - floor(a / b) * b;
    case LEAST: return fmin(a, b);
    case MOST: return fmax(a, b);
    case LESS: return a < b;
    case AT_MOST: return a <= b;
    case MORE: return a > b;
    case AT_LEAST: return a >= b;
    case EQUAL: return a == b;
    default: return a != b;
    }
}

static kc_status does_not_apply(char *reason, size_t field)
{
    snprintf(reason, KCI_WHERE_BYTES, "'%s' does not apply", kci_point_field_name(field));
    return KC_EARGUMENT;
}

static kc_status same_texts(const instruction *i, const kc_point *point, double *value, char *reason)
{
    const char *left = text_of(&i->left, point), *right = text_of(&i->right, point);
    if (!left || !right)
        return does_not_apply(reason, left ? i->right.field : i->left.field);
    *value = (strcmp(left, right) == 0) == (i->op == SAME);
    return KC_OK;
}

kc_status kci_where_run(const kci_where *where, const kc_point *point, bool *wanted, char reason[KCI_WHERE_BYTES])
{
    double stack[DEEPEST + 1];
    int top = -1;
    for (size_t n = 0; n < where->count; n++) {
        const instruction *i = &where->code[n];
        switch (i->op) {
        case NUMBER:
            stack[++top] = i->number;
            break;
        case AXIS:
            stack[++top] = point->axes->list[i->at].numbers[point->index[i->at]];
            break;
        case FIELD:
            stack[++top] = point->field[i->at];
            if (isnan(stack[top]))
                return does_not_apply(reason, i->at);
            break;
        case SAME:
        case DIFFERENT:
            if (same_texts(i, point, &stack[++top], reason) != KC_OK)
                return KC_EARGUMENT;
            break;
        case NEGATE: stack[top] = -stack[top]; break;
        case CEIL: stack[top] = ceil(stack[top]); break;
        case FLOOR: stack[top] = floor(stack[top]); break;
        case NOT: stack[top] = !(stack[top] != 0); break;
        case UNLESS:
        case OTHERWISE:
            if ((stack[top] != 0) == (i->op == OTHERWISE))
                n = i->at - 1; /* decided: its value stays */
            else
                top--;
            break;
        default:
            if ((i->op == DIVIDE || i->op == MODULO) && stack[top] == 0) {
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
