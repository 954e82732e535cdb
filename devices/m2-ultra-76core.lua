-- Apple M2 Ultra, the GPU of 76 cores, with 192 GB at most. Matrix instructions (8 * 8 * 8) run on the plain ALUs, at
-- 204 of their 256 FLOP a clock, so there is no matrix roof. f16 is no faster than f32 (catalogues that double it are
-- wrong), f64 does not exist. Apple prints no clock. Memory is shared with the CPU.
local KiB, MiB = 2^10, 2^20

return {
  name = "Apple M2 Ultra 192GB, 76-core GPU", aliases = { "m2-ultra", "apple-m2-ultra" },
  vendor = "Apple", arch = "apple", year = 2023,
  cores = 76, clock = 1.398e9,

  vector = { f32 = 27.2e12, f16 = 27.2e12 },
  rate = { vector = { f32 = 256, f16 = 256 } },
  special = 32,

  hbm = { type = "LPDDR5", capacity = 192e9, bandwidth = 800e9, bus = 1024, data_rate = 6.4e9 },
  llc = { capacity = 96 * MiB },
  smem = { per_core = 60 * KiB, per_cta = 32 * KiB },
  registers = { per_core = 53248 },
  warp = 32, max_warps = 96, max_threads = 1024,

  sustained = { hbm = 708e9 / 800e9 },

  source = {
    ["year"] = "vendor: Apple, announcement [C]",
    ["cores hbm"] = "vendor: Apple product specification [A]",
    ["hbm.bus"] = "derived: bandwidth * 8 / data rate [A]",
    ["hbm.data_rate"] = "vendor: LPDDR5-6400 [A]",
    ["clock"] = "microbenchmark: philipturner/metal-benchmarks [B]",
    ["vector.f32"] = "derived: cores * 256 * clock [A]",
    ["vector.f16"] = "derived: the rate of f32 [A]",
    ["rate"] = "microbenchmark: philipturner/metal-benchmarks [B]",
    ["special"] = "microbenchmark: philipturner/metal-benchmarks, exp2 and log2; rcp and rsqrt are slower [B]",
    ["llc"] = "microbenchmark: philipturner/metal-benchmarks, system level cache [B]",
    ["smem registers"] = "microbenchmark: philipturner/metal-benchmarks [B]",
    ["max_warps"] = "derived: philipturner/metal-benchmarks, 3072 threads a core at few registers, / 32 [B]",
    ["smem.per_cta warp max_threads"] = "vendor: Metal feature set tables [A]",
    ["sustained.hbm"] = "microbenchmark: FluidX3D, mixed reads and writes, 708 GB/s [A]",
  },
  exceptions = {
    ["hbm.bandwidth"] = "Apple prints 800 GB/s; the bus at 6.4 Gbit/s gives 819.2",
  },
}
