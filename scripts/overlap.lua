-- overlap.lua: what do loads and work beside each other save, and how many stages does that take?
--
--     none   load, then compute, then load: a step takes the sum of both
--     load   loads of the next tiles run beside compute (cp.async, TMA): a step takes the longer of the two
--     all    and matrix, vector and special work beside each other: a step takes the longest single roof
--
-- Loads that run beside compute need buffers: `stages` tiles of each streamed read.  What is under way, stages - 1
-- tiles a CTA, bounds the bandwidth (Little's law: bytes in flight over latency); what the buffers take of shared
-- memory bounds the CTAs of a core.  Several CTAs on a core hide each other's waits too, so `none` costs most where
-- only one fits.
--
--     kcost scripts/overlap.lua --set stages=8 --device a100-sxm4-80gb
local kc = require "kcost"
local report = kc.lib.report

local most, shown = kc.param("stages", 6), kc.param("shown", 2)
local device = kc.device(kc.param("device", "h100-sxm5"))
local n, k = kc.param("n", 4096), kc.param("k", 4096)
local matmul = kc.lib.gemm.plain { m = kc.param("m", 4096), n = n, k = k }
local thin = kc.lib.gemm.plain { m = kc.param("thin", 16), n = n, k = k }
local attention = kc.lib.attention.fused { b = 4, h = 16, i = kc.param("i", 4096), d = 128 }
local ways = { "none", "load", "all" }

-- Times by stages and overlap; what does not fit says so.
local function times(title, kernel, tile)
    local lines = {}
    for stages = 2, most do
        local line, tiled = { stages }, {}
        for i, way in ipairs(ways) do tiled[i] = kc.tile(kernel, tile, { overlap = way, stages = stages }) end
        local results = kc.compare(tiled, { device }).results
        for i, r in ipairs(results) do line[i + 1] = r.time and report.si(r.time, "s") or "does not fit" end
        local r = results[2]
        if r.time then line[5], line[6], line[7] = report.si(r.smem, "B"), r.occupancy, r.bound end
        lines[#lines + 1] = line
    end
    local head = { "stages", ways[1], ways[2], ways[3], "shared memory", "CTAs a core", "load: bound by" }
    return title .. ", on " .. device.id .. ":\n\n" .. report.table(head, lines)
end

local wide, under = { m = 128, n = 256, k = 64 }, {}
for i, way in ipairs(ways) do
    under[i] = kc.tile(kc.kernel(way, matmul.tensors), wide, { overlap = way, stages = shown })
end
return {
    times("A matmul in tiles of 128 x 256: compute binds", matmul, wide),
    times("A thin one in tiles of 16 x 128: bytes in flight bind", thin, { m = 16, n = 128, k = 64 }),
    times("Attention in tiles of 128 x 128: matrix and softmax take turns", attention, { i = 128, j = 128 }),
    "The matmul with " .. kc.str(shown) .. " stages:",
    kc.compare(under, { device }),
}
