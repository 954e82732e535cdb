-- error: kc.sweep: tile.m is a list with holes: nothing stands between two of its items
-- line: 7
local kc = require "kcost"
local size = { m = 512, n = 512, k = 512 }
local A, B = kc.tensor("A", "m k", "f16", size), kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local s = kc.sweep { kernel = C, device = "l4", tile = { m = { 64, nil, 128 } } }
return s
