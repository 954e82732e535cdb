-- error: kc.evaluate: no CTA fits on a100-sxm4-80gb: registers: with 32 warps a thread takes 288, a100-sxm4-80gb has 64: 224 too many; the values that are alive at once take 1048576 bytes and must shrink to 228352, by smaller tiles
-- line: 9
local kc = require "kcost"

local size = { m = 4096, k = 4096, n = 4096 }
local A = kc.read(kc.tensor("A", "m k", "f16", size))
local B = kc.read(kc.tensor("B", "k n", "f16", size))
local C = kc.tile(kc.write("C", kc.matmul(A, B)), { m = 512, n = 512, k = 16 }, { stages = 1 })
local r = kc.evaluate(C, "a100-sxm4-80gb")
return r
