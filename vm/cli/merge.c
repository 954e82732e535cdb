/* merge.c: kcost merge: the parts of a sweep, as --shard made them, as one.
 *
 * A script that returns several sweeps gives files of several parts: those at the same place belong
 * together. */
#include "merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kcost.h"
#include "output.h"
#include "terminal.h"

enum { MOST_SWEEPS = 256 };         /* of one file */

struct merge {
    kc_context *context;
    size_t files, sweeps;
    kc_sweep **parts;               /* sweep by sweep, of each file by file */
    kc_sweep *whole[MOST_SWEEPS];
    bool csv, array;                /* some file is */
};

/* As many sweeps as the first file has. */
static bool read_sweeps(merge *m, size_t file, const char *path, const char *text)
{
    size_t count = 0;
    m->csv = m->csv || text[0] == '#';
    m->array = m->array || text[strspn(text, " \t\r\n")] == '[';
    while (text && count < MOST_SWEEPS) {
        kc_sweep *part = kc_sweep_read(m->context, text, &text);
        if (!part)
            return complain("%s: %s", path, kc_context_message(m->context));
        m->parts[count++ * m->files + file] = part;
    }
    if (text || (file > 0 && count != m->sweeps))
        return complain("%s: %s", path, text ? "too many sweeps in one file" : "it has another number of sweeps than the first file");
    m->sweeps = count;
    return true;
}

static bool read_file(merge *m, size_t file, const char *path)
{
    FILE *in = fopen(path, "rb");
    size_t length = 0;
    char *text = in ? output_read(in, &length) : NULL;
    bool good = text ? read_sweeps(m, file, path, text) : complain("%s: %s", path, in ? "not enough memory" : strerror(errno));
    if (in)
        fclose(in);
    free(text);
    return good;
}

merge *merge_parts(const options *o)
{
    merge *m = calloc(1, sizeof *m);
    size_t files = o->word_count - 1;
    bool good = m && (m->context = kc_context_new(NULL, NULL)) && (m->parts = calloc(files * MOST_SWEEPS, sizeof *m->parts));
    if (good)
        m->files = files;
    else
        complain("not enough memory");
    for (size_t i = 0; good && i < files; i++)
        good = read_file(m, i, o->words[i + 1]);
    for (size_t s = 0; good && s < m->sweeps; s++) {
        m->whole[s] = kc_sweep_merge(m->context, m->parts + s * files, files);
        good = m->whole[s] || complain("%s", kc_context_message(m->context));
    }
    if (good)
        return m;
    merge_free(m);
    return NULL;
}

bool merge_give(const merge *m, kc_vm *vm)
{
    for (size_t s = 0; s < m->sweeps; s++)
        if (kc_vm_add_answer(vm, (kc_object *)(void *)m->whole[s]) != KC_OK)
            return complain("not enough memory");
    return true;
}

void merge_show(const merge *m, const options *o, FILE *out)
{
    bool csv = o->format == FORMAT_TABLE ? m->csv : o->format != FORMAT_JSON;
    for (size_t s = 0; s < m->sweeps; s++) {
        kc_object *whole = (kc_object *)(void *)m->whole[s];
        const char *text = csv ? kc_csv(whole, 0) : kc_json(whole);
        if (!text) {
            complain("%s", kc_context_message(m->context));
            return;
        }
        if (!csv)
            fputs(s ? "," : m->array ? "[" : "", out);
        fputs(text, out);
    }
    if (!csv)
        fputs(m->array ? "]\n" : "\n", out);
}

void merge_free(merge *m)
{
    if (!m)
        return;
    for (size_t s = 0; s < MOST_SWEEPS; s++)
        kc_release(m->whole[s]);
    for (size_t i = 0; m->parts && i < m->files * MOST_SWEEPS; i++)
        kc_release(m->parts[i]);
    free(m->parts);
    kc_context_free(m->context);
    free(m);
}
