-- error: kc.count: A is not written by any op; give tensors made by kc.write
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local r = kc.count(A)
return r
