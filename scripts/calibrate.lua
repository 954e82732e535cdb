-- Which constants of a device do measured times determine, and do kernels that were not among them gain?
--
-- The rows are matmuls in f16 on an A100, as PyTorch's profiler timed them (Vidur, microsoft/vidur, data/profiling/compute,
-- a twentieth of its shapes). kc.calibrate runs each on the schedule that kc.best finds, and fits what a datasheet does not
-- tell: the shares of the matrix peak and of HBM's bandwidth that kernels sustain, and what each takes to start and end.
-- Every fourth row is held out; the errors are of these.
--
--   kcost --set fitted=true scripts/calibrate.lua      from the constants that the device is shipped with
local kc = require "kcost"

local measured = { -- m, n, k, µs
    { 1, 4096, 2048, 15 }, { 1, 12288, 8192, 124 }, { 2, 4096, 11008, 60 }, { 2, 24576, 8192, 246 },
    { 4, 6912, 5120, 46 }, { 8, 4096, 1792, 14 }, { 8, 24576, 8192, 257.5 }, { 16, 24576, 8192, 259.5 },
    { 32, 1536, 4096, 15 }, { 48, 5120, 1280, 13 }, { 56, 12288, 8192, 135.5 }, { 64, 5504, 4096, 33 },
    { 64, 44032, 8192, 467 }, { 96, 12288, 4096, 73 }, { 128, 5120, 640, 11 }, { 160, 4096, 4096, 38 },
    { 192, 4096, 5504, 64 }, { 224, 4096, 4096, 51 }, { 256, 49152, 8192, 948.5 }, { 320, 8192, 2752, 91.5 },
    { 400, 3584, 4096, 79 }, { 448, 14336, 8192, 539.5 }, { 576, 15360, 5120, 451.5 }, { 656, 7680, 5120, 268 },
    { 832, 4096, 5504, 177 }, { 944, 24576, 8192, 1824 }, { 1120, 12288, 8192, 928 }, { 1440, 4096, 3584, 177 },
    { 1664, 8192, 22016, 2526 }, { 1984, 8192, 4096, 674 }, { 2528, 5120, 5120, 692 },
    { 2944, 5120, 1280, 183 }, { 3488, 8192, 1024, 271 }, { 3936, 3840, 5120, 669.5 },
    { 4736, 57344, 8192, 19644 }, { 7744, 4096, 1024, 313 }, { 11776, 4096, 2048, 964.5 },
    { 15488, 4096, 7168, 3819.5 }, { 24576, 8192, 7168, 12348 }, { 30720, 10240, 8192, 19299 },
    { 32768, 14336, 4096, 17389 },
}

local device = kc.device(kc.param("device", "a100-sxm4-80gb"))
if not kc.param("fitted", false) then -- as if nobody had measured any
    device = device:with { fitted = { matrix = 0, hbm = 0, fixed = 0 } }
end

local rows = {}
for i, row in ipairs(measured) do
    local m, n, k, us = row[1], row[2], row[3], row[4]
    rows[i] = { name = string.format("%d x %d x %d", m, n, k), time = us * 1e-6,
        kernel = kc.lib.gemm.plain { m = m, n = n, k = k } }
end
-- A profiler sees no gaps between launches.
local c, calibrated = kc.calibrate { device = device, rows = rows, launch = "none", source = "Vidur" }

-- What the fit moves, of a matmul that is none of them.
local other, si = kc.lib.gemm.plain { m = 2048, n = 6144, k = 6144 }, kc.lib.report.si
return string.format("%s\n2048 x 6144 x 6144: %s before, %s after", tostring(c),
    si(kc.best(other, device).time, "s"), si(kc.best(other, calibrated).time, "s"))
