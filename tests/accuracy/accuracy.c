/* accuracy.c: predicts every measured kernel of a folder of CSV files and says how far off that is.
 *
 *     make accuracy, or accuracy FOLDER... [options]
 *
 *     -o FILE         every row: source,device,op,dtype,shape,measured_us,predicted_us,calibrated
 *     -c CLASS  -d DEVICE  -s SOURCES  -n N    only these rows; every Nth
 *     -x PATH=VALUE   a figure set on every device
 *     -v              says how each row came about
 *     -f              fits the three constants of one device (-d) and prints them */
#define _DEFAULT_SOURCE

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "score.h"

typedef struct asked {
    const char *output, *kind, *device, *sources, *words;
    char **folders;
    long every;
    bool verbose, fit;
    change changes[32];
    size_t change_count;
} asked;

static rows narrowed(const rows *all, const asked *a)
{
    rows kept = { calloc(all->count + 1, sizeof(row)), 0, all->count };
    long seen = 0;
    for (size_t i = 0; kept.items && i < all->count; i++) {
        const row *r = &all->items[i];
        if ((a->kind && (r->kind >= CLASSES || strcmp(a->kind, class_names[r->kind]) != 0)) ||
            (a->device && strcmp(a->device, r->device) != 0) || (a->sources && !listed(a->sources, r->source)) ||
            (a->words && !strstr(r->shape, a->words) && !listed(a->words, r->op) && !listed(a->words, r->dtype)))
            continue;
        if (seen++ % a->every == 0)
            kept.items[kept.count++] = *r;
    }
    return kept;
}

/* Every processor takes each n-th row; a context belongs to one process. */
static void predict_all(const rows *all, prediction *out, const change *changes, size_t change_count)
{
    long workers = sysconf(_SC_NPROCESSORS_ONLN);
    fflush(NULL);
    for (long w = 0; w < workers; w++)
        if (fork() == 0) {
            machines m = { .context = kc_context_new(NULL, NULL), .changes = changes, .change_count = change_count };
            for (size_t i = (size_t)w; i < all->count; i += (size_t)workers)
                out[i] = predict(&m, &all->items[i]);
            _exit(0);
        }
    int status, failed = 0;
    while (wait(&status) > 0)
        failed |= status;
    if (failed) {
        fputs("accuracy: a worker failed\n", stderr);
        exit(1);
    }
}

static void write_field(FILE *file, const char *text)
{
    if (strpbrk(text, ",\""))
        fprintf(file, "\"%s\",", text);
    else
        fprintf(file, "%s,", text);
}

static int write_rows(const char *path, const rows *all, const prediction *p)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    fputs("source,device,op,dtype,shape,measured_us,predicted_us,calibrated\n", file);
    for (size_t i = 0; i < all->count; i++)
        for (int fitted = 1; fitted >= 0; fitted--) {
            const row *r = &all->items[i];
            if (p[i].what != PREDICTED || !(p[i].us[fitted] > 0))
                continue;
            const char *const texts[] = { r->source, r->device, r->op, r->dtype, r->shape };
            for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
                write_field(file, texts[t]);
            fprintf(file, "%.6g,%.6g,%d\n", r->measured_us, p[i].us[fitted], fitted);
        }
    return fclose(file);
}

/* ---- fitting ------------------------------------------------------------------------------- */

static double badness(const rows *all, prediction *p, const asked *a, const double constants[3])
{
    static const char *const paths[] = { "fitted.matrix", "fitted.hbm", "fitted.fixed" };
    change changes[40];
    memcpy(changes, a->changes, sizeof a->changes);
    for (size_t i = 0; i < 3; i++) {
        snprintf(changes[a->change_count + i].path, sizeof changes[0].path, "%s", paths[i]);
        changes[a->change_count + i].value = constants[i];
    }
    predict_all(all, p, changes, a->change_count + 3);
    return score_fit(all, p, 1);
}

/* Coordinate descent, with steps that halve. */
static void fit(const rows *all, prediction *p, const asked *a)
{
    double x[3] = { 0.72, 0.83, 2.3e-6 }, step[3] = { 0.06, 0.05, 0.8e-6 };
    double best = badness(all, p, a, x);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 3; i++)
            for (int sign = -1; sign <= 1; sign += 2)
                for (;;) {
                    double before = x[i];
                    x[i] = fmin(fmax(1e-9, x[i] + sign * step[i]), i < 2 ? 1 : 1);
                    double now = badness(all, p, a, x);
                    if (!(now < best - 1e-3)) {
                        x[i] = before;
                        break;
                    }
                    best = now;
                }
        printf("matrix %.4f hbm %.4f fixed %.3g s: %.2f %%\n", x[0], x[1], x[2], best);
        for (int i = 0; i < 3; i++)
            step[i] /= 2;
    }
}

static int usage(void)
{
    fputs("usage: accuracy FOLDER... [-o FILE] [-c CLASS] [-d DEVICE] [-s SOURCES] [-w WORDS] [-n N] [-x PATH=VALUE] [-v] [-f]\n",
          stderr);
    return 2;
}

static bool read_arguments(asked *a, int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "o:c:d:s:w:n:x:vf")) != -1) {
        switch (option) {
        case 'o': a->output = optarg; break;
        case 'c': a->kind = optarg; break;
        case 'd': a->device = optarg; break;
        case 's': a->sources = optarg; break;
        case 'w': a->words = optarg; break;
        case 'n': a->every = strtol(optarg, NULL, 10); break;
        case 'v': a->verbose = true; break;
        case 'f': a->fit = true; break;
        case 'x': {
            const char *equals = strchr(optarg, '=');
            if (!equals || a->change_count == sizeof a->changes / sizeof a->changes[0])
                return false;
            change *c = &a->changes[a->change_count++];
            snprintf(c->path, sizeof c->path, "%.*s", (int)(equals - optarg), optarg);
            c->value = strtod(equals + 1, NULL);
            break;
        }
        default: return false;
        }
    }
    a->folders = argv + optind;
    return *a->folders && a->every >= 1;
}

int main(int argc, char **argv)
{
    asked a = { .every = 1 };
    static rows all, kept; /* until the program ends */
    if (!read_arguments(&a, argc, argv))
        return usage();
    size_t files = rows_read(&all, a.folders[0]);
    for (size_t i = 1; files > 0 && a.folders[i]; i++)
        rows_read(&all, a.folders[i]);
    if (files == 0) {
        fprintf(stderr, "accuracy: no measured rows in %s; MEASURED= of make names their folder\n", a.folders[0]);
        return 77;
    }
    kept = narrowed(&all, &a);
    size_t bytes = (kept.count + 1) * sizeof(prediction);
    prediction *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!kept.items || p == MAP_FAILED)
        return 1;
    if (a.verbose) {
        machines m = { .context = kc_context_new(NULL, NULL), .changes = a.changes, .change_count = a.change_count };
        for (size_t i = 0; i < kept.count; i++)
            predict_verbosely(&m, &kept.items[i]);
        return 0;
    }
    if (a.fit) {
        fit(&kept, p, &a);
        return 0;
    }
    settings_print();
    predict_all(&kept, p, a.changes, a.change_count);
    score_print(&kept, p);
    if (a.output && write_rows(a.output, &kept, p) != 0) {
        perror(a.output);
        return 1;
    }
    return 0;
}
