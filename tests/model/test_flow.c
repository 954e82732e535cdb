/* test_flow.c: fused programs compute what they did: random programs, run by name before and after kc_fuse_all.
 *
 * Memory is a number a name, what a kernel writes a number made of its step and of what it reads; so a read of what is no
 * longer written, or of what was overwritten too early, gives another number.  KCOST_RANDOM: how many; KCOST_SEED: the
 * first seed. */
#include "program.h"
#include "reads.h"
#include "workbench.h"

enum { NAMES = 8, MOST_STEPS = 16, MOST_RUNS = 64 };

/* ---- running a program ------------------------------------------------------------------------------ */

static const char *const names[NAMES] = { "a", "b", "c", "d", "e", "f", "g", "h" };

typedef struct machine {
    uint64_t memory[NAMES], part[NAMES];    /* of each name, and of a part of it */
    uint64_t made[MOST_STEPS][MOST_RUNS];   /* what each step computed, each time */
    size_t runs[MOST_STEPS];
} machine;

static uint64_t mix(uint64_t a, uint64_t b)
{
    return (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9u;
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

/* -1: a weight. */
static int place_of(const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (name[0] == names[i][0] && (name[1] == '\0' || name[1] == ':'))
            return i;
    return -1;
}

static uint64_t load(const machine *m, const char *name)
{
    int at = place_of(name);
    if (at < 0)
        return hash_of(name);
    return name[1] == ':' ? m->part[at] : m->memory[at];
}

static void store(machine *m, const char *name, uint64_t value)
{
    int at = place_of(name);
    bool part = name[1] == ':';
    m->memory[at] = part ? mix(m->memory[at], value) : value;
    m->part[at] = part ? value : mix(hash_of(name), value);
}

typedef struct running {
    machine *m;
    const kc_kernel *kernel;
    const kc_tensor *done[MOST_STEPS];      /* tensors of this launch … */
    uint64_t values[MOST_STEPS];            /* … and what they are */
    size_t count;
    uint64_t sum;
} running;

static uint64_t compute(running *r, const kc_tensor *tensor);

static bool inside(const kc_kernel *kernel, const kc_tensor *tensor)
{
    bool found = false;
    for (size_t i = 0; i < kernel->fused_count; i++)
        found = found || kernel->fused[i] == tensor;
    return found;
}

static kc_status add_read(void *data, const kc_value *read)
{
    running *r = data;
    uint64_t sum = r->sum, value = inside(r->kernel, read->tensor) ? compute(r, read->tensor) : load(r->m, read->tensor->name);
    r->sum = mix(sum, value);
    return KC_OK;
}

/* The step is the number in the label of the tensor's last op. */
static uint64_t compute(running *r, const kc_tensor *tensor)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->done[i] == tensor)
            return r->values[i];
    kci_seen passed = { .count = 0 };
    uint64_t before = r->sum;
    int step = atoi(tensor->value->label + 1);
    r->sum = (uint64_t)step;
    assert_int_equal(kci_visit_reads(context, tensor->value, &passed, add_read, r), KC_OK);
    kci_seen_free(context, &passed);
    uint64_t value = r->sum;
    r->sum = before;
    r->done[r->count] = tensor;
    r->values[r->count++] = value;
    assert_true(r->m->runs[step] < MOST_RUNS);
    r->m->made[step][r->m->runs[step]++] = value;
    return value;
}

/* All that is read is read before anything is written. */
static void launch(machine *m, const kc_kernel *kernel)
{
    running r = { .m = m, .kernel = kernel };
    for (size_t i = 0; i < kernel->tensor_count; i++)
        compute(&r, kernel->tensors[i]);
    for (size_t i = 0; i < kernel->tensor_count; i++)
        store(m, kernel->tensors[i]->name, compute(&r, kernel->tensors[i]));
}

static void run_program(machine *m, const kc_program *program)
{
    for (size_t i = 0; i < program->part_count; i++)
        for (double n = 0; n < program->parts[i].times; n++) {
            const kc_object *part = program->parts[i].object;
            if (part->kind == KC_KERNEL)
                launch(m, (const kc_kernel *)(const void *)part);
            else
                run_program(m, (const kc_program *)(const void *)part);
        }
}

/* ---- random programs -------------------------------------------------------------------------------------- */

static int number(int lo, int hi)
{
    return (int)chance(lo, hi);
}

static kc_tensor *latest[NAMES];            /* that some step wrote last under the name, as a whole; NULL */

/* The tensor that was written last, a leaf of its name, one of another shape, or a part of it. */
static kc_value *any_input(void)
{
    int at = number(0, NAMES - 1), how = number(0, 29);
    char name[16];
    if (how < 14 && latest[at])
        return read_of(latest[at]);
    snprintf(name, sizeof name, "%s%s", names[at], how == 29 ? ": p" : "");
    return how == 28 ? reduce("sum", read_of(tensor(name, "r=4 s=16 k=32", "f16")), "r s")
                    : read_of(tensor(name, "t=64 k=32", "f16"));
}

