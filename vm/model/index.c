/* index.c: index strings: "b h i d", "n c 2*p+r-1 #c*u+c", "[m] k"; design, section 2.1. */
#include <math.h>
#include <string.h>

#include "tensor.h"

/* Of ASCII, whatever the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t name_length(const char *at)
{
    size_t n = 0;
    if (starts_name(*at))
        while (starts_name(at[n]) || is_digit(at[n]))
            n++;
    return n;
}

static const char *skip_space(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == ',')
        at++;
    return at;
}

static bool ends_position(char c)
{
    return c == '\0' || c == ' ' || c == '\t' || c == '\n' || c == ',';
}

typedef struct reader {
    kc_context *context;
    const char *call, *whole, *at;
    size_t terms; /* of all positions so far */
} reader;

static kc_status complain(const reader *r, const char *what)
{
    return kci_fail(r->context, KC_EARGUMENT,
                    "%s: index '%.200s': %s at '%.20s'; a position is a dim, an affine form such as 2*p+r-1, or [m]",
                    r->call, r->whole, what, r->at);
}

static kc_status read_name(reader *r, kci_symbol *name)
{
    size_t n = name_length(r->at);
    if (n == 0)
        return complain(r, "a dim's name is expected");
    *name = kci_intern(r->context, r->at, n);
    r->at += n;
    return *name ? KC_OK : KC_ENOMEM;
}

static kc_status add_term(reader *r, kci_form *form, kci_form_term term)
{
    if (++r->terms > KCI_MAX_DIMS)
        return kci_fail(r->context, KC_EARGUMENT, "%s: index '%.40s' has more than %d dims", r->call, r->whole, KCI_MAX_DIMS);
    for (size_t i = 0; i < form->count; i++)
        if (form->terms[i].dim == term.dim)
            return complain(r, "a dim stands twice in one position");
    form->terms[form->count++] = term;
    return KC_OK;
}

/* factor { '*' factor }, factors being whole numbers, #dim, and one dim. */
static kc_status read_term(reader *r, kci_form *form, double sign)
{
    kci_form_term term = { .coefficient = sign };
    for (;;) {
        if (is_digit(*r->at)) {
            double number = 0;
            while (is_digit(*r->at))
                number = number * 10 + (*r->at++ - '0');
            term.coefficient *= number;
            if (fabs(term.coefficient) >= KCI_MAX_SIZE)
                return complain(r, "a number is too large");
        } else if (*r->at == '#') {
            if (term.size_of)
                return complain(r, "one #dim a term is allowed");
            r->at++;
            kc_status status = read_name(r, &term.size_of);
            if (status)
                return status;
        } else {
            if (term.dim && starts_name(*r->at))
                return complain(r, "two dims cannot be multiplied");
            kc_status status = read_name(r, &term.dim);
            if (status)
                return status;
        }
        if (*r->at != '*')
            break;
        r->at++;
    }
    if (!term.dim) {
        if (term.size_of)
            return complain(r, "#dim needs a dim to multiply");
        form->constant += term.coefficient;
        return KC_OK;
    }
    if (term.coefficient == 0)
        return complain(r, "a dim times 0 says nothing");
    return add_term(r, form, term);
}

static kc_status read_affine(reader *r, kci_form *form)
{
    double sign = 1;
    if (*r->at == '-' || *r->at == '+')
        sign = *r->at++ == '-' ? -1 : 1;
    for (;;) {
        kc_status status = read_term(r, form, sign);
        if (status)
            return status;
        if (*r->at != '+' && *r->at != '-')
            break;
        sign = *r->at++ == '-' ? -1 : 1;
    }
    if (!ends_position(*r->at))
        return complain(r, "an unexpected sign");
    if (form->count == 1 && form->terms[0].coefficient < 0 && form->constant == 0)
        return complain(r, "a lone negative position");
    return KC_OK;
}

static kc_status read_gather(reader *r, kci_form *form)
{
    const char *open = r->at;
    form->gather = true;
    r->at++;
    for (;;) {
        r->at = skip_space(r->at);
        if (*r->at == ']')
            break;
        if (*r->at == '\0') {
            r->at = open;
            return complain(r, "a '[' is not closed");
        }
        kci_form_term term = { .coefficient = 1 };
        kc_status status = read_name(r, &term.dim);
        if (!status)
            status = add_term(r, form, term);
        if (status)
            return status;
    }
    if (form->count == 0)
        return complain(r, "empty brackets");
    r->at++;
    return ends_position(*r->at) ? KC_OK : complain(r, "an unexpected sign");
}

static size_t index_bytes(const kci_form *forms, size_t count)
{
    size_t bytes = count * sizeof *forms;
    for (size_t i = 0; i < count; i++)
        bytes += forms[i].count * sizeof(kci_form_term);
    return bytes;
}

