-- error: kc.verify: this kernel takes 3000010000000003 steps, more than 100000000; smaller sizes or larger tiles take fewer
-- line: 9
local kc = require "kcost"

local size = { m = 100000, k = 100000, n = 100000 }
local A = kc.read(kc.tensor("A", "m k", "f16", size))
local B = kc.read(kc.tensor("B", "k n", "f16", size))
local C = kc.tile(kc.write("C", kc.matmul(A, B)), { m = 1, n = 1, k = 1 })
local r = kc.verify(C)
return r
