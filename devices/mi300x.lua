-- AMD Instinct MI300X 192GB: eight dies of 38 compute units, each die with its own 4 MiB of L2.
-- Nobody measured the L2: 34.4 TB/s in theory (8 dies of 2 KiB a clock); the white paper also prints 51.6. HBM is 5.325 TB/s,
-- not the 6.81 of a file of XLA. Under load the clock falls to 1.1 or 1.2 GHz: half of the matrix peak is the best that AMD itself measures.
local KiB, MiB, GiB = 2^10, 2^20, 2^30

return {
  name = "AMD Instinct MI300X 192GB", aliases = { "mi300", "mi300x-192gb", "amd-mi300x" },
  vendor = "AMD", arch = "cdna3", year = 2023,
  cores = 304, clock = 2.1e9, tdp = 750,

  matrix = {
    f64 = 163.4e12, f32 = 163.4e12, tf32 = 653.7e12, f16 = 1307.4e12, bf16 = 1307.4e12,
    f8 = 2614.9e12, i8 = 2614.9e12,
  },
  vector = { f64 = 81.7e12, f32 = 163.4e12 }, -- f32 needs packed multiply-adds
  rate = {
    matrix = { f64 = 256, f32 = 256, tf32 = 1024, f16 = 2048, bf16 = 2048, f8 = 4096, i8 = 4096 },
    vector = { f64 = 128, f32 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, i8 = 2 },
  special = 16,
  matrix_tile = {
    f64 = { m = 16, n = 16, k = 4, scope = "warp" },
    f32 = { m = 32, n = 32, k = 2, scope = "warp" },
    tf32 = { m = 32, n = 32, k = 4, scope = "warp" },
    f16 = { m = 32, n = 32, k = 8, scope = "warp" },
    bf16 = { m = 32, n = 32, k = 8, scope = "warp" },
    f8 = { m = 32, n = 32, k = 16, scope = "warp" },
    i8 = { m = 32, n = 32, k = 16, scope = "warp" },
  },

  hbm = { type = "HBM3", capacity = 192 * GiB, bandwidth = 5.325e12, bus = 8192, data_rate = 5.2e9 },
  llc = { capacity = 256 * MiB, bandwidth = 11.9e12, latency = 218e-9 },
  l2 = { capacity = 32 * MiB, per_core = 64, parts = 8 },
  smem = { per_core = 64 * KiB, per_cta = 64 * KiB, reserved = 0, bandwidth = 128 },
  registers = { per_core = 131072, per_thread = 512 },
  warp = 64, max_warps = 32, max_threads = 1024,
  link = { type = "Infinity Fabric", bandwidth = 448e9, peer = 64e9, count = 7 },

  sustained = {
    matrix = { f16 = 654e12 / 1307.4e12, bf16 = 708e12 / 1307.4e12, f8 = 1273e12 / 2614.9e12 },
    hbm = 4.09e12 / 5.325e12,
  },

  source = {
    ["year cores clock tdp matrix vector hbm llc.capacity smem link"] = "vendor: AMD CDNA3 white paper, ROCm MI300 documentation [A]",
    ["rate"] = "vendor: AMD CDNA white papers, FLOP a clock and CU [B]",
    ["sparse"] = "vendor: AMD Instinct data sheets, peaks with structured sparsity over dense ones [B]",
    ["special"] = "derived: a quarter of 64 lanes a clock; in no table of AMD's [C]",
    ["matrix_tile"] = "vendor: AMD matrix instruction calculator [B]",
    ["llc.bandwidth llc.latency"] = "microbenchmark: Chips and Cheese; 17.2 TB/s in theory [A]",
    ["l2.capacity l2.parts"] = "derived: 8 dies of 4 MiB; what all use is held 8 times [A]",
    ["l2.per_core"] = "vendor: AMD CDNA3 white paper, 64 bytes a clock and CU [B]",
    ["registers warp max_warps max_threads"] = "vendor: ROCm, GPU hardware specifications [A]",
    ["registers.per_thread"] = "vendor: ROCm, 256 plain and 256 accumulation registers [B]",
    ["sustained.matrix"] = "microbenchmark: AMD ROCm blog, maximum achievable FLOPS, part 2 [A]",
    ["sustained.hbm"] = "microbenchmark: AI benchmarking guide on ND MI300X v5, BabelStream triad, 4.09 TB/s [A]",
  },
}
