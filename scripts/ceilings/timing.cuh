// timing.cuh: how the programs of this folder time a kernel, and the CSV that they print.
//
// name,time,flops,bytes: seconds of one launch, and the FLOP and bytes that it does and moves.  A name begins with
// the roof that its figures are of: hbm, l2, smem, matrix, special, launch.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

inline int attribute(cudaDeviceAttr what)
{
    int value = 0;
    check(cudaDeviceGetAttribute(&value, what, 0));
    return value;
}

inline int cores() { return attribute(cudaDevAttrMultiProcessorCount); }

// Memory of the GPU that holds small numbers, no two neighbours alike.
template <typename T> T *filled(size_t count)
{
    T *memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T)));
    std::vector<T> pattern(std::min<size_t>(count, 1 << 20));
    for (size_t i = 0; i < pattern.size(); i++)
        pattern[i] = T(float(i % 251) / 256 - 0.5f);
    for (size_t at = 0; at < count; at += pattern.size())
        check(cudaMemcpy(memory + at, pattern.data(), std::min(pattern.size(), count - at) * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

// Seconds of `count` launches, one behind the other in a stream.
template <typename Launch> double run(Launch launch, int count, cudaEvent_t begin, cudaEvent_t end)
{
    float ms = 0;
    check(cudaEventRecord(begin));
    for (int i = 0; i < count; i++)
        launch();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaGetLastError());
    check(cudaEventElapsedTime(&ms, begin, end));
    return ms * 1e-3;
}

// Seconds of one launch, the gap before it included: the median of 15 runs of 5 ms or more.
template <typename Launch> double seconds(Launch launch)
{
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    int count = 1;
    run(launch, count, begin, end); // the first loads the program
    while (run(launch, count, begin, end) < 5e-3)
        count *= 2;
    std::vector<double> times(15);
    for (double &time : times)
        time = run(launch, count, begin, end) / count;
    std::nth_element(times.begin(), times.begin() + 7, times.end());
    return times[7];
}

inline void header() { puts("name,time,flops,bytes"); }

// `name` is a format for `size`.
inline void row(const char *name, int size, double time, double flops, double bytes)
{
    printf(name, size);
    printf(",%.6g,%.17g,%.17g\n", time, flops, bytes);
}
