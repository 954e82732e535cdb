-- NVIDIA L4 24GB: AD104 with 60 SMs, a card of 72 W. The device reports up to 2.04 GHz; the printed peaks stand at
-- 1.97, and that is the clock here. Sparse figures (242 f16, 485 f8) are printed first.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "NVIDIA L4 24GB PCIe", aliases = { "nvidia-l4", "l4-24gb", "l4-pcie" },
  vendor = "NVIDIA", arch = "ada", year = 2023,
  cores = 60, clock = 1.97e9, tdp = 72,

  matrix = { tf32 = 60e12, f16 = 121e12, bf16 = 121e12, f8 = 242.5e12, i8 = 242.5e12, i4 = 485e12 },
  vector = { f64 = 0.47e12, f32 = 30.3e12, f16 = 30.3e12 },
  rate = {
    matrix = { tf32 = 512, f16 = 1024, bf16 = 1024, f8 = 2048, i8 = 2048, i4 = 4096 },
    vector = { f64 = 4, f32 = 256, f16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, i8 = 2, i4 = 2 },
  special = 16,
  matrix_tile = {
    tf32 = warp(16, 8, 8), f16 = warp(16, 8, 16), bf16 = warp(16, 8, 16), f8 = warp(16, 8, 32),
    i8 = warp(16, 8, 32), i4 = warp(16, 8, 64),
  },

  hbm = { type = "GDDR6", capacity = 24e9, bandwidth = 300e9, bus = 192, data_rate = 12.5e9 },
  l2 = { capacity = 48 * MiB },
  smem = { per_core = 100 * KiB, per_cta = 99 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 48, max_ctas = 24, max_threads = 1024,

  sustained = {
    matrix = { f16 = 87e12 / 121e12, bf16 = 91.4e12 / 121e12, f8 = 188e12 / 242.5e12, i8 = 165e12 / 242.5e12 },
    hbm = 228e9 / 300e9,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement at GTC 2023 [C]",
    ["cores tdp matrix vector hbm"] = "vendor: NVIDIA L4 datasheet, dense: half of the printed sparse peaks [A]",
    ["clock"] = "derived: 121e12 / (60 * 1024), which gives all printed peaks; 2.04 GHz at most [A]",
    ["matrix.i4"] = "derived: 2 * i8 [A]",
    ["vector.f64"] = "derived: f32 / 64 [A]",
    ["vector.f16"] = "derived: once f32 on Ada [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["l2.capacity"] = "vendor: NVIDIA Ada whitepaper [A]",
    ["smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 8.9 [A]",
    ["smem.bandwidth"] = "vendor: NVIDIA GA102 whitepaper, 32 banks of 4 bytes; scalar loads reach half [A]",
    ["sustained.matrix"] = "microbenchmark: NVIDIA developer forum, 87 f16, 188 f8, 165 i8 [B]",
    ["sustained.matrix.bf16"] = "microbenchmark: mag- gpu_benchmark, best torch matmul, 91.4 TFLOP/s [A]",
    ["sustained.hbm"] = "microbenchmark: FluidX3D, mixed reads and writes, 228 GB/s [A]",
  },
}
