/* bench_profile.c: exports of profilers: a million rows of CSV, by a byte of it, and the memory that they take; a trace. */
#define _POSIX_C_SOURCE 200809L

#include "measure.h"

enum { BLOCK = 1 << 20 };

/* One row or event more of a kind, to a text; its length. */
typedef int (*writer)(char *out, size_t size, int i);

static int plain_row(char *out, size_t size, int i)
{
    return snprintf(out, size, "kernel_%d,%.9g,%d,%d\n", i % 37, 1e-3 / (1 + i % 1013), 1000003 * (i % 997), 4099 * (i % 991));
}

static int details_row(char *out, size_t size, int i)
{
    static const char *const metrics[][3] = {
        { "dram__bytes_op_read.sum", "byte", "134,221,568" },   { "dram__bytes_op_write.sum", "byte", "43,631,104" },
        { "gpu__time_duration.sum", "ns", "292,928" },          { "lts__t_sector_hit_rate.pct", "%", "33.26" },
        { "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", "4,194,304" },
    };
    const char *const *m = metrics[i % 5];
    return snprintf(out, size, "\"%d\",\"58960\",\"app\",\"127.0.0.1\",\"saxpy_kernel(float, const float *, float *, int)\",\"1\",\"7\","
                    "\"(256, 1, 1)\",\"(65536, 1, 1)\",\"0\",\"12.0\",\"Command line profiler metrics\",\"%s\",\"%s\",\"%s\"\n",
                    i / 5, m[0], m[1], m[2]);
}

static int event(char *out, size_t size, int i)
{
    if (i % 3 != 0)
        return snprintf(out, size, "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"pid\": 1, \"tid\": 2, \"ts\": %d.1, "
                        "\"dur\": 3.2, \"args\": {\"External id\": 3, \"Input Dims\": [[128, 4096], [4096]]}},\n", i);
    return snprintf(out, size, "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void elementwise_kernel<4, CUDAFunctor_add<float>>(int)\", "
                    "\"pid\": 0, \"tid\": 7, \"ts\": %d.5, \"dur\": 12.25, \"args\": {\"device\": 0, \"stream\": 7, \"registers per thread\": "
                    "32, \"shared memory\": 0, \"grid\": [%d, 1, 1], \"block\": [128, 1, 1], \"est. achieved occupancy %%\": 30}},\n",
                    i, 1 + i % 40);
}

typedef struct memory {
    size_t live, most;
} memory;

static void *counted(void *data, void *block, size_t old_size, size_t new_size)
{
    memory *m = data;
    void *fresh = new_size ? realloc(block, new_size) : NULL;
    if (!new_size)
        free(block);
    if (fresh || !new_size)
        m->live += new_size - old_size;
    m->most = m->live > m->most ? m->live : m->most;
    return fresh;
}

/* What feeding so many rows took. */
typedef struct cost {
    double ns_per_byte, mib;
} cost;

static cost feed(const char *head, writer write, int rows)
{
    static char block[BLOCK + 4096];
    memory m = { 0, 0 };
    kc_context *context = kc_context_new(counted, &m);
    kc_profile *p = kc_profile_new(context, 4096);
    want(context, p && kc_profile_feed(p, head, strlen(head)) == KC_OK);
    double took = 0, bytes = 0;
    for (int i = 0; i < rows;) {
        size_t length = 0;
        while (i < rows && length < BLOCK)
            length += (size_t)write(block + length, sizeof block - length, i++);
        double start = cpu();
        want(context, kc_profile_feed(p, block, length) == KC_OK);
        took += cpu() - start;
        bytes += (double)length;
    }
    want(context, kc_profile_end(p) == KC_OK);
    kc_release(p);
    kc_context_free(context);
    return (cost){ 1e9 * took / bytes, (double)m.most / 1048576 };
}

int main(void)
{
    static const char plain[] = "name,time,flops,bytes\n";
    static const char details[] = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\","
                                  "\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    int many = is_quick() ? 20000 : 1000000, few = many / 50;
    cost c = feed(plain, plain_row, many);
    row("name,time,flops,bytes", c.ns_per_byte);
    row("Nsight Compute's details", feed(details, details_row, many).ns_per_byte);
    row("a PyTorch trace", feed("{\"traceEvents\": [\n", event, many / 10).ns_per_byte);
    row("memory, 20,000 rows", feed(plain, plain_row, few).mib);
    row("memory, a million rows", c.mib);
    return 0;
}
