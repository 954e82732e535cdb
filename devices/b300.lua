-- NVIDIA B300 288GB (HGX), Blackwell Ultra: two dies, 148 SMs (158 and 160 are printed, too; 148 * 256 * 2.032 GHz
-- give the 77 of f32). It trades i8 (a thirtieth) and f64 (1/64 of f32, no matrix path) for half as much f4 again,
-- and doubles exp. f4 is 13.5 PFLOP/s, 1.5 times the B200; 12.6, 14 and 15 are printed as well, 15 for the GB300.
-- Tables with 4.5 POP/s of i8 copy the B200. 7.75 TB/s and 1.1 kW are those of the HGX board; 7.94 or 8.0 and 1.0 or
-- 1.4 are printed, too.
local KiB, MiB = 2^10, 2^20

local function cta(k) return { m = 128, n = 256, k = k, step = 16, scope = "cta" } end -- tcgen05

return {
  name = "NVIDIA B300 288GB", aliases = { "b300-288gb", "b300-sxm", "hgx-b300", "blackwell-ultra" },
  vendor = "NVIDIA", arch = "blackwell", year = 2025,
  cores = 148, clock = 2.032e9, matrix_clock = 1.856e9, tdp = 1100,

  matrix = {
    tf32 = 1125e12, f16 = 2250e12, bf16 = 2250e12, f8 = 4500e12, f6 = 4500e12, f4 = 13500e12, i8 = 153.5e12,
  },
  vector = { f64 = 1.2e12, f32 = 77e12, f16 = 77e12 },
  rate = {
    matrix = { tf32 = 4096, f16 = 8192, bf16 = 8192, f8 = 16384, f6 = 16384, f4 = 49152, i8 = 512 },
    vector = { f64 = 4, f32 = 256, f16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, f6 = 2, f4 = 18 / 13.5, i8 = 2 },
  special = 32,
  matrix_tile = { tf32 = cta(8), f16 = cta(16), bf16 = cta(16), f8 = cta(32), f6 = cta(32), f4 = cta(64) },

  hbm = { type = "HBM3e", capacity = 288e9, bandwidth = 7.75e12 },
  l2 = { capacity = 126 * MiB, per_core = 64, parts = 2 },
  smem = { per_core = 228 * KiB, per_cta = 227 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  tmem = { per_core = 256 * KiB, unit = 16 * KiB },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  link = { type = "NVLink5", bandwidth = 900e9, peer = 900e9, count = 18 },

  sustained = {
    matrix = { f16 = 1769e12 / 2250e12, bf16 = 1769e12 / 2250e12, f8 = 3353.3e12 / 4500e12 },
    vector = 71.5e12 / 77e12,
    hbm = 6.887e12 / 7.75e12,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement at GTC 2025 [C]",
    ["cores clock"] = "vendor: OpenCL-Benchmark, device query [A]",
    ["matrix_clock"] = "derived: 2250e12 / (148 * 8192) [A]",
    ["matrix vector"] = "vendor: NVIDIA Blackwell Ultra datasheet, HGX B300 per GPU, aiconfigurator, dense: half of the printed sparse peaks [A]",
    ["vector.f16"] = "derived: once f32; 75.2 measured [A]",
    ["tdp"] = "vendor: aiconfigurator [A]",
    ["rate"] = "derived: peak / (SMs * clock) [B]",
    ["rate.vector"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["sparse.f4"] = "vendor: NVIDIA HGX B300 data sheet, 144 and 108 PFLOP/s of eight [C]",
    ["special"] = "vendor: NVIDIA blog on softmax on Blackwell Ultra, twice the B200 [A]",
    ["matrix_tile"] = "vendor: PTX ISA, tcgen05 shapes; m is 64 or 128, with a pair of CTAs 256 [B]",
    ["matrix_tile.f6"] = "derived: that of f8, the same kind of instruction [B]",
    ["hbm"] = "vendor: NVIDIA HGX B300 datasheet, 62 TB/s / 8 [A]",
    ["l2.capacity"] = "vendor: NVIDIA Blackwell tuning guide; 126 to 129 MiB by source [B]",
    ["l2.parts"] = "vendor: two dies [A]",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 10.3 [A]",
    ["tmem"] = "vendor: CUTLASS, blackwell_functionality.md; PTX ISA, 32 columns at least [A]",
    ["link"] = "vendor: NVIDIA HGX B300 datasheet [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: ml-engineering, best of many shapes, 1769 TFLOP/s [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.matrix.f8"] = "microbenchmark: ml-engineering, best of many shapes, 3353.3 TFLOP/s [A]",
    ["sustained.vector"] = "microbenchmark: OpenCL-Benchmark, 71.5 TFLOP/s of f32 [A]",
    ["sustained.hbm"] = "microbenchmark: OpenCL-Benchmark, 6887 GB/s written, 6543 read [A]",
  },
  exceptions = {
    ["matrix.i8"] = "fits 148 * 512 at 2.03 GHz, not at the clock of the other matrix peaks; 307 sparse is printed",
    ["ratio.i8"] = "cut to a thirtieth on Blackwell Ultra",
    ["sparse.f4"] = "what dense f4 gained on Blackwell Ultra sparse f4 did not",
    ["ratio.f4"] = "raised to six times f16 on Blackwell Ultra",
  },
}
