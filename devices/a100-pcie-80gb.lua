-- NVIDIA A100 PCIe 80GB: the GPU of the SXM4 board at 300 W, with slower memory. NVLink joins two cards only.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "NVIDIA A100 PCIe 80GB", aliases = { "a100-pcie", "a100-pcie-80g" },
  vendor = "NVIDIA", arch = "ampere", year = 2021,
  cores = 108, clock = 1.41e9, tdp = 300,

  matrix = { f64 = 19.5e12, tf32 = 156e12, f16 = 312e12, bf16 = 312e12, i8 = 624e12, i4 = 1248e12 },
  vector = { f64 = 9.7e12, f32 = 19.5e12, f16 = 78e12, bf16 = 39e12 },
  rate = {
    matrix = { f64 = 128, tf32 = 1024, f16 = 2048, bf16 = 2048, i8 = 4096, i4 = 8192 },
    vector = { f64 = 64, f32 = 128, f16 = 512, bf16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, i8 = 2, i4 = 2 },
  special = 16,
  matrix_tile = {
    f64 = warp(8, 8, 4), tf32 = warp(16, 8, 8), f16 = warp(16, 8, 16), bf16 = warp(16, 8, 16),
    i8 = warp(16, 8, 32), i4 = warp(16, 8, 64),
  },

  hbm = { type = "HBM2e", capacity = 80e9, bandwidth = 1.935e12, bus = 5120, data_rate = 3.024e9 },
  l2 = { capacity = 40 * MiB, bandwidth = 3.094e12, latency = 282, per_core = 64, parts = 2 },
  smem = { per_core = 164 * KiB, per_cta = 163 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  link = { type = "NVLink3 bridge", bandwidth = 300e9, peer = 300e9 },

  sustained = {
    matrix = { f16 = 252.9e12 / 312e12, bf16 = 252.9e12 / 312e12 },
    hbm = 1519.8e9 / 1935e9,
    smem = 111.7 / 128,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement at ISC 2021 [C]",
    ["cores clock matrix vector l2.capacity l2.parts"] = "vendor: NVIDIA A100 whitepaper, dense peaks [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["hbm tdp link"] = "vendor: NVIDIA A100 datasheet [A]",
    ["l2.bandwidth"] = "microbenchmark: ChipBenchmarker; Luo et al. 2024 find 2.83 TB/s on the 40 GB card, gpu-benches 4.6 on the SXM4 board [A]",
    ["l2.latency"] = "microbenchmark: Luo et al. 2024 on the 40 GB card, mean of near 208 and far 356.6 clocks [A]",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 8.0 [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: ml-engineering, best of many shapes, 252.9 TFLOP/s [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.hbm"] = "microbenchmark: ChipBenchmarker copy, 1519.8 GB/s [A]",
    ["sustained.smem"] = "microbenchmark: ChipBenchmarker, 111.7 bytes a clock and SM [A]",
  },
}
