-- NVIDIA H200 SXM 141GB: the GPU of the H100 SXM5 with HBM3e.
local KiB, MiB = 2^10, 2^20

local function group(k) return { m = 64, n = 256, k = k, step = 8, scope = "group" } end -- wgmma: four warps

return {
  name = "NVIDIA H200 SXM 141GB", aliases = { "h200", "h200-sxm5", "h200-sxm-141gb" },
  vendor = "NVIDIA", arch = "hopper", year = 2023,
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

  hbm = { type = "HBM3e", capacity = 141e9, bandwidth = 4.8e12, bus = 6144, data_rate = 6.25e9 },
  l2 = { capacity = 50 * MiB, bandwidth = 9.8e12, latency = 336, per_core = 64, parts = 2 },
  smem = { per_core = 228 * KiB, per_cta = 227 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  link = { type = "NVLink4", bandwidth = 450e9, peer = 450e9, count = 18 },

  sustained = {
    matrix = { f16 = 794.5e12 / 989.4e12, bf16 = 794.5e12 / 989.4e12, f8 = 1453.4e12 / 1978.9e12 },
    hbm = 4.15e12 / 4.8e12,
  },

  source = {
    ["year tdp matrix vector link"] = "vendor: NVIDIA H200 datasheet, digits of the H100 whitepaper, dense [A]",
    ["vector.f16"] = "vendor: NVIDIA H100 whitepaper, the same GPU [B]",
    ["cores clock l2.capacity l2.parts"] = "vendor: NVIDIA H100 whitepaper, the same GPU [A]",
    ["matrix_clock"] = "vendor: listed compute clock of H100 and H200 SXM; 989.4e12 / (132 * 4096) [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, wgmma and mma shapes [B]",
    ["hbm"] = "vendor: NVIDIA H200 datasheet [A]",
    ["hbm.bus"] = "vendor: recalled [C]",
    ["hbm.data_rate"] = "derived: bandwidth * 8 / bus; the device's clock would give 4.92 TB/s [C]",
    ["l2.bandwidth"] = "microbenchmark: gpu-benches on a GH200, the same chip with 132 SMs, 9.7 to 10 TB/s [A]",
    ["l2.latency"] = "microbenchmark: Luo et al. 2024 on an H800 PCIe, mean of near 258 and far 414 clocks [A]",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 9.0 [A]",
    ["link.peer"] = "vendor: NVIDIA H200 datasheet, through NVSwitch; 396 GB/s measured [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: ml-engineering, stated to be that of the H100 SXM [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.matrix.f8"] = "microbenchmark: ml-engineering, best of many shapes, 1453.4 TFLOP/s [A]",
    ["sustained.hbm"] = "microbenchmark: Azure AI benchmarking guide, BabelStream triad, 4.15 TB/s [A]",
  },
}
