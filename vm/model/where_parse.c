/* where_parse.c: an expression that says which points are wanted, parsed by recursive descent. */
#include <stdio.h>
#include <string.h>

#include "si.h"
#include "time.h"
#include "where_code.h"

typedef enum type { WRONG, A_NUMBER, A_TEXT, A_TRUTH } type;
static const char *const type_names[] = { "", "a number", "a text", "true or false" };

typedef struct parser {
    kci_where *where;
    kc_context *context;
    const kci_axes *axes;
    const char *whose;                      /* begins the sentence of an error */
    const char *source, *at, *start;        /* start: of the token at hand */
    enum { END, A_NAME, A_LITERAL, A_STRING, A_SIGN } token;
    size_t length;                          /* of the token */
    double number;
    char sign[3];
    int depth, values;
    kci_text_source text;                       /* of the last text operand */
} parser;

static type fail_at(parser *p, const char *at, const char *format, ...) KCI_PRINTF(3, 4);
static type fail_at(parser *p, const char *at, const char *format, ...)
{
    char sentence[400];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    kci_fail(p->context, KC_EARGUMENT, "%s, column %d: %s", p->whose, (int)(at - p->source) + 1, sentence);
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

/* The length of "ms", "GB", "KiB", "TFLOP/s" behind a number, which it brings into base units; 0: no unit. */
static size_t take_unit(const char *at, double *number)
{
    static const char *const units[] = { "FLOP/s", "B/s", "FLOP", "Hz", "B", "s" };
    static const char *const binary[] = { "Ki", "Mi", "Gi", "Ti" };
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (strncmp(at + length, "/s", 2) == 0 && !is_letter(at[length + 2]))
        length += 2;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        size_t unit = strlen(units[u]), prefix = length - unit;
        if (unit > length || strncmp(at + prefix, units[u], unit) != 0)
            continue;
        for (size_t i = 0; i < KCI_PREFIXES; i++) {
            if (strlen(kci_prefixes[i].name) == prefix && strncmp(at, kci_prefixes[i].name, prefix) == 0) {
                *number = kci_scaled_by(*number, -kci_prefixes[i].power);
                return length;
            }
        }
        for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
            if (prefix == 2 && strncmp(at, binary[i], prefix) == 0) {
                *number *= (double)((uint64_t)1 << 10 * (i + 1));
                return length;
            }
        }
    }
    return 0;
}

/* The next token; false after the sentence. */
static bool advance(parser *p)
{
    enum { STEPS = 8 };
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
        p->at++;
    if (kci_spend(p->context, "where", STEPS + (size_t)(p->at - p->start)) != KC_OK)
        return false;
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
        end += take_unit(end, &p->number);
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

static kci_instruction *emit(parser *p, kci_operation op)
{
    kci_where *w = p->where;
    if (!kci_reserve(p->context, &w->code, &w->capacity, w->count + 1, sizeof *w->code))
        return NULL;
    w->code[w->count] = (kci_instruction){ .op = op };
    return &w->code[w->count++];
}

static type emit_push(parser *p, kci_operation op, double number, size_t at)
{
    if (++p->values > KCI_WHERE_DEEPEST)
        return fail_at(p, p->start, "this is nested deeper than %d values", KCI_WHERE_DEEPEST);
    kci_instruction *i = emit(p, op);
    if (!i)
        return WRONG;
    i->number = number;
    i->at = (uint32_t)at;
    return A_NUMBER;
}

/* An operator on two values leaves one. */
static type emit_pair(parser *p, kci_operation op, type gives)
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
            return emit_push(p, KCI_W_AXIS, 0, at);
        p->text = (kci_text_source){ NULL, KCI_POINT_FIELDS, at };
        return A_TEXT;
    }
    if (field < KC_FIELD_COUNT) {
        p->where->needs_fields = true;
        return emit_push(p, KCI_W_FIELD, 0, field);
    }
    if (field < KCI_POINT_FIELDS) {
        p->where->needs_fields = true;
        p->text = (kci_text_source){ NULL, field, 0 };
        return A_TEXT;
    }
    return fail_at(p, start, "there is no field and no axis '%.60s'%s", name, kci_nearest(p->context, name, nth_name, p->axes));
}

