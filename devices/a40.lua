-- NVIDIA A40 48GB: GA102 with all 84 SMs. 1.74 GHz gives the printed 149.7 TFLOP/s; 1.755 is printed, too. f16 and
-- bf16 accumulate in f32 at full rate, unlike on GeForce. NVLink joins two cards only.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "NVIDIA A40 48GB PCIe", aliases = { "nvidia-a40", "a40-48gb", "a40-pcie" },
  vendor = "NVIDIA", arch = "ampere", year = 2020,
  cores = 84, clock = 1.74e9, tdp = 300,

  matrix = { tf32 = 74.8e12, f16 = 149.7e12, bf16 = 149.7e12, i8 = 299.3e12, i4 = 598.7e12 },
  vector = { f64 = 0.584e12, f32 = 37.4e12, f16 = 37.4e12 },
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

  hbm = { type = "GDDR6", capacity = 48e9, bandwidth = 696e9, bus = 384, data_rate = 14.5e9 },
  l2 = { capacity = 6 * MiB, bandwidth = 2.44e12 },
  smem = { per_core = 100 * KiB, per_cta = 99 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 48, max_ctas = 16, max_threads = 1024,
  launch = { stream = 1.05e-6, graph = 0.19e-6 },
  link = { type = "NVLink3 bridge", bandwidth = 56.25e9, peer = 56.25e9 },

  sustained = { hbm = 655e9 / 696e9 },

  source = {
    ["year"] = "vendor: NVIDIA, announcement in October 2020 [C]",
    ["cores clock tdp matrix vector hbm link"] = "vendor: NVIDIA A40 datasheet, dense peaks [A]",
    ["vector.f64"] = "derived: f32 / 64 [A]",
    ["vector.f16"] = "derived: once f32 on GA10x [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["l2.capacity"] = "vendor: NVIDIA GA102 whitepaper [A]",
    ["l2.bandwidth"] = "microbenchmark: gpu-benches, 2440 GB/s [A]",
    ["launch"] = "derived: gpu-benches small kernels, 1.95 us queued and 1.09 us in a graph, less 0.9 us of their own [A]",
    ["smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 8.6 [A]",
    ["smem.bandwidth"] = "vendor: NVIDIA GA102 whitepaper, 32 banks of 4 bytes; scalar loads reach half [A]",
    ["sustained.hbm"] = "microbenchmark: gpu-benches triad, 655 GB/s [A]",
  },
}
