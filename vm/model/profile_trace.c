/* profile_trace.c: the events of a Chrome trace, as PyTorch's profiler writes them, one after another.
 *
 * Only the event at hand is held.  Brackets and quotes are followed up to the array of events, whose items are cut
 * out; what an item lacks, or has beside what is wanted, is nothing to us. */
#include <string.h>

#include "profile.h"

/* ---- one event ------------------------------------------------------------------------------------ */

typedef struct cursor {
    const char *at, *end;
} cursor;

/* A part of the text: of a string what its quotes hold, as it is written.  Of what is not there: empty. */
typedef struct slice {
    const char *at;
    size_t length;
} slice;
static const slice nothing = { "", 0 };

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at) && *c->at)
        c->at++;
}

static bool take(cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool take_string(cursor *c, slice *text)
{
    if (!take(c, '"'))
        return false;
    text->at = c->at;
    while (c->at < c->end && *c->at != '"')
        c->at += *c->at == '\\' && c->at + 1 < c->end ? 2 : 1;
    if (c->at >= c->end)
        return false;
    text->length = (size_t)(c->at++ - text->at);
    return true;
}

/* Any value; of a string with its quotes. */
static bool take_value(cursor *c, slice *value)
{
    slice text;
    int depth = 0;
    skip_blanks(c);
    value->at = c->at;
    do {
        if (c->at >= c->end)
            return false;
        if (*c->at == '"') {
            if (!take_string(c, &text))
                return false;
            continue;
        }
        if (depth == 0 && strchr(",}]", *c->at))
            break;
        depth += (*c->at == '{' || *c->at == '[') - (*c->at == '}' || *c->at == ']');
        c->at++;
    } while (depth > 0 || (c->at < c->end && !strchr(",}]", *c->at)));
    value->length = (size_t)(c->at - value->at);
    return value->length > 0;
}

/* The next member of the object that the cursor is in; false: there is none, or the text is broken. */
static bool take_member(cursor *c, slice *key, slice *value)
{
    take(c, ',');
    return take_string(c, key) && take(c, ':') && take_value(c, value);
}

static bool is(slice text, const char *word)
{
    return text.length == strlen(word) && strncmp(text.at, word, text.length) == 0;
}

static bool number_of(slice value, kci_p_number *number)
{
    char text[40];
    const char *end;
    slice inner = value;
    cursor c = { value.at, value.at + value.length };
    if (value.length > 0 && *value.at == '"' && !take_string(&c, &inner))
        return false;
    if (inner.length == 0 || inner.length >= sizeof text)
        return false;
    memcpy(text, inner.at, inner.length);
    text[inner.length] = '\0';
    return kci_style_number(&(kci_p_style){ .point = '.' }, text, number, &end);
}

static unsigned hex4(const char *at)
{
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        char digit = at[i];
        code = code * 16 + (unsigned)((digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10) & 15);
    }
    return code;
}

/* Appends what the escape whose 'u' is at `at` means, with the one behind it where these are a pair; where its last byte
 * is.  A zero is U+FFFD. */
static size_t add_code(kci_text *out, slice text, size_t at)
{
    unsigned unit = hex4(text.at + at + 1), next = 0;
    size_t last = at + 4;
    if (last + 6 < text.length && text.at[last + 1] == '\\' && text.at[last + 2] == 'u')
        next = hex4(text.at + last + 3);
    return kci_profile_utf16(out, unit ? unit : 0xFFFD, next) ? last + 6 : last;
}

/* What a string means, without its escapes. */
static void add_unescaped(kci_text *out, slice text)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] != '\\' || i + 1 == text.length) {
            kci_text_add_n(out, text.at + i, 1);
            continue;
        }
        char c = text.at[++i];
        if (c == 'u' && i + 4 < text.length) {
            i = add_code(out, text, i);
            continue;
        }
        const char *found = strchr(from, c);
        kci_text_add_n(out, found && c ? to + (found - from) : &c, 1);
    }
}

/* ---- what a kernel's event says -------------------------------------------------------------------- */

static void set(kc_profile *p, slice key, slice value)
{
    uint16_t source = kci_metrics_find(&p->metrics, key.at, key.length, KCI_U_ANY);
    kci_p_number number;
    if (source != UINT16_MAX && p->metrics.sources[source].unit.times > 0 && number_of(value, &number))
        kci_launch_set(p, source, 0, kci_unit_apply(p->metrics.sources[source].unit, &number));
}

static void take_extent(slice value, double extent[3])
{
    char text[80];
    if (value.length >= sizeof text)
        return;
    memcpy(text, value.at, value.length);
    text[value.length] = '\0';
    kci_read_extent(text, extent);
}

static void take_arguments(kc_profile *p, slice arguments)
{
    cursor c = { arguments.at, arguments.at + arguments.length };
    slice key, value;
    if (!take(&c, '{'))
        return;
    while (take_member(&c, &key, &value)) {
        if (is(key, "grid"))
            take_extent(value, p->launch.grid);
        else if (is(key, "block"))
            take_extent(value, p->launch.block);
        else
            set(p, key, value);
    }
}

typedef struct event {
    slice phase, category, name, time, start, arguments;
    bool whole;
} event;

