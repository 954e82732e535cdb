-- error: kc.write: the index of C says nothing of the value's dim 'k'; reduce it first
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.write("C", kc.read(A), { dims = "y", index = "2*m", size = { y = 128 } })
