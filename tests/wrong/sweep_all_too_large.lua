-- error: kc.sweep: the space has 4000000 points, and all are kept up to 10^6; keep = { top = 1000, by = "time" } keeps the best
-- line: 7
local kc = require "kcost"
local size = { m = 512, n = 512, k = 512 }
local A, B = kc.tensor("A", "m k", "f16", size), kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local s = kc.sweep { kernel = C, device = "l4", tile = { m = kc.range(1, 2000), n = kc.range(1, 2000) } }
return s
