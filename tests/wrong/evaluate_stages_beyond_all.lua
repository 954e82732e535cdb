-- error: kc.evaluate: no CTA fits on h100-sxm5: shared memory: a CTA takes 36893488147419103000 bytes, h100-sxm5 has 232448: 36893488147418870000 too many; with stages = 7 it takes 229376 and fits
-- line: 8
local kc = require "kcost"

local s = { i = 4096, j = 4096, k = 4096 }
local C = kc.write("C", kc.matmul(kc.read(kc.tensor("A", "i k", "f16", s)), kc.read(kc.tensor("B", "k j", "f16", s))))
local t = kc.tile(C, { i = 128, j = 128, k = 64 }, { stages = 2 ^ 50 })
local r = kc.evaluate(t, "h100-sxm5")
return r
