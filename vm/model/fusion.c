/* fusion.c: which kernels of a program are worth fusing, and what that saves: untiled against untiled. */
#include <stdio.h>
#include <string.h>

#include "advice.h"
#include "kernels.h"
#include "si.h"

/* Runs of more kernels, and of programs with more, are not tried. */
enum { LONGEST_RUN = 8, MOST_KERNELS = 128, MOST_SAVED = 16 };

typedef struct run {
    double saved, kept;             /* seconds, bytes; saved 0: it is no use */
    size_t end;
} run;

typedef struct fusion {
    const kc_result *program;
    double untiled[MOST_KERNELS];   /* time of each kernel without its schedule; 0: not known */
    run chosen[MOST_KERNELS];       /* that begins there */
    double total[MOST_KERNELS + 1]; /* saved by the best runs from there on */
    kc_status status;
} fusion;

static kc_kernel *kernel_at(const fusion *f, size_t i)
{
    return (kc_kernel *)(void *)f->program->kernels[i]->x;
}

static bool reads(const kc_kernel *kernel, const char *name)
{
    for (size_t t = 0; t < kernel->graph.tensor_count; t++)
        if (kernel->graph.tensors[t].read && strcmp(kernel->graph.tensors[t].name, name) == 0)
            return true;
    return false;
}

static bool read_within(const fusion *f, size_t first, size_t end, const char *name)
{
    for (size_t i = first; i < end; i++)
        if (reads(kernel_at(f, i), name))
            return true;
    return false;
}

/* Does kernel i read what one of the run before it wrote? */
static bool follows(const fusion *f, size_t first, size_t i)
{
    for (size_t before = first; before < i; before++) {
        const kc_kernel *writer = kci_named_as(kernel_at(f, before));
        for (size_t t = 0; t < writer->tensor_count; t++)
            if (reads(kernel_at(f, i), kc_object_name((const kc_object *)(const void *)writer->tensors[t])))
                return true;
    }
    return false;
}

/* What is written, read in the run and read outside of it too: it stays written. */
static size_t saved(const fusion *f, size_t first, size_t end, const char **names)
{
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        const kc_kernel *k = kci_named_as(kernel_at(f, i));
        for (size_t t = 0; t < k->tensor_count && count < MOST_SAVED; t++) {
            const char *name = kc_object_name((const kc_object *)(const void *)k->tensors[t]);
            if (read_within(f, first, end, name) &&
                (read_within(f, 0, first, name) || read_within(f, end, f->program->kernel_count, name)))
                names[count++] = name;
        }
    }
    return count;
}

static double time_of(fusion *f, kc_kernel *kernel, double *bytes)
{
    kc_result *r = kernel ? kci_ask((kc_object *)(void *)kernel, f->program->of, f->program->options, "explain") : NULL;
    double time = r ? r->field[KC_TIME] : 0;
    if (r && bytes)
        *bytes = r->field[KC_BYTES];
    if (!r && kc_context_status(f->program->base.context) == KC_ENOMEM)
        f->status = KC_ENOMEM;
    kc_release(r);
    return time;
}

static void time_untiled(fusion *f)
{
    for (size_t i = 0; i < f->program->kernel_count && f->status == KC_OK; i++) {
        kc_kernel *k = kernel_at(f, i), *plain = k->member_count ? NULL : kci_kernel_scheduled(k, NULL);
        f->untiled[i] = k->member_count ? 0 : time_of(f, plain, NULL);
        kc_release(plain);
    }
}

/* "S, P and O" */
static void name_run(const fusion *f, size_t first, size_t end, char *out, size_t room)
{
    size_t length = 0;
    for (size_t i = first; i < end && length < room; i++) {
        const char *before = i == first ? "" : i + 1 == end ? " and " : ", ";
        int added = snprintf(out + length, room - length, "%s%.40s", before, f->program->kernels[i]->name);
        length += added > 0 ? (size_t)added : 0;
    }
}

static run try_run(fusion *f, size_t first, size_t end)
{
    kc_context *context = f->program->base.context;
    kc_object *parts[LONGEST_RUN];
    const char *save[MOST_SAVED];
    run none = { 0, 0, end };
    double apart = 0, before = 0, bytes = 0, moved = 0, times = f->program->kernels[first]->times;
    for (size_t i = first; i < end; i++) {
        const kc_result *k = f->program->kernels[i];
        parts[i - first] = k->x;
        apart += f->untiled[i];
        before += k->field[KC_TIME];
        moved += k->field[KC_BYTES_MIN];
    }
    size_t save_count = saved(f, first, end, save);
    kc_kernel *fused = kc_fuse(context, "fused", parts, end - first, save, save_count);
    if (!fused && kc_context_status(context) == KC_ENOMEM)
        f->status = KC_ENOMEM;
    double together = fused ? time_of(f, fused, &bytes) : 0;
    kc_release(fused);
    if (!(together > 0) || together >= apart)
        return none;
    /* Of what the run takes now, the share that fusing saves untiled. */
    return (run){ before * (1 - together / apart), moved - times * bytes, end };
}

/* May kernel i join the run? */
static bool joins(const fusion *f, size_t first, size_t i)
{
    return f->untiled[i] > 0 && follows(f, first, i) && f->program->kernels[first]->times == f->program->kernels[i]->times;
}

/* From the last kernel to the first: leave it alone, or begin the run with it that saves most together
 * with the best that follows. */
static void choose_runs(fusion *f)
{
    size_t count = f->program->kernel_count;
    f->total[count] = 0;
    for (size_t first = count; first-- > 0;) {
        f->total[first] = f->total[first + 1];
        f->chosen[first] = (run){ 0, 0, first + 1 };
        for (size_t i = first + 1; f->untiled[first] > 0 && i < count && i - first < LONGEST_RUN; i++) {
            if (f->status != KC_OK || !joins(f, first, i))
                break;
            run tried = try_run(f, first, i + 1);
            if (tried.saved <= 0 || tried.saved + f->total[i + 1] <= f->total[first])
                continue;
            f->chosen[first] = tried;
            f->total[first] = tried.saved + f->total[i + 1];
        }
    }
}

static void say_runs(const fusion *f, kci_advice *best)
{
    char names[240] = "", more[48] = "", kept[KCI_SI_BYTES];
    double bytes = 0, most = 0;
    size_t runs = 0;
    for (size_t i = 0; i < f->program->kernel_count; i = f->chosen[i].end) {
        if (!(f->chosen[i].saved > 0))
            continue;
        bytes += f->chosen[i].kept;
        runs++;
        if (f->chosen[i].saved > most) {
            most = f->chosen[i].saved;
            name_run(f, i, f->chosen[i].end, names, sizeof names);
        }
    }
    if (runs == 0)
        return;
    if (runs > 1)
        snprintf(more, sizeof more, ", and %zu more run%s of kernels", runs - 1, runs == 2 ? "" : "s");
    kci_si(kept, bytes, "B");
    best->time = f->program->field[KC_TIME] - f->total[0];
    snprintf(best->what, sizeof best->what, "%s fused%s, so that %s stay on chip (untiled beside untiled; tiles must fit)",
             names, more, kept);
}

kc_status kci_advise_fusion(const kc_result *program, kci_advice *best)
{
    if (program->kernel_count > MOST_KERNELS)
        return KC_OK;
    fusion f = { .program = program, .status = KC_OK };
    time_untiled(&f);
    if (f.status == KC_OK)
        choose_runs(&f);
    if (f.status == KC_OK)
        say_runs(&f, best);
    return f.status;
}
