-- NVIDIA H100 PCIe 80GB: GH100 with 114 of 144 SMs, 350 W, HBM2e at 2039 GB/s (tables that print HBM3 mean the SXM5).
-- Two clocks: 1.62 GHz gives the printed matrix peaks, 1.755 those of vectors and f64. 756.5 is dense, 1513 sparse
-- f16 or dense f8.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end
local function group(k) return { m = 64, n = 256, k = k, step = 8, scope = "group" } end -- wgmma: four warps

return {
  name = "NVIDIA H100 PCIe 80GB", aliases = { "h100-pcie-80gb" },
  vendor = "NVIDIA", arch = "hopper", year = 2022,
  cores = 114, clock = 1.755e9, matrix_clock = 1.62e9, tdp = 350,

  matrix = { f64 = 51.2e12, tf32 = 378e12, f16 = 756.5e12, bf16 = 756.5e12, f8 = 1513e12, i8 = 1513e12 },
  vector = { f64 = 25.6e12, f32 = 51.2e12, f16 = 102.4e12 },
  rate = {
    matrix = { f64 = 256, tf32 = 2048, f16 = 4096, bf16 = 4096, f8 = 8192, i8 = 8192 },
    vector = { f64 = 128, f32 = 256, f16 = 512 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, i8 = 2 },
  special = 16,
  matrix_tile = {
    f64 = warp(16, 8, 16), tf32 = group(8), f16 = group(16), bf16 = group(16), f8 = group(32), i8 = group(32),
  },

  hbm = { type = "HBM2e", capacity = 80e9, bandwidth = 2.039e12, bus = 5120, data_rate = 3.186e9 },
  l2 = { capacity = 50 * MiB, bandwidth = 7e12, latency = 336, per_core = 64, parts = 2 },
  smem = { per_core = 228 * KiB, per_cta = 227 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  link = { type = "NVLink4 bridge", bandwidth = 300e9, peer = 300e9 },

  sustained = {
    matrix = { f16 = 499.5e12 / 756.5e12, bf16 = 499.5e12 / 756.5e12 },
    hbm = 1832e9 / 2039e9,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement at GTC 2022 [C]",
    ["cores clock tdp matrix vector hbm l2.capacity l2.parts link"] = "vendor: NVIDIA H100 whitepaper and datasheet, dense: half of the printed sparse peaks [A]",
    ["matrix_clock"] = "derived: 756.5e12 / (114 * 4096) [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, wgmma and mma shapes [B]",
    ["l2.bandwidth"] = "microbenchmark: gpu-benches, 6.9 to 7.1 TB/s; 5.5 to 8.4 elsewhere; agrees with 3942 bytes a clock of Luo et al. 2024 [A]",
    ["l2.latency"] = "microbenchmark: Luo et al. 2024 on an H800 PCIe, mean of near 258 and far 414 clocks [A]",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 9.0 [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: mag- gpu_benchmark, best torch matmul, 499.5 TFLOP/s at 350 W [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.hbm"] = "microbenchmark: gpu-benches triad, 1832 GB/s [A]",
  },
}
