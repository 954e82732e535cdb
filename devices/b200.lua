-- NVIDIA B200 180GB (HGX): two dies, 148 SMs. GB200 is faster (80 TFLOP/s of f32, 10 PFLOP/s of f4) and another product.
-- A paper's figures (arXiv 2512.02189: 7.48 TB/s of triad and others) failed the checks of third parties and are not used.
-- f4 runs at full rate only as mxf4 or nvf4; as plain f4 beside f6 and f8 it runs at their rate.
local KiB, MiB = 2^10, 2^20

local function cta(k) return { m = 128, n = 256, k = k, step = 16, scope = "cta" } end -- tcgen05

return {
  name = "NVIDIA B200 180GB", aliases = { "b200-sxm", "b200-180gb", "hgx-b200" },
  vendor = "NVIDIA", arch = "blackwell", year = 2024,
  cores = 148, clock = 1.965e9, matrix_clock = 1.856e9, tdp = 1000,

  matrix = {
    f64 = 37e12, tf32 = 1125e12, f16 = 2250e12, bf16 = 2250e12,
    f8 = 4500e12, f6 = 4500e12, f4 = 9000e12, i8 = 4500e12,
  },
  vector = { f64 = 37e12, f32 = 75e12, f16 = 74.5e12 },
  rate = {
    matrix = {
      f64 = 128, tf32 = 4096, f16 = 8192, bf16 = 8192,
      f8 = 16384, f6 = 16384, f4 = 32768, i8 = 16384,
    },
    vector = { f64 = 128, f32 = 256, f16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, f6 = 2, f4 = 2, i8 = 2 },
  special = 16,
  matrix_tile = {
    tf32 = cta(8), f16 = cta(16), bf16 = cta(16), f8 = cta(32), f6 = cta(32), i8 = cta(32), f4 = cta(64),
  },

  hbm = { type = "HBM3e", capacity = 180e9, bandwidth = 7.672e12, bus = 7680, data_rate = 7.992e9 },
  l2 = { capacity = 126.5 * MiB, bandwidth = 16.8e12, per_core = 64, parts = 2 },
  smem = { per_core = 228 * KiB, per_cta = 227 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  tmem = { per_core = 256 * KiB, unit = 16 * KiB },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  link = { type = "NVLink5", bandwidth = 900e9, peer = 900e9, count = 18 },

  sustained = {
    matrix = { f16 = 1745e12 / 2250e12, bf16 = 1745e12 / 2250e12, f8 = 3432.5e12 / 4500e12 },
    vector = 69.5e12 / 75e12,
    hbm = 6668.7e9 / 7672e9,
  },

  fitted = { matrix = 0.7, hbm = 0.83, fixed = 2e-6 },

  source = {
    ["year matrix vector"] = "vendor: NVIDIA Blackwell datasheet, HGX B200 per GPU, dense: half of the printed sparse peaks [A]",
    ["vector.f16"] = "derived: once f32; 72.9 measured [A]",
    ["cores l2.capacity"] = "vendor: device query, 132644864 bytes of L2 [A]",
    ["clock"] = "vendor: maximum that the device reports; NVIDIA prints none [A]",
    ["matrix_clock"] = "derived: 2250e12 / (148 * 8192) [A]",
    ["tdp"] = "vendor: ml-engineering [A]",
    ["rate"] = "derived: peak / (SMs * clock) [B]",
    ["rate.vector"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, tcgen05 shapes; m is 64 or 128, with a pair of CTAs 256 [B]",
    ["matrix_tile.f6"] = "derived: that of f8, the same kind of instruction [B]",
    ["hbm"] = "vendor: NVIDIA HGX B200 datasheet, device query; 8.0 TB/s and 192 GB are marketing [A]",
    ["l2.bandwidth"] = "microbenchmark: Chips and Cheese, across the dies; 21 TB/s within one [A]",
    ["l2.parts"] = "vendor: two dies [A]",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 10.0 [A]",
    ["tmem"] = "vendor: CUTLASS, blackwell_functionality.md; PTX ISA, 32 columns at least [A]",
    ["link"] = "vendor: NVIDIA HGX B200 datasheet [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: ml-engineering, best of many shapes, 1745 TFLOP/s; cuBLAS at 8192 cubed 1414 [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.matrix.f8"] = "microbenchmark: ml-engineering, best of many shapes, 3432.5 TFLOP/s [A]",
    ["sustained.vector"] = "microbenchmark: OpenCL-Benchmark, 69.5 TFLOP/s of f32 [A]",
    ["sustained.hbm"] = "microbenchmark: OpenCL-Benchmark, 6668.7 GB/s read [A]",
    ["fitted"] = "fitted to matmuls, attention, norms and streams measured by others: `accuracy -f`, then weighed between classes by hand [A]",
  },
}
