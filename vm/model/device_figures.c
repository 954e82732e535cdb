/* device_figures.c: the one table of what a device can say: path, place, unit, rule, meaning. */
#include "device.h"

#include <string.h>

#define NUMBER(path, field, unit, rule, doc) { path, sizeof(path) - 1, KCI_FIGURE(field), unit, rule, doc }
#define TEXT(path, place, doc) { path, sizeof(path) - 1, place, "", KCI_IS_TEXT, doc }

/* One row a format, in the order of kci_format. */
#define PER_FORMAT(group, field, unit, rule, doc) \
    NUMBER(group ".f4", field[KCI_F4], unit, rule, doc), \
    NUMBER(group ".f6", field[KCI_F6], unit, rule, doc), \
    NUMBER(group ".f8", field[KCI_F8E4M3], unit, rule, doc), \
    NUMBER(group ".f8e5m2", field[KCI_F8E5M2], unit, rule, doc), \
    NUMBER(group ".f16", field[KCI_F16], unit, rule, doc), \
    NUMBER(group ".bf16", field[KCI_BF16], unit, rule, doc), \
    NUMBER(group ".tf32", field[KCI_TF32], unit, rule, doc), \
    NUMBER(group ".f32", field[KCI_F32], unit, rule, doc), \
    NUMBER(group ".f64", field[KCI_F64], unit, rule, doc), \
    NUMBER(group ".bool", field[KCI_BOOL], unit, rule, doc), \
    NUMBER(group ".i4", field[KCI_I4], unit, rule, doc), \
    NUMBER(group ".u8", field[KCI_U8], unit, rule, doc), \
    NUMBER(group ".i8", field[KCI_I8], unit, rule, doc), \
    NUMBER(group ".i16", field[KCI_I16], unit, rule, doc), \
    NUMBER(group ".i32", field[KCI_I32], unit, rule, doc)

/* One instruction of a format. */
#define TILE(format, id) \
    NUMBER("matrix_tile." format ".m", matrix_tile.m[id], "", KCI_WHOLE, "rows of one instruction"), \
    NUMBER("matrix_tile." format ".n", matrix_tile.n[id], "", KCI_WHOLE, "columns of one instruction, at most"), \
    NUMBER("matrix_tile." format ".k", matrix_tile.k[id], "", KCI_WHOLE, "depth of one instruction"), \
    NUMBER("matrix_tile." format ".step", matrix_tile.step[id], "", KCI_WHOLE, "n is any multiple of it"), \
    TEXT("matrix_tile." format ".scope", KCI_TEXT_SCOPE + id, "who issues it: warp, group or cta")

