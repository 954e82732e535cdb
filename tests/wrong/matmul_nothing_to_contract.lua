-- error: kc.matmul: the right operand has no dim 'k' to contract; left has m k, right has n p (over defaults to the left operand's last dim)
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local D = kc.tensor("D", "n p", "f16", { n = 16, p = 8 })
kc.matmul(kc.read(A), kc.read(D))
