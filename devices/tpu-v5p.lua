-- Google TPU v5p 95GB, one chip of two TensorCores with four MXUs each. 2765 GB/s and 95 GB; 2460 or 2800 and 96 or
-- 103 are printed, too. Six links of 100 GB/s (effectively 90), a 3D torus. `cores` are matrix units (MXUs). VMEM is
-- software-managed and says nothing of CTAs: for untiled kernels.
return {
  name = "Google TPU v5p 95GB", aliases = { "tpuv5p", "v5p" },
  vendor = "Google", arch = "tpu", year = 2023,
  cores = 8, clock = 1.75e9,

  matrix = { bf16 = 459e12, i8 = 918e12, i4 = 1840e12 },
  rate = { matrix = { bf16 = 32768, i8 = 65536, i4 = 131072 } },

  hbm = { type = "HBM2e", capacity = 95e9, bandwidth = 2.765e12 },
  link = { type = "ICI 3D torus", bandwidth = 600e9, peer = 100e9, count = 6 },

  source = {
    ["year"] = "vendor: Google, announcement [C]",
    ["cores matrix hbm"] = "vendor: Google Cloud TPU documentation [A]",
    ["matrix.i4"] = "vendor: JAX, pallas tpu_info [A]",
    ["clock"] = "vendor: scaling-book [A]",
    ["rate"] = "vendor: 128 * 128 multiply-adds a clock and MXU, Google Cloud TPU documentation [B]",
    ["rate.matrix.i8 rate.matrix.i4"] = "derived: peak / (MXUs * clock) [B]",
    ["link"] = "vendor: Google Cloud TPU documentation, 1200 GB/s both ways over 6 links [A]",
  },
}
