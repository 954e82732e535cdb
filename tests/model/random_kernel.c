/* random_kernel.c: draws a kernel of some family under any schedule. */
#include "random_kernel.h"

#include "random_maker.h"

/* Families of both lists, in order; those past the end: NULL. */
static const family *family_at(int i)
{
    const family *f = plain_families;
    for (; f->name != NULL && i > 0; f++)
        i--;
    if (f->name != NULL)
        return f;
    for (f = masked_families; f->name != NULL && i > 0; f++)
        i--;
    return f->name != NULL ? f : NULL;
}

int random_families(void)
{
    int count = 0;
    while (family_at(count) != NULL)
        count++;
    return count;
}

const char *random_family_name(int i) { return family_at(i)->name; }

static const char *loop_name(const kc_kernel *kernel, size_t l)
{
    return kci_name(kernel->graph.context, kernel->graph.loops[l].name);
}

static kc_schedule *schedule(maker *m, const kc_kernel *kernel)
{
    kc_schedule *s = keep(m, kc_schedule_new(m->context));
    const kci_graph *graph = &kernel->graph;
    size_t loops = graph->loop_count, order[KCI_MAX_LOOPS];
    char grid[256] = "", sequence[256] = "";
    kci_set reduced = 0, across = 0;
    if (s == NULL || loops == 0)
        return s;
    for (size_t n = 0; n < graph->node_count; n++)
        reduced |= graph->nodes[n].reduced;
    for (size_t l = 0; l < loops; l++) {
        double size = graph->loops[l].size;
        int most = chance(m, 50) ? (int)size : (int)(size + 1) / 2;
        if (chance(m, 90) && kc_schedule_tile(s, loop_name(kernel, l), chance(m, 20) ? size : number(m, 1, most)))
            return NULL;
        order[l] = l;
        if (chance(m, (reduced & KCI_BIT(l)) ? 7 : 45))
            across |= KCI_BIT(l);
    }
    for (size_t i = loops - 1; i > 0; i--) {
        size_t k = (size_t)number(m, 0, (int)i), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    for (size_t i = 0; i < loops; i++) {
        char *list = (across & KCI_BIT(order[i])) ? grid : sequence;
        if (list == sequence && chance(m, 10))
            continue;
        snprintf(list + strlen(list), 256 - strlen(list), "%s%s", *list ? " " : "", loop_name(kernel, order[i]));
    }
    bool own_grid = chance(m, 85);
    if (own_grid && kc_schedule_grid(s, grid))
        return NULL;
    if (own_grid && chance(m, 85) && kc_schedule_order(s, sequence))
        return NULL;
    if (chance(m, 12)) {
        size_t l = (size_t)number(m, 0, (int)loops - 1);
        if ((reduced & KCI_BIT(l)) && !(across & KCI_BIT(l)) && kc_schedule_split(s, loop_name(kernel, l), number(m, 2, 4)))
            return NULL;
    }
    if (chance(m, 40) && kc_schedule_combine(s, chance(m, 50) ? "atomic" : "kernel"))
        return NULL;
    if (chance(m, 12)) {
        const char *name = graph->tensors[number(m, 0, (int)graph->tensor_count - 1)].name;
        if (strchr(name, '.') == NULL && kc_schedule_hold(s, name))
            return NULL;
    }
    return s;
}

/* Drops what was held on the way. */
static kc_kernel *make(maker *m, const family *which)
{
    kc_context *context = m->context;
    kc_kernel *kernel = NULL, *tiled = NULL;
    for (int d = 0; d < DIMS; d++) {
        m->names[d][0] = (char)('a' + d);
        m->size[d] = (kc_size){ m->names[d], number(m, 1, chance(m, 35) ? 9 : 6) };
    }
    which->make(m);
    bool all = m->part_count > 0;
    if (all && m->fuses) {
        const char *save[MOST_PARTS];
        size_t saves = 0;
        for (size_t i = 0; i + 1 < m->part_count; i++)
            if (chance(m, m->saves))
                save[saves++] = kc_object_name((kc_object *)m->parts[i]);
        kernel = keep(m, kc_fuse(context, "random", (kc_object *const *)m->parts, m->part_count, save, saves));
    } else if (all) {
        kernel = keep(m, kc_kernel_new(context, "random", m->parts, m->part_count));
    }
    if (kernel != NULL && chance(m, 4))
        tiled = kc_retain(kernel);
    for (int tries = 0; tries < 4 && kernel != NULL && tiled == NULL; tries++) {
        kc_schedule *s = schedule(m, kernel);
        if (s != NULL)
            tiled = kc_tile((kc_object *)kernel, s);
    }
    while (m->held_count > 0)
        kc_release(m->held[--m->held_count]);
    return tiled;
}

kc_kernel *random_kernel_of(kc_context *context, uint64_t seed, int which)
{
    maker m = { .context = context, .state = seed * 0x2545f4914f6cdd1du + 1, .saves = 15 };
    return make(&m, family_at(which));
}

kc_kernel *random_kernel_from(kc_context *context, const uint8_t *bytes, size_t size)
{
    maker m = { .context = context, .state = 1, .bytes = bytes, .left = size, .saves = 15 };
    return make(&m, family_at(number(&m, 0, random_families() - 1)));
}

kc_kernel *random_kernel(kc_context *context, uint64_t seed)
{
    return random_kernel_of(context, seed, (int)((seed * 0x9e3779b97f4a7c15u >> 32) % (uint64_t)random_families()));
}
