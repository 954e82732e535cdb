-- NVIDIA GeForce RTX 4090 24GB: AD102 with 128 of 144 SMs, 72 of 96 MiB of L2.
-- Peaks stand at the printed boost clock; boards run above it, so measured matmuls reach or pass them.
-- f16, bf16, tf32 and f8 with f32 accumulate, which GeForce halves; accumulating in f16 doubles f16 and f8.
local KiB, MiB = 2^10, 2^20

return {
  name = "NVIDIA GeForce RTX 4090 24GB", aliases = { "4090", "rtx4090", "geforce-rtx-4090" },
  vendor = "NVIDIA", arch = "ada", year = 2022,
  cores = 128, clock = 2.52e9, tdp = 450,

  matrix = { tf32 = 82.6e12, f16 = 165.2e12, bf16 = 165.2e12, f8 = 330.3e12, i8 = 660.6e12, i4 = 1321.2e12 },
  vector = { f64 = 1.29e12, f32 = 82.6e12, f16 = 82.6e12 },
  rate = {
    matrix = { tf32 = 256, f16 = 512, bf16 = 512, f8 = 1024, i8 = 2048, i4 = 4096 },
    vector = { f64 = 4, f32 = 256, f16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, i8 = 2, i4 = 2 },
  special = 16,
  matrix_tile = {
    tf32 = { m = 16, n = 8, k = 8, scope = "warp" },
    f16 = { m = 16, n = 8, k = 16, scope = "warp" },
    bf16 = { m = 16, n = 8, k = 16, scope = "warp" },
    f8 = { m = 16, n = 8, k = 32, scope = "warp" },
    i8 = { m = 16, n = 8, k = 32, scope = "warp" },
    i4 = { m = 16, n = 8, k = 64, scope = "warp" },
  },

  hbm = { type = "GDDR6X", capacity = 24e9, bandwidth = 1.008e12, bus = 384, data_rate = 21e9 },
  l2 = { capacity = 72 * MiB, bandwidth = 4.304e12, per_core = 64, parts = 1 },
  smem = { per_core = 100 * KiB, per_cta = 99 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 48, max_ctas = 24, max_threads = 1024,

  sustained = {
    matrix = { tf32 = 1, f16 = 1, bf16 = 1, f8 = 1, i8 = 1 },
    hbm = 860e9 / 1008e9,
  },

  source = {
    ["year cores clock tdp matrix vector hbm l2.capacity"] = "vendor: NVIDIA Ada whitepaper, appendix A [A]",
    ["matrix.f8"] = "vendor: NVIDIA Ada whitepaper as corrected, f32 accumulate; first printed as 660.6 [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["l2.bandwidth"] = "microbenchmark: Luo et al. 2024, 1708 bytes a clock [A]",
    ["l2.parts"] = "assumed: one",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 8.9 [A]",
    ["sustained.matrix"] = "microbenchmark: gpu-flops-bench, 179 f16, 90.4 tf32, 354 f8, 676 i8, all above the peak: capped at 1; boost above 2.52 GHz [A]",
    ["sustained.hbm"] = "microbenchmark: FluidX3D, mixed reads and writes, 860 GB/s [A]",
  },
  exceptions = {
    ["ratio.i8 ratio.i4"] = "GeForce halves f16 with f32 accumulate, not i8 and i4",
  },
}
