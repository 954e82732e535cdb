/* test_refusals.c: scripts, wrong scripts, and files of models, profiles and devices, in a VM whose n-th request for memory is
 * refused, once or from then on.
 *
 * Each run ends in an error that says so or, where what was refused could be done without, as it would have: what it
 * prints, says and answers is the same, byte for byte.  After some errors the same VM runs it again, and that is the same
 * too; in the end every byte is given back.
 *
 * KCOST_REFUSALS=all (make oom) tries all n of ten scripts, once and from then on, and 300 n of all else, drawn from
 * KCOST_SEED, by turns; else one n of each.  KCOST_SUITE=word: only files whose paths have it. */
#include "kcost.h"
#include "unit.h"

#include <glob.h>
#include <stdbool.h>

#include "account.h"

enum { MOST_TEXT = 64 << 10, MANY = 300, MOST_SAID = 400, EVERY = 16, EVERY_DRAWN = 4 /* error is followed by another run */ };

typedef struct tally {
    size_t texts, tried, refused, served, faults;
} tally;

typedef struct script {
    char path[1024], text[MOST_TEXT];
    size_t length;
    bool import; /* of a file, which it reads */
    bool catches; /* it catches errors, so that what it does next may follow from a refusal */
} script;

/* How a run went, with a sum over what it printed, said and answered. */
typedef struct outcome {
    kc_status status;
    uint64_t sum;
    char said[MOST_SAID];
} outcome;

static void add_to_sum(void *sum, const char *text, size_t length)
{
    uint64_t *s = sum;
    for (size_t i = 0; i < length; i++)
        *s = (*s ^ (unsigned char)text[i]) * 1099511628211u;
}

static void run_once(kc_vm *vm, const script *s, uint64_t *printed, outcome *o)
{
    *printed = 14695981039346656037u;
    o->status = kc_vm_run(vm, s->text, s->length, s->path);
    const char *answer = o->status == KC_OK ? kc_vm_json(vm) : kc_vm_message(vm);
    if (answer == NULL) {
        o->status = KC_ENOMEM;
        answer = kc_vm_message(vm);
    }
    snprintf(o->said, sizeof o->said, "%s", kc_vm_message(vm));
    o->sum = *printed;
    add_to_sum(&o->sum, answer, strlen(answer));
}

static bool same(const outcome *a, const outcome *b)
{
    return a->status == b->status && a->sum == b->sum;
}

static bool for_want_of_memory(const outcome *o)
{
    return o->status == KC_ENOMEM || (o->status == KC_ESCRIPT && strstr(o->said, "not enough memory") != NULL);
}

/* From a VM's making to its end; `again`: a run that found no memory is run once more, and that is *after. */
static outcome life(account *a, const script *s, bool again, outcome *after)
{
    uint64_t printed;
    const kc_vm_options options = { .resize = account_resize, .resize_data = a, .print = add_to_sum, .print_data = &printed,
                                    .trusted = 1, .path = "." };
    kc_vm *vm = NULL;
    outcome o = { .status = kc_vm_new(&options, &vm) };
    if (o.status == KC_OK)
        run_once(vm, s, &printed, &o);
    a->refuse = 0;
    *after = o;
    if (vm && again && for_want_of_memory(&o))
        run_once(vm, s, &printed, after);
    kc_vm_free(vm);
    return o;
}

static void report(const script *s, size_t n, int for_ever, const char *what, const outcome *o, const account *a)
{
    print_error("%s, request %zu%s: %s: status %d, %zu bytes and %zu blocks left, %zu sizes misstated: %s\n", s->path, n,
                for_ever ? " and all after it" : "", what, (int)o->status, a->bytes, a->blocks, a->misstated, o->said);
}

static void try_one(const script *s, const outcome *whole, size_t n, int for_ever, bool again, tally *t)
{
    account a = { .refuse = n, .for_ever = for_ever };
    outcome after, o = life(&a, s, again, &after);
    bool memory = for_want_of_memory(&o), vm_made = o.said[0] != '\0';
    const char *fault = NULL;
    if (a.bytes != 0 || a.blocks != 0 || a.misstated != 0)
        fault = "not all is given back";
    else if (!memory && !same(&o, whole) && !(s->catches && a.refused > 0))
        fault = "neither an error of memory nor as it would have been";
    else if (memory && again && vm_made && !same(&after, whole))
        fault = "not the same when run again";
    t->tried++;
    t->refused += memory;
    t->served += !memory;
    if (fault && t->faults++ < 20)
        report(s, n, for_ever, fault, same(&o, &after) ? &o : &after, &a);
}

/* ---- which n ------------------------------------------------------------------------------------------------------- */

static uint64_t chance;

