/* test_host.c: what a host may not ask of a VM, and the files that it lets a script read. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "kcost.h"
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

static kc_status run_text(kc_vm *vm, const char *text)
{
    return kc_vm_run(vm, text, strlen(text), "test.lua");
}

/* ---- what may not be asked ----------------------------------------------------------- */

TEST(no_vm_has_nothing)
{
    int more = 0;
    assert_int_equal(kc_vm_new(NULL, NULL), KC_EARGUMENT);
    assert_int_equal(kc_vm_run(NULL, "", 0, NULL), KC_EARGUMENT);
    assert_int_equal(kc_vm_run_file(NULL, "x"), KC_EARGUMENT);
    assert_int_equal(kc_vm_line(NULL, "", 0, NULL, &more), KC_EARGUMENT);
    assert_int_equal(kc_vm_param(NULL, "n", "1"), KC_EARGUMENT);
    assert_int_equal(kc_vm_module(NULL, "m", "", 0), KC_EARGUMENT);
    assert_int_equal(kc_vm_threads(NULL, 1), KC_EARGUMENT);
    assert_int_equal(kc_vm_shard(NULL, 1, 1), KC_EARGUMENT);
    assert_int_equal(kc_vm_watch(NULL, NULL, NULL), KC_EARGUMENT);
    assert_int_equal(kc_vm_add_answer(NULL, NULL), KC_EARGUMENT);
    assert_int_equal(kc_vm_limit(NULL), KC_NO_LIMIT);
    assert_int_equal(kc_vm_answers(NULL), 0);
    assert_text(kc_vm_message(NULL), "");
    assert_text(kc_vm_traceback(NULL), "");
    assert_null(kc_vm_answer(NULL, 0));
    assert_null(kc_vm_answer_text(NULL, 0));
    assert_null(kc_vm_json(NULL));
    assert_null(kc_vm_csv(NULL, 0));
    assert_null(kc_vm_plots(NULL));
    kc_vm_interrupt(NULL);
    kc_vm_free(NULL);
}

TEST(what_is_missing_is_the_callers_mistake_and_changes_nothing)
{
    int more = 0;
    kc_vm *vm = NULL;
    assert_int_equal(kc_vm_new(NULL, &vm), KC_OK);
    assert_int_equal(run_text(vm, "return 5"), KC_OK);
    assert_int_equal(kc_vm_run(vm, NULL, 0, NULL), KC_EARGUMENT);
    assert_int_equal(kc_vm_run_file(vm, NULL), KC_EARGUMENT);
    assert_int_equal(kc_vm_line(vm, NULL, 0, NULL, &more), KC_EARGUMENT);
    assert_int_equal(kc_vm_line(vm, "", 0, NULL, NULL), KC_EARGUMENT);
    assert_int_equal(kc_vm_param(vm, NULL, "1"), KC_EARGUMENT);
    assert_int_equal(kc_vm_param(vm, "n", NULL), KC_EARGUMENT);
    assert_int_equal(kc_vm_module(vm, NULL, "", 0), KC_EARGUMENT);
    assert_int_equal(kc_vm_module(vm, "m", NULL, 0), KC_EARGUMENT);
    assert_int_equal(kc_vm_shard(vm, 0, 1), KC_EARGUMENT);
    assert_int_equal(kc_vm_shard(vm, 2, 1), KC_EARGUMENT);
    assert_int_equal(kc_vm_add_answer(vm, NULL), KC_EARGUMENT);
    assert_text(kc_vm_json(vm), "5");
    assert_null(kc_vm_answer(vm, 1));
    kc_vm_free(vm);
}

/* What a host is told when it asks out of print, while the script runs: 1 bit a call. */
typedef struct meddler {
    kc_vm *vm;
    unsigned refused, asked;
} meddler;

static void meddle(void *data, const char *text, size_t length)
{
    meddler *m = data;
    int more = 0;
    const kc_status said[] = {
        kc_vm_run(m->vm, text, length, NULL), kc_vm_run_file(m->vm, "x"), kc_vm_line(m->vm, text, length, NULL, &more),
        kc_vm_param(m->vm, "n", "1"), kc_vm_module(m->vm, "m", "", 0), kc_vm_threads(m->vm, 1), kc_vm_shard(m->vm, 1, 1),
        kc_vm_watch(m->vm, NULL, NULL), kc_vm_add_answer(m->vm, kc_vm_answer(m->vm, 0)),
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        m->refused += said[i] == KC_EARGUMENT;
    m->asked += sizeof said / sizeof *said;
    assert_null(kc_vm_plots(m->vm));
    kc_vm_free(m->vm);
}

TEST(a_vm_that_runs_takes_no_other_call)
{
    meddler m = { 0 };
    const kc_vm_options options = { .print = meddle, .print_data = &m };
    assert_int_equal(kc_vm_new(&options, &m.vm), KC_OK);
    assert_int_equal(run_text(m.vm, "print('x') return 7"), KC_OK);
    assert_true(m.asked > 0);
    assert_int_equal(m.refused, m.asked);
    assert_text(kc_vm_json(m.vm), "7");
    kc_vm_free(m.vm);
}

TEST(an_answer_without_csv_says_so_and_one_without_text_has_none)
{
    kc_vm *vm = NULL;
    assert_int_equal(kc_vm_new(NULL, &vm), KC_OK);
    assert_int_equal(run_text(vm, "return {}"), KC_OK);
    assert_text(kc_vm_json(vm), "[]");
    assert_text(kc_vm_csv(vm, 0), "");
    assert_null(kc_vm_answer_shown(vm, 0));
    kc_vm_free(vm);
}

/* ---- files --------------------------------------------------------------------------- */

static char folder[] = "/tmp/kcost_host_XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[4][256];
    static size_t next;
    char *at = path[next++ % 4];
    snprintf(at, sizeof *path, "%s/%s", folder, name);
    return at;
}

