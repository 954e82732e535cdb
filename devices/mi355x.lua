-- AMD Instinct MI355X 288GB: eight dies of 32 compute units, each die with its own 4 MiB of L2. 1.4 kW; the MI350X
-- has 2300 TFLOP/s of f16. No tf32. f64 by matrix instructions is halved from CDNA3; f6 runs at the rate of f4. 10.1
-- PFLOP/s of f8 are sparse.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "AMD Instinct MI355X 288GB", aliases = { "amd-mi355x", "mi355x-288gb", "mi355" },
  vendor = "AMD", arch = "cdna4", year = 2025,
  cores = 256, clock = 2.4e9, tdp = 1400,

  matrix = {
    f64 = 78.6e12, f32 = 157.3e12, f16 = 2516.6e12, bf16 = 2516.6e12, f8 = 5033e12, f6 = 10066e12,
    f4 = 10066e12, i8 = 5033e12,
  },
  vector = { f64 = 78.6e12, f32 = 157.3e12, f16 = 157.3e12 },
  rate = {
    matrix = { f64 = 128, f32 = 256, f16 = 4096, bf16 = 4096, f8 = 8192, f6 = 16384, f4 = 16384, i8 = 8192 },
    vector = { f64 = 128, f32 = 256, f16 = 256 },
  },
  sparse = { f16 = 2, bf16 = 2, f8 = 2, i8 = 2 },
  special = 16,
  matrix_tile = {
    f16 = warp(32, 32, 16), bf16 = warp(32, 32, 16), f8 = warp(32, 32, 64), f6 = warp(32, 32, 64),
    f4 = warp(32, 32, 64), i8 = warp(32, 32, 32),
  },

  hbm = { type = "HBM3E", capacity = 288e9, bandwidth = 8.192e12, bus = 8192, data_rate = 8e9 },
  llc = { capacity = 256 * MiB },
  l2 = { capacity = 32 * MiB, parts = 8 },
  smem = { per_core = 160 * KiB, per_cta = 160 * KiB, reserved = 0, bandwidth = 256 },
  registers = { per_core = 131072, per_thread = 512 },
  warp = 64, max_warps = 32, max_threads = 1024,
  link = { type = "Infinity Fabric", bandwidth = 537.6e9, peer = 76.8e9, count = 7 },

  sustained = {
    matrix = { f16 = 1565e12 / 2516.6e12, bf16 = 1565e12 / 2516.6e12, f8 = 3130e12 / 5033e12 },
    vector = 138.2e12 / 157.3e12,
    hbm = 5439e9 / 8192e9,
    smem = 195 / 256,
  },

  source = {
    ["year"] = "vendor: AMD, announcement in June 2025 [C]",
    ["cores clock tdp matrix vector hbm llc smem link"] = "vendor: AMD CDNA4 white paper, MI355X brochure [A]",
    ["vector.f16"] = "derived: 256 FLOP a clock and CU; 143.5 measured [A]",
    ["rate"] = "vendor: AMD CDNA white papers, FLOP a clock and CU [B]",
    ["sparse"] = "vendor: AMD Instinct data sheets, peaks with structured sparsity over dense ones; none of f6 and f4 [B]",
    ["special"] = "derived: a quarter of 64 lanes a clock; AMD states a doubling for CDNA4 without a figure [C]",
    ["matrix_tile"] = "vendor: AMD matrix instruction calculator [B]",
    ["l2"] = "derived: 8 dies of 4 MiB; what all use is held 8 times [A]",
    ["registers warp max_warps max_threads"] = "vendor: ROCm, GPU hardware specifications [A]",
    ["registers.per_thread"] = "vendor: ROCm, 256 plain and 256 accumulation registers [B]",
    ["sustained.matrix.bf16"] = "microbenchmark: ml-engineering, best of many shapes, 1565 TFLOP/s [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.matrix.f8"] = "microbenchmark: ROCm blog on CDNA4 f8 matmul, 3130 TFLOP/s at 8192 cubed [A]",
    ["sustained.vector"] = "microbenchmark: OpenCL-Benchmark, 138.2 TFLOP/s of f32 [A]",
    ["sustained.hbm"] = "microbenchmark: OpenCL-Benchmark, 5439 GB/s written, 4903 read [A]",
    ["sustained.smem"] = "microbenchmark: ROCm blog on CDNA4 matmul, 180 to 210 bytes a clock and CU by width of access [A]",
  },
}