static event read_event(const char *text, size_t length)
{
    event e = { nothing, nothing, nothing, nothing, nothing, nothing, false };
    cursor c = { text, text + length };
    slice key, value;
    if (!take(&c, '{'))
        return e;
    while (take_member(&c, &key, &value)) {
        slice inner = value;
        cursor string = { value.at, value.at + value.length };
        if (*value.at == '"' && !take_string(&string, &inner))
            return e;
        if (is(key, "ph"))
            e.phase = inner;
        else if (is(key, "cat"))
            e.category = inner;
        else if (is(key, "name"))
            e.name = inner;
        else if (is(key, "dur"))
            e.time = value;
        else if (is(key, "ts"))
            e.start = value;
        else if (is(key, "args"))
            e.arguments = value;
    }
    e.whole = take(&c, '}');
    return e;
}

/* Events of other categories are counted by them. */
static kc_status take_other(kc_profile *p, const event *e)
{
    char name[64] = "events";
    if (e->category.length > 0 && e->category.length < sizeof name) {
        memcpy(name, e->category.at, e->category.length);
        name[e->category.length] = '\0';
    }
    return kci_unused_add(p, kci_trim(name), "events that are no kernel", 1);
}

static kc_status take_event(kc_profile *p)
{
    event e = read_event(p->trace.event.bytes, p->trace.event.length);
    slice dur = { "dur", 3 }, ts = { "ts", 2 };
    p->rows++;
    if (!e.whole)
        return kci_unused_add(p, "events", "broken", 1);
    if (!is(e.phase, "X") || !(is(e.category, "kernel") || is(e.category, "Kernel")))
        return take_other(p, &e);
    kci_text name = { .context = p->object.context };
    add_unescaped(&name, e.name);
    kci_text_add_n(&name, "", 0);
    kc_status status = name.failed ? KC_ENOMEM : kci_launch_begin(p, kci_trim(name.bytes));
    kci_text_free(&name);
    if (status != KC_OK)
        return status;
    set(p, dur, e.time);
    set(p, ts, e.start);
    take_arguments(p, e.arguments);
    return kci_launch_end(p);
}

/* ---- the stream ---------------------------------------------------------------------------------------- */

/* A quote of a text, or a character inside: the last text at depth 1 may be the key "traceEvents". */
static void follow_string(kci_p_trace *t, char c)
{
    if (t->escaped) {
        t->escaped = false;
    } else if (c == '\\') {
        t->escaped = true;
    } else if (c == '"') {
        t->string = false;
        return;
    }
    if (t->depth == 1 && t->key_length < sizeof t->key)
        t->key[t->key_length++] = c;
}

static bool opens_events(const kci_p_trace *t)
{
    if (t->events || t->done)
        return false;
    if (t->depth == 0)
        return true;
    return t->depth == 1 && t->key_length == strlen("traceEvents") && memcmp(t->key, "traceEvents", t->key_length) == 0;
}

static void open_bracket(kci_p_trace *t, char c)
{
    bool events = c == '[' && opens_events(t);
    t->depth++;
    if (events) {
        t->events = t->depth;
    } else if (c == '{' && t->events && t->depth == t->events + 1 && !t->done) {
        t->capturing = true;
        t->overlong = false;
        t->event.length = 0;
    }
}

static kc_status close_bracket(kc_profile *p)
{
    kci_p_trace *t = &p->trace;
    kc_status status = KC_OK;
    if (t->capturing && t->depth == t->events + 1) {
        t->capturing = false;
        status = t->overlong ? kci_unused_add(p, "events", "longer than 1 MiB", 1) : take_event(p);
    }
    if (t->events && t->depth == t->events)
        t->done = true;
    t->depth--;
    return status;
}

kc_status kci_profile_trace(kc_profile *p, const char *bytes, size_t length)
{
    kci_p_trace *t = &p->trace;
    kc_status status = KC_OK;
    t->event.context = p->object.context;
    for (size_t i = 0; i < length && status == KC_OK; i++) {
        char c = bytes[i];
        bool before = t->capturing;
        bool opens = !t->string && (c == '{' || c == '['), closes = !t->string && (c == '}' || c == ']');
        if (t->string) {
            follow_string(t, c);
        } else if (c == '"') {
            t->string = true;
            t->key_length = t->depth == 1 ? 0 : t->key_length;
        } else if (opens) {
            open_bracket(t, c);
        }
        if (before || t->capturing) {
            t->overlong = t->overlong || t->event.length >= KCI_P_TEXT;
            if (!t->overlong)
                kci_text_add_n(&t->event, &c, 1);
            if (t->event.failed)
                return KC_ENOMEM;
        }
        if (closes && t->depth == 0)
            return kci_fail(p->object.context, KC_EARGUMENT, "the JSON is broken: a bracket closes that none opened");
        if (closes)
            status = close_bracket(p);
    }
    return status;
}

kc_status kci_profile_trace_end(kc_profile *p)
{
    const kci_p_trace *t = &p->trace;
    if (!t->events)
        return kci_fail(p->object.context, KC_EARGUMENT, "it is JSON, but no trace: it has no array traceEvents");
    p->cut = t->depth > 0;
    if (p->rows == 0)
        return kci_fail(p->object.context, KC_EARGUMENT, p->cut ? "the trace ends before its first event does"
                                                                : "the trace has no events");
    return KC_OK;
}
