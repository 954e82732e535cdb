-- error: kc.matmul: the left operand has no dim to contract
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local s = kc.reduce("sum", kc.read(A), "m k")
kc.matmul(s, kc.read(A))
