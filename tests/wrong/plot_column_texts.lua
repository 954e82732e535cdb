-- error: kc.plot.sawtooth: y: expected a column of numbers, and 'bound' has a string
-- line: 5
local kc = require "kcost"
local s = kc.sweep { kernel = kc.lib.gemm.plain { m = 64, n = 64, k = 64 }, size = { m = { 64, 128 } }, device = "l4" }
local plot = kc.plot.sawtooth { s, y = "bound" }
return plot
