-- Intel Data Center GPU Max 1550 128GB: 128 Xe cores, two stacks that one device joins (185 GB/s measured between
-- them). Power caps it: f64 vectors reach 22 TFLOP/s (34 on an older page) of their 52.4, f32 vectors 42. L2 of 13
-- TB/s in theory. A core's 512 KiB of L1 are partly shared memory, how much is not printed: for untiled kernels.
local KiB, MiB = 2^10, 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "Intel Data Center GPU Max 1550 128GB",
  aliases = { "ponte-vecchio", "pvc", "intel-max-1550", "data-center-gpu-max-1550" },
  vendor = "Intel", arch = "xe-hpc", year = 2022,
  cores = 128, clock = 1.6e9, tdp = 600,

  matrix = { tf32 = 419e12, f16 = 839e12, bf16 = 839e12, i8 = 1678e12 },
  vector = { f64 = 52.4e12, f32 = 52.4e12 },
  rate = {
    matrix = { tf32 = 2048, f16 = 4096, bf16 = 4096, i8 = 8192 },
    vector = { f64 = 256, f32 = 256 },
  },
  matrix_tile = { bf16 = warp(8, 16, 16) },

  hbm = { type = "HBM2e", capacity = 128e9, bandwidth = 3.2768e12, bus = 8192, data_rate = 3.2e9 },
  l2 = { capacity = 408 * MiB, parts = 2 },
  smem = { per_cta = 128 * KiB, bandwidth = 512 },
  registers = { per_core = 131072 },
  link = { type = "Xe Link", bandwidth = 424e9, peer = 26.5e9, count = 16 },

  sustained = {
    matrix = { tf32 = 260e12 / 419e12, f16 = 494e12 / 839e12, bf16 = 512e12 / 839e12, i8 = 1058e12 / 1678e12 },
    vector = 42e12 / 52.4e12,
    hbm = 2000e9 / 3276.8e9,
  },

  source = {
    ["year"] = "vendor: Intel, announcement in November 2022 [C]",
    ["cores clock tdp matrix vector hbm l2.capacity l2.parts smem registers"] = "vendor: Intel Max series technical overview, Hot Chips 34 [A]",
    ["rate"] = "vendor: Intel, FLOP a clock and Xe core [B]",
    ["matrix_tile"] = "vendor: Intel XMX joint_matrix documentation [B]",
    ["smem.bandwidth"] = "derived: 105e12 / (128 * 1.6 GHz) [A]",
    ["link"] = "vendor: ALCF Aurora documentation, 16 links of 26.5 GB/s [C]",
    ["sustained.matrix"] = "microbenchmark: ALCF Aurora node performance, twice a tile, at 1.5 GHz [A]",
    ["sustained.vector"] = "microbenchmark: ALCF Aurora node performance, 42 TFLOP/s of f32 [A]",
    ["sustained.hbm"] = "microbenchmark: ALCF Aurora node performance, triad, 2 TB/s [A]",
  },
}
