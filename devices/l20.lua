-- NVIDIA L20 48GB: AD102 with 92 SMs, for China; the L2 and the L40 are other products. Its tensor cores are those of
-- an L40S at half the rate. NVIDIA publishes no datasheet of it in the open: figures are relayed. Under its 275 W plain
-- f32 sustains less of its peak than tf32 does.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "NVIDIA L20 48GB PCIe", aliases = { "nvidia-l20", "l20-48gb", "l20-pcie" },
  vendor = "NVIDIA", arch = "ada", year = 2023,
  cores = 92, clock = 2.52e9, tdp = 275,

  matrix = { tf32 = 59.35e12, f16 = 119.5e12, bf16 = 119.5e12 },
  vector = { f64 = 0.9274e12, f32 = 59.35e12, f16 = 59.35e12 },
  rate = {
    matrix = { tf32 = 256, f16 = 512, bf16 = 512 },
    vector = { f64 = 4, f32 = 256, f16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2 },
  special = 16,
  matrix_tile = { tf32 = warp(16, 8, 8), f16 = warp(16, 8, 16), bf16 = warp(16, 8, 16) },

  hbm = { type = "GDDR6", capacity = 48e9, bandwidth = 864e9, bus = 384, data_rate = 18e9 },
  l2 = { capacity = 96 * MiB },
  smem = { per_core = 100 * KiB, per_cta = 99 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 48, max_ctas = 24, max_threads = 1024,

  sustained = {
    matrix = { tf32 = 58.16e12 / 59.35e12, f16 = 113.26e12 / 119.5e12, bf16 = 114.14e12 / 119.5e12 },
    vector = 37.27e12 / 59.35e12,
  },

  source = {
    ["year"] = "vendor: as relayed by topcpu.net and technical.city [B]",
    ["cores clock tdp vector hbm l2.capacity"] = "vendor: as relayed by topcpu.net and technical.city, alike [B]",
    ["matrix.f16"] = "vendor: as relayed by autodl.com, 119.5 TFLOP/s [B]",
    ["matrix.bf16"] = "derived: that of f16, the same unit and rate [B]",
    ["matrix.tf32"] = "derived: half the rate of f16 on Ada, 92 SMs * 256 * 2.52 GHz [B]",
    ["vector.f16"] = "derived: once f32 on Ada [A]",
    ["rate.matrix"] = "derived: printed f16 peak / (SMs * clock), to a power of two [B]",
    ["rate.vector"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "derived: that of the L40S, the same chip [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 8.9 [A]",
    ["smem.bandwidth"] = "vendor: NVIDIA GA102 whitepaper, 32 banks of 4 bytes; scalar loads reach half [A]",
    ["sustained.matrix"] = "microbenchmark: zzc0721/torch-performance-test-data, issue 107, best torch matmul of five sizes [A]",
    ["sustained.vector"] = "microbenchmark: zzc0721/torch-performance-test-data, issue 107, best torch matmul of five sizes in f32 [A]",
  },
}
