/* test_quiet.c: a library that a host embeds leaves the process as it was: nothing on stdout or stderr, no signal
 * handler, no locale. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>

#include "kcost.h"
#include "unit.h"

enum { SIGNALS = 32 };

static void run_scripts(void)
{
    static const char *const texts[] = {
        "local kc = require 'kcost' print('unheard') return kc.lib.gemm.plain { m = 512, n = 512, k = 512 }",
        "local kc = require 'kcost' return kc.best(kc.lib.gemm.plain { m = 512, n = 512, k = 512 }, 'h100-sxm5'):explain()",
        "local kc = require 'kcost' return kc.tensor('A', 'm k', 'f17', { m = 1 })",
        "error { 'no text' }",
        "syntax error",
        "require 'nothing'",
    };
    kc_vm *vm;
    assert_int_equal(kc_vm_new(NULL, &vm), KC_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(kc_vm_run(vm, texts[i], strlen(texts[i]), "quiet"), i < 2 ? KC_OK : KC_ESCRIPT);
    assert_int_equal(kc_vm_run_file(vm, "scripts/flashattn.lua"), KC_OK);
    assert_non_null(kc_vm_json(vm));
    assert_int_equal(kc_vm_run_file(vm, "there/is/no/such/file.lua"), KC_EARGUMENT);
    kc_vm_free(vm);
}

static void use_the_model(void)
{
    kc_context *kc = kc_context_new(NULL, NULL);
    const kc_size size[] = { { "m", 2048 }, { "n", 2048 }, { "k", 2048 } };
    const double tiles[] = { 64, 128, 4096 };
    kc_dtype *f16 = kc_dtype_named(kc, "f16");
    kc_tensor *a = kc_tensor_new(kc, "A", "m k", f16, size, 3), *b = kc_tensor_new(kc, "B", "k n", f16, size, 3);
    kc_value *x = kc_read(a, NULL, NULL, 0, 1, 0), *y = kc_read(b, NULL, NULL, 0, 1, 0), *xy = kc_matmul(x, y, "k", NULL, NULL, NULL);
    kc_tensor *c = kc_write("C", xy, NULL, NULL, NULL, NULL, 0, 1);
    kc_space *space = kc_space_new((kc_object *)c);
    assert_int_equal(kc_space_numbers(space, "tile.m", tiles, 3), KC_OK);
    assert_int_equal(kc_space_numbers(space, "tile.n", tiles, 3), KC_OK);
    assert_int_equal(kc_space_texts(space, "device", (const char *[]){ "h100-sxm5" }, 1), KC_OK);
    kc_sweep *sweep = kc_space_sweep(space, 4, NULL, NULL);
    assert_non_null(sweep);
    assert_null(kc_device_named(kc, "h100-sxm6"));
    assert_null(kc_matmul(x, y, "z", NULL, NULL, NULL));
    kc_device *h100 = kc_device_named(kc, "h100-sxm5");
    kc_result *best = kc_best((kc_object *)c, h100, NULL);
    assert_non_null(kc_result_explain(best));
    void *const made[] = { best, h100, sweep, space, c, xy, y, x, b, a, f16 };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        kc_release(made[i]);
    kc_context_free(kc);
}

/* With stdout and stderr going to a file: how much was written there. */
static off_t written_by(void (*use)(void))
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(NULL);
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    use();
    fflush(NULL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    off_t length = lseek(fileno(file), 0, SEEK_END);
    fclose(file);
    return length;
}

static void handlers(struct sigaction *list)
{
    memset(list, 0, SIGNALS * sizeof *list);
    for (int s = 1; s < SIGNALS; s++)
        sigaction(s, NULL, &list[s]);
}

TEST(nothing_is_written_and_nothing_is_set)
{
    struct sigaction before[SIGNALS], after[SIGNALS];
    sigset_t mask_before, mask_after;
    char locale[64];
    snprintf(locale, sizeof locale, "%s", setlocale(LC_ALL, NULL));
    handlers(before);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
    assert_int_equal(written_by(use_the_model), 0);
    assert_int_equal(written_by(run_scripts), 0);
    handlers(after);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    for (int s = 1; s < SIGNALS; s++) {
        assert_true(before[s].sa_handler == after[s].sa_handler);
        assert_int_equal(sigismember(&mask_before, s), sigismember(&mask_after, s));
    }
    assert_text(setlocale(LC_ALL, NULL), locale);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_written_and_nothing_is_set),
    };
    return run(tests);
}
