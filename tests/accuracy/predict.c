/* predict.c: a row's kernels, each under its stated schedule or the best one, added up. */
#include "predict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const regimes[] = { "stream", "graph", "eager", "none" };
static const char *const fitted[] = { "fitted.matrix", "fitted.hbm", "fitted.fixed" };
enum { REGIMES = 4, FITTED = 3 };

/* ---- devices -------------------------------------------------------------------------------- */

static kc_device *changed(machines *all, kc_device *base, bool defaults_only)
{
    kc_device *device = kc_device_new(all->context, base);
    for (size_t i = 0; defaults_only && i < FITTED; i++)
        kc_device_set(device, fitted[i], 0);
    for (size_t i = 0; i < all->change_count; i++)
        if (!defaults_only || strncmp(all->changes[i].path, "fitted.", 7) != 0)
            kc_device_set(device, all->changes[i].path, all->changes[i].value);
    if (device && kc_device_seal(device) == KC_OK)
        return device;
    fprintf(stderr, "accuracy: %s\n", kc_context_message(all->context));
    kc_release(device);
    return NULL;
}

/* Seconds of a launch alone: of a kernel that has next to nothing to do. */
static double launch_us(machines *all, const kc_device *device, const char *regime)
{
    const kc_size size[] = { { "m", 16 }, { "n", 16 }, { "k", 16 } };
    kc_dtype *f32 = kc_dtype_named(all->context, "f32");
    kc_tensor *a = kc_tensor_new(all->context, "A", "m k", f32, size, 3);
    kc_tensor *b = kc_tensor_new(all->context, "B", "k n", f32, size, 3);
    kc_value *x = kc_read(a, NULL, NULL, 0, 1, 0), *y = kc_read(b, NULL, NULL, 0, 1, 0);
    kc_value *product = kc_matmul(x, y, "k", NULL, NULL, NULL);
    kc_tensor *c = kc_write("C", product, f32, NULL, NULL, NULL, 0, 1);
    kc_schedule *plain = kc_schedule_new(all->context);
    kc_kernel *kernel = kc_tile((kc_object *)c, plain);
    kc_options *options = kc_options_new(all->context);
    kc_options_set_text(options, "launch", regime);
    kc_result *r = kc_evaluate((kc_object *)kernel, device, options);
    double seconds = 0;
    kc_result_number(r, KC_TIME_LAUNCH, &seconds);
    void *const made[] = { f32, a, b, x, y, product, c, plain, kernel, options, r };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        kc_release(made[i]);
    return seconds * 1e6;
}

static machine *machine_of(machines *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->items[i].name, name) == 0)
            return &all->items[i];
    if (all->count == sizeof all->items / sizeof all->items[0])
        return NULL;
    machine *m = &all->items[all->count++];
    *m = (machine){ .name = name };
    kc_device *base = kc_device_named(all->context, name);
    if (!base)
        return m;
    double matrix = 0;
    m->device[0] = changed(all, base, true);
    m->device[1] = changed(all, base, false);
    if (m->device[1] && (kc_device_get(m->device[1], fitted[0], &matrix) != KC_OK || matrix == 0)) {
        kc_release(m->device[1]);
        m->device[1] = NULL;
    }
    kc_device_get(base, "cores", &m->chip.cores);
    kc_device_get(base, "l2.capacity", &m->chip.l2_bytes);
    const char *arch = kc_device_get_text(base, "arch");
    m->chip.scales_blocks = arch && strcmp(arch, "blackwell") == 0;
    for (int f = 0; f < 2; f++)
        for (int r = 0; r < REGIMES && m->device[f]; r++)
            m->launch_us[f][r] = launch_us(all, m->device[f], regimes[r]);
    kc_release(base);
    return m;
}

/* ---- one row ---------------------------------------------------------------------------------- */

static bool has_tensor(const kc_result *r, const char *name)
{
    for (size_t i = 0; i < kc_result_tensors(r); i++)
        if (strcmp(kc_result_tensor_name(r, i), name) == 0)
            return true;
    return false;
}

static kc_options *options_of(const pieces *p, const setting *s, const char *launch, const kc_result *plain)
{
    kc_options *options = kc_options_new(p->context);
    char key[32];
    (void)s;
    kc_options_set_text(options, "launch", launch);
    for (size_t i = 0; i < p->warm_count; i++) {
        snprintf(key, sizeof key, "cache.%s", p->warm[i]);
        if (has_tensor(plain, p->warm[i]))
            kc_options_set_text(options, key, "warm");
    }
    return options;
}

static kc_schedule *schedule_of(kc_context *context, const family *f, size_t tile, size_t stages, bool persistent)
{
    kc_schedule *how = kc_schedule_new(context);
    kc_schedule_tile(how, "m", f->tiles[tile].m);
    kc_schedule_tile(how, "n", f->tiles[tile].n);
    kc_schedule_tile(how, "c", 1);
    kc_schedule_tile(how, "k", f->k);
    kc_schedule_raster(how, "m n", 8);
    kc_schedule_stages(how, NULL, f->stages[stages]);
    kc_schedule_persistent(how, persistent);
    return how;
}

