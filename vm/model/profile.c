/* profile.c: a profiler's export, fed piece by piece: its encoding, and whether it is a CSV or a trace. */
#include <math.h>
#include <string.h>

#include "object.h"
#include "profile.h"

/* ---- the object --------------------------------------------------------------------------------------- */

kc_profile *kc_profile_new(kc_context *context, size_t launches)
{
    if (!context)
        return NULL;
    kc_profile *p = kci_new(context, KC_PROFILE, sizeof *p);
    if (!p)
        return NULL;
    p->keep = launches;
    p->style.point = '.';
    p->row.context = p->head.context = p->decoded.context = context;
    p->launch.name.context = p->launch.key.context = p->trace.event.context = context;
    for (size_t which = 0; which < 3; which++)
        for (size_t i = 0; i < KCI_P_SOURCES; i++)
            p->launch.raw[which][i] = NAN;
    if (!kci_metrics_begin(context, &p->metrics)) {
        kc_release(p);
        return NULL;
    }
    return p;
}

void kci_profile_destroy(kc_object *object)
{
    kc_profile *p = (kc_profile *)(void *)object;
    kc_context *context = object->context;
    kci_sums_free(p);
    kci_header_free(p);
    kci_rows_free(&p->row);
    kci_text_free(&p->head);
    kci_text_free(&p->decoded);
    kci_text_free(&p->trace.event);
    kci_table_free(context, &p->metrics.table);
    kci_free(context, p, sizeof *p);
}

void kci_print_profile(kci_text *text, const kc_object *object)
{
    const kc_profile *p = (const kc_profile *)(const void *)object;
    kci_text_format(text, "profile: %.0f launches of %zu kernels", p->launches, p->kernel_count);
}

/* ---- what is no text at all ----------------------------------------------------------------------------- */

/* What a file that begins with these bytes is, and what to do with it. */
static const struct {
    const char *bytes;
    size_t length;
    const char *sentence;
} magics[] = {
    { "\x1f\x8b", 2, "it is compressed: run gunzip on it first" },
    { "PK\x03\x04", 4, "it is a zip archive: unpack it first" },
    { "\x28\xb5\x2f\xfd", 4, "it is compressed: run unzstd on it first" },
    { "SQLite format 3", 15, "it is a database of Nsight Systems or rocpd: export it as CSV first" },
    { "NVR\0", 4, "it is a report of Nsight Compute: ncu --import FILE --csv --page raw writes it as CSV" },
};

static kc_status refuse_binary(kc_profile *p)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (p->head.length >= magics[i].length && memcmp(p->head.bytes, magics[i].bytes, magics[i].length) == 0)
            return kci_fail(p->object.context, KC_EARGUMENT, "%s", magics[i].sentence);
    return KC_OK;
}

/* ---- UTF-16 ------------------------------------------------------------------------------------------------- */

static void add_utf8(kci_text *out, unsigned code)
{
    char bytes[4];
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3F));
    bytes[0] = (char)(lead[length] | code);
    kci_text_add_n(out, bytes, length);
}

bool kci_profile_utf16(kci_text *out, unsigned unit, unsigned next)
{
    bool high = unit >= 0xD800 && unit < 0xDC00, pair = high && next >= 0xDC00 && next < 0xE000;
    if (pair)
        add_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00));
    else
        add_utf8(out, unit >= 0xD800 && unit < 0xE000 ? 0xFFFD : unit);
    return pair;
}

static unsigned unit_at(const kc_profile *p, const unsigned char *at)
{
    return p->big_endian ? (unsigned)at[0] << 8 | at[1] : (unsigned)at[1] << 8 | at[0];
}

/* Appends `bytes` to p->decoded as UTF-8; what is left of a character waits in p->carry and p->high. */
static void decode16(kc_profile *p, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        p->carry[p->carried++] = (unsigned char)bytes[i];
        if (p->carried < 2)
            continue;
        unsigned unit = unit_at(p, p->carry), high = p->high;
        p->carried = p->high = 0;
        if (high && kci_profile_utf16(&p->decoded, high, unit))
            continue;
        if (unit >= 0xD800 && unit < 0xDC00)
            p->high = unit;
        else
            kci_profile_utf16(&p->decoded, unit, 0);
    }
}

