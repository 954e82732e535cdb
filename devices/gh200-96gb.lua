-- NVIDIA GH200 96GB, the GPU of the superchip with HBM3 at 4.0 TB/s. The 144 GB module (141 in some tables) has HBM3e
-- at 4.9. Two clocks, as the H100 SXM5. NVLink-C2C to the Grace CPU: 450 GB/s each way. The published best matmuls
-- (828.6 bf16, 1535 f8) are those of the larger, 900 W module, so no matrix share stands here.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end
local function group(k) return { m = 64, n = 256, k = k, step = 8, scope = "group" } end -- wgmma: four warps

return {
  name = "NVIDIA GH200 96GB", aliases = { "gh200", "grace-hopper" },
  vendor = "NVIDIA", arch = "hopper", year = 2023,
  cores = 132, clock = 1.98e9, matrix_clock = 1.83e9, tdp = 1000,

  matrix = { f64 = 66.9e12, tf32 = 494.7e12, f16 = 989.4e12, bf16 = 989.4e12, f8 = 1978.9e12, i8 = 1978.9e12 },
  vector = { f64 = 33.5e12, f32 = 66.9e12, f16 = 133.8e12 },
  rate = {
    matrix = { f64 = 256, tf32 = 2048, f16 = 4096, bf16 = 4096, f8 = 8192, i8 = 8192 },
    vector = { f64 = 128, f32 = 256, f16 = 512 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, i8 = 2 },
  special = 16,
  matrix_tile = {
    f64 = warp(16, 8, 16), tf32 = group(8), f16 = group(16), bf16 = group(16), f8 = group(32), i8 = group(32),
  },

  hbm = { type = "HBM3", capacity = 96e9, bandwidth = 4.022e12, bus = 6144, data_rate = 5.238e9 },
  l2 = { capacity = 50 * MiB, bandwidth = 9.8e12, per_core = 64, parts = 2 },
  smem = { per_core = 228 * KiB, per_cta = 227 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  launch = { stream = 1.58e-6, graph = 0.37e-6 },
  link = { type = "NVLink4", bandwidth = 450e9, peer = 450e9, count = 18 },

  sustained = {
    vector = 63e12 / 66.9e12,
    hbm = 3.534e12 / 4.022e12,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement at Computex 2023 [C]",
    ["cores clock"] = "vendor: device query [A]",
    ["matrix_clock"] = "vendor: listed compute clock of H100 and H200 SXM; 989.4e12 / (132 * 4096) [A]",
    ["matrix vector"] = "vendor: NVIDIA GH200 datasheet, digits of the H100 whitepaper, dense: half of the printed sparse peaks [A]",
    ["vector.f16"] = "vendor: NVIDIA H100 whitepaper, the same GPU [B]",
    ["tdp hbm link"] = "vendor: NVIDIA GH200 datasheet; 450 to 1000 W for the module [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, wgmma and mma shapes [B]",
    ["l2.capacity l2.parts"] = "vendor: NVIDIA H100 whitepaper [B]",
    ["l2.bandwidth"] = "microbenchmark: gpu-benches, 9.7 to 10 TB/s up to 40 MB; its files say h200, but their memory is that of a GH200 [A]",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 9.0 [A]",
    ["launch"] = "derived: gpu-benches small kernels, 2.48 us queued and 1.27 us in a graph, less 0.9 us of their own [A]",
    ["sustained.vector"] = "microbenchmark: OpenCL-Benchmark, 63.0 TFLOP/s of f32 [A]",
    ["sustained.hbm"] = "microbenchmark: gpu-benches triad, 3534 GB/s [A]",
  },
}
