// empty.cu: what a kernel takes that does nothing: the gap before it in a stream, its own start and end.
#include "timing.cuh"

__global__ void empty() {}

int main()
{
    header();
    for (int threads = 32; threads <= 1024; threads *= 2) {
        int blocks = cores();
        row("launch: empty with %d threads a core", threads, seconds([=] { empty<<<blocks, threads>>>(); }), 0, 0);
    }
    row("launch: empty with %d warp", 1, seconds([=] { empty<<<1, 32>>>(); }), 0, 0);
}
