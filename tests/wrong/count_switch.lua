-- error: kc.count: convention: multiply_add is 2, 1 or '2K-1', not '3'
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local r = kc.count(C, { convention = { multiply_add = 3 } })
return r
