-- error: kc.sweep: tile of m must be a whole number of at least 1, not 127.5
-- line: 7
local kc = require "kcost"
local size = { m = 512, n = 512, k = 512 }
local A, B = kc.tensor("A", "m k", "f16", size), kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local s = kc.sweep { kernel = C, device = "l4", tile = { m = { 64, 127.5 } } }
return s
