-- Intel Xeon Platinum 8480+, one socket of 56 Sapphire Rapids cores, peaks at base clock; AVX-512 and AMX have clocks
-- of their own. It says nothing of shared memory or registers: good for untiled kernels, that is for plain rooflines.
-- FluidX3D reaches 165 GB/s, half of a result on two sockets: a stencil, no ceiling, so none stands here.
local MiB = 2^20

local function warp(m, n, k) return { m = m, n = n, k = k, scope = "warp" } end

return {
  name = "Intel Xeon Platinum 8480+", aliases = { "xeon-8480+", "8480+", "xeon-platinum-8480", "sapphire-rapids" },
  vendor = "Intel", arch = "cpu", year = 2023,
  cores = 56, clock = 2e9, tdp = 350,

  matrix = { bf16 = 229.4e12, i8 = 458.8e12 },
  vector = { f64 = 3.58e12, f32 = 7.17e12 },
  rate = { matrix = { bf16 = 2048, i8 = 4096 }, vector = { f64 = 32, f32 = 64 } },
  matrix_tile = { bf16 = warp(16, 16, 32) }, -- AMX: one tile instruction

  hbm = { type = "DDR5", bandwidth = 307.2e9, bus = 512, data_rate = 4.8e9 },
  llc = { capacity = 105 * MiB },

  source = {
    ["year"] = "vendor: Intel, announcement in January 2023 [C]",
    ["cores clock tdp hbm llc"] = "vendor: Intel ARK; one core reaches 3.8 GHz [A]",
    ["matrix vector"] = "derived: cores * rate * base clock [A]",
    ["rate.matrix matrix_tile"] = "vendor: Intel AMX documentation, a tile of 16 * 16 * 32 in 16 clocks [A]",
    ["rate.vector"] = "vendor: Intel, two 512-bit multiply-adds a clock [B]",
    ["hbm.bandwidth"] = "derived: 8 channels of 8 bytes at 4.8 GT/s [A]",
  },
}
