-- error: kc.plot.sawtooth: title: expected a text, got a number
-- line: 5
local kc = require "kcost"
local s = kc.sweep { kernel = kc.lib.gemm.plain { m = 64, n = 64, k = 64 }, size = { m = { 64, 128 } }, device = "l4" }
local plot = kc.plot.sawtooth { s, title = 7 }
return plot
