/* plot_read.c: plots out of their JSON.  A script may return any table as a plot, so all of it is checked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS       /* linear time on any text that is not nested deeply */
#include <jsmn.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct block {
    struct block *next;
    max_align_t room[];
} block;

typedef struct reader {
    const char *text;
    block *blocks;                  /* of the plot at hand */
    const char *wrong;
} reader;

/* Zeroed memory that goes with the plot; where there is none, the plot is given up. */
static void *reserve(reader *r, size_t size)
{
    block *b = calloc(1, sizeof *b + size);
    if (!b) {
        r->wrong = "";
        return NULL;
    }
    b->next = r->blocks;
    r->blocks = b;
    return b->room;
}

static void *wrong(reader *r, const char *sentence)
{
    if (!r->wrong)
        r->wrong = sentence;
    return NULL;
}

/* Behind the value at `token`. */
static const jsmntok_t *behind(const jsmntok_t *token)
{
    int end = token->end;
    do
        token++;
    while (token->end != 0 && token->start < end);
    return token;
}

/* The member of an object; NULL: there is none. */
static const jsmntok_t *member(const reader *r, const jsmntok_t *object, const char *name)
{
    const jsmntok_t *key = object + 1;
    for (int i = 0; object->type == JSMN_OBJECT && i < object->size; i++) {
        if ((size_t)(key->end - key->start) == strlen(name) &&
            strncmp(r->text + key->start, name, strlen(name)) == 0)
            return key + 1;
        key = behind(key + 1);
    }
    return NULL;
}

/* What no picture or terminal may get: control characters above ASCII become blanks, as those below do, and U+FFFE and
 * U+FFFF, which no XML may hold, U+FFFD. */