/* NULL: it would read what it writes. */
static kc_kernel *random_step(int step)
{
    char label[16], name[16];
    int at = number(0, NAMES - 1), part = number(0, 19) == 0;
    kc_value *x = any_input(), *value = x;
    switch (number(0, 5)) {
    case 0:
        value = map2("mul", x, reduce("sum", x, "k"));
        break;
    case 1:
        value = softmax(x, "k", 0);
        break;
    case 2:
        value = matmul(x, read_of(tensor("W", "k=32 n=32", "f16")), "k");
        value = map2("add", value, any_input()); 
        value = reduce("sum", value, "n");
        break;
    case 3:
        value = map2("add", x, any_input());
        break;
    default:
        break;
    }
    snprintf(label, sizeof label, "s%d", step);
    snprintf(name, sizeof name, "%s%s", names[at], part ? ": p" : "");
    const kc_cost cost = { 1, 0 };
    kc_value *both[] = { value, read_of(tensor("T", "t=64 k=32", "f16")) };
    value = keep(kc_map(label, both, 2, &cost));
    kc_tensor *written = keep(kc_write(name, value, dtype_of("f16"), "t k", NULL, NULL, 0, 1));
    kc_kernel *kernel = kc_kernel_new(context, NULL, &written, 1);
    if (kernel)
        latest[at] = part ? NULL : written; /* beside a part, what was written whole is not all that is there */
    return kernel ? keep(kernel) : NULL;
}

/* Steps from *step on; some of them repeated, or programs within. */
static kc_program *random_sequence(int *step, int depth)
{
    kc_object *parts[8];
    size_t count = 0, most = (size_t)number(2, 6);
    while (count < most && *step < MOST_STEPS) {
        if (depth > 0 && number(0, 5) == 0) {
            for (int i = 0; i < NAMES; i++)
                latest[i] = NULL; /* a loop finds what it wrote itself: by name */
            kc_program *inner = random_sequence(step, depth - 1);
            for (int i = 0; i < NAMES; i++)
                latest[i] = NULL;
            if (inner)
                parts[count++] = object(number(0, 1) ? keep(kc_times(object(inner), number(1, 3))) : inner);
        } else {
            kc_kernel *kernel = random_step((*step)++);
            if (kernel)
                parts[count++] = object(kernel);
        }
    }
    return count ? keep(kc_program_new(context, "random", parts, count)) : NULL;
}

typedef struct tally {
    size_t programs, groups, failed;
} tally;

static double figure(const kc_result *r, kc_field field)
{
    double value = -1;
    assert_int_equal(kc_result_number(r, field, &value), KC_OK);
    return value;
}

static size_t groups_of(const kc_result *r)
{
    size_t count = 0;
    for (size_t i = 0; i < kc_result_fusions(r); i++)
        count += kc_result_fusion_refused(r, i) == NULL;
    return count;
}

/* What goes wrong with p, fused to r; NULL: nothing. */
static const char *wrong(kc_program *p, const kc_result *r, kc_device *device)
{
    static machine before, after;
    kc_object *made = keep(kc_result_best(r));
    const kc_result *best = keep(kc_best(object(p), device, NULL)), *again = keep(kc_fuse_all(made, device, NULL, 0, NULL));
    before = after = (machine){ .memory = { 1, 2, 3, 4, 5, 6, 7, 8 } };
    run_program(&before, p);
    run_program(&after, (const kc_program *)(const void *)made);
    for (int step = 0; step < MOST_STEPS; step++)
        if (before.runs[step] != after.runs[step] || memcmp(before.made[step], after.made[step], sizeof before.made[step]) != 0)
            return "some step computes something else";
    if (figure(r, KC_TIME) > figure(best, KC_TIME) * (1 + 1e-12) || figure(r, KC_BYTES) > figure(best, KC_BYTES) * (1 + 1e-12))
        return "it takes longer or moves more";
    return groups_of(again) > 0 || figure(again, KC_TIME) != figure(r, KC_TIME) ? "fused again, it changes" : NULL;
}

static void check(uint64_t seed, tally *t)
{
    int steps = 0;
    chance_state = seed * 0x2545f4914f6cdd1du + 1;
    memset(latest, 0, sizeof latest);
    kc_program *p = random_sequence(&steps, 2);
    if (p) {
        kc_device *device = keep(kc_device_named(context, "h100-sxm5"));
        kc_result *r = keep(kc_fuse_all(object(p), device, NULL, 0, NULL));
        const char *what = wrong(p, r, device);
        t->groups += groups_of(r);
        t->programs++;
        t->failed += what != NULL;
        if (what)
            print_error("seed %llu: %s\n%s\n", (unsigned long long)seed, what, kc_object_text(object(r)));
    }
    drop_kept();
}

TEST(a_fused_program_computes_what_it_did_and_gains)
{
    double most = environment_number("KCOST_RANDOM", 20000) / 20;
    uint64_t seed = (uint64_t)environment_number("KCOST_SEED", 1);
    tally t = { 0, 0, 0 };
    for (double i = 0; i < most; i++)
        check(seed++, &t);
    print_message("%zu programs, %zu groups\n", t.programs, t.groups);
    assert_int_equal(t.failed, 0);
    assert_true(most < 100 || t.groups > t.programs / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { fact(a_fused_program_computes_what_it_did_and_gains) };
    return run(tests);
}
