-- Google TPU v3 32GiB, one chip of two TensorCores with two MXUs each. 123 TFLOP/s is 4 * 128 * 128 * 2 * 0.94 GHz;
-- 140 is printed elsewhere, as is 825 GB/s for its 900. bf16 only: no other type is listed. `cores` are matrix units
-- (MXUs). VMEM is software-managed and says nothing of CTAs: for untiled kernels.
local GiB = 2^30

return {
  name = "Google TPU v3 32GiB", aliases = { "tpuv3", "google-tpu-v3" },
  vendor = "Google", arch = "tpu", year = 2018,
  cores = 4, clock = 0.94e9, tdp = 220,

  matrix = { bf16 = 123e12 },
  rate = { matrix = { bf16 = 32768 } },

  hbm = { type = "HBM2", capacity = 32 * GiB, bandwidth = 900e9 },

  source = {
    ["year"] = "vendor: Google, announcement [C]",
    ["cores tdp matrix hbm"] = "vendor: Google Cloud TPU documentation [A]",
    ["clock"] = "vendor: Jouppi et al., ISCA 2021 [C]",
    ["rate"] = "vendor: 128 * 128 multiply-adds a clock and MXU, Google Cloud TPU documentation [B]",
  },
}
