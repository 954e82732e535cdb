-- NVIDIA A100 SXM4 80GB: GA100 with 108 of 128 SMs. The 40 GB board has slower memory: ridge 201, not 153.
local KiB, MiB = 2^10, 2^20

return {
  name = "NVIDIA A100 SXM4 80GB", aliases = { "a100", "a100-80gb", "a100-sxm", "a100-sxm4", "a100-sxm-80gb" },
  vendor = "NVIDIA", arch = "ampere", year = 2020,
  cores = 108, clock = 1.41e9, tdp = 400,

  matrix = { f64 = 19.5e12, tf32 = 156e12, f16 = 312e12, bf16 = 312e12, i8 = 624e12, i4 = 1248e12 },
  vector = { f64 = 9.7e12, f32 = 19.5e12, f16 = 78e12, bf16 = 39e12 },
  rate = {
    matrix = { f64 = 128, tf32 = 1024, f16 = 2048, bf16 = 2048, i8 = 4096, i4 = 8192 },
    vector = { f64 = 64, f32 = 128, f16 = 512, bf16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, i8 = 2, i4 = 2 },
  special = 16,
  matrix_tile = {
    f64 = { m = 8, n = 8, k = 4, scope = "warp" },
    tf32 = { m = 16, n = 8, k = 8, scope = "warp" },
    f16 = { m = 16, n = 8, k = 16, scope = "warp" },
    bf16 = { m = 16, n = 8, k = 16, scope = "warp" },
    i8 = { m = 16, n = 8, k = 32, scope = "warp" },
    i4 = { m = 16, n = 8, k = 64, scope = "warp" },
  },

  hbm = { type = "HBM2e", capacity = 80e9, bandwidth = 2.039e12, bus = 5120, data_rate = 3.186e9 },
  l2 = { capacity = 40 * MiB, bandwidth = 4.6e12, latency = 282, per_core = 64, parts = 2 },
  smem = { per_core = 164 * KiB, per_cta = 163 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  launch = { stream = 1.73e-6, graph = 0.45e-6 },
  link = { type = "NVLink3", bandwidth = 300e9, peer = 300e9, count = 12 },

  sustained = {
    matrix = { f16 = 256.5e12 / 312e12, bf16 = 271.2e12 / 312e12 },
    hbm = 1.7e12 / 2.039e12,
  },

  fitted = { matrix = 0.77, hbm = 0.8, fixed = 3.1e-6 },

  source = {
    ["year cores clock matrix vector l2.capacity l2.parts link"] = "vendor: NVIDIA A100 whitepaper, dense peaks [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["hbm tdp"] = "vendor: NVIDIA A100 datasheet [A]",
    ["l2.bandwidth"] = "microbenchmark: gpu-benches gpu-cache; 5.4 TB/s up to 25 MB, 7.2 in theory [A]",
    ["l2.latency"] = "microbenchmark: Luo et al. 2024 on the PCIe card, mean of near 208 and far 356.6 clocks [A]",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 8.0 [A]",
    ["launch"] = "derived: gpu-benches small kernels, 2.63 us queued and 1.35 us in a graph, less 0.9 us of their own [A]",
    ["link.peer"] = "vendor: NVIDIA A100 whitepaper, through NVSwitch [A]",
    ["sustained.matrix.f16"] = "microbenchmark: Azure AI benchmarking guide, cublasLt, 256.5 TFLOP/s [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: ml-engineering, best of many shapes, 271.2 TFLOP/s [A]",
    ["sustained.hbm"] = "microbenchmark: Azure AI benchmarking guide, BabelStream triad, 1.70 TB/s [A]",
    ["fitted"] = "fitted to matmuls, attention, norms and streams measured by others: `accuracy -f`, then weighed between classes by hand [A]",
  },
}
