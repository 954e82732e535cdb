-- NVIDIA RTX A6000 48GB: GA102 with all 84 SMs, of Ampere; the RTX 6000 Ada is another product. Peaks stand at the
-- printed boost of 1.8 GHz; devices report 1.86. f16 accumulates in f32 at full rate.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "NVIDIA RTX A6000 48GB", aliases = { "a6000", "rtxa6000", "nvidia-rtx-a6000" },
  vendor = "NVIDIA", arch = "ampere", year = 2020,
  cores = 84, clock = 1.8e9, tdp = 300,

  matrix = { tf32 = 77.4e12, f16 = 154.8e12, bf16 = 154.8e12, i8 = 309.7e12, i4 = 619.4e12 },
  vector = { f64 = 0.605e12, f32 = 38.7e12, f16 = 38.7e12 },
  rate = {
    matrix = { tf32 = 512, f16 = 1024, bf16 = 1024, i8 = 2048, i4 = 4096 },
    vector = { f64 = 4, f32 = 256, f16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, i8 = 2, i4 = 2 },
  special = 16,
  matrix_tile = {
    tf32 = warp(16, 8, 8), f16 = warp(16, 8, 16), bf16 = warp(16, 8, 16), i8 = warp(16, 8, 32),
    i4 = warp(16, 8, 64),
  },

  hbm = { type = "GDDR6", capacity = 48e9, bandwidth = 768e9, bus = 384, data_rate = 16e9 },
  l2 = { capacity = 6 * MiB },
  smem = { per_core = 100 * KiB, per_cta = 99 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 48, max_ctas = 16, max_threads = 1024,
  link = { type = "NVLink3 bridge", bandwidth = 56.25e9, peer = 56.25e9 },

  sustained = {
    matrix = { f16 = 131.2e12 / 154.8e12, bf16 = 131.2e12 / 154.8e12 },
    hbm = 676e9 / 768e9,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement in October 2020 [C]",
    ["cores clock tdp matrix vector hbm link"] = "vendor: NVIDIA RTX A6000 datasheet, GA102 whitepaper, dense peaks [A]",
    ["vector.f64"] = "derived: f32 / 64 [A]",
    ["vector.f16"] = "derived: once f32 on GA10x [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["l2.capacity"] = "vendor: NVIDIA GA102 whitepaper [A]",
    ["smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 8.6 [A]",
    ["smem.bandwidth"] = "vendor: NVIDIA GA102 whitepaper, 32 banks of 4 bytes; scalar loads reach half [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: mag- gpu_benchmark, best torch matmul, 131.2 TFLOP/s [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.hbm"] = "microbenchmark: FluidX3D, mixed reads and writes, 676 GB/s [A]",
  },
}
