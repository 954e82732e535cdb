/* fuzz_profiles.c: a profiler's export, fed in pieces.
 *
 * The first bytes of an input say what stands before it, if anything, and the sizes of its pieces, used in turn; what
 * follows them is the export. */
#include "bytes.h"

#include "kcost.h"

enum { SIZES = 4, LAUNCHES = 8, HEAD = 1 << 16 };

static kc_status feed_block(kc_profile *profile, const void *from, size_t length)
{
    char *block = malloc(length); /* of its own, so that a read past its end is seen */
    if (block == NULL)
        abort();
    memcpy(block, from, length);
    kc_status status = kc_profile_feed(profile, block, length);
    free(block);
    return status;
}

/* Blank text, so much that what it is has been decided: only what comes behind is streamed. */
static kc_status feed_head(kc_profile *profile, unsigned which)
{
    static const struct {
        char first, blank[2];
    } heads[] = { { '\n', "\n\n" }, { '[', "  " }, { '{', "  " }, { '\n', { '\0', '\n' } }, { '\0', { '\n', '\0' } } };
    char text[HEAD];
    if (which >= sizeof heads / sizeof *heads)
        return KC_OK;
    for (size_t i = 0; i < HEAD; i++)
        text[i] = i == 0 ? heads[which].first : heads[which].blank[(i + 1) % 2];
    return feed_block(profile, text, HEAD);
}

static kc_status feed(kc_profile *profile, bytes *b)
{
    kc_status status = feed_head(profile, take(b) % 16);
    size_t sizes[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        unsigned n = take(b);
        sizes[i] = n < 128 ? 1 + n : (size_t)(n - 127) * 64;
    }
    for (size_t i = 0; b->left > 0 && status == KC_OK; i = (i + 1) % SIZES) {
        size_t length = b->left < sizes[i] ? b->left : sizes[i];
        status = feed_block(profile, b->data, length);
        b->data += length;
        b->left -= length;
    }
    return status;
}

/* Outside of texts a profile has no words, such as null, and no number that was infinite, which is written as the largest. */
static void check_json(const char *json)
{
    bool string = false;
    for (const char *c = json; *c != '\0'; c++) {
        if (string && *c == '\\' && c[1] != '\0') {
            c++;
        } else if (string) {
            string = *c != '"';
        } else if (*c == '"') {
            string = true;
        } else if (*c >= '0' && *c <= '9') {
            char *end;
            if (!(strtod(c, &end) < 1e300))
                found("a figure that was infinite");
            c = end - 1;
        } else if (strchr("{}[]:,-", *c) == NULL) {
            found("a figure that is none");
        }
    }
    if (string)
        found("a text without an end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    account h = { 0 };
    bytes b = { data, size };
    kc_context *context = kc_context_new(account_resize, &h);
    kc_profile *profile = kc_profile_new(context, LAUNCHES);
    if (profile == NULL)
        found("no profile");
    kc_status status = feed(profile, &b);
    if (status == KC_OK)
        status = kc_profile_end(profile);
    const char *json = kc_json((kc_object *)profile);
    if ((json != NULL) != (status == KC_OK))
        found("JSON of what failed, or none of what did not");
    if (status != KC_OK && kc_context_message(context)[0] == '\0')
        found("a failure without a message");
    if (json != NULL) {
        check_json(json);
        if (kc_object_text((kc_object *)profile) == NULL)
            found("no text");
    }
    kc_release(profile);
    kc_context_free(context);
    if (h.bytes != 0 || h.blocks != 0)
        found("a leak");
    return 0;
}
