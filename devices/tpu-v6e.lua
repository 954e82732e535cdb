-- Google TPU v6e (Trillium) 32GB, one chip of one TensorCore with two MXUs of 256 * 256. The printed peak needs twice
-- the naive rate at 1.75 GHz: 262144 FLOP a clock and MXU, which v7 has as well. f8 gains nothing over bf16. Four
-- links of 100 GB/s (effectively 90). `cores` are matrix units (MXUs). VMEM is software-managed and says nothing of
-- CTAs: for untiled kernels.
return {
  name = "Google TPU v6e 32GB", aliases = { "tpuv6e", "v6e", "trillium" },
  vendor = "Google", arch = "tpu", year = 2024,
  cores = 2, clock = 1.75e9,

  matrix = { bf16 = 918e12, f8 = 918e12, i8 = 1836e12, i4 = 3680e12 },
  rate = { matrix = { bf16 = 262144, f8 = 262144, i8 = 524288, i4 = 1048576 } },

  hbm = { type = "HBM3", capacity = 32e9, bandwidth = 1.638e12 },
  link = { type = "ICI 2D torus", bandwidth = 400e9, peer = 100e9, count = 4 },

  source = {
    ["year"] = "vendor: Google, announcement [C]",
    ["cores matrix hbm"] = "vendor: Google Cloud TPU documentation [A]",
    ["matrix.f8"] = "vendor: ml-engineering, at the rate of bf16 [B]",
    ["matrix.i4"] = "vendor: JAX, pallas tpu_info [A]",
    ["clock"] = "derived: 918e12 / (2 * 262144) [B]",
    ["rate"] = "derived: peak / (MXUs * clock) [B]",
    ["link"] = "vendor: Google Cloud TPU documentation, 800 GB/s both ways over 4 links [A]",
  },
  exceptions = {
    ["ratio.f8"] = "the MXU of v6e runs f8 at the rate of bf16",
  },
}
