-- wave_quantization.lua: why does one column more cost a second wave, and what mends it?
--
-- C = A B in tiles of tm x tn: every core takes one CTA at a time, so the CTAs run in waves of as many as the
-- device holds.  1792 = 7 * 256 = 14 * 128: 98 tiles on the 108 cores of an A100, one wave, 98/108 = 90.7 % busy.
-- 1793 needs 8 * 15 = 120 tiles, two waves, 120/216 = 55.6 % busy: 0.17 % more work takes twice the time.
-- NVIDIA, Matrix Multiplication Background User's Guide, "Wave quantization".
--
--     kcost scripts/wave_quantization.lua --set tm=128 --device h100-sxm5
--     kcost scripts/wave_quantization.lua --explain
local kc = require "kcost"
local report = kc.lib.report

local tm, tn, tk = kc.param("tm", 256), kc.param("tn", 128), kc.param("tk", 32)
local n, dtype = kc.param("n", 1792), kc.param("dtype", "f16")
local device = kc.device(kc.param("device", "a100-sxm4-80gb"))

local plain = kc.lib.gemm.plain { m = n, n = n, k = n, dtype = dtype }
local function tiled(name, tile, opts)
    local kernel = kc.kernel(name, plain.tensors)
    return kc.tile(kernel, { m = tile[1], n = tile[2], k = tk }, opts)
end
local function at(kernel, size) return kc.resize(kernel, { ["m n k"] = size }) end

-- The step, and two ways around it: narrower tiles, and four CTAs that share the steps of a tile.
local step = tiled("tiles", { tm, tn }, { warps = 8 })
local ways = {
    at(step, n), at(step, n + 1),
    at(tiled("half as wide", { tm, tn / 2 }, { warps = 8 }), n + 1),
    at(tiled("split by 4", { tm, tn }, { warps = 8, split = { k = 4 } }), n + 1),
}
local function line(kernel, size)
    local r = kc.evaluate(kernel, device, { launch = "none" })
    local bar = string.format("%-40s", ("#"):rep(math.floor(40 * r.throughput / device.matrix[dtype] + 0.5)))
    local busy = string.format("%.1f %%", 100 * r.wave_efficiency)
    return { size, kernel.name, r.ctas, r.waves, busy, report.si(r.throughput, "FLOP/s"), bar }
end

-- The saw-tooth: throughput rises while a wave fills and falls when the next begins.
local lines, saw = {}, {}
for i, way in ipairs(ways) do lines[i] = line(way, i == 1 and n or n + 1) end
for size = n / 2, 2 * n, n / 14 do saw[#saw + 1] = line(at(step, size), size) end

local head = { "m = n = k", "schedule", "CTAs", "waves", "busy", "rate", "of the peak" .. (" "):rep(29) }
local where = kc.str(tm) .. " x " .. kc.str(tn) .. " on " .. device.id .. ":\n\n"
return {
    "One column more, in tiles of " .. where .. report.table(head, lines),
    kc.compare(ways, { device }, { launch = "none" }),
    "The saw-tooth, in tiles of " .. where .. report.table(head, saw),
}
