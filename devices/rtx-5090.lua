-- NVIDIA GeForce RTX 5090 32GB: GB202 with 170 of 192 SMs, 96 of 128 MiB of L2. Peaks stand at the printed boost of
-- 2.407 GHz; boards run at up to 2.92, so measured matmuls pass them. f16, bf16, tf32 and f8 by plain mma with f32
-- accumulate, which GeForce halves; accumulating in f16 doubles f16 and f8. Block-scaled f8 (mxf8) runs at 838
-- TFLOP/s with f32 accumulate: kc.device("rtx-5090"):with { matrix = { f8 = 838e12 } }. f6 is printed on that path
-- only. The 3352 "AI TOPS" are sparse f4. Compute capability 12.0: 24 CTAs and 100 KiB, as the programming guide and
-- the device say; the tuning guide prints 32 and 128.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "NVIDIA GeForce RTX 5090 32GB", aliases = { "5090", "rtx5090", "geforce-rtx-5090" },
  vendor = "NVIDIA", arch = "blackwell-rtx", year = 2025,
  cores = 170, clock = 2.407e9, tdp = 575,

  matrix = {
    tf32 = 104.8e12, f16 = 209.5e12, bf16 = 209.5e12, f8 = 419e12, f6 = 838e12, f4 = 1676e12, i8 = 838e12,
  },
  vector = { f64 = 1.64e12, f32 = 104.8e12, f16 = 104.8e12 },
  rate = {
    matrix = { tf32 = 256, f16 = 512, bf16 = 512, f8 = 1024, f6 = 2048, f4 = 4096, i8 = 2048 },
    vector = { f64 = 4, f32 = 256, f16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, f4 = 2, i8 = 2 },
  special = 16,
  matrix_tile = {
    tf32 = warp(16, 8, 8), f16 = warp(16, 8, 16), bf16 = warp(16, 8, 16), f8 = warp(16, 8, 32),
    f4 = warp(16, 8, 64), i8 = warp(16, 8, 32),
  },

  hbm = { type = "GDDR7", capacity = 32e9, bandwidth = 1.792e12, bus = 512, data_rate = 28e9 },
  l2 = { capacity = 96 * MiB },
  smem = { per_core = 100 * KiB, per_cta = 99 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  warp = 32, max_warps = 48, max_ctas = 24, max_threads = 1024,

  sustained = {
    matrix = { tf32 = 1, f16 = 1, bf16 = 1, f8 = 1, f4 = 1617.5e12 / 1676e12, i8 = 1 },
    hbm = 1457e9 / 1792e9,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement at CES 2025 [C]",
    ["cores clock tdp matrix vector hbm l2.capacity"] = "vendor: NVIDIA RTX Blackwell whitepaper, dense: half of the printed sparse peaks [A]",
    ["matrix.f6"] = "derived: 170 * 2048 * 2.407 GHz, the rate of block-scaled f8 in CUTLASS [B]",
    ["vector.f64"] = "derived: f32 / 64 [A]",
    ["rate"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["rate.matrix.f6"] = "derived: CUTLASS, blackwell_functionality.md, that of block-scaled f8 [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, mma shapes [B]",
    ["smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 12.0 [A]",
    ["smem.bandwidth"] = "vendor: NVIDIA GA102 whitepaper, 32 banks of 4 bytes; scalar loads reach half [A]",
    ["sustained.matrix"] = "microbenchmark: gpu-flops-bench, 254 bf16, 125.8 tf32, 906.1 i8, all above the peak: capped at 1; boost above 2.407 GHz [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.matrix.f8"] = "microbenchmark: gpu-flops-bench, 773.5 on the block-scaled path, above the plain peak: capped at 1 [A]",
    ["sustained.matrix.f4"] = "microbenchmark: gpu-flops-bench, nvfp4, 1617.5 TFLOP/s [A]",
    ["sustained.hbm"] = "microbenchmark: FluidX3D, mixed reads and writes, 1457 GB/s [A]",
  },
  exceptions = {
    ["ratio.i8"] = "GeForce halves f16 with f32 accumulate, not i8",
    ["ratio.f4"] = "GeForce halves f16 with f32 accumulate, not block-scaled f4",
  },
}
