-- error: kc.map: what.flops is -1, and a number of at least 0 is wanted
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.map({ flops = -1 }, kc.read(A))
