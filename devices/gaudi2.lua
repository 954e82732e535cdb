-- Intel Gaudi 2 96GB (OAM): two matrix engines (MMEs, `cores`) at 1.65 GHz and 24 vector cores (TPCs) at 1.8, whose
-- rate is not printed. 48 MiB of SRAM, managed by software; nothing of CTAs: for untiled kernels. The peak of the
-- matrix engines is nearly reached.
return {
  name = "Intel Gaudi 2 96GB", aliases = { "gaudi-2", "hl-225", "intel-gaudi2" },
  vendor = "Intel", arch = "gaudi", year = 2022,
  cores = 2, clock = 1.65e9, tdp = 600,

  matrix = { bf16 = 432e12, f8 = 865e12 },
  rate = { matrix = { bf16 = 131072, f8 = 262144 } },

  hbm = { type = "HBM2e", capacity = 96e9, bandwidth = 2.46e12, bus = 6144, data_rate = 3.2e9 },
  link = { type = "RoCE 24x100GbE", bandwidth = 300e9, peer = 37.5e9 },

  sustained = { matrix = { bf16 = 418.7e12 / 432e12, f8 = 826.5e12 / 865e12 } },

  source = {
    ["year"] = "vendor: Intel, announcement in May 2022 [C]",
    ["cores matrix hbm link"] = "vendor: Intel Gaudi 2 white paper [A]",
    ["link.peer"] = "derived: 21 of 24 ports of 100 Gbit/s, three to each of 7 peers of a box [B]",
    ["clock tdp"] = "vendor: ml-engineering [A]",
    ["rate"] = "vendor: Intel white paper, 256 * 256 multiply-adds a clock and engine [B]",
    ["hbm.bus"] = "vendor: recalled [C]",
    ["hbm.data_rate"] = "derived: bandwidth * 8 / bus [C]",
    ["sustained.matrix"] = "microbenchmark: ml-engineering, best of many shapes, 418.7 bf16, 826.5 f8 [A]",
  },
}
