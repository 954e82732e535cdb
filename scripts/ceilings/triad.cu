// triad.cu: HBM bandwidth of STREAM's triad, a = b + s * c: 2 FLOP and 12 bytes an element.
#include "timing.cuh"

__global__ void triad(float4 *a, const float4 *b, const float4 *c, float s, size_t count)
{
    size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
        float4 x = b[i], y = c[i];
        a[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
    }
}

int main()
{
    const int sizes[] = { 256, 384, 512, 768, 1024 }; // MiB of an array
    const size_t most = size_t(1024) << 18;
    float *a = filled<float>(most), *b = filled<float>(most), *c = filled<float>(most);
    header();
    for (int size : sizes) {
        double elements = size * 1048576.0 / 4;
        size_t count = size_t(size) << 16;
        double time = seconds([=] {
            triad<<<unsigned(count / 1024), 256>>>((float4 *)a, (const float4 *)b, (const float4 *)c, 0.5f, count);
        });
        row("hbm: triad of %d MiB", size, time, 2 * elements, 12 * elements);
    }
}
