-- error: kc.ski_slope: 'g' is a group; ask of each of its kernels
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local r = kc.ski_slope(kc.group("g", { C, C }))
return r
