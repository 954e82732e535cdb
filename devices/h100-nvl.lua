-- NVIDIA H100 NVL 94GB, one card: older sheets print the pair (188 GB, 7.8 TB/s). GH100 with 132 of 144 SMs. Two
-- clocks: 1.545 GHz gives the printed matrix peaks, 1.785 those of vectors and f64.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end
local function group(k) return { m = 64, n = 256, k = k, step = 8, scope = "group" } end -- wgmma: four warps

return {
  name = "NVIDIA H100 NVL 94GB", aliases = { "h100-nvl-94gb" },
  vendor = "NVIDIA", arch = "hopper", year = 2023,
  cores = 132, clock = 1.785e9, matrix_clock = 1.545e9, tdp = 400,

  matrix = { f64 = 60e12, tf32 = 417.5e12, f16 = 835.5e12, bf16 = 835.5e12, f8 = 1671e12, i8 = 1671e12 },
  vector = { f64 = 30e12, f32 = 60e12, f16 = 120.6e12 },
  rate = {
    matrix = { f64 = 256, tf32 = 2048, f16 = 4096, bf16 = 4096, f8 = 8192, i8 = 8192 },
    vector = { f64 = 128, f32 = 256, f16 = 512 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, i8 = 2 },
  special = 16,
  matrix_tile = {
    f64 = warp(16, 8, 16), tf32 = group(8), f16 = group(16), bf16 = group(16), f8 = group(32), i8 = group(32),
  },

  hbm = { type = "HBM3", capacity = 94e9, bandwidth = 3.938e12, bus = 6016, data_rate = 5.238e9 },
  l2 = { capacity = 50 * MiB, per_core = 64, parts = 2 },
  smem = { per_core = 228 * KiB, per_cta = 227 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  link = { type = "NVLink4 bridge", bandwidth = 300e9, peer = 300e9 },

  sustained = {
    matrix = { f16 = 488.5e12 / 835.5e12, bf16 = 488.5e12 / 835.5e12 },
    hbm = 3303.8e9 / 3938e9,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement at GTC 2023 [C]",
    ["cores clock hbm"] = "vendor: NVIDIA H100 NVL product brief [A]",
    ["matrix vector"] = "vendor: NVIDIA H100 NVL datasheet, one GPU of the pair, dense: half of the printed sparse peaks [A]",
    ["vector.f16"] = "derived: 2 * f32 at 1.785 GHz [A]",
    ["matrix_clock"] = "derived: 835.5e12 / (132 * 4096) [A]",
    ["tdp link l2.parts"] = "vendor: NVIDIA H100 whitepaper and datasheet; 350 to 400 W [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, wgmma and mma shapes [B]",
    ["l2.capacity"] = "vendor: NVIDIA H100 whitepaper [B]",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 9.0 [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: mag- gpu_benchmark, best torch matmul, 488.5 TFLOP/s, limited by power [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.hbm"] = "microbenchmark: BabelStream triad, 3303.8 GB/s [A]",
  },
}
