/* test_vm_memory.c: the VM under an allocator that counts, and that refuses the n-th request. */
#include "kcost.h"
#include "unit.h"

typedef struct account {
    size_t bytes, blocks, asked;
    size_t fail_at;   /* the request that is refused; 0: none */
    int for_ever;     /* and all after it */
    int sizes_matter; /* old sizes must be right */
    int wrong;        /* one was not */
} account;

/* A block begins with its size, so that a wrong old_size is noticed. */
typedef union head {
    size_t size;
    max_align_t aligned;
} head;

static void *resize(void *data, void *block, size_t old_size, size_t new_size)
{
    account *a = data;
    head *old = block ? (head *)block - 1 : NULL;
    if (old && old->size != old_size)
        a->wrong++;
    if (new_size == 0) {
        if (old) {
            a->bytes -= old->size;
            a->blocks--;
            free(old);
        }
        return NULL;
    }
    a->asked++;
    if (a->fail_at && (a->asked == a->fail_at || (a->for_ever && a->asked > a->fail_at)))
        return NULL;
    size_t before = old ? old->size : 0;
    head *moved = realloc(old, sizeof(head) + new_size);
    if (!moved)
        return NULL;
    moved->size = new_size;
    a->bytes += new_size - before;
    a->blocks += !block;
    return moved + 1;
}

static const char script[] =
    "local kc = require 'kcost'\n"
    "local size = { i = 128, j = 128, d = 64, e = 64 }\n"
    "local Q, K, V = kc.tensor('Q', 'i d', 'f16', size), kc.tensor('K', 'j d', 'f16', size),\n"
    "  kc.tensor('V', 'j e', 'f16', size)\n"
    "local S = kc.write('S', kc.matmul(kc.read(Q), kc.read(K)))\n"
    "local P = kc.write('P', kc.softmax(kc.read(S), 'j', { online = true }))\n"
    "local O = kc.write('O', kc.matmul(kc.read(P), kc.read(V)))\n"
    "local flash = kc.tile(kc.fuse('flash', { S, P, O }), { i = 64, j = 32 }, { order = 'j', "
    "stages = { K = 3 } })\n"
    "print(flash, kc.lib.report.si(1e9, 'B'))\n"
    "local r = kc.count(flash)\n"
    "local t = r:table()\n"
    "return kc.compare({ kc.program('unfused', { S, P, O }), flash }, { 'h100-sxm5' }), r, 'text', "
    "t.bytes\n";

/* What a sandbox has of its own, and as few requests as that takes. */
static const char small[] = "local t = { 'b', 'a', 'c' }\n"
                            "table.sort(t, function(a, b) return a < b end)\n"
                            "local s = table.concat(t):gsub('%w', string.upper):rep(100, ',')\n"
                            "local co = coroutine.wrap(function(x) return coroutine.yield(x .. ('%5.1f %q'):format(2, s)) end)\n"
                            "print(co(s), pcall(error, {}), xpcall(error, tostring, 'x'), math.random(9))\n"
                            "for k, v in ('a=1, b=2'):gmatch('(%w)=(%w)') do t[k] = tonumber(v) end\n"
                            "return t.a + t.b, s\n";

static kc_status small_life(account *a)
{
    kc_vm_options options = {.resize = resize, .resize_data = a, .memory_limit = 1 << 20, .time_limit = 60, .instruction_limit = 1000000};
    kc_vm *vm = NULL;
    kc_status status = kc_vm_new(&options, &vm);
    if (status == KC_OK)
        status = kc_vm_run(vm, small, sizeof small - 1, "small.lua");
    if (status == KC_OK && !kc_vm_json(vm))
        status = KC_ENOMEM;
    kc_vm_free(vm);
    return status;
}

static kc_status whole_life(account *a, size_t *answers)
{
    kc_vm_options options = {.resize = resize, .resize_data = a, .path = "?.lua"};
    kc_vm *vm = NULL;
    kc_status status = kc_vm_new(&options, &vm);
    if (status == KC_OK)
        status = kc_vm_module(vm, "given", "return 1", 8);
    if (status == KC_OK)
        status = kc_vm_param(vm, "unused", "1"); /* refused below, once everything else went well */
    if (status == KC_OK)
        status = kc_vm_run(vm, script, sizeof script - 1, "memory.lua");
    if (status == KC_EARGUMENT) {
        *answers = 1;
        status = KC_OK;
    }
    if (status == KC_OK && (!kc_vm_json(vm) || !kc_vm_csv(vm, 0)))
        status = KC_ENOMEM;
    kc_vm_free(vm);
    return status;
}

TEST(a_vm_gives_back_every_byte)
{
    account a = {.sizes_matter = 1};
    size_t answers = 0;
    assert_int_equal(whole_life(&a, &answers), KC_OK);
    assert_true(a.asked > 100);
    assert_int_equal(a.bytes, 0);
    assert_int_equal(a.blocks, 0);
    assert_int_equal(a.wrong, 0);
}

