/* attack.h: the scripts of tests/attacks, for the tests and the benchmark. */
#ifndef ATTACK_H
#define ATTACK_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"

#define ATTACKS "tests/attacks"

enum { MOST_ATTACKS = 256 };

/* The pairs of limits that they are held to. */
typedef struct attack_limits {
    double seconds;
    size_t megabytes;
} attack_limits;
static const attack_limits all_limits[] = { { 0.2, 16 }, { 0.5, 64 }, { 0.5, 4 } };
enum { PAIRS = sizeof all_limits / sizeof *all_limits };

typedef struct attack {
    char name[64];
    char text[16384];
    size_t length;
    char expect[96], vm[16];
    int twice; /* in one VM */
} attack;

static inline void attack_line(const char *text, const char *what, char *line, size_t size)
{
    const char *at = strstr(text, what);
    snprintf(line, size, "%.*s", at ? (int)strcspn(at + strlen(what), "\n") : 0, at ? at + strlen(what) : "");
}

/* NULL: it can't be read. */
static inline attack *attack_read(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, ATTACKS "/%.63s", name);
    FILE *file = fopen(path, "rb");
    attack *a = file ? calloc(1, sizeof *a) : NULL;
    if (a) {
        snprintf(a->name, sizeof a->name, "%.63s", name);
        a->length = fread(a->text, 1, sizeof a->text - 1, file);
        attack_line(a->text, "-- expect: ", a->expect, sizeof a->expect);
        attack_line(a->text, "-- vm: ", a->vm, sizeof a->vm);
        a->twice = strstr(a->text, "twice in one VM") != NULL;
    }
    if (file)
        fclose(file);
    return a;
}

static inline int attack_compare(const void *a, const void *b)
{
    return strcmp((*(attack *const *)a)->name, (*(attack *const *)b)->name);
}

/* Those whose names begin so and that are for this engine, by name; how many.  Each engine's programs are built in a
 * folder of its name. */
static inline size_t attacks_read(attack **attacks, const char *prefix, const char *program)
{
    size_t count = 0;
    const char *engine = strstr(program, "luajit") ? "luajit" : "lua54";
    DIR *folder = opendir(ATTACKS);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL && count < MOST_ATTACKS;) {
        if (!strstr(entry->d_name, ".lua") || strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        attack *a = attack_read(entry->d_name);
        if (a && (strcmp(a->vm, "any") == 0 || strcmp(a->vm, engine) == 0))
            attacks[count++] = a;
        else
            free(a);
    }
    if (folder)
        closedir(folder);
    qsort(attacks, count, sizeof *attacks, attack_compare);
    return count;
}

#endif
