/* timed_kernel.h: what the tests of time share: a device, the small kernel's times, notes, chance. */
#ifndef TIMED_KERNEL_H
#define TIMED_KERNEL_H

#include "unit.h"

#include "note.h"
#include "small_kernel.h"
#include "time.h"

static kc_context *context;
static kci_notes notes;

static inline kc_device *named(const char *name)
{
    kc_device *device = kc_device_named(context, name);
    assert_non_null(device);
    return device;
}

static inline bool noted(const char *part)
{
    for (size_t i = 0; i < notes.count; i++)
        if (strstr(notes.items[i], part))
            return true;
    return false;
}

static inline void forget_notes(void)
{
    kci_notes_free(&notes);
    notes = (kci_notes){ .context = context };
}

/* The times of a kernel whose counts were made; HBM rows go to s->hbm. */
static inline kci_times timed(small_kernel *s, const kc_device *device, bool tiled, kci_time_options options)
{
    kci_times times;
    memcpy(s->hbm, s->rows, sizeof s->hbm);
    kc_status status = kci_time(&s->graph, tiled ? &s->tiling : NULL, &s->counts, s->sizes, device, &options, s->hbm,
                                &times, &notes);
    if (status != KC_OK)
        print_error("%s\n", kc_context_message(context));
    assert_int_equal(status, KC_OK);
    return times;
}

static const double cube[3] = { 4096, 4096, 4096 };

static inline kci_times of_cube(const char *name, small_kernel *s, kci_time_options options)
{
    kc_device *device = named(name);
    small_matmul(s, context, cube, 128, 128, 32);
    s->tiling.stages = 4;
    small_counts(s);
    kci_times times = timed(s, device, true, options);
    kc_release(device);
    return times;
}

/* A small generator: the same numbers everywhere. */
static uint32_t seed = 1;

static inline double pick(double least, double most)
{
    seed = seed * 1664525u + 1013904223u;
    return least + floor((seed >> 8) / 16777216.0 * (most - least + 1));
}

/* Causes add up, nothing falls below compulsory or rises above section 3. */
static inline void check_ledger(const small_kernel *s)
{
    for (size_t t = 0; t < 3; t++) {
        const kci_row *before = &s->rows[t], *after = &s->hbm[t];
        double causes = after->compulsory + after->reload + after->pass + after->spill + after->split;
        assert_close(after->read + after->written, causes, 1e-12);
        assert_true(after->read + after->written <= before->read + before->written);
        assert_true(after->compulsory == before->compulsory);
        assert_true(after->read + after->written >= before->compulsory * (1 - 1e-12));
    }
}

/* The end of a test program. */
static inline int finished(int failed)
{
    kci_notes_free(&notes);
    kc_context_free(context);
    return failed;
}

static inline void begin(void)
{
    context = kc_context_new(NULL, NULL);
    notes = (kci_notes){ .context = context };
}

#endif
