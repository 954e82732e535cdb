-- NVIDIA H20 96GB, for China: low confidence throughout. NVIDIA prints no SM count, clock or L2; 78 SMs and 1.98 GHz
-- are from device reports, and the printed 44 TFLOP/s of f32 do not fit them. The 141 GB variant has 4.8 TB/s.
local KiB, MiB = 2^10, 2^20

local function group(k) return { m = 64, n = 256, k = k, step = 8, scope = "group" } end -- wgmma: four warps

return {
  name = "NVIDIA H20 96GB SXM", aliases = { "h20", "nvidia-h20", "h20-sxm" },
  vendor = "NVIDIA", arch = "hopper", year = 2023,
  cores = 78, clock = 1.98e9, matrix_clock = 1.853e9, tdp = 400,

  matrix = { tf32 = 74e12, f16 = 148e12, bf16 = 148e12, f8 = 296e12, i8 = 296e12 },
  vector = { f64 = 1e12, f32 = 44e12 },
  rate = {
    matrix = { tf32 = 512, f16 = 1024, bf16 = 1024, f8 = 2048, i8 = 2048 },
    vector = { f32 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, i8 = 2 },
  special = 16,
  matrix_tile = { tf32 = group(8), f16 = group(16), bf16 = group(16), f8 = group(32), i8 = group(32) },

  hbm = { type = "HBM3", capacity = 96e9, bandwidth = 4e12, bus = 6144, data_rate = 5.2e9 },
  l2 = { capacity = 60 * MiB, parts = 2 },
  smem = { per_core = 228 * KiB, per_cta = 227 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  link = { type = "NVLink4", bandwidth = 450e9, count = 18 },

  source = {
    ["year"] = "vendor: press [C]",
    ["tdp matrix vector hbm link"] = "vendor: NVIDIA H20 specification as relayed by press and aiconfigurator [B]",
    ["cores"] = "microbenchmark: Geekbench device report, relayed [B]",
    ["clock"] = "microbenchmark: device report, relayed [C]",
    ["matrix_clock"] = "derived: 148e12 / (78 * 1024), if 78 SMs are right [C]",
    ["rate.matrix"] = "derived: peak / (SMs * clock) [C]",
    ["rate.vector"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "derived: that of the H200, the same chip [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, wgmma and mma shapes [B]",
    ["hbm.bus"] = "vendor: recalled [C]",
    ["hbm.data_rate"] = "derived: bandwidth * 8 / bus [C]",
    ["l2.capacity"] = "vendor: third-party listing; the full die of the H100 has 60 MiB, its products 50 [C]",
    ["l2.parts"] = "assumed: two halves, as an H100",
    ["smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 9.0 [A]",
  },
  exceptions = {
    ["vector.f32"] = "printed 44 TFLOP/s; 78 * 256 * 1.98 GHz is 39.5: SM count, clock or figure is wrong",
    ["vector.f64"] = "1 TFLOP/s as relayed; no published rate gives it",
  },
}
