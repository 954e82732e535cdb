-- error: kc.count: kernel 'A': two tensors are named 'A'; make one and read it twice, or give them two names
-- line: 9
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local r = kc.count(kc.write("A", kc.map("relu", kc.read(A))))
return r
