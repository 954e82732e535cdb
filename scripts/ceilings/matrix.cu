// matrix.cu: rate of mma.sync in f16 and bf16, accumulating in f32: all operands in registers, eight accumulators a
// warp.  It is the peak of a device whose matmuls use it (Ampere, Ada, consumer Blackwell), and about 0.63 of that of
// Hopper and of Blackwell in data centres, which have wgmma and tcgen05.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "timing.cuh"

using namespace nvcuda;

enum { ACCUMULATORS = 8 };

template <typename T> __global__ void multiply(const T *from, int steps, float *out)
{
#if __CUDA_ARCH__ >= 800 // main sees to it
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> b[ACCUMULATORS];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[ACCUMULATORS];
    wmma::load_matrix_sync(a, from, 16);
    for (int i = 0; i < ACCUMULATORS; i++) {
        wmma::load_matrix_sync(b[i], from + 256 * (i + 1), 16);
        wmma::fill_fragment(c[i], 0.0f);
    }
    for (int step = 0; step < steps; step++)
#pragma unroll
        for (int i = 0; i < ACCUMULATORS; i++)
            wmma::mma_sync(c[i], a, b[i], c[i]);
    for (int i = 0; i < ACCUMULATORS; i++)
        if (c[i].x[0] == 12345.678f) // never, which the compiler does not know
            wmma::store_matrix_sync(out, c[i], 16, wmma::mem_row_major);
#endif
}

template <typename T> void measure(const char *name)
{
    const int threads = 256;
    int blocks = cores() * 2;
    T *from = filled<T>(256 * (ACCUMULATORS + 1));
    float *out = filled<float>(256);
    for (int steps = 2048; steps <= 8192; steps *= 2) {
        double time = seconds([=] { multiply<<<blocks, threads>>>(from, steps, out); });
        double products = double(steps) * ACCUMULATORS * (threads / 32) * blocks; // of 16 x 16 x 16
        row(name, steps, time, 2 * 4096 * products, 0);
    }
}

int main()
{
    header();
    if (attribute(cudaDevAttrComputeCapabilityMajor) < 8) {
        fputs("matrix: Ampere or newer is needed\n", stderr);
        return 0;
    }
    measure<__half>("matrix: mma.sync f16 in %d steps");
    measure<__nv_bfloat16>("matrix: mma.sync bf16 in %d steps");
}