static void tame(char *text)
{
    unsigned char *to = (unsigned char *)text;
    for (const unsigned char *at = to; *at; at++) {
        if (at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0) {
            *to++ = ' ';
            at++;
        } else if (at[0] == 0xEF && at[1] == 0xBF && at[2] >= 0xBE) {
            memcpy(to, "\xef\xbf\xbd", 3);
            to += 3;
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
}

/* A text's escapes only make it shorter; of \u only control characters occur. */
static const char *text_at(reader *r, const jsmntok_t *token)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    size_t length = (size_t)(token->end - token->start), at = 0;
    char *copy = reserve(r, length + 1);
    for (size_t i = 0; copy && i < length; i++) {
        char c = r->text[token->start + (int)i];
        if (c == '\\' && i + 1 < length) {
            c = r->text[token->start + (int)++i];
            const char *letter = strchr(letters, c);
            if (letter)
                c = meant[letter - letters];
            else if (c == 'u') {
                c = ' ';
                i += 4;
            }
        }
        copy[at++] = (unsigned char)c < ' ' ? ' ' : c;
    }
    if (copy)
        tame(copy);
    return copy;
}

static const char *text_of(reader *r, const jsmntok_t *object, const char *name, const char *otherwise)
{
    const jsmntok_t *token = member(r, object, name);
    if (!token)
        return otherwise ? otherwise : wrong(r, "a title, name, mark or kind of axis is missing");
    if (token->type == JSMN_PRIMITIVE || token->type == JSMN_STRING)
        return text_at(r, token);
    return wrong(r, "a name, title, mark, unit or scale is a table, and a text is wanted");
}

static double number_of(reader *r, const jsmntok_t *object, const char *name, double otherwise)
{
    const jsmntok_t *token = member(r, object, name);
    if (!token)
        return otherwise;
    char first = r->text[token->start];
    if (token->type == JSMN_PRIMITIVE && (first == '-' || (first >= '0' && first <= '9')))
        return strtod(r->text + token->start, NULL);
    wrong(r, "x, y, z, from, to, value, size, number and group are numbers");
    return otherwise;
}

/* Whole and small: a number of a dot, or a group. */
static int whole_of(reader *r, const jsmntok_t *object, const char *name, int otherwise)
{
    double number = number_of(r, object, name, otherwise);
    if (number >= 0 && number < 1e6)
        return (int)number;
    wrong(r, "number and group are whole numbers from 0");
    return otherwise;
}

static bool flag_of(const reader *r, const jsmntok_t *object, const char *name)
{
    const jsmntok_t *token = member(r, object, name);
    return token && r->text[token->start] == 't';
}

/* A list's items; of a table without one nothing. */
static const jsmntok_t *list_of(reader *r, const jsmntok_t *object, const char *name, size_t *count)
{
    const jsmntok_t *token = member(r, object, name);
    *count = 0;
    if (!token || (token->type == JSMN_OBJECT && token->size == 0))
        return NULL;
    if (token->type != JSMN_ARRAY)
        return wrong(r, "series, points, columns, notes, names and values are lists");
    *count = (size_t)token->size;
    return token + 1;
}

static const char **texts_of(reader *r, const jsmntok_t *object, const char *name, size_t *count)
{
    const jsmntok_t *item = list_of(r, object, name, count);
    const char **texts = reserve(r, (*count + 1) * sizeof *texts);
    for (size_t i = 0; texts && i < *count; i++, item = behind(item))
        texts[i] = text_at(r, item);
    return texts;
}

static int word_of(reader *r, const jsmntok_t *object, const char *name, const char *const *words, size_t count,
                   const char *sentence)
{
    const char *text = text_of(r, object, name, NULL);
    for (size_t i = 0; text && i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return (int)i;
    wrong(r, sentence);
    return 0;
}

static void read_axis(reader *r, const jsmntok_t *object, axis *a)
{
    static const char *const scales[] = { "linear", "log", "names" };
    a->name = text_of(r, object, "name", NULL);
    a->title = text_of(r, object, "title", a->name);
    a->unit = text_of(r, object, "unit", "");
    a->scale = (scale)word_of(r, object, "scale", scales, COUNT(scales), "an axis' scale is linear, log or names");
    a->from = number_of(r, object, "from", 0);
    a->to = number_of(r, object, "to", 1);
    a->names = texts_of(r, object, "names", &a->name_count);
    const char *best = text_of(r, object, "best", "low");
    a->high_is_best = best && strcmp(best, "high") == 0;
    if (!(a->to > a->from) && a->scale != NAMES)
        a->to = a->from > 0 ? a->from * 2 : a->from + 1; /* one value only */
    if (a->scale == LOG && !(a->from > 0))
        wrong(r, "a log axis begins above 0");
}

static void read_values(reader *r, const jsmntok_t *object, size_t columns, point *p)
{
    size_t count;
    const jsmntok_t *item = list_of(r, object, "values", &count);
    if (count == 0 || count != columns)
        return;
    p->values = reserve(r, count * sizeof *p->values);
    for (size_t i = 0; p->values && i < count; i++, item = behind(item)) {
        if (item->type == JSMN_PRIMITIVE)
            p->values[i].number = strtod(r->text + item->start, NULL);
        else
            p->values[i].text = text_at(r, item);
    }
}

static void read_series(reader *r, const jsmntok_t *object, const figure *plot, series *s)
{
    static const char *const marks[] = { "line", "dash", "step", "curve", "arrow", "ridge", "dot",
                                         "square", "triangle", "ring", "bar", "cell", "hatch", "frame" };
    s->name = text_of(r, object, "name", "");
    s->of = text_of(r, object, "of", "");
    s->mark = (mark_kind)word_of(r, object, "mark", marks, COUNT(marks), "a series' mark is none that plots have");
    s->group = whole_of(r, object, "group", 0);
    s->strong = flag_of(r, object, "strong");
    s->value = number_of(r, object, "value", NAN);
    s->unit = text_of(r, object, "unit", "");
    const jsmntok_t *item = list_of(r, object, "points", &s->count);
    s->points = reserve(r, (s->count + 1) * sizeof *s->points);
    for (size_t i = 0; s->points && i < s->count && !r->wrong; i++, item = behind(item)) {
        point *p = &s->points[i];
        p->x = number_of(r, item, "x", NAN);
        p->y = number_of(r, item, "y", NAN);
        p->z = number_of(r, item, "z", NAN);
        p->size = fmin(fmax(number_of(r, item, "size", 0), 0), 1);
        p->number = whole_of(r, item, "number", 0);
        p->group = whole_of(r, item, "group", s->group);
        p->name = text_of(r, item, "name", "");
        read_values(r, item, plot->column_count, p);
        if (isnan(p->x) || isnan(p->y))
            wrong(r, "a point lacks its x or y");
    }
}

static void read_columns(reader *r, const jsmntok_t *object, figure *plot)
{
    const jsmntok_t *item = list_of(r, object, "columns", &plot->column_count);
    plot->columns = reserve(r, (plot->column_count + 1) * sizeof *plot->columns);
    for (size_t i = 0; plot->columns && i < plot->column_count; i++, item = behind(item))
        plot->columns[i] = (plot_column){ text_of(r, item, "name", NULL), text_of(r, item, "unit", "") };
}

/* NULL: the reader says what is wrong, and has its memory. */
static figure *read_plot(reader *r, const jsmntok_t *object)
{
    figure *plot = reserve(r, sizeof *plot);
    if (!plot)
        return NULL;
    plot->which = text_of(r, object, "plot", "");
    plot->title = text_of(r, object, "title", "");
    plot->notes = texts_of(r, object, "notes", &plot->note_count);
    const jsmntok_t *x = member(r, object, "x"), *y = member(r, object, "y"), *z = member(r, object, "z");
    if (!x || !y)
        return wrong(r, "x and y, its axes, are missing");
    read_axis(r, x, &plot->x);
    read_axis(r, y, &plot->y);
    plot->has_z = z != NULL;
    if (z)
        read_axis(r, z, &plot->z);
    read_columns(r, object, plot);
    const jsmntok_t *item = list_of(r, object, "series", &plot->count);
    plot->series = reserve(r, (plot->count + 1) * sizeof *plot->series);
    for (size_t i = 0; plot->series && i < plot->count && !r->wrong; i++, item = behind(item))
        read_series(r, item, plot, &plot->series[i]);
    return r->wrong ? NULL : plot;
}

static void free_blocks(block *b)
{
    while (b) {
        block *next = b->next;
        free(b);
        b = next;
    }
}

void plot_free(figure *plot)
{
    if (plot)
        free_blocks(plot->blocks);
}

void plots_free(figure **plots, size_t count)
{
    for (size_t i = 0; plots && i < count; i++)
        plot_free(plots[i]);
    free(plots);
}

/* The plot at `token` with all its memory; NULL: the reader says why. */
static figure *take_plot(reader *r, const jsmntok_t *token)
{
    r->blocks = NULL;
    figure *plot = read_plot(r, token);
    if (plot)
        plot->blocks = r->blocks;
    else
        free_blocks(r->blocks);
    return plot;
}

/* The tokens of a text, one of zeros behind them; NULL: no memory. */
static jsmntok_t *tokens_of(const char *json)
{
    jsmn_parser parser;
    jsmn_init(&parser);
    int found = jsmn_parse(&parser, json, strlen(json), NULL, 0);
    jsmntok_t *tokens = found > 0 ? calloc((size_t)found + 1, sizeof *tokens) : NULL;
    jsmn_init(&parser);
    if (tokens)
        jsmn_parse(&parser, json, strlen(json), tokens, (unsigned)found);
    return tokens;
}

figure *plot_read(const char *json, const char **wrong)
{
    jsmntok_t *tokens = tokens_of(json);
    reader r = { .text = json };
    figure *plot = tokens ? take_plot(&r, tokens) : NULL;
    *wrong = r.wrong ? r.wrong : "";
    free(tokens);
    return plot;
}

figure **plots_read(const char *json, size_t *count, const char **wrong)
{
    jsmntok_t *tokens = tokens_of(json);
    reader r = { .text = json };
    *count = tokens ? (size_t)tokens->size : 0;
    figure **plots = tokens ? calloc(*count + 1, sizeof *plots) : NULL;
    const jsmntok_t *item = tokens + 1;
    bool good = plots != NULL;
    for (size_t i = 0; good && i < *count; i++, item = behind(item))
        good = (plots[i] = take_plot(&r, item)) != NULL;
    *wrong = r.wrong ? r.wrong : "";
    free(tokens);
    if (good)
        return plots;
    plots_free(plots, *count);
    return NULL;
}
