/* rows.c: reads CSV files of measured kernels. */
#define _POSIX_C_SOURCE 200809L
#include "rows.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const class_names[CLASSES] = { "matmul", "prefill", "decode", "memory", "stencil" };

static row_class class_of(const char *op)
{
    static const char *const collectives = "all_gather all_reduce alltoall reduce_scatter send_recv";
    static const char *const peaks = "matmul_peak cache_read l1_read"; /* a bandwidth or a peak, no kernel */
    if (listed("matmul bmm grouped_matmul", op))
        return MATMUL;
    if (strcmp(op, "attention") == 0)
        return PREFILL;
    if (strcmp(op, "attention_decode") == 0)
        return DECODE;
    if (listed("stencil7_laplacian stencil7_laplacian_large stencil1d_hi_order", op))
        return STENCIL;
    return listed(collectives, op) || listed(peaks, op) ? NO_CLASS : MEMORY;
}

int listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    if (strcmp(list, "*") == 0)
        return 1;
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return 1;
    return 0;
}

double shape_number(const char *shape, const char *key, double absent)
{
    size_t length = strlen(key);
    for (const char *at = shape; at; at = strchr(at, ';'), at = at ? at + 1 : NULL)
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return strtod(at + length + 1, NULL);
    return absent;
}

double counted_bytes(const row *r, int *writes)
{
    double fetched = shape_number(r->notes, "hbm_fetch_gb", 0), all = shape_number(r->notes, "hbm_mb", 0);
    *writes = all > 0;
    return all > 0 ? all * 1e6 : fetched * 1e9;
}

/* Cuts a field off `*line` in place: "a ""quoted"" field" or plain. */
static char *next_field(char **line)
{
    char *at = *line, *start = at, *to = at;
    if (!at)
        return NULL;
    if (*at == '"') {
        for (at++; *at && !(at[0] == '"' && at[1] != '"'); at++) {
            at += *at == '"';
            *to++ = *at;
        }
        at += *at == '"';
    } else {
        while (*at && *at != ',')
            *to++ = *at++;
    }
    *line = *at == ',' ? at + 1 : NULL;
    *to = '\0';
    return start;
}

static void *need(void *block)
{
    if (!block) {
        fputs("accuracy: no memory\n", stderr);
        exit(1);
    }
    return block;
}

/* Is the source among the first `count` rows? */
static int known(const rows *all, size_t count, const char *source)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(all->items[i].source, source) == 0)
            return 1;
    return 0;
}

static void add_row(rows *all, size_t before, char *line)
{
    char *field[9];
    for (int i = 0; i < 9; i++) {
        field[i] = next_field(&line);
        if (!field[i])
            return;
    }
    if (known(all, before, field[0]))
        return;
    if (all->count == all->capacity) {
        all->capacity = all->capacity ? 2 * all->capacity : 4096;
        all->items = need(realloc(all->items, all->capacity * sizeof *all->items));
    }
    row *r = &all->items[all->count++];
    *r = (row){ field[0], field[1], field[2], field[3], field[4], field[8], strtod(field[5], NULL), class_of(field[2]) };
}

static int read_file(rows *all, size_t before, const char *path)
{
    static const char header[] = "source,device,op,dtype,shape,time_us,tflops,gbps,notes";
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (!file)
        return 0;
    int good = getline(&line, &room, file) > 0 && strncmp(line, header, strlen(header)) == 0;
    while (good && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        add_row(all, before, need(strdup(line)));
    }
    free(line);
    fclose(file);
    return good;
}

static int is_csv(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".csv") == 0;
}

size_t rows_read(rows *all, const char *folder)
{
    struct dirent **names;
    size_t files = 0, before = all->count;
    int count = scandir(folder, &names, is_csv, alphasort);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        files += (size_t)read_file(all, before, path);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return files;
}
