-- AMD Instinct MI250X, one GCD with its 64 GB: what a kernel sees. The package is two such devices: 383 TFLOP/s, 3.3
-- TB/s, 128 GB. i8 and i4 run at the rate of f16. Vector f32 is 23.95 TFLOP/s; 47.9 needs packed multiply-adds. The
-- link is that to the other GCD of the package; between packages it is 50 or 100 GB/s.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "AMD Instinct MI250X 128GB, one GCD of 64GB", aliases = { "mi250x", "amd-mi250x", "mi250x-64gb" },
  vendor = "AMD", arch = "cdna2", year = 2021,
  cores = 110, clock = 1.7e9, tdp = 280,

  matrix = { f64 = 47.9e12, f32 = 47.9e12, f16 = 191.5e12, bf16 = 191.5e12, i8 = 191.5e12, i4 = 191.5e12 },
  vector = { f64 = 23.95e12, f32 = 23.95e12 },
  rate = {
    matrix = { f64 = 256, f32 = 256, f16 = 1024, bf16 = 1024, i8 = 1024, i4 = 1024 },
    vector = { f64 = 128, f32 = 128 },
  },
  special = 16,
  matrix_tile = {
    f64 = warp(16, 16, 4), f32 = warp(32, 32, 2), f16 = warp(32, 32, 8), bf16 = warp(32, 32, 8),
    i8 = warp(32, 32, 16),
  },

  hbm = { type = "HBM2e", capacity = 64e9, bandwidth = 1.6384e12, bus = 4096, data_rate = 3.2e9 },
  l2 = { capacity = 8 * MiB },
  smem = { per_core = 64 * KiB, per_cta = 64 * KiB, reserved = 0, bandwidth = 128 },
  registers = { per_core = 131072, per_thread = 512 },
  warp = 64, max_warps = 32, max_threads = 1024,
  link = { type = "Infinity Fabric GCD-GCD", bandwidth = 200e9, peer = 200e9 },

  sustained = { hbm = 1350e9 / 1638.4e9 },

  source = {
    ["year"] = "vendor: AMD, announcement in November 2021 [C]",
    ["cores clock hbm l2.capacity smem"] = "vendor: AMD CDNA2 white paper, MI200 datasheets [A]",
    ["matrix vector"] = "vendor: AMD CDNA2 white paper, MI200 datasheets, half of the package [A]",
    ["tdp"] = "derived: half of the package's 560 W [A]",
    ["rate"] = "vendor: AMD CDNA white papers, FLOP a clock and CU [B]",
    ["rate.matrix.i4"] = "derived: peak / (CUs * clock) [B]",
    ["special"] = "derived: a quarter of 64 lanes a clock; in no table of AMD's [C]",
    ["matrix_tile"] = "vendor: AMD matrix instruction calculator [B]",
    ["registers warp max_warps max_threads"] = "vendor: ROCm, GPU hardware specifications [A]",
    ["registers.per_thread"] = "vendor: ROCm, 256 plain and 256 accumulation registers [B]",
    ["link"] = "vendor: OLCF Frontier guide, CDNA2 white paper, four links of 50 GB/s [A]",
    ["sustained.hbm"] = "microbenchmark: amd-lab-notes, 1300 to 1400 GB/s achievable on a GCD of the MI250, the same memory [A]",
  },
  exceptions = {
    ["ratio.i8 ratio.i4"] = "CDNA2 runs i8 and i4 at the rate of f16",
  },
}
