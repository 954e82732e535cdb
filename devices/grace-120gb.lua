-- NVIDIA Grace 120GB, one CPU of 72 Neoverse V2 cores, peaks at base clock. With 120 or 240 GB it has 512 GB/s, with
-- 480 GB 384. NVLink-C2C to a GPU: 450 GB/s each way. The superchip has two of these. It says nothing of shared
-- memory or registers: good for untiled kernels, that is for plain rooflines.
local MiB = 2^20

return {
  name = "NVIDIA Grace 120GB", aliases = { "grace", "nvidia-grace" },
  vendor = "NVIDIA", arch = "cpu", year = 2022,
  cores = 72, clock = 3.1e9,

  vector = { f64 = 3.57e12, f32 = 7.14e12 },
  rate = { vector = { f64 = 16, f32 = 32 } },

  hbm = { type = "LPDDR5X", capacity = 120e9, bandwidth = 512e9 },
  llc = { capacity = 117 * MiB },

  sustained = {
    vector = 1,
    hbm = 448e9 / 512e9,
  },

  source = {
    ["year"] = "vendor: NVIDIA, announcement of the superchip at GTC 2022 [C]",
    ["cores clock hbm llc"] = "vendor: NVIDIA Grace datasheet, benchmarking guide; one core reaches 3.4 GHz [A]",
    ["vector"] = "derived: cores * rate * base clock [A]",
    ["rate"] = "vendor: Neoverse V2, four 128-bit pipes [B]",
    ["sustained.vector"] = "derived: 72 * 53.5 GFLOP/s of f64 in the benchmarking guide, 3.85 TFLOP/s, above the peak at base clock: capped at 1 [A]",
    ["sustained.hbm"] = "microbenchmark: NVIDIA Grace CPU benchmarking guide, triad, 448 GB/s; 410 to 486 expected [A]",
  },
}