TEST(the_models_memory_comes_from_the_hosts_hook)
{
    account a = {0};
    kc_vm_options options = {.resize = resize, .resize_data = &a};
    kc_vm *vm = NULL;
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    static const char big[] = "local kc = require 'kcost'\n"
                              "local v = kc.read(kc.tensor('A', 'i', 'f16', { i = 10 }))\n"
                              "for n = 1, 20000 do v = kc.map('scale', v) end\n"
                              "return kc.write('B', v)\n";
    size_t before = a.bytes;
    assert_int_equal(kc_vm_run(vm, big, sizeof big - 1, "big"), KC_OK);
    assert_true(a.bytes >= before);
    kc_vm_free(vm);
    assert_int_equal(a.blocks, 0);
}

TEST(ten_thousand_vms_one_after_another_leave_nothing)
{
    account a = {0};
    for (int i = 0; i < 10000; i++) {
        kc_vm_options options = {.resize = resize, .resize_data = &a};
        kc_vm *vm = NULL;
        assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
        kc_vm_free(vm);
        assert_int_equal(a.blocks, 0);
    }
    assert_int_equal(a.bytes, 0);
}

static void refuse_every(int for_ever)
{
    size_t requests = 0, answers = 0;
    account whole = {0};
    assert_int_equal(whole_life(&whole, &answers), KC_OK);
    requests = whole.asked;
    /* All of the first, where a VM comes to be; then a sample. */
    size_t step = 1 + requests / 2000;
    for (size_t n = 1; n <= requests; n += n < 500 ? 1 : step) {
        account a = {.fail_at = n, .for_ever = for_ever};
        kc_status status = whole_life(&a, &answers);
        if (status != KC_OK && status != KC_ENOMEM)
            print_error("request %zu of %zu: status %d\n", n, requests, (int)status);
        assert_true(status == KC_OK || status == KC_ENOMEM);
        if (for_ever && n < requests / 2)
            assert_int_equal(status, KC_ENOMEM);
        if (a.blocks)
            print_error("request %zu of %zu: %zu blocks left\n", n, requests, a.blocks);
        assert_int_equal(a.blocks, 0);
    }
}

/* Every one: once, and from then on. */
TEST(a_sandbox_survives_the_refusal_of_any_request)
{
    account whole = {0};
    assert_int_equal(small_life(&whole), KC_OK);
    for (size_t n = 1; n <= whole.asked; n++) {
        account once = {.fail_at = n}, for_ever = {.fail_at = n, .for_ever = 1};
        kc_status status = small_life(&once);
        if (status != KC_OK)
            assert_int_equal(status, KC_ENOMEM);
        assert_int_equal(small_life(&for_ever), KC_ENOMEM);
        assert_int_equal(once.blocks + once.bytes + for_ever.blocks + for_ever.bytes, 0);
    }
}

TEST(a_refused_request_is_an_error_and_leaks_nothing)
{
    refuse_every(0);
}

TEST(an_allocator_that_refuses_from_then_on_is_an_error_and_leaks_nothing)
{
    refuse_every(1);
}

/* The plots of a result, whose n-th request is refused; how many requests there were. */
static size_t plots_refused(size_t n, int for_ever)
{
    static const char ask[] = "local kc = require 'kcost'\n"
                              "local A = kc.tensor('A', 'i', 'f16', { i = 1e6 })\n"
                              "return kc.evaluate(kc.write('B', kc.map('exp', kc.read(A))), 'l4')\n";
    account a = {.for_ever = for_ever};
    kc_vm_options options = {.resize = resize, .resize_data = &a};
    kc_vm *vm = NULL;
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    assert_int_equal(kc_vm_run(vm, ask, sizeof ask - 1, "plot.lua"), KC_OK);
    size_t before = a.asked;
    a.fail_at = n ? before + n : 0;
    const char *plots = kc_vm_plots(vm);
    if (plots)
        assert_contains(plots, "\"plot\":\"roofline\"");
    else
        assert_contains(kc_vm_message(vm), "memory");
    a.fail_at = 0;
    kc_vm_free(vm);
    assert_int_equal(a.blocks, 0);
    return a.asked - before;
}

TEST(plots_that_find_no_memory_are_an_error_and_leak_nothing)
{
    size_t requests = plots_refused(0, 0);
    for (size_t n = 1; n <= requests; n += 1 + requests / 150) {
        plots_refused(n, 0);
        plots_refused(n, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vm_gives_back_every_byte),
        cmocka_unit_test(the_models_memory_comes_from_the_hosts_hook),
        cmocka_unit_test(ten_thousand_vms_one_after_another_leave_nothing),
        cmocka_unit_test(a_sandbox_survives_the_refusal_of_any_request),
        cmocka_unit_test(a_refused_request_is_an_error_and_leaks_nothing),
        cmocka_unit_test(an_allocator_that_refuses_from_then_on_is_an_error_and_leaks_nothing),
        cmocka_unit_test(plots_that_find_no_memory_are_an_error_and_leak_nothing),
    };
    return run(tests);
}
