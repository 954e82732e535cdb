-- What datasheets do not tell, per architecture: taken where a device's own file is silent, and named in a note.
-- A latency is cycles of the core clock; below 1 it is seconds.
-- A share that no format has (sustained.matrix) is that of f16.
-- launch.* are the gaps before a kernel, fixed and light its own start and end, with matmuls and without.

local MATMUL = "assumed: 0.9 of the best published matmul, which is 0.80 to 0.87 of the peak where it was measured"
local OCCUPANCY = "vendor: NVIDIA cuda_occupancy.h: 256 registers a warp, four register files a core [B]"
local CYCLES = "assumed: 600 ns at 1.41 GHz, in cycles"

return {
  -- Every architecture, unless it says otherwise.
  default = {
    overlap = 0.1,
    special = 16,
    hbm = { latency = 850, sector = 32 },
    l2 = { latency = 300, per_core = 64, parts = 1, rate = 16 },
    smem = { reserved = 0, bandwidth = 128 },
    registers = { per_thread = 255, unit = 256, parts = 4 },
    warp = 32, max_warps = 64, max_ctas = 32, max_threads = 1024,
    launch = { graph = 0.5e-6, stream = 1.7e-6, eager = 26e-6, fixed = 2.3e-6, light = 0.9e-6 },
    link = { latency = 1e-6, fixed = 4.5e-6 },
    sustained = { matrix = { f16 = 0.75 }, vector = 0.9, special = 0.9, hbm = 0.83, l2 = 0.85, smem = 0.9, link = 0.7 },
    source = {
      ["overlap"] = "assumed: softmax hardly hides without warp specialisation",
      ["special"] = "assumed: what every NVIDIA GPU from Volta on has",
      ["hbm.latency"] = CYCLES,
      ["hbm.sector"] = "assumed: a sector of NVIDIA's L2",
      ["l2.latency l2.per_core l2.parts smem registers warp max_warps max_ctas max_threads"] = "assumed: as on an A100",
      ["l2.rate"] = "assumed: the least of the measured GPUs, Ada's",
      ["launch.graph launch.stream"] = "assumed: 1.0 to 1.4 us and 1.6 to 2.6 us a small kernel (gpu-benches), less 0.9 us of its own",
      ["launch.eager"] = "assumed: a framework's op less 2 us of its own; 25 to 32 us on eight hosts (A100, P100, V100, L40S, B200), 11 to 13 us on two",
      ["launch.fixed"] = "assumed: 0.8 to 3.0 us fitted to matmuls in graphs",
      ["launch.light"] = "assumed: 0.8 to 1.0 us of elementwise kernels under a profiler",
      ["link.fixed"] = "assumed: 2.7 to 6.3 us of NCCL's smallest collectives on H100, B200 and A100 (aiconfigurator)",
      ["link.latency"] = "assumed: a step of NCCL's small collectives takes 0.8 to 1.4 us on A100, H100 and B200 (aiconfigurator)",
      ["sustained.matrix"] = MATMUL,
      ["sustained.vector sustained.special"] = "assumed: 0.93 measured on a B200",
      ["sustained.hbm"] = "assumed: 0.78 to 0.88 fitted to four GPUs",
      ["sustained.l2"] = "assumed: 0.75 to 1.0 of the plateau fit alike",
      ["sustained.link"] = "assumed: 0.61 to 0.75 of NCCL's messages above 200 MB among 4 and 8 A100, H100 and B200 (aiconfigurator)",
      ["sustained.smem"] = "assumed: 112 to 126 of 128 bytes a clock measured",
    },
  },

  volta = {
    path = "mma",
    l2 = { rate = 21.7 },
    registers = { unit = 256, parts = 4 },
    source = {
      ["l2.rate"] = "derived: V100, 2.4 TB/s over 80 SMs at 1.38 GHz [A]",
      ["registers"] = OCCUPANCY,
    },
  },

  turing = {
    path = "mma",
    l2 = { rate = 21.7 },
    energy = { vector = 17.5e-12 },
    registers = { unit = 256, parts = 4 },
    smem = { bandwidth = 64 },
    max_ctas = 16,
    launch = { eager = 28e-6 },
    source = {
      ["launch"] = "assumed: the hosts of its time; a PyTorch op took 25 us and more on a P4, 30 and more on a V100 and a P100 (NeuSight)",
      ["l2.rate"] = "assumed: as Volta",
      ["energy"] = "derived: T4, 4.0 TFLOP/s of f32 matmul at 70 W (device-benchmarks) [A]",
      ["registers"] = OCCUPANCY,
      ["smem"] = "assumed",
      ["max_ctas"] = "vendor: CUDA programming guide, compute capability 7.5 [A]",
    },
  },

  ampere = {
    path = "mma",
    l2 = { rate = 16.7 },
    energy = { vector = 12e-12 },
    smem = { reserved = 1024 },
    registers = { unit = 256, parts = 4 },
    source = {
      ["l2.rate"] = "derived: A40, 2.44 TB/s over 84 SMs at 1.74 GHz [A]",
      ["energy"] = "derived: 14 TFLOP/s of f32 matmul on an A10 of 150 W, 27 on an RTX 3090 of 350 W (device-benchmarks) [A]",
      ["smem"] = "vendor: CUDA programming guide, 1 KiB a CTA from 8.0 on [A]",
      ["registers"] = OCCUPANCY,
    },
  },

  ada = {
    path = "mma",
    l2 = { rate = 14.5 },
    energy = { vector = 6.9e-12 },
    smem = { reserved = 1024 },
    registers = { unit = 256, parts = 4 },
    max_ctas = 24,
    sustained = { matrix = { f16 = 0.60 } },
    source = {
      ["l2.rate"] = "derived: L40, 5.2 TB/s over 142 SMs at 2.52 GHz [A]",
      ["energy"] = "derived: 12 TFLOP/s of f32 matmul on an L4 of 72 W, 58 on an RTX 4090 of 450 W (device-benchmarks) [A]",
      ["smem"] = "vendor: CUDA programming guide, 1 KiB a CTA from 8.0 on [A]",
      ["registers"] = OCCUPANCY,
      ["max_ctas"] = "vendor: CUDA programming guide, compute capability 8.9 [A]",
      ["sustained"] = "assumed: an L40S throttles to 0.58 to 0.60",
    },
  },

  hopper = {
    path = "wgmma",
    overlap = 0.6,
    l2 = { rate = 37.5, parts = 2 },
    smem = { reserved = 1024 },
    registers = { unit = 256, parts = 4 },
    source = {
      ["overlap"] = "assumed: warps specialised in loads, matmul and softmax",
      ["l2.rate"] = "derived: GH200, 9.8 TB/s over 132 SMs at 1.98 GHz [A]",
      ["l2.parts"] = "vendor: two halves [A]",
      ["smem"] = "vendor: CUDA programming guide, 1 KiB a CTA from 8.0 on [A]",
      ["registers"] = OCCUPANCY,
    },
  },

  blackwell = {
    path = "tcgen05",
    overlap = 0.6,
    l2 = { rate = 57.8, parts = 2 },
    smem = { reserved = 1024 },
    registers = { unit = 256, parts = 4 },
    source = {
      ["overlap"] = "assumed: warps specialised in loads, matmul and softmax",
      ["l2.rate"] = "derived: B200, 16.8 TB/s over 148 SMs at 1.965 GHz [A]",
      ["l2.parts"] = "vendor: two dies [A]",
      ["smem"] = "vendor: CUDA programming guide, 1 KiB a CTA from 8.0 on [A]",
      ["registers"] = OCCUPANCY,
    },
  },

  -- Consumer Blackwell (compute capability 12.0): plain mma, no tensor memory.
  ["blackwell-rtx"] = {
    path = "mma",
    l2 = { rate = 14.5 },
    smem = { reserved = 1024 },
    registers = { unit = 256, parts = 4 },
    max_ctas = 24,
    source = {
      ["l2.rate"] = "assumed: as Ada's L40",
      ["smem"] = "vendor: CUDA programming guide, 1 KiB a CTA from 8.0 on [A]",
      ["registers"] = OCCUPANCY,
      ["max_ctas"] = "vendor: CUDA programming guide, compute capability 12.0; the tuning guide prints 32 [A]",
    },
  },

  cdna2 = {
    path = "mfma",
    hbm = { sector = 64 },
    l2 = { rate = 28.4 },
    registers = { unit = 512, parts = 4 },
    warp = 64,
    launch = { eager = 15e-6 },
    source = {
      ["launch"] = "assumed: a PyTorch op took 15 us and more on an MI100 (NeuSight)",
      ["hbm"] = "assumed: half a line of the L2",
      ["l2"] = "derived: MI210, 5.02 TB/s over 104 CUs at 1.7 GHz [A]",
      ["registers"] = "vendor: AMD CDNA ISA, 8 registers a lane, four SIMDs [B]",
      ["warp"] = "vendor: AMD CDNA ISA [A]",
    },
  },

  cdna3 = {
    path = "mfma",
    hbm = { sector = 64 },
    l2 = { rate = 53.9, parts = 8 },
    registers = { unit = 512, parts = 4 },
    warp = 64,
    source = {
      ["hbm"] = "assumed: half a line of the L2",
      ["l2"] = "assumed: in theory, AMD CDNA3 white paper, 8 dies of 2 KiB a clock over 304 CUs; not measured",
      ["registers"] = "vendor: AMD CDNA ISA, 8 registers a lane, four SIMDs [B]",
      ["warp"] = "vendor: AMD CDNA ISA [A]",
    },
  },

  cdna4 = {
    path = "mfma",
    hbm = { sector = 64 },
    llc = { bandwidth = 11.9e12 },
    l2 = { rate = 64, parts = 8 },
    registers = { unit = 512, parts = 4 },
    warp = 64,
    source = {
      ["hbm"] = "assumed: half a line of the L2",
      ["llc"] = "assumed: as measured on an MI300X by Chips and Cheese",
      ["l2"] = "assumed: in theory, 8 dies of 2 KiB a clock over 256 CUs, as CDNA3; not measured",
      ["registers"] = "assumed: as CDNA3",
      ["warp"] = "vendor: AMD CDNA ISA [A]",
    },
  },

  -- `cores` of a TPU are matrix units; its vector units and its SRAM are outside the model.
  tpu = {
    special = 256,
    source = {
      ["special"] = "assumed: one op a clock of each of 1024 lanes, a TensorCore having four MXUs; Google prints none",
    },
  },

  -- `cores` of a Gaudi are matrix engines, eight or twelve vector cores to each.
  gaudi = {
    special = 128,
    source = {
      ["special"] = "assumed: eight vector cores of 64 lanes, one op in four clocks; Intel prints none",
    },
  },

  ["xe-hpc"] = {
    special = 32,
    source = {
      ["special"] = "assumed: a quarter of the 128 lanes of a core, a multiply-add being one clock; Intel prints none",
    },
  },

  apple = {
    overlap = 0,
    sustained = { vector = 0.8 },
    source = {
      ["overlap"] = "assumed: matrix instructions and softmax share the ALUs",
      ["sustained"] = "assumed: matrix instructions reach 204 of 256 FLOP a clock and core (metal-benchmarks, M1)",
    },
  },

  cpu = {
    special = 2,
    hbm = { latency = 100e-9, sector = 64 },
    launch = { graph = 5e-6, stream = 5e-6, eager = 5e-6, fixed = 0, light = 0 },
    source = {
      ["special"] = "assumed: an exp takes eight vector instructions of 16 lanes; no CPU has such a unit",
      ["hbm"] = "assumed: DDR5, one cache line",
      ["launch"] = "assumed: a parallel loop's start and end",
    },
  },
}
