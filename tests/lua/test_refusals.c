/* test_refusals.c: scripts whose n-th request for memory is refused: once, and from then on.
 *
 * Each run ends in an error that says so or, where what was refused could be done without, as it would have; every
 * byte is given back.  Ten scripts are tried for all n where KCOST_REFUSALS=all is set (make oom); all others, and
 * these otherwise, for so many n as it says, spread by a fixed rule. */
#include "kcost.h"
#include "unit.h"

#include <glob.h>
#include <stdbool.h>

#include "account.h"

enum { MOST_TEXT = 64 << 10, SPREAD = 300 };

typedef struct tally {
    size_t tried, refused, served, faults;
} tally;

typedef struct script {
    const char *path;
    char text[MOST_TEXT];
    size_t length;
} script;

static void read_script(script *s, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    s->path = path;
    s->length = fread(s->text, 1, sizeof s->text, file);
    fclose(file);
    assert_true(s->length < sizeof s->text);
}

/* From a VM's making to its end. */
static kc_status life(account *a, const script *s, char *said, size_t size)
{
    const kc_vm_options options = { .resize = account_resize, .resize_data = a };
    kc_vm *vm = NULL;
    kc_status status = kc_vm_new(&options, &vm);
    said[0] = '\0';
    if (status == KC_OK) {
        status = kc_vm_run(vm, s->text, s->length, s->path);
        snprintf(said, size, "%s", kc_vm_message(vm));
        if (status == KC_OK && kc_vm_json(vm) == NULL)
            status = KC_ENOMEM;
    }
    kc_vm_free(vm);
    return status;
}

static void try_one(const script *s, kc_status whole, size_t n, int for_ever, tally *t)
{
    char said[400];
    account a = { .refuse = n, .for_ever = for_ever };
    kc_status status = life(&a, s, said, sizeof said);
    bool memory = status == KC_ENOMEM || (status == KC_ESCRIPT && strstr(said, "memory") != NULL);
    t->tried++;
    t->refused += memory;
    t->served += status == whole && !memory;
    if ((!memory && status != whole) || a.bytes != 0 || a.blocks != 0) {
        if (t->faults++ < 5)
            print_error("%s, request %zu%s: status %d, %zu bytes left: %s\n", s->path, n, for_ever ? " and all after it" : "",
                        (int)status, a.bytes, said);
    }
}

/* `count` of its requests (0: all). */
static void try_script(const char *path, size_t count, tally *t)
{
    static script s;
    char said[400];
    account a = { 0 };
    read_script(&s, path);
    kc_status whole = life(&a, &s, said, sizeof said);
    if (whole != KC_OK)
        print_error("%s: %s\n", path, said);
    assert_int_equal(a.bytes, 0);
    size_t requests = a.asked, step = count == 0 || requests <= count ? 1 : requests / count;
    for (size_t n = 1; n <= requests; n += step)
        for (int for_ever = 0; for_ever < 2; for_ever++)
            try_one(&s, whole, n + (step > 1 ? n * 7919 % step : 0), for_ever, t);
}

/* Small ones: all n of a script with r requests is r runs. */
static bool is_whole(const char *path)
{
    static const char *const whole[] = { "roofline101", "gemm_levels", "norm_fusion", "overlap", "softmax_passes", "gqa", "depthwise",
                                         "mlp_fusion", "wave_quantization", "device_whatif" };
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strstr(path, whole[i]) != NULL)
            return true;
    return false;
}

TEST(a_script_survives_the_refusal_of_any_request)
{
    const char *wanted = getenv("KCOST_REFUSALS");
    bool all = wanted != NULL && strcmp(wanted, "all") == 0;
    size_t count = all ? SPREAD : (size_t)environment_number("KCOST_REFUSALS", 3);
    size_t step = environment_number("KCOST_RANDOM", 0) > 0 ? 6 : 1; /* where everything is slower, a part of them */
    glob_t files;
    tally t = { 0 };
    assert_int_equal(glob("scripts/*.lua", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i += step)
        try_script(files.gl_pathv[i], all && is_whole(files.gl_pathv[i]) ? 0 : count, &t);
    print_message("%zu requests refused in %zu scripts: %zu runs ended for it, %zu did without\n", t.tried, files.gl_pathc,
                  t.refused, t.served);
    globfree(&files);
    assert_int_equal(t.faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_script_survives_the_refusal_of_any_request) };
    return run(tests);
}
