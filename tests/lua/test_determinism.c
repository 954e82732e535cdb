/* test_determinism.c: a script gives the same bytes of JSON in each run, however many threads sweep, whatever the
 * allocator, and on both engines, whose bytes tests/golden keeps. */
#include "kcost.h"
#include "unit.h"

static const char *const scripts[] = {
    "flashattn_tiles", "backward",  "tile_sweep",  "decode_split", "depthwise",      "device_whatif", "flashattn",
    "gemm_levels",     "gqa",       "mla",         "largest_batch", "mlp_fusion",    "moe_batch",     "norm_fusion",
    "overlap",         "ski_slope", "roofline101", "speculative",  "softmax_passes", "quantised_weights",
    "wave_quantization",
};

/* Never the same address twice in a row, and nothing in a fresh block is zero. */
static void *moving(void *data, void *block, size_t old_size, size_t new_size)
{
    size_t *turn = data;
    void *fresh = NULL;
    if (new_size > 0) {
        fresh = malloc(new_size + 64 + ++*turn % 7 * 16);
        if (!fresh)
            return NULL;
        memset(fresh, 0x5A, new_size);
        if (block)
            memcpy(fresh, block, old_size < new_size ? old_size : new_size);
    }
    free(block);
    return fresh;
}

static kc_vm *new_vm(kc_resize resize, void *data, unsigned threads)
{
    kc_vm_options options = { .resize = resize, .resize_data = data };
    kc_vm *vm;
    assert_int_equal(kc_vm_new(&options, &vm), KC_OK);
    assert_int_equal(kc_vm_threads(vm, threads), KC_OK);
    return vm;
}

/* It takes the longest, and no less at full size. */
static void make_small(kc_vm *vm, const char *script)
{
    if (strcmp(script, "ski_slope") == 0) {
        assert_int_equal(kc_vm_param(vm, "n", "64"), KC_OK);
        assert_int_equal(kc_vm_param(vm, "rows", "64"), KC_OK);
    }
}

static const char *json_of(kc_vm *vm, const char *script)
{
    char path[256];
    snprintf(path, sizeof path, "scripts/%s.lua", script);
    if (kc_vm_run_file(vm, path) != KC_OK)
        print_error("%s\n", kc_vm_message(vm));
    assert_text(kc_vm_message(vm), "");
    return kc_vm_json(vm);
}

/* What tests/golden keeps of it; of what is made small: what the first VM says. */
static void load_kept(char *kept, size_t size, const char *script)
{
    char path[256];
    snprintf(path, sizeof path, "tests/golden/%s.json", script);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(kept, 1, size - 1, file);
    fclose(file);
    while (length > 0 && kept[length - 1] == '\n')
        length--;
    kept[length] = '\0';
}

static void gives(kc_vm *vm, const char *script, const char *want)
{
    make_small(vm, script);
    const char *got = json_of(vm, script);
    if (strcmp(got, want) != 0)
        print_error("%s: other bytes\n", script);
    assert_true(strcmp(got, want) == 0);
}

TEST(runs_engines_threads_and_allocators_make_no_difference)
{
    static char kept[1 << 20];
    size_t count = a_few_of(sizeof scripts / sizeof *scripts);
    for (size_t i = 0; i < count; i++) {
        size_t turn = i;
        kc_vm *plain = new_vm(NULL, NULL, 1), *other = new_vm(moving, &turn, 3);
        load_kept(kept, sizeof kept, scripts[i]);
        if (strcmp(scripts[i], "ski_slope") == 0) {
            make_small(plain, scripts[i]);
            snprintf(kept, sizeof kept, "%s", json_of(plain, scripts[i]));
        }
        gives(plain, scripts[i], kept);
        gives(other, scripts[i], kept);
        kc_vm_free(plain);
        kc_vm_free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_engines_threads_and_allocators_make_no_difference),
    };
    return run(tests);
}
