-- error: kc.write: the index of C uses 'p', which the value does not have
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.write("C", kc.read(A), { dims = "m y", index = "m 2*p", size = { y = 64 } })