/* By the mark, or by the zero bytes of ASCII in it. */
static void see_encoding(kc_profile *p)
{
    const unsigned char *at = (const unsigned char *)p->head.bytes;
    size_t length = p->head.length, skip = 0;
    if (length >= 2 && at[0] == 0xFF && at[1] == 0xFE) {
        p->wide16 = true;
        skip = 2;
    } else if (length >= 2 && at[0] == 0xFE && at[1] == 0xFF) {
        p->wide16 = p->big_endian = true;
        skip = 2;
    } else if (length >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) {
        skip = 3;
    } else if (length >= 4 && at[0] && !at[1] && at[2] && !at[3]) {
        p->wide16 = true;
    } else if (length >= 4 && !at[0] && at[1] && !at[2] && at[3]) {
        p->wide16 = p->big_endian = true;
    }
    memmove(p->head.bytes, p->head.bytes + skip, length - skip);
    p->head.length -= skip;
}

/* ---- feeding ------------------------------------------------------------------------------------------------ */

static kc_status take_text(kc_profile *p, const char *bytes, size_t length)
{
    return p->json ? kci_profile_trace(p, bytes, length) : kci_profile_text(p, bytes, length);
}

static kc_status take_bytes(kc_profile *p, const char *bytes, size_t length)
{
    if (!p->wide16)
        return take_text(p, bytes, length);
    p->decoded.length = 0;
    decode16(p, bytes, length);
    return p->decoded.failed ? KC_ENOMEM : take_text(p, p->decoded.bytes, p->decoded.length);
}

/* A trace begins with an object, or with an array of such. */
static bool is_json(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && strchr(" \t\r\n", text[i]) && text[i])
        i++;
    if (i == length || text[i] != '[')
        return i < length && text[i] == '{';
    for (i++; i < length && strchr(" \t\r\n", text[i]) && text[i];)
        i++;
    return i == length || text[i] == '{' || text[i] == ']';
}

/* Enough is there to see what it is. */
static kc_status start(kc_profile *p)
{
    p->started = true;
    if (p->head.length == 0)
        return kci_fail(p->object.context, KC_EARGUMENT, "it is empty");
    kc_status status = refuse_binary(p);
    if (status != KC_OK)
        return status;
    see_encoding(p);
    const char *text = p->head.bytes;
    size_t length = p->head.length;
    if (p->wide16) {
        decode16(p, text, length);
        if (p->decoded.failed)
            return KC_ENOMEM;
        text = p->decoded.bytes;
        length = p->decoded.length;
    }
    if (length > 0 && memchr(text, '\0', length))
        return kci_fail(p->object.context, KC_EARGUMENT, "it is binary, and a CSV or a JSON trace is wanted");
    p->json = is_json(text, length);
    if (p->json)
        p->header.form = "chrome trace";
    return length > 0 ? take_text(p, text, length) : KC_OK;
}

/* After a failure nothing more can be made of it. */
static kc_status checked(kc_profile *p, kc_status status)
{
    p->failed = p->failed || status != KC_OK;
    return status;
}

static kc_status feed(kc_profile *p, const char *bytes, size_t length)
{
    size_t wanted = p->started ? 0 : KCI_P_HEAD - p->head.length, first = length < wanted ? length : wanted;
    kc_status status = KC_OK;
    kci_text_add_n(&p->head, bytes, first);
    if (p->head.failed)
        return KC_ENOMEM;
    if (!p->started && p->head.length == KCI_P_HEAD)
        status = start(p);
    return status == KC_OK && first < length ? take_bytes(p, bytes + first, length - first) : status;
}

static kc_status end(kc_profile *p)
{
    kc_status status = p->started ? KC_OK : start(p);
    if (status == KC_OK)
        status = p->json ? kci_profile_trace_end(p) : kci_profile_text_end(p);
    if (status == KC_OK && p->kernel_count == 0)
        return kci_fail(p->object.context, KC_EARGUMENT, "it is %s, but there is no kernel in it",
                        p->json ? "a trace" : "a CSV with a header that is known");
    p->ended = true;
    return status;
}

kc_status kc_profile_feed(kc_profile *p, const char *bytes, size_t length)
{
    if (!p)
        return KC_EARGUMENT;
    if ((!bytes && length) || p->ended || p->failed)
        return kci_fail(p->object.context, KC_EARGUMENT, "profile_feed: %s",
                        p->failed ? "it failed before" : p->ended ? "the profile has ended" : "bytes is NULL");
    return checked(p, feed(p, bytes, length));
}

kc_status kc_profile_end(kc_profile *p)
{
    if (!p)
        return KC_EARGUMENT;
    if (p->ended || p->failed)
        return kci_fail(p->object.context, KC_EARGUMENT, "profile_end: %s", p->failed ? "it failed before" : "the profile has ended");
    return checked(p, end(p));
}
