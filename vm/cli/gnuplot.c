/* gnuplot.c: running gnuplot: a script in, a picture out, by files without a name; no shell. */
#define _POSIX_C_SOURCE 200809L

#include "gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"

extern char **environ;

/* The three streams of the program: 0 its script, 1 the picture, 2 what it complains of. */
typedef struct streams {
    FILE *of[3];
} streams;

static bool open_streams(streams *s)
{
    bool good = true;
    for (int i = 0; i < 3; i++) {
        s->of[i] = tmpfile();
        if (!s->of[i] && errno == ENOMEM)
            output_lacks_memory();
        good = good && s->of[i];
    }
    return good;
}

static void close_streams(streams *s)
{
    for (int i = 0; i < 3; i++)
        if (s->of[i])
            fclose(s->of[i]);
}

/* -d: nobody's own settings. */
static int spawn(const streams *s, pid_t *child)
{
    char program[] = "gnuplot", defaults[] = "-d";
    char *arguments[] = { program, defaults, NULL };
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    int error = 0;
    for (int i = 0; i < 3 && !error; i++)
        error = posix_spawn_file_actions_adddup2(&actions, fileno(s->of[i]), i);
    if (!error)
        error = posix_spawnp(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool ended_well(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* gnuplot's first line that is not an empty one. */
static const char *complaint(FILE *from)
{
    static char text[300];
    rewind(from);
    snprintf(text, sizeof text, "gnuplot failed");
    char line[200];
    while (fgets(line, sizeof line, from)) {
        line[strcspn(line, "\n")] = '\0';
        plot_whole(line); /* it may quote our script */
        if (line[strspn(line, " \t^")]) {
            snprintf(text, sizeof text, "gnuplot failed: %s", line + strspn(line, " \t"));
            break;
        }
    }
    return text;
}

static char *run(chart *c, streams *s, size_t *length, const char **wrong)
{
    pid_t child;
    chart_write(c, s->of[0]);
    if (fflush(s->of[0]) != 0 || fseek(s->of[0], 0, SEEK_SET) != 0) {
        *wrong = "no room for a script for gnuplot in the folder for temporary files";
        return NULL;
    }
    int error = spawn(s, &child);
    if (error == ENOENT) {
        *wrong = "plots are drawn by gnuplot, which is not there: install it (Debian: gnuplot-nox), or take the "
                 "numbers with --plot-data FILE.csv";
        return NULL;
    }
    if (error) {
        if (error == ENOMEM)
            output_lacks_memory();
        *wrong = strerror(error);
        return NULL;
    }
    if (!ended_well(child)) {
        *wrong = complaint(s->of[2]);
        return NULL;
    }
    rewind(s->of[1]);
    char *picture = output_read(s->of[1], length);
    if (!picture)
        output_lacks_memory();
    if (!picture || *length == 0) {
        free(picture);
        *wrong = complaint(s->of[2]);
        return NULL;
    }
    return picture;
}

char *gnuplot_draw(chart *c, size_t *length, const char **wrong)
{
    streams s = { { NULL, NULL, NULL } };
    char *picture = NULL;
    *wrong = "no temporary file could be opened";
    if (open_streams(&s))
        picture = run(c, &s, length, wrong);
    close_streams(&s);
    return picture;
}
