/* fuzz_devices.c: device tables, by path through the C API, and as a script writes them.  A device that was taken
 * prices kernels with finite times in order. */
#include "bytes.h"

#include "kcost.h"

static const kc_size sizes[] = { { "m", 300 }, { "n", 200 }, { "k", 100 } };

static kc_object *matmul(kc_context *context, const char *dtype, double tile)
{
    kc_dtype *d = kc_dtype_named(context, dtype);
    kc_tensor *a = kc_tensor_new(context, "A", "m k", d, sizes, 3), *b = kc_tensor_new(context, "B", "k n", d, sizes, 3);
    kc_value *x = kc_read(a, NULL, NULL, 0, 1, 0), *y = kc_read(b, NULL, NULL, 0, 1, 0);
    kc_value *xy = kc_matmul(x, y, "k", NULL, NULL, NULL), *e = kc_map("exp", &xy, 1, NULL);
    kc_tensor *c = kc_write("C", e, NULL, NULL, NULL, NULL, 0, 1);
    kc_schedule *s = kc_schedule_new(context);
    kc_schedule_tile(s, "m", tile), kc_schedule_tile(s, "n", tile), kc_schedule_tile(s, "k", 32);
    kc_schedule_stages(s, NULL, 3);
    kc_kernel *tiled = tile > 1 ? kc_tile((kc_object *)c, s) : kc_retain(c);
    kc_release(s), kc_release(c), kc_release(e), kc_release(xy), kc_release(x), kc_release(y);
    kc_release(a), kc_release(b), kc_release(d);
    return (kc_object *)tiled;
}

static void price(kc_context *context, kc_device *device)
{
    static const char *const dtypes[] = { "f16", "f32", "f8" };
    for (int i = 0; i < 6; i++) {
        kc_object *kernel = matmul(context, dtypes[i % 3], i < 3 ? 1 : 64);
        kc_result *r = kc_evaluate(kernel, device, NULL);
        double roof = 0, time = 0, serial = 0;
        if (r == NULL && kc_context_status(context) != KC_EDEVICE)
            found(kc_context_message(context));
        if (r != NULL) {
            if (kc_result_number(r, KC_ROOF_TIME, &roof) || kc_result_number(r, KC_TIME, &time) ||
                kc_result_number(r, KC_SERIAL_TIME, &serial))
                found("a time is missing");
            if (!(roof >= 0 && roof <= time * (1 + 1e-9) && time <= serial * (1 + 1e-9) && serial < HUGE_VAL))
                found("times out of order");
            if (kc_result_explain(r) == NULL)
                found("no words");
        }
        if (i == 4)
            kc_release(kc_best(kernel, device, NULL));
        kc_release(r), kc_release(kernel);
    }
}

static void by_path(kc_context *context, bytes *b)
{
    char text[64];
    kc_device *shipped = kc_device_named(context, kc_device_id(choose(b, kc_device_count())));
    kc_device *device = kc_device_new(context, take(b) % 4 == 0 ? NULL : shipped);
    size_t paths = 0;
    while (kc_device_path(shipped, paths) != NULL)
        paths++;
    for (int i = 0; i < 64 && b->left > 0; i++) {
        unsigned how = take(b);
        const char *path = how % 8 == 0 ? raw_text(b, text, sizeof text) : kc_device_path(shipped, choose(b, paths));
        double value = 0;
        if (how & 64 && kc_device_get(shipped, path, &value) == KC_OK)
            value *= ldexp(1, (int)(take(b) % 32) - 16);
        else
            value = odd_number(b);
        if (how & 128)
            kc_device_set_text(device, path, raw_text(b, text, sizeof text));
        else
            kc_device_set(device, path, value);
    }
    if (kc_device_seal(device) == KC_OK) {
        const char *report = NULL;
        if (kc_object_text((kc_object *)device) == NULL || kc_json((kc_object *)device) == NULL)
            found("a device without a text");
        kc_device_check(device, &report);
        price(context, device);
    }
    kc_release(device), kc_release(shipped);
}

/* The input as the body of a table, in a script. */
static void by_script(const bytes *b, account *h)
{
    static const char before[] = "local kc = require 'kcost'\nlocal d = kc.device {", after[] =
        "}\nlocal g = kc.lib.gemm.plain { m = 256, n = 256, k = 256 }\nreturn kc.evaluate(g, d), d";
    const kc_vm_options options = { .resize = account_resize, .resize_data = h, .memory_limit = 16 << 20,
                                    .time_limit = 0.2, .instruction_limit = 1000000 };
    size_t length = sizeof before - 1 + b->left + sizeof after - 1;
    char *text = malloc(length);
    kc_vm *vm = NULL;
    if (text == NULL || kc_vm_new(&options, &vm) != KC_OK)
        found("no VM");
    memcpy(text, before, sizeof before - 1);
    memcpy(text + sizeof before - 1, b->data, b->left);
    memcpy(text + sizeof before - 1 + b->left, after, sizeof after - 1);
    if (kc_vm_run(vm, text, length, "device.lua") != KC_OK && kc_vm_message(vm)[0] == '\0')
        found("a failure without a message");
    kc_vm_json(vm);
    kc_vm_free(vm);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    account h = { 0 };
    bytes b = { data, size };
    if (take(&b) % 2 == 0) {
        kc_context *context = kc_context_new(account_resize, &h);
        by_path(context, &b);
        kc_context_free(context);
    } else {
        by_script(&b, &h);
    }
    if (h.bytes != 0 || h.blocks != 0)
        found("a leak");
    return 0;
}
