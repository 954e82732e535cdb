-- error: kc.sweep: there is nothing to vary of the name 'measured'; there are device, size, dtype, order, split, group, stages, warps, tile, and figures of the device as "hbm.bandwidth"
-- line: 7
local kc = require "kcost"
local size = { m = 512, n = 512, k = 512 }
local A, B = kc.tensor("A", "m k", "f16", size), kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local s = kc.sweep { kernel = C, device = "l4", measured = 1e-3 }
return s
