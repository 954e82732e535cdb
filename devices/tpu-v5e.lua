-- Google TPU v5e 16GB, one chip of one TensorCore with four MXUs. Four links of 50 GB/s (effectively 45), a 2D torus.
-- `cores` are matrix units (MXUs). VMEM is software-managed and says nothing of CTAs: for untiled kernels.
return {
  name = "Google TPU v5e 16GB", aliases = { "tpuv5e", "v5e", "v5litepod", "tpu-v5-lite" },
  vendor = "Google", arch = "tpu", year = 2023,
  cores = 4, clock = 1.5e9,

  matrix = { bf16 = 197e12, i8 = 394e12, i4 = 788e12 },
  rate = { matrix = { bf16 = 32768, i8 = 65536, i4 = 131072 } },

  hbm = { type = "HBM2", capacity = 16e9, bandwidth = 819e9 },
  link = { type = "ICI 2D torus", bandwidth = 200e9, peer = 50e9, count = 4 },

  source = {
    ["year"] = "vendor: Google, announcement [C]",
    ["cores matrix hbm"] = "vendor: Google Cloud TPU documentation [A]",
    ["matrix.i4"] = "vendor: JAX, pallas tpu_info [A]",
    ["clock"] = "vendor: scaling-book [A]",
    ["rate"] = "vendor: 128 * 128 multiply-adds a clock and MXU, Google Cloud TPU documentation [B]",
    ["rate.matrix.i8 rate.matrix.i4"] = "derived: peak / (MXUs * clock) [B]",
    ["link"] = "vendor: Google Cloud TPU documentation, 400 GB/s both ways over 4 links [A]",
  },
}
