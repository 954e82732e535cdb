/* runtime.c: a CUDA runtime without a GPU, for tests of scripts/ceilings: every kernel takes 10 ms, and does nothing.
 * The GPU has 100 cores and 40 MiB of L2. */
#include <stddef.h>

typedef struct dim3 { unsigned x, y, z; } dim3;
enum { L2_CACHE_SIZE = 38, CAPABILITY_MAJOR = 75 }; /* of cudaDeviceAttr; the other one asked for is the number of cores */

static int launches, counted[2];    /* of all; when an event was recorded */
static char memory[1];              /* what every pointer points at, which nobody follows */

int cudaMalloc(void **to, size_t bytes) { *to = memory; return bytes > 0 ? 0 : 1; }
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) { (void)to, (void)from, (void)bytes, (void)kind; return 0; }
int cudaDeviceGetAttribute(int *value, int what, int device)
{
    (void)device;
    *value = what == L2_CACHE_SIZE ? 40 << 20 : what == CAPABILITY_MAJOR ? 9 : 100;
    return 0;
}
int cudaEventCreate(void **event) { static int made; *event = &counted[made++ % 2]; return 0; }
int cudaEventRecord(void *event, void *stream) { (void)stream; *(int *)event = launches; return 0; }
int cudaEventSynchronize(void *event) { (void)event; return 0; }
int cudaEventElapsedTime(float *ms, void *begin, void *end) { *ms = 10.0F * (float)(*(int *)end - *(int *)begin); return 0; }
int cudaGetLastError(void) { return 0; }
const char *cudaGetErrorString(int error) { (void)error; return "failed"; }
int cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **arguments, size_t bytes, void *stream)
{
    (void)f, (void)grid, (void)block, (void)arguments, (void)bytes, (void)stream;
    launches++;
    return 0;
}

/* What nvcc calls beside. */
static dim3 grid_of, block_of;
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t bytes, void *stream)
{
    (void)bytes, (void)stream;
    grid_of = grid;
    block_of = block;
    return 0;
}
int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *bytes, void **stream)
{
    *grid = grid_of;
    *block = block_of;
    *bytes = 0;
    *stream = NULL;
    return 0;
}
int __cudaGetKernel(void **kernel, const void *f) { *kernel = (void *)(size_t)f; return 0; }
int __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **arguments, size_t bytes, void *stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, bytes, stream);
}
void **__cudaRegisterFatBinary(void *binary) { static void *handle; (void)binary; return &handle; }
void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }
char __cudaInitModule(void **handle) { (void)handle; return 1; }
void __cudaRegisterFunction(void **handle, const char *f, char *name, const char *device, int limit, void *a, void *b, void *c,
                            void *d, int *e)
{
    (void)handle, (void)f, (void)name, (void)device, (void)limit, (void)a, (void)b, (void)c, (void)d, (void)e;
}