const kci_figure_row kci_figure_rows[] = {
    TEXT("name", KCI_TEXT_NAME, "the product, form factor and memory size included"),
    TEXT("aliases", KCI_TEXT_ALIASES, "other names that mean this product"),
    TEXT("vendor", KCI_TEXT_VENDOR, "who makes it"),
    TEXT("arch", KCI_TEXT_ARCH, "whose defaults it takes"),
    NUMBER("year", year, "", KCI_WHOLE, "of its announcement"),
    NUMBER("cores", cores, "", KCI_WHOLE, "streaming multiprocessors, compute units, CPU cores"),
    NUMBER("clock", clock, "Hz", 0, "behind the vector peaks"),
    NUMBER("matrix_clock", matrix_clock, "Hz", 0, "behind the matrix peaks, where it is another"),
    PER_FORMAT("matrix", matrix, "FLOP/s", 0, "dense peak of the matrix unit"),
    PER_FORMAT("vector", vector, "FLOP/s", 0, "peak of the vector unit, a multiply-add being 2"),
    PER_FORMAT("rate.matrix", rate.matrix, "FLOP/clock/core", 0, "what the matrix peak is checked with"),
    PER_FORMAT("rate.vector", rate.vector, "FLOP/clock/core", 0, "what the vector peak is checked with"),
    PER_FORMAT("sparse", sparse, "", 0, "peak with 2:4 sparsity over the dense one"),
    NUMBER("special", special, "op/clock/core", 0, "exp, rsqrt and their like"),
    TILE("f4", KCI_F4), TILE("f6", KCI_F6), TILE("f8", KCI_F8E4M3), TILE("f8e5m2", KCI_F8E5M2),
    TILE("f16", KCI_F16), TILE("bf16", KCI_BF16), TILE("tf32", KCI_TF32), TILE("f32", KCI_F32),
    TILE("f64", KCI_F64), TILE("bool", KCI_BOOL), TILE("i4", KCI_I4), TILE("u8", KCI_U8),
    TILE("i8", KCI_I8), TILE("i16", KCI_I16), TILE("i32", KCI_I32),
    TEXT("path", KCI_TEXT_PATH, "its best matrix instructions: mma, wgmma, tcgen05, mfma"),
    NUMBER("overlap", overlap, "", KCI_SHARE | KCI_MAY_BE_ZERO, "share of softmax that hides behind matrix work"),
    TEXT("hbm.type", KCI_TEXT_HBM_TYPE, "HBM3, GDDR6X, DDR5"),
    NUMBER("hbm.capacity", hbm.capacity, "byte", 0, "main memory"),
    NUMBER("hbm.bandwidth", hbm.bandwidth, "byte/s", 0, "bus times data rate"),
    NUMBER("hbm.latency", hbm.latency, "clock", 0, "of a load that misses every cache; below 1 in seconds"),
    NUMBER("hbm.sector", hbm.sector, "byte", KCI_WHOLE, "the least that moves"),
    NUMBER("hbm.bus", hbm.bus, "bit", KCI_WHOLE, "width of the memory bus"),
    NUMBER("hbm.data_rate", hbm.data_rate, "bit/s", 0, "of one pin"),
    NUMBER("llc.capacity", llc.capacity, "byte", 0, "memory-side cache"),
    NUMBER("llc.bandwidth", llc.bandwidth, "byte/s", 0, "of all cores together"),
    NUMBER("llc.latency", llc.latency, "clock", 0, "of a hit; below 1 in seconds"),
    NUMBER("l2.capacity", l2.capacity, "byte", 0, "all parts together"),
    NUMBER("l2.bandwidth", l2.bandwidth, "byte/s", 0, "measured read plateau of all cores together"),
    NUMBER("l2.latency", l2.latency, "clock", 0, "of a hit; below 1 in seconds"),
    NUMBER("l2.per_core", l2.per_core, "byte/clock", 0, "what one core can take"),
    NUMBER("l2.parts", l2.parts, "", KCI_WHOLE, "that each keep a copy of what their cores use"),
    NUMBER("l2.rate", l2.rate, "byte/clock/core", 0, "bandwidth per core, where it was not measured"),
    NUMBER("smem.per_core", smem.per_core, "byte", 0, "shared memory of a core"),
    NUMBER("smem.per_cta", smem.per_cta, "byte", 0, "the most that one CTA may take"),
    NUMBER("smem.reserved", smem.reserved, "byte", KCI_MAY_BE_ZERO, "taken by the system in each CTA"),
    NUMBER("smem.bandwidth", smem.bandwidth, "byte/clock/core", 0, "banks times width"),
    NUMBER("registers.per_core", registers.per_core, "", KCI_WHOLE, "32-bit registers of a core"),
    NUMBER("registers.per_thread", registers.per_thread, "", KCI_WHOLE, "the most that one thread may take"),
    NUMBER("registers.per_cta", registers.per_cta, "", KCI_WHOLE, "the most that one CTA may take"),
    NUMBER("registers.unit", registers.unit, "", KCI_WHOLE, "a warp takes multiples of this"),
    NUMBER("registers.parts", registers.parts, "", KCI_WHOLE, "files that a core's registers are cut into"),
    NUMBER("tmem.per_core", tmem.per_core, "byte", 0, "tensor memory: where matmuls accumulate"),
    NUMBER("tmem.unit", tmem.unit, "byte", 0, "the least that a CTA takes; then twice that, four times"),
    NUMBER("warp", warp, "thread", KCI_WHOLE, "threads that go together"),
    NUMBER("max_warps", max_warps, "", KCI_WHOLE, "of a core"),
    NUMBER("max_ctas", max_ctas, "", KCI_WHOLE, "of a core"),
    NUMBER("max_threads", max_threads, "", KCI_WHOLE, "of a CTA"),
    NUMBER("launch.graph", launch.graph, "s", KCI_MAY_BE_ZERO, "gap between two kernels of a graph"),
    NUMBER("launch.stream", launch.stream, "s", KCI_MAY_BE_ZERO, "gap between two queued kernels"),
    NUMBER("launch.eager", launch.eager, "s", KCI_MAY_BE_ZERO, "gap when a framework launches each"),
    NUMBER("launch.fixed", launch.fixed, "s", KCI_MAY_BE_ZERO, "start and end of a kernel with matmuls"),
    NUMBER("launch.light", launch.light, "s", KCI_MAY_BE_ZERO, "start and end of a kernel without"),
    TEXT("link.type", KCI_TEXT_LINK_TYPE, "NVLink, Infinity Fabric"),
    NUMBER("link.bandwidth", link.bandwidth, "byte/s", 0, "all links of the device, one direction"),
    NUMBER("link.peer", link.peer, "byte/s", 0, "to one other device, one direction"),
    NUMBER("link.latency", link.latency, "s", KCI_MAY_BE_ZERO, "of one hop"),
    NUMBER("link.fixed", link.fixed, "s", KCI_MAY_BE_ZERO, "a collective's own start and end"),
    NUMBER("link.count", link.count, "", KCI_WHOLE, "links of the device"),
    PER_FORMAT("sustained.matrix", sustained.matrix, "", KCI_SHARE, "best measured matmul over the peak"),
    NUMBER("sustained.vector", sustained.vector, "", KCI_SHARE, "of the vector peak"),
    NUMBER("sustained.special", sustained.special, "", KCI_SHARE, "of the special unit's rate"),
    NUMBER("sustained.hbm", sustained.hbm, "", KCI_SHARE, "of hbm.bandwidth"),
    NUMBER("sustained.l2", sustained.l2, "", KCI_SHARE, "of l2.bandwidth"),
    NUMBER("sustained.smem", sustained.smem, "", KCI_SHARE, "of smem.bandwidth"),
    NUMBER("sustained.link", sustained.link, "", KCI_SHARE, "of link.bandwidth"),
    NUMBER("fitted.matrix", fitted.matrix, "", KCI_SHARE | KCI_MAY_BE_ZERO, "share of the f16 peak, fitted to measured kernels; 0: not"),
    NUMBER("fitted.hbm", fitted.hbm, "", KCI_SHARE | KCI_MAY_BE_ZERO, "share of hbm.bandwidth, fitted; 0: not"),
    NUMBER("fitted.fixed", fitted.fixed, "s", KCI_MAY_BE_ZERO, "start and end of a kernel with matmuls, fitted; 0: not"),
    NUMBER("tdp", tdp, "W", 0, "board power"),
    NUMBER("energy.vector", energy.vector, "J/FLOP", 0, "of the whole board per f32 FLOP, where power limits it"),
};
const size_t kci_figure_row_count = sizeof kci_figure_rows / sizeof kci_figure_rows[0];

