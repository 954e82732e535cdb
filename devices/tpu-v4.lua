-- Google TPU v4 32GiB, one chip of two TensorCores with four MXUs each. i8 gains nothing over bf16. Six links of 45
-- GB/s (50 raw), a 3D torus. `cores` are matrix units (MXUs). VMEM is software-managed and says nothing of CTAs: for
-- untiled kernels.
local GiB = 2^30

return {
  name = "Google TPU v4 32GiB", aliases = { "tpuv4", "google-tpu-v4" },
  vendor = "Google", arch = "tpu", year = 2021,
  cores = 8, clock = 1.05e9, tdp = 192,

  matrix = { bf16 = 275e12, i8 = 275e12 },
  rate = { matrix = { bf16 = 32768, i8 = 32768 } },

  hbm = { type = "HBM2", capacity = 32 * GiB, bandwidth = 1.2e12 },
  link = { type = "ICI 3D torus", bandwidth = 270e9, peer = 45e9, count = 6 },

  source = {
    ["year"] = "vendor: Google, announcement [C]",
    ["cores tdp matrix hbm"] = "vendor: Google Cloud TPU documentation, 1.228 TB/s in a table of it [A]",
    ["clock"] = "vendor: Jouppi et al., ISCA 2023 [C]",
    ["rate"] = "vendor: 128 * 128 multiply-adds a clock and MXU, Google Cloud TPU documentation [B]",
    ["rate.matrix.i8"] = "derived: peak / (MXUs * clock) [B]",
    ["link"] = "vendor: scaling-book, 45 GB/s a link [A]",
  },
  exceptions = {
    ["ratio.i8"] = "the MXU of v4 runs i8 at the rate of bf16",
  },
}