/* The fastest of a family; NULL: none runs. */
static kc_result *best_of(const family *f, kc_object *kernel, const kc_device *device, const kc_options *options)
{
    kc_context *context = kc_object_context(kernel);
    kc_result *best = NULL;
    double least = INFINITY;
    for (size_t tile = 0; tile < sizeof f->tiles / sizeof f->tiles[0] && f->tiles[tile].m > 0; tile++)
        for (size_t i = 0; i < sizeof f->stages / sizeof f->stages[0] && f->stages[i] > 0; i++) {
            kc_schedule *how = schedule_of(context, f, tile, i, f->persistent);
            kc_kernel *tiled = kc_tile(kernel, how);
            kc_result *r = tiled ? kc_evaluate((kc_object *)tiled, device, options) : NULL;
            double seconds = INFINITY;
            kc_result_number(r, KC_TIME, &seconds);
            kc_release(tiled);
            kc_release(how);
            kc_release(seconds < least ? best : r);
            best = seconds < least ? r : best;
            least = fmin(least, seconds);
        }
    return best;
}

/* Microseconds of one kernel, and its HBM traffic; negative: it does not run. */
static double time_of(const struct piece *piece, const kc_device *device, const kc_options *options, bool verbose,
                      double bytes[2])
{
    kc_result *r = piece->tiled    ? kc_evaluate(piece->kernel, device, options)
                   : piece->family ? best_of(piece->family, piece->kernel, device, options)
                                   : kc_best(piece->kernel, device, options);
    double seconds = -1e-6;
    kc_result_number(r, KC_TIME, &seconds);
    kc_result_number(r, KC_BYTES_READ, &bytes[0]);
    kc_result_number(r, KC_BYTES_WRITTEN, &bytes[1]);
    if (verbose && r)
        printf("%s\n%s\n", kc_object_text((kc_object *)r), kc_json((kc_object *)r));
    kc_release(r);
    return seconds * 1e6;
}

static bool add_times(prediction *out, machine *m, const pieces *p, const setting *s, bool verbose)
{
    int regime = 0;
    while (regime < REGIMES - 1 && strcmp(regimes[regime], s->launch) != 0)
        regime++;
    for (size_t i = 0; i < p->count; i++) {
        const struct piece *piece = &p->list[i];
        kc_result *plain = kc_evaluate(piece->kernel, m->device[0], NULL);
        double roof = 0;
        if (!plain)
            return false;
        kc_options *options = options_of(p, s, s->launch, plain);
        kc_result_number(plain, KC_ROOF_TIME, &roof);
        if (piece->main)
            out->naive_us += roof * 1e6 * piece->times;
        kc_release(plain);
        for (int f = 0; f < 2; f++) {
            double bytes[2] = { 0, 0 };
            double us = m->device[f] ? time_of(piece, m->device[f], options, verbose, bytes) : 0;
            if (us < 0) {
                if (verbose)
                    printf("%s\n", kc_context_message(p->context));
                kc_release(options);
                return false;
            }
            out->us[f] += us * piece->times;
            out->hbm_read += f == 0 ? bytes[0] * piece->times : 0;
            out->hbm_written += f == 0 ? bytes[1] * piece->times : 0;
        }
        kc_release(options);
    }
    for (int f = 0; f < 2; f++)
        if (m->device[f])
            out->us[f] += p->launches * m->launch_us[f][regime];
    return true;
}

static prediction run(machines *all, const row *r, bool verbose)
{
    prediction out = { NO_TIME, { 0, 0 }, 0, 0, 0 };
    if (!(r->measured_us > 0) || r->kind == NO_CLASS)
        return out;
    machine *m = machine_of(all, r->device);
    out.what = NO_DEVICE;
    if (!m || !m->device[0])
        return out;
    const setting *s = setting_of(r);
    pieces p;
    out.what = NOT_EXPRESSED;
    if (pieces_make(&p, all->context, r, s, &m->chip))
        out.what = add_times(&out, m, &p, s, verbose) ? PREDICTED : DOES_NOT_RUN;
    else if (verbose)
        printf("%s\n", kc_context_message(all->context));
    pieces_free(&p);
    return out;
}

prediction predict(machines *all, const row *r)
{
    return run(all, r, false);
}

void predict_verbosely(machines *all, const row *r)
{
    prediction p = run(all, r, true);
    printf("%s %s %s %s %s: measured %.4g us, defaults %.4g, fitted %.4g, naive %.4g\n", r->source, r->device, r->op,
           r->dtype, r->shape, r->measured_us, p.us[0], p.us[1], p.naive_us);
}
