-- bench_sweep.lua: ns a point of each kind of sweep, in one thread.
local kc = require "kcost"
local measure, space = require "measure", require "space"
local few = measure.few

-- A sweep of the matmul, or of axes.kernel.
local function row(name, axes, keep)
    axes.kernel, axes.device = axes.kernel or space.matmul, axes.device or space.device
    axes.keep, axes.threads = keep or { top = 1 }, 1
    local seconds, sweep = measure.least(1, function() return kc.sweep(axes) end)
    measure.row(name, 1e9 * seconds / sweep.points)
end

local ten = {
    "flops", "executed_flops", "bytes", "l2_bytes", "smem", "register_bytes", "occupancy", "waves", "time", "bound",
}
row("kcost, the fastest kept", space.with())
row("kcost, ten fields of all kept", space.with { fields = ten }, "all")
row("keep top 100", space.with(), { top = 100 })
row("keep a Pareto front", space.with(), { pareto = { "time", "smem" } })
row("keep the best per stages", space.with(), { best_per = "stages" })
row("keep all", space.with(), "all")
row("where in C, of axes", space.with { where = "tile.m >= tile.n" })
row("where in C, of fields", space.with { where = "smem <= 100*1024 and tile.m >= tile.n" })
row("where, a Lua function", {
    tile = space.tile, where = function(p) return p.smem <= 100 * 1024 and p.tile.m >= p.tile.n end,
})

local few_tiles = { m = { 64, 128 }, n = { 64, 128, 256 }, k = { 32, 64 } }
local in_order = kc.tile(space.matmul, {}, { grid = "" })
local sizes = kc.range(512, few(8192, 1024), 512)
row("tiles only", { tile = space.tile })
row("stages, warps, group", { tile = few_tiles, stages = space.stages, group = space.group, warps = few({ 4, 8, 12, 16 }, { 4 }) })
row("sizes", { tile = few_tiles, size = { m = sizes, n = sizes } })
row("dtype", { tile = space.tile, dtype = { ["A B"] = { "f16", "bf16", "f8", "f32" } } })
row("order", { tile = space.tile, kernel = in_order, order = { "m n k", "n m k", "k m n", "k n m" } })
row("split", { tile = space.tile, split = { k = { 1, 2, 4, 8 } } })
row("devices", { tile = space.tile, device = { "a100-sxm4-80gb", "h100-sxm5", "h200-sxm", "mi300x" } })
row("a device figure", { tile = space.tile, ["hbm.bandwidth"] = kc.range(2e12, 5e12, 1e12) })

local function attention(length, causal)
    return {
        kernel = kc.lib.attention.flash { h = 16, i = length, d = 128, causal = causal },
        tile = { i = space.tile.m, j = space.tile.n }, stages = space.stages, warps = few({ 4, 8 }, { 4 }),
    }
end
row("no mask, 4,096 rows", attention(4096, false))
row("causal, 1,024 rows", attention(1024, true))
row("causal, 4,096 rows", attention(4096, true))
row("causal, 16,384 rows", attention(16384, true))
row("causal, 65,536 rows", attention(65536, true))
