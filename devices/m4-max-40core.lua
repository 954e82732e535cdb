-- Apple M4 Max, the GPU of 40 cores, with 128 GB at most. Matrix instructions (8 * 8 * 8) run on the plain ALUs, at
-- 204 of their 256 FLOP a clock, so there is no matrix roof. f16 is no faster than f32 (catalogues that double it are
-- wrong), f64 does not exist. Apple prints no clock. Memory is shared with the CPU.
local KiB = 2^10

return {
  name = "Apple M4 Max 128GB, 40-core GPU", aliases = { "m4-max", "apple-m4-max" },
  vendor = "Apple", arch = "apple", year = 2024,
  cores = 40, clock = 1.578e9,

  vector = { f32 = 16.2e12, f16 = 16.2e12 },
  rate = { vector = { f32 = 256, f16 = 256 } },
  special = 32,

  hbm = { type = "LPDDR5X", capacity = 128e9, bandwidth = 546e9, bus = 512, data_rate = 8.533e9 },
  smem = { per_core = 60 * KiB, per_cta = 32 * KiB },
  registers = { per_core = 53248 },
  warp = 32, max_warps = 96, max_threads = 1024,

  source = {
    ["year"] = "vendor: Apple, announcement [C]",
    ["cores hbm"] = "vendor: Apple product specification [A]",
    ["hbm.bus"] = "derived: bandwidth * 8 / data rate [A]",
    ["hbm.data_rate"] = "vendor: LPDDR5X-8533 [A]",
    ["clock"] = "microbenchmark: philipturner/metal-benchmarks; 1.578 to 1.678 GHz by source [C]",
    ["vector.f32"] = "derived: cores * 256 * clock [A]",
    ["vector.f16"] = "derived: the rate of f32 [A]",
    ["rate"] = "microbenchmark: philipturner/metal-benchmarks [B]",
    ["special"] = "microbenchmark: philipturner/metal-benchmarks, exp2 and log2; rcp and rsqrt are slower [B]",
    ["smem registers"] = "microbenchmark: philipturner/metal-benchmarks [B]",
    ["max_warps"] = "derived: philipturner/metal-benchmarks, 3072 threads a core at few registers, / 32 [B]",
    ["smem.per_cta warp max_threads"] = "vendor: Metal feature set tables [A]",
  },
}
