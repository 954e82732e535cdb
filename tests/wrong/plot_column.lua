-- error: kc.plot.sawtooth: y: expected the name of a column, got a number
-- line: 5
local kc = require "kcost"
local s = kc.sweep { kernel = kc.lib.gemm.plain { m = 64, n = 64, k = 64 }, size = { m = { 64, 128 } }, device = "l4" }
local plot = kc.plot.sawtooth { s, y = 7 }
return plot
