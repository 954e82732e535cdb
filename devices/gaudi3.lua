-- Intel Gaudi 3 128GB (OAM): eight matrix engines (MMEs, `cores`) and 64 vector cores (TPCs). The white paper prints
-- its peaks at 1.75 GHz (1835 TFLOP/s of bf16); devices report 1.6 GHz, so peaks here stand at 1.6: 1677. f8 gains
-- nothing over bf16, f16 and tf32 have a quarter of it. 96 MiB of SRAM (12.8 or 19.2 TB/s by mode), managed by
-- software; nothing of CTAs: for untiled kernels.
return {
  name = "Intel Gaudi 3 128GB", aliases = { "gaudi-3", "hl-325l", "intel-gaudi3" },
  vendor = "Intel", arch = "gaudi", year = 2024,
  cores = 8, clock = 1.6e9, tdp = 900,

  matrix = { f32 = 209.7e12, tf32 = 419.4e12, f16 = 419.4e12, bf16 = 1677.7e12, f8 = 1677.7e12 },
  vector = { f32 = 13.1e12, bf16 = 26.2e12 },
  rate = {
    matrix = { f32 = 16384, tf32 = 32768, f16 = 32768, bf16 = 131072, f8 = 131072 },
    vector = { f32 = 1024, bf16 = 2048 },
  },

  hbm = { type = "HBM2e", capacity = 128e9, bandwidth = 3.67e12, bus = 8192, data_rate = 3.6e9 },
  link = { type = "RoCE 24x200GbE", bandwidth = 600e9 },

  sustained = { matrix = { bf16 = 1243e12 / 1677.7e12, f8 = 1289.5e12 / 1677.7e12 } },

  source = {
    ["year"] = "vendor: Intel, announcement in April 2024 [C]",
    ["cores hbm link"] = "vendor: Intel Gaudi 3 white paper [A]",
    ["clock"] = "vendor: ml-engineering, MME and TPC clock that the device reports; 1.75 GHz gives the printed peaks [A]",
    ["matrix vector"] = "derived: printed peak * 1.6 / 1.75; printed 1835 bf16 and f8, 459 f16 and tf32, 229 f32, 28.7 of bf16 vectors [A]",
    ["vector.f32"] = "derived: half of bf16, twice as many bytes a lane [C]",
    ["tdp"] = "vendor: ml-engineering [A]",
    ["rate"] = "derived: printed peak / (8 MMEs * 1.75 GHz) [B]",
    ["rate.matrix.bf16 rate.matrix.f8"] = "vendor: Intel white paper, 256 * 256 multiply-adds a clock and engine [B]",
    ["hbm.bus"] = "vendor: recalled [C]",
    ["hbm.data_rate"] = "derived: bandwidth * 8 / bus [C]",
    ["sustained.matrix"] = "microbenchmark: ml-engineering, best of many shapes, 1243 bf16, 1289.5 f8 [A]",
  },
  exceptions = {
    ["ratio.bf16"] = "f16 has a quarter of the rate of bf16",
    ["ratio.tf32"] = "f16 and tf32 have the same rate",
    ["ratio.f8"] = "f16 has a quarter of the rate of f8, which is that of bf16",
  },
}
