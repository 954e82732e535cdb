-- error: kc.mask: no dim 'j' in the operand; it has m k
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.mask(kc.read(A), "m", "j", { hi = 0 })
