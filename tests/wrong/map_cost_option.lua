-- error: kc.map: what has no option 'flop'; did you mean 'flops'?
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.map({ flop = 1 }, kc.read(A))
