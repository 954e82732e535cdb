/* fuzz_words.c: the small languages of the C API: index strings, dtypes, lists of dims, `where`, conditions, sweeps
 * read back.  The first byte says which; the rest is the text. */
#include "bytes.h"

#include "kcost.h"

static const kc_size sizes[] = { { "m", 96 }, { "n", 64 }, { "k", 32 }, { "p", 9 }, { "r", 3 } };
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct bench {
    kc_context *context;
    kc_device *device;
    kc_tensor *a, *product;
} bench;

static bench new_bench(account *h)
{
    bench w = { .context = kc_context_new(account_resize, h) };
    kc_dtype *f16 = kc_dtype_named(w.context, "f16");
    w.a = kc_tensor_new(w.context, "A", "m k", f16, sizes, SIZES);
    kc_tensor *b = kc_tensor_new(w.context, "B", "k n", f16, sizes, SIZES);
    kc_value *x = kc_read(w.a, NULL, NULL, 0, 1, 0), *y = kc_read(b, NULL, NULL, 0, 1, 0);
    kc_value *xy = kc_matmul(x, y, "k", NULL, NULL, NULL);
    w.product = kc_write("C", xy, NULL, NULL, NULL, NULL, 0, 1);
    w.device = kc_device_named(w.context, "h100-sxm5");
    kc_release(xy), kc_release(x), kc_release(y), kc_release(b), kc_release(f16);
    if (w.product == NULL || w.device == NULL)
        found("no bench");
    return w;
}

/* NULL or not, a handle is as it should be: shown, counted, let go. */
static void use(void *object)
{
    if (object != NULL && kc_object_text(object) == NULL)
        found("an object without a text");
    kc_release(object);
}

static void indexes(bench *w, const char *text)
{
    kc_dtype *f32 = kc_dtype_named(w->context, "f32");
    kc_tensor *t = kc_tensor_new(w->context, text, "m n", f32, sizes, SIZES);
    use(kc_tensor_new(w->context, "T", text, f32, sizes, SIZES));
    kc_value *v = kc_read(w->a, text, sizes, SIZES, 1, 0);
    if (v != NULL) {
        kc_tensor *out = kc_write("O", v, NULL, NULL, NULL, NULL, 0, 1);
        kc_result *r = kc_count((kc_object *)out, NULL);
        double moved = 0;
        if (r != NULL && (kc_result_number(r, KC_BYTES, &moved) != KC_OK || !(moved >= 0 && moved < HUGE_VAL)))
            found("no bytes of a read");
        use(kc_write("S", v, NULL, "m n", text, sizes, SIZES, 1));
        use(kc_write("W", v, NULL, text, NULL, NULL, 0, 1));
        use(kc_reduce("sum", v, text, NULL, 0, NULL));
        use(kc_softmax(v, text, 1));
        kc_release(r), kc_release(out);
    }
    use(v), use(t), use(f32);
}

static void names(bench *w, const char *text)
{
    use(kc_dtype_named(w->context, text));
    use(kc_device_named(w->context, text));
    use(kc_dtype_new(w->context, text, 4, 32, 8, 0, text));
    const char *const from[] = { "m" }, *const to[] = { text };
    use(kc_renamed((kc_object *)w->product, from, to, 1));
    const kc_size size = { text, 48 };
    use(kc_resized((kc_object *)w->product, &size, 1));
    kc_value *v = kc_read(w->a, NULL, NULL, 0, 1, 0);
    use(kc_map(text, &v, 1, NULL));
    use(kc_matmul(v, v, text, text, NULL, NULL));
    use(kc_mask(v, text, "k", -1, 4));
    kc_release(v);
    if (kc_field_named(text) > KC_FIELD_COUNT)
        found("a field beyond the last");
}

static void schedules(bench *w, const char *text)
{
    kc_status (*const lists[])(kc_schedule *, const char *) = { kc_schedule_grid, kc_schedule_order, kc_schedule_combine,
        kc_schedule_hold, kc_schedule_path, kc_schedule_overlap };
    for (size_t i = 0; i < 9; i++) {
        kc_schedule *s = kc_schedule_new(w->context);
        kc_schedule_tile(s, "m", 16);
        kc_status said = i < 6    ? lists[i](s, text)
                         : i == 6 ? kc_schedule_tile(s, text, 8)
                         : i == 7 ? kc_schedule_split(s, text, 2)
                                  : kc_schedule_raster(s, text, 4);
        kc_kernel *tiled = kc_tile((kc_object *)w->product, s);
        if (said != KC_OK && said != KC_EARGUMENT)
            found("an odd status of a schedule");
        if (tiled != NULL)
            kc_release(kc_evaluate((kc_object *)tiled, w->device, NULL));
        use(tiled), use(s);
    }
}

static void conditions(bench *w, const char *text)
{
    const double tiles[] = { 16, 32, 64 };
    kc_space *space = kc_space_new((kc_object *)w->product);
    kc_space_numbers(space, "tile.m", tiles, 3);
    kc_space_numbers(space, text, tiles, 2);
    kc_space_device(space, w->device);
    kc_space_field(space, text);
    kc_space_top(space, 2, "time");
    if (kc_space_where(space, text) == KC_OK) {
        kc_sweep *sweep = kc_space_sweep(space, 1, NULL, NULL);
        if (sweep != NULL && !(kc_sweep_fit(sweep) <= kc_sweep_done(sweep)))
            found("more points run than were done");
        use(sweep);
    }
    kc_release(space);
    kc_result *r = kc_evaluate((kc_object *)w->product, w->device, NULL);
    kc_result_expect(r, text);
    kc_result_formula(r, text);
    double change;
    kc_result_sensitivity(r, text, &change);
    kc_release(r);
    kc_options *options = kc_options_new(w->context);
    if (kc_options_set_text(options, "convention", text) == KC_OK)
        kc_release(kc_count((kc_object *)w->product, options));
    kc_options_set(options, text, 1);
    kc_release(options);
}

static void sweeps(bench *w, const char *text)
{
    const char *rest = text;
    kc_sweep *parts[4];
    size_t count = 0;
    while (count < 4 && rest != NULL && (parts[count] = kc_sweep_read(w->context, rest, &rest)) != NULL)
        count++;
    kc_sweep *merged = kc_sweep_merge(w->context, parts, count);
    if (merged != NULL && (kc_json((kc_object *)merged) == NULL || kc_csv((kc_object *)merged, 0) == NULL))
        found("a merged sweep without a form");
    use(merged);
    while (count > 0)
        use(parts[--count]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void (*const languages[])(bench *, const char *) = { indexes, names, schedules, conditions, sweeps };
    account h = { 0 };
    bytes b = { data, size };
    size_t which = choose(&b, 5);
    char *text = malloc(b.left + 1);
    if (text == NULL || memchr(b.data, 0, b.left) != NULL) {
        free(text);
        return 0;
    }
    memcpy(text, b.data, b.left);
    text[b.left] = '\0';
    bench w = new_bench(&h);
    languages[which](&w, text);
    kc_release(w.a), kc_release(w.product), kc_release(w.device);
    kc_context_free(w.context);
    free(text);
    if (h.bytes != 0 || h.blocks != 0)
        found("a leak");
    return 0;
}
