-- AMD EPYC 9654, one socket of 96 Zen 4 cores, peaks at base clock.
-- It says nothing of shared memory or registers: good for untiled kernels, that is for plain rooflines.
local MiB = 2^20

return {
  name = "AMD EPYC 9654", aliases = { "epyc", "genoa" },
  vendor = "AMD", arch = "cpu", year = 2022,
  cores = 96, clock = 2.4e9, tdp = 360,

  vector = { f64 = 3.69e12, f32 = 7.37e12 },
  rate = { vector = { f64 = 16, f32 = 32 } },

  hbm = { type = "DDR5", bandwidth = 460.8e9, bus = 768, data_rate = 4.8e9 },
  llc = { capacity = 384 * MiB },

  sustained = { vector = 1, hbm = 275.7e9 / 460.8e9 },

  source = {
    ["year cores clock tdp llc"] = "vendor: AMD product page; all cores reach 3.55 GHz, one 3.7 [A]",
    ["vector"] = "derived: cores * rate * base clock [A]",
    ["rate"] = "vendor: AMD, 512-bit multiply-adds in two 256-bit passes [B]",
    ["hbm"] = "vendor: AMD product page [A]",
    ["hbm.bandwidth"] = "derived: 12 channels of 8 bytes at 4.8 GT/s; the 368 GB/s found online are not followed [A]",
    ["sustained.vector"] = "microbenchmark: OpenCL-Benchmark, 4.89 TFLOP/s of f64 on 88 cores at 3.47 GHz, above the peak at base clock: capped at 1 [A]",
    ["sustained.hbm"] = "microbenchmark: OpenCL-Benchmark in a virtual machine of 88 cores, 275.7 GB/s read [A]",
  },
}
