-- space.lua: the matmul and the 98,304 points of baseline/gemm_sweep.c, which sweeps and searches share.
local kc = require "kcost"
local few = require "measure".few

local size = { m = 2048, n = 11008, k = 4096 }
local A, B = kc.tensor("A", "m k", "f16", size), kc.tensor("B", "k n", "f16", size)

local space = {
    device = "h100-sxm5",
    matmul = kc.write("C", kc.matmul(kc.read(A), kc.read(B))),
    tile = {
        m = kc.range(16, few(256, 48), 16), n = kc.range(16, few(256, 48), 16), k = kc.range(16, few(128, 32), 16),
    },
    stages = kc.range(2, few(7, 3)),
    group = few({ 1, 2, 4, 8, 16, 32, 64, 132 }, { 1, 8 }),
}

-- The axes of all these points, and what `more` adds or says instead.
function space.with(more)
    local axes = { tile = space.tile, stages = space.stages, group = space.group }
    for name, value in pairs(more or {}) do axes[name] = value end
    return axes
end

return space
