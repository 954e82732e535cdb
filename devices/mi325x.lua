-- AMD Instinct MI325X 256GB: the dies of the MI300X with more and faster memory, 1 kW. Each of the eight dies has its
-- own 4 MiB of L2. Vector f32 needs packed multiply-adds; plain ones reach half. Under load the clock falls to about
-- 1.45 GHz.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "AMD Instinct MI325X 256GB", aliases = { "amd-mi325x", "mi325x-256gb", "mi325" },
  vendor = "AMD", arch = "cdna3", year = 2024,
  cores = 304, clock = 2.1e9, tdp = 1000,

  matrix = {
    f64 = 163.4e12, f32 = 163.4e12, tf32 = 653.7e12, f16 = 1307.4e12, bf16 = 1307.4e12, f8 = 2614.9e12,
    i8 = 2614.9e12,
  },
  vector = { f64 = 81.7e12, f32 = 163.4e12 }, -- f32 needs packed multiply-adds
  rate = {
    matrix = { f64 = 256, f32 = 256, tf32 = 1024, f16 = 2048, bf16 = 2048, f8 = 4096, i8 = 4096 },
    vector = { f64 = 128, f32 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, i8 = 2 },
  special = 16,
  matrix_tile = {
    f64 = warp(16, 16, 4), f32 = warp(32, 32, 2), tf32 = warp(32, 32, 4), f16 = warp(32, 32, 8),
    bf16 = warp(32, 32, 8), f8 = warp(32, 32, 16), i8 = warp(32, 32, 16),
  },

  hbm = { type = "HBM3E", capacity = 256e9, bandwidth = 6e12, bus = 8192, data_rate = 6e9 },
  llc = { capacity = 256 * MiB, bandwidth = 11.9e12, latency = 218e-9 },
  l2 = { capacity = 32 * MiB, per_core = 64, parts = 8 },
  smem = { per_core = 64 * KiB, per_cta = 64 * KiB, reserved = 0, bandwidth = 128 },
  registers = { per_core = 131072, per_thread = 512 },
  warp = 64, max_warps = 32, max_threads = 1024,
  link = { type = "Infinity Fabric", bandwidth = 448e9, peer = 64e9, count = 7 },

  sustained = { matrix = { f16 = 794e12 / 1307.4e12, bf16 = 843e12 / 1307.4e12, f8 = 1519e12 / 2614.9e12 } },

  source = {
    ["year"] = "vendor: AMD, announcement in October 2024 [C]",
    ["cores clock tdp hbm"] = "vendor: AMD MI325X datasheet [A]",
    ["hbm.bus hbm.data_rate"] = "vendor: AMD MI325X datasheet, relayed [B]",
    ["matrix vector llc.capacity smem link"] = "vendor: AMD CDNA3 white paper, ROCm MI300 documentation [A]",
    ["rate"] = "vendor: AMD CDNA white papers, FLOP a clock and CU [B]",
    ["sparse"] = "vendor: AMD Instinct data sheets, peaks with structured sparsity over dense ones [B]",
    ["special"] = "derived: a quarter of 64 lanes a clock; in no table of AMD's [C]",
    ["matrix_tile"] = "vendor: AMD matrix instruction calculator [B]",
    ["llc.bandwidth llc.latency"] = "microbenchmark: Chips and Cheese on an MI300X, the same dies and clock; 17.2 TB/s in theory [A]",
    ["l2.capacity l2.parts"] = "derived: 8 dies of 4 MiB; what all use is held 8 times [A]",
    ["l2.per_core"] = "vendor: AMD CDNA3 white paper, 64 bytes a clock and CU [B]",
    ["registers warp max_warps max_threads"] = "vendor: ROCm, GPU hardware specifications [A]",
    ["registers.per_thread"] = "vendor: ROCm, 256 plain and 256 accumulation registers [B]",
    ["sustained.matrix"] = "microbenchmark: AMD ROCm blog, maximum achievable FLOPS, part 2 [A]",
  },
  exceptions = {
    ["hbm.bandwidth"] = "6.0 TB/s printed; 8192 bit at 6.0 Gbit/s are 6.144",
  },
}
