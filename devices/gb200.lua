-- NVIDIA GB200 186GB, one GPU of an NVL72: two dies, 152 SMs, faster than the B200. 192 GB are physical. 1.2 kW. The
-- matrix peaks stand at 2.008 GHz; 2.062 is what the device reports. f4 at full rate only as mxf4 or nvf4. NVLink-C2C
-- to the Grace CPU: 900 GB/s both ways, shared by two GPUs.
local KiB, MiB = 2^10, 2^20

local function cta(k) return { m = 128, n = 256, k = k, step = 16, scope = "cta" } end -- tcgen05

return {
  name = "NVIDIA GB200 186GB", aliases = { "gb200-186gb", "gb200-nvl72" },
  vendor = "NVIDIA", arch = "blackwell", year = 2024,
  cores = 152, clock = 2.062e9, matrix_clock = 2.008e9, tdp = 1200,

  matrix = {
    f64 = 40e12, tf32 = 1250e12, f16 = 2500e12, bf16 = 2500e12, f8 = 5000e12, f6 = 5000e12, f4 = 10000e12,
    i8 = 5000e12,
  },
  vector = { f64 = 40e12, f32 = 80e12, f16 = 80e12 },
  rate = {
    matrix = {
      f64 = 128, tf32 = 4096, f16 = 8192, bf16 = 8192, f8 = 16384, f6 = 16384, f4 = 32768, i8 = 16384,
    },
    vector = { f64 = 128, f32 = 256, f16 = 256 },
  },
  sparse = { tf32 = 2, f16 = 2, bf16 = 2, f8 = 2, f6 = 2, f4 = 2, i8 = 2 },
  special = 16,
  matrix_tile = {
    tf32 = cta(8), f16 = cta(16), bf16 = cta(16), f8 = cta(32), f6 = cta(32), f4 = cta(64), i8 = cta(32),
  },

  hbm = { type = "HBM3e", capacity = 186e9, bandwidth = 8e12 },
  l2 = { capacity = 129.25 * MiB, per_core = 64, parts = 2 },
  smem = { per_core = 228 * KiB, per_cta = 227 * KiB, reserved = 1 * KiB, bandwidth = 128 },
  registers = { per_core = 65536, per_thread = 255 },
  tmem = { per_core = 256 * KiB, unit = 16 * KiB },
  warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
  link = { type = "NVLink5", bandwidth = 900e9, peer = 900e9, count = 18 },

  sustained = { matrix = {
      f16 = 1822e12 / 2500e12, bf16 = 1822e12 / 2500e12, f8 = 3615.6e12 / 5000e12, f4 = 7627.6e12 / 10000e12,
    } },

  source = {
    ["year"] = "vendor: NVIDIA, announcement at GTC 2024 [C]",
    ["matrix vector"] = "vendor: NVIDIA GB200 NVL72 datasheet / 72, dense: half of the printed sparse peaks [A]",
    ["vector.f16"] = "derived: once f32 [A]",
    ["cores l2.capacity"] = "vendor: device query, 135528448 bytes of L2 [A]",
    ["clock"] = "vendor: maximum that the device reports; NVIDIA prints none [A]",
    ["matrix_clock"] = "derived: 2500e12 / (152 * 8192) [A]",
    ["tdp"] = "vendor: ml-engineering [A]",
    ["rate"] = "derived: peak / (SMs * clock) [B]",
    ["rate.vector"] = "vendor: NVIDIA architecture whitepapers, multiply-adds a clock and SM [B]",
    ["sparse"] = "vendor: NVIDIA data sheets and architecture whitepapers, peaks with sparsity over dense ones [B]",
    ["special"] = "vendor: CUDA programming guide, arithmetic throughput [B]",
    ["matrix_tile"] = "vendor: PTX ISA, tcgen05 shapes; m is 64 or 128, with a pair of CTAs 256 [B]",
    ["matrix_tile.f6"] = "derived: that of f8, the same kind of instruction [B]",
    ["hbm"] = "vendor: NVIDIA GB200 NVL72 datasheet; the file of XLA says 7.93 TB/s [A]",
    ["l2.parts"] = "vendor: two dies [A]",
    ["l2.per_core smem registers warp max_warps max_ctas max_threads"] = "vendor: CUDA programming guide, compute capability 10.0 [A]",
    ["tmem"] = "vendor: CUTLASS, blackwell_functionality.md; PTX ISA, 32 columns at least [A]",
    ["link"] = "vendor: NVIDIA GB200 NVL72 datasheet [A]",
    ["sustained.matrix.bf16"] = "microbenchmark: ml-engineering, best of many shapes, 1822 TFLOP/s [A]",
    ["sustained.matrix.f16"] = "derived: that of bf16, the same unit and rate [B]",
    ["sustained.matrix.f8"] = "microbenchmark: ml-engineering, best of many shapes, 3615.6 TFLOP/s [A]",
    ["sustained.matrix.f4"] = "microbenchmark: Azure AI benchmarking guide, ND GB200 v6, 7627.6 TFLOP/s [B]",
  },
}