kci_form *kci_index_copy(kc_context *context, const kci_form *forms, size_t count)
{
    kci_form *copy = kci_alloc(context, index_bytes(forms, count));
    if (!copy)
        return NULL;
    kci_form_term *terms = (kci_form_term *)(void *)(copy + count);
    for (size_t i = 0; i < count; i++) {
        copy[i] = forms[i];
        copy[i].terms = terms;
        for (size_t t = 0; t < forms[i].count; t++)
            *terms++ = forms[i].terms[t];
    }
    return copy;
}

/* Room for as many positions, and as many terms, as the text may have: a letter each, and something between two. */
enum { FEW = 32 };
typedef struct draft {
    kci_form few[FEW], *forms;
    kci_form_term few_terms[FEW], *terms;
    size_t room;
} draft;

static bool draft_make(kc_context *context, draft *d, const char *text)
{
    d->room = strlen(text) / 2 + 1;
    d->forms = d->few;
    d->terms = d->few_terms;
    if (d->room <= FEW)
        return true;
    d->forms = kci_alloc(context, d->room * sizeof *d->forms);
    d->terms = d->forms ? kci_alloc(context, d->room * sizeof *d->terms) : NULL;
    return d->terms != NULL;
}

static void draft_free(kc_context *context, draft *d)
{
    if (d->room <= FEW)
        return;
    kci_free(context, d->forms, d->room * sizeof *d->forms);
    kci_free(context, d->terms, d->room * sizeof *d->terms);
}

kc_status kci_index_fits(kc_context *context, const char *call, const char *what, const char *text)
{
    enum { MOST_TEXT = 1 << 20 };
    if (memchr(text, '\0', MOST_TEXT + 1))
        return KC_OK;
    return kci_fail(context, KC_EARGUMENT, "%s: %s is a text of more than %d bytes", call, what, MOST_TEXT);
}

kc_status kci_index_parse(kc_context *context, const char *call, const char *text, kci_form **forms,
                          size_t *count)
{
    *forms = NULL;
    *count = 0;
    if (kci_index_fits(context, call, "the index", text) != KC_OK)
        return KC_EARGUMENT;
    reader r = { context, call, text, skip_space(text), 0 };
    draft d;
    size_t n = 0;
    kc_status status = draft_make(context, &d, text) ? KC_OK : KC_ENOMEM;
    kci_form_term *terms = d.terms;
    while (*r.at && !status) {
        kci_form *form = &d.forms[n++];
        *form = (kci_form){ .terms = terms };
        status = *r.at == '[' ? read_gather(&r, form) : read_affine(&r, form);
        terms += form->count;
        r.at = skip_space(r.at);
    }
    if (!status && n == 0)
        status = kci_fail(context, KC_EARGUMENT, "%s: the index is empty; one position a dim is expected", call);
    *forms = status ? NULL : kci_index_copy(context, d.forms, n);
    *count = n;
    draft_free(context, &d);
    return status ? status : *forms ? KC_OK : KC_ENOMEM;
}

kci_form *kci_index_identity(kc_context *context, const kci_dim *dims, size_t count)
{
    kci_form *forms = kci_alloc(context, count * (sizeof *forms + sizeof(kci_form_term)));
    if (!forms)
        return NULL;
    kci_form_term *terms = (kci_form_term *)(void *)(forms + count);
    for (size_t i = 0; i < count; i++) {
        terms[i] = (kci_form_term){ 1, dims[i].name, 0 };
        forms[i] = (kci_form){ .terms = &terms[i], .count = 1 };
    }
    return forms;
}

void kci_index_free(kc_context *context, kci_form *forms, size_t count)
{
    if (forms)
        kci_free(context, forms, index_bytes(forms, count));
}

bool kci_form_is_plain(const kci_form *form)
{
    return !form->gather && form->count == 1 && form->constant == 0 && form->terms[0].coefficient == 1 &&
           !form->terms[0].size_of;
}

bool kci_form_equal(const kci_form *a, const kci_form *b)
{
    if (a->gather != b->gather || a->constant != b->constant || a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->terms[i].dim != b->terms[i].dim || a->terms[i].size_of != b->terms[i].size_of ||
            a->terms[i].coefficient != b->terms[i].coefficient)
            return false;
    return true;
}

void kci_form_print(kci_text *text, const kci_form *form)
{
    if (form->gather)
        kci_text_add(text, "[");
    for (size_t i = 0; i < form->count; i++) {
        const kci_form_term *term = &form->terms[i];
        double size = fabs(term->coefficient);
        if (form->gather && i > 0)
            kci_text_add(text, " ");
        else if (term->coefficient < 0)
            kci_text_add(text, "-");
        else if (i > 0)
            kci_text_add(text, "+");
        if (size != 1) {
            kci_text_number(text, size);
            kci_text_add(text, "*");
        }
        if (term->size_of)
            kci_text_format(text, "#%s*", kci_name(text->context, term->size_of));
        kci_text_add(text, kci_name(text->context, term->dim));
    }
    if (form->gather) {
        kci_text_add(text, "]");
    } else if (form->constant != 0 || form->count == 0) {
        if (form->constant >= 0 && form->count > 0)
            kci_text_add(text, "+");
        kci_text_number(text, form->constant);
    }
}
