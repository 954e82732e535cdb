-- plots.lua: one plot of each kind, by --set which=NAME; "fitting" returns what is no plot.
local kc = require "kcost"

local gemm = kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }
local attention = kc.lib.attention
local size = { batch = 4, heads = 8, seq = 1024, head_dim = 64 }
local unfused, flash = attention.standard(size), attention.flash(size)

local function copies()
    local X = kc.tensor("X", "m n", "f32", { m = 8192, n = 8192 })
    local copy = kc.kernel("copy", { kc.write("Y", kc.cast(kc.read(X), "f32")) })
    local narrow = kc.kernel("narrow <to> f16", { kc.write("Z", kc.cast(kc.read(X), "f16"), "f16") })
    return { kc.evaluate(copy, "h100-sxm5"), kc.evaluate(narrow, "h100-sxm5") }
end

local function tiles(keep)
    return kc.sweep { kernel = gemm, device = "h100-sxm5", tile = { m = kc.pow2(64, 512), n = kc.pow2(64, 512), k = 64 },
        stages = { 2, 3 }, keep = keep }
end

local function sizes()
    local tiled = kc.tile(gemm, { m = 256, n = 128, k = 32 }, { warps = 8 })
    return kc.sweep { kernel = tiled, device = "a100-sxm4-80gb", launch = "none",
        size = { ["m n k"] = kc.range(1024, 2304, 128) } }
end

local plots = {
    roofline = function() return kc.plot.roofline(kc.compare({ unfused, flash }, { "h100-sxm5" })) end,
    program = function() return kc.plot.roofline(kc.evaluate(unfused, "h100-sxm5")) end,
    devices = function() return kc.plot.roofline(kc.compare({ unfused, flash }, { "a100-sxm4-80gb", "h100-sxm5" })) end,
    bandwidth = function() return kc.plot.bandwidth(copies()) end,
    sawtooth = function() return kc.plot.sawtooth(sizes()) end,
    tiles = function() return kc.plot.tiles(tiles()) end,
    pareto = function() return kc.plot.pareto(tiles()) end,
    ledger = function() return kc.plot.ledger(kc.compare({ unfused, flash }, { "h100-sxm5" })) end,
    fitting = function()
        return kc.compare({ unfused, flash }, { "h100-sxm5" }), copies(), kc.count(flash), tiles(),
            tiles { pareto = { "time", "smem" } }, sizes()
    end,
    hostile = function()
        local A = kc.tensor("A", "n", "f32", { n = 1e6 })
        local name = "`touch hostile`'; set output \"hostile\" @x {/=40 <b>&\\"
        return kc.plot.roofline(kc.evaluate(kc.kernel(name, { kc.write("B", kc.map("exp", kc.read(A))) }), "h100-sxm5"))
    end,
}

return plots[kc.param("which", "roofline")]()
