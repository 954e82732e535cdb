-- Google TPU v7 (Ironwood) 192GiB, one chip, which shows as two devices: two TensorCores with two MXUs of 256 * 256
-- each. Six links of 100 GB/s, a 3D torus. `cores` are matrix units (MXUs). VMEM is software-managed and says nothing
-- of CTAs: for untiled kernels.
local GiB = 2^30

return {
  name = "Google TPU v7 192GiB", aliases = { "tpuv7", "tpu7x", "ironwood" },
  vendor = "Google", arch = "tpu", year = 2025,
  cores = 4, clock = 2.2e9,

  matrix = { bf16 = 2307e12, f8 = 4614e12 },
  rate = { matrix = { bf16 = 262144, f8 = 524288 } },

  hbm = { type = "HBM3e", capacity = 192 * GiB, bandwidth = 7.38e12 },
  link = { type = "ICI 3D torus", bandwidth = 600e9, peer = 100e9, count = 6 },

  sustained = {
    matrix = { bf16 = 1912.8e12 / 2307e12 },
    hbm = 6421e9 / 7380e9,
  },

  source = {
    ["year"] = "vendor: Google, announcement [C]",
    ["cores matrix hbm"] = "vendor: Google Cloud TPU documentation [A]",
    ["clock"] = "derived: 2307e12 / (4 * 262144) [B]",
    ["rate"] = "derived: peak / (MXUs * clock) [B]",
    ["link"] = "vendor: Google Cloud TPU documentation, 1200 GB/s both ways over 6 links [A]",
    ["sustained.matrix"] = "microbenchmark: accelerator-microbenchmarks, twice 956.4 TFLOP/s of a core [A]",
    ["sustained.hbm"] = "microbenchmark: accelerator-microbenchmarks, copy, 6421 GB/s [A]",
  },
}
