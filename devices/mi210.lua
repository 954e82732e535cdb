-- AMD Instinct MI210 64GB: one die of 104 compute units. i8 and i4 run at the rate of f16 (tables with 362 TOP/s are
-- wrong). Vector f32 is 22.6 TFLOP/s; 45.3 needs packed multiply-adds. Three links of 50 GB/s, each to one peer over
-- a bridge.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "AMD Instinct MI210 64GB PCIe", aliases = { "amd-mi210", "mi210-64gb" },
  vendor = "AMD", arch = "cdna2", year = 2022,
  cores = 104, clock = 1.7e9, tdp = 300,

  matrix = { f64 = 45.3e12, f32 = 45.3e12, f16 = 181e12, bf16 = 181e12, i8 = 181e12, i4 = 181e12 },
  vector = { f64 = 22.6e12, f32 = 22.6e12 },
  rate = {
    matrix = { f64 = 256, f32 = 256, f16 = 1024, bf16 = 1024, i8 = 1024, i4 = 1024 },
    vector = { f64 = 128, f32 = 128 },
  },
  special = 16,
  matrix_tile = {
    f64 = warp(16, 16, 4), f32 = warp(32, 32, 2), f16 = warp(32, 32, 8), bf16 = warp(32, 32, 8),
    i8 = warp(32, 32, 16),
  },

  hbm = { type = "HBM2e", capacity = 64e9, bandwidth = 1.6384e12, bus = 4096, data_rate = 3.2e9 },
  l2 = { capacity = 8 * MiB, bandwidth = 5.016e12 },
  smem = { per_core = 64 * KiB, per_cta = 64 * KiB, reserved = 0, bandwidth = 128 },
  registers = { per_core = 131072, per_thread = 512 },
  warp = 64, max_warps = 32, max_threads = 1024,
  launch = { stream = 1.13e-6, graph = 1.1e-6 },
  link = { type = "Infinity Fabric", bandwidth = 150e9, peer = 50e9, count = 3 },

  sustained = {
    matrix = { f16 = 142.8e12 / 181e12, bf16 = 142.8e12 / 181e12 },
    vector = 20.9e12 / 22.6e12,
    hbm = 1274e9 / 1638.4e9,
    smem = 17.715e12 / (104 * 128 * 1.7e9),
  },

  source = {
    ["year"] = "vendor: AMD, announcement in March 2022 [C]",
    ["cores clock tdp matrix vector hbm l2.capacity smem link"] = "vendor: AMD CDNA2 white paper, MI200 datasheets [A]",
    ["rate"] = "vendor: AMD CDNA white papers, FLOP a clock and CU [B]",
    ["rate.matrix.i4"] = "derived: peak / (CUs * clock) [B]",
    ["special"] = "derived: a quarter of 64 lanes a clock; in no table of AMD's [C]",
    ["matrix_tile"] = "vendor: AMD matrix instruction calculator [B]",
    ["l2.bandwidth"] = "microbenchmark: rocprofiler-compute roofline, 5016 GB/s; gpu-benches 5.0 to 5.1 TB/s [A]",
    ["registers warp max_warps max_threads"] = "vendor: ROCm, GPU hardware specifications [A]",
    ["registers.per_thread"] = "vendor: ROCm, 256 plain and 256 accumulation registers [B]",
    ["launch"] = "derived: gpu-benches small kernels, 2.03 us queued and 2.0 us in a graph, less 0.9 us of their own [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: mag- gpu_benchmark, best torch matmul, 142.8 TFLOP/s; loops in registers reach 170.5 [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.vector"] = "microbenchmark: rocprofiler-compute roofline, 20.9 TFLOP/s of f32 [A]",
    ["sustained.hbm"] = "microbenchmark: gpu-benches triad, 1248 to 1300 GB/s [A]",
    ["sustained.smem"] = "microbenchmark: rocprofiler-compute roofline, 17.7 TB/s, 100 bytes a clock and CU [A]",
  },
  exceptions = {
    ["ratio.i8 ratio.i4"] = "CDNA2 runs i8 and i4 at the rate of f16",
  },
}
