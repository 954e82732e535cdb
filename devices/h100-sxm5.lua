-- NVIDIA H100 SXM5 80GB: GH100 with 132 of 144 SMs.
-- Two clocks: 1.83 GHz gives the printed matrix peaks, 1.98 GHz (the maximum) those of vectors and f64.
-- Early figures (1000 of f16, 2000 of f8, 60 of f32, 3.0 TB/s) are superseded.
local KiB, MiB = 2^10, 2^20

local function group(k) return { m = 64, n = 256, k = k, step = 8, scope = "group" } end -- wgmma: four warps

return {
  name = "NVIDIA H100 SXM5 80GB", aliases = { "h100", "h100-sxm", "h100-sxm5-80gb" },
  vendor = "NVIDIA", arch = "hopper", year = 2022,
  cores = 132, clock = 1.98e9, matrix_clock = 1.83e9, tdp = 700,

  matrix = { f64 = 66.9e12, tf32 = 494.7e12, f16 = 989.4e12, bf16 = 989.4e12, f8 = 1978.9e12, i8 = 1978.9e12 },
  vector = { f64 = 33.5e12, f32 = 66.9e12, f16 = 133.8e12 },
  rate = {
    matrix = { f64 = 256, tf32 = 2048, f16 = 4096, bf16 = 4096, f8 = 8192, i8 = 8192 },
    vector = { f64 = 128, f32 = 256, f16 = 512 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, i8 = 2 },
  special = 16,
  matrix_tile = {
    f64 = { m = 16, n = 8, k = 16, scope = "warp" },
    tf32 = group(8), f16 = group(16), bf16 = group(16), f8 = group(32), i8 = group(32),
  },

  hbm = { type = "HBM3", capacity = 80e9, bandwidth = 3.352e12, bus = 5120, data_rate = 5.238e9 },
  l2 = { capacity = 50 * MiB, bandwidth = 9.8e12, latency = 336, per_core = 64, parts = 2 },
  smem = { per_core = 228 * KiB, per_cta = 227 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  link = { type = "NVLink4", bandwidth = 450e9, peer = 450e9, count = 18 },

  sustained = {
    matrix = { f16 = 794.5e12 / 989.4e12, bf16 = 794.5e12 / 989.4e12, f8 = 1402.6e12 / 1978.9e12 },
    hbm = 2.97e12 / 3.352e12,
  },

  fitted = { matrix = 0.73, hbm = 0.87, fixed = 2.4e-6 },

  source = {
    ["year cores clock tdp matrix vector hbm link"] = "vendor: NVIDIA H100 whitepaper and datasheet, dense: half of the printed sparse peaks [A]",
    ["matrix_clock"] = "vendor: listed compute clock; 989.4e12 / (132 * 4096) [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, wgmma and mma shapes [B]",
    ["l2.capacity l2.parts"] = "vendor: device query, 52428800 bytes in two halves; the full die has 60 MiB [A]",
    ["l2.bandwidth"] = "microbenchmark: gpu-benches on a GH200, the same chip with 132 SMs, 9.7 to 10 TB/s; never the PCIe card's 7.0 [A]",
    ["l2.latency"] = "microbenchmark: Luo et al. 2024 on an H800 PCIe, mean of near 258 and far 414 clocks [A]",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 9.0 [A]",
    ["link.peer"] = "vendor: NVIDIA H100 datasheet, through NVSwitch [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: ml-engineering, best of many shapes, 794.5 TFLOP/s [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.matrix.f8"] = "microbenchmark: ml-engineering, best of many shapes, 1402.6 TFLOP/s [A]",
    ["sustained.hbm"] = "microbenchmark: Azure AI benchmarking guide, BabelStream triad, 2.97 TB/s [A]",
    ["fitted"] = "fitted to matmuls, attention, norms and streams measured by others: `accuracy -f`, then weighed between classes by hand [A]",
  },
}
