-- gemm_levels.lua: what does each level of memory see of one matmul, and which one holds it back?
--
-- A tile of tm x tn is loaded once a CTA and k step, so L2 serves m n k (1/tm + 1/tn) elements; CTAs that run
-- together share tiles in L2, so HBM moves less, at best each array once; the matrix unit fetches its operands
-- from shared memory again for each instruction block.  Bytes shrink outward, so intensities grow:
--     FLOP / smem bytes  <=  FLOP / L2 bytes  <=  FLOP / HBM bytes
-- (but for C, which leaves from registers).  A level is a lower roof than the matrix unit where its intensity lies
-- below its ridge, the sustained FLOP/s over the level's sustained byte/s.
-- Yang, Kurth, Williams, Hierarchical Roofline Analysis for GPUs (2020).
--
--     kcost scripts/gemm_levels.lua --set m=8192 --set tiles="128x128 256x128" --device a100
local kc = require "kcost"
local report = kc.lib.report

local m, n, k = kc.param("m", 4096), kc.param("n", 4096), kc.param("k", 4096)
local dtype, step, stages = kc.param("dtype", "f16"), kc.param("step", 64), kc.param("stages", 3)
local tiles = report.words(kc.param("tiles", "32x32 64x64 128x64 128x128 256x128"))
local device = kc.device(kc.param("device", "h100-sxm5"))

local plain = kc.lib.gemm.plain { m = m, n = n, k = k, dtype = dtype }
local kernels, results = {}, {}
for i, tile in ipairs(tiles) do
    local tm, tn = tile:match("^(%d+)x(%d+)$")
    kernels[i] = kc.tile(kc.kernel(tile, plain.tensors),
        { m = tonumber(tm), n = tonumber(tn), k = step }, { stages = stages })
    results[i] = kc.evaluate(kernels[i], device)
end

-- One row a tile: bytes, intensity and time of a level; the level with the longest time binds.
local function level(name, bytes, time)
    local rows = {}
    for i, r in ipairs(results) do
        local alone, intensity = r.times[time], r.flops / bytes(r)
        rows[i] = {
            r.name, report.si(bytes(r), "B"), string.format("%.1f", intensity),
            string.format("%.1f", intensity * alone / r.times.matrix), report.si(alone, "s"),
            string.format("%.0f %%", 100 * alone / r.time), r.bound == time and "binds" or "",
        }
    end
    return name .. ":\n\n" .. report.table({ "tile", "bytes", "FLOP/B", "ridge", "alone", "of the time", "" }, rows)
end

return {
    level("Shared memory", function(r) return r.smem_bytes end, "smem"),
    level("L2", function(r) return r.l2_bytes end, "l2"),
    level("HBM", function(r) return r.bytes end, "hbm"),
    kc.compare(kernels, { device }),
}
