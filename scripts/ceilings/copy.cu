// copy.cu: HBM bandwidth of a copy: 16 bytes an access, arrays too large for any L2.
#include "timing.cuh"

__global__ void copy(const float4 *from, float4 *to, size_t count)
{
    size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
        to[i] = from[i];
}

int main()
{
    const int sizes[] = { 256, 384, 512, 768, 1024 }; // MiB of an array
    float *from = filled<float>(size_t(1024) << 18), *to = filled<float>(size_t(1024) << 18);
    header();
    for (int size : sizes) {
        double bytes = size * 1048576.0; // each array once
        size_t count = size_t(size) << 16;
        double time = seconds([=] { copy<<<unsigned(count / 1024), 256>>>((const float4 *)from, (float4 *)to, count); });
        row("hbm: copy of %d MiB", size, time, 0, 2 * bytes);
    }
}