/* Every double of kci_figures has its row: numbers and texts together fill the table. */
_Static_assert(sizeof kci_figure_rows / sizeof kci_figure_rows[0] == KCI_FIGURES + (size_t)KCI_TEXTS,
               "a figure without a row, or a row without a figure");

static const kci_figure_row *find(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < kci_figure_row_count && length > 0; i++) {
        const kci_figure_row *row = &kci_figure_rows[i];
        if (row->length == length && row->path[length - 1] == path[length - 1] && memcmp(row->path, path, length) == 0)
            return row;
    }
    return NULL;
}

const kci_figure_row *kci_figure_find(const char *path)
{
    const char *long_name = strstr(path, ".f8e4m3"); /* f8 is short for f8e4m3 */
    if (!long_name)
        return find(path);
    char shorter[64];
    size_t head = (size_t)(long_name - path) + strlen(".f8"), tail = strlen(long_name + strlen(".f8e4m3"));
    if (head + tail >= sizeof shorter)
        return NULL;
    memcpy(shorter, path, head);
    memcpy(shorter + head, long_name + strlen(".f8e4m3"), tail + 1);
    return find(shorter);
}

const char *kci_figure_nth_path(const void *unused, size_t i)
{
    (void)unused;
    return i < kci_figure_row_count ? kci_figure_rows[i].path : NULL;
}
