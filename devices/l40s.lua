-- NVIDIA L40S 48GB: AD102 with 142 of 144 SMs. The L40 is another product. f16 is printed as 362.05, which fits
-- neither 142 * 1024 * 2.52 GHz = 366.4 nor half of f8: kept as printed. i4 is printed as no faster than i8; the
-- architecture could do 1466 TOP/s. f16 accumulates in f32 at full rate.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "NVIDIA L40S 48GB PCIe", aliases = { "nvidia-l40s", "l40s-48gb", "l40s-pcie" },
  vendor = "NVIDIA", arch = "ada", year = 2023,
  cores = 142, clock = 2.52e9, tdp = 350,

  matrix = { tf32 = 183e12, f16 = 362.05e12, bf16 = 362.05e12, f8 = 733e12, i8 = 733e12, i4 = 733e12 },
  vector = { f64 = 1.43e12, f32 = 91.6e12, f16 = 91.6e12 },
  rate = {
    matrix = { tf32 = 512, f16 = 1024, bf16 = 1024, f8 = 2048, i8 = 2048, i4 = 2048 },
    vector = { f64 = 4, f32 = 256, f16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, i8 = 2, i4 = 2 },
  special = 16,
  matrix_tile = {
    tf32 = warp(16, 8, 8), f16 = warp(16, 8, 16), bf16 = warp(16, 8, 16), f8 = warp(16, 8, 32),
    i8 = warp(16, 8, 32), i4 = warp(16, 8, 64),
  },

  hbm = { type = "GDDR6", capacity = 48e9, bandwidth = 864e9, bus = 384, data_rate = 18e9 },
  l2 = { capacity = 96 * MiB, bandwidth = 5.2e12 },
  smem = { per_core = 100 * KiB, per_cta = 99 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 48, max_ctas = 24, max_threads = 1024,

  sustained = {
    matrix = { f16 = 252e12 / 362.05e12, bf16 = 252e12 / 362.05e12 },
    hbm = 771e9 / 864e9,
  },

  fitted = { matrix = 0.605, hbm = 0.79, fixed = 1.6e-6 },

  source = {
    ["fitted"] = "fitted to matmuls, attention, norms and streams measured by others: `accuracy -f`, then weighed between classes by hand [A]",
    ["year"] = "vendor: NVIDIA, announcement in August 2023 [C]",
    ["cores clock tdp matrix vector hbm"] = "vendor: NVIDIA L40S datasheet, dense: half of the printed sparse peaks [A]",
    ["matrix.i4"] = "vendor: NVIDIA L40S datasheet, as printed [B]",
    ["vector.f64"] = "derived: f32 / 64 [A]",
    ["vector.f16"] = "derived: once f32 on Ada [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["rate.matrix.i4"] = "derived: printed peak / (SMs * clock) [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["l2.capacity"] = "vendor: NVIDIA Ada whitepaper; a sweep on an L40 shows a plateau up to 92 MB [B]",
    ["l2.bandwidth"] = "microbenchmark: gpu-benches on an L40, the same chip with 142 SMs, 5.2 to 5.7 TB/s [A]",
    ["smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 8.9 [A]",
    ["smem.bandwidth"] = "vendor: NVIDIA GA102 whitepaper, 32 banks of 4 bytes; scalar loads reach half [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: mag- gpu_benchmark, best torch matmul, 252.0 TFLOP/s [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.hbm"] = "microbenchmark: gpu-benches scale, 771 GB/s on an L40 of the same memory; FluidX3D 580 on the L40S [A]",
  },
  exceptions = {
    ["ratio.i4"] = "printed as no faster than i8",
  },
}
