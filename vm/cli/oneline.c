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

static void put_string(FILE *out, const char *text)
{
    put_text(out, text, strlen(text));
}

static void put_field(FILE *out, const char *name, const char *text)
{
    if (!text)
        return;
    fprintf(out, "%s = ", name);
    put_string(out, text);
    fputs(", ", out);
}

static void put_list(FILE *out, const char *const *texts, size_t count)
{
    fputs("{ ", out);
    for (size_t i = 0; i < count; i++) {
        put_string(out, texts[i]);
        fputs(", ", out);
    }
    fputs("}", out);
}

/* "{ { name, value }, … }", less the device. */
static void put_settings(FILE *out, const options *o)
{
    fputs("{ ", out);
    for (size_t i = 0; i < o->setting_count; i++) {
        const setting *s = &o->settings[i];
        if (options_is_device(s))
            continue;
        fputs("{ ", out);
        put_text(out, s->name, s->length);
        fputs(", ", out);
        put_string(out, s->value);
        fputs(" }, ", out);
    }
    fputs("}", out);
}

/* A kernel, its parameters and what is asked of it. */
static void put_kernel(FILE *out, const options *o)
{
    fputs("return require('kcost.internal.command').run(", out);
    put_string(out, o->words[0]);
    fputs(", ", out);
    put_settings(out, o);
    fputs(", { ", out);
    put_field(out, "device", options_device(o));
    put_field(out, "measured", o->measured);
    put_field(out, "as", o->as);
    fprintf(out, "best = %s })", o->best ? "true" : "false");
}

/* A file of times; the device goes to the file of -o, and how it came about to the terminal. */
static void put_calibrate(FILE *out, const options *o)
{
    fputs("return require('kcost.internal.calibrate').run(", out);
    put_string(out, o->words[1]);
    fputs(", ", out);
    put_settings(out, o);
    fputs(", ", out);
    put_list(out, o->predictions, o->prediction_count);
    fputs(", { ", out);
    put_field(out, "device", options_device(o));
    fprintf(out, "figures = %s, tell = %s })", o->format != FORMAT_TABLE ? "true" : "false", o->output ? "true" : "false");
}

static void put_diff(FILE *out, const options *o)
{
    const char *tolerance = o->tolerance ? o->tolerance : "0";
    fputs("return require('kcost.internal.diff').run(", out);
    put_string(out, o->words[1]);
    fputs(", ", out);
    put_string(out, o->words[2]);
    fputs(", ", out);
    put_string(out, tolerance);
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
    fputs("return require('kcost.internal.complete').command(", out);
    put_list(out, (const char *const *)o->words + 1, o->word_count - 1);
    fputs(", ", out);
    put_written(out, options_list);
    fputs(", ", out);
    put_written(out, options_subcommands);
    fputs(")", out);
}

static void put_profile(FILE *out, const options *o)
{
    fputs("return require('kcost.internal.profile_command').run(", out);
    put_list(out, (const char *const *)o->words + 1, o->word_count - 1);
    fputs(", ", out);
    put_list(out, o->predictions, o->prediction_count);
    fputs(", { ", out);
    put_field(out, "device", options_device(o));
    fputs("})", out);
}

bool oneline_wanted(const options *o) { return o->kernel || o->diff || o->complete || o->profile || o->calibrate; }

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
    else if (o->profile)
        put_profile(out, o);
    else if (o->calibrate)
        put_calibrate(out, o);
    else
        put_kernel(out, o);
    bool whole = fflush(out) == 0 && !ferror(out);
    if (fclose(out) == 0 && whole)
        return code;
    free(code);
    return NULL;
}