/* What a text in quotes says lies in the copy of the expression. */
static type parse_string(parser *p)
{
    char *copy = p->where->text + (p->start - p->source);
    copy[p->length - 1] = '\0';
    p->text = (kci_text_source){ copy + 1, KCI_POINT_FIELDS, 0 };
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
    static const struct { const char *name; kci_operation op; bool pair; } calls[] = {
        { "min", KCI_W_LEAST, true }, { "max", KCI_W_MOST, true }, { "ceil", KCI_W_CEIL, false }, { "floor", KCI_W_FLOOR, false },
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
    if (++p->depth > KCI_WHERE_DEEPEST)
        return fail_at(p, start, "this is nested deeper than %d", KCI_WHERE_DEEPEST);
    type t = WRONG;
    if (is_sign(p, "-")) {
        if (advance(p) && want(p, parse_factor(p), A_NUMBER, start + 1, "-") != WRONG && emit(p, KCI_W_NEGATE))
            t = A_NUMBER;
    } else if (is_sign(p, "(")) {
        t = advance(p) ? parse_or(p) : WRONG;
        if (t != WRONG && !is_sign(p, ")"))
            t = fail_at(p, p->start, "a ')' is missing for the '(' of column %d", (int)(start - p->source) + 1);
        else if (t != WRONG && !advance(p))
            t = WRONG;
    } else if (p->token == A_LITERAL) {
        double number = p->number;
        t = advance(p) ? emit_push(p, KCI_W_NUMBER, number, 0) : WRONG;
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
    kci_operation op;
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
    static const binary list[] = { { "*", KCI_W_MULTIPLY }, { "/", KCI_W_DIVIDE }, { "%", KCI_W_MODULO } };
    return parse_chain(p, parse_factor, list, 3);
}

static type parse_sum(parser *p)
{
    static const binary list[] = { { "+", KCI_W_ADD }, { "-", KCI_W_SUBTRACT } };
    return parse_chain(p, parse_product, list, 2);
}

/* ---- words that a field can have ---- */

static const char *nth_bound(const void *data, size_t i)
{
    (void)data;
    return i < KCI_ROOFS ? kci_roof_name((kci_roof)i) : NULL;
}

/* Several roofs are of one class: the i-th that none before it is of. */
static const char *nth_class(const void *data, size_t i)
{
    (void)data;
    for (int roof = 0; roof < KCI_ROOFS; roof++) {
        const char *name = kci_roof_class((kci_roof)roof);
        bool seen = false;
        for (int before = 0; before < roof; before++)
            seen = seen || strcmp(kci_roof_class((kci_roof)before), name) == 0;
        if (!seen && i-- == 0)
            return name;
    }
    return NULL;
}

/* A field that no point can have at this word would keep nothing, or all, and say nothing of it. */
static type check_word(parser *p, const kci_text_source *source, const kci_text_source *word, const char *at)
{
    if (source->given || !word->given || source->field >= KCI_POINT_FIELDS)
        return A_TRUTH;
    kci_nth_name nth = source->field == KCI_COLUMN_BOUND ? nth_bound : nth_class;
    char words[200];
    const char *name;
    size_t length = 0;
    for (size_t i = 0; (name = nth(NULL, i)) != NULL; i++) {
        if (strcmp(name, word->given) == 0)
            return A_TRUTH;
        length += (size_t)snprintf(words + length, sizeof words - length, "%s%s", i ? ", " : "", name);
    }
    const char *near = kci_nearest(p->context, word->given, nth, NULL);
    return fail_at(p, at, "%s is never '%.60s'%s%s", kci_point_field_name(source->field), word->given, *near ? near : "; it is one of ",
                   *near ? "" : words);
}

static type compare_texts(parser *p, bool equal, kci_text_source left, const char *left_at, const char *right_at)
{
    kci_text_source right = p->text;
    if (check_word(p, &left, &right, right_at) == WRONG || check_word(p, &right, &left, left_at) == WRONG)
        return WRONG;
    if (++p->values > KCI_WHERE_DEEPEST)
        return fail_at(p, p->start, "this is nested deeper than %d values", KCI_WHERE_DEEPEST);
    kci_instruction *i = emit(p, equal ? KCI_W_SAME : KCI_W_DIFFERENT);
    if (!i)
        return WRONG;
    i->left = left;
    i->right = right;
    return A_TRUTH;
}

static type parse_compared(parser *p)
{
    static const binary list[] = { { "<", KCI_W_LESS },      { "<=", KCI_W_AT_MOST }, { ">", KCI_W_MORE },    { ">=", KCI_W_AT_LEAST },
                                   { "==", KCI_W_EQUAL },    { "~=", KCI_W_UNEQUAL }, { "!=", KCI_W_UNEQUAL } };
    const char *at = p->start, *left_at = at;
    type left = parse_sum(p);
    size_t i = 0;
    while (i < sizeof list / sizeof *list && !is_sign(p, list[i].sign))
        i++;
    if (left != WRONG && is_sign(p, "="))
        return fail_at(p, p->start, "'=' compares nothing; equality is '=='");
    if (left == WRONG || i == sizeof list / sizeof *list)
        return left;
    kci_text_source text = p->text;
    bool texts = left == A_TEXT && (list[i].op == KCI_W_EQUAL || list[i].op == KCI_W_UNEQUAL);
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
    return texts ? compare_texts(p, list[i].op == KCI_W_EQUAL, text, left_at, at) : emit_pair(p, list[i].op, A_TRUTH);
}

static type parse_not(parser *p)
{
    if (!is_word(p, "not"))
        return parse_compared(p);
    if (++p->depth > KCI_WHERE_DEEPEST)
        return fail_at(p, p->start, "this is nested deeper than %d", KCI_WHERE_DEEPEST);
    if (!advance(p))
        return WRONG;
    const char *at = p->start;
    type t = want(p, parse_not(p), A_TRUTH, at, "not");
    p->depth--;
    return t != WRONG && emit(p, KCI_W_NOT) ? A_TRUTH : WRONG;
}

/* The right side runs only where the left one does not decide. */
static type parse_words(parser *p, type (*operand)(parser *), const char *word, kci_operation op)
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
    return parse_words(p, parse_not, "and", KCI_W_UNLESS);
}

static type parse_or(parser *p)
{
    return parse_words(p, parse_and, "or", KCI_W_OTHERWISE);
}

kci_where *kci_where_parse(kc_context *context, const kci_axes *axes, const char *whose, const char *text)
{
    kci_where *where = kci_alloc(context, sizeof *where);
    if (!where)
        return NULL;
    where->context = context;
    where->text_size = strlen(text) + 1;
    where->text = kci_copy_text(context, text);
    parser p = { .where = where, .context = context, .axes = axes, .whose = whose, .source = text, .at = text };
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
