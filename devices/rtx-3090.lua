-- NVIDIA GeForce RTX 3090 24GB: GA102 with 82 of 84 SMs. The 3090 Ti is another product. Peaks stand at the printed
-- boost of 1.695 GHz; boards run at up to 1.86, so measured matmuls pass them. f16, bf16 and tf32 with f32
-- accumulate, which GeForce halves; accumulating in f16 gives 142.3 TFLOP/s of f16.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "NVIDIA GeForce RTX 3090 24GB", aliases = { "3090", "rtx3090", "geforce-rtx-3090", "nvidia-3090" },
  vendor = "NVIDIA", arch = "ampere", year = 2020,
  cores = 82, clock = 1.695e9, tdp = 350,

  matrix = { tf32 = 35.6e12, f16 = 71.2e12, bf16 = 71.2e12, i8 = 284.7e12, i4 = 569e12 },
  vector = { f64 = 0.556e12, f32 = 35.6e12, f16 = 35.6e12 },
  rate = {
    matrix = { tf32 = 256, f16 = 512, bf16 = 512, i8 = 2048, i4 = 4096 },
    vector = { f64 = 4, f32 = 256, f16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, i8 = 2, i4 = 2 },
  special = 16,
  matrix_tile = {
    tf32 = warp(16, 8, 8), f16 = warp(16, 8, 16), bf16 = warp(16, 8, 16), i8 = warp(16, 8, 32),
    i4 = warp(16, 8, 64),
  },

  hbm = { type = "GDDR6X", capacity = 24e9, bandwidth = 936e9, bus = 384, data_rate = 19.5e9 },
  l2 = { capacity = 6 * MiB },
  smem = { per_core = 100 * KiB, per_cta = 99 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 48, max_ctas = 16, max_threads = 1024,
  link = { type = "NVLink3 bridge", bandwidth = 56.25e9, peer = 56.25e9 },

  sustained = {
    matrix = { f16 = 1, bf16 = 1 },
    hbm = 829e9 / 936e9,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement in September 2020 [C]",
    ["cores clock tdp matrix vector hbm l2.capacity link"] = "vendor: NVIDIA GA102 whitepaper, dense peaks [A]",
    ["vector.f64"] = "derived: f32 / 64 [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 8.6 [A]",
    ["smem.bandwidth"] = "vendor: NVIDIA GA102 whitepaper, 32 banks of 4 bytes; scalar loads reach half [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: mag- gpu_benchmark, 78.0 TFLOP/s, above the peak: capped at 1; the board ran above 1.695 GHz [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.hbm"] = "microbenchmark: FluidX3D, mixed reads and writes, 829 GB/s [A]",
  },
  exceptions = {
    ["ratio.i8 ratio.i4"] = "GeForce halves f16 with f32 accumulate, not i8 and i4",
  },
}
