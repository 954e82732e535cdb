-- tiles.lua: which tile, how many stages, and does it pay to split k?
local kc = require "kcost"

return kc.sweep {
    kernel = kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }, device = kc.param("device", "h100"),
    tile = { m = { 64, 128, 256 }, n = { 64, 128, 256 }, k = { 32, 64, 128 } }, stages = { 2, 3, 4 }, split = { k = { 1, 4 } },
    keep = { pareto = { "time", "smem" } }, fields = { "time", "bound", "smem", "occupancy", "waves" },
}
