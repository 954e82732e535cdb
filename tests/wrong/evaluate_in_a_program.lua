-- error: kc.evaluate: no CTA fits on a100-sxm4-80gb: shared memory: a CTA takes 393216 bytes, a100-sxm4-80gb has 166912: 226304 too many; with stages = 1 it takes 98304 and fits (net > C)
-- line: 10
local kc = require "kcost"

local size = { m = 4096, k = 4096, n = 4096 }
local A = kc.read(kc.tensor("A", "m k", "f16", size))
local B = kc.read(kc.tensor("B", "k n", "f16", size))
local C = kc.tile(kc.write("C", kc.matmul(A, B)), { m = 256, n = 128, k = 128 }, { stages = 4 })
local net = kc.program("net", { C })
local r = kc.evaluate(net, "a100-sxm4-80gb")
return r
