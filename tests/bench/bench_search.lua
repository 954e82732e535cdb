-- bench_search.lua: kc.best in the 98,304 points of a matmul, and in 10^9.
local kc = require "kcost"
local measure, space = require "measure", require "space"

local function row(name, axes, times)
    local seconds, best = measure.least(times, function() return kc.best(space.matmul, space.device, axes) end)
    measure.row(name, seconds)
    measure.row(name .. ", visited", best.search.visited)
end

row("best of 98,304", space.with(), 10)
local tiles = kc.range(8, measure.few(2048, 64), 8)
row("best of 10^9", space.with {
    tile = { m = tiles, n = tiles, k = kc.range(8, measure.few(512, 64), 8) }, warps = { 1, 2, 4, 8, 16 },
}, 1)
local seconds = measure.least(1, function()
    return kc.sweep(space.with { kernel = space.matmul, device = space.device, keep = { top = 1 }, threads = 1 })
end)
measure.row("98,304 points swept", seconds)