static const char *write_file(const char *name, const char *text)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static kc_vm *with_path(int trusted)
{
    const kc_vm_options options = { .trusted = trusted, .path = folder };
    kc_vm *vm = NULL;
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    return vm;
}

/* The script's answers, or what it fails with. */
static const char *outcome(const char *text)
{
    static char said[1024];
    kc_vm *vm = with_path(1);
    kc_status status = run_text(vm, text);
    snprintf(said, sizeof said, "%s", status == KC_OK ? kc_vm_json(vm) : kc_vm_message(vm));
    kc_vm_free(vm);
    return said;
}

TEST(a_mark_of_utf8_and_a_first_line_of_a_shell_are_no_lua)
{
    static const struct {
        const char *text, *json;
    } files[] = {
        { "\xEF\xBB\xBFreturn 1", "1" }, { "\xEF\xBB\xBF#!kcost\nreturn 2", "2" }, { "#!kcost", "[]" }, { "", "[]" }, { "#\nreturn 3", "3" },
    };
    kc_vm *vm = with_path(0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(kc_vm_run_file(vm, write_file("script.lua", files[i].text)), KC_OK);
        assert_text(kc_vm_json(vm), files[i].json);
    }
    assert_int_equal(kc_vm_run_file(vm, folder), KC_EARGUMENT);
    assert_contains(kc_vm_message(vm), "cannot read");
    kc_vm_free(vm);
}

TEST(a_module_of_the_path_is_run_once_and_tells_of_its_errors)
{
    write_file("plain.lua", "count = (count or 0) + 1");
    write_file("ring.lua", "return require 'gnir'");
    write_file("gnir.lua", "return require 'ring'");
    write_file("wrong.lua", "\nlocal x = = 1");
    assert_text(outcome("return require 'plain', require 'plain'"), "[true,true]");
    assert_contains(outcome("return require 'ring'"), "require: the module 'ring' is being loaded already");
    assert_contains(outcome("return require 'wrong'"), "wrong.lua:2:");
    assert_contains(outcome("return require 'nowhere'"), "there is no module 'nowhere' beside the script, nor on the path");
    assert_contains(outcome("return require '../etc'"), "the name '../etc' is none of a module");
    assert_contains(outcome("require()"), "the name is nothing");
}

/* As the stdlib's own, its error and assert are at the script's line. */
TEST(the_path_may_replace_a_file_of_the_stdlib)
{
    assert_int_equal(mkdir(in_folder("stdlib"), 0700), 0);
    write_file("stdlib/gemm.lua", "local m = {}\n"
                                  "function m.size(n) assert(n, 'a size is wanted') return assert(n) end\n"
                                  "function m.bare(n) return assert(n) end\n"
                                  "function m.odd(n) assert(n, { 'no text' }) end\n"
                                  "function m.raise(what) error(what) end\n"
                                  "return m");
#define GEMM "local gemm = require('kcost').lib.gemm\n"
    assert_text(outcome(GEMM "return gemm.size(3)"), "3");
    assert_text(outcome(GEMM "local n = gemm.size()\nreturn n"), "test.lua:2: a size is wanted");
    assert_text(outcome(GEMM "local n = gemm.bare(false)\nreturn n"), "test.lua:2: assertion failed!");
    assert_text(outcome(GEMM "local good, e = pcall(gemm.odd)\nreturn good, e[1]"), "[false,\"no text\"]");
    assert_text(outcome(GEMM "gemm.raise('no')\n"), "test.lua:2: no");
    assert_text(outcome(GEMM "local good, e = pcall(gemm.raise, { 'no text' })\nreturn good, e[1]"), "[false,\"no text\"]");
    remove(in_folder("stdlib/gemm.lua"));
    rmdir(in_folder("stdlib"));
}

TEST(a_sandbox_reads_none_of_it)
{
    write_file("chip.lua", "return { name = 'chip', vector = { f32 = 1e12 }, hbm = { bandwidth = 1e11 } }");
    write_file("x.json", "[1]");
    kc_vm *vm = with_path(0);
    static const char *const calls[] = { "device('%s/chip.lua')", "load_json('%s/x.json')", "load_profile('%s/x.json')" };
    char text[512], call[256];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        snprintf(call, sizeof call, calls[i], folder);
        snprintf(text, sizeof text, "return require('kcost').%s", call);
        assert_int_equal(run_text(vm, text), KC_ESCRIPT);
        assert_contains(kc_vm_message(vm), "this script may not read files");
    }
    kc_vm_free(vm);
    snprintf(text, sizeof text, "local kc = require 'kcost' return kc.device('%s/chip.lua').name, kc.load_json('%s/x.json')[1]", folder, folder);
    assert_text(outcome(text), "[\"chip\",1]");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = { "script.lua", "plain.lua", "ring.lua", "gnir.lua", "wrong.lua", "chip.lua", "x.json" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(in_folder(names[i]));
    rmdir(folder);
    strcpy(strrchr(folder, '_'), "_XXXXXX");
    return 0;
}

#define filed(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_vm_has_nothing),
        cmocka_unit_test(what_is_missing_is_the_callers_mistake_and_changes_nothing),
        cmocka_unit_test(a_vm_that_runs_takes_no_other_call),
        cmocka_unit_test(an_answer_without_csv_says_so_and_one_without_text_has_none),
        filed(a_mark_of_utf8_and_a_first_line_of_a_shell_are_no_lua),
        filed(a_module_of_the_path_is_run_once_and_tells_of_its_errors),
        filed(the_path_may_replace_a_file_of_the_stdlib),
        filed(a_sandbox_reads_none_of_it),
    };
    return run(tests);
}
