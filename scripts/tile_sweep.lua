-- tile_sweep.lua: which tiles and how many stages suit a matmul, on three devices?
--
-- Every combination is evaluated.  A larger tile reloads less (m n k (1/tm + 1/tn) elements move in all) but needs
-- more shared memory and registers, and leaves fewer CTAs to fill the cores; stages hide latency, and each costs
-- another buffer.  What does not fit is counted, with its reason.  Printed: the best of each device and size, and
-- on the first device the tiles that no other beats in both time and shared memory.
--
--     kcost scripts/tile_sweep.lua --set k=8192 --device "a100-sxm4-80gb h200-sxm"
--     kcost scripts/tile_sweep.lua --csv
local kc = require "kcost"
local report = kc.lib.report

local devices = report.words(kc.param("device", "a100-sxm4-80gb h100-sxm5 mi300x"))
local k, dtype = kc.param("k", 4096), kc.param("dtype", "f16")
local matmul = kc.lib.gemm.plain { m = 4096, n = 4096, k = k, dtype = dtype }
local fields = { "time", "roof_time", "bound", "throughput", "smem", "occupancy", "waves" }

local function sweep(device, size, keep)
    return kc.sweep {
        kernel = matmul,
        device = device,
        tile = { m = kc.pow2(32, 256), n = kc.pow2(32, 256), k = { 32, 64 } },
        size = { ["m n"] = size },
        stages = { 2, 3, 4 },
        keep = keep,
        fields = fields,
    }
end

return {
    sweep(devices, { 1024, 4096, 16384 }, { best_per = "device size" }),
    sweep(devices[1], 4096, { pareto = { "time", "smem" } }),
}
