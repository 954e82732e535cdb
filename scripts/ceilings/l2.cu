// l2.cu: read bandwidth of L2: every CTA reads a buffer that fits in it, again and again, past L1 (ld.global.cg).
#include "timing.cuh"

__device__ float4 load_from_l2(const float4 *at)
{
    float4 x;
    asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "l"(at));
    return x;
}

// `passes` of 4 loads a thread; all CTAs together are spread over the buffer, whose `count` is a power of two.
__global__ void read_l2(const float4 *from, unsigned count, int passes, float *out)
{
    unsigned threads = gridDim.x * blockDim.x, at = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int pass = 0; pass < passes; pass++) {
        float4 x[4];
        for (int i = 0; i < 4; i++, at += threads)
            x[i] = load_from_l2(from + (at & (count - 1)));
        for (int i = 0; i < 4; i++)
            sum += x[i].x + x[i].y + x[i].z + x[i].w;
    }
    if (sum == 12345.678f) // never, which the compiler does not know
        *out = sum;
}

int main()
{
    const int passes = 512, threads = 512;
    unsigned l2 = unsigned(attribute(cudaDevAttrL2CacheSize)), blocks = unsigned(cores()) * 4, size = 1 << 20;
    while (size * 4 <= l2)
        size *= 2;
    float *from = filled<float>(size / 4), *out = filled<float>(1);
    header();
    for (unsigned bytes = size; bytes >= size / 4 && bytes >= 1 << 20; bytes /= 2) {
        double time = seconds([=] { read_l2<<<blocks, threads>>>((const float4 *)from, bytes / 16, passes, out); });
        row("l2: read of %d KiB", int(bytes >> 10), time, 0, 64.0 * passes * threads * blocks);
    }
}
