-- error: kc.reduce: size adds dims to the output, but 'm' is a dim of the operand
-- line: 8
local kc = require "kcost"

local size = { m = 64, k = 32, n = 16 }
local A = kc.tensor("A", "m k", "f16", size)
local B = kc.tensor("B", "k n", "f16", size)
kc.reduce("max", kc.read(A), "k", { size = { m = 8 } })
