/* merge.c: kcost merge: the parts of a sweep, as --shard made them, as one. */
#include "merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kcost.h"
#include "output.h"

struct merge {
    kc_context *context;
    kc_sweep **parts;
    size_t count;
    kc_sweep *whole;
    bool csv;                       /* some part is */
};

static void complain(const char *file, const char *sentence)
{
    fprintf(stderr, "kcost: %s%s%s\n", file, *file ? ": " : "", sentence);
}

static bool read_part(merge *m, const char *path)
{
    FILE *in = fopen(path, "rb");
    size_t length = 0;
    char *text = in ? output_read(in, &length) : NULL;
    kc_sweep *part = text ? kc_sweep_read(m->context, text) : NULL;
    if (!text)
        complain(path, in ? "not enough memory" : strerror(errno));
    else if (!part)
        complain(path, kc_context_message(m->context));
    m->csv = m->csv || (text && text[0] == '#');
    if (in)
        fclose(in);
    free(text);
    m->parts[m->count++] = part;
    return part != NULL;
}

merge *merge_parts(const options *o)
{
    merge *m = calloc(1, sizeof *m);
    bool good = m && (m->context = kc_context_new(NULL, NULL)) && (m->parts = calloc(o->word_count, sizeof *m->parts));
    if (!good)
        complain("", "not enough memory");
    for (size_t i = 1; good && i < o->word_count; i++)
        good = read_part(m, o->words[i]);
    if (good && !(m->whole = kc_sweep_merge(m->context, m->parts, m->count)))
        complain("", kc_context_message(m->context));
    if (good && m->whole)
        return m;
    merge_free(m);
    return NULL;
}

void merge_show(const merge *m, const options *o, FILE *out)
{
    kc_object *whole = (kc_object *)(void *)m->whole;
    bool csv = o->format == FORMAT_TABLE ? m->csv : o->format != FORMAT_JSON;
    const char *text = csv ? kc_csv(whole, 0) : kc_json(whole);
    if (text)
        fputs(text, out);
    else
        complain("", kc_context_message(m->context));
    if (text && !csv)
        fputs("\n", out);
}

void merge_free(merge *m)
{
    if (!m)
        return;
    kc_release(m->whole);
    for (size_t i = 0; i < m->count; i++)
        kc_release(m->parts[i]);
    free(m->parts);
    kc_context_free(m->context);
    free(m);
}
