-- error: kc.best: none of the 2 points of the space runs; point 0 (device = h100-sxm5, tile.m = 16): no CTA fits on h100-sxm5: shared memory: a CTA takes 67108864 bytes, h100-sxm5 has 232448: 66876416 too many; with tile k = 2048 it takes 131072 and fits
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local r = kc.best(kc.resize(C, { k = 2 ^ 20 }), "h100-sxm5", { tile = { m = { 16, 32 } } })
return r
