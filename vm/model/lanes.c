/* lanes.c: register reuse of a matmul on the vector unit: a warp's accesses against its multiply-adds. */
#include "lanes.h"

#include "arith.h"
#include "roof.h"

static const double ACCESS = 16; /* bytes: the widest access */

void kci_divide_tile(double *m, double *n, double ways)
{
    for (double left = ways; left >= 2; left /= 2)
        *(*m >= *n ? m : n) /= 2;
    *m = kci_max(1, kci_ceil(*m));
    *n = kci_max(1, kci_ceil(*n));
}

static bool on_vector_unit(const kc_device *device, const struct kci_matmul_count *mm)
{
    kci_compute_roof roof;
    return mm->vector || kci_matrix_roof(device, mm->math, false, &roof, NULL) != KC_OK || roof.unit == KCI_VECTOR;
}

typedef struct side {           /* one operand of a warp */
    double mine, lanes;         /* elements of a thread a k; lanes with different ones */
    double bytes, k;            /* of an element; of the tile */
    bool direct, scattered;     /* from L1; its lanes lie in different lines */
} side;

/* Adds accesses of a warp for one k and what they take of the port, in bytes. */
static void add_accesses(const side *s, double vector, double width, double *accesses, double *bytes)
{
    if (!(s->bytes > 0))
        return;
    double wide = kci_max(s->bytes, kci_min(vector, s->bytes * s->k * s->mine)); /* along m or n, or along k */
    double count = s->mine * s->bytes / wide, clocks = kci_max(1, s->lanes * wide / width);
    if (s->direct && s->scattered)
        clocks = kci_max(clocks, s->lanes);
    *accesses += count;
    *bytes += count * clocks * width;
}

static void add_matmul(const struct kci_matmul_count *mm, const kci_figures *f, double warps, double vector,
                       kci_lanes *to)
{
    double wm = mm->m, wn = mm->n;
    kci_divide_tile(&wm, &wn, warps);
    double tm = wm, tn = wn, accesses = 0, bytes = 0;
    kci_divide_tile(&tm, &tn, f->warp);
    const side a = { tm, kci_ceil(wm / tm), mm->a_bytes + mm->a_direct, mm->k, mm->a_direct > 0, mm->a_scattered };
    const side b = { tn, kci_ceil(wn / tn), mm->b_bytes + mm->b_direct, mm->k, mm->b_direct > 0, mm->b_scattered };
    add_accesses(&a, vector, f->smem.bandwidth, &accesses, &bytes);
    add_accesses(&b, vector, f->smem.bandwidth, &accesses, &bytes);
    double times = mm->executions * mm->k * warps, fmas = tm * tn;
    double rate = f->rate.vector[mm->math == KCI_F64 ? KCI_F64 : KCI_F32] / 2 / f->warp; /* of warps a clock */
    to->port_bytes += times * bytes;
    if (rate > 0)
        to->issue_clocks += times * kci_max(0, (fmas + accesses) / f->registers.parts - fmas / rate);
}

kci_lanes kci_lanes_of(const kci_counts *counts, const kc_device *device, double warps, double vector)
{
    kci_lanes lanes = { 0, 0 };
    for (size_t i = 0; i < counts->matmul_count; i++)
        if (on_vector_unit(device, &counts->matmuls[i]))
            add_matmul(&counts->matmuls[i], &device->full, warps, vector > 0 ? vector : ACCESS, &lanes);
    return lanes;
}