/* `count` of its requests, 0: all. */
static void try_script(const script *s, size_t count, tally *t)
{
    account a = { 0 };
    outcome after, whole = life(&a, s, false, &after);
    assert_int_equal(a.bytes, 0);
    assert_false(for_want_of_memory(&whole));
    if (s->import && whole.status != KC_OK)
        fail_msg("%s: %s", s->path, whole.said);
    t->texts++;
    for (size_t n = 1; count == 0 && n <= a.asked; n++)
        for (int for_ever = 0; for_ever < 2; for_ever++)
            try_one(s, &whole, n, for_ever, n % EVERY == 0, t);
    for (size_t i = 0; i < count; i++)
        try_one(s, &whole, account_draw(&chance, a.asked), (int)((t->texts + i) % 2), i % EVERY_DRAWN == 0, t);
}

/* ---- which texts ----------------------------------------------------------------------------------------------------- */

static void read_text(script *s, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    s->length = fread(s->text, 1, sizeof s->text - 1, file);
    s->text[s->length] = '\0';
    fclose(file);
    assert_true(s->length < sizeof s->text - 1);
}

/* The `format`, with the path in place of its %s; NULL: the file itself. */
static void set_script(script *s, const char *path, const char *format)
{
    snprintf(s->path, sizeof s->path, "%s", path);
    if (format) {
        int length = snprintf(s->text, sizeof s->text, format, path);
        s->length = (size_t)length;
    } else {
        read_text(s, path);
    }
    s->import = format != NULL;
    s->catches = strstr(s->text, "pcall") != NULL;
}

/* Small ones: all n of a script with r requests is r runs. */
static bool is_whole(const char *path)
{
    static const char *const whole[] = {
        "scripts/gemm_levels.lua", "scripts/wave_quantization.lua", "scripts/depthwise.lua", "scripts/backward.lua",
        "scripts/tile_sweep.lua",  "scripts/flashattn.lua",         "scripts/gqa.lua",       "scripts/softmax_passes.lua",
        "scripts/norm_fusion.lua", "scripts/mlp_fusion.lua",
    };
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(path, whole[i]) == 0)
            return true;
    return false;
}

/* What the command asks of a model's file; what a profile shows; a device. */
static const char model[] = "local kc = require 'kcost'\n"
                            "return require('kcost.internal.command').run('%s', { { 'batch', '2' }, { 'seq', '64' }, { 'cached', '500' } }, { device = 'h100-sxm5' })\n",
                  profile[] = "local kc = require 'kcost'\n"
                              "local p = kc.load_profile('%s')\n"
                              "print(p)\n"
                              "return p\n",
                  device[] = "local kc = require 'kcost'\n"
                             "local id = ('%s'):match('([^/]*)%%.lua$')\n"
                             "if id == 'defaults' then return 0 end\n"
                             "local d = kc.device(id)\n"
                             "print(d, d.hbm.bandwidth)\n"
                             "return d\n";

static const struct source {
    const char *pattern, *format;
} sources[] = {
    { "scripts/*.lua", NULL },
    { "tests/wrong/*.lua", NULL },
    { "tests/data/models/*.json", model },
    { "SHARED/reference/models/*.json", model },
    { "tests/data/profiles/*.*", profile },
    { "SHARED/reference/profiles/*", profile },
    { "devices/*.lua", device },
};

static void find(const struct source *source, glob_t *files)
{
    char pattern[1024];
    const char *shared = getenv("SHARED");
    bool own = strncmp(source->pattern, "SHARED", 6) != 0;
    snprintf(pattern, sizeof pattern, "%s%s", own ? "" : shared && *shared ? shared : "../shared", source->pattern + (own ? 0 : 6));
    int status = glob(pattern, 0, NULL, files);
    if (status == GLOB_NOMATCH)
        print_message("skipped: there is no %s\n", pattern);
    assert_true(status == 0 || (status == GLOB_NOMATCH && !own));
}

static void try_source(const struct source *source, bool all, tally *t)
{
    static script s;
    size_t step = environment_number("KCOST_RANDOM", 0) > 0 ? 6 : 1; /* where everything is slower, a part of them */
    const char *only = getenv("KCOST_SUITE");
    tally own = { 0 };
    glob_t files = { 0 };
    find(source, &files);
    for (size_t i = 0; i < files.gl_pathc; i += step) {
        const char *path = files.gl_pathv[i];
        if (only && !strstr(path, only))
            continue;
        set_script(&s, path, source->format);
        try_script(&s, !all ? 1 : is_whole(path) ? 0 : MANY, &own);
    }
    globfree(&files);
    print_message("%s: %zu files, %zu requests refused: %zu runs ended for it, %zu did without\n", source->pattern, own.texts,
                  own.tried, own.refused, own.served);
    t->tried += own.tried;
    t->faults += own.faults;
}

TEST(a_script_survives_the_refusal_of_any_request)
{
    const char *wanted = getenv("KCOST_REFUSALS");
    double seed = environment_number("KCOST_SEED", 1);
    tally t = { 0 };
    chance = (uint64_t)seed * 0x9E3779B97F4A7C15u + 1;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        try_source(&sources[i], wanted != NULL && strcmp(wanted, "all") == 0, &t);
    print_message("seed %.0f: %zu requests refused\n", seed, t.tried);
    assert_int_equal(t.faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_script_survives_the_refusal_of_any_request) };
    return run(tests);
}
