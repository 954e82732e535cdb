return {
  name = "Mine", arch = "hopper",
  cores = 100, clock = 1.5e9,
  matrix = { f16 = 614.4e12 }, vector = { f32 = 38.4e12 },
  rate = { matrix = { f16 = 4096 }, vector = { f32 = 256 } },
  hbm = { capacity = 64e9, bandwidth = 2e12 },
  l2 = { capacity = 40e6 },
  smem = { per_core = 228 * 2^10, per_cta = 227 * 2^10, reserved = 2^10 }, registers = { per_core = 65536 },
}
