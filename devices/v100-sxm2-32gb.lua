-- NVIDIA V100 SXM2 32GB: GV100 with 80 of 84 SMs. "v100" means the 16 GB board.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "NVIDIA V100 SXM2 32GB", aliases = { "v100-32gb", "v100-sxm2-32g" },
  vendor = "NVIDIA", arch = "volta", year = 2018,
  cores = 80, clock = 1.53e9, tdp = 300,

  matrix = { f16 = 125e12 },
  vector = { f64 = 7.8e12, f32 = 15.7e12, f16 = 31.4e12 },
  rate = { matrix = { f16 = 1024 }, vector = { f64 = 64, f32 = 128, f16 = 256 } },
  special = 16,
  matrix_tile = { f16 = warp(8, 8, 4) },

  hbm = { type = "HBM2", capacity = 32e9, bandwidth = 900e9, bus = 4096, data_rate = 1.754e9 },
  l2 = { capacity = 6 * MiB, bandwidth = 2.4e12, per_core = 64, parts = 1 },
  smem = { per_core = 96 * KiB, per_cta = 96 * KiB, reserved = 0, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  link = { type = "NVLink2", bandwidth = 150e9, count = 6 },

  sustained = {
    matrix = { f16 = 94e12 / 125e12 },
    hbm = 814e9 / 900e9,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement at GTC 2018 [C]",
    ["cores clock tdp matrix vector hbm l2.capacity link"] = "vendor: NVIDIA V100 datasheet, Volta whitepaper [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [A]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["l2.bandwidth"] = "microbenchmark: gpu-benches, 2330 to 2440 GB/s on a V100 PCIe at 1380 MHz [A]",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 7.0 [A]",
    ["l2.parts"] = "assumed: one",
    ["sustained.matrix"] = "microbenchmark: mag- gpu_benchmark, best torch matmul, 94.0 TFLOP/s [A]",
    ["sustained.hbm"] = "microbenchmark: gpu-benches triad, 814 GB/s on a V100 PCIe of the same memory clock [A]",
  },
}
