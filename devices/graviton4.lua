-- AWS Graviton4, 96 Neoverse V2 cores at a fixed 2.8 GHz. Power and memory capacity are not printed. It says nothing
-- of shared memory or registers: good for untiled kernels, that is for plain rooflines.
local MiB = 2^20

return {
  name = "AWS Graviton4", aliases = { "aws-graviton4", "graviton-4" },
  vendor = "AWS", arch = "cpu", year = 2023,
  cores = 96, clock = 2.8e9,

  vector = { f64 = 4.3e12, f32 = 8.6e12 },
  rate = { vector = { f64 = 16, f32 = 32 } },

  hbm = { type = "DDR5", bandwidth = 537.6e9, bus = 768, data_rate = 5.6e9 },
  llc = { capacity = 36 * MiB },

  source = {
    ["year"] = "vendor: AWS, announcement in November 2023 [C]",
    ["cores clock hbm llc"] = "vendor: AWS announcement, Chips and Cheese [A]",
    ["vector"] = "derived: cores * rate * clock [A]",
    ["rate"] = "vendor: Neoverse V2, four 128-bit pipes [B]",
    ["hbm.bandwidth"] = "derived: 12 channels of 8 bytes at 5.6 GT/s [A]",
  },
}
