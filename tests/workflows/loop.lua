-- loop.lua: the same as a loop of one's own: what does not fit keeps its reason.
local kc = require "kcost"

local gemm, tries = kc.lib.gemm.plain { m = 4096, n = 4096, k = 4096 }, {}
for _, n in ipairs { 128, 256 } do
    for stages = 3, 5 do
        tries[#tries + 1] = kc.tile(gemm, { m = 128, n = n, k = 64 }, { stages = stages })
    end
end
return kc.compare(tries, kc.param("device", "h100"))
