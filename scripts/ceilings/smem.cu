// smem.cu: read bandwidth of shared memory: 16 bytes a thread, neighbours side by side, so that no banks conflict.
#include "timing.cuh"

__device__ float4 load_shared(unsigned at)
{
    float4 x;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "r"(at));
    return x;
}

// `passes` of 4 loads a thread.
__global__ void read_shared(int passes, float *out)
{
    __shared__ float4 tile[1024]; // 16 KiB
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        tile[i] = make_float4(float(i), 1, 2, 3);
    __syncthreads();
    unsigned base = unsigned(__cvta_generic_to_shared(tile)), at = threadIdx.x;
    float sum = 0;
    for (int pass = 0; pass < passes; pass++) {
        float4 x[4];
        for (int i = 0; i < 4; i++, at += 32)
            x[i] = load_shared(base + (at & 1023) * 16);
        for (int i = 0; i < 4; i++)
            sum += x[i].x + x[i].y + x[i].z + x[i].w;
    }
    if (sum == 12345.678f) // never, which the compiler does not know
        *out = sum;
}

int main()
{
    const int threads = 512;
    unsigned blocks = unsigned(cores()) * 2; // 1024 threads a core
    float *out = filled<float>(1);
    header();
    for (int passes = 4096; passes <= 16384; passes *= 2) {
        double time = seconds([=] { read_shared<<<blocks, threads>>>(passes, out); });
        row("smem: read in %d passes", passes, time, 0, 64.0 * passes * threads * blocks);
    }
}
