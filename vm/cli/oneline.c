/* oneline.c: what a command line asks of the stdlib, as the call of a function of it. */
#define _POSIX_C_SOURCE 200809L

#include "oneline.h"

#include <stdlib.h>
#include <string.h>

/* A Lua string of any bytes. */
static void put_text(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ')
            fprintf(out, "\\%03d", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_field(FILE *out, const char *name, const char *text)
{
    if (!text)
        return;
    fprintf(out, "%s = ", name);
    put_text(out, text, strlen(text));
    fputs(", ", out);
}

static bool is_device(const setting *s)
{
    return s->length == strlen("device") && strncmp(s->name, "device", s->length) == 0;
}

/* A kernel, its parameters and what is asked of it. */
static void put_kernel(FILE *out, const options *o)
{
    const char *device = NULL;
    fputs("return require('kcost').lib.command.run(", out);
    put_text(out, o->words[0], strlen(o->words[0]));
    fputs(", { ", out);
    for (size_t i = 0; i < o->setting_count; i++) {
        const setting *s = &o->settings[i];
        if (is_device(s)) {
            device = s->value;
            continue;
        }
        fputs("{ ", out);
        put_text(out, s->name, s->length);
        fputs(", ", out);
        put_text(out, s->value, strlen(s->value));
        fputs(" }, ", out);
    }
    fputs("}, { ", out);
    put_field(out, "device", device);
    put_field(out, "measured", o->measured);
    put_field(out, "as", o->as);
    fprintf(out, "best = %s })", o->best ? "true" : "false");
}

static void put_diff(FILE *out, const options *o)
{
    const char *tolerance = o->tolerance ? o->tolerance : "0";
    fputs("return require('kcost').lib.diff.run(", out);
    put_text(out, o->words[1], strlen(o->words[1]));
    fputs(", ", out);
    put_text(out, o->words[2], strlen(o->words[2]));
    fputs(", ", out);
    put_text(out, tolerance, strlen(tolerance));
    fputs(")", out);
}

/* A text that `write` gives, as a Lua string. */
static void put_written(FILE *out, void (*write)(FILE *out))
{
    char *text = NULL;
    size_t size = 0;
    FILE *written = open_memstream(&text, &size);
    if (written)
        write(written);
    if (written && fclose(written) == 0)
        put_text(out, text, size);
    free(text);
}

static void put_complete(FILE *out, const options *o)
{
    fputs("return require('kcost').lib.complete.command({ ", out);
    for (size_t i = 1; i < o->word_count; i++) {
        put_text(out, o->words[i], strlen(o->words[i]));
        fputs(", ", out);
    }
    fputs("}, ", out);
    put_written(out, options_list);
    fputs(", ", out);
    put_written(out, options_subcommands);
    fputs(")", out);
}

char *oneline_code(const options *o)
{
    char *code = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&code, &size);
    if (!out)
        return NULL;
    if (o->complete)
        put_complete(out, o);
    else if (o->diff)
        put_diff(out, o);
    else
        put_kernel(out, o);
    return fclose(out) == 0 ? code : NULL;
}
