-- error: kc.sweep: tile: 'C' has no dim 'q'; it has m k n
-- line: 7
local kc = require "kcost"
local size = { m = 512, n = 512, k = 512 }
local A, B = kc.tensor("A", "m k", "f16", size), kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local s = kc.sweep { kernel = C, tile = { q = { 32 } }, stages = { 2 } }
return s
