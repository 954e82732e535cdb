-- error: kc.evaluate: option 'measured' is 0, and a time in seconds from 1e-12 to 1e9 is wanted
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local r = kc.evaluate(C, "h100-sxm5", { measured = 0 })
return r
