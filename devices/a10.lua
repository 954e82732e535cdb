-- NVIDIA A10 24GB: GA102 with 72 of 84 SMs. The A10G of clouds is another product, with half of the matrix peak.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "NVIDIA A10 24GB PCIe", aliases = { "nvidia-a10", "a10-24gb", "a10-pcie" },
  vendor = "NVIDIA", arch = "ampere", year = 2021,
  cores = 72, clock = 1.695e9, tdp = 150,

  matrix = { tf32 = 62.5e12, f16 = 125e12, bf16 = 125e12, i8 = 250e12, i4 = 500e12 },
  vector = { f64 = 0.487e12, f32 = 31.2e12, f16 = 31.2e12 },
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

  hbm = { type = "GDDR6", capacity = 24e9, bandwidth = 600e9, bus = 384, data_rate = 12.5e9 },
  l2 = { capacity = 6 * MiB },
  smem = { per_core = 100 * KiB, per_cta = 99 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 48, max_ctas = 16, max_threads = 1024,

  sustained = { hbm = 448e9 / 600e9 },

  source = {
    ["year"] = "vendor: NVIDIA, announcement at GTC 2021 [C]",
    ["cores clock tdp matrix vector hbm"] = "vendor: NVIDIA A10 datasheet, dense peaks [A]",
    ["vector.f64"] = "derived: f32 / 64 [A]",
    ["vector.f16"] = "derived: once f32 on GA10x [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["l2.capacity"] = "vendor: NVIDIA GA102 whitepaper [A]",
    ["smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 8.6 [A]",
    ["smem.bandwidth"] = "vendor: NVIDIA GA102 whitepaper, 32 banks of 4 bytes; scalar loads reach half [A]",
    ["sustained.hbm"] = "microbenchmark: FluidX3D, mixed reads and writes, 448 GB/s [A]",
  },
}
