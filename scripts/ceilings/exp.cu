// exp.cu: rate of the special unit: ex2.approx, the one special op of an exp.  The column flops counts these ops.
#include "timing.cuh"

enum { CHAINS = 8 };

__device__ float exp2_of_minus(float x)
{
    asm volatile("{ .reg .f32 y; neg.ftz.f32 y, %0; ex2.approx.ftz.f32 %0, y; }" : "+f"(x));
    return x;
}

// x = 2^-x, which stays between 0 and 1: `steps` times in each of the chains of a thread.
__global__ void exponentials(int steps, float *out)
{
    float x[CHAINS], sum = 0;
    for (int i = 0; i < CHAINS; i++)
        x[i] = float(threadIdx.x + i) / 1024;
    for (int step = 0; step < steps; step++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++)
            x[i] = exp2_of_minus(x[i]);
    for (int i = 0; i < CHAINS; i++)
        sum += x[i];
    if (sum == 12345.678f) // never, which the compiler does not know
        *out = sum;
}

int main()
{
    const int threads = 512;
    int blocks = cores() * 2;
    float *out = filled<float>(1);
    header();
    for (int steps = 4096; steps <= 16384; steps *= 2) {
        double time = seconds([=] { exponentials<<<blocks, threads>>>(steps, out); });
        row("special: exp in %d steps", steps, time, double(steps) * CHAINS * threads * blocks, 0);
    }
}
