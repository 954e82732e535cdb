-- error: kc.map: no cost is known for 'gleu'; give one as { flops = 3, special = 1 }; did you mean 'gelu'?
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.map("gleu", kc.read(A))
