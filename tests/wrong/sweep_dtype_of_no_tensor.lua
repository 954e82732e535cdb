-- error: kc.sweep: dtype: 'C' has no tensor 'Z'; it has A B C
-- line: 7
local kc = require "kcost"
local size = { m = 512, n = 512, k = 512 }
local A, B = kc.tensor("A", "m k", "f16", size), kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local s = kc.sweep { kernel = C, device = "l4", dtype = { Z = { "f8" } } }
return s
