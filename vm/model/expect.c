/* expect.c: a condition on a result, by the fields that it has. */
#include <math.h>

#include "fields.h"
#include "result.h"
#include "si.h"
#include "where.h"

/* "bytes = 1203456789 (1.20 GB)" of each field that the condition asks for. */
static void add_fields(kci_text *text, const kci_where *condition, const kc_point *point)
{
    const char *between = ": ";
    for (size_t f = 0; f < KCI_POINT_FIELDS; f++) {
        if (!kci_where_asks(condition, f))
            continue;
        kci_text_format(text, "%s%s = ", between, kci_point_field_name(f));
        between = ", ";
        if (f >= KC_FIELD_COUNT) {
            kci_text_add(text, f == KCI_COLUMN_BOUND ? point->bound : point->class_name);
            continue;
        }
        char amount[KCI_SI_BYTES];
        const char *symbol = kci_field_symbol((kc_field)f);
        kci_si(amount, point->field[f], symbol);
        kci_text_number(text, point->field[f]);
        if (*symbol)
            kci_text_format(text, " (%s)", amount);
    }
}

static kc_status say_broken(const kc_result *r, const char *condition, const kci_where *parsed, const kc_point *point)
{
    kc_context *context = r->base.context;
    char list[2 * KCI_PART_BYTES];
    kci_text fields = kci_text_part(context, list, sizeof list);
    add_fields(&fields, parsed, point);
    return kci_fail(context, KC_EARGUMENT, "expect: %s does not hold for %s%s%s%s", condition, r->name, r->device ? " on " : "",
                    r->device ? r->device : "", list);
}

kc_status kc_result_expect(const kc_result *r, const char *condition)
{
    if (!r || !condition)
        return KC_EARGUMENT;
    kc_context *context = r->base.context;
    const kci_axes none = { .context = context };
    kci_where *parsed = kci_where_parse(context, &none, "expect: condition", condition);
    if (!parsed)
        return kc_context_status(context);
    double field[KC_FIELD_COUNT];
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        field[f] = r->has[f] ? r->field[f] : NAN;
    const kc_point point = { .axes = &none, .field = field, .bound = r->bound, .class_name = r->class_name };
    char reason[KCI_WHERE_BYTES];
    bool holds = false;
    kc_status status = kci_where_run(parsed, &point, &holds, reason);
    if (status != KC_OK)
        kci_fail(context, status, "expect: %s: %s of %s", condition, reason, r->name);
    else if (!holds)
        status = say_broken(r, condition, parsed, &point);
    kci_where_free(parsed);
    return status;
}
