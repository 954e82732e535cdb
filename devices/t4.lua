-- NVIDIA T4 16GB: TU104 with 40 of 48 SMs, a card of 70 W, whose clock falls far below boost under load. The memory
-- is 320 GB/s; a table of FluidX3D that prints 300 is not followed. No bf16, no tf32, no NVLink.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "NVIDIA T4 16GB PCIe", aliases = { "tesla-t4", "nvidia-t4", "t4-16gb" },
  vendor = "NVIDIA", arch = "turing", year = 2018,
  cores = 40, clock = 1.59e9, tdp = 70,

  matrix = { f16 = 65e12, i8 = 130e12, i4 = 260e12 },
  vector = { f64 = 0.254e12, f32 = 8.1e12, f16 = 16.3e12 },
  rate = {
    matrix = { f16 = 1024, i8 = 2048, i4 = 4096 },
    vector = { f64 = 4, f32 = 128, f16 = 256 },
  },
  special = 16,
  matrix_tile = { f16 = warp(16, 8, 8), i8 = warp(8, 8, 16), i4 = warp(8, 8, 32) },

  hbm = { type = "GDDR6", capacity = 16e9, bandwidth = 320e9, bus = 256, data_rate = 10e9 },
  l2 = { capacity = 4 * MiB },
  smem = { per_core = 64 * KiB, per_cta = 64 * KiB, bandwidth = 64 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 32, max_ctas = 16, max_threads = 1024,

  sustained = {
    matrix = { f16 = 49.4e12 / 65e12 },
    vector = 7.46e12 / 8.1e12,
    hbm = 220e9 / 320e9,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement at GTC Japan 2018 [C]",
    ["cores clock tdp matrix vector hbm l2.capacity"] = "vendor: NVIDIA T4 datasheet, Turing whitepaper [A]",
    ["vector.f64"] = "derived: f32 / 32 [A]",
    ["vector.f16"] = "derived: 2 * f32 [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [A]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 7.5 [A]",
    ["smem.bandwidth"] = "vendor: NVIDIA GA102 whitepaper, half of what GA10x has [A]",
    ["sustained.matrix"] = "microbenchmark: Armbruster, tensor core matmul, cuBLAS, 49.4 TFLOP/s at 70 W [A]",
    ["sustained.vector"] = "microbenchmark: Armbruster, 7.46 TFLOP/s of f32 [A]",
    ["sustained.hbm"] = "microbenchmark: Jia et al. 2019, 220 GB/s read [B]",
  },
}
