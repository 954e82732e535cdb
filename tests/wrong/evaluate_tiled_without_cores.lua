-- error: kc.evaluate: mine: a tiled kernel needs cores, which the device does not state; untiled it runs
-- line: 10
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
local C = kc.write("C", kc.matmul(kc.read(A), kc.read(B)))
local mine = kc.device{ name = "mine", hbm = { bandwidth = 1e12 }, matrix = { f16 = 1e14 } }
local r = kc.evaluate(kc.tile(C, { m = 16 }), mine)
return r
